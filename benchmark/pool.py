# SPDX-License-Identifier: Apache-2.0
"""This package and the released EnvPool, measured in turn on the same machine; prints how many times faster we are.

Both are called envpool, so each side is a process of its own (sides.py) under its own interpreter. The sides take
turns for a second each, the order changing every round; a ratio is the median over the rounds of the quotient within a
round, given with its quartiles. On a machine that others use too, trust the ratios and the CPU time, not the rates.

    python benchmark/pool.py                              # makes the peer's environment itself
    python benchmark/pool.py --peer_python=/path/to/python --only=CartPole

--light compares the environments of short steps that both have, 1,024 at a time on one thread, by the processor's time
that a step takes: what it shows is steadier than the clock's where others use the machine.

    taskset -c 0 python benchmark/pool.py --light --rounds=5 --window=0.3
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import floors
from absl import app, flags

from envpool.cli.turns import SIDE_FOLDER, Side, machine, spread
from envpool.cli.turns import Turns as AllTurns

HERE = Path(__file__).resolve().parent
FLAGS = flags.FLAGS
flags.DEFINE_string("python", sys.executable, "an interpreter that has this package installed")
flags.DEFINE_string("peer_python", None, "an interpreter that has the released EnvPool; else --peer_venv is used")
flags.DEFINE_string("peer_venv", "build/venv/peer", "where the peer's environment is, or is made")
flags.DEFINE_string("peer_version", "1.2.5", "which release of EnvPool that environment gets")
flags.DEFINE_integer("rounds", 9, "how often each side has its turn", lower_bound=1)
flags.DEFINE_float("window", 1.0, "seconds of one turn")
flags.DEFINE_string("only", "", "measure only the cases whose name holds this")
flags.DEFINE_bool("light", False, "1,024 of each light environment that both have, by the processor's time")
flags.DEFINE_string("json", None, "where the record goes")

PONG = {"task": "Pong-v5", "num_envs": 100, "num_threads": 2}
CARTPOLE = {"task": "CartPole-v1", "num_threads": 1}
CASES = {
    "Pong, 100 envs, sync, 2 threads": {**PONG, "loop": "sync"},
    "Pong, 100 envs, async batch 32, 2 threads": {**PONG, "loop": "async", "batch_size": 32},
    "CartPole, 1 env": {**CARTPOLE, "loop": "sync", "num_envs": 1, "floor": "gymnasium"},
    "CartPole, 1024 envs, 1 thread": {**CARTPOLE, "loop": "sync", "num_envs": 1024, "floor": "plain"},
    "CartPole, 8192 envs, 1 thread": {**CARTPOLE, "loop": "sync", "num_envs": 8192, "floor": "plain"},
}
LIGHT = [
    *["CartPole-v1", "Pendulum-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Acrobot-v1"],
    *["Catch-v0", "FrozenLake-v1", "FrozenLake8x8-v1", "Taxi-v3", "NChain-v0", "CliffWalking-v0", "Blackjack-v1"],
]


class Runner(Side):
    """A sides.py that waits for its turn."""

    def __init__(self, python: str, case: dict):
        ours = ("PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH")
        environment = {name: value for name, value in os.environ.items() if name not in ours}
        given = json.dumps({"options": {}, **case})
        super().__init__([python, "-W", "ignore", str(HERE / "sides.py"), given, str(SIDE_FOLDER)], environment)
        if "error" in self.start:
            self.close()
            raise RuntimeError(f"{python}: {self.start['error']}")


def peer_python() -> str:
    """An interpreter with the released EnvPool."""
    if FLAGS.peer_python:
        return FLAGS.peer_python
    venv = Path(FLAGS.peer_venv)
    python = venv / "bin" / "python"
    if not (venv / ".ready").exists():
        print(f"installing EnvPool {FLAGS.peer_version} into {venv} (some 150 MB)", flush=True)
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        packages = [f"envpool=={FLAGS.peer_version}", "gymnasium==1.4.0", "numpy<2.5"]
        subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
        (venv / ".ready").touch()
    return str(python)


def circumstances() -> dict:
    """What a record of numbers begins with."""
    return {"command": ["python", *sys.argv], "date": time.strftime("%Y-%m-%d"), "machine": machine()}


def write_json(**results) -> None:
    """Writes what --json asks for, if it does."""
    if not FLAGS.json:
        return
    Path(FLAGS.json).parent.mkdir(parents=True, exist_ok=True)
    Path(FLAGS.json).write_text(json.dumps(circumstances() | results, indent=1) + "\n")


def run(main) -> None:
    """Runs a script; Ctrl-C ends it in a line. Its sides end with it."""
    try:
        app.run(main)
    except KeyboardInterrupt:
        print(f"{Path(sys.argv[0]).stem}: broken off", file=sys.stderr)
        sys.exit(130)


class Turns(AllTurns):
    """The turns that sides took, each as long as the flags say."""

    def __init__(self, sides: dict, turn=lambda side: side.turn(FLAGS.window), after_round=lambda: None):
        super().__init__(sides)
        self.run(FLAGS.rounds, turn, after_round=after_round)

    def record(self) -> dict:
        return {
            "versions": {name: side.start["versions"] for name, side in self.sides.items()},
            "ready_s": {name: side.start["ready_s"] for name, side in self.sides.items() if "ready_s" in side.start},
            "steps_per_s": {name: spread(self.rates(name)) for name in self.sides},
            "cpu_us_per_step": {name: self.cpu_us(name) for name in self.sides},
            "other_cores": statistics.median(turns["ours"]["other_cores"] for turns in self.rounds),
        }


def compare(case: dict) -> dict:
    sides = {"ours": Runner(FLAGS.python, case), "peer": Runner(peer_python(), case)}
    floor = case.get("floor")
    if floor == "gymnasium":
        sides["floor"] = Runner(FLAGS.python, {**case, "loop": "gymnasium"})
    elif floor == "plain":
        sides["floor"] = floors.cartpole_loop(case["num_envs"])
    turns = Turns(sides)
    result = {"case": case, **turns.record(), "rounds": turns.rounds, "ours_over_peer": turns.ours_over("peer")}
    if floor:
        result["ours_over_floor"] = turns.ours_over("floor")
    return result


def rate(result: dict, name: str) -> str:
    value = result["steps_per_s"][name]["median"]
    return f"{1e6 / value:.1f} us" if result["case"]["num_envs"] == 1 else f"{value:,.0f} /s"


def times(value: dict | None) -> str:
    if value is None:
        return ""
    quartiles = f" ({value['q1']:.2f}-{value['q3']:.2f})" if value["low"] < value["high"] else ""
    return f"{value['median']:.2f}x{quartiles}"


def table(results: dict) -> str:
    """Medians over the rounds."""
    header = ["", "this package", "EnvPool", "over EnvPool (quartiles)", "floor", "over the floor"]
    rows = [header, ["---"] * len(header)]
    for name, result in results.items():
        floor = result["case"].get("floor", "")
        if floor == "gymnasium":
            floor = f"gymnasium: {rate(result, 'floor')}"
        elif floor == "plain":
            floor = f"plain C++ loop: {rate(result, 'floor')}"
        row = [name, rate(result, "ours"), rate(result, "peer"), times(result["ours_over_peer"])]
        rows.append([*row, floor, times(result.get("ours_over_floor"))])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def compare_light() -> dict:
    """A line for each environment: the processor's time for a step, and how many times ours the peer's is in a round."""
    print("| environment | this package, ns | EnvPool, ns | ratio (quartiles) |\n|---|---|---|---|", flush=True)
    results = {}
    for task in LIGHT:
        if FLAGS.only not in task:
            continue
        case = {"loop": "sync", "task": task, "num_envs": 1024, "num_threads": 1}
        turns = Turns({"ours": Runner(FLAGS.python, case), "peer": Runner(peer_python(), case)})
        ours, peer = (turns.cpu_times(name) for name in ("ours", "peer"))
        ratio = spread([theirs / mine for mine, theirs in zip(ours, peer, strict=True)])
        row = [task, *(f"{1e9 * statistics.median(side):.0f}" for side in (ours, peer)), times(ratio)]
        print(f"| {' | '.join(row)} |", flush=True)
        results[task] = {"case": case, **turns.record(), "peer_cpu_over_ours": ratio}
    return results


def compare_cases() -> dict:
    results = {}
    for name, case in CASES.items():
        if FLAGS.only not in name:
            continue
        result = results[name] = compare(case)
        print(
            f"{name}: {times(result['ours_over_peer'])} EnvPool's rate; CPU us a step "
            f"{result['cpu_us_per_step']['ours']:.3g} and {result['cpu_us_per_step']['peer']:.3g}; "
            f"others kept {result['other_cores']:.1f} cores busy",
            flush=True,
        )
    print()
    print(table(results))
    return results


def main(_: list[str]) -> None:
    results = compare_light() if FLAGS.light else compare_cases()
    write_json(results=results)


if __name__ == "__main__":
    run(main)
