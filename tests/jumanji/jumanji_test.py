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

from tests.jumanji.games import Case, flat, hidden, mines_of, player_of, reference_of
from tests.jumanji.warehouse import Warehouse
from tests.support.chi_square import SMALLEST_P, ChiSquare

EPISODES = int(os.environ.get("ENVPOOL_TEST_JUMANJI", "12"))


def nearly_solved(empty):
    """Returns nine solved puzzles with this many empty cells, as bytes."""
    row, column = np.indices((9, 9))
    puzzles = np.stack([(3 * row + row // 3 + column + i) % 9 + 1 for i in range(9)]).astype(np.int8)
    for number, puzzle in enumerate(puzzles):
        puzzle.ravel()[np.random.default_rng(number).choice(81, empty, replace=False)] = 0
    return puzzles.tobytes()


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
    "Connector": Case("Connector-v3", {}, 60, 0.1),
    "Connector 3x3": Case("Connector-v2", {"grid_size": 3, "num_agents": 2}, 20, 0.2),
    "Connector 4x4": Case("Connector-v3", {"grid_size": 4, "num_agents": 3, "time_limit": 6}, 10, 0.1),
    "Connector rewards": Case(
        "Connector-v3",
        {"grid_size": 7, "num_agents": 7, "connected_reward": 0.7, "timestep_reward": -0.11, "time_limit": 30},
        40,
        0.1,
    ),
    "Connector uniform": Case(
        "Connector-v3", {"grid_size": 6, "num_agents": 11, "generator": "uniform_random", "time_limit": 40}, 50, 0.1
    ),
    "Connector 32x32": Case("Connector-v3", {"grid_size": 32, "num_agents": 32, "time_limit": 60}, 70, 0.1),
    "LevelBasedForaging": Case("LevelBasedForaging-v0", {}, 110, 0.1),
    "LevelBasedForaging alone": Case(
        "LevelBasedForaging-v0",
        {"grid_size": 5, "num_agents": 1, "num_food": 1, "fov": 5, "max_agent_level": 3, "time_limit": 60},
        70,
        0.05,
    ),
    "LevelBasedForaging penalty": Case(
        "LevelBasedForaging-v0",
        {"num_agents": 4, "num_food": 5, "fov": 2, "force_coop": False, "penalty": 0.3, "time_limit": 60},
        70,
        0.05,
    ),
    "LevelBasedForaging grid": Case(
        "LevelBasedForaging-v0",
        {"grid_size": 9, "num_agents": 3, "num_food": 3, "fov": 3, "max_agent_level": 5, "force_coop": False}
        | {"grid_observation": True, "normalize_levels": False, "penalty": 0.1},
        110,
        0.05,
    ),
    "LevelBasedForaging many": Case(
        "LevelBasedForaging-v0",
        {"grid_size": 15, "num_agents": 10, "num_food": 19, "fov": 15, "force_coop": False, "time_limit": 80},
        90,
        0.05,
    ),
    "Sudoku": Case("Sudoku-v0", {}, 82, 0.02),
    "Sudoku very easy": Case("Sudoku-very-easy-v0", {}, 40, 0.05),
    "Sudoku at its end": Case("Sudoku-v0", {"puzzles": nearly_solved(7)}, 10, 0.01),
    "RobotWarehouse": Case("RobotWarehouse-v0", {}, 501, 0.0005),
    "RobotWarehouse small": Case(
        "RobotWarehouse-v0",
        {"shelf_rows": 1, "column_height": 2, "num_agents": 2, "request_queue_size": 5, "time_limit": 250},
        260,
        0.001,
    ),
    "RobotWarehouse wide": Case(
        "RobotWarehouse-v0",
        {"shelf_rows": 3, "shelf_columns": 5, "column_height": 3, "num_agents": 9, "sensor_range": 3}
        | {"request_queue_size": 20, "time_limit": 200},
        210,
        0.0005,
    ),
    "RobotWarehouse crowded": Case(
        "RobotWarehouse-v0",
        {"shelf_columns": 1, "column_height": 2, "num_agents": 18, "sensor_range": 2, "request_queue_size": 1},
        30,
        0.3,
    ),
    "Cleaner": Case("Cleaner-v0", {}, 100, 0.003),
    "Cleaner 3x3": Case("Cleaner-v0", {"num_rows": 3, "num_cols": 3, "num_agents": 1, "time_limit": 30}, 40, 0.003),
    "Cleaner 5x8": Case("Cleaner-v0", {"num_rows": 5, "num_cols": 8, "penalty_per_timestep": 0.1}, 45, 0.003),
    "Cleaner 9x4": Case("Cleaner-v0", {"num_rows": 9, "num_cols": 4, "num_agents": 5}, 40, 0.003),
}


def all_arrays(obs, info):
    """Returns copies of the arrays of the observation and of those infos that Jumanji has, too."""
    extras = {
        name: info[name]
        for name in (
            *("highest_tile", "ratio_dirty_tiles", "num_dirty_tiles", "prop_correctly_placed"),
            *("num_connections", "ratio_connections", "total_path_length", "percent_eaten"),
            *("shelf_positions", "shelf_requested"),
        )
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
    of_cells = case.task_id.startswith(("Minesweeper", "Sudoku"))
    mask = arrays["action_mask"].reshape(games, -1) if of_cells else arrays["action_mask"]
    weight = rng.random(mask.shape) * mask
    if case.task_id.startswith("Snake"):
        columns = arrays["grid"].shape[2]
        head, fruit = (np.divmod(arrays["grid"][..., i].reshape(games, -1).argmax(1), columns) for i in (1, 3))
        closer = np.stack([head[0] > fruit[0], head[1] < fruit[1], head[0] < fruit[0], head[1] > fruit[1]], axis=1)
        weight *= 1 + 3 * closer
    if case.task_id.startswith("Connector"):
        weight[..., 0] *= 0.3
    if case.task_id.startswith("LevelBasedForaging"):
        weight[..., 5] *= 8  # who has found food waits for others
        if not case.options.get("grid_observation"):
            view, food = arrays["agents_view"], case.options.get("num_food", 2)
            things = view[..., : 3 * food + 3].reshape(*view.shape[:2], -1, 3)
            first = np.argmax(things[..., 2] > 0, axis=-1)[..., None, None]  # itself, if it sees none
            far = np.take_along_axis(things, first, axis=2)[:, :, 0, :2] - things[:, :, -1, :2]
            weight[..., 1:5] *= 1 + 4 * np.stack(
                [far[..., 0] < 0, far[..., 0] > 0, far[..., 1] < 0, far[..., 1] > 0], -1
            )
    if case.task_id.startswith("Sudoku"):
        weight = weight * 0.01 ** np.repeat(arrays["action_mask"].sum(-1).reshape(games, -1), 9, axis=1)
    legal = weight.argmax(-1)
    if of_cells:
        legal = np.stack(np.unravel_index(legal, arrays["action_mask"].shape[1:]), axis=-1)
    if case.task_id.startswith("RobotWarehouse"):
        legal = Warehouse(**case.options).actions(arrays, rng)
    any_move = (rng.random(games) < case.illegal).reshape(games, *[1] * (legal.ndim - 1))
    return np.where(any_move, anything, legal).astype(np.int32)


def record(case, games, seed):
    """Plays episodes and returns the arrays of all steps, actions, rewards and ends, and what the arrays do not show.

    Of several agents that have rewards, these are returned.
    """
    env = envpool.make_gymnasium(case.task_id, num_envs=games, seed=seed, **case.options)
    rng = np.random.default_rng(seed)
    steps = [all_arrays(*env.reset())]
    unseen = hidden(case, env, seed, steps[0]["board"].shape[1:] if "board" in steps[0] else ())
    over, actions, rewards, ends = np.zeros(games, bool), [], [], {"terminated": [], "truncated": []}
    while not over.all() and len(actions) < case.steps:
        actions.append(choose(case, steps[-1], rng))
        obs, reward, terminated, truncated, info = env.step(actions[-1])
        if "agent_rewards" in info:
            total = info["agent_rewards"].astype(np.float64).sum(1)
            mean = total / (info["agent_rewards"].shape[1] if case.task_id.startswith("Connector") else 1)
            np.testing.assert_allclose(reward, mean, rtol=1e-6, atol=1e-6)
            reward = info["agent_rewards"]
        steps.append(all_arrays(obs, info))
        rewards.append(reward.copy())
        ends["terminated"].append(terminated.copy())
        ends["truncated"].append(truncated.copy())
        over |= terminated | truncated
    arrays = {name: np.stack([step[name] for step in steps]) for name in steps[0]}
    return arrays, unseen, np.stack(actions), np.stack(rewards), {key: np.stack(end) for key, end in ends.items()}


@pytest.mark.parametrize("name", CASES)
def test_episodes_equal_those_of_jumanji(name):
    case = CASES[name]
    reference = reference_of(case.task_id, case.options)
    arrays, unseen, actions, rewards, ends = record(case, EPISODES, 1)
    first = {key: value[0] for key, value in arrays.items()} | unseen
    after = {key: value[1:].swapaxes(0, 1) for key, value in arrays.items()}
    drawn = after | {"reward": rewards.swapaxes(0, 1)}
    begin, rest = jax.tree.map(np.asarray, player_of(reference)(first, actions.swapaxes(0, 1), drawn))
    over = ends["terminated"] | ends["truncated"]
    lengths = np.where(over.any(0), over.argmax(0) + 1, len(over))
    print(
        name, "episodes", EPISODES, "steps", lengths.sum(), *(f"{key} {end.any(0).sum()}" for key, end in ends.items())
    )
    assert set(begin) <= set(arrays)
    assert set(arrays) == set(rest) - {"reward", "done", "discount"}
    for key, expected in begin.items():
        np.testing.assert_array_equal(arrays[key][0], expected, key)
    discount = rest["discount"].reshape(*over.T.shape, -1)
    for game, length in enumerate(lengths):
        for key, ours in after.items():
            np.testing.assert_array_equal(ours[game, :length], rest[key][game, :length], f"{key} of episode {game}")
        np.testing.assert_array_equal(rewards[:length, game], rest["reward"][game, :length], f"episode {game}")
        np.testing.assert_array_equal(over[:length, game], rest["done"][game, :length], f"episode {game}")
        np.testing.assert_array_equal(ends["terminated"][:length, game], (discount[game, :length] == 0).all(-1))
    if not case.task_id.startswith(("Connector", "LevelBasedForaging")):
        assert not ends["truncated"].any()
    if name in ("Connector 4x4", "LevelBasedForaging penalty"):
        assert ends["truncated"].any() and ends["terminated"].any()
    if "time_limit" in case.options or case.task_id.startswith(("Minesweeper", "Maze", "Cleaner")):
        assert over.any(0).all()


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
    "Connector": ("Connector-v3", {"grid_size": 4, "num_agents": 2}, ["grid"]),
    "Connector of three": ("Connector-v3", {"grid_size": 5, "num_agents": 3}, ["grid"]),
    "Connector alone": ("Connector-v3", {"grid_size": 6, "num_agents": 1}, ["grid"]),
    "Connector uniform": ("Connector-v3", {"grid_size": 3, "num_agents": 2, "generator": "uniform_random"}, ["grid"]),
    "RobotWarehouse": (
        "RobotWarehouse-v0",
        {"shelf_rows": 1, "column_height": 1, "num_agents": 1, "request_queue_size": 1},
        ["agents_view"],
    ),
    "Sudoku": ("Sudoku-v0", {"puzzles": nearly_solved(5)}, ["board"]),
    "LevelBasedForaging": (
        "LevelBasedForaging-v0",
        {"grid_size": 5, "num_agents": 1, "num_food": 1, "fov": 5},
        ["agents_view"],
    ),
    "LevelBasedForaging levels": (
        "LevelBasedForaging-v0",
        {"grid_size": 6, "num_agents": 2, "num_food": 1, "fov": 1, "max_agent_level": 3, "force_coop": False},
        ["agents_view"],
    ),
}


def resets_of(reference, seed, games):
    """Returns the first observations of Jumanji's episodes; in parts, because XLA computes with large constants."""
    reset, size = jax.jit(jax.vmap(reference.reset)), 500
    keys = jax.random.split(jax.random.key(seed), games)
    parts = [flat(reset(keys[i : i + size])[1].observation) for i in range(0, games, size)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@pytest.mark.parametrize("name", RESETS)
def test_resets_have_the_distribution_of_jumanji(name):
    task_id, options, keys = RESETS[name]
    games = 8000
    theirs = resets_of(reference_of(task_id, options), 3, games)
    ours = flat(envpool.make_gymnasium(task_id, num_envs=games, seed=5, **options).reset()[0])
    rows = [
        np.concatenate([np.asarray(arrays[key]).reshape(games, -1).astype(np.float32) for key in keys], axis=1)
        for arrays in (ours, theirs)
    ]
    same_distribution(*([row.tobytes() for row in sample] for sample in rows))


def test_large_mazes_have_the_distribution_of_jumanji():
    games = 3000
    theirs = resets_of(reference_of("Maze-v0", {}), 3, games)
    ours = flat(envpool.make_gymnasium("Maze-v0", num_envs=games, seed=6).reset()[0])
    walls = [np.asarray(arrays["walls"]) for arrays in (ours, theirs)]
    same_distribution(*(sample.sum((1, 2)).tolist() for sample in walls))
    for row, column in ((0, 3), (1, 4), (5, 5), (9, 9), (8, 2), (4, 9)):
        same_distribution(*(sample[:, row, column].tolist() for sample in walls))
    for row in (1, 6):
        same_distribution(*([walls.tobytes() for walls in sample[:, row, :6]] for sample in walls))


def test_large_worlds_have_the_distribution_of_jumanji():
    """The distances of targets from first cells, some cells, and the levels and places of agents and food."""
    games = 4000
    for task_id in ("Connector-v3", "LevelBasedForaging-v0"):
        options = {} if task_id == "Connector-v3" else {"num_agents": 4, "num_food": 4, "force_coop": False}
        theirs = resets_of(reference_of(task_id, options), 4, games)
        ours = flat(envpool.make_gymnasium(task_id, num_envs=games, seed=7, **options).reset()[0])
        if task_id == "Connector-v3":
            grids = [np.asarray(arrays["grid"]).reshape(games, 100) for arrays in (ours, theirs)]
            for agent in (0, 4, 9):
                first, last = ([(grid == 3 * agent + kind).argmax(1) for grid in grids] for kind in (2, 3))
                moves = [
                    np.stack(np.divmod(two[1], 10)) - np.stack(np.divmod(two[0], 10))
                    for two in zip(first, last, strict=True)
                ]
                same_distribution(*(cells.tolist() for cells in first))
                same_distribution(*(cells.tolist() for cells in last))
                same_distribution(*(zip(*move.tolist(), strict=True) for move in moves))
        else:
            views = [np.asarray(arrays["agents_view"])[:, 0].reshape(games, 8, 3) for arrays in (ours, theirs)]
            for thing in (0, 3, 4, 7):
                same_distribution(*(map(tuple, view[:, thing, :2].tolist()) for view in views))
            for one, other in ((0, 1), (2, 3), (0, 4), (4, 5)):
                apart = [np.abs(view[:, one, :2] - view[:, other, :2]).tolist() for view in views]
                same_distribution(*(map(tuple, places) for places in apart))
            same_distribution(*(map(tuple, view[:, :4, 2].tolist()) for view in views))
            same_distribution(*(map(tuple, view[:, 4:, 2].tolist()) for view in views))


def test_random_walks_go_as_far_as_those_of_jumanji():
    games, options = 30_000, {"grid_size": 12, "num_agents": 1}
    theirs = resets_of(reference_of("Connector-v3", options), 4, games)["grid"]
    ours = envpool.make_gymnasium("Connector-v3", num_envs=games, seed=7, **options).reset()[0]["grid"]
    moves = []
    for grid in (ours, theirs):
        first, last = (np.stack(np.divmod((grid.reshape(games, -1) == kind).argmax(1), 12)) for kind in (2, 3))
        moves.append(last - first)
    same_distribution(*(map(tuple, move.T.tolist()) for move in moves))
    same_distribution(*(np.abs(move).sum(0).tolist() for move in moves))


def test_new_requests_have_equal_probabilities():
    games, options = 300, {"shelf_rows": 1, "column_height": 2, "num_agents": 1, "request_queue_size": 2}
    env = envpool.make_gymnasium("RobotWarehouse-v0", num_envs=games, seed=2, **options)
    rng, warehouse = np.random.default_rng(1), Warehouse(**options)
    obs, info = env.reset()
    fit, seen = ChiSquare(), collections.Counter()
    pairs = collections.Counter(tuple(np.flatnonzero(row).tolist()) for row in info["shelf_requested"])
    fit.add(pairs, dict.fromkeys(itertools.combinations(range(8), 2), 1 / 28))
    for _ in range(150):
        before = info["shelf_requested"]
        arrays = {**obs, "shelf_positions": info["shelf_positions"], "shelf_requested": before}
        obs, reward, _, _, info = env.step(warehouse.actions(arrays, rng).astype(np.int32))
        for game in np.flatnonzero(reward == 1):
            new = np.flatnonzero(info["shelf_requested"][game] & ~before[game])
            seen[int(np.searchsorted(np.flatnonzero(~before[game]), new[0]))] += 1
    assert sum(seen.values()) > 1000
    fit.add(seen, dict.fromkeys(range(6), 1 / 6))
    fit.check()


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


@pytest.mark.parametrize("options", [{"grid_size": 10}, {"max_agent_level": 3}, {"num_food": 3}, {"time_limit": 99}])
def test_other_options_refuse_a_state_of_foragers(options):
    source = envpool.make_gymnasium("LevelBasedForaging-v0", num_envs=1)
    source.reset()
    same, other = (envpool.make_gymnasium("LevelBasedForaging-v0", num_envs=1, **some) for some in ({}, options))
    same.restore(0, source.snapshot(0))
    with pytest.raises(ValueError, match="expected a snapshot of LevelBasedForaging-v0 with the same options"):
        other.restore(0, source.snapshot(0))


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
    ("Connector-v3", {"grid_size": 2}, "grid_size: expected .*, got 2"),
    ("Connector-v3", {"num_agents": 27}, "num_agents: expected at most 26 with this grid_size and generator, got 27"),
    (
        "Connector-v3",
        {"grid_size": 3, "num_agents": 5, "generator": "uniform_random"},
        "num_agents: expected at most 4",
    ),
    ("Connector-v3", {"generator": "walk"}, "generator: expected .*, got 'walk'"),
    ("RobotWarehouse-v0", {"shelf_columns": 4}, "shelf_columns: expected an odd number, got 4"),
    ("RobotWarehouse-v0", {"request_queue_size": 80}, "request_queue_size: expected fewer than the 80 shelves, got 80"),
    (
        "RobotWarehouse-v0",
        {"shelf_rows": 1, "shelf_columns": 1},
        "request_queue_size: expected fewer than the 0 shelves, got 8",
    ),
    (
        "RobotWarehouse-v0",
        {"shelf_rows": 1, "column_height": 1, "shelf_columns": 1, "num_agents": 17},
        "num_agents: expected at most 16 cells, got 17",
    ),
    ("Sudoku-v0", {"puzzles": b"123"}, "puzzles: expected 81 bytes for each of .*, got 3 bytes"),
    ("Sudoku-v0", {"puzzles": bytes(160) + bytes([10, 0])}, "puzzles: expected bytes from 0 to 9, got 10 in puzzle 1"),
    ("LevelBasedForaging-v0", {"fov": 9}, "fov: expected at most grid_size, 8, got 9"),
    ("LevelBasedForaging-v0", {"num_food": 7}, "num_food: expected at most 6 with this grid_size .*, got 7"),
    ("LevelBasedForaging-v0", {"max_agent_level": 1}, "max_agent_level: expected .*, got 1"),
    ("LevelBasedForaging-v0", {"penalty": float("inf")}, "penalty: expected .*, got inf"),
    ("Cleaner-v0", {"penalty_per_timestep": float("nan")}, "penalty_per_timestep: expected .*, got nan"),
]


@pytest.mark.parametrize(("task_id", "options", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_options(task_id, options, words):
    with pytest.raises(ValueError, match=words):
        envpool.make(task_id, **options)


def test_ids_have_two_spellings():
    ids = [name for name in envpool.list_all_envs() if name.startswith("Jumanji/")]
    assert len(ids) == 14
    for name in ids:
        one, other = (envpool.make_gymnasium(i, num_envs=2, seed=3) for i in (name, name.removeprefix("Jumanji/")))
        for left, right in zip(flat(one.reset()[0]).items(), flat(other.reset()[0]).items(), strict=True):
            assert left[0] == right[0]
            np.testing.assert_array_equal(left[1], right[1])
