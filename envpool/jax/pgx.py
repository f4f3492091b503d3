# SPDX-License-Identifier: Apache-2.0
"""The games of envpool.jax with the interface of pgx: `import envpool.jax.pgx as pgx`.

>>> env = pgx.make("connect_four")
>>> state = env.init(key)
>>> state = env.step(state, action)
>>> state.current_player, state.observation, state.legal_action_mask, state.rewards, state.terminated

The functions can be jitted, scanned and vmapped. Games, observations, masks and rewards equal those of pgx 2.6.0; which
player moves first, and the cards, tiles and dice, are drawn from another generator.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp

from envpool.jax import environment
from envpool.jax.rows import EnvState
from envpool.python.options import shown

__all__ = ["Env", "State", "available_envs", "make"]

_IDS = {
    "2048": "Play2048-v1",
    "animal_shogi": "AnimalShogi-v1",
    "backgammon": "Backgammon-v1",
    "chess": "Chess-v1",
    "connect_four": "ConnectFour-v1",
    "gardner_chess": "GardnerChess-v1",
    "go_19x19": "Go19x19-v1",
    "go_9x9": "Go9x9-v1",
    "hex": "Hex-v1",
    "kuhn_poker": "KuhnPoker-v1",
    "leduc_holdem": "LeducHoldem-v1",
    "othello": "Othello-v1",
    "shogi": "Shogi-v1",
    "sparrow_mahjong": "SparrowMahjong-v1",
    "tic_tac_toe": "TicTacToe-v1",
}
_NAMES = {task_id: name for name, task_id in _IDS.items()}
_VERSIONS = {
    "2048": "v2",
    "animal_shogi": "v2",
    "backgammon": "v2",
    "chess": "v2",
    "go_19x19": "v1",
    "go_9x9": "v1",
    "kuhn_poker": "v1",
    "shogi": "v1",
    "sparrow_mahjong": "v1",
}  # pgx's; the others are v0
_DRAWN = {"2048": "a new tile is", "backgammon": "the dice are"}  # what steps draw from their key


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """The state of a game, or a batch of states.

    Attributes:
        current_player: int32, the player to move.
        observation: what this player observes; bool, float32 in animal_shogi, chess and gardner_chess, int32 in
            backgammon.
        rewards: float32 of shape (num_players,), of the last step.
        terminated: bool, whether the game is over. A further step changes nothing and has rewards 0.
        truncated: bool, always False.
        legal_action_mask: bool of shape (num_actions,), the legal moves of the player to move. After the end, all.
        game: the state of `envpool.jax`.
        env_id: pgx's name of the game.
    """

    current_player: Any
    observation: Any
    rewards: Any
    terminated: Any
    truncated: Any
    legal_action_mask: Any
    game: EnvState

    @property
    def env_id(self) -> str:
        """The name of the game in pgx."""
        return _NAMES[self.game.format.label]

    def replace(self, **changes: Any) -> State:
        """Returns a state with other values of some attributes."""
        return replace(self, **changes)


class Env:
    """Pure functions of a state, with pgx's interface.

    Attributes:
        id: pgx's name of the game.
        version: the version of the game in pgx 2.6.0.
        num_players: the number of players.
        num_actions: the number of moves to choose from.
        observation_shape: the shape of a player's observation.
    """

    def __init__(self, name: str) -> None:
        self.id = name
        self.version = _VERSIONS.get(name, "v0")
        self._env = environment.make_as(environment.Environment, _IDS[name], {}, step_values=6)
        self.num_players = self._env.num_players
        self.num_actions = self._env.num_actions
        self.observation_shape: tuple[int, ...] = self._env.observation_space().shape

    def __repr__(self) -> str:
        return f"Env({self.id!r})"

    def init(self, key: Any) -> State:
        """Begins a game. The key is one of `jax.random`; equal keys begin equal games."""
        _, game = self._env.reset(key)
        observations, *_, info = self._env._seen(game, None)  # a reset returns no infos
        rewards = jnp.zeros(self.num_players, jnp.float32)
        return self._state(game, observations, rewards, jnp.bool_(False), info)

    def step(self, state: State, action: Any, key: Any = None) -> State:
        """Makes the move of `state.current_player`.

        Args:
            state: a state of this game.
            action: int, from 0 to num_actions - 1. An illegal move ends the game.
            key: what a new tile of 2048 or the dice of backgammon are drawn from; the other games ignore it.

        Raises:
            TypeError: the state is not a `State`, or as `step` of `envpool.jax` raises it.
            ValueError: the game is 2048 or backgammon, and there is no key, or as `step` of `envpool.jax` raises it.
        """
        if self.id in _DRAWN and key is None:
            raise ValueError(
                f"[{self.id}] key: expected a key of jax.random, which {_DRAWN[self.id]} drawn from, got None"
            )
        self._check_state(state)
        results = self._env.step_env(key if self.id in _DRAWN else None, state.game, action)
        observations, game, rewards, terminated, _, info = results
        return self._state(game, observations, rewards.reshape(self.num_players), terminated, info)

    def observe(self, state: State, player_id: Any = None) -> Any:
        """Returns what a player observes.

        Args:
            state: a state of this game.
            player_id: int, from 0 to num_players - 1; None: the player to move. A traced int is limited to this range.

        Raises:
            TypeError: the state is not a `State`, or player_id is not an int.
            ValueError: the state is one of another game, or player_id is out of range.
        """
        self._check_state(state)
        player = None if player_id is None else self._player(player_id)
        if player is None or self.num_players == 1:
            return state.observation
        return jnp.take(self._env._seen(state.game, None)[0], player, axis=0, mode="clip")

    def _check_state(self, state: State) -> None:
        if not isinstance(state, State):
            raise TypeError(f"[{self.id}] state: expected a State of envpool.jax.pgx, got {type(state).__name__}")
        self._env._check_state(state.game)

    def _player(self, player_id: Any) -> Any:
        expected = f"[{self.id}] player_id: expected None or an int in 0..{self.num_players - 1}, got"
        if isinstance(player_id, jax.core.Tracer):
            if player_id.shape or not jnp.issubdtype(player_id.dtype, jnp.integer):
                raise TypeError(f"{expected} {player_id.dtype} of shape {player_id.shape}")
            return player_id
        try:
            number = operator.index(player_id)
        except TypeError:
            raise TypeError(f"{expected} {shown(player_id)}") from None
        if not 0 <= number < self.num_players:
            raise ValueError(f"{expected} {number}")
        return number

    def _state(self, game: EnvState, observations: Any, rewards: Any, terminated: Any, info: dict[str, Any]) -> State:
        several = self.num_players > 1
        mover = info["current_player"] if several else jnp.int32(0)
        observation = jnp.take(observations, mover, axis=0) if several else observations
        return State(mover, observation, rewards, terminated, jnp.zeros_like(terminated), info["action_mask"], game)


def available_envs() -> tuple[str, ...]:
    """Returns the names that `make` accepts."""
    return tuple(_IDS)


def make(env_id: str) -> Env:
    """Makes a game.

    Args:
        env_id: one of `available_envs()`.

    Raises:
        ValueError: an unknown name.
        RuntimeError: the family is not built.
    """
    if not isinstance(env_id, str) or env_id not in _IDS:
        raise ValueError(f"env_id: expected one of {', '.join(_IDS)}, got {shown(env_id)}")
    return Env(env_id)
