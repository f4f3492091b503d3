# SPDX-License-Identifier: Apache-2.0
"""Compares our ViZDoom with the package vizdoom, from equal seeds: screens, game variables, rewards and ends.

By default, the tests play a few steps of some scenarios. ENVPOOL_TEST_VIZDOOM=20 plays 20 episodes of every scenario,
each of at most 525 steps.
"""

from __future__ import annotations

import os
import queue
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import cv2
import gymnasium
import numpy as np
import pytest

import envpool
from envpool.vizdoom.registration import _GYMNASIUM, _OTHERS, SCENARIOS
from tests.support.samples import DAY

vizdoom = pytest.importorskip("vizdoom")
pytest.importorskip("vizdoom.gymnasium_wrapper")

EPISODES = int(os.environ.get("ENVPOOL_TEST_VIZDOOM", "0"))
VARIABLES = (
    *(f"AMMO{slot}" for slot in range(2, 8)),
    *("ARMOR", "DAMAGECOUNT", "DEATHCOUNT", "FRAGCOUNT", "HEALTH", "HITCOUNT", "KILLCOUNT"),
    *("SELECTED_WEAPON", "SELECTED_WEAPON_AMMO", "USER2"),
)
# Variables that the engine counts over all episodes of a process.
CUMULATIVE = ("HITCOUNT", "DAMAGECOUNT", "DEATHCOUNT")


def sample(names: tuple[str, ...], always: tuple[str, ...]) -> list[str]:
    """Returns all names if whole episodes are played; otherwise those in `always`, and one that depends on the date."""
    if EPISODES:
        return list(names)
    return [*always, random.Random(DAY).choice([name for name in names if name not in always])]


def id_of(scenario: str) -> str:
    return "".join(word.capitalize() for word in scenario.split("_")) + "-v1"


Made = TypeVar("Made")


def started(make: Callable[[], Made]) -> Made:
    """Returns what `make` returns, which starts the package's engine.

    The package waits forever for an engine that does not connect, which happens rarely. `make` is then called again.
    """
    for _ in range(3):
        made: queue.Queue[Made] = queue.Queue()
        threading.Thread(target=lambda made=made: made.put(make()), daemon=True).start()
        try:
            return made.get(timeout=40)
        except queue.Empty:
            continue
    raise TimeoutError("the package's engine has not started")


class Reference:
    """EnvPool's environment written with the package's DoomGame."""

    def __init__(self, settings: Path, spec: Any):
        options = spec.config
        self.game = game = vizdoom.DoomGame()
        game.load_config(str(settings))
        game.set_window_visible(False)
        game.set_mode(vizdoom.Mode.PLAYER)
        game.set_audio_buffer_enabled(False)
        game.add_game_args(options.game_args)
        if options.map_id:
            game.set_doom_map(options.map_id)
        self.frame_skip = options.frame_skip
        self.interpolation = cv2.INTER_AREA if options.use_inter_area_resize else cv2.INTER_LINEAR
        game.set_episode_timeout(0)
        for name in VARIABLES:
            game.add_available_game_variable(getattr(vizdoom.GameVariable, name))
        self.names = [variable.name for variable in game.get_available_game_variables()]
        self.size = spec.observation_space.shape[1:]
        self.weights = weights_of(spec)
        game.init()

    def reset(self, seed: int) -> np.ndarray:
        self.game.set_seed(seed)
        self.game.new_episode()
        values = self.read()
        self.base = {name: values[name] for name in CUMULATIVE}
        self.values = {name: values[name] - self.base.get(name, 0) for name in self.names}
        self.weapon, self.held = int(self.values["SELECTED_WEAPON"]), 1
        self.stack = [self.frame()] * 4
        return np.concatenate(self.stack)

    def read(self) -> dict[str, float]:
        return {name: self.game.get_game_variable(getattr(vizdoom.GameVariable, name)) for name in self.names}

    def frame(self) -> np.ndarray:
        screen = self.game.get_state().screen_buffer
        planes = screen[None] if screen.ndim == 2 else screen
        size = self.size[::-1]
        return np.stack([cv2.resize(plane, size, interpolation=self.interpolation) for plane in planes])

    def step(self, buttons: np.ndarray) -> tuple[np.ndarray, float, bool]:
        self.game.make_action([float(x) for x in buttons], self.frame_skip)
        now = {name: value - self.base.get(name, 0) for name, value in self.read().items()}
        reward = np.float32(0)
        for name in self.names:
            change = now[name] - self.values[name]
            if name == "HEALTH":
                if now[name] < 0:
                    now[name] = self.values[name] if self.values[name] >= 0 else 100
                change = now[name] - self.values[name]
            limit = {"DAMAGECOUNT": 200, "HITCOUNT": 5}.get(name)
            change = min(change, limit) if limit else change
            gain, loss = map(float, self.weights.get(name, (0, 0)))
            reward = reward + np.float32(change * gain) if change >= 0 else reward - np.float32(change * loss)
        weapon = int(now["SELECTED_WEAPON"])
        self.held = self.held + 1 if weapon == self.weapon else 1
        self.weapon, self.values = weapon, now
        if 0 <= weapon < 8 and self.held >= 5 and now["SELECTED_WEAPON_AMMO"] > 0:
            reward = reward + np.float32([0.0002, 0.0002, 0.0002, 0.001, 0.001, 0.001, 0.002, 0.002][weapon])
        done = self.game.is_episode_finished()
        if not done:
            self.stack = [*self.stack[1:], self.frame()]
        return np.concatenate(self.stack), float(reward), done


def weights_of(spec: Any) -> dict[str, tuple[np.float32, np.float32]]:
    parts = (part.split(":") for part in spec.config.reward_config.split(","))
    return {name: (np.float32(gain), np.float32(loss)) for name, gain, loss in parts}


def random_buttons(rng: np.random.Generator, names: list[str]) -> np.ndarray:
    held = [float(rng.integers(2)) if not name.endswith("DELTA") else float(rng.uniform(-8, 8)) for name in names]
    return np.array(held)


@pytest.mark.parametrize("scenario", sample(tuple(SCENARIOS), ("basic", "deathmatch", "simpler_basic")))
def test_episodes_equal_the_packages(scenario: str) -> None:
    play(id_of(scenario), Path(vizdoom.scenarios_path, f"{scenario}.cfg"), EPISODES or 2)


@pytest.mark.parametrize("task_id", _OTHERS)
def test_episodes_of_envpools_own_maps_equal_the_packages(task_id: str) -> None:
    """Compares with the settings and maps that EnvPool's package of data contains."""
    assets = pytest.importorskip("envpool_assets")
    name = re.sub(r"^(D\d)(\w+)-v1$", lambda parts: f"{parts[1]}_{parts[2].lower()}.cfg", task_id)
    play(task_id, Path(assets.__path__[0], "vizdoom", "maps", name), EPISODES or 1)


@pytest.mark.parametrize(
    "options", [{"map_id": "map02"}, {"frame_skip": 7, "use_inter_area_resize": False}], ids=["map_id", "frame_skip"]
)
def test_episodes_with_options_equal_the_packages(options: dict[str, Any]) -> None:
    play("Cig-v1", Path(vizdoom.scenarios_path, "cig.cfg"), EPISODES or 1, **options)


def play(task_id: str, settings: Path, episodes: int, **options: Any) -> None:
    """Plays episodes with random actions next to the package's game."""
    spec = envpool.make_spec(task_id, **options)
    reference = started(lambda: Reference(settings, spec))
    buttons = [button.name for button in reference.game.get_available_buttons()]
    rng = np.random.default_rng(5)
    limit = 525 if EPISODES else 40
    with envpool.make_gymnasium(task_id, num_envs=1, seed=11, autoreset_mode="disabled", **options) as env:
        for episode in range(episodes):
            obs, info = env.reset()
            want = reference.reset(int(info["seed"][0]))
            np.testing.assert_array_equal(obs[0], want)
            for step in range(limit):
                action = random_buttons(rng, buttons)
                obs, reward, terminated, truncated, info = env.step(action[None])
                want, want_reward, done = reference.step(action)
                assert (reward[0], terminated[0]) == (np.float32(want_reward), done), (episode, step)
                np.testing.assert_array_equal(obs[0], want)
                for name in reference.names:
                    assert info[name][0] == reference.values[name], (episode, step, name)
                assert truncated[0] == (step + 1 == 525)
                if done or truncated[0]:
                    break
    reference.game.close()


FORMS = tuple(f"Vizdoom{name}{form}-v1" for name in _GYMNASIUM for form in ("", "-MultiBinary"))


def actions_of(space: gymnasium.Space[Any], rng: np.random.Generator) -> Any:
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: actions_of(part, rng) for key, part in space.items()}
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(rng.integers(space.n))
    if isinstance(space, gymnasium.spaces.MultiBinary):
        return rng.integers(2, size=space.n).astype(np.int8)
    if isinstance(space, gymnasium.spaces.MultiDiscrete):
        return rng.integers(space.nvec).astype(np.int32)
    return rng.uniform(-8, 8, size=space.shape).astype(np.float32)


def batch_of(action: Any) -> Any:
    if isinstance(action, dict):
        return {key: batch_of(part) for key, part in action.items()}
    return np.asarray(action)[None].astype(np.int32 if isinstance(action, int) else np.asarray(action).dtype)


BUFFERS = {"depth_buffer_enabled": True, "labels_buffer_enabled": True, "automap_buffer_enabled": True}


@pytest.mark.parametrize("task_id", sample(FORMS, ("VizdoomBasic-v1", "VizdoomDeathmatch-MultiBinary-v1")))
@pytest.mark.parametrize("options", [{}, BUFFERS], ids=["screen", "all buffers"])
def test_episodes_equal_gymnasiums(task_id: str, options: dict[str, Any]) -> None:
    play_gymnasiums(task_id, EPISODES or 2, options, options)


CIG = {"game_args": "-deathmatch", "doom_map": "map02"}


@pytest.mark.parametrize(
    ("task_id", "options", "theirs"),
    [
        (
            "VizdoomTakeCover-v1",
            {**CIG, "wad_path": "cig.wad"},
            {**CIG, "doom_scenario_path": os.path.join(vizdoom.scenarios_path, "cig.wad")},
        ),
        ("VizdoomDefendCenter-v1", {"doom_skill": 5, "frame_skip": 8}, None),
        ("VizdoomBasic-v1", {"screen_format": "GRAY8", "screen_resolution": "RES_160X120", "frame_skip": 3}, None),
        ("VizdoomDeathmatch-v1", {"max_buttons_pressed": 2}, None),
        ("VizdoomBasic-MultiBinary-v1", {"use_multi_binary_action_space": False}, None),
    ],
    ids=["doom_map", "doom_skill", "screen", "max_buttons_pressed", "use_multi_binary_action_space"],
)
def test_options_equal_gymnasiums(task_id: str, options: dict[str, Any], theirs: dict[str, Any] | None) -> None:
    play_gymnasiums(task_id, EPISODES or 1, options, options if theirs is None else theirs)


@pytest.mark.parametrize("truncates", [True, False])
def test_time_limits_equal_gymnasiums(truncates: bool) -> None:
    options = {"treat_episode_timeout_as_truncation": truncates, "frame_skip": 50}  # the limit is 300 tics
    assert play_gymnasiums("VizdoomBasic-v1", 1, options, options, idle=True) == (6, True, truncates)


def play_gymnasiums(
    task_id: str, episodes: int, options: dict[str, Any], theirs: dict[str, Any], idle: bool = False
) -> tuple[int, bool, bool]:
    """Plays next to the package's environment. Returns the last episode's steps, and whether and how it ended."""
    limit = 525 if EPISODES else 25

    def make() -> Any:
        environment = gymnasium.make(task_id, **theirs).unwrapped
        environment.reset(seed=1)  # starts the engine
        return environment

    reference = started(make)
    rng = np.random.default_rng(6)
    with envpool.make_gymnasium(task_id, num_envs=1, seed=3, autoreset_mode="disabled", **options) as env:
        if isinstance(env.spec.action_space, gymnasium.spaces.MultiDiscrete):  # ours takes int32 instead of int64
            np.testing.assert_array_equal(env.spec.action_space.nvec, reference.action_space.nvec)
        else:
            assert env.spec.action_space == reference.action_space
        ours, spaces = env.spec.observation_space, reference.observation_space
        assert list(ours) == list(spaces)
        assert all(ours[key] == spaces[key] for key in spaces)
        for episode in range(episodes):
            obs, info = env.reset()
            reference.reset(seed=1)
            reference.game.set_seed(int(info["seed"][0]))
            reference.game.new_episode()
            reference.state = reference.game.get_state()
            want = reference._VizdoomEnv__collect_observations()
            for step in range(limit):
                for key, array in want.items():
                    np.testing.assert_array_equal(obs[key][0], array, err_msg=f"{key} {episode} {step}")
                action = 0 if idle else actions_of(reference.action_space, rng)
                obs, reward, terminated, truncated, info = env.step(batch_of(action))
                want, *rest, _ = reference.step(action)
                assert [reward[0], terminated[0], truncated[0]] == [np.float32(rest[0]), *rest[1:]], (episode, step)
                if rest[1] or rest[2]:
                    for key, array in want.items():
                        np.testing.assert_array_equal(obs[key][0], array)
                    break
    reference.close()
    return step + 1, bool(terminated[0]), bool(truncated[0])


def test_a_first_episode_equals_that_of_a_new_engine() -> None:
    """In the package, starting the engine begins the first episode. Ours begins all episodes in the same way."""
    reference = gymnasium.make("VizdoomDefendCenter-v1").unwrapped
    with envpool.make_gymnasium("VizdoomDefendCenter-v1", num_envs=1, seed=5) as env:
        obs, info = env.reset()

        def make() -> Any:
            game = vizdoom.DoomGame()
            game.load_config(os.path.join(vizdoom.scenarios_path, "defend_the_center.cfg"))
            game.set_window_visible(False)
            game.set_screen_format(vizdoom.ScreenFormat.RGB24)
            game.set_seed(int(info["seed"][0]))
            game.init()
            return game

        game = started(make)
        np.testing.assert_array_equal(obs["screen"][0], game.get_state().screen_buffer)
        for _ in range(40):
            obs, reward, *_ = env.step(np.zeros(1, np.int32) + 1)
            want = game.make_action([float(x) for x in reference.button_map[1]], 1)
            assert reward[0] == np.float32(want)
            np.testing.assert_array_equal(obs["screen"][0], game.get_state().screen_buffer)
        game.close()
    reference.close()
