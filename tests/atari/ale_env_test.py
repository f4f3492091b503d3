# SPDX-License-Identifier: Apache-2.0
"""Compares environments such as ALE/Pong-v5 with gymnasium's environments of the same ids."""

from __future__ import annotations

import re
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool

ale_py = pytest.importorskip("ale_py")

GAMES = [task_id for task_id in envpool.list_all_envs() if task_id.startswith("ALE/")]


@pytest.fixture(scope="module", autouse=True)
def reference_ids() -> None:
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    gymnasium.register_envs(ale_py)


def check(task_id: str, steps: int, seed: int = 1, **options: Any) -> int:
    """Plays both environments with the same actions; returns the number of episodes that ended."""
    reference = gymnasium.make(task_id, repeat_action_probability=0.0, disable_env_checker=True, **options)
    env = envpool.make_gymnasium(task_id, repeat_action_probability=0.0, seed=seed, **options)
    assert env.single_observation_space == reference.observation_space
    assert env.single_action_space == reference.action_space
    rng = np.random.default_rng(seed)
    expected, expected_info = reference.reset(seed=seed)
    obs, info = env.reset()
    action = episodes = 0
    over = False
    reward: Any = 0.0
    terminated = truncated = False
    for step in range(steps + 1):
        where = f"{task_id} {options}, step {step}"
        assert np.array_equal(obs[0], expected), where
        for key in ("lives", "episode_frame_number", "frame_number"):
            assert info[key][0] == expected_info[key], f"{where}: {key}"
        if rng.random() < 0.4:
            action = int(rng.integers(env.single_action_space.n))
        obs, *outcome, info = env.step(np.array([action], np.int32))
        if over:  # this step was the reset
            expected, expected_info = reference.reset()
            reward, terminated, truncated = 0.0, False, False
        else:
            expected, reward, terminated, truncated, expected_info = reference.step(action)
        over = terminated or truncated
        episodes += over
        assert [value[0] for value in outcome] == [reward, terminated, truncated], where
    reference.close()
    env.close()
    return episodes


def test_ids_equal_those_of_gymnasium() -> None:
    ours = set(GAMES)
    assert ours == {name for name in gymnasium.registry if name.startswith("ALE/")}
    assert len(ours) == 104


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("task_id", GAMES)
def test_every_game(task_id: str) -> None:
    check(task_id, 40)


CASES: list[dict[str, Any]] = [
    {"game": "Breakout"},
    {"game": "Breakout", "obs_type": "ram"},
    {"game": "Breakout", "obs_type": "grayscale", "frameskip": 7},
    {"game": "Pong", "frameskip": 1, "max_num_frames_per_episode": 300},
    {"game": "Pong", "max_num_frames_per_episode": 203, "obs_type": "grayscale"},
    {"game": "Pong", "mode": 1, "difficulty": 3, "full_action_space": True},
    {"game": "Pong", "mode": None, "difficulty": None, "max_num_frames_per_episode": None},
    {"game": "Freeway", "mode": 3, "frameskip": 2},
    {"game": "AirRaid", "frameskip": 3},
    {"game": "LostLuggage", "full_action_space": True},
    {"game": "TicTacToe3D", "frameskip": 3},
]


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(f"{k}={v}" for k, v in case.items()))
def test_options(case: dict[str, Any]) -> None:
    options = dict(case)
    game = options.pop("game")
    episodes = check(f"ALE/{game}-v5", 2400 // options.get("frameskip", 4), 3, **options)
    if game == "Breakout" or (options.get("max_num_frames_per_episode") or 10000) < 1000:
        assert episodes > 0, "the test is too short to reach the end of a game"


def test_game_over_within_a_frame_skip() -> None:
    for skip in (5, 16):
        assert check("ALE/Breakout-v5", 6000 // skip, 5, frameskip=skip) > 0


def test_defaults() -> None:
    config = envpool.make_spec("ALE/Pong-v5").config
    assert config.repeat_action_probability == 0.25
    assert config.frameskip == 4
    assert config.max_num_frames_per_episode == 108000
    assert not config.full_action_space
    assert config.max_episode_steps == 2**31 - 1


def test_every_api_makes_the_environment() -> None:
    action = np.zeros(4, np.int32)
    assert envpool.make_gymnasium("ALE/Pong-v5", num_envs=4).reset()[0].shape == (4, 210, 160, 3)
    assert envpool.make_gym("ALE/Pong-v5", num_envs=4, step_api="classic").reset().shape == (4, 210, 160, 3)
    dm = envpool.make_dm("ALE/Pong-v5", num_envs=4, obs_type="ram")
    assert dm.reset().observation.obs.shape == (4, 128)
    assert dm.step(action).observation.lives.shape == (4,)
    vec = gymnasium.make_vec("envpool/ALE-Pong-v5", num_envs=4)
    assert vec.reset()[0].shape == (4, 210, 160, 3)
    assert gymnasium.spec("ALE/Pong-v5").entry_point == "ale_py.env:AtariEnv"  # gymnasium still has its own
    assert envpool.make_vec("ALE/Pong-v5", num_envs=4).observation_space.shape == (4, 210, 160, 3)


def test_sticky_actions_have_the_default_probability() -> None:
    """The console's memory shows that a frame repeats the previous action with probability 0.25."""
    steps, num_envs = 60, 64
    options: dict[str, Any] = {"obs_type": "ram", "frameskip": 1, "num_envs": num_envs}
    sticky = envpool.make_gymnasium("ALE/Boxing-v5", seed=3, **options)
    plain = envpool.make_gymnasium("ALE/Boxing-v5", repeat_action_probability=0.0, **options)
    sticky.reset()
    plain.reset()
    rng = np.random.default_rng(0)
    held = np.zeros(num_envs, np.int32)
    repeated = seen = 0
    for _ in range(steps):
        action = (held + rng.integers(1, 18, num_envs)).astype(np.int32) % 18  # never the held action
        before = [sticky.snapshot(index) for index in range(num_envs)]
        after = sticky.step(action)[0].copy()
        could = []
        for what in (action, held):
            for index, state in enumerate(before):
                plain.restore(index, state)
            could.append((plain.step(what)[0] == after).all(1))
        assert (could[0] | could[1]).all(), "a frame executed neither the new action nor the held one"
        clear = could[0] != could[1]
        seen += int(clear.sum())
        repeated += int((clear & could[1]).sum())
        # If both actions lead to the same memory, the held action is unknown, so reset.
        held = np.where(could[0], action, held).astype(np.int32)
        for index in np.flatnonzero(~clear):
            sticky.reset(env_id=[index])
            held[index] = 0
    assert seen > steps * num_envs / 2
    assert abs(repeated / seen - 0.25) < 4 * (0.25 * 0.75 / seen) ** 0.5


def test_random_frameskip() -> None:
    env = envpool.make_gymnasium("ALE/Pong-v5", num_envs=300, frameskip=(2, 5), obs_type="ram")
    env.reset()
    frames = env.step(np.zeros(300, np.int32))[4]["frame_number"]
    counts = np.bincount(frames, minlength=6)
    assert counts[:2].sum() == counts[5:].sum() == 0
    assert (abs(counts[2:5] - 100) < 4 * (300 * 2 / 9) ** 0.5).all()
    config = env.config
    assert (config["frameskip"], config["frameskip_max"]) == (2, 4)
    assert envpool.make_gymnasium("ALE/Pong-v5", **config).config == config


@pytest.mark.parametrize("obs_type", ["ram", "rgb"])
def test_render_shows_the_screen(obs_type: str) -> None:
    env = envpool.make_gymnasium(
        "ALE/Breakout-v5", repeat_action_probability=0.0, obs_type=obs_type, render_mode="rgb_array"
    )
    reference = gymnasium.make("ALE/Breakout-v5", repeat_action_probability=0.0, render_mode="rgb_array")
    env.reset()
    reference.reset(seed=1)
    for step in range(50):
        assert np.array_equal(env.render()[0], reference.render())
        env.step(np.array([step % 4], np.int32))
        reference.step(step % 4)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"obs_type": "depth"}, ValueError, "obs_type: expected one of 'rgb', 'grayscale', 'ram', got 'depth'"),
        ({"frameskip": 0}, ValueError, "frameskip: expected"),
        ({"frameskip": (3, 3)}, ValueError, "frameskip: expected"),
        ({"frameskip": (0, 3)}, ValueError, "frameskip: expected"),
        ({"frameskip": (1, 2, 3)}, ValueError, "frameskip: expected"),
        ({"frameskip": (1, 10**5000)}, ValueError, "that cannot be printed"),
        ({"frameskip": 4, "frameskip_max": 2}, ValueError, "frameskip_max"),
        ({"frameskip": "4"}, TypeError, "frameskip: expected"),
        ({"mode": 7}, ValueError, "mode: expected a mode of pong (0, 1), got 7"),
        ({"difficulty": 9}, ValueError, "difficulty: expected"),
        ({"repeat_action_probability": 1.5}, ValueError, "repeat_action_probability: expected"),
        ({"frame_skip": 4}, TypeError, "unknown option 'frame_skip'; did you mean 'frameskip'"),
        ({"game": "zork"}, ValueError, "game: expected one of"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=r"^\[ALE/Pong-v5\] .*" + re.escape(words)):
        envpool.make_gymnasium("ALE/Pong-v5", **options)


def test_clones_with_shared_and_with_own_sticky_actions() -> None:
    """Without a seed, clones share their sticky actions; with a seed, each clone has its own."""
    env = envpool.make_gymnasium("ALE/Breakout-v5", num_envs=6, obs_type="ram")
    env.reset()
    for step in range(30):
        env.step(np.full(6, step % 4, np.int32))
    env.clone(2, [0, 1, 3])
    for step in range(200):
        obs = env.step(np.full(6, 1 + step % 3, np.int32))[0]
        assert (obs[[0, 1, 3]] == obs[2]).all()
    env.clone(2, seed=1)
    for step in range(60):
        obs = env.step(np.full(6, 1 + step % 3, np.int32))[0]
    assert len({row.tobytes() for row in obs}) > 2
