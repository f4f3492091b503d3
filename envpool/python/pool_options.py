# SPDX-License-Identifier: Apache-2.0
"""Options of a pool's environments that change from episode to episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from envpool import _core
from envpool._core import DevicePool
from envpool.python.construction import Construction
from envpool.python.errors import labelled
from envpool.python.options import LIMIT, NO_LIMIT, Option, check_known, is_sequence, wrong_type
from envpool.python.pool_states import PoolStates

_KINDS = {"bool": "b", "int": "iu", "float": "fiu"}  # of the dtypes of arrays that are checked as a whole
_DTYPES: dict[str, Any] = {"bool": np.bool_, "int": np.int64, "float": np.float64, "str": np.str_}


def changing_options(construction: Construction) -> dict[str, Option]:
    """Returns the options of a task that can change from episode to episode."""
    return {option.name: option for option in _in_order(construction)}


def changing_names(construction: Construction) -> list[str]:
    """Returns the names of the options of a pool, of any of its tasks, that can change from episode to episode."""
    return list(dict.fromkeys(name for task in construction.tasks for name in changing_options(task)))


def _in_order(construction: Construction) -> list[Option]:
    """Returns the options that can change, in the order of C++."""
    if not construction.table.flags & _core.PORTABLE:
        return [LIMIT, *construction.host_options] if construction.host_options else []
    return [LIMIT, *(option for option in construction.options.values() if option.tunable)]


@dataclass(frozen=True, eq=False)
class NewOptions:
    """Checked values of options.

    Attributes:
        env_ids: the environments, int32 of shape (n,).
        names: the options.
        values: float64, a row for each environment, with all elements of each of these options; choices are numbers.
    """

    env_ids: npt.NDArray[np.int32]
    names: list[str]
    values: npt.NDArray[np.float64]


def check_new_options(
    construction: Construction, env_ids: npt.NDArray[np.int32], values: Mapping[str, Any]
) -> NewOptions:
    """Checks new values of options of some environments. Errors do not name the id of the pool.

    Raises:
        TypeError: an unknown option, or a value of the wrong type.
        ValueError: a value out of range, another number of values, or an option that cannot change.
    """
    columns: dict[str, npt.NDArray[np.float64]] = {}
    first = 0
    for task in construction.tasks:
        rows = np.flatnonzero((env_ids >= first) & (env_ids < first + task.common.num_envs))
        first += task.common.num_envs
        if len(rows) == 0 and (len(env_ids) > 0 or construction.is_mixed):
            continue
        try:
            for name, value in values.items():
                option = _option(task, name)
                column = columns.setdefault(name, np.empty((len(env_ids), option.elements)))
                if column.shape[1] != option.elements:
                    raise ValueError(
                        f"{name}: expected environments in which it has one shape, got {option.shape} and another; set it "
                        "for each id separately"
                    )
                column[rows] = _checked(option, value, env_ids, rows)
        except (TypeError, ValueError) as error:
            if not construction.is_mixed:
                raise
            raise type(error)(f"{task.label}: {error}") from None
    if LIMIT.name in columns:
        limits = columns[LIMIT.name]
        limits[limits == NO_LIMIT] = 0
    matrix = np.concatenate(list(columns.values()), axis=1) if columns else np.empty((len(env_ids), 0))
    return NewOptions(env_ids, list(columns), matrix)


def _option(task: Construction, name: str) -> Option:
    options = changing_options(task)
    if name not in options:
        elsewhere = task.registration.origin.where_option_is(name)
        check_known([name], list(dict.fromkeys([*options, *task.options])), elsewhere)
        raise ValueError(
            f"{name}: expected an option that can change from episode to episode, such as {next(iter(options))!r}, got one "
            "that only make can set"
        )
    return options[name]


def _checked(
    option: Option, value: Any, env_ids: npt.NDArray[np.int32], rows: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64] | float:
    """Returns the values of an option in the environments of these rows, of shape (rows, elements) or a number."""
    if option.shape:
        return _checked_arrays(option, value, len(env_ids), rows)
    if isinstance(value, np.ma.MaskedArray):
        raise wrong_type(option.name, "an array without a mask", value)
    if not is_sequence(value):
        return _number(option, option.check(value.item() if isinstance(value, np.ndarray) else value))
    array = np.asarray(value)
    if array.shape != (len(env_ids),):
        raise ValueError(
            f"{option.name}: expected {option.expected}, or an array of shape ({len(env_ids)},) with one for each "
            f"environment, got shape {array.shape}"
        )
    if array.dtype.kind in _KINDS.get(option.kind, ""):
        numbers: npt.NDArray[np.float64] = array[rows].astype(np.float64)
        inside = (numbers >= option.low) & (numbers <= option.high)
        if inside.all() and not (option.finite and np.isinf(numbers).any()):
            return numbers[:, None]
    items = array.tolist() if isinstance(value, np.ndarray) else list(value)
    checked = [_checked_item(option, items[row], env_ids[row]) for row in rows.tolist()]
    return np.array(checked, np.float64)[:, None]


def _checked_arrays(option: Option, value: Any, count: int, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Returns the values of an option that is an array: one array for all of `count` environments, or one for each."""
    array = option.check_array(value)
    if array.shape not in (option.shape, (count, *option.shape)):
        raise ValueError(
            f"{option.name}: expected {option.expected}, or one for each environment, of shape "
            f"{(count, *option.shape)}, got shape {array.shape}"
        )
    each = array if array.ndim > len(option.shape) else np.broadcast_to(array, (count, *option.shape))
    return each[rows].reshape(len(rows), -1).astype(np.float64)


def _checked_item(option: Option, item: Any, env_id: np.int32) -> float:
    try:
        return _number(option, option.check(item))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error} for environment {env_id}") from None


def _number(option: Option, value: Any) -> float:
    return float(option.choices.index(value) if option.kind == "str" else value)


class PoolOptions(PoolStates):
    """The methods of a pool that change and read the options of its environments."""

    def set_options(self, env_ids: Any = None, **values: Any) -> None:
        """Sets options of environments. Each environment uses the new values from its next episode on.

        The options are max_episode_steps and, of portable environments, those of `make` that are numbers, bools, choices or
        arrays and change no shape. Environments on MuJoCo's library have fields of the model, such as
        `**{"model.body_mass": masses}`. `options` returns them all. The results are those of a pool that `make` creates
        with these options or this model. A call replaces
        the values of earlier calls that have not taken effect yet. Snapshots and copies of states do not contain
        options, and a copy of the pool has the options of `make`.

        Args:
            env_ids: the environments, distinct ints; None means all.
            **values: for each option, a value for all of these environments, or an array of shape (len(env_ids), ...)
                with a value for each. The types and ranges are those of `make`.

        Raises:
            TypeError: an unknown option, or a value of the wrong type. Nothing is changed.
            ValueError: a value out of range, another number of values, an option that only `make` can set, or an
                unknown or repeated id. Nothing is changed.
            RuntimeError: one of the environments is under way, or the options of this pool cannot change.
        """
        self._require_changing("set_options")
        ids = self._ids_or_all("env_ids", env_ids)
        with labelled(self._label):
            new = check_new_options(self._construction, ids, values)
        self._apply(new, "set_options")

    def options(self, env_ids: Any = None) -> dict[str, npt.NDArray[Any]]:
        """Returns the options with which environments run now, and which can change from episode to episode.

        Args:
            env_ids: the environments; None means all.

        Returns:
            For each option, an array of shape (len(env_ids), ...): bool, int64, float64, or str for choices. In a mixed
            pool, the options that all of these environments have. A max_episode_steps of 0 is no limit.

        Raises:
            TypeError: an id is not an int.
            ValueError: an unknown id.
            RuntimeError: one of the environments is under way, or the options of this pool cannot change.
        """
        self._require_changing("options")
        ids = self._ids_or_all("env_ids", env_ids)
        task_ids = self._construction.task_ids
        numbers = [0] * len(ids) if task_ids is None else task_ids[ids].tolist()
        declared = [_in_order(task) for task in self._construction.tasks]
        values = self._pool.options(ids)
        rows = [_values(declared[number], np.array(own)) for number, own in zip(numbers, values, strict=True)]
        return {
            option.name: np.array([row[option.name] for row in rows], _DTYPES[option.kind]).reshape(-1, *option.shape)
            for option in declared[numbers[0] if numbers else 0]
            if all(option.name in row for row in rows)
        }

    def _require_changing(self, call: str) -> None:
        if not self._changing_names():
            raise RuntimeError(
                f"[{self._label}] {call}: expected an environment whose options can change, such as a portable one, got "
                "one whose options only make can set"
            )

    def _changing_names(self) -> list[str]:
        return changing_names(self._construction)

    def _apply(self, new: NewOptions, call: str) -> None:
        if self.closed or (len(new.env_ids) > 0 and new.names):
            if self._construction.on_device:
                self._give_each_parameters()
            self._pool.set_options(new.env_ids, new.names, new.values, call)

    def _give_each_parameters(self) -> None:
        from envpool.cuda.pool import give_each_parameters

        give_each_parameters(cast("DevicePool", self._pool), self._construction)


def _values(options: Sequence[Option], numbers: npt.NDArray[np.float64]) -> dict[str, Any]:
    """Returns the values of options from the numbers that C++ returns."""
    parts = np.split(numbers, np.cumsum([option.elements for option in options])[:-1])
    return {
        option.name: part if option.shape else option.choices[int(part[0])] if option.kind == "str" else part[0]
        for option, part in zip(options, parts, strict=True)
    }


def chosen_rows(
    construction: Construction, options: Mapping[str, Any], rows: Sequence[int], count: int
) -> dict[str, Any]:
    """Returns the options of a reset of some of `count` environments.

    An option of `make` with a value for each environment is reduced to these rows. The others, such as those that Python
    environments read themselves, belong to each environment as they are.
    """
    shapes = {name: option.shape for task in construction.tasks for name, option in changing_options(task).items()}

    def chosen(name: str, value: Any) -> Any:
        shape = shapes.get(name)
        if shape is None or not is_sequence(value) or len(value) != count:
            return value
        if shape and np.ndim(value) == len(shape):
            return value
        return value[rows] if isinstance(value, np.ndarray) else [list(value)[row] for row in rows]

    return {name: chosen(name, value) for name, value in options.items()}
