# SPDX-License-Identifier: Apache-2.0
"""The interface of gymnasium: a pool as a `gymnasium.vector.VectorEnv`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from envpool.python.construction import Construction
from envpool.python.distribution import raise_missing
from envpool.python.env_spec import EnvSpec
from envpool.python.envpool import EnvPoolMixin
from envpool.python.layout import dict_layout
from envpool.python.not_a_vec_env import is_read_by_dummy_vec_env, raise_not_a_vec_env
from envpool.python.options import AUTORESET_MODES, require_cpu, shown

try:
    import gymnasium
    from gymnasium.vector import VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise_missing(error, "gymnasium", "make_gymnasium")

if TYPE_CHECKING:
    from envpool.python.layout import ResultLayout
    from envpool.python.registry import Registration

    AnyVectorEnv = VectorEnv[Any, Any, Any]
else:
    AnyVectorEnv = VectorEnv  # not generic before gymnasium 1.0

_MODES: dict[str, Any]
try:
    from gymnasium.vector import AutoresetMode
except ImportError:  # gymnasium before 1.1, whose wrappers do not read the mode
    _MODES = {mode: mode for mode in AUTORESET_MODES}
else:
    _MODES = {mode: AutoresetMode[mode.upper()] for mode in AUTORESET_MODES}


class GymnasiumEnvPool(EnvPoolMixin, AnyVectorEnv, gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """A pool with EnvPool's form of gymnasium's interface.

    It is a `gymnasium.Env` too, so that EnvPool's scripts can wrap it in a `gymnasium.Wrapper`.

    Attributes:
        is_vector_env: True; the wrappers of gymnasium before 1.0 read it.
        single_observation_space, single_action_space: the spaces of one environment, or of one player.
        observation_space, action_space: the same spaces, as EnvPool's scripts expect. In a pool of `envpool.make_vec`
            they are the spaces of a batch.
        metadata: "render_modes" and "autoreset_mode".
        render_mode: None, "rgb_array" or "human".
    """

    is_vector_env = True

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        construction = Construction(registration, caller_options)
        common = construction.common
        if common.step_api == "classic":
            raise ValueError(
                f"[{construction.label}] step_api: expected 'modern' for gymnasium, got 'classic'; see make_gym"
            )
        if common.gym_reset_return_info is False:
            raise ValueError(
                f"[{construction.label}] gym_reset_return_info: expected True for gymnasium, got False; see make_gym"
            )
        self._check(construction)
        spec = EnvSpec(construction)
        self.single_observation_space: gymnasium.Space[Any] = spec.gymnasium_observation_space
        self.single_action_space: gymnasium.Space[Any] = spec.gymnasium_action_space
        self.observation_space, self.action_space = self._spaces(common.num_envs)
        self.render_mode = common.render_mode
        self.metadata = {
            "render_modes": construction.render_modes,
            "autoreset_mode": _MODES[common.autoreset_mode],
        }
        self._init(construction, self._layout_of(construction), spec)

    @property
    def unwrapped(self) -> Any:
        """This pool.

        Raises:
            TypeError: Stable-Baselines3 reads this attribute because it mistakes the pool for a single environment.
        """
        if is_read_by_dummy_vec_env():
            raise_not_a_vec_env(
                self._label, "a pool with gymnasium's interface", self.num_envs, self.spec.arrays.max_players
            )
        return self

    def _check(self, construction: Construction) -> None:
        """Raises ValueError for options that the interface does not support."""

    def _layout_of(self, construction: Construction, masks: int = 0) -> ResultLayout:
        final = construction.common.autoreset_mode == "same_step"
        return dict_layout(
            construction.arrays, classic=False, final=final, masks=masks, on_device=construction.on_device
        )

    def _spaces(self, num_envs: int) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
        return self.single_observation_space, self.single_action_space

    def reset(  # EnvPool's scripts pass env_id by position
        self, env_id: Any = None, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes.

        Args:
            env_id: the environments to reset; None means all.
            seed: int from 0 to 2**64 - 1: environment i draws from stream i of that seed. Or a sequence with one int
                for each environment that is reset. None: the generators continue from their current state.
            options: `{"reset_mask": mask}` selects the environments by a bool array of shape (num_envs,).

        Returns:
            observation and info of the environments that were reset; in an asynchronous pool, of the first batch_size
            to finish.

        Raises:
            TypeError: seed, env_id or options is of the wrong type.
            ValueError: seed or env_id is out of range, or options has another key or a mask of another shape.
            RuntimeError: one of the environments is under way, or the pool is closed.
        """
        if options:
            env_id = self._masked(env_id, options)
            if isinstance(seed, (list, tuple, np.ndarray)) and len(seed) == self.num_envs:
                seed = [seed[index] for index in env_id]
        result: tuple[Any, dict[str, Any]] = self._reset(env_id, seed)
        return result

    def _masked(self, env_id: Any, options: Mapping[str, Any]) -> Any:
        label = self._label
        if not isinstance(options, Mapping):
            raise TypeError(f"[{label}] options: expected a mapping, got {shown(options)}")
        unknown = set(options) - {"reset_mask"}
        if unknown:
            raise ValueError(f"[{label}] options: expected only the key 'reset_mask', got {sorted(map(str, unknown))}")
        if env_id is not None:
            raise ValueError(f"[{label}] env_id: expected None with options['reset_mask'], got {shown(env_id)}")
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"[{label}] options['reset_mask']: expected an array of bool, got {shown(mask)}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"[{label}] options['reset_mask']: expected shape ({self.num_envs},), got {mask.shape}")
        if not mask.any():
            raise ValueError(f"[{label}] options['reset_mask']: expected at least one True, got none")
        return np.flatnonzero(mask).astype(np.int32)

    def render(self, env_ids: Any = None, camera_id: Any = None) -> Any:
        """Renders the current state of environments.

        Args:
            env_ids: the environments; None means the option render_env_id.
            camera_id: ignored; EnvPool's scripts pass it.

        Returns:
            uint8 of shape (len(env_ids), height, width, 3), RGB; None with render_mode "human", which shows the images
            in a window.

        Raises:
            RuntimeError: the pool has no render_mode, or one of the environments is under way.
        """
        return self._render(env_ids)


class _LastBatch:
    """Packs batches and keeps the last one, so that a partial reset can return the rows of all environments.

    Attributes:
        layout: the layout that packs a batch.
        arrays: the arrays of the last batch; empty before the first.
    """

    def __init__(self, construction: Construction, layout: ResultLayout, dtypes: Mapping[str, type[Any]]) -> None:
        """Prepares the conversion of batches. `dtypes` has the new dtype of each output that is converted."""
        self.layout = layout
        self.arrays: tuple[npt.NDArray[Any], ...] = ()
        # Without autoreset, partial resets are common. A wrapper that writes into an observation must not change the
        # rows that a later partial reset returns, so the observations are copied.
        copied = construction.common.autoreset_mode == "disabled"
        names = {field.name for field in construction.arrays.observations} if copied else set()
        self.copied = [index for index, name in enumerate(layout.outputs) if name in names]
        names_without_prefix = [name.removeprefix("final.") for name in layout.outputs]
        self.cast = [(index, dtypes[name]) for index, name in enumerate(names_without_prefix) if name in dtypes]

    def step(self, arrays: tuple[npt.NDArray[Any], ...]) -> Any:
        arrays = self.keep(arrays)
        result = self.layout.step(arrays)
        info = result[-1]
        if "final_obs" in info:
            info["final_obs"] = _objects(info["final_obs"], info["_final_obs"])
        return result

    def reset(self, arrays: tuple[npt.NDArray[Any], ...]) -> Any:
        arrays = self.keep(arrays)
        return self.layout.reset(arrays)

    def partial_reset(self, env_ids: Any, arrays: tuple[npt.NDArray[Any], ...]) -> Any:
        """Returns the last batch with the rows of `env_ids` replaced by the rows of the reset."""
        merged = []
        for last, part in zip(self.arrays, arrays, strict=True):
            rows = last.copy()
            rows[env_ids] = part
            merged.append(rows)
        return self.reset(tuple(merged))

    def keep(self, arrays: tuple[npt.NDArray[Any], ...]) -> tuple[npt.NDArray[Any], ...]:
        """Stores the batch and returns it with the dtypes converted."""
        if self.cast:
            converted = list(arrays)
            for index, dtype in self.cast:
                converted[index] = converted[index].astype(dtype, copy=False)
            arrays = tuple(converted)
        self.arrays = arrays
        if self.copied:
            kept = list(arrays)
            for index in self.copied:
                kept[index] = kept[index].copy()
            self.arrays = tuple(kept)
        return arrays


def _objects(batch: Any, mask: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Returns one object per environment, as gymnasium does: its observation if the mask is set, else None."""

    def row(tree: Any, index: int) -> Any:
        return {key: row(value, index) for key, value in tree.items()} if isinstance(tree, dict) else tree[index].copy()

    objects = np.full(len(mask), None, dtype=object)
    for index in np.flatnonzero(mask).tolist():
        objects[index] = row(batch, index)
    return objects


_DTYPES = ("envpool", "gymnasium")


def _in_float32(space: gymnasium.Space[Any]) -> gymnasium.Space[Any]:
    """Returns the space with float32 in place of float64, as in the action spaces of gymnasium's environments."""
    if isinstance(space, gymnasium.spaces.Dict):
        return gymnasium.spaces.Dict({name: _in_float32(part) for name, part in space.spaces.items()})
    if not isinstance(space, gymnasium.spaces.Box) or space.dtype != np.float64:
        return space
    return gymnasium.spaces.Box(space.low.astype(np.float32), space.high.astype(np.float32), dtype=np.float32)


# VectorEnv is repeated as a direct base because skrl inspects only the direct bases of the class.
class GymnasiumVectorEnv(GymnasiumEnvPool, AnyVectorEnv):  # type: ignore[misc]
    """A pool that conforms to `gymnasium.vector.VectorEnv`, for gymnasium's own wrappers and checks.

    `info` has gymnasium's masks: for every key there is a bool array "_key" that tells which environments have it.

    Attributes:
        observation_space, action_space: the spaces of the batch.
        spec: envpool's EnvSpec, or gymnasium's if `gymnasium.make_vec` made the pool; both have the `id`,
            `max_episode_steps` and `reward_threshold` of this pool.
    """

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        require_cpu(registration.task_id, caller_options, "gymnasium's VectorEnv")
        caller_options = dict(caller_options)
        self._dtypes = caller_options.pop("dtypes", "envpool")
        if not isinstance(self._dtypes, str) or self._dtypes not in _DTYPES:
            raise ValueError(
                f"[{registration.task_id}] dtypes: expected 'envpool' or 'gymnasium', got {self._dtypes!r}"
            )
        super().__init__(registration, caller_options)

    @property
    def spec(self) -> Any:
        """The specification of the environment, with the options of this pool."""
        return self._spec

    @spec.setter
    def spec(self, spec: Any) -> None:
        """Accepts gymnasium's spec too, and replaces the values that come from the registration with this pool's."""
        if spec is not None:
            own = EnvSpec(self._construction)
            spec.max_episode_steps, spec.reward_threshold = own.max_episode_steps, own.reward_threshold
        self._spec = spec

    def __reduce__(self) -> Any:
        remake, (*how, caller_options) = super().__reduce__()
        return remake, (*how, {**caller_options, "dtypes": self._dtypes})

    def _layout_of(self, construction: Construction, masks: int = 0) -> ResultLayout:
        layout = super()._layout_of(construction, construction.common.num_envs)
        dtypes: dict[str, type[Any]] = {}
        if self._dtypes == "gymnasium":
            counted = (field.name for field in construction.arrays.observations if field.discrete and not field.shape)
            dtypes = {"reward": np.float64, "action_mask": np.int8, **dict.fromkeys(counted, np.int64)}
        self._last_batch = _LastBatch(construction, layout, dtypes)
        return replace(layout, step=self._last_batch.step, reset=self._last_batch.reset)

    def _check(self, construction: Construction) -> None:
        common, label = construction.common, construction.label
        if common.batch_size != common.num_envs:
            raise ValueError(
                f"[{label}] batch_size: expected num_envs = {common.num_envs}, because gymnasium has no partial batches, "
                f"got {common.batch_size}"
            )
        players = construction.arrays.max_players
        if players > 1:
            raise ValueError(
                f"[{label}] task_id: expected an environment of one player for gymnasium's VectorEnv, got one of up to "
                f"{players} players; see make_gymnasium"
            )

    def _spaces(self, num_envs: int) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
        if self._dtypes == "gymnasium":
            self.single_action_space = _in_float32(self.single_action_space)
        return batch_space(self.single_observation_space, num_envs), batch_space(self.single_action_space, num_envs)

    def step(self, actions: Any) -> Any:  # type: ignore[override]  # gymnasium's interface has no env_id
        """Steps every environment; see `EnvPoolMixin.step`."""
        return super().step(actions)

    def reset(  # type: ignore[override]  # gymnasium's interface has no env_id
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes, in all environments or in those of `options["reset_mask"]`.

        Args:
            seed: int from 0 to 2**64 - 1: environment i draws from stream i of that seed. Or a sequence with one int
                for each environment. None: the generators continue from their current state.
            options: `{"reset_mask": mask}` selects the environments by a bool array of shape (num_envs,).

        Returns:
            observation and info of all environments, including those that were not reset.

        Raises:
            TypeError: seed or options is of the wrong type.
            ValueError: seed is out of range, or the mask has another shape or is all False.
            RuntimeError: an environment is under way, the pool is closed, or the first reset is partial.
        """
        if not options or "reset_mask" not in options:
            return self._reset(None, seed)  # type: ignore[no-any-return]
        env_ids = self._masked(None, options)
        if not self._last_batch.arrays and len(env_ids) < self.num_envs:
            raise RuntimeError(
                f"[{self._label}] options['reset_mask']: expected all True in the first reset, got a partial mask"
            )
        if isinstance(seed, (list, tuple, np.ndarray)) and len(seed) == self.num_envs:
            seed = [seed[index] for index in env_ids]
        if len(env_ids) == self.num_envs:
            return self._reset(None, seed)  # type: ignore[no-any-return]
        return self._reset(env_ids, seed, partial(self._last_batch.partial_reset, env_ids))  # type: ignore[no-any-return]

    def xla(self) -> Any:
        """Raises RuntimeError: jitted code cannot merge a partial reset with the last batch."""
        raise RuntimeError(f"[{self._label}] xla: expected a pool of make_gymnasium, got one of make_vec")

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:  # type: ignore[override]  # gymnasium's interface
        """Renders the current state of all environments.

        Returns:
            A tuple of uint8 arrays of shape (height, width, 3), RGB; None with render_mode "human", which shows the
            images in a window.

        Raises:
            RuntimeError: the pool has no render_mode, or an environment is under way.
        """
        images = self._render(self.all_env_ids)
        return None if images is None else tuple(images)
