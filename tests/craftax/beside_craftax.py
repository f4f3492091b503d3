# SPDX-License-Identifier: Apache-2.0
"""Compares our Craftax-Classic with the package craftax: a program, which craftax_test.py runs.

Every bit of states, observations, rewards and ends is compared. What the package draws is replayed to our environment.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import functools
import json

from tests.craftax import reference  # isort: skip  (before anything else that imports JAX)

import jax
import numpy as np

from envpool.craftax.textures import read_textures
from tests.craftax.policy import choose
from tests.craftax.states import STATE, check_same, eventful, to_ours
from tests.support import libraries
from tests.support.capi import Functions, Options, pointer

DRAWN = np.dtype(
    [
        ("zombie_direction", "i4", 3),
        ("zombie_axis", "i4", 3),
        ("zombie_chase", "f4", 3),
        ("cow_direction", "i4", 3),
        ("skeleton_direction", "i4", 2),
        ("skeleton_axis", "i4", 2),
        ("skeleton_bold", "f4", 2),
        ("sapling", "f4"),
        ("spawn", "f4", 3),
        ("cell", "i4", 3),
    ]
)
# In the order of the reference's calls; its cows are drawn before its skeletons, and appear before its zombies.
_ORDER = [
    ("sapling", None),
    *((f"zombie_{what}", i) for i in range(3) for what in ("direction", "axis", "chase")),
    *(("cow_direction", i) for i in range(3)),
    *((f"skeleton_{what}", i) for i in range(2) for what in ("direction", "axis", "bold")),
    *((what, kind) for kind in (1, 0, 2) for what in ("spawn", "cell")),
]
_DIRECTIONS = np.array([[0, -1], [0, 1], [-1, 0], [1, 0]])


def _direction(steps):
    """Returns the numbers of steps in the reference's list of directions, after the first."""
    number = (steps[:, None] == _DIRECTIONS).all(axis=2)
    return np.where(number.any(axis=1), number.argmax(axis=1), 7)


def tape(drawn, after):
    """Returns what the reference has drawn in steps that led to some states."""
    assert len(drawn) == len(_ORDER)
    result = np.zeros(len(after.timestep), DRAWN)
    for (name, index), values in zip(_ORDER, drawn, strict=True):
        values = np.asarray(values)
        if name.endswith("direction"):
            values = _direction(values)
        elif name == "cell":  # [row, column], or the number of the cell
            values = values.reshape(len(result), -1)[:, 0]
        if index is None:
            result[name] = values
        else:
            result[name][:, index] = values
    return result


class Ours:
    """Our environment's functions."""

    def __init__(self):
        self.library = ctypes.CDLL(libraries.library("craftax_testing"))
        self.functions = Functions(self.library, "CraftaxClassicSymbolic", STATE)
        self.options = Options()
        self.library.test_drawn_bytes.restype = ctypes.c_int64
        assert self.library.test_drawn_bytes() == DRAWN.itemsize

    def step(self, states, actions, drawn):
        n = len(states)
        reward, ends = np.zeros(n, np.float32), np.zeros(n, np.uint8)
        self.library.test_replay_steps.restype = ctypes.c_int64
        wrong = self.library.test_replay_steps(
            ctypes.byref(self.options),
            *map(pointer, (states, np.ascontiguousarray(actions, np.int32), drawn, reward, ends)),
            ctypes.c_int64(n),
        )
        assert wrong == 0
        return reward, ends.astype(bool)

    def make_world(self, angles, fields, diamond):
        """Returns a state in a new world."""

        class Drawn(ctypes.Structure):
            _fields_ = [
                ("angle", ctypes.c_void_p * 4),
                ("field", ctypes.c_void_p * 4),
                ("diamond", ctypes.c_int32),
            ]

        arrays = [np.ascontiguousarray(array, np.float32) for array in (*angles, *fields)]
        addresses = [array.ctypes.data for array in arrays]
        drawn = Drawn((ctypes.c_void_p * 4)(*addresses[:4]), (ctypes.c_void_p * 4)(*addresses[4:]), int(diamond))
        state = np.zeros(1, STATE)
        self.library.test_replay_world.restype = ctypes.c_int64
        assert self.library.test_replay_world(ctypes.byref(self.options), pointer(state), ctypes.byref(drawn)) == 0
        return state

    def observe(self, states):
        obs, achievements = np.full((len(states), 1345), 7, np.float32), np.zeros((len(states), 22), np.uint8)
        self.functions.observe_into(states, obs, achievements)
        return obs, achievements

    def images(self, states, noise):
        """Returns images with given noise."""
        images = np.full((len(states), 63, 63, 3), 7, np.float32)
        noise, textures = np.ascontiguousarray(noise, np.float32), read_textures("craftax_classic")
        arguments = map(pointer, (states, noise, images))
        self.library.test_draw_images(textures, ctypes.c_int64(len(textures)), *arguments, ctypes.c_int64(len(states)))
        return images


class Comparison:
    """Steps the reference and ours together, and counts what has happened."""

    def __init__(self, num_envs, seed):
        self.params, self.rng, self.ours = reference.default_params(), np.random.default_rng(seed), Ours()
        self.n, self.seed, self.counts, self.keys = num_envs, seed, collections.Counter(), 0

    def key(self):
        self.keys += 1
        key = jax.random.fold_in(jax.random.PRNGKey(self.seed), self.keys)
        return jax.random.split(key, self.n)

    def worlds(self):
        """Compares n new worlds, and returns the states of the reference."""
        state, obs, drawn = jax.device_get(reference.world(self.key(), self.params))
        water, mountain, path, coal, iron, diamond_field, tree, tree_field, diamond = drawn
        for i in range(self.n):
            fields = (coal[i], iron[i], diamond_field[i], tree_field[i])
            ours = self.ours.make_world((water[i], mountain[i], path[i], tree[i]), fields, diamond[i])
            check_same(ours, jax.tree.map(lambda leaf, i=i: np.asarray(leaf)[i : i + 1], state))
            np.testing.assert_array_equal(self.ours.observe(ours)[0][0], obs[i])
        self.compare_images(to_ours(state), strong(state))
        self.counts["worlds"] += self.n
        return strong(state)

    def run(self, state, steps, act, fresh):
        """Compares steps. Worlds that end continue as those of `fresh`."""
        ours = to_ours(state)
        for _ in range(steps):
            actions = act(ours)
            before, was_asleep = ours.copy(), ours["asleep"].copy()
            after, reward, done, obs, drawn = jax.device_get(
                reference.step(self.key(), state, actions.astype(np.int32), self.params)
            )
            our_reward, ends = self.ours.step(ours, actions, tape(drawn, after))
            check_same(ours, after)
            np.testing.assert_array_equal(our_reward, reward)
            np.testing.assert_array_equal(ends | (ours["time"] >= self.params.max_timesteps), done)
            our_obs, achievements = self.ours.observe(ours)
            np.testing.assert_array_equal(our_obs, obs)
            np.testing.assert_array_equal(achievements, after.achievements)
            self.compare_images(ours, after)
            self.count(before, ours, was_asleep)
            state = strong(after)
            if done.any():
                state = jax.tree.map(functools.partial(chosen, done), fresh(), state)
                ours = to_ours(state)
        return state

    def compare_images(self, ours, state):
        """Compares every pixel."""
        images, noise = jax.device_get(reference.images()(state))
        np.testing.assert_array_equal(self.ours.images(ours, noise), images)
        self.counts["images"] += len(ours)
        self.counts["images of nights"] += int((ours["light"] < 0.5).sum())
        self.counts["images of sleep"] += int(ours["asleep"].sum())

    def count(self, before, after, was_asleep):
        counts = self.counts
        counts["steps"] += self.n
        gained = after["achievements"] & ~before["achievements"]
        for i in range(22):
            counts[f"achievement {i}"] += int((gained >> i & 1).sum())
        dead = after["health"] == 0
        cell = np.where(after["y"] < 0, 63, after["y"]), np.where(after["x"] < 0, 63, after["x"])
        in_lava = after["block"][(np.arange(self.n), *cell)] == 14
        counts["deaths in lava"] += int((dead & in_lava).sum())
        counts["deaths otherwise"] += int((dead & ~in_lava).sum())
        counts["left the world"] += int(((after["y"] < 0) | (after["x"] < 0)).sum())
        counts["woken"] += int((was_asleep & ~after["asleep"]).sum())
        for name, mask in (("zombies", 7), ("cows", 56), ("skeletons", 192)):
            counts[f"new {name}"] += int((((after["alive"] & ~before["alive"]) & mask) != 0).sum())
        counts["new arrows"] += int(((after["arrows"] & ~before["arrows"]) != 0).sum())
        counts["blocks hit by arrows"] += int(
            (np.isin(before["block"], (11, 12)) & (after["block"] == 7)).any(axis=(1, 2)).sum()
        )
        counts["ripe plants"] += int(((before["block"] == 15) & (after["block"] == 16)).any(axis=(1, 2)).sum())
        shared = [(a, b) for a in range(8) for b in range(a)]
        counts["mobs share a cell"] += int(
            sum(
                (
                    (after["mob_cell"][:, a] == after["mob_cell"][:, b])
                    & ((after["alive"] >> a & after["alive"] >> b & 1) == 1)
                ).sum()
                for a, b in shared
            )
        )


def chosen(which, yes, no):
    """Returns the rows of `yes` where `which` holds, and else those of `no`."""
    return np.where(which.reshape(-1, *[1] * (no.ndim - 1)), yes, no)


def strong(state):
    """Returns the leaves as NumPy arrays of their own dtypes, so that JAX does not compile for weak ones."""
    return jax.tree.map(np.asarray, jax.device_get(state))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=32)
    parser.add_argument("--random", type=int, default=100, help="steps of episodes with random actions")
    parser.add_argument("--scripted", type=int, default=100, help="steps of episodes with a policy that survives")
    parser.add_argument("--eventful", type=int, default=3, help="rounds of 50 steps from random states")
    parser.add_argument("--num_envs", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count_blocks", type=int, help="only count the blocks of this many of craftax's worlds")
    args = parser.parse_args()
    if args.count_blocks:
        keys = jax.random.split(jax.random.PRNGKey(args.seed), args.count_blocks)
        worlds = reference.world(keys, reference.default_params())[0].map
        print(json.dumps({"blocks": [np.bincount(world.ravel(), minlength=17).tolist() for world in worlds]}))
        return
    comparison = Comparison(args.num_envs, args.seed)
    rng = comparison.rng
    start = comparison.worlds()
    while comparison.counts["worlds"] < args.worlds:
        comparison.worlds()
    light = jax.jit(jax.vmap(reference.light, (0, None)))

    def random_actions(ours):
        return np.where(rng.random(len(ours)) < 0.35, 5, rng.integers(0, 17, len(ours)))

    def event():
        return strong(eventful(start, rng, lambda time: np.asarray(light(time, comparison.params))))

    for _ in range(args.eventful):
        comparison.run(event(), 50, random_actions, event)
    comparison.run(start, args.random, lambda ours: rng.integers(0, 17, len(ours)), comparison.worlds)
    comparison.run(start, args.scripted, lambda ours: np.array([choose(one, rng) for one in ours]), comparison.worlds)
    print(json.dumps(comparison.counts))


if __name__ == "__main__":
    main()
