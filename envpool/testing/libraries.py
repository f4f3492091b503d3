# SPDX-License-Identifier: Apache-2.0
"""Finds the shared objects that only tests load, which ENVPOOL_TESTING=ON builds, in $ENVPOOL_TEST_LIB_DIR."""

import os
from pathlib import Path


def library(name: str) -> str:
    """Path of lib<name>.so; `ctypes.CDLL` takes it.

    Raises:
        RuntimeError: the variable does not say where to look.
    """
    folder = os.environ.get("ENVPOOL_TEST_LIB_DIR")
    if not folder:
        raise RuntimeError("ENVPOOL_TEST_LIB_DIR must name the folder of the test libraries, as `make test` sets it")
    return str(Path(folder, f"lib{name}.so"))
