# SPDX-License-Identifier: Apache-2.0
"""A pool inside `jit` does what it does outside, bit for bit, and what is wrong is an exception."""

from __future__ import annotations

import numpy as np
import pytest

import envpool
import envpool.testing.registration  # noqa: F401 (registers Zoo, Crowd and Trouble)

jax = pytest.importorskip("jax")
jnp = jax.numpy
lax = jax.lax

LIMIT, NUM_ENVS, STEPS = 13, 5, 60
FACES = {
    "gymnasium": {"env_type": "gymnasium"},
    "same_step": {"env_type": "gymnasium", "autoreset_mode": "same_step"},
    "classic": {"env_type": "gym", "step_api": "classic", "autoreset_mode": "same_step"},
    "dm": {"env_type": "dm"},
}
SLOW = ("Pong-v5", "Breakout-v5")


def ids() -> list[str]:
    from envpool.python.registry import find

    every = [task_id for task_id in envpool.list_all_envs() if find(task_id).family != "atari"]
    return [*(task_id for task_id in every if task_id != "Trouble-v0"), *SLOW]


def actions_of(task_id: str, steps: int, rows: int):
    """Random actions: an array or a dict of arrays, each (steps, rows, ...)."""
    space = envpool.make_spec(task_id).action_space
    rng = np.random.default_rng(rows)

    def draw(space):
        shape = (steps, rows, *space.shape)
        if hasattr(space, "nvec"):
            return rng.integers(0, np.broadcast_to(space.nvec, space.shape), shape).astype(np.int32)
        if hasattr(space, "n"):
            return rng.integers(0, space.n, shape).astype(np.int32)
        low, high = (np.clip(np.broadcast_to(end, space.shape), -5, 5) for end in (space.low, space.high))
        return rng.uniform(low, high, shape).astype(space.dtype)

    return {name: draw(part) for name, part in space.items()} if hasattr(space, "items") else draw(space)


def at(tree, index):
    return jax.tree.map(lambda array: np.asarray(array)[index], tree)


def flat(tree):
    """Leaves by path."""
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def assert_same(ours, theirs, where: str = ""):
    """What a program returned, with its padding, and what the pool itself did."""
    ours, theirs = flat(ours), flat(theirs)
    final = [path for path in ours if "final_" in path]
    if not any("final_" in path for path in theirs):
        for path in final:
            del ours[path]
    assert list(ours) == list(theirs), where
    done = next((theirs[path] for path in theirs if "_final_obs" in path), None)
    owners = next((theirs[path] for path in theirs if "players" in path and "env_id" in path), None)
    for path, right in theirs.items():
        left = ours[path]
        assert left.dtype == jax.dtypes.canonicalize_dtype(right.dtype), (where, path)
        rows = len(right)
        padding = left[rows:]
        assert (padding == (-1 if "env_id" in path else 0)).all(), (where, path)
        left = left[:rows]
        if "final_" in path and "_final_" not in path:
            ended = done if rows == len(done) else done[owners]
            left, right = left[ended], right[ended]
        np.testing.assert_array_equal(left, right.astype(left.dtype), f"{where} {path}")


def jitted(env, first, actions):
    """Steps with these actions in one program."""
    handle, _, _, step = env.xla()

    @jax.jit
    def run(handle, actions):
        return lax.scan(lambda handle, action: step(handle, action), handle, actions)

    return run(handle, actions)[1]


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("task_id", ids())
def test_steps_of(task_id, face):
    options = {"num_envs": NUM_ENVS, "num_threads": 2, "seed": 11, "max_episode_steps": LIMIT, **FACES[face]}
    steps = 20 if task_id in SLOW else STEPS
    plain, traced = (envpool.make(task_id, **options) for _ in range(2))
    most = plain.config["max_num_players"]
    plain.reset(), traced.reset()
    actions = actions_of(task_id, steps, NUM_ENVS * most)
    batches = jitted(traced, None, actions)
    for t in range(steps):
        players = int(plain.players().sum())
        action = jax.tree.map(lambda array, t=t, n=players: array[t][:n], actions)
        assert_same(at(batches, t), plain.step(action), f"step {t}")
