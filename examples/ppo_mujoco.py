# SPDX-License-Identifier: Apache-2.0
"""Teaches HalfCheetah to run: proximal policy optimisation on MuJoCo, in an asynchronous pool.

The policy acts for `batch_size` of the `num_envs` environments at a time, while the others are being stepped. If
batch_size equals num_envs, the pool is synchronous. The steps of each environment stay in order, so advantages are
computed for each environment by `info["env_id"]`, and the order of the batches does not matter.

    python examples/ppo_mujoco.py                                     # HalfCheetah-v5, a few minutes
    python examples/ppo_mujoco.py --task=Ant-v5 --total_timesteps=3000000
    python examples/ppo_mujoco.py --resume --total_timesteps=2000000  # continues where it stopped

It writes log.csv, curve.png, checkpoint.pt and a video of an episode to --out. A checkpoint includes the state of the
simulations, so a killed and resumed synchronous run ends with the same bits as an uninterrupted one.

For comparisons, --backend=mujoco simulates the robots with MuJoCo's library, and --engine=gymnasium steps them with
gymnasium's AsyncVectorEnv, which is synchronous. The script also runs with the released EnvPool, if `import envpool` finds
it. The last two cannot save their simulations.

The whole algorithm is in this file, so that it can be read from top to bottom and changed without affecting another
example. Code that is not about learning is in common.py and torch_run.py.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import Log, film, judge, option, plot
from torch import Tensor, nn
from torch.distributions import Normal
from torch_run import Checkpoint, begin
from tqdm import tqdm

import envpool


@dataclass
class Options:
    task: str = option("HalfCheetah-v5", "environment to learn")
    seed: int = option(1, "random seed")
    total_timesteps: int = option(1_500_000, "environment steps to learn from")
    out: Path = option(Path("runs/ppo_mujoco"), "output folder")
    resume: bool = option(False, "continue from the checkpoint in that folder")
    save_every: int = option(50, "updates between two checkpoints")
    torch_threads: int = option(1, "threads of torch; more do not speed up such a small network")
    require_return: float = option(float("-inf"), "fail if the mean return of the evaluation is lower")
    # The environment
    engine: str = option("envpool", "library that steps the environments: envpool or gymnasium")
    backend: str = option("", "what simulates the robots in envpool: '' is its choice, 'mujoco' is MuJoCo's library")
    num_envs: int = option(64, "environments in the pool")
    batch_size: int = option(32, "environments per batch; num_envs makes the pool synchronous")
    num_threads: int = option(0, "threads of the pool; 0: as many as CPUs that this process may use")
    # Learning
    num_steps: int = option(64, "steps of each environment per rollout, on average")
    minibatch: int = option(256, "steps per minibatch")
    epochs: int = option(8, "passes over each rollout")
    learning_rate: float = option(4e-4, "initial value; falls linearly to a tenth")
    gamma: float = option(0.99, "discount factor")
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation")
    clip: float = option(0.2, "clipping range of the probability ratio")
    value_weight: float = option(0.5, "weight of the value loss")
    max_grad_norm: float = option(0.5, "gradients are clipped to this norm")
    # Evaluation
    eval_episodes: int = option(
        16, "episodes at the end, in which each action is the mean of the policy's distribution"
    )
    video: str = option(
        "episode.mp4", "video of the beginning of one more episode, in --out; .gif needs no ffmpeg, '' makes none"
    )


def make(o: Options) -> Any:
    if o.engine == "envpool":
        backend = {"backend": o.backend} if o.backend else {}  # the released EnvPool does not have this option
        return envpool.make_gymnasium(
            o.task, num_envs=o.num_envs, batch_size=o.batch_size, num_threads=o.num_threads, seed=o.seed, **backend
        )
    if o.backend:
        raise SystemExit(f"--backend: expected none with --engine={o.engine}, got {o.backend}")
    if o.engine != "gymnasium" or o.batch_size != o.num_envs:
        raise SystemExit("--engine: expected envpool, or gymnasium with --batch_size equal to --num_envs")
    import engines

    return engines.mujoco(o.task, o.num_envs, o.seed)


class Scale:
    """A running mean and variance, computed by the parallel formula of Chan, Golub and LeVeque (1979)."""

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        self.mean: Any = np.zeros(shape)
        self.variance: Any = np.ones(shape)
        self.count = 1e-4

    def update(self, rows: Any) -> None:
        total = self.count + len(rows)
        shift = rows.mean(0) - self.mean
        squares = self.variance * self.count + rows.var(0) * len(rows) + shift**2 * self.count * len(rows) / total
        self.mean, self.variance, self.count = self.mean + shift * len(rows) / total, squares / total, total

    @property
    def deviation(self) -> Any:
        return np.sqrt(self.variance + 1e-8)


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Module:
    module = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(module.weight, gain)
    nn.init.zeros_(module.bias)
    return module


def tower(inputs: int, outputs: int, gain: float) -> nn.Module:
    return nn.Sequential(layer(inputs, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, outputs, gain))


class Agent(nn.Module):
    def __init__(self, observed: int, actions: int):
        super().__init__()
        self.mean, self.value = tower(observed, actions, 0.01), tower(observed, 1, 1.0)
        self.log_deviation = nn.Parameter(torch.zeros(actions))

    def forward(self, observation: Tensor) -> tuple[Normal, Tensor]:
        return Normal(self.mean(observation), self.log_deviation.exp()), self.value(observation).squeeze(-1)


@dataclass
class Rollout:
    """Batches in the order in which they were received. A batch has the rewards of its environments' previous steps."""

    env: Tensor  # (rows, batch): the indices of the environments
    observation: Tensor
    action: Tensor
    logprob: Tensor
    value: Tensor
    reward: Tensor  # of the previous step
    terminated: Tensor
    truncated: Tensor

    @classmethod
    def empty(cls, rows: int, batch: int, observed: int, actions: int) -> "Rollout":
        shape = (rows, batch)
        floats, bools = torch.zeros(3, *shape), torch.zeros(2, *shape, dtype=torch.bool)
        envs = torch.zeros(shape, dtype=torch.int64)
        return cls(envs, torch.zeros(*shape, observed), torch.zeros(*shape, actions), *floats, *bools)


class Actors:
    """The pool, the scales of its observations and rewards, and the returns of its episodes."""

    def __init__(self, o: Options):
        self.pool = make(o)
        self.observed, self.actions = self.pool.observation_space.shape[0], self.pool.action_space.shape[0]
        self.low, self.high = self.pool.action_space.low, self.pool.action_space.high
        self.observations, self.returns = Scale((self.observed,)), Scale()
        self.discounted, self.running = np.zeros(o.num_envs), np.zeros(o.num_envs)
        self.finished: list[float] = []  # returns of the last hundred episodes
        self.waiting: list[Any] = []  # batches that wait_for_all received and `recv` has not returned yet
        self.gamma = o.gamma
        self.wall = 0.0

    def begin(self) -> None:
        self.pool.async_reset()

    def wait_for_all(self) -> None:
        """Receives the batches of all environments, so that the environments can be saved.

        `recv` returns the batches later.
        """
        while sum(len(batch[1]) for batch in self.waiting) < self.pool.config["num_envs"]:
            self.waiting.append(self.pool.recv())

    def scaled(self, observation: Any) -> Tensor:
        scaled = (observation - self.observations.mean) / self.observations.deviation
        return torch.from_numpy(scaled.clip(-10, 10).astype(np.float32))

    def recv(self) -> tuple[Tensor, ...]:
        started = time.perf_counter()
        observation, reward, terminated, truncated, info = self.waiting.pop(0) if self.waiting else self.pool.recv()
        self.wall += time.perf_counter() - started
        env, over = info["env_id"], terminated | truncated
        self.running[env] += reward
        self.finished = (self.finished + self.running[env][over].tolist())[-100:]
        self.running[env] *= ~over
        self.discounted[env] = self.discounted[env] * self.gamma + reward
        self.observations.update(observation)
        self.returns.update(self.discounted[env])
        self.discounted[env] *= ~over
        reward = (reward / self.returns.deviation).clip(-10, 10)
        return torch.from_numpy(env), self.scaled(observation), *map(torch.from_numpy, (reward, terminated, truncated))

    def send(self, action: Tensor, env: Tensor) -> None:
        started = time.perf_counter()
        self.pool.send(np.clip(action.numpy(), self.low, self.high).astype(np.float64), env.numpy())
        self.wall += time.perf_counter() - started

    @torch.no_grad()
    def collect(self, agent: Agent, roll: Rollout) -> None:
        for k in range(len(roll.env)):
            roll.env[k], roll.observation[k], roll.reward[k], roll.terminated[k], roll.truncated[k] = self.recv()
            policy, roll.value[k] = agent(roll.observation[k])
            roll.action[k] = policy.sample()
            self.send(roll.action[k], roll.env[k])
            roll.logprob[k] = policy.log_prob(roll.action[k]).sum(-1)


def advantages_of(o: Options, roll: Rollout) -> tuple[Tensor, Tensor]:
    """Returns generalised advantage estimates for each environment, and a mask of the rows to learn from.

    The mask excludes an environment's last row, whose reward has not arrived yet, and rows that ended an episode, whose
    action is ignored because the next step resets the environment.
    """
    advantages, usable = torch.zeros_like(roll.value), torch.zeros_like(roll.terminated)
    value, advantage, reward = torch.zeros(3, o.num_envs)
    terminated, over, seen = torch.zeros(3, o.num_envs, dtype=torch.bool)
    for k in reversed(range(len(roll.env))):
        env = roll.env[k]
        delta = reward[env] + o.gamma * value[env] * ~terminated[env] - roll.value[k]
        ended = roll.terminated[k] | roll.truncated[k]
        usable[k] = seen[env] & ~ended
        advantages[k] = (delta + o.gamma * o.gae_lambda * advantage[env] * ~over[env]) * usable[k]
        value[env], advantage[env], reward[env] = roll.value[k], advantages[k], roll.reward[k]
        terminated[env], over[env], seen[env] = roll.terminated[k], ended, True
    return advantages, usable


def learn(
    o: Options,
    agent: Agent,
    optimizer: torch.optim.Optimizer,
    observation: Tensor,
    action: Tensor,
    logprob: Tensor,
    advantages: Tensor,
    returns: Tensor,
) -> None:
    """Optimizes the clipped objective in several passes over one rollout."""
    for _ in range(o.epochs):
        for chosen in torch.randperm(len(action)).split(o.minibatch):
            policy, value = agent(observation[chosen])
            ratio = (policy.log_prob(action[chosen]).sum(-1) - logprob[chosen]).exp()
            advantage = advantages[chosen]
            advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
            gain = torch.min(advantage * ratio, advantage * ratio.clamp(1 - o.clip, 1 + o.clip)).mean()
            loss = o.value_weight * 0.5 * (value - returns[chosen]).square().mean() - gain
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), o.max_grad_norm)
            optimizer.step()


class Run:
    """A training run."""

    def __init__(self, o: Options):
        self.o = o
        self.actors = Actors(o)
        self.agent = Agent(self.actors.observed, self.actors.actions)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), lr=o.learning_rate, eps=1e-5)
        self.steps, self.wall = 0, 0.0
        scale = ("mean", "variance", "count")
        self.checkpoint = Checkpoint(
            o,
            self.actors.pool,
            {"agent": self.agent, "optimizer": self.optimizer},
            {
                "run": (self, ("steps", "wall")),
                "actors": (self.actors, ("discounted", "running", "finished", "waiting", "wall")),
                "observations": (self.actors.observations, scale),
                "returns": (self.actors.returns, scale),
            },
        )

    def save(self) -> None:
        self.actors.wait_for_all()
        self.checkpoint.save()

    def train(self) -> None:
        o, actors = self.o, self.actors
        self.checkpoint.start()
        if not o.resume:
            actors.begin()
        rows = o.num_steps * o.num_envs // o.batch_size
        per_update = rows * o.batch_size
        updates, before = max(1, o.total_timesteps // per_update), self.wall
        roll = Rollout.empty(rows, o.batch_size, actors.observed, actors.actions)
        started = time.perf_counter()
        log = Log(o.out, ("steps", "wall_s", "env_wall_s", "mean_return_100"), self.steps // per_update)
        bar = tqdm(total=updates * per_update, initial=self.steps, unit=" steps", unit_scale=True, smoothing=0.05)
        for update in range(self.steps // per_update, updates):
            self.optimizer.param_groups[0]["lr"] = o.learning_rate * (1 - 0.9 * update / updates)
            actors.collect(self.agent, roll)
            advantages, usable = advantages_of(o, roll)
            rollout = (roll.observation, roll.action, roll.logprob, advantages, advantages + roll.value)
            learn(o, self.agent, self.optimizer, *(x[usable] for x in rollout))
            self.steps += per_update
            self.wall = before + time.perf_counter() - started
            mean = float(np.mean(actors.finished)) if actors.finished else float("nan")
            bar.update(per_update)
            bar.set_postfix_str(f"return {mean:.0f}", refresh=False)
            log.write([self.steps, f"{self.wall:.2f}", f"{actors.wall:.2f}", f"{mean:.2f}"])
            if update % o.save_every == o.save_every - 1 or update == updates - 1:
                self.save()
        bar.close()
        print(
            f"{self.steps:,} steps in {self.wall / 60:.1f} min, {self.steps / self.wall:,.0f} steps/s; "
            f"waiting for environments {actors.wall / 60:.1f} min; mean return of the last hundred episodes {mean:.0f}"
        )

    @torch.no_grad()
    def act(self, observation: Any) -> Any:
        mean = self.agent(self.actors.scaled(observation))[0].mean.numpy()
        return np.clip(mean, self.actors.low, self.actors.high).astype(np.float64)

    def evaluate(self) -> Any:
        """Returns the returns of whole episodes, one in each environment."""
        pool = envpool.make_gymnasium(self.o.task, num_envs=self.o.eval_episodes, seed=self.o.seed + 10_000)
        observation, _ = pool.reset()
        returns, playing = np.zeros(self.o.eval_episodes), np.ones(self.o.eval_episodes, bool)
        while playing.any():
            observation, reward, terminated, truncated, _ = pool.step(self.act(observation))
            returns += reward * playing
            playing &= ~(terminated | truncated)
        return returns

    def film(self) -> None:
        pool = envpool.make_gymnasium(self.o.task, num_envs=1, seed=self.o.seed + 20_000, render_mode="rgb_array")
        film(self.o.out / self.o.video, pool, self.act, fps=20, most=300)


def main() -> None:
    o = begin(Options, __doc__)
    run = Run(o)
    run.train()
    plot(o.out, o.task, "episodes")
    if o.eval_episodes:
        judge(run.evaluate(), "episodes", o.require_return)
    if o.video:
        run.film()


if __name__ == "__main__":
    main()
