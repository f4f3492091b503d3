# SPDX-License-Identifier: Apache-2.0
"""Keywords of `make`: what is allowed, and one clear sentence for what is not.

An environment's own options come from its C++ declaration; those every environment has are listed here in the same
form. Whatever passes is a plain bool, int, float, str, bytes or list, which C++ can take.

Errors say which keyword is wrong, what was expected and what came. Callers add the id with `errors.labelled`.
"""

from __future__ import annotations

import difflib
import json
import math
import numbers
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from envpool import _core

if TYPE_CHECKING:
    from envpool._core import Table

Value = bool | int | float | str | bytes

NO_LIMIT = 2**31 - 1  # what EnvPool's users read in config["max_episode_steps"] when there is no limit
AUTORESET_MODES = tuple(_core.AUTORESET_MODES)
RENDER_MODES = ("rgb_array", "human")
_KIND_NAMES = {"bool": "True or False", "int": "an int", "float": "a number", "str": "a str"}


@dataclass(frozen=True)
class Option:
    """One keyword of `make`."""

    name: str
    kind: str  # "bool", "int", "float" or "str"
    default: Value
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    changes_shapes: bool = False
    doc: str = ""

    @property
    def expectation(self) -> str:
        """What is allowed, as the middle of a sentence."""
        if self.choices:
            return "one of " + ", ".join(repr(choice) for choice in self.choices)
        text = _KIND_NAMES[self.kind]
        if self.kind in ("int", "float") and math.isfinite(self.low):
            if math.isfinite(self.high):
                return f"{text} from {self.low:.15g} to {self.high:.15g}"
            return f"{text} of at least {self.low:.15g}"
        if self.kind in ("int", "float") and math.isfinite(self.high):
            return f"{text} of at most {self.high:.15g}"
        return text

    def check(self, value: Any) -> Value:
        """Returns `value` as a plain Python value.

        Raises:
            TypeError: it is of another kind.
            ValueError: it is out of range, NaN, or not among the choices.
        """
        if self.kind == "str":
            if not isinstance(value, (str, bytes)):
                raise _wrong(TypeError, self.name, self.expectation, value)
            if self.choices and value not in self.choices:
                raise _wrong(ValueError, self.name, self.expectation, value)
            return value
        number = as_number(value, self.kind)
        if number is None:
            raise _wrong(TypeError, self.name, self.expectation, value)
        fits = self.kind != "int" or -(2**63) <= number < 2**63  # C++ takes 64 bits
        if not (fits and self.low <= number <= self.high):
            raise _wrong(ValueError, self.name, self.expectation, value)
        return number


def _wrong(kind: type[Exception], name: str, expected: str, value: Any) -> Exception:
    shown = repr(value)
    if len(shown) > 80:
        shown = shown[:77] + "..."
    return kind(f"{name} must be {expected}, got {shown}")


def as_number(value: Any, kind: str) -> bool | int | float | None:
    """`value` as a plain bool, int or float (also from NumPy's scalars); None when it is not of that kind."""
    is_bool = isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
    if kind == "bool":
        return bool(value) if is_bool else None
    if is_bool:
        return None
    if kind == "int":
        try:
            return operator.index(value)
        except TypeError:
            return None
    return float(value) if isinstance(value, numbers.Real) else None


def _number(value: float | str) -> float:
    return float(value)  # "inf" and "-inf" are strings in our JSON


def declared_options(table: Table, defaults: Mapping[str, Value]) -> dict[str, Option]:
    """An environment's own options, with the defaults its registration gives.

    A default that C++ does not declare is an option of the family's `prepare` hook, of the kind its default has.
    """
    options = {
        entry["name"]: Option(
            entry["name"],
            entry["kind"],
            defaults.get(entry["name"], entry["default"] if entry["kind"] != "float" else _number(entry["default"])),
            _number(entry["low"]),
            _number(entry["high"]),
            tuple(entry["choices"]),
            entry["changes_shapes"],
            entry["doc"],
        )
        for entry in json.loads(table.describe())
    }
    for name, value in defaults.items():
        if name not in options:
            kind = "str" if isinstance(value, bytes) else type(value).__name__
            options[name] = Option(name, kind, value, changes_shapes=True)
    return options


def check_known(given: Iterable[str], allowed: Sequence[str]) -> None:
    """Raises TypeError for a keyword that is not an option, with the nearest that is."""
    for name in given:
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, 1, 0.6)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise TypeError(f"unknown option {name!r}{hint} Options: {', '.join(allowed)}")


def check_seed(name: str, value: Any) -> int:
    """Returns a seed as int. Raises TypeError or ValueError."""
    seed = as_number(value, "int")
    if seed is None:
        raise _wrong(TypeError, name, "an int from 0 to 2**64 - 1", value)
    if not 0 <= seed < 2**64:
        raise _wrong(ValueError, name, "an int from 0 to 2**64 - 1", value)
    return int(seed)


def check_seeds(name: str, value: Any, count: int) -> list[int]:
    """Returns a sequence of `count` seeds as ints. Raises TypeError or ValueError."""
    expected = f"an int from 0 to 2**64 - 1, or a sequence of {count} of them"
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        raise _wrong(TypeError, name, expected, value)
    if len(value) != count:
        raise ValueError(f"{name} must be {expected}, got a sequence of {len(value)}")
    return [check_seed(f"{name}[{index}]", seed) for index, seed in enumerate(value)]


def check_seconds(name: str, value: Any) -> float:
    """Returns a time to wait, in seconds; math.inf is for ever. Raises TypeError or ValueError."""
    seconds = as_number(value, "float")
    if seconds is None:
        raise TypeError(f"{name} must be a number of seconds, got {value!r}")
    if not seconds >= 0:
        raise ValueError(f"{name} must be a number of seconds of at least 0, got {value!r}")
    return seconds


def check_autoreset_mode(value: Any) -> str:
    """Returns the mode's name; takes gymnasium's AutoresetMode too."""
    name = {"NextStep": "next_step", "SameStep": "same_step", "Disabled": "disabled"}.get(getattr(value, "value", ""))
    name = name or value
    if not isinstance(name, str):
        raise _wrong(TypeError, "autoreset_mode", "one of " + ", ".join(map(repr, AUTORESET_MODES)), value)
    if name not in AUTORESET_MODES:
        raise _wrong(ValueError, "autoreset_mode", "one of " + ", ".join(map(repr, AUTORESET_MODES)), value)
    return name


_INTEGERS = {
    option.name: option
    for option in (
        Option("num_envs", "int", 1, 1, _core.MAX_NUM_ENVS, doc="how many environments the pool holds"),
        Option("batch_size", "int", 0, 0, _core.MAX_NUM_ENVS, doc="environments a recv returns; 0: num_envs"),
        Option(
            "num_threads", "int", 0, 0, _core.MAX_NUM_THREADS, doc="worker threads; 0: the CPUs this process may use"
        ),
        Option("max_num_players", "int", 0, 1, _core.MAX_NUM_ENVS, doc="players of one environment"),
        Option("thread_affinity_offset", "int", -1, -1, 65535, doc="first CPU of the threads; -1: any; or 'auto'"),
        Option("max_episode_steps", "int", 0, 0, NO_LIMIT, doc="steps until an episode is truncated; 0: no limit"),
        Option("render_width", "int", 0, 0, 8192, doc="columns of a rendered picture; 0: as the environment draws it"),
        Option("render_height", "int", 0, 0, 8192, doc="rows of a rendered picture; 0: as the environment draws it"),
        Option("render_camera_id", "int", -1, -1, 10**9, doc="a camera of the model, where there are several"),
        Option("first_stream", "int", 0, 0, 2**31 - 1, doc="stream of the seed that environment 0 draws from"),
    )
}

# What becomes of pictures. An environment that can draw in any size declares options of these names itself.
PICTURE = ("render_width", "render_height", "render_camera_id")

# Every keyword that all environments take, in the order of EnvPool's config and then ours.
COMMON = (
    "num_envs",
    "batch_size",
    "num_threads",
    "max_num_players",
    "thread_affinity_offset",
    "base_path",
    "seed",
    "env_seed",
    "gym_reset_return_info",
    "max_episode_steps",
    "reward_threshold",
    "render_mode",
    "render_env_id",
    *PICTURE,
    "autoreset_mode",
    "env_options",
    "step_api",
    "first_stream",
    "device",
    "in_place",
)


@dataclass(frozen=True)
class Common:
    """The options every environment has, checked and completed."""

    num_envs: int
    batch_size: int
    num_threads: int
    max_num_players: int | None
    thread_affinity_offset: int | Literal["auto"]
    base_path: str
    seed: int
    env_seed: list[int]
    gym_reset_return_info: bool | None
    max_episode_steps: int
    reward_threshold: float | None
    render_mode: str | None
    render_env_id: list[int]
    render_width: int
    render_height: int
    render_camera_id: int
    autoreset_mode: str
    env_options: list[Mapping[str, Any]]
    step_api: str | None
    first_stream: int
    device: str
    in_place: bool


def check_common(
    given: Mapping[str, Any], max_episode_steps: int, reward_threshold: float | None, usable_cpus: int
) -> Common:
    """Checks the options that every environment has.

    Raises:
        TypeError: a value of the wrong kind.
        ValueError: a value out of range, or two that contradict each other.
    """

    def integer(name: str, default: int) -> int:
        return int(_INTEGERS[name].check(given[name])) if name in given else default

    num_envs = integer("num_envs", 1)
    batch_size = integer("batch_size", 0) or num_envs
    if batch_size > num_envs:
        raise _wrong(ValueError, "batch_size", f"at most num_envs = {num_envs}", given["batch_size"])
    num_threads = integer("num_threads", 0) or min(usable_cpus, batch_size)
    steps = 0 if given.get("max_episode_steps", 0) is None else integer("max_episode_steps", max_episode_steps)
    players = integer("max_num_players", 0) or None

    base_path = given.get("base_path", "")
    if not isinstance(base_path, str) and not hasattr(base_path, "__fspath__"):
        raise _wrong(TypeError, "base_path", "a path", base_path)

    seed, env_seed = _seeds(given, num_envs)

    return_info = given.get("gym_reset_return_info")
    if return_info is not None and as_number(return_info, "bool") is None:
        raise _wrong(TypeError, "gym_reset_return_info", "True or False", return_info)

    threshold = given.get("reward_threshold", reward_threshold)
    if threshold is not None and as_number(threshold, "float") is None:
        raise _wrong(TypeError, "reward_threshold", "a number or None", threshold)

    render_mode = given.get("render_mode")
    if render_mode not in (None, *RENDER_MODES):
        kind = ValueError if isinstance(render_mode, str) else TypeError
        raise _wrong(kind, "render_mode", "None, 'rgb_array' or 'human'", render_mode)

    step_api = given.get("step_api")
    if step_api not in (None, "classic", "modern"):
        kind = ValueError if isinstance(step_api, str) else TypeError
        raise _wrong(kind, "step_api", "None, 'classic' or 'modern'", step_api)

    env_options = given.get("env_options") or []
    if isinstance(env_options, (str, bytes, Mapping)) or not isinstance(env_options, Sequence):
        raise _wrong(TypeError, "env_options", f"a sequence of num_envs = {num_envs} mappings", env_options)
    if env_options and len(env_options) != num_envs:
        raise ValueError(f"env_options must be a sequence of num_envs = {num_envs} mappings, got {len(env_options)}")
    for index, entry in enumerate(env_options):
        if not isinstance(entry, Mapping):
            raise _wrong(TypeError, f"env_options[{index}]", "a mapping of option names to values", entry)

    device = _device(given.get("device", "cpu"), num_envs, batch_size)
    return Common(
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        max_num_players=players,
        thread_affinity_offset=_offset(given.get("thread_affinity_offset", -1)),
        base_path=str(base_path),
        seed=seed,
        env_seed=env_seed,
        gym_reset_return_info=None if return_info is None else bool(return_info),
        max_episode_steps=steps or NO_LIMIT,
        reward_threshold=None if threshold is None else float(threshold),
        render_mode=render_mode,
        render_env_id=check_env_ids("render_env_id", given.get("render_env_id", 0), num_envs),
        render_width=integer("render_width", 0),
        render_height=integer("render_height", 0),
        render_camera_id=integer("render_camera_id", -1),
        autoreset_mode=check_autoreset_mode(given.get("autoreset_mode", "next_step")),
        env_options=list(env_options),
        step_api=step_api,
        first_stream=integer("first_stream", 0),
        device=device,
        in_place=_in_place(given.get("in_place", False), device),
    )


_DEVICE = re.compile(r"cpu|cuda(:\d{1,4})?")
_MOST_BATCHES = 256  # of a pool on a GPU, each with a CUDA stream of its own


def _device(value: Any, num_envs: int, batch_size: int) -> str:
    if not isinstance(value, str) or not _DEVICE.fullmatch(value):
        kind = ValueError if isinstance(value, str) else TypeError
        raise _wrong(kind, "device", "'cpu', 'cuda' or 'cuda:0' and so on", value)
    if value != "cpu" and num_envs % batch_size:
        raise ValueError(
            f"batch_size must divide num_envs = {num_envs} with device={value!r}, since batches on a GPU are fixed groups "
            f"of environments, got {batch_size}"
        )
    if value != "cpu" and num_envs // batch_size > _MOST_BATCHES:
        raise ValueError(
            f"batch_size must be at least {-(-num_envs // _MOST_BATCHES)} with device={value!r} and num_envs={num_envs}, for "
            f"a pool on a GPU has at most {_MOST_BATCHES} batches, got {batch_size}"
        )
    return "cuda:0" if value == "cuda" else value


def _in_place(value: Any, device: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(TypeError, "in_place", "a bool", value)
    if value and device == "cpu":
        raise _wrong(ValueError, "in_place", "False with device='cpu', whose arrays are never written again", value)
    return value


def require_cpu(label: str, given: Mapping[str, Any], whose: str) -> None:
    """Raises ValueError where options ask for a GPU and somebody, `whose` name it gives, takes NumPy's arrays alone."""
    device = given.get("device", "cpu")
    if device != "cpu":
        raise ValueError(
            f"[{label}] device must be 'cpu' for {whose}, which takes NumPy's arrays, got {device!r}; see make_gymnasium"
        )


def _offset(value: Any) -> int | Literal["auto"]:
    option = _INTEGERS["thread_affinity_offset"]
    if isinstance(value, str) and value == "auto":
        return "auto"
    if isinstance(value, str):
        raise _wrong(ValueError, option.name, f"'auto' or {option.expectation}", value)
    return int(option.check(value))


def _seeds(given: Mapping[str, Any], num_envs: int) -> tuple[int, list[int]]:
    """Returns the seed, and one of each environment where the caller gave a sequence."""
    import numpy as np

    seed = given.get("seed", 42)
    env_seed = given.get("env_seed")
    if env_seed is not None and not (hasattr(env_seed, "__len__") and len(env_seed) == 0):
        return 42 if "seed" not in given else check_seed("seed", seed), check_seeds("env_seed", env_seed, num_envs)
    if seed is None:  # a fresh one, which config shows
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]), []
    if hasattr(seed, "__len__") and not isinstance(seed, (str, bytes, Mapping)):
        return 42, check_seeds("seed", seed, num_envs)
    if as_number(seed, "int") is None:
        raise _wrong(TypeError, "seed", f"an int from 0 to 2**64 - 1, or a sequence of {num_envs} of them", seed)
    return check_seed("seed", seed), []


def check_env_ids(name: str, value: Any, num_envs: int) -> list[int]:
    """Returns one environment's id, or several, as a list. Raises TypeError or ValueError."""
    expected = f"ids of environments, from 0 to {num_envs - 1}"
    single = as_number(value, "int")
    if single is None:
        if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
            raise _wrong(TypeError, name, expected, value)
        ids = [as_number(item, "int") for item in value]
    else:
        ids = [single]
    for item, original in zip(ids, [value] if single is not None else value, strict=True):
        if item is None:
            raise _wrong(TypeError, name, expected, original)
        if not 0 <= item < num_envs:
            raise _wrong(ValueError, name, expected, original)
    return [int(item) for item in ids if item is not None]
