# SPDX-License-Identifier: Apache-2.0
"""Whatever is thrown at a pool: a clear exception within a second, or the documented behaviour, and the pool goes on.

CASES is the whole list of misuse; every row runs at every face it concerns. The rest of the file is what does not fit
into a row: forks, signals, threads, environments that throw or hang.
"""

import copy
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import envpool
from envpool.testing.registration import release

FACES = {
    "gymnasium": {"env_type": "gymnasium"},
    "classic": {"env_type": "gym", "step_api": "classic"},
    "dm": {"env_type": "dm"},
}
NAN, INF = float("nan"), float("inf")


def make(face, task_id="Counter-v0", **options):
    return envpool.make(task_id, **{**FACES[face], **options})


def observation_of(result):
    if hasattr(result, "observation"):
        return result.observation.obs
    return result[0] if isinstance(result, tuple) else result


@pytest.fixture(autouse=True)
def in_time():
    start = time.monotonic()
    yield
    assert time.monotonic() - start < 5  # each bad call alone is held to a second below


def fails(call, error, *words):
    """The call raises that error, within a second, in words that begin with the id and name what is wrong."""
    start = time.monotonic()
    with pytest.raises(error) as caught:
        call()
    assert time.monotonic() - start < 1
    text = str(caught.value)
    assert text.startswith("["), text
    for word in words:
        assert word in text, text
    assert len(text) < 1500


# ---- make ----

MAKE = [
    # options, the error, words of its text
    ({"num_envs": 0}, ValueError, ["num_envs", "from 1 to", "got 0"]),
    ({"num_envs": -1}, ValueError, ["num_envs", "got -1"]),
    ({"num_envs": True}, TypeError, ["num_envs", "an int", "got True"]),
    ({"num_envs": 1.5}, TypeError, ["num_envs", "an int", "got 1.5"]),
    ({"num_envs": "3"}, TypeError, ["num_envs", "an int", "got '3'"]),
    ({"num_envs": None}, TypeError, ["num_envs", "an int", "got None"]),
    ({"num_envs": 10**9}, ValueError, ["num_envs", "to 1048576", "got 1000000000"]),
    ({"num_envs": 10**30}, ValueError, ["num_envs", "got 1000000000000"]),
    ({"batch_size": 5, "num_envs": 4}, ValueError, ["batch_size", "num_envs = 4", "got 5"]),
    ({"batch_size": 2}, ValueError, ["batch_size", "num_envs = 1", "got 2"]),
    ({"batch_size": -1, "num_envs": 4}, ValueError, ["batch_size", "got -1"]),
    ({"batch_size": 2.0, "num_envs": 4}, TypeError, ["batch_size", "got 2.0"]),
    ({"num_threads": -1}, ValueError, ["num_threads", "from 0 to 1024", "got -1"]),
    ({"num_threads": 10_000}, ValueError, ["num_threads", "from 0 to 1024", "got 10000"]),
    ({"num_threads": 2**40}, ValueError, ["num_threads"]),
    ({"num_threads": "all"}, TypeError, ["num_threads", "got 'all'"]),
    ({"thread_affinity_offset": -2}, ValueError, ["thread_affinity_offset", "got -2"]),
    ({"thread_affinity_offset": "automatic"}, ValueError, ["thread_affinity_offset", "'auto' or", "got 'automatic'"]),
    ({"thread_affinity_offset": None}, TypeError, ["thread_affinity_offset"]),
    ({"seed": -1}, ValueError, ["seed", "0 to 2**64 - 1", "got -1"]),
    ({"seed": 2**64}, ValueError, ["seed", "got 18446744073709551616"]),
    ({"seed": 1.5}, TypeError, ["seed", "got 1.5"]),
    ({"seed": NAN}, TypeError, ["seed", "got nan"]),
    ({"seed": True}, TypeError, ["seed", "got True"]),
    ({"seed": "7"}, TypeError, ["seed", "got '7'"]),
    ({"seed": [1, 2], "num_envs": 3}, ValueError, ["seed", "sequence of 3", "sequence of 2"]),
    ({"seed": [1, -2], "num_envs": 2}, ValueError, ["seed[1]", "got -2"]),
    ({"seed": [1, None], "num_envs": 2}, TypeError, ["seed[1]", "got None"]),
    ({"seed": np.array([0.5, 1]), "num_envs": 2}, TypeError, ["seed[0]"]),
    ({"env_seed": [1], "num_envs": 2}, ValueError, ["env_seed", "sequence of 2"]),
    ({"env_seed": 3}, TypeError, ["env_seed", "got 3"]),
    ({"max_episode_steps": -1}, ValueError, ["max_episode_steps", "got -1"]),
    ({"max_episode_steps": 2**31}, ValueError, ["max_episode_steps"]),
    ({"max_episode_steps": 10.5}, TypeError, ["max_episode_steps", "got 10.5"]),
    ({"max_num_players": 0}, ValueError, ["max_num_players", "got 0"]),
    ({"max_num_players": 2}, ValueError, ["max_num_players", "must be 1", "got 2"]),
    ({"reward_threshold": "high"}, TypeError, ["reward_threshold", "got 'high'"]),
    ({"base_path": 3}, TypeError, ["base_path", "got 3"]),
    ({"render_mode": "ansi"}, ValueError, ["render_mode", "None, 'rgb_array' or 'human'", "got 'ansi'"]),
    ({"render_mode": "human"}, ValueError, ["render_mode", "no picture", "got 'human'"]),
    ({"render_width": -1}, ValueError, ["render_width", "from 0 to 8192", "got -1"]),
    ({"render_height": 10**6}, ValueError, ["render_height", "from 0 to 8192", "got 1000000"]),
    ({"render_height": 8.5}, TypeError, ["render_height", "an int", "got 8.5"]),
    ({"render_camera_id": "left"}, TypeError, ["render_camera_id", "an int", "got 'left'"]),
    ({"render_mode": 1}, TypeError, ["render_mode", "got 1"]),
    ({"render_mode": "rgb_array"}, ValueError, ["render_mode", "no picture"]),
    ({"render_env_id": 1}, ValueError, ["render_env_id", "got 1"]),
    ({"render_env_id": "0"}, TypeError, ["render_env_id", "got '0'"]),
    ({"autoreset_mode": "sometimes"}, ValueError, ["autoreset_mode", "'next_step'", "got 'sometimes'"]),
    ({"autoreset_mode": None}, TypeError, ["autoreset_mode", "got None"]),
    ({"step_api": "old"}, ValueError, ["step_api", "'classic'", "got 'old'"]),
    ({"env_options": {}, "num_envs": 1}, None, []),
    ({"env_options": {"width": 1}}, TypeError, ["env_options", "sequence"]),
    ({"env_options": [{}, {}, {}], "num_envs": 2}, ValueError, ["env_options", "num_envs = 2", "got 3"]),
    ({"env_options": [3]}, TypeError, ["env_options[0]", "got 3"]),
    ({"env_options": [{"width": 3}]}, ValueError, ["env_options[0]", "width", "shape"]),
    ({"env_options": [{"depth": 3}]}, TypeError, ["env_options[0]", "unknown option 'depth'"]),
    ({"env_options": [{"step_reward": "x"}]}, TypeError, ["env_options[0]", "step_reward", "got 'x'"]),
    ({"env_options": [{"max_episode_steps": -1}]}, ValueError, ["env_options[0]", "max_episode_steps"]),
    ({"num_env": 3}, TypeError, ["unknown option 'num_env'", "did you mean 'num_envs'?", "batch_size"]),
    ({"step_rewards": 3}, TypeError, ["did you mean 'step_reward'?"]),
    ({"xyzzy": 3}, TypeError, ["unknown option 'xyzzy'", "Options: num_envs"]),
    ({"step_reward": "1"}, TypeError, ["step_reward", "a number", "got '1'"]),
    ({"step_reward": None}, TypeError, ["step_reward", "got None"]),
    ({"step_reward": NAN}, ValueError, ["step_reward", "got nan"]),
    ({"step_reward": INF}, ValueError, ["step_reward", "got inf"]),
    ({"step_reward": 1001}, ValueError, ["step_reward", "from -1000 to 1000", "got 1001"]),
    ({"step_reward": 13}, ValueError, ["step_reward", "bad luck"]),  # refused in C++
    ({"width": 0}, ValueError, ["width", "from 1 to 1000000", "got 0"]),
    ({"width": 2.0}, TypeError, ["width", "an int", "got 2.0"]),
    ({"width": 10**20}, ValueError, ["width"]),
    ({"colour": "blue"}, ValueError, ["colour", "one of 'red', 'green'", "got 'blue'"]),
    ({"colour": 1}, TypeError, ["colour", "got 1"]),
    ({"colour": "x" * 10_000}, ValueError, ["colour", "..."]),
    ({"loud": 1}, TypeError, ["loud", "True or False", "got 1"]),
    ({"loud": "yes"}, TypeError, ["loud", "got 'yes'"]),
]


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(("options", "error", "words"), MAKE, ids=[str(row[0])[:60] for row in MAKE])
def test_make(face, options, error, words):
    if error is None:
        make(face, **options)
        return
    fails(lambda: make(face, **options), error, "[Counter-v0]", *words)
    if "step_api" not in options:
        fails(lambda: envpool.make_spec("Counter-v0", **options), error, *words)
    assert observation_of(make(face).reset()).shape == (1, 2)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: envpool.make("Conter-v0"), ValueError, ["[Conter-v0]", "task_id", "did you mean", "'Counter-v0'"]),
        (lambda: envpool.make("QQQQ"), ValueError, ["[QQQQ]", "list_all_envs"]),
        (lambda: envpool.make(3), TypeError, ["task_id", "got 3"]),
        (lambda: envpool.make("Counter-v0", "gymnasum"), ValueError, ["env_type", "'gymnasium'", "got 'gymnasum'"]),
        (lambda: envpool.make_spec("Pnog-v5"), ValueError, ["[Pnog-v5]"]),
        (
            lambda: envpool.make_dm("Counter-v0", autoreset_mode="same_step"),
            ValueError,
            ["autoreset_mode", "same_step"],
        ),
        (lambda: envpool.make_dm("Counter-v0", step_api="classic"), ValueError, ["step_api", "make_gym"]),
        (lambda: envpool.make_gymnasium("Counter-v0", step_api="classic"), ValueError, ["step_api", "make_gym"]),
        (
            lambda: envpool.make_gymnasium("Counter-v0", gym_reset_return_info=False),
            ValueError,
            ["gym_reset_return_info", "got False"],
        ),
        (lambda: envpool.make_vec("Counter-v0", 4, batch_size=2), ValueError, ["batch_size", "num_envs = 4", "got 2"]),
        (lambda: envpool.make_vec("Crowd-v0", 4), ValueError, ["players", "make_gymnasium"]),
        (lambda: envpool.make("Counter-v0", num_envs=2**20, width=10**6), MemoryError, ["num_envs", "1048576"]),
        (
            lambda: envpool.make("Trouble-v0", throw_in_constructor=True),
            (ValueError, RuntimeError),
            ["there is no making me"],
        ),
    ],
)
def test_doors(call, error, words):
    fails(call, error, *words)


# ---- use ----

# What is called on a pool of four Counters after its first reset; the error; words of its text.
DISCRETE = [
    ("too few rows", lambda e: e.step(np.zeros(2, np.int32)), ValueError, ["action", "(4,)", "(2,)"]),
    ("too many rows", lambda e: e.step(np.zeros(8, np.int32)), ValueError, ["action", "(4,)", "(8,)"]),
    ("no rows", lambda e: e.step(np.zeros(0, np.int32)), ValueError, ["action", "(0,)"]),
    ("fewer rows than ids", lambda e: e.step(np.zeros(2, np.int32), [0, 1, 2]), ValueError, ["action", "(3,)"]),
    ("more rows than ids", lambda e: e.step(np.zeros(4, np.int32), [0, 1, 2]), ValueError, ["action", "(3,)"]),
    ("2-D", lambda e: e.step(np.zeros((4, 1), np.int32)), ValueError, ["action", "(4, 1)"]),
    ("an int", lambda e: e.step(0), ValueError, ["action", "(4,)", "()"]),
    ("a NumPy scalar", lambda e: e.step(np.int32(0)), ValueError, ["action", "()"]),
    ("None", lambda e: e.step(None), TypeError, ["action", "None"]),
    ("str", lambda e: e.step("0000"), (TypeError, ValueError), ["action"]),
    ("list of str", lambda e: e.step(["0"] * 4), TypeError, ["action"]),
    ("ragged", lambda e: e.step([[0], [0, 1], 0, 0]), (TypeError, ValueError), ["action"]),
    ("objects", lambda e: e.step(np.array([None] * 4)), TypeError, ["action"]),
    ("half", lambda e: e.step([0, 0, 0.5, 0]), ValueError, ["action", "an integer in 0..1", "got 0.5 in row 2"]),
    ("float NaN", lambda e: e.step([0, NAN, 0, 0]), ValueError, ["action", "got nan in row 1"]),
    ("float inf", lambda e: e.step([0, 0, 0, INF]), ValueError, ["action", "got inf in row 3"]),
    ("float -inf", lambda e: e.step(np.full(4, -INF, np.float32)), ValueError, ["action", "got -inf in row 0"]),
    ("float 2**60", lambda e: e.step([0.0, 2.0**60, 0, 0]), ValueError, ["action", "got 1152921504606846976 in row 1"]),
    ("float 1e300", lambda e: e.step([1e300, 0, 0, 0]), ValueError, ["action", "got 1e+300 in row 0"]),
    ("float 2**63", lambda e: e.step([2.0**63, 0, 0, 0]), ValueError, ["action", "got 9.223372036854776e+18 in row 0"]),
    ("float below", lambda e: e.step([0, 0, -1.0, 0]), ValueError, ["action", "an integer in 0..1", "got -1 in row 2"]),
    ("float above", lambda e: e.step([0, 2.0, 0, 0]), ValueError, ["action", "an integer in 0..1", "got 2 in row 1"]),
    ("float of 16 bits", lambda e: e.step(np.full(4, 0.5, np.float16)), ValueError, ["got 0.5 in row 0"]),
    ("floats, too few", lambda e: e.step(np.zeros(2)), ValueError, ["action", "(4,)", "(2,)"]),
    ("complex", lambda e: e.step(np.zeros(4, complex)), TypeError, ["action", "complex"]),
    ("2", lambda e: e.step(np.array([0, 0, 2, 0])), ValueError, ["action", "0..1", "got 2", "row 2"]),
    ("-1", lambda e: e.step(np.array([-1, 0, 0, 0])), ValueError, ["action", "got -1", "row 0"]),
    ("2**40", lambda e: e.step(np.array([0, 0, 0, 2**40])), ValueError, ["action", "row 3"]),
    ("2**64 - 1", lambda e: e.step(np.array([2**64 - 1, 0, 0, 0], np.uint64)), ValueError, ["action"]),
    ("2**80", lambda e: e.step([2**80, 0, 0, 0]), (TypeError, ValueError), ["action"]),
    ("dict without the action", lambda e: e.step({"env_id": [0]}), ValueError, ["action", "missing"]),
    (
        "dict with a key too many",
        lambda e: e.step({"action": [0] * 4, "x": 1}),
        ValueError,
        ["unknown key x", "action"],
    ),
    ("dict, wrong value", lambda e: e.step({"action": np.full(4, 0.5)}), ValueError, ["action", "got 0.5"]),
    ("id too large", lambda e: e.step([0], [4]), ValueError, ["env_id", "0..3", "got 4"]),
    ("id negative", lambda e: e.step([0], [-1]), ValueError, ["env_id", "got -1"]),
    ("id repeated", lambda e: e.step([0, 0], [1, 1]), ValueError, ["env_id", "1", "repeated"]),
    ("id of float", lambda e: e.step([0], [1.0]), TypeError, ["env_id", "float64"]),
    ("id of str", lambda e: e.step([0], ["1"]), TypeError, ["env_id"]),
    ("id of bool", lambda e: e.step([0], [True]), TypeError, ["env_id", "bool"]),
    ("id an int", lambda e: e.step([0], 1), ValueError, ["env_id", "one-dimensional"]),
    ("id 2-D", lambda e: e.step([0], [[1]]), ValueError, ["env_id", "(1, 1)"]),
    ("id empty", lambda e: e.step(np.zeros(0, np.int32), []), ValueError, ["env_id"]),
    ("id 2**40", lambda e: e.step([0], [2**40]), ValueError, ["env_id"]),
    ("reset, id too large", lambda e: e.reset([4]), ValueError, ["env_id", "got 4"]),
    ("reset, id negative", lambda e: e.reset(np.array([0, -1])), ValueError, ["env_id", "got -1"]),
    ("reset, id repeated", lambda e: e.reset([2, 2]), ValueError, ["env_id", "repeated"]),
    ("reset, id of float", lambda e: e.reset([0.5]), TypeError, ["env_id"]),
    ("reset, id of str", lambda e: e.reset("all"), TypeError, ["env_id"]),
    ("reset, seed negative", lambda e: e.reset(seed=-1), ValueError, ["seed", "got -1"]),
    ("reset, seed of float", lambda e: e.reset(seed=1.0), TypeError, ["seed", "got 1.0"]),
    ("reset, seed of str", lambda e: e.reset(seed="1"), TypeError, ["seed"]),
    ("reset, seed 2**64", lambda e: e.reset(seed=2**64), ValueError, ["seed"]),
    ("reset, too few seeds", lambda e: e.reset(seed=[1, 2]), ValueError, ["seed", "4", "2"]),
    ("reset, ids too large with seed", lambda e: e.reset([9], seed=1), ValueError, ["env_id", "got 9"]),
    ("seed negative", lambda e: e.seed(-1), ValueError, ["seed", "got -1"]),
    ("recv with nothing under way", lambda e: e.recv(), RuntimeError, ["recv", "nothing is under way"]),
    ("recv with a timeout and nothing under way", lambda e: e.recv(timeout=0.1), RuntimeError, ["recv"]),
    ("recv, timeout negative", lambda e: e.recv(timeout=-1), ValueError, ["timeout", "got -1"]),
    ("recv, timeout nan", lambda e: e.recv(timeout=NAN), ValueError, ["timeout", "got nan"]),
    ("recv, timeout str", lambda e: e.recv(timeout="1"), TypeError, ["timeout", "got '1'"]),
    ("snapshot, id too large", lambda e: e.snapshot(4), ValueError, ["env_id", "got 4"]),
    ("snapshot, id of float", lambda e: e.snapshot(0.5), TypeError, ["env_id", "got 0.5"]),
    ("snapshot, id huge", lambda e: e.snapshot(2**40), ValueError, ["env_id"]),
    ("restore, not bytes", lambda e: e.restore(0, "x"), TypeError, ["state", "str"]),
    ("restore, empty", lambda e: e.restore(0, b""), ValueError, ["state"]),
    ("restore, cut short", lambda e: e.restore(0, e.snapshot(0)[:-1]), ValueError, ["state"]),
    ("restore, id negative", lambda e: e.restore(-1, e.snapshot(0)), ValueError, ["env_id"]),
    ("clone, source too large", lambda e: e.clone(4, [0]), ValueError, ["source_env_id", "got 4"]),
    ("clone, source negative", lambda e: e.clone(-1, [0]), ValueError, ["source_env_id", "got -1"]),
    ("clone, source of float", lambda e: e.clone(0.0, [1]), TypeError, ["source_env_id", "got 0.0"]),
    ("clone, two sources", lambda e: e.clone([0, 1], [2]), TypeError, ["source_env_id"]),
    ("clone, id too large", lambda e: e.clone(0, [1, 4]), ValueError, ["env_ids", "got 4"]),
    ("clone, id of str", lambda e: e.clone(0, "all"), TypeError, ["env_ids"]),
    ("clone, id repeated", lambda e: e.clone(0, [1, 1]), ValueError, ["env_id", "repeated"]),
    ("clone, no ids", lambda e: e.clone(0, []), ValueError, ["env_id"]),
    ("clone, seed negative", lambda e: e.clone(0, [1], seed=-1), ValueError, ["seed", "got -1"]),
    ("clone, too few seeds", lambda e: e.clone(0, [1, 2], seed=[1]), ValueError, ["seed", "2", "1"]),
    ("players, id too large", lambda e: e.players([4]), ValueError, ["env_id"]),
    ("render", lambda e: e.render(), RuntimeError, ["render_mode='rgb_array'"]),
    ("close, timeout str", lambda e: e.close("now"), TypeError, ["timeout"]),
]


@pytest.mark.parametrize("batch_size", [4, 2])
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(("call", "error", "words"), [row[1:] for row in DISCRETE], ids=[row[0] for row in DISCRETE])
def test_use(face, batch_size, call, error, words):
    env = make(face, num_envs=4, batch_size=batch_size, num_threads=2)
    ids = np.arange(batch_size)
    env.reset()
    if batch_size < 4:
        env.recv()
        if error is RuntimeError and "recv" in words:
            words = ["recv", "under way"]
    # Before the first step and after some: a check that runs only once is not enough.
    for step in range(2):
        fails(lambda: call(env), error, "[Counter-v0]", *words)
        assert observation_of(env.step(np.zeros(batch_size, np.int32), ids))[:, 0].tolist() == [step + 1] * batch_size


CONTINUOUS = [
    ("NaN", np.array([[NAN, 0], [0, 0]]), ValueError, ["turn", "finite", "nan", "row 0"]),
    ("inf", np.array([[0, 0], [0, -INF]]), ValueError, ["turn", "finite", "row 1"]),
    ("too large for float32", np.array([[1e300, 0], [0, 0]]), ValueError, ["turn"]),
    ("wrong trailing shape", np.zeros((2, 3)), ValueError, ["turn", "(2, 2)", "(2, 3)"]),
    ("no trailing shape", np.zeros(2), ValueError, ["turn", "(2, 2)", "(2,)"]),
    ("str", "x", (TypeError, ValueError), ["turn"]),
    ("bools", np.zeros((2, 2), bool), TypeError, ["turn", "bool"]),
    ("complex", np.zeros((2, 2), complex), TypeError, ["turn", "complex"]),
]


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(
    ("turn", "error", "words"), [row[1:] for row in CONTINUOUS], ids=[row[0] for row in CONTINUOUS]
)
def test_continuous_actions(face, turn, error, words):
    env = make(face, "Zoo-v0", num_envs=2)
    move = np.ones(2, np.int32)
    env.reset()
    for _ in range(2):
        fails(lambda: env.step({"move": move, "turn": turn}), error, "[Zoo-v0]", *words)
        env.step({"move": move, "turn": np.zeros((2, 2), np.float32)})
    fails(lambda: env.step(move), TypeError, "dict", "move", "turn")
    fails(lambda: env.step({"move": move}), ValueError, "turn", "missing")


@pytest.mark.parametrize("face", FACES)
def test_players_rows(face):
    env = make(face, "Crowd-v0", num_envs=2, fewest=2)
    env.reset()
    count = int(env.players().sum())
    zeros = np.zeros(count, np.int32)
    owners = np.repeat([0, 1], env.players())
    for bad, words in [
        (zeros[1:], ["action", f"{count} rows", f"got {count - 1}"]),
        ({"action": zeros, "players.env_id": owners[1:]}, ["players.env_id"]),
        ({"action": zeros, "players.env_id": owners * 0}, ["players.env_id"]),
        ({"action": zeros, "players.env_id": owners + 1}, ["players.env_id"]),
    ]:
        fails(lambda bad=bad: env.step(bad), ValueError, "[Crowd-v0]", *words)
    env.step(zeros)


@pytest.mark.parametrize(
    ("options", "error", "word"),
    [
        ({"reset_mask": [True, False]}, TypeError, "reset_mask"),
        ({"reset_mask": np.array([1, 0])}, TypeError, "reset_mask"),
        ({"reset_mask": np.array([True])}, ValueError, "reset_mask"),
        ({"reset_mask": np.zeros(2, bool)}, ValueError, "reset_mask"),
        ({"mask": np.ones(2, bool)}, ValueError, "reset_mask"),
        (3, TypeError, "options"),
    ],
)
def test_reset_mask(options, error, word):
    env = envpool.make_gymnasium("Counter-v0", num_envs=2)
    env.reset()
    fails(lambda: env.reset(options=options), error, word)
    fails(lambda: env.reset([0], options={"reset_mask": np.ones(2, bool)}), ValueError, "env_id")
    env.step([0, 0])


# ---- order of calls ----


@pytest.mark.parametrize("face", FACES)
def test_step_before_reset_is_a_reset(face):
    env = make(face, num_envs=2)
    assert observation_of(env.step(np.array([1, 1]))).tolist() == [[0, 0]] * 2
    assert observation_of(env.step(np.array([0, 0]))).tolist() == [[1, 1]] * 2


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("batch_size", [2, 4])
def test_an_environment_is_sent_once_at_a_time(face, batch_size):
    env = make(face, num_envs=4, batch_size=batch_size)
    env.reset()
    if batch_size == 2:
        env.recv()
    env.send([0, 0], [0, 1])
    for _ in range(50):
        fails(lambda: env.send([0, 0], [1, 2]), RuntimeError, "[Counter-v0]", "environment 1 is under way")
    fails(lambda: env.reset([0]), RuntimeError, "environment 0 is under way")
    fails(lambda: env.snapshot(0), RuntimeError, "environment 0 is under way")
    fails(lambda: env.restore(0, b"x"), RuntimeError, "environment 0 is under way")
    fails(lambda: env.clone(0, [2]), RuntimeError, "environment 0 is under way")
    fails(lambda: env.clone(2, [3, 1]), RuntimeError, "environment 1 is under way")
    assert sorted(observation_of(env.recv())[:, 0].tolist()) == [1, 1]
    fails(env.recv, RuntimeError, "under way")
    env.step(np.zeros(2, int), [2, 3])


def test_a_batch_that_cannot_fill_is_refused():
    env = envpool.make_gymnasium("Counter-v0", num_envs=4, batch_size=3)
    env.async_reset()
    _, info = env.recv(reset=True)
    fails(env.recv, RuntimeError, "needs 3", "1 are under way")
    env.send([0] * 3, info["env_id"])
    env.recv()


@pytest.mark.parametrize("face", FACES)
def test_use_after_close(face):
    env = make(face, num_envs=2)
    observation = observation_of(env.reset())
    env.close()
    env.close()
    calls = [
        lambda: env.step([0, 0]),
        lambda: env.send([0, 0]),
        env.recv,
        env.reset,
        env.async_reset,
        lambda: env.snapshot(0),
        lambda: env.clone(0, [1]),
        lambda: env.restore(0, b""),
        env.players,
    ]
    for call in calls:
        fails(call, RuntimeError, "[Counter-v0]", "closed")
    assert observation.tolist() == [[0, 0]] * 2
    assert "closed" in repr(env)
    assert pickle.loads(pickle.dumps(env)).reset() is not None
    assert copy.deepcopy(env).num_envs == 2


@pytest.mark.parametrize("face", FACES)
def test_arrays_outlive_the_pool(face):
    env = make(face, num_envs=2)
    env.reset()
    observation = observation_of(env.step([0, 0]))
    del env
    assert observation.tolist() == [[1, 1]] * 2


def test_dropping_a_pool_with_work_under_way():
    for _ in range(20):
        env = envpool.make("Trouble-v0", num_envs=4, batch_size=1, sleep_ms=2)
        env.async_reset()
        env.recv()
        del env


# ---- environments that misbehave ----


@pytest.mark.parametrize("batch_size", [3, 2])
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(("command", "message"), [(1, "step 1 went wrong"), (5, "")])
def test_exception_in_step(face, batch_size, command, message):
    env = make(face, "Trouble-v0", num_envs=3, batch_size=batch_size)
    env.reset()
    if batch_size == 2:
        env._pool.discard()  # the third environment's first observation
    ids = [1, 2, 0][:batch_size]
    action = np.zeros(batch_size, np.int32)
    action[0] = command
    start = time.monotonic()
    with pytest.raises(envpool.EnvError, match=r"\[Trouble-v0\].*environment 1.*" + message) as caught:
        env.step(action, ids)
    assert time.monotonic() - start < 1
    assert caught.value.env_id == [1]
    assert message in caught.value.messages[0]
    rows = observation_of(caught.value.result)
    by_id = {int(row[1]): row[0] for row in rows}
    assert by_id == {1: 0, **dict.fromkeys(ids[1:], 1)}  # it was reset, the others did their step
    rows = observation_of(env.step(np.zeros(batch_size, np.int32), ids))
    assert {int(row[1]): row[0] for row in rows} == {1: 1, **dict.fromkeys(ids[1:], 2)}


@pytest.mark.parametrize("face", FACES)
def test_exception_in_reset(face):
    env = make(face, "Trouble-v0", num_envs=2, throw_in_reset=2)
    env.reset()
    with pytest.raises(envpool.EnvError, match="reset went wrong") as caught:
        env.reset()
    assert sorted(caught.value.env_id) == [0, 1]
    assert observation_of(env.reset())[:, 1].tolist() == [0, 1]
    assert observation_of(env.step(np.zeros(2, int)))[:, 0].tolist() == [1, 1]


@pytest.mark.parametrize("face", FACES)
def test_env_error_is_a_runtime_error_of_its_own(face):
    from envpool._core import EnvError as CoreEnvError

    env = make(face, "Trouble-v0")
    env.reset()
    env.send([1])
    with pytest.raises(RuntimeError) as caught:
        env.recv()
    assert type(caught.value) is envpool.EnvError
    assert not isinstance(caught.value, CoreEnvError)


@pytest.fixture
def hanging():
    release(False)
    yield
    release()
    time.sleep(0.05)
    release(False)


@pytest.mark.usefixtures("hanging")
@pytest.mark.parametrize("face", FACES)
def test_hang_in_step(face):
    env = make(face, "Trouble-v0", num_envs=2, num_threads=2)
    env.reset()
    env.send([3, 0])
    for timeout in (0, 0.1):
        with pytest.raises(TimeoutError, match=r"\[Trouble-v0\]"):
            env.recv(timeout=timeout)
    fails(lambda: env.send([0], [0]), RuntimeError, "environment 0 is under way")
    release()
    assert observation_of(env.recv(timeout=2))[:, 0].tolist() == [1, 1]
    assert observation_of(env.step([0, 0]))[:, 0].tolist() == [2, 2]


@pytest.mark.usefixtures("hanging")
def test_a_hanging_environment_does_not_hold_up_an_asynchronous_pool():
    env = envpool.make_gymnasium("Trouble-v0", num_envs=3, batch_size=1, num_threads=2)
    env.async_reset()
    ids = [int(env.recv()[-1]["env_id"][0]) for _ in range(3)]
    env.send([3], [ids[0]])
    for _ in range(20):
        env.send([0], [ids[1]])
        assert env.recv(timeout=2)[-1]["env_id"].tolist() == [ids[1]]
    release()
    assert env.recv(timeout=2)[-1]["env_id"].tolist() == [ids[0]]


@pytest.mark.usefixtures("hanging")
@pytest.mark.parametrize("face", FACES)
def test_close_with_a_hanging_environment(face):
    env = make(face, "Trouble-v0", num_envs=2)
    env.reset()
    env.send([3, 0])
    time.sleep(0.1)  # it may not have begun, and then closing is easy
    fails(lambda: env.close(timeout=0.1), TimeoutError, "[Trouble-v0]", "close")
    fails(lambda: env.step([0, 0]), RuntimeError, "closed")
    env.close()


# ---- processes, signals, threads ----


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("face", FACES)
def test_use_after_fork(face):
    env = make(face, num_envs=4, num_threads=2)
    env.reset()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        try:
            said = []
            for call in (lambda: env.step([0] * 4), env.reset, lambda: env.send([0] * 4), env.recv, env.async_reset):
                try:
                    call()
                    said.append("nothing")
                except RuntimeError as error:
                    said.append(str(error))
            env.close()
            del env
            own = make(face, num_envs=4, num_threads=2)
            own.reset()
            said.append(str(observation_of(own.step([0] * 4))[0, 0]))
            os.write(write, "\n".join(said).encode())
        finally:
            os._exit(0)
    os.close(write)
    deadline = time.monotonic() + 3
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    said = os.read(read, 10_000).decode().split("\n")
    os.close(read)
    assert said[-1] == "1.0", said
    for text in said[:-1]:
        assert text.startswith("[Counter-v0]"), said
        assert "fork" in text, said
    assert observation_of(env.step([0] * 4))[:, 0].tolist() == [1] * 4


@pytest.mark.parametrize("call", ["env.recv()", "env.step([3, 0])", "env.reset()"])
def test_ctrl_c(call):
    # A shell's background job, and so its children, may be born ignoring Ctrl-C.
    script = textwrap.dedent(f"""
        import signal
        import envpool
        from envpool.testing.registration import release
        signal.signal(signal.SIGINT, signal.default_int_handler)
        env = envpool.make("Trouble-v0", num_envs=2, num_threads=1)
        env.reset()
        call = {call!r}
        if call != "env.step([3, 0])":
            env.send([3, 0])
        print("ready", flush=True)
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        release()
        if call == "env.reset()":
            env.reset()
        else:
            print(env.recv()[0][:, 0].tolist(), flush=True)
        print(env.step([0, 0])[0][:, 0].tolist(), flush=True)
    """)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.15)
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    assert time.monotonic() - start < 1
    out, err = child.stdout.read(), child.stderr.read()  # communicate would pass over what readline has read ahead
    assert child.wait(timeout=5) == 0, err
    assert out.splitlines() == (["[1.0, 1.0]"] if call == "env.reset()" else ["[1.0, 1.0]", "[2.0, 2.0]"]), err


def test_three_threads_send_and_recv():
    env = envpool.make_gymnasium("Counter-v0", num_envs=12, batch_size=2, num_threads=2)
    env.async_reset()
    counts, errors = np.zeros(12, int), []
    lock = threading.Lock()

    def loop():
        try:
            for _ in range(200):
                *_, info = env.recv(timeout=2)
                with lock:
                    assert (info["elapsed_step"] == counts[info["env_id"]]).all()
                    counts[info["env_id"]] += 1
                env.send(np.zeros(2, np.int32), info["env_id"])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=loop) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not errors, errors
    assert counts.sum() == 1200
    env.reset()


@pytest.mark.parametrize("face", FACES)
def test_three_threads_step_their_own(face):
    env = make(face, num_envs=9, num_threads=2)
    env.reset()
    errors = []
    start = threading.Barrier(3)

    def loop(first):
        ids = np.arange(first, first + 3)
        try:
            start.wait()
            for step in range(200):
                assert observation_of(env.step(np.zeros(3, np.int32), ids))[:, 0].tolist() == [step + 1] * 3
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=loop, args=(first,)) for first in (0, 3, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not errors, errors


def test_three_threads_step_the_same():
    env = envpool.make_gymnasium("Counter-v0", num_envs=4, num_threads=2)
    env.reset()
    said = []

    def loop():
        for _ in range(200):
            try:
                env.step([0, 0, 0, 0])
            except RuntimeError as error:
                said.append(str(error))

    threads = [threading.Thread(target=loop) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert all("under way" in text for text in said), said
    assert env.reset()[0].tolist() == [[0, 0]] * 4


def test_many_threads_of_a_pool_close_at_once():
    for _ in range(5):
        env = envpool.make("Counter-v0", num_envs=64, num_threads=64)
        env.reset()
        before = time.monotonic()
        env.close()
        assert time.monotonic() - before < 1


def test_threads_by_default_are_what_the_process_may_use():
    from envpool._core import usable_cpus

    assert envpool.make_spec("Counter-v0", num_envs=1000).config.num_threads == usable_cpus()
    assert envpool.make_spec("Counter-v0", num_envs=1).config.num_threads == 1
    assert envpool.make_spec("Counter-v0", num_envs=1000, num_threads=0).config.num_threads == usable_cpus()


# ---- what brought EnvPool down in one of its families ----


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stack_num": 0}, ["stack_num", "got 0"]),
        ({"frame_skip": 0}, ["frame_skip", "got 0"]),
        ({"img_height": -1}, ["img_height", "got -1"]),
        ({"img_width": -1}, ["img_width", "got -1"]),
        ({"mode": 10**6}, ["mode"]),
        ({"difficulty": 99}, ["difficulty"]),
        ({"task": "pnog"}, ["task", "'pnog'"]),
        ({"repeat_action_probability": 1.5}, ["repeat_action_probability", "got 1.5"]),
    ],
)
def test_atari_options(options, words):
    fails(lambda: envpool.make("Pong-v5", **options), ValueError, "[Pong-v5]", *words)


def test_atari_actions_and_paths():
    env = envpool.make("Pong-v5", num_envs=2, base_path="/nowhere")
    env.reset()
    for _ in range(2):
        fails(lambda: env.step([6, 0]), ValueError, "action", "0..5", "got 6")
        env.step([5, 0])


def test_continuous_action_of_nan():
    env = envpool.make("Pendulum-v1", num_envs=2)
    env.reset()
    fails(lambda: env.step(np.array([[NAN], [0]])), ValueError, "action", "finite")
    assert np.isfinite(env.step(np.zeros((2, 1)))[0]).all()


def test_actions_may_change_once_they_are_sent():
    env = envpool.make("Trouble-v0", num_envs=2, num_threads=1)
    env.reset()
    action = np.array([2, 2], np.int32)
    env.send({"action": action, "env_id": np.array([1, 0])})
    action[:] = 1
    assert env.recv()[1].tolist() == [2, 2]


def test_picture_before_reset():
    assert envpool.make("Zoo-v0", render_mode="rgb_array").render().shape == (1, 8, 8, 3)
    assert envpool.make("Pong-v5", render_mode="rgb_array").render().shape == (1, 210, 160, 3)


# ---- an action that turns on its own pool ----


@pytest.mark.parametrize("call", ["step", "send", "recv", "reset", "render", "close"])
def test_an_action_whose_conversion_uses_the_pool(call):
    env = make("gymnasium", num_envs=2, num_threads=1)
    env.reset()
    seen = []

    class Hostile:
        def __array__(self, dtype=None, copy=None):
            try:
                getattr(env._pool, call)(*([np.zeros(2, np.int32)] if call in ("step", "send") else []))
            except RuntimeError as error:
                seen.append(str(error))
            return np.zeros(2, np.int32)

    start = time.monotonic()
    try:
        env.step(Hostile())
    except RuntimeError as error:
        seen.append(str(error))
    assert time.monotonic() - start < 1
    assert seen and all(text.startswith("[Counter-v0] ") for text in seen)
    if call != "close":
        env.step(np.zeros(2, np.int32))
