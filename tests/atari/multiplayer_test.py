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
STREAMS = [0] if FRAMES == 0 else [0, 1, 2]
# By stream: the mean number of frames for which an agent repeats an action, and the part of its new actions that are
# drawn from the first two.
HOLD, PASSIVE = (8, 2, 30), (0.1, 0.0, 0.8)


def random_actions(count: int, frames: int, stream: int) -> np.ndarray:
    """Returns random actions of two agents."""
    rng = np.random.default_rng(stream)
    actions = np.zeros((frames, 2), np.int64)
    for frame in range(1, frames):
        for agent in range(2):
            actions[frame, agent] = actions[frame - 1, agent]
            if rng.random() < 1 / HOLD[stream]:
                actions[frame, agent] = rng.integers(2 if rng.random() < PASSIVE[stream] else count)
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
@pytest.mark.parametrize("task_id", MULTIPLAYER)
def test_frames_equal_those_of_pettingzoo(task_id, stream, tmp_path):
    options = {"full_action_space": stream == 1, "max_cycles": 100000 if FRAMES else 300}
    if task_id in ("atari/volleyball_pong-v3", "atari/foozpong-v3"):
        theirs_options = {**options, "num_players": 2}  # the default is 4
    else:
        theirs_options = options
    types = {"ram": "ram", "rgb_image": "rgb", "grayscale_image": "gray"}
    envs = {kind: envpool.make_pettingzoo(task_id, obs_type=kind, **options) for kind in types}
    count = envs["ram"].action_space("first_0").n
    actions = random_actions(count, FRAMES or 700, stream)
    theirs = pettingzoo(task_id, actions, theirs_options, tmp_path)
    assert envs["ram"].possible_agents == theirs["agents"].tolist()
    assert theirs["actions_of"].tolist() == [count, count]
    seeds, at, scored, ends = {"seed": 0}, 0, 0, 0

    def compare(kind, frame, result):
        obs, rewards, ended, truncated, infos = result
        seen = theirs[types[kind]][frame]
        for agent, name in enumerate(envs[kind].possible_agents):
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
            compare(kind, at, env.step(dict(zip(env.agents, row.tolist(), strict=True))))
        scored += theirs["reward"][at].any()
        ends += theirs["ended"][at].any() or theirs["truncated"][at].any()
        at += 1
    assert at == len(theirs["ram"])
    print(task_id, "stream", stream, "frames", len(actions), "frames with rewards", scored, "ends", ends)
    if FRAMES == 0:
        assert ends == 2
