# SPDX-License-Identifier: Apache-2.0
"""Sets gymnasium's environments to the states of ours, steps both, and compares the results.

Versions 2 and 3 needed mujoco-py and are no longer in gymnasium. They have the rules of version 4, with two
differences: mujoco-py did not compute contact forces, and Ant and Humanoid always had a cost for them.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import mujoco
import numpy as np

import envpool

make = functools.partial(envpool.make_gymnasium, backend="mujoco")  # a pool on MuJoCo's library
MODULES = {
    "Ant": "ant",
    "HalfCheetah": "half_cheetah",
    "Hopper": "hopper",
    "Humanoid": "humanoid",
    "HumanoidStandup": "humanoidstandup",
    "InvertedDoublePendulum": "inverted_double_pendulum",
    "InvertedPendulum": "inverted_pendulum",
    "Pusher": "pusher",
    "Reacher": "reacher",
    "Swimmer": "swimmer",
    "Walker2d": "walker2d",
}
OLDEST = {name: 2 if name[0] in "IPR" or name == "HumanoidStandup" else 3 for name in MODULES}
IDS = [f"{name}-v{version}" for name in MODULES for version in (OLDEST[name], 4, 5)]

_STATE = 88  # offset of the positions in a snapshot, after the header, the episode and the time

# Values whose bits may differ, with the largest difference in ulps. The reason is that NumPy's sine and cosine come
# from libm or from SIMD code, its x ** 2 is libm's pow, and norms come from a BLAS, which uses fused multiply-add on
# some machines.
LOOSE_INFOS = {
    "distance_from_origin": 2,
    "distance_penalty": 4,
    "velocity_penalty": 4,
    "reward_dist": 2,
    "reward_near": 2,
}
LOOSE_OBSERVATIONS = {"InvertedDoublePendulum": (slice(1, 5), 4), "Reacher": (slice(0, 4), 4)}
LOOSE_REWARDS = {"InvertedDoublePendulum": 1, "Reacher": 1, "Pusher": 1}  # in ulps of float32


def name_and_version(task_id: str) -> tuple[str, int]:
    name, version = task_id.split("-v")
    return name, int(version)


@functools.cache
def class_of(task_id: str) -> type:
    name, version = name_and_version(task_id)
    module = importlib.import_module(f"gymnasium.envs.mujoco.{MODULES[name]}_v{max(version, 4)}")
    base = getattr(module, f"{name}Env")
    return base if version >= 4 else _old(base, name)


def _old(base: type, name: str) -> type:
    class Old(base):  # type: ignore[misc,valid-type]
        contact_cost_weight, contact_cost_range = 5e-7, (-np.inf, 10.0)
        forces = False  # the value of our option post_constraint

        def _step_mujoco_simulation(self, ctrl: Any, n_frames: int) -> None:
            self.data.ctrl[:] = ctrl
            mujoco.mj_step(self.model, self.data, nstep=n_frames)
            if self.forces:
                mujoco.mj_rnePostConstraint(self.model, self.data)

        def step(self, action: Any) -> Any:
            observation, reward, terminated, truncated, info = super().step(action)
            if name == "Ant":
                info["reward_contact"] = info["reward_ctrl"]
                info["reward_ctrl"] = -self.control_cost(action)
            if name == "Humanoid":
                cost = self.contact_cost_weight * np.sum(np.square(self.data.cfrc_ext))
                cost = np.clip(cost, *self.contact_cost_range)
                reward = info["reward_linvel"] + info["reward_alive"] - (self.control_cost(action) + cost)
                info["reward_impact"] = -cost
            return observation, reward, terminated, truncated, info

    return Old


@contextlib.contextmanager
def reference_env(task_id: str, **options: Any) -> Iterator[Any]:
    """Makes gymnasium's environment of an id, without wrappers."""
    name, version = name_and_version(task_id)
    post_constraint = options.pop("post_constraint", None)
    if name == "Ant" and version == 3:
        options["use_contact_forces"] = True
    with mock.patch.object(mujoco, "__version__", "2.3.7"):  # Pusher-v4 refuses MuJoCo 3
        env = class_of(task_id)(**options)
    if post_constraint is not None:
        env.forces = post_constraint
    env.reset(seed=0)
    yield env
    env.close()


def state_of(pool: Any, env_id: int, model: Any) -> tuple[Any, Any]:
    """Returns the positions and velocities of one of our environments."""
    numbers = np.frombuffer(pool.snapshot(env_id)[_STATE:], np.float64, model.nq + model.nv)
    return numbers[: model.nq], numbers[model.nq :]


def copy_state(reference: Any, pool: Any, env_id: int = 0) -> None:
    """Sets gymnasium's environment to the state in which our environment has begun an episode."""
    mujoco.mj_resetData(reference.model, reference.data)
    reference.set_state(*state_of(pool, env_id, reference.model))


def differences(task_id: str, ours: Any, theirs: Any) -> list[str]:
    """Returns descriptions of the differences between the results of steps, or of resets."""
    name, _ = name_and_version(task_id)
    wrong = []
    observation, expected = ours[0][0], theirs[0]
    part, ulps = LOOSE_OBSERVATIONS.get(name, (slice(0, 0), 0))
    if not near(observation[part], expected[part], ulps):
        wrong.append("observation (loose)")
    observation, expected = observation.copy(), expected.copy()
    observation[part] = expected[part] = 0
    if not np.array_equal(observation, expected, equal_nan=True):
        wrong.append(f"observation {np.flatnonzero(observation != expected)}")
    if len(ours) == 5:
        if not near(ours[1][0], np.float32(theirs[1]), LOOSE_REWARDS.get(name, 0)):
            wrong.append(f"reward {ours[1][0]} {theirs[1]}")
        if bool(ours[2][0]) != bool(theirs[2]):
            wrong.append("terminated")
    for key, value in theirs[-1].items():
        if not near(ours[-1][key][0], np.asarray(value, np.float64), LOOSE_INFOS.get(key, 0)):
            wrong.append(f"info {key} {ours[-1][key][0]} {value}")
    return wrong


def near(a: Any, b: Any, ulps: int) -> bool:
    if np.array_equal(a, b, equal_nan=True):
        return True
    return bool(ulps and np.shape(a) == np.shape(b) and np.all(np.abs(a - b) <= ulps * np.spacing(np.abs(b))))


def compare(
    task_id: str, options: dict[str, Any], *, episodes: int, steps: int, seed: int = 0, scale: float = 1.0
) -> tuple[int, list[str]]:
    """Plays episodes with random actions in both environments. Returns the number of steps and the differences."""
    rng = np.random.default_rng(seed)
    compared, wrong = 0, []
    with (
        reference_env(task_id, **options) as reference,
        make(task_id, seed=seed, max_episode_steps=steps, **options) as pool,
    ):
        low, high = reference.model.actuator_ctrlrange.T
        for episode in range(episodes):
            # The step after the end of an episode begins the next episode.
            first = pool.step(0 * low[None]) if episode else pool.reset()
            copy_state(reference, pool)
            wrong += differences(task_id, (first[0], first[-1]), (reference._get_obs(), reference._get_reset_info()))
            for step in range(steps):
                action = scale * rng.uniform(low, high)
                ours, theirs = pool.step(action[None]), reference.step(action)
                wrong += [f"episode {episode} step {step}: {what}" for what in differences(task_id, ours, theirs)]
                compared += 1
                if len(wrong) > 20 or ours[2][0]:
                    break
            if len(wrong) > 20:
                break
    return compared, wrong
