# SPDX-License-Identifier: Apache-2.0
"""Adapters with which the training examples can use gymnasium and ale-py instead of envpool.

The released EnvPool needs no adapter, because the examples use the package that `import envpool` finds.
"""

import re
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation


class Vector:
    """Gives a gymnasium vector environment the interface of a synchronous pool. It cannot save its environments."""

    def __init__(self, env: Any, seed: int, clip: bool = False):
        self.env, self.seed, self.clip = env, seed, clip
        self.observation_space, self.action_space = env.single_observation_space, env.single_action_space
        self.all_env_ids = np.arange(env.num_envs, dtype=np.int32)
        self.config = {"num_envs": env.num_envs}
        self.first: Any = None

    def reset(self) -> Any:
        return self.env.reset(seed=self.seed)

    def step(self, action: Any) -> Any:
        return self._result(self.env.step(action))

    def async_reset(self) -> None:
        self.first = self.reset()[0]

    def send(self, action: Any, env_id: Any) -> None:
        self.env.step_async(action)

    def recv(self) -> Any:
        if self.first is None:
            return self._result(self.env.step_wait())
        observation, self.first = self.first, None
        return self._result((observation, *np.zeros((1, len(observation))), *np.zeros((2, len(observation)), bool), {}))

    def _result(self, result: Any) -> Any:
        observation, reward, terminated, truncated, _ = result
        info = {"env_id": self.all_env_ids, "reward": reward, "terminated": terminated}
        return observation, np.sign(reward) if self.clip else reward, terminated, truncated, info


class FireReset(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Presses FIRE after a reset, because some games start only then."""

    def reset(self, **how: Any) -> Any:
        self.env.reset(**how)
        fire = self.env.unwrapped.get_action_meanings().index("FIRE")  # type: ignore[attr-defined]
        observation, _, _, _, info = self.env.step(fire)
        return observation, info


def one_game(task: str, size: int, stack_num: int) -> Any:
    import ale_py

    gymnasium.register_envs(ale_py)
    env: Any = gymnasium.make(f"ALE/{task}", frameskip=1, repeat_action_probability=0.0, full_action_space=False)
    env = AtariPreprocessing(env, noop_max=30, frame_skip=4, screen_size=size)
    if "FIRE" in env.unwrapped.get_action_meanings():
        env = FireReset(env)
    return FrameStackObservation(env, stack_num)


def atari(engine: str, task: str, num_envs: int, seed: int, size: int, stack_num: int) -> Vector:
    """Makes games from EnvPool's id. Observations and rewards are EnvPool's, except that resizing may differ."""
    if engine == "gymnasium":
        return Vector(AsyncVectorEnv([partial(one_game, task, size, stack_num)] * num_envs), seed, clip=True)
    from ale_py.vector_env import AtariVectorEnv

    return Vector(
        AtariVectorEnv(
            game=re.sub(r"(?<!^)(?=[A-Z])", "_", task.split("-")[0]).lower(),
            num_envs=num_envs,
            img_height=size,
            img_width=size,
            stack_num=stack_num,
            reward_clipping=False,  # `step` clips, because `info` needs the unclipped reward
        ),
        seed,
        clip=True,
    )


def mujoco(task: str, num_envs: int, seed: int) -> Vector:
    """Makes an AsyncVectorEnv, with one process per environment."""
    return Vector(gymnasium.make_vec(task, num_envs=num_envs, vectorization_mode="async"), seed)
