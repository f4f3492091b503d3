# SPDX-License-Identifier: Apache-2.0
"""Tests how the releases of MuJoCo are told apart, each in a process of its own.

Whether robots equal gymnasium's is tested with 3.17.0 by gym_test.py, and with 4.0.0 by `make test-mujoco4`, which runs
the same tests.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none"))
FOLDERS = {"3.17.0": "", "4.0.0": str(SOURCE / "build" / "mujoco4")}  # that come before the installed packages
OTHER = {"3.17.0": "4.0.0", "4.0.0": "3.17.0"}

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="MuJoCo 4.0.0 needs Python 3.11")
each_release = pytest.mark.parametrize("release", FOLDERS)


def run(release, code, *arguments):
    """Runs a program with a release of MuJoCo. Returns what it prints."""
    folder = FOLDERS[release]
    assert not folder or Path(folder, "mujoco").is_dir(), "first: make build/mujoco4/.ready"
    begin = f"import sys\n{f'sys.path.insert(0, {folder!r})' if folder else ''}\nimport envpool, numpy as np\n{TOOLS}"
    command = [sys.executable, "-c", begin + textwrap.dedent(code), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TOOLS = """
import hashlib

def error_of(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"

def play(pool, steps):
    space, digest = pool.action_space, hashlib.sha256()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        action = rng.uniform(np.maximum(space.low, -1), np.minimum(space.high, 1))
        digest.update(pool.step(np.stack([action] * len(pool)))[0].tobytes())
    return digest.hexdigest()

def robot(task_id="Ant-v5", **options):
    pool = envpool.make_gymnasium(task_id, seed=3, **options)
    pool.reset()
    return pool
"""


@each_release
def test_the_installed_release_is_loaded_with_its_own_shared_object(release):
    output = run(
        release,
        """
        print(envpool.python.registry.find("Pusher-v5").reference)
        robot("Pusher-v5", num_envs=2).close()
        words = open("/proc/self/maps").read().split()
        print(*sorted({word.rpartition("/")[2] for word in words if "libmujoco" in word}))
        """,
    )
    assert output.splitlines() == [
        f"MuJoCo {release}, gymnasium 1.4.0, envs/mujoco",
        f"libmujoco.so.{release} libmujoco_{release}.so",
    ]


def test_robots_keep_their_bits_but_the_librarys_differ():
    code = """
    print(play(robot(), 100), play(robot(backend="mujoco"), 100))
    """
    (old, old_library), (new, new_library) = (run(release, code).split() for release in FOLDERS)
    assert old == new
    assert old_library != new_library


@each_release
def test_images_of_robots(release):
    output = run(
        release,
        """
        options = {"render_mode": "rgb_array", "width": 64, "height": 48, "shadow_size": 0, "antialias": 0}
        try:
            images = [robot("Hopper-v5", backend=backend, **options).render()[0] for backend in ("envpool", "mujoco")]
        except ValueError as error:
            assert "install Mesa" in str(error), error
        else:
            assert images[0].std() > 10
            np.testing.assert_array_equal(*images)
        """,
    )
    assert output == ""


@each_release
def test_a_snapshot_of_the_other_release_is_refused(release, tmp_path):
    pools = """
    pools = [robot("Pusher-v5"), robot("Mujoco-v0", flat=True), robot(backend="mujoco"), robot()]
    """
    save = """
    for number, pool in enumerate(pools):
        play(pool, 5)
        with open(f"{sys.argv[1]}/{number}", "wb") as file:
            file.write(pool.snapshot(0))
    print(play(pools[3], 5))
    """
    restore = """
    for number, pool in enumerate(pools):
        with open(f"{sys.argv[1]}/{number}", "rb") as file:
            print(error_of(pool.restore, 0, file.read()))
    print(*[play(pool, 5) for pool in pools])
    """
    ours = run(OTHER[release], pools + save, tmp_path)
    *errors, last, digests = run(release, pools + restore, tmp_path).splitlines()
    for label, error in zip(("Pusher-v5", "Mujoco-v0", "Ant-v5"), errors, strict=True):
        assert error.startswith(f"ValueError: [{label}] restore: state: expected a snapshot of {label}")
        assert "one that another release of its library made" in error
    # Our own solver's robots continue, whatever is installed.
    assert last == "no error"
    assert digests.split()[3] == ours


def test_plastic_springs_of_the_new_release():
    # Their deformation is a part of a state that 3.17.0 does not have.
    output = run(
        "4.0.0",
        """
        import mujoco
        xml = '''<mujoco><worldbody><body><joint name="j" stiffness="20" springyield="{}"/>
        <geom type="capsule" size=".1" fromto="0 0 0 1 0 0"/></body></worldbody>
        <actuator><motor joint="j" gear="100"/></actuator></mujoco>'''
        model = mujoco.MjModel.from_xml_string(xml.format(0.1))
        data, rng = mujoco.MjData(model), np.random.default_rng(0)
        pool = robot("Mujoco-v0", xml_file=xml.format(0.1), observation="qpos,qvel", flat=True)
        elastic = robot("Mujoco-v0", xml_file=xml.format(0), observation="qpos,qvel", flat=True)
        for step in range(60):
            data.ctrl[:] = rng.uniform(-1, 1, 1)
            mujoco.mj_step(model, data)
            observation = pool.step(data.ctrl[None])[0]
            np.testing.assert_array_equal(observation[0], [*data.qpos, *data.qvel])
        assert data.plastic.any()
        state = pool.snapshot(0)
        first = play(pool, 20)
        pool.restore(0, state)
        print(play(pool, 20) == first)
        print(error_of(elastic.restore, 0, state))
        """,
    )
    same, error = output.splitlines()
    assert same == "True"
    assert error.startswith(
        "ValueError: [Mujoco-v0] restore: state: expected a snapshot of Mujoco-v0 with the same options"
    )


def test_the_control_suite_needs_an_old_release():
    output = run(
        "4.0.0",
        """
        for make in (envpool.make, envpool.make_dm, envpool.make_gymnasium, envpool.make_spec):
            print(error_of(make, "CheetahRun-v1"))
        robot("Pusher-v5")  # loads the shared object, which also has the Control Suite
        print(error_of(envpool.make, "WalkerWalk-v1", from_pixels=True))
        print(envpool.python.registry.find("CheetahRun-v1").reference)
        """,
    )
    *errors, reference = output.splitlines()
    text = "needs MuJoCo 3.17.0, found 4.0.0, with which no task of dm_control 1.0.50 can be loaded: install it with: "
    names = ["CheetahRun-v1"] * 4 + ["WalkerWalk-v1"]
    assert errors == [f"MissingPackageError: [{name}] {text}pip install mujoco==3.17.0" for name in names]
    assert reference == "MuJoCo 3.17.0, dm_control 1.0.50, suite"


@each_release
def test_a_process_that_has_loaded_the_library_of_the_other_release(release):
    # Symbols of a library that was loaded with RTLD_GLOBAL come before those of the library that ours is linked to.
    output = run(
        release,
        """
        import ctypes
        ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
        print(error_of(envpool.make, "Pusher-v5"))
        robot("CartPole-v1"), robot()
        """,
        library_of(OTHER[release]),
    )
    other = OTHER[release]
    assert output == (
        f"RuntimeError: [Pusher-v5] cannot load MuJoCo {release}, because this process has loaded MuJoCo {other}"
    )


@each_release
def test_a_process_that_has_loaded_the_same_library(release):
    output = run(
        release,
        """
        import ctypes
        ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
        print(play(robot("Pusher-v5"), 5))
        """,
        library_of(release),
    )
    assert output == run(release, "print(play(robot('Pusher-v5'), 5))")


@each_release
def test_two_releases_in_a_process_without_global_symbols(release):
    output = run(
        release,
        """
        import ctypes
        other = ctypes.CDLL(sys.argv[1])
        print(play(robot("Pusher-v5"), 5))
        """,
        library_of(OTHER[release]),
    )
    assert output == run(release, "print(play(robot('Pusher-v5'), 5))")


def library_of(release):
    """Returns the path of MuJoCo's library."""
    code = "from envpool.mujoco import releases; print(releases.installed()[1])"
    return run(release, code)


@each_release
def test_a_release_for_which_the_package_was_not_compiled(release):
    output = run(
        release,
        """
        import envpool.mujoco.family as family
        find = family.find_library
        family.find_library = lambda name, file: "" if sys.argv[1] in file else find(name, file)
        print(error_of(envpool.make, "Pusher-v5"))
        robot()
        """,
        release,
    )
    other = OTHER[release]
    assert output == (
        f"MissingPackageError: [Pusher-v5] needs MuJoCo {other}, found {release}, for which envpool was not compiled: "
        f"install it with: pip install mujoco=={other}"
    )


def test_a_build_that_cannot_download_a_release(tmp_path):
    # A build finds 3.17.0 in its Python environment, and would download 4.0.0.
    programs = Path(sys.executable).parent
    command = [programs / "cmake", "-S", SOURCE, "-B", tmp_path, "-G", "Ninja", "-DENVPOOL_BINDINGS=OFF"]
    command += [f"-DPython_EXECUTABLE={sys.executable}", f"-DCMAKE_MAKE_PROGRAM={programs / 'ninja'}"]
    env = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "pip cannot download mujoco-core 4.0.0, which needs a network and the module pip: ERROR: No" in done.stdout
    assert "MuJoCo 4.0.0 is not available: the family mujoco is built without it" in done.stdout
    rules = (tmp_path / "build.ninja").read_text()
    assert "libmujoco_3.17.0.so" in rules
    assert "libmujoco_4.0.0.so" not in rules
