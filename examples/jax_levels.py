# SPDX-License-Identifier: Apache-2.0
"""Levels of UEDMaze-v0 for ued_maze.py: the buffer of prioritized level replay, edits, and the mazes of the test.

All functions are for a batch of levels. Jiang et al., "Prioritized level replay" (2021).
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

SIDE = 13

# The mazes of the test, side by side. A is the start of the agent, which looks to the right, and G the goal.
MAZES = """
rooms         nine_rooms    spiral        zigzag        comb          rings         labyrinth_1   labyrinth_2
......#...... A...#...#.... A............ A............ .#.#.#.#G#.#. ............. .#.......#..G .......#....G
......#....G. ........#.... ############. ############. .#.#.#.#.#.#. .###########. .#.#####.###. ######.#.#.##
............. ....#........ ...........#. ............. .#.#.#.#.#.#. .#.........#. .#...#.#.#... .#...#.#.#...
......#...... ....#...#.... .#########.#. .############ .#.#.#.#.#.#. .#.#######.#. .###.#.#.#.## .#.#.#.#.###.
......#...... ##.########.# .#.......#.#. ............. .#.#.#.#.#.#. .#.#.....#.#. .....#...#... ...#...#...#.
......#...... ....#...#.... .#.#####.#.#. ############. .#.#.#.#.#.#. .#.#.#.#.#.#. ######.#####. .###########.
#.########.## ............. .#.#..G#.#.#. ............. A............ ...#.#G#...#. .....#...#... .#...#.......
......#...... ....#...#.... .#.#.###.#.#. .############ .#.#.#.#.#.#. .#.#.###.#.#. .###.###.#.#. .#.#.###.###.
......#...... #.####.###### .#.#.....#.#. ............. .#.#.#.#.#.#. .#.#.....#.#. ...#...#.#.#. .#.#.#...#.#.
............. ....#...#.... .#.#######.#. ############. .#.#.#.#.#.#. .#.#######.#. ##.#.###.#.#. .#.#.#.###.#.
......#...... ........#.... .#.........#. ............. .#.#.#.#.#.#. .#.........#. ...#.#...#.#. ...#.#.#.#...
.A....#...... ....#........ .###########. .############ .#.#.#.#.#.#. .###########. .###.#.###.#. ####.#.#.#.##
......#...... ....#...#...G ............. ............G .#.#.#.#.#.#. A............ A..#.......#. A......#.....
"""


class Levels(NamedTuple):
    """Levels, as parameters of the environment: params.replace(**levels._asdict())."""

    walls: Any
    start: Any
    goal: Any
    direction: Any


class Buffer(NamedTuple):
    """The levels that are kept for replay."""

    levels: Levels
    score: Any  # -inf: this row is empty
    best: Any  # highest return of the agent on the level so far
    played: Any  # update in which the level was last played

    @classmethod
    def empty(cls, levels: Levels) -> "Buffer":
        """Returns a buffer with as many empty rows as there are levels."""
        size = len(levels.walls)
        return cls(levels, jnp.full(size, -jnp.inf, jnp.float32), jnp.zeros(size), jnp.zeros(size, jnp.int32))

    def ready(self) -> Array:
        """Returns whether the buffer is half full."""
        return (self.score > -jnp.inf).mean() >= 0.5

    def probabilities(self, temperature: float, staleness: float, now: Array) -> Array:
        """Returns the probability of each level in update `now`.

        It is rank ** (-1 / temperature), with the weight 1 - staleness, and with the weight `staleness` it is proportional
        to the number of updates since the level was last played.
        """
        filled = self.score > -jnp.inf
        rank = jnp.argsort(jnp.argsort(-self.score)) + 1
        by_score = jnp.where(filled, rank ** (-1 / temperature), 0)
        by_staleness = jnp.where(filled, now - self.played + 1e-6, 0)
        by_score, by_staleness = (x / jnp.maximum(x.sum(), 1e-9) for x in (by_score, by_staleness))
        return (1 - staleness) * by_score + staleness * by_staleness

    def after(self, rows: Array, levels: Levels, score: Array, best: Array, now: Array, replayed: Array) -> "Buffer":
        """Returns the buffer after levels have been played.

        Replayed levels keep their rows. Of the levels in the buffer and the new ones, those with the highest scores stay.
        """
        new = Buffer(levels, score, best, jnp.full_like(rows, now))
        rows = jnp.where(replayed, rows, len(self.score))  # past the end, where nothing is set
        updated = jax.tree.map(lambda old, x: old.at[rows].set(x, mode="drop"), self, new)
        new = new._replace(score=jnp.where(replayed, -jnp.inf, score))
        both = jax.tree.map(lambda *x: jnp.concatenate(x), updated, new)
        kept = jax.lax.top_k(both.score, len(self.score))[1]
        last: Buffer = jax.tree.map(lambda x: x[kept], both)
        return last


def edited(key: Array, levels: Levels, edits: int) -> Levels:
    """Returns levels in which random cells have changed: walls appear or vanish, except at the start and the goal."""
    each = jnp.arange(len(levels.walls))
    x, y = jax.random.randint(key, (2, edits, len(each)), 0, SIDE)
    changes = jnp.zeros_like(levels.walls, jnp.int32).at[each, y, x].add(1)
    walls = levels.walls ^ (changes % 2 == 1)
    for place in (levels.start, levels.goal):
        walls = walls.at[each, place[:, 1], place[:, 0]].set(False)
    return levels._replace(walls=walls)


def mazes() -> tuple[list[str], Levels]:
    """Returns the names and levels of MAZES."""
    names, *rows = (line.split() for line in MAZES.strip().splitlines())
    cells = np.array([[list(row[i]) for row in rows] for i in range(len(names))])
    start, goal = (np.argwhere(cells == mark)[:, :0:-1].astype(np.int32) for mark in "AG")
    return names, Levels(cells == "#", start, goal, np.zeros(len(names), np.int32))


def solvable(levels: Levels) -> Array:
    """Returns whether there is a way from the start to the goal of each level."""
    each = jnp.arange(len(levels.walls))
    reached = jnp.zeros_like(levels.walls).at[each, levels.start[:, 1], levels.start[:, 0]].set(True)

    def spread(_: Any, reached: Array) -> Array:
        padded = jnp.pad(reached, ((0, 0), (1, 1), (1, 1)))
        around = padded[:, 2:, 1:-1] | padded[:, :-2, 1:-1] | padded[:, 1:-1, 2:] | padded[:, 1:-1, :-2]
        return (reached | around) & ~levels.walls

    reached = jax.lax.fori_loop(0, SIDE * SIDE, spread, reached)
    return reached[each, levels.goal[:, 1], levels.goal[:, 0]]
