# SPDX-License-Identifier: Apache-2.0
"""Converts pages of the repository to pages of the site: changes links, copies tables, draws charts."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import charts

_LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_COPY = re.compile(r"^<!-- table: (\S+) \| (.+?) -->$", re.MULTILINE)
_CHART = re.compile(r"^<!-- chart: (\S+) \| (.+?) \| (.+?) \| (.+?) -->$", re.MULTILINE)
_MOVED = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def _target(path: str, root: Path) -> str | None:
    """Returns the site's path for a path of the repository; None if the file exists but has no page."""
    if path in _MOVED:
        return _MOVED[path]
    if path.startswith("docs/") and (root / path).is_file():
        return path.removeprefix("docs/")
    if path.startswith("examples/") and (root / path).exists():
        return "examples.md#" + anchor(Path(path).name)
    if (root / path).exists():
        return None
    raise SystemExit(f"docs: a page links to {path!r}, which does not exist")


def anchor(heading: str) -> str:
    """Returns a heading's anchor, as code hosts and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _outside_code(text: str, change: re.Pattern[str], by: object) -> str:
    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [change.sub(by, text[end : fence.start()]), fence[0]]  # type: ignore[call-overload]
        end = fence.end()
    return "".join([*parts, change.sub(by, text[end:])])  # type: ignore[call-overload]


def turn_links(text: str, page: str, root: Path) -> str:
    """Turns a page's links to files of the repository into links to pages of the site."""

    def turned(match: re.Match[str]) -> str:
        label, link = match.groups()
        if re.match(r"[a-z]+:|#", link):
            return match[0]
        path, _, fragment = link.partition("#")
        target = _target(os.path.normpath(os.path.join(os.path.dirname(page), path)), root)
        if target is None:
            return label[1:-1]
        return f"{label}({target}{'#' + fragment if fragment else ''})"

    return _outside_code(text, _LINK, turned)


def _examples(root: Path) -> str:
    text = "# Examples\n\nThese are complete programs from the folder `examples/` of the repository.\n"
    for path in sorted((root / "examples").glob("*.py")):
        text += f"\n## {path.name}\n\n````python\n{path.read_text()}````\n"
    package = root / "examples" / "plugin_package"
    text += "\n## plugin_package\n\nThis is a separate package that contains an environment.\n"
    kinds = {".py": "python", ".h": "cpp", ".cc": "cpp", ".toml": "toml", ".txt": "cmake", ".md": "markdown"}
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.suffix in kinds and "__pycache__" not in path.parts:
            name = path.relative_to(package)
            text += f"\n### {name}\n\n````{kinds[path.suffix]}\n{path.read_text()}````\n"
    return text


def stage(root: Path, source: Path, families: list[str], contents: str) -> None:
    """Writes all pages except the families' into `source`.

    Args:
        root: the folder of the repository.
        source: the folder that Sphinx reads.
        families: the paths of the families' pages, without suffix.
        contents: the tables of contents for the front page.
    """
    docs = root / "docs"
    for path in [*docs.glob("*.md"), *(root / name for name in _MOVED)]:
        page = str(path.relative_to(root))
        text = turn_links(path.read_text(), page, root)
        text = _COPY.sub(lambda match: charts.table_text(root / match[1], match[2]), text)
        text = _CHART.sub(lambda match: charts.chart(root, source, *match.groups()), text)
        if page == "docs/index.md":
            text += contents
        elif page == "docs/environments.md":
            for family in families:
                name = family.split("/")[1]
                see = f"\n[Ids, options, arrays and images]({family}.md)\n"
                text, count = re.subn(
                    rf"^## {name}$", lambda head, see=see: f"{head[0]}\n{see}", text, flags=re.MULTILINE
                )
                if not count:
                    text += f"\n## {name}\n{see}"
        (source / _MOVED.get(page, path.name)).write_text(text)
    for kind in ("png", "gif", "svg", "webp"):
        for path in docs.glob(f"*.{kind}"):
            shutil.copy(path, source)
    shutil.copy(docs / "site" / "api.md", source)
    (source / "examples.md").write_text(_examples(root))
