# SPDX-License-Identifier: Apache-2.0
"""Caches compiled kernels in the user's cache folder, so that each kernel is compiled only once.

A compiled kernel is called an image. Its key is a digest of all inputs of the compilation: the source, every header
that it includes, the flags, the architecture and the build of NVRTC. The folder where this package is installed is not
among them, so that images can be compiled on one machine and used on another. If the cache folder cannot be written,
images are kept in the memory of this process.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from envpool.cuda import nvrtc
from envpool.plugins.paths import get_include
from envpool.python.cache_files import cache_folder, read, touch, trim, write

MOST_BYTES = 256 << 20  # limit for all images together; a typical kernel takes 0.02 MB, Atari's 0.7 MB

_FORMAT = "4"  # version of the key; changing it recompiles all images
_IN_MEMORY = 64  # limit for images that could not be written

# Comments may appear between the words of a directive, and a backslash continues a line.
_GAP = r"(?:[ \t]|/\*.*?\*/)*"
_INCLUDE = re.compile(rf"^{_GAP}(?:#|%:|\?\?=){_GAP}(include\w*|import|embed)\b{_GAP}(.*)$", re.MULTILINE)
_NAMED = re.compile(r'"([^"\n]+)"|<([^>\n]+)>')
_CONTINUED = re.compile(r"\\[ \t]*\r?\n")
# Text and flags whose images may contain paths: names of the current file, and line numbers for debuggers.
_NAMES_FILE = re.compile(r"__FILE__|__BASE_FILE__|__builtin_FILE|source_location|\bassert\b")
_LINES = re.compile(r"--?(generate-line-info|lineinfo)")

_memory: dict[str, bytes] = {}
_memory_lock = threading.Lock()
_warned_of: set[Path] = set()  # folders about which a warning has been issued


def image(
    source: str,
    architecture: str,
    *,
    label: str = "envpool.cuda",
    name: str = "program.cu",
    includes: Sequence[str | os.PathLike[str]] = (),
    flags: Sequence[str] = (),
    timeout: float = 300,
) -> bytes:
    """Returns the result of `nvrtc.compile` for these arguments: machine code for "sm_90", PTX for "compute_90".

    An image that is not cached yet is compiled, and cached if possible.

    Raises:
        CompileError: the source does not compile.
        NvrtcError: there is no NVRTC, or it cannot work.
        TypeError, ValueError: an argument is invalid.
    """
    library = nvrtc.load()
    all_flags = nvrtc.check(label, library, source, architecture, includes, flags)

    def key_now() -> str | None:
        return key(source, all_flags, library.build, [Path(flag[2:]) for flag in all_flags if flag.startswith("-I")])

    begun = key_now()
    if begun is not None and (cached := _find(begun)) is not None:
        return cached
    compiled = nvrtc.compile(
        source, architecture, label=label, name=name, includes=includes, flags=flags, timeout=timeout
    )
    compiled_image = compiled.cubin or compiled.ptx.encode()
    # If a header was edited during the compilation, the image might not match its key.
    if begun is not None and key_now() == begun:
        _keep(begun, compiled_image)
    return compiled_image


def key(source: str, flags: Iterable[str], build: str, folders: Sequence[Path]) -> str | None:
    """Returns the key of an image: a digest of all its inputs.

    The key is None if the headers cannot be determined without preprocessing the source, for example if it contains
    `#include NAME`. Such a source is compiled each time. Paths in the folder of this package's headers are relative to
    it, unless the image may contain paths.
    """
    digest = hashlib.sha256()
    flags, package = list(flags), get_include()
    contents: dict[tuple[str, str], bytes] = {}  # contents by folder and file name; symbolic links are resolved
    pending = [(source, os.fspath(folders[0]))]
    while pending:
        text, own_folder = pending.pop()
        for name in _included(text):
            if name is None:
                return None
            # The form of the directive and its location decide which candidate the compiler uses, so all are hashed.
            for folder in (own_folder, *map(os.fspath, folders)):
                path = os.path.join(folder, name)
                where = os.path.realpath(os.path.dirname(path)), os.path.realpath(path)
                if where in contents or not os.path.isfile(where[1]):
                    continue
                try:
                    contents[where] = Path(where[1]).read_bytes()
                except OSError:
                    continue
                pending.append((contents[where].decode(errors="replace"), where[0]))
    texts = (source, *(content.decode(errors="replace") for content in contents.values()))
    in_image = any(map(_LINES.match, flags)) or any(map(_NAMES_FILE.search, texts))

    def add(text: bytes) -> None:
        digest.update(b"%d:" % len(text) + text)

    def place(path: str, root: str) -> str:
        """Returns a path, relative to the folder of this package's headers if it is in that folder."""
        inside = path == root or path.startswith(os.path.join(root, ""))
        return f"envpool:{path[len(root) :]}" if inside and not in_image else path

    normalized = [f"-I{place(flag[2:], package)}" if flag.startswith("-I") else flag for flag in flags]
    for part in (_FORMAT, build, *normalized, "", source):
        add(part.encode(errors="surrogatepass"))
    root = os.path.realpath(package)
    for path, content in sorted((place(path, root), content) for (_, path), content in contents.items()):
        add(os.fsencode(path))
        add(content)
    return digest.hexdigest()[:40]


def _included(text: str) -> list[str | None]:
    """Returns the names that a text includes, regardless of #if. None stands for a macro or an unknown directive."""
    names: list[str | None] = []
    for match in _INCLUDE.finditer(_CONTINUED.sub("", text)):
        named = _NAMED.match(match[2]) if match[1] == "include" else None
        names.append((named[1] or named[2]) if named else None)
    return names


def _folder() -> Path | None:
    folder = cache_folder()
    return folder / "cuda" if folder else None


def _find(name: str) -> bytes | None:
    with _memory_lock:
        if name in _memory:
            return _memory[name]
    folder = _folder()
    content = read(folder / name) if folder else None
    if folder and content is not None:
        touch(folder / name)
    return content


def _keep(name: str, content: bytes) -> None:
    folder = _folder()
    if folder is not None:
        try:
            write(folder / name, content)
        except OSError as error:
            _warn(folder.parent, error.strerror or str(error))
        else:
            trim(folder, MOST_BYTES)
            return
    with _memory_lock:  # The next process compiles the kernel again.
        _memory[name] = content
        while len(_memory) > _IN_MEMORY:
            del _memory[next(iter(_memory))]


def _warn(folder: Path, why: str) -> None:
    if folder in _warned_of:
        return
    _warned_of.add(folder)
    warnings.warn(
        f"[envpool.cuda] the cache {folder} cannot be used ({why}): compiled kernels are kept for this process only. Set "
        "ENVPOOL_CACHE_DIR to a folder that only you can write",
        RuntimeWarning,
        stacklevel=2,
    )
