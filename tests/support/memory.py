# SPDX-License-Identifier: Apache-2.0
"""Measures the memory of this process."""

from __future__ import annotations

from pathlib import Path


def allocated_bytes() -> int:
    """Returns the bytes of memory that this process has allocated and touched (Linux).

    Pages of files, such as shared libraries, do not count, because the system drops them when it needs memory. Pages
    that were moved to the swap space count.
    """
    lines = (line.split() for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    kilobytes = {name: int(value) for name, value, *_ in lines}
    return 1024 * (kilobytes["Anonymous:"] + kilobytes["Swap:"])
