# SPDX-License-Identifier: Apache-2.0
"""Compares envpool.jax.pgx with pgx 2.6.0: the same programs run with both."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax")
theirs = pytest.importorskip("pgx")
import envpool.jax.pgx as ours  # noqa: E402 (needs JAX)

jnp = jax.numpy
GAMES = (
    "tic_tac_toe",
    "connect_four",
    "animal_shogi",
    "go_9x9",
)  # their rules draw nothing but the player who moves first
FIELDS = ("current_player", "observation", "rewards", "terminated", "truncated", "legal_action_mask")
NUM_ENVS, STEPS = 32, 45


def rollout(env, state, seed):
    """Returns the attributes of the states of games under the same random moves, illegal ones among them."""

    @jax.jit
    def turn(state, key):
        move, other = jax.random.split(key)
        legal = state.legal_action_mask | (jax.random.uniform(other, (NUM_ENVS, 1)) < 0.03)
        action = jax.random.categorical(move, jnp.where(legal, 0.0, -jnp.inf).at[:, -1].add(2))  # passes in Go often
        state = jax.vmap(env.step)(state, action)
        return state, {name: getattr(state, name) for name in FIELDS}

    return jax.lax.scan(turn, state, jax.random.split(jax.random.key(seed), STEPS))


@pytest.mark.parametrize("name", GAMES)
def test_a_program_has_the_results_of_pgx(name):
    env, reference = ours.make(name), theirs.make(name)
    assert (env.id, env.version, env.num_players) == (reference.id, reference.version, reference.num_players)
    assert (env.num_actions, env.observation_shape) == (reference.num_actions, reference.observation_shape)
    keys = jax.random.split(jax.random.key(1), NUM_ENVS)
    state, other = jax.vmap(env.init)(keys), jax.vmap(reference.init)(keys)
    other = other.replace(current_player=state.current_player)
    if name == "go_9x9":
        other = other.replace(_player_order=jnp.stack([state.current_player, 1 - state.current_player], axis=1))
    assert set(np.asarray(state.current_player).tolist()) == {0, 1}
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(state, field), getattr(other, field), field)
    end, seen = rollout(env, state, 2)
    other_end, expected = rollout(reference, other, 2)
    for field in FIELDS:
        assert seen[field].dtype == expected[field].dtype
        np.testing.assert_array_equal(seen[field], expected[field], field)
    over = expected["terminated"][-2]
    assert over.all() or (name in ("animal_shogi", "go_9x9") and over.any())
    assert not expected["rewards"][-1][over].any()  # games that are over stay as they are
    for player in range(env.num_players):
        observed = jax.vmap(lambda one, player=player: env.observe(one, player))(end)
        wanted = jax.vmap(lambda one, player=player: reference.observe(one, player))(other_end)
        np.testing.assert_array_equal(observed, wanted)
    np.testing.assert_array_equal(jax.vmap(env.observe)(end), end.observation)


@pytest.mark.parametrize("name", ours.available_envs())
def test_every_game_runs_with_the_automatic_resets_of_pgx(name):
    from pgx.experimental import auto_reset

    env = ours.make(name)
    assert env.version == theirs.make(name).version
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    keys = jax.random.split(jax.random.key(3), NUM_ENVS)
    state = jax.jit(jax.vmap(env.init))(keys)
    ends = 0
    for _ in range(12):
        action = jnp.argmin(state.legal_action_mask, axis=1)  # an illegal move, if there is one
        state = step(state, action, keys)
        over = np.asarray(state.terminated)
        ends += int(over.sum())
        assert (np.asarray(state.rewards).any(axis=1) == over).all() or name in ("2048", "leduc_holdem")
        assert state.legal_action_mask.shape == (NUM_ENVS, env.num_actions)
        assert state.observation.shape == (NUM_ENVS, *env.observation_shape)
    assert ends > 0
    assert state.env_id == env.id == theirs.make(name).init(jax.random.key(0)).env_id


@pytest.mark.parametrize("name", ["2048", "backgammon"])
def test_tiles_and_dice_are_drawn_from_the_key(name):
    env = ours.make(name)
    state = env.init(jax.random.key(0))
    move = int(np.argmax(state.legal_action_mask)) if name == "2048" else 0  # move 0 of backgammon ends the turn
    seen = {np.asarray(env.step(state, move, jax.random.key(seed)).observation).tobytes() for seed in (1, 1, 2, 3, 4)}
    assert len(seen) > 2
    one, again = (env.step(state, move, jax.random.key(1)).game.raw.tolist() for _ in range(2))
    assert one == again


def test_bad_input():
    with pytest.raises(ValueError, match=r"^env_id: expected one of 2048, animal_shogi, .*, got 'bridge_bidding'$"):
        ours.make("bridge_bidding")
    with pytest.raises(ValueError, match=r"^env_id: expected one of 2048, .*, got \['tic_tac_toe'\]$"):
        ours.make(["tic_tac_toe"])
    env = ours.make("2048")
    state = env.init(jax.random.key(0))
    with pytest.raises(ValueError, match=r"^\[2048\] key: expected a key of jax.random, .* got None$"):
        env.step(state, 0)
    with pytest.raises(ValueError, match=r"^\[backgammon\] key: .* which the dice are drawn from, got None$"):
        ours.make("backgammon").step(ours.make("backgammon").init(jax.random.key(0)), 0)
    with pytest.raises(TypeError, match=r"^\[2048\] state: expected a State of envpool.jax.pgx, got EnvState$"):
        env.step(state.game, 0, jax.random.key(0))
    with pytest.raises(ValueError, match=r"state: expected a state of TicTacToe, got a state of Play2048"):
        ours.make("tic_tac_toe").step(state, 0)
    env = ours.make("tic_tac_toe")
    state = env.init(jax.random.key(0))
    for action in (9, -1, 2**40, np.int64(2**32 + 4), np.uint32(2**32 - 1)):
        with pytest.raises(
            ValueError, match=rf"^\[TicTacToe-v1\] action: expected an integer in 0..8, got {action} in "
        ):
            env.step(state, action)
    for action, got in ((None, "None"), ("a", "<U1"), (0.5, "float64")):
        with pytest.raises(TypeError, match=rf"^\[TicTacToe-v1\] action: expected integers .*, got {got}$"):
            env.step(state, action)
    for player, error in ((2, ValueError), (-1, ValueError), (2**40, ValueError), (0.5, TypeError), ([0], TypeError)):
        for observe in (env.observe, jax.jit(env.observe)) if error is TypeError else (env.observe,):
            with pytest.raises(error, match=r"^\[tic_tac_toe\] player_id: expected None or an int in 0..1, got "):
                observe(state, np.array(player))
    np.testing.assert_array_equal(env.observe(state, True), env.observe(state, 1))  # noqa: FBT003
    for player in (None, 1):
        with pytest.raises(TypeError, match=r"^\[tic_tac_toe\] state: expected a State of envpool.jax.pgx, got int$"):
            env.observe(5, player)
        with pytest.raises(ValueError, match=r"state: expected a state of TicTacToe, got a state of Hex$"):
            env.observe(ours.make("hex").init(jax.random.key(0)), player)


def test_traced_players_are_limited_to_those_of_the_game():
    env = ours.make("kuhn_poker")
    observations = [env.observe(env.init(jax.random.key(0)), player) for player in (0, np.int8(1))]
    assert not np.array_equal(*observations)
    for player, seen in ((-1, 0), (jnp.uint8(1), 1), (7, 1)):
        observed = jax.jit(env.observe)(env.init(jax.random.key(0)), player)
        np.testing.assert_array_equal(observed, observations[seen])
