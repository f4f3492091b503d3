# SPDX-License-Identifier: Apache-2.0
"""Draws charts of tables in the repository's pages."""

from __future__ import annotations

import re
from pathlib import Path

_COLORS = ("#1f6f8b", "#e0a458", "#9aa5b1")


def _rows(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table_text(page: Path, head: str) -> str:
    """Returns the text of the first table of a page whose header contains `head`."""
    lines = page.read_text().splitlines()
    for at, line in enumerate(lines):
        if line.startswith("|") and head in line and lines[at + 1].startswith("|-"):
            end = at
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            return "\n".join(lines[at:end])
    raise SystemExit(f"docs: {page} has no table with {head!r} in its header")


def _number(cell: str) -> float | None:
    """Returns a cell's number, or None."""
    match = re.fullmatch(r"[\d,.]+", cell.replace("*", ""))
    return float(match[0].replace(",", "")) if match else None


def chart(root: Path, source: Path, page: str, head: str, columns: str, label: str) -> str:
    """Draws columns of a table as bars, and returns the Markdown line that shows the chart."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "envpool"
    from matplotlib import pyplot

    header, _, *body = [_rows(line) for line in table_text(root / page, head).splitlines()]
    wanted = [name.strip() for name in columns.split(",")]
    at = [header.index(name) for name in wanted]
    rows = [row for row in body if not row[0].startswith("**") and all(_number(row[i]) is not None for i in at)]
    if not rows:
        raise SystemExit(f"docs: no numbers under {columns!r} in {page}")
    names = [row[0].strip("`") for row in rows]
    figure, axes = pyplot.subplots(figsize=(8, 1.1 + 0.06 * len(rows) * (len(wanted) + 1)), layout="constrained")
    values = [[_number(row[column]) for row in rows] for column in at]
    flat = [value for column in values for value in column]
    spread = max(flat) / max(min(flat), 1e-9) > 50  # too far apart for bars, so draw points on a logarithmic scale
    height = 0 if spread else 0.84 / len(wanted)
    for index, (name, lengths) in enumerate(zip(wanted, values, strict=True)):
        places = [row + index * height for row in range(len(rows))]
        color = _COLORS[index % len(_COLORS)]
        if spread:
            axes.scatter(lengths, places, 28, color, label=name, zorder=3)
        else:
            axes.barh(places, lengths, height, label=name, color=color)
    if spread:
        axes.set_xscale("log")
        axes.hlines(range(len(rows)), min(flat) / 1.2, max(flat) * 1.2, color="#e3e7ec", linewidth=1)
    axes.set_yticks([row + height * (len(wanted) - 1) / 2 for row in range(len(rows))], names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.margins(y=0.01)
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, ncols=len(wanted), loc="lower right", bbox_to_anchor=(1, 1))
    name = f"chart_{Path(page).stem}_{re.sub(r'[^a-z]+', '_', head.lower()).strip('_')}.svg"
    figure.savefig(source / name, metadata={"Date": None})
    pyplot.close(figure)
    return f"![{label}: {columns}]({name})"
