# SPDX-License-Identifier: Apache-2.0
"""Tests the commands for the user's own environments: check, new, --header and --import."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from envpool.plugins.compiler import find_compiler
from tests.plugins.headers import WALK

pytest.importorskip("typer")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns a folder in which `envpool new space_race` has run."""
    folder = tmp_path_factory.mktemp("own")
    created = run("new", "space_race", cwd=folder)
    assert created.returncode == 0 and "envpool check space_race/src/space_race/space_race.h" in created.stdout
    return folder


HEADER = "space_race/src/space_race/space_race.h"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ENVPOOL_CACHE_DIR": str(cwd / "cache")}
    command = [sys.executable, "-m", "envpool", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, env=environment)


def test_new_has_the_name_in_all_places(folder):
    package = folder / "space_race"
    files = {str(file.relative_to(package)) for file in package.rglob("*") if file.is_file()}
    names = {"space_race.h", "plugin.cc", "__init__.py"}
    top = {"CMakeLists.txt", "README.md", "pyproject.toml", "draw.py", "space_race_test.py"}
    assert files == top | {f"src/space_race/{name}" for name in names}
    text = "".join((package / file).read_text() for file in files)
    assert "CoinHunt" not in text and "coin_hunt" not in text and "coin-hunt" not in text and "](" not in text
    assert run("new", "moon_base", cwd=folder).stdout.endswith(" --no-build-isolation ./moon_base\n")
    elsewhere = str(folder / "elsewhere")
    created = run("new", "moon_base", "--folder", elsewhere, cwd=folder)
    assert created.stdout.endswith(f" --no-build-isolation {elsewhere}\n")
    assert 'name = "space-race"' in text and '"SpaceRace-v0"' in text and "struct SpaceRace {" in text


def test_new_writes_the_header_of_the_tutorial(folder):
    written = run("new", "--header", cwd=folder)
    assert written.stdout.startswith("dodge.h: a game that you can change"), written.stderr
    assert "\n  envpool check dodge.h\n" in written.stdout
    text = (folder / "dodge.h").read_text()
    if source := os.environ.get("ENVPOOL_SOURCE_DIR"):
        assert f"```cpp\n{text}```\n" in Path(source, "docs", "write_your_own.md").read_text()
    written = run("new", "cart-pole", "--header", "--folder", "games", cwd=folder)
    assert "envpool watch --header games/cart_pole.h -o cart_pole.gif" in written.stdout
    named = (folder / "games" / "cart_pole.h").read_text()
    assert named == text.replace("Dodge", "CartPole").replace("// dodge.h", "// cart_pole.h") and "s.dodged" in named
    # Commands find an id for a struct that has the name of one of our environments.
    assert (
        json.loads(run("info", "--header", "games/cart_pole.h", "--json", cwd=folder).stdout)["id"] == "own/CartPole-v0"
    )


def test_new_writes_a_header_with_the_name_of_a_class_of_ours(folder):
    for name in ("blob", "World"):
        assert run("new", name, "--header", cwd=folder).returncode == 0
    found = run("info", "--header", "blob.h", "--json", cwd=folder)
    assert json.loads(found.stdout)["id"] == "Blob-v0", found.stderr
    checked = run("check", "world.h", cwd=folder)
    assert checked.stdout.startswith("world.h: no mistake found in "), checked.stderr


@pytest.mark.sampled(one_in=3, group="check")
def test_new_writes_a_game_of_turns(folder):
    written = run("new", "--turns", cwd=folder)
    assert written.stdout.startswith("nim.h: a game of two players who take turns that you can change"), written.stderr
    if source := os.environ.get("ENVPOOL_SOURCE_DIR"):
        assert f"```cpp\n{(folder / 'nim.h').read_text()}```\n" in Path(source, "docs", "write_your_own.md").read_text()
    assert "exists" in run("new", "nim", "--turns", cwd=folder).stderr
    assert run("new", "last_stone", "--turns", cwd=folder).returncode == 0
    text = (folder / "last_stone.h").read_text()
    assert text == (folder / "nim.h").read_text().replace("Nim", "LastStone").replace("// nim.h", "// last_stone.h")
    checked = run("check", "last_stone.h", cwd=folder)
    assert checked.stdout.startswith("last_stone.h: no mistake found in "), checked.stderr
    played = run("play", "--header", "last_stone.h", "--headless", "--frames", "9", cwd=folder)
    assert played.stdout.startswith("LastStone-v0: 9 steps, reward "), played.stderr
    watched = run("watch", "--header", "last_stone.h", "-o", "a.gif", "--seconds", "1", "--fps", "3", cwd=folder)
    assert watched.stdout == "a.gif: 3 frames of 16 LastStone-v0, 1.0 s\n", watched.stderr


@pytest.mark.sampled(one_in=3, group="check")
def test_check_a_header_with_the_name_of_one_of_our_environments(folder):
    text = (folder / HEADER).read_text()
    (folder / "catch.h").write_text(text.replace("SpaceRace", "Catch"))
    checked = run("check", "catch.h", cwd=folder)
    assert checked.stdout.startswith("catch.h: no mistake found in "), checked.stderr
    checked = run("check", "catch.h", "--id", "MyCatch-v3", cwd=folder)
    assert checked.stdout.startswith("catch.h: no mistake found in "), checked.stderr
    (folder / "wrong_catch.h").write_text(text.replace("SpaceRace", "Catch").replace("observe(", "look("))
    for options, label in (([], "[own/Catch-v0]"), (["--id", "MyCatch-v3"], "[MyCatch-v3]")):
        checked = run("check", "wrong_catch.h", *options, cwd=folder)
        assert checked.returncode == 1 and checked.stderr.startswith(f"envpool: {label} wrong_catch.h does not compile")


@pytest.mark.sampled(one_in=3, group="check")
def test_commands_with_a_header(folder):
    checked = run("check", HEADER, cwd=folder)
    assert checked.stdout.startswith(f"{HEADER}: no mistake found in "), checked.stderr
    facts = json.loads(run("info", "--header", HEADER, "--json", cwd=folder).stdout)
    assert facts["id"] == "SpaceRace-v0" and facts["picture"] == [80, 80] and facts["gpu"]
    assert "as pure functions in jax.jit; on " in " ".join(run("info", "--header", HEADER, cwd=folder).stdout.split())
    assert json.loads(run("info", "Race-v3", "--header", HEADER, "--json", cwd=folder).stdout)["id"] == "Race-v3"
    played = run("play", "--header", HEADER, "--headless", "--frames", "9", "-O", "size=3", cwd=folder)
    assert played.stdout.startswith("SpaceRace-v0: 9 steps, reward "), played.stderr
    measured = run("bench", "--header", HEADER, "--rounds", "1", "--seconds", "0.05", "--json", cwd=folder)
    assert json.loads(measured.stdout)["sides"]["envpool"]["steps_per_s"]["median"] > 1000, measured.stderr


@pytest.mark.sampled(one_in=3, group="check")
def test_an_environment_without_images(folder):
    (folder / "walk.h").write_text(WALK)
    for command in (("play",), ("watch", "-o", "a.gif")):
        failed = run(*command, "--header", "walk.h", cwd=folder)
        assert (failed.returncode, failed.stderr) == (1, "envpool: Walk-v0 cannot be rendered, only stepped\n")
    failed = run("info", "--header", "walk.h", "--picture", cwd=folder)
    assert (failed.returncode, failed.stderr) == (1, "envpool: [Walk-v0] cannot be rendered\n")


def test_watch_a_module(folder):
    pytest.importorskip("imageio")
    (folder / "my_games.py").write_text(
        f"import envpool\nenvpool.compile({HEADER!r}, 'Mine-v1', max_episode_steps=7)\n"
    )
    watched = run("watch", "--import", "my_games", "-o", "a.gif", "--seconds", "0.1", "--num-envs", "2", cwd=folder)
    assert watched.stdout == "a.gif: 3 frames of 2 Mine-v1, 0.1 s\n", watched.stderr


@pytest.mark.sampled(one_in=3, group="check")
def test_check_reports_a_mistake(folder):
    text = (folder / HEADER).read_text().replace("obs[3] = ", "obs[4] = ")
    (folder / "wrong.h").write_text(text)
    checked = run("check", "wrong.h", cwd=folder)
    line = 1 + text.splitlines().index("    obs[4] = s.coin % p.size;")
    assert checked.returncode == 1
    assert checked.stderr == (
        f"envpool: [SpaceRace-v0] wrong.h:{line}: observe() writes beyond the end of a row of the array 'obs', which has "
        f"16 bytes (episode 0, step 0)\n{line:5} |     obs[4] = s.coin % p.size;\n"
    )


@pytest.mark.sampled(one_in=3, group="check")
def test_check_a_module(folder):
    wrong = (folder / HEADER).read_text().replace("obs[3] = ", "obs[4] = ")
    (folder / "second.h").write_text(wrong)
    (folder / "two_games.py").write_text(
        f"import envpool\nenvpool.compile({HEADER!r}, 'First-v1', max_episode_steps=7, defaults={{'size': 3}})\n"
        "envpool.compile('second.h', 'Second-v1')\n"
    )
    for arguments in (("--header", HEADER), (HEADER,)):
        assert run("check", *arguments, cwd=folder).stdout.startswith(f"{HEADER}: no mistake found in ")
    checked = run("check", "--import", "two_games", cwd=folder)
    assert checked.returncode == 1
    assert checked.stdout.startswith("First-v1: no mistake found in ") and "Second" not in checked.stdout
    assert checked.stderr.startswith("envpool: [Second-v1] ") and "second.h" in checked.stderr
    assert "writes beyond the end of a row of the array 'obs'" in checked.stderr


@pytest.mark.sampled(one_in=3, group="check")
def test_check_compiles_as_a_module_does(folder, monkeypatch):
    text = (folder / HEADER).read_text()
    assert "obs[3] = " in text
    (folder / "flags.h").write_text(text.replace("obs[3] = ", "obs[INDEX] = "))
    (folder / "flags.py").write_text(
        "import envpool\n"
        f"envpool.compile('flags.h', 'Flags-v1', flags=['-DINDEX=3'], cxx={shlex.join(find_compiler('', None))!r})\n"
    )
    with monkeypatch.context() as context:
        context.setenv("CXX", "no-such-compiler")
        checked = run("check", "--import", "flags", cwd=folder)
    assert checked.stdout.startswith("Flags-v1: no mistake found in "), checked.stderr
    checked = run("check", "flags.h", "--flag=-DINDEX=4", cwd=folder)
    assert checked.returncode == 1
    assert "writes beyond the end of a row of the array 'obs'" in checked.stderr
    checked = run("check", "flags.h", cwd=folder)
    assert checked.returncode == 1 and "INDEX" in checked.stderr


def test_check_a_module_without_headers(folder):
    (folder / "texts.py").write_text(f"import envpool\nenvpool.compile({WALK!r}, 'Walk-v7')\n")
    printed_text = " ".join(run("info", "--import", "texts", cwd=folder).stdout.split())
    assert (
        "in jax.jit; not on a GPU, because its header is not known: give envpool.compile a file, or, in "
        in printed_text
    )
    checked = run("check", "--import", "texts", cwd=folder)
    words = "envpool: [Walk-v7] --import: expected an environment whose header is known: "
    assert checked.returncode == 1 and checked.stderr.startswith(words)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("info",), "expected the ID of an environment, or --header FILE or --import MODULE"),
        (("check",), "expected either HEADER or --import MODULE"),
        (("check", "--import", "json"), "--import: 'json' registers no id"),
        (("check", "nothing.h"), "source: expected a header, got 'nothing.h'"),
        (("info", "--import", "no_such_module"), "--import: 'no_such_module' cannot be imported: ModuleNotFoundError"),
        (("info", "--import", "leaves"), "--import: 'leaves' cannot be imported: SystemExit: 5"),
        (("info", "--import", "json"), "--import: 'json' registers no id: give the ID of one"),
        (("new", "a b"), "NAME: expected letters, digits and underscores, such as snake or SpaceRace, got 'a b'"),
        (("new", "space_race"), "--folder: expected a folder that does not exist, got 'space_race'"),
        (
            ("new", "class"),
            "NAME: expected a name that is no keyword of Python, such as snake or SpaceRace, got 'class'",
        ),
        (("new", "a b", "--header"), "NAME: expected letters"),
        (("new", "state", "--header"), "NAME: expected a name that has no other meaning in the header, got 'state'"),
        (("new", "agent", "--header"), "NAME: expected a name that has no other meaning in the header, got 'agent'"),
        (("new",), "NAME: expected a name, such as snake or SpaceRace, got none"),
        (("new", "catch"), "NAME: expected a new name, because there is an environment Catch-v0, got 'catch'"),
        (("check", "--import", "json", "--id", "X-v0"), "--id: expected none with --import"),
        (("check", HEADER, "--id", "Catch-v0"), "[Catch-v0] task_id: expected an id that is not registered yet"),
    ],
)
def test_bad_arguments(folder, arguments, words):
    (folder / "leaves.py").write_text("import sys\nsys.exit(5)\n")
    failed = run(*arguments, cwd=folder)
    assert failed.returncode == 1 and words in failed.stderr and len(failed.stderr.splitlines()) == 1
