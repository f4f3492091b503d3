# SPDX-License-Identifier: Apache-2.0
"""Measures pools on a GPU in a Python loop and in CUDA graphs, and compares them with the ceilings of docs/gpu.md."""

from __future__ import annotations

import functools
import importlib.util
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import envpool
from envpool.cuda import driver
from envpool.python.registry import find
from tests.cuda.device_comparison import random_actions
from tests.proof import Result, Step
from tests.standin.rooflines import CARDS, SAMPLES, bytes_of, ceiling, read_work


def speed_of(task_id: str, count: int, seconds: float, *, on_device: bool = False) -> Result:
    """Measures steps per second in a Python loop.

    Args:
        task_id: the environment's id.
        count: the number of environments.
        seconds: the duration of the measurement.
        on_device: whether the actions are tensors on the device; otherwise each step copies them there.
    """
    try:
        pool: Any = envpool.make_gymnasium(task_id, num_envs=count, device="cuda", seed=1)
    except MemoryError as error:
        return {"num_envs": count, "too_large": str(error)[-200:]}
    pool.reset()
    rng = np.random.default_rng(0)
    actions: list[Any] = [random_actions(pool.spec.arrays, rng, count) for _ in range(8)]
    if on_device:
        actions = [_tensors(action) for action in actions]
    for action in actions:  # the first launches load the code
        pool.step(action)
    pool._pool.wait()
    steps, begun = 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < seconds:
        for action in actions:
            pool.step(action)
        steps += len(actions)
        pool._pool.wait()
    pool.close()
    return _rate(task_id, count, steps, passed)


def _tensors(action: dict[str, Any]) -> dict[str, Any]:
    import torch

    return {name: torch.from_numpy(values).cuda() for name, values in action.items()}


def _rate(task_id: str, count: int, steps: int, seconds: float) -> Result:
    rate = steps * count / seconds
    found: Result = {"num_envs": count, "steps_per_second": rate, "microseconds_per_call": seconds / steps * 1e6}
    cards = [card for card in CARDS if card.name in driver.load().devices()[0].name]
    work = read_work().get(task_id)
    if cards and work:
        found["ceiling"], found["bound"] = ceiling(work, bytes_of(task_id), cards[0])
        found["share"] = rate / found["ceiling"]
    return found


def replayed(task_id: str, count: int, seconds: float) -> Result:
    """Measures steps per second while PyTorch replays a CUDA graph of one step, if the pool can be captured."""
    import torch

    try:
        pool: Any = envpool.make_gymnasium(task_id, num_envs=count, device="cuda", seed=1)
    except MemoryError as error:
        return {"num_envs": count, "too_large": str(error)[-200:]}
    pool.reset()
    action = _tensors(random_actions(pool.spec.arrays, np.random.default_rng(0), count))
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    try:
        with torch.cuda.stream(stream):
            for _ in range(3):
                pool.step(action)
            pool._pool.wait()
            torch.cuda.synchronize()
            with torch.cuda.graph(graph, stream=stream):
                pool.step(action)
        before = pool.snapshot(0)
        graph.replay()
        torch.cuda.synchronize()
        if pool.snapshot(0) == before:
            return {"num_envs": count, "unsupported": "the graph holds no step"}
    except Exception as error:  # noqa: BLE001  (any failure of the capture is reported)
        return {"num_envs": count, "unsupported": f"{type(error).__name__}: {error}"[:300]}
    steps, begun = 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < seconds:
        for _ in range(50):
            graph.replay()
        steps += 50
        torch.cuda.synchronize()
    pool.close()
    return _rate(task_id, count, steps, passed)


def counts_of(task_id: str) -> tuple[int, ...]:
    """Returns the numbers of environments to measure: fewer for Atari, whose environments take over 0.1 MB each."""
    family = find(task_id).family
    return (256, 4096, 16384, 65536) if family == "atari" else (1024, 4096, 16384, 131072, 1048576)


def speed(small: bool) -> Iterator[Step]:
    """Measures a Python loop with actions in host memory and on the device."""
    if small:
        for count in (1, 64):
            yield f"CartPole-v1 x {count}", functools.partial(speed_of, "CartPole-v1", count, 0.05)
        return
    torch = importlib.util.find_spec("torch") is not None
    for sample in SAMPLES:
        for count in counts_of(sample.task_id):
            name = f"{sample.task_id} x {count}"
            if torch:
                yield (
                    f"{name}, actions on the device",
                    functools.partial(speed_of, sample.task_id, count, 0.7, on_device=True),
                )
            if count in (4096, 1048576):
                yield name, functools.partial(speed_of, sample.task_id, count, 0.7)


def graphs(small: bool) -> Iterator[Step]:
    """Measures CUDA graphs. This is the last section, because a failed capture can leave errors behind."""
    if importlib.util.find_spec("torch") is None:
        yield "graph", lambda: {"skipped": "PyTorch is not installed"}
    if small or importlib.util.find_spec("torch") is None:
        return
    for task_id in ("CartPole-v1", "Acrobot-v1", "Breakout-MinAtar", "TagGridWorld-v0", "Pong-v5"):
        for count in counts_of(task_id)[:-1]:
            yield f"{task_id} x {count}, graph", functools.partial(replayed, task_id, count, 0.7)
