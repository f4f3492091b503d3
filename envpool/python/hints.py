# SPDX-License-Identifier: Apache-2.0
"""Suggestions for ids that are not registered."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

_OLD_ATARI = re.compile(r"^(?P<game>\w+?)(?P<ram>-ram)?(?P<kind>NoFrameskip|Deterministic)?-v(?P<version>[04])$")
_VERSION = re.compile(r"-v\d+(-goal-(observable|hidden))?$")
_NAMESPACE = re.compile(r"[/:]")


@dataclass(frozen=True)
class _Package:
    """A package whose environments are not registered, or only some of them.

    Attributes:
        name: the package's name as its authors write it.
        starts: words with which ids begin, in lower case, separated by spaces.
        whole: whole ids without their version, in the same form.
        namespaces: what may stand before "/" or ":" in ids, in lower case without hyphens and underscores.
        example: an id of ours for one of its environments, if there are any.
    """

    name: str
    starts: str
    whole: str = ""
    namespaces: str = ""
    example: str = ""


_PACKAGES = (
    _Package(
        "Gymnasium-Robotics",
        "fetchreach fetchpush fetchslide fetchpick handreach handmanipulate antmaze_ pointmaze_ adroithand "
        "frankakitchen",
        namespaces="gymnasiumrobotics",
    ),
    _Package("MyoSuite", "myo motorfinger", namespaces="myosuite"),
    _Package(
        "Meta-World",
        "meta-world metaworld",
        "assembly basketball bin-picking box-close button-press button-press-topdown button-press-topdown-wall "
        "button-press-wall coffee-button coffee-pull coffee-push dial-turn disassemble door-close door-lock door-open "
        "door-unlock drawer-close drawer-open faucet-close faucet-open hammer hand-insert handle-press "
        "handle-press-side handle-pull handle-pull-side lever-pull peg-insert-side peg-unplug-side pick-out-of-hole "
        "pick-place pick-place-wall plate-slide plate-slide-back plate-slide-back-side plate-slide-side push push-back "
        "push-wall reach reach-wall shelf-place soccer stick-pull stick-push sweep sweep-into window-close window-open",
        namespaces="metaworld",
    ),
    _Package(
        "pgx",
        "pgx bridge_bidding",
        "mahjong",
        namespaces="pgx",
        example="Hex-v1",
    ),
    _Package(
        "PettingZoo",
        "pettingzoo",
        namespaces="pettingzoo",
        example="atari/pong-v3",
    ),
    _Package("Brax", "brax", namespaces="brax"),
    _Package("Google Research Football", "gfootball googlefootball academy_ 11_vs_11_", namespaces="gfootball"),
    _Package("Crafter", "crafter"),
    _Package(
        "Jumanji",
        "jumanji",
        "binpack cvrp flatpack graphcoloring jobshop knapsack mmst multicvrp searchandrescue sokoban tsp",
        namespaces="jumanji",
        example="Snake-v1",
    ),
    _Package("NetHack", "nethack minihack", namespaces="nle minihack"),
    _Package("MiniWorld", "miniworld"),
    _Package("PyBullet", "pybullet", namespaces="pybulletenvs"),
    _Package("Safety-Gymnasium", "safetypoint safetycar safetyant safetyracecar safetydoggo"),
)


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
    absent = _of_namespace(task_id, ids)
    if absent:
        return _not_included(absent, ids)
    folded = _folded(task_id)
    same = [name for name in ids if _folded(name) == folded]
    if same:
        return _did_you_mean(sorted(same, key=lambda name: _likeness(task_id, name), reverse=True)[:3])
    for package in _PACKAGES:
        if folded.startswith(tuple(package.starts.split())) or folded in package.whole.split():
            return _not_included(package, ids)
    near = _nearest(task_id, ids)
    return _did_you_mean(near) if near else ""


def _of_namespace(task_id: str, ids: list[str]) -> _Package | None:
    """Returns the package that the id's namespace names, unless there are registered ids in that namespace."""
    namespace = _NAMESPACE.split(task_id)[0]
    if namespace == task_id or any(name.startswith(namespace + "/") for name in ids):
        return None
    word = re.sub(r"[-_.]", "", namespace.casefold())
    return next((package for package in _PACKAGES if word in package.namespaces.split()), None)


def _not_included(package: _Package, ids: list[str]) -> str:
    """Says that a package's environments are not registered, except for one that is, if there is one."""
    text = f"the environments of {package.name} are not included"
    if package.example in ids:
        return f"{text}, except for some such as {package.example!r}"
    for words in package.starts.split():
        example = next((name for name in ids if _folded(name).startswith(words)), "")
        if example:
            return f"{text}, except for some such as {example!r}"
    return text


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
