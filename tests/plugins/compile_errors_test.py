# SPDX-License-Identifier: Apache-2.0
"""Tests the errors of `envpool.compile`: bad arguments, headers, declarations and compilers."""

from __future__ import annotations

import os
import pickle
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import envpool
from tests.plugins.headers import QUICK, THROWER, WALK, fails, walk
from tests.support.waiting import promptly, until

pytestmark = pytest.mark.usefixtures("cache_dir", "no_warning")

# ---- temporary folders ----


@pytest.mark.parametrize("limit", [100, 20_000])
def test_a_temporary_folder_without_space(limit: int) -> None:
    """A limit for the size of files stands for a full disk: first the source cannot be written, then the plugin."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        with pytest.raises(
            RuntimeError, match=r"^\[Full-v0\] the temporary folder .* cannot be written \(File too large"
        ) as caught:
            walk(WALK + f"// {limit}\n", "Full-v0")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not isinstance(caught.value, envpool.CompileError) and "set TMPDIR" in str(caught.value)


def test_no_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    with pytest.raises(RuntimeError, match=r"^\[Full-v0\] there is no temporary folder: .*/nowhere"):
        walk(id="Full-v0")


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
    ({"reward_threshold": float("nan")}, ValueError, ["reward_threshold: expected a number or None, got nan"]),
    ({"defaults": {"lenght": 5}}, TypeError, ["unknown option 'lenght'", "did you mean 'length'?"]),
    ({"defaults": {"length": 2}}, ValueError, ["length", "from 3 to 99", "got 2"]),
    ({"defaults": {"length": "5"}}, TypeError, ["length", "an int", "got '5'"]),
]


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(("arguments", "error", "words"), CALLS, ids=[str(case[0])[:40] for case in CALLS])
def test_bad_arguments(arguments, error, words):
    walk()
    fails({"source": WALK, "id": "Bad-v0", "flags": QUICK, **arguments}, error, words)


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
    (
        WALK.replace("struct Params { i32", "struct Params { Params(int); i32").replace(
            "static Params params(", "void made("
        ),
        ["no default constructor, so it needs params()"],
    ),
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


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(("header", "words"), HEADERS, ids=[case[1][-1][:40] for case in HEADERS])
def test_bad_headers(header, words):
    error = fails({"source": header, "id": "Bad-v0", "flags": QUICK}, envpool.CompileError, words)
    assert "does not compile" in str(error) and "\ncommand: " in str(error)
    assert error.command and error.log
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.command, again.log) == (str(error), error.command, error.log)


def test_a_struct_that_the_header_does_not_have():
    words = ["does not compile:\nname: expected a struct of the header, got 'Run': ", "\ncommand: "]
    error = fails({"source": WALK, "id": "Bad-v0", "name": "Run", "flags": QUICK}, envpool.CompileError, words)
    assert "unit.cc" not in str(error)


@pytest.mark.parametrize("flag", ["-ffast-math", "-Ofast", "-ffinite-math-only"])
def test_flags_that_change_results(flag):
    fails(
        {"source": WALK, "id": "Bad-v0", "flags": [flag]}, envpool.CompileError, ["expected a compiler without", flag]
    )


def test_an_option_that_nothing_reads_is_refused():
    words = ["options(): 'length' has no sets(), and there is no params() that reads it"]
    fails({"source": without("static Params params"), "id": "Bad-v0", "flags": QUICK}, envpool.CompileError, words)


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


@pytest.mark.sampled(one_in=3, group="compiler")
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


@pytest.mark.parametrize("status", [0, 3])
def test_code_that_ends_the_process(status):
    source = WALK.replace("spec(const Params&, Spec& s) {", f"spec(const Params&, Spec& s) {{ std::exit({status});")
    fails(
        {"source": source.replace("#pragma once", "#include <cstdlib>"), "id": "Bad-v0", "flags": QUICK},
        envpool.CompileError,
        [f"compiles, but the plugin ends the process with status {status} when it is loaded"],
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
    if (odd("argument")) o.integer("env_ids", 1, "");
    if (odd("method")) o.integer("items", 1, "");
    if (odd("words")) o.integer("a b", 1, "");
    if (odd("keyword")) o.integer("lambda", 1, "");
    if (odd("low")) o.integer("a", 5, "").between(6, 9);
    if (odd("choice")) o.text("a", "c", "").one_of({"a", "b"});
    if (odd("option nan")) o.real("a", kInfinity - kInfinity, "");
    if (odd("bytes")) o.text("a", "\\xff", "");
    if (odd("bytes of doc")) o.text("a", "b", "caf\\xe9");
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
    if (odd("info")) s.info<i32>("task_id"), s.info<f32>("info:final_obs.x");
    if (odd("own info")) s.info<i32>("info:env_id");
    if (odd("own infos")) s.info<i32>("info:players");
    if (odd("leaf")) s.obs<f32>("a"), s.obs<f32>("a.b");
    if (odd("players")) s.max_players = 0;
    if (odd("image")) s.render_height = -4;
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
    "argument": "options(): 'env_ids' cannot be an option, because set_options has an argument of this name",
    "method": "options(): 'items' cannot be an option, because the parameters of envpool.jax have an attribute of this name",
    "words": "options(): 'a b' cannot be the name of an argument in Python",
    "keyword": "options(): 'lambda' cannot be the name of an argument in Python",
    "low": "options(): the default of 'a': expected an int from 6 to 9, got 5",
    "choice": "options(): the default of 'a': expected one of 'a', 'b', got 'c'",
    "option nan": "options(): the default of 'a': expected a number, got nan",
    "bytes": "options(): a text is not UTF-8",
    "bytes of doc": "options(): a text is not UTF-8",
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
    "nan": "spec(): 'obs' has bounds from nan to 1",
    "name": "spec(): 'a..b' cannot be the name of an array",
    "reward": "spec(): every environment has an array 'reward'",
    "info": "spec(): 'task_id' cannot be an info, because it is the number of the id in mixed pools",
    "own info": "spec(): 'env_id' cannot be an info, because every info has an array 'env_id'",
    "own infos": "spec(): 'players' cannot be an info, because every info has an array 'players.env_id'",
    "leaf": "spec(): 'a' is an array and cannot contain other arrays",
    "players": "spec(): max_players: expected 1..1, got 0",
    "image": "spec(): the size of rendered images is negative",
    "two": "spec(): two arrays are named 'obs'",
}


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("odd", DECLARATIONS)
def test_bad_declarations(odd, monkeypatch):
    envpool.compile(ODD, "Even-v0", flags=QUICK)
    monkeypatch.setenv("ODD", odd)
    # options() runs once in each plugin, so each case is a plugin of its own.
    source = ODD.replace('"Odd"', f'"Odd: {odd}"')
    fails({"source": source, "id": "Bad-v0", "flags": QUICK}, envpool.CompileError, [f"[Bad-v0] {DECLARATIONS[odd]}"])


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


@pytest.mark.sampled(one_in=3, group="compiler")
def test_a_compiler_that_hangs(tmp_path):
    cxx = script(tmp_path, f"echo $$ > {tmp_path}/pid; sleep 1000 & sleep 1000\n")
    with promptly():
        fails(
            {"source": WALK, "id": "Bad-v0", "cxx": cxx, "timeout": 2},
            envpool.CompileError,
            ["stopped after timeout=2 seconds"],
        )
    group = int(Path(tmp_path, "pid").read_text())

    def ended() -> bool:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        return False

    until(ended, "no process of the compiler runs")


def test_a_machine_without_a_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    fails({"source": WALK, "id": "Bad-v0"}, envpool.CompileError, ["no C++ compiler", "install g++ 11", "ziglang"])
    monkeypatch.setenv("CXX", "my-g++")
    fails(
        {"source": WALK, "id": "Bad-v0"}, envpool.CompileError, ["$CXX: expected a compiler, got 'my-g++'", "not found"]
    )


@pytest.mark.sampled(one_in=3, group="compiler")
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
