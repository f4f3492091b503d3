# SPDX-License-Identifier: Apache-2.0
"""Counts what threads cost a pool, with more threads than this machine has CPUs: ``python benchmark/pool_costs.py``.

Times on a machine with few cores do not show what threads of many cores would do to each other, but two things can be
counted (pool_loop.cc, cache_lines.cc):

    transfers   of cache lines between threads per step, if each thread had a core of its own; --places prints the lines
                of the program that cause most of them
    sleeps      of threads per batch, with a caller that calls at once, or computes for 300 us between batches

The CPU time per step shows what waking and spinning threads cost here. --source compares with another version of the
pool: the root of a tree with its headers.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "pool_costs"
FLAGS = ("-std=c++20", "-g1", "-ffp-contract=off", "-fno-tree-slp-vectorize", "-Wno-psabi")
TRACED = ("-O2", "-DENVPOOL_TRACE_LINES")
THREADS = (1, 2, 4, 8, 16)
# The environments of a synchronous pool per thread, and the batches of a run with one thread.
ENVIRONMENTS = {"cartpole": (512, 1000), "slow": (4, 100)}


def build(source: Path) -> None:
    """Compiles the program, and the program that counts transfers."""
    OUT.mkdir(parents=True, exist_ok=True)
    benchmark = ROOT / "benchmark"
    compiler = ["c++", *FLAGS, f"-I{source}", f"-I{ROOT}"]
    subprocess.run([*compiler, "-O3", benchmark / "pool_loop.cc", "-o", OUT / "loop", "-pthread"], check=True)
    traced, runtime = OUT / "traced.o", OUT / "lines.o"
    subprocess.run(
        [*compiler, *TRACED, "-fsanitize=thread", "-c", benchmark / "pool_loop.cc", "-o", traced], check=True
    )
    subprocess.run([*compiler, *TRACED, "-c", benchmark / "cache_lines.cc", "-o", runtime], check=True)
    wraps = [f"-Wl,--wrap={name}" for name in ("memcpy", "memmove", "memset")]
    subprocess.run(["c++", traced, runtime, "-o", OUT / "traced", "-pthread", "-ldl", *wraps], check=True)


def run(program: str, name: str, mode: str, threads: int, batches: int, pause_us: int) -> str:
    num_envs = ENVIRONMENTS[name][0] * threads * (2 if mode == "async" else 1)
    rows = num_envs // 2 if mode == "async" else num_envs
    numbers = map(str, (threads, num_envs, rows, batches, pause_us))
    return subprocess.run([OUT / program, name, mode, *numbers], check=True, text=True, capture_output=True).stdout


def words(output: str, first: str) -> list[str]:
    """Returns the words of the line that begins with `first`, without this word."""
    found = re.search(rf"^{first} (.*)$", output, re.MULTILINE)
    if found is None:
        sys.exit(f"pool_costs: no line {first!r} in {output!r}")
    return found[1].split()


def places(output: str, count: int) -> list[str]:
    """Returns the lines of the program that cause most transfers, each with the functions into which it is inlined."""
    found = re.findall(r"^place (\w+) (\S+) (\S+) (\S+)$", output, re.MULTILINE)
    found.sort(key=lambda place: -sum(map(float, place[1:])))
    lines = []
    for address, *numbers in found[:count]:
        command = ["addr2line", "-i", "-s", "-e", str(OUT / "traced"), f"0x{address}"]
        names = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
        lines.append(f"    {' '.join(f'{float(number):10.1f}' for number in numbers)}  {' in '.join(names[:4])}")
    return lines


def main() -> None:
    """Prints a row for each number of threads and kind of pool."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=ROOT, help="the root of a tree with the pool's headers")
    parser.add_argument("--places", type=int, default=0, help="lines of the program to print for each row")
    arguments = parser.parse_args()
    build(arguments.source.resolve())
    print("| pool, threads | moved | shared | false | CPU ns per step | sleeps | after a pause: CPU ns | sleeps |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name, (_, batches) in ENVIRONMENTS.items():
        for mode in ("sync", "async"):
            for threads in THREADS:
                traced = run("traced", name, mode, threads, 6 if name == "cartpole" else 2, 0)
                moved, shared, false, _ = words(traced, "transfers")
                cells = [f"{float(number):.2f}" for number in (moved, shared, false)]
                for pause_us in (0, 300):
                    cost, sleeps, _ = words(
                        run("loop", name, mode, threads, max(batches // threads, 20), pause_us), "cost"
                    )
                    cells += [f"{float(cost):,.1f}", f"{float(sleeps):.1f}"]
                print(f"| {name} {mode}, {threads} | {' | '.join(cells)} |", flush=True)
                print("".join(f"{line}\n" for line in places(traced, arguments.places)), end="", flush=True)


if __name__ == "__main__":
    main()
