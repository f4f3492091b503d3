# SPDX-License-Identifier: Apache-2.0
"""Tests every id in a process whose locale has a decimal comma, as a user interface such as Qt may set it.

The bounds in spaces are converted to text and back, and options may be texts that contain numbers.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.samples import DAY, WHOLE

# The file LC_NUMERIC of a locale of the GNU C library with "," for the point, as localedef writes it.
LC_NUMERIC = bytes.fromhex("14110320 06000000 20000000 22000000 24000000 28000000 2c000000 30000000") + (
    b",\0.\0\x03\x03\0\0,\0\0\0.\0\0\0ANSI_X3.4-1968\0"
)

PREPARE = """
import ctypes, locale, sys
import gymnasium, numpy as np
import envpool

def use(name):
    locale.setlocale(locale.LC_NUMERIC, name)
    text = ctypes.create_string_buffer(8)
    ctypes.CDLL(None).snprintf(text, 8, b"%.1f", ctypes.c_double(0.5))
    assert text.value == (b"0.5" if name == "C" else b"0,5"), text.value
"""

EVERY_ID = """
from envpool.python.registry import find
from tests.support.mutate_states import NEEDED, draw
from tests.support.trajectories import is_here

day, one_in = int(sys.argv[1]), int(sys.argv[2])
ids = [task_id for task_id in envpool.list_all_envs() if is_here(task_id) and task_id != "Faulty-v0"]
portable = set(envpool.jax.portable_envs())
assert len(ids) > 500 and len(portable) > 300
for number, task_id in enumerate(ids):
    options = NEEDED.get(task_id, {})
    slow = find(task_id).family == "vizdoom"  # starts a process for each environment
    use("C")
    expected = envpool.make_spec(task_id, **options)
    use("comma")
    spec = envpool.make_spec(task_id, **options)
    assert spec.observation_space == expected.observation_space, task_id
    assert spec.action_space == expected.action_space, task_id
    chosen = (number + day) % one_in == 0
    if not slow or chosen:
        with envpool.make_gymnasium(task_id, num_envs=1, num_threads=1, **options) as env:
            env.reset()
            rows = int(env.players().sum()) if env.spec.arrays.actors > 1 else 1
            env.step(draw(env.action_space, rows, np.random.default_rng(0)))
    if task_id in portable:
        env, params = envpool.jax.make(task_id, **options)
        assert params.max_episode_steps >= 0
        if chosen:
            import jax
            obs, state = env.reset(jax.random.key(0), params)
            np.asarray(jax.tree.leaves(obs)[0])
print("tried", len(ids))
"""

NUMBERS_IN_TEXTS = """
class Env(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-0.75, np.array([0.75, np.inf], np.float32))
    action_space = gymnasium.spaces.Box(-0.5, 1.5, (1,))
    def reset(self, *, seed=None, options=None):
        return np.zeros(2, np.float32), {}
    def step(self, action):
        return np.zeros(2, np.float32), 0.0, False, False, {}

use("comma")
envpool.register_python("Bounded-v0", Env)
with envpool.make_gymnasium("Bounded-v0", num_envs=1, num_workers=1) as env:
    assert env.observation_space == Env.observation_space and env.action_space == Env.action_space
    env.reset()
    env.step(np.zeros((1, 1), np.float32))

import jax
env, params = envpool.jax.make("CartPole-v1")
assert float(params.replace(gravity=9.25).gravity) == 9.25
try:
    params.replace(gravity=jax.numpy.float32("nan"))
except Exception as error:
    assert "got nan" in str(error), error
else:
    raise AssertionError("NaN was accepted")
print("tried")
"""


def run_with_decimal_comma(program: str, folder: Path, *arguments: object) -> str:
    """Returns the output of a program that can set the locale "comma"."""
    (folder / "comma").mkdir()
    (folder / "comma/LC_NUMERIC").write_bytes(LC_NUMERIC)
    environ = {**os.environ, "LOCPATH": str(folder), "SDL_VIDEODRIVER": "dummy"}
    environ = {name: value for name, value in environ.items() if not name.startswith("LC_")}
    command = [sys.executable, "-W", "ignore", "-c", PREPARE + program, *map(str, arguments)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the locale is a file of the GNU C library")


def test_every_id_works_with_a_decimal_comma(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    output = run_with_decimal_comma("import envpool.jax\n" + EVERY_ID, tmp_path, DAY, 1 if WHOLE else 40)
    assert "tried" in output


def test_numbers_in_texts_keep_their_decimal_point(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    assert "tried" in run_with_decimal_comma("import envpool.jax\n" + NUMBERS_IN_TEXTS, tmp_path)
