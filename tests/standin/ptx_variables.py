# SPDX-License-Identifier: Apache-2.0
"""The variables of a PTX module, and their offsets in shared memory."""

from __future__ import annotations

import re

from tests.standin.ptx_parser import bits_of, name_in_c


class Variable:
    """A `.global` or `.const` variable of a module, in device memory."""

    def __init__(self, name: str, bits: int, count: int, value: str, pointers: list[tuple[int, str, int]]) -> None:
        self.name, self.bits, self.count = name, bits, count  # `count` elements of `bits` bits each
        self.value = value  # the elements in C; empty for zeros
        self.pointers = pointers  # index of an element, variable whose address it holds, offset added to the address

    @property
    def symbol(self) -> str:
        return f"V_{name_in_c(self.name)}"

    @property
    def row(self) -> str:
        value = f"{self.symbol}_value" if self.value else "0"
        pointers = f"{self.symbol}_pointers" if self.pointers else "0"
        size = self.count * self.bits // 8
        return f'{{"{self.name}", {size}, {value}, {pointers}, {len(self.pointers)}}}'


class Names:
    """The names that a module declares: variables, and offsets in shared memory."""

    def __init__(self) -> None:
        self.variables: list[Variable] = []
        self.expressions: dict[str, str] = {}  # the C expression for each name
        self.shared_bytes = 0

    def declare(self, item: str) -> None:
        """Adds a declaration of the module."""
        if ".shared" in item:
            self.shared_bytes = self.share(item, self.shared_bytes)
            return
        pattern = r"((?:\.\w+\s+)*?)\.(?:global|const)\s+(?:\.align\s+\d+\s+)?\.([bsuf]\d+)\s+([\w$.]+)(\[\d*\])?\s*(?:=\s*(.*?))?\s*;"
        match = re.fullmatch(pattern, item, re.S)
        if not match or ".extern" in match[1]:
            raise NotImplementedError(" ".join(item.split()))
        linking, kind, name, extent, value = match.groups()
        values = [part.strip() for part in value.strip("{} \n").split(",") if part.strip()] if value else []
        pointers, elements = [], []
        for i, part in enumerate(values):
            if re.fullmatch(r"-?\d+|0x[0-9A-Fa-f]+", part):
                elements.append(f"{part}ull" if not part.startswith("-") else f"(-{part[1:]}ull)")
            elif real := re.fullmatch(r"0[df]([0-9A-Fa-f]+)", part):
                elements.append(f"0x{real[1]}ull")
            elif (to := re.fullmatch(r"generic\(([\w$]+)\)(?:\+(\d+))?|([\w$]+)(?:\+(\d+))?", part)) and kind.endswith(
                "64"
            ):
                pointers.append((i, to[1] or to[3], int(to[2] or to[4] or 0)))
                elements.append("0")
            else:
                raise NotImplementedError(f"{part} in the value of {name}")
        count = int(extent[1:-1]) if extent and extent != "[]" else max(1, len(values))
        self.expressions[name] = f"(t->launch->globals[{len(self.variables)}])"
        self.variables.append(Variable(name, bits_of(kind), count, ", ".join(elements), pointers))

    def share(self, item: str, begin: int) -> int:
        """Places a `.shared` variable at `begin` or later. Returns where it ends."""
        match = re.search(r"\.shared\s+(?:\.align\s+(\d+)\s+)?\.([bsuf]\d+)\s+([\w$.]+)(\[\d*\])?\s*;?$", item)
        if not match:
            raise NotImplementedError(" ".join(item.split()))
        align, kind, name, extent = match.groups()
        if ".extern" in item or extent == "[]":  # Its size is given at the launch.
            self.expressions[name] = "((u64)t->dynamic)"
            return begin
        align = max(int(align or 1), bits_of(kind) // 8)
        begin = -(-begin // align) * align
        self.expressions[name] = f"({begin}ull)"
        return begin + bits_of(kind) // 8 * (int(extent[1:-1]) if extent else 1)

    def initial_values(self) -> list[str]:
        """Returns the C declarations of the variables' initial values and of the pointers in them."""
        lines, numbers = [], {variable.name: i for i, variable in enumerate(self.variables)}
        for variable in self.variables:
            if variable.value:
                values = f"{variable.symbol}_value[{variable.count}] = {{{variable.value}}}"
                lines.append(f"static const u{variable.bits} {values};")
            if variable.pointers:
                missing = [name for _, name, _ in variable.pointers if name not in numbers]
                if missing:
                    raise NotImplementedError(f"the address of {missing[0]} in the value of {variable.name}")
                rows = ", ".join(
                    f"{{{variable.bits // 8 * i}, {numbers[name]}, {offset}}}" for i, name, offset in variable.pointers
                )
                lines.append(f"static const ModulePointer {variable.symbol}_pointers[] = {{{rows}}};")
        return lines
