# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the pages as their readers do, in a folder that contains only the checkout.

The folder `envpool` in it stands for the checkout. Commands that name a make target or a file of the checkout run there,
and so do those of CONTRIBUTING.md; all others run beside it, as the quick start says. Files whose blocks begin with their names (`// dodge.h`, `# agent.py`)
are in the folder too. pip resolves requirements, but installs nothing: it finds the checkout and an index that has the
packages of pyproject.toml, and nothing that is called envpool. A program of a new virtual environment, such as
env/bin/python, is therefore the one that runs this test. `envpool play` runs in a terminal, where it is quit.

A command that takes minutes, or needs what the tests do not have, has `<!-- not run: why -->` above its block. Like the
commands in sentences, it is not run, but its make target, script, subcommand and options must exist. The commands of
docs/gpu.md are all of this kind, because they need a GPU.
"""

from __future__ import annotations

import functools
import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import pages
from tests.support.pages import PAGES, SOURCE, Command, code_blocks

pytest.importorskip("typer")
tomllib = pytest.importorskip("tomllib")

# Packages that pages recommend and no test installs.
OTHER_PACKAGES = ("build", "optax", "tensorboard", "tyro")
THIRD_PARTY = sorted((SOURCE / "third_party").glob("*/README.md"))
IN_CHECKOUT = re.compile(r"(?<!\S)(?:make(?! -C)|\.ci/run|(?:\S+=)?(?:examples|benchmark|tools|build)/)")

pytestmark = [
    pytest.mark.skipif(not PAGES, reason="needs the sources: ENVPOOL_SOURCE_DIR"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="the tests' JAX needs Python 3.11"),
]


def commands(page: Path) -> list[Command]:
    """Returns the commands of a page, those in its sentences last."""
    found = [*pages.commands(page), *pages.inline_commands(page)]
    return (
        [command._replace(note=command.note or "not run: it needs a GPU") for command in found]
        if page.stem == "gpu"
        else found
    )


def to_run(page: Path) -> list[Command]:
    """Returns the commands that test_the_commands_of_a_page_run runs."""
    return [command for command in commands(page) if not command.note and command in pages.commands(page)]


def requirements() -> Iterator[tuple[str, str]]:
    """Yields the names of the packages in pyproject.toml, with the versions that it mentions."""
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())
    lists = [project["build-system"]["requires"], project["project"]["dependencies"]]
    lists += [*project["project"]["optional-dependencies"].values(), *project["dependency-groups"].values()]
    for line in (line for lines in lists for line in lines if isinstance(line, str)):
        name = re.match(r"[\w.-]+", line)[0]
        versions = re.findall(r"[>=]=\s*([\w.]+)", line.partition(";")[0])
        yield name, (versions or ["1.0"])[0]


def write_wheel(folder: Path, name: str, version: str) -> None:
    """Writes an empty wheel that pip can resolve."""
    stem = f"{re.sub(r'[-_.]+', '_', name)}-{version}"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{stem}.dist-info/RECORD", "")


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    for name, version in {*requirements(), *((name, "1.0") for name in OTHER_PACKAGES)}:
        write_wheel(folder, name, version)
    return folder


@pytest.fixture(scope="module")
def environment(index, tmp_path_factory) -> dict[str, str]:
    """Returns the environment variables of a reader, whose pip only says what it would install."""
    dropped = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "DISPLAY", "WAYLAND_DISPLAY", "PYTHONSAFEPATH")
    return {key: value for key, value in os.environ.items() if key not in dropped} | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "TERM": "xterm",
        "ENVPOOL_CACHE_DIR": str(tmp_path_factory.mktemp("cache")),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_DRY_RUN": "1",
        "PIP_FIND_LINKS": str(index),
        "PIP_IGNORE_INSTALLED": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as: without isolation
        "PIP_NO_INDEX": "1",
        "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_ENVPOOL_UNIFIED": "0.1",
    }


def make_folder(folder: Path) -> None:
    """Fills the folder of a reader: a checkout, and the files of the pages."""
    checkout = folder / "envpool"
    checkout.mkdir()
    for path in SOURCE.iterdir():
        if path.name not in (".git", "build"):
            (checkout / path.name).symlink_to(path)
    for page in PAGES:
        for block in code_blocks(page):
            if block.file:
                (folder / block.file).write_text(block.text)


def in_terminal(command: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Runs `envpool play` in a terminal, and quits when the first frame is there."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        ["bash", "-c", command], cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    written, deadline = b"", time.monotonic() + 120
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                written += os.read(ours, 65536)
            except OSError:  # the child has ended
                break
            if b"reward" in written:
                os.write(ours, b"q")
    os.close(ours)
    return child.wait(timeout=20), written.decode(errors="replace")


def run(command: Command, folder: Path, environment: dict[str, str]) -> None:
    text = re.sub(r"(?<!\S)\w+/bin/(?=(?:pip|python|envpool)\b)", "", command.text)
    if text.startswith("envpool play"):
        status, output = in_terminal(text, folder, environment)
    else:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", text],
            cwd=folder / "envpool" if command.page == "CONTRIBUTING.md" or IN_CHECKOUT.search(text) else folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        status, output = done.returncode, done.stdout
    assert status == 0, f"{command}\n{output}"
    assert "does not provide the extra" not in output, f"{command}\n{output}"
    if re.search(r"install\b.* \S*\./envpool", text):
        assert "Would install" in output and "envpool-unified" in output, f"{command}\n{output}"


@functools.cache
def make_targets() -> set[str]:
    phony = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", (SOURCE / "Makefile").read_text(), re.MULTILINE)
    return {*phony[1].replace("\\\n", " ").split()}


@functools.cache
def help_of(*subcommand: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "envpool", *subcommand, "--help"],
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def sources_of(script: Path) -> str:
    """Returns the text of a script and of the modules in its folder that it imports or, in a shell, runs."""
    text = script.read_text()
    for name in {*re.findall(r"(?:^\s*(?:from|import) |\btools/)(\w+)", text, re.MULTILINE)}:
        if script.with_name(f"{name}.py").is_file():
            text += script.with_name(f"{name}.py").read_text()
    return text


def check(command: Command, folder: Path, environment: dict[str, str]) -> None:
    """Checks a command without running it. `pip install` is run, because pip installs nothing here."""
    words = [word for word in shlex.split(command.text, comments=True) if not re.match(r"[A-Z_]+=", word)]
    if words[0] == "taskset":
        words = words[3:]
    program, arguments = Path(words[0]).name, words[1:]
    options = [word.partition("=")[0] for word in arguments if word.startswith("--")]
    if program == "make":
        targets = [word for word in arguments if not word.startswith("-") and "=" not in word]
        assert targets and {*targets} <= make_targets(), f"{command}: no such target"
    elif program == "pip" and arguments != ["install"] and not command.note:
        run(command, folder, environment)
    elif program == "envpool" or words[:3] == ["python", "-m", "envpool"]:
        arguments = arguments if program == "envpool" else arguments[2:]
        subcommand = [word for word in arguments[:1] if not word.startswith("-")]
        text = help_of(*subcommand)
        assert all(re.search(rf"(?<!\S){option}\b", text) for option in options), f"{command}\n{text}"
    elif program in ("python", "bash") and arguments[0].endswith((".py", ".sh")):
        script = SOURCE / arguments[0]
        if not script.is_file():
            assert (folder / arguments[0]).is_file() and command.note, f"{command}: no such file"
            return
        text = sources_of(script)
        missing = [option for option in options if not re.search(rf"\b{option[2:].replace('-', '[-_]')}\b", text)]
        assert not missing, f"{command}: {script.name} has no {missing}"
    else:
        assert command.note or program == "pip", f"{command}: cannot be checked"


WITH_COMMANDS = [page for page in PAGES if to_run(page)]


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page, tmp_path, environment):
    make_folder(tmp_path)
    exports = ""
    for command in to_run(page):
        if command.text.startswith("export "):
            exports += f"{command.text}\n"
        else:
            run(command._replace(text=exports + command.text), tmp_path, environment)


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("page", [*PAGES, *THIRD_PARTY], ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_what_is_not_run_exists(page, tmp_path, environment):
    make_folder(tmp_path)
    for command in commands(page):
        if command not in to_run(page):
            check(command, tmp_path, environment)


def test_a_page_that_installs_from_an_index_fails(tmp_path, environment):
    make_folder(tmp_path)
    for text in (
        "pip install 'envpool[atari]'",
        "pip install 'envpool-unified[cuda]'",
        "pip install './envpool[nothing]'",
    ):
        with pytest.raises(AssertionError, match="envpool"):
            run(Command("page.md", 1, text, ""), tmp_path, environment)
    run(Command("page.md", 1, "pip install './envpool[atari,cli]' stable-baselines3", ""), tmp_path, environment)


@pytest.mark.parametrize(
    "text",
    [
        "make no-such-target",
        "python examples/ppo_atari.py --no_such_option=1",
        "python examples/no_such_file.py",
        "envpool watch --no-such-option",
        "envpool no-such-command",
    ],
)
def test_commands_that_do_not_exist_are_found(text, tmp_path, environment):
    with pytest.raises(AssertionError):
        check(Command("page.md", 1, text, ""), tmp_path, environment)


def test_every_comment_gives_a_reason():
    notes = [command.note for page in PAGES for command in commands(page) if command.note]
    assert notes and all(len(note.partition(": ")[2]) > 10 for note in notes)
    assert shutil.which("bash")
