# SPDX-License-Identifier: Apache-2.0
"""The compiled core, which bindings/module.cc defines."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_Ids = Sequence[int] | npt.NDArray[np.int32]

MAX_NUM_ENVS: int
MAX_NUM_THREADS: int
# In place of a stream: a reset does not seed the environment.
NO_STREAM: int
# Bits of `Table.flags`.
PORTABLE: int
CAN_SNAPSHOT: int
CAN_RENDER: int
BOUNDED: int
# The number of each name in C++.
AUTORESET_MODES: dict[str, int]
KEYED: dict[str, int]
# The arrays that every environment has, with their dtypes.
COMMON_ARRAYS: dict[str, str]

class EnvError(RuntimeError):
    """Environments threw exceptions. They have been reset, and `arrays` holds the whole batch."""

    env_id: list[int]
    messages: list[str]
    arrays: tuple[npt.NDArray[Any], ...]

class Table:
    """One environment of a plugin."""

    @property
    def name(self) -> str: ...
    @property
    def flags(self) -> int:
        """The bits of PORTABLE, CAN_SNAPSHOT, CAN_RENDER and BOUNDED that are set."""

    def describe(self) -> str:
        """Returns a JSON list of the options: name, kind, default, low, high, choices, changes_shapes, tunable, doc."""

    def spec(self, options: Mapping[str, bool | int | float | str | bytes | tuple[Any, ...]]) -> str:
        """Returns JSON of the arrays: fields, actions, max_players, reward_low/high, render_height/width."""

    def tunables(
        self, options: Mapping[str, bool | int | float | str | bytes | tuple[Any, ...]]
    ) -> list[tuple[str, str, float, float, tuple[int, ...]]]:
        """Returns the options that can change from episode to episode: name, kind, low, high and shape of each."""

    def parts(self) -> str:
        """Returns a JSON list of the named parts of a state: name, dtype, offset, count; empty if not portable."""

    @property
    def device(self) -> Mapping[str, Any] | None:
        """A description of the environment for the GPU compiler; None if it is not portable.

        Its entries are header (path in an include folder, or empty), type (in C++), world (whether there are several
        players), state_at and state_bytes (of the state in a slot, without extra bytes), and params_bytes.
        """

class DeviceArray:
    """An array on a GPU. torch.from_dlpack, jax.dlpack.from_dlpack and cupy.from_dlpack import it without a copy."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def device(self) -> str:
        """The device, such as "cuda:0"."""

    def __len__(self) -> int: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def assign(self, values: npt.ArrayLike) -> None:
        """Copies values from the host into the array, broadcast and cast as np.copyto does. Waits for the copy."""

    def numpy(self) -> npt.NDArray[Any]:
        """Returns a copy in the host's memory. Waits until the array is computed, unless the host knows its values."""

class CudaDriver:
    """NVIDIA's driver, for envpool/cuda/driver.py. Failing calls raise envpool.cuda.driver.CudaError."""

    def __init__(self, path: str) -> None:
        """Opens the library, once per process. Raises RuntimeError if that fails, or if the library lacks a function."""

    @property
    def stand_in(self) -> bool: ...
    def version(self) -> int:
        """The version of CUDA that the driver supports, such as 12040 for 12.4."""

    def initialize(self) -> None: ...
    def device_count(self) -> int: ...
    def device_facts(self, number: int) -> tuple[str, tuple[int, int], int]:
        """Returns a device's name, compute capability and bytes of memory."""

    def memory(self, number: int) -> tuple[int, int]:
        """Returns the free and the total bytes of a device's memory. Retains its primary context during the call."""

class DevicePool:
    """Environments on a GPU. Methods that Pool also has do the same as there, but with arrays on the device."""

    def __init__(
        self,
        *,
        table: Table,
        label: str,
        options: Sequence[Mapping[str, bool | int | float | str | bytes | tuple[Any, ...]]],
        num_envs: int,
        batch_size: int,
        seeds: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint32],
        autoreset: int,
        max_episode_steps: Sequence[int],
        outputs: Sequence[str],
        library: str,
        number: int,
        image: bytes,
        threads: int,
        envs: int,
        in_place: bool,
        statistics: Mapping[str, Any],
        statistics_image: bytes,
    ) -> None:
        """`statistics_image` is the program of core/table/device_statistics.h for the device if there are statistics."""

    def step(self, action: Any, env_id: Any = None) -> tuple[DeviceArray, ...]: ...
    def send(self, action: Any, env_id: Any = None) -> None: ...
    def reset(
        self,
        env_id: Any = None,
        seeds: npt.NDArray[np.uint64] | None = None,
        streams: npt.NDArray[np.uint32] | None = None,
    ) -> None: ...
    def reset_and_recv(
        self,
        env_id: Any = None,
        seeds: npt.NDArray[np.uint64] | None = None,
        streams: npt.NDArray[np.uint32] | None = None,
    ) -> tuple[DeviceArray, ...]: ...
    def recv(self, timeout: float = -1.0) -> tuple[DeviceArray, ...]: ...
    def discard(self) -> None: ...
    def abandon(self) -> None:
        """Forgets what is under way, after a signal; does nothing if asynchronous."""

    def snapshot(self, env_ids: _Ids) -> list[bytes]: ...
    def restore(self, env_ids: _Ids, states: Sequence[bytes]) -> None: ...
    def clone(
        self,
        sources: _Ids,
        env_ids: _Ids,
        seeds: npt.NDArray[np.uint64] | None = None,
        streams: npt.NDArray[np.uint32] | None = None,
    ) -> None: ...
    def read_states(
        self, env_ids: npt.NDArray[np.int32], offset: int, bytes: int, call: str = "states"
    ) -> npt.NDArray[np.uint8]: ...
    def write_states(self, env_ids: npt.NDArray[np.int32], offset: int, data: npt.NDArray[np.uint8]) -> None: ...
    def observe(self, env_ids: _Ids | None = None) -> tuple[DeviceArray, ...]:
        """Does the same as Pool.observe. The host computes the observations."""

    def render(self, env_ids: Any = None) -> npt.NDArray[np.uint8]: ...
    def players(self, env_ids: Any = None) -> list[int]: ...
    def xla(self, image: bytes) -> tuple[bytes, int, list[tuple[int, np.dtype[Any], tuple[int, ...], bool]]]:
        """Does the same as Pool.xla; `image` is the program of core/table/device_results.h for the device."""
    def set_options(
        self,
        env_ids: _Ids,
        names: Sequence[str],
        values: npt.NDArray[np.float64],
        call: str = "set_options",
    ) -> None:
        """Does the same as Pool.set_options. `has_params_of_each` must be true."""

    def options(self, env_ids: _Ids) -> list[list[float]]: ...
    @property
    def has_params_of_each(self) -> bool:
        """Whether the kernel reads parameters of each environment."""

    def use_params_of_each(self, image: bytes) -> None:
        """Gives each environment its own parameters; `image` is the program for them (program.py)."""

    def statistics(self) -> dict[str, npt.NDArray[Any]]: ...
    def set_statistics(self, values: Mapping[str, npt.NDArray[Any]]) -> None: ...
    @property
    def updates_moments(self) -> bool: ...
    def set_updates_moments(self, value: bool) -> None: ...
    def states(self) -> dict[str, DeviceArray]:
        """Returns the named parts of all states, to which the caller may write."""

    def wait(self) -> None:
        """Waits until the GPU has completed all work that was sent."""

    def close(self, timeout: float = 10.0) -> None: ...
    @property
    def closed(self) -> bool: ...
    @property
    def under_way(self) -> int: ...
    @property
    def num_threads(self) -> int: ...
    @property
    def batch_size(self) -> int: ...

class Pool:
    """Environments, the threads that step them, and the memory for their results.

    A task is a table, the id, the number of environments, and their options: one mapping for all, or one for each.
    """

    def __init__(
        self,
        *,
        tasks: Sequence[
            tuple[Table, str, int, Sequence[Mapping[str, bool | int | float | str | bytes | tuple[Any, ...]]]]
        ],
        label: str,
        batch_size: int,
        num_threads: int,
        thread_cpus: Sequence[int],
        seeds: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint32],
        autoreset: int,
        max_episode_steps: Sequence[int],
        outputs: Sequence[str],
        statistics: Mapping[str, Any],
    ) -> None: ...
    def step(self, action: Any, env_id: Any = None) -> tuple[npt.NDArray[Any], ...]: ...
    def send(self, action: Any, env_id: Any = None) -> None: ...
    def reset(
        self,
        env_id: Any = None,
        seeds: npt.NDArray[np.uint64] | None = None,
        streams: npt.NDArray[np.uint32] | None = None,
        options: bytes | None = None,
    ) -> None: ...
    def discard(self) -> None:
        """Waits for all environments under way and discards their results."""

    def abandon(self) -> None:
        """Lets the next call other than recv discard what is under way, after a signal; nothing if asynchronous."""

    def observe(self, env_ids: _Ids | None = None) -> tuple[npt.NDArray[Any], ...]:
        """Returns the arrays of a batch with the current observations of idle environments."""

    def state_bytes(self, env_id: int) -> int:
        """Returns the size of an environment's state."""

    def read_states(
        self, env_ids: npt.NDArray[np.int32], offset: int, bytes: int, call: str = "states"
    ) -> npt.NDArray[np.uint8]:
        """Returns the same bytes of each environment's state, of shape (environments, bytes).

        Errors begin with `call`, the name of the function that the user has called.
        """

    def write_states(self, env_ids: npt.NDArray[np.int32], offset: int, data: npt.NDArray[np.uint8]) -> None:
        """Overwrites bytes that `read_states` has returned."""

    def set_options(
        self,
        env_ids: _Ids,
        names: Sequence[str],
        values: npt.NDArray[np.float64],
        call: str = "set_options",
    ) -> None:
        """Sets options of environments from their next episodes on; one row per environment, one column per name.

        Choices are numbers. Errors begin with `call`, the name of the function that the user has called.
        """

    def options(self, env_ids: _Ids) -> list[list[float]]:
        """Returns, for each environment, the time limit and the values of its tunable options in their order."""

    def reset_and_recv(
        self,
        env_id: Any = None,
        seeds: npt.NDArray[np.uint64] | None = None,
        streams: npt.NDArray[np.uint32] | None = None,
        options: bytes | None = None,
    ) -> tuple[npt.NDArray[Any], ...]:
        """Starts new episodes and receives a batch. If a signal handler raises meanwhile, it calls `abandon`."""

    def recv(self, timeout: float = -1.0) -> tuple[npt.NDArray[Any], ...]: ...
    def snapshot(self, env_ids: _Ids) -> list[bytes]: ...
    def restore(self, env_ids: _Ids, states: Sequence[bytes]) -> None: ...
    def clone(
        self,
        sources: _Ids,
        env_ids: _Ids,
        seeds: npt.NDArray[np.uint64] | None = None,
        streams: npt.NDArray[np.uint32] | None = None,
    ) -> None: ...
    def statistics(self) -> dict[str, npt.NDArray[Any]]:
        """Returns copies of the arrays of the pool's statistics, each with one axis, by names such as "obs.mean"."""

    def set_statistics(self, values: dict[str, npt.NDArray[Any]]) -> None:
        """Replaces these arrays by others of the same names, dtypes and sizes."""

    @property
    def updates_moments(self) -> bool:
        """Whether batches change the moments."""

    def set_updates_moments(self, value: bool) -> None: ...
    def render(self, env_ids: npt.NDArray[np.int32] | None = None) -> npt.NDArray[np.uint8]: ...
    def players(self, env_ids: npt.NDArray[np.int32] | None = None) -> list[int]: ...
    def over(self, env_id: int) -> bool:
        """Returns whether the episode of an environment is over, or none has begun."""

    def xla(self) -> tuple[bytes, int, list[tuple[int, np.dtype[Any], tuple[int, ...], bool]]]:
        """Returns the handle, the port's number, and for each output: array, dtype, row shape, whether per player."""

    def close(self, timeout: float = 10.0) -> None: ...
    @property
    def under_way(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def num_threads(self) -> int: ...

class ModelReference:
    """Keeps a model alive, which compiled programs also do. Jitted code refers to the model by its number."""

    @property
    def number(self) -> int: ...

def add_pure_model(
    table: Table,
    label: str,
    options: Mapping[str, bool | int | float | str | bytes | tuple[Any, ...]],
    max_episode_steps: int,
    source: str,
    includes: Sequence[str],
    threads: int,
    envs: int,
) -> tuple[ModelReference, int, int, str]:
    """Makes a model for jitted code.

    Returns the model, the bytes and the tag of a state, and the parts of a state as JSON. The arguments from `source` to `envs`
    describe the model's program for a GPU (envpool/cuda/program.py). `source` is empty if there is none.
    """

def live_models() -> int:
    """Returns the number of models for jitted code."""

def live_pool_entries() -> int:
    """Returns the number of pools that jitted code can refer to, including closed ones."""

def xla_handlers(platform: str) -> dict[str, dict[str, Any]]:
    """Returns the handlers for "cpu" or "CUDA": for each name, capsules by stage, as jax.ffi registers them."""

def set_device_compiler(library: Callable[[], str], image: Callable[[str, str, list[str], int], bytes]) -> None:
    """Sets the functions that the handlers for GPUs call: see envpool/jax/cuda.py."""

def load_plugin(path: str) -> list[Table]: ...
def refusal_of_code() -> str: ...
def usable_cpus() -> int: ...
def usable_memory() -> float:
    """Returns how many more bytes this process may use, given the machine's memory and the cgroup limits."""
