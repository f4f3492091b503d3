# SPDX-License-Identifier: Apache-2.0
"""Portable environments compiled for a GPU by NVRTC, on a machine without one."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from envpool.cuda.nvrtc import FLAGS, Compiled, load, program_path
from envpool.plugins.paths import get_include

__all__ = ["FLAGS", "SOURCE", "Compiled", "Environment", "Nvrtc", "environments"]

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")

_SOURCE = """
#include "{header}"
#include "envpool/core/device.h"

ENVPOOL_KERNEL(envpool::{family}::{name})
"""


class Environment(NamedTuple):
    """One that runs on a device: "portable", or a "world" of several agents."""

    kind: str
    family: str
    name: str
    header: str
    table: str  # what registrations call it

    @property
    def kernel(self) -> str:
        """The source of a kernel `run` that resets or steps, and observes."""
        return _SOURCE.format(header=self.header, family=self.family, name=self.name)


def environments() -> list[Environment]:
    """All that the families' plugins list, but those of the host; of those that only tests use, the world."""
    found = []
    for plugin in sorted(Path(SOURCE or "", "envpool").glob("*/plugin.cc")):
        family = plugin.parent.name
        for kind, name in re.findall(r"(\w+)_table<([\w:]+)>", plugin.read_text()):
            if kind == "host" or (family == "testing" and kind != "world"):
                continue
            name = name.split("::")[-1]
            (header,) = (h for h in plugin.parent.glob("*.h") if re.search(rf"^struct {name} ", h.read_text(), re.M))
            table = re.search(rf'^struct {name} .*?kName = "(\w+)"', header.read_text(), re.M | re.S)
            path = f"envpool/{family}/{header.name}"
            found.append(Environment(kind, family, name, path, table[1] if table else name))
    return found


class Nvrtc:
    """The compiler, with the installed headers; those of environments that only tests use are in the sources."""

    def compile(self, source: str, flags: Sequence[str]) -> Compiled:
        """Compiles for a virtual machine ("compute_80": no cubin) or a real one ("sm_80")."""
        return load().compile(source, [*flags, f"-I{get_include()}", f"-I{SOURCE}"], program_path())
