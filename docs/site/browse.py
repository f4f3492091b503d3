# SPDX-License-Identifier: Apache-2.0
"""Opens every page of the built site in a headless Chromium, follows every link, and takes screenshots.

    make docs-browse

The script checks that every link within the site leads to an existing page and anchor, every image is shown, nothing is
fetched from other sites, no script fails, no page is wider than its window on a desktop or a phone, and every page can
be reached from the first. It writes screenshots to build/docs/screenshots: of every page on a desktop, and of the pages
in the two upper levels and the README on a phone, too. The README is shown approximately as code hosts show it.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urlparse

from markdown_it import MarkdownIt
from playwright.sync_api import Page, TimeoutError, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}

# Loads the images that would wait until they are scrolled into view. Runs in the page, as LOOK does.
LOAD = """() => Promise.all([...document.querySelectorAll('img[loading=lazy]')].map(image => {
  image.loading = 'eager';
  return image.complete || new Promise(done => { image.onload = image.onerror = done; });
}))"""

LOOK = """() => ({
  links: [...document.querySelectorAll('a[href]')].map(a => a.href),
  ids: [...document.querySelectorAll('[id]')].map(e => e.id),
  broken: [...document.images].filter(i => i.getClientRects().length && !i.naturalWidth).map(i => i.src),
  nameless: [...document.images].filter(i => !i.alt).map(i => i.src),
  excess: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  title: document.title,
})"""


_README = """<!doctype html><html lang="en"><meta charset="utf-8"><title>README</title><base href="/">
<link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width">
<style>
body {{ margin: 0 auto; padding: 16px; max-width: 840px; font: 16px/1.5 sans-serif; color: #1f2328 }}
img {{ max-width: 100% }}
pre, code {{ background: #f3f4f6; font: 85% monospace }}
pre {{ padding: 14px; overflow: auto }}
table {{ display: block; overflow: auto; border-collapse: collapse }}
td, th {{ border: 1px solid #d1d9e0; padding: 6px 13px }}
</style>{body}</html>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without logging."""

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""


class Server(http.server.ThreadingHTTPServer):
    """Does not report that the browser has left a page whose images were still loading."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Reports an error, unless the connection was closed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def serve(folder: Path) -> str:
    """Serves the site on the loopback interface, and returns its address."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Walk:
    """The pages and links that have been visited.

    Attributes:
        ids: the anchors of each page.
        links: (origin, page, anchor) of each link within the site.
        wrong: the errors found, one per line.
    """

    def __init__(self, page: Page, base: str, pictures: Path | None) -> None:
        self.page = page
        self.base = base
        self.pictures = pictures
        self.ids: dict[str, set[str]] = {}
        self.links: set[tuple[str, str, str]] = set()
        self.wrong: list[str] = []
        self._here = ""
        page.on("console", self._said)
        page.on("pageerror", lambda error: self._note(f"script failed: {error}"))
        page.on("request", self._asked)
        page.on("response", self._check_status)

    def _note(self, what: str) -> None:
        self.wrong.append(f"{self._here}: {what}")

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self._note(f"console: {message.text}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:")):
            self._note(f"fetches {request.url}")

    def _check_status(self, response: Any) -> None:
        if response.status >= 400:
            self._note(f"{response.url} returns status {response.status}")

    def all(self) -> None:
        """Opens the first page and all pages that can be reached from it."""
        todo, seen = [self.base + "index.html"], set()
        while todo:
            url = todo.pop(0)
            if url in seen:
                continue
            seen.add(url)
            todo += sorted(self._open(url) - seen)
        for origin, url, place in sorted(self.links):
            if place and url in self.ids and place not in self.ids[url]:
                self.wrong.append(f"{origin}: links to {self._name(url)}#{place}, but there is no such anchor")

    def _name(self, url: str) -> str:
        return url.removeprefix(self.base)

    def _open(self, url: str) -> set[str]:
        """Checks one page, and returns the pages that it links to."""
        self._here = name = self._name(url)
        width, height = SIZES["desktop"]
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.goto(url, wait_until="load")
        self.page.evaluate(LOAD)
        seen = self.page.evaluate(LOOK)
        self.ids[url] = set(seen["ids"])
        for picture in seen["broken"]:
            self._note(f"does not show {picture}")
        for picture in seen["nameless"]:
            self._note(f"{picture} has no alternative text")
        if not seen["title"]:
            self._note("has no title")
        self._shoot(name, "desktop")
        self._width("desktop", seen["excess"])
        self.page.set_viewport_size(dict(zip(("width", "height"), SIZES["phone"], strict=True)))
        self._width("phone", self.page.evaluate(LOOK)["excess"])
        if name.count("/") < 2:
            self._shoot(name, "phone")
        found = set()
        for link in seen["links"]:
            target, place = urldefrag(link)
            if not target.startswith(self.base):
                if urlparse(target).scheme not in ("http", "https", "mailto"):
                    self._note(f"links to {link}")
                continue
            self.links.add((name, target, place))
            if target.endswith((".html", "/")):
                found.add(target + "index.html" if target.endswith("/") else target)
            elif self.page.request.get(target).status != 200:
                self._note(f"links to {self._name(target)}, which does not exist")
        return found

    def readme(self, page: Path) -> None:
        """Writes the README as a page, and checks and shows it. Its links are checked by pages_test.py."""
        text = (ROOT / "README.md").read_text()
        page.write_text(_README.format(body=MarkdownIt("commonmark").enable("table").render(text)))
        self._here = "README"
        self.base = serve(ROOT)
        for size, (width, height) in SIZES.items():
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.goto(self.base + str(page.relative_to(ROOT)), wait_until="load")
            seen = self.page.evaluate(LOOK)
            for picture in seen["broken"]:
                self._note(f"does not show {picture}")
            self._shoot("README", size)
            self._width(size, seen["excess"])

    def _width(self, where: str, excess: int) -> None:
        if excess > 0:
            self._note(f"is {excess} pixels too wide for a {where}")

    def _shoot(self, name: str, size: str) -> None:
        if self.pictures is None:
            return
        path = self.pictures / f"{name.replace('/', '_').removesuffix('.html')}_{size}.png"
        self.page.screenshot(path=path, full_page=True)


def find_browser() -> str | None:
    """Returns the path of a Chromium, or None: Playwright then uses its own."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def search(walk: Walk) -> None:
    """Checks that the site's search finds a word."""
    url = walk.base + "search.html"
    walk.ids[url] = set()
    walk.page.goto(url + "?q=autoreset", wait_until="load")
    try:
        walk.page.wait_for_selector("#search-results ul.search li a", timeout=10_000)
    except TimeoutError:
        walk.wrong.append("search.html: finds nothing for 'autoreset'")


# Filters of the gallery as they are in its address, an environment that fits, and one that does not.
FILTERS = [
    ("", "Pong", ""),
    ("ids=door+6x6", "MiniGrid-DoorKey-6x6", "MiniGrid-DoorKey-5x5"),
    ("ids=ale/pong-v5", "Pong", "Breakout"),
    ("family=mujoco&devices=pool", "Pusher", "Pong"),
    ("devices=gpu&action=continuous", "Pendulum", "CartPole"),
    ("players=several", "TagContinuous", "Taxi"),
]


def filter_gallery(walk: Walk) -> None:
    """Checks that the gallery's filters show and hide the right environments, from its address and when they are typed."""
    cards = "[...document.querySelectorAll('.gallery > a')].filter(a => a.getClientRects().length).map(a => a.innerText.trim())"
    for filters, fits, other in FILTERS:
        walk.page.goto("about:blank")  # otherwise a change after the "#" loads nothing
        walk.page.goto(f"{walk.base}environments.html#{filters}", wait_until="load")
        shown = walk.page.evaluate(cards)
        if fits not in shown or other in shown:
            walk.wrong.append(f"environments.html#{filters}: expected {fits} and not {other!r}, got {shown[:5]}")
    walk.page.goto(f"{walk.base}environments.html", wait_until="load")
    walk.page.fill(".filters input", "no such id")
    if walk.page.evaluate(cards):
        walk.wrong.append("environments.html: shows environments with the id 'no such id'")


def main() -> None:
    """Checks the built site and prints the errors; exits with 1 if there are any."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs")
    parser.add_argument("--no-screenshots", action="store_true", help="only check the pages")
    arguments = parser.parse_args()
    html, pictures = arguments.out / "html", arguments.out / "screenshots"
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir(parents=True)
    base = serve(html)
    with sync_playwright() as playwright:
        launch: Callable[..., Any] = playwright.chromium.launch
        browser = launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.set_default_timeout(120_000)  # for busy machines
        walk = Walk(page, base, None if arguments.no_screenshots else pictures)
        walk.all()
        search(walk)
        filter_gallery(walk)
        walk.readme(arguments.out.resolve() / "README.html")
        version = browser.version
        browser.close()
    reached = {url.removeprefix(base) for url in walk.ids}
    built = {str(path.relative_to(html)) for path in html.rglob("*.html") if "_static" not in path.parts}
    walk.wrong += [f"{name}: no page links to it" for name in sorted(built - reached)]
    for line in walk.wrong:
        print(line, file=sys.stderr)
    print(f"{len(reached)} pages, {len(walk.links)} links, Chromium {version}: {len(walk.wrong)} errors")
    sys.exit(bool(walk.wrong))


if __name__ == "__main__":
    main()
