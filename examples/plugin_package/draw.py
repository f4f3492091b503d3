# SPDX-License-Identifier: Apache-2.0
"""Writes an image of CoinHunt-v0 after ten random steps, and a video: python draw.py"""

import imageio.v3 as imageio
import numpy as np

import envpool

env = envpool.make("CoinHunt-v0", num_envs=4, render_mode="rgb_array")
env.reset()
frames = []
for _ in range(60):
    env.step(np.random.randint(4, size=4))
    frames.append(np.concatenate(env.render([0, 1, 2, 3]), axis=1))
imageio.imwrite("coin_hunt.png", frames[9])
imageio.imwrite("coin_hunt.gif", frames, duration=100, loop=0)
