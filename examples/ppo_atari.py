# SPDX-License-Identifier: Apache-2.0
"""From pixels to winning at Pong on a CPU: proximal policy optimisation in one file.

What makes it quick is a pool that draws the pictures in the size the network wants (42 x 42, three of them), and a network
of half a million multiplications that is content with them.

    python examples/ppo_atari.py                                   # Pong
    python examples/ppo_atari.py --task=Breakout-v5 --episodic_life --total_timesteps=10000000

It leaves log.csv, curve.png and policy.pt in --out, and plays whole games at the end. The released EnvPool runs it too:
nothing but `import envpool` decides which package steps the games.
"""

import argparse
import csv
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Discrete
from torch import Tensor, nn
from torch.distributions import Categorical
from tqdm import tqdm

import envpool


def option(default: Any, says: str) -> Any:
    return field(default=default, metadata={"help": f"{says} (default: {default})"})


@dataclass
class Options:
    task: str = option("Pong-v5", "which game")
    seed: int = option(1, "of everything")
    total_timesteps: int = option(1_500_000, "environment steps to learn from; each is four frames")
    out: Path = option(Path("runs/ppo_atari"), "folder of what is left behind")
    torch_threads: int = option(1, "cores that the network may use; its steps are too small to share")
    require_return: float = option(float("-inf"), "fail if the mean return of the evaluation is below")
    # What the agent sees
    num_envs: int = option(32, "games stepped together")
    picture: int = option(42, "height and width of an observation")
    stack_num: int = option(3, "pictures in an observation: where the ball is, and where it was")
    episodic_life: bool = option(False, "a lost life ends an episode")
    # How it learns
    num_steps: int = option(64, "steps of each game between two updates")
    minibatch: int = option(256, "steps learned from at once")
    epochs: int = option(3, "times each step is learned from")
    learning_rate: float = option(5e-4, "at the start; it falls to a tenth linearly")
    gamma: float = option(0.99, "discount")
    gae_lambda: float = option(0.95, "of generalised advantage estimation")
    clip: float = option(0.2, "how far an update may move the policy")
    entropy: float = option(0.01, "weight of the entropy bonus at the start; it falls to a tenth linearly")
    value_weight: float = option(0.5, "weight of the value loss")
    max_grad_norm: float = option(0.5, "gradients are cut to it")
    # How it is judged
    eval_games: int = option(20, "whole games played at the end, one in each of as many environments")


def parse() -> Options:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for f in fields(Options):
        how = {"action": argparse.BooleanOptionalAction} if f.type is bool else {"type": f.type}
        parser.add_argument(f"--{f.name}", default=f.default, help=f.metadata["help"], **how)
    return Options(**vars(parser.parse_args()))


class Games:
    """A pool, the returns of the whole games played in it, and the time it took."""

    def __init__(self, o: Options, num_envs: int, seed: int):
        self.pool = envpool.make_gymnasium(
            o.task,
            num_envs=num_envs,
            seed=seed,
            img_height=o.picture,
            img_width=o.picture,
            stack_num=o.stack_num,
            episodic_life=o.episodic_life,
            reward_clip=True,
        )
        assert isinstance(self.pool.action_space, Discrete)
        self.num_actions = int(self.pool.action_space.n)
        self.running = np.zeros(num_envs, np.float64)
        self.finished: list[tuple[int, float]] = []  # (environment, return), in the order they ended
        self.wall = self.cpu = 0.0

    def reset(self) -> Tensor:
        return torch.from_numpy(self.pool.reset()[0])

    def step(self, actions: Tensor) -> Iterator[Tensor]:
        wall, cpu = time.perf_counter(), time.process_time()
        observation, reward, terminated, truncated, info = self.pool.step(actions.numpy().astype(np.int32))
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        self.running += info["reward"]  # the points of the game, where `reward` is their sign
        over = info["terminated"].astype(bool) | truncated  # the game, where `terminated` may be a life
        self.finished += [(int(i), float(self.running[i])) for i in np.flatnonzero(over)]
        self.running[over] = 0
        return (torch.from_numpy(x) for x in (observation, reward, terminated, truncated))


def layer(module: nn.Module, gain: float = 2**0.5) -> nn.Module:
    nn.init.orthogonal_(module.weight, gain)
    nn.init.zeros_(module.bias)
    return module


class Agent(nn.Module):
    """Two convolutions and a hidden layer, from which both the policy and the value are read."""

    def __init__(self, o: Options, num_actions: int):
        super().__init__()
        seen = nn.Sequential(
            layer(nn.Conv2d(o.stack_num, 16, 6, stride=3)), nn.ReLU(), layer(nn.Conv2d(16, 32, 3, stride=2)), nn.ReLU()
        )
        with torch.no_grad():
            size = seen(torch.zeros(1, o.stack_num, o.picture, o.picture)).numel()
        self.body = nn.Sequential(seen, nn.Flatten(), layer(nn.Linear(size, 128)), nn.ReLU())
        self.policy = layer(nn.Linear(128, num_actions), 0.01)
        self.value = layer(nn.Linear(128, 1), 1.0)
        self.to(memory_format=torch.channels_last)  # a third quicker on a CPU
        self.register_buffer("background", torch.zeros(o.stack_num, o.picture, o.picture))
        self.register_buffer("contrast", torch.tensor(1 / 255))

    def look(self, observations: Tensor) -> None:
        """Learn what always looks the same; so little is left of a ball in a small picture that it would be lost."""
        pixels = observations.float()
        self.background.copy_(pixels.mean(dim=0))
        self.contrast.copy_(1 / (pixels - self.background).std().clamp(min=1))

    def forward(self, observation: Tensor) -> tuple[Categorical, Tensor]:
        pixels = observation.float().sub_(self.background).mul_(self.contrast).clamp_(-5, 5)
        hidden = self.body(pixels.contiguous(memory_format=torch.channels_last))
        return Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


def advantages_of(o: Options, rewards: Tensor, values: Tensor, terminated: Tensor, truncated: Tensor) -> Tensor:
    """Generalised advantage estimation; `values` has one row more than the rest."""
    advantages = torch.zeros_like(rewards)
    running = torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        # A game cut off keeps the value of its last picture, which is in the next row; one that ended is worth nothing.
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
    """The clipped objective over one rollout, several times."""
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


def train(o: Options, games: Games, agent: Agent) -> None:
    optimizer = torch.optim.Adam(agent.parameters(), lr=o.learning_rate, eps=1e-5)
    shape = (o.num_steps, o.num_envs)
    observations = torch.zeros(*shape, o.stack_num, o.picture, o.picture, dtype=torch.uint8)
    actions = torch.zeros(shape, dtype=torch.int64)
    logprobs, rewards, values = torch.zeros(shape), torch.zeros(shape), torch.zeros(o.num_steps + 1, o.num_envs)
    terminated, truncated, resets = (torch.zeros(shape, dtype=torch.bool) for _ in range(3))

    observation = games.reset()
    over = torch.zeros(o.num_envs, dtype=torch.bool)
    updates = max(1, o.total_timesteps // (o.num_envs * o.num_steps))
    started, started_cpu = time.perf_counter(), time.process_time()
    log = csv.writer((o.out / "log.csv").open("w", buffering=1))
    log.writerow(["steps", "wall_s", "cpu_s", "env_wall_s", "env_cpu_s", "games", "mean_return_100"])
    bar = tqdm(total=updates * o.num_envs * o.num_steps, unit=" steps", unit_scale=True, smoothing=0.05)
    for update in range(updates):
        left = 1 - 0.9 * update / updates
        optimizer.param_groups[0]["lr"] = o.learning_rate * left
        with torch.no_grad():
            for t in range(o.num_steps):
                policy, values[t] = agent(observation)
                actions[t] = policy.sample()
                logprobs[t] = policy.log_prob(actions[t])
                observations[t], resets[t] = observation, over
                observation, rewards[t], terminated[t], truncated[t] = games.step(actions[t])
                over = terminated[t] | truncated[t]
            values[-1] = agent(observation)[1]
        advantages = advantages_of(o, rewards, values, terminated, truncated)
        # The step after an end only starts the next game, whatever the action: there is nothing to learn from it.
        kept = ~resets
        rollout = (x[kept] for x in (observations, actions, logprobs, advantages, advantages + values[:-1]))
        if update == 0:  # moves at random still: the pictures are of use, the policy has nothing to be told
            agent.look(observations.flatten(0, 1))
        else:
            learn(o, agent, optimizer, o.entropy * left, *rollout)

        recent = [score for _, score in games.finished[-100:]]
        mean = float(np.mean(recent)) if recent else float("nan")
        bar.update(o.num_envs * o.num_steps)
        bar.set_postfix_str(f"return {mean:.1f}, {len(games.finished)} games", refresh=False)
        wall, cpu = time.perf_counter() - started, time.process_time() - started_cpu
        times = [f"{x:.2f}" for x in (wall, cpu, games.wall, games.cpu)]
        log.writerow([bar.n, *times, len(games.finished), f"{mean:.3f}"])
        if update % 50 == 49 or update == updates - 1:
            torch.save(agent.state_dict(), o.out / "policy.pt")
    bar.close()
    print(
        f"{bar.n:,} steps in {wall / 60:.1f} min ({bar.n / wall:,.0f} steps/s; {cpu / 60:.1f} min of CPU), "
        f"of which the games {games.wall / 60:.1f} min ({games.cpu / 60:.1f} min of CPU); "
        f"mean return of the last {len(recent)} games {mean:.2f}"
    )


@torch.no_grad()
def evaluate(o: Options, agent: Agent) -> list[float]:
    """Returns of whole games, each step the likeliest action.

    One game of each environment: of the first games to end, too many would be short ones.
    """
    games = Games(o, o.eval_games, o.seed + 10_000)
    observation = games.reset()
    returns: dict[int, float] = {}
    while len(returns) < o.eval_games:
        observation, *_ = games.step(agent(observation)[0].logits.argmax(dim=-1))
        for env, score in games.finished:
            returns.setdefault(env, score)
        games.finished.clear()
    return list(returns.values())


def plot(o: Options) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    steps, wall, *_, mean = np.genfromtxt(o.out / "log.csv", delimiter=",", skip_header=1, ndmin=2).T
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
    for ax, x, name in zip(axes, (steps / 1e6, wall / 60), ("million steps", "minutes"), strict=True):
        ax.plot(x, mean)
        ax.set_xlabel(name)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("mean return of 100 games")
    figure.suptitle(o.task)
    figure.savefig(o.out / "curve.png", dpi=90)


def main() -> None:
    o = parse()
    o.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(o.seed)
    torch.set_num_threads(o.torch_threads)
    games = Games(o, o.num_envs, o.seed)
    agent = Agent(o, games.num_actions)
    train(o, games, agent)
    plot(o)
    if o.eval_games:
        returns = evaluate(o, agent)
        mean = float(np.mean(returns))
        print(f"mean return of {len(returns)} whole games {mean:.2f}, from {min(returns):.0f} to {max(returns):.0f}")
        if mean < o.require_return:
            raise SystemExit(f"mean return {mean:.2f} is below {o.require_return}")


if __name__ == "__main__":
    main()
