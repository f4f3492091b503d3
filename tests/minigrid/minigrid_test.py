# SPDX-License-Identifier: Apache-2.0
"""Compares MiniGrid and BabyAI with their package, minigrid 3.2.0.

Episodes are compared from their reset on: the numbers that the reference draws are recorded and replayed to our
environment, which must ask for the same ones in the same order. By default, 60 steps of three episodes are compared.
This is done for the ids with the rarest rules, and for one id of each environment, which depends on the date.
ENVPOOL_TEST_MINIGRID sets how many episodes of all ids are compared. If it is 200 or more, episodes are compared to
their end.
"""

import collections
import functools
import os
import sys

import numpy as np
import pytest
from scipy import stats

if sys.version_info < (3, 11):
    pytest.skip("minigrid 3.2.0 needs Python 3.11", allow_module_level=True)

import gymnasium
from minigrid.core.grid import Grid
from minigrid.core.world_object import WorldObj
from minigrid.wrappers import (
    FlatObsWrapper,
    FullyObsWrapper,
    ImgObsWrapper,
    OneHotPartialObsWrapper,
    RGBImgObsWrapper,
    RGBImgPartialObsWrapper,
    SymbolicObsWrapper,
    ViewSizeWrapper,
)

import envpool
from envpool.minigrid import WORDS, mission_text
from envpool.python.registry import find
from tests.minigrid.episodes import AGENT, Ours, Reference, compare
from tests.support.capi import pointer
from tests.support.chi_square import SMALLEST_P, ChiSquare
from tests.support.mutations import Signed
from tests.support.samples import DAY

IDS = [task_id for task_id in envpool.list_all_envs() if task_id.startswith(("MiniGrid-", "BabyAI-"))]
WHOLE = "ENVPOOL_TEST_MINIGRID" in os.environ
EPISODES = int(os.environ.get("ENVPOOL_TEST_MINIGRID", 3))
MOST_STEPS = 60 if EPISODES < 200 else 1_000_000
# The ids with the rarest rules: boxes with keys, blocked doors, two keys, an object that the agent carries at first,
# instructions with several parts, and cells that moving objects leave.
ALWAYS = {
    "MiniGrid-ObstructedMaze-Full-v1",
    "MiniGrid-Dynamic-Obstacles-Random-6x6-v0",
    "BabyAI-UnlockToUnlock-v0",
    "BabyAI-PutNextS6N3Carrying-v0",
    "BabyAI-MoveTwoAcrossS5N2-v0",
    "BabyAI-BossLevel-v0",
}
pytestmark = pytest.mark.filterwarnings("ignore:.*is out of date")


def by_date(items, count=1):
    """Returns `count` items, which depend on the date, or all items if everything is tested."""
    items = list(items)
    return items if WHOLE else [items[(DAY * count + i) % len(items)] for i in range(min(count, len(items)))]


def sample():
    """Returns the ids to test: one of each environment, which depends on the date, and those in ALWAYS."""
    tables = collections.defaultdict(list)
    for task_id in IDS:
        tables[find(task_id).table].append(task_id)
    chosen = {task_id for ids in tables.values() for task_id in by_date(ids)}
    return [task_id for task_id in IDS if task_id in chosen | ALWAYS]


def test_ids_are_those_of_the_package():
    theirs = {task_id for task_id in gymnasium.registry if task_id.startswith(("MiniGrid-", "BabyAI-"))}
    assert set(IDS) <= theirs
    assert {task_id for task_id in theirs - set(IDS) if not task_id.startswith("MiniGrid-WFC-")} == set()


@pytest.mark.parametrize("task_id", sample())
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
    compare(task_id, 20 if WHOLE else 3, 60, seed=1, **options)


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


@pytest.mark.parametrize(
    ("task_id", "fails"),
    [
        ("MiniGrid-Fetch-5x5-N2-v0", True),
        ("MiniGrid-MemoryS7-v0", True),
        ("BabyAI-PickupDistDebug-v0", True),
        ("MiniGrid-DoorKey-5x5-v0", False),
        ("BabyAI-PutNextLocalS5N3-v0", False),
        ("BabyAI-OpenTwoDoors-v0", False),
        ("BabyAI-UnlockToUnlock-v0", False),  # this id has two keys
    ],
)
def test_rules_are_reached(task_id, fails):
    """Some episodes of these ids succeed, and some fail if they can, so that the comparison covers all ends."""
    ends = np.zeros(3, int)
    for seed in range(200):
        ends += compare(task_id, 2, 400, seed=seed, moves=0.3)
        if ends[0] > 0 and (ends[1] > 0 or not fails):
            return
    raise AssertionError(f"succeeded, failed, truncated: {ends}")


@pytest.mark.parametrize(
    "task_id",
    by_date(
        [
            "MiniGrid-Playground-v0",
            "MiniGrid-LavaGapS7-v0",
            "MiniGrid-MultiRoom-N6-v0",
            "MiniGrid-BlockedUnlockPickup-v0",
            "BabyAI-PutNextS6N3Carrying-v0",
        ]
    ),
)
@pytest.mark.parametrize("highlight", [True, False])
def test_rendered_images(task_id, highlight):
    options = {"highlight": highlight}
    reference, ours = Reference(task_id, 3, render_mode="rgb_array", **options), Ours(task_id, **options)
    random = np.random.default_rng(3)
    for _ in range(3 if WHOLE else 1):
        reference.reset()
        ours.reset(reference.recorder.take())
        for step in range(12):
            theirs = reference.env.render()
            image = np.empty_like(theirs)
            ours.call("render", pointer(ours.state), pointer(image))
            np.testing.assert_array_equal(image, theirs)
            action = int(random.integers(reference.env.action_space.n))
            reference.env.step(action)
            ours.step(action, reference.recorder.take())
            if step % 3 == 0 and (place := reference.random_place(random)) is not None:
                reference.env.agent_pos, reference.env.agent_dir = place[:2], place[2]
                ours.move_agent(*place)


@pytest.mark.parametrize("size", [8, *([1, 2, 5, 11, 16, 31, 32] if WHOLE else [1 + DAY % 7])])
def test_tiles(size):
    """All objects of all colours, with and without the agent on them, are drawn as in the reference."""
    reference = Reference("MiniGrid-Playground-v0", 3)
    wrapped = RGBImgObsWrapper(reference.env, tile_size=size)
    space = wrapped.observation_space["image"]
    ours = Ours("MiniGrid-Playground-v0", space, observation="rgb_full", tile_size=size)
    theirs = reference.reset()
    ours.reset(reference.recorder.take())
    kinds = [(kind, color, 0) for kind in (2, 3, 5, 6, 7) for color in range(6)]
    kinds += [(8, 1, 0), (9, 0, 0), *((4, color, state) for color in range(6) for state in range(3))]
    grid, side = reference.env.grid, reference.env.width
    cells = ours.state[AGENT.itemsize :][: 4 * side * side].view("u4").reshape(side, side)
    for number in range(side * side):
        y, x = divmod(number, side)
        kind, color, state = kinds[number % len(kinds)]
        grid.set(x, y, WorldObj.decode(kind, color, state))
        cells[y, x] = kind | color << 8 | state << 16 | (kind == 2 or (kind == 4 and state > 0)) << 31
    for number in range(0, side * side, 7):
        y, x = divmod(number, side)
        if 0 < x < side - 1 and 0 < y < side - 1:
            reference.env.agent_pos, reference.env.agent_dir = (x, y), number % 4
            ours.move_agent(x, y, number % 4)
            np.testing.assert_array_equal(ours.observe()[0], wrapped.observation(theirs)["image"])
    Grid.tile_cache.clear()


# Wrappers of the package, and the options that replace them.
WRAPPERS = {
    "full": (FullyObsWrapper, {"observation": "full"}),
    "one_hot": (OneHotPartialObsWrapper, {"observation": "one_hot"}),
    "symbolic": (SymbolicObsWrapper, {"observation": "symbolic"}),
    "rgb_full": (RGBImgObsWrapper, {"observation": "rgb_full"}),
    "rgb_full, of another size": (
        functools.partial(RGBImgObsWrapper, tile_size=5),
        {"observation": "rgb_full", "tile_size": 5},
    ),
    "rgb_partial": (RGBImgPartialObsWrapper, {"observation": "rgb_partial"}),
    "rgb_partial, of another size": (
        functools.partial(RGBImgPartialObsWrapper, tile_size=12),
        {"observation": "rgb_partial", "tile_size": 12},
    ),
    "flat": (FlatObsWrapper, {"observation": "flat", "mission_bytes": 96}),
    "the view's size": (functools.partial(ViewSizeWrapper, agent_view_size=5), {"agent_view_size": 5}),
    "image_only": (ImgObsWrapper, {"image_only": True}),
    "rgb_partial, image_only": (
        lambda env: ImgObsWrapper(RGBImgPartialObsWrapper(env)),
        {"observation": "rgb_partial", "image_only": True},
    ),
}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize(
    "task_id", ["MiniGrid-RedBlueDoors-6x6-v0", "MiniGrid-LavaGapS7-v0", "BabyAI-PutNextS6N3Carrying-v0"]
)
def test_wrappers(task_id, wrapper):
    """The image of each option equals that of the wrapper in all steps, and the spaces are equal."""
    wrap, options = WRAPPERS[wrapper]
    if wrapper == "the view's size" and "Carrying" in task_id:
        pytest.skip("at the start, the wrapper shows an object that the environment with this option does not show yet")
    seed = DAY if not WHOLE else 4
    reference = Reference(task_id, seed)
    wrapped = wrap(reference.env)
    whole, only = wrapped.observation_space, "image" not in wrapped.reset()[0]
    space = whole if only else whole["image"]
    ours = Ours(task_id, space, **options)
    random = np.random.default_rng(seed)
    for _ in range(20 if WHOLE else 2):
        theirs = reference.reset()
        ours.reset(reference.recorder.take())
        for _ in range(1000 if WHOLE else 40):
            expected = wrapped.env.observation(theirs) if "_partial, image" in wrapper else theirs
            expected = wrapped.observation(expected)
            np.testing.assert_array_equal(ours.observe()[0], expected if only else expected["image"])
            if random.random() < 0.2 and (place := reference.random_place(random)) is not None:
                reference.env.agent_pos, reference.env.agent_dir = place[:2], place[2]
                ours.move_agent(*place)
            action = int(random.integers(7))
            theirs, _, terminated, truncated, _ = reference.env.step(action)
            ours.step(action, reference.recorder.take())
            if terminated or truncated:
                break
    made = envpool.make_spec(task_id, **options).observation_space
    made = made if only else made["image"]
    assert made.shape == space.shape
    assert made.dtype == (np.int32 if wrapper == "symbolic" else space.dtype)


def test_rows_of_a_pool_are_the_observations():
    """A pool's observation has the images of all environments: an array with image_only, otherwise a dict."""
    options = {"num_envs": 5, "seed": 2}
    images, alone = (
        envpool.make("MiniGrid-LavaGapS7-v0", observation="rgb_full", image_only=only, **options)
        for only in (False, True)
    )
    render = envpool.make(
        "MiniGrid-LavaGapS7-v0", observation="rgb_full", tile_size=32, render_mode="rgb_array", **options
    )
    pools = (images, alone, render)
    for step in range(20):
        actions = np.arange(5) * step % 3
        first, second, third = (pool.step(actions)[0] if step else pool.reset()[0] for pool in pools)
        np.testing.assert_array_equal(first["image"], second)
        np.testing.assert_array_equal(third["image"], render.render(env_ids=np.arange(5)))
        assert len(np.unique(first["image"].reshape(5, -1), axis=0)) > 1


MISSIONS = {  # with EnvPool's numbers
    "MiniGrid-Fetch-5x5-N2-v0": ["get a red key", "get a red ball", "get a green key", "get a green ball"],
    "MiniGrid-GoToDoor-5x5-v0": [f"go to the {color} door" for color in WORDS[:6]],
    "MiniGrid-GoToObject-6x6-N2-v0": ["go to the red key", "go to the red ball", "go to the red box"],
    "MiniGrid-PutNear-6x6-N2-v0": [None, "put the red key near the red ball", "put the red key near the red box"],
    "MiniGrid-LockedRoom-v0": [None],
    "BabyAI-GoToLocal-v0": [],
}


@pytest.mark.parametrize("task_id", MISSIONS)
def test_numbers_of_missions(task_id):
    observation, info = envpool.make(task_id, num_envs=3000, seed=DAY).reset()
    numbers = collections.defaultdict(set)
    for mission, number in zip(mission_text(observation["mission"]), info["mission_id"], strict=True):
        numbers[mission].add(int(number))
    assert all(len(found) == 1 for found in numbers.values())
    for number, mission in enumerate(MISSIONS[task_id]):
        assert mission is None or numbers[mission] == {number}
    if task_id.startswith("BabyAI"):
        assert set().union(*numbers.values()) == {-1}


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
        *by_date(
            [
                "MiniGrid-DoorKey-5x5-v0",
                "MiniGrid-MultiRoom-N2-S4-v0",
                "MiniGrid-SimpleCrossingS9N2-v0",
                "MiniGrid-Fetch-5x5-N2-v0",
                "MiniGrid-ObstructedMaze-1Dlhb-v0",
            ]
        ),
        *by_date(["BabyAI-GoToImpUnlock-v0", "BabyAI-MiniBossLevel-v0"]),
    ],
)
def test_resets_have_the_distribution_of_the_reference(task_id):
    """Compares what an agent sees at first: each cell of the image, and the words of the mission."""
    count = 800 if WHOLE else 400
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
    assert min(pvalues) > SMALLEST_P / len(pvalues)  # a lower limit than for a single comparison


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
        ("MiniGrid-Empty-8x8-v0", {"observation": "rgb"}, "observation: expected one of .*rgb_partial"),
        ("MiniGrid-Empty-8x8-v0", {"tile_size": 33}, "tile_size: expected .*32.*, got 33"),
        (
            "MiniGrid-Empty-8x8-v0",
            {"observation": "flat", "mission": "words"},
            'mission: expected text with observation="flat", got words',
        ),
        (
            "MiniGrid-Empty-8x8-v0",
            {"agent_start_pos": (2, 1)},
            r"agent_start_pos: expected \(1, 1\) or \(-1, -1\), got \(2, 1\)",
        ),
        ("MiniGrid-LavaCrossingS9N1-v0", {"size": 8}, "size: expected an odd number, got 8"),
        ("MiniGrid-LavaCrossingS9N1-v0", {"num_crossings": 7}, "num_crossings: expected at most 6"),
        ("MiniGrid-MultiRoom-N6-v0", {"max_num_rooms": 2}, "max_num_rooms: expected at least min_num_rooms, 6, got 2"),
        ("MiniGrid-PutNear-6x6-N2-v0", {"num_objs": 5}, "num_objs: expected at most 4 in a grid of this size, got 5"),
        ("MiniGrid-LockedRoom-v0", {"size": 15}, "size: expected an odd number that is not divisible by 3, got 15"),
        ("MiniGrid-DistShift1-v0", {"strip2_row": 6}, "strip2_row: expected at most 5"),
        ("BabyAI-GoToLocal-v0", {"num_dists": 0}, "num_dists: expected 1..18 in rooms of this size, got 0"),
        ("BabyAI-GoToLocal-v0", {"room_size": 4, "num_dists": 2}, "num_dists: expected 1..1 in rooms of this size"),
        ("BabyAI-OpenDoor-v0", {"room_size": 3}, "room_size: expected at least 4 for this level, got 3"),
        ("BabyAI-PutNextS5N2-v0", {"room_size": 4}, "num_objs: expected at most 1 in a grid of this size, got 2"),
        ("BabyAI-BossLevel-v0", {"action_kinds": "goto,fly"}, "action_kinds: expected some of goto, open, pickup"),
        ("BabyAI-BossLevel-v0", {"num_rows": 1, "num_cols": 1}, "locked_room_prob: expected 0 with one room"),
    ],
)
def test_bad_options(task_id, options, message):
    with pytest.raises(ValueError, match=rf"\[{task_id}\].*{message}"):
        envpool.make(task_id, **options)


@pytest.mark.parametrize("cell", [1, 3])  # empty, floor
def test_the_agent_stays_in_a_grid_without_walls(cell):
    """A changed snapshot once let the agent walk into the memory of the next environment."""
    size, wall = 16, 0x80000502
    env, twin = (
        envpool.make_gymnasium("MiniGrid-Empty-16x16-v0", num_envs=3, num_threads=1, max_steps=1 << 24)
        for _ in range(2)
    )
    env.reset()
    twin.reset()
    signed = Signed(env.snapshot(1))
    words = np.frombuffer(signed.body, np.uint32).copy()
    first = np.flatnonzero(words == wall)[0]  # the corner of the grid
    words[first : first + size * size] = cell
    env.restore(1, signed.with_body(words.tobytes()))
    for action in ([2] * 2 * size + [1]) * 4 + [4]:  # forward, right, drop
        *_, info = env.step(np.array([6, action, 6], np.int32))
        twin.step(np.array([6, action, 6], np.int32))
        assert ((info["agent_pos"] >= 1) & (info["agent_pos"] <= size - 2)).all()
    assert [env.snapshot(i) for i in (0, 2)] == [twin.snapshot(i) for i in (0, 2)]


@pytest.mark.parametrize(
    "task_id", ["MiniGrid-GoToDoor-5x5-v0", "MiniGrid-GoToObject-6x6-N2-v0", "MiniGrid-PutNear-6x6-N2-v0"]
)
def test_the_target_of_a_changed_state_is_in_the_grid(task_id):
    env = envpool.make_gymnasium(task_id, num_envs=1)
    env.reset()
    made = env.snapshot(0)
    signed = Signed(made)
    words = np.frombuffer(signed.body, np.int32).copy()
    first = np.flatnonzero(words.view(np.uint32) == 0x80000502)[0]
    words[first - 2 : first] = 2**31 - 1
    env.restore(0, signed.with_body(words.tobytes()))
    size = int(task_id.split("x")[0][-1])
    repaired = np.frombuffer(Signed(env.snapshot(0)).body, np.int32)
    assert repaired[first - 2 : first].tolist() == [size - 1, size - 1]
    env.restore(0, made)
    assert env.snapshot(0) == made
