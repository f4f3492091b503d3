# SPDX-License-Identifier: Apache-2.0
"""Tests the wrapper of NVRTC: how it is found, which flags it gets, and the messages about sources that do not compile."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envpool import CompileError
from envpool.cuda import nvrtc
from tests.standin.driver import STANDIN

KERNEL = '#include "envpool/core/portable.h"\nextern "C" __global__ void run(float* x) { x[0] = x[1] * x[2] + x[3]; }\n'

# A fake NVRTC, which compiles nothing.
FAKE = """
#ifndef MAJOR
#define MAJOR 13
#endif
#ifndef KNOWN
#define KNOWN 75, 120
#endif
int nvrtcVersion(int* major, int* minor) { *major = MAJOR; *minor = 1; return 0; }
int nvrtcGetNumSupportedArchs(int* count) { int known[] = {KNOWN}; *count = sizeof(known) / sizeof(int); return 0; }
int nvrtcGetSupportedArchs(int* numbers) {
  int known[] = {KNOWN};
  for (unsigned i = 0; i < sizeof(known) / sizeof(int); ++i) numbers[i] = known[i];
  return 0;
}
const char* nvrtcGetErrorString(int code) { return code == 1 ? "NVRTC_ERROR_OUT_OF_MEMORY" : "NVRTC_ERROR unknown"; }
#ifndef CREATE
#define CREATE return 1
#endif
int pause(void);
int nvrtcCreateProgram(void) { CREATE; }
"""


@pytest.fixture
def fake(tmp_path: Path) -> Callable[..., str]:
    def make(*macros: str, to: str = "libnvrtc.so") -> str:
        (tmp_path / "fake.c").write_text(FAKE)
        (tmp_path / to).parent.mkdir(parents=True, exist_ok=True)
        command = ["gcc", "-shared", "-fPIC", "-o", to, *(f"-D{macro}" for macro in macros), "fake.c"]
        subprocess.run(command, cwd=tmp_path, check=True)
        return str(tmp_path / to)

    return make


def test_a_temporary_folder_without_space() -> None:
    """A limit for the size of files stands for a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(RuntimeError, match=r"^\[envpool.cuda\] the temporary folder .* cannot be written"):
            nvrtc.compile(KERNEL, "sm_80")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(autouse=True)
def found_anew(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("ENVPOOL_NVRTC", raising=False)
    nvrtc._load.cache_clear()
    yield
    nvrtc._load.cache_clear()


def test_nvrtc_is_found_in_its_wheel() -> None:
    library = nvrtc.load()
    assert library.version >= nvrtc.OLDEST and library.path.endswith(f"libnvrtc.so.{library.version[0]}")
    assert {80, 90} <= set(library.architectures)
    assert repr(library) == f"<NVRTC 12.9, {library.path}>"
    assert re.fullmatch(r"12\.9 of \d{9} bytes", library.build)
    assert nvrtc.load() is library


def test_machine_code_and_ptx() -> None:
    machine = nvrtc.compile(KERNEL, "sm_90")
    assert machine.cubin.startswith(b"\x7fELF") and ".target sm_90" in machine.ptx
    virtual = nvrtc.compile(KERNEL, "compute_80", flags=["-DUNUSED=1", "--ptxas-options=-v"])
    assert virtual.cubin == b"" and ".target sm_80" in virtual.ptx and virtual.ptx.endswith("}\n\n")
    assert "fma" not in virtual.ptx  # The next line shows that NVRTC fuses multiply-adds by default.
    assert "fma" in nvrtc.load().compile(KERNEL.partition("\n")[2], ["--gpu-architecture=compute_80"]).ptx


def test_the_working_directory_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default, NVRTC searches the working directory first, which may contain other headers of the same names."""
    (tmp_path / "envpool" / "core").mkdir(parents=True)
    (tmp_path / "envpool" / "core" / "portable.h").write_text("#error not this one\n")
    monkeypatch.chdir(tmp_path)
    assert nvrtc.compile(KERNEL, "sm_80").cubin
    with pytest.raises(CompileError, match="not this one"):  # This is NVRTC's default.
        nvrtc.load().compile(KERNEL, ["--gpu-architecture=sm_80"])
    assert nvrtc.compile(KERNEL, "sm_80", includes=[tmp_path]).cubin  # The package's headers come first.


# A user's header, the beginning of the error's second line, and text that the error contains.
HEADERS = [
    ("struct Game {\n  int x = nothing;\n};\n", "game.h:2: identifier \"nothing\" is undefined", "int x = nothing;"),
    ("struct Game {\n  int x\n};\n", 'game.h:3: expected a ";"', ""),
    ('#include "missing.h"\n', 'game.h:1: cannot open source file "missing.h"', ""),
    ("#include <vector>\n", 'game.h:1: cannot open source file "vector"', ""),
    ('static_assert(sizeof(int) == 5, "five bytes are needed");\n', "game.h:1: five bytes are needed", ""),
    # The error is in a template of this package, so the message must point to the user's line.
    ("struct Odd {};\n\ninline double f() { return envpool::math::polynomial(Odd(), 1.0, 2.0); }\n", "game.h:3:", "envpool/core/math/real.h:"),
    ("#error this is not for a GPU\n", "game.h:1: #error directive: this is not for a GPU", ""),
]  # fmt: skip


@pytest.mark.parametrize(("header", "first", "words"), HEADERS, ids=[first for _, first, _ in HEADERS])
def test_a_users_header_that_does_not_compile(header: str, first: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "game.h").write_text(header)
    source = KERNEL + '#include "game.h"\n'
    with pytest.raises(CompileError) as caught:
        nvrtc.compile(source, "sm_80", label="Game-v0", name="kernel.cu", includes=[tmp_path])
    message_lines = str(caught.value).replace(f"{tmp_path}/", "").splitlines()
    assert message_lines[0] == "[Game-v0] kernel.cu does not compile for sm_80:"
    assert message_lines[1].startswith(first)
    assert words in str(caught.value)
    assert message_lines[-1].startswith("flags: --gpu-architecture=sm_80 -std=c++20 --fmad=false")
    assert "detected in the compilation of" in caught.value.log and "envpool_program" not in caught.value.log


def test_a_source_that_does_not_compile() -> None:
    with pytest.raises(
        CompileError, match=r"^\[envpool.cuda\] mine.cu does not compile for sm_90:\nmine.cu:2: expected a decl"
    ):
        nvrtc.compile("\n}\n", "sm_90", name="mine.cu")
    many = "\n".join(f"int a{i} = b{i};" for i in range(9))
    with pytest.raises(CompileError, match=r"program.cu:3: .*b2.*\n.*\n.*\nand 6 more\nflags"):
        nvrtc.compile(many, "sm_90")


BAD = [
    ({"source": b"x"}, TypeError, r"source: expected a str in CUDA C\+\+, got b'x'"),
    ({"source": "x\0y"}, ValueError, r"source: expected text in UTF-8, without zeros"),
    ({"source": "// \udc80\n"}, ValueError, r"source: expected text in UTF-8"),
    ({"source": "/" * (1 << 25)}, ValueError, r"source: expected .* at most 16 MiB, got 33554432 characters"),
    ({"architecture": "sm_12"}, ValueError, r"architecture: expected one of .*sm_90.*, got 'sm_12'"),
    ({"architecture": "gpu"}, ValueError, r"architecture: expected .*, got 'gpu'"),
    ({"architecture": 90}, ValueError, r"architecture: expected .*, got 90"),
    ({"includes": "/tmp"}, TypeError, r"includes: expected a sequence of str, got '/tmp'"),
    ({"includes": [1]}, TypeError, r"includes: expected a sequence of str, got \[1\]"),
    ({"includes": ["/tmp\0x"]}, ValueError, r"includes: expected folders, got \['/tmp"),
    ({"flags": "-DX"}, TypeError, r"flags: expected a sequence of str, got '-DX'"),
    ({"flags": [None]}, TypeError, r"flags: expected a sequence of str"),
    *(
        ({"flags": [flag]}, ValueError, rf"flags: expected .* that do not change arithmetic.*, got {re.escape(repr(flag))}")
        for flag in (
            "--fmad=true", "-fmad=true", "--use_fast_math", "-ftz=true", "--prec-div=false", "--prec-sqrt=false",
            "-std=c++17", "-arch=sm_50", "-I/tmp", "--include-path=/tmp", "-include=x.h", "x.cu", "", "-G",
        )
    ),
    *(
        ({"timeout": timeout}, ValueError, r"timeout: expected seconds, more than 0, got")
        for timeout in (0, -1, float("nan"), float("inf"), True, "1", None)
    ),
    ({"flags": ["--no-such-flag"]}, CompileError, "error: unrecognized option --no-such-flag"),
]  # fmt: skip


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("arguments", "error", "words"), BAD, ids=[str(case[0])[:60] for case in BAD])
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    given = {"source": KERNEL, "architecture": "sm_80", **arguments}
    with pytest.raises(error, match=words) as caught:
        nvrtc.compile(given.pop("source"), given.pop("architecture"), label="Game-v0", **given)
    assert str(caught.value).startswith("[Game-v0] ")
    assert nvrtc.compile(KERNEL, "sm_80").cubin


# ---- finding NVRTC ----


def test_nvrtc_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "_wheels", list)
    monkeypatch.setattr(nvrtc, "_ON_SYSTEM", ("libenvpool-no-such.so",))
    for _ in range(2):
        with pytest.raises(nvrtc.NvrtcError) as caught:
            nvrtc.compile(KERNEL, "sm_80")
        assert str(caught.value) == (
            "[envpool.cuda] NVRTC, which compiles environments for a GPU, is missing: "
            "pip install 'nvidia-cuda-nvrtc-cu12>=12.3'"
        )


def test_nvrtc_of_cuda_13_is_found_in_its_wheel(
    fake: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, builtins = (fake(to=f"nvidia/cu13/lib/{name}") for name in ("libnvrtc.so.13", "libnvrtc-builtins.so.13.1"))
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    library = nvrtc.load()
    assert (library.path, library.version, library.architectures) == (path, (13, 1), (75, 120))
    assert builtins in Path("/proc/self/maps").read_text()  # NVRTC 13 does not find this library by itself.


@pytest.mark.parametrize(("driver", "version"), [("12090", (12, 9)), ("13000", (13, 1)), ("none", (13, 1))])
def test_the_newest_wheel_for_the_driver_is_used(
    driver: str, version: tuple[int, int], fake: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(to="nvidia/cu13/lib/libnvrtc.so.13")
    fake(to="nvidia/cu13/lib/libnvrtc-builtins.so.13.1")
    fake("MAJOR=12", to="nvidia/cuda_nvrtc/lib/libnvrtc.so.12")
    program = "from envpool.cuda import nvrtc; print(nvrtc.load().version)"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("ENVPOOL_LIBCUDA", "/nowhere.so" if driver == "none" else str(STANDIN))
    monkeypatch.setenv("ENVPOOL_STANDIN_VERSION", driver)
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd="/").stdout
    assert shown.strip() == str(version)


def test_unusable_libraries_are_skipped(fake: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = fake("MAJOR=11", to="old.so"), fake(to="new.so")
    monkeypatch.setattr(nvrtc, "_wheels", lambda: [old, __file__, new])
    assert nvrtc.load().path == new
    nvrtc._load.cache_clear()
    monkeypatch.setattr(nvrtc, "_wheels", lambda: [old, __file__])
    monkeypatch.setattr(nvrtc, "_ON_SYSTEM", ())
    words = (
        r"is missing.*\(NVRTC is too old: expected 12\.3 or newer, got 11\.1.*; .* cannot be opened: .*\): pip install"
    )
    with pytest.raises(nvrtc.NvrtcError, match=words):
        nvrtc.load()


def test_the_environment_variable_selects_the_library(
    fake: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fake("KNOWN=90")
    monkeypatch.setenv("ENVPOOL_NVRTC", path)
    assert nvrtc.load().path == path
    with pytest.raises(nvrtc.NvrtcError, match=r"nvrtcCreateProgram failed with NVRTC_ERROR_OUT_OF_MEMORY \(1\)$"):
        nvrtc.compile(KERNEL, "sm_90")
    for other, words in (("/nowhere.so", "cannot open shared object"), (__file__, "invalid ELF header|too short")):
        monkeypatch.setenv("ENVPOOL_NVRTC", other)
        with pytest.raises(
            nvrtc.NvrtcError, match=rf"ENVPOOL_NVRTC: expected NVRTC's library, got '{other}': .*({words})"
        ):
            nvrtc.load()
    from envpool import _core

    monkeypatch.setenv("ENVPOOL_NVRTC", str(_core.__file__))
    with pytest.raises(nvrtc.NvrtcError, match=r"expected NVRTC, got '.*_core.*': .*undefined symbol"):
        nvrtc.load()


def test_a_compiler_that_crashes_or_hangs(fake: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler runs in a separate process, so this process survives."""
    monkeypatch.setenv("ENVPOOL_NVRTC", fake("KNOWN=90", "CREATE=__builtin_trap()", to="crash.so"))
    with pytest.raises(
        CompileError, match=r"^\[Game-v0\] mine.cu does not compile for sm_90:\nthe compiler crashed \(SIGILL\)"
    ):
        nvrtc.compile(KERNEL, "sm_90", label="Game-v0", name="mine.cu")
    monkeypatch.setenv("ENVPOOL_NVRTC", fake("KNOWN=90", "CREATE=return pause()", to="hang.so"))
    words = r"^\[Game-v0\] the compiler was stopped after timeout=0.5 seconds: does mine.cu contain an endless template or table\?"
    with pytest.raises(CompileError, match=words):
        nvrtc.compile(KERNEL, "sm_90", label="Game-v0", name="mine.cu", timeout=0.5)


# The architectures that NVRTC supports, the device's compute capability, the driver's version, and the expected choice.
TARGETS = [
    ("80, 86, 90, 100", (8, 0), (13, 2), "sm_80"),
    ("80, 86, 90, 100", (9, 0), (13, 0), "sm_90"),
    ("80, 86, 90, 100", (8, 9), (13, 0), "sm_86"),  # This code also runs on later devices of the same major capability.
    ("80, 86, 90, 100", (10, 3), (13, 0), "sm_100"),
    ("80, 86, 90, 100", (12, 0), (13, 1), "compute_100"),
    (
        "80, 86, 90, 100",
        (12, 0),
        (13, 0),
        "has no machine code for .* 12.0.*, for CUDA 13.0, is too old to compile its PTX",
    ),
    ("80, 86, 90, 100", (7, 5), (13, 1), "supports compute capabilities 8.0 and newer, but not .* 7.5"),
    ("80, 86, 90, 100", (9, 0), (12, 8), "code for drivers of CUDA 13, but the driver is for CUDA 12.8: pip install"),
]


@pytest.mark.parametrize(("known", "capability", "version", "expected"), TARGETS)
def test_choice_of_architecture(
    known: str,
    capability: tuple[int, int],
    version: tuple[int, int],
    expected: str,
    fake: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ENVPOOL_NVRTC", fake(f"KNOWN={known}"))
    if expected.startswith(("sm_", "compute_")):
        assert nvrtc.load().architecture_for(capability, version) == expected
    else:
        with pytest.raises(nvrtc.NvrtcError, match=expected):
            nvrtc.load().architecture_for(capability, version)
