# SPDX-License-Identifier: Apache-2.0
"""How a side of a comparison is asked and answers.

It makes what the JSON in its first argument says, by one of the loops of sides.py. Each line of its input is a turn:
"seconds 0.5" or "steps 3200" to step for so long, "latency 0.5" for percentiles of single calls in as many seconds. It
answers with a line of JSON. Between lines it is idle, so that the sides can take turns.
"""

import importlib.metadata
import itertools
import json
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np


def stepping(step, actions, rows):
    """Steps with actions that go on from call to call: the same few again and again would lead to states of their own."""
    rest = itertools.cycle(actions)

    def steps(count):
        for action in itertools.islice(rest, count):
            step(action)
        return count * rows

    return steps


def busy_seconds():
    """CPU seconds that all processes together have used."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _, _, irq, softirq, _ = ticks
    return (user + nice + system + irq + softirq) / 100


def latencies(steps, seconds):
    """Microseconds of single calls, for about `seconds`."""
    clock, taken = time.perf_counter_ns, []
    until = clock() + 1e9 * seconds
    now = clock()
    while now < until:
        before = clock()
        steps(1)
        now = clock()
        taken.append(now - before)
    percentiles = np.percentile(taken, (50, 90, 99)) / 1000
    return {"calls": len(taken), **dict(zip(("p50", "p90", "p99"), percentiles.tolist(), strict=True))}


def resident():
    """Bytes of memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(steps, seconds, chunk):
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


def versions():
    found = {"python": platform.python_version(), "envpool": None}
    for name in ("envpool", "envpool-unified", "numpy", "gymnasium", "ale-py", "mujoco", "jax", "gymnax"):
        try:
            found[name.removesuffix("-unified")] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found.setdefault(name.removesuffix("-unified"), None)
    return found


def serve(case, loop, **start):
    """Makes what a case says and lets it take turns; `start` is answered first, with what becomes known."""
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a package prints is no answer

    def answer(**values):
        print(json.dumps(values), file=answers, flush=True)

    started = time.perf_counter()
    steps = loop(case)
    rows = steps(1)
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
