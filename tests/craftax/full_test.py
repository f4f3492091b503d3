# SPDX-License-Identifier: Apache-2.0
"""Compares Craftax in full with the package craftax, and our random numbers with its distributions.

The comparison of steps is a program (full/beside_craftax.py), because it needs JAX with other flags than other tests.
ENVPOOL_TEST_CRAFTAX sets how many seeds it runs with.
"""

from __future__ import annotations

import collections
import ctypes
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

import envpool
from tests.craftax.full.states import FLOORS, SIDE, STATE
from tests.support import libraries
from tests.support.capi import Functions, pointer
from tests.support.chi_square import SMALLEST_P, ChiSquare

if sys.version_info < (3, 11):
    pytest.skip("craftax is installed with Python 3.11", allow_module_level=True)

SEEDS = int(os.environ.get("ENVPOOL_TEST_CRAFTAX", "1"))
GRASS, STONE, PATH, GRAVE = 2, 4, 7, 33
ALL_MADE = 2**FLOORS - 1


def functions(**options):
    library = ctypes.CDLL(libraries.library("craftax_testing"))
    return Functions(library, "CraftaxSymbolic", STATE, **options)


def whole_worlds(count, seed):
    """Returns new worlds of ours with all floors."""
    ours = functions()
    states, lights = ours.reset(count, seed=seed), np.zeros((count, 4, SIDE, SIDE), np.float32)
    arguments = map(pointer, (states, lights))
    ours.library.test_full_make_floors(
        ctypes.byref(ours.options), *arguments, ctypes.c_uint64(seed + 1), ctypes.c_int64(count)
    )
    assert (states["made"] == ALL_MADE).all()
    return states


def run_beside_craftax(*arguments):
    """Runs the comparison, and returns what it has counted."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XLA_", "JAX_"))}
    run = subprocess.run(
        [sys.executable, "-m", "tests.craftax.full.beside_craftax", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("what", ["steps", "worlds"])
def test_steps_and_worlds_equal_those_of_craftax(what, seed):
    if what == "worlds":
        check_distribution(np.array(run_beside_craftax("--worlds", 30, "--seed", seed)["cells"]))
        return
    counts = run_beside_craftax("--seed", seed)
    print(counts)
    achievements = {f"achievement {i}" for i in range(67)}
    assert not [name for name, count in counts.items() if count == 0 and name not in achievements]
    assert sum(counts[name] > 0 for name in achievements) > 60


def check_distribution(theirs):
    """Compares how often each kind of cell is on each floor."""
    cells = whole_worlds(500, 5)["cell"].reshape(-1, FLOORS, SIDE * SIDE)
    ours = np.array([[np.bincount(one, minlength=256) for one in floors] for floors in cells])
    fits = []
    for floor in range(FLOORS):
        seen = set(np.flatnonzero(theirs[:, floor].sum(axis=0) > 20))
        assert seen <= set(np.flatnonzero(ours[:, floor].sum(axis=0)))
        for cell in sorted(seen):
            fits.append((stats.ks_2samp(theirs[:, floor, cell], ours[:, floor, cell]).pvalue, floor, cell))
    assert min(fits)[0] > SMALLEST_P / len(fits), min(fits)


def test_a_floor_is_made_when_the_player_comes_to_it():
    ours = functions()
    states = ours.reset(20)
    assert (states["made"] == 1).all()
    cells = states["ladder_down"][:, 0].astype(int)
    states["y"], states["x"] = np.divmod(cells, SIDE)
    overworld = states["cell"][:, 0].copy()
    reward, _ = ours.step(states, 18, seed=3)
    assert (states["level"] == 1).all() and (states["made"] == 3).all() and (reward == 3).all()
    assert (states["y"] * SIDE + states["x"] == states["ladder_up"][:, 1]).all()
    assert (states["cell"][:, 1].reshape(20, -1)[range(20), states["ladder_up"][:, 1]] == PATH + 3 * 64).all()
    first = states["cell"][:, 1].copy()
    ours.step(states, 19, seed=4)
    assert (states["level"] == 0).all() and (states["y"] * SIDE + states["x"] == cells).all()
    ours.step(states, 18, seed=5)
    assert (states["level"] == 1).all()
    np.testing.assert_array_equal(states["cell"][:, 1], first)
    np.testing.assert_array_equal(states["cell"][:, 0], overworld)


def test_chests_contain_what_they_should():
    n = 100_000
    names = ("torches", "arrows", "ore", "ores", "potion", "potions", "pickaxe", "sword")
    loot = np.zeros(n, [(name, "u1") for name in names])
    library = ctypes.CDLL(libraries.library("craftax_testing"))
    library.test_full_loot(ctypes.c_uint64(3), pointer(loot), ctypes.c_int64(n))
    fit = ChiSquare()
    fit.add(collections.Counter(loot["torches"].tolist()), {0: 0.4, **dict.fromkeys(range(4, 8), 0.15)})
    fit.add(collections.Counter(loot["arrows"].tolist()), {0: 0.75, **dict.fromkeys(range(1, 5), 0.0625)})
    ores = {(2, 1): 0.06, (2, 2): 0.06, (2, 3): 0.06, (3, 1): 0.09, (3, 2): 0.09, (4, 1): 0.09, (5, 1): 0.075}
    ores |= {(6, 1): 0.075, (2, 0): 0.4}
    fit.add(collections.Counter(zip(loot["ore"].tolist(), loot["ores"].tolist(), strict=True)), ores)
    some = loot[loot["potions"] > 0]
    fit.add(collections.Counter((loot["potions"] > 0).tolist()), {False: 0.5, True: 0.5})
    pairs = {(color, count): 1 / 12 for color in range(6) for count in (1, 2)}
    fit.add(collections.Counter(zip(some["potion"].tolist(), some["potions"].tolist(), strict=True)), pairs)
    levels = {1: 0.4, 2: 0.3, 3: 0.2, 4: 0.1}
    tools = {(0, 0): 0.8} | {(p, 0): 0.1 * x for p, x in levels.items()} | {(0, p): 0.1 * x for p, x in levels.items()}
    fit.add(collections.Counter(zip(loot["pickaxe"].tolist(), loot["sword"].tolist(), strict=True)), tools)
    fit.check()


@pytest.mark.parametrize(
    ("level", "block", "mob", "nearest", "furthest"),
    [(6, 25, 3, 10, 195), (6, 25, 0, 82, 195), (5, 3, 6, 82, 195), (8, GRAVE, 0, 0, 36), (8, GRAVE, 6, 0, 36)],
)
def test_mobs_appear_at_all_places_alike(level, block, mob, nearest, furthest):
    """The player is near an edge; a half of the places have another block."""
    ours = functions()
    n = 60_000
    states = whole_worlds(1, 9)
    states["level"], states["y"], states["x"] = level, 3, 20
    rng = np.random.default_rng(0)
    states["cell"][0, level] = np.where(rng.random((SIDE, SIDE)) < 0.5, block, STONE)
    states["cell"][0, level, 3, 20] = PATH
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    way = (rows - 3) ** 2 + (columns - 20) ** 2
    allowed = (states["cell"][0, level] == block) & (way >= nearest) & (way <= furthest)
    cells = np.flatnonzero(allowed.ravel()).tolist()
    copies = np.repeat(states, n)
    ours.step(copies, 0, seed=1)
    mobs = copies["mobs"][:, level]
    mobs = mobs[mobs["alive"] >> mob & 1 == 1]
    chance = 1 if level == 8 else 0.1 if mob == 3 else 0.18 if mob == 0 else 0.15
    assert abs(len(mobs) / n - chance) < 0.01
    if (level, mob) == (8, 6):  # Another mob has taken one of the cells.
        return
    fit = ChiSquare()
    fit.add(collections.Counter(mobs["cell"][:, mob].tolist()), dict.fromkeys(cells, 1 / len(cells)))
    fit.check()


def test_effects_of_potions_are_equally_likely():
    effects = functions().reset(20_000, seed=2)["potion_effect"]
    assert (np.sort(effects, axis=1) == np.arange(6)).all()
    fit = ChiSquare()
    for one, other in ((0, 1), (2, 5), (4, 3)):
        pairs = {(a, b): 1 / 30 for a in range(6) for b in range(6) if a != b}
        fit.add(collections.Counter(map(tuple, effects[:, [one, other]].tolist())), pairs)
    fit.check()


def test_time_limit_and_spaces():
    env = envpool.make("Craftax-Symbolic-v1", num_envs=3, max_episode_steps=4)
    obs, info = env.reset()
    assert obs.shape == (3, 8268) and info["achievements"].shape == (3, 67)
    for step in range(4):
        _, _, terminated, truncated, _ = env.step(np.zeros(3, np.int32))
        assert not terminated.any() and (truncated == (step == 3)).all()
    assert envpool.make_spec("Craftax/Symbolic-v1").config.max_episode_steps == 100_000


def test_images_differ():
    env = envpool.make("Craftax-Symbolic-v1", num_envs=3, render_mode="rgb_array")
    env.reset()
    env.step(np.array([1, 2, 3]))
    images = [np.asarray(image).tobytes() for image in env.render(env_ids=[0, 1, 2])]
    assert len(set(images)) == 3
