# SPDX-License-Identifier: Apache-2.0
"""Writes the gallery of all environments, which readers can search by id and filter; gallery.js hides cards."""

from __future__ import annotations

import html
from collections.abc import Sequence

import families

from envpool import _core
from envpool.python.registry import find
from envpool.python.spaces import ArraySpecs

_DEVICES = {
    "pool": "a pool on the CPU",
    "jit": "inside jax.jit",
    "gpu": "an NVIDIA GPU",
}
_ACTIONS = {"discrete": "discrete", "continuous": "continuous", "multidiscrete": "several choices", "dict": "a dict"}
_PLAYERS = {"one": "one", "several": "several"}


def action_kind(arrays: ArraySpecs) -> str:
    """Returns the kind of an environment's actions, a key of _ACTIONS."""
    if len(arrays.actions) > 1:
        return "dict"
    (action,) = arrays.actions
    if action.discrete:
        return "multidiscrete" if action.shape and action.shape != (1,) else "discrete"
    return "continuous" if action.dtype.kind == "f" else "multidiscrete"


def facts(task_id: str) -> dict[str, str]:
    """Returns what the gallery is filtered by; without devices and actions if the id cannot be made on this machine."""
    if families.why_absent(task_id):
        return {"devices": "pool"}
    arrays = families.arrays_of(task_id)
    portable = find(task_id).load().flags & _core.PORTABLE
    return {
        "devices": "pool jit gpu" if portable else "pool",
        "action": action_kind(arrays),
        "players": "several" if arrays.max_players > 1 else "one",
    }


def _card(family: str, tile: families.Tile) -> str:
    values = {"family": family, "ids": " ".join(tile.ids).lower(), **facts(tile.ids[0])}
    data = "".join(f' data-{name}="{html.escape(value)}"' for name, value in values.items())
    name = html.escape(tile.name)
    image = f'<img src="families/{tile.file}" alt="{name}" loading="lazy">' if tile.file else ""
    title = html.escape(", ".join(tile.ids))
    return f'<a href="families/{family}/{tile.table}.html" title="{title}"{data}>{image}<span>{name}</span></a>\n'


def _choice(name: str, label: str, values: dict[str, str]) -> str:
    options = "".join(f'<option value="{value}">{html.escape(text)}</option>' for value, text in values.items())
    return f'<label>{label}<select name="{name}"><option value="">all</option>{options}</select></label>\n'


def page(tiles: dict[str, Sequence[families.Tile]]) -> str:
    """Returns the gallery in HTML.

    Args:
        tiles: the environments of each family.
    """
    choices = (
        _choice("family", "family", {name: name for name in tiles})
        + _choice("devices", "runs in", _DEVICES)
        + _choice("action", "actions", _ACTIONS)
        + _choice("players", "players", _PLAYERS)
    )
    cards = "".join(_card(family, tile) for family, shown in tiles.items() for tile in shown)
    return (
        '<form class="filters" hidden>\n'
        '<label>id<input type="search" name="ids" placeholder="such as Pong or DoorKey" autocomplete="off"></label>\n'
        f'{choices}<output></output>\n</form>\n<div class="tiles gallery">\n{cards}</div>\n'
        '<script defer src="_static/gallery.js"></script>\n'
    )
