# SPDX-License-Identifier: Apache-2.0
"""Compares MinAtar with gymnax 0.0.9, in the games and states in which gymnax follows MinAtar."""

import importlib

import numpy as np
import pytest

import envpool
from tests.minatar.positions import random_state
from tests.minatar.states import NAMES, Engine, Reference, to_ours

jax = pytest.importorskip("jax")
gymnax = pytest.importorskip("gymnax")
jnp = jax.numpy


def to_gymnax(game, states):
    """Converts states of the MinAtar package into a batch of gymnax states."""
    module = importlib.import_module(f"gymnax.environments.minatar.{NAMES[game]}")

    def column(name):
        return jnp.array([state[name] for state in states], jnp.int32)

    zero = jnp.zeros(len(states), jnp.int32)
    parts = {"time": zero, "terminal": zero.astype(bool)}
    for name in module.EnvState.__dataclass_fields__:
        if name in states[0] and isinstance(states[0][name], int) and name != "terminal":
            parts[name] = column(name)
        elif name.endswith("_map"):
            parts[name] = jnp.array([state[name] for state in states], jnp.float32)
    if game == "Breakout":
        parts["strike"] = parts["strike"].astype(bool)
    elif game == "Asterix":
        empty = (0, 0, 0, 0, 0)
        parts["entities"] = jnp.array(
            [[(*e, 1) if e else empty for e in state["entities"]] for state in states], jnp.int32
        )
    elif game == "Freeway":
        parts["cars"] = column("cars")
    else:
        parts["ramping"] = parts["ramping"].astype(bool)
    return module.EnvState(**parts)


@pytest.mark.sampled(one_in=2)
@pytest.mark.filterwarnings("ignore")  # gymnax mixes dtypes, which causes warnings.
@pytest.mark.parametrize("game", ["Asterix", "Breakout", "Freeway", "SpaceInvaders"])
def test_steps_equal_those_of_gymnax(game):
    """Only steps without randomness are compared."""
    env, params = gymnax.make(f"{game}-MinAtar")
    assert env.num_actions == envpool.make_spec(f"{game}-MinAtar").action_space.n
    assert params.max_steps_in_episode == envpool.make_spec(f"{game}-MinAtar").config.max_episode_steps
    rng, first = np.random.default_rng(8), Reference(game).get()
    states = [random_state(game, first, rng) for _ in range(3000)]
    for state in states:
        if game == "Asterix":
            state["spawn_timer"] = max(state["spawn_timer"], 1)
        elif game == "Freeway":
            state |= {"pos": max(state["pos"], 2), "terminate_timer": 99}
    batch = to_gymnax(game, states)
    actions = rng.integers(0, env.num_actions, len(states))
    keys = jax.random.split(jax.random.key(0), len(states))
    step = jax.jit(jax.vmap(env.step_env, (0, 0, 0, None)))
    obs, _, reward, done, _ = step(keys, batch, actions, params)
    engine = Engine(game, sticky_action_prob=0.0, use_minimal_action_set=True, obs_dtype="float32")
    ours = np.array([to_ours(game, state) for state in states])
    our_reward, our_done = engine.step(ours, actions)
    # gymnax's SpaceInvaders checks for hits by a bullet at the position that the cannon had before its move.
    comparable = np.array([game != "SpaceInvaders" or not state["e_bullet_map"][8].any() for state in states])
    assert comparable.sum() > 2000
    np.testing.assert_array_equal(engine.observe(ours), np.asarray(obs))
    np.testing.assert_array_equal(our_reward, np.asarray(reward))
    np.testing.assert_array_equal(our_done[comparable], np.asarray(done)[comparable])
