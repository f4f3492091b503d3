# SPDX-License-Identifier: Apache-2.0
"""Finds mistakes in an environment that compiles, by playing it in a process of its own.

envpool/core/check/program.h is the program. It is compiled with AddressSanitizer and UndefinedBehaviorSanitizer where the
compiler has them; `findings.py` turns its output into a sentence.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from envpool.plugins import cache
from envpool.plugins.compiler import CompletedRun, run
from envpool.plugins.findings import Finding, find
from envpool.plugins.paths import get_include
from envpool.python.errors import CheckError, CompileError
from envpool.python.family import Value

_UNIT = '#include "envpool/core/check/program.h"\nENVPOOL_CHECK_MAIN(::{struct})\n'
_FLAGS = (
    "-std=c++20",
    "-O0",
    "-g1",
    "-fno-omit-frame-pointer",
    "-ffp-contract=off",
    "-pthread",
    "-w",
    "-DENVPOOL_CHECK",
    "-D_GLIBCXX_ASSERTIONS",
    "-fdiagnostics-color=never",
)
# The checks of UndefinedBehaviorSanitizer that concern the user's code. With all of its checks, compiling would take
# twice as long. Undefined arithmetic does not end the program, because it is no mistake if a user supplied the state.
SANITIZERS = (
    "-fsanitize=address,bounds,integer-divide-by-zero,signed-integer-overflow,shift,bool,enum,float-cast-overflow,"
    "unreachable,return",
    "-fno-sanitize-recover=all",
    "-fsanitize-recover=signed-integer-overflow,float-cast-overflow,shift",
    "-DENVPOOL_CHECK_WRAPS",
    "-Wl," + ",".join(f"--wrap={name}" for name in ("rand", "random", "drand48", "time", "clock", "__cxa_throw")),
)
_RUNTIME = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:handle_abort=1:handle_sigill=1:detect_stack_use_after_return=0:"
    "allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
_SECONDS = 200  # the program itself stops after about 20 seconds of CPU time
_TEXT = "source.h"  # the name that compiling.py gives to a header whose text was passed


class Subject(NamedTuple):
    """The environment that is checked.

    Attributes:
        label: the id, for error messages.
        header: the file that contains it.
        shown: the name of the file in error messages.
        struct: the name of its struct.
        struct_line: the line of the struct's `kName`.
        stem: a part of the names of cached files, which depends on the text of the header.
    """

    label: str
    header: Path
    shown: str
    struct: str
    struct_line: int
    stem: str


def check_environment(
    subject: Subject,
    command: Sequence[str],
    options: Mapping[str, Value],
    max_episode_steps: int,
    folder: Path,
    timeout: float,
) -> None:
    """Plays an environment, and raises an error if it makes a mistake.

    Args:
        subject: the environment.
        command: the compiler with the user's flags.
        options: the values of options that differ from the header's defaults.
        max_episode_steps: the time limit of an episode; 0 means no limit.
        folder: a folder for temporary files.
        timeout: seconds after which the compiler is stopped.

    Raises:
        CheckError: the environment has a mistake.
        CompileError: the program cannot be compiled.
    """
    arguments = [str(max_episode_steps), *(_argument(name, value) for name, value in options.items())]
    completed = None
    if "ziglang" not in command:
        completed = _compile_and_run(subject, command, SANITIZERS, arguments, folder, timeout)
    if not isinstance(completed, CompletedRun) or "envpool-check started" not in completed.log:
        warnings.warn(
            f"[{subject.label}] check: {'ziglang' if 'ziglang' in command else command[0]} has no sanitizers that work here, so fewer mistakes are found, and "
            "some without their line: use g++ or clang++ with libasan and libubsan",
            RuntimeWarning,
            stacklevel=4,
        )
        completed = _compile_and_run(subject, command, (), arguments, folder, timeout)
    if isinstance(completed, CompileError):
        raise completed
    header = subject.header.read_text("utf-8", "replace")
    finding = find(completed, header, subject.struct_line, _is_users(subject, folder))
    if finding is not None:
        raise _error(subject, finding, completed.log)


def sources() -> str:
    """Returns the text of the program without the user's header."""
    return "".join(path.read_text() for path in sorted(Path(get_include(), "envpool", "core", "check").glob("*.h")))


def _compile_and_run(
    subject: Subject,
    command: Sequence[str],
    sanitizers: Sequence[str],
    arguments: list[str],
    folder: Path,
    timeout: float,
) -> CompletedRun | CompileError:
    program = _compile(subject, [*command, *sanitizers], folder, timeout)
    if isinstance(program, CompileError):
        return program
    try:
        return run(
            [str(program), *arguments],
            folder,
            _SECONDS,
            folder / "out",
            limit_memory=False,
            environment=_RUNTIME,
        )
    except TimeoutError:
        return CompletedRun(-9, (folder / "log").read_text("utf-8", "replace") + "\nenvpool-check timeout\n")


def _compile(subject: Subject, command: list[str], folder: Path, timeout: float) -> Path | CompileError:
    """Returns the program, from the cache if neither the header nor the compiler's command has changed."""
    flags = _split(command)
    place = "" if subject.header.parent == folder else str(subject.header)  # the program contains this path
    key = hashlib.sha256("\0".join([place, sources(), *command]).encode(errors="surrogateescape"))
    name = f"{subject.stem}-{key.hexdigest()[:16]}.check"
    if kept := cache.find(name):
        return kept
    unit, program = folder / "check.cc", folder / "check"
    unit.write_text(_UNIT.format(struct=subject.struct.removeprefix("::")))
    core = os.path.join(get_include(), "envpool", "core")
    headers = [os.path.join(core, "check", "accessors.h"), os.path.join(core, "api.h"), str(subject.header)]
    included = [word for header in headers for word in ("-include", header)]
    libraries = [word for word in command if word.startswith("-l")]
    compiling = [command[0], *flags, *included, str(unit), *libraries, "-o", str(program)]
    shown = shlex.join(compiling)
    try:
        compiled = run(compiling, folder, timeout, folder / "out")
    except TimeoutError:
        return CompileError(f"[{subject.label}] the compiler was stopped after {timeout:g} seconds", shown)
    if compiled.status != 0 or not program.is_file():
        return CompileError(f"[{subject.label}] {subject.shown}: the check does not compile", shown, compiled.log)
    return cache.store(subject.label, name, program.read_bytes())


def _split(command: list[str]) -> list[str]:
    """Returns the words of a command after the compiler's name, with our fixed flags before the user's flags."""
    first = 4 if "ziglang" in command else 1
    return [*command[1:first], *_FLAGS, f"-I{get_include()}", *command[first:]]


def _argument(name: str, value: Value) -> str:
    if isinstance(value, (bool, int)):
        return f"{name}={'b' if isinstance(value, bool) else 'i'}:{int(value)}"
    if isinstance(value, float):
        return f"{name}=r:{value!r}"
    data = value.encode() if isinstance(value, str) else bytes(value)
    return f"{name}=t:{data.hex()}"


def _is_users(subject: Subject, folder: Path) -> Callable[[str], bool]:
    ours = (os.path.join(get_include(), "envpool", "core"), "/usr/", f"{folder}/check.", "<")
    header = os.path.normpath(subject.header)  # it may lie in /usr/src, for example
    return lambda file: os.path.normpath(file) == header or not os.path.normpath(file).startswith(ours)


def _error(subject: Subject, finding: Finding, log: str) -> CheckError:
    """Returns the error for a finding."""
    # If the header was given as text, a cached program names it in the temporary folder of an earlier process.
    given_as_text = subject.header.name == _TEXT and Path(finding.file).name == _TEXT
    if given_as_text or not finding.file:
        finding = finding._replace(file=str(subject.header))
    file = subject.shown if finding.file == str(subject.header) else finding.file
    text = f"[{subject.label}] {file}:{finding.line}: {finding.sentence}"
    source = Path(finding.file)
    lines = source.read_text("utf-8", "replace").splitlines() if source.is_file() else []
    if 0 < finding.line <= len(lines):
        text += f"\n{finding.line:5} | {lines[finding.line - 1]}"
    return CheckError(text, file, finding.line, log)
