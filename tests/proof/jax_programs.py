# SPDX-License-Identifier: Apache-2.0
"""Compares envpool.jax on a GPU with the CPU bit for bit, and measures its speed and gymnax's on the same GPU.

Each run of a program (jitted.py) has its own process, because XLA reads its settings only once: the platform, and
whether to use command buffers, which are XLA's CUDA graphs. Without a GPU and with `small`, the programs run on the
stand-in for NVIDIA's driver, which is called from XLA's CPU backend.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import envpool
from tests.proof import Result, Step

HANDLERS = Path(envpool.__file__).with_name("jax") / "cuda.py"
# It is started by its path: `python -m` would import the sources, if they are in the working directory.
PROGRAM = [str(Path(__file__).with_name("jitted.py"))]
PROGRAMS = (
    "jit",
    "scan",
    "vmap",
    "donated",
    "players",
    "parameters",
    "pool",
    "device_pool",
    "refused",
    "atari",
    "robots",
)
SMALL = ("device_pool", "donated", "parameters", "refused")
# What the programs use: environments as pure functions, with several players too, and pools.
IDS = ("CartPole-v1", "Acrobot-v1", "FrozenLake-v1", "Breakout-MinAtar", "Seaquest-MinAtar", "DeepSea-bsuite")
WORLDS: dict[str, dict[str, Any]] = {
    "TagContinuous-v0": {"num_taggers": 20, "num_runners": 80, "use_full_observation": False, "episode_length": 30},
    "TagGridWorld-v0": {"num_taggers": 4, "grid_length": 4, "random_start": True},
}
WITH_PARAMETERS = ("CartPole-v1",)  # environments whose rows get parameters of their own
POOLS = ("CartPole-v1", "Breakout-MinAtar")
COMMAND_BUFFERS = {
    "off": "--xla_gpu_enable_command_buffer=",
    "on": "--xla_gpu_enable_command_buffer=FUSION,CUSTOM_CALL,CONDITIONAL,WHILE --xla_gpu_graph_min_graph_size=1",
}
ON_CPU = {"JAX_PLATFORMS": "cpu", "ENVPOOL_STANDIN_XLA": ""}
ON_GPU = {"JAX_PLATFORMS": "cuda", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
ON_STAND_IN = {"JAX_PLATFORMS": "cpu", "ENVPOOL_STANDIN_XLA": "1", "ENVPOOL_STANDIN_MODE": "flat"}


def started(arguments: list[str], settings: Mapping[str, str]) -> subprocess.Popen[str]:
    """Starts a Python process with settings in its environment."""
    packages = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    environment = {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": packages, **settings}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str], seconds: float = 240) -> str:
    """Returns what a process printed.

    Raises:
        RuntimeError: it failed, or did not end in time.
    """
    try:
        out, error = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, error = process.communicate()
        raise RuntimeError(f"no end in {seconds} s: {error[-1000:]}") from None
    if process.returncode:
        raise RuntimeError(f"exit status {process.returncode}: {error[-1000:]}")
    return out


def why_not() -> str:
    """Returns why JAX cannot use a GPU; empty if it can."""
    if importlib.util.find_spec("jax") is None:
        return "JAX is not installed"
    try:
        finished(started(["-c", "import jax; jax.devices()"], ON_GPU))
    except RuntimeError as error:
        return "jaxlib has no CUDA: " + str(error).strip().splitlines()[-1][:200]
    return ""


def compared(program: str, settings: Mapping[str, str], buffers: str) -> Result:
    """Runs a program on the CPU and on the device, and counts the 32-bit words of its results that differ."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{name}.npz") for name in ("cpu", "device")]
        both = (ON_CPU, {**settings, "XLA_FLAGS": COMMAND_BUFFERS[buffers]})
        running = [started([*PROGRAM, program, str(file)], each) for file, each in zip(files, both, strict=True)]
        for process in running:
            finished(process)
        theirs, ours = (dict(np.load(file)) for file in files)
    assert ours.keys() == theirs.keys(), set(ours) ^ set(theirs)
    different: dict[str, int] = {}
    words = 0
    for name, expected in theirs.items():
        array = ours[name]
        if (array.shape, array.dtype) != (expected.shape, expected.dtype):
            different[name] = -1
            continue
        here, there = (np.frombuffer(each.tobytes() + bytes(-each.nbytes % 4), np.uint32) for each in (array, expected))
        words += len(here)
        if apart := int((here != there).sum()):
            different[name] = apart
    record: Result = {"words": words, "different": dict(list(different.items())[:20])}
    return record if program != "refused" else {**record, "equal": bool(ours["all"].all())}


def timed(num_envs: int, settings: Mapping[str, str], buffers: str, steps: int = 1000) -> Result:
    """Measures CartPole in a jitted scan, ours and gymnax's in turn."""
    out = finished(
        started(
            [*PROGRAM, f"--time={num_envs}", f"--steps={steps}"], {**settings, "XLA_FLAGS": COMMAND_BUFFERS[buffers]}
        )
    )
    found: Result = json.loads(out.splitlines()[-1])
    return found


def ids(small: bool) -> tuple[str, ...]:
    """Returns the ids that the programs use as pure functions."""
    more = ("TagGridWorld-v0", "Pong-v5", "HalfCheetah-v5", "Ant-v5")
    return (*IDS[:4], more[0]) if small else (*IDS, *more)


def missing(small: bool) -> str:
    """Returns why the programs cannot run; empty if they can."""
    why = "" if small and importlib.util.find_spec("jax") is not None else why_not()
    return why or ("" if HANDLERS.exists() else "this envpool.jax has no handlers for GPUs")


def programs(small: bool) -> Iterator[Step]:
    """Compares programs with command buffers on and off."""
    if why := missing(small):
        yield "jax", lambda: {"skipped": why}
        return
    settings = ON_STAND_IN if small else ON_GPU
    for buffers in COMMAND_BUFFERS:
        for program in SMALL if small else PROGRAMS:
            yield f"{program}, command buffers {buffers}", functools.partial(compared, program, settings, buffers)


def speeds(small: bool) -> Iterator[Step]:
    """Measures a jitted scan with command buffers on and off, the largest number of environments first."""
    if why := missing(small):
        yield "jax speed", lambda: {"skipped": why}
        return
    settings = ON_STAND_IN if small else ON_GPU
    for count, steps in ((64, 20),) if small else ((1048576, 100), (65536, 300), (2048, 1000)):
        for buffers in COMMAND_BUFFERS:
            name = f"CartPole-v1 x {count}, command buffers {buffers}"
            yield name, functools.partial(timed, count, settings, buffers, steps)
