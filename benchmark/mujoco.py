# SPDX-License-Identifier: Apache-2.0
"""Compares MuJoCo environments with the released EnvPool, gymnasium's vector environments, and MuJoCo's own rollout.

Our pools run on our own solver; the side `library` is the same pool with backend="mujoco". The floor is a C++ loop over
mj_step (mj_loop.cc) with the same number of threads; it computes contact forces if the task's observation or reward
needs them. The cost of a step depends on the time since the reset. Therefore no episode ends before its limit of a
hundred steps, except those of the pendulums, and a turn consists of at least one whole episode, and of as many as take
this package about --window seconds. The speed of a process varies by a few hundredths with its memory layout. Therefore
all sides are restarted --launches times, for --rounds turns each.

    python benchmark/mujoco.py --peer_python=/path/to/python                   # all tasks and shapes, two threads
    python benchmark/mujoco.py --tasks=Ant --shapes="32 envs" --sides=floor --num_threads=1
"""

from typing import Any

import floors
from absl import flags
from harness import (
    PythonSide,
    Turns,
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
TASKS = {
    # The model, simulation steps per action, whether contact forces are read, the noise of a reset, and options
    "Ant": ("ant.xml", 5, True, 0.1, {"terminate_when_unhealthy": False}),
    "Humanoid": ("humanoid.xml", 5, True, 0.01, {"terminate_when_unhealthy": False}),
    "HalfCheetah": ("half_cheetah.xml", 5, False, 0.1, {}),
    "Hopper": ("hopper.xml", 4, False, 0.005, {"terminate_when_unhealthy": False}),
    "Walker2d": ("walker2d_v5.xml", 4, False, 0.005, {"terminate_when_unhealthy": False}),
    "HumanoidStandup": ("humanoidstandup.xml", 5, True, 0.01, {}),
    "Swimmer": ("swimmer.xml", 4, False, 0.1, {}),
    "Reacher": ("reacher.xml", 2, False, 0.1, {}),
    "InvertedPendulum": ("inverted_pendulum.xml", 2, False, 0.01, {}),
    "InvertedDoublePendulum": ("inverted_double_pendulum.xml", 5, False, 0.1, {}),
}
SHAPES = {
    "1 env": {"loop": "sync", "num_envs": 1},
    "32 envs": {"loop": "sync", "num_envs": 32},
    "32 envs, async": {"loop": "async", "num_envs": 32, "batch_size": 16},
    "256 envs": {"loop": "sync", "num_envs": 256},
    "256 envs, async": {"loop": "async", "num_envs": 256, "batch_size": 64},
    "4096 envs": {"loop": "sync", "num_envs": 4096},
}
SIDES = ["floor", "library", "envpool", "rollout", "gymnasium_sync", "gymnasium_async"]
EPISODE = 100
define_choices("tasks", TASKS, "tasks")
flags.DEFINE_multi_enum("shapes", list(SHAPES), list(SHAPES), "numbers of environments, synchronous or asynchronous")
define_choices("sides", SIDES, "peers")
flags.DEFINE_integer("launches", 1, "number of times that all sides are started", lower_bound=1)
flags.DEFINE_integer("num_threads", 2, "threads of each side that has threads, and processes of gymnasium_async")


def case_of(task: str, shape: dict[str, Any]) -> dict[str, Any]:
    options = {**TASKS[task][-1], "max_episode_steps": EPISODE}
    return {"task": f"{task}-v5", "num_threads": FLAGS.num_threads, "options": options, **shape}


def start(side: str, task: str, case: dict[str, Any]) -> Any:
    if side == "floor":
        return floors.mujoco_loop(FLAGS.python, case, *TASKS[task][:-1])
    if side == "envpool":
        return PythonSide(peer_python(), case)
    if side == "library":
        return PythonSide(FLAGS.python, {**case, "options": {**case["options"], "backend": "mujoco"}})
    return PythonSide(FLAGS.python, {**case, "loop": side})


def play_episodes(sides: dict[str, Any], num_envs: int) -> Turns:
    """Takes turns of whole episodes."""
    once = (EPISODE + 1) * num_envs  # steps and the reset of an episode in each environment
    episodes = max(1, round(FLAGS.window / sides["ours"].turn(once, "steps")["wall_s"]))
    return take_turns(sides, lambda side: side.turn(episodes * once, "steps"))


def compare(task: str, shape: dict[str, Any]) -> dict[str, Any]:
    rounds: list[dict[str, Any]] = []
    case = case_of(task, shape)
    for _ in range(FLAGS.launches):
        sides = {"ours": PythonSide(FLAGS.python, case), **{side: start(side, task, case) for side in FLAGS.sides}}
        turns = play_episodes(sides, shape["num_envs"])
        turns.rounds = rounds = rounds + turns.rounds
    by_cpu = {side: turns.by_cpu(side)["median"] for side in FLAGS.sides if side != "gymnasium_async"}
    ours_over = {side: turns.ours_over(side) for side in FLAGS.sides}
    return {"case": case, **record_of(turns), "ours_over": ours_over, "ours_over_by_cpu": by_cpu}


def main(_: list[str]) -> None:
    results = {}
    print("Our rate over each side's (quartiles), and the ratio by CPU time per step:\n")
    begin_table(["task", "steps/s", "CPU us per step", *(f"over {side}" for side in FLAGS.sides)])
    for shape in FLAGS.shapes:
        for task in FLAGS.tasks:
            name = f"{task}, {shape}"
            result = results[name] = compare(task, SHAPES[shape])
            cells = [name, f"{result['steps_per_s']['ours']['median']:,.0f}"]
            cells.append(f"{result['cpu_us_per_step']['ours']:.2f}")
            for side in FLAGS.sides:
                by_cpu = result["ours_over_by_cpu"].get(side)
                cells.append(times(result["ours_over"][side]) + (f"; CPU {by_cpu:.2f}x" if by_cpu else ""))
            print(row(cells), flush=True)
    write_json(summary=print_summary(results, FLAGS.sides), results=results)


if __name__ == "__main__":
    run(main)
