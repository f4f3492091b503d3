# SPDX-License-Identifier: Apache-2.0
"""Every game beside ale-py 0.12.1: memory, picture, reward, lives and end of game, on every frame and through resets.

ENVPOOL_ATARI_FRAMES sets how many frames of each game are played (default 20,000), ENVPOOL_ATARI_GAMES which games.
Games are played in as many processes as there are CPUs.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from envpool.testing import libraries

ale_py = pytest.importorskip("ale_py")

FRAMES = int(os.environ.get("ENVPOOL_ATARI_FRAMES", "20000"))
ROM_FOLDER = Path(ale_py.__file__).parent / "roms"
UNSUPPORTED = {"combat", "joust", "maze_craze", "warlords"}  # games for two, which ale-py refuses
GAMES = os.environ.get("ENVPOOL_ATARI_GAMES", "").split() or sorted(
    path.stem for path in ROM_FOLDER.glob("*.bin") if path.stem not in UNSUPPORTED
)
CHUNK = 1000  # frames compared at a time

# Seed, probability of a repeated action, and how many of every four frames are drawn.
PLANS = ((1, 0.0, 4), (2, 0.25, 4), (3, 0.0, 2), (4, 0.25, 2))


def pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class Record:
    """What is compared: one row a frame."""

    def __init__(self, rows: int, height: int) -> None:
        self.ram = np.zeros((rows, 128), np.uint8)
        self.picture = np.zeros((rows, height, 160), np.uint8)
        self.numbers = np.zeros((rows, 3), np.int32)  # reward, lives, game over


class Machine:
    """Ours."""

    def __init__(self, path: str, game: str, mode: int = -1, difficulty: int = -1) -> None:
        self.library = ctypes.CDLL(path)
        self.library.atari_new.restype = ctypes.c_void_p
        self.library.atari_actions.restype = ctypes.c_uint32
        rom = (ROM_FOLDER / f"{game}.bin").read_bytes()
        handle = self.library.atari_new(game.encode(), rom, ctypes.c_int64(len(rom)), mode, difficulty)
        assert handle, f"{game}: not one of our games"
        self.handle = ctypes.c_void_p(handle)
        self.height: int = self.library.atari_height(self.handle)
        minimal = self.library.atari_actions(self.handle)
        self.actions = [action for action in range(18) if minimal >> action & 1]

    def close(self) -> None:
        self.library.atari_delete(self.handle)

    def seed(self, seed: int) -> None:
        self.library.atari_seed(self.handle, ctypes.c_uint64(seed))

    def reset(self, record: Record) -> None:
        self.library.atari_reset(self.handle)
        look = (pointer(record.ram), pointer(record.picture), pointer(record.numbers))
        self.library.atari_look(self.handle, *look)

    def play(self, actions: npt.NDArray[Any], sticky: float, drawn: int, record: Record) -> int:
        rows = (pointer(record.ram), pointer(record.picture), pointer(record.numbers))
        played: int = self.library.atari_play(
            self.handle, len(actions), pointer(actions), ctypes.c_double(sticky), drawn, *rows
        )
        return played


class Reference:
    """ale-py's."""

    def __init__(self, game: str, mode: int = -1, difficulty: int = -1) -> None:
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        self.ale = ale_py.ALEInterface()
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.setInt("random_seed", 1)
        self.ale.loadROM(str(ROM_FOLDER / f"{game}.bin"))
        if mode >= 0:
            self.ale.setMode(mode)
        if difficulty >= 0:
            self.ale.setDifficulty(difficulty)
        self.actions = [action.value for action in self.ale.getMinimalActionSet()]
        self.named = [ale_py.Action(action) for action in range(18)]

    def reset(self, record: Record) -> None:
        self.ale.reset_game()
        self.look(record, 0)

    def look(self, record: Record, row: int) -> None:
        ale = self.ale
        ale.getRAM(record.ram[row])
        ale.getScreen(record.picture[row])
        record.numbers[row, 1] = ale.lives()
        record.numbers[row, 2] = ale.game_over(with_truncation=False)

    def play(self, actions: npt.NDArray[Any], record: Record) -> None:
        for row, action in enumerate(actions.tolist()):
            record.numbers[row, 0] = self.ale.act(self.named[action])
            self.look(record, row)


def compare(ours: Record, theirs: Record, rows: int, drawn: int, where: str, first: int = 0) -> None:
    """Raises AssertionError with the first frame that differs, and how."""
    seen = np.arange(rows) % 4 >= 4 - drawn
    same = (ours.ram[:rows] == theirs.ram[:rows]).all(1) & (ours.numbers[:rows] == theirs.numbers[:rows]).all(1)
    for row in np.nonzero(seen)[0]:
        same[row] &= np.array_equal(ours.picture[row], theirs.picture[row])
    if same.all():
        return
    row = int(np.argmin(same))
    ram = [
        f"{at:#04x} is {mine:#04x} for {right:#04x}"
        for at, (mine, right) in enumerate(zip(ours.ram[row], theirs.ram[row], strict=True))
        if mine != right
    ]
    lines = np.nonzero((ours.picture[row] != theirs.picture[row]).any(1))[0].tolist() if seen[row] else []
    raise AssertionError(
        f"{where}, frame {first + row}: reward, lives, game over are {ours.numbers[row]} for {theirs.numbers[row]}; "
        f"memory {ram}; picture lines {lines}"
    )


def wanted_actions(rng: np.random.Generator, known: list[int], count: int) -> npt.NDArray[np.int32]:
    """Mostly what the game knows, held for a while; sometimes anything."""
    wanted = np.where(rng.random(count) < 0.7, rng.choice(known, count), rng.integers(0, 18, count))
    return np.repeat(wanted, rng.integers(1, 9, count))[:count].astype(np.int32)


def play_beside_ale(path: str, game: str, frames: int, mode: int = -1, difficulty: int = -1) -> int:
    """Plays both and compares; returns how many games were begun."""
    machine, reference = Machine(path, game, mode, difficulty), Reference(game, mode, difficulty)
    assert machine.actions == reference.actions
    ours, theirs = Record(CHUNK, machine.height), Record(CHUNK, machine.height)
    resets = 0
    share = -(-frames // len(PLANS))
    for seed, sticky, drawn in PLANS:
        rng = np.random.default_rng(seed)
        machine.seed(seed)
        left, over = share, True
        while left > 0:
            if over:
                machine.reset(ours)
                reference.reset(theirs)
                ours.numbers[0, 0] = theirs.numbers[0, 0] = 0  # nobody is paid for a reset
                compare(ours, theirs, 1, 4, f"{game}, seed {seed}, reset {resets}")
                resets += 1
            actions = wanted_actions(rng, machine.actions, min(CHUNK, left))
            played = machine.play(actions, sticky, drawn, ours)
            reference.play(actions[:played], theirs)
            compare(ours, theirs, played, drawn, f"{game}, seed {seed}, after reset {resets - 1}", share - left)
            over = bool(ours.numbers[played - 1, 2])
            left -= max(played, 50)  # games that are over at once shall end too
    machine.close()
    return resets


@pytest.fixture(scope="session")
def library() -> str:
    return libraries.library("atari_testing")


@pytest.fixture(scope="session")
def players(request: pytest.FixtureRequest, library: str) -> Iterator[dict[str, Future[int]]]:
    """The games of this session, being played."""
    chosen = [item.callspec.params["game"] for item in request.session.items if "players" in item.fixturenames]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), multiprocessing.get_context("spawn")) as pool:
        yield {game: pool.submit(play_beside_ale, library, game, FRAMES) for game in chosen}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("game", GAMES)
def test_every_frame_is_ale(players: dict[str, Future[int]], game: str) -> None:
    assert players[game].result() >= len(PLANS)


# Games that are unlike the others in how a mode is chosen; every mode of a game is the same code.
MODES = {
    "adventure": [0],
    "air_raid": [2, 8],
    "alien": [3],
    "asteroids": [31, 128],
    "backgammon": [0],
    "berzerk": [9, 18],
    "breakout": [44],
    "centipede": [86],
    "crossbow": [6],
    "demon_attack": [3, 5],
    "double_dunk": [1, 6, 15],
    "et": [2],
    "frogger": [2],
    "gopher": [2],
    "gravitar": [4],
    "human_cannonball": [7],
    "jamesbond": [1],
    "kangaroo": [1],
    "king_kong": [3],
    "klax": [2],
    "lost_luggage": [1],
    "ms_pacman": [1, 3],
    "othello": [2],
    "pacman": [7],
    "pong": [1],
    "pooyan": [70],
    "space_war": [17],
    "star_gunner": [3],
    "surround": [2],
    "video_checkers": [9, 19],
    "video_cube": [100, 1002, 5001],
    "word_zapper": [23],
    "yars_revenge": [96],
}


@pytest.mark.parametrize(("game", "mode"), [(game, mode) for game, modes in MODES.items() for mode in modes])
def test_modes(library: str, game: str, mode: int) -> None:
    difficulties = Reference(game).ale.getAvailableDifficulties()
    play_beside_ale(library, game, 400, mode, int(max(difficulties)))
