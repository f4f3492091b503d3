# SPDX-License-Identifier: Apache-2.0
"""Tests examples/ppo_device.py and device_rl.py: which policies learn, masks, absent players, advantages, bad options.

Training must give the same bits with pools on the CPU and on the stand-in for a GPU's driver. torch_examples_test.py
kills and resumes the script.
"""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers Crowd)
from tests.python.torch_examples_test import read_checkpoint
from tests.standin.driver import STANDIN

torch = pytest.importorskip("torch")
for package in ("tqdm", "matplotlib"):
    pytest.importorskip(package)
SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
if SOURCE is None:
    pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are", allow_module_level=True)
EXAMPLES = Path(SOURCE, "examples")
# This program registers the test environments, and then runs the script that its command line names.
RUN = "import runpy, sys; import tests.environments.registration; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
ENVIRON = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(EXAMPLES), str(Path(envpool.__file__).parent.parent)]),
    "ENVPOOL_LIBCUDA": str(STANDIN),
    "ENVPOOL_STANDIN_MODE": "flat",
}
SMALL = {"device": "cpu", "num_envs": 6, "num_steps": 12, "total_timesteps": 144, "width": 16, "video": ""}
SMALL |= {"eval_episodes": 0, "torch_threads": 1}
TAG = {"env_options": '{"episode_length": 9, "tagging_distance": 0.2}', "algo": "tagger=ppo;runner=a2c"}


@pytest.fixture
def ppo(monkeypatch):
    """Returns the module ppo_device, which needs the examples' folder on the import path."""
    monkeypatch.syspath_prepend(EXAMPLES)
    import ppo_device

    return ppo_device


@pytest.fixture
def make(ppo, tmp_path):
    """Returns a function that makes a run of two updates; its keyword arguments are options."""
    made = []

    def run(**options):
        made.append(tmp_path / str(len(made)))
        made[-1].mkdir()
        o = ppo.Options(**{**SMALL, "out": made[-1], **options})
        torch.manual_seed(o.seed)
        return ppo.Run(o)

    return run


def script(out, environ=ENVIRON, **options):
    command = [sys.executable, "-c", RUN, EXAMPLES / "ppo_device.py", f"--out={out}"]
    command += [f"--{name}={value}" for name, value in {**SMALL, **options}.items()]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300)


def bits(state):
    """Returns the contents of a checkpoint without times in a form that can be compared."""
    if isinstance(state, dict):
        return {name: bits(value) for name, value in state.items() if name not in ("wall", "clock")}
    if isinstance(state, list | tuple):
        return [bits(value) for value in state]
    if isinstance(state, torch.Tensor):
        return str(state.dtype), tuple(state.shape), state.numpy().tobytes()
    return repr(state)


def parameters(policy):
    return {name: value.clone() for name, value in policy.state_dict().items()}


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


# --- the same bits on a GPU ---


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize(
    "options",
    [
        TAG,
        {"task": "TagGridWorld-v0", "env_options": '{"episode_length": 9}', "gamma": "tagger=0.9;runner=1"},
        {"task": "Taxi-v3", "algo": "a2c", "env_options": '{"max_episode_steps": 10}'},
        {"task": "CartPole-v1", "eval_episodes": 3},
        {"task": "Crowd-v0", "env_options": '{"fewest": 0}', "policies": "few=0,2;many=1,3"},
    ],
    ids=["TagContinuous", "TagGridWorld", "Taxi", "CartPole", "Crowd"],
)
def test_pools_on_the_cpu_and_on_the_stand_in_train_the_same_bits(options, tmp_path):
    if not STANDIN.exists():
        pytest.skip("`make standin` builds the stand-in")
    states = {}
    for env_device in ("cpu", "cuda"):
        done = script(tmp_path / env_device, env_device=env_device, **{"video": "film.gif", **options})
        assert done.returncode == 0, done.stderr
        states[env_device] = read_checkpoint(tmp_path / env_device / "checkpoint.pt")
    for name in ("modules", "attributes", "generator", "environments"):
        assert bits(states["cpu"][name]) == bits(states["cuda"][name]), name
    assert states["cpu"]["attributes"]["run"]["steps"] == 144
    for name in ("episode.npz", "film.gif"):
        one, other = (tmp_path / device / name for device in ("cpu", "cuda"))
        drawn = options.get("task") != "Crowd-v0"
        assert one.exists() == other.exists() == (drawn or name == "episode.npz")
        assert not one.exists() or one.read_bytes() == other.read_bytes()


def test_a_stand_in_whose_memory_is_not_the_hosts_is_refused(tmp_path):
    if not STANDIN.exists():
        pytest.skip("`make standin` builds the stand-in")
    environ = {name: value for name, value in ENVIRON.items() if name != "ENVPOOL_STANDIN_MODE"}
    done = script(tmp_path / "out", environ, env_device="cuda")
    assert done.returncode == 1
    expected = "--env_device: expected 'cpu', or the flat stand-in for a GPU's driver, as --device is cpu, got 'cuda:0'"
    assert done.stderr.splitlines()[-1] == expected


# --- which policies learn ---


def test_only_policies_named_by_train_learn(make):
    for train in ("tagger", "runner", "tagger,runner", ""):
        run = make(train=train, **TAG)
        before = {policy.name: parameters(policy) for policy in run.policies}
        run.train()
        for policy in run.policies:
            learns = policy.name in train or not train
            assert same(before[policy.name], parameters(policy)) != learns, (train, policy.name)


def test_a_loaded_policy_stays_as_it_is(make):
    first = make(**TAG)
    first.train()
    trained = {policy.name: parameters(policy) for policy in first.policies}
    second = make(load=f"runner={first.checkpoint.path}", train="tagger", seed=5, **TAG)
    second.train()
    tagger, runner = second.policies
    assert same(parameters(runner), trained["runner"]) and not same(parameters(tagger), trained["tagger"])
    with pytest.raises(
        SystemExit, match="^--load: expected a checkpoint with a policy runner of this shape, got '/none'$"
    ):
        make(load="runner=/none", **TAG)


def test_a_learning_rate_of_zero_changes_nothing(make):
    run = make(learning_rate="tagger=0;runner=0:0,end:1e-3", **TAG)
    before = [dict(policy.named_parameters()) for policy in run.policies]
    before = [{name: value.detach().clone() for name, value in each.items()} for each in before]
    run.train()
    tagger, runner = ({name: x.detach() for name, x in p.named_parameters()} for p in run.policies)
    assert same(before[0], tagger) and not same(before[1], runner)


# --- masks and absent players ---


def test_masked_actions_are_never_taken(make):
    run = make(task="Taxi-v3", num_steps=40)
    for _ in range(3):
        run.collect()
        mask, actions = run.rollout["mask"], run.rollout["actions"].long()
        assert mask.gather(-1, actions.unsqueeze(-1)).all()
        assert not mask.all()
        log_probs, _ = run.policies[0](run.rollout["features"], mask)
        assert (log_probs[~mask].exp() == 0).all()
        assert torch.isfinite(log_probs).all()


def test_masks_of_several_heads(ppo):
    import device_rl
    import gymnasium

    heads = device_rl.Heads(gymnasium.spaces.MultiDiscrete([2, 4, 1]), torch.device("cpu"))
    assert heads.exists.tolist() == [[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]]
    given = torch.tensor([[1, 0, 0, 1, 1, 0, 1], [0, 1, 1, 0, 0, 0, 1]])
    mask = heads.spread(given, 2)
    assert mask.tolist() == [[[1, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]], [[0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]]
    policy = device_rl.Policy("all", torch.tensor([0]), 3, heads, 8)
    log_probs, _ = policy(torch.randn(500, 2, 3), mask)
    actions = device_rl.sample(log_probs)
    assert mask.expand(500, -1, -1, -1).gather(-1, actions.unsqueeze(-1)).all()
    assert set(actions[:, 0, 1].unique().tolist()) == {1, 2}
    entropy = device_rl.entropy(log_probs)
    assert (entropy[:, 1].abs() < 1e-6).all() and (entropy[:, 0] > 0.5).all()
    loss = device_rl.log_prob(log_probs, actions).sum() + entropy.sum()
    loss.backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in policy.actor.parameters())


def test_samples_follow_the_probabilities(ppo):
    import device_rl

    torch.manual_seed(0)
    chances = torch.tensor([0.5, 0.3, 0.2, 0.0])
    log_probs = chances.clamp_min(1e-38).log().masked_fill(chances == 0, -1e9)
    drawn = device_rl.sample(log_probs.expand(200_000, 1, 4)).flatten()
    shares = torch.bincount(drawn, minlength=4) / len(drawn)
    assert shares[3] == 0
    assert (shares - chances).abs().max() < 0.005


@pytest.mark.parametrize(
    ("task", "options"), [("Crowd-v0", '{"fewest": 0}'), ("TagContinuous-v0", TAG["env_options"])], ids=["Crowd", "Tag"]
)
def test_rows_that_are_not_active_have_no_influence(task, options, make):
    """What a policy learns does not depend on the observations, actions, values and advantages of inactive rows."""
    results = []
    for garbage in (False, True):
        run = make(task=task, env_options=options)
        run.collect()
        run.estimate_advantages()
        rollout, idle = run.rollout, ~run.rollout["active"]
        assert idle.any() and not idle.all()
        if garbage:
            rollout["features"][idle] = 3.0
            rollout["actions"][idle] = 0
            for name in ("log_probs", "advantages"):
                rollout[name][idle] = 7.0
            rollout["values"][:-1][idle] = -5.0
        torch.manual_seed(3)
        results.append([(run.learn(policy), parameters(policy)) for policy in run.policies])
    for (measured, one), (expected, other) in zip(*results, strict=True):
        assert torch.equal(measured, expected)
        assert same(one, other)


def test_tagged_runners_are_inactive_until_the_next_episode(make):
    run = make(num_steps=60, **TAG)
    run.collect()
    active, over = run.rollout["active"], run.rollout["ended"].all(2)
    taggers, runners = (policy.players for policy in run.policies)
    assert torch.equal(active[0].all(1), torch.ones(6, dtype=torch.bool))
    left = 0
    for t in range(1, 60):
        begins = over[t - 1]  # this step resets the world
        assert not active[t][begins].any()
        assert active[t][~begins][:, taggers].all()
        if t >= 2:
            fresh = over[t - 2]
            assert active[t][fresh].all()
            gone = ~active[t - 1] & ~begins[:, None] & ~fresh[:, None]
            assert not active[t][gone].any()
            left += int(gone[:, runners].sum())
    assert left > 0


# --- the algorithm ---


def test_advantages(make):
    run = make(
        task="Crowd-v0", gae_lambda="few=0.9;many=0.5", gamma="few=0:0.9,100:0.5;many=0.99", policies="few=0;many=1-3"
    )
    run.steps = 50
    torch.manual_seed(1)
    shape = run.rollout["rewards"].shape
    run.rollout["rewards"].normal_()
    run.rollout["values"].normal_()
    run.rollout["ended"].copy_(torch.rand(shape) < 0.1)
    run.rollout["cut"].copy_(run.rollout["ended"] | (torch.rand(shape) < 0.1))
    run.estimate_advantages()
    rewards, values, ended, cut = (run.rollout[name].double().numpy() for name in ("rewards", "values", "ended", "cut"))
    for world in range(shape[1]):
        for player in range(shape[2]):
            gamma, lam = (0.7, 0.9) if player == 0 else (0.99, 0.5)
            for t in range(shape[0]):
                expected, weight = 0.0, 1.0
                for k in range(t, shape[0]):
                    here = k, world, player
                    following = 0 if ended[here] else gamma * values[k + 1, world, player]
                    expected += weight * (rewards[here] + following - values[here])
                    if cut[here]:
                        break
                    weight *= gamma * lam
                assert abs(expected - float(run.rollout["advantages"][t, world, player])) < 1e-4


def test_a2c_is_ppos_first_step(make):
    """With one epoch of one minibatch, PPO's probability ratio is 1, so both objectives have the same gradient."""
    results = []
    for options in ({"algo": "a2c"}, {"algo": "ppo", "epochs": "1", "minibatches": "1"}):
        run = make(**{**TAG, **options})
        run.train()
        results.append(torch.cat([parameter.flatten() for policy in run.policies for parameter in policy.parameters()]))
    assert torch.allclose(*results, atol=1e-6)
    assert (results[0] - results[1]).abs().max() < 1e-6 < results[0].abs().max()


def test_returns_and_lengths_of_episodes(make):
    """Compares the sums that rollouts keep on the device with episodes that are added up step by step."""
    run = make(**TAG)
    taggers, runners = (policy.players for policy in run.policies)
    returns, lengths = np.zeros((6, run.worlds.players)), np.zeros(6)
    episodes, totals = [], np.zeros(4)
    begins = np.zeros(6, bool)
    for _ in range(4):
        run.collect()
        totals += run.state["totals"].numpy()
        for t in range(12):
            returns += run.rollout["rewards"][t].numpy()
            lengths += ~begins
            begins = run.rollout["ended"][t].all(1).numpy()
            for world in np.flatnonzero(begins):
                own = returns[world]
                episodes.append((1, lengths[world], own[taggers].mean(), own[runners].mean()))
                returns[world], lengths[world] = 0, 0
    assert len(episodes) >= 12
    assert np.allclose(totals, np.sum(episodes, 0), atol=1e-4)


def test_an_evaluation_that_falls_short_fails(make, capsys):
    run = make(eval_episodes=5, require_return="tagger=0;runner=-1.5", **TAG)
    run.evaluate()
    assert re.fullmatch(r"5 episodes of \d\.\d steps\n(\w+: mean return .*\n){2}", capsys.readouterr().out)
    run.least["tagger"] = 9.5
    with pytest.raises(SystemExit, match=r"^tagger: mean return \d\.\d+ is below 9.5$"):
        run.evaluate()


def test_a_recorded_episode(make, tmp_path):
    run = make(**TAG)
    run.film(tmp_path / "film.gif")
    episode = np.load(tmp_path / "episode.npz")
    steps = len(episode["rewards"])
    assert 1 <= steps <= 9
    assert episode["features"].shape == (steps, 6, 36) and episode["actions"].shape == (steps, 6, 2)
    assert episode["present"][0].all() and episode["present"][:, :3].all()
    # A tag gives +1 to the tagger and -1 to the runner.
    assert episode["rewards"][:, :3].sum() == (episode["rewards"][:, 3:] < 0).sum()


def test_running_normalization(ppo):
    import device_rl
    import gymnasium

    heads = device_rl.Heads(gymnasium.spaces.Discrete(2), torch.device("cpu"))
    policy = device_rl.Policy("all", torch.tensor([0]), 3, heads, 8)
    torch.manual_seed(0)
    rows = torch.randn(300, 3) * torch.tensor([2.0, 0.0, 5.0]) + torch.tensor([1.0, 4.0, -3.0])
    weights = (torch.rand(300) < 0.5).float()
    for part in (slice(0, 10), slice(10, 10), slice(10, 200), slice(200, 300)):
        policy.normalize_by(rows[part], weights[part])
    kept = rows[weights == 1]
    assert torch.allclose(policy.mean, kept.mean(0), atol=1e-4)
    assert torch.allclose(policy.variance, kept.var(0, correction=0), atol=1e-3)
    policy.actor = torch.nn.Identity()
    policy.exists = torch.ones(1, 3, dtype=torch.bool)
    log_probs, _ = policy(kept[:1], None)
    scaled = (kept[0] - kept.mean(0)) / torch.tensor([kept[:, 0].std(correction=0), 1, kept[:, 2].std(correction=0)])
    assert torch.allclose(log_probs[0, 0], scaled.log_softmax(0), atol=1e-3)


def test_schedules(ppo):
    constant = ppo.Schedule("entropy", "0.25", 100)
    assert [constant.at(step) for step in (0, 50, 1000)] == [0.25] * 3
    points = ppo.Schedule("entropy", "10:1,20:2,end:4", 40)
    assert [points.at(step) for step in (0, 10, 15, 20, 30, 40, 99)] == [1, 1, 1.5, 2, 3, 4, 4]


# --- options ---

BAD = [
    ({"device": "tpu"}, "--device: expected cpu, cuda or cuda:<number>, got 'tpu'"),
    ({"device": "meta"}, "--device: expected cpu, cuda or cuda:<number>, got 'meta'"),
    ({"num_envs": 0}, "--num_envs: expected a positive number, got 0"),
    ({"num_steps": -1}, "--num_steps: expected a positive number, got -1"),
    ({"env_options": "{"}, "--env_options: expected a JSON object, got '{'"),
    ({"env_options": "[1]"}, "--env_options: expected a JSON object, got '[1]'"),
    ({"env_options": '{"shuffle_roles": true}'}, "--env_options: expected players with a role, as .*"),
    ({"task": "Pendulum-v1"}, "--task: expected discrete or multi-discrete actions, got Box.*"),
    ({"train": "tagger,hunter"}, "--train: expected policies of tagger, runner, got 'hunter'"),
    ({"policies": "a=0-3"}, "--policies: expected each player of 0-5 in one policy, got 'a=0-3'"),
    ({"policies": "a=0-5;b=5"}, "--policies: expected each player of 0-5 in one policy, .*"),
    ({"policies": "a=0-x"}, "--policies: expected policy=players, as in .*, got 'a=0-x'"),
    ({"algo": "dqn"}, "--algo: expected ppo or a2c, got 'dqn'"),
    ({"algo": "hunter=ppo"}, "--algo: expected policy=value with a policy of tagger, runner, got 'hunter=ppo'"),
    ({"gamma": "1.5"}, "--gamma: expected numbers from 0 to 1, got '1.5'"),
    ({"gamma": "nan"}, "--gamma: expected numbers from 0 to 1, got 'nan'"),
    ({"learning_rate": "fast"}, "--learning_rate: expected a number or step:number,step:number,..., got 'fast'"),
    ({"learning_rate": "0:1,2"}, "--learning_rate: expected a number or step:number,.*, got '0:1,2'"),
    ({"learning_rate": "9:1,3:2"}, "--learning_rate: expected steps in ascending order, got '9:1,3:2'"),
    (
        {"clip": "0:0.1,9:0.2"},
        "--clip: expected a number, because this option cannot have a schedule, got '0:0.1,9:0.2'",
    ),
    ({"epochs": "0"}, "--epochs: expected numbers from 1 to inf, got '0'"),
    ({"require_return": "tagger=much"}, "--require_return: expected policy=number, got 'tagger=much'"),
    ({"load": "x.pt"}, "--load: expected policy=checkpoint, got 'x.pt'"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[" ".join(map(str, next(iter(o.items())))) for o, _ in BAD])
def test_bad_options(options, message, make):
    text = message if message.endswith((".*",)) or ".*" in message else re.escape(message)
    with pytest.raises(SystemExit, match=f"^{text}$"):
        make(**options)


def test_a_gpu_that_is_not_there(make):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(SystemExit, match="^--device: expected cpu, because this torch finds no GPU, got 'cuda'$"):
        make(device="cuda")


def test_every_option_has_a_description(ppo):
    assert all(field.metadata["help"] for field in dataclasses.fields(ppo.Options))
