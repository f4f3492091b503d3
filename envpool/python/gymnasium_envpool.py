# SPDX-License-Identifier: Apache-2.0
"""The face of gymnasium: a pool as a `gymnasium.vector.VectorEnv`."""

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
from envpool.python.options import AUTORESET_MODES, require_cpu

try:
    import gymnasium
    from gymnasium.vector import VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise_missing(error, "gymnasium", "make_gymnasium")

if TYPE_CHECKING:
    from envpool.python.layout import Layout
    from envpool.python.registry import Registration

    AnyVectorEnv = VectorEnv[Any, Any, Any]
else:
    AnyVectorEnv = VectorEnv  # which takes no types before gymnasium 1.0

_MODES: dict[str, Any]
try:
    from gymnasium.vector import AutoresetMode
except ImportError:  # before gymnasium 1.1, whose wrappers ask for no mode
    _MODES = {mode: mode for mode in AUTORESET_MODES}
else:
    _MODES = {mode: AutoresetMode[mode.upper()] for mode in AUTORESET_MODES}


class GymnasiumEnvPool(EnvPoolMixin, AnyVectorEnv, gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """A pool with gymnasium's face and EnvPool's habits.

    It is a `gymnasium.Env` too, so that EnvPool's scripts can put a `gymnasium.Wrapper` around it.

    Attributes:
        is_vector_env: True, which gymnasium's wrappers of before 1.0 ask for.
        single_observation_space, single_action_space: one environment's, or one player's.
        observation_space, action_space: the same, as EnvPool's scripts expect. `envpool.make_vec` has the batch's.
        metadata: "render_modes" and "autoreset_mode".
        render_mode: None, "rgb_array" or "human".
    """

    is_vector_env = True

    def __init__(self, registration: Registration, given: Mapping[str, Any]) -> None:
        construction = Construction(registration, given)
        common = construction.common
        if common.step_api == "classic":
            raise ValueError(f"[{construction.label}] step_api must be 'modern' here, got 'classic'; see make_gym")
        if common.gym_reset_return_info is False:
            raise ValueError(f"[{construction.label}] gym_reset_return_info must be True here, got False; see make_gym")
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

    def _check(self, construction: Construction) -> None:
        """Refuses what this face cannot be."""

    def _layout_of(self, construction: Construction, masks: int = 0) -> Layout:
        final = construction.common.autoreset_mode == "same_step"
        return dict_layout(
            construction.arrays, classic=False, final=final, masks=masks, on_device=construction.on_device
        )

    def _spaces(self, num_envs: int) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
        return self.single_observation_space, self.single_action_space

    def reset(  # EnvPool's scripts give env_id by position
        self, env_id: Any = None, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes.

        Args:
            env_id: the environments to reset; None is all of them.
            seed: int from 0 to 2**64 - 1: environment i draws from stream i of that seed. Or one int for each
                environment that is reset. None: the generators go on where they are.
            options: `{"reset_mask": mask}` names the environments by a bool array of shape (num_envs,).

        Returns:
            observation and info of the environments that were reset; in an asynchronous pool, of the first batch_size
            that are ready.

        Raises:
            TypeError: seed, env_id or options is of the wrong type.
            ValueError: seed, env_id or options is not as above.
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
            raise TypeError(f"[{label}] options must be a mapping, got {options!r}")
        unknown = set(options) - {"reset_mask"}
        if unknown:
            raise ValueError(f"[{label}] options must hold nothing but 'reset_mask', got {sorted(map(str, unknown))}")
        if env_id is not None:
            raise ValueError(f"[{label}] env_id and options['reset_mask'] both name environments; give one")
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"[{label}] options['reset_mask'] must be an array of bool, got {mask!r}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"[{label}] options['reset_mask'] must have shape ({self.num_envs},), got {mask.shape}")
        if not mask.any():
            raise ValueError(f"[{label}] options['reset_mask'] must name at least one environment, got all False")
        return np.flatnonzero(mask).astype(np.int32)

    def render(self, env_ids: Any = None, camera_id: Any = None) -> Any:
        """Pictures of environments as they are now.

        Args:
            env_ids: of which; None is the option render_env_id.
            camera_id: accepted as EnvPool's scripts give it.

        Returns:
            uint8 of shape (len(env_ids), height, width, 3), RGB; with render_mode "human" None, and a window shows them.

        Raises:
            RuntimeError: the pool has no render_mode, or one of the environments is under way.
        """
        return self._picture(env_ids)


class _Memory:
    """Packs batches, and keeps the last one for a reset that concerns only some of its rows.

    `dtypes` are the outputs that get another dtype.
    """

    def __init__(self, construction: Construction, layout: Layout, dtypes: Mapping[str, type[Any]]) -> None:
        self.layout = layout
        self.last: tuple[npt.NDArray[Any], ...] = ()
        # Without autoreset, resets of some are what users do; a wrapper that writes into what it is given must not
        # change what they get then.
        copied = construction.common.autoreset_mode == "disabled"
        names = {field.name for field in construction.arrays.observations} if copied else set()
        self.copied = [index for index, name in enumerate(layout.outputs) if name in names]
        bare = [name.removeprefix("final.") for name in layout.outputs]
        self.cast = [(index, dtypes[name]) for index, name in enumerate(bare) if name in dtypes]

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
        """As if all had been reset, with the rows of the others as they last were."""
        merged = []
        for whole, part in zip(self.last, arrays, strict=True):
            rows = whole.copy()
            rows[env_ids] = part
            merged.append(rows)
        return self.reset(tuple(merged))

    def keep(self, arrays: tuple[npt.NDArray[Any], ...]) -> tuple[npt.NDArray[Any], ...]:
        """Remembers the batch, and returns it in the dtypes that were asked for."""
        if self.cast:
            given = list(arrays)
            for index, dtype in self.cast:
                given[index] = given[index].astype(dtype, copy=False)
            arrays = tuple(given)
        self.last = arrays
        if self.copied:
            kept = list(arrays)
            for index in self.copied:
                kept[index] = kept[index].copy()
            self.last = tuple(kept)
        return arrays


def _objects(batch: Any, mask: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """One object per environment, an observation where the mask is set and None elsewhere, as gymnasium has it."""

    def row(tree: Any, index: int) -> Any:
        return {key: row(value, index) for key, value in tree.items()} if isinstance(tree, dict) else tree[index].copy()

    objects = np.full(len(mask), None, dtype=object)
    for index in np.flatnonzero(mask).tolist():
        objects[index] = row(batch, index)
    return objects


_DTYPES = ("envpool", "gymnasium")


def _in_float32(space: gymnasium.Space[Any]) -> gymnasium.Space[Any]:
    """The space with float32 in place of float64, as gymnasium's environments have their actions."""
    if isinstance(space, gymnasium.spaces.Dict):
        return gymnasium.spaces.Dict({name: _in_float32(part) for name, part in space.spaces.items()})
    if not isinstance(space, gymnasium.spaces.Box) or space.dtype != np.float64:
        return space
    return gymnasium.spaces.Box(space.low.astype(np.float32), space.high.astype(np.float32), dtype=np.float32)


# Named as a base again, for skrl looks at those of the class itself.
class GymnasiumVectorEnv(GymnasiumEnvPool, AnyVectorEnv):  # type: ignore[misc]
    """A `gymnasium.vector.VectorEnv` to the letter, for gymnasium's own wrappers and checks.

    `info` has gymnasium's masks: beside every key, "_key" is a bool array that tells which environments have it.

    Attributes:
        observation_space, action_space: the batch's.
        spec: envpool's EnvSpec, or gymnasium's where `gymnasium.make_vec` made this; either has `id`,
            `max_episode_steps` and `reward_threshold` as this pool has them.
    """

    def __init__(self, registration: Registration, given: Mapping[str, Any]) -> None:
        require_cpu(registration.task_id, given, "gymnasium's vector environments")
        given = dict(given)
        self._dtypes = given.pop("dtypes", "envpool")
        if not isinstance(self._dtypes, str) or self._dtypes not in _DTYPES:
            raise ValueError(
                f"[{registration.task_id}] dtypes: expected 'envpool' or 'gymnasium', got {self._dtypes!r}"
            )
        super().__init__(registration, given)

    @property
    def spec(self) -> Any:
        """What the environment is, with the options of this pool."""
        return self._spec

    @spec.setter
    def spec(self, spec: Any) -> None:
        """Takes gymnasium's as well, which says what was registered and not what this pool was given."""
        if spec is not None:
            own = EnvSpec(self._construction)
            spec.max_episode_steps, spec.reward_threshold = own.max_episode_steps, own.reward_threshold
        self._spec = spec

    def __reduce__(self) -> Any:
        remake, (*how, given) = super().__reduce__()
        return remake, (*how, {**given, "dtypes": self._dtypes})

    def _layout_of(self, construction: Construction, masks: int = 0) -> Layout:
        layout = super()._layout_of(construction, construction.common.num_envs)
        dtypes: dict[str, type[Any]] = {}
        if self._dtypes == "gymnasium":
            counted = (field.name for field in construction.arrays.observations if field.discrete and not field.shape)
            dtypes = {"reward": np.float64, **dict.fromkeys(counted, np.int64)}
        self._memory = _Memory(construction, layout, dtypes)
        return replace(layout, step=self._memory.step, reset=self._memory.reset)

    def _check(self, construction: Construction) -> None:
        common, label = construction.common, construction.label
        if common.batch_size != common.num_envs:
            raise ValueError(
                f"[{label}] batch_size must be num_envs = {common.num_envs} here, for gymnasium knows no partial "
                f"batches, got {common.batch_size}"
            )
        players = construction.arrays.max_players
        if players > 1:
            raise ValueError(f"[{label}] gymnasium has no batches of up to {players} players; see make_gymnasium")

    def _spaces(self, num_envs: int) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
        if self._dtypes == "gymnasium":
            self.single_action_space = _in_float32(self.single_action_space)
        return batch_space(self.single_observation_space, num_envs), batch_space(self.single_action_space, num_envs)

    def step(self, actions: Any) -> Any:  # type: ignore[override]  # gymnasium's form has no env_id
        """Does one step of every environment; `EnvPoolMixin.step` describes it."""
        return super().step(actions)

    def reset(  # type: ignore[override]  # gymnasium's form has no env_id
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes, in all environments or in those of `options["reset_mask"]`.

        Args:
            seed: int from 0 to 2**64 - 1: environment i draws from stream i of that seed. Or one int for each
                environment. None: the generators go on where they are.
            options: `{"reset_mask": mask}` names the environments by a bool array of shape (num_envs,).

        Returns:
            observation and info of all environments, also of those that were not reset.

        Raises:
            TypeError: seed or options is of the wrong type.
            ValueError: seed or options is not as above.
            RuntimeError: an environment is under way, the pool is closed, or the first reset is a partial one.
        """
        memory = self._memory
        if not options or "reset_mask" not in options:
            return self._reset(None, seed)  # type: ignore[no-any-return]
        env_ids = self._masked(None, options)
        if not memory.last and len(env_ids) < self.num_envs:
            raise RuntimeError(f"[{self._label}] the first reset must be of all environments, got a partial reset_mask")
        if isinstance(seed, (list, tuple, np.ndarray)) and len(seed) == self.num_envs:
            seed = [seed[index] for index in env_ids]
        if len(env_ids) == self.num_envs:
            return self._reset(None, seed)  # type: ignore[no-any-return]
        return self._reset(env_ids, seed, partial(memory.partial_reset, env_ids))  # type: ignore[no-any-return]

    def xla(self) -> Any:
        """Is not to be had here, where a reset of some environments returns the others as they last came."""
        raise RuntimeError(f"[{self._label}] xla: gymnasium's form has none; see make_gymnasium")

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:  # type: ignore[override]  # gymnasium's form
        """Pictures of all environments: a tuple of uint8 arrays of shape (height, width, 3), RGB.

        With render_mode "human" it is None, and a window shows them.

        Raises:
            RuntimeError: the pool has no render_mode, or an environment is under way.
        """
        frames = self._picture(self.all_env_ids)
        return None if frames is None else tuple(frames)
