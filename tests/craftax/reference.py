# SPDX-License-Identifier: Apache-2.0
"""Runs the package craftax in batches, and records everything that it draws.

Import this module before anything else that uses JAX: its flags make XLA compute one operation after another, rounded
as IEEE 754 says. JAX otherwise contracts products and sums, and multiplies by reciprocals. Programs in a process of
their own do so; pytest's processes may already have begun with other flags.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os

os.environ["XLA_FLAGS"] = "--xla_cpu_max_isa=AVX --xla_disable_hlo_passes=algsimp"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from craftax.craftax_classic import constants, game_logic, renderer, world_gen
from craftax.craftax_classic.envs.craftax_state import EnvParams, StaticEnvParams
from craftax.craftax_classic.renderer import render_craftax_symbolic

from tests.support import libraries

STATIC = StaticEnvParams()


def _our_sines(name):
    """Returns our function for float32, because XLA's sines and cosines are not rounded correctly."""
    library = ctypes.CDLL(libraries.library("core_testing"))

    def on_host(x):
        shape = np.shape(x)
        x = np.ascontiguousarray(x, np.float32)
        y = np.empty_like(x)
        address = (a.ctypes.data_as(ctypes.c_void_p) for a in (x, y))
        library[f"sincos_{name}_f32"](*address, ctypes.c_int64(x.size))
        return y.reshape(shape)

    def function(x):
        x = jnp.asarray(x, jnp.float32)
        return jax.pure_callback(on_host, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="broadcast_all")

    return function


def _unrolled_scan(body, carry, xs):
    """Is lax.scan as a loop, so that what is drawn inside can be returned."""
    results = []
    for i in range(len(xs)):
        carry, result = body(carry, xs[i])
        results.append(result)
    return carry, None if results[0] is None else jax.tree.map(lambda *leaves: jnp.stack(leaves), *results)


@contextlib.contextmanager
def recording(details=False):
    """Makes craftax's code use our sines, and appends what it draws to the list that is returned.

    Args:
        details: whether what randint draws is recorded, too, and for each choice with probabilities a pair of the
            choice and the number of elements that can be chosen.
    """
    drawn = []

    def recorded(function):
        def draw(*arguments, **options):
            drawn.append(function(*arguments, **options))
            return drawn[-1]

        return draw

    def counted(choice):
        def draw(*arguments, p=None, **options):
            result = choice(*arguments, p=p, **options)
            drawn.append(result if p is None else (result, (p > 0).sum()))
            return result

        return draw

    quiet = _quiet_choice(jax.random.choice, drawn)
    replaced = (
        (jax.lax, "scan", _unrolled_scan),
        (jax.random, "uniform", recorded(jax.random.uniform)),
        (jax.random, "choice", counted(quiet) if details else recorded(quiet)),
        *([(jax.random, "randint", recorded(jax.random.randint))] if details else []),
        (jnp, "sin", _our_sines("sin")),
        (jnp, "cos", _our_sines("cos")),
    )
    originals = [(module, name, getattr(module, name)) for module, name, _ in replaced]
    for module, name, function in replaced:
        setattr(module, name, function)
    try:
        yield drawn
    finally:
        for module, name, function in originals:
            setattr(module, name, function)


def _quiet_choice(choice, drawn):
    """Returns `choice` without a record of the numbers that it draws itself."""

    def function(*arguments, **options):
        before = len(drawn)
        result = choice(*arguments, **options)
        del drawn[before:]
        return result

    return function


def light(time, params):
    """Returns how light it is, with our cosine."""
    with recording():
        return game_logic.calculate_light_level(time, params)


def _step(key, state, action, params):
    with recording() as drawn:
        after, reward = game_logic.craftax_step(key, state, action, params, STATIC)
        done = game_logic.is_game_over(after, params)
        obs = render_craftax_symbolic(after)
    return after, reward, done, obs, drawn


def _world(key, params):
    with recording() as drawn:
        state = world_gen.generate_world(key, params, STATIC)
        obs = render_craftax_symbolic(state)
    return state, obs, drawn


def image_drawer(constants, renderer):
    """Returns the function that draws the images of states, and returns the noise that it has drawn.

    Args:
        constants: the module of the game with its constants and textures.
        renderer: the one that draws its images.
    """
    size = constants.BLOCK_PIXEL_SIZE_AGENT
    # craftax draws textures of all sizes, for a minute, and writes them into its own folder.
    renderer.load_all_textures = lambda: {size: constants.load_all_textures_given_size(size)}
    draw = renderer.make_craftax_pixel_renderer(size)

    def drawn(state):
        with recording() as noise:
            image = draw(state) / 255.0  # as get_obs of the environment does
        return image, noise[0]

    return jax.jit(jax.vmap(drawn))


@functools.cache
def images():
    """Returns the function for Craftax-Classic."""
    return image_drawer(constants, renderer)


step = jax.jit(jax.vmap(_step, (0, 0, 0, None)))
_eight_worlds = jax.jit(jax.vmap(_world, (0, None)))
default_params = EnvParams


def world(keys, params):
    """Returns new worlds, eight at a time: with more, this version of XLA computes other noise from the ninth world on."""
    parts = [jax.device_get(_eight_worlds(keys[i : i + 8], params)) for i in range(0, len(keys), 8)]
    return jax.tree.map(lambda *rows: np.concatenate(rows), *parts)
