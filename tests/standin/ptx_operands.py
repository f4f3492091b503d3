# SPDX-License-Identifier: Apache-2.0
"""Translates operands of PTX instructions into C."""

from __future__ import annotations

import re

from tests.standin.ptx_parser import bits_of, name_in_c, quoted
from tests.standin.ptx_variables import Names

_AXES = {"x": 0, "y": 1, "z": 2}
_SPECIAL = {
    "%laneid": "(t->rank & 31)",
    "%warpid": "(t->rank / 32)",
    "%nwarpid": "((t->block->count + 31) / 32)",
    "%WARP_SZ": "32u",
    "WARP_SZ": "32u",
    "%smid": "0u",
    "%nsmid": "1u",
    "%dynamic_smem_size": "(t->launch->dynamic_bytes)",
    "%lanemask_eq": "(1u << (t->rank & 31))",
    "%lanemask_lt": "((1u << (t->rank & 31)) - 1)",
    "%lanemask_le": "(~0u >> (31 - (t->rank & 31)))",
    "%lanemask_gt": "(~1u << (t->rank & 31))",
    "%lanemask_ge": "(~0u << (t->rank & 31))",
}
for _axis, _i in _AXES.items():
    _SPECIAL[f"%tid.{_axis}"] = f"(t->tid[{_i}])"
    _SPECIAL[f"%ntid.{_axis}"] = f"(t->launch->block[{_i}])"
    _SPECIAL[f"%ctaid.{_axis}"] = f"(t->ctaid[{_i}])"
    _SPECIAL[f"%nctaid.{_axis}"] = f"(t->launch->grid[{_i}])"


class Operands:
    """Translates the operands of one function.

    Attributes:
        own: names in C of the registers, and of the host memory for parameters, that the function declares.
    """

    def __init__(self, names: Names, own: set[str]) -> None:
        self._names, self.own = names, own

    def value(self, text: str, kind: str = "b64") -> str:
        """Returns an operand as a C expression of the type that the instruction gives it."""
        text = text.strip()
        if text.startswith("!"):
            return f"!{self.value(text[1:], kind)}"
        if text in _SPECIAL:
            bits = _SPECIAL[text]
        elif match := re.fullmatch(r"0([dDfF])([0-9A-Fa-f]+)", text):
            bits = f"0x{match[2]}{'ull' if match[1] in 'dD' else 'u'}"
        elif re.fullmatch(r"0x[0-9A-Fa-f]+U?", text):
            bits = f"{text.rstrip('U')}ull"
        elif re.fullmatch(r"-?\d+", text):
            bits = f"{text}ull" if int(text) >= 0 else f"(u64)({text}ll)" if int(text) > -(2**63) else "(1ull << 63)"
        elif text.startswith("%") and name_in_c(text) in self.own:
            bits = name_in_c(text)
        elif text in self._names.expressions:
            bits = self._names.expressions[text]
        elif name_in_c(text) in self.own:
            bits = f"(u64){name_in_c(text)}"
        else:
            raise NotImplementedError(f"the operand {text}")
        if kind == "pred":
            return f"!!{bits}"  # The constant for true is -1.
        if kind[0] == "f":
            return f"as_{kind}({bits})"
        return f"({'i' if kind[0] == 's' else 'u'}{bits_of(kind)})({bits})"

    def assign(self, to: str, kind: str, value: str) -> str:
        """Returns the statement that sets a register."""
        value = f"of_{kind}({value})" if kind[0] == "f" else value
        return f"{name_in_c(to.strip())} = {value};"

    def address(self, text: str) -> str:
        """Returns the address that an operand in brackets holds."""
        match = re.fullmatch(r"\[([%\w$.]+)(?:\s*\+\s*(-?\d+))?\]", text.strip())
        if not match:
            raise NotImplementedError(text)
        return f"{self.value(match[1])} + (i64){match[2] or 0}"

    def place(self, text: str, parts: list[str], size: int, access: str, statement: str) -> str:
        """Returns the host's pointer to the memory whose address an operand in brackets holds."""
        if any(part.startswith("param") for part in parts):
            return f"(u8*)({self.address(text)})"
        address = self.address(text)
        if any(part.startswith("shared") for part in parts):
            address = f"SHARED({address})"
        return f"at(t, slots, {address}, {size}, {access}, {quoted(statement)})"
