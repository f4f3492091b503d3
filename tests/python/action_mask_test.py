# SPDX-License-Identifier: Apache-2.0
"""Tests that masks of actions follow the convention that docs/concepts.md describes."""

import json
import re

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.python.spaces import ArraySpecs

MODES = ("next_step", "same_step", "disabled")


def one_id_of_each_table():
    """Returns one id of each environment. Ids of one environment differ in options, which do not add a mask."""
    return list({(find(i).family, find(i).table): i for i in envpool.list_all_envs() if find(i).family}.values())


def fields_of(task_id):
    try:
        arrays = Construction(find(task_id), {}).arrays
    except (ImportError, RuntimeError):  # A package or file that the environment needs is missing.
        return (), ()
    return arrays.observations, arrays.infos


def test_masks_have_one_name():
    """Only these have masks, which are infos except in Jumanji's observations. No other array has such a name."""
    with_mask = set()
    for task_id in one_id_of_each_table():
        observations, infos = fields_of(task_id)
        for field in (*observations, *infos):
            if re.search("mask|legal|valid|allowed", field.name):
                assert field.name == "action_mask", task_id
                assert field.info != (find(task_id).family == "jumanji"), task_id
                with_mask.add(find(task_id).table)
    registrations = [find(task_id) for task_id in envpool.list_all_envs()]
    games = {found.table for found in registrations if found.family in ("jumanji", "pgx")} - {"RubiksCube"}
    assert with_mask == {"Hanabi", "Taxi", *games}


@pytest.mark.parametrize("task_id", ["Taxi-v3", "Taxi-v4"])
@pytest.mark.parametrize("mode", MODES)
def test_a_mask_belongs_to_the_observation_of_its_row(task_id, mode):
    reference = gymnasium.make("Taxi-v4").unwrapped
    masks = np.stack([reference.action_mask(state) for state in range(500)]).astype(bool)
    rng, over = np.random.default_rng(0), np.zeros(8, bool)
    with envpool.make_gymnasium(task_id, num_envs=8, seed=1, autoreset_mode=mode, max_episode_steps=30) as env:
        obs, info = env.reset()
        for _ in range(300):
            mask = info["action_mask"]
            assert mask.dtype == bool and mask.shape == (len(obs), env.action_space.n)
            np.testing.assert_array_equal(mask, masks[obs])
            assert mask.any(axis=1).all()
            action = np.array([rng.choice(np.flatnonzero(row)) for row in mask])
            obs, _, terminated, truncated, info = env.step(action)
            over = terminated | truncated
            if mode == "same_step" and over.any():
                np.testing.assert_array_equal(info["final_info"]["action_mask"][over], masks[info["final_obs"][over]])
            if mode == "disabled" and over.any():
                np.testing.assert_array_equal(info["action_mask"], masks[obs])
                obs, info = env.reset()


def test_masked_actions_have_no_effect_but_cost():
    env = envpool.make_gymnasium("Taxi-v3", num_envs=300, seed=2)
    obs, info = env.reset()
    seen = set()
    for action in np.random.default_rng(0).integers(0, 6, (40, 300)):
        mask = info["action_mask"][np.arange(300), action]
        before, (obs, reward, terminated, _, info) = obs, env.step(action)
        np.testing.assert_array_equal(obs == before, ~mask)
        np.testing.assert_array_equal(reward[~mask], np.where(action < 4, -1, -10)[~mask])
        assert not terminated[~mask].any()
        seen |= set(action[~mask])
        if terminated.any():
            break
    assert seen == {0, 1, 2, 3, 4, 5}


def test_masks_with_gymnasiums_dtypes():
    ours = envpool.make_vec("Taxi-v4", 3, dtypes="gymnasium", seed=1)
    theirs = gymnasium.make_vec("Taxi-v4", num_envs=3, vectorization_mode="sync")
    theirs.reset(seed=1)
    for info in (ours.reset()[1], ours.step(np.array([0, 1, 2]))[-1]):
        theirs_info = theirs.step(np.array([0, 1, 2]))[-1]
        mask, expected = info["action_mask"], theirs_info["action_mask"]
        assert (mask.dtype, mask.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(info["_action_mask"], theirs_info["_action_mask"])
        for row in mask:
            assert row[ours.single_action_space.sample(row)]


def test_masks_in_jax():
    jax = pytest.importorskip("jax")
    for module in ("envpool.jax", "envpool.jax.gymnax1"):
        env, params = pytest.importorskip(module).make("Taxi-v3")
        _, state = env.reset(jax.random.PRNGKey(0), params)
        info = env.step(jax.random.PRNGKey(1), state, 0, params)[-1]
        assert info["action_mask"].dtype == bool and info["action_mask"].shape == (6,)


class Masked(gymnasium.Env):
    observation_space, action_space = gymnasium.spaces.Box(0, 1, (1,)), gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        return np.zeros(1, np.float32), {"action_mask": np.array([0, 1, 0], np.int8)}

    def step(self, action):
        return np.zeros(1, np.float32), 0.0, True, False, self.reset()[1]


def test_masks_of_python_environments_with_gymnasiums_dtypes():
    envpool.register_python("Masked-v0", Masked, info={"action_mask": np.int8})
    with envpool.make_vec("Masked-v0", num_envs=2, dtypes="gymnasium", autoreset_mode="SameStep") as env:
        infos = [env.reset()[1], env.step(np.zeros(2, int))[4]]
        for mask in (*(info["action_mask"] for info in infos), infos[1]["final_info"]["action_mask"]):
            assert mask.dtype == np.int8
            assert env.single_action_space.sample(mask[0]) == 1


def test_the_masks_of_a_multi_discrete_action_may_be_a_tuple():
    """gymnasium's MultiDiscrete samples with a tuple of masks. Ours are side by side."""

    class Several(Masked):
        action_space = gymnasium.spaces.MultiDiscrete([2, 3])

        def reset(self, *, seed=None, options=None):
            return np.zeros(1, np.float32), {"action_mask": (np.array([0, 1], np.int8), np.array([1, 0, 1], np.int8))}

    envpool.register_python("Several-v0", Several, info={"action_mask": bool})
    with envpool.make("Several-v0", num_envs=2) as env:
        assert env.reset()[1]["action_mask"].tolist() == [[False, True, True, False, True]] * 2


def spec(name="action_mask", dtype="bool", shape=(6,), per_player=False, actions=(6,), **action):
    """Returns the declaration of an environment with an info, and with one discrete action for each count."""
    bounds = {"low": 0, "high": 1, "discrete": 0, "doc": ""}
    counts = [{"low": 0, "high": n - 1, "discrete": n, "dtype": "int32", "shape": [], "doc": ""} for n in actions]
    return json.dumps(
        {
            "fields": [
                {"name": name, "dtype": dtype, "shape": shape, "info": True, "per_player": per_player, **bounds}
            ],
            "actions": [{"name": f"a{i}", **count, **action} for i, count in enumerate(counts)],
            "max_players": 4 if per_player else 1,
            "reward_low": 0,
            "reward_high": 1,
            "render_height": 0,
            "render_width": 0,
            "render_fps": 30,
        }
    )


@pytest.mark.parametrize(
    "declared",
    [
        {},
        {"name": "info:action_mask"},
        {"name": "players.action_mask", "per_player": True},
        {"shape": (11,), "actions": (6, 5)},
        {"shape": (9,), "actions": (4,), "low": [0, 0, 0], "high": [3, 1, 2], "shape_of_action": [3]},
        {"shape": (12,), "actions": (4,), "shape_of_action": [3]},
        {"name": "mask", "dtype": "uint8"},
    ],
    ids=str,
)
def test_masks_that_follow_the_convention(declared):
    declared = dict(declared)
    action = {"low": declared.pop("low", None), "high": declared.pop("high", None)}
    text = json.loads(spec(**{key: value for key, value in declared.items() if key != "shape_of_action"}))
    if "shape_of_action" in declared:
        text["actions"][0] |= {key: value for key, value in action.items() if value} | {"shape": [3]}
    assert len(ArraySpecs.from_json(json.dumps(text)).infos) == 1


@pytest.mark.parametrize(
    ("declared", "got"),
    [
        ({"dtype": "uint8"}, "'action_mask' of bool of shape (6,), .* got 'action_mask' of uint8 of shape (6,)"),
        ({"shape": (5,)}, "of shape (6,), .* got 'action_mask' of bool of shape (5,)"),
        ({"shape": (6, 1)}, "got 'action_mask' of bool of shape (6, 1)"),
        ({"actions": (6, 2)}, "of shape (8,), .* got 'action_mask' of bool of shape (6,)"),
        ({"actions": (2**31 - 1, 2)}, "of shape (2147483649,), .* got"),
        ({"per_player": True}, "'players.action_mask' of bool of shape (6,), .* got 'action_mask' of bool"),
        ({"name": "players.action_mask"}, "'action_mask' of bool of shape (6,), .* got 'players.action_mask'"),
        ({"name": "info:own.action_mask"}, "'action_mask' of bool of shape (6,), .* got 'own.action_mask'"),
        ({"discrete": 0}, "expected discrete actions, got an action with real numbers"),
    ],
    ids=str,
)
def test_masks_that_do_not_follow_the_convention(declared, got):
    pattern = "action_mask: .*" + re.escape(got).replace(r"\.\*", ".*")
    with pytest.raises(ValueError, match=pattern):
        ArraySpecs.from_json(spec(**declared))


def of_world(name="current_player", dtype="int32", shape=(), discrete=4, per_player=False):
    """Returns the declaration of a world of four players with an info that says who moves next."""
    declared = json.loads(spec(name, dtype, shape, per_player))
    declared["max_players"] = 4
    declared["fields"][0] |= {"discrete": discrete, "high": max(discrete - 1, 0)}
    return json.dumps(declared)


def test_the_info_that_says_who_moves_next():
    arrays = ArraySpecs.from_json(of_world())
    assert (arrays.max_players, arrays.actors) == (4, 1)
    single = json.loads(of_world(dtype="uint8"))
    single["max_players"] = 1  # where there are no turns, the name has no meaning
    assert ArraySpecs.from_json(json.dumps(single)).actors == 1


@pytest.mark.parametrize(
    ("declared", "got"),
    [
        ({"dtype": "uint8"}, "got 'current_player' of uint8 of shape () with 4 categories"),
        ({"shape": (1,)}, "got 'current_player' of int32 of shape (1,) with 4 categories"),
        ({"discrete": 0}, "with no categories"),
        ({"discrete": 3}, "expected an info 'current_player' of int32 with 4 categories, .* with 3 categories"),
        ({"per_player": True}, "with 4 categories for each player"),
        ({"name": "players.current_player", "per_player": True}, "got 'players.current_player'"),
        ({"name": "info:own.current_player"}, "got 'own.current_player'"),
    ],
    ids=str,
)
def test_infos_that_do_not_say_who_moves_next(declared, got):
    pattern = "^current_player: .*" + re.escape(got).replace(r"\.\*", ".*")
    with pytest.raises(ValueError, match=pattern):
        ArraySpecs.from_json(of_world(**declared))
