# SPDX-License-Identifier: Apache-2.0
"""Compares the DeepMind Control Suite with dm_control, from equal states.

ENVPOOL_DMC_EPISODES=20 plays 20 whole episodes of each task instead of a few steps, and ENVPOOL_DMC_RESETS=2000
compares 2000 resets.
"""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("MUJOCO_GL", "disable")

mujoco = pytest.importorskip("mujoco")
suite = pytest.importorskip("dm_control.suite")
stats = pytest.importorskip("scipy.stats")
ndimage = pytest.importorskip("scipy.ndimage")

from dm_control.suite import lqr_solver, quadruped  # noqa: E402

import envpool  # noqa: E402
from envpool.mujoco.dmc.registration import id_of  # noqa: E402
from envpool.python.registry import find  # noqa: E402
from tests.support.samples import WHOLE, of_today  # noqa: E402

EPISODES = int(os.environ.get("ENVPOOL_DMC_EPISODES", "0"))
RESETS = int(os.environ.get("ENVPOOL_DMC_RESETS", "0"))
TASKS = suite.ALL_TASKS if EPISODES or RESETS or WHOLE else of_today(suite.ALL_TASKS, 2)
HEAVY = ("dog", "humanoid_CMU", "stacker", "quadruped")

# Observations that differ in the last bits. For norms and changes of frame, NumPy calls a BLAS, whose order of
# additions and use of fused multiply-add depend on the CPU. NumPy also has its own log1p, arcsinh, tanh, sin and cos.
ROUNDED = {
    "dist_to_target",
    "touch",
    "arm_pos",
    "force_torque",
    "rangefinder",
    "extremities",
    "target",
    "to_target",
    "origin",
    "ball_state",
    "target_position",
    "torso_com_velocity",
}

quadruped.Physics.contexts = None  # there is no renderer to which a new terrain could be uploaded

HEAD = 80  # bytes of a snapshot before the state: its header, the generator and the episode
STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def drawn_arrays(domain: str, task: str) -> list[str]:
    """Returns the arrays of the model that a reset draws, in the order of a snapshot."""
    return {
        "fish": ["geom_pos"] if task == "swim" else [],
        "finger": ["site_pos"] if task != "spin" else [],
        "lqr": ["jnt_stiffness"],
        "manipulator": ["body_pos", "body_quat"],
        "point_mass": ["wrap_prm"] if task == "hard" else [],
        "quadruped": ["hfield_data"] if task == "escape" else [],
        "reacher": ["geom_pos"],
        "stacker": ["body_pos"],
        "swimmer": ["geom_pos", "light_pos"],
    }.get(domain, [])


@dataclass
class Reference:
    """A task of dm_control."""

    domain: str
    task: str
    environment: Any
    model: Any  # a copy made before any reset

    @property
    def task_id(self):
        return id_of(self.domain, self.task)

    @property
    def physics(self):
        return self.environment.physics

    @property
    def names(self):
        return list(self.environment.observation_spec())

    def read(self, snapshot):
        """Returns the physics state, the sensor data and the drawn arrays of the model from a snapshot."""
        fields = [getattr(self.physics.model, name) for name in drawn_arrays(self.domain, self.task)]
        sizes = [mujoco.mj_stateSize(self.model, STATE) * 8, self.model.nsensordata * 8]
        sizes += [field.nbytes for field in fields]
        parts, at = [], HEAD
        for size in sizes:
            parts.append(snapshot[at : at + size])
            at += size
        model = {
            name: np.frombuffer(part, field.dtype).reshape(field.shape)
            for name, part, field in zip(drawn_arrays(self.domain, self.task), parts[2:], fields, strict=True)
        }
        return np.frombuffer(parts[0]), np.frombuffer(parts[1]), model

    def set_to(self, snapshot):
        """Resets dm_control and sets it to the state of a snapshot."""
        self.environment.reset()
        state, sensors, model = self.read(snapshot)
        for name, values in model.items():
            getattr(self.physics.model, name)[:] = values
        self.physics.set_state(state, STATE)
        mujoco.mj_step1(self.physics.model.ptr, self.physics.data.ptr)
        self.physics.data.sensordata[:] = sensors  # sensed forces belong to the last step

    def as_vector(self):
        """Returns the state and the drawn arrays of the model as a vector."""
        parts = [self.physics.data.qpos, self.physics.data.qvel, self.physics.data.act]
        for name in drawn_arrays(self.domain, self.task):
            values = np.asarray(getattr(self.physics.model, name)).ravel()
            parts.append(values[:: max(1, values.size // 40)] if name == "hfield_data" else values)
        return np.concatenate(parts)


@pytest.fixture(scope="module", params=TASKS, ids=[id_of(*names) for names in TASKS])
def reference(request):
    domain, task = request.param
    environment = suite.load(domain, task, task_kwargs={"random": 7})
    return Reference(domain, task, environment, copy.deepcopy(environment.physics.model.ptr))


def same_observation(ours, theirs):
    assert list(ours) == list(theirs)
    for name, expected in theirs.items():
        got = ours[name][0]
        assert got.dtype == expected.dtype and got.shape == expected.shape, name
        if name in ROUNDED:
            np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-14, err_msg=name)
        else:
            np.testing.assert_array_equal(got, expected, err_msg=name)


def same_reward(ours, theirs):
    """Compares rewards as float32, to one ulp, because exponentials differ from NumPy's in the last bit."""
    theirs = np.float32(theirs)
    assert abs(ours - theirs) <= max(np.spacing(abs(theirs)), np.float32(1e-12)), (ours, theirs)


def test_models_equal_those_of_dm_control(reference):
    config = envpool.make_spec(reference.task_id).config._asdict()
    names = ("domain_name", "task_name", "xml_file", "num_poles", "sparse", "fully_observable")
    options = {name: value for name, value in config.items() if name in names}
    source = find(reference.task_id).origin.prepare(reference.task_id, options)["xml_file"]
    read = mujoco.MjModel.from_xml_string if source.startswith("<") else mujoco.MjModel.from_xml_path
    ours, compared = read(source), 0
    for name in dir(reference.model):
        expected = getattr(reference.model, name)
        if name.startswith("_") or not isinstance(expected, (np.ndarray, int, bytes)):
            continue
        if "path" in name or name in ("nbuffer", "signature"):  # these depend on file paths
            continue
        if name == "jnt_stiffness" and reference.domain == "lqr":
            assert expected.min() >= 15 and expected.max() <= 25
            continue
        np.testing.assert_array_equal(getattr(ours, name), expected, err_msg=name)
        compared += 1
    assert compared > 300
    for name in ("timestep", "gravity", "integrator", "density", "viscosity", "disableflags", "enableflags", "solver"):
        np.testing.assert_array_equal(getattr(ours.opt, name), getattr(reference.model.opt, name), err_msg=name)


def test_steps_equal_those_of_dm_control(reference):
    env = envpool.make_dm(reference.task_id, num_envs=1, seed=3)
    random = np.random.default_rng(5)
    steps = 1000 if EPISODES else 6 if reference.domain in HEAVY else 25
    spec, theirs = env.action_spec(), reference.environment.action_spec()
    np.testing.assert_array_equal(spec.minimum, theirs.minimum)
    np.testing.assert_array_equal(spec.maximum, theirs.maximum)
    assert spec.shape == theirs.shape
    low, high = (-1, 1) if reference.domain == "lqr" else (spec.minimum, spec.maximum)
    names = reference.names
    for _ in range(EPISODES or 2):
        first = env.reset().observation
        reference.set_to(env.snapshot(0))
        expected = reference.environment.task.get_observation(reference.physics)
        same_observation({name: getattr(first, name) for name in names}, expected)
        action = np.zeros(spec.shape)
        for step in range(steps):
            if step % 5 == 0:  # repeated actions move the body further than noise
                action = random.uniform(low, high, spec.shape)
            ours, expected = env.step(action[None]), reference.environment.step(action)
            same_observation({name: getattr(ours.observation, name) for name in names}, expected.observation)
            same_reward(ours.reward[0], expected.reward)
            assert ours.discount[0] == expected.discount
            if reference.domain != "lqr":  # dm_control has no time limit here
                assert bool(ours.step_type[0] == 2) == expected.last()


@pytest.mark.sampled(one_in=2)
def test_resets_have_the_distribution_of_dm_control(reference):
    domain, task = reference.domain, reference.task
    count = RESETS or (10 if domain in (*HEAVY, "lqr") else 50)
    env = envpool.make_dm(reference.task_id, num_envs=1, seed=11)
    ours, theirs = [], []
    for index in range(count):
        env.reset(seed=1000 + index) if domain == "lqr" else env.reset()  # LQR draws its model only once per seed
        reference.set_to(env.snapshot(0))
        ours.append(reference.as_vector())
        environment = reference.environment
        if domain == "lqr":
            environment = suite.load(domain, task, task_kwargs={"random": 12 + index})
        environment.reset()
        theirs.append(Reference(domain, task, environment, reference.model).as_vector())
    ours, theirs = np.array(ours), np.array(theirs)
    fixed = np.ptp(theirs, axis=0) == 0
    np.testing.assert_array_equal(np.ptp(ours, axis=0) == 0, fixed)  # the same elements are constant
    np.testing.assert_allclose(ours[0, fixed], theirs[0, fixed], rtol=1e-12)
    for column in np.flatnonzero(~fixed):
        result = stats.ks_2samp(ours[:, column], theirs[:, column])
        assert result.pvalue > 1e-6, (column, result.pvalue)


def test_a_restored_snapshot_continues_identically(reference):
    stack = 2 if reference.task == "walk" else 1
    env = envpool.make_gymnasium(reference.task_id, num_envs=2, seed=[1, 2], frame_stack=stack)
    env.reset()
    low, high = (-1, 1) if reference.domain == "lqr" else (env.action_space.low, env.action_space.high)
    actions = np.random.default_rng(1).uniform(low, high, (6, 2, *env.action_space.shape))
    for action in actions[:2]:
        env.step(action)
    env.restore(1, env.snapshot(0))
    for action in actions[2:]:
        observation, reward, *_ = env.step(np.stack([action[0], action[0]]))
        assert reward[0] == reward[1]
        for name, value in observation.items():
            np.testing.assert_array_equal(value[0], value[1], err_msg=name)


def test_resets_depend_on_the_seed(reference):
    def start(seed):
        env = envpool.make_gymnasium(reference.task_id, num_envs=2, seed=seed)
        return env.reset()[0], env.reset()[0]

    (first, second), (again, _), (other, _) = start(4), start(4), start(5)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert any(not np.array_equal(first[name], second[name]) for name in first)
    assert any(not np.array_equal(first[name], other[name]) for name in first)
    assert any(not np.array_equal(first[name][0], first[name][1]) for name in first)


@pytest.mark.parametrize("task_id", ["ReacherEasy-v1", "QuadrupedEscape-v1", "WalkerRun-v1"])
def test_results_do_not_depend_on_threads(task_id):
    """The environments share a model, except for the arrays that they draw."""

    def play(threads, batch_size):
        env = envpool.make_gymnasium(task_id, num_envs=6, batch_size=batch_size, num_threads=threads, seed=2)
        random = np.random.default_rng(3)
        actions = random.uniform(-1, 1, (6, 12, *env.action_space.shape))
        seen = [[] for _ in range(6)]
        env.async_reset()
        while min(map(len, seen)) < 12:
            observation, reward, *_, info = env.recv()
            for row, env_id in enumerate(info["env_id"]):
                seen[env_id].append((reward[row], *(value[row].tobytes() for value in observation.values())))
            due = [min(len(seen[env_id]), 12) - 1 for env_id in info["env_id"]]
            env.send(actions[info["env_id"], due], info["env_id"])
        return [rows[:12] for rows in seen]

    expected_rows = play(1, 6)
    assert play(3, 6) == expected_rows
    assert play(4, 2) == expected_rows


def test_the_terrain_is_a_bowl_with_spline_interpolated_bumps():
    """The terrain is a bowl times scipy's zoom of 30 x 30 random bumps, linear in rows and in columns."""
    environment = suite.load("quadruped", "escape")
    reference = Reference("quadruped", "escape", environment, environment.physics.model.ptr)
    env = envpool.make_dm("QuadrupedEscape-v1", num_envs=1, seed=9)
    env.reset()
    terrain = reference.read(env.snapshot(0))[2]["hfield_data"].reshape(201, 201).astype(float)
    grid = np.linspace(-1, 1, 201)
    radius = np.clip(np.hypot(*np.meshgrid(grid, grid)), 0.04, 1)
    bowl = 0.5 - np.cos(2 * np.pi * radius) / 2
    np.testing.assert_array_equal(terrain[radius == 1], 0)
    spline = ndimage.zoom(np.eye(30), (201 / 30, 1))
    inner = slice(2, 199), slice(85, 116)  # where the bowl is not flat
    bumps = terrain[inner] / bowl[inner]
    for values, basis in ((bumps, spline[inner[0]]), (bumps.T, spline[inner[1]])):
        coefficients = np.linalg.lstsq(basis, values, rcond=1e-9)[0]
        np.testing.assert_allclose(basis @ coefficients, values, atol=2e-6)


def test_frames_are_stacked_oldest_first():
    env = envpool.make_gymnasium("WalkerWalk-v1", frame_stack=3, seed=1)
    plain = envpool.make_gymnasium("WalkerWalk-v1", seed=1)
    assert env.observation_space["height"].shape == (3,)
    stacked, seen = env.reset()[0], [plain.reset()[0]] * 3
    for step in range(4):
        for name, value in stacked.items():
            np.testing.assert_array_equal(value[0], np.stack([frame[name][0] for frame in seen]))
        action = np.full((1, 6), 0.1 * step)
        stacked, seen = env.step(action)[0], [*seen[1:], plain.step(action)[0]]


def test_task_options():
    assert envpool.make_spec("CartpoleThreePoles-v1", num_poles=5).observation_space["velocity"].shape == (6,)
    partial = envpool.make_spec("StackerStack2-v1", fully_observable=False).observation_space
    assert list(partial) == ["arm_pos", "arm_vel", "touch"]
    env = envpool.make_gymnasium("CartpoleThreePoles-v1", sparse=True)
    env.reset()
    assert env.step(np.zeros((1, 1)))[1] == 0
    with pytest.raises(ValueError, match="num_poles: expected"):
        envpool.make_spec("CartpoleThreePoles-v1", num_poles=0)
    with pytest.raises(ValueError, match="task_name: expected one of"):
        envpool.make_spec("CheetahRun-v1", task_name="fly")
    with pytest.raises(ValueError, match="the model has no body 'torso'"):
        envpool.make_spec("WalkerRun-v1", xml_file="<mujoco/>")
    bare = """<mujoco><worldbody><geom name="target" size="1"/><geom name="pointmass" size="1"/></worldbody></mujoco>"""
    with pytest.raises(ValueError, match="expected a model with two tendons"):
        envpool.make_spec("PointMassHard-v1", xml_file=bare)
    with pytest.raises(ValueError, match="there is no file"):
        envpool.make_spec("WalkerRun-v1", xml_file="./nowhere.xml")
    with pytest.raises(TypeError, match="unknown option 'num_poles'"):
        envpool.make_spec("CheetahRun-v1", num_poles=2)


def test_lqr_terminates_at_rest_and_keeps_its_stiffness():
    environment = suite.load("lqr", "lqr_2_1")
    reference = Reference("lqr", "lqr_2_1", environment, environment.physics.model.ptr)
    env = envpool.make_dm("LqrLqr21-v1", num_envs=1, seed=1, max_episode_steps=0)
    stiffness = []
    for _ in range(3):
        env.reset()
        state, _, model = reference.read(env.snapshot(0))
        stiffness.append(model["jnt_stiffness"])
        assert np.isclose(np.linalg.norm(state[1:3]), np.sqrt(2))
    assert len(np.unique(stiffness, axis=0)) == 1
    reference.set_to(env.snapshot(0))
    _, policy, _ = lqr_solver.solve(environment)
    for _ in range(20000):
        data = reference.physics.data
        action = policy @ np.concatenate([data.qpos, data.qvel])
        ours, theirs = env.step(action[None]), environment.step(action)
        assert bool(ours.step_type[0] == 2) == theirs.last()
        if theirs.last():
            break
    assert theirs.last() and theirs.discount == 0 == ours.discount[0]
    np.testing.assert_array_equal(ours.observation.position[0], theirs.observation["position"])


def test_invalid_physics_raises_an_error_with_the_environment():
    """In this case, dm_control raises a PhysicsError."""
    env = envpool.make_gymnasium("LqrLqr21-v1", num_envs=2)
    env.reset()
    with pytest.raises(RuntimeError, match="environment 1: MuJoCo: the physics state is invalid: .* CTRL"):
        env.step(np.array([[0], [1e11]]))
    assert np.isfinite(env.step(np.zeros((2, 1)))[1]).all()


def test_without_dm_control_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("envpool.mujoco.dmc.models.folder_of", lambda package: None)
    with pytest.raises(RuntimeError, match=r"\[CheetahRun-v1\] needs the models of dm_control, .* dm_control==1.0.50"):
        envpool.make("CheetahRun-v1")
