# SPDX-License-Identifier: Apache-2.0
"""`envpool.compile`, which compiles a header with an environment and registers it."""

from __future__ import annotations

import hashlib
import math
import os
import platform
import re
import shlex
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from envpool.plugins import cache
from envpool.plugins.checking import Subject, check_environment, sources
from envpool.plugins.compiler import CompletedRun, find_compiler, run, temporary_folder
from envpool.plugins.declaration import check_declaration
from envpool.plugins.messages import explain
from envpool.plugins.paths import get_include
from envpool.plugins.structs import Struct, find_structs
from envpool.python.errors import CompileError, labelled
from envpool.python.family import PLUGIN, Value
from envpool.python.options import as_number, wrong_type, wrong_value
from envpool.python.options import shown as printable
from envpool.python.registry import Registration, add
from envpool.python.registry import check as check_registration

# Results must have the same bits everywhere, so fused multiply-add is off, and so is the SLP vectorizer, in which GCC 12
# drops roundings to f32. A plugin exports a single symbol.
FLAGS = (
    "-std=c++20",
    "-O3",
    "-DNDEBUG",
    "-ffp-contract=off",
    "-fno-tree-slp-vectorize",
    "-fPIC",
    "-fvisibility=hidden",
)
_DIAGNOSTICS = ("-fdiagnostics-color=never",)
_LINK = ("-shared", "-pthread", "-Wl,-z,defs")
_ENTRY = "envpool_plugin"
# The colons, because a struct may have the name of one of ours, such as World, in a header with a using-directive.
_UNIT = """ENVPOOL_PLUGIN(envpool::table<::{struct}>())
extern "C" __attribute__((visibility("default"))) const char* envpool_compiler() {{ return __VERSION__; }}
"""
# A line marker of the preprocessor, such as '# 12 "file" 3'; the flag 3 marks a system header.
_LINE_MARK = re.compile(rb'^# \d+ "((?:[^"\\\n]|\\.)*)"([ \d]*)$', re.MULTILINE)
_TRIAL = """import sys
from envpool import _core
(table,) = _core.load_plugin(sys.argv[1])
try:
    table.describe()
    table.spec({})
except ValueError:  # which check_declaration reports
    pass
print("\\nread")
"""


def compile(
    source: str | os.PathLike[str],
    id: str,
    *,
    name: str = "",
    max_episode_steps: int = 0,
    reward_threshold: float | None = None,
    doc: str = "",
    defaults: Mapping[str, Value] | None = None,
    cxx: str | os.PathLike[str] | None = None,
    flags: Sequence[str] = (),
    timeout: float = 300,
    check: bool = False,
) -> Registration:
    """Compiles a C++ header with an environment and registers it under an id.

    The environment is a struct that follows one of the three contracts of `envpool/core/env.h`; docs/write_your_own.md
    is a tutorial. The plugin is cached in $ENVPOOL_CACHE_DIR, else $XDG_CACHE_HOME/envpool, else ~/.cache/envpool, and
    is compiled again only if the header, an included file, envpool's headers, the compiler or the flags have changed.
    Compiling another header under the same id replaces the environment in pools that are made afterwards.

    A new process, such as one that multiprocessing starts with "spawn", must call this function as well, which takes
    about a tenth of a second with the cache. Alternatively, send it a pickled pool, which works as long as the cache
    exists.

    Args:
        source: the path of the header; or its text, if the str contains a line break.
        id: the new id, such as "Snake-v0".
        name: the struct, if the header has several with a `kName` or defines it with a macro.
        max_episode_steps: steps until an episode is truncated; 0 means no limit.
        reward_threshold: the return at which the task counts as solved.
        doc: one line of description.
        defaults: options whose default differs from the header's declaration.
        cxx: the compiler; by default $CXX, else the first of c++, g++, clang++ and the package ziglang that is
            installed.
        flags: further flags, such as "-I..." or "-l...".
        timeout: seconds after which the compiler is stopped.
        check: also play the environment with its default options in a process of its own, with every access checked,
            and raise an error with the line of the first mistake. It takes several seconds, and is not repeated until
            something changes. `docs/write_your_own.md` lists the mistakes that it finds.

    Returns:
        The registration. Its `plugin` and `table` are the arguments that `envpool.register` needs.

    Raises:
        CheckError: `check` has found a mistake. It is a CompileError.
        RuntimeError: the temporary folder cannot be written.
        CompileError: the compiler is missing or rejects the header, the plugin cannot be loaded, or its declaration of
            options or arrays is not valid.
        FileNotFoundError: the header does not exist.
        ValueError: the id is not valid or belongs to an environment that was not compiled; a default is out of range.
        TypeError: an argument of the wrong type, or an unknown option among the defaults.
    """
    registration = Registration(
        id, PLUGIN, "", "", max_episode_steps, reward_threshold, doc, defaults or {}, "a header"
    )
    check_registration(registration)
    _check_arguments(registration, name, cxx, flags, timeout, check)
    with temporary_folder(id) as folder:
        header = _Source.of(id, source, name, folder)
        command = [*find_compiler(id, cxx), *FLAGS, f"-I{get_include()}", *flags]
        plugin = _Build(id, header, command, folder, timeout).plugin()
        registration = registration._replace(
            plugin=str(plugin), source=header.shown, cxx=os.fspath(cxx or ""), flags=tuple(flags)
        )
        (table,) = registration.tables().values()
        registration = registration._replace(
            table=table.name, defaults=check_declaration(id, table, registration.defaults)
        )
        if check:
            checked = [*find_compiler(id, cxx), *flags]
            _play(header.subject(id, plugin.stem), checked, registration, folder, timeout)
    add(registration)
    return registration


def _play(subject: Subject, command: list[str], registration: Registration, folder: Path, timeout: float) -> None:
    """Checks the environment, unless the cache has a note that it was checked."""
    what = repr((registration.defaults, registration.max_episode_steps, sources()))
    name = f"{subject.stem}-{hashlib.sha256(what.encode()).hexdigest()[:16]}.checked"
    if cache.find(name) is None:
        check_environment(subject, command, registration.defaults, registration.max_episode_steps, folder, timeout)
        cache.store(registration.task_id, name, b"checked")


def _check_arguments(registration: Registration, name: Any, cxx: Any, flags: Any, timeout: Any, check: Any) -> None:
    """Raises TypeError or ValueError for arguments that `check_registration` does not cover."""
    with labelled(registration.task_id):
        if not isinstance(name, str) or not re.fullmatch(r"[\w:<>, ]*", name):
            raise wrong_value("name", "the name of a struct, such as 'games::Snake'", name)
        if not isinstance(registration.doc, str):
            raise wrong_type("doc", "a str", registration.doc)
        if not isinstance(registration.defaults, Mapping):
            raise wrong_type("defaults", "a mapping of option names to values", registration.defaults)
        if not isinstance(cxx, (str, os.PathLike, type(None))):
            raise wrong_type("cxx", "the command of a compiler", cxx)
        if (
            isinstance(flags, str)
            or not isinstance(flags, Sequence)
            or not all(isinstance(flag, str) for flag in flags)
        ):
            raise wrong_type("flags", "a sequence of str", flags)
        if not isinstance(check, bool):
            raise wrong_type("check", "a bool", check)
        seconds = as_number(timeout, "float")
        if seconds is None:
            raise wrong_type("timeout", "a number of seconds", timeout)
        if not (math.isfinite(seconds) and seconds > 0):
            raise wrong_value("timeout", "more than 0 seconds", timeout)


class _Source(NamedTuple):
    """The header that is compiled.

    Attributes:
        header: the file.
        shown: the name of the file in error texts.
        struct: the environment's struct in the file.
    """

    header: Path
    shown: str
    struct: Struct

    @classmethod
    def of(cls, label: str, source: str | os.PathLike[str], name: str, folder: Path) -> _Source:
        path_or_text = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
        if not isinstance(path_or_text, str):
            raise TypeError(f"[{label}] source: expected the path of a header, or its text, got {printable(source)}")
        if "\n" in path_or_text and not isinstance(source, os.PathLike):
            header, shown = folder / "source.h", "source"
            header.write_text(path_or_text, "utf-8", "replace")
        else:
            header, shown = Path(path_or_text).absolute(), path_or_text
        try:
            if not header.is_file():
                raise FileNotFoundError(2, "is not a file" if header.exists() else "does not exist")
            text = header.read_text("utf-8", "replace")
        except OSError as error:
            what = path_or_text if len(path_or_text) < 100 else path_or_text[:97] + "..."
            raise type(error)(f"[{label}] source: expected a header, got {what!r}: {error.strerror}") from None
        return cls(header, shown, _choose(label, shown, find_structs(text), name))

    def subject(self, label: str, stem: str) -> Subject:
        """Returns the environment for `check_environment`. Names of cached files begin with `stem`."""
        return Subject(label, self.header, self.shown, self.struct.name, self.struct.line, stem)


def _choose(label: str, shown: str, structs: Sequence[Struct], name: str) -> Struct:
    """Returns the struct of that name, or the only one if no name is given."""
    matching = [struct for struct in structs if not name or struct.name == name or struct.name.endswith("::" + name)]
    if len(matching) == 1:
        return matching[0]
    if name and not matching:  # a macro may define it; the compiler will report an unknown name
        return Struct(name, 1)
    if not matching:
        raise CompileError(f"[{label}] {shown} has no struct with a `static constexpr const char* kName`")
    several = ", ".join(f"{struct.name!r} (line {struct.line})" for struct in matching)
    raise CompileError(f"[{label}] {shown} has several environments: pass name= to select one of {several}")


class _Build:
    """The compilation of one header.

    The header is preprocessed first. The preprocessed text contains everything that the plugin depends on, so its hash
    is part of the plugin's name. That text is then compiled, so that later changes to the files have no effect.
    """

    def __init__(self, label: str, source: _Source, command: list[str], folder: Path, timeout: float) -> None:
        self._label = label
        self._source = source
        self._command = command
        self._folder = folder
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout
        self._system_headers: set[str] = set()

    def plugin(self) -> Path:
        """Returns the path of the plugin in the cache, after compiling it if necessary."""
        preprocessed = self._preprocess()
        struct = re.sub(r"\W+", "_", self._source.struct.name)
        name = f"{struct}-{self._key(preprocessed)}.so"
        path = cache.find(name)
        return path or cache.store(self._label, name, self._compile(preprocessed))

    def _preprocess(self) -> bytes:
        unit, out = self._folder / "unit.cc", self._folder / "preprocessed.cc"
        unit.write_text(_UNIT.format(struct=self._source.struct.name.removeprefix("::")))
        # The option -include accepts every path; the quotes of an #include directive do not.
        headers = [
            "-include",
            os.path.join(get_include(), "envpool", "core", "api.h"),
            "-include",
            str(self._source.header),
        ]
        # Without this, __FILE__ and thus the hash would depend on the temporary folder.
        moved = f"-fmacro-prefix-map={self._folder}/="
        self._run([*self._command, *_DIAGNOSTICS, moved, *headers, "-E", str(unit)], out)
        preprocessed = out.read_bytes()
        if _ENTRY.encode() not in preprocessed:
            raise self._error("does not preprocess as a C++ compiler does", self._command)
        marks = _LINE_MARK.findall(preprocessed)
        self._system_headers = {os.fsdecode(file) for file, flags in marks if b"3" in flags.split()}
        return preprocessed

    def _key(self, preprocessed: bytes) -> str:
        what = [platform.machine(), *platform.libc_ver(), *self._command]
        if any("native" in flag for flag in self._command):
            what += [line for line in _read("/proc/cpuinfo").splitlines() if line.startswith(("flags", "Features"))][:1]
        key = hashlib.sha256("\0".join(what).encode(errors="surrogateescape"))
        key.update(_LINE_MARK.sub(b"", preprocessed))
        return key.hexdigest()[:32]

    def _compile(self, preprocessed: bytes) -> bytes:
        source, out = self._folder / "preprocessed.cc", self._folder / "plugin.so"
        libraries = [word for word in self._command if word.startswith("-l")]  # repeated after the file that needs them
        self._run(
            [*self._command, *_DIAGNOSTICS, *_LINK, str(source), *libraries, "-o", str(out)], self._folder / "out"
        )
        if not out.is_file():
            raise self._error("succeeded but wrote no file", self._command)
        self._try(out)
        return out.read_bytes()

    def _try(self, plugin: Path) -> None:
        """Loads the plugin in a separate process, so that neither a crash nor a call of exit() ends this one."""
        if not sys.executable:
            return
        path, out = os.pathsep.join(entry or os.getcwd() for entry in sys.path), self._folder / "out"
        try:
            completed = run(
                [sys.executable, "-c", _TRIAL, str(plugin)],
                self._folder,
                max(self._deadline - time.monotonic(), 10),
                out,
                limit_memory=False,
                environment={"PYTHONPATH": path},
            )
        except TimeoutError:
            what = "does not end"
        else:
            reported = re.search(r"^RuntimeError: (.*)", completed.log, re.MULTILINE)
            if completed.status < 0:
                what = f"crashes ({signal.Signals(-completed.status).name})"
            elif reported:
                raise CompileError(f"[{self._label}] {reported[1]}", log=completed.log)
            elif completed.status or b"read" not in out.read_bytes().splitlines():
                what = f"ends the process with status {completed.status}"
            else:
                return
        raise CompileError(
            f"[{self._label}] {self._source.shown} compiles, but the plugin {what} when it is loaded and its options and "
            "arrays are read"
        )

    def _run(self, command: list[str], out: Path) -> None:
        shown = shlex.join(command)
        try:
            completed = run(command, self._folder, self._deadline - time.monotonic(), out)
        except TimeoutError:
            raise CompileError(
                f"[{self._label}] the compiler was stopped after timeout={self._timeout:g} seconds: does "
                f"{self._source.shown} have an infinitely recursive template?\ncommand: {shown}",
                shown,
            ) from None
        if completed.status != 0:
            raise self._compile_error(completed, command)

    def _compile_error(self, completed: CompletedRun, command: list[str]) -> CompileError:
        source = self._source
        log = completed.log.replace(str(source.header), source.shown)
        place, unit = f"{source.shown}:{source.struct.line}", str(self._folder / "unit.cc")
        lines = explain(log, source.struct.name, place, self._is_users, unit)
        if not lines:
            return self._error(f"ended with status {completed.status} and no message", command, log)
        shown = shlex.join(command)
        return CompileError(f"[{self._label}] {source.shown} does not compile:\n{lines}\ncommand: {shown}", shown, log)

    def _error(self, what: str, command: list[str], log: str = "") -> CompileError:
        return CompileError(f"[{self._label}] the compiler {command[0]} {what}", shlex.join(command), log)

    def _is_users(self, file: str) -> bool:
        ours = os.path.join(get_include(), "envpool", "core")
        return file not in self._system_headers and not file.startswith((ours, str(self._folder), "<"))


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""
