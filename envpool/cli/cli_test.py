# SPDX-License-Identifier: Apache-2.0
"""The command line as its users run it: a process of its own, in a terminal or in a pipe."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool

pytest.importorskip("typer")
imageio = pytest.importorskip("imageio.v3")

from envpool.cli.keys import atari_action, discrete_action  # noqa: E402
from envpool.cli.terminal import fit, lines_of, parse_keys  # noqa: E402
from envpool.cli.watch import grid  # noqa: E402
from envpool.python.registry import find  # noqa: E402

# Other tests of this process may have registered more.
IDS = [task_id for task_id in envpool.list_all_envs() if find(task_id).family]
COMMAND = [sys.executable, "-m", "envpool"]


def environment(**extra: str) -> dict[str, str]:
    """Ours without a display or a wish about colours."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    return {**{key: value for key, value in os.environ.items() if key not in hidden}, "TERM": "xterm", **extra}


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    options.setdefault("env", environment())
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, **options
    )


def in_terminal(
    *arguments: str, keys: bytes = b"", rows: int = 40, columns: int = 100, **extra: str
) -> tuple[int, str]:
    """Runs it under a pty, types `keys` once pictures come, and returns its exit status and all it wrote."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    before = termios.tcgetattr(theirs)
    child = subprocess.Popen(
        [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**extra)
    )
    written = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            written += os.read(ours, 65536)
            if keys and b"reward" in written:
                os.write(ours, keys)
                keys = b""
        elif child.poll() is not None:
            break
    status = child.wait(timeout=10)
    assert termios.tcgetattr(theirs) == before, "the terminal is left as it was"
    os.close(ours)
    os.close(theirs)
    return status, written.decode()


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
    assert run("list").stdout.split() == IDS
    assert run("list", "pong").stdout.split() == ["Pong-v5", "ALE/Pong-v5", "Pong-misc"]
    status, text = in_terminal("list", "acrobot")
    assert status == 0
    assert "two-link chain" in text


def test_a_reader_that_leaves() -> None:
    line = " ".join(COMMAND) + " list | head -1"
    result = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment())
    assert result.stdout.strip() == IDS[0]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("list", "zork"), 1, ["no environment's id contains 'zork'"]),
        (("fly",), 2, ["fly"]),
        (("play",), 2, ["ID"]),
        (("play", "Pong-v9"), 1, ["[Pong-v9]", "did you mean"]),
        (("play", "Pong-v5"), 1, ["needs a terminal or a display"]),
        (("play", "Pong-v5", "--headless"), 1, ["--frames"]),
        (("play", "Pong-v5", "--headless", "--frames", "1", "-O", "mode=9"), 1, ["mode: pong has 0, 1, got 9"]),
        (("play", "Pong-v5", "--headless", "--frames", "1", "-O", "mode"), 1, ["name=value"]),
        (("play", "Pong-v5", "--headless", "--frames", "1", "--fps", "-1"), 1, ["--fps", "-1"]),
        (("watch", "Pong-v5"), 2, ["output"]),
        (("watch", "Pong-v5", "-o", "a.avi"), 1, [".mp4 or .gif", "a.avi"]),
        (("watch", "Pong-v5", "-o", "no/such/folder/a.gif"), 1, ["no folder"]),
        (("watch", "Pong-v5", "-o", "a.gif", "--seconds", "0"), 1, ["--seconds", "got 0"]),
        (("watch", "Pong-v5", "-o", "a.gif", "--seconds", "nan"), 1, ["--seconds", "got nan"]),
        (("watch", "Pong-v5", "-o", "a.gif", "--num-envs", "0"), 2, ["num-envs"]),
        (("watch", "Pong-v5", "-o", "a.gif", "--policy", "x"), 1, ["module:function"]),
        (("watch", "Pong-v5", "-o", "a.gif", "--policy", "no_such:act"), 1, ["no_such"]),
    ],
)
def test_mistakes(arguments: tuple[str, ...], status: int, words: list[str], tmp_path: Path) -> None:
    fails(status, *words, arguments=arguments, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_is_missing(tmp_path: Path) -> None:
    """One sentence that names it."""
    for package, arguments in (("typer", ["list"]), ("imageio_ffmpeg", ["watch", "Pong-v5", "-o", "a.mp4"])):
        code = (
            "import importlib.util as u, sys; found = u.find_spec\n"
            f"u.find_spec = lambda name, *rest: None if name == {package!r} else found(name, *rest)\n"
            f"sys.argv = ['envpool', *{arguments!r}]\n"
            "from envpool.cli import main; main()"
        )
        result = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment()
        )
        name = package.replace("_", "-")
        assert result.returncode == 1
        assert result.stderr == f"envpool: this command needs the package {name}: pip install 'envpool[cli]'\n"


@pytest.mark.parametrize("task_id", ["Pong-v5", "ALE/Breakout-v5", "CartPole-v1", "Pendulum-v1", "LostLuggage-v5"])
def test_play_headless(task_id: str) -> None:
    result = run("play", task_id, "--headless", "--frames", "50")
    assert result.stderr == ""
    assert re.fullmatch(rf"{task_id}: 50 steps, reward [-\d.]+\n", result.stdout)


def test_play_in_a_terminal() -> None:
    status, text = in_terminal("play", "Pong-v5", "--frames", "30", rows=40, columns=80)
    assert status == 0
    assert text.startswith("\x1b[?1049h")
    assert "\x1b[?1049l" in text
    assert "Pong-v5: 30 steps" in text
    pictures, _ = text.split("\x1b[2J")[1].split("\x1b[?1049l")
    # Thirty-nine lines of half blocks in true colour, Pong's brown among them, and what cannot be seen below.
    assert "\x1b[39;1H" in pictures
    assert "\x1b[41;1H" not in pictures
    assert "\x1b[38;2;144;72;17;48;2;144;72;17m\u2580" in pictures
    assert "reward 0  score 0  lives 0" in pictures


def test_play_hears_keys() -> None:
    for key in (b"q", b"\x03"):
        start = time.monotonic()
        status, text = in_terminal("play", "CartPole-v1", "--fps", "20", "--frames", "1000", keys=key)
        assert status == 0
        assert time.monotonic() - start < 20
        assert "1000 steps" not in text


@pytest.mark.parametrize("extra", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_play_without_colour(extra: dict[str, str]) -> None:
    status, text = in_terminal("play", "Pong-v5", "--frames", "10", **extra)
    assert status == 0
    assert "38;2" not in text
    assert "\u2580" not in text
    assert "::::" in text or "----" in text or "...." in text


def test_play_in_a_tiny_terminal() -> None:
    assert in_terminal("play", "Pong-v5", "--frames", "5", rows=1, columns=1)[0] == 0


def test_watch_gif(tmp_path: Path) -> None:
    result = run("watch", "Pong-v5", "--num-envs", "4", "--seconds", "1", "-o", "a.gif", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "\x1b" not in result.stdout
    frames = imageio.imread(tmp_path / "a.gif", index=None)
    assert frames.shape[0] == 15
    assert frames.shape[1] > 210
    assert len({frame.tobytes() for frame in frames}) > 10


def test_watch_mp4_with_a_policy(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    (tmp_path / "agent.py").write_text(
        "import numpy as np\n"
        "def act(obs):\n"
        "    assert obs.shape == (3, 4, 84, 84)\n"
        "    return np.full(len(obs), 2, np.int32)\n"
    )
    arguments = ["watch", "Breakout-v5", "--num-envs", "3", "--seconds", "1", "-o", "a.mp4", "--policy", "agent:act"]
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    frames = list(imageio.imiter(tmp_path / "a.mp4"))
    assert len(frames) == 15
    assert frames[0].shape[2] == 3


def test_keys() -> None:
    assert parse_keys(b"\x1b[A\x1b[Cx \x1bOD5Q") == ["up", "right", "x", "space", "left", "5", "q"]
    assert atari_action(set()) == 0
    assert atari_action({"space"}) == 1
    assert atari_action({"up", "left", "space"}) == 15
    assert atari_action({"down", "right"}) == 8
    assert atari_action({"down", "right", "space"}, has_fire=False) == 7
    assert [discrete_action({key}, 3, 0) for key in ("left", "right", "1", "7")] == [0, 2, 1, 1]
    assert discrete_action(set(), 2, 1) == 1


def test_pictures_fit() -> None:
    picture = np.zeros((210, 160, 3), np.uint8)
    picture[:, 80:] = 200
    small = fit(picture, 40, 100)
    assert small.shape == (52, 40, 3)
    assert (small[:, :20] == 0).all()
    assert (small[:, 20:] == 200).all()
    assert len(lines_of(small, True)) == 26
    assert fit(picture, 1000, 1000).shape == picture.shape
    assert grid(np.ones((5, 210, 160, 3), np.uint8)).shape[0] % 2 == 0
