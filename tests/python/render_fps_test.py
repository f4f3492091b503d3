# SPDX-License-Identifier: Apache-2.0
"""Compares `metadata["render_fps"]` with gymnasium's and dm_control's environments, for every id."""

import gymnasium
import pytest

import envpool
from envpool.python.construction import Construction
from envpool.python.registry import find, list_all_envs

pytest.importorskip("mujoco")
import envpool.mujoco.dmc.registration as dmc  # noqa: E402


def fps_of(task_id, **options):
    return Construction(find(task_id), options).arrays.render_fps


def of_gymnasium(task_id):
    """Returns the number that the class of gymnasium's environment has, or None; instances of MuJoCo's compute it."""
    spec = gymnasium.registry.get(task_id)
    if spec is None or str(spec.entry_point).startswith("envpool"):
        return None
    try:
        creator = gymnasium.envs.registration.load_env_creator(spec.entry_point)
    except (ImportError, AttributeError, gymnasium.error.Error):  # gymnasium knows the id, but no longer has the class
        return None
    return getattr(creator, "metadata", {}).get("render_fps")


def test_equal_to_gymnasium():
    compared = set()
    for task_id in list_all_envs():
        expected = of_gymnasium(task_id)
        # ale-py's 30 is not the speed of its games. gymnasium shows its tabular environments faster than the same ones of
        # toy_text, of which ours are aliases.
        if expected is None or task_id.startswith(("ALE/", "tabular/")):
            continue
        compared.add(find(task_id).family)
        assert fps_of(task_id) == expected, task_id
    assert compared >= {"classic_control", "toy_text", "box2d", "mujoco"}


def test_mujoco_of_gymnasium():
    checked = 0
    for task_id in list_all_envs():
        registration = find(task_id)
        ours = registration.family in ("mujoco", "robots") and task_id.endswith("-v5")
        if not ours or task_id not in gymnasium.registry:
            continue
        with gymnasium.make(task_id) as env:
            assert fps_of(task_id) == env.unwrapped.metadata["render_fps"], task_id
        checked += 1
    assert checked == 11
    assert fps_of("Ant-v5", frame_skip=1) == 100


def test_dm_control():
    suite = pytest.importorskip("dm_control.suite")
    for domain, (_, tasks) in dmc.TASKS.items():
        for task in tasks.split():
            expected = round(1 / suite.load(domain, task).control_timestep())
            assert fps_of(dmc.id_of(domain, task)) == expected, (domain, task)


@pytest.mark.parametrize(
    ("task_id", "options", "expected"),
    [
        ("Pong-v5", {}, 15),
        ("Pong-v5", {"frame_skip": 1}, 60),
        ("ALE/Pong-v5", {}, 15),
        ("MiniGrid-Empty-5x5-v0", {}, 10),
    ],
)
def test_other_families(task_id, options, expected):
    assert fps_of(task_id, **options) == expected


def test_every_interface():
    for task_id, expected in (("CartPole-v1", 50), ("Ant-v5", 20), ("Acrobot-v1", 15)):
        name = f"envpool/{task_id}"
        envs = [
            gymnasium.make(name),
            gymnasium.make_vec(name, num_envs=2),
            envpool.make_gymnasium(task_id),
            envpool.make_gym(task_id, step_api="classic"),
            envpool.make_dm(task_id),
        ]
        assert [env.metadata["render_fps"] for env in envs] == [expected] * 5


def test_pettingzoo():
    pytest.importorskip("pettingzoo")
    assert envpool.make_pettingzoo("TagGridWorld-v0").metadata["render_fps"] == 30


def test_gymnasiums_wrapper_for_vectors(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.wrappers.vector.HumanRendering(envpool.make_vec("CartPole-v1", num_envs=2, render_mode="rgb_array"))
    env.reset()
    env.close()
