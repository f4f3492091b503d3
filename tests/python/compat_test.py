# SPDX-License-Identifier: Apache-2.0
"""Tests the classes that EnvPool's scripts import from families."""

import copy
import importlib
import pickle
import subprocess
import sys

import dm_env
import gymnasium
import numpy as np
import pytest

import envpool
from envpool.python.compat.import_paths import import_paths
from envpool.python.registry import find

# The prefixes of the class names of each family in the released EnvPool 1.2.5, in order.
THEIRS = {
    "envpool.atari": ["Atari"],
    "envpool.classic_control": ["CartPole", "Pendulum", "MountainCar", "MountainCarContinuous", "Acrobot"],
    "envpool.toy_text": ["Catch", "FrozenLake", "Taxi", "NChain", "CliffWalking", "Blackjack"],
    "envpool.mujoco.gym": ["GymAnt", "GymAntPixel", "GymHalfCheetah", "GymHalfCheetahPixel", "GymHopper"],
    "envpool.mujoco.dmc": ["DmcAcrobot", "DmcAcrobotPixel", "DmcBallInCup", "DmcBallInCupPixel", "DmcCartpole"],
}


@pytest.mark.parametrize("module", THEIRS)
def test_all_lists_names_in_the_order_of_envpool(module):
    names = [name + kind for name in THEIRS[module] for kind in ("EnvSpec", "DMEnvPool", "GymnasiumEnvPool")]
    assert importlib.import_module(module).__all__[: len(names)] == names
    assert set(names) <= set(dir(importlib.import_module(module)))
    scope = {}
    exec(f"from {module} import *", scope)
    assert set(names) <= scope.keys()


def test_all_of_the_package():
    theirs = ["register", "make", "make_dm", "make_gym", "make_gymnasium", "make_spec", "list_all_envs"]
    theirs += ["EnvSpec", "EnvPool", "DMEnvPool", "GymnasiumEnvPool"]
    assert envpool.__all__[: len(theirs)] == theirs
    assert all(hasattr(envpool, name) for name in envpool.__all__)


@pytest.mark.parametrize("task_id", [name for name in envpool.list_all_envs() if find(name).family])
def test_every_id_has_its_classes(task_id):
    places = import_paths(find(task_id))
    assert places
    for module, name, _ in places:
        for kind in ("EnvSpec", "DMEnvPool", "GymnasiumEnvPool", "GymEnvPool"):
            assert isinstance(getattr(importlib.import_module(module), name + kind), type)


def test_a_spec_and_its_pools():
    from envpool.classic_control import CartPoleDMEnvPool, CartPoleEnvSpec, CartPoleGymEnvPool, CartPoleGymnasiumEnvPool

    config = CartPoleEnvSpec.gen_config(num_envs=3, seed=7)
    assert (config.num_envs, config.batch_size, config.num_threads, config.seed) == (3, 0, 0, 7)
    spec = CartPoleEnvSpec(config)
    assert spec.config.num_envs == 3
    assert spec.config.max_episode_steps == 2**31 - 1
    ours = envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=7)
    pool = CartPoleGymnasiumEnvPool(spec)
    assert isinstance(pool, gymnasium.vector.VectorEnv)
    assert np.array_equal(pool.reset()[0], ours.reset()[0])
    assert np.array_equal(CartPoleDMEnvPool(spec).reset().observation.obs, pool.reset(seed=7)[0])
    assert isinstance(CartPoleDMEnvPool(spec), dm_env.Environment)
    assert isinstance(CartPoleGymEnvPool(spec), type(envpool.make_gym("CartPole-v1")))


def test_pools_and_specs_are_instances_of_these_classes():
    from envpool.classic_control import CartPoleDMEnvPool, CartPoleEnvSpec, CartPoleGymnasiumEnvPool, PendulumEnvSpec

    spec, pool = envpool.make_spec("CartPole-v1"), envpool.make_gymnasium("CartPole-v0")
    assert isinstance(spec, CartPoleEnvSpec) and not isinstance(spec, PendulumEnvSpec)
    assert isinstance(pool, CartPoleGymnasiumEnvPool) and not isinstance(pool, CartPoleDMEnvPool)
    assert isinstance(envpool.make_dm("CartPole-v0"), CartPoleDMEnvPool)
    assert isinstance(CartPoleGymnasiumEnvPool(spec), CartPoleGymnasiumEnvPool)
    assert not isinstance(3, CartPoleEnvSpec)
    assert CartPoleGymnasiumEnvPool(envpool.make_spec("CartPole-v1", num_envs=2)).spec.id == "CartPole-v1"

    class Mine(CartPoleGymnasiumEnvPool):
        pass

    assert isinstance(Mine(spec), Mine) and not isinstance(pool, Mine)


def test_pixel_observations_have_their_own_classes():
    from envpool.mujoco.gym import GymHalfCheetahEnvSpec, GymHalfCheetahPixelEnvSpec

    spec, pixels = envpool.make_spec("HalfCheetah-v4"), envpool.make_spec("HalfCheetah-v4", from_pixels=True)
    assert isinstance(spec, GymHalfCheetahEnvSpec) and not isinstance(spec, GymHalfCheetahPixelEnvSpec)
    assert isinstance(pixels, GymHalfCheetahPixelEnvSpec) and not isinstance(pixels, GymHalfCheetahEnvSpec)
    assert GymHalfCheetahPixelEnvSpec(GymHalfCheetahPixelEnvSpec.gen_config()).observation_space.shape == (3, 84, 84)


def test_copies():
    from envpool.classic_control import CartPoleEnvSpec, CartPoleGymnasiumEnvPool

    pool = CartPoleGymnasiumEnvPool(CartPoleEnvSpec(CartPoleEnvSpec.gen_config(num_envs=2)))
    for other in (pickle.loads(pickle.dumps(pool)), copy.deepcopy(pool)):
        assert type(other) is CartPoleGymnasiumEnvPool
        assert np.array_equal(other.reset()[0], pool.reset(seed=42)[0])
    assert pickle.loads(pickle.dumps(CartPoleEnvSpec)) is CartPoleEnvSpec
    assert isinstance(pickle.loads(pickle.dumps(pool.spec)), CartPoleEnvSpec)


def test_default_options_of_a_class():
    from envpool.atari import AtariEnvSpec
    from envpool.mujoco.dmc import DmcAcrobotEnvSpec, DmcCheetahEnvSpec

    assert AtariEnvSpec.gen_config().task == "pong"
    assert DmcCheetahEnvSpec.gen_config().task_name == "run"
    assert DmcAcrobotEnvSpec.gen_config().domain_name == "acrobot"


@pytest.mark.parametrize("kind", ["DMEnvPool", "GymnasiumEnvPool"])
@pytest.mark.parametrize("spec", [3, None, "CartPole-v1", envpool.make_spec("Pendulum-v1")])
def test_wrong_specs(kind, spec):
    pool_class = getattr(importlib.import_module("envpool.classic_control"), "CartPole" + kind)
    with pytest.raises(TypeError, match=r"\[envpool.classic_control.CartPole.*spec: expected a CartPoleEnvSpec, got "):
        pool_class(spec)


@pytest.mark.parametrize(
    ("config", "error", "words"),
    [
        (3, TypeError, r"\[envpool.classic_control.CartPoleEnvSpec\] config: expected .*gen_config, got 3"),
        (None, TypeError, "config: expected"),
        ({"num_envs": 0}, ValueError, "num_envs: expected"),
        ({"wheels": 4}, TypeError, "unknown option 'wheels'"),
    ],
)
def test_wrong_configs(config, error, words):
    from envpool.classic_control import CartPoleEnvSpec

    with pytest.raises(error, match=words):
        CartPoleEnvSpec(config)


def test_unknown_names():
    for module in ("envpool.classic_control", "envpool.mujoco.gym", "envpool"):
        for name in ("LunarLanderEnvSpec", "CartPole", "CartPoleEnv", "_CartPoleEnvSpec", "EnvPools"):
            with pytest.raises(AttributeError, match=name):
                getattr(importlib.import_module(module), name)
    with pytest.raises(ImportError, match="gfootball"):
        importlib.import_module("envpool.gfootball")


def test_the_registry():
    registry = envpool.registration.registry
    assert registry.list_all_envs() == envpool.list_all_envs()
    assert registry.specs.keys() == registry.envpools.keys() == set(envpool.list_all_envs())
    module, name, options = registry.specs["Pong-v5"]
    assert (module, name) == ("envpool.atari", "AtariEnvSpec")
    assert options.items() >= {"task": "pong", "max_episode_steps": 27000}.items()
    assert registry.envpools["CheetahRun-v1"] == {
        "dm": ("envpool.mujoco.dmc", "DmcCheetahDMEnvPool"),
        "gymnasium": ("envpool.mujoco.dmc", "DmcCheetahGymnasiumEnvPool"),
    }
    assert registry.make("CartPole-v1", "dm").spec.id == "CartPole-v1"
    assert registry.make_spec("CartPole-v1").reward_threshold == 475.0
    with pytest.raises(AttributeError, match="wheels"):
        registry.wheels  # noqa: B018


def test_registrations():
    code = (
        "import envpool; games = envpool.atari.registration.atari_game_list;"
        "print(len(games), games[:2], envpool.mujoco.gym.__name__)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "104 ['adventure', 'air_raid'] envpool.mujoco.gym"
    from envpool.mujoco.dmc.registration import dmc_mujoco_envs
    from envpool.mujoco.gym.registration import gym_mujoco_envs

    assert gym_mujoco_envs[0] == ("Ant", ("v3", "v4", "v5"), 1000)
    assert dmc_mujoco_envs[0] == ("acrobot", "swingup", 1000)


def test_helpers():
    from envpool.python import DMEnvPool, EnvPool, EnvSpec, GymnasiumEnvPool, api, data, lax

    assert isinstance(envpool.make("CartPole-v1"), (EnvPool, GymnasiumEnvPool, lax.XlaMixin))
    assert (api.EnvSpec, api.DMEnvPool) == (EnvSpec, DMEnvPool)
    with pytest.raises(TypeError, match="envpool.compile"):
        api.py_env(int, float)
    assert data.to_nested_dict({"a.b": 1, "a.c": 2, "d": 3}) == {"a": {"b": 1, "c": 2}, "d": 3}
    assert repr(data.to_namedtuple("S", {"a": {"b": 1}, "d": 3})) == "S(a=a(b=1), d=3)"
    for task_id in ("CartPole-v1", "Pendulum-v1"):
        spec = envpool.make_spec(task_id)
        obs, action = spec.state_array_spec["obs"], spec.action_array_spec["action"]
        assert data.gymnasium_spec_transform("obs", obs, "observation") == spec.observation_space
        assert data.gym_spec_transform("action", action, "act") == spec.action_space
        assert data.dm_spec_transform("action", action, "act") == spec.action_spec()
    with pytest.raises(ValueError, match="spec_type"):
        data.dm_spec_transform("action", action, "action")
