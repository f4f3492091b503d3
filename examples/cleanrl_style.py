# SPDX-License-Identifier: Apache-2.0
"""Proximal policy optimisation in one file, in the style of CleanRL's ppo_atari_envpool.py.

It uses the pool as CleanRL's scripts do: it passes `env_type="gym"`, sets attributes on the pool, and wraps it in a
gym.Wrapper. `info["reward"]` is the score before clipping, and `info["terminated"]` marks the end of a game, while
`terminated` marks the loss of a life. `step` returns 4-tuples with gym 0.23, and 5-tuples with gym 0.26 or if only
gymnasium is installed. Like CleanRL's scripts, it imports no other example.

    python examples/cleanrl_style.py --task=Pong-v5 --total_timesteps=10000000
"""

import time
from typing import Any

import numpy as np
import torch
from absl import app, flags
from torch import Tensor, nn
from torch.distributions import Categorical

import envpool

try:
    import gym
except ModuleNotFoundError:
    import gymnasium as gym

FLAGS = flags.FLAGS
flags.DEFINE_string("task", "Pong-v5", "game to learn")
flags.DEFINE_integer("seed", 1, "random seed")
flags.DEFINE_integer("total_timesteps", 10_000_000, "environment steps to learn from")
flags.DEFINE_integer("num_envs", 8, "number of environments")
flags.DEFINE_integer("num_steps", 128, "steps of each environment per rollout")
flags.DEFINE_integer("num_minibatches", 4, "minibatches per rollout")
flags.DEFINE_integer("update_epochs", 4, "passes over each rollout")
flags.DEFINE_float("learning_rate", 2.5e-4, "initial value; falls linearly to 0")
flags.DEFINE_float("gamma", 0.99, "discount factor")
flags.DEFINE_float("gae_lambda", 0.95, "lambda of generalised advantage estimation")
flags.DEFINE_float("clip_coef", 0.1, "clipping range of the probability ratio")
flags.DEFINE_float("ent_coef", 0.01, "weight of the entropy bonus")
flags.DEFINE_float("vf_coef", 0.5, "weight of the value loss")
flags.DEFINE_float("max_grad_norm", 0.5, "gradients are clipped to this norm")


class RecordEpisodeStatistics(gym.Wrapper):
    """Records the unclipped scores of whole games, not of episodes, which end with the loss of a life."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        self.num_envs = getattr(env, "num_envs", 1)
        self.single_action_space, self.single_observation_space = env.single_action_space, env.single_observation_space
        self.returns = np.zeros(self.num_envs, np.float32)
        self.finished: list[float] = []

    def reset(self, **kwargs: Any) -> Any:
        self.returns[:] = 0
        result = super().reset(**kwargs)
        return result[0] if isinstance(result, tuple) else result

    def step(self, action: Any) -> Any:
        observation, reward, *ends, info = super().step(action)
        self.returns += info["reward"]
        over = info["terminated"].astype(bool)
        self.finished.extend(self.returns[over])
        self.returns[over] = 0
        return observation, reward, np.logical_or.reduce(ends), info


def layer(module: nn.Module, std: float = 2**0.5) -> nn.Module:
    nn.init.orthogonal_(module.weight, std)
    nn.init.constant_(module.bias, 0.0)
    return module


class Agent(nn.Module):
    def __init__(self, envs: gym.Env):
        super().__init__()
        self.network = nn.Sequential(
            layer(nn.Conv2d(4, 32, 8, stride=4)),
            nn.ReLU(),
            layer(nn.Conv2d(32, 64, 4, stride=2)),
            nn.ReLU(),
            layer(nn.Conv2d(64, 64, 3, stride=1)),
            nn.ReLU(),
            nn.Flatten(),
            layer(nn.Linear(64 * 7 * 7, 512)),
            nn.ReLU(),
        )
        self.actor = layer(nn.Linear(512, envs.single_action_space.n), std=0.01)
        self.critic = layer(nn.Linear(512, 1), std=1)

    def value(self, observation: Tensor) -> Tensor:
        return self.critic(self.network(observation / 255.0)).flatten()

    def act(self, observation: Tensor, action: Tensor | None = None) -> tuple[Tensor, ...]:
        hidden = self.network(observation / 255.0)
        policy = Categorical(logits=self.actor(hidden))
        if action is None:
            action = policy.sample()
        return action, policy.log_prob(action), policy.entropy(), self.critic(hidden).flatten()


def advantages_of(rewards: Tensor, dones: Tensor, values: Tensor, next_done: Tensor, next_value: Tensor) -> Tensor:
    """Returns generalised advantage estimates; dones[t] says whether step t - 1 ended an episode."""
    advantages = torch.zeros_like(rewards)
    running = torch.zeros_like(next_value)
    for t in reversed(range(len(rewards))):
        last = t == len(rewards) - 1
        alive = 1.0 - (next_done if last else dones[t + 1])
        delta = rewards[t] + FLAGS.gamma * alive * (next_value if last else values[t + 1]) - values[t]
        running = delta + FLAGS.gamma * FLAGS.gae_lambda * alive * running
        advantages[t] = running
    return advantages


def learn(
    agent: Agent,
    optimizer: torch.optim.Optimizer,
    observations: Tensor,
    actions: Tensor,
    logprobs: Tensor,
    advantages: Tensor,
    returns: Tensor,
) -> float:
    """Optimizes the clipped surrogate objective over one rollout for --update_epochs epochs. Returns the last loss."""
    batch = len(actions)
    for _ in range(FLAGS.update_epochs):
        for chosen in torch.randperm(batch).chunk(FLAGS.num_minibatches):
            _, logprob, entropy, value = agent.act(observations[chosen], actions[chosen])
            ratio = (logprob - logprobs[chosen]).exp()
            advantage = advantages[chosen]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - FLAGS.clip_coef, 1 + FLAGS.clip_coef)
            policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
            value_loss = 0.5 * (value - returns[chosen]).square().mean()
            loss = policy_loss + FLAGS.vf_coef * value_loss - FLAGS.ent_coef * entropy.mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), FLAGS.max_grad_norm)
            optimizer.step()
    return float(loss)


def main(_: list[str]) -> None:
    torch.manual_seed(FLAGS.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    envs: Any = envpool.make(
        FLAGS.task, env_type="gym", num_envs=FLAGS.num_envs, episodic_life=True, reward_clip=True, seed=FLAGS.seed
    )
    envs.num_envs = FLAGS.num_envs
    envs.single_action_space = envs.action_space
    envs.single_observation_space = envs.observation_space
    envs = RecordEpisodeStatistics(envs)
    assert isinstance(envs.action_space, gym.spaces.Discrete), "only discrete action space is supported"

    agent = Agent(envs).to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=FLAGS.learning_rate, eps=1e-5)

    shape = (FLAGS.num_steps, FLAGS.num_envs)
    observations = torch.zeros(shape + envs.single_observation_space.shape, dtype=torch.uint8, device=device)
    actions = torch.zeros(shape, dtype=torch.int64, device=device)
    logprobs, rewards, dones, values = (torch.zeros(shape, device=device) for _ in range(4))

    next_obs = torch.as_tensor(envs.reset(), device=device)
    next_done = torch.zeros(FLAGS.num_envs, device=device)
    started = time.perf_counter()
    updates = FLAGS.total_timesteps // (FLAGS.num_envs * FLAGS.num_steps)
    for update in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = FLAGS.learning_rate * (1 - (update - 1) / updates)
        for t in range(FLAGS.num_steps):
            observations[t], dones[t] = next_obs, next_done
            with torch.no_grad():
                actions[t], logprobs[t], _, values[t] = agent.act(next_obs)
            obs, reward, done, _ = envs.step(actions[t].cpu().numpy())
            rewards[t] = torch.as_tensor(reward)
            next_obs = torch.as_tensor(obs, device=device)
            next_done = torch.as_tensor(done, dtype=torch.float32, device=device)
        with torch.no_grad():
            advantages = advantages_of(rewards, dones, values, next_done, agent.value(next_obs))
        rollout = (x.flatten(0, 1) for x in (observations, actions, logprobs, advantages, advantages + values))
        loss = learn(agent, optimizer, *rollout)

        steps = update * FLAGS.num_envs * FLAGS.num_steps
        recent = np.mean(envs.finished[-100:]) if envs.finished else np.nan
        rate = steps / (time.perf_counter() - started)
        print(f"step {steps:>9,}  {rate:>7,.0f} steps/s  loss {loss:+.3f}  mean score of the last games {recent:.1f}")
        if not np.isfinite(loss):
            raise FloatingPointError(f"the loss of update {update} is {loss}")
    envs.close()


if __name__ == "__main__":
    app.run(main)
