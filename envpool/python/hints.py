# SPDX-License-Identifier: Apache-2.0
"""Suggestions for ids that are not registered."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_OLD_ATARI = re.compile(r"^(?P<game>\w+?)(?P<ram>-ram)?(?P<kind>NoFrameskip|Deterministic)?-v(?P<version>[04])$")
_VERSION = re.compile(r"-v\d+$")

# For each of these packages, the first words of its environments' ids, in lower case.
_ELSEWHERE = {
    "Box2D": "lunarlander bipedalwalker carracing",
    "ViZDoom": "vizdoom doom mywayhome defendthecenter defendtheline deadlycorridor healthgathering d1basic "
    "d2navigation d3battle d4battle2 takecover predictposition",
    "Procgen": "procgen coinrun starpilot caveflyer dodgeball fruitbot chaser jumper leaper maze bigfish heist climber "
    "plunder ninja bossfight",
    "gymnasium-robotics": "fetchreach fetchpush fetchslide fetchpick handreach handmanipulate antmaze_ "
    "pointmaze_ adroithand frankakitchen",
    "Craftax": "craftax",
    "Crafter": "crafter",
    "NetHack": "nethack minihack",
    "MiniWorld": "miniworld",
    "Meta-World": "meta-world",
}


def hint(task_id: str, registered: Iterable[str]) -> str:
    """Returns a hint about an id that is not registered: a sentence without its full stop, or an empty string.

    Args:
        task_id: the id that was asked for.
        registered: all ids.
    """
    ids = list(registered)
    old = _OLD_ATARI.match(task_id.rpartition("/")[2])
    if old and (old["kind"] or old["ram"]) and f"{old['game']}-v5" in ids:
        return _old_atari(old, ids)
    folded = _folded(task_id)
    same = [name for name in ids if _folded(name) == folded]
    if same:
        return _did_you_mean(sorted(same, key=lambda name: _likeness(task_id, name), reverse=True)[:3])
    for package, words in _ELSEWHERE.items():
        if folded.startswith(tuple(words.split())):
            return f"the environments of {package} are not included" + _also(package, ids)
    near = _nearest(task_id, ids)
    return _did_you_mean(near) if near else ""


def _also(package: str, ids: list[str]) -> str:
    """Names an environment of the same package that is registered, if there is one."""
    for words in _ELSEWHERE[package].split():
        found = next((name for name in ids if _folded(name).startswith(words)), "")
        if found:
            return f", except for some such as {found!r}"
    return ""


def _old_atari(old: re.Match[str], ids: list[str]) -> str:
    """Says which ids and options replace an id of gymnasium's Atari games before version 5."""
    task_id = f"{old['game']}-v5"
    ram = "obs_type='ram'" if old["ram"] else ""
    text = f"{task_id!r}{' with ' + ram if ram else ''} is this game with the usual preprocessing"
    if f"ALE/{task_id}" not in ids:
        return text
    skip = f"frameskip={1 if old['kind'] == 'NoFrameskip' else 4}" if old["kind"] else ""
    sticky = "repeat_action_probability=0" if old["version"] == "4" else ""
    options = " and ".join(filter(None, [", ".join(filter(None, [skip, ram])), sticky]))
    return f"{text}, and 'ALE/{task_id}' with {options} is this game without it"


def _folded(task_id: str) -> str:
    """Returns the id in lower case without namespace and version."""
    return _VERSION.sub("", task_id.removeprefix("envpool/").rpartition("/")[2].casefold())


def _likeness(left: str, right: str) -> float:
    return difflib.SequenceMatcher(None, left.casefold(), right.casefold()).ratio()


def _nearest(task_id: str, ids: list[str]) -> list[str]:
    """Returns at most three ids that are similar to this one, ignoring case, the most similar first."""
    folded: dict[str, list[str]] = {}
    for name in ids:
        folded.setdefault(name.casefold(), []).append(name)
    name, slash, rest = task_id.casefold()[:200].partition("/")
    within = [key for key in folded if key.startswith(name + "/")] if slash and rest else []
    near = difflib.get_close_matches(task_id.casefold()[:200], within or folded, 3, 0.6)
    return [name for match in near for name in folded[match]][:3]


def _did_you_mean(names: list[str]) -> str:
    return f"did you mean {' or '.join(map(repr, names))}?"
