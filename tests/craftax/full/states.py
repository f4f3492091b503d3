# SPDX-License-Identifier: Apache-2.0
"""States of craftax 1.6.1 as our states."""

from __future__ import annotations

import jax
import numpy as np

SIDE, FLOORS, DARK = 48, 9, [2, 5, 7, 8]
ITEMS = [
    "wood",
    "stone",
    "coal",
    "iron",
    "diamond",
    "sapphire",
    "ruby",
    "sapling",
    "torches",
    "arrows",
    "books",
    "pickaxe",
    "sword",
    "bow",
]
KINDS = {"melee_mobs": 0, "passive_mobs": 3, "ranged_mobs": 6}  # the number of the first mob of each kind

MOBS = np.dtype(
    [
        ("health", "f4", 8),
        ("cell", "u2", 8),
        ("type", "u1", 8),
        ("cooldown", "u1", 8),
        ("alive", "u1"),
        ("occupying", "u1"),
    ],
    align=True,
)
SHOTS = np.dtype([(name, "i1", 3) for name in ("y", "x", "dy", "dx", "type")] + [("flying", "u1")], align=True)
STATE = np.dtype(
    [
        ("cell", "u1", (FLOORS, SIDE, SIDE)),
        ("lit", "u8", (4, SIDE)),
        ("mobs", MOBS, FLOORS),
        ("mob_shots", SHOTS, FLOORS),
        ("player_shots", SHOTS, FLOORS),
        ("ladder_down", "u2", FLOORS),
        ("ladder_up", "u2", FLOORS),
        ("defeated", "u1", FLOORS),
        ("chest_opened", "?", FLOORS),
        ("made", "u2"),
        ("level", "i4"),
        ("y", "i4"),
        ("x", "i4"),
        ("direction", "u1"),
        ("asleep", "?"),
        ("resting", "?"),
        ("health", "f4"),
        *((name, "i4") for name in ("food", "drink", "energy", "mana")),
        *((name, "f4") for name in ("hunger", "thirst", "fatigue", "recover", "recover_mana")),
        *((name, "u1") for name in ("experience", "dexterity", "strength", "intelligence")),
        ("item", "u1", len(ITEMS)),
        ("potion", "u1", 6),
        ("potion_effect", "u1", 6),
        ("armour", "u1", 4),
        ("armour_enchantment", "u1", 4),
        ("sword_enchantment", "u1"),
        ("bow_enchantment", "u1"),
        ("learned", "?", 2),
        ("boss_progress", "u1"),
        ("boss_wave", "u1"),
        ("plants", "u1"),
        ("plant_cell", "u2", 10),
        ("plant_age", "u2", 10),
        ("achievements", "u1", 9),
        ("light", "f4"),
        ("time", "i4"),
    ],
    align=True,
)


def _cells(places):
    return np.asarray(places).astype(int) @ [SIDE, 1]


def to_ours(state):
    """Returns states of the reference, whose leaves have a row for each world, as our states."""
    n = len(state.timestep)
    ours = np.zeros(n, STATE)
    ours["cell"] = np.asarray(state.map) | np.asarray(state.item_map) << 6
    lit = np.asarray(state.light_map)[:, DARK] > 0.05
    ours["lit"] = (lit.astype(np.uint64) << np.arange(SIDE, dtype=np.uint64)).sum(axis=-1, dtype=np.uint64)
    mobs = ours["mobs"]
    alive = np.zeros((n, FLOORS, 8), bool)
    for name, first in KINDS.items():
        theirs = getattr(state, name)
        own = slice(first, first + np.shape(theirs.mask)[2])
        mobs["cell"][..., own], mobs["health"][..., own] = _cells(theirs.position), theirs.health
        mobs["type"][..., own], alive[..., own] = theirs.type_id, theirs.mask
        if name != "passive_mobs":
            mobs["cooldown"][..., own] = np.maximum(theirs.attack_cooldown, 0)  # only whether it is above 0 matters
    mobs["alive"] = (alive << np.arange(8)).sum(axis=-1)
    mob_map = np.asarray(state.mob_map).reshape(n, FLOORS, -1)
    marked = np.take_along_axis(mob_map, mobs["cell"].astype(int), axis=-1)
    mobs["occupying"] = ((alive & marked) << np.arange(8)).sum(axis=-1)
    for name, theirs in (("mob_shots", "mob_projectiles"), ("player_shots", "player_projectiles")):
        shots, place = ours[name], np.clip(np.asarray(getattr(state, theirs).position), -SIDE, 2 * SIDE - 1)
        way = np.asarray(getattr(state, theirs[:-1] + "_directions"))
        shots["y"], shots["x"] = place[..., 0], place[..., 1]
        shots["dy"], shots["dx"] = way[..., 0], way[..., 1]
        shots["type"] = getattr(state, theirs).type_id
        shots["flying"] = (np.asarray(getattr(state, theirs).mask) << np.arange(3)).sum(axis=-1)
    ours["ladder_down"], ours["ladder_up"] = _cells(state.down_ladders), _cells(state.up_ladders)
    ours["defeated"], ours["chest_opened"] = np.minimum(state.monsters_killed, 8), state.chests_opened
    ours["made"], ours["level"] = 2**FLOORS - 1, state.player_level
    ours["y"], ours["x"] = np.asarray(state.player_position).T
    ours["direction"], ours["asleep"], ours["resting"] = state.player_direction, state.is_sleeping, state.is_resting
    for name in ("health", "food", "drink", "energy", "mana"):
        ours[name] = getattr(state, f"player_{name}")
    for name in ("hunger", "thirst", "fatigue", "recover", "recover_mana"):
        ours[name] = getattr(state, f"player_{name}")
    for name, theirs in (("experience", "xp"), *((name, name) for name in ("dexterity", "strength", "intelligence"))):
        ours[name] = getattr(state, f"player_{theirs}")
    for i, name in enumerate(ITEMS):
        ours["item"][:, i] = getattr(state.inventory, name)
    ours["potion"], ours["armour"] = state.inventory.potions, state.inventory.armour
    ours["potion_effect"], ours["armour_enchantment"] = state.potion_mapping, state.armour_enchantments
    ours["sword_enchantment"], ours["bow_enchantment"] = state.sword_enchantment, state.bow_enchantment
    ours["learned"], ours["boss_progress"] = state.learned_spells, state.boss_progress
    ours["boss_wave"] = np.maximum(state.boss_timesteps_to_spawn_this_round, 0)
    ours["plants"] = np.sum(state.growing_plants_mask, axis=1)
    ours["plant_cell"] = _cells(state.growing_plants_positions)
    ours["plant_age"] = np.minimum(state.growing_plants_age, 600)
    ours["achievements"] = np.packbits(np.asarray(state.achievements), axis=1, bitorder="little")
    ours["light"], ours["time"] = state.light_level, state.timestep
    return ours


def lights_of(state):
    """Returns how light the blocks of the dark floors are in states of the reference."""
    return np.ascontiguousarray(np.asarray(state.light_map)[:, DARK], np.float32)


def from_ours(ours, our_lights, like):
    """Returns new worlds of ours, with all floors, as states of the reference.

    Args:
        ours: our states.
        our_lights: their lights.
        like: a state of the reference, or the shapes and types of its leaves, without a row for each world.
    """
    n = len(ours)
    state = jax.tree.map(lambda leaf: np.zeros((n, *leaf.shape), leaf.dtype), like)
    lights = np.ones((n, FLOORS, SIDE, SIDE), np.float32)
    lights[:, DARK] = our_lights

    def places(cells):
        return np.stack(np.divmod(cells.astype(np.int32), SIDE), axis=-1)

    def mobs(old):
        return old.replace(health=np.ones_like(old.health))

    ones = np.ones(n, np.int32)
    return state.replace(
        map=(ours["cell"] & 63).astype(np.int32),
        item_map=(ours["cell"] >> 6).astype(np.int32),
        light_map=lights,
        down_ladders=places(ours["ladder_down"]),
        up_ladders=places(ours["ladder_up"]),
        monsters_killed=ours["defeated"].astype(np.int32),
        player_position=np.stack([ours["y"], ours["x"]], axis=1),
        player_direction=ours["direction"].astype(np.int32),
        player_health=ours["health"],
        **{f"player_{name}": ours[name] for name in ("food", "drink", "energy", "mana")},
        **{f"player_{name}": ones for name in ("dexterity", "strength", "intelligence")},
        melee_mobs=mobs(state.melee_mobs),
        passive_mobs=mobs(state.passive_mobs),
        ranged_mobs=mobs(state.ranged_mobs),
        mob_projectile_directions=np.ones_like(state.mob_projectile_directions),
        player_projectile_directions=np.ones_like(state.player_projectile_directions),
        potion_mapping=ours["potion_effect"].astype(np.int32),
        boss_timesteps_to_spawn_this_round=ours["boss_wave"].astype(np.int32),
        light_level=ours["light"],
    )


def occupied(ours):
    """Returns the maps of the reference that say which cells mobs occupy."""
    result = np.zeros((len(ours), FLOORS, SIDE * SIDE), bool)
    marked = np.nonzero(ours["mobs"]["occupying"][..., None] >> np.arange(8) & 1)
    result[marked[0], marked[1], ours["mobs"]["cell"][marked]] = True
    return result.reshape(-1, FLOORS, SIDE, SIDE)


def check_same(ours, state):
    """Fails unless our states are those of the reference."""
    expected = to_ours(state)
    for name in STATE.names:
        if not STATE[name].base.names:
            _check(ours[name], expected[name], name)
            continue
        for part in STATE[name].base.names:
            if part != "occupying":  # Of several mobs in a cell, either may be the one that occupies it.
                _check(ours[name][part], expected[name][part], f"{name}.{part}")
    _check(occupied(ours), np.asarray(state.mob_map), "mob_map")


def _check(ours, expected, name):
    if not np.array_equal(ours, expected):
        where = np.argwhere(ours != expected)
        first = tuple(where[0])
        raise AssertionError(
            f"{name}: {len(where)} differ, in worlds {sorted(set(where[:, 0].tolist()))}; "
            f"at {first} ours {ours[first]}, theirs {expected[first]}"
        )
