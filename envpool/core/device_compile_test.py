# SPDX-License-Identifier: Apache-2.0
"""Every portable environment compiles for a GPU, by NVRTC, on a machine without one."""

from __future__ import annotations

import ctypes
import os
import re
import time
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
ARCHITECTURE = "sm_80"
# Functions and tables without ENVPOOL_FN are the device's too, and no product is fused with a sum: the host's bits.
FLAGS = ["-std=c++20", "--fmad=false", "--device-as-default-execution-space", "--ptxas-options=-v"]

# A thread is an environment. It resets or steps, then observes.
KERNEL = """
#include "{header}"

using namespace envpool;
using Env = envpool::{family}::{name};

extern "C" __device__ const u64 state_bytes = sizeof(Env::State);

extern "C" __global__ void run(u8* states, i64 stride, Env::Params params, Rng* rngs, bool begin, Row row,
                               ActionRow action, Outcome* outcomes) {{
  const i64 i = i64{{blockIdx.x}} * blockDim.x + threadIdx.x;
  row.row = action.row = i;
  Env::State& state = *reinterpret_cast<Env::State*>(states + i * stride);
  if (begin) {{
    Env::reset(state, params, rngs[i]);
  }} else {{
    outcomes[i] = Env::step(state, params, action, rngs[i]);
  }}
  Env::observe(state, params, row);
}}
"""

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")


class Compiled(NamedTuple):
    cubin: bytes
    ptx: str
    log: str


class Nvrtc:
    """The few functions of NVRTC that compile one program."""

    def __init__(self) -> None:
        files = metadata.files("nvidia-cuda-nvrtc-cu12")
        assert files is not None
        (path,) = (file for file in files if file.match("libnvrtc.so.*"))
        self._library = ctypes.CDLL(str(path.locate()))

    def compile(self, source: str, flags: list[str]) -> Compiled:
        program = ctypes.c_void_p()
        self._call("CreateProgram", ctypes.byref(program), source.encode(), b"env.cu", 0, None, None)
        arguments = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
        status = self._library.nvrtcCompileProgram(program, len(flags), arguments)
        log = self._output(program, "ProgramLog").rstrip(b"\0").decode()
        assert status == 0, log
        ptx = self._output(program, "PTX").rstrip(b"\0").decode()
        compiled = Compiled(self._output(program, "CUBIN"), ptx, log)
        self._call("DestroyProgram", ctypes.byref(program))
        return compiled

    def _output(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"Get{what}Size", program, ctypes.byref(size))
        output = ctypes.create_string_buffer(size.value)
        self._call(f"Get{what}", program, output)
        return output.raw

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self._library, f"nvrtc{name}")(*arguments)
        assert status == 0, f"nvrtc{name} returned {status}"


def portable_environments() -> list[tuple[str, str, str]]:
    """(family, environment, header) of all that the families' plugins list; a family of tests is for the host alone."""
    found = []
    for plugin in sorted(Path(SOURCE or "", "envpool").glob("*/plugin.cc")):
        family = plugin.parent.name
        tables = re.findall(r"(\w+)_table<([\w:]+)>", plugin.read_text())
        if family == "testing":
            continue
        for kind, name in tables:
            if kind == "host":
                continue
            assert kind == "portable", f"{name}: how does a {kind} environment run on a device?"
            name = name.split("::")[-1]
            (header,) = (h for h in plugin.parent.glob("*.h") if re.search(rf"^struct {name} ", h.read_text(), re.M))
            found.append((family, name, f"envpool/{family}/{header.name}"))
    return found


ENVIRONMENTS = portable_environments()


@pytest.fixture(scope="module")
def nvrtc() -> Nvrtc:
    return Nvrtc()


def number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    assert match, f"no {pattern!r} in:\n{text}"
    return int(match[1])


def test_families_are_found() -> None:
    families = {family for family, _, _ in ENVIRONMENTS}
    assert {"classic_control", "toy_text", "bsuite", "atari"} <= families


@pytest.mark.parametrize(("family", "name", "header"), ENVIRONMENTS, ids=[name for _, name, _ in ENVIRONMENTS])
def test_compiles_for_a_device(
    family: str, name: str, header: str, nvrtc: Nvrtc, capsys: pytest.CaptureFixture[str]
) -> None:
    begin = time.monotonic()
    source = KERNEL.format(family=family, name=name, header=header)
    cubin, ptx, log = nvrtc.compile(source, [f"--gpu-architecture={ARCHITECTURE}", *FLAGS, f"-I{SOURCE}"])
    seconds = time.monotonic() - begin

    assert cubin.startswith(b"\x7fELF")
    assert "warning" not in log, log  # such as a stack without bound
    state = number(r"state_bytes = (\d+)", ptx)
    registers = number(r"Used (\d+) registers", log)
    stack = number(r"(\d+) bytes cumulative stack size", log) if "cumulative stack" in log else 0
    assert stack <= 16384, "something large is on the stack, which every thread has"
    with capsys.disabled():
        print(
            f"\n{name} for {ARCHITECTURE}: cubin {len(cubin)} bytes, {registers} registers, {stack} bytes of stack, "
            f"state {state} bytes; compiled in {seconds:.0f} s"
        )
