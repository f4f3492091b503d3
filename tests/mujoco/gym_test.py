# SPDX-License-Identifier: Apache-2.0
"""Tests that equal states and actions give the same bits as in gymnasium: observations, rewards, ends and infos.

gym_reference.py lists the values that may differ by a few ulps, with reasons. `make exact-mujoco` plays longer
episodes.
"""

import re
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import envpool
from tests.mujoco.gym_reference import IDS, compare, copy_state, differences, make, name_and_version, reference_env

WALKER = {
    "forward_reward_weight": 2.0,
    "ctrl_cost_weight": 0.3,
    "healthy_reward": 0.7,
    "healthy_z_range": (0.8, 1.24),
    "healthy_angle_range": (-0.1, 0.15),
    "exclude_current_positions_from_observation": False,
}
RUNNER = {
    "forward_reward_weight": 2.0,
    "ctrl_cost_weight": 0.3,
    "exclude_current_positions_from_observation": False,
    "reset_noise_scale": 0.3,
}
ANT = {
    "ctrl_cost_weight": 0.3,
    "contact_cost_weight": 0.01,
    "healthy_reward": 0.7,
    "healthy_z_range": (0.3, 0.9),
    "contact_force_range": (-3.0, 2.0),
    "exclude_current_positions_from_observation": False,
}
HUMANOID = {
    "forward_reward_weight": 2.0,
    "ctrl_cost_weight": 0.3,
    "healthy_reward": 0.7,
    "healthy_z_range": (1.1, 1.5),
    "exclude_current_positions_from_observation": False,
}
NARROW = {"include_cinert_in_observation": False, "include_qfrc_actuator_in_observation": False}
ON = {"terminate_when_unhealthy": False}
MORE = [
    ("Ant-v3", ANT | {"post_constraint": True}),
    ("Ant-v4", ANT | {"use_contact_forces": True}),
    ("Ant-v4", {"use_contact_forces": True} | ON),
    ("Ant-v5", ANT | {"frame_skip": 3, "main_body": "front_left_leg", "forward_reward_weight": 3.0}),
    ("Ant-v5", ON | {"include_cfrc_ext_in_observation": False, "main_body": 2}),
    ("HalfCheetah-v4", RUNNER),
    ("HalfCheetah-v5", RUNNER | {"frame_skip": 2}),
    ("Hopper-v4", WALKER | {"healthy_state_range": (-3.0, 3.0)}),
    ("Hopper-v5", WALKER | {"healthy_state_range": (-3.0, 3.0), "frame_skip": 7}),
    ("Hopper-v5", ON),
    ("Humanoid-v3", HUMANOID | {"post_constraint": True}),
    ("Humanoid-v4", HUMANOID | ON),
    ("Humanoid-v5", HUMANOID | {"contact_cost_weight": 1e-3, "contact_cost_range": (0.01, 0.5), "frame_skip": 2}),
    ("Humanoid-v5", NARROW | ON),
    ("Humanoid-v5", {"include_cvel_in_observation": False, "include_cfrc_ext_in_observation": False}),
    ("HumanoidStandup-v5", {"impact_cost_weight": 1e-3, "impact_cost_range": (1.0, 2.0), "ctrl_cost_weight": 0.4}),
    ("HumanoidStandup-v5", NARROW | {"exclude_current_positions_from_observation": False, "frame_skip": 3}),
    ("InvertedDoublePendulum-v5", {"healthy_reward": 3.0, "reset_noise_scale": 0.02, "frame_skip": 2}),
    ("InvertedPendulum-v5", {"reset_noise_scale": 0.1, "frame_skip": 1}),
    ("Pusher-v5", {"reward_near_weight": 2.0, "reward_dist_weight": 3.0, "reward_control_weight": 0.3}),
    ("Pusher-v5", {"xml_file": "pusher.xml", "frame_skip": 2}),
    ("Reacher-v5", {"reward_dist_weight": 3.0, "reward_control_weight": 0.3, "frame_skip": 4}),
    ("Swimmer-v4", RUNNER),
    ("Swimmer-v5", RUNNER | {"frame_skip": 2}),
    ("Walker2d-v4", WALKER | {"healthy_angle_range": (-0.4, 0.2)} | ON),
    ("Walker2d-v5", WALKER | {"xml_file": "walker2d.xml", "frame_skip": 2}),
]


@pytest.mark.parametrize("task_id", IDS)
def test_steps_equal_those_of_gymnasium(task_id):
    compared, wrong = compare(task_id, {}, episodes=4, steps=40)
    assert not wrong
    assert compared >= 10
    # If torques are beyond their range, their cost depends on the unclipped values, but MuJoCo clips their effect.
    assert not compare(task_id, {}, episodes=2, steps=20, scale=3.0, seed=1)[1]


@pytest.mark.parametrize(("task_id", "options"), MORE, ids=lambda value: value if isinstance(value, str) else "")
def test_options_have_the_same_effect_as_in_gymnasium(task_id, options):
    assert not compare(task_id, options, episodes=3, steps=30)[1]


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("task_id", ["HalfCheetah-v5", "Swimmer-v4", "Humanoid-v5", "InvertedPendulum-v5"])
@pytest.mark.parametrize("scale", [1e10, 1e300])
def test_huge_actions_end_as_in_gymnasium(task_id, scale):
    assert not compare(task_id, {}, episodes=2, steps=10, scale=scale)[1]


@pytest.mark.parametrize("task_id", ["HalfCheetah-v5", "Ant-v5", "Hopper-v5"])
def test_unstable_physics_continues_as_in_gymnasium(task_id, tmp_path):
    # MuJoCo itself resets a simulation that has become unstable.
    file = {"HalfCheetah-v5": "half_cheetah", "Ant-v5": "ant", "Hopper-v5": "hopper"}[task_id] + ".xml"
    text = (Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / file).read_text()
    (tmp_path / file).write_text(re.sub(r'gear="\d+(\.\d+)?"', 'gear="1e9"', text))
    with reference_env(task_id, xml_file=str(tmp_path / file)) as reference:
        for _ in range(5):
            reference.step(np.ones(reference.model.nu))
        assert reference.data.warning.number.any()
    assert not compare(task_id, {"xml_file": str(tmp_path / file)}, episodes=3, steps=10)[1]


@pytest.mark.parametrize("task_id", IDS)
def test_the_comparison_detects_a_tiny_difference(task_id):
    # A difference of 1e-13 in a position must be visible within a few steps.
    action = np.full(envpool.make_spec(task_id, backend="mujoco").action_space.shape, 0.3)
    with reference_env(task_id) as reference, make(task_id, seed=5) as pool:
        pool.reset()
        copy_state(reference, pool)
        reference.data.qpos[0] += 1e-13
        assert any(differences(task_id, pool.step(action[None]), reference.step(action)) for _ in range(3))


@pytest.mark.parametrize("task_id", IDS)
def test_ids_match_gymnasium(task_id):
    ours = envpool.make_spec(task_id, backend="mujoco")
    name, version = name_and_version(task_id)
    registered = gymnasium.spec(f"{name}-v{max(version, 4)}")
    assert ours.reward_threshold == registered.reward_threshold
    assert ours.config.max_episode_steps == registered.max_episode_steps
    with reference_env(task_id) as reference:
        assert ours.observation_space.shape == reference._get_obs().shape
        # gymnasium's bounds are rounded to float32.
        assert np.array_equal(ours.action_space.low.astype(np.float32), reference.action_space.low)
        assert np.array_equal(ours.action_space.high.astype(np.float32), reference.action_space.high)
        assert ours.config.frame_skip == reference.frame_skip


def test_frames_are_stacked():
    with (
        make("Hopper-v5", num_envs=2, seed=3) as single,
        make("Hopper-v5", num_envs=2, seed=3, frame_stack=3) as stacked,
    ):
        action = np.full((2, 3), 0.5)
        seen = [single.reset()[0]] * 3
        assert np.array_equal(stacked.reset()[0], np.stack(seen, axis=1))
        for _ in range(5):
            seen.append(single.step(action)[0])
            state = stacked.snapshot(1)
            assert np.array_equal(stacked.step(action)[0], np.stack(seen[-3:], axis=1))
        stacked.restore(1, state)
        assert np.array_equal(stacked.step(action)[0][1], np.stack([frames[1] for frames in seen[-3:]]))


def test_version_4_can_be_selected_by_options():
    # Version 5 with the options of version 4 must behave like version 4.
    old = {"legacy_healthy_reward": True, "info_version": 4, "xml_file": "walker2d.xml"}
    with (
        make("Walker2d-v4", seed=3) as four,
        make("Walker2d-v5", seed=3, **old) as five,
    ):
        four.reset()
        five.reset()
        for _ in range(100):
            a, b = four.step(np.ones((1, 6))), five.step(np.ones((1, 6)))
            assert a[1] == b[1]
            assert sorted(a[4]) == sorted(b[4])
            assert np.array_equal(a[0], b[0])


def test_options_may_differ_between_environments():
    leaning = {"healthy_angle_range": (-9.0, 9.0)}
    each = [leaning, leaning | {"healthy_z_range": (0.9, 2.0), "reward_control_weight": 0.0}, {"reset_noise_scale": 0}]
    with pytest.raises(TypeError, match=r"\[Hopper-v5\] \[env_options\[1\]\] unknown option 'reward_control_weight'"):
        make("Hopper-v5", num_envs=3, env_options=each)
    del each[1]["reward_control_weight"]
    with make("Hopper-v5", num_envs=3, env_options=each) as pool:
        observation, _ = pool.reset()
        assert observation[2].tolist() == [1.25] + [0] * 10
        lowest = np.full(3, np.inf)
        for _ in range(200):
            observation, _, terminated, _, _ = pool.step(-np.ones((3, 3)))
            lowest = np.where(terminated, lowest, np.minimum(lowest, observation[:, 0]))
        assert lowest[1] > 0.9 > lowest[0] > 0.7


@pytest.mark.parametrize(
    "task_id", ["Ant-v4", "HumanoidStandup-v5", "Hopper-v3", "Pusher-v5", "Reacher-v4", "Swimmer-v4"]
)
def test_all_arrays_have_a_description(task_id):
    arrays = envpool.make_spec(task_id, backend="mujoco").arrays
    meanings = {array.name: array.doc for array in (*arrays.observations, *arrays.infos, *arrays.actions)}
    assert {"obs", "action"} <= set(meanings)
    assert not [name for name, meaning in meanings.items() if not meaning]


# EnvPool's package has copies of gymnasium's models under these names.
@pytest.mark.parametrize("name", ["half_cheetah", "ant", "humanoidstandup", "walker2d_v5", "pusher_v5"])
def test_envpools_names_of_models(name):
    task_id = {"half_cheetah": "HalfCheetah", "ant": "Ant", "humanoidstandup": "HumanoidStandup"}.get(name)
    task_id = (task_id or {"walker2d_v5": "Walker2d", "pusher_v5": "Pusher"}[name]) + "-v5"
    with (
        make(task_id, xml_file=f"{name}_envpool.xml", seed=3) as env,
        make(task_id, xml_file=f"{name}.xml", seed=3) as other,
    ):
        assert np.array_equal(env.reset()[0], other.reset()[0])
        action = np.full((1, *env.action_space.shape), 0.3)
        assert np.array_equal(env.step(action)[0], other.step(action)[0])
    for wrong in ("half_cat_envpool.xml", "_envpool.xml", f"assets/{name}_envpool.xml"):
        with pytest.raises(ValueError, match="xml_file: expected a model's file, got .*_envpool.xml"):
            make(task_id, xml_file=wrong)
