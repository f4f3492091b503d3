# SPDX-License-Identifier: Apache-2.0
"""One side of `envpool bench`: a process of its own, under an interpreter that may have EnvPool instead of us.

It makes what the JSON in its first argument says and serves it (side.py). It imports nothing of ours but what it
measures.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# Our own folder is on the path for side.py alone: its other names are no packages.
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import side  # type: ignore[import-not-found]  # noqa: E402

sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != HERE]

import numpy as np  # noqa: E402

RING = 16  # batches of random actions, drawn before the clock starts

# Batches of actions, what takes one, how many steps that is.
Made = tuple[list[Any], Callable[[Any], Any], int]


def pool(case: dict[str, Any]) -> Made:
    """`env.step` on the whole batch, of whichever package is called envpool here."""
    import envpool

    env = envpool.make_gymnasium(
        case["task"], num_envs=case["num_envs"], num_threads=case["num_threads"], seed=1, **case["options"]
    )
    env.reset()
    rows = case["num_envs"] * max(1, env.config.get("max_num_players", 1))
    actions = ring(env.action_space, rows)
    return actions, env.step, case["num_envs"]


def vectors(case: dict[str, Any]) -> Made:
    """Gymnasium's own environments in one process."""
    import gymnasium

    env = gymnasium.vector.SyncVectorEnv([maker(case)] * case["num_envs"])
    env.reset(seed=1)
    return ring(env.single_action_space, case["num_envs"]), env.step, case["num_envs"]


def processes(case: dict[str, Any]) -> Made:
    """Gymnasium's own environments, a process each."""
    import gymnasium

    env = gymnasium.vector.AsyncVectorEnv([maker(case)] * case["num_envs"])
    env.reset(seed=1)
    return ring(env.single_action_space, case["num_envs"]), env.step, case["num_envs"]


def maker(case: dict[str, Any]) -> Callable[[], Any]:
    """Makes one environment of gymnasium; for EnvPool's Atari ids with the wrappers that make of it the same."""
    import gymnasium

    if not case["atari"]:
        return lambda: gymnasium.make(case["task"])
    import ale_py

    gymnasium.register_envs(ale_py)
    if case["task"].startswith("ALE/"):
        return lambda: gymnasium.make(case["task"])
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    task = "ALE/" + case["task"]
    return lambda: FrameStackObservation(AtariPreprocessing(gymnasium.make(task, frameskip=1)), 4)


def ale(case: dict[str, Any]) -> Made:
    """ale-py's own vector environment: the same skip, pictures and stack, in C++ threads."""
    from ale_py.vector_env import AtariVectorEnv

    game = re.sub(r"(?<!^)(?=[A-Z])", "_", case["task"].removesuffix("-v5")).lower()
    env = AtariVectorEnv(game, case["num_envs"], num_threads=case["num_threads"])
    env.reset(seed=1)
    return ring(env.single_action_space, case["num_envs"]), env.step, case["num_envs"]


def ring(space: Any, rows: int) -> list[Any]:
    """Batches of actions of one environment's space."""
    space.seed(1)
    return [stack([space.sample() for _ in range(rows)]) for _ in range(RING)]


def stack(samples: Sequence[Any]) -> Any:
    """Actions as one batch."""
    if isinstance(samples[0], dict):
        return {key: stack([sample[key] for sample in samples]) for key in samples[0]}
    batch = np.stack([np.asarray(sample) for sample in samples])
    return batch.astype(np.int32) if batch.dtype == np.int64 else batch


def loop(case: dict[str, Any]) -> side.Steps:
    """Makes what a case says."""
    actions, step, num_envs = SIDES[case["side"]](case)
    return side.stepping(step, actions, num_envs)


SIDES = {"pool": pool, "vectors": vectors, "processes": processes, "ale": ale}


if __name__ == "__main__":
    side.serve(json.loads(sys.argv[1]), loop)
