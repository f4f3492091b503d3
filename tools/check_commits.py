# SPDX-License-Identifier: Apache-2.0
"""Checks commit messages against the rules of CONTRIBUTING.md: ``python tools/check_commits.py [RANGE]``.

A subject is imperative, begins with a capital letter, and has at most 72 characters and no full stop. A blank line
separates it from the body. Without RANGE, all commits since the rules were adopted are checked.
"""

from __future__ import annotations

import re
import subprocess
import sys

RULES_ADOPTED = "410f7cb"  # older commits are left as they are
MAX_SUBJECT = 72

# First words that show that a subject is not imperative, and imperatives that match the pattern but are allowed.
NOT_IMPERATIVE = re.compile(r"^(A|An|The|What|Where|When|Who|Whoever|No|Of|In|On|For|It|This|That|\w+(?:ed|ing|s))$")
IMPERATIVE = {"Need", "Feed", "Embed", "Speed", "Bring", "String", "Ping", "Process", "Compress", "Bypass", "Pass"}
IMPERATIVE |= {"Address", "Access", "Discuss", "Express", "Suppress", "Focus", "Canvas", "Miss", "Cross", "Guess"}


def faults(message: str) -> list[str]:
    """Returns a sentence for each fault of a commit message. Merges and reverts have none, because git wrote them."""
    subject, *rest = message.rstrip("\n").split("\n")
    if subject.startswith(("Merge ", "Revert ")):
        return []
    found = []
    if len(subject) > MAX_SUBJECT:
        found.append(f"the subject has {len(subject)} characters, expected at most {MAX_SUBJECT}")
    if not subject[:1].isupper():
        found.append("the subject does not begin with a capital letter")
    if subject.endswith("."):
        found.append("the subject ends with a full stop")
    first = subject.split(" ")[0]
    if NOT_IMPERATIVE.match(first) and first not in IMPERATIVE:
        found.append(f'the subject begins with "{first}", expected an imperative such as "Clamp" or "Add"')
    if rest and rest[0]:
        found.append("no blank line separates the subject from the body")
    return found


def commits(revisions: str) -> list[tuple[str, str]]:
    """Returns the hash and message of each commit, without merges."""
    text = subprocess.run(
        ["git", "log", "--no-merges", "--format=%h%x00%B%x01", revisions], capture_output=True, text=True, check=True
    ).stdout
    pairs = [entry.strip("\n").split("\0") for entry in text.split("\1") if entry.strip("\n")]
    return [(name, message) for name, message in pairs]


def main(arguments: list[str]) -> int:
    """Prints every fault; returns 1 if there was one."""
    try:
        checked = commits(arguments[0] if arguments else f"{RULES_ADOPTED}..HEAD")
    except (OSError, subprocess.CalledProcessError):
        print("commit messages: not checked, because this is not a git checkout with the necessary history")
        return 0
    status = 0
    for name, message in checked:
        for fault in faults(message):
            print(f"{name} {message.splitlines()[0]!r}: {fault}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
