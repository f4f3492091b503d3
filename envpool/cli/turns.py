# SPDX-License-Identifier: Apache-2.0
"""Sides of a comparison that take turns: what `envpool bench` and the scripts in benchmark/ share.

A side is a process that runs `serve` of side.py. The order of sides changes every round, so that what else the machine
does falls on all alike; a ratio is the quotient within a round, and its median over rounds is what is reported.
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

SIDE_FOLDER = Path(__file__).resolve().parent  # where side.py is, for interpreters that have no package of ours


class SideEnded(RuntimeError):
    """A side's process ended by itself; the text says with what."""


class Side:
    """A process that waits for its turn.

    Attributes:
        start: its first answer: "versions" by package, "ready_s", or "error" where it could not begin.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], keep_errors: bool = False) -> None:
        """Starts it. With `keep_errors` the last line that it writes to stderr is part of its error, else is shown."""
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if keep_errors else None,
            text=True,
            env=dict(environment),
            start_new_session=True,  # Ctrl-C is for who asks; a side ends with its input
        )
        try:
            self.start = self.answer()
        except SideEnded as error:
            self.start = {"error": str(error)}
        except BaseException:  # Ctrl-C: nobody will read what it says
            self.process.kill()
            raise

    def answer(self) -> dict[str, Any]:
        """Its next answer.

        Raises:
            SideEnded: there will be none.
        """
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        said = self.process.stderr.read().strip().splitlines() if self.process.stderr else []
        raise SideEnded(said[-1] if said else f"it ended with status {self.process.wait()}")

    def turn(self, amount: float, unit: str = "seconds") -> dict[str, Any]:
        """Lets it step for so many seconds ("seconds"), so many steps, or measure single calls ("latency").

        Raises:
            SideEnded: it has ended.
        """
        assert self.process.stdin is not None
        try:
            print(unit, amount, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise SideEnded("it ended by itself") from None
        return self.answer()

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
    """The turns that sides took, and what they come to. `ours` is the name of the side whose ratios are taken."""

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
        """Lets each side have its turn in every round, and once before to warm up; then ends the sides."""
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
        """Steps a second, round by round."""
        return [turns[name]["steps"] / turns[name]["wall_s"] for turns in self.rounds]

    def cpu_times(self, name: str) -> list[float]:
        """CPU seconds of a step, round by round, of the side's own process alone."""
        return [turns[name]["cpu_s"] / turns[name]["steps"] for turns in self.rounds]

    def cpu_us(self, name: str) -> float:
        """CPU microseconds of a step."""
        return 1e6 * statistics.median(self.cpu_times(name))

    def ours_over(self, name: str) -> dict[str, float]:
        """Our rate over another side's."""
        return spread([a / b for a, b in zip(self.rates(self.ours), self.rates(name), strict=True)])

    def by_cpu(self, name: str) -> dict[str, float]:
        """The same of CPU time, which says more where others use the machine."""
        return spread([b / a for a, b in zip(self.cpu_times(self.ours), self.cpu_times(name), strict=True)])


def spread(values: Sequence[float]) -> dict[str, float]:
    """The median, the quartiles and the extremes."""
    quartiles = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [*values] * 3
    return {"median": quartiles[1], "q1": quartiles[0], "q3": quartiles[2], "low": min(values), "high": max(values)}


def cpu() -> str:
    """The processor's name, with family and model, since generations share "AMD EPYC" on rented machines."""
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
    """Where numbers were measured."""
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.machine()}",
    }
