# SPDX-License-Identifier: Apache-2.0
"""Plays WarpDrive's Python classes with random actions, in an interpreter that has rl-warp-drive but not this package.

    python play_warp_drive.py recording.npz < cases.json

A case has a name, `kind` ("TagContinuous" or "TagGridWorld"), `options`, `steps` and `seed`. The recording has an array
"<case>/<what>" with a row for each step: the state before and after the step, the actions, rewards and observations,
the number of the step in its episode, and whether the step ended the episode. "run_configs" is the JSON text of the
environment options in WarpDrive's run configurations, by file name.
"""

import json
import sys
from pathlib import Path

import numpy as np
import warp_drive
import yaml
from example_envs.tag_continuous.tag_continuous import TagContinuous
from example_envs.tag_gridworld.tag_gridworld import TagGridWorld

KINDS = {"TagContinuous": TagContinuous, "TagGridWorld": TagGridWorld}


def state(env):
    """Returns a copy of the state, under our names."""
    names = {"x": "loc_x", "y": "loc_y"}
    if isinstance(env, TagContinuous):
        names |= {"speed": "speed", "acceleration": "acceleration", "direction": "direction"}
    parts = {ours: env.global_state[theirs][env.timestep].copy() for ours, theirs in names.items()}
    if isinstance(env, TagContinuous):
        parts["in_game"] = np.copy(env.still_in_the_game)
    return parts


def draw(random, space):
    """Draws an action from a Discrete or MultiDiscrete space."""
    return random.integers(0, space.nvec if hasattr(space, "nvec") else space.n)


def play(kind, options, steps, seed):
    """Plays episodes, each with its own roles and positions, and returns the recording."""
    random, over, rows = np.random.default_rng(seed), True, []
    for step in range(steps):
        if over:
            env = KINDS[kind](seed=seed + step, **options)
            env.reset()
        before = state(env)
        actions = np.array([draw(random, env.action_space[i]) for i in range(env.num_agents)])
        observed, reward, done, _ = env.step(dict(enumerate(actions)))
        over = bool(done["__all__"])
        row = {f"before/{name}": value for name, value in before.items()}
        row |= {f"after/{name}": value for name, value in state(env).items()}
        row |= {"actions": actions, "reward": list(reward.values()), "obs": list(observed.values())}
        row |= {"tagger": [i in env.taggers for i in range(env.num_agents)], "steps": env.timestep, "over": over}
        rows.append(row)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def run_configs():
    """Returns the environment options of each run configuration, by file name."""
    folder = Path(warp_drive.__file__).parent / "training" / "run_configs"
    return {path.stem: yaml.safe_load(path.read_text()).get("env", {}) for path in folder.glob("*.yaml")}


def main():
    """Plays the cases on stdin and writes the recording to the path in the first argument."""
    arrays = {"run_configs": np.array(json.dumps(run_configs()))}
    for name, case in json.load(sys.stdin).items():
        arrays |= {f"{name}/{what}": array for what, array in play(**case).items()}
    np.savez(sys.argv[1], **arrays)


if __name__ == "__main__":
    main()
