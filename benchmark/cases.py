# SPDX-License-Identifier: Apache-2.0
"""Defines the cases of suite.py: the tasks, the sides (libraries) that each task compares, and each part's cases."""

import os

CORES = len(os.sched_getaffinity(0))
THREADS = sorted({t for k in range(8) if (t := 2**k) <= CORES} | {CORES})

# The label of a side in tables, its virtual environment (build/venv/...), and its loop if it differs from the case's.
SIDES = {
    "ours": ("this package", "bench", None),
    "envpool": ("EnvPool", "peer", None),
    "ale": ("ale-py vector", "bench-ale", "ale"),
    "gymnasium": ("gymnasium", "bench-gymnasium", "gymnasium"),
    "gymnasium_sync": ("gymnasium Sync", "bench-gymnasium", "gymnasium_sync"),
    "gymnasium_async": ("gymnasium Async", "bench-gymnasium", "gymnasium_async"),
    "gymnasium_numpy": ("gymnasium NumPy", "bench-gymnasium", "gymnasium_numpy"),
    "gymnax": ("gymnax", "bench-gymnax", "gymnax"),
    "rollout": ("mujoco.rollout", "bench-rollout", "rollout"),
    "ale_alone": ("floor: ALE's emulator alone", "bench-ale", "ale_alone"),
    "floor": ("floor: plain C++ loop", None, None),
}
FLOORS = {"floor", "ale_alone"}

MUJOCO = ["envpool", "rollout", "gymnasium_sync", "gymnasium_async", "floor"]
TASKS = {
    "CartPole-v1": {
        "sides": ["envpool", "gymnasium_sync", "gymnasium_async", "gymnasium_numpy", "gymnax", "floor"],
        "num_envs": [1, 16, 128, 1024, 8192],
        "quick": [1, 1024],
        "num_threads": 1,
    },
    "MiniGrid-DoorKey-8x8-v0": {
        "sides": ["envpool", "gymnasium_sync", "gymnasium_async"],
        "num_envs": [1, 16, 128, 1024],
        "quick": [128],
        "num_threads": 1,
    },
    "LunarLander-v3": {
        "sides": ["envpool", "gymnasium_sync", "gymnasium_async"],
        "num_envs": [1, 16, 128, 1024],
        "quick": [],
        "num_threads": 1,
    },
    "BipedalWalker-v3": {
        "sides": ["envpool", "gymnasium_sync", "gymnasium_async"],
        "num_envs": [1, 16, 128, 1024],
        "quick": [128],
        "num_threads": 1,
    },
    "CarRacing-v3": {
        "sides": ["envpool", "gymnasium_sync", "gymnasium_async"],
        "num_envs": [1, 16, 128],
        "quick": [],
        "num_threads": 1,
    },
    "Pong-v5": {
        "sides": ["envpool", "ale", "gymnasium_sync", "gymnasium_async", "ale_alone"],
        "num_envs": [1, 8, 32, 100, 256],
        "quick": [1, 32],
        "num_threads": CORES,
        "atari": True,
    },
    # "loop" has the arguments of the C++ loop over mj_step: the model, simulation steps per action, whether contact
    # forces are read, and the noise of a reset. No episode ends before its time limit, so that all sides simulate the
    # same physics.
    "HalfCheetah-v5": {
        "sides": MUJOCO,
        "num_envs": [1, 8, 32, 256],
        "quick": [1, 32],
        "num_threads": CORES,
        "loop": ("half_cheetah.xml", 5, False, 0.1),
    },
    "Ant-v5": {
        "sides": MUJOCO,
        "num_envs": [1, 8, 32, 256],
        "quick": [],
        "num_threads": CORES,
        "options": {"terminate_when_unhealthy": False},
        "loop": ("ant.xml", 5, True, 0.1),
    },
}
THREADED = ("envpool", "ale", "rollout", "floor")  # sides whose speed depends on threads
ONE = {
    "gymnasium_sync": "gymnasium",
    "gymnasium_async": None,
    "gymnasium_numpy": None,
}  # for each of these sides: the side that replaces it if there is only one environment


def case(task, num_envs, loop="sync", **more):
    facts = TASKS[task]
    found = {"task": task, "loop": loop, "num_envs": num_envs, "options": facts.get("options", {}), **more}
    found.setdefault("num_threads", facts["num_threads"])
    found.setdefault("sides", facts["sides"])
    if "atari" in facts:
        found["atari"] = True
    return found


def chosen(quick, tasks):
    return [task for task in TASKS if task in tasks and (not quick or TASKS[task]["quick"])]


def throughput(quick, tasks):
    return [case(t, n) for t in chosen(quick, tasks) for n in TASKS[t]["quick" if quick else "num_envs"]]


def threads(quick, tasks):
    found = []
    for task in chosen(quick, tasks):
        num_envs = TASKS[task]["quick" if quick else "num_envs"][-1]
        sides = [s for s in TASKS[task]["sides"] if s in THREADED and not (task == "CartPole-v1" and s == "floor")]
        found += [case(task, num_envs, num_threads=t, sides=sides) for t in THREADS]
    return found


def batch(quick, tasks):
    """Returns cases of asynchronous pools. The last batch size is the whole pool, so that its steps are synchronous."""
    found = []
    for task in chosen(quick, tasks):
        num_envs = {"CartPole-v1": 1024}.get(task, 64)
        sides = [s for s in TASKS[task]["sides"] if s in ("envpool", "ale")]
        for part in (4, 1) if quick else (16, 8, 4, 2, 1):
            found.append(case(task, num_envs, "async", batch_size=num_envs // part, num_threads=CORES, sides=sides))
    return found


def latency(quick, tasks):
    found = []
    for task in chosen(quick, tasks):
        sides = [ONE.get(s, s) for s in TASKS[task]["sides"] if s not in FLOORS and ONE.get(s, s)]
        found.append(case(task, 1, num_threads=1, sides=sides))
    return found


def only(task, sides):
    return [side for side in TASKS[task]["sides"] if side in sides]


def startup(quick, tasks):
    """Returns cases of pools of 64 environments, which are made in a new process each time."""
    return [case(t, 64, sides=only(t, ("envpool", "ale", "gymnasium_sync", "gymnax"))) for t in chosen(quick, tasks)]


def memory(quick, tasks):
    """Returns cases with enough environments to dominate the memory of a process; slow sides make a tenth as many."""
    slow, found = ("envpool", "ale", "gymnasium_sync"), []
    for task in chosen(quick, tasks):
        many = 60000 if task == "CartPole-v1" else 600
        found.append(case(task, many, fewer=dict.fromkeys(slow, many // 10), most=many, sides=only(task, slow)))
    return found


JIT_QUICK = ["CartPole-v1", "Catch-bsuite"]


def jit(tasks):
    """Returns cases of a scan of 300 steps of 2,048 environments inside jax.jit."""
    shape = {"num_envs": 2048, "num_threads": CORES, "length": 300}
    return [{"task": t, "loop": "jit", **shape, "options": {}, "sides": ["gymnax"]} for t in tasks]


# The scripts that make the tables of README and docs, with their options and the further options of a quick run. None:
# a quick run skips the script.
SCRIPTS = {
    "pool": ("pool.py", [], ["--rounds=1", "--window=0.2", "--only=CartPole, 1024"]),
    "pool_light": ("pool.py", ["--light", "--rounds=9", "--window=0.2"], None),
    "atari": ("atari.py", [], ["--rounds=1", "--window=0.2", "--games=Pong", "--sides=envpool,ale"]),
    "atari_async": ("atari.py", ["--shape=async", "--sides=envpool,ale"], None),
    "atari_single": (
        "atari.py",
        ["--shape=single", "--sides=envpool,ale", "--games=Pong,Breakout,Qbert,BeamRider,Seaquest"],
        None,
    ),
    "mujoco": (
        "mujoco.py",
        ["--sides=floor,envpool", "--rounds=4", "--launches=3", "--window=0.25"],
        ["--rounds=1", "--launches=1", "--window=0.2", "--tasks=HalfCheetah", "--shapes=32 envs", "--sides=floor"],
    ),
    "mujoco_vectors": (
        "mujoco.py",
        [
            *["--sides=rollout,gymnasium_sync,gymnasium_async", "--tasks=HalfCheetah,Ant", "--shapes=256 envs"],
            *["--rounds=5", "--window=0.25"],
        ],
        None,
    ),
    "tag": ("tag.py", [], ["--rounds=1", "--window=0.2", "--only=100 players"]),
    "light": ("light.py", ["--games=Pong,Breakout"], ["--num_envs=60", "--peer_num_envs=6"]),
}
