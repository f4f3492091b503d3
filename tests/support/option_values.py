# SPDX-License-Identifier: Apache-2.0
"""Computes trajectories of portable environments under random values of their options, and hashes of them.

    python -m tests.support.option_values FILE

writes option_values.csv: it adds rows for tables that have none (`make generated`).
"""

from __future__ import annotations

import csv
import hashlib
import math
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import envpool
from envpool.python.construction import Construction
from envpool.python.options import Option
from envpool.python.registry import Registration, find

RECORDED = Path(__file__).with_name("option_values.csv")
ABSENT = ("mujoco", "vizdoom", "python_env")  # families without portable environments
SETTINGS, NUM_ENVS, STEPS = 6, 3, 25


def is_portable(registration: Registration) -> bool:
    """Returns whether an environment is portable, and its family is built."""
    try:
        return bool(registration.load().flags & 1)
    except RuntimeError:
        return False


def portable() -> list[str]:
    """Returns one id for each portable table of the families."""
    found: dict[tuple[str, str], str] = {}
    for task_id in envpool.list_all_envs():
        registration = find(task_id)
        if registration.family not in ("", *ABSENT) and is_portable(registration):
            found.setdefault((registration.family, registration.table), task_id)
    return sorted(found.values())


def tunable(task_id: str) -> list[Option]:
    """Returns the options that do not change shapes or shared data, and are not free texts."""
    options = Construction(find(task_id), {}).options
    own = [options[entry] for entry in declared(task_id)]
    return [o for o in own if not (o.changes_shapes or o.changes_blob or (o.kind == "str" and not o.choices))]


def declared(task_id: str) -> list[str]:
    """Returns the names of the options that an environment declares in C++."""
    return list(Construction(find(task_id), {}).make_pure_model("", [], 1, 1).options)


def random_value(option: Option, draws: random.Random) -> Any:
    """Returns an allowed value: near the default, so that the environment still works."""
    if option.shape:
        elements = np.array(option.default, object).reshape(-1)
        drawn = [random_value(replace(option, shape=(), default=element), draws) for element in elements]
        return np.array(drawn).reshape(option.shape).tolist()
    if option.kind == "bool":
        return draws.random() < 0.5
    if option.choices:
        return draws.choice(option.choices)
    default = float(option.default)
    if option.kind == "int":
        low, high = max(option.low, default - 4), min(option.high, default + 4)
        return draws.randint(int(low), int(high))
    reach = abs(default) if math.isfinite(default) and default else 0.5
    low, high = max(option.low, default - reach), min(option.high, default + reach)
    if not math.isfinite(low) or not math.isfinite(high):
        return option.default
    return low + (high - low) * draws.random()


def settings(task_id: str) -> list[dict[str, Any]]:
    """Returns some combinations of option values. In half of them, one in three options has another value.

    Fields of a robot's model, whose names contain a dot, keep their values: tests/robots compares them with MuJoCo.
    """
    draws = random.Random(task_id)
    chosen = []
    options = [o for o in tunable(task_id) if "." not in o.name]
    for index in range(SETTINGS):
        some = [o for o in options if index % 2 or draws.random() < 1 / 3]
        chosen.append({option.name: random_value(option, draws) for option in some})
    return chosen


def trajectory(task_id: str, options: dict[str, Any]) -> list[np.ndarray]:
    """Returns the arrays of a short trajectory, or the text of the error if the values contradict each other."""
    try:
        env = envpool.make_gymnasium(task_id, num_envs=NUM_ENVS, num_threads=1, seed=5, **options)
    except ValueError as error:
        return [np.frombuffer(str(error).encode(), np.uint8)]
    with env:
        spec = envpool.make_spec(task_id, **options)
        space, several = spec.action_space, spec.arrays.actors > 1
        result = env.reset()
        found = leaves(result)
        for step in range(STEPS):
            owners = result[-1]["players"]["env_id"] if several else None
            rows = NUM_ENVS if owners is None else len(owners)
            actions: Any = actions_of(space, rows, random.Random(step))
            result = env.step(actions if owners is None else {"action": actions, "players.env_id": owners})
            found += leaves(result)
        return found


def actions_of(space: Any, rows: int, draws: random.Random) -> np.ndarray:
    """Returns actions in the space, from draws that are the same in all versions of NumPy."""
    low, high = (np.broadcast_to(bound, (rows, *space.shape)) for bound in bounds(space))
    drawn = np.array([draws.random() for _ in range(low.size)]).reshape(low.shape)
    if space.dtype.kind in "iu":
        return (low + np.floor(drawn * (high - low + 1))).astype(space.dtype)
    return (low + drawn * (high - low)).astype(space.dtype)


def bounds(space: Any) -> tuple[Any, Any]:
    """Returns the smallest and the largest elements of a space."""
    if hasattr(space, "nvec"):
        return 0, space.nvec - 1
    if hasattr(space, "n"):
        return 0, space.n - 1
    return space.low, space.high


def leaves(tree: Any) -> list[np.ndarray]:
    """Returns the arrays of a tree, in a fixed order."""
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    if isinstance(tree, tuple):
        return [leaf for part in tree for leaf in leaves(part)]
    return [np.asarray(tree)]


def hash_of(task_id: str) -> str:
    """Returns a hash of the trajectories under all settings."""
    digest = hashlib.sha256()
    for options in settings(task_id):
        for array in trajectory(task_id, options):
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def recorded() -> dict[str, str]:
    """Returns the recorded hash of each id."""
    if not RECORDED.exists():
        return {}
    with RECORDED.open(newline="") as file:
        return {row["id"]: row["hash"] for row in csv.DictReader(file)}


def main() -> None:
    """Writes the file that is named on the command line."""
    known = recorded()
    rows = sorted((i, known.get(i) or hash_of(i)) for i in portable())
    with open(sys.argv[1], "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "hash"))
        writer.writerows(rows)


if __name__ == "__main__":
    main()
