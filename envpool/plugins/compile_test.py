# SPDX-License-Identifier: Apache-2.0
"""Tests `envpool.compile`: valid headers become environments, and invalid ones raise errors."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.plugins import cache
from envpool.python import registry

# Walk is a portable environment. The player starts in the middle of a line, and an episode ends at either end of it.
WALK = """
#pragma once
#include "envpool/core/api.h"

namespace games {
using namespace envpool;

struct Walk {
  static constexpr const char* kName = "Walk";
  struct Params { i32 length; };
  struct State { i32 place; };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { o.integer("length", 9, "fields of the line").between(3, 99); }
  static Params params(const OptionValues& v) { return {i32(v.integer("length"))}; }
  static void spec(const Params&, Spec& s) {
    s.obs<i32>("obs").bounds(0, 98);
    s.action<i32>().categories(2);
  }
  static void state_parts(StateParts<State>& parts) { parts.add("place", &State::place); }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng&) { s.place = p.length / 2; }
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    s.place += *action.at<i32>(0) ? 1 : -1;
    const bool won = s.place == p.length - 1;
    return {.reward = won ? 1.0f : 0.0f, .terminated = won || s.place == 0};
  }
  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) { *row.at<i32, 1>(0) = s.place; }
};

}  // namespace games
"""

# Thrower is a host environment that throws on action 1.
THROWER = """
#include <stdexcept>
#include <string>
#include <vector>
#include "envpool/core/api.h"

class Thrower {
 public:
  static constexpr const char* kName = "Thrower";
  struct Params {};
  static void options(envpool::OptionSpecs&) {}
  static Params params(const envpool::OptionValues&) { return {}; }
  static void spec(const Params&, envpool::Spec& s) {
    s.obs<float>("obs");
    s.action<int>().categories(2);
  }
  Thrower(const Params&, int env_id) : id_(env_id) {}
  void reset(envpool::Rng&) { past_.clear(); }
  envpool::Outcome step(envpool::ActionRow action, envpool::Rng&) {
    past_.push_back(*action.at<int>(0));
    if (past_.back() == 1) throw std::runtime_error("environment " + std::to_string(id_) + " got action 1");
    return {.reward = float(past_.size())};
  }
  void observe(envpool::Row row) { *row.at<float, 1>(0) = float(past_.size()); }

 private:
  int id_;
  std::vector<int> past_;
};
"""

CROWD = Path(os.environ.get("ENVPOOL_SOURCE_DIR", ""), "envpool", "testing", "crowd.h")
QUICK = ("-O0",)  # saves compilation time


@pytest.fixture(scope="module", autouse=True)
def cache_dir(tmp_path_factory):
    """Shares one cache among all tests, so that each header is compiled once."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("ENVPOOL_CACHE_DIR", str(folder))
        patch.delenv("CXX", raising=False)
        yield folder


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


def walk(header: str | os.PathLike[str] = WALK, id: str = "Walk-v0", **options):
    return envpool.compile(header, id, **{"flags": QUICK, **options})


# ---- valid headers ----


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
    from envpool.testing.registration import LIBRARY

    assert LIBRARY
    theirs = envpool.make("Crowd-v0", num_envs=3, seed=7)
    for name, array in theirs.reset()[1]["players"].items():
        assert np.array_equal(ours.reset(seed=7)[1]["players"][name], array)


def test_a_number_of_players_that_depends_on_options():
    """The header keeps its players in extra bytes, because it cannot have a struct Agent."""
    if not CROWD.is_file():
        pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are")
    source = CROWD.parents[2]  # with the header that draws, which is not installed
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
    begin = time.monotonic()
    assert walk(header, "Walk-v1").plugin == walk(WALK, "Walk-v2").plugin == first.plugin
    assert time.monotonic() - begin < 5


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


def test_a_cache_that_cannot_be_written(monkeypatch):
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", "/proc/envpool")
    words = r"^\[Kept-v0\] the cache /proc/envpool cannot be written .*for this process only.*ENVPOOL_CACHE_DIR"
    with pytest.warns(RuntimeWarning, match=words) as caught:
        made = walk(id="Kept-v0")
    assert caught[0].filename == __file__
    assert _first_observation(envpool.make("Kept-v0")) == [4]
    assert walk(id="Kept-v0").plugin == made.plugin  # there is no second warning for the same folder
    walk(WALK + "inline int other;\n", "Other-v0")  # another header does not repeat the warning


def test_a_full_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", str(tmp_path))

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "_write", full)
    monkeypatch.setattr("envpool.plugins.compiling._Build._compile", lambda build, text: b"")
    with pytest.raises(RuntimeError, match=r"cannot be written \(No space left.*set ENVPOOL_CACHE_DIR"):
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


# ---- bad arguments and headers ----

NO_STRUCT = ["has no struct with a `static constexpr const char* kName`"]
CALLS = [
    # Each case holds the arguments, the exception, and phrases that its message must contain.
    ({"source": "/nowhere/walk.h"}, FileNotFoundError, ["source", "'/nowhere/walk.h': does not exist"]),
    ({"source": "walk.h"}, FileNotFoundError, ["'walk.h': does not exist"]),
    ({"source": ""}, FileNotFoundError, ["source"]),
    ({"source": "/"}, FileNotFoundError, ["'/': is not a file"]),
    ({"source": "/dev/zero"}, FileNotFoundError, ["'/dev/zero': is not a file"]),
    ({"source": 3}, TypeError, ["source", "path of a header", "got 3"]),
    ({"source": "struct Walk {};" + "x" * 5000}, OSError, ["got 'struct Walk {};xxx", "...': File name too long"]),
    ({"source": None}, TypeError, ["source", "got None"]),
    ({"source": b"walk.h"}, TypeError, ["source"]),
    ({"source": "\n"}, envpool.CompileError, NO_STRUCT),
    ({"source": "// static constexpr const char* kName\nstruct A {};\n"}, envpool.CompileError, NO_STRUCT),
    ({"source": "\0\n"}, envpool.CompileError, NO_STRUCT),
    ({"id": "my env"}, ValueError, ["task_id", "got 'my env'"]),
    ({"id": ""}, ValueError, ["task_id", "got ''"]),
    ({"id": "a/b/c"}, ValueError, ["task_id", "at most one /"]),
    ({"id": 3}, TypeError, ["task_id", "got 3"]),
    ({"id": None}, TypeError, ["task_id", "got None"]),
    ({"id": "CartPole-v1"}, ValueError, ["not registered yet"]),
    ({"name": "Walk; int x"}, ValueError, ["name", "got 'Walk; int x'"]),
    ({"name": 3}, ValueError, ["name", "got 3"]),
    ({"flags": "-O0"}, TypeError, ["flags", "sequence of str", "got '-O0'"]),
    ({"flags": [3]}, TypeError, ["flags", "got [3]"]),
    ({"flags": None}, TypeError, ["flags", "got None"]),
    ({"cxx": 3}, TypeError, ["cxx", "got 3"]),
    ({"doc": 3}, TypeError, ["doc", "got 3"]),
    ({"defaults": [3]}, TypeError, ["defaults", "mapping", "got [3]"]),
    ({"timeout": 0}, ValueError, ["timeout", "more than 0", "got 0"]),
    ({"timeout": float("nan")}, ValueError, ["timeout", "got nan"]),
    ({"timeout": "1"}, TypeError, ["timeout", "got '1'"]),
    ({"cxx": "/nowhere/g++"}, envpool.CompileError, ["cxx", "'/nowhere/g++'", "not found", "install g++ 11"]),
    ({"cxx": "no-such-compiler -O2"}, envpool.CompileError, ["'no-such-compiler'"]),
    ({"cxx": "/"}, envpool.CompileError, ["'/'"]),
    ({"max_episode_steps": -1}, ValueError, ["max_episode_steps", "got -1"]),
    ({"max_episode_steps": 2**31}, ValueError, ["max_episode_steps"]),
    ({"max_episode_steps": 1.5}, TypeError, ["max_episode_steps", "got 1.5"]),
    ({"reward_threshold": "high"}, TypeError, ["reward_threshold", "got 'high'"]),
    ({"defaults": {"lenght": 5}}, TypeError, ["unknown option 'lenght'", "did you mean 'length'?"]),
    ({"defaults": {"length": 2}}, ValueError, ["length", "from 3 to 99", "got 2"]),
    ({"defaults": {"length": "5"}}, TypeError, ["length", "an int", "got '5'"]),
]


@pytest.mark.parametrize(("arguments", "error", "words"), CALLS, ids=[str(case[0])[:40] for case in CALLS])
def test_bad_arguments(arguments, error, words):
    walk()
    fails({"source": WALK, "id": "Bad-v0", "flags": QUICK, **arguments}, error, words)


def fails(arguments, error, words):
    with pytest.raises(error) as caught:
        envpool.compile(**arguments)
    text = str(caught.value)
    assert text.startswith("["), text
    for word in words:
        assert word in text, text
    assert len(text) < 3000
    if isinstance(arguments["id"], str) and arguments["id"] != "CartPole-v1":
        assert arguments["id"] not in registry._registry
    return caught.value


def without(line):
    (found,) = re.findall(rf".*{re.escape(line)}.*\n", WALK)
    return WALK.replace(found, "")


STEP = "Outcome step(State& s, const Params& p, ActionRow action, Rng&)"
HEADERS = [
    # Each case holds a header, and phrases that the message of its error must contain.
    (WALK.replace("s.place += ", "s.plaice += "), ["source:25:", "no member named 'plaice'", "s.plaice += *action"]),
    (WALK.replace("};\n\n}", "}\n\n}"), ["source:", "expected ';'"]),
    (WALK.replace("#pragma once", '#pragma once\n#include "gone.h"'), ["source:3:", "gone.h"]),
    (without("static void reset"), ["source:9: games::Walk has no static void reset(State&, const Params&, Rng&)"]),
    (without("static void observe"), ["games::Walk has no static void observe(const State&, const Params&, Row)"]),
    (without("static void options"), ["games::Walk has no static void options(OptionSpecs&)"]),
    (without("static Params params"), ["games::Walk has no static Params params(const OptionValues&)"]),
    (without("struct Params").replace("Params", "int"), ["games::Walk has no struct Params"]),
    (
        WALK.replace("State", "Condition").replace("ConditionParts", "StateParts"),
        ["games::Walk has no State (portable)"],
    ),
    (
        WALK.replace("ActionRow action, Rng&", "ActionRow action"),
        ["games::Walk's step is not static Outcome step(State&, const Params&, ActionRow, Rng&)"],
    ),
    (
        WALK.replace("Outcome step", "float step")
        .replace("return {.reward = won ? 1.0f : 0.0f,", "return (")
        .replace(" .terminated = won || s.place == 0};", "0);"),
        ["games::Walk's step is not static Outcome step"],
    ),
    (WALK.replace("static Outcome step", "Outcome step"), ["games::Walk's step is not static Outcome step"]),
    (
        WALK.replace("i32 place;", "std::string place_name; i32 place;"),
        ["games::Walk's State is not plain data"],
    ),
    (WALK.replace("struct Params { i32", "struct Params { std::string name; i32"), ["Params is not plain data"]),
    (WALK.replace("obs<i32>", "obs<short>"), ["source:17:", "bool, u8, i32, i64, f32 or f64"]),
    (WALK.replace("struct Params", "static constexpr i32 kPhases = 1;\n  struct Params"), ["kMaxPlayers"]),
    (THROWER.replace("Thrower(const Params&, int env_id) : id_(env_id)", "Thrower()"), ["Thrower has no constructor"]),
    (THROWER.replace("void observe(", "void look("), ["Thrower has no void observe(Row)"]),
    (THROWER.replace("void reset(", "void save(void*) {}\n  void reset("), ["Thrower's save is not", "save_size()"]),
    (WALK + "void far_away();\ninline int far = (far_away(), 1);\n", ["undefined reference to `far_away()'"]),
    (
        WALK + "template <int n> struct T { static constexpr int v = T<n + 1>::v; };\nint t = T<0>::v;\n",
        ["template instantiation depth"],
    ),
]


@pytest.mark.parametrize(("header", "words"), HEADERS, ids=[case[1][-1][:40] for case in HEADERS])
def test_bad_headers(header, words):
    error = fails({"source": header, "id": "Bad-v0", "flags": QUICK}, envpool.CompileError, words)
    assert "does not compile" in str(error) and "\ncommand: " in str(error)
    assert error.command and error.log
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.command, again.log) == (str(error), error.command, error.log)


def test_errors_name_the_file_as_it_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("walk.h").write_text(WALK.replace("won ?", "wn ?"))
    fails({"source": "walk.h", "id": "Bad-v0"}, envpool.CompileError, ["\nwalk.h:27: 'wn' was not declared"])


def test_file_names_with_special_characters(tmp_path):
    folder = tmp_path / 'it\'s "a" \\ folder ä'
    folder.mkdir()
    (folder / "my walk.h").write_text(WALK.replace("#pragma once", '#include "the rest.h"'))
    (folder / "the rest.h").write_text("#error not today\n")
    with pytest.raises(envpool.CompileError) as caught:
        walk(folder / "my walk.h", "Bad-v0")
    assert "the rest.h" in str(caught.value) and "#error not today" in str(caught.value)
    (folder / "the rest.h").write_text("")
    assert walk(folder / "my walk.h", "Odd/Name-v0").table == "Walk"


def test_a_lower_memory_limit_is_kept():
    code = f"import envpool; envpool.compile({WALK!r}, 'Walk-v0', flags={QUICK!r})"
    command = ["/bin/sh", "-c", 'ulimit -v 3000000; exec "$0" -c "$1"', sys.executable, code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_infinitely_recursive_template():
    endless = """
template <int n, int m> struct T { static constexpr int v = T<n - 1, 2 * m>::v + T<n - 1, 2 * m + 1>::v; };
template <int m> struct T<0, m> { static constexpr int v = m; };
int t = T<29, 0>::v;
"""
    begin = time.monotonic()
    fails(
        {"source": WALK + endless, "id": "Bad-v0", "timeout": 4},
        envpool.CompileError,
        ["stopped after timeout=4 seconds", "infinitely recursive template", "command: "],
    )
    assert time.monotonic() - begin < 60  # the compiler would take hours without the timeout


def test_code_that_crashes_when_it_is_loaded():
    crash = "struct Crash { Crash() { *static_cast<volatile int*>(nullptr) = 1; } };\nstatic Crash crash;\n"
    fails(
        {"source": WALK + crash, "id": "Bad-v0", "flags": QUICK},
        envpool.CompileError,
        ["compiles, but the plugin crashes (SIGSEGV) when it is loaded"],
    )


# ---- declarations ----

# The environment variable ODD selects the error that options(), params() or spec() makes.
ODD = """
#include <cstdlib>
#include <string_view>
#include "envpool/core/api.h"
using namespace envpool;

struct Odd {
  static constexpr const char* kName = "Odd";
  struct Params {};
  struct State {};
  static bool odd(std::string_view name) { return std::getenv("ODD") != nullptr && name == std::getenv("ODD"); }
  static void options(OptionSpecs& o) {
    if (odd("twice")) o.integer("a", 1, ""), o.real("a", 2, "");
    if (odd("common")) o.integer("num_envs", 1, "");
    if (odd("keyword")) o.integer("a b", 1, "");
    if (odd("low")) o.integer("a", 5, "").between(6, 9);
    if (odd("choice")) o.text("a", "c", "").one_of({"a", "b"});
    if (odd("option nan")) o.real("a", kInfinity - kInfinity, "");
    if (odd("bytes")) o.text("a", "\\xff", "");
    if (odd("throws")) throw std::runtime_error("no options today");
    if (odd("throws 1")) throw 1;
  }
  static Params params(const OptionValues&) {
    if (odd("params")) throw std::invalid_argument("no params today");
    return {};
  }
  static void spec(const Params&, Spec& s) {
    if (odd("no action")) return;
    if (odd("categories")) return void(s.action<i32>().categories(0));
    if (odd("small")) return void(s.action<u8>().categories(257));
    if (odd("float")) return void(s.action<f32>().categories(2));
    s.action<i32>().categories(2);
    if (odd("shape")) return void(s.obs<i32>("obs", {2, -1}));
    if (odd("huge")) return void(s.obs<i32>("obs", {1ll << 40, 1ll << 40}));
    if (odd("bounds")) return void(s.obs<f32>("obs").bounds(5, 3));
    if (odd("bound")) return void(s.obs<f32>("obs", {3}).bounds({1, 2}, {3, 4}));
    if (odd("nan")) return void(s.obs<f32>("obs").bounds(kInfinity - kInfinity, 1));
    if (odd("name")) return void(s.obs<f32>("a..b"));
    if (odd("reward")) return void(s.obs<f32>("reward"));
    if (odd("leaf")) s.obs<f32>("a"), s.obs<f32>("a.b");
    if (odd("players")) s.max_players = 0;
    if (odd("picture")) s.render_height = -4;
    s.obs<i32>("obs");
    if (odd("two")) s.obs<i32>("obs");
  }
  static void reset(State&, const Params&, Rng&) {}
  static Outcome step(State&, const Params&, ActionRow, Rng&) { return {}; }
  static void observe(const State&, const Params&, Row row) { *row.at<i32, 1>(0) = 0; }
};
"""
DECLARATIONS = {
    "twice": "options(): 'a' is declared twice",
    "common": "options(): 'num_envs' is an option that every environment has",
    "keyword": "options(): 'a b' cannot be a keyword in Python",
    "low": "options(): the default of 'a': expected an int from 6 to 9, got 5",
    "choice": "options(): the default of 'a': expected one of 'a', 'b', got 'c'",
    "option nan": "options(): a number is NaN",
    "bytes": "options(): a text is not UTF-8",
    "throws": "options(): no options today",
    "throws 1": "options(): threw something that is not a std::exception",
    "no action": "spec(): there is no action",
    "categories": "spec(): 'action' needs at least one category",
    "small": "spec(): 'action' cannot hold 257 categories in a uint8",
    "float": "spec(): 'action' cannot hold 2 categories in a float32",
    "shape": "spec(): 'obs' cannot have the shape (2, -1)",
    "huge": "spec(): 'obs' cannot have the shape (1099511627776, 1099511627776)",
    "bounds": "spec(): 'obs' has bounds from 5 to 3",
    "bound": "spec(): 'obs' has 3 elements and 2 low bounds",
    "nan": "spec(): a number is NaN",
    "name": "spec(): 'a..b' cannot be the name of an array",
    "reward": "spec(): every environment has an array 'reward'",
    "leaf": "spec(): 'a' is an array and cannot contain other arrays",
    "players": "spec(): max_players: expected 1..1, got 0",
    "picture": "spec(): the size of rendered images is negative",
    "two": "spec(): two arrays are named 'obs'",
}


@pytest.mark.parametrize("odd", DECLARATIONS)
def test_bad_declarations(odd, monkeypatch):
    envpool.compile(ODD, "Even-v0", flags=QUICK)
    monkeypatch.setenv("ODD", odd)
    fails({"source": ODD, "id": "Bad-v0", "flags": QUICK}, envpool.CompileError, [f"[Bad-v0] {DECLARATIONS[odd]}"])


def test_defaults_that_the_environment_rejects(monkeypatch):
    monkeypatch.setenv("ODD", "params")
    envpool.compile(ODD, "Choosy-v0", flags=QUICK)
    with pytest.raises(ValueError, match=r"^\[Choosy-v0\] no params today"):
        envpool.make("Choosy-v0")


# ---- compilers ----


def script(folder, text):
    path = folder / "cxx"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


COMPILERS = [
    ("exit 3\n", ["ended with status 3 and no message"]),
    ("echo no licence >&2; exit 1\n", ["no licence"]),
    ("exit 0\n", ["does not preprocess as a C++ compiler does"]),
    ("kill -9 $$\n", ["ended with status -9"]),
    ("head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 1\n", ["does not compile"]),
    ('case "$*" in *" -E "*) exec c++ "$@";; *) exit 0;; esac\n', ["succeeded but wrote no file"]),
]


@pytest.mark.parametrize(("text", "words"), COMPILERS, ids=[case[1][0] for case in COMPILERS])
def test_compilers_that_fail(text, words, tmp_path):
    fails({"source": WALK, "id": "Bad-v0", "cxx": script(tmp_path, text)}, envpool.CompileError, words)


def test_a_compiler_that_hangs(tmp_path):
    cxx = script(tmp_path, f"echo $$ > {tmp_path}/pid; sleep 1000 & sleep 1000\n")
    begin = time.monotonic()
    fails(
        {"source": WALK, "id": "Bad-v0", "cxx": cxx, "timeout": 0.5},
        envpool.CompileError,
        ["stopped after timeout=0.5 seconds"],
    )
    assert time.monotonic() - begin < 5
    group = int(Path(tmp_path, "pid").read_text())
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a process of the compiler is still running")


def test_a_machine_without_a_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    fails({"source": WALK, "id": "Bad-v0"}, envpool.CompileError, ["no C++ compiler", "install g++ 11", "ziglang"])
    monkeypatch.setenv("CXX", "my-g++")
    fails(
        {"source": WALK, "id": "Bad-v0"}, envpool.CompileError, ["$CXX: expected a compiler, got 'my-g++'", "not found"]
    )


def test_the_compiler_that_ziglang_contains(monkeypatch):
    pytest.importorskip("ziglang")
    monkeypatch.setattr("envpool.plugins.compiler.shutil.which", lambda name: None)
    envpool.compile(THROWER, "ZigThrower-v0")
    env = envpool.make("ZigThrower-v0", num_envs=2)
    env.reset()
    with pytest.raises(envpool.EnvError, match="environment 1 got action 1"):
        env.step(np.array([0, 1]))
    fails(
        {"source": WALK.replace("ActionRow action, Rng&", "ActionRow action"), "id": "Bad-v0"},
        envpool.CompileError,
        ["source:9: games::Walk's step is not static Outcome step"],
    )


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
