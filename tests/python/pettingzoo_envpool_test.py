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
    for bad, error, words in (
        (9, ValueError, r"an integer in 0\.\.4, got 9"),
        (0.5, ValueError, r"an integer in 0\.\.4, got 0\.5"),
        ("x", TypeError, r"integers \(int32\), got <U1"),
    ):
        with pytest.raises(error, match=rf"^\[TagGridWorld-v0\] actions\['player_1'\]: expected {words}$"):
            world.step({"player_0": 0, "player_1": bad})
    with pytest.raises(TypeError, match=r"^\[TagGridWorld-v0\] actions: expected a mapping by agent, got None$"):
        world.step(None)
    for bad, got in ((np.array([1]), r"shape \(\), got \(1,\)"), ([[1], [1, 2]], "integers .* got list")):
        with pytest.raises((TypeError, ValueError), match=rf"^\[.*\] actions\['player_1'\]: expected {got}"):
            world.step({"player_0": 0, "player_1": bad})
    of_two_parts = envpool.make_pettingzoo("AllTypes-v0")
    of_two_parts.reset()
    for bad, words in (
        ({"move": 0}, r": expected keys move, turn"),
        ({"move": 3, "turn": [0, 0]}, r"\['move'\]: .* 3$"),
    ):
        with pytest.raises(ValueError, match=rf"^\[AllTypes-v0\] actions\['player_0'\]{words}"):
            of_two_parts.step({"player_0": bad})
    for call in (world.observation_space, world.action_space):
        for bad in ("x", 0, []):
            with pytest.raises(
                ValueError, match=r"^\[TagGridWorld-v0\] agent: expected one of the 2 .* got ('x'|0|\[\])$"
            ):
                call(bad)
    assert len(world.step({"player_0": 0, "player_1": 1})[0]) == 2
    world.close()
    with pytest.raises(RuntimeError, match="closed"):
        world.reset()


@pytest.mark.parametrize("aec", [False, True])
def test_options_of_a_reset(checks, aec):
    game = envpool.make_pettingzoo("Go9x9-v1", aec=aec)
    game.reset(options={"komi": 2.0})
    assert game.pool.options()["komi"] == [2.0]
    game.reset()
    game.reset(options={"options": 1})  # as PettingZoo's tests do
    assert game.pool.options()["komi"] == [2.0]
    for unknown in ("kmoi", "reset_mask"):  # a mask selects environments of a pool
        text = rf"^\[Go9x9-v1\] options: expected only .*'komi'.*, got '{unknown}'$"
        with pytest.raises(ValueError, match=text) as caught:
            game.reset(options={unknown: np.array([True])})
        assert "'reset_mask'," not in str(caught.value)
    with pytest.raises(TypeError, match=r"^\[Go9x9-v1\] options: expected a mapping, got 7$"):
        game.reset(options=7)


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


def test_a_closed_environment_can_be_shown(checks):
    world = envpool.make_pettingzoo("TagGridWorld-v0")
    world.reset()
    state, agents, text = world.snapshot(), world.agents, repr(world)
    world.restore(state)
    world.close()
    for call in (world.reset, world.render):
        with pytest.raises(RuntimeError):
            call()
        assert (world.agents, repr(world), world.mover) == (agents, text, None)


TURNS = ("TicTacToe-v1", "ConnectFour-v1", "Hex-v1", "KuhnPoker-v1", "LeducHoldem-v1", "Hanabi-v0")


@pytest.mark.parametrize("task_id", TURNS)
def test_pettingzoos_own_tests_of_players_who_take_turns(checks, task_id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", message="Observation numpy array is all zeros")  # an empty board
        checks.api_test(envpool.make_pettingzoo(task_id, aec=True), 100)
        checks.parallel_api_test(envpool.make_pettingzoo(task_id), 100)
        checks.seed_test(lambda: envpool.make_pettingzoo(task_id, aec=True), 50)


@pytest.mark.parametrize("task_id", TURNS)
def test_agents_who_take_turns_receive_the_rows_of_the_pool(checks, task_id):
    game = envpool.make_pettingzoo(task_id, aec=True)
    world = envpool.make_pettingzoo(task_id)
    pool = envpool.make(task_id, autoreset_mode="disabled")
    rng, plies, movers = np.random.default_rng(5), 0, set()
    for seed in range(6):
        game.reset(seed=seed)
        world.reset(seed=seed)
        rows, info = pool.reset(seed=seed)
        reward, terminated = np.zeros(2), [False]
        while True:
            mover = f"player_{info['current_player'][0]}"
            assert game.agent_selection == world.mover == mover
            assert game.agents == game.possible_agents == ["player_0", "player_1"]
            for i, agent in enumerate(game.agents):
                np.testing.assert_array_equal(game.observe(agent), rows[i])
                assert game.rewards[agent] == reward[i]
                assert (game.terminations[agent], game.truncations[agent]) == (terminated[0], False)
                mask = game.infos[agent]["action_mask"]
                assert mask.dtype == np.int8
                np.testing.assert_array_equal(mask, info["action_mask"][0] if agent == mover else 0 * mask)
            movers.add(mover)
            if terminated[0]:
                break
            legal = np.flatnonzero(info["action_mask"][0])
            action = int(rng.choice(legal)) if seed < 5 else int(np.argmin(info["action_mask"][0]))
            game.step(action)
            # The action of the agent who waits has no effect.
            world.step({agent: action if agent == mover else int(rng.integers(2)) for agent in world.agents})
            rows, reward, terminated, _, info = pool.step(np.array([action]))
            plies += 1
        assert world.agents == []
        assert game.last()[1] == game.rewards[game.agent_selection]
        for _ in range(2):
            game.step(None)
        assert game.agents == []
    assert plies > 12
    assert movers == {"player_0", "player_1"}


def test_games_of_turns_return_to_a_state(checks):
    game = envpool.make_pettingzoo("ConnectFour-v1", aec=True)
    game.reset(seed=1)
    for column in (3, 2):
        game.step(column)
    state, mover, seen = game.snapshot(), game.agent_selection, game.observe("player_0")
    other = envpool.make_pettingzoo("ConnectFour-v1", aec=True)
    for one in (game, other):
        for _ in range(4):
            if one is game:
                one.step(6)
        one.restore(state)
        assert one.agent_selection == mover
        np.testing.assert_array_equal(one.observe("player_0"), seen)
        one.step(5)
        assert one.agent_selection != mover
    parallel = envpool.make_pettingzoo("ConnectFour-v1")
    parallel.restore(state)
    assert parallel.mover == mover


def test_bad_input_of_players_who_take_turns(checks):
    with pytest.raises(TypeError, match=r"^\[TicTacToe-v1\] aec: expected a bool, got 1$"):
        envpool.make_pettingzoo("TicTacToe-v1", aec=1)
    with pytest.raises(
        ValueError, match=r"^\[TagGridWorld-v0\] aec: expected .* 'current_player', .* at the same time$"
    ):
        envpool.make_pettingzoo("TagGridWorld-v0", aec=True)
    game = envpool.make_pettingzoo("TicTacToe-v1", aec=True)
    with pytest.raises(ValueError, match=r"^\[TicTacToe-v1\] step: expected a reset first"):
        game.step(0)
    for call in (game.last, lambda: game.observe("player_0")):
        with pytest.raises(ValueError, match=r"^\[TicTacToe-v1\] (last|observe): expected a reset first"):
            call()
    game.reset()
    for call in (game.observe, game.observation_space, game.action_space):
        with pytest.raises(
            ValueError, match=r"^\[TicTacToe-v1\] agent: expected one of the 2 agents, such as 'player_0', got 'nope'$"
        ):
            call("nope")
    mover = game.agent_selection
    for bad in (None, 9, -1, 0.5, "x", [0, 0]):
        with pytest.raises((ValueError, TypeError), match=rf"^\[TicTacToe-v1\] action.*{mover}"):
            game.step(bad)
        assert game.agent_selection == mover
    game.step(4)
    loser = game.agent_selection
    game.step(4)  # an illegal move
    assert game.rewards == {loser: -1.0, mover: 1.0}
    assert game.terminations == {loser: True, mover: True}
    with pytest.raises(ValueError, match=r"action: expected None, because player_\d has finished, got 3$"):
        game.step(3)
    for _ in range(2):
        game.step(None)
    with pytest.raises(ValueError, match=r"^\[TicTacToe-v1\] last: expected a reset first, because no agent is left"):
        game.last()
    assert game.observe("player_0").any()
