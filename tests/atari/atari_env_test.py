# SPDX-License-Identifier: Apache-2.0
"""Compares Atari environments, as users make them, with the same pipeline written with ale-py and cv2."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import envpool
from envpool.atari.registration import ROMS

ale_py = pytest.importorskip("ale_py")
cv2 = pytest.importorskip("cv2")

Image = npt.NDArray[np.uint8]


def task_id(game: str) -> str:
    return "".join(word.capitalize() for word in game.split("_")) + "-v5"


class Pipeline:
    """A reference implementation in Python. Only the number of no-ops of a reset has to be passed in."""

    def __init__(self, game: str, **options: Any) -> None:
        self.skip: int = options.get("frame_skip", 4)
        self.pooled = 2 if options.get("max_pool", True) else 1
        self.ram: bool = options.get("obs_type") == "ram"
        self.gray: bool = options.get("gray_scale", True)
        self.size = (options.get("img_width", 84), options.get("img_height", 84))
        area = options.get("use_inter_area_resize", True)
        self.interpolation = cv2.INTER_AREA if area else cv2.INTER_LINEAR
        self.episodic: bool = options.get("episodic_life", False)
        self.clip: bool = options.get("reward_clip", False)
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        self.ale = ale_py.ALEInterface()
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.setInt("random_seed", 1)
        self.ale.loadROM(str(Path(ale_py.__file__).parent / "roms" / f"{game}.bin"))
        if options.get("mode", -1) >= 0:
            self.ale.setMode(options["mode"])
        if options.get("difficulty", -1) >= 0:
            self.ale.setDifficulty(options["difficulty"])
        full = options.get("full_action_space", False)
        self.actions = self.ale.getLegalActionSet() if full else self.ale.getMinimalActionSet()
        self.fire = options.get("use_fire_reset", True) and ale_py.Action.FIRE in self.actions
        self.stack: deque[Image] = deque(maxlen=options.get("stack_num", 4))
        self.life_lost = False
        self.lives = 0

    def screen(self) -> Image:
        image: Image = self.ale.getScreenGrayscale() if self.gray else self.ale.getScreenRGB()
        return image

    def push(self, screens: list[Image]) -> None:
        if self.ram:
            self.stack.append(self.ale.getRAM()[None])
            return
        if 0 in self.size:
            height, width = screens[0].shape[:2]
            self.size = (self.size[0] or width, self.size[1] or height)
        small = cv2.resize(np.maximum.reduce(screens), self.size, interpolation=self.interpolation)
        self.stack.append(small[None] if self.gray else small.transpose(2, 0, 1))

    @property
    def obs(self) -> Image:
        return np.concatenate(list(self.stack))

    def reset(self, noops: int) -> None:
        new_game = not self.life_lost or self.ale.game_over()
        if new_game:
            self.ale.reset_game()
        for _ in range(noops):
            self.ale.act(ale_py.Action.NOOP)
            if self.ale.game_over():
                self.ale.reset_game()
                new_game = True
        if self.fire:
            self.ale.act(ale_py.Action.FIRE)
        self.push([self.screen()])
        if new_game:
            self.stack.extend([self.stack[-1]] * (self.stack.maxlen or 1))
        self.lives, self.life_lost = self.ale.lives(), False

    def step(self, action: int) -> tuple[float, float, bool]:
        """Returns the clipped reward, the unclipped reward, and whether the episode is over."""
        score = 0.0
        screens = []
        for left in reversed(range(self.skip)):
            score += self.ale.act(self.actions[action])
            if left < self.pooled:
                screens.append(self.screen())
            if self.ale.game_over():
                break
        if screens or self.ram:
            self.push(screens)
        else:  # the game ended before the frames that make up the image
            self.stack.append(self.stack[-1])
        lives = self.ale.lives()
        self.life_lost = self.episodic and 0 < lives < self.lives
        self.lives = lives
        return float(np.sign(score)) if self.clip else score, score, self.life_lost or self.ale.game_over()


def check(game: str, steps: int, seed: int, **options: Any) -> int:
    """Plays both environments; returns the number of episodes that ended."""
    options = {"noop_max": 1, **options}
    env = envpool.make_gymnasium(task_id(game), num_envs=1, seed=seed, **options)
    reference = Pipeline(game, **options)
    noops = 0 if reference.fire else 1
    assert env.action_space.n == len(reference.actions)
    obs, info = env.reset()
    reference.reset(noops)
    rng = np.random.default_rng(seed)
    action = episodes = 0
    over = False
    for step in range(steps + 1):
        assert np.array_equal(obs[0], reference.obs), f"{game}: observation {step} of {options}"
        assert np.array_equal(info["ram"][0], reference.ale.getRAM())
        assert info["lives"][0] == reference.ale.lives()
        assert info["terminated"][0] == reference.ale.game_over(with_truncation=False)
        if rng.random() < 0.4:
            action = int(rng.integers(env.action_space.n))
        obs, reward, terminated, truncated, info = env.step(np.array([action], np.int32))
        if over:  # this step was the reset
            reference.reset(noops)
            expected = (0.0, 0.0, False)
        else:
            expected = reference.step(action)
        over = expected[2]
        episodes += over
        assert (reward[0], info["reward"][0], terminated[0]) == expected, f"{game}: step {step} of {options}"
        assert not truncated[0]
    env.close()
    return episodes


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("game", ROMS)
def test_every_game(game: str) -> None:
    check(game, 60, 1)


CASES: list[dict[str, Any]] = [
    {"game": "pong"},
    {"game": "pong", "gray_scale": False},
    {"game": "pong", "mode": 1, "difficulty": 3},
    {"game": "breakout", "frame_skip": 1, "stack_num": 1},
    {"game": "breakout", "frame_skip": 2, "use_inter_area_resize": False},
    {"game": "breakout", "episodic_life": True, "reward_clip": True},
    {"game": "breakout", "use_fire_reset": False, "full_action_space": True},
    {"game": "space_invaders", "episodic_life": True, "stack_num": 3, "img_height": 105, "img_width": 80},
    {"game": "ms_pacman", "gray_scale": False, "img_height": 64, "img_width": 64, "episodic_life": True},
    {"game": "seaquest", "reward_clip": True, "gray_scale": False, "use_inter_area_resize": False},
    {"game": "qbert", "frame_skip": 3, "img_height": 210, "img_width": 160},
    {"game": "beam_rider", "frame_skip": 5, "episodic_life": True, "img_height": 250, "img_width": 200},
    {"game": "asterix", "frame_skip": 7, "full_action_space": True},
    {"game": "freeway", "mode": 3, "difficulty": 1},
    {"game": "lost_luggage", "full_action_space": True},
    {"game": "air_raid", "gray_scale": False, "episodic_life": True},
    {"game": "tic_tac_toe_3d", "frame_skip": 2},
    {"game": "tic_tac_toe_3d", "frame_skip": 3, "gray_scale": False},
    {"game": "journey_escape"},
    {"game": "breakout", "max_pool": False},
    {"game": "tic_tac_toe_3d", "max_pool": False, "frame_skip": 3},
    {"game": "breakout", "obs_type": "ram", "episodic_life": True},
    {"game": "pong", "obs_type": "ram", "stack_num": 1, "frame_skip": 2},
    {"game": "journey_escape", "img_height": 0, "img_width": 0, "stack_num": 2},
    {"game": "air_raid", "img_height": 0, "gray_scale": False, "max_pool": False},
]


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(f"{k}={v}" for k, v in case.items()))
def test_options(case: dict[str, Any]) -> None:
    options = dict(case)
    game = options.pop("game")
    steps = 2400 // options.get("frame_skip", 4)
    episodes = check(game, steps, 3, **options)
    if options.get("episodic_life") and game in ("breakout", "space_invaders", "ms_pacman"):
        assert episodes > 0, "the test is too short to reach the end of a life"


def test_game_over_within_a_frame_skip() -> None:
    """Compares games that end within a frame skip, at any of its frames."""
    for skip in (4, 6, 16):
        assert check("breakout", 30 * 200 // skip, 5, frame_skip=skip) > 0


def test_noops_are_uniform() -> None:
    """Every reset is ale-py's reset followed by 1 to 30 no-ops, with equal probability."""
    num_envs = 600
    env = envpool.make_gymnasium("Pong-v5", num_envs=num_envs, use_fire_reset=False, noop_max=30)
    _, info = env.reset()
    reference = Pipeline("pong")
    reference.ale.reset_game()
    after: dict[bytes, int] = {}
    for noops in range(1, 31):
        reference.ale.act(ale_py.Action.NOOP)
        after[reference.ale.getRAM().tobytes()] = noops
    counts = np.bincount([after[row.tobytes()] for row in info["ram"]], minlength=31)[1:]
    # Chi-squared with 29 degrees of freedom exceeds 58 with probability 0.001; the seed is fixed.
    assert ((counts - num_envs / 30) ** 2 / (num_envs / 30)).sum() < 58
    env.close()


def test_sticky_actions() -> None:
    """With probability 1, the agent's actions are ignored; with 0.25, trajectories depend on the seed."""
    actions = np.random.default_rng(0).integers(0, 4, 100).astype(np.int32)

    def memory(probability: float, seed: int, actions: npt.NDArray[np.int32] = actions) -> Image:
        options = {"noop_max": 1, "use_fire_reset": False, "seed": seed}
        env = envpool.make_gymnasium("Breakout-v5", repeat_action_probability=probability, **options)
        env.reset()
        rows = [env.step(np.array([action], np.int32))[4]["ram"][0].copy() for action in actions]
        env.close()
        return np.array(rows)

    assert np.array_equal(memory(1.0, 1), memory(0.0, 1, np.zeros_like(actions)))
    assert not np.array_equal(memory(0.25, 1), memory(0.0, 1))
    assert not np.array_equal(memory(0.25, 1), memory(0.25, 2))
    assert np.array_equal(memory(0.25, 1), memory(0.25, 1))


def test_a_reset_with_a_seed_repeats_the_trajectory() -> None:
    """A reset with a seed discards all earlier state, including that of the console's random number generator."""
    env = envpool.make_gymnasium("Breakout-v5", num_envs=2, seed=5, episodic_life=True)
    actions = np.random.default_rng(0).integers(0, 4, (400, 2)).astype(np.int32)

    def play() -> list[Any]:
        env.reset(seed=5)
        return [env.step(action)[0].copy() for action in actions]

    for first, second in zip(play(), play(), strict=True):
        assert np.array_equal(first, second)
    env.close()


@pytest.mark.parametrize("autoreset_mode", ["next_step", "same_step"])
def test_the_time_limit_and_elapsed_step_count_the_game(autoreset_mode: str) -> None:
    """With episodic_life they count across lost lives, as in EnvPool. A new game begins at the limit."""
    options = {"episodic_life": True, "max_episode_steps": 60}
    env = envpool.make_gymnasium("Breakout-v5", num_envs=2, seed=3, autoreset_mode=autoreset_mode, **options)
    env.reset()
    actions = np.random.default_rng(0).integers(0, 4, (600, 2)).astype(np.int32)
    in_game, begins, lost, truncations = np.zeros(2, int), np.zeros(2, bool), 0, 0
    rows = []
    for action in actions:
        obs, _, terminated, truncated, info = env.step(action)
        rows.append((obs.copy(), truncated.copy(), info["elapsed_step"].copy()))
        in_game += ~begins
        np.testing.assert_array_equal(info["elapsed_step"], in_game)
        np.testing.assert_array_equal(truncated, (in_game == 60) & ~begins)
        game_over = truncated | (info["terminated"] != 0)
        lost, truncations = lost + (terminated & ~game_over).sum(), truncations + truncated.sum()
        begins = (terminated | truncated) & (autoreset_mode == "next_step")
        in_game[game_over] = 0
    env.close()
    assert lost > 10
    assert truncations > 10
    jax = pytest.importorskip("jax")
    if autoreset_mode == "same_step":
        pure, params = envpool.jax.make("Breakout-v5", **options)
        state = pure.reset_batch(jax.random.key(3), 2, params)[1]
        step = jax.jit(lambda state, action: pure.step_batch(None, state, action, params))
        for action, (obs, _, elapsed) in zip(actions[:200], rows, strict=False):
            found, state, _, _, info = step(state, action)
            np.testing.assert_array_equal(found, obs)
            np.testing.assert_array_equal(info["elapsed_step"], elapsed)


def test_zero_discount_on_life_loss() -> None:
    options = {"zero_discount_on_life_loss": True, "noop_max": 1, "seed": 1}
    env = envpool.make_dm("Breakout-v5", num_envs=1, **options)
    step = env.reset()
    lives = step.observation.lives[0]
    lost = 0
    for index in range(600):
        step = env.step(np.array([1 + index % 3], np.int32))
        fell = step.observation.lives[0] < lives and step.step_type[0] == 1
        lost += fell
        assert step.discount[0] == (0 if fell or step.step_type[0] == 2 else 1)
        lives = step.observation.lives[0]
    assert lost > 0
    env.close()


def test_render() -> None:
    env = envpool.make_gymnasium("Pong-v5", num_envs=2, noop_max=1, render_mode="rgb_array", render_env_id=1)
    env.reset()
    reference = Pipeline("pong")
    reference.reset(0)
    image = np.asarray(env.render()).reshape(210, 160, 3)
    assert np.array_equal(image, reference.ale.getScreenRGB())
    env.close()


def test_render_with_memory_observations() -> None:
    """With memory observations, frames are drawn only when they are rendered."""
    env = envpool.make_gymnasium("Breakout-v5", noop_max=1, obs_type="ram", render_mode="rgb_array")
    env.reset()
    reference = Pipeline("breakout", obs_type="ram")
    reference.reset(0)
    for step in range(100):
        env.step(np.array([step % 4], np.int32))
        reference.step(step % 4)
        if step % 7 == 0:
            assert np.array_equal(np.asarray(env.render())[0], reference.ale.getScreenRGB())
    env.close()


def test_taller_screens_are_cut_off_as_in_envpool() -> None:
    """Thirteen games have more than 210 rows, of which EnvPool renders the first 210."""
    options = {"noop_max": 1, "render_mode": "rgb_array"}
    env = envpool.make_gymnasium("AirRaid-v5", img_height=210, img_width=160, **options)
    whole = envpool.make_gymnasium("AirRaid-v5", render_whole_screen=True, **options)
    env.reset(), whole.reset()
    reference = Pipeline("air_raid")
    reference.reset(0)
    screen = reference.ale.getScreenRGB()
    assert screen.shape == (250, 160, 3)
    assert np.array_equal(whole.render()[0], screen)
    assert np.array_equal(env.render()[0], screen[:210])
    tall = [
        task_id
        for task_id in envpool.list_all_envs()
        if task_id.startswith("ALE/") and envpool.make_spec(task_id).observation_space.shape[0] > 210
    ]
    assert len(tall) == 13
    pong = envpool.make_gymnasium("Pong-v5", render_whole_screen=True, **options)
    pong.reset()
    assert pong.render().shape == (1, 210, 160, 3)
