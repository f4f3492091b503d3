# SPDX-License-Identifier: Apache-2.0
"""Checks that pools on a GPU match the CPU bit for bit and that other libraries can use the arrays, and measures speed.

    python tools/gpu_proof.py --out proof                           every section, one after another
    python tools/gpu_proof.py --out proof --sections bits           one section, which takes nine minutes at most
    ENVPOOL_LIBCUDA=build/standin/libcuda.so.1 python tools/gpu_proof.py --small --out proof   without a GPU

It needs envpool installed with ENVPOOL_TESTING=1, and no network. Each section writes a file of JSON lines. A later run
skips the steps whose results are in the file, so an interrupted run can be continued. At the end, the results of all
sections are written as Markdown: summary.md, and gpu.md, which is a section for docs/gpu.md. On the stand-in for
NVIDIA's driver, both say that no GPU was used.
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
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import envpool
from envpool.cuda import driver, nvrtc
from envpool.python.options import AUTORESET_MODES
from envpool.python.registry import find
from envpool.testing.device_comparison import MORE, Case, compare, players, pools, tasks
from envpool.testing.proof import Result, Step, jax_programs, libraries
from envpool.testing.proof import speed as speeds
from envpool.testing.rooflines import readable

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
                    yield Case(name, (), mode, min(count, 8192 // players(name)), steps)
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


# --- the sections and their results ---

SECTIONS: dict[str, Callable[[bool], Iterator[Step]]] = {
    "machine": about,
    "compile": kernels,
    "math": mathematics,
    "plumbing": libraries.plumbing,
    "bits": bits,
    "jax": jax_programs.programs,
    "speed": speeds.speed,
    "graph": speeds.graphs,
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
    measured = [each for name in ("speed", "graph", "jax") for each in read.get(name, []) if "steps_per_second" in each]
    failed = [each for name in ("speed", "graph") for each in read.get(name, []) if "steps_per_second" not in each]
    lines += [f"**JAX**: skipped: {each['skipped']}.\n" for each in read.get("jax", []) if "skipped" in each]
    kinds = {"bits": "cases", "math": "cases of each function of math.h", "jax": "programs of JAX"}
    for section, what in kinds.items():
        if found := [each for each in read.get(section, []) if each not in measured and "skipped" not in each]:
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
    if rates := [*measured, *failed]:
        lines += [
            "",
            "| environments | steps/s | µs per call | compared with the ceiling or gymnax |",
            "|---|---|---|---|",
        ]
        lines += [f"| {each['name']} | {_cells(each)} |" for each in rates]
    return "\n".join(lines)


def _cells(result: Result) -> str:
    for key in ("error", "unsupported", "too_large"):
        if key in result:
            return f"{key.replace('_', ' ')}: {result[key][:80]} | |".replace("\n", " ")
    share = f"{result['share']:.1%} of {readable(result['ceiling'])}, {result['bound']}" if "share" in result else ""
    if "gymnax" in result:
        share = f"{result['over_gymnax']:.1f} times gymnax, {readable(result['gymnax'])}"
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
    title = f"## Measurements on {card(read)}"
    (arguments.out / "gpu.md").write_text(f"{title}\n\n{text}\n")
    print(text)
    bad = [line for lines in read.values() for line in lines if is_bad(line)]
    sys.exit(2 if bad else 0 if all(complete) else 3)


if __name__ == "__main__":
    main()
