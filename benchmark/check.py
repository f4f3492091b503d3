# SPDX-License-Identifier: Apache-2.0
"""Fails if this package has become slower than baseline.json allows.

It runs for a minute, in the tests' virtual environment.

    make bench-check                                # compares with the baseline
    make bench-baseline                             # measures a new baseline, in eight runs

It compares ratios: the CPU time of our step divided by that of a reference that our changes do not affect, such as a
plain C++ loop, MuJoCo's mj_step, ale-py's emulator, or gymnasium's CartPole in Python. The two sides take turns of
about 0.1 s on the same machine for many rounds, so that the machine's speed and its other load cancel out. The ratio is
the median over the rounds. Its noise is the standard deviation of its logarithm over the runs that made the baseline.
The limit is the baseline times 1 + 4 * noise, and at least 1.25 times the baseline. With another processor or compiler,
which shift ratios too, the limit is twice the baseline. A case over its limit is measured again, up to three times in
all, and fails only if it is over the limit each time.
"""

import json
import math
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import floors
from absl import flags
from harness import HERE, PythonSide, chosen, machine, refuse, run, take_turns
from tqdm import tqdm

FLAGS = flags.FLAGS
flags.DEFINE_string("baseline", str(HERE / "baseline.json"), "file of the ratios")
flags.DEFINE_integer("write", 0, "write a new baseline from this many runs", lower_bound=0)
flags.DEFINE_float(
    "slow", 0.0, "for tests: burn this many times its own CPU time after each of our steps", lower_bound=0
)
FLAGS.set_default("rounds", 21)
FLAGS.set_default("window", 0.1)

ATTEMPTS = 3
LEAST_MARGIN, ELSEWHERE, NOISES = 1.25, 2.0, 4

CARTPOLE = {"task": "CartPole-v1", "num_threads": 1}
CHEETAH = {"task": "HalfCheetah-v5", "loop": "sync", "num_envs": 16, "num_threads": 1}
CASES = {
    "CartPole, 1024 envs": ({**CARTPOLE, "loop": "sync", "num_envs": 1024}, "a plain loop"),
    "CartPole, async, 256 of 1024": (
        {**CARTPOLE, "loop": "async", "num_envs": 1024, "batch_size": 256},
        "a plain loop",
    ),
    "CartPole, 1 env": ({**CARTPOLE, "loop": "sync", "num_envs": 1}, "gymnasium"),
    "Pong, 8 envs": ({"task": "Pong-v5", "loop": "sync", "num_envs": 8, "num_threads": 1}, "ale-py's emulator"),
    "HalfCheetah, 16 envs": (CHEETAH, "mj_step"),
}


def start_reference(case: dict[str, Any], reference: str) -> Any:
    """Starts the reference, which uses no code of this package."""
    if reference == "a plain loop":
        return floors.cartpole_loop(case["num_envs"])
    if reference == "mj_step":
        return floors.mujoco_loop(FLAGS.python, case, "half_cheetah.xml", frame_skip=5, forces=False, noise=0.1)
    loop = {"gymnasium": "gymnasium", "ale-py's emulator": "ale_alone"}[reference]
    return PythonSide(FLAGS.python, {**case, "loop": loop})


def measure(name: str, after_round: Callable[[], object] = lambda: None) -> float:
    """Returns the CPU time of our step divided by the CPU time of the reference's step."""
    case, reference = CASES[name]
    ours = PythonSide(FLAGS.python, {**case, "slow": FLAGS.slow})
    turns = take_turns({"ours": ours, "reference": start_reference(case, reference)}, after_round=after_round)
    return 1 / turns.by_cpu("reference")["median"]


def limit(entry: dict[str, Any], least: float) -> float:
    return entry["ratio"] * max(least, 1 + NOISES * entry["noise"])


def verdict(name: str, entry: dict[str, Any], measured: Callable[[], float], least: float) -> tuple[bool, str]:
    """Returns whether a case is within its limit, and a sentence to print; calls `measured` up to three times."""
    most, found = limit(entry, least), list[float]()
    while len(found) < ATTEMPTS and (not found or found[-1] > most):
        found.append(measured())
    best, ok = min(found), found[-1] <= most
    tries = f" ({len(found)} attempts)" if len(found) > 1 else ""
    return ok, (
        f"{name}: {best:.3g} times the CPU time of {CASES[name][1]}{tries}; baseline {entry['ratio']:.3g}, limit {most:.3g}"
        + ("" if ok else ": SLOWER")
    )


def write_baseline(names: list[str]) -> None:
    """Writes a new baseline. Each run measures all cases, so that the runs of one case are far apart in time."""
    runs: dict[str, list[float]] = {name: [] for name in names}
    with tqdm(total=FLAGS.write * len(names) * (FLAGS.rounds + 1), unit=" rounds", dynamic_ncols=True) as bar:
        for _ in range(FLAGS.write):
            for name in names:
                bar.set_description(name)
                runs[name].append(measure(name, bar.update))
    path = Path(FLAGS.baseline)
    before = json.loads(path.read_text())["cases"] if path.exists() else {}
    for name, ratios in runs.items():
        noise = statistics.stdev(map(math.log, ratios)) if len(ratios) > 1 else 0.0
        before[name] = {
            "ratio": round(statistics.median(ratios), 4),
            "noise": round(noise, 4),
            "runs": [round(value, 4) for value in ratios],
        }
    record = {
        "what": "CPU time of our step divided by a reference's, as benchmark/check.py describes; written by `make bench-baseline`",
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "compiler": floors.compiler_version(),
        "rounds": FLAGS.rounds,
        "window_s": FLAGS.window,
        "cases": {name: before[name] for name in CASES if name in before},
    }
    path.write_text(json.dumps(record, indent=1) + "\n")
    for name in names:
        print(f"{name}: {before[name]['ratio']}, noise {before[name]['noise']:.1%}")


def main(arguments: list[str]) -> None:
    names = list(chosen(CASES))
    if arguments[1:]:
        refuse(f"unknown argument {arguments[1]!r}; options begin with --, and --help lists them.")
    if not names:
        refuse(f"--only: no case's name contains {FLAGS.only!r}; the cases are {'; '.join(CASES)}.")
    if FLAGS.write:
        write_baseline(names)
        return
    path = Path(FLAGS.baseline)
    if not path.is_file():
        refuse(f"--baseline: no file {path}; `make bench-baseline` writes it.")
    record = json.loads(path.read_text())
    baseline = record["cases"]
    if missing := [name for name in names if name not in baseline]:
        refuse(f"{path} has no ratio for {missing[0]!r}; `make bench-baseline` writes it.")
    made_on = (record.get("machine", {}).get("cpu"), record.get("compiler"))
    here = (machine()["cpu"], floors.compiler_version()) == made_on
    least = LEAST_MARGIN if here else ELSEWHERE
    slower = []
    for name in names:
        ok, sentence = verdict(name, baseline[name], lambda name=name: measure(name), least)
        print(sentence, flush=True)
        slower += [] if ok else [name]
    if slower:
        refuse(
            f"slower than the baseline: {'; '.join(slower)}. If this is intended, write a new one: `make bench-baseline`."
        )


if __name__ == "__main__":
    run(main)
