# SPDX-License-Identifier: Apache-2.0
"""Tests examples/ppo_jax.py and ppo_tag_jax.py: resumed runs, seeds and grids, several devices, absent players, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import envpool
from tests.support.kill_while_saving import KILL_WHILE_SAVING

for package in ("jax", "tqdm", "matplotlib"):
    pytest.importorskip(package)
SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
if SOURCE is None:
    pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are", allow_module_level=True)
EXAMPLES = Path(SOURCE, "examples")
EXAMPLE, TAG = EXAMPLES / "ppo_jax.py", EXAMPLES / "ppo_tag_jax.py"
UPDATES = 10
OPTIONS = [
    "--num_envs=4",
    "--num_steps=32",
    f"--total_timesteps={4 * 32 * UPDATES}",
    "--gamma=0.9,0.99",
    "--num_seeds=2",
]
OPTIONS += ["--width=8", "--eval_episodes=2"]


@pytest.fixture
def train(tmp_path):
    """Returns a function that runs an example, compiled once and without optimisation."""

    def run(out, *options, program=(EXAMPLE,), devices=1):
        environ = {
            **os.environ,
            "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "compiled"),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
            f"--xla_force_host_platform_device_count={devices}",
            "PYTHONPATH": os.pathsep.join([str(EXAMPLES), str(Path(envpool.__file__).parent.parent)]),
        }
        command = [sys.executable, *program, *OPTIONS, f"--out={out}", *options]
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300)

    return run


@pytest.fixture
def options(monkeypatch):
    """Returns a function that imports an example and parses options for it."""
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def parsed(name, *arguments):
        module = import_module(name)
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        return module, import_module("common").parse(module.Options, None)

    return parsed


def arrays(path):
    with np.load(path) as file:
        return {name: (file[name].dtype, file[name].shape, file[name].tobytes()) for name in file.files}


def updates(out):
    with np.load(out / "checkpoint.npz") as file:
        return int(file["arr_0"])


@pytest.mark.sampled(one_in=3, group="training")
def test_killed_and_resumed(train, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    alone = train(whole, "--save_every=3", "--video=")
    assert alone.returncode == 0, alone.stderr

    killed = train(parts, "--save_every=3", "--video=", program=("-c", KILL_WHILE_SAVING, EXAMPLE))
    assert killed.returncode == -9, killed.stderr
    assert (parts / "checkpoint.new").exists()
    assert updates(parts) == 6

    other = train(parts, "--resume", "--num_envs=8")
    assert other.returncode == 1
    assert other.stderr.strip() == f"--resume: {parts}/checkpoint.npz has num_envs 4, not 8"

    whole_file = (parts / "checkpoint.npz").read_bytes()
    for damaged in (b"", b"PK", whole_file[:-100], whole_file[:3000] + bytes(100) + whole_file[3100:]):
        (parts / "checkpoint.npz").write_bytes(damaged)
        refused = train(parts, "--resume")
        assert refused.returncode == 1
        assert refused.stderr.startswith(f"--resume: {parts}/checkpoint.npz is damaged"), refused.stderr
    (parts / "checkpoint.npz").write_bytes(whole_file)

    resumed = train(parts, "--resume", "--save_every=2", "--video=")  # with another number of updates per compiled call
    assert resumed.returncode == 0, resumed.stderr
    assert updates(parts) == UPDATES
    for name in ("checkpoint.npz", "curves.npz"):
        assert arrays(parts / name) == arrays(whole / name), name
    assert resumed.stdout.splitlines()[1:] == alone.stdout.splitlines()[1:]  # the first line has times


def leaves(out):
    with np.load(out / "checkpoint.npz") as file:
        return [file[name] for name in file.files if name.startswith("arr_")]


@pytest.mark.sampled(one_in=3, group="training")
def test_devices_and_grid(train, tmp_path):
    """An agent has the same bits on one device and on two. Trained alone, it stays close to its copy in a grid."""
    runs = {
        "one": train(tmp_path / "one", "--video=", "--block=2", "--target=1"),
        "two": train(tmp_path / "two", "--video=", "--block=2", devices=2),
        "alone": train(tmp_path / "alone", "--video=", "--gamma=0.99", "--num_seeds=1"),
    }
    for run in runs.values():
        assert run.returncode == 0, run.stderr
    assert runs["two"].stdout.startswith("4 agents on 2 of 2 devices (cpu), 2 at once: ")
    assert arrays(tmp_path / "two" / "curves.npz") == arrays(tmp_path / "one" / "curves.npz")
    assert arrays(tmp_path / "two" / "checkpoint.npz") == arrays(tmp_path / "one" / "checkpoint.npz")

    # The first seed of the second setting is agent 2. If it is trained alone, XLA may add in another order.
    alone, grid = leaves(tmp_path / "alone"), leaves(tmp_path / "one")
    assert np.array_equal(alone[-1][0, 0], grid[-1][0, 2])  # the returns of the first rollout
    assert all(np.array_equal(grid[1][2], keys) == (i in (0, 2)) for i, keys in enumerate(grid[1]))
    nets = [np.concatenate([x.reshape(len(x), -1) for x in run[2:14]], axis=1) for run in (alone, grid)]
    apart = np.linalg.norm(nets[1] - nets[0], axis=1)  # its distance from each agent of the grid
    assert apart[2] < 0.01 * np.delete(apart, 2).min()

    table = [row.split() for row in runs["one"].stdout.splitlines()[3:]]
    assert [(row[0], *row[-2:]) for row in table] == [("gamma=0.9", "0/2", "never"), ("gamma=0.99", "0/2", "never")]
    refused = train(tmp_path / "three", "--num_devices=3")
    assert refused.stderr == "--num_devices: expected at most 1, the number of devices, got 3\n"
    assert not (tmp_path / "three").exists()


def test_table(options, capsys):
    module, o = options("ppo_jax", "--num_seeds=3", "--target=475")
    means = np.float64([[[20, np.nan, 30]], [[480, 300, 475]], [[474, 400, 500]]])  # (updates, settings, seeds)
    module.print_table(o, ["clip=0.2"], np.array([512, 1024, 1536]), means, np.float64([[490, 500, 480]]))
    header, row = capsys.readouterr().out.splitlines()[1:]
    assert header.split() == [
        "last",
        "100",
        "episodes",
        "worst",
        "evaluation",
        "worst",
        "at",
        "475",
        "first,",
        "median",
    ]
    # One of the three seeds ends at 475 or more. Two have reached 475 at some time, both after 1,024 steps.
    assert row.split() == ["clip=0.2", "458.0", "±", "42.4", "400.0", "490.0", "480.0", "1/3", "1,024"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--num_seeds=0"], "--num_seeds: expected at least 1, got 0"),
        (["--num_devices=-1"], "--num_devices: expected at least 0, got -1"),
        (["--minibatches=3"], "--minibatches: expected a divisor of num_envs * num_steps, 512, got 3"),
        (["--learning_rate=1e-3,nan"], "--learning_rate: expected numbers of at least 0, got 0.001,nan"),
        (["--clip=-0.1"], "--clip: expected numbers of at least 0, got -0.1"),
        (["--max_grad_norm=0,1"], "--max_grad_norm: expected positive numbers, got 0"),
        (["--activation=swim"], "--activation: expected a function of jax.nn, got swim"),
        (["--backend=brax"], "--backend: expected envpool or gymnax, got brax"),
    ],
)
def test_bad_options(options, arguments, message):
    with pytest.raises(SystemExit) as error:
        options("ppo_jax", *arguments)
    assert str(error.value) == message


def test_bad_numbers_of_devices(options):
    _, o = options("ppo_jax", "--num_devices=1", "--block=3")
    with pytest.raises(SystemExit) as error:
        import_module("jax_run").Devices(o, 4)
    assert str(error.value) == "--block: expected a divisor of 4, the number of agents per device, got 3"


def test_bad_tag_options(options):
    for arguments, message in {
        "--train=none": "--train: expected both, taggers or runners, got none",
        "--world=num_taggers": "--world: expected name=value separated by commas, got num_taggers",
        "--world=num_taggers=one": "--world: expected name=value separated by commas, got num_taggers=one",
    }.items():
        with pytest.raises(SystemExit) as error:
            options("ppo_tag_jax", arguments)
        assert str(error.value) == message


def test_continuous_actions(options):
    """Densities and entropies are those of normal distributions, and samples have their moments."""
    import jax

    options("ppo_jax")
    policy = import_module("jax_policies").Gaussian(3)
    mean, deviation = np.float32([0.5, -1.0, 2.0]), np.float32([0.1, 1.0, 3.0])
    outputs = np.concatenate([mean, np.log(deviation)])
    action = np.float32([[0.4, 0.0, 5.0], mean])
    density = np.exp(-(((action - mean) / deviation) ** 2) / 2) / np.sqrt(2 * np.pi * deviation**2)
    logprob, entropy = policy.judge(np.stack([outputs] * 2), action)
    np.testing.assert_allclose(logprob, np.log(density.prod(axis=-1)), rtol=1e-4)
    np.testing.assert_allclose(entropy, np.log(deviation * np.sqrt(2 * np.pi * np.e)).sum(), rtol=1e-5)
    samples = policy.act(outputs, policy.noise(jax.random.key(1), (20_000,)))
    np.testing.assert_allclose(samples.mean(axis=0), mean, atol=0.05)
    np.testing.assert_allclose(samples.std(axis=0), deviation, rtol=0.05)
    assert np.array_equal(policy.act(outputs, 0.0), mean)


def test_scales(options):
    """Moments are those of all rows together, and steps of a rollout have the scales from before it."""
    options("ppo_jax")
    scales = import_module("jax_scales").Scales.of(4)
    rng = np.random.default_rng(2)
    obs = np.float32(rng.normal([0, 1, -5, 100], [1, 0.1, 3, 20], (3, 50, 8, 4)))
    returns = np.float32(rng.normal(7, 5, (3, 50, 8)))
    for each in range(3):
        scales = scales.after(obs[each], returns[each])
    np.testing.assert_allclose(scales.obs.mean, obs.mean(axis=(0, 1, 2)), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(1 / scales.obs.scale, obs.std(axis=(0, 1, 2)), rtol=1e-3)
    np.testing.assert_allclose(1 / scales.returns.scale, returns.std(), rtol=1e-3)
    seen = scales.scaled(obs)
    np.testing.assert_allclose(seen.mean(axis=(0, 1, 2)), 0, atol=1e-3)
    np.testing.assert_allclose(seen.std(axis=(0, 1, 2)), 1, atol=1e-2)
    assert (np.abs(scales.scaled(np.full(4, 1e9, np.float32))) == 10).all()


@pytest.mark.sampled(one_in=3, group="training")
def test_robots(train, tmp_path):
    robot = ["--task=Reacher-v5", "--scale", "--num_seeds=1", "--gamma=0.9", "--video=", "--save_every=3"]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    alone = train(whole, *robot)
    assert alone.returncode == 0, alone.stderr
    with np.load(whole / "agent.npz") as agent:
        assert {"log_deviation", "obs/mean", "obs/variance", "policy/0/weight"} <= set(agent.files)
        assert agent["log_deviation"].any() and agent["obs/mean"].any()
    assert train(parts, *robot, program=("-c", KILL_WHILE_SAVING, EXAMPLE)).returncode == -9
    assert train(parts, *robot, "--resume").returncode == 0
    assert arrays(parts / "checkpoint.npz") == arrays(whole / "checkpoint.npz")


def test_absent_players(options):
    """Rows of absent players contribute neither to the loss nor to other rows, even if they are NaN."""
    import jax

    _, o = options("ppo_tag_jax", "--width=8")
    learning = import_module("jax_learning")
    rng = np.random.default_rng(1)
    rows, seen, policy = 40, 6, import_module("jax_policies").Choices((3, 2))
    net = jax.tree.map(lambda x: x[0], learning.networks(o, [[1]], seen, policy))
    h = learning.Hyper(1e-3, 0.9, 0.8, 0.2, 0.01, 0.5, 0.5)
    present = rng.random(rows) < 0.6
    plain = learning.Sample(
        obs=np.float32(rng.normal(size=(rows, seen))),
        action=np.stack([rng.integers(n, size=rows) for n in policy.numbers], axis=-1),
        logprob=np.float32(rng.normal(size=rows) - 2),
        value=np.float32(rng.normal(size=rows)),
        advantage=np.float32(rng.normal(size=rows)),
        present=present,
    )

    def spoilt(x):
        x = x.copy()
        if x.dtype == np.float32:
            x[~present] = np.nan
        return x

    gradient = jax.jit(jax.value_and_grad(lambda net, sample: learning.loss_of(o, net, h, policy, sample)))
    spoilt_rows = jax.tree.map(spoilt, plain)
    kept = gradient(net, plain)
    for one, other in zip(jax.tree.leaves(kept), jax.tree.leaves(gradient(net, spoilt_rows)), strict=True):
        assert np.isfinite(one).all()
        assert np.array_equal(one, other)
    only = jax.tree.map(lambda x: x[present], plain)._replace(present=None)
    for one, other in zip(jax.tree.leaves(kept), jax.tree.leaves(gradient(net, only)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
    nobody = gradient(net, spoilt_rows._replace(present=np.zeros(rows, bool)))
    assert all((np.asarray(x) == 0).all() for x in jax.tree.leaves(nobody))

    # A player is absent after step 3 of 6. The advantages are the same if the later steps are removed.
    steps, reward = 6, np.float32(rng.normal(size=(6, 1)))
    left = np.zeros((steps, 1), bool)
    step = learning.Step(None, None, None, reward, None, left, left, np.arange(steps)[:, None] <= 3)
    values, following = np.float32(rng.normal(size=(2, steps, 1)))
    whole = learning.advantages_of(h, step, values, following)
    values[4:], following[4:], reward[4:] = np.nan, np.nan, np.nan
    assert np.array_equal(whole[:4], learning.advantages_of(h, step, values, following)[:4])


def test_tag_rollout(options):
    """`present` says exactly which players are in the game, and rewards and returns equal those of the environment."""
    import jax

    world = "num_taggers=3,num_runners=4,tagging_distance=0.2,episode_length=30,use_full_observation=false"
    module, o = options(
        "ppo_tag_jax",
        "--task=TagContinuous-v0",
        f"--world={world}",
        "--num_envs=4",
        "--num_steps=64",
        "--num_seeds=1",
        "--width=8",
        "--num_devices=1",
    )
    run = import_module("jax_run")
    worlds, grid = module.Worlds(o, o.num_envs), import_module("jax_run").Grid(o, "")
    agent = jax.tree.map(lambda x: x[0], module.begin(o, worlds, grid, run.Devices(o, 1)))
    assert worlds.num_taggers == 3 and worlds.policy.numbers == (11, 11)
    agent, steps, numbers = jax.jit(lambda agent, key: module.collect(o, worlds, agent, key))(agent, jax.random.key(3))
    following, present, reward = (np.asarray(x) for x in (steps.following, steps.present, steps.reward))
    assert (present == following.any(axis=-1)).all()  # players that left earlier observe zeros
    assert present[..., :3].all()
    assert 0.1 < (~present[..., 3:]).mean() < 0.9
    assert not reward[~present].any()
    last_of_player = present & np.asarray(steps.terminated)
    assert (reward[..., 3:][last_of_player[..., 3:]] == -1).sum() == reward[..., :3].sum()  # a tag gives 1 and costs 1
    done = np.asarray(steps.done).all(axis=2)
    assert numbers[2] == done.sum() > 4


@pytest.mark.sampled(one_in=3, group="training")
def test_tag(train, tmp_path):
    for name, *arguments in (
        (
            "continuous",
            "--task=TagContinuous-v0",
            "--world=num_taggers=2,num_runners=2,tagging_distance=0.1,episode_length=20",
            "--train=taggers",
        ),
        ("grid", "--world=num_taggers=2,episode_length=20", "--gamma=0.9", "--num_seeds=1"),
    ):
        out = tmp_path / name
        run = train(out, *arguments, program=(TAG,))
        assert run.returncode == 0, run.stderr
        assert {"checkpoint.npz", "curve.png", "curves.npz"} <= {path.name for path in out.iterdir()}
        assert "trained taggers, random runners" in run.stdout
        with np.load(out / "checkpoint.npz") as file:
            counts = [file[name] for name in file.files if name.startswith("arr_") and file[name].dtype == np.int32][1:]
        learned = [bool(count.all()) for count in counts[:2]]
        assert learned == [True, name == "grid"]
