# SPDX-License-Identifier: Apache-2.0
"""Draws one image with all environments of a family.

An environment without a render mode shows its observation: a grid as cells, and other observations as one curve per
number over the steps.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import envpool
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.python.spaces import ArraySpecs

STEPS = 40
SEED = 7
CAPTION = (
    f"The image shows the environments after {STEPS} steps of random actions. If an environment has no render mode, "
    "its observation is shown as cells, or as curves over the steps."
)
_COLORS = [(31, 111, 139), (224, 164, 88), (176, 58, 72), (82, 130, 76), (120, 94, 160), (90, 100, 110)]


def name_of(task_id: str) -> str:
    """Returns an id without its version; the versions of an environment share an image."""
    return re.sub(r"-(v\d+|MinAtar|misc|bsuite)$", "", task_id.split("/")[-1])


def sheet(family: str, ids: list[str], path: Path) -> list[str]:
    """Draws the image of a family, and returns the names on it."""
    first: dict[str, str] = {}
    for task_id in ids:
        first.setdefault(name_of(task_id), task_id)
    many = len(first) > 30
    width, height = (128, 136) if many else (190, 170)
    columns = min(8 if many else 4, len(first))
    rows = math.ceil(len(first) / columns)
    strip = 18
    page = Image.new("RGB", (columns * (width + 8) + 8, rows * (height + strip + 8) + 8), "white")
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(11 if many else 13)
    for index, (name, task_id) in enumerate(first.items()):
        left, top = 8 + index % columns * (width + 8), 8 + index // columns * (height + strip + 8)
        tile = _tile(task_id, width, height)
        page.paste(tile, (left + (width - tile.width) // 2, top + (height - tile.height) // 2))
        draw.text((left + width // 2, top + height + 3), name, fill=(40, 48, 60), font=font, anchor="mt")
    page.save(path, optimize=True)
    return list(first)


def _tile(task_id: str, width: int, height: int) -> Image.Image:
    if Construction(find(task_id), {}).can_render:
        try:
            picture, _ = _played(task_id, render_mode="rgb_array")
        except (ImportError, RuntimeError) as error:  # OpenGL may be missing
            print(f"{task_id}: cannot be rendered, so its observation is drawn: {error}")
        else:
            picture.thumbnail((width, height), Image.Resampling.LANCZOS)
            return picture
    return _drawn(_played(task_id)[1], width, height)


def _played(task_id: str, **options: Any) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """Returns the image after the last step, if there is a render mode, and the observations of all steps."""
    arrays = Construction(find(task_id), {}).arrays
    with envpool.make(task_id, num_envs=1, num_threads=1, seed=SEED, **options) as env:
        seen = [_one(env.reset()[0])]
        env.action_space.seed(SEED)
        for _ in range(STEPS):
            seen.append(_one(env.step(_actions(env, arrays))[0]))
        return Image.fromarray(env.render()[0]) if options else None, seen


def _actions(env: Any, arrays: ArraySpecs) -> Any:
    """Returns a random action for each player."""
    rows = int(env.players()[0]) if arrays.max_players > 1 else 1
    samples = [env.action_space.sample() for _ in range(rows)]
    if isinstance(samples[0], dict):
        return {key: np.stack([np.asarray(sample[key]) for sample in samples]) for key in samples[0]}
    kind = arrays.actions[0].dtype
    return np.stack([np.asarray(sample, kind) for sample in samples])


def _one(observation: Any) -> np.ndarray[Any, Any]:
    """Returns the first row of the first array."""
    while isinstance(observation, dict):
        observation = next(iter(observation.values()))
    return np.asarray(observation[0])


def _drawn(seen: list[np.ndarray[Any, Any]], width: int, height: int) -> Image.Image:
    last = seen[-1]
    if last.ndim >= 2 and min(last.shape[:2]) > 1:
        return _cells(last, width, height)
    return _curves(np.stack([entry.reshape(-1) for entry in seen]), width, height)


def _cells(grid: np.ndarray[Any, Any], width: int, height: int) -> Image.Image:
    """Draws each channel in its own colour, on light cells."""
    planes = grid.reshape(*grid.shape[:2], -1).astype(np.float64)
    planes = planes / max(planes.max(), 1e-9)
    colors = np.full((*grid.shape[:2], 3), 236.0)
    for channel in range(planes.shape[2]):
        share = planes[:, :, channel, None]
        colors = colors * (1 - share) + np.array(_COLORS[channel % len(_COLORS)]) * share
    scale = max(1, min(width // grid.shape[1], height // grid.shape[0]))
    pixels = np.kron(colors.astype(np.uint8), np.ones((scale, scale, 1), np.uint8))
    if scale >= 4:
        pixels[::scale] = 255
        pixels[:, ::scale] = 255
    picture = Image.fromarray(pixels)
    picture.thumbnail((width, height))
    return picture


def _curves(values: np.ndarray[Any, Any], width: int, height: int) -> Image.Image:
    """Draws the first eight numbers over the steps, on one scale."""
    values = np.nan_to_num(values[:, :8].astype(np.float64), posinf=0, neginf=0)
    low, high = values.min(), values.max()
    span = high - low or 1.0
    big = Image.new("RGB", (width * 2, height * 2), (247, 248, 250))
    draw = ImageDraw.Draw(big)
    for index in range(values.shape[1]):
        points = [
            (8 + (width * 2 - 16) * step / (len(values) - 1), height * 2 - 8 - (height * 2 - 16) * (value - low) / span)
            for step, value in enumerate(values[:, index])
        ]
        draw.line(points, fill=_COLORS[index % len(_COLORS)], width=3)
    return big.resize((width, height), Image.Resampling.LANCZOS)
