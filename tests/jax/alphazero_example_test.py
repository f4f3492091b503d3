# SPDX-License-Identifier: Apache-2.0
"""Tests examples/alphazero_jax.py: the search, the values of positions, errors. `make test-clients` runs it."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

for package in ("mctx", "optax", "matplotlib"):
    pytest.importorskip(package)
jax = pytest.importorskip("jax")
jnp = jax.numpy
pgx = import_module("envpool.jax.pgx")
SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
if SOURCE is None:
    pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are", allow_module_level=True)
EXAMPLES = Path(SOURCE, "examples")
SMALL = {"game": "tic_tac_toe", "num_games": 8, "num_plies": 24, "simulations": 4, "width": 8, "layers": 1, "batch": 64}


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return import_module("alphazero_jax")


def played(env, moves):
    """Returns a batch of one game after some moves."""
    state = jax.vmap(env.init)(jax.random.split(jax.random.key(2), 1))
    for move in moves:
        state = jax.vmap(env.step)(state, jnp.array([move]))
    return state


def test_the_search_wins_and_prevents_losses_in_one_move(example):
    env = pgx.make("connect_four")
    search = example.Search(env, 300)

    def evaluate(_, state):  # knows nothing
        return jnp.zeros((1, env.num_actions)), jnp.zeros(1)

    choose = jax.jit(lambda key, state: search(evaluate, key, state, explore=False).action[0])
    for moves, expected in (((0, 6, 0, 6, 0, 5), 0), ((3, 0, 3, 0, 3), 3), ((1, 2, 1, 3, 0, 4), None)):
        found = int(choose(jax.random.key(1), played(env, moves)))
        assert found == expected or (expected is None and found in (1, 5))


def test_values_are_the_results_of_games(example):
    o = example.Options(**{**SMALL, "num_games": 32}, league_share=0.5)
    env = pgx.make(o.game)
    nets = [example.new_network(o, env, np.random.default_rng(i)) for i in range(2)]
    games = example.begin_games(o, env, jax.random.key(0))
    play = jax.jit(lambda games: example.collect(o, env, *nets, games, jax.random.key(1)))
    _, sample, ended = play(games)
    rows = jax.tree.map(lambda x: np.asarray(x).reshape(o.num_plies - 1, o.num_games, *x.shape[1:]), sample)
    stones = rows.obs.sum(axis=(2, 3, 4))
    finished = 0
    for game in range(o.num_games):
        begins = [*np.flatnonzero(stones[:, game] == 0)]
        assert begins[0] == 0
        for first, after in zip(begins, begins[1:], strict=False):
            values = rows.value[first:after, game]
            assert (stones[first:after, game] == np.arange(after - first)).all()
            # The last move wins, or fills the board. What is good for one player is bad for the other.
            assert values[-1] in (0, 1) and (values[-1] == 1 or after - first == 9)
            np.testing.assert_array_equal(values, values[-1] * (-1.0) ** np.arange(after - first)[::-1])
            finished += 1
    assert finished <= int(ended) <= finished + o.num_games and finished > 20
    learns = rows.policy.sum(axis=2) > 0
    np.testing.assert_allclose(rows.policy[learns].sum(axis=1), 1, rtol=1e-5)
    assert not (rows.policy[~rows.legal] > 1e-6).any()
    # A game begins with random moves, which teach nothing. Nor do the moves of the earlier network in the league.
    opening = np.asarray(games.opening)
    first = np.arange(o.num_plies - 1)[:, None] < opening
    begun = np.cumsum(stones == 0, axis=0) == 1
    assert (rows.chosen == ~first)[begun].all() and set(opening) == set(range(o.opening + 1))
    assert (learns == rows.chosen)[:, o.num_games // 2 :].all()
    assert 0.4 < learns[:, : o.num_games // 2].sum() / rows.chosen[:, : o.num_games // 2].sum() < 0.6


def test_errors(example):
    for options, text in (
        ({"num_plies": 1}, "--num_plies: expected at least 2, got 1"),
        ({"simulations": 0}, "--simulations: expected at least 1, got 0"),
        ({"eval_games": 0}, "--eval_games: expected at least 1, got 0"),
        ({"opening": -1}, "--opening: expected at least 0, got -1"),
        ({"league_share": 1.5}, "--league_share: expected a number from 0 to 1, got 1.5"),
        ({"batch": 10**6}, r"--batch: expected at most num_games \* \(num_plies - 1\), 184, got 1000000"),
    ):
        with pytest.raises(SystemExit, match=text):
            example.Options(**{**SMALL, **options})
    with pytest.raises(SystemExit, match="--game=2048: expected a game of two players"):
        example.main(example.Options(**{**SMALL, "game": "2048"}))
