# SPDX-License-Identifier: Apache-2.0
"""Converts the comment at the top of an environment's header to Markdown."""

from __future__ import annotations

import re
from pathlib import Path

_ITEM = re.compile(r"^ {2,4}([A-Z]\w*(?: \w+)?)(?: {2,}| (?=never))(\S.*)$")

_NAMED = re.compile(r"^([A-Z]\w+): (\S.*)$")
_BULLET = re.compile(r" +- ")


def find(folder: Path, table: str) -> Path | None:
    """Returns the header that declares the environment of that name, or None."""
    for path in sorted(folder.rglob("*.h")):
        if f'kName = "{table}"' in path.read_text():
            return path
    path = folder / (re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", table).lower() + ".h")
    return path if path.is_file() else None


def _paragraphs(path: Path) -> list[list[str]]:
    """Returns the paragraphs of the comment after the license line, without the slashes."""
    lines = []
    for line in path.read_text().splitlines()[1:]:
        if not line.startswith("//"):
            break
        if not re.match(r"// clang-format (on|off)", line):
            lines.append(line[2:].removeprefix(" ").rstrip())
    text = "\n".join(lines).strip("\n")
    return [part.split("\n") for part in re.split(r"\n\n+", text) if part.strip()]


def escaped(text: str) -> str:
    """Escapes text for Markdown, except code."""
    kept = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_\[\]<>|#$])", r"\\\1", part) for part in kept)


def _items(lines: list[str]) -> list[tuple[str, str]] | None:
    """Parses lines such as `  Reward   1 a step`, and indented lines that continue them, into (name, text) pairs.

    Returns None if there are other lines.
    """
    items: list[tuple[str, str]] = []
    column = 0
    for line in lines:
        match = _ITEM.match(line)
        if match:
            items.append((match[1], match[2]))
            column = match.start(2)
        elif items and line.startswith(" " * column):
            items[-1] = (items[-1][0], f"{items[-1][1]} {line.strip()}")
        else:
            return None
    return items


def _named(lines: list[str]) -> list[tuple[str, str]]:
    """Parses lines such as `Reward: 1 a step.`, and lines that continue them; [] if the first line has another form."""
    items: list[tuple[str, str]] = []
    for line in lines:
        if match := _NAMED.match(line):
            items.append((match[1], match[2]))
        elif items:
            items[-1] = (items[-1][0], f"{items[-1][1]} {line.strip()}")
        else:
            return []
    return items if len(items) > 1 else []


def _bullets(lines: list[str]) -> str:
    """Returns Markdown for lines, some of which are items of a list."""
    blocks: list[str] = []
    for line in lines:
        point, inside = _BULLET.match(line), bool(blocks) and blocks[-1].startswith("- ")
        if point:
            blocks.append("- " + escaped(line[point.end() :]))
        elif blocks and inside == line.startswith(" "):
            blocks[-1] += " " + escaped(line.strip())
        else:
            blocks.append(escaped(line.strip()))
    return "\n\n".join(blocks)


def as_markdown(path: Path) -> str:
    """Returns the comment, with its list of action, observation, reward and so on as a table."""
    parts = []
    for lines in _paragraphs(path):
        items = _items(lines) or _named(lines)
        if items:
            rows = "\n".join(f"| **{name}** | {escaped(text)} |" for name, text in items)
            parts.append(f"| | |\n|---|---|\n{rows}")
        elif any(_BULLET.match(line) for line in lines):
            parts.append(_bullets(lines))
        elif any(line.startswith("   ") for line in lines):
            parts.append("```text\n" + "\n".join(lines) + "\n```")
        else:
            parts.append(escaped(" ".join(lines)))
    return "\n\n".join(parts)
