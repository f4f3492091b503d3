# SPDX-License-Identifier: Apache-2.0
"""Measures the games of pgx: CPU time of a step of a pool, of the released EnvPool's, and of pgx's in a jitted scan.

All sides play random legal moves on one thread, and begin a new game after each end. Choosing the moves is not counted.
The pools have as many games as a batch of pgx, because the rows of 1,024 large games do not fit into a processor's caches.
The sides take turns; the least time of --rounds rounds counts, because other programs only add to it.

    pip install pgx
    python benchmark/boards.py          # installs EnvPool 1.2.7, which needs Python 3.12; or see --peer_python
"""

import json
import subprocess

from absl import flags
from harness import begin_table, define_choices, peer_python, row, run, write_json

FLAGS = flags.FLAGS
FLAGS.set_default("peer_version", "1.2.7")  # earlier releases do not have these environments
FLAGS.set_default("peer_venv", "build/venv/peer-1.2.7")
GAMES = {  # pgx's names, and how many games are played at a time
    "TicTacToe-v1": ("tic_tac_toe", 1024),
    "ConnectFour-v1": ("connect_four", 1024),
    "Othello-v1": ("othello", 1024),
    "Hex-v1": ("hex", 1024),
    "Backgammon-v1": ("backgammon", 256),
    "KuhnPoker-v1": ("kuhn_poker", 1024),
    "LeducHoldem-v1": ("leduc_holdem", 1024),
    "SparrowMahjong-v1": ("sparrow_mahjong", 256),
    "Play2048-v1": ("2048", 1024),
    "Go9x9-v1": ("go_9x9", 256),
    "Go19x19-v1": ("go_19x19", 64),
    "GardnerChess-v1": ("gardner_chess", 256),
    "Chess-v1": ("chess", 256),
    "AnimalShogi-v1": ("animal_shogi", 256),
    "Shogi-v1": ("shogi", 64),
}
define_choices("games", GAMES, "ids of the games")
flags.DEFINE_integer("num_envs", None, "environments of a pool (default: as many as a batch of pgx)", lower_bound=1)
flags.DEFINE_integer("steps", 200, "steps of a pool in a round", lower_bound=1)

POOL = """
import json, sys, time
import numpy as np
import envpool

task, num_envs, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def make():
    return envpool.make_gymnasium(task, num_envs=num_envs, num_threads=1, seed=1)

env, rng, actions = make(), np.random.default_rng(1), []
_, info = env.reset()
for _ in range(steps):
    mask = np.asarray(info["action_mask"] if "action_mask" in info else info["legal_action_mask"]).reshape(num_envs, -1)
    actions.append((rng.random(mask.shape, np.float32) * mask).argmax(axis=1).astype(np.int32))
    info = env.step(actions[-1])[-1]
# The same games are played again, because choosing moves between steps would empty the caches.
env = make()
env.reset()
started = time.process_time()
for action in actions:
    env.step(action)
print(json.dumps((time.process_time() - started) / steps / num_envs))
"""
PGX = """
import json, os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import jax, jax.numpy as jnp, pgx
from pgx.experimental import auto_reset

game, num_envs = sys.argv[1], int(sys.argv[2])
env = pgx.make(game)
step = jax.vmap(auto_reset(env.step, env.init))
numbers = jnp.arange(env.num_actions, dtype=jnp.uint32) * jnp.uint32(2654435761)

def choose(seeds, mask):
    hashes = ((numbers ^ seeds[:, None]) * jnp.uint32(2246822519)) >> 8
    return jnp.argmax(jnp.where(mask, hashes.astype(jnp.int32), -1), axis=1)

def turn(carry, key):
    state, chosen = carry
    action = choose(jax.random.bits(key, (num_envs,), jnp.uint32), state.legal_action_mask)
    if sys.argv[3] == "step":
        state = step(state, action, jax.random.split(key, num_envs))
    return (state, chosen + action), None

def least(steps):
    play = jax.jit(lambda carry, key: jax.lax.scan(turn, carry, jax.random.split(key, steps))[0])
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), num_envs))
    carry = jax.block_until_ready(play((state, jnp.zeros(num_envs, jnp.int32)), jax.random.key(1)))
    times = []
    for round_ in range(4):
        started = time.process_time()
        carry = jax.block_until_ready(play(carry, jax.random.key(round_)))
        times.append((time.process_time() - started) / steps / num_envs)
    return min(times)

print(json.dumps(least(20)))
"""


def measure(python: str, program: str, *arguments: object) -> float:
    """Returns the number of seconds that a program prints."""
    command = [python, "-I", "-W", "ignore", "-c", program, *map(str, arguments)]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(json.loads(out.rstrip().split("\n")[-1]))


def main(_: list[str]) -> None:
    peer = peer_python(FLAGS.games)
    begin_table(["game", "µs", "EnvPool µs", "pgx µs", "x EnvPool", "x pgx"])
    results = []
    for task in FLAGS.games:
        name, batch = GAMES[task]
        num_envs = FLAGS.num_envs or batch
        times: dict[str, list[float]] = {"this package": [], "EnvPool": [], "pgx": []}
        for _round in range(FLAGS.rounds):
            times["this package"].append(measure(FLAGS.python, POOL, task, num_envs, FLAGS.steps))
            times["EnvPool"].append(measure(peer, POOL, task, num_envs, max(FLAGS.steps // 10, 1)))
            choice = measure(FLAGS.python, PGX, name, batch, "choose")
            times["pgx"].append(measure(FLAGS.python, PGX, name, batch, "step") - choice)
        ours, envpool, pgx = (min(found) for found in times.values())
        cells = [f"{1e6 * seconds:.3g}" for seconds in (ours, envpool, pgx)]
        print(row([task, *cells, f"{envpool / ours:.1f}", f"{pgx / ours:.1f}"]), flush=True)
        results.append({"task": task, "seconds": times})
    write_json(results=results)


if __name__ == "__main__":
    run(main)
