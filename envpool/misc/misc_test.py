# SPDX-License-Identifier: Apache-2.0
"""gymnax's miscellaneous environments against gymnax 0.0.9: steps from equal states, what is random, whole episodes.

What needs no pool goes through testing/functions.h, which calls an environment's functions on arrays of states.
"""

import collections
import ctypes
import functools
import itertools
import warnings

import gymnasium
import numpy as np
import pytest
from scipy import special, stats

import envpool
import envpool.jax
from envpool.testing import libraries
from envpool.testing.capi import Functions, pointer

jax = pytest.importorskip("jax")
gymnax = pytest.importorskip("gymnax")
jnp = jax.numpy

IDS = {
    "BernoulliBandit-misc": 100,
    "FourRooms-misc": 500,
    "GaussianBandit-misc": 100,
    "MetaMaze-misc": 200,
    "PointRobot-misc": 100,
    "Pong-misc": 1000,
    "Reacher-misc": 100,
    "Swimmer-misc": 500,
}
UNFUSED = {"xla_backend_optimization_level": 0}
SMALLEST_P = 1e-3  # of each test of a distribution; seeds are fixed, so what passes once passes always


def state_of(name, joints=2, urchins=5):
    """An environment's State as it lies in memory, its parts named as gymnax names them."""
    last = [("last_action", "i4"), ("last_reward", "f4"), ("time", "i4")]
    return np.dtype(
        {
            "BernoulliBandit": [
                ("reward_probs", "f4", 2),
                ("last_reward", "f4"),
                ("last_action", "i4"),
                ("time", "i4"),
            ],
            "FourRooms": [("pos", "i4", 2), ("goal", "i4", 2)],
            "GaussianBandit": [("mu", "f4"), ("last_reward", "f4"), ("last_action", "i4"), ("time", "i4")],
            "MetaMaze": [("pos", "i4", 2), ("goal", "i4", 2), *last],
            "PointRobot": [("pos", "f4", 2), ("goal", "f4", 2), ("last_action", "f4", 2), ("last_reward", "f4")]
            + [("goals_reached", "i4"), ("time", "i4")],
            "Pong": [("paddle_centers", "i4", 2)]
            + [(part, "f4", 2) for part in ("ball_position", "last_ball_position", "ball_velocity")],
            "Reacher": [("goal_xy", "f4", 2), ("angles", "f4", joints), ("angle_vels", "f4", joints)]
            + [("cos", "f4", joints), ("sin", "f4", joints)],
            "Swimmer": [("xy", "f4", 2), ("xy_vel", "f4", 2), ("goal_xy", "f4", 2), ("urchin_xys", "f4", (urchins, 2))],
        }[name]
    )


class Engine(Functions):
    """One environment's functions, on arrays of states."""

    def __init__(self, library, name, **options):
        state = state_of(name, options.get("num_joints", 2), options.get("num_urchins", 5))
        super().__init__(library, name, state, **options)
        spec = envpool.make_spec(f"{name}-misc", **options)
        self.observation_space, self.action_space = spec.observation_space, spec.action_space

    def step(self, states, actions, seed=0):
        space = self.action_space
        actions = np.broadcast_to(np.asarray(actions, space.dtype), (len(states), *space.shape))
        return super().step(states, actions, seed)

    def observe(self, states):
        obs = np.full((len(states), *self.observation_space.shape), np.nan, np.float32)
        self.observe_into(states, obs)
        return obs


@pytest.fixture(scope="module")
def library():
    return ctypes.CDLL(libraries.library("misc_testing"))


class Reference:
    """gymnax's environment on arrays of states; `params` replace its defaults.

    XLA fuses products with sums, unless `fused` is False.
    """

    def __init__(self, task_id, params=None, fused=False, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.env, default = gymnax.make(task_id, **options)
        self.params = default.replace(**(params or {}))
        self.first = self.env.reset_env(jax.random.key(0), self.params)[1]
        self.jitted = jax.jit(jax.vmap(self.env.step_env, (0, 0, 0, None)), compiler_options=None if fused else UNFUSED)

    def states(self, **parts):
        """States of these parts; the others are those of a first state."""
        count = len(next(iter(parts.values())))
        first = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *np.shape(leaf))), self.first)
        return first.replace(
            **{name: jnp.asarray(part).astype(jnp.asarray(getattr(first, name)).dtype) for name, part in parts.items()}
        )

    def reset(self, count, seed=0):
        keys = jax.random.split(jax.random.key(seed), count)
        return jax.jit(jax.vmap(self.env.reset_env, (0, None)), compiler_options=UNFUSED)(keys, self.params)

    def step(self, states, actions, seed=0):
        """obs, state, reward and done."""
        keys = jax.random.split(jax.random.key(seed), len(actions))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 0.0.9's Pong writes floats into an array of ints
            obs, state, reward, done, _ = self.jitted(keys, states, jnp.asarray(actions), self.params)
        return np.asarray(obs), state, np.asarray(reward), np.asarray(done)

    def observe(self, states):
        return np.asarray(jax.vmap(lambda state: self.env.get_obs(state, self.params))(states))


def put(engine, **parts):
    """Our states of these parts, the others 0."""
    states = np.zeros(len(next(iter(parts.values()))), engine.state)
    for name, part in parts.items():
        states[name] = part
    return states


def parts_of(states, names):
    """gymnax's states as arrays by name."""
    return {name: np.asarray(getattr(states, name)) for name in names}


def ulps(ours, theirs):
    """Largest difference in units of the last place of the larger one."""
    ours, theirs = np.float64(ours), np.float64(theirs)
    unit = np.spacing(np.maximum(np.abs(ours), np.abs(theirs)).astype(np.float32))
    return float(np.max(np.abs(ours - theirs) / unit)) if ours.size else 0.0


def check_observations(engine, reference, states, time=None):
    """Ours are gymnax's of the same states. A scaled time is next to it: XLA multiplies by 1 / 100, we divide."""
    names = [name for name in states.dtype.names if hasattr(reference.first, name)]
    ours, theirs = engine.observe(states), reference.observe(reference.states(**{n: states[n] for n in names}))
    assert ours.shape == theirs.shape
    if time is not None:
        np.testing.assert_allclose(ours[:, time], theirs[:, time], rtol=2e-7, atol=1.2e-7)
        ours, theirs = np.delete(ours, time, 1), np.delete(theirs, time, 1)
    np.testing.assert_array_equal(ours, theirs)


# ---- steps from equal states: motion and pictures ----

COUNT = 4000


@functools.cache
def swimmers(urchins):
    rng = np.random.default_rng(urchins)
    shapes = {"urchin_xys": (urchins, 2), "xy": (2,), "xy_vel": (2,), "goal_xy": (2,)}
    return {name: rng.uniform(-1.5, 1.5, (COUNT, *shape)).astype("f4") for name, shape in shapes.items()}


@functools.cache
def reachers():
    rng = np.random.default_rng(1)
    return {
        "angles": rng.uniform(-10, 10, (COUNT, 2)).astype("f4"),
        "angle_vels": rng.uniform(-5, 5, (COUNT, 2)).astype("f4"),
        "goal_xy": rng.uniform(-2, 2, (COUNT, 2)).astype("f4"),
    }


@functools.cache
def robots():
    rng = np.random.default_rng(2)
    return {
        "pos": rng.uniform(-1, 1, (COUNT, 2)).astype("f4"),
        "goal": rng.uniform(-1, 1, (COUNT, 2)).astype("f4"),
        "goals_reached": rng.integers(0, 5, COUNT),
        "time": rng.integers(0, 99, COUNT),
    }


def pushes(scale=1.5):
    return np.random.default_rng(3).uniform(-scale, scale, (COUNT, 2)).astype("f4")


# sin, cos and exp are gymnax's but for 2 ulps or so of their own results, which are at most 1: hence 2e-7 of what is
# made of them. Jitted, XLA fuses products with sums, and a step from states of size 10 is off by 2e-6.
ROUNDING, FUSED = 2e-7, 2e-6


@pytest.mark.parametrize("fused", [False, True], ids=["exact", "fused"])
@pytest.mark.parametrize(("urchins", "dt"), [(5, 0.05), (1, 0.05), (9, 0.3)])
def test_swimmer_is_gymnaxs(library, urchins, dt, fused):
    engine = Engine(library, "Swimmer", num_urchins=urchins, dt=dt)
    reference = Reference("Swimmer-misc", {"dt": dt}, fused, num_urchins=urchins)
    parts = swimmers(urchins)
    states, actions = put(engine, **parts), pushes()
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, _ = reference.step(reference.states(**parts), actions)
    assert not ends.any()
    for name, theirs in parts_of(after, parts).items():
        np.testing.assert_allclose(states[name], theirs, rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(engine.observe(states), obs, rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(rewards, their_rewards, rtol=0, atol=FUSED if fused else ROUNDING)


@pytest.mark.parametrize("fused", [False, True], ids=["exact", "fused"])
@pytest.mark.parametrize("params", [{}, {"torque_scale": 2.5, "dt": 0.1}], ids=str)
def test_reacher_is_gymnaxs(library, params, fused):
    engine, reference = Engine(library, "Reacher", **params), Reference("Reacher-misc", params, fused)
    parts = reachers()
    states, actions = put(engine, **parts), pushes()
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, _ = reference.step(reference.states(**parts), actions)
    assert not ends.any()
    for name, theirs in parts_of(after, parts).items():
        np.testing.assert_allclose(states[name], theirs, rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(engine.observe(states)[:, :4], obs[:, :4], rtol=0, atol=FUSED if fused else ROUNDING)
    np.testing.assert_allclose(engine.observe(states)[:, 4:], obs[:, 4:], rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(rewards, their_rewards, rtol=0, atol=FUSED if fused else 2 * ROUNDING)


def test_reacher_of_other_arms(library):
    """gymnax cannot make them, so this is written out in double precision."""
    for joints in (1, 3, 7):
        engine, rng = Engine(library, "Reacher", num_joints=joints), np.random.default_rng(joints)
        states = engine.reset(500, seed=joints)
        before, actions = states.copy(), rng.uniform(-1, 1, (500, joints)).astype("f4")
        rewards, _ = engine.step(states, actions)
        velocities = before["angle_vels"] + 0.05 * actions.astype(float)
        angles = before["angles"] + 0.05 * velocities
        end = np.stack([np.cos(angles).sum(1), np.sin(angles).sum(1)], 1)
        expected = np.exp(-((end - before["goal_xy"]) ** 2).sum(1))
        np.testing.assert_allclose(rewards, expected, rtol=0, atol=1e-5)
        obs = np.concatenate([np.cos(angles), np.sin(angles), velocities, before["goal_xy"]], 1)
        np.testing.assert_allclose(engine.observe(states), obs, rtol=0, atol=2e-6)


@pytest.mark.parametrize("fused", [False, True], ids=["exact", "fused"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"dense_reward": True, "max_force": 0.75, "goal_radius": 0.5},
        {"circle_radius": 2.5, "center_init": True, "normalize_time": False},
    ],
    ids=str,
)
def test_point_robot_is_gymnaxs(library, params, fused):
    engine, reference = Engine(library, "PointRobot", **params), Reference("PointRobot-misc", params, fused)
    parts = robots()
    states, actions = put(engine, **parts), pushes(0.9)
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, _ = reference.step(reference.states(**parts), actions)
    assert not ends.any()
    reached = states["goals_reached"] > parts["goals_reached"]
    assert 20 < reached.sum() < COUNT - 20
    np.testing.assert_array_equal(states["goals_reached"], after.goals_reached)
    np.testing.assert_array_equal(states["last_action"], actions)
    there = ~reached | params.get("center_init", False)  # elsewhere a new start is drawn
    np.testing.assert_array_equal(states["pos"][there], np.asarray(after.pos)[there])
    assert (np.hypot(*states["pos"][reached].T) <= params.get("circle_radius", 1) * 1.000001).all()
    np.testing.assert_allclose(rewards, their_rewards, rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(engine.observe(states)[there], obs[there], rtol=0, atol=FUSED if fused else 1.2e-7)
    check_observations(engine, reference, states, time=5)


def rallies(engine, seed=0):
    """Games anywhere, some impossible, as parts of gymnax's states."""
    height, width, _ = engine.observation_space.shape
    half, rng = 2 if height > 8 else 1, np.random.default_rng(seed)
    row, column = height / 2 % 1, width / 2 % 1
    place = lambda: np.stack(  # noqa: E731
        [rng.integers(-4, height + 4, COUNT) + row, rng.integers(-1, width + 2, COUNT) + column], 1
    )
    near = rng.random(COUNT) < 0.7  # next to a paddle
    balls = place()
    balls[near, 1] = np.where(rng.random(near.sum()) < 0.5, rng.integers(0, 4), width - rng.integers(1, 5)) + column
    paddles = rng.integers(half, height - half, (COUNT, 2))
    balls[near, 0] = paddles[near, rng.integers(0, 2)] + rng.integers(-4, 5, near.sum()) + row
    velocity = np.stack([rng.integers(-3, 4, COUNT), rng.choice([-2, -1, 1, 2], COUNT)], 1)
    return {
        "paddle_centers": paddles,
        "ball_position": balls,
        "last_ball_position": place(),
        "ball_velocity": velocity,
    }


GAMES = [
    ({}, {}),
    ({"width": 12, "height": 9, "paddle_half_height": 2}, {"ball_max_y_speed": 2, "paddle_y_speed": 2}),
    ({"width": 5, "height": 6, "paddle_half_height": 1}, {"use_ai_policy": False, "paddle_y_speed": 3}),
]


@pytest.mark.parametrize("rounding", ["towards_zero", "nearest"])
@pytest.mark.parametrize(("options", "params"), GAMES, ids=str)
def test_pong_is_gymnaxs(library, options, params, rounding):
    """0.0.9 cuts the ball's speed by writing it into an array of ints. Given floats it leaves it, for us to round."""
    engine = Engine(library, "Pong", rounding=rounding, **options, **params)
    reference = Reference("Pong-misc", params, **options)
    if rounding == "nearest":
        reference.first = reference.first.replace(ball_velocity=jnp.zeros(2, jnp.float32))
    parts = rallies(engine)
    for action in range(3):
        states = put(engine, **parts)
        rewards, ends = engine.step(states, action)
        obs, after, their_rewards, done = reference.step(reference.states(**parts), np.full(COUNT, action))
        expected = parts_of(after, parts)
        if rounding == "nearest":
            expected["ball_velocity"] = np.round(expected["ball_velocity"])
        assert (expected["ball_velocity"] != parts["ball_velocity"]).any(1).sum() > COUNT / 20
        for name, theirs in expected.items():
            np.testing.assert_array_equal(states[name], theirs, name)
        np.testing.assert_array_equal(ends, done)
        assert 20 < done.sum() < COUNT - 20
        np.testing.assert_array_equal(rewards, their_rewards)
        np.testing.assert_array_equal(engine.observe(states), obs)
    first = engine.reset(1)
    np.testing.assert_array_equal(engine.observe(first)[0], reference.reset(1)[0][0])


def test_pong_with_an_upper_edge(library):
    open_game, closed = Engine(library, "Pong"), Engine(library, "Pong", reflect_top=True)
    parts = rallies(open_game)
    ours, theirs = put(open_game, **parts), put(closed, **parts)
    open_game.step(ours, 0)
    closed.step(theirs, 0)
    above = parts["ball_position"][:, 0] + parts["ball_velocity"][:, 0] < 0
    assert above.any()
    np.testing.assert_array_equal(ours[~above], theirs[~above])
    np.testing.assert_array_equal(
        theirs["ball_position"][above, 0], -(parts["ball_position"] + parts["ball_velocity"])[above, 0]
    )


# ---- steps from equal states: mazes ----


def all_of(cells, actions=4):
    """Every cell with every goal and every action."""
    cases = list(itertools.product(cells, cells, range(actions)))
    return {"pos": np.array([case[0] for case in cases]), "goal": np.array([case[1] for case in cases])}, np.array(
        [case[2] for case in cases]
    )


@pytest.mark.parametrize(
    ("maze_size", "rf_size", "params"),
    [
        (9, 3, {}),
        (7, 3, {"punishment": -0.5, "reward": 3.0, "normalize_time": True}),
        (5, 7, {"punishment": 0.25}),
        (1, 3, {}),
        (3, 5, {}),
    ],
)
def test_meta_maze_is_gymnaxs(library, maze_size, rf_size, params):
    engine = Engine(library, "MetaMaze", maze_size=maze_size, rf_size=rf_size, **params)
    reference = Reference("MetaMaze-misc", params, maze_size=maze_size, rf_size=rf_size)
    cells = np.asarray(reference.env.coords).tolist()
    parts, actions = all_of(cells)
    parts |= {"time": np.arange(len(actions)) % 199}
    states = put(engine, **parts)
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, _ = reference.step(reference.states(**parts), actions)
    np.testing.assert_array_equal(rewards, their_rewards)
    for name in ("goal", "last_action", "last_reward", "time"):
        np.testing.assert_array_equal(states[name], getattr(after, name), name)
    reached = their_rewards > params.get("reward", 10) / 2
    assert reached.any()
    np.testing.assert_array_equal(states["pos"][~reached], np.asarray(after.pos)[~reached])
    # Its own end: on the goal after having been put somewhere.
    np.testing.assert_array_equal(ends, (states["pos"] == states["goal"]).all(1) & reached)
    check_observations(engine, reference, states, time=rf_size**2 + 5)
    # Where it is put: any cell, whatever the goal.
    start = np.repeat(np.flatnonzero(reached)[:1], 40000)
    again = put(engine, pos=parts["pos"][start], goal=parts["goal"][start])
    _, ends = engine.step(again, actions[start[0]], seed=3)
    check_uniform(map(tuple, again["pos"].tolist()), map(tuple, cells))
    assert ends.mean() == pytest.approx(1 / len(cells), rel=0.2)


def test_meta_maze_starts_in_the_middle(library):
    for maze_size, rf_size in itertools.product((1, 5, 7, 9), (3, 5, 9)):
        engine = Engine(library, "MetaMaze", maze_size=maze_size, rf_size=rf_size)
        reference = Reference("MetaMaze-misc", maze_size=maze_size, rf_size=rf_size)
        states = engine.reset(5000)
        middle = len(reference.env.env_map) // 2
        assert (states["pos"] == middle).all()
        assert rf_size != 3 or (np.asarray(reference.env.center_position) == middle).all()
        assert not any(states[name].any() for name in ("last_action", "last_reward", "time"))
        check_uniform(map(tuple, states["goal"].tolist()), map(tuple, np.asarray(reference.env.coords).tolist()))


@pytest.mark.parametrize("visual", [False, True])
def test_four_rooms_are_gymnaxs(library, visual):
    engine = Engine(library, "FourRooms", fail_prob=0.0, use_visual_obs=visual)
    reference = Reference("FourRooms-misc", {"fail_prob": 0.0}, use_visual_obs=visual)
    parts, actions = all_of(np.asarray(reference.env.coords).tolist())
    assert len(actions) == 104 * 104 * 4
    chosen = slice(None, None, 7) if visual else slice(None)
    parts, actions = {name: part[chosen] for name, part in parts.items()}, actions[chosen]
    states = put(engine, **parts)
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, done = reference.step(reference.states(**parts), actions)
    for name in parts:
        np.testing.assert_array_equal(states[name], getattr(after, name))
    np.testing.assert_array_equal(rewards, their_rewards)
    np.testing.assert_array_equal(ends, done)
    ours = engine.observe(states)
    if visual:  # theirs is drawn at (column, row)
        ours = np.stack([ours[..., 0], ours[..., 1].swapaxes(1, 2)], -1)
    np.testing.assert_array_equal(ours, obs)


def test_four_rooms_shows_the_agent_where_it_is(library):
    engine = Engine(library, "FourRooms", use_visual_obs=True, resample_init_pos=True)
    states = engine.reset(300)
    walls, agent = np.moveaxis(engine.observe(states), 3, 0)
    np.testing.assert_array_equal(np.argwhere(agent)[:, 1:], states["pos"])
    assert not (walls * agent).any()


# ---- what is random ----


def check_uniform(seen, possible):
    counts = collections.Counter(seen)
    possible = list(possible)
    assert set(counts) <= set(possible)
    pvalue = stats.chisquare([counts[outcome] for outcome in possible]).pvalue if len(possible) > 1 else 1.0
    assert pvalue > SMALLEST_P


def check_same(ours, theirs):
    """Two samples of numbers of one distribution."""
    assert stats.ks_2samp(np.ravel(ours), np.ravel(theirs)).pvalue > SMALLEST_P


@pytest.mark.parametrize("fail_prob", [0.0, 1 / 3, 0.5, 0.75])
def test_four_rooms_moves_fail_as_gymnaxs(library, fail_prob):
    engine, count = Engine(library, "FourRooms", fail_prob=fail_prob), 20000
    reference = Reference("FourRooms-misc", {"fail_prob": fail_prob})
    parts = {"pos": np.full((count, 2), 3), "goal": np.full((count, 2), 9)}
    for action in range(4):
        states = put(engine, **parts)
        engine.step(states, action, seed=action)
        seen = collections.Counter(map(tuple, states["pos"].tolist()))
        around = [(2, 3), (3, 4), (4, 3), (3, 2)]
        chances = [1 - fail_prob if a == action else fail_prob / 3 for a in range(4)]
        assert set(seen) <= {cell for cell, chance in zip(around, chances, strict=True) if chance}
        kept = [i for i in range(4) if chances[i]]
        if len(kept) > 1:
            expected = [count * chances[i] for i in kept]
            assert stats.chisquare([seen[around[i]] for i in kept], expected).pvalue > SMALLEST_P
        _, after, _, _ = reference.step(reference.states(**parts), np.full(count, action))
        theirs = collections.Counter(map(tuple, np.asarray(after.pos).tolist()))
        if len(kept) > 1:
            table = [[counter[around[i]] for i in kept] for counter in (seen, theirs)]
            assert stats.chi2_contingency(table).pvalue > SMALLEST_P


@pytest.mark.parametrize("params", [{"resample_init_pos": p, "resample_goal_pos": g} for p in (0, 1) for g in (0, 1)])
def test_four_rooms_resets_as_gymnaxs(library, params):
    params = {name: bool(value) for name, value in params.items()}
    fixed = {"goal_fixed_row": 3, "goal_fixed_column": 6, "pos_fixed_row": 11, "pos_fixed_column": 11}
    engine = Engine(library, "FourRooms", **params, **fixed)
    reference = Reference("FourRooms-misc", params, goal_fixed=[3, 6], pos_fixed=[11, 11])
    cells = [tuple(cell) for cell in np.asarray(reference.env.coords).tolist()]
    states = engine.reset(60000)
    pos, goal = ([*map(tuple, states[name].tolist())] for name in ("pos", "goal"))
    check_uniform(goal, cells if params["resample_goal_pos"] else [(3, 6)])
    if not params["resample_init_pos"]:
        assert set(pos) == {(11, 11)}
    elif params["resample_goal_pos"]:
        assert not any(p == g for p, g in zip(pos, goal, strict=True))
        check_uniform(pos, cells)
    else:
        check_uniform(pos, [cell for cell in cells if cell != (3, 6)])
    _, theirs = reference.reset(20000)
    assert {*map(tuple, np.asarray(theirs.goal).tolist())} == set(goal)
    assert {*map(tuple, np.asarray(theirs.pos).tolist())} == set(pos)


def test_quantiles_of_the_normal_distribution(library):
    x = np.float32(np.arange(1 - 2**24, 2**24, 34) / 2**24)
    x[:200], x[-200:] = np.float32(-1) + np.arange(1, 201) / 2**24, np.float32(1) - np.arange(200, 0, -1) / 2**24
    ours = np.empty_like(x)
    library.normal_quantiles(pointer(x), pointer(ours), ctypes.c_int64(len(x)))
    np.testing.assert_allclose(ours, np.sqrt(2) * special.erfinv(x.astype(float)), rtol=1e-6)


def test_normal_numbers(library):
    drawn = np.empty(400000, np.float32)
    library.normals(ctypes.c_uint64(7), pointer(drawn), ctypes.c_int64(len(drawn)))
    assert stats.kstest(drawn, "norm").pvalue > SMALLEST_P
    assert stats.chisquare(np.histogram(stats.norm.cdf(drawn), 1000, (0, 1))[0]).pvalue > SMALLEST_P
    # The far ends, and that neighbours are independent.
    beyond = np.abs(drawn) > 4
    assert stats.binomtest(int(beyond.sum()), len(drawn), 2 * stats.norm.sf(4)).pvalue > SMALLEST_P
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 4 / np.sqrt(len(drawn))


@pytest.mark.parametrize("chance", [0.1, 0.0, 0.5, 0.75])
def test_bernoulli_bandit_is_gymnaxs(library, chance):
    engine, count = Engine(library, "BernoulliBandit", reward_prob=chance), 20000
    reference = Reference("BernoulliBandit-misc", {"reward_prob": chance})
    states = engine.reset(count)
    _, theirs = jax.jit(lambda key: jax.vmap(reference.env.reset_env, (0, None))(key, reference.params))(
        jax.random.split(jax.random.key(0), 100)
    )
    arms = {tuple(pair) for pair in np.asarray(theirs.reward_probs).tolist()}
    np.testing.assert_allclose(sorted(arms), sorted({*map(tuple, states["reward_probs"].tolist())}), atol=6e-8)
    check_uniform(states["reward_probs"][:, 0].tolist(), {*states["reward_probs"][:, 0].tolist()})
    for arm in range(2):
        after = states.copy()
        rewards, ends = engine.step(after, arm, seed=arm)
        assert not ends.any()
        assert (after["last_action"] == arm).all() and (after["time"] == 1).all()
        np.testing.assert_array_equal(after["last_reward"], rewards)
        for pays in np.unique(states["reward_probs"][:, arm]):
            of = rewards[states["reward_probs"][:, arm] == pays]
            assert set(of.tolist()) <= {0.0, 1.0}
            assert stats.binomtest(int(of.sum()), len(of), min(float(pays), 1)).pvalue > SMALLEST_P
    check_observations(engine, reference, after, time=3)


@pytest.mark.parametrize(
    "time", [{}, {"normalize_time": False}, {"min_lim": 0.5, "max_lim": -3.0, "t_max": 7}], ids=str
)
def test_what_a_bandit_sees(library, time):
    for name in ("BernoulliBandit", "GaussianBandit"):
        if name == "GaussianBandit" and "t_max" in time:
            continue
        engine, reference = Engine(library, name, **time), Reference(f"{name}-misc", time)
        cases = list(itertools.product((0, 1), (0.0, 1.0), range(100)))
        parts = {part: np.array([case[i] for case in cases]) for i, part in enumerate(("last_action", "last_reward"))}
        states = put(engine, time=np.array([case[2] for case in cases]), **parts)
        if "t_max" in time:
            np.testing.assert_allclose(
                engine.observe(states)[:, 3], -3.5 / 7 * states["time"] + 0.5, rtol=1e-6, atol=1e-6
            )
        else:
            check_observations(engine, reference, states, time=3)
        assert all(engine.observation_space.contains(row) for row in engine.observe(states))


@pytest.mark.parametrize("params", [{}, {"mean_mu": 3.0, "sigma_p": 0.5, "sigma_l": 2.0}], ids=str)
def test_gaussian_bandit_is_gymnaxs(library, params):
    engine, reference = Engine(library, "GaussianBandit", **params), Reference("GaussianBandit-misc", params)
    mean, between, within = ({"mean_mu": -1.0, "sigma_p": 1.0, "sigma_l": 0.1} | params).values()
    states, count = engine.reset(30000), 30000
    assert stats.kstest(states["mu"], stats.norm(mean, between).cdf).pvalue > SMALLEST_P
    check_same(states["mu"], reference.reset(count)[1].mu)
    safe = states.copy()
    assert not engine.step(safe, 0)[0].any()
    assert not safe["last_action"].any()
    after = states.copy()
    rewards, ends = engine.step(after, 1)
    assert not ends.any() and (after["last_action"] == 1).all()
    np.testing.assert_array_equal(after["last_reward"], rewards)
    assert stats.kstest((rewards - states["mu"]) / within, "norm").pvalue > SMALLEST_P
    _, _, theirs, _ = reference.step(reference.states(mu=states["mu"]), np.ones(count, int))
    check_same(rewards - states["mu"], theirs - states["mu"])
    check_observations(engine, reference, after, time=3)


@pytest.mark.parametrize("params", [{}, {"circle_radius": 3.0}, {"center_init": True}], ids=str)
def test_point_robot_starts_as_gymnaxs(library, params):
    engine, reference = Engine(library, "PointRobot", **params), Reference("PointRobot-misc", params)
    states, (_, theirs) = engine.reset(20000), reference.reset(20000)
    radius = params.get("circle_radius", 1)
    np.testing.assert_allclose(np.hypot(*states["goal"].T), radius, rtol=3e-7)
    assert stats.kstest(np.arctan2(*states["goal"].T[::-1]) / np.pi, "uniform").pvalue > SMALLEST_P
    for axis in range(2):
        check_same(states["goal"][:, axis], np.asarray(theirs.goal)[:, axis])
    again = put(engine, pos=np.zeros((20000, 2)), goal=np.zeros((20000, 2)))  # on the goal: a new start
    engine.step(again, np.zeros((20000, 2)))
    assert (again["goals_reached"] == 1).all()
    for starts in (states["pos"], again["pos"]):
        if params.get("center_init"):
            assert not starts.any()
            continue
        assert stats.kstest(np.hypot(*starts.T) / radius, "uniform").pvalue > SMALLEST_P
        assert stats.kstest(np.arctan2(*starts.T[::-1]) / np.pi, "uniform").pvalue > SMALLEST_P
        for axis in range(2):
            check_same(starts[:, axis], np.asarray(theirs.pos)[:, axis])


@pytest.mark.parametrize("name", ["Reacher", "Swimmer"])
def test_motion_starts_as_gymnaxs(library, name):
    engine, reference = Engine(library, name), Reference(f"{name}-misc")
    states, (_, theirs) = engine.reset(20000), reference.reset(20000)
    columns = []
    for part in (name for name in states.dtype.names if name not in ("cos", "sin")):
        ours, reference_part = states[part].reshape(20000, -1), np.asarray(getattr(theirs, part)).reshape(20000, -1)
        assert ours.shape == reference_part.shape
        for column in range(ours.shape[1]):
            if part == "xy_vel":
                assert not ours.any() and not reference_part.any()
                continue
            check_same(ours[:, column], reference_part[:, column])
            columns.append(ours[:, column])
    correlation = np.corrcoef(columns) - np.eye(len(columns))
    assert np.abs(correlation).max() < 4.5 / np.sqrt(20000)


# ---- whole episodes through the pool ----


def episode(pool, actions):
    """Observations, rewards and ends of the only environment, until its episode ends."""
    for action in actions:
        obs, reward, terminated, truncated, _ = pool.step(np.asarray(action)[None])
        yield obs[0], reward[0], bool(terminated[0]), bool(truncated[0])
        if terminated[0] or truncated[0]:
            return


@pytest.mark.parametrize(
    ("task_id", "ours", "params"),
    [
        (
            "FourRooms-misc",
            {"fail_prob": 0.0, "resample_init_pos": True, "resample_goal_pos": True},
            {"fail_prob": 0.0},
        ),
        ("Pong-misc", {"rounding": "towards_zero"}, {}),
        ("Pong-misc", {"rounding": "towards_zero", "use_ai_policy": False}, {"use_ai_policy": False}),
        ("Swimmer-misc", {}, {}),
    ],
    ids=str,
)
def test_episodes_are_gymnaxs(task_id, ours, params):
    """All that is not drawn at the reset follows from it. gymnax ends at the time limit as if it were an end."""
    reference, limit = Reference(task_id, params), IDS[task_id]
    step = jax.jit(reference.env.step_env, compiler_options=UNFUSED)
    rng, lengths = np.random.default_rng(0), []
    with envpool.make_gymnasium(task_id, num_envs=1, seed=3, **ours) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            first = pool.reset()[0][0]
            state = reference.first
            if task_id == "FourRooms-misc":
                state = state.replace(pos=first[:2].astype("i4"), goal=first[2:].astype("i4"))
            if task_id == "Swimmer-misc":
                urchins, (xy, velocity, goal) = first[:10].reshape(5, 2), first[10:].reshape(3, 2)
                state = state.replace(urchin_xys=urchins, xy=xy, xy_vel=velocity, goal_xy=goal)
            if task_id == "Pong-misc":  # keeps near the ball
                actions = itertools.repeat(None)
            elif task_id == "Swimmer-misc":
                actions = rng.uniform(-1, 1, (limit, 2)).astype("f4")
            else:
                actions = rng.integers(0, 4, limit)
            length, last = 0, first
            for action in actions:
                if action is None:
                    ball, paddle = np.argwhere(last[..., 1])[0, 0], np.argwhere(last[:, 0, 0]).mean()
                    action = int(rng.choice([2 if ball > paddle else 1, 0, 1, 2], p=[0.85, 0.05, 0.05, 0.05]))
                ((last, reward, terminated, truncated),) = episode(pool, [action])
                obs, state, their_reward, done, _ = step(
                    jax.random.key(0), state, jnp.asarray(action), reference.params
                )
                length += 1
                np.testing.assert_allclose(last, obs, rtol=0, atol=2e-4 if task_id == "Swimmer-misc" else 0)
                assert truncated == (length == limit)
                assert (terminated or truncated) == bool(done)
                if not (truncated and task_id == "Pong-misc"):
                    assert abs(reward - float(their_reward)) <= (2e-4 if task_id == "Swimmer-misc" else 0)
                if terminated or truncated:
                    break
            lengths.append(length)
    print(task_id, lengths)
    assert max(lengths) > 20


# ---- ids and options ----

CONSTRUCTORS = {
    "FourRooms-misc": {"use_visual_obs": False, "goal_fixed": [8, 9], "pos_fixed": [4, 1]},
    "MetaMaze-misc": {"maze_size": 9, "rf_size": 3},
    "Pong-misc": {"width": 40, "height": 30, "paddle_half_height": 2},
    "Reacher-misc": {"num_joints": 2},
    "Swimmer-misc": {"num_urchins": 5},
}


@pytest.mark.parametrize("task_id", IDS)
def test_an_id_is_gymnaxs(task_id):
    spec, reference = envpool.make_spec(task_id), Reference(task_id)
    assert spec.config.max_episode_steps == IDS[task_id] == reference.params.max_steps_in_episode
    config = spec.config._asdict()
    for name, value in vars(reference.params).items():
        if name != "max_steps_in_episode":
            assert config[name] == value, name
            assert isinstance(config[name], type(value)), name
    for name, value in CONSTRUCTORS.get(task_id, {}).items():
        if isinstance(value, list):
            value = tuple(value)
            assert (config[f"{name}_row"], config[f"{name}_column"]) == value
        else:
            assert config[name] == value
        assert envpool.make_spec(task_id, **{name: value}).config == spec.config
    theirs = reference.env.observation_space(reference.params)
    assert spec.observation_space.shape == theirs.shape and spec.observation_space.dtype == theirs.dtype
    theirs = reference.env.action_space(reference.params)
    assert spec.action_space.shape == theirs.shape
    if isinstance(spec.action_space, gymnasium.spaces.Discrete):
        assert spec.action_space.n == theirs.n
    else:
        np.testing.assert_array_equal(spec.action_space.low, theirs.low)
        np.testing.assert_array_equal(spec.action_space.high, theirs.high)
    with envpool.make_gymnasium(task_id, num_envs=3, max_episode_steps=4) as pool:
        obs, _ = pool.reset()
        assert pool.observation_space.contains(obs[0])
        for _ in range(3):
            truncated = pool.step(np.array([pool.action_space.sample() for _ in range(3)]))[3]
            assert not truncated.any()


WRONG = [
    ("FourRooms-misc", {"goal_fixed": (0, 3)}, ValueError, ["goal_fixed_row", "from 1 to 11", "got 0"]),
    ("FourRooms-misc", {"goal_fixed": [6, 6]}, ValueError, ["goal_fixed", "without a wall", "row 6, column 6"]),
    ("FourRooms-misc", {"pos_fixed": (1, 6)}, ValueError, ["pos_fixed", "without a wall", "row 1, column 6"]),
    ("FourRooms-misc", {"pos_fixed": (1, 2, 3)}, ValueError, ["pos_fixed", "two ints", "got (1, 2, 3)"]),
    ("FourRooms-misc", {"pos_fixed": 5}, TypeError, ["pos_fixed", "two ints", "got 5"]),
    ("FourRooms-misc", {"pos_fixed": "ab"}, TypeError, ["pos_fixed", "two ints", "got 'ab'"]),
    ("FourRooms-misc", {"fail_prob": 0.8}, ValueError, ["fail_prob", "from 0 to 0.75", "got 0.8"]),
    ("MetaMaze-misc", {"maze_size": 8}, ValueError, ["maze_size", "odd", "got 8"]),
    ("MetaMaze-misc", {"rf_size": 1}, ValueError, ["rf_size", "from 3 to", "got 1"]),
    ("MetaMaze-misc", {"rf_size": 4}, ValueError, ["rf_size", "odd", "got 4"]),
    ("MetaMaze-misc", {"goal_fixed": (1, 1)}, TypeError, ["unknown option 'goal_fixed'"]),
    ("BernoulliBandit-misc", {"reward_prob": 1.5}, ValueError, ["reward_prob", "from 0 to 1", "got 1.5"]),
    ("BernoulliBandit-misc", {"t_max": 0}, ValueError, ["t_max", "from 1 to", "got 0"]),
    ("GaussianBandit-misc", {"sigma_l": -1}, ValueError, ["sigma_l", "from 0 to", "got -1"]),
    ("PointRobot-misc", {"max_force": 0}, ValueError, ["max_force", "got 0"]),
    ("PointRobot-misc", {"dense_reward": 1}, TypeError, ["dense_reward", "True or False", "got 1"]),
    ("Reacher-misc", {"num_joints": 0}, ValueError, ["num_joints", "from 1 to", "got 0"]),
    ("Swimmer-misc", {"num_urchins": -1}, ValueError, ["num_urchins", "from 0 to", "got -1"]),
    ("Pong-misc", {"paddle_half_height": 15}, ValueError, ["paddle_half_height", "31 rows", "height of 30", "got 15"]),
    ("Pong-misc", {"paddle_half_height": 0}, ValueError, ["paddle_half_height", "from 1 to", "got 0"]),
    ("Pong-misc", {"rounding": "up"}, ValueError, ["rounding", "'nearest', 'towards_zero'", "got 'up'"]),
    ("Pong-misc", {"ball_x_speed": 1.5}, TypeError, ["ball_x_speed", "an int", "got 1.5"]),
]


@pytest.mark.parametrize(("task_id", "options", "error", "words"), WRONG, ids=str)
def test_wrong_options(task_id, options, error, words):
    with pytest.raises(error) as caught:
        envpool.make_spec(task_id, **options)
    message = str(caught.value)
    assert message.startswith(f"[{task_id}] ")
    assert all(word in message for word in words), message


def test_parameters_are_replaced_by_gymnaxs_names():
    env, params = envpool.jax.make("FourRooms-misc")
    changed = params.replace(fail_prob=0.0, resample_goal_pos=True, max_steps_in_episode=3)
    keys = jax.random.split(jax.random.key(0), 50)
    _, state = jax.vmap(env.reset, (0, None))(keys, changed)
    assert len({*map(tuple, np.asarray(state.goal).tolist())}) > 20
    for _ in range(3):
        obs, state, _, done, info = jax.vmap(env.step_env, (0, 0, None, None))(keys, state, 1, changed)
    assert info["truncated"].all() and done.all()
    np.testing.assert_array_equal(obs[:, :2], np.broadcast_to([4, 4], (50, 2)))


def test_states_written_by_others_do_no_harm():
    """Whatever is put into a state, a step and a picture stay within their arrays."""
    for task_id, parts in {
        "FourRooms-misc": {"pos": [2**31 - 1, -(2**31)], "goal": [-5, 99]},
        "MetaMaze-misc": {"pos": [-100, 2**30], "goal": [-5, 99]},
        "Pong-misc": {"ball_position": [np.nan, np.inf], "paddle_centers": [2**30, -(2**30)]},
        "BernoulliBandit-misc": {"last_action": 99, "reward_probs": [np.nan, np.inf]},
    }.items():
        for options in ({}, {"use_visual_obs": True}) if task_id == "FourRooms-misc" else ({},):
            env, params = envpool.jax.make(task_id, **options)
            _, state = env.reset(jax.random.key(0), params)
            obs, *_ = env.step(jax.random.key(1), state.replace(**parts), 0, params)
            assert obs.shape == env.observation_space(params).shape
