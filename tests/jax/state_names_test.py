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


def test_the_cell_of_frozen_lake():
    """gymnax's `position` is the cell of the agent. Ours are its row and its column."""
    for options, columns in (({}, 4), ({"map_name": "8x8"}, 8), ({"desc": ["SFF", "FFG"]}, 3)):
        env, params = envpool.jax.gymnax1.make("FrozenLake-misc", **options)
        obs, state = env.reset(jax.random.key(0), params)
        assert state.position == obs == 0 and state.position.dtype == np.int32
        cell = 2 * columns - 1
        moved = state.replace(position=cell)
        assert (moved.row, moved.column, moved.position) == (1, columns - 1, cell)
        assert env.get_obs(moved, params) == cell
        states = jax.vmap(env.reset, (0, None))(jax.random.split(jax.random.key(0), 3), params)[1]
        assert states.replace(position=np.array([1, 0, cell])).position.tolist() == [1, 0, cell]
        moved = jax.jit(lambda states, cell: states.replace(position=cell))(states, columns + 1)
        assert moved.column.tolist() == [1, 1, 1]
        with pytest.raises(TypeError, match=r"^\[FrozenLake-misc\] position: expected int32, got float64"):
            state.replace(position=0.5)


def test_vars_and_spaces_have_gymnaxs_names():
    env, params = envpool.jax.make("CartPole-v1")
    _, state = env.reset(jax.random.key(3), params)
    assert (
        {*vars(state)} == {"time", "episode", "over", "x", "x_dot", "theta", "theta_dot"} == {*env.state_space().spaces}
    )
    assert vars(state)["theta"] == state.angle
    env, params = envpool.jax.make("Breakout-MinAtar")
    _, state = env.reset(jax.random.key(3), params)
    assert not state.terminal and state.replace(terminal=True).over


ARGUMENTS_OF_MAKE = {("DiscountingChain-bsuite", "reward_timestep")}
# Our defaults are those of bsuite and of gymnax 1.
OTHER_DEFAULTS = {("DeepSea-bsuite", "randomize_actions"), ("DeepSea-bsuite", "max_steps_in_episode")}


@pytest.mark.parametrize("task_id", [name for name in gymnax.registered_envs if name in envpool.jax.registered_envs])
def test_every_parameter_of_gymnax_can_be_read(task_id):
    _, params = envpool.jax.make(task_id)
    _, theirs = gymnax.make(task_id)
    for field in dataclasses.fields(theirs):
        if (task_id, field.name) in ARGUMENTS_OF_MAKE:
            continue
        value = getattr(params, field.name)
        assert field.name in dir(params)
        if (task_id, field.name) not in OTHER_DEFAULTS:
            np.testing.assert_allclose(value, getattr(theirs, field.name), rtol=1e-6, err_msg=field.name)


def test_parameters_that_follow_from_others():
    _, params = envpool.jax.make("CartPole-v1")
    changed = params.replace(masspole=np.array([0.5, 1.0]))
    np.testing.assert_allclose(changed.total_mass, [1.5, 2.0], rtol=1e-6)
    np.testing.assert_allclose(changed.polemass_length, [0.25, 0.5], rtol=1e-6)
    with pytest.raises(TypeError, match=r"^\[CartPole-v1\] params: expected one of .*, got 'total_mass'"):
        params.replace(total_mass=2.0)


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
