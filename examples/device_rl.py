# SPDX-License-Identifier: Apache-2.0
"""Implements the parts of ppo_device.py: worlds as tensors, policies with masks, schedules, a clock, and CUDA graphs.

Axes are always (world, player, ...). Nothing here waits for the GPU, except where a docstring says so.
"""

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import Tensor, nn

import envpool

# --- options ---


def refuse(name: str, expected: str, got: object) -> SystemExit:
    """Returns the exception for a bad option, which ends the program."""
    return SystemExit(f"--{name}: expected {expected}, got {got!r}")


def for_each(name: str, text: str, policies: Sequence[str]) -> dict[str, str]:
    """Returns the value of an option for each policy: "0.1" sets it for all, "tagger=0.1;runner=0.2" for each.

    A policy that is not named gets "".
    """
    if "=" not in text:
        return dict.fromkeys(policies, text)
    values = dict.fromkeys(policies, "")
    for part in text.split(";"):
        policy, _, value = part.partition("=")
        if policy not in values:
            raise refuse(name, f"policy=value with a policy of {', '.join(policies)}", part)
        values[policy] = value
    return values


class Schedule:
    """A number that depends on the environment steps: "3e-4", or points "0:3e-4,1e6:1e-4" between which it is linear.

    Before the first point and after the last one it is constant. The step "end" is the last of the run.
    """

    def __init__(self, name: str, text: str, last_step: int, low: float = 0.0, high: float = math.inf):
        try:
            points = [(last_step if step == "end" else float(step), float(value)) for step, value in self._split(text)]
        except ValueError:
            raise refuse(name, "a number or step:number,step:number,...", text) from None
        if any(not low <= value <= high for _, value in points):  # NaN is refused too
            raise refuse(name, f"numbers from {low:g} to {high:g}", text)
        if any(after[0] < before[0] for before, after in zip(points, points[1:], strict=False)):
            raise refuse(name, "steps in ascending order", text)
        self.steps, self.values = zip(*points, strict=True)

    @staticmethod
    def _split(text: str) -> list[tuple[str, str]]:
        if ":" not in text:
            return [("0", text)]
        pairs = [tuple(part.split(":")) for part in text.split(",")]
        return [(step, value) for step, value in pairs]

    def at(self, step: int) -> float:
        return float(np.interp(step, self.steps, self.values))


# --- worlds ---


class Encoder:
    """Turns observations into rows of float32: one-hot for a Discrete space, pixels between 0 and 1.

    The key "action_mask" of a Dict space is not part of the row.
    """

    def __init__(self, space: gymnasium.Space[Any], device: torch.device):
        self.parts: dict[str, gymnasium.Space[Any]] = {"": space}
        if isinstance(space, gymnasium.spaces.Dict):
            self.parts = {name: part for name, part in space.spaces.items() if name != "action_mask"}
        self.numbers: dict[str, Tensor] = {}
        self.size = 0
        for name, part in self.parts.items():
            if isinstance(part, gymnasium.spaces.Discrete):
                self.numbers[name] = torch.arange(int(part.start), int(part.start + part.n), device=device)
                self.size += int(part.n)
            elif isinstance(part, gymnasium.spaces.Box | gymnasium.spaces.MultiDiscrete | gymnasium.spaces.MultiBinary):
                self.size += math.prod(part.shape)
            else:
                raise refuse("task", "observations of arrays, or one dict of arrays", part)

    def __call__(self, observation: Mapping[str, Tensor], rows: int) -> Tensor:
        encoded = []
        for name in self.parts:
            values = observation[name].reshape(rows, -1)
            if name in self.numbers:
                encoded.append((values == self.numbers[name]).float())
            else:
                encoded.append(values.float() / 255 if values.dtype == torch.uint8 else values.float())
        return encoded[0] if len(encoded) == 1 else torch.cat(encoded, 1)


class Heads:
    """The heads of a policy: one for a Discrete action, and one for each component of a MultiDiscrete action.

    All heads have the same number of logits; some are unused.

    Attributes:
        counts: number of choices of each head.
        exists: bool of shape (heads, most choices).
    """

    def __init__(self, space: gymnasium.Space[Any], device: torch.device):
        if isinstance(space, gymnasium.spaces.Discrete):
            self.counts, self.shape = [int(space.n)], []
        elif isinstance(space, gymnasium.spaces.MultiDiscrete) and space.nvec.ndim == 1:
            self.counts, self.shape = [int(n) for n in space.nvec], [len(space.nvec)]
        else:
            raise refuse("task", "discrete or multi-discrete actions", space)
        number = torch.arange(max(self.counts), device=device)
        counts = torch.tensor(self.counts, device=device)
        self.exists = number < counts[:, None]
        # An environment's mask has the choices of all heads side by side.
        self.column = ((counts.cumsum(0) - counts)[:, None] + number) * self.exists

    def spread(self, mask: Tensor, rows: int) -> Tensor:
        """Returns the mask of an environment, (rows, sum of counts), as (rows, heads, most choices)."""
        return mask.reshape(rows, -1).bool()[:, self.column] & self.exists


@dataclass
class Seen:
    """The observations of the players of all worlds after a step.

    Attributes:
        features: float32 of shape (worlds, players, features).
        present: bool of shape (worlds, players): the row belongs to a player that has not left the episode.
        mask: bool of shape (worlds, players, heads, most choices): the actions that are allowed; None if all are.
    """

    features: Tensor
    present: Tensor
    mask: Tensor | None


class Worlds:
    """Wraps a pool so that it takes and returns tensors.

    A pool on a GPU writes each batch into the same memory, so that steps can be captured in a CUDA graph.
    """

    def __init__(
        self, task: str, num_envs: int, seed: int, env_device: str, device: torch.device, options: Mapping[str, Any]
    ):
        self.device, self.num_envs = device, num_envs
        on_gpu = env_device != "cpu"
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\[envpool.cuda\] .* is a stand-in")
            self.pool = envpool.make_gymnasium(
                task, num_envs=num_envs, seed=seed, device=env_device, in_place=on_gpu, **options
            )
        self.players = int(self.pool.config["max_num_players"])
        self.heads = Heads(self.pool.action_space, device)
        self.encoder = Encoder(self.pool.observation_space, device)
        self.fixed_rows = on_gpu or self.players == 1
        self.rows = torch.ones(
            num_envs, self.players, dtype=torch.bool
        )  # on a CPU: the rows of the grid (world, player) that the last batch contained
        self.info: dict[str, Any] = {}  # of the last batch

    def reset(self) -> Seen:
        observation, info = self.pool.reset()
        first = next(iter(observation.values())) if isinstance(observation, dict) else observation
        if self.device.type == "cpu" and not isinstance(first, np.ndarray) and first.__dlpack_device__()[0] != 1:
            raise refuse(
                "env_device", "'cpu', or the flat stand-in for a GPU's driver, as --device is cpu", first.device
            )
        return self._seen(observation, info)

    def step(self, actions: Tensor) -> tuple[Seen, Tensor, Tensor, Tensor, Tensor]:
        """Steps all worlds.

        Args:
            actions: int32 of shape (worlds, players, heads), contiguous.

        Returns:
            the observations; rewards of shape (worlds, players); whether the worlds were terminated and truncated, of
            shape (worlds,); and whether the players have left, of shape (worlds, players).
        """
        given: Any = actions.flatten(0, 1) if self.fixed_rows else actions[self.rows.to(actions.device)]
        given = given if self.heads.shape else given.squeeze(-1)
        if self.device.type == "cpu" or self.pool.config["device"] == "cpu":
            given = given.cpu().numpy()
        observation, reward, terminated, truncated, info = self.pool.step(given)
        seen = self._seen(observation, info)
        left = info["players"].get("done")
        gone = self._grid(self.tensor(left)) if left is not None else torch.zeros_like(seen.present)
        return seen, self._grid(self.tensor(reward)), self.tensor(terminated), self.tensor(truncated), gone

    def tensor(self, array: Any) -> Tensor:
        """Imports an array of the pool, without a copy if it is on the same device."""
        taken = torch.from_numpy(array) if isinstance(array, np.ndarray) else torch.from_dlpack(array)
        return taken.to(self.device)

    def _grid(self, rows: Tensor) -> Tensor:
        """Returns rows of players as (worlds, players, ...). On a CPU, a batch has no rows of absent players."""
        shape = (self.num_envs, self.players)
        if len(rows) == self.num_envs * self.players:
            return rows.unflatten(0, shape)
        grid = torch.zeros(*shape, *rows.shape[1:], dtype=rows.dtype, device=rows.device)
        grid[self.rows.to(rows.device)] = rows
        return grid

    def _seen(self, observation: Any, info: Any) -> Seen:
        self.info = info
        owner = self.tensor(info["players"]["env_id"])
        if not self.fixed_rows:
            count = torch.bincount(owner, minlength=self.num_envs).cpu()
            self.rows = torch.arange(self.players) < count[:, None]
        parts = observation if isinstance(observation, dict) else {"": observation}
        tensors = {name: self.tensor(parts[name]) for name in self.encoder.parts}
        present = self._grid(owner >= 0)
        left = info["players"].get("done")
        if left is not None:
            present = present & ~self._grid(self.tensor(left))
        given = parts.get("action_mask", info.get("action_mask", info["players"].get("action_mask")))
        mask = None if given is None else self._grid(self.heads.spread(self.tensor(given), len(owner)))
        return Seen(self._grid(self.encoder(tensors, len(owner))), present, mask)


# --- policies ---

FORBIDDEN = -1e9  # the logit of a forbidden action; its probability is 0, and its gradient is finite


class Policy(nn.Module):
    """A network with two hidden layers for the policy and two for the value, and the players that it controls."""

    def __init__(self, name: str, players: Tensor, features: int, heads: Heads, width: int):
        super().__init__()
        self.name, self.players, self.exists = name, players, heads.exists
        sizes = ((heads.exists.numel(), 0.01), (1, 1.0))
        self.actor, self.critic = (self._network(features, width, size, gain) for size, gain in sizes)
        self.register_buffer("rows", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("variance", torch.zeros(features))
        self.to(heads.exists.device)

    @staticmethod
    def _network(features: int, width: int, outputs: int, gain: float) -> nn.Sequential:
        layers = [nn.Linear(features, width), nn.Linear(width, width), nn.Linear(width, outputs)]
        for layer, scale in zip(layers, (2**0.5, 2**0.5, gain), strict=True):
            nn.init.orthogonal_(layer.weight, scale)
            nn.init.zeros_(layer.bias)
        return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])

    def forward(self, features: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """Returns the log probabilities of the choices, of shape (..., heads, most choices), and the values, (...)."""
        # A feature that has not varied is not scaled.
        scale = torch.where(self.variance > 1e-8, self.variance.rsqrt(), 1.0)
        inputs = ((features - self.mean) * scale).clamp(-5, 5)
        logits = self.actor(inputs).unflatten(-1, self.exists.shape)
        allowed = self.exists if mask is None else mask
        return logits.masked_fill(~allowed, FORBIDDEN).log_softmax(-1), self.critic(inputs).squeeze(-1)

    @torch.no_grad()
    def normalize_by(self, features: Tensor, weights: Tensor) -> None:
        """Updates the mean and variance of features by rows of shape (n, features), weighted by 0 or 1."""
        count = weights.sum()
        total = (self.rows + count).clamp_min(1)
        share = count / total
        new = (features * weights[:, None]).sum(0) / count.clamp_min(1)
        spread = ((features - new).square() * weights[:, None]).sum(0) / count.clamp_min(1)
        change = new - self.mean
        self.variance.copy_(self.variance * (1 - share) + spread * share + change.square() * share * (1 - share))
        self.mean.add_(change * share)
        self.rows.add_(count)


def sample(log_probs: Tensor) -> Tensor:
    """Draws a choice of each head (the Gumbel-max trick): int64 of shape (..., heads)."""
    noise = torch.empty_like(log_probs).exponential_().clamp_min_(1e-30).log_()
    return (log_probs - noise).argmax(-1)


def log_prob(log_probs: Tensor, actions: Tensor) -> Tensor:
    """Returns the log probability of actions, summed over heads."""
    return log_probs.gather(-1, actions.long().unsqueeze(-1)).squeeze(-1).sum(-1)


def entropy(log_probs: Tensor) -> Tensor:
    """Returns the entropy of the choices, summed over heads."""
    return -(log_probs.exp() * log_probs).sum((-2, -1))


def mean(values: Tensor, weights: Tensor) -> Tensor:
    """Returns the weighted mean; 0 if all weights are 0. Selecting rows by a mask would make the host wait."""
    return (values * weights).sum() / weights.sum().clamp_min(1)


# --- time and graphs ---


class Clock:
    """Measures how long the parts of a loop take, with CUDA's events on a GPU. `mark` begins a part.

    Attributes:
        seconds: the time of each part so far.
    """

    def __init__(self, device: torch.device, parts: Sequence[str]):
        self.seconds = dict.fromkeys(parts, 0.0)
        self.on_gpu = device.type == "cuda"
        self.marks: list[tuple[str, Any]] = []
        self.count = 0

    def mark(self, part: str) -> None:
        if not self.on_gpu:
            self.marks[self.count :] = [(part, time.perf_counter())]
        else:
            if self.count == len(self.marks):  # external=True: replaying a captured graph records the event again
                self.marks.append((part, torch.cuda.Event(enable_timing=True, external=True)))
            self.marks[self.count][1].record()
        self.count += 1

    def read(self) -> None:
        """Adds the times of the parts since the last call, and deletes the marks.

        On a GPU, the last mark must have passed.
        """
        for (part, begin), (_, end) in zip(self.marks[: self.count - 1], self.marks[1 : self.count], strict=True):
            self.seconds[part] += begin.elapsed_time(end) / 1000 if self.on_gpu else end - begin
        self.count = 0


class Graphed:
    """A function of no arguments that writes into fixed tensors, captured in a CUDA graph when it is called again.

    The first call runs it eagerly on a side stream, as torch's documentation requires. The second call captures it, and
    all later calls replay the graph. Random numbers come from torch's default generator, whose state a graph advances.
    """

    def __init__(self, function: Callable[[], None], clock: Clock, enabled: bool):
        self.function, self.clock, self.enabled = function, clock, enabled
        self.warm, self.marks = False, 0
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self) -> None:
        if not self.enabled:
            self.function()
            return
        if not self.warm:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self.function()
            torch.cuda.current_stream().wait_stream(side)
            self.warm = True
            return
        before = self.clock.count
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.function()
            self.marks = self.clock.count - before
        self.clock.count = before + self.marks
        self.graph.replay()
