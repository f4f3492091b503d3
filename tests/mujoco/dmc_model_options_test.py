# SPDX-License-Identifier: Apache-2.0
"""Compares the Control Suite with dm_control whose models have other values of their fields (model_options_test.py)."""

import copy

import numpy as np
import pytest

import envpool
from tests.mujoco.dmc_test import Reference, same_observation, same_reward, suite
from tests.mujoco.model_reference import change, options_of, random_values

TASKS = [
    ("cheetah", "run"),
    ("walker", "walk"),
    ("finger", "spin"),  # its task changes the damping of a joint
    ("reacher", "easy"),  # its task changes the size of a geom, and its resets draw positions of geoms
    ("stacker", "stack_2"),  # its rewards depend on the size of a box
    ("swimmer", "swimmer6"),
    ("dog", "stand"),  # its reward depends on the weight and the heights of the initial state
]


def reference_of(domain, task):
    environment = suite.load(domain, task, task_kwargs={"random": 7})
    environment.reset()  # the task may change the model
    return Reference(domain, task, environment, copy.deepcopy(environment.physics.model.ptr))


@pytest.mark.parametrize(("domain", "task"), TASKS)
def test_changed_models_equal_those_of_dm_control(domain, task):
    rng = np.random.default_rng(4)
    reference = reference_of(domain, task)
    env = envpool.make_dm(reference.task_id, num_envs=2, seed=3)
    names = [name.removeprefix("model.") for name in env.options() if name.startswith("model.")]
    for _ in range(3):
        values = random_values(reference.model, rng, names)
        if domain == "finger":
            hinge = reference.physics.named.model.dof_damping._convert_key("hinge")
            values["dof_damping"][hinge] = 0.03  # which each reset of dm_control sets
        if domain in ("stacker", "finger"):  # dm_control draws states until nothing is in contact
            values = {name: value for name, value in values.items() if not name.startswith(("geom_", "body_", "site_"))}
            values["geom_size"] = reference.model.geom_size * 0.9
        if domain == "reacher":
            target = reference.physics.model.name2id("target", "geom")
            values["geom_size"][target] = reference.model.geom_size[target]  # which each reset of dm_control sets
        if domain == "dog":  # the heights of its initial state change, but it does not fall apart
            del values["body_quat"]
            values["body_pos"] = reference.model.body_pos.copy()
            values["body_pos"][reference.physics.model.name2id("pelvis", "body"), 2] -= 0.1
        env.set_options([0], **options_of(values))
        first = env.reset().observation
        for name, value in options_of(values).items():
            np.testing.assert_array_equal(env.options()[name][0], value, err_msg=name)
        reference = reference_of(domain, task)
        change(reference.physics.model.ptr, reference.physics.data.ptr, values)
        reference.set_to(env.snapshot(0))
        expected = reference.environment.task.get_observation(reference.physics)
        same_observation({name: getattr(first, name) for name in reference.names}, expected)
        spec = env.action_spec()
        for _ in range(4 if domain == "dog" else 20):
            action = rng.uniform(spec.minimum, spec.maximum, (2, *spec.shape))
            ours, expected = env.step(action), reference.environment.step(action[0])
            same_observation({name: getattr(ours.observation, name) for name in reference.names}, expected.observation)
            same_reward(ours.reward[0], expected.reward)


@pytest.mark.parametrize(
    ("task_id", "drawn"),
    [
        ("ManipulatorBringBall-v1", "body_pos"),
        ("FishSwim-v1", "geom_pos"),
        ("LqrLqr21-v1", "jnt_stiffness"),
        ("StackerStack2-v1", "body_pos"),
    ],
)
def test_fields_that_resets_draw_belong_to_the_state(task_id, drawn):
    with envpool.make_gymnasium(task_id) as pool:
        names = pool.options()
        assert "model.body_mass" in names
        if drawn is not None:
            assert f"model.{drawn}" not in names
        pool.reset(options={"model.body_mass": names["model.body_mass"] * 1.5})
        pool.step(np.zeros((1, *pool.action_space.shape)))


def test_models_that_are_set_back():
    action = np.full((2, 6), 0.5)
    with envpool.make_gymnasium("WalkerWalk-v1", num_envs=2, seed=2) as pool:
        made = pool.options()["model.dof_damping"]
        first = [pool.reset(seed=1)[0], *(pool.step(action)[0] for _ in range(20))]
        changed = [
            pool.reset(seed=1, options={"model.dof_damping": made * 2})[0],
            *(pool.step(action)[0] for _ in range(20)),
        ]
        again = [pool.reset(seed=1, options={"model.dof_damping": made})[0], *(pool.step(action)[0] for _ in range(20))]
    assert (first[-1]["velocity"] != changed[-1]["velocity"]).any()
    for ours, theirs in zip(again, first, strict=True):
        for name, value in theirs.items():
            np.testing.assert_array_equal(ours[name], value, err_msg=name)
