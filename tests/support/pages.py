# SPDX-License-Identifier: Apache-2.0
"""Reads the code blocks and the commands of the Markdown pages.

A code block is fenced, or indented by four spaces after an empty line; indented blocks and those with the language `sh` or
`console` are commands. A comment `<!-- not run: why -->` or `<!-- needs: package, package -->` above a block, or
`<!-- not run: why -->` behind a command in a sentence, is its `note`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none"))
README = SOURCE / "README.md"
_DOCS = sorted((SOURCE / "docs").glob("*.md"))
PAGES = [path for path in (README, SOURCE / "CONTRIBUTING.md", *_DOCS, SOURCE / "docs/site/api.md") if path.is_file()]

_NOTE = r"(?:<!-- (?P<note>(?:not run|needs): [^\n]+?) -->\n+)?"
_BLOCK = re.compile(
    rf"^{_NOTE}(?:```(?P<kind>[^\s`]*)\n(?P<fenced>.*?)^```$|(?<=\n\n)(?P<indented>(?:    [^\n]*\n|\n(?=    ))+))",
    re.MULTILINE | re.DOTALL,
)
_PROGRAMS = r"(?:pip|python3?|envpool|make|taskset|bash)"
_INLINE = re.compile(rf"(?<!`)`(?P<command>{_PROGRAMS} [^`]+)`(?!`)(?:\s+<!-- (?P<note>not run: [^>]+?) -->)?")
_FILE = re.compile(r"(?://|#) (\w+\.(?:h|py))\n")
_PROMPT = re.compile(r"^\[[\d:]+\] \$ ")


class Block(NamedTuple):
    """A code block: its first line's number, its language, its text, and the comment above it or ""."""

    line: int
    kind: str
    text: str
    note: str

    @property
    def file(self) -> str:
        """The file that the first line names, such as `// dodge.h`; "" if it names none."""
        found = _FILE.match(self.text)
        return found[1] if found else ""

    @property
    def needs(self) -> list[str]:
        """The packages that a comment `needs` names."""
        return self.note.removeprefix("needs: ").split(", ") if self.note.startswith("needs: ") else []


class Command(NamedTuple):
    """A line that a reader types into a shell, or a command in a sentence."""

    page: str
    line: int
    text: str
    note: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


def code_blocks(page: Path) -> list[Block]:
    """Returns the code blocks of a page."""
    text = page.read_text() if page.is_file() else ""
    found = []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, max(match.start("fenced"), match.start("indented"))) + 1
        if match["indented"] is not None:
            code = "".join(part.removeprefix("    ") for part in match["indented"].splitlines(keepends=True))
            found.append(Block(line, "sh", code, match["note"] or ""))
        else:
            found.append(Block(line, match["kind"], match["fenced"], match["note"] or ""))
    return found


def commands(page: Path) -> list[Command]:
    """Returns the commands in the blocks of a page. Lines that end with a backslash are joined."""
    found = []
    for block in code_blocks(page):
        if block.kind not in ("sh", "console"):
            continue
        begun, begin = "", 0
        for number, line in enumerate(block.text.splitlines(), block.line):
            if block.kind == "console" and not _PROMPT.match(line):
                continue  # an output
            if not begun:
                begin = number
            begun += _PROMPT.sub("", line).strip()
            if begun.endswith("\\"):
                begun = begun[:-1]
            elif begun:
                found.append(Command(page.name, begin, begun, block.note))
                begun = ""
    return found


def inline_commands(page: Path) -> list[Command]:
    """Returns the commands in the sentences and tables of a page."""
    text = page.read_text() if page.is_file() else ""
    text = _BLOCK.sub(lambda match: "\n" * match[0].count("\n"), text)
    return [
        Command(
            page.name, text.count("\n", 0, match.start()) + 1, " ".join(match["command"].split()), match["note"] or ""
        )
        for match in _INLINE.finditer(text)
    ]
