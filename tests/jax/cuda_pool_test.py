# SPDX-License-Identifier: Apache-2.0
"""Tests the handlers of pools on a GPU with a mock of XLA. The host cannot read the stand-in's device memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401 (registers Crowd)
from tests.cuda.device_arrays import OnDevice
from tests.cuda.nvrtc import SOURCE
from tests.jax.xla import DeviceBuffer, Xla, XlaError
from tests.standin.driver import STANDIN, Driver

jax = pytest.importorskip("jax")

from tests.jax.cuda_test import has_nvrtc  # noqa: E402

pytestmark = [
    pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are"),
    pytest.mark.skipif(not has_nvrtc(), reason="needs NVRTC, which is not installed with the old releases of JAX"),
    pytest.mark.filterwarnings("ignore:.*is a stand-in"),
]

BY_OPERAND, BY_ATTRIBUTE = 1, 2


@pytest.fixture(scope="module", autouse=True)
def every_type() -> None:
    envpool.compile(Path(str(SOURCE), "tests", "environments", "all_types.h"), "EveryType-v0")


@pytest.fixture
def xla(monkeypatch: pytest.MonkeyPatch) -> Iterator[Xla]:
    monkeypatch.setenv("ENVPOOL_LIBCUDA", str(STANDIN))
    monkeypatch.delenv("ENVPOOL_STANDIN_MODE", raising=False)
    envpool.jax.ffi._interface()  # This tells the handlers how to compile.
    yield Xla(Driver())


class Calls:
    """The functions of a pool on the GPU, called through the mock as jitted code calls them."""

    def __init__(self, xla: Xla, env: Any) -> None:
        self.xla, self.env = xla, env
        given, _, send, _ = env.xla()
        calls = send.__self__
        self.handle = DeviceBuffer.of(xla.driver, given)
        self.pool, self.outputs, self.rows = int(calls._pool), calls._outputs.tolist(), calls._rows

    def results(self) -> list[DeviceBuffer]:
        narrow = jax.dtypes.canonicalize_dtype
        made = [DeviceBuffer(self.xla.driver, shape, narrow(dtype)) for shape, dtype in self.rows]
        return [DeviceBuffer(self.xla.driver, (8,), np.uint8), *made]

    def send(self, *operands: Any, named: int = 0, ids: tuple[int, ...] = ()) -> None:
        given = [self.handle, *(DeviceBuffer.of(self.xla.driver, operand) for operand in operands)]
        handle = DeviceBuffer(self.xla.driver, (8,), np.uint8)
        self.xla.call("envpool_pool_send", given, [handle], pool=self.pool, named=named, ids=ids)
        np.testing.assert_array_equal(handle.numpy(), self.handle.numpy())

    def recv(self) -> dict[str, np.ndarray]:
        results = self.results()
        self.xla.call("envpool_pool_recv", [self.handle], results, pool=self.pool, outputs=self.outputs)
        return self.named(results)

    def step(self, *operands: Any, named: int = 0, ids: tuple[int, ...] = (), fail: int = 0) -> dict[str, np.ndarray]:
        """Steps. If `fail` is given, the driver call with that number fails for lack of memory."""
        given = [self.handle, *(DeviceBuffer.of(self.xla.driver, operand) for operand in operands)]
        results = self.results()
        attributes = {"pool": self.pool, "named": named, "ids": ids, "outputs": self.outputs}
        if fail:
            self.xla.driver.fail(fail, 2)
        self.xla.call("envpool_pool_step", given, results, **attributes)
        return self.named(results)

    def named(self, results: list[DeviceBuffer]) -> dict[str, np.ndarray]:
        """Returns the results by the names of the pool's outputs."""
        return dict(zip(self.env._layout.outputs, (result.numpy() for result in results[1:]), strict=True))


def make(task_id: str = "CartPole-v1", num_envs: int = 4, **options: Any) -> Any:
    return envpool.make_gymnasium(task_id, num_envs=num_envs, **{"seed": 3, "device": "cuda", **options})


def outputs_of(env: Any, pack: Any) -> dict[str, np.ndarray]:
    """Returns the arrays of a plain pool's step by name."""
    return dict(zip(env._layout.outputs, (np.asarray(array) for array in pack), strict=True))


@pytest.mark.parametrize("task_id", ["CartPole-v1", "EveryType-v0", "TagGridWorld-v0", "TicTacToe-v1"])
def test_steps_are_those_of_the_cpu(xla: Xla, task_id: str) -> None:
    options = {"num_envs": 5, "max_episode_steps": 9, "autoreset_mode": "same_step"}
    env, plain = make(task_id, **options), make(task_id, device="cpu", **options)
    env.reset(), plain.reset()
    calls, rng = Calls(xla, env), np.random.default_rng(1)
    for _ in range(25):
        rows = 5 * env.spec.arrays.actors
        if task_id == "EveryType-v0":
            action: Any = {"move": rng.integers(0, 3, 5).astype("i4"), "turn": rng.normal(size=(5, 2)).astype("f4")}
        else:
            action = {"action": rng.integers(0, 2, rows).astype("i4")}
        ours = calls.step(*action.values())
        plain.send(action if task_id == "EveryType-v0" else action["action"])
        theirs = dict(zip(plain._layout.outputs, plain._pool.recv(), strict=True))
        for name, array in theirs.items():
            left, right = ours[name], np.asarray(array).astype(ours[name].dtype)
            if name.startswith("final.") and len(right) == 5:
                ended = theirs["terminated"] | theirs["truncated"]
                now = ours.get(name.removeprefix("final."))
                np.testing.assert_array_equal(left[ended], right[ended], name)
                if now is not None:
                    np.testing.assert_array_equal(left[~ended], now[~ended], name)
            elif not name.startswith("final."):
                np.testing.assert_array_equal(left, right, name)


def test_asynchronous_groups_overlap_with_xlas_stream(xla: Xla) -> None:
    """XLA may overwrite the actions as soon as its stream reaches the next operation."""
    env, plain = make(num_envs=4, batch_size=2), make(num_envs=4, device="cpu")
    calls = Calls(xla, env)
    env.async_reset(), plain.reset()
    first = [calls.recv() for _ in range(2)]
    assert [each["env_id"].tolist() for each in first] == [[0, 1], [2, 3]]
    for step in range(6):
        for group in range(2):
            action = DeviceBuffer.of(xla.driver, np.array([step % 2, group], np.int32))
            ids = DeviceBuffer.of(xla.driver, np.array([2 * group, 2 * group + 1], np.int32))
            handle = DeviceBuffer(xla.driver, (8,), np.uint8)
            given = [calls.handle, ids, action]
            xla.call("envpool_pool_send", given, [handle], pool=calls.pool, named=BY_OPERAND, ids=[])
            for buffer in (action, ids):  # in the order of XLA's stream
                xla.driver.call("cuMemsetD8Async", buffer.address, 0xEE, buffer.nbytes, xla.stream)
        theirs = plain.step(np.array([step % 2, 0, step % 2, 1], np.int32))
        for group in range(2):
            ours = calls.recv()
            np.testing.assert_array_equal(ours["obs"], theirs[0][2 * group : 2 * group + 2])
            np.testing.assert_array_equal(ours["env_id"], [2 * group, 2 * group + 1])


def test_some_environments_and_padding(xla: Xla) -> None:
    env = make()
    env.reset()
    calls = Calls(xla, env)
    ours = calls.step(np.zeros(2, "i4"), named=BY_ATTRIBUTE, ids=(3, 1))
    assert ours["env_id"].tolist() == [3, 1, -1, -1] and ours["elapsed_step"].tolist() == [1, 1, 0, 0]
    assert not ours["obs"][2:].any()
    assert calls.step(np.zeros(4, "i4"))["elapsed_step"].tolist() == [1, 2, 1, 2]


def test_faults_are_raised_by_the_next_call(xla: Xla) -> None:
    env = make()
    env.reset()
    calls = Calls(xla, env)
    ours = calls.step(np.array([0, 5, 0, 0], "i4"))
    assert ours["elapsed_step"].tolist() == [1, 0, 1, 1]
    with pytest.raises(
        XlaError, match=r"^\[CartPole-v1\] action: expected an integer in 0..1, got another value in row 1"
    ):
        calls.step(np.zeros(4, "i4"))
    ours = calls.step(np.zeros(4, "i4"), named=0)
    assert ours["elapsed_step"].tolist() == [2, 1, 2, 2]
    ours = calls.step(np.array([0, 2, 1, 3], "i4"), np.zeros(4, "i4"), named=BY_OPERAND)
    assert ours["elapsed_step"].tolist() == [3, 1, 2, 3]
    with pytest.raises(XlaError, match="env_id: expected the ids of the batch .* another id in row [12] of an earlier"):
        calls.recv()


def test_a_fault_found_during_a_step_is_raised_by_the_next_call(xla: Xla, monkeypatch: pytest.MonkeyPatch) -> None:
    """With this driver, the host waits for readers in the middle of a step, which then finds the earlier fault."""
    monkeypatch.setenv("ENVPOOL_STANDIN_VERSION", "12010")
    env = make()
    observation = env.reset()[0]
    assert observation.__cuda_array_interface__  # another library reads the array
    del observation
    calls = Calls(xla, env)
    bad, stay = (
        OnDevice(np.array([0, 5, 0, 0], "i4"), driver=xla.driver),
        DeviceBuffer.of(xla.driver, np.zeros(4, "i4")),
    )
    attributes = {"pool": calls.pool, "named": 0, "ids": (), "outputs": calls.outputs}
    rows, errors = [calls.results() for _ in range(4)], []
    assert env.step(bad)[0].__cuda_array_interface__
    for results in rows:  # Nothing between these calls runs the kernels.
        try:
            xla.call("envpool_pool_step", [calls.handle, stay], results, **attributes)
            errors.append("")
        except XlaError as error:
            errors.append(str(error))
    assert [bool(error) for error in errors] == [False, True, False, False]
    assert errors[1].startswith("[CartPole-v1] action: expected an integer in 0..1, got another value in row 1")
    steps = [calls.named(results)["elapsed_step"].tolist() for results in (rows[0], *rows[2:])]
    assert steps == [[2, 1, 2, 2], [3, 2, 3, 3], [4, 3, 4, 4]]


def test_refused_calls(xla: Xla) -> None:
    env = make()
    env.reset()
    calls, stay = Calls(xla, env), np.zeros(4, "i4")
    with pytest.raises(XlaError, match=r"^\[CartPole-v1\] recv: nothing is under way"):
        calls.recv()
    calls.send(stay)
    with pytest.raises(XlaError, match="send: environment 0 is under way; receive its result first"):
        calls.send(stay)
    assert calls.recv()["elapsed_step"].tolist() == [1] * 4
    for name in ("send", "recv", "step"):
        assert xla.traits(f"envpool_pool_{name}") == 0  # a replay would not see that the pool was closed
    with pytest.raises(XlaError, match="CUDA_ERROR_OUT_OF_MEMORY"):
        calls.step(stay, fail=6)
    xla.driver.fail(0)
    env.close()
    with pytest.raises(XlaError, match=r"^\[CartPole-v1\] step: the pool is closed"):
        calls.step(stay)
    env = make()
    calls = Calls(xla, env)
    calls.env = None
    del env
    with pytest.raises(XlaError, match="the pool is closed|the pool of this program was deleted"):
        calls.recv()


def test_a_program_on_the_wrong_platform(xla: Xla) -> None:
    env = make()
    env.reset()
    handle, recv, send, step = env.xla()
    with pytest.raises(
        RuntimeError, match=r"\[CartPole-v1\] step: expected a program on cuda:0, .* got one on the CPU"
    ):
        jax.block_until_ready(jax.jit(step)(handle, np.zeros(4, np.int32)))
    plain = make(device="cpu")  # works in programs on a GPU too, which copy its arrays
    plain.reset()
    assert Calls(xla, plain).step(np.zeros(4, "i4"))["elapsed_step"].tolist() == [1] * 4
