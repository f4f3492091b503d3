# SPDX-License-Identifier: Apache-2.0
"""Trains Tianshou's PPO on pools, which Tianshou's `EnvPoolFactory` makes.

python examples/tianshou_ppo.py --task=CartPole-v1 --total_timesteps=100000
"""

import torch
from absl import app, flags
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.highlevel.env import EnvMode, EnvPoolFactory
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "CartPole-v1", "environment to learn, with discrete actions")
flags.DEFINE_integer("num_envs", 8, "number of environments", lower_bound=1)
flags.DEFINE_integer("num_steps", 128, "steps of each environment per rollout")
flags.DEFINE_integer("total_timesteps", 100_000, "environment steps to learn from")
flags.DEFINE_integer("seed", 1, "random seed")
flags.DEFINE_float("require_return", None, "fail if the trained policy's mean return is lower")


def main(_: list[str]) -> None:
    torch.manual_seed(FLAGS.seed)
    train = EnvPoolFactory().create_venv(FLAGS.task, FLAGS.num_envs, EnvMode.TRAINING, FLAGS.seed, {})
    test = EnvPoolFactory().create_venv(FLAGS.task, FLAGS.num_envs, EnvMode.TEST, FLAGS.seed + 1, {})
    shape, actions = train.observation_space.shape, train.action_space.n
    actor = DiscreteActor(
        preprocess_net=Net(state_shape=shape, hidden_sizes=[64, 64]), action_shape=actions, softmax_output=False
    )
    critic = DiscreteCritic(preprocess_net=Net(state_shape=shape, hidden_sizes=[64, 64]))
    algorithm = PPO(
        policy=DiscreteActorPolicy(actor=actor, action_space=train.action_space, deterministic_eval=True),
        critic=critic,
        optim=AdamOptimizerFactory(lr=2e-3),
        max_grad_norm=0.5,
    )
    frames = FLAGS.num_envs * FLAGS.num_steps
    result = algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=Collector(algorithm, train, VectorReplayBuffer(2 * frames, FLAGS.num_envs)),
            test_collector=Collector(algorithm, test),
            max_epochs=2,
            epoch_num_steps=FLAGS.total_timesteps // 2,
            collection_step_num_env_steps=frames,
            update_step_num_repetitions=6,
            batch_size=256,
            test_step_num_episodes=2 * FLAGS.num_envs,
            show_progress=False,
        )
    )
    print(f"{FLAGS.total_timesteps:,} steps; mean return of the best policy {result.best_reward:.1f}")
    if FLAGS.require_return is not None and result.best_reward < FLAGS.require_return:
        raise SystemExit(f"mean return {result.best_reward:.1f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
