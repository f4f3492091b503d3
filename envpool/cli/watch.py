# SPDX-License-Identifier: Apache-2.0
"""`envpool watch`: records a video of a batch of environments."""

from __future__ import annotations

import importlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import envpool
from envpool.cli.common import Failure, check_output, need, need_image, parse_options, seconds_of, steps_per_second
from envpool.cli.info import stack
from envpool.python.images import grid

Policy = Callable[[Any, dict[str, Any]], Any]  # from observations and infos to actions


def watch(
    task_id: str,
    output: Path,
    option: Sequence[str],
    *,
    num_envs: int,
    seconds: float,
    seed: int,
    fps: float,
    policy: str,
) -> None:
    """Steps a pool and writes the video; `app.py` describes the arguments."""
    seconds_of("--seconds", seconds)
    check_output(output, ".mp4", ".gif")
    need("imageio", *(["imageio_ffmpeg"] if output.suffix == ".mp4" else ["PIL"]))
    extra_options = parse_options(option)
    need_image(task_id, extra_options)
    options = {"num_envs": num_envs, "seed": seed, "render_mode": "rgb_array", **extra_options}
    env = envpool.make_gymnasium(task_id, **options)
    if env.is_async:
        raise Failure(f"--option: expected no batch_size, because each image shows all {env.num_envs} environments")
    act = find_policy(policy) if policy else random_policy(env, seed)
    rate = seconds_of("--fps", fps) if fps else steps_per_second(env.config)
    count = max(1, round(seconds * rate))
    observation, info = env.reset()
    advice = Advice(count, env.num_envs, env.config)
    with video_writer(output, rate) as writer:
        for done in progress(count, str(output)):
            writer.append_data(grid(env.render(env.all_env_ids)))
            advice.rendered(done + 1)
            observation, *_, info = env.step(act(observation, info))
    env.close()
    print(f"{output}: {count} frames of {env.num_envs} {task_id}, {count / rate:.1f} s")


def random_policy(env: Any, seed: int) -> Policy:
    """Returns a policy that samples the action space, within the masks of actions if there are any."""
    space, is_of_players = env.action_space, env.spec.arrays.actors > 1
    space.seed(seed % 2**31)

    def act(_: Any, info: dict[str, Any]) -> Any:
        owners = info["players"] if is_of_players else info
        masks: Any = [None] * len(owners["env_id"])
        if "action_mask" in owners and type(space).__name__ == "Discrete":
            masks = owners["action_mask"].astype(np.int8)
        return stack([space.sample(mask) for mask in masks])

    return act


def find_policy(name: str) -> Policy:
    """Returns the function of observations with a name such as "my_agent:act". Raises Failure if there is none."""
    module, colon, function = name.partition(":")
    if not colon or not module or not function:
        raise Failure(f"--policy: expected module:function, got {name!r}")
    sys.path.insert(0, os.getcwd())
    try:
        candidate = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise Failure(f"--policy: expected an importable function, got {name!r}: {error}") from None
    if not callable(candidate):
        raise Failure(f"--policy: expected a function, got {name!r}, which is not callable")

    def act(observation: Any, _: Any) -> Any:
        try:
            return candidate(observation)
        except Exception as error:
            traceback.print_exc()  # this command prints errors of envpool without one, but this is the user's code
            raise Failure(f"--policy: {name} raised {type(error).__name__}") from None

    return act


def video_writer(path: Path, rate: float) -> Any:
    """Returns a writer of frames."""
    import imageio.v2

    if path.suffix == ".gif":
        return imageio.v2.get_writer(path, duration=1000 / rate, loop=0)
    return imageio.v2.get_writer(path, fps=rate, macro_block_size=2, quality=8, ffmpeg_log_level="error")


class Advice:
    """If a video takes a long time, prints once to stderr how to finish it faster.

    Attributes:
        slow: the number of seconds after which a video counts as slow.
    """

    slow = 20.0

    def __init__(self, count: int, num_envs: int, config: dict[str, Any]) -> None:
        self._count, self._num_envs, self._config = count, num_envs, config
        self._started = time.monotonic()
        self._has_printed = False

    def rendered(self, done: int) -> None:
        """Notes that `done` frames are finished."""
        spent = time.monotonic() - self._started
        if self._has_printed or done in (1, self._count) or spent < 1:  # the first frame includes the renderer's start
            return
        self._has_printed = True
        each = spent / done
        if each * self._count > self.slow:
            print(self._text(each), file=sys.stderr, flush=True)

    def _text(self, each: float) -> str:
        ways = ["a shorter --seconds", "a lower --fps"]
        if self._num_envs > 1:
            ways.insert(0, f"--num-envs {max(1, self._num_envs // 4)}")
        width, height = self._config.get("render_width", 0), self._config.get("render_height", 0)
        if not (width or height):
            ways.insert(0, "smaller images (-O render_width=160 -O render_height=120)")
        if self._config.get("shadow_size"):
            ways.insert(0, "no shadows and smoothing (-O shadow_size=0 -O antialias=0)")
        return (
            f"A frame of {self._num_envs} environments takes {each:.2g} s, so the video takes about "
            f"{_duration(each * self._count)}. These make it faster: {', '.join(ways[:-1])} or {ways[-1]}."
        )


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


def progress(count: int, what: str) -> Iterator[int]:
    """Yields the numbers of the frames, with a progress bar if stderr is a terminal, else a line every ten seconds."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    if console.is_terminal:
        yield from track(range(count), what, console=console, transient=True)
        return
    shown = time.monotonic()
    for index in range(count):
        yield index
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print(f"{what}: {index + 1} of {count} frames", file=sys.stderr, flush=True)
