# SPDX-License-Identifier: Apache-2.0
"""Makes the figures of the README: an animation of sixteen environments, a chart of ratios of speeds, and badges.

    make figures

docs/environments.webp shows environments of several families under random actions, which SEED determines.
docs/ratios.svg shows numbers from tables in docs/, so update these tables first. The badges show values of
pyproject.toml.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import charts
import numpy as np
import tomllib
from PIL import Image

import envpool

ROOT = Path(__file__).resolve().parents[2]
SEED = 3
FRAMES, STEPS, MILLISECONDS = 48, 2, 90  # frames of the animation, steps between two of them, duration of each
TILE, GAP, COLUMNS = (150, 150), 6, 8
DARK = (24, 28, 36)

SMALL = {"render_width": 168, "render_height": 168, "shadow_size": 0}  # for MuJoCo: shadows are slow to draw

# Each entry: the id, its options, and the number of steps before the first frame.
SHOWN: list[tuple[str, dict[str, Any], int]] = [
    ("Breakout-v5", {}, 40),
    ("HalfCheetah-v5", SMALL, 20),
    ("MiniGrid-LockedRoom-v0", {}, 0),
    ("SpaceInvaders-v5", {}, 60),
    ("CartPole-v1", {}, 0),
    ("MsPacman-v5", {}, 80),
    ("Ant-v5", SMALL, 10),
    ("TagContinuous-v0", {"num_taggers": 5, "num_runners": 60}, 0),
    ("WalkerRun-v1", SMALL, 0),
    ("MinAtar/Freeway-v0", {}, 0),
    ("Qbert-v5", {}, 60),
    ("Acrobot-v1", {}, 0),
    ("Enduro-v5", {}, 60),
    ("BabyAI-BossLevel-v0", {}, 0),
    ("Humanoid-v5", {**SMALL, "camera_name": "track"}, 0),
    ("Riverraid-v5", {}, 60),
]


def film(task_id: str, options: dict[str, Any], before: int) -> list[Image.Image]:
    """Returns the frames of an environment under random actions."""
    frames = []
    with envpool.make(task_id, num_envs=1, num_threads=1, seed=SEED, render_mode="rgb_array", **options) as env:
        env.reset()
        env.action_space.seed(SEED)
        for step in range(before + FRAMES * STEPS):
            if step >= before and (step - before) % STEPS == 0:
                frames.append(tile(env.render()[0]))
            rows = int(env.players()[0]) if env.spec.arrays.actors > 1 else 1
            env.step(np.stack([np.asarray(env.action_space.sample()) for _ in range(rows)]))
    return frames


def tile(image: np.ndarray[Any, Any]) -> Image.Image:
    """Returns an image scaled and cropped at its centre to fill a tile."""
    picture = Image.fromarray(image)
    scale = max(TILE[0] / picture.width, TILE[1] / picture.height)
    smaller = scale < 1 or picture.width == 160
    size = math.ceil(picture.width * scale), math.ceil(picture.height * scale)
    picture = picture.resize(size, Image.Resampling.LANCZOS if smaller else Image.Resampling.NEAREST)
    left, top = (picture.width - TILE[0]) // 2, (picture.height - TILE[1]) // 2
    return picture.crop((left, top, left + TILE[0], top + TILE[1]))


def animation(path: Path) -> None:
    """Writes the animation."""
    films = [film(*entry) for entry in SHOWN]
    rows = math.ceil(len(films) / COLUMNS)
    width, height = (count * (side + GAP) + GAP for count, side in zip((COLUMNS, rows), TILE, strict=True))
    pages = []
    for index in range(FRAMES):
        page = Image.new("RGB", (width, height), DARK)
        for at, frames in enumerate(films):
            row, column = divmod(at, COLUMNS)
            page.paste(frames[index], (GAP + column * (TILE[0] + GAP), GAP + row * (TILE[1] + GAP)))
        pages.append(page)
    pages[0].save(path, save_all=True, append_images=pages[1:], duration=MILLISECONDS, loop=0, quality=60, method=4)


# Each entry is a row of the chart: its name and, for each peer, where the ratio is: the page, and the header, row and
# column of a table in it.
_RUN = ("docs/benchmark.md", "steps/s | EnvPool")
_GAMES = ("docs/atari_speed.md", "CPU µs per step")
_WORLDS = ("docs/performance.md", "over EnvPool")
_JIT = ("docs/jax.md", "ratio (least, most)")
RATIOS: list[tuple[str, dict[str, tuple[str, str, str, str]]]] = [
    (
        "CartPole: 1,024 environments, 1 thread",
        {
            "EnvPool": (*_RUN, "CartPole, 1,024", "EnvPool"),
            "gymnasium": (*_RUN, "CartPole, 1,024", "gymnasium Sync"),
            "gymnasium in NumPy": (*_RUN, "CartPole, 1,024", "NumPy"),
            "gymnax": (*_RUN, "CartPole, 1,024", "gymnax"),
        },
    ),
    (
        "Pong: 100 environments, 2 threads",
        {
            "EnvPool": (*_GAMES, "Pong", "× EnvPool"),
            "ale-py": (*_GAMES, "Pong", "× ale-py"),
            "gymnasium": (*_GAMES, "Pong", "× gymnasium"),
        },
    ),
    (
        "Twenty Atari games, geometric mean",
        {
            "EnvPool": (*_GAMES, "geometric mean", "× EnvPool"),
            "ale-py": (*_GAMES, "geometric mean", "× ale-py"),
            "gymnasium": (*_GAMES, "geometric mean", "× gymnasium"),
        },
    ),
    (
        "HalfCheetah: 32 environments, 2 threads",
        {
            "EnvPool": (*_RUN, "HalfCheetah, 32", "EnvPool"),
            "gymnasium": (*_RUN, "HalfCheetah, 32", "gymnasium Sync"),
        },
    ),
    (
        "MiniGrid DoorKey: 128 environments, 1 thread",
        {
            "EnvPool": (*_WORLDS, "MiniGrid-DoorKey-8x8-v0, 128 environments", "over EnvPool"),
            "gymnasium": (*_WORLDS, "MiniGrid-DoorKey-8x8-v0, 128 environments", "over gymnasium"),
        },
    ),
    (
        "LunarLander: 128 environments, 1 thread",
        {
            "EnvPool": (*_WORLDS, "LunarLander-v3, 128 environments", "over EnvPool"),
            "gymnasium": (*_WORLDS, "LunarLander-v3, 128 environments", "over gymnasium"),
        },
    ),
    ("In jax.jit: CartPole, 2,048 environments", {"gymnax": (*_JIT, "CartPole-v1", "ratio (least, most)")}),
    (
        "In jax.jit: DiscountingChain, our slowest",
        {"gymnax": (*_JIT, "DiscountingChain-bsuite", "ratio (least, most)")},
    ),
]
PEERS = {
    "EnvPool": "#1f6f8b",
    "ale-py": "#7b5ea7",
    "gymnasium": "#e0a458",
    "gymnasium in NumPy": "#b5763a",
    "gymnax": "#5a9367",
}


def _cell(page: str, head: str, row: str, column: str) -> str:
    """Returns the first number in a cell of a table in the repository."""
    header, _, *body = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in charts.table_text(ROOT / page, head).splitlines()
    ]
    cells = next(cells for cells in body if cells[0].strip("*` ") == row)
    match = re.search(r"[\d.,]+", cells[header.index(column)])
    assert match, f"{page}: no number in the row {row!r}, column {column!r}"
    return match[0]


def chart(path: Path) -> None:
    """Draws the ratios on a logarithmic scale, as bars that begin at 1, the speed of the peer.

    The chart is narrow, so that its letters can be read on a phone. The name of a group is above its bars.
    """
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "envpool"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5.2, 7.6), layout="constrained", facecolor="white")
    at = 0.0
    for name, peers in RATIOS:
        axes.text(1.06, at + 0.1, name, va="center", fontsize=9.5, color="#28303c", weight="bold", zorder=3)
        at += 1
        for peer, cell in peers.items():
            text = _cell(*cell)
            ratio = float(text.replace(",", ""))
            axes.barh(at, ratio - 1, 0.8, left=1, color=PEERS[peer], zorder=2)
            axes.text(
                max(ratio, 1) * 1.06, at, f"{text}×  {peer}", va="center", fontsize=8.5, color="#28303c", zorder=3
            )
            at += 1
        at += 0.4
    axes.axvline(1, color="#28303c", linewidth=1.4, zorder=3)
    axes.set_xscale("log")
    axes.set_xlim(0.5, 2500)
    axes.set_xticks([1, 10, 100, 1000], ["1×: as fast as\nthe other library", "10×", "100×", "1000×"])
    axes.set_yticks([])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3, zorder=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel("steps per second, divided by the other library's")
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def badges() -> dict[str, tuple[str, str]]:
    """Returns the badges: the label and the text of each, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = {entry.split(" :: ")[0]: entry.split(" :: ")[-1] for entry in project["classifiers"]}
    return {
        "status": ("status", known["Development Status"].partition(" - ")[2].lower()),
        "license": ("license", project["license"]),
        "python": ("python", project["requires-python"].replace(">=", "≥ ")),
        "platform": ("platform", known["Operating System"]),
    }


def badge(label: str, text: str) -> str:
    """Returns a badge as SVG."""
    left, right = 7 * len(label) + 12, 7 * len(text) + 12
    font = 'font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img">'
        f"<title>{label}: {text}</title>"
        f'<rect width="{left + right}" height="20" rx="3" fill="#1f6f8b"/>'
        f'<path d="M3 0H{left}V20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#4a5260"/>'
        f'<g fill="#fff" {font}><text x="{left / 2:g}" y="14">{label}</text>'
        f'<text x="{left + right / 2:g}" y="14">{text}</text></g></svg>\n'
    )


def drawn(folder: Path) -> None:
    """Writes the figures other than the animation to a folder."""
    for name, words in badges().items():
        (folder / f"badge_{name}.svg").write_text(badge(*words))
    chart(folder / "ratios.svg")


def check(folder: Path) -> None:
    """Draws the figures into `folder`, and exits with an error if they differ from those in docs/."""
    folder.mkdir()
    drawn(folder)
    for path in folder.iterdir():
        if path.read_bytes() != (ROOT / "docs" / path.name).read_bytes():
            raise SystemExit(f"docs: docs/{path.name} is out of date; `make figures` draws it again")


def main() -> None:
    """Writes the figures to docs/."""
    drawn(ROOT / "docs")
    animation(ROOT / "docs" / "environments.webp")


if __name__ == "__main__":
    main()
