# SPDX-License-Identifier: Apache-2.0
"""The methods that the pools of all interfaces share. Only the form of the returned values differs between them."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import numpy as np
import numpy.typing as npt

from envpool import _core
from envpool._core import EnvError as CoreEnvError
from envpool._core import Pool
from envpool.python.construction import Construction
from envpool.python.env_spec import EnvSpec
from envpool.python.errors import EnvError, labelled
from envpool.python.images import HumanViewer, resized
from envpool.python.layout import Pack, ResultLayout
from envpool.python.options import check_seconds
from envpool.python.pool_options import PoolOptions
from envpool.python.pool_statistics import PoolStatistics
from envpool.python.registry import Registration
from envpool.python.reset_options import ResetOptions

if TYPE_CHECKING:
    from typing_extensions import Self
else:
    Self = Any  # for `typing.get_type_hints`; Python 3.10 has no Self

Result = TypeVar("Result")


def make_pool(construction: Construction, outputs: list[str]) -> Pool:
    """Makes the pool of a construction, on the device that its options name.

    Args:
        construction: the checked options.
        outputs: names of the arrays that the pool returns, in order.
    """
    if not construction.on_device:
        return construction.make_pool(outputs)
    from envpool.cuda.pool import make_pool as make_device_pool

    pool = make_device_pool(construction, outputs)
    return cast("Pool", pool)  # a DevicePool has the methods of a Pool and returns arrays on the device


class EnvPoolMixin(PoolOptions, PoolStatistics):
    """A pool of environments that are stepped together.

    Pickling or copying a pool makes a new pool with the same id, options and seed, before its first episodes. It does
    not copy state; `snapshot` and `restore` do.

    A batch of n environments holds these arrays, with one row per environment, or per player if it has several:

    - observation: arrays of shape (n, ...) with the dtype and bounds of the spec's `observation_space`.
    - reward: float32 of shape (n,).
    - terminated, truncated: bool of shape (n,), always with one row per environment.
    - info: a dict. "env_id" and "elapsed_step", the number of steps since the episode began, are int32 of shape (n,).
      "players" is a dict whose "env_id", int32, has the environment of each player. In a mixed pool, "task_id", int32 of
      shape (n,), has the place of the environment's id in `tasks`. With `episode_statistics`, "episode_return", float64,
      and "episode_length", int32, are those of the episode so far. The other entries are the environment's own.

    The pool never writes to returned arrays again. Texts of exceptions begin with the id in brackets.

    Attributes:
        spec: the EnvSpec, which has id, config, spaces and reward threshold.
        registration: the registration of the id.
        num_envs: environments in the pool.
        closed: whether `close` was called.
    """

    spec: Any
    _reset_keys: tuple[str, ...] = ()  # the options of a reset that the interface itself reads

    def _init(self, construction: Construction, layout: ResultLayout, spec: EnvSpec) -> None:
        """Makes the pool. Subclasses call this method last, so that a failure before it leaves no threads behind."""
        self._construction = construction
        self._layout = layout
        self._pack = layout.step
        self._label = construction.label
        self._next_seed: Any = None
        self._begun = False  # whether an episode has certainly begun in every environment
        self._replaced = 0  # how often states have been replaced, other than by a step
        self.num_envs = construction.common.num_envs
        self.closed = False
        self.spec = spec
        self.registration: Registration = construction.registration
        self._viewer = HumanViewer(construction.label) if construction.common.render_mode == "human" else None
        drawn = construction.common.render_mode is not None
        self._renderer = construction.renderer() if drawn else None
        self._pool = make_pool(construction, layout.outputs)
        construction.config["num_threads"] = self._pool.num_threads

    # ---- stepping ----

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Steps all environments, or those of `env_id`, and waits for a batch.

        Args:
            action: an array of shape (n, ...) with one row per environment (per player, if there are several), or
                anything that np.asarray converts to one: integers for a discrete action space, else the space's dtype.
                A dict of such arrays if an action has several fields. A dict may also hold "env_id" and
                "players.env_id", the environment of each row.
            env_id: ids of the environments to step, int, (n,), in the order of the action's rows; None means all.

        Returns:
            The same as `recv`.

        Raises:
            TypeError: the action or env_id is of the wrong dtype.
            ValueError: a wrong shape, a value out of range or NaN, an unknown or repeated env_id.
            RuntimeError: an environment is already under way, the pool is closed, the process is a fork, or a signal
                handler calls this method while it has interrupted a step of the same pool.
            EnvError: an environment threw an exception; the error holds the batch.

        If Ctrl-C, or another signal whose handler raises, interrupts the wait of a synchronous pool, `recv` returns the
        results of the interrupted step. Any other call waits for them and drops them.
        """
        try:
            return self._pack(self._pool.step(action, env_id))
        except CoreEnvError as error:
            self._raise(error, self._pack)

    def send(self, action: Any, env_id: Any = None) -> None:
        """Starts one step without waiting for it.

        Args:
            action: as in `step`.
            env_id: as in `step`.

        Raises:
            TypeError: as `step` does; no environment is stepped.
            ValueError: as `step` does; no environment is stepped.
            RuntimeError: an environment is already under way, the pool is closed, or the process is a fork.
        """
        self._pool.send(action, env_id)

    def recv(self, reset: bool = False, return_info: bool = True, timeout: float | None = None) -> Any:
        """Waits for the next batch.

        A synchronous pool returns the results of the oldest send, with rows in the order of its env_id. An asynchronous
        pool returns the next batch_size environments that finish; `info["env_id"]` has their ids.

        Args:
            reset: whether to return the batch in the form of `reset`.
            return_info: with `reset`, whether to return info with the observation.
            timeout: seconds to wait at most; None waits without a limit.

        Returns:
            A batch: (observation, reward, terminated, truncated, info) with gymnasium's interface, (observation,
            reward, done, info) with the interface of gym before 0.26, a TimeStep with dm_env's interface.

        Raises:
            TimeoutError: no batch was complete in time. A later call can still receive it.
            RuntimeError: fewer environments are under way than a batch needs, the pool is closed, or the process is a
                fork.
            EnvError: an environment threw an exception; the error holds the batch.
        """
        pack = self._layout.reset if reset else self._pack
        if reset and not return_info:
            pack = self._without_info(pack)
        try:
            return pack(self._pool.recv(-1.0 if timeout is None else self._seconds("timeout", timeout)))
        except CoreEnvError as error:
            self._raise(error, pack)

    def _reset(self, env_id: Any = None, seed: Any = None, pack: Pack | None = None, options: Any = None) -> Any:
        """Starts new episodes and waits for a batch.

        A reset of all environments discards the results of unfinished steps. Errors in the arguments are raised before
        anything is reset or discarded. `options` are those of the caller, or what `_checked_options` returned.
        """
        pack = pack or self._layout.reset
        checked = None
        if options:
            ids = self._ids_or_all("env_id", env_id)
            checked = options if isinstance(options, ResetOptions) else self._checked_options(ids, options)
        is_empty = isinstance(env_id, (list, tuple, np.ndarray)) and np.shape(env_id) == (0,)
        if is_empty and not self.closed and not self.is_async:
            if seed is not None:
                self._seeds_of_reset(seed, np.empty(0, np.int32))
            return pack(self._empty_batch())  # EnvPool's scripts pass the ids whose episodes ended, possibly none
        try:
            arrays = self._call_reset(self._pool.reset_and_recv, env_id, seed, checked)
        except CoreEnvError as error:
            self._raise(error, pack)
        if checked is not None and checked.move_starts(self._pool, ids):
            arrays = self._pool.observe(ids)
        return pack(arrays)

    def _checked_options(self, env_ids: npt.NDArray[np.int32], options: Any) -> ResetOptions | None:
        if not options:
            return None
        with labelled(self._label):
            return ResetOptions(self._construction, options, env_ids, self._reset_keys)

    def _seeds_of_reset(self, seed: Any, env_ids: npt.NDArray[np.int32]) -> tuple[Any, Any]:
        """Checks the seed of a reset. Returns the seed and the stream of each environment's generator."""
        return self._construction.seeds_and_streams(self._checked_seed(seed, len(env_ids)), env_ids)

    def _abandon(self) -> None:
        """Lets a later call discard what is under way, because a signal has interrupted the call that waited for it."""
        self._pool.abandon()

    def _empty_batch(self) -> tuple[npt.NDArray[Any], ...]:
        """Returns the arrays of a batch without rows."""
        arrays = self._construction.arrays
        fields = {field.name: field for field in (*arrays.observations, *arrays.infos)}

        def empty(name: str) -> npt.NDArray[Any]:
            field = fields.get(name.removeprefix("final."))
            return np.empty((0, *field.shape), field.dtype) if field else np.empty(0, _core.COMMON_ARRAYS[name])

        return tuple(empty(name) for name in self._layout.outputs)

    def async_reset(self) -> None:
        """Starts new episodes in all environments without waiting; `recv` returns their first observations.

        The results of unfinished steps are discarded.

        Raises:
            RuntimeError: the pool is closed, or the process is a fork.
        """
        self._call_reset(self._pool.reset, None, None)

    def seed(self, seed: Any = None) -> list[int]:
        """Sets the seed of the next reset, for scripts written for old gym. Prefer `reset(seed=...)`.

        A refused reset leaves it to the next one. The seed of `reset(seed=...)` replaces it.

        Args:
            seed: int from 0 to 2**64 - 1, or a sequence of num_envs ints; None clears the seed that was set.

        Returns:
            The seeds as a list of ints.

        Raises:
            TypeError: seed is not an int.
            ValueError: a seed is out of range, or the sequence does not have num_envs elements.
        """
        if seed is None:
            self._next_seed = None
            return []
        self._next_seed = self._checked_seed(seed, self.num_envs)
        return self._next_seed if isinstance(self._next_seed, list) else [self._next_seed]

    def xla(self) -> tuple[npt.NDArray[np.uint8], Any, Any, Any]:
        """Returns functions that step the pool inside `jax.jit`, scans and loops, on the device where the pool is.

        Returns:
            handle (uint8), recv, send and step, to be called as `handle, result = recv(handle)`,
            `handle = send(handle, action, env_id)` and `handle, result = step(handle, action, env_id)`. Each call takes
            the handle that the previous one returned; the data dependency puts the calls in order. `result` is the
            return value of the pool's `recv`, with a fixed number of rows: see docs/jax.md.

        Raises:
            MissingPackageError: JAX is not installed.
            RuntimeError: the pool is closed, or the process is a fork.
        """
        from envpool.jax.pool import PoolCalls

        calls = PoolCalls(self._construction, self._pool, self._layout.traced)
        return calls.handle, calls.recv, calls.send, calls.step

    def _call_reset(
        self, call: Callable[..., Result], env_id: Any, seed: Any, options: ResetOptions | None = None
    ) -> Result:
        """Calls one of the pool's methods that begin episodes, and returns its result."""
        if options is not None and options.pickled is not None:
            call = partial(call, options=options.pickled)
        if seed is None:
            seed = self._next_seed
            if isinstance(seed, list) and env_id is not None:
                seed = [seed[index] for index in self._ids("env_id", env_id)]
        arguments: tuple[Any, ...] = (env_id,)
        if seed is not None:
            ids = self._ids_or_all("env_id", env_id)
            arguments = (ids, *self._seeds_of_reset(seed, ids))
        if env_id is None and self._pool.under_way:
            self._pool.discard()
        if options is not None and options.new is not None:
            self._apply(options.new, "reset")
        try:
            result = call(*arguments)
        except BaseException as error:  # also of a signal handler, while the first observations were under way
            self._begun = self._begun or self._pool.under_way > 0
            self._replaced += 1
            if isinstance(error, CoreEnvError):  # the episodes have begun nevertheless
                self._begun, self._next_seed = True, None
            raise
        self._next_seed = None
        self._begun = self._begun or env_id is None
        self._replaced += 1
        return result

    def _has_begun(self, env_ids: Any = None) -> bool:
        """Returns whether an episode has begun in all of these environments, by a reset or in a restored state."""
        if not self._begun:
            self._begun = 0 not in self._pool.players(None)
        return self._begun or (env_ids is not None and 0 not in self._pool.players(env_ids))

    def _raise(self, error: CoreEnvError, pack: Pack) -> NoReturn:
        raise EnvError(str(error), error.env_id, error.messages, pack(error.arrays)) from None

    @staticmethod
    def _without_info(pack: Pack) -> Pack:
        return lambda arrays: pack(arrays)[0]

    # ---- images ----

    def _rendered(self, env_ids: Any = None) -> npt.NDArray[np.uint8]:
        if self._construction.common.render_mode is None:
            raise RuntimeError(
                f"[{self._label}] render: expected a pool made with render_mode='rgb_array' or 'human', got one without "
                "a render_mode"
            )
        common = self._construction.common
        ids = np.array(common.render_env_id if env_ids is None else self._ids("env_ids", env_ids), np.int32)
        images = self._pool.render(ids) if self._renderer is None else self._renderer.render(self._pool, ids)
        return resized(images, common.render_height, common.render_width)

    def _render(self, env_ids: Any = None) -> npt.NDArray[np.uint8] | None:
        """Returns images; with render_mode "human", shows them in a window and returns None."""
        images = self._rendered(env_ids)
        if self._viewer is None:
            return images
        self._viewer.show(images)
        return None

    # ---- description ----

    @property
    def config(self) -> dict[str, Any]:
        """Every option with its value, as EnvPool names them; `make(id, **config)` makes an equal pool."""
        return dict(self._construction.config)

    @property
    def is_async(self) -> bool:
        """Whether a batch holds only the environments that finish first, instead of all."""
        return self._construction.common.batch_size != self.num_envs

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids, in the order of the numbers in `info["task_id"]`. There are several in a mixed pool."""
        return tuple(task.label for task in self._construction.tasks)

    def players(self, env_id: Any = None) -> npt.NDArray[np.int32]:
        """Returns the current number of players of each environment, int32.

        Args:
            env_id: ids of environments; None means all.

        Raises:
            TypeError: an id is not an int.
            ValueError: an unknown env_id.
        """
        ids = self._ids_or_all("env_id", env_id)
        return np.array(self._pool.players(ids), np.int32)

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        """Shows the id, the options of the pool, and the environment's own options that differ from their defaults."""
        config, options = self._construction.config, self._construction.options
        keys = ["num_envs", "batch_size", "num_threads", "autoreset_mode"]
        if self._construction.on_device:
            keys[2:3] = ["device"]
        keys += [key for key, option in options.items() if key not in keys and config[key] != option.default]
        shown = ", ".join(f"{key}={reprlib.repr(config[key])}" for key in keys)
        return f"{type(self).__name__}({self._label!r}, {shown}{', closed' if self.closed else ''})"

    __str__ = __repr__  # otherwise gym.Env and gymnasium.Env would replace __str__

    # ---- closing and copying ----

    def close(self, timeout: float = 10.0, **_: Any) -> None:
        """Ends the threads and destroys the environments. A second call does nothing; other methods raise afterwards.

        Concurrent calls all wait until the pool is closed. A signal handler may call it during any other method.

        Args:
            timeout: seconds to wait for environments that are in the middle of a step; math.inf waits without a limit.

        Raises:
            TimeoutError: an environment did not finish in time. The pool is closed nevertheless.
        """
        seconds = self._seconds("timeout", timeout)
        self.closed = True
        if self._viewer is not None:
            self._viewer.close()
        if self._renderer is not None:
            self._renderer.close()
        self._pool.close(seconds)

    def _seconds(self, name: str, value: Any) -> float:
        with labelled(self._label):
            return check_seconds(name, value)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        """Does nothing, unlike the inherited method of gym and gymnasium: a freed pool ends its threads by itself."""

    def __reduce__(self) -> Any:
        construction = self._construction
        return _remake, (
            type(self).__module__,
            type(self).__qualname__,
            construction.registration,
            construction.caller_options,
        )


def _remake(module: str, name: str, registration: Registration, caller_options: dict[str, Any]) -> Any:
    import importlib

    return getattr(importlib.import_module(module), name)(registration, caller_options)
