# SPDX-License-Identifier: Apache-2.0
"""Tests that custom models give the same bits as mj_step of the mujoco package."""

import mujoco
import numpy as np
import pytest

import envpool

# The memory is limited because 4,000 of these robots would otherwise reserve 55 GB, after which the process may be too large
# to fork.
ROBOT = """
<mujoco>
  <size nuserdata="2" memory="1M"/>
  <option timestep="0.004"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
    <body pos="1 0 1"><joint name="ball" type="ball"/><geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
      <body pos=".3 0 0"><joint name="hinge" axis="0 1 0" damping=".1"/>
        <geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/><site name="tip" pos=".3 0 0"/></body></body>
    <body name="leader" mocap="true" pos="0 1 1"><geom type="sphere" size=".05" contype="0" conaffinity="0"/></body>
    <body name="follower" pos="0 1 1"><freejoint/><geom type="sphere" size=".05"/></body>
  </worldbody>
  <equality><weld body1="leader" body2="follower"/></equality>
  <actuator>
    <position joint="hinge" kp="5" ctrllimited="true" ctrlrange="-1 2"/>
    <general joint="hinge" dyntype="filter" dynprm=".1" gainprm="3"/>
  </actuator>
  <sensor><framepos objtype="site" objname="tip"/><jointvel joint="hinge"/></sensor>
  <keyframe>
    <key name="low" qpos="0 0 .5 1 0 0 0  1 0 0 0  .3  0 1 1 1 0 0 0" act=".2"/>
    <key qpos="0 0 2 1 0 0 0  1 0 0 0  -.3  0 1 1 1 0 0 0" ctrl=".1 .2"/>
  </keyframe>
</mujoco>
"""
STEPS = 60
UNSTABLE = [mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC]


def make(**options):
    return envpool.make_gymnasium("Mujoco-v0", **{"xml_file": ROBOT, **options})


def actions(count, seed=0):
    return np.random.default_rng(seed).uniform(-2, 2, (STEPS, count, 2))


def same_bits(array, other):
    return np.asarray(array).tobytes() == np.asarray(other).tobytes()


def test_spaces_match_the_model():
    with make() as env:
        assert set(env.observation_space) == {"qpos", "qvel", "sensordata"}
        assert [space.shape for space in map(env.observation_space.get, ["qpos", "qvel", "sensordata"])] == [
            (19,),
            (16,),
            (4,),
        ]
        np.testing.assert_array_equal(env.action_space.low, [-1, -np.inf])
        np.testing.assert_array_equal(env.action_space.high, [2, np.inf])
        assert env.action_space.dtype == np.float64
    with make(flat=True) as env:
        assert env.observation_space.shape == (39,)


@pytest.mark.parametrize("keyframe", ["", "low", "1", 1])
@pytest.mark.parametrize("frame_skip", [1, 5])
def test_trajectories_equal_those_of_mj_step(keyframe, frame_skip):
    model = mujoco.MjModel.from_xml_string(ROBOT)
    names = ["qpos", "qvel", "sensordata", "act", "time", "xpos", "actuator_force", "qacc", "ctrl"]
    with make(num_envs=3, keyframe=keyframe, frame_skip=frame_skip, observation=", ".join(names)) as env:
        observation, _ = env.reset()
        datas = [mujoco.MjData(model) for _ in range(3)]
        for data in datas:
            if keyframe != "":
                mujoco.mj_resetDataKeyframe(model, data, 0 if keyframe == "low" else 1)
            mujoco.mj_forward(model, data)
        for action in [None, *actions(3)]:
            if action is not None:
                observation, reward, terminated, truncated, _ = env.step(action)
                assert not (reward.any() or terminated.any() or truncated.any())
            for row, data in enumerate(datas):
                if action is not None:
                    data.ctrl[:] = action[row]
                    mujoco.mj_step(model, data, frame_skip)
                for name in names:
                    assert same_bits(observation[name][row], getattr(data, name)), name


def test_actions_can_set_all_documented_arrays():
    model = mujoco.MjModel.from_xml_string(ROBOT)
    names = ["ctrl", "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied", "userdata"]
    generator = np.random.default_rng(1)
    with make(action=",".join(names), observation="qpos,userdata") as env:
        assert set(env.action_space) == set(names)
        env.reset()
        data = mujoco.MjData(model)
        for _ in range(20):
            action = {name: generator.normal(size=getattr(data, name).size) for name in names}
            observation, *_ = env.step({name: value[None] for name, value in action.items()})
            for name, value in action.items():
                getattr(data, name).flat = value
            mujoco.mj_step(model, data)
            assert same_bits(observation["qpos"][0], data.qpos)
            assert same_bits(observation["userdata"][0], action["userdata"])


def test_a_restored_snapshot_continues_identically():
    with make(num_envs=2, observation="qpos,qvel,sensordata,act,qacc", qpos_noise=0.1) as env:
        env.reset()
        for action in actions(2)[:30]:
            env.step(action)
        state = env.snapshot(0)

        def rest():
            return [np.concatenate([part[0] for part in env.step(action)[0].values()]) for action in actions(2)[30:]]

        first = rest()
        env.restore(0, state)
        assert same_bits(first, rest())


def test_distribution_of_reset_noise():
    count = 4000
    with make(num_envs=count, keyframe="low", qpos_noise=0.2, qvel_noise=0.3, seed=5) as env:
        observation, _ = env.reset()
        qpos, qvel = observation["qpos"], observation["qvel"]
        other, _ = env.reset()
        again, _ = env.reset(seed=5)
    assert not np.array_equal(qpos, other["qpos"])
    assert same_bits(qpos, again["qpos"])
    for first in (3, 7, 15):
        np.testing.assert_allclose(np.linalg.norm(qpos[:, first : first + 4], axis=1), 1, atol=1e-12)
    hinge = qpos[:, 11] - 0.3
    assert np.abs(hinge).max() < 0.2
    assert abs(hinge.mean()) < 0.01
    assert hinge.std() == pytest.approx(0.2 / np.sqrt(3), rel=0.05)
    angle = 2 * np.arccos(np.clip(np.abs(qpos[:, 7]), 0, 1))
    drawn = np.linalg.norm(np.random.default_rng(0).uniform(-0.2, 0.2, (count, 3)), axis=1)
    assert np.quantile(angle, [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(drawn, [0.1, 0.5, 0.9]), rel=0.05)
    assert qvel.std() == pytest.approx(0.3, rel=0.02)
    assert abs(qvel.mean()) < 0.01


def test_unstable_physics_terminates():
    with make(num_envs=2, action="ctrl,qfrc_applied") as env:
        env.reset()
        push = np.zeros((2, 16))
        push[1, 0] = 1e300
        observation, _, terminated, truncated, _ = env.step({"ctrl": np.zeros((2, 2)), "qfrc_applied": push})
        assert terminated.tolist() == [False, True]
        assert not truncated.any()
        assert all(np.isfinite(value).all() for value in observation.values())
        _, _, terminated, _, info = env.step({"ctrl": np.zeros((2, 2)), "qfrc_applied": np.zeros((2, 16))})
        assert not terminated.any()
        assert info["elapsed_step"].tolist() == [2, 0]
        state = env.snapshot(1)
        env.step({"ctrl": np.zeros((2, 2)), "qfrc_applied": push})
        env.restore(1, state)
        assert not env.step({"ctrl": np.zeros((2, 2)), "qfrc_applied": np.zeros((2, 16))})[2].any()


@pytest.mark.parametrize("huge", [[1e11, 0.5], [0.5, 1e11], [1e9, -1e9]])
def test_huge_controls_have_the_same_effect_as_in_mujoco(huge):
    model = mujoco.MjModel.from_xml_string(ROBOT)
    data = mujoco.MjData(model)
    with make() as env:
        env.reset()
        for _ in range(20):
            observation, _, terminated, *_ = env.step(np.array([huge]))
            data.ctrl[:] = huge
            mujoco.mj_step(model, data)
            assert same_bits(observation["qpos"][0], data.qpos)
            assert terminated[0] == any(data.warning[kind].number for kind in UNSTABLE)
            if terminated[0]:
                break


def test_nan_controls_are_refused():
    with make() as env:
        env.reset()
        with pytest.raises(ValueError, match="action: expected finite numbers, got nan"):
            env.step(np.full((1, 2), np.nan))
        env.step(np.zeros((1, 2)))


def test_time_limit():
    with make(max_episode_steps=3) as env:
        env.reset()
        assert [env.step(np.zeros((1, 2)))[3][0] for _ in range(4)] == [False, False, True, False]


def test_assets_are_relative_to_the_models_folder(tmp_path, monkeypatch):
    (tmp_path / "meshes").mkdir()
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    (tmp_path / "meshes" / "cube.obj").write_text("\n".join([*lines, "f 1 2 3", "f 5 6 7", "f 1 5 8"]))
    text = """<mujoco><compiler meshdir="meshes"/><asset><mesh name="cube" file="{}.obj"/></asset>
    <worldbody><body><freejoint/><geom type="mesh" mesh="cube"/></body></worldbody></mujoco>"""
    (tmp_path / "robot.xml").write_text(text.format("cube"))
    (tmp_path / "broken.xml").write_text(text.format("missing"))
    for path in (str(tmp_path / "robot.xml"), "robot.xml", "./robot.xml"):
        monkeypatch.chdir(tmp_path)
        with make(xml_file=path, action="qfrc_applied") as env:
            assert env.reset()[0]["qpos"].shape == (1, 7)
    with pytest.raises(ValueError, match=r"\[Mujoco-v0\] xml_file: .*missing\.obj"):
        make(xml_file="broken.xml")


NO_ACTUATORS = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"xml_file": ""}, ValueError, "xml_file: expected"),
        ({"xml_file": "/nowhere/robot.xml"}, ValueError, "xml_file: expected .*/nowhere/robot.xml"),
        ({"xml_file": b"<mujoco/>"}, TypeError, "xml_file: expected a str"),
        ({"xml_file": 3}, TypeError, "xml_file: expected a str"),
        ({"xml_file": "<mujoco>"}, ValueError, "xml_file: MuJoCo cannot load"),
        ({"xml_file": "<mujoco/>"}, ValueError, "observation: the model has none"),
        ({"xml_file": NO_ACTUATORS}, ValueError, "action: the model has none .*qfrc_applied"),
        ({"frame_skip": 0}, ValueError, "frame_skip: expected"),
        ({"frame_skip": 10**9}, ValueError, "frame_skip: expected"),
        ({"keyframe": "high"}, ValueError, "keyframe: expected one of the model's 2: 0 'low', 1, got 'high'"),
        ({"keyframe": 2}, ValueError, "keyframe: expected .* got '2'"),
        ({"keyframe": -1}, ValueError, "keyframe: expected .* got '-1'"),
        ({"keyframe": 10**5000}, ValueError, "keyframe: expected .* that cannot be printed"),
        ({"observation": "qpos,speed"}, ValueError, "observation: expected .*qvel.* got 'speed'"),
        ({"observation": "qpos,qpos"}, ValueError, "observation: expected each array once, got 'qpos' twice"),
        ({"action": "qpos"}, ValueError, "action: expected .*ctrl.* got 'qpos'"),
        ({"qpos_noise": -1}, ValueError, "qpos_noise: expected"),
        ({"qvel_noise": float("nan")}, ValueError, "qvel_noise: expected"),
    ],
)
def test_invalid_options(options, error, words):
    with pytest.raises(error, match=r"^\[Mujoco-v0\] " + words):
        make(**options)


def test_the_default_model_is_an_arm():
    with envpool.make_gymnasium("Mujoco-v0", num_envs=2, keyframe="bent") as env:
        observation, _ = env.reset()
        assert observation["qpos"].tolist() == [[0.5, 1.0]] * 2
        assert env.step(np.zeros((2, 2)))[0]["sensordata"].shape == (2, 3)
