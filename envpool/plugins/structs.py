# SPDX-License-Identifier: Apache-2.0
"""Finds the environments in a header: the structs that have a `kName`.

The parser handles comments, strings, directives, and the braces of namespaces and structs. A struct that a macro
defines is not found; the caller must name it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NOT_CODE = re.compile(
    r"""//(?:[^\n\\]|\\.)*
    | /\*.*?\*/
    | R"(?P<fence>[^()\s\\]{0,16})\(.*?\)(?P=fence)"
    | "(?:[^"\\\n]|\\.)*"
    | (?<![0-9a-zA-Z_])'(?:[^'\\\n]|\\.)*'
    | ^[ \t]*\#(?:[^\n\\]|\\.)*""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_TOKEN = re.compile(r"[A-Za-z_]\w*|::|[^\s]")


class Struct(NamedTuple):
    """An environment's struct: its qualified name, and the line of its `kName`."""

    name: str
    line: int


class _Scope(NamedTuple):
    name: str
    is_struct: bool


def find_structs(text: str) -> list[Struct]:
    """Returns the structs and classes of a C++ header that declare a `kName`, in order."""
    code = _NOT_CODE.sub(lambda structs: re.sub(r"[^\n]", " ", structs[0]), text)
    structs: list[Struct] = []
    scopes: list[_Scope] = []
    statement: list[str] = []  # since the last ; { or }
    for match in _TOKEN.finditer(code):
        token = match[0]
        if token == "{":
            scopes.append(_scope_of(statement))
        elif token == "}" and scopes:
            scopes.pop()
        elif token == "kName" and scopes and scopes[-1].is_struct and "constexpr" in statement:
            name = "::".join(scope.name for scope in scopes if scope.name)
            structs.append(Struct(name, code.count("\n", 0, match.start()) + 1))
        if token in "{};":
            statement = []
        else:
            statement.append(token)
    return structs


def _scope_of(statement: list[str]) -> _Scope:
    """Returns the scope that a brace after these tokens opens."""
    head = _without_template(statement)
    if "namespace" in head:
        name = "".join(token for token in head[head.index("namespace") + 1 :] if token != "inline")
        return _Scope(name, is_struct=False)
    for keyword in ("struct", "class"):
        if keyword in head and "enum" not in head and "(" not in head:
            after = head[head.index(keyword) + 1 :]
            base = after.index(":") if ":" in after else len(after)
            names = [token for token in after[:base] if re.match(r"\w", token) and token != "final"]
            return _Scope(names[-1] if names else "", is_struct=True)
    return _Scope("", is_struct=False)


def _without_template(statement: list[str]) -> list[str]:
    """Removes `template <...>` and access specifiers such as `public:`, which do not end with a semicolon."""
    tokens = list(statement)
    while len(tokens) > 1 and tokens[1] == ":" and tokens[0] in ("public", "private", "protected"):
        del tokens[:2]
    if tokens[:2] == ["template", "<"]:
        depth = 0
        for place, token in enumerate(tokens):
            depth += (token == "<") - (token == ">")
            if depth == 0 and place > 0:
                return tokens[place + 1 :]
    return tokens
