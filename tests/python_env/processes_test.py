# SPDX-License-Identifier: Apache-2.0
"""Tests the life of workers whose environments fail in their constructors, start processes or close files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.python.errors import EnvError
from tests.python_env.workers import workers
from tests.support.waiting import until

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("cloudpickle")
spaces = gymnasium.spaces


class Hostile(gymnasium.Env):
    """Does what `does` says, in the constructor of environment 1 or in each step with action 1."""

    observation_space, action_space = spaces.Box(-1, 1, (2,)), spaces.Discrete(2)

    def __init__(self, makes: str = "", does: str = "", file: str = "", env_id: int = 0) -> None:
        self.does, self.file = does, file
        if makes and env_id == 1:
            getattr(self, makes)()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if action == 1:
            getattr(self, self.does)()
        return np.ones(2, np.float32), 1.0, False, False, {}

    def exit(self) -> None:
        sys.exit(3)

    def interrupt(self) -> None:
        raise KeyboardInterrupt

    def leave(self) -> None:
        os._exit(3)

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def terminate(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def hang(self) -> None:
        Path(self.file).write_text("0")
        time.sleep(100)

    def start_child(self) -> None:
        child = subprocess.Popen(["sleep", "300"])
        Path(self.file).write_text(str(child.pid))

    def start_child_and_hang(self) -> None:
        self.start_child()
        time.sleep(100)

    def start_thread(self) -> None:
        threading.Thread(target=time.sleep, args=(100,)).start()

    def fork(self) -> None:
        child = os.fork()
        if child == 0:
            time.sleep(300)
        Path(self.file).write_text(str(child))

    def close_files(self) -> None:
        os.closerange(3, 100)

    def close_streams(self) -> None:
        os.closerange(0, 3)

    def close_output(self) -> None:
        sys.stdout.close()

    def change_folder(self) -> None:
        os.chdir("/")

    def limit_memory(self) -> None:
        np.zeros(2**48)

    def ignore_signals(self) -> None:
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)

    def leave_group(self) -> None:
        os.setpgid(0, os.getppid()) if os.getpgid(os.getppid()) == os.getppid() else None

    def change_sys(self) -> None:
        sys.path.clear()
        sys.modules.clear()


@pytest.fixture(scope="module", autouse=True)
def register() -> None:
    envpool.register_python("Hostile-v0", Hostile)


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1][0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("makes", "text"),
    [
        ("exit", "SystemExit: 3"),
        ("interrupt", "KeyboardInterrupt"),
        ("limit_memory", ".*MemoryError"),
        ("leave", "its worker process ended with status 3"),
        ("die", "its worker process was killed by signal 9"),
    ],
)
def test_constructors_run_when_the_pool_is_made(makes: str, text: str) -> None:
    with pytest.raises(RuntimeError, match=rf"^\[Hostile-v0\] environment 1: {text}") as caught:
        envpool.make_gymnasium("Hostile-v0", num_envs=3, num_workers=3, makes=makes)
    assert not isinstance(caught.value, EnvError)


def test_closed_pools_hold_no_files() -> None:
    kept, counts = [], []
    for _ in range(6):
        env = envpool.make_gymnasium("Hostile-v0", num_envs=2, num_workers=2)
        env.reset()
        env.close()
        kept.append(env)
        counts.append(len(os.listdir("/proc/self/fd")))
    assert counts[0] == counts[-1]


@pytest.mark.parametrize("does", ["start_child", "fork"])
@pytest.mark.parametrize("end", ["close", "die"])
def test_processes_of_an_environment_end_with_its_worker(does: str, end: str, tmp_path: Path) -> None:
    file = tmp_path / "child"
    with envpool.make_gymnasium("Hostile-v0", num_envs=1, does=does, file=str(file)) as env:
        env.reset()
        env.step([1])
        child = int(file.read_text())
        assert runs(child)
        if end == "die":
            parent = int(Path(f"/proc/{child}/stat").read_text().rsplit(") ", 1)[1].split()[1])
            os.kill(parent, signal.SIGKILL)
            with pytest.raises(EnvError, match="killed by signal 9"):
                env.step([0])
            until(lambda: not runs(child), "the child has ended")
            env.step([0])
    assert not workers(os.getpid())
    until(lambda: not runs(child), "the child has ended")


SCRIPT = """
import sys, time
import envpool
from tests.python_env.processes_test import Hostile
envpool.register_python("Hostile-v0", Hostile)
env = envpool.make_gymnasium("Hostile-v0", num_envs=2, num_workers=2, makes=sys.argv[1], does=sys.argv[2], file=sys.argv[3])
env.reset()
env.step([1, 0])
print("ready", flush=True)
time.sleep(100)
"""


def start(makes: str, does: str, file: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SCRIPT, makes, does, str(file)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def test_processes_of_an_environment_end_with_kill_9_of_the_parent(tmp_path: Path) -> None:
    file = tmp_path / "child"
    process = start("", "start_child", file)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    child = int(file.read_text())
    assert runs(child)
    process.kill()
    process.communicate(timeout=20)  # the child has inherited the pipes
    until(lambda: not runs(child), "the child has ended")


def test_ctrl_c_ends_the_wait_for_a_constructor(tmp_path: Path) -> None:
    file = tmp_path / "child"
    process = start("hang", "", file)
    until(file.exists, "the environment runs")
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    error = process.communicate(timeout=20)[1]
    assert error.strip().splitlines()[-1] == "KeyboardInterrupt", error


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize(
    "does",
    [
        "start_thread",
        "close_files",
        "close_streams",
        "close_output",
        "change_folder",
        "ignore_signals",
        "leave_group",
        "change_sys",
    ],
)
def test_environments_that_change_their_process(does: str) -> None:
    with envpool.make_gymnasium("Hostile-v0", num_envs=2, num_workers=1, does=does) as env:
        env.reset()
        for action in ([0, 1], [1, 0], [0, 0]):
            assert env.step(action)[1].tolist() == [1, 1]
        assert len(workers(os.getpid())) == 1
    assert not workers(os.getpid())


@pytest.mark.parametrize(("does", "text"), [("die", "killed by signal 9"), ("terminate", "killed by signal 15")])
def test_workers_that_are_killed_in_a_step(does: str, text: str) -> None:
    with envpool.make_gymnasium("Hostile-v0", num_envs=2, num_workers=2, does=does) as env:
        env.reset()
        for _ in range(2):
            with pytest.raises(EnvError, match=f"environment 1: its worker process was {text}"):
                env.step([0, 1])
            assert env.step([0, 0])[1].tolist() == [1, 1]


def test_another_thread_closes_a_pool_whose_environment_hangs(tmp_path: Path) -> None:
    file = tmp_path / "file"
    env = envpool.make_gymnasium("Hostile-v0", num_envs=2, num_workers=2, does="start_child_and_hang", file=str(file))
    env.reset()
    closer = threading.Thread(target=lambda: (until(file.exists, "the environment runs"), env.close()))
    closer.start()
    with pytest.raises(RuntimeError, match="closed|closing"):
        env.step([1, 1])
    closer.join(20)
    assert not closer.is_alive()
