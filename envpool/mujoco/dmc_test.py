# SPDX-License-Identifier: Apache-2.0
"""The DeepMind Control Suite against dm_control, from equal states.

ENVPOOL_DMC_EPISODES=20 plays that many whole episodes of each task instead of a few steps, and ENVPOOL_DMC_RESETS=2000
compares that many resets.
"""

from __future__ import annotations

import functools
import os

import numpy as np
import pytest

os.environ.setdefault("MUJOCO_GL", "disable")

mujoco = pytest.importorskip("mujoco")
suite = pytest.importorskip("dm_control.suite")
stats = pytest.importorskip("scipy.stats")

from dm_control.suite import quadruped  # noqa: E402

import envpool  # noqa: E402
from envpool.mujoco.dmc_registration import id_of, prepare  # noqa: E402

TASKS = [pytest.param(domain, task, id=id_of(domain, task)) for domain, task in suite.ALL_TASKS]
EPISODES = int(os.environ.get("ENVPOOL_DMC_EPISODES", "0"))
RESETS = int(os.environ.get("ENVPOOL_DMC_RESETS", "0"))
HEAVY = ("dog", "humanoid_CMU", "stacker", "quadruped")

# Equal but for the last bits: NumPy adds products in a BLAS, whose order and fusion depend on the CPU (norms, vectors
# turned into a frame), and has its own log1p, arcsinh, tanh, sin and cos.
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

quadruped.Physics.contexts = None  # it would show a new terrain to a renderer

STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def drawn(domain: str, task: str) -> list[str]:
    """What a reset draws of the model, in the order of a snapshot."""
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


@functools.lru_cache(maxsize=1)
def reference(domain, task):
    return suite.load(domain, task, task_kwargs={"random": 7})


def read_snapshot(snapshot, domain, task):
    """Returns the physics state, the sensors' readings and the drawn parts of the model that a snapshot holds."""
    physics = reference(domain, task).physics
    fields = [getattr(physics.model, name) for name in drawn(domain, task)]
    sizes = [mujoco.mj_stateSize(physics.model.ptr, STATE) * 8, physics.model.nsensordata * 8]
    sizes += [field.nbytes for field in fields]
    seen = sum(int(np.prod(spec.shape)) for spec in reference(domain, task).observation_spec().values()) * 8
    parts, at = [], len(snapshot) - seen - sum(sizes)
    for size in sizes:
        parts.append(snapshot[at : at + size])
        at += size
    model = {
        name: np.frombuffer(part, field.dtype).reshape(field.shape)
        for name, part, field in zip(drawn(domain, task), parts[2:], fields, strict=True)
    }
    return np.frombuffer(parts[0]), np.frombuffer(parts[1]), model


def put(snapshot, domain, task):
    """Brings dm_control into the state of a snapshot, at the beginning of an episode of its own."""
    environment = reference(domain, task)
    environment.reset()
    physics = environment.physics
    state, sensors, model = read_snapshot(snapshot, domain, task)
    for name, values in model.items():
        getattr(physics.model, name)[:] = values
    physics.set_state(state, STATE)
    mujoco.mj_step1(physics.model.ptr, physics.data.ptr)
    physics.data.sensordata[:] = sensors  # forces among them are of the step before
    return environment


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
    """As float32, to one unit in the last place: exponentials are not NumPy's to the last bit."""
    theirs = np.float32(theirs)
    assert abs(ours - theirs) <= max(np.spacing(abs(theirs)), np.float32(1e-12)), (ours, theirs)


@pytest.mark.parametrize(("domain", "task"), TASKS)
def test_steps_are_dm_controls(domain, task):
    env = envpool.make_dm(id_of(domain, task), num_envs=1, seed=3)
    random = np.random.default_rng(5)
    steps = 1000 if EPISODES else 6 if domain in HEAVY else 25
    spec, theirs = env.action_spec(), reference(domain, task).action_spec()
    np.testing.assert_array_equal(spec.minimum, theirs.minimum)
    np.testing.assert_array_equal(spec.maximum, theirs.maximum)
    assert spec.shape == theirs.shape
    names = list(reference(domain, task).observation_spec())
    for _ in range(EPISODES or 2):
        first = env.reset().observation
        other = put(env.snapshot(0), domain, task)
        same_observation(
            {name: getattr(first, name) for name in names}, other.task.get_observation(other.physics)
        )
        # A stretch of one action moves further than noise does.
        action = np.zeros(spec.shape)
        for step in range(steps):
            if step % 5 == 0:
                action = random.uniform(*((-1, 1) if domain == "lqr" else (spec.minimum, spec.maximum)), spec.shape)
            ours, expected = env.step(action[None]), other.step(action)
            same_observation({name: getattr(ours.observation, name) for name in names}, expected.observation)
            same_reward(ours.reward[0], expected.reward)
            assert ours.discount[0] == expected.discount
            if domain != "lqr":  # has no limit in dm_control
                assert bool(ours.step_type[0] == 2) == expected.last()
            if expected.last():
                break


@pytest.mark.parametrize(("domain", "task"), TASKS)
def test_models_are_dm_controls(domain, task):
    options = envpool.make_spec(id_of(domain, task)).config
    names = ("domain_name", "task_name", "xml_file", "num_poles", "sparse", "fully_observable")
    given = {name: value for name, value in options._asdict().items() if name in names}
    source = prepare("test", given)["xml_file"]
    if source.startswith("<"):
        ours = mujoco.MjModel.from_xml_string(source)
    else:
        ours = mujoco.MjModel.from_xml_path(source)
    theirs = suite.load(domain, task).physics.model.ptr
    compared = 0
    for name in dir(theirs):
        expected = getattr(theirs, name)
        if name.startswith("_") or name in ("paths", "signature") or not isinstance(expected, (np.ndarray, int, bytes)):
            continue
        if name == "jnt_stiffness" and domain == "lqr":
            assert expected.min() >= 15 and expected.max() <= 25
            continue
        if name in ("npaths", "nbuffer") or name.endswith("pathadr"):  # where files lie, which names differ in
            continue
        got = getattr(ours, name)
        np.testing.assert_array_equal(got, expected, err_msg=name)
        compared += 1
    assert compared > 300
    for name in ("timestep", "gravity", "integrator", "density", "viscosity", "disableflags", "enableflags", "solver"):
        np.testing.assert_array_equal(getattr(ours.opt, name), getattr(theirs.opt, name), err_msg=name)


def numbers_of(physics, domain, task):
    """A reset in numbers: state, and what was drawn of the model where it is not constant."""
    parts = [physics.data.qpos, physics.data.qvel, physics.data.act]
    for name in drawn(domain, task):
        values = np.asarray(getattr(physics.model, name)).ravel()
        parts.append(values[:: max(1, values.size // 40)] if name == "hfield_data" else values)
    return np.concatenate(parts)


# Tasks of a domain that differ in how they begin.
BEGINNINGS = [
    parameter
    for parameter in TASKS
    if parameter.id
    in """AcrobotSwingup-v1 BallInCupCatch-v1 CartpoleBalance-v1 CartpoleThreePoles-v1 CheetahRun-v1 DogRun-v1
    DogFetch-v1 FingerTurnHard-v1 FishSwim-v1 HopperHop-v1 HumanoidWalk-v1 HumanoidCMURun-v1 LqrLqr62-v1
    ManipulatorBringBall-v1 ManipulatorInsertPeg-v1 PendulumSwingup-v1 PointMassHard-v1 QuadrupedRun-v1
    QuadrupedEscape-v1 QuadrupedFetch-v1 ReacherEasy-v1 StackerStack4-v1 SwimmerSwimmer6-v1 WalkerRun-v1""".split()
]


@pytest.mark.parametrize(("domain", "task"), BEGINNINGS)
def test_resets_are_distributed_as_dm_controls(domain, task):
    count = RESETS or (12 if domain in HEAVY else 60)
    env = envpool.make_dm(id_of(domain, task), num_envs=1, seed=11)
    environment = suite.load(domain, task, task_kwargs={"random": 12})
    ours, theirs = [], []
    for index in range(count):
        env.reset(seed=1000 + index) if domain == "lqr" else env.reset()  # there the model is drawn once
        state, _, model = read_snapshot(env.snapshot(0), domain, task)
        physics = reference(domain, task).physics
        physics.set_state(state, STATE)
        for name, values in model.items():
            getattr(physics.model, name)[:] = values
        ours.append(numbers_of(physics, domain, task))
        if domain == "lqr":
            environment = suite.load(domain, task, task_kwargs={"random": 12 + index})
        environment.reset()
        theirs.append(numbers_of(environment.physics, domain, task))
    ours, theirs = np.array(ours), np.array(theirs)
    fixed = np.ptp(theirs, axis=0) == 0
    np.testing.assert_array_equal(np.ptp(ours, axis=0) == 0, fixed)  # what should vary does, the rest does not
    np.testing.assert_allclose(ours[0, fixed], theirs[0, fixed], rtol=1e-12)
    for column in np.flatnonzero(~fixed):
        result = stats.ks_2samp(ours[:, column], theirs[:, column])
        assert result.pvalue > 1e-6, (column, result.pvalue)


@pytest.mark.parametrize(("domain", "task"), TASKS)
def test_a_snapshot_goes_on_alike(domain, task):
    stack = 2 if task == "walk" else 1
    env = envpool.make_gymnasium(id_of(domain, task), num_envs=2, seed=[1, 2], frame_stack=stack)
    env.reset()
    random = np.random.default_rng(1)
    low, high = (-1, 1) if domain == "lqr" else (env.action_space.low, env.action_space.high)
    actions = random.uniform(low, high, (6, 2, *env.action_space.shape))
    for action in actions[:2]:
        env.step(action)
    env.restore(1, env.snapshot(0))
    for action in actions[2:]:
        observation, reward, *_ = env.step(np.stack([action[0], action[0]]))
        assert reward[0] == reward[1]
        for name, value in observation.items():
            np.testing.assert_array_equal(value[0], value[1], err_msg=name)


@pytest.mark.parametrize(("domain", "task"), BEGINNINGS)
def test_seeds_matter(domain, task):
    def start(seed):
        env = envpool.make_gymnasium(id_of(domain, task), num_envs=2, seed=seed)
        return env.reset()[0], env.reset()[0]

    (first, second), (again, _), (other, _) = start(4), start(4), start(5)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert any(not np.array_equal(first[name], second[name]) for name in first)
    assert any(not np.array_equal(first[name], other[name]) for name in first)
    assert any(not np.array_equal(first[name][0], first[name][1]) for name in first)


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


def test_options_of_tasks():
    assert envpool.make_spec("CartpoleThreePoles-v1", num_poles=5).observation_space["velocity"].shape == (6,)
    partial = envpool.make_spec("StackerStack2-v1", fully_observable=False).observation_space
    assert list(partial) == ["arm_pos", "arm_vel", "touch"]
    env = envpool.make_gymnasium("CartpoleThreePoles-v1", sparse=True)
    env.reset()
    assert env.step(np.zeros((1, 1)))[1] == 0
    with pytest.raises(ValueError, match="num_poles must be"):
        envpool.make_spec("CartpoleThreePoles-v1", num_poles=0)
    with pytest.raises(ValueError, match="task_name must be one of"):
        envpool.make_spec("CheetahRun-v1", task_name="fly")
    with pytest.raises(ValueError, match="the model has no body 'torso'"):
        envpool.make_spec("WalkerRun-v1", xml_file="<mujoco/>")
    with pytest.raises(TypeError, match="unknown option 'num_poles'"):
        envpool.make_spec("CheetahRun-v1", num_poles=2)


def test_lqr_ends_at_rest_and_its_springs_stay():
    env = envpool.make_dm("LqrLqr21-v1", num_envs=1, seed=1)
    environment = reference("lqr", "lqr_2_1")
    stiffness = []
    for _ in range(3):
        env.reset()
        state, _, model = read_snapshot(env.snapshot(0), "lqr", "lqr_2_1")
        stiffness.append(model["jnt_stiffness"])
        assert np.isclose(np.linalg.norm(state[1:3]), np.sqrt(2))
    assert len(np.unique(stiffness, axis=0)) == 1
    size = mujoco.mj_stateSize(environment.physics.model.ptr, STATE) * 8
    snapshot = env.snapshot(0)
    tail = sum(part.nbytes for part in model.values()) + 4 * 8
    at = len(snapshot) - tail - size
    still = np.frombuffer(snapshot[at : at + size]).copy()
    still[1:5] = 0
    env.restore(0, snapshot[:at] + still.tobytes() + snapshot[at + size :])
    last = env.step(np.zeros((1, 1)))
    assert last.step_type[0] == 2 and last.discount[0] == 0 and last.reward[0] == 1


def test_an_invalid_state_is_an_error_that_names_the_environment():
    env = envpool.make_gymnasium("LqrLqr21-v1", num_envs=2)
    env.reset()
    with pytest.raises(RuntimeError, match="physics state is invalid"):
        for _ in range(2000):
            env.step(np.full((2, 1), 1e10))
    env.reset()


def test_without_dm_control_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr("envpool.mujoco.dmc_models._suite", lambda: None)
    with pytest.raises(RuntimeError, match=r"\[CheetahRun-v1\] needs dm_control's models: .* dm_control==1.0.50"):
        envpool.make("CheetahRun-v1")
