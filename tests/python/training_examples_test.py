# SPDX-License-Identifier: Apache-2.0
"""Runs the examples that train agents with RL libraries, until they reach a return (`make test-clients`).

Each day runs a third of them. The virtual environments of `make test-clients` have different libraries: an example runs
where all that it needs is installed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("torch")  # `make test` has JAX, but runs no training
SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
if SOURCE is None:
    pytest.skip("needs the sources: ENVPOOL_SOURCE_DIR", allow_module_level=True)
CLEANRL = "--total_timesteps=512 --num_envs=8 --num_steps=32"
PONG = (
    "--env=atari_pong --experiment=pong --device=cpu --restart_behavior=overwrite --env_agents=8 --rollout=32"
    " --train_dir=pong --batch_size=256 --train_for_env_steps=1024 --serial_mode=True --async_rl=False --num_workers=1"
    " --num_envs_per_worker=1 --worker_num_splits=1"
)


class Example(NamedTuple):
    """A program to run.

    Attributes:
        name: a file of examples/ without `.py`, or a module.
        arguments: its arguments.
        needs: the packages that must be installed.
        gym: the version of gym that it needs in addition, if any.
        threads: whether its networks are large enough to use several threads.
    """

    name: str
    arguments: str
    needs: tuple[str, ...]
    gym: str = ""
    threads: bool = False

    def __str__(self) -> str:
        return "-".join(filter(None, (self.name, self.gym, self.arguments.partition(" ")[0].partition("=")[2])))


EXAMPLES = (
    Example("async_actors", "--task=Pong-v5 --num_envs=16 --batch_size=8 --steps=2000", ("ale_py",), threads=True),
    *(Example("cleanrl_style", CLEANRL, ("ale_py",), gym) for gym in ("", "0.23.1", "0.26.2")),
    Example("sb3_ppo", "--total_timesteps=30000 --require_return=100", ("stable_baselines3",)),
    Example(
        "sb3_ppo", "--task=MiniGrid-DoorKey-5x5-v0 --num_envs=16 --total_timesteps=4096 --out=.", ("stable_baselines3",)
    ),
    Example("tianshou_ppo", "--total_timesteps=4096 --require_return=60", ("tianshou",)),
    Example("rl_games_ppo", "--total_timesteps=8192 --require_return=60 --out=.", ("rl_games",)),
    Example("skrl_ppo", "--total_timesteps=8192 --require_return=50", ("skrl",)),
    Example("torchrl_ppo", "--total_timesteps=8192 --require_return=60", ("torchrl",), "0.26.2"),
    Example(
        "sample_factory_ppo",
        "--env=CartPole-v1 --experiment=cartpole --train_for_env_steps=8192 --require_return=60",
        ("sample_factory",),
    ),
    Example("sf_examples.envpool.atari.train_envpool_atari", PONG, ("sample_factory", "sf_examples")),
    Example(
        "ppo_atari", "--total_timesteps=8192 --eval_games=2 --require_return=-21 --out=.", ("ale_py",), threads=True
    ),
    Example(
        "selfplay_atari",
        "--total_timesteps=8192 --eval_every=2 --eval_games=3 --eval_steps=100 --out=.",
        ("ale_py", "matplotlib"),
        threads=True,
    ),
    Example("ppo_levels", "--total_timesteps=122880 --eval_episodes=20 --require_return=0.2 --out=.", ("matplotlib",)),
    Example(
        "ppo_jax",
        "--num_envs=64 --num_steps=32 --learning_rate=2.5e-3,5e-3 --num_seeds=2 --total_timesteps=150000"
        " --require_return=475 --out=.",
        ("jax", "matplotlib"),
        threads=True,
    ),
    Example(
        "alphazero_jax",
        "--game=tic_tac_toe --updates=20 --eval_every=20 --num_games=256 --num_plies=16 --width=64 --layers=2 --batch=512"
        " --eval_games=64 --playouts=16 --require_result=0.75 --out=.",
        ("mctx", "optax", "matplotlib"),
        threads=True,
    ),
    Example(
        "ued_maze",
        "--methods=plr --num_envs=16 --num_steps=128 --total_timesteps=250000 --buffer=64 --eval_every=120 --last=1"
        " --require_solved=0.4 --out=.",
        ("jax", "matplotlib"),
        threads=True,
    ),
)


def is_missing(package: str) -> bool:
    return importlib.util.find_spec(package) is None


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_example_learns(example: Example, tmp_path: Path) -> None:
    if missing := [package for package in example.needs if is_missing(package)]:
        pytest.skip(f"needs {', '.join(missing)}")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    if example.gym:
        folder = Path(sys.prefix, f"gym-{example.gym}")
        if not folder.exists():
            pytest.skip(f"needs gym {example.gym}")
        environment["PYTHONPATH"] = str(folder)
    if not example.threads:
        environment["OMP_NUM_THREADS"] = "1"
    file = Path(str(SOURCE), "examples", f"{example.name}.py")
    program = [str(file)] if file.exists() else ["-m", example.name]
    done = subprocess.run(
        [sys.executable, *program, *example.arguments.split()],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.parametrize(
    ("task", "words"), [("Pendulum-v1", "Box(-2.0, 2.0, (1,), float32)"), ("TagGridWorld-v0", "of up to 11 players")]
)
def test_a_task_whose_actions_an_example_cannot_choose_is_refused(task: str, words: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    program = [sys.executable, str(Path(str(SOURCE), "examples", "async_actors.py")), f"--task={task}"]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith(f"--task={task}: expected discrete actions of one player, got "), done.stderr
    assert done.stderr.endswith(f"{words}\n")
