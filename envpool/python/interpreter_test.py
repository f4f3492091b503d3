# SPDX-License-Identifier: Apache-2.0
"""Pools and the interpreter around them: its end, its signals, its memory, its threads' floating-point mode."""

import ctypes
import importlib.util
import math
import platform
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import envpool
import envpool.testing.registration
from envpool.testing.registration import release


@pytest.fixture(autouse=True)
def hangs():
    """What is told to hang does, until a test lets go of it."""
    release(False)
    yield
    release()


def run(program, *arguments):
    """Runs a program in a new interpreter. Returns what it printed; it must end by itself, without an error."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    assert done.stderr == ""
    return done.stdout


DAEMON = """
    import sys, threading, time
    import numpy as np
    import envpool, envpool.testing.registration

    waits = envpool.make_gymnasium("Counter-v0", num_envs=4, batch_size=2, num_threads=1)
    waits.async_reset(), waits.recv(), waits.recv()
    waits.send(np.zeros(1, np.int32), np.zeros(1, np.int32))  # too little for a batch
    steps = envpool.make_gymnasium("Counter-v0", num_envs=4096, num_threads=2)
    steps.reset()
    hangs = envpool.make_gymnasium("Trouble-v0", num_envs=2, num_threads=2)
    hangs.reset()
    if sys.argv[1] in ("discard", "close"):
        hangs.send(np.full(2, 3, np.int32))
        time.sleep(0.05)

    def daemon():
        if sys.argv[1] == "recv":
            waits.recv()
        if sys.argv[1] == "timeout":
            while True:
                try:
                    waits.recv(timeout=0.01)
                except TimeoutError:
                    pass
        if sys.argv[1] == "step":
            while True:
                steps.step(np.zeros(4096, np.int32))
        if sys.argv[1] == "hang":
            hangs.step(np.full(2, 3, np.int32))
        if sys.argv[1] == "discard":
            hangs.async_reset()
        if sys.argv[1] == "close":
            hangs.close(timeout=float("inf"))
        if sys.argv[1] == "turn":
            steps.step(np.zeros(4096, np.int32))

    other = threading.Thread(target=lambda: waits.players())  # so that recv may wait for another's send
    other.start(), other.join()
    for _ in range(3 if sys.argv[1] in ("turn", "step") else 1):
        threading.Thread(target=daemon, daemon=True).start()
    time.sleep(0.2)
    print("ends", flush=True)
"""


@pytest.mark.parametrize("call", ["recv", "timeout", "step", "hang", "discard", "close", "turn"])
def test_a_daemon_thread_is_in_a_call_when_the_interpreter_ends(call):
    for _ in range(2):
        assert run(DAEMON, call) == "ends\n"


def test_a_subinterpreter_is_refused_in_a_sentence():
    name = next((name for name in ("_interpreters", "_xxsubinterpreters") if importlib.util.find_spec(name)), None)
    if name is None:
        pytest.skip("this Python has no module for subinterpreters")
    program = f"""
        import {name} as interpreters
        import envpool._core
        try:
            failed = interpreters.run_string(interpreters.create(), "import envpool._core")
        except Exception as error:
            failed = error
        print(failed)
    """
    assert "cannot be imported in a subinterpreter" in run(program) or sys.version_info >= (3, 12)


def test_close_takes_any_number_of_seconds():
    for timeout in (1e8, 1e18, 1e300, math.inf):
        env = envpool.make_gymnasium("Trouble-v0", num_envs=2, num_threads=2)
        env.reset()
        env.send(np.full(2, 2, np.int32))
        env.close(timeout=timeout)
    env = envpool.make_gymnasium("Trouble-v0")
    for timeout in (math.nan, -1.0, -math.inf):
        with pytest.raises(ValueError, match="timeout"):
            env.close(timeout=timeout)
        with pytest.raises(ValueError, match="timeout"):
            env._pool.close(timeout)
    env.reset()


@pytest.mark.parametrize("call", ["recv", "reset", "step", "close"])
def test_a_signal_handler_closes_twice(call):
    env = envpool.make_gymnasium("Trouble-v0", num_envs=2, num_threads=2)
    env.reset()
    if call != "step":
        env.send(np.full(2, 3, np.int32))
        time.sleep(0.05)  # now they hang; what no worker has begun close would drop
    seen = []

    def handler(*_):
        seen.append(True)
        if len(seen) == 1:  # while this one waits, the other comes
            signal.setitimer(signal.ITIMER_REAL, 0.1)
        else:
            release()
        env.close(timeout=math.inf)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        start = time.monotonic()
        if call == "close":
            env.close(timeout=math.inf)
        else:
            with pytest.raises(RuntimeError, match="the pool is closed"):
                {"recv": env.recv, "reset": env.reset, "step": lambda: env.step(np.full(2, 3, np.int32))}[call]()
        assert time.monotonic() - start < 5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(seen) == 2


def test_a_close_that_is_interrupted_is_ended_by_the_next():
    env = envpool.make_gymnasium("Trouble-v0", num_threads=1)
    env.reset()
    env.send(np.full(1, 3, np.int32))
    time.sleep(0.05)

    def handler(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            env.close(timeout=math.inf)
    finally:
        signal.signal(signal.SIGALRM, before)
    closers = [threading.Thread(target=env.close, kwargs={"timeout": 20.0}) for _ in range(3)]
    for closer in closers:
        closer.start()
    time.sleep(0.1)
    assert all(closer.is_alive() for closer in closers)
    release()
    for closer in closers:
        closer.join()


@pytest.mark.parametrize("num_threads", [1, 2])
def test_the_callers_floating_point_mode_does_not_reach_environments(num_threads):
    libm = ctypes.CDLL("libm.so.6")
    upward = {"x86_64": 0x800, "aarch64": 0x400000}.get(platform.machine())
    if upward is None:
        pytest.skip("the number of this machine's rounding mode is not known")

    def play(mode):
        libm.fesetround(mode)
        try:
            env = envpool.make_gymnasium("Pendulum-v1", num_envs=64, num_threads=num_threads, seed=1)
            rows = [env.reset()[0]]
            rows += [env.step(np.full((64, 1), 0.3, np.float32))[0] for _ in range(30)]
        finally:
            libm.fesetround(0)
        return np.stack(rows)

    np.testing.assert_array_equal(play(0), play(upward))
