# SPDX-License-Identifier: Apache-2.0
"""Tests the report of `envpool doctor` on GPUs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envpool.cli import gpu
from tests.cuda.fake_driver import build_driver

pytest.importorskip("typer")


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "envpool", *arguments]
    return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True)


def gpu_facts(**env: str) -> Any:
    result = run("doctor", "--json", **env)
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)["gpu"]


def test_doctor_reports_devices(tmp_path: Path) -> None:
    path = build_driver(tmp_path, "STANDS_IN")
    printed_text = run("doctor", ENVPOOL_LIBCUDA=path, COLUMNS="400").stdout
    section = printed_text[printed_text.index("\nGPU") :].splitlines()
    for words in (
        f"ok  driver  for CUDA 12.4 ({path})",
        "!!  driver  is a stand-in without a GPU",
        "ok  cuda:0  First, compute capability 9.0, 1024.0 GiB of memory, 0.0 GiB free",
        "ok  cuda:1  Second, compute capability 12.0, 2048.0 GiB of memory",
        "ok  NVRTC   12.",
        gpu.NOTE,
    ):
        assert any(words in line for line in section), f"{words!r} is not in:\n" + "\n".join(section)
    facts = gpu_facts(ENVPOOL_LIBCUDA=path)
    assert facts["driver"]["devices"][1] == {
        "number": 1,
        "name": "Second",
        "capability": "12.0",
        "memory": 2 << 40,
        "free_memory": 5,
        "why": "",
    }
    assert facts["pools"] is True


def test_doctor_without_a_gpu(tmp_path: Path) -> None:
    facts = gpu_facts(ENVPOOL_LIBCUDA="/nowhere/libcuda.so", ENVPOOL_NVRTC="/nowhere/libnvrtc.so")
    assert facts["driver"]["devices"] == [] and "/nowhere/libcuda.so" in facts["driver"]["why"]
    assert facts["nvrtc"]["version"] == "" and "/nowhere/libnvrtc.so" in facts["nvrtc"]["why"]
    assert any(mark == "no" and name == "NVRTC" for mark, name, _ in gpu.rows(facts))
    busy = gpu_facts(ENVPOOL_LIBCUDA=build_driver(tmp_path, "RETAIN=2"))["driver"]["devices"]
    assert [device["free_memory"] for device in busy] == [None, None]
    assert "CUDA_ERROR_OUT_OF_MEMORY" in busy[0]["why"]


def test_info_claims_a_gpu_only_where_there_is_one(tmp_path: Path) -> None:
    arguments = ("info", "CartPole-v1", "--no-picture")
    assert "but this machine has none" in " ".join(
        run(*arguments, ENVPOOL_LIBCUDA="/nowhere/libcuda.so").stdout.split()
    )
    path = build_driver(tmp_path, "STANDS_IN")
    found = " ".join(run(*arguments, ENVPOOL_LIBCUDA=path).stdout.split())
    assert f'on this machine\'s stand-in for a GPU with device="cuda". {gpu.NOTE}' in found
    assert "GPU" not in run("info", "Pusher-v5", "--no-picture").stdout
