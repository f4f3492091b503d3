# SPDX-License-Identifier: Apache-2.0
"""Tests pools on a GPU with in_place=True, and CUDA graphs of their steps."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tests.environments.registration  # noqa: F401  (registers Crowd)
from tests.cuda.device_arrays import DRIVER, OnDevice, make

pytestmark = pytest.mark.usefixtures("stand_in")

GLOBAL_MODE = 0


class Graph:
    """Captures steps of a pool in a CUDA graph on a separate stream, as a framework does."""

    def __init__(self) -> None:
        self.driver = DRIVER()
        self.stream = self.driver.get("cuStreamCreate", 1)
        self.executable = 0

    def capture(self, function: Callable[[], Any]) -> Any:
        self.driver.call("cuStreamBeginCapture_v2", self.stream, GLOBAL_MODE)
        try:
            result = function()
        except Exception:
            self.driver.code("cuStreamEndCapture", self.stream, ctypes.byref(ctypes.c_uint64()))
            raise
        graph = self.driver.get("cuStreamEndCapture", self.stream, at=1)
        self.executable = self.driver.get("cuGraphInstantiateWithFlags", graph, 0)
        self.driver.call("cuGraphDestroy", graph)
        return result

    def replay(self) -> None:
        self.driver.call("cuGraphLaunch", self.executable, self.stream)
        self.driver.call("cuStreamSynchronize", self.stream)


@pytest.fixture
def graph() -> Iterator[Graph]:
    made = Graph()
    yield made
    if made.executable:
        made.driver.call("cuGraphExecDestroy", made.executable)
    made.driver.call("cuStreamDestroy_v2", made.stream)


def addresses(batch: tuple[Any, ...]) -> list[int]:
    *arrays, _ = batch
    return [array.__cuda_array_interface__["data"][0] for array in arrays]


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Breakout-MinAtar"])
def test_array_addresses_do_not_change(task_id: str) -> None:
    fixed, free = make(task_id, 5, in_place=True), make(task_id, 5)
    first = fixed.reset()[0]
    free.reset()
    before = first.numpy()
    seen = set()
    for _ in range(20):
        ours, theirs = fixed.step(np.ones(5, int)), free.step(np.ones(5, int))
        seen.add(tuple(addresses(ours)))
        assert np.array_equal(ours[0].numpy(), theirs[0].numpy())
        assert np.array_equal(first.numpy(), ours[0].numpy())  # The first array shows the results of the last step.
    assert len(seen) == 1 and not np.array_equal(first.numpy(), before)


def test_a_launch_waits_for_readers_of_the_previous_results(graph: Graph) -> None:
    """A stream that imported the observation reads it before the next step overwrites it."""
    pool = make(num_envs=64, in_place=True)
    driver = DRIVER()
    observation = pool.reset()[0]
    expected = observation.numpy()
    copy = driver.upload(np.zeros_like(expected))
    for _ in range(20):
        capsule = observation.__dlpack__(stream=graph.stream)
        address = observation.__cuda_array_interface__["data"][0]
        driver.call("cuMemcpyDtoDAsync_v2", copy, address, expected.nbytes, graph.stream)
        observation = pool.step(np.zeros(64, int))[0]
        driver.call("cuStreamSynchronize", graph.stream)
        assert np.array_equal(driver.download(copy, np.zeros_like(expected)), expected)
        expected = observation.numpy()
        del capsule


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Acrobot-v1", "Breakout-MinAtar"])
@pytest.mark.parametrize("exposed", [False, True], ids=["", "states"])
def test_a_graph_of_a_step_matches_steps_bit_for_bit(task_id: str, exposed: bool, graph: Graph) -> None:
    fixed, free = (make(task_id, 7, in_place=held, max_episode_steps=9) for held in (True, False))
    fixed.reset(), free.reset()
    if exposed:
        fixed.states()
    action = OnDevice(np.zeros(7, "i4"), stream=graph.stream)

    def step() -> Any:
        batch = fixed.step(action)
        for array in batch[:4]:
            array.__dlpack__(stream=graph.stream)
        return batch

    eager = fixed.step(action)
    theirs = free.step(np.zeros(7, int))
    assert np.array_equal(eager[0].numpy(), theirs[0].numpy())
    graphed = graph.capture(step)
    rng = np.random.default_rng(3)
    for _ in range(25):
        given = rng.integers(0, 2, 7).astype("i4")
        DRIVER().upload(given, action.address)
        graph.replay()
        theirs = free.step(given)
        for mine, other in zip(graphed[:4], theirs[:4], strict=True):
            assert np.array_equal(mine.numpy(), other.numpy())
    assert [fixed.snapshot(i) for i in range(7)] == [free.snapshot(i) for i in range(7)]
    fixed.step(np.zeros(7, int))  # Steps without the graph still work.


def test_a_graph_is_replayed_after_its_stream_was_destroyed() -> None:
    """Steps without a graph, and captures on another stream, wait for the graph, but must not use its stream."""
    fixed, free = make(num_envs=3, in_place=True), make(num_envs=3)
    fixed.reset(), free.reset()
    observation = fixed.step(np.zeros(3, int))[0]
    free.step(np.zeros(3, int))
    replaying = Graph()
    for _ in range(3):
        made = Graph()
        action = OnDevice(np.ones(3, "i4"), stream=made.stream)

        def step(made: Graph = made, action: OnDevice = action) -> None:
            fixed.step(action)[0].__dlpack__(stream=made.stream)

        made.capture(step)
        made.driver.call("cuStreamDestroy_v2", made.stream)
        for _ in range(2):
            made.driver.call("cuGraphLaunch", made.executable, replaying.stream)
        fixed.step(np.zeros(3, int))
        for given in (1, 1, 0):
            expected = free.step(np.full(3, given))[0]
        assert np.array_equal(observation.numpy(), expected.numpy())
        made.driver.call("cuGraphExecDestroy", made.executable)
    replaying.driver.call("cuStreamDestroy_v2", replaying.stream)


class Replayed:
    """A pool in whose stream a step was captured, and the graph of that step, launched on another stream.

    Of the work in other streams, the stand-in runs only what a call waits for.
    """

    def __init__(self, graph: Graph, task_id: str = "CartPole-v1", **options: Any) -> None:
        self.pool, self.twin = (make(task_id, 3, in_place=in_place, **options) for in_place in (True, False))
        players = 4 if task_id == "Crowd-v0" else 1
        self.actions = np.ones(3 * players, "i4")
        for pool in (self.pool, self.twin):
            pool.reset()
        self.observation = self.pool.step(self.actions)[0]
        self.twin.step(self.actions)
        action = OnDevice(self.actions, stream=graph.stream)
        graph.capture(lambda: self.pool.step(action)[0].__dlpack__(stream=graph.stream))
        self.graph, self.stream = graph, DRIVER().get("cuStreamCreate", 1)

    def replay(self, times: int = 3) -> Any:
        """Replays the graph, and steps the twin. Returns the last observation of the twin."""
        for _ in range(times):
            DRIVER().call("cuGraphLaunch", self.graph.executable, self.stream)
            observation = self.twin.step(self.actions)[0].numpy()
        return observation

    def done(self) -> bool:
        return DRIVER().code("cuStreamQuery", self.stream) == 0


def test_states_are_read_after_replays_of_a_graph(graph: Graph) -> None:
    """Nothing but the read itself waits for the stream on which the graph was launched."""
    it = Replayed(graph, render_mode="rgb_array")
    pool, twin = it.pool, it.twin
    it.replay()
    assert pool.snapshot(1) == twin.snapshot(1)
    it.replay()
    assert np.array_equal(pool.render([2]), twin.render([2]))
    it.replay()
    pool.clone(0, [1]), twin.clone(0, [1])
    assert pool.snapshot(1) == twin.snapshot(1)
    it.replay()
    pool.restore(2, pool.snapshot(0)), twin.restore(2, twin.snapshot(0))
    expected = it.replay()
    assert np.array_equal(it.observation.numpy(), expected)
    it.replay()
    part = pool.states()["position"]
    assert np.array_equal(part.numpy(), twin.states()["position"].numpy())
    it.replay()
    assert np.array_equal(part.numpy(), twin.states()["position"].numpy())
    it.replay()
    part.assign(0.25), twin.states()["position"].assign(0.25)
    assert [pool.snapshot(i) for i in range(3)] == [twin.snapshot(i) for i in range(3)]


def test_a_state_is_replaced_after_replays_of_a_graph(graph: Graph) -> None:
    """If the replays ran after `restore`, they would step the restored state."""
    it = Replayed(graph)
    state = it.pool.snapshot(0)
    it.replay()
    it.pool.restore(1, state), it.twin.restore(1, state)
    assert it.pool.snapshot(1) == state
    it.replay(1)
    assert it.pool.snapshot(1) == it.twin.snapshot(1)


def test_players_are_counted_after_replays_of_a_graph(graph: Graph) -> None:
    it = Replayed(graph, "Crowd-v0")
    seen = set()
    for _ in range(4):
        it.replay(11)  # longer than an episode
        counts = it.pool.players().tolist()
        assert counts == it.twin.players().tolist()
        seen.add(tuple(counts))
    assert len(seen) > 1


def test_imports_follow_replays_of_a_graph(graph: Graph) -> None:
    it = Replayed(graph)
    reader = DRIVER().get("cuStreamCreate", 1)
    copy = DRIVER().upload(np.zeros((3, 4), "f4"))
    for flags in ({"stream": reader}, None):
        expected = it.replay()
        address = it.observation.__cuda_array_interface__["data"][0]
        if flags is None:  # The importing library waits for the stream that the interface names.
            stream = it.observation.__cuda_array_interface__["stream"]
        else:
            stream, _ = reader, it.observation.__dlpack__(**flags)
        DRIVER().call("cuMemcpyDtoDAsync_v2", copy, address, expected.nbytes, stream)
        DRIVER().call("cuStreamSynchronize", stream)
        assert np.array_equal(DRIVER().download(copy, np.zeros_like(expected)), expected)
    DRIVER().call("cuStreamDestroy_v2", reader)


def test_waiting_and_closing_after_replays_of_a_graph(graph: Graph) -> None:
    it = Replayed(graph)
    for call in (it.pool._pool.wait, it.pool.close):
        it.replay()
        call()
        assert it.done()


def test_groups_are_read_together_after_replays_of_a_graph(graph: Graph) -> None:
    pool, twin = make(in_place=True, batch_size=2), make()
    pool.async_reset(), twin.reset()
    for _ in range(2):
        pool.recv(reset=True)
    action = OnDevice(np.ones(2, "i4"), stream=graph.stream)

    def step() -> None:
        pool.send(action, [2, 3])
        pool.recv()[0].__dlpack__(stream=graph.stream)

    step()
    graph.capture(step)
    for _ in range(3):
        DRIVER().call("cuGraphLaunch", graph.executable, DRIVER().get("cuStreamCreate", 1))
        position = pool.states()["position"].numpy()
    for _ in range(4):
        twin.step(np.ones(2, int), [2, 3])
    assert np.array_equal(position, twin.states()["position"].numpy())


def test_calls_that_cannot_be_captured(graph: Graph) -> None:
    free, fixed = make(), make(in_place=True)
    free.reset(), fixed.reset()
    action = OnDevice(np.zeros(4, "i4"), stream=graph.stream)

    def send_from_the_host() -> None:
        fixed.step(action)  # From now on, the pool's stream is captured, too.
        fixed.step(np.zeros(4, int))

    host = r"\[CartPole-v1\] send: expected arrays on the GPU while a CUDA graph is captured, got one on the host"
    with pytest.raises(RuntimeError, match=host):
        graph.capture(send_from_the_host)
    moving = r"\[CartPole-v1\] send: expected a pool made with in_place=True while a CUDA graph is captured"
    with pytest.raises(RuntimeError, match=moving):
        graph.capture(lambda: free.step(action))
    for pool in (free, fixed):  # Both pools still work.
        before = pool.step(action)[4]["elapsed_step"].numpy()
        assert np.array_equal(pool.step(action)[4]["elapsed_step"].numpy(), before + 1)


def test_arrays_that_are_freed_during_a_capture(graph: Graph) -> None:
    """The memory of a freed array goes back to its pool, whose stream must not join the capture."""
    pool, fixed = make(), make(in_place=True)
    pool.reset(), fixed.reset()
    held = [pool.step(np.zeros(4, int))[0] for _ in range(3)]
    stream = held[0].__cuda_array_interface__["stream"]
    for number in range(3):
        held[number].__dlpack__(stream=graph.stream)
    action = OnDevice(np.zeros(4, "i4"), stream=graph.stream)
    fixed.step(action)

    def step() -> None:
        fixed.step(action)[0].__dlpack__(stream=graph.stream)
        held.clear()
        assert graph.driver.get("cuStreamIsCapturing", stream, at=1) == 0

    graph.capture(step)
    graph.replay()
    assert len(pool.step(np.zeros(4, int))[0].numpy()) == 4
