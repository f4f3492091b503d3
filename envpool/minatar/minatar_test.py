# SPDX-License-Identifier: Apache-2.0
"""MinAtar against its package, as a black box: from equal states, every action, with every outcome of its draws.

A state of the package is what `vars` shows of its live object. Its generator is replaced by one that goes through all
outcomes of a step, each as likely as any other: what then comes out is the distribution that ours must have. What needs
no pool goes through testing_capi.cc.
"""

import collections
import ctypes
import importlib

import minatar
import numpy as np
import pytest
from scipy import stats

import envpool
from envpool.testing import libraries
from envpool.testing.capi import Functions, pointer

SMALLEST_P = 1e-3  # of each chi-square below; seeds are fixed, so what passes once passes always


def lists(count, capacity):
    return [("at", "u1", (capacity, 4)), ("count", "i4")]


def words(kind, text):
    return [(name, kind) for name in text.split()]


# An environment's State as it lies in memory.
STATES = {
    "Asterix": words("u8", "place right gold")
    + words("u1", "player_x player_y spawn_speed spawn_timer move_speed move_timer")
    + [("ramp_timer", "i1")]
    + words("u1", "ramp_index last_action"),
    "Breakout": words("u4", "bricks") + words("u1", "ball_y ball_x last_y last_x ball_dir pos strike last_action"),
    "Freeway": words("u8", "place right speed timer")
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
        super().__init__(library, game, np.dtype(STATES[game], align=True), **options)
        self.floats = options.get("obs_dtype") == "float32"

    def step(self, states, actions, seed=0):
        """Moves the states on, and returns rewards and whether they are terminal."""
        count = len(states)
        reward, terminated = np.empty(count, np.float32), np.empty(count, np.uint8)
        actions = np.broadcast_to(np.asarray(actions, np.int32), count).copy()
        outputs = pointer(reward), pointer(terminated)
        self._call("step", ctypes.c_uint64(seed), pointer(states), pointer(actions), *outputs, ctypes.c_int64(count))
        return reward, terminated.astype(bool)

    def observe(self, states):
        obs = np.full((len(states), 10, 10, CHANNELS[self.name]), 7, np.float32 if self.floats else np.uint8)
        places = (ctypes.c_void_p * 1)(obs.ctypes.data)
        self._call("observe", pointer(states), places, ctypes.c_int64(len(states)))
        return obs


class Script:
    """A generator that goes through all outcomes. Those of `rand` are six, which is exact for any sixth as a limit."""

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
        """Goes to the next outcome; False after the last."""
        while self.chosen and self.chosen[-1] == self.sizes[len(self.chosen) - 1] - 1:
            self.chosen.pop()
        if self.chosen:
            self.chosen[-1] += 1
        self.sizes = []
        return bool(self.chosen)


def copied(part):
    """A copy of a part of a state: a number, an array or a list of lists."""
    if isinstance(part, list):
        return [list(entry) if isinstance(entry, list) else entry for entry in part]
    return part.copy() if isinstance(part, np.ndarray) else part


class Reference:
    """The package's game, whose state is set and read."""

    def __init__(self, game, **options):
        self.outer = minatar.Environment(NAMES[game], **{"sticky_action_prob": 0.0, **options})
        self.game, self.inner = game, self.outer.env

    def get(self):
        return {k: copied(v) for k, v in vars(self.inner).items() if k not in ("random", "channels", "action_map")}

    def put(self, state):
        vars(self.inner).update({k: copied(v) for k, v in state.items()})

    def outcomes(self, state, action):
        """All that can come of an action: (next state, reward, terminal, observation, probability)."""
        script = Script()
        self.inner.random = script
        while True:
            self.put(state)
            reward, terminal = self.outer.act(action)
            likely = 1 / np.prod(script.sizes) if script.sizes else 1.0
            yield self.get(), float(reward), terminal, self.outer.state(), likely
            if not script.advance():
                return


# ---- a state as the package has it, as ours, and as a tuple of what both are compared by ----


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
    """The package's state as ours."""
    ours = np.zeros((), np.dtype(STATES[game], align=True))
    for name in ours.dtype.names:
        if name in theirs and not isinstance(theirs[name], list):
            ours[name] = theirs[name]
    if game == "Asterix":
        ours["place"] = lanes(0 if e is None else e[0] + 1 for e in theirs["entities"])
        ours["right"] = lanes(0 if e is None else e[2] for e in theirs["entities"])
        ours["gold"] = lanes(0 if e is None else e[3] for e in theirs["entities"])
    elif game == "Breakout":
        ours["bricks"] = bits(theirs["brick_map"][1:4])
    elif game == "Freeway":
        cars = theirs["cars"]
        ours["place"], ours["timer"] = lanes(car[0] for car in cars), lanes(car[2] for car in cars)
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


def of_theirs(game, theirs):
    """What a state of the package is compared by."""
    plain = [
        (k, int(v)) for k, v in theirs.items() if isinstance(v, (int, np.integer)) and k not in ("terminal", "ramping")
    ]
    if game == "Asterix":
        if theirs["spawn_speed"] == theirs["move_speed"] == 1:
            plain = [(k, v) for k, v in plain if k != "ramp_timer"]  # which has no use any more
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


def of_ours(game, ours):
    """The same of a state of ours."""
    plain = {
        name: int(ours[name]) for name in ours.dtype.names if ours[name].dtype.kind in "iu" and not ours[name].shape
    }
    plain.pop("last_action")

    def lane(name, i):
        return plain[name] >> (8 * i) & 255

    if game == "Asterix":
        rest = [
            (lane("place", i) - 1, i + 1, lane("right", i), lane("gold", i)) if lane("place", i) else None
            for i in range(8)
        ]
        assert not any(lane(name, i) for name in ("right", "gold") for i in range(8) if rest[i] is None)
        drop, plain["shot_timer"] = ("place", "right", "gold"), 0
        if plain["spawn_speed"] == plain["move_speed"] == 1:
            drop = (*drop, "ramp_timer")
    elif game == "Breakout":
        board = np.zeros((10, 10), bool)
        board[1:4] = [[plain["bricks"] >> (10 * y + x) & 1 for x in range(10)] for y in range(3)]
        rest, drop = [board.tobytes()], ("bricks",)
    elif game == "Freeway":
        rest = [
            (lane("place", i), i + 1, lane("timer", i), lane("speed", i) * (2 * lane("right", i) - 1)) for i in range(8)
        ]
        plain["terminate_timer"] = plain["steps_left"]
        drop = ("place", "timer", "speed", "right", "steps_left")
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


# ---- states: those of episodes, and made-up ones ----


def made_up(game, theirs, rng):
    """A state with everything where it may just be, from any of the package's."""

    def one_in(n):
        return rng.integers(n) == 0

    def draw(low, high):
        return int(rng.integers(low, high + 1))

    state = {name: copied(part) for name, part in theirs.items()}
    state["terminal"] = False
    if game == "Asterix":
        state |= {"player_x": draw(0, 9), "player_y": draw(1, 8), "ramp_index": draw(0, 20)}
        state |= {"spawn_speed": draw(1, 10), "move_speed": draw(1, 5), "ramp_timer": draw(-1, 100)}
        state |= {"spawn_timer": draw(0, 3), "move_timer": draw(0, 2)}
        near = [draw(max(state["player_x"] - 1, 0), min(state["player_x"] + 1, 9)) for _ in range(8)]
        state["entities"] = [
            None if one_in(3) else [near[i] if one_in(2) else draw(0, 9), i + 1, bool(one_in(2)), bool(one_in(2))]
            for i in range(8)
        ]
    elif game == "Breakout":
        state |= {name: draw(0, 9) for name in ("ball_x", "pos", "last_x", "last_y")}
        state |= {"ball_y": draw(0, 8), "ball_dir": draw(0, 3), "strike": bool(one_in(3))}
        if one_in(3):
            state["ball_y"], state["ball_dir"], state["pos"] = (
                8,
                draw(2, 3),
                min(9, max(0, state["ball_x"] + draw(-2, 2))),
            )
        state["brick_map"] = np.zeros((10, 10))
        state["brick_map"][1:4] = rng.random((3, 10)) < rng.choice([0, 0.1, 0.5, 0.9, 1])
    elif game == "Freeway":
        state |= {"pos": draw(1, 9), "move_timer": draw(0, 3) if one_in(2) else 0}
        state["terminate_timer"] = draw(0, 2500) if one_in(2) else draw(0, 2)
        speeds = [draw(1, 5) * (1 if one_in(2) else -1) for _ in range(8)]
        state["cars"] = [
            [draw(2, 6) if one_in(2) else draw(0, 9), i + 1, draw(0, abs(v)), v] for i, v in enumerate(speeds)
        ]
    elif game == "Seaquest":
        y = draw(0, 8)
        state |= {"sub_y": y, "sub_x": draw(1, 8), "sub_or": bool(one_in(2)), "surface": y == 0 and bool(one_in(2))}
        state |= {"oxygen": draw(0, 3) if one_in(4) else draw(0, 200), "diver_count": draw(-2, 6)}
        index = draw(0, 25)
        state |= {"ramp_index": index, "move_speed": draw(2, 5), "e_spawn_speed": max(20 - index, 1)}
        state |= {"e_spawn_timer": draw(0, 20), "d_spawn_timer": draw(0, 30), "shot_timer": draw(0, 1)}
        rows = rng.integers(1, 9, 3)

        def entities(most, *timers):
            """Crowded: few rows, few columns and few timers, so that several are in one cell, and some are equal."""
            cells = [
                [int(x), int(rows[r]), bool(right)]
                for x, r, right in zip(
                    np.clip(state["sub_x"] + rng.integers(-2, 3, most), 0, 9)
                    if one_in(2)
                    else rng.integers(0, 10, most),
                    rng.integers(0, len(rows), most),
                    rng.integers(0, 2, most),
                    strict=True,
                )
            ]
            return [[*cell, *(draw(0, high) for high in timers)] for cell in cells[: draw(0, most)]]

        if one_in(2):
            rows[0] = max(y, 1)
        state |= {"e_fish": entities(8, 2), "e_subs": entities(8, 2, 2), "e_bullets": entities(6)}
        state |= {"f_bullets": entities(3), "divers": entities(3, 1)}
    else:
        state |= {"pos": draw(0, 9), "alien_dir": 1 - 2 * draw(0, 1), "enemy_move_interval": draw(6, 12)}
        state |= {"alien_move_timer": draw(0, 2), "alien_shot_timer": draw(0, 2), "shot_timer": draw(0, 1)}
        maps = {f"{name}_map": np.zeros((10, 10)) for name in ("alien", "f_bullet", "e_bullet")}
        top, left = draw(0, 6), draw(0, 4)
        maps["alien_map"][top : top + 4, left : left + 6] = rng.random((4, 6)) < rng.choice([0.05, 0.2, 0.8, 1])
        if not maps["alien_map"].any():
            maps["alien_map"][top, left] = 1
        for y in range(9):
            if one_in(3):
                maps["f_bullet_map"][y, draw(0, 9)] = 1
        if one_in(2):
            y = draw(0, 9)
            maps["e_bullet_map"][y, state["pos"] if one_in(2) else draw(0, 9)] = 1
            state["alien_shot_timer"] = max(9 - y, state["alien_shot_timer"])  # it falls off before the next shot
        state |= maps
    return state


def ramped(game, state, rng):
    """A beginning as fast as the game may have become."""
    if game == "Asterix":
        index = int(rng.integers(0, 12))
        state |= {"ramp_index": index, "spawn_speed": max(10 - index, 1), "move_speed": max(5 - index // 2, 1)}
        state["ramp_timer"] = int(rng.integers(0, 101))
    elif game == "Seaquest":
        index = int(rng.integers(0, 22))
        state |= {"ramp_index": index, "e_spawn_speed": max(20 - index, 1), "move_speed": max(5 - index // 2, 2)}
    elif game == "SpaceInvaders":
        state["enemy_move_interval"] = int(rng.integers(6, 13))
    return state


def states_of(game, count, seed=0):
    """States that a player comes through who looks one step ahead and likes rewards."""
    rng, reference = np.random.default_rng(seed), Reference(game)
    reference.outer.seed(seed)
    generator = reference.inner.random
    taken = 0
    while taken < count:
        reference.inner.random = generator
        reference.outer.reset()
        if rng.random() < 0.7:
            reference.put(ramped(game, reference.get(), rng))
        ahead, terminal = rng.random() < 0.8, False
        for _ in range(400):
            state = reference.get()
            if rng.random() < 0.5 or reference.inner.random is not generator:
                yield state
                taken += 1
            best, action = -1.0, 0
            for candidate in rng.permutation(6) if ahead else [rng.integers(6)]:
                reference.put(state)
                reward, over = reference.outer.act(int(candidate))
                if (value := float(reward) + (not over)) > best:
                    best, action = value, int(candidate)
            reference.put(state)
            _, terminal = reference.outer.act(action)
            if game == "Seaquest" and reference.inner.oxygen < 20 and rng.random() < 0.5:
                reference.inner.oxygen = 200
            if terminal or taken >= count:
                break


class Fit:
    """Chi-square over many distributions at once: counts seen beside probabilities expected."""

    def __init__(self):
        self.statistic, self.freedom = 0.0, 0

    def add(self, seen, probabilities):
        """Both are dicts by outcome. An outcome that cannot be fails at once."""
        assert set(seen) <= set(probabilities), set(seen) - set(probabilities)
        assert sum(probabilities.values()) == pytest.approx(1)
        total = sum(seen.values())
        for outcome, probability in probabilities.items():
            expected = total * probability
            self.statistic += (seen.get(outcome, 0) - expected) ** 2 / expected
        self.freedom += len(probabilities) - 1

    def check(self):
        pvalue = stats.chi2.sf(self.statistic, self.freedom)
        print(f"chi-square {self.statistic:.1f} of {self.freedom} degrees of freedom, p = {pvalue:.4f}")
        assert SMALLEST_P < pvalue < 1 - SMALLEST_P  # nor too good


def crosses(game, state, action):
    """Whether Freeway's chicken arrives, which makes eight new cars: more outcomes than can be gone through."""
    return game == "Freeway" and state["pos"] == 1 and state["move_timer"] == 0 and action == 2


def compare(game, states, samples=400, most_random=12, **options):
    """From each state every action, but where something random comes, after a while, only one."""
    reference, engine = Reference(game, **options), Engine(game, sticky_action_prob=0.0, **options)
    observing, fit, compared, random = Engine(game, obs_dtype="float32"), Fit(), 0, 0
    for state in states:
        ours = to_ours(game, state)
        assert of_ours(game, ours) == of_theirs(game, state)
        spawns = sum(state.get(name) == 0 for name in ("spawn_timer", "e_spawn_timer", "d_spawn_timer"))
        random += spawns
        if spawns > 1 and random > most_random:
            continue
        for action in range(1 if spawns > 1 or (spawns and random > most_random) else 6):
            if crosses(game, state, action):
                continue
            outcomes = list(reference.outcomes(state, action))
            expected = collections.defaultdict(float)
            seen_by = {}
            for after, reward, terminal, obs, likely in outcomes:
                key = (of_theirs(game, after), reward, terminal)
                expected[key] += likely
                seen_by[key] = obs
            count = 1 if len(expected) == 1 else samples if random <= most_random else 20
            copies = np.full(count, ours)
            rewards, ends = engine.step(copies, action, seed=compared)
            assert (copies["last_action"] == action).all()
            groups = collections.Counter(zip(map(bytes, copies), rewards.tolist(), ends.tolist(), strict=True))
            seen = collections.Counter()
            for (after, reward, terminal), times in groups.items():
                one = np.frombuffer(after, copies.dtype)
                key = (of_ours(game, one[0]), reward, terminal)
                assert key in expected, (state, action, key, list(expected)[:3])
                seen[key] += times
                np.testing.assert_array_equal(engine.observe(one)[0], seen_by[key].astype(np.uint8))
                np.testing.assert_array_equal(observing.observe(one)[0], seen_by[key].astype(np.float32))
            if count == samples:
                fit.add(seen, dict(expected))
            compared += 1
    print(f"{game}: {compared} steps compared")
    if fit.freedom:
        fit.check()
    return compared


@pytest.mark.parametrize("game", GAMES)
def test_every_action_from_states_of_episodes(game):
    assert compare(game, states_of(game, 400)) > 1500


@pytest.mark.parametrize("game", GAMES)
def test_every_action_from_made_up_states(game):
    rng = np.random.default_rng(1)
    first = Reference(game).get()
    assert compare(game, (made_up(game, first, rng) for _ in range(400))) > 1500


# ---- resets, Freeway's new cars, sticky actions, whole runs ----


def chosen(values, outcomes):
    """Values, each of which is to be as likely as any other."""
    return dict(collections.Counter(values.tolist())), dict.fromkeys(outcomes, 1 / len(outcomes))


@pytest.mark.parametrize("game", ["Asterix", "Breakout", "Seaquest", "SpaceInvaders"])
def test_resets(game):
    reference = Reference(game)
    expected, script = collections.defaultdict(float), Script()
    reference.inner.random, more = script, True
    while more:
        reference.outer.reset()
        expected[of_theirs(game, reference.get())] += 1 / np.prod(script.sizes or [1])
        more = script.advance()
    seen = collections.Counter(of_ours(game, state) for state in Engine(game).reset(2000))
    assert set(seen) == set(expected)
    if len(expected) > 1:
        fit = Fit()
        fit.add(seen, expected)
        fit.check()


class Cars:
    """The draws for eight cars: speeds from 1 to 5, and directions, right above one half."""

    def __init__(self, speeds, sides):
        self.speeds, self.sides = speeds, sides

    def randint(self, *arguments):
        assert arguments == (1, 6, 8)
        return np.array(self.speeds)

    def rand(self, *arguments):
        assert arguments == (8,)
        return np.array(self.sides)


def test_new_cars_of_freeway():
    """The package makes each car of two draws of its own; so all ten of a lane are as likely, and lanes independent."""
    reference, engine = Reference("Freeway"), Engine("Freeway", sticky_action_prob=0.0)
    rng = np.random.default_rng(2)
    start = None
    for _ in range(20):
        speeds, sides = rng.integers(1, 6, 8), rng.choice([0.25, 0.49, 0.51, 0.75], 8)
        reference.inner.random = Cars(speeds, sides)
        reference.outer.reset()
        start = reference.get()
        directions = {
            int(np.sign(car[3])) * (1 if side > 0.5 else -1) for car, side in zip(start["cars"], sides, strict=True)
        }
        assert len(directions) == 1
        assert [[car[0], car[1], car[2], abs(car[3])] for car in start["cars"]] == [
            [0, i + 1, speeds[i], speeds[i]] for i in range(8)
        ]
    fresh = engine.reset(20000)
    assert (fresh["place"] == 0).all() and (fresh["timer"] == fresh["speed"]).all()
    rest = {"pos": 9, "move_timer": 3, "steps_left": 2500}
    assert all((fresh[name] == start["terminate_timer" if name == "steps_left" else name]).all() for name in rest)

    state = made_up("Freeway", start, rng) | {"pos": 1, "move_timer": 0, "terminate_timer": 9}
    reference.put(state)
    reference.inner.random = Cars([5] * 8, [0.9] * 8)
    assert reference.outer.act(2) == (1, False)
    crossed = np.full(20000, to_ours("Freeway", state))
    reward, terminated = engine.step(crossed, 2)
    assert (reward == 1).all() and not terminated.any() and (crossed["pos"] == 9).all()
    for lane, car in enumerate(reference.get()["cars"]):
        before = state["cars"][lane]
        assert car == [before[0], lane + 1, 4, 5]  # no car rests none: none has moved

    fit = Fit()
    for cars in (fresh, crossed):
        lane = [
            (cars["speed"] >> np.uint64(8 * i) & 255) * 2 + (cars["right"] >> np.uint64(8 * i) & 255) for i in range(8)
        ]
        for i in range(8):
            fit.add(*chosen(lane[i].astype(int), range(2, 12)))
            both = lane[i].astype(int) * 12 + lane[i - 1].astype(int)
            fit.add(*chosen(both, [a * 12 + b for a in range(2, 12) for b in range(2, 12)]))
    fit.check()


def test_sticky_actions():
    """The package repeats its last action if a draw is below the probability; before the first there is action 0."""
    reference = Reference("Breakout", sticky_action_prob=0.25)

    class Draw:
        def rand(self):
            return self.value

    reference.outer.random = draw = Draw()
    for value, played in ((0.2499, 0), (0.25, 3), (0.9, 1), (0.0, 1)):
        draw.value = value
        reference.outer.act({0: 5, 3: 3, 1: 1}[played] if value else 4)
        assert reference.outer.last_action == played

    engine = Engine("Breakout", sticky_action_prob=0.25)
    states = engine.reset(40000)
    assert (states["last_action"] == 0).all()
    previous = states["last_action"].copy()
    fit = Fit()
    for number, action in enumerate((3, 1, 3)):
        engine.step(states, action, seed=number)
        for before in np.unique(previous[previous != action]):
            now = states["last_action"][previous == before]
            fit.add(dict(collections.Counter(now.tolist())), {int(before): 0.25, action: 0.75})
        previous = states["last_action"].copy()
    fit.check()
    always = Engine("Breakout", sticky_action_prob=1.0)
    states = always.reset(9)
    always.step(states, 1)
    assert (states["pos"] == 4).all()


@pytest.mark.parametrize("game", ["Breakout", "SpaceInvaders"])
def test_whole_runs_of_a_pool(game):
    """Nothing is random but Breakout's reset, so that runs can be compared from end to end."""
    pool = envpool.make_gymnasium(f"MinAtar/{game}-v1", num_envs=8, sticky_action_prob=0.0)
    rng, ends, rewards = np.random.default_rng(3), 0, 0
    obs, _ = pool.reset()
    references = []
    for row in obs:
        reference = Reference(game)
        while not np.array_equal(reference.outer.state(), row):
            reference.outer.reset()
        references.append(reference)
    minimal = references[0].outer.minimal_action_set()
    alive = np.ones(8, bool)
    for _ in range(2000):
        actions = rng.integers(0, len(minimal), 8)
        if game == "Breakout" and rng.random() < 0.95:  # follow the ball, which loses no game
            ball = np.array([np.argwhere(reference.outer.state()[:, :, 1])[0][1] for reference in references])
            at = np.array([np.argwhere(reference.outer.state()[:, :, 0])[0][1] for reference in references])
            actions = np.where(ball < at, 1, np.where(ball > at, 2, 0))
        obs, reward, terminated, truncated, _ = pool.step(actions)
        for i in np.flatnonzero(alive):
            expected = references[i].outer.act(minimal[actions[i]])
            assert (reward[i], terminated[i]) == expected and not truncated[i]
            np.testing.assert_array_equal(obs[i], references[i].outer.state())
            rewards += reward[i]
            ends += terminated[i]
        alive &= ~terminated
        if not alive.any():
            break
    print(f"{rewards} rewards, {ends} ends")
    assert rewards > 30
    pool.close()


def test_a_whole_run_of_freeway():
    reference, engine = Reference("Freeway"), Engine("Freeway", sticky_action_prob=0.0)
    ours = np.full(1, to_ours("Freeway", reference.get()))
    rng, length = np.random.default_rng(4), 0
    terminated = [False]
    while not terminated[0]:
        action = int(rng.choice([0, 2, 2, 4]))
        action = 0 if crosses("Freeway", vars(reference.inner), action) else action
        expected = reference.outer.act(action)
        reward, terminated = engine.step(ours, action)
        assert (reward[0], terminated[0]) == expected
        assert of_ours("Freeway", ours[0]) == of_theirs("Freeway", reference.get())
        length += 1
    assert length == 2501


@pytest.mark.parametrize("game", ["Asterix", "SpaceInvaders", "Seaquest"])
def test_no_ramping(game):
    rng = np.random.default_rng(5)
    first = Reference(game).get()
    states = [made_up(game, first, rng) for _ in range(60)]
    if game == "Asterix":
        states = [state | {"ramp_timer": -1} for state in states]
    for state in states:
        state["ramping"] = False
        state |= {name: 1 for name in ("spawn_timer", "e_spawn_timer", "d_spawn_timer") if state.get(name) == 0}
    assert compare(game, states, difficulty_ramping=False) > 150


def test_lists_of_seaquest_are_long_enough():
    """The most that there can be: the fastest game, every row with enemies of one direction, nobody shoots."""
    reference = Reference("Seaquest")
    most = dict.fromkeys(SWIMMERS, 0)
    engine = Engine("Seaquest", sticky_action_prob=0.0)
    states = engine.reset(200)
    states["spawn_speed"], states["spawn_timer"], states["move_speed"], states["ramp_index"] = 1, 0, 2, 30
    rng = np.random.default_rng(6)
    for step in range(1500):
        states["oxygen"] = 200
        engine.step(states, np.where(rng.random(200) < 0.3, 5, 0), seed=step)
        for name in most:
            most[name] = max(most[name], int(states[name]["count"].max()))
    print(most)
    assert reference.inner.e_spawn_speed == 20
    capacity = {name: states.dtype[name]["at"].shape[0] for name in most}
    assert all(most[name] < capacity[name] for name in most), (most, capacity)


# ---- the ids ----


@pytest.mark.parametrize("game", GAMES)
def test_ids_are_the_packages(game):
    for version, minimal in (("v0", False), ("v1", True)):
        spec = envpool.make_spec(f"MinAtar/{game}-{version}")
        reference = minatar.Environment(NAMES[game])
        count = len(reference.minimal_action_set()) if minimal else reference.num_actions()
        assert spec.action_space.n == count
        assert spec.observation_space.shape == tuple(reference.state_shape())
        assert spec.config.max_episode_steps == 2**31 - 1  # none, as in gymnasium's registry
        pool = envpool.make_gymnasium(f"MinAtar/{game}-{version}")
        assert pool.reset()[0].dtype == bool
        pool.close()


@pytest.mark.parametrize("game", GAMES)
def test_minimal_actions(game):
    """The numbers of the minimal actions mean what they mean in the package."""
    actions = minatar.Environment(NAMES[game]).minimal_action_set()
    rng, first = np.random.default_rng(7), Reference(game).get()
    full, few = (Engine(game, sticky_action_prob=0.0, use_minimal_action_set=minimal) for minimal in (False, True))
    states = np.array([to_ours(game, made_up(game, first, rng)) for _ in range(50)])
    for number, action in enumerate(actions):
        one, other = states.copy(), states.copy()
        full.step(one, action)
        few.step(other, number)
        assert (one == other).all()


@pytest.mark.parametrize("game", GAMES)
def test_pictures(game):
    pool = envpool.make_gymnasium(f"MinAtar/{game}-v0", render_mode="rgb_array")
    pool.reset()
    for _ in range(12):  # until there is something
        pool.step(np.array([0]))
    picture = np.asarray(pool.render()).reshape(160, 160, 3)
    assert picture.shape == (160, 160, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) >= 3
    pool.close()


@pytest.mark.parametrize(
    ("options", "error", "word"),
    [
        ({"sticky_action_prob": 1.5}, ValueError, "sticky_action_prob"),
        ({"sticky_action_prob": -0.1}, ValueError, "sticky_action_prob"),
        ({"sticky_action_prob": float("nan")}, ValueError, "sticky_action_prob"),
        ({"sticky_action_prob": "often"}, TypeError, "sticky_action_prob"),
        ({"difficulty_ramping": 2}, TypeError, "difficulty_ramping"),
        ({"obs_dtype": "float64"}, ValueError, "obs_dtype"),
        ({"difficulty": 1}, TypeError, "difficulty"),
    ],
)
def test_bad_options(options, error, word):
    with pytest.raises(error, match=word):
        envpool.make_gymnasium("MinAtar/Breakout-v0", **options)


# ---- gymnax ----


def to_gymnax(game, states):
    """States of the package as a batch of gymnax's."""
    import jax.numpy as jnp

    module = importlib.import_module(f"gymnax.environments.minatar.{NAMES[game]}")

    def column(name):
        return jnp.array([state[name] for state in states], jnp.int32)

    zero = jnp.zeros(len(states), jnp.int32)
    parts = {"time": zero, "terminal": zero.astype(bool)}
    for name in module.EnvState.__dataclass_fields__:
        if name in states[0] and isinstance(states[0][name], int) and name != "terminal":
            parts[name] = column(name)
        elif name.endswith("_map"):
            parts[name] = jnp.array([state[name] for state in states], jnp.float32)
    if game == "Breakout":
        parts["strike"] = parts["strike"].astype(bool)
    elif game == "Asterix":
        empty = (0, 0, 0, 0, 0)
        parts["entities"] = jnp.array(
            [[(*e, 1) if e else empty for e in state["entities"]] for state in states], jnp.int32
        )
    elif game == "Freeway":
        parts["cars"] = column("cars")
    else:
        parts["ramping"] = parts["ramping"].astype(bool)
    return module.EnvState(**parts)


@pytest.mark.filterwarnings("ignore")  # gymnax mixes dtypes
@pytest.mark.parametrize("game", ["Asterix", "Breakout", "Freeway", "SpaceInvaders"])
def test_steps_are_those_of_gymnax(game):
    """Where gymnax follows MinAtar and nothing is random."""
    gymnax, jax = pytest.importorskip("gymnax"), pytest.importorskip("jax")
    env, params = gymnax.make(f"{game}-MinAtar")
    assert env.num_actions == envpool.make_spec(f"{game}-MinAtar").action_space.n
    assert params.max_steps_in_episode == envpool.make_spec(f"{game}-MinAtar").config.max_episode_steps
    rng, first = np.random.default_rng(8), Reference(game).get()
    states = [made_up(game, first, rng) for _ in range(3000)]
    for state in states:
        if game == "Asterix":
            state["spawn_timer"] = max(state["spawn_timer"], 1)
        elif game == "Freeway":
            state |= {"pos": max(state["pos"], 2), "terminate_timer": 99}
    batch = to_gymnax(game, states)
    actions = rng.integers(0, env.num_actions, len(states))
    keys = jax.random.split(jax.random.key(0), len(states))
    step = jax.jit(jax.vmap(env.step_env, (0, 0, 0, None)))
    obs, _, reward, done, _ = step(keys, batch, actions, params)
    engine = Engine(game, sticky_action_prob=0.0, use_minimal_action_set=True, obs_dtype="float32")
    ours = np.array([to_ours(game, state) for state in states])
    our_reward, our_done = engine.step(ours, actions)
    # In gymnax's SpaceInvaders a bullet meets the cannon where it was before it moved.
    comparable = np.array([game != "SpaceInvaders" or not state["e_bullet_map"][8].any() for state in states])
    assert comparable.sum() > 2000
    np.testing.assert_array_equal(engine.observe(ours), np.asarray(obs))
    np.testing.assert_array_equal(our_reward, np.asarray(reward))
    np.testing.assert_array_equal(our_done[comparable], np.asarray(done)[comparable])
