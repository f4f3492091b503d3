# SPDX-License-Identifier: Apache-2.0
"""Tests `envpool play` and `envpool watch`: terminals, windows, keys and videos."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")
imageio = pytest.importorskip("imageio.v3")

import envpool  # noqa: E402
from envpool.cli.common import Failure  # noqa: E402
from envpool.cli.keys import atari_action, discrete_action  # noqa: E402
from envpool.cli.moves import Moves, waits  # noqa: E402
from envpool.cli.play import HeadlessScreen  # noqa: E402
from envpool.cli.terminal import fit, lines_of, parse_keys  # noqa: E402
from envpool.cli.watch import Advice, find_policy, grid, progress, random_policy  # noqa: E402
from tests.cli.commands import environment, in_terminal, run  # noqa: E402


@pytest.mark.parametrize(
    "task_id", ["Pong-v5", "ALE/Breakout-v5", "CartPole-v1", "Pendulum-v1", "LostLuggage-v5", "Hex-v1"]
)
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
    screen, _ = text.split("\x1b[2J")[1].split("\x1b[?1049l")
    # There are 39 lines of half blocks in true colour, including Pong's brown, and the status line below them.
    assert "\x1b[39;1H" in screen
    assert "\x1b[41;1H" not in screen
    assert "\x1b[38;2;144;72;17;48;2;144;72;17m\u2580" in screen
    assert "reward 0  score 0  lives 0" in screen


def test_play_reads_keys() -> None:
    for key in (b"q", b"\x03"):
        status, text = in_terminal("play", "CartPole-v1", "--fps", "20", "--frames", "1000", keys=key)
        assert status == 0
        assert "CartPole-v1: " in text and "1000 steps" not in text


def test_a_signal_ends_a_game_in_a_terminal() -> None:
    status, text = in_terminal("play", "CartPole-v1", "--fps", "20", end=signal.SIGTERM)
    assert status == 128 + signal.SIGTERM
    assert text.endswith("\x1b[?25h\x1b[?1049l")


@pytest.mark.parametrize("extra", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_play_without_colour(extra: dict[str, str]) -> None:
    status, text = in_terminal("play", "Pong-v5", "--frames", "10", **extra)
    assert status == 0
    assert "38;2" not in text
    assert "\u2580" not in text
    assert "::::" in text or "----" in text or "...." in text


def test_play_waits_for_moves() -> None:
    status, text = in_terminal("play", "TicTacToe-v1", "--frames", "1", keys=b"4")
    assert re.search(
        r"score 0  player \d, move \d  arrows", text
    )  # a terminal of 80 columns has no place behind the keys
    assert status == 0
    assert "TicTacToe-v1: 1 steps, reward 0" in text


class Script(HeadlessScreen):
    """A screen that notes what it shows, and a keyboard on which these keys are pressed one after the other."""

    def __init__(self, *pressed: str) -> None:
        self.shown: list[str] = []
        self._pressed = list(pressed)

    def keys(self) -> set[str]:
        """Returns the next key, if one is pressed now."""
        return {self._pressed.pop(0)} - {""}

    def wants_image(self) -> bool:
        """Returns True."""
        return True

    def show(self, _: object, text: str) -> None:
        """Notes the text."""
        self.shown.append(text)


def test_play_shows_the_result_until_r_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Script("0", "", "0", "", "", "r", "0", "", "0", "", "0", "", "q")
    monkeypatch.setattr("envpool.cli.play.open_screen", lambda *_, **__: screen)
    run("play", "KuhnPoker-v1", "--seed", "5")
    end, *waiting, restarted = screen.shown[2:6]
    for text in (end, *waiting):
        assert text.startswith("KuhnPoker-v1  reward 2  score 2  game over, r: restart, q: quit")
    assert restarted == "KuhnPoker-v1  reward 0  score 0  player 0, move 0  arrows, space, r: restart, q: quit"
    # The game ends again, and a move begins the next one.
    assert "game over" in screen.shown[-3] and "score 0  player" in screen.shown[-1]


def test_moves_without_a_legal_one() -> None:
    moves = Moves(envpool.make("TicTacToe-v1"))
    over = {"action_mask": np.zeros((1, 9), bool)}
    assert moves.made(set(), over) is None
    assert moves.made({"space"}, over) == 0


def test_keys_of_moves() -> None:
    env = envpool.make("Othello-v1", num_envs=1)
    assert waits(env) and not waits(envpool.make("CartPole-v1"))
    _, info = env.reset()  # cells 19, 26, 37 and 44 of eight columns are legal
    moves = Moves(env)
    assert moves.first_legal(info) == 19
    assert moves.made(set(), info) is None
    assert moves.status(info) == f"player {info['current_player'][0]}, move 19"
    for keys, chosen in (({"down"}, 26), ({"down"}, 26), (set(), 26), ({"right"}, 37), ({"up"}, 26), ({"left"}, 19)):
        assert moves.made(keys, info) is None
        assert moves.chosen == chosen
    assert moves.made({"space"}, info) == 19
    assert moves.made({"space"}, info) is None  # the key is still pressed
    assert moves.made({"7"}, info) == 7
    slides = Moves(envpool.make("Play2048-v1", num_envs=1))
    mask = {"action_mask": np.ones((1, 4), bool)}
    for number, key in enumerate(("left", "up", "right", "down")):
        assert slides.made({key}, mask) == number
        assert slides.made(set(), mask) is None


def test_play_in_a_tiny_terminal() -> None:
    assert in_terminal("play", "Pong-v5", "--frames", "5", rows=1, columns=1)[0] == 0


def test_window_reports_short_key_presses() -> None:
    pytest.importorskip("pygame")
    code = """
import numpy, pygame
from envpool.python.window import Window
with Window("Pong-v5", 210, 160) as window:
    window.show(numpy.zeros((210, 160, 3), numpy.uint8), "reward 0")
    for kind in (pygame.KEYDOWN, pygame.KEYUP):
        pygame.event.post(pygame.event.Event(kind, key=pygame.K_LEFT))
    print(window.keys(), window.keys())
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    print(window.keys())
"""
    window = environment(SDL_VIDEODRIVER="dummy", PYGAME_HIDE_SUPPORT_PROMPT="1")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=window)
    assert result.stdout == "{'left'} set()\n{'q'}\n", result.stderr


def test_watch_gif(tmp_path: Path) -> None:
    result = run("watch", "Pong-v5", "--num-envs", "4", "--seconds", "1", "-o", "a.gif", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "\x1b" not in result.stdout
    frames = imageio.imread(tmp_path / "a.gif", index=None)
    assert frames.shape[0] == 15
    assert frames.shape[1] > 210
    assert len({frame.tobytes() for frame in frames}) > 10


@pytest.mark.parametrize("task_id", ["TicTacToe-v1", "Hanabi-v0", "TagGridWorld-v0", "atari/pong-v3"])
def test_watch_worlds_of_several_players(task_id: str, tmp_path: Path) -> None:
    result = run("watch", task_id, "--num-envs", "3", "--seconds", "1", "--fps", "10", "-o", "a.gif", cwd=tmp_path)
    assert result.stderr == ""
    assert result.stdout == f"a.gif: 10 frames of 3 {task_id}, 1.0 s\n"
    assert len({frame.tobytes() for frame in imageio.imread(tmp_path / "a.gif", index=None)}) > 1


def test_watch_moves_only_as_the_masks_allow() -> None:
    env = envpool.make("TicTacToe-v1", num_envs=20)
    act, (observation, info) = random_policy(env, 1), env.reset()
    for _ in range(5):  # no game can end by a legal move before the fifth
        observation, _, ended, _, info = env.step(act(observation, info))
    assert (info["elapsed_step"] == 5).all()


def test_watch_says_how_to_be_faster(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("envpool.cli.watch.time.monotonic", lambda: clock[0])
    slow, fast = Advice(600, 16, {}), Advice(600, 1, {"render_width": 8})
    for done in range(1, 10):
        clock[0] += 0.5
        slow.rendered(done)
    printed_text = capsys.readouterr().err
    assert printed_text.count("\n") == 1
    assert "A frame of 16 environments takes 0.5 s, so the video takes about 5 minutes." in printed_text
    assert "-O render_width=160 -O render_height=120" in printed_text and "--num-envs 4" in printed_text
    clock[0] += 0.5
    fast.rendered(600)
    assert list(progress(3, "a.mp4")) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_watch_shows_where_a_policy_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wrong_agent.py").write_text("def act(observation):\n    return int('left')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(Failure, match=r"^--policy: wrong_agent:act raised ValueError$"):
        find_policy("wrong_agent:act")(np.zeros((1, 4)), {})
    assert "return int('left')" in capsys.readouterr().err


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


def test_frames_fit_the_terminal() -> None:
    image = np.zeros((210, 160, 3), np.uint8)
    image[:, 80:] = 200
    small = fit(image, 40, 100)
    assert small.shape == (52, 40, 3)
    assert (small[:, :20] == 0).all()
    assert (small[:, 20:] == 200).all()
    assert len(lines_of(small, colour=True)) == 26
    assert fit(image, 1000, 1000).shape == image.shape
    assert grid(np.ones((5, 210, 160, 3), np.uint8)).shape[0] % 2 == 0
