# SPDX-License-Identifier: Apache-2.0
"""docs/write_your_own.md, run as it is printed: headers are written, Python runs in turn, what it prints is compared."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from pathlib import Path

import pytest

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = [
    pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="the tests' JAX needs Python 3.11"),
]


def blocks() -> list[tuple[str, str]]:
    return BLOCK.findall(Path(SOURCE or "", "docs", "write_your_own.md").read_text())


def test_the_tutorial(tmp_path, monkeypatch):
    pytest.importorskip("jax")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", str(tmp_path / "cache"))
    names: dict[str, object] = {}
    printed = ""
    for kind, text in blocks():
        if kind == "cpp":
            (file,) = re.findall(r"^// (\w+\.h)$", text.splitlines()[0])
            Path(file).write_text(text)
        elif kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, "write_your_own.md", "exec"), names)
            printed = out.getvalue()
        else:
            assert kind == "text"
            assert printed == text
    assert {path.name for path in tmp_path.glob("*.h")} == {"dodge.h", "rope.h", "chat.h"}


def test_its_portable_game_is_a_gpus_too(tmp_path):
    from envpool.testing.nvrtc import FLAGS, Environment, Nvrtc

    (header,) = (text for kind, text in blocks() if kind == "cpp" and text.startswith("// dodge.h"))
    (tmp_path / "dodge.h").write_text(header)
    kernel = Environment("portable", "mine", "Dodge", "dodge.h", "Dodge").kernel.replace("envpool::mine::", "")
    flags = ["--gpu-architecture=sm_80", *FLAGS, f"-I{tmp_path}"]
    assert Nvrtc().compile(kernel, flags).cubin.startswith(b"\x7fELF")
