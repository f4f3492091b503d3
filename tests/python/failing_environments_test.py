# SPDX-License-Identifier: Apache-2.0
"""Tests that pools report environments that throw or hang, and stay usable."""

import numpy as np
import pytest

import envpool
from tests.environments.registration import allow_hanging, release, wait_until_hanging
from tests.python.interfaces import INTERFACES, make, observation_of, raises_quickly
from tests.support.waiting import promptly

pytestmark = pytest.mark.usefixtures("ends_promptly")


@pytest.mark.parametrize("batch_size", [3, 2])
@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize(("command", "message"), [(1, "step 1 went wrong at caf\N{REPLACEMENT CHARACTER}"), (5, "")])
def test_exception_in_step(interface, batch_size, command, message):
    env = make(interface, "Faulty-v0", num_envs=3, batch_size=batch_size)
    env.reset()
    if batch_size == 2:
        env._pool.discard()  # discards the third environment's first observation
    ids = [1, 2, 0][:batch_size]
    action = np.zeros(batch_size, np.int32)
    action[0] = command
    with promptly(), pytest.raises(envpool.EnvError, match=r"\[Faulty-v0\].*environment 1.*" + message) as caught:
        env.step(action, ids)
    assert caught.value.env_id == [1]
    assert message in caught.value.messages[0]
    rows = observation_of(caught.value.result)
    by_id = {int(row[1]): row[0] for row in rows}
    assert by_id == {1: 0, **dict.fromkeys(ids[1:], 1)}  # environment 1 was reset; the others completed their step
    rows = observation_of(env.step(np.zeros(batch_size, np.int32), ids))
    assert {int(row[1]): row[0] for row in rows} == {1: 1, **dict.fromkeys(ids[1:], 2)}


@pytest.mark.parametrize("interface", INTERFACES)
def test_exception_in_reset(interface):
    env = make(interface, "Faulty-v0", num_envs=2, throw_in_reset=2)
    env.reset()
    with pytest.raises(envpool.EnvError, match="reset went wrong") as caught:
        env.reset()
    assert sorted(caught.value.env_id) == [0, 1]
    assert observation_of(env.reset())[:, 1].tolist() == [0, 1]
    assert observation_of(env.step(np.zeros(2, int)))[:, 0].tolist() == [1, 1]


@pytest.mark.parametrize("interface", INTERFACES)
def test_env_error_is_the_python_class(interface):
    from envpool._core import EnvError as CoreEnvError

    env = make(interface, "Faulty-v0")
    env.reset()
    env.send([1])
    with pytest.raises(RuntimeError) as caught:
        env.recv()
    assert type(caught.value) is envpool.EnvError
    assert not isinstance(caught.value, CoreEnvError)


@pytest.fixture
def hanging():
    allow_hanging()
    yield
    release()
    wait_until_hanging(0)
    allow_hanging()


@pytest.mark.usefixtures("hanging")
@pytest.mark.parametrize("interface", INTERFACES)
def test_hang_in_step(interface):
    env = make(interface, "Faulty-v0", num_envs=2, num_threads=2)
    env.reset()
    env.send([3, 0])
    for timeout in (0, 0.1):
        with pytest.raises(TimeoutError, match=r"\[Faulty-v0\]"):
            env.recv(timeout=timeout)
    raises_quickly(lambda: env.send([0], [0]), RuntimeError, "environment 0 is under way")
    release()
    assert observation_of(env.recv(timeout=60))[:, 0].tolist() == [1, 1]
    assert observation_of(env.step([0, 0]))[:, 0].tolist() == [2, 2]


@pytest.mark.usefixtures("hanging")
def test_a_hanging_environment_does_not_block_an_asynchronous_pool():
    env = envpool.make_gymnasium("Faulty-v0", num_envs=3, batch_size=1, num_threads=2)
    env.async_reset()
    ids = [int(env.recv()[-1]["env_id"][0]) for _ in range(3)]
    env.send([3], [ids[0]])
    for _ in range(20):
        env.send([0], [ids[1]])
        assert env.recv(timeout=60)[-1]["env_id"].tolist() == [ids[1]]
    release()
    assert env.recv(timeout=60)[-1]["env_id"].tolist() == [ids[0]]


@pytest.mark.usefixtures("hanging")
@pytest.mark.parametrize("interface", INTERFACES)
def test_close_with_a_hanging_environment(interface):
    env = make(interface, "Faulty-v0", num_envs=2)
    env.reset()
    env.send([3, 0])
    wait_until_hanging(1)  # a step that has not begun does not delay close
    raises_quickly(lambda: env.close(timeout=0.1), TimeoutError, "[Faulty-v0]", "close")
    raises_quickly(lambda: env.step([0, 0]), RuntimeError, "closed")
    env.close()
