# SPDX-License-Identifier: Apache-2.0
"""gymnasium's MuJoCo environments: this package, the released EnvPool, gymnasium's vectors, MuJoCo's own rollout.

The floor is a loop in C++ over mj_step (mj_loop.cc) with as many threads; it computes contact forces where the task's
observation or reward holds them. Sides, turns and ratios are those of pool.py. What a step costs depends on how long ago
an episode began: so no episode ends before its limit of a hundred steps, and a turn is whole episodes, as many as make
--window seconds with us, and one at least. Where a process happens to have its memory is worth some hundredths: so the
sides are started anew --launches times, for --rounds turns each.

    python benchmark/mujoco.py --peer_python=/path/to/python                   # all tasks and shapes, two threads
    python benchmark/mujoco.py --tasks=Ant --shapes="32 envs" --sides=floor --num_threads=1
"""

import math
import sys

import floors
import pool
from absl import flags

FLAGS = flags.FLAGS
TASKS = {
    # model, simulation steps of an action, whether contact forces are read, noise of a reset, options
    "Ant": ("ant.xml", 5, True, 0.1, {"terminate_when_unhealthy": False}),
    "Humanoid": ("humanoid.xml", 5, True, 0.01, {"terminate_when_unhealthy": False}),
    "HalfCheetah": ("half_cheetah.xml", 5, False, 0.1, {}),
    "Hopper": ("hopper.xml", 4, False, 0.005, {"terminate_when_unhealthy": False}),
    "Walker2d": ("walker2d_v5.xml", 4, False, 0.005, {"terminate_when_unhealthy": False}),
}
SHAPES = {
    "1 env": {"loop": "sync", "num_envs": 1},
    "32 envs": {"loop": "sync", "num_envs": 32},
    "32 envs, async": {"loop": "async", "num_envs": 32, "batch_size": 16},
    "256 envs": {"loop": "sync", "num_envs": 256},
    "256 envs, async": {"loop": "async", "num_envs": 256, "batch_size": 64},
}
SIDES = ["floor", "envpool", "rollout", "gymnasium_sync", "gymnasium_async"]
EPISODE = 100
flags.DEFINE_list("tasks", list(TASKS), "which tasks")
flags.DEFINE_multi_enum("shapes", list(SHAPES), list(SHAPES), "how many environments, in step or asynchronously")
flags.DEFINE_list("sides", SIDES, "whom to measure us against")
flags.DEFINE_integer("launches", 1, "how often all sides are started anew", lower_bound=1)
flags.DEFINE_integer("num_threads", 2, "of each side that has threads; processes of gymnasium_async")


def launch(task: str, shape: dict) -> tuple[dict, dict]:
    """The sides of a case, started, and the case."""
    model, frame_skip, forces, noise, options = TASKS[task]
    case = {
        "task": f"{task}-v5",
        "num_threads": FLAGS.num_threads,
        "options": {**options, "max_episode_steps": EPISODE},
        **shape,
    }
    sides = {"ours": pool.Runner(FLAGS.python, case)}
    for side in FLAGS.sides:
        if side == "floor":
            sides[side] = floors.mujoco_loop(FLAGS.python, case, model, frame_skip, forces, noise)
        elif side == "envpool":
            sides[side] = pool.Runner(pool.peer_python(), case)
        else:
            sides[side] = pool.Runner(FLAGS.python, {**case, "loop": side})
    return sides, case


def take_turns(sides: dict, num_envs: int) -> pool.Turns:
    once = (EPISODE + 1) * num_envs  # steps of an episode, restart included, of each environment
    episodes = max(1, round(FLAGS.window / sides["ours"].turn(once, "steps")["wall_s"]))
    return pool.Turns(sides, lambda side: side.turn(episodes * once, "steps"))


def compare(task: str, shape: dict) -> dict:
    rounds: list[dict] = []
    for _ in range(FLAGS.launches):
        sides, case = launch(task, shape)
        turns = take_turns(sides, shape["num_envs"])
        turns.rounds = rounds = rounds + turns.rounds
    cpu = {side: turns.by_cpu(side)["median"] for side in FLAGS.sides if side != "gymnasium_async"}
    ours_over = {side: turns.ours_over(side) for side in FLAGS.sides}
    return {"case": case, **turns.record(), "ours_over": ours_over, "ours_over_by_cpu": cpu}


def main(_: list[str]) -> None:
    if unknown := set(FLAGS.sides) - set(SIDES) or set(FLAGS.tasks) - set(TASKS):
        sys.exit(f"unknown: {', '.join(sorted(unknown))}")
    results = {}
    print("Rate over each side's (quartiles), and by CPU time of a step:\n")
    print("| task | steps/s | CPU us a step | " + " | ".join(f"over {side}" for side in FLAGS.sides) + " |")
    print("|---" * (3 + len(FLAGS.sides)) + "|", flush=True)
    for shape in FLAGS.shapes:
        for task in FLAGS.tasks:
            name = f"{task}, {shape}"
            result = results[name] = compare(task, SHAPES[shape])
            cells = [name, f"{result['steps_per_s']['ours']['median']:,.0f}"]
            cells.append(f"{result['cpu_us_per_step']['ours']:.2f}")
            for side in FLAGS.sides:
                by_cpu = result["ours_over_by_cpu"].get(side)
                cells.append(pool.times(result["ours_over"][side]) + (f"; CPU {by_cpu:.2f}x" if by_cpu else ""))
            print("| " + " | ".join(cells) + " |", flush=True)
    summary = {}
    for side in FLAGS.sides:
        ratios = {name: result["ours_over"][side]["median"] for name, result in results.items()}
        worst = min(ratios, key=ratios.__getitem__)
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        summary[side] = {"geometric_mean": mean, "worst": ratios[worst], "worst_case": worst}
        print(f"over {side}: geometric mean {mean:.2f}x, worst {ratios[worst]:.2f}x ({worst})")
    pool.write_json(summary=summary, results=results)


if __name__ == "__main__":
    pool.run(main)
