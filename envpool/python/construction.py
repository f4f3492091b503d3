# SPDX-License-Identifier: Apache-2.0
"""Turns an id and the options of `make` into everything that is needed to make a pool."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from envpool import _core
from envpool._core import ModelReference, Pool, Table
from envpool.python.common_options import COMMON_OPTIONS, EXTENSION_OPTIONS, RENDER_MODES, check_common
from envpool.python.errors import labelled
from envpool.python.family import Family, Renderer, Value
from envpool.python.options import LIMIT, NO_LIMIT, Option, check_known, shown
from envpool.python.registry import Registration
from envpool.python.spaces import ArraySpecs
from envpool.python.statistics_options import STATISTICS_OPTIONS
from envpool.python.topology import thread_cpus
from envpool.python.window import can_open


@dataclass(frozen=True, eq=False)
class PureModel:
    """An environment as pure functions.

    Attributes:
        model_ref: the model, with the number by which the XLA handlers refer to it.
        state_bytes: length of a state in bytes.
        tag: the number of the model in every state.
        view: JSON of the state's named parts.
        is_info: for each field, whether it belongs to `info`.
        options: the options that C++ declares, in the same order.
        values: the values that these options have.
        max_episode_steps: the time limit; 0: none.
    """

    model_ref: ModelReference
    state_bytes: int
    tag: int
    view: str
    is_info: list[bool]
    options: dict[str, Option]
    values: dict[str, Value]
    max_episode_steps: int


_pure_models: WeakValueDictionary[Any, PureModel] = WeakValueDictionary()


class Construction:
    """The checked options of one pool, and values derived from them.

    Attributes:
        registration: the registration of the id, with the implementation that the options need.
        why: why the implementation is not the usual one, as a clause that ends with its name; empty if it is.
        caller_options: the options as the caller gave them, from which an equal pool can be made.
        common: the options that every environment has.
        options: the options that this environment declares, by name.
        config: every option with its value, in EnvPool's order. `make(id, **config)` makes an equal pool.
        arrays: the arrays that the environment reads and writes.
        first_env_id: the number of its first environment, which is not 0 in a part of a mixed pool.
        task_ids: the number of each environment's task in a mixed pool, int32; else None.
    """

    task_ids: npt.NDArray[np.int32] | None = None

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any], first_env_id: int = 0) -> None:
        self.label = registration.task_id
        self.first_env_id = first_env_id
        self.caller_options = caller_options = with_absolute_paths(registration.origin, caller_options)
        with labelled(self.label):
            chosen: tuple[Registration, str] = registration.origin.choose(registration, caller_options)
        self.registration, self.why = chosen
        self.table = self.registration.load()
        self.options = self.registration.options()
        with labelled(self.label):
            self._check(caller_options)

    def _check(self, caller_options: Mapping[str, Any]) -> None:
        """Checks the options and sets the attributes. Errors do not name the id."""
        registration = self.registration
        caller_options = registration.origin.translate(registration.task_id, caller_options)
        shared = [name for name in COMMON_OPTIONS if name not in self.options]
        check_known(caller_options, [*shared, *self.options])
        self.common = common = check_common(
            {name: value for name, value in caller_options.items() if name in shared},
            registration.max_episode_steps,
            registration.reward_threshold,
            _core.usable_cpus(),
            registration.autoreset_mode,
        )
        if self.caller_options.get("seed", 0) is None:
            self.caller_options["seed"] = common.seed  # so that copies of the pool have the seed that was drawn
        own = {
            name: option.check(caller_options[name]) if name in caller_options else option.default
            for name, option in self.options.items()
        }
        self._prepared = [self._prepare(own)]
        self._max_episode_steps = [_limit(common.max_episode_steps)] * common.num_envs
        self.arrays = ArraySpecs.from_json(self.table.spec(self._prepared[0]))
        if common.env_options:
            each = list(enumerate(common.env_options))
            self._prepared = [self._prepare(self._overridden(index, entry, own)) for index, entry in each]
        self._check_against_arrays()
        self.config = self._config(own)

    def _prepare(self, own: Mapping[str, Value]) -> dict[str, Value]:
        return self.registration.origin.prepare(self.registration.task_id, dict(own))

    def _with_data(self, options: dict[str, Value]) -> dict[str, Value]:
        return self.registration.origin.add_data(self.registration.task_id, options)

    def _overridden(self, index: int, entry: Mapping[str, Any], own: Mapping[str, Value]) -> dict[str, Value]:
        """Merges one entry of env_options into the options of its environment, and sets its time limit."""
        values = dict(own)
        with labelled(f"env_options[{self.first_env_id + index}]"):
            for name, value in self.registration.origin.translate(self.registration.task_id, entry).items():
                if name == "max_episode_steps" and name not in self.options:
                    self._max_episode_steps[index] = _limit(LIMIT.check_int(value))
                    continue
                check_known([name], [*self.options, "max_episode_steps"])
                if self.options[name].changes_shapes:
                    raise ValueError(
                        f"{name}: expected one value for all environments of a pool, because the option can change the "
                        f"shape of an array, got {shown(value)}"
                    )
                values[name] = self.options[name].check(value)
        return values

    def _check_against_arrays(self) -> None:
        common = self.common
        if common.max_num_players not in (None, self.arrays.max_players):
            raise ValueError(
                f"max_num_players: expected {self.arrays.max_players}, the environment's number of players, got "
                f"{common.max_num_players}"
            )
        if self.on_device and self.table.device is None:
            which = f"{self.why}, which" if self.why else "this environment"
            raise ValueError(
                f"device: expected 'cpu', because {which} is not portable and runs only on a CPU, got {common.device!r}"
            )
        if common.render_mode is not None and not self.can_render:
            raise ValueError(
                f"render_mode: expected None, because the environment cannot be rendered, got {common.render_mode!r}"
            )
        self.arrays = common.statistics.applied_to(self.arrays, num_envs=common.num_envs, batch_size=common.batch_size)

    def arrays_with(self, changed: Mapping[str, Value]) -> ArraySpecs:
        """Returns the arrays of the environment with other values for some options. The values are already checked."""
        with labelled(self.label):
            return ArraySpecs.from_json(self.table.spec({**self._prepared[0], **changed}))

    @cached_property
    def host_options(self) -> list[Option]:
        """The options that can change from episode to episode if the environment is not portable, in the order of C++."""
        if self.table.flags & _core.PORTABLE:
            return []
        return [
            Option(name, kind, 0.0, low=low, high=high, shape=shape, tunable=True, finite=True)
            for name, kind, low, high, shape in self.table.tunables(self._prepared[0])
        ]

    @property
    def can_render(self) -> bool:
        """Whether this environment can be rendered."""
        return bool(self.table.flags & _core.CAN_RENDER) and self.arrays.render_size[0] > 0

    @property
    def render_modes(self) -> list[str]:
        """The values of render_mode other than None."""
        # gymnasium's checker tries all of these modes, and "human" needs a display.
        return [mode for mode in RENDER_MODES if mode != "human" or can_open()] if self.can_render else []

    def _config(self, own: dict[str, Value]) -> dict[str, Any]:
        config = self._common_config([name for name in COMMON_OPTIONS if name not in self.options])
        last = {name: config.pop(name) for name in EXTENSION_OPTIONS if name in config}
        return {**config, **own, **last}

    def _common_config(self, names: Sequence[str]) -> dict[str, Any]:
        """Returns the values of options that every environment has, in the form of `config`."""
        common = self.common
        config: dict[str, Any] = {
            name: getattr(common.statistics if name in STATISTICS_OPTIONS else common, name) for name in names
        }
        config["max_num_players"] = self.arrays.max_players
        if config["gym_reset_return_info"] is None:
            config["gym_reset_return_info"] = common.step_api != "classic"
        if len(common.render_env_id) == 1:
            config["render_env_id"] = common.render_env_id[0]
        return config

    @property
    def on_device(self) -> bool:
        """Whether the environments live on a GPU."""
        return bool(self.common.device != "cpu")

    @property
    def tasks(self) -> tuple[Construction, ...]:
        """The constructions of a mixed pool's tasks, in the order of their numbers; of another pool, only this one."""
        return (self,)

    @property
    def is_mixed(self) -> bool:
        """Whether the pool was made with a sequence of ids."""
        return bool(self.registration.tasks)

    @property
    def max_episode_steps(self) -> list[int]:
        """The number of steps after which the episodes of each environment are truncated; 0 if there is no limit."""
        return self._max_episode_steps

    @property
    def core_task(self) -> tuple[Table, str, int, list[dict[str, Value]]]:
        """What the pool in C++ needs for this task: the table, the id, the number of environments, and their options."""
        with labelled(self.label):
            options = [self._with_data(options) for options in self._prepared]
        return self.table, self.label, self.common.num_envs, options

    def renderer(self) -> Renderer | None:
        """Returns what draws the environments; None if they draw themselves."""
        return self.registration.origin.renderer(self)

    def pool_arguments(self, outputs: list[str]) -> dict[str, Any]:
        """Returns the arguments that pools on the CPU and on a GPU have in common.

        Args:
            outputs: names of the arrays that the pool returns, in order.
        """
        common = self.common
        seeds, streams = self.seeds_and_streams(common.env_seed or common.seed, np.arange(common.num_envs))
        return {
            "label": self.label,
            "batch_size": common.batch_size,
            "seeds": seeds,
            "streams": streams,
            "autoreset": _core.AUTORESET_MODES[common.autoreset_mode],
            "max_episode_steps": self.max_episode_steps,
            "outputs": outputs,
        }

    def device_arguments(self, outputs: list[str]) -> dict[str, Any]:
        """Returns the arguments of a pool on a GPU, which has environments of one table."""
        table, _, num_envs, options = self.core_task
        statistics = self.common.statistics.for_core(self.arrays)
        own = {"table": table, "num_envs": num_envs, "options": options, "statistics": statistics}
        return {**own, **self.pool_arguments(outputs)}

    def make_pool(self, outputs: list[str]) -> Pool:
        """Makes a pool on the CPU that returns these arrays."""
        common = self.common
        cpus = thread_cpus(common.thread_affinity_offset, common.num_threads)
        tasks = [task.core_task for task in self.tasks]
        try:
            return _core.Pool(
                tasks=tasks,
                num_threads=common.num_threads,
                thread_cpus=cpus,
                statistics=common.statistics.for_core(self.arrays),
                **self.pool_arguments(outputs),
            )
        except ValueError as error:
            raise self.registration.origin.refusal(error) from error.__cause__

    def seeds_and_streams(self, seed: int | list[int], env_ids: Any) -> tuple[Any, Any]:
        """Returns the seed and the stream of each environment's generator.

        With one seed, each environment has its own stream. With a sequence, each has its own seed and stream 0.
        """
        if isinstance(seed, list):
            return np.array(seed, np.uint64), np.zeros(len(seed), np.uint32)
        streams = np.asarray(env_ids, np.int64) + self.common.first_stream
        return np.full(len(env_ids), seed, np.uint64), streams.astype(np.uint32)

    def make_pure_model(self, source: str, includes: list[str], threads: int, envs: int) -> PureModel:
        """Returns the environment as pure functions. Equal constructions share one object as long as it is in use.

        The arguments are passed on to `_core.add_pure_model`; they describe the environment's program for a GPU.
        """
        key = (self.label, self.registration.plugin, self._max_episode_steps[0], *sorted(self._prepared[0].items()))
        known = _pure_models.get(key)
        if known is not None:
            return known
        with labelled(self.label):
            model = _core.add_pure_model(
                self.table,
                self.label,
                self._with_data(self._prepared[0]),
                self._max_episode_steps[0],
                source=source,
                includes=includes,
                threads=threads,
                envs=envs,
            )
        fields = json.loads(self.table.spec(self._prepared[0]))["fields"]
        declared = [entry["name"] for entry in json.loads(self.table.describe())]
        options = {name: self.options[name] for name in declared}
        values = {name: self._prepared[0].get(name, option.default) for name, option in options.items()}
        pure_model = PureModel(*model, [entry["info"] for entry in fields], options, values, self._max_episode_steps[0])
        _pure_models[key] = pure_model
        return pure_model


def with_absolute_paths(family: Family, caller_options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options, and those in env_options, that mean the same in another working directory."""
    absolute = family.with_absolute_paths(caller_options)
    each = absolute.get("env_options")
    if isinstance(each, Sequence) and all(isinstance(entry, Mapping) for entry in each):
        absolute["env_options"] = [family.with_absolute_paths(entry) for entry in each]
    return absolute


def _limit(max_episode_steps: int) -> int:
    return 0 if max_episode_steps == NO_LIMIT else max_episode_steps
