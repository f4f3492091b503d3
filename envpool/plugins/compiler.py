# SPDX-License-Identifier: Apache-2.0
"""Finds the local C++ compiler, and runs programs with limits on time, memory and file size."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from envpool.python.errors import CompileError

_MEMORY_KIB = 4 << 20
_FILE_KIB = 1 << 20
_LOG_BYTES = 1 << 20
_PROBE_BYTES = 1 << 16  # less than what any compilation writes
_INSTALL = (
    "install g++ 11 or newer (Debian, Ubuntu: g++; Fedora: gcc-c++) or clang++ 14 or newer, or `pip install ziglang`, "
    "or name a compiler in $CXX"
)


def find_compiler(label: str, cxx: str | os.PathLike[str] | None) -> list[str]:
    """Returns the command of the compiler: `cxx`, else $CXX, else an installed compiler.

    Raises:
        CompileError: there is no compiler.
    """
    command, source = (os.fspath(cxx), "cxx") if cxx else (os.environ.get("CXX", "").strip(), "$CXX")
    if command:
        words = [command] if isinstance(cxx, os.PathLike) or os.path.exists(command) else shlex.split(command)
        program = shutil.which(words[0])
        if program is None:
            raise CompileError(
                f"[{label}] {source}: expected a compiler, got {words[0]!r}, which is not found: {_INSTALL}"
            )
        return [program, *words[1:]]
    for name in ("c++", "g++", "clang++"):
        if program := shutil.which(name):
            return [program]
    if sys.executable and importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "c++", "-fno-sanitize=all"]
    raise CompileError(f"[{label}] there is no C++ compiler: {_INSTALL}")


@contextlib.contextmanager
def temporary_folder(label: str) -> Iterator[Path]:
    """A context with a new folder for the files of a compilation.

    Raises:
        RuntimeError: the folder cannot be created, or the disk is full, which a compiler may report in other words.
    """
    try:
        created = tempfile.TemporaryDirectory(prefix="envpool-")
    except OSError as error:
        raise RuntimeError(
            f"[{label}] there is no temporary folder: expected one that can be written, such as $TMPDIR, got {error}"
        ) from None
    with created as name:
        try:
            yield Path(name)
        except (OSError, RuntimeError) as error:
            if why := _is_full(Path(name)):
                raise RuntimeError(
                    f"[{label}] the temporary folder {Path(name).parent} cannot be written ({why}): set TMPDIR to a "
                    "folder on a disk with space"
                ) from error
            raise


def _is_full(folder: Path) -> str:
    """Returns why no further file can be written to a folder; "" if one can."""
    try:
        (folder / "probe").write_bytes(bytes(_PROBE_BYTES))
    except OSError as error:
        return error.strerror or str(error)
    return ""


class CompletedRun(NamedTuple):
    """The exit status of a program (negative: the signal that killed it) and its output on stderr."""

    status: int
    log: str


def run(
    command: Sequence[str],
    folder: Path,
    timeout: float,
    out: Path,
    *,
    limit_memory: bool = True,
    environment: Mapping[str, str] | None = None,
) -> CompletedRun:
    """Runs a program with its stdout redirected to a file. Ends all processes of its group before returning.

    Args:
        command: the program and its arguments.
        folder: the folder for its temporary files and its log.
        timeout: seconds after which it is killed.
        out: the file for its stdout.
        limit_memory: whether to limit its memory to 4 GiB.
        environment: further environment variables.

    Raises:
        TimeoutError: the program did not end in time.
    """
    # If a lower limit is already set, ulimit fails, and the lower limit remains in force.
    limits = "".join(
        f"ulimit {limit} 2>/dev/null; " for limit in (f"-f {_FILE_KIB}", *([f"-v {_MEMORY_KIB}"] * limit_memory))
    )
    log = folder / "log"
    with out.open("wb") as stdout, log.open("wb") as stderr:
        # A shell sets the limits, because Python code between fork and exec can deadlock in a process with threads.
        process = subprocess.Popen(
            ["/bin/sh", "-c", limits + 'exec "$@"', "sh", *command],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            env={**_environment(folder), **(environment or {})},
        )
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            _kill_group(process)
    with log.open("rb") as file:
        return CompletedRun(status, file.read(_LOG_BYTES).decode(errors="replace"))


def _environment(folder: Path) -> Mapping[str, str]:
    """Returns environment variables: messages are in English, and temporary files are in `folder`."""
    return {**os.environ, "LC_ALL": "C", "LANGUAGE": "", "TMPDIR": str(folder)}


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
