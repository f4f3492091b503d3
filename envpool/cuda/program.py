# SPDX-License-Identifier: Apache-2.0
"""Writes the CUDA source of an environment: its header and the kernel of core/table/device.h."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_MOST_THREADS = 1024  # in a block
_WARP = 32
_THREADS = 128  # in a block that steps several environments


class Program(NamedTuple):
    """A source, and how its kernel is launched.

    Attributes:
        source: text in CUDA C++ that defines the kernel `envpool_run`.
        threads: the number of threads in a block.
        envs: the number of environments that a block steps.
    """

    source: str
    threads: int
    envs: int


def program(header: str, type_name: str, players: int = 1, *, each: bool = False) -> Program:
    """Returns the program of an environment.

    Args:
        header: the header to include, such as "envpool/classic_control/cartpole.h".
        type_name: the environment's type in C++, such as "envpool::classic_control::CartPole".
        players: the largest number of players. Each is handled by its own thread, up to the threads of a block. Worlds of
            at most 32 players share a block.
        each: whether each environment has its own options.
    """
    threads = team = min(-(-players // _WARP) * _WARP, _MOST_THREADS)
    if players <= _WARP:
        threads, team = _THREADS, 1 << (players - 1).bit_length()
    defines = [f"#define ENVPOOL_THREADS {threads}\n"]
    defines += [f"#define ENVPOOL_TEAM {team}\n"] * (players > 1)
    defines += ["#define ENVPOOL_PARAMS_EACH\n"] * each
    return Program(
        f'{"".join(defines)}#include "{header}"\n#include "envpool/core/table/device.h"\n\nENVPOOL_KERNEL({type_name})\n',
        threads,
        threads // team,
    )


def checked_program(device: Mapping[str, Any], players: int, *, each: bool = False) -> Program:
    """Returns the program of an environment, with assertions that its layout on the device is the host's.

    Args:
        device: the device facts of the environment's table (`_core.Table.device`).
        players: as in `program`.
        each: as in `program`.
    """
    made = program(device["header"], device["type"], players, each=each)
    sizes = ", ".join(str(device[name]) for name in ("state_at", "state_bytes", "params_bytes"))
    return made._replace(source=f"{made.source}ENVPOOL_KERNEL_LAYOUT({device['type']}, {sizes})\n")
