# SPDX-License-Identifier: Apache-2.0
"""Trains one agent on several levels of MiniGrid at a time, and plays levels that it has never seen.

The levels are the tasks of one mixed pool, whose batches have rows of all levels; info["task_id"] says which. Another
mixed pool has the levels that are held out. They have the same spaces, so the agent plays them as they are.

    python examples/ppo_levels.py                       # four minutes on one CPU
    python examples/ppo_levels.py --levels=MiniGrid-LavaGapS5-v0,MiniGrid-LavaGapS6-v0 --held_out=MiniGrid-LavaGapS7-v0
    python examples/ppo_levels.py --resume --total_timesteps=1000000   # continues where it stopped

It writes log.csv with the mean return of each level, curve.png and checkpoint.pt to --out, and at the end plays whole
episodes of every level. The rewards of MiniGrid are 0, except for a step that solves the level, whose reward is between
0.1 and 1, the more the sooner.

The whole algorithm is in this file, so that it can be read from top to bottom and changed without affecting another
example. Code that is not about learning is in common.py and torch_run.py.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from common import Log, curve, judge, option, whole_games
from torch import Tensor, nn
from torch.distributions import Categorical
from torch_run import Checkpoint, Games, begin
from tqdm import tqdm

import envpool

LEVELS = "MiniGrid-Empty-Random-5x5-v0,MiniGrid-Empty-8x8-v0,MiniGrid-SimpleCrossingS9N1-v0,MiniGrid-LavaGapS5-v0"
HELD_OUT = "MiniGrid-Empty-16x16-v0,MiniGrid-SimpleCrossingS9N2-v0,MiniGrid-LavaGapS6-v0"
KINDS = (11, 6, 4)  # of objects, of colours, and of states of doors: what a cell of an observation contains


@dataclass
class Options:
    levels: str = option(LEVELS, "levels to learn, separated by commas")
    held_out: str = option(HELD_OUT, "levels to play at the end, separated by commas")
    seed: int = option(1, "random seed")
    total_timesteps: int = option(800_000, "total number of environment steps")
    out: Path = option(Path("runs/ppo_levels"), "output folder")
    resume: bool = option(False, "continue from the checkpoint in that folder")
    save_every: int = option(20, "updates between two checkpoints")
    torch_threads: int = option(1, "threads of torch; more do not speed up such a small network")
    require_return: float = option(float("-inf"), "fail if the mean return on the levels held out is lower")
    num_envs: int = option(64, "number of environments, a multiple of the number of levels")
    num_steps: int = option(64, "steps of each environment per rollout")
    minibatch: int = option(512, "steps per minibatch")
    epochs: int = option(4, "passes over each rollout")
    learning_rate: float = option(1e-3, "initial value; falls linearly to a tenth")
    gamma: float = option(0.99, "discount factor")
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation")
    clip: float = option(0.2, "clipping range of the probability ratio")
    entropy: float = option(0.01, "weight of the entropy bonus")
    max_grad_norm: float = option(0.5, "gradients are clipped to this norm")
    eval_episodes: int = option(50, "whole episodes of each level played at the end")


def make(levels: list[str], num_envs: int, seed: int) -> Games:
    """Makes a mixed pool. The environments of each level have consecutive numbers."""
    return Games(envpool.make_gymnasium(levels, num_envs=num_envs, seed=seed, image_only=True), num_envs)


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


class Agent(nn.Module):
    """Two hidden layers over the 7 x 7 cells that the agent sees, shared by the policy and the value."""

    def __init__(self, num_actions: int):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), layer(49 * sum(KINDS), 128), nn.Tanh(), layer(128, 128), nn.Tanh())
        self.policy, self.value = layer(128, num_actions, 0.01), layer(128, 1, 1.0)

    def forward(self, observation: Tensor) -> tuple[Categorical, Tensor]:
        parts = zip(observation.long().unbind(-1), KINDS, strict=True)
        hidden = self.body(torch.cat([nn.functional.one_hot(part, kinds) for part, kinds in parts], -1).float())
        return Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


def advantages_of(o: Options, rewards: Tensor, values: Tensor, terminated: Tensor, truncated: Tensor) -> Tensor:
    """Returns generalised advantage estimates; `values` has one more row than the other arrays."""
    advantages = torch.zeros_like(rewards)
    running = torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        # If an episode was truncated, the next row has the value of its last observation. If it terminated, its future
        # value is 0.
        delta = rewards[t] + o.gamma * values[t + 1] * ~terminated[t] - values[t]
        running = delta + o.gamma * o.gae_lambda * running * ~(terminated[t] | truncated[t])
        advantages[t] = running
    return advantages


class Run:
    """A training run."""

    def __init__(self, o: Options):
        self.o, self.levels = o, o.levels.split(",")
        self.games = make(self.levels, o.num_envs, o.seed)
        self.agent = Agent(self.games.num_actions)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), lr=o.learning_rate, eps=1e-5)
        self.observation = self.games.reset()
        self.level_of = self.games.pool.observe()[1]["task_id"]  # of each environment
        self.returns: list[list[float]] = [[] for _ in self.levels]  # of the last hundred episodes of each level
        self.over = torch.zeros(o.num_envs, dtype=torch.bool)
        self.steps, self.wall = 0, 0.0
        self.checkpoint = Checkpoint(
            o,
            self.games.pool,
            {"agent": self.agent, "optimizer": self.optimizer},
            {"run": (self, ("observation", "returns", "over", "steps", "wall")), "games": (self.games, ("running",))},
        )

    @torch.no_grad()
    def collect(self) -> tuple[Tensor, ...]:
        """Collects a rollout: observations, actions, their log probabilities, advantages and returns."""
        o, shape = self.o, (self.o.num_steps, self.o.num_envs)
        observations = torch.zeros(*shape, 7, 7, 3, dtype=torch.uint8)
        actions = torch.zeros(shape, dtype=torch.int64)
        logprobs, rewards, values = torch.zeros(shape), torch.zeros(shape), torch.zeros(o.num_steps + 1, o.num_envs)
        terminated, truncated, resets = (torch.zeros(shape, dtype=torch.bool) for _ in range(3))
        for t in range(o.num_steps):
            policy, values[t] = self.agent(self.observation)
            actions[t] = policy.sample()
            logprobs[t] = policy.log_prob(actions[t])
            observations[t], resets[t] = self.observation, self.over
            self.observation, rewards[t], terminated[t], truncated[t] = self.games.step(actions[t])
            self.over = terminated[t] | truncated[t]
        values[-1] = self.agent(self.observation)[1]
        for env, score in self.games.finished:
            self.returns[self.level_of[env]].append(score)
        self.games.finished.clear()
        self.returns = [each[-100:] for each in self.returns]
        advantages = advantages_of(o, rewards, values, terminated, truncated)
        # The step after the end of an episode resets it and ignores the action, so there is nothing to learn from it.
        kept = ~resets
        return tuple(x[kept] for x in (observations, actions, logprobs, advantages, advantages + values[:-1]))

    def learn(
        self, observations: Tensor, actions: Tensor, logprobs: Tensor, advantages: Tensor, returns: Tensor
    ) -> None:
        """Optimizes the clipped objective in several passes over one rollout."""
        o = self.o
        for _ in range(o.epochs):
            for chosen in torch.randperm(len(actions)).split(o.minibatch):
                policy, value = self.agent(observations[chosen])
                ratio = (policy.log_prob(actions[chosen]) - logprobs[chosen]).exp()
                advantage = advantages[chosen]
                advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
                gain = torch.min(advantage * ratio, advantage * ratio.clamp(1 - o.clip, 1 + o.clip)).mean()
                value_loss = 0.5 * (value - returns[chosen]).square().mean()
                loss = 0.5 * value_loss - gain - o.entropy * policy.entropy().mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.agent.parameters(), o.max_grad_norm)
                self.optimizer.step()

    def train(self) -> None:
        o = self.o
        self.checkpoint.start()
        per_update = o.num_envs * o.num_steps
        updates, done = max(1, o.total_timesteps // per_update), self.steps // per_update
        log = Log(o.out, ("steps", "wall_s", *self.levels), done)
        bar = tqdm(total=updates * per_update, initial=self.steps, unit=" steps", unit_scale=True, smoothing=0.05)
        started = time.perf_counter() - self.wall
        for update in range(done, updates):
            self.optimizer.param_groups[0]["lr"] = o.learning_rate * (1 - 0.9 * update / updates)
            self.learn(*self.collect())
            self.steps += per_update
            self.wall = time.perf_counter() - started
            means = [np.mean(each) if each else float("nan") for each in self.returns]
            bar.update(per_update)
            bar.set_postfix_str("returns " + ", ".join(f"{mean:.2f}" for mean in means), refresh=False)
            log.write([self.steps, f"{self.wall:.2f}", *(f"{mean:.3f}" for mean in means)])
            if update % o.save_every == o.save_every - 1 or update == updates - 1:
                self.checkpoint.save()
        bar.close()

    @torch.no_grad()
    def act(self, observation: Tensor) -> Tensor:
        actions: Tensor = self.agent(observation)[0].sample()
        return actions

    def evaluate(self, levels: list[str], seed: int) -> list[float]:
        """Plays whole episodes of each level, prints the mean return of each, and returns all returns."""
        games = make(levels, len(levels) * self.o.eval_episodes, seed)
        returns = np.array(whole_games(games, self.act))
        for level, mean in zip(games.pool.tasks, returns.reshape(len(levels), -1).mean(axis=1), strict=True):
            print(f"  {level}: mean return {mean:.2f}")
        return [float(score) for score in returns]


def main() -> None:
    o = begin(Options, __doc__)
    run = Run(o)
    run.train()
    curve({"": o.out}, o.out / "curve.png", "Levels of MiniGrid", "mean return", {name: name for name in run.levels})
    if o.eval_episodes:
        judge(run.evaluate(run.levels, o.seed + 10_000), "episodes of levels seen in training", float("-inf"))
        judge(run.evaluate(o.held_out.split(","), o.seed + 20_000), "episodes of levels held out", o.require_return)


if __name__ == "__main__":
    main()
