# SPDX-License-Identifier: Apache-2.0
"""Parses PTX: the items of a module, the statements of a function, and the names and types in them."""

from __future__ import annotations

import re


def items(text: str) -> list[str]:
    """Returns the declarations and functions of a module."""
    found, depth, begin = [], 0, 0
    for match in re.finditer(r"[(){};]", text):
        depth += (match[0] in "{(") - (match[0] in "})")
        if depth == 0 and match[0] in "};":
            item = text[begin : match.end()].strip()
            if match[0] == ";" or is_function(item):  # A closing brace may also end a list of values.
                found.append(item)
                begin = match.end()
    header = re.compile(r"^(\.(version|target|address_size)[^\n]*\n\s*)+")
    return [header.sub("", item) for item in found]


def is_function(item: str) -> bool:
    """Returns whether an item of a module is a function or a kernel."""
    return re.search(r"\.(entry|func)\b", item) is not None


def name_in_c(name: str) -> str:
    """Returns the name in C of a register or another PTX name. It differs from all names in threads.h."""
    name = name.replace("$", "_S_").replace(".", "_D_")
    return f"R_{name[1:]}" if name.startswith("%") else f"P_{name}"


def bits_of(kind: str) -> int:
    """Returns the width of a type such as "s32"."""
    return 8 if kind == "pred" else int(re.sub(r"\D", "", kind))


def quoted(text: str) -> str:
    """Returns a string literal of C."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def most_threads(head: str) -> int:
    """Returns how many threads a block may have according to the head of a kernel."""
    match = re.search(r"\.(?:maxntid|reqntid)\s+([\d, ]+)", head)
    most = 1
    for extent in match[1].split(",") if match else ["1024"]:
        most *= int(extent)
    return most


def statements(body: str) -> list[str]:
    """Returns the statements, labels and braces of a function's body."""
    found, part = [], ""
    for line in body.splitlines():
        line = line.strip()
        if not part and (line in "{}" or re.fullmatch(r"[\w$]+:", line)):
            found.append(line)
            continue
        part = f"{part} {line}".strip()
        if part.endswith(";"):
            found.append(part[:-1].strip())
            part = ""
        elif re.match(r"[\w$]+: \.branchtargets", part) is None and re.fullmatch(r"[\w$]+:", part):
            found.append(part)
            part = ""
    if part:
        raise NotImplementedError(part)
    return [statement for statement in found if statement]


def declared_names(text: str) -> list[str]:
    """Returns the name in C of each parameter."""
    return [name_in_c(re.sub(r"\[\d*\]", "", part).split()[-1]) for part in text.split(",") if part.strip()]


def declared_sizes(text: str) -> list[int]:
    """Returns the size of each parameter in bytes."""
    sizes = []
    for part in text.split(","):
        if part.strip():
            match = re.search(r"\.([bsuf]\d+)\s+[\w$%]+(?:\[(\d+)\])?\s*$", part)
            if not match:
                raise NotImplementedError(part.strip())
            sizes.append(bits_of(match[1]) // 8 * int(match[2] or 1))
    return sizes
