# SPDX-License-Identifier: Apache-2.0
r"""Learns mazes from a curriculum of levels: unsupervised environment design, environments included, inside `jax.jit`.

An agent that sees only the 5 x 5 cells ahead of it walks to a goal. It learns on random levels, and is tested on mazes
that it has never seen. The walls, the start and the goal of `UEDMaze-v0` are parameters, so each environment of a batch has
its own level. There are three methods; all of them take the same number of steps and learn by PPO:

    dr      domain randomization: each episode has another random level
    plr     prioritized level replay: a buffer keeps the levels on which the agent can still gain most (by an estimate of
            its regret), and the agent learns on levels of the buffer; new levels are played without learning from them
    accel   like plr, but once half of the buffer is full, new levels are edits of levels of the buffer

    python examples/ued_maze.py --methods=dr,plr --num_seeds=3

It prints a table, and writes curves.npz and curve.png to --out. The buffer of levels and the mazes are in jax_levels.py;
Adam and the advantages come from jax_learning.py.

Jiang et al., "Replay-guided adversarial environment design" (2021); Parker-Holder et al., "Evolving curricula with
regret-based environment design" (2022).
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from common import option, parse
from jax import Array
from jax_learning import Hyper, Learner, Step, adam, advantages_of, one_network
from jax_levels import SIDE, Buffer, Levels, edited, mazes, solvable
from jax_policies import Choices
from jax_run import Clock
from tqdm import tqdm

import envpool.jax

VIEW, MAX_STEPS = 5, 250
INPUTS = 2 * VIEW * VIEW + 4  # where the walls and the goal are in the view, and the direction
POLICY = Choices((3,))  # left, right, forward; the other actions of the environment do nothing


@dataclass
class Options:
    methods: str = option("dr,plr", "methods to train with: some of dr, plr, accel")
    num_seeds: int = option(1, "agents per method; each has its own seed")
    seed: int = option(0, "the first of these seeds")
    total_timesteps: int = option(2_000_000, "environment steps per agent, including those of new levels")
    num_envs: int = option(32, "environments, which are levels at a time")
    num_steps: int = option(256, "steps of each environment per update")
    out: Path = option(Path("runs/ued_maze"), "output folder")
    # Levels
    walls: int = option(60, "walls of a random level; some may be in the same cell")
    buffer: int = option(512, "levels that the buffer keeps; levels are replayed once it is half full")
    replay: float = option(0.8, "probability that an update replays levels of the buffer")
    score: str = option("maxmc", "what estimates the regret: maxmc or pvl, the positive value loss")
    temperature: float = option(0.3, "levels have probabilities of rank ** (-1 / temperature)")
    staleness: float = option(0.3, "weight of levels that have not been played for long, from 0 to 1")
    edits: int = option(20, "cells that accel changes in a level")
    # Learning
    width: int = option(64, "width of the hidden layer and of the memory")
    segment: int = option(64, "steps through which gradients of the memory flow")
    epochs: int = option(4, "passes over each rollout")
    minibatches: int = option(4, "minibatches per epoch")
    learning_rate: float = option(1e-3, "learning rate of Adam; it falls linearly to 0")
    gamma: float = option(0.995, "discount factor")
    gae_lambda: float = option(0.98, "lambda of generalised advantage estimation")
    clip: float = option(0.2, "clipping range of the probability ratio")
    entropy: float = option(0.01, "weight of the entropy bonus")
    value_weight: float = option(0.5, "weight of the value loss")
    max_grad_norm: float = option(0.5, "gradients are clipped to this norm")
    # Evaluation
    eval_every: int = option(10, "updates between two evaluations")
    eval_levels: int = option(256, "random levels of the test; all can be solved")
    eval_episodes: int = option(16, "episodes of each maze of the test")
    last: int = option(3, "the table has means over so many tests, the last ones")
    require_solved: float = option(0.0, "fail if a method solves a smaller share of the random levels of the test")

    def __post_init__(self) -> None:
        if unknown := set(self.methods.split(",")) - {"dr", "plr", "accel"}:
            raise SystemExit(f"--methods: expected some of dr, plr, accel, got {', '.join(sorted(unknown))}")
        if self.score not in ("maxmc", "pvl"):
            raise SystemExit(f"--score: expected maxmc or pvl, got {self.score}")
        if self.num_steps % self.segment:
            raise SystemExit(f"--segment: expected a divisor of num_steps, {self.num_steps}, got {self.segment}")
        if self.batch // self.segment % self.minibatches:
            number = self.batch // self.segment
            raise SystemExit(f"--minibatches: expected a divisor of the segments, {number}, got {self.minibatches}")
        if self.buffer < 2 * self.num_envs:
            raise SystemExit(f"--buffer: expected at least 2 * num_envs, {2 * self.num_envs}, got {self.buffer}")

    @property
    def batch(self) -> int:
        return self.num_envs * self.num_steps

    @property
    def rounds(self) -> int:
        """The number of evaluations."""
        return max(1, self.total_timesteps // (self.batch * self.eval_every))

    @property
    def hyper(self) -> Hyper:
        return Hyper(*(getattr(self, name) for name in Hyper._fields))


class Agent(NamedTuple):
    """The state of an agent between updates."""

    key: Any
    learner: Any
    buffer: Buffer
    updates: Any


class Maze:
    """The environment, and its random levels."""

    def __init__(self, walls: int) -> None:
        self.env, self.params = envpool.jax.make("UEDMaze-v0", max_episode_steps=MAX_STEPS)
        self.random = self.params.replace(random_walls=walls)  # each episode has a level of its own

    def of(self, levels: Levels) -> Any:
        return self.params.replace(**levels._asdict())

    def draw(self, key: Array, count: int) -> Levels:
        """Returns random levels: those that the environment draws, read from its state."""
        state = self.env.reset_batch(key, count, self.random)[1]
        walls = (state.walls[:, :, None] >> jnp.arange(SIDE) & 1).astype(bool)
        return Levels(walls, state.pos, state.goal, state.direction)


def network(o: Options, seed: int) -> Any:
    """Returns a network: a dense layer, a gated recurrent unit as memory, and linear outputs for policy and value."""
    w = o.width
    layers = {"dense": [(INPUTS, w, 2**0.5)], "inputs": [(w, 3 * w, 1.0)], "memory": [(w, 3 * w, 1.0)]}
    return one_network(np.random.default_rng(seed), layers | {"policy": [(w, 3, 0.01)], "value": [(w, 1, 1.0)]})


def features(obs: Any) -> Array:
    kinds = obs["image"][..., 0].reshape(-1, VIEW * VIEW)
    return jnp.concatenate([kinds == 2, kinds == 8, obs["direction"][:, None] == jnp.arange(4)], axis=1)


def forward(net: Any, memory: Array, seen: Array, begins: Array) -> tuple[Array, Array, Array]:
    """Returns the memory after steps, shape (steps, columns), and their outputs and values.

    The memory is cleared where an episode begins.
    """

    def layer(name: str, x: Array) -> Array:
        ((weight, bias),) = net[name]
        return x @ weight + bias

    def one(memory: Array, x: Any) -> tuple[Array, Array]:
        inputs, begins = x
        memory = jnp.where(begins[:, None], 0, memory)
        from_inputs, from_memory = (jnp.split(part, 3, axis=1) for part in (inputs, layer("memory", memory)))
        keep, reset = (jax.nn.sigmoid(x + y) for x, y in zip(from_inputs[:2], from_memory[:2], strict=True))
        memory = keep * memory + (1 - keep) * jnp.tanh(from_inputs[2] + reset * from_memory[2])
        return memory, memory

    inputs = layer("inputs", jax.nn.relu(layer("dense", seen.astype(jnp.float32))))
    memory, each = jax.lax.scan(one, memory, (inputs, begins))
    return memory, layer("policy", each), layer("value", each)[..., 0]


class Rollout(NamedTuple):
    steps: Step
    begins: Any  # whether an episode begins with the step
    memory: Any  # before the step
    value: Any
    last_value: Any


def play(o: Options, maze: Maze, params: Any, net: Any, key: Array, num: int, steps: int) -> Rollout:
    """Plays a number of environments from their reset on. Their parameters are the levels of all of their episodes."""
    reset_key, noise_key = jax.random.split(key)
    obs, state = maze.env.reset_batch(reset_key, num, params)

    def one(carry: Any, noise: Array) -> Any:
        seen, state, memory, begins = carry
        after, (outputs,), (value,) = forward(net, memory, seen[None], begins[None])
        action = POLICY.act(outputs, noise)
        obs, state, reward, done, _ = maze.env.step_batch(None, state, action[:, 0], params)
        # The time limit ends an episode for good: later, the goal would give no reward.
        step = Step(seen, action, POLICY.judge(outputs, action)[0], reward, None, done, done)
        return (features(obs), state, after, done), (step, begins, memory, value)

    carry = (features(obs), state, jnp.zeros((num, o.width)), jnp.ones(num, bool))
    (seen, _, memory, begins), played = jax.lax.scan(one, carry, POLICY.noise(noise_key, (steps, num)))
    steps_of, begin_of, memory_of, value_of = played
    last_value = forward(net, memory, seen[None], begins[None])[2][0]
    return Rollout(steps_of, begin_of, memory_of, value_of, last_value)


def loss_of(o: Options, net: Any, rows: Any) -> Array:
    """Returns PPO's loss of segments, whose axes are (segments, steps)."""
    steps, begins, memory, value, advantage = jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1), rows)
    _, outputs, now = forward(net, memory[0], steps.obs, begins)
    logprob, entropy = POLICY.judge(outputs, steps.action)
    ratio = jnp.exp(logprob - steps.logprob)
    scaled = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    gain = jnp.minimum(ratio * scaled, jnp.clip(ratio, 1 - o.clip, 1 + o.clip) * scaled)
    value_loss = 0.5 * (now - advantage - value) ** 2
    return jnp.mean(o.value_weight * value_loss - gain - o.entropy * entropy)


def learn(o: Options, learner: Learner, key: Array, rollout: Rollout, advantage: Array, left: Array) -> Learner:
    """Learns from a rollout in several epochs of minibatches of segments."""

    def segments(x: Array) -> Array:
        cut = x.reshape(-1, o.segment, *x.shape[1:])
        return jnp.swapaxes(cut, 1, 2).reshape(-1, o.segment, *x.shape[2:])

    rows = jax.tree.map(segments, (*rollout[:-1], advantage))

    def minibatch(learner: Learner, chosen: Array) -> Any:
        gradient = jax.grad(partial(loss_of, o))(learner.net, jax.tree.map(lambda x: x[chosen], rows))
        return adam(o.hyper, o.learning_rate * left, learner, gradient), None

    orders = jnp.argsort(jax.random.bits(key, (o.epochs, o.batch // o.segment)), axis=-1)
    last: Learner = jax.lax.scan(minibatch, learner, orders.reshape(o.epochs * o.minibatches, -1))[0]
    return last


def update(o: Options, maze: Maze, method: str, agent: Agent, _: Any) -> tuple[Agent, None]:
    """Plays random levels and learns from them (dr), replays levels and learns from them, or only plays new ones."""
    key, choice, rows_key, draw, edit, play_key, shuffle = jax.random.split(agent.key, 7)
    buffer, now = agent.buffer, agent.updates
    if method == "dr":
        replayed, params = jnp.bool_(True), maze.random
    else:
        replayed = buffer.ready() & (jax.random.uniform(choice) < o.replay)
        weights = buffer.probabilities(o.temperature, o.staleness, now)
        rows = jax.random.choice(rows_key, o.buffer, (o.num_envs,), replace=False, p=weights)
        chosen, new = jax.tree.map(lambda x: x[rows], buffer.levels), maze.draw(draw, o.num_envs)
        if method == "accel":
            new = jax.tree.map(partial(jnp.where, buffer.ready()), edited(edit, chosen, o.edits), new)
        levels = jax.tree.map(partial(jnp.where, replayed), chosen, new)
        params = maze.of(levels)

    rollout = play(o, maze, params, agent.learner.net, play_key, o.num_envs, o.num_steps)
    next_values = jnp.concatenate([rollout.value[1:], rollout.last_value[None]])
    advantage = advantages_of(o.hyper, rollout.steps, rollout.value, next_values)
    if method != "dr":
        # An episode has at most one reward, at its end, which is its return.
        best = jnp.maximum(rollout.steps.reward.max(axis=0), jnp.where(replayed, buffer.best[rows], 0))
        score = (best - rollout.value if o.score == "maxmc" else jnp.maximum(advantage, 0)).mean(axis=0)
        buffer = buffer.after(rows, levels, score, best, now, replayed)
    left = 1 - now / (o.rounds * o.eval_every)
    # New levels only get a score: an agent that also learned from them would learn from levels that nothing chose.
    learner = jax.lax.cond(
        replayed,
        lambda learner: learn(o, learner, shuffle, rollout, advantage, left),
        lambda learner: learner,
        agent.learner,
    )
    return Agent(key, learner, buffer, now + 1), None


def solved(o: Options, maze: Maze, levels: Levels, net: Any, key: Array) -> Array:
    """Returns for each level whether the agent reaches the goal in its first episode."""
    steps = play(o, maze, maze.of(levels), net, key, len(levels.goal), MAX_STEPS).steps
    first = jnp.cumsum(steps.done, axis=0) - steps.done == 0
    return jnp.any((steps.reward > 0) & first, axis=0)


def held_out(o: Options, maze: Maze) -> tuple[list[str], Levels]:
    """Returns the names of the test's mazes, and all of its levels: each maze several times, and then random levels."""
    names, drawn = mazes()
    pool = maze.draw(jax.random.key(20_000), 4 * o.eval_levels)
    usable = np.flatnonzero(solvable(pool))[: o.eval_levels]
    return names, jax.tree.map(
        lambda x, y: jnp.concatenate([jnp.repeat(x, o.eval_episodes, 0), y[usable]]), drawn, pool
    )


def train(o: Options, maze: Maze, names: list[str], program: Any, method: str, seed: int) -> Any:
    """Trains an agent. Returns its solved shares after each round: of random levels, mazes, and each maze."""
    key = jax.random.key(seed)
    net = jax.tree.map(jnp.asarray, network(o, seed))
    agent = Agent(key, Learner.of(net), Buffer.empty(maze.draw(key, o.buffer)), jnp.int32(0))
    shares, each = [], o.batch * o.eval_every
    label = f"{method}, seed {seed}"
    with tqdm(desc=label, total=o.rounds * each, unit=" steps", unit_scale=True, disable=None) as bar:
        for _ in range(o.rounds):
            agent, result = program(agent)
            of_mazes, of_random = np.split(np.asarray(result), [len(names) * o.eval_episodes])
            of_each = of_mazes.reshape(len(names), -1).mean(axis=1)
            shares.append([of_random.mean(), of_mazes.mean(), *of_each])
            bar.set_postfix_str("solved {:.0%} of random levels, {:.0%} of mazes".format(*shares[-1]), refresh=False)
            bar.update(each)
    return np.array(shares)


def plot(o: Options, steps: Any, curves: dict[str, Any]) -> None:
    """Draws the mean and the range of the solved shares of each method's seeds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
    for column, (ax, name) in enumerate(zip(axes, ("random levels", "mazes"), strict=True)):
        for method, curve in curves.items():
            x, y = steps / 1e6, curve[:, :, column]
            (line,) = ax.plot(x, y.mean(axis=0), label=method, zorder=3)
            ax.fill_between(x, y.min(axis=0), y.max(axis=0), color=line.get_color(), alpha=0.2, linewidth=0)
        ax.set(xlabel="million steps", ylim=(0, 1))
        ax.set_title(f"{name} that are held out", fontsize="medium")
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("solved share")
    axes[0].legend()
    figure.savefig(o.out / "curve.png", dpi=90)


def main() -> None:
    o = parse(Options, __doc__)
    o.out.mkdir(parents=True, exist_ok=True)
    maze = Maze(o.walls)
    names, levels = held_out(o, maze)

    def one_round(method: str, agent: Agent) -> tuple[Agent, Array]:
        agent, _ = jax.lax.scan(partial(update, o, maze, method), agent, length=o.eval_every)
        return agent, solved(o, maze, levels, agent.learner.net, jax.random.fold_in(agent.key, 1))

    curves: dict[str, Any] = {}
    for method in o.methods.split(","):
        clock, program = Clock(), jax.jit(partial(one_round, method))
        seeds = range(o.seed, o.seed + o.num_seeds)
        curves[method] = np.array([train(o, maze, names, program, method, seed) for seed in seeds])
        made, took = o.num_seeds * o.rounds * o.eval_every * o.batch, clock.lap()
        print(f"{method}: {made:,} steps in {took}, with compilation and tests: {made / took.wall:,.0f} steps/s")

    last = {method: curve[:, -o.last :].mean(axis=1) for method, curve in curves.items()}
    print(f"\nsolved share of the last {o.last} tests, mean (lowest to highest) of {o.num_seeds} seeds:")
    print(f"{'':16}" + "".join(f"{method:>22}" for method in last))
    for row, name in enumerate(["random levels", "mazes", *(f"  {name}" for name in names)]):
        columns = [x[:, row] for x in last.values()]
        print(f"{name:16}" + "".join(f"{f'{x.mean():.2f} ({x.min():.2f} to {x.max():.2f})':>22}" for x in columns))
    counts = (np.arange(o.rounds) + 1) * o.eval_every * o.batch
    np.savez_compressed(o.out / "curves.npz", steps=counts, **curves)
    plot(o, counts, curves)
    for method, x in last.items():
        if x[:, 0].mean() < o.require_solved:
            raise SystemExit(f"{method} solved {x[:, 0].mean():.2f} of the random levels, less than {o.require_solved}")


if __name__ == "__main__":
    main()
