# SPDX-License-Identifier: Apache-2.0
"""The options of `make`: their types and ranges, and the checks of the values that a caller gives.

An environment declares its own options in C++. The options that every environment has are declared here in the same
form. The checks return plain bools, ints, floats, strs, bytes and lists, which C++ can take.

Errors read `name: expected ..., got ...`. Callers add the id with `errors.labelled`.
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
from typing import Any, Literal

from envpool import _core
from envpool._core import Table
from envpool.python.family import Value

NO_LIMIT = 2**31 - 1  # config["max_episode_steps"] of an environment without a time limit, as in EnvPool
AUTORESET_MODES = tuple(_core.AUTORESET_MODES)
RENDER_MODES = ("rgb_array", "human")
_KIND_NAMES = {"bool": "True or False", "int": "an int", "float": "a number", "str": "a str"}


@dataclass(frozen=True)
class Option:
    """One option of `make`.

    Attributes:
        name: the keyword.
        kind: "bool", "int", "float" or "str".
        default: the value if the caller gives none.
        low, high: the inclusive range of a number.
        choices: the allowed strings; empty if any string is allowed.
        changes_shapes: whether the option can change the shape of an array.
        changes_blob: whether the option can change data that environments share, such as a game's first state.
        doc: a one-line description.
    """

    name: str
    kind: str
    default: Value
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    changes_shapes: bool = False
    doc: str = ""
    changes_blob: bool = False

    @property
    def is_parameter(self) -> bool:
        """Whether the parameters of pure functions contain the option. Free texts are not part of them either."""
        text = self.kind == "str" and not self.choices
        return not (self.changes_shapes or self.changes_blob or text)

    @property
    def expected(self) -> str:
        """The allowed values, as an error text names them after "expected"."""
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
            TypeError: the value is of another type.
            ValueError: the value is out of range, NaN, or not among the choices.
        """
        if self.kind == "str":
            if not isinstance(value, (str, bytes)):
                raise wrong_type(self.name, self.expected, value)
            if self.choices and value not in self.choices:
                raise wrong_value(self.name, self.expected, value)
            return value
        number = as_number(value, self.kind)
        if number is None:
            raise wrong_type(self.name, self.expected, value)
        fits = self.kind != "int" or -(2**63) <= number < 2**63  # C++ takes 64 bits
        if not (fits and self.low <= number <= self.high):
            raise wrong_value(self.name, self.expected, value)
        return number


def wrong_type(name: str, expected: str, value: Any) -> TypeError:
    """Returns the error for an argument of the wrong type."""
    return TypeError(f"{name}: expected {expected}, got {shown(value)}")


def wrong_value(name: str, expected: str, value: Any) -> ValueError:
    """Returns the error for an argument of the right type whose value is not allowed."""
    return ValueError(f"{name}: expected {expected}, got {shown(value)}")


def shown(value: Any) -> str:
    """Returns `repr(value)` for an error text, cut to 80 characters."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print an int of more than 4300 digits
        text = f"a value of type {type(value).__name__} that cannot be printed"
    return text if len(text) <= 80 else text[:77] + "..."


def as_number(value: Any, kind: str) -> bool | int | float | None:
    """Returns `value` as a plain bool, int or float, or None if it is not of that kind.

    NumPy's scalars are accepted. A number that exceeds the range of a float becomes NaN, which is in no range.
    """
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
    if not isinstance(value, numbers.Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.nan


def is_sequence(value: Any) -> bool:
    """Returns whether a value holds several values. A string, a mapping and an array without axes do not."""
    several = hasattr(value, "__len__") and hasattr(value, "__iter__")
    return several and not isinstance(value, (str, bytes, Mapping)) and getattr(value, "ndim", 1) > 0


def _number(value: float | str) -> float:
    return float(value)  # infinities are the strings "inf" and "-inf" in the JSON of a table


def declared_options(table: Table, defaults: Mapping[str, Value]) -> dict[str, Option]:
    """Returns an environment's own options by name, with the defaults that its registration gives.

    A default that C++ does not declare becomes an option that only the family's `prepare` method reads. Its kind is the
    type of the default.
    """
    options = {
        entry["name"]: Option(
            entry["name"],
            entry["kind"],
            defaults.get(entry["name"], entry["default"] if entry["kind"] != "float" else _number(entry["default"])),
            low=_number(entry["low"]),
            high=_number(entry["high"]),
            choices=tuple(entry["choices"]),
            changes_shapes=entry["changes_shapes"],
            doc=entry["doc"],
            changes_blob=entry.get("changes_blob", False),  # absent in plugins of earlier versions
        )
        for entry in json.loads(table.describe())
    }
    for name, value in defaults.items():
        if name not in options:
            kind = "str" if isinstance(value, bytes) else type(value).__name__
            options[name] = Option(name, kind, value, changes_shapes=True)
    return options


def check_known(caller_options: Iterable[str], allowed: Sequence[str]) -> None:
    """Raises TypeError for an unknown option, and suggests the option with the most similar name."""
    for name in caller_options:
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, 1, 0.6)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise TypeError(f"unknown option {name!r}{hint} Options: {', '.join(allowed)}")


def check_seed(name: str, value: Any) -> int:
    """Returns a seed as int. Raises TypeError or ValueError."""
    seed = as_number(value, "int")
    if seed is None:
        raise wrong_type(name, "an int from 0 to 2**64 - 1", value)
    if not 0 <= seed < 2**64:
        raise wrong_value(name, "an int from 0 to 2**64 - 1", value)
    return int(seed)


def check_seeds(name: str, value: Any, count: int) -> list[int]:
    """Returns a sequence of `count` seeds as ints. Raises TypeError or ValueError."""
    expected = f"an int from 0 to 2**64 - 1, or a sequence of {count} of them"
    if not is_sequence(value):
        raise wrong_type(name, expected, value)
    if len(value) != count:
        raise ValueError(f"{name}: expected {expected}, got a sequence of {len(value)}")
    return [check_seed(f"{name}[{index}]", seed) for index, seed in enumerate(value)]


def check_seconds(name: str, value: Any) -> float:
    """Returns a timeout in seconds; math.inf never expires. Raises TypeError or ValueError."""
    seconds = as_number(value, "float")
    if seconds is None:
        raise wrong_type(name, "a number of seconds", value)
    if not seconds >= 0:
        raise wrong_value(name, "a number of seconds of at least 0", value)
    return seconds


def check_autoreset_mode(value: Any) -> str:
    """Returns the name of an autoreset mode. gymnasium's AutoresetMode and its values are accepted as well."""
    expected = "one of " + ", ".join(map(repr, AUTORESET_MODES))
    name = getattr(value, "value", value)
    if isinstance(name, str):
        name = {"NextStep": "next_step", "SameStep": "same_step", "Disabled": "disabled"}.get(name, name)
    if not isinstance(name, str):
        raise wrong_type("autoreset_mode", expected, value)
    if name not in AUTORESET_MODES:
        raise wrong_value("autoreset_mode", expected, value)
    return name


# The integer options that every environment has: name, default, minimum, maximum, description.
_INTEGERS = {
    name: Option(name, "int", default, low=low, high=high, doc=doc)
    for name, default, low, high, doc in (
        ("num_envs", 1, 1, _core.MAX_NUM_ENVS, "number of environments in the pool"),
        ("batch_size", 0, 0, _core.MAX_NUM_ENVS, "number of environments in a batch; 0: num_envs"),
        ("num_threads", 0, 0, _core.MAX_NUM_THREADS, "number of worker threads; 0: the CPUs that this process may use"),
        ("max_num_players", 0, 1, _core.MAX_NUM_ENVS, "number of players of one environment"),
        ("thread_affinity_offset", -1, -1, 65535, "first CPU of the threads; -1: any; or 'auto'"),
        ("max_episode_steps", 0, 0, NO_LIMIT, "steps until an episode is truncated; 0: no limit"),
        ("render_width", 0, 0, 8192, "width of an image in pixels; 0: the environment's own size"),
        ("render_height", 0, 0, 8192, "height of an image in pixels; 0: the environment's own size"),
        ("render_camera_id", -1, -1, 10**9, "camera of the model, if there are several; -1: the default"),
        ("first_stream", 0, 0, 2**31 - 1, "stream of the seed from which environment 0 draws"),
    )
}

# The options for the size and camera of images. An environment that renders images of any size declares them itself.
RENDER_OPTIONS = ("render_width", "render_height", "render_camera_id")

# The names of the options that every environment has and EnvPool does not have.
EXTENSION_OPTIONS = (
    "reward_threshold",
    "render_mode",
    "render_env_id",
    *RENDER_OPTIONS,
    "autoreset_mode",
    "env_options",
    "step_api",
    "first_stream",
    "device",
    "in_place",
)

# The names of the options that every environment has: EnvPool's options in the order of its config, then ours.
COMMON_OPTIONS = (
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
    *EXTENSION_OPTIONS,
)


@dataclass(frozen=True)
class CheckedOptions:
    """Checked values of the options that every environment has. Omitted options have their defaults."""

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
    caller_options: Mapping[str, Any], max_episode_steps: int, reward_threshold: float | None, usable_cpus: int
) -> CheckedOptions:
    """Checks the options that every environment has.

    Args:
        caller_options: the options that the caller gave.
        max_episode_steps: the time limit of the id; 0 if it has none.
        reward_threshold: the reward threshold of the id, or None.
        usable_cpus: CPUs that this process may use.

    Raises:
        TypeError: a value of the wrong type.
        ValueError: a value out of range, or two values that contradict each other.
    """

    def integer(name: str, default: int) -> int:
        return int(_INTEGERS[name].check(caller_options[name])) if name in caller_options else default

    num_envs = integer("num_envs", 1)
    batch_size = integer("batch_size", 0) or num_envs
    if batch_size > num_envs:
        raise wrong_value("batch_size", f"at most num_envs = {num_envs}", caller_options["batch_size"])
    num_threads = integer("num_threads", 0) or min(usable_cpus, batch_size)
    steps = 0 if caller_options.get("max_episode_steps", 0) is None else integer("max_episode_steps", max_episode_steps)
    players = integer("max_num_players", 0) or None

    base_path = caller_options.get("base_path", "")
    if not isinstance(base_path, str) and not hasattr(base_path, "__fspath__"):
        raise wrong_type("base_path", "a path", base_path)

    seed, env_seed = _seeds(caller_options, num_envs)

    return_info = caller_options.get("gym_reset_return_info")
    if return_info is not None and as_number(return_info, "bool") is None:
        raise wrong_type("gym_reset_return_info", "True or False", return_info)

    render_mode = caller_options.get("render_mode")
    if render_mode not in (None, *RENDER_MODES):
        wrong = wrong_value if isinstance(render_mode, str) else wrong_type
        raise wrong("render_mode", "None, 'rgb_array' or 'human'", render_mode)

    step_api = caller_options.get("step_api")
    if step_api not in (None, "classic", "modern"):
        wrong = wrong_value if isinstance(step_api, str) else wrong_type
        raise wrong("step_api", "None, 'classic' or 'modern'", step_api)

    env_options = caller_options.get("env_options") or []
    if isinstance(env_options, (str, bytes, Mapping)) or not isinstance(env_options, Sequence):
        raise wrong_type("env_options", f"a sequence of num_envs = {num_envs} mappings", env_options)
    if env_options and len(env_options) != num_envs:
        raise ValueError(f"env_options: expected a sequence of num_envs = {num_envs} mappings, got {len(env_options)}")
    for index, entry in enumerate(env_options):
        if not isinstance(entry, Mapping):
            raise wrong_type(f"env_options[{index}]", "a mapping of option names to values", entry)

    device = _device(caller_options.get("device", "cpu"), num_envs, batch_size)
    return CheckedOptions(
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        max_num_players=players,
        thread_affinity_offset=_affinity_offset(caller_options.get("thread_affinity_offset", -1)),
        base_path=str(base_path),
        seed=seed,
        env_seed=env_seed,
        gym_reset_return_info=None if return_info is None else bool(return_info),
        max_episode_steps=steps or NO_LIMIT,
        reward_threshold=_reward_threshold(caller_options.get("reward_threshold", reward_threshold)),
        render_mode=render_mode,
        render_env_id=check_env_ids("render_env_id", caller_options.get("render_env_id", 0), num_envs),
        render_width=integer("render_width", 0),
        render_height=integer("render_height", 0),
        render_camera_id=integer("render_camera_id", -1),
        autoreset_mode=check_autoreset_mode(caller_options.get("autoreset_mode", "next_step")),
        env_options=list(env_options),
        step_api=step_api,
        first_stream=integer("first_stream", 0),
        device=device,
        in_place=_in_place(caller_options.get("in_place", False), device),
    )


_DEVICE = re.compile(r"cpu|cuda(:\d{1,4})?")
_MOST_BATCHES = 256  # the limit for a pool on a GPU, where each batch has its own CUDA stream


def _device(value: Any, num_envs: int, batch_size: int) -> str:
    if not isinstance(value, str) or not _DEVICE.fullmatch(value):
        wrong = wrong_value if isinstance(value, str) else wrong_type
        raise wrong("device", "'cpu', 'cuda', or 'cuda:N' with the number of a GPU", value)
    if value != "cpu" and num_envs % batch_size:
        raise ValueError(
            f"batch_size: expected a divisor of num_envs = {num_envs} with device={value!r}, because batches on a GPU are "
            f"fixed groups of environments, got {batch_size}"
        )
    if value != "cpu" and num_envs // batch_size > _MOST_BATCHES:
        raise ValueError(
            f"batch_size: expected at least {-(-num_envs // _MOST_BATCHES)} with device={value!r} and num_envs={num_envs}, "
            f"because a pool on a GPU has at most {_MOST_BATCHES} batches, got {batch_size}"
        )
    return "cuda:0" if value == "cuda" else value


def _in_place(value: Any, device: str) -> bool:
    if not isinstance(value, bool):
        raise wrong_type("in_place", "True or False", value)
    if value and device == "cpu":
        raise wrong_value("in_place", "False with device='cpu', because its arrays are never overwritten", value)
    return value


def require_cpu(label: str, caller_options: Mapping[str, Any], library: str) -> None:
    """Raises ValueError if the options name a GPU, for an interface whose library takes only NumPy arrays.

    Args:
        label: the id.
        caller_options: the options that the caller gave.
        library: the name of the library, such as "PettingZoo".
    """
    device = caller_options.get("device", "cpu")
    if device != "cpu":
        raise ValueError(
            f"[{label}] device: expected 'cpu', because {library} takes only NumPy arrays, got {shown(device)}; see "
            "make_gymnasium"
        )


def _affinity_offset(value: Any) -> int | Literal["auto"]:
    option = _INTEGERS["thread_affinity_offset"]
    if isinstance(value, str) and value == "auto":
        return "auto"
    if isinstance(value, str):
        raise wrong_value(option.name, f"'auto' or {option.expected}", value)
    return int(option.check(value))


def _reward_threshold(value: Any) -> float | None:
    if value is None:
        return None
    number = as_number(value, "float")
    if number is None:
        raise wrong_type("reward_threshold", "a number or None", value)
    if math.isnan(number):
        raise wrong_value("reward_threshold", "a number or None", value)
    return number


def _seeds(caller_options: Mapping[str, Any], num_envs: int) -> tuple[int, list[int]]:
    """Returns the seed of the pool, and a list with the seed of each environment if the caller gave a sequence."""
    import numpy as np

    seed = caller_options.get("seed", 42)
    env_seed = caller_options.get("env_seed")
    if env_seed is not None and not (is_sequence(env_seed) and len(env_seed) == 0):
        return 42 if "seed" not in caller_options else check_seed("seed", seed), check_seeds(
            "env_seed", env_seed, num_envs
        )
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]), []
    if is_sequence(seed):
        return 42, check_seeds("seed", seed, num_envs)
    if as_number(seed, "int") is None:
        raise wrong_type("seed", f"an int from 0 to 2**64 - 1, or a sequence of {num_envs} of them", seed)
    return check_seed("seed", seed), []


def check_env_ids(name: str, value: Any, num_envs: int) -> list[int]:
    """Returns the id of an environment, or several ids, as a list. Raises TypeError or ValueError."""
    expected = f"ids of environments, from 0 to {num_envs - 1}"
    single = as_number(value, "int")
    if single is None:
        if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
            raise wrong_type(name, expected, value)
        ids = [as_number(item, "int") for item in value]
    else:
        ids = [single]
    for item, original in zip(ids, [value] if single is not None else value, strict=True):
        if item is None:
            raise wrong_type(name, expected, original)
        if not 0 <= item < num_envs:
            raise wrong_value(name, expected, original)
    return [int(item) for item in ids if item is not None]
