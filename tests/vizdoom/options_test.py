# SPDX-License-Identifier: Apache-2.0
"""Tests ViZDoom's options: settings files, images, combined actions, and the errors of invalid options."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.python.errors import EnvError

pytest.importorskip("vizdoom")


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("cfg_path", "nope.cfg", "cfg_path: expected a file, or the name of one in .*, got 'nope.cfg'"),
        ("cfg_path", "", "cfg_path: expected a file"),
        ("wad_path", "nope.wad", "wad_path: expected a file"),
        ("wad_path", __file__, "wad_path: expected a WAD file, got"),
        ("iwad_path", __file__, "iwad_path: expected a WAD file, got"),
        ("vzd_path", "/nope", "vzd_path: expected a file"),
        ("map_id", "map01; quit", "map_id: expected the name of a map such as map01, got 'map01; quit'"),
        ("screen_resolution", "huge", "screen_resolution: expected a resolution such as RES_320X240, got 'huge'"),
        ("screen_resolution", "RES_640X480", "screen_resolution: expected at most 512 x 512 pixels, got 640 x 480"),
        ("screen_format", "YUV", "screen_format: expected"),
        ("lmp_save_dir", "/nope", "lmp_save_dir: expected an existing folder, got '/nope'"),
        ("reward_config", {"HEALTHY": (1, 2)}, "reward_config: expected names of game variables, got 'HEALTHY'"),
        ("reward_config", {"HEALTH": 1}, "reward_config: expected 2 numbers for 'HEALTH', got 1"),
        ("reward_config", {"HEALTH": (1, float("nan"))}, "reward_config: expected numbers, got 'HEALTH:1.0:nan'"),
        ("reward_config", {"HEALTH": (1, 1e39)}, "reward_config: expected numbers, got 'HEALTH:1.0:1e"),
        ("reward_config", [1], "reward_config: expected a str"),
        ("selected_weapon_reward_config", {11: 1}, "selected_weapon_reward_config: expected weapons from 0 to 9"),
        ("delta_button_config", {"ATTACK": (2, 0, 1)}, "delta_button_config: expected names of delta buttons"),
        ("delta_button_config", {"MOVE_UP_DOWN_DELTA": (0, 0, 1)}, "delta_button_config: expected a count"),
        ("delta_button_config", {"MOVE_UP_DOWN_DELTA": (2.5, 0, 1)}, "delta_button_config: expected a count"),
        ("stack_num", 0, "stack_num: expected an int from 1 to 64, got 0"),
        ("engine_timeout", 0, "engine_timeout: expected an int from 1 to 3600, got 0"),
    ],
)
def test_invalid_options(option: str, value: Any, text: str) -> None:
    with pytest.raises((ValueError, TypeError), match=rf"\[Basic-v1\] {text}"):
        envpool.make("Basic-v1", num_envs=1, **{option: value})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "expected available_buttons in the settings"),
        ("available_buttons = { ATTACK FLY }", "expected a button in line 1 of .*, got 'FLY'"),
        ("\nliving_reward = lots", "expected a number in line 2 of .*, got 'lots'"),
        ("available_buttons = { ATTACK\n", "expected a list that ends with }"),
        ("available_buttons = ATTACK }", "expected a list that begins with {"),
        ("nonsense", "expected key = value in line 1 of .*, got 'nonsense'"),
        ("speed = 3", "expected a setting of ViZDoom in line 1 of .*, got 'speed = 3'"),
        ("doom_skill = 6", "expected an integer from 1 to 5 in line 1 of .*, got '6'"),
        ("render_hud = maybe", "expected true or false in line 1 of .*, got 'maybe'"),
        ("screen_format = RGB", "expected one of crcgcb, .* in line 1 of .*, got 'RGB'"),
        ("available_game_variables = { LUCK }", "expected a game variable in line 1 of .*, got 'LUCK'"),
        ("available_buttons = { ATTACK }\ndoom_map = a b", "expected the name of a map such as map01, got 'a b'"),
    ],
)
def test_invalid_settings(content: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.cfg"
    path.write_text(content)
    with pytest.raises(ValueError, match=rf"\[VizdoomCustom-v1\] cfg_path: {text}"):
        envpool.make("VizdoomCustom-v1", num_envs=1, cfg_path=path)


def test_engines_that_cannot_start(tmp_path: Path) -> None:
    hangs = tmp_path / "hangs"
    hangs.write_text("#!/bin/sh\nexec sleep 60\n")
    hangs.chmod(0o755)
    for options, text in (
        ({"vzd_path": "/bin/true"}, "ViZDoom's engine ended with status 0: it did not start"),
        ({"vzd_path": __file__}, "cannot start .*: Permission denied"),
        ({"vzd_path": hangs, "engine_timeout": 1}, "ViZDoom's engine did not start within 1 s"),
        ({"map_id": "map99"}, "ViZDoom's engine did not load the map 'map99'"),
    ):
        with (
            envpool.make_gymnasium("Basic-v1", num_envs=1, **options) as env,
            pytest.raises(EnvError, match=rf"\[Basic-v1\] environment 0: {text}"),
        ):
            env.reset()


def test_a_scenario_of_the_users(tmp_path: Path) -> None:
    path = tmp_path / "own.cfg"
    path.write_text(
        "Available_Buttons = {\n TURN_LEFT_RIGHT_DELTA\n # comment\n MOVE_FORWARD } \nscreenFormat = gray8\n"
        "available_game_variables = { POSITION_X }\navailable_game_variables += { ANGLE }\nepisodeStartTime = 5\n"
        "game_args += +sv_noautoaim 1\n"
    )
    with envpool.make_gymnasium(
        "VizdoomCustom-v1",
        num_envs=1,
        cfg_path=path,
        wad_path="my_way_home.wad",
        img_height=60,
        img_width=90,
        stack_num=2,
    ) as env:
        assert env.spec.observation_space.shape == (2, 60, 90)
        assert env.spec.action_space.shape == (2,)
        obs, info = env.reset()
        assert obs.shape == (1, 2, 60, 90)
        start = info["ANGLE"][0]
        obs, _, _, _, info = env.step(np.array([[10.0, 0]]))
        assert (start - info["ANGLE"][0]) % 360 == pytest.approx(10, abs=0.1)
        assert not np.array_equal(obs[0, 0], obs[0, 1])


@pytest.mark.parametrize("number", [1, 8])
def test_arguments_that_change_the_screen(number: int) -> None:
    expected = f"game_args that leave the screen as it is, 320 x 240 pixels in format 0, got .* in format {number}"
    env = envpool.make("Basic-v1", num_envs=1, game_args=f"+viz_screen_format {number}")
    with env, pytest.raises(EnvError, match=rf"\[Basic-v1\] environment 0: expected {expected}"):
        env.reset()


def test_combined_actions() -> None:
    # MOVE_RIGHT and MOVE_LEFT are opposite, and come after ATTACK in the engine's order of buttons.
    with envpool.make_gymnasium("SimplerBasic-v1", num_envs=6, use_combined_action=True, seed=1) as env:
        assert env.spec.action_space.n == 6
        env.reset()
        combined = env.step(np.arange(6))
    buttons = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1]]  # MOVE_LEFT, MOVE_RIGHT, ATTACK
    with envpool.make_gymnasium("SimplerBasic-v1", num_envs=6, seed=1) as env:
        env.reset()
        single = env.step(np.array(buttons, np.float64))
    np.testing.assert_array_equal(combined[0], single[0])
    spec = envpool.make_spec(
        "Deathmatch-v1",
        use_combined_action=True,
        force_speed=True,
        delta_button_config={"TURN_LEFT_RIGHT_DELTA": (3, -10, 10)},
    )
    assert spec.action_space.n == 2 * 2 * 3**3 * 7 * 3 * 3  # ATTACK, STRAFE, three pairs, weapons, another pair, a turn


def test_combined_actions_of_a_scenario(tmp_path: Path) -> None:
    path = tmp_path / "own.cfg"
    path.write_text(
        "available_buttons = { MOVE_FORWARD SPEED TURN_LEFT_RIGHT_DELTA }\n"
        "available_game_variables = { POSITION_X POSITION_Y ANGLE }\n"
    )

    def moves(actions: Any, **options: Any) -> np.ndarray:
        """Returns how each environment has moved after ten equal steps."""
        given = {"cfg_path": path, "wad_path": "my_way_home.wad", "num_envs": len(actions), "seed": [4] * len(actions)}
        with envpool.make_gymnasium("VizdoomCustom-v1", **given, **options) as env:
            infos = [env.reset()[1]] + [env.step(np.array(actions))[-1] for _ in range(10)]
        return np.array([[info[name] for name in ("POSITION_X", "POSITION_Y", "ANGLE")] for info in infos])

    combined = {"use_combined_action": True, "delta_button_config": {"TURN_LEFT_RIGHT_DELTA": (3, -4, 4)}}
    buttons = [[0.0, 0, -4], [0, 0, 0], [0, 0, 4], [1, 0, -4], [1, 0, 0], [1, 0, 4]]
    fast = [[forward, 1.0, turn] for forward, _, turn in buttons]
    # SPEED comes before MOVE_FORWARD, and a delta button last.
    single = moves([*buttons, *fast])
    np.testing.assert_array_equal(moves(range(12), **combined), single)
    np.testing.assert_array_equal(moves(range(6), **combined, force_speed=True), single[..., 6:])
    assert not np.array_equal(single[..., :6], single[..., 6:])


def test_rewards_for_weapons() -> None:
    options = {"reward_config": {"HEALTH": (0, 0)}, "selected_weapon_reward_config": {2: 0.5}, "weapon_duration": 3}
    with envpool.make_gymnasium("SimplerBasic-v1", num_envs=1, **options) as env:
        _, info = env.reset()
        assert info["SELECTED_WEAPON"][0] == 2
        assert [env.step(np.zeros((1, 3)))[1][0] for _ in range(3)] == [0, 0.5, 0.5]  # the reset counts


def test_a_death_ends_an_episode_with_and_without_episodic_life() -> None:
    def play(**options: Any) -> list[bytes]:
        rows: list[bytes] = []
        with envpool.make_gymnasium("DefendTheCenter-v1", num_envs=1, seed=2, frame_skip=20, **options) as env:
            env.reset()
            ended = False
            while not ended:
                obs, reward, terminated, _, info = env.step(np.zeros((1, 3)))
                rows.append(obs.tobytes() + reward.tobytes() + info["HEALTH"].tobytes())
                ended = terminated[0]
                assert len(rows) < 100
            _, _, _, _, info = env.step(np.zeros((1, 3)))
            assert info["elapsed_step"][0] == 0
            rows.append(info["seed"].tobytes())
        return rows

    assert play(episodic_life=True) == play(episodic_life=False)


def test_maps_that_are_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "envpool_assets" else find(name))
    assert envpool.make_spec("D1Basic-v1").observation_space.shape == (4, 84, 84)
    with pytest.raises(
        envpool.MissingPackageError,
        match=r"\[D3Battle-v1\] needs EnvPool's map D3_battle.wad, .*: pip install envpool-assets, or pass its path as",
    ):
        envpool.make("D3Battle-v1", num_envs=1)
    scenario = find("vizdoom").submodule_search_locations[0] + "/scenarios/deathmatch.wad"
    own = tmp_path / "own.wad"
    own.write_bytes(Path(scenario).read_bytes())
    with envpool.make_gymnasium("D3Battle-v1", num_envs=1, wad_path=own) as env:
        obs, _ = env.reset()
        assert obs.std() > 10


def test_rewards_of_the_users() -> None:
    with envpool.make_gymnasium(
        "HealthGathering-v1", num_envs=1, reward_config={"HEALTH": (2, -3)}, weapon_duration=1000
    ) as env:
        _, info = env.reset()
        health = info["HEALTH"][0]
        rewards = []
        for _ in range(12):
            _, reward, _, _, info = env.step(np.zeros((1, 3)))
            change = info["HEALTH"][0] - health
            health = info["HEALTH"][0]
            assert reward[0] == (2 * change if change >= 0 else 3 * change)
            rewards.append(reward[0])
        assert min(rewards) < 0


def test_there_are_no_snapshots() -> None:
    with envpool.make_gymnasium("Basic-v1", num_envs=1) as env:
        env.reset()
        with pytest.raises(RuntimeError, match=r"\[Basic-v1\] snapshot: .* save its state, because ViZDoom's engine"):
            env.snapshot(0)


def test_rendering() -> None:
    for task_id in ("SimplerBasic-v1", "Basic-v1", "VizdoomBasic-v1"):
        with envpool.make_gymnasium(task_id, num_envs=1, render_mode="rgb_array") as env:
            obs, _ = env.reset()
            image = env.render()
            assert np.asarray(image).shape[-3:] == (240, 320, 3)
            if task_id == "VizdoomBasic-v1":
                np.testing.assert_array_equal(np.asarray(image).reshape(240, 320, 3), obs["screen"][0])
            assert np.asarray(image).std() > 10
