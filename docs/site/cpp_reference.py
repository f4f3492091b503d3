# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ reference: what the author of an environment may call, without bodies and private parts.

The declarations and their comments come from envpool/core/api.h, from the headers that it includes, and from MORE. A
comment above a declaration, or behind its first line, describes it, and also declarations that follow it without an
empty line and have no comment of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import dedent

import headers

# The sections of the page: the title, the header, and the names that it lists; no names: all in the namespace.
SECTIONS = [
    ("The contracts", "core/env.h", ["Outcome", "Row", "ActionRow", "World"]),
    ("Options", "core/table/spec.h", ["OptionSpecs", "OptionSpec", "OptionValues", "Blob"]),
    ("Arrays", "core/table/spec.h", ["Spec", "FieldSpec", "StateParts"]),
    ("Random numbers", "core/math/rng.h", ["Rng"]),
    ("Normally distributed numbers", "core/math/normal.h", []),
    ("Mathematical functions", "core/math/math.h", []),
    ("Repairing states", "core/math/repair.h", []),
    ("Types and macros", "core/types.h", []),
    ("Images", "core/canvas.h", []),
    ("Images of boards", "core/board.h", []),
    ("Building a plugin", "core/plugin.h", ["table", "ENVPOOL_PLUGIN"]),
]
MORE = ["core/canvas.h", "core/board.h", "core/math/normal.h"]  # api.h does not include them

# Headers that api.h includes and whose contents authors do not call.
INTERNAL = re.compile(
    r"core/(api|portable|text|aligned_memory|huge_pages|plugin)\.h|core/(table|check|pool)/|core/math/(real|simd|lanes)\.h"
)
_MEMBERS_OF_THE_ENGINE = re.compile(
    r"\b(json|put|begin_episode|begin_agent|operator\(\))\(|std::string json|explicit StateParts|OptionValues\("
    r"|const\* fields|const i64\* row_bytes|^i64 row$"
)
_ONLY_FUNCTIONS = ("OptionSpecs", "OptionSpec", "FieldSpec", "Rng")


@dataclass
class Declaration:
    """A declaration.

    Attributes:
        name: the name that it declares; "" if it has none.
        text: the declaration without body and initializers.
        comment: the lines of its comment.
        members: the public members of a class.
        follows: whether it follows another declaration without an empty line.
    """

    name: str
    text: str
    comment: list[str]
    members: list[Declaration] = field(default_factory=list)
    follows: bool = False

    @property
    def is_class(self) -> bool:
        """Whether it declares a class."""
        return bool(re.search(r"(^|> |\) )(struct|class) ", self.text))


_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//[^\n]*')
_CLOSING = {"{": "}", "(": ")"}


def _end(text: str, at: int) -> int:
    """Returns the place behind the bracket that closes the one at `at`."""
    opening, closing, depth = text[at], _CLOSING[text[at]], 0
    while True:
        if match := _LITERAL.match(text, at):
            at = match.end()
            continue
        depth += (text[at] == opening) - (text[at] == closing)
        at += 1
        if depth == 0:
            return at


def _head(text: str, at: int) -> int:
    """Returns the place of the `{` or `;` that ends the head of a declaration."""
    while text[at] not in "{;":
        match = _LITERAL.match(text, at)
        at = match.end() if match else _end(text, at) if text[at] == "(" else at + 1
    return at


class Parser:
    """Reads the declarations of a header that is formatted by clang-format."""

    def __init__(self, path: Path) -> None:
        self._text = path.read_text()
        self._at = 0

    def declarations(self, *, public: bool = True) -> Iterator[Declaration]:
        """Yields the public declarations up to the end of the class, namespace or file."""
        comment: list[str] = []
        follows = False
        while self._at < len(self._text):
            rest = self._text[self._at :]
            if match := re.match(r"[ \t]*\n", rest):
                comment, follows = [], False
            elif match := re.match(r"\s+", rest):
                pass
            elif match := re.match(r"//[ ]?([^\n]*)\n", rest):
                comment.append(match[1])
            elif match := re.match(r"#(?:[^\n]*\\\n)*[^\n]*\n", rest):
                if public and (defined := re.match(r"#define (ENVPOOL_\w+)(\([^)]*\))?", match[0])):
                    yield Declaration(defined[1], f"#define {defined[1]}{defined[2] or ''}", comment, follows=follows)
                    comment, follows = [], True
            elif match := re.match(r"(public|private|protected):", rest):
                public, comment = match[1] == "public", []
            elif match := re.match(r"\}", rest):
                self._at += 1
                return
            else:
                found = self._declaration(comment, follows=follows)
                if public:
                    yield from found
                comment, follows = [], True
                self._at += len(re.match(r"[ \t]*\n?", self._text[self._at :])[0])  # type: ignore[index]
                continue
            self._at += match.end()

    def _declaration(self, comment: list[str], *, follows: bool) -> list[Declaration]:
        """Reads a declaration, and returns it, or those of a namespace that is not a detail."""
        begin, end = self._at, _head(self._text, self._at)
        text = " ".join(self._text[begin:end].split())
        if found := re.match(r"namespace ([\w:]+)", text):
            self._at = end + 1
            inner = list(self.declarations())
            return inner if found[1] in ("envpool", "envpool::drawing") else []
        if re.search(r"(^|> |\) )(struct|class|union) [\w:<>]+( final)?( :.*)?$", text) and self._text[end] == "{":
            self._at = end + 1
            line = re.match(r"[ ]*// ?([^\n]*)", self._text[end + 1 :])
            members = list(self.declarations(public=not re.search(r"\bclass \w+$", text)))
            self._at += len(re.match(r"[^;]*;", self._text[self._at :])[0])  # type: ignore[index]
            name = re.findall(r"(?:struct|class|union) ([\w]+)", text)[-1]  # the others are template parameters
            return [Declaration(name, text, comment or ([line[1]] if line else []), members, follows)]
        behind = re.match(r"[{;][ ]*// ?([^\n]*)", self._text[end:])
        if self._text[end] == "{":
            self._at = _end(self._text, end)
            if re.match(r"[ ]*(;|,)", self._text[self._at :]):  # an initializer
                self._at = self._text.index(";", self._at) + 1
                text = " ".join(self._text[begin : self._at - 1].split())
                behind = behind or re.match(r"[ ]*// ?([^\n]*)", self._text[self._at :])
        else:
            self._at = end + 1
        line_end = self._text.find("\n", self._at)
        if re.match(r"[ ]*//", self._text[self._at :]):
            behind = behind or re.match(r"[ ]*// ?([^\n]*)", self._text[self._at :])
            self._at = line_end
        name = re.search(r"([\w~]+)\s*(\(|\{|=|$|\[)", text.partition(" : ")[0].rpartition("> ")[2] or text)
        text = re.sub(r"\) : .*", ")", text)
        return [Declaration(name[1] if name else "", text, comment or ([behind[1]] if behind else []), [], follows)]


def included(root: Path) -> list[str]:
    """Returns the headers that core/api.h includes, from the folder envpool."""
    found, todo = [], ["core/api.h"]
    while todo:
        name = todo.pop(0)
        if name not in found:
            found.append(name)
            todo += re.findall(r'#include "envpool/([^"]+)"', (root / "envpool" / name).read_text())
    return found


def listed(declarations: list[Declaration], names: list[str]) -> list[Declaration]:
    """Returns the declarations of the page, each once, in the order of `names` if there are any."""
    kept: dict[str, Declaration] = {}
    comment: list[str] = []
    for declaration in declarations:
        comment = declaration.comment or (comment if declaration.follows else [])
        if names and declaration.name in names:  # the declaration that it follows may not be listed
            declaration = replace(declaration, comment=comment)
        if declaration.name in names if names else not declaration.text.startswith(("using math::", "static_assert")):
            kept.setdefault(declaration.text, declaration)
    return sorted(kept.values(), key=lambda d: names.index(d.name)) if names else [*kept.values()]


def members_of(declaration: Declaration) -> list[Declaration]:
    """Returns the members of a class that authors use: only functions, if the class has functions that set its data."""
    members = [m for m in declaration.members if not _MEMBERS_OF_THE_ENGINE.search(m.text)]
    return [m for m in members if "(" in m.text] if declaration.name in _ONLY_FUNCTIONS else members


def described(declarations: list[Declaration]) -> Iterator[tuple[Declaration, bool]]:
    """Yields declarations, and whether a comment describes each: its own, or that of the one that it follows."""
    before = False
    for declaration in declarations:
        before = bool(declaration.comment) or (declaration.follows and before)
        yield declaration, before


_PLAIN = re.compile(r"^(ENVPOOL_(FN|ALWAYS_INLINE|NOINLINE|DEVICE_CALL) |inline )+", re.MULTILINE)


def _signature(text: str) -> str:
    text = _PLAIN.sub("", re.sub(r"(template <[^>]*>) (ENVPOOL_\w+ )?", r"\1 ", text))
    is_whole = text.startswith("#") or re.match(r"(template <.*> )?(struct|class) ", text)
    return text if is_whole else text.rstrip() + ";"


def _code(declarations: list[Declaration], indent: str = "") -> str:
    lines: list[str] = []
    for declaration in declarations:
        if lines and not (declaration.follows and not declaration.comment):
            lines.append("")
        lines += [f"{indent}// {line}".rstrip() for line in declaration.comment]
        if declaration.is_class:
            lines.append(f"{indent}{_signature(declaration.text)} {{")
            lines += [_code(members_of(declaration), indent + "  "), f"{indent}}};"]
        else:
            lines.append(indent + _signature(declaration.text))
    return "\n".join(lines)


def _comment(path: Path) -> str:
    """Returns the comment at the top of a header: indented lines are code, the others text."""
    lines = []
    for line in path.read_text().splitlines()[2:]:
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" "))
    parts = []
    for part in re.split(r"\n\n+", "\n".join(lines).strip("\n")):
        is_code = part.startswith("  ")
        parts.append(f"```cpp\n{dedent(part)}\n```" if is_code else headers.escaped(part))
    return "\n\n".join(parts).replace("\n```\n\n```cpp\n", "\n\n")


def page(root: Path) -> str:
    """Returns the page."""
    text = "# C++ reference\n\n"
    text += "This is what the code of an environment may use, from the header `envpool/core/api.h` and from the headers that "
    text += "the sections name. [Write your own environment](write_your_own.md) explains how to begin.\n"
    seen: set[str] = set()
    for title, header, names in SECTIONS:
        path = root / "envpool" / header
        text += f"\n## {title}\n\n"
        if header in MORE:
            text += f'`#include "envpool/{header}"`\n\n'
        if header not in seen and header not in ("core/plugin.h", "core/table/spec.h"):
            text += _comment(path) + "\n\n"
        seen.add(header)
        declarations = listed(list(Parser(path).declarations()), names)
        text += f"```cpp\n{_code(declarations)}\n```\n"
    return text
