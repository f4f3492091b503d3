# SPDX-License-Identifier: Apache-2.0
"""Tests that the stubs of the compiled core and of the options of each id are current."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import envpool
from envpool import _core
from envpool.python.common_options import COMMON_OPTIONS
from envpool.python.registry import find

HERE = Path(envpool.__path__[0])


def classes_and_functions(stub: str) -> dict[str, Any]:
    """Returns the constants, classes, functions and methods of a stub by name. Methods are named "Class.method"."""
    found: dict[str, Any] = {}
    for node in ast.parse(stub).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found[node.name] = node
        if isinstance(node, ast.AnnAssign):
            found[ast.unparse(node.target)] = node
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{item.name}": item for item in node.body if isinstance(item, ast.FunctionDef)}
    return found


def of_module(module: ModuleType) -> dict[str, Any]:
    """Returns the constants, classes, functions and methods of a module by name. Methods are named "Class.method"."""
    found: dict[str, Any] = {}
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        found[name] = value
        if inspect.isclass(value) and not issubclass(value, Exception):
            protocols = re.compile(r"__(len|dlpack\w*|cuda_array_interface)__")
            own = {key: item for key, item in vars(value).items() if key[0] != "_" or protocols.fullmatch(key)}
            if "->" in (value.__init__.__doc__ or ""):  # otherwise it cannot be constructed from Python
                own["__init__"] = value.__init__
            found |= {f"{name}.{key}": item for key, item in own.items()}
    return found


def parameters(doc: str) -> list[str]:
    """Returns the parameters in pybind11's docstring of a function, with "=" after those that have a default."""
    inside = doc[doc.index("(") + 1 : doc.index(") ->")]
    return [name + ("=" if default else "") for name, default in re.findall(r"(\w+): [^=]*?(= [^,]+)?(?:, |$)", inside)]


def test_the_stub_of_the_core() -> None:
    stub = classes_and_functions((HERE / "_core.pyi").read_text())
    module = of_module(_core)
    assert stub.keys() == module.keys()
    for name, node in stub.items():
        value = module[name]
        if isinstance(node, ast.AnnAssign):
            assert ast.unparse(node.annotation).startswith(type(value).__name__), name
            continue
        if isinstance(node, ast.ClassDef) or isinstance(value, property):
            continue
        arguments = node.args
        names = [argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)]
        count = len(names) - len(arguments.defaults) - sum(default is not None for default in arguments.kw_defaults)
        declared = [*names[:count], *(argument + "=" for argument in names[count:])]
        (doc,) = [line for line in value.__doc__.splitlines() if "->" in line]
        if "**kwargs" in doc:  # the function checks the names itself
            with pytest.raises(TypeError) as caught:
                module[name.partition(".")[0]]()
            names = str(caught.value).partition("expected the keywords ")[2].split(", ")
            assert names == [argument.arg for argument in arguments.kwonlyargs]
            continue
        # pybind11 names unnamed parameters arg0, arg1.
        documented = parameters(doc)
        assert len(documented) == len(declared), name
        for ours, theirs in zip(declared, documented, strict=True):
            assert ours == theirs or re.fullmatch(r"arg\d+", theirs), (name, declared, documented)


def test_the_stub_of_options_is_current() -> None:
    from tests.support.signatures import stub

    lacking = {find(task_id).family for task_id in envpool.list_all_envs() if find(task_id).family}
    for family in lacking:
        try:
            next(find(task_id) for task_id in envpool.list_all_envs() if find(task_id).family == family).load()
        except RuntimeError as error:
            pytest.skip(str(error))
    assert (HERE / "_signatures.pyi").read_text() == stub(), "run `make generated`"


def test_the_stub_has_all_common_options() -> None:
    (common,) = [
        node
        for node in ast.parse((HERE / "_signatures.pyi").read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == "CommonOptions"
    ]
    names = {
        node.target.id for node in common.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assert names | {"num_envs"} == set(COMMON_OPTIONS)
