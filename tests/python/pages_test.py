# SPDX-License-Identifier: Apache-2.0
"""Runs every code block of README.md, CONTRIBUTING.md and docs/.

The blocks of a page run in order in one namespace, except that each block of the README, and each Python block whose first
line names a file, is a program of its own. C++ headers are written to the file that their first line names. A `text`
block must equal the output of the Python block before it. A comment `<!-- not run: why -->` above a block skips it, and so does `<!-- needs: package -->`, because
library_pages_test.py runs that block.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import pages
from tests.support.pages import README, SOURCE, Block

PAGES = [page for page in pages.PAGES if page != README]
NOT_PYTHON = {"sh", "console", "cmake", "toml", "{eval-rst}"}

pytestmark = [
    pytest.mark.skipif(not README.is_file(), reason="needs the sources: ENVPOOL_SOURCE_DIR"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="the tests' JAX needs Python 3.11"),
]


@contextlib.contextmanager
def without_opengl():
    """Skips the test if its code fails because rendering needs OpenGL."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        if "rendering needs OpenGL" in str(error):
            pytest.skip("there is no OpenGL")
        raise


def blocks(page: Path) -> list[Block]:
    """Returns the blocks that this test runs."""
    return [block for block in pages.code_blocks(page) if not block.note]


def tutorials_header() -> Block:
    return next(block for block in blocks(SOURCE / "docs" / "write_your_own.md") if block.kind == "cpp")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Returns one cache for all pages, some of which compile the same game."""
    return tmp_path_factory.mktemp("cache")


def test_a_comment_skips_one_block(tmp_path):
    page = tmp_path / "page.md"
    skipped, run = "<!-- not run: why -->\n```python\nfail\n```\n", "```python\npass\n```\n"
    page.write_text(f"{skipped}\n{run}\n{skipped}\n{run}")
    assert [(block.kind, block.text) for block in blocks(page)] == [("python", "pass\n")] * 2


@pytest.mark.every_day
@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("page", [*filter(blocks, PAGES)], ids=lambda page: page.name)
def test_code_of_pages(page, tmp_path, monkeypatch, cache):
    pytest.importorskip("jax")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", str(cache))
    names = {"__name__": "__main__"}
    printed = ""
    for block in blocks(page):
        if block.file:
            Path(block.file).write_text(block.text)
        if block.kind == "python" and block.file:
            printed = subprocess.run(
                [sys.executable, block.file], check=True, stdout=subprocess.PIPE, text=True, timeout=300
            ).stdout
        elif block.kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out, without_opengl():
                exec(compile(block.text, page.name, "exec"), names)
            printed = out.getvalue()
        elif block.kind == "text":
            assert printed == block.text
        else:
            assert block.kind == "cpp" and block.file or block.kind in NOT_PYTHON, (
                f"unknown kind of block: {block.kind!r}"
            )


PROGRAMS = [block.text for block in blocks(README) if block.kind == "python"]


@pytest.mark.parametrize("program", PROGRAMS, ids=[str(number) for number in range(len(PROGRAMS))])
def test_code_of_the_readme(program, tmp_path, monkeypatch, cache):
    assert {block.kind for block in blocks(README)} == {"cpp", "python", "sh"}
    pytest.importorskip("jax")
    monkeypatch.chdir(tmp_path)
    for header in (block for block in blocks(README) if block.kind == "cpp"):
        Path(header.file).write_text(header.text)
    Path("empty.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "empty.py"],
        env={**os.environ, "ENVPOOL_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_the_tutorials_game_compiles_for_a_gpu(tmp_path):
    from envpool.cuda.program import program
    from tests.cuda.nvrtc import FLAGS, compile_source

    assert tutorials_header().file == "dodge.h"
    (tmp_path / "dodge.h").write_text(tutorials_header().text)
    flags = ["--gpu-architecture=sm_80", *FLAGS, f"-I{tmp_path}"]
    assert compile_source(program("dodge.h", "Dodge").source, flags).cubin.startswith(b"\x7fELF")
