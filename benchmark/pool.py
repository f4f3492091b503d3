# SPDX-License-Identifier: Apache-2.0
"""Measures how many times as fast as the released EnvPool this package is. The two take turns on the same machine.

    python benchmark/pool.py                              # also installs the released EnvPool
    python benchmark/pool.py --peer_python=/path/to/python --only=CartPole

--light compares the environments of classic_control and toy_text that both packages have, 1,024 at a time on one
thread. It compares the CPU time of a step, which varies less than wall-clock time on a machine that runs other programs
too.

    taskset -c 0 python benchmark/pool.py --light --rounds=5 --window=0.3
"""

import statistics
from typing import Any

import floors
from absl import flags
from harness import PythonSide, begin_table, chosen, peer_python, record_of, row, run, take_turns, times, write_json

FLAGS = flags.FLAGS
flags.DEFINE_bool("light", False, "compare CPU times of 1,024 of each light environment that both packages have")

PONG = {"task": "Pong-v5", "num_envs": 100, "num_threads": 2}
CARTPOLE = {"task": "CartPole-v1", "num_threads": 1}
CASES = {
    "Pong, 100 envs, sync, 2 threads": {**PONG, "loop": "sync"},
    "Pong, 100 envs, async batch 32, 2 threads": {**PONG, "loop": "async", "batch_size": 32},
    "CartPole, 1 env": {**CARTPOLE, "loop": "sync", "num_envs": 1, "floor": "gymnasium"},
    "CartPole, 1024 envs, 1 thread": {**CARTPOLE, "loop": "sync", "num_envs": 1024, "floor": "plain C++ loop"},
    "CartPole, 8192 envs, 1 thread": {**CARTPOLE, "loop": "sync", "num_envs": 8192, "floor": "plain C++ loop"},
}
LIGHT = [
    *["CartPole-v1", "Pendulum-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Acrobot-v1"],
    *["Catch-v0", "FrozenLake-v1", "FrozenLake8x8-v1", "Taxi-v3", "NChain-v0", "CliffWalking-v0", "Blackjack-v1"],
]


def compare(case: dict[str, Any]) -> dict[str, Any]:
    """Measures a case with this package, EnvPool and, if the case has one, the floor."""
    sides: dict[str, Any] = {"ours": PythonSide(FLAGS.python, case), "peer": PythonSide(peer_python(), case)}
    floor = case.get("floor")
    if floor == "gymnasium":
        sides["floor"] = PythonSide(FLAGS.python, {**case, "loop": "gymnasium"})
    elif floor:
        sides["floor"] = floors.cartpole_loop(case["num_envs"])
    turns = take_turns(sides)
    result = {"case": case, **record_of(turns), "rounds": turns.rounds, "ours_over_peer": turns.ours_over("peer")}
    if floor:
        result["ours_over_floor"] = turns.ours_over("floor")
    return result


def rate(result: dict[str, Any], name: str) -> str:
    value = result["steps_per_s"][name]["median"]
    return f"{1e6 / value:.1f} us" if result["case"]["num_envs"] == 1 else f"{value:,.0f} /s"


def print_table(results: dict[str, Any]) -> None:
    begin_table(["", "this package", "EnvPool", "over EnvPool (quartiles)", "floor", "over the floor"])
    for name, result in results.items():
        floor = result["case"].get("floor", "")
        cells = [name, rate(result, "ours"), rate(result, "peer"), times(result["ours_over_peer"])]
        print(row([*cells, floor and f"{floor}: {rate(result, 'floor')}", times(result.get("ours_over_floor"))]))


def compare_light() -> dict[str, Any]:
    """Prints the CPU time of a step of each environment, and the ratio of EnvPool's CPU time to ours within a round."""
    begin_table(["environment", "this package, ns", "EnvPool, ns", "ratio (quartiles)"])
    results = {}
    for task in chosen(dict.fromkeys(LIGHT)):
        case = {"loop": "sync", "task": task, "num_envs": 1024, "num_threads": 1}
        turns = take_turns({"ours": PythonSide(FLAGS.python, case), "peer": PythonSide(peer_python(), case)})
        ratio = turns.by_cpu("peer")
        ours, peer = (1e9 * statistics.median(turns.cpu_times(name)) for name in ("ours", "peer"))
        print(row([task, f"{ours:.0f}", f"{peer:.0f}", times(ratio)]), flush=True)
        results[task] = {"case": case, **record_of(turns), "peer_cpu_over_ours": ratio}
    return results


def compare_cases() -> dict[str, Any]:
    results = {}
    for name, case in chosen(CASES).items():
        result = results[name] = compare(case)
        print(
            f"{name}: {times(result['ours_over_peer'])} EnvPool's rate; CPU us per step "
            f"{result['cpu_us_per_step']['ours']:.3g} and {result['cpu_us_per_step']['peer']:.3g}; "
            f"other programs kept {result['other_cores']:.1f} cores busy",
            flush=True,
        )
    print()
    print_table(results)
    return results


def main(_: list[str]) -> None:
    write_json(results=compare_light() if FLAGS.light else compare_cases())


if __name__ == "__main__":
    run(main)
