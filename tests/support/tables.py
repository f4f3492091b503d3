# SPDX-License-Identifier: Apache-2.0
"""Updates the tables of docs/environments.md from the registry and the declarations of environments.

    python -m tests.support.tables docs/environments.md       (make generated)

Each table follows a line `<!-- made by make generated: FAMILY -->` and has a row for each environment of that family.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

import envpool
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.python.spaces import Field

_TABLE = re.compile(r"(<!-- made by make generated: (\w+) -->\n)(?:\|.*\n)*")


def updated(page: str) -> str:
    """Returns a page with updated tables."""
    return _TABLE.sub(lambda found: found[1] + _table(found[2]), page)


def _table(family: str) -> str:
    rows: dict[tuple[str, str, str], list[str]] = {}
    for task_id in envpool.list_all_envs():
        registration = find(task_id)
        if registration.family == family:
            arrays = Construction(registration, {}).arrays
            cells = (registration.table, _all(arrays.observations), _all(arrays.actions))
            rows.setdefault(cells, []).append(task_id)
    lines = ["| id | observation | action | time limit |", "|---|---|---|---|"]
    for (_, observation, action), ids in rows.items():
        limits = dict.fromkeys(_limit(task_id) for task_id in ids)
        lines.append(f"| {', '.join(f'`{i}`' for i in ids)} | {observation} | {action} | {', '.join(limits)} |")
    return "".join(line + "\n" for line in lines)


def _limit(task_id: str) -> str:
    steps = find(task_id).max_episode_steps
    return f"{steps} steps" if steps else "none"


def _all(fields: tuple[Field, ...]) -> str:
    return "; ".join(map(_one, fields))


def _one(field: Field) -> str:
    """Describes an array: its contents, shape, dtype and, for an action, its range."""
    doc = re.sub(r" \* ", " · ", field.doc).replace("|", "\\|")
    if field.discrete and not field.shape:
        return f"{doc} (0 to {field.discrete - 1})"
    facts = " × ".join([*map(str, field.shape), str(field.dtype)])
    low, high = np.unique(field.low), np.unique(field.high)
    if field.name.startswith("action") and len(low) == len(high) == 1 and np.isfinite(low[0]):
        facts += f", {low[0]:g} to {high[0]:g}"
    return f"{doc} ({facts})"


def main() -> None:
    """Updates the page named on the command line."""
    page = Path(sys.argv[1])
    page.write_text(updated(page.read_text()))


if __name__ == "__main__":
    main()
