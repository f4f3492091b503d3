# SPDX-License-Identifier: Apache-2.0
"""Tests that the engines' processes end with their pool, leave nothing behind, and are restarted when they die."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import envpool
from envpool.python.errors import EnvError

pytest.importorskip("vizdoom")

TASK = "SimplerBasic-v1"
IDLE = np.zeros((2, 3))


def engines(parent: int) -> list[int]:
    """Returns the process ids of the engines that a process has started and that still run."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and is_engine(int(folder.name), parent):
            found.append(int(folder.name))
    return sorted(found)


def is_engine(process: int, parent: int | None = None) -> bool:
    try:
        state, owner = Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].split()[:2]
        command = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
    return state != "Z" and b"viz_instance_id" in command and parent in (None, int(owner))


def left_behind() -> set[str]:
    """Returns the names of shared memory and folders that engines use while they start."""
    memory = {name for name in os.listdir("/dev/shm") if name.startswith(("ViZDoomSMe", "ViZDoomMQ"))}
    return memory | {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("envpool-vizdoom-")}


def expect_nothing_new(before: set[str]) -> None:
    """Fails if names stay that are not in `before`. Those of other tests' engines disappear when these have started."""
    left, until = left_behind() - before, time.monotonic() + 10
    while left:
        assert time.monotonic() < until, f"left behind: {left}"
        time.sleep(0.02)
        left &= left_behind()


def names_of(process: int) -> set[str]:
    """Returns the names that the engines of a process use."""
    found: set[str] = set()
    for engine in engines(process):
        with contextlib.suppress(OSError, ValueError):  # it has ended
            words = Path(f"/proc/{engine}/cmdline").read_text().split("\0")
            id = words[words.index("+viz_instance_id") + 1]
            found |= {name for name in left_behind() if name.endswith(id)}
    return found


def path_of(name: str) -> Path:
    return Path(tempfile.gettempdir() if name.startswith("envpool-") else "/dev/shm") / name


def wait_until_dead(processes: list[int]) -> None:
    until = time.monotonic() + 10
    while any(is_engine(process) for process in processes):
        assert time.monotonic() < until, "an engine still runs"
        time.sleep(0.02)


def start_script(code: str, **options: bool) -> subprocess.Popen[str]:
    head = (
        f"import os, sys, time, numpy as np, envpool\nenv = envpool.make_gymnasium({TASK!r}, num_envs=2)\nenv.reset()\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", head + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_engines_end_with_their_pool() -> None:
    before = left_behind()
    env = envpool.make_gymnasium(TASK, num_envs=2)
    assert engines(os.getpid()) == []  # they start at the first reset
    env.reset()
    running = engines(os.getpid())
    assert len(running) == 2
    expect_nothing_new(before)  # even while the engines run
    env.close()
    assert engines(os.getpid()) == []


def test_an_engine_that_dies_is_restarted() -> None:
    with envpool.make_gymnasium(TASK, num_envs=2, seed=3) as env:
        env.reset()
        env.step(IDLE)
        os.kill(engines(os.getpid())[0], signal.SIGKILL)
        with pytest.raises(
            EnvError, match=r"\[SimplerBasic-v1\] environment [01]: ViZDoom's engine was killed by signal 9"
        ):
            for _ in range(2):
                env.step(IDLE)
        assert len(engines(os.getpid())) == 2
        _, _, terminated, _, info = env.step(IDLE)
        assert sorted(info["elapsed_step"]) in ([1, 2], [1, 3])  # of the restarted environment, and of the other
        assert not terminated.any()


def test_an_engine_that_hangs_is_replaced() -> None:
    with envpool.make_gymnasium(TASK, num_envs=1, engine_timeout=5) as env:
        env.reset()
        os.kill(engines(os.getpid())[0], signal.SIGSTOP)
        with pytest.raises(EnvError, match="environment 0: ViZDoom's engine did not play a tic within 5 s"):
            env.step(IDLE[:1])
        env.step(IDLE[:1])


def test_an_engine_that_writes_nonsense_to_its_queue_is_replaced() -> None:
    """The pool does not wait for the timeout, which is longer than a test may take."""
    with envpool.make_gymnasium(TASK, num_envs=1, engine_timeout=3600) as env:
        env.reset()
        engine = engines(os.getpid())[0]
        os.kill(engine, signal.SIGSTOP)
        (line,) = (line for line in Path("/proc/self/maps").read_text().splitlines() if "ViZDoomMQCtr" in line)
        with open("/proc/self/mem", "r+b", buffering=0) as memory:
            memory.seek(int(line.split("-")[0], 16) + 16 + 24)  # the number of messages, of which 64 fit
            memory.write((65).to_bytes(8, "little"))
        with pytest.raises(EnvError, match="environment 0: ViZDoom's engine does not answer: it did not play a tic"):
            env.step(IDLE[:1])
        env.step(IDLE[:1])


def test_nothing_is_left_after_kill_9() -> None:
    before = left_behind()
    process = start_script("print('ready', flush=True); time.sleep(60)")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    running = engines(process.pid)
    assert len(running) == 2
    process.kill()
    process.communicate()
    wait_until_dead(running)
    expect_nothing_new(before)


def test_ctrl_c_does_not_reach_the_engines() -> None:
    # Background jobs of a shell ignore SIGINT, and their children inherit that.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n"
        "    print('ready', flush=True)\n"
        "    while True: env.step(np.zeros((2, 3)))\n"
        "except KeyboardInterrupt:\n"
        "    env.reset(); env.step(np.zeros((2, 3))); print('continued', flush=True)\n"
    )
    process = start_script(code, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    running = engines(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does for Ctrl-C
    out, error = process.communicate(timeout=60)
    assert (out, process.returncode) == ("continued\n", 0), error
    wait_until_dead(running)


def test_engines_outlive_the_thread_that_made_the_pool() -> None:
    pools = []
    thread = threading.Thread(target=lambda: pools.append(envpool.make_gymnasium(TASK, num_envs=1)))
    thread.start()
    thread.join()
    with pools[0] as env:
        resets = threading.Thread(target=env.reset)
        resets.start()
        resets.join()
        time.sleep(0.2)
        env.step(IDLE[:1])


def test_a_forked_process_does_not_end_the_engines() -> None:
    code = (
        "child = os.fork()\n"
        "if child == 0:\n"
        "    del env\n"
        "    import gc; gc.collect()\n"
        "    own = envpool.make_gymnasium('SimplerBasic-v1', num_envs=1); own.reset(); own.close()\n"
        "    sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "env.step(np.zeros((2, 3))); print('continued')\n"
    )
    out, error = start_script(code).communicate(timeout=60)
    assert out == "continued\n", error


def test_leftovers_of_a_killed_process_are_removed() -> None:
    process = start_script("")  # killed while it waits for its engines in the first line
    until = time.monotonic() + 30
    while len(left := names_of(process.pid)) < 3:
        assert time.monotonic() < until, "no engine started"
        time.sleep(0.001)
    process.kill()
    process.communicate()
    left &= left_behind()
    assert left
    for name in left:  # new ones are kept, because they could belong to a process that has not locked them yet
        os.utime(path_of(name), (0, 0))
    live = Path("/dev/shm") / "ViZDoomMQDoomep_test000"
    with live.open("w") as file:
        os.utime(live, (0, 0))
        fcntl.flock(file, fcntl.LOCK_EX)  # as a process does whose engine starts
        out, error = start_script("print('done')").communicate(timeout=60)
        assert out == "done\n", error
        assert left_behind() & {*left, live.name} == {live.name}
    out, error = start_script("print('done')").communicate(timeout=60)
    assert out == "done\n", error
    assert live.name not in left_behind()


@pytest.mark.parametrize("under_way", ["step", "start"])
def test_closing_a_pool_whose_engine_hangs(under_way: str, tmp_path: Path) -> None:
    """close() does not wait for the timeout, which is longer than a test may take."""
    hangs = tmp_path / "hangs"
    started = tmp_path / "started"
    before = left_behind()
    if under_way == "step":
        env = envpool.make_gymnasium(TASK, num_envs=1, engine_timeout=3600)
        env.reset()
        os.kill(engines(os.getpid())[0], signal.SIGSTOP)
        env.send(IDLE[:1])
    else:
        hangs.write_text(f"#!/bin/sh\necho >> {started}\nexec sleep 60\n")
        hangs.chmod(0o755)
        env = envpool.make_gymnasium(TASK, num_envs=1, vzd_path=hangs, engine_timeout=3600)
        env.async_reset()
    time.sleep(0.3)
    env.close()
    assert engines(os.getpid()) == []
    expect_nothing_new(before)
    if under_way == "start":
        assert started.read_text() == "\n"  # the engine was not started again


def test_too_little_shared_memory() -> None:
    code = (
        "import os, envpool\n"
        "env = envpool.make_gymnasium('SimplerBasic-v1', num_envs=4, num_threads=1)\n"
        "try: env.reset()\n"
        "except envpool.EnvError as error: print(error)\n"
        "print(os.listdir('/dev/shm'))\n"
    )
    mount = 'mount -t tmpfs -o size=400k tmpfs /dev/shm && exec "$0" -c "$1"'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, sys.executable, code]
    done = subprocess.run(command, capture_output=True, text=True)
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(f"no mount namespaces: {done.stderr.strip()}")
    error, left = done.stdout.splitlines()
    assert "environment 3: ViZDoom's engine needs 171 kB of /dev/shm, which has " in error
    assert error.endswith(" kB left of 400 kB, enough for 2 such engines")
    assert left == "[]"


def test_trajectories_do_not_depend_on_threads_and_batches() -> None:
    def play(threads: int, batch_size: int) -> list[list[bytes]]:
        seen: list[list[bytes]] = [[] for _ in range(3)]
        with envpool.make_gymnasium(
            TASK, num_envs=3, num_threads=threads, batch_size=batch_size, seed=8, max_episode_steps=30
        ) as env:
            env.async_reset()
            while min(map(len, seen)) < 80:
                obs, reward, terminated, _, info = env.recv()
                for row, env_id in enumerate(info["env_id"]):
                    digest = obs[row].tobytes() + reward[row].tobytes() + terminated[row].tobytes()
                    seen[env_id].append(digest + info["seed"][row].tobytes())
                steps = np.array([len(seen[env_id]) for env_id in info["env_id"]])
                action = np.stack([steps % 2, steps % 3 == 0, steps % 7 == 0], 1).astype(np.float64)
                env.send(action, info["env_id"])
        return [rows[:80] for rows in seen]

    want = play(1, 3)
    assert len({row[-8:] for row in want[0]}) > 1  # there are several episodes
    assert play(3, 3) == want
    assert play(2, 1) == want


def test_a_seed_gives_the_same_episodes_again() -> None:
    with envpool.make_gymnasium(TASK, num_envs=2, seed=5) as env:
        first, info = env.reset()
        for _ in range(5):
            env.step(IDLE + 1)
        again, info_again = env.reset(seed=5)
        np.testing.assert_array_equal(first, again)
        np.testing.assert_array_equal(info["seed"], info_again["seed"])
        assert len(set(info["seed"])) == 2


def test_recordings(tmp_path: Path) -> None:
    with envpool.make_gymnasium(TASK, num_envs=1, lmp_save_dir=tmp_path) as env:
        for _ in range(2):
            env.reset()
            for _ in range(5):
                env.step(IDLE[:1] + 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["env_0_0.lmp", "env_0_1.lmp"]
    assert all(path.stat().st_size > 20 for path in tmp_path.iterdir())
