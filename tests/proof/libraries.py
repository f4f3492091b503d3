# SPDX-License-Identifier: Apache-2.0
"""Exchanges states between GPU and CPU, uses pools' arrays in other libraries, and runs NVIDIA's compute-sanitizer."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import envpool
from tests.cuda.device_comparison import compare, pools
from tests.proof import Result, Step


def moved(task_id: str = "Acrobot-v1", count: int = 8, steps: int = 60) -> Result:
    """Exchanges states between a pool on the device and a pool on the CPU in the middle of episodes."""
    both = pools(task_id, "next_step", count)
    try:
        found, _ = compare(both, count, steps, exchange=7)
    finally:
        both.device.close()
    return {"equal": not found.different}


class Library(NamedTuple):
    """Functions of another array library.

    Attributes:
        take: imports a DeviceArray without a copy.
        act: computes an action for each row of observations by comparing one column with 0.
        read: copies the library's array to NumPy.
        address: returns the address of the first element of the library's array.
    """

    take: Callable[[Any], Any]
    act: Callable[[Any], Any]
    read: Callable[[Any], np.ndarray[Any, Any]]
    address: Callable[[Any], int]


def torch_arrays() -> Library:
    """Returns PyTorch's functions."""
    import torch

    def act(x: Any) -> Any:
        return (x[:, 2] > 0).long()

    return Library(torch.from_dlpack, act, lambda x: x.cpu().numpy(), lambda x: int(x.data_ptr()))


def cupy_arrays() -> Library:
    """Returns CuPy's functions."""
    import cupy  # type: ignore[import-not-found]

    def act(x: Any) -> Any:
        return (x[:, 2] > 0).astype(cupy.int32)

    return Library(cupy.from_dlpack, act, cupy.asnumpy, lambda x: int(x.data.ptr))


def jax_arrays() -> Library:
    """Returns JAX's functions."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leave memory for other libraries
    import jax

    def act(x: Any) -> Any:
        return (x[:, 2] > 0).astype("int32")

    return Library(jax.dlpack.from_dlpack, act, np.asarray, lambda x: int(x.unsafe_buffer_pointer()))


LIBRARIES = {"torch": torch_arrays, "cupy": cupy_arrays, "jax": jax_arrays}


def in_library(name: str, steps: int = 200) -> Result:
    """Steps with actions that a library computes on the device, and compares the results with a pool on the CPU."""
    library = LIBRARIES[name]()
    pool: Any = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3, device="cuda")
    twin: Any = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3)
    observation, _ = pool.reset()
    twin.reset()
    same_memory = library.address(library.take(observation)) == observation.__cuda_array_interface__["data"][0]
    equal = True
    for _ in range(steps):
        action = library.act(library.take(observation))
        observation, reward, *_ = pool.step(action)
        theirs = twin.step(library.read(action))
        equal &= np.array_equal(library.read(library.take(observation)), theirs[0])
        equal &= np.array_equal(library.read(library.take(reward)), theirs[1])
    pool.close()
    return {"same_memory": same_memory, "equal": bool(equal)}


def on_another_stream() -> Result:
    """Runs in_library("torch") in a PyTorch stream that is not the default stream."""
    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        return in_library("torch")


def read_late(rounds: int = 20) -> Result:
    """Checks that freed memory is not overwritten before PyTorch has read it, even late and on another stream."""
    import torch

    pool: Any = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3, device="cuda")
    twin: Any = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3)
    observation, expected, equal = pool.reset()[0], twin.reset()[0], True
    action, stream = np.zeros(1000, np.int32), torch.cuda.Stream()
    for _ in range(rounds):
        with torch.cuda.stream(stream):
            torch.cuda._sleep(20_000_000)  # clock cycles, about 10 ms
            copy = torch.from_dlpack(observation).clone()
        for _ in range(3):
            observation = pool.step(action)[0]
        stream.synchronize()
        equal &= np.array_equal(copy.cpu().numpy(), expected)
        for _ in range(3):
            expected = twin.step(action)[0]
    pool.close()
    return {"equal": bool(equal)}


def bad_actions() -> Result:
    """Checks that after an out-of-range action on the device, a later call raises an error that names the row."""
    import torch

    pool: Any = envpool.make_gymnasium("CartPole-v1", num_envs=100, seed=3, device="cuda")
    pool.reset()
    action = torch.zeros(100, dtype=torch.int64, device="cuda")
    action[57] = 2
    pool.step(action)
    pool._pool.wait()
    try:
        pool.step(torch.zeros(100, dtype=torch.int64, device="cuda"))
    except ValueError as error:
        return {"equal": "row 57" in str(error)}
    return {"equal": False}


SANITIZED = """
import numpy as np, envpool
for task_id in ("CartPole-v1", "Breakout-MinAtar", "TagGridWorld-v0"):
    pool = envpool.make_gymnasium(task_id, num_envs=70, device="cuda", max_episode_steps=4)
    pool.reset()
    for _ in range(10):
        pool.step(np.zeros(70 * pool.spec.arrays.max_players, int))
    pool._pool.wait()
"""


def sanitized(tool: str) -> Result:
    """Runs kernels under a tool of compute-sanitizer."""
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", sys.executable, "-c", SANITIZED]
    return run_to_end(command, 90)


def run_to_end(command: list[str], seconds: float) -> Result:
    """Runs a command, and returns whether it succeeds.

    Raises:
        TimeoutError: it did not end in time. All processes that it started were killed.
    """
    packages = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    # The command has its own process group, but stays in the session of this process, which may be killed too.
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
        env=packages,
        preexec_fn=os.setpgrp,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise TimeoutError(f"{command[:3]} did not end in {seconds} s") from None
    return {"equal": process.returncode == 0, "said": output[-300:] if process.returncode else ""}


def ids(small: bool) -> tuple[str, ...]:
    """Returns the ids whose kernels this section needs."""
    return ("Acrobot-v1",) if small else ("Acrobot-v1", "CartPole-v1", "Breakout-MinAtar", "TagGridWorld-v0", "Pong-v5")


def plumbing(small: bool) -> Iterator[Step]:
    """Exchanges states, uses arrays in other libraries, and runs the tools of compute-sanitizer."""
    yield "moved", moved
    if small:
        return
    for task_id in ("TagGridWorld-v0", "Pong-v5"):
        yield f"moved {task_id}", functools.partial(moved, task_id)
    for package in LIBRARIES:
        if importlib.util.find_spec(package) is not None:
            yield package, functools.partial(in_library, package)
    if importlib.util.find_spec("torch") is not None:
        yield "torch, another stream", on_another_stream
        yield "torch, a late reader", read_late
        yield "bad actions", bad_actions
    if shutil.which("compute-sanitizer"):
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            yield tool, functools.partial(sanitized, tool)
