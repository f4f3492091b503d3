# SPDX-License-Identifier: Apache-2.0
"""Extracts from a compiler's log the few lines that tell the user what to change."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_PLACE = r"(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)?"
_DIAGNOSTIC = re.compile(_PLACE + r" (?P<kind>fatal error|error|warning|note): (?P<text>.*)")
_CONTEXT = re.compile(_PLACE + r"\s+(?:recursively )?required (?:from|by)")
_LINKER = re.compile(
    r"undefined reference to|undefined symbol|cannot find -l|multiple definition|unable to find .*library"
)
_CONTRACT = re.compile(r"the environment(?P<rest>('s| has) .*)")
_ASSERTION = re.compile(r"static assertion failed(?: due to requirement '.*?')?: ")
_MEMORY = re.compile(r"out of memory|memory exhausted|bad_alloc|Cannot allocate memory|OutOfMemory")
_SHOWN = 3
_LINE = 300


class _Error(NamedTuple):
    file: str
    line: int
    text: str
    context: list[str]  # the source line and marker below the message
    from_user: str  # "file:line:" in user code that caused an error in another file


def explain(log: str, name: str, place: str, is_users: Callable[[str], bool], unit: str = "") -> str:
    """Returns the first errors of a log as lines.

    Args:
        log: the compiler's output.
        name: the environment's struct.
        place: the position of the struct, as "file:line".
        is_users: a function that returns whether a file belongs to the user, not to envpool or the system.
        unit: the file that names the struct after the header.
    """
    if _MEMORY.search(log):
        return f"{place}: the compiler needed more than 4 GiB of memory: does it have an infinitely recursive template?"
    errors = _read(log, is_users)
    if unit and errors and errors[0].file == unit:  # further errors follow from the first
        return f"name: expected a struct of the header, got {name!r}: {errors[0].text}"
    shown = []
    for error in errors[:_SHOWN]:
        contract = _CONTRACT.search(error.text)
        if contract:
            shown.append(f"{place}: {name}{contract['rest']}")
        elif is_users(error.file) or not error.from_user:
            shown.append("\n".join([f"{error.file}:{error.line}: {error.text}", *error.context]))
        else:
            shown.append(f"{error.from_user} {error.text} (in {error.file}:{error.line})")
    if not errors:
        lines = [line for line in log.splitlines() if line.strip()]
        shown = [line for line in lines if _LINKER.search(line)][:_SHOWN] or lines[:_SHOWN]
    if len(errors) > _SHOWN:
        shown.append(f"and {len(errors) - _SHOWN} more")
    return "\n".join(line[:_LINE] for line in "\n".join(shown).splitlines())


def _read(log: str, is_users: Callable[[str], bool]) -> list[_Error]:
    """Returns all errors of a log. The instantiation context comes before an error in g++, and after it in clang."""
    errors: list[_Error] = []
    came_from = ""
    context: list[str] | None = None
    for line in log.splitlines():
        if match := _DIAGNOSTIC.match(line):
            where = f"{match['file']}:{match['line']}:"
            context = None
            if match["kind"].endswith("error"):
                context = []
                text = _ASSERTION.sub("", match["text"])
                errors.append(_Error(match["file"], int(match["line"]), text, context, came_from))
                came_from = ""
            elif match["kind"] == "note" and errors and not errors[-1].from_user and is_users(match["file"]):
                errors[-1] = errors[-1]._replace(from_user=where)
        elif match := _CONTEXT.match(line):
            if is_users(match["file"]):
                came_from = f"{match['file']}:{match['line']}:"
            context = None
        elif context is not None and re.match(r"\s*\d* \|", line) and len(context) < 2:
            context.append(line)
    return errors
