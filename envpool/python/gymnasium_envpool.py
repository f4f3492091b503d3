# SPDX-License-Identifier: Apache-2.0
"""The interface of gymnasium: a pool as a `gymnasium.vector.VectorEnv`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from envpool import _core
from envpool.python.common_options import require_cpu
from envpool.python.construction import Construction
from envpool.python.distribution import raise_missing
from envpool.python.env_spec import EnvSpec
from envpool.python.envpool import EnvPoolMixin
from envpool.python.errors import labelled
from envpool.python.layout import ResultLayout, dict_layout
from envpool.python.mixed import construction_of
from envpool.python.not_a_vec_env import is_read_by_dummy_vec_env, raise_not_a_vec_env
from envpool.python.options import AUTORESET_MODES, check_seed, is_sequence, shown
from envpool.python.pool_options import chosen_rows
from envpool.python.registry import Registration
from envpool.python.reset_options import ids_of_mask, seeds_of_mask, without_mask
from envpool.python.spaces import path_of

try:
    import gymnasium
    from gymnasium.utils import seeding
    from gymnasium.vector import VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise_missing(error, "gymnasium", "make_gymnasium")

if TYPE_CHECKING:
    AnyVectorEnv = VectorEnv[Any, Any, Any]
else:
    AnyVectorEnv = VectorEnv  # not generic before gymnasium 1.0

Method = TypeVar("Method", bound=Callable[..., Any])

_MODES: dict[str, Any]
try:
    from gymnasium.vector import AutoresetMode
except ImportError:  # gymnasium before 1.1, whose wrappers do not read the mode
    _MODES = {mode: mode for mode in AUTORESET_MODES}
else:
    _MODES = {mode: AutoresetMode[mode.upper()] for mode in AUTORESET_MODES}


class PoolResetNeeded(gymnasium.error.ResetNeeded, RuntimeError):
    """A step before the first reset, in the interfaces of gymnasium."""


class ClosedPoolError(gymnasium.error.ClosedEnvironmentError, RuntimeError):
    """A call of a pool that is closed, in the interfaces of gymnasium."""


class GymnasiumEnvPool(EnvPoolMixin, AnyVectorEnv, gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """A pool with EnvPool's form of gymnasium's interface.

    It is a `gymnasium.Env` too, so that EnvPool's scripts can wrap it in a `gymnasium.Wrapper`.

    Attributes:
        is_vector_env: True; the wrappers of gymnasium before 1.0 read it.
        single_observation_space, single_action_space: the spaces of one environment, or of one player.
        observation_space, action_space: the same spaces, as EnvPool's scripts expect. In a pool of `envpool.make_vec`
            they are the spaces of a batch.
        metadata: "render_modes", "render_fps" and "autoreset_mode".
        render_mode: None, "rgb_array" or "human".
    """

    is_vector_env = True
    _reset_keys: tuple[str, ...] = ("reset_mask",)

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        construction = construction_of(registration, caller_options)
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
            "render_fps": construction.arrays.render_fps,
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
            construction.arrays,
            classic=False,
            final=final,
            masks=masks,
            on_device=construction.on_device,
            task_ids=construction.task_ids,
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
            options: `{"reset_mask": mask}` selects the environments by a bool array of shape (num_envs,). The other
                keys are options of `make`, with new values as in `set_options`, and the options of the environment's
                reset; docs/concepts.md lists them. Beside a mask, arrays may have a value for each environment.

        Returns:
            observation and info of the environments that were reset; in an asynchronous pool, of the first batch_size
            to finish.

        Raises:
            TypeError: seed, env_id or options is of the wrong type.
            ValueError: seed or env_id is out of range, or options has an unknown key or a mask of another shape.
            RuntimeError: one of the environments is under way, or the pool is closed.
        """
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"[{self._label}] options: expected a mapping, got {shown(options)}")
        if options and "reset_mask" in options and "reset_mask" in self._reset_keys:
            env_id = self._masked(env_id, options)
            seed = self._seeds_of_mask(seed, env_id)
            options = chosen_rows(self._construction, without_mask(options), env_id, self.num_envs)
        result: tuple[Any, dict[str, Any]] = self._reset(env_id, seed, options=options)
        return result

    def _masked(self, env_id: Any, options: Mapping[str, Any]) -> npt.NDArray[np.int32]:
        with labelled(self._label):
            return ids_of_mask(env_id, options, self.num_envs)

    def _seeds_of_mask(self, seed: Any, env_ids: npt.NDArray[np.int32], *, or_none: bool = False) -> Any:
        with labelled(self._label):
            return seeds_of_mask(seed, env_ids, self.num_envs, or_none=or_none)

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


class _Conversion:
    """Packs batches in the form of gymnasium's vectors: with its dtypes, and with an object for each last observation."""

    def __init__(self, layout: ResultLayout, dtypes: Mapping[str, type[Any]]) -> None:
        """Prepares the conversion. `dtypes` has the new dtype of each output that is converted."""
        self._layout = layout
        names_without_prefix = [name.removeprefix("final.") for name in layout.outputs]
        self._cast = [(index, dtypes[name]) for index, name in enumerate(names_without_prefix) if name in dtypes]

    def step(self, arrays: tuple[npt.NDArray[Any], ...]) -> Any:
        result = self._layout.step(self._converted(arrays))
        info = result[-1]
        if "final_obs" in info:
            info["final_obs"] = _objects(info["final_obs"], info["_final_obs"])
        return result

    def reset(self, arrays: tuple[npt.NDArray[Any], ...]) -> Any:
        return self._layout.reset(self._converted(arrays))

    def _converted(self, arrays: tuple[npt.NDArray[Any], ...]) -> tuple[npt.NDArray[Any], ...]:
        if not self._cast:
            return arrays
        converted = list(arrays)
        for index, dtype in self._cast:
            converted[index] = converted[index].astype(dtype, copy=False)
        return tuple(converted)


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


def _raises_closed(method: Method) -> Method:
    """Returns a method of a pool with gymnasium's class for the error of a closed pool."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _or_closed(self):
            return method(self, *args, **kwargs)

    return cast("Method", call)


@contextlib.contextmanager
def _or_closed(pool: Any) -> Iterator[None]:
    """Turns the error of a closed pool into the class of gymnasium's error."""
    try:
        yield
    except RuntimeError as error:
        if pool.closed and type(error) is RuntimeError:
            raise ClosedPoolError(*error.args) from None
        raise


# VectorEnv is repeated as a direct base because skrl inspects only the direct bases of the class.
class GymnasiumVectorEnv(GymnasiumEnvPool, AnyVectorEnv):  # type: ignore[misc]
    """A pool that conforms to `gymnasium.vector.VectorEnv`, for gymnasium's own wrappers and checks.

    `info` has gymnasium's masks: for every key there is a bool array "_key" that tells which environments have it. After
    `close`, calls raise ClosedPoolError, which is a RuntimeError.

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
        self._remember_seed(self._construction.common.env_seed or self._construction.common.seed)

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
        # The batch of a MultiBinary is an int8 Box, which does not contain arrays of uint8.
        dtypes: dict[str, type[Any]] = {
            field.name: np.int8
            for field in construction.arrays.observations
            if field.discrete == 2 and field.shape and field.dtype == np.uint8
        }
        if self._dtypes == "gymnasium":
            counted = (field.name for field in construction.arrays.observations if field.discrete and not field.shape)
            named = (field.name for field in construction.arrays.infos if path_of(field.name) == ("action_mask",))
            dtypes |= {"reward": np.float64, **dict.fromkeys(named, np.int8), **dict.fromkeys(counted, np.int64)}
        conversion = _Conversion(layout, dtypes)
        return replace(layout, step=conversion.step, reset=conversion.reset)

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
        """Steps every environment; see `EnvPoolMixin.step`.

        Raises:
            PoolResetNeeded: the environments have not been reset yet.
            ClosedPoolError: the pool is closed.
        """
        if not self._begun and not self.closed and not self._has_begun():
            raise PoolResetNeeded(f"[{self._label}] step: expected a call of reset before the first step, got none")
        try:
            return super().step(actions)
        except RuntimeError:
            with _or_closed(self):
                raise

    def reset(  # type: ignore[override]  # gymnasium's interface has no env_id
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes, in all environments or in those of `options["reset_mask"]`.

        Args:
            seed: int from 0 to 2**64 - 1: environment i draws from stream i of that seed. Or a sequence with one int
                for each environment, or None for those whose generators continue from their current state. None: all
                continue.
            options: `{"reset_mask": mask}` selects the environments by a bool array of shape (num_envs,). The other
                keys are options of `make`, with new values as in `set_options`, and the options of the environment's
                reset; docs/concepts.md lists them. Beside a mask, arrays may have a value for each environment.

        Returns:
            observation and info of all environments; those that were not reset have the observations of their current
            states.

        Raises:
            TypeError: seed or options is of the wrong type.
            ValueError: seed is out of range, options has an unknown key, or the mask has another shape or is all False.
            RuntimeError: an environment is under way, or the first reset is partial.
            ClosedPoolError: the pool is closed.
        """
        with _or_closed(self):
            result: tuple[Any, dict[str, Any]] = self._reset_vector(seed, options)
        self._remember_seed(seed)
        return result

    def _reset_vector(self, seed: Any, options: Any) -> Any:
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"[{self._label}] options: expected a mapping, got {shown(options)}")
        env_ids, others = None, without_mask(options)
        if options and "reset_mask" in options:
            env_ids = self._masked(None, options)
            seed = self._seeds_of_mask(seed, env_ids, or_none=True)
            kept = np.setdiff1d(self.all_env_ids, env_ids)
            if not self._begun and len(kept) > 0 and not self._has_begun(kept):
                raise RuntimeError(
                    f"[{self._label}] options['reset_mask']: expected all True in the first reset, got a partial mask"
                )
            others = chosen_rows(self._construction, others, env_ids.tolist(), self.num_envs)
            if len(env_ids) == self.num_envs:
                env_ids = None
        if env_ids is None:
            return self._reset(None, seed, options=others)
        return self._reset(env_ids, seed, self._all_rows, others)

    def _seeds_of_reset(self, seed: Any, env_ids: npt.NDArray[np.int32]) -> tuple[Any, Any]:
        """Lets an environment whose seed is None continue its stream, as in gymnasium's vectors."""
        if not isinstance(seed, (list, tuple)) or all(each is not None for each in seed):
            return super()._seeds_of_reset(seed, env_ids)
        if len(seed) != len(env_ids):
            raise ValueError(f"[{self._label}] seed: expected a sequence of {len(env_ids)}, got one of {len(seed)}")
        seeded = [row for row, each in enumerate(seed) if each is not None]
        seeds, streams = np.zeros(len(seed), np.uint64), np.full(len(seed), _core.NO_STREAM, np.uint32)
        with labelled(self._label):
            seeds[seeded] = [check_seed(f"seed[{row}]", seed[row]) for row in seeded]
        streams[seeded] = 0
        return seeds, streams

    def _all_rows(self, _: Any) -> Any:
        """Packs the current observations of all environments, after a reset of some."""
        return self._layout.reset(self._pool.observe(self.all_env_ids))

    def _remember_seed(self, seed: Any) -> None:
        """Sets the attributes in which gymnasium's vectors keep their seed. The environments draw from other streams."""
        if seed is None:
            return
        if is_sequence(seed):
            seeds = tuple(None if each is None else int(each) for each in seed)
            self._np_random_seed = seeds  # type: ignore[assignment]  # as in gymnasium's SyncVectorEnv
            self._np_random = np.random.default_rng([each or 0 for each in seeds])
        else:
            self._np_random, self._np_random_seed = seeding.np_random(int(seed))

    async_reset = _raises_closed(GymnasiumEnvPool.async_reset)
    clone = _raises_closed(GymnasiumEnvPool.clone)
    observe = _raises_closed(GymnasiumEnvPool.observe)
    options = _raises_closed(GymnasiumEnvPool.options)
    players = _raises_closed(GymnasiumEnvPool.players)
    recv = _raises_closed(GymnasiumEnvPool.recv)
    restore = _raises_closed(GymnasiumEnvPool.restore)
    send = _raises_closed(GymnasiumEnvPool.send)
    set_options = _raises_closed(GymnasiumEnvPool.set_options)
    set_statistics = _raises_closed(GymnasiumEnvPool.set_statistics)
    snapshot = _raises_closed(GymnasiumEnvPool.snapshot)
    statistics = _raises_closed(GymnasiumEnvPool.statistics)

    @property
    def update_running_mean(self) -> bool:
        """Whether batches change the moments; see `PoolStatistics.update_running_mean`."""
        with _or_closed(self):
            return super().update_running_mean

    @update_running_mean.setter
    def update_running_mean(self, setting: bool) -> None:
        with _or_closed(self):
            GymnasiumEnvPool.update_running_mean.__set__(self, setting)  # type: ignore[attr-defined]

    def xla(self) -> Any:
        """Raises RuntimeError: jitted code cannot observe the environments that a partial reset leaves out."""
        raise RuntimeError(f"[{self._label}] xla: expected a pool of make_gymnasium, got one of make_vec")

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:  # type: ignore[override]  # gymnasium's interface
        """Renders the current state of all environments.

        Returns:
            A tuple of uint8 arrays of shape (height, width, 3), RGB; None with render_mode "human", which shows the
            images in a window.

        Raises:
            RuntimeError: the pool has no render_mode, or an environment is under way.
            ClosedPoolError: the pool is closed.
        """
        with _or_closed(self):
            images = self._render(self.all_env_ids)
        return None if images is None else tuple(images)
