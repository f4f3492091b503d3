# SPDX-License-Identifier: Apache-2.0
"""Tests the registry: ids, aliases, and spaces of every registered environment."""

import re
import subprocess
import sys

import numpy as np
import pytest

import envpool
import tests.environments.registration  # registers the test environments
from envpool.plugins import declaration
from envpool.python.hints import _PACKAGES, _folded, hint
from tests.support.trajectories import is_here


@pytest.mark.sampled(one_in=6)
@pytest.mark.parametrize("task_id", [name for name in envpool.list_all_envs() if name != "Faulty-v0"])
def test_observations_are_in_the_space(task_id):
    if not is_here(task_id):
        pytest.skip("its package is not installed")  # virtual environments with other versions of gym lack some
    env = envpool.make_gymnasium(task_id, num_envs=2, num_threads=1)
    space = env.single_observation_space
    assert envpool.make_spec(task_id).observation_space == space
    env.action_space.seed(0)
    results = [env.reset()]
    rows = env.players().sum() if env.spec.arrays.actors > 1 else env.num_envs
    for _ in range(3):
        actions = [env.action_space.sample() for _ in range(rows)]
        batch = (
            {key: np.stack([action[key] for action in actions]) for key in actions[0]}
            if isinstance(actions[0], dict)
            else actions
        )
        results.append(env.step(batch))
    for result in results:
        for row in range(rows_of(result[0])):
            single = pick(result[0], row)
            assert space.contains(single), (row, single)


def rows_of(tree):
    return rows_of(next(iter(tree.values()))) if isinstance(tree, dict) else len(tree)


def pick(tree, row):
    return {key: pick(value, row) for key, value in tree.items()} if isinstance(tree, dict) else tree[row]


def test_import_loads_no_optional_package():
    code = (
        "import sys, envpool; envpool.list_all_envs();"
        "print([m for m in ('gymnasium', 'dm_env', 'gym', 'ale_py', 'numpy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_aliases_and_reward_thresholds():
    assert {"Counter-v1", "counter"} <= set(envpool.list_all_envs())
    assert envpool.make_spec("counter").reward_threshold == 5.0
    assert envpool.make_spec("counter").id == "Counter-v1"
    assert "counts its steps" in envpool.make_spec("Counter-v0").doc
    assert envpool.make_spec("counter", reward_threshold=7).reward_threshold == 7.0
    assert envpool.make_spec("Counter-v0").reward_threshold is None


def test_registrations_that_are_refused():
    with pytest.raises(
        ValueError, match=r"\[Counter-v0\] task_id: expected an id that is not registered yet, got 'Counter-v0'"
    ):
        envpool.register("Counter-v0", "x.so", "Counter")
    with pytest.raises(TypeError, match="plugin="):
        envpool.register("Other-v0", import_path="a", spec_cls="b", dm_cls="c", gymnasium_cls="d")
    with pytest.raises(TypeError, match="plugin"):
        envpool.register("Other-v0")
    for plugin, table, options, argument in (
        (4, "T", {}, "plugin: expected a path"),
        ("x.so", 5, {}, "table: expected a str"),
        ("x.so", "T", {"include": 6}, "include: expected a path"),
        ("x.so", "T", {"aliases": 7}, "aliases: expected a sequence of str"),
    ):
        with pytest.raises(TypeError, match=rf"^\[Other-v0\] {argument}, got \d$"):
            envpool.register("Other-v0", plugin, table, **options)
    for plugin, words in (("/nowhere/libabsent.so", "does not exist"), ("/", "is not a file")):
        with pytest.raises(
            FileNotFoundError, match=rf"^\[Absent-v0\] plugin: expected a shared object, got '{plugin}': {words}$"
        ):
            envpool.register("Absent-v0", plugin, "Absent")
    assert "Absent-v0" not in envpool.list_all_envs()


def test_a_plugin_that_is_removed_after_its_registration(tmp_path):
    plugin = tmp_path / "libabsent.so"
    plugin.touch()
    envpool.register("Absent-v0", plugin, "Absent")
    plugin.unlink()
    with pytest.raises(RuntimeError, match=r"\[Absent-v0\].*libabsent.so"):
        envpool.make("Absent-v0")


@pytest.mark.parametrize(
    ("reserved", "name", "words"),
    [
        ("RESERVED_OPTIONS", "colour", r"options\(\): 'colour' cannot be an option, because it is taken"),
        ("RESERVED_INFOS", "luck", r"spec\(\): 'luck' cannot be an info, because it is taken"),
    ],
)
def test_the_declaration_of_a_plugin_is_checked_when_it_is_loaded(reserved, name, words, monkeypatch):
    monkeypatch.setitem(getattr(declaration, reserved), name, "it is taken")
    envpool.register(f"Taken-{name}", tests.environments.registration.LIBRARY, "Counter")
    for make in (envpool.make, envpool.make_spec):
        with pytest.raises(RuntimeError, match=rf"^\[Taken-{name}\] {words}$"):
            make(f"Taken-{name}")


@pytest.mark.parametrize(
    ("defaults", "error", "words"),
    [
        ({"color": "green"}, TypeError, "unknown option 'color'; did you mean 'colour'"),
        ({"colour": "loud"}, ValueError, "colour: expected one of .*, got 'loud'"),
    ],
)
def test_defaults_that_a_plugin_does_not_have(defaults, error, words):
    task_id = f"Default-{next(iter(defaults.values()))}"
    envpool.register(task_id, tests.environments.registration.LIBRARY, "Counter", **defaults)
    with pytest.raises(error, match=rf"^\[{task_id}\] {words}"):
        envpool.make(task_id)


@pytest.mark.parametrize(
    ("task_id", "words"),
    [
        (
            "PongNoFrameskip-v4",
            ["'Pong-v5' is this game", "'ALE/Pong-v5' with frameskip=1 and repeat_action_probability=0"],
        ),
        (
            "Pong-ramDeterministic-v0",
            ["'Pong-v5' with obs_type='ram' is this game", "with frameskip=4, obs_type='ram'"],
        ),
        ("ALE/Pnog-v5", ["did you mean 'ALE/Pong-v5'"]),
        ("ALE/Pong-v4", ["did you mean 'ALE/Pong-v5'"]),
        ("CartPole", ["did you mean 'CartPole-v"]),
        ("envpool/CartPole-v9", ["did you mean 'CartPole-v"]),
        ("procgen:procgen-coinrun-v0", ["did you mean 'procgen-coinrun-v0'"]),
    ],
)
def test_hints(task_id, words):
    with pytest.raises(ValueError, match=re.escape(f"[{task_id}] task_id: expected a registered id")) as raised:
        envpool.make(task_id)
    for word in words:
        assert word in str(raised.value)


@pytest.mark.parametrize(
    ("task_id", "package"),
    [
        ("MyoHandReachRandom-v0", "MyoSuite"),
        ("myoElbowPose1D6MRandom-v0", "MyoSuite"),
        ("pgx/go_9x9", "pgx"),
        ("pgx/minatar-breakout", "pgx"),
        ("bridge_bidding", "pgx"),
        ("reach-v3", "Meta-World"),
        ("pick-place-wall-v2-goal-observable", "Meta-World"),
        ("Meta-World/MT10", "Meta-World"),
        ("MetaWorld/Reach-v3", "Meta-World"),
        ("brax/ant", "Brax"),
        ("brax-halfcheetah-v0", "Brax"),
        ("FetchPickAndPlaceDense-v4", "Gymnasium-Robotics"),
        ("AntMaze_UMaze-v5", "Gymnasium-Robotics"),
        ("academy_3_vs_1_with_keeper", "Google Research Football"),
        ("GFootball-11_vs_11_kaggle-SMM-v0", "Google Research Football"),
        ("SafetyPointGoal1-v0", "Safety-Gymnasium"),
    ],
)
def test_hints_name_packages_that_are_not_included(task_id, package):
    with pytest.raises(ValueError, match=re.escape(f"[{task_id}] task_id: expected a registered id")) as raised:
        envpool.make(task_id)
    assert f"the environments of {package} are not included" in str(raised.value)
    assert "did you mean" not in str(raised.value)


@pytest.mark.parametrize("package", _PACKAGES, ids=lambda package: package.name)
def test_no_registered_id_is_said_to_be_missing(package):
    whole = package.whole.split()
    found = [name for name in envpool.list_all_envs() if _folded(name) in whole]
    found += [name for name in envpool.list_all_envs() if _folded(name).startswith(tuple(package.starts.split()))]
    assert not found


def test_hints_follow_the_registered_ids():
    assert hint("LunarLander-v2", ["LunarLander-v3"]) == "did you mean 'LunarLander-v3'?"
    assert hint("LunarLander-v2", ["Pong-v5"]) == ""
    assert hint("pgx/mahjong", ["pgx/bridge_bidding"]) == (
        "the environments of pgx are not included, except for some such as 'pgx/bridge_bidding'"
    )
    assert (
        hint("Mahjong-v1", ["Hex-v1"]) == "the environments of pgx are not included, except for some such as 'Hex-v1'"
    )
    assert hint("PongNoFrameskip-v4", ["Freeway-v5"]) == ""
    assert hint("zzz", ["Pong-v5"]) == ""


@pytest.mark.parametrize("task_id", ["BipedalWalkerHard-v3", "LunarLanderContinous-v3", "VizdoomBasics-v1"])
def test_no_hint_says_that_families_of_ours_are_missing(task_id):
    with pytest.raises(ValueError, match="did you mean") as raised:
        envpool.make(task_id)
    assert "not included" not in str(raised.value)


def test_a_registration_that_fails_is_imported_again():
    """A process whose first look-up fails halfway must not keep half of the ids."""
    program = """
import importlib, sys
import envpool
from envpool.python import registry

real, broken = importlib.import_module, ["envpool.minatar.registration"]

def failing(name):
    if name in broken:
        registry.register_family("Half-v0", "minatar", "Half")
        raise MemoryError(name)
    return real(name)

importlib.import_module = failing
for _ in range(2):
    try:
        envpool.list_all_envs()
        sys.exit("expected an error")
    except MemoryError:
        pass
broken.clear()
ids = envpool.list_all_envs()
assert "MinAtar/Breakout-v0" in ids and "Taxi-v3" in ids and "Half-v0" not in ids
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
