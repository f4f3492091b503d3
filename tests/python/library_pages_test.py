# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of the pages that need RL libraries, each as a separate program.

Such a block has a line `<!-- needs: package, package -->` above it. The virtual environments of `make test`,
`make test-clients` and `make test-ray` have different packages; a block whose packages are missing is skipped there.
"""

import importlib.util
import os
import subprocess
import sys

import pytest

from tests.support.pages import PAGES, code_blocks

PROGRAMS = [
    pytest.param(block.needs, block.text, id=f"{page.stem}-{block.needs[0]}-{number}")
    for page in PAGES
    for number, block in enumerate(block for block in code_blocks(page) if block.kind == "python" and block.needs)
]

pytestmark = pytest.mark.skipif(not PAGES, reason="needs the sources: ENVPOOL_SOURCE_DIR")


def is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize(("needs", "code"), PROGRAMS)
def test_program(needs, code, tmp_path):
    missing = [name for name in needs if not is_installed(name)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    (tmp_path / "empty.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "empty.py"],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
