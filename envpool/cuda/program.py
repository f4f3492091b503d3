# SPDX-License-Identifier: Apache-2.0
"""Writes the CUDA source of an environment: its header, and the kernel of core/table/kernel.h."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_MOST_THREADS = 1024  # limit for the threads of a block
_WARP = 32
_THREADS = 128  # threads of a block that steps several environments
# The same for worlds of several players. Their rows are larger, and a block has at most 40 KiB of shared memory for them
# (core/table/device_rows.h).
_WORLD_THREADS = 64

# The program that copies results into the arrays of jitted code.
RESULTS = '#include "envpool/core/table/device_results.h"\n\nENVPOOL_RESULTS_KERNEL\n'

# The program that computes the statistics of pools.
STATISTICS = '#include "envpool/core/table/device_statistics.h"\n\nENVPOOL_STATISTICS_KERNELS\n'

# The handlers of XLA put this line before a program for calls with columns of options.
TUNED = "#define ENVPOOL_TUNED\n"


class Program(NamedTuple):
    """A source, and the launch configuration of its kernel.

    Attributes:
        source: text in CUDA C++ that defines the kernels.
        threads: the number of threads in a block.
        envs: the number of environments that a block steps.
    """

    source: str
    threads: int
    envs: int


def program(
    header: str, type_name: str, players: int = 1, *, each: bool = False, macros: Sequence[str] = ()
) -> Program:
    """Returns the program of an environment, which defines the kernels of core/table/kernel.h.

    Args:
        header: the header to include, such as "envpool/classic_control/cartpole.h".
        type_name: the environment's type in C++, such as "envpool::classic_control::CartPole".
        players: the largest number of players. Each player has its own thread, unless there are more players than a
            block can have threads. Several environments of at most 32 players share a block.
        each: whether each environment of a pool has its own options.
        macros: lines that define the macros of the user's flags.
    """
    threads = team = min(-(-players // _WARP) * _WARP, _MOST_THREADS)
    if players <= _WARP:
        threads, team = _THREADS if players == 1 else _WORLD_THREADS, 1 << (players - 1).bit_length()
    own = [f"#define ENVPOOL_THREADS {threads}", *[f"#define ENVPOOL_TEAM {team}"] * (players > 1), *macros]
    if each:
        own.append("#define ENVPOOL_PARAMS_EACH")
    if os.environ.get("ENVPOOL_DEVICE_ROWS") == "direct":  # to compare the speed of both (core/table/device_rows.h)
        own.append("#define ENVPOOL_DIRECT_ROWS")
    defines = "".join(f"{line}\n" for line in own)
    return Program(
        f'{defines}#include "{header}"\n#include "envpool/core/table/kernel.h"\n\nENVPOOL_KERNEL(::{type_name})\n',
        threads,
        threads // team,
    )


def checked_program(device: Mapping[str, Any], players: int, *, each: bool = False) -> Program:
    """Returns the program of an environment, which asserts that the device has the same layout as the host.

    Args:
        device: the description of the environment's kernel (`_core.Table.device`).
        players: as in `program`.
        each: as in `program`.
    """
    macros = [*device.get("macros", ()), *["#define ENVPOOL_STATE_IN_PLACE"] * device["has_extra_bytes"]]
    result = program(device["header"], device["type"], players, each=each, macros=macros)
    sizes = ", ".join(str(device[name]) for name in ("state_at", "state_bytes", "params_bytes"))
    return result._replace(source=f"{result.source}ENVPOOL_KERNEL_LAYOUT(::{device['type']}, {sizes})\n")


def header_of(
    label: str, facts: Mapping[str, Any], source: str, include: str, flags: Sequence[str]
) -> tuple[Mapping[str, Any], list[str]]:
    """Returns the description of an environment's kernel with its header filled in, and the folders of headers.

    Args:
        label: the id, for the error.
        facts: the description of the environment's kernel (`_core.Table.device`).
        source: path of the header that was passed to `envpool.compile`, or an empty string.
        include: folder of a plugin's headers, or an empty string.
        flags: the flags that were passed to `envpool.compile`. The kernel has their macros and folders, so that it is
            the same environment as on the host. Other flags do not apply to it.

    Raises:
        ValueError: the header is not known.
    """
    if facts["header"]:
        return facts, [include] if include else []
    path = os.path.abspath(source)
    if source and os.path.isfile(path):
        macros, folders = _macros_and_folders(flags)
        return {**facts, "header": os.path.basename(path), "macros": macros}, [os.path.dirname(path), *folders]
    raise ValueError(
        f"[{label}] device: expected an environment whose header is known, so that it can be compiled for a GPU: give "
        "envpool.compile the path of the header, or, in a plugin, give envpool::table the header's name and "
        "envpool.register its folder as include="
    )


def _macros_and_folders(flags: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns lines that do what the flags -D and -U do, and the folders of the flags -I."""
    macros, folders = [], []
    rest = iter(flags)
    for flag in rest:
        kind, value = flag[:2], flag[2:]
        if kind not in ("-D", "-U", "-I"):
            continue
        value = value or next(rest, "")  # "-D", "NAME" means the same as "-DNAME"
        if kind == "-I":
            folders.append(os.path.abspath(value))
        elif kind == "-U":
            macros.append(f"#undef {value}")
        else:
            name, equals, text = value.partition("=")
            macros.append(f"#define {name} {text if equals else 1}")
    return macros, folders
