# SPDX-License-Identifier: Apache-2.0
"""Tests `envpool.compile` with valid headers: the environments, other processes, and the cache."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.plugins import cache
from envpool.python import registry
from tests.plugins.headers import QUICK, THROWER, WALK, walk

pytestmark = pytest.mark.usefixtures("cache_dir", "no_warning")
CROWD = Path(os.environ.get("ENVPOOL_SOURCE_DIR", ""), "tests", "environments", "crowd.h")

# ---- valid headers ----


@pytest.mark.sampled(one_in=2, group="compile")
def test_a_header_given_as_text():
    made = envpool.compile(WALK, id="Walk-v0", max_episode_steps=50, reward_threshold=0.5, defaults={"length": 11})
    assert made.table == "Walk"
    assert "Walk-v0" in envpool.list_all_envs()
    env = envpool.make("Walk-v0", num_envs=3)
    assert env.config["length"] == 11 and envpool.make_spec("Walk-v0").reward_threshold == 0.5
    assert env.reset()[0].tolist() == [5, 5, 5]
    for _ in range(5):
        obs, reward, terminated, truncated, info = env.step(np.array([0, 1, 1]))
    assert obs.tolist() == [0, 10, 10] and reward.tolist() == [0, 1, 1] and terminated.all() and not truncated.any()
    assert envpool.make_dm("Walk-v0").reset().observation.obs.tolist() == [5]
    vector = gymnasium.make_vec("envpool/Walk-v0", num_envs=4, length=5)
    assert vector.reset()[0].tolist() == [2] * 4
    state = env.snapshot(0)
    env.step(np.array([0, 1, 1]))
    env.restore(0, state)


def test_a_portable_environment_in_jax():
    jax = pytest.importorskip("jax")
    walk()
    env, params = envpool.jax.make("Walk-v0")
    obs, state = env.reset(jax.random.key(0), params)
    assert int(obs) == 4 and int(state.place) == 4
    obs, state, reward, done, info = jax.jit(env.step)(jax.random.key(1), state, 1, params)
    assert int(obs) == 5 and not bool(done)


def test_a_header_with_several_players():
    if not CROWD.is_file():
        pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are")
    envpool.compile(CROWD, "CompiledCrowd-v0", flags=QUICK)
    ours = envpool.make("CompiledCrowd-v0", num_envs=3, seed=7)
    from tests.environments.registration import LIBRARY

    assert LIBRARY
    theirs = envpool.make("Crowd-v0", num_envs=3, seed=7)
    for name, array in theirs.reset()[1]["players"].items():
        assert np.array_equal(ours.reset(seed=7)[1]["players"][name], array)


def test_a_number_of_players_that_depends_on_options():
    """The header keeps its players in extra bytes, because it cannot have a struct Agent."""
    if not CROWD.is_file():
        pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are")
    source = CROWD.parents[2]  # also has tag/canvas.h, which is not installed
    header = source / "envpool" / "tag" / "tag_gridworld.h"
    made = envpool.compile(header, "CompiledTag-v0", flags=[*QUICK, f"-I{source}"])
    options = {"num_envs": 2, "seed": 3, "num_taggers": 7}
    ours, theirs = (envpool.make(task_id, **options) for task_id in ("CompiledTag-v0", "TagGridWorld-v0"))
    assert np.array_equal(ours.reset()[0], theirs.reset()[0])
    for _ in range(5):
        steps = [env.step(np.ones(16, np.int32)) for env in (ours, theirs)]
        assert np.array_equal(steps[0][0], steps[1][0]) and np.array_equal(steps[0][1], steps[1][1])
    device = made.load().device
    assert device is not None and (device["type"], device["header"]) == ("envpool::tag::TagGridWorld", "")


def test_options_that_are_arrays():
    declared = """between(3, 99).sets(&Params::length);
        o.integers("steps", {-1, 1}, "moves of the actions").between(-1, 3).sets(&Params::steps);
        o.reals("rewards", {0, 1}, "of an ordinary step, and of the last one").sets(&Params::rewards); }"""
    header = WALK.replace("struct Params { i32 length; };", "struct Params { i32 length, steps[2]; f64 rewards[2]; };")
    header = header.replace("between(3, 99); }", declared)
    header = header.replace('static Params params(const OptionValues& v) { return {i32(v.integer("length"))}; }', "")
    header = header.replace("s.place += *action.at<i32>(0) ? 1 : -1;", "s.place += p.steps[*action.at<i32>(0)];")
    header = header.replace("won ? 1.0f : 0.0f", "f32(p.rewards[won])")
    envpool.compile(header, "Strides-v0")
    with envpool.make_gymnasium("Strides-v0", num_envs=1, rewards=[-0.5, 2.0]) as env:
        env.reset()
        assert [env.step(np.ones(1, np.int32))[1][0] for _ in range(4)] == [-0.5, -0.5, -0.5, 2.0]
    with pytest.raises(ValueError, match=r"steps: expected an array of shape \(2,\), each element an int from -1 to 3"):
        envpool.make_gymnasium("Strides-v0", steps=[-1, 4])
    with pytest.raises(envpool.CompileError, match=r"the default of 'steps': expected an array of shape \(2,\)"):
        envpool.compile(header.replace("{-1, 1}", "{-2, 1}"), "Strides-v1")


def test_an_option_has_the_range_of_the_member_that_it_sets():
    header = WALK.replace("between(3, 99)", "sets(&Params::length)").replace("params(const", "made(const")
    walk(header, "Long-v0")
    for length in (2**40 + 1, 2**31, -(2**31) - 1):
        with pytest.raises(ValueError, match="length: expected an int from -2147483648 to 2147483647, got"):
            envpool.make("Long-v0", length=length)
    assert envpool.make("Long-v0", length=2**31 - 1).reset()[0] == 2**30 - 1
    with pytest.raises(
        envpool.CompileError, match="'length' is a real number, but sets a member that holds only integ"
    ):
        walk(header.replace("o.integer(", "o.real("), "Long-v1")


def test_a_host_environment_that_throws():
    made = envpool.compile(THROWER, "Thrower-v0", flags=QUICK)
    assert made.table == "Thrower"
    env = envpool.make("Thrower-v0", num_envs=3)
    env.reset()
    with pytest.raises(envpool.EnvError, match="environment 1 got action 1"):
        env.step(np.array([0, 1, 0]))
    assert env.step(np.array([0, 0, 0]))[0].tolist() == [2, 1, 2]
    jax = pytest.importorskip("jax")
    assert jax
    with pytest.raises(ValueError, match="Thrower-v0"):
        envpool.jax.make("Thrower-v0")


def test_a_cached_plugin_is_not_compiled_again(tmp_path):
    header = tmp_path / "walk.h"
    header.write_text(WALK)
    first = walk(header)
    file = os.stat(first.plugin).st_ino
    assert walk(header, "Walk-v1").plugin == walk(WALK, "Walk-v2").plugin == first.plugin
    assert os.stat(first.plugin).st_ino == file


@pytest.mark.sampled(one_in=2, group="compile")
def test_a_changed_header_replaces_the_environment_for_new_pools(tmp_path):
    header, other = tmp_path / "walk.h", tmp_path / "prize.h"
    header.write_text(WALK.replace("1.0f : 0.0f", "kPrize : 0.0f").replace("#pragma once", '#include "prize.h"'))
    other.write_text("inline constexpr float kPrize = 2;\n")
    first = walk(header, "Prize-v0", defaults={"length": 3})
    old = envpool.make("Prize-v0")
    old.reset()
    other.write_text("inline constexpr float kPrize = 3;\n")
    second = walk(header, "Prize-v0", defaults={"length": 3})
    assert first.plugin != second.plugin
    new = envpool.make("Prize-v0")
    new.reset()
    assert [env.step(np.array([1]))[1].item() for env in (old, new)] == [2, 3]
    copy = pickle.loads(pickle.dumps(old))
    copy.reset()
    assert copy.step(np.array([1]))[1].item() == 2

    jax = pytest.importorskip("jax")
    env, params = envpool.jax.make("Prize-v0")
    obs, state = env.reset(jax.random.key(0), params)
    assert float(env.step(jax.random.key(0), state, 1, params)[2]) == 3


@pytest.mark.sampled(one_in=2, group="compile")
def test_headers_with_several_structs():
    two = WALK + WALK.replace("Walk", "Stroll").replace("#pragma once", "").replace("namespace games", "namespace more")
    with pytest.raises(envpool.CompileError, match=r"several environments.*'games::Walk' \(line 9\).*'more::Stroll'"):
        walk(two, "Two-v0")
    assert walk(two, "Two-v0", name="Stroll").table == "Stroll"
    hidden = WALK.replace("struct Walk {", "#define OPEN struct Walk {\nOPEN")
    with pytest.raises(envpool.CompileError, match="has no struct"):
        walk(hidden, "Hidden-v0")
    assert walk(hidden, "Hidden-v0", name="games::Walk").table == "Walk"


# ---- other processes ----


def _first_observation(pool):
    return pool.reset()[0].tolist()


def test_a_pickled_pool_in_a_spawned_process():
    walk()
    with multiprocessing.get_context("spawn").Pool(1) as workers:
        assert workers.apply(_first_observation, [envpool.make("Walk-v0", num_envs=2)]) == [4, 4]


CHILD = """
import sys, envpool
made = envpool.compile(sys.argv[1], "Race-v0", flags=["-O0"])
assert envpool.make("Race-v0", num_envs=2).reset()[0].tolist() == [4, 4]
print(made.plugin)
"""


@pytest.mark.sampled(one_in=2, group="compile")
def test_two_processes_compile_the_same_header(tmp_path):
    header = tmp_path / "race.h"
    header.write_text(WALK)
    env = {**os.environ, "ENVPOOL_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", CHILD, str(header)]
    both = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    paths = {process.communicate()[0].strip() for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert [str(path) for path in (tmp_path / "cache" / "plugins").iterdir()] == list(paths)


def test_threads_compile_the_same_header():
    made = []
    threads = [
        threading.Thread(target=lambda i=i: made.append(walk(WALK + "// anew\n", f"Thread-v{i % 2}"))) for i in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 3 and len({each.plugin for each in made}) == 1


# ---- the cache ----


@pytest.mark.sampled(one_in=2, group="compile")
def test_a_damaged_plugin_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", str(tmp_path))
    plugin = Path(walk(WALK, "Cut-v0").plugin)
    whole = plugin.read_bytes()
    for content in (whole[:5000], whole[:-1], b"", whole[:3000] + b"?" + whole[3001:]):
        replacement = plugin.with_suffix(".new")  # the old file is mapped into memory and must not change
        replacement.write_bytes(content)
        os.replace(replacement, plugin)
        assert cache.find(plugin.name) is None
    registry._tables.pop(str(plugin))
    assert Path(walk(WALK, "Cut-v0").plugin) == plugin
    assert plugin.read_bytes() == whole
    assert _first_observation(envpool.make("Cut-v0")) == [4]
    plugin.unlink()
    registry._tables.pop(str(plugin))
    with pytest.raises(RuntimeError, match=r"^\[Cut-v0\] .* is missing at .*call envpool.compile again"):
        envpool.make("Cut-v0")


@pytest.mark.sampled(one_in=2, group="compile")
def test_a_cache_that_cannot_be_written(monkeypatch):
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", "/proc/envpool")
    words = r"^\[Kept-v0\] the cache /proc/envpool cannot be used .*for this process only.*ENVPOOL_CACHE_DIR"
    with pytest.warns(RuntimeWarning, match=words) as caught:
        made = walk(id="Kept-v0")
    assert caught[0].filename == walk.__code__.co_filename
    assert _first_observation(envpool.make("Kept-v0")) == [4]
    assert walk(id="Kept-v0").plugin == made.plugin  # there is no second warning for the same folder
    walk(WALK + "inline int other;\n", "Other-v0")  # another header does not repeat the warning


def test_a_full_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", str(tmp_path))

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "_write", full)
    monkeypatch.setattr("envpool.plugins.compiling._Build._compile", lambda build, text: b"")
    with pytest.raises(RuntimeError, match=r"cannot be used \(No space left.*set ENVPOOL_CACHE_DIR"):
        walk(WALK + "inline int full;\n", "Full-v0")
    assert "Full-v0" not in envpool.list_all_envs()


def test_location_of_the_cache(monkeypatch):
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", "~/mine")
    monkeypatch.setenv("HOME", "/home/me")
    assert str(cache.cache_folder()) == "/home/me/mine"
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert str(cache.cache_folder()) == "/xdg/envpool"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert str(cache.cache_folder()) == "/home/me/.cache/envpool"


# ---- folders for build systems ----


@pytest.mark.parametrize(
    ("option", "file"),
    [("--include-dir", "envpool/core/table/contract.h"), ("--cmake-dir", "envpool-config.cmake")],
)
def test_folders_are_printed_without_optional_packages(option, file):
    code = f"""
        import sys
        sys.modules["typer"] = sys.modules["rich"] = None
        sys.argv = ["envpool", {option!r}]
        import envpool.__main__
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert Path(out.stdout.strip(), file).is_file()
    assert out.stdout.strip() == {"--include-dir": envpool.get_include, "--cmake-dir": envpool.get_cmake_dir}[option]()


def test_several_folders_are_printed():
    command = [sys.executable, "-m", "envpool", "--include-dir", "--cmake-dir"]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    assert out.stdout.splitlines() == [envpool.get_include(), envpool.get_cmake_dir()]
