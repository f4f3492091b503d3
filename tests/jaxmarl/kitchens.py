# SPDX-License-Identifier: Apache-2.0
"""JaxMARL's Overcooked beside ours: kitchens in states that are read from our observations, and cooks who cook."""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

LAYOUTS = ("cramped_room", "asymm_advantages", "coord_ring", "forced_coord", "counter_circuit")
STAY, INTERACT = 4, 5
STEPS = ((-1, 0), (1, 0), (0, 1), (0, -1))  # of the moves up, down, right and left, in rows and columns
THINGS = FLOOR, ONION, PLATE, DISH = 1, 3, 5, 9  # in hands


class Reference:
    """A batch of JaxMARL's kitchens."""

    def __init__(self, layout: str | Any, **options: Any) -> None:
        from jaxmarl.environments.overcooked import Overcooked
        from jaxmarl.environments.overcooked.layouts import layout_grid_to_dict, overcooked_layouts

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # there is a second version
            known = overcooked_layouts.get(layout)
            self.env = Overcooked(layout_grid_to_dict(layout) if known is None else known, **options)
        self.pad = self.env.agent_view_size - 1
        self._reset = jax.jit(lambda key: self.env.reset(key)[1])
        self._step = jax.jit(jax.vmap(lambda state, actions: self.env.step_env(jax.random.key(0), state, actions)))
        self._observe = jax.jit(jax.vmap(self.env.get_obs))

    def put(self, obs: np.ndarray) -> None:
        """Takes over the states that observations of first cooks show, of shape (worlds, rows, columns, 26)."""
        states = [self._state(one) for one in obs]
        self.state = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)

    def _state(self, obs: np.ndarray) -> Any:
        state = self._reset(jax.random.key(0))
        maze = np.array(state.maze_map)
        for x, y in np.asarray(state.agent_pos):
            maze[self.pad + y, self.pad + x] = (FLOOR, 0, 0)
        places, directions, held = [], [], []
        for cook in range(2):
            ((row, column),) = np.argwhere(obs[..., cook])
            direction = int(obs[row, column, 2 + 4 * cook : 6 + 4 * cook].argmax())
            places.append((column, row))
            directions.append(direction)
            held.append(held_by(obs[row, column]))
            maze[self.pad + row, self.pad + column] = (10, 2 * cook, direction)
        for row, column in np.argwhere(obs[..., 10]):
            maze[self.pad + row, self.pad + column, 2] = status_of(obs[row, column])
        vectors = np.array([(0, -1), (0, 1), (1, 0), (-1, 0)], np.int8)
        return state.replace(
            agent_pos=jnp.array(places, jnp.uint32),
            agent_dir=jnp.array(vectors[directions]),
            agent_dir_idx=jnp.array(directions, jnp.int32),
            agent_inv=jnp.array(held, state.agent_inv.dtype),
            maze_map=jnp.array(maze),
        )

    def observe(self) -> np.ndarray:
        """Returns the observations, of shape (worlds, 2, rows, columns, 26)."""
        obs = self._observe(self.state)
        return np.stack([obs["agent_0"], obs["agent_1"]], axis=1)

    def step(self, actions: np.ndarray) -> dict[str, np.ndarray]:
        """Steps with actions of shape (worlds, 2)."""
        both = {"agent_0": jnp.array(actions[:, 0]), "agent_1": jnp.array(actions[:, 1])}
        obs, self.state, rewards, dones, infos = self._step(self.state, both)
        columns = {"obs": obs, "reward": rewards, "done": dones, "shaped_reward": infos["shaped_reward"]}
        return {name: np.stack([np.asarray(of[f"agent_{i}"]) for i in range(2)], 1) for name, of in columns.items()}


def held_by(planes: np.ndarray) -> int:
    """Returns what a cook holds, from the planes of the cook's cell."""
    return DISH if planes[21] else PLATE if planes[22] else ONION if planes[23] else FLOOR


def status_of(planes: np.ndarray) -> int:
    """Returns the status of a pot."""
    return int(planes[20]) if planes[20] else 0 if planes[21] else 23 - int(planes[16])


class Cooks:
    """Cooks who fetch onions and plates, fill pots and deliver, with some random actions."""

    def __init__(self, obs: np.ndarray, seed: int, randomness: float) -> None:
        self.random = np.random.default_rng(seed)
        self.randomness = randomness
        things = obs[0, :, :, 10:16].any(axis=-1)
        self.floor = ~things
        self.ways: dict[tuple[int, int], np.ndarray] = {}  # the distances to a thing

    def act(self, obs: np.ndarray) -> np.ndarray:
        """Returns actions, of shape (worlds, 2), for the observations of the first cooks."""
        actions = self.random.integers(6, size=(len(obs), 2))
        follows = self.random.random((len(obs), 2)) >= self.randomness
        for world, cook in np.argwhere(follows):
            actions[world, cook] = self._aim(obs[world], cook)
        return actions

    def _aim(self, obs: np.ndarray, cook: int) -> int:
        ((row, column),) = np.argwhere(obs[..., cook])
        held = held_by(obs[row, column])
        pots = obs[..., 10] > 0
        cooks = (pots & ((obs[..., 20] > 0) | (obs[..., 21] > 0))).any()
        free = (obs[..., 11] > 0) if self.random.random() < 0.1 else np.zeros_like(pots)
        targets = {
            ONION: pots & (obs[..., 18] == 0) | free,
            PLATE: pots & (obs[..., 21] > 0) | free,
            DISH: (obs[..., 15] > 0) | free,
            FLOOR: (obs[..., 14] > 0) if cooks else (obs[..., 12] > 0),
        }[held]
        if held == FLOOR and self.random.random() < 0.3:  # something that lies on a counter
            targets = targets | (~self.floor & ((obs[..., 22] > 0) | (obs[..., 23] > 0) | (obs[..., 21] > 0)) & ~pots)
        ways = [(self._way(tuple(cell))[row, column], tuple(cell)) for cell in np.argwhere(targets)]
        ways = [way for way in ways if way[0] < 1000]
        if not ways:
            return int(self.random.integers(6))
        distance, (to_row, to_column) = min(ways)
        direction = int(obs[row, column, 2 + 4 * cook : 6 + 4 * cook].argmax())
        for move, (down, right) in enumerate(STEPS):
            at = (row + down, column + right)
            if at == (to_row, to_column):
                return INTERACT if direction == move else move
        for move, (down, right) in enumerate(STEPS):
            at = (row + down, column + right)
            if self.floor[at] and self._way((to_row, to_column))[at] < distance:
                return move
        return STAY

    def _way(self, target: tuple[int, int]) -> np.ndarray:
        if target not in self.ways:
            distance = np.full(self.floor.shape, 1000)
            distance[target], cells = 0, [target]
            for row, column in cells:
                for down, right in STEPS:
                    at = (row + down, column + right)
                    inside = 0 <= at[0] < self.floor.shape[0] and 0 <= at[1] < self.floor.shape[1]
                    if inside and self.floor[at] and distance[at] == 1000:
                        distance[at] = distance[row, column] + 1
                        cells.append(at)
            self.ways[target] = distance
        return self.ways[target]
