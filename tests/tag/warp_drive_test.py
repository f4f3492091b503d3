# SPDX-License-Identifier: Apache-2.0
"""Compares tag with the Python classes of rl-warp-drive 2.7.1, and tests the ids of WarpDrive's published runs.

The reference runs in the interpreter that ENVPOOL_WARP_DRIVE_PYTHON names (`make test-peer`). It plays random actions
and records every step, and the tests repeat each step from the recorded state. Results differ only by rounding: the
reference computes rewards, observations and the distances of neighbours in float64, and uses NumPy's sine.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import envpool
from tests.tag import worlds

F32 = np.float32
EPSILON = 2.0**-23
PEER = os.environ.get("ENVPOOL_WARP_DRIVE_PYTHON", "")
needs_reference = pytest.mark.skipif(not PEER, reason="ENVPOOL_WARP_DRIVE_PYTHON names no interpreter with WarpDrive")

RUN = {
    "grid_length": 20.0,
    "episode_length": 500,
    "max_speed": 1.0,
    "max_acceleration": 0.1,
    "min_acceleration": -0.1,
    "skill_level_runner": 1.0,
    "skill_level_tagger": 1.0,
    "use_full_observation": False,
    "runner_exits_game_after_tagged": True,
    "num_other_agents_observed": 10,
    "tag_reward_for_tagger": 10.0,
    "tag_penalty_for_runner": -10.0,
    "step_penalty_for_tagger": 0.0,
    "step_reward_for_runner": 0.0,
    "edge_hit_penalty": 0.0,
    "end_of_game_reward_for_runner": 1.0,
    "tagging_distance": 0.02,
}
LEVELS = {"num_acceleration_levels": 20, "num_turn_levels": 20, "max_turn": 2.356, "min_turn": -2.356}
FEWER_LEVELS = {"num_acceleration_levels": 10, "num_turn_levels": 10, "max_turn": 2.35, "min_turn": -2.35}
GRID = {
    "num_taggers": 4,
    "grid_length": 100,
    "episode_length": 100,
    "wall_hit_penalty": 0.1,
    "tag_reward_for_tagger": 10.0,
    "tag_penalty_for_runner": 5.0,
    "step_cost_for_tagger": 0.01,
}
# The options of WarpDrive's runs. Options that a run omits have the defaults of WarpDrive's classes.
RUNS = {
    "WarpDrive/TagContinuous-v0": {"num_taggers": 10, "num_runners": 100, **RUN, **LEVELS},
    "WarpDrive/TagContinuous-1000-v0": {"num_taggers": 91, "num_runners": 909, **RUN, **LEVELS},
    "WarpDrive/TagContinuous-5v100-v0": {"num_taggers": 5, "num_runners": 100, **RUN, **FEWER_LEVELS},
    "WarpDrive/TagContinuous-5v20-v0": {
        "num_taggers": 5,
        "num_runners": 20,
        "episode_length": 100,
        "use_full_observation": False,
        "num_other_agents_observed": 10,
        "tagging_distance": 0.02,
    },
    "WarpDrive/TagGridWorld-v0": GRID,
    "WarpDrive/TagGridWorldWithResetPool-v0": {**GRID, "random_start": True},
}


def defaults(task_id):
    return worlds.DEFAULTS if "Continuous" in task_id else worlds.GRID_DEFAULTS


@pytest.mark.parametrize("task_id", RUNS)
def test_runs_have_the_options_of_warp_drive(task_id):
    config = envpool.make_spec(task_id).config._asdict()
    wanted = {**defaults(task_id), **RUNS[task_id]}
    assert {name: config[name] for name in wanted} == wanted


@pytest.mark.parametrize("task_id", RUNS)
def test_runs_in_a_pool(task_id):
    taggers, runners = RUNS[task_id]["num_taggers"], RUNS[task_id].get("num_runners", 1)
    with envpool.make(task_id, num_envs=3, seed=1) as pool:
        obs, info = pool.reset()
        assert obs.shape == (3 * (taggers + runners), 71 if "Continuous" in task_id else 4 * (taggers + runners) + 1)
        assert info["players"]["is_tagger"].sum() == 3 * taggers
        sizes = np.array(getattr(pool.action_space, "nvec", getattr(pool.action_space, "n", None)))
        random, tagged = np.random.default_rng(0), 0
        for _ in range(30):
            obs, reward, *_ = pool.step(random.integers(0, sizes, (len(obs), *sizes.shape)))
            tagged += (reward > 0.5).sum()
        assert (tagged > 0) == ("Continuous" in task_id)


# ---- the rules, compared with the reference ----


def case(kind, steps, **options):
    return {"kind": kind, "options": options, "steps": steps, "seed": 7}


def shorter(task_id, steps, **changed):
    """Returns a case with the options of a run, but with shorter episodes."""
    options = {**RUNS[task_id], **changed}
    options.pop("random_start", None)
    return case("TagContinuous" if "Continuous" in task_id else "TagGridWorld", steps, **options)


# Cases with the options of WarpDrive's consistency tests, with the options of its runs, and with other options.
# Together they exercise every reward.
CASES = {
    "continuous test 1": case(
        "TagContinuous", 200, num_taggers=2, num_runners=3, max_acceleration=1.0, max_turn=np.pi / 4,
        num_acceleration_levels=3, num_turn_levels=3, tagging_distance=0.0,
    ),
    "continuous test 2": case(
        "TagContinuous", 200, num_taggers=4, num_runners=1, max_acceleration=0.05, max_turn=np.pi / 4,
        num_acceleration_levels=3, num_turn_levels=3, step_penalty_for_tagger=-0.1, skill_level_tagger=2.0,
        use_full_observation=False, runner_exits_game_after_tagged=False, tagging_distance=0.25,
    ),
    "continuous test 3": case(
        "TagContinuous", 200, num_taggers=1, num_runners=4, max_acceleration=2.0, max_turn=np.pi / 2,
        num_acceleration_levels=3, num_turn_levels=3, step_reward_for_runner=0.1, skill_level_tagger=0.5,
        use_full_observation=False,
    ),
    "continuous test 4": case(
        "TagContinuous", 200, num_taggers=3, num_runners=2, max_acceleration=0.05, max_turn=np.pi,
        num_acceleration_levels=3, num_turn_levels=3, skill_level_runner=0.5, runner_exits_game_after_tagged=False,
    ),
    "edges": case(
        "TagContinuous", 500, num_taggers=3, num_runners=9, grid_length=3.0, episode_length=20, edge_hit_penalty=-0.5,
        step_penalty_for_tagger=-0.1, step_reward_for_runner=0.3, tagging_distance=0.06, max_turn=9.0,
    ),
    "grid test 1": case("TagGridWorld", 200, num_taggers=4, grid_length=4, episode_length=20),
    "grid test 2": case(
        "TagGridWorld", 200, num_taggers=4, grid_length=4, episode_length=20, use_full_observation=False
    ),
    "10 v 100": shorter("WarpDrive/TagContinuous-v0", 60, episode_length=20),
    "1000": shorter("WarpDrive/TagContinuous-1000-v0", 3, episode_length=2),
    "5 v 100": shorter("WarpDrive/TagContinuous-5v100-v0", 60, episode_length=20),
    "5 v 20": shorter("WarpDrive/TagContinuous-5v20-v0", 300),
    "grid of 100": shorter("WarpDrive/TagGridWorld-v0", 250),
}  # fmt: skip


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Records every case with the reference."""
    path = tmp_path_factory.mktemp("warp_drive") / "recording.npz"
    program = Path(worlds.__file__).with_name("play_warp_drive.py")
    command = [PEER, "-W", "ignore", program, path]
    done = subprocess.run(
        command, input=json.dumps(CASES), text=True, capture_output=True, cwd=path.parent, check=False
    )
    assert done.returncode == 0, done.stderr
    return np.load(path)


@needs_reference
def test_run_configurations_are_those_of_the_package(recording):
    theirs = json.loads(str(recording["run_configs"]))
    for name, task_id in {
        "tag_continuous": "WarpDrive/TagContinuous-v0",
        "tag_gridworld": "WarpDrive/TagGridWorld-v0",
        "tag_gridworld_with_reset_pool": "WarpDrive/TagGridWorldWithResetPool-v0",
    }.items():
        config = envpool.make_spec(task_id).config._asdict()
        options = {option: value for option, value in theirs[name].items() if option != "seed"}
        assert len(options) > 6 and {option: config[option] for option in options} == options


def nearly_tied(world, before, player):
    """Returns whether rounding decides which other players are nearest to a player."""
    if world.rules["use_full_observation"] or "in_game" not in before:
        return False
    others = np.flatnonzero(before["in_game"] * (np.arange(world.players) != player))
    x, y = world["x"].astype(float), world["y"].astype(float)
    apart = np.sort(np.hypot(x[others] - x[player], y[others] - y[player]))
    gaps = np.diff(apart)[: world.rules["num_other_agents_observed"]]
    return ((gaps > 0) & (gaps <= 2 * EPSILON * apart[1 : len(gaps) + 1])).any()


@needs_reference
@pytest.mark.parametrize("name", CASES)
def test_steps_match_the_reference(name, recording, library):
    options, continuous = CASES[name]["options"], CASES[name]["kind"] == "TagContinuous"
    world = (worlds.Continuous if continuous else worlds.GridWorld)(library, **options)
    theirs = {what.partition("/")[2]: recording[what] for what in recording.files if what.startswith(f"{name}/")}
    seen = dict.fromkeys(("tags", "edges", "ends", "rows"), 0)
    for i, actions in enumerate(theirs["actions"]):
        before, after = (
            {part: theirs[what][i] for what in theirs for part in [what.partition("/")[2]] if what.startswith(when)}
            for when in ("before/", "after/")
        )
        placed = {**before, "tagger": theirs["tagger"][i]} if continuous else before
        world.place(**placed, steps=theirs["steps"][i] - 1)
        reward, over = world.step(actions)
        assert over == theirs["over"][i]
        np.testing.assert_allclose(reward, theirs["reward"][i], rtol=EPSILON)
        for part, value in after.items():
            # Our sine has an error of up to one ulp, which is multiplied by the speed.
            slack = 2 * np.spacing(F32(options.get("grid_length", 10))) if continuous and part in "xy" else 0
            np.testing.assert_allclose(world[part], value, rtol=0, atol=slack, err_msg=part)
        obs, _, _ = world.observe()
        for player in range(world.players):
            if not nearly_tied(world, before, player):
                np.testing.assert_allclose(obs[player], theirs["obs"][i, player], rtol=0, atol=1.3e-7)
                seen["rows"] += 1
        seen["tags"] += (before["in_game"] - after["in_game"]).sum() if continuous else (theirs["reward"][i] > 5).any()
        seen["edges"] += (np.isin(after["x"], [0, world.rules["grid_length"]])).sum()
        seen["ends"] += over
    assert seen["rows"] > 0.9 * theirs["obs"].shape[0] * world.players
    if name in ("edges", "grid test 1", "5 v 20"):
        assert all(seen.values()), seen
