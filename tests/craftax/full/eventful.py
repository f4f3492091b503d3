# SPDX-License-Identifier: Apache-2.0
"""Random states of craftax 1.6.1 on all floors in which much can happen, and actions for them."""

from __future__ import annotations

import numpy as np

from tests.craftax.full.states import FLOORS, ITEMS, SIDE

STEPS = np.array([[0, -1], [0, 1], [-1, 0], [1, 0]], np.int32)  # of the directions 1 to 4
# The blocks near the player on each floor; the first are frequent.
_FREE = [[2, 7, 13], [7], [7], [7], [7], [7], [25, 13], [26], [7]]
_COMMON = [3, 4, 5, 8, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 28, 29, 30, 31, 33, 34, 35]
_TYPES = np.array([[0, 0, 0], [2, 2, 2], [1, 1, 1], [2, 3, 3], [2, 4, 4], [1, 5, 5], [1, 6, 6], [1, 7, 7], [0, 0, 0]])
# Blocks in front of many players; tables that enchant are frequent.
_IN_FRONT = [2, 2, 3, 4, 5, 8, 9, 10, 11, 12, 16, 20, 21, 22, 23, 23, 24, 28, 29, 30, 30, 30, 31, 31, 31]
_FREQUENT = [1, 2, 3, 4, *[5] * 7, 7, 8, 9, 10, 18, 19, 22, 23, 24, 25, 26, 27, 28, 35, 36, 37, 38, 42]


def choose(ours, rng):
    """Returns random actions, of which those that often do something are frequent."""
    n = len(ours)
    return np.where(rng.random(n) < 0.7, rng.choice(_FREQUENT, n), rng.integers(0, 43, n))


def _scenes(world, things, level, player, direction, rng):
    """Puts blocks in front of and beside many of the players, on which they may act."""
    for i in range(len(level)):
        floor = world[i, level[i]]
        front = player[i] + STEPS[direction[i] - 1]
        if rng.random() < 0.6:
            block = 32 if level[i] == 8 and rng.random() < 0.7 else rng.choice(_IN_FRONT)
            if ((front >= 0) & (front < SIDE)).all() or rng.random() < 0.3:
                floor[tuple(front % SIDE)] = block
                things[i, level[i]][tuple(front % SIDE)] = 0
        if rng.random() < 0.4:
            for way, block in (((1, 1), 11), ((-1, -1), 12)):
                at = player[i] + way
                if ((at >= 0) & (at < SIDE)).all():
                    floor[tuple(at)] = block


def eventful(state, rng, light_of):
    """Returns states of the reference with random blocks, mobs and items near the player, on a random floor.

    Args:
        state: states whose worlds are changed.
        rng: a generator.
        light_of: returns how light it is at each of an array of times.
    """
    n = len(state.timestep)
    rows = np.arange(n)
    level = rng.integers(0, FLOORS, n).astype(np.int32)
    near_edge = rng.random((n, 2)) < 0.3
    player = np.where(
        near_edge, rng.choice([0, 1, 2, SIDE - 3, SIDE - 2, SIDE - 1], (n, 2)), rng.integers(0, SIDE, (n, 2))
    )
    world, things = np.array(state.map), np.array(state.item_map)
    mob_map = np.zeros((n, FLOORS, SIDE, SIDE), bool)
    lights = np.array(state.light_map)
    for i in range(n):
        floor = world[i, level[i]]
        rare = rng.choice([*_COMMON, 32] if level[i] == 8 else _COMMON, (SIDE, SIDE))
        dense = rng.choice([0.15, 0.4])
        patch = np.where(rng.random((SIDE, SIDE)) < dense, rare, rng.choice(_FREE[level[i]], (SIDE, SIDE)))
        far = np.abs(np.arange(SIDE)[:, None] - player[i, 0]) > rng.integers(3, 20)
        floor[:] = np.where(far & (rng.random() < 0.7), floor, patch)
        floor[tuple(player[i])] = rng.choice(_FREE[level[i]])
        free = np.isin(floor, _FREE[level[i]])
        thing = things[i, level[i]]
        thing[:] = np.where(free & (rng.random((SIDE, SIDE)) < 0.05), rng.integers(1, 4, (SIDE, SIDE)), thing * free)
        thing[tuple(player[i])] = rng.choice([0, 1, 2, 3], p=[0.4, 0.1, 0.25, 0.25])
        if level[i] in (2, 5, 7, 8):
            dark = rng.random((SIDE, SIDE)) < rng.choice([0, 0.3, 1])
            lights[i, level[i]] = np.where(dark, 0, np.clip(lights[i, level[i]] + rng.random((SIDE, SIDE)), 0.1, 1))
    direction = rng.integers(1, 5, n).astype(np.int32)
    _scenes(world, things, level, player, direction, rng)
    at_boss = level == 8
    any_type = at_boss[:, None] | (rng.random((n, 1)) < 0.2)
    types = np.where(any_type, rng.integers(0, 8, (n, 3)), _TYPES[level])
    types[:, 0] = np.where(any_type[:, 0], rng.integers(0, 3, n), types[:, 0])

    def put(array, values):
        """Returns a copy of an array by worlds and floors, with other values on the players' floors."""
        array = np.array(array)
        array[rows, level] = values
        return array

    def mobs(count, kind, old, likely):
        position = np.clip(player[:, None] + rng.integers(-6, 7, (n, count, 2)), 0, SIDE - 1).astype(np.int32)
        close = rng.random((n, count)) < 0.3
        step = STEPS[rng.integers(0, 4, (n, count))]
        position = np.where(close[..., None], np.clip(player[:, None] + step, 0, SIDE - 1), position).astype(np.int32)
        at = (rows[:, None], level[:, None], position[..., 0], position[..., 1])
        free = np.isin(world[at], [2, 3, 7, 13, 25, 26]) & (position != player[:, None]).any(axis=2)
        mask = free & (rng.random((n, count)) < likely[:, None])
        weak = rng.random((n, count)) < 0.5
        health = np.where(mask, rng.integers(1, np.where(weak, 5, 50)) / 4, rng.integers(0, 2, (n, count)))
        for i in range(count):  # two mobs do not begin in the same cell
            cell = (rows, level, position[:, i, 0], position[:, i, 1])
            mask[:, i] &= ~mob_map[cell]
            mob_map[cell] |= mask[:, i]
        cooldown = rng.integers(-2, 4, (n, count)).astype(np.int32) * (kind != 0)
        return old.replace(
            position=put(old.position, position),
            mask=put(old.mask, mask),
            health=put(old.health, health.astype(np.float32)),
            attack_cooldown=put(old.attack_cooldown, cooldown),
            type_id=put(old.type_id, np.repeat(types[:, kind : kind + 1], count, axis=1).astype(np.int32)),
        )

    likely = np.where(at_boss & (rng.random(n) < 0.5), 0.0, 0.7)
    state = state.replace(
        melee_mobs=mobs(3, 1, state.melee_mobs, likely),
        passive_mobs=mobs(3, 0, state.passive_mobs, np.full(n, 0.7)),
        ranged_mobs=mobs(2, 2, state.ranged_mobs, likely),
    )

    def shots(old, likely):
        position = np.clip(player[:, None] + rng.integers(-3, 4, (n, 3, 2)), 0, SIDE - 1).astype(np.int32)
        return old.replace(
            position=put(old.position, position),
            mask=put(old.mask, rng.random((n, 3)) < likely),
            type_id=put(old.type_id, rng.integers(0, 8, (n, 3)).astype(np.int32)),
        )

    def ways(old):
        return put(old, STEPS[rng.integers(0, 4, (n, 3))])

    plants = np.zeros((n, 10, 2), np.int32)
    planted = rng.integers(0, 11, n)
    for row in range(n):
        growing = np.argwhere(world[row, 0] == 15)
        planted[row] = min(planted[row], len(growing))
        plants[row, : planted[row]] = growing[rng.permutation(len(growing))[: planted[row]]]
    has_plant = np.arange(10) < planted[:, None]

    def number(low, high, *shape):
        return rng.integers(low, high + 1, (n, *shape)).astype(np.int32)

    def amounts(low, high, parts):
        return (rng.integers(low * parts, high * parts + 1, n) / parts).astype(np.float32)

    time = number(0, 9990)
    items = {name: number(0, 99) * (number(0, 2) > 0) for name in ITEMS}
    scarce = rng.random(n) < 0.5
    items = {name: np.where(scarce, np.minimum(count, number(0, 4)), count) for name, count in items.items()}
    items |= {"pickaxe": number(0, 4), "sword": number(0, 4), "bow": number(0, 1), "books": number(0, 2)}
    learned = rng.random((n, 2)) < 0.5
    achievements = rng.random((n, 67)) < 0.3
    return state.replace(
        map=world.astype(np.int32),
        item_map=things.astype(np.int32),
        light_map=lights.astype(np.float32),
        mob_map=mob_map,
        chests_opened=rng.random((n, FLOORS)) < 0.3,
        monsters_killed=number(0, 12, FLOORS),
        player_level=level,
        player_position=player.astype(np.int32),
        player_direction=direction,
        player_health=np.maximum(amounts(0, 11, 4), 0.25),
        player_food=number(0, 12),
        player_drink=number(0, 12),
        player_energy=number(0, 12),
        player_mana=number(0, 21),
        player_hunger=amounts(0, 25, 16),
        player_thirst=amounts(0, 20, 16),
        player_fatigue=amounts(-10, 30, 8),
        player_recover=amounts(-15, 25, 2),
        player_recover_mana=amounts(0, 29, 64),
        player_xp=number(0, 3),
        player_dexterity=number(1, 5),
        player_strength=number(1, 5),
        player_intelligence=number(1, 5),
        is_sleeping=rng.random(n) < 0.15,
        is_resting=rng.random(n) < 0.1,
        inventory=state.inventory.replace(**items, potions=number(0, 3, 6), armour=number(0, 2, 4)),
        sword_enchantment=number(0, 2),
        bow_enchantment=number(0, 2),
        armour_enchantments=number(0, 2, 4) * (number(0, 2) > 0)[:, None],
        mob_projectiles=shots(state.mob_projectiles, 0.4),
        mob_projectile_directions=ways(state.mob_projectile_directions),
        player_projectiles=shots(state.player_projectiles, 0.5),
        player_projectile_directions=ways(state.player_projectile_directions),
        growing_plants_positions=plants,
        growing_plants_age=np.where(has_plant, rng.integers(560, 600, (n, 10)), 0).astype(np.int32),
        growing_plants_mask=has_plant,
        potion_mapping=np.argsort(rng.random((n, 6)), axis=1).astype(np.int32),
        learned_spells=learned,
        boss_progress=np.where(rng.random(n) < 0.3, 7, number(0, 7)),
        boss_timesteps_to_spawn_this_round=number(-3, 7),
        achievements=achievements,
        timestep=time,
        light_level=light_of(time),
    )
