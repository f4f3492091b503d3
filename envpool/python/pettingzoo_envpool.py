# SPDX-License-Identifier: Apache-2.0
"""The interface of PettingZoo: an environment of several players as a `ParallelEnv`.

Only `envpool.make_pettingzoo` imports this module.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt

from envpool.python.distribution import raise_missing

try:
    from pettingzoo import ParallelEnv
except ModuleNotFoundError as error:
    raise_missing(error, "pettingzoo", "make_pettingzoo", "PettingZoo")

from envpool.python.actions import as_array, check, split
from envpool.python.common_options import require_cpu
from envpool.python.errors import labelled
from envpool.python.gymnasium_envpool import GymnasiumEnvPool
from envpool.python.not_a_vec_env import NotAVecEnv
from envpool.python.options import shown
from envpool.python.registry import Registration
from envpool.python.spaces import Field

Value = TypeVar("Value")
Spaces = dict[str, gymnasium.Space[Any]]

# For each of these options, the allowed values. The first of them is the default.
_ALLOWED = {"num_envs": (1,), "batch_size": (0, 1), "autoreset_mode": ("disabled", "DISABLED", "Disabled")}

# PettingZoo's tests reset every environment with these options, although no environment has them.
_OPTIONS_OF_TESTS = {"options": 1}


class PettingZooEnvPool(NotAVecEnv, ParallelEnv):
    """An environment of several players with PettingZoo's interface: observations, rewards and actions by agent.

    An agent whose `players.done` is set has left the game: its `terminated` is True in that step, and afterwards it is
    no longer in `agents`. If the players take turns, only the action of the player to move counts, and the
    `action_mask` of the others, in their infos, is zero.

    Attributes:
        pool: a `GymnasiumEnvPool` of one environment, without autoreset.
        possible_agents: the names of the maximum number of agents, "player_0" and so on, or PettingZoo's own.
        mover: the name of the agent whose move it is if the players take turns, that is, if the environment has the
            info `current_player`; None otherwise, and before the first `reset`.
        agents: the names of the agents in the game; empty between the end of an episode and the next `reset`. After
            `restore`, those of the restored state. After `close`, the last that were read.
        render_mode: None, "rgb_array" or "human".
        metadata: "name", "render_modes", "render_fps" and "is_parallelizable".
    """

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        self._label = label = registration.task_id
        require_cpu(label, caller_options, "PettingZoo")
        for name, allowed in _ALLOWED.items():
            value = caller_options.get(name, allowed[0])
            if getattr(value, "name", value) not in allowed:
                raise ValueError(f"[{label}] {name}: expected {allowed[0]!r} for PettingZoo, got {shown(value)}")
        self.pool = GymnasiumEnvPool(registration, {**caller_options, "autoreset_mode": "disabled"})
        self.pool._reset_keys = ()
        self._arrays = self.pool.spec.arrays
        self._mover: str | None = None
        self._known = {field.name for field in self._arrays.infos}
        for field in self._arrays.actions:
            if not field.per_player and self._arrays.max_players > 1 and "current_player" not in self._known:
                raise ValueError(
                    f"[{label}] make_pettingzoo: expected actions of each player, or the info 'current_player', which "
                    f"says who moves next; got {field.name!r}, which is one for all players"
                )
        self.possible_agents = registration.origin.agent_names(label, self._arrays.max_players)
        self._agents: list[str] = []
        self._seen = 0  # the value of the pool's counter of replaced states to which `agents` corresponds
        self._rows: list[str] = []  # the agent of each row of the pool, including agents that have left
        self.render_mode = self.pool.render_mode
        modes = self.pool.metadata["render_modes"]
        fps = self.pool.metadata["render_fps"]
        self.metadata = {"name": label, "render_modes": modes, "render_fps": fps, "is_parallelizable": True}
        # Each agent has its own space, because a space holds the generator that it samples from.
        spec, agents = self.pool.spec, self.possible_agents
        self.observation_spaces: Spaces = {agent: copy.deepcopy(spec.observation_space) for agent in agents}
        self.action_spaces: Spaces = {agent: copy.deepcopy(spec.action_space) for agent in agents}

    def __repr__(self) -> str:
        return f"PettingZooEnvPool({self._label!r}, agents={len(self.agents)} of {len(self.possible_agents)})"

    def _for_sb3(self) -> tuple[str, str, int, int]:
        return self._label, "an environment with PettingZoo's interface", 1, self._arrays.max_players

    @property
    def agents(self) -> list[str]:
        """The names of the agents in the game."""
        if self._seen != self.pool._replaced and not self.pool.closed:
            self._seen = self.pool._replaced
            self._agents = []
            if not self.pool._pool.over(0):
                info = self.pool.observe()[1]
                self._note_mover(info)
                self._agents = self._in_game(info)
        return self._agents

    @agents.setter
    def agents(self, names: list[str]) -> None:
        self._agents, self._seen = names, self.pool._replaced

    @property
    def mover(self) -> str | None:
        """The name of the agent whose move it is if the players take turns; None otherwise."""
        _ = self.agents  # observes the state if it was replaced
        return self._mover

    def snapshot(self) -> bytes:
        """Returns the whole state of the game; see `EnvPoolMixin.snapshot`."""
        return self.pool.snapshot(0)

    def restore(self, state: bytes) -> None:
        """Restores a state that `snapshot` returned, and the `agents` of that state; see `EnvPoolMixin.restore`."""
        self.pool.restore(0, state)

    def observe(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Returns the observations and infos of the `agents` in the current state, for example after `restore`."""
        agents = self.agents
        if not agents:
            return {}, {}
        observation, info = self.pool.observe()
        return self._of(agents, self._in_space(observation)), self._infos(agents, info)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Returns the agent's observation space, always the same object. Raises ValueError for an unknown agent."""
        return self._of_agent(self.observation_spaces, agent)

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Returns the agent's action space, always the same object. Raises ValueError for an unknown agent."""
        return self._of_agent(self.action_spaces, agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Starts a new episode.

        Args:
            seed: int from 0 to 2**64 - 1; None: the generator continues from its current state.
            options: options of `make`, with new values as in `set_options`; docs/concepts.md lists them. The options
                `{"options": 1}`, which PettingZoo's tests pass, have no effect.

        Returns:
            (observations, infos) by agent. `agents` is updated.

        Raises:
            TypeError: seed or options is of the wrong type.
            ValueError: seed is out of range, or options has an unknown key or a value out of range.
        """
        observation, info = self.pool.reset(seed=seed, options=None if options == _OPTIONS_OF_TESTS else options)
        self.agents = agents = self._in_game(info)
        self._note_mover(info)
        return self._of(agents, self._in_space(observation)), self._infos(agents, info)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Steps the environment.

        Args:
            actions: one action for each of `agents`.

        Returns:
            (observations, rewards, terminated, truncated, infos) of the agents that acted.

        Raises:
            TypeError: actions is not a mapping, or an action is of the wrong type.
            ValueError: the action of an agent is missing, an agent is not in the game, or an action is not in its
                space.
        """
        if not isinstance(actions, Mapping):
            raise TypeError(f"[{self._label}] actions: expected a mapping by agent, got {shown(actions)}")
        missing = [agent for agent in self.agents if agent not in actions]
        unknown = [str(agent) for agent in actions if agent not in self.agents]
        if missing or unknown:
            raise ValueError(
                f"[{self._label}] actions: expected one for each of the {len(self.agents)} agents in the game, got "
                f"{len(actions)}; missing: {', '.join(missing) or 'none'}; not in the game: {', '.join(unknown) or 'none'}"
            )
        if not self.agents:
            return {}, {}, {}, {}, {}
        acting = self.agents
        batch = self._batched(actions)
        try:
            observation, reward, terminated, truncated, info = self.pool.step(batch)
        except (TypeError, ValueError) as error:
            raise self._of_one_agent(error, actions) from None
        is_terminated, is_truncated = bool(terminated[0]), bool(truncated[0])
        self._note_mover(info)
        left = dict(zip(self._rows, self._left(info), strict=True))
        ended = {agent: is_terminated or bool(left[agent]) for agent in acting}
        self.agents = [] if is_terminated or is_truncated else [agent for agent in acting if not ended[agent]]
        return (
            self._of(acting, self._in_space(observation)),
            {agent: float(value) for agent, value in self._of(acting, reward).items()},
            ended,
            dict.fromkeys(acting, is_truncated),
            self._infos(acting, info),
        )

    def render(self) -> npt.NDArray[np.uint8] | None:
        """Renders the current state: uint8 of shape (height, width, 3), RGB. With render_mode "human" returns None.

        Raises:
            RuntimeError: there is no render_mode.
        """
        images = self.pool.render()
        return None if images is None else images[0]

    def close(self) -> None:
        """Closes the pool."""
        self.pool.close()

    def _of_agent(self, values: Mapping[str, Value], agent: Any) -> Value:
        """Returns the value of an agent. Raises ValueError if the agent has none."""
        agents = list(values)
        if agent not in agents:
            known = f"one of the {len(agents)} agents, such as {agents[0]!r}"
            raise ValueError(f"[{self._label}] agent: expected {known}, got {shown(agent)}")
        return values[agent]

    def _in_game(self, info: Mapping[str, Any]) -> list[str]:
        """Names the agents of the rows, and returns those that are in the game."""
        count = len(info["players"]["env_id"])
        numbers = info["players"]["id"].tolist() if "players.id" in self._known else range(count)
        self._rows = [self.possible_agents[number] for number in numbers]
        return [agent for agent, left in zip(self._rows, self._left(info), strict=True) if not left]

    def _left(self, info: Mapping[str, Any]) -> list[bool]:
        if "players.done" in self._known:
            done: list[bool] = info["players"]["done"].tolist()
            return done
        return [False] * len(self._rows)

    def _of(self, agents: list[str], tree: Any) -> dict[str, Any]:
        """Returns each agent's row of a tree of players' arrays, by agent."""
        wanted = set(agents)
        return {agent: _row(tree, i) for i, agent in enumerate(self._rows) if agent in wanted}

    def _in_space(self, observation: Any) -> Any:
        return _in_space(self.pool.single_observation_space, observation)

    def _infos(self, agents: list[str], info: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Returns the info of each agent: the environment's entries, which all agents share, and the player's own."""
        shared = {key: _row(value, 0) for key, value in info.items() if key not in ("players", "env_id")}
        own = {key: value for key, value in info["players"].items() if key != "env_id"}
        infos = {agent: {**shared, **row} for agent, row in self._of(agents, own).items()}
        for agent, of_agent in infos.items():
            if "action_mask" in of_agent:  # int8, as gymnasium's spaces sample
                waits = "action_mask" in shared and self._mover not in (None, agent)
                of_agent["action_mask"] = of_agent["action_mask"].astype(np.int8) * (0 if waits else 1)
        return infos

    def _note_mover(self, info: Mapping[str, Any]) -> None:
        """Takes the player to move from the infos of the pool."""
        if "current_player" in self._known:
            self._mover = self.possible_agents[int(info["current_player"][0])]

    def _batched(self, actions: Mapping[str, Any]) -> Any:
        """Returns the actions of the pool.

        A field has a row for each player, in which agents that have left get the valid action closest to zero, or the
        action of the player to move.
        """
        fields, idle = self._arrays.actions, self._idle()
        with labelled(self._label):
            batch = {
                field.name: np.stack(
                    [_action_of(fields, field, agent, actions.get(agent, idle)) for agent in self._owners(field)]
                )
                for field in fields
            }
        return batch[fields[0].name] if len(fields) == 1 else batch

    def _owners(self, field: Field) -> list[str]:
        """Returns the agent of each row of a field of the pool's actions."""
        return self._rows if field.per_player else [self._mover or self.possible_agents[0]]

    def _of_one_agent(self, error: Exception, actions: Mapping[str, Any]) -> Exception:
        """Returns the error that the pool raised for a batch of actions as one that names the agent."""
        fields = self._arrays.actions
        try:
            with labelled(self._label):
                for field in fields:
                    for agent in filter(actions.__contains__, self._owners(field)):
                        array, named = _action_of(fields, field, agent, actions[agent]), _named(fields, field, agent)
                        check(named, array, field.shape, None, allow_whole_floats=True)
        except (TypeError, ValueError) as own:
            return own
        return error

    def _idle(self) -> Any:
        """Returns the valid action that is closest to zero."""
        fields = self._arrays.actions
        idle = {field.name: np.clip(np.zeros(field.shape, field.dtype), field.low, field.high) for field in fields}
        return idle[fields[0].name] if len(fields) == 1 else idle


def _action_of(fields: Sequence[Field], field: Field, agent: str, action: Any) -> npt.NDArray[Any]:
    """Returns a field of an agent's action. Checks its shape, because actions of different shapes make no batch."""
    value, named = split(fields, action, name=f"actions[{agent!r}]")[field.name], _named(fields, field, agent)
    array: npt.NDArray[Any] = as_array(named, value)
    if array.shape != field.shape:
        raise ValueError(f"{named.name}: expected shape {field.shape}, got {array.shape}")
    return array


def _named(fields: Sequence[Field], field: Field, agent: str) -> Field:
    """Returns a field with the name under which an error names the agent's action."""
    return replace(field, name=f"actions[{agent!r}]" + (f"[{field.name!r}]" if len(fields) > 1 else ""))


def _in_space(space: gymnasium.Space[Any], tree: Any) -> Any:
    """Returns observations with int8, the dtype of gymnasium's MultiBinary, in place of bool and uint8."""
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: _in_space(part, tree[key]) for key, part in space.spaces.items()}
    return tree.view(np.int8) if isinstance(space, gymnasium.spaces.MultiBinary) else tree


def _row(tree: Any, index: int) -> Any:
    """Returns row `index` of a tree of arrays.

    If an array has a single row, all players share that row.
    """
    if isinstance(tree, dict):
        return {key: _row(value, index) for key, value in tree.items()}
    index = min(index, len(tree) - 1)
    return tree[index].item() if tree.ndim == 1 else tree[index]
