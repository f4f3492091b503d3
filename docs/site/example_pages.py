# SPDX-License-Identifier: Apache-2.0
"""Writes the table of the examples, and a page with the source of each."""

from __future__ import annotations

import ast
import html
import re
from pathlib import Path

PACKAGE = "plugin_package"

# The sections of the table. An image is a figure of the training pages or an animation of an environment.
_LIBRARY = "families/classic_control/CartPole.webp"
SECTIONS: list[tuple[str, dict[str, str]]] = [
    (
        "First steps",
        {
            "demo.py": "hundred_pongs.png",
            "async_actors.py": "families/atari/Pong.webp",
            "overlap.py": "families/mujoco/Ant.webp",
            PACKAGE: "",
        },
    ),
    (
        "Training, each in one file",
        {
            "ppo_atari.py": "pong_ppo.png",
            "pqn_atari.py": "minatar_breakout_pqn.png",
            "ppo_mujoco.py": "half_cheetah_ppo.png",
            "ppo_jax.py": "cartpole_64_seeds.png",
            "ppo_tag_jax.py": "tag_jax.png",
            "selfplay_atari.py": "pong_selfplay.png",
            "alphazero_jax.py": "connect_four_alphazero.png",
            "ued_maze.py": "ued_maze.png",
            "ppo_device.py": "tag_ppo.gif",
            "cleanrl_style.py": "families/atari/Breakout.webp",
        },
    ),
    (
        "Training with a library",
        {
            "sb3_ppo.py": _LIBRARY,
            "tianshou_ppo.py": _LIBRARY,
            "rl_games_ppo.py": _LIBRARY,
            "torchrl_ppo.py": _LIBRARY,
            "sample_factory_ppo.py": _LIBRARY,
            "skrl_ppo.py": _LIBRARY,
            "rllib_ppo.py": _LIBRARY,
        },
    ),
]
_KINDS = {".py": "python", ".h": "cpp", ".cc": "cpp", ".toml": "toml", ".txt": "cmake", ".md": "markdown"}


def page_of(path: Path) -> str:
    """Returns the page of a file in the folder of the examples."""
    return f"examples/{PACKAGE if PACKAGE in path.parts else path.stem}.md"


def write(root: Path, source: Path) -> None:
    """Writes `examples.md` and a page for each example into the folder that Sphinx reads."""
    folder = root / "examples"
    (source / "examples").mkdir()
    names = {path.name for path in folder.glob("*.py")}
    known = {name for _, section in SECTIONS for name in section}
    sections = [*SECTIONS, ("Code that examples share", dict.fromkeys(sorted(names - known), ""))]
    text = "# Examples\n\nThese are complete programs from the folder `examples/` of the repository.\n"
    for title, section in sections:
        text += f'\n## {title}\n\n<div class="examples">\n'
        for name, image in section.items():
            page = page_of(Path(name)).removesuffix(".md")
            shown = (
                f'<img src="{image}" alt="Image for {name}" loading="lazy">'
                if image and (source / image).is_file()
                else ""
            )
            text += (
                f'<a href="{page}.html">{shown}<b>{name}</b><span>{html.escape(sentence(folder, name))}</span></a>\n'
            )
        text += "</div>\n"
    listed = "\n".join(f"examples/{name}" for name in sorted({*(Path(n).stem for n in names), PACKAGE}))
    (source / "examples.md").write_text(f"{text}\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n")
    for name in names:
        code = (folder / name).read_text()
        (source / page_of(Path(name))).write_text(f"# {name}\n\n{sentence(folder, name)}\n\n````python\n{code}````\n")
    (source / page_of(Path(PACKAGE))).write_text(_package(folder / PACKAGE))


def sentence(folder: Path, name: str) -> str:
    """Returns the first sentence of an example's docstring."""
    if name == PACKAGE:
        return "A separate package that contains an environment."
    text = ast.get_docstring(ast.parse((folder / name).read_text())) or ""
    return re.sub(r"\s+", " ", text.split("\n\n")[0]).replace("`", "")


def _package(folder: Path) -> str:
    text = f"# {PACKAGE}\n\n{sentence(folder, PACKAGE)}\n"
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _KINDS and "__pycache__" not in path.parts:
            text += f"\n## {path.relative_to(folder)}\n\n````{_KINDS[path.suffix]}\n{path.read_text()}````\n"
    return text
