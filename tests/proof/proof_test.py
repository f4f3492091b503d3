# SPDX-License-Identifier: Apache-2.0
"""Tests tools/gpu_proof.py and tools/gpu_visit.sh on the stand-in, and the page that is made from their results."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import types
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.proof import bits, end_session, jax_programs, kernels, libraries, page, peers, speed
from tests.proof.results import STAND_IN, append, is_done, latest, read
from tests.standin.driver import STANDIN, on_stand_in

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR", "")
WHOLE = os.environ.get("ENVPOOL_TEST_DEVICE") == "whole"
ORIGIN = {"card": "NVIDIA H100 80GB HBM3", "version": "1.0", "run": "2026-01-01T00:00:00Z"}

pytestmark = pytest.mark.skipif(not SOURCE, reason="needs the sources: ENVPOOL_SOURCE_DIR")


@pytest.fixture
def proof() -> Iterator[Any]:
    """Returns tools/gpu_proof.py as a module, whose processes run on the stand-in."""
    spec = importlib.util.spec_from_file_location("gpu_proof", Path(SOURCE, "tools", "gpu_proof.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with on_stand_in():
        yield module


def command(out: Path, *flags: str) -> list[str]:
    return [sys.executable, str(Path(SOURCE, "tools", "gpu_proof.py")), "--small", "--out", str(out), *flags]


def run(out: Path, *flags: str, status: int = 0, **settings: str) -> dict[str, list[dict]]:
    """Runs the script on the stand-in. Returns the results of each section."""
    environment = {**os.environ, "ENVPOOL_LIBCUDA": str(STANDIN), **settings}
    done = subprocess.run(command(out, *flags), capture_output=True, text=True, cwd=out, env=environment, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return latest(read(out / "results.jsonl"), STAND_IN)


# --- sections ---


@pytest.mark.sampled(one_in=2)
def test_sections_run_and_compile_only_in_the_first_of_them(tmp_path: Path) -> None:
    cache = {"ENVPOOL_CACHE_DIR": str(tmp_path / "cache")}
    first = run(tmp_path, "--sections", "machine", "compile", **cache)
    assert first["compile"][0]["compiled"] == first["compile"][0]["kernels"] > 15
    compiled = sorted((tmp_path / "cache" / "cuda").iterdir())
    results_ = run(tmp_path, "--sections", "plumbing", "speed", "rows", "sizes", "bits", "graph", "peers", **cache)
    assert sorted((tmp_path / "cache" / "cuda").iterdir()) == compiled
    assert len(results_["bits"]) > 4 and all(line["different"] == {} and line["words"] for line in results_["bits"])
    assert results_["plumbing"][0]["equal"] and results_["speed"][0]["steps_per_second"] > 1000
    text = (tmp_path / "gpu.md").read_text()
    assert text.startswith("## Rehearsal on the stand-in, without a GPU\n\n**No GPU was used.**")
    assert "Measured on an" not in text and all(
        row.endswith("| no GPU |") for row in text.split("\n") if "CartPole" in row
    )


def test_the_first_section_has_the_kernels_of_all_others() -> None:
    results_ = kernels.kernels_of(small=False)
    jobs = [(task_id, dict(options)) for task_id, options in {case[:2] for case in bits.cases(small=False)}]
    jobs += [(task_id, {}) for task_id in (*speed.IDS, *libraries.ids(small=False), *jax_programs.POOLS)]
    jobs += [(task_id, {}) for task_id in jax_programs.IDS] + list(jax_programs.WORLDS.items())
    assert all(kernels.kernel_of(task_id, options) in results_ for task_id, options in [*jobs, *peers.worlds()])
    assert list(results_.values())[0].startswith(kernels.SLOW) and len(results_) > 50


@pytest.mark.sampled(one_in=2)
def test_a_later_run_continues_after_an_interruption(tmp_path: Path) -> None:
    sections = ("--sections", "machine", "math")
    first = run(tmp_path, *sections)
    file = tmp_path / "results.jsonl"
    whole = file.read_bytes()
    assert [line["different"] for line in first["math"]] == [{}] and run(tmp_path, *sections) == first
    file.write_bytes(whole[: whole.index(b'"math 0"') + 20])  # as if it had been killed while it wrote the line
    second = run(tmp_path, *sections)
    assert second["machine"] == first["machine"] and second["math"][0]["run"] > first["math"][0]["run"]
    again = run(tmp_path, *sections, "--repeat", "math")
    assert again["machine"] == first["machine"] and again["math"][0]["run"] > second["math"][0]["run"]
    assert "arguments of each type, none fails" in (tmp_path / "gpu.md").read_text()


def steps_of(proof: Any, monkeypatch: pytest.MonkeyPatch, *steps: tuple[str, Any]) -> None:
    monkeypatch.setattr(proof, "SECTIONS", {"bits": lambda small: iter(steps)})


def part(proof: Any, out: Path, run: str = "2") -> Any:
    return proof.Part(proof.Proof(out, small=True, run=run, repeat=[]), "bits")


def test_failures_of_earlier_runs_are_tried_again(proof: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = {"good": {}, "raised": {"error": "x"}, "differs": {"different": {"obs": 1}}, "late": {"out_of_time": 9}}
    steps_of(proof, monkeypatch, ("late", dict), *((name, dict) for name in results if name != "late"), ("new", dict))
    for run, left in (("1", ["late"]), ("2", ["raised", "differs", "late"])):
        for name, result in results.items():
            origin = {"card": STAND_IN, "run": "1", "version": ""}
            append(tmp_path / "results.jsonl", {"section": "bits", "name": name, **result, **origin})
        names = [name for name, _ in part(proof, tmp_path, run).steps()]
        assert names == [*left[:-1], "new", "late"]
    assert not is_done({"run": "1", "skipped": "no JAX"}, "2", repeated=False)
    assert not is_done({"run": "1"}, "2", repeated=True) and is_done({"run": "2"}, "2", repeated=True)
    other = proof.Proof(tmp_path, small=True, run="2", repeat=[])
    other.card = "NVIDIA H200"  # results of another GPU do not count
    assert len(proof.Part(other, "bits").steps()) == 5


def test_a_step_that_breaks_the_driver_gets_the_blame(
    proof: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an illegal address, all later calls of a process fail, so that the next steps need another process."""
    working = True

    def breaks() -> dict[str, Any]:
        nonlocal working
        working = False
        raise RuntimeError("an illegal address")

    def fails() -> dict[str, Any]:
        assert working, "an earlier step has broken the driver"
        return {"equal": True}

    monkeypatch.setattr(proof, "driver_works", lambda: working)
    monkeypatch.setattr(proof, "end_with_the_script", lambda: None)
    steps_of(proof, monkeypatch, ("one", fails), ("two", breaks), ("three", fails))
    statuses = []
    for _ in range(3):
        statuses.append(proof.work(part(proof, tmp_path), 60))
        working = True  # in the next process
    assert statuses == [proof.BROKEN, proof.BROKEN, proof.COMPLETE]
    lines = [line for line in read(tmp_path / "results.jsonl") if line["name"] != "one"]
    assert [(line["name"], "error" in line) for line in lines] == [("two", True), ("three", False)]


def test_processes_end_with_the_script(tmp_path: Path) -> None:
    """Kills the script in the middle of a section, whose process runs in a session of its own, and does not answer."""
    environment = {**os.environ, "ENVPOOL_LIBCUDA": str(STANDIN)}
    process = subprocess.Popen(
        command(tmp_path, "--sections", "bits"), env=environment, stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None and process.stdout.readline().startswith(b"bits ")
    children = Path(f"/proc/{process.pid}/task").glob("*/children")
    (child,) = (int(each) for file in children for each in file.read_text().split())
    os.kill(child, signal.SIGSTOP)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    try:
        deadline = time.monotonic() + 20
        while Path(f"/proc/{child}/exe").exists():
            assert time.monotonic() < deadline, "the section's process goes on"
            time.sleep(0.1)
    finally:
        end_session(child)


def test_a_command_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    file = tmp_path / "child"
    script = f"sleep 100 & echo $! >{file}; wait"
    with pytest.raises(TimeoutError, match=r"did not end in 0.5 s"):
        libraries.run_to_end(["sh", "-c", script], 0.5)
    deadline = time.monotonic() + 20
    while Path(f"/proc/{int(file.read_text())}/exe").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert libraries.run_to_end(["true"], 5) == {"equal": True, "said": ""}
    assert libraries.run_to_end(["sh", "-c", "echo no >&2; exit 9"], 5) == {"equal": False, "said": "no\n"}


SESSION = """
import os, subprocess
from tests.proof import end_session
for _ in range(20):
    print(subprocess.Popen(["sleep", "100"], preexec_fn=os.setpgrp, stdout=subprocess.DEVNULL).pid, flush=True)
end_session(os.getsid(0))
"""


def test_a_session_is_ended_from_inside() -> None:
    packages = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", SESSION]
    done = subprocess.run(command, start_new_session=True, capture_output=True, text=True, env=packages, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    children = [int(line) for line in done.stdout.split()]
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{child}/exe").exists() for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert len(children) == 20


# --- JAX ---


def test_the_section_jax_is_skipped_without_jax_for_cuda(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    if not jax_programs.why_not():
        pytest.skip("JAX can use a GPU here")
    (step,) = jax_programs.programs(small=False)
    assert "jaxlib has no CUDA" in step[1]()["skipped"]


@pytest.mark.skipif(not WHOLE, reason="takes minutes: make test-device")
@pytest.mark.parametrize("program", jax_programs.PROGRAMS)
def test_every_program_of_jax_runs_on_the_stand_in(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jax")
    monkeypatch.setenv("ENVPOOL_LIBCUDA", str(STANDIN))
    monkeypatch.delenv("PYTHONSAFEPATH")
    (tmp_path / "envpool").mkdir()
    (tmp_path / "envpool" / "__init__.py").write_text("raise ImportError('these are the sources')")
    monkeypatch.chdir(tmp_path)
    result = jax_programs.compared(program, jax_programs.ON_STAND_IN, "off")
    assert result["words"] > 30 and result["different"] == {} and result.get("equal", True)


@pytest.mark.skipif(not WHOLE, reason="takes minutes: make test-device")
def test_the_speed_of_jax_is_measured_on_the_stand_in(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    results_ = run(tmp_path, "--sections", "jaxspeed")
    assert len(results_["jaxspeed"]) == 2 and all(line["over_gymnax"] > 0 for line in results_["jaxspeed"])


def test_differing_results_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import sys, os, numpy as np; np.savez(sys.argv[-1], a=np.arange(4), b=float(os.environ['B']))"
    monkeypatch.setattr(jax_programs, "PROGRAM", ["-c", program])
    monkeypatch.setattr(jax_programs, "ON_CPU", {"B": "1"})
    assert jax_programs.compared("scan", {"B": "1"}, "off") == {"words": 10, "different": {}}
    assert jax_programs.compared("scan", {"B": "1.5"}, "off") == {"words": 10, "different": {"b": 1}}


# --- WarpDrive ---


def test_warp_drives_kernel_is_read_from_its_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "rl_warp_drive.whl"
    text = "from warp_drive.numba_includes.env_config import *\n"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr(peers.SOURCE, f"{text}NumbaTagGridWorldStep = (wkNumberEnvs, wkNumberAgents, wkBlocksPerEnv)\n")
    for name in ("warp_drive", "warp_drive.numba_includes", "warp_drive.numba_includes.env_config"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    assert peers.kernel_of(wheel, 7, 5) == (7, 5, 1)


# --- the page ---


def results(card: str = "NVIDIA H100 80GB HBM3", **changes: Any) -> list[dict[str, Any]]:
    """Returns the results of a visit to a GPU."""
    machine = {
        "driver": "<driver for CUDA 13.0, libcuda.so.1>",
        "about": ["driver 580.1"],
        "devices": [{"name": card}],
        "nvrtc": "<NVRTC 13.0, /opt/lib/libnvrtc.so.13>",
        "cpus": 16,
        "python": "3.12.3",
        "packages": {"torch": "2.11.0"},
        "missing": ["cupy"],
    }
    rate = {"task_id": "CartPole-v1", "num_envs": 1024, "microseconds_per_call": 10.0, "spread": 0.02}
    speeds = {**rate, "steps_per_second": 2.5e9, "ceiling": 2.5e10, "bound": "memory", "share": 0.1}
    lines = {
        "machine": {"name": "machine", **machine, "seconds": 1},
        "bits": {"name": "CartPole-v1-disabled-33", "words": 1234, "different": {}, "seconds": 2},
        "speed": {"name": "CartPole-v1 x 1024, actions on the device", **speeds, "seconds": 3},
        "lanes": {"name": "Ant-v5 x 64, 4 lanes of a warp", **rate, "steps_per_second": 6.4e6, "seconds": 1},
        "jaxspeed": {"name": "CartPole-v1 x 2048", "steps_per_second": 1e9, "gymnax": 5e8, "over_gymnax": 2.0},
        "peers": {
            "name": "Tag x 2000",
            "steps_per_second": 3e6,
            "warp_drive": 1e6,
            "over_warp_drive": 3.0,
            "spread": 0,
        },
        "compile": {"name": "kernels", "kernels": 80, "compiled": 0, "seconds": 0.5},
    }
    results_ = [{"section": name, **line, **ORIGIN, "card": card, **changes} for name, line in lines.items()]
    return [*results_, {"section": "bits", "state": "complete", **ORIGIN, "card": card}]


def test_the_page_of_a_gpu() -> None:
    text = page.page(results())
    assert text.startswith("## Measured on an NVIDIA H100 80GB HBM3\n")
    for expected in (
        "on 2026-01-01 with envpool 1.0; driver for CUDA 13.0; NVRTC 13.0; driver 580.1; 16 CPUs; Python 3.12.3; torch",
        "not installed, so not checked: cupy; 80 kernels, of which 0 were compiled in 0 s.",
        "- 1 pools of environments, compared with the CPU: 1,234 words of 32 bits, none fails",
        "| `CartPole-v1` | 1,024 | actions on the device | 2.5 G | 10.0 | 2% | 25 G, memory | 10.0% |",
        "| ms a step of all, with this number of lanes of a warp | 4 |\n|---|---|\n| Ant-v5 x 64 | 0.01 |",
        "| CartPole-v1 x 2048 | 1 G | 500 M | 2.00 |",
        "| Tag x 2000 | 3 M | 1 M | 3.00 | 0% |",
        "| bits | complete | 1 | 0 | 2 |",
    ):
        assert expected in text, text
    assert "no GPU" not in text and "Failures" not in text


def test_failures_are_listed() -> None:
    lines = results()
    bad = {"section": "bits", **ORIGIN, "seconds": 1}
    lines += [{**bad, "name": "A", "different": {"obs": 3}}, {**bad, "name": "B", "error": "CudaError: <b>\nx"}]
    lines += [{**bad, "name": "C", "out_of_time": 9.5}, {**bad, "name": "CartPole-v1-disabled-33", "error": "later"}]
    text = page.page(lines)
    assert "- 3 pools of environments, compared with the CPU: **3 fail**" in text
    assert "- bits, A: {'obs': 3}\n- bits, B: CudaError: &lt;b> x\n- bits, C: stopped after 9.5 s" in text
    assert "| bits | complete | 3 | 3 |" in text


def test_the_page_has_a_section_for_each_gpu_and_none_for_the_stand_in() -> None:
    before = Path(SOURCE, "docs", "gpu.md").read_text()
    known = len(page._SECTION.findall(before))
    once = page.updated(before, results("NVIDIA X1"))
    both = page.updated(once, results("NVIDIA X2"))
    assert page.updated(both, results("NVIDIA X1")) == both
    assert [both.count(f"## Measured on an NVIDIA X{number}\n") for number in (1, 2)] == [1, 1]
    assert page._SECTION.sub("", both).count("\n## ") == before.count("\n## ") - known
    newer = page.updated(both, results("NVIDIA X1", version="2.0"))
    assert newer.count("with envpool 2.0") == 1 and newer.count("with envpool 1.0") >= 1
    for lines in (results(STAND_IN), [*results(), *results(STAND_IN)], [], [{"section": "bits", **ORIGIN}]):
        with pytest.raises(ValueError, match=r"results: expected results of GPUs, got"):
            page.updated(before, lines)
    with pytest.raises(ValueError, match=r"page: expected a line"):
        page.updated("# A page\n", results())


# --- the visit ---


def small_kit(tree: Path) -> None:
    """Makes a checkout with a kit that contains no package, because the tests' environment has it."""
    kit = tree / "build" / "gpu-kit"
    (kit / "wheels").mkdir(parents=True)
    (tree / "tools").mkdir()
    for name in ("gpu_visit.sh", "gpu_proof.py", "gpu_ncu.sh", "math_probe.h", "tests_on_path.py"):
        shutil.copy(Path(SOURCE, "tools", name), tree / "tools")
    (tree / "tests").symlink_to(Path(SOURCE, "tests"))
    metadata = {"METADATA": "Metadata-Version: 2.1\nName: nothing\nVersion: 1\n", "WHEEL": "Wheel-Version: 1.0\n"}
    with zipfile.ZipFile(kit / "wheels" / "nothing-1-py3-none-any.whl", "w") as wheel:
        for name, text in metadata.items():
            wheel.writestr(f"nothing-1.dist-info/{name}", f"{text}Root-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("nothing-1.dist-info/RECORD", "")
        wheel.writestr("nothing.py", "")
    with zipfile.ZipFile(kit / "mujoco.zip", "w") as library:
        library.writestr("mujoco/libmujoco.so", "")
    subprocess.run(["tar", "-cJf", str(kit / "kernels.tar.xz"), "-T", "/dev/null"], check=True)
    (tree / "benchmark").mkdir()
    (tree / "benchmark" / "threads.py").write_text(
        "import pathlib, subprocess, sys\n"
        "python, file, seconds = (each.partition('=')[2] for each in sys.argv[1:])\n"
        "environment = {'ENVPOOL_LIBCUDA': ''}\n"
        "subprocess.run([python, '-c', 'import nothing'], check=True, env=environment)\n"
        "pathlib.Path(file).write_text(seconds)\n"
    )


def visit(tree: Path, out: Path, minutes: float, *flags: str) -> subprocess.Popen[str]:
    """Starts tools/gpu_visit.sh in a process group of its own."""
    environment = {
        **os.environ,
        "ENVPOOL_LIBCUDA": str(STANDIN),
        "ENVPOOL_VISIT_FOLDER": str(tree / "work"),
        "PYTHON": sys.executable,
    }
    script = ["bash", str(tree / "tools" / "gpu_visit.sh"), str(out), str(minutes), "--small", *flags]
    return subprocess.Popen(script, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)


def names(lines: Iterable[dict]) -> list[str]:
    return [line["name"] for line in lines if "name" in line]


def test_a_visit_loads_no_code_from_a_folder_that_others_can_write(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    work.chmod(0o777)
    script = Path(SOURCE, "tools", "gpu_visit.sh")
    result = subprocess.run(
        ["bash", script, tmp_path / "out", "1"],
        env={**os.environ, "ENVPOOL_VISIT_FOLDER": str(work)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 1 and "only this user can write" in result.stderr
    assert [*work.iterdir()] == [] and not (tmp_path / "out").exists()


@pytest.mark.sampled(one_in=2)
def test_a_visit_that_is_killed_loses_nothing_and_continues(tmp_path: Path) -> None:
    small_kit(tmp_path)
    out = tmp_path / "out"
    first = visit(tmp_path, out, 5, "--sections", "machine", "bits")
    while "machine" not in names(read(out / "results.jsonl")) or not (out / "gpu.md").exists():
        assert first.poll() is None
        time.sleep(0.2)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    lines = read(out / "results.jsonl")
    assert (out / "gpu.md").read_text().startswith("## Rehearsal")
    shutil.rmtree(tmp_path / "work")  # as on another machine
    output, _ = visit(tmp_path, out, 2, "--sections", "machine", "speed", "sizes").communicate()
    assert "== done, after" in output
    later = read(out / "results.jsonl")
    assert later[: len(lines)] == lines and names(later) == [*names(lines), "CartPole-v1 x 64", "CartPole-v1 x 1"]
    files = {"results.jsonl", "gpu.md", "machine.txt", "run.txt", "threads.json"}
    assert files <= {path.name for path in out.iterdir()} <= {*files, "logs.txt", "ncu.csv"}
    assert json.loads((out / "threads.json").read_text()) == 18  # a fifth of two minutes, with a reserve of 6 s
