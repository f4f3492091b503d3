# SPDX-License-Identifier: Apache-2.0
"""Converts pages of the repository to pages of the site: changes links, copies tables, draws charts."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import charts
import example_pages

_LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_COPY = re.compile(r"^<!-- table: (\S+) \| (.+?) -->$", re.MULTILINE)
_CHART = re.compile(r"^<!-- chart: (\S+) \| (.+?) \| (.+?) \| (.+?) -->$", re.MULTILINE)
_GENERATED = re.compile(r"^<!-- made by make generated: \w+ -->\n(?:\|.*\n)*", re.MULTILINE)
_MOVED = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def _target(path: str, root: Path) -> str | None:
    """Returns the site's path for a path of the repository; None if the file exists but has no page."""
    if path in _MOVED:
        return _MOVED[path]
    if path.startswith("docs/") and (root / path).is_file():
        return path.removeprefix("docs/")
    if path.startswith("examples/") and (root / path).exists():
        return example_pages.page_of(Path(path))
    if (root / path).exists():
        return None
    raise SystemExit(f"docs: a page links to {path!r}, which does not exist")


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


class Overview:
    """Reads docs/environments.md, whose sections about families become parts of the families' pages.

    Attributes:
        families: the names of the families that have a page.
    """

    def __init__(self, root: Path, families: list[str]) -> None:
        self.families = families
        self._root = root
        self._intro, *sections = re.split(r"^## ", (root / "docs" / "environments.md").read_text(), flags=re.MULTILINE)
        self._sections: dict[str, list[str]] = {}
        for section in sections:
            heading, _, text = section.partition("\n")
            name, _, rest = heading.partition(": ")
            title = f"### {rest[0].upper()}{rest[1:]}\n" if rest else ""
            self._sections.setdefault(name, []).append(title + _GENERATED.sub("", text))

    def comparison(self, family: str) -> str:
        """Returns the text about a family's reference, with links that work in a page in the families' folder."""
        text = "\n".join(self._sections.get(family, [])).strip()
        text = turn_links(text, "docs/environments.md", self._root)

        def from_folder(match: re.Match[str]) -> str:
            label, link = match.groups()
            if link.startswith("#"):
                return f"{label}(../environments.md)" if link[1:] in self._sections else match[0]
            return match[0] if re.match(r"[a-z]+:", link) else f"{label}(../{link})"

        return _outside_code(text, _LINK, from_folder)

    def page(self, gallery: str) -> str:
        """Returns the page with the gallery and the families.

        Args:
            gallery: HTML.
        """
        text = turn_links(self._intro, "docs/environments.md", self._root)
        table = turn_links(charts.table_text(self._root / "README.md", "| family |"), "README.md", self._root)
        for family in self.families:
            table = table.replace(f"| `{family}` |", f"| [{family}](families/{family}.md) |")
        absent = [family for family in self.families if f"[{family}]" not in table]
        more = "".join(f"| [{family}](families/{family}.md) | |\n" for family in absent)
        heading, _, rest = text.partition("\n")
        return f"{heading}\n\n{gallery}\n## Families\n\n{rest.strip()}\n\n{table}\n{more}"

    def turn(self, text: str) -> str:
        """Turns links to sections of families into links to their pages."""
        return re.sub(
            r"\(environments\.md#([a-z_0-9]+)[a-z_0-9-]*\)",
            lambda match: f"(families/{match[1]}.md)" if match[1] in self.families else "(environments.md)",
            text,
        )


def stage(root: Path, source: Path, overview: Overview, contents: str, gallery: str) -> None:
    """Writes all pages except the families' into `source`.

    Args:
        root: the folder of the repository.
        source: the folder that Sphinx reads.
        overview: the sections about families.
        contents: the tables of contents for the front page.
        gallery: HTML for the page of environments.
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
            text = overview.page(gallery)
        text = overview.turn(text)
        (source / _MOVED.get(page, path.name)).write_text(text)
    for kind in ("png", "gif", "svg", "webp"):
        for path in docs.glob(f"*.{kind}"):
            shutil.copy(path, source)
    shutil.copy(docs / "site" / "api.md", source)
    example_pages.write(root, source)
