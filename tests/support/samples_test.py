# SPDX-License-Identifier: Apache-2.0
"""Tests the choice of cases by date."""

from __future__ import annotations

import datetime
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


def run_pytest(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    options = ["-p", "tests.conftest", "-p", "no:cacheprovider", "--rootdir=.", "-c", os.devnull]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments],
        env={**os.environ, "ENVPOOL_TEST_SAMPLES": "", **variables},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def collected(folder: Path, *arguments: str, **variables: str) -> list[str]:
    """Returns the names of the tests that pytest would run."""
    (folder / "some_test.py").write_text(TESTS)
    done = run_pytest(folder, "--collect-only", "-q", *(arguments or ["some_test.py"]), **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.split("::")[1] for line in done.stdout.splitlines() if "::" in line]


def test_the_mark_chooses_cases(tmp_path: Path) -> None:
    names = collected(tmp_path)
    assert len(names) in (5, 6) and "test_cases[hard]" in names and "test_plain" in names
    assert ("test_one" in names) != ("test_other" in names)


def test_all_cases_run_when_asked_for(tmp_path: Path) -> None:
    assert len(collected(tmp_path, ENVPOOL_TEST_SAMPLES="whole")) == 15
    assert len(collected(tmp_path, "some_test.py::test_cases")) == 12


def test_the_samples_of_a_day_can_be_repeated(tmp_path: Path) -> None:
    days = [str(datetime.date.fromordinal(DAY + day)) for day in range(4)]
    of_days = [collected(tmp_path, ENVPOOL_TEST_DAY=day) for day in days]
    assert of_days[0] == collected(tmp_path, ENVPOOL_TEST_DAY=days[0])
    assert len({*map(tuple, of_days)}) == 4


def test_slow_tests_run_a_third_of_their_cases(tmp_path: Path) -> None:
    (tmp_path / "slow.csv").write_text("test,seconds\nsome_test::test_plain,2\nsome_test::test_cases,3\n")
    (tmp_path / "conftest.py").write_text(
        "import pathlib\nfrom tests.support import slow_tests\nslow_tests.LIST = pathlib.Path('slow.csv')\n"
    )
    days = [str(datetime.date.fromordinal(DAY + day)) for day in range(12)]
    of_days = [collected(tmp_path, ENVPOOL_TEST_DAY=day) for day in days]
    runs = ["test_plain" in names for names in of_days]
    assert runs.count(True) == 4 and runs == runs[:3] * 4
    assert all("test_plain" in collected(tmp_path, "-k", "plain", ENVPOOL_TEST_DAY=day) for day in days[:3])
    cases = [[name for name in names if name.startswith("test_cases")] for names in of_days]
    assert all("test_cases[hard]" in names and len(names) <= 3 for names in cases)
    assert len({name for names in cases for name in names}) == 12


def test_a_failure_says_which_day_repeats_it(tmp_path: Path) -> None:
    (tmp_path / "failing_test.py").write_text("def test_fails():\n    assert False\n")
    done = run_pytest(tmp_path, "failing_test.py", ENVPOOL_TEST_DAY="2026-02-03")
    header, _, failure = done.stdout.partition("FAILURES")
    assert done.returncode == 1
    for text in (header, failure):
        assert "ENVPOOL_TEST_DAY=2026-02-03" in text, done.stdout
