# SPDX-License-Identifier: Apache-2.0
"""Measures how the speed of pools grows with the number of threads.

    python benchmark/threads.py --json=build/threads.json             # takes a minute
    python benchmark/threads.py --peer_python=build/venv/peer/bin/python --seconds=180
    python benchmark/threads.py --draw=build/threads.json             # writes the table of docs/performance.md

The pools of a case differ in the number of threads. The number of environments grows with it, so that each thread has
equally many. The pools take turns, and the best turn of each counts, because load on the machine can only slow it down.
The released EnvPool is measured in the same way if --peer_python names its interpreter.

The JSON file is written after each case, and the script ends when --seconds have passed.
"""

import json
import os
import re
import statistics
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from absl import flags
from harness import (
    HERE,
    PythonSide,
    begin_table,
    circumstances,
    define_choices,
    refuse,
    row,
    run,
)

from envpool.cli.turns import Turns

FLAGS = flags.FLAGS
# The environments of each thread. A batch of a light environment is large, because the calls of Python are not parallel.
TASKS = {"Pong-v5": 16, "CartPole-v1": 2048, "LunarLander-v3": 128, "HalfCheetah-v5": 16}
THREADS = [1, 2, 4, 8, 16]
CPUS = len(os.sched_getaffinity(0))
MOST_ROUNDS = 20
BEGIN, END = "<!-- made by benchmark/threads.py -->\n", "<!-- end of what benchmark/threads.py makes -->\n"
define_choices("tasks", TASKS, "tasks to measure")
flags.DEFINE_list("threads", [str(t) for t in THREADS if t <= CPUS], "numbers of threads, which begin with 1")
flags.DEFINE_float("seconds", 60, "time for everything", lower_bound=5)
flags.DEFINE_string("draw", None, "measure nothing; write the table of --page from this JSON file")
flags.DEFINE_string("page", str(HERE.parent / "docs" / "performance.md"), "the page that --draw changes")
FLAGS.set_default("window", 0.2)


def cases() -> Iterator[dict[str, Any]]:
    """Yields the task, the loop and the environments per thread of each case. Asynchronous batches have half of them."""
    for loop in ("sync", "async"):
        for task in FLAGS.tasks:
            yield {"task": task, "loop": loop, "envs_per_thread": TASKS[task] * (2 if loop == "async" else 1)}


def start(case: dict[str, Any], python: str, threads: int) -> PythonSide:
    num_envs = case["envs_per_thread"] * threads
    more = {"batch_size": num_envs // 2} if case["loop"] == "async" else {}
    sizes = {"num_envs": num_envs, "num_threads": threads, **more}
    return PythonSide(python, {"task": case["task"], "loop": case["loop"], **sizes})


def measure(case: dict[str, Any], threads: list[int], until: float) -> dict[str, Any]:
    """Measures a case until the given time.

    Raises:
        RuntimeError: a pool could not be made.
    """
    pythons = {"ours": FLAGS.python} | ({"peer": FLAGS.peer_python} if FLAGS.peer_python else {})
    wanted = {f"{side}, {t}": (python, t) for side, python in pythons.items() for t in threads}
    with ThreadPoolExecutor(len(wanted)) as executor:
        started = {name: executor.submit(start, case, *how) for name, how in wanted.items()}
    try:
        sides = {name: future.result() for name, future in started.items()}
    except RuntimeError:
        for future in started.values():
            if future.exception() is None:
                future.result().close()
        raise
    turn_s = 1.3 * FLAGS.window + 0.02  # a turn ends with a whole number of calls
    rounds = min(MOST_ROUNDS, max(1, int((until - time.monotonic()) / turn_s / len(sides)) - 1))
    turns = Turns(sides, ours=f"ours, {threads[0]}")
    turns.run(rounds, lambda side: side.turn(FLAGS.window))

    def by_side(value: Callable[[str], Any]) -> dict[str, list[Any]]:
        return {side: [value(f"{side}, {t}") for t in threads] for side in pythons}

    return {
        "case": case,
        "rounds": rounds,
        "versions": {side: sides[f"{side}, {threads[0]}"].start["versions"] for side in pythons},
        "steps_per_s": by_side(lambda name: max(turns.rates(name))),
        "median_steps_per_s": by_side(lambda name: statistics.median(turns.rates(name))),
        "cpu_us_per_step": by_side(turns.cpu_us),
        "other_cores": statistics.median(turn["other_cores"] for round_ in turns.rounds for turn in round_.values()),
    }


def speed_ups(rates: list[float]) -> list[str]:
    return [f"{rate / rates[0]:.2f}" for rate in rates]


def name_of(case: dict[str, Any]) -> str:
    return f"{case['task'].rpartition('-')[0]}, {case['loop']}"


def print_rows(result: dict[str, Any], threads: list[int]) -> None:
    for side, rates in result["steps_per_s"].items():
        name = name_of(result["case"]) + (", EnvPool" if side == "peer" else "")
        cells = [f"{rate:,.0f} ({ratio})" for rate, ratio in zip(rates, speed_ups(rates), strict=True)]
        print(row([name, *cells]), flush=True)


def write(record: dict[str, Any]) -> None:
    """Writes the results so far. The file is replaced as a whole, so that it is complete at any time."""
    if FLAGS.json:
        path = Path(FLAGS.json)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(record, indent=1) + "\n")
        part.replace(path)


def end_late() -> None:
    """Ends the process, and with it the sides, whose input ends."""
    print(f"threads: {FLAGS.seconds:g} s have passed; the remaining cases are not measured", file=sys.stderr)
    sys.stderr.flush()
    os._exit(0)


def section(record: dict[str, Any]) -> str:
    """Returns the section of docs/performance.md: a table, the chart that the site draws of it, and its origin."""
    threads, machine = record["threads"], record["machine"]
    peer = any("peer" in result["steps_per_s"] for result in record["results"])
    columns = [f"{t} threads" for t in threads[1:]]
    head = ["speed-up over one thread", "steps/s, 1 thread", *columns, f"steps/s, {threads[-1]} threads", "CPU time"]
    lines = [row([*head, *(["× EnvPool"] if peer else [])]), "|---" * (len(head) + peer) + "|"]
    for result in record["results"]:
        rates = result["steps_per_s"]["ours"]
        cells = [name_of(result["case"]), f"{rates[0]:,.0f}", *speed_ups(rates)[1:], f"{rates[-1]:,.0f}"]
        cpu = result["cpu_us_per_step"]["ours"]
        cells.append(f"{cpu[-1] / cpu[0]:.2f}×")
        if peer:
            cells.append(f"{rates[-1] / result['steps_per_s']['peer'][-1]:.1f}")
        lines.append(row(cells))
    versions = record["results"][0]["versions"]
    against = f" EnvPool {versions['peer']['envpool']} had as many threads and environments." if peer else ""
    later = "" if threads[-1] >= 16 else " The numbers of a machine with 16 cores will follow."
    chart = f"<!-- chart: docs/performance.md | {head[0]} | {', '.join(columns)} | speed-up over one thread -->\n"
    program, script, *flags = record["command"]
    shown = [flag for flag in flags if not flag.startswith(("--json", "--python"))]
    command = " ".join([program, f"benchmark/{Path(script).name}", *shown])
    text = (
        f"Measured on {machine['usable_cores']} CPUs of {machine['cpu']}, {record['date']}, with Python "
        f"{versions['ours']['python']} and `{command}`. Other programs kept up to "
        f"{max(result['other_cores'] for result in record['results']):.1f} CPUs busy. The column `CPU time` compares the CPU "
        f"time of a step with {threads[-1]} threads and with one. A step of Pong is four frames.{against}{later}"
    )
    text = textwrap.fill(" ".join([text, *record["skipped"]]), 120, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + f"\n\n{chart}\n{text}\n"


def draw(path: Path) -> None:
    """Replaces the section of docs/performance.md."""
    record = json.loads(path.read_text())
    page = Path(FLAGS.page)
    text, found = page.read_text(), re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not found.search(text):
        refuse(f"--page: expected the lines {BEGIN.strip()!r} and {END.strip()!r} in {page}.")
    page.write_text(found.sub(lambda _: BEGIN + section(record) + END, text))


def main(arguments: list[str]) -> None:
    if arguments[1:]:
        refuse(f"unknown argument {arguments[1]!r}; options begin with --, and --help lists them.")
    if FLAGS.draw:
        draw(Path(FLAGS.draw))
        return
    if not all(t.isdecimal() and int(t) for t in FLAGS.threads) or FLAGS.threads[:1] != ["1"]:
        refuse(f"--threads: expected numbers of threads that begin with 1, got {','.join(FLAGS.threads)!r}.")
    threads = sorted({int(t) for t in FLAGS.threads})
    deadline = time.monotonic() + FLAGS.seconds
    timer = threading.Timer(FLAGS.seconds - 0.5, end_late)
    timer.daemon = True
    timer.start()
    record = circumstances() | {"threads": threads, "seconds": FLAGS.seconds, "results": [], "skipped": []}
    begin_table(["steps/s (speed-up)", "1 thread", *(f"{t} threads" for t in threads[1:])])
    todo = list(cases())
    for number, case in enumerate(todo):
        now = time.monotonic()
        try:
            result = measure(case, threads, now + (deadline - 1 - now) / (len(todo) - number))
        except RuntimeError as error:
            record["skipped"].append(f"{name_of(case)} was not measured: {error}.")
            print(record["skipped"][-1], flush=True)
        else:
            record["results"].append(result)
            print_rows(result, threads)
        write(record)
    timer.cancel()


if __name__ == "__main__":
    run(main)
