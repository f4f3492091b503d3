# SPDX-License-Identifier: Apache-2.0
"""Selects the arrays that a pool returns, and generates the function that packs them into the form of an interface.

That function runs on every step, so its source is generated for each environment, as `collections.namedtuple` generates
its methods: it unpacks one tuple and builds one dict, without a loop and without lookups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from envpool.python.spaces import ArraySpecs, nest, nest_of_dm, path_of, record

Pack = Callable[[tuple[Any, ...]], Any]

# The entries of info that every environment has: the path in EnvPool's info, and the name of the array. They take
# precedence over an environment's own field with the same path.
INFO: dict[tuple[str, ...], str] = {
    ("env_id",): "env_id",
    ("players", "env_id"): "players.env_id",
    ("elapsed_step",): "elapsed_step",
}

# The entries of info in a pool with the option episode_statistics. The engine counts steps as lengths of episodes.
_EPISODES: dict[tuple[str, ...], str] = {
    ("episode_return",): "episode_return",
    ("episode_length",): "elapsed_step",
}


@dataclass(frozen=True)
class ResultLayout:
    """The arrays that a pool returns, and the functions that pack them.

    Attributes:
        outputs: names of the arrays, in the order in which the pool returns them.
        step: packs the arrays into the return value of step and recv.
        reset: packs the arrays into the return value of reset.
        traced: like `step`, but for arrays that JAX traces. It returns an info that always holds all of its keys.
    """

    outputs: list[str]
    step: Pack
    reset: Pack
    traced: Pack


class _Variable(str):
    """The name of a variable in the generated function. A plain str in a tree is the name of an output."""


class _CodeWriter:
    """Assigns a variable to each array that is used, and generates expressions over these variables."""

    def __init__(self) -> None:
        self.variables: dict[str, str] = {}
        self.scope: dict[str, Any] = {}

    def use(self, output: str) -> str:
        return self.variables.setdefault(output, f"a{len(self.variables)}")

    def dict_of(self, tree: Any) -> str:
        if isinstance(tree, _Variable):
            return str(tree)
        if isinstance(tree, str):
            return self.use(tree)
        return "{" + ", ".join(f"{key!r}: {self.dict_of(value)}" for key, value in tree.items()) + "}"

    def record_of(self, name: str, tree: Any) -> str:
        if isinstance(tree, _Variable):
            return str(tree)
        if isinstance(tree, str):
            return self.use(tree)
        kind = f"r{len(self.scope)}"
        self.scope[kind] = record(name, tuple(tree))
        return f"{kind}({', '.join(self.record_of(key, value) for key, value in tree.items())})"

    def function(self, name: str, body: str) -> str:
        return f"def {name}(arrays):\n    {', '.join(self.variables.values())}, = arrays\n{body}\n"

    def compile(self, step: str, reset: str, traced: str) -> ResultLayout:
        bodies = {"step": step, "reset": reset, "traced": traced}
        source = "".join(self.function(name, body) for name, body in bodies.items())
        scope = dict(self.scope)
        exec(compile(source, "<envpool layout>", "exec"), scope)  # noqa: S102
        return ResultLayout(list(self.variables), *(scope[name] for name in bodies))


def _observation(specs: ArraySpecs, writer: _CodeWriter, prefix: str = "") -> str:
    if specs.single_observation:
        return writer.use(prefix + specs.observations[0].name)
    return writer.dict_of(nest((path_of(field.name), prefix + field.name) for field in specs.observations))


class _Tasks:
    """Writes the code that computes `task_id`, the number of each row's task, in a mixed pool.

    Attributes:
        info: the path and the variable; empty if the pool is not mixed.
        code: the code for arrays of NumPy.
        traced: the code for arrays that JAX traces. Unused rows, whose env_id is -1, get -1.
    """

    def __init__(self, task_ids: npt.NDArray[np.int32] | None, writer: _CodeWriter) -> None:
        self.info: dict[tuple[str, ...], _Variable] = {}
        self.code = self.traced = ""
        if task_ids is None:
            return
        self.info = {("task_id",): _Variable("task_id")}
        writer.scope["task_of"] = task_ids
        writer.scope["firsts"] = np.unique(task_ids, return_index=True)[1].astype(np.int32)
        env_id = writer.use("env_id")
        self.code = f"    task_id = task_of[{env_id}]\n"
        self.traced = f"    task_id = ({env_id}[:, None] >= firsts).sum(1, 'int32') - 1\n"


def _info(specs: ArraySpecs, tasks: _Tasks) -> dict[str, Any]:
    own = {path_of(field.name): field.name for field in specs.infos}
    episodes = _EPISODES if specs.episode_statistics else {}
    return nest({**own, **INFO, **episodes, **tasks.info}.items())


def _masked(tree: Any, mask: _Variable) -> Any:
    """Returns the tree with gymnasium's masks: for every key, an entry "_key" tells which rows have it."""
    if not isinstance(tree, dict):
        return tree
    pairs = [((key, _masked(value, mask)), ("_" + key, mask)) for key, value in tree.items()]
    return dict(entry for pair in pairs for entry in pair)


def dict_layout(
    specs: ArraySpecs,
    *,
    classic: bool,
    final: bool,
    masks: int = 0,
    on_device: bool = False,
    task_ids: npt.NDArray[np.int32] | None = None,
) -> ResultLayout:
    """Returns the layout of gymnasium and gym: tuples of observation, reward, flags and info.

    Args:
        specs: the environment's arrays.
        classic: whether to return 4-tuples with `done`, as gym did before 0.26, instead of 5-tuples with `terminated`
            and `truncated`.
        final: whether the pool resets in the step that ends an episode; info then holds the last observation.
        masks: the maximum number of rows if info holds gymnasium's masks, bool arrays that tell which rows have a key;
            else 0.
        on_device: whether the arrays are on a GPU. The functions then neither compute with them nor branch on their
            values, because the pool returns `done`, and info always holds all of its keys.
        task_ids: the number of each environment's task in a mixed pool; else None.
    """
    writer = _CodeWriter()
    tasks = _Tasks(task_ids, writer)
    observation = _observation(specs, writer)
    reward, terminated, truncated = (writer.use(name) for name in ("reward", "terminated", "truncated"))
    tree, mask = _info(specs, tasks), ""
    if masks:
        tree = _masked(tree, _Variable("present"))
        writer.scope["ones"] = np.ones(masks, np.bool_)
        mask = f"    present = ones[:len({writer.use('env_id')})].copy()\n"
    info = writer.dict_of(tree)
    mask += tasks.code
    begin, only_at_ends, last = f"{mask}    info = {info}\n", "", ""
    if classic or final:
        begin += f"    done = {writer.use('done') if on_device else f'{terminated} | {truncated}'}\n"
    zeroed = ""
    if final:
        own = nest((path_of(field.name), "final." + field.name) for field in specs.infos)
        own = _masked(own, _Variable("done")) if masks else own
        last = (
            f"    info |= {{'final_obs': {_observation(specs, writer, 'final.')}, '_final_obs': done, "
            f"'final_info': {writer.dict_of(own)}, '_final_info': done}}\n"
        )
        if not on_device:
            zeroed, only_at_ends = _zeroed_finals(specs, writer), "    if done.any():\n"
    if classic:
        result = f"    info['TimeLimit.truncated'] = {truncated}\n    return {observation}, {reward}, done, info"
    else:
        result = f"    return {observation}, {reward}, {terminated}, {truncated}, info"
    at_ends = only_at_ends + (zeroed + "    " + last if only_at_ends else last)
    traced = (begin + last + result).replace(tasks.code, tasks.traced, 1)
    return writer.compile(begin + at_ends + result, f"{mask}    return {observation}, {info}", traced)


def _zeroed_finals(specs: ArraySpecs, writer: _CodeWriter) -> str:
    """Returns the code that replaces arrays of last observations by copies with zeros where no episode ended.

    The pool writes only the rows of episodes that ended; the others hold bytes of earlier batches.
    """
    writer.scope["zeroed"] = _zeroed
    lines = []
    if any(field.per_player for field in (*specs.observations, *specs.infos)) and specs.max_players > 1:
        writer.scope["isin"] = np.isin
        lines.append(f"players_done = isin({writer.use('players.env_id')}, {writer.use('env_id')}[done])")
    for field in (*specs.observations, *specs.infos):
        final = writer.use("final." + field.name)
        rows = "players_done" if field.per_player and specs.max_players > 1 else "done"
        lines.append(f"{final} = zeroed({final}, {rows})")
    return "".join(f"        {line}\n" for line in lines)


def _zeroed(array: npt.NDArray[Any], rows: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Returns a copy, aligned to 64 bytes as all arrays are, with zeros in all rows except `rows`.

    A large block of zeros is free until it is read, unlike zeros that are written into all rows of the pool's array.
    """
    block = np.zeros(array.nbytes + 64, np.uint8)
    copy = np.frombuffer(block, array.dtype, array.size, -block.ctypes.data % 64).reshape(array.shape)
    copy[rows] = array[rows]
    return copy


def dm_layout(specs: ArraySpecs, task_ids: npt.NDArray[np.int32] | None = None) -> ResultLayout:
    """Returns the layout of dm_env: a TimeStep of arrays whose observation is a namedtuple.

    Args:
        specs: the environment's arrays.
        task_ids: the number of each environment's task in a mixed pool; else None.
    """
    from dm_env import TimeStep

    writer = _CodeWriter()
    tasks = _Tasks(task_ids, writer)
    writer.scope["TimeStep"] = TimeStep
    heads = ", ".join(writer.use(name) for name in ("step_type", "reward", "discount"))
    fields = (*specs.observations, *specs.infos)
    added = [(("env_id",), "env_id"), (("players", "env_id"), "players.env_id")]
    added += (_EPISODES if specs.episode_statistics else {}).items()
    tree = nest_of_dm([*added, *((path_of(field.name), field.name) for field in fields), *tasks.info.items()])
    body = f"    return TimeStep({heads}, {writer.record_of('State', tree)})"
    return writer.compile(tasks.code + body, tasks.code + body, tasks.traced + body)
