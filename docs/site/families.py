# SPDX-License-Identifier: Apache-2.0
"""A page for each family, from what its registrations and specs say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import headers
import numpy as np
import pictures

from envpool.python.construction import Construction
from envpool.python.options import Option
from envpool.python.registry import Registration, find, list_all_envs
from envpool.python.spaces import Field

_HIDDEN = {"rom_path"}  # no user's machine has the same


@dataclass
class Family:
    """The ids of one folder, in the order they were registered.

    Attributes:
        name: the folder's.
        ids: all of them.
        absent: why none can be made here; empty if they can.
    """

    name: str
    ids: list[str] = field(default_factory=list)
    absent: str = ""

    def environments(self) -> list[tuple[str, list[str]]]:
        """Names of the C++ environments, each with the ids that stand for it."""
        tables: dict[str, list[str]] = {}
        for task_id in self.ids:
            tables.setdefault(find(task_id).table, []).append(task_id)
        return list(tables.items())


def registered(only: list[str] | None) -> list[Family]:
    """The families there are."""
    families: dict[str, Family] = {}
    for task_id in list_all_envs():
        name = find(task_id).family
        if name and (not only or name in only):
            families.setdefault(name, Family(name)).ids.append(task_id)
    for family in families.values():
        family.absent = _why_absent(family.ids[0])
    return sorted(families.values(), key=lambda family: family.name)


def _why_absent(task_id: str) -> str:
    """What the environment needs and is not here; empty if there is no such thing."""
    try:
        Construction(find(task_id), {})
    except (ImportError, RuntimeError) as error:
        return str(error)
    return ""


def page(root: Path, family: Family, folder: Path | None) -> str:
    """The family's page. Pictures go into `folder`, if there is one."""
    text = f"# {family.name}\n\n"
    text += f"What these are compared with, and where they differ from it: [Environments](../environments.md#{family.name}).\n"
    if family.absent:
        note = f"What this family needs was not there when these pages were made: {escape(family.absent)}"
        return f"{text}\n```{{note}}\n{note}\n```\n\n{_ids_table(family.ids, bare=True)}"
    if folder:
        made = pictures.sheet(family.name, family.ids, folder / f"{family.name}.png")
        text += f"\n![{family.name}: {', '.join(made)}]({family.name}.png)\n\n{pictures.CAPTION}\n"
    for table, ids in family.environments():
        text += _environment(root, family.name, table, ids)
    return text


def _environment(root: Path, family: str, table: str, ids: list[str]) -> str:
    construction = Construction(find(ids[0]), {})
    text = f"\n## {table}\n\n"
    header = headers.find(root / "envpool" / family, table)
    if header:
        text += headers.as_markdown(header) + f"\n\nSource: `{header.relative_to(root)}`.\n"
    else:
        text += f"{escape(find(ids[0]).doc)}\n"
    text += f"\n### Ids of {table}\n\n{_ids_table(ids)}"
    text += f"\n### Arrays of {table}\n\nAs `{ids[0]}` has them, without options. "
    text += "Every environment also has [what all have](../concepts.md#what-comes-back).\n\n"
    text += _arrays_table(construction)
    if construction.options:
        text += f"\n### Options of {table}\n\n{_options_table(ids, construction)}"
    return text


# ---- tables ----


def escape(text: str) -> str:
    """Text that Markdown leaves as it is, in a cell of a table too."""
    return re.sub(r"([\\`*_\[\]<>|#$])", r"\\\1", text)


def code(text: str) -> str:
    """Code in a cell of a table."""
    return f"`{text.replace('|', '/')}`" if text else ""


def _table(head: list[str], rows: Iterator[list[str]] | list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _ids_table(ids: list[str], bare: bool = False) -> str:
    """The ids, those of one registration in one row."""
    rows: dict[int, tuple[Registration, list[str]]] = {}
    for task_id in ids:
        registration = find(task_id)
        rows.setdefault(id(registration), (registration, []))[1].append(task_id)
    if bare:
        return _table(
            ["id", "what it is"], [[", ".join(map(code, names)), escape(r.doc)] for r, names in rows.values()]
        )
    defaults = _common_defaults([registration for registration, _ in rows.values()])
    return _table(
        ["id", "what it is", "steps", "solved at", "sets"],
        [
            [
                ", ".join(map(code, names)),
                escape(registration.doc),
                "no limit" if not registration.max_episode_steps else str(registration.max_episode_steps),
                "" if registration.reward_threshold is None else f"{registration.reward_threshold:g}",
                ", ".join(
                    code(f"{name}={_shown(value)}")
                    for name, value in registration.defaults.items()
                    if name not in defaults and name not in _HIDDEN
                ),
            ]
            for registration, names in rows.values()
        ],
    )


def _common_defaults(registrations: list[Registration]) -> set[str]:
    """Options that all ids set to the same value: the table of options has it."""
    names = set(registrations[0].defaults)
    return {
        name for name in names if all(r.defaults.get(name) == registrations[0].defaults[name] for r in registrations)
    }


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _options_table(ids: list[str], construction: Construction) -> str:
    varying = {name for task_id in ids for name in find(task_id).defaults}
    varying -= _common_defaults([find(task_id) for task_id in ids])

    def default(option: Option) -> str:
        return "the id's" if option.name in varying else code(_shown(option.default))

    return _table(
        ["option", "default", "allowed", "meaning"],
        [
            [code(option.name), default(option), escape(option.expectation), escape(_meaning(option))]
            for option in construction.options.values()
        ],
    )


def _meaning(option: Option) -> str:
    return option.doc + ("; shapes depend on it" if option.changes_shapes and option.doc else "")


def _arrays_table(construction: Construction) -> str:
    arrays = construction.arrays
    rows = []
    for what, fields in (("action", arrays.actions), ("observation", arrays.observations), ("info", arrays.infos)):
        for entry in fields:
            name = entry.name.removeprefix("obs:").removeprefix("info:")
            each = "a player" if entry.per_player and arrays.max_players > 1 else ""
            shape = "×".join(map(str, entry.shape)) or "one number"
            cells = [code(name), str(entry.dtype), f"{shape}{', for each player' if each else ''}", _range(entry)]
            rows.append([what, *cells, escape(entry.doc)])
    low, high = arrays.reward_low, arrays.reward_high
    bounds = "" if np.isinf(low) and np.isinf(high) else f"{low:g} to {high:g}"
    rows.append(
        ["reward", "", "float32", "one number" + (", for each player" if arrays.max_players > 1 else ""), bounds, ""]
    )
    return _table(["", "name", "dtype", "shape", "values", "meaning"], rows)


def _range(entry: Field) -> str:
    if entry.dtype.kind == "b":
        return "False, True"
    if entry.discrete:
        return f"0 to {int(entry.high.max())}"
    low, high = np.unique(entry.low), np.unique(entry.high)
    if len(low) > 1 or len(high) > 1:
        if entry.low.size > 8:
            return f"{low.min():g} to {high.max():g}"
        pairs = zip(entry.low.ravel(), entry.high.ravel(), strict=True)
        return "; ".join(f"{_end(a)} to {_end(b)}" for a, b in pairs)
    if entry.dtype.kind in "iu" and (low[0], high[0]) == (np.iinfo(entry.dtype).min, np.iinfo(entry.dtype).max):
        return "any" if entry.dtype.itemsize > 1 else f"{low[0]} to {high[0]}"
    if np.isinf(low[0]) and np.isinf(high[0]):
        return "any"
    return f"{_end(low[0])} to {_end(high[0])}"


def _end(value: Any) -> str:
    return f"{value:.5g}".replace("inf", "∞")
