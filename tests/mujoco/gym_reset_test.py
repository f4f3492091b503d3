# SPDX-License-Identifier: Apache-2.0
"""Compares the distributions of resets with gymnasium's, and tests that they depend on seed and episode."""

import mujoco
import numpy as np
import pytest
import scipy.stats

from tests.mujoco.gym_reference import IDS, make, reference_env, state_of

COUNT = 600
# The significance level of each comparison; this file has about 1200 of them.
ALPHA = 1e-7


def ours(task_id, model, seed=0, **options):
    with make(task_id, num_envs=COUNT, num_threads=1, seed=seed, **options) as pool:
        pool.reset()
        return np.array([np.concatenate(state_of(pool, env_id, model)) for env_id in range(COUNT)])


def theirs(reference):
    reference.reset(seed=1)
    states = []
    for _ in range(COUNT):
        mujoco.mj_resetData(reference.model, reference.data)
        reference.reset_model()
        states.append(np.concatenate([reference.data.qpos, reference.data.qvel]))
    return np.array(states)


# The oldest versions have the same resets as version 4.
@pytest.mark.parametrize("task_id", [task_id for task_id in IDS if task_id[-1] in "45"])
def test_resets_have_the_distribution_of_gymnasium(task_id):
    with reference_env(task_id) as reference:
        a, b = ours(task_id, reference.model), theirs(reference)
    for column in range(a.shape[1]):
        if np.ptp(b[:, column]) == 0:  # a position or velocity without noise
            assert np.array_equal(a[:, column], b[:, column]), column
        else:
            assert scipy.stats.ks_2samp(a[:, column], b[:, column]).pvalue > ALPHA, column
    # Correlations are equal. Elements are independent, except for points drawn from a disc or a box.
    noisy = np.flatnonzero(np.ptp(b, axis=0) > 0)
    limit = 6 / np.sqrt(COUNT)
    correlation = np.corrcoef(a[:, noisy].T) - np.corrcoef(b[:, noisy].T)
    assert np.abs(correlation).max() < 1.5 * limit
    assert np.abs(np.corrcoef(a[:-1, noisy].T, a[1:, noisy].T)[len(noisy) :, : len(noisy)]).max() < limit


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("Ant-v5", {"reset_noise_scale": 0.4}),
        ("Hopper-v5", {"reset_noise_scale": 0.4}),
        ("HalfCheetah-v4", {"reset_noise_scale": 0.0}),
    ],
)
def test_reset_noise_scale(task_id, options):
    with reference_env(task_id, **options) as reference:
        a, b = ours(task_id, reference.model, **options), theirs(reference)
    for column in range(a.shape[1]):
        if options["reset_noise_scale"] == 0:
            assert np.array_equal(a[:, column], b[:, column])
        else:
            assert scipy.stats.ks_2samp(a[:, column], b[:, column]).pvalue > ALPHA


@pytest.mark.parametrize("task_id", IDS)
def test_resets_depend_on_the_seed(task_id):
    def begin(seed, **options):
        with make(task_id, num_envs=3, seed=seed, **options) as pool:
            return [pool.snapshot(i)[88:200] for i in range(3) if i or pool.reset()]

    first, again, other = begin(1), begin(1), begin(2)
    assert first == again
    assert len({*first, *other}) == 6  # all environments of all seeds start differently


@pytest.mark.parametrize("task_id", IDS)
def test_resets_depend_on_the_episode(task_id):
    with make(task_id, seed=1) as pool:
        seen = [bytes(pool.reset()[0].tobytes()) for _ in range(5)]
        assert len(set(seen)) == 5
        pool.reset(seed=1)
        assert pool.reset()[0].tobytes() == seen[1]


def test_cylinder_dist_min_beyond_pushers_box_is_refused():
    with pytest.raises(ValueError, match=r"\[Pusher-v5\] cylinder_dist_min.*farther away than 0.5"):
        make("Pusher-v5", cylinder_dist_min=0.5)
