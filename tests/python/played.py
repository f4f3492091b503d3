# SPDX-License-Identifier: Apache-2.0
"""Plays environments with random actions, beside gymnasium's vector wrappers, and compares bits."""

import gymnasium
import numpy as np
import pytest

wrappers = pytest.importorskip("gymnasium.wrappers.vector")
numbers = [int(part) for part in gymnasium.__version__.split(".")[:2]]
like_ours = pytest.mark.skipif(
    numbers < [1, 4] or np.lib.NumpyVersion(np.__version__) < "2.0.0",
    reason="earlier versions of gymnasium's wrappers, and of NumPy's promotion, compute other numbers",
)


def actions_of(env, generator, count=None):
    space, count = env.single_action_space, env.num_envs if count is None else count
    if hasattr(space, "n"):
        return generator.integers(0, space.n, count)
    return generator.uniform(space.low, space.high, (count, *space.shape)).astype(space.dtype)


def play(env, steps, seed=0, resets=()):
    """Yields the result of each reset and step of an environment with gymnasium's interface, with random actions."""
    generator = np.random.default_rng(seed)
    disabled = str(env.metadata["autoreset_mode"]).upper().endswith("DISABLED")
    result = env.reset(seed=seed)
    yield result
    for step in range(steps):
        over = disabled and len(result) == 5 and (result[2] | result[3]).any()
        result = env.reset() if over or step in resets else env.step(actions_of(env, generator))
        yield result


def assert_same_bits(ours, theirs):
    assert ours.shape == np.shape(theirs)
    assert ours.dtype == np.asarray(theirs).dtype
    assert ours.tobytes() == np.ascontiguousarray(theirs).tobytes()
