# SPDX-License-Identifier: Apache-2.0
"""Tests the assignment of threads to CPUs, on described machines, malformed descriptions, and this machine."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import envpool
from envpool.python.topology import Cpu, assign_cpus, cpu_list, current_cpu, read_topology, thread_cpus


def machine(root: Path, nodes: list[str], siblings: list[str], online: str = "") -> Path:
    """Writes the files in which Linux lists the CPUs of each node and the sibling threads of each core."""
    for node, cpus in enumerate(nodes):
        (root / f"node/node{node}").mkdir(parents=True)
        (root / f"node/node{node}/cpulist").write_text(cpus + "\n")
    for core in siblings:
        for cpu in cpu_list(core):
            (root / f"cpu/cpu{cpu}/topology").mkdir(parents=True)
            (root / f"cpu/cpu{cpu}/topology/thread_siblings_list").write_text(core + "\n")
    (root / "cpu/online").write_text((online or f"0-{sum(len(cpu_list(core)) for core in siblings) - 1}") + "\n")
    (root / "cpu/cpufreq").mkdir()  # a folder that is not a CPU
    return root


# PLAIN has one socket of four cores. SERVER has two sockets of four cores, and sibling threads are numbered after all
# cores, as in Intel's servers. In WOVEN, sibling threads have adjacent numbers and nodes alternate, as in some of AMD's
# machines.
PLAIN = (["0-3"], ["0", "1", "2", "3"])
SERVER = (["0-3,8-11", "4-7,12-15"], [f"{core},{core + 8}" for core in range(8)])
WOVEN = (["0-1,4-5", "2-3,6-7"], ["0-1", "2-3", "4-5", "6-7"])


@pytest.mark.parametrize(
    ("kind", "allowed", "threads", "near", "expected"),
    [
        (PLAIN, "0-3", 1, 2, [0]),
        (PLAIN, "0-3", 4, 3, [0, 1, 2, 3]),
        (PLAIN, "0-3", 6, 0, [0, 1, 2, 3, 0, 1]),  # CPUs are used twice only if there are no others
        (PLAIN, "1,3", 2, 1, [1, 3]),
        (SERVER, "0-15", 4, 1, [0, 1, 2, 3]),
        (SERVER, "0-15", 4, 13, [4, 5, 6, 7]),  # the node of the caller's memory
        (SERVER, "0-15", 3, -1, [0, 1, 2]),
        (SERVER, "0-15", 6, 5, [4, 5, 6, 7, 0, 1]),  # cores of the other node before sibling threads of this one
        (SERVER, "0-15", 8, 0, [0, 1, 2, 3, 4, 5, 6, 7]),
        (SERVER, "0-15", 12, 0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        (SERVER, "8-15", 4, 15, [12, 13, 14, 15]),  # only sibling threads are allowed, which then count as cores
        (SERVER, "0,8,4-7", 3, 0, [4, 5, 6]),  # the caller's node has a single allowed core
        (SERVER, "0,8,4,12", 4, 4, [4, 0, 12, 8]),
        (WOVEN, "0-7", 2, 0, [0, 4]),
        (WOVEN, "0-7", 2, 7, [2, 6]),
        (WOVEN, "0-7", 4, 0, [0, 4, 2, 6]),
        (WOVEN, "0-7", 8, 3, [2, 6, 0, 4, 3, 7, 1, 5]),
    ],
)
def test_assign_cpus(tmp_path, kind, allowed, threads, near, expected):
    topology = read_topology(machine(tmp_path, *kind))
    assert assign_cpus(topology, cpu_list(allowed), threads, near) == expected


def test_assignments_use_few_nodes_and_many_cores(tmp_path):
    topology = read_topology(machine(tmp_path, *SERVER))
    cpu = {each.number: each for each in topology}
    for mask in range(1, 1 << 16, 97):
        allowed = [number for number in cpu if mask >> number & 1]
        cores = {cpu[number].core for number in allowed}
        most = max(len({c for c in cores if c // 4 == node}) for node in (0, 1))
        for threads in (1, 2, 3, 5, 9):
            chosen = assign_cpus(topology, allowed, threads, allowed[-1])
            assert len(chosen) == threads
            assert set(chosen) <= set(allowed)
            assert len(set(chosen)) == min(threads, len(allowed))
            assert len({cpu[number].core for number in chosen}) == min(threads, len(cores))
            if threads <= most:
                assert len({cpu[number].node for number in chosen}) == 1


def test_offline_cpus_are_ignored(tmp_path):
    root = machine(tmp_path, ["0,2", "4,6"], ["0", "2", "4", "6"], online="0,2,4,6")
    (root / "cpu/cpu1").mkdir()  # an offline CPU has a folder, and no topology
    assert read_topology(root) == [Cpu(0, 0, 0), Cpu(2, 2, 0), Cpu(4, 4, 1), Cpu(6, 6, 1)]


def test_a_node_without_cpus_is_ignored(tmp_path):
    root = machine(tmp_path, ["", "0-1"], ["0", "1"])
    assert read_topology(root) == [Cpu(0, 0, 1), Cpu(1, 1, 1)]
    assert assign_cpus(read_topology(root), [0, 1], 2) == [0, 1]


NONSENSE = ["", "what", "3-", "-1", "1-2-3", "0-99999999999", "\x00", "\udce9"]


@pytest.mark.parametrize("text", NONSENSE)
@pytest.mark.parametrize("name", ["cpu/online", "node/node1/cpulist", "cpu/cpu2/topology/thread_siblings_list"])
def test_malformed_files_affect_only_their_own_cpus(tmp_path, name, text):
    root = machine(tmp_path, ["0-1", "2-3"], ["0", "1", "2", "3"])
    (root / name).write_bytes(text.encode(errors="surrogateescape"))
    node = 0 if "node1" in name else 1
    assert read_topology(root) == [Cpu(0, 0, 0), Cpu(1, 1, 0), Cpu(2, 2, node), Cpu(3, 3, node)]


def test_without_any_file_each_cpu_is_a_core(tmp_path):
    assert read_topology(tmp_path / "none") == []
    assert assign_cpus([], {7, 3}, 3) == [3, 7, 3]


def test_cpu_list():
    assert cpu_list("0-2,8,10-11") == [0, 1, 2, 8, 10, 11]
    assert cpu_list("") == cpu_list("0-1,x") == []


# ---- this machine ----


def allowed_lists(task: str, **options: object) -> list[list[int]]:
    """Returns the CPUs on which each thread of a new pool may run."""
    before = set(os.listdir("/proc/self/task"))
    with envpool.make_gymnasium(task, **options) as env:  # type: ignore[arg-type]
        deadline = time.monotonic() + 60
        env.reset()
        while True:
            ours = sorted(map(int, set(os.listdir("/proc/self/task")) - before))
            status = [Path(f"/proc/self/task/{thread}/status").read_text() for thread in ours]
            lists = [cpu_list(text.partition("Cpus_allowed_list:")[2].split()[0]) for text in status]
            pinned = len(lists) == options["num_threads"] and all(len(cpus) == 1 for cpus in lists)
            if pinned or time.monotonic() > deadline or options["thread_affinity_offset"] == -1:
                return lists
            time.sleep(0.01)


def test_topology_of_this_machine():
    allowed = sorted(os.sched_getaffinity(0))
    topology = read_topology()
    assert set(allowed) <= {cpu.number for cpu in topology}
    assert current_cpu() in allowed
    assert set(thread_cpus("auto", len(allowed))) == set(allowed)


def test_threads_are_pinned():
    allowed = sorted(os.sched_getaffinity(0))
    n = len(allowed)
    options = {"num_envs": 4, "num_threads": 3}
    envpool.make_gymnasium("CartPole-v1").close()  # the first pool also starts threads of libraries
    for offset in (0, 1, n + 1):
        pinned = allowed_lists("CartPole-v1", thread_affinity_offset=offset, **options)
        assert pinned == [[allowed[(offset + i) % n]] for i in range(3)]
    assert allowed_lists("CartPole-v1", thread_affinity_offset=-1, **options) == [allowed] * 3
    automatic = allowed_lists("CartPole-v1", thread_affinity_offset="auto", **options)
    assert sorted(automatic) in [
        sorted([cpu] for cpu in assign_cpus(read_topology(), allowed, 3, near)) for near in allowed
    ]


def test_trajectories_do_not_depend_on_affinity():
    runs = []
    for offset in (-1, 0, "auto"):
        with envpool.make_gymnasium("CartPole-v1", num_envs=8, num_threads=2, thread_affinity_offset=offset) as env:
            assert env.config["thread_affinity_offset"] == offset
            rows = [env.reset()[0].tobytes()]
            rows += [env.step([step % 2] * 8)[0].tobytes() for step in range(30)]
            runs.append(rows)
    assert runs[0] == runs[1] == runs[2]
