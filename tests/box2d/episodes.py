# SPDX-License-Identifier: Apache-2.0
"""Runs gymnasium's environments, records the numbers that they draw, and replays them to ours."""

import ctypes

import Box2D
import gymnasium
import numpy as np

from envpool.python.registry import find
from tests.support import libraries
from tests.support.capi import Calls, pointer


class Recorder:
    """Draws from a NumPy generator and records each number as our generators would draw it."""

    def __init__(self, generator):
        self.generator, self.drawn = generator, []

    def uniform(self, low, high, size=None):
        value = self.generator.uniform(low, high, size=size)
        self.drawn.extend(np.atleast_1d(value))
        return value

    def random(self):
        return self.uniform(0, 1)

    def integers(self, low, high=None):
        low, high = (0, low) if high is None else (low, high)
        value = self.generator.integers(low, high)
        self.drawn.append(value - low)
        return value

    def take(self):
        """Returns the numbers drawn since the last call."""
        drawn, self.drawn = np.array(self.drawn, np.float64), []
        return drawn


class Reference:
    """Gymnasium's environment with a given id."""

    def __init__(self, task_id, seed, **options):
        self.env = gymnasium.make(task_id, disable_env_checker=True, **options).unwrapped
        self.env.reset(seed=seed)
        self.recorder = self.env._np_random = Recorder(self.env.np_random)

    def reset(self):
        """Returns the first observation.

        BipedalWalker and CarRacing keep their world from one episode to the next, and the order of contacts then
        depends on earlier episodes. So they are given a new world. BipedalWalker also draws clouds, which our
        environment does not have, so these are removed.
        """
        if hasattr(self.env, "fd_tile"):
            self.env.world, self.env.road = Box2D.b2World((0, 0)), None
        if hasattr(self.env, "_generate_clouds"):
            self.env.world, self.env.terrain = Box2D.b2World(), []
            self.env._generate_clouds = lambda: None
        self.recorder.take()
        return self.env.reset()[0]


class Ours(Calls):
    """One environment of ours, with the options of an id."""

    def __init__(self, task_id, **options):
        registration = find(task_id)
        super().__init__(
            ctypes.CDLL(libraries.library("box2d_testing")), registration.table, **{**registration.defaults, **options}
        )
        self.state = np.zeros(self.call("stride", result=ctypes.c_int64), np.uint8)

    def reset(self, drawn):
        """Resets with these numbers; returns how many were used, -1 if there were too few."""
        arguments = pointer(self.state), pointer(drawn), ctypes.c_int64(len(drawn))
        return self.call("replay_reset", *arguments, result=ctypes.c_int64)

    def step(self, action, drawn):
        """Steps; returns how many numbers were used, the reward, and whether the episode is terminated."""
        action = np.asarray(action, np.int32 if np.ndim(action) == 0 else np.float32)
        reward, ends = np.zeros(1, np.float32), np.zeros(2, np.uint8)
        places = (pointer(array) for array in (self.state, action, reward, ends, drawn))
        used = self.call("replay_step", *places, ctypes.c_int64(len(drawn)), result=ctypes.c_int64)
        return used, reward[0], bool(ends[0])

    def observe(self, shape, dtype=np.float32):
        """Returns the observation, an array of this shape."""
        observation = np.zeros(shape, dtype)
        places = (ctypes.c_void_p * 1)(observation.ctypes.data)
        self.call("observe", pointer(self.state), places, ctypes.c_int64(1))
        return observation


def compare(task_id, seeds, policy, steps=1000, **options):
    """Compares whole episodes bit for bit, and returns the last rewards.

    `policy(env, observation, random)` chooses the actions.
    """
    reference, ours = Reference(task_id, 0, **options), Ours(task_id, **options)
    rewards = []
    for seed in seeds:
        reference.recorder.generator = np.random.default_rng(seed)
        random = np.random.default_rng([seed, 1])
        observation = reference.reset()
        drawn = reference.recorder.take()
        assert ours.reset(drawn) == len(drawn)
        for step in range(steps):
            where = f"{task_id} {options}, seed {seed}, step {step}"
            assert ours.observe(len(observation)).tobytes() == observation.tobytes(), where
            action = policy(reference.env, observation, random)
            observation, reward, terminated, _, _ = reference.env.step(action)
            drawn = reference.recorder.take()
            assert ours.step(action, drawn) == (len(drawn), np.float32(reward), terminated), where
            if terminated:
                break
        assert ours.observe(len(observation)).tobytes() == observation.tobytes(), f"{task_id} {options}, seed {seed}"
        rewards.append(float(reward))
    return rewards
