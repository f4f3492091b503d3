# SPDX-License-Identifier: Apache-2.0
"""The protocol of one side of a benchmark (turns.py).

A side is a process whose interpreter may have the released EnvPool instead of this package. This module therefore
imports nothing of this package, and is imported by its file name, without the package. The process makes the
environments of a case. Each line of its input requests a turn: "seconds 0.5" or "steps 3200" to step that long,
"latency 0.5" to measure single calls for 0.5 s. The process responds with a line of JSON and waits for the next request,
so that sides can take turns.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Steps = Callable[[int], int]  # A function that makes this many calls, and returns the number of steps.


def stepping(step: Callable[[Any], object], actions: Sequence[Any], rows: int) -> Steps:
    """Returns a function that steps with the actions in turn, each call continuing where the previous one stopped.

    If every call started again with the first action, short calls would visit only states that are not representative.
    """
    rest = itertools.cycle(actions)

    def steps(count: int) -> int:
        for action in itertools.islice(rest, count):
            step(action)
        return count * rows

    return steps


def busy_seconds() -> float:
    """Returns the CPU seconds that all processes of the machine have used."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _, _, irq, softirq, _ = ticks
    return (user + nice + system + irq + softirq) / 100


def latencies(steps: Steps, seconds: float) -> dict[str, Any]:
    """Returns percentiles of the latency of single calls in microseconds, measured for about `seconds`."""
    clock, taken = time.perf_counter_ns, list[int]()
    until = clock() + 1e9 * seconds
    now = clock()
    while now < until:
        before = clock()
        steps(1)
        now = clock()
        taken.append(now - before)
    percentiles = np.percentile(taken, (50, 90, 99)) / 1000
    return {"calls": len(taken), **dict(zip(("p50", "p90", "p99"), percentiles.tolist(), strict=True))}


def resident() -> int:
    """Returns the resident memory of the process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(steps: Steps, seconds: float, chunk: int) -> dict[str, Any]:
    """Steps for about `seconds` and returns the times. The clock is read once every `chunk` calls."""
    busy, cpu, started = busy_seconds(), time.process_time(), time.perf_counter()
    total = 0
    while True:
        total += steps(chunk)
        wall = time.perf_counter() - started
        if wall >= seconds:
            break
    cpu = time.process_time() - cpu
    return {"steps": total, "wall_s": wall, "cpu_s": cpu, "other_cores": max(0.0, (busy_seconds() - busy - cpu) / wall)}


def versions() -> dict[str, str | None]:
    """Returns the versions of Python and of the packages that sides use, or None if a package is not installed."""
    numbers: dict[str, str | None] = {"python": platform.python_version(), "envpool": None}
    for name in ("envpool", "envpool-unified", "numpy", "gymnasium", "ale-py", "mujoco", "jax", "gymnax"):
        try:
            numbers[name.removesuffix("-unified")] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            numbers.setdefault(name.removesuffix("-unified"), None)
    return numbers


def serve(case: dict[str, Any], loop: Callable[[dict[str, Any]], Steps], **start: Any) -> None:
    """Makes the environments of a case, answers with `start` and the versions, and then serves turns.

    If the environments cannot be made, the first response is the error, and there are no turns.
    """
    responses, sys.stdout = sys.stdout, sys.stderr  # Text that packages print must not mix with the responses.

    def respond(**values: Any) -> None:
        try:
            print(json.dumps(values), file=responses, flush=True)
        except BrokenPipeError:  # The process that takes the turns has ended, for example by Ctrl-C.
            os._exit(1)

    started = time.perf_counter()
    try:
        steps = loop(case)
        rows = steps(1)
    except Exception as error:  # The error is a response, so that the other sides are measured even if this one fails.
        respond(error=f"{type(error).__name__}: {' '.join(str(error).split())[:160]}")
        return
    ready = time.perf_counter() - started

    chunk = 1  # The chunk grows until the time for reading the clock is negligible.
    while measure(steps, 0, chunk)["wall_s"] < 0.02:
        chunk *= 2
    respond(ready_s=ready, resident=resident(), versions=versions(), **start)
    for line in sys.stdin:
        unit, amount = line.split()
        if unit == "latency":
            respond(**latencies(steps, float(amount)))
        elif unit == "steps":
            respond(**measure(steps, 0, int(amount) // rows))
        else:
            respond(**measure(steps, float(amount), chunk))
