# SPDX-License-Identifier: Apache-2.0
"""Implements what the training examples in torch share: the start of a run, games with their scores, checkpoints."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import T, load, parse, save, set_aside
from torch import Tensor


def begin(options: type[T], description: str | None) -> T:
    """Reads the command line, makes the output folder, and sets torch's seed and number of threads."""
    o: Any = parse(options, description)
    o.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(o.seed)
    torch.set_num_threads(o.torch_threads)
    run: T = o
    return run


class Games:
    """A pool of games with discrete actions, the scores of whole games, and the time that the pool took."""

    def __init__(self, pool: Any, num_envs: int):
        self.pool = pool
        self.num_actions = int(pool.action_space.n)
        self.running = np.zeros(num_envs, np.float64)
        self.finished: list[tuple[int, float]] = []  # (environment, score) of the games that ended, in order
        self.count = 0
        self.wall = self.cpu = 0.0

    def reset(self) -> Tensor:
        return torch.from_numpy(self.pool.reset()[0])

    def step(self, actions: Tensor) -> tuple[Tensor, ...]:
        """Steps all games; returns observations, rewards, and whether they were terminated and truncated."""
        wall, cpu = time.perf_counter(), time.process_time()
        observation, reward, terminated, truncated, info = self.pool.step(actions.numpy().astype(np.int32))
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        # For Atari, `info` has the unclipped reward and the end of a game; `reward` may be clipped, and `terminated`
        # may mark the loss of a life.
        self.running += info.get("reward", reward)
        over = info.get("terminated", terminated).astype(bool) | truncated
        self.finished += [(int(i), float(self.running[i])) for i in np.flatnonzero(over)]
        self.count += int(over.sum())
        self.running[over] = 0
        return tuple(torch.from_numpy(x) for x in (observation, reward, terminated, truncated))

    def mean_score(self) -> float:
        """Returns the mean score of the last hundred games, and deletes older ones; NaN before the first has ended."""
        del self.finished[:-100]
        return float(np.mean([score for _, score in self.finished])) if self.finished else float("nan")


class Checkpoint:
    """The state of a run in a file: networks and optimizers, attributes of objects, torch's generator, environments."""

    def __init__(
        self,
        options: Any,
        pool: Any,
        modules: Mapping[str, Any],
        attributes: Mapping[str, tuple[object, Sequence[str]]],
        device: torch.device | None = None,
    ):
        self.path: Path = options.out / "checkpoint.pt"
        self.options, self.pool, self.modules, self.attributes = options, pool, modules, attributes
        self.gpu = device if device is not None and device.type == "cuda" else None

    def start(self) -> None:
        """Loads the checkpoint if the run resumes; otherwise sets aside the checkpoint of an earlier run."""
        if self.options.resume:
            self.load()
        else:
            set_aside(self.path)

    def save(self) -> None:
        snapshots = hasattr(self.pool, "snapshot")
        state = {
            "modules": {name: module.state_dict() for name, module in self.modules.items()},
            "attributes": {
                name: {key: getattr(it, key) for key in keys} for name, (it, keys) in self.attributes.items()
            },
            "generator": torch.get_rng_state(),
            "gpu_generator": None if self.gpu is None else torch.cuda.get_rng_state(self.gpu),
            "environments": [self.pool.snapshot(i) for i in range(self.options.num_envs)] if snapshots else None,
        }
        save(self.options, state, self.path)

    def load(self) -> None:
        state = load(self.options, self.path)
        if state["environments"] is None:
            raise SystemExit("--resume: the checkpoint was written with an engine that cannot save its environments")
        for name, module in self.modules.items():
            module.load_state_dict(state["modules"][name])
        for name, (it, _) in self.attributes.items():
            vars(it).update(state["attributes"][name])
        torch.set_rng_state(state["generator"])
        if self.gpu is not None:
            torch.cuda.set_rng_state(state["gpu_generator"], self.gpu)
        for env_id, snapshot in enumerate(state["environments"]):
            self.pool.restore(env_id, snapshot)
