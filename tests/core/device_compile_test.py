# SPDX-License-Identifier: Apache-2.0
"""Tests that NVRTC compiles every portable environment for GPUs from the installed headers. This needs no GPU.

The machine code must not contain fused multiply-adds outside of divisions and square roots, and must stay within the
limits of tests/cuda/kernel_budgets.csv. By default, one environment of each family is compiled for one of the
architectures, and one in twelve of all other cases is tried, both by the date; `make test-device` compiles all
environments for all architectures. The kernels for columns of options are sampled in the same way, but more rarely.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import envpool
from envpool.cuda import nvrtc
from envpool.cuda.compiler_fault import compares_wrongly
from envpool.plugins.paths import get_include
from envpool.python.registry import find
from tests.cuda.machine_code import (
    ARCHITECTURES,
    SLOW,
    Use,
    budgets,
    compile_for,
    compile_with_log,
    disassemble,
    disassembler,
    fused,
    over_budget,
    tuned_budget,
    use_of,
)
from tests.cuda.nvrtc import SOURCE, Compiled, PortableEnvironment, environments
from tests.support.samples import DAY, of_today

ENVIRONMENTS = environments()
ALL = os.environ.get("ENVPOOL_TEST_DEVICE") == "whole"
FIRST = {environment.family: environment for environment in reversed(ENVIRONMENTS) if environment.name not in SLOW}
EVERY_CASE = [(environment, architecture) for environment in ENVIRONMENTS for architecture in ARCHITECTURES]
ALWAYS = [(environment, ARCHITECTURES[DAY % 2]) for environment in FIRST.values()]
CASES = EVERY_CASE if ALL else of_today(EVERY_CASE, 12, ALWAYS)
ALWAYS_TUNED = [(FIRST["classic_control"], ARCHITECTURES[DAY % 2])]
TUNED_CASES = EVERY_CASE if ALL else of_today(EVERY_CASE, 47, ALWAYS_TUNED)

pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")


def test_families_are_found() -> None:
    assert {"classic_control", "toy_text", "bsuite", "atari"} <= {environment.family for environment in ENVIRONMENTS}
    assert {False, True} == {environment.world for environment in ENVIRONMENTS}


def test_tables_of_portable_environments_describe_them_for_a_device() -> None:
    # Other tests in this process may have registered plugins that cannot be loaded.
    registered = [r for r in map(find, envpool.list_all_envs()) if r.family or r.table == "Crowd"]
    tables = {(r.family, r.table): r.load() for r in registered}
    assert {bool(table.flags & 1) for table in tables.values()} == {False, True}
    for table in tables.values():
        assert (table.device is not None) == bool(table.flags & 1), table.name
    crowd = tables["", "Crowd"]
    assert crowd.device is not None and crowd.device["header"] == "tests/environments/crowd.h"
    assert (crowd.device["type"], crowd.device["world"]) == ("envpool::testing::Crowd", True)


@pytest.mark.parametrize(
    ("environment", "architecture"),
    CASES,
    ids=[f"{environment.name}-{architecture}" for environment, architecture in CASES],
)
def test_compiles_for_a_device(environment: PortableEnvironment, architecture: str) -> None:
    check(environment, compile_for(environment, architecture), budgets()[f"{environment.family}/{environment.name}"])


@pytest.mark.parametrize(
    ("environment", "architecture"),
    TUNED_CASES,
    ids=[f"{environment.name}-{architecture}" for environment, architecture in TUNED_CASES],
)
def test_compiles_for_columns_of_options(environment: PortableEnvironment, architecture: str) -> None:
    budget = budgets()[f"{environment.family}/{environment.name}"]
    compiled = compile_with_log(environment.tuned_kernel, architecture)
    check(environment, compiled, tuned_budget(budget, environment.device["params_bytes"]))


def check(environment: PortableEnvironment, compiled: Compiled, budget: Use) -> None:
    """Checks the machine code of an environment's kernels."""
    assert compiled.cubin.startswith(b"\x7fELF")
    assert not compares_wrongly(compiled.cubin)
    assert "warning" not in compiled.log, compiled.log  # for example about an unbounded stack
    # NVRTC leaves a table zero if it is declared without braces, as in `static constexpr Table table;`, although host
    # compilers run its constructor. kNothing is zero by design, and so are the initial positions of some robots. A
    # robot's spare room is not a table.
    # A table that is declared but never read does not matter. NVRTC leaves such tables after inlining a constructor.
    bare = re.findall(r"^\.(?:global|const)[^=;]*?([\w$]+)\[[^=;]*;", compiled.ptx, re.M)
    read = [table for table in bare if compiled.ptx.count(table) > 1]
    zero = ("kNothing", "Model7initialE", "spare_room")
    assert not [table for table in read if not any(name in table for name in zero)], "a table without initial values"
    assert not re.findall(r"\s(?:fma|mad)\.\S*f(?:32|64)|\.approx|\.ftz", compiled.ptx), "inexact arithmetic in PTX"
    assert over_budget(f"{environment.family}/{environment.name}", use_of(compiled), budget) == []
    if disassembler() is None:
        pytest.fail("the fused operations are not checked: nvdisasm is missing, pip install nvidia-cuda-nvdisasm")
    assert fused(disassemble(compiled.cubin)) == []


def test_every_budget_has_its_environment() -> None:
    assert budgets().keys() == {f"{environment.family}/{environment.name}" for environment in ENVIRONMENTS}


def test_an_exceeded_budget_is_reported() -> None:
    errors = over_budget("tag/Mine", Use(41, 16, 2048), Use(40, 16, 2047))
    assert [re.sub(r" in \S+", "", sentence) for sentence in errors] == [
        "tag/Mine: registers is 41, and the budget is 40",
        "tag/Mine: cubin is 2048, and the budget is 2047",
    ]


# ---- tests of the check itself ----

KERNEL = """
extern "C" __global__ void run(float* f, double* d) {
  %s
}
"""
BODIES = [
    ("f[0] = f[1] * f[2] + f[3];", 1),
    ("d[0] = d[1] * d[2] + d[3];", 1),
    ("f[0] = f[1] / f[2]; d[0] = sqrt(d[1]); f[3] = sqrtf(f[4]); d[2] = d[3] / d[4] * d[5] + 1.0;", 1),
    ("d[0] = 1.0 / d[1]; d[2] = d[3] * d[4] + 1.0;", 1),
    ("f[0] = fmaf(f[1], f[2], f[3]);", 0),  # fused with any flags
    ("f[0] = f[1] / f[2] * f[3] + f[4];", 1),  # a division may use fused operations, but not this sum
]


@pytest.mark.parametrize("architecture", ARCHITECTURES if ALL else ARCHITECTURES[:1])
@pytest.mark.parametrize(("body", "contracts"), BODIES)
def test_contractions_are_detected(body: str, contracts: int, architecture: str) -> None:
    flags = [f"--gpu-architecture={architecture}", "-std=c++20"]
    library = nvrtc.load()
    contracted = fused(disassemble(library.compile(KERNEL % body, flags).cubin))
    exact = fused(disassemble(library.compile(KERNEL % body, [*flags, "--fmad=false"]).cubin))
    assert len(contracted) == 1 and "FMA, but divisions and roots need" in contracted[0]
    assert exact == [] if contracts else exact == contracted


def test_an_empty_listing_is_an_error() -> None:
    assert fused("") == fused("run:\n nothing\n") == ["the listing contains no instruction"]


# ---- the installed headers ----


def test_installed_headers_are_those_that_devices_include() -> None:
    """Checks that the families install exactly the headers that a device compiler includes, as listed by g++."""
    needed: set[str] = set()
    for environment in ENVIRONMENTS:
        if environment.family == "testing":
            continue
        device = ["-D__CUDACC_RTC__", "-D__CUDACC__", "-D__host__=", "-D__device__=", "-nostdinc", "-nostdinc++"]
        command = [
            "g++",
            "-std=c++20",
            "-E",
            "-M",
            *device,
            "-I",
            str(SOURCE),
            "-x",
            "c++",
            f"{SOURCE}/{environment.header}",
        ]
        dependencies = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        files = [os.path.relpath(file, SOURCE) for file in dependencies.replace("\\\n", " ").split()[1:]]
        assert "envpool/core/types.h" in files
        needed.update(file for file in files if file.startswith("envpool/"))
    installed = {str(path.relative_to(get_include())) for path in Path(get_include(), "envpool").rglob("*.h")}
    assert needed - installed == set()
    assert {file for file in installed - needed if not file.startswith("envpool/core/")} == set()


def test_compiling_does_not_read_the_sources() -> None:
    """A built-in environment compiles with only the installed headers."""
    (cart_pole,) = (environment for environment in ENVIRONMENTS if environment.name == "CartPole")
    assert SOURCE is not None and not get_include().startswith(str(Path(SOURCE, "envpool")))
    compiled = nvrtc.compile(cart_pole.kernel, "sm_90", label="CartPole-v1")
    assert compiled.cubin == compile_for(cart_pole, "sm_90").cubin
