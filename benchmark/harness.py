# SPDX-License-Identifier: Apache-2.0
"""Functions and flags that the benchmark scripts share.

This package and the released EnvPool are both called envpool, so each side of a comparison runs in a process of its
own: an interpreter that runs sides.py, or a compiled loop (floors.py). The sides take turns in an order that changes
every round (envpool/cli/turns.py). In each round, the rates of two sides are divided; the reported ratio is the median
of these quotients. On a machine that also runs other programs, ratios and CPU times are reliable, but rates are not.
"""

import functools
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from absl import app, flags

from envpool.cli.turns import SIDE_FOLDER, Side, Turns, machine, spread

HERE = Path(__file__).resolve().parent
FLAGS = flags.FLAGS
flags.DEFINE_string("python", sys.executable, "an interpreter that has this package installed")
flags.DEFINE_string("peer_python", None, "an interpreter that has the released EnvPool (default: --peer_venv's)")
flags.DEFINE_string("peer_venv", "build/venv/peer", "virtual environment of the released EnvPool; made if missing")
flags.DEFINE_string("peer_version", "1.2.5", "release of EnvPool to install into --peer_venv")
flags.DEFINE_integer("rounds", 9, "turns of each side", lower_bound=1)
flags.DEFINE_float("window", 1.0, "seconds of one turn", lower_bound=0)
flags.DEFINE_string("only", "", "measure only the cases whose name contains this")
flags.DEFINE_string("json", None, "file to which the results are written")


def define_choices(name: str, choices: Iterable[str], text: str) -> None:
    """Defines a flag whose value is a comma-separated list of `choices`; all of them by default."""
    allowed = list(choices)
    some = f"some of {', '.join(allowed)}"
    flags.DEFINE_list(name, allowed, f"{text}: {some}")
    flags.register_validator(name, set(allowed).issuperset, message=f"expected {some}")


class MeasuredSide(Side):
    """A process that takes turns.

    Raises:
        RuntimeError: it could not start.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        super().__init__(command, environment)
        if "error" in self.start:
            self.close()
            raise RuntimeError(f"{command[0]}: {self.start['error']}")


class PythonSide(MeasuredSide):
    """An interpreter that runs a loop of sides.py; `case` contains the name of the loop and its settings."""

    def __init__(self, python: str, case: dict[str, Any]) -> None:
        dropped = ("PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH")
        environment = {name: value for name, value in os.environ.items() if name not in dropped}
        given = json.dumps({"options": {}, **case})
        super().__init__([python, "-W", "ignore", str(HERE / "sides.py"), given, str(SIDE_FOLDER)], environment)


def peer_python(tasks: Sequence[str] = ()) -> str:
    """Returns an interpreter that has the released EnvPool; installs EnvPool if no flag names an interpreter.

    A release without one of `tasks` ends the script, and so does a virtual environment with another release.
    """
    python = FLAGS.peer_python or python_of_peer_venv()
    version, *ids = version_and_ids(python)
    if not FLAGS.peer_python and version != FLAGS.peer_version:
        refuse(f"--peer_venv: expected EnvPool {FLAGS.peer_version} in {FLAGS.peer_venv}, got {version}; name another.")
    if missing := [task for task in tasks if task not in ids]:
        refuse(f"--peer_python: expected an EnvPool with {missing[0]}, got {version}, which has no such id.")
    return python


@functools.cache
def version_and_ids(python: str) -> list[str]:
    """Returns the version of an interpreter's EnvPool, and its ids."""
    command = [python, "-I", "-W", "ignore", "-c", "import envpool as e; print(e.__version__, *e.list_all_envs())"]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return out.rstrip().split("\n")[-1].split()


def python_of_peer_venv() -> str:
    """Returns the interpreter of --peer_venv, which is made if it is missing."""
    venv = Path(FLAGS.peer_venv)
    python = venv / "bin" / "python"
    if not (venv / ".ready").exists():
        print(f"installing EnvPool {FLAGS.peer_version} into {venv} (about 150 MB)", flush=True)
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        packages = [f"envpool=={FLAGS.peer_version}", "gymnasium==1.4.0", "numpy<2.5"]
        if subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=False).returncode:
            minor = "{}.{}".format(*sys.version_info)
            refuse(
                f"EnvPool {FLAGS.peer_version} cannot be installed for Python {minor}; --peer_python names an interpreter "
                "that has it."
            )
        (venv / ".ready").touch()
    return str(python)


# A measurement of gymnax's Asterix takes minutes, and the step function of its SimpleBandit fails.
LEFT_OUT_OF_GYMNAX = {"Asterix-MinAtar", "SimpleBandit-bsuite"}


def tasks_of_gymnax(ours: str, gymnax: str) -> list[str]:
    """Returns the ids that one interpreter's envpool and another's gymnax both have, except LEFT_OUT_OF_GYMNAX."""
    listings = {
        "import envpool; print(*envpool.list_all_envs())": ours,
        "import gymnax; print(*gymnax.registered_envs)": gymnax,
    }
    ids = []
    for code, python in listings.items():
        command = [python, "-I", "-W", "ignore", "-c", code]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        ids.append(out.split("\n")[-2].split())
    return [task for task in ids[1] if task in ids[0] and task not in LEFT_OUT_OF_GYMNAX]


def take_turns(
    sides: Mapping[str, Any],
    turn: Callable[[Any], dict[str, Any]] = lambda side: side.turn(FLAGS.window),
    after_round: Callable[[], object] = lambda: None,
) -> Turns:
    """Runs one warm-up turn and --rounds measured turns of each side, and ends the sides."""
    turns = Turns(sides)
    turns.run(FLAGS.rounds, turn, after_round=after_round)
    return turns


def record_of(turns: Turns) -> dict[str, Any]:
    """Returns the entries that every JSON result has: versions, rates and CPU times of each side."""
    sides = turns.sides
    return {
        "versions": {name: side.start["versions"] for name, side in sides.items()},
        "ready_s": {name: side.start["ready_s"] for name, side in sides.items() if "ready_s" in side.start},
        "steps_per_s": {name: spread(turns.rates(name)) for name in sides},
        "cpu_us_per_step": {name: turns.cpu_us(name) for name in sides},
        "other_cores": statistics.median(round_["ours"]["other_cores"] for round_ in turns.rounds),
    }


def chosen(cases: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the cases that --only selects."""
    return {name: case for name, case in cases.items() if FLAGS.only in name}


def times(value: Mapping[str, float] | None) -> str:
    """Formats a ratio for a table: the median, followed by the quartiles if the rounds differ."""
    if value is None:
        return ""
    quartiles = f" ({value['q1']:.2f}-{value['q3']:.2f})" if value["low"] < value["high"] else ""
    return f"{value['median']:.2f}x{quartiles}"


def row(cells: Iterable[object]) -> str:
    """Formats a row of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |"


def begin_table(header: Sequence[str]) -> None:
    """Prints the first two lines of a Markdown table."""
    print(row(header))
    print("|---" * len(header) + "|", flush=True)


def print_summary(results: Mapping[str, Any], sides: Iterable[str]) -> dict[str, Any]:
    """Prints and returns, for each side, the geometric mean and the smallest of our ratios to it."""
    summary = {}
    for side in sides:
        ratios = {name: result["ours_over"][side]["median"] for name, result in results.items()}
        worst = min(ratios, key=ratios.__getitem__)
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        summary[side] = {"geometric_mean": mean, "worst": ratios[worst], "worst_case": worst}
        print(f"over {side}: geometric mean {mean:.2f}x, worst {ratios[worst]:.2f}x ({worst})")
    return summary


def circumstances() -> dict[str, Any]:
    """Returns the first entries of a JSON result: the command, the date and the machine."""
    return {"command": ["python", *sys.argv], "date": time.strftime("%Y-%m-%d"), "machine": machine()}


def write_json(**results: Any) -> None:
    """Writes the results to the file that --json names, if it is given."""
    if not FLAGS.json:
        return
    Path(FLAGS.json).parent.mkdir(parents=True, exist_ok=True)
    Path(FLAGS.json).write_text(json.dumps(circumstances() | results, indent=1) + "\n")


def refuse(sentence: str) -> None:
    """Prints an error message and ends the script with status 1."""
    sys.exit(f"{script_name()}: {sentence}")


def end_interrupted(results: str = "") -> None:
    """Ends the script after Ctrl-C with one line and status 130."""
    print(f"{script_name()}: interrupted{results and f'; {results}'}", file=sys.stderr)
    sys.exit(130)


def script_name() -> str:
    return Path(sys.argv[0]).stem


def run(main: Callable[[list[str]], object]) -> None:
    """Runs a script. Ctrl-C ends it with one line and status 130; its sides end with it."""
    try:
        app.run(main)
    except KeyboardInterrupt:
        end_interrupted()
