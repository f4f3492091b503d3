# SPDX-License-Identifier: Apache-2.0
"""Runs a GPU's kernel where there is no GPU: PTX, the assembly of NVIDIA's virtual machine, as C.

Each instruction becomes one C statement on registers that are unsigned integers; each thread is a call, and where there
are barriers a coroutine. Rounding is IEEE's, and `fma` fuses, as on the device: bits can be compared. An instruction
that is not known here is an error, and so is an access off its alignment, which a device does not survive.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

_PRELUDE = """
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
typedef int8_t i8; typedef int16_t i16; typedef int32_t i32; typedef int64_t i64;
typedef float f32; typedef double f64;
typedef struct { u32 tid, ntid, ctaid, nctaid; int left; ucontext_t context; } Thread;

static ucontext_t scheduler;
static const char* fault;
static inline f32 as_f32(u32 bits) { f32 x; memcpy(&x, &bits, 4); return x; }
static inline f64 as_f64(u64 bits) { f64 x; memcpy(&x, &bits, 8); return x; }
static inline u32 of_f32(f32 x) { u32 bits; memcpy(&bits, &x, 4); return bits; }
static inline u64 of_f64(f64 x) { u64 bits; memcpy(&bits, &x, 8); return bits; }
static inline u8* at(u64 address, u64 bytes, const char* what) {
  if (address & (bytes - 1)) fault = what;
  return (u8*)address;
}
#define LOAD(T, name) static inline T load_##name(const u8* p) { T x; memcpy(&x, p, sizeof(x)); return x; }
#define STORE(T, name) static inline void store_##name(u8* p, T x) { memcpy(p, &x, sizeof(x)); }
LOAD(u8, u8) LOAD(u16, u16) LOAD(u32, u32) LOAD(u64, u64) LOAD(i8, i8) LOAD(i16, i16) LOAD(i32, i32) LOAD(i64, i64)
STORE(u8, u8) STORE(u16, u16) STORE(u32, u32) STORE(u64, u64)
static inline u32 brev32(u32 x) { u32 y = 0; for (int i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i); return y; }
static inline u32 permute(u32 a, u32 b, u32 select) {
  u32 y = 0;
  for (int i = 0; i < 4; ++i, select >>= 4) {
    u32 byte = (u8)(((u64)b << 32 | a) >> 8 * (select & 7));
    y |= (select & 8 ? (u8)-(byte >> 7) : byte) << 8 * i;
  }
  return y;
}
#define DP2A(H, B, a, b, c) ((c) + (H)(a) * (B)(b) + (H)((a) >> 16) * (B)((b) >> 8))
static inline u64 to_whole(f64 x, f64 low, f64 high) {
  if (x != x) return 0;
  return x <= low ? (u64)(i64)low : x >= high ? high >= 0x1p63 ? ~0ull >> (high < 0x1p64) : (u64)high
                                  : x < 0 ? (u64)(i64)x : (u64)x;
}
static void barrier(Thread* t) { swapcontext(&t->context, &scheduler); }
"""

_LAUNCH = """
static u8** arguments;
static void enter(u32 low, u32 high) {
  Thread* t = (Thread*)((u64)high << 32 | low);
  call_kernel(t, arguments);
  t->left = 0;
}
const char* launch(u32 grid, u32 block, u8** given) {
  enum { kStack = 1 << 16 };
  fault = 0;
  arguments = given;
  Thread* threads = calloc(block, sizeof(Thread));
  u8* stacks = BARRIERS ? malloc((u64)block * kStack) : 0;
  for (u32 b = 0; b < grid; ++b) {
    for (u32 i = 0; i < block; ++i) {
      Thread* t = &threads[i];
      t->tid = i; t->ntid = block; t->ctaid = b; t->nctaid = grid; t->left = 1;
      if (!BARRIERS) { call_kernel(t, given); continue; }
      getcontext(&t->context);
      t->context.uc_stack.ss_sp = stacks + (u64)i * kStack;
      t->context.uc_stack.ss_size = kStack;
      t->context.uc_link = &scheduler;
      makecontext(&t->context, (void (*)(void))enter, 2, (u32)(u64)t, (u32)((u64)t >> 32));
    }
    // From one barrier to the next, the last thread first: a host's loop has the other order, so what depends on it
    // shows. A thread that has returned is waited for no more.
    for (u32 left = BARRIERS ? block : 0; left > 0;) {
      left = 0;
      for (u32 i = block; i-- > 0;) {
        if (!threads[i].left) continue;
        swapcontext(&scheduler, &threads[i].context);
        left += threads[i].left;
      }
    }
  }
  free(stacks);
  free(threads);
  return fault;
}
"""

_SPECIAL = {"%tid.x": "t->tid", "%ntid.x": "t->ntid", "%ctaid.x": "t->ctaid", "%nctaid.x": "t->nctaid"}
_COMPARE = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_LOGIC = {"and": "&", "or": "|", "xor": "^"}
_WHOLE_RANGE = {"s32": ("-0x1p31", "2147483647.0"), "u32": ("0", "4294967295.0"), "s64": ("-0x1p63", "0x1p63"), "u64": ("0", "0x1p64")}  # fmt: skip


def translate(ptx: str) -> str:
    """The C of a PTX module with one kernel, with a function `launch`.

    Raises:
        NotImplementedError: an instruction that is not known here.
    """
    ptx = re.sub(r"//[^\n]*", "", ptx)
    globals_, declared, functions = [], [], []
    for item in _items(ptx):
        if re.search(r"\.(entry|func)\b", item):
            function = _Function(item)
            if function.entry:
                kernel = function
            declared.append(f"{function.signature};")
            functions.append(function.text)
        elif re.match(r"(\.\w+\s+)*\.(global|const|shared)\b", item):
            globals_.append(_variable(item))
    calls = ", ".join(f"given[{i}]" for i in range(len(kernel.parameters)))
    call = f"static void call_kernel(Thread* t, u8** given) {{ {kernel.name}(t, 0, {calls}); }}"
    barriers = f"enum {{ BARRIERS = {int('barrier(t);' in ''.join(functions))} }};"
    return "\n".join([_PRELUDE, *globals_, *declared, *functions, call, barriers, _LAUNCH])


class Kernel:
    """A kernel that can be launched, as C that a compiler has made."""

    def __init__(self, ptx: str, folder: Path) -> None:
        source, library = folder / "kernel.c", folder / "kernel.so"
        source.write_text(translate(ptx))
        # No product may be fused with a sum here that is not in the PTX.
        flags = ["-std=gnu11", "-O1", "-w", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-fPIC", "-shared"]
        subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
        self._launch = ctypes.CDLL(str(library)).launch
        self._launch.restype = ctypes.c_char_p

    def launch(self, grid: int, block: int, arguments: Sequence[bytes]) -> None:
        """Runs `grid` blocks of `block` threads. An argument is the bytes of a parameter; memory is the process's.

        Raises:
            RuntimeError: an access off its alignment.
        """
        buffers = [np.frombuffer(argument.ljust(16, b"\0") + bytes(16), np.uint8).copy() for argument in arguments]
        places = (ctypes.c_void_p * len(buffers))(*(buffer.ctypes.data for buffer in buffers))
        fault = self._launch(ctypes.c_uint32(grid), ctypes.c_uint32(block), places)
        if fault:
            raise RuntimeError(f"not aligned: {fault.decode()}")


def _items(text: str) -> list[str]:
    """Declarations and functions of a module."""
    items, depth, begin = [], 0, 0
    for match in re.finditer(r"[(){};]", text):
        depth += (match[0] in "{(") - (match[0] in "})")
        if depth == 0 and match[0] in "};":
            item = text[begin : match.end()].strip()
            if match[0] == ";" or re.search(r"\.(entry|func)\b", item):  # else the end of a list of values
                items.append(item)
                begin = match.end()
    header = re.compile(r"^(\.(version|target|address_size)[^\n]*\n\s*)+")
    return [header.sub("", item) for item in items]


def _name(name: str) -> str:
    return name.replace("$", "_S_").replace("%", "R_")


def _width(kind: str) -> int:
    return 8 if kind == "pred" else int(re.sub(r"\D", "", kind))


def _variable(item: str) -> str:
    found = re.search(r"(?:\.align (\d+) )?\.(\w+) ([\w$.]+)(\[\d*\])?\s*(?:=\s*(.*?))?\s*;$", item, re.S)
    assert found, item
    align, kind, name, extent, value = found.groups()
    value = "" if value is None else re.sub(r"0[df]([0-9A-Fa-f]+)", r"0x\1", value)
    value = re.sub(r"generic\(([\w$]+)\)", lambda m: f"(u64){_name(m[1])}", value)
    value = "" if not value else f" = {value}" if value.startswith("{") else f" = {{{value}}}"
    return f"static _Alignas({max(int(align or 1), 8)}) u{_width(kind)} {_name(name)}{extent or '[1]'}{value};"


class _Function:
    """One .entry or .func."""

    def __init__(self, item: str) -> None:
        head, _, body = item.partition("{")
        self.entry = ".entry" in head
        head = re.sub(r"\.(maxntid|minnctapersm|noinline|pragma)[^\n{]*", "", head)
        lists = re.findall(r"\(([^()]*)\)", head)
        found = re.search(r"([\w$]+)\s*(\([^()]*\))?\s*;?$", head.strip())
        assert found, head
        self.name = _name(found[1])
        self.parameters = _declared_names(lists[-1]) if found[2] else []
        results = _declared_names(lists[0]) if len(lists) > (found[2] is not None) else []
        result = results[0] if results else "result"
        arguments = "".join(f", u8* {name}" for name in self.parameters)
        self.signature = f"static void {self.name}(Thread* t, u8* {result}{arguments})"
        self._widths: dict[str, int] = {}
        self._targets: dict[str, str] = {}
        self._declarations: list[str] = []
        if not body:
            self.text = ""
            return
        lines = [line for statement in self._statements(body.rpartition("}")[0]) for line in self._line(statement)]
        self.text = "\n".join([self.signature, "{", *self._declarations, *lines, "}"])

    @staticmethod
    def _statements(body: str) -> list[str]:
        statements, part = [], ""
        for line in body.splitlines():
            line = line.strip()
            if not part and (line in "{}" or re.fullmatch(r"[\w$]+:", line)):
                statements.append(line)
                continue
            part = f"{part} {line}".strip()
            if part.endswith(";"):
                statements.append(part[:-1].strip())
                part = ""
            elif re.match(r"[\w$]+: \.branchtargets", part) is None and re.fullmatch(r"[\w$]+:", part):
                statements.append(part)
                part = ""
        assert not part, part
        return [statement for statement in statements if statement]

    # --- operands ---

    def _operand(self, text: str, kind: str = "b64") -> str:
        """An operand's value as C, of the type that the instruction gives it."""
        text = text.strip()
        if text.startswith("!"):
            return f"!{self._operand(text[1:], kind)}"
        if text in _SPECIAL:
            bits = _SPECIAL[text]
        elif re.match(r"%n?(tid|ctaid)\.[yz]", text):
            bits = "1" if text.startswith("%n") else "0"
        elif match := re.fullmatch(r"0([df])([0-9A-Fa-f]+)", text):
            bits = f"0x{match[2]}{'ull' if match[1] == 'd' else 'u'}"
        elif re.fullmatch(r"-?\d+", text):
            bits = f"{text}ull" if int(text) >= 0 else f"(u64)({text}ll)" if int(text) > -(2**63) else "(1ull << 63)"
        else:
            bits = _name(text) if text.startswith("%") else f"(u64){_name(text)}"
        if kind == "pred":
            return f"!!{bits}"  # true is -1 where it is a constant
        if kind[0] == "f":
            return f"as_{kind}({bits})"
        return f"({'i' if kind[0] == 's' else 'u'}{_width(kind)})({bits})"

    def _set(self, to: str, kind: str, value: str) -> str:
        value = f"of_{kind}({value})" if kind[0] == "f" else value
        return f"{_name(to.strip())} = {value};"

    def _address(self, text: str) -> str:
        match = re.fullmatch(r"\[([%\w$.]+)(?:\+(-?\d+))?\]", text.strip())
        assert match, text
        return f"{self._operand(match[1])} + (i64){match[2] or 0}"

    # --- statements ---

    def _line(self, statement: str) -> list[str]:
        if statement in "{}":
            return [statement]
        if match := re.fullmatch(r"([\w$]+):", statement):
            return [f"{_name(match[1])}:;"]
        if match := re.fullmatch(r"([\w$]+):\s*\.branchtargets (.*)", statement):
            self._targets[match[1]] = match[2]
            return []
        if statement.startswith(".reg"):
            return self._registers(statement)
        if statement.startswith((".param", ".local")):
            names = re.search(r"\.(\w+)\s+([\w$]+)(\[\d+\])?$", statement)
            assert names, statement
            size = int(names[3][1:-1]) if names[3] else 1
            declaration = f"_Alignas(16) u8 {_name(names[2])}[{size * _width(names[1]) // 8}];"
            if statement.startswith(".local"):
                self._declarations.append(declaration)
                return []
            return [declaration]
        if statement.startswith("."):  # .loc, .pragma
            return []
        guard = ""
        if match := re.match(r"@(!?)%(\w+)\s+", statement):
            guard, statement = f"if ({match[1]}R_{match[2]}) ", statement[match.end() :]
        operation, _, rest = statement.partition(" ") if " " in statement else statement.partition("\t")
        operands = [part.strip() for part in re.findall(r"(?:\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|[^,{(\[]+)+", rest)]
        code = self._instruction(operation.strip(), operands, statement)
        return [f"{guard}{{ {code} }}" if guard else code]

    def _registers(self, statement: str) -> list[str]:
        match = re.fullmatch(r"\.reg \.(\w+)\s+%?([\w]+)(?:<(\d+)>)?", statement)
        assert match, statement
        width = _width(match[1])
        name = f"R_{match[2]}"
        if name == "R_temp_param_reg":  # of every call, and never used
            return []
        names = [f"{name}{i}" for i in range(1, int(match[3]))] if match[3] else [name]
        if names:
            self._declarations.append(f"u{width} {', '.join(f'{register} = 0' for register in names)};")
        return []

    def _instruction(self, operation: str, x: list[str], statement: str) -> str:
        name, *parts = operation.split(".")
        kind = parts[-1] if parts else ""
        value = lambda i, k=kind: self._operand(x[i], k)  # noqa: E731
        put = lambda expression, k=kind: self._set(x[0], k, expression)  # noqa: E731
        bits = _width(kind) if re.search(r"\d", kind) else 0
        unsigned, real = f"b{bits}", kind.startswith("f")
        if name == "mov":
            if "{" in x[0]:  # halves of a wider register
                low, high = x[0].strip("{}").split(",")
                return f"{_name(low.strip())} = {value(1)}; {_name(high.strip())} = {value(1)} >> {bits // 2};"
            if "{" in x[1]:
                low, high = x[1].strip("{}").split(",")
                half = f"b{bits // 2}"
                return f"{_name(x[0])} = {self._operand(low, half)} | (u64){self._operand(high, half)} << {bits // 2};"
            return self._set(x[0], "b64", self._operand(x[1], "pred" if kind == "pred" else unsigned))
        if name in ("ld", "st", "ldu"):
            return self._memory(name, parts, x, statement)
        if name == "cvta":
            return put(value(1))
        if name in ("add", "sub", "mul", "div", "min", "max") and real:
            self._rounds_to_nearest(name, parts, statement)
            if name in ("min", "max"):
                return put(f"f{name}{'f' if bits == 32 else ''}({value(1)}, {value(2)})")
            return put(f"{value(1)} {_ARITHMETIC[name]} {value(2)}")
        if name == "fma" and parts[0] == "rn":
            return put(f"fma{'f' if bits == 32 else ''}({value(1)}, {value(2)}, {value(3)})")
        if name in ("sqrt", "rcp") and parts[0] == "rn":
            return put(f"sqrt{'f' if bits == 32 else ''}({value(1)})" if name == "sqrt" else f"1 / {value(1)}")
        if name in ("neg", "abs") and real:
            sign = f"(1ull << {bits - 1})"
            return f"{_name(x[0])} = {value(1, unsigned)} {'^' if name == 'neg' else '& ~'}{sign};"
        if name in ("add", "sub") and len(parts) == 1:
            return put(f"{value(1, unsigned)} {'+' if name == 'add' else '-'} {value(2, unsigned)}")
        if name in ("mul", "mad") and parts[0] in ("lo", "wide", "hi"):
            long = {16: "32", 32: "64", 64: "128"}[bits]
            wide = {"128": "__int128" if kind[0] == "s" else "unsigned __int128"}.get(long) or (
                ("i" if kind[0] == "s" else "u") + long
            )
            product = f"(({wide}){value(1)} * ({wide}){value(2)})"
            product = f"(u{bits})({product} >> {bits})" if parts[0] == "hi" else product
            product = f"(u{bits}){product}" if parts[0] == "lo" else product
            if name == "mad":
                product += f" + {self._operand(x[3], unsigned if parts[0] != 'wide' else f'b{2 * bits}')}"
            return put(product)
        if name in ("div", "rem"):
            return put(f"{value(1)} {'/' if name == 'div' else '%'} {value(2)}")
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
        if name in ("shl", "shr"):
            shift = self._operand(x[2], "b32")
            if name == "shr" and kind[0] == "s":
                return put(f"{value(1)} >> ({shift} > {bits - 1} ? {bits - 1} : {shift})")
            return put(f"{shift} > {bits - 1} ? 0 : {value(1)} {'<<' if name == 'shl' else '>>'} {shift}")
        if name == "bfi":  # b with the lowest bits of a put in at c, d of them
            a, b, at, count = value(1), value(2), self._operand(x[3], "b32"), self._operand(x[4], "b32")
            mask = f"(({count} >= {bits} ? ~(u{bits})0 : ((u{bits})1 << {count}) - 1) << {at})"
            return put(f"({b} & ~{mask}) | ({a} << {at} & {mask})")
        if name == "bfe" and kind[0] == "u":
            at, count = self._operand(x[2], "b32"), self._operand(x[3], "b32")
            return put(f"{value(1)} >> {at} & ({count} >= {bits} ? ~(u{bits})0 : ((u{bits})1 << {count}) - 1)")
        if name == "shf" and parts[1] == "wrap":
            low, high, shift = value(1), value(2), f"({self._operand(x[3], 'b32')} & 31)"
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
        if name == "prmt" and len(parts) == 1:
            return put(f"permute({value(1)}, {value(2)}, {value(3)})")
        if name == "dp2a":  # two 16-bit halves times two bytes
            half, byte = (f"{'i' if part[0] == 's' else 'u'}" for part in parts[1:])
            second = f"{value(2, 'u32')}{' >> 16' if parts[0] == 'hi' else ''}"
            return put(f"DP2A({half}16, {byte}8, {value(1, 'u32')}, {second}, {value(3, 'u32')})")
        if name == "brev" and bits == 32:
            return put(f"brev32({value(1)})")
        if name == "selp":
            return put(f"{self._operand(x[3], 'pred')} ? {value(1)} : {value(2)}")
        if name == "setp":
            return self._compare(parts, x, statement)
        if name == "cvt":
            return self._convert(parts, x, statement)
        if name == "bra":
            return f"goto {_name(x[0])};"
        if name == "brx":
            labels = self._targets[x[1]].split(",")
            cases = " ".join(f"case {i}: goto {_name(label.strip())};" for i, label in enumerate(labels))
            return f"switch ({self._operand(x[0], 'b32')}) {{ {cases} }}"
        if name in ("ret", "exit"):
            return "return;"
        if name in ("bar", "barrier"):
            return "barrier(t);"
        if name == "call":
            return self._call(x)
        raise NotImplementedError(statement)

    @staticmethod
    def _rounds_to_nearest(name: str, parts: list[str], statement: str) -> None:
        if set(parts[:-1]) - {"rn"} or (name == "div" and "rn" not in parts):
            raise NotImplementedError(statement)

    def _memory(self, name: str, parts: list[str], x: list[str], statement: str) -> str:
        kind, vector = parts[-1], next((int(part[1:]) for part in parts if re.fullmatch(r"v\d", part)), 1)
        size, plain = _width(kind) // 8, f"{'i' if kind[0] == 's' else 'u'}{_width(kind)}"
        place, register = (x[0], x[1]) if name == "st" else (x[1], x[0])
        registers = [part.strip() for part in register.strip("{}").split(",")]
        code = f'{{ u8* p = at({self._address(place)}, {size * vector}, "{statement}");'
        for i, part in enumerate(registers):
            if name == "st":
                code += f" store_u{8 * size}(p + {size * i}, {self._operand(part, f'b{8 * size}')});"
            elif part != "_":
                code += f" {_name(part)} = load_{plain}(p + {size * i});"
        return code + " }"

    def _compare(self, parts: list[str], x: list[str], statement: str) -> str:
        kind, how = parts[-1], parts[0]
        a, b = self._operand(x[1], kind), self._operand(x[2], kind)
        if kind[0] == "f" and how in ("num", "nan"):
            test = f"({a} {'==' if how == 'num' else '!='} {a}) {'&&' if how == 'num' else '||'} ({b} {'==' if how == 'num' else '!='} {b})"
        elif kind[0] == "f" and how.endswith("u"):
            opposite = {"equ": None, "neu": "==", "ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<"}[how]
            test = f"!({a} {opposite} {b})" if opposite else f"!({a} < {b} || {a} > {b})"
        elif kind[0] == "f" and how == "ne":
            test = f"({a} < {b} || {a} > {b})"
        else:
            test = f"{a} {_COMPARE[how]} {b}"
        if len(parts) == 3:  # and another predicate
            test = f"({test}) {_LOGIC[parts[1]]} {self._operand(x[3], 'pred')}"
        elif len(parts) != 2 or "|" in x[0]:
            raise NotImplementedError(statement)
        return f"{_name(x[0])} = {test};"

    def _convert(self, parts: list[str], x: list[str], statement: str) -> str:
        *how, to, of = parts
        value = self._operand(x[1], of)
        if to[0] == "f":
            if of[0] == "f" and how and how[0] in ("rni", "rzi", "rmi", "rpi"):
                call = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}[how[0]]
                return self._set(x[0], to, f"{call}({value})")
            if set(how) - {"rn"}:
                raise NotImplementedError(statement)
            return self._set(x[0], to, f"({to})({value})")
        if of[0] == "f":
            if to not in _WHOLE_RANGE:
                raise NotImplementedError(statement)
            call = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}[how[0]]
            low, high = _WHOLE_RANGE[to]
            return self._set(x[0], to, f"to_whole({call}({value}), {low}, {high})")
        if how:
            raise NotImplementedError(statement)
        return self._set(x[0], to, f"({'i' if to[0] == 's' else 'u'}{_width(to)}){value}")

    def _call(self, x: list[str]) -> str:
        result = x.pop(0).strip("() ") if x[0].startswith("(") else "0"
        arguments = [part.strip() for part in x[1].strip("() ").split(",")] if len(x) > 1 else []
        return f"{_name(x[0])}({', '.join(['t', result, *(_name(part) for part in arguments if part)])});"


def _declared_names(text: str) -> list[str]:
    return [_name(re.sub(r"\[\d*\]", "", part).split()[-1]) for part in text.split(",") if part.strip()]
