# SPDX-License-Identifier: Apache-2.0
"""Proximal policy optimisation in one file, in the style of CleanRL's ppo_atari_envpool.py.

It uses the pool as CleanRL's scripts do: it passes `env_type="gym"`, sets attributes on the pool, and wraps it in a
gym.Wrapper. In Atari games, `info["reward"]` is the score before clipping, and `info["terminated"]` marks the end of a
game, while `terminated` marks the loss of a life. `step` returns 4-tuples with gym 0.23, and 5-tuples with gym 0.26 or
if only gymnasium is installed. Like CleanRL's scripts, it imports no other example.

    python examples/cleanrl_style.py --task=Pong-v5 --total_timesteps=10000000
    python examples/cleanrl_style.py --task=LunarLander-v3 --total_timesteps=1000000
    python examples/cleanrl_style.py --task=MiniGrid-DoorKey-5x5-v0 --total_timesteps=200000
    python examples/cleanrl_style.py --task=VizdoomBasic-v1 --total_timesteps=100000

`SETUPS` has the options and the values of flags that these tasks need.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
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
flags.DEFINE_float("require_return", None, "fail if the mean return of the last 100 episodes is lower at the end")


class SmallScreen(gym.Wrapper):
    """Reduces ViZDoom's observation to every fourth pixel of the screen in each direction, with the channels first."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        self.num_envs, self.single_action_space = env.num_envs, env.single_action_space
        height, width, channels = env.single_observation_space["screen"].shape
        shape = (channels, height // 4, width // 4)
        self.single_observation_space = gym.spaces.Box(0, 255, shape, np.uint8)

    def reset(self, **kwargs: Any) -> Any:
        result = super().reset(**kwargs)
        return self.reduce(result[0] if isinstance(result, tuple) else result)

    def step(self, action: Any) -> Any:
        observation, *others = super().step(action)
        return self.reduce(observation), *others

    @staticmethod
    def reduce(observation: Any) -> Any:
        return observation["screen"][:, ::4, ::4].transpose(0, 3, 1, 2)


@dataclass
class Setup:
    """How to make the environments of a task, and the values of flags that the command line does not set."""

    options: dict[str, Any] = field(default_factory=dict)
    wrapper: Callable[[Any], Any] = lambda env: env
    reward_scale: float = 1.0
    flags: dict[str, Any] = field(default_factory=dict)


ATARI = Setup(options={"episodic_life": True, "reward_clip": True})
SETUPS = {  # by the start of the id
    "LunarLander-": Setup(
        reward_scale=0.1,
        flags={
            "num_envs": 16,
            "num_steps": 1024,
            "num_minibatches": 256,
            "learning_rate": 5e-4,
            "gamma": 0.999,
            "gae_lambda": 0.98,
            "clip_coef": 0.2,
        },
    ),
    "MiniGrid-": Setup(
        options={"observation": "one_hot", "image_only": True},
        flags={"num_envs": 16, "num_minibatches": 8, "learning_rate": 1e-3, "clip_coef": 0.2},
    ),
    "Vizdoom": Setup(
        options={"frame_skip": 4},
        wrapper=SmallScreen,
        reward_scale=0.01,  # killing the monster gives a reward of about 100
        flags={"learning_rate": 5e-4, "clip_coef": 0.2},
    ),
}


def setup_of(task: str) -> Setup:
    return next((setup for start, setup in SETUPS.items() if task.startswith(start)), ATARI)


class RecordEpisodeStatistics(gym.Wrapper):
    """Records the returns of episodes; in Atari, the unclipped scores of games, which have an episode for each life."""

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
        done = np.logical_or.reduce(ends)
        of_games = "lives" in info
        self.returns += info["reward"] if of_games else reward
        over = info["terminated"].astype(bool) if of_games else done
        self.finished.extend(self.returns[over])
        self.returns[over] = 0
        return observation, reward, done, info


def layer(module: nn.Module, std: float = 2**0.5) -> nn.Module:
    nn.init.orthogonal_(module.weight, std)
    nn.init.constant_(module.bias, 0.0)
    return module


class Agent(nn.Module):
    def __init__(self, envs: gym.Env):
        super().__init__()
        shape = envs.single_observation_space.shape
        self.sees_pixels = len(shape) == 3 and min(shape[1:]) >= 36
        if self.sees_pixels:
            convolutions = nn.Sequential(
                layer(nn.Conv2d(shape[0], 32, 8, stride=4)),
                nn.ReLU(),
                layer(nn.Conv2d(32, 64, 4, stride=2)),
                nn.ReLU(),
                layer(nn.Conv2d(64, 64, 3, stride=1)),
                nn.ReLU(),
                nn.Flatten(),
            )
            width, size = 512, convolutions(torch.zeros(1, *shape)).shape[1]
            self.network = nn.Sequential(convolutions, layer(nn.Linear(size, width)), nn.ReLU())
        else:
            width, size = 64, int(np.prod(shape))
            self.network = nn.Sequential(
                nn.Flatten(), layer(nn.Linear(size, width)), nn.Tanh(), layer(nn.Linear(width, width)), nn.Tanh()
            )
        self.actor = layer(nn.Linear(width, envs.single_action_space.n), std=0.01)
        self.critic = layer(nn.Linear(width, 1), std=1)

    def hidden(self, observation: Tensor) -> Tensor:
        return self.network(observation / 255.0 if self.sees_pixels else observation.float())

    def value(self, observation: Tensor) -> Tensor:
        return self.critic(self.hidden(observation)).flatten()

    def act(self, observation: Tensor, action: Tensor | None = None) -> tuple[Tensor, ...]:
        hidden = self.hidden(observation)
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
    setup = setup_of(FLAGS.task)
    for name, value in setup.flags.items():
        if not FLAGS[name].present:
            FLAGS[name].value = value
    torch.manual_seed(FLAGS.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    envs: Any = envpool.make(FLAGS.task, env_type="gym", num_envs=FLAGS.num_envs, seed=FLAGS.seed, **setup.options)
    envs.num_envs = FLAGS.num_envs
    envs.single_action_space = envs.action_space
    envs.single_observation_space = envs.observation_space
    envs = RecordEpisodeStatistics(setup.wrapper(envs))
    assert isinstance(envs.action_space, gym.spaces.Discrete), "only discrete action space is supported"

    agent = Agent(envs).to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=FLAGS.learning_rate, eps=1e-5)

    shape = (FLAGS.num_steps, FLAGS.num_envs)
    next_obs = torch.as_tensor(envs.reset(), device=device)
    observations = torch.zeros(shape + next_obs.shape[1:], dtype=next_obs.dtype, device=device)
    actions = torch.zeros(shape, dtype=torch.int64, device=device)
    logprobs, rewards, dones, values = (torch.zeros(shape, device=device) for _ in range(4))

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
            rewards[t] = torch.as_tensor(reward * setup.reward_scale)
            next_obs = torch.as_tensor(obs, device=device)
            next_done = torch.as_tensor(done, dtype=torch.float32, device=device)
        with torch.no_grad():
            advantages = advantages_of(rewards, dones, values, next_done, agent.value(next_obs))
        rollout = (x.flatten(0, 1) for x in (observations, actions, logprobs, advantages, advantages + values))
        loss = learn(agent, optimizer, *rollout)

        steps = update * FLAGS.num_envs * FLAGS.num_steps
        recent = np.mean(envs.finished[-100:]) if envs.finished else np.nan
        rate = steps / (time.perf_counter() - started)
        print(
            f"step {steps:>9,}  {rate:>7,.0f} steps/s  loss {loss:+.3f}  mean return of the last episodes {recent:.2f}"
        )
        if not np.isfinite(loss):
            raise FloatingPointError(f"the loss of update {update} is {loss}")
    envs.close()
    if FLAGS.require_return is not None and not recent >= FLAGS.require_return:
        raise SystemExit(f"mean return {recent:.2f} is below {FLAGS.require_return}")


if __name__ == "__main__":
    app.run(main)
