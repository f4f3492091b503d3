# SPDX-License-Identifier: Apache-2.0
"""Tests calls of snapshot, restore, clone and observe for several environments, and snapshots of the first format."""

import struct

import numpy as np
import pytest

import envpool
from tests.python.states_test import IDS, pool_of
from tests.support.mutations import HEAD, state_of

# A CartPole-v1 after two steps to the right, with seed 3, in the first format of snapshots.
FIRST_FORMAT = bytes.fromhex(
    "4e56504f4f4c3031b618802fb0e980670d29a13abdebc8a90100000000000000030000000000000000000000000000000000000000000000"
    "0800000000000000010000000200000000000000000000000e6ed490a088a23f65c71ee72504da3f5352e0663c019fbfb939bee5c714e4bf"
)
MAKERS = {
    "gymnasium": envpool.make_gymnasium,
    "gym": envpool.make_gym,
    "dm": envpool.make_dm,
    "vec": envpool.make_vec,
    "async": lambda task_id, **options: envpool.make_gymnasium(task_id, batch_size=1, **options),
}


@pytest.mark.parametrize("task_id", [*IDS, "Seaquest-v5", "ALE/Pong-v5"])
def test_several_environments_in_one_call(task_id):
    env, other = pool_of(task_id, 3, seed=1), pool_of(task_id, 3, seed=2)
    states = env.snapshot()
    assert len(set(states)) > 1
    assert states == [env.snapshot(i) for i in range(3)]
    assert env.snapshot([2, 0, 2]) == [states[2], states[0], states[2]]
    other.restore(None, states)
    assert other.snapshot() == states
    other.restore(np.array([1, 0]), (bytearray(states[2]), states[1]))
    assert other.snapshot() == [states[1], states[2], states[2]]
    env.clone([2, 2, 0], [0, 1, 2])  # the sources also receive states
    assert env.snapshot() == [states[2], states[2], states[0]]
    env.clone([2], [0])
    assert env.snapshot() == [states[0], states[2], states[0]]


@pytest.mark.parametrize("maker", MAKERS)
def test_every_interface(maker):
    env = MAKERS[maker]("Acrobot-v1", num_envs=3)
    if maker == "async":
        env.async_reset()
        for _ in range(3):
            env.recv()
    else:
        env.reset()
    states = env.snapshot()
    env.restore([2, 1], [states[0], states[2]])
    assert env.snapshot([0, 1, 2]) == [states[0], states[2], states[0]]
    env.clone([1, 0], [0, 1], seed=[3, 4])
    assert env.snapshot(2) == states[0]
    seen, picked = env.observe(), env.observe([1, 0])
    if maker == "dm":
        seen, picked = (each.observation.obs for each in (seen, picked))
    else:
        seen, picked = seen[0], picked[0]
    assert seen.shape[0] == 3
    np.testing.assert_array_equal(picked, seen[[1, 0]])
    assert (picked[0] == seen[2]).all()  # environment 1 has the first state of environment 0


def test_clones_of_several_sources_diverge_with_seeds():
    env = envpool.make_gymnasium("FrozenLake-v1", num_envs=4, seed=1)
    env.reset()
    env.step(np.ones(4, np.int32))
    for seed in (7, [7, 8, 9, 10]):
        env.clone([0, 0, 1, 1], seed=seed)
        states = env.snapshot()
        assert states[0] != states[1] and states[2] != states[3]
    env.clone([0, 0, 1, 1])
    states = env.snapshot()
    assert states[0] == states[1] and states[2] == states[3]


def test_nothing_is_restored_if_one_state_is_bad():
    env = pool_of("CartPole-v1", 3)
    before = env.snapshot()
    env.step(np.ones(3, np.int32))
    now = env.snapshot()
    for bad in (before[2][:-1], pool_of("Acrobot-v1").snapshot(0), b""):
        with pytest.raises(ValueError, match=r"^\[CartPole-v1\] restore: state: expected a snapshot of CartPole-v1"):
            env.restore(None, [before[0], before[1], bad])
        assert env.snapshot() == now
    env.restore(None, before)
    assert env.snapshot() == before


def test_a_cartpole_of_the_first_format_is_restored():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=1, seed=3)
    env.reset()
    for _ in range(2):
        expected = env.step(np.array([1]))[0]
    now = env.snapshot(0)
    assert now != FIRST_FORMAT
    assert now[HEAD.size :] == FIRST_FORMAT[HEAD.size :]
    env.reset(seed=8)
    env.restore(0, FIRST_FORMAT)
    assert env.snapshot(0) == now
    np.testing.assert_array_equal(env.observe()[0], expected)
    for at in range(len(FIRST_FORMAT)):
        damaged = FIRST_FORMAT[:at] + bytes([FIRST_FORMAT[at] ^ 4]) + FIRST_FORMAT[at + 1 :]
        with pytest.raises(ValueError, match="restore: state"):
            env.restore(0, damaged)


def fnv_hash(data):
    mark = 0xCBF29CE484222325
    for byte in data:
        mark = (mark ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return mark


@pytest.mark.parametrize("task_id", ["Seaquest-v5", "TagGridWorld-v0", "Ant-v5"])
def test_the_first_format_of_large_states(task_id):
    """Snapshots of the first format contain the state as it is, also where they now are packed."""
    env = pool_of(task_id, 2)
    now = env.snapshot(0)
    _, identity, _, players, over = HEAD.unpack_from(now)
    magic = int.from_bytes(b"NVPOOL01", "little")
    state = state_of(env, 0)
    unsigned = HEAD.pack(magic, identity, 0, players, over) + state
    first = unsigned[:16] + struct.pack("<Q", fnv_hash(unsigned)) + unsigned[24:]
    env.restore(1, first)
    assert env.snapshot(1) == now
