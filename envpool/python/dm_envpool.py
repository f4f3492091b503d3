# SPDX-License-Identifier: Apache-2.0
"""The face of dm_env: a pool as a `dm_env.Environment` of batched TimeSteps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envpool.python.construction import Construction
from envpool.python.distribution import raise_missing
from envpool.python.env_spec import EnvSpec
from envpool.python.envpool import EnvPoolMixin
from envpool.python.layout import dm_layout

try:
    import dm_env
except ModuleNotFoundError as error:
    raise_missing(error, "dm_env", "make_dm", distribution="dm-env")

if TYPE_CHECKING:
    from envpool.python.registry import Registration


class DMEnvPool(EnvPoolMixin, dm_env.Environment):
    """A pool with dm_env's face.

    A TimeStep holds arrays with a row per environment: `step_type` int32, `reward` float32, `discount` float32 (0 when
    the episode terminated, 1 when it was truncated), and as `observation` a namedtuple `State` of env_id, players, the
    observation's fields and those of info.
    """

    def __init__(self, registration: Registration, given: Mapping[str, Any]) -> None:
        construction = Construction(registration, given)
        common, label = construction.common, construction.label
        if common.autoreset_mode == "same_step":
            raise ValueError(
                f"[{label}] autoreset_mode must be 'next_step' or 'disabled' here, for a TimeStep has no room for two "
                "observations, got 'same_step'"
            )
        if common.step_api == "classic":
            raise ValueError(f"[{label}] step_api must be None here, got 'classic'; see make_gym")
        self.render_mode = common.render_mode
        self._init(construction, dm_layout(construction.arrays), EnvSpec(construction))

    def reset(self, env_id: Any = None, *, seed: Any = None) -> dm_env.TimeStep:
        """Starts new episodes.

        Args:
            env_id: the environments to reset; None is all of them.
            seed: int from 0 to 2**64 - 1, or one for each environment that is reset; None: the generators go on.

        Returns:
            Their first TimeSteps; in an asynchronous pool, those of the first batch_size that are ready.

        Raises:
            TypeError: seed or env_id is of the wrong type.
            ValueError: seed or env_id is not as above.
            RuntimeError: one of the environments is under way, or the pool is closed.
        """
        result: dm_env.TimeStep = self._reset(env_id, seed)
        return result

    def observation_spec(self) -> Any:
        """One environment's specs, in a namedtuple like a TimeStep's observation."""
        return self.spec.observation_spec()

    def action_spec(self) -> Any:
        """One environment's (or player's) action spec; a dict of them where an action has several fields."""
        return self.spec.action_spec()

    def reward_spec(self) -> Any:
        """One environment's (or player's) reward spec, float32."""
        return self.spec.reward_spec()

    def discount_spec(self) -> Any:
        """One environment's (or player's) discount spec, float32 from 0 to 1."""
        return self.spec.discount_spec()

    def render(self, env_ids: Any = None, camera_id: Any = None) -> Any:
        """Pictures of environments as they are now: uint8 of shape (n, height, width, 3), RGB.

        With render_mode "human" it is None, and a window shows them.

        Args:
            env_ids: of which; None is the option render_env_id.
            camera_id: accepted as EnvPool's scripts give it.

        Raises:
            RuntimeError: the pool has no render_mode, or one of the environments is under way.
        """
        return self._picture(env_ids)
