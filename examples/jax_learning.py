# SPDX-License-Identifier: Apache-2.0
"""Implements the learning in the JAX examples: options, networks, and PPO's update.

The idea and the hyperparameters are PureJaxRL's (https://github.com/luchris429/purejaxrl). All functions are for one
agent; jax_run.py maps them over many agents and devices. Rollouts have shape (num_steps, columns, ...), where a column
is an environment or one of its players. If players may be absent, `Step.present` says in which steps they are present.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from common import option
from jax import Array
from jax_policies import Policy


class Numbers(list[float]):
    """Numbers separated by commas. If there are several, agents are trained with each of them."""

    def __init__(self, text: str) -> None:
        super().__init__(float(x) for x in text.split(","))


@dataclass
class LearningOptions:
    # Amount of training
    num_seeds: int = option(4, "agents per setting; each has its own seed")
    seed: int = option(0, "seed from which the agents' seeds are drawn")
    total_timesteps: int = option(500_000, "environment steps per agent")
    num_envs: int = option(4, "environments per agent")
    num_steps: int = option(128, "steps of each environment per rollout")
    # Devices
    num_devices: int = option(0, "number of devices to use; 0: the greatest common divisor of agents and devices")
    block: int = option(0, "agents that a device trains at once; 0: all of its agents")
    # The network: two towers, for the policy and for the value
    width: int = option(64, "width of the two hidden layers")
    activation: str = option("tanh", "activation of the hidden layers, a function of jax.nn")
    # Learning. Hyperparameters may have several values, separated by commas.
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

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least = {"seed": -(2**63), "num_devices": 0, "block": 0}.get(name, 1)
            if type(value) is int and value < least:
                raise SystemExit(f"--{name}: expected at least {least}, got {value}")
            if isinstance(value, Numbers) and not (np.isfinite(value).all() and min(value) >= 0):
                raise SystemExit(f"--{name}: expected numbers of at least 0, got {','.join(map(str, value))}")
        if not min(self.max_grad_norm):
            raise SystemExit("--max_grad_norm: expected positive numbers, got 0")
        if not callable(getattr(jax.nn, self.activation, None)):
            raise SystemExit(f"--activation: expected a function of jax.nn, got {self.activation}")
        if self.batch % self.minibatches:
            raise SystemExit(
                f"--minibatches: expected a divisor of num_envs * num_steps, {self.batch}, got {self.minibatches}"
            )

    @property
    def batch(self) -> int:
        """Environment steps of an agent per rollout."""
        return self.num_envs * self.num_steps

    @property
    def updates(self) -> int:
        return max(1, self.total_timesteps // self.batch)


class Hyper(NamedTuple):
    """One value of each hyperparameter, or arrays of the values of all agents."""

    learning_rate: Any
    gamma: Any
    gae_lambda: Any
    clip: Any
    entropy: Any
    value_weight: Any
    max_grad_norm: Any


class Learner(NamedTuple):
    """A network of two towers, and Adam's moments of its gradients."""

    net: Any
    first: Any
    second: Any
    count: Any  # number of Adam's steps

    @classmethod
    def of(cls, net: Any) -> "Learner":
        return cls(net, jax.tree.map(jnp.zeros_like, net), jax.tree.map(jnp.zeros_like, net), jnp.int32(0))


class Step(NamedTuple):
    """Steps to learn from.

    `following` is the observation after the step and before any reset. The next step's `obs` is the observation after
    the reset.
    """

    obs: Any
    action: Any  # with an axis of components
    logprob: Any
    reward: Any
    following: Any
    terminated: Any
    done: Any
    present: Any = None  # whether the player was in the game; None: always


class Sample(NamedTuple):
    """Rows from which the loss is computed, one for each step of an environment or player."""

    obs: Any
    action: Any
    logprob: Any
    value: Any
    advantage: Any
    present: Any


def networks(o: LearningOptions, seeds: Any, inputs: int, policy: Policy) -> dict[str, Any]:
    """Returns a network for each row of `seeds`, with orthogonal weights and biases of 0.

    NumPy draws them on the host, because the bits of an agent must not depend on how many agents there are. XLA may add
    numbers in another order if it computes another number of agents at once.
    """
    w, root = o.width, 2**0.5
    shapes = {
        "policy": [(inputs, w, root), (w, w, root), (w, policy.outputs, 0.01)],
        "value": [(inputs, w, root), (w, w, root), (w, 1, 1.0)],
    }
    nets = [one_network(np.random.default_rng(seed), shapes) for seed in seeds]
    stacked: dict[str, Any] = jax.tree.map(lambda *layers: np.stack(layers), *nets)
    if policy.deviations:
        stacked["log_deviation"] = np.zeros((len(nets), policy.deviations), np.float32)
    return stacked


def one_network(rng: np.random.Generator, shapes: dict[str, list[tuple[int, int, float]]]) -> dict[str, list[Any]]:
    def orthogonal(rows: int, columns: int, gain: float) -> Any:
        q, r = np.linalg.qr(rng.normal(size=(max(rows, columns), min(rows, columns))))
        q *= gain * np.sign(np.diag(r))
        return np.float32(q if rows >= columns else q.T)

    return {
        name: [(orthogonal(*shape), np.zeros(shape[1], np.float32)) for shape in layers]
        for name, layers in shapes.items()
    }


def save_towers(path: Path, towers: dict[str, Any], **more: Any) -> None:
    """Writes towers of networks, and more arrays, to an .npz file.

    The arrays of tower `policy` are called policy/0/weight and so on. Arrays among the towers keep their names.
    """
    more |= {name: array for name, array in towers.items() if not isinstance(array, list)}
    parts: dict[str, Any] = {
        f"{name}/{index}/{part}": np.asarray(array)
        for name, layers in towers.items()
        if name not in more
        for index, layer in enumerate(layers)
        for part, array in zip(("weight", "bias"), layer, strict=True)
    }
    np.savez(path, **parts, **more)


def forward(o: LearningOptions, layers: list[Any], x: Array) -> Array:
    x = x.astype(jnp.float32)
    for weight, bias in layers[:-1]:
        x = getattr(jax.nn, o.activation)(x @ weight + bias)
    return x @ layers[-1][0] + layers[-1][1]


def value_of(o: LearningOptions, net: Any, obs: Array) -> Array:
    return forward(o, net["value"], obs).squeeze(-1)


def outputs_of(o: LearningOptions, net: Any, obs: Array) -> Array:
    """Returns the policy's outputs: those of its tower, and then the deviations, if the policy has any."""
    outputs = forward(o, net["policy"], obs)
    if "log_deviation" not in net:
        return outputs
    return jnp.concatenate([outputs, jnp.broadcast_to(net["log_deviation"], outputs.shape)], axis=-1)


def act(o: LearningOptions, net: Any, policy: Policy, obs: Array, noise: Array) -> tuple[Array, Array]:
    """Returns actions, shape (..., components), and their log-probabilities.

    If `noise` comes from policy.noise, an action is a sample of the policy. If `noise` is 0, it is the most probable one.
    """
    outputs = outputs_of(o, net, obs)
    action = policy.act(outputs, noise)
    return action, policy.judge(outputs, action)[0]


def adam(h: Hyper, rate: Any, learner: Learner, gradient: Any) -> Learner:
    """Returns the learner after a step of Adam, for which the gradient is clipped to the norm h.max_grad_norm.

    Where optax divides an array by a number, this function multiplies by the reciprocal, because XLA rounds such
    quotients differently in programs for several devices.
    """
    norm = jnp.sqrt(sum(jnp.sum(x**2) for x in jax.tree.leaves(gradient)))
    scale = h.max_grad_norm / jnp.maximum(norm, h.max_grad_norm)
    count = learner.count + 1
    correct_first, correct_second = 1 / (1 - 0.9**count), 1 / (1 - 0.999**count)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * (scale * g), learner.first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * (scale * g) ** 2, learner.second, gradient)
    net = jax.tree.map(
        lambda x, m, v: x - rate * (correct_first * m) / (jnp.sqrt(correct_second * v) + 1e-5),
        learner.net,
        first,
        second,
    )
    return Learner(net, first, second, count)


def advantages_of(h: Hyper, steps: Step, values: Array, next_values: Array) -> Array:
    """Returns generalised advantage estimates. A truncated episode is bootstrapped from its final observation."""
    deltas = steps.reward + h.gamma * next_values * ~steps.terminated - values

    def one(running: Array, x: Any) -> Any:
        delta, done, present = x
        running = delta + h.gamma * h.gae_lambda * running * ~done
        running = running if present is None else jnp.where(present, running, 0)
        return running, running

    return jax.lax.scan(one, jnp.zeros_like(deltas[0]), (deltas, steps.done, steps.present), reverse=True)[1]


def mean(x: Array, present: Array | None) -> Array:
    """Returns the mean over rows in which the player is present; 0 if there are none."""
    return x.mean() if present is None else jnp.sum(jnp.where(present, x, 0)) / jnp.maximum(present.sum(), 1)


def loss_of(o: LearningOptions, net: Any, h: Hyper, policy: Policy, rows: Sample) -> Array:
    """Returns PPO's loss: the policy loss, the value loss and the entropy bonus. Absent players do not contribute."""
    present = rows.present
    if present is not None:  # nothing in their rows, not even NaN, may affect a gradient
        rows = jax.tree.map(lambda x: jnp.where(present.reshape(-1, *[1] * (x.ndim - 1)), x, 0), rows)
    targets = rows.advantage + rows.value
    logprob, entropy = policy.judge(outputs_of(o, net, rows.obs), rows.action)
    ratio = jnp.exp(logprob - rows.logprob)
    centred = rows.advantage - mean(rows.advantage, present)
    advantage = centred * (1 / (jnp.sqrt(mean(centred**2, present)) + 1e-8))  # see adam
    gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - h.clip, 1 + h.clip) * advantage)
    value = value_of(o, net, rows.obs)
    clipped = rows.value + jnp.clip(value - rows.value, -h.clip, h.clip)
    value_loss = 0.5 * jnp.maximum((value - targets) ** 2, (clipped - targets) ** 2)
    return mean(h.value_weight * value_loss - gain - h.entropy * entropy, present)


def learn(
    o: LearningOptions, h: Hyper, left: Any, learner: Learner, policy: Policy, key: Array, steps: Step
) -> Learner:
    """Learns from a rollout in several epochs of minibatches. `left` is the fraction of the training that remains."""
    values = value_of(o, learner.net, steps.obs)
    advantages = advantages_of(h, steps, values, value_of(o, learner.net, steps.following))
    rollout = Sample(steps.obs, steps.action, steps.logprob, values, advantages, steps.present)
    rollout = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), rollout)
    rate = h.learning_rate * (left if o.anneal else 1.0)

    def minibatch(learner: Learner, chosen: Array) -> Any:
        rows = jax.tree.map(lambda x: x[chosen], rollout)
        gradient = jax.grad(partial(loss_of, o))(learner.net, h, policy, rows)
        return adam(h, rate, learner, gradient), None

    orders = jnp.argsort(jax.random.bits(key, (o.epochs, values.size)), axis=-1)
    last: Learner = jax.lax.scan(minibatch, learner, orders.reshape(o.epochs * o.minibatches, -1))[0]
    return last
