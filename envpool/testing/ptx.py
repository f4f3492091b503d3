# SPDX-License-Identifier: Apache-2.0
"""Translates PTX, the assembly of NVIDIA's virtual machine, into C, so that kernels run where there is no GPU.

`python ptx.py FROM TO` is what the stand-in for the CUDA driver calls (envpool/testing/standin), so this file needs
nothing but the standard library. Each instruction becomes one C statement on registers that are unsigned integers;
`standin/threads.h` has what the statements use. Rounding is IEEE's, and `fma` fuses, as on the device: bits can be
compared. An instruction that is not known here, with all its modifiers, is refused.
"""

from __future__ import annotations

import re
import sys

_INTEGER = r"[bsu](16|32|64)"
_ANY = r"([bsu](16|32|64)|f(32|64))"
_STORED = r"([bsu](8|16|32|64)|f(32|64))"
_ORDER = r"(\.(weak|volatile|relaxed|acquire|release|acq_rel|sc|cta|gpu|sys))*"
_SPACE = r"(\.(global|shared(::cta)?))?"
_CACHE = r"(\.(nc|ca|cg|cs|cv|lu|wb|wt))*(\.L[12]::\w+(\.\w+)?)*"
_ATOMIC = r"((add|min|max)\.[us](32|64)|add\.f(32|64)|(inc|dec)\.u32|(and|or|xor)\.b(32|64)|(exch|cas)\.b(32|64))"  # fmt: skip
# All that is translated. What is not matched in full is refused, so that no modifier is ignored.
_KNOWN = re.compile(
    "|".join(
        [
            rf"mov\.(pred|{_ANY})",
            rf"(ld|ldu|st){_ORDER}(\.(global|shared(::cta)?|local|param(::\w+)?|const))?{_CACHE}(\.v[24])?\.{_STORED}",
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
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # fmt: skip
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_LOGIC = {"and": "&", "or": "|", "xor": "^"}
_ROUND = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_WARP = {"up": "kUp", "down": "kDown", "bfly": "kButterfly", "idx": "kIndex"}
_WARP |= {"all": "kAll", "any": "kAny", "uni": "kUniform", "ballot": "kBallot"}
_WARP |= {"add": "kAdd", "min": "kMin", "max": "kMax", "and": "kBitAnd", "or": "kBitOr", "xor": "kBitXor"}
# The accesses that the memory model of PTX calls strong: two of them are no race.
_STRONG = {"volatile", "relaxed", "acquire", "release"}
# A thread waits in these. A kernel that has one of them runs its threads together.
_MEETINGS = re.compile(r"\b(at_barrier|arrive|in_warp)\(t,")


def translate(ptx: str) -> str:
    """The C of a PTX module, which follows `standin/module.h` and `standin/threads.h` and ends with `module_table`.

    Raises:
        NotImplementedError: something that is not known here, with its text.
    """
    ptx = re.sub(r"//[^\n]*", "", ptx)
    items = [item for item in _items(ptx) if item.strip("; \n")]
    names = _Names()
    for item in items:
        if not _is_function(item):
            names.declare(item)
    functions = [_Function(item, names) for item in items if _is_function(item)]
    functions = [function for function in functions if function.text] + [f for f in functions if not f.text]
    bodies = {function.name: function for function in functions if function.text}
    declared = {f"{function.signature};" for function in functions if function.plain_name != "__assertfail"}
    kernels = [function for function in bodies.values() if function.entry]
    depots = sum(function.local_bytes for function in bodies.values())
    lines = [*sorted(declared), *(function.text for function in bodies.values())]
    for kernel in kernels:
        lines.append(_kernel(kernel, bodies, depots, names))
    table = ", ".join(
        f'{{"{k.plain_name}", launch_{k.name}, (const uint32_t[]){{{", ".join(map(str, [*k.sizes, 0]))}}}, {len(k.sizes)}, '
        f"{names.shared_bytes + k.shared_bytes}, {depots}, {k.max_threads}}}"
        for k in kernels
    )
    lines.append(f"static const ModuleKernel kernels[] = {{{table or '{0}'}}};")
    lines.extend(names.initial_values())
    table = ", ".join(variable.row for variable in names.variables)
    lines.append(f"static const ModuleVariable variables[] = {{{table or '{0}'}}};")
    lines.append(f"const ModuleTable module_table = {{kernels, variables, {len(kernels)}, {len(names.variables)}}};")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Translates one file into another. The exit status is 2 where something is refused, with its text on stderr."""
    source, target = arguments
    with open(source) as file:
        ptx = file.read()
    try:
        c = translate(ptx)
    except NotImplementedError as error:
        print(error, file=sys.stderr)
        return 2
    with open(target, "w") as file:
        file.write(c)
    return 0


def _kernel(kernel: _Function, bodies: dict[str, _Function], depots: int, names: _Names) -> str:
    """The function that launches a kernel."""
    reached, todo = set(), [kernel.name]
    while todo:
        name = todo.pop()
        if name not in reached and name in bodies:
            reached.add(name)
            todo.extend(bodies[name].calls)
    together = any(_MEETINGS.search(bodies[name].text) for name in reached)
    arguments = "".join(f", t->launch->parameters[{i}]" for i in range(len(kernel.parameters)))
    return (
        f"static void body_{kernel.name}(Thread* t) {{ {kernel.name}(t, 0{arguments}); }}\n"
        f"static int launch_{kernel.name}(Launch* launch) {{ return launch_kernel(launch, body_{kernel.name}, "
        f"{int(together)}, {names.shared_bytes + kernel.shared_bytes}, {depots}); }}"
    )


def _items(text: str) -> list[str]:
    """Declarations and functions of a module."""
    items, depth, begin = [], 0, 0
    for match in re.finditer(r"[(){};]", text):
        depth += (match[0] in "{(") - (match[0] in "})")
        if depth == 0 and match[0] in "};":
            item = text[begin : match.end()].strip()
            if match[0] == ";" or _is_function(item):  # else the end of a list of values
                items.append(item)
                begin = match.end()
    header = re.compile(r"^(\.(version|target|address_size)[^\n]*\n\s*)+")
    return [header.sub("", item) for item in items]


def _is_function(item: str) -> bool:
    return re.search(r"\.(entry|func)\b", item) is not None


def _name(name: str) -> str:
    """In C, a register's name or another, which collides with none of threads.h."""
    name = name.replace("$", "_S_").replace(".", "_D_")
    return f"R_{name[1:]}" if name.startswith("%") else f"P_{name}"


def _width(kind: str) -> int:
    return 8 if kind == "pred" else int(re.sub(r"\D", "", kind))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Variable:
    """A .global or .const of a module, which is memory of the device."""

    def __init__(self, name: str, width: int, count: int, value: str, pointers: list[tuple[int, str, int]]) -> None:
        self.name, self.width, self.count = name, width, count  # bits of an element, and how many elements
        self.value = value  # the elements in C, none for zeros
        self.pointers = pointers  # element, the variable whose address it is, and what is added

    @property
    def symbol(self) -> str:
        return f"V_{_name(self.name)}"

    @property
    def row(self) -> str:
        value = f"{self.symbol}_value" if self.value else "0"
        pointers = f"{self.symbol}_pointers" if self.pointers else "0"
        size = self.count * self.width // 8
        return f'{{"{self.name}", {size}, {value}, {pointers}, {len(self.pointers)}}}'


class _Names:
    """Maps names to variables of the module and places in shared memory."""

    def __init__(self) -> None:
        self.variables: list[_Variable] = []
        self.expressions: dict[str, str] = {}  # in C
        self.shared_bytes = 0

    def declare(self, item: str) -> None:
        """Takes a declaration at the level of the module."""
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
        self.variables.append(_Variable(name, _width(kind), count, ", ".join(elements), pointers))

    def share(self, item: str, begin: int) -> int:
        """Places a .shared variable behind `begin`; returns where it ends."""
        match = re.search(r"\.shared\s+(?:\.align\s+(\d+)\s+)?\.([bsuf]\d+)\s+([\w$.]+)(\[\d*\])?\s*;?$", item)
        if not match:
            raise NotImplementedError(" ".join(item.split()))
        align, kind, name, extent = match.groups()
        if ".extern" in item or extent == "[]":  # as large as the launch says
            self.expressions[name] = "((u64)t->dynamic)"
            return begin
        align = max(int(align or 1), _width(kind) // 8)
        begin = -(-begin // align) * align
        self.expressions[name] = f"({begin}ull)"
        return begin + _width(kind) // 8 * (int(extent[1:-1]) if extent else 1)

    def initial_values(self) -> list[str]:
        """The arrays that the variables' rows point to."""
        lines, numbers = [], {variable.name: i for i, variable in enumerate(self.variables)}
        for variable in self.variables:
            if variable.value:
                values = f"{variable.symbol}_value[{variable.count}] = {{{variable.value}}}"
                lines.append(f"static const u{variable.width} {values};")
            if variable.pointers:
                missing = [name for _, name, _ in variable.pointers if name not in numbers]
                if missing:
                    raise NotImplementedError(f"the address of {missing[0]} in the value of {variable.name}")
                rows = ", ".join(
                    f"{{{variable.width // 8 * i}, {numbers[name]}, {offset}}}" for i, name, offset in variable.pointers
                )
                lines.append(f"static const ModulePointer {variable.symbol}_pointers[] = {{{rows}}};")
        return lines


class _Function:
    """One .entry or .func."""

    def __init__(self, item: str, names: _Names) -> None:
        head, _, body = item.partition("{")
        self.entry = ".entry" in head
        self.max_threads = self._most_threads(head)
        head = re.sub(r"\.(maxntid|reqntid|minnctapersm|maxnreg|noinline|noreturn|pragma)\b[^\n{]*", "", head)
        lists = re.findall(r"\(([^()]*)\)", head)
        found = re.search(r"([\w$]+)\s*(\([^()]*\))?\s*;?$", head.strip())
        if not found:
            raise NotImplementedError(" ".join(head.split()))
        self.plain_name, self.name = found[1], _name(found[1])
        self.parameters = _declared_names(lists[-1]) if found[2] else []
        self.sizes = _declared_sizes(lists[-1]) if found[2] else []
        results = _declared_names(lists[0]) if len(lists) > (found[2] is not None) else []
        result = results[0] if results else "P_result"
        arguments = "".join(f", u8* {name}" for name in self.parameters)
        self.signature = f"static void {self.name}(Thread* t, u8* {result}{arguments})"
        self.local_bytes = self.shared_bytes = 0
        self.calls: set[str] = set()
        self.text = ""
        self._names = names
        self._depth = 0  # of braces
        self._targets: dict[str, str] = {}
        self._declarations: list[str] = []
        self._own = {*self.parameters, result}  # names of host memory
        if body:
            lines = [line for statement in self._statements(body.rpartition("}")[0]) for line in self._line(statement)]
            slots = "const Slot* const slots = t->launch->slots;"
            self.text = "\n".join([self.signature, "{", slots, *self._declarations, *lines, "}"])
        elif self.plain_name != "__assertfail" and ".extern" in head:
            raise NotImplementedError(f"a call of {self.plain_name}, which the module does not have")

    @staticmethod
    def _most_threads(head: str) -> int:
        match = re.search(r"\.(?:maxntid|reqntid)\s+([\d, ]+)", head)
        most = 1
        for extent in match[1].split(",") if match else ["1024"]:
            most *= int(extent)
        return most

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
        if part:
            raise NotImplementedError(part)
        return [statement for statement in statements if statement]

    # --- operands ---

    def _operand(self, text: str, kind: str = "b64") -> str:
        """An operand's value as C, of the type that the instruction gives it."""
        text = text.strip()
        if text.startswith("!"):
            return f"!{self._operand(text[1:], kind)}"
        if text in _SPECIAL:
            bits = _SPECIAL[text]
        elif match := re.fullmatch(r"0([dDfF])([0-9A-Fa-f]+)", text):
            bits = f"0x{match[2]}{'ull' if match[1] in 'dD' else 'u'}"
        elif re.fullmatch(r"0x[0-9A-Fa-f]+U?", text):
            bits = f"{text.rstrip('U')}ull"
        elif re.fullmatch(r"-?\d+", text):
            bits = f"{text}ull" if int(text) >= 0 else f"(u64)({text}ll)" if int(text) > -(2**63) else "(1ull << 63)"
        elif text.startswith("%") and _name(text) in self._own:
            bits = _name(text)
        elif text in self._names.expressions:
            bits = self._names.expressions[text]
        elif _name(text) in self._own:
            bits = f"(u64){_name(text)}"
        else:
            raise NotImplementedError(f"the operand {text}")
        if kind == "pred":
            return f"!!{bits}"  # true is -1 where it is a constant
        if kind[0] == "f":
            return f"as_{kind}({bits})"
        return f"({'i' if kind[0] == 's' else 'u'}{_width(kind)})({bits})"

    def _set(self, to: str, kind: str, value: str) -> str:
        value = f"of_{kind}({value})" if kind[0] == "f" else value
        return f"{_name(to.strip())} = {value};"

    def _address(self, text: str) -> str:
        match = re.fullmatch(r"\[([%\w$.]+)(?:\s*\+\s*(-?\d+))?\]", text.strip())
        if not match:
            raise NotImplementedError(text)
        return f"{self._operand(match[1])} + (i64){match[2] or 0}"

    def _place(self, text: str, parts: list[str], size: int, access: str, statement: str) -> str:
        """Returns the host's pointer to the memory whose address an operand in brackets holds."""
        if any(part.startswith("param") for part in parts):
            return f"(u8*)({self._address(text)})"
        address = self._address(text)
        if any(part.startswith("shared") for part in parts):
            address = f"SHARED({address})"
        return f"at(t, slots, {address}, {size}, {access}, {_quoted(statement)})"

    # --- statements ---

    def _line(self, statement: str) -> list[str]:
        if statement in "{}":
            self._depth += 1 if statement == "{" else -1
            return [statement]
        if match := re.fullmatch(r"([\w$]+):", statement):
            return [f"{_name(match[1])}:;"]
        if match := re.fullmatch(r"([\w$]+):\s*\.branchtargets (.*)", statement):
            self._targets[match[1]] = match[2]
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
        if not _KNOWN.fullmatch(operation):
            raise NotImplementedError(statement)
        try:
            code = self._instruction(operation, operands, statement)
        except (NotImplementedError, LookupError, ValueError) as error:
            raise NotImplementedError(f"{statement} ({error})") from None
        return [f"{guard}{{ {code} }}" if guard else code]

    def _registers(self, statement: str) -> list[str]:
        match = re.fullmatch(r"\.reg\s+\.(\w+)\s+(.*)", statement)
        if not match or not re.fullmatch(rf"pred|{_STORED}", match[1]):
            raise NotImplementedError(statement)
        names = []
        for part in match[2].split(","):
            name, _, count = part.strip().rstrip(">").partition("<")
            name = name if name.startswith("%") else f"%{name}"
            if name == "%temp_param_reg":  # of every call, and never used
                continue
            names.extend(f"{_name(name)}{i}" for i in range(int(count))) if count else names.append(_name(name))
        self._own.update(names)
        declaration = f"u{_width(match[1])} {', '.join(f'{register} = 0' for register in names)};" if names else ""
        if self._depth:  # hides those of the function
            return [declaration]
        self._declarations.append(declaration)
        return []

    def _room(self, statement: str) -> list[str]:
        """Memory of a call's parameters, or a thread's own."""
        match = re.search(r"\.(\w+)\s+([\w$]+)(\[\d+\])?$", statement)
        if not match:
            raise NotImplementedError(statement)
        name, size = _name(match[2]), (int(match[3][1:-1]) if match[3] else 1) * _width(match[1]) // 8
        self._own.add(name)
        if statement.startswith(".local"):
            self.local_bytes += -(-size // 16) * 16
            self._declarations.append(f"const u64 {name} = local(t, {size}, {_quoted(self.plain_name)});")
            return []
        return [f"_Alignas(16) u8 {name}[{size}];"]

    def _instruction(self, operation: str, x: list[str], statement: str) -> str:
        name, *parts = operation.split(".")
        kind = parts[-1] if parts else ""
        value = lambda i, k=kind: self._operand(x[i], k)  # noqa: E731
        put = lambda expression, k=kind: self._set(x[0], k, expression)  # noqa: E731
        bits = _width(kind) if re.fullmatch(r"[bsuf]\d+", kind) else 0
        unsigned, real = f"b{bits}", kind.startswith("f") and bits > 0
        if name == "mov":
            return self._move(kind, x)
        if name in ("ld", "st", "ldu"):
            return self._memory(name, parts, x, statement)
        if name in ("atom", "red"):
            return self._atomic(name, parts, x, statement)
        if name == "cvta":
            if "shared" not in parts:  # these have one address in all spaces
                return put(value(1))
            return put(f"(u32){value(1)}" if parts[0] == "to" else f"SHARED({value(1)})")
        if name in ("add", "sub", "mul", "div", "min", "max") and real:
            if name in ("min", "max"):
                return put(f"{name}_{kind}({value(1)}, {value(2)})")
            return put(f"{value(1)} {_ARITHMETIC[name]} {value(2)}")
        if name == "fma":
            return put(f"fma{'f' if bits == 32 else ''}({value(1)}, {value(2)}, {value(3)})")
        if name in ("sqrt", "rcp"):
            return put(f"sqrt{'f' if bits == 32 else ''}({value(1)})" if name == "sqrt" else f"1 / {value(1)}")
        if name in ("neg", "abs") and real:
            sign = f"(1ull << {bits - 1})"
            return f"{_name(x[0])} = {value(1, unsigned)} {'^' if name == 'neg' else '& ~'}{sign};"
        if name == "copysign":  # of the first operand
            sign = f"(1ull << {bits - 1})"
            return f"{_name(x[0])} = ({value(1, unsigned)} & {sign}) | ({value(2, unsigned)} & ~{sign});"
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
                product += f" + {self._operand(x[3], unsigned if parts[0] != 'wide' else f'b{2 * bits}')}"
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
        if name in ("shl", "shr"):
            shift = self._operand(x[2], "b32")
            if name == "shr" and kind[0] == "s":
                return put(f"{value(1)} >> ({shift} > {bits - 1} ? {bits - 1} : {shift})")
            return put(f"{shift} > {bits - 1} ? 0 : {value(1)} {'<<' if name == 'shl' else '>>'} {shift}")
        if name == "bfi":  # b with the lowest bits of a put in at c, d of them
            a, b = value(1), value(2)
            at, count = (f"({self._operand(x[i], 'b32')} & 255)" for i in (3, 4))
            mask = f"({at} >= {bits} ? 0 : ({count} >= {bits} ? ~(u{bits})0 : ((u{bits})1 << {count}) - 1) << {at})"
            return put(f"({b} & ~{mask}) | ({at} >= {bits} ? 0 : {a} << {at} & {mask})")
        if name == "bfe":
            at, count = self._operand(x[2], "b32"), self._operand(x[3], "b32")
            return put(f"field({value(1, unsigned)}, {at}, {count}, {bits}, {int(kind[0] == 's')})")
        if name == "bfind":  # the highest bit that is not the sign's
            a = value(1, unsigned)
            a = f"(u{bits})({value(1)} < 0 ? ~{a} : {a})" if kind[0] == "s" else a
            found = f"{bits - 1} - (__builtin_clzll({a}) - {64 - bits})"
            found = f"{bits - 1} - ({found})" if "shiftamt" in parts else found
            return self._set(x[0], "b32", f"{a} == 0 ? ~0u : (u32)({found})")
        if name == "shf":
            low, high, shift = value(1), value(2), self._operand(x[3], "b32")
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
        if name == "dp2a":  # two 16-bit halves times two bytes
            half, byte = (f"{'i' if part[0] == 's' else 'u'}" for part in parts[1:])
            second = f"{value(2, 'u32')}{' >> 16' if parts[0] == 'hi' else ''}"
            return put(f"DP2A({half}16, {byte}8, {value(1, 'u32')}, {second}, {value(3, 'u32')})")
        if name == "dp4a":  # four bytes times four
            first, second = (f"{'i' if part[0] == 's' else 'u'}8" for part in parts)
            a, b = value(1, "u32"), value(2, "u32")
            terms = [f"({first})({a} >> {8 * i}) * ({second})({b} >> {8 * i})" for i in range(4)]
            return put(f"{value(3, 'u32')} + {' + '.join(terms)}")
        if name == "brev":
            return put(f"brev{bits}({value(1)})")
        if name == "selp":
            return f"{_name(x[0])} = {self._operand(x[3], 'pred')} ? {value(1, unsigned)} : {value(2, unsigned)};"
        if name == "setp":
            return self._compare(parts, x)
        if name == "cvt":
            return self._convert(parts, x)
        return self._control(name, parts, x, statement)

    def _control(self, name: str, parts: list[str], x: list[str], statement: str) -> str:
        """What is no arithmetic: branches, calls, and threads that meet."""
        if name == "bra":
            return f"goto {_name(x[0])};"
        if name == "brx":
            labels = self._targets[x[1]].split(",")
            cases = " ".join(f"case {i}: goto {_name(label.strip())};" for i, label in enumerate(labels))
            return f"switch ({self._operand(x[0], 'b32')}) {{ {cases} }}"
        if name == "ret" or (name == "exit" and self.entry):
            return "return;"
        if name == "trap":
            return 'fail(t, kLaunchFailed, "trap", "the kernel stopped itself");'
        if name == "call":
            return self._call(x)
        if name in ("membar", "fence", "nanosleep"):
            return ";"
        what = _quoted(statement)
        if name in ("bar", "barrier") and "warp" not in parts:
            red = "red" in parts
            number = x[1] if red else x[0]
            rest = x[2 if red else 1 :]
            count = self._operand(rest[0], "b32") if len(rest) > red else "kUnbounded"
            if "arrive" in parts:
                return f"arrive(t, {self._operand(number, 'b32')}, {count}, {what});"
            meeting = {"popc": "kPopc", "and": "kAnd", "or": "kOr"}[parts[-2]] if red else "kSync"
            brought = self._operand(rest[-1], "pred") if red else "0"
            code = f"at_barrier(t, {meeting}, {self._operand(number, 'b32')}, {count}, {brought}, {what});"
            return f"{code} {_name(x[0])} = t->result;" if red else code
        if name == "bar":
            return f"in_warp(t, kWarpSync, {self._operand(x[0], 'b32')}, 0, 0, 0, {what});"
        meeting, mask = _WARP[parts[1]], self._operand(x[-1], "b32")
        if name == "shfl":
            to, _, predicate = x[0].partition("|")
            values = ", ".join(self._operand(x[i], "b32") for i in (1, 2, 3))
            code = f"in_warp(t, {meeting}, {mask}, {values}, {what}); {_name(to)} = t->result;"
            return f"{code} {_name(predicate)} = t->predicate;" if predicate else code
        if name == "vote":
            brought = self._operand(x[1], "pred")
        else:  # redux
            brought = self._operand(x[1], "b32")
            meeting += "Signed" if parts[1] in ("min", "max") and parts[2] == "s32" else ""
        return f"in_warp(t, {meeting}, {mask}, {brought}, 0, 0, {what}); {_name(x[0])} = t->result;"

    @staticmethod
    def _quotient(name: str, kind: str, a: str, b: str) -> str:
        """Division, where the host's would be a fault: by nought a device gives all ones, and the dividend remains."""
        whole = "~0ull" if name == "div" else a
        overflow = f"-(u64){a}" if name == "div" else "0"  # also of the least number by minus one
        quotient = f"{a} {'/' if name == 'div' else '%'} {b}"
        if kind[0] == "s":
            quotient = f"{b} == -1 ? {overflow} : (u64)({quotient})"
        return f"{b} == 0 ? (u64){whole} : {quotient}"

    def _move(self, kind: str, x: list[str]) -> str:
        unsigned = kind if kind == "pred" else f"b{_width(kind)}"
        if "{" in x[0]:  # parts of a wider register
            parts, code = x[0].strip("{}").split(","), ""
            for i, part in enumerate(parts):
                if part.strip() != "_":
                    code += (
                        f" {_name(part.strip())} = {self._operand(x[1], unsigned)} >> {_width(kind) // len(parts) * i};"
                    )
            return f"{{{code} }}"
        if "{" in x[1]:
            parts = x[1].strip("{}").split(",")
            width = _width(kind) // len(parts)
            terms = (f"(u64){self._operand(part, f'b{width}')} << {width * i}" for i, part in enumerate(parts))
            return f"{_name(x[0])} = {' | '.join(terms)};"
        return self._set(x[0], "b64", self._operand(x[1], unsigned))

    def _memory(self, name: str, parts: list[str], x: list[str], statement: str) -> str:
        kind, vector = parts[-1], next((int(part[1:]) for part in parts if re.fullmatch(r"v\d", part)), 1)
        size, plain = _width(kind) // 8, f"{'i' if kind[0] == 's' else 'u'}{_width(kind)}"
        place, register = (x[0], x[1]) if name == "st" else (x[1], x[0])
        registers = [part.strip() for part in register.strip("{}").split(",")]
        access = "kWrites" if name == "st" else "kReads"
        access += " | kStrong" if _STRONG.intersection(parts) else ""
        code = f"{{ u8* p = {self._place(place, parts, size * vector, access, statement)};"
        for i, part in enumerate(registers):
            if name == "st":
                code += f" store_u{8 * size}(p + {size * i}, {self._operand(part, f'b{8 * size}')});"
            elif part != "_":
                code += f" {_name(part)} = load_{plain}(p + {size * i});"
        return code + " }"

    def _atomic(self, name: str, parts: list[str], x: list[str], statement: str) -> str:
        how, kind = parts[-2:]
        width, x = _width(kind), x if name == "atom" else ["_", *x]
        old = f"as_{kind}(was)" if kind[0] == "f" else f"({'i' if kind[0] == 's' else 'u'}{width})was"
        b = self._operand(x[2], kind)
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
            "cas": f"{old} == {b} ? {self._operand(x[3], kind) if how == 'cas' else ''} : {old}",
        }[how]
        new = f"of_{kind}({new})" if kind[0] == "f" else new
        place = self._place(x[1], parts, width // 8, "kReads | kWrites | kStrong", statement)
        code = f"{{ u8* p = {place}; const u{width} was = load_u{width}(p); store_u{width}(p, {new});"
        return code + (f" {_name(x[0])} = was; }}" if x[0] != "_" else " }")

    def _compare(self, parts: list[str], x: list[str]) -> str:
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
        if "|" in x[0]:
            raise NotImplementedError("two predicates at once")
        if len(parts) == 3:  # and another predicate
            test = f"(({test}) {_LOGIC[parts[1]]} {self._operand(x[3], 'pred')})"
        return f"{_name(x[0])} = {test};"

    def _convert(self, parts: list[str], x: list[str]) -> str:
        *how, to, of = parts
        value = self._operand(x[1], of)
        if to[0] == "f":
            if of[0] == "f" and how and how[0] in _ROUND:
                return self._set(x[0], to, f"{_ROUND[how[0]]}({value})")
            return self._set(x[0], to, f"({to})({value})")
        if of[0] != "f":
            return self._set(x[0], to, f"({'i' if to[0] == 's' else 'u'}{_width(to)}){value}")
        width, signed = _width(to), to[0] == "s"
        low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)
        # The PTX manual's table of cvt says what a NaN becomes.
        nan = 1 << (width - 1) if "f64" in of or width == 64 else 0
        limits = f"{float(low).hex()}, {float(high).hex()}, {low & 2**64 - 1}ull, {high}ull, {nan}ull"
        return self._set(x[0], to, f"(u{width})to_whole({_ROUND[how[0]]}({value}), {limits})")

    def _call(self, x: list[str]) -> str:
        x = list(x)
        result = _name(x.pop(0).strip("() ")) if x[0].startswith("(") else "0"
        arguments = [part.strip() for part in x[1].strip("() ").split(",")] if len(x) > 1 else []
        if x[0].startswith("%") or len(x) > 2:
            raise NotImplementedError("a function that only running would tell")
        self.calls.add(_name(x[0]))
        passed = ", ".join(["t", result, *(_name(part) for part in arguments if part)])
        return f"{{ const u32 top = t->local_top; {_name(x[0])}({passed}); t->local_top = top; }}"


def _declared_names(text: str) -> list[str]:
    return [_name(re.sub(r"\[\d*\]", "", part).split()[-1]) for part in text.split(",") if part.strip()]


def _declared_sizes(text: str) -> list[int]:
    """Bytes of each parameter."""
    sizes = []
    for part in text.split(","):
        if part.strip():
            match = re.search(r"\.([bsuf]\d+)\s+[\w$%]+(?:\[(\d+)\])?\s*$", part)
            if not match:
                raise NotImplementedError(part.strip())
            sizes.append(_width(match[1]) // 8 * int(match[2] or 1))
    return sizes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
