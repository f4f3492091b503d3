# SPDX-License-Identifier: Apache-2.0
"""Learns Pong from pixels on a CPU: proximal policy optimisation in one file.

It is fast because the pool makes observations of the size that the network needs (three frames of 42 x 42 pixels), for
which a network with half a million multiplications suffices.

    python examples/ppo_atari.py                                   # Pong
    python examples/ppo_atari.py --task=Breakout-v5 --episodic_life --total_timesteps=10000000
    python examples/ppo_atari.py --resume --total_timesteps=2000000   # continues where it stopped

It writes log.csv, curve.png, checkpoint.pt and a video of a game to --out, and plays whole games at the end. A checkpoint
includes the state of the games, so a killed and resumed run ends with the same bits as an uninterrupted one.

For comparisons, --engine=gymnasium and --engine=ale step the games with the vector environments of gymnasium and ale-py.
The script also runs with the released EnvPool, if `import envpool` finds it. None of these engines can save games.

The whole algorithm is in this file, so that it can be read from top to bottom and changed without affecting another
example. Code that is not about learning is in common.py and torch_run.py.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import Log, film, judge, option, plot, whole_games
from torch import Tensor, nn
from torch.distributions import Categorical
from torch_run import Checkpoint, Games, begin
from tqdm import tqdm

import envpool


@dataclass
class Options:
    task: str = option("Pong-v5", "game to learn")
    seed: int = option(1, "random seed")
    total_timesteps: int = option(1_500_000, "total number of environment steps; each is four frames")
    out: Path = option(Path("runs/ppo_atari"), "output folder")
    resume: bool = option(False, "continue from the checkpoint in that folder")
    save_every: int = option(50, "updates between two checkpoints")
    torch_threads: int = option(1, "threads of torch; more do not speed up such a small network")
    require_return: float = option(float("-inf"), "fail if the mean return of the evaluation is lower")
    # The environment
    engine: str = option("envpool", "library that steps the games: envpool, gymnasium or ale")
    num_envs: int = option(32, "number of games")
    size: int = option(42, "height and width of an observation")
    stack_num: int = option(3, "frames in an observation, which show how the ball moves")
    episodic_life: bool = option(False, "whether the loss of a life ends an episode")
    # Learning
    num_steps: int = option(64, "steps of each game per rollout")
    minibatch: int = option(256, "steps per minibatch")
    epochs: int = option(3, "passes over each rollout")
    learning_rate: float = option(5e-4, "initial value; falls linearly to a tenth")
    gamma: float = option(0.99, "discount factor")
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation")
    clip: float = option(0.2, "clipping range of the probability ratio")
    entropy: float = option(0.01, "initial weight of the entropy bonus; falls linearly to a tenth")
    value_weight: float = option(0.5, "weight of the value loss")
    max_grad_norm: float = option(0.5, "gradients are clipped to this norm")
    # Evaluation
    eval_games: int = option(20, "whole games played at the end")
    video: str = option("game.mp4", "video of one more game, in --out; .gif needs no ffmpeg, '' makes none")


def make(o: Options, num_envs: int, seed: int, **more: Any) -> Any:
    if o.engine == "envpool":
        return envpool.make_gymnasium(
            o.task,
            num_envs=num_envs,
            seed=seed,
            img_height=o.size,
            img_width=o.size,
            stack_num=o.stack_num,
            episodic_life=o.episodic_life,
            reward_clip=True,
            **more,
        )
    if o.episodic_life:
        raise SystemExit(f"--engine={o.engine} does not support --episodic_life")
    import engines

    return engines.atari(o.engine, o.task, num_envs, seed, o.size, o.stack_num)


def layer(module: nn.Module, gain: float = 2**0.5) -> nn.Module:
    nn.init.orthogonal_(module.weight, gain)
    nn.init.zeros_(module.bias)
    return module


class Agent(nn.Module):
    """Two convolutions and a hidden layer, shared by the policy and the value."""

    def __init__(self, o: Options, num_actions: int):
        super().__init__()
        convolutions = nn.Sequential(
            layer(nn.Conv2d(o.stack_num, 16, 6, stride=3)), nn.ReLU(), layer(nn.Conv2d(16, 32, 3, stride=2)), nn.ReLU()
        )
        with torch.no_grad():
            size = convolutions(torch.zeros(1, o.stack_num, o.size, o.size)).numel()
        self.body = nn.Sequential(convolutions, nn.Flatten(), layer(nn.Linear(size, 128)), nn.ReLU())
        self.policy = layer(nn.Linear(128, num_actions), 0.01)
        self.value = layer(nn.Linear(128, 1), 1.0)
        self.to(memory_format=torch.channels_last)  # a third faster on a CPU
        self.register_buffer("background", torch.zeros(o.stack_num, o.size, o.size))
        self.register_buffer("contrast", torch.tensor(1 / 255))

    def normalize_by(self, observations: Tensor) -> None:
        """Computes the background and contrast of the first observations.

        Without this normalization, a ball of a few pixels would be too faint.
        """
        pixels = observations.float()
        self.background.copy_(pixels.mean(dim=0))
        self.contrast.copy_(1 / (pixels - self.background).std().clamp(min=1))

    def forward(self, observation: Tensor) -> tuple[Categorical, Tensor]:
        pixels = observation.float().sub_(self.background).mul_(self.contrast).clamp_(-5, 5)
        hidden = self.body(pixels.contiguous(memory_format=torch.channels_last))
        return Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


def advantages_of(o: Options, rewards: Tensor, values: Tensor, terminated: Tensor, truncated: Tensor) -> Tensor:
    """Returns generalised advantage estimates; `values` has one more row than the other arrays."""
    advantages = torch.zeros_like(rewards)
    running = torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        # If a game was truncated, the next row has the value of its last observation. If it terminated, its future
        # value is 0.
        delta = rewards[t] + o.gamma * values[t + 1] * ~terminated[t] - values[t]
        running = delta + o.gamma * o.gae_lambda * running * ~(terminated[t] | truncated[t])
        advantages[t] = running
    return advantages


def learn(
    o: Options,
    agent: Agent,
    optimizer: torch.optim.Optimizer,
    entropy_weight: float,
    observations: Tensor,
    actions: Tensor,
    logprobs: Tensor,
    advantages: Tensor,
    returns: Tensor,
) -> None:
    """Optimizes the clipped objective in several passes over one rollout."""
    for _ in range(o.epochs):
        for chosen in torch.randperm(len(actions)).split(o.minibatch):
            policy, value = agent(observations[chosen])
            ratio = (policy.log_prob(actions[chosen]) - logprobs[chosen]).exp()
            advantage = advantages[chosen]
            advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
            gain = torch.min(advantage * ratio, advantage * ratio.clamp(1 - o.clip, 1 + o.clip)).mean()
            value_loss = 0.5 * (value - returns[chosen]).square().mean()
            loss = o.value_weight * value_loss - gain - entropy_weight * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), o.max_grad_norm)
            optimizer.step()


class Run:
    """A training run."""

    def __init__(self, o: Options):
        self.o = o
        self.games = Games(make(o, o.num_envs, o.seed), o.num_envs)
        self.agent = Agent(o, self.games.num_actions)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), lr=o.learning_rate, eps=1e-5)
        self.observation = self.games.reset()
        self.over = torch.zeros(o.num_envs, dtype=torch.bool)
        self.steps, self.wall, self.cpu = 0, 0.0, 0.0
        self.checkpoint = Checkpoint(
            o,
            self.games.pool,
            {"agent": self.agent, "optimizer": self.optimizer},
            {
                "run": (self, ("observation", "over", "steps", "wall", "cpu")),
                "games": (self.games, ("running", "finished", "count", "wall", "cpu")),
            },
        )

    @torch.no_grad()
    def collect(self) -> tuple[Tensor, ...]:
        """Collects a rollout: observations, actions, their log probabilities, advantages and returns."""
        o, shape = self.o, (self.o.num_steps, self.o.num_envs)
        observations = torch.zeros(*shape, o.stack_num, o.size, o.size, dtype=torch.uint8)
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
        advantages = advantages_of(o, rewards, values, terminated, truncated)
        # The step after the end of a game resets it and ignores the action, so there is nothing to learn from it.
        kept = ~resets
        return tuple(x[kept] for x in (observations, actions, logprobs, advantages, advantages + values[:-1]))

    def train(self) -> None:
        o, games = self.o, self.games
        self.checkpoint.start()
        per_update = o.num_envs * o.num_steps
        updates, done = max(1, o.total_timesteps // per_update), self.steps // per_update
        columns = ("steps", "wall_s", "cpu_s", "env_wall_s", "env_cpu_s", "games", "mean_return_100")
        log = Log(o.out, columns, done)
        bar = tqdm(total=updates * per_update, initial=self.steps, unit=" steps", unit_scale=True, smoothing=0.05)
        started, started_cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        for update in range(done, updates):
            left = 1 - 0.9 * update / updates
            self.optimizer.param_groups[0]["lr"] = o.learning_rate * left
            rollout = self.collect()
            if update == 0:  # the first rollout only sets the normalization; its actions are random
                self.agent.normalize_by(rollout[0])
            else:
                learn(o, self.agent, self.optimizer, o.entropy * left, *rollout)
            self.steps += per_update
            self.wall, self.cpu = time.perf_counter() - started, time.process_time() - started_cpu
            mean = games.mean_score()
            bar.update(per_update)
            bar.set_postfix_str(f"return {mean:.1f}, {games.count} games", refresh=False)
            times = [f"{x:.2f}" for x in (self.wall, self.cpu, games.wall, games.cpu)]
            log.write([self.steps, *times, games.count, f"{mean:.3f}"])
            if update % o.save_every == o.save_every - 1 or update == updates - 1:
                self.checkpoint.save()
        bar.close()
        print(
            f"{self.steps:,} steps in {self.wall / 60:.1f} min ({self.steps / self.wall:,.0f} steps/s; "
            f"{self.cpu / 60:.1f} min of CPU), of which the games {games.wall / 60:.1f} min "
            f"({games.cpu / 60:.1f} min of CPU); {games.count} games"
        )

    @torch.no_grad()
    def likeliest(self, observation: Tensor) -> Tensor:
        actions: Tensor = self.agent(observation)[0].logits.argmax(dim=-1)
        return actions

    def evaluate(self) -> list[float]:
        """Returns the scores of whole games in which the agent always takes the most likely action."""
        pool = make(self.o, self.o.eval_games, self.o.seed + 10_000)
        return whole_games(Games(pool, self.o.eval_games), self.likeliest)

    def film(self) -> None:
        pool = make(self.o, 1, self.o.seed + 20_000, render_mode="rgb_array")
        path = self.o.out / self.o.video
        film(path, pool, lambda x: self.likeliest(torch.from_numpy(x)).numpy().astype(np.int32), fps=15, most=2000)


def main() -> None:
    o = begin(Options, __doc__)
    run = Run(o)
    run.train()
    plot(o.out, o.task, "games")
    if o.eval_games:
        judge(run.evaluate(), "whole games", o.require_return)
    if o.video and o.engine == "envpool":
        run.film()


if __name__ == "__main__":
    main()
