# SPDX-License-Identifier: Apache-2.0
"""Robots that carry requested shelves to the goals of a warehouse, and put others back."""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = np.array([[-1, 0], [0, 1], [1, 0], [0, -1]])  # of the directions, in rows and columns
NOTHING, FORWARD, LEFT, RIGHT, TOGGLE = range(5)


class Warehouse:
    """Where the corridors and goals of warehouses are."""

    def __init__(self, shelf_rows: int = 2, shelf_columns: int = 3, column_height: int = 8, **_: Any) -> None:
        self.height = column_height + 1
        self.rows, self.columns = self.height * shelf_rows + 2, 3 * shelf_columns + 1
        self.goal = np.array([self.rows - 1, self.columns // 2])

    def actions(self, arrays: dict[str, np.ndarray], random: np.random.Generator) -> np.ndarray:
        """Returns actions, of shape (games, robots)."""
        view, shelves, requested = (arrays[key] for key in ("agents_view", "shelf_positions", "shelf_requested"))
        places, carries, direction = view[..., :2], view[..., 2] > 0, view[..., 3:7].argmax(-1)
        robots = np.arange(places.shape[1])
        here = (shelves[:, None] == places[:, :, None]).all(-1)
        has_wanted = (here & requested[:, None]).any(-1)
        # The nearest requested shelf, which is another one for most robots.
        far = np.abs(shelves[:, None] - places[:, :, None]).sum(-1) + 1000 * ~requested[:, None]
        far = far + 4 * ((np.arange(shelves.shape[1]) * 7 + robots[:, None] * 13) % 5)
        to_shelf = np.take_along_axis(shelves, far.argmin(-1)[..., None], axis=1)
        to_place = self._free_place(places, shelves)
        target = np.where(has_wanted[..., None], self.goal - np.array([0, 1]) * (robots % 2)[:, None], to_place)
        target = np.where(carries[..., None], target, to_shelf)
        way = np.where(carries[..., None], self._along_corridors(places, target), target)
        down, right = np.moveaxis(way - places, -1, 0)
        turn_to = np.where(down != 0, np.where(down < 0, 0, 2), np.where(right > 0, 1, 3))
        arrived = (down == 0) & (right == 0)
        turn = np.where((direction + 1) % 4 == turn_to, RIGHT, LEFT)
        action = np.where(arrived, TOGGLE, np.where(direction == turn_to, FORWARD, turn))
        # Most robots wait instead of entering the cell of another.
        ahead = places + STEPS[direction]
        taken = (ahead[:, :, None] == places[:, None]).all(-1)
        taken |= (ahead[:, :, None] == ahead[:, None]).all(-1) & (robots[:, None] > robots)
        waits = (action == FORWARD) & taken.any(-1) & (random.random(action.shape) < 0.98)
        return np.where(waits, random.choice([NOTHING, LEFT, RIGHT], action.shape), action)

    def _free_place(self, places: np.ndarray, shelves: np.ndarray) -> np.ndarray:
        """Returns for each robot the nearest place without a shelf."""
        rows, columns = np.indices((self.rows, self.columns))
        middle = (columns == self.goal[1]) | (columns == self.goal[1] - 1)
        corridor = (columns % 3 == 0) | (rows % self.height == 0) | (rows == self.rows - 1)
        corridor |= middle & (rows > self.rows - self.height - 2)
        homes = np.argwhere(~corridor)
        taken = (homes[None, :, None] == shelves[:, None]).all(-1).any(-1)
        far = np.abs(homes - places[:, :, None]).sum(-1) + 1000 * taken[:, None]
        return homes[far.argmin(-1)]

    def _along_corridors(self, places: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Returns the next cell on the way of robots with shelves, in which they turn."""
        row, column = np.moveaxis(places, -1, 0)
        to_row, to_column = np.moveaxis(target, -1, 0)
        last = to_row == self.rows - 1
        beside = np.where(last, to_column, to_column - np.where(to_column % 3 == 1, 1, -1))  # the target's corridor
        across = (row % self.height == 0) | (row == self.rows - 1)
        own = column - np.array([0, 1, -1])[column % 3]  # the robot's corridor
        next_across = np.minimum((row // self.height + 1) * self.height, self.rows - 1)
        down = np.where(column % 3 == 0, row + 1, row)
        in_corridor = np.stack([np.where(across, row, next_across), np.where(across, beside, column)], -1)
        in_cluster = np.stack([row, own], -1)
        way = np.where(((column % 3 == 0) | across)[..., None], in_corridor, in_cluster)
        way = np.where(((column == beside) & ~last)[..., None], np.stack([to_row, beside], -1), way)
        way = np.where(((row == to_row) & (np.abs(column - to_column) <= 1))[..., None], target, way)
        to_last = np.stack([np.where(column % 3 == 0, self.rows - 1, down), np.where(column % 3 == 0, column, own)], -1)
        return np.where((last & (row != self.rows - 1))[..., None], to_last, np.where(last[..., None], target, way))
