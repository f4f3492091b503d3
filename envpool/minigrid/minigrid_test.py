# SPDX-License-Identifier: Apache-2.0
"""Compares MiniGrid and BabyAI with their package, minigrid 3.2.0.

Episodes are compared from their reset on: the numbers that the reference draws are recorded and replayed to our
environment, which must ask for the same ones in the same order. ENVPOOL_TEST_MINIGRID sets how many episodes of each
id are compared; with 200 or more, all of them to their end.
"""

import collections
import os
import sys

import numpy as np
import pytest
from scipy import stats

if sys.version_info < (3, 11):
    pytest.skip("minigrid 3.2.0 needs Python 3.11", allow_module_level=True)

import gymnasium
from minigrid.core.world_object import WorldObj
from minigrid.wrappers import FullyObsWrapper, OneHotPartialObsWrapper

import envpool
from envpool.minigrid import WORDS, mission_text
from envpool.minigrid.testing.episodes import AGENT, Ours, Reference, compare
from envpool.testing.capi import pointer
from envpool.testing.chi_square import SMALLEST_P, ChiSquare

IDS = [task_id for task_id in envpool.list_all_envs() if task_id.startswith(("MiniGrid-", "BabyAI-"))]
EPISODES = int(os.environ.get("ENVPOOL_TEST_MINIGRID", 4))
MOST_STEPS = 60 if EPISODES < 200 else 1_000_000
pytestmark = pytest.mark.filterwarnings("ignore:.*is out of date")


def test_ids_are_those_of_the_package():
    theirs = {task_id for task_id in gymnasium.registry if task_id.startswith(("MiniGrid-", "BabyAI-"))}
    assert set(IDS) <= theirs
    assert {task_id for task_id in theirs - set(IDS) if not task_id.startswith("MiniGrid-WFC-")} == set()


@pytest.mark.parametrize("task_id", IDS)
def test_episodes(task_id):
    compare(task_id, EPISODES, MOST_STEPS, seed=len(task_id))


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("MiniGrid-DoorKey-8x8-v0", {"see_through_walls": True}),
        ("MiniGrid-DoorKey-8x8-v0", {"agent_view_size": 3, "max_steps": 20}),
        ("MiniGrid-MultiRoom-N6-v0", {"agent_view_size": 9}),
        ("MiniGrid-FourRooms-v0", {"agent_view_size": 15}),
        ("MiniGrid-Empty-8x8-v0", {"size": 11}),
        ("MiniGrid-DistShift1-v0", {"width": 12, "height": 9, "strip2_row": 5}),
        ("MiniGrid-LavaCrossingS9N1-v0", {"size": 15, "num_crossings": 7}),
        ("MiniGrid-LockedRoom-v0", {"size": 25}),
        ("MiniGrid-RedBlueDoors-6x6-v0", {"size": 11}),
        ("MiniGrid-KeyCorridorS3R1-v0", {"room_size": 7, "num_rows": 2}),
        ("BabyAI-GoToLocal-v0", {"max_steps": 9}),
        ("BabyAI-GoTo-v0", {"room_size": 6, "num_rows": 2, "num_cols": 3, "num_dists": 5}),
        ("BabyAI-PickupDistDebug-v0", {"agent_view_size": 5}),
    ],
)
def test_options(task_id, options):
    compare(task_id, 20, 60, seed=1, **options)


@pytest.mark.parametrize(
    ("options", "reward"),
    [
        ({}, 1 - 0.9 * 5 / 100),
        ({"max_steps": 50}, 1 - 0.9 * 5 / 50),
        ({"max_episode_steps": 50}, 1 - 0.9 * 5 / 50),  # as in EnvPool
        ({"max_episode_steps": 50, "max_steps": 20}, 1 - 0.9 * 5 / 20),
    ],
)
def test_rewards_depend_on_the_time_limit(options, reward):
    env = envpool.make("MiniGrid-Empty-5x5-v0", **options)
    env.reset()
    for action in (2, 2, 1, 2, 2):
        result = env.step(np.array([action]))
    assert result[1] == np.float32(reward) and result[2]


def test_rules_are_reached():
    """Some episodes of these ids succeed and some fail, so that the comparison covers the ends of episodes."""
    for task_id in ("MiniGrid-Fetch-5x5-N2-v0", "MiniGrid-MemoryS7-v0", "BabyAI-PickupDistDebug-v0"):
        succeeded, failed, _ = compare(task_id, 40, 100, seed=2, moves=0.3)
        assert succeeded > 0 and failed > 0
    for task_id in (
        "MiniGrid-DoorKey-5x5-v0",
        "BabyAI-PutNextLocalS5N3-v0",
        "BabyAI-OpenTwoDoors-v0",
        "BabyAI-UnlockToUnlock-v0",  # has two keys
    ):
        succeeded, _, _ = compare(task_id, 40, 400, seed=2, moves=0.3)
        assert succeeded > 0


@pytest.mark.parametrize(
    "task_id",
    [
        "MiniGrid-Playground-v0",
        "MiniGrid-LavaGapS7-v0",
        "MiniGrid-MultiRoom-N6-v0",
        "MiniGrid-BlockedUnlockPickup-v0",
        "BabyAI-PutNextS6N3Carrying-v0",
    ],
)
@pytest.mark.parametrize("highlight", [True, False])
def test_pictures(task_id, highlight):
    options = {"highlight": highlight}
    reference, ours = Reference(task_id, 3, render_mode="rgb_array", **options), Ours(task_id, **options)
    random = np.random.default_rng(3)
    for _ in range(3):
        reference.reset()
        ours.reset(reference.recorder.take())
        for step in range(12):
            theirs = reference.env.render()
            picture = np.empty_like(theirs)
            ours.call("render", pointer(ours.state), pointer(picture))
            np.testing.assert_array_equal(picture, theirs)
            action = int(random.integers(reference.env.action_space.n))
            reference.env.step(action)
            ours.step(action, reference.recorder.take())
            if step % 3 == 0 and (place := reference.random_place(random)) is not None:
                reference.env.agent_pos, reference.env.agent_dir = place[:2], place[2]
                ours.move_agent(*place)


def test_tiles():
    """All objects of all colours, with and without the agent on them, are drawn as in the reference."""
    reference, ours = Reference("MiniGrid-Playground-v0", 3, render_mode="rgb_array"), Ours("MiniGrid-Playground-v0")
    reference.reset()
    ours.reset(reference.recorder.take())
    kinds = [(kind, color, 0) for kind in (2, 3, 5, 6, 7) for color in range(6)]
    kinds += [(8, 1, 0), (9, 0, 0), *((4, color, state) for color in range(6) for state in range(3))]
    grid, size = reference.env.grid, reference.env.width
    cells = ours.state[AGENT.itemsize :][: 4 * size * size].view("u4").reshape(size, size)
    for number in range(size * size):
        y, x = divmod(number, size)
        kind, color, state = kinds[number % len(kinds)]
        grid.set(x, y, WorldObj.decode(kind, color, state))
        cells[y, x] = kind | color << 8 | state << 16 | (kind == 2 or (kind == 4 and state > 0)) << 31
    for number in range(0, size * size, 7):
        y, x = divmod(number, size)
        if 0 < x < size - 1 and 0 < y < size - 1:
            reference.env.agent_pos, reference.env.agent_dir = (x, y), number % 4
            ours.move_agent(x, y, number % 4)
            theirs = reference.env.render()
            picture = np.empty_like(theirs)
            ours.call("render", pointer(ours.state), pointer(picture))
            np.testing.assert_array_equal(picture, theirs)


@pytest.mark.parametrize(("observation", "wrapper"), [("full", FullyObsWrapper), ("one_hot", OneHotPartialObsWrapper)])
@pytest.mark.parametrize("task_id", ["MiniGrid-RedBlueDoors-6x6-v0", "BabyAI-PutNextS6N3Carrying-v0"])
def test_observations(task_id, observation, wrapper):
    reference = Reference(task_id, 4)
    wrapped = wrapper(reference.env)
    shape = wrapped.observation_space["image"].shape
    ours = Ours(task_id, shape, observation=observation)
    random = np.random.default_rng(4)
    for _ in range(5):
        theirs = reference.reset()
        ours.reset(reference.recorder.take())
        for _ in range(30):
            np.testing.assert_array_equal(ours.observe()[0], wrapped.observation(theirs)["image"])
            action = int(random.integers(7))
            theirs, _, terminated, truncated, _ = reference.env.step(action)
            ours.step(action, reference.recorder.take())
            if terminated or truncated:
                break
    assert envpool.make_spec(task_id, observation=observation).observation_space["image"].shape == shape


def test_an_agent_starts_anywhere_with_equal_probability():
    env = envpool.make("MiniGrid-Empty-Random-6x6-v0", num_envs=15 * 4 * 100, seed=5)
    observation, info = env.reset()
    seen = collections.Counter(zip(map(tuple, info["agent_pos"]), observation["direction"], strict=True))
    cells = [(x, y) for x in range(1, 5) for y in range(1, 5) if (x, y) != (4, 4)]
    test = ChiSquare()
    test.add(seen, {(cell, direction): 1 / 60 for cell in cells for direction in range(4)})
    test.check()


@pytest.mark.parametrize(
    "task_id",
    [
        "MiniGrid-DoorKey-5x5-v0",
        "MiniGrid-MultiRoom-N2-S4-v0",
        "MiniGrid-SimpleCrossingS9N2-v0",
        "MiniGrid-Fetch-5x5-N2-v0",
        "MiniGrid-ObstructedMaze-1Dlhb-v0",
        "BabyAI-GoToImpUnlock-v0",
        "BabyAI-MiniBossLevel-v0",
    ],
)
def test_resets_have_the_distribution_of_the_reference(task_id):
    """Compares what an agent sees at first: each cell of the image, and the words of the mission."""
    count = 800
    reference = Reference(task_id, 9)
    theirs = [observation for _ in range(count) if (observation := reference.reset()) is not None]
    ours = envpool.make(task_id, num_envs=4 * count, seed=9).reset()[0]
    samples = [(0, ours["image"], mission_text(ours["mission"]))]
    samples.append((1, np.stack([o["image"] for o in theirs]), [o["mission"] for o in theirs]))
    counts = collections.defaultdict(lambda: np.zeros(2))
    for side, images, missions in samples:
        for column in range(7):
            for row in range(7):
                for cell, number in collections.Counter(map(bytes, images[:, column, row])).items():
                    counts[column, row, cell][side] += number
        for word, number in collections.Counter(word for mission in missions for word in mission.split()).items():
            counts[word][side] += number
    totals = np.array([4 * count, len(theirs)])
    pvalues = []
    for table in counts.values():
        if table.sum() >= 50 and (table < totals).all():
            pvalues.append(stats.chi2_contingency([table, totals - table]).pvalue)
    assert len(pvalues) > 20
    assert min(pvalues) > SMALLEST_P / len(pvalues)  # of many comparisons


@pytest.mark.parametrize("task_id", ["MiniGrid-LockedRoom-v0", "MiniGrid-PutNear-8x8-N3-v0", "BabyAI-BossLevel-v0"])
def test_missions_as_words(task_id):
    text, words = (envpool.make(task_id, num_envs=200, seed=3, mission=form) for form in ("text", "words"))
    sentences = mission_text(text.reset()[0]["mission"])
    assert mission_text(words.reset()[0]["mission"], "words") == sentences
    assert {word for sentence in sentences for word in sentence.replace(",", " ,").split()} <= set(WORDS)
    with pytest.raises(ValueError, match="missions: expected numbers from 0 to"):
        mission_text([[255]], "words")
    with pytest.raises(ValueError, match="form: expected 'text' or 'words', got 'tokens'"):
        mission_text([[1]], "tokens")


@pytest.mark.parametrize(
    ("task_id", "options", "message"),
    [
        ("MiniGrid-Empty-8x8-v0", {"agent_view_size": 6}, "agent_view_size: expected an odd number, got 6"),
        ("MiniGrid-Empty-8x8-v0", {"size": 3}, "size"),
        ("MiniGrid-Empty-8x8-v0", {"mission_bytes": 10}, "mission_bytes"),
        ("MiniGrid-LavaCrossingS9N1-v0", {"size": 8}, "size: expected an odd number, got 8"),
        ("MiniGrid-LavaCrossingS9N1-v0", {"num_crossings": 7}, "num_crossings: expected at most 6"),
        ("MiniGrid-MultiRoom-N6-v0", {"max_num_rooms": 2}, "max_num_rooms: expected at least min_num_rooms, 6, got 2"),
        ("MiniGrid-PutNear-6x6-N2-v0", {"num_objs": 5}, "num_objs: expected at most 4 in a grid of this size, got 5"),
        ("MiniGrid-LockedRoom-v0", {"size": 15}, "size: expected an odd number that is not divisible by 3, got 15"),
        ("MiniGrid-DistShift1-v0", {"strip2_row": 6}, "strip2_row: expected at most 5"),
        ("BabyAI-GoToLocal-v0", {"num_dists": 0}, "num_dists: expected 1..18 in rooms of this size, got 0"),
        ("BabyAI-BossLevel-v0", {"action_kinds": "goto,fly"}, "action_kinds: expected some of goto, open, pickup"),
        ("BabyAI-BossLevel-v0", {"num_rows": 1, "num_cols": 1}, "locked_room_prob: expected 0 with one room"),
    ],
)
def test_bad_options(task_id, options, message):
    with pytest.raises(ValueError, match=f"\\[{task_id}\\].*{message}"):
        envpool.make(task_id, **options)
