# SPDX-License-Identifier: Apache-2.0
"""Translates a PTX function into a C function."""

from __future__ import annotations

import re

from tests.standin.ptx_instructions import KNOWN, STORED, Instructions
from tests.standin.ptx_operands import Operands
from tests.standin.ptx_parser import (
    bits_of,
    declared_names,
    declared_sizes,
    most_threads,
    name_in_c,
    quoted,
    statements,
)
from tests.standin.ptx_variables import Names


class Function:
    """One `.entry` (a kernel) or `.func`.

    Attributes:
        entry: whether it is a kernel.
        max_threads: the largest number of threads in a block of the kernel.
        plain_name: its name in PTX.
        name: its name in C.
        parameters: their names in C.
        sizes: bytes of each parameter.
        signature: its signature in C.
        local_bytes: bytes of local memory that it needs per thread.
        shared_bytes: bytes of shared memory that it declares.
        text: its code in C; empty for a declaration.
    """

    def __init__(self, item: str, names: Names) -> None:
        head, _, body = item.partition("{")
        self.entry = ".entry" in head
        self.max_threads = most_threads(head)
        head = re.sub(r"\.(maxntid|reqntid|minnctapersm|maxnreg|noinline|noreturn|pragma)\b[^\n{]*", "", head)
        lists = re.findall(r"\(([^()]*)\)", head)
        found = re.search(r"([\w$]+)\s*(\([^()]*\))?\s*;?$", head.strip())
        if not found:
            raise NotImplementedError(" ".join(head.split()))
        self.plain_name, self.name = found[1], name_in_c(found[1])
        self.parameters = declared_names(lists[-1]) if found[2] else []
        self.sizes = declared_sizes(lists[-1]) if found[2] else []
        results = declared_names(lists[0]) if len(lists) > (found[2] is not None) else []
        result = results[0] if results else "P_result"
        arguments = "".join(f", u8* {name}" for name in self.parameters)
        self.signature = f"static void {self.name}(Thread* t, u8* {result}{arguments})"
        self.local_bytes = self.shared_bytes = 0
        self.text = ""
        self._names = names
        self._depth = 0  # number of open braces
        self._declarations: list[str] = []
        self._operands = Operands(names, {*self.parameters, result})
        sizes = dict(zip(self.parameters, self.sizes, strict=True))
        self._instructions = Instructions(self._operands, sizes if self.entry else {}, self.entry)
        if "cvta.param" in body:
            self._make_addressable(sizes)
        if body:
            lines = [line for statement in statements(body.rpartition("}")[0]) for line in self._line(statement)]
            slots = "const Slot* const slots = t->launch->slots;"
            self.text = "\n".join([self.signature, "{", slots, *self._declarations, *lines, "}"])
        elif self.plain_name != "__assertfail" and ".extern" in head:
            raise NotImplementedError(f"a call of {self.plain_name}, which the module does not have")

    @property
    def calls(self) -> set[str]:
        """The names in C of the functions that this one calls."""
        return self._instructions.calls

    def _make_addressable(self, sizes: dict[str, int]) -> None:
        """Declares copies of the parameters of a kernel that takes their addresses."""
        for name, size in sizes.items():
            self.local_bytes += -(-size // 16) * 16
            copy = f"addressable(t, {name}, {size}, {quoted(self.plain_name)})"
            self._declarations.append(f"const u64 address_of_{name} = {copy};")

    def _line(self, statement: str) -> list[str]:
        """Returns a statement's lines in C."""
        if statement in "{}":
            self._depth += 1 if statement == "{" else -1
            return [statement]
        if match := re.fullmatch(r"([\w$]+):", statement):
            return [f"{name_in_c(match[1])}:;"]
        if match := re.fullmatch(r"([\w$]+):\s*\.branchtargets (.*)", statement):
            self._instructions.targets[match[1]] = match[2]
            return []
        if statement.startswith(".reg"):
            return self._registers(statement)
        if statement.startswith(".shared"):
            end = self._names.share(statement, self._names.shared_bytes + self.shared_bytes)
            self.shared_bytes = end - self._names.shared_bytes
            return []
        if statement.startswith((".param", ".local")):
            return self._room(statement)
        if re.match(r"\.(loc|pragma|file|section)\b", statement):
            return []
        guard = ""
        if match := re.match(r"@(!?)%(\w+)\s+", statement):
            guard, statement = f"if ({match[1]}R_{match[2]}) ", statement[match.end() :]
        statement = " ".join(statement.split())
        operation, _, rest = statement.partition(" ")
        operands = [part.strip() for part in re.findall(r"(?:\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|[^,{(\[]+)+", rest)]
        if not KNOWN.fullmatch(operation):
            raise NotImplementedError(statement)
        try:
            code = self._instructions.translate(operation, operands, statement)
        except (NotImplementedError, LookupError, ValueError) as error:
            raise NotImplementedError(f"{statement} ({error})") from None
        return [f"{guard}{{ {code} }}" if guard else code]

    def _registers(self, statement: str) -> list[str]:
        """Declares registers, with the initial value 0."""
        match = re.fullmatch(r"\.reg\s+\.(\w+)\s+(.*)", statement)
        if not match or not re.fullmatch(rf"pred|{STORED}", match[1]):
            raise NotImplementedError(statement)
        names = []
        for part in match[2].split(","):
            name, _, count = part.strip().rstrip(">").partition("<")
            name = name if name.startswith("%") else f"%{name}"
            if name == "%temp_param_reg":  # Every call declares this register, but none uses it.
                continue
            names.extend(f"{name_in_c(name)}{i}" for i in range(int(count))) if count else names.append(name_in_c(name))
        self._operands.own.update(names)
        declaration = f"u{bits_of(match[1])} {', '.join(f'{register} = 0' for register in names)};" if names else ""
        if self._depth:  # Registers declared in a block hide those of the function.
            return [declaration]
        self._declarations.append(declaration)
        return []

    def _room(self, statement: str) -> list[str]:
        """Declares memory for a call's parameters, or a thread's local memory."""
        match = re.search(r"\.(\w+)\s+([\w$]+)(\[\d+\])?$", statement)
        if not match:
            raise NotImplementedError(statement)
        name, size = name_in_c(match[2]), (int(match[3][1:-1]) if match[3] else 1) * bits_of(match[1]) // 8
        self._operands.own.add(name)
        if statement.startswith(".local"):
            self.local_bytes += -(-size // 16) * 16
            self._declarations.append(f"const u64 {name} = local(t, {size}, {quoted(self.plain_name)});")
            return []
        return [f"_Alignas(16) u8 {name}[{size}];"]
