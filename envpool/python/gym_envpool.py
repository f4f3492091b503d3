# SPDX-License-Identifier: Apache-2.0
"""The interface of gym, gymnasium's predecessor: a pool as a `gym.Env` of the installed version."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envpool.python.distribution import raise_missing
from envpool.python.env_spec import EnvSpec
from envpool.python.envpool import EnvPoolMixin
from envpool.python.layout import dict_layout
from envpool.python.mixed import construction_of
from envpool.python.not_a_vec_env import NotAVecEnv, is_read_by_dummy_vec_env, raise_not_a_vec_env
from envpool.python.registry import Registration

if TYPE_CHECKING:
    from envpool.python.gymnasium_envpool import GymnasiumEnvPool
else:
    GymnasiumEnvPool = Any  # for `typing.get_type_hints`; gym does not need gymnasium


class GymEnvPool(EnvPoolMixin, NotAVecEnv):
    """A pool with gym's interface. Pools are instances of `gym.Env` too, or of `gymnasium.Env` if gym is not installed.

    Attributes:
        observation_space, action_space: the spaces of one environment, or of one player.
        single_observation_space, single_action_space: the same spaces.
        classic: whether the pool has the interface of gym before 0.26.
        render_mode: None, "rgb_array" or "human".
    """

    reward_range = (-float("inf"), float("inf"))
    is_vector_env = True

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        construction = construction_of(registration, caller_options)
        common = construction.common
        self.classic = common.step_api == "classic" or (common.step_api is None and _installed_is_classic())
        if common.gym_reset_return_info is False and not self.classic:
            raise ValueError(
                f"[{construction.label}] gym_reset_return_info: expected True with step_api 'modern', got False"
            )
        # As in EnvPool, this option makes reset return info even with old gym.
        self._reset_returns_info = not self.classic or bool(common.gym_reset_return_info)
        spec = EnvSpec(construction, "gym.spaces" if installed_gym() else "gymnasium.spaces")
        self.observation_space, self.action_space = spec.observation_space, spec.action_space
        self.single_observation_space = self.observation_space
        self.single_action_space = self.action_space
        modes = construction.render_modes
        self.metadata = {
            "render_modes": modes,
            "render.modes": modes,
            "render_fps": construction.arrays.render_fps,
            "video.frames_per_second": construction.arrays.render_fps,
            "autoreset_mode": common.autoreset_mode,
        }
        self.render_mode = common.render_mode
        final = common.autoreset_mode == "same_step"
        layout = dict_layout(
            construction.arrays,
            classic=self.classic,
            final=final,
            on_device=construction.on_device,
            task_ids=construction.task_ids,
        )
        self._init(construction, layout, spec)

    def reset(self, env_id: Any = None, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        """Starts new episodes.

        Args:
            env_id: the environments to reset; None means all.
            seed: int from 0 to 2**64 - 1, or a sequence with one seed for each environment that is reset. None: the
                generators continue from their current state.
            options: new values for options of `make`, as in `set_options`, and the options of the environment's reset;
                docs/concepts.md lists them.

        Returns:
            The observation with the classic interface; (observation, info) with the modern one.

        Raises:
            TypeError: seed, env_id or options is of the wrong type.
            ValueError: seed or env_id is out of range, or options has an unknown key.
            RuntimeError: one of the environments is under way, or the pool is closed.
        """
        pack = self._layout.reset
        return self._reset(env_id, seed, pack if self._reset_returns_info else self._without_info(pack), options)

    def render(self, mode: Any = None, camera_id: Any = None, *, env_ids: Any = None) -> Any:
        """Renders the current state of environments.

        Args:
            mode: None or "rgb_array", as in old gym; or ids of environments, as in EnvPool.
            camera_id: ignored; EnvPool's scripts pass it.
            env_ids: the environments; None means the option render_env_id.

        Returns:
            RGB images, uint8 of shape (n, height, width, 3). With render_mode "human", the images are shown in a window
            and None is returned.

        Raises:
            ValueError: an unknown mode.
            RuntimeError: the pool has no render_mode, or one of the environments is under way.
        """
        if isinstance(mode, str) and mode not in ("rgb_array", self.render_mode):
            raise ValueError(f"[{self._label}] mode: expected {self.render_mode or 'rgb_array'!r}, got {mode!r}")
        if mode is not None and not isinstance(mode, str):
            env_ids = mode
        return self._rendered(env_ids) if mode == "rgb_array" else self._render(env_ids)

    @property
    def unwrapped(self) -> Any:
        """This pool.

        Raises:
            TypeError: Stable-Baselines3 reads this attribute because it mistakes the pool for a single environment.
        """
        if is_read_by_dummy_vec_env():
            raise_not_a_vec_env(*self._for_sb3())
        return self

    def _for_sb3(self) -> tuple[str, str, int, int]:
        return self._label, "a pool with gym's interface", self.num_envs, self.spec.arrays.max_players

    def __reduce__(self) -> Any:
        return make_gym_pool, (self._construction.registration, self._construction.caller_options)


@functools.cache
def installed_gym() -> Any:
    """Returns the module gym, or None if it is not installed."""
    return importlib.import_module("gym") if importlib.util.find_spec("gym") else None


def _installed_is_classic() -> bool:
    gym = installed_gym()
    if gym is None:
        return False
    numbers = str(gym.__version__).split(".")
    return (int(numbers[0]), int(numbers[1])) < (0, 26)


@functools.cache
def gym_pool_class() -> type[GymEnvPool]:
    """Returns GymEnvPool as a subclass of the `Env` of the installed gym or, without gym, of gymnasium."""
    try:
        base = (installed_gym() or importlib.import_module("gymnasium")).Env
    except ModuleNotFoundError as error:
        raise_missing(error, "gymnasium", "make_gym")
    return type("GymEnvPool", (GymEnvPool, base), {"__doc__": GymEnvPool.__doc__})


def make_gym_pool(registration: Registration, caller_options: Mapping[str, Any]) -> GymEnvPool | GymnasiumEnvPool:
    """Makes a pool with the interface of the installed gym, or with the interface that step_api selects."""
    if installed_gym() is None and caller_options.get("step_api") != "classic":
        from envpool.python.gymnasium_envpool import GymnasiumEnvPool

        return GymnasiumEnvPool(registration, caller_options)
    return gym_pool_class()(registration, caller_options)
