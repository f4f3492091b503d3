# SPDX-License-Identifier: Apache-2.0
"""Tests the scripts in benchmark/: they run, refuse unknown arguments, and detect slowdowns."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

BENCHMARK = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none")) / "benchmark"

pytestmark = pytest.mark.skipif(not BENCHMARK.is_dir(), reason="needs the sources: ENVPOOL_SOURCE_DIR")


def run(script: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARK / script), *arguments]
    # Scripts import modules from their own folder.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd, env=env)


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> str:
    """Returns an interpreter that finds this envpool although the benchmarks clear PYTHONPATH."""
    path = tmp_path_factory.mktemp("python") / "python"
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{os.environ.get("PYTHONPATH", "")}" exec "{sys.executable}" "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.mark.sampled(one_in=2, group="run")
def test_check_fails_only_when_envpool_is_slower(python, tmp_path):
    baseline = tmp_path / "baseline.json"
    few = [f"--python={python}", f"--baseline={baseline}", "--only=CartPole, 1 env", "--rounds=5", "--window=0.05"]
    assert run("check.py", *few, "--write=1", cwd=tmp_path).returncode == 0
    entry = json.loads(baseline.read_text())["cases"]["CartPole, 1 env"]
    assert 0 < entry["ratio"] < 3 and entry["noise"] == 0
    slowed = run("check.py", *few, "--slow=2", cwd=tmp_path)
    assert slowed.returncode == 1, slowed.stdout
    assert "SLOWER" in slowed.stdout and "3 attempts" in slowed.stdout
    assert slowed.stderr.startswith("check: slower than the baseline: CartPole, 1 env."), slowed.stderr
    entry["noise"] = 0.2  # so few rounds are noisy on a shared machine
    baseline.write_text(json.dumps({"cases": {"CartPole, 1 env": entry}}))
    passed = run("check.py", *few, cwd=tmp_path)
    assert passed.returncode == 0, passed.stdout + passed.stderr


def test_the_baseline_has_every_case():
    code = "import sys, json; sys.path.append(sys.argv[1]); import check; print(json.dumps(list(check.CASES)))"
    out = subprocess.run([sys.executable, "-c", code, str(BENCHMARK)], capture_output=True, text=True, check=True)
    baseline = json.loads((BENCHMARK / "baseline.json").read_text())
    assert list(baseline["cases"]) == json.loads(out.stdout)
    assert all(0 < entry["noise"] < 0.15 and len(entry["runs"]) > 2 for entry in baseline["cases"].values())


@pytest.mark.sampled(one_in=2, group="run")
def test_threads_measures_pools_within_the_time(python, tmp_path):
    result = tmp_path / "threads.json"
    few = [f"--python={python}", f"--json={result}", "--tasks=CartPole-v1", "--threads=1,3", "--window=0.02"]
    done = run("threads.py", *few, "--seconds=20", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "have passed" not in done.stderr  # what the script says if it ends before it has measured everything
    record = json.loads(result.read_text())
    assert [entry["case"]["loop"] for entry in record["results"]] == ["sync", "async"]
    for entry in record["results"]:
        assert len(entry["steps_per_s"]["ours"]) == 2 and min(entry["steps_per_s"]["ours"]) > 1000


def test_threads_replaces_the_table_of_a_page(tmp_path):
    page = tmp_path / "page.md"
    begin, end = "<!-- made by benchmark/threads.py -->\n", "<!-- end of what benchmark/threads.py makes -->\n"
    page.write_text(f"before\n{begin}old\n{end}after\n")
    rates = {"ours": [1e4, 1.9e4, 1.2e5], "peer": [1e3, 2e3, 1e4]}
    entry = {
        "case": {"task": "Pong-v5", "loop": "async"},
        "versions": {"ours": {"python": "3.12.1"}, "peer": {"envpool": "1.2.7"}},
        "steps_per_s": rates,
        "cpu_us_per_step": {"ours": [100, 101, 150]},
        "other_cores": 0.25,
    }
    record = {
        "command": ["python", "benchmark/threads.py", "--json=out.json"],
        "date": "2026-12-01",
        "machine": {"cpu": "Some CPU", "usable_cores": 16},
        "threads": [1, 2, 16],
        "results": [entry],
        "skipped": ["HalfCheetah, sync was not measured: no mujoco."],
    }
    source = tmp_path / "threads.json"
    source.write_text(json.dumps(record))
    for _ in range(2):
        done = run("threads.py", f"--draw={source}", f"--page={page}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert text.startswith(f"before\n{begin}|") and text.endswith(f"\n{end}after\n") and "old" not in text
    assert "| Pong, async | 10,000 | 1.90 | 12.00 | 120,000 | 1.50× | 12.0 |\n" in text
    assert "16 CPUs of Some CPU, 2026-12-01" in text and "EnvPool 1.2.7" in text and "no mujoco." in text
    assert "will follow" not in text and "--json" not in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(
    ("script", "arguments", "words"),
    [
        ("check.py", ["--only=Tetris"], ["no case's name contains 'Tetris'", "CartPole, 1 env"]),
        ("check.py", ["--baseline=none.json"], ["no file none.json"]),
        ("suite.py", ["--parts=speed"], ["got 'speed'", "throughput"]),
        ("suite.py", ["--tasks=Tetris-v0"], ["got 'Tetris-v0'", "Pong-v5"]),
        ("suite.py", ["--peers=pufferlib"], ["got 'pufferlib'", "envpool"]),
        ("suite.py", ["--interpreter=bench"], ["NAME=/path/to/python", "'bench'"]),
        ("suite.py", ["--peers=ale", f"--interpreter=bench={sys.executable}"], ["ale needs", "which does not exist"]),
        ("suite.py", ["quick"], ["unknown argument 'quick'"]),
        ("threads.py", ["quick"], ["unknown argument 'quick'"]),
        ("threads.py", ["--threads=2,4"], ["begin with 1", "'2,4'"]),
    ],
)
def test_unknown_arguments_are_refused_in_one_line(script, arguments, words, tmp_path):
    done = run(script, *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize(
    ("script", "argument", "words"),
    [
        ("mujoco.py", "--tasks=Tetris", "expected some of Ant, Humanoid"),
        ("in_jit.py", "--loads=all", "expected some of env, each, full"),
        ("worlds.py", "--tasks=Craftax", "expected some of Craftax-Classic-Symbolic-v1"),
        ("python_envs.py", "--num_envs=0", "not a positive integer"),
    ],
)
def test_values_of_flags_are_checked_before_anything_runs(script, argument, words, tmp_path):
    done = run(script, argument, cwd=tmp_path)
    assert done.returncode == 1
    assert words in done.stderr and "Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--peer_python={python}"], "expected an EnvPool with Go9x9-v1, got 1.2.5, which has no such id"),
        (["--peer_venv={venv}"], "expected EnvPool 1.2.7 in {venv}, got 1.2.5"),
    ],
)
def test_another_release_of_envpool_than_a_script_needs_is_refused(arguments, words, tmp_path):
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho 1.2.5 CartPole-v1\n")
    python.chmod(0o755)
    (tmp_path / "venv" / ".ready").touch()
    names = {"python": python, "venv": tmp_path / "venv"}
    done = run("boards.py", "--games=Go9x9-v1", *(each.format(**names) for each in arguments), cwd=tmp_path)
    assert done.returncode == 1
    assert words.format(**names) in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_the_page_names_every_choice_of_the_suite():
    """Compares the table of options in docs/benchmark.md with suite.py."""
    code = "import sys, json; sys.path.append(sys.argv[1]); import suite; from suite import cases; "
    code += "print(json.dumps([suite.PARTS, list(cases.TASKS), suite.PEERS, list(cases.SCRIPTS)], default=list))"
    out = subprocess.run([sys.executable, "-c", code, str(BENCHMARK)], capture_output=True, text=True, check=True)
    page = (BENCHMARK.parent / "docs" / "benchmark.md").read_text()
    for option, choices in zip(("parts", "tasks", "peers", "scripts"), json.loads(out.stdout), strict=True):
        (line,) = (line for line in page.split("\n") if line.startswith(f"| `--{option}` |"))
        named = [word for word in re.findall("`([^`]+)`", line)[1:] if not word.startswith("--") and word != option]
        assert named == choices, option


def test_statistics_take_turns_with_gymnasiums_wrappers(tmp_path):
    few = ["--tasks=CartPole-v1", "--num_envs=3", "--rounds=1", "--window=0.001", "--json=costs.json"]
    done = run("normalization.py", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "costs.json").read_text())
    assert [name for _, _, name, *_ in rows] == ["episode_statistics", "normalize_obs", "normalize_reward", "all"]
    for *_, step, ours, theirs in rows:
        assert step > 0
        assert theirs > max(ours, 0.5)
    assert done.stdout.count("| CartPole-v1 | 3 |") == 4


def test_python_environments_take_turns_with_gymnasium(tmp_path):
    few = ["--num_envs=2", "--rounds=1", "--window=0.05", f"--json={tmp_path / 'envs.json'}"]
    done = run("python_envs.py", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (rates,) = json.loads((tmp_path / "envs.json").read_text())["results"].values()
    assert set(rates) == {"ours", "one worker", "one each", "gymnasium"} and min(rates.values()) > 0


@pytest.mark.sampled(one_in=2, group="run")
def test_a_quick_run_writes_tables_and_plots(python, tmp_path):
    pytest.importorskip("matplotlib")
    given = [f"--interpreter={name}={python}" for name in ("bench", "bench-gymnasium")]
    few = [
        "--quick",
        "--parts=latency,memory",
        "--tasks=HalfCheetah-v5",
        "--peers=gymnasium",
        f"--out={tmp_path / 'out'}",
    ]
    done = run("suite.py", *given, *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "out" / "latency.json").read_text())
    assert record["results"][0]["us"]["gymnasium"]["p99"]["median"] > 0
    assert record["machine"]["cores"] == os.cpu_count() and record["results"][0]["versions"]["ours"]["python"]
    assert (tmp_path / "out" / "latency.png").stat().st_size > 1000
    assert "| HalfCheetah-v5 | gymnasium |" in (tmp_path / "out" / "index.md").read_text()


def started(script: str, *arguments: str, cwd: Path) -> subprocess.Popen[str]:
    """Starts a script in its own process group."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    command = [sys.executable, str(BENCHMARK / script), *arguments]
    pipe = subprocess.PIPE
    # Background jobs of a shell ignore SIGINT, and their children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, cwd=cwd, env=env, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    finally:
        signal.signal(signal.SIGINT, before)


def soon(holds: Callable[[], bool], seconds: float = 120) -> bool:
    """Returns whether a condition becomes true within a number of seconds."""
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)
    return holds()


def interrupted(script: subprocess.Popen[str]) -> str:
    """Sends SIGINT to the process group, as a terminal does, and returns the script's last line on stderr."""
    os.killpg(script.pid, signal.SIGINT)
    out, errors = script.communicate(timeout=60)
    assert script.returncode == 130, errors
    assert "Traceback" not in out + errors
    return errors.splitlines()[-1]


@pytest.mark.sampled(one_in=2, group="run")
def test_ctrl_c_keeps_results_and_ends_all_processes(python, tmp_path):
    few = [f"--interpreter=bench={python}", "--parts=latency", "--peers=", "--tasks=CartPole-v1,HalfCheetah-v5"]
    suite = started("suite.py", *few, "--rounds=6", "--window=0.5", cwd=tmp_path)
    written = tmp_path / "build" / "bench" / "latency.json"
    assert soon(written.exists)
    time.sleep(0.5)  # long enough for the second case to start
    assert interrupted(suite).startswith("suite: interrupted; the results so far are in build/bench")
    assert [result["case"]["task"] for result in json.loads(written.read_text())["results"]] == ["CartPole-v1"]
    assert soon(lambda: not has_sides(tmp_path), 30)


@pytest.mark.parametrize(
    ("script", "side", "arguments"),
    [
        ("check.py", "sides.py", ["--only=CartPole, 1 env"]),
        ("tag.py", "tag_loop", ["--only=100 players"]),
    ],
)
def test_ctrl_c_ends_a_script_and_its_sides_with_one_line(script, side, arguments, python, tmp_path):
    measuring = started(script, f"--python={python}", *arguments, "--rounds=1000", cwd=tmp_path)
    assert soon(lambda: has_sides(tmp_path, side))
    assert interrupted(measuring) == f"{script.removesuffix('.py')}: interrupted"
    assert soon(lambda: not has_sides(tmp_path, side), 30)


@pytest.mark.sampled(one_in=2, group="run")
def test_a_compiled_loop_takes_turns_as_a_pool_does(python, tmp_path):
    few = [f"--python={python}", "--only=100 players", "--rounds=2", "--window=0.1", f"--json={tmp_path / 'tag.json'}"]
    done = run("tag.py", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (result,) = json.loads((tmp_path / "tag.json").read_text())["results"].values()
    rates = [result["steps_per_s"][side]["median"] for side in ("ours", "two threads", "floor")]
    assert min(rates) > 0
    assert result["versions"]["floor"]["compiler"] and 0.1 < result["ours_over_by_cpu"]["floor"]["median"] < 10


def has_sides(folder: Path, side: str = "sides.py") -> bool:
    """Returns whether the process of a side runs in a folder."""
    return any(f"/{side}\0".encode() in line for line in command_lines(folder))


def command_lines(folder: Path) -> list[bytes]:
    """Returns the command lines of the processes that run in a folder."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.joinpath("cwd").resolve() == folder.resolve():
                lines.append(process.joinpath("cmdline").read_bytes())
        except OSError:  # the process has ended or belongs to another user
            continue
    return lines


def test_a_faster_peer_is_marked():
    def spread(value):
        return {"median": value, "low": value, "high": value}

    result = {
        "case": {"task": "Pong-v5", "num_envs": 8, "num_threads": 1},
        "name": "Pong-v5, 8 envs",
        "steps_per_s": {"ours": spread(100.0), "ale": spread(200.0)},
        "cpu_us_per_step": {"ours": 10.0, "ale": 5.0},
        "ours_over": {"ale": spread(0.5), "ale_alone": spread(0.3)},
        "ours_over_by_cpu": {"ale": spread(0.5)},
    }
    code = (
        "import sys, json; sys.path.append(sys.argv[1]); import report; record = json.loads(sys.argv[2]);"
        "print(report.rate_tables(record)); print(report.losses(record))"
    )
    record = json.dumps({"part": "throughput", "results": [result]})
    command = [sys.executable, "-c", code, str(BENCHMARK), record]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "0.50× ▼" in out and "CPU 0.50× ▼" in out
    # The ratio to ale_alone is not marked as slower: this is ALE's emulator alone, not an environment.
    assert "0.30× (" in out and out.count("- throughput, Pong-v5, 8 envs") == 1


def test_snapshots_of_atari_games_are_compared_with_ale_py(tmp_path):
    """A snapshot once took 9 to 14 times as long as ale-py's."""
    pytest.importorskip("ale_py")
    result = tmp_path / "snapshots.json"
    few = ["--games=Pong", "--rounds=3", "--window=0.4", "--num_envs=3", f"--json={result}"]
    done = run("snapshots.py", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    measured = json.loads(result.read_text())["results"]["Pong"]
    times, sizes = measured["us"], measured["bytes"]
    assert times["ours, save"] < 2 * times["ale-py, save"]
    assert times["ours, restore"] < 2 * times["ale-py, restore"]
    assert 0 < times["ours, save many"] < 2 * times["ours, save"]
    assert 0 < times["ours, restore many"] < 2 * times["ours, restore"]
    assert 2 * sizes["ours"] < sizes["raw"]
    assert "| Pong |" in done.stdout
