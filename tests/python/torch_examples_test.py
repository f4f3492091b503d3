# SPDX-License-Identifier: Apache-2.0
"""Tests of the training examples in torch: a killed and resumed run ends with the bits of an uninterrupted one, and a
checkpoint of another run is refused. tests/jax/ppo_example_test.py tests examples/ppo_jax.py, and
torch_device_test.py has more tests of examples/ppo_device.py.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import envpool
from tests.support.kill_while_saving import KILL_WHILE_SAVING

torch = pytest.importorskip("torch")
for package in ("tqdm", "matplotlib"):
    pytest.importorskip(package)
SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
if SOURCE is None:
    pytest.skip("needs the sources: ENVPOOL_SOURCE_DIR", allow_module_level=True)
EXAMPLES = Path(SOURCE, "examples")
ENVIRON = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(EXAMPLES), str(Path(envpool.__file__).parent.parent)]),
}
# With these options, each script makes four updates of 64 steps.
SCRIPTS = {
    "ppo_atari": ["--num_envs=4", "--num_steps=16", "--eval_games=0", "--video="],
    "pqn_atari": ["--num_envs=4", "--num_steps=16", "--eval_games=0", "--video="],
    "ppo_mujoco": ["--num_envs=4", "--num_steps=16", "--batch_size=4", "--eval_episodes=0", "--video="],
    "ppo_levels": ["--num_envs=4", "--num_steps=16", "--eval_episodes=0"],
    "ppo_device": ["--device=cpu", "--num_envs=4", "--num_steps=16", "--eval_episodes=0", "--video="],
}
NEEDS = {"ppo_atari": "ale_py", "ppo_mujoco": "mujoco"}


def train(script, out, *options, kill=False):
    how = ["-c", KILL_WHILE_SAVING] if kill else []
    command = [sys.executable, *how, EXAMPLES / f"{script}.py", *SCRIPTS[script], "--save_every=1"]
    return subprocess.run(
        [*command, "--total_timesteps=256", f"--out={out}", *options],
        env=ENVIRON,
        capture_output=True,
        text=True,
        timeout=300,
    )


def bits(state, leave=("wall", "cpu", "seconds")):
    """Returns the contents of a checkpoint in a comparable form, without the times."""
    if isinstance(state, dict):
        return {name: bits(value) for name, value in state.items() if name not in leave}
    if isinstance(state, list | tuple):
        return [bits(value) for value in state]
    if isinstance(state, torch.Tensor):
        state = state.numpy()
    return (state.dtype, state.shape, state.tobytes()) if isinstance(state, np.ndarray) else repr(state)


def read_checkpoint(path):
    spec = importlib.util.spec_from_file_location("common", EXAMPLES / "common.py")
    common = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(common)
    return common.read(path)


def checkpoint(out):
    return read_checkpoint(out / "checkpoint.pt")


class Code:
    """Creates a file when it is unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return os.mkdir, (str(self.file),)


def test_a_checkpoint_cannot_contain_code(tmp_path):
    whole = train("pqn_atari", tmp_path / "run")
    assert whole.returncode == 0, whole.stderr
    path = tmp_path / "run" / "checkpoint.pt"
    torch.save({**read_checkpoint(path), "code": Code(tmp_path / "created")}, path)
    resumed = train("pqn_atari", tmp_path / "run", "--resume")
    assert resumed.returncode == 1 and "is damaged or not a checkpoint" in resumed.stderr
    loaded = train("ppo_device", tmp_path / "device", f"--load=all={path}")
    assert loaded.returncode != 0 and "--load" in loaded.stderr
    assert not (tmp_path / "created").exists()


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("script", SCRIPTS)
def test_killed_and_resumed(script, tmp_path):
    if script in NEEDS:
        pytest.importorskip(NEEDS[script])
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    alone = train(script, whole)
    assert alone.returncode == 0, alone.stderr

    killed = train(script, parts, kill=True)
    assert killed.returncode == -9, killed.stderr
    assert (parts / "checkpoint.new").exists()
    before = bits(checkpoint(parts))
    assert before != bits(checkpoint(whole))

    other = train(script, parts, "--resume", "--gamma=0.5")
    assert other.returncode == 1
    gamma = before["options"]["gamma"].strip("'")
    assert other.stderr.splitlines()[-1] == f"--resume: {parts}/checkpoint.pt has gamma {gamma}, not 0.5"

    resumed = train(script, parts, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert bits(checkpoint(parts)) == bits(checkpoint(whole))
    log, expected = ((out / "log.csv").read_text().splitlines() for out in (parts, whole))
    assert [line.split(",")[0] for line in log] == [line.split(",")[0] for line in expected]
    assert len(log) == 5


def test_a_new_run_renames_an_earlier_checkpoint(tmp_path):
    assert train("pqn_atari", tmp_path).returncode == 0
    first = (tmp_path / "checkpoint.pt").read_bytes()
    killed = train("pqn_atari", tmp_path, "--seed=2", "--save_every=3", kill=True)  # killed before the second save
    assert killed.returncode in (0, -9), killed.stderr
    assert (tmp_path / "checkpoint_before.pt").read_bytes() == first


@pytest.fixture
def common(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import common

    return common


def test_missing_and_damaged_checkpoints_are_refused(common, tmp_path):
    class Options:
        def __init__(self, gamma):
            self.gamma, self.seed, self.out = gamma, 1, tmp_path

    path = tmp_path / "checkpoint.pt"
    with pytest.raises(SystemExit, match=f"^--resume: {path} does not exist$"):
        common.load(Options(0.9), path)
    common.save(Options(0.9), {"network": torch.arange(4096)}, path)
    assert common.load(Options(0.9), path)["network"].tolist() == list(range(4096))
    with pytest.raises(SystemExit, match="has gamma 0.9, not 0.8$"):
        common.load(Options(0.8), path)

    written = path.read_bytes()
    for damaged in (b"", b"PK", b"no checkpoint at all", written[:-100], written[: len(written) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(SystemExit, match=f"^--resume: {path} is damaged or not a checkpoint"):
            common.load(Options(0.9), path)
    for something in ([1, 2], {"network": 1}, {"options": None}):
        torch.save(something, path)
        with pytest.raises(SystemExit, match="^--resume: "):
            common.load(Options(0.9), path)
