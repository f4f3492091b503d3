# SPDX-License-Identifier: Apache-2.0
"""Runs Craftax in full of the package craftax in batches, and records everything that it draws.

Import this module before anything else that uses JAX: see tests/craftax/reference.py.
"""

from __future__ import annotations

from tests.craftax.reference import image_drawer, recording  # isort: skip  (before anything else that imports JAX)

import functools

import jax
import jax.numpy as jnp
import numpy as np
from craftax.craftax import constants, game_logic, renderer
from craftax.craftax.craftax_state import EnvParams, StaticEnvParams
from craftax.craftax.renderer import render_craftax_symbolic
from craftax.craftax.world_gen import world_gen
from craftax.craftax.world_gen.world_gen_configs import ALL_DUNGEON_CONFIGS, ALL_SMOOTHGEN_CONFIGS

STATIC = StaticEnvParams()
default_params = EnvParams


def light(time, params):
    """Returns how light it is, with our cosine."""
    with recording():
        return game_logic.calculate_light_level(time, params)


def _step(key, state, action, params):
    with recording(details=True) as drawn:
        after, reward = game_logic.craftax_step(key, state, action, params, STATIC)
        done = game_logic.is_game_over(after, params, STATIC)
        obs = render_craftax_symbolic(after)
    return after, reward, done, obs, drawn


def _landscape(key, config, params):
    middle = jnp.array([STATIC.map_size[0] // 2, STATIC.map_size[1] // 2])
    with recording(details=True) as drawn:
        floor = world_gen.generate_smoothworld(key, STATIC, middle, config, params)
    return floor, drawn


def _dungeon(key, config):
    with recording(details=True) as drawn:
        floor = world_gen.generate_dungeon(key, STATIC, config)
    return floor, drawn


def new_world(key, params):
    """Returns a new world and its observation."""
    with recording():  # for our sines
        state = world_gen.generate_world(key, params, STATIC)
    return state, render_craftax_symbolic(state)


@functools.cache
def images():
    """Returns the function that draws images and returns their noise: see tests/craftax/reference.py."""
    return image_drawer(constants, renderer)


step = jax.jit(jax.vmap(_step, (0, 0, 0, None)))
_landscapes = jax.jit(jax.vmap(_landscape, (0, 0, None)))
_dungeons = jax.jit(jax.vmap(_dungeon))
_one_world = jax.jit(new_world)


def floors(key, params):
    """Returns the landscapes and the dungeons of the world with a key, and what is drawn for each of them."""
    keys = jax.random.split(key, 7)
    landscapes = _landscapes(keys[1:], ALL_SMOOTHGEN_CONFIGS, params)
    keys = jax.random.split(keys[0], 4)
    return jax.device_get(landscapes), jax.device_get(_dungeons(keys[1:], ALL_DUNGEON_CONFIGS))


def worlds(keys, params):
    """Returns new worlds and their observations, made one by one."""
    parts = [jax.device_get(_one_world(key, params)) for key in keys]
    return jax.tree.map(lambda *rows: np.stack(rows), *parts)
