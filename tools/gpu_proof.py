# SPDX-License-Identifier: Apache-2.0
"""Checks that pools on a GPU match the CPU bit for bit and that other libraries can use the arrays, and measures speed.

    python tools/gpu_proof.py --out proof                           every section, one after another
    python tools/gpu_proof.py --out proof --sections bits           one section, which takes nine minutes at most
    ENVPOOL_LIBCUDA=build/standin/libcuda.so.1 python tools/gpu_proof.py --small --out proof   without a GPU

It needs envpool installed with ENVPOOL_TESTING=1, and no network. Each section writes a file of JSON lines. Steps whose
results are in the file are skipped, so that an interrupted run continues. At the end, the results of all sections are
written as Markdown: summary.md, and gpu.md, which is a section for docs/gpu.md. On the stand-in for NVIDIA's driver, both
say that no GPU was used.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import importlib.metadata
import importlib.util
import json
import multiprocessing
import os
import platform
import shutil
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import envpool
from envpool.cuda import driver, nvrtc
from envpool.python.options import AUTORESET_MODES
from envpool.python.registry import find
from envpool.testing.device_comparison import MORE, Case, compare, pools, random_actions, tasks
from envpool.testing.rooflines import CARDS, SAMPLES, bytes_of, ceiling, read_work, readable

Result = dict[str, Any]
Step = tuple[str, Callable[[], Result]]

# The games of benchmark/atari.py.
GAMES = (
    *("Alien", "Asterix", "Atlantis", "BeamRider", "Boxing", "Breakout", "Enduro", "Freeway", "Gopher", "Hero"),
    *("KungFuMaster", "MontezumaRevenge", "MsPacman", "Pong", "Qbert", "Riverraid", "RoadRunner", "Seaquest"),
    *("SpaceInvaders", "Venture"),
)


def usable_cpus() -> int:
    """Returns how many CPUs this process may use."""
    return len(os.sched_getaffinity(0))


# --- machine ---


def machine() -> Result:
    """Returns versions, and the driver's description of the devices."""
    loaded = driver.load()
    versions = {}
    for name in ("torch", "jax", "cupy-cuda12x", "cupy-cuda13x", "numba-cuda", "numpy"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "driver": repr(loaded),
        "stand_in": loaded.stand_in,
        "devices": [
            {"name": each.name, "capability": list(each.capability), "bytes": each.total_memory}
            for each in loaded.devices()
        ],
        "nvrtc": repr(nvrtc.load()),
        "python": platform.python_version(),
        "cpus": usable_cpus(),
        "packages": versions,
    }


def copied() -> Result:
    """Returns the bandwidth of a copy on the device in bytes per second, reads and writes together."""
    import torch

    source = torch.zeros(1 << 30, dtype=torch.int32, device="cuda")
    target = torch.empty_like(source)
    for _ in range(3):
        target.copy_(source)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(20):
        target.copy_(source)
    end.record()
    end.synchronize()
    return {"bytes_per_second": 20 * 2 * source.nbytes / (begin.elapsed_time(end) / 1000)}


def about(small: bool) -> Iterator[Step]:
    """Describes the machine, and measures the bandwidth of its memory."""
    yield "machine", machine
    if not small and importlib.util.find_spec("torch"):
        yield "copy", copied


# --- compile ---


def compiled(task_id: str) -> float:
    """Makes a pool, and returns the time in seconds, most of which is compilation."""
    warnings.filterwarnings("ignore", message=r"\[envpool.cuda\] .* is a stand-in")
    begun = time.monotonic()
    envpool.make_gymnasium(task_id, num_envs=1, device="cuda").close()
    return round(time.monotonic() - begun, 2)


def compile_all(task_ids: list[str]) -> Result:
    """Fills the cache of kernels, in several processes, so that later sections do not wait for the compiler."""
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(usable_cpus(), mp_context=spawn) as executor:
        return {"kernels": dict(zip(task_ids, executor.map(compiled, task_ids), strict=True))}


def kernels(small: bool) -> Iterator[Step]:
    """Compiles every kernel."""
    task_ids = ["CartPole-v1"] if small else [name for name in tasks() if find(name).family]
    yield "kernels", lambda: compile_all(task_ids)


# --- bits ---


def bits_of(case: Case) -> Result:
    """Steps a pool on the device and one on the CPU with the same actions, and compares every array and state."""
    threads = min(usable_cpus(), max(case.num_envs // 256, 1))
    both = pools(case.task_id, case.mode, case.num_envs, **{"num_threads": threads, **dict(case.options)})
    try:
        found, ends = compare(both, case.num_envs, case.steps)
    finally:
        both.device.close()
    return {"words": found.words, "episodes": ends, "different": dict(found.different)}


def bits_cases(small: bool) -> Iterator[Case]:
    """Yields portable ids in all modes with 1, 33 and 4,096 environments, worlds of 1,000 agents, and Atari games."""
    names = [name for name in tasks() if find(name).family]
    if small:
        names = [name for name in names if find(name).family not in ("atari", "minatar")]
        yield from (Case(name, (), AUTORESET_MODES[i % 3], 33, 60) for i, name in enumerate(names))
        yield Case("TagGridWorld-v0", (("num_taggers", 99), ("grid_length", 30)), "next_step", 2, 45)
        return
    for count, steps in ((33, 300), (1, 300), (4096, 250)):
        for mode in AUTORESET_MODES:
            if count == 33:
                yield from (Case(name, tuple(options.items()), mode, count, steps) for name, options in MORE.items())
            for name in names:
                family = find(name).family
                if family == "atari":
                    yield Case(name, (), mode, min(count, 256), 100)
                else:
                    yield Case(name, (), mode, min(count, 512) if family == "tag" else count, steps)
    for mode in AUTORESET_MODES:
        yield Case("TagGridWorld-v0", (("num_taggers", 999), ("grid_length", 100)), mode, 16, 120)
        crowd = (("num_taggers", 100), ("num_runners", 900), ("use_full_observation", False))
        yield Case("TagContinuous-v0", (*crowd, ("num_other_agents_observed", 10)), mode, 16, 120)
    for game in GAMES:
        yield Case(f"{game}-v5", (), "next_step", 64, 100)


def bits(small: bool) -> Iterator[Step]:
    """Compares every array, state and generator."""
    for case in bits_cases(small):
        yield str(case), functools.partial(bits_of, case)


# --- math ---


def functions(count: int, arguments: int, steps: int) -> Result:
    """Compares each function of math.h at random arguments, half of them near 1 (math_probe.h)."""
    envpool.compile(Path(__file__).with_name("math_probe.h"), "Math-v0")
    options = {"arguments": arguments, "num_threads": usable_cpus(), "max_episode_steps": 0}
    both = pools("Math-v0", "next_step", count, **options)
    try:
        found, _ = compare(both, count, steps + 1)
    finally:
        both.device.close()
    return {"arguments": count * arguments * steps, "words": found.words, "different": dict(found.different)}


def mathematics(small: bool) -> Iterator[Step]:
    """Compares 2^25 arguments of each function and type."""
    for number in range(1 if small else 8):
        yield f"math {number}", functools.partial(functions, *((33, 16, 8) if small else (1 << 14, 64, 4)))


# --- plumbing: exchange of states, and other libraries ---


def moved(task_id: str = "Acrobot-v1", count: int = 8, steps: int = 60) -> Result:
    """Exchanges the states of a pool on the device and of one on the CPU in the middle of episodes."""
    both = pools(task_id, "next_step", count)
    try:
        found, _ = compare(both, count, steps, exchange=7)
    finally:
        both.device.close()
    return {"equal": not found.different}


class Library(NamedTuple):
    """Functions of another array library.

    Attributes:
        take: imports a DeviceArray without a copy.
        act: computes an action for each row of observations by comparing one column with 0.
        read: copies the library's array to NumPy.
        address: returns the address of the first element of the library's array.
    """

    take: Callable[[Any], Any]
    act: Callable[[Any], Any]
    read: Callable[[Any], np.ndarray[Any, Any]]
    address: Callable[[Any], int]


def torch_arrays() -> Library:
    """Returns PyTorch's functions."""
    import torch

    def act(x: Any) -> Any:
        return (x[:, 2] > 0).long()

    return Library(torch.from_dlpack, act, lambda x: x.cpu().numpy(), lambda x: int(x.data_ptr()))


def cupy_arrays() -> Library:
    """Returns CuPy's functions."""
    import cupy  # type: ignore[import-not-found]

    def act(x: Any) -> Any:
        return (x[:, 2] > 0).astype(cupy.int32)

    return Library(cupy.from_dlpack, act, cupy.asnumpy, lambda x: int(x.data.ptr))


def jax_arrays() -> Library:
    """Returns JAX's functions."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leave memory for other libraries
    import jax

    def act(x: Any) -> Any:
        return (x[:, 2] > 0).astype("int32")

    return Library(jax.dlpack.from_dlpack, act, np.asarray, lambda x: int(x.unsafe_buffer_pointer()))


LIBRARIES = {"torch": torch_arrays, "cupy": cupy_arrays, "jax": jax_arrays}


def in_library(name: str, steps: int = 200) -> Result:
    """Steps with actions that a library computes on the device, and compares with a pool on the CPU."""
    library = LIBRARIES[name]()
    pool: Any = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3, device="cuda")
    twin: Any = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3)
    observation, _ = pool.reset()
    twin.reset()
    same_memory = library.address(library.take(observation)) == observation.__cuda_array_interface__["data"][0]
    equal = True
    for _ in range(steps):
        action = library.act(library.take(observation))
        observation, reward, *_ = pool.step(action)
        theirs = twin.step(library.read(action))
        equal &= np.array_equal(library.read(library.take(observation)), theirs[0])
        equal &= np.array_equal(library.read(library.take(reward)), theirs[1])
    pool.close()
    return {"same_memory": same_memory, "equal": bool(equal)}


def on_another_stream() -> Result:
    """Runs in_library("torch") in a PyTorch stream that is not the default stream."""
    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        return in_library("torch")


def bad_actions() -> Result:
    """Checks that after an out-of-range action on the device, a later call raises an error that names the row."""
    import torch

    pool: Any = envpool.make_gymnasium("CartPole-v1", num_envs=100, seed=3, device="cuda")
    pool.reset()
    action = torch.zeros(100, dtype=torch.int64, device="cuda")
    action[57] = 2
    pool.step(action)
    pool._pool.wait()
    try:
        pool.step(torch.zeros(100, dtype=torch.int64, device="cuda"))
    except ValueError as error:
        return {"equal": "row 57" in str(error)}
    return {"equal": False}


SANITIZED = """
import numpy as np, envpool
for task_id in ("CartPole-v1", "Breakout-MinAtar", "TagGridWorld-v0"):
    pool = envpool.make_gymnasium(task_id, num_envs=70, device="cuda", max_episode_steps=4)
    pool.reset()
    for _ in range(10):
        pool.step(np.zeros(70 * pool.spec.arrays.max_players, int))
    pool._pool.wait()
"""


def sanitized(tool: str) -> Result:
    """Runs kernels under a tool of compute-sanitizer."""
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", sys.executable, "-c", SANITIZED]
    packages = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False, cwd="/", env=packages)
    return {"equal": done.returncode == 0, "said": (done.stdout + done.stderr)[-300:] if done.returncode else ""}


def plumbing(small: bool) -> Iterator[Step]:
    """Exchanges states, uses arrays in other libraries, and runs the tools of compute-sanitizer."""
    yield "moved", moved
    if small:
        return
    for task_id in ("TagGridWorld-v0", "Pong-v5"):
        yield f"moved {task_id}", functools.partial(moved, task_id)
    for package in LIBRARIES:
        if importlib.util.find_spec(package) is not None:
            yield package, functools.partial(in_library, package)
    if importlib.util.find_spec("torch") is not None:
        yield "torch, another stream", on_another_stream
        yield "bad actions", bad_actions
    if shutil.which("compute-sanitizer"):
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            yield tool, functools.partial(sanitized, tool)


# --- speed ---


def speed_of(task_id: str, count: int, seconds: float, *, on_device: bool = False) -> Result:
    """Measures steps per second in a Python loop.

    Args:
        task_id: the environment's id.
        count: the number of environments.
        seconds: the duration of the measurement.
        on_device: whether the actions are tensors on the device; otherwise each step copies them there.
    """
    try:
        pool: Any = envpool.make_gymnasium(task_id, num_envs=count, device="cuda", seed=1)
    except MemoryError as error:
        return {"num_envs": count, "too_large": str(error)[-200:]}
    pool.reset()
    rng = np.random.default_rng(0)
    actions: list[Any] = [random_actions(pool.spec.arrays, rng, count) for _ in range(8)]
    if on_device:
        actions = [_tensors(action) for action in actions]
    for action in actions:  # the first launches load the code
        pool.step(action)
    pool._pool.wait()
    steps, begun = 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < seconds:
        for action in actions:
            pool.step(action)
        steps += len(actions)
        pool._pool.wait()
    pool.close()
    return _rate(task_id, count, steps, passed)


def _tensors(action: dict[str, Any]) -> dict[str, Any]:
    import torch

    return {name: torch.from_numpy(values).cuda() for name, values in action.items()}


def _rate(task_id: str, count: int, steps: int, seconds: float) -> Result:
    rate = steps * count / seconds
    found: Result = {"num_envs": count, "steps_per_second": rate, "microseconds_per_call": seconds / steps * 1e6}
    cards = [card for card in CARDS if card.name in driver.load().devices()[0].name]
    work = read_work().get(task_id)
    if cards and work:
        found["ceiling"], found["bound"] = ceiling(work, bytes_of(task_id), cards[0])
        found["share"] = rate / found["ceiling"]
    return found


def replayed(task_id: str, count: int, seconds: float) -> Result:
    """Measures steps per second while PyTorch replays a CUDA graph of one step, if the pool can be captured."""
    import torch

    try:
        pool: Any = envpool.make_gymnasium(task_id, num_envs=count, device="cuda", seed=1)
    except MemoryError as error:
        return {"num_envs": count, "too_large": str(error)[-200:]}
    pool.reset()
    action = _tensors(random_actions(pool.spec.arrays, np.random.default_rng(0), count))
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    try:
        with torch.cuda.stream(stream):
            for _ in range(3):
                pool.step(action)
            pool._pool.wait()
            torch.cuda.synchronize()
            with torch.cuda.graph(graph, stream=stream):
                pool.step(action)
        before = pool.snapshot(0)
        graph.replay()
        torch.cuda.synchronize()
        if pool.snapshot(0) == before:
            return {"num_envs": count, "unsupported": "the graph holds no step"}
    except Exception as error:  # noqa: BLE001  (any failure of the capture is reported)
        return {"num_envs": count, "unsupported": f"{type(error).__name__}: {error}"[:300]}
    steps, begun = 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < seconds:
        for _ in range(50):
            graph.replay()
        steps += 50
        torch.cuda.synchronize()
    pool.close()
    return _rate(task_id, count, steps, passed)


def counts_of(task_id: str) -> tuple[int, ...]:
    """Returns the numbers of environments to measure. An Atari environment takes more than 0.1 MB."""
    family = find(task_id).family
    return (256, 4096, 16384, 65536) if family == "atari" else (1024, 4096, 16384, 131072, 1048576)


def speed(small: bool) -> Iterator[Step]:
    """Measures a Python loop with actions in host memory and on the device."""
    if small:
        for count in (1, 64):
            yield f"CartPole-v1 x {count}", functools.partial(speed_of, "CartPole-v1", count, 0.05)
        return
    torch = importlib.util.find_spec("torch") is not None
    for sample in SAMPLES:
        for count in counts_of(sample.task_id):
            name = f"{sample.task_id} x {count}"
            if torch:
                yield (
                    f"{name}, actions on the device",
                    functools.partial(speed_of, sample.task_id, count, 0.7, on_device=True),
                )
            if count in (4096, 1048576):
                yield name, functools.partial(speed_of, sample.task_id, count, 0.7)


def graphs(small: bool) -> Iterator[Step]:
    """Measures CUDA graphs. This is the last section, because a failed capture can leave errors behind."""
    if small or importlib.util.find_spec("torch") is None:
        return
    for task_id in ("CartPole-v1", "Acrobot-v1", "Breakout-MinAtar", "TagGridWorld-v0", "Pong-v5"):
        for count in counts_of(task_id)[:-1]:
            yield f"{task_id} x {count}, graph", functools.partial(replayed, task_id, count, 0.7)


# --- the sections and their results ---

SECTIONS: dict[str, Callable[[bool], Iterator[Step]]] = {
    "machine": about,
    "compile": kernels,
    "math": mathematics,
    "plumbing": plumbing,
    "bits": bits,
    "speed": speed,
    "graph": graphs,
}


def run(section: str, out: Path, small: bool, seconds: float) -> bool:
    """Runs the steps of a section that are not in its file yet, and starts none after `seconds` have passed.

    Returns whether the section is complete.
    """
    path, deadline = out / f"{section}.jsonl", time.monotonic() + seconds
    done = {line["name"] for line in _lines(path)}
    with path.open("a") as file:
        for name, check in SECTIONS[section](small):
            if name in done:
                continue
            if time.monotonic() > deadline:
                return False
            begun = time.monotonic()
            try:
                result = check()
            except Exception as error:  # noqa: BLE001  (the next step may work)
                result = {"error": f"{type(error).__name__}: {error}"[:2000], "trace": traceback.format_exc()[-2000:]}
            result = {"name": name, **result, "seconds": round(time.monotonic() - begun, 2)}
            print(section, json.dumps({key: value for key, value in result.items() if key != "trace"}), flush=True)
            file.write(json.dumps(result) + "\n")
            file.flush()
    return True


def _lines(path: Path) -> list[Result]:
    """Returns the results in a file. A run that was killed may have left a line unfinished, which is removed."""
    if not path.exists():
        return []
    whole, _, unfinished = path.read_text().rpartition("\n")
    if unfinished:
        path.write_text(whole + "\n" if whole else "")
    return [json.loads(line) for line in whole.splitlines()]


def card(read: dict[str, list[Result]]) -> str:
    """Returns the name of the GPU, or says that there was none."""
    for told in read.get("machine", []):
        if "devices" in told:
            return (
                "**the stand-in for NVIDIA's driver: no GPU ran this**"
                if told["stand_in"]
                else str(told["devices"][0]["name"])
            )
    return "an unknown machine"


def summary(read: dict[str, list[Result]]) -> str:
    """Returns the results of all sections as Markdown."""
    lines: list[str] = []
    for told in read.get("machine", []):
        if "error" in told:
            lines += [f"{told['name']}: {told['error']}", ""]
        elif told["name"] == "copy":
            lines += [f"A copy in its memory moves {told['bytes_per_second'] / 1e12:.2f} TB/s.", ""]
        else:
            versions = ", ".join(f"{name} {version}" for name, version in told["packages"].items())
            lines += [f"On {card(read)}; {told['driver']}; {told['nvrtc']}; Python {told['python']}; {versions}.", ""]
    for section, what in (("bits", "cases"), ("math", "cases of each function of math.h")):
        if found := read.get(section):
            bad = [each for each in found if is_bad(each)]
            words, episodes, arguments = (
                sum(each.get(key, 0) for each in found) for key in ("words", "episodes", "arguments")
            )
            lines += [
                f"**{section.capitalize()}**: {len(found)} {what}, {words:,} words of 32 bits"
                + (f", {episodes:,} episodes" if episodes else "")
                + (f", {arguments:,} arguments of each type" if arguments else "")
                + f"; {len(bad)} cases differ.",
                *(f"- {each['name']}: {each.get('different') or each.get('error')}" for each in bad),
                "",
            ]
    for each in read.get("plumbing", []):
        told = {key: value for key, value in each.items() if key not in ("name", "seconds", "trace") and value != ""}
        lines.append(f"- {each['name']}: {told}")
    if rates := [*read.get("speed", []), *read.get("graph", [])]:
        lines += ["", "| environments | steps/s | µs per call | share of the ceiling |", "|---|---|---|---|"]
        lines += [f"| {each['name']} | {_cells(each)} |" for each in rates]
    return "\n".join(lines)


def _cells(result: Result) -> str:
    for key in ("error", "unsupported", "too_large"):
        if key in result:
            return f"{key.replace('_', ' ')}: {result[key][:80]} | |".replace("\n", " ")
    share = f"{result['share']:.1%} of {readable(result['ceiling'])}, {result['bound']}" if "share" in result else ""
    return f"{readable(result['steps_per_second'])} | {result['microseconds_per_call']:,.1f} | {share}"


def is_bad(result: Result) -> bool:
    """Returns whether a result reports a failure."""
    return bool("error" in result or result.get("different")) or not (
        result.get("equal", True) and result.get("same_memory", True)
    )


def main() -> None:
    """Runs the sections. The exit status is 2 if a check failed, and 3 if a section is incomplete."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("proof"), help="folder of the results")
    parser.add_argument("--sections", nargs="+", default=list(SECTIONS), choices=list(SECTIONS))
    parser.add_argument("--seconds", type=float, default=510, help="time after which a section starts no new step")
    parser.add_argument("--small", action="store_true", help="a sample, for the stand-in")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message=r"\[envpool.cuda\] .* is a stand-in")
    arguments.out.mkdir(parents=True, exist_ok=True)
    complete = [run(section, arguments.out, arguments.small, arguments.seconds) for section in arguments.sections]
    read = {section: lines for section in SECTIONS if (lines := _lines(arguments.out / f"{section}.jsonl"))}
    text = summary(read)
    (arguments.out / "summary.md").write_text(text + "\n")
    title = f"## What was measured on {card(read)}"
    (arguments.out / "gpu.md").write_text(f"{title}\n\n{text}\n")
    print(text)
    bad = [line for lines in read.values() for line in lines if is_bad(line)]
    sys.exit(2 if bad else 0 if all(complete) else 3)


if __name__ == "__main__":
    main()
