# SPDX-License-Identifier: Apache-2.0
"""Tests that images equal those of gymnasium's AtariPreprocessing and FrameStackObservation with ale-py, bit for bit.

No-ops, FIRE at resets and sticky actions are disabled. Frame skip, pixelwise maximum, image size, gray scale and stack
have their default values, which both sides share. One kind of image is not compared: if a game ends before the last two
frames of a skip, gymnasium shows the contents of its buffers, while we repeat the latest image, as EnvPool does.
"""

from __future__ import annotations

import numpy as np
import pytest

import envpool

ale_py = pytest.importorskip("ale_py")
pytest.importorskip("cv2")
gymnasium = pytest.importorskip("gymnasium")

from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation  # noqa: E402

GAMES = (
    "Pong Breakout SpaceInvaders Seaquest Qbert BeamRider Asterix Freeway MsPacman Riverraid Boxing Pitfall2 "
    "MontezumaRevenge Enduro"
)


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("game", GAMES.split(" "))
def test_images_equal_those_of_gymnasium(game: str, seed: int) -> None:
    gymnasium.register_envs(ale_py)
    theirs = gymnasium.make(f"ALE/{game}-v5", frameskip=1, repeat_action_probability=0.0, max_num_frames_per_episode=0)
    theirs = FrameStackObservation(AtariPreprocessing(theirs, noop_max=0), 4)
    ours = envpool.make_gymnasium(f"{game}-v5", num_envs=1, seed=seed, noop_max=0, use_fire_reset=False)
    rng = np.random.default_rng(seed)
    expected, _ = theirs.reset()
    obs, _ = ours.reset()
    assert obs.shape == (1, *expected.shape) and ours.action_space.n == theirs.action_space.n
    compared = 0
    for step in range(250):
        assert np.array_equal(obs[0], expected), f"{game}, seed {seed}, observation {step}"
        compared += 1
        action = int(rng.integers(theirs.action_space.n))
        expected, reward, terminated, _, _ = theirs.step(action)
        obs, our_reward, our_terminated, _, _ = ours.step(np.array([action], np.int32))
        assert (our_reward[0], our_terminated[0]) == (reward, terminated)
        if terminated:
            assert np.array_equal(obs[0, :3], expected[:3])
            expected, _ = theirs.reset()
            obs = ours.step(np.array([0], np.int32))[0]
    assert compared == 250
    ours.close()
    theirs.close()
