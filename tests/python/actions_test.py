# SPDX-License-Identifier: Apache-2.0
"""Tests that every interface raises the same errors, with the same texts, for bad actions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401 (registers AllTypes and Crowd)
from envpool.python import actions

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
NAN, INF = float("nan"), float("inf")


class Hostile:
    """An object that NumPy cannot convert to an array."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no")


class Tensor:
    """An object like a tensor of torch that requires gradients."""

    def detach(self) -> Any: ...

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("Use tensor.detach().numpy() instead.")


def integer(got: str, row: int) -> str:
    return f"action: expected an integer in 0..1, got {got} in row {row}"


def rows(got: str) -> str:
    return f"action: expected shape (4,), one row per environment, got {got}"


WHOLE = "action: expected integers (int32), got "
FLOATS = "action: expected floats (float32), got "
CARE = {"move": np.zeros(2, np.int32), "turn": np.zeros((2, 2), np.float32)}
COUNTS = {"CartPole-v1": 4, "Pendulum-v1": 2, "AllTypes-v0": 2}
# Each case has an id, a bad action, the type of its error, and the error's text after the id.
BAD: list[tuple[str, Any, type[Exception], str]] = [
    ("CartPole-v1", None, TypeError, WHOLE + "None"),
    ("CartPole-v1", "left", TypeError, WHOLE + "<U4"),
    ("CartPole-v1", ["0"] * 4, TypeError, WHOLE + "<U1"),
    ("CartPole-v1", [b"0"] * 4, TypeError, WHOLE + "|S1"),
    ("CartPole-v1", np.array([None] * 4), TypeError, WHOLE + "object"),
    ("CartPole-v1", [2**80, 0, 0, 0], TypeError, WHOLE + "object"),
    ("CartPole-v1", [[0], [0, 1], 0, 0], TypeError, WHOLE + "list"),
    ("CartPole-v1", Hostile(), TypeError, WHOLE + "Hostile"),
    ("CartPole-v1", np.zeros(4, complex), TypeError, WHOLE + "complex128"),
    ("CartPole-v1", np.zeros((4, 1), complex), TypeError, WHOLE + "complex128"),
    ("CartPole-v1", np.ma.array([0, 1, 0, 1], mask=[0, 0, 1, 0]), TypeError, WHOLE + "MaskedArray"),
    ("CartPole-v1", np.ma.zeros(4, np.int32), TypeError, WHOLE + "MaskedArray"),
    ("CartPole-v1", np.zeros(3, np.int32), ValueError, rows("(3,)")),
    ("CartPole-v1", np.zeros(0, np.int32), ValueError, rows("(0,)")),
    ("CartPole-v1", np.zeros((4, 1), np.int32), ValueError, rows("(4, 1)")),
    ("CartPole-v1", 0, ValueError, rows("()")),
    ("CartPole-v1", np.array([0, 0, 2, 0], np.int32), ValueError, integer("2", 2)),
    ("CartPole-v1", np.array([-1, 0, 2, 0], np.int32), ValueError, integer("-1", 0)),
    ("CartPole-v1", [0, 0, 0, 2**40], ValueError, integer("1099511627776", 3)),
    ("CartPole-v1", [0, -(2**63), 0, 0], ValueError, integer("-9223372036854775808", 1)),
    ("CartPole-v1", np.array([0, 255, 0, 0], np.uint8), ValueError, integer("255", 1)),
    ("CartPole-v1", np.array([0, 2**64 - 1, 0, 0], np.uint64), ValueError, integer("18446744073709551615", 1)),
    ("CartPole-v1", np.zeros((8,), np.int32)[::2] + 5, ValueError, integer("5", 0)),
    ("CartPole-v1", [0, 0.5, 0, 0], ValueError, integer("0.5", 1)),
    ("CartPole-v1", [0, 0, NAN, 0], ValueError, integer("nan", 2)),
    ("CartPole-v1", [0, 0, -INF, 0], ValueError, integer("-inf", 2)),
    ("CartPole-v1", [1e300, 0, 0, 0], ValueError, integer("1e+300", 0)),
    ("CartPole-v1", [0, 2.0, 0, 0], ValueError, integer("2", 1)),
    ("CartPole-v1", {}, ValueError, "action: expected keys action, got no key action"),
    ("CartPole-v1", {"action": [0] * 4, "jump": 1}, ValueError, "action: expected keys action, got unknown key jump"),
    ("CartPole-v1", {"action": [0, 0, 0, 3]}, ValueError, integer("3", 3)),
    ("Pendulum-v1", None, TypeError, FLOATS + "None"),
    ("Pendulum-v1", "up", TypeError, FLOATS + "<U2"),
    ("Pendulum-v1", np.ones((2, 1), bool), TypeError, FLOATS + "bool"),
    ("Pendulum-v1", np.ones((2, 1), object), TypeError, FLOATS + "object"),
    ("Pendulum-v1", Tensor(), TypeError, FLOATS + "Tensor: Use tensor.detach().numpy() instead."),
    ("Pendulum-v1", [Tensor()] * 2, TypeError, FLOATS + "list: Use tensor.detach().numpy() instead."),
    ("Pendulum-v1", [0.5, 0.5], ValueError, "action: expected shape (2, 1), one row per environment, got (2,)"),
    ("Pendulum-v1", np.float32([[0], [NAN]]), ValueError, "action: expected finite numbers, got nan in row 1"),
    ("Pendulum-v1", np.float32([[-NAN], [0]]), ValueError, "action: expected finite numbers, got nan in row 0"),
    ("Pendulum-v1", np.float32([[INF], [0]]), ValueError, "action: expected finite numbers, got inf in row 0"),
    ("Pendulum-v1", [[0.0], [-INF]], ValueError, "action: expected finite numbers, got -inf in row 1"),
    ("Pendulum-v1", [[0.0], [1e300]], ValueError, "action: expected finite numbers, got inf in row 1"),
    ("AllTypes-v0", CARE["move"], TypeError, "action: expected a dict with keys move, turn, got ndarray"),
    ("AllTypes-v0", 0, TypeError, "action: expected a dict with keys move, turn, got int"),
    ("AllTypes-v0", None, TypeError, "action: expected a dict with keys move, turn, got None"),
    ("AllTypes-v0", {"move": CARE["move"]}, ValueError, "action: expected keys move, turn, got no key turn"),
    ("AllTypes-v0", {**CARE, "jump": 1, 3: 4}, ValueError, "action: expected keys move, turn, got unknown key jump"),
    ("AllTypes-v0", {**CARE, "move": None}, TypeError, "move: expected integers (int32), got None"),
    ("AllTypes-v0", {**CARE, "move": [3, 0]}, ValueError, "move: expected an integer in 0..2, got 3 in row 0"),
    (
        "AllTypes-v0",
        {**CARE, "turn": np.float32([[0, 0], [0, NAN]])},
        ValueError,
        "turn: expected finite numbers, got nan in row 1",
    ),
]
GOOD = {"CartPole-v1": np.zeros(4, np.int32), "Pendulum-v1": np.zeros((2, 1), np.float32), "AllTypes-v0": CARE}


def jax_pool(task_id: str) -> Any:
    pytest.importorskip("jax")
    env = envpool.make(task_id, num_envs=COUNTS[task_id])
    env.reset()
    handle, _, _, step = env.xla()
    return lambda action: step(handle, action)


def jax_batch(task_id: str) -> Any:
    jax = pytest.importorskip("jax")
    env, _ = envpool.jax.make(task_id)
    _, state = env.reset_batch(jax.random.PRNGKey(0), COUNTS[task_id])
    return lambda action: env.step_batch(None, state, action)


def pool(make: Any, **options: Any) -> Any:
    def interface(task_id: str) -> Any:
        env = make(task_id, num_envs=COUNTS[task_id], **options)
        env.reset()
        return env.step

    return interface


def vector_sb3(task_id: str) -> Any:
    pytest.importorskip("stable_baselines3")
    env = envpool.make_sb3(task_id, COUNTS[task_id])
    env.reset()
    return env.step


def checker(task_id: str) -> Any:
    """Returns a step function that checks actions as envpool.ray does, but does not need Ray."""
    fields = envpool.make_spec(task_id).arrays.actions

    def step(action: Any) -> None:
        values = actions.split(fields, action)
        for field in fields:
            array = actions.as_array(field, values[field.name])
            actions.check(field, array, (COUNTS[task_id], *field.shape), "environment", allow_whole_floats=True)

    return step


def across_ray(task_id: str) -> Any:
    pytest.importorskip("ray")
    if task_id == "AllTypes-v0":
        pytest.skip("envpool.ray takes one action field")
    env = envpool.ray.make(task_id, COUNTS[task_id], 2)
    env.reset()
    return env.step


INTERFACES = {
    "gymnasium": pool(envpool.make),
    "vector": pool(envpool.make_vec),
    "gym": pool(envpool.make_gym, step_api="classic"),
    "dm": pool(envpool.make_dm),
    "same step": pool(envpool.make, num_threads=2, autoreset_mode="same_step"),
    "sb3": vector_sb3,
    "jax pool": jax_pool,
    "jax batch": jax_batch,
    "checker": checker,
    "ray": across_ray,
}


@pytest.mark.parametrize("name", INTERFACES)
@pytest.mark.parametrize("task_id", COUNTS)
def test_every_interface_raises_the_same_errors(task_id: str, name: str) -> None:
    step = INTERFACES[name](task_id)
    label = "" if name == "checker" else f"[{task_id}] "
    for _, action, error, text in [entry for entry in BAD if entry[0] == task_id]:
        value = action.get("action") if isinstance(action, dict) else action
        floats = task_id == "CartPole-v1" and isinstance(value, list) and any(isinstance(item, float) for item in value)
        if (
            name.startswith("jax") and floats
        ):  # JAX's interfaces accept no floats, because the values of traced arrays are unknown
            error, text = TypeError, WHOLE + "float64"
        with pytest.raises((TypeError, ValueError)) as caught:
            step(action)
        assert (type(caught.value), str(caught.value)) == (error, label + text), repr(action)
    step(GOOD[task_id])


@pytest.mark.parametrize("name", ["jax pool", "jax batch"])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1"])
def test_values_of_traced_actions(task_id: str, name: str) -> None:
    jax = pytest.importorskip("jax")
    step = jax.jit(INTERFACES[name](task_id))
    tried = 0
    for _, action, error, text in [entry for entry in BAD if entry[0] == task_id]:
        if type(action) is np.ndarray and action.dtype in (np.int32, np.uint8, np.float32) and action.size:
            with pytest.raises(error if "shape" in text else RuntimeError) as caught:
                jax.block_until_ready(step(action))
            assert f"[{task_id}] {text}" in str(caught.value), repr(action)
            tried += 1
    assert tried >= 3
    jax.block_until_ready(step(GOOD[task_id]))


def test_errors_of_pure_functions_name_the_player() -> None:
    jax = pytest.importorskip("jax")
    env, _ = envpool.jax.make("Crowd-v0")
    _, state = env.reset_batch(jax.random.PRNGKey(0), 2)
    text = "action: expected an integer in 0..2, got 3 of player 1 in row 1"
    action = np.zeros((2, 4), np.int32)
    action[1, 1] = 3
    with pytest.raises(ValueError, match=rf"^\[Crowd-v0\] {text}$"):
        env.step_batch(None, state, action)
    with pytest.raises(RuntimeError, match=rf"\[Crowd-v0\] {text}"):
        jax.block_until_ready(jax.jit(lambda a: env.step_batch(None, state, a)[2])(action))
    with pytest.raises(ValueError, match=r"expected shape \(2, 4\), one row per environment, got \(2,\)$"):
        env.step_batch(None, state, action[:, 0])


def test_one_environment_of_pure_functions() -> None:
    jax = pytest.importorskip("jax")
    env, _ = envpool.jax.make("CartPole-v1")
    _, state = env.reset(jax.random.PRNGKey(0))
    for action, error, text in (
        (7, ValueError, integer("7", 0)),
        ([0], ValueError, "action: expected shape (), got (1,)"),
        (None, TypeError, WHOLE + "None"),
        (np.ma.masked, TypeError, WHOLE + "MaskedConstant"),
    ):
        with pytest.raises(error) as caught:
            env.step(None, state, action)
        assert str(caught.value) == f"[CartPole-v1] {text}"


def test_numbers_that_do_not_fit_the_dtype_of_a_traced_field() -> None:
    """A finite float64 that overflows to an infinite float32 is refused."""
    jax = pytest.importorskip("jax")
    env = envpool.make("Pendulum-v1", num_envs=2)
    env.reset()
    handle, _, _, step = env.xla()
    older = hasattr(jax.experimental, "enable_x64")
    with jax.experimental.enable_x64() if older else jax.enable_x64(True):  # noqa: FBT003
        traced = jax.jit(lambda a: step(handle, a))
        with pytest.raises(RuntimeError, match="action: expected finite numbers, got inf in row 1"):
            jax.block_until_ready(traced(np.array([[0.0], [1e300]])))


@pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")
def test_values_are_checked_in_one_file_per_language() -> None:
    folders = [Path(SOURCE or "", "envpool", name) for name in ("bindings", "core", "jax", "python", "ray")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".h", ".cc", ".py")]
    homes = {f"{path.parent.name}/{path.name}" for path in files if "finite numbers" in path.read_text("utf-8")}
    assert homes == {"bindings/action_values.h", "python/actions.py"}
