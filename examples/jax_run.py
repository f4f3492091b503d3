# SPDX-License-Identifier: Apache-2.0
"""Runs the training of the JAX examples: maps agents over devices, writes checkpoints and curves, measures times."""

import itertools
import json
import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from common import fixed, opened, require_same, set_aside
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jax_learning import Hyper
from tqdm import tqdm


class Run(NamedTuple):
    """The contents of a checkpoint."""

    done: Any  # number of finished updates
    agents: Any  # arrays whose first axis is the axis of agents
    curves: Any  # (updates, agents, numbers per update): the numbers that an update returns


ONE, AGENTS = PartitionSpec(), PartitionSpec("agents")
RUN = Run(ONE, AGENTS, PartitionSpec(None, "agents"))


class Grid:
    """All combinations of the hyperparameters' values, each with every seed.

    Attributes:
        points: the combinations, each a list of one value per hyperparameter.
        labels: a label for each combination, which names the hyperparameters that have several values.
        hyper: the hyperparameters of each agent. Agents are ordered by combination, then by seed.
        keys: the key of each agent. A seed has the same key in all combinations, and also in runs with more seeds.
    """

    def __init__(self, o: Any, title: str) -> None:
        self.points = list(itertools.product(*(getattr(o, name) for name in Hyper._fields)))
        varied = [(i, name) for i, name in enumerate(Hyper._fields) if len(getattr(o, name)) > 1]
        self.labels = [", ".join(f"{name}={p[i]:g}" for i, name in varied) or title for p in self.points]
        self.num_seeds = o.num_seeds
        self.num_agents = len(self.points) * o.num_seeds
        self.hyper = Hyper(*np.repeat(np.array(self.points, np.float32), o.num_seeds, axis=0).T)
        key = jax.random.key(o.seed)
        keys = jax.vmap(lambda i: jax.random.key_data(jax.random.fold_in(key, i)))(jnp.arange(o.num_seeds))
        self.keys = np.tile(np.asarray(keys), (len(self.points), 1))

    def split(self, x: Any) -> Any:
        """Splits the last axis, the axis of agents, into an axis of combinations and an axis of seeds."""
        return x.reshape(*x.shape[:-1], len(self.points), self.num_seeds)


class Devices:
    """Spreads agents evenly over devices. Every device trains its own agents; nothing passes between devices.

    A device computes all of its agents at once, or `block` of them at a time. The results of an agent depend on how many
    are computed at once, because this changes the order in which XLA adds numbers. Nothing else affects them, so runs
    with the same block have the same bits on any number of devices of one kind.
    """

    def __init__(self, o: Any, num_agents: int) -> None:
        found = jax.devices()
        count = o.num_devices or math.gcd(num_agents, len(found))
        if count > len(found):
            raise SystemExit(f"--num_devices: expected at most {len(found)}, the number of devices, got {count}")
        if num_agents % count:
            raise SystemExit(f"--num_devices: expected a divisor of {num_agents}, the number of agents, got {count}")
        self.block = o.block or num_agents // count
        if num_agents // count % self.block:
            each = num_agents // count
            raise SystemExit(f"--block: expected a divisor of {each}, the number of agents per device, got {o.block}")
        self.mesh = Mesh(np.array(found[:count]), ("agents",))
        kind = found[0].device_kind
        self.description = f"{num_agents} agents on {count} of {len(found)} devices ({kind}), {self.block} at once"

    def put(self, tree: Any, specs: Any = AGENTS) -> Any:
        """Copies arrays to the devices; by default, their first axis is the axis of agents."""
        if isinstance(specs, PartitionSpec):
            specs = jax.tree.map(lambda _: specs, tree)
        return jax.tree.map(lambda x, spec: jax.device_put(x, NamedSharding(self.mesh, spec)), tree, specs)

    def on_each(self, function: Callable[..., Any], inputs: Any, outputs: Any, **how: Any) -> Any:
        """Returns a compiled function that each device applies to its own part of the arrays."""
        if hasattr(jax, "shard_map"):
            part = jax.shard_map(function, mesh=self.mesh, in_specs=inputs, out_specs=outputs, check_vma=False)
        else:  # before JAX 0.6
            from jax.experimental.shard_map import shard_map

            # The other partitioner of these versions draws wrong random numbers on all devices but the first.
            jax.config.update("jax_use_shardy_partitioner", True)
            part = shard_map(function, self.mesh, inputs, outputs, check_rep=False)
        return jax.jit(part, **how)

    def mapped(self, function: Callable[..., Any]) -> Any:
        """Returns a compiled function whose arguments and results have a first axis of agents."""
        return self.on_each(lambda *trees: self.in_blocks(function, *trees), AGENTS, AGENTS)

    def in_blocks(self, function: Callable[..., Any], *trees: Any) -> Any:
        return jax.lax.map(lambda one: function(*one), trees, batch_size=self.block)

    def trainer(self, update: Callable[..., Any], updates: int) -> Any:
        """Returns a program that trains until a given number of updates has been made.

        `update` takes an agent, its hyperparameters and the fraction of the training that remains. It returns the agent
        and the numbers for the curves. The program takes the hyperparameters, a run and the number of updates. That
        number is an argument, so that the program is compiled only once.
        """

        def train(hyper: Hyper, run: Run, until: Any) -> Run:
            def one(run: Run) -> Run:
                step = partial(update, left=1 - run.done / updates)
                agents, numbers = self.in_blocks(step, run.agents, hyper)
                return Run(run.done + 1, agents, run.curves.at[run.done].set(numbers))

            last: Run = jax.lax.while_loop(lambda run: run.done < until, one, run)
            return last

        return self.on_each(train, (AGENTS, RUN, ONE), RUN, donate_argnums=1)


def train(
    o: Any, grid: Grid, devices: Devices, begin: Callable[[], Any], update: Callable[..., Any], numbers: int
) -> Run:
    """Trains all agents, from the start or from a checkpoint, and prints how long it took.

    Args:
        o: the options.
        grid: the agents.
        devices: where they are trained.
        begin: returns the agents at the start, on the devices.
        update: see Devices.trainer.
        numbers: how many numbers for the curves an update returns; the last two are the sum of the returns of the
            episodes that ended, and the number of these episodes.
    """
    clock = Clock()
    if not o.resume:
        set_aside(o.out / "checkpoint.npz")
    agents = begin()
    shape = (o.updates, grid.num_agents, numbers)
    if o.resume:
        run = load(o, Run(np.int32(0), agents, jax.ShapeDtypeStruct(shape, np.float32)))
    else:
        run = Run(np.int32(0), agents, np.zeros(shape, np.float32))
    specs = Run(RUN.done, jax.tree.map(lambda _: AGENTS, run.agents), RUN.curves)
    run, hyper = devices.put(run, specs), devices.put(grid.hyper)
    program = devices.trainer(update, o.updates).lower(hyper, run, np.int32(0)).compile()
    compiling = clock.lap()
    each = o.batch * grid.num_agents
    began = done = int(run.done)
    with tqdm(
        desc=f"{len(grid.points)} x {grid.num_seeds} agents",
        total=o.updates * each,
        initial=done * each,
        unit=" steps",
        unit_scale=True,
        disable=None,  # without a terminal
    ) as bar:
        while done < o.updates:
            before, done = done, min(done + o.save_every, o.updates)
            run = Run(*program(hyper, run, np.int32(done)))
            save(o, run)
            total, number = np.asarray(run.curves)[before:done, :, -2:].sum(axis=(0, 1))
            if number:
                bar.set_postfix_str(f"return {total / number:.1f}", refresh=False)
            bar.update((done - before) * each)
    running = clock.lap()
    speed = (o.updates - began) * each / running.wall
    print(f"{devices.description}: compiled in {compiling}, ran in {running}: {speed:,.0f} steps/s")
    return run


def save(o: Any, run: Run) -> None:
    """Writes a checkpoint; if the run is killed during the write, the previous checkpoint remains intact."""
    new = o.out / "checkpoint.new"
    with new.open("wb") as file:
        np.savez(file, *map(np.asarray, jax.tree.leaves(run)), options=json.dumps(fixed(o)))
    new.replace(o.out / "checkpoint.npz")


def load(o: Any, form: Run) -> Run:
    """Reads a checkpoint of a run of the given form. The run may have been planned with another number of updates."""
    path = o.out / "checkpoint.npz"
    with opened(path), np.load(path) as file:
        kept = json.loads(str(file["options"]))
        leaves = [file[f"arr_{i}"] for i in range(len(file.files) - 1)]
    require_same(o, kept, path)
    if len(leaves) != jax.tree.structure(form).num_leaves:
        raise SystemExit(f"--resume: {path} was written by another version of this script")
    run: Run = jax.tree.unflatten(jax.tree.structure(form), leaves)
    done, before, now = int(run.done), len(run.curves), form.curves.shape[0]
    if done > now:
        raise SystemExit(f"--resume: {path} has {done} updates, but --total_timesteps={o.total_timesteps} gives {now}")
    if before != now and o.anneal:
        print(
            f"--resume: the first {done} updates were part of {before}; the learning rate continues as in a run of {now}"
        )
    curves = np.zeros(form.curves.shape, np.float32)
    curves[:done] = run.curves[:done]
    resumed: Run = run._replace(curves=curves)
    return resumed


def last_hundred(total: Any, number: Any) -> Any:
    """Returns for each update the mean return over as many of the latest updates as together have 100 episodes."""

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
