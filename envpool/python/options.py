# SPDX-License-Identifier: Apache-2.0
"""The types and ranges of options, and the checks of the values that a caller gives.

An environment declares its own options in C++; common_options.py has those that every environment has. The checks return
plain bools, ints, floats, strs, bytes and lists, which C++ can take.

Errors read `name: expected ..., got ...`. Callers add the id with `errors.labelled`.
"""

from __future__ import annotations

import difflib
import json
import math
import numbers
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envpool import _core
from envpool._core import Table
from envpool.python.family import Value

NO_LIMIT = 2**31 - 1  # config["max_episode_steps"] of an environment without a time limit, as in EnvPool
AUTORESET_MODES = tuple(_core.AUTORESET_MODES)
_ARRAY_KINDS = {"bool": "b", "int": "iu", "float": "fiu"}  # of the dtypes of arrays that an option accepts
_UNORDERED = (Mapping, set, frozenset)
_KIND_NAMES = {"bool": "True or False", "int": "an int", "float": "a number", "str": "a str"}


@dataclass(frozen=True)
class Option:
    """One option of `make`.

    Attributes:
        name: the keyword.
        kind: "bool", "int", "float" or "str".
        default: the value if the caller gives none.
        low, high: the inclusive range of a number.
        choices: the allowed strings; empty if any string is allowed.
        changes_shapes: whether the option can change the shape of an array.
        changes_blob: whether the option can change data that environments share, such as a game's first state.
        tunable: whether the parameters of pure functions contain the option.
        doc: a one-line description.
        shape: of an option that is an array; kind, low and high are then those of its elements. Empty for others.
        finite: whether infinity is not allowed, even if it is in the range.
    """

    name: str
    kind: str
    default: Value
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    changes_shapes: bool = False
    doc: str = ""
    changes_blob: bool = False
    tunable: bool = False
    shape: tuple[int, ...] = ()
    finite: bool = False

    @property
    def expected(self) -> str:
        """The allowed values, as an error text names them after "expected"."""
        if self.shape:
            return f"an array of shape {self.shape}, each element {self._one}"
        return self._one

    @property
    def elements(self) -> int:
        """The number of elements of an array; 1 for other options."""
        return math.prod(self.shape)

    @property
    def _one(self) -> str:
        if self.choices:
            return "one of " + ", ".join(repr(choice) for choice in self.choices)
        text = _KIND_NAMES[self.kind]
        if self.kind in ("int", "float") and math.isfinite(self.low):
            if math.isfinite(self.high):
                return f"{text} from {self.low:.15g} to {self.high:.15g}"
            return f"{text} of at least {self.low:.15g}"
        if self.kind in ("int", "float") and math.isfinite(self.high):
            return f"{text} of at most {self.high:.15g}"
        return text

    def check(self, value: Any) -> Value:
        """Returns `value` as a plain Python value.

        Raises:
            TypeError: the value is of another type.
            ValueError: the value is out of range, NaN, not among the choices, or an array of another shape.
        """
        if self.shape:
            array = self.check_array(value)
            if array.shape != self.shape:
                raise ValueError(f"{self.name}: expected {self.expected}, got shape {array.shape}")
            nested: Value = _as_tuple(array.tolist())
            return nested
        return self._check_one(value)

    def check_int(self, value: Any) -> int:
        """Does the same as `check`, for an option of kind "int" that is not an array."""
        return int(self._check_one(value))

    def _check_one(self, value: Any) -> bool | int | float | str | bytes:
        if self.kind == "str":
            if not isinstance(value, (str, bytes)):
                raise wrong_type(self.name, self.expected, value)
            if self.choices and value not in self.choices:
                raise wrong_value(self.name, self.expected, value)
            return value
        number = as_number(value, self.kind)
        if number is None:
            raise wrong_type(self.name, self.expected, value)
        fits = self.kind != "int" or -(2**63) <= number < 2**63  # C++ takes 64 bits
        fits = fits and (math.isfinite(number) or not self.finite)
        if not (fits and self.low <= number <= self.high):
            raise wrong_value(self.name, self.expected, value)
        return number

    def check_array(self, value: Any) -> Any:
        """Returns an array, of any shape, whose elements this option allows. Raises TypeError or ValueError."""
        import numpy as np  # not at the top, because importing envpool loads no other package

        try:
            array = np.asarray(value)
        except (TypeError, ValueError):  # such as rows of different lengths
            raise wrong_type(self.name, self.expected, value) from None
        if isinstance(value, np.ma.MaskedArray) or array.dtype.kind not in _ARRAY_KINDS[self.kind]:
            raise wrong_type(self.name, self.expected, value)
        right = (array >= self.low) & (array <= self.high)  # NaN is wrong, too
        wrong = array[~(right & np.isfinite(array) if self.finite else right)]
        if wrong.size:
            raise ValueError(f"{self.name}: expected {self.expected}, got {wrong.flat[0]} in it")
        return array


def _as_tuple(value: Any) -> Any:
    """Returns nested lists as nested tuples."""
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value


LIMIT = Option("max_episode_steps", "int", 0, low=0, high=NO_LIMIT)  # of one environment; 0: no limit


def wrong_type(name: str, expected: str, value: Any) -> TypeError:
    """Returns the error for an argument of the wrong type."""
    return TypeError(f"{name}: expected {expected}, got {shown(value)}")


def wrong_value(name: str, expected: str, value: Any) -> ValueError:
    """Returns the error for an argument of the right type whose value is not allowed."""
    return ValueError(f"{name}: expected {expected}, got {shown(value)}")


def shown(value: Any) -> str:
    """Returns `repr(value)` for an error text, cut to 80 characters."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print an int of more than 4300 digits
        text = f"a value of type {type(value).__name__} that cannot be printed"
    return text if len(text) <= 80 else text[:77] + "..."


def as_number(value: Any, kind: str) -> bool | int | float | None:
    """Returns `value` as a plain bool, int or float, or None if it is not of that kind.

    NumPy's scalars are accepted. A number that exceeds the range of a float becomes NaN, which is in no range.
    """
    is_bool = isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
    if kind == "bool":
        return bool(value) if is_bool else None
    if is_bool:
        return None
    if kind == "int":
        try:
            return operator.index(value)
        except TypeError:
            return None
    if not isinstance(value, numbers.Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.nan


def is_sequence(value: Any) -> bool:
    """Returns whether a value holds several values in an order. A str, a mapping and an array without axes do not."""
    several = hasattr(value, "__len__") and hasattr(value, "__iter__")
    return several and not isinstance(value, (str, bytes, *_UNORDERED)) and getattr(value, "ndim", 1) > 0


def _number(value: float | str) -> float:
    return float(value)  # infinities are the strings "inf" and "-inf" in the JSON of a table


def _nested(elements: list[Any], shape: Sequence[int]) -> tuple[Any, ...]:
    """Returns elements in row-major order as nested tuples of this shape."""
    if len(shape) == 1:
        return tuple(elements)
    step = len(elements) // shape[0]
    return tuple(_nested(elements[at : at + step], shape[1:]) for at in range(0, len(elements), step))


def default_of(entry: Mapping[str, Any]) -> Value:
    """Returns the default in an entry of the JSON that describes a table."""
    default: Value = entry["default"]
    if shape := entry.get("shape"):
        convert = {"bool": bool, "int": int, "float": float}[entry["kind"]]
        default = _nested([convert(_number(number)) for number in entry["default"]], shape)
    return _number(entry["default"]) if entry["kind"] == "float" and not shape else default


def declared_options(table: Table, defaults: Mapping[str, Value], docs: Mapping[str, str] = {}) -> dict[str, Option]:
    """Returns an environment's own options by name, with the defaults that its registration gives.

    A default that C++ does not declare becomes an option that only the family's methods read. Its kind is the type of
    the default, and `docs` may describe it.
    """
    options = {
        entry["name"]: Option(
            entry["name"],
            entry["kind"],
            defaults.get(entry["name"], default_of(entry)),
            low=_number(entry["low"]),
            high=_number(entry["high"]),
            choices=tuple(entry["choices"]),
            changes_shapes=entry["changes_shapes"],
            doc=entry["doc"],
            changes_blob=entry.get("changes_blob", False),  # absent in plugins of earlier versions
            tunable=entry.get("tunable", False),
            shape=tuple(entry.get("shape", ())),
            finite=entry.get("finite", False),
        )
        for entry in json.loads(table.describe())
    }
    for name, value in defaults.items():
        if name not in options:
            kind = "str" if isinstance(value, bytes) else type(value).__name__
            options[name] = Option(name, kind, value, changes_shapes=True, doc=docs.get(name, ""))
    return options


def check_known(caller_options: Iterable[str], allowed: Sequence[str], elsewhere: str = "") -> None:
    """Raises TypeError for an unknown option, and suggests the option with the most similar name.

    Args:
        caller_options: the names of options.
        allowed: the names of known options.
        elsewhere: a clause that says which other environments have the option, if that is known.
    """
    for name in caller_options:
        if name not in allowed:
            near = difflib.get_close_matches(str(name), allowed, 1, 0.6)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            hint += f" {elsewhere[0].upper()}{elsewhere[1:]}." if elsewhere else ""
            raise TypeError(f"unknown option {name!r}{hint} Options: {', '.join(allowed)}")


def check_seed(name: str, value: Any) -> int:
    """Returns a seed as int. Raises TypeError or ValueError."""
    seed = as_number(value, "int")
    if seed is None:
        raise wrong_type(name, "an int from 0 to 2**64 - 1", value)
    if not 0 <= seed < 2**64:
        raise wrong_value(name, "an int from 0 to 2**64 - 1", value)
    return int(seed)


def check_seed_or_seeds(name: str, value: Any, count: int) -> int | list[int]:
    """Returns a seed as int, or a sequence of `count` seeds as ints. Raises TypeError or ValueError."""
    if as_number(value, "int") is None:
        return check_seeds(name, value, count)
    return check_seed(name, value)


def check_seeds(name: str, value: Any, count: int) -> list[int]:
    """Returns a sequence of `count` seeds as ints. Raises TypeError or ValueError."""
    expected = f"an int from 0 to 2**64 - 1, or a sequence of {count} of them"
    if not is_sequence(value):
        raise wrong_type(name, expected, value)
    if len(value) != count:
        raise ValueError(f"{name}: expected {expected}, got a sequence of {len(value)}")
    return [check_seed(f"{name}[{index}]", seed) for index, seed in enumerate(value)]


def check_seconds(name: str, value: Any) -> float:
    """Returns a timeout in seconds; math.inf never expires. Raises TypeError or ValueError."""
    seconds = as_number(value, "float")
    if seconds is None:
        raise wrong_type(name, "a number of seconds", value)
    if not seconds >= 0:
        raise wrong_value(name, "a number of seconds of at least 0", value)
    return seconds


def check_autoreset_mode(value: Any) -> str:
    """Returns the name of an autoreset mode. gymnasium's AutoresetMode and its values are accepted as well."""
    expected = "one of " + ", ".join(map(repr, AUTORESET_MODES))
    name = getattr(value, "value", value)
    if isinstance(name, str):
        name = {"NextStep": "next_step", "SameStep": "same_step", "Disabled": "disabled"}.get(name, name)
    if not isinstance(name, str):
        raise wrong_type("autoreset_mode", expected, value)
    if name not in AUTORESET_MODES:
        raise wrong_value("autoreset_mode", expected, value)
    return name


def check_env_ids(name: str, value: Any, num_envs: int) -> list[int]:
    """Returns the id of an environment, or several ids, as a list. Raises TypeError or ValueError."""
    expected = f"ids of environments, from 0 to {num_envs - 1}"
    single = as_number(value, "int")
    if single is None:
        if isinstance(value, (str, bytes, *_UNORDERED)) or not hasattr(value, "__iter__"):
            raise wrong_type(name, expected, value)
        items = list(value)
    else:
        items = [single]
    ids = []
    for item in items:
        number = as_number(item, "int")
        if number is None:
            raise wrong_type(name, expected, item)
        if not 0 <= number < num_envs:
            raise wrong_value(name, expected, item)
        ids.append(int(number))
    return ids
