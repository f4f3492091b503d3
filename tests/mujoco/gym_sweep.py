# SPDX-License-Identifier: Apache-2.0
"""Compares whole episodes of all of gymnasium's ids (`make exact-mujoco`), which takes minutes."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

import envpool
from tests.mujoco.gym_reference import IDS, compare


def play(task_id: str, episodes: int, steps: int, seed: int) -> tuple[int, list[str], float]:
    start = time.perf_counter()
    limit = steps or envpool.make_spec(task_id).config.max_episode_steps
    compared, wrong = compare(task_id, {}, episodes=episodes, steps=limit, seed=seed)
    return compared, wrong, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="play only ids that contain this")
    parser.add_argument("--episodes", type=int, default=20, help="number of episodes of each id")
    parser.add_argument("--steps", type=int, default=0, help="steps of an episode; 0: the time limit of the id")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()

    ids = [task_id for task_id in IDS if arguments.only in task_id]
    failed = False
    with ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("spawn")) as processes:
        work = (arguments.episodes, arguments.steps, arguments.seed)
        waiting = {processes.submit(play, task_id, *work): task_id for task_id in ids}
        for done in as_completed(waiting):
            compared, wrong, seconds = done.result()
            failed |= bool(wrong)
            verdict = wrong[0] if wrong else "equal"
            print(f"{waiting[done]:26} {arguments.episodes} episodes, {compared:6} steps, {seconds:5.0f} s: {verdict}")
            sys.stdout.flush()
    sys.exit(failed)


if __name__ == "__main__":
    main()
