# SPDX-License-Identifier: Apache-2.0
"""Every portable environment compiles for a GPU, by NVRTC, on a machine without one."""

from __future__ import annotations

import re
import time

import pytest

from envpool.testing.nvrtc import FLAGS, SOURCE, Environment, Nvrtc, environments

ARCHITECTURE = "sm_80"
ENVIRONMENTS = environments()

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")


@pytest.fixture(scope="module")
def nvrtc() -> Nvrtc:
    return Nvrtc()


def number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    assert match, f"no {pattern!r} in:\n{text}"
    return int(match[1])


def test_families_are_found() -> None:
    assert {"classic_control", "toy_text", "bsuite", "atari"} <= {environment.family for environment in ENVIRONMENTS}
    assert {"portable", "world"} == {environment.kind for environment in ENVIRONMENTS}


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=[environment.name for environment in ENVIRONMENTS])
def test_compiles_for_a_device(environment: Environment, nvrtc: Nvrtc, capsys: pytest.CaptureFixture[str]) -> None:
    begin = time.monotonic()
    flags = [f"--gpu-architecture={ARCHITECTURE}", *FLAGS, "--ptxas-options=-v"]
    cubin, ptx, log = nvrtc.compile(environment.kernel, flags)
    seconds = time.monotonic() - begin

    assert cubin.startswith(b"\x7fELF")
    assert "warning" not in log, log  # such as a stack without bound
    # NVRTC leaves zeros where a host's compiler runs a constructor: `static constexpr Table table;`, without braces.
    # kNothing is of zeros.
    bare = re.findall(r"^\.(?:global|const)[^=;]*\[[^=;]*;", ptx, re.M)
    assert not [table for table in bare if "kNothing" not in table], "a table without its values"
    state = number(r"state_bytes = (\d+)", ptx)
    registers = number(r"Used (\d+) registers", log)
    stack = number(r"(\d+) bytes cumulative stack size", log) if "cumulative stack" in log else 0
    assert stack <= 16384, "something large is on the stack, which every thread has"
    with capsys.disabled():
        print(
            f"\n{environment.name} for {ARCHITECTURE}: cubin {len(cubin)} bytes, {registers} registers, {stack} bytes of "
            f"stack, state {state} bytes; compiled in {seconds:.0f} s"
        )
