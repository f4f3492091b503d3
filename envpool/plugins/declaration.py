# SPDX-License-Identifier: Apache-2.0
"""Checks the declaration of a plugin's environment: its options(), and its spec() with the default options."""

from __future__ import annotations

import json
import keyword
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from envpool import _core
from envpool._core import Table
from envpool.python.common_options import COMMON_OPTIONS, RENDER_OPTIONS, RESERVED_INFOS, RESERVED_OPTIONS
from envpool.python.errors import CompileError, labelled
from envpool.python.family import Value
from envpool.python.layout import INFO
from envpool.python.options import Option, check_known, declared_options, default_of

_MAX_ROW_BYTES = 1 << 40
_RANGES = {"bool": (0, 1), "uint8": (0, 255), "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


def check_declaration(label: str, table: Table, defaults: Mapping[str, Value]) -> dict[str, Value]:
    """Returns the defaults as plain values.

    Raises:
        CompileError: the declaration in options() or spec() is not valid.
        TypeError, ValueError: a default is not an option of the environment, or its value is not allowed.
    """
    for problem in _of_options(_read(label, "options()", table.describe)):
        raise CompileError(f"[{label}] options(): {problem}")
    options = declared_options(table, {})
    with labelled(label):
        check_known(defaults, list(options))
        checked = {name: options[name].check(value) for name, value in defaults.items()}
    values = {name: option.default for name, option in options.items()} | checked
    try:
        table.spec(values)
    except ValueError as error:
        if str(error).startswith("max_players"):
            raise CompileError(f"[{label}] spec(): {error}") from None
        return checked  # the environment rejects its own defaults; `make` will report that
    spec = _read(label, "spec()", lambda: table.spec(values))
    for problem in _of_arrays(spec):
        raise CompileError(f"[{label}] spec(): {problem}")
    return checked


def _read(label: str, function: str, ask: Callable[[], str]) -> Any:
    try:
        text = ask()
        declaration = json.loads(text)
    except json.JSONDecodeError:
        raise CompileError(f"[{label}] {function}: a number is NaN") from None
    except ValueError as error:
        raise CompileError(f"[{label}] {function}: {error}") from None
    if "\N{REPLACEMENT CHARACTER}" in text:  # which stands for bytes that Python could not decode
        raise CompileError(f"[{label}] {function}: a text is not UTF-8")
    return declaration


def _of_options(entries: list[dict[str, Any]]) -> Iterator[str]:
    names = [entry["name"] for entry in entries]
    for entry in entries:
        name, default = entry["name"], default_of(entry)
        if not name.isidentifier() or keyword.iskeyword(name):
            yield f"{name!r} cannot be the name of an argument in Python"
        if name in COMMON_OPTIONS and name not in RENDER_OPTIONS:
            yield f"{name!r} is an option that every environment has"
        if name in RESERVED_OPTIONS:
            yield f"{name!r} cannot be an option, because {RESERVED_OPTIONS[name]}"
        if names.count(name) > 1:
            yield f"{name!r} is declared twice"
        low, high, shape = float(entry["low"]), float(entry["high"]), tuple(entry.get("shape", ()))
        option = Option(name, entry["kind"], default, low, high, tuple(entry["choices"]), shape=shape)
        try:
            option.check(default)
        except ValueError:
            yield f"the default of {name!r}: expected {option.expected}, got {default!r}"


def _of_arrays(spec: dict[str, Any]) -> Iterator[str]:
    if not spec["actions"]:
        yield "there is no action"
    if min(spec["render_height"], spec["render_width"]) < 0:
        yield "the size of rendered images is negative"
    groups = (
        [field for field in spec["fields"] if not field["info"]],
        [field for field in spec["fields"] if field["info"]],
        spec["actions"],
    )
    for group in groups:
        names = [field["name"].removeprefix("obs:").removeprefix("info:") for field in group]
        for name, field in zip(names, group, strict=True):
            if not all(part for part in name.split(".")):
                yield f"{field['name']!r} cannot be the name of an array"
            if group is not spec["actions"] and field["name"] in _core.COMMON_ARRAYS:
                yield f"every environment has an array {name!r}"
            if field.get("info") and (first := name.partition(".")[0]) in RESERVED_INFOS:
                yield f"{name!r} cannot be an info, because {RESERVED_INFOS[first]}"
            path = tuple(name.split("."))
            for own in INFO if field.get("info") else ():
                if path[: len(own)] == own[: len(path)]:
                    yield f"{name!r} cannot be an info, because every info has an array {'.'.join(own)!r}"
            if names.count(name) > 1:
                yield f"two arrays are named {name!r}"
            if any(other.startswith(name + ".") for other in names):
                yield f"{name!r} is an array and cannot contain other arrays"
            for problem in _of_array(field):
                yield f"{field['name']!r} {problem}"


def _of_array(field: dict[str, Any]) -> Iterator[str]:
    size = 1
    for extent in field["shape"]:
        size *= extent
        if extent < 0 or not 0 <= size * 8 <= _MAX_ROW_BYTES:
            yield f"cannot have the shape {tuple(field['shape'])}"
            return
    if len(field["shape"]) > 32:
        yield f"has {len(field['shape'])} dimensions, more than 32"
    if field["discrete"] < 0 or (
        field["discrete"] == 0 and _list(field["high"]) == [-1] and _list(field["low"]) == [0]
    ):
        yield "needs at least one category"
        return
    if field["discrete"] and (field["dtype"] not in _RANGES or field["discrete"] - 1 > _RANGES[field["dtype"]][1]):
        yield f"cannot hold {field['discrete']} categories in a {field['dtype']}"
    low, high = _list(field["low"]), _list(field["high"])
    for end, values in (("low", low), ("high", high)):
        if len(values) not in (1, size):
            yield f"has {size} elements and {len(values)} {end} bounds"
    for lowest, highest in zip(
        low * (len(high) if len(low) == 1 else 1), high * (len(low) if len(high) == 1 else 1), strict=True
    ):
        if not lowest <= highest:
            yield f"has bounds from {lowest:.15g} to {highest:.15g}"


def _list(bounds: Any) -> list[float]:
    return [float(value) for value in (bounds if isinstance(bounds, list) else [bounds])]
