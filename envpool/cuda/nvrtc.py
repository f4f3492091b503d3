# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels to machine code with NVRTC, NVIDIA's compiler library, with or without a GPU.

NVRTC is found in the wheels nvidia-cuda-nvrtc-cu12 and nvidia-cuda-nvrtc (CUDA 13), which PyTorch and JAX also install,
or on the system; $ENVPOOL_NVRTC names another file.
"""

from __future__ import annotations

import ctypes
import functools
import glob
import importlib.util
import math
import os
import pickle
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from envpool.cuda import driver, worker
from envpool.cuda.compiler_fault import compares_wrongly, restores_barrier
from envpool.cuda.worker import Request, Response, compile_program, open_library
from envpool.plugins.compiler import run, temporary_folder
from envpool.plugins.messages import explain
from envpool.plugins.paths import get_include
from envpool.python.errors import CompileError, MissingPackageError

OLDEST = (12, 3)  # the first version with __builtin_bit_cast
# Functions without a qualifier become device functions. Fused multiply-adds are off, so that results equal the CPU's.
FLAGS = ("-std=c++20", "--fmad=false", "--device-as-default-execution-space")
INSTALL = "pip install 'nvidia-cuda-nvrtc-cu12>=12.3'"
INSTALL_NEWEST = "pip install 'nvidia-cuda-nvrtc>=13.5', which needs a driver for CUDA 13"
_COMPARES_RIGHT, _CONVERGES = (13, 4), (13, 5)  # the first versions without the faults of compiler_fault.py

# The library's paths in wheels, by the oldest driver for which it generates code.
_IN_WHEELS = {13: "cu13/lib/libnvrtc.so.13", 12: "cuda_nvrtc/lib/libnvrtc.so.12"}
_ON_SYSTEM = ("libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so")
# Flags that callers may not pass, because they change results or because this module sets them.
_FIXED = re.compile(
    r"--?(std|gpu-architecture|arch|fmad|ftz|prec-div|prec-sqrt|use_fast_math|extra-device-vectorization|"
    r"device-as-default-execution-space|default-device|include-path|pre-include|include|no-source-include|"
    r"link-time-opt|lto|dlto|Ofast-compile|minimal|device-debug|G)([=-].*)?$|-I"
)
_ARCHITECTURE = re.compile(r"(sm|compute)_(\d+)([a-z]?)")
_TOO_LONG = 1 << 24  # limit for the characters of a source


class NvrtcError(RuntimeError):
    """NVRTC is missing, too old, or fails for a reason other than an error in the source."""


class NvrtcMissingError(NvrtcError, MissingPackageError):
    """NVRTC is not installed."""


class Compiled(NamedTuple):
    """A compiled source: machine code (empty for a virtual architecture), PTX, and the compiler's log."""

    cubin: bytes
    ptx: str
    log: str


class Nvrtc:
    """The NVRTC library.

    Attributes:
        path: the library's file.
        version: its version, such as (12, 9).
        build: a text that differs between builds of the same version.
        architectures: compute capabilities it can compile for, such as (90, 100), in ascending order.
    """

    def __init__(self, path: str) -> None:
        """Opens the library.

        Raises:
            OSError: it cannot be opened.
            NvrtcError: the library is not NVRTC, or it is too old.
        """
        try:
            library = self._library = open_library(path)
            library.nvrtcGetErrorString.restype = ctypes.c_char_p
            major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
            self._call("Version", ctypes.byref(major), ctypes.byref(minor))
            self.version = major.value, minor.value
            self.path = _file_of(library.nvrtcVersion) or path
            if self.version < OLDEST:
                raise NvrtcError(
                    f"[envpool.cuda] NVRTC is too old: expected {_dotted(OLDEST)} or newer, got {_dotted(self.version)} "
                    f"({self.path}): {INSTALL}"
                )
            self._call("GetNumSupportedArchs", ctypes.byref(count))
            numbers = (ctypes.c_int * count.value)()
            self._call("GetSupportedArchs", numbers)
        except AttributeError as error:
            raise NvrtcError(f"[envpool.cuda] expected NVRTC, got {path!r}: {error}") from None
        self.architectures = tuple(sorted(numbers))
        self.build = f"{_dotted(self.version)} of {_size(self.path)} bytes"

    def __repr__(self) -> str:
        return f"<NVRTC {_dotted(self.version)}, {self.path}>"

    def compile(self, source: str, flags: Sequence[str], name: str = "program.cu") -> Compiled:
        """Compiles a source in this process, with these flags and no others.

        Args:
            source: text in CUDA C++.
            flags: compiler flags, such as "--gpu-architecture=sm_80" for machine code or
                "--gpu-architecture=compute_80" for PTX.
            name: the source's path in messages. Quoted includes are searched in its folder first, or in the working
                directory of the process if `name` has no folder.

        Raises:
            CompileError: the source does not compile; `log` is the compiler's log.
            NvrtcError: the compiler failed for another reason, for example because it ran out of memory.
        """
        return self._compiled(compile_program(self._library, _request(source, flags, name)), flags)

    def compile_apart(self, source: str, flags: Sequence[str], name: str, timeout: float) -> Compiled:
        """Compiles a source as `compile` does, but in a process limited to 4 GiB of memory and `timeout` seconds.

        Raises:
            CompileError: the source does not compile, or the compiler crashed.
            NvrtcError: as in `compile`.
            RuntimeError: the temporary folder cannot be written.
            TimeoutError: the compilation took longer.
        """
        if not sys.executable:
            return self.compile(source, flags, name)
        with temporary_folder("envpool.cuda") as folder:
            request, response = folder / "request", folder / "response"
            request.write_bytes(pickle.dumps(tuple(_request(source, flags, name))))
            command = [sys.executable, "-I", "-S", worker.__file__, self.path, str(request), str(response)]
            ended = run(command, folder, timeout, folder / "out")
            if ended.status < 0:
                raise CompileError(f"the compiler crashed ({signal.Signals(-ended.status).name})", " ".join(flags))
            if ended.status:
                raise CompileError(ended.log.strip().rpartition("\n")[2], " ".join(flags), ended.log)
            return self._compiled(Response(*pickle.loads(response.read_bytes())), flags)

    def _compiled(self, response: Response, flags: Sequence[str]) -> Compiled:
        log = response.log.decode(errors="replace")
        if response.call == "CompileProgram":  # The log describes errors in the source or in a flag.
            raise CompileError(log or self._reason(response.call, response.status), " ".join(flags), log)
        if response.call:
            raise NvrtcError(f"[envpool.cuda] {self._reason(response.call, response.status)}")
        return Compiled(response.cubin, response.ptx.decode(errors="replace"), log)

    def architecture_for(self, capability: tuple[int, int], driver: tuple[int, int]) -> str:
        """Returns the architecture to compile for, given a device's compute capability and the driver's version.

        The first choice is the device's own machine code. The second is the machine code of an earlier device with the
        same major capability, which the device also runs. The third is PTX, which the driver compiles.

        Raises:
            NvrtcError: NVRTC supports no architecture that the device runs, or the driver is too old for NVRTC's output.
        """
        number = capability[0] * 10 + capability[1]
        device = f"a device of compute capability {_dotted(capability)}"
        if driver[0] < self.version[0]:
            raise NvrtcError(
                f"[envpool.cuda] NVRTC {_dotted(self.version)} ({self.path}) generates code for drivers of CUDA "
                f"{self.version[0]}, but the driver is for CUDA {_dotted(driver)}: {INSTALL}"
            )
        supported = [each for each in self.architectures if each <= number]
        if not supported:
            raise NvrtcError(
                f"[envpool.cuda] NVRTC {_dotted(self.version)} ({self.path}) supports compute capabilities "
                f"{_dotted(divmod(self.architectures[0], 10))} and newer, but not {device}"
            )
        if supported[-1] // 10 == capability[0]:
            return f"sm_{supported[-1]}"
        if driver < self.version:
            raise NvrtcError(
                f"[envpool.cuda] NVRTC {_dotted(self.version)} ({self.path}) has no machine code for {device}, and the "
                f"driver, for CUDA {_dotted(driver)}, is too old to compile its PTX: install a newer driver"
            )
        return f"compute_{supported[-1]}"

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, f"nvrtc{name}")(*arguments)
        if status:
            raise NvrtcError(f"[envpool.cuda] {self._reason(name, status)}")

    def _reason(self, name: str, status: int) -> str:
        text: bytes | None = self._library.nvrtcGetErrorString(status)
        return f"nvrtc{name} failed with {(text or b'an unknown error').decode(errors='replace')} ({status})"


def load() -> Nvrtc:
    """Returns NVRTC, which is opened once per process.

    Raises:
        NvrtcError: no usable NVRTC was found; the text has the command that installs one.
    """
    return _load(os.environ.get("ENVPOOL_NVRTC", ""))


def compile(
    source: str,
    architecture: str,
    *,
    label: str = "envpool.cuda",
    name: str = "program.cu",
    includes: Sequence[str | os.PathLike[str]] = (),
    flags: Sequence[str] = (),
    timeout: float = 300,
) -> Compiled:
    """Compiles a source against this package's headers, with flags that make floating-point results match the CPU's bits.

    Args:
        source: text in CUDA C++.
        architecture: "sm_90" for machine code, "compute_90" for PTX.
        label: the prefix of error messages, such as an environment's id.
        name: the source's name in error messages.
        includes: folders of further headers, which are searched after the folder of this package's headers.
        flags: further flags, none of which may change arithmetic, the language or the folders.
        timeout: the compiler, which runs in a separate process, is stopped after this many seconds.

    Raises:
        CompileError: the source does not compile within the time limit, or NVRTC has compiled it incorrectly
            (compiler_fault.py). The text has the first error's file and line.
        NvrtcError: NVRTC is missing, or it fails.
        TypeError, ValueError: an argument is invalid.
    """
    nvrtc = load()
    all_flags = check(label, nvrtc, source, architecture, includes, flags)
    if (
        isinstance(timeout, bool)
        or not isinstance(timeout, (int, float))
        or not (math.isfinite(timeout) and timeout > 0)
    ):
        raise ValueError(f"[{label}] timeout: expected seconds, more than 0, got {timeout!r}")
    path, shown = program_path(), " ".join(all_flags)
    try:
        compiled = nvrtc.compile_apart(source, all_flags, path, timeout)
    except TimeoutError:
        raise CompileError(
            f"[{label}] the compiler was stopped after timeout={timeout:g} seconds: does {name} contain an "
            f"endless template or table?\nflags: {shown}",
            shown,
        ) from None
    except CompileError as error:
        log = error.log.replace(path, name).replace(f'"{os.path.basename(path)}"', f'"{name}"')
        lines = explain(_as_gcc(log), name, name, _is_users)
        text = f"[{label}] {name} does not compile for {architecture}:\n{lines or error}\nflags: {shown}"
        raise CompileError(text, shown, log) from None
    if compiled.cubin and compares_wrongly(compiled.cubin):
        raise CompileError(
            f"[{label}] {name}: NVRTC {_dotted(nvrtc.version)} has compiled a comparison with a limited integer "
            f"incorrectly for {architecture}, which happens before version {_dotted(_COMPARES_RIGHT)}. Replace each "
            "`max(min(x, high), 0)`, even one that uses ?: or if, by envpool::clamp(x, 0, high), or install a newer "
            f"NVRTC: {INSTALL_NEWEST}",
            shown,
        )
    if compiled.cubin and nvrtc.version < _CONVERGES and restores_barrier(compiled.cubin):
        raise CompileError(
            f"[{label}] {name} makes calls in divergent code, which NVRTC {_dotted(nvrtc.version)} may compile "
            f"incorrectly for {architecture}: before version {_dotted(_CONVERGES)}, the lanes of a warp may overwrite "
            f"each other's values. Install a newer NVRTC: {INSTALL_NEWEST}",
            shown,
        )
    return compiled


def program_path() -> str:
    """Returns the path for sources. It is in the folder of the headers, because NVRTC searches that folder first."""
    return os.path.join(get_include(), "envpool_program.cu")


def check(label: str, nvrtc: Nvrtc, source: Any, architecture: Any, includes: Any, flags: Any) -> tuple[str, ...]:
    """Checks the arguments of `compile`, and returns the complete list of compiler flags.

    Raises:
        TypeError, ValueError: an argument is invalid.
    """
    if not isinstance(source, str):
        raise TypeError(f"[{label}] source: expected a str in CUDA C++, got {source!r:.100}")
    if len(source) > _TOO_LONG or "\0" in source or not _encodes(source):
        raise ValueError(
            f"[{label}] source: expected text in UTF-8, without zeros and of at most 16 MiB, got {len(source)} characters"
        )
    match = _ARCHITECTURE.fullmatch(architecture) if isinstance(architecture, str) else None
    if match is None or int(match[2]) not in nvrtc.architectures:
        names = ", ".join(f"sm_{number}" for number in nvrtc.architectures)
        raise ValueError(
            f"[{label}] architecture: expected one of {names}, or compute_ in place of sm_, got {architecture!r}"
        )
    for what, values in (("includes", includes), ("flags", flags)):
        kinds = (str, os.PathLike) if what == "includes" else (str,)
        if (
            isinstance(values, str)
            or not isinstance(values, Sequence)
            or not all(isinstance(each, kinds) for each in values)
        ):
            raise TypeError(f"[{label}] {what}: expected a sequence of str, got {values!r:.100}")
    if any("\0" in os.fspath(folder) for folder in includes):
        raise ValueError(f"[{label}] includes: expected folders, got {list(includes)!r:.100}")
    for flag in flags:
        if _FIXED.match(flag) or not flag.startswith("-") or "\0" in flag:
            raise ValueError(
                f"[{label}] flags: expected flags such as '-DNAME=1' that do not change arithmetic, the language or "
                f"the folders of headers, got {flag!r}"
            )
    folders = [get_include(), *(os.path.abspath(folder) for folder in includes)]
    return (f"--gpu-architecture={architecture}", *FLAGS, *(f"-I{folder}" for folder in folders), *flags)


@functools.cache
def _load(override: str) -> Nvrtc:
    if override:
        try:
            return Nvrtc(override)
        except OSError as error:
            raise NvrtcError(
                f"[envpool.cuda] ENVPOOL_NVRTC: expected NVRTC's library, got {override!r}: {error}"
            ) from None
    why = []
    for path in (*_wheels(), *_ON_SYSTEM):
        try:
            return Nvrtc(path)
        except OSError as error:
            if os.path.exists(path):
                why.append(f"{path} cannot be opened: {error}")
        except NvrtcError as error:
            why.append(str(error).removeprefix("[envpool.cuda] "))
    reasons = f" ({'; '.join(why)})" if why else ""
    raise NvrtcMissingError(
        f"[envpool.cuda] NVRTC, which compiles environments for a GPU, is missing{reasons}: {INSTALL}", name="nvidia"
    )


def _wheels() -> list[str]:
    """Returns the paths of NVRTC in wheels, which install it in folders named `nvidia` on sys.path.

    The newest version that generates code for this machine's driver comes first.
    """
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return []
    folders = list(spec.submodule_search_locations or ()) if spec else []
    try:
        newest = driver.load().version[0]
    except driver.DriverError:
        newest = max(_IN_WHEELS)
    ordered = sorted(_IN_WHEELS, key=lambda major: (major > newest, -major))
    places = [f"{glob.escape(folder)}/{_IN_WHEELS[major]}" for major in ordered for folder in folders]
    return [path for place in places for path in glob.glob(place)]


class _Place(ctypes.Structure):
    """The structure that dladdr fills in for an address."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def _file_of(function: Any) -> str:
    """Returns the file that contains a library's function, or an empty string if dladdr cannot determine it."""
    place = _Place()
    try:
        dladdr = ctypes.CDLL(None).dladdr
    except (OSError, AttributeError):
        return ""
    dladdr.argtypes = (ctypes.c_void_p, ctypes.POINTER(_Place))
    status = dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(place))
    return os.fsdecode(place.file) if status and place.file else ""


def _request(source: str, flags: Sequence[str], name: str) -> Request:
    return Request(source.encode(), os.fsencode(name), tuple(os.fsencode(flag) for flag in flags))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _dotted(version: tuple[int, int]) -> str:
    return "{}.{}".format(*version)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# ---- messages ----

_ERROR = re.compile(
    r"(?P<file>.+?)\((?P<line>\d+)\): (?:catastrophic )?(?P<kind>error|warning)(?: #\S+)?: (?P<text>.*)"
)
_INSTANTIATED = re.compile(r"\s+(?:detected during )?(?P<what>.*?) ?at line (?P<line>\d+)(?: of (?P<file>.*))?$")
_ASSERTION = re.compile(r'static assertion failed with "(.*)"')


def _as_gcc(log: str) -> str:
    """Returns the log in the format of g++, which `explain` reads."""
    lines, file = [], ""
    for line in log.splitlines():
        if match := _ERROR.match(line):
            file = match["file"]
            text = _ASSERTION.sub(r"static assertion failed: \1", match["text"])
            lines.append(f"{file}:{match['line']}: {match['kind']}: {text}")
        elif match := _INSTANTIATED.match(line):
            lines.append(f"{match['file'] or file}:{match['line']}: note: {match['what']}")
        elif line.startswith("nvrtc: error: "):
            lines.append(line.removeprefix("nvrtc: "))
        elif line.startswith("  ") and line.strip():
            lines.append(f" | {line[2:]}")
    return "\n".join(lines)


def _is_users(file: str) -> bool:
    return not os.path.abspath(file).startswith(os.path.join(get_include(), "envpool", ""))
