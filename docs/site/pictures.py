# SPDX-License-Identifier: Apache-2.0
"""Draws an animation of each environment of a family.

If an environment cannot be rendered, because a package or OpenGL is missing, its observation is drawn: a grid as cells,
and any other observation as curves over the steps, one for each of its numbers.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import envpool
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.python.spaces import ArraySpecs

BEFORE, FRAMES, STEPS = 16, 12, 2  # steps before the first frame, frames, and steps between two of them
SEED = 7
SIDE = 176  # pixels of the longer side
CAPTION = "The environments play random actions."
_COLORS = [(31, 111, 139), (224, 164, 88), (176, 58, 72), (82, 130, 76), (120, 94, 160), (90, 100, 110)]


def name_of(task_id: str) -> str:
    """Returns an id without its version; the versions of an environment share an image."""
    return re.sub(r"-(v\d+|MinAtar|misc|bsuite)$", "", task_id.split("/")[-1])


def animate(ids: list[str], folder: Path) -> list[tuple[str, str, str]]:
    """Writes an animation of each environment, and returns their names, ids and files. Versions share an animation."""
    first: dict[str, str] = {}
    for task_id in ids:
        first.setdefault(name_of(task_id), task_id)
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, task_id in first.items():
        file = f"{name}.webp"
        frames = _frames(task_id)
        frames[0].save(
            folder / file, save_all=True, append_images=frames[1:], duration=110, loop=0, quality=55, method=3
        )
        made.append((name, task_id, file))
    return made


def _frames(task_id: str) -> list[Image.Image]:
    if Construction(find(task_id), {}).can_render:
        try:
            frames, _ = _played(task_id, render_mode="rgb_array", **_camera(task_id))
        except (ImportError, RuntimeError) as error:  # OpenGL may be missing
            print(f"{task_id}: cannot be rendered, so its observation is drawn: {error}")
        else:
            return frames
    seen = _played(task_id)[1]
    last = seen[-1]
    if last.ndim >= 2 and min(last.shape[:2]) > 1:
        return [_cells(grid, SIDE, SIDE) for grid in seen[BEFORE::STEPS]]
    return [_curves(np.stack([entry.reshape(-1) for entry in seen]), SIDE, SIDE)]


def _camera(task_id: str) -> dict[str, Any]:
    """Returns options with which MuJoCo's camera follows the robot and rendering is fast; {} for other families."""
    registration = find(task_id)
    if registration.family != "mujoco":
        return {}
    options: dict[str, Any] = {"render_width": SIDE, "render_height": SIDE, "shadow_size": 0}
    for camera in ({"camera_name": "track"}, {"render_camera_id": 1 if name_of(task_id) == "DogFetch" else 0}):
        try:
            Construction(find(task_id), {"render_mode": "rgb_array", **camera})
        except (ValueError, RuntimeError):
            continue
        return {**options, **camera}
    return options


def _played(task_id: str, **options: Any) -> tuple[list[Image.Image], list[np.ndarray[Any, Any]]]:
    """Returns frames, if there is a render mode, and the observations of all steps."""
    arrays = Construction(find(task_id), {}).arrays
    frames = []
    with envpool.make(task_id, num_envs=1, num_threads=1, seed=SEED, **options) as env:
        obs, info = env.reset()
        seen = [_one(obs)]
        env.action_space.seed(SEED)
        for step in range(BEFORE + FRAMES * STEPS):
            if options and step >= BEFORE and (step - BEFORE) % STEPS == 0:
                frames.append(_small(env.render()[0]))
            obs, *_, info = env.step(_actions(env, arrays, info))
            seen.append(_one(obs))
    return frames, seen


def _small(image: np.ndarray[Any, Any]) -> Image.Image:
    picture = Image.fromarray(image)
    picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    return picture


def _actions(env: Any, arrays: ArraySpecs, info: dict[str, Any]) -> Any:
    """Returns a random action for each player, or for all of them; a legal one if there is a mask."""
    rows = int(env.players()[0]) if arrays.actors > 1 else 1
    masks = info["action_mask"].astype(np.int8) if "action_mask" in info else [None] * rows
    samples = [env.action_space.sample(mask) for mask in masks]
    if isinstance(samples[0], dict):
        return {key: np.stack([np.asarray(sample[key]) for sample in samples]) for key in samples[0]}
    kind = arrays.actions[0].dtype
    return np.stack([np.asarray(sample, kind) for sample in samples])


def _one(observation: Any) -> np.ndarray[Any, Any]:
    """Returns the first row of the first array."""
    while isinstance(observation, dict):
        observation = next(iter(observation.values()))
    return np.asarray(observation[0])


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
