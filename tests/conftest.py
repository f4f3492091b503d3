# SPDX-License-Identifier: Apache-2.0
"""Defines the mark `sampled`: a test with `sampled(one_in=4)` runs one in four of its cases a day.

`always` lists strings: cases whose names contain one of them run every day. Tests that share a `group` are sampled as if
they were cases of one test. With ENVPOOL_TEST_ONE_IN=3, one in three of the remaining tests runs, too. A case that is
named on the command line always runs. The header of a run and the report of each failure say which day's samples ran.
"""

from __future__ import annotations

import os
import signal
import zlib
from collections.abc import Generator

import pytest

from tests.support.samples import DATE, DAY, WHOLE, of_today

REPEAT = f"ENVPOOL_TEST_DAY={DATE} repeats the samples of this run"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sampled(one_in, always=(), group=None): run some of the cases, by the date")
    # A shell's background processes ignore this signal, and Python then does not handle it. Tests send it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    return "samples: whole" if WHOLE else f"samples: {REPEAT}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and not WHOLE:
        report.sections.append(("samples", REPEAT))
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if WHOLE or any("::" in argument for argument in config.args):
        return
    sampled: dict[str, list[tuple[pytest.Item, pytest.Mark]]] = {}
    for item in items:
        if mark := item.get_closest_marker("sampled"):
            test = mark.kwargs.get("group") or getattr(item, "originalname", item.name)
            sampled.setdefault(f"{item.path.name}::{test}", []).append((item, mark))
    left_out: set[pytest.Item] = set()
    for test, marked in sampled.items():
        cases, options = [item for item, _ in marked], marked[0][1].kwargs
        always = [case for case in cases if any(part in case.name for part in options.get("always", ()))]
        # Each test begins elsewhere, so that the first cases of all tests do not run on the same day.
        left_out |= {*cases} - {*of_today(cases, options["one_in"], always, DAY + zlib.crc32(test.encode()))}
    left = [item for item in items if item not in left_out]
    left_out |= {*left} - {*of_today(left, int(os.environ.get("ENVPOOL_TEST_ONE_IN", "1")))}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
