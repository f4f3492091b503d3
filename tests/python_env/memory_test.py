# SPDX-License-Identifier: Apache-2.0
"""Tests environments whose native code damages the memory shared with the pool, and workers that fork."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.python.errors import EnvError

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("cloudpickle")
spaces = gymnasium.spaces


def shared_memory() -> Any:
    """Returns the shared memory of the worker process that calls this function."""
    return next(value for value in gc.get_objects() if isinstance(value, mmap.mmap))


class Damaging(gymnasium.Env):
    """Counts its steps, and with action 1 does what `does` says."""

    observation_space, action_space = spaces.Box(-1, 1e6, (4,)), spaces.Discrete(2)

    def __init__(self, does: str = "", file: str = "") -> None:
        self.does, self.file = does, file

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.steps = 0
        return np.zeros(4, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        if action == 1:
            verb, _, rest = self.does.partition(" ")
            getattr(self, verb)(*rest.split())
        return np.full(4, self.steps, np.float32), float(self.steps), False, False, {}

    def overwrite(self, part: str, byte: str) -> None:
        memory = shared_memory()
        # The script holds views of the memory, through which one can write, as native code can.
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        ctypes.memset(address, int(byte), 64 if part == "header" else len(memory))

    def resize(self, bytes: str) -> None:
        for file in map(int, os.listdir("/proc/self/fd")):
            if os.path.lexists(f"/proc/self/fd/{file}") and "memfd:envpool" in os.readlink(f"/proc/self/fd/{file}"):
                os.ftruncate(file, int(bytes))

    def fork(self, seconds: str) -> None:
        child = os.fork()
        if child == 0:
            self.steps = 1000  # what the child would write
            time.sleep(float(seconds))
        else:
            Path(self.file).write_text(str(child))

    def fork_and_raise(self) -> None:
        if os.fork() == 0:
            raise RuntimeError("in the child")


@pytest.fixture(scope="module", autouse=True)
def register() -> None:
    envpool.register_python("Damaging-v0", Damaging)


@pytest.mark.parametrize("byte", [0, 255])
def test_a_damaged_header_harms_nobody(byte: int) -> None:
    with envpool.make_gymnasium("Damaging-v0", num_envs=4, num_workers=2, does=f"overwrite header {byte}") as env:
        env.reset()
        for step in range(1, 6):
            obs, reward = env.step([step == 2, 0, 0, 0])[:2]
            assert reward.tolist() == [step] * 4 and (obs == step).all()
        os.kill(children()[0], 9)  # the next process of this worker gets an undamaged header
        for _ in range(3):
            try:
                env.step([0, 0, 0, 0])
            except EnvError:
                continue
        assert env.step([0, 0, 0, 0])[1].shape == (4,)


@pytest.mark.parametrize("byte", [0, 1, 255])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_pool_survives_the_loss_of_all_its_shared_memory(byte: int, workers: int) -> None:
    with envpool.make_gymnasium("Damaging-v0", num_envs=4, num_workers=workers, does=f"overwrite all {byte}") as env:
        env.reset()
        env.step([0, 0, 0, 0])
        errors = []
        for action in ([1, 0, 0, 0], *[[0, 0, 0, 0]] * 8):
            try:
                env.step(action)
            except EnvError as error:
                errors.append(str(error))
        assert all("its worker process" in error or "object is not" in error for error in errors), errors
        env.reset()
        for step in range(1, 4):
            assert env.step([0, 0, 0, 0])[1].tolist() == [step] * 4


@pytest.mark.parametrize("bytes", [0, 1 << 30])
def test_a_worker_cannot_resize_the_shared_memory(bytes: int) -> None:
    with envpool.make_gymnasium("Damaging-v0", num_envs=2, does=f"resize {bytes}") as env:
        env.reset()
        with pytest.raises(EnvError, match="PermissionError"):
            env.step([1, 0])
        env.reset()
        assert env.step([0, 0])[1].tolist() == [1, 1]


def test_shared_memory_that_is_refused_leaks_no_files() -> None:
    limits, before = resource.getrlimit(resource.RLIMIT_FSIZE), len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
    try:
        for _ in range(2):
            with pytest.raises(RuntimeError, match="cannot share [0-9]+ bytes with the worker processes"):
                envpool.make_gymnasium("Damaging-v0", num_envs=100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(os.listdir("/proc/self/fd")) <= before + 1


@pytest.mark.parametrize("seconds", ["0", "0.3"])
def test_a_forked_worker_answers_no_calls(seconds: str, tmp_path: Path) -> None:
    file = tmp_path / "child"
    with envpool.make_gymnasium("Damaging-v0", num_envs=1, does=f"fork {seconds}", file=str(file)) as env:
        env.reset()
        got = []
        for step in range(1, 301):
            obs, reward = env.step([step == 2])[:2]
            got.append((obs[0].tolist(), reward.tolist()))
            time.sleep(0.002)
        assert got == [([step] * 4, [step]) for step in range(1, 301)]
        child = int(file.read_text())
        state = Path(f"/proc/{child}/stat").read_text().rsplit(") ", 1)[1][0]
        assert state == "Z"  # it has ended, and the environment has not collected its status


def test_an_exception_in_a_forked_worker_is_not_reported() -> None:
    with envpool.make_gymnasium("Damaging-v0", num_envs=1, does="fork_and_raise") as env:
        env.reset()
        for step in range(1, 50):
            assert env.step([step == 2])[1].tolist() == [step]


def children() -> list[int]:
    """Returns the ids of this process's children that run the script of a worker, in the order of their workers."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(") ", 1)[1].split()[1])
            command = (folder / "cmdline").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        if parent == os.getpid() and any(word.endswith(b"python_env/worker.py") for word in command):
            found.append((command[-3:-1], int(folder.name)))
    return [process for _, process in sorted(found)]
