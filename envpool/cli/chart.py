# SPDX-License-Identifier: Apache-2.0
"""Draws the chart of `envpool bench` with Pillow: one bar per side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

_WIDTH, _ROW, _MARGIN, _LABEL = 1100, 58, 32, 300
_INK, _FAINT, _OURS, _OTHER = "#1c1e21", "#6b7076", "#2563c9", "#a9b4c2"


def draw(result: dict[str, Any], path: Path) -> None:
    """Draws the result of `bench.record`. A bar ends at the median, and a line spans the quartiles."""
    sides = result["sides"]
    case = result["case"]
    height = _MARGIN * 2 + 84 + _ROW * len(sides)
    image = Image.new("RGB", (_WIDTH, height), "white")
    pen = ImageDraw.Draw(image)
    large, plain, small = (ImageFont.load_default(size) for size in (26, 19, 15))
    threads = f"{case['num_threads']} thread{'s' if case['num_threads'] > 1 else ''}"
    envs = f"{case['num_envs']} environment{'s' if case['num_envs'] > 1 else ''}"
    pen.text((_MARGIN, _MARGIN), f"{case['task']}: steps per second", _INK, large)
    pen.text((_MARGIN, _MARGIN + 36), f"{envs}, {threads}, random actions", _FAINT, plain)
    left, right = _MARGIN + _LABEL, _WIDTH - _MARGIN - 190
    most = max(side["steps_per_s"]["q3"] for side in sides.values())
    for row, side in enumerate(sides.values()):
        rate, over = side["steps_per_s"], side["ours_over"]
        top = _MARGIN + 78 + row * _ROW
        middle = top + 18
        pen.text((left - 14, middle), side["label"], _INK, plain, anchor="rm")
        end = left + max(2, round((right - left) * rate["median"] / most))
        pen.rectangle((left, top, end, top + 36), _OURS if row == 0 else _OTHER)
        low, high = (left + round((right - left) * rate[key] / most) for key in ("q1", "q3"))
        pen.line((low, middle, high, middle), _INK, 2)
        text = f"{rate['median']:,.0f}" + ("" if row == 0 else f"   ours {over['median']:.3g}x")
        pen.text((max(end, high) + 12, middle), text, _INK, plain, anchor="lm")
    machine = result["machine"]
    foot = (
        f"{machine['cpu']}, {machine['cores']} CPUs; {result['date']}; medians of {result['rounds']} interleaved turns"
    )
    pen.text((_MARGIN, height - _MARGIN), foot, _FAINT, small, anchor="ls")
    image.save(path)
