# SPDX-License-Identifier: Apache-2.0
"""The results of tools/gpu_proof.py: a file of JSON lines, to which several processes append, and later visits too.

Each line names its section, step, GPU, version of the package, and run. Of several results of a step on the same GPU,
the last one counts.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable
from pathlib import Path

from tests.proof import Result

STAND_IN = "stand-in"  # what a result names in place of a GPU


def append(path: Path, result: Result) -> None:
    """Adds a line. If a process was killed while it wrote the last line, that line stays incomplete and is ignored."""
    with path.open("ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps(result).encode() + b"\n")


def read(path: Path) -> list[Result]:
    """Returns the complete lines of a file, which need not exist."""
    results = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            results.append(json.loads(line))
        except ValueError:
            continue
    return results


def latest(lines: Iterable[Result], card: str) -> dict[str, list[Result]]:
    """Returns the last result of each step on a GPU, by section, in the order in which the steps were first run."""
    steps_of: dict[str, dict[str, Result]] = {}
    for line in lines:
        if line.get("card") == card and "name" in line:
            steps_of.setdefault(line["section"], {})[line["name"]] = line
    return {section: list(steps.values()) for section, steps in steps_of.items()}


def cards(lines: Iterable[Result]) -> list[str]:
    """Returns the names of the GPUs that results are from."""
    return list(dict.fromkeys(line["card"] for line in lines if "card" in line))


def is_bad(result: Result) -> bool:
    """Returns whether a result reports a failure."""
    return bool("error" in result or result.get("different")) or not (
        result.get("equal", True) and result.get("same_memory", True)
    )


def is_done(result: Result, run: str, repeated: bool) -> bool:
    """Returns whether a step with this result is not run again.

    Failures and skipped steps of earlier runs are tried again, and a step that was stopped for lack of time always is.

    Args:
        result: the step's last result.
        run: the current run.
        repeated: whether results of earlier runs do not count.
    """
    if "out_of_time" in result:
        return False
    return bool(result["run"] == run) or not (repeated or is_bad(result) or "skipped" in result)
