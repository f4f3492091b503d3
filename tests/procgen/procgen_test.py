# SPDX-License-Identifier: Apache-2.0
"""Compares the games of Procgen with procgen2: images, rewards, ends and infos of each step, in the same levels."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import envpool
from envpool.procgen import art
from tests.procgen import reference
from tests.procgen.reference_levels import differences

# Levels that are played at the same time; 200 takes minutes, and each then has 1,000 steps.
LEVELS = int(os.environ.get("ENVPOOL_TEST_PROCGEN", "12"))
STEPS = 1000 if LEVELS >= 200 else 150

needs_reference = pytest.mark.skipif(reference.folder() is None, reason="needs procgen2")
pytestmark = pytest.mark.skipif(importlib.util.find_spec("envpool_assets") is None, reason="needs envpool-assets")

CASES = [
    ("maze", "easy", "random", {}),
    ("maze", "hard", "random", {}),
    ("maze", "memory", "random", {}),
    ("maze", "easy", "random", {"use_sequential_levels": True}),
    ("maze", "hard", "random", {"use_monochrome_assets": True}),
    ("maze", "memory", "random", {"use_backgrounds": False, "paint_vel_info": True, "center_agent": False}),
    ("bigfish", "easy", "random", {}),
    ("bigfish", "hard", "random", {}),
    ("bigfish", "hard", "random", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("bigfish", "easy", "random", {"restrict_themes": True, "use_sequential_levels": True}),
    ("bossfight", "easy", "shoot", {}),
    ("bossfight", "hard", "random", {}),
    ("bossfight", "hard", "shoot", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("bossfight", "easy", "shoot", {"restrict_themes": True, "use_sequential_levels": True}),
    ("caveflyer", "easy", "fly", {}),
    ("caveflyer", "hard", "fly", {}),
    ("caveflyer", "memory", "random", {}),
    ("caveflyer", "easy", "fly", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("caveflyer", "easy", "fly", {"restrict_themes": True, "use_sequential_levels": True}),
    ("caveflyer", "memory", "fly", {"center_agent": False, "use_backgrounds": False}),
    ("chaser", "easy", "random", {}),
    ("chaser", "hard", "random", {}),
    ("chaser", "extreme", "random", {}),
    ("chaser", "hard", "random", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("chaser", "extreme", "random", {"use_backgrounds": False, "use_sequential_levels": True}),
    ("coinrun", "easy", "right", {}),
    ("coinrun", "easy", "random", {"use_sequential_levels": True, "restrict_themes": True}),
    ("coinrun", "hard", "right", {}),
    ("coinrun", "hard", "random", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("coinrun", "hard", "right", {"restrict_themes": True, "use_sequential_levels": True}),
    ("coinrun", "hard", "right", {"center_agent": False, "use_backgrounds": False, "paint_vel_info": True}),
    ("dodgeball", "easy", "random", {}),
    ("dodgeball", "hard", "shoot", {}),
    ("dodgeball", "extreme", "shoot", {}),
    ("dodgeball", "memory", "shoot", {}),
    ("dodgeball", "memory", "shoot", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("dodgeball", "easy", "shoot", {"restrict_themes": True, "use_sequential_levels": True}),
    ("heist", "easy", "random", {}),
    ("heist", "hard", "random", {}),
    ("heist", "memory", "random", {}),
    ("heist", "easy", "random", {"use_monochrome_assets": True, "use_sequential_levels": True}),
    ("heist", "hard", "random", {"use_backgrounds": False, "restrict_themes": True, "paint_vel_info": True}),
    ("leaper", "easy", "jump", {}),
    ("leaper", "hard", "random", {}),
    ("leaper", "extreme", "jump", {}),
    ("leaper", "easy", "jump", {"restrict_themes": True, "use_sequential_levels": True}),
    ("leaper", "hard", "jump", {"use_monochrome_assets": True, "use_backgrounds": False, "paint_vel_info": True}),
    ("plunder", "easy", "shoot", {}),
    ("plunder", "hard", "shoot", {}),
    ("plunder", "hard", "random", {"use_monochrome_assets": True, "use_sequential_levels": True}),
    ("plunder", "easy", "shoot", {"use_backgrounds": False, "restrict_themes": True, "paint_vel_info": True}),
    ("fruitbot", "easy", "random", {}),
    ("fruitbot", "hard", "fire", {}),
    ("fruitbot", "hard", "random", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("fruitbot", "easy", "shoot", {"restrict_themes": True, "use_sequential_levels": True}),
    ("fruitbot", "hard", "random", {"center_agent": False, "use_backgrounds": False, "paint_vel_info": True}),
    ("starpilot", "easy", "shoot", {}),
    ("starpilot", "hard", "random", {}),
    ("starpilot", "extreme", "shoot", {}),
    ("starpilot", "hard", "shoot", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("starpilot", "hard", "shoot", {"restrict_themes": True, "use_sequential_levels": True}),
    ("starpilot", "extreme", "random", {"use_backgrounds": False, "center_agent": False}),
    ("miner", "easy", "random", {}),
    ("miner", "hard", "random", {}),
    ("miner", "memory", "random", {"center_agent": False}),
    ("miner", "easy", "random", {"use_sequential_levels": True, "restrict_themes": True}),
    ("miner", "hard", "random", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("climber", "easy", "jump", {}),
    ("climber", "hard", "jump", {}),
    ("climber", "easy", "random", {"use_sequential_levels": True, "restrict_themes": True}),
    ("climber", "hard", "jump", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("climber", "hard", "random", {"center_agent": False, "use_backgrounds": False}),
    ("ninja", "easy", "throw", {}),
    ("ninja", "hard", "throw", {}),
    ("ninja", "easy", "random", {"use_sequential_levels": True, "restrict_themes": True}),
    ("ninja", "hard", "throw", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("ninja", "hard", "throw", {"center_agent": False, "use_backgrounds": False}),
    ("jumper", "easy", "jump", {}),
    ("jumper", "hard", "jump", {}),
    ("jumper", "memory", "random", {}),
    ("jumper", "easy", "random", {"use_sequential_levels": True, "restrict_themes": True}),
    ("jumper", "easy", "jump", {"center_agent": False}),
    ("jumper", "hard", "jump", {"use_monochrome_assets": True, "paint_vel_info": True}),
    ("jumper", "hard", "random", {"center_agent": False, "use_backgrounds": False}),
]


@needs_reference
@pytest.mark.parametrize(("game", "mode", "policy", "options"), CASES)
def test_equal_the_reference(game, mode, policy, options):
    day = int(os.environ.get("ENVPOOL_TEST_DAY", "2026-01-01").replace("-", ""))
    assert differences(game, mode, policy, LEVELS, STEPS, seed=day % 100_000, **options) == []


@needs_reference
@pytest.mark.parametrize("game", ["maze", "caveflyer", "coinrun", "climber", "jumper", "ninja", "heist", "leaper"])
def test_exploration_is_the_reference_s_level(game):
    seeds = {"coinrun": 1949448038, "maze": 158988835, "climber": 1561126160}
    seeds |= {"caveflyer": 1259048185, "heist": 876640971, "leaper": 1318677581}
    seeds |= {"jumper": 1434825276, "ninja": 1123500215}
    theirs = reference.Reference(game, 1, "hard", num_levels=1, start_level=seeds[game])
    env = envpool.make(f"{game.capitalize()}Exploration-v0", num_envs=1, channel_first=False)
    obs, info = env.reset()
    assert info["level_seed"] == seeds[game]
    assert (obs == theirs.obs).all()
    theirs.close()


@pytest.mark.parametrize("task_id", ["BigfishEasy-v0", "ChaserHard-v0", "CoinrunEasy-v0", "MazeMemory-v0"])
def test_layouts_of_observations(task_id):
    images = []
    for channel_first in (True, False):
        env = envpool.make(task_id, num_envs=3, channel_first=channel_first)
        images.append(env.reset()[0])
    assert images[0].shape == (3, 3, 64, 64)
    assert (images[0].transpose(0, 2, 3, 1) == images[1]).all()
    assert envpool.make("procgen-maze-v0", num_envs=1).reset()[0].shape == (1, 64, 64, 3)


def test_levels_are_drawn_from_the_range():
    env = envpool.make("MazeEasy-v0", num_envs=2000, num_levels=7, start_level=100)
    counts = np.bincount(env.reset()[1]["level_seed"] - 100, minlength=7)
    assert counts.size == 7
    assert counts.min() > 200
    seeds = envpool.make("MazeEasy-v0", num_envs=2000).reset()[1]["level_seed"]
    assert np.unique(seeds).size == 2000
    assert seeds.min() >= 0
    assert abs(seeds.mean() / 2**31 - 0.5) < 0.03


def test_parameters_cannot_ask_for_levels_beyond_the_last_seed():
    """Options that conflict are refused by make, but cannot be in jit."""
    jax = pytest.importorskip("jax")
    env, params = envpool.jax.make("MazeEasy-v0")
    for count, first, least in ((3, 2**31 - 1, 2**31 - 4), (2**31 - 1, 2**31 - 1, 0), (2, 2**31 - 3, 2**31 - 3)):
        changed = params.replace(num_levels=count, start_level=first)
        _, states = env.reset_batch(jax.random.key(0), 64, changed)
        seeds = np.asarray(jax.vmap(env.get_info)(states)["level_seed"])
        assert least <= seeds.min() <= seeds.max() <= 2**31 - 2
        assert np.unique(seeds).size == min(count, 64)


def test_sequential_levels_go_on():
    env = envpool.make("MazeEasy-v0", num_envs=64, num_levels=1, use_sequential_levels=True, seed=3)
    env.reset()
    random = np.random.default_rng(0)
    completed = 0
    for _ in range(400):
        _, reward, terminated, truncated, info = env.step(random.integers(0, 9, 64).astype(np.int32))
        complete = info["prev_level_complete"] != 0
        completed += complete.sum()
        assert not (complete & (terminated | truncated)).any()
        assert (reward == 10 * complete).all()
        assert (info["level_seed"] - info["prev_level_seed"] == 997 * complete)[info["elapsed_step"] > 0].all()
    assert completed > 10


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"start_level": -1}, "start_level: expected"),
        ({"num_levels": -1}, "num_levels: expected"),
        ({"num_levels": 2**31}, "num_levels: expected"),
        ({"num_levels": 10, "start_level": 2**31 - 5}, "start_level: expected at most 2147483637 with num_levels=10"),
        ({"distribution_mode": "extreme"}, "distribution_mode: expected"),
        ({"distribution_mode": 3}, "distribution_mode: expected one of 0, 1, 2, 10, 20, got 3"),
        ({"distribution_mode": "exploration", "num_levels": 2}, "num_levels: expected 0 with distribution_mode"),
        ({"use_generated_assets": True}, "use_generated_assets: expected False"),
        ({"use_easy_jump": True}, "use_easy_jump: expected False"),
        ({"art": b"\1\0\0\0"}, "art: expected 12 images, got 0"),
        ({"art": b"\1\0\0\0" * 2 + b"\0" * 3}, "art: expected 12 images, got 0 and a part of one"),
        ({"art": b"\xff" * 64}, "art: expected 12 images, got one of 4294967295 x 4294967295 pixels"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(ValueError, match=r"^\[MazeEasy-v0\] ") as raised:
        envpool.make("MazeEasy-v0", **options)
    assert words in str(raised.value)


def test_options_of_envpool():
    env = envpool.make("MazeEasy-v0", num_envs=1, distribution_mode=10, use_generated_assets=False, use_easy_jump=False)
    assert env.config["distribution_mode"] == "memory"


@pytest.fixture
def other_art(tmp_path, monkeypatch):
    """A copy of the images, which replaces those that are installed."""
    installed = Path(next(iter(importlib.util.find_spec("envpool_assets").submodule_search_locations)))
    folder = tmp_path / "procgen" / "data" / "assets"
    for name in art._FILES["maze"][0]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(installed / "procgen" / "assets" / f"{name}.png", folder / f"{name}.png")
    (tmp_path / "procgen" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    art.read_art.cache_clear()
    yield folder
    art.read_art.cache_clear()


def test_a_truncated_image(other_art):
    envpool.make("MazeEasy-v0", num_envs=1)
    path = other_art / "misc_assets" / "cheese.png"
    whole = path.read_bytes()
    for size in (0, 7, 40, len(whole) // 2):
        path.write_bytes(whole[:size])
        art.read_art.cache_clear()
        with pytest.raises(
            envpool.MissingPackageError, match=r"^\[MazeEasy-v0\] (no image: .*cheese.png|wrong images)"
        ):
            envpool.make("MazeEasy-v0", num_envs=1)
    path.unlink()
    art.read_art.cache_clear()
    with pytest.raises(envpool.MissingPackageError, match="No such file"):
        envpool.make("MazeEasy-v0", num_envs=1)


def test_another_image(other_art):
    shutil.copy(other_art / "kenney/Enemies/mouse_move.png", other_art / "misc_assets" / "cheese.png")
    with pytest.raises(envpool.MissingPackageError, match="wrong images: those of maze in"):
        envpool.make("MazeEasy-v0", num_envs=1)


def test_without_the_package(monkeypatch):
    find = importlib.util.find_spec
    missing = ("procgen", "envpool_assets")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name in missing else find(name, *rest))
    art.read_art.cache_clear()
    with pytest.raises(
        envpool.MissingPackageError, match=r"needs the images of Procgen, .*: pip install envpool-assets"
    ):
        envpool.make("MazeEasy-v0", num_envs=1)
    art.read_art.cache_clear()


def test_spaces_need_no_images(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    art.read_art.cache_clear()
    assert envpool.make_spec("MazeEasy-v0").observation_space.shape == (3, 64, 64)
