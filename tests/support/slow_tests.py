# SPDX-License-Identifier: Apache-2.0
"""Lists the slow tests in slow_tests.csv, of which `make test` runs a third of the cases a day (tests/conftest.py).

    make py-test JOBS=1 PYTEST_ARGS="-k test --junitxml=$PWD/build/junit.xml"
    python3 tests/support/slow_tests.py build/junit.xml

A test is slow if its cases together take at least a second. Because of -k, slow tests run all cases. Entries of tests that
did not run are kept.
"""

from __future__ import annotations

import csv
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

LIST = Path(__file__).with_name("slow_tests.csv")
LIMIT = 1.0  # seconds


def slow_tests() -> dict[str, float]:
    """Returns how long each slow test takes, in seconds, by name, such as 'tests.core.math.math_test::test_exp'."""
    with LIST.open(newline="") as file:
        return {row["test"]: float(row["seconds"]) for row in csv.DictReader(file)}


def seconds_of(report: Path) -> Counter[str]:
    """Returns how long the cases of each test in a JUnit report took together, in seconds."""
    seconds: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        seconds[f"{case.get('classname')}::{case.get('name', '').partition('[')[0]}"] += float(case.get("time", 0))
    return seconds


def main(report: str) -> None:
    """Updates the list."""
    seconds = {**slow_tests(), **seconds_of(Path(report))}
    with LIST.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["test", "seconds"])
        writer.writerows((test, f"{spent:.0f}") for test, spent in sorted(seconds.items()) if spent >= LIMIT)


if __name__ == "__main__":
    main(sys.argv[1])
