# SPDX-License-Identifier: Apache-2.0
"""The driver's side: which worker holds which environments, what is under way, and what becomes of a lost worker."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from envpool.python import actions
from envpool.python.construction import Construction
from envpool.python.distribution import raise_missing
from envpool.python.env_spec import EnvSpec
from envpool.python.errors import EnvError, labelled
from envpool.python.layout import dict_layout
from envpool.python.options import as_number, check_env_ids, check_seconds, check_seed
from envpool.python.registry import find
from envpool.ray.worker import Arrays, Worker

if TYPE_CHECKING:
    from typing_extensions import Self

    from envpool.python.layout import Pack

try:
    import ray
    from ray.exceptions import ObjectLostError, RayActorError, RayTaskError
except ImportError as error:
    raise_missing(error, "ray", "envpool.ray", "Ray")

_LOST = (RayActorError, ObjectLostError)
_MOST_DEATHS = 3  # of one worker, in a row, without a batch between them


@dataclass
class _Shard:
    """The environments first..last - 1, and the actor that has them."""

    index: int
    first: int
    last: int
    actor: Any = None
    lives: int = 0  # actors it has had
    deaths: int = 0  # since the last batch
    served: int = 0  # number of its last batch among all
    due: list[Any] = field(default_factory=list)  # batches to come, asynchronous pools only


@dataclass
class _Part:
    """Some rows of a synchronous call: which, and what will hold them."""

    shard: _Shard
    rows: npt.NDArray[np.intp]
    ids: npt.NDArray[np.int32]  # as the worker names them
    ref: Any


def make(
    task_id: str,
    num_envs: int,
    num_workers: int,
    *,
    batch_size: int | None = None,
    seed: int | None = 42,
    cpus_per_worker: float = 1,
    start_timeout: float = 120,
    **options: Any,
) -> RayEnvPool:
    """Makes a pool whose environments are shared out among Ray actors.

    Ray is started here if it is not running. `ray.init(address="auto")` before joins a cluster; envpool must be
    installed on its nodes.

    Args:
        task_id: one of `envpool.list_all_envs()`, of environments with one player.
        num_envs: environments in all.
        num_workers: actors, at most num_envs; each has as many environments as the next, or one more.
        batch_size: rows a `recv` returns. None: all, in the order they were asked for. Fewer, at most what each worker
            has: those of whichever worker is ready first, as they lie in Ray's store, without a copy.
        seed: as `envpool.make` takes it. Rows are the same for any number of workers.
        cpus_per_worker: what Ray keeps for each; also its threads, unless num_threads is given.
        start_timeout: seconds in which all workers must be there.
        **options: those of `envpool.make`; num_threads counts for each worker.

    Raises:
        TypeError, ValueError: an argument of the wrong kind or out of range.
        RuntimeError: the cluster has no room for the workers, or one cannot make its pool.
        MissingPackageError: Ray is not installed.
    """
    return RayEnvPool(task_id, num_envs, num_workers, batch_size, seed, cpus_per_worker, start_timeout, options)


class RayEnvPool:
    """One pool's methods over the pools of many actors; `make` makes it.

    A worker that dies, or whose node does, is replaced: its environments begin new episodes, drawn from streams of their
    own, and `info["lost"]` is True in the first row that each of them returns then. Nothing else is disturbed.

    Attributes:
        num_envs: environments in all.
        num_workers: actors.
        spec: as that of any pool.
        observation_space, action_space: one environment's.
        closed: whether `close` was called.
    """

    def __init__(
        self,
        task_id: str,
        num_envs: int,
        num_workers: int,
        batch_size: int | None,
        seed: int | None,
        cpus_per_worker: float,
        start_timeout: float,
        options: dict[str, Any],
    ) -> None:
        self.closed = True  # until all is made
        self._registration = find(task_id)
        self._label = task_id
        threads = {} if "num_threads" in options else {"num_threads": max(1, int(self._cpus(cpus_per_worker)))}
        for name in ("env_seed", "env_options", "render_mode", "first_stream", "device"):
            if name in options:
                raise TypeError(f"[{task_id}] {name} is not an option of envpool.ray.make")
        if options.get("thread_affinity_offset") == "auto":
            raise ValueError(
                f"[{task_id}] thread_affinity_offset must be an int here, got 'auto', by which all workers of a node would "
                "choose the same CPUs"
            )
        given = {**options, **threads, "num_envs": num_envs, "seed": seed, "batch_size": batch_size or 0}
        self._construction = construction = Construction(self._registration, given)
        if construction.common.env_seed:
            raise TypeError(f"[{task_id}] seed must be an int or None here, got a sequence")
        if construction.arrays.max_players > 1 or len(construction.arrays.actions) > 1:
            raise ValueError(f"[{task_id}] has several players or actions, which envpool.ray does not share out")
        self.num_envs, self._seed = construction.common.num_envs, construction.common.seed
        self.num_workers = self._count("num_workers", num_workers, self.num_envs)
        self.batch_size = construction.common.batch_size
        fewest = self.num_envs // self.num_workers
        if self.is_async and self.batch_size > fewest:
            raise ValueError(
                f"[{task_id}] batch_size must be num_envs = {self.num_envs} or at most the {fewest} environments that "
                f"each of {self.num_workers} workers has, got {batch_size}"
            )
        self.spec = EnvSpec(construction)
        self.observation_space = self.single_observation_space = self.spec.gymnasium_observation_space
        self.action_space = self.single_action_space = self.spec.gymnasium_action_space
        self._layout = dict_layout(
            construction.arrays, classic=False, final=construction.common.autoreset_mode == "same_step"
        )
        self._id_column = self._layout.outputs.index("env_id")
        options = {**options, **threads, "seed": self._seed}
        self._options = options
        self._actors = ray.remote(Worker).options(num_cpus=cpus_per_worker, scheduling_strategy="SPREAD")
        bounds = [self.num_envs * w // self.num_workers for w in range(self.num_workers + 1)]
        self._shards = [_Shard(w, bounds[w], bounds[w + 1]) for w in range(self.num_workers)]
        self._starts = np.array(bounds[:-1])
        self._under_way = np.zeros(self.num_envs, bool)
        self._lost = np.zeros(self.num_envs, bool)
        self._thrown: dict[int, str] = {}
        self._served = 0
        self._sent: deque[list[_Part]] = deque()  # synchronous calls not yet received, the oldest first
        for shard in self._shards:
            self._start(shard)
        self.closed = False
        self._wait_for_workers(self._seconds("start_timeout", start_timeout), cpus_per_worker)

    # ---- stepping ----

    def reset(self, env_id: Any = None, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes in all environments, or in those named, and waits for a batch.

        Args:
            env_id: int, or ints; None is all. What was under way when all are reset is dropped.
            seed: int from 0 to 2**64 - 1, or None: the generators go on where they are.

        Returns:
            (observation, info), as a pool's.
        """
        self._begin(env_id, seed)
        return self._received(None, self._layout.reset)  # type: ignore[no-any-return]

    def async_reset(self) -> None:
        """Starts new episodes in all environments, and does not wait."""
        self._begin(None, None)

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Does one step of all environments, or of those named, and waits for a batch: `send`, then `recv`."""
        self.send(action, env_id)
        return self.recv()

    def send(self, action: Any, env_id: Any = None) -> None:
        """Starts one step, and does not wait.

        Args:
            action: an array with a row for each environment.
            env_id: the environment of each row; None is all.

        Raises:
            TypeError, ValueError: the action or env_id is not as above; nothing has been sent then.
            RuntimeError: an environment is under way already, or the pool is closed.
        """
        ids = self._idle(env_id)
        rows = self._checked(action, len(ids))
        self._share_out(ids, lambda shard, at, own, due: shard.actor.send.remote(rows[at], own, due))

    def recv(self, timeout: float | None = None) -> Any:
        """Waits for the next batch of what was sent.

        Args:
            timeout: seconds to wait at most; None is for ever.

        Returns:
            (observation, reward, terminated, truncated, info), as a pool's. `info["lost"]`, bool of shape (rows,), tells
            the rows that begin anew because their worker was lost. Arrays that come from one worker are read-only.

        Raises:
            TimeoutError: no batch was complete in time. Nothing is lost.
            RuntimeError: less is under way than a batch needs, the pool is closed, or workers die again and again.
            EnvError: an environment threw; the exception holds what would have been returned.
        """
        return self._received(None if timeout is None else self._seconds("timeout", timeout), self._layout.step)

    # ---- what was sent, and to whom ----

    def _begin(self, env_id: Any, seed: Any) -> None:
        if seed is not None:
            with labelled(self._label):
                seed = check_seed("seed", seed)
        if env_id is None:
            self._check_open()
            for shard in self._shards:
                shard.due.clear()
            self._sent.clear()
            self._under_way[:] = False
        ids = self._idle(env_id)

        def call(shard: _Shard, at: Any, own: Any, due: bool) -> Any:
            keys = None if seed is None else self._construction.seeds_and_streams(seed, ids[at])
            return shard.actor.reset.remote(own, keys, due)

        self._share_out(ids, call)

    def _share_out(self, ids: npt.NDArray[np.int64], call: Callable[[_Shard, Any, Any, bool], Any]) -> None:
        """Makes one call to each worker that has some of these environments."""
        self._under_way[ids] = True
        owner = np.searchsorted(self._starts, ids, side="right") - 1
        parts = []
        for index in np.unique(owner):
            shard, rows = self._shards[index], np.flatnonzero(owner == index)
            own = (ids[rows] - shard.first).astype(np.int32)
            due = self._batches(shard) - len(shard.due) if self.is_async else 1
            ref = call(shard, rows, own, due > 0)
            if not self.is_async:
                parts.append(_Part(shard, rows, own, ref))
            elif due > 0:
                shard.due += [ref, *(shard.actor.recv.remote() for _ in range(due - 1))]
        if not self.is_async:
            self._sent.append(parts)

    def _batches(self, shard: _Shard) -> int:
        """Batches that will come of what is under way."""
        return int(self._under_way[shard.first : shard.last].sum()) // self.batch_size

    # ---- what comes back ----

    def _received(self, timeout: float | None, pack: Pack) -> Any:
        self._check_open()
        arrays = self._next_batch(timeout) if self.is_async else self._next_call(timeout)
        ids = arrays[self._id_column]
        result = pack(arrays)
        result[-1]["lost"] = self._lost[ids]
        self._lost[ids] = self._under_way[ids] = False
        if self._thrown:
            thrown, self._thrown = self._thrown, {}
            text = f"[{self._label}] " + "; ".join(f"environment {i}: {message}" for i, message in thrown.items())
            raise EnvError(text, list(thrown), list(thrown.values()), result)
        return result

    def _next_call(self, timeout: float | None) -> Arrays:
        if not self._sent:
            raise RuntimeError(f"[{self._label}] recv: nothing is under way")
        parts = self._sent[0]
        if timeout is not None:  # else asking for each is waiting enough, and a fourth of a call cheaper
            ready, _ = ray.wait([part.ref for part in parts], num_returns=len(parts), timeout=timeout)
            if len(ready) < len(parts):
                raise TimeoutError(f"[{self._label}] recv: no batch was complete within {timeout} s")
        got: list[Arrays] = []
        for part in parts:
            while (arrays := self._value(part.shard, part.ref)) is None:
                pass  # its worker was lost, and the next one owes what that one did
            got.append(arrays)
        self._sent.popleft()
        if len(got) == 1:
            return got[0]
        total = sum(len(part.rows) for part in parts)
        whole = tuple(np.empty((total, *column.shape[1:]), column.dtype) for column in got[0])
        for part, arrays in zip(parts, got, strict=True):
            for to, rows in zip(whole, arrays, strict=True):
                to[part.rows] = rows
        return whole

    def _next_batch(self, timeout: float | None) -> Arrays:
        while True:
            # Whoever was served longest ago comes first, lest one that is always ready keep the others waiting.
            owner = {ref: shard for shard in sorted(self._shards, key=lambda s: s.served) for ref in shard.due[:1]}
            if not owner:
                raise RuntimeError(
                    f"[{self._label}] recv: {int(self._under_way.sum())} environments are under way, and no worker has "
                    f"the {self.batch_size} of a batch"
                )
            ready, _ = ray.wait(list(owner), num_returns=1, timeout=timeout)
            if not ready:
                raise TimeoutError(f"[{self._label}] recv: no batch was complete within {timeout} s")
            shard = owner[ready[0]]
            arrays = self._value(shard, ready[0])
            if arrays is not None:
                shard.due.pop(0)
                self._served += 1
                shard.served = self._served
                return arrays

    def _value(self, shard: _Shard, ref: Any) -> Arrays | None:
        """What a call returned; None if its worker was lost, and has been replaced."""
        try:
            arrays: Arrays
            arrays, thrown = ray.get(ref)
        except _LOST as lost:
            self._replace(shard, lost)
            return None
        except RayTaskError as failed:
            raise failed.cause from None
        self._thrown |= {shard.first + env_id: message for env_id, message in thrown.items()}
        shard.deaths = 0
        return arrays

    # ---- workers ----

    def _start(self, shard: _Shard) -> None:
        # Another life draws from other streams, lest it live the first one again.
        seed = self._seed if shard.lives == 0 else (self._seed + 0x9E3779B97F4A7C15 * shard.lives) % 2**64
        count = shard.last - shard.first
        options = {**self._options, "num_envs": count, "first_stream": shard.first, "seed": seed}
        options["batch_size"] = self.batch_size if self.is_async else count
        shard.actor = self._actors.remote(self._registration, options)
        shard.lives += 1

    def _wait_for_workers(self, seconds: float, cpus: float) -> None:
        refs = [shard.actor.__ray_ready__.remote() for shard in self._shards]
        ready, missing = ray.wait(refs, num_returns=len(refs), timeout=seconds)
        try:
            ray.get(ready)
        except (RayActorError, RayTaskError) as error:
            self.close()
            raise RuntimeError(f"[{self._label}] a worker cannot make its pool: {error}") from None
        if missing:
            self.close()
            free = ray.available_resources().get("CPU", 0)
            raise RuntimeError(
                f"[{self._label}] num_workers: {len(missing)} of {self.num_workers} workers of {cpus} CPUs were not there "
                f"within {seconds} s; the cluster has {ray.cluster_resources().get('CPU', 0):g} CPUs, {free:g} of them free"
            )

    def _replace(self, shard: _Shard, lost: Exception) -> None:
        shard.deaths += 1
        what = f"[{self._label}] worker {shard.index} (environments {shard.first} to {shard.last - 1}) was lost"
        if shard.deaths > _MOST_DEATHS:
            raise RuntimeError(f"{what} {shard.deaths} times in a row: {lost}") from None
        warnings.warn(f"{what} and is replaced; its environments begin anew", RuntimeWarning, stacklevel=5)
        self._start(shard)
        self._lost[shard.first : shard.last] = True
        if self.is_async:
            ids = np.flatnonzero(self._under_way[shard.first : shard.last]).astype(np.int32)
            owed = len(shard.due)
            shard.due = [shard.actor.reset.remote(ids, None, True)]
            shard.due += [shard.actor.recv.remote() for _ in range(owed - 1)]
            return
        for parts in self._sent:
            for part in parts:
                if part.shard is shard:
                    part.ref = shard.actor.reset.remote(part.ids, None, True)

    # ---- checks ----

    @property
    def is_async(self) -> bool:
        """Whether batches are of fewer than all environments, so that the readiest come first."""
        return self.batch_size != self.num_envs

    def _check_open(self) -> None:
        if self.closed:
            raise RuntimeError(f"[{self._label}] the pool is closed")

    def _seconds(self, name: str, value: Any) -> float:
        with labelled(self._label):
            return check_seconds(name, value)

    def _cpus(self, value: Any) -> float:
        cpus = as_number(value, "float")
        if cpus is None:
            raise TypeError(f"[{self._label}] cpus_per_worker must be a number, got {value!r}")
        if not 0 <= cpus < 4096:
            raise ValueError(f"[{self._label}] cpus_per_worker must be a number of at least 0, got {value!r}")
        return cpus

    def _count(self, name: str, value: Any, most: int) -> int:
        number = as_number(value, "int")
        if number is None:
            raise TypeError(f"[{self._label}] {name} must be an int, got {value!r}")
        if not 1 <= number <= most:
            raise ValueError(f"[{self._label}] {name} must be from 1 to num_envs = {most}, got {value!r}")
        return int(number)

    def _idle(self, env_id: Any) -> npt.NDArray[np.int64]:
        """Environments as the caller names them, none of them under way."""
        self._check_open()
        if env_id is None:
            ids = np.arange(self.num_envs)
        else:
            with labelled(self._label):
                ids = np.array(check_env_ids("env_id", env_id, self.num_envs), np.int64)
            if len(ids) == 0:
                raise ValueError(f"[{self._label}] env_id must name at least one environment, got none")
            if len(np.unique(ids)) < len(ids):
                raise ValueError(f"[{self._label}] env_id must name each environment once, got {env_id!r}")
        if self._under_way[ids].any():
            busy = ids[self._under_way[ids]][0]
            raise RuntimeError(f"[{self._label}] env_id: environment {busy} is under way; recv it first")
        return ids

    def _checked(self, action: Any, rows: int) -> npt.NDArray[Any]:
        """Actions are checked here, before any worker has some: all of them step, or none."""
        (field,) = fields = self._construction.arrays.actions
        with labelled(self._label):
            array = actions.as_array(field, actions.split(fields, action)[field.name])
            return actions.check(field, array, (rows, *field.shape), "environment", allow_whole_floats=True)  # type: ignore[no-any-return]

    # ---- its end ----

    @property
    def config(self) -> dict[str, Any]:
        """Every option with its value, as a pool's; num_threads is that of each worker."""
        return dict(self._construction.config)

    @property
    def all_env_ids(self) -> npt.NDArray[np.int32]:
        """0 to num_envs - 1, int32."""
        return np.arange(self.num_envs, dtype=np.int32)

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        shown = f"num_envs={self.num_envs}, num_workers={self.num_workers}, batch_size={self.batch_size}"
        return f"RayEnvPool({self._label!r}, {shown}{', closed' if self.closed else ''})"

    def close(self) -> None:
        """Ends the workers. Closing twice is fine; any other use after it is a RuntimeError."""
        if not self.closed:
            self.closed = True
            for shard in self._shards:
                ray.kill(shard.actor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
