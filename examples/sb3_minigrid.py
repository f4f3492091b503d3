# SPDX-License-Identifier: Apache-2.0
"""Trains Stable-Baselines3's PPO on a task of MiniGrid, from the one-hot image of what the agent sees.

    python examples/sb3_minigrid.py --out=runs/minigrid
    python examples/sb3_minigrid.py --out=runs/minigrid_gymnasium --engine=gymnasium

With `--engine=gymnasium`, the environments are those of the package minigrid with its wrappers, in a DummyVecEnv, which is
the default of Stable-Baselines3. examples/curves.py draws the logs.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from absl import app, flags
from common import Log
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecMonitor

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "MiniGrid-DoorKey-5x5-v0", "environment to learn")
flags.DEFINE_enum("engine", "envpool", ["envpool", "gymnasium"], "what steps the environments")
flags.DEFINE_integer("num_envs", 16, "number of environments", lower_bound=1)
flags.DEFINE_integer("total_timesteps", 150_000, "environment steps to learn from")
flags.DEFINE_integer("seed", 1, "random seed")
flags.DEFINE_integer("torch_threads", 1, "threads of torch", lower_bound=1)
flags.DEFINE_string("out", "runs/sb3_minigrid", "folder of log.csv")
flags.DEFINE_float("require_return", None, "fail if the mean return of the last 100 episodes is lower at the end")


class Progress(BaseCallback):  # type: ignore[misc]
    """Writes steps, seconds and the mean return of the last 100 episodes after each rollout."""

    def __init__(self, out: Path):
        super().__init__()
        self.log = Log(out, ["steps", "seconds", "return"], kept=0)
        self.started = time.perf_counter()
        self.score = float("nan")

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        finished = self.model.ep_info_buffer or ()
        if finished:
            self.score = float(np.mean([episode["r"] for episode in finished]))
        self.log.write([self.num_timesteps, f"{time.perf_counter() - self.started:.2f}", f"{self.score:.4f}"])


def make(engine: str) -> Any:
    """Makes the environments, whose observation is the one-hot image alone."""
    if engine == "envpool":
        options = {"observation": "one_hot", "image_only": True, "num_threads": 1}
        return VecMonitor(envpool.make_sb3(FLAGS.task, FLAGS.num_envs, seed=FLAGS.seed, **options))
    import minigrid  # noqa: F401 (registers its ids)
    from minigrid.wrappers import ImgObsWrapper, OneHotPartialObsWrapper

    return make_vec_env(
        FLAGS.task,
        FLAGS.num_envs,
        seed=FLAGS.seed,
        wrapper_class=lambda env: ImgObsWrapper(OneHotPartialObsWrapper(env)),
    )


def main(_: list[str]) -> None:
    torch.set_num_threads(FLAGS.torch_threads)
    out = Path(FLAGS.out)
    out.mkdir(parents=True, exist_ok=True)
    model = PPO(
        "MlpPolicy",
        make(FLAGS.engine),
        seed=FLAGS.seed,
        n_steps=128,
        batch_size=256,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        policy_kwargs={"normalize_images": False},  # the numbers are 0 and 1
        device="cpu",
    )
    progress = Progress(out)
    model.learn(FLAGS.total_timesteps, callback=progress)
    print(
        f"{FLAGS.engine}: {model.num_timesteps:,} steps in {time.perf_counter() - progress.started:.1f} s; "
        f"mean return of the last 100 episodes {progress.score:.3f}"
    )
    if FLAGS.require_return is not None and not progress.score >= FLAGS.require_return:
        raise SystemExit(f"mean return {progress.score:.3f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
