# SPDX-License-Identifier: Apache-2.0
"""Plays an Atari game of PettingZoo, and writes down what happened.

    LD_PRELOAD=libatari_clock.so python -m tests.atari.play_pettingzoo FILE [OPTIONS]

reads the id, the actions by frame and agent, and the options of the environment from FILE, and adds what PettingZoo
returned. It is a process of its own, because multi-agent-ale-py seeds its console with the time of day, which the
preloaded library sets.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
import zlib
from pathlib import Path

import ale_py
import numpy as np

warnings.filterwarnings("ignore")


def play(task_id: str, actions: np.ndarray, options: dict[str, object]) -> dict[str, np.ndarray]:
    """Returns the memory, screens, rewards, ends and lives after each reset and step of an id such as atari/pong-v3."""
    module = importlib.import_module("pettingzoo." + task_id.replace("/", ".").replace("-", "_"))
    env = module.parallel_env(
        **options, obs_type="ram", render_mode="rgb_array", auto_rom_install_path=str(Path(ale_py.__file__).parent)
    )
    inner = env.unwrapped
    seen: dict[str, list[object]] = {
        name: [] for name in ("ram", "rgb", "gray", "in_game", "reward", "ended", "truncated", "lives")
    }

    def note(ram, rewards, ended, truncated) -> None:
        agents = env.possible_agents
        seen["ram"].append(next(iter(ram.values())).copy())
        seen["rgb"].append(zlib.crc32(inner.ale.getScreenRGB().tobytes()))
        seen["gray"].append(zlib.crc32(inner.ale.getScreenGrayscale().tobytes()))
        seen["in_game"].append([agent in ram for agent in agents])
        seen["reward"].append([rewards.get(agent, 0) for agent in agents])
        seen["ended"].append([ended.get(agent, True) for agent in agents])
        seen["truncated"].append([truncated.get(agent, False) for agent in agents])
        seen["lives"].append(list(inner.ale.allLives()))

    none = dict.fromkeys(env.possible_agents, 0)
    note(env.reset(seed=0)[0], none, none, none)
    for row in actions:
        if not env.agents:
            note(env.reset()[0], none, none, none)
        actions_of = dict(zip(env.possible_agents, row.tolist(), strict=True))
        note(*env.step({agent: actions_of[agent] for agent in env.agents})[:4])
        if any(seen["truncated"][-1]):
            env.agents = []
    arrays = {name: np.array(values) for name, values in seen.items()}
    arrays["actions_of"] = np.array([env.action_space(agent).n for agent in env.possible_agents])
    arrays["agents"] = np.array(env.possible_agents)
    return arrays


if __name__ == "__main__":
    path = Path(sys.argv[1])
    with np.load(path) as read:
        given = dict(read)
    given.update(play(str(given["task_id"]), given["actions"], json.loads(str(given["options"]))))
    np.savez(path, **given)
