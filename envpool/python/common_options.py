# SPDX-License-Identifier: Apache-2.0
"""The options of `make` that every environment has.

They are declared in the same form as the options of environments, which options.py checks, and some of them depend on
each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from envpool import _core
from envpool.python.options import (
    NO_LIMIT,
    Option,
    as_number,
    check_autoreset_mode,
    check_env_ids,
    check_seed,
    check_seed_or_seeds,
    check_seeds,
    is_sequence,
    shown,
    wrong_type,
    wrong_value,
)
from envpool.python.statistics_options import STATISTICS_OPTIONS, Statistics

RENDER_MODES = ("rgb_array", "human")

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
    *STATISTICS_OPTIONS,
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

# The options that only mixed pools have.
MIXED_OPTIONS = ("envs_per_task", "task_options")

# The arguments beside options of the functions that make environments.
_ARGUMENTS = ("task_id", "env_id", "env_type", "dtypes", "aec", "step_values")
_ARGUMENTS_OF_GYMNASIUM = ("id", "disable_env_checker", "vectorization_mode", "vector_kwargs", "wrappers")
_ARGUMENTS_OF_RAY = ("num_workers", "cpus_per_worker", "start_timeout")

# The names that no option can have, because functions that make environments use them for something else.
RESERVED_KEYWORDS = {
    **dict.fromkeys(
        _ARGUMENTS, "functions such as make_vec, make_pettingzoo and envpool.jax.make have it as an argument"
    ),
    **dict.fromkeys(MIXED_OPTIONS, "mixed pools have an option of this name"),
    **dict.fromkeys(_ARGUMENTS_OF_GYMNASIUM, "gymnasium.make or gymnasium.make_vec has an argument of this name"),
    **dict.fromkeys(_ARGUMENTS_OF_RAY, "envpool.ray.make has an argument of this name"),
}

# The names that no option of a compiled environment can have, and why. Unlike those of Python environments, its options
# can change from episode to episode, and are parameters of envpool.jax.
RESERVED_OPTIONS = {
    **RESERVED_KEYWORDS,
    **dict.fromkeys(("self", "env_ids"), "set_options has an argument of this name"),
    "reset_mask": "it selects environments in the options of a reset",
    **dict.fromkeys(
        (
            "axes",
            "format",
            "items",
            "replace",
            "tree_flatten",
            "tree_flatten_with_keys",
            "tree_unflatten",
            "where",
        ),
        "the parameters of envpool.jax have an attribute of this name",
    ),
}

# The names that no info of an environment can have, and why.
RESERVED_INFOS = {
    "task_id": "it is the number of the id in mixed pools",
    **dict.fromkeys(
        ("final_obs", "_final_obs", "final_info", "_final_info"),
        "pools with autoreset_mode='same_step' return the end of an episode under this name",
    ),
}


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
    statistics: Statistics


def check_common(
    caller_options: Mapping[str, Any],
    max_episode_steps: int,
    reward_threshold: float | None,
    usable_cpus: int,
    autoreset_mode: str = "next_step",
) -> CheckedOptions:
    """Checks the options that every environment has.

    Args:
        caller_options: the options that the caller gave.
        max_episode_steps: the time limit of the id; 0 if it has none.
        reward_threshold: the reward threshold of the id, or None.
        usable_cpus: CPUs that this process may use.
        autoreset_mode: the autoreset mode of the id.

    Raises:
        TypeError: a value of the wrong type.
        ValueError: a value out of range, or two values that contradict each other.
    """

    def integer(name: str, default: int) -> int:
        return _INTEGERS[name].check_int(caller_options[name]) if name in caller_options else default

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
        autoreset_mode=check_autoreset_mode(caller_options.get("autoreset_mode", autoreset_mode)),
        env_options=list(env_options),
        step_api=step_api,
        first_stream=integer("first_stream", 0),
        device=device,
        in_place=_in_place(caller_options.get("in_place", False), device),
        statistics=Statistics.check(caller_options),
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
    return option.check_int(value)


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
    checked = check_seed_or_seeds("seed", seed, num_envs)
    return (42, checked) if isinstance(checked, list) else (checked, [])
