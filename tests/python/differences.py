# SPDX-License-Identifier: Apache-2.0
"""Lists the intended differences from the released EnvPool, as data that tests and docs/migration.md use.

describe.py describes both packages, and the two descriptions are compared. Ours must contain everything that is in
theirs, with equal values, and may contain more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

ABSENT = "absent"


class Difference(NamedTuple):
    """An intended difference.

    Attributes:
        what: what differs, for the first column of the table in docs/migration.md.
        theirs: the value in EnvPool, in words for the table.
        ours: the value in this package, in words for the table.
        reason: why the values differ.
        path: pattern of the paths in a description where the difference appears.
        values: patterns of EnvPool's value and of ours at these paths.
        ids: pattern of the ids that have the difference.
    """

    what: str
    theirs: str
    ours: str
    reason: str
    path: str
    values: tuple[str, str] = (".*", ".*")
    ids: str = ".*"


# EnvPool replaces an omitted bound by the dtype's limit. Its lower limit of floats is the smallest positive number.
_LIMIT = r"(array of )?(1\.79769e\+308|3\.40282e\+38|2\.22507e-308|1\.17549e-38|-?2\.14748e\+09)"

_MINIGRID = r"(MiniGrid|BabyAI)-.*"
_GO = r"(Chinese)?Go\d+x\d+-v1"
_PGX = (
    r"(AnimalShogi|Backgammon|Chess|ConnectFour|GardnerChess|Hex|KuhnPoker|LeducHoldem|Othello|Play2048|Shogi|SparrowMahjong"
    rf"|TicTacToe)-v1|{_GO}"
)

ON_PURPOSE = (
    Difference(
        "bounds that were not given",
        "the limits of the dtype; 1.2e-38 as the lower bound of floats",
        "-inf to inf, or the true bounds",
        "observations then lie in their spaces",
        r".*/(minimum|maximum|low|high)",
        (_LIMIT, ".*"),
    ),
    Difference(
        '`config["base_path"]`',
        "the folder of its assets",
        "empty",
        "models and ROMs are found in the packages that contain them",
        r".*config/base_path",
        ("a folder", ""),
    ),
    Difference(
        '`config["num_threads"]`',
        "0 if it was not given",
        "the number of threads",
        "`config` shows the value in use",
        r".*config/num_threads",
        ("0", r"[1-9]\d*"),
    ),
    Difference(
        "shapes of `info` and scalar observations in `state_array_spec`",
        "some begin with an axis of players, of length -1",
        "the shape for one environment",
        "the arrays have one row per environment, not one per player",
        r".*/state_array_spec/[^/]+/shape",
        (r"\[-1\]", r"\[\]"),
    ),
    Difference(
        "`reward_spec()`, `discount_spec()`",
        "float64; the reward is an `Array`",
        "float32; the reward is a `BoundedArray`",
        "they describe the arrays of a TimeStep, including the reward 0 of a first one",
        r"dm/(reward|discount)_spec/(dtype|kind)",
        ("float64|Array", "float32|BoundedArray"),
    ),
    Difference(
        "`render_width`, `render_height` with `from_pixels=True`",
        "84 in `config`",
        "0 in `config`, which means 84",
        "the default is the same",
        r"pixels/config/render_(width|height)",
        ("84", "0"),
    ),
    Difference(
        "`gymnasium_v5_render_camera` of versions 2 to 4 of MuJoCo environments",
        "False",
        "True",
        "frames equal gymnasium's in every version",
        r".*config/gymnasium_v5_render_camera",
        ("False", "True"),
        r".*-v[234]",
    ),
    Difference(
        "`post_constraint` of version 4 of MuJoCo environments",
        "False",
        "True",
        "gymnasium computes contact forces in version 4",
        r".*config/post_constraint",
        ("False", "True"),
        r".*-v4",
    ),
    Difference(
        "`reward_threshold` of Hopper",
        "6000",
        "3800",
        "gymnasium has this value",
        r".*reward_threshold",
        (r"6000\.0", r"3800\.0"),
        "Hopper-v.",
    ),
    Difference(
        '`metadata["render_modes"]` without a display',
        "rgb_array, human",
        "rgb_array",
        "a window cannot be opened, and gymnasium's `check_env` tries every mode",
        r".*metadata/render_modes",
        (r"\['rgb_array', 'human'\]", r"\['rgb_array'\]"),
    ),
    Difference(
        "observations of dm_control domains with several tasks",
        "every task has the observations of all tasks",
        "each task has its own",
        "dm_control's tasks have only their own",
        r"(.*/)?(observation_space|observation_spec|state_array_spec|gymnasium_observation_space"
        r"|single_observation_space|observation|0)/(obs:)?\w+",
        (".*", ABSENT),
        r"(Dog|Quadruped|Humanoid|Finger|Fish)[A-Z]\w*-v1",
    ),
    Difference(
        "classes of MiniGrid and BabyAI",
        "one for all ids",
        "one for each environment",
        "an environment has only the options that it reads",
        r"classes/(dm|gymnasium)",
        (r"\['envpool\.minigrid', 'MiniGrid.*", r"\['envpool\.minigrid', '.*"),
        _MINIGRID,
    ),
    Difference(
        "`config` of MiniGrid and BabyAI",
        "has the options of all environments",
        "has those of its environment",
        "the others would have no effect",
        r"(.*/)?(config|gen_config)/\w+",
        (".*", ABSENT),
        _MINIGRID,
    ),
    Difference(
        "options of levels of MiniGrid and BabyAI in `config`",
        "some do not apply to the level",
        "the value in use",
        "`config` shows the value in use",
        r".*config/(room_size|num_rows|num_cols|num_dists|num_objs|num_doors|strict|select_by|locations|unblocking"
        r"|implicit_unlock|locked_room_prob|action_kinds|instr_kinds|num_quarters|blocked)",
        ids=_MINIGRID,
    ),
    Difference(
        "`max_episode_steps` of MiniGrid and BabyAI",
        "the level's number of steps in MiniGrid, 0 in BabyAI",
        "not limited; the option `max_steps` truncates",
        "in BabyAI it depends on the instruction",
        r".*config/max_episode_steps",
        (".*", "2147483647"),
        _MINIGRID,
    ),
    Difference(
        '`info["agent_pos"]` of MiniGrid and BabyAI',
        "bounded by 25, or the size if that is larger",
        "bounded by the grid",
        "the bound is the true one",
        r".*agent_pos/maximum",
        (".*", r"\d+"),
        _MINIGRID,
    ),
    Difference(
        "`decode_mission`, `debug_states` of MiniGrid and BabyAI",
        "attributes of specs and pools",
        "`envpool.minigrid.decode_mission`; snapshots",
        "pools of all environments have the same methods",
        r".*attributes/(decode_mission|debug_states)",
        ("True", ABSENT),
        _MINIGRID,
    ),
    Difference(
        "the mask of pgx's games",
        "`legal_action_mask`",
        "`action_mask`",
        "masks have the same name in all environments",
        r".*/(info:)?legal_action_mask",
        (".*", ABSENT),
        _PGX,
    ),
    Difference(
        '`config["task"]` of pgx\'s games',
        "pgx's name",
        "absent",
        "an option with one value has no use",
        r".*config/task",
        (".*", ABSENT),
        _PGX,
    ),
    Difference(
        "`board_size`, `history_length` and `rules` of Go",
        "options",
        "absent",
        "each id has its board and rules; observations have 8 positions",
        r".*config/(board_size|history_length|rules)",
        (".*", ABSENT),
        _GO,
    ),
    Difference(
        "`current_player`, `cards`, `turn`, counts and areas of pgx's games",
        "no bounds, or -1 as the lower bound",
        "the true bounds",
        "dm_env's specs of integers from 0 are a `DiscreteArray`",
        r".*(current_player|cards|_count|_area|turn)/(kind|minimum)",
        ("BoundedArray|-1", "DiscreteArray|0"),
        _PGX,
    ),
    Difference(
        "bounds of `hands` and `n_red_in_hands` of SparrowMahjong",
        "0 to 6, and 0 to 4",
        "-1 to 4",
        "an illegal discard leaves -1 tiles, as in pgx, and a type has four",
        r".*hands/(minimum|maximum)",
        ("0|6", "-1|4"),
        "SparrowMahjong-v1",
    ),
    Difference(
        "`envpool.register`",
        "takes the names of three classes",
        "takes a shared object and a table",
        "environments have no classes of their own",
        r"functions/register/(import_path|spec_cls|dm_cls|gymnasium_cls)",
        ("True", ABSENT),
    ),
)


def differences(theirs: Any, ours: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yields the path and both values of each entry of theirs that is missing or different in ours."""
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        if theirs != ours:
            yield path, theirs, ours
        return
    for key, value in theirs.items():
        place = f"{path}/{key}" if path else key
        if key in ours:
            yield from differences(value, ours[key], place)
        else:
            yield place, value, ABSENT


def explain(task_id: str, path: str, theirs: Any, ours: Any) -> Difference | None:
    """Returns the entry of ON_PURPOSE that covers a difference, if there is one."""
    for entry in ON_PURPOSE:
        pairs = ((entry.ids, task_id), (entry.path, path), (entry.values[0], theirs), (entry.values[1], ours))
        if all(re.fullmatch(pattern, str(value), re.DOTALL) for pattern, value in pairs):
            return entry
    return None


def table() -> str:
    """Returns the table of docs/migration.md."""
    rows = [f"| {entry.what} | {entry.theirs} | {entry.ours} | {entry.reason} |" for entry in ON_PURPOSE]
    return "\n".join(["| | EnvPool 1.2.5 | here | why |", "|---|---|---|---|", *rows])
