# SPDX-License-Identifier: Apache-2.0
"""Tests pools of Python environments: equality with single environments, failures, the life of workers, bad input."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.python.errors import EnvError
from envpool.python.registry import find
from tests.python_env.workers import wait_until_dead, workers

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("cloudpickle")
spaces = gymnasium.spaces

KINDS = spaces.Dict(
    image=spaces.Box(0, 255, (2, 3), np.uint8),
    inner=spaces.Dict(flag=spaces.MultiBinary(3), place=spaces.Discrete(5), parts=spaces.MultiDiscrete([2, 7])),
    position=spaces.Box(np.array([-1, -np.inf], np.float32), np.array([1, np.inf], np.float32)),
)


class Kinds(gymnasium.Env):
    """Has every kind of space. An episode ends after `length` steps, or fails as `fails` says."""

    def __init__(self, length: int = 4, fails: str = "", env_id: int = 0) -> None:
        self.length, self.fails, self.env_id = length, fails, env_id
        self.observation_space = KINDS
        if fails == "space" and env_id == 1:
            self.observation_space = spaces.Box(0, 1, (3,))
        if fails == "make" and env_id == 1:
            raise OSError("no simulator")
        self.action_space = spaces.Dict(
            move=spaces.Discrete(3), lights=spaces.MultiBinary(2), force=spaces.Box(-1, 1, (2,), np.float64)
        )

    def observe(self) -> tuple[Any, dict[str, Any]]:
        self.observation_space.seed(int(self.np_random.integers(2**31)))
        return self.observation_space.sample(), {"score": self.steps / 2, "unused": object(), "id": self.env_id}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return self.observe()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action), action
        if self.fails and self.env_id == 1 and action["move"] == 2:
            {"raise": self.broken, "exit": sys.exit, "die": self.die, "hang": self.hang, "shape": self.odd}[
                self.fails
            ]()
        self.steps += 1
        obs, info = self.observe()
        reward = float(action["force"].sum() + action["lights"].sum() + action["move"])
        if self.fails == "shaped":
            return {**obs, "image": obs["image"][:1]}, reward, False, False, info
        return obs, reward, self.steps == self.length, self.steps == 2 * self.length, info

    def broken(self) -> None:
        raise ZeroDivisionError("the wheel is broken")

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def hang(self) -> None:
        time.sleep(100)

    def odd(self) -> None:
        self.fails = "shaped"


@pytest.fixture(scope="module", autouse=True)
def register() -> None:
    info = {"score": np.float32, "id": np.int64, "late": spaces.Box(0, 1, (2,))}
    envpool.register_python("Kinds-v0", Kinds, info=info)
    envpool.register_python("GymCartPole-v1", lambda: gymnasium.make("CartPole-v1"))


def actions(generator: np.random.Generator, rows: int, move: int = 2) -> dict[str, Any]:
    return {
        "move": generator.integers(0, move, rows),
        "lights": generator.integers(0, 2, (rows, 2)).astype(np.uint8),
        "force": generator.uniform(-1, 1, (rows, 2)),
    }


@pytest.fixture(name="failing")
def failing_pool(request: pytest.FixtureRequest) -> Iterator[Any]:
    with envpool.make_gymnasium("Kinds-v0", num_envs=4, num_workers=2, fails=request.param, length=1000) as env:
        env.reset()
        yield env


def leaves(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not isinstance(tree, dict):
        yield path, tree
        return
    for key, value in tree.items():
        yield from leaves(value, (*path, key))


def play_alone(seeds: list[int], played: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Returns the rows of one environment whose episodes have these seeds, with the pool's next-step autoreset."""
    env, rows, over = Kinds(), [], True
    seeds = list(seeds)
    for action in played:
        if over:
            obs, info = env.reset(seed=seeds.pop(0))
            rows.append((obs, 0.0, False, False, info["score"]))
            over = False
        else:
            obs, reward, terminated, truncated, info = env.step(action)
            rows.append((obs, np.float32(reward), terminated, truncated, info["score"]))
            over = terminated or truncated
    return rows


@pytest.mark.parametrize(("num_workers", "batch_size"), [(1, 3), (2, 3), (3, 1)])
def test_rows_equal_those_of_the_environment_alone(num_workers: int, batch_size: int) -> None:
    generator = np.random.default_rng(1)
    seen: list[list[Any]] = [[] for _ in range(3)]
    played: list[list[Any]] = [[{}] for _ in range(3)]
    seeds: list[list[int]] = [[] for _ in range(3)]
    with envpool.make_gymnasium("Kinds-v0", num_envs=3, batch_size=batch_size, num_workers=num_workers) as env:
        env.async_reset()
        while min(map(len, seen)) < 15:
            obs, reward, terminated, truncated, info = env.recv()
            for row, env_id in enumerate(info["env_id"]):
                one = {path: value[row].copy() for path, value in leaves(obs)}
                seen[env_id].append((one, reward[row], terminated[row], truncated[row], info["score"][row]))
                assert info["id"][row] == env_id
                assert not info["late"][row].any()
                if info["elapsed_step"][row] == 0:
                    seeds[env_id].append(int(info["seed"][row]))
            action = actions(generator, len(info["env_id"]))
            for row, env_id in enumerate(info["env_id"]):
                played[env_id].append(
                    {
                        "move": action["move"][row],
                        "lights": action["lights"][row].astype(np.int8),
                        "force": action["force"][row],
                    }
                )
            env.send(action, info["env_id"])
    for env_id in range(3):
        alone = play_alone(seeds[env_id], played[env_id][: len(seen[env_id])])
        for mine, theirs in zip(seen[env_id], alone, strict=True):
            for path, value in leaves(theirs[0]):
                np.testing.assert_array_equal(mine[0][path], value)
            assert mine[1:] == theirs[1:]


def test_spaces_options_and_pickling() -> None:
    spec = envpool.make_spec("Kinds-v0")
    assert spec.gymnasium_observation_space["inner"]["place"] == KINDS["inner"]["place"]
    with envpool.make_gymnasium("Kinds-v0", num_envs=2, length=2, autoreset_mode="same_step") as env:
        assert env.config["length"] == 2
        assert env.single_observation_space == KINDS
        assert env.single_action_space["move"] == spaces.Discrete(3)
        env.reset()
        for _ in range(2):
            *_, terminated, _, info = env.step(actions(np.random.default_rng(0), 2))
        assert terminated.all() and info["final_obs"]["inner"]["flag"].shape == (2, 3)
        again = pickle.loads(pickle.dumps(env))
        with again:
            np.testing.assert_array_equal(again.reset()[0]["position"].shape, (2, 2))
    with envpool.make_dm("GymCartPole-v1", num_envs=2) as dm:
        assert dm.reset().observation.obs.shape == (2, 4)
    with envpool.make_gym("GymCartPole-v1", num_envs=2) as gym:
        gym.reset()


@pytest.mark.parametrize("key", ["class", "a/b", "_hidden"])
def test_dm_env_refuses_names_that_a_namedtuple_cannot_have(key: str) -> None:
    envpool.register_python("GymCartPoleInfo-v1", lambda: gymnasium.make("CartPole-v1"), info={key: float})
    text = re.escape("[GymCartPoleInfo-v1] make_dm: expected observations and infos whose names can be fields")
    with pytest.raises(ValueError, match=f"^{text} .*, got {key!r}$"):
        envpool.make_dm("GymCartPoleInfo-v1")


@pytest.mark.parametrize("key", ["env_id", "players", "seed", "score"])
def test_dm_env_refuses_two_arrays_of_the_same_name(key: str) -> None:
    """The observations, the infos, and the arrays of the pool are fields of one namedtuple."""

    class Named(Kinds):
        def __init__(self) -> None:
            super().__init__()
            self.observation_space = spaces.Dict({key: spaces.Discrete(2)})

    envpool.register_python("Named-v0", Named, info={"score": float})
    text = re.escape("[Named-v0] make_dm: expected arrays with different names")
    with pytest.raises(ValueError, match=f"^{text}.*, got another {key!r}$"):
        envpool.make_dm("Named-v0")
    assert key in envpool.make_spec("Named-v0").observation_space.spaces


def test_seeds_give_the_same_episodes_for_every_number_of_workers() -> None:
    results = []
    for num_workers in (1, 2):
        with envpool.make_gymnasium("GymCartPole-v1", num_envs=3, num_workers=num_workers, seed=[5, 6, 5]) as env:
            results.append([env.reset()[0], *(env.step(np.ones(3, int))[0] for _ in range(30)), env.reset(seed=9)[0]])
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0][0][0], results[0][0][2])
    assert (results[0][0][0] != results[0][0][1]).any()


@pytest.mark.parametrize(
    ("failing", "text"),
    [
        ("raise", r"ZeroDivisionError: the wheel is broken \(python_env_test\.py, line \d+, in broken\)"),
        ("exit", "SystemExit"),
        ("shape", r"ValueError: observation\['image'\]: expected uint8 of shape \(2, 3\), got uint8 of shape \(1, 3\)"),
    ],
    indirect=["failing"],
)
def test_an_environment_that_raises_is_reported_and_reset(failing: Any, text: str) -> None:
    action = actions(np.random.default_rng(0), 4)
    failing.step(action)
    with pytest.raises(EnvError, match=rf"^\[Kinds-v0\] environment 1: {text}") as caught:
        failing.step({**action, "move": np.array([2, 2, 2, 2])})
    assert caught.value.env_id == [1]
    assert caught.value.result[4]["elapsed_step"].tolist() == [2, 0, 2, 2]


@pytest.mark.parametrize("failing", ["die"], indirect=True)
def test_a_worker_that_dies_is_started_again(failing: Any) -> None:
    action = actions(np.random.default_rng(0), 4)
    with pytest.raises(
        EnvError, match=r"\[Kinds-v0\] environment .: its worker process was killed by signal 9"
    ) as caught:
        failing.step({**action, "move": np.array([2, 2, 2, 2])})
    assert 1 in caught.value.env_id and set(caught.value.env_id) <= {0, 1}  # the environments of the first worker
    lost = {0, 1} - set(caught.value.env_id)
    try:
        result = failing.step(action)
    except EnvError as error:  # environment 0 had answered before, and its episode ended with the process
        assert set(error.env_id) == lost == {0}
        result = error.result
    assert result[4]["elapsed_step"].tolist()[2:] == [2, 2]
    assert failing.step(action)[4]["elapsed_step"].tolist()[2:] == [3, 3]


def test_a_worker_that_hangs_is_ended() -> None:
    with envpool.make_gymnasium("Kinds-v0", num_envs=2, fails="hang", num_workers=2, worker_timeout=1) as env:
        env.reset()
        action = actions(np.random.default_rng(0), 2)
        with pytest.raises(EnvError, match="environment 1: its worker process was ended, because it took longer than"):
            env.step({**action, "move": np.array([2, 2])})
        env.step(action)


def test_workers_end_with_their_pool_even_in_a_step() -> None:
    env = envpool.make_gymnasium("Kinds-v0", num_envs=2, fails="hang", num_workers=2)
    running = workers(os.getpid())  # they start when the pool is made
    env.reset()
    assert len(running) == 2 and workers(os.getpid()) == running
    env.send({**actions(np.random.default_rng(0), 2), "move": np.array([2, 2])})
    with pytest.raises(TimeoutError):
        env.recv(timeout=0.2)
    env.close()
    assert workers(os.getpid()) == []
    wait_until_dead(running)


SCRIPT = """
import signal, sys, time
import gymnasium, numpy as np
import envpool
signal.signal(signal.SIGINT, signal.default_int_handler)
class Slow(gymnasium.Env):
    observation_space = action_space = gymnasium.spaces.Discrete(2)
    def reset(self, seed=None, options=None): return 0, {}
    def step(self, action): time.sleep(3 * action); return 0, 0.0, False, False, {}
envpool.register_python("Slow-v0", Slow)
env = envpool.make_gymnasium("Slow-v0", num_envs=2, num_workers=2)
env.reset()
print("ready", flush=True)
"""


def start_script(code: str) -> tuple[subprocess.Popen[str], list[int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT + code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise AssertionError(process.communicate()[1])
    running = workers(process.pid)
    assert len(running) == 2
    return process, running


def test_workers_end_with_kill_9_of_the_parent() -> None:
    process, running = start_script("time.sleep(60)")
    process.kill()
    process.communicate()
    wait_until_dead(running)


def test_ctrl_c_interrupts_a_wait_and_not_the_workers() -> None:
    process, running = start_script(
        "try:\n    env.step(np.ones(2, int))\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
        "env.recv(); env.step(np.zeros(2, int)); print('continued')\n"
    )
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does for Ctrl-C
    out, error = process.communicate(timeout=60)
    assert (out, process.returncode) == ("interrupted\ncontinued\n", 0), error
    wait_until_dead(running)


class NoSpaces:
    """A class that is not an environment."""


def of_space(space: Any, action: Any = None) -> Any:
    class Made(Kinds):
        def __init__(self) -> None:
            self.observation_space, self.action_space = space, action or spaces.Discrete(2)

    return Made


TWO = spaces.Discrete(2)


@pytest.mark.parametrize(
    ("make_env", "error", "text"),
    [
        (NoSpaces, TypeError, "make_env: expected a function that returns a gymnasium.Env, got <"),
        (lambda: 1 / 0, RuntimeError, r"the environment's constructor raised ZeroDivisionError: division by zero \("),
        (
            of_space(spaces.Text(3)),
            TypeError,
            "observation_space: expected Box, Discrete, .* or a Dict of them, got Text",
        ),
        (of_space(spaces.Tuple([TWO])), TypeError, "observation_space: expected Box, .*, got Tuple"),
        (of_space(spaces.Dict(a=spaces.Graph(TWO, TWO))), TypeError, r"observation_space\['a'\]: expected Box"),
        (of_space(spaces.Dict({})), ValueError, "observation_space: expected at least one array, got an empty Dict"),
        (of_space(spaces.Dict({"a.b": TWO})), ValueError, "observation_space: expected keys .* got 'a.b'"),
        (
            of_space(spaces.Box(0, 1, (2,), np.float16)),
            ValueError,
            "observation_space: expected one of the dtypes .* float16",
        ),
        (of_space(TWO, spaces.Discrete(3, start=1)), ValueError, "action_space: expected a Discrete that starts at 0"),
        (
            of_space(TWO, spaces.Dict(a=spaces.Dict(b=TWO))),
            TypeError,
            r"action_space\['a'\]: expected Box, .*, got Dict",
        ),
    ],
)
def test_unsupported_environments(make_env: Any, error: type[Exception], text: str) -> None:
    envpool.register_python("Unsupported-v0", make_env)
    with pytest.raises(error, match=rf"^\[Unsupported-v0\] {text}"):
        envpool.make_gymnasium("Unsupported-v0")


@pytest.mark.parametrize(
    ("make_env", "options", "error", "text"),
    [
        (3, {}, TypeError, "make_env: expected a class or function that returns a gymnasium.Env, got 3"),
        (lambda size: size, {}, TypeError, "make_env: expected .* without arguments, got one that needs 'size'"),
        (Kinds, {"info": ["score"]}, TypeError, "info: expected a mapping of keys"),
        (
            Kinds,
            {"info": {"task_id": np.int32}},
            ValueError,
            "info: expected no key 'task_id', because .* in mixed pools",
        ),
        (
            Kinds,
            {"info": {"final_obs": np.int32}},
            ValueError,
            "info: expected no key 'final_obs', because .*'same_step'",
        ),
        (
            lambda task_id="a": Kinds(),
            {},
            ValueError,
            "make_env: expected keywords .* got 'task_id', .* make_pettingzoo",
        ),
        (Kinds, {"max_episode_steps": -1}, ValueError, "max_episode_steps: expected an int from 0"),
    ],
)
def test_wrong_registrations(make_env: Any, options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=rf"^\[Wrong-v0\] {text}"):
        envpool.register_python("Wrong-v0", make_env, **options)
    with pytest.raises(ValueError, match=r"^\[CartPole-v1\] task_id: expected an id that is not registered yet"):
        envpool.register_python("CartPole-v1", Kinds)


@pytest.mark.parametrize(
    "info",
    [
        {"seed": np.int64},
        {"elapsed_step": np.int64},
        {"env_id": np.int32},
        {"a b": np.int64},
        {3: np.int64},
        {"a": "nothing"},
        {"a": np.float16},
        {"a": spaces.Text(3)},
        {"action_mask": "nothing"},
    ],
)
def test_wrong_info(info: dict[Any, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^\[WrongInfo-v0\] info"):
        envpool.register_python("WrongInfo-v0", Kinds, info=info)
    assert "WrongInfo-v0" not in envpool.list_all_envs()


@pytest.mark.parametrize(
    ("fails", "text"),
    [
        ("space", r"ValueError: observation_space: expected that of the other environments, Dict\(.*, got Box\("),
        ("make", "OSError: no simulator"),
    ],
)
def test_copies_that_differ(fails: str, text: str) -> None:
    with pytest.raises(RuntimeError, match=rf"^\[Kinds-v0\] environment 1: {text}") as caught:
        envpool.make_gymnasium("Kinds-v0", num_envs=3, fails=fails)
    assert not isinstance(caught.value, EnvError)


def test_options_are_checked() -> None:
    assert find("Kinds-v0").reference == ""
    with pytest.raises(TypeError, match="unknown option 'lenght'; did you mean 'length'"):
        envpool.make_gymnasium("Kinds-v0", lenght=3)
    with pytest.raises(ValueError, match="num_workers: expected an int from 0"):
        envpool.make_gymnasium("Kinds-v0", num_workers=-1)


class Switches(gymnasium.Env):
    """Has an action of booleans, and observes it."""

    observation_space = spaces.Box(0, 1, (3,), np.float32)
    action_space = spaces.Box(0, 1, (3,), bool)

    def reset(self, **_: Any) -> tuple[Any, dict[str, Any]]:
        return np.zeros(3, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert action.dtype == bool
        return action.astype(np.float32), 0.0, False, False, {}


def test_a_pool_accepts_samples_of_its_space_of_booleans() -> None:
    envpool.register_python("Switches-v0", Switches)
    with envpool.make_gymnasium("Switches-v0", num_envs=2) as env:
        env.reset()
        sample = np.stack([env.action_space.sample() for _ in range(2)])
        for action in (sample, sample.astype(bool), sample.astype(np.int64), sample.astype(np.uint8)):
            obs, *_ = env.step(action)
            np.testing.assert_array_equal(obs, sample)
        with pytest.raises(ValueError, match=r"\[Switches-v0\] action: expected True or False, got 2 in row 1"):
            env.step(np.array([[0, 1, 0], [0, 2, 0]]))
        with pytest.raises(TypeError, match="expected booleans"):
            env.step(sample.astype(np.float32))


def test_binary_observations_have_the_dtype_of_gymnasiums_space() -> None:
    pytest.importorskip("pettingzoo")

    class Binary(Switches):
        def __init__(self) -> None:
            self.observation_space = gymnasium.spaces.Dict(
                {"flags": spaces.MultiBinary([2, 3]), "on": self.action_space}
            )

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            return {"flags": np.ones((2, 3), np.int8), "on": np.ones(3, bool)}, {}

    envpool.register_python("Binary-v0", Binary)
    vector, pool = envpool.make_vec("Binary-v0", num_envs=2), envpool.make("Binary-v0")
    single, world = gymnasium.make("envpool/Binary-v0"), envpool.make_pettingzoo("Binary-v0")
    of_vector, of_world = vector.reset()[0], world.reset()[0]["player_0"]
    assert vector.observation_space.contains(of_vector)
    for observation, flags, on in (
        (of_vector, np.int8, np.bool_),
        (single.reset()[0], np.int8, np.bool_),
        (of_world, np.int8, np.int8),  # PettingZoo's tests compare dtypes with those of the space
        (world.observe()[0]["player_0"], np.int8, np.int8),
        (pool.reset()[0], np.uint8, np.bool_),
    ):
        assert (observation["flags"].dtype, observation["on"].dtype) == (flags, on)
    for env in (vector, pool, single, world):
        env.close()


def test_options_of_single_environments() -> None:
    """The keywords of the environment may change its spaces, so that only the time limit can differ."""
    envpool.register_python("Switches-v0", Switches)
    limits: list[dict[str, Any]] = [{}, {"max_episode_steps": 2}]
    with envpool.make_gymnasium("Switches-v0", num_envs=2, env_options=limits) as env:
        env.reset()
        truncated = [env.step(np.zeros((2, 3), bool))[3].tolist() for _ in range(2)]
    assert truncated == [[False, False], [False, True]]


def test_bounds_that_are_nan_are_refused() -> None:
    class Unbounded(Switches):
        def __init__(self) -> None:
            self.action_space = spaces.Box(-1, 1, (2,))
            self.action_space.low[:] = np.nan

    envpool.register_python("Unbounded-v0", Unbounded)
    with pytest.raises(ValueError, match=r"\[Unbounded-v0\] action_space: expected bounds that are numbers, got nan"):
        envpool.make_gymnasium("Unbounded-v0")
