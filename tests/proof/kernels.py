# SPDX-License-Identifier: Apache-2.0
"""Compiles all kernels of tools/gpu_proof.py at once, so that no later section waits for the compiler.

tools/gpu_kit.py compiles the same kernels on a machine without a GPU. Their keys in the cache do not depend on the
machine, so a visit finds them there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from envpool.cuda import cache, driver
from envpool.cuda.pool import architecture_of
from envpool.cuda.program import RESULTS, TUNED, checked_program, header_of
from envpool.python.cache_files import cache_folder
from envpool.python.construction import Construction
from envpool.python.registry import find
from tests.proof import Result, Step, bits, jax_programs, libraries, peers, speed, usable_cpus

SLOW = ("Pong", "CarRacing", "BipedalWalker", "LunarLander")  # compiled first, because they take ten seconds or more


class Kernel(NamedTuple):
    """The arguments of `cache.image`."""

    source: str
    includes: tuple[str, ...]


def kernel_of(task_id: str, options: Mapping[str, Any]) -> Kernel:
    """Returns the kernel of an environment."""
    construction = Construction(find(task_id), {"num_envs": 1, "seed": 1, **options})
    registration = construction.registration
    facts = construction.table.device
    assert facts is not None, task_id
    facts, includes = header_of(
        construction.label, facts, registration.source, registration.include, registration.flags
    )
    program = checked_program(facts, construction.arrays.max_players)
    return Kernel(program.source, tuple(includes))


def kernels_of(small: bool) -> dict[Kernel, str]:
    """Returns the kernels of all sections except `math`, each with a label."""
    listed = {case.task_id + str(case.options): (case.task_id, dict(case.options)) for case in bits.cases(small)}
    jobs: list[tuple[str, Mapping[str, Any]]] = [
        *listed.values(),
        *((f"{game}-v5", {}) for game in bits.GAMES[: 0 if small else None]),
        *((task_id, {}) for task_id in (*libraries.ids(small), *speed.ids(small), *jax_programs.POOLS)),
        *((task_id, {}) for task_id in (("LunarLander-v3",) if small else speed.LANES_IDS)),
        *peers.worlds(),
        *((task_id, {}) for task_id in jax_programs.ids(small)),
        *jax_programs.WORLDS.items(),
    ]
    labels: dict[Kernel, str] = {}
    for task_id, options in jobs:
        labels.setdefault(kernel_of(task_id, options), f"{task_id}{' with options' * bool(options)}")
    with speed.direct_rows():
        for task_id in speed.ids(small) if small else speed.ROWS:
            labels.setdefault(kernel_of(task_id, {}), f"{task_id} with direct rows")
    for task_id in jax_programs.WITH_PARAMETERS:
        kernel = kernel_of(task_id, {})
        labels[kernel._replace(source=TUNED + kernel.source)] = f"{task_id} with parameters of each row"
    labels[Kernel(RESULTS, ())] = "results of pools in jitted code"
    return dict(sorted(labels.items(), key=lambda item: not item[1].startswith(SLOW)))


def compile_all(kernels: Mapping[Kernel, str], architecture: str, jobs: int) -> Result:
    """Compiles kernels that are not in the cache yet. A kernel that fails does not stop the others."""
    seconds: dict[str, float] = {}
    failed: dict[str, str] = {}

    def compile_one(item: tuple[Kernel, str]) -> None:
        kernel, label = item
        begun = time.monotonic()
        try:
            cache.image(kernel.source, architecture, label=label, name="kernel.cu", includes=kernel.includes)
        except Exception as error:  # noqa: BLE001  (the other kernels are compiled)
            failed[label] = f"{type(error).__name__}: {error}"[:500]
        seconds[label] = round(time.monotonic() - begun, 2)

    folder = cache_folder()
    before = set((folder / "cuda").glob("*")) if folder else set()
    with ThreadPoolExecutor(jobs) as executor:
        list(executor.map(compile_one, kernels.items()))
    new = set((folder / "cuda").glob("*")) - before if folder else set()
    slowest = dict(sorted(seconds.items(), key=lambda item: -item[1])[:5])
    result: Result = {"architecture": architecture, "kernels": len(kernels), "compiled": len(new), "slowest": slowest}
    return {**result, "error": f"{len(failed)} kernels: {failed}"[:2000]} if failed else result


def kernels(small: bool) -> Iterator[Step]:
    """Compiles every kernel for the first device."""
    yield (
        "kernels",
        lambda: compile_all(kernels_of(small), architecture_of(driver.load().devices()[0]), usable_cpus()),
    )
