# SPDX-License-Identifier: Apache-2.0
"""Tests the images of environments that are boards or diagrams: those of toy_text, bsuite and misc."""

import numpy as np
import pytest

import envpool
from envpool.python.registry import find

AGENT, GOAL, WALL, BLUE = (208, 74, 52), (240, 178, 48), (74, 82, 96), (52, 104, 178)

# Where the observation says that things are: {color: [(row, column), ...]}, and the rows and columns of the board.
BOARDS = {
    "FrozenLake-v1": ((4, 4), lambda obs: {AGENT: [divmod(obs, 4)], GOAL: [(3, 3)]}),
    "CliffWalking-v1": ((4, 12), lambda obs: {AGENT: [divmod(obs, 12)], GOAL: [(3, 11)], WALL: [(3, 1), (3, 10)]}),
    "NChain-v0": ((1, 5), lambda obs: {AGENT: [(0, int(obs))], GOAL: [(0, 4)]}),
    "Catch-v0": ((10, 5), lambda obs: of_catch(obs)),
    "Catch-bsuite": ((10, 5), lambda obs: of_catch(obs)),
    "DeepSea-bsuite": ((8, 8), lambda obs: {AGENT: np.argwhere(obs), GOAL: [(7, 7)]} if obs.any() else {}),
    "FourRooms-misc": ((13, 13), lambda obs: {AGENT: [obs[:2]], GOAL: [obs[2:]], WALL: [(0, 0), (6, 3), (7, 10)]}),
}


def of_catch(obs):
    if not obs[:-1].any():  # the ball is in the last row, where it may hide the paddle
        return {}
    return {AGENT: np.argwhere(obs[:-1]), BLUE: np.argwhere(obs[-1:]) + [9, 0]}


def played(task_id, steps=60, **options):
    """Yields the observation and the image of an environment with random actions."""
    env = envpool.make_gymnasium(task_id, num_envs=1, seed=5, render_mode="rgb_array", **options)
    env.action_space.seed(3)
    obs = env.reset()[0]
    for _ in range(steps):
        row = {name: part[0] for name, part in obs.items()} if isinstance(obs, dict) else np.array(obs[0])
        yield row, env.render()[0]
        obs = env.step(np.array([env.action_space.sample()]))[0]


@pytest.mark.parametrize("task_id", BOARDS)
def test_a_board_shows_the_observation(task_id):
    (rows, columns), things_of = BOARDS[task_id]
    for obs, image in played(task_id):
        height, width, _ = image.shape
        assert (height % rows, width % columns) == (0, 0)
        seen = {
            tuple(int(at) for at in cell) for color, cells in things_of(obs).items() for cell in cells if color == AGENT
        }
        for color, cells in things_of(obs).items():
            for row, column in cells:
                if color != AGENT and (row, column) in seen:
                    continue  # the agent hides the goal
                middle = image[int((row + 0.5) * height / rows), int((column + 0.5) * width / columns)]
                assert tuple(middle) == color, (obs, row, column)


@pytest.mark.parametrize("family", ["toy_text", "bsuite", "misc"])
def test_images_follow_the_state(family):
    ids = [task_id for task_id in envpool.list_all_envs() if find(task_id).family == family]
    assert len(ids) >= 6
    for task_id in ids:
        pairs = list(played(task_id, 30))
        images = {image.tobytes() for _, image in pairs}
        assert len({image.shape for _, image in pairs}) == 1
        assert len(images) >= 2, task_id
        for obs, image in pairs:  # equal images of a board mean equal positions
            others = [other for other, shown in pairs if task_id in BOARDS and shown.tobytes() == image.tobytes()]
            assert all(np.array_equal(obs, other) for other in others), task_id


@pytest.mark.parametrize("arms", [11, 1, 3000])
def test_simple_bandit_shows_the_last_arm_and_its_reward_only(arms):
    columns, (height, width) = min(arms, 100), (160, 400)
    image_of_arm = {}
    for seed in (1, 2):
        env = envpool.make_gymnasium(
            "SimpleBandit-bsuite", num_envs=1, num_actions=arms, render_mode="rgb_array", autoreset_mode="same_step"
        )
        env.reset(seed=seed)
        before = env.render()[0]
        assert not (before == GOAL).all(-1).any() and not (before == BLUE).all(-1).any()
        image_of_arm[seed] = before.tobytes()
        for arm in range(0, arms, max(1, arms // 9)):
            reward = float(env.step(np.array([arm]))[1][0])
            image = env.render()[0]
            column = arm * columns // arms
            marked = np.flatnonzero((image[20] == GOAL).all(-1) | (image[20] == BLUE).all(-1))
            left, right = (10 + (column + share) * (width - 20) / columns for share in (0, 1))
            assert left < marked.min() and marked.max() < right
            bar = (image == BLUE).all(-1).sum(0).max()
            if columns < 50:  # narrower bars have no unblended pixel
                assert abs(bar - reward * (height - 28)) <= 3
            others = image[:, (np.arange(width) < left) | (np.arange(width) > right)]
            np.testing.assert_array_equal(others, before[:, (np.arange(width) < left) | (np.arange(width) > right)])
    assert image_of_arm[1] == image_of_arm[2]  # the order of the rewards is hidden


@pytest.mark.parametrize(
    "task_id, options, shape",
    [
        ("Catch-v0", {"height": 1024, "width": 1}, (512, 1)),
        ("Catch-v0", {"height": 2, "width": 600}, (1, 512)),
        ("NChain-v0", {"n": 1 << 30}, (1, 512)),
        ("NChain-v0", {"n": 1}, (64, 64)),
        ("FrozenLake-v1", {"desc": ["S" * 500, "G" * 500]}, (2, 500)),
        ("FrozenLake-v1", {"desc": ["SG"] * 3000}, (512, 1)),
        ("MetaMaze-misc", {"maze_size": 1023, "rf_size": 501}, (512, 512)),
        ("Pong-misc", {"width": 1024, "height": 9}, (4, 512)),
        ("DeepSea-bsuite", {"size": 1024}, (512, 512)),
        ("SimpleBandit-bsuite", {"num_actions": 5000}, (160, 400)),
        ("MemoryChain-bsuite", {"num_bits": 64}, (160, 400)),
        ("Reacher-misc", {"num_joints": 256}, (400, 400)),
        ("Swimmer-misc", {"num_urchins": 0}, (400, 400)),
    ],
)
def test_images_of_unusual_sizes(task_id, options, shape):
    images = [image for _, image in played(task_id, 3, **options)]
    assert images[-1].shape == (*shape, 3)
    assert len(np.unique(images[-1].reshape(-1, 3), axis=0)) > 1


def test_blackjack_shows_the_sum():
    """Equal hands have equal images, and other sums have other images, because the image contains the sum."""
    seen = {}
    for obs, image in played("Blackjack-v1", 200):
        sum_of_player = image[100:, 326:]  # right of the player's cards
        seen.setdefault((int(obs[0]), int(obs[2])), set()).add(sum_of_player.tobytes())
    assert len(seen) > 15
    assert all(len(images) == 1 for images in seen.values())
    assert len(set.union(*seen.values())) == len(seen)


def test_taxi_shows_the_passenger():
    rider, image_of = (60, 40, 90), {}
    for obs, image in played("Taxi-v3", 600):
        row, column, passenger = obs // 100, obs // 20 % 5, obs // 4 % 5
        at = (row, column) if passenger == 4 else ((0, 0), (0, 4), (4, 0), (4, 3))[passenger]
        image_of.setdefault(int(obs), image)
        assert np.array_equal(image_of[int(obs)], image)
        if passenger == 4 or at != (row, column):  # otherwise the taxi hides the passenger
            assert tuple(image[at[0] * 64 + 32, at[1] * 64 + 32]) == rider, obs
    assert len(image_of) > 30
