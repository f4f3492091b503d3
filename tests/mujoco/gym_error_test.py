# SPDX-License-Identifier: Apache-2.0
"""Tests errors about models, options and the installation, and valid custom models."""

import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import envpool
from tests.mujoco.gym_reference import MODULES, make
from tests.support.refusals import assert_refused

BALL = "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"
SLIDE = "<body name='b{}' pos='{} 0 0'><joint name='j{}' type='slide'/><geom size='.1'/></body>"
MESH = "<mujoco><asset><mesh name='m' file='nowhere.stl'/></asset></mujoco>"


def slides(joints, motors):
    bodies = "".join(SLIDE.format(i, i, i) for i in range(joints))
    actuators = "".join(f"<motor joint='j{i}'/>" for i in range(motors))
    return f"<mujoco><worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"


@pytest.mark.parametrize("task_id", [f"{name}-v{version}" for name in MODULES for version in (4, 5)])
def test_models_that_are_too_small(task_id):
    for model, words in (
        ("<mujoco/>", ["xml_file", "expected a model with at least", "positions (nq)", "0"]),
        (BALL, ["xml_file", "expected a model"]),
    ):
        assert_refused(make, task_id, {"xml_file": model}, ValueError, words)
    for joints in range(1, 12):
        try:
            pool = make(task_id, xml_file=slides(joints, 1))
        except ValueError as error:
            assert str(error).startswith(f"[{task_id}] "), error
            assert "expected a model" in str(error) or "main_body" in str(error), error
        else:
            with pool:
                pool.reset()
                pool.step(np.zeros((1, 1)))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", ["no file"]),
        ("no.xml", ["no file", "no.xml"]),
        ("/nowhere/no.xml", ["no file /nowhere/no.xml"]),
        ("/tmp", ["no file /tmp"]),
        ("<mujoco>", ["cannot load the model"]),
        ("<mujoco><foo/></mujoco>", ["unrecognized element"]),
        (MESH, ["nowhere.stl"]),
        ("<mujoco><include file='nowhere.xml'/></mujoco>", ["nowhere.xml"]),
        ("<robot/>", ["expected a model"]),
        ("<" + "x" * 100000, ["cannot load the model"]),
        (b"no.xml", ["no file"]),
        ("/nowhere/Robot.MJB", ["got the binary model '/nowhere/Robot.MJB'", "pass its XML"]),
    ],
    ids=repr,
)
def test_invalid_models(source, words):
    assert_refused(make, "Ant-v5", {"xml_file": source}, ValueError, ["xml_file", *words])


def test_custom_models(tmp_path, monkeypatch):
    (tmp_path / "my ant.xml").write_text(slides(3, 2))
    monkeypatch.chdir(tmp_path)
    for source in (str(tmp_path / "my ant.xml"), "./my ant.xml", pathlib.Path(tmp_path, "my ant.xml"), slides(3, 2)):
        with make("Ant-v5", xml_file=source, terminate_when_unhealthy=False) as pool:
            assert pool.reset()[0].shape == (1, 3 + 3 - 2 + 6 * 3)
            # A motor without a range takes any value.
            assert np.array_equal(pool.action_space.high, [np.inf, np.inf])
            assert pool.step(np.full((1, 2), 100.0))[0].shape == (1, 22)


@pytest.mark.parametrize(
    ("task_id", "options", "error", "words"),
    [
        ("Ant-v5", {"main_body": "nobody"}, ValueError, ["main_body", "0 to 13", "'nobody'"]),
        ("Ant-v5", {"main_body": 14}, ValueError, ["main_body", "14"]),
        ("Ant-v5", {"main_body": -1}, ValueError, ["main_body", "-1"]),
        ("Ant-v5", {"main_body": 10**5000}, ValueError, ["main_body: expected", "cannot be printed"]),
        ("Ant-v5", {"main_body": ""}, ValueError, ["main_body"]),
        ("Ant-v5", {"main_body": 1.5}, TypeError, ["main_body", "1.5"]),
        ("Ant-v5", {"healthy_z_range": 3.0}, TypeError, ["healthy_z_range", "a pair of numbers", "3.0"]),
        ("Ant-v5", {"healthy_z_range": (1, 2, 3)}, TypeError, ["healthy_z_range", "a pair of numbers"]),
        ("Ant-v5", {"healthy_z_range": "ab"}, TypeError, ["healthy_z_range", "a pair of numbers"]),
        ("Ant-v5", {"healthy_z_range": (10**5000,)}, TypeError, ["healthy_z_range: expected", "cannot be printed"]),
        ("Ant-v5", {"healthy_z_range": ("a", "b")}, TypeError, ["healthy_z_min", "a number"]),
        ("Ant-v5", {"healthy_z_range": (0, float("nan"))}, ValueError, ["healthy_z_max", "nan"]),
        ("Ant-v5", {"healthy_z_range": (0, 1), "healthy_z_min": 0}, ValueError, ["healthy_z_range", "the same option"]),
        ("Ant-v5", {"foo_range": (0, 1)}, TypeError, ["unknown option 'foo_range'"]),
        ("Hopper-v5", {"frame_skip": 0}, ValueError, ["frame_skip", "from 1"]),
        ("Hopper-v5", {"reset_noise_scale": -1}, ValueError, ["reset_noise_scale"]),
        ("Pusher-v5", {"cylinder_x_range": (-float("inf"), 0)}, ValueError, ["cylinder_x", "finite"]),
        ("Reacher-v5", {"reward_dist_weight": 1, "dist_cost_weight": 1}, ValueError, ["reward_dist_weight"]),
    ],
)
def test_invalid_options(task_id, options, error, words):
    assert_refused(make, task_id, options, error, words)
    assert_refused(envpool.make_gymnasium, task_id, options, error, words)


def test_more_constraint_forces_than_velocities():
    task_id, options = "InvertedDoublePendulum-v5", {"constraint_obs_dim": 4}
    assert_refused(make, task_id, options, ValueError, ["xml_file", "4 velocities"])
    assert_refused(envpool.make_gymnasium, task_id, options, ValueError, ["constraint_obs_dim", "from 0 to 3"])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"backend": "libmujoco"}, ValueError, ["backend: expected 'envpool' or 'mujoco', got 'libmujoco'"]),
        ({"backend": None}, TypeError, ["backend: expected 'envpool' or 'mujoco', got None"]),
        ({"backend": "envpool", "frame_stack": 2}, ValueError, ["frame_stack=2 needs MuJoCo's library"]),
        (
            {"backend": "envpool", "xml_file": "hopper.xml"},
            ValueError,
            ["xml_file='hopper.xml' needs MuJoCo's library"],
        ),
        ({"frame_stack": "2"}, TypeError, ["frame_stack: expected an int"]),
        (
            {"from_pixels": True, "device": "cuda"},
            ValueError,
            ["device: expected 'cpu'", "from_pixels=True needs MuJoCo's library, which is not portable"],
        ),
        ({"num_envs": 2, "env_options": [{"backend": "mujoco"}, {}]}, ValueError, ["backend: expected one value"]),
    ],
)
def test_invalid_backends(options, error, words):
    assert_refused(envpool.make_gymnasium, "Ant-v5", options, error, words)


def test_options_choose_the_backend():
    for options in ({}, {"frame_stack": 1}, {"xml_file": "ant.xml"}, {"xml_file": "ant_envpool.xml"}):
        assert envpool.make_spec("Ant-v5", **options).config.backend == "envpool"
    for options in ({"frame_stack": 2}, {"from_pixels": True}, {"xml_file": slides(3, 2)}, {"backend": "mujoco"}):
        spec = envpool.make_spec("Ant-v5", **options)
        assert spec.config.backend == "mujoco"
        assert envpool.make_spec("Ant-v5", **spec.config._asdict()).config == spec.config
    assert_refused(envpool.make_gymnasium, "Pusher-v5", {"backend": "envpool"}, ValueError, ["expected 'mujoco'"])


def run(code, **environment):
    code = "import sys, envpool\n" + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


MAKE = """
try:
    envpool.make_gymnasium("Ant-v5", backend="mujoco")
except RuntimeError as error:
    print(error)
assert envpool.make_gymnasium("CartPole-v1").reset()  # the other families still work
"""


UNSTABLE = """
import numpy as np
pool = envpool.make_gymnasium("HalfCheetah-v5", backend="mujoco", frame_skip=1000, num_envs=4)
pool.reset()
for _ in range(5):
    pool.step(np.full((4, 6), 1e300))
print(os.listdir())
"""


def test_mujoco_is_not_installed():
    output = run(
        """
        import importlib.machinery
        find = importlib.machinery.PathFinder.find_spec
        importlib.machinery.PathFinder.find_spec = lambda name, *rest: None if name == "mujoco" else find(name, *rest)
        """
        + textwrap.indent(MAKE, " " * 8)
    )
    assert output == "[Ant-v5] needs MuJoCo, which is not installed: pip install mujoco==3.17.0"


@pytest.mark.parametrize(
    ("library", "words"),
    [
        (
            "libmujoco.so.3.2.1",
            ["needs MuJoCo 3.17.0 or 4.0.0, found 3.2.1: install it with: pip install mujoco==3.17.0"],
        ),
        ("libmujoco.so.4.0.1", ["needs MuJoCo 3.17.0 or 4.0.0, found 4.0.1: "]),
        ("libmujoco.so", ["needs MuJoCo 3.17.0 or 4.0.0, found none: "]),
        ("libmujoco.so.3.17.0", ["cannot load", "3.17.0"]),
        ("libmujoco.so.4.0.0", ["cannot load", "4.0.0"]),
    ],
)
def test_another_version_of_mujoco(library, words, tmp_path):
    (tmp_path / "mujoco").mkdir()
    (tmp_path / "mujoco" / "__init__.py").touch()
    (tmp_path / "mujoco" / library).write_text("no library")
    output = run(f"sys.path.insert(0, {str(tmp_path)!r})\n" + MAKE)
    assert output.startswith("[Ant-v5] ")
    for word in words:
        assert word in output


def test_warnings_of_mujoco_are_suppressed(tmp_path):
    # MuJoCo would write warnings of an unstable simulation to the terminal and to a file in the working directory.
    output = run(f"import os; os.chdir({str(tmp_path)!r})\n" + UNSTABLE)
    assert output == "[]"
