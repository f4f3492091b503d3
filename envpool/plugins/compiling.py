# SPDX-License-Identifier: Apache-2.0
"""`envpool.compile`: one header becomes an environment like any other."""

from __future__ import annotations

import hashlib
import math
import os
import platform
import re
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from envpool.plugins import cache
from envpool.plugins.compiler import Ended, find_compiler, run
from envpool.plugins.declaration import check_declaration
from envpool.plugins.messages import explain
from envpool.plugins.paths import get_include
from envpool.plugins.structs import Struct, find_structs
from envpool.python.errors import CompileError
from envpool.python.family import PLUGIN
from envpool.python.registry import Registration, add, check

if TYPE_CHECKING:
    from envpool.python.options import Value

# Float order is interface, so no fused multiply-add; nothing of a plugin is visible but its one symbol.
_FLAGS = ("-std=c++20", "-O3", "-DNDEBUG", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden")
_DIAGNOSTICS = ("-fdiagnostics-color=never",)
_LINK = ("-shared", "-pthread", "-Wl,-z,defs")
_ENTRY = "envpool_plugin"
_UNIT = """ENVPOOL_PLUGIN(envpool::table<{struct}>())
extern "C" __attribute__((visibility("default"))) const char* envpool_compiler() {{ return __VERSION__; }}
"""
# "# 12 "file" 3": the compiler's note of where a preprocessed line is from; 3 marks a header of the system.
_LINE_MARK = re.compile(rb'^# \d+ "((?:[^"\\\n]|\\.)*)"([ \d]*)$', re.MULTILINE)
_TRIAL = """import sys
from envpool import _core
(table,) = _core.load_plugin(sys.argv[1])
table.describe()
try:
    table.spec({})
except ValueError:
    pass
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
) -> Registration:
    """Compiles a C++ header that holds an environment, and registers it: all that takes an id then takes this one.

    The environment is a struct in one of the three contracts of `envpool/core/env.h`; docs/write_your_own.md leads
    there from an empty file. What is compiled is kept in $ENVPOOL_CACHE_DIR, else $XDG_CACHE_HOME/envpool, else
    ~/.cache/envpool, and compiled again only when the header, what it includes, our headers, the compiler or the
    flags have changed. Compiling under the same id again replaces it for pools that are made from then on.

    A process that is started anew, as by multiprocessing's "spawn", must call this too, which then takes a tenth of a
    second, or be sent a pool, which can be pickled while the cache is there.

    Args:
        source: path of the header, or its text, which is what a str with a line break in it is.
        id: the id that `make` shall take, such as "Snake-v0".
        name: the struct, where the header has several with a `kName`, or hides it in a macro.
        max_episode_steps: steps until an episode is truncated; 0 is no limit.
        reward_threshold: return at which the task counts as solved.
        doc: one line of meaning.
        defaults: options whose default shall differ from what the header declares.
        cxx: the compiler, as in $CXX, which is the default; then c++, g++, clang++ and the package ziglang are tried.
        flags: further flags, such as "-I..." or "-l...".
        timeout: seconds after which the compiler is stopped.

    Returns:
        The registration. What `envpool.register` would take is in its `plugin` and `table`.

    Raises:
        CompileError: the compiler is missing or refuses the header, or what comes out cannot be loaded, or declares
            options or arrays that cannot be.
        FileNotFoundError: there is no such file.
        ValueError: the id is taken by another kind of environment, or is none; a default is out of range.
        TypeError: an argument of the wrong type; a default that is no option.
    """
    made = Registration(id, PLUGIN, "", "", max_episode_steps, reward_threshold, doc, defaults or {}, "a header")
    check(made)
    _check_arguments(made, name, cxx, flags, timeout)
    with tempfile.TemporaryDirectory(prefix="envpool-") as folder:
        unit = _Unit.of(id, source, name, Path(folder))
        command = [*find_compiler(id, cxx), *_FLAGS, f"-I{get_include()}", *flags]
        plugin = _Build(id, unit, command, Path(folder), timeout).plugin()
    made = made._replace(plugin=str(plugin), source=unit.shown)
    (table,) = made.tables().values()
    made = made._replace(table=table.name, defaults=check_declaration(id, table, made.defaults))
    add(made)
    return made


def _check_arguments(made: Registration, name: Any, cxx: Any, flags: Any, timeout: Any) -> None:
    """Those that `check` does not know."""
    label = made.task_id
    if not isinstance(name, str) or not re.fullmatch(r"[\w:<>, ]*", name):
        raise ValueError(f"[{label}] name must be that of a struct, such as 'games::Snake', got {name!r}")
    if not isinstance(made.doc, str):
        raise TypeError(f"[{label}] doc must be a str, got {made.doc!r}")
    if not isinstance(made.defaults, Mapping):
        raise TypeError(f"[{label}] defaults must be a mapping of option names to values, got {made.defaults!r}")
    if not isinstance(cxx, (str, os.PathLike, type(None))):
        raise TypeError(f"[{label}] cxx must be a compiler's command, got {cxx!r}")
    if isinstance(flags, str) or not isinstance(flags, Sequence) or not all(isinstance(flag, str) for flag in flags):
        raise TypeError(f"[{label}] flags must be a sequence of str, got {flags!r}")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"[{label}] timeout must be a number of seconds, got {timeout!r}")
    if not (math.isfinite(timeout) and timeout > 0):
        raise ValueError(f"[{label}] timeout must be more than 0 seconds, got {timeout!r}")


class _Unit(NamedTuple):
    """What is compiled.

    Attributes:
        header: the file.
        shown: the same as messages name it.
        struct: the environment in it.
    """

    header: Path
    shown: str
    struct: Struct

    @classmethod
    def of(cls, label: str, source: str | os.PathLike[str], name: str, folder: Path) -> _Unit:
        if not isinstance(source, (str, os.PathLike)):
            raise TypeError(f"[{label}] source must be the path of a header, or its text, got {source!r}")
        given = os.fspath(source)
        if not isinstance(given, str):
            raise TypeError(f"[{label}] source must be a path of str, got {source!r}")
        if "\n" in given and not isinstance(source, os.PathLike):
            header, shown = folder / "source.h", "source"
            header.write_text(given, "utf-8", "replace")
        else:
            header, shown = Path(given).absolute(), given
        try:
            if not header.is_file():
                raise FileNotFoundError(2, "is no file" if header.exists() else "is not there")
            text = header.read_text("utf-8", "replace")
        except OSError as error:
            what = given if len(given) < 100 else given[:97] + "..."
            raise type(error)(f"[{label}] source: {what!r} {error.strerror}") from None
        return cls(header, shown, _choose(label, shown, find_structs(text), name))


def _choose(label: str, shown: str, structs: Sequence[Struct], name: str) -> Struct:
    """The one struct, or the one of that name."""
    found = [struct for struct in structs if not name or struct.name == name or struct.name.endswith("::" + name)]
    if len(found) == 1:
        return found[0]
    if name and not found:  # a macro's, perhaps: the compiler will know
        return Struct(name, 1)
    if not found:
        raise CompileError(f"[{label}] {shown} holds no struct with a `static constexpr const char* kName`")
    several = ", ".join(f"{struct.name!r} (line {struct.line})" for struct in found)
    raise CompileError(f"[{label}] {shown} holds several environments: say which by name=, of {several}")


class _Build:
    """One header's way through the compiler.

    It is preprocessed first: the outcome holds all that the plugin depends on, so its hash is the plugin's name, and it
    is what is compiled then, whatever becomes of the files meanwhile.
    """

    def __init__(self, label: str, unit: _Unit, command: list[str], folder: Path, timeout: float) -> None:
        self._label = label
        self._unit = unit
        self._command = command
        self._folder = folder
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout
        self._system: set[str] = set()  # headers

    def plugin(self) -> Path:
        """Returns the plugin's path, from the cache if it is there."""
        preprocessed = self._preprocess()
        struct = re.sub(r"\W+", "_", self._unit.struct.name)
        name = f"{struct}-{self._key(preprocessed)}.so"
        path = cache.find(name)
        return path or cache.keep(self._label, name, self._compile(preprocessed))

    def _preprocess(self) -> bytes:
        unit, out = self._folder / "unit.cc", self._folder / "preprocessed.cc"
        unit.write_text(_UNIT.format(struct=self._unit.struct.name))
        # Not by #include, between whose quotes not every path can stand.
        headers = [
            "-include",
            os.path.join(get_include(), "envpool", "core", "api.h"),
            "-include",
            str(self._unit.header),
        ]
        # __FILE__ must not depend on where the text of a header lay this time.
        moved = f"-fmacro-prefix-map={self._folder}/="
        self._run([*self._command, *_DIAGNOSTICS, moved, *headers, "-E", str(unit)], out)
        preprocessed = out.read_bytes()
        if _ENTRY.encode() not in preprocessed:
            raise self._error("does not preprocess as a C++ compiler does", self._command)
        marks = _LINE_MARK.findall(preprocessed)
        self._system = {os.fsdecode(file) for file, flags in marks if b"3" in flags.split()}
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
        libraries = [word for word in self._command if word.startswith("-l")]  # once more, after what needs them
        self._run(
            [*self._command, *_DIAGNOSTICS, *_LINK, str(source), *libraries, "-o", str(out)], self._folder / "out"
        )
        if not out.is_file():
            raise self._error("ended well and wrote nothing", self._command)
        self._try(out)
        return out.read_bytes()

    def _try(self, plugin: Path) -> None:
        """Loads the plugin in a process of its own, which it may crash."""
        if not sys.executable:
            return
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        try:
            ended = run(
                [sys.executable, "-c", _TRIAL, str(plugin)],
                self._folder,
                max(self._deadline - time.monotonic(), 10),
                self._folder / "out",
                limit_memory=False,
                environment={"PYTHONPATH": path},
            )
        except TimeoutError:
            what = "does not end"
        else:
            said = re.search(r"^RuntimeError: (.*)", ended.log, re.MULTILINE)
            if ended.status < 0:
                what = f"crashes ({signal.Signals(-ended.status).name})"
            elif said:
                raise CompileError(f"[{self._label}] {said[1]}", log=ended.log)
            else:
                return
        raise CompileError(
            f"[{self._label}] {self._unit.shown} compiles, but what comes out {what} when it is loaded and asked for "
            "its options and arrays"
        )

    def _run(self, command: list[str], out: Path) -> None:
        shown = shlex.join(command)
        try:
            ended = run(command, self._folder, self._deadline - time.monotonic(), out)
        except TimeoutError:
            raise CompileError(
                f"[{self._label}] the compiler was stopped after timeout={self._timeout:g} seconds: is there a template "
                f"without end in {self._unit.shown}?\ncommand: {shown}",
                shown,
            ) from None
        if ended.status != 0:
            raise self._refused(ended, command)

    def _refused(self, ended: Ended, command: list[str]) -> CompileError:
        log = ended.log.replace(str(self._unit.header), self._unit.shown)
        unit = self._unit
        lines = explain(log, unit.struct.name, f"{unit.shown}:{unit.struct.line}", self._is_users)
        if not lines:
            return self._error(f"ended with status {ended.status} and said nothing", command, log)
        shown = shlex.join(command)
        return CompileError(f"[{self._label}] {unit.shown} does not compile:\n{lines}\ncommand: {shown}", shown, log)

    def _error(self, what: str, command: list[str], log: str = "") -> CompileError:
        return CompileError(f"[{self._label}] the compiler {command[0]} {what}", shlex.join(command), log)

    def _is_users(self, file: str) -> bool:
        ours = os.path.join(get_include(), "envpool", "core")
        return file not in self._system and not file.startswith((ours, str(self._folder), "<"))


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""
