# SPDX-License-Identifier: Apache-2.0
"""Chooses which tests run on a day.

A test with the mark `sampled(one_in=4)` runs one in four of its cases. `always` lists strings: cases whose names contain
one of them run every day. Tests that share a `group` are sampled as if they were cases of one test.

A test in support/slow_tests.csv runs a third of its cases, or one in twelve if the mark says one in four. If it has a
single case, it runs every third day. If it takes more than ten seconds, it runs a sixth. The mark `every_day` exempts a
test.

With ENVPOOL_TEST_ONE_IN=3, one in three of the remaining tests runs, too. A case that is named on the command line always
runs, and slow tests run whole with -k. The header of a run and the report of each failure say which day's samples ran.
"""

from __future__ import annotations

import os
import signal
import zlib
from collections.abc import Generator
from typing import Any

import pytest

from tests.support.samples import DATE, DAY, WHOLE, of_today
from tests.support.slow_tests import slow_tests

VERY_SLOW = 10  # seconds
LEFT_OUT = pytest.StashKey[bool]()  # whether the samples leave out any case
REPEAT = f"ENVPOOL_TEST_DAY={DATE} repeats the samples of this run"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sampled(one_in, always=(), group=None): run some of the cases, by the date")
    config.addinivalue_line("markers", "every_day: run all cases although the test is slow")
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
    slow = {} if config.option.keyword else slow_tests()
    sampled: dict[str, list[tuple[pytest.Item, dict[str, Any]]]] = {}
    for item in items:
        mark, function = item.get_closest_marker("sampled"), getattr(item, "originalname", item.name)
        options = {"one_in": 1, **(mark.kwargs if mark else {})}
        seconds = slow.get(f"{item.module.__name__}::{function}", 0)
        if seconds and not item.get_closest_marker("every_day"):
            options["one_in"] *= 6 if seconds > VERY_SLOW else 3
        if options["one_in"] > 1:
            sampled.setdefault(f"{item.path.name}::{options.get('group') or function}", []).append((item, options))
    left_out: set[pytest.Item] = set()
    for test, marked in sampled.items():
        cases = [item for item, _ in marked]
        one_in = max(options["one_in"] for _, options in marked)
        always = [case for case, options in marked if any(part in case.name for part in options.get("always", ()))]
        # Each test begins elsewhere, so that the first cases of all tests do not run on the same day.
        left_out |= {*cases} - {*of_today(cases, one_in, always, DAY + zlib.crc32(test.encode()))}
    left = [item for item in items if item not in left_out]
    left_out |= {*left} - {*of_today(left, int(os.environ.get("ENVPOOL_TEST_ONE_IN", "1")))}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
    if left_out:
        config.stash[LEFT_OUT] = True


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Lets a run succeed that has no tests today because `-k` selects only cases that the samples leave out."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.stash.get(LEFT_OUT, False):
        session.exitstatus = pytest.ExitCode.OK
