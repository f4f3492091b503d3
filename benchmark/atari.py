# SPDX-License-Identifier: Apache-2.0
"""Compares Atari games with the released EnvPool, ale-py's own vector environment, and gymnasium's processes.

The overall ratio is the geometric mean of the games' median ratios.

    python benchmark/atari.py                                    # 20 games, 100 environments, two threads
    python benchmark/atari.py --shape=single --games=Pong --sides=envpool
    python benchmark/atari.py --earlier_python=VENV/bin/python   # an earlier commit of this package, too
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
GAMES = [
    "Alien",
    "Asterix",
    "Atlantis",
    "BeamRider",
    "Boxing",
    "Breakout",
    "Enduro",
    "Freeway",
    "Gopher",
    "Hero",
    "KungFuMaster",
    "MontezumaRevenge",
    "MsPacman",
    "Pong",
    "Qbert",
    "Riverraid",
    "RoadRunner",
    "Seaquest",
    "SpaceInvaders",
    "Venture",
]
SHAPES = {
    "sync": {"loop": "sync", "num_envs": 100},
    "async": {"loop": "async", "num_envs": 100, "batch_size": 32},
    "single": {"loop": "sync", "num_envs": 1},
}
SIDES = ["envpool", "ale", "gymnasium"]
flags.DEFINE_list("games", GAMES, "games to play")
flags.DEFINE_enum(
    "shape", "sync", sorted(SHAPES), "100 synchronous environments, 100 in batches of 32, or a single one"
)
define_choices("sides", SIDES, "peers")
flags.DEFINE_string("earlier_python", None, "an interpreter that has an earlier commit of this package, a further side")


def start(side: str, case: dict[str, Any]) -> PythonSide:
    """Starts a peer. Gymnasium has two processes, and the others have two threads."""
    if side in ("envpool", "earlier"):
        return PythonSide(peer_python() if side == "envpool" else FLAGS.earlier_python, case)
    loops = {"ale": {"loop": "ale"}, "gymnasium": {"loop": "gymnasium_async", "atari": True, "num_threads": 2}}
    return PythonSide(FLAGS.python, {**case, **loops[side]})


def compare(case: dict[str, Any], others: list[str]) -> dict[str, Any]:
    """Measures the ratio of our rate to each other side's within a round, and the CPU time of a step."""
    turns = take_turns({"ours": PythonSide(FLAGS.python, case), **{side: start(side, case) for side in others}})
    return {"case": case, **record_of(turns), "ours_over": {side: turns.ours_over(side) for side in others}}


def main(_: list[str]) -> None:
    results = {}
    others = [*FLAGS.sides, *(["earlier"] if FLAGS.earlier_python else [])]
    begin_table(["game", "steps/s", "CPU us per step", *(f"over {side}" for side in others)])
    for game in FLAGS.games:
        result = results[game] = compare({"task": f"{game}-v5", "num_threads": 2, **SHAPES[FLAGS.shape]}, others)
        rate, cpu = result["steps_per_s"]["ours"]["median"], result["cpu_us_per_step"]["ours"]
        ratios = [times(result["ours_over"][side]) for side in others]
        print(row([game, f"{rate:,.0f}", f"{cpu:.1f}", *ratios]), flush=True)
    write_json(summary=print_summary(results, others), results=results)


if __name__ == "__main__":
    run(main)
