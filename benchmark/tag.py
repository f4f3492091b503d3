# SPDX-License-Identifier: Apache-2.0
"""Measures agent-steps per second of tag with 5 to 1,000 players in a pool and in a plain C++ loop (tag_loop.cc).

The loop calls the same functions. The settings are the same as in WarpDrive's training. Rates are per second of CPU
time, summed over all threads, because other programs on the machine affect CPU time little.

    python benchmark/tag.py
    python benchmark/tag.py --only=1000 --rounds=5
"""

import statistics
from typing import Any

import floors
from absl import flags
from harness import PythonSide, begin_table, chosen, record_of, row, run, take_turns, write_json

FLAGS = flags.FLAGS
FLAGS.set_default("rounds", 7)
FLAGS.set_default("window", 0.5)

# The numbers of worlds, taggers, runners, and nearest players that each player observes (0: all).
CASES = {
    "5 players, all seen": (200, 1, 4, 0),
    "100 players, 10 seen": (20, 5, 95, 10),
    "1000 players, 10 seen": (4, 50, 950, 10),
    "1000 players, 2 seen": (4, 5, 995, 2),
}


def case_of(worlds: int, taggers: int, runners: int, observed: int) -> dict[str, Any]:
    options = {
        "num_taggers": taggers,
        "num_runners": runners,
        "use_full_observation": observed == 0,
        "num_other_agents_observed": max(observed, 1),
        "grid_length": 20.0,
        "episode_length": 500,
        "max_acceleration": 0.1,
        "min_acceleration": -0.1,
        "max_turn": 2.356,
        "min_turn": -2.356,
        "num_acceleration_levels": 20,
        "num_turn_levels": 20,
        "tagging_distance": 0.02,
    }
    return {"task": "TagContinuous-v0", "loop": "sync", "agents": True, "num_envs": worlds, "options": options}


def main(_: list[str]) -> None:
    begin_table(["TagContinuous", "one thread", "two threads, per core", "plain loop", "pool / loop"])
    results = {}
    for name, shape in chosen(CASES).items():
        case = case_of(*shape)
        sides = {
            "ours": PythonSide(FLAGS.python, {**case, "num_threads": 1}),
            "two threads": PythonSide(FLAGS.python, {**case, "num_threads": 2}),
            "floor": floors.tag_loop(*shape),
        }
        turns = take_turns(sides)
        ratio = turns.by_cpu("floor")
        rates = [statistics.median(1e-6 / seconds for seconds in turns.cpu_times(side)) for side in sides]
        print(row([name, *(f"{rate:.2f} M" for rate in rates), f"**{ratio['median']:.2f}**"]), flush=True)
        results[name] = {"case": case, **record_of(turns), "ours_over_by_cpu": {"floor": ratio}}
    write_json(results=results)


if __name__ == "__main__":
    run(main)
