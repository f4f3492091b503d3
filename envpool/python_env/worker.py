# SPDX-License-Identifier: Apache-2.0
"""The program of a worker process: runs a range of a pool's environments.

The pool starts this file as a script. Its arguments are the path of the family's shared object, the number of the
worker, and the number of the worker's process. File descriptor 3 is the shared memory. The script imports nothing of
envpool, so that a worker starts quickly.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

_MEMORY = 3
_MESSAGE_BYTES = 2048
_TERMINATED, _TRUNCATED, _RAISED = 1, 2, 4


class Array(NamedTuple):
    """One array in the rows of an environment.

    Attributes:
        kind: "action", "obs" or "info".
        path: the keys under which the environment has it; empty for an observation or action that is not a dict.
        dtype: its NumPy dtype, by name.
        shape: its shape.
        form: for an action, the dtype of the scalar ("int64") or array ("array int8") that the environment expects.
    """

    kind: str
    path: tuple[str, ...]
    dtype: str
    shape: tuple[int, ...]
    form: str = ""


class Program(NamedTuple):
    """Contains everything that a worker needs to make environments.

    Attributes:
        make: makes an environment.
        options: the keywords of `make`.
        takes_env_id: whether `make` also takes the number of the environment, `env_id`.
        spaces: the observation and the action space that every environment must have.
        arrays: the arrays of an environment, in the order of their rows.
    """

    make: Callable[..., Any]
    options: Mapping[str, Any]
    takes_env_id: bool
    spaces: tuple[Any, Any]
    arrays: Sequence[Array]


def reader(view: Any, form: str) -> Callable[[], Any]:
    """Returns a function that copies an action out of its row, because the environment may keep it."""
    if not form:
        return lambda: view.copy()
    if form.startswith("array "):
        dtype = form.removeprefix("array ")
        return lambda: view.astype(dtype)
    return lambda: view[()]


def writer(view: Any, name: str) -> Callable[[Any], None]:
    """Returns a function that writes a value into its row, and raises ValueError if it does not fit."""
    import numpy as np

    dtype, shape, array_type = view.dtype, view.shape, np.ndarray

    def write(value: Any) -> None:
        if type(value) is array_type and value.dtype == dtype and value.shape == shape:
            view[...] = value
            return
        array = np.asarray(value)
        if array.shape != shape or array.dtype.kind not in "biuf":
            raise ValueError(f"{name}: expected {dtype} of shape {shape}, got {array.dtype} of shape {array.shape}")
        with np.errstate(all="ignore"):
            converted = array.astype(dtype)
        if dtype.kind != "f" and not (converted == array).all():
            raise ValueError(f"{name}: expected values that {dtype} can hold, got {array.dtype} {array}")
        view[...] = converted

    return write


def _nested(readers: Sequence[tuple[tuple[str, ...], Callable[[], Any]]]) -> Callable[[], Any]:
    """Returns a function that reads a whole action: an array, or a dict of arrays."""
    if readers[0][0] == ():
        return readers[0][1]
    named = [(path[0], read) for path, read in readers]
    return lambda: {key: read() for key, read in named}


def _split(writers: Sequence[tuple[tuple[str, ...], Callable[[Any], None]]]) -> Callable[[Any], None]:
    """Returns a function that writes a whole observation: an array, or nested dicts of arrays."""
    if writers[0][0] == ():
        return writers[0][1]

    def write(value: Any) -> None:
        for path, write_one in writers:
            part = value
            for key in path:
                part = part[key]
            write_one(part)

    return write


class Environment:
    """One environment, with views of its rows.

    Args:
        program: what the worker runs.
        env_id: the number of the environment in the pool.
        memory: a buffer that begins with its rows.

    Raises:
        ValueError: the environment's spaces differ from those of the other environments.
    """

    def __init__(self, program: Program, env_id: int, memory: Any) -> None:
        import numpy as np

        more = {"env_id": env_id} if program.takes_env_id else {}
        self.env = program.make(**program.options, **more)
        spaces = (self.env.observation_space, self.env.action_space)
        for name, expected, space in zip(("observation_space", "action_space"), program.spaces, spaces, strict=True):
            if space != expected:
                raise ValueError(f"{name}: expected that of the other environments, {expected}, got {space}")
        read, write, write_info, offset = [], [], [], 0
        for array in program.arrays:
            size = int(np.prod(array.shape))
            view = np.frombuffer(memory, array.dtype, size, offset).reshape(array.shape)
            offset += -(-view.nbytes // 64) * 64
            if array.kind == "action":
                read.append((array.path, reader(view, array.form)))
            elif array.kind == "obs":
                name = "observation" + "".join(f"[{key!r}]" for key in array.path)
                write.append((array.path, writer(view, name)))
            else:
                write_info.append((array.path[0], writer(view, f"info[{array.path[0]!r}]"), np.zeros_like(view)))
        self._read = _nested(read)
        self._write = _split(write)
        self._infos = write_info

    def reset(self, seed: int) -> None:
        """Begins an episode and writes its first observation."""
        result = self.env.reset(seed=seed)
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(f"reset: expected (observation, info), got {_short(result)}")
        self._write(result[0])
        if self._infos:
            self._write_infos(result[1])

    def step(self) -> tuple[float, int]:
        """Steps the environment and writes its observation. Returns the reward and the flags of the result."""
        result = self.env.step(self._read())
        if not isinstance(result, tuple) or len(result) != 5:
            raise TypeError(f"step: expected (observation, reward, terminated, truncated, info), got {_short(result)}")
        obs, reward, terminated, truncated, info = result
        self._write(obs)
        if self._infos:
            self._write_infos(info)
        return float(reward), (_TERMINATED if terminated else 0) | (_TRUNCATED if truncated else 0)

    def _write_infos(self, info: Mapping[str, Any]) -> None:
        for key, write, zeros in self._infos:
            write(info.get(key, zeros))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def describe_error(error: BaseException) -> str:
    """Returns an exception's type, text and origin, in one line."""
    text = type(error).__name__ + (f": {error}" if str(error) else "")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    if frames:
        text += f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno}, in {frames[-1].name})"
    return text


def _message(error: BaseException) -> bytes:
    """Returns the text of an exception, cut to the length of its buffer."""
    text = describe_error(error).encode(errors="replace")[: _MESSAGE_BYTES - 1]
    return text.decode(errors="ignore").encode() + b"\0"


def _load(path: str) -> Callable[..., Callable[..., Any]]:
    """Returns a function that looks up functions of the shared object by name."""
    library = ctypes.CDLL(path)

    def function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        found = library[f"envpool_worker_{name}"]
        found.restype, found.argtypes = result, arguments
        return found

    return function


def main(library: str, worker: int, generation: int) -> None:
    """Answers the pool's calls until the pool is closed."""
    memory = mmap.mmap(_MEMORY, 0)
    os.close(_MEMORY)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    base, function = ctypes.c_void_p(start), _load(library)
    pointer, i32, u32 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32
    wait = function("wait", i32, pointer, i32, u32, i32)
    answer = function("answer", None, pointer, i32, ctypes.c_double, u32)
    rows = function("rows", pointer, pointer, i32)
    message = function("message", pointer, pointer, i32)
    seed = function("seed", ctypes.POINTER(u32), pointer, i32)
    size = ctypes.c_int64()
    at = function("program", pointer, pointer, pointer)(base, ctypes.byref(size)) - start

    environments: dict[int, Environment] = {}
    program: Program | None = None
    env_id = -1
    while (call := wait(base, worker, generation, env_id)) >= 0:
        env_id, is_step = call >> 1, call & 1
        reward, flags = 0.0, 0
        try:
            if is_step:
                reward, flags = environments[env_id].step()
            else:
                if env_id not in environments:
                    if program is None:
                        sys.path[:], pickled = pickle.loads(memory[at : at + size.value])
                        program = Program(*pickle.loads(pickled))
                        program = program._replace(arrays=[Array(*array) for array in program.arrays])
                    own = memoryview(memory)[rows(base, env_id) - start :]
                    environments[env_id] = Environment(program, env_id, own)
                environments[env_id].reset(seed(base, env_id)[0])
        except BaseException as error:  # also SystemExit: the pool reports all exceptions
            text = _message(error)
            ctypes.memmove(message(base, env_id), text, len(text))
            flags = _RAISED
        answer(base, env_id, reward, flags)
    for environment in environments.values():
        with contextlib.suppress(Exception):
            environment.env.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
