# SPDX-License-Identifier: Apache-2.0
"""A policy for Craftax-Classic that survives for a while and achieves much. It sees the whole state."""

from __future__ import annotations

import numpy as np

GRASS, WATER, STONE, TREE, PATH, COAL, IRON, DIAMOND, TABLE, FURNACE, SAND, LAVA, PLANT, RIPE = (
    *range(2, 6),
    *range(7, 17),
)
LEFT, RIGHT, UP, DOWN, DO, SLEEP, PUT_STONE, PUT_TABLE, PUT_FURNACE, PUT_PLANT = range(1, 11)
STEPS = {LEFT: (0, -1), RIGHT: (0, 1), UP: (-1, 0), DOWN: (1, 0)}
ROWS, COLUMNS = np.mgrid[0:64, 0:64]


def choose(state, rng):
    """Returns the action for one of our states."""
    if rng.random() < 0.05:
        return int(rng.integers(17))
    world, at = state["block"], np.array([state["y"], state["x"]])
    wood, stone, coal, iron, _, sapling, *tools = (int(count) for count in state["item"])
    near = world[max(at[0] - 1, 0) : at[0] + 2, max(at[1] - 1, 0) : at[1] + 2]
    table, furnace = (near == TABLE).any(), (near == FURNACE).any()
    if state["energy"] < 3 or (state["energy"] < 7 and state["light"] < 0.3):
        return SLEEP
    for i, costs in enumerate(((1, 0, 0), (1, 1, 0), (1, 1, 1)) * 2):
        enough = wood >= costs[0] and stone >= costs[1] and min(coal, iron) >= costs[2]
        if tools[i] == 0 and enough and table and (furnace or not costs[2]):
            return 11 + i
    front = at + STEPS[int(state["direction"])]
    inside = ((front >= 0) & (front < 64)).all()
    ahead = int(world[tuple(front)]) if inside else 1
    if inside and ahead in (GRASS, SAND, PATH):
        if not table and not tools[0] and wood >= 4:
            return PUT_TABLE
        if not table and tools[0] and (not tools[2] or not tools[5]) and iron and wood >= 4:
            return PUT_TABLE
        if table and not furnace and stone > 1:
            return PUT_FURNACE
        if sapling and ahead == GRASS:
            return PUT_PLANT
        if stone > 5 and rng.random() < 0.1:
            return PUT_STONE
    mobs = [state["mob_cell"][i] for i in range(8) if state["alive"] >> i & 1]
    if inside and front[0] * 64 + front[1] in mobs:
        return DO
    if state["drink"] < 6:
        wanted = world == WATER
    elif state["food"] < 6 and (world == RIPE).any():
        wanted = world == RIPE
    elif state["food"] < 6 and state["alive"] >> 3 & 7:
        cows = [state["mob_cell"][i] for i in range(3, 6) if state["alive"] >> i & 1]
        wanted = np.isin(ROWS * 64 + COLUMNS, cows)
    elif not state["achievements"] >> 3 & 1:
        wanted = world == GRASS
    elif wood < 5:
        wanted = world == TREE
    elif not tools[0]:
        wanted = world == GRASS
    elif stone < 4:
        wanted = world == STONE
    elif not coal:
        wanted = world == COAL
    elif tools[1] and not iron:
        wanted = world == IRON
    elif tools[2]:
        wanted = world == DIAMOND
    else:
        wanted = world == (TABLE if (world == TABLE).any() else PATH)
    wanted = wanted.copy()
    wanted[tuple(at)] = False
    if not wanted.any():
        return int(rng.integers(1, 6))
    way = np.abs(ROWS - at[0]) + np.abs(COLUMNS - at[1]) + np.where(wanted, 0, 1000)
    target = np.array(np.unravel_index(np.argmin(way), way.shape))
    gap = target - at
    down = abs(gap[0]) > abs(gap[1]) or (abs(gap[0]) == abs(gap[1]) and rng.random() < 0.5)
    if rng.random() < 0.15 and gap.all():
        down = not down
    action = (DOWN if gap[0] > 0 else UP) if down else (RIGHT if gap[1] > 0 else LEFT)
    to = at + STEPS[action]
    block = int(world[tuple(np.clip(to, 0, 63))])
    if block == LAVA or rng.random() < 0.05:
        return int(rng.integers(1, 5)) if rng.random() < 0.98 else action
    if action == state["direction"] and (
        block in (TREE, STONE, COAL, IRON, DIAMOND, WATER, RIPE) or (to == target).all()
    ):
        return PUT_STONE if block == WATER and stone and not (to == target).all() else DO
    return action
