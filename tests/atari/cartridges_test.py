# SPDX-License-Identifier: Apache-2.0
"""Plays generated cartridges, which use every instruction and TIA register, and compares the frames with ale-py's.

ENVPOOL_ATARI_CARTRIDGES sets the number of random cartridges. The default is a third of 40 cartridges, by the date.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

ale_py = pytest.importorskip("ale_py")

from tests.atari import cartridges  # noqa: E402
from tests.atari.ale_comparison import Machine, Reference, Trace, compare  # noqa: E402
from tests.support.samples import of_today  # noqa: E402

GIVEN = os.environ.get("ENVPOOL_ATARI_CARTRIDGES")
RANDOM = range(int(GIVEN)) if GIVEN else of_today(range(40), 3)
READABLE = list(range(16))
QUIET = [register for register in range(1, 0x2D) if register != cartridges.WSYNC]


def check(folder: Path, image: bytes, frames: int, drawn: int = 4, resets: int = 2) -> None:
    path = folder / f"{cartridges.STEM}.bin"
    path.write_bytes(image)
    machine, reference = Machine(cartridges.STEM, rom=image), Reference(cartridges.STEM, path=path)
    ours, theirs = Trace(frames, machine.height), Trace(frames, machine.height)
    screen = reference.ale.getScreen()
    assert screen.shape == (machine.height, 160)
    rng = np.random.default_rng(1)
    for reset in range(resets):
        machine.reset(ours)
        reference.reset(theirs)
        ours.outcomes[0, 0] = theirs.outcomes[0, 0] = 0
        compare(ours, theirs, 1, 4, f"reset {reset}")
        if ours.outcomes[0, 2]:
            continue
        actions = rng.integers(0, 18, frames).astype(np.int32)
        played = machine.play(actions, 0.0, drawn, ours)
        reference.play(actions[:played], theirs)
        compare(ours, theirs, played, drawn, f"after reset {reset}")
    machine.close()


@pytest.mark.parametrize("seed", range(6))
def test_every_instruction(tmp_path: Path, seed: int) -> None:
    check(tmp_path, cartridges.instruction_cartridge(seed), 400)


@pytest.mark.parametrize("seed", range(4))
def test_instructions_in_ram(tmp_path: Path, seed: int) -> None:
    check(tmp_path, cartridges.ram_code_cartridge(seed), 300)


@pytest.mark.parametrize("op", cartridges.JAMS)
def test_jammed_cpu(tmp_path: Path, op: int) -> None:
    check(tmp_path, cartridges.jamming_cartridge(op), 60)


def test_first_run(tmp_path: Path) -> None:
    check(tmp_path, cartridges.first_run_cartridge(), 1)


def test_bus_value_between_frames(tmp_path: Path) -> None:
    check(tmp_path, cartridges.bus_cartridge(), 10)


@pytest.mark.parametrize("cycle", range(70, 80))
def test_late_hmove(tmp_path: Path, cycle: int) -> None:
    check(tmp_path, cartridges.late_hmove_cartridge(cycle), 4)


@pytest.mark.parametrize("jams", [True, False])
@pytest.mark.parametrize(("op", "register"), [(0xA5, 0x0C), (0x85, 0x19), (0x85, 0x21), (0x85, 0x09)])
def test_frame_cut_off_after_an_access(tmp_path: Path, op: int, register: int, jams: bool) -> None:
    check(tmp_path, cartridges.cut_off_cartridge(op, register, jams), 2)


# STA abs, STA zp,X, INC and JSR; then HMOVE, a write that changes nothing, and STA zp.
@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("code", ["8D4001", "9500", "E600", "2000F0", "852AA9468509A9008500"])
@pytest.mark.parametrize("cycle", [8, 30, 31, 32, 33])
def test_frame_ended_by_vsync(tmp_path: Path, cycle: int, code: str) -> None:
    check(tmp_path, cartridges.ended_by_vsync_cartridge(cycle, code), 6)


@pytest.mark.parametrize("cycle", [5, 18, 20, 40])
def test_star_field_with_equal_sizes(tmp_path: Path, cycle: int) -> None:
    check(tmp_path, cartridges.star_field_cartridge(cycle), 6)


@pytest.mark.parametrize("seed", RANDOM)
def test_random_frames_cut_off(tmp_path: Path, seed: int) -> None:
    check(tmp_path, cartridges.random_cut_off_cartridge(seed), 6)


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("register", range(0x2D))
def test_every_register(tmp_path: Path, register: int) -> None:
    check(tmp_path, cartridges.screen_cartridge([register], [], register), 12)


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("register", READABLE)
def test_every_readable_register(tmp_path: Path, register: int) -> None:
    check(tmp_path, cartridges.screen_cartridge([0x10, 0x11, 0x12, 0x13, 0x14, 0x2A, 0x2C], [register], register), 12)


@pytest.mark.parametrize("seed", RANDOM)
def test_random_frames(tmp_path: Path, seed: int) -> None:
    check(tmp_path, cartridges.screen_cartridge(QUIET, READABLE, 1000 + seed), 12, 4 - seed % 3 % 2 * 2)


@pytest.mark.parametrize("seed", RANDOM)
def test_random_bytes(tmp_path: Path, seed: int) -> None:
    check(tmp_path, cartridges.random_bytes(seed), 30)
