# SPDX-License-Identifier: Apache-2.0
"""Runs Bazel without a network: ``python tools/bazel_offline.py build //...``.

Bazel 4 to 7 has these rules built in, but still downloads the repositories that they used to come from. This program
avoids the download: it writes small repositories to build/bazel-offline, which refer to the built-in rules. Debian's
package bazel-bootstrap contains one of these versions.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# For each repository: the file that is loaded from it, and the rules that must be in this file.
RULES = {
    "rules_cc": (
        "cc/defs.bzl",
        "cc_binary cc_import cc_library cc_proto_library cc_test cc_toolchain cc_toolchain_suite fdo_prefetch_hints "
        "fdo_profile objc_import objc_library",
    ),
    "rules_java": (
        "java/defs.bzl",
        "java_binary java_import java_library java_proto_library java_runtime java_toolchain",
    ),
    "rules_proto": ("proto/defs.bzl", "proto_lang_toolchain proto_library"),
    "remote_coverage_tools": ("defs.bzl", ""),
}
# Every test depends on this program, but only `bazel coverage` runs it.
_COVERAGE = 'sh_binary(name = "coverage_report_generator", srcs = ["BUILD"], visibility = ["//visibility:public"])\n'
FOLDER = Path(__file__).resolve().parent.parent / "build" / "bazel-offline"


def write(name: str) -> str:
    """Writes a repository; returns the command-line option that makes Bazel use it."""
    file, rules = RULES[name]
    root = FOLDER / name
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / "WORKSPACE").write_text(f'workspace(name = "{name}")\n')
    (root / file).with_name("BUILD").write_text(_COVERAGE if name == "remote_coverage_tools" else "")
    (root / file).write_text("".join(f"{rule} = native.{rule}\n" for rule in rules.split()))
    return f"--override_repository={name}={root}"


def main(arguments: list[str]) -> int:
    """Runs the command of Bazel; returns its exit status."""
    if not arguments:
        sys.exit(__doc__)
    bazel = os.environ.get("BAZEL", "bazel")
    options = [write(name) for name in RULES]
    try:
        return subprocess.run([bazel, arguments[0], *options, *arguments[1:]], check=False).returncode
    except FileNotFoundError:
        sys.exit(f"{bazel} is not installed (Debian: apt-get install bazel-bootstrap)")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
