# SPDX-License-Identifier: Apache-2.0
"""Atari, game by game: this package, the released EnvPool, ale-py's own vector environment, gymnasium's processes.

Sides, turns and ratios are those of pool.py. Ratios over the games are geometric means of the games' medians.

    python benchmark/atari.py                                    # 20 games, 100 environments, two threads
    python benchmark/atari.py --shape=single --games=Pong --sides=envpool
"""

import math

import pool
from absl import flags

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
flags.DEFINE_list("games", GAMES, "which games")
flags.DEFINE_enum("shape", "sync", sorted(SHAPES), "100 environments in step, 100 in batches of 32, or one alone")
flags.DEFINE_list("sides", ["envpool", "ale", "gymnasium"], "whom to measure us against")


def sides_of(case: dict) -> dict:
    """A runner for each side; gymnasium has two processes, as we have two threads."""
    sides = {"ours": pool.Runner(FLAGS.python, case)}
    if "envpool" in FLAGS.sides:
        sides["envpool"] = pool.Runner(pool.peer_python(), case)
    if "ale" in FLAGS.sides:
        sides["ale"] = pool.Runner(FLAGS.python, {**case, "loop": "ale"})
    if "gymnasium" in FLAGS.sides:
        sides["gymnasium"] = pool.Runner(
            FLAGS.python, {**case, "loop": "gymnasium_async", "atari": True, "num_threads": 2}
        )
    return sides


def compare(case: dict) -> dict:
    """Ratios of our rate to each side's within a round, and CPU time of a step."""
    turns = pool.Turns(sides_of(case))
    ours_over = {name: turns.ours_over(name) for name in turns.sides if name != "ours"}
    return {"case": case, **turns.record(), "ours_over": ours_over}


def main(_: list[str]) -> None:
    results = {}
    print("| game | steps/s | CPU us a step | " + " | ".join(f"over {side}" for side in FLAGS.sides) + " |")
    print("|---" * (3 + len(FLAGS.sides)) + "|", flush=True)
    for game in FLAGS.games:
        result = results[game] = compare({"task": f"{game}-v5", "num_threads": 2, **SHAPES[FLAGS.shape]})
        cells = [game, f"{result['steps_per_s']['ours']['median']:,.0f}", f"{result['cpu_us_per_step']['ours']:.1f}"]
        print("| " + " | ".join(cells + [pool.times(result["ours_over"][x]) for x in FLAGS.sides]) + " |", flush=True)
    summary = {}
    for side in FLAGS.sides:
        ratios = {game: results[game]["ours_over"][side]["median"] for game in results}
        worst = min(ratios, key=ratios.__getitem__)
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        summary[side] = {"geometric_mean": mean, "worst": ratios[worst], "worst_game": worst}
        print(f"over {side}: geometric mean {mean:.2f}x, worst {ratios[worst]:.2f}x ({worst})")
    pool.write_json(summary=summary, results=results)


if __name__ == "__main__":
    pool.run(main)
