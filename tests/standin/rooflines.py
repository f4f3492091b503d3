# SPDX-License-Identifier: Apache-2.0
"""Computes how many steps per second a GPU could reach at most, from the work of kernels and the cards' specifications.

    python -m tests.standin.rooflines kernel_work.csv docs/gpu.md       (make generated)

The work of a step is counted on the stand-in for NVIDIA's driver: a counter is added to every basic block of a kernel's
PTX, and pools take random actions. Existing rows of kernel_work.csv stay; delete a row to count its work again. The
table of docs/gpu.md, which follows the line `<!-- made by make generated: rooflines -->`, is computed from these rows,
the layouts of the environments and the specifications of the cards.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import envpool
from envpool import _core
from envpool.cuda import cache
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.python.spaces import ArraySpecs
from tests.cuda.device_comparison import random_actions
from tests.proof.page import readable

WORK = Path(__file__).with_name("kernel_work.csv")


class Sample(NamedTuple):
    """An environment that represents its family, and the length of the run in which its work is counted.

    Attributes:
        task_id: its id.
        num_envs: how many environments are stepped. 32 environments with one player each share a warp.
        steps: how often each environment is stepped.
    """

    task_id: str
    num_envs: int = 64
    steps: int = 200


SAMPLES = (
    Sample("CartPole-v1"),
    Sample("Acrobot-v1", steps=60),
    Sample("FrozenLake-v1"),
    Sample("Taxi-v3"),
    Sample("Breakout-MinAtar"),
    Sample("Seaquest-MinAtar"),
    Sample("MiniGrid-DoorKey-5x5-v0", steps=60),
    Sample("LunarLander-v3", steps=20),
    Sample("Catch-bsuite"),
    Sample("DeepSea-bsuite"),
    Sample("FourRooms-misc"),
    Sample("Reacher-misc"),
    Sample("TagGridWorld-v0", 8, 60),
    Sample("TagContinuous-v0", 8, 60),
    Sample("Pong-v5", 32, 8),
    Sample("Breakout-v5", 32, 8),
)


class Card(NamedTuple):
    """The specification of a GPU.

    Attributes:
        name: its name.
        device: the part of the driver's name for it that tells it from slower versions.
        bytes_per_second: bandwidth of its memory.
        multiprocessors: number of multiprocessors. In each cycle, each of them issues one instruction for each of four
            warps.
        hertz: the boost clock.
        f64_lanes: results of f64 arithmetic per multiprocessor and cycle.
    """

    name: str
    device: str
    bytes_per_second: float
    multiprocessors: int
    hertz: float
    f64_lanes: int


# H200 and H100: NVIDIA's data sheets for the H200 and H100 Tensor Core GPUs (SXM: 4.8 and 3.35 TB/s; both 34 TFLOPS of
# f64, 67 of f32), and the H100 Tensor Core GPU Architecture whitepaper for the multiprocessor. At the clock in CARDS, 132
# multiprocessors reach 67 TFLOPS of f32.
# RTX 4090: NVIDIA Ada GPU Architecture whitepaper. RTX 5090: NVIDIA RTX Blackwell GPU Architecture whitepaper.
CARDS = (
    Card("H200", "H200", 4.8e12, 132, 1.98e9, 64),
    Card("H100", "H100 80GB HBM3", 3.35e12, 132, 1.98e9, 64),
    Card("RTX 4090", "RTX 4090", 1.008e12, 128, 2.52e9, 2),
    Card("RTX 5090", "RTX 5090", 1.792e12, 170, 2.407e9, 2),
)
SCHEDULERS = 4  # warp schedulers per multiprocessor, on all of these cards
LANES = 32
WARM_UP = 100  # steps of each environment before its work is counted
SECTOR = 32  # bytes
# These numbers are assumed, not specified: the sectors that a multiprocessor exchanges with the second cache per cycle,
# the seconds between launches in a stream that is never empty, and the cycles between an instruction and the next one of
# the same warp that needs its result.
SECTORS_PER_CYCLE = 2
LAUNCH = 4e-6
DEPENDENT = 4


# --- counting ---


class Block(NamedTuple):
    """The number of instructions in a basic block, and how many of them are f64 arithmetic."""

    instructions: int
    f64: int


_LABEL = re.compile(r"[\w$]+:$")
_DIRECTIVE = re.compile(r"\.|$")
_INSTRUCTION = re.compile(r"(?:@!?%\w+\s+)?(?P<operation>[a-z]\w*)(?P<modifiers>(?:\.[\w:]+)*)\s*(?P<rest>.*)")
_LEAVES = ("bra", "brx", "ret", "exit", "trap")
# These instructions cost nothing: moves only rename registers, and parameters of the kernel are read as constant
# operands of other instructions.
_FREE = re.compile(r"mov\.|cvta\.|ld\.param|st\.param")
# Each of these operations becomes a sequence of machine instructions. The first number is the length of the sequence,
# which was read from machine code for compute capability 9.0. The second is how many of these instructions are f64
# arithmetic, and agrees with machine_code.py.
_SEQUENCES = {
    "div.rn.f32": (9, 0),
    "sqrt.rn.f32": (8, 0),
    "div.rn.f64": (14, 9),
    "sqrt.rn.f64": (13, 7),
}
_F64 = re.compile(r"(add|sub|mul|fma|div|sqrt|rcp|min|max|setp|cvt)\.")


def cost_of(instruction: str) -> Block:
    """Returns how many machine instructions one PTX instruction counts as."""
    match = _INSTRUCTION.match(instruction)
    assert match, instruction
    name = match["operation"] + match["modifiers"]
    if _FREE.match(name):
        return Block(0, 0)
    if name in _SEQUENCES:
        return Block(*_SEQUENCES[name])
    return Block(1, int(".f64" in name and _F64.match(name) is not None))


def with_counters(ptx: str, base: int) -> tuple[str, list[Block]]:
    """Returns PTX in which each thread counts how often it runs each basic block, and returns the blocks.

    Args:
        ptx: a module.
        base: device address of the counters, one u32 for each block of each thread, threads in the order of the grid.
    """
    blocks: list[list[str]] = []
    lines: list[str] = []
    stride = ptx.count("\n") * 4  # there are fewer blocks than lines
    inside, body, fresh, statement = False, False, False, ""
    for line in re.sub(r"//[^\n]*", "", ptx).splitlines():
        text = line.strip()
        if not inside:
            lines.append(line)
            inside = text == "{"
            body = False
            if inside:
                lines.append("\t.reg .b32 %count_a, %count_b, %count_c;\n\t.reg .b64 %counters;")
            continue
        if text == "}" and line == "}":  # the end of a function; the closing brace of a call is indented
            inside = False
            lines.append(line)
            continue
        if not statement and (_DIRECTIVE.match(text) or text in "{}"):
            lines.append(line)
            continue
        if not body:
            lines += [
                "\tmov.u32 %count_a, %ctaid.x;",
                "\tmov.u32 %count_b, %ntid.x;",
                "\tmov.u32 %count_c, %tid.x;",
                "\tmad.lo.s32 %count_a, %count_a, %count_b, %count_c;",
                f"\tmul.wide.u32 %counters, %count_a, {stride};",
                f"\tadd.s64 %counters, %counters, {base};",
            ]
            body = fresh = True
        if not statement and _LABEL.match(text):
            lines.append(line)
            fresh = True
            continue
        if not statement and ".branchtargets" in text:
            lines.append(line)
            continue
        if fresh:
            lines.append(f"\tred.global.add.u32 [%counters+{4 * len(blocks)}], 1;")
            blocks.append([])
            fresh = False
        lines.append(line)
        statement = f"{statement} {text}".strip()
        if statement.endswith(";"):
            blocks[-1].append(statement)
            match = _INSTRUCTION.match(statement)
            fresh = match is not None and match["operation"] in _LEAVES
            statement = ""
    costs = [[cost_of(each) for each in block] for block in blocks]
    return "\n".join(lines) + "\n", [Block(*(sum(column) for column in zip(*each, strict=True))) for each in costs]


class Work(NamedTuple):
    """The cost of a step of one environment, averaged over play with random actions, including resets.

    Attributes:
        executed: instructions that its threads execute. It has one thread, or one for each of its players.
        issued: the least number of instructions that warps issue for it. While some lanes of a warp take a branch, the
            others wait, so this number is more than a 32nd of `executed`. Lanes that run the same block at different
            times are counted as if they ran it together.
        f64: how many of `issued` are f64 arithmetic.
        traffic: bytes of global memory that it reads, plus bytes that it writes. A byte that is read several times counts
            once, and so does a byte that is written several times.
        sectors: the sectors of 32 bytes that its stores access, plus the fewest sectors that hold what it reads. A store
            of a warp accesses each sector once. Sectors that are read again may be in the first cache, which passes on
            every store.
        registers: registers per thread in machine code for compute capability 9.0.
    """

    executed: float
    issued: float
    f64: float
    traffic: float
    sectors: float
    registers: int


def count(sample: Sample) -> Work:
    """Counts the work of a sample's steps on the stand-in. Its environments start from different states."""
    from tests.cuda.machine_code import compile_for, use_of
    from tests.cuda.nvrtc import environments
    from tests.standin.driver import Driver, on_stand_in
    from tests.standin.sectors import accesses_of

    registration, driver = find(sample.task_id), Driver()
    arrays = Construction(registration, {}).arrays
    blocks: list[Block] = []
    zeros = np.zeros((0, 0), np.uint32)
    address = 0

    def counting(*arguments: Any, **keywords: Any) -> bytes:
        nonlocal zeros, address
        ptx = image(*arguments, **keywords).decode()
        found = re.search(r"\.maxntid (\d+)", ptx)
        assert found, "the kernel does not say how many threads a block has"
        threads = int(found[1])
        grid = sample.num_envs if arrays.max_players > 1 else -(-sample.num_envs // threads)
        zeros = np.zeros((grid * threads, ptx.count("\n")), np.uint32)
        address = driver.upload(zeros)
        text, found_blocks = with_counters(ptx, address)
        blocks.extend(found_blocks)
        return text.encode()

    image = cache.image
    with on_stand_in(), mock.patch.dict("os.environ", ENVPOOL_DEVICE_LANES=str(LANES)):  # as accesses_of() does
        cache.image = counting
        try:
            pool: Any = envpool.make_gymnasium(sample.task_id, num_envs=sample.num_envs, device="cuda", seed=1)
        finally:
            cache.image = image
        rng = np.random.default_rng(0)
        continue_from_play(pool, arrays, sample, rng)
        costs, total = np.array(blocks, float), np.zeros(3)
        for _ in range(sample.steps):
            driver.upload(zeros, address)
            pool.step(random_actions(arrays, rng, sample.num_envs))
            pool._pool.wait()
            visits = driver.download(address, np.empty_like(zeros))[:, : len(blocks)]
            lanes = visits.sum(axis=0)
            # A warp issues a block at least as often as the lane that runs it most often.
            warps = visits.reshape(-1, LANES, len(blocks)).max(axis=1).sum(axis=0)
            total += lanes @ costs[:, 0], warps @ costs[:, 0], warps @ costs[:, 1]
        pool.close()
    driver.free(address)
    key = registration.family, registration.table
    (environment,) = (each for each in environments() if (each.family, each.table) == key)
    executed, issued, f64 = np.round(total / (sample.num_envs * sample.steps), 2).tolist()
    memory = accesses_of(sample)
    traffic = memory.load_bytes + memory.store_bytes
    stored = memory.store_sectors + memory.load_bytes / SECTOR
    registers = use_of(compile_for(environment, "sm_90")).registers
    return Work(executed, issued, f64, round(traffic, 2), round(stored, 2), registers)


def continue_from_play(pool: Any, arrays: ArraySpecs, sample: Sample, rng: np.random.Generator) -> None:
    """Gives a pool states from the middle of episodes. A pool on the CPU reaches them with random actions."""
    cpu: Any = envpool.make_gymnasium(sample.task_id, num_envs=sample.num_envs, seed=1)
    pool.reset(), cpu.reset()
    for _ in range(WARM_UP):
        given = random_actions(arrays, rng, sample.num_envs)
        there = (np.arange(arrays.max_players) < cpu.players()[:, None]).ravel()
        cpu.step(
            {
                field.name: given[field.name][there] if field.per_player else given[field.name]
                for field in arrays.actions
            }
        )
    pool.restore(None, cpu.snapshot())
    pool._pool.wait()


def read_work(path: Path = WORK) -> dict[str, Work]:
    """Returns the counted work of each sample, by id."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {row[0]: Work._make([*map(float, row[1:-1]), int(row[-1])]) for row in rows}


# --- ceilings ---


def bytes_of(task_id: str) -> int:
    """Returns how many bytes a step has to transfer: the state twice (read and written), and one row of every array."""
    construction = Construction(find(task_id), {})
    arrays, table = construction.arrays, construction.table
    assert table.device is not None
    pool: Any = envpool.make_gymnasium(task_id, num_envs=1)
    pool.reset()
    slot: int = pool._pool.state_bytes(0)
    pool.close()
    own = [*arrays.actions, *arrays.observations, *arrays.infos]
    rows = sum(
        field.dtype.itemsize * int(np.prod(field.shape)) * (arrays.max_players if field.per_player else 1)
        for field in own
    )
    for name, dtype in _core.COMMON_ARRAYS.items():
        if name == "players.env_id" and arrays.max_players == 1:
            continue
        rows += np.dtype(dtype).itemsize * (arrays.max_players if name in PER_PLAYER else 1)
    return 2 * slot + rows


PER_PLAYER = ("reward", "discount", "players.env_id")


def ceilings(work: Work, layout: int, card: Card) -> dict[str, float]:
    """Returns how many environment steps per second each resource of a card allows.

    Args:
        work: the work of a step.
        layout: bytes that a step may read and write (bytes_of). If the kernel accesses fewer bytes, only those count.
        card: the GPU.
    """
    cycles = card.multiprocessors * card.hertz
    found = {
        "memory": card.bytes_per_second / min(layout, work.traffic),
        "sectors": cycles * SECTORS_PER_CYCLE / work.sectors,
        "issue": cycles * SCHEDULERS / work.issued,
    }
    if work.f64:
        found["f64"] = cycles * card.f64_lanes / LANES / work.f64
    return found


def ceiling(work: Work, layout: int, card: Card) -> tuple[float, str]:
    """Returns the lowest ceiling, and the resource that sets it."""
    found = ceilings(work, layout, card)
    bound = min(found, key=found.__getitem__)
    return found[bound], bound


def environments_needed(task_id: str, work: Work, rate: float, card: Card) -> float:
    """Returns how many environments it takes to reach a rate.

    A step takes the time of a launch or the time of its warp's instructions one after another, whichever is longer.
    """
    players = Construction(find(task_id), {}).arrays.max_players
    warps = -(-players // LANES) if players > 1 else 1 / LANES  # warps per environment
    return rate * max(LAUNCH, work.issued / warps * DEPENDENT / card.hertz)


# --- the table ---

_TABLE = re.compile(r"(<!-- made by make generated: rooflines -->\n)(?:\|.*\n)*")


def updated(page: str, works: Mapping[str, Work] | None = None) -> str:
    """Returns a page with its table updated."""
    return _TABLE.sub(lambda found: found[1] + table(read_work() if works is None else works), page)


def table(works: Mapping[str, Work]) -> str:
    """Returns the ceilings of all samples, as Markdown."""
    cards = "".join(f" {card.name} |" for card in CARDS)
    lines = [
        f"| environment | bytes | instructions | lanes busy | f64 | registers |{cards} environments needed |",
        "|---|" + "---|" * (6 + len(CARDS)),
    ]
    for sample in SAMPLES:
        work, layout = works[sample.task_id], bytes_of(sample.task_id)
        found = [ceiling(work, layout, card) for card in CARDS]
        cells = [
            f"`{sample.task_id}`",
            f"{min(layout, round(work.traffic)):,}",
            f"{work.executed:,.0f}",
            f"{work.executed / LANES / work.issued:.0%}",
            f"{work.f64 / work.issued:.0%}",
            str(work.registers),
            *(f"{readable(rate)}, {bound}" for rate, bound in found),
            readable(environments_needed(sample.task_id, work, found[0][0], CARDS[0])),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "".join(line + "\n" for line in lines)


def main() -> None:
    """Counts the work of samples that have no row yet, and updates the table of the page."""
    path, page = Path(sys.argv[1]), Path(sys.argv[2])
    known = read_work(path)
    works = {sample.task_id: known.get(sample.task_id) or count(sample) for sample in SAMPLES}
    with path.open("w", newline="") as file:
        rows = ((task_id, *work) for task_id, work in works.items())
        csv.writer(file, lineterminator="\n").writerows([("task_id", *Work._fields), *rows])
    page.write_text(updated(page.read_text(), works))


if __name__ == "__main__":
    main()
