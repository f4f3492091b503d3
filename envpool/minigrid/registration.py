# SPDX-License-Identifier: Apache-2.0
"""Registers MiniGrid and BabyAI under the ids of the package minigrid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from envpool.python.family import Family
from envpool.registration import register_family

_MOST_STEPS = 1 << 24  # the largest value of the option max_steps
# For each name of an option in EnvPool: our name, and the beginnings of the ids that have the option.
_ALIASES = {
    "debug": ("strict", ("BabyAI-Open", "BabyAI-PickupDist")),
    "objs_per_room": ("num_objs", ("BabyAI-PutNextS", "BabyAI-MoveTwoAcross")),
}
_RANDOM_START = ("MiniGrid-Empty-", "MiniGrid-Dynamic-Obstacles-")  # these have the option random_start


class MiniGrid(Family):
    """MiniGrid and BabyAI."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "minigrid 3.2.0"

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates EnvPool's options.

        Unless max_steps is given, a time limit also sets max_steps. Rewards depend on max_steps.
        """
        plain = dict(caller_options)
        limit = plain.get("max_episode_steps")
        if type(limit) is int and 0 < limit <= _MOST_STEPS:
            plain.setdefault("max_steps", limit)
        for theirs, (ours, prefixes) in _ALIASES.items():
            if theirs in plain and task_id.startswith(prefixes):
                plain.setdefault(ours, plain.pop(theirs))
        if task_id.startswith(_RANDOM_START):
            start, direction = plain.pop("agent_start_pos", ()), plain.pop("agent_start_dir", 0)
            start = tuple(start) if isinstance(start, Iterable) else start  # it may be a list or an array
            if start in (None, (-1, -1)):
                plain.setdefault("random_start", True)
            elif start not in ((), (1, 1)):
                raise ValueError(f"agent_start_pos: expected (1, 1) or (-1, -1), got {start!r}")
            elif direction != 0:
                raise ValueError(f"agent_start_dir: expected 0 with agent_start_pos=(1, 1), got {direction!r}")
        return plain


_FAMILY = MiniGrid("minigrid")


def _register(name: str, table: str, doc: str, version: int = 0, **options: Any) -> None:
    register_family(f"MiniGrid-{name}-v{version}", _FAMILY, f"MiniGrid{table}", doc=doc, **options)


for _size in (5, 6, 8, 16):
    _register(f"Empty-{_size}x{_size}", "Empty", "Walk through an empty room to the goal.", size=_size)
for _size in (5, 6):
    _register(
        f"Empty-Random-{_size}x{_size}",
        "Empty",
        "Walk through an empty room to the goal, from a random cell.",
        size=_size,
        random_start=True,
    )
_register("FourRooms", "FourRooms", "Walk through the gaps between four rooms to a goal.")
for _size in (5, 6, 8, 16):
    _register(f"DoorKey-{_size}x{_size}", "DoorKey", "Unlock a door with its key, and go to the goal.", size=_size)
for _name, _version, _rooms, _room_size in (
    ("N2-S4", 0, 2, 4),
    ("N4-S5", 0, 6, 5),
    ("N4-S5", 1, 4, 5),
    ("N6", 0, 6, 10),
):
    _register(
        f"MultiRoom-{_name}",
        "MultiRoom",
        f"Go through {_rooms} rooms with closed doors to the goal.",
        _version,
        min_num_rooms=_rooms,
        max_num_rooms=_rooms,
        max_room_size=_room_size,
    )
for _room_size, _num_rows in ((3, 1), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3)):
    _register(
        f"KeyCorridorS{_room_size}R{_num_rows}",
        "KeyCorridor",
        "Find the key to a locked room and pick up the ball there.",
        room_size=_room_size,
        num_rows=_num_rows,
    )
for _kind, _doc in (("lava", "Cross rivers of lava to the goal."), ("wall", "Find the gaps in walls to the goal.")):
    for _size, _crossings in ((9, 1), (9, 2), (9, 3), (11, 5)):
        _register(
            f"{'Lava' if _kind == 'lava' else 'Simple'}CrossingS{_size}N{_crossings}",
            "Crossing",
            _doc,
            size=_size,
            num_crossings=_crossings,
            obstacle_type=_kind,
        )
for _size in (5, 6, 7):
    _register(f"LavaGapS{_size}", "LavaGap", "Go through the gap in a strip of lava to the goal.", size=_size)
for _size, _obstacles in ((5, 2), (6, 3), (8, 4), (16, 8)):
    for _random in (False, True) if _size < 8 else (False,):
        _register(
            f"Dynamic-Obstacles-{'Random-' if _random else ''}{_size}x{_size}",
            "DynamicObstacles",
            "Walk to the goal without running into balls that move.",
            size=_size,
            n_obstacles=_obstacles,
            random_start=_random,
        )
for _number, _row in ((1, 2), (2, 5)):
    _register(f"DistShift{_number}", "DistShift", "Walk around strips of lava to the goal.", strip2_row=_row)
for _size, _objects in ((5, 2), (6, 2), (8, 3)):
    _register(
        f"Fetch-{_size}x{_size}-N{_objects}",
        "Fetch",
        "Pick up the object that the mission describes.",
        size=_size,
        num_objs=_objects,
    )
for _size in (5, 6, 8):
    _register(f"GoToDoor-{_size}x{_size}", "GoToDoor", "Go to the door that the mission names.", size=_size)
for _size in (6, 8):
    _register(
        f"GoToObject-{_size}x{_size}-N2", "GoToObject", "Go to the object that the mission describes.", size=_size
    )
for _size, _objects in ((6, 2), (8, 3)):
    _register(
        f"PutNear-{_size}x{_size}-N{_objects}",
        "PutNear",
        "Put one object near another.",
        size=_size,
        num_objs=_objects,
    )
for _size in (6, 8):
    _register(f"RedBlueDoors-{_size}x{_size}", "RedBlueDoors", "Open the red door, then the blue door.", size=_size)
for _size, _random in ((17, True), (13, True), (13, False), (11, False), (9, False), (7, False)):
    _register(
        f"MemoryS{_size}{'Random' if _random else ''}",
        "Memory",
        "Remember an object, and go to the same one at the end of a hallway.",
        size=_size,
        random_length=_random,
    )
_register(
    "LockedRoom", "LockedRoom", "Get the key to a locked room from another room, and go to the goal in the locked room."
)
_register("Playground", "Playground", "Nine rooms with objects, without a mission.")
_register("Unlock", "Unlock", "Open a locked door with its key.")
_register("UnlockPickup", "UnlockPickup", "Pick up the box behind a locked door.")
_register(
    "BlockedUnlockPickup",
    "UnlockPickup",
    "Pick up the box behind a locked door with a ball in front of it.",
    blocked=True,
)

# For each maze: the number of its quarters (0: a maze of two rooms), the number of rooms that a solution visits, and
# whether the agent starts on the right, keys are in boxes, and balls lie in front of doors.
for _name, _quarters, _visited, _right, _in_box, _blocked in (
    ("1Dl", 0, 2, False, False, False),
    ("1Dlh", 0, 2, False, True, False),
    ("1Dlhb", 0, 2, False, True, True),
    ("2Dl", 1, 4, True, False, False),
    ("2Dlh", 1, 4, True, True, False),
    ("2Dlhb", 1, 4, True, True, True),
    ("1Q", 1, 5, False, True, True),
    ("2Q", 2, 11, True, True, True),
    ("Full", 4, 25, False, True, True),
):
    for _version in (0, 1) if _quarters > 0 and _blocked else (0,):
        _register(
            f"ObstructedMaze-{_name}",
            "ObstructedMaze",
            "Find keys, move obstacles and pick up the blue ball.",
            _version,
            num_quarters=_quarters,
            num_rooms_visited=_visited,
            agent_on_the_right=_right,
            key_in_box=_in_box,
            blocked=_blocked,
            keys_last=_version == 1,
        )


def _register_babyai(name: str, table: str, doc: str, version: int = 0, **options: Any) -> None:
    register_family(f"BabyAI-{name}-v{version}", _FAMILY, f"BabyAI{table}", doc=doc, **options)


def _go_to(name: str, level: str, doc: str, version: int = 0, **options: Any) -> None:
    _register_babyai(name, "GoTo", doc, version, level=level, **options)


_ROOM = {"num_rows": 1, "num_cols": 1}
_go_to("GoToRedBallGrey", "red_ball_grey", "Go to the red ball among grey objects.", num_dists=7, **_ROOM)
_go_to("GoToRedBall", "red_ball", "Go to the red ball.", num_dists=7, **_ROOM)
_go_to("GoToRedBallNoDists", "red_ball", "Go to the red ball, the only object.", num_dists=0, **_ROOM)
_go_to("GoToRedBlueBall", "red_blue_ball", "Go to the red or the blue ball.", num_dists=7, **_ROOM)
for _suffix, _version, _room_size in (("", 0, 8), ("S4", 0, 4), ("S6", 1, 6)):
    _go_to(f"GoToObj{_suffix}", "obj", "Go to the only object.", _version, room_size=_room_size, **_ROOM)
_go_to("GoToLocal", "local", "Go to an object in the room.", num_dists=8, **_ROOM)
for _room_size, _dists in (
    (5, 2),
    (6, 2),
    (6, 3),
    (6, 4),
    (7, 4),
    (7, 5),
    (8, 2),
    (8, 3),
    (8, 4),
    (8, 5),
    (8, 6),
    (8, 7),
):
    _go_to(
        f"GoToLocalS{_room_size}N{_dists}",
        "local",
        "Go to an object in the room.",
        room_size=_room_size,
        num_dists=_dists,
        **_ROOM,
    )
_go_to("GoTo", "maze", "Go to an object in a maze.")
_go_to("GoToOpen", "maze", "Go to an object in a maze with open doors.", doors_open=True)
_go_to("GoToObjMaze", "maze", "Go to the only object in a maze.", num_dists=1)
_go_to("GoToObjMazeOpen", "maze", "Go to the only object in a maze with open doors.", num_dists=1, doors_open=True)
_go_to("GoToObjMazeS4R2", "maze", "Go to the only object in a maze.", num_dists=1, room_size=4, num_rows=2, num_cols=2)
for _room_size in (4, 5, 6, 7):
    _go_to(f"GoToObjMazeS{_room_size}", "maze", "Go to the only object in a maze.", num_dists=1, room_size=_room_size)
_go_to("GoToImpUnlock", "imp_unlock", "Go to an object in a locked room of a maze.")
_go_to("GoToDoor", "door", "Go to one of four doors.", room_size=7)
_go_to("GoToObjDoor", "obj_door", "Go to an object or a door.")


def _open(name: str, level: str, doc: str, **options: Any) -> None:
    _register_babyai(name, "Open", doc, level=level, **options)


_open("Open", "maze", "Open a door of a maze.")
_open("OpenRedDoor", "red_door", "Open the red door.", room_size=5, num_rows=1, num_cols=2)
_open("OpenDoor", "door", "Open one of four doors.")
_open("OpenDoorDebug", "door", "Open one of four doors, and no other.", strict=True)
_open("OpenDoorColor", "door", "Open the door of a given colour.", select_by="color")
_open("OpenDoorLoc", "door", "Open the door in a given place.", select_by="loc")
_open("OpenTwoDoors", "two_doors", "Open two doors in order.", room_size=6)
_open(
    "OpenRedBlueDoors",
    "two_doors",
    "Open the red door, then the blue door.",
    room_size=6,
    first_color="red",
    second_color="blue",
)
_open(
    "OpenRedBlueDoorsDebug",
    "two_doors",
    "Open the red door first, then the blue door.",
    room_size=6,
    first_color="red",
    second_color="blue",
    strict=True,
)
for _doors in (2, 4):
    for _strict in (False, True):
        _open(
            f"OpenDoorsOrderN{_doors}{'Debug' if _strict else ''}",
            "doors_order",
            "Open one door, or two in order" + (", and no other." if _strict else "."),
            room_size=6,
            num_doors=_doors,
            strict=_strict,
        )


def _pickup(name: str, level: str, doc: str, **options: Any) -> None:
    _register_babyai(name, "Pickup", doc, level=level, **options)


_pickup("Pickup", "maze", "Pick up an object in a maze.")
_pickup("UnblockPickup", "unblock", "Pick up an object in a maze where objects are in the way.")
_pickup("PickupDist", "dist", "Pick up one of five objects.", room_size=7, **_ROOM)
_pickup("PickupDistDebug", "dist", "Pick up one of five objects, and no other.", room_size=7, strict=True, **_ROOM)
_pickup("PickupAbove", "above", "Pick up an object in the room above.", room_size=6)
for _room_size in (5, 6, 7):
    _pickup(f"FindObjS{_room_size}", "find_obj", "Find the only object and pick it up.", room_size=_room_size)
for _suffix, _room_size, _num_rows in (
    ("", 6, 3),
    ("S3R1", 3, 1),
    ("S3R2", 3, 2),
    ("S3R3", 3, 3),
    ("S4R3", 4, 3),
    ("S5R3", 5, 3),
    ("S6R3", 6, 3),
):
    _pickup(
        f"KeyCorridor{_suffix}",
        "key_corridor",
        "Find the key to a locked room and pick up the ball there.",
        room_size=_room_size,
        num_rows=_num_rows,
    )
for _room_size in (8, 12, 16, 20):
    _pickup(f"OneRoomS{_room_size}", "one_room", "Pick up the ball.", room_size=_room_size, **_ROOM)


def _put_next(name: str, level: str, doc: str, room_size: int, num_objs: int, **options: Any) -> None:
    _register_babyai(name, "PutNext", doc, level=level, room_size=room_size, num_objs=num_objs, **options)


for _suffix, _room_size, _objects in (("", 8, 8), ("S5N3", 5, 3), ("S6N4", 6, 4)):
    _put_next(f"PutNextLocal{_suffix}", "local", "Put an object next to another.", _room_size, _objects)
for _room_size, _objects in ((4, 1), (5, 2), (5, 1), (6, 3), (7, 4)):
    _put_next(
        f"PutNextS{_room_size}N{_objects}",
        "two_rooms",
        "Put an object next to one on the other side.",
        _room_size,
        _objects,
    )
for _room_size, _objects in ((5, 2), (6, 3), (7, 4)):
    _put_next(
        f"PutNextS{_room_size}N{_objects}Carrying",
        "two_rooms",
        "Put the object that you carry next to another.",
        _room_size,
        _objects,
        start_carrying=True,
    )
for _room_size, _objects in ((5, 2), (8, 9)):
    _put_next(
        f"MoveTwoAcrossS{_room_size}N{_objects}",
        "across",
        "Put an object next to one on the other side, and one from there next to one on this side.",
        _room_size,
        _objects,
    )
for _name, _level, _doc, _distractors in (
    ("Unlock", "maze", "Open a locked door of a maze.", False),
    ("UnlockLocal", "local", "Open a locked door with its key.", False),
    ("UnlockLocalDist", "local", "Open a locked door with its key, among other objects.", True),
    ("KeyInBox", "key_in_box", "Open a locked door with a key from a box.", False),
    ("UnlockPickup", "pickup", "Pick up the box behind a locked door.", False),
    ("UnlockPickupDist", "pickup", "Pick up the box behind a locked door, among other objects.", True),
    (
        "BlockedUnlockPickup",
        "blocked_pickup",
        "Pick up the box behind a locked door with a ball in front of it.",
        False,
    ),
    (
        "UnlockToUnlock",
        "unlock_to_unlock",
        "Unlock a door to get the key to another door, behind which a ball lies.",
        False,
    ),
):
    _register_babyai(_name, "Unlock", _doc, level=_level, distractors=_distractors)


def _synth(name: str, doc: str, **options: Any) -> None:
    _register_babyai(name, "Synth", doc, **options)


_GO = {"action_kinds": "goto", "locked_room_prob": 0.0, "locations": False, "unblocking": False}
_synth("GoToSeq", "Go to one or more objects.", **_GO)
_synth("GoToSeqS5R2", "Go to one or more objects.", room_size=5, num_rows=2, num_cols=2, num_dists=4, **_GO)
_synth(
    "PickupLoc",
    "Pick up an object in a given place.",
    action_kinds="pickup",
    instr_kinds="action",
    num_dists=8,
    locked_room_prob=0.0,
    unblocking=False,
    **_ROOM,
)
_ONE = {"instr_kinds": "action", "implicit_unlock": False}
_synth("Synth", "Follow one clause of any kind.", locations=False, **_ONE)
_synth("SynthS5R2", "Follow one clause of any kind.", locations=False, room_size=5, num_rows=2, **_ONE)
_synth("SynthLoc", "Follow one clause of any kind, with objects that are described by their places.", **_ONE)
_synth("SynthSeq", "Follow up to four clauses.", implicit_unlock=False)
_synth(
    "MiniBossLevel",
    "Follow any instruction in a small maze.",
    num_cols=2,
    num_rows=2,
    room_size=5,
    num_dists=7,
    locked_room_prob=0.25,
)
_synth("BossLevel", "Follow any instruction in a maze.")
_synth(
    "BossLevelNoUnlock", "Follow any instruction without a locked room.", locked_room_prob=0.0, implicit_unlock=False
)
_synth("ActionObjDoor", "Go to an object or a door, pick it up or open it.", level="action_obj_door", room_size=7)
