# SPDX-License-Identifier: Apache-2.0
"""Tests examples/ued_maze.py and its levels: the buffer, edits, the mazes of the test, the memory, a short run, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import envpool

for package in ("tqdm", "matplotlib"):
    pytest.importorskip(package)
jax = pytest.importorskip("jax")
jnp = jax.numpy
SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
if SOURCE is None:
    pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are", allow_module_level=True)
EXAMPLES = Path(SOURCE, "examples")
KEY = jax.random.key(3)


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return import_module("ued_maze")


@pytest.fixture
def levels(example):
    return import_module("jax_levels")


def distances(walls, start):
    """Returns the number of moves from the start to each cell that can be reached."""
    found, waiting = {tuple(start): 0}, deque([tuple(start)])
    while waiting:
        x, y = waiting.popleft()
        for to in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if to not in found and min(to) >= 0 and max(to) < len(walls) and not walls[to[1], to[0]]:
                found[to] = found[x, y] + 1
                waiting.append(to)
    return found


def test_mazes_and_random_levels_of_the_test_can_be_solved(example, levels):
    names, mazes = levels.mazes()
    assert len(names) == len(set(names)) == len(mazes.walls)
    for walls, start, goal, name in zip(mazes.walls, mazes.start, mazes.goal, names, strict=True):
        assert not walls[start[1], start[0]] and not walls[goal[1], goal[0]], name
        assert 10 < distances(walls, start)[tuple(goal)] < 125, name  # at most half of the time limit

    drawn = example.Maze(60).draw(KEY, 300)
    expected = [tuple(goal) in distances(*level) for *level, goal in zip(*map(np.asarray, drawn[:3]), strict=True)]
    np.testing.assert_array_equal(levels.solvable(drawn), expected)
    assert np.asarray(levels.solvable(mazes)).all() and 0.6 < np.mean(expected) < 1

    options = example.Options(eval_levels=20, eval_episodes=3)
    names, tested = example.held_out(options, example.Maze(60))
    assert len(tested.walls) == 3 * len(names) + 20 and np.asarray(levels.solvable(tested)).all()


def test_drawn_levels_are_those_of_the_environment(example):
    maze = example.Maze(60)
    obs, state = maze.env.reset_batch(KEY, 8, maze.random)
    again, other = maze.env.reset_batch(KEY, 8, maze.of(maze.draw(KEY, 8)))
    for name in obs:
        np.testing.assert_array_equal(obs[name], again[name])
    for name in ("walls", "pos", "goal", "direction"):
        np.testing.assert_array_equal(getattr(state, name), getattr(other, name))


def test_edits(example, levels):
    drawn = example.Maze(60).draw(KEY, 50)
    changed = levels.edited(KEY, drawn, 20)
    number = np.asarray(changed.walls != drawn.walls).sum((1, 2))
    assert (number <= 20).all() and number.min() > 5
    each = np.arange(50)
    for position in (changed.start, changed.goal):
        assert not np.asarray(changed.walls)[each, position[:, 1], position[:, 0]].any()
    np.testing.assert_array_equal(changed.goal, drawn.goal)


def buffer_of(example, levels, scores, played=0):
    count = len(scores)
    empty = levels.Buffer.empty(example.Maze(60).draw(KEY, count))
    return empty._replace(score=jnp.array(scores, jnp.float32), played=jnp.broadcast_to(jnp.array(played), count))


def test_probabilities_of_levels(example, levels):
    buffer = buffer_of(example, levels, [0.1, 0.5, -np.inf, 0.3], [4, 10, 0, 7])
    assert bool(buffer.ready()) and not buffer_of(example, levels, [0.1, -np.inf, -np.inf]).ready()
    by_rank = np.array([3, 1, np.inf, 2]) ** -2.0
    np.testing.assert_allclose(buffer.probabilities(0.5, 0, 10), by_rank / by_rank.sum(), rtol=1e-5)
    np.testing.assert_allclose(buffer.probabilities(0.5, 1, 10), np.array([6, 0, 0, 3]) / 9, atol=1e-6)
    mixed = 0.7 * by_rank / by_rank.sum() + 0.3 * np.array([6, 0, 0, 3]) / 9
    np.testing.assert_allclose(buffer.probabilities(0.5, 0.3, 10), mixed, atol=1e-6)


def test_the_buffer_keeps_the_levels_with_the_highest_scores(example, levels):
    buffer = buffer_of(example, levels, [0.1, 0.5, -np.inf, 0.3])
    new = example.Maze(60).draw(jax.random.key(4), 3)
    rows, now = jnp.array([1, 0, 3]), jnp.int32(9)
    given = (jnp.array([0.2, 0.05, 0.4]), jnp.array([0.6, 0.0, 0.7]), now)
    after = buffer.after(rows, new, *given, np.False_)
    np.testing.assert_allclose(sorted(after.score), [0.2, 0.3, 0.4, 0.5])
    for score, level, played in ((0.4, new.walls[2], 9), (0.2, new.walls[0], 9), (0.5, buffer.levels.walls[1], 0)):
        row = int(np.argmin(abs(after.score - score)))
        np.testing.assert_array_equal(after.levels.walls[row], level)
        assert after.played[row] == played
    # Levels that were replayed get another score, and none is added.
    replayed = jax.tree.map(lambda x: x[rows], buffer.levels)
    after = buffer.after(rows, replayed, *given, np.True_)
    np.testing.assert_allclose(sorted(after.score), [-np.inf, 0.05, 0.2, 0.4])
    row = int(np.argmax(after.score))
    np.testing.assert_array_equal(after.levels.walls[row], buffer.levels.walls[3])
    assert after.played[row] == 9 and after.best[row] == np.float32(0.7)


def test_segments_repeat_what_the_rollout_computed(example):
    """The memory, the actions' probabilities and the values of a rollout, recomputed from the start of each segment."""
    o = example.Options(num_envs=4, num_steps=64, segment=16, width=8)
    maze = example.Maze(60)
    net = jax.tree.map(jnp.asarray, example.network(o, 1))
    net["policy"] = jax.tree.map(lambda x: 100 * x, net["policy"])
    played = example.play(o, maze, maze.params.replace(max_episode_steps=10), net, KEY, 4, 64)
    assert played.begins.sum() == 4 * 7
    for first in range(0, 64, 16):
        part = slice(first, first + 16)
        seen, begins = played.steps.obs[part], played.begins[part]
        _, outputs, value = example.forward(net, played.memory[first], seen, begins)
        np.testing.assert_allclose(value, played.value[part], atol=1e-5)
        logprob = example.POLICY.judge(outputs, played.steps.action[part])[0]
        np.testing.assert_allclose(logprob, played.steps.logprob[part], atol=1e-4)


OPTIONS = ["--num_envs=4", "--num_steps=16", "--segment=16", "--buffer=16", "--width=8", "--total_timesteps=1280"]
OPTIONS += ["--eval_every=10", "--eval_levels=12", "--eval_episodes=1"]


def run(out, *options):
    return subprocess.run(
        [sys.executable, EXAMPLES / "ued_maze.py", *OPTIONS, f"--out={out}", *options],
        env={
            **os.environ,
            "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
            "PYTHONPATH": os.pathsep.join([str(EXAMPLES), str(Path(envpool.__file__).parent.parent)]),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.sampled(one_in=3, group="training")
def test_all_methods_run(tmp_path):
    done = run(tmp_path, "--methods=dr,plr,accel", "--num_seeds=2", "--score=pvl", "--require_solved=1")
    assert done.returncode == 1 and "of the random levels, less than 1.0" in done.stderr, done.stderr
    rows = {line.split("  ")[0]: line for line in done.stdout.splitlines()}
    assert {"random levels", "mazes"} <= set(rows) and "labyrinth_1" in done.stdout
    with np.load(tmp_path / "curves.npz") as curves:
        for method in ("dr", "plr", "accel"):
            assert curves[method].shape == (2, 2, 10) and (curves[method] >= 0).all()
    assert (tmp_path / "curve.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"methods": "dr,paired"}, "--methods: expected some of dr, plr, accel, got paired"),
        ({"score": "regret"}, "--score: expected maxmc or pvl, got regret"),
        ({"segment": 48}, "--segment: expected a divisor of num_steps, 256, got 48"),
        ({"minibatches": 3}, "--minibatches: expected a divisor of the segments, 128, got 3"),
        ({"buffer": 63}, "--buffer: expected at least 2 \\* num_envs, 64, got 63"),
    ],
)
def test_bad_options(example, options, words):
    with pytest.raises(SystemExit, match=f"^{words}$"):
        example.Options(**options)
