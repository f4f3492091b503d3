# SPDX-License-Identifier: Apache-2.0
"""`envpool new`: creates a package with an environment, or only a header, from those in the folder `examples`."""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path

import envpool
from envpool.cli.common import Failure
from envpool.plugins.paths import get_example, get_tutorial_header

# The structs that worlds of several players have (core/env.h).
_OF_WORLDS = ("Agent", "Shared")

# Keywords of C++ that are none of Python, and targets that CMake makes itself.
_RESERVED = """
alignas alignof and_eq asm auto bitand bitor bool case catch char char8_t char16_t char32_t co_await co_return co_yield
compl concept const const_cast consteval constexpr constinit decltype default delete do double dynamic_cast enum
explicit export extern false float friend goto inline int long mutable namespace new noexcept not_eq nullptr operator
or_eq private protected public register reinterpret_cast requires short signed sizeof static static_assert static_cast
std struct switch template this thread_local throw true typedef typeid typename union unsigned using virtual void
volatile wchar_t xor xor_eq
all clean edit_cache help install package rebuild_cache
"""


def new(name: str, folder: Path | None, *, header: bool, turns: bool) -> None:
    """Copies an example, and replaces its name everywhere; `app.py` describes the arguments."""
    if header or turns:
        _write_header(name, folder or Path(), turns=turns)
    elif name:
        _write_package(name, folder)
    else:
        raise Failure("NAME: expected a name, such as snake or SpaceRace, got none")


def _names_of(name: str) -> tuple[str, str]:
    """Returns the names of the module and of the struct."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    module = "_".join(words).lower()
    if keyword.iskeyword(module):
        raise Failure(f"NAME: expected a name that is no keyword of Python, such as snake or SpaceRace, got {name!r}")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise Failure(f"NAME: expected letters, digits and underscores, such as snake or SpaceRace, got {name!r}")
    return module, "".join(word[0].upper() + word[1:] for word in words)


def _write_header(name: str, folder: Path, *, turns: bool) -> None:
    original = get_tutorial_header(turns=turns)
    module, struct = _names_of(name or original.stem)
    target = folder / f"{module}.h"
    if target.exists():
        raise Failure(f"NAME: expected a name for which there is no file, got {name!r}: {target} exists")
    text, old = original.read_text("utf-8"), original.stem.title()
    if struct in _OF_WORLDS or (struct != old and re.search(rf"\b{struct}\b", text)):
        raise Failure(f"NAME: expected a name that has no other meaning in the header, got {name!r}")
    text = _renamed(text, {original.name: target.name, old: struct})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    except OSError as error:
        raise Failure(f"--folder: {target} cannot be written: {error.strerror}") from None
    what = "a game of two players who take turns" if turns else "a game"
    print(f"{target}: {what} that you can change, which docs/write_your_own.md explains. Next:")
    print(f"  envpool check {target}")
    print(f"  envpool play --header {target}")
    print(f"  envpool watch --header {target} -o {module}.gif")


def _write_package(name: str, folder: Path | None) -> None:
    module, struct = _names_of(name)
    task_id = f"{struct}-v0"
    if task_id in envpool.list_all_envs():
        raise Failure(
            f"NAME: expected a new name, because there is an environment {task_id}, got {name!r} (envpool new --header "
            "writes a header with any name)"
        )
    example = get_example()
    header = (example / "src" / "coin_hunt" / "coin_hunt.h").read_text("utf-8")
    if module in _RESERVED.split() or _is_installed(module) or re.search(rf"\b{struct}\b", header):
        raise Failure(
            "NAME: expected a name that is new in Python, C++ and CMake, because the package, its namespace and its "
            f"target have it, got {name!r}"
        )
    folder = folder or Path(module)
    if folder.exists():
        raise Failure(f"--folder: expected a folder that does not exist, got {str(folder)!r}")
    names = {"coin_hunt": module, "CoinHunt": struct, "coin-hunt": module.replace("_", "-")}
    for source in sorted(path for path in example.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        target = folder / _renamed(str(source.relative_to(example)), names)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_renamed(source.read_text("utf-8"), names), "utf-8")
    readme = folder / "README.md"
    readme.write_text(_without_repository(readme.read_text("utf-8")), "utf-8")
    copy = folder / "src" / module / f"{module}.h"
    place = folder if folder.is_absolute() else f"./{folder}"  # pip takes a plain name for that of a package on PyPI
    print(f"{folder}: a package with {task_id}, a game that you can change. Next:")
    print(f"  envpool check {copy}")
    print(f"  envpool watch --header {copy} -o {module}.gif")
    print(f"  pip install scikit-build-core cmake ninja && pip install --no-build-isolation {place}")


def _is_installed(module: str) -> bool:
    """Returns whether Python can import a module of this name. A mere folder, such as the new one, does not count."""
    spec = importlib.util.find_spec(module)
    return spec is not None and spec.origin is not None


def _renamed(text: str, names: dict[str, str]) -> str:
    for old, changed in names.items():
        text = text.replace(old, changed)
    return text


def _without_repository(text: str) -> str:
    """Removes the links into this repository and the sentence about `envpool new`, which concern only the example."""
    text = re.sub(r"; \[docs/[^\n|]*? ?\|", " |", text)
    return re.sub(r"\n`envpool new[^\n]*", "", text)
