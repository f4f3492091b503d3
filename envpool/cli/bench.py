# SPDX-License-Identifier: Apache-2.0
"""`envpool bench`: one environment of ours beside everything else that has it.

Every side is a process of its own (bench_side.py). They take turns, the order changing every round, so that what else
the machine does falls on all alike; a ratio is the median over rounds of the quotient within a round.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envpool.cli.common import Failure, console, need, parse_options, print_json, seconds_of
from envpool.python.distribution import pip_install
from envpool.python.registry import find

_MOST_PROCESSES = 64
OURS = "envpool"


def bench(
    task_id: str,
    option: Sequence[str],
    num_envs: int,
    num_threads: int,
    rounds: int,
    seconds: float,
    peer_python: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Measures; `app.py` describes the arguments."""
    import envpool
    from envpool._core import usable_cpus

    seconds_of("--seconds", seconds)
    if output is not None:
        need("PIL")
        if output.suffix != ".png":
            raise Failure(f"--output must end with .png, got {str(output)!r}")
        if not output.absolute().parent.is_dir():
            raise Failure(f"--output: there is no folder {str(output.absolute().parent)!r}")
    options = parse_options(option)
    envpool.make_spec(task_id, **options)  # what is wrong with it is said at once
    case = {
        "task": task_id,
        "num_envs": num_envs,
        "num_threads": num_threads or min(usable_cpus(), num_envs),
        "options": options,
        "atari": find(task_id).family == "atari",
    }
    sides, absent = start(case, peer_of(peer_python))
    try:
        with Board(case, sides, absent, rounds, quiet=as_json) as board:
            take_turns(sides, rounds, seconds, board.update)
    finally:
        for side in sides.values():
            side.close()
    result = record(case, sides, absent, rounds, seconds)
    if as_json:
        print_json(result)
    if output is not None:
        from envpool.cli.chart import draw

        draw(result, output)
        print(f"{output}: the chart", file=sys.stderr)


def peer_of(given: str) -> str:
    """The interpreter that has EnvPool, or empty. Raises Failure for one that cannot be run."""
    python = given or os.environ.get("ENVPOOL_PEER_PYTHON", "")
    if python and shutil.which(python) is None:
        raise Failure(f"--peer-python: there is no program {python!r}")
    return python


class Side:
    """A process that waits for its turn."""

    def __init__(self, python: str, case: dict[str, Any]) -> None:
        environment = dict(os.environ)
        if python != sys.executable:
            environment = {key: value for key, value in environment.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
        script = Path(__file__).with_name("bench_side.py")
        self.turns: list[dict[str, float]] = []
        self.process = subprocess.Popen(
            [python, "-W", "ignore", str(script), json.dumps(case)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        answer = self._answer()
        self.version = answer.get("version", "")
        self.error = answer.get("error", "")

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            said = self.process.stderr.read().strip().splitlines()
            return {"error": said[-1] if said else f"it ended with status {self.process.wait()}"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def turn(self, seconds: float) -> None:
        """Steps for so long. Raises Failure when the process has ended."""
        assert self.process.stdin is not None
        try:
            print(seconds, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise Failure("a side of the comparison ended by itself") from None
        answer = self._answer()
        if "error" in answer:
            raise Failure(f"a side of the comparison ended: {answer['error']}")
        self.turns.append(answer)

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            self.process.wait(10)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    @property
    def rates(self) -> list[float]:
        """Steps a second of each turn."""
        return [turn["steps"] / turn["wall_s"] for turn in self.turns]

    @property
    def cpu_us(self) -> float:
        """CPU time of a step, in this process alone."""
        return statistics.median(1e6 * turn["cpu_s"] / turn["steps"] for turn in self.turns)


def start(case: dict[str, Any], peer: str) -> tuple[dict[str, Side], dict[str, str]]:
    """Starts every side there is, and says of the others why not. Raises Failure where ours cannot start."""
    ours = Side(sys.executable, {**case, "side": "pool"})
    if ours.error:
        raise Failure(ours.error.partition(": ")[2] or ours.error)
    sides, absent = {OURS: ours}, {}
    plain = {**case, "options": {}}  # options are ours; the others are as they come
    wanted = {"EnvPool": (peer, "pool", "give its interpreter by --peer-python")}
    here = {name: sys.executable if importlib.util.find_spec(name) else "" for name in ("gymnasium", "ale_py")}
    if case["atari"] and not case["task"].startswith("ALE/"):
        wanted["ale-py"] = (here["ale_py"], "ale", pip_install("ale-py"))
    wanted["gymnasium"] = (here["gymnasium"], "vectors", "pip install gymnasium")
    if case["num_envs"] <= _MOST_PROCESSES:
        wanted["gymnasium, processes"] = (here["gymnasium"], "processes", "pip install gymnasium")
    for name, (python, kind, why) in wanted.items():
        if not python:
            absent[name] = why
            continue
        side = Side(python, {**(case if kind == "pool" else plain), "side": kind})
        if side.error:
            absent[name] = side.error
            side.close()
        else:
            sides[name] = side
    return sides, absent


def take_turns(sides: dict[str, Side], rounds: int, seconds: float, done: Any) -> None:
    """Lets each have its turn in every round."""
    for side in sides.values():
        side.turn(min(seconds, 0.2))  # to warm up
        side.turns.clear()
    for number in range(rounds):
        order = list(sides.values())
        for side in order if number % 2 else reversed(order):
            side.turn(seconds)
        done(number + 1)


def label(name: str, version: str) -> str:
    """The name with the version of its package."""
    package, comma, rest = name.partition(",")
    return f"{package} {version}{comma}{rest}"


def ratios(sides: dict[str, Side], name: str) -> list[float]:
    """Ours over another, round by round."""
    return [ours / other for ours, other in zip(sides[OURS].rates, sides[name].rates, strict=True)]


def record(
    case: dict[str, Any], sides: dict[str, Side], absent: dict[str, str], rounds: int, seconds: float
) -> dict[str, Any]:
    """What was measured, for programs."""
    return {
        "command": ["envpool", *sys.argv[1:]],
        "date": time.strftime("%Y-%m-%d"),
        "machine": {"cpu": cpu_name(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"},
        "python": platform.python_version(),
        "case": case,
        "rounds": rounds,
        "seconds": seconds,
        "sides": {
            name: {
                "version": side.version,
                "label": label(name, side.version),
                "steps_per_s": spread(side.rates),
                "cpu_us_per_step": side.cpu_us,
                "ours_over": spread(ratios(sides, name)),
            }
            for name, side in sides.items()
        },
        "absent": absent,
    }


def cpu_name() -> str:
    """As the kernel has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if "model name" in line), platform.processor())


def spread(values: list[float]) -> dict[str, float]:
    """The median and the quartiles."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {"median": middle, "q1": low, "q3": high}


class Board:
    """The table: live in a terminal, printed once elsewhere."""

    def __init__(
        self, case: dict[str, Any], sides: dict[str, Side], absent: dict[str, str], rounds: int, quiet: bool
    ) -> None:
        from rich.live import Live

        self._case, self._sides, self._absent, self._rounds, self._quiet = case, sides, absent, rounds, quiet
        self._done = 0
        self._out = console()
        self._live = Live(self._table(), console=self._out, auto_refresh=False) if self._out.is_terminal else None

    def __enter__(self) -> Board:
        if self._live and not self._quiet:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._quiet:
            return
        if self._live:
            self._live.stop()
        elif self._done:
            self._out.print(self._table())
        for name, why in self._absent.items():
            self._out.print(f"{name}: not measured: {why}", markup=False, highlight=False, soft_wrap=True)

    def update(self, done: int) -> None:
        """Shows what is known after so many rounds."""
        self._done = done
        if self._live and not self._quiet:
            self._live.update(self._table(), refresh=True)

    def _table(self) -> Any:
        from rich import box
        from rich.table import Table

        case = self._case
        envs = f"{case['num_envs']} environments" if case["num_envs"] > 1 else "1 environment"
        threads = f"{case['num_threads']} thread{'s' if case['num_threads'] > 1 else ''}"
        title = f"{case['task']}, {envs}, {threads}: round {self._done} of {self._rounds}"
        table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column("", no_wrap=True)
        for name in ("steps/s", "quartiles", "CPU us/step", "ours is", "quartiles"):
            table.add_column(name, justify="right", no_wrap=True)
        for name, side in self._sides.items():
            title = label(name, side.version)
            if not side.turns:
                table.add_row(title, *[""] * 5)
                continue
            rate, over = spread(side.rates), spread(ratios(self._sides, name))
            # Our own row has no ratio; a process's CPU time leaves out its children's.
            cpu = "" if name == "gymnasium, processes" else f"{side.cpu_us:.3g}"
            mine = name == OURS
            table.add_row(
                title,
                f"{rate['median']:,.0f}",
                f"{rate['q1']:,.0f} - {rate['q3']:,.0f}",
                cpu,
                "" if mine else f"{over['median']:.3g}x",
                "" if mine else f"{over['q1']:.3g} - {over['q3']:.3g}",
                style="bold" if mine else "",
            )
        return table
