# SPDX-License-Identifier: Apache-2.0
"""Times many agents of examples/ppo_jax.py, trained at once on CartPole, next to one agent of CleanRL's ppo.py.

CleanRL's script is not part of this repository. Download it, and install its requirements for another interpreter:

    curl -LO https://raw.githubusercontent.com/vwxyzjn/cleanrl/fe8d8a03c41a7ef5b523e2e354bd01c363e786bb/cleanrl/ppo.py
    python -m venv cleanrl && cleanrl/bin/pip install torch==2.13.0 gymnasium==0.29.1 'numpy<2' tyro tensorboard
    python benchmark/seeds.py --cleanrl=ppo.py --cleanrl_python=cleanrl/bin/python

The sides run one after the other, so that each has the whole machine. An agent has solved CartPole if the mean return
of its last 100 episodes is at least 475 at the end of the training. The times are of whole processes, including imports
and compilation.
"""

import os
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from absl import flags
from harness import HERE, begin_table, refuse, row, run, write_json

FLAGS = flags.FLAGS
flags.DEFINE_string("cleanrl", None, "CleanRL's ppo.py; without it, only our side is measured")
flags.DEFINE_string(
    "cleanrl_python", sys.executable, "an interpreter that has torch, gymnasium 0.29, tyro and tensorboard"
)
flags.DEFINE_integer(
    "cleanrl_threads", 1, "threads of CleanRL's side; its small network is slower on more", lower_bound=1
)
flags.DEFINE_integer("num_seeds", 64, "agents of our side", lower_bound=1)
flags.DEFINE_integer(
    "num_devices", os.cpu_count() or 1, "number of devices into which XLA divides the CPU", lower_bound=1
)
flags.DEFINE_integer("total_timesteps", 500_000, "steps of each agent", lower_bound=1)
flags.DEFINE_string("out", "runs/seeds", "folder to which the scripts write")

SOLVED = 475


class Clock:
    """Measures wall-clock time, and the CPU time of child processes that have ended since the start."""

    def __init__(self) -> None:
        self.started, self.used = time.perf_counter(), self.cpu()

    def cpu(self) -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def read(self) -> dict[str, float]:
        return {"seconds": time.perf_counter() - self.started, "cpu_s": self.cpu() - self.used}


def ours(devices: int) -> dict[str, Any]:
    """Trains our agents in a process, with the settings of CleanRL's script, which are the defaults of ours."""
    out = Path(FLAGS.out, "ours").absolute()
    options = [f"--num_seeds={FLAGS.num_seeds}", f"--target={SOLVED}", "--video=", f"--out={out}"]
    command = [FLAGS.python, str(HERE.parent / "examples" / "ppo_jax.py"), *options]
    command += [f"--total_timesteps={FLAGS.total_timesteps}"]
    flag = f"--xla_force_host_platform_device_count={devices}"
    environment = {**os.environ, "XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()}
    clock = Clock()
    printed = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
    times = clock.read()
    print(printed, file=sys.stderr)
    with np.load(out / "curves.npz") as file:
        steps, means = file["steps"], file["means"][:, 0]
    first = [int(steps[reached.argmax()]) for reached in (means >= SOLVED).T if reached.any()]
    return {
        "agents": means.shape[1],
        "steps": int(steps[-1]),
        **times,
        "solved": int((means[-1] >= SOLVED).sum()),
        "worst": float(means[-1].min()),
        "first_at": statistics.median(first) if first else None,
        "threads": devices,
    }


def cleanrl(threads: int) -> dict[str, Any]:
    """Trains CleanRL's agent in a process, and follows the returns that it prints."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "PYTHONUNBUFFERED": "1"}
    folder = Path(FLAGS.out, f"cleanrl_{threads}")
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        FLAGS.cleanrl_python,
        "-W",
        "ignore",
        str(Path(FLAGS.cleanrl).absolute()),
        f"--total-timesteps={FLAGS.total_timesteps}",
    ]
    clock = Clock()
    process = subprocess.Popen([*command, "--no-cuda"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    returns: list[float] = []
    first_at = first_s = None
    for line in process.stdout or ():
        if match := re.match(r"global_step=(\d+), episodic_return=\[?([\d.]+)", line):
            returns.append(float(match[2]))
            if first_at is None and len(returns) >= 100 and statistics.fmean(returns[-100:]) >= SOLVED:
                first_at, first_s = int(match[1]), clock.read()["seconds"]
    failed = process.wait()
    times = clock.read()
    if failed or len(returns) < 100:
        refuse(f"{FLAGS.cleanrl} ended with status {process.returncode} after {len(returns)} episodes")
    last = statistics.fmean(returns[-100:])
    return {
        "agents": 1,
        "steps": FLAGS.total_timesteps,
        **times,
        "solved": int(last >= SOLVED),
        "worst": last,
        "first_at": first_at,
        "first_s": first_s,
        "threads": threads,
    }


def main(_: list[str]) -> None:
    if FLAGS.cleanrl and not Path(FLAGS.cleanrl).exists():
        refuse(f"--cleanrl: {FLAGS.cleanrl} does not exist")
    results = {}
    begin_table(
        ["", "threads", "agents", "steps each", "seconds (CPU)", "solved", "worst mean of 100", "first at 475, median"]
    )
    runs = {"CleanRL's ppo.py": (cleanrl, FLAGS.cleanrl_threads)} if FLAGS.cleanrl else {}
    runs["ppo_jax.py"] = (ours, FLAGS.num_devices)
    for label, (measure, threads) in runs.items():
        r = results[label] = measure(threads)
        first = "never" if r["first_at"] is None else f"{r['first_at']:,.0f}"
        if r.get("first_s"):
            first += f" ({r['first_s']:.0f} s)"
        solved = f"{r['solved']} of {r['agents']}"
        seconds = f"{r['seconds']:.1f} ({r['cpu_s']:.1f})"
        cells = [threads, r["agents"], f"{r['steps']:,}", seconds, solved, f"{r['worst']:.1f}", first]
        print(row([label, *cells]), flush=True)
    write_json(results=results)


if __name__ == "__main__":
    run(main)
