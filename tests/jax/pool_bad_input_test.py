# SPDX-License-Identifier: Apache-2.0
"""Tests that bad calls to the functions of `env.xla()` raise exceptions, and do not hang or abort the process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import envpool
from tests.environments.registration import allow_hanging, release, wait_until_hanging
from tests.support.waiting import promptly

jax = pytest.importorskip("jax")
jnp = jax.numpy


def pool_of(task_id="Counter-v0", num_envs=4, **options):
    env = envpool.make_gymnasium(task_id, num_envs=num_envs, **options)
    env.reset()
    return env, *env.xla()


COUNTER, HANDLE, RECV, SEND, STEP = pool_of()
PENDULUM, SWING_HANDLE, _, _, SWING = pool_of("Pendulum-v1", 2)
ALL_TYPES, ALL_TYPES_HANDLE, _, _, TEND = pool_of("AllTypes-v0", 2)
CROWD, CROWD_HANDLE, _, _, MOVE = pool_of("Crowd-v0", 2)
STAY = np.zeros(4, np.int32)
ROWS = np.ones((2, 1), np.float32)
CARE = {"move": np.zeros(2, np.int32), "turn": np.zeros((2, 2), np.float32)}

TOLD_WHILE_TRACING = [
    # handle
    (lambda: STEP(None, STAY), TypeError, r"handle: expected .*\(uint8\), got NoneType"),
    (lambda: STEP(7, STAY), TypeError, "handle: .*got int"),
    (lambda: STEP(HANDLE.tobytes(), STAY), TypeError, "handle: .*got bytes"),
    (lambda: RECV(HANDLE.astype(np.int32)), TypeError, "handle: .*got int32"),
    (lambda: RECV(HANDLE[:4]), ValueError, r"handle: expected shape \(8,\), got \(4,\)"),
    (lambda: RECV(HANDLE[None]), ValueError, r"handle: expected shape \(8,\), got \(1, 8\)"),
    # action
    (lambda: STEP(HANDLE, None), TypeError, r"action: expected integers \(int32\), got None"),
    (lambda: STEP(HANDLE, "left"), TypeError, "action: expected integers .*got <U4"),
    (lambda: STEP(HANDLE, STAY + 0.5), TypeError, "action: expected integers .*got float64"),
    (lambda: STEP(HANDLE, jnp.ones(4)), TypeError, "action: expected integers .*got float32"),
    (lambda: STEP(HANDLE, [[0], [0, 1]]), TypeError, "action: expected integers .*got list"),
    (lambda: STEP(HANDLE, 0), ValueError, r"action: expected shape \(4,\), one row per environment, got \(\)"),
    (lambda: STEP(HANDLE, STAY[:3]), ValueError, r"action: expected shape \(4,\), .*got \(3,\)"),
    (lambda: STEP(HANDLE, STAY[:, None]), ValueError, r"action: expected shape \(4,\), .*got \(4, 1\)"),
    (lambda: SEND(HANDLE, [0, 0, 2, 0]), ValueError, "action: expected an integer in 0..1, got 2"),
    (lambda: SEND(HANDLE, [0, 0, 2**32, 0]), ValueError, "action: expected an integer in 0..1, got 4294967296"),
    (lambda: SWING(SWING_HANDLE, [0.5, 0.5]), ValueError, r"action: expected shape \(2, 1\), .*got \(2,\)"),
    (lambda: SWING(SWING_HANDLE, ROWS * np.nan), ValueError, "action: expected finite numbers, got nan in row 0"),
    (lambda: SWING(SWING_HANDLE, ROWS > 0), TypeError, r"action: expected floats \(float32\), got bool"),
    (
        lambda: TEND(ALL_TYPES_HANDLE, CARE["move"]),
        TypeError,
        "action: expected a dict with keys move, turn, got ndarray",
    ),
    (
        lambda: TEND(ALL_TYPES_HANDLE, {"move": CARE["move"]}),
        ValueError,
        "action: expected keys move, turn, got no key turn",
    ),
    (
        lambda: TEND(ALL_TYPES_HANDLE, {**CARE, "jump": 1}),
        ValueError,
        "action: expected keys move, turn, got unknown key jump",
    ),
    (lambda: MOVE(CROWD_HANDLE, 1), ValueError, r"action: expected shape \(players,\), one row per player, got \(\)"),
    (
        lambda: MOVE(CROWD_HANDLE, {"action": STAY, "players.env_id": STAY[:3]}),
        ValueError,
        r"action: expected shape \(3,\), one row per player, got \(4,\)",
    ),
    # env_id
    (lambda: STEP(HANDLE, STAY[:2], [0, 1.5]), TypeError, "env_id: expected integers .int32., got float64"),
    (lambda: STEP(HANDLE, STAY[:1], "0"), TypeError, "env_id: expected integers .*got <U1"),
    (lambda: STEP(HANDLE, STAY[:1], 0), ValueError, r"env_id: expected a one-dimensional array, got shape \(\)"),
    (lambda: STEP(HANDLE, STAY[:2], [0, 1, 2]), ValueError, r"action: expected shape \(3,\), .*got \(2,\)"),
    (lambda: STEP(HANDLE, STAY[:2], [0, 4]), ValueError, "env_id: expected ids in 0..3, got 4"),
    (lambda: STEP(HANDLE, STAY[:2], [0, -2]), ValueError, "env_id: expected ids in 0..3, got -2"),
    (
        lambda: envpool.make_vec("Counter-v0", num_envs=2).xla(),
        RuntimeError,
        "xla: expected a pool of make_gymnasium, got one of make_vec",
    ),
]


@pytest.mark.parametrize("call,error,text", TOLD_WHILE_TRACING, ids=range(len(TOLD_WHILE_TRACING)))
def test_errors_while_tracing(call, error, text):
    with pytest.raises(error, match=r"^\[\w+-v\d\] .*" + text):
        call()
    assert not COUNTER._pool.under_way


OTHER, OTHER_HANDLE, *_ = pool_of("CartPole-v1")


def deleted_handle():
    return pool_of("CartPole-v1")[1]


TOLD_WHILE_RUNNING = [
    # handle
    (
        lambda x: STEP(jnp.asarray(HANDLE) + x.astype(np.uint8), STAY),
        3,
        "handle: expected the handle that xla.*something",
    ),
    (lambda x: STEP(jnp.zeros(8, np.uint8), STAY), 0, "handle: .*got something else"),
    (lambda x: STEP(OTHER_HANDLE, STAY), 0, "handle: .*got the handle of another pool, of CartPole-v1"),
    (lambda x: STEP(deleted_handle(), STAY), 0, "handle: .*got the handle of a deleted pool"),
    (lambda x: RECV(SWING_HANDLE), 0, "handle: .*got the handle of another pool, of Pendulum-v1"),
    # action
    (lambda x: STEP(HANDLE, x + jnp.asarray(STAY)), 5, "action: expected an integer in 0..1, got 5 in row 0"),
    (lambda x: SEND(HANDLE, jnp.array([0, 1, -1, 1]) + x), 0, "action: expected an integer in 0..1, got -1 in row 2"),
    (lambda x: STEP(HANDLE, jnp.array([0, 1, 255, 1], np.uint8)), 0, "action: .*0..1, got 255 in row 2"),
    (lambda x: STEP(HANDLE, jnp.array([2**32 - 1, 1, 0, 1], np.uint32)), 0, "action: .*got 4294967295 in row 0"),
    (lambda x: SWING(SWING_HANDLE, ROWS * x / 0), 1, "action: expected finite numbers, got inf in row 0"),
    (lambda x: SWING(SWING_HANDLE, ROWS * x * np.nan), 1, "action: expected finite numbers, got nan in row 0"),
    (
        lambda x: TEND(ALL_TYPES_HANDLE, {**CARE, "move": CARE["move"] + x}),
        3,
        "move: expected an integer in 0..2, got 3",
    ),
    (lambda x: MOVE(CROWD_HANDLE, jnp.zeros(1, int) + x), 0, "action: expected . rows, one per player, got 1"),
    (lambda x: MOVE(CROWD_HANDLE, jnp.zeros(8, int) + x), 3, "action: expected an integer in 0..2, got 3 in row 0"),
    (
        lambda x: MOVE(CROWD_HANDLE, {"action": jnp.zeros(8, int), "players.env_id": jnp.zeros(8, int) + x}),
        0,
        "action: expected . rows, one per player, got 8",
    ),
    # env_id
    (lambda x: STEP(HANDLE, STAY[:2], jnp.array([0, 4]) + x), 0, "env_id: expected ids in 0..3, got 4"),
    (lambda x: STEP(HANDLE, STAY[:2], jnp.array([0, -2]) + x), 0, "env_id: expected ids in 0..3, got -2"),
    (lambda x: STEP(HANDLE, STAY[:2], jnp.array([1, 1]) + x), 0, "send: env_id: expected distinct ids, got 1 twice"),
    (
        lambda x: STEP(HANDLE, STAY[:2], jnp.array([-1, -1]) + x),
        0,
        "send: env_id: expected at least one environment, got none",
    ),
    # order of calls
    (lambda x: RECV(HANDLE), 0, "recv: nothing is under way"),
    (lambda x: RECV(STEP(HANDLE, STAY)[0]), 0, "recv: nothing is under way"),
    # transformations
    (lambda x: jax.vmap(lambda a: STEP(HANDLE, a))(jnp.zeros((3, 4), int) + x), 0, "step: a pool cannot be vmapped"),
    (lambda x: jax.vmap(RECV)(jnp.stack([HANDLE, HANDLE])), 0, "handle: expected handles of different pools"),
]


@pytest.mark.parametrize("call,value,text", TOLD_WHILE_RUNNING, ids=range(len(TOLD_WHILE_RUNNING)))
def test_errors_while_running(call, value, text):
    with promptly(5), pytest.raises(RuntimeError, match=r"\[\w+-v\d\] " + text):  # the base class of JAX's exception
        jax.block_until_ready(jax.jit(call)(jnp.int32(value)))
    assert not COUNTER._pool.under_way
    obs = [COUNTER.step(STAY)[0][0, 0], jax.jit(STEP)(HANDLE, STAY)[1][0][0, 0]]
    assert obs[1] == obs[0] + 1


def test_ranges_of_single_elements_of_an_action():
    env, handle, _, _, step = pool_of("TagContinuous-v0", 2, num_turn_levels=3)
    actions = np.zeros((int(env.players().sum()), 2), np.int32)
    actions[3] = [10, 4]
    fails(step, handle, actions, text=r"action: expected an integer in 0..3, got 4 in row 3")
    with pytest.raises(ValueError, match="action: expected an integer in 0..3, got 4 in row 3"):
        env.step(actions)


def test_derivatives():
    with pytest.raises(ValueError, match="cannot be differentiated"):
        jax.grad(lambda a: SWING(SWING_HANDLE, a)[1][1].sum())(jnp.asarray(ROWS))


def fails(call, *arguments, text):
    with promptly(5), pytest.raises(RuntimeError, match=text):
        jax.block_until_ready(jax.jit(call)(*arguments))


def test_repeated_sends_and_receives():
    env, handle, recv, send, step = pool_of()
    fails(
        lambda h: send(send(h, STAY), STAY), handle, text="send: environment 0 is under way; receive its result first"
    )
    assert (env.recv()[0] == 1).all()
    env, handle, recv, send, step = pool_of(batch_size=3)
    env.recv() if env._pool.under_way >= 3 else None
    fails(recv, handle, text="recv: a batch needs 3 environments but only 1 are under way")
    # The same holds after calls by several threads, where the pool's recv in Python would wait for the other threads.
    env, handle, recv, send, step = pool_of()
    thread = threading.Thread(target=env.step, args=(STAY,))
    thread.start()
    thread.join()
    fails(recv, handle, text="recv: nothing is under way")


def test_without_autoreset_a_finished_episode_must_be_reset():
    env, handle, _, _, step = pool_of(autoreset_mode="disabled")
    program = jax.jit(step)
    handle, (_, _, terminated, _, _) = program(handle, np.array([0, 1, 0, 0]))
    np.testing.assert_array_equal(terminated, [False, True, False, False])
    fails(step, handle, STAY, text="got environment 1, whose episode is over; reset it first")
    env.reset(np.array([1]))
    np.testing.assert_array_equal(program(handle, STAY)[1][0][:, 0], [2, 1, 2, 2])


# ---- environments that throw or hang ----


def test_an_environment_throws():
    env, handle, _, _, step = pool_of("Faulty-v0", 3)
    fails(
        step,
        handle,
        np.array([0, 1, 0]),
        text=r"\[Faulty-v0\] environment 1: step 1 went wrong at caf\N{REPLACEMENT CHARACTER}",
    )
    obs = jax.jit(step)(handle, np.zeros(3, np.int32))[1][0]
    np.testing.assert_array_equal(obs[:, 0], [2, 1, 2])  # The environment that threw was reset.


def test_closing_ends_a_wait():
    allow_hanging()
    env, handle, recv, send, step = pool_of("Faulty-v0", 2)
    program = jax.jit(step).lower(handle, np.array([3, 0])).compile()
    caught = []

    def wait():
        try:
            jax.block_until_ready(program(handle, np.array([3, 0])))
        except RuntimeError as error:
            caught.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    wait_until_hanging(1)
    time.sleep(0.1)
    with pytest.raises(TimeoutError):
        env.close(timeout=0.1)
    thread.join(60)
    release()
    assert not thread.is_alive() and "[Faulty-v0] recv: the pool is closed" in caught[0]


def test_closed():
    env, handle, recv, send, step = pool_of()
    program = jax.jit(step)
    jax.block_until_ready(program(handle, STAY))
    env.close()
    fails(program, handle, STAY, text=r"\[Counter-v0\] .*the pool is closed")
    fails(recv, handle, text=r"\[Counter-v0\] .*the pool is closed")
    with pytest.raises(RuntimeError, match="the pool is closed"):
        env.xla()


# ---- threads and processes ----


def test_concurrent_programs_take_turns():
    env, handle, _, _, step = pool_of(num_envs=64)
    stay = np.zeros(64, np.int32)
    program = jax.jit(lambda h: jax.lax.scan(lambda h, _: step(h, stay), h, length=200)[0]).lower(handle).compile()
    threads = [threading.Thread(target=lambda: jax.block_until_ready(program(handle))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        env.step(stay)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert (env.step(stay)[0] == 801).all()


def run(code, **options):
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **options,
    )


def test_a_handle_of_another_process():
    code = "import envpool, sys; sys.stdout.write(envpool.make_gymnasium('CartPole-v1').xla()[0].tobytes().hex())"
    theirs = np.frombuffer(bytes.fromhex(run(code).stdout), np.uint8)
    fails(STEP, theirs, STAY, text="handle: expected the handle that xla.. of this pool returned, got something else")


FORK = """
import os, sys, numpy as np, envpool
env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
env.reset()
handle, recv, send, step = env.xla()
child = os.fork()
if child == 0:
    import jax
    try:
        jax.block_until_ready(jax.jit(step)(handle, np.zeros(2, np.int32)))
    except RuntimeError as error:
        os._exit("[CartPole-v1] this pool was made in the parent process" in str(error))
    os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
import jax
jax.block_until_ready(jax.jit(step)(handle, np.zeros(2, np.int32)))
"""


def test_a_fork():
    done = run(FORK)
    assert done.returncode == 0, done.stderr


def test_without_jax_the_error_says_what_to_install():
    done = run("import sys; sys.modules['jax'] = None\nimport envpool\nenvpool.make_gymnasium('CartPole-v1').xla()")
    assert (
        "MissingPackageError: [envpool] envpool.jax needs JAX, which is not installed: pip install 'jax>="
        in done.stderr
    )
