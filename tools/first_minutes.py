# SPDX-License-Identifier: Apache-2.0
"""Follows the documentation from an empty folder to a trained agent and a film of one's own game, and records it.

    python tools/first_minutes.py --page docs/first_minutes.md      write the recording as a page
    python tools/first_minutes.py --limit 300                       fail if the agent is trained later than after 300 s

The machine needs Python and a C++ compiler. Every program comes from the pages: the install command and the training from
README.md, the game and its check from docs/write_your_own.md. A new virtual environment in a temporary folder is used, and
the cache of compiled games begins empty.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOWN = 12  # lines of output that the page shows of each command; the middle of longer outputs is left out


def blocks(page: str, language: str) -> list[str]:
    """Returns the code blocks of a language on a page of the repository."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


def block(page: str, language: str, contents: str) -> str:
    """Returns the first block that contains a text; exits if the page has none."""
    for code in blocks(page, language):
        if contents in code:
            return code
    raise SystemExit(f"first_minutes: {page} has no {language} block with {contents!r}")


class Recording:
    """Runs commands in a folder and keeps what they print, with the time since the beginning.

    Attributes:
        text: the recording, in Markdown.
    """

    def __init__(self, folder: Path, checkout: Path, environment: dict[str, str]) -> None:
        self.text: list[str] = []
        self._folder = folder
        self._checkout = checkout
        self._environment = environment
        self._begin = time.monotonic()

    def seconds(self) -> float:
        """Returns the seconds since the beginning."""
        return time.monotonic() - self._begin

    def clock(self) -> str:
        """Returns the time since the beginning as minutes and seconds."""
        return f"{int(self.seconds()) // 60}:{int(self.seconds()) % 60:02}"

    def say(self, text: str) -> None:
        """Adds a paragraph to the recording."""
        self.text += [text, ""]

    def write(self, name: str, contents: str) -> None:
        """Writes a file that a page tells the reader to write."""
        (self._folder / name).write_text(contents)

    def run(self, command: str, note: str = "") -> None:
        """Runs a command in a shell; exits with its output if it fails.

        Args:
            command: the command.
            note: why tests of the page do not run the command; "" if they do.
        """
        begin = self.clock()
        shown = command.replace(str(self._checkout), "./envpool")
        print(f"[{begin}] $ {shown}", flush=True)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self._folder,
            env=self._environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode:
            raise SystemExit(f"first_minutes: `{command}` ended with {done.returncode}:\n{done.stdout}")
        output = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", done.stdout).replace(str(self._folder), "~/first")
        lines = [line.split("\r")[-1].rstrip() for line in output.splitlines()]
        if len(lines) > SHOWN:
            lines = [*lines[:2], f"  ... {len(lines) - SHOWN} lines ...", *lines[2 - SHOWN :]]
        if self.text[-2:] == ["```", ""]:  # one block for commands that follow each other
            del self.text[-2:]
        else:
            self.text += [*([f"<!-- not run: {note} -->"] if note else []), "```console"]
        self.text += [f"[{begin}] $ {shown}", *lines, "```", ""]


def follow(recording: Recording, checkout: Path) -> float:
    """Runs all commands, and returns after how many seconds the agent was trained."""
    recording.say("Install the package, which is compiled, and the library that trains:")
    recording.run("python3 -m venv env")
    recording.run(f'env/bin/pip install "{checkout}[atari,cli]" stable-baselines3')
    recording.say("Copy the [training in six lines](quick_start.md#train-an-agent) to `train.py`, and run it:")
    recording.write("train.py", block("README.md", "python", "agent.learn"))
    recording.run("env/bin/python train.py | grep ep_rew_mean", "the tests do not have Stable-Baselines3")
    trained = recording.seconds()
    recording.say("Copy the [game of eighty lines](write_your_own.md#the-game) to `dodge.h`, check it, and film it:")
    recording.write("dodge.h", block("docs/write_your_own.md", "cpp", "struct Dodge"))
    recording.run("env/bin/envpool check dodge.h")
    recording.run("env/bin/envpool watch --header dodge.h --num-envs 16 --seconds 4 -o dodge.gif")
    return trained


def processor() -> str:
    """Returns the model of the CPU, as Linux names it."""
    names = re.findall(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return names[0] if names else platform.machine()


def page(recording: Recording, trained: float, seconds: float) -> str:
    """Returns the recording as a page of the documentation."""
    head = [
        "# The first minutes, recorded",
        "",
        f"From an empty folder to a trained agent in {trained:.0f} seconds, and to a film of a game of one's own in {seconds:.0f}.",
        "`make first-minutes` ran these commands on a machine that had only a C++ compiler and Python "
        f"{platform.python_version()}, with",
        f"{len(os.sched_getaffinity(0))} CPUs ({processor()}). pip installed PyTorch's build for CPUs. The brackets contain "
        "the time at which",
        "each command began, in minutes and seconds; `envpool` is the folder of the checkout.",
        "",
    ]
    tail = [
        "The agents in this film were [trained in jax.jit](write_your_own.md#train-an-agent-and-film-it) and avoid the rocks:",
        "",
        "![Four trained agents, blue, dodge falling brown rocks](dodge.gif)",
        "",
    ]
    return "\n".join([*head, *recording.text, *tail])


def main() -> None:
    """Makes the recording."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, help="the Markdown file to write")
    parser.add_argument("--limit", type=float, default=0, help="seconds until the agent must be trained; 0: no limit")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="what to install; default: this checkout")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="first-minutes-"))
    dropped = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {key: value for key, value in os.environ.items() if key not in dropped}
    environment |= {"ENVPOOL_CACHE_DIR": str(folder / "cache"), "COLUMNS": "100", "PIP_QUIET": "2"}
    recording = Recording(folder, arguments.checkout, environment)
    try:
        trained = follow(recording, arguments.checkout)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    seconds = recording.seconds()
    print(f"trained after {trained:.0f} s, finished after {seconds:.0f} s")
    if arguments.page:
        arguments.page.write_text(page(recording, trained, seconds))
    if arguments.limit and trained > arguments.limit:
        sys.exit(f"first_minutes: the agent was trained after {trained:.0f} s; expected at most {arguments.limit:.0f}")


if __name__ == "__main__":
    main()
