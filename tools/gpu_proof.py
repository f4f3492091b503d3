# SPDX-License-Identifier: Apache-2.0
"""What a GPU makes of the kernels: whether it gives the CPU's bits, whether arrays reach other libraries, how fast it is.

    python tools/gpu_proof.py --out proof                     every section, as long as it takes
    python tools/gpu_proof.py --out proof --sections bits --seconds 540
    ENVPOOL_LIBCUDA=build/standin/libcuda.so.1 python tools/gpu_proof.py --small --out proof   without a GPU

It needs envpool installed with ENVPOOL_TESTING=1 and no network. Each section writes a file of JSON lines; what is in it
already is not done again, so that a run that was cut off goes on where it was. At the end, all files are summed up as
Markdown, for docs/gpu.md. On the stand-in for NVIDIA's driver the summary says that no GPU was there.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import envpool
from envpool.cuda import driver, nvrtc
from envpool.python.registry import find
from envpool.testing.device_comparison import Case, cases, compare, pools, random_actions, tasks

Step = tuple[str, Callable[[], dict[str, Any]]]


# --- what the machine is ---


def machine() -> dict[str, Any]:
    """Versions, and what the driver says of the devices."""
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
        "cpus": len(os.sched_getaffinity(0)),
        "packages": versions,
    }


# --- bits ---


def bits_of(case: Case) -> dict[str, Any]:
    """Steps a pool on the device and one on the CPU with the same actions."""
    both = pools(case.task_id, case.mode, case.num_envs, **dict(case.options))
    try:
        found, ends = compare(both, case.num_envs, case.steps)
    finally:
        both.device.close()
    return {"words": found.words, "episodes": ends, "different": dict(found.different)}


def bits(small: bool) -> Iterator[Step]:
    """Every array, state and generator of every portable id."""
    for case in cases(not small):
        if not (small and find(case.task_id).family in ("atari", "minatar")):
            yield str(case), lambda case=case: bits_of(case)  # type: ignore[misc]


# --- other libraries ---


def in_torch() -> dict[str, Any]:
    """The same memory in PyTorch, its results as actions, and its streams."""
    import torch

    device = torch.device("cuda:0")
    pool = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3, device="cuda")
    twin = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3)
    observation, _ = pool.reset()
    twin.reset()
    seen = torch.from_dlpack(observation)
    same_memory = seen.data_ptr() == observation.__cuda_array_interface__["data"][0]
    equal = True
    for stream in (torch.cuda.current_stream(device), torch.cuda.Stream(device)):
        with torch.cuda.stream(stream):
            for _ in range(200):
                action = (torch.from_dlpack(observation)[:, 2] > 0).long()
                observation, reward, *_ = pool.step(action)
                theirs = twin.step(action.cpu().numpy())
                equal &= np.array_equal(torch.from_dlpack(observation).cpu().numpy(), theirs[0])
                equal &= np.array_equal(torch.from_dlpack(reward).cpu().numpy(), theirs[1])
    return {"same_memory": same_memory, "equal": bool(equal)}


def in_cupy() -> dict[str, Any]:
    """The same in CuPy."""
    import cupy  # type: ignore[import-not-found]

    pool = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3, device="cuda")
    twin = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3)
    observation, _ = pool.reset()
    twin.reset()
    equal = True
    for _ in range(200):
        action = (cupy.from_dlpack(observation)[:, 2] > 0).astype(cupy.int32)
        observation, *_ = pool.step(action)
        equal &= np.array_equal(cupy.asnumpy(cupy.from_dlpack(observation)), twin.step(cupy.asnumpy(action))[0])
    return {"equal": bool(equal)}


def in_jax() -> dict[str, Any]:
    """The same in JAX."""
    import jax

    pool = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3, device="cuda")
    twin = envpool.make_gymnasium("CartPole-v1", num_envs=1000, seed=3)
    observation, _ = pool.reset()
    twin.reset()
    equal = True
    for _ in range(200):
        action = (jax.dlpack.from_dlpack(observation)[:, 2] > 0).astype("int32")
        observation, *_ = pool.step(action)
        equal &= np.array_equal(np.asarray(jax.dlpack.from_dlpack(observation)), twin.step(np.asarray(action))[0])
    return {"equal": bool(equal)}


def moved() -> dict[str, Any]:
    """An environment that goes from the CPU to the device and back in the middle of an episode."""
    cpu = envpool.make_gymnasium("Acrobot-v1", num_envs=2, seed=1)
    gpu = envpool.make_gymnasium("Acrobot-v1", num_envs=2, seed=2, device="cuda")
    for pool in (cpu, gpu):
        pool.reset()
        for _ in range(20):
            pool.step(np.zeros(2, int))
    for _ in range(3):
        gpu.restore(1, cpu.snapshot(0))
        for _ in range(15):
            ours, theirs = gpu.step(np.array([0, 2])), cpu.step(np.array([2, 0]))
        cpu.restore(1, gpu.snapshot(1))
    return {"equal": np.array_equal(ours[0].numpy()[1], theirs[0][0]) and cpu.snapshot(0) == gpu.snapshot(1)}


def plumbing(small: bool) -> Iterator[Step]:
    """Arrays in other libraries, and states that move."""
    yield "moved", moved
    for package, check in (("torch", in_torch), ("cupy", in_cupy), ("jax", in_jax)):
        if not small and importlib.util.find_spec(package) is not None:
            yield package, check


# --- speed ---


def speed_of(task_id: str, count: int, seconds: float) -> dict[str, Any]:
    """Steps a second, from Python, with actions that come from the host."""
    pool: Any = envpool.make_gymnasium(task_id, num_envs=count, device="cuda", seed=1)
    pool.reset()
    rng = np.random.default_rng(0)
    actions = [random_actions(pool.spec.arrays, rng, count) for _ in range(8)]
    for action in actions:  # the first launches load code
        pool.step(action)
    pool._pool.wait()
    steps, begun = 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < seconds:
        for action in actions:
            pool.step(action)
        steps += len(actions)
        pool._pool.wait()
    pool.close()
    return {
        "num_envs": count,
        "steps_per_second": steps * count / passed,
        "microseconds_per_call": passed / steps * 1e6,
    }


def speed(small: bool) -> Iterator[Step]:
    """From one environment to a million."""
    names = ["CartPole-v1"] if small else [name for name in tasks() if find(name).family]
    for task_id in names:
        for count in (1, 64) if small else (1024, 16384, 131072, 1048576):
            family = find(task_id).family
            if family == "atari" and count > 16384:
                continue
            if family == "tag" and count > 16384:
                continue
            yield f"{task_id} x {count}", lambda t=task_id, n=count: speed_of(t, n, 0.05 if small else 1.0)  # type: ignore[misc]


SECTIONS: dict[str, Callable[[bool], Iterator[Step]]] = {
    "machine": lambda small: iter([("machine", machine)]),
    "bits": bits,
    "plumbing": plumbing,
    "speed": speed,
}


def run(section: str, out: Path, small: bool, deadline: float) -> bool:
    """Does what is not in the section's file yet. Returns whether all of it is done."""
    path = out / f"{section}.jsonl"
    done = {json.loads(line)["name"] for line in path.read_text().splitlines()} if path.exists() else set()
    with path.open("a") as file:
        for name, check in SECTIONS[section](small):
            if name in done:
                continue
            if time.monotonic() > deadline:
                return False
            begun = time.monotonic()
            try:
                result = check()
            except Exception as error:  # noqa: BLE001  (the next one may work)
                result = {"error": f"{type(error).__name__}: {error}"[:2000], "trace": traceback.format_exc()[-2000:]}
            result = {"name": name, **result, "seconds": round(time.monotonic() - begun, 2)}
            print(section, json.dumps({key: value for key, value in result.items() if key != "trace"}), flush=True)
            file.write(json.dumps(result) + "\n")
            file.flush()
    return True


def summary(out: Path) -> str:
    """What all sections found, as Markdown."""
    read = {
        section: [json.loads(line) for line in (out / f"{section}.jsonl").read_text().splitlines()]
        for section in SECTIONS
        if (out / f"{section}.jsonl").exists()
    }
    lines = []
    for told in read.get("machine", []):
        if "error" in told:
            return f"The machine cannot run this: {told['error']}"
        where = (
            "**the stand-in for NVIDIA's driver: no GPU ran this**" if told["stand_in"] else told["devices"][0]["name"]
        )
        lines += [f"On {where}; {told['driver']}; {told['nvrtc']}; Python {told['python']}; {told['packages']}.", ""]
    if "bits" in read:
        failed = [each for each in read["bits"] if each.get("different") or "error" in each]
        words = sum(each.get("words", 0) for each in read["bits"])
        episodes = sum(each.get("episodes", 0) for each in read["bits"])
        lines += [
            f"**Bits**: {len(read['bits'])} cases, {words:,} words of 32 bits and {episodes:,} episodes; "
            f"{len(failed)} cases differ.",
            *(f"- {each['name']}: {each.get('different') or each.get('error')}" for each in failed),
            "",
        ]
    for each in read.get("plumbing", []):
        lines.append(
            f"- {each['name']}: { ({k: v for k, v in each.items() if k not in ('name', 'seconds', 'trace')}) }"
        )
    if "speed" in read:
        lines += ["", "| environment | steps/s | µs a call |", "|---|---|---|"]
        for each in read["speed"]:
            said = (
                f"{each['steps_per_second']:,.0f} | {each['microseconds_per_call']:,.1f}"
                if "error" not in each
                else f"{each['error'][:80]} |"
            )
            lines.append(f"| {each['name']} | {said} |")
    return "\n".join(lines)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("proof"), help="folder of the results")
    parser.add_argument("--sections", nargs="+", default=list(SECTIONS), choices=list(SECTIONS))
    parser.add_argument("--seconds", type=float, default=1e9, help="begin nothing new after so many")
    parser.add_argument("--small", action="store_true", help="a sample, for the stand-in")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message=r"\[envpool.cuda\] .* is a stand-in")
    arguments.out.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + arguments.seconds
    complete = [run(section, arguments.out, arguments.small, deadline) for section in arguments.sections]
    text = summary(arguments.out)
    (arguments.out / "summary.md").write_text(text + "\n")
    print(text)
    lines = [line for each in SECTIONS for line in _lines(arguments.out / f"{each}.jsonl")]
    bad = [line for line in lines if "error" in line or line.get("different") or line.get("equal") is False]
    sys.exit(2 if bad else 0 if all(complete) else 3)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


if __name__ == "__main__":
    main()
