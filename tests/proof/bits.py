# SPDX-License-Identifier: Apache-2.0
"""Compares every array, state and generator of pools on a GPU with pools on the CPU."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from envpool.python.options import AUTORESET_MODES
from envpool.python.registry import find
from tests.cuda.device_comparison import MORE, Case, compare, players, pools, tasks
from tests.proof import Result, Step, usable_cpus

# The games of benchmark/atari.py.
GAMES = (
    *("Alien", "Asterix", "Atlantis", "BeamRider", "Boxing", "Breakout", "Enduro", "Freeway", "Gopher", "Hero"),
    *("KungFuMaster", "MontezumaRevenge", "MsPacman", "Pong", "Qbert", "Riverraid", "RoadRunner", "Seaquest"),
    *("SpaceInvaders", "Venture"),
)
GRID = (("num_taggers", 999), ("grid_length", 100))
CROWD = (
    *(("num_taggers", 100), ("num_runners", 900)),
    *(("use_full_observation", False), ("num_other_agents_observed", 10)),
)


def bits_of(case: Case) -> Result:
    """Steps a pool on the device and one on the CPU with the same actions, and compares every array and state."""
    threads = min(usable_cpus(), max(case.num_envs // 256, 1))
    both = pools(case.task_id, case.mode, case.num_envs, **{"num_threads": threads, **dict(case.options)})
    try:
        comparison, ends = compare(both, case.num_envs, case.steps)
    finally:
        both.device.close()
    return {"words": comparison.words, "episodes": ends, "different": dict(comparison.different)}


def games() -> Result:
    """Compares all of GAMES, each in a thread and thus in a stream of its own, because a GPU can run them together."""
    with ThreadPoolExecutor(len(GAMES)) as executor:
        found = list(executor.map(bits_of, (Case(f"{game}-v5", (), "next_step", 64, 100) for game in GAMES)))
    different = {
        f"{game}.{name}": words
        for game, each in zip(GAMES, found, strict=True)
        for name, words in each["different"].items()
    }
    return {
        "words": sum(each["words"] for each in found),
        "episodes": sum(each["episodes"] for each in found),
        "different": different,
    }


def case_of(name: str, mode: str, count: int) -> Case:
    """Returns a case whose steps take seconds on the CPU, to which they are compared."""
    if find(name).family == "atari":
        return Case(name, (), mode, min(count, 256), 100)
    if name.startswith("CarRacing"):  # a step draws an image, which takes a thread of an H100 0.1 s
        return Case(name, (), mode, min(count, 32), 20)
    if find(name).family == "robots":
        return Case(name, (), mode, min(count, 1024), 90)
    return Case(name, (), mode, min(count, 8192 // players(name)), 125 if count == 4096 else 300)


def cases(small: bool) -> list[Case]:
    """Returns portable ids in all modes with 1, 33 and 4,096 environments, and worlds of 1,000 agents.

    Each id comes once in a small and once in a large pool before the other modes and sizes, because a run may end at any
    time.
    """
    names = [name for name in tasks() if find(name).family]
    if small:
        names = [name for name in names if find(name).family not in ("atari", "minatar", "box2d")][::12]
        listed = [Case(name, (), AUTORESET_MODES[i % 3], 33, 60) for i, name in enumerate(names)]
        return [*listed, Case("TagGridWorld-v0", (("num_taggers", 99), ("grid_length", 30)), "next_step", 2, 45)]
    more = [(name, tuple(options.items())) for name, options in MORE.items()]
    listed = [
        case_of(name, AUTORESET_MODES[(i + turn) % 3], count)
        for turn, count in enumerate((33, 4096))
        for i, name in enumerate(names)
    ]
    listed += [Case(name, options, AUTORESET_MODES[i % 3], 33, 300) for i, (name, options) in enumerate(more)]
    for mode in AUTORESET_MODES:
        listed += [Case("TagGridWorld-v0", GRID, mode, 4, 90), Case("TagContinuous-v0", CROWD, mode, 16, 90)]
    listed += [case_of(name, mode, count) for count in (4096, 33, 1) for mode in AUTORESET_MODES for name in names]
    listed += [Case(name, options, mode, 33, 300) for mode in AUTORESET_MODES for name, options in more]
    return list(dict.fromkeys(listed))


def bits(small: bool) -> Iterator[Step]:
    """Compares every array, state and generator."""
    if not small:
        yield "games of Atari", games
    for case in cases(small):
        yield str(case), functools.partial(bits_of, case)
