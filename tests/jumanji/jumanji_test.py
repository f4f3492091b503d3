# SPDX-License-Identifier: Apache-2.0
"""Jumanji's environments beside Jumanji: every array of every step, and distributions of resets and draws."""

from __future__ import annotations

import collections
import itertools
import os

import numpy as np
import pytest
from scipy import stats

import envpool

pytest.importorskip("jumanji", reason="Jumanji is not installed")
import jax

from tests.jumanji.games import Case, flat, mines_of, player_of, reference_of
from tests.support.chi_square import SMALLEST_P, ChiSquare

EPISODES = int(os.environ.get("ENVPOOL_TEST_JUMANJI", "12"))

CASES = {
    "Snake": Case("Snake-v1", {}, 300),
    "Snake 2x2": Case("Snake-v1", {"num_rows": 2, "num_cols": 2}, 60, 0.01),
    "Snake 3x4": Case("Snake-v1", {"num_rows": 3, "num_cols": 4}, 120, 0.01),
    "Snake 6x3": Case("Snake-v1", {"num_rows": 6, "num_cols": 3, "time_limit": 90}, 100, 0.01),
    "Snake 5x17": Case("Snake-v1", {"num_rows": 5, "num_cols": 17, "time_limit": 150}, 160, 0.003),
    "2048": Case("Game2048-v1", {}, 400, 0.1),
    "2048 2x2": Case("Game2048-v1", {"board_size": 2}, 60, 0.1),
    "2048 3x3": Case("Game2048-v1", {"board_size": 3}, 150, 0.1),
    "2048 5x5": Case("Game2048-v1", {"board_size": 5}, 300, 0.1),
    "2048 8x8": Case("Game2048-v1", {"board_size": 8}, 200, 0.1),
    "SlidingTilePuzzle": Case("SlidingTilePuzzle-v0", {"time_limit": 150}, 160, 0.1),
    "SlidingTilePuzzle 2x2": Case("SlidingTilePuzzle-v0", {"grid_size": 2, "num_random_moves": 9}, 200, 0.1),
    "SlidingTilePuzzle 3x3": Case(
        "SlidingTilePuzzle-v0",
        {"grid_size": 3, "num_random_moves": 5, "time_limit": 90, "reward_fn": "sparse"},
        90,
        0.1,
    ),
    "SlidingTilePuzzle 16x16": Case("SlidingTilePuzzle-v0", {"grid_size": 16, "num_random_moves": 2000}, 60, 0.1),
    "RubiksCube": Case("RubiksCube-v0", {}, 210),
    "RubiksCube partly": Case("RubiksCube-partly-scrambled-v0", {}, 25),
    "RubiksCube 2": Case("RubiksCube-v0", {"cube_size": 2, "num_scrambles_on_reset": 2, "time_limit": 60}, 70),
    "RubiksCube 3": Case("RubiksCube-v0", {"num_scrambles_on_reset": 1, "time_limit": 60}, 70),
    "RubiksCube 4": Case("RubiksCube-v0", {"cube_size": 4, "time_limit": 60}, 70),
    "RubiksCube 7": Case("RubiksCube-v0", {"cube_size": 7, "time_limit": 60}, 70),
    "Minesweeper": Case("Minesweeper-v0", {}, 91, 0.01),
    "Minesweeper 2x3": Case("Minesweeper-v0", {"num_rows": 2, "num_cols": 3, "num_mines": 1}, 10),
    "Minesweeper 4x7": Case("Minesweeper-v0", {"num_rows": 4, "num_cols": 7, "num_mines": 25}, 10),
    "Minesweeper rewards": Case(
        "Minesweeper-v0",
        {
            "num_rows": 6,
            "num_cols": 5,
            "num_mines": 3,
            "revealed_empty_square_reward": 0.3,
            "revealed_mine_reward": -0.7,
            "invalid_action_reward": -1.5,
        },
        30,
        0.05,
    ),
    "Maze": Case("Maze-v0", {}, 100, 0.2),
    "Maze 2x2": Case("Maze-v0", {"num_rows": 2, "num_cols": 2}, 10, 0.2),
    "Maze 4x9": Case("Maze-v0", {"num_rows": 4, "num_cols": 9, "time_limit": 50}, 60, 0.2),
    "Maze 31x6": Case("Maze-v0", {"num_rows": 31, "num_cols": 6}, 190, 0.2),
    "Cleaner": Case("Cleaner-v0", {}, 100, 0.003),
    "Cleaner 3x3": Case("Cleaner-v0", {"num_rows": 3, "num_cols": 3, "num_agents": 1, "time_limit": 30}, 40, 0.003),
    "Cleaner 5x8": Case("Cleaner-v0", {"num_rows": 5, "num_cols": 8, "penalty_per_timestep": 0.1}, 45, 0.003),
    "Cleaner 9x4": Case("Cleaner-v0", {"num_rows": 9, "num_cols": 4, "num_agents": 5}, 40, 0.003),
}


def all_arrays(obs, info):
    """Returns copies of the arrays of the observation and of those infos that Jumanji has, too."""
    extras = {
        name: info[name]
        for name in ("highest_tile", "ratio_dirty_tiles", "num_dirty_tiles", "prop_correctly_placed")
        if name in info
    }
    return {name: np.array(value) for name, value in flat({**obs, **extras}).items()}


def choose(case, arrays, rng):
    """Returns mostly legal actions, some of which move a snake to its fruit."""
    space = envpool.make_spec(case.task_id, **case.options).action_space
    games = len(next(iter(arrays.values())))
    shape = (games, *space.shape)
    anything = rng.integers(0, space.n if hasattr(space, "n") else space.nvec, shape)
    if case.task_id.startswith("RubiksCube"):
        return anything.astype(np.int32)
    mask = arrays["action_mask"].reshape(games, -1) if "Minesweeper" in case.task_id else arrays["action_mask"]
    weight = rng.random(mask.shape) * mask
    if case.task_id.startswith("Snake"):
        columns = arrays["grid"].shape[2]
        head, fruit = (np.divmod(arrays["grid"][..., i].reshape(games, -1).argmax(1), columns) for i in (1, 3))
        closer = np.stack([head[0] > fruit[0], head[1] < fruit[1], head[0] < fruit[0], head[1] > fruit[1]], axis=1)
        weight *= 1 + 3 * closer
    legal = weight.argmax(-1)
    if "Minesweeper" in case.task_id:
        legal = np.stack(np.divmod(legal, arrays["board"].shape[2]), axis=-1)
    any_move = (rng.random(games) < case.illegal).reshape(games, *[1] * (legal.ndim - 1))
    return np.where(any_move, anything, legal).astype(np.int32)


def record(case, games, seed):
    """Plays episodes and returns the arrays of all steps, rewards and ends, and the cells with mines."""
    env = envpool.make_gymnasium(case.task_id, num_envs=games, seed=seed, **case.options)
    rng = np.random.default_rng(seed)
    steps = [all_arrays(*env.reset())]
    hidden = {}
    if "Minesweeper" in case.task_id:
        states = [env.snapshot(i) for i in range(games)]
        hidden["mines"] = mines_of(case.options, states, steps[0]["board"].shape[1:])
    over, actions, rewards, ends = np.zeros(games, bool), [], [], []
    while not over.all() and len(actions) < case.steps:
        actions.append(choose(case, steps[-1], rng))
        obs, reward, terminated, truncated, info = env.step(actions[-1])
        assert not truncated.any()
        steps.append(all_arrays(obs, info))
        rewards.append(reward.copy())
        ends.append(terminated.copy())
        over |= terminated
    arrays = {name: np.stack([step[name] for step in steps]) for name in steps[0]}
    return arrays, hidden, np.stack(actions), np.stack(rewards), np.stack(ends)


@pytest.mark.parametrize("name", CASES)
def test_episodes_equal_those_of_jumanji(name):
    case = CASES[name]
    reference = reference_of(case.task_id, case.options)
    arrays, hidden, actions, rewards, ends = record(case, EPISODES, 1)
    first = {key: value[0] for key, value in arrays.items()} | hidden
    after = {key: value[1:].swapaxes(0, 1) for key, value in arrays.items()}
    begin, rest = jax.tree.map(np.asarray, player_of(reference)(first, actions.swapaxes(0, 1), after))
    lengths = np.where(ends.any(0), ends.argmax(0) + 1, len(ends))
    print(name, "episodes", EPISODES, "steps", lengths.sum(), "ended", ends.any(0).sum())
    assert set(begin) <= set(arrays)
    assert set(arrays) == set(rest) - {"reward", "done", "discount"}
    for key, expected in begin.items():
        np.testing.assert_array_equal(arrays[key][0], expected, key)
    for game, length in enumerate(lengths):
        for key, ours in after.items():
            np.testing.assert_array_equal(ours[game, :length], rest[key][game, :length], f"{key} of episode {game}")
        np.testing.assert_array_equal(rewards[:length, game], rest["reward"][game, :length], f"episode {game}")
        np.testing.assert_array_equal(ends[:length, game], rest["done"][game, :length], f"episode {game}")
        np.testing.assert_array_equal(rest["discount"][game, :length] == 0, rest["done"][game, :length])
    if "time_limit" in case.options or case.task_id.startswith(("Minesweeper", "Maze", "Cleaner")):
        assert ends.any(0).all()


def same_distribution(ours, theirs):
    """Fails if two samples of outcomes seem to have different distributions."""
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    common = [key for key in ours.keys() | theirs.keys() if ours[key] + theirs[key] >= 10]
    table = [
        [sample[key] for key in common] + [sum(sample.values()) - sum(sample[key] for key in common)]
        for sample in (ours, theirs)
    ]
    table = np.array(table)[:, np.array(table).sum(0) > 0]
    if table.shape[1] > 1:
        pvalue = stats.chi2_contingency(table).pvalue
        print(f"{table.shape[1]} outcomes, p = {pvalue:.4f}")
        assert pvalue > SMALLEST_P


RESETS = {
    "Snake": ("Snake-v1", {"num_rows": 3, "num_cols": 4}, ["grid"]),
    "2048": ("Game2048-v1", {"board_size": 3}, ["board"]),
    "SlidingTilePuzzle": ("SlidingTilePuzzle-v0", {"grid_size": 3, "num_random_moves": 6}, ["puzzle"]),
    "SlidingTilePuzzle far": (
        "SlidingTilePuzzle-v0",
        {"grid_size": 3, "num_random_moves": 51},
        ["empty_tile_position"],
    ),
    "SlidingTilePuzzle 2x2": ("SlidingTilePuzzle-v0", {"grid_size": 2, "num_random_moves": 40}, ["puzzle"]),
    "RubiksCube": ("RubiksCube-v0", {"num_scrambles_on_reset": 2}, ["cube"]),
    "RubiksCube 4": ("RubiksCube-v0", {"cube_size": 4, "num_scrambles_on_reset": 1}, ["cube"]),
    "Maze": ("Maze-v0", {"num_rows": 5, "num_cols": 4}, ["walls"]),
    "Maze wide": ("Maze-v0", {"num_rows": 3, "num_cols": 9}, ["walls"]),
    "Maze places": (
        "Maze-v0",
        {"num_rows": 4, "num_cols": 3},
        ["agent_position.row", "agent_position.col", "target_position.row", "target_position.col"],
    ),
    "Cleaner": ("Cleaner-v0", {"num_rows": 4, "num_cols": 6}, ["grid"]),
}


@pytest.mark.parametrize("name", RESETS)
def test_resets_have_the_distribution_of_jumanji(name):
    task_id, options, keys = RESETS[name]
    games = 8000
    reference = reference_of(task_id, options)
    theirs = flat(jax.jit(jax.vmap(reference.reset))(jax.random.split(jax.random.key(3), games))[1].observation)
    ours = flat(envpool.make_gymnasium(task_id, num_envs=games, seed=5, **options).reset()[0])
    rows = [
        np.concatenate([np.asarray(arrays[key]).reshape(games, -1).astype(np.float32) for key in keys], axis=1)
        for arrays in (ours, theirs)
    ]
    same_distribution(*([row.tobytes() for row in sample] for sample in rows))


def test_large_mazes_have_the_distribution_of_jumanji():
    games = 3000
    reference = reference_of("Maze-v0", {})
    theirs = flat(jax.jit(jax.vmap(reference.reset))(jax.random.split(jax.random.key(3), games))[1].observation)
    ours = flat(envpool.make_gymnasium("Maze-v0", num_envs=games, seed=6).reset()[0])
    walls = [np.asarray(arrays["walls"]) for arrays in (ours, theirs)]
    same_distribution(*(sample.sum((1, 2)).tolist() for sample in walls))
    for row, column in ((0, 3), (1, 4), (5, 5), (9, 9), (8, 2), (4, 9)):
        same_distribution(*(sample[:, row, column].tolist() for sample in walls))
    for row in (1, 6):
        same_distribution(*([walls.tobytes() for walls in sample[:, row, :6]] for sample in walls))


@pytest.mark.parametrize(("shape", "mines"), [((2, 2), 2), ((2, 3), 1), ((2, 3), 5), ((3, 2), 4)])
def test_sets_of_mines_have_equal_probabilities(shape, mines):
    games, cells = 600, shape[0] * shape[1]
    options = {"num_rows": shape[0], "num_cols": shape[1], "num_mines": mines}
    env = envpool.make_gymnasium("Minesweeper-v0", num_envs=games, seed=4, **options)
    env.reset()
    found = mines_of(options, [env.snapshot(i) for i in range(games)], shape)
    sets = list(itertools.combinations(range(cells), mines))
    fit = ChiSquare()
    fit.add(collections.Counter(map(tuple, found.tolist())), dict.fromkeys(sets, 1 / len(sets)))
    fit.check()


def test_new_fruits_and_tiles_have_the_right_probabilities():
    games = 4000
    env = envpool.make_gymnasium("Snake-v1", num_envs=games, seed=2, num_rows=2, num_cols=3)
    rng, ranks, case = np.random.default_rng(1), collections.defaultdict(collections.Counter), CASES["Snake"]
    case = case._replace(options={"num_rows": 2, "num_cols": 3}, illegal=0)
    obs, _ = env.reset()
    for _ in range(12):
        obs, reward, terminated, _, _ = env.step(choose(case, obs, rng))
        for game in np.flatnonzero((reward > 0) & ~terminated):
            free = np.flatnonzero(obs["grid"][game, ..., 0].ravel() == 0)
            ranks[len(free)][int(np.searchsorted(free, obs["grid"][game, ..., 3].argmax()))] += 1
    fit = ChiSquare()
    for count, seen in ranks.items():
        fit.add(seen, dict.fromkeys(range(count), 1 / count))
    assert len(ranks) >= 4
    fit.check()

    env = envpool.make_gymnasium("Game2048-v1", num_envs=games, seed=2, board_size=2)
    board = env.reset()[0]["board"].copy()
    obs, *_ = env.step(np.zeros(games, np.int32))
    # Half of the boards have their tile above: the move is illegal, and changes nothing.
    illegal = board[:, 0].any(axis=1)
    np.testing.assert_array_equal(obs["board"][illegal], board[illegal])
    slid = board[:, ::-1]
    new = np.where(slid == 0, obs["board"], 0)[~illegal].reshape(-1, 4)
    place = np.argmax(new, axis=1) - (np.argmax(new, axis=1) > np.argmax(slid[~illegal].reshape(-1, 4), axis=1))
    fit = ChiSquare()
    fit.add(collections.Counter(place.tolist()), dict.fromkeys(range(3), 1 / 3))
    fit.add(collections.Counter(new.max(axis=1).tolist()), {1: 0.9, 2: 0.1})
    fit.check()


BAD = [
    ("Snake-v1", {"num_rows": 1}, "num_rows: expected .*, got 1"),
    ("Snake-v1", {"time_limit": 0}, "time_limit: expected .*, got 0"),
    ("Game2048-v1", {"board_size": 9}, "board_size: expected .*, got 9"),
    ("SlidingTilePuzzle-v0", {"reward_fn": "none"}, "reward_fn: expected .*, got 'none'"),
    ("SlidingTilePuzzle-v0", {"num_random_moves": -1}, "num_random_moves: expected .*, got -1"),
    ("RubiksCube-v0", {"cube_size": 1}, "cube_size: expected .*, got 1"),
    ("Minesweeper-v0", {"num_mines": 100}, "num_mines: expected fewer than the 100 cells, got 100"),
    ("Maze-v0", {"num_cols": 33}, "num_cols: expected .*, got 33"),
    ("Cleaner-v0", {"num_agents": 0}, "num_agents: expected .*, got 0"),
    ("Cleaner-v0", {"penalty_per_timestep": float("nan")}, "penalty_per_timestep: expected .*, got nan"),
]


@pytest.mark.parametrize(("task_id", "options", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_options(task_id, options, words):
    with pytest.raises(ValueError, match=words):
        envpool.make(task_id, **options)


def test_ids_have_two_spellings():
    ids = [name for name in envpool.list_all_envs() if name.startswith("Jumanji/")]
    assert len(ids) == 8
    for name in ids:
        one, other = (envpool.make_gymnasium(i, num_envs=2, seed=3) for i in (name, name.removeprefix("Jumanji/")))
        for left, right in zip(flat(one.reset()[0]).items(), flat(other.reset()[0]).items(), strict=True):
            assert left[0] == right[0]
            np.testing.assert_array_equal(left[1], right[1])
