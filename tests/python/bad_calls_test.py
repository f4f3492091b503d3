# SPDX-License-Identifier: Apache-2.0
"""Tests that bad calls to a pool's methods raise errors promptly, and that the pool stays usable."""

import copy
import pickle

import numpy as np
import pytest

import envpool
from tests.python.interfaces import INTERFACES, make, observation_of, raises_quickly
from tests.support.waiting import promptly

pytestmark = pytest.mark.usefixtures("ends_promptly")

NAN, INF = float("nan"), float("inf")


# Each case is a call on a pool of four Counters after its first reset: the name of the case, the call, the type of its
# error, and parts of the error's text.
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
    (
        "dict without the action",
        lambda e: e.step({"env_id": [0]}),
        ValueError,
        ["action: expected keys action, got no key action"],
    ),
    (
        "dict with a key too many",
        lambda e: e.step({"action": [0] * 4, "x": 1}),
        ValueError,
        ["unknown key x", "action"],
    ),
    ("dict, wrong value", lambda e: e.step({"action": np.full(4, 0.5)}), ValueError, ["action", "got 0.5"]),
    ("id too large", lambda e: e.step([0], [4]), ValueError, ["env_id", "0..3", "got 4"]),
    ("id negative", lambda e: e.step([0], [-1]), ValueError, ["env_id", "got -1"]),
    ("id repeated", lambda e: e.step([0, 0], [1, 1]), ValueError, ["env_id: expected distinct ids, got 1 twice"]),
    ("id of float", lambda e: e.step([0], [1.0]), TypeError, ["env_id", "float64"]),
    ("id of str", lambda e: e.step([0], ["1"]), TypeError, ["env_id"]),
    ("id of bool", lambda e: e.step([0], [True]), TypeError, ["env_id", "bool"]),
    ("id an int", lambda e: e.step([0], 1), ValueError, ["env_id", "one-dimensional"]),
    ("id 2-D", lambda e: e.step([0], [[1]]), ValueError, ["env_id", "(1, 1)"]),
    ("id empty", lambda e: e.step(np.zeros(0, np.int32), []), ValueError, ["env_id"]),
    ("id 2**40", lambda e: e.step([0], [2**40]), ValueError, ["env_id"]),
    ("reset, id too large", lambda e: e.reset([4]), ValueError, ["env_id", "got 4"]),
    ("reset, id negative", lambda e: e.reset(np.array([0, -1])), ValueError, ["env_id", "got -1"]),
    ("reset, id repeated", lambda e: e.reset([2, 2]), ValueError, ["env_id: expected distinct ids, got 2 twice"]),
    ("reset, id of float", lambda e: e.reset([0.5]), TypeError, ["env_id"]),
    ("reset, id of str", lambda e: e.reset("all"), TypeError, ["env_id"]),
    ("reset, seed negative", lambda e: e.reset(seed=-1), ValueError, ["seed", "got -1"]),
    ("reset, seed of float", lambda e: e.reset(seed=1.0), TypeError, ["seed", "got 1.0"]),
    ("reset, seed of str", lambda e: e.reset(seed="1"), TypeError, ["seed"]),
    ("reset, seed 2**64", lambda e: e.reset(seed=2**64), ValueError, ["seed"]),
    ("reset, too few seeds", lambda e: e.reset(seed=[1, 2]), ValueError, ["seed", "4", "2"]),
    ("reset, a set of seeds", lambda e: e.reset(seed={1, 2, 3, 4}), TypeError, ["seed", "sequence of 4", "got {1, 2,"]),
    ("reset, ids too large with seed", lambda e: e.reset([9], seed=1), ValueError, ["env_id", "got 9"]),
    ("seed negative", lambda e: e.seed(-1), ValueError, ["seed", "got -1"]),
    ("recv with nothing under way", lambda e: e.recv(), RuntimeError, ["recv", "nothing is under way"]),
    ("recv with a timeout and nothing under way", lambda e: e.recv(timeout=0.1), RuntimeError, ["recv"]),
    ("recv, timeout negative", lambda e: e.recv(timeout=-1), ValueError, ["timeout", "got -1"]),
    ("recv, timeout huge", lambda e: e.recv(timeout=10**400), ValueError, ["timeout", "got 1000000"]),
    ("recv, timeout nan", lambda e: e.recv(timeout=NAN), ValueError, ["timeout", "got nan"]),
    ("recv, timeout str", lambda e: e.recv(timeout="1"), TypeError, ["timeout", "got '1'"]),
    ("snapshot, id too large", lambda e: e.snapshot(4), ValueError, ["env_id", "got 4"]),
    ("snapshot, id of float", lambda e: e.snapshot(0.5), TypeError, ["env_id", "got 0.5"]),
    ("snapshot, id huge", lambda e: e.snapshot(2**40), ValueError, ["env_id"]),
    ("snapshot, ids too large", lambda e: e.snapshot([0, 4]), ValueError, ["env_id", "got 4"]),
    ("snapshot, ids of float", lambda e: e.snapshot([0, 0.5]), TypeError, ["env_id", "got 0.5"]),
    ("snapshot, a set of ids", lambda e: e.snapshot({1, 2}), TypeError, ["env_id", "got {1, 2}"]),
    ("snapshot, ids of str", lambda e: e.snapshot("01"), TypeError, ["env_id", "got '01'"]),
    ("restore, ids too large", lambda e: e.restore([4], e.snapshot([0])), ValueError, ["env_id", "got 4"]),
    ("restore, no ids", lambda e: e.restore([], []), ValueError, ["env_id"]),
    (
        "restore, id repeated",
        lambda e: e.restore([1, 1], e.snapshot([0, 0])),
        ValueError,
        ["env_ids: expected distinct ids, got 1 twice"],
    ),
    ("restore, too few states", lambda e: e.restore([0, 1], e.snapshot([0])), ValueError, ["state", "2 states", "1"]),
    ("restore, too many states", lambda e: e.restore(None, e.snapshot() * 2), ValueError, ["state", "4 states", "8"]),
    ("restore, bytes for several", lambda e: e.restore([0, 1], e.snapshot(0)), TypeError, ["state", "a list"]),
    ("restore, None for several", lambda e: e.restore(None, None), TypeError, ["state", "a list", "got None"]),
    ("restore, a list for one", lambda e: e.restore(0, e.snapshot([0])), TypeError, ["state", "bytes", "list"]),
    ("restore, one not bytes", lambda e: e.restore([0, 1], [e.snapshot(0), "x"]), TypeError, ["state", "str"]),
    (
        "restore, one cut short",
        lambda e: e.restore([0, 1], [e.snapshot(0), e.snapshot(1)[:-1]]),
        ValueError,
        ["restore: state: expected a snapshot"],
    ),
    ("observe, id too large", lambda e: e.observe([4]), ValueError, ["env_ids", "got 4"]),
    ("observe, id repeated", lambda e: e.observe([1, 1]), ValueError, ["env_ids: expected distinct ids, got 1 twice"]),
    ("observe, no ids", lambda e: e.observe([]), ValueError, ["env_id"]),
    ("restore, not bytes", lambda e: e.restore(0, "x"), TypeError, ["state", "str"]),
    ("restore, empty", lambda e: e.restore(0, b""), ValueError, ["state"]),
    ("restore, cut short", lambda e: e.restore(0, e.snapshot(0)[:-1]), ValueError, ["state"]),
    ("restore, id negative", lambda e: e.restore(-1, e.snapshot(0)), ValueError, ["env_id"]),
    ("clone, source too large", lambda e: e.clone(4, [0]), ValueError, ["source_env_id", "got 4"]),
    ("clone, source negative", lambda e: e.clone(-1, [0]), ValueError, ["source_env_id", "got -1"]),
    ("clone, source of float", lambda e: e.clone(0.0, [1]), TypeError, ["source_env_id", "got 0.0"]),
    ("clone, two sources", lambda e: e.clone([0, 1], [2]), ValueError, ["source_env_id", "each of the 1", "got 2"]),
    ("clone, no sources", lambda e: e.clone([], [2]), ValueError, ["source_env_id", "got 0"]),
    ("clone, a source too large", lambda e: e.clone([0, 4], [2, 3]), ValueError, ["source_env_id", "got 4"]),
    ("clone, a source of float", lambda e: e.clone([0, 0.5], [2, 3]), TypeError, ["source_env_id", "got 0.5"]),
    ("clone, source of str", lambda e: e.clone("0", [2]), TypeError, ["source_env_id", "got '0'"]),
    ("clone, source of None", lambda e: e.clone(None, [2]), TypeError, ["source_env_id", "got None"]),
    ("clone, id too large", lambda e: e.clone(0, [1, 4]), ValueError, ["env_ids", "got 4"]),
    ("clone, id of str", lambda e: e.clone(0, "all"), TypeError, ["env_ids"]),
    ("clone, id repeated", lambda e: e.clone(0, [1, 1]), ValueError, ["env_ids: expected distinct ids, got 1 twice"]),
    ("clone, no ids", lambda e: e.clone(0, []), ValueError, ["env_id"]),
    ("clone, seed negative", lambda e: e.clone(0, [1], seed=-1), ValueError, ["seed", "got -1"]),
    ("clone, too few seeds", lambda e: e.clone(0, [1, 2], seed=[1]), ValueError, ["seed", "2", "1"]),
    ("players, id too large", lambda e: e.players([4]), ValueError, ["env_id"]),
    ("render", lambda e: e.render(), RuntimeError, ["render_mode='rgb_array'"]),
    ("close, timeout str", lambda e: e.close("now"), TypeError, ["timeout"]),
]


@pytest.mark.parametrize("batch_size", [4, 2])
@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize(("call", "error", "words"), [row[1:] for row in DISCRETE], ids=[row[0] for row in DISCRETE])
def test_bad_calls_of_pool_methods(interface, batch_size, call, error, words):
    env = make(interface, num_envs=4, batch_size=batch_size, num_threads=2)
    ids = np.arange(batch_size)
    env.reset()
    if batch_size < 4:
        env.recv()
        if error is RuntimeError and "recv" in words:
            words = ["recv", "under way"]
    # The call is made before and after the first step, because the check must run in every call.
    for step in range(2):
        raises_quickly(lambda: call(env), error, "[Counter-v0]", *words)
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


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize(
    ("turn", "error", "words"), [row[1:] for row in CONTINUOUS], ids=[row[0] for row in CONTINUOUS]
)
def test_bad_continuous_actions(interface, turn, error, words):
    env = make(interface, "AllTypes-v0", num_envs=2)
    move = np.ones(2, np.int32)
    env.reset()
    for _ in range(2):
        raises_quickly(lambda: env.step({"move": move, "turn": turn}), error, "[AllTypes-v0]", *words)
        env.step({"move": move, "turn": np.zeros((2, 2), np.float32)})
    raises_quickly(lambda: env.step(move), TypeError, "dict", "move", "turn")
    raises_quickly(lambda: env.step({"move": move}), ValueError, "got no key turn")


def test_an_action_of_nan():
    env = envpool.make("Pendulum-v1", num_envs=2)
    env.reset()
    raises_quickly(lambda: env.step(np.array([[NAN], [0]])), ValueError, "action", "finite")
    assert np.isfinite(env.step(np.zeros((2, 1)))[0]).all()


@pytest.mark.parametrize("interface", INTERFACES)
def test_bad_rows_of_players(interface):
    env = make(interface, "Crowd-v0", num_envs=2, fewest=2)
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
        raises_quickly(lambda bad=bad: env.step(bad), ValueError, "[Crowd-v0]", *words)
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
def test_bad_reset_masks(options, error, word):
    env = envpool.make_gymnasium("Counter-v0", num_envs=2)
    env.reset()
    raises_quickly(lambda: env.reset(options=options), error, word)
    raises_quickly(lambda: env.reset([0], options={"reset_mask": np.ones(2, bool)}), ValueError, "env_id")
    env.step([0, 0])


@pytest.mark.parametrize("make_pool", [envpool.make_gymnasium, envpool.make_vec])
@pytest.mark.parametrize(
    ("seed", "error", "words"),
    [
        ([1, 2, 3, -4], ValueError, ["seed[3]", "got -4"]),
        ([1, "a", 3, 4], TypeError, ["seed[1]", "got 'a'"]),
        ([-1, 2, 3, 4], ValueError, ["seed[0]", "got -1"]),  # also of an environment that is not reset
        ([1, -2], ValueError, ["seed[1]", "got -2"]),
        ([1, 2, 3], ValueError, ["seed", "sequence of 4", "of 2", "got a sequence of 3"]),
        ({1, 2, 3, 4}, TypeError, ["seed", "got {1, 2, 3, 4}"]),
    ],
)
def test_errors_of_seeds_beside_a_mask_name_the_callers_positions(make_pool, seed, error, words):
    env = make_pool("Counter-v0", num_envs=4)
    before = env.reset()[0]
    options = {"reset_mask": np.array([False, True, False, True])}
    raises_quickly(lambda: env.reset(seed=seed, options=options), error, "[Counter-v0]", *words)
    np.testing.assert_array_equal(env.observe()[0], before)


@pytest.mark.parametrize("make_pool", [envpool.make_gymnasium, envpool.make_vec])
def test_seeds_of_environments_that_a_mask_leaves_out_may_be_none(make_pool):
    env = make_pool("Counter-v0", num_envs=2)
    env.reset(seed=[3, 4])
    state = env.snapshot(1)
    env.reset(seed=[None, 4], options={"reset_mask": np.array([False, True])})
    assert env.snapshot(1) == state


def test_bad_atari_actions():
    env = envpool.make("Pong-v5", num_envs=2, base_path="/nowhere")
    env.reset()
    for _ in range(2):
        raises_quickly(lambda: env.step([6, 0]), ValueError, "action", "0..5", "got 6")
        env.step([5, 0])


@pytest.mark.parametrize("call", ["step", "send", "recv", "reset", "render", "close"])
def test_an_action_whose_conversion_calls_the_pool(call):
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

    with promptly():
        try:
            env.step(Hostile())
        except RuntimeError as error:
            seen.append(str(error))
    assert seen and all(text.startswith("[Counter-v0] ") for text in seen)
    if call != "close":
        env.step(np.zeros(2, np.int32))


def test_an_action_array_may_change_after_send():
    env = envpool.make("Faulty-v0", num_envs=2, num_threads=1)
    env.reset()
    action = np.array([2, 2], np.int32)
    env.send({"action": action, "env_id": np.array([1, 0])})
    action[:] = 1
    assert env.recv()[1].tolist() == [2, 2]


@pytest.mark.parametrize("interface", INTERFACES)
def test_the_first_step_without_a_reset_resets(interface):
    env = make(interface, num_envs=2)
    assert observation_of(env.step(np.array([1, 1]))).tolist() == [[0, 0]] * 2
    assert observation_of(env.step(np.array([0, 0]))).tolist() == [[1, 1]] * 2


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("batch_size", [2, 4])
def test_sending_an_environment_that_is_under_way(interface, batch_size):
    env = make(interface, num_envs=4, batch_size=batch_size)
    env.reset()
    if batch_size == 2:
        env.recv()
    env.send([0, 0], [0, 1])
    for _ in range(50):
        raises_quickly(lambda: env.send([0, 0], [1, 2]), RuntimeError, "[Counter-v0]", "environment 1 is under way")
    raises_quickly(lambda: env.reset([0]), RuntimeError, "environment 0 is under way")
    raises_quickly(lambda: env.snapshot(0), RuntimeError, "environment 0 is under way")
    raises_quickly(lambda: env.restore(0, b"x"), RuntimeError, "environment 0 is under way")
    raises_quickly(lambda: env.clone(0, [2]), RuntimeError, "environment 0 is under way")
    raises_quickly(lambda: env.clone(2, [3, 1]), RuntimeError, "environment 1 is under way")
    assert sorted(observation_of(env.recv())[:, 0].tolist()) == [1, 1]
    raises_quickly(env.recv, RuntimeError, "under way")
    env.step(np.zeros(2, int), [2, 3])


def test_recv_of_a_batch_that_cannot_fill():
    env = envpool.make_gymnasium("Counter-v0", num_envs=4, batch_size=3)
    env.async_reset()
    _, info = env.recv(reset=True)
    raises_quickly(env.recv, RuntimeError, "needs 3", "1 are under way")
    env.send([0] * 3, info["env_id"])
    env.recv()


@pytest.mark.parametrize("interface", INTERFACES)
def test_use_after_close(interface):
    env = make(interface, num_envs=2)
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
        env.snapshot,
        lambda: env.restore([0], [b""]),
        env.observe,
        env.players,
    ]
    for call in calls:
        raises_quickly(call, RuntimeError, "[Counter-v0]", "closed")
    assert observation.tolist() == [[0, 0]] * 2
    assert "closed" in repr(env)
    assert pickle.loads(pickle.dumps(env)).reset() is not None
    assert copy.deepcopy(env).num_envs == 2


def test_render_before_reset():
    assert envpool.make("AllTypes-v0", render_mode="rgb_array").render().shape == (1, 8, 8, 3)
    assert envpool.make("Pong-v5", render_mode="rgb_array").render().shape == (1, 210, 160, 3)
