# SPDX-License-Identifier: Apache-2.0
"""Draws the way of one step through the rooms of the engine: in a pool, inside jax.jit and on a GPU.

    python docs/site/step_pictures.py

It writes docs/step_pool.svg, docs/step_jit.svg and docs/step_gpu.svg, which docs/architecture.md shows. The rooms are the
same in all three; what a room does in a step is in CALLS.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parents[1]
ROOMS = {
    "program": ("your program", ""),
    "python": ("Python", "envpool/python, jax, cuda"),
    "bindings": ("bindings", "envpool/bindings"),
    "driver": ("driver", "who calls, and on which thread"),
    "episodes": ("episodes", "envpool/core/table"),
    "environment": ("environment", "one C++ header"),
}
COLORS = {
    "program": "#f3f4f6",
    "python": "#fdf1dc",
    "bindings": "#fdf1dc",
    "driver": "#e8eefc",
    "episodes": "#e8eefc",
    "environment": "#e6f4ea",
}
WIDTH, ROOM, TOP, ROW = 1200, 200, 84, 46


class Call(NamedTuple):
    """An arrow from one room to another, or work inside one room if both are the same."""

    source: str
    target: str
    text: str
    where: str = ""  # the files that do it


CALLS: dict[str, tuple[str, dict[str, str], list[Call]]] = {
    "step_pool": (
        "One step of a pool on a CPU",
        {"driver": "core/pool: the caller and workers"},
        [
            Call("program", "python", "env.step(actions)"),
            Call("python", "bindings", "one call with NumPy arrays", "envpool.py"),
            Call("bindings", "bindings", "check shape, dtype, range", "arguments.h"),
            Call("bindings", "driver", "send: actions and ids", "action_store.h, action_queue.h"),
            Call("driver", "driver", "threads take several ids at once", "scheduler.h"),
            Call("driver", "episodes", "step(range of environments)", "plugin.h: the C table"),
            Call("episodes", "environment", "step, one by one or in SIMD lanes", "rows.h, in_lanes.h"),
            Call("episodes", "episodes", "time limit, discount", "episode.h"),
            Call("episodes", "environment", "observe, and reset if it restarts", "turn.h"),
            Call("environment", "driver", "rows, written in place into the block", "block.h"),
            Call("driver", "bindings", "recv: the full block", "result_blocks.h, statistics.h"),
            Call("bindings", "program", "NumPy views of the block", "layout.py"),
        ],
    ),
    "step_jit": (
        "One step inside jax.jit on a CPU",
        {"driver": "XLA: the compiled program"},
        [
            Call("program", "python", "step(key, state, ...), traced"),
            Call("python", "driver", "an XLA call, compiled into the program", "jax/calls.py, jax/ffi.py"),
            Call("driver", "bindings", "the handler, at each step", "jax/pure.cc"),
            Call("bindings", "bindings", "check actions and states' sizes", "jax/pure_call.h"),
            Call("bindings", "episodes", "step(rows), divided among threads", "plugin.h: the C table"),
            Call("episodes", "episodes", "copy states, check parameters", "pure.h, row_params.h"),
            Call("episodes", "environment", "step, one by one or in SIMD lanes", "rows.h, in_lanes.h"),
            Call("episodes", "episodes", "time limit, discount", "episode.h"),
            Call("episodes", "environment", "observe, and reset if it restarts", "turn.h"),
            Call("environment", "driver", "rows, written in place into XLA's arrays"),
            Call("driver", "program", "obs, state, reward, done, info"),
        ],
    ),
    "step_gpu": (
        "One step on a GPU, of a pool or inside jax.jit",
        {"driver": "CUDA: a kernel, compiled by NVRTC"},
        [
            Call("program", "python", "env.step(actions), or a step inside jax.jit"),
            Call("python", "bindings", "arrays on the GPU, by address", "cuda/pool.py, jax/calls.py"),
            Call("bindings", "bindings", "raise faults of earlier steps", "gpu/states.cc, gpu/xla.cc"),
            Call("bindings", "driver", "launch on the stream of the caller", "gpu/launches.cc, gpu/xla.cc"),
            Call("driver", "episodes", "a thread for each environment or player", "kernel.h"),
            Call("episodes", "episodes", "check actions and parameters", "launch_params.h, tunables.h"),
            Call("episodes", "environment", "step, or phases with barriers between them"),
            Call("episodes", "episodes", "time limit, discount", "episode.h"),
            Call("episodes", "environment", "observe, and reset if it restarts", "turn.h"),
            Call("environment", "driver", "rows, which a warp writes together", "device_rows.h"),
            Call("driver", "program", "arrays that stay on the GPU (DLPack, or XLA's)", "gpu/borrow.cc"),
        ],
    ),
}


def middle(room: str) -> float:
    """Returns the x coordinate of a room's line."""
    return ROOM * (list(ROOMS).index(room) + 0.5)


def picture(title: str, subtitles: dict[str, str], calls: list[Call]) -> str:
    """Returns a picture as SVG."""
    height = TOP + ROW * len(calls) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, '
        f'sans-serif" font-size="12.5" role="img" aria-label="{title}">',
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L10 5 L0 10 z" fill="#4a5568"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for room, (name, subtitle) in ROOMS.items():
        x, subtitle = middle(room), subtitles.get(room, subtitle)
        parts += [
            f'<line x1="{x}" y1="{TOP - 20}" x2="{x}" y2="{height - 12}" stroke="#cbd5e0" stroke-width="1.2"/>',
            f'<rect x="{x - 94}" y="12" width="188" height="50" rx="8" fill="{COLORS[room]}" stroke="#4a5568"/>',
            f'<text x="{x}" y="{34 if subtitle else 42}" text-anchor="middle" font-weight="bold">{name}</text>',
            f'<text x="{x}" y="51" text-anchor="middle" font-size="10" fill="#4a5568">{subtitle}</text>',
        ]
    for number, call in enumerate(calls, 1):
        parts += arrow(number, call, TOP + ROW * number - 16)
    return "\n".join([*parts, "</svg>", ""])


def arrow(number: int, call: Call, y: float) -> list[str]:
    """Returns the arrow of a call with its texts, which stand above and below it."""
    start, end = middle(call.source), middle(call.target)
    if call.source == call.target:
        path, x = f"M{start} {y - 8} h26 v14 h-22", start + 34
        anchor = "start"
        if x > WIDTH - ROOM * 1.2:
            path, x, anchor = f"M{start} {y - 8} h-26 v14 h22", start - 34, "end"
        above, below = y - 4, y + 9
    else:
        path, x, anchor = f"M{start} {y} H{end}", (start + end) / 2, "middle"
        above, below = y - 8, y + 13
    return [
        f'<path d="{path}" stroke="#4a5568" stroke-width="1.5" fill="none" marker-end="url(#arrow)"/>',
        text(x, above, anchor, f"{number}. {call.text}", 12.5, "#1a202c"),
        *([text(x, below, anchor, call.where, 10.5, "#4a5568")] if call.where else []),
    ]


def text(x: float, y: float, anchor: str, words: str, size: float, color: str) -> str:
    """Returns a text with a white border, so that it can be read where it crosses a line."""
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="{color}" stroke="#ffffff" '
        f'stroke-width="3" paint-order="stroke">{words}</text>'
    )


if __name__ == "__main__":
    for stem, (title, subtitles, calls) in CALLS.items():
        (DOCS / f"{stem}.svg").write_text(picture(title, subtitles, calls))
