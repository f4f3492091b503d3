# SPDX-License-Identifier: Apache-2.0
"""Sets and reads states of the package's games and of our games, and converts both to tuples that can be compared.

A state of the package is the `vars` of its game object. The game's random generator is replaced by one that enumerates
all outcomes of a step with their probabilities. This gives the distribution that our games must have. Our games are
called through support/functions.h, without a pool.
"""

import ctypes

import minatar
import numpy as np

from tests.support import libraries
from tests.support.capi import Functions


def lists(count, capacity):
    return [("at", "u1", (capacity, 4)), ("count", "i4")]


def words(kind, text):
    return [(name, kind) for name in text.split()]


# The memory layout of each State.
STATES = {
    "Asterix": words("u8", "column right treasure")
    + words("u1", "player_x player_y spawn_speed spawn_timer move_speed move_timer")
    + [("ramp_timer", "i1")]
    + words("u1", "ramp_index last_action"),
    "Breakout": words("u4", "bricks") + words("u1", "ball_y ball_x last_y last_x ball_dir pos strike last_action"),
    "Freeway": words("u8", "column right speed timer")
    + [("steps_left", "i4")]
    + words("u1", "pos move_timer last_action"),
    "Seaquest": [(name, lists(name, size)) for name, size in (("fish", 34), ("subs", 34), ("enemy_bullets", 46))]
    + [(name, lists(name, 4)) for name in ("bullets", "divers")]
    + words("i4", "oxygen diver_count")
    + words(
        "u1",
        "sub_cell sub_right surface spawn_speed spawn_timer diver_timer move_speed shot_timer ramp_index last_action",
    ),
    "SpaceInvaders": words("u8", "aliens bullets")
    + words("u1", "top enemy_y enemy_x")
    + [("alien_dir", "i1")]
    + words("u1", "pos enemy_move_interval alien_move_timer alien_shot_timer shot_timer ramp_index last_action"),
}
NAMES = {"Asterix": "asterix", "Breakout": "breakout", "Freeway": "freeway"} | {
    "Seaquest": "seaquest",
    "SpaceInvaders": "space_invaders",
}
CHANNELS = {"Asterix": 4, "Breakout": 4, "Freeway": 7, "Seaquest": 10, "SpaceInvaders": 6}
GAMES = list(STATES)


class Engine(Functions):
    def __init__(self, game, **options):
        library = ctypes.CDLL(libraries.library("minatar_testing"))
        super().__init__(library, game, np.dtype(STATES[game], align=True), f"MinAtar{game}", **options)
        self.floats = options.get("obs_dtype") == "float32"

    def observe(self, states):
        obs = np.full((len(states), 10, 10, CHANNELS[self.name]), 7, np.float32 if self.floats else np.uint8)
        self.observe_into(states, obs)
        return obs


class Script:
    """A random generator that enumerates all outcomes.

    `rand` has six equally likely outcomes. This is exact, because the games compare them only with multiples of 1/6.
    """

    def __init__(self):
        self.chosen, self.sizes = [], []

    def pick(self, size):
        index = len(self.sizes)
        self.sizes.append(size)
        if index == len(self.chosen):
            self.chosen.append(0)
        return self.chosen[index]

    def rand(self):
        return (self.pick(6) + 0.5) / 6

    def randint(self, low, high=None):
        low, high = (0, low) if high is None else (low, high)
        return low + self.pick(high - low)

    def advance(self):
        """Advances to the next outcome. Returns False after the last one."""
        while self.chosen and self.chosen[-1] == self.sizes[len(self.chosen) - 1] - 1:
            self.chosen.pop()
        if self.chosen:
            self.chosen[-1] += 1
        self.sizes = []
        return bool(self.chosen)


def copied(part):
    """Copies a part of a state: a number, an array or a list of lists."""
    if isinstance(part, list):
        return [list(entry) if isinstance(entry, list) else entry for entry in part]
    return part.copy() if isinstance(part, np.ndarray) else part


class Reference:
    """A game of the package, whose state can be set and read."""

    def __init__(self, game, **options):
        self.outer = minatar.Environment(NAMES[game], **{"sticky_action_prob": 0.0, **options})
        self.game, self.inner = game, self.outer.env

    def get(self):
        return {k: copied(v) for k, v in vars(self.inner).items() if k not in ("random", "channels", "action_map")}

    def put(self, state):
        vars(self.inner).update({k: copied(v) for k, v in state.items()})

    def outcomes(self, state, action):
        """Yields every outcome of an action: next state, reward, terminal, observation, probability."""
        script = Script()
        self.inner.random = script
        while True:
            self.put(state)
            reward, terminal = self.outer.act(action)
            likely = 1 / np.prod(script.sizes) if script.sizes else 1.0
            yield self.get(), float(reward), terminal, self.outer.state(), likely
            if not script.advance():
                return


# ---- conversions between states of the package, our states, and tuples that can be compared ----


def lanes(values):
    return sum(int(value) << (8 * lane) for lane, value in enumerate(values))


def bits(array):
    return sum(int(bit) << index for index, bit in enumerate(np.asarray(array).ravel()))


def swimmer(entity):
    x, y, right, *timers = map(int, entity)
    return (16 * y + x, right, *timers, *[0] * (2 - len(timers)))


SWIMMERS = {
    "fish": "e_fish",
    "subs": "e_subs",
    "enemy_bullets": "e_bullets",
    "bullets": "f_bullets",
    "divers": "divers",
}


def to_ours(game, theirs):
    """Converts a state of the package into one of ours."""
    ours = np.zeros((), np.dtype(STATES[game], align=True))
    for name in ours.dtype.names:
        if name in theirs and not isinstance(theirs[name], list):
            ours[name] = theirs[name]
    if game == "Asterix":
        ours["column"] = lanes(0 if e is None else e[0] + 1 for e in theirs["entities"])
        ours["right"] = lanes(0 if e is None else e[2] for e in theirs["entities"])
        ours["treasure"] = lanes(0 if e is None else e[3] for e in theirs["entities"])
    elif game == "Breakout":
        ours["bricks"] = bits(theirs["brick_map"][1:4])
    elif game == "Freeway":
        cars = theirs["cars"]
        ours["column"], ours["timer"] = lanes(car[0] for car in cars), lanes(car[2] for car in cars)
        ours["right"], ours["speed"] = lanes(car[3] > 0 for car in cars), lanes(abs(car[3]) for car in cars)
        ours["steps_left"] = theirs["terminate_timer"]
    elif game == "Seaquest":
        for name, their_name in SWIMMERS.items():
            entities = [swimmer(e) for e in theirs[their_name]]
            ours[name]["count"] = len(entities)
            if entities:
                ours[name]["at"][: len(entities)] = entities
        ours["sub_cell"], ours["sub_right"] = 16 * theirs["sub_y"] + theirs["sub_x"], theirs["sub_or"]
        ours["spawn_speed"], ours["spawn_timer"] = theirs["e_spawn_speed"], theirs["e_spawn_timer"]
        ours["diver_timer"] = theirs["d_spawn_timer"]
    else:
        rows = theirs["alien_map"].astype(int) @ (1 << np.arange(10))
        top = next(top for top in range(10) if not np.delete(rows, [(top + k) % 10 for k in range(4)]).any())
        ours["top"], ours["aliens"] = top, sum(int(rows[(top + k) % 10]) << (16 * k) for k in range(4))
        ours["bullets"] = sum((x + 1) << (4 * y) for y, x in np.argwhere(theirs["f_bullet_map"]).tolist())
        ours["enemy_y"] = 255
        for ours["enemy_y"], ours["enemy_x"] in np.argwhere(theirs["e_bullet_map"]):
            pass
    return ours


def comparable_reference(game, theirs):
    """Returns a tuple of the compared parts of a state of the package."""
    plain = [
        (k, int(v)) for k, v in theirs.items() if isinstance(v, (int, np.integer)) and k not in ("terminal", "ramping")
    ]
    if game == "Asterix":
        if theirs["spawn_speed"] == theirs["move_speed"] == 1:
            plain = [(k, v) for k, v in plain if k != "ramp_timer"]  # This timer no longer has an effect.
        return (*sorted(plain), *(e and tuple(map(int, e)) for e in theirs["entities"]))
    if game == "Breakout":
        return (*sorted(plain), theirs["brick_map"].astype(bool).tobytes())
    if game == "Freeway":
        return (*sorted(plain), *(tuple(map(int, car)) for car in theirs["cars"]))
    if game == "Seaquest":
        return (*sorted(plain), *(tuple(map(swimmer, theirs[name])) for name in SWIMMERS.values()))
    return (
        *sorted(plain),
        *(theirs[f"{what}_map"].astype(bool).tobytes() for what in ("alien", "f_bullet", "e_bullet")),
    )


def comparable(game, ours):
    """Returns a tuple of the same parts of one of our states."""
    plain = {
        name: int(ours[name]) for name in ours.dtype.names if ours[name].dtype.kind in "iu" and not ours[name].shape
    }
    plain.pop("last_action")

    def lane(name, i):
        return plain[name] >> (8 * i) & 255

    if game == "Asterix":
        rest = [
            (lane("column", i) - 1, i + 1, lane("right", i), lane("treasure", i)) if lane("column", i) else None
            for i in range(8)
        ]
        assert not any(lane(name, i) for name in ("right", "treasure") for i in range(8) if rest[i] is None)
        drop, plain["shot_timer"] = ("column", "right", "treasure"), 0
        if plain["spawn_speed"] == plain["move_speed"] == 1:
            drop = (*drop, "ramp_timer")
    elif game == "Breakout":
        board = np.zeros((10, 10), bool)
        board[1:4] = [[plain["bricks"] >> (10 * y + x) & 1 for x in range(10)] for y in range(3)]
        rest, drop = [board.tobytes()], ("bricks",)
    elif game == "Freeway":
        rest = [
            (lane("column", i), i + 1, lane("timer", i), lane("speed", i) * (2 * lane("right", i) - 1))
            for i in range(8)
        ]
        plain["terminate_timer"] = plain["steps_left"]
        drop = ("column", "timer", "speed", "right", "steps_left")
    elif game == "Seaquest":
        rest = [tuple(map(tuple, ours[name]["at"][: ours[name]["count"]].tolist())) for name in SWIMMERS]
        plain["sub_y"], plain["sub_x"] = divmod(plain["sub_cell"], 16)
        plain |= {"sub_or": plain["sub_right"], "e_spawn_speed": plain["spawn_speed"]}
        plain |= {"e_spawn_timer": plain["spawn_timer"], "d_spawn_timer": plain["diver_timer"]}
        drop = ("sub_cell", "sub_right", "spawn_speed", "spawn_timer", "diver_timer")
    else:
        aliens, own, enemy = np.zeros((3, 10, 10), bool)
        for k in range(4):
            aliens[(plain["top"] + k) % 10] = [plain["aliens"] >> (16 * k + x) & 1 for x in range(10)]
        for y in range(10):
            if column := plain["bullets"] >> (4 * y) & 15:
                own[y, column - 1] = True
        if plain["enemy_y"] != 255:
            enemy[plain["enemy_y"], plain["enemy_x"]] = True
        rest, drop = (
            [part.tobytes() for part in (aliens, own, enemy)],
            ("aliens", "bullets", "top", "enemy_y", "enemy_x"),
        )
    return (*sorted((k, v) for k, v in plain.items() if k not in drop), *rest)
