# SPDX-License-Identifier: Apache-2.0
"""Trains many agents in one compiled program: proximal policy optimisation, environments included, inside `jax.jit`.

The idea and the hyperparameters come from PureJaxRL (https://github.com/luchris429/purejaxrl). A hyperparameter may
have several values. The script trains an agent for every combination of values and every seed, all at the same time.

    python examples/ppo_jax.py --learning_rate=2.5e-4,5e-4,1e-3 --seeds=8
    python examples/ppo_jax.py --learning_rate=2.5e-4,5e-4,1e-3 --seeds=8 --resume   # continues where it stopped

It prints a table and writes curve.png, curves.npz, checkpoint.npz and a video of the best agent to --out. A checkpoint
includes the environments, so a run that is killed and resumed gives the same bits as an uninterrupted one.

The environments come from envpool.jax. With --backend=gymnax they come from gymnax 0.0.9, and there is no video.

The whole algorithm is in this file, so that it can be read from top to bottom and changed without affecting another
example. It shares little code with the torch examples, because the whole training is one JAX function.
"""

import importlib
import itertools
import json
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from common import film, fixed, opened, option, parse, require_same, set_aside
from jax import Array
from tqdm import tqdm


class Numbers(list[float]):
    """Numbers separated by commas. If there are several, they form a dimension of the grid."""

    def __init__(self, text: str) -> None:
        super().__init__(float(x) for x in text.split(","))


@dataclass
class Options:
    task: str = option("CartPole-v1", "environment to learn, with discrete actions")
    backend: str = option("envpool", "library of the environments: envpool or gymnax")
    out: Path = option(Path("runs/ppo_jax"), "output folder")
    resume: bool = option(False, "continue from the checkpoint in that folder")
    save_every: int = option(10, "updates between two checkpoints")
    require_return: float = option(float("-inf"), "fail if the mean return of the best setting is lower")
    target: float = option(
        float("inf"), "mean return of 100 episodes; the table shows after how many steps it was reached"
    )
    # Amount of training
    seeds: int = option(4, "agents per setting")
    seed: int = option(0, "seed from which the agents' seeds are drawn")
    total_timesteps: int = option(500_000, "environment steps per agent")
    num_envs: int = option(4, "environments per agent")
    num_steps: int = option(128, "steps of each environment per rollout")
    # The networks: one for the policy and one for the value
    width: int = option(64, "width of the two hidden layers")
    activation: str = option("tanh", "activation of the hidden layers, a function of jax.nn")
    # Learning
    epochs: int = option(4, "passes over each rollout")
    minibatches: int = option(4, "minibatches per epoch")
    anneal: bool = option(True, "whether the learning rate falls linearly to 0")
    learning_rate: Numbers = option("2.5e-4", "learning rate of Adam")
    gamma: Numbers = option("0.99", "discount factor")
    gae_lambda: Numbers = option("0.95", "lambda of generalised advantage estimation")
    clip: Numbers = option("0.2", "clipping range of the probability ratio and of the value")
    entropy: Numbers = option("0.01", "weight of the entropy bonus")
    value_weight: Numbers = option("0.5", "weight of the value loss")
    max_grad_norm: Numbers = option("0.5", "gradients are clipped to this norm")
    # Evaluation
    eval_episodes: int = option(64, "episodes per agent after training, with the most probable action at every step")
    eval_steps: int = option(1000, "evaluated episodes are truncated after this many steps")
    # not .mp4, because encoding it forks the process
    video: str = option("episode.gif", "video of the best agent, in --out; '' makes none")

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if type(value) is int and name != "seed" and value < 1:
                raise SystemExit(f"--{name}: expected at least 1, got {value}")
        if self.backend not in ("envpool", "gymnax"):
            raise SystemExit(f"--backend: expected envpool or gymnax, got {self.backend}")
        if not callable(getattr(jax.nn, self.activation, None)):
            raise SystemExit(f"--activation: expected a function of jax.nn, got {self.activation}")
        if self.batch % self.minibatches:
            raise SystemExit(f"--minibatches={self.minibatches} must divide num_envs * num_steps, {self.batch}")

    @property
    def batch(self) -> int:
        """Steps of an agent per rollout."""
        return self.num_envs * self.num_steps

    @property
    def updates(self) -> int:
        return max(1, self.total_timesteps // self.batch)


class Hyper(NamedTuple):
    """One value of each hyperparameter, or arrays of the values of all settings."""

    learning_rate: Any
    gamma: Any
    gae_lambda: Any
    clip: Any
    entropy: Any
    value_weight: Any
    max_grad_norm: Any


class Agent(NamedTuple):
    """The state of an agent between updates, in numeric arrays."""

    key: Any
    net: Any
    optimizer: Any
    obs: Any
    state: Any
    running: Any  # return so far of the current episode in each environment


class Run(NamedTuple):
    """The contents of a checkpoint."""

    done: Any  # number of finished updates
    agents: Any  # Agent, for each setting and seed
    curves: Any  # (updates, settings, seeds, 2): sum of the returns of the episodes that ended, and their number


class Step(NamedTuple):
    """A step to learn from. `following` is the observation after it. The next step's `obs` is after any reset."""

    obs: Any
    action: Any
    logprob: Any
    reward: Any
    following: Any
    terminated: Any
    done: Any


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
        if not hasattr(actions, "n") or not hasattr(seen, "shape"):
            raise SystemExit(f"--task={task}: this policy needs observations of one array and discrete actions")
        self.num_actions, self.obs_size = int(actions.n), int(np.prod(seen.shape))

    def flat(self, obs: Array) -> Array:
        return obs.reshape(len(obs), -1)

    def keys(self, key: Array, steps: int) -> Array | None:
        return None if self.batched else jax.random.split(key, (steps, self.num))

    def reset(self, key: Array) -> tuple[Array, Any]:
        if self.batched:
            obs, state = self.env.reset_batch(key, self.num, self.params)
        else:
            obs, state = jax.vmap(self.env.reset, (0, None))(jax.random.split(key, self.num), self.params)
        return self.flat(obs), state

    def step(self, keys: Array | None, state: Any, action: Array) -> tuple[Any, ...]:
        """Returns the next observations and state, reward, terminated, done, and the observations before any reset."""
        if self.batched:
            obs, state, reward, done, info = self.env.step_batch(None, state, action, self.params)
            return self.flat(obs), state, reward, info["terminated"], done, self.flat(info["final_observation"])
        obs, state, reward, done, _ = jax.vmap(self.env.step, (0, 0, 0, None))(keys, state, action, self.params)
        return (
            self.flat(obs),
            state,
            reward,
            done,
            done,
            self.flat(obs),
        )  # gymnax does not distinguish truncated from terminated


def towers(o: Options, key: Array, inputs: int, outputs: int) -> dict[str, list[Any]]:
    """Returns the two networks, with orthogonal weights and biases of 0."""
    w, root = o.width, 2**0.5
    shapes = {
        "policy": [(inputs, w, root), (w, w, root), (w, outputs, 0.01)],
        "value": [(inputs, w, root), (w, w, root), (w, 1, 1.0)],
    }
    # One draw for all layers, because each call of jax.random takes half a second to compile.
    draws = jax.random.normal(key, (sum(a * b for layers in shapes.values() for a, b, _ in layers),))

    def orthogonal(a: int, b: int, gain: float) -> Array:
        nonlocal draws
        q = gain * orthonormal(draws[: a * b].reshape(max(a, b), min(a, b)))
        draws = draws[a * b :]
        return q if a >= b else q.T

    return {name: [(orthogonal(*shape), jnp.zeros(shape[1])) for shape in layers] for name, layers in shapes.items()}


def orthonormal(columns: Array) -> Array:
    """Orthonormalizes columns by the Gram-Schmidt process, subtracting projections twice for accuracy in float32.

    It avoids jnp.linalg.qr: jaxlib 0.10.2 computes a batch in its thread pool, where one thread waits for another to
    become free. Two batches at once, as under vmap here, therefore deadlock on a machine with two CPUs.
    """

    def next_column(j: Any, q: Array) -> Array:
        done = jnp.where(jnp.arange(q.shape[1]) < j, q, 0)
        column = q[:, j]
        for _ in range(2):
            column -= done @ (done.T @ column)
        return q.at[:, j].set(column / jnp.linalg.norm(column))

    return jax.lax.fori_loop(0, columns.shape[1], next_column, columns)


def forward(o: Options, layers: list[Any], x: Array) -> Array:
    x = x.astype(jnp.float32)
    for weight, bias in layers[:-1]:
        x = getattr(jax.nn, o.activation)(x @ weight + bias)
    return x @ layers[-1][0] + layers[-1][1]


def value_of(o: Options, net: Any, obs: Array) -> Array:
    return forward(o, net["value"], obs).squeeze(-1)


def optimizer_of(h: Hyper, left: Any) -> optax.GradientTransformation:
    return optax.chain(optax.clip_by_global_norm(h.max_grad_norm), optax.adam(h.learning_rate * left, eps=1e-5))


def begin(o: Options, envs: Environments, key: Array, h: Hyper) -> Agent:
    key, net_key, env_key = jax.random.split(key, 3)
    net = towers(o, net_key, envs.obs_size, envs.num_actions)
    obs, state = envs.reset(env_key)
    return Agent(jax.random.key_data(key), net, optimizer_of(h, 1.0).init(net), obs, state, jnp.zeros(envs.num))


def collect(o: Options, envs: Environments, agent: Agent, key: list[Array]) -> tuple[Agent, Step, tuple[Array, ...]]:
    """Takes a rollout of steps. Returns the agent, the steps, and the sum and count of the ended episodes' returns."""
    noise_key, step_key = key
    # All noise is drawn at once. The action with the largest sum of logit and Gumbel noise is a sample of the policy.
    noise = jax.random.gumbel(noise_key, (o.num_steps, envs.num, envs.num_actions))

    def one(carry: Any, drawn: Any) -> Any:
        obs, state, running = carry
        noise, keys = drawn
        logits = forward(o, agent.net["policy"], obs)
        action = jnp.argmax(logits + noise, axis=-1)
        logprob = pick(jax.nn.log_softmax(logits), action)
        next_obs, state, reward, terminated, done, following = envs.step(keys, state, action)
        running += reward
        ended = jnp.sum(running * done), jnp.sum(done)
        step = Step(obs, action, logprob, reward, following, terminated, done)
        return (next_obs, state, running * ~done), (step, ended)

    carry = (agent.obs, agent.state, agent.running)
    carry, (steps, ended) = jax.lax.scan(one, carry, (noise, envs.keys(step_key, o.num_steps)))
    return Agent(agent.key, agent.net, agent.optimizer, *carry), steps, tuple(x.sum() for x in ended)


def pick(rows: Array, index: Array) -> Array:
    return jnp.take_along_axis(rows, index[..., None], axis=-1).squeeze(-1)


def advantages_of(h: Hyper, steps: Step, values: Array, next_values: Array) -> Array:
    """Returns generalised advantage estimates. A truncated episode is bootstrapped from its final observation."""
    deltas = steps.reward + h.gamma * next_values * ~steps.terminated - values

    def one(running: Array, x: Any) -> Any:
        delta, done = x
        running = delta + h.gamma * h.gae_lambda * running * ~done
        return running, running

    return jax.lax.scan(one, jnp.zeros_like(deltas[0]), (deltas, steps.done), reverse=True)[1]


def loss_of(o: Options, net: Any, h: Hyper, batch: Any) -> Array:
    steps, old_values, advantages = batch
    targets = advantages + old_values
    logprobs = jax.nn.log_softmax(forward(o, net["policy"], steps.obs))
    ratio = jnp.exp(pick(logprobs, steps.action) - steps.logprob)
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    gain = jnp.minimum(ratio * advantages, jnp.clip(ratio, 1 - h.clip, 1 + h.clip) * advantages).mean()
    entropy = -jnp.sum(jnp.exp(logprobs) * logprobs, axis=-1).mean()
    values = value_of(o, net, steps.obs)
    clipped = old_values + jnp.clip(values - old_values, -h.clip, h.clip)
    value_loss = 0.5 * jnp.maximum((values - targets) ** 2, (clipped - targets) ** 2).mean()
    return h.value_weight * value_loss - gain - h.entropy * entropy


def update(o: Options, envs: Environments, agent: Agent, h: Hyper, left: Any) -> tuple[Agent, Array]:
    """Collects a rollout and learns from it. `left` is the fraction of the training that remains."""
    key, shuffle_key, *collect_key = jax.random.split(jax.random.wrap_key_data(agent.key), 4)
    agent, steps, ended = collect(o, envs, agent, collect_key)
    values = value_of(o, agent.net, steps.obs)
    advantages = advantages_of(h, steps, values, value_of(o, agent.net, steps.following))
    rollout = jax.tree.map(lambda x: x.reshape(o.batch, *x.shape[2:]), (steps, values, advantages))
    optimizer = optimizer_of(h, left if o.anneal else 1.0)

    def minibatch(carry: Any, chosen: Array) -> Any:
        net, state = carry
        gradient = jax.grad(partial(loss_of, o))(net, h, jax.tree.map(lambda x: x[chosen], rollout))
        change, state = optimizer.update(gradient, state)
        return (optax.apply_updates(net, change), state), None

    orders = jnp.argsort(jax.random.bits(shuffle_key, (o.epochs, o.batch)), axis=-1)
    chosen = orders.reshape(o.epochs * o.minibatches, -1)
    (net, state), _ = jax.lax.scan(minibatch, (agent.net, agent.optimizer), chosen)
    return agent._replace(key=jax.random.key_data(key), net=net, optimizer=state), jnp.stack(ended, dtype=jnp.float32)


def begin_all(o: Options, envs: Environments, keys: Array, grid: Hyper) -> Run:
    """Initializes an agent for every setting and key."""
    # The inner vmap maps over seeds, the outer over settings.
    agents = jax.vmap(jax.vmap(partial(begin, o, envs), (0, None)), (None, 0))(keys, grid)
    return Run(jnp.int32(0), agents, jnp.zeros((o.updates, len(grid.gamma), len(keys), 2)))


def train(o: Options, envs: Environments, grid: Hyper, run: Run, until: Any) -> Run:
    """Trains until `until` updates are done. `until` is an argument of the program, so that it is compiled only once."""
    update_all = jax.vmap(jax.vmap(partial(update, o, envs), (0, None, None)), (0, 0, None))

    def one(run: Run) -> Run:
        agents, ended = update_all(run.agents, grid, 1 - run.done / o.updates)
        return Run(run.done + 1, agents, run.curves.at[run.done].set(ended))

    last: Run = jax.lax.while_loop(lambda run: run.done < until, one, run)
    return last


def save(o: Options, run: Run) -> None:
    """Writes a checkpoint; if the run is killed during the write, the previous checkpoint remains intact."""
    new = o.out / "checkpoint.new"
    with new.open("wb") as file:
        np.savez(file, *jax.tree.leaves(run), options=json.dumps(fixed(o)))
    new.replace(o.out / "checkpoint.npz")


def load(o: Options, form: Run) -> Run:
    """Reads a checkpoint. `form` has the arrays of the current run, whose number of updates may differ."""
    path = o.out / "checkpoint.npz"
    with opened(path), np.load(path) as file:
        kept = json.loads(str(file["options"]))
        leaves = [file[f"arr_{i}"] for i in range(len(file) - 1)]
    require_same(o, kept, path)
    run: Run = jax.tree.unflatten(jax.tree.structure(form), leaves)
    done, before, now = int(run.done), len(run.curves), len(form.curves)
    if done > now:
        raise SystemExit(f"--resume: {path} has {done} updates, but --total_timesteps={o.total_timesteps} gives {now}")
    if before != now and o.anneal:
        print(
            f"--resume: the learning rate of the first {done} updates was annealed for {before} updates; "
            f"it continues as in a run of {now} updates"
        )
    curves = np.zeros(form.curves.shape, np.float32)
    curves[:done] = run.curves[:done]
    return run._replace(curves=curves)


def evaluate(o: Options, envs: Environments, key: Array, net: Any) -> Array:
    """Returns the mean return of each environment's first episode. Later episodes would overrepresent short ones."""

    def go_on(carry: Any) -> Array:
        _, _, _, over, t = carry
        return ~over.all() & (t < o.eval_steps)

    def one(carry: Any) -> Any:
        obs, state, returns, over, t = carry
        keys = envs.keys(jax.random.fold_in(key, t), 1)
        action = jnp.argmax(forward(o, net["policy"], obs), axis=-1)
        obs, state, reward, _, done, _ = envs.step(keys if keys is None else keys[0], state, action)
        return obs, state, returns + reward * ~over, over | done, t + 1

    carry = (*envs.reset(key), jnp.zeros(envs.num), jnp.zeros(envs.num, bool), 0)
    return jax.lax.while_loop(go_on, one, carry)[2].mean()


def last_hundred(total: Any, number: Any) -> Any:
    """Returns the mean return of each agent's last 100 episodes, for each update.

    The mean also includes episodes that ended in the same update as the first of these.
    """

    def of_one(total: Any, number: Any) -> Any:
        total, number = (np.append(0.0, np.cumsum(x)) for x in (total, number))
        first = np.searchsorted(number, number - 100, side="right") - 1
        means = (total - total[first]) / np.maximum(number - number[first], 1)
        return np.where(first >= 0, means, np.nan)[1:]  # NaN while fewer than 100 have ended

    runs = [x.reshape(len(x), -1).T for x in (total, number)]
    return np.stack([of_one(*run) for run in zip(*runs, strict=True)], axis=-1).reshape(total.shape)


class Time(NamedTuple):
    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s ({self.cpu:.2f} s of CPU)"


class Clock:
    """A stopwatch of wall-clock and CPU time."""

    def __init__(self) -> None:
        self.last = self.now()

    def now(self) -> tuple[float, float]:
        return time.perf_counter(), time.process_time()

    def lap(self) -> Time:
        before, self.last = self.last, self.now()
        return Time(*(b - a for a, b in zip(before, self.last, strict=True)))


def plot(o: Options, steps: Any, means: Any, labels: list[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
    thin = slice(None, None, max(1, len(steps) // 300))
    for curve, label in zip(np.moveaxis(means, 1, 0), labels, strict=True):
        known = ~np.isnan(curve).any(axis=-1)
        x, curve = steps[known][thin], curve[known][thin]
        (line,) = ax.plot(x, curve.mean(axis=-1), label=label)
        ax.fill_between(x, curve.min(axis=-1), curve.max(axis=-1), color=line.get_color(), alpha=0.2, linewidth=0)
    ax.set(xlabel="environment steps of an agent", ylabel="mean return of 100 episodes")
    seeds = "one seed" if o.seeds == 1 else f"mean, minimum and maximum of {o.seeds} seeds"
    ax.set_title(f"{o.task}: {seeds}", fontsize="medium")
    ax.grid(alpha=0.3)
    ax.legend(fontsize="small")
    figure.savefig(o.out / "curve.png", dpi=90)


def show_agent(o: Options, net: Any) -> None:
    """Records an episode in a pool, whose steps give the same bits as envpool.jax."""
    import envpool

    make = partial(envpool.make_gymnasium, o.task, num_envs=1, seed=o.seed)
    with closing(make()) as plain:
        if not plain.metadata["render_modes"]:
            print(f"no video: {o.task} cannot be rendered")
            return
    act = jax.jit(lambda obs: jnp.argmax(forward(o, net["policy"], obs.reshape(1, -1)), axis=-1))
    with closing(make(render_mode="rgb_array")) as pool:
        film(o.out / o.video, pool, lambda obs: np.asarray(act(obs), np.int32), fps=30, most=o.eval_steps)


def main() -> None:
    o = parse(Options, __doc__)
    o.out.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_platforms", "cpu")  # the only platform that envpool.jax supports
    points = list(itertools.product(*(getattr(o, name) for name in Hyper._fields)))
    grid = Hyper(*jnp.array(points).T)
    varied = [i for i, name in enumerate(Hyper._fields) if len(getattr(o, name)) > 1]
    labels = [", ".join(f"{Hyper._fields[i]}={p[i]:g}" for i in varied) or o.task for p in points]
    keys = jax.random.split(jax.random.key(o.seed), o.seeds)
    envs = Environments(o.task, o.backend, o.num_envs)

    clock = Clock()
    start = jax.jit(partial(begin_all, o, envs))
    if not o.resume:
        set_aside(o.out / "checkpoint.npz")
    run = load(o, jax.eval_shape(start, keys, grid)) if o.resume else start(keys, grid)
    program = jax.jit(partial(train, o, envs), donate_argnums=1).lower(grid, run, np.int32(0)).compile()
    compiling = clock.lap()
    each = o.batch * len(points) * o.seeds
    began = done = int(run.done)
    with tqdm(
        desc=f"{len(points)} x {o.seeds} agents",
        total=o.updates * each,
        initial=done * each,
        unit=" steps",
        unit_scale=True,
        disable=None,  # without a terminal
    ) as bar:
        while done < o.updates:
            before, done = done, min(done + o.save_every, o.updates)
            run = program(grid, run, np.int32(done))
            save(o, run)
            total, number = np.asarray(run.curves)[before:done].sum(axis=(0, 1, 2))
            if number:
                bar.set_postfix_str(f"return {total / number:.1f}", refresh=False)
            bar.update((done - before) * each)
    running = clock.lap()
    speed = (o.updates - began) * each / running.wall
    print(f"{o.backend}: compiled in {compiling}, ran in {running}: {speed:,.0f} steps/s")

    nets = run.agents.net
    means = last_hundred(*np.moveaxis(np.asarray(run.curves, np.float64), -1, 0))
    judges = Environments(o.task, o.backend, o.eval_episodes)
    judged = jax.jit(jax.vmap(jax.vmap(partial(evaluate, o, judges)), (None, 0)))
    scores = np.asarray(judged(jax.vmap(lambda k: jax.random.fold_in(k, 1))(keys), nets))

    steps = (np.arange(o.updates) + 1) * o.batch
    width = max(map(len, labels))
    to_target = "  steps to target" if o.target < float("inf") else ""
    print(f"\n{'':{width}}  last 100 episodes  evaluation, worst seed{to_target}")
    for i, label in enumerate(labels):
        row = f"{label:{width}}  {means[-1, i].mean():8.1f} ±{means[-1, i].std():7.1f}"
        row += f"  {scores[i].mean():10.1f}, {scores[i].min():10.1f}"
        if to_target:
            reached = means[:, i] >= o.target
            first = [int(steps[r.argmax()]) for r in reached.T if r.any()]
            row += f"  {int(np.median(first)):,} by {len(first)} of {o.seeds}" if first else "  never"
        print(row)

    np.savez_compressed(o.out / "curves.npz", steps=steps, means=means.astype(np.float32), settings=np.array(points))
    plot(o, steps, means, labels)
    if o.video and o.backend == "envpool":
        show_agent(o, jax.tree.map(lambda x: x[np.unravel_index(scores.argmax(), scores.shape)], nets))
    best = scores.mean(axis=-1).max()
    if best < o.require_return:
        raise SystemExit(f"mean return {best:.1f} is below {o.require_return}")


if __name__ == "__main__":
    main()
