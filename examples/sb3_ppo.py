# SPDX-License-Identifier: Apache-2.0
"""Trains Stable-Baselines3's PPO on any task, stepped by this package or by gymnasium.

    python examples/sb3_ppo.py --task=LunarLander-v3 --out=runs/lander
    python examples/sb3_ppo.py --task=LunarLander-v3 --out=runs/lander_gymnasium --engine=gymnasium

With `--engine=gymnasium`, the environments are gymnasium's, in a DummyVecEnv, which is the default of
Stable-Baselines3. With `--engine=gymnasium_processes`, they are in a SubprocVecEnv, which has a process for each of
them. `SETUPS` lists the tasks that need settings of their own; all engines use the same settings. examples/curves.py
draws the logs.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from absl import app, flags
from common import Log
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    SubprocVecEnv,
    VecEnv,
    VecExtractDictObs,
    VecMonitor,
    VecNormalize,
)
from stable_baselines3.common.vec_env.base_vec_env import VecEnvWrapper

import envpool

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "CartPole-v1", "environment to learn")
flags.DEFINE_enum(
    "engine", "envpool", ["envpool", "gymnasium", "gymnasium_processes"], "the library that steps the environments"
)
flags.DEFINE_integer("num_envs", 8, "number of environments", lower_bound=1)
flags.DEFINE_integer("num_threads", 1, "threads of this package's pool", lower_bound=1)
flags.DEFINE_integer("total_timesteps", 100_000, "environment steps to learn from")
flags.DEFINE_integer("seed", 1, "random seed")
flags.DEFINE_integer("torch_threads", 1, "threads of torch", lower_bound=1)
flags.DEFINE_integer("eval_episodes", 20, "episodes that the trained policy plays; 0: none", lower_bound=0)
flags.DEFINE_string("out", "runs/sb3_ppo", "folder of log.csv")
flags.DEFINE_float("require_return", None, "fail if the trained policy's mean return is lower")


def minigrid(env: Any) -> Any:
    """Reduces the observation of an environment of MiniGrid to the one-hot image."""
    from minigrid.wrappers import ImgObsWrapper, OneHotPartialObsWrapper

    return ImgObsWrapper(OneHotPartialObsWrapper(env))


class SmallScreen(VecEnvWrapper):  # type: ignore[misc]
    """Reduces ViZDoom's observation to every fourth pixel of the screen in each direction."""

    def __init__(self, venv: VecEnv):
        venv = VecExtractDictObs(venv, "screen")
        height, width, channels = venv.observation_space.shape
        super().__init__(venv, spaces.Box(0, 255, (height // 4, width // 4, channels), np.uint8))

    def reset(self) -> Any:
        return self.venv.reset()[:, ::4, ::4]

    def step_wait(self) -> Any:
        screens, rewards, dones, infos = self.venv.step_wait()
        for i in np.flatnonzero(dones):
            infos[i]["terminal_observation"] = infos[i]["terminal_observation"][::4, ::4]
        return screens[:, ::4, ::4], rewards, dones, infos


@dataclass
class Setup:
    """The setup of a task: its environments, and the arguments of PPO that differ from `DEFAULTS`."""

    ppo: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)  # for all engines
    envpool_options: dict[str, Any] = field(default_factory=dict)
    gymnasium_wrapper: Callable[[Any], Any] | None = None  # gives gymnasium's environments the observations of ours
    vector_wrapper: Callable[[VecEnv], VecEnv] = lambda venv: venv  # for all engines
    normalize_reward: bool = False
    module: str = ""  # registers the ids with gymnasium


DEFAULTS = {"n_steps": 128, "batch_size": 256, "learning_rate": 1e-3}
MINIGRID = Setup(
    ppo={"n_epochs": 4, "ent_coef": 0.01, "policy_kwargs": {"normalize_images": False}},  # the numbers are 0 and 1
    envpool_options={"observation": "one_hot", "image_only": True},
    gymnasium_wrapper=minigrid,
    module="minigrid",
)
LANDER = Setup(
    ppo={
        "n_steps": 1024,
        "batch_size": 64,
        "n_epochs": 4,
        "learning_rate": 3e-4,
        "gamma": 0.999,
        "gae_lambda": 0.98,
        "ent_coef": 0.01,
    }
)
DOOM = Setup(
    ppo={
        "n_epochs": 4,
        "learning_rate": 3e-4,
        "ent_coef": 0.01,
        "policy_kwargs": {"features_extractor_kwargs": {"features_dim": 128}},
    },
    options={"frame_skip": 4},
    vector_wrapper=SmallScreen,
    normalize_reward=True,  # killing the monster gives a reward of about 100
    module="vizdoom.gymnasium_wrapper",
)
SETUPS = {"MiniGrid-": MINIGRID, "LunarLander-": LANDER, "Vizdoom": DOOM}  # by the start of the id


def setup_of(task: str) -> Setup:
    return next((setup for start, setup in SETUPS.items() if task.startswith(start)), Setup())


def make(setup: Setup, seed: int) -> VecEnv:
    """Makes the environments. Their monitor sees the rewards of the task."""
    if FLAGS.engine == "envpool":
        options = {"num_threads": FLAGS.num_threads, **setup.options, **setup.envpool_options}
        venv = VecMonitor(envpool.make_sb3(FLAGS.task, FLAGS.num_envs, seed=seed, **options))
    else:
        venv = make_vec_env(
            f"{setup.module}:{FLAGS.task}" if setup.module else FLAGS.task,
            FLAGS.num_envs,
            seed=seed,
            env_kwargs=setup.options,
            wrapper_class=setup.gymnasium_wrapper,
            vec_env_cls=SubprocVecEnv if FLAGS.engine == "gymnasium_processes" else DummyVecEnv,
        )
    return setup.vector_wrapper(venv)


class Progress(BaseCallback):  # type: ignore[misc]
    """Writes steps, seconds, this process's CPU seconds and the mean return of 100 episodes after each rollout."""

    def __init__(self, out: Path):
        super().__init__()
        self.log = Log(out, ["steps", "seconds", "cpu_seconds", "return"], kept=0)
        self.started, self.cpu_started = time.perf_counter(), time.process_time()
        self.score = float("nan")

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        finished = self.model.ep_info_buffer or ()
        if finished:
            self.score = float(np.mean([episode["r"] for episode in finished]))
        seconds = time.perf_counter() - self.started, time.process_time() - self.cpu_started
        self.log.write([self.num_timesteps, *(f"{value:.2f}" for value in seconds), f"{self.score:.4f}"])


def policy_for(space: spaces.Space[Any]) -> str:
    """Returns Stable-Baselines3's name of the policy for observations of this space."""
    if isinstance(space, spaces.Dict):
        return "MultiInputPolicy"
    # The policy's convolutions accept no smaller images.
    large = is_image_space(space) and sorted(space.shape or ())[1] >= 36
    return "CnnPolicy" if large else "MlpPolicy"


def main(_: list[str]) -> None:
    torch.set_num_threads(FLAGS.torch_threads)
    out = Path(FLAGS.out)
    out.mkdir(parents=True, exist_ok=True)
    setup = setup_of(FLAGS.task)
    venv = make(setup, FLAGS.seed)
    if setup.normalize_reward:
        venv = VecNormalize(venv, norm_obs=False)
    model = PPO(policy_for(venv.observation_space), venv, seed=FLAGS.seed, device="cpu", **{**DEFAULTS, **setup.ppo})
    progress = Progress(out)
    model.learn(FLAGS.total_timesteps, callback=progress)
    elapsed = time.perf_counter() - progress.started
    venv.close()
    print(
        f"{FLAGS.engine}: {model.num_timesteps:,} steps in {elapsed:.1f} s; "
        f"mean return of the last 100 episodes {progress.score:.3f}"
    )
    if FLAGS.eval_episodes == 0:
        return
    held_out = make(setup, FLAGS.seed + 1000)
    mean, spread = evaluate_policy(model, held_out, n_eval_episodes=FLAGS.eval_episodes)
    held_out.close()
    print(f"return of the trained policy {mean:.3f} +- {spread:.3f}")
    if FLAGS.require_return is not None and not mean >= FLAGS.require_return:
        raise SystemExit(f"mean return {mean:.3f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
