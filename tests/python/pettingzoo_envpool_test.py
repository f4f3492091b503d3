# SPDX-License-Identifier: Apache-2.0
"""Tests the PettingZoo interface with that library's own tests, and compares it with a pool."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)

WITHOUT = "import sys; sys.modules['pettingzoo'] = None; import envpool; envpool.make_pettingzoo('TagGridWorld-v0')"
TAGS = {
    "TagContinuous-v0": {"num_taggers": 3, "num_runners": 5, "tagging_distance": 0.1},
    "TagGridWorld-v0": {"num_taggers": 2, "grid_length": 5},
}


def test_without_the_library():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "envpool.python.errors.MissingPackageError: [envpool] make_pettingzoo needs PettingZoo, which is not installed: pip install pettingzoo"
    )


@pytest.fixture(scope="module")
def checks():
    pytest.importorskip("pettingzoo")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PettingZoo's tests import its games, which issue warnings
        import pettingzoo.test
    return pettingzoo.test


@pytest.mark.parametrize("task_id", TAGS)
def test_pettingzoos_own_tests(checks, task_id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the tests report violations as warnings
        checks.parallel_api_test(envpool.make_pettingzoo(task_id, **TAGS[task_id]), 500)
        checks.parallel_seed_test(lambda: envpool.make_pettingzoo(task_id, **TAGS[task_id]), 100)


def test_pettingzoos_own_tests_with_a_varying_number_of_players(checks):
    checks.parallel_api_test(envpool.make_pettingzoo("Crowd-v0"), 100)


@pytest.mark.parametrize("task_id", TAGS)
def test_agents_receive_the_rows_of_the_pool(checks, task_id):
    """An agent receives its row of the pool until it has left the game."""
    world = envpool.make_pettingzoo(task_id, **TAGS[task_id])
    pool = envpool.make_gymnasium(task_id, autoreset_mode="disabled", **TAGS[task_id])
    left_early = 0
    for seed in range(5):
        observation, _ = world.reset(seed=seed)
        np.testing.assert_array_equal(np.stack(list(observation.values())), pool.reset(seed=seed)[0])
        assert world.agents == world.possible_agents
        while world.agents:
            acting = world.agents
            actions = {agent: world.action_space(agent).sample() for agent in acting}
            result = world.step(actions)
            idle = np.zeros_like(actions[acting[0]])
            rows, reward, terminated, truncated, info = pool.step(
                np.array([actions.get(agent, idle) for agent in world.possible_agents])
            )
            assert all(list(part) == acting for part in result)
            for agent in acting:
                i = world.possible_agents.index(agent)
                np.testing.assert_array_equal(result[0][agent], rows[i])
                assert result[1][agent] == reward[i]
                assert result[2][agent] == (terminated[0] or info["players"]["done"][i])
                assert result[3][agent] == truncated[0]
                assert result[4][agent]["is_tagger"] == info["players"]["is_tagger"][i]
            assert set(world.agents) == {agent for agent in acting if not result[2][agent] and not result[3][agent]}
            left_early += 0 < len(world.agents) < len(acting)
    assert left_early or task_id == "TagGridWorld-v0"


def test_the_time_limit_truncates_all(checks):
    world = envpool.make_pettingzoo("TagGridWorld-v0", max_episode_steps=3)
    world.reset(seed=1)
    for _ in range(3):
        assert world.agents
        *_, truncated, _ = world.step(dict.fromkeys(world.agents, 0))
    assert world.agents == []
    assert set(truncated.values()) == {True}
    assert world.step({}) == ({}, {}, {}, {}, {})


def test_bad_input(checks):
    with pytest.raises(ValueError, match=r"^\[Crowd-v0\] num_envs: expected 1 for PettingZoo, got 4$"):
        envpool.make_pettingzoo("Crowd-v0", num_envs=4)
    with pytest.raises(ValueError, match=r"^\[Crowd-v0\] autoreset_mode: expected 'disabled' .* got 'next_step'$"):
        envpool.make_pettingzoo("Crowd-v0", autoreset_mode="next_step")
    world = envpool.make_pettingzoo("TagGridWorld-v0", num_taggers=1)
    with pytest.raises(
        ValueError, match=r"^\[TagGridWorld-v0\] actions: expected .* the 0 agents .* not in the game: player_0$"
    ):
        world.step({"player_0": 0})
    world.reset()
    with pytest.raises(ValueError, match=r"the 2 agents in the game, got 1; missing: player_1; not in the game: none$"):
        world.step({"player_0": 0})
    with pytest.raises(ValueError, match=r"^\[TagGridWorld-v0\] action"):
        world.step({"player_0": 0, "player_1": 9})
    assert len(world.step({"player_0": 0, "player_1": 1})[0]) == 2
    world.close()
    with pytest.raises(RuntimeError, match="closed"):
        world.reset()


def play(world, steps):
    """Steps with actions that depend on the number of the step alone. Returns the results, and the agents after each."""
    seen = []
    for step in range(steps):
        rng = np.random.default_rng(step)
        drawn = {agent: rng.integers(0, 2, world.action_space(agent).shape) for agent in world.possible_agents}
        result = world.step({agent: drawn[agent] for agent in world.agents})
        seen.append((world.agents, result[1], {agent: row.tolist() for agent, row in result[0].items()}))
    return seen


@pytest.mark.parametrize("task_id", [*TAGS, "Crowd-v0"])
def test_agents_of_restored_states(checks, task_id):
    """A restored state has the agents that it had when it was saved: before a reset, in a game, after its end."""
    options = {**TAGS.get(task_id, {}), "max_episode_steps": 60}
    world = envpool.make_pettingzoo(task_id, **options)
    states = [(world.snapshot(), world.agents)]
    world.reset(seed=3)
    while world.agents:
        states.append((world.snapshot(), world.agents))
        play(world, 1)
    states.append((world.snapshot(), world.agents))
    assert [agents for _, agents in states][0 :: len(states) - 1] == [[], []]
    other = envpool.make_pettingzoo(task_id, **options)
    for target in (world, other):
        for state, agents in (states[1], states[-1], states[0], states[len(states) // 2]):
            target.restore(state)
            assert target.agents == agents
            assert list(target.observe()[0]) == list(target.observe()[1]) == agents
            target.pool.restore([0], [state])  # also past this interface
            assert target.agents == agents
    assert play(world, 5) == play(other, 5)
    world.reset(seed=3)
    assert world.agents == states[1][1]
    world.pool.restore(0, states[1][0])
    world.pool.clone(0, [0], seed=9)
    assert world.agents == states[1][1]
