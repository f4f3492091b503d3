# SPDX-License-Identifier: Apache-2.0
"""Writes the pages of each family and of its environments from registrations and specs."""

from __future__ import annotations

import functools
import html
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import headers
import numpy as np
import observations
import pictures
import playable as play

from envpool import _core
from envpool.mujoco import packages
from envpool.python.construction import Construction
from envpool.python.options import Option
from envpool.python.registry import Registration, find, list_all_envs
from envpool.python.spaces import ArraySpecs, Field

_HIDDEN = {"rom_path"}  # a path on the machine that builds the site


@dataclass
class Family:
    """The ids of one folder, in the order they were registered.

    Attributes:
        name: the name of the folder.
        ids: all ids of the family.
    """

    name: str
    ids: list[str] = field(default_factory=list)

    @property
    def present(self) -> list[str]:
        """The ids that can be made on this machine."""
        return [task_id for task_id in self.ids if not why_absent(task_id)]

    @property
    def absent(self) -> str:
        """The reason why some ids cannot be made on this machine; empty if all can."""
        return next(filter(None, map(why_absent, self.ids)), "")

    def environments(self) -> list[tuple[str, list[str]]]:
        """The names of the C++ environments, each with the ids that use it."""
        tables: dict[str, list[str]] = {}
        for task_id in self.ids:
            tables.setdefault(find(task_id).table, []).append(task_id)
        return list(tables.items())


def registered(only: list[str] | None) -> list[Family]:
    """Returns all families, or only those named."""
    families: dict[str, Family] = {}
    for task_id in list_all_envs():
        name = find(task_id).family
        if name and (not only or name in only):
            families.setdefault(name, Family(name)).ids.append(task_id)
    return sorted(families.values(), key=lambda family: family.name)


@functools.cache
def _construction(task_id: str) -> Construction | str:
    """Returns the id's construction, or the text of the error if something that it needs is not installed."""
    try:
        return Construction(find(task_id), {})
    except (ImportError, RuntimeError) as error:
        if not re.search(r"\binstall|built without", str(error)):
            raise
        return str(error)


def why_absent(task_id: str) -> str:
    """Returns the error text that says which requirement of an id is not installed, or an empty string."""
    made = _construction(task_id)
    return made if isinstance(made, str) else ""


def arrays_of(task_id: str) -> ArraySpecs:
    """Returns the arrays of an id that can be made on this machine, with default options."""
    made = _construction(task_id)
    assert isinstance(made, Construction), made
    return made.arrays


@dataclass
class Tile:
    """An environment in the gallery, and its animation on the page of its family.

    Attributes:
        name: the name of the environment, an id without its version.
        table: the name of the C++ environment, which has a page.
        file: the path of the animation from the family's page; empty if there is none.
        ids: the ids with this name.
    """

    name: str
    table: str
    file: str
    ids: list[str]


def write(
    root: Path, family: Family, folder: Path, comparison: str, *, animate: bool, playable: bool = False
) -> list[Tile]:
    """Writes the page of a family and a page for each of its environments.

    Args:
        root: the folder of the repository.
        family: the family.
        folder: the folder of the families' pages.
        comparison: Markdown about the reference, for the end of the family's page.
        animate: whether to render the environments.
        playable: whether readers can play the environments, which are then compiled to WebAssembly.

    Returns:
        The environments, in the order of their ids.
    """
    inner = folder / family.name
    inner.mkdir(parents=True, exist_ok=True)
    files = {
        name: f"{family.name}/{file}" for name, _, file in (pictures.animate(family.present, inner) if animate else ())
    }
    named: dict[str, list[str]] = {}
    for task_id in family.ids:
        named.setdefault(pictures.name_of(task_id), []).append(task_id)
    tiles = [Tile(name, find(ids[0]).table, files.get(name, ""), ids) for name, ids in named.items()]
    pages = []
    for table, ids in family.environments():
        shown = [tile for tile in tiles if tile.table == table and tile.file]
        game = play.section(family.name, table, ids, newest(ids)) if playable else ""
        (inner / f"{table}.md").write_text(_environment(root, family.name, table, ids, shown, game))
        pages.append(f"{family.name}/{table}")
    (folder / f"{family.name}.md").write_text(_family(root, family, tiles, comparison, pages))
    return tiles


def _family(root: Path, family: Family, tiles: list[Tile], comparison: str, pages: list[str]) -> str:
    text = f"# {family.name}\n\n"
    text += f"The family has {len(family.ids)} ids. Each name links to a page with the rules, ids, arrays and options of its "
    text += "environment.\n"
    if drawn := [tile for tile in tiles if tile.file]:
        text += f"\n{grid(drawn)}\n\n{pictures.CAPTION}\n"
    rows = []
    for table, ids in family.environments():
        shown = ", ".join(map(code, ids[:_FEW])) + (f" and {len(ids) - _FEW} more" if len(ids) > _FEW else "")
        spaces = ("", "") if why_absent(ids[0]) else _shapes(arrays_of(ids[0]))
        many = any(why_absent(i) == "" and _shapes(arrays_of(i)) != spaces for i in ids)
        spaces = tuple(f"{cell}, depends on the id" if many else cell for cell in spaces)
        rows.append([f"[{table}]({family.name}/{table}.md)", shown, *spaces, _runs(family.name, ids[0])])
    text += "\n" + _table(["environment", "ids", "observation", "action", "runs"], rows)
    if comparison:
        text += f"\n## The reference of {family.name}\n\n{comparison}\n"
    listed = "\n".join(pages)
    return f"{text}\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


_FEW = 6  # ids of an environment in the table of its family, and animations on its own page


def _runs(family: str, task_id: str) -> str:
    """Says where an environment runs."""
    if why_absent(task_id):
        return ""
    portable = bool(find(task_id).load().flags & _core.PORTABLE)
    return 'in a pool, in `jax.jit`, and with `device="cuda"`' if portable else "in a pool"


def newest(ids: list[str]) -> str:
    """Returns the latest version of the first id."""
    name = pictures.name_of(ids[0])
    return max(
        (i for i in ids if pictures.name_of(i) == name), key=lambda i: int((re.findall(r"-v(\d+)$", i) or [0])[0])
    )


def grid(tiles: list[Tile]) -> str:
    """Returns HTML with the animations, each with its name, as links to the environments' pages."""
    cells = "".join(
        f'<a href="{tile.file.split("/")[0]}/{tile.table}.html"><img src="{tile.file}" alt="{html.escape(tile.name)}" '
        f'loading="lazy"><span>{html.escape(tile.name)}</span></a>\n'
        for tile in tiles
    )
    return f'<div class="tiles">\n{cells}</div>'


def _environment(root: Path, family: str, table: str, ids: list[str], tiles: list[Tile], game: str) -> str:
    text = f"# {table}\n\n"
    if tiles:
        images = "".join(
            f'<img src="{tile.file.split("/")[1]}" alt="{html.escape(tile.name)} under random actions">\n'
            for tile in tiles[:_FEW]
        )
        text += f'<div class="film">\n{images}</div>\n\n'
    text += game
    header = headers.find(root / "envpool" / family, table)
    if header:
        text += headers.as_markdown(header) + f"\n\nSource: `{header.relative_to(root)}`.\n"
    else:
        text += f"{escape(find(ids[0]).doc)}\n"
    shown_id = newest(ids)
    construction = _construction(shown_id)
    if isinstance(construction, str):
        note = f"Something that these ids need was not installed when this page was built: {escape(construction)}"
        return f"{text}\n```{{note}}\n{note}\n```\n\n## Ids\n\n{_ids_table(ids)}"
    text += f"\nIt runs {_runs(family, ids[0])}.\n"
    text += f"\n## Ids\n\n{_ids_table(ids)}"
    text += f"\n## Arrays\n\nThese are the arrays of `{shown_id}` with default options. "
    text += "Every environment also returns [the arrays that all have](../../concepts.md#what-comes-back).\n\n"
    text += _arrays_table(construction)
    if family == "mujoco" and table in observations.LAYOUTS:
        text += f"\nThese are the numbers of the observation:\n\n{_observation_table(table, construction)}"
    if construction.options:
        text += f"\n## Options\n\n{_options_table(ids, construction)}"
    return text


# ---- tables ----


def escape(text: str) -> str:
    """Escapes text for Markdown, also in cells of tables."""
    return re.sub(r"([\\`*_\[\]<>|#$])", r"\\\1", text)


def code(text: str) -> str:
    """Formats code for a cell of a table."""
    return f"`{text.replace('|', '/')}`" if text else ""


def _table(head: list[str], rows: list[list[str]]) -> str:
    """Returns a Markdown table, without empty columns."""
    used = [column for column in range(len(head)) if any(row[column] for row in rows)]
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line[column] for column in used)} |\n" for line in lines)


def _ids_table(ids: list[str]) -> str:
    """Returns the table of ids, with one row per registration."""
    rows: dict[int, tuple[Registration, list[str]]] = {}
    for task_id in ids:
        registration = find(task_id)
        rows.setdefault(id(registration), (registration, []))[1].append(task_id)
    common = _common_defaults([registration for registration, _ in rows.values()])
    shapes = {task_id: _shapes(arrays_of(task_id)) for task_id in ids if not why_absent(task_id)}
    alike = len(set(shapes.values())) <= 1  # then only the table of arrays shows them

    def row(registration: Registration, names: list[str]) -> list[str]:
        threshold = registration.reward_threshold
        own = {name: value for name, value in registration.defaults.items() if name not in {*common, *_HIDDEN}}
        return [
            ", ".join(map(code, names)),
            escape(registration.doc),
            *(("", "") if alike else shapes.get(names[0], ("", ""))),
            "no limit" if not registration.max_episode_steps else str(registration.max_episode_steps),
            "" if threshold is None else f"{threshold:g}",
            ", ".join(code(f"{name}={_shown(value)}") for name, value in own.items()),
        ]

    head = ["id", "description", "observation", "action", "time limit", "reward threshold", "defaults"]
    return _table(head, [row(*entry) for entry in rows.values()])


def _shapes(arrays: ArraySpecs) -> tuple[str, str]:
    """Returns short descriptions of observation and action."""

    def short(entry: Field) -> str:
        if entry.discrete and not entry.shape:
            return str(entry.discrete)
        return f"{'×'.join(map(str, entry.shape)) or '1'} {entry.dtype}"

    def all_of(fields: tuple[Field, ...]) -> str:
        if len(fields) == 1:
            return short(fields[0])
        return ", ".join(f"{code(entry.name.removeprefix('obs:'))} {short(entry)}" for entry in fields)

    return all_of(arrays.observations), all_of(arrays.actions)


def _common_defaults(registrations: list[Registration]) -> set[str]:
    """Returns the options that all ids set to the same value, which the table of options shows."""
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
        return "depends on the id" if option.name in varying else code(_shown(option.default))

    return _table(
        ["option", "default", "allowed", "meaning"],
        [
            [code(option.name), default(option), escape(option.expected), escape(_meaning(option))]
            for option in construction.options.values()
        ],
    )


def _meaning(option: Option) -> str:
    return option.doc.rstrip(".") + ("; shapes depend on it" if option.changes_shapes and option.doc else "")


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
    return _table(["kind", "name", "dtype", "shape", "values", "meaning"], rows)


def _observation_table(table: str, construction: Construction) -> str:
    import mujoco

    folder = packages.folder_of("gymnasium") or Path()
    model = folder / "envs" / "mujoco" / "assets" / str(construction.options["xml_file"].default)
    rows = observations.rows(table, mujoco.MjModel.from_xml_path(str(model)))
    return _table(["index", "meaning", "in the model", "unit"], [[escape(cell) for cell in row] for row in rows])


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
