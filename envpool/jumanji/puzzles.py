# SPDX-License-Identifier: Apache-2.0
"""Reads the puzzles of Sudoku from the package jumanji, which is never imported."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

from envpool.python.errors import MissingPackageError, missing_package

_FILES = {"mixed": "10000_mixed_puzzles.npy", "very-easy": "1000_very_easy_puzzles.npy"}
_INSTALL = "pip install --no-deps jumanji==1.1.2"


@functools.lru_cache(maxsize=2)
def read_puzzles(difficulty: str) -> bytes:
    """Returns puzzles of the installed package jumanji: 81 digits each, and 0 for an empty cell.

    Args:
        difficulty: "mixed" or "very-easy".

    Raises:
        MissingPackageError: jumanji is not installed, or has other puzzles.
    """
    import numpy as np

    package = importlib.util.find_spec("jumanji")
    if package is None or not package.submodule_search_locations:
        raise missing_package("jumanji", "the puzzles of jumanji", _INSTALL)
    folder = Path(next(iter(package.submodule_search_locations)), "environments", "logic", "sudoku", "data")
    path = folder / _FILES[difficulty]
    try:
        puzzles = np.load(path, allow_pickle=False)
        if puzzles.dtype != np.int8 or puzzles.shape[1:] != (9, 9):
            raise ValueError(f"expected puzzles of 9 x 9 int8, got {puzzles.shape} {puzzles.dtype}")
        return bytes(puzzles.tobytes())
    except (OSError, ValueError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MissingPackageError(
            f"no puzzles: {path} cannot be read: {reason}; install it with: {_INSTALL}", name="jumanji"
        ) from None
