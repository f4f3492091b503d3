# SPDX-License-Identifier: Apache-2.0
"""Tests options that change from episode to episode: `set_options`, `options` and `reset(options=...)`.

The expected results are always those of pools that `make` creates with these options.
"""

import pickle
from concurrent.futures import ThreadPoolExecutor

import gymnasium
import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)

# An option of each id, with values that change its episodes. Eight environments are stepped in lanes where possible.
N = 8
LENGTHS = np.linspace(0.1, 2.0, N)
CASES = {
    "CartPole-v1": ("length", LENGTHS),
    "Pendulum-v1": ("g", np.linspace(2.0, 20.0, N)),
    "MountainCar-v0": ("gravity", np.linspace(0.001, 0.01, N)),
    "Acrobot-v1": ("torque_noise_max", np.linspace(0.0, 1.0, N)),
    "Taxi-v3": ("is_rainy", np.arange(N) % 2 == 0),
    "FrozenLake-v1": ("is_slippery", np.arange(N) % 2 == 0),
    "UmbrellaChain-bsuite": ("chain_length", np.arange(1, N + 1)),
    "DeepSea-bsuite": ("mapping_seed", np.arange(N) + 1000),
    "MiniGrid-Empty-Random-5x5-v0": ("max_steps", np.arange(N) + 3),
    "Ant-v5": ("ctrl_cost_weight", np.linspace(0.0, 4.0, N)),
}


def arrays(result):
    """Returns the bytes of all arrays of a result."""
    if isinstance(result, dict):
        return {key: arrays(value) for key, value in result.items()}
    if isinstance(result, tuple):
        return [arrays(value) for value in result]
    return np.asarray(result).tobytes()


def actions_of(env, steps):
    env.action_space.seed(7)
    rows = len(env.all_env_ids)
    return [np.array([env.action_space.sample() for _ in range(rows)]) for _ in range(steps)]


def play(env, steps=60):
    """Returns the results of some steps."""
    return [arrays(env.step(action)) for action in actions_of(env, steps)]


def each_with(name, values):
    return [{name: value} for value in np.asarray(values).tolist()]


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("task_id", CASES)
def test_a_reset_with_options_equals_a_pool_made_with_them(task_id, threads, mode):
    name, values = CASES[task_id]
    shared = {"num_envs": N, "num_threads": threads, "autoreset_mode": mode, "max_episode_steps": 13}
    made = envpool.make_gymnasium(task_id, env_options=each_with(name, values), **shared)
    reset = envpool.make_gymnasium(task_id, **shared)
    plain = envpool.make_gymnasium(task_id, **shared)
    assert arrays(reset.reset(seed=3, options={name: values})) == arrays(made.reset(seed=3))
    plain.reset(seed=3)
    results = play(made)
    assert play(reset) == results
    assert play(plain) != results


@pytest.mark.parametrize("task_id", CASES)
def test_one_value_for_all_equals_an_option_of_make(task_id):
    name, values = CASES[task_id]
    value = values.tolist()[0] if values.dtype != bool else not envpool.make_gymnasium(task_id).config[name]
    made = envpool.make_gymnasium(task_id, num_envs=N, **{name: value})
    changed = envpool.make_gymnasium(task_id, num_envs=N)
    assert arrays(changed.reset(seed=1, options={name: value})) == arrays(made.reset(seed=1))
    assert play(changed) == play(made)
    made_value = envpool.make_gymnasium(task_id).config[name]
    original = envpool.make_gymnasium(task_id, num_envs=N)
    assert arrays(changed.reset(seed=1, options={name: made_value})) == arrays(original.reset(seed=1))
    assert play(changed) == play(original)


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_new_values_take_effect_with_the_next_episode(mode):
    options = {"num_envs": N, "autoreset_mode": mode, "max_episode_steps": 10}
    plain = envpool.make_gymnasium("CartPole-v1", **options)
    changed = envpool.make_gymnasium("CartPole-v1", **options)
    plain.reset(seed=5)
    changed.reset(seed=5)
    changed.set_options([1, 6], length=[0.1, 1.7])
    env_ids = [0, 2, 3, 4, 5, 7]
    begun = np.zeros(N, bool)  # whether each environment has begun its second episode
    differed = np.zeros(N, bool)
    for action in actions_of(plain, 25):
        expected, got = plain.step(action), changed.step(action)
        begun |= got[4]["elapsed_step"] == 0 if mode == "next_step" else got[2] | got[3]
        np.testing.assert_array_equal(got[0][env_ids], expected[0][env_ids])
        np.testing.assert_array_equal(got[0][~begun], expected[0][~begun])
        current = np.where(begun & np.isin(np.arange(N), [1, 6]), [0, 0.1, 0, 0, 0, 0, 1.7, 0], 0.5)
        np.testing.assert_array_equal(changed.options()["length"], current)
        differed |= (got[0] != expected[0]).any(axis=1)
    assert begun.all()
    assert differed.tolist() == [False, True, False, False, False, False, True, False]


def test_later_values_replace_earlier_ones_and_add_to_others():
    made = envpool.make_gymnasium("CartPole-v1", num_envs=2, length=0.3, gravity=5.0, max_episode_steps=7)
    changed = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    changed.set_options(length=0.9)
    changed.set_options(gravity=5.0)
    changed.set_options([1], length=0.3, max_episode_steps=7)
    changed.set_options([0], length=np.float64(0.3))
    changed.set_options([0], max_episode_steps=np.array([7]))
    assert changed.options()["length"].tolist() == [0.5, 0.5]
    assert arrays(changed.reset(seed=1)) == arrays(made.reset(seed=1))
    assert play(changed) == play(made)
    assert changed.options()["max_episode_steps"].tolist() == [7, 7]


def test_the_time_limit():
    env = envpool.make_gymnasium("Pendulum-v1", num_envs=3, max_episode_steps=4, autoreset_mode="disabled")
    env.reset(options={"max_episode_steps": [2, 0, 2**31 - 1]})
    assert env.options()["max_episode_steps"].tolist() == [2, 0, 0]
    env.step(np.zeros((3, 1), np.float32))
    assert env.step(np.zeros((3, 1), np.float32))[3].tolist() == [True, False, False]
    for _ in range(10):
        assert not env.step(np.zeros((2, 1), np.float32), [1, 2])[3].any()


def test_every_interface_agrees():
    options = {"length": 1.5, "low": 0.01, "high": 0.02}
    made = envpool.make_gymnasium("CartPole-v1", seed=5, length=1.5, max_episode_steps=0)
    expected = [made.reset(options={"low": 0.01, "high": 0.02})[0], made.step(np.array([1]))[0]]
    others = [
        (envpool.make_vec("CartPole-v1", seed=5), np.array([1])),
        (envpool.make_gym("CartPole-v1", seed=5, step_api="modern"), np.array([1])),
        (gymnasium.make_vec("envpool/CartPole-v1", num_envs=1, seed=5), np.array([1])),
    ]
    for env, action in others:
        np.testing.assert_array_equal(env.reset(options=options)[0], expected[0])
        np.testing.assert_array_equal(env.step(action)[0], expected[1])
    single = gymnasium.make("envpool/CartPole-v1")
    np.testing.assert_array_equal(single.reset(seed=5, options=options)[0], expected[0][0])
    np.testing.assert_array_equal(single.step(1)[0], expected[1][0])
    classic = envpool.make_gym("CartPole-v1", seed=5, step_api="classic")
    np.testing.assert_array_equal(classic.reset(options=options), expected[0])
    dm = envpool.make_dm("CartPole-v1", seed=5)
    np.testing.assert_array_equal(dm.reset(options=options).observation.obs, expected[0])
    np.testing.assert_array_equal(dm.step(np.array([1])).observation.obs, expected[1])


def test_a_mask_selects_environments_and_their_values():
    made = envpool.make_vec("CartPole-v1", num_envs=N, env_options=each_with("length", LENGTHS))
    mask = np.arange(N) % 3 == 0
    for values in (LENGTHS, LENGTHS.tolist(), LENGTHS[mask]):
        env = envpool.make_vec("CartPole-v1", num_envs=N)
        env.reset(seed=1)
        env.reset(seed=list(range(N)), options={"reset_mask": mask, "length": values})
        assert env.options()["length"].tolist() == np.where(mask, LENGTHS, 0.5).tolist()
    seeds = [index if index % 2 else None for index in range(N)]
    env.reset(seed=seeds, options={"length": LENGTHS})
    made.reset(seed=1)
    made.reset(seed=list(range(N)), options={"reset_mask": mask})
    made.reset(seed=seeds)
    np.testing.assert_array_equal(env.options()["length"], LENGTHS)
    ids = np.flatnonzero(np.arange(N) % 2)
    action = np.ones(N, int)
    np.testing.assert_array_equal(env.step(action)[0][ids], made.step(action)[0][ids])


def test_stable_baselines3_sets_options_for_the_next_reset():
    pytest.importorskip("stable_baselines3")
    made = envpool.make_sb3("CartPole-v1", num_envs=N, env_options=each_with("length", LENGTHS), seed=3)
    expected = [made.reset(), made.step(np.ones(N, int))[0]]
    for options in (each_with("length", LENGTHS), {"length": LENGTHS}, [{"length": np.array(x)} for x in LENGTHS]):
        env = envpool.make_sb3("CartPole-v1", num_envs=N, seed=3)
        env.set_options(options)
        np.testing.assert_array_equal(env.reset(), expected[0])
        np.testing.assert_array_equal(env.step(np.ones(N, int))[0], expected[1])
        assert env.pool.options()["length"].tolist() == LENGTHS.tolist()
    env.set_options([{"length": 0.7}] + [{}] * (N - 1))
    env.reset()
    assert env.pool.options()["length"].tolist() == [0.7, *LENGTHS.tolist()[1:]]


def test_asynchronous_pools():
    lengths = dict(enumerate(LENGTHS.tolist()))
    made = envpool.make_gymnasium("CartPole-v1", num_envs=N, env_options=each_with("length", LENGTHS))
    made.reset(seed=2)
    expected = [made.step(np.ones(N, int))[0] for _ in range(30)]
    env = envpool.make_gymnasium("CartPole-v1", num_envs=N, batch_size=3, num_threads=2, seed=2)
    env.async_reset()
    _, _, _, _, info = env.recv()
    busy = np.setdiff1d(np.arange(N), info["env_id"])
    with pytest.raises(RuntimeError, match=rf"^\[CartPole-v1\] set_options: environment {busy[0]} is under way"):
        env.set_options(busy, length=0.7)
    with pytest.raises(RuntimeError, match=r"^\[CartPole-v1\] set_options: environment \d is under way"):
        env.set_options(length=0.7)
    with pytest.raises(RuntimeError, match=rf"^\[CartPole-v1\] options: environment {busy[0]} is under way"):
        env.options(busy)
    env.set_options(info["env_id"], length=[lengths[i] for i in info["env_id"].tolist()])
    assert set(env.options(info["env_id"])["length"].tolist()) == {0.5}
    _, info = env.reset(seed=2, options={"length": LENGTHS})
    seen = np.zeros(N, int)
    for _ in range(60):
        ids = info["env_id"]
        assert env.options(ids)["length"].tolist() == [lengths[i] for i in ids.tolist()]
        env.send(np.ones(len(ids), int), ids)
        obs, _, _, _, info = env.recv()
        for row, env_id in enumerate(info["env_id"].tolist()):
            if info["elapsed_step"][row] and seen[env_id] < 30:
                np.testing.assert_array_equal(obs[row], expected[seen[env_id]][env_id])
            seen[env_id] += info["elapsed_step"][row] > 0 or seen[env_id] > 0
    assert seen.min() > 3


def test_threads_set_options_of_their_own_environments():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=40, num_threads=2, max_episode_steps=3)
    env.reset(seed=1, options={"length": 0.7})

    def drive(first):
        ids = np.arange(first, first + 10)
        for number in range(60):
            env.set_options(ids, length=0.2 + 0.01 * number + ids / 1000)
        return ids

    stepped = np.arange(30, 40)
    with ThreadPoolExecutor(3) as executor:
        driven = executor.map(drive, range(0, 30, 10))
        for number in range(60):
            env.step(np.ones(10, int), stepped)
            env.set_options(stepped, length=0.2 + 0.01 * number + stepped / 1000)
        list(driven)
    assert env.options(np.arange(30))["length"].tolist() == [0.7] * 30
    env.reset()
    np.testing.assert_array_equal(env.options()["length"], 0.2 + 0.01 * 59 + np.arange(40) / 1000)


def test_snapshots_and_copies_do_not_contain_options():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2, autoreset_mode="disabled")
    other = envpool.make_gymnasium("CartPole-v1", num_envs=2, length=1.1, autoreset_mode="disabled")
    env.reset(seed=1, options={"length": 0.2})
    other.reset(seed=1)
    states = env.snapshot()
    other.restore(None, states)
    env.set_options(length=1.1)
    assert env.snapshot() == states
    env.reset()
    env.restore(None, states)
    assert env.options()["length"].tolist() == [1.1, 1.1]
    assert play(env, 5) == play(other, 5)
    env.reset(seed=1)
    env.reset([1], options={"length": 0.4})
    env.clone(0, [1])
    assert env.options()["length"].tolist() == [1.1, 0.4]
    copy = pickle.loads(pickle.dumps(env))
    assert copy.options()["length"].tolist() == [0.5, 0.5]


def test_a_mixed_pool_has_the_options_of_each_id():
    ids = ["CartPole-v1", "CartPole-v0"]
    made = envpool.make_gymnasium(ids, num_envs=4, env_options=each_with("length", [0.2, 0.4, 0.6, 0.8]))
    env = envpool.make_gymnasium(ids, num_envs=4)
    assert arrays(env.reset(seed=1, options={"length": [0.2, 0.4, 0.6, 0.8]})) == arrays(made.reset(seed=1))
    assert play(env) == play(made)
    env.set_options([3, 0], length=[1.0, 2.0], max_episode_steps=5)
    env.reset()
    assert env.options()["length"].tolist() == [2.0, 0.4, 0.6, 1.0]
    assert env.options()["max_episode_steps"].tolist() == [5, 500, 200, 5]
    for names in ({"lenght": 1.0}, {"length": [0.5, 0.5, 0.5, -1.0]}):
        with pytest.raises((TypeError, ValueError), match="CartPole-v"):
            env.set_options(**names)
    assert env.options()["length"].tolist() == [2.0, 0.4, 0.6, 1.0]


def test_no_environments_are_no_error():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    env.set_options([], length=[])
    env.set_options(np.flatnonzero([False, False]), length=np.zeros(0), gravity=1.0)
    assert env.options([])["length"].shape == (0,)


def test_dtypes_of_the_current_values():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2, kinematics_integrator="euler", length=0.25)
    options = env.options()
    assert options["length"].dtype == np.float64 and options["length"].tolist() == [0.25, 0.25]
    assert options["max_episode_steps"].dtype == np.int64 and options["max_episode_steps"].tolist() == [500, 500]
    assert options["kinematics_integrator"].tolist() == ["euler", "euler"]
    assert options["sutton_barto_reward"].dtype == np.bool_
    env.set_options(kinematics_integrator=["euler", "semi-implicit"], sutton_barto_reward=np.array([True, False]))
    env.reset()
    assert env.options()["kinematics_integrator"].tolist() == ["euler", "semi-implicit"]
    assert env.options([1, 0])["sutton_barto_reward"].tolist() == [False, True]
    made = envpool.make_gymnasium("CartPole-v1", num_envs=1, length=0.25, kinematics_integrator="semi-implicit", seed=4)
    env.reset([1], seed=[4])
    made.reset(seed=[4])
    np.testing.assert_array_equal(env.step(np.array([1]), [1])[0], made.step(np.array([1]))[0])


BAD = [
    ({"lenght": 1.0}, TypeError, "unknown option 'lenght'; did you mean 'length'?"),
    ({"length": -1.0}, ValueError, "length: expected a number from 1e-06 to "),
    ({"length": [0.5, -1.0]}, ValueError, r"length: expected .*, got -1.0 for environment 1"),
    ({"length": np.array([np.nan, 0.5])}, ValueError, r"length: expected .*, got nan for environment 0"),
    ({"length": np.array([np.inf, 0.5])}, ValueError, r"length: expected .*, got inf for environment 0"),
    ({"length": [0.5, "x"]}, TypeError, r"length: expected .*, got 'x' for environment 1"),
    ({"length": [0.5, None]}, TypeError, r"length: expected .*, got None for environment 1"),
    ({"length": None}, TypeError, "length: expected a number"),
    ({"length": "0.5"}, TypeError, "length: expected a number"),
    ({"length": np.array([True, False])}, TypeError, "length: expected .*, got True for environment 0"),
    ({"length": np.array(["a", "b"])}, TypeError, "length: expected .*, got 'a' for environment 0"),
    ({"length": [0.5]}, ValueError, r"length: expected .* shape \(2,\) .*, got shape \(1,\)"),
    ({"length": np.ones((2, 1))}, ValueError, r"length: expected .* shape \(2,\) .*, got shape \(2, 1\)"),
    ({"length": np.ma.masked_array([0.5, 0.6], [True, False])}, TypeError, "length: expected an array without a mask"),
    ({"length": 0.5, "gravity": [1.0, "x"]}, TypeError, "gravity: expected a number"),
    ({"max_episode_steps": -1}, ValueError, "max_episode_steps: expected an int from 0 to 2147483647, got -1"),
    ({"max_episode_steps": 2**31}, ValueError, "max_episode_steps: expected an int from 0"),
    ({"max_episode_steps": [1, 2.5]}, TypeError, "max_episode_steps: expected .*, got 2.5 for environment 1"),
    ({"kinematics_integrator": "rk4"}, ValueError, "kinematics_integrator: expected one of 'euler'"),
    ({"kinematics_integrator": ["euler", 1]}, TypeError, "kinematics_integrator: .*, got 1 for environment 1"),
    ({"sutton_barto_reward": 1}, TypeError, "sutton_barto_reward: expected True or False, got 1"),
    ({"num_envs": 3}, TypeError, "unknown option 'num_envs'"),
]


@pytest.mark.parametrize(("values", "error", "words"), BAD)
def test_bad_values_change_nothing(values, error, words):
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    with pytest.raises(error, match=rf"^\[CartPole-v1\] {words}"):
        env.set_options(**values)
    env.reset(seed=1)
    if not {"lenght", "num_envs"} & values.keys():
        with pytest.raises(error, match=rf"^\[CartPole-v1\] {words}"):
            env.reset(seed=2, options=values)
    before = envpool.make_gymnasium("CartPole-v1", num_envs=2).reset(seed=1)[0]
    np.testing.assert_array_equal(env.observe()[0], before)
    env.reset()
    assert env.options()["length"].tolist() == [0.5, 0.5] and env.options()["gravity"].tolist() == [9.8, 9.8]


def test_bad_environments():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    for ids, error, words in (
        ([0, 0], ValueError, "set_options: env_ids: expected distinct ids, got 0 twice"),
        ([2], ValueError, "env_ids: expected ids of environments, from 0 to 1, got 2"),
        ([-1], ValueError, "env_ids: expected ids of environments"),
        ([0.5], TypeError, "env_ids: expected ids of environments"),
        ("0", TypeError, "env_ids: expected ids of environments"),
    ):
        with pytest.raises(error, match=rf"^\[CartPole-v1\] {words}"):
            env.set_options(ids, length=1.0)
        with pytest.raises(
            error, match=rf"^\[CartPole-v1\] {words.replace('set_options', 'reset')}".replace("env_ids", "env_ids?")
        ):
            env.reset(ids, options={"length": 1.0})
    env.reset()
    assert env.options()["length"].tolist() == [0.5, 0.5]
    with pytest.raises(TypeError, match="env_ids: expected ids"):
        env.options(["a"])
    env.close()
    with pytest.raises(RuntimeError, match=r"^\[CartPole-v1\] the pool is closed"):
        env.set_options(length=1.0)
    vector = envpool.make_vec("CartPole-v1")
    vector.close()
    for call in (lambda: vector.set_options(length=1.0), vector.options):
        with pytest.raises(gymnasium.error.ClosedEnvironmentError):
            call()


def test_options_that_only_make_can_set():
    env = envpool.make_gymnasium("FrozenLake-v1")
    with pytest.raises(ValueError, match=r"^\[FrozenLake-v1\] size: expected an option that can change"):
        env.set_options(size=8)
    with pytest.raises(ValueError, match=r"^\[FrozenLake-v1\] options: expected only 'max_episode_steps', .*'size'"):
        env.reset(options={"size": 8})


def test_other_environments_refuse():
    env = envpool.make_gymnasium("Faulty-v0")
    for call in (lambda: env.set_options(max_episode_steps=3), env.options):
        with pytest.raises(
            RuntimeError, match=r"^\[Faulty-v0\] (set_)?options: expected an environment whose options can change"
        ):
            call()
