# SPDX-License-Identifier: Apache-2.0
"""Which actor runs which environments, and the start of the actors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from envpool.python.distribution import raise_missing
from envpool.python.registry import Registration
from envpool.ray.worker import Worker

try:
    import ray
    from ray.exceptions import RayActorError, RayTaskError
except ImportError as error:
    raise_missing(error, "ray", "envpool.ray", "Ray")


@dataclass
class Shard:
    """The environments first..last - 1, and the actor that runs them."""

    index: int
    first: int
    last: int
    actor: Any = None
    generation: int = 0  # number of actors that have run this shard
    losses: int = 0  # number of actors lost since the last batch
    last_batch: int = 0  # number of the shard's last batch, counted over the batches of all shards
    pending: list[Any] = field(default_factory=list)  # Ray references of expected batches, in asynchronous pools


@dataclass
class ShardCall:
    """The part of a synchronous call that goes to one shard."""

    shard: Shard
    rows: npt.NDArray[np.intp]  # rows of the shard's environments in the whole call
    ids: npt.NDArray[np.int32]  # the worker's local ids
    ref: Any


class Shards:
    """All shards of a pool. Environments are distributed evenly."""

    def __init__(
        self,
        registration: Registration,
        options: dict[str, Any],
        *,
        num_envs: int,
        num_workers: int,
        batch_size: int | None,
        cpus_per_worker: float,
    ) -> None:
        """Divides the environments. `start` starts an actor.

        Args:
            registration: the registration of the id.
            options: the options of each worker's pool, with the seed.
            num_envs: the total number of environments.
            num_workers: the number of shards.
            batch_size: the batch size of each worker; None means all of its environments.
            cpus_per_worker: the CPUs that Ray reserves for each worker.
        """
        self._registration = registration
        self._options = options
        self._batch_size = batch_size
        self._cpus = cpus_per_worker
        self._actors = ray.remote(Worker).options(num_cpus=cpus_per_worker, scheduling_strategy="SPREAD")
        bounds = [num_envs * w // num_workers for w in range(num_workers + 1)]
        self.all = [Shard(w, bounds[w], bounds[w + 1]) for w in range(num_workers)]
        self._starts = np.array(bounds[:-1])

    def of(self, ids: Any) -> Iterator[tuple[Shard, npt.NDArray[np.intp], npt.NDArray[np.int32]]]:
        """Returns the shards that run these environments, each with the rows of its ids and its local ids."""
        ids = np.asarray(ids)
        owner = np.searchsorted(self._starts, ids, side="right") - 1
        for index in np.unique(owner):
            shard, rows = self.all[index], np.flatnonzero(owner == index)
            yield shard, rows, (ids[rows] - shard.first).astype(np.int32)

    def start(self, shard: Shard) -> None:
        """Starts an actor for a shard, or another one."""
        # A replacement gets another seed, so that it does not repeat the episodes of the lost worker.
        seed = self._options["seed"]
        seed = seed if shard.generation == 0 else (seed + 0x9E3779B97F4A7C15 * shard.generation) % 2**64
        count = shard.last - shard.first
        options = {**self._options, "num_envs": count, "first_stream": shard.first, "seed": seed}
        options["batch_size"] = count if self._batch_size is None else self._batch_size
        shard.actor = self._actors.remote(self._registration, options)
        shard.generation += 1

    def wait(self, label: str, seconds: float) -> None:
        """Waits until all actors have made their pools.

        Raises:
            RuntimeError: an actor cannot make its pool, or too few CPUs are free.
        """
        refs = [shard.actor.__ray_ready__.remote() for shard in self.all]
        ready, missing = ray.wait(refs, num_returns=len(refs), timeout=seconds)
        try:
            ray.get(ready)
        except (RayActorError, RayTaskError) as error:
            raise RuntimeError(f"[{label}] a worker cannot make its pool: {error}") from None
        if missing:
            free = ray.available_resources().get("CPU", 0)
            raise RuntimeError(
                f"[{label}] num_workers: {len(missing)} of {len(refs)} workers of {self._cpus} CPUs did not start within "
                f"{seconds} s; the cluster has {ray.cluster_resources().get('CPU', 0):g} CPUs, {free:g} of them free"
            )
