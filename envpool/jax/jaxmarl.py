# SPDX-License-Identifier: Apache-2.0
"""Overcooked and Hanabi of envpool.jax with the interface of JaxMARL: `import envpool.jax.jaxmarl as jaxmarl`.

>>> env = jaxmarl.make("overcooked", layout="coord_ring")
>>> obs, state = env.reset(key)
>>> obs, state, rewards, dones, infos = env.step(key, state, {"agent_0": 5, "agent_1": 4})

The functions can be jitted, scanned and vmapped. Kitchens, observations and rewards equal those of JaxMARL 0.2.0; the
cooks' first directions and the cards of Hanabi are drawn from another generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envpool.jax import environment
from envpool.jax.rows import EnvState
from envpool.python.errors import labelled
from envpool.python.options import shown
from envpool.python.spaces import Field

__all__ = ["Hanabi", "Overcooked", "make", "overcooked_layouts", "registered_envs"]

registered_envs = ["hanabi", "overcooked"]
# JaxMARL's layouts by their names. `make` and `Overcooked` take the values, and also the values of JaxMARL's dict.
overcooked_layouts = {
    name: name for name in ("cramped_room", "asymm_advantages", "coord_ring", "forced_coord", "counter_circuit")
}
_LETTERS = {"wall_idx": "W", "goal_idx": "X", "plate_pile_idx": "B", "onion_pile_idx": "O", "pot_idx": "P"}


class _Agents:
    """What the environments have in common: dicts with an entry for each agent."""

    name: str  # JaxMARL's name of the environment

    def __init__(self, task_id: str, options: Mapping[str, Any], num_agents: int) -> None:
        self._env = environment.make_as(environment.Environment, task_id, options, step_values=5)
        self.agents = [f"agent_{i}" for i in range(num_agents)]
        self.num_agents = num_agents
        self.num_actions = self._env.num_actions
        self.observation_spaces = {agent: self._env.observation_space() for agent in self.agents}
        self.action_spaces = {agent: self._env.action_space() for agent in self.agents}

    def observation_space(self, agent: str = "agent_0") -> Any:
        """Returns the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str = "agent_0") -> Any:
        """Returns the space of an agent's actions."""
        return self.action_spaces[agent]

    def get_obs(self, state: EnvState) -> dict[str, Any]:
        """Returns the observations of a state."""
        return self._by_agent(self._env.get_obs(state))

    def _step(
        self, key: Any, state: EnvState, action: Any, reset_state: EnvState | None
    ) -> tuple[Any, EnvState, Any, Any, Any]:
        if reset_state is None:
            return self._results(self._env.step(key, state, action))
        self._env._check_state(reset_state, "reset_state")
        self._env._rows("reset_state", reset_state.raw, reset_state.format, None)
        *now, reward, done, info = self._env.step_env(key, state, action)
        begun = [self._env.get_obs(reset_state), reset_state]
        obs, state = jax.tree.map(lambda first, last: jnp.where(done, first, last), begun, now)
        return self._results((obs, state, reward, done, info))

    def _results(self, results: Any) -> tuple[Any, EnvState, Any, Any, Any]:
        raise NotImplementedError

    def _stacked(self, actions: Mapping[str, Any]) -> Any:
        if not isinstance(actions, Mapping) or set(actions) != set(self.agents):
            got = sorted(map(str, actions)) if isinstance(actions, Mapping) else shown(actions)
            raise ValueError(f"[{self.name}] actions: expected a dict with an action of {self.agents}, got {got}")
        (field,) = self._env._arrays.actions
        with labelled(self.name):
            # Each action is checked before they are stacked, because JAX would wrap a number of 64 bits.
            return jnp.stack(
                [self._env._action(_of_agent(field, agent), actions[agent], None) for agent in self.agents]
            )

    def _by_agent(self, values: Any) -> dict[str, Any]:
        return {agent: values[i] for i, agent in enumerate(self.agents)}


class Overcooked(_Agents):
    """Two cooks who deliver onion soups, as pure functions of a state.

    Dicts of observations, actions, rewards and `dones` have the keys in `agents`; `dones` has "__all__", too.

    Attributes:
        agents: ["agent_0", "agent_1"].
        num_agents: 2.
        num_actions: 6.
        max_steps: the steps of an episode.
        obs_shape: (rows, columns, 26), the shape of an agent's observation, which is uint8.
    """

    name = "Overcooked"

    def __init__(self, layout: Any = "cramped_room", random_reset: bool = False, max_steps: int = 400) -> None:
        """Makes a kitchen.

        Args:
            layout: a name in `overcooked_layouts`, lines of letters as `Overcooked-v0` takes them, or a layout of
                JaxMARL: a mapping with height, width and the numbers of the cells of each kind.
            random_reset: begin with random cells and hands of the cooks, and random pots.
            max_steps: steps after which an episode ends.

        Raises:
            TypeError, ValueError: an argument is not valid.
        """
        with labelled(self.name):
            text = _grid_of(layout) if isinstance(layout, Mapping) else layout
        options = {"layout": text, "random_reset": random_reset, "max_steps": max_steps}
        super().__init__("Overcooked-v0", options, num_agents=2)
        self.max_steps = max_steps
        self.layout = layout
        self.obs_shape: tuple[int, ...] = self._env.observation_space().shape

    def __repr__(self) -> str:
        return f"Overcooked(layout={shown(self.layout)}, max_steps={self.max_steps})"

    def reset(self, key: Any) -> tuple[dict[str, Any], EnvState]:
        """Begins an episode. The key is one of `jax.random`; equal keys begin equal episodes."""
        obs, state = self._env.reset(key)
        return self._by_agent(obs), state

    def step(
        self, key: Any, state: EnvState, actions: Mapping[str, Any], reset_state: EnvState | None = None
    ) -> tuple[Any, EnvState, Any, Any, Any]:
        """Steps the kitchen, and begins the next episode if the step ends one.

        Args:
            key: the key from which the next episode is drawn; None: the generator in the state.
            state: a state of this kitchen.
            actions: for each agent, an int: 0 moves up, 1 down, 2 right, 3 left, 4 stays, 5 interacts.
            reset_state: the state in which the next episode begins; None: it is drawn.

        Returns:
            (obs, state, rewards, dones, infos). `infos["shaped_reward"]` has a reward of each agent for steps towards
            a soup.

        Raises:
            ValueError: an agent has no action.
            TypeError, ValueError: as `step` of `envpool.jax` raises them.
        """
        return self._step(key, state, self._stacked(actions), reset_state)

    def step_env(self, key: Any, state: EnvState, actions: Mapping[str, Any]) -> tuple[Any, EnvState, Any, Any, Any]:
        """Steps as `step` does, but never begins another episode."""
        return self._results(self._env.step_env(key, state, self._stacked(actions)))

    def _results(self, results: Any) -> tuple[Any, EnvState, Any, Any, Any]:
        obs, state, reward, done, info = results
        dones = dict.fromkeys([*self.agents, "__all__"], done)
        shaped = self._by_agent(info["players"]["shaped_reward"])
        return self._by_agent(obs), state, self._by_agent(reward), dones, {"shaped_reward": shaped}


class Hanabi(_Agents):
    """Two to five players who build fireworks and see all cards but their own, as pure functions of a state.

    Dicts of observations, actions, rewards and `dones` have the keys in `agents`; rewards and `dones` have "__all__",
    too. Only the action of the agent to move counts.

    Attributes:
        agents: "agent_0", "agent_1", ...
        num_agents: the number of players.
        num_actions, num_moves: the number of actions. The last one is that of the agents who wait.
        obs_size: the number of elements of an agent's observation, which is float32.
    """

    name = "Hanabi"

    def __init__(
        self,
        num_agents: int = 2,
        num_colors: int = 5,
        num_ranks: int = 5,
        hand_size: int | None = None,
        max_info_tokens: int = 8,
        max_life_tokens: int = 3,
        num_cards_of_rank: Any = (3, 2, 2, 2, 1),
        shuffle_player_order: bool = False,
    ) -> None:
        """Makes a game.

        Args:
            num_agents: players, 2 to 5.
            num_colors: colors of cards, 1 to 6.
            num_ranks: ranks of cards, 1 to 5.
            hand_size: cards of a hand, 1 to 6; None: 5 for two or three players, otherwise 4.
            max_info_tokens: hints at the beginning, and at most, 1 to 20.
            max_life_tokens: wrong plays that end the game, 1 to 20.
            num_cards_of_rank: for each rank, the cards of a color, 1 to 5.
            shuffle_player_order: draw the seats of the agents at each reset.

        Raises:
            TypeError, ValueError: an argument is not valid.
        """
        try:
            copies = np.asarray(num_cards_of_rank).tolist()
        except ValueError:  # rows of different lengths
            copies = None
        if not isinstance(copies, list) or not 1 <= len(copies) <= 5 or len(copies) != num_ranks:
            raise ValueError(
                f"[Hanabi] num_cards_of_rank: expected a number for each of num_ranks={shown(num_ranks)} ranks, got "
                f"{shown(num_cards_of_rank)}"
            )
        if hand_size == 0:
            raise ValueError("[Hanabi] hand_size: expected None or 1 to 6, got 0")
        options = {
            "num_players": num_agents,
            "num_colors": num_colors,
            "num_ranks": num_ranks,
            "hand_size": 0 if hand_size is None else hand_size,
            "max_info_tokens": max_info_tokens,
            "max_life_tokens": max_life_tokens,
            "num_cards_of_rank": [*copies, *[1] * (5 - len(copies))],
            "shuffle_player_order": shuffle_player_order,
        }
        super().__init__("Hanabi-v0", options, num_agents)
        self.num_moves = self.num_actions
        self.obs_size: int = self._env.observation_space().shape[0]

    def __repr__(self) -> str:
        return f"Hanabi(num_agents={self.num_agents})"

    def reset(self, key: Any) -> tuple[dict[str, Any], EnvState]:
        """Begins a game. The key is one of `jax.random`; equal keys begin equal games."""
        obs, state = self._env.reset(key)
        return self._by_agent(obs), state

    def step(
        self, key: Any, state: EnvState, actions: Mapping[str, Any], reset_state: EnvState | None = None
    ) -> tuple[Any, EnvState, Any, Any, Any]:
        """Makes the move of the agent whose turn it is, and begins the next game if the move ends one.

        Args:
            key: the key from which cards are drawn; None: the generator in the state.
            state: a state of this game.
            actions: for each agent, an int.
            reset_state: the state in which the next game begins; None: it is drawn.

        Returns:
            (obs, state, rewards, dones, infos). `infos` is empty.

        Raises:
            ValueError: an agent has no action.
            TypeError, ValueError: as `step` of `envpool.jax` raises them.
        """
        return self._step(key, state, self._move_of(state, actions), reset_state)

    def step_env(self, key: Any, state: EnvState, actions: Mapping[str, Any]) -> tuple[Any, EnvState, Any, Any, Any]:
        """Steps as `step` does, but never begins another game. After the end, nothing changes."""
        return self._results(self._env.step_env(key, state, self._move_of(state, actions)))

    def get_legal_moves(self, state: EnvState) -> dict[str, Any]:
        """Returns float32 of shape (num_moves,) of each agent, 1 for legal moves; agents who wait have the last one."""
        *_, info = self._env._seen(state, None)
        mask = info["action_mask"].astype(jnp.float32)
        waits = jnp.zeros_like(mask).at[-1].set(1)
        return {agent: jnp.where(info["current_player"] == i, mask, waits) for i, agent in enumerate(self.agents)}

    def _move_of(self, state: EnvState, actions: Mapping[str, Any]) -> Any:
        stacked = self._stacked(actions)
        self._env._check_state(state)
        return jnp.take(stacked, state.current_player, axis=0, mode="clip")

    def _results(self, results: Any) -> tuple[Any, EnvState, Any, Any, Any]:
        obs, state, reward, done, _ = results
        dones = dict.fromkeys([*self.agents, "__all__"], done)
        rewards = {**self._by_agent(reward), "__all__": reward[0]}
        return self._by_agent(obs), state, rewards, dones, {}


def make(env_id: str, **options: Any) -> Hanabi | Overcooked:
    """Makes an environment.

    Args:
        env_id: one of `registered_envs`.
        **options: the arguments of `Hanabi` or `Overcooked`.

    Raises:
        ValueError: an unknown name, or an option that is not valid.
        TypeError: an unknown option, or one of the wrong type.
        RuntimeError: the family is not built.
    """
    if env_id not in registered_envs:
        raise ValueError(f"env_id: expected one of {', '.join(registered_envs)}, got {shown(env_id)}")
    return Hanabi(**options) if env_id == "hanabi" else Overcooked(**options)


def _of_agent(field: Field, agent: str) -> Field:
    """Returns the field of one agent's action, under a name for error texts."""
    return replace(field, name=f"actions[{agent!r}]", per_player=False)


def _grid_of(layout: Mapping[str, Any]) -> str:
    """Returns the lines of a layout of JaxMARL."""
    missing = [key for key in ("height", "width", *_LETTERS) if key not in layout]
    if missing:
        got = shown(sorted(map(str, layout)))
        raise ValueError(f"layout: expected a layout of JaxMARL with {', '.join(missing)}, got {got}")
    sides = [_integers_of(layout, key) for key in ("height", "width")]
    rows, columns = (int(side[0]) if side.size == 1 else 0 for side in sides)
    if rows < 1 or columns < 1 or rows * columns > 256:
        got = f"{shown(layout['height'])} and {shown(layout['width'])}"
        raise ValueError(f"layout: expected height and width of 1 to 256 cells in all, got {got}")
    cells = np.full(rows * columns, " ")
    agents = _integers_of(layout, "agent_idx") if "agent_idx" in layout else np.zeros(0, np.int64)
    if agents.size not in (0, 2):
        raise ValueError(f"layout: agent_idx: expected the cells of two cooks, got {shown(layout['agent_idx'])}")
    kinds = [(letter, _integers_of(layout, key)) for key, letter in _LETTERS.items()]
    for letter, numbers in [*kinds, *((str(i), agents[i : i + 1]) for i in range(agents.size))]:
        outside = numbers[(numbers < 0) | (numbers >= cells.size)]
        if outside.size:
            raise ValueError(f"layout: expected numbers of cells from 0 to {cells.size - 1}, got {outside[0]}")
        cells[numbers] = letter
    return "\n".join("".join(row) for row in cells.reshape(rows, columns))


def _integers_of(layout: Mapping[str, Any], key: str) -> Any:
    """Returns the integers of an entry of a layout, as an array of one dimension."""
    numbers = np.asarray(layout[key]).ravel()
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"layout: {key}: expected integers, got {shown(layout[key])}")
    return numbers.astype(np.int64)
