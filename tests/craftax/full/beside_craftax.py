# SPDX-License-Identifier: Apache-2.0
"""Compares our Craftax with the package craftax: a program, which full_test.py runs.

Every bit of states, observations, images, rewards and ends is compared. What the package draws is replayed to our environment.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import json

from tests.craftax.full import reference  # isort: skip  (before anything else that imports JAX)

import jax
import numpy as np

from envpool.craftax.textures import read_textures
from tests.craftax.full.eventful import choose, eventful
from tests.craftax.full.states import FLOORS, KINDS, SIDE, STATE, check_same, from_ours, lights_of, to_ours
from tests.support import libraries
from tests.support.capi import Functions, Options, pointer

DRAWN = np.dtype(
    [
        ("sapling", "f4"),
        ("has_torches", "f4"),
        ("torches", "i4"),
        ("has_ore", "f4"),
        ("ore", "i4"),
        ("ores", "i4", 5),
        ("has_potion", "f4"),
        ("potion", "i4"),
        ("potions", "i4"),
        ("has_arrows", "f4"),
        ("arrows", "i4"),
        ("has_tool", "f4"),
        ("tool", "i4"),
        ("pickaxe", "i4"),
        ("sword", "i4"),
        ("spell", "i4"),
        ("armour", "i4"),
        ("direction", "i4", 8),
        ("axis", "i4", 8),
        ("bold", "f4", 8),
        ("spawn", "f4", 3),
        ("cell", "i4", 3),
        ("choices", "i4", 5),
    ]
)
_ROOMS = 8
DRAWN_FLOOR = np.dtype(
    [
        ("angle", "u8", 4),
        ("field", "u8", 6),
        ("rare", "u8"),
        ("diamond", "i4"),
        ("down", "i4"),
        ("up", "i4"),
        ("size", "i4", (_ROOMS, 2)),
        ("chunk", "i4", _ROOMS),
        ("offset", "i4", (_ROOMS, 2)),
        ("chest", "i4", (_ROOMS, 2)),
        ("fountain", "i4", (_ROOMS, 2)),
        ("has_fountain", "f4", _ROOMS),
        ("end", "i4", _ROOMS),
        ("choices", "i4", 3),
        ("chunk_choices", "i4", _ROOMS),
        ("end_choices", "i4", _ROOMS),
    ],
    align=True,
)
# In the order of the reference's calls. Passive mobs are drawn before those that shoot, and appear first.
_ORDER = [
    *((name, None) for name in ("sapling", "has_torches", "torches", "has_ore", "ore")),
    *(("ores", i) for i in range(5)),
    *((name, None) for name in ("has_potion", "potion", "potions", "has_arrows", "arrows", "has_tool", "tool")),
    *((name, None) for name in ("pickaxe", "sword", "spell", "armour")),
    *((what, i) for i in range(3) for what in ("direction", "axis", "bold")),
    *(("direction", i) for i in range(3, 6)),
    *((what, i) for i in range(6, 8) for what in ("direction", "axis", "bold")),
    *((what, kind) for kind in (1, 0, 2) for what in ("spawn", "cell")),
]
_CHOICES = ["cell", None, None, "spell", "armour"]  # three kinds of mobs, and these
_DIRECTIONS = np.array([[0, -1], [0, 1], [-1, 0], [1, 0]])
LANDSCAPES, DUNGEONS = (0, 2, 5, 6, 7, 8), (1, 3, 4)


def _direction(steps):
    """Returns the numbers of steps in the reference's list of directions, after the first."""
    number = (steps[:, None] == _DIRECTIONS).all(axis=2)
    return np.where(number.any(axis=1), number.argmax(axis=1), 7)


def tape(drawn):
    """Returns what the reference has drawn in steps."""
    assert len(drawn) == len(_ORDER)
    result = np.zeros(len(drawn[0]), DRAWN)
    for (name, index), values in zip(_ORDER, drawn, strict=True):
        if isinstance(values, tuple):
            values, choices = values
            if name in _CHOICES:
                result["choices"][:, _CHOICES.index(name) + (index or 0)] = choices
        values = np.asarray(values)
        values = _direction(values) if name == "direction" else values.reshape(len(result))
        if index is None:
            result[name] = values
        else:
            result[name][:, index] = values
    return result


def landscape_tape(drawn):
    """Returns what has been drawn for a landscape, and the arrays to which it points."""
    arrays = [np.ascontiguousarray(array, np.float32) for array in drawn[:10]]
    result = np.zeros(1, DRAWN_FLOOR)
    for i, array in enumerate(arrays):
        result["angle" if i < 4 else "field"][0, i if i < 4 else i - 4] = array.ctypes.data
    for i, name in enumerate(("diamond", "down", "up")):
        result[name], result["choices"][0, i] = drawn[10 + i]
    return result, arrays


def dungeon_tape(drawn):
    """Returns the same for a dungeon."""
    result = np.zeros(1, DRAWN_FLOOR)
    result["size"] = drawn[0]
    for room in range(_ROOMS):
        for name, value in zip(
            ("chunk", "offset", "chest", "fountain", "has_fountain"), drawn[1 + 5 * room : 6 + 5 * room], strict=True
        ):
            if name == "chunk":
                value, result["chunk_choices"][0, room] = value
            result[name][0, room] = value
        result["end"][0, room], result["end_choices"][0, room] = drawn[41 + room]
    rare = np.ascontiguousarray(drawn[49][0], np.uint8)
    result["rare"] = rare.ctypes.data
    for i, name in enumerate(("down", "up")):
        result[name], result["choices"][0, 1 + i] = drawn[50 + i]
    return result, rare


class Ours:
    """Our environment's functions."""

    def __init__(self):
        self.library = ctypes.CDLL(libraries.library("craftax_testing"))
        self.functions = Functions(self.library, "CraftaxSymbolic", STATE)
        self.options = Options()
        self.library.test_full_drawn_bytes.restype = ctypes.c_int64
        for of_floor, drawn in enumerate((DRAWN, DRAWN_FLOOR)):
            assert self.library.test_full_drawn_bytes(ctypes.c_int32(of_floor)) == drawn.itemsize

    def step(self, states, lights, actions, drawn):
        n = len(states)
        reward, ends = np.zeros(n, np.float32), np.zeros(n, np.uint8)
        self.library.test_full_replay_steps.restype = ctypes.c_int64
        wrong = self.library.test_full_replay_steps(
            ctypes.byref(self.options),
            *map(pointer, (states, lights, np.ascontiguousarray(actions, np.int32), drawn, reward, ends)),
            ctypes.c_int64(n),
        )
        return reward, ends.astype(bool), wrong

    def whole_worlds(self, count, seed):
        """Returns new worlds of ours with all floors, and their lights."""
        states, lights = self.functions.reset(count, seed=seed), no_lights(count)
        arguments = map(pointer, (states, lights))
        self.library.test_full_make_floors(
            ctypes.byref(self.options), *arguments, ctypes.c_uint64(seed + 1), ctypes.c_int64(count)
        )
        return states, lights

    def make_floor(self, state, lights, floor, drawn):
        self.library.test_full_replay_floor.restype = ctypes.c_int64
        assert not self.library.test_full_replay_floor(
            ctypes.byref(self.options), *map(pointer, (state, lights)), ctypes.c_int32(floor), pointer(drawn)
        )

    def observe(self, states):
        obs, achievements = np.full((len(states), 8268), 7, np.float32), np.zeros((len(states), 67), np.uint8)
        self.functions.observe_into(states, obs, achievements)
        return obs, achievements

    def images(self, states, lights, noise):
        """Returns images with given noise."""
        images = np.full((len(states), 130, 110, 3), 7, np.float32)
        noise, textures = np.ascontiguousarray(noise, np.float32), read_textures("craftax")
        arguments = map(pointer, (states, lights, noise, images))
        self.library.test_full_draw_images(
            textures, ctypes.c_int64(len(textures)), *arguments, ctypes.c_int64(len(states))
        )
        return images


def no_lights(count):
    return np.zeros((count, 4, SIDE, SIDE), np.float32)


class Comparison:
    """Steps the reference and ours together, and counts what has happened."""

    def __init__(self, num_envs, seed):
        self.params, self.rng, self.ours = reference.default_params(), np.random.default_rng(seed), Ours()
        self.n, self.seed, self.counts, self.keys = num_envs, seed, collections.Counter(), 0

    def key(self):
        self.keys += 1
        return jax.random.fold_in(jax.random.PRNGKey(self.seed), self.keys)

    def worlds(self, count):
        """Compares new worlds, and returns the states of the reference."""
        keys = jax.random.split(self.key(), count)
        state, obs = reference.worlds(keys, self.params)
        ours, lights = self.ours.functions.reset(count), no_lights(count)
        expected = to_ours(state)
        ours["potion_effect"] = expected["potion_effect"]
        for i, key in enumerate(keys):
            ours["made"][i] = 0
            landscapes, dungeons = reference.floors(key, self.params)
            for floors, (_, drawn), tape_of in (
                (LANDSCAPES, landscapes, landscape_tape),
                (DUNGEONS, dungeons, dungeon_tape),
            ):
                for j, floor in enumerate(floors):
                    recorded, _kept = tape_of(jax.tree.map(lambda values, j=j: np.asarray(values)[j], drawn))
                    self.ours.make_floor(ours[i : i + 1], lights[i : i + 1], floor, recorded)
        check_same(ours, state)
        self.compare_images(ours, lights, state)
        np.testing.assert_array_equal(self.ours.observe(ours)[0], obs)
        self.counts["worlds"] += count
        return strong(state)

    def start(self):
        """Returns states of the reference that are worlds of ours."""
        ours, lights = self.ours.whole_worlds(self.n, self.seed)
        state = from_ours(ours, lights, jax.eval_shape(reference.new_world, jax.random.PRNGKey(0), self.params)[0])
        check_same(ours, state)
        return strong(state)

    def run(self, state, steps, act, fresh):
        """Compares steps. Worlds that end continue as those of `fresh`."""
        ours, lights = to_ours(state), lights_of(state)
        for _ in range(steps):
            actions = act(ours)
            before, lights_before = ours.copy(), lights.copy()
            after, reward, done, obs, drawn = jax.device_get(
                reference.step(jax.random.split(self.key(), self.n), state, actions.astype(np.int32), self.params)
            )
            our_reward, ends, wrong = self.ours.step(ours, lights, actions, tape(drawn))
            check_same(ours, after)
            assert not wrong
            np.testing.assert_array_equal(our_reward, reward)
            np.testing.assert_array_equal(ends | (ours["time"] >= self.params.max_timesteps), done)
            our_obs, achievements = self.ours.observe(ours)
            np.testing.assert_array_equal(our_obs, obs)
            np.testing.assert_array_equal(achievements, after.achievements)
            self.compare_images(ours, lights, after)
            self.count(before, ours, actions)
            self.counts["torches in the dark"] += int((lights != lights_before).any(axis=(1, 2, 3)).sum())
            state = strong(after)
            if done.any():
                state = jax.tree.map(lambda new, old, done=done: chosen(done, new, old), fresh(), state)
                ours, lights = to_ours(state), lights_of(state)
        return state

    def compare_images(self, ours, lights, state):
        """Compares the light of each block, and every pixel."""
        np.testing.assert_array_equal(lights, lights_of(state))
        images, noise = jax.device_get(reference.images()(strong(state)))
        np.testing.assert_array_equal(self.ours.images(ours, lights, noise), images)
        night = (ours["level"] == 0) & (ours["light"] < 0.5)
        self.counts["images"] += len(ours)
        self.counts["images of nights"] += int(night.sum())
        self.counts["images of sleep"] += int(ours["asleep"].sum())
        self.counts["images of open ladders"] += int((ours["defeated"][np.arange(len(ours)), ours["level"]] > 7).sum())
        self.count_seen(ours)

    def count_seen(self, ours):
        """Counts the types of mobs and shots that images show, unless they are in the dark."""
        rows, half = np.arange(len(ours)), np.array([4, 5])
        player = np.stack([ours["y"], ours["x"]], axis=1)[:, None]
        mobs = ours["mobs"][rows, ours["level"]]
        places = np.stack(np.divmod(mobs["cell"].astype(int), SIDE), axis=-1)
        seen = (np.abs(places - player) <= half).all(axis=2) & (mobs["alive"][:, None] >> np.arange(8) & 1 == 1)
        for kind, first in KINDS.items():
            own = slice(first, first + (2 if first == 6 else 3))
            for number in range(3 if kind == "passive_mobs" else 8):
                self.counts[f"seen {kind} {number}"] += int((seen & (mobs["type"] == number))[:, own].sum())
        for name in ("mob_shots", "player_shots"):
            shots = ours[name][rows, ours["level"]]
            places = np.stack([shots["y"], shots["x"]], axis=-1).astype(int)
            seen = (np.abs(places - player) <= half).all(axis=2) & (shots["flying"][:, None] >> np.arange(3) & 1 == 1)
            for number in range(8):
                self.counts[f"seen {name} {number}"] += int((seen & (shots["type"] == number)).sum())

    def count(self, before, after, actions):
        counts = self.counts
        counts["steps"] += self.n
        names = np.unpackbits(after["achievements"] & ~before["achievements"], axis=1, bitorder="little")[:, :67]
        for i, count in enumerate(names.sum(axis=0)):
            counts[f"achievement {i}"] += int(count)
        for floor in range(FLOORS):
            counts[f"floor {floor}"] += int((after["level"] == floor).sum())
        counts["deaths"] += int((after["health"] <= 0).sum())
        counts["hurt"] += int((after["health"] < before["health"] - 1).sum())
        counts["woken"] += int((before["asleep"] & ~after["asleep"]).sum())
        counts["rested"] += int((before["resting"] & ~after["resting"]).sum())
        counts["descended"] += int((after["level"] > before["level"]).sum())
        counts["ascended"] += int((after["level"] < before["level"]).sum())
        rows = np.arange(self.n)
        mobs = before["mobs"][rows, before["level"]], after["mobs"][rows, before["level"]]
        for kind, mask in (("melee", 7), ("passive", 56), ("ranged", 192)):
            counts[f"new {kind}"] += int((((mobs[1]["alive"] & ~mobs[0]["alive"]) & mask) != 0).sum())
        for name in ("mob_shots", "player_shots"):
            flying = [states[name][rows, before["level"]]["flying"] for states in (before, after)]
            counts[f"new {name}"] += int(((flying[1] & ~flying[0]) != 0).sum())
        for name in ("sword_enchantment", "bow_enchantment", "dexterity", "strength", "intelligence"):
            counts[name] += int((after[name] != before[name]).sum())
        counts["armour_enchantment"] += int((after["armour_enchantment"] != before["armour_enchantment"]).any(1).sum())
        counts["boss hit"] += int((after["boss_progress"] > before["boss_progress"]).sum())
        counts["boss defeated"] += int(((after["boss_progress"] > 7) & (before["boss_progress"] <= 7)).sum())
        blocks = before["cell"] & 63, after["cell"] & 63
        counts["ripe plants"] += int(((blocks[0] == 15) & (blocks[1] == 16)).any(axis=(1, 2, 3)).sum())
        counts["lit"] += int((before["lit"] != after["lit"]).any(axis=(1, 2)).sum())
        changed = (before["cell"] != after["cell"]).any(axis=(1, 2, 3))
        for action in np.unique(actions[changed]):
            counts[f"changed by {action}"] += int((actions[changed] == action).sum())


def chosen(which, yes, no):
    """Returns the rows of `yes` where `which` holds, and else those of `no`."""
    return np.where(which.reshape(-1, *[1] * (no.ndim - 1)), yes, no)


def strong(state):
    """Returns the leaves as NumPy arrays of their own dtypes, so that JAX does not compile for weak ones."""
    return jax.tree.map(np.asarray, jax.device_get(state))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=0, help="only compares this many new worlds")
    parser.add_argument("--random", type=int, default=100, help="steps of episodes with random actions")
    parser.add_argument("--eventful", type=int, default=16, help="rounds of 25 steps from random states")
    parser.add_argument("--num_envs", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    comparison = Comparison(args.num_envs, args.seed)
    if args.worlds:
        worlds = comparison.worlds(args.worlds)
        cells = (worlds.map | worlds.item_map << 6).reshape(-1, FLOORS, SIDE * SIDE)
        print(json.dumps({"cells": [[np.bincount(one, minlength=256).tolist() for one in floors] for floors in cells]}))
        return
    rng, start = comparison.rng, comparison.start()
    light = jax.jit(jax.vmap(reference.light, (0, None)))

    def event():
        return strong(eventful(start, rng, lambda time: np.asarray(light(time, comparison.params))))

    for _ in range(args.eventful):
        comparison.run(event(), 25, lambda ours: choose(ours, rng), event)
    comparison.run(start, args.random, lambda ours: rng.integers(0, 43, len(ours)), lambda: start)
    print(json.dumps(comparison.counts))


if __name__ == "__main__":
    main()
