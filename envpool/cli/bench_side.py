# SPDX-License-Identifier: Apache-2.0
"""One side of `envpool bench`: a process whose interpreter may have the released EnvPool instead of this package.

It makes the environments that the JSON in its first argument describes, and serves turns (side.py). It imports nothing
of this package except what it measures.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# The folder is on the path only to import side.py; its other modules must not shadow packages.
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import side  # type: ignore[import-not-found]  # noqa: E402

sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != HERE]

import numpy as np  # noqa: E402

RING = 16  # batches of random actions, drawn before the clock starts

# Batches of actions, the function that steps with one batch, and the number of steps that this counts as.
Stepper = tuple[list[Any], Callable[[Any], Any], int]


def pool(case: dict[str, Any]) -> Stepper:
    """Steps a pool of the package that is called envpool under this interpreter."""
    import envpool

    env = envpool.make_gymnasium(
        case["task"], num_envs=case["num_envs"], num_threads=case["num_threads"], seed=1, **case["options"]
    )
    env.reset()
    rows = case["num_envs"] * max(1, env.config.get("max_num_players", 1))
    actions = ring(env.action_space, rows)
    return actions, env.step, case["num_envs"]


def vectors(case: dict[str, Any]) -> Stepper:
    """Steps gymnasium's own environments in one process."""
    import gymnasium

    env = gymnasium.vector.SyncVectorEnv([maker(case)] * case["num_envs"])
    env.reset(seed=1)
    return ring(env.single_action_space, case["num_envs"]), env.step, case["num_envs"]


def processes(case: dict[str, Any]) -> Stepper:
    """Steps gymnasium's own environments, each in its own process."""
    import gymnasium

    env = gymnasium.vector.AsyncVectorEnv([maker(case)] * case["num_envs"])
    env.reset(seed=1)
    return ring(env.single_action_space, case["num_envs"]), env.step, case["num_envs"]


def maker(case: dict[str, Any]) -> Callable[[], Any]:
    """Returns a function that makes one gymnasium environment, for EnvPool's Atari ids with equivalent wrappers."""
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


def ale(case: dict[str, Any]) -> Stepper:
    """Steps ale-py's vector environment, with the same frame skip, resizing and stacking in C++ threads."""
    from ale_py.vector_env import AtariVectorEnv

    game = re.sub(r"(?<!^)(?=[A-Z])", "_", case["task"].removesuffix("-v5")).lower()
    env = AtariVectorEnv(game, case["num_envs"], num_threads=case["num_threads"])
    env.reset(seed=1)
    return ring(env.single_action_space, case["num_envs"]), env.step, case["num_envs"]


def ring(space: Any, rows: int) -> list[Any]:
    """Returns batches of random actions from one environment's space."""
    space.seed(1)
    return [stack([space.sample() for _ in range(rows)]) for _ in range(RING)]


def stack(samples: Sequence[Any]) -> Any:
    """Returns actions stacked to one batch."""
    if isinstance(samples[0], dict):
        return {key: stack([sample[key] for sample in samples]) for key in samples[0]}
    batch = np.stack([np.asarray(sample) for sample in samples])
    return batch.astype(np.int32) if batch.dtype == np.int64 else batch


def loop(case: dict[str, Any]) -> side.Steps:
    """Returns the function that steps the environments of a case."""
    actions, step, num_envs = SIDES[case["side"]](case)
    return side.stepping(step, actions, num_envs)


SIDES = {"pool": pool, "vectors": vectors, "processes": processes, "ale": ale}


if __name__ == "__main__":
    side.serve(json.loads(sys.argv[1]), loop)
