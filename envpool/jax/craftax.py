# SPDX-License-Identifier: Apache-2.0
"""Craftax and Craftax-Classic of envpool.jax with the interface of craftax.

>>> from envpool.jax.craftax import make_craftax_env_from_name
>>> env = make_craftax_env_from_name("Craftax-Classic-Symbolic-v1", auto_reset=True)
>>> obs, state = env.reset(key, env.default_params)
>>> obs, state, reward, done, info = env.step(key, state, action, env.default_params)

The functions can be jitted, scanned and vmapped. Rules, observations and rewards equal those of craftax 1.6.1; random
numbers are drawn from another generator.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from envpool.jax.environment import Environment, make_as
from envpool.jax.params import EnvParams
from envpool.jax.rows import EnvState

__all__ = ["CraftaxEnv", "CraftaxEnvNoAutoReset", "make_craftax_env_from_name"]

# What can be achieved in Craftax-Classic, in the order of info["achievements"].
ACHIEVEMENTS = (
    *("collect_wood", "place_table", "eat_cow", "collect_sapling", "collect_drink", "make_wood_pickaxe"),
    *("make_wood_sword", "place_plant", "defeat_zombie", "collect_stone", "place_stone", "eat_plant"),
    *("defeat_skeleton", "make_stone_pickaxe", "make_stone_sword", "wake_up", "place_furnace", "collect_coal"),
    *("collect_iron", "collect_diamond", "make_iron_pickaxe", "make_iron_sword"),
)
# The same in Craftax in full.
ALL_ACHIEVEMENTS = (
    *ACHIEVEMENTS,
    *("make_arrow", "make_torch", "place_torch", "make_diamond_sword", "make_iron_armour", "make_diamond_armour"),
    *("enter_gnomish_mines", "enter_dungeon", "enter_sewers", "enter_vault", "enter_troll_mines"),
    *("enter_fire_realm", "enter_ice_realm", "enter_graveyard", "defeat_gnome_warrior", "defeat_gnome_archer"),
    *("defeat_orc_solider", "defeat_orc_mage", "defeat_lizard", "defeat_kobold", "defeat_troll"),
    *("defeat_deep_thing", "defeat_pigman", "defeat_fire_elemental", "defeat_frost_troll", "defeat_ice_elemental"),
    *("damage_necromancer", "defeat_necromancer", "eat_bat", "eat_snail", "find_bow", "fire_bow"),
    *("collect_sapphire", "learn_fireball", "cast_fireball", "learn_iceball", "cast_iceball", "collect_ruby"),
    *("make_diamond_pickaxe", "open_chest", "drink_potion", "enchant_sword", "enchant_armour", "defeat_knight"),
    "defeat_archer",
)


class CraftaxEnv(Environment):
    """An environment whose info also has craftax's scores.

    If an episode ends, "Achievements/collect_wood" and so on are 100 for what was achieved in it, and "score" is the
    geometric mean of these numbers, each plus 1, minus 1. Otherwise all are 0.
    """

    def step(self, key: Any, state: EnvState, action: Any, params: EnvParams | None = None, **options: Any) -> Any:
        """Steps the environment, and starts the next episode if the step ends one: see Environment.step."""
        return _scored(super().step(key, state, action, params, **options))

    def step_env(self, key: Any, state: EnvState, action: Any, params: EnvParams | None = None) -> Any:
        """Steps as `step` does, but never resets: see Environment.step_env."""
        return _scored(super().step_env(key, state, action, params))

    def step_batch(
        self, key: Any, state: EnvState, action: Any, params: EnvParams | None = None, **options: Any
    ) -> Any:
        """Steps a batch: see Environment.step_batch."""
        return _scored(super().step_batch(key, state, action, params, **options))


class CraftaxEnvNoAutoReset(CraftaxEnv):
    """The same without resets, for wrappers that reset environments: `step` and `step_batch` never reset."""

    _autoreset = False


def make_craftax_env_from_name(name: str, auto_reset: bool) -> CraftaxEnv:
    """Makes an environment of craftax.

    Args:
        name: the id, such as "Craftax-Classic-Symbolic-v1".
        auto_reset: whether a step that ends an episode begins the next one.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an unknown id, an id that is not craftax's, or an id with "AutoReset" although auto_reset is False.
        MissingPackageError: the environment draws images, and the package craftax, which has the textures, is missing.
    """
    if not isinstance(name, str):
        raise TypeError(
            f"[envpool.jax.craftax] name: expected a str such as 'Craftax-Classic-Symbolic-v1', got {name!r}"
        )
    if not isinstance(auto_reset, bool):
        raise TypeError(f"[{name}] auto_reset: expected True or False, got {auto_reset!r}")
    if not name.startswith("Craftax"):
        raise ValueError(
            f"[{name}] name: expected an id of craftax such as 'Craftax-Classic-Symbolic-v1', got {name!r}"
        )
    if "-AutoReset" in name and not auto_reset:
        raise ValueError(
            f"[{name}] auto_reset: expected True for an id with AutoReset, got False; without resets, the id is "
            f"{name.replace('-AutoReset', '')!r}"
        )
    return make_as(CraftaxEnv if auto_reset else CraftaxEnvNoAutoReset, name, {}, step_values=5)


def _scored(results: Any) -> Any:
    """Returns the results of steps with craftax's scores in their info."""
    obs, state, reward, done, info = results
    achieved = info["achievements"]
    percent = jnp.where(achieved & done[..., None], jnp.float32(100), jnp.float32(0))
    named = {len(names): names for names in (ACHIEVEMENTS, ALL_ACHIEVEMENTS)}
    names = named.get(achieved.shape[-1], ())
    scores = {f"Achievements/{name}": percent[..., i] for i, name in enumerate(names)}
    score = jnp.exp(jnp.log(1 + percent).mean(axis=-1)) - 1
    return obs, state, reward, done, {**info, **scores, "score": score}
