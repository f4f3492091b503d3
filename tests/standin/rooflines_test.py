# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.proof.page import readable
from tests.standin import rooflines
from tests.standin.driver import Driver
from tests.standin.rooflines import CARDS, SAMPLES, Block, Work, ceiling, ceilings, cost_of

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")

pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")

# Thread k of a block runs the loop k times.
LOOP = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry loop(.param .u64 out)
.maxntid 64, 1, 1
{
\t.reg .pred %p<2>;
\t.reg .b32 %r<3>;
\t.reg .f64 %d<2>;
\t.reg .b64 %rd<2>;
\tmov.u32 %r1, %tid.x;
\tmov.u32 %r2, 0;
\tld.param.u64 %rd1, [out];
\tmov.f64 %d1, 0d3FF0000000000000;
$test:
\tsetp.eq.u32 %p1, %r1, %r2;
\t@%p1 bra $end;
\tadd.s32 %r2, %r2, 1;
\tadd.rn.f64 %d1, %d1, %d1;
\tbra.uni $test;
$end:
\tst.global.f64 [%rd1], %d1;
\tret;
}
"""


def test_counters_count_each_threads_basic_blocks(shared_driver: Driver) -> None:
    counters, out = shared_driver.allocate(64 * 4 * LOOP.count("\n")), shared_driver.allocate(8)
    text, blocks = rooflines.with_counters(LOOP, counters)
    assert blocks == [Block(0, 0), Block(2, 0), Block(3, 1), Block(2, 0)]
    zeros = np.zeros((64, LOOP.count("\n")), np.uint32)
    shared_driver.upload(zeros, counters)
    function = shared_driver.function(shared_driver.module(text), "loop")
    shared_driver.launch(function, 1, 64, [out.to_bytes(8, "little")])
    shared_driver.synchronize()
    visits = shared_driver.download(counters, zeros)[:, :4]
    assert np.array_equal(visits, [[1, k + 1, k, 1] for k in range(64)])


def test_costs_of_instructions() -> None:
    assert cost_of("mov.u32 %r1, %tid.x;") == cost_of("ld.param.u64 %rd1, [out];") == Block(0, 0)
    assert cost_of("@%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1];") == Block(1, 0)
    assert cost_of("setp.lt.f64 %p1, %d1, %d2;") == Block(1, 1)
    assert cost_of("selp.f64 %d1, %d2, %d3, %p1;") == Block(1, 0)
    assert cost_of("div.rn.f64 %d1, %d2, %d3;").f64 == 9


def test_the_lowest_ceiling_binds() -> None:
    card, *_, consumer = CARDS
    assert ceiling(Work(320, 10, 0, 1000, 1, 32), 480, card) == (pytest.approx(1e10), "memory")
    assert ceiling(Work(32000, 1000, 0, 100, 1, 32), 480, card) == (pytest.approx(132 * 4 * 1.98e6), "issue")
    assert ceiling(Work(3200, 10, 0, 1000, 100, 32), 480, card) == (pytest.approx(132 * 2 * 1.98e9 / 100), "sectors")
    assert ceilings(Work(32000, 1000, 500, 100, 1, 32), 480, consumer)["f64"] == pytest.approx(
        170 * 2.407e9 * 2 / 32 / 500
    )
    assert ceiling(Work(32000, 1000, 500, 100, 1, 32), 480, consumer)[1] == "f64"
    assert [readable(number) for number in (2.09e10, 999.9e6, 12345, 7.0)] == ["20.9 G", "1 G", "12.3 k", "7"]


def test_the_table_is_current() -> None:
    page = Path(str(SOURCE), "docs/gpu.md").read_text()
    assert page.count("<!-- made by make generated: rooflines -->") == 1
    assert rooflines.updated(page) == page, "run `make generated`"
    before, marker, after = page.partition("<!-- made by make generated: rooflines -->")
    assert rooflines.updated(before + marker + after.replace("| `CartPole-v1`", "| `CartPole-v9`", 1)) == page
    assert rooflines.read_work().keys() == {sample.task_id for sample in SAMPLES}


@pytest.mark.parametrize("task_id", ["CartPole-v1", "TagGridWorld-v0"])
def test_counted_work_is_current(task_id: str) -> None:
    (sample,) = (sample for sample in SAMPLES if sample.task_id == task_id)
    counted, kept = rooflines.count(sample), rooflines.read_work()[task_id]
    assert counted == pytest.approx(kept, rel=0.1), "delete its row in kernel_work.csv and run `make generated`"
