# SPDX-License-Identifier: Apache-2.0
"""Plays levels of the reference beside ours, with the same actions, and compares everything."""

from __future__ import annotations

from typing import Any

import numpy as np

import envpool
from tests.procgen.reference import Reference

# Actions of the policies: any; mostly to the right, with jumps; mostly the one that shoots; jumps to both sides; to the
# right, with stars; only the one that shoots; and turns and accelerations, with shots.
_POLICIES = {
    "random": range(15),
    "right": (7, 7, 7, 8, 8, 5, 4, 1),
    "shoot": (9, 9, 9, 9, 9, 10, 7, 1, 4, 3, 5),
    "jump": (5, 5, 2, 8, 7, 1, 4, 5),
    "throw": (7, 7, 8, 5, 4, 9, 10, 11, 12, 1),
    "fire": (9,),
    "fly": (9, 9, 9, 5, 5, 5, 2, 8, 4, 1, 7),
}


def differences(game: str, mode: str, policy: str, num_envs: int, steps: int, seed: int, **options: Any) -> list[str]:
    """Returns what differs in the first step in which the reference and ours differ.

    Args:
        game: the game's name in the reference.
        mode: the option distribution_mode.
        policy: a key of _POLICIES.
        num_envs: the number of levels that are played at the same time.
        steps: the steps of each.
        seed: of the reference's levels and of the actions.
        options: further options of both.

    Returns:
        A text for each array that differs.
    """
    reference = Reference(game, num_envs, mode, seed, **options)
    env = envpool.make(
        f"{game.capitalize()}Easy-v0",
        num_envs=num_envs,
        distribution_mode=mode,
        num_levels=1,
        channel_first=False,
        autoreset_mode="disabled",
        **options,
    )
    found: list[str] = []
    random = np.random.default_rng(seed)
    env.set_options(start_level=reference.level_seed)
    obs, _ = env.reset()
    action = np.full(num_envs, 4, np.int32)
    choices = np.array(_POLICIES[policy], np.int32)

    def compare(step: int, name: str, ours: np.ndarray, theirs: np.ndarray) -> None:
        rows = np.flatnonzero((ours != theirs).reshape(num_envs, -1).any(1))
        if rows.size:
            found.append(f"{game} {mode} {options} seed {seed}: step {step}, environments {rows[:5]}: {name}")

    compare(0, "obs", obs, reference.obs)
    for step in range(1, steps + 1):
        if found:
            break
        changed = random.random(num_envs) < 0.5
        action[changed] = random.choice(choices, changed.sum())
        reference.step(action)
        obs, reward, terminated, truncated, info = env.step(action)
        obs, level_seed, done = obs.copy(), info["level_seed"].copy(), terminated | truncated
        compare(step, "reward", reward, reference.reward)
        compare(step, "end", done, reference.first != 0)
        compare(step, "prev_level_seed", info["prev_level_seed"], reference.prev_level_seed)
        compare(step, "prev_level_complete", info["prev_level_complete"], reference.prev_level_complete)
        rows = np.flatnonzero(done).astype(np.int32)
        if rows.size and not found:
            env.set_options(rows, start_level=reference.level_seed[rows])
            obs[rows], first = env.reset(rows)
            level_seed[rows] = first["level_seed"]
        compare(step, "level_seed", level_seed, reference.level_seed)
        compare(step, "obs", obs, reference.obs)
    env.close()
    reference.close()
    return found
