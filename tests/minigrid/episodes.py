# SPDX-License-Identifier: Apache-2.0
"""Runs the reference, records the numbers that it draws, and replays them to our environments."""

import contextlib
import ctypes
import io

import gymnasium
import minigrid  # noqa: F401  registers its ids
import numpy as np
from minigrid.core.constants import DIR_TO_VEC

from envpool.python.registry import find
from tests.support import libraries
from tests.support.capi import Calls, pointer

FAILURE = RecursionError  # the exception that the reference raises if it cannot place an object
DRAWN = np.dtype([("n", "u4"), ("value", "u4"), ("real", "f8")])
AGENT = np.dtype(
    [("steps", "i4"), ("x", "i4"), ("y", "i4"), ("direction", "i4"), ("carried", "u4"), ("mission_id", "i4")]
)


class Recorder:
    """Draws from a NumPy generator and records each number as our generators would draw it."""

    def __init__(self, generator):
        self.generator, self.drawn = generator, []

    def integers(self, low, high):
        value = self.generator.integers(low, high)
        self.drawn.append((high - low, value - low, 0))
        return value

    def uniform(self, low, high):
        assert (low, high) == (0, 1)
        value = self.generator.uniform(low, high)
        self.drawn.append((0, 0, value))
        return value

    def choice(self, numbers):
        value = self.generator.choice(numbers)
        self.drawn.append((len(numbers), numbers.index(value), 0))
        return value

    def shuffle(self, items):
        """Shuffles a list, and records the exchanges (from the last item to the second) that give the same order."""
        order = list(range(len(items)))
        self.generator.shuffle(order)
        items[:] = [items[i] for i in order]
        current = list(range(len(items)))
        for last in range(len(items) - 1, 0, -1):
            other = current.index(order[last])
            current[last], current[other] = current[other], current[last]
            self.drawn.append((last + 1, other, 0))

    def take(self):
        """Returns the numbers drawn since the last call."""
        drawn, self.drawn = np.array(self.drawn, DRAWN), []
        return drawn


class Reference:
    """The reference's environment with a given id."""

    def __init__(self, task_id, seed, **options):
        self.env = gymnasium.make(task_id, disable_env_checker=True, **options).unwrapped
        with contextlib.redirect_stdout(io.StringIO()):
            self.env.reset(seed=seed)
        self.recorder = self.env._np_random = Recorder(self.env.np_random)

    def reset(self):
        """Returns the first observation; None if no level could be made."""
        self.recorder.take()
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # the reference prints what it rejects
                return self.env.reset()[0]
        except FAILURE:
            return None

    def random_place(self, random):
        """Returns a position and direction for the agent, in a free cell that it could walk to through closed doors.

        There usually is an object or a door in front of the agent.
        """
        env, places, good = self.env, [], []
        reached = self._reached(("door", "key", "ball", "box"))
        # The doors of GoToDoor, which no agent can open, may lead out of the only room to the edge of the grid. There,
        # the reference fails if the agent moves forward.
        if any(env.grid.get(x, y) is None and not self._inside(x, y) for x, y in reached):
            reached = self._reached(("key", "ball", "box"))
        for x, y in sorted(reached):
            cell = env.grid.get(x, y)
            if not self._inside(x, y) or not (cell is None or cell.can_overlap()):
                continue
            for direction, (dx, dy) in enumerate(DIR_TO_VEC):
                front = env.grid.get(x + int(dx), y + int(dy))
                places.append((x, y, direction))
                if front is not None and front.type not in ("wall", "goal", "lava"):
                    good.append((x, y, direction))
        chosen = good if good and random.random() < 0.8 else places
        return chosen[random.integers(len(chosen))] if chosen else None

    def _inside(self, x, y):
        """Returns whether a cell is not at the edge of the grid."""
        return 0 < x < self.env.width - 1 and 0 < y < self.env.height - 1

    def _reached(self, kinds):
        """Returns the cells that the agent can reach through cells that are empty or have an object of these kinds."""
        env, reached, stack = self.env, set(), [tuple(map(int, self.env.agent_pos))]
        while stack:
            at = stack.pop()
            if at in reached or not (0 <= at[0] < env.width and 0 <= at[1] < env.height):
                continue
            cell = env.grid.get(*at)
            if cell is not None and cell.type not in kinds:
                continue
            reached.add(at)
            stack += [(at[0] + int(dx), at[1] + int(dy)) for dx, dy in DIR_TO_VEC]
        return reached


class Ours(Calls):
    """One environment of ours, with the options of an id.

    Args:
        task_id: the id.
        space: the space of the image that the options select, or None for their default.
        options: the options.
    """

    def __init__(self, task_id, space=None, **options):
        registration = find(task_id)
        super().__init__(
            ctypes.CDLL(libraries.library("minigrid_testing")),
            registration.table,
            **{**registration.defaults, **options},
        )
        view, words = options.get("agent_view_size", 7), options.get("mission_bytes", mission_bytes(task_id))
        self.state = np.zeros(self.call("stride", result=ctypes.c_int64), np.uint8)
        wide = options.get("observation") == "symbolic"
        image = np.zeros((1, *(space.shape if space else (view, view, 3))), np.int32 if wide else np.uint8)
        more = (np.zeros(1, np.int32), np.zeros((1, words), np.uint8))
        if options.get("image_only") or options.get("observation") == "flat":
            more = ()
        self.fields = (image, *more, np.zeros((1, 2), np.int32), np.zeros(1, np.int32))

    @property
    def agent(self):
        return self.state[: AGENT.itemsize].view(AGENT)[0]

    def move_agent(self, x, y, direction):
        agent = self.state[: AGENT.itemsize].view(AGENT)
        agent["x"], agent["y"], agent["direction"] = x, y, direction

    def reset(self, drawn):
        """Resets with these numbers. Returns how many were used, or -1 if the environment asked for other numbers."""
        arguments = pointer(self.state), pointer(drawn), ctypes.c_int64(len(drawn))
        return self.call("replay_reset", *arguments, result=ctypes.c_int64)

    def step(self, action, drawn):
        """Steps; returns how many numbers were used, the reward, and whether the episode is terminated or truncated."""
        reward, ends = np.zeros(1, np.float32), np.zeros(2, np.uint8)
        used = self.call(
            "replay_step",
            pointer(self.state),
            ctypes.c_int32(action),
            pointer(reward),
            pointer(ends),
            pointer(drawn),
            ctypes.c_int64(len(drawn)),
            result=ctypes.c_int64,
        )
        return used, reward[0], bool(ends[0]), bool(ends[1])

    def observe(self):
        """Returns the image, direction and mission, as far as they are observed, then agent_pos and mission_id."""
        places = (ctypes.c_void_p * len(self.fields))(*(field.ctypes.data for field in self.fields))
        self.call("observe", pointer(self.state), places, ctypes.c_int64(1))
        return tuple(field[0] for field in self.fields)


def mission_bytes(task_id):
    return 512 if task_id.startswith("BabyAI") else 96


def check_same(ours, reference, observation):
    image, direction, mission, position, _ = ours.observe()
    np.testing.assert_array_equal(image, observation["image"])
    assert direction == observation["direction"]
    assert bytes(mission).rstrip(b"\0").decode() == observation["mission"]
    np.testing.assert_array_equal(position, reference.env.agent_pos)


def compare(task_id, episodes, most_steps, seed, moves=0.1, ours_options=None, **options):
    """Compares whole episodes, and returns how many succeeded, failed, and were truncated.

    Before a step, the agent is moved elsewhere with a probability of `moves`, so that all rules are reached.
    """
    reference, ours = Reference(task_id, seed, **options), Ours(task_id, **{**options, **(ours_options or {})})
    random = np.random.default_rng(seed)
    actions = reference.env.action_space.n
    ends = np.zeros(3, int)
    for _ in range(episodes):
        observation = reference.reset()
        if observation is None:
            continue
        drawn = reference.recorder.take()
        assert ours.reset(drawn) == len(drawn)
        check_same(ours, reference, observation)
        for _ in range(most_steps):
            if random.random() < moves and (place := reference.random_place(random)) is not None:
                reference.env.agent_pos, reference.env.agent_dir = place[:2], place[2]
                ours.move_agent(*place)
            action = int(random.integers(actions)) if random.random() < 0.6 else min(2, actions - 1)
            with contextlib.redirect_stdout(io.StringIO()):
                observation, reward, terminated, truncated, _ = reference.env.step(action)
            drawn = reference.recorder.take()
            assert ours.step(action, drawn) == (len(drawn), np.float32(reward), terminated, truncated)
            check_same(ours, reference, observation)
            if terminated or truncated:
                ends += (reward > 0, terminated and reward <= 0, truncated)
                break
    return ends
