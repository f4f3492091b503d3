# SPDX-License-Identifier: Apache-2.0
"""Every code block of README.md, CONTRIBUTING.md and docs/, run as it is printed.

A page's blocks run in turn and share their names. Headers are written to the file that their first line names; a block
marked `text` is what the Python before it prints. `<!-- not run: why -->` above a block leaves it out.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

SOURCE = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none"))
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md"))]
BLOCK = re.compile(r"^(<!-- not run: .+ -->\n+)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_PYTHON = {"sh", "cmake", "toml"}

pytestmark = [
    pytest.mark.skipif(not PAGES[0].is_file(), reason="ENVPOOL_SOURCE_DIR does not say where the sources are"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="the tests' JAX needs Python 3.11"),
]


class Enough(Exception):
    """Ends a loop that a page shows without an end."""


@contextlib.contextmanager
def without_opengl():
    """What draws is skipped where nothing can."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        if "pictures need OpenGL" in str(error):
            pytest.skip("there is no OpenGL")
        raise


def policy_for_a_while(calls: int):
    left = iter(range(calls))

    def policy(obs):
        if next(left, None) is None:
            raise Enough
        return np.zeros(len(obs), np.int32)

    return policy


def blocks(page: Path) -> list[tuple[str, str]]:
    text = page.read_text() if page.is_file() else ""
    return [(kind, block) for skipped, kind, block in BLOCK.findall(text) if not skipped]


def tutorials_header() -> str:
    return next(text for kind, text in blocks(SOURCE / "docs" / "write_your_own.md") if kind == "cpp")


def names_given(page: str) -> dict[str, object]:
    """What a page's blocks use and do not make, since a reader has it."""
    if page not in ("README.md", "jax.md"):
        return {}
    import gymnasium
    import jax
    import jax.numpy as jnp

    names = {"key": jax.random.key(0), "gymnasium": gymnasium, "jax": jax}
    if page == "jax.md":
        return {
            **names,
            "action": 1,
            "actions": jnp.ones(2048, jnp.int32),
            "policy": lambda _: jnp.zeros(100, jnp.int32),
        }
    Path("my_game.h").write_text(tutorials_header())
    return {**names, "action": 1, "actions": np.zeros(100, np.int32), "policy": policy_for_a_while(4)}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """One for all pages, for some compile the same game."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("page", [*filter(blocks, PAGES)], ids=lambda page: page.name)
def test_a_pages_code(page, tmp_path, monkeypatch, cache):
    pytest.importorskip("jax")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", str(cache))
    names = names_given(page.name)
    printed = ""
    for kind, text in blocks(page):
        if kind == "cpp":
            (file,) = re.findall(r"^// (\w+\.h)$", text.splitlines()[0])
            Path(file).write_text(text)
        elif kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(Enough), without_opengl():
                exec(compile(text, page.name, "exec"), names)
            printed = out.getvalue()
        elif kind == "text":
            assert printed == text
        else:
            assert kind in NOT_PYTHON, f"a block of kind {kind!r}"


def test_the_tutorials_game_is_a_gpus_too(tmp_path):
    from envpool.testing.nvrtc import FLAGS, Environment, Nvrtc

    header = tutorials_header()
    assert header.startswith("// dodge.h")
    (tmp_path / "dodge.h").write_text(header)
    kernel = Environment("portable", "mine", "Dodge", "dodge.h", "Dodge").kernel.replace("envpool::mine::", "")
    flags = ["--gpu-architecture=sm_80", *FLAGS, f"-I{tmp_path}"]
    assert Nvrtc().compile(kernel, flags).cubin.startswith(b"\x7fELF")
