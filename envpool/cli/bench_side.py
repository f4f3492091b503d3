# SPDX-License-Identifier: Apache-2.0
"""One side of `envpool bench`: a process whose interpreter may have the released EnvPool instead of this package.

Its first argument is JSON that says which environments to make; the process steps these with side.py on request. Apart
from side.py and the package that it measures, the process imports nothing of this project. benchmark/sides.py also uses
the functions of this file.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# This folder is on the path only while side.py is imported, because its other files are modules of a package.
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import side  # type: ignore[import-not-found]  # noqa: E402

sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != HERE]

import numpy as np  # noqa: E402

RING = 64  # number of batches of random actions, which are sampled before the clock starts


def make_pool(case: dict[str, Any]) -> Any:
    """Makes a pool of the package that this interpreter imports as envpool."""
    import envpool

    if "plugin" in case and case["task"] not in envpool.list_all_envs():
        envpool.register(*case["plugin"][:3], max_episode_steps=case["plugin"][3])
    sizes = {name: case[name] for name in ("num_envs", "num_threads", "batch_size") if name in case}
    return envpool.make_gymnasium(case["task"], seed=1, **sizes, **case["options"])


def pool(case: dict[str, Any]) -> side.Steps:
    """Steps a whole pool at a time. Counts the steps of environments or, with `agents`, of their players."""
    env = make_pool(case)
    env.reset()
    players = max(1, env.config.get("max_num_players", 1))
    arrays = getattr(env.spec, "arrays", None)  # the released EnvPool has none, and an action for each player
    actors = players if arrays is None else arrays.actors
    actions = ring(env.action_space, case["num_envs"] * actors)
    return side.stepping(env.step, actions, case["num_envs"] * (players if case.get("agents") else 1))


def vectors(case: dict[str, Any]) -> side.Steps:
    """Steps Gymnasium's own environments in one process, with at most `most` environments."""
    import gymnasium

    count = min(case["num_envs"], case.get("most", case["num_envs"]))
    env = gymnasium.vector.SyncVectorEnv([maker(case)] * count)
    env.reset(seed=1)
    return side.stepping(env.step, ring(env.single_action_space, count), count)


def processes(case: dict[str, Any]) -> side.Steps:
    """Steps Gymnasium's own environments, each in its own process, with at most `processes` processes."""
    import gymnasium

    count = min(case["num_envs"], case.get("processes", case["num_envs"]))
    env = gymnasium.vector.AsyncVectorEnv([maker(case)] * count)
    env.reset(seed=1)
    return side.stepping(env.step, ring(env.single_action_space, count), count)


def maker(case: dict[str, Any]) -> Callable[[], Any]:
    """Returns a function that makes one Gymnasium environment, with EnvPool's preprocessing of Atari games."""
    import gymnasium

    if case["task"].startswith(("MiniGrid-", "BabyAI-")):
        import minigrid

        gymnasium.register_envs(minigrid)
    if not case.get("atari"):
        return lambda: gymnasium.make(case["task"], **case["options"])
    import ale_py

    gymnasium.register_envs(ale_py)
    if case["task"].startswith("ALE/"):
        return lambda: gymnasium.make(case["task"])
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    task = "ALE/" + case["task"]
    return lambda: FrameStackObservation(AtariPreprocessing(gymnasium.make(task, frameskip=1)), 4)


def rom_name(task: str) -> str:
    """Returns ale-py's name of a game's ROM: space_invaders for SpaceInvaders-v5."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", task.removesuffix("-v5")).lower()


def ale(case: dict[str, Any]) -> side.Steps:
    """Steps ale-py's own vector environment, which uses C++ threads, with equal frame skip, image size and stack."""
    from ale_py.vector_env import AtariVectorEnv

    batch = case.get("batch_size", case["num_envs"])
    threads = min(case["num_threads"], case["num_envs"])
    env = AtariVectorEnv(rom_name(case["task"]), case["num_envs"], batch_size=batch, num_threads=threads)
    env.reset(seed=1)
    return side.stepping(env.step, ring(env.single_action_space, batch), batch)


def ring(space: Any, rows: int) -> Any:
    """Returns RING batches of `rows` random actions, drawn from the action space of one environment."""
    random = np.random.default_rng(1)
    if hasattr(space, "n"):
        return random.integers(space.n, size=(RING, rows), dtype=np.int32) + np.int32(getattr(space, "start", 0))
    if hasattr(space, "nvec"):
        return random.integers(space.nvec, size=(RING, rows, *space.shape)).astype(np.int32)
    if hasattr(space, "low") and np.isfinite(space.low).all() and np.isfinite(space.high).all():
        return random.uniform(space.low, space.high, (RING, rows, *space.shape)).astype(space.dtype)
    space.seed(1)
    return [stack([space.sample() for _ in range(rows)]) for _ in range(RING)]


def stack(samples: Sequence[Any]) -> Any:
    """Returns actions of single environments as one batch."""
    if isinstance(samples[0], dict):
        return {key: stack([sample[key] for sample in samples]) for key in samples[0]}
    batch = np.stack([np.asarray(sample) for sample in samples])
    return batch.astype(np.int32) if batch.dtype == np.int64 else batch


LOOPS: dict[str, Callable[[dict[str, Any]], side.Steps]] = {
    "pool": pool,
    "vectors": vectors,
    "processes": processes,
    "ale": ale,
}


if __name__ == "__main__":
    case = json.loads(sys.argv[1])
    side.serve(case, LOOPS[case["side"]])
