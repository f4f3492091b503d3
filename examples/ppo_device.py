# SPDX-License-Identifier: Apache-2.0
"""Trains several policies against each other without leaving the device: PPO and A2C, WarpDrive's workflow in one file.

Worlds, networks, samples and updates are on the same GPU. A rollout is one CUDA graph, and the host waits for the GPU
only once per update, to log. The same script trains on a CPU:

    python examples/ppo_device.py --device=cpu                  # taggers and runners of TagContinuous, both learning
    python examples/ppo_device.py --device=cpu --train=tagger   # runners do not learn: random, or loaded by --load
    python examples/ppo_device.py --device=cpu --resume --total_timesteps=3000000
    python examples/ppo_device.py --device=cuda --num_envs=2000 --env_options='{"num_runners": 100}'

An option for policies is one value for all of them, or has values by name: --gamma='tagger=0.95;runner=0.98'. A
schedule is a number, or a list of points between which it is linear in environment steps:
--learning_rate=0:1e-3,end:1e-4.

It writes log.csv, teams.png, checkpoint.pt, a video and the arrays (episode.npz) of an episode to --out. device_rl.py has
the parts; the algorithm is in this file.
"""

import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import Log, curve, option, read, write_video
from device_rl import Clock, Graphed, Policy, Schedule, Seen, Worlds, entropy, for_each, log_prob, mean, refuse, sample
from torch import Tensor, nn
from torch_run import Checkpoint, begin
from tqdm import tqdm

# The options of environments in which every player has the same role in every episode.
ENV_OPTIONS: dict[str, dict[str, Any]] = {
    "TagContinuous-v0": {
        "num_taggers": 3,
        "num_runners": 3,
        "shuffle_roles": False,
        "tagging_distance": 0.04,
        "max_speed": 0.4,
        "skill_level_runner": 0.5,
        "num_acceleration_levels": 2,
        "num_turn_levels": 2,
        "max_turn": math.pi / 4,
        "min_turn": -math.pi / 4,
    },
    "TagGridWorld-v0": {"num_taggers": 4, "random_start": True},
}


@dataclass
class Options:
    task: str = option("TagContinuous-v0", "id of the environment")
    env_options: str = option("{}", "options of the environment as JSON; they override ENV_OPTIONS in this file")
    seed: int = option(1, "random seed")
    total_timesteps: int = option(1_500_000, "total number of steps of worlds")
    out: Path = option(Path("runs/ppo_device"), "output folder")
    resume: bool = option(False, "continue from the checkpoint in that folder")
    save_every: int = option(50, "updates between two checkpoints")
    torch_threads: int = option(1, "threads of torch on a CPU")
    # Devices
    device: str = option("cuda", "device of networks and rollouts: cuda, cuda:1 or cpu")
    env_device: str = option("", "device of the environments; by default the same")
    graph: int = option(1, "1 captures rollouts in a CUDA graph on a GPU; 0 runs them eagerly")
    num_envs: int = option(256, "worlds stepped together")
    # Policies
    policies: str = option("", "players of each policy, as in 'tagger=0-2;runner=3-5'; by default as is_tagger says")
    train: str = option("", "policies that learn, separated by commas; by default all")
    load: str = option("", "checkpoints from which policies are loaded, as in 'runner=runs/ppo_device/checkpoint.pt'")
    width: int = option(128, "units of each hidden layer")
    changes: bool = option(True, "policies also see how observations have changed since the step before")
    # Learning; all of these but num_steps may be given for each policy
    num_steps: int = option(25, "steps of each world per rollout")
    algo: str = option("ppo", "ppo or a2c")
    learning_rate: str = option("0:3e-3,end:3e-4", "schedule of Adam's step size")
    entropy: str = option("0:0.03,end:0.005", "schedule of the weight of the entropy bonus")
    gamma: str = option("0.95", "schedule of the discount factor")
    gae_lambda: str = option("0.95", "lambda of generalised advantage estimation")
    clip: str = option("0.2", "clipping range of the probability ratio in PPO")
    epochs: str = option("3", "passes of PPO over each rollout; A2C makes one")
    minibatches: str = option("8", "minibatches in each pass of PPO; A2C uses the whole rollout")
    value_weight: str = option("0.5", "weight of the value loss")
    max_grad_norm: str = option("0.5", "gradients are clipped to this norm")
    # Evaluation
    eval_episodes: int = option(256, "whole episodes played at the end, each in its own world; 0 plays none")
    require_return: str = option("", "fail if a policy's mean return in the evaluation is lower, as in 'tagger=1'")
    video: str = option("film.gif", "video of one more episode, in --out; '' makes none")


class Settings:
    """The options and schedules of one policy."""

    def __init__(self, o: Options, policy: str, policies: list[str]):
        def given(name: str) -> str:
            return for_each(name, getattr(o, name), policies)[policy] or str(getattr(Options, name))

        def number(name: str, low: float, high: float = math.inf) -> float:
            text = given(name)
            if ":" in text:
                raise refuse(name, "a number, because this option cannot have a schedule", text)
            return Schedule(name, text, o.total_timesteps, low, high).at(0)

        self.algo = given("algo")
        if self.algo not in ("ppo", "a2c"):
            raise refuse("algo", "ppo or a2c", self.algo)
        self.learning_rate = Schedule("learning_rate", given("learning_rate"), o.total_timesteps)
        self.entropy = Schedule("entropy", given("entropy"), o.total_timesteps)
        self.gamma = Schedule("gamma", given("gamma"), o.total_timesteps, 0, 1)
        self.gae_lambda, self.clip = number("gae_lambda", 0, 1), number("clip", 0)
        self.value_weight, self.max_grad_norm = number("value_weight", 0), number("max_grad_norm", 0)
        self.epochs, self.minibatches = int(number("epochs", 1)), int(number("minibatches", 1))
        if self.algo == "a2c":
            self.epochs = self.minibatches = 1


def devices(o: Options) -> tuple[torch.device, str]:
    """Returns the device of torch, and the device of the environments."""
    try:
        device = torch.device(o.device)
    except RuntimeError:
        device = torch.device("meta")
    if device.type not in ("cpu", "cuda"):
        raise refuse("device", "cpu, cuda or cuda:<number>", o.device)
    if device.type == "cuda":
        if not torch.cuda.is_available():
            raise refuse("device", "cpu, because this torch finds no GPU", o.device)
        if (device.index or 0) >= torch.cuda.device_count():
            raise refuse("device", f"one of {torch.cuda.device_count()} GPUs", o.device)
        torch.cuda.set_device(device.index or 0)
    return device, o.env_device or o.device


def players_of(o: Options, worlds: Worlds) -> dict[str, list[int]]:
    """Returns the players of each policy. Every player has exactly one policy."""
    if not o.policies:
        tagger = worlds.info["players"].get("is_tagger")
        if tagger is None:
            return {"all": list(range(worlds.players))}
        roles = worlds.tensor(tagger).cpu().view(o.num_envs, -1)
        if not bool((roles == roles[0]).all()):
            raise refuse("env_options", 'players with a role, as {"shuffle_roles": false} gives them', o.env_options)
        return {name: torch.nonzero(roles[0] == own).flatten().tolist() for name, own in (("tagger", 1), ("runner", 0))}
    found: dict[str, list[int]] = {}
    for part in o.policies.split(";"):
        name, _, ranges = part.partition("=")
        try:
            ends = [[int(x) for x in each.split("-")] for each in ranges.split(",")]
            found[name] = [player for first, *last in ends for player in range(first, (last or [first])[0] + 1)]
        except ValueError:
            raise refuse("policies", "policy=players, as in 'tagger=0-2;runner=3-5'", part) from None
    if sorted(sum(found.values(), [])) != list(range(worlds.players)) or not all(found.values()):
        raise refuse("policies", f"each player of 0-{worlds.players - 1} in one policy", o.policies)
    return found


class Run:
    """A training run.

    Attributes:
        state: tensors that one rollout passes to the next: what the players see, and the sums of running episodes.
        rollout: tensors of a rollout, whose first axis is the step.
    """

    def __init__(self, o: Options):
        self.o = o
        for name in ("num_envs", "num_steps", "width", "save_every"):
            if getattr(o, name) < 1:
                raise refuse(name, "a positive number", getattr(o, name))
        self.device, self.env_device = devices(o)
        self.worlds = self.make(o.num_envs, o.seed)
        seen = self.worlds.reset()
        players = players_of(o, self.worlds)
        names = list(players)
        train = o.train.split(",") if o.train else names
        if unknown := [name for name in train if name not in names]:
            raise refuse("train", f"policies of {', '.join(names)}", ",".join(unknown))
        self.settings = {name: Settings(o, name, names) for name in names}
        self.policies = []
        for name, own in players.items():
            index = torch.tensor(own, device=self.device)
            self.policies.append(
                Policy(name, index, self.worlds.encoder.size * (1 + o.changes), self.worlds.heads, o.width)
            )
        self.load_policies(names)
        try:
            least = for_each("require_return", o.require_return, names)
            self.least = {name: float(value or "-inf") for name, value in least.items()}
        except ValueError:
            raise refuse("require_return", "policy=number", o.require_return) from None
        self.optimizers = {
            policy.name: torch.optim.Adam(policy.parameters(), eps=1e-5)
            for policy in self.policies
            if policy.name in train
        }
        self.steps, self.wall = 0, 0.0
        self.recent: list[list[float]] = []  # the totals of the last updates
        self.clock = Clock(self.device, ("environment", "inference", "learning"))
        self.state, self.rollout = self.tensors(seen)
        self.gamma, self.gae_lambda = torch.zeros(2, self.worlds.players, device=self.device)
        modules = {policy.name: policy for policy in self.policies}
        modules |= {f"{name}_optimizer": optimizer for name, optimizer in self.optimizers.items()}
        attributes = {"run": (self, ("state", "steps", "wall", "recent")), "clock": (self.clock, ("seconds",))}
        self.checkpoint = Checkpoint(o, self.worlds.pool, modules, attributes, self.device)

    def make(self, num_envs: int, seed: int, **more: Any) -> Worlds:
        o = self.o
        try:
            given = json.loads(o.env_options)
            options = {**ENV_OPTIONS.get(o.task, {}), **given, **more}
        except (ValueError, TypeError):
            raise refuse("env_options", "a JSON object", o.env_options) from None
        return Worlds(o.task, num_envs, seed, self.env_device, self.device, options)

    def load_policies(self, names: list[str]) -> None:
        if not self.o.load:
            return
        if "=" not in self.o.load:
            raise refuse("load", "policy=checkpoint", self.o.load)
        for policy in self.policies:
            path = for_each("load", self.o.load, names)[policy.name]
            if path:
                try:
                    state = read(path, self.device)["modules"][policy.name]
                    policy.load_state_dict(state)
                except Exception as error:  # a damaged file can cause any exception
                    raise refuse("load", f"a checkpoint with a policy {policy.name} of this shape", path) from error

    def first_features(self, seen: Seen) -> Tensor:
        """Returns what policies see after a reset, (worlds, players, features). With --changes, the changes are 0."""
        new = seen.features
        return torch.cat([new, torch.zeros_like(new)], -1) if self.o.changes else new.clone()

    def next_features(self, seen: Seen, before: Tensor, resets: Tensor) -> Tensor:
        """Returns what policies see after a step; `resets` says which worlds began an episode in this step."""
        new = seen.features
        if not self.o.changes:
            return new
        changes = new - before[..., : new.shape[-1]]
        return torch.cat([new, changes.masked_fill(resets[:, None, None], 0)], -1)

    def tensors(self, seen: Seen) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """Makes the tensors of state and rollout. Their addresses never change, because CUDA graphs require this."""
        o, w, p = self.o, self.o.num_envs, self.worlds.players
        state = {
            "features": self.first_features(seen),
            "active": seen.present.clone(),
            "over": torch.zeros(w, dtype=torch.bool, device=self.device),
            "played": torch.zeros(w, p, dtype=torch.bool, device=self.device),
            "returns": torch.zeros(w, p, device=self.device),
            "length": torch.zeros(w, device=self.device),
            "totals": torch.zeros(2 + len(self.policies), device=self.device),
        }
        if seen.mask is not None:
            state["mask"] = seen.mask.clone()

        def rows(like: Tensor, steps: int = o.num_steps) -> Tensor:
            return torch.zeros(steps, *like.shape, dtype=like.dtype, device=self.device)

        number, flag = state["returns"], state["active"]
        rollout: dict[str, Tensor] = {}
        rollout |= {name: rows(state[name]) for name in ("features", "active", "mask") if name in state}
        rollout["actions"] = rows(torch.zeros(w, p, len(self.worlds.heads.counts), dtype=torch.int32))
        rollout |= {name: rows(number) for name in ("log_probs", "rewards", "advantages")}
        rollout |= {name: rows(flag) for name in ("ended", "cut")}
        rollout["values"] = rows(number, o.num_steps + 1)
        return state, rollout

    def decide(self, features: Tensor, mask: Tensor | None, policy: Policy) -> tuple[Tensor, Tensor]:
        """Returns the log probabilities and values of the players of a policy."""
        at = policy.players
        result: tuple[Tensor, Tensor] = policy(features[:, at], None if mask is None else mask[:, at])
        return result

    @torch.no_grad()
    def collect(self) -> None:
        """Fills the rollout. The whole function can be captured: shapes are fixed, and nothing waits for the GPU."""
        state, rollout = self.state, self.rollout
        state["totals"].zero_()
        for t in range(self.o.num_steps):
            self.clock.mark("inference")
            step = {name: tensor[t] for name, tensor in rollout.items()}
            for name in ("features", "active", "mask"):
                if name in state:
                    step[name].copy_(state[name])
            for policy in self.policies:
                log_probs, value = self.decide(state["features"], state.get("mask"), policy)
                action = sample(log_probs)
                step["actions"][:, policy.players] = action.int()
                step["log_probs"][:, policy.players] = log_prob(log_probs, action)
                step["values"][:, policy.players] = value
            self.clock.mark("environment")
            result = self.worlds.step(step["actions"])
            self.clock.mark("inference")
            self.keep(step, *result)
        for policy in self.policies:
            _, value = self.decide(state["features"], state.get("mask"), policy)
            rollout["values"][-1][:, policy.players] = value

    def keep(
        self, step: dict[str, Tensor], seen: Seen, reward: Tensor, terminated: Tensor, truncated: Tensor, gone: Tensor
    ) -> None:
        """Writes what a step returned into the rollout and the state."""
        state = self.state
        over = terminated | truncated
        ended = terminated[:, None] | gone
        step["rewards"].copy_(reward)
        step["ended"].copy_(ended)
        step["cut"].copy_(ended | truncated[:, None])

        state["played"].logical_or_(state["active"])
        state["returns"].add_(reward)
        state["length"].add_(~state["over"])  # the step after the end of an episode resets the world
        sums = [torch.ones_like(state["length"]), state["length"]]
        for policy in self.policies:
            at = policy.players
            sums.append(state["returns"][:, at].sum(1) / state["played"][:, at].sum(1).clamp_min(1))
        state["totals"].add_((torch.stack(sums) * over).sum(1))
        for name in ("played", "returns", "length"):
            state[name].mul_(~over if name == "length" else ~over[:, None])

        # Nothing is learned from a row without a player, from a player that has left, and from the step that resets a
        # world, whose action is ignored.
        state["features"].copy_(self.next_features(seen, state["features"], state["over"]))
        state["active"].copy_(seen.present & ~over[:, None])
        state["over"].copy_(over)
        if seen.mask is not None:
            state["mask"].copy_(seen.mask)

    def estimate_advantages(self) -> None:
        """Fills the rollout's generalised advantage estimates; each policy has its own discount."""
        for policy in self.policies:
            settings = self.settings[policy.name]
            self.gamma.index_fill_(0, policy.players, settings.gamma.at(self.steps))
            self.gae_lambda.index_fill_(0, policy.players, settings.gae_lambda)
        rollout, values = self.rollout, self.rollout["values"]
        running = torch.zeros_like(values[0])
        for t in reversed(range(self.o.num_steps)):
            # A truncated episode keeps the value of its last observation, which the next row holds.
            delta = rollout["rewards"][t] + self.gamma * values[t + 1] * ~rollout["ended"][t] - values[t]
            running = delta + self.gamma * self.gae_lambda * running * ~rollout["cut"][t]
            rollout["advantages"][t] = running

    def learn(self, policy: Policy) -> Tensor:
        """Updates a policy; returns the means of entropy, KL divergence, clipped fraction and value loss."""
        settings, optimizer = self.settings[policy.name], self.optimizers[policy.name]
        optimizer.param_groups[0]["lr"] = settings.learning_rate.at(self.steps)
        entropy_weight = settings.entropy.at(self.steps)
        names = ("features", "active", "mask", "actions", "log_probs", "values", "advantages")
        rollout = {name: self.rollout[name][: self.o.num_steps] for name in names if name in self.rollout}
        own = {name: x[:, :, policy.players].flatten(0, 2) for name, x in rollout.items()}
        own["returns"] = own["advantages"] + own["values"]
        weight = own["active"].float()
        centered = own["advantages"] - mean(own["advantages"], weight)
        own["advantages"] = centered / (mean(centered.square(), weight).sqrt() + 1e-8)
        size = -(-len(weight) // settings.minibatches)
        measured = []
        for _ in range(settings.epochs):
            for chosen in torch.randperm(len(weight), device=self.device).split(size):
                part = {name: x[chosen] for name, x in own.items()} if settings.minibatches > 1 else own
                active = part["active"].float()
                log_probs, value = policy(part["features"], part.get("mask"))
                change = log_prob(log_probs, part["actions"]) - part["log_probs"]
                ratio, advantage = change.exp(), part["advantages"]
                if settings.algo == "ppo":
                    clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                    gain = torch.min(advantage * ratio, advantage * clipped)
                else:  # the policy has not changed since the rollout, so `change` is 0 but has a gradient
                    gain = advantage * change
                bonus = mean(entropy(log_probs), active)
                value_loss = 0.5 * mean((value - part["returns"]).square(), active)
                loss = settings.value_weight * value_loss - mean(gain, active) - entropy_weight * bonus
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(policy.parameters(), settings.max_grad_norm)
                optimizer.step()
                with torch.no_grad():
                    far = ((ratio - 1).abs() > settings.clip).float()
                    divergence = mean(ratio - 1 - change, active)  # an estimate that is never negative
                    measured.append(torch.stack([bonus.detach(), divergence, mean(far, active), value_loss.detach()]))
        policy.normalize_by(own["features"], weight)
        return torch.stack(measured).mean(0)

    def train(self) -> None:
        o = self.o
        self.checkpoint.start()
        per_update = o.num_envs * o.num_steps
        updates, done = max(1, o.total_timesteps // per_update), self.steps // per_update
        columns = ["steps", "wall_s", *(f"{part}_s" for part in self.clock.seconds), "episodes", "length"]
        measures = ("return", "entropy", "kl", "clipped", "value_loss")
        columns += [f"{policy.name}_{name}" for policy in self.policies for name in measures]
        log = Log(o.out, columns, done)
        bar = tqdm(total=updates * per_update, initial=self.steps, unit=" steps", unit_scale=True, smoothing=0.05)
        captured = self.device.type == "cuda" and self.env_device != "cpu" and bool(o.graph)
        collect = Graphed(self.collect, self.clock, captured)
        started = time.perf_counter() - self.wall
        for update in range(done, updates):
            collect()
            self.clock.mark("learning")
            self.estimate_advantages()
            nothing = torch.full((4,), math.nan, device=self.device)
            measured = [self.learn(p) if p.name in self.optimizers else nothing for p in self.policies]
            self.clock.mark("learning")
            numbers = torch.cat([self.state["totals"], *measured]).tolist()  # the host waits for the GPU only here
            self.clock.read()
            self.steps += per_update
            self.wall = time.perf_counter() - started
            length, *returns = self.recent_means(numbers[: 2 + len(self.policies)])
            row = [x for i, own in enumerate(returns) for x in (own, *numbers[len(returns) + 2 + 4 * i :][:4])]
            times = [f"{x:.3f}" for x in (self.wall, *self.clock.seconds.values())]
            log.write([self.steps, *times, int(numbers[0]), *(f"{x:.6g}" for x in (length, *row))])
            bar.update(per_update)
            shown = (f"{p.name} {x:.2f}" for p, x in zip(self.policies, returns, strict=True))
            bar.set_postfix_str(f"return: {', '.join(shown)}", refresh=False)
            if update % o.save_every == o.save_every - 1 or update == updates - 1:
                self.checkpoint.save()
        bar.close()
        split = ", ".join(f"{part} {100 * x / self.wall:.0f} %" for part, x in self.clock.seconds.items())
        print(f"{self.steps:,} steps in {self.wall / 60:.1f} min, {self.steps / self.wall:,.0f} steps/s: {split}")

    def recent_means(self, totals: list[float]) -> list[float]:
        """Returns the mean length and returns of the last episodes, at least one per world; NaN before that."""
        self.recent.append(totals)
        while sum(count for count, *_ in self.recent[1:]) >= self.o.num_envs:
            del self.recent[0]
        count, *sums = (sum(column) for column in zip(*self.recent, strict=True))
        # The first episodes that end are short, so their mean would be misleading.
        return [x / count if count >= self.o.num_envs else math.nan for x in sums]

    # --- whole episodes ---

    @torch.no_grad()
    def act(self, features: Tensor, mask: Tensor | None) -> Tensor:
        shape = (*features.shape[:2], len(self.worlds.heads.counts))
        actions = torch.zeros(shape, dtype=torch.int32, device=self.device)
        for policy in self.policies:
            actions[:, policy.players] = sample(self.decide(features, mask, policy)[0]).int()
        return actions

    def evaluate(self) -> None:
        """Plays an episode in each of many worlds; prints the mean return of each policy."""
        worlds = self.make(self.o.eval_episodes, self.o.seed + 10_000)
        seen = worlds.reset()
        features = self.first_features(seen)
        running = torch.ones(worlds.num_envs, dtype=torch.bool, device=self.device)
        returns = torch.zeros(worlds.num_envs, worlds.players, device=self.device)
        length = torch.zeros(worlds.num_envs, device=self.device)
        while running.any():
            seen, reward, terminated, truncated, _ = worlds.step(self.act(features, seen.mask))
            features = self.next_features(seen, features, ~running)
            returns += reward * running[:, None]
            length += running
            running &= ~(terminated | truncated)
        print(f"{worlds.num_envs} episodes of {length.mean():.1f} steps")
        for policy in self.policies:
            own = returns[:, policy.players]
            print(
                f"{policy.name}: mean return {own.mean():.3f}, in all of a world's {own.shape[1]} {own.sum(1).mean():.2f}"
            )
            if float(own.mean()) < self.least[policy.name]:
                raise SystemExit(f"{policy.name}: mean return {own.mean():.3f} is below {self.least[policy.name]}")
        worlds.pool.close()

    def film(self, path: Path, most: int = 1000) -> None:
        """Records an episode of one world: its arrays, and a video if the environment can be rendered."""
        draws = "rgb_array" in self.worlds.pool.metadata["render_modes"]
        worlds = self.make(1, self.o.seed + 20_000, **({"render_mode": "rgb_array"} if draws else {}))
        seen = worlds.reset()
        features = self.first_features(seen)
        recorded: dict[str, list[Any]] = {name: [] for name in ("features", "present", "actions", "rewards")}
        frames = [worlds.pool.render()[0]] if draws else []
        over = False
        while not over and len(recorded["rewards"]) < most:
            actions = self.act(features, seen.mask)
            arrays = [seen.features[0].clone(), seen.present[0].clone(), actions[0]]
            seen, reward, terminated, truncated, _ = worlds.step(actions)
            features = self.next_features(seen, features, torch.zeros_like(terminated))
            for values, array in zip(recorded.values(), [*arrays, reward[0].clone()], strict=True):
                values.append(array)
            frames += [worlds.pool.render()[0]] if draws else []
            over = bool((terminated | truncated)[0])
        np.savez(path.with_name("episode.npz"), **{name: torch.stack(x).cpu().numpy() for name, x in recorded.items()})
        if draws:
            write_video(path, frames, fps=12)
        worlds.pool.close()


def main() -> None:
    o = begin(Options, __doc__)
    run = Run(o)
    run.train()
    teams = {policy.name: f"{policy.name}_return" for policy in run.policies}
    curve({"": o.out}, o.out / "teams.png", o.task, "mean return of a player", teams)
    if o.eval_episodes:
        run.evaluate()
    if o.video:
        run.film(o.out / o.video)


if __name__ == "__main__":
    main()
