# SPDX-License-Identifier: Apache-2.0
"""The pool in the driver process: distributes environments over workers, tracks calls, and replaces lost workers."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from envpool.python import actions
from envpool.python.construction import Construction
from envpool.python.distribution import raise_missing
from envpool.python.env_spec import EnvSpec
from envpool.python.errors import EnvError, labelled
from envpool.python.layout import Pack, dict_layout
from envpool.python.not_a_vec_env import NotAVecEnv
from envpool.python.options import (
    as_number,
    check_env_ids,
    check_seconds,
    check_seed,
    shown,
    wrong_type,
    wrong_value,
)
from envpool.python.registry import find
from envpool.python.reset_options import ids_of_mask
from envpool.ray.shards import Shard, ShardCall, Shards
from envpool.ray.states import StateCalls
from envpool.ray.worker import Arrays

if TYPE_CHECKING:
    from typing_extensions import Self
else:
    Self = Any  # for `typing.get_type_hints`; Python 3.10 has no Self

try:
    import ray
    from ray.exceptions import ObjectLostError, RayActorError, RayTaskError
except ImportError as error:
    raise_missing(error, "ray", "envpool.ray", "Ray")

_LOST_ERRORS = (RayActorError, ObjectLostError)
_MAX_LOSSES = 3  # how often in a row a worker may be lost without returning a batch


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
    """Makes a pool whose environments are distributed over Ray actors.

    Starts Ray if it is not running. Call `ray.init(address="auto")` first to join a cluster; envpool must be installed
    on its nodes.

    Args:
        task_id: an id of `envpool.list_all_envs()` with one player.
        num_envs: the total number of environments.
        num_workers: the number of actors, at most num_envs. Environments are distributed evenly.
        batch_size: the number of rows that `recv` returns. With None, it returns all rows, in the order in which they
            were sent. With a smaller number, it returns rows of the worker that finishes first, without copying them
            from Ray's object store. The number may not exceed the number of environments of any worker.
        seed: as in `envpool.make`. The rows do not depend on the number of workers.
        cpus_per_worker: CPUs that Ray reserves for each worker. Without num_threads, this is also its number of
            threads.
        start_timeout: seconds to wait for all workers to start.
        **options: the options of `envpool.make`; num_threads applies to each worker.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
        RuntimeError: the cluster lacks resources for the workers, or a worker cannot make its pool.
        MissingPackageError: Ray is not installed.
    """
    return RayEnvPool(task_id, num_envs, num_workers, batch_size, seed, cpus_per_worker, start_timeout, options)


class RayEnvPool(StateCalls, NotAVecEnv):
    """The pools of several actors, with the methods of one pool. `envpool.ray.make` returns it.

    A worker is replaced if it or its node fails. The environments of this worker then begin new episodes with other
    random numbers, and the first row of each of them has `info["lost"]` set to True. Other environments are not
    affected.

    Attributes:
        num_envs: the total number of environments.
        num_workers: the number of actors.
        spec: the EnvSpec.
        observation_space, action_space: the spaces of one environment.
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
        self.closed = True  # The pool opens when the workers have started.
        self._registration = find(task_id)
        self._label = task_id
        threads = {} if "num_threads" in options else {"num_threads": max(1, int(self._cpus(cpus_per_worker)))}
        for name in ("env_seed", "env_options", "first_stream", "device"):
            if name in options:
                raise TypeError(
                    f"[{task_id}] {name}: expected an option of envpool.ray.make, got an option of one pool"
                )
        for name in ("normalize_obs", "normalize_reward"):
            if options.get(name, False) is not False:
                raise ValueError(
                    f"[{task_id}] {name}: expected False in a pool on Ray, because each worker would have moments of its "
                    f"own, got {shown(options[name])}"
                )
        if options.get("render_mode") == "human":
            raise ValueError(f"[{task_id}] render_mode: expected None or 'rgb_array' in a pool on Ray, got 'human'")
        if options.get("thread_affinity_offset") == "auto":
            raise ValueError(
                f"[{task_id}] thread_affinity_offset: expected an int, because with 'auto' all workers of a node would "
                "use the same CPUs, got 'auto'"
            )
        caller_options = {**options, **threads, "num_envs": num_envs, "seed": seed, "batch_size": batch_size or 0}
        self._construction = construction = Construction(self._registration, caller_options)
        if construction.common.env_seed:
            raise TypeError(f"[{task_id}] seed: expected an int or None, got a sequence")
        if construction.arrays.max_players > 1 or len(construction.arrays.actions) > 1:
            raise ValueError(
                f"[{task_id}] task_id: expected an environment with one player and one action field, got one with "
                "several players or action fields"
            )
        self.num_envs = construction.common.num_envs
        self.num_workers = self._count("num_workers", num_workers, self.num_envs)
        self.batch_size = construction.common.batch_size
        fewest = self.num_envs // self.num_workers
        if self.is_async and self.batch_size > fewest:
            raise ValueError(
                f"[{task_id}] batch_size: expected num_envs = {self.num_envs} or at most the {fewest} environments that "
                f"each of {self.num_workers} workers has, got {batch_size}"
            )
        self.spec = EnvSpec(construction)
        self.observation_space = self.single_observation_space = self.spec.gymnasium_observation_space
        self.action_space = self.single_action_space = self.spec.gymnasium_action_space
        self._layout = dict_layout(
            construction.arrays, classic=False, final=construction.common.autoreset_mode == "same_step"
        )
        self._id_column = self._layout.outputs.index("env_id")
        options = {name: construction.caller_options[name] for name in options if name != "render_env_id"} | threads
        self._shards = Shards(
            self._registration,
            {**options, "seed": construction.common.seed},
            num_envs=self.num_envs,
            num_workers=self.num_workers,
            batch_size=self.batch_size if self.is_async else None,
            cpus_per_worker=cpus_per_worker,
        )
        self._under_way = np.zeros(self.num_envs, bool)
        self._lost = np.zeros(self.num_envs, bool)
        self._thrown: dict[int, str] = {}
        self._num_batches = 0
        self._sent: deque[list[ShardCall]] = deque()  # synchronous calls not yet received, the oldest first
        for shard in self._shards.all:
            self._shards.start(shard)
        self.closed = False
        try:
            self._shards.wait(self._label, self._seconds("start_timeout", start_timeout))
        except BaseException:
            self.close()
            raise

    def _for_sb3(self) -> tuple[str, str, int, int]:
        return self._label, "a pool of Ray actors", self.num_envs, 1

    # ---- stepping ----

    def reset(
        self, env_id: Any = None, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes in all environments, or in those of `env_id`, and waits for a batch.

        Args:
            env_id: an int or several ints; None means all, and discards pending results.
            seed: an int from 0 to 2**64 - 1; None: the generators continue from their current state.
            options: `{"reset_mask": mask}` selects the environments by a bool array of shape (num_envs,).

        Returns:
            (observation, info), as with one pool.

        Raises:
            TypeError: seed, env_id or options is of the wrong type.
            ValueError: seed or env_id is out of range, or options has an unknown key or a mask of another shape.
            RuntimeError: one of the environments is under way, or the pool is closed.
        """
        if options:
            with labelled(self._label):
                if not isinstance(options, Mapping):
                    raise wrong_type("options", "a mapping", options)
                unknown = [key for key in options if key != "reset_mask"]
                if unknown:
                    raise wrong_value("options", "only 'reset_mask' in a pool on Ray", unknown[0])
                env_id = ids_of_mask(env_id, options, self.num_envs)
        self._begin(env_id, seed)
        return self._received(None, self._layout.reset)  # type: ignore[no-any-return]

    def async_reset(self) -> None:
        """Starts new episodes in all environments without waiting."""
        self._begin(None, None)

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Steps all environments, or those of `env_id`, and waits for a batch: `send`, then `recv`."""
        self.send(action, env_id)
        return self.recv()

    def send(self, action: Any, env_id: Any = None) -> None:
        """Starts one step without waiting for it.

        Args:
            action: an array with one row for each environment.
            env_id: the environment of each row; None means all.

        Raises:
            TypeError, ValueError: the action or env_id is of the wrong type, shape or range; no environment is stepped.
            RuntimeError: an environment is already under way, or the pool is closed.
        """
        ids = self._idle(env_id)
        rows = self._checked(action, len(ids))
        self._distribute(ids, lambda shard, at, own, receive: shard.actor.send.remote(rows[at], own, receive=receive))

    def recv(self, timeout: float | None = None) -> Any:
        """Waits for the next batch.

        Args:
            timeout: seconds to wait at most; None waits without a limit.

        Returns:
            (observation, reward, terminated, truncated, info), as with one pool. `info["lost"]`, a bool array of shape
            (rows,), marks the rows that begin a new episode because their worker was lost. If all rows come from one
            worker, the arrays are read-only.

        Raises:
            TimeoutError: no batch was complete in time. A later call can still receive it.
            RuntimeError: fewer environments are under way than a batch needs, the pool is closed, or a worker fails
                repeatedly.
            EnvError: an environment threw an exception; the error holds the batch.
        """
        return self._received(None if timeout is None else self._seconds("timeout", timeout), self._layout.step)

    # ---- sending ----

    def _begin(self, env_id: Any, seed: Any) -> None:
        if seed is not None:
            with labelled(self._label):
                seed = check_seed("seed", seed)
        if env_id is None:
            self._check_open()
            for shard in self._shards.all:
                shard.pending.clear()
            self._sent.clear()
            self._under_way[:] = False
        ids = self._idle(env_id)

        def call(shard: Shard, at: Any, own: Any, receive: bool) -> Any:
            keys = None if seed is None else self._construction.seeds_and_streams(seed, ids[at])
            return shard.actor.reset.remote(own, keys, receive=receive)

        self._distribute(ids, call)

    def _distribute(self, ids: npt.NDArray[np.int64], call: Callable[[Shard, Any, Any, bool], Any]) -> None:
        """Makes one call to each worker that runs any of these environments.

        The function `call` makes one such call. It takes the shard, the rows of its environments, their local ids, and
        whether to receive a batch.
        """
        self._under_way[ids] = True
        parts = []
        for shard, rows, own in self._shards.of(ids):
            new = self._num_expected(shard) - len(shard.pending) if self.is_async else 1
            ref = call(shard, rows, own, new > 0)
            if not self.is_async:
                parts.append(ShardCall(shard, rows, own, ref))
            elif new > 0:
                shard.pending += [ref, *(shard.actor.recv.remote() for _ in range(new - 1))]
        if not self.is_async:
            self._sent.append(parts)

    def _num_expected(self, shard: Shard) -> int:
        """Returns the number of batches that the environments under way will fill."""
        return int(self._under_way[shard.first : shard.last].sum()) // self.batch_size

    # ---- receiving ----

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
            raise RuntimeError(f"[{self._label}] recv: nothing is under way; call send or reset first")
        parts = self._sent[0]
        if timeout is not None:  # Without a timeout, ray.get alone is enough, and takes a quarter less time.
            ready, _ = ray.wait([part.ref for part in parts], num_returns=len(parts), timeout=timeout)
            if len(ready) < len(parts):
                raise TimeoutError(f"[{self._label}] recv: no batch was complete within {timeout} s")
        got: list[Arrays] = []
        for part in parts:
            while (arrays := self._value(part.shard, part.ref)) is None:
                pass  # The worker was lost. Its replacement repeats the call.
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
            # The shard whose last batch is the oldest comes first, so that a fast worker does not starve the others.
            order = sorted(self._shards.all, key=lambda shard: shard.last_batch)
            owner = {ref: shard for shard in order for ref in shard.pending[:1]}
            if not owner:
                raise RuntimeError(
                    f"[{self._label}] recv: a batch needs {self.batch_size} environments of one worker, but only "
                    f"{int(self._under_way.sum())} are under way in total"
                )
            ready, _ = ray.wait(list(owner), num_returns=1, timeout=timeout)
            if not ready:
                raise TimeoutError(f"[{self._label}] recv: no batch was complete within {timeout} s")
            shard = owner[ready[0]]
            arrays = self._value(shard, ready[0])
            if arrays is not None:
                shard.pending.pop(0)
                self._num_batches += 1
                shard.last_batch = self._num_batches
                return arrays

    def _value(self, shard: Shard, ref: Any) -> Arrays | None:
        """Returns the result of a call, or None if its worker was lost and has been replaced."""
        try:
            arrays: Arrays
            arrays, thrown = ray.get(ref)
        except _LOST_ERRORS as lost:
            self._replace(shard, lost)
            return None
        except RayTaskError as failed:
            raise failed.cause from None
        self._thrown |= {shard.first + env_id: message for env_id, message in thrown.items()}
        shard.losses = 0
        return arrays

    # ---- workers ----

    def _ask(self, shard: Shard, method: str, *arguments: Any) -> Any:
        """Calls a method of a worker, and waits for its result."""
        try:
            return ray.get(getattr(shard.actor, method).remote(*arguments))
        except _LOST_ERRORS as lost:
            self._replace(shard, lost)
            raise RuntimeError(
                f"[{self._label}] {method}: worker {shard.index} (environments {shard.first} to {shard.last - 1}) was lost, "
                "so their states are lost too"
            ) from None
        except RayTaskError as failed:
            raise failed.cause from None

    def _replace(self, shard: Shard, lost: Exception) -> None:
        shard.losses += 1
        what = f"[{self._label}] worker {shard.index} (environments {shard.first} to {shard.last - 1}) was lost"
        if shard.losses > _MAX_LOSSES:
            raise RuntimeError(f"{what} {shard.losses} times in a row: {lost}") from None
        warnings.warn(f"{what} and is replaced; its environments begin new episodes", RuntimeWarning, stacklevel=5)
        self._shards.start(shard)
        self._lost[shard.first : shard.last] = True
        if self.is_async:
            ids = np.flatnonzero(self._under_way[shard.first : shard.last]).astype(np.int32)
            expected = len(shard.pending)
            shard.pending = [shard.actor.reset.remote(ids, None, receive=True)]
            shard.pending += [shard.actor.recv.remote() for _ in range(expected - 1)]
            return
        for parts in self._sent:
            for part in parts:
                if part.shard is shard:
                    part.ref = shard.actor.reset.remote(part.ids, None, receive=True)

    # ---- checks ----

    @property
    def is_async(self) -> bool:
        """Whether a batch contains only some of the environments: those that finish first."""
        return self.batch_size != self.num_envs

    def _check_open(self) -> None:
        if self.closed:
            raise RuntimeError(f"[{self._label}] the pool is closed")

    def _seconds(self, name: str, value: Any) -> float:
        with labelled(self._label):
            return check_seconds(name, value)

    def _cpus(self, value: Any) -> float:
        cpus = as_number(value, "float")
        with labelled(self._label):
            if cpus is None:
                raise wrong_type("cpus_per_worker", "a number", value)
            if not 0 <= cpus < 4096:
                raise wrong_value("cpus_per_worker", "a number of at least 0 and below 4096", value)
        return cpus

    def _count(self, name: str, value: Any, most: int) -> int:
        number = as_number(value, "int")
        with labelled(self._label):
            if number is None:
                raise wrong_type(name, f"an int from 1 to num_envs = {most}", value)
            if not 1 <= number <= most:
                raise wrong_value(name, f"an int from 1 to num_envs = {most}", value)
        return int(number)

    def _idle(self, env_id: Any, name: str = "env_id") -> npt.NDArray[np.int64]:
        """Returns the ids of the environments to send, after checking that none of them is under way."""
        self._check_open()
        if env_id is None:
            ids = np.arange(self.num_envs)
        else:
            with labelled(self._label):
                ids = np.array(check_env_ids(name, env_id, self.num_envs), np.int64)
            if len(ids) == 0:
                raise ValueError(f"[{self._label}] {name}: expected at least one environment, got none")
            if len(np.unique(ids)) < len(ids):
                raise ValueError(f"[{self._label}] {name}: expected each environment once, got {shown(env_id)}")
        if self._under_way[ids].any():
            busy = ids[self._under_way[ids]][0]
            raise RuntimeError(f"[{self._label}] {name}: environment {busy} is under way; receive its result first")
        return ids

    def _checked(self, action: Any, rows: int) -> npt.NDArray[Any]:
        """Returns the checked actions. Workers get them only if all are valid, so that either all or none step."""
        (field,) = fields = self._construction.arrays.actions
        with labelled(self._label):
            array = actions.as_array(field, actions.split(fields, action)[field.name])
            return actions.check(field, array, (rows, *field.shape), "environment", allow_whole_floats=True)  # type: ignore[no-any-return]

    # ---- description and closing ----

    @property
    def config(self) -> dict[str, Any]:
        """Every option with its value, as with one pool; num_threads is the number of threads of each worker."""
        return dict(self._construction.config)

    @property
    def all_env_ids(self) -> npt.NDArray[np.int32]:
        """The ids of all environments, 0 to num_envs - 1, int32."""
        return np.arange(self.num_envs, dtype=np.int32)

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        shown = f"num_envs={self.num_envs}, num_workers={self.num_workers}, batch_size={self.batch_size}"
        return f"RayEnvPool({self._label!r}, {shown}{', closed' if self.closed else ''})"

    def close(self) -> None:
        """Ends the workers. Closing twice does nothing; the other methods raise RuntimeError afterwards."""
        if not self.closed:
            self.closed = True
            for shard in self._shards.all:
                ray.kill(shard.actor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
