# SPDX-License-Identifier: Apache-2.0
"""Compares snapshots of Atari games with ale-py's cloneState and restoreState.

Both sides play the same games with random actions in one process, and take turns. ale-py's state contains neither the
screen nor the images of an observation; ours contains everything that the next observations need. `many` is the time
per environment if one call saves or restores all of them.

    python benchmark/snapshots.py                        # five games
    python benchmark/snapshots.py --games=Pong,Qbert --num_envs=1000
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import ale_py
import numpy as np
from absl import flags
from harness import begin_table, row, run, write_json

import envpool
from envpool.python.registry import find

FLAGS = flags.FLAGS
flags.DEFINE_list("games", ["Breakout", "MontezumaRevenge", "Pong", "Qbert", "Seaquest"], "names of games")
flags.DEFINE_integer("num_envs", 64, "environments that one call saves and restores", lower_bound=1)

OPERATIONS = ("save", "restore", "save many", "restore many")
STEPS = 200  # played before the measurement, of four frames each


def microseconds(call: Callable[[], Any], seconds: float) -> float:
    """Returns the CPU time of one call, measured for at least this many seconds."""
    count = 1
    while True:
        begin = time.thread_time()
        for _ in range(count):
            call()
        elapsed = time.thread_time() - begin
        if elapsed >= seconds:
            return elapsed / count * 1e6
        count *= 2


def sides_of(game: str) -> tuple[dict[str, dict[str, Callable[[], Any]]], dict[str, int]]:
    """Returns the operations of both sides, and the sizes of their states in bytes."""
    rng = np.random.default_rng(1)
    env = envpool.make_gymnasium(f"{game}-v5", num_envs=FLAGS.num_envs, num_threads=1)
    env.reset()
    actions = env.spec.arrays.actions[0]
    for _ in range(STEPS):
        env.step(rng.integers(int(actions.low.max()), int(actions.high.max()) + 1, FLAGS.num_envs))
    states = env.snapshot()

    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.loadROM(ale_py.roms.get_rom_path(find(f"{game}-v5").defaults["task"]))
    ale.reset_game()
    legal = ale.getMinimalActionSet()
    for _ in range(4 * STEPS):
        ale.act(legal[rng.integers(len(legal))])
        if ale.game_over():
            ale.reset_game()
    state = ale.cloneState()
    ours = {
        "save": lambda: env.snapshot(0),
        "restore": lambda: env.restore(0, states[0]),
        "save many": env.snapshot,
        "restore many": lambda: env.restore(None, states),
    }
    theirs = {"save": ale.cloneState, "restore": lambda: ale.restoreState(state)}
    sizes = {"ours": len(states[0]), "raw": env._pool.state_bytes(0), "ale-py": len(state.serialize())}
    return {"ours": ours, "ale-py": theirs}, sizes


def compare(game: str) -> dict[str, Any]:
    """Returns the median time of each operation, and the sizes."""
    sides, sizes = sides_of(game)
    rounds: dict[str, list[float]] = {}
    for turn in range(FLAGS.rounds + 1):
        for side, operations in sides.items():
            for name, call in operations.items():
                one = microseconds(call, FLAGS.window / 20) / (FLAGS.num_envs if "many" in name else 1)
                if turn > 0:  # the first turn is a warm-up
                    rounds.setdefault(f"{side}, {name}", []).append(one)
    return {"us": {name: statistics.median(values) for name, values in rounds.items()}, "bytes": sizes}


def main(_: list[str]) -> None:
    results = {}
    print(f"CPU µs per environment and bytes; many: {FLAGS.num_envs} environments in one call\n")
    columns = [
        f"{side}, {name}" for name in OPERATIONS for side in ("ours", "ale-py") if side == "ours" or "many" not in name
    ]
    begin_table(["game", *columns, "ours, bytes", "state, bytes", "ale-py, bytes"])
    for game in FLAGS.games:
        result = results[game] = compare(game)
        times = [f"{result['us'][name]:.1f}" for name in columns]
        print(row([game, *times, *(f"{size:,}" for size in result["bytes"].values())]), flush=True)
    write_json(results=results)


if __name__ == "__main__":
    run(main)
