# SPDX-License-Identifier: Apache-2.0
"""The interface of PettingZoo for players who take turns: an environment as an `AECEnv`.

Only `envpool.make_pettingzoo` imports this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from envpool.python.distribution import raise_missing

try:
    from pettingzoo import AECEnv
except ModuleNotFoundError as error:
    raise_missing(error, "pettingzoo", "make_pettingzoo", "PettingZoo")

from envpool.python.not_a_vec_env import NotAVecEnv
from envpool.python.options import shown
from envpool.python.pettingzoo_envpool import PettingZooEnvPool
from envpool.python.registry import Registration


class PettingZooAECEnvPool(NotAVecEnv, AECEnv):
    """An environment whose players take turns, with PettingZoo's interface for agents who act one after the other.

    `infos[agent]["action_mask"]`, int8, has the legal actions of `agent_selection`, and zeros for the other agents. The
    dicts of rewards, terminations, truncations and infos belong to the last step, for all agents.

    Attributes:
        parallel: the same environment as a `PettingZooEnvPool`, whose attributes `pool`, `possible_agents`, `render_mode`
            and `metadata` this one has too. Do not step it.
        agents: the names of the agents that have not taken their last step.
        agent_selection: the agent whose move it is.
    """

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        super().__init__()
        self.parallel = parallel = PettingZooEnvPool(registration, caller_options)
        self._label = registration.task_id
        if "current_player" not in {field.name for field in parallel.pool.spec.arrays.infos}:
            raise ValueError(
                f"[{self._label}] aec: expected an environment with the info 'current_player', which says who moves next; "
                "got one whose players act at the same time"
            )
        self.pool = parallel.pool
        self.possible_agents = parallel.possible_agents
        self.render_mode = parallel.render_mode
        self.metadata = {**parallel.metadata, "is_parallelizable": False}
        self.observation_spaces = parallel.observation_spaces
        self.action_spaces = parallel.action_spaces
        self.agents: list[str] = []
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self.agent_selection = self.possible_agents[0]
        self._observations: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"PettingZooAECEnvPool({self._label!r}, agents={len(self.agents)} of {len(self.possible_agents)})"

    def _for_sb3(self) -> tuple[str, str, int, int]:
        return self.parallel._for_sb3()

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Returns the agent's observation space, always the same object. Raises ValueError for an unknown agent."""
        return self.parallel.observation_space(agent)

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Returns the agent's action space, always the same object. Raises ValueError for an unknown agent."""
        return self.parallel.action_space(agent)

    def observe(self, agent: str) -> Any:
        """Returns what an agent observes now, whether or not it is the agent's turn.

        Raises:
            ValueError: the agent is unknown, or there has been no reset.
        """
        if not self._observations:
            raise ValueError(f"[{self._label}] observe: expected a reset first, got none")
        return self.parallel._of_agent(self._observations, agent)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Returns the observation of `agent_selection`, its rewards since its last step, and how it ended; see PettingZoo.

        Args:
            observe: whether to return the observation instead of None.

        Raises:
            ValueError: there is no agent, because `reset` was not called or all agents have taken their last step.
        """
        self._require_agent("last")
        result: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return result

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a new episode; see `PettingZooEnvPool.reset`."""
        self._begin(*self.parallel.reset(seed=seed, options=options))

    def step(self, action: Any) -> None:
        """Makes the move of `agent_selection`.

        Args:
            action: an action in its space; None if the episode has ended.

        Raises:
            ValueError: the action is not in the space; there is no agent, because `reset` was not called or all agents
                have taken their last step.
        """
        self._require_agent("step")
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            if action is not None:
                raise ValueError(
                    f"[{self._label}] action: expected None, because {mover} has finished, got {shown(action)}"
                )
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"[{self._label}] action: expected an action of {mover}, got None")
        idle = self.parallel._idle()
        results = self.parallel.step({agent: action if agent == mover else idle for agent in self.parallel.agents})
        observations, self.rewards, self.terminations, self.truncations, self.infos = results
        self._observations |= observations
        self._cumulative_rewards[mover] = 0
        self._accumulate_rewards()
        self.agent_selection = self.parallel.mover or mover

    def snapshot(self) -> bytes:
        """Returns the whole state of the game; see `EnvPoolMixin.snapshot`. Rewards are not part of it."""
        return self.parallel.snapshot()

    def restore(self, state: bytes) -> None:
        """Restores a state that `snapshot` returned; see `EnvPoolMixin.restore`. All rewards are then 0."""
        self.parallel.restore(state)
        self._begin(*self.parallel.observe())

    def render(self) -> npt.NDArray[np.uint8] | None:
        """Renders the current state; see `PettingZooEnvPool.render`."""
        return self.parallel.render()

    def close(self) -> None:
        """Closes the pool."""
        self.parallel.close()

    def _require_agent(self, call: str) -> None:
        if self.agent_selection not in self.agents:
            raise ValueError(f"[{self._label}] {call}: expected a reset first, because no agent is left in the game")

    def _begin(self, observations: dict[str, Any], infos: dict[str, dict[str, Any]]) -> None:
        """Continues from a state without rewards."""
        self.agents = list(self.parallel.agents)
        self._observations, self.infos = observations, infos
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self.parallel.mover or self.possible_agents[0]
