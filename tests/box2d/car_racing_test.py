# SPDX-License-Identifier: Apache-2.0
"""Compares CarRacing with gymnasium's on box2d 2.3.10 and pygame-ce, bit for bit over whole episodes.

The numbers that gymnasium draws are recorded and replayed in our environment. ENVPOOL_TEST_BOX2D sets how many episodes
of each combination of options and driver are compared; the seeds change from day to day.
"""

import os

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("Box2D")
pytest.importorskip("pygame")

import envpool
from tests.box2d.episodes import Ours, Reference
from tests.support.samples import DAY

EPISODES = int(os.environ.get("ENVPOOL_TEST_BOX2D", 1))
FIRST = 1000 * DAY
SEEDS = range(FIRST, FIRST + EPISODES)
FLOAT = np.float32
SHAPE = (96, 96, 3)
DIGITS = slice(87, 92), slice(0, 12)  # where the image shows the sum of rewards
# The beginning of our state: the bodies of the hull and of the wheels.
BODY = np.dtype(
    [("center", "f4", 2), ("angle", "f4"), ("velocity", "f4", 2), ("spin", "f4"), ("at", "f4", 2), ("", "V32")]
)


def randomly(env, random):
    if not hasattr(env, "held") or random.random() < 0.1:
        steer = random.uniform(-1.2, 1.2) * random.choice([0.2, 1])
        pedals = random.uniform(-0.2, 1.2), max(0, random.uniform(-2, 1.1))
        env.held = np.array([steer, *pedals], FLOAT) if env.continuous else int(random.integers(5))
    return env.held


def straight(env, random):
    return np.array([0, 1, 0], FLOAT) if env.continuous else 3


def steered(env, target):
    """Drives towards a place at about 35 m/s."""
    hull = env.car.hull
    to, speed = np.array(target) - np.array(hull.position), np.hypot(*hull.linearVelocity)
    error = (np.arctan2(-to[0], to[1]) - hull.angle + np.pi) % (2 * np.pi) - np.pi
    if env.continuous:
        return np.array([np.clip(-2 * error, -1, 1), speed < 35 - 30 * abs(error), 0.4 * (speed > 40)], FLOAT)
    return 2 if error > 0.1 else 1 if error < -0.1 else 3 if speed < 35 else 0


def along_the_road(env, random):
    track, at = np.array(env.track), env.car.hull.position
    nearest = np.hypot(track[:, 2] - at[0], track[:, 3] - at[1]).argmin()
    return steered(env, track[(nearest + 4) % len(track), 2:])


def away(env, random):
    return steered(env, (1000, 300))


def assert_same_image(ours, theirs, where):
    different = np.abs(ours.astype(int) - theirs)
    # Our digits have other shapes.
    assert different[DIGITS].max() <= 150, where
    assert abs(float(ours[DIGITS].mean()) - float(theirs[DIGITS].mean())) <= 8, where
    different[DIGITS] = 0
    assert not different.any(), f"{where}: {np.argwhere(different)[:5].tolist()}"


def compare(seeds, driver, steps=1000, every=7, **options):
    """Compares whole episodes: bodies, rewards and ends in each step, and images in the first and each `every`-th step.

    Returns the last rewards and the numbers of steps.
    """
    reference, ours = Reference("CarRacing-v3", 0, **options), Ours("CarRacing-v3", **options)
    env = reference.env
    draw, env._render = env._render, lambda mode: None
    last = []
    for seed in seeds:
        reference.recorder.generator = np.random.default_rng(seed)
        random = np.random.default_rng([seed, 1])
        reference.reset()
        drawn = reference.recorder.take()
        assert ours.reset(drawn) == len(drawn)
        for step in range(steps):
            where = f"{options}, seed {seed}, step {step}"
            if step % every == 0 or step < 3:
                assert_same_image(ours.observe(SHAPE, np.uint8), draw("state_pixels"), where)
            action = driver(env, random)
            _, reward, terminated, _, _ = env.step(action)
            assert ours.step(action, np.zeros(0)) == (0, FLOAT(reward), terminated), where
            for body, state in zip(
                (env.car.hull, *env.car.wheels), ours.state[: 5 * BODY.itemsize].view(BODY), strict=True
            ):
                theirs = FLOAT([*body.position, body.angle, *body.linearVelocity, body.angularVelocity])
                mine = FLOAT([*state["at"], state["angle"], *state["velocity"], state["spin"]])
                assert mine.tobytes() == theirs.tobytes(), where
            if terminated:
                break
        assert_same_image(ours.observe(SHAPE, np.uint8), draw("state_pixels"), f"{options}, seed {seed}, end")
        last.append((float(reward), step + 1))
    return last


@pytest.mark.parametrize(
    "options", [{}, {"continuous": False}, {"domain_randomize": True}], ids=["", "discrete", "colors"]
)
@pytest.mark.parametrize("driver", [randomly, along_the_road])
def test_episodes(driver, options):
    compare(SEEDS, driver, steps=1000 if EPISODES > 3 else 300, **options)


def test_a_whole_lap():
    """The episode ends when the last tile has been touched."""
    reward, steps = compare([7], along_the_road, steps=4000, every=97)[0]
    assert reward > 0
    assert 1000 < steps < 4000


def test_leaving_the_playfield():
    assert [reward for reward, _ in compare(range(2), away, every=31)] == [-100, -100]


def test_lap_complete_percent():
    """The car starts on the first tile. This ends the episode only if the tiles at the start are enough."""
    assert [steps for _, steps in compare(range(3), straight, lap_complete_percent=0.0)] == [1, 1, 1]
    assert [steps for _, steps in compare(range(2), straight, steps=5, lap_complete_percent=0.01)] == [5, 5]


def test_resets_have_the_distribution_of_the_reference():
    """Compares the numbers of tiles and the colours of the grass."""
    count = 150
    reference = Reference("CarRacing-v3", 5, domain_randomize=True)
    reference.env._render = lambda mode: None
    tiles, colors = [], []
    for _ in range(count):
        reference.reset()
        tiles.append(len(reference.env.track))
        colors.append(int(reference.env.bg_color[1]))
    env = envpool.make("CarRacing-v3", num_envs=2 * count, seed=FIRST, domain_randomize=True)
    images = env.reset()[0]
    assert images.shape == (2 * count, *SHAPE)
    rewards = env.step(np.zeros((2 * count, 3), FLOAT))[1]
    # The first reward is for the tiles on which the car starts, almost always two.
    assert stats.ks_2samp(np.rint(2000 / (rewards + 0.1)), tiles).pvalue > 1e-6
    assert stats.ks_2samp(images[:, 82, 5, 1], colors).pvalue > 1e-6


def test_a_reset_draws_two_numbers_for_each_checkpoint():
    ours = Ours("CarRacing-v3")
    assert ours.reset(np.zeros(0)) == -1
    reference = Reference("CarRacing-v3", 3)
    reference.reset()
    drawn = reference.recorder.take()
    assert len(drawn) % 24 == 0
    assert ours.reset(drawn) == len(drawn)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lap_complete_percent": 1.5}, "lap_complete_percent: expected"),
        ({"lap_complete_percent": -0.1}, "lap_complete_percent: expected"),
        ({"domain_randomize": "yes"}, "domain_randomize: expected"),
        ({"continuous": 2}, "continuous: expected"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        envpool.make("CarRacing-v3", **options)


def test_actions_beyond_the_limits_have_the_effect_of_the_limits():
    pools = [envpool.make("CarRacing-v3", num_envs=1, seed=2) for _ in range(2)]
    for pool in pools:
        pool.reset()
    for beyond, limit in (((-3e38, 1e30, -1e9), (-1, 1, 0)), ((1.5, -2, 0.95), (1, 0, 0.9))):
        first, second = (pool.step(np.array([row], FLOAT)) for pool, row in zip(pools, (beyond, limit), strict=True))
        np.testing.assert_array_equal(first[0], second[0])
        assert first[1] == second[1]
    with pytest.raises(ValueError, match="action: expected finite numbers"):
        pools[0].step(np.full((1, 3), np.nan, FLOAT))


def test_spaces_are_those_of_gymnasium():
    for continuous in (True, False):
        theirs = Reference("CarRacing-v3", 0, continuous=continuous).env
        ours = envpool.make_spec("CarRacing-v3", continuous=continuous)
        assert ours.observation_space == theirs.observation_space
        if continuous:
            np.testing.assert_array_equal(ours.action_space.low, theirs.action_space.low)
            np.testing.assert_array_equal(ours.action_space.high, theirs.action_space.high)
        else:
            assert ours.action_space.n == theirs.action_space.n


def test_ids_of_envpool_have_the_same_rules():
    pools = [envpool.make(f"CarRacing-v{version}", num_envs=2, seed=4) for version in (2, 3)]
    first, second = (pool.reset()[0] for pool in pools)
    np.testing.assert_array_equal(first, second)
