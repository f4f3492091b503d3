# SPDX-License-Identifier: Apache-2.0
"""Plays episodes of robots with random models on our solver and on MuJoCo's library, and prints what differs, as JSON.

`model_fields_test.py` runs this program with our sine and cosine preloaded (sine.cc).
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import envpool
from tests.robots.library_episodes import ENVS, actions, pairs

EPISODE = 12  # steps


def random_fields(made: dict[str, Any], random: np.random.Generator, chosen: int) -> dict[str, Any]:
    """Returns other values of fields: of all of them, or of one. `chosen` is the number of the one."""
    names = sorted(name for name in made if name.startswith("model."))
    if chosen % 3 == 2:
        names = [names[chosen // 3 % len(names)]]
    return {name: random_values(name, made[name], random) for name in names}


def random_values(name: str, made: Any, random: np.random.Generator) -> Any:
    """Returns other values of a field: most between a half and twice the model's. Where it has zeros, some remain."""
    scaled = made * random.uniform(0.5, 2, made.shape)
    if name == "model.opt.gravity":
        return scaled + random.normal(0, 0.5, made.shape)
    if name == "model.actuator_gainprm":
        return scaled + random.normal(0, 1, made.shape)  # all parameters, of which motors read the first
    if name in ("model.body_mass", "model.body_inertia", "model.actuator_gear"):
        return scaled  # a body without a mass stays one
    more = random.uniform(0, 0.1 if name == "model.dof_armature" else 2, made.shape)
    return scaled + (made == 0) * (random.random(made.shape) < 0.5) * more


def compare(task_id: str, options: dict[str, Any], episodes: int, seed: int) -> list[str]:
    """Returns descriptions of the arrays that differ, at the first step at which some do."""
    common = {"num_envs": ENVS, "num_threads": 1, "seed": seed, "max_episode_steps": EPISODE, **options}
    random = np.random.default_rng(seed)
    with envpool.make(task_id, **common) as ours, envpool.make(task_id, backend="mujoco", **common) as theirs:
        ours.reset(), theirs.reset()
        made = theirs.options()
        for episode in range(episodes):
            fields = random_fields(made, random, episode)
            where = f"{task_id} {options} seed {seed} episode {episode}"
            if wrong := [name for name in ours.options() if name.startswith("model.") and name not in made]:
                return [f"{where}: {name} is no field" for name in wrong]
            fields = {name: value for name, value in fields.items() if name in ours.options()}
            results = [pool.reset(options=fields) for pool in (ours, theirs)]
            for step in range(EPISODE):
                wrong = [name for name, a, b in pairs(*results) if not np.array_equal(a, b, equal_nan=True)]
                if wrong:
                    return [f"{where} step {step}: {name} differs; {sorted(fields)}" for name in wrong]
                action = actions("gait" if episode % 2 else "random", step, ours.action_space, random)
                results = [pool.step(action) for pool in (ours, theirs)]
    return []


def main() -> int:
    """Reads the comparisons from the arguments, as JSON, and prints the differences."""
    print(json.dumps([line for comparison in json.loads(sys.argv[1]) for line in compare(*comparison)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
