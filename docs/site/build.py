# SPDX-License-Identifier: Apache-2.0
"""Builds the site: writes its pages to build/docs/source, from which Sphinx makes HTML in build/docs/html.

    make docs

The pages are docs/*.md, CONTRIBUTING.md and CHANGELOG.md with links changed for the site, the examples, and a page for
each registered family. The site's front page is index.md; the README is not part of the site. Warnings are errors.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import time
from pathlib import Path

import cpp_reference
import families
import figures
import gallery
import pages
import playable
from sphinx.cmd.build import main as sphinx

from tests.support.samples import DATE, of_today

ROOT = Path(__file__).resolve().parents[2]

_IMAGE = re.compile(r'<img src="([^":]+)"')

# The order of the pages, by section.
CONTENTS = {
    "Use": [
        "quick_start",
        "first_minutes",
        "libraries",
        "concepts",
        "recipes",
        "migration",
        "warpdrive",
        "jax",
        "gpu",
        "mujoco",
        "training",
        "ray",
        "examples",
    ],
    "Environments": ["environments", "write_your_own", "tutorial_world"],
    "Families": ["families/*"],
    "Reference": [
        "api",
        "cpp_reference",
        "performance",
        "benchmark",
        "atari_speed",
        "architecture",
        "contributing",
        "changelog",
    ],
}


def contents(names: list[str]) -> str:
    """Returns the hidden tables of contents of the front page, which define the site's navigation."""
    text = ""
    named = {entry for entries in CONTENTS.values() for entry in entries} | {"index"}
    more = sorted(path.stem for path in (ROOT / "docs").glob("*.md") if path.stem not in named)
    for caption, entries in [*CONTENTS.items(), *([("More", more)] if more else [])]:
        shown = "\n".join(name for entry in entries for name in (names if entry == "families/*" else [entry]))
        text += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{shown}\n```\n"
    return text


def copy_images(source: Path, html: Path) -> None:
    """Copies the images that pages show with HTML tags, because Sphinx does not copy those."""
    shown = [page.parent / name for page in source.rglob("*.md") for name in _IMAGE.findall(page.read_text())]
    for path in filter(Path.is_file, shown):
        target = html / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def main() -> None:
    """Builds the site, and exits with Sphinx's status."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs")
    parser.add_argument("--family", action="append", help="build only this family's page; may be repeated")
    parser.add_argument("--no-pictures", action="store_true", help="do not render the environments")
    parser.add_argument("--no-playable", action="store_true", help="do not compile environments to WebAssembly")
    parser.add_argument("--sample", action="store_true", help="do both only for a third of the families, by the date")
    arguments = parser.parse_args()
    source, html = arguments.out / "source", arguments.out / "html"
    shutil.rmtree(arguments.out, ignore_errors=True)
    (source / "families").mkdir(parents=True)
    (source / "_static").mkdir()
    for name in ("site.css", "gallery.js"):
        shutil.copy(ROOT / "docs" / "site" / name, source / "_static")
    for name in ("conf.py", "icon.svg"):
        shutil.copy(ROOT / "docs" / "site" / name, source)

    figures.check(arguments.out / "figures")
    started = time.monotonic()
    names, tiles = [], {}
    found = families.registered(arguments.family)
    overview = pages.Overview(ROOT, [family.name for family in found])
    shown = [family.name for family in found]
    if arguments.sample:
        shown = of_today(shown, 3, always=("classic_control",))  # on whose page replay.py plays
        print(f"ENVPOOL_TEST_DAY={DATE}: animated and playable are {', '.join(shown)}", flush=True)
    playing = not arguments.no_playable and playable.has_compiler()
    if playing:
        compiled = playable.families_of(
            task_id for family in found if family.name in shown for task_id in family.present
        )
        playable.write_static(ROOT, compiled, source / "_static")
        print(f"{len(compiled)} playable families in {time.monotonic() - started:.1f} s", flush=True)
    elif not arguments.no_playable:
        print("docs: Zig is not installed (pip install ziglang), so no environment can be played on the site")
    for family in found:
        comparison = overview.comparison(family.name)
        tiles[family.name] = families.write(
            ROOT,
            family,
            source / "families",
            comparison,
            animate=not arguments.no_pictures and family.name in shown,
            playable=playing and family.name in shown,
        )
        names.append(f"families/{family.name}")
        problem = f", some cannot be made: {family.absent}" if family.absent else ""
        print(f"{family.name}: {len(family.ids)} ids{problem}")
    print(f"families in {time.monotonic() - started:.1f} s", flush=True)
    (source / "cpp_reference.md").write_text(cpp_reference.page(ROOT))
    pages.stage(ROOT, source, overview, contents(names), gallery.page(tiles))
    status = sphinx(["-q", "-W", "--keep-going", "-j", "2", "-b", "html", str(source), str(html)])
    copy_images(source, html)
    sys.exit(status)


if __name__ == "__main__":
    main()
