# SPDX-License-Identifier: Apache-2.0
"""Tests the choice of cases by date."""

from __future__ import annotations

from envpool.testing.samples import DAY, of_today


def test_every_case_has_its_day() -> None:
    days = [of_today(range(10), 4, day=DAY + day) for day in range(4)]
    assert sorted(case for cases in days for case in cases) == list(range(10))
    assert max(map(len, days)) == 3


def test_some_cases_have_every_day() -> None:
    for day in range(4):
        cases = of_today("abcdefgh", 4, "ac", day)
        assert {"a", "c"} < set(cases) and cases == sorted(cases) and len(cases) <= 4
    assert of_today(range(5), 1) == list(range(5))
