# SPDX-License-Identifier: Apache-2.0
"""Plays a hundred Atari games with random actions, prints the speed and saves an image of the observations.

python examples/demo.py --task=Breakout-v5 --num_envs=256 --seconds=10
"""

import math
import time
from pathlib import Path

import numpy as np
from absl import app, flags
from gymnasium.spaces import Discrete
from PIL import Image
from tqdm import tqdm

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "Pong-v5", "game to play")
flags.DEFINE_integer("num_envs", 100, "number of games", lower_bound=1)
flags.DEFINE_integer(
    "num_threads", 0, "threads of the pool; 0: as many as CPUs that this process may use", lower_bound=0
)
flags.DEFINE_float("seconds", 8.0, "duration of the demo")
flags.DEFINE_integer("seed", 0, "seed of the games and of the actions")
flags.DEFINE_string("sheet", "build/demo.png", "file of the image of the observations")

FRAME_SKIP = 4
GAP = 2


def contact_sheet(observation: np.ndarray) -> Image.Image:
    """Returns an image with the latest frame of every observation."""
    frames = observation[:, -1]
    count, height, width = frames.shape
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    sheet = np.full((rows * (height + GAP) + GAP, columns * (width + GAP) + GAP), 24, np.uint8)
    for i, frame in enumerate(frames):
        top, left = GAP + (i // columns) * (height + GAP), GAP + (i % columns) * (width + GAP)
        sheet[top : top + height, left : left + width] = frame
    return Image.fromarray(sheet)


def main(_: list[str]) -> None:
    rng = np.random.default_rng(FLAGS.seed)
    started = time.perf_counter()
    env = envpool.make_gymnasium(
        FLAGS.task, num_envs=FLAGS.num_envs, num_threads=FLAGS.num_threads, frame_skip=FRAME_SKIP, seed=FLAGS.seed
    )
    assert isinstance(env.action_space, Discrete)
    actions = env.action_space.n
    observation, info = env.reset()
    print(f"{FLAGS.num_envs} x {FLAGS.task} made and reset in {time.perf_counter() - started:.2f} s")

    steps = episodes = 0
    score = np.zeros(FLAGS.num_envs)
    bar = tqdm(total=FLAGS.seconds, disable=None, bar_format="{l_bar}{bar}| {n:.1f}/{total:.0f} s  {postfix}")
    started = shown = time.perf_counter()
    while (now := time.perf_counter()) - started < FLAGS.seconds:
        if now - shown > 0.1:
            rate = steps / (now - started)
            bar.set_postfix_str(f"{rate:,.0f} steps/s  {rate * FRAME_SKIP:,.0f} frames/s", refresh=False)
            bar.update(now - shown)
            shown = now
        action = rng.integers(actions, size=FLAGS.num_envs)
        observation, reward, terminated, truncated, info = env.step(action)
        steps += FLAGS.num_envs
        score += reward
        episodes += int(np.sum(terminated | truncated))
    elapsed = time.perf_counter() - started
    bar.update(FLAGS.seconds - bar.n)
    bar.close()
    env.close()

    path = Path(FLAGS.sheet)
    path.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet(observation).save(path)
    print(
        f"{steps:,} steps in {elapsed:.1f} s: {steps / elapsed:,.0f} steps/s, {steps * FRAME_SKIP / elapsed:,.0f} frames/s"
    )
    print(f"{episodes} episodes ended; mean points per environment so far: {score.mean():+.1f}")
    print(f"image of the observations: {path}")


if __name__ == "__main__":
    app.run(main)
