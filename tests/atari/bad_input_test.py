# SPDX-License-Identifier: Apache-2.0
"""Tests that errors for wrong ROMs, options and actions name the argument, the expected value and the given one."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.atari import registration

ale_py = pytest.importorskip("ale_py")

ROM_FOLDER = Path(ale_py.__file__).parent / "roms"
NAN, INF = float("nan"), float("inf")

WRONG_VALUES: list[tuple[str, Any, str]] = [
    ("img_height", -1, "img_height: expected an int from 0 to 4096, got -1"),
    ("img_width", 4097, "img_width: expected an int from 0 to 4096, got 4097"),
    ("stack_num", 0, "stack_num: expected an int from 1 to 64, got 0"),
    ("stack_num", 65, "stack_num: expected an int from 1 to 64, got 65"),
    ("frame_skip", 0, "frame_skip: expected an int from 1 to 1000, got 0"),
    ("noop_max", -1, "noop_max: expected an int from 0 to 10000, got -1"),
    ("repeat_action_probability", 1.5, "repeat_action_probability: expected a number from 0 to 1, got 1.5"),
    ("repeat_action_probability", -0.1, "repeat_action_probability: expected a number from 0 to 1, got -0.1"),
    ("repeat_action_probability", NAN, "repeat_action_probability: expected a number from 0 to 1, got nan"),
    ("repeat_action_probability", INF, "repeat_action_probability: expected a number from 0 to 1, got inf"),
    ("mode", 7, "mode: expected a mode of pong (0, 1), got 7"),
    ("mode", -2, "mode: expected an int from -1 to 100000, got -2"),
    ("mode", 10**30, "mode: expected an int from -1 to 100000, got 1000000000000000000000000000000"),
    ("difficulty", 4, "difficulty: expected an int from -1 to 3, got 4"),
    ("obs_type", "rgb", "obs_type: expected one of 'screen', 'ram', got 'rgb'"),
    ("task", "zork", "task: expected one of adventure, air_raid, alien, "),
    ("rom", b"x" * 3072, "rom: expected a cartridge of 2048, 4096, 8192, 10240, 10495, 10496 or 16384 bytes, got 3072"),
    ("rom", b"\x85\x3e\xa9\x00" * 4096, "rom: expected a cartridge of type 2K, 4K, F8, F8SC, F6, "),
]
WRONG_TYPES: list[tuple[str, Any, str]] = [
    ("img_height", 84.5, "img_height: expected an int from 0 to 4096, got 84.5"),
    ("stack_num", None, "stack_num: expected an int from 1 to 64, got None"),
    ("frame_skip", "4", "frame_skip: expected an int from 1 to 1000, got '4'"),
    ("repeat_action_probability", "0.25", "repeat_action_probability: expected a number from 0 to 1, got '0.25'"),
    ("mode", True, "mode: expected an int from -1 to 100000, got True"),
    ("gray_scale", 1, "gray_scale: expected True or False, got 1"),
    ("episodic_life", None, "episodic_life: expected True or False, got None"),
    ("obs_type", 3, "obs_type: expected one of 'screen', 'ram', got 3"),
    ("rom_path", 3, "rom_path: expected a str, got 3"),
    ("frameskip", 4, "unknown option 'frameskip'; did you mean 'frame_skip'"),
]


@pytest.mark.parametrize(
    ("error", "name", "value", "words"),
    [(ValueError, *row) for row in WRONG_VALUES] + [(TypeError, *row) for row in WRONG_TYPES],
)
def test_wrong_options(error: type[Exception], name: str, value: Any, words: str) -> None:
    with pytest.raises(error, match=re.escape(f"[Pong-v5] {words}")):
        envpool.make_gymnasium("Pong-v5", **{name: value})


def test_modes_and_difficulties_that_a_game_lacks() -> None:
    for task_id, option, words in (
        ("Boxing-v5", {"mode": 1}, "mode: expected a mode of boxing (0), got 1"),
        ("Boxing-v5", {"difficulty": 4}, "difficulty: expected an int from -1 to 3, got 4"),
        ("SpaceInvaders-v5", {"difficulty": 2}, "difficulty: expected a difficulty of space_invaders (0, 1), got 2"),
        (
            "ALE/SpaceInvaders-v5",
            {"difficulty": 3},
            "difficulty: expected a difficulty of space_invaders (0, 1), got 3",
        ),
    ):
        with pytest.raises(ValueError, match=re.escape(f"[{task_id}] {words}")):
            envpool.make_gymnasium(task_id, **option)


WRONG_ACTIONS: list[tuple[Any, type[Exception], str]] = [
    (np.full(2, 0.5, np.float32), ValueError, "expected an integer in 0..5, got 0.5 in row 0"),
    (np.array([0, NAN]), ValueError, "expected an integer in 0..5, got nan in row 1"),
    (["a", "b"], TypeError, "expected integers (int32), got <U1"),
    (None, TypeError, "expected integers (int32), got None"),
    (np.array([0, 6], np.int32), ValueError, "expected an integer in 0..5, got 6 in row 1"),
    (np.array([-1, 0], np.int32), ValueError, "expected an integer in 0..5, got -1 in row 0"),
    (np.array([0, 1 << 32]), ValueError, "expected an integer in 0..5, got 4294967296 in row 1"),
    (np.zeros(3, np.int32), ValueError, "expected shape (2,), one row per environment, got (3,)"),
    (np.zeros((2, 1), np.int32), ValueError, "expected shape (2,), one row per environment, got (2, 1)"),
    (0, ValueError, "expected shape (2,), one row per environment, got ()"),
]


@pytest.mark.parametrize(("action", "error", "words"), WRONG_ACTIONS, ids=[words for _, _, words in WRONG_ACTIONS])
def test_wrong_actions(action: Any, error: type[Exception], words: str) -> None:
    env = envpool.make_gymnasium("Pong-v5", num_envs=2)
    env.reset()
    with pytest.raises(error, match=re.escape(f"[Pong-v5] action: {words}")):
        env.step(action)
    assert env.step(np.array([0, 5], np.int32))[4]["elapsed_step"].tolist() == [1, 1]


def test_rom_and_rom_path() -> None:
    with pytest.raises(ValueError, match=r"^\[Pong-v5\] rom: expected only one of rom and rom_path"):
        envpool.make_gymnasium("Pong-v5", rom=b"x", rom_path="x")


def test_missing_and_wrong_rom(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def made_without(found: Any) -> str:
        registration._read_rom.cache_clear()
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
        with pytest.raises(RuntimeError, match=r"^\[Pong-v5\] ") as caught:
            envpool.make_gymnasium("Pong-v5")
        registration._read_rom.cache_clear()
        return str(caught.value)

    class Package:
        submodule_search_locations = (str(tmp_path),)

    assert made_without(None) == "[Pong-v5] needs the ROMs of ale-py, which is not installed: pip install ale-py"
    assert "cannot be read; install it with" in made_without(Package())
    (tmp_path / "roms").mkdir()
    (tmp_path / "roms" / "pong.bin").write_bytes(b"\x00" * 2048)
    assert "wrong ROM" in made_without(Package())
    (tmp_path / "roms" / "pong.bin").write_bytes((ROM_FOLDER / "pong.bin").read_bytes()[:-1])
    assert "wrong ROM: the MD5 of" in made_without(Package())


def test_rom_path(tmp_path: Path) -> None:
    """`rom_path` may name any cartridge, which is played by the rules of the id's game."""
    rom = (ROM_FOLDER / "pong.bin").read_bytes()
    path = tmp_path / "mine.a26"
    path.write_bytes(rom)
    actions = np.random.default_rng(0).integers(0, 6, (50, 2)).astype(np.int32)

    def play(task_id: str, **options: Any) -> list[Any]:
        env = envpool.make_gymnasium(task_id, num_envs=2, **options)
        return [env.reset()[0], *(env.step(action)[0].copy() for action in actions)]

    for task_id in ("Pong-v5", "ALE/Pong-v5"):
        same = play(task_id)
        for given in (path, str(path)):
            assert all(map(np.array_equal, play(task_id, rom_path=given), same))
    path.write_bytes(rom[:100] + bytes([rom[100] ^ 1]) + rom[101:])  # the checksum is not verified
    play("Pong-v5", rom_path=path)


@pytest.mark.parametrize("content", [b"\x00" * 4096, b"\xff" * 2048, None], ids=["zeros", "ones", "another game"])
def test_a_rom_that_never_reaches_the_mode(tmp_path: Path, content: bytes | None) -> None:
    """Mode selection gives up after 5,000 frames, once when the machine is switched on and once in the reset."""
    path = tmp_path / "mine.a26"
    path.write_bytes(content or (ROM_FOLDER / "freeway.bin").read_bytes())
    env = envpool.make_gymnasium("ALE/Pong-v5", rom_path=path)
    _, info = env.reset()
    assert info["frame_number"][0] < 2 * 5000 + 500  # and the frames of two starts
    env.step(np.zeros(1, np.int32))


def test_bad_rom_paths(tmp_path: Path) -> None:
    def error(rom_path: Any) -> str:
        with pytest.raises(ValueError, match=r"^\[Pong-v5\] rom_path") as caught:
            envpool.make_gymnasium("Pong-v5", rom_path=rom_path)
        return str(caught.value)

    assert "No such file" in error(tmp_path / "missing.bin")
    assert "not a file" in error(tmp_path)
    assert "not a file" in error("/dev/zero")
    assert "null" in error("a\0b")
    file = tmp_path / "rom.bin"
    for content, words in (
        (b"", "empty"),
        (b"x" * 100, "got 100 bytes"),
        (b"x" * 4095, "got 4095 bytes"),
        (b"x" * 3072, "expected a cartridge of 2048, 4096, 8192, 10240, 10495, 10496 or 16384 bytes, got 3072 bytes"),
        (b"x" * 99999, "large"),
    ):
        file.write_bytes(content)
        assert words in error(file)
    with file.open("wb") as sparse:
        sparse.truncate(40 << 20)
    assert "large" in error(file)
    if not hasattr(os, "mkfifo"):
        return  # Windows
    os.mkfifo(tmp_path / "fifo")
    assert "not a file" in error(tmp_path / "fifo")
    file.chmod(0)
    if not os.access(file, os.R_OK):
        assert "Permission denied" in error(file)


THREE_GRAY, ONE_COLOUR = {"stack_num": 3, "gray_scale": True}, {"stack_num": 1, "gray_scale": False}


def test_states_of_equal_shape_but_different_images_are_rejected() -> None:
    gray, colour = (envpool.make_gymnasium("Pong-v5", num_envs=1, **options) for options in (THREE_GRAY, ONE_COLOUR))
    assert gray.observation_space == colour.observation_space
    gray.reset()
    colour.reset()
    for to, state in ((colour, gray.snapshot(0)), (gray, colour.snapshot(0))):
        with pytest.raises(ValueError, match=r"^\[Pong-v5\] restore: state: expected a snapshot .* with other options"):
            to.restore(0, state)
        to.step(np.zeros(1, np.int32))


def test_states_for_pure_functions_of_another_image_are_rejected() -> None:
    jax = pytest.importorskip("jax")
    gray, _ = envpool.jax.make("Pong-v5", **THREE_GRAY)
    colour, _ = envpool.jax.make("Pong-v5", **ONE_COLOUR)
    key = jax.random.PRNGKey(0)
    _, state = gray.reset(key)
    with pytest.raises(
        Exception, match="state: (row 0 is not of|expected a state of Atari, got a state of Atari with other)"
    ):
        jax.block_until_ready(colour.step(key, state, 0))
