# SPDX-License-Identifier: Apache-2.0
"""Reads and replaces parts of states under gymnax's names."""

import dataclasses
import importlib

import jax
import numpy as np
import pytest

import envpool.jax
import envpool.jax.gymnax1

gymnax = pytest.importorskip("gymnax")
MODULES = {
    "CartPole-v1": "classic_control.cartpole",
    "Pendulum-v1": "classic_control.pendulum",
    "Acrobot-v1": "classic_control.acrobot",
    "MountainCar-v0": "classic_control.mountain_car",
    "MountainCarContinuous-v0": "classic_control.continuous_mountain_car",
}


@pytest.mark.parametrize("module", [envpool.jax, envpool.jax.gymnax1])
@pytest.mark.parametrize("task_id", MODULES)
def test_every_field_of_gymnaxs_state(task_id, module):
    fields = dataclasses.fields(importlib.import_module(f"gymnax.environments.{MODULES[task_id]}").EnvState)
    env, params = module.make(task_id)
    _, state = env.reset(jax.random.key(3), params)
    assert {field.name for field in fields} <= set(dir(state))
    for field in fields:
        changed = state.replace(**{field.name: 7 if field.name == "time" else 0.25})
        assert float(getattr(changed, field.name)) == (7 if field.name == "time" else 0.25)
        for other in fields:
            if other.name != field.name:
                np.testing.assert_array_equal(getattr(changed, other.name), getattr(state, other.name))


def test_the_names_belong_to_the_values():
    env, params = envpool.jax.make("CartPole-v1")
    obs, state = env.reset(jax.random.key(3), params)
    np.testing.assert_array_equal(obs, np.float32([state.x, state.x_dot, state.theta, state.theta_dot]))
    env, params = envpool.jax.make("Pendulum-v1")
    obs, state = env.reset(jax.random.key(3), params)
    np.testing.assert_allclose(obs, [np.cos(state.theta), np.sin(state.theta), state.theta_dot], atol=1e-6)
    with pytest.raises(TypeError, match=r"^\[Pendulum-v1\] x: expected one of"):
        state.replace(x=1.0)


def test_an_assignment_names_replace():
    env, params = envpool.jax.make("CartPole-v1")
    _, state = env.reset(jax.random.key(3), params)
    for row, name in ((params, "gravity"), (params, "max_steps_in_episode"), (state, "position"), (state, "theta")):
        with pytest.raises(
            AttributeError, match=rf"^\[CartPole-v1\] {name}: expected replace\({name}=...\), .* assignment"
        ):
            setattr(row, name, 3.0)
    with pytest.raises(AttributeError, match=r"^\[CartPole-v1\] gravitas: expected one of"):
        params.gravitas = 3.0
