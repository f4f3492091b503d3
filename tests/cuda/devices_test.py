# SPDX-License-Identifier: Apache-2.0
"""Tests pools on several GPUs in one process, and pools after another library's kernel has crashed.

Each test runs in a subprocess, because the number of devices and the error of a crash persist until the process ends.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.standin.driver import STANDIN

pytestmark = pytest.mark.usefixtures("stand_in")

SEVERAL = """
import numpy as np
from tests.cuda.device_arrays import OnDevice, make

first, second, cpu = make(device="cuda:0"), make(device="cuda:1"), make(device="cpu")
print(first.config["device"], second.config["device"])
batches = [pool.reset()[0] for pool in (first, second)]
cpu.reset()
print(batches[0].device, batches[1].device, batches[1].__dlpack_device__())
for _ in range(30):
    theirs = cpu.step(np.ones(4, int))[0]
    for pool in (first, second):
        assert np.array_equal(pool.step(np.ones(4, int))[0].numpy(), theirs)
first.restore(0, second.snapshot(3))
assert first.snapshot(0) == second.snapshot(3)
for action in (second.step(np.ones(4, int))[4]["elapsed_step"], batches[1]):
    try:
        first.step(action)
    except ValueError as error:
        print(error)
action = OnDevice(np.zeros(4, "i4"))  # This array is on the first device.
first.step(action)
try:
    second.step(action)
except ValueError as error:
    print(error)
second.close()
first.step(np.ones(4, int))
"""

CRASH = """
import numpy as np
from envpool.cuda.driver import CudaError
from tests.cuda.device_arrays import DRIVER, make
from tests.cuda.nvrtc import compile_source

pool = make()
pool.reset()
driver = DRIVER()
source = 'extern "C" __global__ void crash(int* x) { *x = 1; }'
ptx = compile_source(source, ["--gpu-architecture=compute_80"]).ptx
driver.launch(driver.function(driver.module(ptx), "crash"), 1, 1, [(16).to_bytes(8, "little")])
for call in (lambda: pool.step(np.zeros(4, int))[0].numpy(), lambda: pool.snapshot(0), lambda: make()):
    try:
        call()
    except CudaError as error:
        print(error)
"""


def run(program: str, **environment: str) -> list[str]:
    given = {**os.environ, "ENVPOOL_LIBCUDA": str(STANDIN), "PYTHONWARNINGS": "ignore", **environment}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=given, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_pools_on_two_devices() -> None:
    other = "[CartPole-v1] action: expected an array on cuda:{}, got one on cuda:{}"
    assert run(SEVERAL, ENVPOOL_STANDIN_DEVICES="2") == [
        "cuda:0 cuda:1",
        "cuda:0 cuda:1 (2, 1)",
        other.format(0, 1),
        other.format(0, 1),
        other.format(1, 0),
    ]


def test_a_crash_of_another_kernel_is_reported() -> None:
    lines = run(CRASH)
    assert len(lines) == 3
    for line in lines:
        assert "CUDA_ERROR_ILLEGAL_ADDRESS" in line
        assert "A kernel in this process failed, perhaps one of another library." in line
        assert line.endswith("start a new process")
