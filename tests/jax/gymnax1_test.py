# SPDX-License-Identifier: Apache-2.0
"""Compares `envpool.jax.gymnax1` with a record of gymnax 1's interface, and with gymnax 1 itself if it is installed.

`make test-jax` installs gymnax 1. `make test` installs gymnax 0.0.9.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import importlib.util
import inspect
import io
import os
import re
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import envpool
from envpool.python.registry import find
from tests.support.chi_square import SMALLEST_P

jax = pytest.importorskip("jax")
ours = pytest.importorskip("envpool.jax.gymnax1")
jnp = jax.numpy

KEY = jax.random.PRNGKey(0)
HAS_GYMNAX_1 = importlib.util.find_spec("gymnax") is not None and metadata.version("gymnax").split(".")[0] == "1"
beside_gymnax_1 = pytest.mark.skipif(not HAS_GYMNAX_1, reason="needs gymnax 1: make test-jax")

# The public names of gymnax 1.0.1, and the parameters of its methods.
MODULE = ("make", "register", "registered_envs", "EnvState", "EnvParams", "environments")
METHODS = {
    "step": ["key", "state", "action", "params"],
    "reset": ["key", "params"],
    "step_env": ["key", "state", "action", "params"],
    "reset_env": ["key", "params"],
    "observe": ["key", "state", "action", "params"],
    "get_obs": ["state", "params", "key"],
    "is_truncated": ["state", "params"],
    "is_terminal": ["state", "params"],
    "is_terminated": ["state", "params"],
    "discount": ["state", "params"],
    "action_space": ["params"],
    "observation_space": ["params"],
    "state_space": ["params"],
    "with_transition_gradients": [],
}
PROPERTIES = (
    "name",
    "num_actions",
    "default_params",
    "supports_transition_gradients",
    "transition_gradients_enabled",
)
INFO = ("discount", "terminated", "truncated", "final_observation")
IDS = ("CartPole-v1", "Pendulum-v1", "Breakout-MinAtar", "Catch-bsuite", "FourRooms-misc")


def test_names_of_the_module_and_the_environment():
    for name in MODULE:
        assert hasattr(ours, name), name
    env, params = ours.make("CartPole-v1")
    assert isinstance(env, ours.Environment) and isinstance(params, ours.EnvParams)
    for name, arguments in METHODS.items():
        parameters = inspect.signature(getattr(env, name)).parameters.values()
        assert [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY] == arguments, name
    for name in PROPERTIES:
        getattr(env, name)
    assert not env.supports_transition_gradients and not env.transition_gradients_enabled
    with pytest.raises(
        ValueError, match=r"^\[CartPole-v1\] with_transition_gradients: .* supports transition gradients"
    ):
        env.with_transition_gradients()
    with pytest.raises(AttributeError):
        env.transition_gradients_enabled = True
    assert isinstance(env.reset(KEY, params)[1], ours.EnvState)


@pytest.mark.parametrize("task_id", IDS)
def test_steps_of_six_and_of_five_values_agree(task_id):
    env, params = ours.make(task_id, max_episode_steps=3)
    old, _ = envpool.jax.make(task_id, max_episode_steps=3)
    obs, state = env.reset(KEY, params)
    np.testing.assert_array_equal(obs, old.reset(KEY, params)[0])
    action = jnp.zeros_like(env.action_space(params).sample(KEY))
    assert not env.is_terminated(state, params) and not env.is_truncated(state, params)
    for step in range(3):
        before = state
        obs, state, reward, terminated, truncated, info = env.step(KEY, before, action, params)
        expected = old.step(KEY, before, action, params)
        np.testing.assert_array_equal(obs, expected[0])
        assert expected[3] == terminated | truncated and expected[2] == reward
        assert {*INFO} <= info.keys()
        assert info["terminated"] == terminated and info["truncated"] == truncated
        last, after, again, ended, more = env.step_env(KEY, before, action, params)
        np.testing.assert_array_equal(info["final_observation"], last)
        np.testing.assert_array_equal(env.observe(KEY, after, action, params), last)
        np.testing.assert_array_equal(env.get_obs(state, params), obs)
        assert again == reward and ended == terminated and more["truncated"] == truncated
        assert env.is_truncated(after, params) == (step == 2)
        assert env.is_terminated(after, params) == env.is_terminal(after, params) == (terminated & ~truncated)
        assert env.discount(after, params) == 1 - env.is_terminated(after, params)
        if terminated:
            break
    assert terminated or truncated


def test_terminated_states_are_not_truncated():
    env, params = ours.make("CartPole-v1")
    state = env.reset(KEY, params)[1].replace(position=2.39, velocity=10.0)
    _, state, _, terminated, info = env.step_env(KEY, state, 0, params)
    assert terminated and not info["truncated"]
    assert env.is_terminated(state, params) and not env.is_truncated(state, params) and env.discount(state) == 0
    unlimited = params.replace(max_steps_in_episode=0)
    assert not env.is_truncated(state, unlimited)
    with pytest.raises(ValueError, match=r"^\[CartPole-v1\] params: expected parameters of CartPole, got .* of Catch$"):
        env.is_truncated(state, ours.make("Catch-v0")[1])


def test_every_registered_id_can_be_made():
    known = ours.registered_envs
    assert known == envpool.jax.registered_envs and {*known} < {*envpool.list_all_envs()}
    assert "Pusher-v5" not in known  # MuJoCo's environments are not portable
    for task_id in known:
        if "-v5" not in task_id and find(task_id).family != "atari":  # whose games need ale-py
            env, params = ours.make(task_id)
            obs, state = jax.eval_shape(env.reset, KEY, params)
            action = env.action_space(params).sample(KEY)
            if env.num_actors > 1:
                action = jnp.broadcast_to(action, (env.num_actors, *action.shape))
            assert len(jax.eval_shape(env.step, KEY, state, action, params)) == 6
    if "Pong-v5" in known and importlib.util.find_spec("ale_py"):
        assert len(ours.make("Pong-v5")) == 2


@pytest.mark.parametrize("make", [ours.make, envpool.jax.make])
def test_state_space(make):
    env, params = make("CartPole-v1")
    space = env.state_space(params)
    _, state = env.reset(KEY, params)
    assert space.spaces["time"].n == 501 and space.spaces["theta"].shape == ()
    assert bool(space.contains(state))
    assert not bool(space.contains(state.replace(elapsed_step=501)))
    drawn = space.sample(KEY)
    assert drawn.keys() == space.spaces.keys() and 0 <= drawn["time"] <= 500
    with pytest.raises(ValueError, match=r"^\[CartPole-v1\] max_episode_steps: expected shape \(\), got \(2,\)"):
        env.state_space(params.replace(max_episode_steps=[3, 4]))
    with pytest.raises(ValueError, match=r"^\[CartPole-v1\] params: expected parameters of CartPole, got .* of Catch$"):
        env.state_space(make("Catch-v0")[1])


def test_factories_can_be_registered():
    class Mine:
        default_params = 7

        def __init__(self, size=1):
            self.size = size

    ours.register("Mine-v0", Mine)
    try:
        assert "Mine-v0" in ours.registered_envs and "Mine-v0" not in envpool.jax.registered_envs
        env, params = ours.make("Mine-v0", size=3)
        assert env.size == 3 and params == 7
        for call, error in (
            (lambda: ours.register("Mine-v0", Mine), ValueError),
            (lambda: ours.register("CartPole-v1", Mine), ValueError),
            (lambda: ours.register("", Mine), ValueError),
            (lambda: ours.register(3, Mine), TypeError),
            (lambda: ours.register("Other-v0", 3), TypeError),
        ):
            with pytest.raises(error):
                call()
    finally:
        ours._factories.clear()
    ours.register("Nothing-v0", object)
    try:
        with pytest.raises(
            TypeError, match=r"^\[Nothing-v0\] factory: .* gymnax's interface, got object without default_params"
        ):
            ours.make("Nothing-v0")
    finally:
        ours._factories.clear()
    with pytest.raises(ValueError, match="expected a registered id"):
        ours.make("Mine-v0")
    with pytest.raises(TypeError, match="unknown option 'step_values'"):
        ours.make("CartPole-v1", step_values=5)


def test_copies_keep_the_interface():
    env, params = ours.make("CartPole-v1", gravity=3.0)
    for other in (copy.copy(env), copy.deepcopy(env)):
        assert type(other) is ours.Environment and repr(other) == repr(env)
        assert other.default_params.gravity == 3
        assert len(other.step(KEY, env.reset(KEY, params)[1], 0, params)) == 6


GYMNAX_IDS = [
    task_id
    for task_id in ours.registered_envs
    if task_id.endswith(("-bsuite", "-misc", "-MinAtar"))
    or task_id in ("CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0", "MountainCarContinuous-v0")
]


@pytest.mark.parametrize("task_id", GYMNAX_IDS)
def test_a_scan_that_keeps_the_keys_of_info(task_id):
    """gymnax's wrapper for Brax begins with these entries, and a scan over its steps may not add any."""
    env, params = ours.make(task_id)
    obs, state = env.reset(KEY, params)
    info = {"terminated": False, "truncated": False, "discount": jnp.array(1.0), "final_observation": obs}
    info = {name: jnp.asarray(value) for name, value in info.items()}
    if task_id == "FrozenLake-misc":
        info["p"] = jnp.array(1.0)  # as in gymnax, where a step adds this entry
    action = env.action_space(params).sample(KEY)

    def step(carry, _):
        state, info = carry
        batch = jax.tree.map(lambda array: array[None], state)
        many = env.step_batch(None, batch, jax.tree.map(lambda array: array[None], action), params)[-1]
        alone = env.step_env(KEY, state, action, params)[-1]
        _, state, *_, new = env.step(KEY, state, action, params)
        assert new.keys() == many.keys() == alone.keys()
        return (state, {**info, **new}), None

    jax.eval_shape(lambda carry: jax.lax.scan(step, carry, None, 3), (state, info))


class Wrapper:
    """Wraps an environment as users of gymnax do: it forwards attributes, and jits methods with a static `self`."""

    def __init__(self, env):
        self._env = env

    def __getattr__(self, name):
        return getattr(self._env, name)

    @functools.partial(jax.jit, static_argnames=("self",))
    def step(self, key, state, action, params=None):
        obs, state, reward, terminated, truncated, info = self._env.step(key, state, action, params)
        return obs, state, 2 * reward, terminated, truncated, info


def test_wrappers_inside_vmap_and_scan():
    env, params = ours.make("CartPole-v1")
    env = Wrapper(env)
    _, state = jax.vmap(env.reset, (0, None))(jax.random.split(KEY, 4), params)

    def step(state, key):
        _, state, reward, *ended, info = jax.vmap(env.step, (0, 0, 0, None))(
            jax.random.split(key, 4), state, jnp.ones(4, jnp.int32), params
        )
        return state, (reward, *ended, info["final_observation"])

    reward, terminated, truncated, final = jax.jit(lambda s: jax.lax.scan(step, s, jax.random.split(KEY, 30))[1])(state)
    assert (reward == 2).all() and terminated.any() and not truncated.any() and final.shape == (30, 4, 4)


# ---- comparison with gymnax 1 itself ----

# In these environments of gymnax, the dtype of an observation differs from the dtype of its space, or a reward has
# another dtype than most rewards.
OTHER_DTYPES = {
    "FourRooms-misc": ("obs", "reward"),
    "BernoulliBandit-misc": ("reward",),
    "UmbrellaChain-bsuite": ("reward",),
    "Catch-bsuite": ("observation_space",),
}
# Our randomize_actions has bsuite's default, and our time limit is gymnax 0.0.9's, which no episode of DeepSea reaches.
OTHER_DEFAULTS = {"DeepSea-bsuite": ("randomize_actions", "max_steps_in_episode")}
# This environment of gymnax has a name that is not its registered id.
OTHER_NAMES = {"DiscountingChain-bsuite": "DiscountingChain-v0"}
NOT_OURS = {"MNISTBandit-bsuite"}  # gymnax downloads its images.


@beside_gymnax_1
def test_the_recorded_interface_equals_gymnax_1():
    import gymnax
    from gymnax.environments.environment import Environment

    assert {*MODULE} >= {*gymnax.__all__}
    public = {name for name in vars(Environment) if not name.startswith("_")}
    assert public == {*METHODS, *PROPERTIES}
    for name, arguments in METHODS.items():
        assert list(inspect.signature(getattr(Environment, name)).parameters)[1:] == arguments, name
    assert {*gymnax.registered_envs} - {*ours.registered_envs} == NOT_OURS


def shared_ids():
    import gymnax

    return [task_id for task_id in gymnax.registered_envs if task_id in ours.registered_envs]


@beside_gymnax_1
@pytest.mark.parametrize("task_id", shared_ids() if HAS_GYMNAX_1 else [])
def test_equal_to_gymnax_1(task_id):
    import gymnax

    (env, params), (other, other_params) = ours.make(task_id), gymnax.make(task_id)
    excused = OTHER_DTYPES.get(task_id, ())
    for name in ("action_space", "observation_space", "state_space"):
        mine, theirs = getattr(env, name)(params), getattr(other, name)(other_params)
        assert type(mine) is type(theirs), name
        if name == "state_space":
            assert "time" in mine.spaces
            continue
        assert mine.shape == theirs.shape, name
        assert mine.dtype == theirs.dtype or name in excused, name
        assert getattr(mine, "n", None) == getattr(theirs, "n", None)
    assert env.name == task_id and other.name == OTHER_NAMES.get(task_id, task_id)
    assert env.num_actions == other.num_actions
    shared = {name for name in vars(other_params) if name in params.format.names} | {"max_steps_in_episode"}
    for name in shared - {*OTHER_DEFAULTS.get(task_id, ())}:
        np.testing.assert_allclose(getattr(params, name), getattr(other_params, name), rtol=1e-6, err_msg=name)

    action = other.action_space(other_params).sample(KEY)
    state, their_state = env.reset(KEY, params)[1], other.reset(KEY, other_params)[1]
    calls = {
        "step": (KEY, "state", action, "params"),
        "step_env": (KEY, "state", action, "params"),
        "reset": (KEY, "params"),
        "reset_env": (KEY, "params"),
        "observe": (KEY, "state", action, "params"),
        "is_truncated": ("state", "params"),
        "is_terminated": ("state", "params"),
        "is_terminal": ("state", "params"),
        "discount": ("state", "params"),
    }
    for name, arguments in calls.items():
        mine = [{"state": state, "params": params}.get(a, a) if isinstance(a, str) else a for a in arguments]
        theirs = [
            {"state": their_state, "params": other_params}.get(a, a) if isinstance(a, str) else a for a in arguments
        ]
        try:
            expected = getattr(other, name)(*theirs)
        except NotImplementedError:
            continue
        got = getattr(env, name)(*mine)
        if not isinstance(expected, tuple):
            expected, got = (expected,), (got,)
        assert len(got) == len(expected), name
        for which, (value, wanted) in enumerate(zip(got, expected, strict=True)):
            if isinstance(wanted, dict):
                assert wanted.keys() <= value.keys(), name
                assert name != "step" or value.keys() <= {*wanted, "discount"}
            elif not hasattr(wanted, "time"):
                assert np.shape(value) == np.shape(wanted), (name, which)
                what = "reward" if which == 2 else "obs" if which == 0 and np.shape(wanted) else ""
                same = jnp.asarray(value).dtype == jnp.asarray(wanted).dtype
                assert same or what in excused, (name, which, jnp.asarray(value).dtype, jnp.asarray(wanted).dtype)


LAKES = [
    {},
    {"map_name": "8x8"},
    {"desc": ["FFSF", "HFFH", "FFGF"], "success_rate": 0.7, "reward_schedule": (2.0, -1.0, -0.25)},
    {"desc": ["S" + "F" * 7, *["F" * 8] * 6, "F" * 7 + "G"]},
]


def frozen_lakes(options):
    """Returns our FrozenLake-misc and gymnax's, each with its parameters."""
    import gymnax

    return *ours.make("FrozenLake-misc", **options), *gymnax.make("FrozenLake-misc", **options)


@beside_gymnax_1
@pytest.mark.parametrize("options", LAKES)
def test_episodes_of_frozen_lake_equal_those_of_gymnax_1(options):
    """Without slippery ground, nothing is random, so all values of whole episodes are equal."""
    env, params, other, other_params = frozen_lakes({**options, "is_slippery": False})
    assert params.max_steps_in_episode == other_params.max_steps_in_episode
    actions = np.random.default_rng(0).integers(0, 4, 3000, np.int32)
    actions[1000:1500] = 0  # the agent stays at the edge until the time limit
    (obs, state), (their_obs, their_state) = env.reset(KEY, params), other.reset(KEY, other_params)
    assert obs == their_obs

    def play(one, parameters, state):
        def step(state, action):
            obs, state, *more, info = one.step(KEY, state, action, parameters)
            return state, (obs, *more, info["final_observation"], info["terminated"], info["truncated"], info["p"])

        return jax.jit(lambda state: jax.lax.scan(step, state, actions)[1])(state)

    played, expected = play(env, params, state), play(other, other_params, their_state)
    for mine, theirs in zip(played, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    _, _, terminated, truncated, *_ = expected
    assert terminated.sum() > 3 and truncated.sum() > 1


@beside_gymnax_1
@pytest.mark.parametrize("options", LAKES)
def test_slips_of_frozen_lake_equal_those_of_gymnax_1(options):
    """All states with all actions have the same outcomes as in gymnax, with the same frequencies."""
    env, params, other, other_params = frozen_lakes(options)
    _, state = env.reset(KEY, params)
    _, their_state = other.reset(KEY, other_params)
    cells, count = other.n_states, 300
    columns = other.ncol
    position, action = (x.ravel() for x in jnp.meshgrid(jnp.arange(cells), jnp.arange(4)))
    keys = jax.random.split(KEY, (len(position), count))

    def outcomes(step):
        of_each = jax.jit(jax.vmap(lambda p, a, key: jax.vmap(lambda k: step(p, a, k))(key)))
        obs, reward, terminated, p = map(np.asarray, of_each(position, action, keys))
        return [
            collections.Counter(zip(*map(np.ndarray.tolist, row), strict=True))
            for row in zip(obs, reward, terminated, p, strict=True)
        ]

    def our_step(position, action, key):
        at = state.replace(row=position // columns, column=position % columns)
        obs, _, reward, terminated, info = env.step_env(key, at, action, params)
        return obs, reward, terminated, info["p"]

    def their_step(position, action, key):
        at = their_state.replace(position=position)
        obs, _, reward, terminated, info = other.step_env(key, at, action, other_params)
        return obs, reward, terminated, info["p"]

    mine, theirs = outcomes(our_step), outcomes(their_step)
    pvalues = []
    for one, two in zip(mine, theirs, strict=True):
        assert one.keys() == two.keys()
        if len(one) > 1:
            pvalues.append(stats.chi2_contingency([[counts[key] for key in one] for counts in (one, two)]).pvalue)
    assert len(pvalues) > 20
    assert min(pvalues) > SMALLEST_P / len(pvalues)


@beside_gymnax_1
def test_gymnax_1_wrappers():
    wrappers = ours.wrappers
    env, params = ours.make("CartPole-v1")
    logged = wrappers.LogWrapper(wrappers.FlattenObservationWrapper(wrappers.StickyActionWrapper(env, 0.1)))
    _, state = jax.vmap(logged.reset, (0, None))(jax.random.split(KEY, 4), params)

    def step(state, key):
        keys = jax.random.split(key, 4)
        _, state, _, terminated, _, info = jax.vmap(logged.step, (0, 0, 0, None))(
            keys, state, jnp.ones(4, jnp.int32), params
        )
        return state, (terminated, info["returned_episode_lengths"])

    terminated, lengths = jax.jit(lambda s: jax.lax.scan(step, s, jax.random.split(KEY, 40))[1])(state)
    assert terminated.any() and lengths.max() in range(7, 30)

    legacy = wrappers.LegacyStepAPIWrapper(env)
    assert len(legacy.step(KEY, legacy.reset(KEY, params)[1], 0, params)) == 5
    gym = wrappers.GymnaxToGymWrapper(env)
    obs, _ = gym.reset(seed=3)
    assert gym.observation_space.contains(np.asarray(obs)) and len(gym.step(gym.action_space.sample())) == 5


@beside_gymnax_1
def test_the_examples_for_gymnax_1_on_the_migration_page():
    page = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none")) / "docs" / "migration.md"
    if not page.is_file():
        pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are")
    text = page.read_text()
    found = re.findall(
        r"gymnax 1; make test-jax .*?-->\n+```python\n(.*?)^```$.*?^```text\n(.*?)^```$", text, re.M | re.S
    )
    assert found
    for code, printed in found:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(code, page.name, "exec"), {})
        assert out.getvalue() == printed
