# SPDX-License-Identifier: Apache-2.0
"""`envpool list`."""

from __future__ import annotations

import difflib
import sys

from envpool.cli.common import Failure, console, print_json
from envpool.python.registry import Registration, find, list_all_envs

PLUGINS = "plugins"
_SHOWN = 24  # the largest number of environments that the overview names per family


def family_of(registration: Registration) -> str:
    """Returns the environment's family, or PLUGINS if another package registered it."""
    return registration.family or PLUGINS


def by_family() -> dict[str, list[str]]:
    """Returns all ids by family."""
    families: dict[str, list[str]] = {}
    for task_id in list_all_envs():
        families.setdefault(family_of(find(task_id)), []).append(task_id)
    return families


def show(text: str, family: str, *, as_json: bool) -> None:
    """Prints ids by family: those that contain `text`, and those of the family with that name.

    In a terminal and without a filter, prints an overview.
    If stdout is not a terminal, every id is on its own line, and other lines begin with "#".
    """
    families = by_family()
    if family and family not in families:
        near = difflib.get_close_matches(family, families, 1, 0.5)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise Failure(f"there is no family {family!r}{hint} Families: {', '.join(families)}")
    matches = {
        name: ids if _folded(text) == _folded(name) else [each for each in ids if text.lower() in each.lower()]
        for name, ids in families.items()
        if family in ("", name)
    }
    matches = {name: ids for name, ids in matches.items() if ids}
    if not matches:
        where = f" in the family {family!r}" if family else f", and no family has that name: {', '.join(families)}"
        raise Failure(f"no environment's id contains {text!r}{where}")
    if as_json:
        print_json(
            [
                {"id": task_id, "family": name, "doc": find(task_id).doc}
                for name, ids in matches.items()
                for task_id in ids
            ]
        )
    elif sys.stdout.isatty() and not text and not family:
        _overview(matches)
    elif sys.stdout.isatty():
        _table(matches)
    else:
        print("\n\n".join("\n".join([f"# {_title(*entry)}", *entry[1]]) for entry in matches.items()), flush=True)


def _table(matches: dict[str, list[str]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    out = console()
    width = max(len(task_id) for ids in matches.values() for task_id in ids) + 2
    for name, ids in matches.items():
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, min_width=width)
        table.add_column(overflow="fold")
        for task_id in ids:
            table.add_row(f"  {task_id}", escape(find(task_id).doc))
        out.print(f"[bold]{_title(name, ids)}[/]", table, highlight=False)


def _overview(matches: dict[str, list[str]]) -> None:
    """Prints the names of environments by family, without their versions, at most _SHOWN of each family."""
    out = console()
    for name, ids in matches.items():
        out.print(f"[bold]{_title(name, ids)}[/]", highlight=False)
        versions: dict[str, list[str]] = {}
        for task_id in ids:
            stem, dash, version = task_id.rpartition("-v")
            versions.setdefault(stem if dash and version.isdigit() else task_id, []).append(version)
        names = [f"{stem} ({len(of)})" if len(of) > 1 else stem for stem, of in versions.items()]
        more = f"and {len(names) - _SHOWN} more: `envpool list {name}` shows all"
        shown = names if len(names) <= _SHOWN else [*names[:_SHOWN], more]
        out.print("  " + ", ".join(shown) + "\n", highlight=False, markup=False)
    total = sum(map(len, matches.values()))
    out.print(
        f"{total} ids in {len(matches)} families; a number in parentheses counts the versions. `envpool list TEXT` shows "
        "complete ids with descriptions: all of a family, such as `envpool list atari`, or those that contain a text, "
        "such as `envpool list pong`.",
        highlight=False,
        markup=False,
    )


def _folded(family: str) -> str:
    return family.lower().replace("-", "_")


def _title(family: str, ids: list[str]) -> str:
    return f"{family}: {len(ids)} id{'s' if len(ids) > 1 else ''}"


def show_families(*, as_json: bool) -> None:
    """Prints the families, their numbers of ids, and the packages that are missing on this machine."""
    rows = families()
    if as_json:
        print_json(rows)
        return
    for row in rows:
        line = f"{row['family']:<18}{row['ids']:>4} ids, such as {row['example']}"
        print(line + (f"\n    {row['missing']}" if row["missing"] else ""))


def families() -> list[dict[str, str | int]]:
    """Returns for each family its name, the number of ids, an example, and why it cannot be used ("" if it can)."""
    return [
        {"family": name, "ids": len(ids), "example": ids[0], "missing": missing(ids[0])}
        for name, ids in by_family().items()
    ]


def missing(task_id: str) -> str:
    """Returns the error text of `make` if the environment cannot be made, else ""."""
    from envpool.python.construction import Construction

    try:
        Construction(find(task_id), {})
    except (ImportError, RuntimeError, ValueError, TypeError, OSError) as error:
        return str(error)
    return ""
