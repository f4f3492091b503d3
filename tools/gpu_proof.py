# SPDX-License-Identifier: Apache-2.0
"""Checks that pools on a GPU match the CPU bit for bit and that other libraries can use the arrays, and measures speed.

    python tools/gpu_proof.py --out proof                           every section, nine minutes each at most
    python tools/gpu_proof.py --out proof --minutes 9               the same in nine minutes, as far as it gets
    python tools/gpu_proof.py --out proof --sections bits           one section
    ENVPOOL_LIBCUDA=build/standin/libcuda.so.1 python tools/gpu_proof.py --small --out proof   without a GPU

It needs envpool installed, and no network. PyTorch, JAX and CuPy are used if they are installed.
The most important sections come first. Each runs in a process of its own, so a crash or a hang ends only its current
step. Each step's result is written to a file of JSON lines at once. Steps whose results are in the file are skipped, so
that a later run continues. After each section, all results are written as Markdown: summary.md, and gpu.md, which is a
section for docs/gpu.md. On the stand-in for NVIDIA's driver, both say that no GPU was used.
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
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import envpool
from envpool.cuda import driver, nvrtc
from envpool.python.options import AUTORESET_MODES
from envpool.python.registry import find

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # the folder is not there with PYTHONSAFEPATH

import tests_on_path  # noqa: F401  (makes tests/ importable)

from tests.cuda.device_comparison import MORE, Case, compare, players, pools, tasks
from tests.proof import Result, Step, jax_programs, libraries
from tests.proof import speed as speeds
from tests.standin.rooflines import readable

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
        "missing": [name for name in ("torch", "jax", "cupy") if importlib.util.find_spec(name) is None],
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
    "bits": bits,
    "plumbing": libraries.plumbing,
    "jax": jax_programs.programs,
    "speed": speeds.speed,
    "math": mathematics,
    "graph": speeds.graphs,
}
# The seconds that each section gets with --minutes. The time that is left then goes to the incomplete sections.
SHARES = {"machine": 40, "compile": 150, "bits": 110, "plumbing": 70, "jax": 100, "speed": 60, "math": 30, "graph": 30}
LIMIT = 510.0  # seconds of a section without --minutes
GRACE = 20.0  # seconds by which a section's last step may exceed the section's time
HANGS = 60.0  # a step that was killed after more than this many seconds is not tried again


class Part:
    """A part of a section, whose steps run in one process: every `of`-th step, beginning with `number`."""

    def __init__(self, out: Path, section: str, number: int = 0, of: int = 1) -> None:
        self.section, self.number, self.of = section, number, of
        name = section if of == 1 else f"{section}-{number}"
        self.lines, self.current, self.log = (out / f"{name}.{kind}" for kind in ("jsonl", "current", "log"))


def parts_of(out: Path, section: str, small: bool) -> list[Part]:
    """Returns the parts of a section that run at the same time."""
    of = max(1, min(usable_cpus() // 3, 6)) if section == "bits" and not small else 1
    return [Part(out, section, number, of) for number in range(of)]


def work(part: Part, out: Path, small: bool, seconds: float) -> bool:
    """Runs the steps of a part that have no result yet, and starts none after `seconds` have passed.

    Returns whether the part is complete.
    """
    deadline = time.monotonic() + seconds
    done = {line["name"] for line in results_of(out, part.section)}
    _lines(part.lines)
    with part.lines.open("a") as file:
        for index, (name, check) in enumerate(SECTIONS[part.section](small)):
            if name in done or index % part.of != part.number:
                continue
            if time.monotonic() > deadline:
                return False
            part.current.write_text(json.dumps([name, time.time()]))
            begun = time.monotonic()
            try:
                result = check()
            except Exception as error:  # noqa: BLE001  (the next step may work)
                result = {"error": f"{type(error).__name__}: {error}"[:2000], "trace": traceback.format_exc()[-2000:]}
            _write(file, part, {"name": name, **result, "seconds": round(time.monotonic() - begun, 2)})
            part.current.unlink()
    return True


def supervise(part: Part, out: Path, small: bool, seconds: float) -> str:
    """Runs a part in a process of its own, and starts another one after a crash. Returns the part's state."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 1:
        command = [sys.executable, os.path.abspath(__file__), "--out", str(out), f"--seconds={left}"]
        command += [f"--part={part.section},{part.number},{part.of}", *["--small"] * small]
        with part.log.open("a") as log:
            process = subprocess.Popen(command, stderr=log, start_new_session=True)
            try:
                status = process.wait(left + GRACE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = None
        if status in (0, 3):
            return "complete" if status == 0 else "incomplete"
        why = "did not end in time" if status is None else f"ended with status {status}"
        if not part.current.exists():
            with part.lines.open("a") as file:
                _write(file, part, {"name": part.section, "error": f"the process {why}: {_tail(part.log)}"})
            return "failed"
        name, since = json.loads(part.current.read_text())
        part.current.unlink()
        ran = time.time() - since
        if status is not None or ran > HANGS:
            with part.lines.open("a") as file:
                record = {"name": name, "error": f"the process {why}: {_tail(part.log)}", "seconds": round(ran, 2)}
                _write(file, part, record)
    return "incomplete"


def run(section: str, out: Path, small: bool, seconds: float) -> str:
    """Runs a section for about as many seconds. Returns its state: complete, incomplete or failed."""
    states: list[str] = []
    threads = [
        threading.Thread(target=lambda part=part: states.append(supervise(part, out, small, seconds)))
        for part in parts_of(out, section, small)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return next((state for state in ("failed", "incomplete") if state in states), "complete")


def _write(file: Any, part: Part, result: Result) -> None:
    shown = {key: value for key, value in result.items() if key != "trace"}
    print(part.section, json.dumps(shown), flush=True)
    file.write(json.dumps(result) + "\n")
    file.flush()


def _tail(log: Path) -> str:
    return log.read_text(errors="replace")[-600:].strip() if log.exists() else ""


def results_of(out: Path, section: str) -> list[Result]:
    """Returns the results of all parts of a section."""
    return [line for path in sorted(out.glob(f"{section}*.jsonl")) for line in _lines(path, repair=False)]


def _lines(path: Path, *, repair: bool = True) -> list[Result]:
    """Returns the results in a file. A run that was killed may have left a line unfinished, which `repair` removes."""
    if not path.exists():
        return []
    whole, _, unfinished = path.read_text().rpartition("\n")
    if unfinished and repair:
        path.write_text(whole + "\n" if whole else "")
    return [json.loads(line) for line in whole.splitlines()]


def card(read: dict[str, list[Result]]) -> str:
    """Returns the name of the GPU, or says that there was none."""
    for record in read.get("machine", []):
        if "devices" in record:
            return (
                "**the stand-in for NVIDIA's driver: no GPU ran this**"
                if record["stand_in"]
                else str(record["devices"][0]["name"])
            )
    return "an unknown machine"


def summary(read: dict[str, list[Result]]) -> str:
    """Returns the results of all sections as Markdown."""
    lines: list[str] = []
    for record in read.get("machine", []):
        if "error" in record:
            lines += [f"{record['name']}: {record['error']}", ""]
        elif record["name"] == "copy":
            lines += [f"A copy in its memory moves {record['bytes_per_second'] / 1e12:.2f} TB/s.", ""]
        else:
            versions = ", ".join(f"{name} {version}" for name, version in record["packages"].items())
            lines += [
                f"On {card(read)}; {record['driver']}; {record['nvrtc']}; Python {record['python']}; {versions}.",
                "",
            ]
            if record["missing"]:
                lines += [f"Not installed, so not checked: {', '.join(record['missing'])}.", ""]
    measured = [each for name in ("speed", "graph", "jax") for each in read.get(name, []) if "steps_per_second" in each]
    failed = [each for name in ("speed", "graph") for each in read.get(name, []) if "steps_per_second" not in each]
    failed = [each for each in failed if "skipped" not in each]
    for name, title in (("jax", "JAX"), ("graph", "CUDA graphs")):
        lines += [f"**{title}**: skipped: {each['skipped']}.\n" for each in read.get(name, []) if "skipped" in each]
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
        record = {key: value for key, value in each.items() if key not in ("name", "seconds", "trace") and value != ""}
        lines.append(f"- {each['name']}: {record}")
    if rates := [*measured, *failed]:
        lines += [
            "",
            "| environments | steps/s | µs per call | compared with the ceiling or gymnax |",
            "|---|---|---|---|",
        ]
        lines += [f"| {each['name']} | {_cells(each)} |" for each in rates]
    return "\n".join(lines)


def table(read: dict[str, list[Result]], states: dict[str, str]) -> str:
    """Returns a table of the sections: how far they are, and how many of their steps report a failure."""
    lines = ["| section | state | steps | failures | seconds |", "|---|---|---|---|---|"]
    for section in SECTIONS:
        found = read.get(section, [])
        bad, seconds = sum(map(is_bad, found)), sum(each.get("seconds", 0) for each in found)
        state = states.get(section, "earlier" if found else "not run")
        if any("skipped" in each for each in found):
            state = "skipped"
        lines.append(f"| {section} | {state} | {len(found)} | {bad} | {seconds:.0f} |")
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
    parser.add_argument("--minutes", type=float, help="time for all sections together; each first gets its share")
    parser.add_argument("--small", action="store_true", help="a sample, for the stand-in")
    parser.add_argument("--seconds", type=float, default=LIMIT, help="time after which a section starts no new step")
    parser.add_argument("--part", help=argparse.SUPPRESS)  # section,number,of: runs this part in this process
    arguments = parser.parse_args()
    out: Path = arguments.out
    warnings.filterwarnings("ignore", message=r"\[envpool.cuda\] .* is a stand-in")
    out.mkdir(parents=True, exist_ok=True)
    if arguments.part:
        section, number, of = arguments.part.split(",")
        sys.exit(0 if work(Part(out, section, int(number), int(of)), out, arguments.small, arguments.seconds) else 3)
    states: dict[str, str] = {}
    deadline = time.monotonic() + 60 * (arguments.minutes or 1e6)
    for shares in (SHARES, {}) if arguments.minutes else ({},):
        for section in arguments.sections:
            left = deadline - time.monotonic() - GRACE
            if states.get(section) in ("complete", "failed") or left <= 0:
                continue
            states[section] = run(section, out, arguments.small, min(shares.get(section, arguments.seconds), left))
            report(out, states)
    text, read = report(out, states)
    print(text)
    bad = [line for lines in read.values() for line in lines if is_bad(line)]
    complete = all(states.get(section) == "complete" for section in arguments.sections)
    sys.exit(2 if bad else 0 if complete else 3)


def report(out: Path, states: dict[str, str]) -> tuple[str, dict[str, list[Result]]]:
    """Writes the results of all sections as Markdown. Returns the text and the results."""
    read = {section: lines for section in SECTIONS if (lines := results_of(out, section))}
    text = f"{summary(read)}\n\n{table(read, states)}"
    (out / "summary.md").write_text(text + "\n")
    title = f"## Measurements on {card(read)}"
    (out / "gpu.md").write_text(f"{title}\n\n{text}\n")
    return text, read


if __name__ == "__main__":
    main()
