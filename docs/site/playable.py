# SPDX-License-Identifier: Apache-2.0
"""Compiles families to WebAssembly, and writes the part of an environment's page in which it is played.

Zig, which the wheel `ziglang` contains, is the compiler. A family's module is its plugin.cc with playable/shell.cc. Zig
keeps what it compiled in build/zig, and compiles only what has changed. Without Zig, the site has no playable
environments.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import agents

from envpool import _core
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.python.spaces import ArraySpecs, Field

HERE = Path(__file__).resolve().parent / "playable"
SCRIPTS = ("environment.js", "agent.js", "player.js")
FOLDER = "playable"  # in _static

# The flags that affect results are those of the other builds.
FLAGS = (
    *("-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c++20", "-Os", "-DNDEBUG", "-ffp-contract=off"),
    *("-fignore-exceptions", "-fno-rtti", "-fvisibility=hidden", "-Wl,--gc-sections", "-s"),
)

# Steps per second at which a family is played. 0: one step for each key, for environments that wait for the player.
_RATES = {
    "classic_control": 15,
    "minatar": 8,
    "box2d": 40,
    "robots": 20,
    "tag": 6,
    "minigrid": 0,
    "toy_text": 0,
    "bsuite": 0,
    "pgx": 0,
    "jaxmarl": 4,
    "jumanji": 0,
    "craftax": 0,
}
_OTHER_RATE = 10
# The largest number of actions to choose from: each has a button.
_MOST_ACTIONS = 18
# Families that readers cannot play: those of Atari and Procgen read files that we do not have, and tests have no family.
_NOT_PLAYED = {"atari", "procgen", ""}
NEED_FILES = {"CraftaxClassicPixels", "CraftaxPixels", "Sudoku"}  # the same, environments of other families

# Names of actions that an environment does not describe one by one.
_NAMES = {
    "Acrobot": ["torque -1", "no torque", "torque 1"],
    "TagGridWorld": ["stay", "right", "left", "up", "down"],
    "DeepSea": ["action 0", "action 1"],
}

# Options with which a player finds itself in the image: the only runner is blue. By family and environment.
_OPTIONS: dict[str, dict[str, Any]] = {
    "misc/Maze": {"random_walls": 60},
    "tag/TagContinuous": {"num_taggers": 5, "num_runners": 1, "num_other_agents_observed": 5, "shuffle_roles": False},
    "tag/TagGridWorld": {"num_taggers": 4, "random_start": True},
}

# Keys by words in the names of actions; the first match counts. Every action also has the key of its number.
_KEYS = (
    (r"\bleft\b|\bwest\b|\breturns\b|torque -1", "ArrowLeft"),
    (r"\bright\b|\beast\b|torque 1", "ArrowRight"),
    (r"\bpicks\b", "p"),
    (r"\bdrops\b", "d"),
    (r"\bup\b|\bnorth\b|\bforward\b|\bmain\b", "ArrowUp"),
    (r"\bdown\b|\bsouth\b", "ArrowDown"),
    (r"\bhits\b", "h"),
    (r"\bsticks\b", "s"),
    (r"\bfire\b|\btoggles\b", " "),
    (r"\bdone\b", "Enter"),
    # Craftax; most are those of its own program for players.
    (r"\bacts\b", " "),
    (r"\bsleeps\b", "z"),
    (r"\bplaces a stone\b", "r"),
    (r"\bplaces a table\b", "t"),
    (r"\bplaces a furnace\b", "f"),
    (r"\bplaces a sapling\b", "p"),
    (r"\bmakes a wood pickaxe\b", "u"),
    (r"\bmakes a stone pickaxe\b", "i"),
    (r"\bmakes an iron pickaxe\b", "o"),
    (r"\bmakes a wood sword\b", "j"),
    (r"\bmakes a stone sword\b", "k"),
    (r"\bmakes an iron sword\b", "l"),
)
# For each number of elements of an action, the keys that set each element to its least and to its greatest value.
_LEFT_RIGHT, _DOWN_UP = ("ArrowLeft", "ArrowRight"), ("ArrowDown", "ArrowUp")
_PAIRS = (_LEFT_RIGHT, _DOWN_UP, ("a", "d"), ("s", "w"), ("f", "h"), ("g", "t"), ("j", "l"), ("k", "i"))
_AXES = {1: (_LEFT_RIGHT,), 2: (_DOWN_UP, _LEFT_RIGHT), **{count: _PAIRS[:count] for count in (3, 4, 6, 8)}}
# Names and keys of elements that an environment does not describe one by one, or that have only one key, which sets the
# greatest value. A positive turn is a turn to the left.
_ELEMENTS: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "BipedalWalker": [*zip(("hip 1", "knee 1", "hip 2", "knee 2"), _AXES[4], strict=True)],
    "PointRobot": [("x", _LEFT_RIGHT), ("y", _DOWN_UP)],
    "misc/Swimmer": [("x", _LEFT_RIGHT), ("y", _DOWN_UP)],
    "misc/Reacher": [("first joint", _LEFT_RIGHT[::-1]), ("second joint", _DOWN_UP)],
    "CarRacing": [("steering", _LEFT_RIGHT), ("gas", _DOWN_UP[1:]), ("brake", _DOWN_UP[:1])],
    "TagContinuous": [("acceleration", _DOWN_UP), ("turn", _LEFT_RIGHT[::-1])],
}
_NOTHING = re.compile(r"nothing|stays?|not at all|no torque")


def has_compiler() -> bool:
    """Whether Zig is installed."""
    return importlib.util.find_spec("ziglang") is not None


def compile_families(root: Path, families: Iterable[str], folder: Path) -> None:
    """Compiles families to `folder`/<family>.wasm, two at a time. Raises SystemExit if one does not compile.

    Args:
        root: the folder of the repository.
        families: names of families.
        folder: the folder of the modules; it is made if it does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cache = {f"ZIG_{which}_CACHE_DIR": str(root / "build" / "zig" / which.lower()) for which in ("GLOBAL", "LOCAL")}

    def compile_one(family: str) -> None:
        name = f'-DENVPOOL_FAMILY="envpool/{family}/plugin.cc"'
        files = [str(HERE / "shell.cc"), "-o", str(folder / f"{family}.wasm")]
        command = [sys.executable, "-m", "ziglang", "c++", *FLAGS, f"-I{root}", name, *files]
        done = subprocess.run(command, env={**os.environ, **cache}, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"docs: {family} does not compile to WebAssembly:\n{done.stderr}")

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(compile_one, families))


def families_of(ids: Iterable[str]) -> list[str]:
    """Returns the families with an environment that can be played."""
    return sorted({find(task_id).family for task_id in ids if can_play(task_id)})


def can_play(task_id: str) -> bool:
    """Whether readers can play an id: it is portable, can be rendered, needs no files, and there are enough keys."""
    registration = find(task_id)
    if registration.family in _NOT_PLAYED or registration.table in NEED_FILES:
        return False
    if not registration.load().flags & _core.PORTABLE:
        return False
    construction = Construction(registration, {})
    actions = construction.arrays.actions
    fit = all(entry.low.size in _AXES and entry.discrete <= _MOST_ACTIONS for entry in actions)
    return construction.can_render and fit


def write_static(root: Path, families: Iterable[str], static: Path) -> None:
    """Writes the modules and scripts into a folder of `static`, Sphinx's static files."""
    compile_families(root, families, static / FOLDER)
    for name in SCRIPTS:
        shutil.copy(HERE / name, static / FOLDER)
    shutil.copytree(agents.FOLDER, static / FOLDER / agents.FOLDER.name, dirs_exist_ok=True)


def section(family: str, table: str, ids: list[str], first: str) -> str:
    """Returns Markdown that lets readers play an environment; empty if none of its ids can be played.

    Args:
        family: the name of the family.
        table: the name of the environment.
        ids: the ids of the environment.
        first: the id that is chosen until the reader chooses another.
    """
    entries = [entry_of(task_id) for task_id in sorted(ids, key=first.__ne__) if can_play(task_id)]
    if not entries:
        return ""
    page = {
        "module": f"../../_static/{FOLDER}/{family}.wasm",
        "rate": _RATES.get(family, _OTHER_RATE),
        "hint": "Your browser runs the same C++ source as a pool, compiled to WebAssembly, and computes the same bits.",
        "entries": entries,
    }
    data = json.dumps(page, separators=(",", ":")).replace("<", "\\u003c")
    # JSON has no infinity, but JavaScript reads this number as one.
    data = re.sub(r"(?<=[:,\[])(-?)Infinity\b", r"\g<1>1e999", data)
    scripts = "".join(f'<script defer src="../../_static/{FOLDER}/{name}"></script>\n' for name in SCRIPTS)
    return (
        f'<div class="playable">\n<script type="application/json">{data}</script>\n'
        f"<p>With JavaScript, you can play {table} here: your browser runs the same C++ source as a pool.</p>\n</div>\n"
        f"{scripts}\n"
    )


def options_of(task_id: str) -> dict[str, Any]:
    """Returns the options with which an id is played."""
    registration = find(task_id)
    return _OPTIONS.get(f"{registration.family}/{registration.table}", {})


def entry_of(task_id: str) -> dict[str, Any]:
    """Describes an id for player.js.

    Returns:
        id, table, limit and options: what BrowserPool.make of environment.js takes.
        make: the options that differ from the id's, as keyword arguments in Python.
        numpy, scalar: the dtype of the action, and whether it is a single number.
        width, height: of the image, in pixels.
        players, player: the number of players that act in a step, and the one that the keyboard controls. If players take
            turns, the keyboard controls all of them, unless the reader plays against a trained agent.
        seats: the number of players who take turns; 0 if they do not.
        space: for each action field and each of its elements, the least and the greatest value, and whether it is an
            integer.
        controls: for each button, its keys, its label, and the elements of the action that it sets, each as field,
            element and value.
        rest: the action without a pressed key; None: the last action is repeated.
        first: the action before the first key.
        agent: the URL of a trained agent; None if there is none.
    """
    registration = find(task_id)
    changed = options_of(task_id)
    construction = Construction(registration, changed)
    own = {name: changed.get(name, o.default) for name, o in construction.options.items() if not o.shape}
    arrays = construction.arrays
    height, width = arrays.render_size
    controls, rest = _controls(registration.family, registration.table, arrays)
    space = [
        [[_plain(low), _plain(high), field.dtype.kind in "iu"] for low, high in zip(*_bounds(field), strict=True)]
        for field in arrays.actions
    ]
    return {
        "id": task_id,
        "table": registration.table,
        "limit": registration.max_episode_steps or 0,
        "options": registration.origin.prepare(task_id, own),
        "make": ", ".join(f"{name}={value!r}" for name, value in changed.items()),
        "numpy": str(arrays.actions[0].dtype),
        "scalar": not arrays.actions[0].shape,
        "width": width,
        "height": height,
        "players": arrays.actors,
        "player": arrays.actors - 1,
        "seats": arrays.max_players if agents.takes_turns(arrays) else 0,
        "space": space,
        "controls": controls,
        "rest": rest,
        "first": rest or [[_plain(low) for low in _bounds(field)[0]] for field in arrays.actions],
        "agent": _agent(registration.table, arrays),
    }


def _agent(table: str, arrays: ArraySpecs) -> str | None:
    """Returns the URL of an environment's agent; None if there is none that can play it."""
    path = agents.path_of(table)
    if not path.exists() or not agents.fits(agents.load(table), arrays):
        return None
    return f"../../_static/{FOLDER}/{agents.FOLDER.name}/{path.name}"


def _bounds(field: Field) -> tuple[Any, Any]:
    return field.low.reshape(-1), field.high.reshape(-1)


def _plain(number: Any) -> float | int:
    value: float | int = number.item()
    return value


def _controls(
    family: str, table: str, arrays: ArraySpecs
) -> tuple[list[dict[str, Any]], list[list[float | int]] | None]:
    """Returns the controls of an environment, and the action without a pressed key."""
    field = arrays.actions[0]
    if len(arrays.actions) == 1 and field.discrete and not field.shape:
        return _discrete(table, field)
    controls, rest = [], []
    for number, entry in enumerate(arrays.actions):
        lows, highs = _bounds(entry)
        rest.append([0] * len(lows))
        named = _ELEMENTS.get(table) or _ELEMENTS.get(f"{family}/{table}")
        named = named or [*zip(_parts(entry.doc, len(lows)), _AXES[len(lows)], strict=True)]
        for element, ((name, keys), low, high) in enumerate(zip(named, lows, highs, strict=True)):
            # In an action of several integers, 0 changes nothing, and 1 is the least of the other values.
            values = (1 if entry.discrete else _plain(low), _plain(high))
            for key, value in zip(keys, values[-len(keys) :], strict=True):
                controls.append({"keys": [key], "label": f"{name}: {value:g}", "set": [[number, element, value]]})
    return controls, rest


def _parts(doc: str, count: int) -> list[str]:
    """Returns the names of the elements of an action from its description, or else their numbers."""
    parts = doc.split(", ") if count > 1 else [doc.split(", ")[0]]
    return parts if len(parts) == count else [f"element {element}" for element in range(count)]


def _discrete(table: str, field: Field) -> tuple[list[dict[str, Any]], list[list[float | int]] | None]:
    count = field.discrete
    names = _NAMES.get(table) or _names(field.doc, count)
    controls, rest, used = [], None, set()
    for value, name in enumerate(names):
        key = next((key for words, key in _KEYS if re.search(words, name)), None)
        keys = [key] if key and key not in used else []
        used.update(keys)
        if value < 10:
            keys.append(str(value))
        controls.append({"keys": keys, "label": name, "set": [[0, 0, value]]})
        if _NOTHING.fullmatch(name):
            rest = [[value]]
    return controls, rest


def _names(doc: str, count: int) -> list[str]:
    """Returns the names of integer actions from the action's description, or else their numbers."""
    numbered = dict(re.findall(r"(\d+) ((?:(?!, \d).)+)", doc))
    if numbered.keys() == {str(value) for value in range(count)}:
        return [numbered[str(value)] for value in range(count)]
    parts = doc.split(", ")
    return parts if len(parts) == count else [f"action {value}" for value in range(count)]
