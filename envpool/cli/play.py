# SPDX-License-Identifier: Apache-2.0
"""`envpool play`: one environment, played with the keyboard."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

import envpool
from envpool.cli.common import Failure, need_image, parse_options, seconds_of, steps_per_second
from envpool.cli.keys import action_for
from envpool.cli.moves import Moves, waits


class HeadlessScreen(AbstractContextManager["HeadlessScreen"]):
    """A screen that shows nothing, with a keyboard on which no key is pressed."""

    def __exit__(self, *_: object) -> None:
        pass

    def keys(self) -> set[str]:
        """Returns no keys."""
        return set()

    def wants_image(self) -> bool:
        """Returns False."""
        return False


def play(
    task_id: str, option: Sequence[str], *, seed: int, frames: int, fps: float, terminal: bool, headless: bool
) -> None:
    """Plays until the user quits or `frames` steps are done; `app.py` describes the arguments."""
    if headless and not frames:
        raise Failure("--headless requires --frames")
    options = parse_options(option)
    if not headless:
        need_image(task_id, options)
    env = make(task_id, seed, options, headless=headless)
    rate = seconds_of("--fps", fps) if fps else steps_per_second(env.config)
    moves = Moves(env) if waits(env) else None
    action_of = action_for(env)
    total = score = gained = 0.0
    step = 0
    with open_screen(env, terminal=terminal, headless=headless) as screen:
        _, info = env.reset()
        over = False
        due = time.monotonic()
        while not frames or step < frames:
            keys = screen.keys()
            if "q" in keys:
                break
            if "r" in keys:
                _, info = env.reset()
                over, score, gained = False, 0.0, 0.0
            action = action_of(keys)
            if moves is not None:
                move = moves.first_legal(info) if headless else moves.made(keys, info)
                if move is None:
                    if screen.wants_image():
                        shown = status(task_id, score, gained, info, over=over, move=moves.status(info))
                        screen.show(env.render()[0], shown)
                    time.sleep(1 / 50)
                    continue
                action = np.array([move], np.int32)
            if over:  # this step begins the next episode
                score = 0.0
            _, reward, terminated, truncated, info = env.step(action)
            over, gained = bool(terminated[0] or truncated[0]), float(reward[0])
            score += gained
            total += gained
            step += 1
            if screen.wants_image():
                screen.show(env.render()[0], status(task_id, score, gained, info, over=over))
            if not headless:
                due = max(due + 1 / rate, time.monotonic() - 0.25)  # The game catches up by at most 0.25 s.
                time.sleep(max(0.0, due - time.monotonic()))
    env.close()
    print(f"{task_id}: {step} steps, reward {total:g}")


def make(task_id: str, seed: int, options: dict[str, Any], *, headless: bool) -> Any:
    """Makes the environment, without frame skip and with all actions if its options allow it."""
    own = envpool.make_spec(task_id).options
    for name, value in (
        ("frame_skip", 1),
        ("frameskip", 1),
        ("full_action_space", True),
        ("render_whole_screen", True),
    ):
        if name in own:
            options.setdefault(name, value)
    return envpool.make_gymnasium(
        task_id, **{"seed": seed, "render_mode": None if headless else "rgb_array", **options, "num_envs": 1}
    )


def open_screen(env: Any, *, terminal: bool, headless: bool) -> Any:
    """Returns a window if there is a display, otherwise the terminal."""
    from envpool.python import window

    if headless:
        return HeadlessScreen()
    if not terminal and window.can_open():
        height, width = env.spec.arrays.render_size
        return window.Window(env.spec.id, height, width)
    if not sys.stdout.isatty():
        raise Failure("play needs a terminal or a display; with --headless --frames N it needs neither")
    from envpool.cli.terminal import Terminal

    return Terminal()


def status(task_id: str, score: float, reward: float, info: dict[str, Any], *, over: bool, move: str = "") -> str:
    """Returns the status line: reward, score, lives and the chosen move. The keys are last: narrow terminals cut them."""
    parts = [task_id, f"reward {reward:g}", f"score {score:g}"]
    if "lives" in info:
        parts.append(f"lives {info['lives'][0]}")
    if move and not over:
        parts.append(move)
    parts.append(f"{'game over' if over else 'arrows, space'}, r: restart, q: quit")
    return "  ".join(parts)
