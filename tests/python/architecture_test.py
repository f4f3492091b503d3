# SPDX-License-Identifier: Apache-2.0
"""Tests that the package's imports have no cycles, and follow the layers of docs/architecture.md."""

import ast
import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import envpool

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")


def files():
    """Returns the package's files by the name of their module."""
    found = {}
    for root in envpool.__path__:
        for path in Path(root).rglob("*.py"):
            inside = path.relative_to(root)
            if inside.parts[0] not in ("include", "share"):
                parts = inside.parent.parts if inside.stem == "__init__" else inside.with_suffix("").parts
                found[".".join(("envpool", *parts))] = inside.as_posix(), path.read_text()
    return found


def imports(text):
    """Yields the modules and names that a file imports anywhere, also by importlib.import_module("...")."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and node.args:
            yield from ((name.value, "") for name in node.args[:1] if isinstance(name, ast.Constant))


def graph(texts):
    """Returns the modules that each module imports."""
    known = {*texts, "envpool._core"}
    found = {}
    for module, (_, text) in texts.items():
        names = [f"{parent}.{name}" if f"{parent}.{name}" in known else parent for parent, name in imports(text)]
        found[module] = {name for name in names if name in known} - {module}
    return found


def cycles(graph):
    """Returns the sets of modules that import each other."""

    def reached(module):
        seen, waiting = set(), [module]
        while waiting:
            for other in graph.get(waiting.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return seen

    reach = {module: reached(module) for module in graph}
    return {
        frozenset(other for other in reach[module] if module in reach.get(other, ()))
        for module in graph
        if module in reach[module]
    }


def test_import_cycles_are_found():
    texts = {
        "envpool.a": ("a.py", "def f():\n    from envpool.b import name"),
        "envpool.b": ("b.py", "import importlib\nimportlib.import_module('envpool.c')"),
        "envpool.c": ("c.py", "if TYPE_CHECKING:\n    from envpool import a, _core"),
        "envpool.d": ("d.py", "import envpool.a"),
    }
    assert graph(texts)["envpool.c"] == {"envpool.a", "envpool._core"}
    assert cycles(graph(texts)) == {frozenset({"envpool.a", "envpool.b", "envpool.c"})}


def test_there_are_no_import_cycles():
    found = files()
    assert {"envpool", "envpool.python.construction", "envpool.jax.pool", "envpool.registration"} <= found.keys()
    assert not cycles(graph(found)), [sorted(cycle) for cycle in cycles(graph(found))]


def test_interfaces_use_only_public_attributes_of_specs_and_pools():
    """Tests that no object reads the attribute `_construction` of another one."""
    for _, (place, text) in sorted(files().items()):
        assert not re.findall(r"(?<!self)\._construction\b", text), place


@pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")
def test_imports_follow_the_table_of_layers():
    page = Path(SOURCE, "docs/architecture.md").read_text()
    section = page.split("### Layers of the Python files\n")[1].split("\n#")[0]
    rows = [re.findall(r"`([^`]+)`", line.split("|")[1]) for line in section.splitlines() if line.startswith("| `")]
    assert len(rows) > 5
    order = [(pattern, number) for number, patterns in enumerate(rows) for pattern in patterns]

    def layer(place):
        """Returns the number of the first row whose patterns match a file."""
        fitting = [number for pattern, number in order if fits(place, pattern)]
        assert fitting, f"{place} is in no row"
        return fitting[0]

    def fits(place, pattern):
        return place.count("/") == pattern.count("/") and fnmatchcase(place, pattern)

    found = files()
    layers = {module: layer(place) for module, (place, _) in found.items()} | {"envpool._core": 0}
    for module, others in graph(found).items():
        for other in others:
            assert layers[other] <= layers[module], f"{module} imports {other}, which is in a lower row"
    for pattern, _ in order:
        assert pattern == "_core" or any(fits(place, pattern) for place, _ in found.values()), pattern
