# SPDX-License-Identifier: Apache-2.0
"""Trains skrl's PPO on a pool made by `gymnasium.make_vec`, in one of gymnasium's vector wrappers.

python examples/skrl_ppo.py --task=CartPole-v1 --total_timesteps=100000
"""

from typing import Any

import gymnasium
import numpy as np
import torch
from absl import app, flags
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from torch import nn

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "CartPole-v1", "environment to learn, with discrete actions")
flags.DEFINE_integer("num_envs", 8, "number of environments", lower_bound=1)
flags.DEFINE_integer("num_steps", 128, "steps of each environment per rollout")
flags.DEFINE_integer("total_timesteps", 100_000, "environment steps to learn from")
flags.DEFINE_integer("seed", 1, "random seed")
flags.DEFINE_float("require_return", None, "fail if the mean return of the last 20 episodes is lower")


def network(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


class Policy(CategoricalMixin, Model):
    def __init__(self, env: Any) -> None:
        Model.__init__(self, observation_space=env.observation_space, action_space=env.action_space, device="cpu")
        CategoricalMixin.__init__(self)
        self.network = network(self.num_observations, self.num_actions)

    def compute(self, inputs: dict[str, Any], role: str) -> tuple[torch.Tensor, dict[str, Any]]:
        return self.network(inputs["observations"]), {}


class Value(DeterministicMixin, Model):
    def __init__(self, env: Any) -> None:
        Model.__init__(self, observation_space=env.observation_space, action_space=env.action_space, device="cpu")
        DeterministicMixin.__init__(self)
        self.network = network(self.num_observations, 1)

    def compute(self, inputs: dict[str, Any], role: str) -> tuple[torch.Tensor, dict[str, Any]]:
        return self.network(inputs["observations"]), {}


def main(_: list[str]) -> None:
    set_seed(FLAGS.seed)
    # "envpool:" imports envpool, which registers its ids.
    pool = gymnasium.make_vec(f"envpool:envpool/{FLAGS.task}", num_envs=FLAGS.num_envs, seed=FLAGS.seed)
    recorded = RecordEpisodeStatistics(pool, buffer_length=20)
    env = wrap_env(recorded)
    config = PPO_CFG(
        rollouts=FLAGS.num_steps,
        learning_epochs=6,
        mini_batches=4,
        learning_rate=2e-3,
        entropy_loss_scale=0.01,
        value_loss_scale=0.5,
    )
    config.experiment.write_interval = 0
    config.experiment.checkpoint_interval = 0
    agent = PPO(
        models={"policy": Policy(env), "value": Value(env)},
        memory=RandomMemory(memory_size=FLAGS.num_steps, num_envs=FLAGS.num_envs, device="cpu"),
        observation_space=env.observation_space,
        action_space=env.action_space,
        device="cpu",
        cfg=config,
    )
    steps = FLAGS.total_timesteps // FLAGS.num_envs
    SequentialTrainer(env=env, agents=agent, cfg={"timesteps": steps, "headless": True}).train()
    mean = np.mean(recorded.return_queue) if recorded.return_queue else np.nan
    print(f"{FLAGS.total_timesteps:,} steps; mean return of the last episodes {mean:.1f}")
    if FLAGS.require_return is not None and not mean >= FLAGS.require_return:
        raise SystemExit(f"mean return {mean:.1f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
