# SPDX-License-Identifier: Apache-2.0
"""Translates PTX, the assembly of NVIDIA's virtual machine, into C, so that kernels run where there is no GPU.

The stand-in for the CUDA driver (tests/standin) calls `main` with two files, in an interpreter that has only
the standard library and the modules named ptx_*. Each instruction becomes one C statement. Registers are unsigned
integers, and `standin/threads.h` contains the functions that the statements call. Rounding follows IEEE 754, and `fma`
is fused, as on a device, so that results can be compared bit for bit. An instruction with an unknown modifier is
refused.
"""

from __future__ import annotations

import re
import sys

from tests.standin.ptx_functions import Function
from tests.standin.ptx_parser import is_function, items
from tests.standin.ptx_variables import Names

# In these calls, a thread waits for others. If a kernel contains one of them, its threads run as coroutines.
_RENDEZVOUS = re.compile(r"\b(at_barrier|arrive|in_warp)\(t,")


def translate(ptx: str) -> str:
    """Returns the C code of a PTX module, which goes after `standin/threads.h` and ends with `module_table`.

    Raises:
        NotImplementedError: a part of the module is not known. The message is the text of that part.
    """
    ptx = re.sub(r"//[^\n]*", "", ptx)
    found = [item for item in items(ptx) if item.strip("; \n")]
    names = Names()
    for item in found:
        if not is_function(item):
            names.declare(item)
    functions = [Function(item, names) for item in found if is_function(item)]
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
    """Translates one file into another. If a part is refused, prints its text to stderr and returns exit status 2."""
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


def _kernel(kernel: Function, bodies: dict[str, Function], depots: int, names: Names) -> str:
    """Returns the function that launches a kernel."""
    reached, todo = set(), [kernel.name]
    while todo:
        name = todo.pop()
        if name not in reached and name in bodies:
            reached.add(name)
            todo.extend(bodies[name].calls)
    together = any(_RENDEZVOUS.search(bodies[name].text) for name in reached)
    arguments = "".join(f", t->launch->parameters[{i}]" for i in range(len(kernel.parameters)))
    return (
        f"static void body_{kernel.name}(Thread* t) {{ {kernel.name}(t, 0{arguments}); }}\n"
        f"static int launch_{kernel.name}(Launch* launch) {{ return launch_kernel(launch, body_{kernel.name}, "
        f"{int(together)}, {names.shared_bytes + kernel.shared_bytes}, {depots}); }}"
    )
