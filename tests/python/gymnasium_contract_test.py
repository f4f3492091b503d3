# SPDX-License-Identifier: Apache-2.0
"""Tests the parts of gymnasium's contract that do not show in an ordinary run: seeds, calls in a wrong order, and rows
that are not part of a reset or of an end."""

import copy
import typing

import gymnasium
import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)

MASK = {"reset_mask": np.array([True, False])}


# ---- rows that a partial reset leaves out ----


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_a_partial_reset_ignores_the_callers_edits(mode):
    env = envpool.make_vec("AllTypes-v0", num_envs=2, autoreset_mode=mode)
    observation, info = env.reset(seed=1)
    true, luck = copy.deepcopy(observation), info["score"].copy()
    for value in (*observation.values(), info["score"]):
        if isinstance(value, np.ndarray):
            value[...] = 0
    again, info = env.reset(options=dict(MASK))
    for key, value in true.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(again[key][1], value[1])
    assert info["score"][1] == luck[1]


def test_a_partial_reset_shows_restored_and_cloned_states():
    env = envpool.make_vec("CartPole-v1", num_envs=2)
    first = env.reset(seed=3)[0].copy()
    state = env.snapshot(1)
    for _ in range(5):
        env.step(np.array([1, 1]))
    env.restore(1, state)
    observation, info = env.reset(options=dict(MASK))
    np.testing.assert_array_equal(observation[1], first[1])
    assert info["elapsed_step"].tolist() == [0, 0]
    moved = env.step(np.array([0, 0]))[0][0].copy()
    env.clone(0, [1])
    observation, info = env.reset(options=dict(MASK))
    np.testing.assert_array_equal(observation[1], moved)
    assert info["elapsed_step"].tolist() == [0, 1]


@pytest.mark.parametrize("task_id", ["CartPole-v1", "AllTypes-v0", "Taxi-v3", "Ant-v5", "Pong-v5", "Hopper-v5"])
def test_observe_equals_the_last_batch(task_id):
    env = envpool.make_vec(task_id, num_envs=3)
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(5):
        observation, *_, info = env.step(env.action_space.sample())
        np.testing.assert_equal(env.observe(), (observation, info))
    picked = envpool.make_gymnasium(task_id, num_envs=3)
    with pytest.raises(RuntimeError, match="observe: environment 2 has not been reset yet"):
        picked.observe([2])
    picked.reset(seed=1)
    assert picked.observe([2, 0])[1]["env_id"].tolist() == [2, 0]


# ---- last observations ----


@pytest.mark.parametrize("task_id", ["FrozenLake-v1", "AllTypes-v0", "Crowd-v0"])
def test_rows_without_an_end_are_zero(task_id):
    env = envpool.make_gymnasium(task_id, num_envs=4, autoreset_mode="same_step", seed=1)
    env.reset()
    kept, ends = [], 0
    rng = np.random.default_rng(0)
    for _ in range(80):
        kept = [*kept[-2:], step(env, rng)]
        info = kept[-1][-1]
        if "final_obs" not in info:
            continue
        ends += 1
        done = info["_final_obs"]
        players = np.isin(info["players"]["env_id"], info["env_id"][done])
        for array in leaves([info["final_obs"], info["final_info"]]):
            gone = ~(done if len(array) == 4 and len(players) != 4 else players)
            assert not array[gone].any()
            assert array.ctypes.data % 64 == 0
    assert ends > 3


def step(env, rng):
    fields = env.spec.arrays.actions
    players = int(env.players().sum())
    actions = {
        field.name: np.clip(
            rng.integers(0, 2, (players if field.per_player else 4, *field.shape)), field.low, field.high
        )
        for field in fields
    }
    actions = {field.name: actions[field.name].astype(field.dtype) for field in fields}
    return env.step(actions if len(actions) > 1 else next(iter(actions.values())))


def leaves(tree):
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, list):
        return [leaf for branch in tree for leaf in leaves(branch)]
    return [tree]


# ---- seeds ----


def test_gymnasiums_functions_draw_a_seed():
    for make in (gymnasium.make, gymnasium.make_vec):
        envs = [make("envpool/CartPole-v1") for _ in range(2)]
        first, second = (env.reset()[0] for env in envs)
        assert (first != second).any()
        seeds = [env.unwrapped.np_random_seed for env in envs]
        assert seeds[0] != seeds[1]
        again = make("envpool/CartPole-v1")
        np.testing.assert_array_equal(again.reset(seed=seeds[0])[0], first)
        fixed = [make("envpool/CartPole-v1", seed=4).reset()[0] for _ in range(2)]
        np.testing.assert_array_equal(*fixed)
        np.testing.assert_array_equal(fixed[0].reshape(-1), envpool.make("CartPole-v1", seed=4).reset()[0].reshape(-1))
    assert envpool.make_vec("CartPole-v1").config["seed"] == 42
    assert gymnasium.make_vec("envpool/CartPole-v1", num_envs=2, env_seed=[3, 4]).config["env_seed"] == [3, 4]


def test_copies_have_the_seed_that_was_drawn():
    env = envpool.make("CartPole-v1", seed=None)
    twin = copy.copy(env)
    assert twin.config["seed"] == env.config["seed"]
    np.testing.assert_array_equal(twin.reset()[0], env.reset()[0])


def test_np_random_seed():
    env = envpool.make_vec("CartPole-v1", num_envs=2, seed=9)
    assert env.np_random_seed == 9
    env.reset(seed=5)
    assert env.np_random_seed == 5
    assert env.np_random.integers(1000) == gymnasium.utils.seeding.np_random(5)[0].integers(1000)
    env.reset()
    assert env.np_random_seed == 5
    env.reset(seed=[6, 7])
    assert env.np_random_seed == (6, 7)
    single = gymnasium.make("envpool/CartPole-v1", seed=11).unwrapped
    assert single.np_random_seed == 11
    single.reset(seed=12)
    assert single.np_random_seed == 12


@pytest.mark.parametrize(
    "seed", [np.int64(5), np.uint64(5), np.int8(5), np.array(5)], ids=["int64", "uint64", "int8", "array"]
)
def test_seeds_of_numpys_types(seed):
    """Every face takes them as an int, and remembers an int."""
    expected = envpool.make_vec("CartPole-v1", num_envs=2, seed=5).reset()[0]
    env = envpool.make_vec("CartPole-v1", num_envs=2, seed=seed)
    assert type(env.config["seed"]) is int
    for observation in (env.reset()[0], env.reset(seed=seed)[0], env.reset(seed=[seed, 5])[0][:1]):
        np.testing.assert_array_equal(observation, expected[: len(observation)])
    assert env.np_random_seed == (5, 5)
    assert all(type(each) is int for each in env.np_random_seed)
    env.clone(0, [0, 1], seed=seed)
    single = gymnasium.make("envpool/CartPole-v1")
    np.testing.assert_array_equal(single.reset(seed=seed)[0], expected[0])
    assert type(single.unwrapped.np_random_seed) is int


def test_seeds_that_are_other_sequences():
    env = envpool.make_vec("CartPole-v1", num_envs=2)
    np.testing.assert_array_equal(env.reset(seed=range(5, 7))[0], env.reset(seed=[5, 6])[0])
    assert env.np_random_seed == (5, 6)
    single = gymnasium.make("envpool/CartPole-v1")
    for seed in ([5], "5", np.array([5])):
        with pytest.raises(TypeError, match=r"^\[CartPole-v1\] seed: expected an int from 0 to 2\*\*64 - 1, got"):
            single.reset(seed=seed)
    with pytest.raises(TypeError, match=r"^\[CartPole-v1\] seed: expected an int .*, got array\(5.5\)"):
        envpool.make("CartPole-v1", seed=np.array(5.5))


def test_seeds_of_some_environments():
    env, other = (envpool.make_vec("CartPole-v1", num_envs=3, seed=2) for _ in range(2))
    env.reset()
    other.reset()
    observation, info = env.reset(seed=[1, None, 8])
    plain = other.reset()[0]
    np.testing.assert_array_equal(observation[1], plain[1])
    np.testing.assert_array_equal(observation[[0, 2]], other.reset(seed=[1, 5, 8])[0][[0, 2]])
    assert info["elapsed_step"].tolist() == [0, 0, 0]
    np.testing.assert_array_equal(env.reset(seed=[None] * 3)[0].shape, (3, 4))
    with pytest.raises(TypeError, match=r"\[CartPole-v1\] seed\[0\]: expected an int"):
        env.reset(seed=["x", None, 1])
    with pytest.raises(ValueError, match=r"\[CartPole-v1\] seed: expected a sequence of 3, got one of 2"):
        env.reset(seed=[1, None])
    mask = np.array([True, True, False])
    observation, _ = env.reset(seed=[1, None, 7], options={"reset_mask": mask})
    np.testing.assert_array_equal(observation[0], other.reset(seed=[1, 1, 1])[0][0])


def test_a_reset_with_some_seeds_is_one_batch():
    env, plain = (envpool.make_vec("Pendulum-v1", num_envs=4, normalize_obs=normalize) for normalize in (True, False))
    wrapped = gymnasium.wrappers.vector.NormalizeObservation(plain)
    for seed in ([1, None, 3, None], [None, 5, None, None]):
        np.testing.assert_array_equal(env.reset(seed=seed)[0], wrapped.reset(seed=seed)[0])


def test_a_refused_reset_with_some_seeds_changes_nothing():
    env = envpool.make_vec("CartPole-v1", num_envs=2)
    env.reset(seed=5)
    env.step(np.array([0, 1]))
    before = env.snapshot()
    refused = [
        ([1, None], {"length": [0.4, -1.0]}, "length: expected"),
        ([1, None], {"low": 0.2, "high": 0.1}, "low"),
        ([None, -1], {"length": 0.4}, r"seed\[1\]: expected an int from 0"),
    ]
    for seed, options, text in refused:
        with pytest.raises(ValueError, match=rf"\[CartPole-v1\] .*{text}"):
            env.reset(seed=seed, options=options)
        assert env.snapshot() == before
        assert env.options()["length"].tolist() == [0.5, 0.5]
    env.reset(seed=[1, None], options={"length": [0.4, 0.6]})
    assert env.options()["length"].tolist() == [0.4, 0.6]


# ---- the order of calls ----


def test_a_step_before_the_first_reset():
    env = envpool.make_vec("CartPole-v1", num_envs=2)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"^\[CartPole-v1\] step: expected a call of reset before"):
        env.step(np.zeros(2, int))
    env.reset()
    env.step(np.zeros(2, int))
    single = gymnasium.make("envpool/CartPole-v1")
    for one in (single, single.unwrapped):
        with pytest.raises(gymnasium.error.ResetNeeded):
            one.step(0)
    single.reset()
    single.unwrapped.step(0)
    saved = envpool.make_vec("CartPole-v1", num_envs=2)
    for index in range(2):
        saved.restore(index, env.snapshot(index))
    assert saved.step(np.zeros(2, int))[-1]["elapsed_step"].tolist() == [2, 2]
    assert envpool.make("CartPole-v1").step(np.zeros(1, int))[-1]["elapsed_step"].tolist() == [0]  # EnvPool's behaviour


@pytest.mark.parametrize(
    "make", [envpool.make_vec, lambda task_id, **more: gymnasium.make("envpool/" + task_id, **more).unwrapped]
)
def test_calls_after_close(make):
    env = make("CartPole-v1", render_mode="rgb_array")
    env.reset()
    env.close()
    env.close()
    calls = (env.reset, lambda: env.step(env.action_space.sample()), env.render)
    for call in calls:
        with pytest.raises(gymnasium.error.ClosedEnvironmentError, match=r"\[CartPole-v1\] .*the pool is closed"):
            call()
        with pytest.raises(RuntimeError):
            call()


# ---- gymnasium's make and make_vec ----


@pytest.mark.parametrize("mode", ["async", "sync", gymnasium.VectorizeMode.ASYNC])
def test_vectorization_mode(mode):
    with pytest.raises(ValueError, match=r"\[CartPole-v1\] vectorization_mode: expected none, .* got 'a?sync'"):
        gymnasium.make_vec("envpool/CartPole-v1", num_envs=2, vectorization_mode=mode)
    mode = gymnasium.VectorizeMode.VECTOR_ENTRY_POINT
    assert isinstance(
        gymnasium.make_vec("envpool/CartPole-v1", vectorization_mode=mode), type(envpool.make_vec("CartPole-v1"))
    )
    by_hand = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("envpool/CartPole-v1")])
    assert by_hand.reset()[0].shape == (1, 4)


@pytest.mark.parametrize("value", ["SameStep", "same_step", gymnasium.vector.AutoresetMode.SAME_STEP])
def test_names_of_autoreset_modes(value):
    env = gymnasium.make_vec("envpool/CartPole-v1", num_envs=1, autoreset_mode=value)
    assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    with pytest.raises(ValueError, match="autoreset_mode: expected one of"):
        envpool.make_vec("CartPole-v1", autoreset_mode="Samestep")


def test_rgb_array_list():
    env = gymnasium.make("envpool/CartPole-v1", render_mode="rgb_array_list")
    env.reset()
    env.step(0)
    frames = env.render()
    assert len(frames) == 2
    assert frames[0].shape == (400, 600, 3)


def test_human_is_promised_only_with_a_display(monkeypatch):
    from gymnasium.utils.env_checker import check_env

    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    env = gymnasium.make("envpool/CartPole-v1").unwrapped
    assert env.metadata["render_modes"] == ["rgb_array"]
    check_env(env)
    monkeypatch.setenv("DISPLAY", ":0")
    assert set(gymnasium.make("envpool/CartPole-v1").metadata["render_modes"]) >= {"rgb_array"}


@pytest.mark.parametrize(
    "make", [envpool.make, envpool.make_gymnasium, envpool.make_vec, envpool.make_gym, envpool.make_dm]
)
def test_the_prefix_of_gymnasiums_registry(make):
    assert make("envpool/CartPole-v1").spec.id == "CartPole-v1"
    assert make("envpool/ALE-Pong-v5").spec.id == "ALE/Pong-v5"
    with pytest.raises(ValueError, match=r"^\[envpool/CartPool-v1\] task_id: .* did you mean 'CartPole-v1'"):
        make("envpool/CartPool-v1")


def test_type_hints_of_public_functions():
    for name in envpool.__all__:
        value = getattr(envpool, name)
        if callable(value) and not isinstance(value, type):
            assert typing.get_type_hints(value), name


def test_scalar_leaves_are_arrays():
    env = gymnasium.make("envpool/HumanoidCMUStand-v1").unwrapped
    observation, _ = env.reset()
    assert env.observation_space.contains(observation)
    assert all(type(value) is np.ndarray for value in observation.values())


@pytest.mark.filterwarnings("error")
def test_an_atari_game_is_no_newer_version_of_a_card_game():
    assert gymnasium.make("envpool/Blackjack-v1").unwrapped.spec.id == "envpool/Blackjack-v1"
    assert gymnasium.make_vec("envpool/Blackjack-v5").spec.id == "envpool/Blackjack-v5"
    with pytest.raises(DeprecationWarning, match="Taxi-v3 is out of date"):
        gymnasium.make("envpool/Taxi-v3")


def test_copies_find_their_files_in_another_folder(tmp_path, monkeypatch):
    import pickle

    model = '<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>'
    model += '<actuator><motor joint="j"/></actuator></mujoco>'
    (tmp_path / "arm.xml").write_text(model)
    monkeypatch.chdir(tmp_path)
    envs = [envpool.make("Mujoco-v0", xml_file="arm.xml"), envpool.make("Mujoco-v0", xml_file="./arm.xml")]
    data = [pickle.dumps(env) for env in envs]
    monkeypatch.chdir("/")
    for env, saved in zip(envs, data, strict=True):
        assert env.config["xml_file"] == str(tmp_path / "arm.xml")
        np.testing.assert_equal(pickle.loads(saved).reset()[0], env.reset()[0])


def test_states_that_are_restored_before_the_first_reset():
    source = envpool.make_vec("CartPole-v1", num_envs=2)
    begun, (first, _) = source.snapshot(), source.reset()
    in_game = source.snapshot()
    env = envpool.make_vec("CartPole-v1", num_envs=2)
    env.restore(0, in_game[0])
    needed = r"^\[CartPole-v1\] step: expected a call of reset before the first step"
    with pytest.raises(gymnasium.error.ResetNeeded, match=needed):  # environment 1 would ignore its action
        env.step(np.zeros(2, int))
    only = np.array([True, False])
    with pytest.raises(RuntimeError, match="expected all True in the first reset"):
        env.reset(options={"reset_mask": only})
    observation, _ = env.reset(options={"reset_mask": ~only})
    np.testing.assert_array_equal(observation[0], first[0])
    env.step(np.zeros(2, int))
    env.restore(1, begun[1])
    with pytest.raises(gymnasium.error.ResetNeeded, match=needed):
        env.step(np.zeros(2, int))
    env.clone(0, [1])
    env.step(np.zeros(2, int))
    fresh = envpool.make_vec("CartPole-v1", num_envs=2)
    fresh.clone(0, [1])
    with pytest.raises(gymnasium.error.ResetNeeded, match=needed):
        fresh.step(np.zeros(2, int))
    single = gymnasium.make("envpool/CartPole-v1").unwrapped
    single.pool.restore(0, in_game[0])
    single.step(0)
    single.pool.restore(0, begun[0])
    with pytest.raises(gymnasium.error.ResetNeeded, match=needed):
        single.step(0)


def test_every_call_after_close_raises_gymnasiums_error():
    env = envpool.make_vec("CartPole-v1", num_envs=2, render_mode="rgb_array", normalize_obs=True)
    env.reset()
    state, statistics = env.snapshot(), env.statistics()
    env.close()
    calls = (
        *(env.reset, env.async_reset, env.render, env.snapshot, env.observe, env.options, env.statistics, env.players),
        lambda: env.step([0, 0]),
        lambda: env.send([0, 0]),
        lambda: env.recv(timeout=0),
        lambda: env.clone(0),
        lambda: env.restore(None, state),
        lambda: env.set_options(gravity=1.0),
        lambda: env.set_options([], gravity=1.0),
        lambda: env.set_options(),
        lambda: env.set_statistics(statistics),
        lambda: env.update_running_mean,
        lambda: setattr(env, "update_running_mean", False),
    )
    for call in calls:
        with pytest.raises(gymnasium.error.ClosedEnvironmentError, match=r"^\[CartPole-v1\] the pool is closed"):
            call()
