# SPDX-License-Identifier: Apache-2.0
"""Tests what pools accept from Python environments, and how they report results and exceptions that they refuse."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.python.errors import EnvError

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("cloudpickle")
spaces = gymnasium.spaces

SPACE = spaces.Dict(a=spaces.Box(-1, 1, (2,)), b=spaces.Dict(c=spaces.Box(0, 255, (), np.uint8)))
GOOD = {"a": np.zeros(2, np.float32), "b": {"c": np.uint8(0)}}


class Bad(Exception):
    """Has no text."""

    def __str__(self) -> str:
        raise ValueError("no text")

    __repr__ = __str__


def throw(error: BaseException) -> Any:
    raise error


def recurse(depth: int) -> int:
    return recurse(depth + 1) + 1


def pool_of(step: Callable[[], Any] | None = None, reset: Callable[[], Any] | None = None) -> Any:
    """Returns a pool of one environment whose step and reset return these values."""

    class Env(gymnasium.Env):
        observation_space, action_space = SPACE, spaces.Discrete(2)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return reset() if reset else (GOOD, {})

        def step(self, action: Any) -> Any:
            return step() if step else (GOOD, 0.0, False, False, {})

    envpool.register_python("Result-v0", Env, info={"i": np.int32})
    return envpool.make_gymnasium("Result-v0", num_envs=1)


def after(obs: Any = None, reward: Any = 0.0, terminated: Any = False, truncated: Any = False, info: Any = None) -> Any:
    result = GOOD if obs is None else obs, reward, terminated, truncated, {} if info is None else info
    return pool_of(lambda: result)


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"terminated": "no"}, "terminated: expected a bool, got 'no'"),
        ({"terminated": None}, "terminated: expected a bool, got None"),
        ({"terminated": 2}, "terminated: expected a bool, got 2"),
        ({"terminated": 1.0}, "terminated: expected a bool, got 1.0"),
        ({"truncated": np.array([True, False])}, "truncated: expected a bool, got array([ True, False])"),
        ({"truncated": Bad()}, "truncated: expected a bool, got <a Bad whose text cannot be made: ValueError>"),
        ({"reward": "3"}, "reward: expected a real number, got '3'"),
        ({"reward": None}, "reward: expected a real number, got None"),
        ({"reward": 1j}, "reward: expected a real number, got 1j"),
        ({"reward": np.complex64(1)}, "reward: expected a real number, got "),
        ({"reward": np.array(["3"])}, "reward: expected a real number, got array(['3']"),
        ({"reward": np.zeros(2)}, "reward: expected a real number, got array([0., 0.])"),
        ({"reward": [1.0]}, "reward: expected a real number, got [1.0]"),
        ({"reward": 1e39}, "reward: expected a number that float32 can hold, got 1e+39"),
        ({"reward": -(10**400)}, "reward: expected a number that float32 can hold, got -1000"),
        ({"reward": np.float64(1e300)}, "reward: expected a number that float32 can hold, got "),
        ({"info": [1]}, "info: expected a dict, got [1]"),
        ({"info": {"i": 2**31}}, "info['i']: expected values that int32 can hold, got 2147483648 of dtype int64"),
        ({"info": {"i": "x"}}, "info['i']: expected int32 of shape (), got <U1 of shape ()"),
        ({"info": {"i": 0.5}}, "info['i']: expected values that int32 can hold, got 0.5 of dtype float64"),
        ({"info": {"i": np.nan}}, "info['i']: expected values that int32 can hold, got nan of dtype float64"),
        ({"obs": 0}, "observation: expected a dict with the key 'a', got 0"),
        ({"obs": {"b": 0}}, "observation: expected a dict with the key 'a', got one with 'b'"),
        ({"obs": {"a": [0, 0], "b": {}}}, "observation['b']: expected a dict with the key 'c', got one with no keys"),
        (
            {"obs": {**GOOD, "a": [[1], [2, 3]]}},
            "observation['a']: expected float32 of shape (2,), got [[1], [2, 3]]: ",
        ),
        (
            {"obs": {**GOOD, "a": np.array([0, 1e39])}},
            "observation['a']: expected values that float32 can hold, got 1e+39 of dtype float64",
        ),
        (
            {"obs": {**GOOD, "b": {"c": np.array(300)}}},
            "observation['b']['c']: expected values that uint8 can hold, got 300 of dtype int64",
        ),
        ({"obs": {**GOOD, "b": {"c": 10**30}}}, "observation['b']['c']: expected uint8 of shape (), got object"),
    ],
)
def test_wrong_results_are_reported(given: dict[str, Any], text: str) -> None:
    with after(**given) as env:
        env.reset()
        with pytest.raises(EnvError) as caught:
            env.step([0])
        message = str(caught.value)
        assert re.match(r"\[Result-v0\] environment 0: (TypeError|ValueError): ", message), message
        assert message.split(": ", 2)[2].startswith(text), message


@pytest.mark.parametrize(
    ("given", "reward", "over"),
    [
        ({"reward": np.float64(1.5), "terminated": np.True_}, 1.5, True),
        ({"reward": np.array([2]), "terminated": np.int64(1)}, 2, True),
        ({"reward": True, "truncated": 0}, 1, False),
        ({"reward": np.uint8(3), "terminated": 0, "truncated": np.uint8(1)}, 3, False),
        ({"reward": -np.inf}, -np.inf, False),
        ({"reward": 3.4028235e38}, np.float32(3.4028235e38), False),
        ({"obs": {**GOOD, "a": np.array([np.inf, np.nan])}}, 0, False),
        ({"obs": {**GOOD, "a": (np.float64(0.1), 1)}}, 0, False),
    ],
)
def test_results_of_other_types(given: dict[str, Any], reward: float, over: bool) -> None:
    with after(**given) as env:
        env.reset()
        _, rewards, terminated, *_ = env.step([0])
    assert (rewards[0], terminated[0]) == (reward, over)


@pytest.mark.parametrize("value", [np.uint8(3), np.int64(3), np.float16(3), 3, 3.0, np.array(3), np.float64(3)])
def test_numbers_of_info(value: Any) -> None:
    with after(info={"i": value}) as env:
        env.reset()
        assert env.step([0])[4]["i"].tolist() == [3]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Bad(), r"Bad: <a Bad whose text cannot be made: ValueError> \(results_test.py, line \d+, in throw\)"),
        (ValueError("x" * 10**7), r"ValueError: x{700,}\.\.\. \(results_test.py, line \d+, in throw\)"),
        (ValueError("\u1234" * 10**5), r"ValueError: \u1234{250,}\.\.\. \("),
        (ValueError("a\0b"), r"ValueError: a\?b \("),
        (SystemExit(3), r"SystemExit: 3 \("),
        (KeyboardInterrupt(), r"KeyboardInterrupt \("),
        (GeneratorExit(), r"GeneratorExit \("),
    ],
)
@pytest.mark.parametrize("where", ["reset", "step"])
def test_any_exception_is_reported_with_its_traceback(error: BaseException, text: str, where: str) -> None:
    begun: list[int] = []

    def fail() -> Any:
        begun.append(0)
        if where == "step" or len(begun) == 2:
            throw(error)
        return GOOD, {}

    with pool_of(**{where: fail}) as env:
        env.reset()
        with pytest.raises(EnvError, match=rf"\[Result-v0\] environment 0: {text}") as caught:
            _ = env.reset() if where == "reset" else env.step([0])
        assert "Traceback (most recent call last):" in str(caught.value)
        assert re.search(r"results_test.py, line \d+, in fail", str(caught.value))


def test_an_endless_recursion_is_reported() -> None:
    with pool_of(lambda: recurse(0)) as env:
        env.reset()
        with pytest.raises(EnvError, match=r"RecursionError: .* \(results_test.py, line \d+, in recurse\)"):
            env.step([0])


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), Bad(), MemoryError()])
def test_a_constructor_that_raises_anything(error: BaseException) -> None:
    envpool.register_python("Unmade-v0", lambda: throw(error))
    with pytest.raises(RuntimeError, match=rf"the environment's constructor raised {type(error).__name__}.*in throw\)"):
        envpool.make_gymnasium("Unmade-v0")


def test_rendering_is_refused_with_a_reason() -> None:
    with pytest.raises(ValueError, match="render_mode: expected None, because the environment cannot be rendered"):
        envpool.make_gymnasium("Result-v0", render_mode="rgb_array")


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64])
def test_discrete_actions_have_the_dtype_of_their_space(dtype: Any) -> None:
    try:
        space = spaces.Discrete(3, dtype=dtype)
    except TypeError:
        pytest.skip("this gymnasium has no Discrete spaces of other dtypes")

    class Env(gymnasium.Env):
        observation_space, action_space = spaces.Discrete(3), space

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return 0, {}

        def step(self, action: Any) -> Any:
            assert action.dtype == dtype and self.action_space.contains(action)
            return int(action), 0.0, False, False, {}

    envpool.register_python("Typed-v0", Env)
    with envpool.make_gymnasium("Typed-v0", num_envs=3) as env:
        env.reset()
        assert env.step([0, 1, 2])[0].tolist() == [0, 1, 2]


WITHOUT_CLOUDPICKLE = """
import sys
sys.modules["cloudpickle"] = None
import gymnasium, envpool
class Mine(gymnasium.Env):
    observation_space = action_space = gymnasium.spaces.Discrete(2)
for make in (Mine, lambda: Mine(), lambda x=1: Mine()):
    try:
        envpool.register_python("Mine-v0", make)
    except TypeError as error:
        print(error)
"""


def test_a_class_of_the_main_script_needs_cloudpickle(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(WITHOUT_CLOUDPICKLE)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stdout + done.stderr
    assert all("pip install cloudpickle" in line and "can be pickled" in line for line in lines)
    assert "Mine is defined in the main script" in lines[0]
