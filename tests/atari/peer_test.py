# SPDX-License-Identifier: Apache-2.0
"""Compares every array of all games and options with the released EnvPool, bit for bit, for the same actions.

Both packages are called envpool, so the released one runs in another process, with the interpreter that
ENVPOOL_PEER_PYTHON names (`make test-peer` sets it). Randomness is disabled: there are no no-ops before FIRE and no
sticky actions. There are two intended differences: images of screens that EnvPool cuts off, and the number of steps
after a lost life.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

cv2 = pytest.importorskip("cv2")
pytest.importorskip("ale_py")

import envpool  # noqa: E402
from envpool.atari.registration import ROMS  # noqa: E402
from tests.atari import play_and_record  # noqa: E402

PEER = os.environ.get("ENVPOOL_PEER_PYTHON", "")
pytestmark = pytest.mark.skipif(not PEER, reason="ENVPOOL_PEER_PYTHON names no interpreter with the released EnvPool")


def case(task: str, steps: int, **options: Any) -> dict[str, Any]:
    return {"task": f"{task}-v5", "steps": steps, "options": {"noop_max": 1, **options}}


GAMES = [case("".join(word.capitalize() for word in name.split("_")), 60) for name in ROMS]
CASES = [
    case("Breakout", 1000),
    case("SpaceInvaders", 1000),
    case("MsPacman", 1000),
    case("Pong", 1000),
    case("Breakout", 1000, episodic_life=True, reward_clip=True),
    case("SpaceInvaders", 1000, episodic_life=True, use_fire_reset=False),
    case("MsPacman", 700, episodic_life=True, gray_scale=False),
    case("Seaquest", 700, episodic_life=True, full_action_space=True),
    case("Boxing", 400, reward_clip=True, frame_skip=2),
    case("Breakout", 1500, frame_skip=1, full_action_space=True),
    case("Breakout", 500, frame_skip=5, use_inter_area_resize=False),
    case("Breakout", 500, frame_skip=16),
    case("Qbert", 500, stack_num=2, img_height=64, img_width=100),
    case("BeamRider", 300, stack_num=1, img_height=96, img_width=80),
    case("Seaquest", 300, gray_scale=False, use_inter_area_resize=False),
    case("Riverraid", 300, gray_scale=False, stack_num=1, img_height=210, img_width=160),
    case("Pong", 300, mode=1, difficulty=3),
    case("Freeway", 300, mode=3, difficulty=1),
    case("LostLuggage", 300, full_action_space=True),
    case("Pong", 200, max_episode_steps=50),
    case("Asterix", 300, frame_skip=3, full_action_space=True, stack_num=6),
    case("AirRaid", 200, gray_scale=False, use_inter_area_resize=False),
]
ALL = GAMES + CASES


def name(case: dict[str, Any]) -> str:
    return " ".join([case["task"], *(f"{key}={value}" for key, value in case["options"].items() if key != "noop_max")])


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Records the selected cases with the released EnvPool; returns the folder of the recordings."""
    folder = tmp_path_factory.mktemp("peer")
    wanted = [item.callspec.params["index"] for item in request.session.items if "theirs" in item.fixturenames]
    program = [PEER, "-W", "ignore", play_and_record.__file__, str(folder)]
    cases = json.dumps({index: ALL[index] for index in wanted})
    subprocess.run(program, input=cases, text=True, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.mark.parametrize("index", range(len(ALL)), ids=[name(case) for case in ALL])
def test_equals_the_released_envpool(theirs: Path, index: int) -> None:
    task, steps, options = ALL[index].values()
    env = envpool.make_gymnasium(task, img_height=0, stack_num=1)
    height = env.observation_space.shape[1]
    if height <= 210:
        ours = play_and_record.play(task, steps, options)
    else:
        size = (options.get("img_width", 84), options.get("img_height", 84))
        area = options.get("use_inter_area_resize", True)
        interpolation = cv2.INTER_AREA if area else cv2.INTER_LINEAR

        def cut_off(obs: Any) -> Any:
            """Converts our whole screens to EnvPool's images."""
            planes = obs.reshape(-1, height, 160)[:, :210]
            small = [cv2.resize(plane, size, interpolation=interpolation) for plane in planes]
            return np.stack(small).reshape(*obs.shape[:2], *size[::-1])

        ours = play_and_record.play(task, steps, {**options, "img_height": 0, "img_width": 0}, cut_off)
    with np.load(theirs / f"{index}.npz") as recorded:
        expected = dict(recorded)
    assert ours.keys() == expected.keys()
    for key, array in expected.items():
        assert (ours[key].dtype, ours[key].shape) == (array.dtype, array.shape), key
        same = (ours[key] == array).reshape(len(array), -1).all(1)
        assert same.all(), f"{key} first differs in step {np.argmin(same)}"
    if steps >= 1000 and task != "Pong-v5":
        assert expected["terminated"].sum() > 1, "the test is too short to reach the end of a game"
