# SPDX-License-Identifier: Apache-2.0
"""Plays episodes of our robots and of those in MuJoCo's library, and prints the arrays that differ, as JSON.

`exact_test.py` runs this program with our sine and cosine preloaded (sine.cc), with which MuJoCo's library computes the
same bits.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import envpool

ENVS = 6  # not a multiple of the number of lanes


def actions(policy: str, step: int, space: Any, random: np.random.Generator) -> Any:
    """Returns the actions of all environments: random ones, some of which are out of range, or those of a gait."""
    size = space.high.size
    if policy == "random":
        unit = random.uniform(-1.1, 1.1, (ENVS, size))
    else:
        unit = np.sin(0.2 * step * (1 + 0.3 * np.arange(size)) + np.arange(ENVS)[:, None])
    return unit * space.high


def compare(task_id: str, options: dict[str, Any], policy: str, steps: int, seed: int) -> list[str]:
    """Returns descriptions of the arrays that differ, at the first step at which some do."""
    common = {"num_envs": ENVS, "num_threads": 1, "seed": seed, **options}
    with envpool.make(task_id, **common) as ours, envpool.make(task_id, backend="mujoco", **common) as theirs:
        random = np.random.default_rng(seed)
        results = ours.reset(), theirs.reset()
        for step in range(steps):
            wrong = [name for name, a, b in pairs(*results) if not np.array_equal(a, b, equal_nan=True)]
            if wrong:
                return [f"{task_id} {options} {policy} seed {seed} step {step}: {name} differs" for name in wrong]
            action = actions(policy, step, ours.action_space, random)
            results = ours.step(action), theirs.step(action)
    return []


def pairs(ours: Any, theirs: Any) -> list[tuple[str, Any, Any]]:
    """Returns the arrays of two results side by side, with names."""
    names = ("observation", "reward", "terminated", "truncated")
    found = [(name, a, b) for name, a, b in zip(names, ours[:-1], theirs[:-1], strict=False)]
    assert ours[-1].keys() == theirs[-1].keys(), (ours[-1].keys(), theirs[-1].keys())
    return found + [(key, value, theirs[-1][key]) for key, value in ours[-1].items() if isinstance(value, np.ndarray)]


def main() -> int:
    """Reads the comparisons from the arguments, as JSON, and prints the differences."""
    print(json.dumps([line for comparison in json.loads(sys.argv[1]) for line in compare(*comparison)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
