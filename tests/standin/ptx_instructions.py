# SPDX-License-Identifier: Apache-2.0
"""Translates each PTX instruction into one statement of C."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.standin.ptx_operands import Operands
from tests.standin.ptx_parser import bits_of, name_in_c, quoted

_INTEGER = r"[bsu](16|32|64)"
_ANY = r"([bsu](16|32|64)|f(32|64))"
STORED = r"([bsu](8|16|32|64)|f(32|64))"
_ORDER = r"(\.(weak|volatile|relaxed|acquire|release|acq_rel|sc|cta|gpu|sys))*"
_SPACE = r"(\.(global|shared(::cta)?))?"
_CACHE = r"(\.(nc|ca|cg|cs|cv|lu|wb|wt))*(\.L[12]::\w+(\.\w+)?)*"
_ATOMIC = r"((add|min|max)\.[us](32|64)|add\.f(32|64)|(inc|dec)\.u32|(and|or|xor)\.b(32|64)|(exch|cas)\.b(32|64))"  # fmt: skip
# The operations that are translated. An operation must match as a whole, so that no modifier is ignored.
KNOWN = re.compile(
    "|".join(
        [
            rf"mov\.(pred|{_ANY})",
            rf"(ld|ldu|st){_ORDER}(\.(global|shared(::cta)?|local|param(::\w+)?|const))?{_CACHE}(\.v[24])?\.{STORED}",
            r"cvta(\.to)?\.(global|local|shared|const|param)\.u64",
            rf"(add|sub)\.{_INTEGER}",
            rf"(mul|mad)\.(lo|hi|wide)\.{_INTEGER}",
            rf"(div|rem|min|max|neg|abs)\.{_INTEGER}",
            r"(add|sub|mul)(\.rn)?\.f(32|64)",
            r"(div|sqrt|rcp|fma)\.rn\.f(32|64)",
            r"(neg|abs|min|max|copysign)\.f(32|64)",
            r"(and|or|xor|not)\.(pred|b(16|32|64))",
            rf"(shl|shr)\.{_INTEGER}",
            r"bfi\.b(32|64)",
            r"bfe\.[su](32|64)",
            r"bfind(\.shiftamt)?\.[su](32|64)",
            r"shf\.[lr]\.(wrap|clamp)\.b32",
            r"lop3\.b32",
            r"(popc|clz|brev)\.b(32|64)",
            r"prmt\.b32",
            r"dp2a\.(lo|hi)\.[su]32\.[su]32",
            r"dp4a\.[su]32\.[su]32",
            rf"selp\.{_ANY}",
            rf"setp\.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan)(\.(and|or|xor))?\.{_ANY}",
            r"cvt\.[su](8|16|32|64)\.[su](8|16|32|64)",
            r"cvt\.(rni|rzi|rmi|rpi)\.[su](16|32|64)\.f(32|64)",
            r"cvt\.(rni|rzi|rmi|rpi)\.f(32\.f32|64\.f64)",
            r"cvt\.rn\.f(32|64)\.[su](8|16|32|64)",
            r"cvt(\.rn)?\.f(32|64)\.f(32|64)",
            r"bra(\.uni)?|brx\.idx(\.uni)?|ret(\.uni)?|exit|trap|call(\.uni)?",
            r"(bar|barrier)(\.cta)?\.(sync|arrive|red\.(popc\.u32|(and|or)\.pred))(\.aligned)?",
            r"bar\.warp\.sync",
            rf"(membar\.(cta|gl|sys)|fence{_ORDER}|nanosleep\.u32)",
            rf"(atom|red){_ORDER}{_SPACE}\.{_ATOMIC}",
            r"shfl\.sync\.(up|down|bfly|idx)\.b32",
            r"vote\.sync\.((all|any|uni)\.pred|ballot\.b32)",
            r"redux\.sync\.((add|min|max)\.[su]32|(and|or|xor)\.b32)",
        ]
    )
)
_OF_REALS = {"add", "sub", "mul", "div", "min", "max", "fma", "sqrt", "rcp", "neg", "abs", "copysign"}
_OF_INTEGERS = {"cvta", "add", "sub", "mul", "mad", "div", "rem", "min", "max", "neg", "abs", "and", "or", "xor", "not"}
_OF_BITS = {"shl", "shr", "bfi", "bfe", "bfind", "shf", "lop3", "popc", "clz", "prmt", "dp2a", "dp4a", "brev", "selp"}
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # fmt: skip
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_LOGIC = {"and": "&", "or": "|", "xor": "^"}
_ROUND = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_WARP = {"up": "kUp", "down": "kDown", "bfly": "kButterfly", "idx": "kIndex"}
_WARP |= {"all": "kAll", "any": "kAny", "uni": "kUniform", "ballot": "kBallot"}
_WARP |= {"add": "kAdd", "min": "kMin", "max": "kMax", "and": "kBitAnd", "or": "kBitOr", "xor": "kBitXor"}
# The accesses that the memory model of PTX calls strong. Two strong accesses never race.
_STRONG = {"volatile", "relaxed", "acquire", "release"}


class Instructions:
    """Instructions of one function.

    Attributes:
        targets: labels that an indexed branch may go to, by the name of their list.
        calls: names in C of the functions that are called.
    """

    def __init__(self, operands: Operands, parameters: dict[str, int], entry: bool) -> None:
        self._operands, self._parameters, self._entry = operands, parameters, entry
        self.targets: dict[str, str] = {}
        self.calls: set[str] = set()

    def translate(self, operation: str, x: list[str], statement: str) -> str:
        """Returns the C code of an instruction.

        Args:
            operation: the instruction's name with its modifiers, which KNOWN matches.
            x: operands, the result first.
            statement: the whole instruction, for messages.

        Raises:
            NotImplementedError: an operand is not known.
        """
        name, *parts = operation.split(".")
        kind = parts[-1] if parts else ""
        if name == "mov":
            return self._move(kind, x)
        if name in ("ld", "st", "ldu"):
            return self._memory(name, parts, x, statement)
        if name in ("atom", "red"):
            return self._atomic(name, parts, x, statement)
        if name == "setp":
            return self._compare(parts, x)
        if name == "cvt":
            return self._convert(parts, x)
        if name in _OF_INTEGERS | _OF_REALS | _OF_BITS:
            of_reals = name in _OF_REALS and re.fullmatch(r"f(32|64)", kind)
            return (self._reals if of_reals else self._integers if name in _OF_INTEGERS else self._bits)(name, parts, x)
        return self._control(name, parts, x, statement)

    def _shorthands(
        self, parts: list[str], x: list[str]
    ) -> tuple[str, int, str, Callable[..., str], Callable[[str], str]]:
        """Returns an instruction's type, its number of bits, the unsigned type of that size, and two functions.

        The first function returns the value of an operand, optionally as another type. The second assigns to the first
        operand.
        """
        kind = parts[-1]
        bits = bits_of(kind)

        def value(i: int, k: str = kind) -> str:
            return self._operands.value(x[i], k)

        return kind, bits, f"b{bits}", value, lambda expression: self._operands.assign(x[0], kind, expression)

    def _reals(self, name: str, parts: list[str], x: list[str]) -> str:
        """Translates arithmetic of floating-point numbers."""
        kind, bits, unsigned, value, put = self._shorthands(parts, x)
        if name in ("add", "sub", "mul", "div", "min", "max"):
            if name in ("min", "max"):
                return put(f"{name}_{kind}({value(1)}, {value(2)})")
            return put(f"{value(1)} {_ARITHMETIC[name]} {value(2)}")
        if name == "fma":
            return put(f"fma{'f' if bits == 32 else ''}({value(1)}, {value(2)}, {value(3)})")
        if name in ("sqrt", "rcp"):
            return put(f"sqrt{'f' if bits == 32 else ''}({value(1)})" if name == "sqrt" else f"1 / {value(1)}")
        if name in ("neg", "abs"):
            sign = f"(1ull << {bits - 1})"
            return f"{name_in_c(x[0])} = {value(1, unsigned)} {'^' if name == 'neg' else '& ~'}{sign};"
        if name == "copysign":  # The result has the sign of the first operand.
            sign = f"(1ull << {bits - 1})"
            return f"{name_in_c(x[0])} = ({value(1, unsigned)} & {sign}) | ({value(2, unsigned)} & ~{sign});"
        raise NotImplementedError(name)

    def _integers(self, name: str, parts: list[str], x: list[str]) -> str:
        """Translates arithmetic and logic of integers."""
        kind, bits, unsigned, value, put = self._shorthands(parts, x)
        if name == "cvta":
            if parts[0] == "param":
                address = value(1)
                for of, size in self._parameters.items():  # their addresses are host addresses
                    offset = f"({value(1)} - (u64){of})"
                    address = f"({offset} < {size} ? address_of_{of} + {offset} : {address})"
                return put(address)
            if "shared" not in parts:  # Other memory has the same address in all spaces.
                return put(value(1))
            return put(f"(u32){value(1)}" if parts[0] == "to" else f"SHARED({value(1)})")
        if name in ("add", "sub"):
            return put(f"{value(1, unsigned)} {'+' if name == 'add' else '-'} {value(2, unsigned)}")
        if name in ("mul", "mad"):
            wide = f"{'i' if kind[0] == 's' else 'u'}{2 * bits}"
            if bits == 64:
                wide = "__int128" if kind[0] == "s" else "unsigned __int128"
            product = f"(({wide}){value(1)} * ({wide}){value(2)})"
            product = f"(u{bits})({product} >> {bits})" if parts[0] == "hi" else product
            product = f"(u{bits}){product}" if parts[0] == "lo" else product
            if name == "mad":
                product += f" + {self._operands.value(x[3], unsigned if parts[0] != 'wide' else f'b{2 * bits}')}"
            return put(product)
        if name in ("div", "rem"):
            return put(self._quotient(name, kind, value(1), value(2)))
        if name in ("min", "max"):
            return put(f"{value(1)} {'<' if name == 'min' else '>'} {value(2)} ? {value(1)} : {value(2)}")
        if name == "neg":
            return put(f"-{value(1, unsigned)}")
        if name == "abs":
            return put(f"{value(1)} < 0 ? -{value(1, unsigned)} : {value(1, unsigned)}")
        if name in _LOGIC:
            return put(f"{value(1)} {_LOGIC[name]} {value(2)}")
        if name == "not":
            return put(f"{'!' if kind == 'pred' else '~'}{value(1)}")
        raise NotImplementedError(name)

    def _bits(self, name: str, parts: list[str], x: list[str]) -> str:
        """Translates shifts, fields and permutations of bits, and selection."""
        kind, bits, unsigned, value, put = self._shorthands(parts, x)
        if name in ("shl", "shr"):
            shift = self._operands.value(x[2], "b32")
            if name == "shr" and kind[0] == "s":
                return put(f"{value(1)} >> ({shift} > {bits - 1} ? {bits - 1} : {shift})")
            return put(f"{shift} > {bits - 1} ? 0 : {value(1)} {'<<' if name == 'shl' else '>>'} {shift}")
        if name == "bfi":  # inserts the lowest `count` bits of a into b at bit `at`
            a, b = value(1), value(2)
            at, count = (f"({self._operands.value(x[i], 'b32')} & 255)" for i in (3, 4))
            mask = f"({at} >= {bits} ? 0 : ({count} >= {bits} ? ~(u{bits})0 : ((u{bits})1 << {count}) - 1) << {at})"
            return put(f"({b} & ~{mask}) | ({at} >= {bits} ? 0 : {a} << {at} & {mask})")
        if name == "bfe":
            at, count = self._operands.value(x[2], "b32"), self._operands.value(x[3], "b32")
            return put(f"field({value(1, unsigned)}, {at}, {count}, {bits}, {int(kind[0] == 's')})")
        if name == "bfind":  # finds the highest bit that differs from the sign bit
            a = value(1, unsigned)
            a = f"(u{bits})({value(1)} < 0 ? ~{a} : {a})" if kind[0] == "s" else a
            found = f"{bits - 1} - (__builtin_clzll({a}) - {64 - bits})"
            found = f"{bits - 1} - ({found})" if "shiftamt" in parts else found
            return self._operands.assign(x[0], "b32", f"{a} == 0 ? ~0u : (u32)({found})")
        if name == "shf":
            low, high, shift = value(1), value(2), self._operands.value(x[3], "b32")
            shift = f"({shift} & 31)" if parts[1] == "wrap" else f"({shift} > 32 ? 32 : {shift})"
            pair = f"((u64){high} << 32 | {low})"
            return put(f"(u32)({pair} << {shift} >> 32)" if parts[0] == "l" else f"(u32)({pair} >> {shift})")
        if name == "lop3":
            a, b, c = (value(i) for i in (1, 2, 3))
            table = int(x[4], 0)
            terms = [
                f"({a if i & 4 else '~' + a} & {b if i & 2 else '~' + b} & {c if i & 1 else '~' + c})"
                for i in range(8)
                if table >> i & 1
            ]
            return put(" | ".join(terms) or "0")
        if name == "popc":
            return put(f"__builtin_popcountll({value(1)})")
        if name == "clz":
            return put(f"{value(1)} == 0 ? {bits} : __builtin_clzll({value(1)}) - {64 - bits}")
        if name == "prmt":
            return put(f"permute({value(1)}, {value(2)}, {value(3)})")
        if name == "dp2a":  # dot product of two 16-bit halves and two bytes
            half, byte = (f"{'i' if part[0] == 's' else 'u'}" for part in parts[1:])
            second = f"{value(2, 'u32')}{' >> 16' if parts[0] == 'hi' else ''}"
            return put(f"DP2A({half}16, {byte}8, {value(1, 'u32')}, {second}, {value(3, 'u32')})")
        if name == "dp4a":  # dot product of four bytes and four bytes
            first, second = (f"{'i' if part[0] == 's' else 'u'}8" for part in parts)
            a, b = value(1, "u32"), value(2, "u32")
            terms = [f"({first})({a} >> {8 * i}) * ({second})({b} >> {8 * i})" for i in range(4)]
            return put(f"{value(3, 'u32')} + {' + '.join(terms)}")
        if name == "brev":
            return put(f"brev{bits}({value(1)})")
        if name == "selp":
            return f"{name_in_c(x[0])} = {self._operands.value(x[3], 'pred')} ? {value(1, unsigned)} : {value(2, unsigned)};"
        raise NotImplementedError(name)

    def _control(self, name: str, parts: list[str], x: list[str], statement: str) -> str:
        """Translates branches, calls, barriers, and exchanges within a warp."""
        if name == "bra":
            return f"goto {name_in_c(x[0])};"
        if name == "brx":
            labels = self.targets[x[1]].split(",")
            cases = " ".join(f"case {i}: goto {name_in_c(label.strip())};" for i, label in enumerate(labels))
            return f"switch ({self._operands.value(x[0], 'b32')}) {{ {cases} }}"
        if name == "ret" or (name == "exit" and self._entry):
            return "return;"
        if name == "trap":
            return 'fail(t, kLaunchFailed, "trap", "the kernel stopped itself");'
        if name == "call":
            return self._call(x)
        if name in ("membar", "fence", "nanosleep"):
            return ";"
        what = quoted(statement)
        if name in ("bar", "barrier") and "warp" not in parts:
            red = "red" in parts
            number = x[1] if red else x[0]
            rest = x[2 if red else 1 :]
            count = self._operands.value(rest[0], "b32") if len(rest) > red else "kUnbounded"
            if "arrive" in parts:
                return f"arrive(t, {self._operands.value(number, 'b32')}, {count}, {what});"
            rendezvous = {"popc": "kPopc", "and": "kAnd", "or": "kOr"}[parts[-2]] if red else "kSync"
            brought = self._operands.value(rest[-1], "pred") if red else "0"
            code = f"at_barrier(t, {rendezvous}, {self._operands.value(number, 'b32')}, {count}, {brought}, {what});"
            return f"{code} {name_in_c(x[0])} = t->result;" if red else code
        if name == "bar":
            return f"in_warp(t, kWarpSync, {self._operands.value(x[0], 'b32')}, 0, 0, 0, {what});"
        rendezvous, mask = _WARP[parts[1]], self._operands.value(x[-1], "b32")
        if name == "shfl":
            to, _, predicate = x[0].partition("|")
            values = ", ".join(self._operands.value(x[i], "b32") for i in (1, 2, 3))
            code = f"in_warp(t, {rendezvous}, {mask}, {values}, {what}); {name_in_c(to)} = t->result;"
            return f"{code} {name_in_c(predicate)} = t->predicate;" if predicate else code
        if name == "vote":
            brought = self._operands.value(x[1], "pred")
        else:  # redux
            brought = self._operands.value(x[1], "b32")
            rendezvous += "Signed" if parts[1] in ("min", "max") and parts[2] == "s32" else ""
        return f"in_warp(t, {rendezvous}, {mask}, {brought}, 0, 0, {what}); {name_in_c(x[0])} = t->result;"

    @staticmethod
    def _quotient(name: str, kind: str, a: str, b: str) -> str:
        """Returns a division that cannot trap. On a device, x / 0 has all bits set and x % 0 is x."""
        whole = "~0ull" if name == "div" else a
        overflow = f"-(u64){a}" if name == "div" else "0"  # Dividing the lowest number by -1 must not trap either.
        quotient = f"{a} {'/' if name == 'div' else '%'} {b}"
        if kind[0] == "s":
            quotient = f"{b} == -1 ? {overflow} : (u64)({quotient})"
        return f"{b} == 0 ? (u64){whole} : {quotient}"

    def _move(self, kind: str, x: list[str]) -> str:
        unsigned = kind if kind == "pred" else f"b{bits_of(kind)}"
        if "{" in x[0]:  # The results are parts of a wider register.
            parts, code = x[0].strip("{}").split(","), ""
            for i, part in enumerate(parts):
                if part.strip() != "_":
                    code += f" {name_in_c(part.strip())} = {self._operands.value(x[1], unsigned)} >> {bits_of(kind) // len(parts) * i};"
            return f"{{{code} }}"
        if "{" in x[1]:
            parts = x[1].strip("{}").split(",")
            width = bits_of(kind) // len(parts)
            terms = (f"(u64){self._operands.value(part, f'b{width}')} << {width * i}" for i, part in enumerate(parts))
            return f"{name_in_c(x[0])} = {' | '.join(terms)};"
        return self._operands.assign(x[0], "b64", self._operands.value(x[1], unsigned))

    def _memory(self, name: str, parts: list[str], x: list[str], statement: str) -> str:
        kind, vector = parts[-1], next((int(part[1:]) for part in parts if re.fullmatch(r"v\d", part)), 1)
        size, plain = bits_of(kind) // 8, f"{'i' if kind[0] == 's' else 'u'}{bits_of(kind)}"
        place, register = (x[0], x[1]) if name == "st" else (x[1], x[0])
        registers = [part.strip() for part in register.strip("{}").split(",")]
        access = "kWrites" if name == "st" else "kReads"
        access += " | kStrong" if _STRONG.intersection(parts) else ""
        code = f"{{ u8* p = {self._operands.place(place, parts, size * vector, access, statement)};"
        for i, part in enumerate(registers):
            if name == "st":
                code += f" store_u{8 * size}(p + {size * i}, {self._operands.value(part, f'b{8 * size}')});"
            elif part != "_":
                code += f" {name_in_c(part)} = load_{plain}(p + {size * i});"
        return code + " }"

    def _atomic(self, name: str, parts: list[str], x: list[str], statement: str) -> str:
        how, kind = parts[-2:]
        width, x = bits_of(kind), x if name == "atom" else ["_", *x]
        old = f"as_{kind}(was)" if kind[0] == "f" else f"({'i' if kind[0] == 's' else 'u'}{width})was"
        b = self._operands.value(x[2], kind)
        new = {
            "add": f"{old} + {b}",
            "min": f"{old} < {b} ? {old} : {b}",
            "max": f"{old} > {b} ? {old} : {b}",
            "and": f"{old} & {b}",
            "or": f"{old} | {b}",
            "xor": f"{old} ^ {b}",
            "exch": b,
            "inc": f"{old} >= {b} ? 0 : {old} + 1",
            "dec": f"{old} == 0 || {old} > {b} ? {b} : {old} - 1",
            "cas": f"{old} == {b} ? {self._operands.value(x[3], kind) if how == 'cas' else ''} : {old}",
        }[how]
        new = f"of_{kind}({new})" if kind[0] == "f" else new
        place = self._operands.place(x[1], parts, width // 8, "kReads | kWrites | kStrong", statement)
        code = f"{{ u8* p = {place}; const u{width} was = load_u{width}(p); store_u{width}(p, {new});"
        return code + (f" {name_in_c(x[0])} = was; }}" if x[0] != "_" else " }")

    def _compare(self, parts: list[str], x: list[str]) -> str:
        kind, how = parts[-1], parts[0]
        a, b = self._operands.value(x[1], kind), self._operands.value(x[2], kind)
        if kind[0] == "f" and how in ("num", "nan"):
            test = f"({a} {'==' if how == 'num' else '!='} {a}) {'&&' if how == 'num' else '||'} ({b} {'==' if how == 'num' else '!='} {b})"
        elif kind[0] == "f" and how.endswith("u"):
            opposite = {"equ": None, "neu": "==", "ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<"}[how]
            test = f"!({a} {opposite} {b})" if opposite else f"!({a} < {b} || {a} > {b})"
        elif kind[0] == "f" and how == "ne":
            test = f"({a} < {b} || {a} > {b})"
        else:
            test = f"{a} {_COMPARE[how]} {b}"
        if "|" in x[0]:
            raise NotImplementedError("a comparison with two results")
        if len(parts) == 3:  # The result is combined with another predicate.
            test = f"(({test}) {_LOGIC[parts[1]]} {self._operands.value(x[3], 'pred')})"
        return f"{name_in_c(x[0])} = {test};"

    def _convert(self, parts: list[str], x: list[str]) -> str:
        *how, to, of = parts
        value = self._operands.value(x[1], of)
        if to[0] == "f":
            if of[0] == "f" and how and how[0] in _ROUND:
                return self._operands.assign(x[0], to, f"{_ROUND[how[0]]}({value})")
            return self._operands.assign(x[0], to, f"({to})({value})")
        if of[0] != "f":
            return self._operands.assign(x[0], to, f"({'i' if to[0] == 's' else 'u'}{bits_of(to)}){value}")
        width, signed = bits_of(to), to[0] == "s"
        low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)
        # The result for a NaN follows the table of cvt in the PTX manual.
        nan = 1 << (width - 1) if "f64" in of or width == 64 else 0
        limits = f"{float(low).hex()}, {float(high).hex()}, {low & 2**64 - 1}ull, {high}ull, {nan}ull"
        return self._operands.assign(x[0], to, f"(u{width})to_whole({_ROUND[how[0]]}({value}), {limits})")

    def _call(self, x: list[str]) -> str:
        x = list(x)
        result = name_in_c(x.pop(0).strip("() ")) if x[0].startswith("(") else "0"
        arguments = [part.strip() for part in x[1].strip("() ").split(",")] if len(x) > 1 else []
        if x[0].startswith("%") or len(x) > 2:
            raise NotImplementedError("a call through a register, whose function is unknown until it runs")
        self.calls.add(name_in_c(x[0]))
        passed = ", ".join(["t", result, *(name_in_c(part) for part in arguments if part)])
        return f"{{ const u32 top = t->local_top; {name_in_c(x[0])}({passed}); t->local_top = top; }}"
