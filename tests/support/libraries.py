# SPDX-License-Identifier: Apache-2.0
"""Finds the test libraries, which ENVPOOL_TESTING=ON builds, in the folder $ENVPOOL_TEST_LIB_DIR."""

import os
from pathlib import Path


def library(name: str) -> str:
    """Returns the path of lib<name>.so.

    Raises:
        RuntimeError: the variable is not set.
    """
    folder = os.environ.get("ENVPOOL_TEST_LIB_DIR")
    if not folder:
        raise RuntimeError(
            "ENVPOOL_TEST_LIB_DIR: expected the folder of the test libraries, which `make test` sets, got nothing"
        )
    return str(Path(folder, f"lib{name}.so"))
