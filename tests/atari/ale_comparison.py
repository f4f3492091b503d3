# SPDX-License-Identifier: Apache-2.0
"""Compares our machine with ale-py's: memory, screen, reward, lives and end of game of every frame.

exact_test.py plays a sample of the games, sweep.py all of them for longer.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ale_py
import numpy as np
import numpy.typing as npt

from tests.support import libraries

ROM_FOLDER = Path(ale_py.__file__).parent / "roms"
UNSUPPORTED = {"combat", "joust", "maze_craze", "warlords"}  # two-player games, which ale-py rejects
GAMES = sorted(path.stem for path in ROM_FOLDER.glob("*.bin") if path.stem not in UNSUPPORTED)
CHUNK = 250  # frames compared at a time


@dataclass(frozen=True)
class Plan:
    """A way to play a game: its random seed, its sticky actions, and the frames that are drawn."""

    name: str
    seed: int
    sticky: float = 0.0  # probability of a repeated action; ale-py is given the executed actions
    drawn: int = 4  # of every four frames, this many at the end are drawn
    scripted: bool = False  # every game begins with the same sequence of actions


PLANS = (
    Plan("random", 1),
    Plan("sticky", 2, sticky=0.25),
    Plan("scripted start", 5, scripted=True),
    Plan("random, half the frames drawn", 3, drawn=2),
    Plan("sticky, half the frames drawn", 4, sticky=0.25, drawn=2),
)


def pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class Trace:
    """The compared data, with one row per frame."""

    def __init__(self, rows: int, height: int) -> None:
        self.ram = np.zeros((rows, 128), np.uint8)
        self.screens = np.zeros((rows, height, 160), np.uint8)
        self.outcomes = np.zeros((rows, 3), np.int32)  # reward, lives, game over


class Machine:
    """Our machine."""

    def __init__(self, game: str, mode: int = -1, difficulty: int = -1, rom: bytes = b"") -> None:
        self.library = ctypes.CDLL(libraries.library("atari_testing"))
        self.library.atari_new.restype = ctypes.c_void_p
        self.library.atari_actions.restype = self.library.atari_legal.restype = ctypes.c_uint32
        self.library.atari_state_bytes.restype = ctypes.c_int64
        self.library.atari_is_native.restype = self.library.atari_is_valid.restype = ctypes.c_bool
        rom = rom or (ROM_FOLDER / f"{game}.bin").read_bytes()
        handle = self.library.atari_new(game.encode(), rom, ctypes.c_int64(len(rom)), mode, difficulty)
        if not handle:
            raise ValueError(f"{game}: expected one of our games and a supported cartridge")
        self.handle = ctypes.c_void_p(handle)
        self.height: int = self.library.atari_height(self.handle)
        self.native: bool = self.library.atari_is_native(self.handle)
        minimal, legal = self.library.atari_actions(self.handle), self.library.atari_legal(self.handle)
        self.actions = [action for action in range(18) if minimal >> action & 1]
        self.legal = [action for action in range(18) if legal >> action & 1]

    def close(self) -> None:
        self.library.atari_delete(self.handle)

    def seed(self, seed: int) -> None:
        self.library.atari_seed(self.handle, ctypes.c_uint64(seed))

    def save(self) -> bytes:
        state = ctypes.create_string_buffer(self.library.atari_state_bytes())
        self.library.atari_save(self.handle, state)
        return state.raw

    def restore(self, state: bytes) -> None:
        self.library.atari_restore(self.handle, state)

    def observe(self, trace: Trace) -> None:
        rows = (pointer(trace.ram), pointer(trace.screens), pointer(trace.outcomes))
        self.library.atari_observe(self.handle, *rows)

    def reset(self, trace: Trace) -> None:
        self.library.atari_reset(self.handle)
        self.observe(trace)

    def play(self, actions: npt.NDArray[Any], sticky: float, drawn: int, trace: Trace) -> int:
        """Plays up to the end of the game and returns the number of frames; `actions` receives the executed actions."""
        rows = (pointer(trace.ram), pointer(trace.screens), pointer(trace.outcomes))
        played: int = self.library.atari_play(
            self.handle, len(actions), pointer(actions), ctypes.c_double(sticky), drawn, *rows
        )
        assert self.library.atari_is_valid(self.handle), "repair() would change this state"
        return played


class Reference:
    """ale-py's machine."""

    def __init__(self, game: str, mode: int = -1, difficulty: int = -1, path: Path | None = None) -> None:
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        self.ale = ale_py.ALEInterface()
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.setInt("random_seed", 1)
        self.ale.loadROM(str(path or ROM_FOLDER / f"{game}.bin"))
        if mode >= 0:
            self.ale.setMode(mode)
        if difficulty >= 0:
            self.ale.setDifficulty(difficulty)
        self.actions = [action.value for action in self.ale.getMinimalActionSet()]
        self.legal = [action.value for action in self.ale.getLegalActionSet()]
        self.ale_actions = [ale_py.Action(action) for action in range(18)]

    def reset(self, trace: Trace) -> None:
        self.ale.reset_game()
        self.observe(trace, 0)

    def observe(self, trace: Trace, row: int) -> None:
        ale = self.ale
        ale.getRAM(trace.ram[row])
        ale.getScreen(trace.screens[row])
        trace.outcomes[row, 1] = ale.lives()
        trace.outcomes[row, 2] = ale.game_over(with_truncation=False)

    def play(self, actions: npt.NDArray[Any], trace: Trace) -> None:
        for row, action in enumerate(actions.tolist()):
            trace.outcomes[row, 0] = self.ale.act(self.ale_actions[action])
            self.observe(trace, row)


def compare(ours: Trace, theirs: Trace, rows: int, drawn: int, where: str, first: int = 0) -> None:
    """Raises AssertionError if a frame differs; the message describes the first one."""
    seen = np.arange(rows) % 4 >= 4 - drawn
    same = (ours.ram[:rows] == theirs.ram[:rows]).all(1) & (ours.outcomes[:rows] == theirs.outcomes[:rows]).all(1)
    for row in np.nonzero(seen)[0]:
        same[row] &= np.array_equal(ours.screens[row], theirs.screens[row])
    if same.all():
        return
    row = int(np.argmin(same))
    ram = [
        f"{at:#04x} is {mine:#04x}, not {right:#04x}"
        for at, (mine, right) in enumerate(zip(ours.ram[row], theirs.ram[row], strict=True))
        if mine != right
    ]
    lines = np.nonzero((ours.screens[row] != theirs.screens[row]).any(1))[0].tolist() if seen[row] else []
    raise AssertionError(
        f"{where}, frame {first + row}: reward, lives, game over are {ours.outcomes[row]}, not {theirs.outcomes[row]}; "
        f"memory {ram}; screen lines {lines}"
    )


def random_actions(rng: np.random.Generator, known: list[int], count: int) -> npt.NDArray[np.int32]:
    """Returns random actions, each held for a few frames: mostly minimal actions of the game, sometimes any action."""
    wanted = np.where(rng.random(count) < 0.7, rng.choice(known, count), rng.integers(0, 18, count))
    return np.repeat(wanted, rng.integers(1, 9, count))[:count].astype(np.int32)


def script(known: list[int]) -> npt.NDArray[np.int32]:
    """Returns a fixed sequence of actions: the button, each action for half a second, then each again in bursts."""
    button = [1, 0] * 10
    held = [action for action in known for _ in range(30)]
    bursts = [step for action in known for step in (action, action, 0) * 5]
    return np.array(button + held + bursts, np.int32)


def compare_with_ale(game: str, frames: int, plan: Plan, mode: int = -1, difficulty: int = -1) -> int:
    """Plays a game on both machines and compares them; returns the number of games that were started.

    Raises:
        AssertionError: a frame differs.
    """
    machine, reference = Machine(game, mode, difficulty), Reference(game, mode, difficulty)
    assert machine.actions == reference.actions, f"{game}: actions {machine.actions}, not {reference.actions}"
    assert machine.legal == reference.legal, f"{game}: legal actions {machine.legal}, not {reference.legal}"
    ours, theirs = Trace(CHUNK, machine.height), Trace(CHUNK, machine.height)
    rng = np.random.default_rng(plan.seed)
    machine.seed(plan.seed)
    known = script(machine.actions)
    where = f"{game}, mode {mode}, difficulty {difficulty}, {plan.name}"
    resets = 0
    left, over, since = frames, True, 0
    while left > 0:
        if over:
            machine.reset(ours)
            reference.reset(theirs)
            ours.outcomes[0, 0] = theirs.outcomes[0, 0] = 0  # a reset has no reward
            compare(ours, theirs, 1, 4, f"{where}, reset {resets}")
            resets += 1
            since = 0
        count = min(CHUNK, left)
        if plan.scripted and since < len(known):
            actions = known[since : since + count].copy()
        else:
            actions = random_actions(rng, machine.actions, count)
        played = machine.play(actions, plan.sticky, plan.drawn, ours)
        reference.play(actions[:played], theirs)
        compare(ours, theirs, played, plan.drawn, f"{where}, after reset {resets - 1}", since)
        over = bool(ours.outcomes[played - 1, 2])
        since += played
        left -= max(played, 50 if over else 0)  # so that this loop ends even if games are over at once
    machine.close()
    return resets
