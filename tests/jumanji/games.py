# SPDX-License-Identifier: Apache-2.0
"""Jumanji's environments as references: with the states and the random numbers of our episodes."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import jumanji
import numpy as np
from jumanji.environments.logic.game_2048 import types as types_2048
from jumanji.environments.logic.game_2048.env import Game2048
from jumanji.environments.logic.minesweeper import types as minesweeper_types
from jumanji.environments.logic.minesweeper.env import Minesweeper
from jumanji.environments.logic.minesweeper.generator import UniformSamplingGenerator
from jumanji.environments.logic.minesweeper.reward import DefaultRewardFn
from jumanji.environments.logic.rubiks_cube import types as cube_types
from jumanji.environments.logic.rubiks_cube.env import RubiksCube
from jumanji.environments.logic.rubiks_cube.generator import ScramblingGenerator
from jumanji.environments.logic.sliding_tile_puzzle import types as puzzle_types
from jumanji.environments.logic.sliding_tile_puzzle.env import SlidingTilePuzzle
from jumanji.environments.logic.sliding_tile_puzzle.generator import RandomWalkGenerator
from jumanji.environments.logic.sliding_tile_puzzle.reward import DenseRewardFn, SparseRewardFn
from jumanji.environments.logic.sudoku import types as sudoku_types
from jumanji.environments.logic.sudoku.env import Sudoku
from jumanji.environments.logic.sudoku.generator import DatabaseGenerator
from jumanji.environments.logic.sudoku.utils import get_action_mask
from jumanji.environments.routing.cleaner import types as cleaner_types
from jumanji.environments.routing.cleaner.env import Cleaner
from jumanji.environments.routing.cleaner.generator import RandomGenerator as CleanerGenerator
from jumanji.environments.routing.connector import types as connector_types
from jumanji.environments.routing.connector.env import Connector
from jumanji.environments.routing.connector.generator import RandomWalkGenerator as ConnectorWalk
from jumanji.environments.routing.connector.generator import UniformRandomGenerator
from jumanji.environments.routing.connector.reward import DenseRewardFn as ConnectorReward
from jumanji.environments.routing.connector.utils import get_action_masks
from jumanji.environments.routing.lbf import types as foraging_types
from jumanji.environments.routing.lbf.env import LevelBasedForaging
from jumanji.environments.routing.lbf.generator import RandomGenerator as ForagingGenerator
from jumanji.environments.routing.maze import types as maze_types
from jumanji.environments.routing.maze.env import Maze
from jumanji.environments.routing.maze.generator import RandomGenerator as MazeGenerator
from jumanji.environments.routing.robot_warehouse import types as warehouse_types
from jumanji.environments.routing.robot_warehouse.env import RobotWarehouse
from jumanji.environments.routing.robot_warehouse.generator import RandomGenerator as WarehouseGenerator
from jumanji.environments.routing.robot_warehouse.utils import compute_action_mask
from jumanji.environments.routing.robot_warehouse.utils_spawn import place_entities_on_grid
from jumanji.environments.routing.snake import types as snake_types
from jumanji.environments.routing.snake.env import Snake

import envpool

KEY = jnp.zeros(2, jnp.uint32)  # of states; no function of these environments uses it
Arrays = dict[str, Any]


class Case(NamedTuple):
    """An environment with options.

    Attributes:
        task_id: our id.
        options: our options, and Jumanji's.
        steps: how many steps are played at most.
        illegal: the probability of a random action.
    """

    task_id: str
    options: dict[str, Any]
    steps: int
    illegal: float = 0.02


def flat(arrays: Any, prefix: str = "") -> Arrays:
    """Returns the arrays of nested tuples or dicts by their names, as "agent_position.row"."""
    found = {}
    for name, value in (arrays._asdict() if hasattr(arrays, "_asdict") else arrays).items():
        nested = hasattr(value, "_asdict") or isinstance(value, dict)
        found |= flat(value, f"{prefix}{name}.") if nested else {prefix + name: value}
    return found


def reference_of(task_id: str, options: dict[str, Any]) -> Any:
    """Makes an environment of Jumanji with our options."""
    o = dict(options)
    rows, columns, limit = o.pop("num_rows", None), o.pop("num_cols", None), o.pop("time_limit", None)
    limits = {} if limit is None else {"time_limit": limit}
    if task_id.startswith("Snake"):
        return Snake(rows or 12, columns or 12, **limits)
    if task_id.startswith("Game2048"):
        return Game2048(**o)
    if task_id.startswith("SlidingTilePuzzle"):
        moves = RandomWalkGenerator(o.get("grid_size", 5), o.get("num_random_moves", 200))
        return SlidingTilePuzzle(
            moves, SparseRewardFn() if o.get("reward_fn") == "sparse" else DenseRewardFn(), **limits
        )
    if task_id.startswith("RubiksCube"):
        partly = "partly" in task_id
        scrambles = o.get("num_scrambles_on_reset", 7 if partly else 100)
        limits = {"time_limit": 20} | limits if partly else limits
        return RubiksCube(ScramblingGenerator(o.get("cube_size", 3), scrambles), **limits)
    if task_id.startswith("Connector"):
        generator = UniformRandomGenerator if o.get("generator") == "uniform_random" else ConnectorWalk
        reward = ConnectorReward(o.get("connected_reward", 1.0), o.get("timestep_reward", -0.03))
        return Connector(generator(o.get("grid_size", 10), o.get("num_agents", 10)), reward, **limits)
    if task_id.startswith("LevelBasedForaging"):
        sizes = {"grid_size": 8, "num_agents": 2, "num_food": 2, "fov": 8, "max_agent_level": 2, "force_coop": True}
        sizes = {name: o.pop(name, value) for name, value in sizes.items()}
        o = {name.replace("normalize_levels", "normalize_reward"): value for name, value in o.items()}
        return LevelBasedForaging(ForagingGenerator(**sizes), **limits, **o)
    if task_id.startswith("RobotWarehouse"):
        sizes = {"shelf_rows": 2, "shelf_columns": 3, "column_height": 8, "num_agents": 4, "sensor_range": 1}
        return RobotWarehouse(WarehouseGenerator(**({**sizes, "request_queue_size": 8} | o)), **limits)
    if task_id.startswith("Sudoku"):
        if "puzzles" in o:
            return Sudoku(DatabaseGenerator(np.frombuffer(o["puzzles"], np.int8).reshape(-1, 9, 9)))
        return jumanji.make(task_id)
    rows, columns = rows or 10, columns or 10
    if task_id.startswith("Minesweeper"):
        mines = UniformSamplingGenerator(rows, columns, o.pop("num_mines", 10))
        names = ("revealed_empty_square_reward", "revealed_mine_reward", "invalid_action_reward")
        return Minesweeper(mines, DefaultRewardFn(*(o.pop(name, float(i == 0)) for i, name in enumerate(names))))
    if task_id.startswith("Maze"):
        return Maze(MazeGenerator(rows, columns), **limits)
    return Cleaner(CleanerGenerator(rows, columns, o.pop("num_agents", 3)), **limits, **o)


def first_state(env: Any, obs: Arrays) -> Any:
    """Returns Jumanji's state of an episode that begins with this observation, and with what `hidden` returns."""
    zero = jnp.int32(0)
    if isinstance(env, RobotWarehouse):
        view, shelves = obs["agents_view"], obs["shelf_positions"]
        agents = warehouse_types.Agent(
            position=warehouse_types.Position(view[:, 0], view[:, 1]),
            direction=view[:, 3:7].argmax(-1),
            is_carrying=view[:, 2],
        )
        requested = obs["shelf_requested"]
        shelf = warehouse_types.Shelf(
            warehouse_types.Position(shelves[:, 0], shelves[:, 1]), requested.astype(jnp.float32)
        )
        grid = place_entities_on_grid(jnp.zeros((2, *env.grid_size), jnp.int32), agents, shelf)
        return warehouse_types.State(
            grid=grid,
            agents=agents,
            shelves=shelf,
            request_queue=jnp.flatnonzero(requested, size=env.request_queue_size),
            step_count=zero,
            action_mask=compute_action_mask(grid, agents),
            key=KEY,
        )
    if isinstance(env, Sudoku):
        return sudoku_types.State(board=obs["board"], action_mask=get_action_mask(obs["board"]), key=KEY)
    if isinstance(env, Connector):
        ids, grid = jnp.arange(env.num_agents), obs["grid"]
        at, target = (
            jax.vmap(lambda i, kind=kind: jnp.stack(jnp.divmod(jnp.argmax(grid == 3 * i + kind), env.grid_size)))(ids)
            for kind in (2, 3)
        )
        agents = connector_types.Agent(id=ids, start=at, target=target, position=at)
        mask = get_action_masks(agents, grid)
        return connector_types.State(grid=grid, step_count=zero, agents=agents, key=KEY, action_mask=mask)
    if isinstance(env, LevelBasedForaging):
        things = obs["things"].reshape(-1, 3)
        food, agents = things[: env.num_food], things[env.num_food :]
        nobody = jnp.zeros(len(agents), bool)
        return foraging_types.State(
            agents=foraging_types.Agent(
                id=jnp.arange(len(agents)), position=agents[:, :2], level=agents[:, 2], loading=nobody
            ),
            food_items=foraging_types.Food(
                id=jnp.arange(len(food)), position=food[:, :2], level=food[:, 2], eaten=jnp.zeros(len(food), bool)
            ),
            step_count=zero,
            key=KEY,
        )
    if isinstance(env, Snake):
        body = obs["grid"][..., 0] > 0
        places = [snake_types.Position(*jnp.divmod(jnp.argmax(obs["grid"][..., i]), env.num_cols)) for i in (1, 3)]
        numbers = body.astype(jnp.int32)
        mask = env._get_action_mask(places[0], numbers)
        return snake_types.State(
            body=body,
            body_state=numbers,
            head_position=places[0],
            tail=body,
            fruit_position=places[1],
            length=jnp.int32(1),
            step_count=zero,
            action_mask=mask,
            key=KEY,
        )
    if isinstance(env, Game2048):
        board = obs["board"]
        return types_2048.State(
            board=board, step_count=zero, action_mask=env._get_action_mask(board), score=jnp.float32(0), key=KEY
        )
    if isinstance(env, SlidingTilePuzzle):
        return puzzle_types.State(
            puzzle=obs["puzzle"], empty_tile_position=obs["empty_tile_position"], key=KEY, step_count=zero
        )
    if isinstance(env, RubiksCube):
        return cube_types.State(cube=obs["cube"].astype(jnp.int8), step_count=zero, key=KEY)
    if isinstance(env, Minesweeper):
        return minesweeper_types.State(board=obs["board"], step_count=zero, flat_mine_locations=obs["mines"], key=KEY)
    if isinstance(env, Maze):
        agent, target = (
            maze_types.Position(obs[f"{name}_position.row"], obs[f"{name}_position.col"])
            for name in ("agent", "target")
        )
        return maze_types.State(
            agent_position=agent,
            target_position=target,
            walls=obs["walls"],
            action_mask=env._compute_action_mask(obs["walls"], agent),
            step_count=zero,
            key=KEY,
        )
    grid, at = obs["grid"].astype(jnp.int8), obs["agents_locations"]
    mask = env._compute_action_mask(grid, at)
    return cleaner_types.State(grid=grid, agents_locations=at, action_mask=mask, step_count=zero, key=KEY)


def shelves_of(state: Any) -> Arrays:
    """Returns where the shelves of a warehouse are, and which of them are requested; nothing of another state."""
    if not isinstance(state, warehouse_types.State):
        return {}
    places = jnp.stack([state.shelves.position.x, state.shelves.position.y], axis=-1)
    return {"shelf_positions": places, "shelf_requested": state.shelves.is_requested > 0}


def observed(env: Any, state: Any) -> Arrays:
    """Returns Jumanji's observation of a state."""
    if isinstance(env, Game2048):
        return {"board": state.board, "action_mask": state.action_mask}
    if isinstance(env, SlidingTilePuzzle):
        at = state.empty_tile_position
        mask = env._get_valid_actions(at)
        return flat(puzzle_types.Observation(state.puzzle, at, mask, state.step_count))
    if isinstance(env, Connector):
        seen = connector_types.Observation(state.grid, state.action_mask, state.step_count)
        return flat(seen) | env._get_extras(state)
    if isinstance(env, LevelBasedForaging):
        return flat(env._observer.state_to_observation(state))
    if isinstance(env, RobotWarehouse):
        view = env._make_observations(state.grid, state.agents, state.shelves)
        seen = warehouse_types.Observation(view, state.action_mask, state.step_count)
        return flat(seen) | shelves_of(state)
    if isinstance(env, Sudoku):
        return flat(sudoku_types.Observation(state.board, state.action_mask))
    name = "_observation_from_state" if isinstance(env, Maze | Cleaner) else "_state_to_observation"
    return flat(getattr(env, name)(state))


@contextlib.contextmanager
def drawn(env: Any, after: Arrays):
    """Replaces what Jumanji draws in a step by what our next observation shows."""
    if isinstance(env, Snake):
        own = env._sample_fruit_coord

        def fruit(body, key):
            # On a full grid, Jumanji has a rule; otherwise the cell must be free.
            cell = jnp.argmax(after["grid"][..., 3])
            at = jnp.where(
                body.all() | body.ravel()[cell], jnp.stack([*own(body, KEY)]), jnp.stack(jnp.divmod(cell, env.num_cols))
            )
            return snake_types.Position(at[0], at[1])

        env._sample_fruit_coord = fruit
        yield
        env._sample_fruit_coord = own
    elif isinstance(env, Game2048):
        own = env._add_random_cell

        def tile(board, key):
            # The new tile is the only difference, and is a 2 or a 4 in an empty cell.
            new = (board == 0) & (after["board"] != 0)
            fits = (new.sum() == 1) & (jnp.sum(new * after["board"]) <= 2)
            return jnp.where(fits & new, after["board"], board)

        env._add_random_cell = tile
        yield
        env._add_random_cell = own
    elif isinstance(env, RobotWarehouse):
        own, goal = jax.random.choice, jnp.array(env.goals[1][::-1])

        def request(key, others, replace):
            # One of our new requests, or the shelf in the second goal, if it has been delivered in the same step.
            in_goal = (after["shelf_positions"][others] == goal).all(-1)
            wanted = after["shelf_requested"][others]
            at_once = in_goal & ~wanted & (after["reward"] == 2)
            return others[jnp.where(at_once.any(), at_once.argmax(), wanted.argmax())]

        jax.random.choice = request
        yield
        jax.random.choice = own
    else:
        yield


def player_of(env: Any) -> Any:
    """Returns a compiled function that plays episodes of Jumanji with our first observations, actions and draws."""

    def step(state, inputs):
        action, after = inputs
        with drawn(env, after):
            state, timestep = env.step(state, action)
        results = {"reward": timestep.reward, "done": timestep.last(), "discount": timestep.discount}
        return state, results | flat(timestep.observation) | flat(timestep.extras or {}) | shelves_of(state)

    def play(first, actions, after):
        state = first_state(env, first)
        return observed(env, state), jax.lax.scan(step, state, (actions, after))[1]

    return jax.jit(jax.vmap(play))


def hidden(case: Case, env: Any, seed: int, shape: tuple[int, ...]) -> Arrays:
    """Returns what first observations do not show: the cells with mines, or food and agents."""
    if "Minesweeper" in case.task_id:
        states = [env.snapshot(i) for i in range(env.config["num_envs"])]
        return {"mines": mines_of(case.options, states, shape)}
    if "LevelBasedForaging" in case.task_id:
        # The same food and agents, seen by the first agent.
        options = case.options | {"fov": case.options.get("grid_size", 8), "grid_observation": False}
        pool = envpool.make_gymnasium(case.task_id, num_envs=env.config["num_envs"], seed=seed, **options)
        return {"things": pool.reset()[0]["agents_view"][:, 0].copy()}
    return {}


def mines_of(options: dict[str, Any], states: list[bytes], cells: tuple[int, int]) -> np.ndarray:
    """Returns the cells with mines of boards, which are the cells that give the reward of a mine."""
    at = np.stack(np.divmod(np.arange(cells[0] * cells[1]), cells[1]), axis=-1).astype(np.int32)
    rewards = {"revealed_empty_square_reward": 1.0, "revealed_mine_reward": -1.0}
    pool = envpool.make("Minesweeper-v0", num_envs=len(at), **options | rewards)
    pool.reset()
    found = []
    for state in states:
        pool.restore(np.arange(len(at)), [state] * len(at))
        found.append(np.flatnonzero(pool.step(at)[1] < 0))
    return np.array(found, np.int32)
