# SPDX-License-Identifier: Apache-2.0
"""Compares all games with ale-py: many frames of every plan, and some of every mode and difficulty (`make exact`).

Continues after a difference, and prints a table of all differences at the end.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import ale_py
from tqdm import tqdm

from tests.atari.ale_comparison import GAMES, PLANS, Plan, Reference, compare_with_ale

# Adventure enters its modes other than 0 after random waits. The two machines draw the waits from different generators.
RANDOM_MODES = {("adventure", 1), ("adventure", 2)}


@dataclass(frozen=True)
class Job:
    """The work that one process does at a time."""

    game: str
    plan: Plan
    frames: int
    mode: int = -1
    difficulty: int = -1


@dataclass
class JobResult:
    """The result of a job."""

    job: Job
    games_started: int
    difference: str  # empty if there is none


def play(job: Job) -> JobResult:
    try:
        started = compare_with_ale(job.game, job.frames, job.plan, job.mode, job.difficulty)
    except AssertionError as difference:
        return JobResult(job, 0, str(difference))
    return JobResult(job, started, "")


def jobs_of(game: str, frames: int, mode_frames: int) -> list[Job]:
    share = -(-frames // len(PLANS))
    jobs = [Job(game, plan, share) for plan in PLANS]
    if mode_frames > 0:
        ale = Reference(game).ale
        modes = [mode for mode in ale.getAvailableModes() if (game, mode) not in RANDOM_MODES]
        variants = [(mode, level) for mode in modes for level in ale.getAvailableDifficulties()]
        jobs += [
            Job(game, PLANS[index % len(PLANS)], mode_frames, mode, level)
            for index, (mode, level) in enumerate(variants)
        ]
    return jobs


def table(results: list[JobResult]) -> str:
    lines = [f"{'game':20} {'plans':>9} {'variants':>9} {'games started':>13}  differences"]
    for game in sorted({result.job.game for result in results}):
        mine = [result for result in results if result.job.game == game]
        plans = sum(result.job.frames for result in mine if result.job.mode < 0)
        variants = sum(result.job.frames for result in mine if result.job.mode >= 0)
        wrong = sum(bool(result.difference) for result in mine)
        started = sum(result.games_started for result in mine)
        lines.append(f"{game:20} {plans:9,} {variants:9,} {started:13,}  {wrong or 'none'}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--frames", type=int, default=50_000, help="frames of every game, for all plans together")
    parser.add_argument("--mode_frames", type=int, default=2_000, help="frames of every mode with every difficulty")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", type=Path, default=None)
    args = parser.parse_args()

    started = time.perf_counter()
    with ProcessPoolExecutor(args.processes, multiprocessing.get_context("spawn")) as pool:
        plans = pool.map(jobs_of, args.games, *[[n] * len(args.games) for n in (args.frames, args.mode_frames)])
        jobs = [job for jobs in plans for job in jobs]
        jobs.sort(key=lambda job: -job.frames)
        results = []
        with tqdm(total=sum(job.frames for job in jobs), unit=" frames", unit_scale=True, mininterval=1) as bar:
            for future in as_completed([pool.submit(play, job) for job in jobs]):
                results.append(future.result())
                bar.update(results[-1].job.frames)
                if results[-1].difference:
                    bar.write(results[-1].difference)

    print(table(results))
    differences = sorted(result.difference for result in results if result.difference)
    frames = sum(result.job.frames for result in results)
    print(
        f"\n{frames:,} frames of {len(args.games)} games in {time.perf_counter() - started:.0f} s; "
        f"{len(differences)} of {len(results)} jobs differ from ale-py {ale_py.__version__}"
    )
    for difference in differences:
        print(difference)
    print(
        "not compared, because their start is random:",
        *(f"{game} mode {mode}" for game, mode in sorted(RANDOM_MODES)),
    )
    if args.json:
        result = {
            "ale_py": ale_py.__version__,
            "machine": platform.machine(),
            "native": os.environ.get("ENVPOOL_ATARI_NATIVE", "1"),
            "frames": frames,
            "differences": differences,
            "jobs": [asdict(result) for result in results],
        }
        args.json.write_text(json.dumps(result, indent=1))
    return bool(differences)


if __name__ == "__main__":
    raise SystemExit(main())
