# SPDX-License-Identifier: Apache-2.0
"""Inspects the machine code of kernels: fused multiply-adds, registers, stack and size.

    python -m tests.cuda.machine_code FILE

writes kernel_budgets.csv (`make generated`). Existing budgets stay. An environment without a budget gets one somewhat
above its current use.
"""

from __future__ import annotations

import collections
import csv
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.cuda.nvrtc import FLAGS, Compiled, PortableEnvironment, compile_source, environments

BUDGETS = Path(__file__).with_name("kernel_budgets.csv")
ARCHITECTURES = ("sm_80", "sm_90")
SLOW = {"AtariEnv", "AleEnv", "MultiplayerEnv"}  # the kernels that take ten to twenty seconds to compile

_FUNCTION = re.compile(r"([$\w][$\w.]*):$")
_INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?(?P<operation>[A-Z][A-Z0-9_]*)(?P<rest>[^;]*);")
# Routines that NVRTC adds for unusual operands.
_NVIDIAS_OWN = re.compile(r"\$__internal_\d+_\$__cuda_sm\w+?_(div|rcp|dblrcp|sqrt|dsqrt|rem)_\w+$")
# Each division or square root contains one of these instructions, and this many fused operations to round the result.
_SEQUENCES = {
    "FCHK": {"FFMA": 5},  # f32 / f32
    "0x1800000": {"FFMA": 2},  # 1 / f32, which adds this constant to the divisor to find out whether it is unusual
    "MUFU.RSQ": {"FFMA": 2},  # sqrt(f32)
    "MUFU.RCP64H": {"DFMA": 7, "FFMA": 1},  # f64 / f64
    "0x300402": {"DFMA": -2, "FFMA": -1},  # 1 / f64, which adds this constant, needs fewer than a division
    "MUFU.RSQ64H": {"DFMA": 5},  # sqrt(f64)
}
_CONSTANT = re.compile(r"\S* R\d+, -RZ, RZ, [^,R]+, [^,R]+$")  # an HFMA2 that loads a constant into a register


class Use(NamedTuple):
    """The resources of a kernel: registers and bytes of stack per thread, and bytes of machine code."""

    registers: int
    stack: int
    cubin: int


def compile_for(environment: PortableEnvironment, architecture: str) -> Compiled:
    """Compiles the kernel of an environment, with the log that `use_of` reads."""
    return compile_with_log(environment.kernel, architecture)


def compile_with_log(source: str, architecture: str) -> Compiled:
    """Compiles a source with the log that `use_of` reads."""
    return compile_source(source, [f"--gpu-architecture={architecture}", *FLAGS, "--ptxas-options=-v"])


def use_of(compiled: Compiled) -> Use:
    """Reads from the assembler's log what the kernel of a module needs that needs most."""
    registers = re.findall(r"Used (\d+) registers", compiled.log)
    assert registers, f"no registers in:\n{compiled.log}"
    stack = re.findall(r"(\d+) bytes cumulative stack size", compiled.log)
    return Use(max(map(int, registers)), max(map(int, stack), default=0), len(compiled.cubin))


def budgets() -> dict[str, Use]:
    """Returns the budget of each environment, by family and name."""
    with BUDGETS.open(newline="") as file:
        return {row[0]: Use(*map(int, row[1:])) for row in list(csv.reader(file))[1:]}


def tuned_budget(budget: Use, params_bytes: int) -> Use:
    """Returns the budget of the kernel for columns of options, given that of the other one.

    Each thread has its own parameters, of `params_bytes` bytes, on the stack, and reads them from the columns twice: for
    the step and for the next episode.
    """
    return Use(min(budget.registers + 16, 255), budget.stack + params_bytes + 192, budget.cubin * 9 // 8 + 32 * 1024)


def over_budget(name: str, use: Use, budget: Use) -> list[str]:
    """Returns a sentence for each resource that exceeds its budget."""
    return [
        f"{name}: {what} is {got}, and the budget in {BUDGETS.name} is {most}"
        for what, got, most in zip(Use._fields, use, budget, strict=True)
        if got > most
    ]


def disassembler() -> str | None:
    """Returns the path of nvdisasm, from the wheel nvidia-cuda-nvdisasm or a CUDA toolkit."""
    spec = importlib.util.find_spec("nvidia")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = [str(path) for folder in folders for path in sorted(Path(folder).glob("*/bin/nvdisasm"))]
    return found[0] if found else shutil.which("nvdisasm")


def disassemble(cubin: bytes) -> str:
    """Returns machine code as text."""
    program = disassembler()
    assert program, "nvdisasm is missing: pip install nvidia-cuda-nvdisasm"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        return subprocess.run([program, "-c", "-ndf", file.name], capture_output=True, text=True, check=True).stdout


def fused(listing: str) -> list[str]:
    """Returns a sentence for each function of a listing with fused multiply-adds outside divisions and square roots.

    Divisions and roots are counted by the instruction that each contains. The number of fused operations must be
    exactly the number that they need, so that an additional one cannot go unnoticed.
    """
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    function, problems = "", []
    for line in listing.splitlines():
        if match := _FUNCTION.match(line):
            function = match[1]
        elif match := _INSTRUCTION.match(line):
            operation, rest = match["operation"], match["rest"].rstrip()
            if operation == "MUFU":
                operation += "." + rest.split()[0].removeprefix(".")
            elif operation in ("IADD3", "VIADD") and (constant := re.search(r"\b0x(1800000|300402)\b", rest)):
                operation = constant[0]
            if operation.startswith("HFMA2") and not _CONSTANT.match(rest):
                problems.append(f"{function}: {operation}{rest}")
            counts[function][operation] += 1
    if not counts:
        return ["the listing contains no instruction"]
    for function, count in counts.items():
        if _NVIDIAS_OWN.match(function):
            continue
        wanted: collections.Counter[str] = collections.Counter()
        for begin, needs in _SEQUENCES.items():
            wanted.update({operation: number * count[begin] for operation, number in needs.items()})
        got = {operation: number for operation, number in count.items() if re.match(r"[FD]FMA", operation)}
        for operation in sorted(got.keys() | wanted.keys()):
            if got.get(operation, 0) != wanted[operation]:
                problems.append(
                    f"{function}: {got.get(operation, 0)} {operation}, but divisions and roots need {wanted[operation]}"
                )
    return problems


def main() -> None:
    """Writes the existing budgets, and budgets for new environments."""
    known, rows = budgets(), []
    for environment in environments():
        name = f"{environment.family}/{environment.name}"
        rows.append((name, *(known.get(name) or budget_of(environment))))
    with open(sys.argv[1], "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("environment", *Use._fields), *rows])


def budget_of(environment: PortableEnvironment) -> Use:
    """Returns a budget that is an eighth above an environment's largest use on any architecture, rounded up."""

    def room(values: tuple[int, ...], step: int) -> int:
        return -(-max(values) * 9 // 8 // step) * step

    registers, stack, cubin = zip(*(use_of(compile_for(environment, it)) for it in ARCHITECTURES), strict=True)
    return Use(min(room(registers, 8), 255), room(stack, 16), room(cubin, 1024))


if __name__ == "__main__":
    main()
