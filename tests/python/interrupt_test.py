# SPDX-License-Identifier: Apache-2.0
"""Tests what follows after a signal has interrupted a call: the next call works, and no action is applied twice."""

import signal

import gymnasium
import numpy as np
import pytest

import envpool
from tests.support.interrupting import ENTRY_POINTS, check_interrupts


class Slow(gymnasium.Env):
    """Counts its steps. A step or reset may interrupt the pool's process and then take a while."""

    observation_space = gymnasium.spaces.Box(0, 1000, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    pause = 0.4

    def __init__(self, env_id=0):
        self.env_id = env_id

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        self.interrupt((options or {}).get("interrupt", 0))
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.steps += 1
        self.interrupt(action)
        return np.full(1, self.steps, np.float32), 0.0, False, False, {}

    def interrupt(self, wanted):
        import os
        import signal
        import time

        if wanted and self.env_id == 0:
            os.kill(os.getppid(), signal.SIGALRM)
            time.sleep(self.pause)


class Brief(Slow):
    """Its steps take less time than passes before a wait polls for signals."""

    pause = 0.01


@pytest.fixture(autouse=True)
def handler_raises():
    """Lets SIGALRM raise KeyboardInterrupt, as Ctrl-C does."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.signal(signal.SIGALRM, before)


def interfaces():
    envpool.register_python("Slow-v0", Slow)
    return {
        "gymnasium": lambda: envpool.make_gymnasium("Slow-v0", num_envs=2, num_workers=1),
        "gym": lambda: envpool.make_gym("Slow-v0", num_envs=2, num_workers=1, step_api="classic"),
        "vec": lambda: envpool.make_vec("Slow-v0", num_envs=2, num_workers=1),
        "dm": lambda: envpool.make_dm("Slow-v0", num_envs=2, num_workers=1),
        "single": lambda: gymnasium.make("envpool/Slow-v0"),
        "sb3": lambda: envpool.make_sb3("Slow-v0", 2, num_workers=1),
    }


def counted(result):
    """Returns the observation of the first environment."""
    observation = result.observation.obs if hasattr(result, "observation") else result[0]
    return float(np.asarray(observation).reshape(-1)[0])


@pytest.fixture(params=["gymnasium", "gym", "vec", "dm", "single", "sb3"])
def env(request):
    if request.param == "sb3":
        pytest.importorskip("stable_baselines3")
    env = interfaces()[request.param]()
    env.is_single = request.param == "single"
    yield env
    env.close()


def action(env, interrupt):
    return interrupt if env.is_single else np.full(2, interrupt)


def test_the_next_step_drops_the_interrupted_one(env):
    env.reset()
    assert counted(env.step(action(env, 0))) == 1
    with pytest.raises(KeyboardInterrupt):
        env.step(action(env, 1))
    assert counted(env.step(action(env, 0))) == 3
    assert counted(env.step(action(env, 0))) == 4


def test_a_reset_after_an_interrupted_step(env):
    env.reset()
    with pytest.raises(KeyboardInterrupt):
        env.step(action(env, 1))
    env.reset()
    assert counted(env.step(action(env, 0))) == 1


def test_a_step_after_an_interrupted_reset():
    env = interfaces()["vec"]()
    env.reset()
    with pytest.raises(KeyboardInterrupt):
        env.reset(options={"interrupt": 1})
    assert counted(env.step(np.zeros(2, int))) == 1


def test_recv_returns_the_interrupted_step():
    env = interfaces()["gymnasium"]()
    env.reset()
    with pytest.raises(KeyboardInterrupt):
        env.step(np.ones(2, int))
    assert counted(env.recv()) == 1
    assert counted(env.step(np.zeros(2, int))) == 2


@pytest.mark.parametrize("batch_size", [2, 1])
@pytest.mark.parametrize("call", ["step", "recv"])
def test_recv_returns_what_a_short_wait_was_for(call, batch_size):
    envpool.register_python("Brief-v0", Brief)
    env = envpool.make_gymnasium("Brief-v0", num_envs=2, batch_size=batch_size, num_workers=1)
    if batch_size == 2:
        env.reset()
    else:
        env.async_reset()
        env.recv(), env.recv()
    with pytest.raises(KeyboardInterrupt):
        if call == "step":
            env.step(np.ones(2, int), np.arange(2))
        env.send(np.ones(2, int), np.arange(2))
        env.recv()
    received = [env.recv() for _ in range(2 // batch_size)]
    assert sorted(np.concatenate([batch[-1]["env_id"] for batch in received])) == [0, 1]
    assert {float(x) for batch in received for x in batch[0].reshape(-1)} == {1}


def test_a_signal_between_sends_changes_nothing():
    """A step that fails for another reason must not drop what the caller has sent before."""
    env = interfaces()["gymnasium"]()
    env.reset()
    env.send(np.zeros(1, int), np.array([0]))
    with pytest.raises(ValueError, match="action"):
        env.step(np.full(1, 2), np.array([1]))
    assert env.recv()[-1]["env_id"].tolist() == [0]


def test_other_calls_wait_for_the_interrupted_step():
    env = interfaces()["gymnasium"]()
    env.reset()
    with pytest.raises(KeyboardInterrupt):
        env.step(np.ones(2, int))
    assert counted(env.observe()) == 1


HANDLERS = {
    "step": lambda env: env.step(np.zeros(1, int)),
    "reset": lambda env: env.reset(),
    "async_reset": lambda env: env.async_reset(),
}


@pytest.mark.parametrize("call", HANDLERS)
@pytest.mark.parametrize("make", [envpool.make_gymnasium, envpool.make_vec, envpool.make_dm])
def test_a_handler_that_calls_the_interrupted_pool(make, call):
    envpool.register_python("Slow-v0", Slow)
    env = make("Slow-v0", num_envs=1)
    env.reset()
    errors = []

    def handler(*_):
        try:
            HANDLERS[call](env)
        except RuntimeError as error:
            errors.append(str(error))

    signal.signal(signal.SIGALRM, handler)
    assert counted(env.step(np.ones(1, int))) == 1
    assert len(errors) == 1
    assert errors[0].startswith("[Slow-v0] expected no call of this pool in a signal handler that interrupts one")
    assert counted(env.step(np.zeros(1, int))) == 2


@pytest.mark.parametrize("face", ENTRY_POINTS)
def test_an_interrupt_anywhere_in_a_call(face):
    if face == "sb3":
        pytest.importorskip("stable_baselines3")
    check_interrupts(face)


class Interrupting:
    """Raises KeyboardInterrupt when an attribute is read that NumPy or envpool looks for."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        if name == self.name:
            raise KeyboardInterrupt
        raise AttributeError(name)

    def __len__(self):
        return 2

    def __getitem__(self, index):
        if self.name == "[]":
            raise KeyboardInterrupt
        return (0, 1)[index]


@pytest.mark.parametrize("name", ["__array__", "__array_interface__", "[]"])
@pytest.mark.parametrize("argument", ["action", "env_id"])
def test_an_interrupt_while_an_argument_is_converted(name, argument):
    """No error about the argument takes the place of the KeyboardInterrupt."""
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    env.reset()
    arguments = {"action": [0, 1], "env_id": [0, 1]}
    with pytest.raises(KeyboardInterrupt):
        env.step(**{**arguments, argument: Interrupting(name)})
    assert env.step(**arguments)[-1]["elapsed_step"].tolist() == [1, 1]
