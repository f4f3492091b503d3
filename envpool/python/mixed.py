# SPDX-License-Identifier: Apache-2.0
"""Mixed pools: environments of several ids, which are the pool's tasks. Their arrays are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from envpool import _core
from envpool.python.common_options import COMMON_OPTIONS, MIXED_OPTIONS, RENDER_OPTIONS, check_common
from envpool.python.construction import Construction, with_absolute_paths
from envpool.python.errors import labelled
from envpool.python.images import Images, resized
from envpool.python.options import as_number, is_sequence, shown, wrong_type, wrong_value
from envpool.python.registry import Registration
from envpool.python.spaces import ArraySpecs, Field

# The common options that a task may have for itself. The pool as a whole has the others.
_OF_TASKS = ("max_episode_steps", "reward_threshold", *RENDER_OPTIONS)
_OF_POOL = tuple(name for name in COMMON_OPTIONS if name not in _OF_TASKS)
_CHECKED_BY_TASKS = ("max_num_players", "render_mode")


def construction_of(registration: Registration, caller_options: Mapping[str, Any]) -> Construction:
    """Returns the construction of a pool, which may be mixed. Raises the errors of `make`."""
    return (MixedConstruction if registration.tasks else Construction)(registration, caller_options)


class MixedConstruction(Construction):
    """The checked options of a mixed pool. The environments of each task have consecutive numbers."""

    task_ids: npt.NDArray[np.int32]

    def __init__(self, registration: Registration, caller_options: Mapping[str, Any]) -> None:
        self.label, self.registration = registration.task_id, registration
        self.first_env_id, self.why, self.options = 0, "", {}
        self.caller_options = _with_absolute_paths(registration.tasks, caller_options)
        with labelled(self.label):
            own = _task_options(registration.tasks, self.caller_options)
            common = _common(registration.tasks, self.caller_options)
            counts = _counts(len(registration.tasks), common.num_envs, self.caller_options)
        if self.caller_options.get("seed", 0) is None:
            self.caller_options["seed"] = common.seed  # so that copies of the pool have the seed that was drawn
        shared = {name: value for name, value in self.caller_options.items() if name not in (*_OF_POOL, *MIXED_OPTIONS)}
        shared |= {name: self.caller_options[name] for name in _CHECKED_BY_TASKS if name in self.caller_options}
        tasks: list[Construction] = []
        first = 0
        for task, count, options in zip(registration.tasks, counts, own, strict=True):
            each = common.env_options[first : first + count]
            tasks.append(Construction(task, {**shared, **options, "num_envs": count, "env_options": each}, first))
            first += count
        self._tasks = tuple(tasks)
        self.task_ids = np.repeat(np.arange(len(tasks), dtype=np.int32), counts)
        with labelled(self.label):
            _require_equal_arrays(tasks)
            # Observations of different dtypes have one dtype after they have been normalized.
            for member in tasks:
                member.arrays = common.statistics.applied_to(
                    member.arrays, num_envs=common.num_envs, batch_size=common.batch_size
                )
        thresholds = {task.common.reward_threshold for task in tasks}
        self.common = replace(
            common,
            max_episode_steps=max(task.common.max_episode_steps for task in tasks),
            reward_threshold=thresholds.pop() if len(thresholds) == 1 else None,
        )
        self.arrays = replace(
            tasks[0].arrays,
            infos=tuple(map(_widest, *(task.arrays.infos for task in tasks))),
            reward_low=min(task.arrays.reward_low for task in tasks),
            reward_high=max(task.arrays.reward_high for task in tasks),
        )
        self.config = self._common_config(_OF_POOL) | {
            "envs_per_task": counts,
            "task_options": [{name: task.config[name] for name in (*task.options, *_OF_TASKS)} for task in tasks],
        }

    @property
    def tasks(self) -> tuple[Construction, ...]:
        """The constructions of the tasks, in the order of their numbers."""
        return self._tasks

    @property
    def max_episode_steps(self) -> list[int]:
        """The number of steps after which the episodes of each environment are truncated; 0 if there is no limit."""
        return [steps for task in self._tasks for steps in task.max_episode_steps]

    @property
    def can_render(self) -> bool:
        """Whether the environments of all tasks can be rendered."""
        return all(task.can_render for task in self._tasks)

    def renderer(self) -> MixedRenderer:
        """Returns what draws the environments."""
        return MixedRenderer(self)


class MixedRenderer:
    """Draws the environments of a mixed pool, each as its task does. Errors do not name the ids."""

    def __init__(self, construction: MixedConstruction) -> None:
        self._construction = construction
        self._renderers = [task.renderer() for task in construction.tasks]

    def render(self, pool: Any, env_ids: npt.NDArray[np.int32]) -> Images:
        """Returns images of environments, uint8 of shape (n, height, width, 3).

        Raises:
            ValueError: the images have different sizes.
        """
        number_of = self._construction.task_ids[env_ids]
        parts: list[tuple[npt.NDArray[np.intp], Images]] = []
        for number in np.unique(number_of).tolist():
            rows = np.flatnonzero(number_of == number)
            renderer, common = self._renderers[number], self._construction.tasks[number].common
            images = pool.render(env_ids[rows]) if renderer is None else renderer.render(pool, env_ids[rows])
            parts.append((rows, resized(images, common.render_height, common.render_width)))
        sizes = sorted({part.shape[1:3] for _, part in parts})
        if len(sizes) > 1:
            raise ValueError(
                f"[{self._construction.label}] render: expected environments whose images have the same size, got "
                f"{sizes[0]} and {sizes[-1]}; render_height and render_width set it"
            )
        height, width = sizes[0] if sizes else (0, 0)
        result = np.empty((len(env_ids), height, width, 3), np.uint8)
        for rows, part in parts:
            result[rows] = part
        return result

    def close(self) -> None:
        """Frees the renderers of the tasks."""
        for renderer in self._renderers:
            if renderer is not None:
                renderer.close()


def _with_absolute_paths(tasks: Sequence[Registration], caller_options: Mapping[str, Any]) -> dict[str, Any]:
    absolute = dict(caller_options)
    for task in tasks:
        absolute = with_absolute_paths(task.origin, absolute)
    own: Any = absolute.get("task_options")
    if is_sequence(own) and len(own) == len(tasks) and all(isinstance(entry, Mapping) for entry in own):
        absolute["task_options"] = [
            with_absolute_paths(task.origin, entry) for task, entry in zip(tasks, own, strict=True)
        ]
    return absolute


def _common(tasks: Sequence[Registration], caller_options: Mapping[str, Any]) -> Any:
    """Returns the options of the pool as a whole. By default, there is one environment of each task."""
    modes = {task.autoreset_mode for task in tasks}
    given = {name: value for name, value in caller_options.items() if name in _OF_POOL}
    if "num_envs" not in given:
        counts = caller_options.get("envs_per_task")
        given["num_envs"] = len(tasks) if counts is None else sum(_checked_counts(len(tasks), counts))
    if len(modes) > 1 and "autoreset_mode" not in given:
        raise ValueError(
            f"autoreset_mode: expected a value, because the defaults of the ids are {sorted(modes)}, got none"
        )
    common = check_common(given, 0, None, _core.usable_cpus(), modes.pop())
    if common.device != "cpu":
        raise ValueError(
            f"device: expected 'cpu' for a pool of several ids, got {common.device!r}; on a GPU, make a pool for each id"
        )
    return common


def _counts(tasks: int, num_envs: int, caller_options: Mapping[str, Any]) -> list[int]:
    """Returns the number of environments of each task."""
    if caller_options.get("envs_per_task") is None:
        if num_envs % tasks:
            raise ValueError(
                f"num_envs: expected a multiple of {tasks}, the number of ids, got {num_envs}; envs_per_task gives each id "
                "its own number"
            )
        return [num_envs // tasks] * tasks
    counts = _checked_counts(tasks, caller_options["envs_per_task"])
    if sum(counts) != num_envs:
        raise ValueError(
            f"envs_per_task: expected counts that add up to num_envs = {num_envs}, got {shown(counts)}, which add up to "
            f"{sum(counts)}"
        )
    return counts


def _checked_counts(tasks: int, value: Any) -> list[int]:
    expected = f"a sequence of {tasks} ints of at least 1, the number of environments of each id"
    numbers = [as_number(item, "int") for item in value] if is_sequence(value) else [None]
    counts = [int(number) for number in numbers if number is not None]
    if len(counts) != len(numbers):
        raise wrong_type("envs_per_task", expected, value)
    if len(counts) != tasks or min(counts) < 1:
        raise wrong_value("envs_per_task", expected, value)
    return counts


def _task_options(tasks: Sequence[Registration], caller_options: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the options that each task has for itself."""
    value = caller_options.get("task_options")
    if value is None:
        return [{}] * len(tasks)
    expected = f"a sequence of {len(tasks)} mappings of option names to values, one for each id"
    if not is_sequence(value) or not all(isinstance(entry, Mapping) for entry in value):
        raise wrong_type("task_options", expected, value)
    if len(value) != len(tasks):
        raise ValueError(f"task_options: expected {expected}, got {len(value)}")
    for index, entry in enumerate(value):
        for name in entry:
            if name in (*_OF_POOL, *MIXED_OPTIONS):
                raise ValueError(
                    f"task_options[{index}]: expected options that a task can have for itself, got {name!r}, which the "
                    "pool has as a whole"
                )
    return list(value)


def _require_equal_arrays(tasks: Sequence[Construction]) -> None:
    first = tasks[0]
    for task in tasks[1:]:
        difference = _first_difference(first.arrays, task.arrays)
        if difference is not None:
            ours, theirs = difference
            raise ValueError(
                f"task_id: expected ids with equal spaces: {first.label} has {ours}, {task.label} has {theirs}"
            )


def _first_difference(a: ArraySpecs, b: ArraySpecs) -> tuple[str, str] | None:
    """Returns what two environments have in the place of their first difference; None if their arrays are equal."""
    if a.max_players != b.max_players:
        return f"up to {a.max_players} players", f"up to {b.max_players}"
    kinds = (
        ("action", a.actions, b.actions),
        ("observation", a.observations, b.observations),
        ("info", a.infos, b.infos),
    )
    for kind, ours, theirs in kinds:
        for x, y in zip_longest(ours, theirs):
            if x is None or y is None or x.name != y.name:
                return _named(kind, x), _named(kind, y)
            for facts in (_form,) if kind == "info" else (_form, _range):
                if (pair := facts(x, y)) is not None:
                    return f"{_named(kind, x)} {pair[0]}", f"one {pair[1]}"
    return None


def _widest(*fields: Field) -> Field:
    """Returns an info with the bounds that hold for all tasks."""
    low = np.asarray(np.min([field.low for field in fields], axis=0))
    high = np.asarray(np.max([field.high for field in fields], axis=0))
    return replace(fields[0], low=low, high=high, discrete=max(field.discrete for field in fields))


def _named(kind: str, field: Field | None) -> str:
    return f"no further {kind}" if field is None else f"the {kind} {field.name!r}"


def _form(x: Field, y: Field) -> tuple[str, str] | None:
    forms = [
        f"of {field.dtype} of shape {field.shape}" + (" for each player" if field.per_player else "")
        for field in (x, y)
    ]
    return None if forms[0] == forms[1] else (forms[0], forms[1])


def _range(x: Field, y: Field) -> tuple[str, str] | None:
    unequal = (x.low != y.low) | (x.high != y.high)
    if not unequal.any():
        return None
    at = tuple(int(index[0]) for index in np.nonzero(np.atleast_1d(unequal)))
    place = f"with element {at if len(at) > 1 else at[0]} " if x.shape else ""
    first, second = ((np.atleast_1d(field.low)[at], np.atleast_1d(field.high)[at]) for field in (x, y))
    return f"{place}from {first[0]} to {first[1]}", f"from {second[0]} to {second[1]}"
