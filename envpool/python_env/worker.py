# SPDX-License-Identifier: Apache-2.0
"""The program of a worker process: runs a range of a pool's environments.

The pool starts this file as a script. Its arguments are the path of the family's shared object, the number of the
worker, and the number of the worker's process. File descriptor 3 is the shared memory. The script imports nothing of
envpool, so that a worker starts quickly.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import mmap
import os
import pickle
import struct
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

_MEMORY = 3
_MESSAGE_BYTES = 2048
_RESET, _STEP, _MAKE, _SAVE, _LOAD = 1, 2, 3, 4, 5
_TERMINATED, _TRUNCATED, _RAISED = 1, 2, 4
_TEXT_BYTES, _FRAMES = 800, 6  # of an exception's text, so that its origin also fits into the message
_REGISTERING = os.path.join(os.path.dirname(__file__), "registering.py")
_LARGEST = 3.4028235677973362e38  # the largest value that float32 rounds to a finite number


class Array(NamedTuple):
    """One array in the rows of an environment.

    Attributes:
        kind: "action", "obs" or "info".
        path: the keys under which the environment has it; empty for an observation or action that is not a dict.
        dtype: its NumPy dtype, by name.
        shape: its shape.
        form: for an action, the dtype of the scalar ("scalar int32") or array ("array int8") that the environment expects.
    """

    kind: str
    path: tuple[str, ...]
    dtype: str
    shape: tuple[int, ...]
    form: str = ""


class WorkerProgram(NamedTuple):
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
    if form.startswith("scalar "):
        scalar = type(view.astype(form.removeprefix("scalar "))[()])
        return lambda: scalar(view[()])
    return lambda: view[()]


def writer(view: Any, name: str) -> Callable[[Any], None]:
    """Returns a function that writes a value into its row, and raises ValueError if it does not fit."""
    import numpy as np

    dtype, shape, array_type = view.dtype, view.shape, np.ndarray

    def write(value: Any) -> None:
        if type(value) is array_type and value.dtype == dtype and value.shape == shape:
            view[...] = value
            return
        try:
            array = np.asarray(value)
        except Exception as error:
            raise ValueError(f"{name}: expected {dtype} of shape {shape}, got {_short(value)}: {error}") from error
        if array.shape != shape or array.dtype.kind not in "biuf":
            raise ValueError(f"{name}: expected {dtype} of shape {shape}, got {array.dtype} of shape {array.shape}")
        with np.errstate(all="ignore"):
            converted = array.astype(dtype)
        # A float may be rounded, but a finite value must not become infinite.
        fits = (converted == array) if dtype.kind != "f" else (np.isinf(converted) <= np.isinf(array))
        if not fits.all():
            wrong = array[~np.asarray(fits)].flat[0]
            raise ValueError(f"{name}: expected values that {dtype} can hold, got {wrong} of dtype {array.dtype}")
        view[...] = converted

    return write


def reward_of(value: Any) -> float:
    """Returns a reward as a float, or raises an exception that says what is wrong with it."""
    import numpy as np

    if not isinstance(value, (float, int, np.number, np.bool_)) or isinstance(value, np.complexfloating):
        array = value if isinstance(value, np.ndarray) else None
        if array is None or array.size != 1 or array.dtype.kind not in "biuf":
            raise TypeError(f"reward: expected a real number, got {_short(value)}")
        value = array.item()
    try:
        reward = float(value)
    except OverflowError:
        reward = _LARGEST * 2
    if abs(reward) > _LARGEST and (not math.isinf(reward) or reward != value):
        raise ValueError(f"reward: expected a number that float32 can hold, got {_short(value)}")
    return reward


def flag_of(value: Any, name: str) -> bool:
    """Returns `terminated` or `truncated` as a bool. Also accepts the integers 0 and 1."""
    import numpy as np

    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name}: expected a bool, got {_short(value)}")


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
            for depth, key in enumerate(path):
                try:
                    part = part[key]
                except (KeyError, TypeError, IndexError, ValueError) as error:
                    raise _no_key(part, path[:depth], key) from error
            write_one(part)

    return write


def _no_key(part: Any, path: tuple[str, ...], key: str) -> Exception:
    """Returns the error for an observation, or a part of it, that lacks a key."""
    name = "observation" + "".join(f"[{parent!r}]" for parent in path)
    if not isinstance(part, Mapping):
        return TypeError(f"{name}: expected a dict with the key {key!r}, got {_short(part)}")
    keys = _cut(", ".join(repr(each) for each in part) or "no keys", 200)
    return ValueError(f"{name}: expected a dict with the key {key!r}, got one with {keys}")


class WorkerEnvironment:
    """One environment, with views of its rows.

    Args:
        program: what the worker runs.
        env_id: the number of the environment in the pool.
        memory: a buffer that begins with its rows.

    Raises:
        ValueError: the environment's spaces differ from those of the other environments.
    """

    def __init__(self, program: WorkerProgram, env_id: int, memory: Any) -> None:
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
                key = array.path[0]
                write_one = writer(view, f"info[{key!r}]")
                write_info.append((key, _joined(write_one) if key == "action_mask" else write_one, np.zeros_like(view)))
        self._read = _nested(read)
        self._write = _split(write)
        self._infos = write_info

    def reset(self, seed: int, options: bytes) -> None:
        """Begins an episode and writes its first observation. `options` are pickled, or empty if there are none."""
        result = self.env.reset(seed=seed, options=pickle.loads(options)) if options else self.env.reset(seed=seed)
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(f"reset: expected (observation, info), got {_short(result)}")
        self._write(result[0])
        self._write_infos(result[1])

    def step(self) -> tuple[float, int]:
        """Steps the environment and writes its observation. Returns the reward and the flags of the result."""
        result = self.env.step(self._read())
        if not isinstance(result, tuple) or len(result) != 5:
            raise TypeError(f"step: expected (observation, reward, terminated, truncated, info), got {_short(result)}")
        obs, reward, terminated, truncated, info = result
        flags = 0
        # The tests of identity avoid a call in the common case.
        if terminated is not False and (terminated is True or flag_of(terminated, "terminated")):
            flags |= _TERMINATED
        if truncated is not False and (truncated is True or flag_of(truncated, "truncated")):
            flags |= _TRUNCATED
        if type(reward) is not float or not -_LARGEST <= reward <= _LARGEST:
            reward = reward_of(reward)
        self._write(obs)
        self._write_infos(info)
        return reward, flags

    def _write_infos(self, info: Any) -> None:
        if type(info) is not dict and not isinstance(info, Mapping):
            raise TypeError(f"info: expected a dict, got {_short(info)}")
        for key, write, zeros in self._infos:
            write(info.get(key, zeros))


class RefusedError(Exception):
    """Says what is wrong with a pickle. The pool adds nothing but its own words."""


class Transfer:
    """Passes pickles of environments between a worker and the pool, in parts.

    A pickle can run any code, and the bytes of a snapshot may come from anyone. So a checksum whose key only this pool's
    process knows precedes each pickle, and nothing else is loaded.

    Args:
        memory: the memory through which the parts pass.
        key: the key of the checksum.
    """

    def __init__(self, memory: memoryview, key: bytes) -> None:
        self._memory, self._key = memory, key
        self._pickle = bytearray()

    def save(self, environment: WorkerEnvironment, offset: int) -> int:
        """Writes the part of an environment's pickle that begins at `offset`. Returns the size of the whole pickle.

        Raises:
            RefusedError: the environment cannot be pickled.
        """
        if offset == 0:
            pickled = _dumps(environment.env)
            self._pickle = bytearray(self._checksum(pickled) + pickled)
        size = len(self._pickle)
        part = self._pickle[offset : offset + len(self._memory)]
        self._memory[: len(part)] = part
        if offset + len(part) == size:
            self._pickle = bytearray()
        return size

    def load(self, environment: WorkerEnvironment, offset: int, size: int) -> None:
        """Takes the next part of a pickle. With the last part, replaces the environment.

        Raises:
            RefusedError: the pickle does not come from this pool's process, or cannot be loaded.
        """
        import hmac

        if offset == 0:
            self._pickle = bytearray()
        self._pickle += self._memory[: size - offset]
        if len(self._pickle) < size and offset + len(self._memory) < size:
            return
        whole, self._pickle = bytes(self._pickle), bytearray()
        checksum, pickled = whole[:32], whole[32:]
        if len(whole) != size or not hmac.compare_digest(checksum, self._checksum(pickled)):
            raise RefusedError(
                "expected a snapshot that this process made, or one with the same ENVPOOL_SNAPSHOT_KEY; got another, "
                "which is not unpickled, because a pickle can run any code"
            )
        try:
            env = pickle.loads(pickled)
        except Exception as error:
            raise RefusedError(f"expected a pickle that can be loaded, got {describe_error(error)}") from error
        with contextlib.suppress(Exception):
            environment.env.close()
        environment.env = env

    def _checksum(self, pickled: bytes) -> bytes:
        import hmac

        return hmac.digest(self._key, pickled, "sha256")


def _dumps(env: Any) -> bytes:
    """Returns a pickle of an environment. Uses cloudpickle if necessary, as for classes of the main script."""
    try:
        return pickle.dumps(env, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        failure = error
    try:
        import cloudpickle  # type: ignore[import-untyped]

        pickled: bytes = cloudpickle.dumps(env, pickle.HIGHEST_PROTOCOL)
        return pickled
    except ModuleNotFoundError:
        pass
    except Exception as error:  # it says more than pickle, which may only have refused a class of the main script
        failure = error
    raise RefusedError(f"expected an environment that can be pickled, got {describe_error(failure)}") from failure


def _joined(write: Callable[[Any], None]) -> Callable[[Any], None]:
    """Returns a function that writes a mask, or the masks of a MultiDiscrete action, a tuple, one after the other."""
    import numpy as np

    def write_masks(value: Any) -> None:
        write(np.concatenate([np.atleast_1d(part) for part in value]) if type(value) is tuple and value else value)

    return write_masks


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def _text(value: Any, convert: Callable[[Any], str]) -> str:
    """Returns the text of a value of the user's, whose `__str__` or `__repr__` may raise any exception."""
    try:
        return convert(value)
    except BaseException as error:
        return f"<a {type(value).__name__} whose text cannot be made: {type(error).__name__}>"


def _short(value: Any) -> str:
    return _cut(" ".join(_text(value, repr).split()), 80)


def describe_error(error: BaseException) -> str:
    """Returns an exception's type, text and origin in one line, and then its traceback if it has several frames."""
    text = _text(error, str)
    text = type(error).__name__ + (f": {text}" if text else "")
    if len(encoded := text[:_TEXT_BYTES].encode(errors="replace")) > _TEXT_BYTES or len(text) > _TEXT_BYTES:
        text = encoded[: _TEXT_BYTES - 3].decode(errors="ignore") + "..."
    try:
        # The last frames suffice, and an endless recursion has a thousand.
        stack = traceback.extract_tb(error.__traceback__, limit=-_FRAMES)
        frames = [frame for frame in stack if frame.filename not in (__file__, _REGISTERING)]
    except Exception:
        frames = []
    if frames:
        last = frames[-1]
        text += f" ({os.path.basename(last.filename)}, line {last.lineno}, in {last.name})"
    if len(frames) > 1:
        lines = [f"  {frame.filename}, line {frame.lineno}, in {frame.name}" for frame in frames]
        text += "\nTraceback (most recent call last):\n" + "\n".join(_cut(line, 200) for line in lines)
    return text


def _message(error: BaseException) -> bytes:
    """Returns the text of an exception, cut to the length of its buffer."""
    text = str(error) if isinstance(error, RefusedError) else describe_error(error)
    encoded = text.replace("\0", "?").encode(errors="replace")[: _MESSAGE_BYTES - 1]
    return encoded.decode(errors="ignore").encode() + b"\0"


def _load(path: str) -> Callable[..., Callable[..., Any]]:
    """Returns a function that looks up functions of the shared object by name."""
    library = ctypes.CDLL(path)

    def function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        function = library[f"envpool_worker_{name}"]
        function.restype, function.argtypes = result, arguments
        return function

    return function


def main(library: str, worker: int, generation: int) -> None:
    """Runs the pool's calls until the pool is closed."""
    memory = mmap.mmap(_MEMORY, 0)
    os.close(_MEMORY)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    function = _load(library)
    pointer, i32, u32 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32
    function("begin", None, pointer, ctypes.c_int64)(start, len(memory))
    wait = function("wait", i32, i32, u32, i32)
    publish = function("publish", None, i32, ctypes.c_double, u32)
    rows = function("rows", pointer, i32)
    message = function("message", pointer, i32)
    seed = function("seed", ctypes.POINTER(u32), i32)
    options_bytes = function("options_bytes", ctypes.POINTER(u32), i32)
    size = ctypes.c_int64()
    at = function("program", pointer, pointer)(ctypes.byref(size)) - start
    transfer_size = ctypes.c_int64()
    transfer_at = function("transfer", pointer, pointer)(ctypes.byref(transfer_size)) - start

    environments: dict[int, WorkerEnvironment] = {}
    program: WorkerProgram | None = None
    transfer: Transfer | None = None
    env_id = -1
    while (call := wait(worker, generation, env_id)) >= 0:
        env_id, kind = call >> 3, call & 7
        reward, flags = 0.0, 0
        try:
            if kind == _STEP:
                reward, flags = environments[env_id].step()
            else:
                if env_id not in environments:
                    if program is None:
                        sys.path[:], pickled, key = pickle.loads(memory[at : at + size.value])
                        program = WorkerProgram(*pickle.loads(pickled))
                        program = program._replace(arrays=[Array(*array) for array in program.arrays])
                        transfer = Transfer(memoryview(memory)[transfer_at:][: transfer_size.value], key)
                    own = memoryview(memory)[rows(env_id) - start :]
                    environments[env_id] = WorkerEnvironment(program, env_id, own)
                environment = environments[env_id]
                if kind != _MAKE:
                    content = ctypes.string_at(message(env_id), min(options_bytes(env_id)[0], _MESSAGE_BYTES))
                if kind == _RESET:
                    environment.reset(seed(env_id)[0], content)
                elif kind == _SAVE and transfer is not None:
                    reward = transfer.save(environment, struct.unpack("<qq", content)[0])
                elif kind == _LOAD and transfer is not None:
                    transfer.load(environment, *struct.unpack("<qq", content))
        except BaseException as error:  # also SystemExit: the pool reports all exceptions
            text = _message(error)
            ctypes.memmove(message(env_id), text, len(text))
            flags = _RAISED
        publish(env_id, reward, flags)
    for each in environments.values():
        with contextlib.suppress(BaseException):
            each.env.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
