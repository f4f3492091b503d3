# SPDX-License-Identifier: Apache-2.0
"""A program that kills a training script of examples/ while it writes a checkpoint."""

# Run as `python -c KILL_WHILE_SAVING script.py options`. The process is killed after it has written the third
# checkpoint to a temporary file, and before that file replaces the second checkpoint.
KILL_WHILE_SAVING = """
import os, runpy, signal, sys
from pathlib import Path

replace, left = Path.replace, iter(range(2))

def replace_or_die(path, target):
    if next(left, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(path, target)

Path.replace = replace_or_die
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""
