# SPDX-License-Identifier: Apache-2.0
"""Every benchmark with one command: this package beside its peers, each in an environment of its own.

    make bench-all                                  # makes the environments, then runs this: two hours or so
    make bench-all BENCH_ARGS=--quick               # few cases and rounds, to see that all works
    python benchmark/suite.py --parts=latency,memory --tasks=Pong-v5 --peers=ale
    python benchmark/suite.py --draw                # tables and pictures of what was measured before

Sides are processes that take turns, in an order that changes from round to round (pool.py); a ratio is the median over
the rounds of the quotient within a round. Results go to build/bench as they come: a JSON file, a Markdown table and
pictures for each part; docs/benchmark.md says what each file is.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import cases
import floors
import pool
from absl import flags
from tqdm import tqdm

FLAGS = flags.FLAGS
PEERS = [side for side in cases.SIDES if side != "ours"]
PARTS = ["throughput", "threads", "batch", "latency", "startup", "memory", "jit", "scripts"]
flags.DEFINE_list("parts", PARTS, "which parts")
flags.DEFINE_list("tasks", list(cases.TASKS), "which tasks")
flags.DEFINE_list("jit_tasks", [], "which tasks of the part jit; by default all that gymnax has too")
flags.DEFINE_list("peers", PEERS, "whom to measure us against")
flags.DEFINE_list("scripts", list(cases.SCRIPTS), "which of the scripts behind the tables of README and docs")
flags.DEFINE_bool("quick", False, "few cases, three rounds of 0.2 s: shows that all works, and no more")
flags.DEFINE_bool("draw", False, "measure nothing; make tables and pictures anew of the JSON files there are")
flags.DEFINE_string("out", "build/bench", "folder of the results")
FLAGS.set_default("rounds", 5)
FLAGS.set_default("window", 0.4)
flags.DEFINE_multi_string("interpreter", [], "NAME=/path/to/python instead of build/venv/NAME/bin/python")


def interpreter(name: str) -> str:
    """The Python of a side's environment."""
    given = dict(entry.split("=", 1) for entry in FLAGS.interpreter if "=" in entry)
    return given.get(name) or str(Path("build/venv", name, "bin/python"))


def start(side: str, case: dict):
    """The process of a side."""
    case = {**case, "num_envs": case.get("fewer", {}).get(side, case["num_envs"])}
    if side == "floor":
        if case["task"] == "CartPole-v1":
            return floors.cartpole_loop(case["num_envs"])
        return floors.mujoco_loop(interpreter("bench-rollout"), case, *cases.TASKS[case["task"]]["loop"])
    if case["loop"] == "jit":
        module = "envpool.jax" if side == "ours" else "gymnax"
        return pool.Runner(interpreter(cases.SIDES[side][1]), {**case, "module": module})
    return pool.Runner(interpreter(cases.SIDES[side][1]), {**case, "loop": cases.SIDES[side][2] or case["loop"]})


def start_all(case: dict, result: dict, bar: tqdm) -> dict:
    """The sides of a case that start; those that do not are noted and left out."""
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


def rates(case: dict, bar: tqdm) -> dict:
    """Steps per second, CPU time of a step, and ratios of both."""
    result = {"failed": []}
    turns = pool.Turns(start_all(case, result, bar), after_round=bar.update)
    peers = [side for side in turns.sides if side != "ours"]
    result |= turns.record()
    result["rounds"] = turns.rounds
    result["ours_over"] = {side: turns.ours_over(side) for side in peers}
    result["ours_over_by_cpu"] = {side: turns.by_cpu(side) for side in peers if side != "gymnasium_async"}
    return result


def latencies(case: dict, bar: tqdm) -> dict:
    """Percentiles of single calls: medians over the rounds."""
    result = {"failed": []}
    sides = start_all(case, result, bar)
    turns = pool.Turns(sides, lambda side: side.turn(FLAGS.window, "latency"), bar.update)
    result["versions"] = {name: side.start["versions"] for name, side in sides.items()}
    result["us"] = {
        name: {p: pool.spread([turn[name][p] for turn in turns.rounds]) for p in ("p50", "p90", "p99")}
        for name in sides
    }
    result["theirs_over"] = {
        name: pool.spread([turn[name]["p50"] / turn["ours"]["p50"] for turn in turns.rounds])
        for name in sides
        if name != "ours"
    }
    return result


def startups(case: dict, bar: tqdm) -> dict:
    """Seconds to import, and to make and step once, of a new process in each round."""
    result: dict = {"failed": [], "import_s": {}, "make_s": {}, "total_s": {}}
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
        result[what] = {name: pool.spread(values) for name, values in result[what].items()}
    return result


def memories(case: dict, bar: tqdm) -> dict:
    """Bytes of an environment: what a process with so many has, less one with a sixth, by the difference."""
    result: dict = {"failed": [], "bytes": {}, "versions": {}}
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


def without(case: dict, result: dict) -> list[str]:
    return [side for side in case["sides"] if side not in result["failed"]]


MEASURES = {"latency": latencies, "startup": startups, "memory": memories}


def name_of(case: dict) -> str:
    batch = f", batches of {case['batch_size']}" if "batch_size" in case else ""
    return f"{case['task']}, {case['num_envs']} envs{batch}, {case['num_threads']} threads"


def shared_tasks() -> list[str]:
    """What envpool.jax and gymnax both have and can step in good time."""
    listings = {
        "bench": "import envpool; print(*envpool.list_all_envs())",
        "bench-gymnax": "import gymnax; print(*gymnax.registered_envs)",
    }
    left_out = {"Asterix-MinAtar", "SimpleBandit-bsuite"}  # see in_jit.py
    names = []
    for venv, code in listings.items():
        command = [interpreter(venv), "-W", "ignore", "-c", code]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        names.append(out.split("\n")[-2].split())
    return [name for name in names[1] if name in names[0] and name not in left_out]


def jit_cases() -> list[dict]:
    """Of the tasks that were asked for, or of all; ends with a sentence if one is not there."""
    shared = shared_tasks()
    for task in FLAGS.jit_tasks:
        if task not in shared:
            refuse(f"--jit_tasks: there is no {task!r}; there are {', '.join(shared)}.")
    return cases.jit(FLAGS.jit_tasks or (cases.JIT_QUICK if FLAGS.quick else shared))


def run_scripts(out: Path, bar: tqdm) -> None:
    """The scripts behind README's and docs' tables; what they print is their table."""
    for name in FLAGS.scripts:
        script, arguments, quick = cases.SCRIPTS[name]
        bar.set_postfix_str(script)
        if not FLAGS.quick or quick is not None:
            command = [interpreter("bench"), str(pool.HERE / script), f"--peer_python={interpreter('peer')}"]
            if script == "tag.py":
                command.pop()
            else:
                command.append(f"--json={out / 'tables' / name}.json")
            command += [f"--python={interpreter('bench')}"] * (script != "tag.py")
            command += [*arguments, *((FLAGS.quick and quick) or [])]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
            (out / "tables").mkdir(parents=True, exist_ok=True)
            (out / "tables" / f"{name}.md").write_text(done.stdout)
            if done.returncode:
                bar.write(f"{script} ended with status {done.returncode}; its table holds what it printed before")
        bar.update()


def refuse(sentence: str) -> None:
    sys.exit(f"bench-all: {sentence}")


def break_off(out: Path) -> None:
    print(f"bench-all: broken off; what was measured is in {out}, and --draw makes tables of it", file=sys.stderr)
    sys.exit(130)


def check_arguments() -> None:
    """Ends with a sentence if something was asked for that is not there."""
    known = {"parts": PARTS, "tasks": list(cases.TASKS), "peers": PEERS, "scripts": list(cases.SCRIPTS)}
    for option, values in known.items():
        for value in getattr(FLAGS, option):
            if value not in values:
                refuse(f"--{option}: there is no {value!r}; there are {', '.join(values)}.")
    for entry in FLAGS.interpreter:
        if "=" not in entry:
            refuse(f"--interpreter takes NAME=/path/to/python, got {entry!r}.")
    for side in ["ours", *FLAGS.peers]:
        venv = cases.SIDES[side][1]
        if venv and not os.access(interpreter(venv), os.X_OK):
            instead = (
                "" if side == "ours" else f", or leave it out with --peers={','.join(p for p in PEERS if p != side)}"
            )
            refuse(f"{side} needs {interpreter(venv)}, which is not there; `make bench-all` makes it{instead}.")


def measure(part: str, todo: list[dict], out: Path, bar: tqdm) -> None:
    record = {
        "part": part,
        **pool.circumstances(),
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
        whole.with_suffix(".part").replace(whole)  # a run that is broken off leaves whole files


def main(arguments: list[str]) -> None:
    if arguments[1:]:
        refuse(f"what is {arguments[1]!r}? Options begin with --; --help lists them.")
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
        extra = {"latency": 1, "throughput": 1, "threads": 1, "batch": 1, "jit": 1}  # a round to warm up
        total = sum(len(todo) * (FLAGS.rounds + extra.get(part, 0)) for part, todo in plan.items())
        total += len(FLAGS.scripts) * ("scripts" in FLAGS.parts)
        try:
            with tqdm(total=total, unit=" rounds", dynamic_ncols=True) as bar:
                for part, todo in plan.items():
                    measure(part, todo, out, bar)
                if "scripts" in FLAGS.parts:
                    run_scripts(out, bar)
        except KeyboardInterrupt:
            break_off(out)
    if importlib.util.find_spec("matplotlib") is None:
        refuse("tables and pictures need matplotlib, which this Python has not.")
    import report

    print(report.write(out))


if __name__ == "__main__":
    pool.run(main)
