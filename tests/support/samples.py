# SPDX-License-Identifier: Apache-2.0
"""Chooses by the date which cases of slow tests `make test` runs, so that each case runs every few days.

tests/conftest.py defines the mark `sampled`, with which a test runs some of its cases. All cases run if
ENVPOOL_TEST_SAMPLES is "whole". ENVPOOL_TEST_DAY repeats the samples of a day, such as 2026-11-26.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Collection, Iterable
from typing import TypeVar

Case = TypeVar("Case")

# Processes that this one starts use the same day, even if they start after midnight.
DATE = os.environ.setdefault("ENVPOOL_TEST_DAY", datetime.datetime.now(datetime.timezone.utc).date().isoformat())
DAY = datetime.date.fromisoformat(DATE).toordinal()
WHOLE = os.environ.get("ENVPOOL_TEST_SAMPLES") == "whole"


def of_today(cases: Iterable[Case], one_in: int, always: Collection[Case] = (), day: int = DAY) -> list[Case]:
    """Returns the cases to run on a day, in their order: one in `one_in`, and those in `always`."""
    return [case for number, case in enumerate(cases) if (number + day) % one_in == 0 or case in always]
