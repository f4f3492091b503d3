# SPDX-License-Identifier: Apache-2.0
"""Tests tag in the pool: players, episodes, golden hashes, options, snapshots and rendered images."""

import hashlib
import time

import numpy as np
import pytest

import envpool
from tests.support.capi import pointer
from tests.support.refusals import assert_refused
from tests.tag.worlds import CONTINUOUS, GRID, Tag

F32 = np.float32


@pytest.mark.parametrize(
    ("task_id", "options", "players"),
    [
        ("TagContinuous-v0", {"num_taggers": 2, "num_runners": 3}, 5),
        ("TagContinuous-v0", {"num_taggers": 5, "num_runners": 995, "use_full_observation": False}, 1000),
        ("TagContinuous-v0", {"num_taggers": 24, "num_runners": 1000, "use_full_observation": False}, 1024),
        ("TagGridWorld-v0", {"num_taggers": 4}, 5),
        ("TagGridWorld-v0", {"num_taggers": 999, "use_full_observation": False}, 1000),
    ],
)
def test_options_set_the_number_of_players(task_id, options, players):
    with envpool.make_gymnasium(task_id, num_envs=3, **options) as env:
        obs, info = env.reset()
        assert len(obs) == 3 * players
        assert info["players"]["env_id"].tolist() == np.repeat(np.arange(3), players).tolist()
        assert info["players"]["id"].tolist() == list(range(players)) * 3
        assert env.config["max_num_players"] == players
        actions = np.zeros((3 * players, *env.action_space.shape), np.int32)
        _, reward, terminated, _, _ = env.step(actions)
        assert len(reward) == 3 * players and len(terminated) == 3
        # The size of a world is proportional to its number of players, with about a hundred bytes per player.
        assert len(env.snapshot(0)) < 300 + 150 * players


def test_an_episode_in_the_pool():
    """Checks the end of an episode, the rows of players that left, and the start of the next episode."""
    options = {"num_taggers": 3, "num_runners": 4, "tagging_distance": 0.15, "episode_length": 40}
    random = np.random.default_rng(0)
    with envpool.make_gymnasium("TagContinuous-v0", num_envs=16, seed=3, **options) as env:
        obs, info = env.reset()
        first, out, early = obs, np.zeros(16 * 7, bool), 0
        over = np.zeros(16, bool)
        for _ in range(120):
            obs, reward, terminated, truncated, info = env.step(random.integers(0, 11, (16 * 7, 2)))
            assert not truncated.any() and len(obs) == 16 * 7
            assert env.observation_space.contains(obs[0])
            fresh, done = np.repeat(over, 7), info["players"]["done"]
            assert not reward[fresh].any() and not done[fresh].any()
            assert not obs[out & ~fresh, :30].any() and not reward[out & ~fresh].any()
            assert done[np.repeat(terminated, 7)].all()
            assert (terminated == (done.reshape(16, 7).all(1))).all()
            early += (terminated & (info["elapsed_step"] < 40)).sum()
            out, over = done & ~np.repeat(terminated, 7), terminated
        assert early > 0
        assert (obs != first).any()


@pytest.mark.parametrize(
    ("task_id", "options", "golden"),
    [
        (
            "TagContinuous-v0",
            {"num_taggers": 10, "num_runners": 190, "use_full_observation": False},
            "b91535e056d74f36",
        ),
        ("TagContinuous-v0", {"num_taggers": 2, "num_runners": 3, "tagging_distance": 0.2}, "64d017b52650aa57"),
        ("TagGridWorld-v0", {"num_taggers": 6, "random_start": True}, "0e73e49686196e34"),
    ],
)
def test_results_do_not_depend_on_threads_and_batches(task_id, options, golden):
    def play(num_threads, batch_size):
        with envpool.make_gymnasium(
            task_id, num_envs=6, num_threads=num_threads, batch_size=batch_size, seed=9, episode_length=15, **options
        ) as env:
            seen = [[] for _ in range(6)]
            env.async_reset()
            # On a busy machine, a thread with some environments may pause while others make a thousand steps.
            until = time.monotonic() + 60
            while min(map(len, seen)) < 40 and time.monotonic() < until:
                obs, reward, terminated, _, info = env.recv()
                owners, shape = info["players"]["env_id"], env.action_space.shape
                actions = np.zeros((len(owners), *shape), np.int32)
                for row, env_id in enumerate(info["env_id"]):
                    own = owners == env_id
                    draw = np.random.default_rng([int(env_id), len(seen[env_id])])
                    actions[own] = draw.integers(0, 5, (own.sum(), *shape))
                    if len(seen[env_id]) < 40:
                        seen[env_id].append((obs[own].tobytes(), reward[own].tobytes(), bool(terminated[row])))
                env.send({"action": actions, "players.env_id": owners}, info["env_id"])
            return seen

    want = play(1, 6)
    assert any(end for _, _, end in want[0])
    digest = hashlib.sha256(repr(want).encode()).hexdigest()[:16]
    assert digest == golden, f"{task_id}: the hash is now {digest}"
    for num_threads, batch_size in [(2, 6), (3, 2), (1, 1)]:
        assert play(num_threads, batch_size) == want


@pytest.mark.parametrize(
    ("task_id", "options", "words"),
    [
        ("TagContinuous-v0", {"num_taggers": 0}, ["num_taggers", "1", "1023", "0"]),
        ("TagContinuous-v0", {"num_taggers": 30, "num_runners": 1000}, ["num_taggers", "num_runners", "1024", "1030"]),
        ("TagContinuous-v0", {"num_other_agents_observed": 12, "use_full_observation": False}, ["at most 11", "12"]),
        ("TagContinuous-v0", {"tagging_distance": 1.5}, ["tagging_distance", "1.5"]),
        ("TagContinuous-v0", {"edge_hit_penalty": 0.5}, ["edge_hit_penalty", "0.5"]),
        ("TagContinuous-v0", {"grid_length": 0.0}, ["grid_length"]),
        ("TagContinuous-v0", {"max_speed": float("nan")}, ["max_speed", "nan"]),
        ("TagGridWorld-v0", {"grid_length": 1}, ["grid_length", "2"]),
        ("TagGridWorld-v0", {"num_runners": 2}, ["num_runners"]),
    ],
)
def test_invalid_options(task_id, options, words):
    assert_refused(envpool.make_gymnasium, task_id, options, (ValueError, TypeError), words)


def test_each_level_is_checked_against_its_own_bound():
    with envpool.make_gymnasium(
        "TagContinuous-v0", num_runners=1, num_acceleration_levels=2, num_turn_levels=6
    ) as env:  # fmt: skip
        assert env.action_space.nvec.tolist() == [3, 7]
        env.reset()
        env.step([[2, 6], [0, 0]])
        for bad, most in (([[3, 0], [0, 0]], 2), ([[0, 0], [0, 7]], 6), ([[-1, 0], [0, 0]], 2)):
            with pytest.raises(ValueError, match=rf"0\.\.{most}, got"):
                env.step(bad)


def test_sizes_must_be_equal_within_a_pool():
    with pytest.raises(ValueError, match="num_runners"):
        envpool.make_gymnasium("TagContinuous-v0", num_envs=2, env_options=[{}, {"num_runners": 5}])
    with envpool.make_gymnasium(
        "TagContinuous-v0", num_envs=2, env_options=[{"grid_length": 5.0}, {"max_speed": 2.0}]
    ) as env:
        env.reset()
        env.step(np.zeros((22, 2), int))


def test_a_restored_snapshot_continues_identically():
    options = {"num_taggers": 8, "num_runners": 120, "use_full_observation": False, "num_other_agents_observed": 3}
    with envpool.make_gymnasium("TagContinuous-v0", num_envs=1, **options) as env:
        env.reset()
        actions = [np.random.default_rng(i).integers(0, 11, (128, 2)) for i in range(6)]
        for action in actions[:3]:
            env.step(action)
        state = env.snapshot(0)
        want = [env.step(action)[0] for action in actions[3:]]
        env.restore(0, state)
        for action, expected in zip(actions[3:], want, strict=True):
            np.testing.assert_array_equal(env.step(action)[0], expected)


def centers(image, color):
    """Returns how many pixels have a color, and their mean position from the bottom left corner, in pixels."""
    rows, columns = np.nonzero((image == color).all(-1))
    return len(rows), columns.mean(), len(image) - 1 - rows.mean()


RED, BLUE, GRAY = (208, 45, 38), (33, 102, 178), (205, 210, 216)


def test_images_of_the_grid():
    with envpool.make_gymnasium("TagGridWorld-v0", num_taggers=2, grid_length=9, render_mode="rgb_array") as env:
        env.reset()
        (image,) = env.render()
        assert image.shape == (400, 400, 3)
        cell = (400 - 24) / 10
        (red, *tagger), (blue, *runner) = centers(image, RED), centers(image, BLUE)
        assert red > 300 and blue > red
        np.testing.assert_allclose(tagger, 12 + cell * 4.5, atol=1)  # both taggers are in the middle
        np.testing.assert_allclose(runner, 12 + cell * 0.5, atol=1)
        env.step(np.array([0, 0, 1], np.int32))
        np.testing.assert_allclose(centers(env.render()[0], BLUE)[1:], [12 + cell * 1.5, 12 + cell * 0.5], atol=1)


def test_images_of_the_square():
    options = {"num_taggers": 1, "num_runners": 2, "grid_length": 20, "tagging_distance": 0.2, "shuffle_roles": False}
    with envpool.make_gymnasium("TagContinuous-v0", seed=3, render_mode="rgb_array", **options) as env:
        assert (env.render()[0] == 255).mean() > 0.95  # before the first reset
        obs, _ = env.reset()
        (image,) = env.render()
        (red, *tagger), (blue, *_) = centers(image, RED), centers(image, BLUE)
        assert 80 < red < 160 and 100 < blue < 320 and not (image == GRAY).all(-1).any()
        # The tagger observes the runners' positions relative to its own. Their mean is the center of the blue pixels.
        apart = obs[0, 0:4].reshape(2, 2).mean(1) * 20 * np.sqrt(2) * 376 / 20
        np.testing.assert_allclose(centers(image, BLUE)[1:], tagger + apart, atol=8)
        random, gray = np.random.default_rng(0), 0
        for _ in range(90):
            info = env.step(random.integers(0, 11, (3, 2)))[-1]
            gray = max(gray, (env.render()[0] == GRAY).all(-1).sum()) if info["players"]["done"].sum() == 1 else gray
        assert gray > 80  # a runner that was tagged


def test_images_of_any_state_stay_within_their_memory(library):
    for engine in (
        Tag(library, "TagContinuous", 11, 71, CONTINUOUS),
        Tag(library, "TagGridWorld", 11, 45, GRID),
    ):
        engine.reset()
        columns = engine.memory[-(len(engine.memory) - 8) // 4 * 4 :].view(F32)
        for number in (None, 1e30, -1e30, np.inf, np.nan):
            if number is not None:
                columns[len(columns) // 8 :] = number
            guarded = np.zeros((3, 400, 400, 3), np.uint8)
            engine.call("render", pointer(engine.memory), pointer(guarded[1]))
            assert not guarded[0].any() and not guarded[2].any()
            assert guarded[1].any()
