# SPDX-License-Identifier: Apache-2.0
"""Makes one world of tag without a pool, calls its functions (support/functions.h), and reads and writes its state."""

import ctypes

import numpy as np

from tests.support.capi import Calls, pointer

F32 = np.float32
CONTINUOUS = ["x", "y", "speed", "acceleration", "direction", *"abcde", "tagger", "visible", "in_game", "reward"]
GRID = ["x", "y"]


class Tag(Calls):
    """One world of an environment."""

    def __init__(self, library, name, players, row, columns, **options):
        super().__init__(library, name, **options)
        self.players, self.row = players, row
        whole = (players + 3) // 4 * 4
        self.stride = whole + 16 if whole % 256 == 0 else whole
        size = self.call("stride", result=ctypes.c_int64)
        self.memory = np.zeros(size // 8 + 3, np.uint64).view(np.uint8)
        self.memory = self.memory[-self.memory.ctypes.data % 16 :][:size]
        self.header = self.memory[:8].view(np.int32)
        self.columns = columns

    def reset(self, seed=0, episode=0):
        self.call("reset", ctypes.c_uint64(seed), ctypes.c_uint32(episode), pointer(self.memory), ctypes.c_int64(1))
        assert self.header.tolist() == [self.players, self.stride]
        return self

    def step(self, actions):
        actions, rewards = np.ascontiguousarray(actions, np.int32), np.full(self.players, np.nan, F32)
        terminated = np.zeros(1, bool)
        arrays = map(pointer, (self.memory, actions, rewards, terminated))
        self.call("step", ctypes.c_uint64(0), *arrays, ctypes.c_int64(1))
        return rewards, bool(terminated[0])

    def observe(self):
        obs = np.full((self.players, self.row), np.nan, F32)
        number, tagger, done = (
            np.empty(self.players, np.int32),
            np.empty(self.players, "?"),
            np.empty(self.players, "?"),
        )
        fields = (ctypes.c_void_p * 4)(*(array.ctypes.data for array in (obs, number, tagger, done)))
        self.call("observe", pointer(self.memory), fields, ctypes.c_int64(1))
        assert number.tolist() == list(range(self.players))
        return obs, tagger, done

    def __getitem__(self, column):
        start = self.head + 4 * self.stride * self.columns.index(column)
        dtype = np.int32 if self.columns is GRID else F32
        return self.memory[start : start + 4 * self.players].view(dtype)

    def state(self):
        return {column: self[column].copy() for column in self.columns}


DEFAULTS = {
    "num_taggers": 1,
    "num_runners": 10,
    "grid_length": 10.0,
    "episode_length": 100,
    "max_speed": 1.0,
    "skill_level_runner": 1.0,
    "skill_level_tagger": 1.0,
    "max_acceleration": 1.0,
    "min_acceleration": -1.0,
    "max_turn": np.pi / 2,
    "min_turn": -np.pi / 2,
    "num_acceleration_levels": 10,
    "num_turn_levels": 10,
    "edge_hit_penalty": 0.0,
    "use_full_observation": True,
    "num_other_agents_observed": 2,
    "tagging_distance": 0.01,
    "tag_reward_for_tagger": 1.0,
    "step_penalty_for_tagger": 0.0,
    "tag_penalty_for_runner": -1.0,
    "step_reward_for_runner": 0.0,
    "end_of_game_reward_for_runner": 1.0,
    "runner_exits_game_after_tagged": True,
    "shuffle_roles": True,
}


GRID_DEFAULTS = {
    "num_taggers": 10,
    "grid_length": 10,
    "episode_length": 100,
    "wall_hit_penalty": 0.1,
    "tag_reward_for_tagger": 10.0,
    "tag_penalty_for_runner": 2.0,
    "step_cost_for_tagger": 0.01,
    "use_full_observation": True,
    "random_start": False,
}


class Continuous(Tag):
    """One world of TagContinuous."""

    head = 32

    def __init__(self, library, **options):
        self.rules = {**DEFAULTS, **options}
        players = self.rules["num_taggers"] + self.rules["num_runners"]
        observed = players - 1 if self.rules["use_full_observation"] else self.rules["num_other_agents_observed"]
        super().__init__(library, "TagContinuous", players, 7 * observed + 1, CONTINUOUS, **options)

    def place(self, x, y, tagger, *, speed=0, acceleration=0, direction=0, in_game=1, steps=0):
        """Resets, then overwrites the part of the state on which the rules depend, with a value for each player."""
        self.reset()
        tagger = np.asarray(tagger, bool)
        parts = {"x": x, "y": y, "speed": speed, "acceleration": acceleration, "direction": direction}
        for name, value in {**parts, "tagger": tagger, "in_game": in_game}.items():
            self[name][:] = value
        shared, columns = self.memory[:16].view(np.int32), self.memory[self.head :].view(np.int32)
        shared[2:4] = steps, (self["in_game"] * ~tagger).sum()
        columns[15 * self.stride :][: self.players] = np.cumsum(tagger) - tagger
        columns[18 * self.stride :][: tagger.sum()] = np.flatnonzero(tagger)
        return self

    def random_actions(self, random):
        levels = [self.rules["num_acceleration_levels"] + 1, self.rules["num_turn_levels"] + 1]
        return random.integers(0, levels, (self.players, 2))


class GridWorld(Tag):
    """One world of TagGridWorld."""

    head = 48

    def __init__(self, library, **options):
        self.rules = {**GRID_DEFAULTS, **options}
        players = self.rules["num_taggers"] + 1
        row = 4 * players + 1 if self.rules["use_full_observation"] else 6
        super().__init__(library, "TagGridWorld", players, row, GRID, **options)

    def place(self, x, y, *, steps=0):
        """Resets, then overwrites the part of the state on which the rules depend, with a value for each player."""
        self.reset()
        self["x"][:], self["y"][:] = x, y
        self.memory[:12].view(np.int32)[2] = steps
        return self
