# SPDX-License-Identifier: Apache-2.0
"""Which CPUs a pool's threads run on: what Linux says of cores and NUMA nodes, and a layout made of that."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

SYSTEM = Path("/sys/devices/system")


class Cpu(NamedTuple):
    """One CPU as Linux counts them: a core, or one of the threads of a core."""

    number: int
    core: int  # the lowest CPU of its core
    node: int


def read_topology(system: Path = SYSTEM) -> list[Cpu]:
    """The CPUs that are online, in ascending order.

    Where a file is missing or makes no sense, a CPU counts as a core of its own, in node 0.
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


def layout(topology: Sequence[Cpu], allowed: Collection[int], num_threads: int, near: int = -1) -> list[int]:
    """The CPU of each thread, for a pool made by a thread that runs on CPU `near`.

    A node whose cores suffice takes all threads, preferably the node of `near`, where the maker's memory is. Else they
    go to all nodes, that one first. Cores come before the second threads of cores, which come before CPUs taken twice.

    Args:
        topology: what `read_topology` returns. It may know less than there is.
        allowed: CPUs this process may use, at least one.
        num_threads: at least 1.
        near: where the caller runs, or a number that is none of these.
    """
    known = {cpu.number: cpu for cpu in topology}
    usable = [known.get(number, Cpu(number, number, 0)) for number in sorted(allowed)]
    home = next((cpu.node for cpu in usable if cpu.number == near), usable[0].node)
    turn: dict[int, int] = {}  # the how-manieth of its core each CPU is, among those allowed
    seen: dict[int, int] = {}
    for cpu in usable:
        turn[cpu.number] = seen[cpu.core] = seen.get(cpu.core, -1) + 1
    in_order = sorted(usable, key=lambda cpu: (turn[cpu.number], cpu.node != home, cpu.node, cpu.number))
    for node in dict.fromkeys(cpu.node for cpu in in_order):  # home is the first of them
        cores = [cpu.number for cpu in in_order if cpu.node == node and turn[cpu.number] == 0]
        if num_threads <= len(cores):
            return cores[:num_threads]
    return [in_order[i % len(in_order)].number for i in range(num_threads)]


def thread_cpus(offset: int | str, num_threads: int) -> list[int]:
    """The CPU of each thread, as the option thread_affinity_offset says; none where that is the system's choice."""
    allowed = sorted(os.sched_getaffinity(0))
    if offset == "auto":
        return layout(read_topology(), allowed, num_threads, current_cpu())
    first = int(offset)
    return [] if first < 0 else [allowed[(first + i) % len(allowed)] for i in range(num_threads)]


def current_cpu() -> int:
    """The CPU that the calling thread runs on at this moment; -1 if nobody says."""
    fields = _read(Path("/proc/thread-self/stat")).rpartition(")")[2].split()
    try:
        return int(fields[36])  # proc(5) counts from 1, and name and number went before
    except (IndexError, ValueError):
        return -1


def cpu_list(text: str) -> list[int]:
    """The numbers in what the kernel writes as "0-3,8", ascending; none if it is anything else."""
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
    except (OSError, ValueError):  # a ValueError is bytes that are no text
        return ""
