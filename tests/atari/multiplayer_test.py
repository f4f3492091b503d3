# SPDX-License-Identifier: Apache-2.0
"""Compares the games of several players with PettingZoo 1.27.0 and multi-agent-ale-py 0.1.12, frame by frame.

    ENVPOOL_TEST_PETTINGZOO=20000 pytest tests/atari/multiplayer_test.py

plays three random streams of 20,000 frames in each game, to the ends of their episodes. By default, it plays one short
stream, whose episodes max_cycles ends.
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
CYCLES = 350  # the frames of an episode by default
STREAMS = [0] if FRAMES == 0 else [0, 1, 2]
# By stream: the mean number of frames for which an agent repeats an action, and the part of its new actions that are
# drawn from the first two.
HOLD, PASSIVE = (8, 2, 30), (0.1, 0.0, 0.8)


# By id: the options of the games.
GAMES = {
    task_id: [{}, *(dict(zip(game.options, values, strict=True)) for values in list(game.modes)[1:])]
    for task_id, game in MULTIPLAYER.items()
}


def random_actions(count: int, agents: int, frames: int, stream: int) -> np.ndarray:
    """Returns random actions of agents."""
    rng = np.random.default_rng(stream)
    actions = np.zeros((frames, agents), np.int64)
    for frame in range(1, frames):
        for agent in range(agents):
            actions[frame, agent] = actions[frame - 1, agent]
            if rng.random() < 1 / HOLD[stream]:
                actions[frame, agent] = rng.integers(2 if rng.random() < PASSIVE[stream] else count)
    if FRAMES == 0:  # In the second episode, the agents only serve once.
        actions[CYCLES : CYCLES + 20] = 1
        actions[CYCLES + 20 : 2 * CYCLES] = 0
    return actions


def pettingzoo(task_id, actions, options, folder):
    """Returns what PettingZoo returns for actions."""
    file = folder / "played.npz"
    np.savez(file, task_id=task_id, actions=actions, options=json.dumps(options))
    environment = {**os.environ, "LD_PRELOAD": libraries.library("atari_clock")}
    subprocess.run([sys.executable, "-m", "tests.atari.play_pettingzoo", file], check=True, env=environment)
    with np.load(file) as played:
        return dict(played)


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize(("task_id", "own"), [(t, own) for t, games in GAMES.items() for own in games])
def test_frames_equal_those_of_pettingzoo(task_id, own, stream, tmp_path):
    options = {"full_action_space": stream == 1, "max_cycles": 100000 if FRAMES else CYCLES, **own}
    types = {"ram": "ram", "rgb_image": "rgb", "grayscale_image": "gray"}
    envs = {kind: envpool.make_pettingzoo(task_id, obs_type=kind, **options) for kind in types}
    count = envs["ram"].action_space("first_0").n
    agents = len(envs["ram"].possible_agents)
    actions = random_actions(count, agents, FRAMES or 800, stream)
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
        ends += theirs["ended"][at].any() or theirs["truncated"][at].any()
        at += 1
    assert at == len(theirs["ram"])
    print(
        task_id, agents, "players, stream", stream, "frames", len(actions), "frames with rewards", scored, "ends", ends
    )
    if FRAMES == 0:
        assert ends == 2


def test_wrong_options():
    with pytest.raises(ValueError, match=r"mode: expected a mode of pong \(4, 6, 19, 21, 33, 39, 41, 45, 49\), got 5"):
        envpool.make("atari/pong-v3", mode=5)
    with pytest.raises(ValueError, match="num_players: expected 2 or 4, got 3"):
        envpool.make("atari/pong-v3", num_players=3)
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
