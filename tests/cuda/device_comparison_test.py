# SPDX-License-Identifier: Apache-2.0
"""Tests exchanges of states between CPU and GPU pools, and the sample of comparisons that runs each day."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import envpool
from envpool.python.options import AUTORESET_MODES
from envpool.python.registry import find
from tests.cuda.device_comparison import ALWAYS, SHARE, Case, Comparison, cases, compare, pools
from tests.standin.driver import on_stand_in
from tests.support.pages import code_blocks
from tests.support.samples import DAY

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")

pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")


@pytest.fixture(autouse=True)
def stand_in() -> Iterator[None]:
    with on_stand_in():
        yield


def test_samples_have_every_case_in_turn() -> None:
    def kinds(sample: list[Case]) -> set[tuple[object, ...]]:
        return {(case.task_id, case.options, case.mode) for case in sample if find(case.task_id).family != "atari"}

    days = [kinds(cases(whole=False, day=DAY + day)) for day in range(SHARE * len(AUTORESET_MODES))]
    assert set().union(*days) == kinds(cases(whole=True))
    assert all({task_id for task_id in ALWAYS if task_id != "Pong-v5"} <= {kind[0] for kind in day} for day in days)
    assert max(map(len, days)) < 0.2 * len(set().union(*days))


@pytest.mark.parametrize(
    ("task_id", "mode", "options"),
    [
        ("Acrobot-v1", "next_step", {}),
        ("CartPole-v1", "disabled", {}),
        ("TagGridWorld-v0", "same_step", {}),
        ("TagContinuous-v0", "next_step", {"num_runners": 400, "use_full_observation": False}),
    ],
)
def test_states_are_exchanged_in_the_middle_of_episodes(task_id: str, mode: str, options: dict[str, int]) -> None:
    found, _ = compare(pools(task_id, mode, 3, **options), 3, 60, exchange=7)
    assert found.words > 400 and not found.different


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("mode", AUTORESET_MODES)
def test_the_tutorials_world_matches_the_cpu(tmp_path: Path, mode: str) -> None:
    """Compiles the header of docs/tutorial_world.md, and compares all arrays and states."""
    page = Path(str(SOURCE), "docs", "tutorial_world.md")
    header = tmp_path / "pasture.h"
    header.write_text(next(block.text for block in code_blocks(page) if block.kind == "cpp"))
    envpool.compile(header, "Pasture-v0")
    for options in ({}, {"num_wolves": 20, "num_sheep": 21}):
        both = pools("Pasture-v0", mode, 5, **options)
        found, ends = compare(both, 5, 100, exchange=9)
        assert ends >= 10 and not found.different
        both.device.close()


def test_a_differing_state_is_detected() -> None:
    both = pools("CartPole-v1", "next_step", 3)
    both.cpu.reset(), both.device.reset()
    both.cpu.recv(), both.device.recv()
    found = Comparison(both)
    found.check_states(range(3))
    assert not found.different
    both.cpu.restore([1], both.cpu.snapshot([0]))
    found.check_states(range(3))
    assert found.different.keys() == {"state"}
