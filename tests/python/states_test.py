# SPDX-License-Identifier: Apache-2.0
"""Tests which pools accept a snapshot, and how pools handle states that no step has produced.

tests.support.mutate_states tries such states for every id. The test here tries a sample, which changes from day to
day.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import envpool
from envpool.python.registry import find
from tests.support.mutate_states import draw, leaves
from tests.support.mutations import Signed, put

IDS = (
    "CartPole-v1",
    "FrozenLake8x8-v1",
    "Seaquest-MinAtar",
    "TagGridWorld-v0",
    "MetaMaze-misc",
    "Ant-v5",
    "Pusher-v5",
    "CheetahRun-v1",
)


def pool_of(task_id, num_envs=1, steps=3, **options):
    env = envpool.make_gymnasium(task_id, num_envs=num_envs, **options)
    env.reset()
    for k in range(steps):
        several = int(env.players().sum())
        env.step(draw(env.action_space, several, np.random.default_rng(k)))
    return env


def refuses(env, state, *words):
    with pytest.raises(ValueError) as caught:
        env.restore(0, state)
    assert "restore: state" in str(caught.value)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize("task_id", IDS)
def test_pools_of_one_id_share_snapshots(task_id):
    state = pool_of(task_id, seed=1).snapshot(0)
    for options in (
        {"num_envs": 5, "seed": 9, "num_threads": 2},
        {"num_envs": 4, "batch_size": 4, "max_episode_steps": 17},
        {"autoreset_mode": "same_step"},
    ):
        env = pool_of(task_id, **options)
        env.restore(0, state)
        assert env.snapshot(0) == state


def first_rows(env):
    """Returns the bytes of the first observations after a reset with a seed."""
    steps = [env.reset(seed=5)[0], env.step(draw(env.action_space, 1, np.random.default_rng(0)))[0]]
    return [array.tobytes() for array in leaves(steps)]


@pytest.mark.parametrize(
    "task_id", ["CartPole-v1", "StackerStack2-v1", "ManipulatorBringBall-v1", "SwimmerSwimmer6-v1"]
)
def test_a_reset_with_a_seed_does_not_depend_on_restored_states(task_id):
    """The reset must set everything: the agent's number of the generator, and all arrays of a model."""
    env, expected = pool_of(task_id), first_rows(pool_of(task_id))
    assert first_rows(env) == expected
    made = env.snapshot(0)
    signed, numbers, restored = Signed(made), np.random.default_rng(0), 0
    changes = [(16, np.uint32(7).tobytes())]  # rng.agent
    places = range(48, len(signed.body) - 8, 8)
    changes += [(place, np.float64(0.1).tobytes()) for place in numbers.permutation(places)[:60].tolist()]
    for place, value in changes:
        try:
            env.restore(0, signed.with_body(put(signed.body, place, value)))
        except ValueError:
            continue
        restored += 1
        assert first_rows(env) == expected, place
    assert restored > 1


def test_every_process_has_the_same_identities():
    code = (
        "import envpool, json, sys\n"
        f"ids = {list(IDS)!r}\n"
        "print(json.dumps([envpool.make(i, num_envs=1).snapshot(0)[8:16].hex() for i in ids]))"
    )
    command = [sys.executable, "-c", code]
    one, other = (subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert one == other
    assert len(set(json.loads(one))) == len(IDS)


@pytest.mark.parametrize(
    ("task_id", "one", "other"),
    [
        ("Catch-bsuite", {"rows": 10, "columns": 5}, {"rows": 5, "columns": 10}),  # their states have equal sizes
        ("Seaquest-MinAtar", {"obs_dtype": "bool"}, {"obs_dtype": "float32"}),
        ("SpaceInvaders-MinAtar", {"use_minimal_action_set": False}, {"use_minimal_action_set": True}),
        ("TagGridWorld-v0", {"num_taggers": 3}, {"num_taggers": 4}),
        ("TagContinuous-v0", {"num_taggers": 2, "num_runners": 3}, {"num_taggers": 3, "num_runners": 3}),
        ("MetaMaze-misc", {"maze_size": 9}, {"maze_size": 9, "rf_size": 5}),
        ("Ant-v5", {}, {"frame_stack": 2}),
        ("Ant-v5", {}, {"exclude_current_positions_from_observation": False}),
    ],
)
def test_snapshots_of_other_options_are_refused(task_id, one, other):
    state = pool_of(task_id, **one).snapshot(0)
    refuses(pool_of(task_id, **other), state, "other options")
    pool_of(task_id, **one).restore(0, state)


def test_snapshots_of_other_ids_are_refused():
    states = {task_id: pool_of(task_id).snapshot(0) for task_id in IDS}
    for task_id in IDS:
        env = pool_of(task_id)
        for other, state in states.items():
            if other != task_id:
                refuses(env, state)


def test_snapshots_of_another_model_are_refused():
    def model(geom):
        return (
            f'<mujoco><worldbody><body name="{geom}"><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>'
            '<actuator><motor joint="j"/></actuator></mujoco>'
        )

    state = pool_of("Mujoco-v0", xml_file=model("a")).snapshot(0)
    pool_of("Mujoco-v0", xml_file=model("a")).restore(0, state)
    refuses(pool_of("Mujoco-v0", xml_file=model("b")), state, "other options")


def test_the_checksum_covers_every_bit():
    env = pool_of("TagGridWorld-v0", num_taggers=3)
    state = env.snapshot(0)
    for bit in range(8 * len(state)):
        refuses(env, put(state, bit // 8, bytes([state[bit // 8] ^ 1 << bit % 8])))
    env.restore(0, state)


@pytest.mark.parametrize(
    ("players", "over"), [(-1, 0), (5, 0), (100_000, 0), (2**31 - 1, 0), (4, -1), (4, 2), (4, 256)]
)
def test_players_and_over_are_in_range(players, over):
    env = pool_of("TagGridWorld-v0", num_taggers=3)
    refuses(
        env, Signed(env.snapshot(0)).with_head(players, over), f"got {players} players, over {over}", "0..4 players"
    )


def test_clones_with_other_options_are_refused():
    env = envpool.make_gymnasium("Pong-v5", num_envs=3, env_options=[{"mode": 0}, {"mode": 0}, {"mode": 1}])
    env.reset()
    env.clone(0, [1])
    with pytest.raises(
        ValueError, match="clone: env_id: expected environments with the options of environment 0, got environment 2"
    ):
        env.clone(0)


@pytest.mark.parametrize("task_id", ["Pusher-v5", "CheetahRun-v1"])
@pytest.mark.parametrize("number", [np.nan, np.inf, -1e200])
def test_non_finite_positions_are_refused(task_id, number):
    env = pool_of(task_id)
    signed = Signed(env.snapshot(0))
    state = signed.with_body(put(signed.body, 48 + 8 + 16, np.float64(number).tobytes()))  # a position
    before = env.snapshot(0)
    refuses(env, state, "state: positions")
    assert env.snapshot(0) == before


def test_the_cursor_of_a_delay_buffer_is_checked():
    model = (
        '<mujoco><worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>'
        '<actuator><motor joint="j" delay=".01" nsample="5"/></actuator></mujoco>'
    )
    env = pool_of("Mujoco-v0", xml_file=model)
    signed = Signed(env.snapshot(0))
    at = 48 + 8 * 3 + 8  # skips the episode, the time, a position, a velocity and the user's number
    assert np.frombuffer(signed.body, np.float64, 1, at)[0] in range(5)
    for cursor in (-1, 5, 2.5, 1e9):
        refuses(env, signed.with_body(put(signed.body, at, np.float64(cursor).tobytes())), "cursor", "0..4")


@pytest.mark.sampled(one_in=2, always=["pool"])
@pytest.mark.parametrize("entry_points", [["pool"], ["jax", "params"]], ids=["pool", "jax"])
def test_hostile_states(entry_points):
    if entry_points != ["pool"]:
        pytest.importorskip("jax")
    families = sorted({find(i).family for i in envpool.list_all_envs()} - {""})
    command = [
        sys.executable,
        "-m",
        "tests.support.mutate_states",
        "--families",
        *families,
        "--entry-points",
        *entry_points,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert done.stdout.count("'accepted'") >= 13
