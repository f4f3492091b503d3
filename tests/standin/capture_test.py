# SPDX-License-Identifier: Apache-2.0
"""Tests that the stand-in captures streams into graphs, and that a capture forbids the same calls as on a GPU."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tests.cuda.nvrtc import SOURCE
from tests.standin.driver import CudaError, Driver
from tests.standin.words import NON_BLOCKING, PTX, Pinned, Words

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")

INVALID_VALUE, ILLEGAL_STATE, ILLEGAL_ADDRESS = 1, 401, 700
UNSUPPORTED, INVALIDATED, MERGE, UNMATCHED, UNJOINED, ISOLATION, IMPLICIT, CAPTURED_EVENT, WRONG_THREAD = range(
    900, 909
)
GRAPH_UPDATE_FAILURE = 910
GLOBAL, THREAD_LOCAL, RELAXED = range(3)
EXTERNAL = 1
KERNEL, COPY, FILL, HOST, GRAPH, EMPTY, WAIT, RECORD = range(8)


class Capturing:
    """A stream that can be captured, with words on the device."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.words = driver, Words(driver)
        self.stream = self.new_stream()

    def new_stream(self, flags: int = NON_BLOCKING) -> int:
        return self.driver.get("cuStreamCreate", flags)

    def begin(self, mode: int = GLOBAL, stream: int | None = None) -> None:
        self.driver.call("cuStreamBeginCapture_v2", self.stream if stream is None else stream, mode)

    def end(self) -> int:
        return self.driver.get("cuStreamEndCapture", self.stream, at=1)

    def end_code(self) -> int:
        graph = ctypes.c_uint64(99)
        code = self.driver.code("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        assert (graph.value == 0) == (code != 0)
        return code

    def status(self, stream: int | None = None) -> int:
        return self.driver.get("cuStreamIsCapturing", self.stream if stream is None else stream, at=1)

    def instantiate(self, graph: int) -> int:
        return self.driver.get("cuGraphInstantiateWithFlags", graph, 0)

    def event(self, *, record: int | None = None) -> int:
        event = self.driver.get("cuEventCreate", 0)
        if record is not None:
            self.driver.call("cuEventRecord", event, record)
        return event

    def wait(self, stream: int, event: int) -> None:
        self.driver.call("cuStreamWaitEvent", stream, event, 0)

    def types(self, graph: int) -> list[int]:
        count = ctypes.c_uint64(0)
        self.driver.call("cuGraphGetNodes", graph, None, ctypes.byref(count))
        nodes = (ctypes.c_uint64 * count.value)()
        self.driver.call("cuGraphGetNodes", graph, nodes, ctypes.byref(count))
        return [self.driver.get("cuGraphNodeGetType", node, at=1) for node in nodes]


@pytest.fixture
def it(driver: Driver) -> Iterator[Capturing]:
    made = Capturing(driver)
    yield made
    driver.code("cuStreamEndCapture", made.stream, ctypes.byref(ctypes.c_uint64()))


# --- graphs ---


def test_captured_work_runs_when_the_graph_is_launched(it: Capturing) -> None:
    seen = Pinned(it.driver)
    it.begin()
    assert it.status() == 1
    it.words.add(2, stream=it.stream)
    it.driver.call("cuMemsetD32Async", it.words.address + 4, 50, 1, it.stream)
    it.words.add(3, stream=it.stream)
    it.driver.call("cuMemcpyDtoHAsync_v2", seen.pointer, it.words.address, 32, it.stream)
    graph = it.end()
    assert it.status() == 0
    assert it.types(graph) == [KERNEL, FILL, KERNEL, COPY]
    it.driver.synchronize()
    assert it.words.first() == 0

    executable = it.instantiate(graph)
    it.driver.call("cuGraphDestroy", graph)  # An executable graph does not need the graph that it was made from.
    for launch in range(1, 4):
        it.driver.call("cuGraphLaunch", executable, it.stream)
        assert seen.array[0] == 5 * (launch - 1)
        it.driver.call("cuStreamSynchronize", it.stream)
        assert seen.array[:3].tolist() == [5 * launch, 53, 5 * launch]
    it.driver.call("cuGraphExecDestroy", executable)


def test_streams_fork_and_join_by_events(it: Capturing) -> None:
    other = it.new_stream()
    it.begin()
    it.words.add(1, stream=it.stream)
    it.wait(other, it.event(record=it.stream))
    assert it.status(other) == 1
    it.words.add(10, stream=other)
    it.wait(it.stream, it.event(record=other))
    it.words.add(100, stream=it.stream)
    executable = it.instantiate(it.end())
    assert it.status(other) == 0
    it.driver.call("cuGraphLaunch", executable, it.stream)
    it.driver.call("cuStreamSynchronize", it.stream)
    assert it.words.first() == 111


def test_branches_without_an_order_run_with_the_newest_first(it: Capturing) -> None:
    """Two branches write the same words. A program must not depend on which branch writes last."""
    other = it.new_stream()
    it.begin()
    it.wait(other, it.event(record=it.stream))
    it.driver.call("cuMemsetD32Async", it.words.address, 1, 8, it.stream)
    it.driver.call("cuMemsetD32Async", it.words.address, 2, 8, other)
    it.wait(it.stream, it.event(record=other))
    it.driver.call("cuGraphLaunch", it.instantiate(it.end()), it.stream)
    it.driver.call("cuStreamSynchronize", it.stream)
    assert it.words.first() == 1


def test_a_graph_is_a_node_of_another(it: Capturing) -> None:
    it.begin()
    it.words.add(1, stream=it.stream)
    inner = it.instantiate(it.end())
    it.begin()
    it.driver.call("cuGraphLaunch", inner, it.stream)
    it.words.add(5, stream=it.stream)
    graph = it.end()
    assert it.types(graph) == [GRAPH, KERNEL]
    it.driver.call("cuGraphLaunch", it.instantiate(graph), it.stream)
    it.driver.call("cuStreamSynchronize", it.stream)
    assert it.words.first() == 6


def test_external_events_are_waited_for_and_recorded(it: Capturing) -> None:
    before, after = it.event(), it.event()
    other = it.new_stream()
    it.begin()
    it.driver.call("cuStreamWaitEvent", it.stream, before, EXTERNAL)
    it.words.add(1, stream=it.stream)
    it.driver.call("cuEventRecordWithFlags", after, it.stream, EXTERNAL)
    graph = it.end()
    assert it.types(graph) == [WAIT, KERNEL, RECORD]
    executable = it.instantiate(graph)
    it.driver.call("cuMemsetD32Async", it.words.address, 40, 8, other)
    it.driver.call("cuEventRecord", before, other)
    it.driver.call("cuGraphLaunch", executable, it.stream)
    it.driver.call("cuEventSynchronize", after)
    assert it.words.first() == 41
    for name, arguments in (
        ("cuStreamWaitEvent", (it.stream, before, EXTERNAL)),
        ("cuEventRecordWithFlags", (after, it.stream, EXTERNAL)),
    ):
        assert it.driver.code(name, *arguments) == INVALID_VALUE  # The stream is not being captured.


def test_a_graph_is_updated(it: Capturing) -> None:
    graphs = []
    for values in ((1,), (7,), (1, 2)):
        it.begin()
        for value in values:
            it.words.add(value, stream=it.stream)
        graphs.append(it.end())
    executable, result = it.instantiate(graphs[0]), (ctypes.c_uint64 * 3)()
    it.driver.call("cuGraphExecUpdate_v2", executable, graphs[1], result)
    assert it.driver.code("cuGraphExecUpdate_v2", executable, graphs[2], result) == GRAPH_UPDATE_FAILURE
    it.driver.call("cuGraphLaunch", executable, it.stream)
    it.driver.call("cuStreamSynchronize", it.stream)
    assert it.words.first() == 7


def test_a_graph_of_freed_memory_fails(it: Capturing) -> None:
    other = it.driver.allocate(32)
    it.begin()
    it.driver.call("cuMemcpyDtoDAsync_v2", other, it.words.address, 32, it.stream)
    executable = it.instantiate(it.end())
    it.driver.free(other)
    it.driver.call("cuGraphLaunch", executable, it.stream)
    assert it.driver.code("cuStreamSynchronize", it.stream) == ILLEGAL_ADDRESS


def test_graphs_are_counted(it: Capturing) -> None:
    kinds = ("graphs", "graph_execs")
    assert [it.driver.count(kind) for kind in kinds] == [0, 0]
    it.begin()
    graph = it.end()
    executable = it.instantiate(graph)
    assert [it.driver.count(kind) for kind in kinds] == [1, 1]
    it.driver.call("cuGraphExecDestroy", executable)
    it.driver.call("cuGraphDestroy", graph)
    assert it.driver.code("cuGraphLaunch", executable, it.stream) == INVALID_VALUE
    assert [it.driver.count(kind) for kind in kinds] == [0, 0]


def test_information_about_a_capture(it: Capturing) -> None:
    status, number, graph = ctypes.c_int(9), ctypes.c_uint64(), ctypes.c_uint64()
    nodes, count = ctypes.POINTER(ctypes.c_uint64)(), ctypes.c_uint64()
    places = [ctypes.byref(place) for place in (status, number, graph, nodes, count)]
    it.driver.call("cuStreamGetCaptureInfo_v2", it.stream, *places)
    assert status.value == 0
    it.begin()
    it.words.add(1, stream=it.stream)
    it.driver.call("cuStreamGetCaptureInfo_v2", it.stream, *places)
    assert (status.value, count.value) == (1, 1) and number.value
    assert it.driver.get("cuGraphNodeGetType", nodes[0], at=1) == KERNEL
    assert it.end() == graph.value


# --- calls that a capture forbids ---

FORBIDDEN: dict[str, tuple[Callable[[Capturing], object], int]] = {
    "waiting for the stream": (lambda it: it.driver.call("cuStreamSynchronize", it.stream), UNSUPPORTED),
    "asking whether the stream is done": (lambda it: it.driver.call("cuStreamQuery", it.stream), UNSUPPORTED),
    "waiting for the context": (lambda it: it.driver.synchronize(), UNSUPPORTED),
    "waiting for another stream": (lambda it: it.driver.call("cuStreamSynchronize", it.new_stream()), UNSUPPORTED),
    "an allocation": (lambda it: it.driver.allocate(8), UNSUPPORTED),
    "pinned memory": (lambda it: Pinned(it.driver), UNSUPPORTED),
    "freeing memory": (lambda it: it.driver.free(it.words.address), UNSUPPORTED),
    "loading a module": (lambda it: it.driver.module(PTX), UNSUPPORTED),
    "unloading a module": (lambda it: it.driver.call("cuModuleUnload", it.words.module), UNSUPPORTED),
    "a copy that waits": (lambda it: it.words.first(), UNSUPPORTED),
    "a copy of pageable memory": (
        lambda it: it.driver.call(
            "cuMemcpyHtoDAsync_v2", it.words.address, np.zeros(8, np.int32).ctypes.data, 32, it.stream
        ),
        UNSUPPORTED,
    ),
    "asking for an event of another stream": (
        lambda it: it.driver.call("cuEventQuery", it.event(record=it.new_stream())),
        UNSUPPORTED,
    ),
    "asking for an event of the capture": (
        lambda it: it.driver.call("cuEventQuery", it.event(record=it.stream)),
        CAPTURED_EVENT,
    ),
    "waiting for an event of the capture": (
        lambda it: it.driver.call("cuEventSynchronize", it.event(record=it.stream)),
        CAPTURED_EVENT,
    ),
    "an event from before the capture": (
        lambda it: it.wait(it.stream, it.event(record=it.new_stream())),
        ISOLATION,
    ),
    "destroying the stream": (lambda it: it.driver.call("cuStreamDestroy_v2", it.stream), UNSUPPORTED),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_forbidden_call_invalidates_the_capture(it: Capturing, name: str) -> None:
    call, code = FORBIDDEN[name]
    it.begin()
    it.words.add(1, stream=it.stream)
    with pytest.raises(CudaError) as error:
        call(it)
    assert error.value.code == code
    assert it.status() == 2
    with pytest.raises(CudaError) as again:
        it.words.add(1, stream=it.stream)
    assert again.value.code == INVALIDATED
    assert it.end_code() == INVALIDATED
    assert it.status() == 0
    it.words.add(4, stream=it.stream)  # The stream runs again; the captured work has never run.
    it.driver.call("cuStreamSynchronize", it.stream)
    assert it.words.first() == 4


def test_the_modes_of_captures(it: Capturing) -> None:
    codes: list[int] = []

    def allocate() -> None:
        it.driver.call("cuCtxSetCurrent", it.driver.context)
        codes.append(it.driver.code("cuMemAlloc_v2", ctypes.byref(ctypes.c_uint64()), 8))

    def elsewhere() -> None:
        thread = threading.Thread(target=allocate)
        thread.start()
        thread.join()

    for mode, expected, ends in (
        (GLOBAL, [UNSUPPORTED, UNSUPPORTED], INVALIDATED),
        (THREAD_LOCAL, [0, UNSUPPORTED], INVALIDATED),
        (RELAXED, [0, 0], 0),
    ):
        codes.clear()
        it.begin(mode)
        elsewhere()
        allocate()
        assert codes == expected, mode
        assert it.end_code() == ends, mode

    changed = ctypes.c_int(RELAXED)
    it.driver.call("cuThreadExchangeStreamCaptureMode", ctypes.byref(changed))
    assert changed.value == GLOBAL
    it.begin()
    codes.clear()
    allocate()
    assert (codes, it.end_code()) == ([0], 0)
    it.driver.call("cuThreadExchangeStreamCaptureMode", ctypes.byref(changed))
    assert changed.value == RELAXED


@pytest.mark.parametrize("name", ["cuCtxRecordEvent", "cuCtxSynchronize"])
def test_no_mode_allows_to_wait_for_a_context_with_a_capture(it: Capturing, name: str) -> None:
    """The driver's manual and the CUDA programming guide make no exception for other threads or modes."""
    codes: list[int] = []

    def wait() -> None:
        it.driver.call("cuCtxSetCurrent", it.driver.context)
        changed = ctypes.c_int(RELAXED)
        it.driver.call("cuThreadExchangeStreamCaptureMode", ctypes.byref(changed))
        arguments = (it.driver.context, it.event()) if name == "cuCtxRecordEvent" else ()
        codes.append(it.driver.code(name, *arguments))

    for mode in (GLOBAL, THREAD_LOCAL, RELAXED):
        it.begin(mode)
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()
        assert it.end_code() == INVALIDATED
    assert codes == [UNSUPPORTED] * 3


def test_the_legacy_stream_cannot_be_captured_or_used_during_a_capture(it: Capturing) -> None:
    with pytest.raises(CudaError) as error:
        it.begin(stream=0)
    assert error.value.code == UNSUPPORTED
    it.stream = it.new_stream(flags=0)
    for call in (
        lambda: it.words.add(1),
        lambda: it.words.first(),
        lambda: it.driver.call("cuStreamSynchronize", 0),
        lambda: it.driver.call("cuEventRecord", it.event(), 0),
    ):
        it.begin(RELAXED)
        assert it.driver.code("cuStreamIsCapturing", 0, ctypes.byref(ctypes.c_int())) == IMPLICIT
        assert it.status() == 1
        with pytest.raises(CudaError) as error:
            call()
        assert error.value.code == IMPLICIT
        assert it.end_code() == INVALIDATED


def test_captures_that_begin_or_end_wrongly_are_refused(it: Capturing) -> None:
    other = it.new_stream()
    assert it.end_code() == ILLEGAL_STATE
    it.begin()
    with pytest.raises(CudaError) as error:
        it.begin()
    assert error.value.code == ILLEGAL_STATE
    codes = []
    thread = threading.Thread(
        target=lambda: (it.driver.call("cuCtxSetCurrent", it.driver.context), codes.append(it.end_code()))
    )
    thread.start()
    thread.join()
    assert codes == [WRONG_THREAD]
    it.wait(other, it.event(record=it.stream))
    it.words.add(1, stream=other)
    assert it.driver.code("cuStreamEndCapture", other, ctypes.byref(ctypes.c_uint64())) == UNMATCHED
    assert it.end_code() == INVALIDATED

    it.begin()
    it.wait(other, it.event(record=it.stream))
    it.words.add(1, stream=other)
    assert it.end_code() == UNJOINED
    assert it.status(other) == 0


def test_joining_two_captures_is_refused(it: Capturing) -> None:
    other = it.new_stream()
    it.begin()
    it.begin(stream=other)
    event = it.event(record=it.stream)
    with pytest.raises(CudaError) as error:
        it.wait(other, event)
    assert error.value.code == MERGE
    assert it.driver.code("cuStreamEndCapture", other, ctypes.byref(ctypes.c_uint64())) == INVALIDATED
    assert it.end_code() == INVALIDATED
    assert it.driver.code("cuStreamWaitEvent", it.stream, event, 0) == CAPTURED_EVENT
