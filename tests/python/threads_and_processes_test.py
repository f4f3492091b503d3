# SPDX-License-Identifier: Apache-2.0
"""Tests pools that are used by several threads, after a fork, or interrupted by a signal or a deletion."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import envpool
from tests.python.interfaces import INTERFACES, make, observation_of
from tests.support.waiting import promptly, until, wait_until_blocked

pytestmark = pytest.mark.usefixtures("ends_promptly")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("interface", INTERFACES)
def test_use_after_fork(interface):
    env = make(interface, num_envs=4, num_threads=2)
    env.reset()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        try:
            messages = []
            for call in (lambda: env.step([0] * 4), env.reset, lambda: env.send([0] * 4), env.recv, env.async_reset):
                try:
                    call()
                    messages.append("nothing")
                except RuntimeError as error:
                    messages.append(str(error))
            env.close()
            del env
            own = make(interface, num_envs=4, num_threads=2)
            own.reset()
            messages.append(str(observation_of(own.step([0] * 4))[0, 0]))
            os.write(write, "\n".join(messages).encode())
        finally:
            os._exit(0)
    os.close(write)
    try:
        until(lambda: os.waitpid(child, os.WNOHANG) != (0, 0), "the child ends")
    except TimeoutError:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    messages = os.read(read, 10_000).decode().split("\n")
    os.close(read)
    assert messages[-1] == "1.0", messages
    for text in messages[:-1]:
        assert text.startswith("[Counter-v0]"), messages
        assert "fork" in text, messages
    assert observation_of(env.step([0] * 4))[:, 0].tolist() == [1] * 4


@pytest.mark.parametrize("call", ["env.recv()", "env.step([3, 0])", "env.reset()"])
def test_ctrl_c(call):
    # Background jobs of a shell ignore SIGINT, and their children inherit that.
    script = textwrap.dedent(f"""
        import signal
        import envpool
        from tests.environments.registration import release
        signal.signal(signal.SIGINT, signal.default_int_handler)
        env = envpool.make("Faulty-v0", num_envs=2, num_threads=1)
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
    wait_until_blocked(child.pid)
    with promptly():
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
    out, err = (
        child.stdout.read(),
        child.stderr.read(),
    )  # communicate() would skip the data that readline() has buffered
    assert child.wait(timeout=60) == 0, err
    assert out.splitlines() == (["[1.0, 1.0]"] if call == "env.reset()" else ["[1.0, 1.0]", "[2.0, 2.0]"]), err


def test_three_threads_send_and_recv():
    env = envpool.make_gymnasium("Counter-v0", num_envs=12, batch_size=2, num_threads=2)
    env.async_reset()
    counts, errors = np.zeros(12, int), []
    lock = threading.Lock()

    def loop():
        try:
            for _ in range(200):
                *_, info = env.recv(timeout=60)
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
        thread.join(60)
    assert not errors, errors
    assert counts.sum() == 1200
    env.reset()


@pytest.mark.parametrize("interface", INTERFACES)
def test_three_threads_step_different_environments(interface):
    env = make(interface, num_envs=9, num_threads=2)
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
        thread.join(60)
    assert not errors, errors


def _in_threads(*loops):
    """Runs each function in a thread of its own, and raises the first error."""
    errors = []

    def guarded(loop):
        try:
            loop()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(loop,), daemon=True) for loop in loops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a call hangs"
    if errors:
        raise errors[0]


def _repeated_beside(repeated, use):
    """Calls `repeated` again and again in one thread, until `use` has returned in another."""
    done = threading.Event()

    def repeat():
        while not done.is_set():
            repeated()

    def use_once():
        try:
            use()
        finally:
            done.set()

    _in_threads(repeat, use_once)


@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_reset_returns_its_own_results_while_another_thread_steps(num_threads):
    env = envpool.make_gymnasium("CartPole-v1", num_envs=4, num_threads=num_threads)
    env.reset()

    def step():
        assert env.step(np.zeros(2, np.int32), [0, 1])[-1]["env_id"].tolist() == [0, 1]

    def reset():
        for _ in range(1000):
            info = env.reset(env_id=[2, 3])[1]
            assert info["env_id"].tolist() == [2, 3]
            assert env.reset()[1]["elapsed_step"].tolist() == [0] * 4

    _repeated_beside(step, reset)


def test_a_recv_does_not_take_the_results_of_another_threads_reset():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=4, num_threads=1)
    env.reset()

    def send_and_receive():
        try:
            env.send(np.zeros(4, np.int32))
            assert len(env.recv(timeout=0.05)) == 5
        except TimeoutError:  # the reset of the other thread has discarded the results of this send
            pass

    def reset():
        for _ in range(1000):
            try:
                assert env.reset()[1]["elapsed_step"].tolist() == [0] * 4
            except RuntimeError as error:  # the other thread has sent again since the reset discarded its results
                assert "environment 0 is under way" in str(error)

    _repeated_beside(send_and_receive, reset)


def test_other_calls_wait_for_the_steps_of_another_thread():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=3, num_threads=2)
    env.reset()

    def use():
        for _ in range(300):
            assert env.options()["gravity"].tolist() == [pytest.approx(9.8)] * 3
            env.set_options(gravity=9.8)
            env.restore(0, env.snapshot(1))
            env.clone(0, [2])
            assert env.observe()[0].shape == (3, 4)

    _repeated_beside(lambda: env.step(np.zeros(3, np.int32)), use)


def test_three_threads_step_the_same_environments():
    env = envpool.make_gymnasium("Counter-v0", num_envs=4, num_threads=2)
    env.reset()
    messages = []

    def loop():
        for _ in range(200):
            try:
                env.step([0, 0, 0, 0])
            except RuntimeError as error:
                messages.append(str(error))

    threads = [threading.Thread(target=loop) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all("under way" in text for text in messages), messages
    assert env.reset()[0].tolist() == [[0, 0]] * 4


def test_a_partial_reset_that_cannot_fill_a_batch_is_refused_without_an_effect():
    env = envpool.make_gymnasium("Counter-v0", num_envs=4, batch_size=2, num_threads=1)
    env.async_reset()
    env.recv()
    env.recv()
    with pytest.raises(RuntimeError, match="reset: a batch needs 2 environments but only 1 are under way"):
        env.reset(env_id=[0])
    assert len(env.snapshot()) == 4
    assert env.reset(env_id=[0, 3])[0].shape[0] == 2


def test_closing_a_pool_of_many_threads_is_fast():
    """It takes no longer than to end as many threads of Python, times a factor. Delays by other programs are chance."""

    def seconds(close):
        before = time.monotonic()
        close()
        return time.monotonic() - before

    def end():
        leave.set()
        for thread in threads:
            thread.join()

    ratio = float("inf")
    for _ in range(20):
        env = envpool.make("Counter-v0", num_envs=64, num_threads=64)
        env.reset()
        leave = threading.Event()
        threads = [threading.Thread(target=leave.wait) for _ in range(64)]
        for thread in threads:
            thread.start()
        ratio = min(ratio, seconds(env.close) / seconds(end))
        if ratio < 10:
            break
    assert ratio < 10


def test_deleting_a_pool_with_steps_under_way():
    for _ in range(20):
        env = envpool.make("Faulty-v0", num_envs=4, batch_size=1, sleep_ms=2)
        env.async_reset()
        env.recv()
        del env
