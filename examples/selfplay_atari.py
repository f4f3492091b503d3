# SPDX-License-Identifier: Apache-2.0
r"""Learns Pong by self-play from pixels on a CPU: both players of a game learn in one pool, with one network.

    pip install torch matplotlib tqdm ale-py
    python examples/selfplay_atari.py                            # minutes on one CPU
    python examples/selfplay_atari.py --task=atari/surround-v2   # another game of two players who oppose each other

A step of the pool takes the actions of both players and returns one observation, since both see the same screen. The
network always plays the first player's side: the second player sees the screen mirrored. So each game gives the samples
of two players, and the network meets an opponent of its own strength at any time.

The table shows which part of the points the network wins against random moves, on both sides, and against the
opponent in the cartridge's game for one player, which it never meets while it learns. It writes curve.png, log.csv and
the network, agent.pt, to --out.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import Log, curve, option
from ppo_atari import Agent, advantages_of, learn
from torch import Tensor
from torch_run import begin
from tqdm import tqdm

import envpool


@dataclass
class Options:
    task: str = option("atari/pong-v3", "game of two players to learn")
    against: str = option("Pong-v5", "the same game for one player, with whose opponent it is compared; '' for none")
    seed: int = option(1, "random seed")
    total_timesteps: int = option(600_000, "steps of all games; each is four frames, with two actions")
    out: Path = option(Path("runs/selfplay_atari"), "output folder")
    start: str = option("", "agent.pt of an earlier run with the same options, from which this one goes on")
    torch_threads: int = option(1, "threads of torch; more do not speed up such a small network")
    require_share: float = option(0.0, "fail if the last part of the points won against random moves is lower")
    # The environment
    num_envs: int = option(32, "number of games")
    size: int = option(42, "height and width of an image")
    stack_num: int = option(3, "images in an observation, which show how the ball moves")
    # Learning
    num_steps: int = option(64, "steps of each game per rollout")
    minibatch: int = option(512, "steps of a player per minibatch")
    epochs: int = option(2, "passes over each rollout")
    learning_rate: float = option(5e-4, "initial value; falls linearly to a tenth")
    gamma: float = option(0.99, "discount factor")
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation")
    clip: float = option(0.2, "clipping range of the probability ratio")
    entropy: float = option(0.01, "initial weight of the entropy bonus; falls linearly to a tenth")
    value_weight: float = option(0.5, "weight of the value loss")
    max_grad_norm: float = option(0.5, "gradients are clipped to this norm")
    # Evaluation
    eval_every: int = option(32, "updates between two evaluations")
    eval_games: int = option(16, "games in an evaluation")
    eval_steps: int = option(400, "steps of each of them")


def make(o: Options, task: str, num_envs: int, seed: int, **more: Any) -> Any:
    return envpool.make_gymnasium(
        task,
        num_envs=num_envs,
        seed=seed,
        img_height=o.size,
        img_width=o.size,
        stack_num=o.stack_num,
        frame_skip=4,
        **more,
    )


def views(observation: Tensor) -> Tensor:
    """Returns what the first players see, and then what the second ones do: the mirrored screen."""
    return torch.cat([observation, observation.flip(-1)])


class Run:
    """A training run. Tensors of players have the first players of all games before the second ones."""

    def __init__(self, o: Options):
        self.o = o
        self.pool = make(o, o.task, o.num_envs, o.seed, obs_type="screen")
        if self.pool.spec.config.max_num_players != 2:
            raise SystemExit(f"--task={o.task}: expected a game of two players")
        self.num_actions = int(self.pool.action_space.n)
        # Agent is the network of ppo_atari.py. It reads the size of an observation from the options.
        self.agent = Agent(o, self.num_actions)  # type: ignore[arg-type]
        self.optimizer = torch.optim.Adam(self.agent.parameters(), lr=o.learning_rate, eps=1e-5)
        if o.start:
            self.agent.load_state_dict(torch.load(o.start, weights_only=True))
        self.observation = views(torch.from_numpy(self.pool.reset()[0]))
        self.over = torch.zeros(2 * o.num_envs, dtype=torch.bool)

    @staticmethod
    def step(pool: Any, actions: Tensor) -> tuple[Tensor, ...]:
        """Steps games of two players; returns what the players see, their rewards, and how their games ended."""
        # A pool has the two players of a game next to each other.
        rows = actions.reshape(2, -1).T.reshape(-1).numpy().astype(np.int32)
        observation, reward, terminated, truncated, _ = pool.step(rows)
        ends = (torch.from_numpy(end).repeat(2) for end in (terminated, truncated))
        return views(torch.from_numpy(observation)), torch.from_numpy(reward).reshape(-1, 2).T.reshape(-1), *ends

    @torch.no_grad()
    def collect(self) -> tuple[Tensor, ...]:
        """Collects a rollout: observations, actions, their log probabilities, advantages and returns, and points."""
        o, players = self.o, 2 * self.o.num_envs
        shape = (o.num_steps, players)
        observations = torch.zeros(*shape, o.stack_num, o.size, o.size, dtype=torch.uint8)
        actions = torch.zeros(shape, dtype=torch.int64)
        logprobs, rewards, values = torch.zeros(shape), torch.zeros(shape), torch.zeros(o.num_steps + 1, players)
        terminated, truncated, resets = (torch.zeros(shape, dtype=torch.bool) for _ in range(3))
        for t in range(o.num_steps):
            policy, values[t] = self.agent(self.observation)
            actions[t] = policy.sample()
            logprobs[t] = policy.log_prob(actions[t])
            observations[t], resets[t] = self.observation, self.over
            self.observation, rewards[t], terminated[t], truncated[t] = self.step(self.pool, actions[t])
            self.over = terminated[t] | truncated[t]
        values[-1] = self.agent(self.observation)[1]
        advantages = advantages_of(o, rewards, values, terminated, truncated)  # type: ignore[arg-type]
        # The step after the end of a game resets it and ignores the actions, so there is nothing to learn from it.
        kept = ~resets
        points = (rewards > 0).sum()
        arrays = (observations, actions, logprobs, advantages, advantages + values[:-1])
        return *(x[kept] for x in arrays), points

    def train(self) -> float:
        o = self.o
        per_update = o.num_envs * o.num_steps
        updates = max(1, o.total_timesteps // per_update)
        columns = ("steps", "wall_s", "cpu_s", "steps_per_point", "random", "computer")
        log = Log(o.out, columns, 0)
        bar = tqdm(total=updates * per_update, unit=" steps", unit_scale=True, smoothing=0.05)
        started, started_cpu = time.perf_counter(), time.process_time()
        points, evaluated, share = 0, -1, float("nan")  # points since the update that was evaluated last
        for update in range(updates):
            left = 1 - 0.9 * update / updates
            self.optimizer.param_groups[0]["lr"] = o.learning_rate * left
            *rollout, scored = self.collect()
            points += int(scored)
            if update == 0 and not o.start:  # the first rollout only sets the normalization; its actions are random
                self.agent.normalize_by(rollout[0])
            else:
                learn(o, self.agent, self.optimizer, o.entropy * left, *rollout)  # type: ignore[arg-type]
            bar.update(per_update)
            if update % o.eval_every == 0 or update == updates - 1:
                share, computer = self.against_random(), self.against_computer() if o.against else float("nan")
                played = (update - evaluated) * per_update
                wall, cpu = time.perf_counter() - started, time.process_time() - started_cpu
                row = [f"{wall:.1f}", f"{cpu:.1f}", f"{played / max(points, 1):.1f}", f"{share:.3f}", f"{computer:.3f}"]
                log.write([(update + 1) * per_update, *row])
                bar.write(f"{(update + 1) * per_update:>9,} steps, {cpu / 60:4.1f} min of CPU: {', '.join(row[2:])}")
                points, evaluated = 0, update
                torch.save(self.agent.state_dict(), o.out / "agent.pt")
        bar.close()
        return share

    @torch.no_grad()
    def against_random(self) -> float:
        """Returns the part of the points that the network wins; it is the first player in half of the games."""
        o = self.o
        pool = make(o, o.task, o.eval_games, o.seed + 10_000, obs_type="screen")
        seen = views(torch.from_numpy(pool.reset()[0]))
        is_mine = torch.arange(o.eval_games).repeat(2) % 2 == torch.arange(2).repeat_interleave(o.eval_games)
        won, lost = 0, 0
        for _ in range(o.eval_steps):
            actions = torch.randint(self.num_actions, (2 * o.eval_games,))
            actions[is_mine] = self.agent(seen[is_mine])[0].sample()
            seen, reward, *_ = self.step(pool, actions)
            won += int((reward[is_mine] > 0).sum())
            lost += int((reward[is_mine] < 0).sum())
        return won / max(won + lost, 1)

    @torch.no_grad()
    def against_computer(self) -> float:
        """Returns the part of the points that the network wins in the game for one player."""
        o = self.o
        pool = make(o, o.against, o.eval_games, o.seed + 20_000)
        if int(pool.action_space.n) != self.num_actions:
            raise SystemExit(f"--against={o.against}: expected the actions of {o.task}")
        observation, won, lost = pool.reset()[0], 0, 0
        for _ in range(o.eval_steps):
            actions = self.agent(torch.from_numpy(observation))[0].sample()
            observation, reward, *_ = pool.step(actions.numpy().astype(np.int32))
            won += int((reward > 0).sum())
            lost += int((reward < 0).sum())
        return won / max(won + lost, 1)


def main() -> None:
    o = begin(Options, __doc__)
    share = Run(o).train()
    parts = {"against random moves": "random"}
    if o.against:
        parts["against the cartridge's opponent"] = "computer"
    curve({"": o.out}, o.out / "curve.png", o.task, "part of the points won", parts)
    if share < o.require_share:
        raise SystemExit(f"the part of the points won, {share:.2f}, is below {o.require_share}")


if __name__ == "__main__":
    main()
