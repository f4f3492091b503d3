# SPDX-License-Identifier: Apache-2.0
"""Compares the behaviour suite with gymnax 0.0.9: steps from equal states, observations, and resets.

Our functions are called with arrays of states, through support/functions.h. Deterministic results must be equal bit for
bit, and chi-square tests with fixed seeds compare random ones. Where gymnax differs from bsuite, our environments
follow bsuite, and the tests compute bsuite's results themselves.
"""

import ctypes
import itertools

import numpy as np
import pytest
from scipy import stats

import envpool
from tests.bsuite.sides import (
    SMALLEST_P,
    Engine,
    Reference,
    assert_same_distribution,
    assert_uniform,
    fill,
    product,
)
from tests.support import libraries
from tests.support.capi import golden_hash

jax = pytest.importorskip("jax")
gymnax = pytest.importorskip("gymnax")
jnp = jax.numpy


@pytest.fixture(scope="module")
def library():
    return ctypes.CDLL(libraries.library("bsuite_testing"))


# ---- Catch ----


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize(("rows", "columns"), [(10, 5), (2, 1)])
def test_catch_in_every_state(library, rows, columns):
    engine, theirs = (
        Engine(library, "Catch", rows=rows, columns=columns),
        Reference("Catch-bsuite", rows=rows, columns=columns),
    )
    y, x, paddle, action = product(range(rows - 1), range(columns), range(columns), range(3))
    states = fill(engine, ball_y=y, ball_x=x, paddle_x=paddle)
    reward, ends = engine.step(states, action)
    obs, after, their_reward, done = theirs.step(theirs.states(len(y), ball_y=y, ball_x=x, paddle_x=paddle), action)
    for name in engine.state.names:
        np.testing.assert_array_equal(states[name], getattr(after, name))
    np.testing.assert_array_equal(engine.observe(states)[0], obs)
    np.testing.assert_array_equal(reward, their_reward)
    np.testing.assert_array_equal(ends, done)
    first, their_first = engine.reset(2000), theirs.reset(2000)[1]
    assert_same_distribution(first["ball_x"], their_first.ball_x)
    assert not first["ball_y"].any()
    np.testing.assert_array_equal(first["paddle_x"], their_first.paddle_x)


# ---- DeepSea ----


def as_matrices(mapping, size):
    """Unpacks the words of our action mappings into matrices, as gymnax has them."""
    bits = np.unpackbits(np.ascontiguousarray(mapping).view(np.uint8), axis=-1, bitorder="little")
    return bits[..., : size * size].reshape(*mapping.shape[:-1], size, size)


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("size", "options"),
    [(8, {}), (1, {}), (6, {"randomize_actions": False, "unscaled_move_cost": 0.25})],
    ids=str,
)
def test_deep_sea_in_every_state(library, size, options):
    engine = Engine(library, "DeepSea", size=size, **options)
    move = {"unscaled_move_cost": options.get("unscaled_move_cost", 0.01)}
    theirs = Reference("DeepSea-bsuite", params=move, size=size)
    row, column, bad, action = product(range(size), range(size), (0, 1), (0, 1))
    mapping = engine.reset(1)["mapping"][0]
    states = fill(engine, row=row, column=column, bad_episode=bad, mapping=mapping[None])
    matrix = as_matrices(mapping, size)
    if options.get("randomize_actions", True):
        assert size == 1 or 0 < matrix.sum() < size * size
    else:
        assert matrix.all()
    reward, ends = engine.step(states, action)
    obs, after, their_reward, done = theirs.step(
        theirs.states(len(row), row=row, column=column, bad_episode=bad, action_mapping=[matrix] * len(row)), action
    )
    for name in ("row", "column", "bad_episode", "total_bad_episodes", "denoised_return"):
        np.testing.assert_array_equal(states[name], getattr(after, name), name)
    np.testing.assert_array_equal(engine.observe(states)[0], obs)
    # We round the cost of a move once, as bsuite does. XLA multiplies by 1 / size, so its result may be one ulp off.
    np.testing.assert_allclose(reward, their_reward, rtol=1.2e-7 if size & (size - 1) else 0)
    np.testing.assert_array_equal(ends, done)


def test_deep_sea_failures_and_noise_follow_bsuite(library):
    size, samples = 4, 4000
    engine = Engine(library, "DeepSea", size=size, deterministic=False, randomize_actions=False)
    for row, column, action in itertools.product(range(size), range(size), (0, 1)):
        states = fill(engine, row=np.full(samples, row), column=column)
        states["mapping"] = 0xFFFFFFFF
        reward, ends = engine.step(states, action, seed=(row * size + column) * 2 + action)
        assert (ends == (row == size - 1)).all()
        # A move to the right fails with probability 1 / size, at full cost; in gymnax 0.0.9 a failure costs nothing.
        if action == 1:
            moved = states["column"] == min(column + 1, size - 1)
            assert moved.all() or set(states["column"]) == {column, column + 1}
            if column < size - 1:
                assert stats.binomtest(int(moved.sum()), samples, 1 - 1 / size).pvalue > SMALLEST_P
        else:
            assert (states["column"] == max(column - 1, 0)).all()
        certain = (action == 1 and column == size - 1) - np.float32(0.01 / size) * action
        # Rewards in both corners of the last row have noise, which gymnax 0.0.9 always multiplies by 0.
        if row == size - 1 and column in (0, size - 1):
            assert stats.kstest(reward.astype(float) - float(certain), "norm").pvalue > SMALLEST_P
        else:
            assert (reward == np.float32(certain)).all()


def test_deep_sea_action_mappings(library):
    same = [Engine(library, "DeepSea", size=5, mapping_seed=seed).reset(50, seed=9)["mapping"] for seed in (0, 0, 1)]
    assert (same[0] == same[0][0]).all()
    np.testing.assert_array_equal(same[0], same[1])
    assert (same[0][0] != same[2][0]).any()
    assert_uniform(
        np.concatenate(
            [as_matrices(Engine(library, "DeepSea", size=64, mapping_seed=2).reset(1)["mapping"], 64).ravel()]
        ),
        2,
    )
    engine = Engine(library, "DeepSea", size=3, sample_action_map=True)
    drawn = as_matrices(engine.reset(40000)["mapping"], 3).reshape(-1, 9)
    assert_uniform(drawn @ (1 << np.arange(9)), 512)
    once, again = engine.reset(9, episode=1)["mapping"], engine.reset(9, episode=2)["mapping"]
    assert (once != again).any()


def test_deep_sea_totals_accumulate_until_a_reset_with_a_seed(library):
    engine = Engine(library, "DeepSea", size=2, randomize_actions=False)
    states = engine.reset(2)
    for episode in range(1, 4):
        for _ in range(2):
            engine.step(states, [1, 0])
        infos = engine.observe(states)[1]
        assert infos["total_bad_episodes"].tolist() == [0, episode]
        assert infos["denoised_return"].tolist() == [episode, 0]
        engine.reset(2, episode=episode, states=states)
    engine.reset(2, states=states)
    assert not engine.observe(states)[1]["total_bad_episodes"].any()


# ---- DiscountingChain ----


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({}, {}),
        ({"mapping_seed": 3}, {}),
        ({"n_actions": 3, "mapping_seed": 1}, {"optimal_return": 2.5, "max_steps_in_episode": 37}),
        ({"n_actions": 2}, {"reward_timestep": [4, 2]}),
    ],
    ids=str,
)
def test_discounting_chain_in_every_state(library, options, params):
    theirs = Reference(
        "DiscountingChain-bsuite",
        {k: jnp.asarray(v) if isinstance(v, list) else v for k, v in params.items()},
        **options,
    )
    plain = {name: " ".join(map(str, v)) if isinstance(v, list) else v for name, v in params.items()}
    engine = Engine(library, "DiscountingChain", **options, **plain)
    limit, actions = params.get("max_steps_in_episode", 100), options.get("n_actions", 5)
    context, time, action = product(range(actions), range(limit), range(actions))
    context = np.where(time == 0, -1, context)
    states = fill(engine, context=context, time=time)
    reward, ends = engine.step(states, action)
    obs, after, their_reward, done = theirs.step(theirs.states(len(time), context=context, time=time), action)
    for name in engine.state.names:
        np.testing.assert_array_equal(states[name], getattr(after, name))
    np.testing.assert_array_equal(engine.observe(states)[0], obs)
    np.testing.assert_array_equal(reward, their_reward)
    np.testing.assert_array_equal(ends, done)
    np.testing.assert_array_equal(engine.observe(engine.reset(3))[0], theirs.reset(3)[0])
    assert (reward > 0).any()


def test_the_bonus_of_discounting_chain_wraps_around_as_in_bsuite(library):
    """In bsuite, the choice mapping_seed modulo n_actions has the bonus. In gymnax, no choice has the bonus if
    mapping_seed is n_actions or more."""
    engine = Engine(library, "DiscountingChain", mapping_seed=7)
    states = fill(engine, context=np.arange(5), time=np.array([1, 3, 10, 30, 100]) - 1)
    states["time"][0], states["context"][0] = 0, -1
    np.testing.assert_array_equal(engine.step(states, 0)[0], np.float32([1, 1, 1.1, 1, 1]))


# ---- MemoryChain ----


@pytest.mark.parametrize("length", [5, 1, 30])
def test_memory_chain_in_every_state(library, length):
    engine, theirs = (
        Engine(library, "MemoryChain", memory_length=length),
        Reference("MemoryChain-bsuite", {"memory_length": length}),
    )
    context, time, action, perfect = product((0, 1), range(length + 1), (0, 1), (0, 4))
    states = fill(engine, context=context, time=time, total_perfect=perfect, total_regret=2 * perfect)
    reward, ends = engine.step(states, action)
    obs, after, their_reward, done = theirs.step(
        theirs.states(len(time), context=context[:, None], time=time, total_perfect=perfect, total_regret=2 * perfect),
        action,
    )
    for name in engine.state.names:
        np.testing.assert_array_equal(states[name], np.reshape(getattr(after, name), len(time)))
    np.testing.assert_array_equal(engine.observe(states)[0], obs)
    np.testing.assert_array_equal(reward, their_reward)
    np.testing.assert_array_equal(ends, done)


@pytest.mark.parametrize("bits", [1, 3, 40])
def test_memory_chain_with_several_bits(library, bits):
    """The test computes the results by bsuite's rules, because gymnax 0.0.9 only accepts one bit."""
    engine, length, count = Engine(library, "MemoryChain", num_bits=bits, memory_length=4), 4, 3000
    states = engine.reset(count, seed=bits)
    context = (states["context"][:, None] >> np.arange(bits, dtype=np.uint64) & np.uint64(1)).astype(int)
    assert_uniform(states["query"], bits)
    assert_uniform(context.ravel(), 2)
    for time in range(length + 2):
        obs, infos = engine.observe(states)
        at = max(time - 1, 0)
        expected = np.zeros((count, 2 + bits), np.float32)
        expected[:, 0] = 1 - at / length
        expected[:, 1] = states["query"] * (at == length - 1)
        expected[:, 2:] = (2 * context - 1) * (at == 0)
        np.testing.assert_array_equal(obs, expected)
        if time == length + 1:
            break
        answer = np.arange(count) % 2
        reward, ends = engine.step(states, answer)
        assert (ends == (time == length)).all()
        correct = answer == context[np.arange(count), states["query"]]
        np.testing.assert_array_equal(reward, np.where(correct, 1, -1) * (time == length))
    np.testing.assert_array_equal(infos["total_perfect"], correct)
    np.testing.assert_array_equal(infos["total_regret"], np.where(correct, 0, 2))
    assert spec_contains("MemoryChain-bsuite", {"num_bits": bits, "memory_length": length}, obs)


def spec_contains(task_id, options, batch):
    space = envpool.make_spec(task_id, **options).observation_space
    return all(space.contains(obs) for obs in batch)


# ---- UmbrellaChain ----


@pytest.mark.parametrize("length", [10, 1, 100])
def test_umbrella_chain_in_every_state(library, length):
    engine, theirs = (
        Engine(library, "UmbrellaChain", chain_length=length),
        Reference("UmbrellaChain-bsuite", {"chain_length": length}),
    )
    need, has, time, action, regret = product((0, 1), (0, 1), range(length), (0, 1), (0, 6))
    fields = {"need_umbrella": need, "has_umbrella": has, "time": time, "total_regret": regret}
    states = fill(engine, **fields)
    reward, ends = engine.step(states, action)
    obs, after, their_reward, done = theirs.step(theirs.states(len(time), **fields), action)
    for name in fields:
        np.testing.assert_array_equal(states[name], getattr(after, name), name)
    np.testing.assert_array_equal(engine.observe(states)[0], obs)
    np.testing.assert_array_equal(ends, done)
    last = time == length - 1
    np.testing.assert_array_equal(reward[last], their_reward[last])
    assert set(reward[~last]) <= {-1, 1}


def test_umbrella_chain_distractors_are_fair_and_independent(library):
    count = 20000
    engine, theirs = Engine(library, "UmbrellaChain", n_distractor=3), Reference("UmbrellaChain-bsuite", n_distractor=3)
    states = engine.reset(count)
    obs, their_states = theirs.reset(count)
    assert_same_distribution(engine.observe(states)[0], obs)
    before = engine.observe(states)[0][:, 3:]
    reward, _ = engine.step(states, 1)
    obs, _, their_reward, _ = theirs.step(their_states, np.ones(count), seed=1)
    assert_same_distribution(
        np.c_[engine.observe(states)[0], reward, before],
        np.c_[obs, their_reward, np.asarray(theirs.reset(count, 5)[0])[:, 3:]],
    )
    wide = Engine(library, "UmbrellaChain", n_distractor=1000)
    obs, _ = wide.observe(wide.reset(300))
    assert_uniform(obs[:, 3:].ravel(), 2)
    assert abs(np.corrcoef(obs[:, 3:])[np.triu_indices(300, 1)]).max() < 0.2
    assert abs(np.corrcoef(obs[:, 3:].T)[np.triu_indices(1000, 1)]).max() < 0.4


# ---- SimpleBandit ----


@pytest.mark.parametrize("arms", [11, 1, 4])
def test_simple_bandit_in_every_state(library, arms):
    engine, theirs = (
        Engine(library, "SimpleBandit", num_actions=arms),
        Reference("SimpleBandit-bsuite", num_actions=arms),
    )
    states = np.repeat(engine.reset(50), arms)
    action = np.tile(np.arange(arms), 50)
    pays = np.linspace(0, 1, arms).astype(np.float32)[states["arms"]]
    reward, ends = engine.step(states, action)
    after, their_reward, done = theirs.step(theirs.states(len(action), rewards=pays), action)[1:]
    np.testing.assert_array_equal(reward, their_reward)
    np.testing.assert_array_equal(ends, done)
    np.testing.assert_array_equal(states["total_regret"], after.rewards)  # gymnax 0.0.9 swaps two parts of its state.
    np.testing.assert_array_equal(engine.observe(states)[0], np.ones((len(action), 1, 1)))


def test_simple_bandit_draws_every_order(library):
    engine = Engine(library, "SimpleBandit", num_actions=4)
    first = engine.reset(30000)
    assert (np.sort(first["arms"]) == np.arange(4)).all()
    assert_uniform(np.unique(first["arms"], axis=0, return_inverse=True)[1], 24)
    later = engine.reset(30000, episode=1, states=first.copy())
    np.testing.assert_array_equal(later, first)


def test_simple_bandit_arms_pay_the_same_in_every_episode():
    """The order of the arms stays the same, as in bsuite; gymnax draws a new one in every episode."""
    pool = envpool.make_gymnasium("SimpleBandit-bsuite", num_envs=40, seed=1, autoreset_mode="same_step")
    pool.reset()
    history = [pool.step(np.full(40, 3))[1] for _ in range(20)]
    assert (np.array(history) == history[0]).all()
    assert len(set(history[0].tolist())) > 5
    pool.reset()
    np.testing.assert_array_equal(pool.step(np.full(40, 3))[1], history[0])
    pool.reset(seed=2)
    assert (pool.step(np.full(40, 3))[1] != history[0]).any()

    env, params = envpool.jax.make("SimpleBandit-bsuite")
    _, state = env.reset(jax.random.key(1), params)
    _, state, one, done, _ = env.step(jax.random.key(2), state, 3, params)
    _, state, two, done, info = env.step(jax.random.key(3), state, 3, params)
    assert one == two and done
    np.testing.assert_allclose(info["total_regret"], 2 - 2 * one, rtol=1e-6)


# ---- golden bits ----

# Hashes of 300 steps of 64 environments, which are the same on every machine. If a hash changes, users get other
# trajectories than before.
GOLDEN = {
    "Catch": "9464173faff7989d",
    "DeepSea": "14458e1a0aa8dbc0",
    "DiscountingChain": "74664f94fb370a38",
    "MemoryChain": "3d8fc6999039adbe",
    "SimpleBandit": "16091584404be006",
    "UmbrellaChain": "078626b46167035d",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_bits(library, name):
    options = {
        "DeepSea": {"size": 5, "deterministic": False, "sample_action_map": True},
        "MemoryChain": {"num_bits": 40},
        "UmbrellaChain": {"n_distractor": 40},
    }
    engine = Engine(library, name, **options.get(name, {}))
    categories = {"Catch": 3, "DiscountingChain": 5, "SimpleBandit": 11}.get(name, 2)

    def observed(states):
        obs, infos = engine.observe(states)
        return [obs, *infos.values()]

    def fresh(states, step):
        return engine.reset(64, seed=step, episode=step + 1, states=states.copy())

    assert golden_hash(engine, lambda bits: bits % categories, observed, fresh=fresh) == GOLDEN[name]
