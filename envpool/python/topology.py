# SPDX-License-Identifier: Apache-2.0
"""Assigns a pool's threads to CPUs, from the cores and NUMA nodes that Linux reports."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

SYSTEM = Path("/sys/devices/system")


class Cpu(NamedTuple):
    """One logical CPU: a core, or one of the sibling threads of a core."""

    number: int
    core: int  # the lowest CPU number among the siblings
    node: int


def read_topology(system: Path = SYSTEM) -> list[Cpu]:
    """Returns the online CPUs in ascending order.

    A CPU whose file is missing or cannot be parsed counts as a separate core of node 0.
    """
    folders = {_number(folder.name, "cpu"): folder for folder in _entries(system / "cpu")}
    known = sorted(number for number in folders if number is not None)
    online = cpu_list(_read(system / "cpu" / "online")) or known
    nodes: dict[int, int] = {}
    for folder in _entries(system / "node"):
        node = _number(folder.name, "node")
        if node is not None:
            nodes.update(dict.fromkeys(cpu_list(_read(folder / "cpulist")), node))
    cpus = []
    for number in online:
        siblings = cpu_list(_read(system / "cpu" / f"cpu{number}" / "topology" / "thread_siblings_list"))
        cpus.append(Cpu(number, siblings[0] if number in siblings else number, nodes.get(number, 0)))
    return cpus


def assign_cpus(topology: Sequence[Cpu], allowed: Collection[int], num_threads: int, near: int = -1) -> list[int]:
    """Returns the CPU of each thread, for a pool made by a thread that runs on CPU `near`.

    If the cores of one node suffice, all threads run there, preferably on the node of `near`, which holds the caller's
    memory. Otherwise the threads use all nodes, starting with the caller's. Every core is used once before any sibling
    thread, and every CPU once before any is used again.

    Args:
        topology: the result of `read_topology`. It may lack some CPUs.
        allowed: CPUs that this process may use, at least one.
        num_threads: at least 1.
        near: the CPU of the caller, or any other number if it is unknown.
    """
    known = {cpu.number: cpu for cpu in topology}
    usable = [known.get(number, Cpu(number, number, 0)) for number in sorted(allowed)]
    home = next((cpu.node for cpu in usable if cpu.number == near), usable[0].node)
    sibling_index: dict[int, int] = {}  # position of each CPU among the allowed siblings of its core
    last_index: dict[int, int] = {}
    for cpu in usable:
        sibling_index[cpu.number] = last_index[cpu.core] = last_index.get(cpu.core, -1) + 1
    in_order = sorted(usable, key=lambda cpu: (sibling_index[cpu.number], cpu.node != home, cpu.node, cpu.number))
    for node in dict.fromkeys(cpu.node for cpu in in_order):  # starts with home
        cores = [cpu.number for cpu in in_order if cpu.node == node and sibling_index[cpu.number] == 0]
        if num_threads <= len(cores):
            return cores[:num_threads]
    return [in_order[i % len(in_order)].number for i in range(num_threads)]


def thread_cpus(offset: int | str, num_threads: int) -> list[int]:
    """Returns the CPU of each thread for the option thread_affinity_offset; empty if the system chooses."""
    allowed = allowed_cpus()
    if offset == "auto":
        return assign_cpus(read_topology(), allowed, num_threads, current_cpu())
    first = int(offset)
    return [] if first < 0 else [allowed[(first + i) % len(allowed)] for i in range(num_threads)]


def allowed_cpus() -> list[int]:
    """Returns the CPUs that this process may use in ascending order; all CPUs if Python cannot tell (not on Linux)."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def current_cpu() -> int:
    """Returns the CPU that the calling thread currently runs on; -1 if it is unknown."""
    fields = _read(Path("/proc/thread-self/stat")).rpartition(")")[2].split()
    try:
        return int(fields[36])  # field 39 of proc(5), which counts from 1 and includes pid and name
    except (IndexError, ValueError):
        return -1


def cpu_list(text: str) -> list[int]:
    """Returns the numbers of a CPU list such as "0-3,8" in ascending order; empty if the text is not a valid list."""
    numbers: set[int] = set()
    for part in filter(None, text.split(",")):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or not (last.isdecimal() or not dash) or int(last or first) >= _MOST:
            return []
        numbers.update(range(int(first), int(last or first) + 1))
    return sorted(numbers)


_MOST = 1 << 16


def _number(name: str, kind: str) -> int | None:
    number = name.removeprefix(kind)
    return int(number) if name.startswith(kind) and number.isdecimal() else None


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, ValueError):  # a ValueError means bytes that are not text
        return ""
