# SPDX-License-Identifier: Apache-2.0
"""Tests fields of a robot's model as parameters inside jit: the bits are those of a pool with the same fields."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import envpool
from tests.robots.field_episodes import random_fields
from tests.support.samples import DAY

jax = pytest.importorskip("jax")
jnp = jax.numpy
ROWS = 6


def random_models(params: Any) -> dict[str, Any]:
    """Returns fields of which each row has its own values, rounded to float32."""
    made = {name: np.stack([np.asarray(leaf)] * ROWS) for name, leaf in params.items()}
    fields = random_fields(made, np.random.default_rng(DAY), 0)
    return {name: value.astype(np.float32).astype(np.float64) for name, value in fields.items()}


@pytest.mark.parametrize("task_id", ["Ant-v5", "HalfCheetah-v5", "Hopper-v5"])
def test_models_of_each_row_have_the_bits_of_a_pool(task_id: str) -> None:
    env, params = envpool.jax.make(task_id, max_episode_steps=8)
    first = random_models(params)
    params = params.replace(**first)
    proposed = params.replace(model_body_mass=first["model.body_mass"][::-1], model_opt_gravity=[0.0, 0.0, -5.0])
    random = np.random.default_rng(DAY)
    step = jax.jit(env.step_batch)
    with envpool.make(task_id, num_envs=ROWS, seed=9, max_episode_steps=8, autoreset_mode="same_step") as pool:
        obs, state = env.reset_batch(jax.random.PRNGKey(9), ROWS, params)
        observation, _ = pool.reset(options=first)
        for _ in range(20):
            assert np.array_equal(obs, observation.astype(obs.dtype))
            pool.set_options(**{"model.body_mass": first["model.body_mass"][::-1], "model.opt.gravity": [0, 0, -5]})
            action = random.uniform(-1, 1, (ROWS, *pool.action_space.shape)) * pool.action_space.high
            action = action.astype(np.float32)
            obs, state, reward, done, info = step(None, state, action, params, next_params=proposed)
            params = proposed.where(done, params)
            observation, rewards, *_ = pool.step(action.astype(np.float64))
            assert np.array_equal(reward, rewards)
        assert np.asarray(params.model_body_mass).shape == first["model.body_mass"].shape


def test_a_vmapped_step_has_a_model_for_each_environment() -> None:
    env, params = envpool.jax.make("HalfCheetah-v5")
    params = params.replace(**random_models(params))
    obs, state = env.reset_batch(jax.random.PRNGKey(2), ROWS, params)
    actions = jnp.full((ROWS, 6), 0.3)
    expected = env.step_batch(None, state, actions, params)
    result = jax.vmap(env.step, in_axes=(None, 0, 0, params.axes()))(None, state, actions, params)
    assert np.array_equal(result[0], expected[0])


def test_names_and_bounds() -> None:
    env, params = envpool.jax.make("HalfCheetah-v5")
    assert params.model_body_mass is getattr(params, "model.body_mass")
    assert "model_opt_gravity" in dir(params) and params.model_opt_gravity.shape == (3,)
    assert params.axes(model_dof_damping=0).model_dof_damping == 0
    assert env.params_space.spaces["model.body_mass"].shape == (8,)
    for value, words in (
        (-np.ones(8), "model.body_mass: expected an array of shape (8,), each element a number of at least 0"),
        (np.full(8, np.nan), "model.body_mass: expected an array of shape (8,), each element a number of at least 0"),
        (
            np.ones(7),
            "model.body_mass: expected an array of shape (8,), each element a number of at least 0, or several",
        ),
    ):
        with pytest.raises(ValueError, match=re.escape(f"[HalfCheetah-v5] {words}")):
            params.replace(model_body_mass=value)
    with pytest.raises(TypeError, match=r"\[HalfCheetah-v5\] params: expected one of .*, got 'model_body_masss'"):
        params.replace(model_body_masss=np.ones(8))


def test_traced_values_are_checked() -> None:
    env, params = envpool.jax.make("HalfCheetah-v5")
    _, state = env.reset_batch(jax.random.PRNGKey(2), ROWS, params)
    masses = np.ones((ROWS, 8), np.float32)
    masses[3, 2] = -1
    step = jax.jit(
        lambda mass: env.step_batch(None, state, jnp.zeros((ROWS, 6)), params.replace(model_body_mass=mass))[0]
    )
    with pytest.raises(
        (RuntimeError, ValueError), match=r"model.body_mass: expected numbers from 0 to inf, got -1 in row 3"
    ):
        jax.block_until_ready(step(masses))
    masses[3, 2] = 0  # such a model is simulated, although a pool may refuse it
    assert jax.block_until_ready(step(masses)).shape == (ROWS, 17)
