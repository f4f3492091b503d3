# SPDX-License-Identifier: Apache-2.0
"""Functions that several commands share: checks of packages, parsing of options, and output."""

from __future__ import annotations

import ast
import importlib.util
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envpool.python.distribution import pip_install

if TYPE_CHECKING:
    from rich.console import Console
else:
    Console = Any  # for `typing.get_type_hints`; not every command needs rich


class Failure(Exception):
    """An error that the command line reports in one line."""


def need(*packages: str) -> None:
    """Raises Failure if any of these packages is not installed."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        names = [{"PIL": "Pillow"}.get(package, package.replace("_", "-")) for package in missing]
        many = "s" if len(names) > 1 else ""
        raise Failure(f"this command needs the package{many} {' and '.join(names)}: {pip_install(*names)}")


def need_image(task_id: str, options: Mapping[str, Any]) -> None:
    """Raises Failure if an environment cannot be rendered."""
    from envpool.python.construction import Construction
    from envpool.python.registry import find

    if not Construction(find(task_id), options).can_render:
        raise Failure(f"{task_id} cannot be rendered, only stepped")


def parse_options(arguments: Sequence[str]) -> dict[str, Any]:
    """Returns options of `make` from texts such as "frame_skip=4". Values that are not Python literals become str."""
    options: dict[str, Any] = {}
    for text in arguments:
        name, equals, value = text.partition("=")
        if not equals or not all(part.isidentifier() for part in name.split(".")):
            raise Failure(f"--option: expected name=value, got {text!r}")
        try:
            options[name] = ast.literal_eval({"true": "True", "false": "False"}.get(value, value))
        except (ValueError, SyntaxError):
            options[name] = value
    return options


def seconds_of(name: str, value: float) -> float:
    """Returns `value` if it is positive and finite, and otherwise raises Failure."""
    if not (math.isfinite(value) and value > 0):
        raise Failure(f"{name}: expected a number above 0, got {value:g}")
    return value


def check_output(path: Path, *suffixes: str) -> None:
    """Raises Failure unless `--output` is a file with one of these suffixes that can be written."""
    if path.suffix not in suffixes:
        raise Failure(f"--output: expected a file that ends with {' or '.join(suffixes)}, got {str(path)!r}")
    if not path.absolute().parent.is_dir():
        raise Failure(f"--output: there is no folder {str(path.absolute().parent)!r}")
    if path.is_dir():
        raise Failure(f"--output: expected a file, got the folder {str(path)!r}")
    is_new = not path.exists()
    try:
        path.open("ab").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise Failure(f"--output: {str(path)!r} cannot be written: {error.strerror or error}") from None


def steps_per_second(config: dict[str, Any]) -> float:
    """Returns the number of steps per simulated second, or 30 if no option determines it."""
    skip = config.get("frame_skip", config.get("frameskip"))
    return 60 / skip if skip else 30


def console() -> Console:
    """Returns a console on stdout. rich omits colours if the output does not support them."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() or os.environ.get("COLUMNS") else 120)


def table(
    width: int,
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    least: Sequence[int | None],
    *,
    title: str | None = None,
    numbers: bool = False,
    bold: Sequence[int] = (),
) -> Any:
    """Returns a table for rich. If it does not fit, the cells of each row are below each other, so that none is cut.

    Args:
        width: the width of the terminal.
        titles: the titles of the columns.
        rows: the cells.
        least: for each column, the width in which cells can be read if they are folded; None: they are not folded.
        title: the title of the table.
        numbers: whether all columns except the first have numbers.
        bold: the numbers of the rows that are printed bold.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    longest = [max(map(len, cells)) for cells in zip(titles, *rows, strict=True)]
    needed = [length if at is None else min(length, at) for length, at in zip(longest, least, strict=True)]
    fits = sum(needed) + 3 * (len(needed) - 1) <= width
    layout: dict[str, Any] = (
        {"box": box.SIMPLE_HEAD} if fits else {"box": None, "show_header": False, "padding": (0, 2, 0, 0)}
    )
    found = Table(title=title, title_justify="left", pad_edge=False, show_edge=False, **layout)
    if fits:
        for number, (name, at) in enumerate(zip(titles, least, strict=True)):
            right = numbers and number > 0
            found.add_column(name, no_wrap=at is None, overflow="fold", justify="right" if right else "left")
    else:
        found.add_column(overflow="fold")
        found.add_column(overflow="fold")
    for number, row in enumerate(rows):
        cells = [Text(cell, "bold" if number in bold else "") for cell in row]
        if fits:
            found.add_row(*cells)
            continue
        if number > 0:
            found.add_row()
        for name, cell in zip(titles, cells, strict=True):
            if cell:
                found.add_row(name, cell)
    return found


def print_json(value: Any) -> None:
    """Prints a value as JSON. Infinite numbers become strings, because JSON has no infinity."""
    print(json.dumps(_plain(value), indent=1), flush=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
