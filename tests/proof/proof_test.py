# SPDX-License-Identifier: Apache-2.0
"""Tests the section `jax` of tools/gpu_proof.py without a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.proof import jax_programs
from tests.standin.driver import STANDIN

pytest.importorskip("jax")

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")

pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")


def section(out: Path, *flags: str) -> tuple[list[dict], str]:
    """Runs the section. Returns its results and their summary."""
    script = Path(str(SOURCE), "tools", "gpu_proof.py")
    command = [sys.executable, str(script), *flags, "--out", str(out), "--sections", "jax"]
    environment = {**os.environ, "ENVPOOL_LIBCUDA": str(STANDIN)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=out, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (out / "jax.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines], (out / "summary.md").read_text()


def test_the_section_is_skipped_without_jax_for_cuda(tmp_path: Path) -> None:
    if not jax_programs.why_not():
        pytest.skip("JAX can use a GPU here")
    (result,), summary = section(tmp_path)
    assert "jaxlib has no CUDA" in result["skipped"]
    assert "**JAX**: skipped: jaxlib has no CUDA" in summary


@pytest.mark.skipif(os.environ.get("ENVPOOL_TEST_DEVICE") != "whole", reason="takes two minutes: make test-device")
def test_the_section_runs_on_the_stand_in(tmp_path: Path) -> None:
    if not jax_programs.HANDLERS.exists():
        pytest.skip("this envpool.jax has no handlers for GPUs")
    results, summary = section(tmp_path, "--small")
    assert len(results) == 2 * len(jax_programs.SMALL) + 2
    assert "programs of JAX" in summary and "0 cases differ" in summary


def test_differing_results_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import sys, os, numpy as np; np.savez(sys.argv[-1], a=np.arange(4), b=float(os.environ['B']))"
    monkeypatch.setattr(jax_programs, "MODULE", ["-c", program])
    monkeypatch.setattr(jax_programs, "ON_CPU", {"B": "1"})
    assert jax_programs.compared("scan", {"B": "1"}, "off") == {"words": 10, "different": {}}
    assert jax_programs.compared("scan", {"B": "1.5"}, "off") == {"words": 10, "different": {"b": 1}}
