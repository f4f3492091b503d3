# SPDX-License-Identifier: Apache-2.0
"""The command `envpool`. Each subcommand has its own file; `common.py` contains the functions that they share."""

from __future__ import annotations

import os
import sys
import warnings
from typing import NoReturn

from envpool.cli.common import Failure, need
from envpool.plugins.paths import get_cmake_dir, get_include
from envpool.python.distribution import version


def main() -> NoReturn:
    """Runs the command line. For an error, prints one line to stderr and exits with a nonzero status."""
    warnings.showwarning = lambda message, *_, **__: print(f"envpool: warning: {message}", file=sys.stderr)
    answers = {"--include-dir": get_include, "--cmake-dir": get_cmake_dir, "--version": version}
    questions = sys.argv[1:]
    if sys.stdout is None:  # Python's value for an output that is closed
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  (it stays open)
    try:
        # Build systems ask these questions when optional packages may be missing.
        if questions and all(question in answers for question in questions):
            for question in questions:
                print(answers[question]())
            sys.exit(0)
        need("typer", "rich")
        from envpool.cli.app import app

        app(prog_name="envpool")
    except BrokenPipeError:  # The reader closed the pipe, as in `envpool list | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (Failure, ImportError, ValueError, TypeError, RuntimeError, MemoryError, OSError) as error:
        print(f"envpool: {error}", file=sys.stderr)
        sys.exit(1)
    sys.exit(0)
