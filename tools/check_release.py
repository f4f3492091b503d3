# SPDX-License-Identifier: Apache-2.0
"""Compares a release's tag with the files that name the version: ``python tools/check_release.py v1.2.3``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# For each file, the pattern of the line that must name the version. {} stands for the version.
LINES = {
    "CITATION.cff": r"version: {}",
    "CMakeLists.txt": r"set\(ENVPOOL_VERSION {}\).*",
    "MODULE.bazel": r"    version = \"{}\",",
    "CHANGELOG.md": r"## \[{}\] - \d{{4}}-\d\d-\d\d",
}


def faults(tag: str, root: Path = ROOT) -> list[str]:
    """Returns a sentence for each file that does not have the tag's version."""
    if not re.fullmatch(r"v\d+\.\d+\.\d+((a|b|rc)\d+)?", tag):
        return [f"tag: expected v<major>.<minor>.<patch>, such as v1.2.3 or v1.2.3rc1, got {tag!r}"]
    version = re.escape(tag[1:])
    found = []
    for name, line in LINES.items():
        wanted = re.compile(line.format(version))
        if not any(wanted.fullmatch(text) for text in (root / name).read_text().splitlines()):
            found.append(f"{name}: no line names version {tag[1:]}")
    if "## [Unreleased]" not in (root / "CHANGELOG.md").read_text().splitlines():
        found.append("CHANGELOG.md: there is no section Unreleased")
    return found


if __name__ == "__main__":
    problems = faults(sys.argv[1] if len(sys.argv) > 1 else "")
    print("\n".join(problems) or f"{sys.argv[1]}: every file names this version")
    sys.exit(bool(problems))
