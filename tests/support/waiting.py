# SPDX-License-Identifier: Apache-2.0
"""Waits for conditions, and limits on times, that suit a busy machine too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def promptly(cpu_seconds: float = 1) -> Iterator[None]:
    """Checks that a `with` statement neither computes nor waits for long.

    The limit of the elapsed time allows for a machine that is very busy.
    """
    cpu, elapsed = time.process_time(), time.monotonic()
    yield
    assert time.process_time() - cpu < cpu_seconds
    assert time.monotonic() - elapsed < 20 * cpu_seconds


def until(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Waits until a condition is true, which it should be soon. The limit allows for a machine that is very busy."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"it is not true after {seconds} seconds that {what}")
        time.sleep(0.002)


def wait_until_blocked(pid: int, thread: int | None = None) -> None:
    """Waits until a thread (the main thread if None) of a process waits for something, such as a lock.

    A thread that could run, but that the machine has not given a CPU yet, does not count.
    """
    stat = Path(f"/proc/{pid}/task/{thread or pid}/stat")

    def sleeps() -> bool:
        return stat.read_text().rpartition(")")[2].split()[0] == "S"

    def blocked() -> bool:
        for _ in range(5):  # a thread may also sleep for a moment, for example when it waits for the interpreter lock
            if not sleeps():
                return False
            time.sleep(0.01)
        return True

    until(blocked, f"process {pid} waits")
