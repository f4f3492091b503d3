# SPDX-License-Identifier: Apache-2.0
"""Tests the command line, in a terminal and with pipes. play_test.py tests `envpool play` and `envpool watch`."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packaging.requirements import Requirement
from rich.console import Console

import envpool

pytest.importorskip("typer")
imageio = pytest.importorskip("imageio.v3")

from envpool._core import usable_cpus  # noqa: E402
from envpool.atari.registration import _read_rom  # noqa: E402
from envpool.cli import doctor  # noqa: E402
from envpool.cli.common import table  # noqa: E402
from envpool.cli.doctor import advice  # noqa: E402
from envpool.cli.info import describe  # noqa: E402
from envpool.python.distribution import version_of  # noqa: E402
from envpool.python.registry import find  # noqa: E402
from tests.cli.commands import COMMAND, environment, in_terminal, run  # noqa: E402

# Ids without a family are excluded: other tests of this process may have registered them.
IDS = [task_id for task_id in envpool.list_all_envs() if find(task_id).family]
# Families in the order of their first ids. MuJoCo's robots belong to two families, which alternate in the registry.
_FAMILIES = list(dict.fromkeys(find(task_id).family for task_id in IDS))
BY_FAMILY = sorted(IDS, key=lambda task_id: _FAMILIES.index(find(task_id).family))


def fails(status: int, *words: str, arguments: tuple[str, ...], **options: Any) -> None:
    result = run(*arguments, **options)
    assert result.returncode == status, result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr
    if status == 1:
        assert result.stderr.startswith("envpool: ")
        assert result.stderr.count("\n") == 1


def test_list() -> None:
    groups = [group.splitlines() for group in run("list").stdout.split("\n\n")]
    assert [task_id for group in groups for task_id in group[1:] if task_id in IDS] == BY_FAMILY
    for title, *ids in groups:
        (family,) = {find(task_id).family or "plugins" for task_id in ids}
        assert title == f"# {family}: {len(ids)} id{'s' if len(ids) > 1 else ''}"
    assert len({title for title, *_ in groups}) == len(groups)
    assert run("list", "freeway").stdout == (
        "# atari: 2 ids\nFreeway-v5\nALE/Freeway-v5\n\n"
        "# minatar: 3 ids\nMinAtar/Freeway-v0\nMinAtar/Freeway-v1\nFreeway-MinAtar\n"
    )
    status, text = in_terminal("list", "acrobot")
    assert status == 0
    assert "two-link chain" in text


def test_list_in_a_terminal_is_an_overview() -> None:
    status, text = in_terminal("list")
    assert status == 0
    plain = " ".join(re.sub(r"\x1b\[[\d;]*m", "", text).split())
    assert f"{len(IDS)} ids in " in plain
    assert "CartPole (2), Pendulum (2), MountainCar" in plain
    assert len(text.splitlines()) < 120
    assert re.search(r"and \d+ more: `envpool list atari` shows all", plain)
    assert "`envpool list TEXT` shows complete ids with descriptions" in plain


@pytest.mark.parametrize("family", ["atari", "toy_text", "toy-text", "MiniGrid"])
def test_list_takes_the_name_of_a_family(family: str) -> None:
    name = family.lower().replace("-", "_")
    ids = [task_id for task_id in IDS if find(task_id).family == name]
    title, *shown = run("list", family).stdout.split("\n\n")[0].splitlines()
    assert title == f"# {name}: {len(ids)} ids" and shown == ids


def test_list_of_families() -> None:
    assert run("list", "--family", "toy_text", "cliff").stdout.splitlines() == [
        "# toy_text: 4 ids",
        "CliffWalking-v0",
        "CliffWalking-v1",
        "tabular/CliffWalking-v0",
        "CliffWalkingSlippery-v1",
    ]
    entries = json.loads(run("list", "--json").stdout)
    entries = [entry for entry in entries if entry["id"] in IDS]
    assert [entry["id"] for entry in entries] == BY_FAMILY
    assert all(entry["doc"] and entry["family"] for entry in entries)
    families = json.loads(run("list", "--families", "--json").stdout)
    families = [entry for entry in families if entry["family"] in {find(task_id).family for task_id in IDS}]
    assert sum(entry["ids"] for entry in families) == len(IDS)
    assert [entry["missing"] for entry in families] == [""] * len(families)


def test_info_describes_every_environment() -> None:
    for task_id in IDS:
        facts = describe(find(task_id), {})
        assert facts["missing"] == ""
        assert facts["reference"], task_id
        assert facts["observation"]
        assert facts["action"]
        for entry in facts["options"]:
            if entry["low"] is not None:
                assert (np.array(entry["default"]) >= entry["low"]).all(), entry
                assert (np.array(entry["default"]) <= entry["high"]).all(), entry
            assert list(np.shape(entry["default"])) == entry["shape"]


def test_info() -> None:
    result = run("info", "CartPole-v1")
    assert result.returncode == 0, result.stderr
    for text in ("gymnasium 1.4.0", "500 steps", "kinematics_integrator", "euler, semi-implicit", "m/s^2, downwards"):
        assert text in result.stdout
    assert "\x1b" not in result.stdout
    facts = json.loads(run("info", "CartPole-v1", "--json").stdout)
    (obs,) = facts["observation"]
    assert obs["shape"] == [4]
    assert obs["high"][1] == "inf"
    assert facts["options"][0] == {
        "name": "gravity",
        "kind": "float",
        "default": 9.8,
        "low": "-inf",
        "high": "inf",
        "choices": [],
        "changes_shapes": False,
        "changes_blob": False,
        "tunable": True,
        "shape": [],
        "doc": "m/s^2, downwards",
    }
    # Options change the arrays.
    facts = json.loads(run("info", "Pong-v5", "-O", "stack_num=2", "--json").stdout)
    assert facts["observation"][0]["shape"] == [2, 84, 84]


@pytest.mark.parametrize("columns", [30, 60, 80, 100])
def test_a_narrow_bench_keeps_every_digit(columns: int) -> None:
    result = run("bench", "CartPole-v1", "--rounds", "1", "--seconds", "0.01", COLUMNS=str(columns))
    lines = result.stdout.partition("EnvPool: not measured")[0].splitlines()
    assert max(map(len, lines)) <= columns
    assert "\u2026" not in result.stdout
    assert re.search(r"\b\d+,\d{3}\b", result.stdout), result.stdout


@pytest.mark.parametrize("columns", [24, 40, 60, 80])
def test_narrow_output_keeps_every_letter(columns: int) -> None:
    """A table has its cells' words in turns, so that only their letters can be counted."""
    for command in (("info", "CartPole-v1"), ("info", "TagGridWorld-v0"), ("doctor",)):
        narrow, wide = (run(*command, COLUMNS=str(width)).stdout for width in (columns, 500))
        assert max(map(len, narrow.split("\n\n", 1)[1].splitlines())) <= columns
        counts, expected = (Counter(character for character in text if character.isalnum()) for text in (narrow, wide))
        assert not expected - counts, narrow


def test_a_narrow_terminal_shows_whole_ids_and_descriptions() -> None:
    _, text = in_terminal("list", "cartpole", columns=40)
    for task_id in ("CartPole-v1", "CartpoleSwingupSparse-v1"):
        assert task_id in text
        assert not Counter(find(task_id).doc) - Counter(text)


def test_brackets_in_descriptions_are_shown() -> None:
    for width in (15, 100):
        out = Console(width=width, file=io.StringIO())
        out.print(table(width, ("option", "meaning"), [("goal", "[x, y]")], (None, 20)))
        assert "[x, y]" in out.file.getvalue()


def test_info_reports_where_environments_run() -> None:
    """No text may claim that a GPU has run an environment, because no GPU has done so yet."""
    ids = ("CartPole-v1", "Pong-v5", "Pusher-v5")
    cart_pole, pong, pusher = (" ".join(run("info", task_id).stdout.split()) for task_id in ids)
    for printed_text in (cart_pole, pong):
        assert "runs on the CPU: in a pool, and as pure functions in jax.jit; on " in printed_text
    assert "runs on the CPU: in a pool, which env.xla() takes into jax.jit" in pusher
    assert "GPU" not in pusher
    for task_id, gpu in zip(ids, (True, True, False), strict=True):
        assert json.loads(run("info", task_id, "--json").stdout)["gpu"] is gpu
    assert json.loads(run("doctor", "--json").stdout)["packages"]["nvidia-cuda-nvrtc-cu12"]["for"].startswith("tests")


def test_info_shows_an_image() -> None:
    status, text = in_terminal("info", "Pong-v5", rows=60)
    assert status == 0
    assert "\x1b[38;2;144;72;17;48;2;144;72;17m\u2580" in text
    status, text = in_terminal("info", "Pong-v5", NO_COLOR="1")
    assert status == 0
    assert "38;2" not in text
    assert "::::" in text or "----" in text or "...." in text
    assert "\u2580" in run("info", "Acrobot-v1", "--picture").stdout


def test_doctor_knows_other_packages_of_the_same_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """pygame-ce is imported as pygame, and pip install pygame would break it."""
    installed = {"pygame-ce": "2.5.8"}
    monkeypatch.setattr(doctor, "version_of", lambda name: installed.get(name, ""))
    assert doctor.examine()["packages"]["pygame"]["version"] == "2.5.8 of pygame-ce"
    installed["pygame"] = "2.6.1"
    assert doctor.examine()["packages"]["pygame"]["version"] == "2.6.1"
    installed.clear()
    assert not doctor.examine()["packages"]["pygame"]["version"]


def test_doctor(tmp_path: Path) -> None:
    result = run("doctor")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    for text in ("families", "packages", "CPUs", "num_threads", "compiler", "cache"):
        assert text in result.stdout
    (tmp_path / "file").touch()
    result = run("doctor", "--json", ENVPOOL_CACHE_DIR=str(tmp_path / "file" / "cache"), CXX="no-such")
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout)
    assert facts["cpus"]["usable"] == usable_cpus()
    assert facts["cpus"]["usable"] <= facts["cpus"]["affinity"] <= facts["cpus"]["machine"]
    assert len(facts["cpus"]["layout"]) == facts["cpus"]["usable"]
    assert facts["packages"]["numpy"]["version"] == np.__version__
    assert facts["packages"]["pygame"]["version"] == f"{version_of('pygame-ce')} of pygame-ce"
    assert not facts["cache"]["writable"]
    assert "ENVPOOL_CACHE_DIR" in facts["cache"]["command"]
    assert "no-such" in facts["compiler"]["why"]


def test_advice() -> None:
    facts = {"machine": 64, "affinity": 32, "cgroup_quota": 4.0, "usable": 4, "cores": 16, "layout": [0, 2, 4, 6]}
    text = " ".join(advice({**facts, "numa_nodes": [[0, 1], [2, 3]]}))
    for part in (
        "4 worker threads",
        "time of 4 CPUs of 32",
        "32 of 64 CPUs",
        "Each core runs several threads",
        "numactl",
        "2 NUMA",
        "CPUs 0, 2, 4, 6.",
    ):
        assert part in text
    assert len(advice({**facts, "affinity": 64, "cgroup_quota": None, "cores": 64, "numa_nodes": [[0]]})) == 2


def test_bench(tmp_path: Path) -> None:
    arguments = ["bench", "CartPole-v1", "--num-envs", "2", "--rounds", "2", "--seconds", "0.02"]
    result = run(*arguments, "-o", "a.png", "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    measured = json.loads(result.stdout)
    assert list(measured["sides"]) == ["envpool", "gymnasium", "gymnasium, processes"]
    assert measured["sides"]["gymnasium"]["ours_over"]["median"] > 1
    assert list(measured["absent"]) == ["EnvPool"]
    assert imageio.imread(tmp_path / "a.png").shape[1] == 1100
    # If a side cannot be measured, the reason is reported, and the other sides are still measured.
    arguments[1] = "TagGridWorld-v0"
    status, text = in_terminal(*arguments, "--peer-python", "/bin/true")
    assert status == 0
    assert "round 2 of 2" in text
    assert "EnvPool: not measured: it ended with status 0" in text
    assert "gymnasium: not measured: NameNotFound" in text


@pytest.mark.parametrize("task_id", ["TicTacToe-v1", "TagGridWorld-v0"])
def test_bench_of_worlds_of_several_players(task_id: str) -> None:
    result = run("bench", task_id, "--num-envs", "4", "--rounds", "1", "--seconds", "0.02", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["sides"]["envpool"]["steps_per_s"]["median"] > 0


def test_an_option_whose_name_has_dots() -> None:
    result = run("info", "HalfCheetah-v5", "-O", "model.opt.gravity=(0, 0, -3)")
    assert result.returncode == 0, result.stderr
    fails(1, "model.opt.gravity: expected an array", arguments=("info", "HalfCheetah-v5", "-O", "model.opt.gravity=3"))
    fails(1, "expected name=value", arguments=("info", "HalfCheetah-v5", "-O", "model..gravity=3"))


def test_a_closed_output() -> None:
    line = " ".join(COMMAND) + " info CartPole-v1 >&-"
    result = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment())
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_closed_pipe() -> None:
    line = " ".join(COMMAND) + " list | head -2"
    result = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment())
    assert result.stdout.splitlines()[1:] == IDS[:1]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("list", "zork"), 1, ["no environment's id contains 'zork', and no family has that name: atari, "]),
        (("list", "pong", "--family", "toy_text"), 1, ["'pong'", "'toy_text'"]),
        (("list", "--family", "toytext"), 1, ["did you mean 'toy_text'?"]),
        (("info", "cartpole"), 1, ["[cartpole]", "did you mean 'CartPole-v"]),
        (("info", "CartPole-v1", "-O", "gravitas=1"), 1, ["'gravitas'", "did you mean 'gravity'?"]),
        (("bench", "CARTPOLE-V1"), 1, ["did you mean 'CartPole-v1'"]),
        (("bench", "CartPole-v1", "-O", "gravity=x"), 1, ["gravity: expected a number"]),
        (("bench", "CartPole-v1", "-o", "a.jpg"), 1, [".png", "a.jpg"]),
        (("bench", "CartPole-v1", "-o", "no/such/folder/a.png"), 1, ["no folder"]),
        (("bench", "CartPole-v1", "--seconds", "inf"), 1, ["--seconds", "inf"]),
        (("bench", "CartPole-v1", "--peer-python", "/no/such"), 1, ["--peer-python", "/no/such"]),
        (("fly",), 2, ["fly"]),
        (("play",), 1, ["the ID of an environment, or --header FILE"]),
        (("play", "Pong-v9"), 1, ["[Pong-v9]", "did you mean"]),
        (("play", "Pong-v5"), 1, ["needs a terminal or a display"]),
        (("play", "Pong-v5", "--headless"), 1, ["--frames"]),
        (("play", "Pong-v5", "--headless", "--frames", "1", "-O", "mode=9"), 1, ["a mode of pong (0, 1), got 9"]),
        (("play", "Pong-v5", "--headless", "--frames", "1", "-O", "mode"), 1, ["name=value"]),
        (("play", "Pong-v5", "--headless", "--frames", "1", "--fps", "-1"), 1, ["--fps", "-1"]),
        (("play", "Overcooked-v0", "--headless", "--frames", "5"), 1, ["task_id: expected", "2 players who act at"]),
        (("play", "atari/pong-v3", "--headless", "--frames", "5"), 1, ["task_id: expected", "2 players who act at"]),
        (("watch", "Pong-v5"), 2, ["output"]),
        (("watch", "Pong-v5", "-o", "a.avi"), 1, [".mp4 or .gif", "a.avi"]),
        (("watch", "Pong-v5", "-o", "no/such/folder/a.gif"), 1, ["no folder"]),
        (("watch", "Pong-v5", "-o", "."), 1, [".mp4 or .gif", "'.'"]),
        (("watch", "Pong-v5", "-o", "/proc/a.gif"), 1, ["/proc/a.gif", "cannot be written"]),
        (("bench", "CartPole-v1", "-o", "/proc/a.png"), 1, ["/proc/a.png", "cannot be written"]),
        *((("new", name), 1, ["NAME", repr(name)]) for name in ("envpool", "numpy", "Json", "template", "all", "spec")),
        (("watch", "Pong-v5", "-o", "a.gif", "--seconds", "0"), 1, ["--seconds", "got 0"]),
        (("watch", "Pong-v5", "-o", "a.gif", "--seconds", "nan"), 1, ["--seconds", "got nan"]),
        (("watch", "Pong-v5", "-o", "a.gif", "--num-envs", "0"), 2, ["num-envs"]),
        (("watch", "CartPole-v1", "-o", "a.gif", "-O", "num_envs=4", "-O", "batch_size=2"), 1, ["--option", "all 4"]),
        (("watch", "Pong-v5", "-o", "a.gif", "--policy", "x"), 1, ["module:function"]),
        (("watch", "Pong-v5", "-o", "a.gif", "--policy", "no_such:act"), 1, ["no_such"]),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], status: int, words: list[str], tmp_path: Path) -> None:
    fails(status, *words, arguments=arguments, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.gif").mkdir()
    fails(1, "expected a file, got the folder", arguments=("watch", "CartPole-v1", "-o", "a.gif"), cwd=tmp_path)
    assert [*(tmp_path / "a.gif").iterdir()] == []


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Makes a package appear not to be installed."""
    found = importlib.util.find_spec
    hide = lambda name, *rest: None if name == package else found(name, *rest)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", hide)


def test_a_missing_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is one line that names the package."""
    for package, arguments in (
        ("typer", ["list"]),
        ("imageio_ffmpeg", ["watch", "Pong-v5", "-o", "a.mp4"]),
        ("PIL", ["bench", "CartPole-v1", "-o", "a.png"]),
    ):
        with monkeypatch.context() as patch:
            without(patch, package)
            result = run(*arguments, cwd=tmp_path)
        name = {"PIL": "Pillow"}.get(package, package.replace("_", "-"))
        assert result.returncode == 1
        printed_text = f"envpool: this command needs the package {name}: pip install "
        assert result.stderr.startswith(printed_text), result.stderr
        requirement = Requirement(result.stderr.removeprefix(printed_text).strip().strip("'"))
        assert (requirement.name, bool(requirement.specifier)) == (name, True)


def test_a_family_with_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The family is listed with the error, and other families are not affected."""
    without(monkeypatch, "ale_py")
    _read_rom.cache_clear()
    result = run("list", "--families")
    assert result.returncode == 0, result.stderr
    assert "pip install ale-py" in result.stdout
    assert "toy_text" in result.stdout
    result = run("info", "Pong-v5")
    assert result.returncode == 0, result.stderr
    assert "missing" in result.stdout
    assert "pip install ale-py" in result.stdout
    assert "frame_skip" in result.stdout
    assert run("info", "Pong-v5", "--picture").returncode == 1
    result = run("bench", "Pong-v5")
    assert result.returncode == 1
    assert result.stderr.startswith("envpool: [Pong-v5] needs the ROMs of ale-py")
    families = json.loads(run("doctor", "--json").stdout)["families"]
    assert [entry["family"] for entry in families if entry["missing"]] == ["atari"]


def test_a_family_that_was_not_built(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "__init__.py").touch()
    (tmp_path / "elsewhere" / "registration.py").write_text(
        "from envpool.registration import register_family\nregister_family('Far-v0', 'elsewhere', 'Far')\n"
    )
    code = (
        f"import sys, envpool; envpool.__path__.append({str(tmp_path)!r})\n"
        "from envpool.cli import main\n"
        "for sys.argv in (['envpool', 'list', '--families'], ['envpool', 'info', 'Far-v0']):\n"
        "    try: main()\n"
        "    except SystemExit as ended: assert not ended.code\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("built without the family 'elsewhere'") == 2


def test_a_broken_plugin(tmp_path: Path) -> None:
    """A warning of one line names the plugin, and everything else works."""
    folder = tmp_path / "shaky-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: shaky\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[envpool.plugins]\nshaky = shaky_module\n")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    result = subprocess.run(
        [*COMMAND, "list", "Acrobot-v"], capture_output=True, text=True, env=environment(PYTHONPATH=path)
    )
    assert result.returncode == 0
    assert result.stdout.splitlines()[1:] == ["Acrobot-v1"]
    assert result.stderr == (
        "envpool: warning: [envpool] the plugin 'shaky' of shaky (shaky_module) cannot be loaded: "
        "ModuleNotFoundError: No module named 'shaky_module'\n"
    )
