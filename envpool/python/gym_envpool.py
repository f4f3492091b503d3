# SPDX-License-Identifier: Apache-2.0
"""The face of gym, gymnasium's predecessor: a pool as a `gym.Env`, in the form of the gym that is installed."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envpool.python.construction import Construction
from envpool.python.distribution import raise_missing
from envpool.python.env_spec import EnvSpec
from envpool.python.envpool import EnvPoolMixin
from envpool.python.layout import dict_layout

if TYPE_CHECKING:
    from envpool.python.gymnasium_envpool import GymnasiumEnvPool
    from envpool.python.registry import Registration


class GymEnvPool(EnvPoolMixin):
    """A pool with gym's face. Its instances are of `gym.Env` too (of `gymnasium.Env` where gym is not installed).

    Attributes:
        observation_space, action_space: one environment's, or one player's.
        single_observation_space, single_action_space: the same.
        classic: whether the form is that of gym before 0.26.
        render_mode: None, "rgb_array" or "human".
    """

    reward_range = (-float("inf"), float("inf"))
    is_vector_env = True

    def __init__(self, registration: Registration, given: Mapping[str, Any]) -> None:
        construction = Construction(registration, given)
        common = construction.common
        self.classic = common.step_api == "classic" or (common.step_api is None and _installed_is_classic())
        if common.gym_reset_return_info is False and not self.classic:
            raise ValueError(
                f"[{construction.label}] gym_reset_return_info must be True with step_api 'modern', got False"
            )
        # EnvPool's meaning, when there was an old gym: reset returns info as well.
        self._reset_returns_info = not self.classic or bool(common.gym_reset_return_info)
        spec = EnvSpec(construction, "gym.spaces" if installed_gym() else "gymnasium.spaces")
        self.observation_space, self.action_space = spec.observation_space, spec.action_space
        self.single_observation_space = self.observation_space
        self.single_action_space = self.action_space
        modes = construction.render_modes
        self.metadata = {"render_modes": modes, "render.modes": modes, "autoreset_mode": common.autoreset_mode}
        self.render_mode = common.render_mode
        final = common.autoreset_mode == "same_step"
        layout = dict_layout(construction.arrays, classic=self.classic, final=final, on_device=construction.on_device)
        self._init(construction, layout, spec)

    def reset(self, env_id: Any = None, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        """Starts new episodes.

        Args:
            env_id: the environments to reset; None is all of them.
            seed: int from 0 to 2**64 - 1, or one for each environment that is reset; None: the generators go on.
            options: must be empty.

        Returns:
            The observation, in the classic form; (observation, info) in the modern one.

        Raises:
            TypeError: seed, env_id or options is of the wrong type.
            ValueError: seed, env_id or options is not as above.
            RuntimeError: one of the environments is under way, or the pool is closed.
        """
        if options:
            raise ValueError(f"[{self._label}] options must be empty, got {options!r}")
        pack = self._layout.reset
        return self._reset(env_id, seed, pack if self._reset_returns_info else self._without_info(pack))

    def render(self, mode: Any = None, camera_id: Any = None, *, env_ids: Any = None) -> Any:
        """Pictures of environments as they are now: uint8 of shape (n, height, width, 3), RGB.

        With render_mode "human" it is None, and a window shows them.

        Args:
            mode: None or "rgb_array", as old gym gives it; or ids of environments, as EnvPool does.
            camera_id: accepted as EnvPool's scripts give it.
            env_ids: of which environments; None is the option render_env_id.

        Raises:
            ValueError: another mode.
            RuntimeError: the pool has no render_mode, or one of the environments is under way.
        """
        if isinstance(mode, str) and mode not in ("rgb_array", self.render_mode):
            raise ValueError(f"[{self._label}] mode must be {self.render_mode or 'rgb_array'!r}, got {mode!r}")
        if mode is not None and not isinstance(mode, str):
            env_ids = mode
        return self._frames(env_ids) if mode == "rgb_array" else self._picture(env_ids)

    def __reduce__(self) -> Any:
        return _remake, (self._construction.registration, self._construction.given)


@functools.cache
def installed_gym() -> Any:
    """The module gym, or None where it is not installed."""
    return importlib.import_module("gym") if importlib.util.find_spec("gym") else None


def _installed_is_classic() -> bool:
    gym = installed_gym()
    if gym is None:
        return False
    numbers = str(gym.__version__).split(".")
    return (int(numbers[0]), int(numbers[1])) < (0, 26)


@functools.cache
def gym_face() -> type[GymEnvPool]:
    """GymEnvPool as a subclass of the Env that is there."""
    try:
        base = (installed_gym() or importlib.import_module("gymnasium")).Env
    except ModuleNotFoundError as error:
        raise_missing(error, "gymnasium", "make_gym")
    return type("GymEnvPool", (GymEnvPool, base), {"__doc__": GymEnvPool.__doc__})


def make_gym_face(registration: Registration, given: Mapping[str, Any]) -> GymEnvPool | GymnasiumEnvPool:
    """Makes the face that the installed gym, or the option step_api, asks for."""
    if installed_gym() is None and given.get("step_api") != "classic":
        from envpool.python.gymnasium_envpool import GymnasiumEnvPool

        return GymnasiumEnvPool(registration, given)
    return gym_face()(registration, given)


_remake = make_gym_face
