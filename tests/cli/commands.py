# SPDX-License-Identifier: Apache-2.0
"""Runs commands in this process, with captured output, and in a terminal."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import select
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

from envpool.cli import main

COMMAND = [sys.executable, "-m", "envpool"]


def environment(**extra: str) -> dict[str, str]:
    """Returns the environment variables, except those for displays and colours, and `extra`."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    return {**{key: value for key, value in os.environ.items() if key not in hidden}, "TERM": "xterm", **extra}


class Result(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str, cwd: Path | None = None, **extra: str) -> Result:
    """Runs the command in this process with captured output, in the folder `cwd` and with further variables."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        for name in set(os.environ) - set(environment()):
            patch.delenv(name)
        for name, value in environment(**extra).items():
            patch.setenv(name, value)
        if cwd:
            patch.chdir(cwd)
        patch.setattr(sys, "argv", ["envpool", *arguments])
        patch.setattr(sys, "path", [*sys.path])
        with pytest.raises(SystemExit) as ended:
            main()
    return Result(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def in_terminal(
    *arguments: str, keys: bytes = b"", end: int = 0, rows: int = 40, columns: int = 100, **extra: str
) -> tuple[int, str]:
    """Runs the command under a pty, and returns its exit status and output.

    After the first frame, it types `keys`, and sends the signal `end` if that is not 0.
    """
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    before = termios.tcgetattr(theirs)
    child = subprocess.Popen(
        [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**extra)
    )
    written = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            written += os.read(ours, 65536)
            if keys and b"reward" in written:
                os.write(ours, keys)
                keys = b""
            if end and b"reward" in written:
                child.send_signal(end)
                end = 0
        elif child.poll() is not None:
            break
    status = child.wait(timeout=10)
    assert termios.tcgetattr(theirs) == before, "the terminal's settings were not restored"
    os.close(ours)
    os.close(theirs)
    return status, written.decode()
