# SPDX-License-Identifier: Apache-2.0
"""Tests the options of a reset on every interface, and compares them with gymnasium's environments."""

import gymnasium
import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)

RANGES = {
    "CartPole-v1": [
        {"low": 0.04, "high": 0.05},
        {"low": -0.01},
        {"high": 0.5},
        {"low": 0.2, "high": 0.2},
        {"low": np.array(0.01)},
    ],
    "Acrobot-v1": [{"low": -0.5, "high": 0.25}, {"high": 0.0}],
    "MountainCar-v0": [{"low": -1.0, "high": -0.9}],
    "MountainCarContinuous-v0": [{"low": -0.3, "high": 0.2}],
    "Pendulum-v1": [{"x_init": 0.25, "y_init": 0.5}, {"x_init": 0.1}, {"y_init": 0}],
}
CASES = [(task_id, options) for task_id, several in RANGES.items() for options in several]
PARTS = {
    "CartPole-v1": lambda obs: obs.T,
    "Acrobot-v1": lambda obs: np.stack(
        [np.arctan2(obs[:, 1], obs[:, 0]), np.arctan2(obs[:, 3], obs[:, 2]), *obs.T[4:]]
    ),
    "MountainCar-v0": lambda obs: obs.T,
    "MountainCarContinuous-v0": lambda obs: obs.T,
    "Pendulum-v1": lambda obs: np.stack([np.arctan2(obs[:, 1], obs[:, 0]), obs[:, 2]]),
}


@pytest.mark.parametrize(("task_id", "options"), CASES)
def test_initial_states_fill_the_same_ranges_as_gymnasiums(task_id, options):
    env = gymnasium.make(task_id)
    env.reset(seed=1)
    theirs = PARTS[task_id](np.stack([env.reset(options=options)[0] for _ in range(400)]))
    ours = PARTS[task_id](envpool.make_gymnasium(task_id, num_envs=400).reset(seed=1, options=options)[0])
    for our, their in zip(ours, theirs, strict=True):
        width = float(np.ptp(their))
        assert our.min() == pytest.approx(their.min(), abs=width * 0.05 + 1e-6)
        assert our.max() == pytest.approx(their.max(), abs=width * 0.05 + 1e-6)
        assert our.mean() == pytest.approx(their.mean(), abs=width * 0.1 + 1e-6)


def test_a_state_keeps_its_place_in_the_range():
    plain = envpool.make_gymnasium("CartPole-v1", num_envs=50).reset(seed=3)[0]
    moved = envpool.make_gymnasium("CartPole-v1", num_envs=50).reset(seed=3, options={"low": 1.0, "high": 2.0})[0]
    np.testing.assert_allclose((moved - 1) / 1, (plain + 0.05) / 0.1, atol=1e-5)


def test_every_interface_agrees():
    options = {"low": 0.01, "high": 0.02}
    expected = envpool.make_gymnasium("CartPole-v1", seed=5).reset(options=options)[0]
    assert (expected >= np.float32(0.01)).all()
    others = [
        envpool.make_vec("CartPole-v1", seed=5).reset(options=options)[0],
        envpool.make_gym("CartPole-v1", seed=5).reset(options=options)[0],
        envpool.make_dm("CartPole-v1", seed=5).reset(options=options).observation.obs,
        gymnasium.make("envpool/CartPole-v1").reset(seed=5, options=options)[0][None],
        gymnasium.make_vec("envpool/CartPole-v1", num_envs=1).reset(seed=5, options=options)[0],
    ]
    for observation in others:
        np.testing.assert_array_equal(observation, expected)


KNOWN = "'low', 'high', 'max_episode_steps', 'goal_velocity', 'force', 'gravity'"


@pytest.mark.parametrize("make", [envpool.make_gymnasium, envpool.make_vec, envpool.make_gym, envpool.make_dm])
@pytest.mark.parametrize(
    ("task_id", "options", "words"),
    [
        ("MountainCar-v0", {"nonsense": 1}, f"options: expected only {KNOWN}, got 'nonsense'"),
        ("MountainCar-v0", {"low": 0.1, "hihg": 1}, f"options: expected only {KNOWN}, got 'hihg'"),
        ("CliffWalking-v1", {"low": 0.1}, "options: expected only 'max_episode_steps', 'is_slippery', got 'low'"),
        ("CartPole-v1", {"low": 1.0, "high": 0.5}, "options: expected 'low' of at most 'high', got 1.0, 0.5"),
        ("CartPole-v1", {"low": 0.06}, "options: expected 'low' of at most 'high', got 0.06, 0.05"),
        ("Pendulum-v1", {"x_init": -0.1}, "options: expected 'x_init' of at least 0, got -0.1"),
        ("CartPole-v1", {"low": float("nan")}, "options['low']: expected a finite number, got nan"),
    ],
)
def test_bad_options(make, task_id, options, words):
    with pytest.raises(ValueError) as error:
        gymnasium.make(f"envpool/{task_id}").reset(options=options)
    assert str(error.value) == f"[{task_id}] {words}"
    if make in (envpool.make_gymnasium, envpool.make_vec) and "only" in words:  # gymnasium's vectors also take a mask
        words = words.replace(", got", ", 'reset_mask', got")
    with pytest.raises(ValueError) as error:
        make(task_id, num_envs=2, **({"step_api": "classic"} if make is envpool.make_gym else {})).reset(
            options=options
        )
    assert str(error.value) == f"[{task_id}] {words}"


def test_wrong_types():
    env = envpool.make_vec("CartPole-v1")
    for each in (env, envpool.make_dm("CartPole-v1")):
        with pytest.raises(TypeError, match=r"\[CartPole-v1\] options: expected a mapping, got \[1\]"):
            each.reset(options=[1])
    with pytest.raises(ValueError, match=r"\[CartPole-v1\] options\['low'\]: expected a number, got 'x'"):
        env.reset(options={"low": "x"})
    with pytest.raises(ValueError, match="options: expected none in an asynchronous pool"):
        envpool.make_gymnasium("CartPole-v1", num_envs=2, batch_size=1).reset(options={"low": 0.0})


def test_a_refused_reset_changes_nothing():
    env = envpool.make_vec("CartPole-v1", num_envs=2)
    observation = env.reset(seed=1)[0]
    with pytest.raises(ValueError):
        env.reset(seed=2, options={"nonsense": 1})
    np.testing.assert_array_equal(env.observe()[0], observation)


def test_options_with_a_mask():
    env = envpool.make_vec("CartPole-v1", num_envs=3)
    first, _ = env.reset(seed=1)
    first = first.copy()
    mask = np.array([False, True, False])
    options = {"reset_mask": mask, "low": 0.5, "high": 0.6}
    observation, _ = env.reset(options=options)
    assert (observation[1] >= 0.5).all()
    np.testing.assert_array_equal(observation[~mask], first[~mask])
    assert set(options) == {"reset_mask", "low", "high"}


def test_autoreset_begins_in_the_environments_own_range():
    env = envpool.make_vec("CartPole-v1", num_envs=2, max_episode_steps=2)
    env.reset(options={"low": 0.1, "high": 0.2})
    for _ in range(3):
        observation = env.step(np.array([0, 1]))[0]
    assert (np.abs(observation) <= 0.05).all()


class Told(gymnasium.Env):
    """An environment that observes its options."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        options = options or {}
        goal = options.get("goal", -1)
        self.seen = np.array([goal[2] if isinstance(goal, list) else goal, len(options)], np.float32)
        return self.seen, {}

    def step(self, action):
        return self.seen, 0.0, bool(action), False, {}


def test_python_environments_get_their_options():
    envpool.register_python("Told-v0", Told)
    with envpool.make_vec("Told-v0", num_envs=3, num_workers=2) as env:
        assert env.reset()[0].tolist() == [[-1, 0]] * 3
        assert env.reset(options={"goal": 7, "why": ["a", None]})[0].tolist() == [[7, 2]] * 3
        mask = np.array([False, True, False])
        assert env.reset(options={"reset_mask": mask, "goal": 2})[0].tolist() == [[7, 2], [2, 1], [7, 2]]
        env.step(np.array([1, 1, 0]))
        assert env.step(np.array([0, 0, 0]))[0].tolist() == [[-1, 0], [-1, 0], [7, 2]]
        # A list belongs to each environment, also if it has as many elements as the pool has environments.
        several = {"goal": [4, 5, 6]}
        assert env.reset(options={"reset_mask": mask, **several})[0].tolist() == [[-1, 0], [6, 1], [7, 2]]
        assert env.reset(seed=[1, None, 2], options=several)[0].tolist() == [[6, 1]] * 3
        assert env.reset()[0].tolist() == [[-1, 0]] * 3
        with pytest.raises(ValueError, match=r"\[Told-v0\] options: expected at most 2048 bytes .* got 3"):
            env.reset(options={"text": "x" * 3000})
        assert env.reset()[0].tolist() == [[-1, 0]] * 3
    with envpool.make_gymnasium("Told-v0", num_envs=4, batch_size=2, num_workers=1) as env:
        assert env.reset(options={"goal": 3})[0].tolist() == [[3, 1]] * 2
    single = gymnasium.make("envpool/Told-v0")
    assert single.reset(options={"goal": 5})[0].tolist() == [5, 1]
    single.close()
