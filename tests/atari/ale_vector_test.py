# SPDX-License-Identifier: Apache-2.0
"""Compares pools with ale-py's vector environment, and with the table of differences on the page about migration."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool

ale = pytest.importorskip("ale_py.vector_env")
PARAMETERS = {
    name: parameter.default
    for name, parameter in inspect.signature(ale.AtariVectorEnv).parameters.items()
    if parameter.default is not inspect.Parameter.empty
}
OUR_NAMES = {
    "frameskip": "frame_skip",
    "grayscale": "gray_scale",
    "maxpool": "max_pool",
    "reward_clipping": "reward_clip",
}
OTHER_DEFAULTS = {"reward_clipping", "autoreset_mode", "max_num_frames_per_episode"}
MISSING = {"life_loss_info", "continuous", "continuous_action_threshold"}


def table() -> str:
    source = os.environ.get("ENVPOOL_SOURCE_DIR")
    if not source:
        pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are")
    text = Path(source, "docs", "migration.md").read_text()
    return text.split("### From ale-py's AtariVectorEnv")[1].split("\n## ")[0]


def pair(**options: Any) -> tuple[Any, Any]:
    """Makes Breakout of ale-py and ours with the same options, under their own names."""
    ours = {OUR_NAMES.get(name, name): value for name, value in options.items()}
    return ale.AtariVectorEnv("breakout", 2, **options), envpool.make_vec("Breakout-v5", num_envs=2, **ours)


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_option_is_in_the_table(name: str) -> None:
    first_column = " ".join(row.split("|")[1] for row in table().splitlines() if row.startswith("| `"))
    default = PARAMETERS[name]
    assert re.search(rf"`{name}(=[^`]*)?`", first_column)
    if name in ("autoreset_mode", "batch_size"):
        return
    assert f"`{name}={default}`" in first_column
    config = envpool.make("Breakout-v5").config
    if name == "max_num_frames_per_episode":
        assert config["max_episode_steps"] * config["frame_skip"] == default
    elif name in MISSING:
        with pytest.raises(TypeError, match=f"unknown option '{name}'"):
            envpool.make("Breakout-v5", **{name: default})
    elif name == "num_threads":
        assert default == 0 and config[name] > 0
    else:
        assert (config[OUR_NAMES.get(name, name)] == default) == (name not in OTHER_DEFAULTS)


def test_arrays_of_a_step() -> None:
    theirs, ours = pair()
    for env in (theirs, ours):
        env.reset(seed=1)
    one, two = (env.step(np.ones(2, np.int64)) for env in (theirs, ours))
    for a, b in zip(one[:4], two[:4], strict=True):
        assert a.shape == b.shape
    assert [a.dtype for a in (one[0], *one[2:4])] == [b.dtype for b in (two[0], *two[2:4])]
    assert (one[1].dtype, two[1].dtype) == (np.int32, np.float32)
    assert theirs.single_observation_space == ours.single_observation_space
    assert theirs.action_space == ours.action_space and theirs.single_action_space == ours.single_action_space
    rows = dict(re.findall(r"^\| (.*?) \| (.*) \|$", table(), re.MULTILINE))
    (infos,) = (pair for pair in rows.items() if pair[0].startswith("`info`"))
    assert set(one[4]) == {*re.findall(r"`(\w+)`", infos[0])} - {"info"}
    named = {name for name in re.findall(r"`(\w+)`", infos[1]) if not name.startswith("_")}
    assert {name for name in two[4] if not name.startswith("_")} == named | {"players"}
    assert {"frame_number", "episode_frame_number"} <= set(envpool.make_vec("ALE/Breakout-v5", num_envs=1).reset()[1])


def test_colour_and_last_observations() -> None:
    theirs, ours = pair(grayscale=False, img_height=40, img_width=50)
    assert theirs.reset(seed=1)[0].shape == (2, 4, 40, 50, 3) and ours.reset(seed=1)[0].shape == (2, 12, 40, 50)
    theirs, ours = pair(autoreset_mode="SameStep", episodic_life=True, stack_num=1)
    rows = envpool.make("Breakout-v5", num_envs=2, autoreset_mode="same_step", episodic_life=True, stack_num=1)
    for env, dtype, shape in (
        (theirs, np.uint8, (2, 1, 84, 84)),
        (ours, object, (2,)),
        (rows, np.uint8, (2, 1, 84, 84)),
    ):
        env.reset(seed=1)
        for step in range(200):
            *_, terminated, _, info = env.step(np.array([step % 4, 1]))
            if terminated.any():
                assert info["final_obs"].dtype == dtype and info["final_obs"].shape == shape
                assert ("_final_obs" in info) == (env is not theirs)
                break
        else:
            raise AssertionError("no life was lost")


def test_calls_that_only_one_of_them_has() -> None:
    theirs, ours = pair()
    theirs.reset(options={"x": 1})
    with pytest.raises(ValueError, match="options"):
        ours.reset(options={"x": 1})
    with pytest.raises(TypeError):
        theirs.reset(seed=[1, 2])
    ours.reset(seed=[1, 2])
    with pytest.raises(NotImplementedError):
        theirs.render()
    with pytest.raises(ValueError):
        pair(autoreset_mode="Disabled")
    envpool.make_vec("Breakout-v5", num_envs=2, autoreset_mode="Disabled").reset()
