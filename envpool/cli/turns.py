# SPDX-License-Identifier: Apache-2.0
"""Interleaved benchmarks: the sides of a comparison take turns. `envpool bench` and the scripts in benchmark/ use this.

A side is a process that runs `serve` of side.py. The order of the sides alternates between rounds, so that other load
on the machine affects all sides equally. Ratios are computed within a round; the median over rounds is reported.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

SIDE_FOLDER = Path(__file__).resolve().parent  # the folder of side.py, for interpreters without this package


class SideEnded(RuntimeError):
    """The process of a side ended unexpectedly. The text has its last error."""


class Side:
    """A process that waits for its turns.

    Attributes:
        start: the first response of the process: "versions" by package and "ready_s", or "error" if it could not start.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], *, keep_errors: bool = False) -> None:
        """Starts the process. With `keep_errors`, stderr is captured and its last line is part of the error."""
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if keep_errors else None,
            text=True,
            env=dict(environment),
            start_new_session=True,  # Ctrl-C reaches only the parent. A side ends when its input is closed.
        )
        try:
            self.start = self.read_response()
        except SideEnded as error:
            self.start = {"error": str(error)}
        except BaseException:  # This includes KeyboardInterrupt.
            self.process.kill()
            raise

    def read_response(self) -> dict[str, Any]:
        """Returns the next response.

        Raises:
            SideEnded: the process has ended without a response.
        """
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if line:
            response: dict[str, Any] = json.loads(line)
            return response
        errors = self.process.stderr.read().strip().splitlines() if self.process.stderr else []
        raise SideEnded(errors[-1] if errors else f"it ended with status {self.process.wait()}")

    def turn(self, amount: float, unit: str = "seconds") -> dict[str, Any]:
        """Requests a turn of `amount` seconds ("seconds"), steps ("steps"), or seconds of single calls ("latency").

        Raises:
            SideEnded: the process has ended.
        """
        assert self.process.stdin is not None
        try:
            print(unit, amount, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise SideEnded("it ended unexpectedly") from None
        return self.read_response()

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            self.process.wait(5)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


class Turns:
    """The turns of all sides, and their statistics. `ours` names the side that is compared with the others."""

    def __init__(self, sides: Mapping[str, Any], ours: str = "ours") -> None:
        self.sides, self.ours = sides, ours
        self.rounds: list[dict[str, dict[str, Any]]] = []

    def run(
        self,
        rounds: int,
        turn: Callable[[Any], dict[str, Any]],
        warm_up: Callable[[Any], object] | None = None,
        after_round: Callable[[], object] = lambda: None,
    ) -> None:
        """Gives each side a warm-up turn and one turn per round, then ends the sides."""
        try:
            for number in range(-1, rounds):
                order = list(self.sides) if number % 2 else list(reversed(list(self.sides)))
                if number < 0:
                    for name in order:
                        (warm_up or turn)(self.sides[name])
                else:
                    self.rounds.append({name: turn(self.sides[name]) for name in order})
                after_round()
        finally:
            for side in self.sides.values():
                side.close()

    def rates(self, name: str) -> list[float]:
        """Returns steps per second by round."""
        return [turns[name]["steps"] / turns[name]["wall_s"] for turns in self.rounds]

    def cpu_times(self, name: str) -> list[float]:
        """Returns CPU seconds per step by round. They do not include child processes of the side."""
        return [turns[name]["cpu_s"] / turns[name]["steps"] for turns in self.rounds]

    def cpu_us(self, name: str) -> float:
        """Returns the median of CPU microseconds per step."""
        return 1e6 * statistics.median(self.cpu_times(name))

    def ours_over(self, name: str) -> dict[str, float]:
        """Returns the ratio of our rate to another side's rate."""
        return spread([a / b for a, b in zip(self.rates(self.ours), self.rates(name), strict=True)])

    def by_cpu(self, name: str) -> dict[str, float]:
        """Returns the ratio of another side's CPU time to ours, which other load on the machine affects less."""
        return spread([b / a for a, b in zip(self.cpu_times(self.ours), self.cpu_times(name), strict=True)])


def spread(values: Sequence[float]) -> dict[str, float]:
    """Returns the median, the quartiles and the extremes."""
    quartiles = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [*values] * 3
    return {"median": quartiles[1], "q1": quartiles[0], "q3": quartiles[2], "low": min(values), "high": max(values)}


def cpu() -> str:
    """Returns the processor's name, family and model. On cloud machines, several generations have the same name."""
    facts: dict[str, str] = {}
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].split("\n")
    except OSError:
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        facts[key.strip()] = value.strip()
    name = facts.get("model name") or platform.processor()
    return ", ".join([name, *(f"{key} {facts[key]}" for key in ("cpu family", "model") if key in facts)])


def machine() -> dict[str, Any]:
    """Returns a description of the machine."""
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.machine()}",
    }
