# SPDX-License-Identifier: Apache-2.0
"""Trains TorchRL's PPO on a pool, through TorchRL's `MultiThreadedEnv`.

That class uses gym's spaces, so it needs gym 0.26 and gymnasium: pip install torchrl treevalue gym==0.26.2

    python examples/torchrl_ppo.py --task=CartPole-v1 --total_timesteps=100000
"""

import time

import torch
from absl import app, flags
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import MultiThreadedEnv, RewardSum, TransformedEnv
from torchrl.modules import ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "CartPole-v1", "environment to learn, with discrete actions")
flags.DEFINE_integer("num_envs", 8, "number of environments", lower_bound=1)
flags.DEFINE_integer("num_steps", 128, "steps of each environment per rollout")
flags.DEFINE_integer("total_timesteps", 100_000, "environment steps to learn from")
flags.DEFINE_integer("seed", 1, "random seed")
flags.DEFINE_float("require_return", None, "fail if the mean return of the last update's episodes is lower")


def network(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


def main(_: list[str]) -> None:
    torch.manual_seed(FLAGS.seed)
    env = TransformedEnv(
        MultiThreadedEnv(FLAGS.num_envs, FLAGS.task, create_env_kwargs={"seed": FLAGS.seed}), RewardSum()
    )
    inputs, outputs = env.observation_spec["observation"].shape[-1], env.action_spec.space.n
    actor = ProbabilisticActor(
        TensorDictModule(network(inputs, outputs), ["observation"], ["logits"]),
        in_keys=["logits"],
        distribution_class=torch.distributions.Categorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(inputs, 1))
    advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss_of = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.5)
    optimizer = torch.optim.Adam(loss_of.parameters(), lr=2e-3)

    frames = FLAGS.num_envs * FLAGS.num_steps
    collector = Collector(env, actor, frames_per_batch=frames, total_frames=FLAGS.total_timesteps)
    started, steps, mean = time.perf_counter(), 0, float("nan")
    for rollout in collector:
        steps += rollout.numel()
        rollout["next", "reward"] = rollout["next", "reward"].unsqueeze(-1)
        for key in ("done", "terminated"):
            rollout["next", key] = rollout["next", key].unsqueeze(-1)
        for _epoch in range(6):
            with torch.no_grad():
                advantage(rollout)
            flat = rollout.reshape(-1)
            for chosen in torch.randperm(len(flat)).chunk(4):
                losses = loss_of(flat[chosen])
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(loss_of.parameters(), 0.5)
                optimizer.step()
        ended = rollout["next", "done"].squeeze(-1)
        if ended.any():
            mean = rollout["next", "episode_reward"][ended].mean().item()
        rate = steps / (time.perf_counter() - started)
        print(f"step {steps:>9,}  {rate:>7,.0f} steps/s  mean return of the episodes that ended {mean:.1f}")
    collector.shutdown()
    if FLAGS.require_return is not None and not mean >= FLAGS.require_return:
        raise SystemExit(f"mean return {mean:.1f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
