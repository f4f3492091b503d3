# SPDX-License-Identifier: Apache-2.0
"""Tests fields of the model that differ between robots on our solver and change from episode to episode.

The expected results are those of MuJoCo's library, whose models have the same fields, followed by mj_setConst. Its bits
depend on the sine of the C library, so the library runs with ours, which is preloaded. tests/mujoco compares the library
with gymnasium.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import envpool
from tests.robots.field_episodes import random_fields
from tests.robots.model_library import run_with_our_sine
from tests.support.samples import DAY

ROBOTS: dict[str, dict[str, Any]] = {
    "Ant-v5": {"terminate_when_unhealthy": False},
    "HalfCheetah-v5": {},
    "Hopper-v5": {"terminate_when_unhealthy": False},
    "Humanoid-v4": {"terminate_when_unhealthy": False},
    "HumanoidStandup-v5": {"reset_noise_scale": 0.3},
    "InvertedDoublePendulum-v5": {},
    "InvertedPendulum-v5": {"reset_noise_scale": 1.0},
    "Reacher-v5": {},
    "Swimmer-v5": {},
    "Walker2d-v4": {"terminate_when_unhealthy": False},
    "Walker2d-v5": {"terminate_when_unhealthy": False},
}
MASS = "model.body_mass"


@pytest.mark.parametrize("task_id", ROBOTS)
def test_random_models_have_the_bits_of_the_library(task_id: str) -> None:
    pytest.importorskip("mujoco")
    comparison = [task_id, ROBOTS[task_id], 12, DAY]
    assert json.loads(run_with_our_sine("tests.robots.field_episodes", json.dumps([comparison]))) == []


@pytest.mark.parametrize("task_id", ["Ant-v5", "HalfCheetah-v5", "Humanoid-v5"])
def test_lanes_have_the_bits_of_single_robots(task_id: str) -> None:
    """Compares robots in lanes, some of which have the tables' model, with pools of one, which are stepped alone."""
    random = np.random.default_rng(DAY)
    with envpool.make(task_id, num_envs=7, num_threads=1, seed=DAY) as pool:
        single = [envpool.make(task_id, num_envs=1, first_stream=i, seed=DAY) for i in range(7)]
        fields = random_fields(pool.options(), random, 0)
        pool.set_options([1, 3, 4, 6], **{name: value[[1, 3, 4, 6]] for name, value in fields.items()})
        for i in (1, 3, 4, 6):
            single[i].set_options(**{name: value[i] for name, value in fields.items()})
        pool.reset()
        for one in single:
            one.reset()
        for _ in range(30):
            action = random.uniform(-1, 1, (7, *pool.action_space.shape)) * pool.action_space.high
            observations = pool.step(action)[0]
            for i, one in enumerate(single):
                assert one.step(action[i : i + 1])[0][0].tobytes() == observations[i].tobytes()
        for one in single:
            one.close()


def test_fields_are_arguments_of_make_and_of_each_environment() -> None:
    mass = np.linspace(1, 2, 8)
    random = np.random.default_rng(1)
    other: dict[str, Any] = {MASS: mass, "model.opt.gravity": [0, 0, -3]}
    with (
        envpool.make("HalfCheetah-v5", num_envs=2, seed=3, env_options=[{}, other]) as made,
        envpool.make("HalfCheetah-v5", num_envs=2, seed=3) as pool,
        envpool.make("HalfCheetah-v5", num_envs=1, seed=3, first_stream=1, **other) as alone,
    ):
        pool.set_options([1], **other)
        assert made.reset()[0].tobytes() == pool.reset()[0].tobytes()
        alone.reset()
        for _ in range(20):
            action = random.uniform(-1, 1, (2, 6))
            observation = made.step(action)[0]
            assert observation.tobytes() == pool.step(action)[0].tobytes()
            assert observation[1].tobytes() == alone.step(action[1:])[0][0].tobytes()


def test_models_that_are_set_back_have_the_first_bits() -> None:
    with envpool.make("Ant-v5", num_envs=4, seed=1) as plain, envpool.make("Ant-v5", num_envs=4, seed=1) as pool:
        made = {name: value for name, value in pool.options().items() if name.startswith("model.")}
        pool.reset(options={MASS: 2 * made[MASS]})
        assert (pool.options()[MASS] == 2 * made[MASS]).all()
        assert pool.reset(seed=8, options=made)[0].tobytes() == plain.reset(seed=8)[0].tobytes()
        for _ in range(10):
            action = np.full((4, 8), 0.4)
            assert pool.step(action)[0].tobytes() == plain.step(action)[0].tobytes()


def test_extreme_models_are_simulated() -> None:
    random = np.random.default_rng(DAY)
    for task_id in ("Ant-v5", "HalfCheetah-v5", "Swimmer-v5", "Reacher-v5"):
        with envpool.make(task_id, num_envs=4) as pool:
            made = {name: value for name, value in pool.options().items() if name.startswith("model.")}
            for name, value in made.items():
                for scale in (0, 1e-200, 1e-9, 1e6, 1e40, 1e200):
                    try:
                        pool.reset(options={**made, name: value * scale})
                    except ValueError:
                        continue
                    for _ in range(2):
                        pool.step(random.uniform(-1, 1, (4, *pool.action_space.shape)))


def test_parameters_of_gains_that_motors_do_not_read_are_zeros() -> None:
    random = np.random.default_rng(DAY)
    gains = random.normal(size=(3, 8, 10))
    first = np.where(np.arange(10) == 0, gains, 0.0)
    with envpool.make("Ant-v5", num_envs=3, seed=1) as pool, envpool.make("Ant-v5", num_envs=3, seed=1) as other:
        np.testing.assert_array_equal(pool.options()["model.actuator_gainprm"], np.tile(np.eye(10)[0], (3, 8, 1)))
        pool.reset(options={"model.actuator_gainprm": gains})
        other.reset(options={"model.actuator_gainprm": first})
        np.testing.assert_array_equal(pool.options()["model.actuator_gainprm"], first)
        for _ in range(10):
            action = random.uniform(-1, 1, (3, 8))
            assert pool.step(action)[0].tobytes() == other.step(action)[0].tobytes()


def test_gains_scale_forces_as_gears_do() -> None:
    random = np.random.default_rng(DAY)
    with envpool.make("Ant-v5", num_envs=2, seed=1) as gains, envpool.make("Ant-v5", num_envs=2, seed=1) as gears:
        made = gears.options()
        gains.reset(options={"model.actuator_gainprm": 0.5 * made["model.actuator_gainprm"]})
        gears.reset(options={"model.actuator_gear": 0.5 * made["model.actuator_gear"]})
        for _ in range(10):
            action = random.uniform(-1, 1, (2, 8))
            assert gains.step(action)[0].tobytes() == gears.step(action)[0].tobytes()


NUMBERS = r"expected an array of shape \(14,\), each element a number of at least 0"


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("body_mass", np.ones(13), ValueError, NUMBERS),
        ("body_mass", 1.0, ValueError, NUMBERS),
        ("body_mass", [1, 2, [3]], TypeError, NUMBERS),
        ("body_mass", "heavy", TypeError, NUMBERS + ", got 'heavy'"),
        ("body_mass", np.full(14, -1.0), ValueError, NUMBERS + ", got -1.0 in it"),
        ("body_mass", np.full(14, np.nan), ValueError, NUMBERS + ", got nan in it"),
        ("body_mass", np.full(14, np.inf), ValueError, NUMBERS + ", got inf in it"),
        ("body_mass", np.full(14, 1e308), ValueError, "expected values from which finite constants follow"),
        ("body_inertia", -np.ones((14, 3)), ValueError, "expected an array of shape"),
        ("geom_friction", -np.ones((14, 3)), ValueError, "expected an array of shape"),
        ("geom_friction", np.ones(14), ValueError, "expected an array of shape"),
        ("dof_damping", np.full(14, -0.1), ValueError, "expected an array of shape"),
        ("dof_armature", np.full(14, -0.1), ValueError, "expected an array of shape"),
        ("actuator_gear", np.ones((8, 1)), ValueError, "expected an array of shape"),
        ("actuator_gainprm", np.ones(8), ValueError, r"expected an array of shape \(8, 10\)"),
        ("actuator_gainprm", np.full((8, 10), np.nan), ValueError, "expected an array of shape.*, got nan in it"),
        ("actuator_gainprm", np.full((8, 10), -np.inf), ValueError, "expected an array of shape.*, got -inf in it"),
        ("opt.gravity", [0, 0, np.nan], ValueError, "expected an array of shape"),
        ("opt.gravity", [0, 0, np.inf], ValueError, "expected an array of shape"),
    ],
)
def test_bad_values_change_nothing(name: str, value: Any, error: type[Exception], words: str) -> None:
    with envpool.make_gymnasium("Ant-v5", num_envs=2, seed=1) as pool:
        pool.reset()
        made = pool.options()
        for call in (
            lambda: pool.set_options(**{f"model.{name}": value}),
            lambda: pool.reset(options={"model.opt.gravity": [1, 2, 3], f"model.{name}": value}),
            lambda: envpool.make_gymnasium("Ant-v5", **{f"model.{name}": value}),
        ):
            with pytest.raises(error, match=rf"^\[Ant-v5\] ((set_options|reset): )?model(\.{name})?: {words}"):
                call()
        pool.reset()
        for field, values in pool.options().items():
            np.testing.assert_array_equal(values, made[field], err_msg=field)


def test_singular_models_are_refused() -> None:
    zeros = {MASS: np.zeros(14), "model.body_inertia": np.zeros((14, 3))}
    words = "model: expected masses and inertias with which all joints have inertia, got a singular inertia matrix"
    with (
        envpool.make_gymnasium("Ant-v5", num_envs=3) as pool,
        pytest.raises(ValueError, match=rf"^\[Ant-v5\] set_options: {words} in environment 1$"),
    ):
        pool.set_options([1], **zeros)
    with pytest.raises(ValueError, match=rf"^\[Ant-v5\] {words}$"):
        envpool.make_gymnasium("Ant-v5", **zeros)


def test_other_fields_name_the_library() -> None:
    with envpool.make_gymnasium("Humanoid-v5") as pool:
        assert "model.actuator_gear" not in pool.options() and "model.jnt_stiffness" not in pool.options()
        more = "nvironments that are made with backend='mujoco' have more"
        with pytest.raises(TypeError, match=rf"^\[Humanoid-v5\] unknown option 'model.actuator_gear'; .*E{more}"):
            pool.set_options(**{"model.actuator_gear": np.ones((17, 6))})
        with pytest.raises(ValueError, match=rf"^\[Humanoid-v5\] options: expected .*, got 'model.body_pos'; e{more}"):
            pool.reset(options={"model.body_pos": np.ones((14, 3))})
    with pytest.raises(
        ValueError, match=r"^\[Ant-v5\] model.body_mass: expected an option of our own solver.*frame_stack=2"
    ):
        envpool.make_gymnasium("Ant-v5", frame_stack=2, **{MASS: np.ones(14)})
