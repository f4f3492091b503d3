# SPDX-License-Identifier: Apache-2.0
"""Checks that pools on a GPU match the CPU bit for bit and that other libraries can use the arrays, and measures speed.

    python tools/gpu_proof.py --out proof                           every section, nine minutes each at most
    python tools/gpu_proof.py --out proof --minutes 9               the same in nine minutes, as far as it gets
    python tools/gpu_proof.py --out proof --sections bits           one section
    ENVPOOL_LIBCUDA=build/standin/libcuda.so.1 python tools/gpu_proof.py --small --out proof   without a GPU

It needs envpool installed, and no network. PyTorch, JAX, CuPy and Numba are used if they are
installed. tools/gpu_visit.sh runs it on a machine that is available for minutes only. Sections come in the order of their
value. Each runs in processes of its own, so a crash or a hang ends only its current step. Each step's result is added to
results.jsonl at once. Steps whose results are in that file are skipped, so that a later run continues; failures of
earlier runs are tried again. gpu.md shows all results, on the stand-in for NVIDIA's driver as a rehearsal without a GPU.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import importlib.metadata
import importlib.util
import json
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

import envpool
from envpool.cuda import driver, nvrtc

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # the folder is not there with PYTHONSAFEPATH

import tests_on_path  # noqa: F401  (makes tests/ importable)

from tests.cuda.device_comparison import compare, pools
from tests.proof import Result, Step, bits, end_session, jax_programs, kernels, libraries, page, peers, usable_cpus
from tests.proof import speed as speeds
from tests.proof.results import STAND_IN, append, is_bad, is_done, latest, read

# --- machine ---


def machine() -> Result:
    """Returns versions, and the driver's description of the devices."""
    loaded = driver.load()
    versions = {}
    for name in ("torch", "jax", "cupy-cuda12x", "cupy-cuda13x", "numba-cuda", "numpy", "gymnax"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "driver": repr(loaded),
        "about": described() if not loaded.stand_in else [],
        "stand_in": loaded.stand_in,
        "devices": [
            {"name": each.name, "capability": list(each.capability), "bytes": each.total_memory}
            for each in loaded.devices()
        ],
        "nvrtc": repr(nvrtc.load()),
        "python": platform.python_version(),
        "cpus": usable_cpus(),
        "packages": versions,
        "missing": [name for name in ("torch", "jax", "cupy", "numba") if importlib.util.find_spec(name) is None],
    }


def described() -> list[str]:
    """Returns what nvidia-smi says about the driver, the largest clocks and the limit of power of the first device."""
    fields = "driver_version,clocks.max.sm,clocks.max.memory,power.limit"
    command = ["nvidia-smi", "--id=0", f"--query-gpu={fields}", "--format=csv,noheader"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [
        " ".join(pair) for pair in zip(("driver", "SM", "memory", "power"), output.strip().split(", "), strict=False)
    ]


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


# --- math ---


def functions(count: int, arguments: int, steps: int) -> Result:
    """Compares each function of math.h at random arguments, half of them near 1 (math_probe.h)."""
    envpool.compile(Path(__file__).with_name("math_probe.h"), "Math-v0")
    options = {"arguments": arguments, "num_threads": usable_cpus(), "max_episode_steps": 0}
    both = pools("Math-v0", "next_step", count, **options)
    try:
        comparison, _ = compare(both, count, steps + 1)
    finally:
        both.device.close()
    return {"arguments": count * arguments * steps, "words": comparison.words, "different": dict(comparison.different)}


def mathematics(small: bool) -> Iterator[Step]:
    """Compares 2^25 arguments of each function and type."""
    for number in range(1 if small else 8):
        yield f"math {number}", functools.partial(functions, *((33, 16, 8) if small else (1 << 14, 64, 4)))


# --- the sections ---

SECTIONS: dict[str, Callable[[bool], Iterator[Step]]] = {
    "machine": about,
    "compile": kernels.kernels,
    "plumbing": libraries.plumbing,
    "jax": jax_programs.programs,
    "graph": speeds.graphs,
    "speed": speeds.largest,
    "bits": bits.bits,
    "math": mathematics,
    "jaxspeed": jax_programs.speeds,
    "peers": peers.peers,
    "rows": speeds.rows,
    "lanes": speeds.lanes,
    "sizes": speeds.sizes,
}
# How --minutes is divided: the seconds that each section takes on an H100 with 16 CPUs, as estimated. The time that is
# left then goes to the incomplete sections.
SHARES = {
    "machine": 15,
    "compile": 40,
    "plumbing": 70,
    "jax": 60,
    "graph": 20,
    "speed": 40,
    "bits": 180,
    "math": 30,
    "jaxspeed": 70,
    "peers": 20,
    "rows": 15,
    "lanes": 60,
    "sizes": 30,
}
PARALLEL = ("bits", "jax")  # sections without timings
LIMIT = 510.0  # seconds of a section without --minutes
GRACE = 10.0  # seconds by which a section's last step may exceed the section's time
START = 5.0  # seconds of --minutes that are kept for the start and the end of the script
COMPLETE, INCOMPLETE, BROKEN = 0, 3, 4  # the exit statuses of a part


class Proof:
    """A run of the script.

    Attributes:
        out: the folder of results and logs.
        small: whether it is a sample, for the stand-in.
        run: when it began.
        repeat: sections for which results of earlier runs do not count.
        file: the file of results.
    """

    def __init__(self, out: Path, small: bool, run: str, repeat: list[str]) -> None:
        self.out, self.small, self.run, self.repeat = out, small, run, repeat
        self.file = out / "results.jsonl"

    @functools.cached_property
    def card(self) -> str:
        """The name of the first device."""
        try:
            loaded = driver.load()
            return STAND_IN if loaded.stand_in else loaded.devices()[0].name
        except (driver.DriverError, IndexError):
            return "no GPU"

    def write(self, section: str, result: Result) -> None:
        """Adds a line to the file of results, and prints it."""
        origin = {"card": self.card, "version": envpool.__version__, "run": self.run}
        append(self.file, {"section": section, **result, **origin})
        print(section, json.dumps({key: value for key, value in result.items() if key != "trace"}), flush=True)

    def results(self) -> dict[str, list[Result]]:
        """Returns the last result of each step on this device, by section."""
        return latest(read(self.file), self.card)

    def report(self) -> None:
        """Writes all results as Markdown."""
        temporary = self.out / ".gpu.md"
        temporary.write_text(page.page(read(self.file)))
        temporary.replace(self.out / "gpu.md")


class Part:
    """A part of a section, whose steps run in one process: every `of`-th step, beginning with `number`."""

    def __init__(self, proof: Proof, section: str, number: int = 0, of: int = 1) -> None:
        self.proof, self.section, self.number, self.of = proof, section, number, of
        name = section if of == 1 else f"{section}-{number}"
        self.current, self.log = proof.out / f"{name}.current", proof.out / f"{name}.log"

    def steps(self) -> list[tuple[str, Callable[[], Result]]]:
        """Returns the steps that are not done. Steps that were stopped for lack of time come last."""
        repeated = self.section in self.proof.repeat
        known = {line["name"]: line for line in self.proof.results().get(self.section, [])}
        mine = list(SECTIONS[self.section](self.proof.small))[self.number :: self.of]
        left = [step for step in mine if step[0] not in known or not is_done(known[step[0]], self.proof.run, repeated)]
        return sorted(left, key=lambda step: "out_of_time" in known.get(step[0], {}))


def driver_works() -> bool:
    """Returns whether the driver still works. After a kernel has failed, every call in this process fails."""
    try:
        for device in driver.load().devices():
            device.memory()
    except driver.DriverError:
        return False
    return True


def end_with_the_script() -> None:
    """Makes this session end when the script has ended, even if this process hangs in a call to the driver.

    The script holds the other end of a pipe from which a child process reads.
    """
    if os.fork() == 0:
        os.read(0, 1)
        end_session(os.getsid(0))


def work(part: Part, seconds: float) -> int:
    """Runs the steps of a part that have no result yet, and starts none after `seconds` have passed.

    Returns the exit status of the process. If a step breaks the driver, the part goes on in another process. If this
    happens after other steps, one of them may be to blame, so the step is first run again.
    """
    end_with_the_script()
    deadline = time.monotonic() + seconds
    for turn, (name, check) in enumerate(part.steps()):
        if time.monotonic() > deadline:
            return INCOMPLETE
        part.current.write_text(json.dumps([name, time.time()]))
        begun = time.monotonic()
        try:
            result = check()
        except Exception as error:  # noqa: BLE001  (the next step may work)
            result = {"error": f"{type(error).__name__}: {error}"[:2000], "trace": traceback.format_exc()[-2000:]}
        broken = is_bad(result) and not driver_works()
        if not broken or turn == 0:
            seconds_taken = round(time.monotonic() - begun, 2)
            part.proof.write(part.section, {"name": name, **result, "seconds": seconds_taken})
        part.current.unlink()
        if broken:
            return BROKEN
    return COMPLETE


def supervise(part: Part, seconds: float) -> str:
    """Runs a part in a process of its own, and starts another one after a crash. Returns the part's state."""
    proof, deadline = part.proof, time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        command = [sys.executable, os.path.abspath(__file__), "--out", str(proof.out), f"--seconds={left}"]
        command += [f"--run={proof.run}", f"--part={part.section},{part.number},{part.of}"]
        command += [*["--small"] * proof.small, *["--repeat"] * bool(proof.repeat), *proof.repeat]
        with part.log.open("a") as log:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=log, start_new_session=True)
            try:
                status: int | None = process.wait(left + GRACE)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                end_session(process.pid)
                process.communicate()
        if status in (COMPLETE, INCOMPLETE):
            return "complete" if status == COMPLETE else "incomplete"
        if status == BROKEN:
            continue
        error = f"the process ended with status {status}: {part.log.read_text(errors='replace')[-600:].strip()}"
        if not part.current.exists():
            proof.write(part.section, {"name": part.section, "error": error})
            return "failed"
        name, since = json.loads(part.current.read_text())
        part.current.unlink()
        ran = round(time.time() - since, 2)
        outcome = {"out_of_time": ran} if status is None else {"error": error}
        proof.write(part.section, {"name": name, **outcome, "seconds": ran})
    return "incomplete"


def run(proof: Proof, section: str, seconds: float) -> str:
    """Runs a section for about as many seconds. Returns its state: complete, incomplete or failed."""
    of = max(1, min(usable_cpus() // 3, 6)) if section in PARALLEL else 1
    states: list[str] = []
    threads = [
        threading.Thread(target=lambda part=part: states.append(supervise(part, seconds)))
        for part in (Part(proof, section, number, of) for number in range(of))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(5)
            proof.report()
    return next((state for state in ("failed", "incomplete") if state in states), "complete")


def run_all(proof: Proof, sections: list[str], minutes: float | None, seconds: float) -> dict[str, str]:
    """Runs sections, each for its share of the time, and then the incomplete ones again. Returns their states."""
    states: dict[str, str] = {}
    deadline = time.monotonic() + 60 * (minutes or 1e6) - START
    scale = min(1, (60 * minutes - GRACE) / sum(SHARES[section] for section in sections)) if minutes else 1
    for turn in range(2 if minutes else 1):
        for section in sections:
            left = deadline - time.monotonic() - GRACE
            if states.get(section) in ("complete", "failed") or left <= 0:
                continue
            share = SHARES[section] * scale if minutes and turn == 0 else seconds
            states[section] = run(proof, section, min(share, left))
            proof.write(section, {"state": states[section]})
            proof.report()
    return states


def main() -> None:
    """Runs the sections. The exit status is 2 if a check failed, and 3 if a section is incomplete."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("proof"), help="folder of the results")
    parser.add_argument("--sections", nargs="+", default=list(SECTIONS), choices=list(SECTIONS))
    parser.add_argument("--minutes", type=float, help="time for all sections together; each first gets its share")
    parser.add_argument("--small", action="store_true", help="a sample, for the stand-in")
    parser.add_argument("--seconds", type=float, default=LIMIT, help="time after which a section starts no new step")
    parser.add_argument("--repeat", nargs="+", default=[], choices=list(SECTIONS), help="ignore their earlier results")
    parser.add_argument("--part", help=argparse.SUPPRESS)  # section,number,of: runs this part in this process
    parser.add_argument("--run", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message=r"\[envpool.cuda\] .* is a stand-in")
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    proof = Proof(arguments.out.absolute(), arguments.small, arguments.run or now, arguments.repeat)
    proof.out.mkdir(parents=True, exist_ok=True)
    if arguments.part:
        section, number, of = arguments.part.split(",")
        sys.exit(work(Part(proof, section, int(number), int(of)), arguments.seconds))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(1))  # the parts notice it and end
    states = run_all(proof, arguments.sections, arguments.minutes, arguments.seconds)
    print((proof.out / "gpu.md").read_text())
    bad = [line for lines in proof.results().values() for line in lines if is_bad(line)]
    sys.exit(2 if bad else 0 if set(states.values()) == {"complete"} and len(states) == len(arguments.sections) else 3)


if __name__ == "__main__":
    main()
