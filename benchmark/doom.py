# SPDX-License-Identifier: Apache-2.0
"""Compares ViZDoom with the released EnvPool, and with the package vizdoom driven from Python.

All sides run the same engine, so the ratio is limited by the engine's share of a step. The package is driven with one
game in one process: its DoomGame, OpenCV's resize of every channel, and no vector environment.

    python benchmark/doom.py --peer_python=/path/to/python                     # all tasks and shapes, two threads
    python benchmark/doom.py --tasks=SimplerBasic --shapes="1 env" --sides=package --num_threads=1
"""

from typing import Any

from absl import flags
from harness import (
    PythonSide,
    begin_table,
    define_choices,
    peer_python,
    print_summary,
    record_of,
    row,
    run,
    take_turns,
    times,
    write_json,
)

FLAGS = flags.FLAGS
TASKS = ["Basic", "SimplerBasic", "DefendTheCenter", "HealthGathering"]
SHAPES = {
    "1 env": {"loop": "sync", "num_envs": 1},
    "8 envs": {"loop": "sync", "num_envs": 8},
    "8 envs, async": {"loop": "async", "num_envs": 8, "batch_size": 4},
}
SIDES = ["envpool", "package"]
define_choices("tasks", TASKS, "tasks")
flags.DEFINE_multi_enum("shapes", list(SHAPES), list(SHAPES), "numbers of environments, synchronous or asynchronous")
define_choices("sides", SIDES, "peers")
flags.DEFINE_integer("num_threads", 2, "threads of each side except the package")


def compare(task: str, shape: dict[str, Any]) -> dict[str, Any]:
    options = {"use_combined_action": True}
    case = {"task": f"{task}-v1", "num_threads": FLAGS.num_threads, "options": options, **shape}
    sides = {"ours": PythonSide(FLAGS.python, case)}
    if "envpool" in FLAGS.sides:
        sides["envpool"] = PythonSide(peer_python(), case)
    if "package" in FLAGS.sides:
        sides["package"] = PythonSide(FLAGS.python, {**case, "loop": "doom_package"})
    turns = take_turns(sides, lambda side: side.turn(FLAGS.window))
    return {"case": case, **record_of(turns), "ours_over": {side: turns.ours_over(side) for side in FLAGS.sides}}


def main(_: list[str]) -> None:
    results = {}
    print("Our rate divided by the rate of each other side (quartiles):\n")
    begin_table(["task", "steps/s", *(f"over {side}" for side in FLAGS.sides)])
    for shape in FLAGS.shapes:
        for task in FLAGS.tasks:
            name = f"{task}, {shape}"
            result = results[name] = compare(task, SHAPES[shape])
            rate = f"{result['steps_per_s']['ours']['median']:,.0f}"
            print(row([name, rate, *(times(result["ours_over"][side]) for side in FLAGS.sides)]), flush=True)
    write_json(summary=print_summary(results, FLAGS.sides), results=results)


if __name__ == "__main__":
    run(main)
