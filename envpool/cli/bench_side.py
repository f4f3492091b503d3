# SPDX-License-Identifier: Apache-2.0
"""One side of `envpool bench`: a process of its own, under an interpreter that may have EnvPool instead of us.

It makes what the JSON in its first argument says, then steps it for as many seconds as each line of its input says, and
answers every line with one of JSON. Between lines it is idle, so that the sides can take turns. It imports nothing of
ours but what it measures.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# Our own folder, whose names are no packages.
sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).resolve().parent]

import numpy as np  # noqa: E402

RING = 16  # batches of random actions, drawn before the clock starts

# Batches of actions, what takes one, how many steps that is, the version of its package.
Made = tuple[list[Any], Callable[[Any], Any], int, str]


def pool(case: dict[str, Any]) -> Made:
    """`env.step` on the whole batch, of whichever package is called envpool here."""
    import envpool

    env = envpool.make_gymnasium(
        case["task"], num_envs=case["num_envs"], num_threads=case["num_threads"], seed=1, **case["options"]
    )
    env.reset()
    rows = case["num_envs"] * max(1, env.config.get("max_num_players", 1))
    actions = ring(env.action_space, rows)
    return actions, env.step, case["num_envs"], envpool.__version__


def vectors(case: dict[str, Any]) -> Made:
    """Gymnasium's own environments in one process."""
    import gymnasium

    env = gymnasium.vector.SyncVectorEnv([maker(case)] * case["num_envs"])
    env.reset(seed=1)
    return ring(env.single_action_space, case["num_envs"]), env.step, case["num_envs"], gymnasium.__version__


def processes(case: dict[str, Any]) -> Made:
    """Gymnasium's own environments, a process each."""
    import gymnasium

    env = gymnasium.vector.AsyncVectorEnv([maker(case)] * case["num_envs"])
    env.reset(seed=1)
    return ring(env.single_action_space, case["num_envs"]), env.step, case["num_envs"], gymnasium.__version__


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
    version = importlib.metadata.version("ale-py")
    return ring(env.single_action_space, case["num_envs"]), env.step, case["num_envs"], version


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


def measure(actions: list[Any], step: Callable[[Any], Any], seconds: float, chunk: int) -> dict[str, float]:
    """Calls for about `seconds`; the clock is read once every `chunk` calls."""
    calls = 0
    cpu, started = time.process_time(), time.perf_counter()
    while True:
        for _ in range(chunk):
            step(actions[calls % RING])
            calls += 1
        wall = time.perf_counter() - started
        if wall >= seconds:
            return {"calls": calls, "wall_s": wall, "cpu_s": time.process_time() - cpu}


SIDES = {"pool": pool, "vectors": vectors, "processes": processes, "ale": ale}


def main() -> None:
    """Answers line by line, until its input ends."""
    case = json.loads(sys.argv[1])
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a package prints is no answer

    def answer(**values: Any) -> None:
        print(json.dumps(values), file=answers, flush=True)

    try:
        actions, step, num_envs, version = SIDES[case["side"]](case)
        chunk = 1  # so many calls that the clock costs nothing
        while measure(actions, step, 0, chunk)["wall_s"] < 0.01:
            chunk *= 2
    except Exception as error:  # whatever it is, the other sides go on
        text = " ".join(str(error).split())
        answer(error=f"{type(error).__name__}: {text[:160]}")
        return
    answer(version=version)
    for line in sys.stdin:
        turn = measure(actions, step, json.loads(line), chunk)
        answer(steps=turn.pop("calls") * num_envs, **turn)


if __name__ == "__main__":
    main()
