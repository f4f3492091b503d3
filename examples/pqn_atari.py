# SPDX-License-Identifier: Apache-2.0
"""Q-learning without a replay buffer, on MinAtar or Atari: PQN in one file.

Many parallel games replace the buffer, layer normalisation replaces the target network, and values are learned from
lambda-returns (Gallici et al. 2024, https://arxiv.org/abs/2407.04811). Most settings come from that paper.

    python examples/pqn_atari.py                                    # MinAtar's Breakout, a few minutes
    python examples/pqn_atari.py --resume --total_timesteps=3000000 # continues where it stopped
    python examples/pqn_atari.py --task=Pong-v5 --learning_rate=2.5e-4 --epochs=2

It writes log.csv, curve.png, checkpoint.pt and a video of a game to --out. A checkpoint includes the state of the games,
so a killed and resumed run ends with the same bits as an uninterrupted one.

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
from torch_run import Checkpoint, Games, begin
from tqdm import tqdm

import envpool


@dataclass
class Options:
    task: str = option("Breakout-MinAtar", "game to learn, an id of MinAtar or Atari")
    seed: int = option(1, "random seed")
    total_timesteps: int = option(1_500_000, "environment steps to learn from")
    out: Path = option(Path("runs/pqn_atari"), "output folder")
    resume: bool = option(False, "continue from the checkpoint in that folder")
    save_every: int = option(50, "updates between two checkpoints")
    torch_threads: int = option(1, "threads of torch; more do not speed up such a small network")
    require_return: float = option(float("-inf"), "fail if the mean return of the evaluation is lower")
    num_envs: int = option(128, "number of games")
    # Exploration: the probability of a random action
    explore_first: float = option(1.0, "initial probability")
    explore_last: float = option(0.05, "final probability, after a linear decrease")
    explore_until: int = option(250_000, "steps of the decrease")
    # Learning
    num_steps: int = option(32, "steps of each game per rollout")
    minibatch: int = option(256, "steps per minibatch")
    epochs: int = option(2, "passes over each rollout")
    learning_rate: float = option(5e-4, "initial value; falls linearly to a tenth")
    gamma: float = option(0.99, "discount factor")
    td_lambda: float = option(0.65, "lambda of the returns: 0 looks one step ahead, 1 to the end of the game")
    max_grad_norm: float = option(10.0, "gradients are clipped to this norm")
    # Evaluation
    eval_games: int = option(64, "whole games played at the end")
    video: str = option("game.mp4", "video of one more game, in --out; .gif needs no ffmpeg, '' makes none")


def is_minatar(task: str) -> bool:
    return "MinAtar" in task


def make(o: Options, num_envs: int, seed: int, **more: Any) -> Any:
    if not is_minatar(o.task):
        more = {"stack_num": 4, "reward_clip": True, **more}
    return envpool.make_gymnasium(o.task, num_envs=num_envs, seed=seed, **more)


class Network(nn.Module):
    """Computes the value of each action. All layers except the last are normalised, so that values do not diverge."""

    def __init__(self, o: Options, observation: Tensor, actions: int):
        super().__init__()
        self.minatar = is_minatar(o.task)
        # Channels, size and stride of each
        convolutions = [(16, 3, 1)] if self.minatar else [(32, 8, 4), (64, 4, 2), (64, 3, 1)]
        x = self.pixels(observation[:1])
        layers: list[nn.Module] = []
        for channels, size, stride in convolutions:
            layers.append(nn.Conv2d(x.shape[1], channels, size, stride))
            x = layers[-1](x)
            layers += [nn.LayerNorm(x.shape[1:]), nn.ReLU()]
        hidden = 128 if self.minatar else 512
        layers += [nn.Flatten(), nn.Linear(x[0].numel(), hidden), nn.LayerNorm(hidden), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(hidden, actions))
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(module.weight)
                nn.init.zeros_(module.bias)
        nn.init.orthogonal_(self.layers[-1].weight, 1.0)

    def pixels(self, observation: Tensor) -> Tensor:
        """Converts MinAtar's bools (channels last) or Atari's bytes (channels first) to floats with channels first."""
        return observation.float().permute(0, 3, 1, 2) if self.minatar else observation / 255

    def forward(self, observation: Tensor) -> Any:
        return self.layers(self.pixels(observation))


def returns_of(o: Options, rewards: Tensor, values: Tensor, terminated: Tensor, truncated: Tensor) -> Tensor:
    """Returns lambda-returns. `values` has the values of the best actions, and one more row than the other arrays."""
    returns = torch.zeros_like(rewards)
    following = values[-1]
    for t in reversed(range(len(rewards))):
        # If a game was truncated, the next row has the value of its last observation. If it terminated, its future
        # value is 0.
        mixed = o.td_lambda * following + (1 - o.td_lambda) * values[t + 1]
        ahead = torch.where(truncated[t], values[t + 1], mixed) * ~terminated[t]
        following = returns[t] = rewards[t] + o.gamma * ahead
    return returns


class Run:
    """A training run."""

    def __init__(self, o: Options):
        self.o = o
        self.games = Games(make(o, o.num_envs, o.seed), o.num_envs)
        self.actions = self.games.num_actions
        self.observation = self.games.reset()
        self.over = torch.zeros(o.num_envs, dtype=torch.bool)
        self.network = Network(o, self.observation, self.actions)
        self.optimizer = torch.optim.RAdam(self.network.parameters(), lr=o.learning_rate)
        self.steps, self.wall = 0, 0.0
        self.checkpoint = Checkpoint(
            o,
            self.games.pool,
            {"network": self.network, "optimizer": self.optimizer},
            {
                "run": (self, ("observation", "over", "steps", "wall")),
                "games": (self.games, ("running", "finished", "count", "wall", "cpu")),
            },
        )

    @torch.no_grad()
    def collect(self) -> tuple[Tensor, Tensor, Tensor]:
        """Collects a rollout: observations, actions and returns."""
        o, shape = self.o, (self.o.num_steps, self.o.num_envs)
        observations = torch.empty(o.num_steps, *self.observation.shape, dtype=self.observation.dtype)
        actions = torch.empty(shape, dtype=torch.int64)
        rewards, values = torch.empty(shape), torch.empty(o.num_steps + 1, o.num_envs)
        terminated, truncated, resets = (torch.empty(shape, dtype=torch.bool) for _ in range(3))
        explored = min(1.0, self.steps / o.explore_until)
        explore = o.explore_first + explored * (o.explore_last - o.explore_first)
        for t in range(o.num_steps):
            values[t], best = self.network(self.observation).max(dim=-1)
            anything = torch.randint(self.actions, (o.num_envs,))
            actions[t] = torch.where(torch.rand(o.num_envs) < explore, anything, best)
            observations[t], resets[t] = self.observation, self.over
            self.observation, rewards[t], terminated[t], truncated[t] = self.games.step(actions[t])
            self.over = terminated[t] | truncated[t]
        values[-1] = self.network(self.observation).amax(dim=-1)
        returns = returns_of(o, rewards, values, terminated, truncated)
        # The step after the end of a game resets it and ignores the action, so there is nothing to learn from it.
        kept = ~resets
        return observations[kept], actions[kept], returns[kept]

    def learn(self, observations: Tensor, actions: Tensor, returns: Tensor) -> None:
        for _ in range(self.o.epochs):
            for chosen in torch.randperm(len(actions)).split(self.o.minibatch):
                value = self.network(observations[chosen]).gather(1, actions[chosen, None]).squeeze(1)
                loss = 0.5 * (value - returns[chosen]).square().mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), self.o.max_grad_norm)
                self.optimizer.step()

    def train(self) -> None:
        o = self.o
        self.checkpoint.start()
        per_update = o.num_envs * o.num_steps
        updates, done = max(1, o.total_timesteps // per_update), self.steps // per_update
        log = Log(o.out, ("steps", "wall_s", "env_wall_s", "games", "mean_return_100"), done)
        bar = tqdm(total=updates * per_update, initial=self.steps, unit=" steps", unit_scale=True, smoothing=0.05)
        started, before = time.perf_counter(), self.wall
        for update in range(done, updates):
            self.optimizer.param_groups[0]["lr"] = o.learning_rate * (1 - 0.9 * update / updates)
            self.learn(*self.collect())
            self.steps += per_update
            self.wall = before + time.perf_counter() - started
            mean = self.games.mean_score()
            bar.update(per_update)
            bar.set_postfix_str(f"return {mean:.1f}, {self.games.count} games", refresh=False)
            log.write([self.steps, f"{self.wall:.2f}", f"{self.games.wall:.2f}", self.games.count, f"{mean:.3f}"])
            if update % o.save_every == o.save_every - 1 or update == updates - 1:
                self.checkpoint.save()
        bar.close()
        print(
            f"{self.steps:,} steps in {self.wall / 60:.1f} min ({self.steps / max(self.wall, 1e-9):,.0f} steps/s), of which "
            f"the games {self.games.wall / 60:.1f} min"
        )

    @torch.no_grad()
    def best(self, observation: Tensor) -> Tensor:
        actions: Tensor = self.network(observation).argmax(dim=-1)
        return actions

    def evaluate(self) -> list[float]:
        """Returns the scores of whole games in which the agent always takes the best action."""
        pool = make(self.o, self.o.eval_games, self.o.seed + 10_000)
        return whole_games(Games(pool, self.o.eval_games), self.best)

    def film(self) -> None:
        pool = make(self.o, 1, self.o.seed + 20_000, render_mode="rgb_array")
        path = self.o.out / self.o.video
        film(path, pool, lambda x: self.best(torch.from_numpy(x)).numpy().astype(np.int32), fps=15, most=2000)


def main() -> None:
    o = begin(Options, __doc__)
    run = Run(o)
    run.train()
    plot(o.out, o.task, "games")
    if o.eval_games:
        judge(run.evaluate(), "whole games", o.require_return)
    if o.video:
        run.film()


if __name__ == "__main__":
    main()
