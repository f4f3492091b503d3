# SPDX-License-Identifier: Apache-2.0
"""Tests the tables of observations on the site: each row names the numbers that gymnasium's environment returns there."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

SITE = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none")) / "docs" / "site"
if not SITE.is_dir():
    pytest.skip("needs the sources: ENVPOOL_SOURCE_DIR", allow_module_level=True)
gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("mujoco")

sys.path.insert(0, str(SITE))
import observations  # noqa: E402

sys.path.remove(str(SITE))


@pytest.mark.parametrize("table", observations.LAYOUTS)
def test_every_number_is_the_one_that_the_table_names(table):
    env = gymnasium.make(f"{table}-v5").unwrapped
    parts = observations.LAYOUTS[table](env.model)
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(30):
        observation, *_ = env.step(env.action_space.sample())
        named = np.concatenate([np.ravel(part.value(env.data)) for part in parts])
        np.testing.assert_array_equal(named, observation)


def test_a_table():
    env = gymnasium.make("Hopper-v5").unwrapped
    table = observations.rows("Hopper", env.model)
    assert table[0] == ["0", "position", "joint rootz", "m"]
    assert table[-1] == ["10", "angular velocity, at most 10 in each direction", "joint foot_joint", "rad/s"]
    humanoid = observations.rows("Humanoid", gymnasium.make("Humanoid-v5").unwrapped.model)
    assert humanoid[-1][0].endswith("–347")
    assert observations.rows("Walker", env.model) == []
