# SPDX-License-Identifier: Apache-2.0
r"""Trains many agents in one compiled program: proximal policy optimisation, environments included, inside `jax.jit`.

The idea and the hyperparameters come from PureJaxRL (https://github.com/luchris429/purejaxrl). A hyperparameter may
have several values. The script trains an agent for every combination of values and every seed, all at the same time, on
all devices that JAX finds.

    python examples/ppo_jax.py --learning_rate=2.5e-4,5e-4,1e-3 --entropy=0,0.01 --num_seeds=8
    python examples/ppo_jax.py --learning_rate=2.5e-4,5e-4,1e-3 --entropy=0,0.01 --num_seeds=8 --resume
    python examples/ppo_jax.py --num_seeds=2048 --num_envs=64 --save_every=1000            # on a GPU
    python examples/ppo_jax.py --task=Ant-v5 --scale --num_envs=64 --num_steps=64 --num_seeds=1 --minibatches=16 \
      --epochs=8 --learning_rate=4e-4 --entropy=0 --total_timesteps=2000000                # a robot
    XLA_FLAGS=--xla_force_host_platform_device_count=2 python examples/ppo_jax.py --num_seeds=64   # on two CPUs

It prints a table and writes curve.png, in games with achievements achievements.png, curves.npz, checkpoint.npz and, of the best agent, its network (agent.npz) and a
video to --out. A checkpoint includes the environments, so a run that is killed and resumed (--resume) gives the same
bits as an uninterrupted one.

Actions are one choice, or numbers. The environments come from envpool.jax. With --backend=gymnax they come from
gymnax 0.0.9, and there is no video.

This file has the environments of one player, rollouts and evaluation. The networks and the update of PPO are in
jax_learning.py, devices and checkpoints in jax_run.py. ppo_tag_jax.py uses both for two teams of players.
"""

import importlib
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from common import film, option, parse
from jax import Array
from jax_learning import Hyper, Learner, LearningOptions, Step, act, learn, networks, save_towers
from jax_policies import Choices, Gaussian, Policy
from jax_run import Devices, Grid, last_hundred, train
from jax_scales import Scales


@dataclass
class Options(LearningOptions):
    task: str = option("CartPole-v1", "environment to learn")
    backend: str = option("envpool", "library of the environments: envpool or gymnax")
    out: Path = option(Path("runs/ppo_jax"), "output folder")
    resume: bool = option(False, "continue from the checkpoint in that folder")
    save_every: int = option(50, "updates between two checkpoints")
    require_return: float = option(float("-inf"), "fail if the mean return of the best setting is lower")
    scale: bool = option(False, "scale observations and rewards by their running moments")
    target: float = option(
        float("inf"), "mean return of 100 episodes; the table shows the number of seeds that end with at least this"
    )
    # Evaluation
    eval_episodes: int = option(64, "episodes per agent after training, with the most probable action at every step")
    eval_steps: int = option(1000, "evaluated episodes are truncated after this many steps")
    # not .mp4, because encoding it forks the process
    video: str = option("episode.gif", "video of the best agent, in --out; '' makes none")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.backend not in ("envpool", "gymnax"):
            raise SystemExit(f"--backend: expected envpool or gymnax, got {self.backend}")


class Agent(NamedTuple):
    """The state of an agent between updates, in numeric arrays."""

    key: Any
    learner: Any
    obs: Any
    state: Any
    running: Any  # return so far of the current episode in each environment
    scales: Any  # None unless o.scale
    discounted: Any  # discounted return so far of the current episode in each environment


class Environments:
    """A batch of environments, with flat observations.

    envpool.jax steps batches itself, and their state includes the random number generators. gymnax's environments are
    batched by vmap and need keys for every step.
    """

    def __init__(self, task: str, backend: str, num: int):
        self.num, self.batched = num, backend == "envpool"
        module = importlib.import_module("envpool.jax" if self.batched else "gymnax")
        self.env, self.params = module.make(task)
        actions, seen = self.env.action_space(self.params), self.env.observation_space(self.params)
        self.is_discrete = hasattr(actions, "n")
        if not hasattr(seen, "shape") or not (self.is_discrete or hasattr(actions, "low")):
            raise SystemExit(
                f"--task={task}: this policy needs observations of one array, and actions of one choice or of one array"
            )
        self.has_achievements = self.batched and "achievements" in jax.eval_shape(self.info, jax.random.key(0))
        self.actions, self.obs_size = actions, int(np.prod(seen.shape))
        self.policy: Policy = Choices((int(actions.n),)) if self.is_discrete else Gaussian(int(np.prod(actions.shape)))

    def info(self, key: Array) -> dict[str, Any]:
        """Returns the info of a first step."""
        _, state = self.env.reset(key, self.params)
        info: dict[str, Any] = self.env.step(key, state, self.env.action_space(self.params).sample(key), self.params)[
            -1
        ]
        return info

    def flat(self, obs: Array) -> Array:
        return obs.reshape(len(obs), -1)

    def action(self, chosen: Array) -> Array:
        """Returns the actions of the environments that the policy has chosen, shape (num, components)."""
        if self.is_discrete:
            return chosen[:, 0]
        return jnp.clip(chosen.reshape(-1, *self.actions.shape), self.actions.low, self.actions.high)

    def keys(self, key: Array, steps: int) -> Array | None:
        return None if self.batched else jax.random.split(key, (steps, self.num))

    def reset(self, key: Array) -> tuple[Array, Any]:
        if self.batched:
            obs, state = self.env.reset_batch(key, self.num, self.params)
        else:
            obs, state = jax.vmap(self.env.reset, (0, None))(jax.random.split(key, self.num), self.params)
        return self.flat(obs), state

    def step(self, keys: Array | None, state: Any, action: Array) -> tuple[Any, ...]:
        """Returns the results of a step.

        These are the next observations and state, reward, terminated, done, the observations before any reset, and the
        number of achievements so far, if the environments have any.
        """
        if self.batched:
            obs, state, reward, done, info = self.env.step_batch(None, state, action, self.params)
            achieved = info["achievements"].sum(axis=1) if self.has_achievements else None
            return (
                self.flat(obs),
                state,
                reward,
                info["discount"] == 0,
                done,
                self.flat(info["final_observation"]),
                achieved,
            )
        obs, state, reward, done, _ = jax.vmap(self.env.step, (0, 0, 0, None))(keys, state, action, self.params)
        seen = self.flat(obs)
        return seen, state, reward, done, done, seen, None  # gymnax does not distinguish truncated from terminated


def begin(o: Options, envs: Environments, grid: Grid, devices: Devices) -> Agent:
    """Returns all agents at the start, on their devices."""

    def one(key: Array, net: Any) -> Agent:
        key, env_key = jax.random.split(jax.random.wrap_key_data(key))
        obs, state = envs.reset(env_key)
        scales = Scales.of(envs.obs_size) if o.scale else None
        return Agent(
            jax.random.key_data(key), Learner.of(net), obs, state, jnp.zeros(envs.num), scales, jnp.zeros(envs.num)
        )

    nets = networks(o, grid.keys, envs.obs_size, envs.policy)
    agents: Agent = devices.mapped(one)(devices.put(grid.keys), devices.put(nets))
    return agents


def scaled(scales: Scales | None, obs: Array) -> Array:
    """Returns observations as the network sees them."""
    return obs if scales is None else scales.scaled(obs)


def collect(o: Options, envs: Environments, agent: Agent, gamma: Any, keys: list[Array]) -> tuple[Agent, Step, Array]:
    """Collects a rollout.

    Returns the agent, the steps, and sums over the episodes that ended: of their achievements, if they have any, of
    their returns, and their number.
    """
    noise_key, step_key = keys
    noise = envs.policy.noise(noise_key, (o.num_steps, envs.num))

    def one(carry: Any, drawn: Any) -> Any:
        obs, state, running, discounted = carry
        noise, keys = drawn
        action, logprob = act(o, agent.learner.net, envs.policy, scaled(agent.scales, obs), noise)
        next_obs, state, reward, terminated, done, following, achieved = envs.step(keys, state, envs.action(action))
        running += reward
        discounted = gamma * discounted + reward
        numbers = [running, jnp.ones(envs.num)] if achieved is None else [achieved, running, jnp.ones(envs.num)]
        ended = jnp.stack([jnp.sum(number * done) for number in numbers])
        step = Step(obs, action, logprob, reward, following, terminated, done)
        return (next_obs, state, running * ~done, discounted * ~done), (step, discounted, ended)

    carry = (agent.obs, agent.state, agent.running, agent.discounted)
    carry, (steps, returns, ended) = jax.lax.scan(one, carry, (noise, envs.keys(step_key, o.num_steps)))
    obs, state, running, discounted = carry
    agent = agent._replace(obs=obs, state=state, running=running, discounted=discounted)
    if agent.scales is not None:
        scales = agent.scales
        agent = agent._replace(scales=scales.after(steps.obs, returns))
        steps = steps._replace(
            obs=scales.scaled(steps.obs),
            following=scales.scaled(steps.following),
            reward=steps.reward * scales.returns.scale,
        )
    return agent, steps, ended.sum(axis=0)


def update(o: Options, envs: Environments, agent: Agent, h: Hyper, left: Any) -> tuple[Agent, Array]:
    """Collects a rollout and learns from it. `left` is the fraction of the training that remains."""
    key, shuffle_key, *collect_keys = jax.random.split(jax.random.wrap_key_data(agent.key), 4)
    agent, steps, ended = collect(o, envs, agent, h.gamma, collect_keys)
    learner = learn(o, h, left, agent.learner, envs.policy, shuffle_key, steps)
    return agent._replace(key=jax.random.key_data(key), learner=learner), ended


def evaluate(o: Options, envs: Environments, key: Array, net: Any, scales: Scales | None) -> Array:
    """Returns the mean return of each environment's first episode. Later ones would overrepresent short episodes."""
    key = jax.random.fold_in(jax.random.wrap_key_data(key), 1)  # not a key of the training

    def go_on(carry: Any) -> Array:
        _, _, _, over, t = carry
        return ~over.all() & (t < o.eval_steps)

    def one(carry: Any) -> Any:
        obs, state, returns, over, t = carry
        keys = envs.keys(jax.random.fold_in(key, t), 1)
        action, _ = act(o, net, envs.policy, scaled(scales, obs), jnp.float32(0))
        obs, state, reward, _, done, _, _ = envs.step(keys if keys is None else keys[0], state, envs.action(action))
        return obs, state, returns + reward * ~over, over | done, t + 1

    carry = (*envs.reset(key), jnp.zeros(envs.num), jnp.zeros(envs.num, bool), 0)
    return jax.lax.while_loop(go_on, one, carry)[2].mean()


def plot(o: Options, steps: Any, means: Any, labels: list[str], what: str = "return") -> None:
    """Draws a curve for each agent if there is one setting, else the mean and the range of each setting.

    Writes curve.png, or achievements.png.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
    thin = slice(None, None, max(1, len(steps) // 300))
    for curve, label in zip(np.moveaxis(means, 1, 0), labels, strict=True):
        known = ~np.isnan(curve).any(axis=-1)
        x, curve = steps[known][thin], curve[known][thin]
        (line,) = ax.plot(x, curve.mean(axis=-1), label=label, zorder=3)
        if len(labels) == 1:
            ax.plot(x, curve, color=line.get_color(), alpha=0.3, linewidth=0.6)
        else:
            ax.fill_between(x, curve.min(axis=-1), curve.max(axis=-1), color=line.get_color(), alpha=0.2, linewidth=0)
    ax.set(xlabel="environment steps of an agent", ylabel=f"mean {what} of 100 episodes")
    shown = "mean and each" if len(labels) == 1 else "mean, minimum and maximum"
    ax.set_title(
        f"{o.task}: {'one seed' if o.num_seeds == 1 else f'{shown} of {o.num_seeds} seeds'}", fontsize="medium"
    )
    ax.grid(alpha=0.3)
    if len(labels) > 1:
        ax.legend(fontsize="small")
    figure.savefig(o.out / ("curve.png" if what == "return" else f"{what}.png"), dpi=90)
    pyplot.close(figure)


def print_achievements(o: Options, labels: list[str], means: Any) -> None:
    """Prints the mean number of achievements of the last 100 episodes of each setting."""
    for label, last in zip(labels, means[-1], strict=True):
        print(f"{label}: {last.mean():.2f} achievements in an episode")


def show_agent(o: Options, envs: Environments, net: Any, scales: Scales | None) -> None:
    """Records an episode in a pool, whose steps give the same bits as envpool.jax."""
    import envpool

    make = partial(envpool.make_gymnasium, o.task, num_envs=1, seed=o.seed)
    with closing(make()) as plain:
        if not plain.metadata["render_modes"]:
            print(f"no video: {o.task} cannot be rendered")
            return

    def choose(obs: Array) -> Array:
        return envs.action(act(o, net, envs.policy, scaled(scales, obs.reshape(1, -1)), jnp.float32(0))[0])

    compiled = jax.jit(choose)
    with closing(make(render_mode="rgb_array")) as pool:
        film(o.out / o.video, pool, lambda obs: np.asarray(compiled(obs)), fps=30, most=o.eval_steps)


def print_table(o: Options, labels: list[str], steps: Any, means: Any, scores: Any) -> None:
    """Prints a row for each setting, with statistics over its seeds. `means` and `scores` end with the axis of seeds."""
    width = max(map(len, labels))
    with_target = o.target < float("inf")
    target = f"  at {o.target:g}  first, median" if with_target else ""
    print(f"\n{'':{width}}  last 100 episodes   worst  evaluation   worst{target}")
    for i, label in enumerate(labels):
        last = means[-1, i]
        row = f"{label:{width}}  {last.mean():8.1f} ±{last.std():7.1f}  {last.min():6.1f}"
        row += f"  {scores[i].mean():10.1f}  {scores[i].min():6.1f}"
        if with_target:
            reached = means[:, i] >= o.target
            first = [int(steps[seed.argmax()]) for seed in reached.T if seed.any()]
            median = f"{int(np.median(first)):,}" if first else "never"
            row += f"  {np.sum(last >= o.target)}/{o.num_seeds}".rjust(len(f"  at {o.target:g}")) + f"{median:>15}"
        print(row)


def main() -> None:
    o = parse(Options, __doc__)
    envs = Environments(o.task, o.backend, o.num_envs)
    grid = Grid(o, o.task)
    devices = Devices(o, grid.num_agents)
    o.out.mkdir(parents=True, exist_ok=True)
    numbers = 3 if envs.has_achievements else 2
    run = train(o, grid, devices, partial(begin, o, envs, grid, devices), partial(update, o, envs), numbers=numbers)

    nets, scales = run.agents.learner.net, run.agents.scales
    *achieved, total, number = np.moveaxis(np.asarray(run.curves, np.float64), -1, 0)
    means = grid.split(last_hundred(total, number))
    judges = Environments(o.task, o.backend, o.eval_episodes)
    scores = grid.split(np.asarray(devices.mapped(partial(evaluate, o, judges))(devices.put(grid.keys), nets, scales)))

    steps = (np.arange(o.updates) + 1) * o.batch
    print_table(o, grid.labels, steps, means, scores)
    curves = {"means": means}
    plot(o, steps, means, grid.labels)
    if envs.has_achievements:
        curves["achievements"] = grid.split(last_hundred(achieved[0], number))
        print_achievements(o, grid.labels, curves["achievements"])
        plot(o, steps, curves["achievements"], grid.labels, "achievements")
    curves = {name: curve.astype(np.float32) for name, curve in curves.items()}
    np.savez_compressed(o.out / "curves.npz", steps=steps, settings=np.array(grid.points), **curves)
    net, scales = jax.tree.map(lambda x: np.asarray(x)[scores.argmax()], (nets, scales))
    moments = {} if scales is None else {"obs/mean": scales.obs.mean, "obs/variance": scales.obs.variance}
    save_towers(o.out / "agent.npz", net, **moments)
    if o.video and o.backend == "envpool":
        show_agent(o, envs, net, scales)
    best = scores.mean(axis=-1).max()
    if best < o.require_return:
        raise SystemExit(f"mean return {best:.1f} is below {o.require_return}")


if __name__ == "__main__":
    main()
