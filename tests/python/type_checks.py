# SPDX-License-Identifier: Apache-2.0
"""Asserts the types that a type checker must infer for calls to envpool. Only `make lint` reads this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import assert_type

import envpool
from envpool.python.dm_envpool import DMEnvPool
from envpool.python.env_spec import EnvSpec
from envpool.python.gym_envpool import GymEnvPool
from envpool.python.gymnasium_envpool import GymnasiumEnvPool, GymnasiumVectorEnv

if TYPE_CHECKING:
    from envpool._signatures import AtariOptions, CartPoleOptions


def interfaces(task_id: str, env_type: str) -> None:
    assert_type(envpool.make("CartPole-v1", gravity=9.8, num_envs=3), GymnasiumEnvPool)
    assert_type(envpool.make("Pong-v5", env_type="dm", stack_num=1), DMEnvPool)
    assert_type(envpool.make("Pong-v5", "gym", seed=[1, 2], num_envs=2), GymEnvPool | GymnasiumEnvPool)
    assert_type(envpool.make_vec("CartPole-v1", 3), GymnasiumVectorEnv)
    assert_type(envpool.make_spec("Taxi-v3", is_rainy=True), EnvSpec)
    assert_type(envpool.make_dm(task_id, anything=1), DMEnvPool)
    assert_type(envpool.make(task_id, env_type), GymnasiumEnvPool | GymEnvPool | DMEnvPool)
    # FrozenLake's family translates `desc` into options.
    assert_type(envpool.make("FrozenLake-v1", desc=["SF", "HG"]), GymnasiumEnvPool)


def options() -> None:
    cart: CartPoleOptions = {"gravity": 1.62, "kinematics_integrator": "euler", "batch_size": 8}
    wrong: CartPoleOptions = {"gravitas": 1}  # type: ignore[typeddict-unknown-key]
    choice: AtariOptions = {"obs_type": "rgb"}  # type: ignore[typeddict-item]
    envpool.make("CartPole-v1", **cart)
    envpool.make("CartPole-v1", **wrong)
    envpool.make("Pong-v5", **choice)
