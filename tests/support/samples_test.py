# SPDX-License-Identifier: Apache-2.0
"""Tests the choice of cases by date."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.samples import DAY, of_today

TESTS = """
import pytest

@pytest.mark.sampled(one_in=4, always=["[hard"])
@pytest.mark.parametrize("case", ["hard", *range(11)])
def test_cases(case):
    pass

@pytest.mark.sampled(one_in=2, group="pair")
def test_one():
    pass

@pytest.mark.sampled(one_in=2, group="pair")
def test_other():
    pass

def test_plain():
    pass
"""


def test_every_case_has_its_day() -> None:
    days = [of_today(range(10), 4, day=DAY + day) for day in range(4)]
    assert sorted(case for cases in days for case in cases) == list(range(10))
    assert max(map(len, days)) == 3


def test_some_cases_have_every_day() -> None:
    for day in range(4):
        cases = of_today("abcdefgh", 4, "ac", day)
        assert {"a", "c"} < set(cases) and cases == sorted(cases) and len(cases) <= 4
    assert of_today(range(5), 1) == list(range(5))


def collected(folder: Path, *arguments: str, **variables: str) -> list[str]:
    """Returns the names of the tests that pytest would run."""
    (folder / "some_test.py").write_text(TESTS)
    options = [
        "-p",
        "tests.conftest",
        "-p",
        "no:cacheprovider",
        "--rootdir=.",
        "--collect-only",
        "-q",
        "-c",
        os.devnull,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(arguments or ["some_test.py"])],
        env={**os.environ, "ENVPOOL_TEST_SAMPLES": "", **variables},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.split("::")[1] for line in done.stdout.splitlines() if "::" in line]


def test_the_mark_chooses_cases(tmp_path: Path) -> None:
    names = collected(tmp_path)
    assert len(names) in (5, 6) and "test_cases[hard]" in names and "test_plain" in names
    assert ("test_one" in names) != ("test_other" in names)


def test_all_cases_run_when_asked_for(tmp_path: Path) -> None:
    assert len(collected(tmp_path, ENVPOOL_TEST_SAMPLES="whole")) == 15
    assert len(collected(tmp_path, "some_test.py::test_cases")) == 12
