# SPDX-License-Identifier: Apache-2.0
"""Compares the games of several players with PettingZoo 1.27.0 and multi-agent-ale-py 0.1.12, frame by frame.

    ENVPOOL_TEST_PETTINGZOO=20000 pytest tests/atari/multiplayer_test.py

plays three random streams of 20,000 frames in each game, to the ends of their episodes. By default, it plays one short
stream of two episodes, which max_cycles ends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib

import numpy as np
import pytest

import envpool
from envpool.atari.registration import MULTIPLAYER
from tests.support import libraries

pytest.importorskip("multi_agent_ale_py")
pytest.importorskip("pettingzoo")

FRAMES = int(os.environ.get("ENVPOOL_TEST_PETTINGZOO", "0"))
# By id: the frames of an episode by default, until a player who waits gets a penalty, or a warlord falls.
CYCLES = {
    "atari/double_dunk-v3": 700,
    "atari/othello-v3": 700,
    "atari/video_checkers-v4": 700,
    "atari/warlords-v3": 3200,
}
STREAMS = [0] if FRAMES == 0 else [0, 1, 2]
# By stream: the mean number of frames for which an agent repeats an action, and the part of its new actions that are
# drawn from the first two.
HOLD, PASSIVE = (8, 2, 30), (0.1, 0.0, 0.8)


# By id: the options of the games.
GAMES = {
    task_id: [{}, *(dict(zip(game.options, values, strict=True)) for values in list(game.modes)[1:])]
    for task_id, game in MULTIPLAYER.items()
}


def random_actions(count: int, agents: int, frames: int, stream: int, cycles: int) -> np.ndarray:
    """Returns random actions of agents, whose episodes have a number of frames by default."""
    rng = np.random.default_rng(stream)
    actions = np.zeros((frames, agents), np.int64)
    for frame in range(1, frames):
        for agent in range(agents):
            actions[frame, agent] = actions[frame - 1, agent]
            if rng.random() < 1 / HOLD[stream]:
                actions[frame, agent] = rng.integers(2 if rng.random() < PASSIVE[stream] else count)
    if FRAMES == 0:  # In the second episode, the agents only serve once.
        actions[cycles : cycles + 20] = 1
        actions[cycles + 20 : 2 * cycles] = 0
    return actions


def pettingzoo(task_id, actions, options, folder):
    """Returns what PettingZoo returns for actions."""
    file = folder / "played.npz"
    np.savez(file, task_id=task_id, actions=actions, options=json.dumps(options))
    environment = {**os.environ, "LD_PRELOAD": libraries.library("atari_clock")}
    subprocess.run([sys.executable, "-m", "tests.atari.play_pettingzoo", file], check=True, env=environment)
    with np.load(file) as played:
        return dict(played)


# These have players who leave, penalties for waiting, a screen of 256 rows, starting actions.
@pytest.mark.sampled(one_in=4, always=["warlords", "video_checkers", "combat_tank-v2-own0", "entombed_coop"])
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize(
    ("task_id", "own"),
    [
        pytest.param(task_id, own, id=f"{task_id}-own{number}")
        for task_id, games in GAMES.items()
        for number, own in enumerate(games)
    ],
)
def test_frames_equal_those_of_pettingzoo(task_id, own, stream, tmp_path):
    cycles = CYCLES.get(task_id, 350)
    options = {"full_action_space": stream == 1, "max_cycles": 100000 if FRAMES else cycles, **own}
    types = {"ram": "ram", "rgb_image": "rgb", "grayscale_image": "gray"}
    envs = {kind: envpool.make_pettingzoo(task_id, obs_type=kind, **options) for kind in types}
    count = envs["ram"].action_space("first_0").n
    agents = len(envs["ram"].possible_agents)
    actions = random_actions(count, agents, FRAMES or 2 * cycles + 100, stream, cycles)
    theirs = pettingzoo(task_id, actions, options, tmp_path)
    assert envs["ram"].possible_agents == theirs["agents"].tolist()
    assert theirs["actions_of"].tolist() == [count] * agents
    seeds, at, scored, ends = {"seed": 0}, 0, 0, 0

    def compare(kind, frame, result):
        obs, rewards, ended, truncated, infos = result
        seen = theirs[types[kind]][frame]
        assert [name in obs for name in envs[kind].possible_agents] == theirs["in_game"][frame].tolist(), frame
        for agent, name in enumerate(envs[kind].possible_agents):
            if name not in obs:
                continue
            ours = obs[name] if kind == "ram" else zlib.crc32(obs[name].tobytes())
            np.testing.assert_array_equal(ours, seen, f"{kind} of frame {frame}")
            assert rewards[name] == theirs["reward"][frame, agent], frame
            assert ended[name] == theirs["ended"][frame, agent], frame
            assert truncated[name] == theirs["truncated"][frame, agent], frame
            assert infos[name]["lives"] == theirs["lives"][frame, agent], frame

    none = dict.fromkeys(envs["ram"].possible_agents, 0)
    for row in actions:
        if not envs["ram"].agents:
            for kind, env in envs.items():
                obs, infos = env.reset(**seeds)
                compare(kind, at, (obs, none, none, none, infos))
            seeds = {}
            at += 1
        for kind, env in envs.items():
            actions_of = dict(zip(env.possible_agents, row.tolist(), strict=True))
            compare(kind, at, env.step({agent: actions_of[agent] for agent in env.agents}))
        scored += theirs["reward"][at].any()
        ends += theirs["ended"][at].all() or theirs["truncated"][at].any()
        at += 1
    assert at == len(theirs["ram"])
    print(
        task_id, agents, "players, stream", stream, "frames", len(actions), "frames with rewards", scored, "ends", ends
    )
    if FRAMES == 0:
        assert ends >= 2


@pytest.mark.parametrize(("task_id", "linear"), [("atari/pong-v3", False), ("atari/warlords-v3", True)])
def test_images_are_resized_frames(task_id, linear):
    cv2 = pytest.importorskip("cv2")
    frames = envpool.make_gymnasium(task_id, num_envs=2, obs_type="grayscale_image")
    images = envpool.make_gymnasium(
        task_id, num_envs=2, obs_type="screen", frame_skip=4, use_inter_area_resize=not linear
    )

    def resized(screens):
        kind = cv2.INTER_LINEAR if linear else cv2.INTER_AREA
        return np.stack([cv2.resize(screen[:, :, 0], (84, 84), interpolation=kind) for screen in screens])

    stack = [resized(frames.reset()[0])] * 4
    np.testing.assert_array_equal(images.reset()[0], np.stack(stack, axis=1))
    rng = np.random.default_rng(0)
    actors = 2 * images.spec.config.max_num_players
    scored = 0
    for step in range(150):
        actions = rng.integers(0, images.action_space.n, actors).astype(np.int32)
        played = [frames.step(actions)[:2] for _ in range(4)]
        obs, rewards, *_ = images.step(actions)
        stack = [*stack[1:], resized(np.maximum(played[2][0], played[3][0]))]
        np.testing.assert_array_equal(obs, np.stack(stack, axis=1), f"step {step}")
        np.testing.assert_array_equal(rewards, sum(reward for _, reward in played))
        scored += np.abs(rewards).sum()
    assert scored > 0 or task_id != "atari/pong-v3"


@pytest.mark.parametrize("kind", ["screen", "rgb_image", "grayscale_image", "ram"])
def test_an_episode_ends_within_a_frame_skip(kind):
    options = {"num_envs": 1, "max_cycles": 30, "obs_type": kind}
    one = envpool.make_gymnasium("atari/boxing-v2", **options)
    four = envpool.make_gymnasium("atari/boxing-v2", frame_skip=4, **options)
    before = [one.reset()[0], four.reset()[0]]
    fire = np.ones(2, np.int32)
    ends = [one.step(fire) for _ in range(30)]
    assert [end[3][0] for end in ends] == [False] * 29 + [True]
    for _ in range(7):
        before.append(four.step(fire)[0])
    obs, _, _, truncated, _ = four.step(fire)
    assert truncated[0]
    # The two frames of the last image would be the 31st and the 32nd.
    expected = np.concatenate([before[-1][:, 1:], before[-1][:, -1:]], axis=1) if kind == "screen" else ends[-1][0]
    np.testing.assert_array_equal(obs, expected)


def test_wrong_options():
    with pytest.raises(ValueError, match=r"mode: expected a mode of pong \(4, 6, 19, 21, 33, 39, 41, 45, 49\), got 5"):
        envpool.make("atari/pong-v3", mode=5)
    with pytest.raises(ValueError, match="num_players: expected 2 or 4, got 3"):
        envpool.make("atari/pong-v3", num_players=3)
    with pytest.raises(ValueError, match="game_version: expected 'bi-plane' or 'jet', got 'robbers'"):
        envpool.make("atari/combat_plane-v2", game_version="robbers")
    with pytest.raises(ValueError, match="visibilty_level: expected 0 or 1 or 2 or 3, got 4"):
        envpool.make("atari/maze_craze-v3", visibilty_level=4)
    with pytest.raises(TypeError, match="guided_missile"):
        envpool.make("atari/pong-v3", guided_missile=False)
    with pytest.raises(ValueError, match="difficulty: expected a difficulty of space_invaders"):
        envpool.make("atari/space_invaders-v2", difficulty=2)
    with pytest.raises(ValueError, match="game: expected an Atari game of several players, got 'breakout'"):
        envpool.make("atari/pong-v3", game="breakout", rom=bytes(4096))


def test_a_jitted_game_equals_one_of_a_pool():
    jax = pytest.importorskip("jax")
    import envpool.jax  # noqa: PLC0415

    env, params = envpool.jax.make("atari/pong-v3", obs_type="ram")
    pool = envpool.make("atari/pong-v3", num_envs=2, obs_type="ram")
    step = jax.jit(lambda state, action: env.step_batch(None, state, action, params))
    obs, state = env.reset_batch(jax.random.key(0), 2, params)
    np.testing.assert_array_equal(obs, pool.reset()[0])
    actions = np.random.default_rng(0).integers(0, 6, (150, 2, 2), np.int32)
    rewards = 0
    for action in actions:
        obs, state, reward = step(state, action)[:3]
        theirs = pool.step(action.reshape(4))
        np.testing.assert_array_equal(obs, theirs[0])
        np.testing.assert_array_equal(np.asarray(reward).reshape(4), theirs[1])
        rewards += np.abs(theirs[1]).sum()
    assert rewards > 0
