# SPDX-License-Identifier: Apache-2.0
"""The sections of tools/gpu_proof.py. Each yields steps: a name, and a function that returns results for JSON."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

Result = dict[str, Any]
Step = tuple[str, Callable[[], Result]]


def usable_cpus() -> int:
    """Returns how many CPUs this process may use."""
    return len(os.sched_getaffinity(0))


def end_session(session: int) -> None:
    """Kills all processes of a session, whatever process groups they have made, and at last this one if it is in it."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            # The name of the program, in parentheses, may contain spaces. The session is the fourth field after it.
            its_session, process = int(stat.read_text().rpartition(")")[2].split()[3]), int(stat.parent.name)
            if its_session == session and process != os.getpid():
                os.kill(process, signal.SIGKILL)
    if os.getsid(0) == session:
        os.kill(os.getpid(), signal.SIGKILL)
