# SPDX-License-Identifier: Apache-2.0
"""The interface of dm_env: a pool as a `dm_env.Environment` of batched TimeSteps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool.python.distribution import raise_missing
from envpool.python.env_spec import EnvSpec
from envpool.python.envpool import EnvPoolMixin
from envpool.python.errors import labelled
from envpool.python.layout import dm_layout
from envpool.python.mixed import construction_of
from envpool.python.not_a_vec_env import NotAVecEnv

try:
    import dm_env
except ModuleNotFoundError as error:
    raise_missing(error, "dm_env", "make_dm", distribution="dm-env")

from envpool.python.registry import Registration


class DMEnvPool(EnvPoolMixin, NotAVecEnv, dm_env.Environment):
    """A pool with dm_env's interface.

    A TimeStep holds arrays with one row per environment: `step_type` int32, `reward` float32, `discount` float32 (0 if
    the episode terminated, 1 if it was truncated), and `observation`, a namedtuple `State` of env_id, players, the
    fields of the observation and the fields of info.

    Attributes:
        render_mode: None, "rgb_array" or "human".
        metadata: "render_modes" and "render_fps".
    """

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        construction = construction_of(registration, caller_options)
        common, label = construction.common, construction.label
        if common.autoreset_mode == "same_step":
            raise ValueError(
                f"[{label}] autoreset_mode: expected 'next_step' or 'disabled' for dm_env, got 'same_step'; a TimeStep "
                "holds only one observation"
            )
        if common.step_api == "classic":
            raise ValueError(f"[{label}] step_api: expected None for dm_env, got 'classic'; see make_gym")
        self.render_mode = common.render_mode
        fps = construction.arrays.render_fps
        self.metadata = {"render_modes": construction.render_modes, "render_fps": fps}
        with labelled(label):
            layout = dm_layout(construction.arrays, construction.task_ids)
        self._init(construction, layout, EnvSpec(construction))

    def reset(self, env_id: Any = None, *, seed: Any = None, options: dict[str, Any] | None = None) -> dm_env.TimeStep:
        """Starts new episodes.

        Args:
            env_id: the environments to reset; None means all.
            seed: int from 0 to 2**64 - 1, or a sequence with one seed for each environment that is reset. None: the
                generators continue from their current state.
            options: new values for options of `make`, as in `set_options`, and the options of the environment's reset;
                docs/concepts.md lists them.

        Returns:
            The first TimeStep of all these environments; in an asynchronous pool, of the first batch_size to finish.

        Raises:
            TypeError: seed, env_id or options is of the wrong type.
            ValueError: seed or env_id is out of range, or options has an unknown key.
            RuntimeError: one of the environments is under way, or the pool is closed.
        """
        result: dm_env.TimeStep = self._reset(env_id, seed, options=options)
        return result

    def observation_spec(self) -> Any:
        """Returns the specs of one environment, in a namedtuple like a TimeStep's observation."""
        return self.spec.observation_spec()

    def action_spec(self) -> Any:
        """Returns the action spec of one environment (or player); a dict of specs if an action has several fields."""
        return self.spec.action_spec()

    def reward_spec(self) -> Any:
        """Returns the reward spec of one environment (or player), float32."""
        return self.spec.reward_spec()

    def discount_spec(self) -> Any:
        """Returns the discount spec of one environment (or player), float32 from 0 to 1."""
        return self.spec.discount_spec()

    def _for_sb3(self) -> tuple[str, str, int, int]:
        return self._label, "a pool with dm_env's interface", self.num_envs, self.spec.arrays.max_players

    def render(self, env_ids: Any = None, camera_id: Any = None) -> Any:
        """Renders the current state of environments.

        Args:
            env_ids: the environments; None means the option render_env_id.
            camera_id: ignored; EnvPool's scripts pass it.

        Returns:
            RGB images, uint8 of shape (n, height, width, 3). With render_mode "human", the images are shown in a window
            and None is returned.

        Raises:
            RuntimeError: the pool has no render_mode, or one of the environments is under way.
        """
        return self._render(env_ids)
