# SPDX-License-Identifier: Apache-2.0
"""Measures pools on a GPU in a Python loop and in CUDA graphs, and compares them with the ceilings of docs/gpu.md."""

from __future__ import annotations

import functools
import importlib.util
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np

import envpool
from envpool.cuda import driver
from envpool.python.registry import find
from tests.cuda.device_comparison import random_actions
from tests.proof import Result, Step
from tests.standin.rooflines import CARDS, SAMPLES, bytes_of, ceiling, read_work

# Selects kernels in which each lane writes its own row of observations (envpool/core/table/device_rows.h).
direct_rows = functools.partial(mock.patch.dict, "os.environ", ENVPOOL_DEVICE_ROWS="direct")


def speed_with_direct_rows(task_id: str, count: int, seconds: float, *, on_device: bool = False) -> Result:
    """Measures kernels in which each lane writes its own row."""
    with direct_rows():
        return speed_of(task_id, count, seconds, on_device=on_device)


def speed_with_lanes(lanes: int, task_id: str, count: int, seconds: float, *, on_device: bool = False) -> Result:
    """Measures launches in which this number of lanes of each warp step environments."""
    with mock.patch.dict("os.environ", ENVPOOL_DEVICE_LANES=str(lanes)):
        return speed_of(task_id, count, seconds, on_device=on_device)


def speed_of(task_id: str, count: int, seconds: float, *, on_device: bool = False, **options: Any) -> Result:
    """Measures steps per second in a Python loop, twice.

    Args:
        task_id: the environment's id.
        count: the number of environments.
        seconds: the duration of both measurements together.
        on_device: whether the actions are tensors on the device; otherwise each step copies them there.
        options: options of the environment.
    """
    try:
        pool: Any = envpool.make_gymnasium(task_id, num_envs=count, device="cuda", seed=1, **options)
        pool.reset()
    except MemoryError as error:
        return {"num_envs": count, "too_large": str(error)[-200:]}
    rng = np.random.default_rng(0)
    actions: list[Any] = [random_actions(pool.spec.arrays, rng, count) for _ in range(8)]
    if on_device:
        actions = [_tensors(action) for action in actions]

    def play(steps: int) -> None:
        for step in range(steps):
            pool.step(actions[step % len(actions)])
        pool._pool.wait()

    rates = measured(play, seconds)
    pool.close()
    return {**_rate(task_id, count, rates), **options}


def measured(play: Callable[[int], None], seconds: float) -> list[float]:
    """Calls a function, whose argument is the number of steps to take, for a while. Returns steps per second, twice."""
    play(1)  # the first launches load the code
    begun = time.perf_counter()
    play(1)
    chunk = max(1, min(50, int(seconds / 20 / (time.perf_counter() - begun))))
    rates = []
    for _ in range(2):
        steps, begun = 0, time.perf_counter()
        while (passed := time.perf_counter() - begun) < seconds / 2:
            play(chunk)
            steps += chunk
        rates.append(steps / passed)
    return rates


def _tensors(action: dict[str, Any]) -> dict[str, Any]:
    import torch

    return {name: torch.from_numpy(values).cuda() for name, values in action.items()}


def _rate(task_id: str, count: int, rates: list[float]) -> Result:
    rate = count * sum(rates) / len(rates)
    result: Result = {
        "task_id": task_id,
        "num_envs": count,
        "steps_per_second": rate,
        "microseconds_per_call": count / rate * 1e6,
        "spread": (max(rates) - min(rates)) / max(rates),
    }
    cards = [card for card in CARDS if card.device in driver.load().devices()[0].name]
    work = read_work().get(task_id)
    if cards and work:
        result["ceiling"], result["bound"] = ceiling(work, bytes_of(task_id), cards[0])
        result["share"] = rate / result["ceiling"]
    return result


def replayed(task_id: str, count: int, seconds: float) -> Result:
    """Measures steps per second while PyTorch replays a CUDA graph of one step."""
    import torch

    try:
        pool: Any = envpool.make_gymnasium(task_id, num_envs=count, device="cuda", seed=1, in_place=True)
        pool.reset()
    except MemoryError as error:
        return {"num_envs": count, "too_large": str(error)[-200:]}
    action = _tensors(random_actions(pool.spec.arrays, np.random.default_rng(0), count))
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            torch.from_dlpack(pool.step(action)[1])
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            torch.from_dlpack(pool.step(action)[1])  # the capturing stream waits for the step
    before = pool.snapshot(0)
    graph.replay()
    torch.cuda.synchronize()
    changed = pool.snapshot(0) != before

    def play(steps: int) -> None:
        for _ in range(steps):
            graph.replay()
        torch.cuda.synchronize()

    rates = measured(play, seconds)
    pool.close()
    return {**_rate(task_id, count, rates), "equal": changed}


def counts_of(task_id: str) -> tuple[int, ...]:
    """Returns the numbers of environments to measure: fewer for Atari, whose environments take over 0.1 MB each."""
    family = find(task_id).family
    return (256, 4096, 16384, 65536) if family == "atari" else (1024, 4096, 16384, 131072, 1048576)


# The ids to measure, those that represent their families best first.
IDS = tuple(
    dict.fromkeys(
        (
            *("CartPole-v1", "Breakout-MinAtar", "TagGridWorld-v0", "Pong-v5", "LunarLander-v2"),
            *("HalfCheetah-v5", "Ant-v5", "Hopper-v5"),
            *("MiniGrid-Empty-8x8-v0", "TagContinuous-v0", "Breakout-v5", "Acrobot-v1"),
            *(sample.task_id for sample in SAMPLES),
        )
    )
)
ROWS = ("Breakout-MinAtar", "MiniGrid-Empty-8x8-v0", "TagGridWorld-v0", "Pong-v5")
# Environments with long steps, of which a launch gives rows to a number of lanes of each warp, and these numbers.
LANES = (1, 2, 4, 8, 16, 32)
LANES_IDS = ("Ant-v5", "HalfCheetah-v5", "Pong-v5", "LunarLander-v3", "Humanoid-v5", "BabyAI-GoTo-v0")
GRAPHS = ("CartPole-v1", "Acrobot-v1", "Breakout-MinAtar", "TagGridWorld-v0", "Pong-v5")


def ids(small: bool) -> tuple[str, ...]:
    """Returns the ids whose kernels these sections need."""
    return IDS[:1] if small else IDS


def _steps(places: tuple[int, ...]) -> Iterator[Step]:
    torch = importlib.util.find_spec("torch") is not None
    for place in places:
        for task_id in IDS:
            count = counts_of(task_id)[place]
            name = f"{task_id} x {count}"
            if torch:
                yield f"{name}, actions on the device", functools.partial(speed_of, task_id, count, 0.5, on_device=True)
            if count == 4096 or not torch:
                yield name, functools.partial(speed_of, task_id, count, 0.5)


def largest(small: bool) -> Iterator[Step]:
    """Measures the largest pools in a Python loop, because they show what the kernel can do."""
    if small:
        yield "CartPole-v1 x 64", functools.partial(speed_of, "CartPole-v1", 64, 0.05)
    else:
        yield from _steps((-1,))


def sizes(small: bool) -> Iterator[Step]:
    """Measures smaller pools in a Python loop, with actions on the device and in host memory."""
    if small:
        yield "CartPole-v1 x 1", functools.partial(speed_of, "CartPole-v1", 1, 0.05)
    else:
        yield from _steps((-2, 1, 0, 2))


def rows(small: bool) -> Iterator[Step]:
    """Measures both ways of writing observations: the warp's rows together, and each lane its own row."""
    if small:
        yield "CartPole-v1 x 64, direct rows", functools.partial(speed_with_direct_rows, "CartPole-v1", 64, 0.05)
        return
    on_device = importlib.util.find_spec("torch") is not None
    for task_id in ROWS:
        count = min(counts_of(task_id)[-2], 131072)
        for name, measure in (("rows written together", speed_of), ("direct rows", speed_with_direct_rows)):
            yield f"{task_id} x {count}, {name}", functools.partial(measure, task_id, count, 0.5, on_device=on_device)


def lanes(small: bool) -> Iterator[Step]:
    """Measures different numbers of lanes, in small pools and in large ones."""
    on_device = importlib.util.find_spec("torch") is not None
    if small:
        yield "LunarLander-v3 x 64, 4 lanes", functools.partial(speed_with_lanes, 4, "LunarLander-v3", 64, 0.05)
        return
    for count in (4096, 32768):
        for task_id in LANES_IDS:
            for number in LANES:
                name = f"{task_id} x {count}, {number} lanes of a warp"
                yield name, functools.partial(speed_with_lanes, number, task_id, count, 0.3, on_device=on_device)


def graphs(small: bool) -> Iterator[Step]:
    """Measures CUDA graphs."""
    if importlib.util.find_spec("torch") is None:
        yield "graph", lambda: {"skipped": "PyTorch is not installed"}
    elif small:
        yield "graph", lambda: {"skipped": "PyTorch cannot capture work on the stand-in"}
    else:
        for place in (1, 2, 0):
            for task_id in GRAPHS:
                count = counts_of(task_id)[place]
                yield f"{task_id} x {count}, graph", functools.partial(replayed, task_id, count, 0.5)
