# SPDX-License-Identifier: Apache-2.0
"""Writes envpool/_signatures.pyi, which shows editors the make functions with the options of each id.

    python -m tests.support.signatures envpool/_signatures.pyi       (make generated)

The options come from the declarations in C++. A changed option or a new id makes the file stale, and a test then fails.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import envpool
from envpool.python.options import Option, Value
from envpool.python.registry import Registration, find

_HEAD = '''\
# SPDX-License-Identifier: Apache-2.0
# Written by `make generated` from what the environments declare. Do not edit.
"""The make functions as editors show them, with the options of each id. Their code is in registration.py."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict, overload

import numpy.typing as npt
from typing_extensions import Unpack

from envpool.python.dm_envpool import DMEnvPool
from envpool.python.env_spec import EnvSpec
from envpool.python.gym_envpool import GymEnvPool
from envpool.python.gymnasium_envpool import GymnasiumEnvPool, GymnasiumVectorEnv

class CommonOptions(TypedDict, total=False):
    """The options that all environments have; `envpool.make` describes them."""

    batch_size: int
    num_threads: int
    max_num_players: int
    thread_affinity_offset: int | Literal["auto"]
    base_path: str | PathLike[str]
    seed: int | Sequence[int] | None
    env_seed: Sequence[int] | None
    gym_reset_return_info: bool
    max_episode_steps: int | None
    reward_threshold: float | None
    render_mode: Literal["rgb_array", "human"] | None
    render_env_id: int | Sequence[int]
    render_width: int
    render_height: int
    render_camera_id: int
    autoreset_mode: Any  # "next_step", "same_step", "disabled", or gymnasium's AutoresetMode
    env_options: Sequence[Mapping[str, Any]]
    step_api: Literal["classic", "modern"] | None
    first_stream: int
    device: str
    in_place: bool
    episode_statistics: bool
    normalize_obs: bool | Mapping[str, float]
    normalize_reward: bool | Mapping[str, float]
'''

# The name, further parameters and return type of each make function.
_ENVS = "*, num_envs: int = ..."
_MAKE_FUNCTIONS = (
    ("make", f'env_type: Literal["gymnasium"] = ..., {_ENVS}', "GymnasiumEnvPool"),
    ("make", f'env_type: Literal["gym"], {_ENVS}', "GymEnvPool | GymnasiumEnvPool"),
    ("make", f'env_type: Literal["dm"], {_ENVS}', "DMEnvPool"),
    ("make", f"env_type: str, {_ENVS}", "GymnasiumEnvPool | GymEnvPool | DMEnvPool"),
    ("make_gymnasium", _ENVS, "GymnasiumEnvPool"),
    ("make_gym", _ENVS, "GymEnvPool | GymnasiumEnvPool"),
    ("make_dm", _ENVS, "DMEnvPool"),
    ("make_vec", 'num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ...', "GymnasiumVectorEnv"),
    ("make_spec", _ENVS, "EnvSpec"),
)
_KINDS = {"bool": "bool", "int": "int", "float": "float", "str": "str | bytes"}


Groups = dict[tuple[str, str], list[Registration]]


def stub() -> str:
    """Returns the contents of the file."""
    groups: Groups = {}
    for task_id in envpool.list_all_envs():
        registration = find(task_id)
        if registration.family:  # Ids that a user or a test registered have no family.
            group = groups.setdefault((registration.family, registration.table), [])
            group.append(registration._replace(task_id=task_id))
    groups = dict(sorted(groups.items(), key=lambda item: item[0][0]))
    lines = [_HEAD]
    names = _class_names(groups)
    for name, ids in zip(names, groups.values(), strict=True):
        lines += _group(name, ids)
    lines += _signatures(names)
    return "\n".join(lines) + "\n"


def _class_names(groups: Groups) -> list[str]:
    """Returns a name for each table. It begins with the family if another family has a table of the same name."""
    tables = [table for _, table in groups]
    return [table if tables.count(table) == 1 else family.title().replace("_", "") + table for family, table in groups]


def _group(name: str, ids: list[Registration]) -> Iterator[str]:
    """Yields the types of a table's ids and options."""
    each = [registration.options() for registration in ids]
    yield f"{name}Id = Literal["
    yield from _wrapped(", ".join(f'"{registration.task_id}"' for registration in ids) + ",")
    yield "]"
    yield ""
    yield f"class {name}Options(CommonOptions, total=False):"
    yield f'    """The options of {name}Id."""' if len(ids) > 1 else f'    """The options of {ids[0].task_id}."""'
    yield ""
    known = {name: option for options in each for name, option in options.items()}  # some ids lack some options
    for option in known.values():
        if not option.name.isidentifier():  # such as "model.body_mass", which cannot be written as a keyword
            continue
        defaults = {options[option.name].default for options in each if option.name in options}
        yield from _option(option, "depends on the id" if len(defaults) > 1 else f"is {_shown(option.default)}")
    yield ""


def _option(option: Option, default: str) -> Iterator[str]:
    choices = "Literal[" + ", ".join(f'"{choice}"' for choice in option.choices) + "]"
    one = choices if option.choices else _KINDS[option.kind]
    yield f"    {option.name}: {'npt.ArrayLike' if option.shape else one}"
    allowed = f"; {option.expected}" if option.shape or option.kind in ("int", "float") else ""
    doc = option.doc.rstrip(".") or "see the family's registration"
    yield from _wrapped(f'"""{doc}{allowed}; the default {default}."""'.replace("\\", "\\\\"))


def _shown(default: Value) -> str:
    if isinstance(default, tuple):
        return "an array"
    return f"{default:.6g}" if isinstance(default, float) else repr(default)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, 120, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def _signatures(names: list[str]) -> Iterator[str]:
    """Yields the overloads of each make function: one for each table, with its options, and a general one.

    The general one accepts any id and any options: ids of plugins, ids computed at run time, keywords that a family
    translates, and the ids of mixed pools.
    """
    for function, between, result in _MAKE_FUNCTIONS:
        for name in names if "env_type: str" not in between else []:
            yield "@overload"
            yield f"def {function}(task_id: {name}Id, {between}, **options: Unpack[{name}Options]) -> {result}: ..."
        yield "@overload"
        yield f"def {function}(task_id: str | Sequence[str], {between}, **options: Any) -> {result}: ..."


def main() -> None:
    """Writes the file named on the command line, or prints it."""
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(stub())
    else:
        print(stub(), end="")


if __name__ == "__main__":
    main()
