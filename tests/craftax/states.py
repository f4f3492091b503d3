# SPDX-License-Identifier: Apache-2.0
"""States of craftax 1.6.1 as our states, and random states in which much can happen."""

from __future__ import annotations

import numpy as np

ITEMS = [
    "wood",
    "stone",
    "coal",
    "iron",
    "diamond",
    "sapling",
    "wood_pickaxe",
    "stone_pickaxe",
    "iron_pickaxe",
    "wood_sword",
    "stone_sword",
    "iron_sword",
]
NEEDS = ("hunger", "thirst", "fatigue", "recover")
KINDS = {"zombies": 0, "cows": 3, "skeletons": 6}  # the number of the first mob of each kind

STATE = np.dtype(
    [
        ("block", "u1", (64, 64)),
        ("item", "u1", 12),
        ("food", "u1"),
        ("drink", "u1"),
        ("energy", "u1"),
        ("direction", "u1"),
        ("asleep", "?"),
        *((name, "i1") for name in NEEDS),
        ("health", "i4"),
        ("y", "i4"),
        ("x", "i4"),
        ("mob_cell", "u2", 8),
        ("mob_health", "i1", 8),
        ("mob_cooldown", "u1", 8),
        ("alive", "u1"),
        ("occupying", "u1"),
        ("arrows", "u1"),
        ("arrow_y", "i1", 3),
        ("arrow_x", "i1", 3),
        ("arrow_dy", "i1", 3),
        ("arrow_dx", "i1", 3),
        ("plants", "u1"),
        ("plant_cell", "u2", 10),
        ("plant_age", "i4", 10),
        ("achievements", "i4"),
        ("light", "f4"),
        ("time", "i4"),
    ],
    align=True,
)


def bits(flags):
    """Returns rows of flags as integers with a bit for each."""
    return (np.asarray(flags, np.int64) << np.arange(np.shape(flags)[1])).sum(axis=1)


def to_ours(state):
    """Returns states of the reference, whose leaves have a row for each world, as our states."""
    ours = np.zeros(len(state.timestep), STATE)
    ours["block"] = state.map
    for i, name in enumerate(ITEMS):
        ours["item"][:, i] = getattr(state.inventory, name)
    for name in ("health", "food", "drink", "energy"):
        ours[name] = getattr(state, f"player_{name}")
    for name in NEEDS:
        ours[name] = 2 * np.asarray(getattr(state, f"player_{name}"))
    ours["direction"], ours["asleep"] = state.player_direction, state.is_sleeping
    ours["y"], ours["x"] = np.asarray(state.player_position).T
    alive = np.zeros((len(ours), 8), bool)
    for name, first in KINDS.items():
        mobs = getattr(state, name)
        own = slice(first, first + np.shape(mobs.mask)[1])
        ours["mob_cell"][:, own] = np.asarray(mobs.position) @ [64, 1]
        ours["mob_health"][:, own], alive[:, own] = mobs.health, mobs.mask
        ours["mob_cooldown"][:, own] = np.maximum(mobs.attack_cooldown, 0)  # only whether it is above 0 matters
    ours["alive"] = bits(alive)
    marked = np.take_along_axis(np.asarray(state.mob_map).reshape(-1, 4096), ours["mob_cell"].astype(int), axis=1)
    ours["occupying"] = bits(alive & marked)
    ours["arrows"] = bits(state.arrows.mask)
    for i, axis in enumerate("yx"):
        ours[f"arrow_{axis}"] = np.clip(np.asarray(state.arrows.position)[:, :, i], -64, 127)
        ours[f"arrow_d{axis}"] = np.asarray(state.arrow_directions)[:, :, i]
    ours["plants"] = np.sum(state.growing_plants_mask, axis=1)
    ours["plant_cell"] = np.asarray(state.growing_plants_positions) @ [64, 1]
    ours["plant_age"] = state.growing_plants_age
    ours["achievements"] = bits(state.achievements)
    ours["light"], ours["time"] = state.light_level, state.timestep
    return ours


def occupied(ours):
    """Returns the map of the reference that says which cells mobs occupy."""
    result = np.zeros((len(ours), 4096), bool)
    rows, mobs = np.nonzero(ours["occupying"][:, None] >> np.arange(8) & 1)
    result[rows, ours["mob_cell"][rows, mobs]] = True
    return result.reshape(-1, 64, 64)


def check_same(ours, state):
    """Fails unless our states are those of the reference."""
    expected = to_ours(state)
    for name in STATE.names:
        if name != "occupying":  # Of several mobs in a cell, either may be the one that occupies it.
            np.testing.assert_array_equal(ours[name], expected[name], err_msg=name)
    np.testing.assert_array_equal(occupied(ours), state.mob_map)


def eventful(state, rng, light_of):
    """Returns states of the reference with random blocks, mobs and items near the player.

    Args:
        state: states whose worlds are changed.
        rng: a generator.
        light_of: returns how light it is at each of an array of times.
    """
    n = len(state.timestep)
    # Grass and paths are frequent, and lava is rare.
    kinds = [2, 7, 13, 3, 4, 5, 8, 9, 10, 11, 12, 14, 15, 16]
    weights = np.array([30, 30, 4, 6, 6, 4, 3, 3, 3, 3, 3, 1.5, 2, 2])
    near_edge = rng.random((n, 2)) < 0.3
    player = np.where(near_edge, rng.choice([0, 1, 2, 61, 62, 63], (n, 2)), rng.integers(0, 64, (n, 2)))
    world, mob_map = np.array(state.map), np.zeros((n, 64, 64), bool)
    rows = np.arange(n)
    patch = rng.choice(kinds, (n, 64, 64), p=weights / weights.sum())
    far = np.abs(np.arange(64)[:, None] - player[:, 0, None, None]) > rng.integers(3, 20, (n, 1, 1))
    world = np.where(far & (rng.random((n, 1, 1)) < 0.7), world, patch)
    dark = rng.random(n) < 0.1  # the last row and column may be lava, which kills a player who leaves at the other edge
    world[dark, 63, :] = world[dark, :, 63] = 14
    world[rows, player[:, 0], player[:, 1]] = rng.choice([2, 7, 13], n)

    def mobs(count, most_health, old):
        position = np.clip(player[:, None] + rng.integers(-7, 8, (n, count, 2)), 0, 63).astype(np.int32)
        at = (rows[:, None], position[..., 0], position[..., 1])
        free = np.isin(world[at], [2, 7, 13]) & (position != player[:, None]).any(axis=2)
        mask = free & (rng.random((n, count)) < 0.7)
        health = np.where(mask, rng.integers(1, most_health + 1, (n, count)), rng.integers(0, 2, (n, count)))
        for i in range(count):  # two mobs do not begin in the same cell
            cell = (rows, position[:, i, 0], position[:, i, 1])
            mask[:, i] &= ~mob_map[cell]
            mob_map[cell] |= mask[:, i]
        cooldown = rng.integers(-2, 4, (n, count)).astype(np.int32)
        return old.replace(
            position=position, mask=mask, health=health.astype(np.int32), attack_cooldown=cooldown * (most_health != 4)
        )

    state = state.replace(
        zombies=mobs(3, 5, state.zombies),
        cows=mobs(3, 4, state.cows),
        skeletons=mobs(2, 3, state.skeletons),
    )
    arrows = np.clip(player[:, None] + rng.integers(-4, 5, (n, 3, 2)), 0, 63).astype(np.int32)
    steps = np.array([[0, -1], [0, 1], [-1, 0], [1, 0]], np.int32)
    plants = np.zeros((n, 10, 2), np.int32)
    planted = rng.integers(0, 11, n)
    for row in range(n):
        growing = np.argwhere(world[row] == 15)
        planted[row] = min(planted[row], len(growing))
        plants[row, : planted[row]] = growing[rng.permutation(len(growing))[: planted[row]]]
    has_plant = np.arange(10) < planted[:, None]

    def number(low, high):
        return rng.integers(low, high + 1, n).astype(np.int32)

    def halves(low, high):
        return (rng.integers(2 * low, 2 * high + 1, n) / 2).astype(np.float32)

    time = number(0, 9990)
    return state.replace(
        map=world.astype(np.int32),
        mob_map=mob_map,
        player_position=player.astype(np.int32),
        player_direction=number(1, 4),
        player_health=number(1, 9),
        player_food=number(0, 9),
        player_drink=number(0, 9),
        player_energy=number(0, 9),
        player_hunger=halves(0, 25),
        player_thirst=halves(0, 20),
        player_fatigue=number(-10, 30).astype(np.float32),
        player_recover=halves(-15, 25),
        is_sleeping=rng.random(n) < 0.2,
        inventory=state.inventory.replace(**{name: number(0, 9) * (number(0, 2) > 0) for name in ITEMS}),
        arrows=state.arrows.replace(position=arrows, mask=rng.random((n, 3)) < 0.4),
        arrow_directions=steps[rng.integers(0, 4, (n, 3))],
        growing_plants_positions=plants,
        growing_plants_age=np.where(has_plant, rng.integers(560, 600, (n, 10)), 0).astype(np.int32),
        growing_plants_mask=has_plant,
        achievements=rng.random((n, 22)) < 0.3,
        timestep=time,
        light_level=light_of(time),
    )
