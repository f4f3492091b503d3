# SPDX-License-Identifier: Apache-2.0
"""Compares Craftax-Classic with the package craftax, and our random numbers with its distributions.

The comparison of steps is a program (beside_craftax.py), because it needs JAX with other flags than other tests.
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
from tests.craftax.states import STATE
from tests.support import libraries
from tests.support.capi import Functions, pointer
from tests.support.chi_square import SMALLEST_P, ChiSquare

if sys.version_info < (3, 11):
    pytest.skip("craftax is installed with Python 3.11", allow_module_level=True)

SEEDS = int(os.environ.get("ENVPOOL_TEST_CRAFTAX", "1"))
GRASS, STONE, PATH, TABLE, LAVA = 2, 4, 7, 11, 14


def functions(**options):
    library = ctypes.CDLL(libraries.library("craftax_testing"))
    return Functions(library, "CraftaxClassicSymbolic", STATE, **options)


def run_beside_craftax(*arguments):
    """Runs the comparison, and returns what it has counted."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XLA_", "JAX_"))}
    run = subprocess.run(
        [sys.executable, "-m", "tests.craftax.beside_craftax", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("seed", range(SEEDS))
def test_steps_and_worlds_equal_those_of_craftax(seed):
    counts = run_beside_craftax("--seed", seed)
    print(counts)
    rare = {"left the world", *(f"achievement {i}" for i in (12, 18, 19, 20, 21))}
    assert not [name for name, count in counts.items() if count == 0 and name not in rare]
    assert counts["worlds"] > 100 and counts["steps"] > 10_000
    assert counts["images"] > 10_000 and counts["images of nights"] > 1_000


def test_worlds_have_the_distribution_of_those_of_craftax():
    theirs = np.array(run_beside_craftax("--count_blocks", 256)["blocks"])
    worlds = functions().reset(1024, seed=5)["block"]
    ours = np.array([np.bincount(world.ravel(), minlength=17) for world in worlds])
    seen = set(np.flatnonzero(theirs.sum(axis=0)))
    assert seen == set(np.flatnonzero(ours.sum(axis=0)))
    for block in seen:
        assert stats.ks_2samp(theirs[:, block], ours[:, block]).pvalue > SMALLEST_P / len(seen), block


def test_worlds_begin_on_grass_and_have_a_diamond():
    for diamond in (True, False):
        states = functions(always_diamond=diamond).reset(300)
        assert (states["block"][:, 32, 32] == GRASS).all()
        assert not {0, 1, 6, TABLE, 12, 15, 16} & set(np.unique(states["block"]).tolist())
        has_one = (states["block"] == 10).any(axis=(1, 2))
        assert has_one.all() if diamond else not has_one.all()


def test_moves_are_equally_likely_and_independent():
    n = 60_000
    dtype = np.dtype([("direction", "u1", 8), ("across", "u4"), ("bold", "u4")], align=True)
    moves = np.zeros(n, dtype)
    ctypes.CDLL(libraries.library("craftax_testing")).test_moves(ctypes.c_uint64(3), pointer(moves), ctypes.c_int64(n))
    fit = ChiSquare()
    for mob in range(8):
        choices = 8 if 3 <= mob < 6 else 4
        likely = {0: 1 / 4, 1: 3 / 4} if mob < 3 else {0: 0.85, 1: 0.15} if mob >= 6 else {0: 1.0}
        across = 0.5 if not 3 <= mob < 6 else 0.0
        outcomes = {
            (direction + 1, a, b): (across if a else 1 - across) * likely[b] / choices
            for direction in range(choices)
            for a in range(2 if across else 1)
            for b in likely
        }
        seen = zip(moves["direction"][:, mob], moves["across"] >> mob & 1, moves["bold"] >> mob & 1, strict=True)
        fit.add(collections.Counter((int(d), int(a), int(b)) for d, a, b in seen), outcomes)
    for one, other in ((0, 1), (2, 3), (5, 6), (6, 7)):
        sides = [8 if 3 <= mob < 6 else 4 for mob in (one, other)]
        seen = collections.Counter(map(tuple, moves["direction"][:, [one, other]].tolist()))
        pairs = [(a + 1, b + 1) for a in range(sides[0]) for b in range(sides[1])]
        fit.add(seen, dict.fromkeys(pairs, 1 / len(pairs)))
    fit.check()


@pytest.mark.parametrize(
    ("option", "block", "mob", "nearest"),
    [
        ("spawn_cow_chance", GRASS, 3, 4),
        ("spawn_zombie_base_chance", PATH, 0, 10),
        ("spawn_skeleton_chance", PATH, 6, 10),
    ],
)
def test_mobs_appear_at_all_places_alike(option, block, mob, nearest):
    """The player is near an edge; a half of the places have another block, and an arrow's mob stands on one."""
    names = ("spawn_cow_chance", "spawn_zombie_base_chance", "spawn_skeleton_chance", "spawn_zombie_night_chance")
    ours = functions(**{name: float(name == option) for name in names})
    n = 40_000
    states = ours.reset(1)
    states["y"], states["x"] = 3, 20
    rng = np.random.default_rng(0)
    states["block"] = np.where(rng.random((1, 64, 64)) < 0.5, block, STONE)
    states["block"][0, 3, 20] = GRASS
    rows, columns = np.mgrid[0:64, 0:64]
    way = abs(rows - 3) + abs(columns - 20)
    allowed = (states["block"][0] == block) & (way >= nearest) & (way < 14)
    cells = np.flatnonzero(allowed.ravel()).tolist()
    copies = np.repeat(states, n)
    ours.step(copies, 0, seed=1)
    assert (copies["alive"] == 1 << mob).all()
    fit = ChiSquare()
    fit.add(collections.Counter(copies["mob_cell"][:, mob].tolist()), dict.fromkeys(cells, 1 / len(cells)))
    fit.check()


def test_time_limit_and_achievements():
    env = envpool.make("Craftax-Classic-Symbolic-v1", num_envs=4, max_episode_steps=5)
    obs, info = env.reset()
    assert obs.shape == (4, 1345) and not info["achievements"].any()
    for step in range(5):
        _, _, terminated, truncated, info = env.step(np.zeros(4, np.int32))
        assert not terminated.any() and (truncated == (step == 4)).all()
    assert envpool.make_spec("Craftax-Classic-Symbolic-v1").config.max_episode_steps == 10_000


@pytest.mark.parametrize("prefix", ["Craftax-", "Craftax/"])
def test_auto_reset_begins_the_next_episode_in_the_same_step(prefix):
    plain, auto = f"{prefix}Classic-Symbolic-v1", f"{prefix}Classic-Symbolic-AutoReset-v1"
    options = {"num_envs": 4, "max_episode_steps": 5, "seed": 3}
    env, other = envpool.make(auto, **options), envpool.make(plain, autoreset_mode="same_step", **options)
    assert np.array_equal(env.reset()[0], other.reset()[0])
    for step in range(1, 12):
        (obs, _, _, truncated, info), (other_obs, *_) = (each.step(np.full(4, 5)) for each in (env, other))
        assert np.array_equal(obs, other_obs) and (truncated == (step % 5 == 0)).all()
        if truncated.all():
            assert (info["final_obs"][0] != obs[0]).any()
    assert envpool.make_spec(plain).config.autoreset_mode == "next_step"
    assert envpool.make(auto, autoreset_mode="disabled").config["autoreset_mode"] == "disabled"
    with pytest.raises(ValueError, match="expected 'next_step' or 'disabled' for dm_env, got 'same_step'"):
        envpool.make_dm(auto)
    assert envpool.make_dm(auto, autoreset_mode="next_step").reset().observation.obs.shape == (1, 1345)
    with pytest.raises(ValueError, match=r"autoreset_mode: expected a value, .* \['next_step', 'same_step'\]"):
        envpool.make([plain, auto])
    assert envpool.make([plain, auto], autoreset_mode="same_step").config["autoreset_mode"] == "same_step"
    assert envpool.make([auto, auto]).config["autoreset_mode"] == "same_step"


def test_images_are_of_the_worlds_that_are_observed_as_numbers():
    options = {"num_envs": 8, "seed": 4, "max_episode_steps": 60, "always_diamond": False}
    pixels, symbolic = (envpool.make(f"Craftax-Classic-{kind}-v1", **options) for kind in ("Pixels", "Symbolic"))
    assert (pixels.reset()[0][:, 0, 0] != 0).any()
    symbolic.reset()
    rng = np.random.default_rng(0)
    for _ in range(150):
        actions = rng.integers(0, 17, 8)
        (_, *results, info), (_, *other_results, other_info) = (env.step(actions) for env in (pixels, symbolic))
        for one, other in zip(results, other_results, strict=True):
            assert np.array_equal(one, other)
        assert np.array_equal(info["achievements"], other_info["achievements"])


def test_noise_is_uniform_and_new_in_each_step():
    """With black textures, noise is all that differs between the pixels of a night."""
    library = ctypes.CDLL(libraries.library("craftax_testing"))
    dtype = np.dtype([("game", STATE), ("noise", "u4", 4)])
    ours = Functions(library, "CraftaxClassicPixels", dtype, textures=bytes(46 * 16 * 16 * 4))
    states = ours.reset(40, seed=9)
    light = states["game"]["light"] = np.float32(0.1)
    images = []
    for time in (0, 1, 2, 2, 2**31 - 1):
        states["game"]["time"] = time
        images.append(np.zeros((40, 63, 63, 3), np.float32))
        ours.observe_into(states, images[-1], np.zeros((40, 22), np.uint8))
    assert np.array_equal(images[2], images[3])
    rows, columns = np.linspace(-1, 1, 49)[:, None], np.linspace(-1, 1, 63)
    strength = 2 * (0.5 - light) * (1 - np.exp(-2 * (rows**2 + columns**2)))
    seen = strength > 0.05
    # Red has half of the night's share: the noise, from 32 to 127, times its strength.
    noise = [(image[:, :49, :, 0] * 255 / (1 - light) * 2)[:, seen] / strength[seen] for image in images]
    uniform = (np.array([noise[i] for i in (0, 1, 2, 4)]) - 32) / 95
    assert stats.kstest(uniform.ravel(), "uniform").pvalue > SMALLEST_P
    pairs = [(uniform[0], uniform[1]), (uniform[1], uniform[2]), (uniform[:, 0], uniform[:, 1])]
    pairs.append((uniform[..., :-1], uniform[..., 1:]))
    for one, other in pairs:
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / np.sqrt(one.size)


def test_images_differ_by_light_and_place():
    env = envpool.make("Craftax-Classic-Symbolic-v1", num_envs=3, render_mode="rgb_array")
    env.reset()
    env.step(np.array([1, 2, 3]))
    images = [np.asarray(image).tobytes() for image in env.render(env_ids=[0, 1, 2])]
    assert len(set(images)) == 3
