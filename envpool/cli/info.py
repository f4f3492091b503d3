# SPDX-License-Identifier: Apache-2.0
"""`envpool info`: describes one environment."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from envpool import _core
from envpool._core import Table
from envpool.cli.catalog import family_of
from envpool.cli.common import Failure, console, parse_options, print_json, table
from envpool.cuda.program import header_of
from envpool.python.common_options import COMMON_OPTIONS
from envpool.python.construction import Construction
from envpool.python.errors import labelled
from envpool.python.options import Option
from envpool.python.registry import Registration, find
from envpool.python.spaces import ArraySpecs, Field

_HOW = "give envpool.compile a file, or, in a plugin, envpool::table the header's name and envpool.register include="
_STEPS = 20  # random steps before the thumbnail, so that it does not show an initial state


def info(task_id: str, option: Sequence[str], *, picture: bool | None, as_json: bool) -> None:
    """Prints the description of an environment; `app.py` describes the arguments."""
    registration = find(task_id.removeprefix("envpool/"))
    options = parse_options(option)
    facts = describe(registration, options)
    if as_json:
        print_json(facts)
        return
    _print(facts)
    wanted = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" if picture is None else picture
    if wanted and facts["picture"]:
        _thumbnail(task_id, options)
    elif picture:
        raise Failure(facts["missing"] or f"[{task_id}] cannot be rendered")


def describe(registration: Registration, caller_options: dict[str, Any]) -> dict[str, Any]:
    """Returns the description as plain values.

    If a package is missing, the description has only the error, under the key `missing`.

    Raises:
        TypeError, ValueError: an option is not allowed.
    """
    with labelled(registration.task_id):
        registration, why = registration.origin.choose(registration, caller_options)
    facts: dict[str, Any] = {
        "id": registration.task_id,
        "family": family_of(registration),
        "doc": registration.doc,
        "why": why,
        "reference": registration.reference or registration.source or registration.plugin,
        "max_episode_steps": registration.max_episode_steps,
        "reward_threshold": registration.reward_threshold,
        "missing": "",
        "picture": [],
        "players": None,
        "reward": None,
        "observation": [],
        "action": [],
        "info": [],
        "options": [],
        "common_options": list(COMMON_OPTIONS),
        "portable": False,
        "gpu": False,
    }
    try:
        loaded = registration.load()
        facts["options"] = [_option(entry) for entry in registration.options().values()]
        facts["portable"] = bool(loaded.flags & _core.PORTABLE)
        facts["gpu"] = facts["portable"] and _header_is_known(registration, loaded)
        arrays = Construction(registration, caller_options).arrays
    except (RuntimeError, ImportError, OSError) as error:
        facts["missing"] = str(error)
        return facts
    return {**facts, **_arrays(arrays)}


def _header_is_known(registration: Registration, table: Table) -> bool:
    """Returns whether a pool on a GPU could compile the environment."""
    if table.device is None:
        return False
    try:
        made = registration
        header_of(made.task_id, table.device, made.source, made.include, made.flags)
    except ValueError:
        return False
    return True


def _arrays(arrays: ArraySpecs) -> dict[str, Any]:
    return {
        "picture": list(arrays.render_size) if arrays.render_size[0] else [],
        "players": arrays.max_players,
        "reward": [arrays.reward_low, arrays.reward_high],
        "observation": [_field(field) for field in arrays.observations],
        "action": [_field(field) for field in arrays.actions],
        "info": [_field(field) for field in arrays.infos],
    }


def _option(option: Option) -> dict[str, Any]:
    bounded = option.kind in ("int", "float")
    return {
        "name": option.name,
        "kind": option.kind,
        "default": option.default,
        "low": option.low if bounded else None,
        "high": option.high if bounded else None,
        "choices": list(option.choices),
        "changes_shapes": option.changes_shapes,
        "changes_blob": option.changes_blob,
        "tunable": option.tunable,
        "shape": list(option.shape),
        "doc": option.doc,
    }


def _field(field: Field) -> dict[str, Any]:
    return {
        "name": field.name.removeprefix("obs:").removeprefix("info:"),
        "dtype": str(field.dtype),
        "shape": list(field.shape),
        "low": _bound(field.low),
        "high": _bound(field.high),
        "discrete": field.discrete,
        "per_player": field.per_player,
        "doc": field.doc,
    }


def _bound(values: Any) -> Any:
    """Returns one number if all elements have the same bound, otherwise the array."""
    return values.min() if values.size == 0 or (values == values.flat[0]).all() else values


# ---- printing ----

_LEAST = (None, 10, 10, 10, 20)  # the widths of columns in which the cells can be read


def _print(facts: dict[str, Any]) -> None:
    from rich.markup import escape

    out = console()

    def line(name: str, value: object) -> None:
        out.print(f"[bold]{name:<12}[/]{escape(str(value))}", highlight=False, soft_wrap=not out.is_terminal)

    line(facts["id"] + "  ", facts["doc"])
    line("family", facts["family"] + (f", because {facts['why']}" if facts["why"] else ""))
    if facts["reference"]:
        line("reference", facts["reference"])
    line("time limit", f"{facts['max_episode_steps']} steps" if facts["max_episode_steps"] else "none by default")
    if facts["reward_threshold"] is not None:
        line("solved at", f"{facts['reward_threshold']:g}")
    if facts["missing"]:
        line("missing", facts["missing"])
    else:
        if facts["players"] > 1:
            line("players", f"up to {facts['players']}; fields marked * have a row for each")
        line("reward", _range(*facts["reward"]))
        line("runs", _where(facts))
    for title in ("observation", "action", "info"):
        _fields(out, title, facts[title])
    _options(out, facts["options"])
    if facts["options"]:
        out.print(f"\nEvery environment also takes {', '.join(facts['common_options'])}.", highlight=False)


def _where(facts: dict[str, Any]) -> str:
    if not facts["portable"]:
        return "on the CPU: in a pool, which env.xla() takes into jax.jit"
    cpu = "on the CPU: in a pool, and as pure functions in jax.jit"
    return f"{cpu}; {_gpu()}" if facts["gpu"] else f"{cpu}; not on a GPU, because its header is not known: {_HOW}"


def _gpu() -> str:
    """Returns a text that says whether this machine has a GPU for pools with device="cuda"."""
    from envpool.cli.gpu import NOTE, driver_facts

    driver = driver_facts()
    if not driver["devices"]:
        return 'on an NVIDIA GPU with device="cuda", but this machine has none that can be used (see envpool doctor)'
    name = driver["devices"][0]["name"]
    return f'on this machine\'s {"stand-in for a GPU" if driver["stand_in"] else name} with device="cuda". {NOTE}'


def _fields(out: Any, title: str, fields: list[dict[str, Any]]) -> None:
    if not fields:
        return
    rows = [
        (
            field["name"] + ("*" if field["per_player"] else ""),
            field["dtype"],
            "x".join(map(str, field["shape"])) or "-",
            f"0 to {field['discrete'] - 1}" if field["discrete"] else _ranges(field["low"], field["high"]),
            field["doc"],
        )
        for field in fields
    ]
    out.print("", table(out.width, (title, "dtype", "shape", "range", "meaning"), rows, _LEAST))


def _options(out: Any, options: list[dict[str, Any]]) -> None:
    if not options:
        return
    rows = []
    for option in options:
        default, kind = option["default"], option["kind"]
        if option["shape"]:
            kind += f" ({' × '.join(map(str, option['shape']))})"
        allowed = ", ".join(option["choices"]) or (
            _range(option["low"], option["high"]) if option["low"] is not None else ""
        )
        rows.append((option["name"], kind, _shown(default), allowed, option["doc"]))
    out.print("", table(out.width, ("option", "kind", "default", "range", "meaning"), rows, _LEAST))


def _shown(default: Any) -> str:
    if isinstance(default, float):
        return f"{default:.6g}"
    text = repr(default)
    return text if len(text) < 30 or not isinstance(default, tuple) else "an array"


def _ranges(low: Any, high: Any) -> str:
    """Returns the range of a scalar, or the ranges of an array's elements, at most eight of them."""
    if not getattr(low, "shape", ()) and not getattr(high, "shape", ()):
        return _range(float(low), float(high))
    lows, highs = np.broadcast_arrays(low, high)
    each = [_range(float(a), float(b)) for a, b in zip(lows.flat, highs.flat, strict=True)]
    return "; ".join(each[:8]) + ("; ..." if len(each) > 8 else "")


def _range(low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return "any"
    if low == high:
        return f"{low:.7g}"
    if math.isinf(high):
        return f"at least {low:.4g}"
    return f"at most {high:.4g}" if math.isinf(low) else f"{low:.7g} to {high:.7g}"


def _thumbnail(task_id: str, options: dict[str, Any]) -> None:
    import envpool
    from envpool.cli.terminal import fit, lines_of

    with envpool.make_gymnasium(task_id, **{**options, "num_envs": 1, "render_mode": "rgb_array"}) as env:
        env.reset()
        rng = np.random.default_rng(1)
        actors = max(1, int(env.players()[0])) if env.spec.arrays.actors > 1 else 1
        env.action_space.seed(int(rng.integers(2**31)))
        try:
            for _ in range(_STEPS):
                env.step(stack([env.action_space.sample() for _ in range(actors)]))
        except (TypeError, ValueError, RuntimeError):
            env.reset()  # The thumbnail shows an initial state instead.
        frame = env.render()
    frame = np.asarray(frame[0] if np.ndim(frame) == 4 else frame)
    columns, rows = shutil.get_terminal_size()
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    small = fit(frame, min(columns, 80), min(max(rows - 2, 2), 24))
    sys.stdout.write("\n" + "\n".join(lines_of(small, colour=colour)) + "\n")


def stack(samples: Sequence[Any]) -> Any:
    """Returns the actions of several players or environments as one batch."""
    if isinstance(samples[0], dict):
        return {key: stack([sample[key] for sample in samples]) for key in samples[0]}
    batch = np.stack([np.asarray(sample) for sample in samples])
    return batch.astype(np.int32) if batch.dtype == np.int64 else batch
