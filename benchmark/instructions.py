# SPDX-License-Identifier: Apache-2.0
"""Counts instructions on x86-64 and on aarch64: ``python benchmark/instructions.py [GAME ... | loops]``.

Times in an emulator mean nothing, but instructions can be counted. The first table shows a frame of Atari. Each game runs
in qemu-user on both processors, as machine code and in the interpreter; the instructions of a run without frames are
subtracted. The states and screens of all four runs must be equal. The second table shows the parts of the package that
have SIMD code, compiled with and without it; the argument `loops` prints this table alone. The script needs Debian's
qemu-user and g++-aarch64-linux-gnu, and ale-py for the games.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "instructions"
FRAMES = 400
REPEATED = 1000  # times that a loop runs
GAMES = ("pong", "breakout", "qbert", "freeway")
COMPILERS = {"x86-64": "g++", "aarch64": "aarch64-linux-gnu-g++"}
EMULATORS = {"x86-64": ["qemu-x86_64", "-cpu", "max"], "aarch64": ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]}
FLAGS = ("-std=c++20", "-O3", "-DNDEBUG", "-Wno-psabi", "-ffp-contract=off", "-fno-tree-slp-vectorize", f"-I{ROOT}")
LOOPS = ("resize", "words", "CartPole", "Acrobot", "Pendulum")
WITHOUT_SIMD = {"x86-64": "-DENVPOOL_AVX2=0", "aarch64": "-DENVPOOL_NEON=0"}


def build() -> None:
    """Compiles the program for both processors, and the plugin that counts."""
    OUT.mkdir(parents=True, exist_ok=True)
    console = ROOT / "envpool" / "atari" / "console"
    sources = [ROOT / "benchmark" / "atari_frames.cc", *sorted(console.glob("*.cc"))]
    for processor, compiler in COMPILERS.items():
        subprocess.run([compiler, *FLAGS, *sources, "-o", OUT / processor], check=True)
        loops = [compiler, *FLAGS, ROOT / "benchmark" / "simd_loops.cc"]
        subprocess.run([*loops, "-o", OUT / f"loops-{processor}"], check=True)
        subprocess.run([*loops, WITHOUT_SIMD[processor], "-o", OUT / f"scalar-loops-{processor}"], check=True)
    plugin = ROOT / "benchmark" / "count_instructions.cc"
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", plugin, "-o", OUT / "count.so"], check=True)


def count(processor: str, program: str, *arguments: str | Path, native: bool = True) -> tuple[int, str, str]:
    """Returns the number of instructions of a run, and the two words that the program prints."""
    command = [*EMULATORS[processor], "-plugin", OUT / "count.so", "-d", "plugin", OUT / program, *arguments]
    env = os.environ | {"ENVPOOL_ATARI_NATIVE": "1" if native else "0"}
    result = subprocess.run(command, env=env, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    instructions = re.search(r"^instructions (\d+)$", result.stdout, re.MULTILINE)
    run = re.search(r"^(native|interpreted|checksum) (\w+)$", result.stdout, re.MULTILINE)
    if instructions is None or run is None:
        sys.exit(f"{program} {' '.join(map(str, arguments))} on {processor} printed:\n{result.stdout}")
    return int(instructions[1]), run[1], run[2]


def measure(processor: str, game: str, rom: Path, frames: int, native: bool) -> tuple[int, str, str]:
    """Returns the number of instructions of a run, whether the game ran as machine code, and the run's checksum."""
    return count(processor, processor, game, rom, str(frames), native=native)


def print_loops() -> None:
    """Prints a row for each part of the package that has SIMD code."""
    print("| part | x86-64 | with AVX2 | aarch64 | with NEON |\n|---|---|---|---|---|")
    for part in LOOPS:
        counts, checksums = [], set()
        for processor in COMPILERS:
            for program in (f"scalar-loops-{processor}", f"loops-{processor}"):
                before, _, _ = count(processor, program, part, "0")
                after, _, checksum = count(processor, program, part, str(REPEATED))
                counts.append((after - before) // REPEATED)
                checksums.add(checksum)
        if len(checksums) > 1:
            sys.exit(f"{part}: the runs differ: {checksums}")
        print(f"| {part} | " + " | ".join(f"{number:,}" for number in counts) + " |", flush=True)


def main(games: list[str]) -> None:
    """Prints the tables."""
    if missing := [
        name for name in (*COMPILERS.values(), *(words[0] for words in EMULATORS.values())) if not shutil.which(name)
    ]:
        sys.exit(f"not found: {', '.join(missing)}; on Debian, install qemu-user and g++-aarch64-linux-gnu")
    ale = importlib.util.find_spec("ale_py")
    if ale is None or ale.origin is None:
        sys.exit("ale-py is not installed, which contains the games")
    build()
    if games == ["loops"]:
        print_loops()
        return
    print("| game | x86-64 | aarch64 | aarch64 / x86-64 | interpreted on aarch64 |\n|---|---|---|---|---|")
    for game in games:
        rom = Path(ale.origin).parent / "roms" / f"{game}.bin"
        if not rom.exists():
            sys.exit(f"game: expected the name of a ROM of ale-py, such as pong, got {game!r}")
        counts, checksums = {}, set()
        for processor, native in (("x86-64", True), ("aarch64", True), ("aarch64", False)):
            before, _, _ = measure(processor, game, rom, 0, native)
            after, ran, checksum = measure(processor, game, rom, FRAMES, native)
            if ran != ("native" if native else "interpreted"):
                sys.exit(f"{game} on {processor}: expected {'native' if native else 'interpreted'} code, got {ran}")
            counts[processor, native] = (after - before) // FRAMES
            checksums.add(checksum)
        if len(checksums) > 1:
            sys.exit(f"{game}: the runs differ: {checksums}")
        x64, a64, interpreted = counts.values()
        print(f"| {game} | {x64:,} | {a64:,} | {a64 / x64:.2f} | {interpreted:,} |", flush=True)
    if games == list(GAMES):
        print()
        print_loops()


if __name__ == "__main__":
    main(sys.argv[1:] or list(GAMES))
