# SPDX-License-Identifier: Apache-2.0
"""Measures Craftax, Overcooked, Hanabi, Jumanji and Procgen: CPU time of a step, beside EnvPool and the references.

Ours are measured in a pool and in a jitted scan, and those of craftax, JaxMARL and Jumanji in a jitted scan. All play
random actions on one CPU. Choosing them is not counted in pools, and costs little in scans. Worlds that end begin
again, except in craftax, which would make a new world in every step for this. EnvPool has fewer environments, because it
takes longer. The sides take turns; the least time of --rounds rounds counts, because other programs only add to it.

    pip install jaxmarl jumanji && pip install --no-deps craftax==1.6.1
    python benchmark/worlds.py          # installs EnvPool 1.2.7, which needs Python 3.12; or see --peer_python
"""

import json
import subprocess
from typing import NamedTuple

from absl import flags
from harness import begin_table, define_choices, peer_python, row, run, write_json


class Case(NamedTuple):
    """An environment.

    Attributes:
        reference: what the program REFERENCE calls it: a layout, or a folder and a kind of observations of craftax. If it
            is empty, no reference is measured.
        in_envpool: whether EnvPool has it.
        batch: environments of a scan.
    """

    reference: str
    in_envpool: bool
    batch: int


FLAGS = flags.FLAGS
FLAGS.set_default("peer_version", "1.2.7")  # earlier releases do not have these environments
FLAGS.set_default("peer_venv", "build/venv/peer-1.2.7")
CASES = {
    "Craftax-Classic-Symbolic-v1": Case("craftax_classic symbolic", in_envpool=True, batch=256),
    "Craftax-Classic-Pixels-v1": Case("craftax_classic pixels", in_envpool=True, batch=64),
    "Craftax-Symbolic-v1": Case("craftax symbolic", in_envpool=True, batch=64),
    "Craftax-Pixels-v1": Case("craftax pixels", in_envpool=True, batch=64),
    "Overcooked-v0": Case("cramped_room", in_envpool=False, batch=1024),
    "Hanabi-v0": Case("hanabi", in_envpool=False, batch=1024),
    **{
        name: Case(name, in_envpool=True, batch=1024)
        for name in (
            *("Cleaner-v0", "Connector-v3", "Game2048-v1", "LevelBasedForaging-v0", "Maze-v0", "Minesweeper-v0"),
            *(
                "RobotWarehouse-v0",
                "RubiksCube-v0",
                "RubiksCube-partly-scrambled-v0",
                "SlidingTilePuzzle-v0",
                "Snake-v1",
            ),
        )
    },
    # EnvPool has no file with puzzles.
    **{name: Case(name, in_envpool=False, batch=1024) for name in ("Sudoku-v0", "Sudoku-very-easy-v0")},
    **{
        f"{game}{mode}-v0": Case("", in_envpool=True, batch=64)
        for games, modes in (
            ("Bigfish Bossfight Climber Coinrun Fruitbot Ninja Plunder", "Easy Hard"),
            ("Caveflyer Heist Jumper Maze Miner", "Easy Hard Memory"),
            ("Chaser Leaper Starpilot", "Easy Hard Extreme"),
            ("Dodgeball", "Easy Hard Extreme Memory"),
        )
        for game in games.split()
        for mode in modes.split()
    },
}
define_choices("tasks", CASES, "ids of the environments")
flags.DEFINE_integer("num_envs", 1024, "environments of a pool", lower_bound=1)
flags.DEFINE_integer("steps", 300, "steps of a pool in a round; the length of a day of Craftax", lower_bound=1)

POOL = """
import json, sys, time
import numpy as np
import envpool

task, num_envs, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
env = envpool.make_gymnasium(task, num_envs=num_envs, num_threads=1, seed=1)
env.reset()
rows = num_envs * (2 if task.startswith("Overcooked") else 1)
rng = np.random.default_rng(1)
space = env.action_space
numbers = space.n if hasattr(space, "n") else space.nvec if hasattr(space, "nvec") else space.high + 1
actions = rng.integers(0, numbers, (steps + 3, rows, *space.shape)).astype(np.int32)
for action in actions[:3]:
    env.step(action)
started = time.process_time()
for action in actions[3:]:
    env.step(action)
print(json.dumps((time.process_time() - started) / steps / num_envs))
"""
SCAN = """
import os, sys, time, json
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import jax, jax.numpy as jnp
name, num_envs, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
{make}
def turn(carry, key):
    state, seen = carry
    state, reward, obs = step(key, state, actions(key))
    return (state, seen + reward + jax.tree.leaves(obs)[0].reshape(num_envs, -1)[:, -1].astype(jnp.float32)), None

play = jax.jit(lambda carry, key: jax.lax.scan(turn, carry, jax.random.split(key, steps))[0])
carry = jax.block_until_ready(play((state, jnp.zeros(num_envs)), jax.random.key(1)))
times = []
for round_ in range(2):
    started = time.process_time()
    carry = jax.block_until_ready(play(carry, jax.random.key(round_)))
    times.append((time.process_time() - started) / steps / num_envs)
print(json.dumps(min(times)))
"""
OURS = SCAN.replace(
    "{make}",
    """
import envpool.jax
space = envpool.make_spec(name).action_space
numbers = jnp.asarray(space.n if hasattr(space, "n") else space.nvec)
env, params = envpool.jax.make(name)
_, state = env.reset_batch(jax.random.key(0), num_envs, params)

def actions(key):
    shape = (num_envs, 2) if name.startswith("Overcooked") else (num_envs, *space.shape)  # Hanabi's players take turns
    return jax.random.randint(key, shape, 0, numbers)

def step(key, state, action):
    obs, state, reward, done, info = env.step_batch(None, state, action, params)
    return state, reward.reshape(num_envs, -1)[:, 0], obs
""",
)
REFERENCE = SCAN.replace(
    "{make}",
    """
if name in ("cramped_room", "hanabi"):
    import jaxmarl
    from jaxmarl.environments.overcooked import overcooked_layouts
    if name == "hanabi":
        env, moves = jaxmarl.make(name), 21
    else:
        env, moves = jaxmarl.make("overcooked", layout=overcooked_layouts[name]), 6
    _, state = jax.vmap(env.reset)(jax.random.split(jax.random.key(0), num_envs))

    def actions(key):
        return dict(zip(env.agents, jax.random.randint(key, (2, num_envs), 0, moves)))

    def step(key, state, action):
        obs, state, reward, done, info = jax.vmap(env.step)(jax.random.split(key, num_envs), state, action)
        first = env.agents[0]
        return state, reward[first], obs[first]
elif name.endswith(("-v0", "-v1", "-v3")):
    import jumanji
    from jumanji.wrappers import VmapAutoResetWrapper
    env = VmapAutoResetWrapper(jumanji.make(name))
    state, _ = env.reset(jax.random.split(jax.random.key(0), num_envs))
    numbers = jnp.asarray(env.action_spec.num_values)

    def actions(key):
        return jax.random.randint(key, (num_envs, *numbers.shape), 0, numbers)

    def step(key, state, action):
        state, timestep = env.step(state, action)
        return state, timestep.reward.reshape(num_envs, -1)[:, 0], timestep.observation
else:
    import importlib
    game, kind = name.split()
    constants, renderer = (importlib.import_module(f"craftax.{game}.{part}") for part in ("constants", "renderer"))
    envs = importlib.import_module(f"craftax.{game}.envs.craftax_{kind}_env")

    # It would also make large textures, for a minute, and write them into its folder.
    size = constants.BLOCK_PIXEL_SIZE_AGENT
    renderer.load_all_textures = lambda: {size: constants.load_all_textures_given_size(size)}
    middle = "Classic" if game == "craftax_classic" else ""
    env = getattr(envs, f"Craftax{middle}{kind.title()}EnvNoAutoReset")()
    params = env.default_params
    _, state = jax.vmap(env.reset, (0, None))(jax.random.split(jax.random.key(0), num_envs), params)

    def actions(key):
        return jax.random.randint(key, (num_envs,), 0, env.num_actions)

    def step(key, state, action):
        keys = jax.random.split(key, num_envs)
        obs, state, reward, done, info = jax.vmap(env.step, (0, 0, 0, None))(keys, state, action, params)
        return state, reward, obs
""",
)


def measure(python: str, program: str, *arguments: object) -> float:
    """Returns the number of seconds that a program prints."""
    command = [python, "-I", "-W", "ignore", "-c", program, *map(str, arguments)]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(json.loads(out.rstrip().split("\n")[-1]))


def main(_: list[str]) -> None:
    compared = [task for task in FLAGS.tasks if CASES[task].in_envpool]
    peer = peer_python(compared) if compared else ""
    begin_table(["environment", "pool µs", "in jit µs", "EnvPool µs", "reference µs", "x EnvPool", "x reference"])
    results = []
    for task in FLAGS.tasks:
        case = CASES[task]
        times: dict[str, list[float]] = {"pool": [], "in jit": [], "EnvPool": [], "reference": []}
        for _round in range(FLAGS.rounds):
            times["pool"].append(measure(FLAGS.python, POOL, task, FLAGS.num_envs, FLAGS.steps))
            times["in jit"].append(measure(FLAGS.python, OURS, task, case.batch, FLAGS.steps))
            if case.in_envpool:
                times["EnvPool"].append(measure(peer, POOL, task, max(FLAGS.num_envs // 16, 1), FLAGS.steps))
            if case.reference:
                times["reference"].append(measure(FLAGS.python, REFERENCE, case.reference, case.batch, FLAGS.steps))
        least = {side: min(found) if found else None for side, found in times.items()}
        ours, cells = least["pool"], [f"{1e6 * seconds:.3g}" if seconds else "-" for seconds in least.values()]
        assert ours
        ratios = [f"{seconds / ours:.1f}" if (seconds := least[side]) else "-" for side in ("EnvPool", "reference")]
        print(row([task, *cells, *ratios]), flush=True)
        results.append({"task": task, "seconds": times})
    write_json(results=results)


if __name__ == "__main__":
    run(main)
