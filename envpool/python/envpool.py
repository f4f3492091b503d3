# SPDX-License-Identifier: Apache-2.0
"""What the pools of all faces have in common: everything but the form of what comes back."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
import numpy.typing as npt

from envpool import _core
from envpool._core import EnvError as CoreEnvError
from envpool.python.construction import Construction
from envpool.python.errors import EnvError, labelled
from envpool.python.options import as_number, check_env_ids, check_seconds, check_seed, check_seeds
from envpool.python.pictures import View, resized

if TYPE_CHECKING:
    from typing_extensions import Self

    from envpool._core import DeviceArray, DevicePool, Pool
    from envpool.python.env_spec import EnvSpec
    from envpool.python.layout import Layout, Pack
    from envpool.python.registry import Registration


def make_pool(construction: Construction, outputs: list[str]) -> Pool:
    """Makes the pool of a construction, on the device that its options name, which shall return these arrays."""
    if not construction.on_device:
        return construction.make_pool(outputs)
    from envpool.cuda.pool import make_pool as make_device_pool

    origin = construction.registration
    common = construction.common
    made = make_device_pool(
        common.device,
        source=origin.source,
        include=origin.include,
        in_place=common.in_place,
        **construction.pool_arguments(outputs),
    )
    return cast("Pool", made)  # it has a pool's methods, and returns arrays on the device


class EnvPoolMixin:
    """A pool of environments that are stepped together.

    Pools are pickled and copied by how they were made: what comes back is a new pool with the same id, options and
    seed, at the beginning of its first episodes. `snapshot` and `restore` carry state.

    What a batch holds, with a row for each environment of the batch (n of them), or for each player where there are
    several:

    - observation: arrays of shape (n, ...) with the dtype and bounds of the spec's `observation_space`.
    - reward: float32, (n,). terminated, truncated: bool, (n,), one for each environment also where there are players.
    - info: a dict of "env_id", int32, (n,); "players" with their "env_id", int32, (number of players,);
      "elapsed_step", int32, steps since the episode began, (n,); and what the environment adds.

    The arrays are never written again. Messages of exceptions begin with the id in brackets.

    Attributes:
        spec: the EnvSpec, which has id, config, spaces and reward threshold.
        registration: what the id stands for.
        num_envs: environments in the pool.
        closed: whether `close` was called.
    """

    num_envs: int
    closed: bool
    spec: Any

    def _init(self, construction: Construction, layout: Layout, spec: EnvSpec) -> None:
        """Makes the pool. Faces call it last, for a failure in it must leave nothing behind."""
        self._construction = construction
        self._layout = layout
        self._pack = layout.step
        self._label = construction.label
        self._next_seed: Any = None
        self.num_envs = construction.common.num_envs
        self.closed = False
        self.spec = spec
        self.registration: Registration = construction.registration
        self._view = View(construction.label) if construction.common.render_mode == "human" else None
        self._pool = make_pool(construction, layout.outputs)
        construction.config["num_threads"] = self._pool.num_threads

    # ---- stepping ----

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Does one step of every environment, or of those named, and waits for a batch.

        Args:
            action: an array of shape (n, ...) with one row per environment (per player, where there are several), of
                integers where the action space counts them, else of the space's dtype, or whatever np.asarray takes; a
                dict of such arrays where an action has several fields. A dict may also hold "env_id" and
                "players.env_id", the environment of each row.
            env_id: ids of the environments to step, int, (n,), in the order of the action's rows; None is all of them.

        Returns:
            What `recv` returns.

        Raises:
            TypeError: the action or env_id is of the wrong dtype.
            ValueError: a wrong shape, a value out of range or NaN, an unknown or repeated env_id.
            RuntimeError: an environment is under way already, the pool is closed, or the process is a fork.
            EnvError: an environment threw; the exception holds what would have been returned.
        """
        try:
            return self._pack(self._pool.step(action, env_id))
        except CoreEnvError as error:
            self._raise(error, self._pack)

    def send(self, action: Any, env_id: Any = None) -> None:
        """Starts one step, and does not wait.

        Args:
            action: as in `step`.
            env_id: as in `step`.

        Raises:
            TypeError: as `step` does; nothing is sent then.
            ValueError: as `step` does; nothing is sent then.
            RuntimeError: an environment is under way already, the pool is closed, or the process is a fork.
        """
        self._pool.send(action, env_id)

    def recv(self, reset: bool = False, return_info: bool = True, timeout: float | None = None) -> Any:
        """Waits for the next batch of what was sent.

        In a synchronous pool that is the oldest send, its rows in the order they were asked for. In an asynchronous
        one it is the next batch_size environments to be ready, `info["env_id"]` telling which.

        Args:
            reset: return what `reset` returns instead.
            return_info: with `reset`, whether info comes with the observation.
            timeout: seconds to wait at most; None is for ever.

        Returns:
            A batch in the form of the face, which is (observation, reward, terminated, truncated, info) in
            gymnasium's, (observation, reward, done, info) in that of gym before 0.26, a TimeStep in dm_env's.

        Raises:
            TimeoutError: no batch was complete in time. Nothing is lost.
            RuntimeError: less is under way than a batch needs, the pool is closed, or the process is a fork.
            EnvError: an environment threw; the exception holds what would have been returned.
        """
        pack = self._layout.reset if reset else self._pack
        if reset and not return_info:
            pack = self._without_info(pack)
        try:
            return pack(self._pool.recv(-1.0 if timeout is None else self._seconds("timeout", timeout)))
        except CoreEnvError as error:
            self._raise(error, pack)

    def _reset(self, env_id: Any = None, seed: Any = None, pack: Pack | None = None) -> Any:
        """Starts new episodes and waits for a batch. What was under way when all are reset is dropped."""
        pack = pack or self._layout.reset
        none = isinstance(env_id, (list, tuple, np.ndarray)) and np.shape(env_id) == (0,)
        if none and not self.closed and not self.is_async:
            return pack(self._no_rows())  # EnvPool's scripts reset what has ended, even if nothing has
        self._send_reset(env_id, seed)
        try:
            return pack(self._pool.recv())
        except CoreEnvError as error:
            self._raise(error, pack)

    def _no_rows(self) -> tuple[npt.NDArray[Any], ...]:
        """What the pool would return of no environment."""
        arrays = self._construction.arrays
        fields = {field.name: field for field in (*arrays.observations, *arrays.infos)}

        def empty(name: str) -> npt.NDArray[Any]:
            field = fields.get(name.removeprefix("final."))
            return np.empty((0, *field.shape), field.dtype) if field else np.empty(0, _core.COMMON_ARRAYS[name])

        return tuple(empty(name) for name in self._layout.outputs)

    def async_reset(self) -> None:
        """Starts new episodes in all environments, and does not wait: `recv` returns their first observations.

        What was under way is dropped.

        Raises:
            RuntimeError: the pool is closed, or the process is a fork.
        """
        self._send_reset(None, None)

    def seed(self, seed: Any = None) -> list[int]:
        """Sets the seed of the next reset, as old gym's scripts do. `reset(seed=...)` is the plain way.

        Args:
            seed: int from 0 to 2**64 - 1, or a sequence of num_envs of them; None takes back what was set.

        Returns:
            The seeds as a list of ints.

        Raises:
            TypeError: seed is no int.
            ValueError: it is out of range, or there are not num_envs of them.
        """
        if seed is None:
            self._next_seed = None
            return []
        self._next_seed = self._checked_seed(seed, self.num_envs)
        return self._next_seed if isinstance(self._next_seed, list) else [self._next_seed]

    def xla(self) -> tuple[npt.NDArray[np.uint8], Any, Any, Any]:
        """The pool for use inside of `jax.jit`, scans and loops, on the CPU.

        Returns:
            handle (uint8), recv, send and step, to be called as `handle, result = recv(handle)`, `handle = send(handle, action,
            env_id)` and `handle, result = step(handle, action, env_id)`. Each call takes the handle that the one
            before it returned, which puts them in order. `result` is what `recv` of the pool returns, with a fixed
            number of rows: see docs/jax.md.

        Raises:
            MissingPackageError: JAX is not installed.
            RuntimeError: the pool is closed, the process is a fork, or the environments live on a GPU.
        """
        from envpool.jax.pool import Calls

        if self._construction.on_device:
            raise RuntimeError(f"[{self._label}] xla: expected a pool on the CPU, got one on {self.config['device']!r}")

        calls = Calls(self._construction, self._pool, self._layout.traced)
        return calls.handle, calls.recv, calls.send, calls.step

    def _send_reset(self, env_id: Any, seed: Any) -> None:
        if seed is None:
            seed, self._next_seed = self._next_seed, None
            if seed is not None and isinstance(seed, list) and env_id is not None:
                seed = [seed[index] for index in self._ids("env_id", env_id)]
        if env_id is None and self._pool.under_way:
            self._pool.discard()
        if seed is None:
            self._pool.reset(env_id)
            return
        ids = self.all_env_ids if env_id is None else np.array(self._ids("env_id", env_id), np.int32)
        self._pool.reset(ids, *self._construction.seeds_and_streams(self._checked_seed(seed, len(ids)), ids))

    def _checked_seed(self, seed: Any, count: int) -> int | list[int]:
        several = hasattr(seed, "__len__") and not isinstance(seed, (str, bytes, Mapping))
        with labelled(self._label):
            if as_number(seed, "int") is None and several:
                return check_seeds("seed", seed, count)
            return check_seed("seed", seed)

    def _ids(self, name: str, env_id: Any) -> list[int]:
        with labelled(self._label):
            return check_env_ids(name, env_id, self.num_envs)

    def _raise(self, error: CoreEnvError, pack: Pack) -> NoReturn:
        raise EnvError(str(error), error.env_id, error.messages, pack(error.arrays)) from None

    @staticmethod
    def _without_info(pack: Pack) -> Pack:
        return lambda arrays: pack(arrays)[0]

    # ---- state and pictures ----

    def snapshot(self, env_id: int) -> bytes:
        """The whole state of one environment, its generator and time limit included.

        Args:
            env_id: the environment, int.

        Returns:
            Bytes, of use to `restore` alone.

        Raises:
            TypeError: env_id is no int.
            ValueError: an unknown env_id.
            RuntimeError: it is under way, or this environment cannot save its state.
        """
        return self._pool.snapshot(self._one_id(env_id))

    def restore(self, env_id: int, state: bytes) -> None:
        """Puts one environment into a state that `snapshot` returned; it goes on from there, bit for bit.

        The state may come from another environment or pool of the same id and options. What the next step returns is
        the step after the snapshot; no observation of the state itself is returned.

        Args:
            env_id: the environment, int.
            state: what `snapshot` returned.

        Raises:
            TypeError: state is not bytes, or env_id no int.
            ValueError: an unknown env_id, or a state of something else.
            RuntimeError: it is under way, or this environment cannot load a state.
        """
        if not isinstance(state, (bytes, bytearray)):
            raise TypeError(f"[{self._label}] state must be what snapshot returned, got {type(state).__name__}")
        self._pool.restore(self._one_id(env_id), bytes(state))

    def clone(self, source_env_id: int, env_ids: Any = None, seed: Any = None) -> None:
        """Copies the whole state of one environment into others, which go on from there as it does.

        Args:
            source_env_id: the environment that is copied.
            env_ids: those that become like it, and may include it; None is all of them. They keep their options.
            seed: None: copies share the source's random numbers, so that equal actions have equal ends, bit for bit.
                An int: environment i draws from stream i of that seed from now on, so that copies try what else may
                happen. Or one int for each of env_ids. A copy's next reset is then as after `reset(seed=...)`.

        Raises:
            TypeError: an id or seed is no int. Nothing is copied.
            ValueError: an unknown or repeated id, or seed is out of range. Nothing is copied.
            RuntimeError: one of them is under way, or this environment cannot save its state.
        """
        source = self._one_id(source_env_id, "source_env_id")
        ids = self.all_env_ids if env_ids is None else np.array(self._ids("env_ids", env_ids), np.int32)
        if seed is None:
            self._pool.clone(source, ids)
        else:
            self._pool.clone(
                source, ids, *self._construction.seeds_and_streams(self._checked_seed(seed, len(ids)), ids)
            )

    def states(self) -> dict[str, DeviceArray]:
        """Returns the named parts of all environments' states, which lie on the GPU, to read and to write.

        The parts are those that the environment names, such as "position", and "elapsed_step", "episode" and "over";
        `envpool.jax` shows the same. Libraries take them by DLPack without a copy and may write into them:
        `torch.from_dlpack(pool.states()["position"])[:] = 0`. From the first call on, each step brings the states into
        the range that the environment accepts before it uses them, as `restore` does. Call it anew after each step, so
        that what is read is ordered after that step.

        Returns:
            Arrays by name, of shape (num_envs,) or (num_envs, n), with gaps between the rows.

        Raises:
            RuntimeError: the pool is on the CPU, it is closed, or the process is a fork.
        """
        if not self._construction.on_device:
            raise RuntimeError(f"[{self._label}] states: expected a pool on a GPU, got one on 'cpu'; see snapshot")
        return cast("DevicePool", self._pool).states()

    def _one_id(self, env_id: Any, name: str = "env_id") -> int:
        if as_number(env_id, "int") is None:
            raise TypeError(f"[{self._label}] {name} must be an int from 0 to {self.num_envs - 1}, got {env_id!r}")
        return self._ids(name, env_id)[0]

    def _frames(self, env_ids: Any = None) -> npt.NDArray[np.uint8]:
        if self._construction.common.render_mode is None:
            raise RuntimeError(
                f"[{self._label}] render needs the pool to be made with render_mode='rgb_array' or 'human'"
            )
        common = self._construction.common
        ids = common.render_env_id if env_ids is None else self._ids("env_ids", env_ids)
        return resized(self._pool.render(np.array(ids, np.int32)), common.render_height, common.render_width)

    def _picture(self, env_ids: Any = None) -> npt.NDArray[np.uint8] | None:
        """What `render` returns: pictures, or None after it has shown them in the window."""
        frames = self._frames(env_ids)
        if self._view is None:
            return frames
        self._view.show(frames)
        return None

    # ---- what it is ----

    @property
    def config(self) -> dict[str, Any]:
        """Every option with its value, as EnvPool names them; `make(id, **config)` makes the same again."""
        return dict(self._construction.config)

    @property
    def all_env_ids(self) -> npt.NDArray[np.int32]:
        """0 to num_envs - 1, int32."""
        return np.arange(self.num_envs, dtype=np.int32)

    @property
    def is_async(self) -> bool:
        """Whether batches are of fewer than all environments, so that the readiest come first."""
        return self._construction.common.batch_size != self.num_envs

    def players(self, env_id: Any = None) -> npt.NDArray[np.int32]:
        """How many players each environment (or each of those named) has now: int32, one for each.

        Args:
            env_id: ids of environments; None is all of them.

        Raises:
            TypeError: env_id is not of ints.
            ValueError: an unknown env_id.
        """
        ids = self.all_env_ids if env_id is None else np.array(self._ids("env_id", env_id), np.int32)
        return np.array(self._pool.players(ids), np.int32)

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        """What it is, how it runs, and which of its own options are not as they are by default."""
        config, options = self._construction.config, self._construction.options
        keys = ["num_envs", "batch_size", "num_threads", "autoreset_mode"]
        if self._construction.on_device:
            keys[2:3] = ["device"]
        keys += [key for key, option in options.items() if key not in keys and config[key] != option.default]
        shown = ", ".join(f"{key}={reprlib.repr(config[key])}" for key in keys)
        return f"{type(self).__name__}({self._label!r}, {shown}{', closed' if self.closed else ''})"

    __str__ = __repr__  # gym's and gymnasium's would hide it

    # ---- its end, and its copies ----

    def close(self, timeout: float = 10.0, **_: Any) -> None:
        """Ends the threads and the environments. Closing twice is fine; any other use after it is a RuntimeError.

        Of several calls at once each waits for the end, and a signal handler may call it in the middle of any other.

        Args:
            timeout: seconds to wait for environments that are in the middle of a step; math.inf is for ever.

        Raises:
            TimeoutError: one did not finish in time. The pool is closed all the same.
        """
        seconds = self._seconds("timeout", timeout)
        self.closed = True
        if self._view is not None:
            self._view.close()
        self._pool.close(seconds)

    def _seconds(self, name: str, value: Any) -> float:
        with labelled(self._label):
            return check_seconds(name, value)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        """Does nothing, where gym and gymnasium would call close: a pool ends its threads when it is collected."""

    def __reduce__(self) -> Any:
        construction = self._construction
        return _remake, (type(self).__module__, type(self).__qualname__, construction.registration, construction.given)


def _remake(module: str, face: str, registration: Registration, given: dict[str, Any]) -> Any:
    import importlib

    return getattr(importlib.import_module(module), face)(registration, given)
