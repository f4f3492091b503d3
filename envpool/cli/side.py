# SPDX-License-Identifier: Apache-2.0
"""How a side of a comparison is asked and answers (turns.py).

A side is a process of its own, under an interpreter that may have EnvPool instead of us, so this module imports nothing
of ours and is found by its folder. It makes what a case says. Each line of its input is a turn: "seconds 0.5" or
"steps 3200" to step for so long, "latency 0.5" for percentiles of single calls in as many seconds. It answers with a
line of JSON. Between lines it is idle, so that the sides can take turns.
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

Steps = Callable[[int], int]  # so many calls; returns how many steps they were


def stepping(step: Callable[[Any], object], actions: Sequence[Any], rows: int) -> Steps:
    """Steps with actions that go on from call to call: the same few again and again would lead to states of their own."""
    rest = itertools.cycle(actions)

    def steps(count: int) -> int:
        for action in itertools.islice(rest, count):
            step(action)
        return count * rows

    return steps


def busy_seconds() -> float:
    """CPU seconds that all processes together have used."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _, _, irq, softirq, _ = ticks
    return (user + nice + system + irq + softirq) / 100


def latencies(steps: Steps, seconds: float) -> dict[str, Any]:
    """Microseconds of single calls, for about `seconds`."""
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
    """Bytes of memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(steps: Steps, seconds: float, chunk: int) -> dict[str, Any]:
    """Steps for about `seconds`; the clock is read once every `chunk` calls."""
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
    """Of Python and of each package that sides use, where it is installed."""
    found: dict[str, str | None] = {"python": platform.python_version(), "envpool": None}
    for name in ("envpool", "envpool-unified", "numpy", "gymnasium", "ale-py", "mujoco", "jax", "gymnax"):
        try:
            found[name.removesuffix("-unified")] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found.setdefault(name.removesuffix("-unified"), None)
    return found


def serve(case: dict[str, Any], loop: Callable[[dict[str, Any]], Steps], **start: Any) -> None:
    """Makes what a case says and lets it take turns; `start` is answered first, with what becomes known.

    Where the loop cannot be made, the answer is its error, and there are no turns.
    """
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a package prints is no answer

    def answer(**values: Any) -> None:
        print(json.dumps(values), file=answers, flush=True)

    started = time.perf_counter()
    try:
        steps = loop(case)
        rows = steps(1)
    except Exception as error:  # whatever it is, the other sides go on
        answer(error=f"{type(error).__name__}: {' '.join(str(error).split())[:160]}")
        return
    ready = time.perf_counter() - started

    chunk = 1  # so many calls that the clock costs nothing
    while measure(steps, 0, chunk)["wall_s"] < 0.02:
        chunk *= 2
    answer(ready_s=ready, resident=resident(), versions=versions(), **start)
    for line in sys.stdin:
        unit, amount = line.split()
        if unit == "latency":
            answer(**latencies(steps, float(amount)))
        elif unit == "steps":
            answer(**measure(steps, 0, int(amount) // rows))
        else:
            answer(**measure(steps, float(amount), chunk))
