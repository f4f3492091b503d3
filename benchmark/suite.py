# SPDX-License-Identifier: Apache-2.0
"""Runs every benchmark of this package and its peers, each of which has its own virtual environment.

    make bench-all                                  # makes the virtual environments and runs this script (two hours)
    make bench-all BENCH_ARGS=--quick               # runs few cases and rounds, to check that everything works
    python benchmark/suite.py --parts=latency,memory --tasks=Pong-v5 --peers=ale
    python benchmark/suite.py --draw                # draws the tables and plots of earlier measurements

The script writes results to build/bench as soon as it has them: a JSON file, a Markdown table and plots for each part.
docs/benchmark.md describes each file.
"""

import importlib.util
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import cases
import floors
from absl import flags
from harness import (
    HERE,
    PythonSide,
    circumstances,
    end_interrupted,
    record_of,
    refuse,
    run,
    spread,
    take_turns,
    tasks_of_gymnax,
)
from tqdm import tqdm

FLAGS = flags.FLAGS
PEERS = [side for side in cases.SIDES if side != "ours"]
PARTS = ["throughput", "threads", "batch", "latency", "startup", "memory", "jit", "scripts"]
flags.DEFINE_list("parts", PARTS, "parts to measure")
flags.DEFINE_list("tasks", list(cases.TASKS), "tasks to measure")
flags.DEFINE_list("jit_tasks", [], "tasks of the jit part (default: all that gymnax also has)")
flags.DEFINE_list("peers", PEERS, "peers to compare with")
flags.DEFINE_list("scripts", list(cases.SCRIPTS), "scripts to run for the tables of README and docs")
flags.DEFINE_bool("quick", False, "run few cases for three rounds of 0.2 s, which shows only that everything works")
flags.DEFINE_bool("draw", False, "measure nothing; draw the tables and plots of the existing JSON files")
flags.DEFINE_string("out", "build/bench", "folder of the results")
FLAGS.set_default("rounds", 5)
FLAGS.set_default("window", 0.4)
flags.DEFINE_multi_string("interpreter", [], "NAME=/path/to/python, used instead of build/venv/NAME/bin/python")


def interpreter(name: str) -> str:
    """Returns the path of the Python interpreter of a virtual environment."""
    given = dict(entry.split("=", 1) for entry in FLAGS.interpreter if "=" in entry)
    return given.get(name) or str(Path("build/venv", name, "bin/python"))


def start(side: str, case: dict[str, Any]) -> Any:
    """Starts the process of a side."""
    case = {**case, "num_envs": case.get("fewer", {}).get(side, case["num_envs"])}
    if side == "floor":
        if case["task"] == "CartPole-v1":
            return floors.cartpole_loop(case["num_envs"])
        return floors.mujoco_loop(interpreter("bench-rollout"), case, *cases.TASKS[case["task"]]["loop"])
    if case["loop"] == "jit":
        module = "envpool.jax" if side == "ours" else "gymnax"
        return PythonSide(interpreter(cases.SIDES[side][1]), {**case, "module": module})
    return PythonSide(interpreter(cases.SIDES[side][1]), {**case, "loop": cases.SIDES[side][2] or case["loop"]})


def start_all(case: dict[str, Any], result: dict[str, Any], bar: tqdm) -> dict[str, Any]:
    """Starts the sides of a case. A side that cannot start is skipped, and listed under "failed" in the result."""
    sides = {}
    for side in ["ours", *(s for s in case["sides"] if s in FLAGS.peers)]:
        bar.set_postfix_str(f"starting {side}")
        try:
            sides[side] = start(side, case)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            if side == "ours":
                raise
            result["failed"].append(side)
            bar.write(f"{name_of(case)}: {side} is left out: {error}")
    return sides


def rates(case: dict[str, Any], bar: tqdm) -> dict[str, Any]:
    """Measures steps per second, CPU time per step, and ratios of both."""
    result: dict[str, Any] = {"failed": []}
    turns = take_turns(start_all(case, result, bar), after_round=bar.update)
    peers = [side for side in turns.sides if side != "ours"]
    result |= record_of(turns)
    result["rounds"] = turns.rounds
    result["ours_over"] = {side: turns.ours_over(side) for side in peers}
    result["ours_over_by_cpu"] = {side: turns.by_cpu(side) for side in peers if side != "gymnasium_async"}
    return result


def latencies(case: dict[str, Any], bar: tqdm) -> dict[str, Any]:
    """Measures latency percentiles of single calls, and reports their medians over the rounds."""
    result: dict[str, Any] = {"failed": []}
    sides = start_all(case, result, bar)
    turns = take_turns(sides, lambda side: side.turn(FLAGS.window, "latency"), bar.update)
    result["versions"] = {name: side.start["versions"] for name, side in sides.items()}
    result["us"] = {
        name: {p: spread([turn[name][p] for turn in turns.rounds]) for p in ("p50", "p90", "p99")} for name in sides
    }
    result["theirs_over"] = {
        name: spread([turn[name]["p50"] / turn["ours"]["p50"] for turn in turns.rounds])
        for name in sides
        if name != "ours"
    }
    return result


def startups(case: dict[str, Any], bar: tqdm) -> dict[str, Any]:
    """Measures how long new processes take to import the package, and to make the environments and step them once."""
    result: dict[str, Any] = {"failed": [], "import_s": {}, "make_s": {}, "total_s": {}}
    for _ in range(FLAGS.rounds):
        for name, side in start_all({**case, "sides": without(case, result)}, result, bar).items():
            result.setdefault("versions", {})[name] = side.start["versions"]
            found = side.start
            both = found["import_s"] + found["ready_s"]
            for what, value in (("import_s", found["import_s"]), ("make_s", found["ready_s"]), ("total_s", both)):
                result[what].setdefault(name, []).append(value)
            side.close()
        bar.update()
    for what in ("import_s", "make_s", "total_s"):
        result[what] = {name: spread(values) for name, values in result[what].items()}
    return result


def memories(case: dict[str, Any], bar: tqdm) -> dict[str, Any]:
    """Measures bytes per environment: compares a process with all environments with one that has a sixth of them."""
    result: dict[str, Any] = {"failed": [], "bytes": {}, "versions": {}}
    for side in ["ours", *(s for s in case["sides"] if s in FLAGS.peers)]:
        many = case.get("fewer", {}).get(side, case["num_envs"])
        found = {}
        try:
            for count in (many, many // 6):
                process = start(side, {**case, "fewer": {side: count}})
                found[count] = process.start["resident"]
                result["versions"][side] = process.start["versions"]
                process.close()
        except RuntimeError as error:
            result["failed"].append(side)
            bar.write(f"{name_of(case)}: {side} is left out: {error}")
            continue
        result["bytes"][side] = (found[many] - found[many // 6]) / (many - many // 6)
    bar.update(FLAGS.rounds)
    return result


def without(case: dict[str, Any], result: dict[str, Any]) -> list[str]:
    return [side for side in case["sides"] if side not in result["failed"]]


MEASURES = {"latency": latencies, "startup": startups, "memory": memories}


def name_of(case: dict[str, Any]) -> str:
    batch = f", batches of {case['batch_size']}" if "batch_size" in case else ""
    return f"{case['task']}, {case['num_envs']} envs{batch}, {case['num_threads']} threads"


def jit_cases() -> list[dict[str, Any]]:
    """Returns the cases of the tasks that --jit_tasks names or, by default, of all tasks. Refuses unknown tasks."""
    shared = tasks_of_gymnax(interpreter("bench"), interpreter("bench-gymnax"))
    for task in FLAGS.jit_tasks:
        if task not in shared:
            refuse(f"--jit_tasks: expected some of {', '.join(shared)}, got {task!r}.")
    return cases.jit(FLAGS.jit_tasks or (cases.JIT_QUICK if FLAGS.quick else shared))


def run_scripts(out: Path, bar: tqdm) -> None:
    """Runs the scripts that make the tables of README and docs, and saves their output."""
    for name in FLAGS.scripts:
        script, arguments, quick = cases.SCRIPTS[name]
        bar.set_postfix_str(script)
        if not FLAGS.quick or quick is not None:
            pythons = [f"--python={interpreter('bench')}", f"--peer_python={interpreter('peer')}"]
            command = [interpreter("bench"), str(HERE / script), *pythons, f"--json={out / 'tables' / name}.json"]
            command += [*arguments, *((FLAGS.quick and quick) or [])]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
            (out / "tables").mkdir(parents=True, exist_ok=True)
            (out / "tables" / f"{name}.md").write_text(done.stdout)
            if done.returncode:
                bar.write(f"{script} ended with status {done.returncode}; its table is incomplete")
        bar.update()


def check_arguments() -> None:
    """Refuses unknown values of the flags, and interpreters that do not exist."""
    known = {"parts": PARTS, "tasks": list(cases.TASKS), "peers": PEERS, "scripts": list(cases.SCRIPTS)}
    for option, values in known.items():
        for value in getattr(FLAGS, option):
            if value not in values:
                refuse(f"--{option}: expected some of {', '.join(values)}, got {value!r}.")
    for entry in FLAGS.interpreter:
        if "=" not in entry:
            refuse(f"--interpreter: expected NAME=/path/to/python, got {entry!r}.")
    for side in ["ours", *FLAGS.peers]:
        venv = cases.SIDES[side][1]
        if venv and not os.access(interpreter(venv), os.X_OK):
            instead = (
                "" if side == "ours" else f", or leave it out with --peers={','.join(p for p in PEERS if p != side)}"
            )
            refuse(f"{side} needs {interpreter(venv)}, which does not exist; `make bench-all` makes it{instead}.")


def measure(part: str, todo: list[dict[str, Any]], out: Path, bar: tqdm) -> None:
    record = {
        "part": part,
        **circumstances(),
        "quick": FLAGS.quick,
        "rounds": FLAGS.rounds,
        "window_s": FLAGS.window,
        "results": [],
    }
    for case in todo:
        bar.set_description(f"{part}: {name_of(case)}")
        record["results"].append({"case": case, "name": name_of(case), **MEASURES.get(part, rates)(case, bar)})
        record["load"] = os.getloadavg()
        whole = out / f"{part}.json"
        whole.with_suffix(".part").write_text(json.dumps(record, indent=1) + "\n")
        whole.with_suffix(".part").replace(whole)  # an interrupted run leaves no partial file


def main(arguments: list[str]) -> None:
    if arguments[1:]:
        refuse(f"unknown argument {arguments[1]!r}; options begin with --, and --help lists them.")
    out = Path(FLAGS.out)
    out.mkdir(parents=True, exist_ok=True)
    if not FLAGS.draw:
        check_arguments()
        if FLAGS.quick:
            FLAGS.rounds, FLAGS.window = 3, 0.2
        plan = {
            part: jit_cases() if part == "jit" else getattr(cases, part)(FLAGS.quick, FLAGS.tasks)
            for part in FLAGS.parts
            if part != "scripts" and (part != "jit" or "gymnax" in FLAGS.peers)
        }
        extra = {"latency": 1, "throughput": 1, "threads": 1, "batch": 1, "jit": 1}  # their warm-up rounds
        total = sum(len(todo) * (FLAGS.rounds + extra.get(part, 0)) for part, todo in plan.items())
        total += len(FLAGS.scripts) * ("scripts" in FLAGS.parts)
        try:
            with tqdm(total=total, unit=" rounds", dynamic_ncols=True) as bar:
                for part, todo in plan.items():
                    measure(part, todo, out, bar)
                if "scripts" in FLAGS.parts:
                    run_scripts(out, bar)
        except KeyboardInterrupt:
            end_interrupted(f"the results so far are in {out}, and --draw makes tables of them")
    if importlib.util.find_spec("matplotlib") is None:
        refuse("tables and charts need matplotlib: pip install matplotlib.")
    import report

    print(report.write(out))


if __name__ == "__main__":
    run(main)
