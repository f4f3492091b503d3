# SPDX-License-Identifier: Apache-2.0
"""Tests fields of MuJoCo's models that differ between environments and change from episode to episode.

The expected results are those of gymnasium, dm_control and mj_step with models whose fields a user has set, followed by
mj_setConst.
"""

import copy
import pickle
import re

import gymnasium
import mujoco
import numpy as np
import pytest

import envpool
from tests.mujoco.gym_reference import copy_state, differences, make, reference_env
from tests.mujoco.model_reference import (
    FIELDS,
    RANGES,
    TURNED,
    change,
    names_of,
    options_of,
    random_values,
    read,
    stacked,
)

# A robot in which every field has an effect. MuJoCo does not compile its bodies as simple ones.
ROBOT = """
<mujoco>
  <option timestep="0.004" wind="1 0.5 0" density="1.2" viscosity="0.1" magnetic="0 0.1 0.5"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="box" pos="0 0 .25"><freejoint/><geom type="box" size=".1 .2 .3" pos=".01 0 0" euler="0 5 0"/></body>
    <body pos="1 0 1" gravcomp=".5">
      <joint name="shoulder" axis="0 1 0" damping=".1" stiffness="2" springref="20" frictionloss=".01" armature=".01"
             limited="true" range="-20 30"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
      <body pos=".3 0 0" quat="1 .1 0 0"><joint name="elbow" axis="0 1 0" damping=".1"/>
        <geom type="capsule" size=".05" fromto="0 0 0 .3 0 0.05"/><site name="tip" pos=".3 0 0"/></body>
    </body>
  </worldbody>
  <tendon><fixed name="string" stiffness="3" damping=".2"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-1"/>
  </fixed></tendon>
  <actuator>
    <general joint="elbow" gainprm="2 0 0" biastype="affine" biasprm=".1 -.5 -.05" forcelimited="true" forcerange="-.5 .5"/>
    <motor joint="shoulder" gear="2"/>
  </actuator>
  <sensor><magnetometer site="tip"/><framepos objtype="site" objname="tip"/><jointvel joint="elbow"/><subtreecom body="box"/></sensor>
</mujoco>
"""
ROBOTS = ["Ant-v5", "HalfCheetah-v5", "Humanoid-v5", "Hopper-v4", "Walker2d-v5", "Swimmer-v5", "InvertedPendulum-v5"]


def row_of(result, row):
    """Returns the part of a step's or reset's result that belongs to one environment."""
    part = slice(row, row + 1)
    *arrays, infos = result
    return (*(array[part] for array in arrays), {name: info[part] for name, info in infos.items() if name != "players"})


def custom(**options):
    return envpool.make_gymnasium(
        "Mujoco-v0", **{"xml_file": ROBOT, "observation": "qpos,qvel,sensordata,qacc", **options}
    )


def vector(observation, row):
    return np.concatenate([part[row] for part in observation.values()])


def test_the_fields_are_those_of_the_model():
    with make("Ant-v5", num_envs=3) as pool, reference_env("Ant-v5") as reference:
        values = pool.options()
        assert set(values) == {"max_episode_steps", *(f"model.{name}" for name in names_of(reference.model))}
        for name in names_of(reference.model):
            expected = read(reference.model, name)
            assert values[f"model.{name}"].shape == (3, *expected.shape), name
            np.testing.assert_array_equal(values[f"model.{name}"], np.stack([expected] * 3), err_msg=name)
        assert values["max_episode_steps"].tolist() == [1000] * 3


@pytest.mark.parametrize("task_id", ROBOTS)
def test_changed_robots_equal_those_of_gymnasium(task_id):
    rng = np.random.default_rng(1)
    count, episodes, steps = 3, 3, 25
    wrong, compared = [], 0
    with make(task_id, num_envs=count, seed=4, max_episode_steps=steps) as pool, reference_env(task_id) as original:
        for episode in range(episodes):
            rows = [random_values(original.model, rng) for _ in range(count)]
            if episode < 2:
                first = pool.reset(options=stacked(rows))
            else:
                pool.set_options(**stacked(rows))
                first = pool.reset()
            for name, value in stacked(rows).items():
                np.testing.assert_array_equal(pool.options()[name], value, err_msg=name)
            starts = [pool.snapshot(row) for row in range(count)]
            actions = rng.uniform(*original.model.actuator_ctrlrange.T, (steps, count, original.model.nu))
            results = [pool.step(action) for action in actions]
            for row, start in enumerate(starts):
                with reference_env(task_id) as reference, make(task_id) as holder:
                    change(reference.model, reference.data, rows[row])
                    holder.reset()
                    holder.restore(0, start)
                    copy_state(reference, holder)
                    ours = row_of(first, row)
                    wrong += differences(task_id, ours, (reference._get_obs(), reference._get_reset_info()))
                    for step, action in enumerate(actions):
                        ours = row_of(results[step], row)
                        theirs = reference.step(action[row])
                        wrong += [f"{episode} {row} {step}: {what}" for what in differences(task_id, ours, theirs)]
                        compared += 1
                        if wrong or ours[2][0]:
                            break
    assert not wrong
    assert compared >= 40


def test_unchanged_rows_and_models_that_are_set_back():
    rng = np.random.default_rng(2)
    actions = rng.uniform(-1, 1, (30, 3, 8))
    with make("Ant-v5", num_envs=3, seed=1) as plain, make("Ant-v5", num_envs=3, seed=1) as pool:
        made = {name: value for name, value in pool.options().items() if name != "max_episode_steps"}
        with reference_env("Ant-v5") as reference:
            values = random_values(reference.model, rng)
        expected = plain.reset()[0]
        first = pool.reset(
            options={name: np.stack([value, made[name][1], value]) for name, value in options_of(values).items()}
        )[0]
        assert first[1].tobytes() == expected[1].tobytes()
        for action in actions:
            ours, theirs = pool.step(action)[0], plain.step(action)[0]
            assert ours[1].tobytes() == theirs[1].tobytes()
        assert not (ours[[0, 2]] == theirs[[0, 2]]).all(axis=1).any()
        assert pool.reset(seed=8, options=made)[0].tobytes() == plain.reset(seed=8)[0].tobytes()
        for action in actions:
            assert pool.step(action)[0].tobytes() == plain.step(action)[0].tobytes()


@pytest.mark.parametrize("name", FIELDS)
def test_each_field_has_the_effect_that_it_has_in_mujoco(name):
    rng = np.random.default_rng(3)
    original = mujoco.MjModel.from_xml_string(ROBOT)
    model, data = copy.deepcopy(original), mujoco.MjData(original)
    values = random_values(original, rng, [name])
    change(model, data, values)
    mujoco.mj_resetData(model, data)
    mujoco.mj_forward(model, data)
    with custom(num_envs=2) as pool:
        pool.set_options([1], **options_of(values))
        observation, _ = pool.reset()
        differs = False
        for action in rng.uniform(-1, 1, (60, 2)):
            for key, part in observation.items():
                assert part[1].tobytes() == np.asarray(getattr(data, key)).tobytes(), key
            differs |= vector(observation, 0).tobytes() != vector(observation, 1).tobytes()
            observation = pool.step(np.stack([action, action]))[0]
            data.ctrl[:] = action
            mujoco.mj_step(model, data)
        assert differs


def test_constants_are_computed_again():
    # A body's inverse weight, which scales constraints, depends on masses; only mj_setConst computes it.
    original = mujoco.MjModel.from_xml_string(ROBOT)
    model, data = copy.deepcopy(original), mujoco.MjData(original)
    model.body_mass[:] *= 3
    mujoco.mj_resetData(model, data)
    with custom(autoreset_mode="disabled") as pool:
        observation, _ = pool.reset(options={"model.body_mass": model.body_mass})
        for _ in range(60):
            observation = pool.step(np.zeros((1, 2)))[0]
            mujoco.mj_step(model, data)
        assert observation["qpos"][0].tobytes() != data.qpos.tobytes()


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_values_take_effect_with_the_next_episode(mode):
    options = {"num_envs": 3, "seed": 3, "autoreset_mode": mode, "max_episode_steps": 6}
    heavy = np.full(14, 2.0)
    with make("Ant-v5", **options) as plain, make("Ant-v5", **options) as pool:
        plain.reset()
        pool.reset()
        pool.set_options([2], **{"model.body_mass": heavy, "max_episode_steps": 4})
        ended = np.zeros(3, bool)
        original = pool.options()["model.body_mass"][0]
        for step in range(6):
            action = np.random.default_rng(step).uniform(-1, 1, (3, 8))
            ours, theirs = pool.step(action), plain.step(action)
            np.testing.assert_array_equal(ours[0], theirs[0])
            ended = ours[2] | ours[3]
            if mode == "same_step" and step == 5:
                np.testing.assert_array_equal(ours[4]["final_obs"], theirs[4]["final_obs"])
            else:
                assert (pool.options()["model.body_mass"] == original).all()
        assert ended.all()
        ours, theirs = pool.step(action), plain.step(action)
        np.testing.assert_array_equal(ours[0][:2], theirs[0][:2])
        assert pool.options()["model.body_mass"].tolist() == [original.tolist()] * 2 + [heavy.tolist()]
        assert pool.options()["max_episode_steps"].tolist() == [6, 6, 4]
        if mode == "next_step":
            ours, theirs = pool.step(action), plain.step(action)
        assert (ours[0][:2] == theirs[0][:2]).all() and (ours[0][2] != theirs[0][2]).any()
        truncated = [pool.step(action)[3].tolist() for _ in range(3)]
        assert truncated[2][2] and not truncated[2][0]


def test_a_mask_selects_environments_and_their_values():
    masses = np.random.default_rng(0).uniform(1, 2, (4, 14))
    with envpool.make_vec("Ant-v5", num_envs=4, backend="mujoco") as env:
        env.reset(seed=1)
        original = env.options()["model.body_mass"]
        mask = np.array([True, False, True, False])
        for values in (masses, masses[mask]):
            env.reset(options={"reset_mask": mask, "model.body_mass": values})
            np.testing.assert_array_equal(env.options()["model.body_mass"], np.where(mask[:, None], masses, original))
        env.reset(options={"reset_mask": ~mask, "model.body_mass": masses[0]})
        assert (env.options([1, 3])["model.body_mass"] == masses[0]).all()


def test_asynchronous_pools_and_threads():
    values = np.linspace(0.5, 2.0, 6)[:, None] * np.ones(14)
    with make("Ant-v5", num_envs=6, seed=2, num_threads=1) as pool:
        expected = [pool.reset(options={"model.body_mass": values})[0]]
        expected += [pool.step(np.full((6, 8), 0.3))[0] for _ in range(10)]
    with make("Ant-v5", num_envs=6, seed=2, num_threads=3, batch_size=2) as pool:
        pool.set_options(**{"model.body_mass": values})
        pool.async_reset()
        steps = np.zeros(6, int)
        while (steps <= 10).any():
            observation, *_, info = pool.recv()
            for row, env_id in enumerate(info["env_id"]):
                if steps[env_id] <= 10:
                    assert observation[row].tobytes() == expected[steps[env_id]][env_id].tobytes()
                steps[env_id] += 1
            pool.send(np.full((len(observation), 8), 0.3), info["env_id"])


def test_mixed_pools():
    mass = np.full(8, 3.0)
    with envpool.make_gymnasium(["HalfCheetah-v5", "HalfCheetah-v5"], task_options=[{"backend": "mujoco"}, {}]) as pool:
        pool.reset()
        position = pool.options([0])["model.body_pos"][0]
        pool.set_options(**{"model.body_mass": mass})
        pool.set_options([0], **{"model.body_pos": position})
        with pytest.raises(TypeError, match=r"\] HalfCheetah-v5: unknown option 'model.body_pos'.*backend='mujoco'"):
            pool.set_options(**{"model.body_pos": position})
        pool.reset()
        assert pool.options()["model.body_mass"].tolist() == [mass.tolist()] * 2
        assert "model.body_pos" not in pool.options()


def test_snapshots_and_copies_have_no_options():
    masses = np.stack([np.full(14, 1.0), np.full(14, 2.0)])
    with make("Ant-v5", num_envs=2, seed=5) as pool:
        made = pool.options()["model.body_mass"]
        pool.reset(options={"model.body_mass": masses})
        states = pool.snapshot()
        with make("Ant-v5", num_envs=1) as plain:
            plain.reset()
            assert len(plain.snapshot(0)) == len(states[0])
        pool.restore(0, states[1])
        pool.clone([1], [0])
        np.testing.assert_array_equal(pool.options()["model.body_mass"], masses)
        observation = pool.step(np.ones((2, 8)))[0]
        assert (observation[0] != observation[1]).any()
        pool.restore([0, 1], states)
        again = [pool.step(np.ones((2, 8)))[0].tobytes() for _ in range(5)]
        pool.restore([0, 1], states)
        assert [pool.step(np.ones((2, 8)))[0].tobytes() for _ in range(5)] == again
        with pickle.loads(pickle.dumps(pool)) as other:
            other.reset()
            np.testing.assert_array_equal(other.options()["model.body_mass"], made)


EMPTY = {"xml_file": "<mujoco><worldbody><body><joint type='slide'/><geom size='.1'/></body></worldbody></mujoco>"}
NUMBERS = r"expected an array of shape \(14,\), each element a number of at least 0"


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        (
            "body_mass",
            np.ones(13),
            ValueError,
            NUMBERS + r", or one for each environment, of shape \(2, 14\), got shape \(13,\)",
        ),
        ("body_mass", np.ones((3, 14)), ValueError, NUMBERS + r", or one .*, got shape \(3, 14\)"),
        ("body_mass", 1.0, ValueError, NUMBERS + ", or one"),
        ("body_mass", [1, 2, [3]], TypeError, NUMBERS),
        ("body_mass", "heavy", TypeError, NUMBERS + ", got 'heavy'"),
        ("body_mass", np.full(14, -1.0), ValueError, NUMBERS + ", got -1.0 in it"),
        ("body_mass", np.full(14, np.nan), ValueError, NUMBERS + ", got nan in it"),
        ("body_mass", np.full(14, np.inf), ValueError, NUMBERS + ", got inf in it"),
        ("body_mass", np.full(14, 1e308), ValueError, "expected values from which MuJoCo computes finite constants"),
        ("body_mass", np.zeros(14), ValueError, "expected"),
        ("body_inertia", -np.ones((14, 3)), ValueError, "expected an array of shape"),
        ("geom_friction", -np.ones(3), ValueError, "expected an array of shape"),
        ("dof_damping", np.full(14, -0.1), ValueError, "expected an array"),
        ("dof_armature", np.full(14, -0.1), ValueError, "expected an array"),
        ("dof_frictionloss", np.full(14, -0.1), ValueError, "expected an array"),
        ("opt.gravity", [0, 0, np.nan], ValueError, "expected an array of shape"),
        ("opt.density", -1, ValueError, "expected a number of at least 0, got -1"),
        ("opt.density", np.inf, ValueError, "expected a number of at least 0, got inf"),
        ("opt.density", [1.0, np.inf], ValueError, "expected a number of at least 0, got inf"),
        ("opt.density", "thick", TypeError, "expected a number"),
        (
            "geom_size",
            np.zeros((14, 3)),
            ValueError,
            "expected positive sizes where the model has positive sizes, got 0",
        ),
        ("body_quat", np.full((14, 4), 0.6), ValueError, "expected quaternions of length 1, got one of length 1.2"),
        ("body_quat", np.zeros((14, 4)), ValueError, "expected quaternions of length 1, got one of length 0"),
        (
            "jnt_range",
            np.tile([1.0, -1.0], (9, 1)),
            ValueError,
            "expected ranges whose lower end is not above the upper one",
        ),
    ],
)
def test_bad_values(name, value, error, words):
    with make("Ant-v5", num_envs=2, seed=1) as pool:
        first = pool.reset()[0]
        for call in (
            lambda: pool.set_options(**{f"model.{name}": value}),
            lambda: pool.reset(options={"model.opt.wind": [1, 0, 0], f"model.{name}": value}),
        ):
            with pytest.raises(
                error, match=rf"^\[Ant-v5\] ((set_options|reset): )?model(\.{re.escape(name)})?: {words}"
            ):
                call()
        np.testing.assert_array_equal(pool.observe()[0], first)
        pool.reset()
        assert not pool.options()["model.opt.wind"].any()


def test_models_that_mujoco_refuses():
    with make("Pusher-v5", num_envs=2) as pool:
        pool.reset()
        shifted = pool.options()["model.body_ipos"][0] + 0.1
        with pytest.raises(
            ValueError, match=r"^\[Pusher-v5\] set_options: model: expected .* simple .* in environment 0"
        ):
            pool.set_options(**{"model.body_ipos": shifted})
        pool.reset()


def test_unknown_fields_and_other_environments():
    with make("Ant-v5") as pool:
        for name in ("model.body_masss", "model.qpos0", "model.opt.timestep", "model.actuator_ctrlrange"):
            with pytest.raises(TypeError, match=rf"^\[Ant-v5\] unknown option '{name}'.*model.body_mass"):
                pool.set_options(**{name: 1})
            with pytest.raises(
                ValueError, match=rf"^\[Ant-v5\] options: expected only .*'model.body_mass'.*got '{name}'"
            ):
                pool.reset(options={name: 1})
        with pytest.raises(ValueError, match=r"^\[Ant-v5\] ctrl_cost_weight: expected an option that can change"):
            pool.set_options(ctrl_cost_weight=1.0)
        with pytest.raises(TypeError, match=r"did you mean 'model.body_mass'"):
            pool.set_options(**{"model.body_masss": 1})
    with envpool.make_gymnasium("Ant-v5") as pool:
        for name in ("model.body_pos", "model.nothing"):
            more = r"[Ee]nvironments that are made with backend='mujoco' have more fields of the model"
            with pytest.raises(TypeError, match=rf"^\[Ant-v5\] unknown option '{name}'.* {more}\. Options: max_epi"):
                pool.set_options(**{name: np.ones((14, 3))})
            with pytest.raises(ValueError, match=rf"^\[Ant-v5\] options: expected only .*, got '{name}'; {more}$"):
                pool.reset(options={name: np.ones((14, 3))})
    with (
        envpool.make_gymnasium("CartPole-v1") as pool,
        pytest.raises(TypeError, match="unknown option 'model.body_mass'"),
    ):
        pool.set_options(**{"model.body_mass": np.ones(14)})


def test_extreme_values_are_simulated():
    rng = np.random.default_rng(6)
    original = mujoco.MjModel.from_xml_string(ROBOT)
    with custom(num_envs=4) as pool:
        for exponent in (-12, -3, 3, 8):
            for name in names_of(original):
                if name in (*TURNED, *RANGES):
                    continue
                values = np.abs(read(original, name)) * 10.0**exponent
                try:
                    pool.reset(options={f"model.{name}": values})
                except ValueError:
                    continue
                for action in rng.uniform(-1, 1, (3, 4, 2)):
                    pool.step(action)
                pool.reset(options={f"model.{name}": read(original, name)})


def test_other_interfaces():
    mass = np.full(14, 2.0)
    with make("Ant-v5", seed=3) as pool:
        expected = [pool.reset(seed=3, options={"model.body_mass": mass})[0], pool.step(np.ones((1, 8)))[0]]
    single = gymnasium.make("envpool/Ant-v5", backend="mujoco")
    np.testing.assert_array_equal(single.reset(seed=3, options={"model.body_mass": mass})[0], expected[0][0])
    np.testing.assert_array_equal(single.step(np.ones(8))[0], expected[1][0])
    with envpool.make_dm("Ant-v5", backend="mujoco", seed=3) as env:
        env.set_options(**{"model.body_mass": mass})
        np.testing.assert_array_equal(env.reset().observation.obs, expected[0])
        np.testing.assert_array_equal(env.step(np.ones((1, 8))).observation.obs, expected[1])
