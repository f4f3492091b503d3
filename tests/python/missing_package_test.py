# SPDX-License-Identifier: Apache-2.0
"""Tests that functions whose optional package is missing raise MissingPackageError with the install command."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# For each package, calls that need it and the beginning of the error text.
WITHOUT = {
    "gymnasium": {
        "envpool.make('CartPole-v1')": "[envpool] make_gymnasium needs gymnasium, ",
        "envpool.make_vec('CartPole-v1')": "[envpool] make_gymnasium needs gymnasium, ",
        "envpool.make_gym('CartPole-v1', step_api='classic')": "[envpool] make_gym needs gymnasium, ",
        "envpool.make_spec('CartPole-v1').observation_space": "[envpool] a spec's space needs gymnasium, ",
        "envpool.GymnasiumEnvPool": "[envpool] make_gymnasium needs gymnasium, ",
    },
    "dm_env": {
        "envpool.make_dm('CartPole-v1')": "[envpool] make_dm needs dm_env, ",
        "envpool.make_spec('CartPole-v1').observation_spec()": "[envpool] a spec of dm_env needs dm_env, ",
    },
    "stable_baselines3": {"envpool.make_sb3('CartPole-v1')": "[envpool] make_sb3 needs Stable-Baselines3, "},
    "pettingzoo": {"envpool.make_pettingzoo('TagGridWorld-v0')": "[envpool] make_pettingzoo needs PettingZoo, "},
    "jax": {
        "envpool.jax": "[envpool] envpool.jax needs JAX, ",
        "importlib.import_module('envpool.jax.gymnax1')": "[envpool] envpool.jax needs JAX, ",
        "envpool.make('CartPole-v1').xla()": "[envpool] envpool.jax needs JAX, ",
    },
    "ray": {"envpool.ray.make('CartPole-v1', 2, 1)": "[envpool] envpool.ray needs Ray, "},
    "mujoco": {
        "envpool.make('Pusher-v5')": "[Pusher-v5] needs MuJoCo, ",
        "envpool.make_dm('CheetahRun-v1')": "[CheetahRun-v1] needs MuJoCo, ",
        "envpool.make_spec('Mujoco-v0')": "[Mujoco-v0] needs MuJoCo, ",
        "envpool.make('Ant-v5', backend='mujoco')": "[Ant-v5] needs MuJoCo, ",
        "envpool.make('Ant-v5', render_mode='rgb_array', camera_name='track')": "[Ant-v5] needs MuJoCo, ",
        "envpool.jax.make('Ant-v5', backend='mujoco')": "[Ant-v5] needs MuJoCo, ",
    },
    "dm_control": {"envpool.make('CheetahRun-v1')": "[CheetahRun-v1] needs the models of dm_control, "},
    "ale_py": {
        "envpool.make('Pong-v5')": "[Pong-v5] needs the ROMs of ale-py, ",
        "envpool.make_vec('ALE/Pong-v5')": "[ALE/Pong-v5] needs the ROMs of ale-py, ",
        "envpool.make_dm('Pong-v5')": "[Pong-v5] needs the ROMs of ale-py, ",
        "envpool.jax.make('Pong-v5')": "[Pong-v5] needs the ROMs of ale-py, ",
    },
    "craftax": {
        "envpool.make('Craftax-Classic-Pixels-v1')": "[Craftax-Classic-Pixels-v1] needs the textures of craftax, ",
        "envpool.make('Craftax-Pixels-v1')": "[Craftax-Pixels-v1] needs the textures of craftax, ",
        "envpool.jax.make('Craftax/Classic-Pixels-v1')": "[Craftax/Classic-Pixels-v1] needs the textures of craftax, ",
    },
    "jumanji": {
        "envpool.make('Sudoku-v0')": "[Sudoku-v0] needs the puzzles of jumanji, ",
        "envpool.jax.make('Jumanji/Sudoku-very-easy-v0')": "[Jumanji/Sudoku-very-easy-v0] needs the puzzles of jumanji, ",
    },
    "vizdoom": {
        "envpool.make('Basic-v1')": "[Basic-v1] needs the engine of ViZDoom, ",
        "envpool.make('VizdoomBasic-v1')": "[VizdoomBasic-v1] needs the engine of ViZDoom, ",
        "envpool.make_spec('VizdoomCustom-v1')": "[VizdoomCustom-v1] needs the engine of ViZDoom, ",
    },
    "pygame": {"envpool.make('CartPole-v1', render_mode='human')": "[CartPole-v1] render_mode 'human' needs pygame, "},
    "nvidia": {"importlib.import_module('envpool.cuda.nvrtc').load()": "[envpool.cuda] NVRTC, "},
}
# Another package that these calls need.
NEEDS = {
    "envpool.make('CheetahRun-v1')": "mujoco",
    "envpool.jax.make('Ant-v5', backend='mujoco')": "jax",
    "envpool.jax.make('Pong-v5')": "jax",
    "envpool.jax.make('Craftax/Classic-Pixels-v1')": "jax",
    "envpool.jax.make('Jumanji/Sudoku-very-easy-v0')": "jax",
}
CODE = """
import importlib.machinery, json, pickle, sys
package, *calls = json.load(sys.stdin)
find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = lambda name, *rest: None if name == package else find(name, *rest)
import envpool
for call in calls:
    try:
        eval(call)
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), copy.name) == (type(error), str(error), error.name)
        print(json.dumps([kinds, getattr(error, "name", None), str(error)]))
    else:
        print(json.dumps([[], None, "nothing was raised"]))
assert len(envpool.list_all_envs()) > 100
"""


@pytest.mark.parametrize("package", WITHOUT)
def test_errors_without_a_package(package: str) -> None:
    calls = {call: text for call, text in WITHOUT[package].items() if _is_there(NEEDS.get(call, ""))}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        input=json.dumps([package, *calls]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    for (call, beginning), (kinds, name, text) in zip(calls.items(), results, strict=True):
        assert {"MissingPackageError", "ImportError", "RuntimeError"} <= set(kinds), (call, kinds, text)
        assert text.startswith(beginning), (call, text)
        assert text.count("[") == text.count(beginning[0]), (call, text)
        assert "pip install" in text, (call, text)
        assert name == package, call


def _is_there(package: str) -> bool:
    import importlib.util

    return not package or importlib.util.find_spec(package) is not None


def test_a_broken_package_is_not_reported_as_missing() -> None:
    code = "import sys; sys.modules['gymnasium.vector'] = None; import envpool; envpool.make('CartPole-v1')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "gymnasium.vector" in done.stderr.splitlines()[-1]
    assert "pip install" not in done.stderr
