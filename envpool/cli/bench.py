# SPDX-License-Identifier: Apache-2.0
"""`envpool bench`: compares the speed of an environment in envpool and in other packages.

Every package ("side") runs in its own process (bench_side.py). The sides take turns, and turns.py computes the ratios.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envpool.cli.common import Failure, check_output, console, need, parse_options, print_json, seconds_of, table
from envpool.cli.turns import SIDE_FOLDER, Side, SideEnded, Turns, machine, spread
from envpool.python.distribution import pip_install
from envpool.python.registry import find

_MOST_PROCESSES = 64
OURS = "envpool"


def bench(
    task_id: str,
    option: Sequence[str],
    *,
    num_envs: int,
    num_threads: int,
    rounds: int,
    seconds: float,
    peer_python: str,
    output: Path | None,
    as_json: bool,
    own: bool = False,
) -> None:
    """Measures and prints the results; `app.py` describes the arguments."""
    import envpool
    from envpool._core import usable_cpus

    seconds_of("--seconds", seconds)
    if output is not None:
        need("PIL")
        check_output(output, ".png")
    options = parse_options(option)
    envpool.make_spec(task_id, **options)  # This reports bad options before any process starts.
    case = {
        "task": task_id,
        "num_envs": num_envs,
        "num_threads": num_threads or min(usable_cpus(), num_envs),
        "options": options,
        "atari": find(task_id).family == "atari",
    }
    if own:  # A side is another process, in which the id is not registered.
        registration = find(task_id)
        case["plugin"] = [registration.task_id, registration.plugin, registration.table, registration.max_episode_steps]
        options.update({name: value for name, value in registration.defaults.items() if name not in options})
    sides, absent = start(case, peer_of(peer_python))
    turns = Turns(sides, OURS)
    with ResultTable(case, turns, absent, rounds, quiet=as_json) as table:
        try:
            turns.run(rounds, lambda side: side.turn(seconds), lambda side: side.turn(min(seconds, 0.2)), table.update)
        except SideEnded as error:
            raise Failure(f"a side of the comparison ended: {error}") from None
    result = record(case, turns, absent, rounds, seconds)
    if as_json:
        print_json(result)
    if output is not None:
        from envpool.cli.chart import draw

        draw(result, output)
        print(f"{output}: the chart", file=sys.stderr)


def peer_of(path: str) -> str:
    """Returns the interpreter with the released EnvPool, or "". Raises Failure if the program does not exist."""
    python = path or os.environ.get("ENVPOOL_PEER_PYTHON", "")
    if python and shutil.which(python) is None:
        raise Failure(f"--peer-python: there is no program {python!r}")
    return python


def side_of(python: str, case: dict[str, Any]) -> Side:
    """Starts a process that makes the environments of a case and waits for its turns."""
    environment = dict(os.environ)
    if python != sys.executable:
        environment = {key: value for key, value in environment.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    script = str(SIDE_FOLDER / "bench_side.py")
    return Side([python, "-W", "ignore", script, json.dumps(case)], environment, keep_errors=True)


def start(case: dict[str, Any], peer: str) -> tuple[dict[str, Side], dict[str, str]]:
    """Starts the sides that are available. Returns them, and the reason why each other side is not available.

    Raises Failure if our own side cannot start.
    """
    ours = side_of(sys.executable, {**case, "side": "pool"})
    if error := ours.start.get("error", ""):
        ours.close()
        raise Failure(error.partition(": ")[2] or error)
    sides, absent = {OURS: ours}, {}
    plain = {**case, "options": {}}  # The options are envpool's. The other packages run with their defaults.
    wanted = {"EnvPool": (peer, "pool", "give its interpreter with --peer-python")}
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
        side = side_of(python, {**(case if kind == "pool" else plain), "side": kind})
        if "error" in side.start:
            absent[name] = side.start["error"]
            side.close()
        else:
            sides[name] = side
    return sides, absent


def label(name: str, side: Side) -> str:
    """Returns the name of a side with the version of its package."""
    package, comma, rest = name.partition(",")
    versions = side.start["versions"]
    return f"{package} {versions.get(package.lower()) or ''}{comma}{rest}"


def record(case: dict[str, Any], turns: Turns, absent: dict[str, str], rounds: int, seconds: float) -> dict[str, Any]:
    """Returns the results for JSON output."""
    return {
        "command": ["envpool", *sys.argv[1:]],
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "python": platform.python_version(),
        "case": case,
        "rounds": rounds,
        "seconds": seconds,
        "sides": {
            name: {
                "version": side.start["versions"].get(name.partition(",")[0].lower()),
                "label": label(name, side),
                "steps_per_s": spread(turns.rates(name)),
                "cpu_us_per_step": turns.cpu_us(name),
                "ours_over": turns.ours_over(name),
            }
            for name, side in turns.sides.items()
        },
        "absent": absent,
    }


class ResultTable:
    """The table of results, updated live in a terminal and printed once elsewhere."""

    def __init__(self, case: dict[str, Any], turns: Turns, absent: dict[str, str], rounds: int, *, quiet: bool) -> None:
        from rich.live import Live

        self._case, self._turns, self._absent, self._rounds, self._quiet = case, turns, absent, rounds, quiet
        self._out = console()
        self._live = Live(self._table(), console=self._out, auto_refresh=False) if self._out.is_terminal else None

    def __enter__(self) -> ResultTable:
        if self._live and not self._quiet:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._quiet:
            return
        if self._live:
            self._live.stop()
        elif self._turns.rounds:
            self._out.print(self._table())
        for name, why in self._absent.items():
            self._out.print(f"{name}: not measured: {why}", markup=False, highlight=False, soft_wrap=True)

    def update(self) -> None:
        """Updates the table after a round."""
        if self._live and not self._quiet:
            self._live.update(self._table(), refresh=True)

    def _table(self) -> Any:
        case = self._case
        envs = f"{case['num_envs']} environments" if case["num_envs"] > 1 else "1 environment"
        threads = f"{case['num_threads']} thread{'s' if case['num_threads'] > 1 else ''}"
        turns = self._turns
        title = f"{case['task']}, {envs}, {threads}: round {len(turns.rounds)} of {self._rounds}"
        rows = []
        for name, side in turns.sides.items():
            if not turns.rounds:
                rows.append([label(name, side), *[""] * 5])
                continue
            rate, over = spread(turns.rates(name)), turns.ours_over(name)
            # The CPU time of a process excludes its children, so it would leave out gymnasium's worker processes.
            cpu = "" if name == "gymnasium, processes" else f"{turns.cpu_us(name):.3g}"
            mine = name == OURS
            rows.append(
                [
                    label(name, side),
                    f"{rate['median']:,.0f}",
                    f"{rate['q1']:,.0f} - {rate['q3']:,.0f}",
                    cpu,
                    "" if mine else f"{over['median']:.3g}x",
                    "" if mine else f"{over['q1']:.3g} - {over['q3']:.3g}",
                ]
            )
        titles = ("", "steps/s", "quartiles", "CPU us/step", "ours is", "quartiles")
        least = (20, None, None, None, None, None)
        ours = [number for number, name in enumerate(turns.sides) if name == OURS]
        return table(self._out.width, titles, rows, least, title=title, numbers=True, bold=ours)
