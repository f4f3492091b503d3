# SPDX-License-Identifier: Apache-2.0
"""Runs one compilation by NVRTC. This program imports nothing else from the package, so that it starts quickly.

    python worker.py LIBRARY REQUEST RESPONSE

The compiler may crash, run out of memory or hang on some sources, so it runs in a separate process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple


class Request(NamedTuple):
    """A source, its path in messages, and the compiler flags."""

    source: bytes
    name: bytes
    flags: tuple[bytes, ...]


class Response(NamedTuple):
    """The result of a compilation.

    Attributes:
        call: the function that failed, or an empty string.
        status: the nvrtcResult that it returned.
        log: the compiler's log.
        ptx: the assembly.
        cubin: the machine code; empty for a virtual architecture.
    """

    call: str
    status: int
    log: bytes
    ptx: bytes = b""
    cubin: bytes = b""


def open_library(path: str) -> ctypes.CDLL:
    """Opens NVRTC, and its builtins library, which some builds of NVRTC do not find in their own folder."""
    library = ctypes.CDLL(path)
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    with contextlib.suppress(OSError):
        ctypes.CDLL(os.path.join(os.path.dirname(path), f"libnvrtc-builtins.so.{major.value}.{minor.value}"))
    return library


def compile_program(library: ctypes.CDLL, request: Request) -> Response:
    """Compiles a source with these flags and no others."""
    program = ctypes.c_void_p()
    name = request.name
    status: int = library.nvrtcCreateProgram(ctypes.byref(program), request.source, name, 0, None, None)
    if status:
        return Response("CreateProgram", status, b"")
    try:
        flags = (ctypes.c_char_p * len(request.flags))(*request.flags)
        status = library.nvrtcCompileProgram(program, len(request.flags), flags)
        log = _output(library, program, "ProgramLog").rstrip(b"\0")
        if status:
            return Response("CompileProgram", status, log)
        virtual = any(b"arch" in flag and b"=compute" in flag for flag in request.flags)
        ptx = _output(library, program, "PTX").rstrip(b"\0")
        return Response("", 0, log, ptx, b"" if virtual else _output(library, program, "CUBIN"))
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _output(library: Any, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    if library[f"nvrtcGet{what}Size"](program, ctypes.byref(size)):
        return b""
    output = ctypes.create_string_buffer(max(size.value, 1))
    return b"" if library[f"nvrtcGet{what}"](program, output) else output.raw[: size.value]


def main(arguments: Sequence[str]) -> None:
    """Reads a request and writes the response, as plain tuples."""
    path, request, response = arguments
    with open(request, "rb") as file:
        compilation = Request(*pickle.load(file))
    result = compile_program(open_library(path), compilation)
    with open(response, "wb") as file:
        pickle.dump(tuple(result), file)


if __name__ == "__main__":
    main(sys.argv[1:])
