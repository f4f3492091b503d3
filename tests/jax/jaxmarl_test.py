# SPDX-License-Identifier: Apache-2.0
"""envpool.jax.jaxmarl beside JaxMARL: programs for one run with the other."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("jaxmarl", reason="JaxMARL is not installed")
ours = pytest.importorskip("envpool.jax.jaxmarl")
kitchens = pytest.importorskip("tests.jaxmarl.kitchens")
jnp = jax.numpy

WORLDS, STEPS = 16, 70


def rollout(env, state, actions):
    """Steps a batch of kitchens, as programs for JaxMARL do."""

    def turn(state, both):
        keys = jax.random.split(jax.random.key(3), WORLDS)
        acts = {agent: both[i] for i, agent in enumerate(env.agents)}
        obs, state, rewards, dones, infos = jax.vmap(env.step)(keys, state, acts)
        return state, (obs, rewards, dones, infos)

    return jax.lax.scan(turn, state, actions)


@pytest.mark.parametrize("layout", kitchens.LAYOUTS)
def test_a_program_has_the_results_of_jaxmarl(layout):
    reference = kitchens.Reference(layout, max_steps=STEPS - 10)
    env = ours.make("overcooked", layout=reference.env.layout, max_steps=STEPS - 10)
    assert (env.agents, env.num_agents, env.num_actions) == (reference.env.agents, 2, reference.env.num_actions)
    obs, state = jax.vmap(env.reset)(jax.random.split(jax.random.key(1), WORLDS))
    reference.put(np.asarray(obs["agent_0"]))
    actions = jax.random.randint(jax.random.key(2), (STEPS, 2, WORLDS), 0, 6).astype(jnp.uint32)
    end, (seen, rewards, dones, infos) = rollout(env, state, actions)
    _, expected = rollout(reference.env, reference.state, actions)
    theirs_seen, *others = expected
    for mine, theirs in zip((rewards, dones, infos), others, strict=True):
        assert jax.tree.structure(mine) == jax.tree.structure(theirs)
        for one, other in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
            # JaxMARL's cooks have other directions in the second episode, so that their steps differ.
            np.testing.assert_array_equal(one[: STEPS - 10], other[: STEPS - 10])
            assert one.dtype == other.dtype
    for agent in env.agents:
        np.testing.assert_array_equal(seen[agent][: STEPS - 11], theirs_seen[agent][: STEPS - 11])
        assert seen[agent].dtype == theirs_seen[agent].dtype
        np.testing.assert_array_equal(jax.vmap(env.get_obs)(end)[agent], seen[agent][-1])
    begun = np.asarray(seen["agent_0"][STEPS - 11])
    assert (begun[..., 0] == np.asarray(obs["agent_0"])[..., 0]).all()  # the cooks are at their places again
    assert np.asarray(dones["__all__"]).sum(axis=1).tolist() == [0] * (STEPS - 11) + [WORLDS] + [0] * 10


def test_jaxmarls_wrapper_logs_returns():
    wrappers = pytest.importorskip("jaxmarl.wrappers.baselines")
    env = wrappers.LogWrapper(ours.make("overcooked", max_steps=3))
    obs, state = env.reset(jax.random.key(0))
    for step in range(1, 4):
        both = {agent: jnp.int32(4) for agent in env.agents}
        obs, state, reward, done, info = env.step(jax.random.key(step), state, both)
    assert np.asarray(info["returned_episode"]).all()
    assert np.asarray(info["returned_episode_lengths"]).tolist() == [3, 3]


@pytest.mark.parametrize("options", [{}, {"num_agents": 3, "shuffle_player_order": True}])
def test_hanabi_has_the_interface_of_jaxmarl(options):
    import jaxmarl

    env, reference = ours.make("hanabi", **options), jaxmarl.make("hanabi", **options)
    for name in ("agents", "num_agents", "num_actions", "num_moves", "obs_size", "name"):
        assert getattr(env, name) == getattr(reference, name), name

    def game(env, key):
        def turn(state, key):
            legal = env.get_legal_moves(state)
            choose = lambda agent: jax.random.categorical(key, jnp.log(legal[agent]))  # noqa: E731
            obs, state, *rest = env.step(key, state, {agent: choose(agent) for agent in env.agents})
            return state, (legal, obs, *rest)

        obs, state = env.reset(key)
        return obs, *jax.lax.scan(turn, state, jax.random.split(key, 80))

    first, end, seen = jax.jit(lambda key: game(env, key))(jax.random.key(1))
    theirs_first, _, theirs = jax.jit(lambda key: game(reference, key))(jax.random.key(1))
    assert jax.tree.structure((first, seen)) == jax.tree.structure((theirs_first, theirs))
    for one, other in zip(jax.tree.leaves((first, seen)), jax.tree.leaves((theirs_first, theirs)), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
    legal, obs, rewards, dones, _ = seen
    assert dones["__all__"].any() and (sum(legal[agent][:, -1] for agent in env.agents) == env.num_agents - 1).all()
    np.testing.assert_array_equal(env.get_obs(end)["agent_1"], obs["agent_1"][-1])
    assert set(np.asarray(rewards["__all__"]).tolist()) >= {0, 1}


@pytest.mark.parametrize(("name", "options"), [("overcooked", {"max_steps": 3}), ("hanabi", {"max_life_tokens": 1})])
def test_an_episode_can_begin_in_a_given_state(name, options):
    env = ours.make(name, **options)
    assert list(inspect.signature(env.step).parameters) == ["key", "state", "actions", "reset_state"]
    keys = jax.random.split(jax.random.key(0), 8)
    _, state = jax.vmap(env.reset)(keys)
    _, begun = env.reset(jax.random.key(7))
    step, plain = (jax.jit(jax.vmap(f, axes)) for f, axes in ((env.step, (0, 0, 0, None)), (env.step_env, (0, 0, 0))))
    ends = 0
    for turn in range(6):
        acts = {agent: jax.random.randint(jax.random.key(turn), (8,), 0, 6) for agent in env.agents}
        results, (obs, following, *others) = step(keys, state, acts, begun), plain(keys, state, acts)
        jax.tree.map(np.testing.assert_array_equal, results[2:], tuple(others))
        done = np.asarray(others[1]["__all__"])
        ends += int(done.sum())
        for seen, fresh, before in zip(
            jax.tree.leaves(results[:2]),
            jax.tree.leaves((env.get_obs(begun), begun)),
            jax.tree.leaves((obs, following)),
            strict=True,
        ):
            np.testing.assert_array_equal(seen[done], np.broadcast_to(fresh, seen.shape)[done])
            np.testing.assert_array_equal(seen[~done], before[~done])
        state = results[1]
    assert ends


BAD = [
    (lambda: ours.make("hanabi", num_agents=6), ValueError, "num_players"),
    (lambda: ours.make("hanabi", hand_size=0), ValueError, "hand_size: expected None or 1 to 6, got 0"),
    (
        lambda: ours.make("hanabi", num_ranks=4),
        ValueError,
        "num_cards_of_rank: expected a number for each of num_ranks=4",
    ),
    (lambda: ours.make("hanabi", num_cards_of_rank=3), ValueError, "num_cards_of_rank: expected a number for each"),
    (
        lambda: ours.make("hanabi", num_cards_of_rank=[[1], [1, 2]]),
        ValueError,
        r"^\[Hanabi\] num_cards_of_rank: expected a number for each of num_ranks=5 ranks, got \[\[1\], \[1, 2\]\]$",
    ),
    (lambda: ours.make(["hanabi"]), ValueError, "env_id: expected one of hanabi, overcooked, got \\['hanabi'\\]"),
    (
        lambda: ours.make("overcooked", layout={}),
        ValueError,
        r"^\[Overcooked\] layout: expected a layout of JaxMARL with h",
    ),
    (lambda: ours.make("overcooked_v2"), ValueError, "env_id: expected one of hanabi, overcooked, got 'overcooked_v2'"),
    (lambda: ours.make("overcooked", layout="large_room"), ValueError, "layout: expected the name of a layout"),
    (lambda: ours.make("overcooked", layout={"height": 3}), ValueError, "layout: expected a layout of JaxMARL with w"),
    (lambda: ours.make("overcooked", layout=layout(pot_idx=[99])), ValueError, "from 0 to 19, got 99"),
    (lambda: ours.make("overcooked", layout=layout(width=10**9)), ValueError, "height and width of 1 to 256 cells"),
    (lambda: ours.make("overcooked", layout=layout(width=-5, height=-4)), ValueError, "height and width of 1 to 256"),
    (
        lambda: ours.make("overcooked", layout=layout(height=float("nan"))),
        TypeError,
        "height: expected integers, got nan",
    ),
    (
        lambda: ours.make("overcooked", layout=layout(pot_idx=[2.5])),
        TypeError,
        r"pot_idx: expected integers, got \[2.5",
    ),
    (lambda: ours.make("overcooked", layout=layout(pot_idx=None)), TypeError, "pot_idx: expected integers, got None"),
    (lambda: ours.make("overcooked", layout=layout(agent_idx=[6])), ValueError, "agent_idx: expected the cells of two"),
    (lambda: ours.make("overcooked", layout=layout(agent_idx=[6, 6])), ValueError, "expected two cooks A"),
    (lambda: ours.make("overcooked", layout={3: 1, "a": 2}), ValueError, "layout: expected a layout of JaxMARL with h"),
    (lambda: ours.make("overcooked", max_steps=0), ValueError, "max_steps"),
    (lambda: ours.make("overcooked", layout=3), TypeError, "layout"),
    (lambda: step({"agent_0": 0}), ValueError, r"actions: expected a dict with an action of \['agent_0', 'agent_1'\]"),
    (lambda: step(3), ValueError, "actions: expected a dict"),
    (lambda: step({"agent_0": 0, "agent_1": 0}, 3), TypeError, r"^\[Overcooked-v0\] reset_state: expected an EnvState"),
    (
        lambda: step(
            {"agent_0": 0, "agent_1": 0},
            jax.vmap(ours.make("overcooked").reset)(jax.random.split(jax.random.key(0), 3))[1],
        ),
        ValueError,
        r"^\[Overcooked-v0\] reset_state: expected shape \(92,\), got \(3, 92\)",
    ),
    (
        lambda: step({"agent_0": 0, "agent_1": 6}),
        ValueError,
        r"actions\['agent_1'\]: expected an integer in 0..5, got 6",
    ),
    (lambda: step({"agent_0": np.int64(2**32 + 4), "agent_1": 4}), ValueError, "integer in 0..5, got 4294967300"),
    (lambda: step({"agent_0": 0.5, "agent_1": 0.5}), TypeError, "action"),
    (lambda: step({"agent_0": None, "agent_1": 0}), TypeError, r"actions\['agent_0'\]: expected integers .*, got None"),
    (lambda: step({"agent_0": 0, "agent_1": "x"}), TypeError, r"actions\['agent_1'\]: expected integers .*, got <U1"),
    (
        lambda: step({"agent_0": np.zeros(2, int), "agent_1": 0}),
        ValueError,
        r"^\[Overcooked\] actions\['agent_0'\]: expected shape \(\), got \(2,\)$",
    ),
]


def layout(**changes):
    from jaxmarl.environments.overcooked.layouts import overcooked_layouts

    return {**overcooked_layouts["cramped_room"], **changes}


def step(actions, *reset_state):
    env = ours.make("overcooked")
    return env.step(jax.random.key(0), env.reset(jax.random.key(0))[1], actions, *reset_state)


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=[case[2][:40] for case in BAD])
def test_bad_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()
