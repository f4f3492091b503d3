# SPDX-License-Identifier: Apache-2.0
r"""Learns a board game from nothing but its rules: AlphaZero's self-play, search and environments inside `jax.jit`.

    pip install mctx optax matplotlib
    python examples/alphazero_jax.py                                  # ConnectFour, minutes on two CPUs
    python examples/alphazero_jax.py --game=tic_tac_toe --updates=20  # another game of envpool.jax.pgx

In each move, mctx (https://github.com/google-deepmind/mctx) searches with the environment itself as its model: a
simulation is one step of `envpool.jax.pgx` for all games at once. The policy learns the search's visits, and the value
the result of the game (Gumbel AlphaZero, I. Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022).

Most games are played by the newest network against itself. In the others, it plays an earlier one from the league, so
that it does not forget how to beat what it once was. The table shows the mean results of the newest network, from -1 to
1, against random moves, against a search that has no network and plays random games to their end, and against the
league. It writes curve.png, log.csv and the network, agent.npz, to --out.
"""

import itertools
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import optax
from common import Log, option, parse
from jax import Array

import envpool.jax.pgx as pgx


@dataclass
class Options:
    game: str = option("connect_four", "game of two players: connect_four, hex, othello or tic_tac_toe")
    seed: int = option(0, "seed of the run")
    out: Path = option(Path("runs/alphazero"), "output folder")
    updates: int = option(150, "rollouts to play and to learn from")
    num_games: int = option(512, "games that are played at the same time")
    num_plies: int = option(32, "moves in each of them between two updates")
    simulations: int = option(16, "simulations for each move")
    opening: int = option(8, "each game begins with 0 to this many random moves, so that games differ")
    league_share: float = option(0.25, "part of the games that are played against earlier networks")
    width: int = option(128, "width of the hidden layers")
    layers: int = option(3, "number of the hidden layers")
    learning_rate: float = option(1e-3, "learning rate of AdamW")
    batch: int = option(1024, "positions in a minibatch")
    replay: int = option(4, "rollouts from which minibatches are drawn; each is used this often")
    eval_every: int = option(30, "updates between two evaluations, after which the network joins the league")
    eval_games: int = option(128, "games against each opponent in an evaluation")
    playouts: int = option(64, "simulations for each move of the opponent that plays random games to their end")
    require_result: float = option(float("-inf"), "fail if the last mean result against random moves is lower")

    def __post_init__(self) -> None:
        positive = ["updates", "num_games", "num_plies", "simulations", "width", "layers", "batch", "replay"]
        for name in [*positive, "eval_every", "eval_games", "playouts"]:
            if (value := getattr(self, name)) < 1:
                raise SystemExit(f"--{name}: expected at least 1, got {value}")
        if self.opening < 0:
            raise SystemExit(f"--opening: expected at least 0, got {self.opening}")
        if self.num_plies < 2:
            raise SystemExit(f"--num_plies: expected at least 2, got {self.num_plies}")
        if not 0 <= self.league_share <= 1:
            raise SystemExit(f"--league_share: expected a number from 0 to 1, got {self.league_share}")
        if self.batch > self.num_games * (self.num_plies - 1):
            raise SystemExit(
                f"--batch: expected at most num_games * (num_plies - 1), {self.num_games * (self.num_plies - 1)}, "
                f"got {self.batch}"
            )


OPPONENTS = ["random", "playouts", "league"]


class Sample(NamedTuple):
    """Positions, with what the search and the rest of the game have said about them."""

    obs: Any
    policy: Any  # zeros teach nothing
    value: Any
    legal: Any
    chosen: Any  # whether the player has chosen a move; the value of a position before a random move is unknown


class Play(NamedTuple):
    """A move of each game. `result` is the reward of the player who moved; `goes_on` says that the game is not over."""

    obs: Any
    legal: Any
    policy: Any
    search_value: Any
    mover: Any
    result: Any
    goes_on: Any
    chosen: Any  # by a network
    learns: Any  # chosen by the newest network


# --- the network: policy and value of the player to move ---


def new_network(o: Options, env: pgx.Env, rng: np.random.Generator) -> Any:
    def layer(inputs: int, outputs: int, scale: float = 1.0) -> dict[str, Any]:
        weights = rng.normal(0, scale * (2 / inputs) ** 0.5, (inputs, outputs)).astype(np.float32)
        return {"weight": jnp.asarray(weights), "bias": jnp.zeros(outputs)}

    sizes = [int(np.prod(env.observation_shape)), *[o.width] * o.layers]
    return {
        "hidden": [layer(*pair) for pair in itertools.pairwise(sizes)],
        "policy": layer(o.width, env.num_actions, 0.01),
        "value": layer(o.width, 1, 0.01),
    }


def evaluate_positions(net: Any, obs: Array) -> tuple[Array, Array]:
    """Returns the logits of the moves and the value, from -1 to 1, of each position."""

    def apply(layer: Any, x: Array) -> Array:
        return x @ layer["weight"] + layer["bias"]

    x = obs.reshape(len(obs), -1).astype(jnp.float32)
    for layer in net["hidden"]:
        x = jax.nn.relu(apply(layer, x))
    return apply(net["policy"], x), jnp.tanh(apply(net["value"], x)[:, 0])


# --- the search, whose model is the environment ---


class Search:
    """Chooses moves for a batch of games."""

    def __init__(self, env: pgx.Env, simulations: int) -> None:
        self.env, self.simulations = env, simulations
        self.step = jax.vmap(env.step)

    def __call__(self, evaluate: Any, key: Array, state: pgx.State, explore: bool = True) -> Any:
        """Returns mctx's results. `evaluate(key, state)` returns the logits and the values of the players to move."""
        root_key, key = jax.random.split(key)
        # A node of the tree stores the bytes of its game, and who is to move.
        embedding = (state.game, state.current_player)

        def model(_: Any, key: Array, action: Array, parent: Any) -> Any:
            game, mover = parent
            after = self.step(state.replace(game=game), action)
            logits, value = evaluate(key, after)
            output = mctx.RecurrentFnOutput(
                reward=reward_of(after, mover),
                discount=jnp.where(after.terminated, 0.0, sign_of(after.current_player, mover)),
                prior_logits=masked(logits, after.legal_action_mask),
                value=jnp.where(after.terminated, 0.0, value),
            )
            return output, (after.game, after.current_player)

        logits, value = evaluate(root_key, state)
        root = mctx.RootFnOutput(prior_logits=masked(logits, state.legal_action_mask), value=value, embedding=embedding)
        return mctx.gumbel_muzero_policy(
            None,
            key,
            root,
            model,
            self.simulations,
            invalid_actions=~state.legal_action_mask,
            qtransform=mctx.qtransform_completed_by_mix_value,
            gumbel_scale=1.0 if explore else 0.0,
        )


def reward_of(state: pgx.State, player: Array) -> Array:
    return jnp.take_along_axis(state.rewards, player[:, None], axis=1)[:, 0]


def sign_of(player: Array, other: Array) -> Array:
    """Returns 1 where both are the same player, else -1: what one wins, the other loses."""
    return jnp.where(player == other, 1.0, -1.0)


def masked(logits: Array, legal: Array) -> Array:
    return jnp.where(legal, logits - logits.max(axis=-1, keepdims=True), jnp.finfo(jnp.float32).min)


def begin(env: pgx.Env, key: Array, count: int) -> pgx.State:
    state: pgx.State = jax.vmap(env.init)(jax.random.split(key, count))
    return state


def random_moves(key: Array, state: pgx.State) -> Array:
    return jax.random.categorical(key, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))


def choose(condition: Array, one: Any, other: Any) -> Any:
    """Returns the rows of `one` where the condition holds, else those of `other`."""
    return jax.tree.map(lambda a, b: jnp.where(condition.reshape(-1, *[1] * (a.ndim - 1)), a, b), one, other)


# --- self-play ---


class Games(NamedTuple):
    """Games in progress."""

    state: pgx.State
    opening: Any  # how many random moves are left in each of them


def begin_games(o: Options, env: pgx.Env, key: Array) -> Games:
    key, own = jax.random.split(key)
    return Games(begin(env, key, o.num_games), jax.random.randint(own, (o.num_games,), 0, o.opening + 1))


def collect(o: Options, env: pgx.Env, net: Any, earlier: Any, games: Games, key: Array) -> tuple[Games, Sample, Array]:
    """Plays `num_plies` moves in each game. In the first games of the batch, player `i % 2` is an earlier network.

    Returns the games, the samples, and how many games have ended.
    """
    search = Search(env, o.simulations)
    in_league = round(o.num_games * o.league_share)
    seats = jnp.arange(in_league) % 2

    def evaluate(_: Array, state: pgx.State, rivals: Array) -> tuple[Array, Array]:
        logits, values = evaluate_positions(net, state.observation)
        if not in_league:
            return logits, values
        others = evaluate_positions(earlier, state.observation[:in_league])
        theirs = rivals[:in_league]
        first = choose(theirs, others, (logits[:in_league], values[:in_league]))
        return tuple(jnp.concatenate([a, b[in_league:]]) for a, b in zip(first, (logits, values), strict=True))

    def move(games: Games, key: Array) -> tuple[Games, Play]:
        state, opening = games
        search_key, random_key, begin_key = jax.random.split(key, 3)
        mover = state.current_player
        rivals = jnp.zeros(o.num_games, bool).at[:in_league].set(mover[:in_league] == seats)
        found = search(partial(evaluate, rivals=rivals), search_key, state)
        chosen = opening == 0
        after = search.step(state, jnp.where(chosen, found.action, random_moves(random_key, state)))
        play = Play(
            state.observation,
            state.legal_action_mask,
            found.action_weights,
            found.search_tree.summary().value,
            mover,
            reward_of(after, mover),
            ~after.terminated,
            chosen,
            chosen & ~rivals,
        )
        games = Games(after, jnp.maximum(opening - 1, 0))
        return choose(after.terminated, begin_games(o, env, begin_key), games), play

    games, plays = jax.lax.scan(move, games, jax.random.split(key, o.num_plies))

    def back(later: tuple[Array, Array], play: Play) -> Any:
        value, player = later
        value = play.result + play.goes_on * sign_of(play.mover, player) * value
        return (value, play.mover), value

    # A game that goes on after the last move is worth what the search says of it.
    last = (plays.search_value[-1], plays.mover[-1])
    _, values = jax.lax.scan(back, last, jax.tree.map(lambda x: x[:-1], plays), reverse=True)
    # The last move only gives its value to the others.
    flat = jax.tree.map(lambda x: x[:-1].reshape(-1, *x.shape[2:]), plays)
    policy = jnp.where(flat.learns[:, None], flat.policy, 0)
    return games, Sample(flat.obs, policy, values.reshape(-1), flat.legal, flat.chosen), (~plays.goes_on).sum()


# --- learning ---


def learn(net: Any, moments: Any, optimizer: Any, batches: Sample) -> Any:
    """Takes a step of the optimizer for each minibatch. Returns the network and the moments."""

    def loss(net: Any, batch: Sample) -> Any:
        logits, value = evaluate_positions(net, batch.obs)
        learns = batch.policy.sum(axis=1) > 0
        logprob = jax.nn.log_softmax(masked(logits, batch.legal))
        policy_loss = -jnp.sum(jnp.where(batch.legal, batch.policy * logprob, 0)) / jnp.maximum(learns.sum(), 1)
        value_loss = jnp.sum(batch.chosen * jnp.square(value - batch.value)) / jnp.maximum(batch.chosen.sum(), 1)
        return policy_loss + value_loss

    def step(carry: Any, batch: Sample) -> Any:
        net, moments = carry
        gradient = jax.grad(loss)(net, batch)
        change, moments = optimizer.update(gradient, moments, net)
        return (optax.apply_updates(net, change), moments), None

    (net, moments), _ = jax.lax.scan(step, (net, moments), batches)
    return net, moments


# --- evaluation ---


def match(o: Options, env: pgx.Env, opponent: str, net: Any, other: Any, key: Array) -> Array:
    """Returns the mean result of a network in games to their end. It moves first in about half of them."""
    search = Search(env, o.simulations)
    playouts = Search(env, o.playouts)

    def with_network(net: Any) -> Any:
        return lambda _, state: evaluate_positions(net, state.observation)

    def with_random_games(key: Array, state: pgx.State) -> tuple[Array, Array]:
        player = state.current_player

        def not_over(carry: Any) -> Array:
            return ~carry[0].terminated.all()

        def ply(carry: Any) -> Any:
            state, total, key = carry
            key, own = jax.random.split(key)
            state = search.step(
                state, random_moves(own, state)
            )  # changes nothing, with reward 0, where the game is over
            return state, total + reward_of(state, player), key

        _, total, _ = jax.lax.while_loop(not_over, ply, (state, jnp.zeros(len(player)), key))
        return jnp.zeros((len(player), env.num_actions)), total

    def rival(key: Array, state: pgx.State) -> Array:
        if opponent == "random":
            return random_moves(key, state)
        if opponent == "playouts":
            return playouts(with_random_games, key, state, explore=False).action
        return search(with_network(other), key, state).action

    def not_over(carry: Any) -> Array:
        return ~carry[0].terminated.all()

    def ply(carry: Any) -> Any:
        state, total, key = carry
        key, own_key, rival_key = jax.random.split(key, 3)
        own = search(with_network(net), own_key, state, explore=False).action
        theirs = rival(rival_key, state)
        state = search.step(state, jnp.where(state.current_player == seats, own, theirs))
        return state, total + reward_of(state, seats), key

    begin_key, key = jax.random.split(key)
    state = begin(env, begin_key, o.eval_games)
    seats = jnp.arange(o.eval_games) % 2
    _, total, _ = jax.lax.while_loop(not_over, ply, (state, jnp.zeros(o.eval_games), key))
    return total.mean()


def plot(out: Path, rows: list[list[float]], game: str) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    table = np.array(rows)
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    for column, label in enumerate(("random moves", "a search with random games", "earlier networks"), start=4):
        axes.plot(table[:, 1], table[:, column], label=f"against {label}")
    axes.set(xlabel="minutes", ylabel="mean result", title=game, ylim=(-1.05, 1.05))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(out / "curve.png", dpi=150)
    plt.close(figure)


def main(o: Options) -> None:
    env = pgx.make(o.game)
    if env.num_players != 2:
        raise SystemExit(f"--game={o.game}: expected a game of two players")
    o.out.mkdir(parents=True, exist_ok=True)
    rng, key = np.random.default_rng(o.seed), jax.random.key(o.seed)
    net = new_network(o, env, rng)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(o.learning_rate, weight_decay=1e-4))
    moments = optimizer.init(net)
    play = jax.jit(partial(collect, o, env), donate_argnums=2)
    update = jax.jit(lambda net, moments, batches: learn(net, moments, optimizer, batches))
    matches = {name: jax.jit(partial(match, o, env, name)) for name in OPPONENTS}
    games = jax.jit(partial(begin_games, o, env))(key)
    log = Log(o.out, ["update", "minutes", "games", "moves_per_second", *OPPONENTS], 0)
    rows: list[list[float]] = []
    league = [net]
    replay: list[Sample] = []
    began, over, seconds = time.time(), 0, 0.0
    print(f"{env!r}: {o.num_games} games at a time, {o.simulations} simulations for each move")
    print("update  minutes    games  moves/s   random  playouts   league")
    for number in range(o.updates + 1):
        if number % o.eval_every == 0 or number == o.updates:
            key, *keys = jax.random.split(key, 1 + len(matches))
            earlier = league[int(rng.integers(len(league)))]
            results = [float(play_match(net, earlier, k)) for play_match, k in zip(matches.values(), keys, strict=True)]
            rate = number * o.num_games * o.num_plies / max(seconds, 1e-9)
            rows.append([number, (time.time() - began) / 60, over, rate, *results])
            log.write(rows[-1])
            print("{:6.0f} {:8.1f} {:8.0f} {:8,.0f} {:8.2f} {:9.2f} {:8.2f}".format(*rows[-1]), flush=True)
            league.append(net)
        if number == o.updates:
            break
        start = time.time()
        key, own = jax.random.split(key)
        games, sample, ended = play(net, league[int(rng.integers(len(league)))], games, own)
        replay = [*replay, jax.tree.map(np.asarray, sample)][-o.replay :]
        drawn = jax.tree.map(lambda *parts: np.concatenate(parts), *replay)
        minibatches = len(replay) * (len(sample.value) // o.batch)
        order = rng.choice(len(drawn.value), (minibatches, o.batch))
        batches = jax.tree.map(lambda rows, order=order: rows[order], drawn)
        net, moments = update(net, moments, batches)
        over += int(ended)
        seconds += time.time() - start
    layers = {f"policy/{i}": layer for i, layer in enumerate([*net["hidden"], net["policy"]])}
    arrays = {**layers, "value": net["value"]}
    np.savez(
        o.out / "agent.npz", **{f"{name}/{part}": a for name, layer in arrays.items() for part, a in layer.items()}
    )
    plot(o.out, rows, o.game)
    if rows[-1][4] < o.require_result:
        raise SystemExit(f"expected a mean result of at least {o.require_result}, got {rows[-1][4]:.2f}")


if __name__ == "__main__":
    main(parse(Options, __doc__))
