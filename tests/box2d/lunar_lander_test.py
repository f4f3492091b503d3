# SPDX-License-Identifier: Apache-2.0
"""Compares LunarLander with gymnasium's on box2d 2.3.10, bit for bit over whole episodes.

The numbers that gymnasium draws are recorded and replayed in our environment. ENVPOOL_TEST_BOX2D sets how many
episodes of each combination of options and policy are compared; the seeds change from day to day.
"""

import ctypes
import os

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("Box2D")

from gymnasium.envs.box2d.lunar_lander import heuristic

import envpool
from tests.box2d.episodes import Ours, Recorder, Reference, compare
from tests.support import libraries
from tests.support.capi import pointer
from tests.support.samples import DAY

EPISODES = int(os.environ.get("ENVPOOL_TEST_BOX2D", 3))
FIRST = 1000 * DAY
SEEDS = range(FIRST, FIRST + EPISODES)
IDS = ("LunarLander-v3", "LunarLanderContinuous-v3")


def randomly(env, observation, random):
    if env.continuous:
        return random.uniform(-1, 1, 2).astype(np.float32)
    return int(random.integers(4))


def well(env, observation, random):
    action = heuristic(env, observation)
    return action.astype(np.float32) if env.continuous else action


def mostly_well(env, observation, random):
    return (randomly if random.random() < 0.2 else well)(env, observation, random)


def falling(env, observation, random):
    return np.zeros(2, np.float32) if env.continuous else 0


@pytest.mark.parametrize("policy", [randomly, well, mostly_well, falling])
@pytest.mark.parametrize("options", [{}, {"enable_wind": True}], ids=["still", "wind"])
@pytest.mark.parametrize("task_id", IDS)
def test_episodes(task_id, options, policy):
    compare(task_id, SEEDS, policy, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"gravity": -1.5},
        {"gravity": -11.99},
        {"enable_wind": True, "wind_power": 20.0, "turbulence_power": 2.0},
        {"enable_wind": True, "wind_power": 0.0, "turbulence_power": 0.7},
    ],
)
def test_options(options):
    compare("LunarLander-v3", SEEDS, mostly_well, **options)


def test_all_ends_are_reached():
    """Some landers come to rest and sleep, some crash, and some leave the screen."""
    assert compare("LunarLander-v3", range(3), well) == [100, 100, 100]
    assert compare("LunarLander-v3", range(3), falling) == [-100, -100, -100]
    rewards = compare("LunarLander-v3", range(2), lambda env, observation, random: 2 if observation[1] < 1 else 1)
    assert rewards == [-100, -100]


def test_sines_and_cosines_have_the_bits_of_the_c_library():
    """A CPU with fused multiply-add rounds about one result in ten million differently, mostly beyond 17 rad."""
    libm = ctypes.CDLL("libm.so.6")
    random = np.random.default_rng(FIRST)
    angles = np.concatenate(
        [random.uniform(-4, 4, 8000), random.uniform(-130, 130, 4000), 10 ** random.uniform(-6, 38, 4000)]
    ).astype(np.float32)
    ours = np.empty((2, len(angles)), np.float32)
    library = ctypes.CDLL(libraries.library("box2d_testing"))
    library.test_rotations(pointer(angles), pointer(ours[0]), pointer(ours[1]), ctypes.c_int64(len(angles)))
    different = 0
    for name, results in zip(("sinf", "cosf"), ours, strict=True):
        function = getattr(libm, name)
        function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float]
        theirs = np.array([function(angle) for angle in angles.tolist()], np.float32)
        different += np.count_nonzero(theirs.view(np.uint32) != results.view(np.uint32))
        np.testing.assert_allclose(results, theirs, rtol=2e-7, atol=1e-30)
    assert different <= 1


@pytest.mark.parametrize("wind", [False, True])
def test_resets_have_the_distribution_of_the_reference(wind):
    reference, count = Reference("LunarLander-v3", 5, enable_wind=wind), 300
    theirs = np.array([reference.reset() for _ in range(count)])
    env = envpool.make("LunarLander-v3", num_envs=4 * count, seed=FIRST, enable_wind=wind)
    ours = env.reset()[0]
    assert ours.shape == (4 * count, 8)
    for column in range(6):
        assert stats.ks_2samp(ours[:, column], theirs[:, column]).pvalue > 1e-6


def test_a_reset_draws_sixteen_numbers():
    ours, recorder = Ours("LunarLander-v3"), Recorder(np.random.default_rng(1))
    recorder.uniform(0, 1, size=16)
    assert ours.reset(recorder.take()) == 16
    assert ours.reset(np.zeros(15)) == -1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gravity": 0.5}, "gravity: expected"),
        ({"gravity": -13}, "gravity: expected"),
        ({"wind_power": 21.0}, "wind_power: expected"),
        ({"turbulence_power": -0.1}, "turbulence_power: expected"),
        ({"enable_wind": "yes"}, "enable_wind: expected"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        envpool.make("LunarLander-v3", **options)


def test_spaces_are_those_of_gymnasium():
    for task_id in IDS:
        theirs, ours = Reference(task_id, 0).env, envpool.make_spec(task_id)
        np.testing.assert_array_equal(ours.observation_space.low, theirs.observation_space.low)
        np.testing.assert_array_equal(ours.observation_space.high, theirs.observation_space.high)
        assert ours.action_space.shape == theirs.action_space.shape


def test_ids_of_envpool_have_the_same_rules():
    pools = [envpool.make(f"LunarLander-v{version}", num_envs=3, seed=4) for version in (2, 3)]
    first, second = (pool.reset()[0] for pool in pools)
    np.testing.assert_array_equal(first, second)
