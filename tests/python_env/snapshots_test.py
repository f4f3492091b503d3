# SPDX-License-Identifier: Apache-2.0
"""Tests snapshots of Python environments, which are pickles with a keyed checksum."""

from __future__ import annotations

import os
import pickle
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
from tests.support.mutations import Signed

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("cloudpickle")
spaces = gymnasium.spaces

HEAD = 48 + 8  # bytes of a state before its arrays: the episode and its seed


class Walk(gymnasium.Env):
    """Walks by random steps. `holds` says what the environment holds besides its position."""

    observation_space, action_space = spaces.Box(-1e6, 1e6, (2,), np.float64), spaces.Discrete(3)

    def __init__(self, holds: str = "", file: str = "") -> None:
        self.holds, self.file = holds, file
        if holds == "lock":
            self.lock = threading.Lock()
        if holds == "megabytes":
            self.large = np.random.default_rng(1).bytes(2_500_000)

    def observe(self) -> tuple[Any, dict[str, Any]]:
        return self.position.copy(), {"steps": self.steps}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.position, self.steps = self.np_random.normal(size=2), 0
        return self.observe()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if action == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        self.position += self.np_random.normal(size=2) * (1 + action)
        self.steps += 1
        obs, info = self.observe()
        return obs, float(self.position[0]), self.steps == 30, False, info

    def __getstate__(self) -> dict[str, Any]:
        if self.holds == "sleep" and self.steps > 2:
            Path(self.file).touch()
            time.sleep(600)
        return self.__dict__

    def close(self) -> None:
        if self.holds == "megabytes" and hasattr(
            self, "position"
        ):  # the first environment, which is never reset, is closed
            raise OSError("cannot be closed")


envpool.register_python("SavedWalk-v0", Walk, info={"steps": np.int32})


def walk(num_envs: int = 4, steps: int = 3, **options: Any) -> Any:
    env = envpool.make_gymnasium("SavedWalk-v0", num_envs=num_envs, **{"num_workers": 1, **options})
    env.reset()
    for _ in range(steps):
        env.step(np.arange(num_envs) % 2)
    return env


def rows(result: Any) -> list[bytes]:
    """Returns the arrays of a batch, except the ids."""
    *arrays, info = result
    return [array.tobytes() for array in (*arrays, info["steps"], info["elapsed_step"], info["seed"])]


@pytest.mark.parametrize("holds", ["", "megabytes"])
def test_a_restored_environment_continues_identically(holds: str) -> None:
    with walk(holds=holds, num_workers=2) as env, walk(holds=holds, seed=8, steps=9) as other:
        states = env.snapshot()
        assert [len(state) > 2_500_000 for state in states] == [holds == "megabytes"] * 4
        observed = rows(env.observe())
        actions = np.random.default_rng(2).integers(0, 2, (40, 4))
        original = [rows(env.step(action)) for action in actions]  # beyond the ends of the episodes
        for pool in (env, other):
            pool.restore([3, 1, 0, 2], [states[i] for i in (3, 1, 0, 2)])
            assert rows(pool.observe()) == observed
            assert [rows(pool.step(action)) for action in actions] == original


def test_states_move_between_environments() -> None:
    with walk() as env:
        states = env.snapshot()
        assert len(set(states)) == 4 and states[2] == env.snapshot(2)
        env.clone([3, 3, 0], [0, 1, 3])
        positions = env.observe()[0]
        assert (positions[0] == positions[1]).all() and (positions[0] != positions[3]).all()
        assert len({row.tobytes() for row in env.step(np.ones(4, int))[0]}) == 3  # 0 and 1 still draw the same
        env.clone(0, seed=5)
        env.reset()  # uses the seeds
        assert len({row.tobytes() for row in env.step(np.ones(4, int))[0]}) == 4


SCRIPT = """
import threading
import envpool
from tests.python_env.snapshots_test import Walk
class Held(Walk):
    def __init__(self):
        super().__init__(holds="lock")
envpool.register_python("Held-v0", Held)
env = envpool.make("Held-v0", num_envs=1)
env.reset()
env.snapshot(0)
"""


def test_the_error_names_what_cannot_be_pickled_in_a_class_of_the_main_script() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert (
        "expected an environment that can be pickled, got TypeError: cannot pickle '_thread.lock' object" in done.stderr
    )


def test_an_environment_that_cannot_be_pickled_is_refused() -> None:
    with walk(holds="lock") as env:
        text = (
            r"^\[SavedWalk-v0\] snapshot: environment 1: expected an environment that can be pickled, got TypeError: cannot "
            r"pickle '_thread.lock' object"
        )
        for call in (lambda: env.snapshot(1), lambda: env.clone(1, [0]), lambda: env.snapshot([1, 2])):
            with pytest.raises(RuntimeError, match=text.replace("snapshot", "(snapshot|clone)")):
                call()
        assert env.step(np.zeros(4, int))[4]["elapsed_step"].tolist() == [4] * 4


class Harmful:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_a_foreign_pickle_is_not_loaded(tmp_path: Path) -> None:
    with walk() as env:
        sound = env.snapshot(0)
        signed = Signed(sound)
        file = tmp_path / "harm"
        arrays = signed.body[: HEAD + 3 * 64]  # the observation, the steps and the seed
        pickled = pickle.dumps(Harmful(file))
        forged = [
            arrays + bytes(32) + pickled,
            arrays + signed.body[len(arrays) : len(arrays) + 32] + pickled,
            arrays + pickled,
            arrays,
            signed.body + b"\0",
            signed.body[:-1],
        ]
        assert signed.body[len(arrays) + 32 :][:1] == b"\x80"  # the first byte of a pickle
        for body in forged:
            with pytest.raises(
                ValueError, match=r"^\[SavedWalk-v0\] restore: state: expected a snapshot that this process"
            ):
                env.restore(0, signed.with_body(body))
        for length in (0, 40, HEAD, HEAD + 100):
            with pytest.raises(
                ValueError, match=r"^\[SavedWalk-v0\] restore: state: expected at least \d+ bytes, got \d+"
            ):
                env.restore(0, signed.with_body(signed.body[:length]))
        assert not file.exists()
        pickle.loads(pickled)
        assert file.exists()  # it would have done harm
        assert env.snapshot(0) == sound


SAVES = """
import sys
import tests.python_env.snapshots_test as test
with test.walk() as env:
    sys.stdout.buffer.write(env.snapshot(0))
"""


def test_snapshots_of_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-W", "ignore", "-c", SAVES]
    key = {"ENVPOOL_SNAPSHOT_KEY": "sixteen or more characters"}
    state = subprocess.run(command, check=True, capture_output=True, env=os.environ | key).stdout
    with walk() as env, pytest.raises(ValueError, match="restore: state: expected a snapshot that this process made"):
        env.restore(1, state)
    monkeypatch.setenv(*key.popitem())
    envpool.register_python(
        "SavedWalk-v0", Walk, info={"steps": np.int32}
    )  # otherwise the first pool's program is used again
    with walk() as env:
        assert env.snapshot(0) == state
        env.restore(1, state)
        assert env.snapshot(1) == state
    monkeypatch.undo()
    envpool.register_python("SavedWalk-v0", Walk, info={"steps": np.int32})


def test_a_short_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_SNAPSHOT_KEY", "fifteen letters")
    envpool.register_python("WalkWithKey-v0", Walk)
    text = r"^\[WalkWithKey-v0\] ENVPOOL_SNAPSHOT_KEY: expected at least 16 characters, got 15"
    with pytest.raises(ValueError, match=text):
        envpool.make_gymnasium("WalkWithKey-v0")


def test_a_class_of_the_main_script() -> None:
    program = (
        "import numpy as np, envpool, tests.python_env.snapshots_test as test\n"
        "class Here(test.Walk):\n"
        "    pass\n"
        "envpool.register_python('Here-v0', Here, info={'steps': np.int32})\n"
        "with envpool.make_gymnasium('Here-v0', num_envs=2, num_workers=2) as env:\n"
        "    env.reset()\n"
        "    state = env.snapshot(0)\n"
        "    first = env.step(np.ones(2, int))[0][0]\n"
        "    env.restore(1, state)\n"
        "    assert (env.step(np.ones(2, int))[0][1] == first).all()\n"
        "    print('equal')\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "equal\n", done.stderr


def test_a_worker_that_has_died() -> None:
    with walk() as env:
        states = env.snapshot()
        env.send(np.array([2, 0, 0, 0]))
        with pytest.raises(EnvError):
            env.recv()
        env.restore(None, states)  # in a new worker
        assert [env.snapshot(i) for i in range(4)] == states
    with walk(autoreset_mode="disabled") as env:
        with pytest.raises(EnvError):
            env.step(np.array([2, 0, 0, 0]))
        env.restore([0, 1], states[:2])
        assert env.snapshot([1, 0]) == [states[1], states[0]]


def test_worker_timeout_ends_an_endless_pickle(tmp_path: Path) -> None:
    with walk(holds="sleep", file=str(tmp_path / "begun"), worker_timeout=0.5) as env:
        with pytest.raises(RuntimeError, match="environment 2: its worker process was ended, because it took longer"):
            env.snapshot(2)
        env.reset()
        assert len(env.snapshot(0)) > 100


def test_ctrl_c_ends_an_endless_pickle(tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def interrupt() -> None:
        while not begun.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    with walk(holds="sleep", file=str(begun)) as env:
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            env.snapshot(2)
        thread.join()
        env.reset()
        assert len(env.snapshot(0)) > 100
