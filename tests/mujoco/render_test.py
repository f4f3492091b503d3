# SPDX-License-Identifier: Apache-2.0
"""Tests that images have the same pixels as those of gymnasium, dm_control and MuJoCo with the same OpenGL.

Software rendering takes a third of a second for an image, mostly for shadows, so tests that do not compare shadows
disable them. ENVPOOL_IMAGES=1 compares all of gymnasium's environments.
"""

import os
import subprocess
import sys
import threading

import gymnasium
import mujoco
import numpy as np
import pytest

import envpool

FAST = {"shadow_size": 0, "antialias": 0}
ALL = ["Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup", "InvertedDoublePendulum", "InvertedPendulum"]
ALL = [f"{name}-v{version}" for name in [*ALL, "Swimmer", "Walker2d"] for version in (4, 5)]
SOME = ["HalfCheetah-v5", "Hopper-v4", "InvertedDoublePendulum-v4", "InvertedDoublePendulum-v5"]
KNOWN = set(envpool.list_all_envs())


def has_opengl():
    try:
        with envpool.make_gymnasium("Mujoco-v0", from_pixels=True):
            return True
    except ValueError as error:
        if os.environ.get("CI_NEEDS_OPENGL"):
            raise
        return "install Mesa" not in str(error)


pytestmark = pytest.mark.skipif(not has_opengl(), reason="OpenGL is not installed")


@pytest.fixture(autouse=True)
def egl(monkeypatch):
    """Makes the references use EGL."""
    monkeypatch.setenv("MUJOCO_GL", "egl")


def pool(task_id="HalfCheetah-v5", **options):
    return envpool.make_gymnasium(task_id, **{"render_mode": "rgb_array", **FAST, **options})


def actions(env, count, steps):
    return np.random.default_rng(0).uniform(-1, 1, (steps, count, *env.action_space.shape))


@pytest.mark.parametrize("backend", ["envpool", "mujoco"])
@pytest.mark.parametrize("task_id", ALL if os.environ.get("ENVPOOL_IMAGES") else SOME)
def test_images_equal_those_of_gymnasium(task_id, backend):
    size = {"width": 120, "height": 100}
    reference = gymnasium.make(task_id, render_mode="rgb_array", **size)
    with pool(task_id, backend=backend, shadow_size=-1, antialias=-1, reset_noise_scale=0.0, **size) as env:
        env.reset()
        reference.reset()
        reference.unwrapped.set_state(reference.unwrapped.init_qpos, reference.unwrapped.init_qvel)
        for action in [None, *actions(env, 1, 1)]:
            if action is not None:
                env.step(action)
                reference.step(action[0])
            if backend == "envpool":
                # mj_step leaves positions of geoms that are one integration old, which gymnasium shows.
                mujoco.mj_forward(reference.unwrapped.model, reference.unwrapped.data)
            np.testing.assert_array_equal(env.render()[0], reference.render())
    np.testing.assert_array_equal(reference.render(), reference.render())  # the reference's context still works
    reference.close()


def test_camera_options_of_gymnasium():
    options = {"reset_noise_scale": 0.0, "width": 64, "height": 48}
    for camera in (
        {"camera_name": "track"},
        {"default_camera_config": {"distance": 3.0, "azimuth": 30.0, "lookat": np.array([0.5, 0, 1])}},
    ):
        reference = gymnasium.make("HalfCheetah-v5", render_mode="rgb_array", **options, **camera)
        reference.reset()
        with pool(shadow_size=-1, antialias=-1, **options, **camera) as env:
            env.reset()
            np.testing.assert_array_equal(env.render()[0], reference.render())
        reference.close()
    with pool(gymnasium_v5_render_camera=False, **options) as env, pool(camera_name="track", **options) as other:
        env.reset()
        other.reset()
        np.testing.assert_array_equal(env.render(), other.render())


def image_of(model, data, camera, width=90, height=60):
    """Returns an image that MuJoCo renders."""
    from mujoco.egl import GLContext

    gl = GLContext(width, height)
    gl.make_current()
    context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_150)
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
    scene, option, rect = mujoco.MjvScene(model, 1000), mujoco.MjvOption(), mujoco.MjrRect(0, 0, width, height)
    mujoco.mjv_updateScene(model, data, option, mujoco.MjvPerturb(), camera, mujoco.mjtCatBit.mjCAT_ALL, scene)
    mujoco.mjr_render(rect, scene, context)
    image = np.zeros((height, width, 3), np.uint8)
    mujoco.mjr_readPixels(image, None, rect, context)
    context.free()
    gl.free()
    return image[::-1]


def test_images_of_a_custom_model_equal_those_of_mujoco():
    with pool("Mujoco-v0", shadow_size=-1, antialias=-1, width=90, height=60, observation="qpos", num_envs=2) as env:
        env.reset()
        env.step(np.ones((2, 2)))
        image = env.render([1])[0]
        path = os.path.join(os.path.dirname(envpool.__file__), "mujoco", "generic", "two_link_arm.xml")
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    data.ctrl[:] = 1
    mujoco.mj_step(model, data)
    camera = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, camera)
    np.testing.assert_array_equal(image, image_of(model, data, camera))


def test_images_show_the_model_of_the_environment():
    xml = """<mujoco><worldbody>
      <light pos="0 0 3"/><camera name="front" pos="0 -2 1" euler="70 0 0"/><geom type="plane" size="2 2 .1"/>
      <body name="arm" pos="0 0 .5"><joint name="hinge" axis="0 1 0"/><geom type="capsule" size=".1" fromto="0 0 0 .5 0 0"/>
      </body></worldbody><actuator><motor joint="hinge"/></actuator></mujoco>"""
    moved = [[0, 0, 0], [0.3, 0, 0.8]]
    size = {"width": 90, "height": 60, "shadow_size": -1, "antialias": -1}
    with pool("Mujoco-v0", xml_file=xml, camera_name="front", num_envs=3, **size) as env:
        env.reset()
        before = env.render([0, 1])
        env.set_options([1, 2], **{"model.body_pos": moved})
        np.testing.assert_array_equal(env.render([0, 1]), before)
        env.reset()
        images = env.render([0, 1, 2])
    model = mujoco.MjModel.from_xml_string(xml)
    model.body_pos[:] = moved
    data = mujoco.MjData(model)
    mujoco.mj_setConst(model, data)
    mujoco.mj_resetData(model, data)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    expected = image_of(model, data, camera)
    np.testing.assert_array_equal(images[1:], [expected, expected])
    np.testing.assert_array_equal(images[0], before[0])
    assert (images[0] != expected).any()


def play(threads, frame_stack=3, **options):
    seen, drawn = [], []
    with pool(num_envs=3, num_threads=threads, from_pixels=True, frame_stack=frame_stack, seed=1, **options) as env:
        assert env.observation_space.shape == (3 * frame_stack, 84, 84)
        assert env.observation_space.dtype == np.uint8
        seen.append(env.reset()[0].copy())
        drawn.append(env.render([0, 1, 2]).transpose(0, 3, 1, 2))
        for action in actions(env, 3, 6):
            observation, _, _, _, info = env.step(action)
            assert "x_velocity" in info
            seen.append(observation.copy())
            drawn.append(env.render([0, 1, 2]).transpose(0, 3, 1, 2))
    return seen, drawn


def test_pixels_are_stacked_images():
    seen, drawn = play(1, max_episode_steps=4)
    begins = [0, 5]
    for step in range(7):
        first = max(begin for begin in begins if begin <= step)
        expected = np.concatenate([drawn[max(step - back, first)] for back in (2, 1, 0)], axis=1)
        np.testing.assert_array_equal(seen[step], expected)
    assert (drawn[1] != drawn[2]).any()
    assert (drawn[1][0] != drawn[1][1]).any()
    np.testing.assert_array_equal(seen, play(2, max_episode_steps=4)[0])


@pytest.mark.parametrize("task_id", ["HalfCheetah-v4", "CheetahRun-v1"])
def test_pixels_are_named_as_in_envpool(task_id):
    options = {"num_envs": 2, "from_pixels": True, "frame_stack": 2, "seed": 1}
    spec = envpool.make_spec(task_id, **options)
    assert spec.state_array_spec["obs:pixels"] == ([6, 84, 84], np.uint8, 0, 255)
    assert not any(name.startswith("obs") for name in spec.state_array_spec.keys() - {"obs:pixels"})
    pixels = spec.observation_spec().pixels
    assert (pixels.name, pixels.shape, pixels.minimum.shape) == ("pixels", (6, 84, 84), ())
    with envpool.make_dm(task_id, **options) as env, envpool.make_gymnasium(task_id, **options) as other:
        action = np.zeros((2, *env.action_spec().shape))
        for timestep, obs in ((env.reset(), other.reset()[0]), (env.step(action), other.step(action)[0])):
            assert type(timestep.observation)._fields == type(spec.observation_spec())._fields
            assert obs.shape == (2, 6, 84, 84)
            assert np.array_equal(timestep.observation.pixels, obs)


def test_final_obs_has_the_last_image_of_an_episode():
    with pool(from_pixels=True, frame_stack=2, max_episode_steps=2, autoreset_mode="same_step") as env:
        env.reset()
        first = env.step(np.ones((1, 6)))[0]
        observation, *_, info = env.step(np.ones((1, 6)))
        np.testing.assert_array_equal(np.asarray(info["final_obs"][0])[:3], first[0, 3:])
        np.testing.assert_array_equal(observation[0, :3], observation[0, 3:])


@pytest.mark.parametrize("backend", ["envpool", "mujoco"])
def test_rendering_does_not_change_the_physics(backend):
    two = {"num_envs": 2, "backend": backend}
    with pool(**two) as env, pool(**two) as other, pool(num_envs=2, from_pixels=True) as pixels:
        for each in (env, other, pixels):
            each.reset()
        for action in actions(env, 2, 20):
            first, second = env.step(action), other.step(action)
            other.render([0, 1])
            assert first[0].tobytes() == second[0].tobytes()
            if backend == "mujoco":
                assert first[4]["x_velocity"].tobytes() == pixels.step(action)[4]["x_velocity"].tobytes()


def test_threads_draw_robots_at_the_same_time():
    images = []
    with pool("Ant-v5", num_envs=3, width=40, height=30) as env:
        env.reset()
        threads = [
            threading.Thread(target=lambda: images.extend(env.render([0, 1, 2]) for _ in range(5))) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(images) == 15
        assert all(np.array_equal(each, images[0]) for each in images)
        assert (images[0][0] != images[0][1]).any()
        assert env.render([]).shape == (0, 30, 40, 3)


def test_snapshots_contain_stacked_images():
    with pool(from_pixels=True, frame_stack=3, num_envs=2) as env:
        env.reset()
        todo = actions(env, 2, 8)
        for action in todo[:4]:
            env.step(action)
        state = env.snapshot(1)
        first = [env.step(action)[0][1].copy() for action in todo[4:]]
        env.restore(1, state)
        np.testing.assert_array_equal(first, [env.step(action)[0][1] for action in todo[4:]])


def test_sizes():
    with pool() as env:
        assert env.render().shape == (1, 480, 480, 3)  # also before the first reset
    with pool(from_pixels=True, render_width=20, render_height=10) as env:
        assert env.reset()[0].shape == (1, 3, 10, 20)
        assert env.render().shape == (1, 10, 20, 3)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"camera_name": "nope"}, ValueError, "camera_name: expected one of the model's 1: 0 'track', got 'nope'"),
        ({"camera_id": 7}, ValueError, "render_camera_id: expected -1 or one of the model's 1: 0 'track', got 7"),
        ({"camera_id": 0, "camera_name": "track"}, ValueError, "camera_name: expected no name if"),
        ({"width": 3, "render_width": 4}, TypeError, "width and render_width are the same option"),
        ({"default_camera_config": {"speed": 3}}, ValueError, "default_camera_config: expected .* got 'speed=3.0'"),
        ({"default_camera_config": {"lookat": 3}}, ValueError, "default_camera_config: expected .* got 'lookat=3.0'"),
        (
            {"default_camera_config": {"distance": 10**5000}},
            ValueError,
            "default_camera_config: expected .* be printed",
        ),
        ({"default_camera_config": {10**5000: 1}}, ValueError, "default_camera_config: expected"),
        ({"default_camera_config": 3}, TypeError, "default_camera_config: expected"),
        ({"render_width": 10**6}, ValueError, "render_width: expected"),
        ({"frame_stack": 0}, ValueError, "frame_stack: expected"),
    ],
)
def test_invalid_options(options, error, words):
    with pytest.raises(error, match=r"^\[HalfCheetah-v5\] " + words):
        pool(**options)


def run(code, **variables):
    """Runs code in a separate process, which must exit normally. Returns its output."""
    result = subprocess.run(
        [sys.executable, "-c", "import os, envpool, numpy as np\n" + code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **variables},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split("\n")


MAKE = f"""
def make(**options):
    return envpool.make_gymnasium("HalfCheetah-v5", num_envs=2, width=40, height=30, **{FAST}, **options)
def attempt(what):
    try:
        what()
    except Exception as error:
        print(type(error).__name__, error)
    else:
        print("fine")
"""


def test_without_opengl_the_pool_keeps_working():
    printed = run(
        MAKE
        + """
env = make(render_mode="rgb_array")
env.reset()
attempt(env.render)
attempt(lambda: env.step(np.zeros((2, 6))))
attempt(lambda: make(from_pixels=True))
""",
        MUJOCO_GL="osmesa",
        LD_LIBRARY_PATH="",
    )
    if printed[0] == "fine":
        pytest.skip("OSMesa is installed")
    assert printed[0].startswith("RuntimeError [HalfCheetah-v5] render: rendering needs OpenGL")
    assert "apt-get install" in printed[0]
    assert printed[1] == "fine"
    assert printed[2].startswith("ValueError [HalfCheetah-v5] render: rendering needs OpenGL")


@pytest.mark.skipif("CheetahRun-v1" not in KNOWN, reason="the suite is not registered")
def test_images_equal_those_of_dm_control():
    """Runs in a separate process, because dm_control chooses its OpenGL when it is imported."""
    pytest.importorskip("dm_control")
    printed = run(
        """
from dm_control import suite
from tests.mujoco.dmc_test import Reference
for domain, task, name, camera in (("cheetah", "run", "CheetahRun-v1", -1), ("fish", "swim", "FishSwim-v1", 0)):
    options = {"render_width": 96, "render_height": 64, "render_camera_id": camera}
    with envpool.make_gymnasium(name, render_mode="rgb_array", **options) as env:
        env.reset()
        environment = suite.load(domain, task)
        Reference(domain, task, environment, environment.physics.model.ptr).set_to(env.snapshot(0))
        action = np.full((1, *env.action_space.shape), 0.5)
        for _ in range(2):
            env.step(action)
            environment.step(action[0])
        image = environment.physics.render(64, 96, camera)
        print(np.array_equal(env.render()[0], image), image.std() > 1)
""",
        MUJOCO_GL="egl",
    )
    assert printed[:-1] == ["True True"] * 2


@pytest.mark.parametrize("backend", ["envpool", "mujoco"])
def test_an_environment_that_is_being_stepped_is_not_rendered(backend):
    env = pool(backend=backend, num_envs=2)
    env.reset()
    env.send(np.zeros((2, *env.action_space.shape)))
    with pytest.raises(RuntimeError, match=r"^\[HalfCheetah-v5\] render: "):
        env.render()
    env.recv()
    assert env.render().shape == (1, 480, 480, 3)
    env.close()


def test_rendering_after_a_fork():
    printed = run(
        MAKE
        + """
before = make(render_mode="rgb_array")
before.reset()
if os.fork() == 0:  # nothing has been rendered yet, so the child may render
    env = make(from_pixels=True)
    attempt(env.reset)
    env.close()
    os._exit(0)
os.wait()
before.render()
if os.fork() == 0:
    env = make(render_mode="rgb_array")
    env.reset()
    attempt(before.render)
    attempt(env.render)
    attempt(lambda: env.step(np.zeros((2, 6))))
    env.close()
    os._exit(0)
os.wait()
attempt(before.render)
"""
    )
    assert printed[0] == "fine"
    assert "made in the parent process" in printed[1]
    assert printed[2].startswith(
        "RuntimeError [HalfCheetah-v5] render: this process was forked after its parent had rendered"
    )
    assert printed[3:5] == ["fine"] * 2


def test_closed_pools_free_their_contexts():
    printed = run(
        MAKE
        + """
import gc, threading
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6  # MB
def use():
    env = make(from_pixels=True, render_mode="rgb_array", num_threads=2)
    env.reset()
    env.step(np.zeros((2, 6)))
    thread = threading.Thread(target=env.render)
    thread.start()
    thread.join()
    env.render()
    return env
def close(env):
    env.close()
    return env
def growth_per_pool(count, then):
    gc.collect()
    first = resident()
    kept = [then(use()) for _ in range(count)]
    gc.collect()
    return (resident() - first) / count, kept
growth_per_pool(1, close)
opened, kept = growth_per_pool(3, lambda env: env)
print(opened)
growth_per_pool(2, close)  # leaves free memory, which the next ones use
print(growth_per_pool(8, close)[0])
left = make(from_pixels=True, num_threads=2)
left.reset()
running = make(from_pixels=True, num_threads=2)
running.async_reset()
print("end")
"""
    )
    # An open pool has three contexts of about 10 MB each. Memory also grows for other reasons, by a few MB at times.
    opened, closed = float(printed[0]), float(printed[1])
    assert closed < opened / 6
    assert printed[2] == "end"
