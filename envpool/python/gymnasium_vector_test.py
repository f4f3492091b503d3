# SPDX-License-Identifier: Apache-2.0
"""gymnasium's own door, checks and vector wrappers, over a pool."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers import vector as wrappers

import envpool
import envpool.testing.registration  # noqa: F401  (registers the test environments)

TASKS = ["Counter-v1", "Zoo-v0"]
MODES = list(AutoresetMode)


def play(envs, steps, seed=3):
    """Checks every return of a run against what gymnasium says a VectorEnv returns."""
    assert isinstance(envs, VectorEnv)
    observation, info = envs.reset(seed=seed)
    assert envs.observation_space.contains(observation)
    assert isinstance(info, dict)
    envs.action_space.seed(seed)
    returns = []
    for _ in range(steps):
        result = envs.step(envs.action_space.sample())
        observation, reward, terminated, truncated, info = result
        assert envs.observation_space.contains(observation)
        assert reward.shape == terminated.shape == truncated.shape == (envs.num_envs,)
        assert terminated.dtype == truncated.dtype == np.bool_
        assert isinstance(info, dict)
        returns.append(result)
        if envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED and (terminated | truncated).any():
            envs.reset(options={"reset_mask": terminated | truncated})
    return returns


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", TASKS)
def test_spaces_are_batched(task_id, mode):
    envs = gymnasium.make_vec("envpool/" + task_id, num_envs=3, autoreset_mode=mode)
    assert envs.num_envs == 3
    assert envs.metadata["autoreset_mode"] is mode
    assert envs.observation_space == batch_space(envs.single_observation_space, 3)
    assert envs.action_space == batch_space(envs.single_action_space, 3)
    assert envs.spec.id == "envpool/" + task_id
    assert envs.unwrapped is envs
    play(envs, 30)
    envs.close()
    assert envs.closed


def test_envpools_door_is_the_same():
    a, b = envpool.make_vec("Zoo-v0", 2, seed=4), gymnasium.make_vec("envpool/Zoo-v0", num_envs=2, seed=4)
    for x, y in zip(play(a, 20), play(b, 20), strict=True):
        np.testing.assert_equal(x, y)


@pytest.mark.parametrize("order", ["import envpool, gymnasium", "import gymnasium, envpool", "import gymnasium"])
def test_ids_are_there_whichever_is_imported_first(order):
    # The form "module:id" imports the module first.
    code = (
        f"{order}; from gymnasium.envs.registration import _find_spec; print(_find_spec('envpool:envpool/Pong-v5').id)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.strip() == "envpool/Pong-v5", out.stderr


def test_a_process_that_imports_gymnasium_alone():
    """gymnasium looks for no plugins, so the id says what to import."""
    code = (
        "import gymnasium, sys; assert 'envpool' not in sys.modules\n"
        "envs = gymnasium.make_vec('envpool:envpool/CartPole-v1', num_envs=3)\n"
        "print(envs.reset(seed=1)[0].shape, envs.step([0, 1, 0])[1].tolist(), envs.spec.id)\n"
        "print(gymnasium.make_vec('envpool/CartPole-v1', num_envs=2).num_envs)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.split("\n")[:2] == ["(3, 4) [1.0, 1.0, 1.0] envpool/CartPole-v1", "2"], out.stderr


@pytest.mark.filterwarnings("error")
def test_gymnasium_has_nothing_to_warn_of():
    envs = gymnasium.make_vec("envpool/Zoo-v0", num_envs=2)
    play(envs, 3)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_record_episode_statistics(mode):
    envs = wrappers.RecordEpisodeStatistics(envpool.make_vec("Counter-v1", 2, step_reward=2.0, autoreset_mode=mode))
    envs.reset()
    lengths = []
    for _ in range(24):
        *_, info = envs.step(np.array([0, 0]))
        if "episode" in info:
            lengths += info["episode"]["l"][info["_episode"]].tolist()
            assert (info["episode"]["r"] == 2 * info["episode"]["l"]).all()
    assert lengths == [5] * 8


def test_record_episode_statistics_with_partial_resets():
    envs = wrappers.RecordEpisodeStatistics(envpool.make_vec("Counter-v1", 2, autoreset_mode="disabled"))
    envs.reset()
    envs.step(np.array([1, 0]))
    observation, _ = envs.reset(options={"reset_mask": np.array([True, False])})
    assert observation[:, 0].tolist() == [0, 1]
    assert envs.step(np.array([0, 0]))[0][:, 0].tolist() == [1, 2]


@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.NormalizeObservation,
        wrappers.NormalizeReward,
        lambda envs: wrappers.ClipReward(envs, -0.5, 0.5),
        lambda envs: wrappers.TransformReward(envs, lambda reward: reward * 2),
        wrappers.FlattenObservation,
        lambda envs: wrappers.ReshapeObservation(envs, (2, 1)),
        lambda envs: wrappers.TransformObservation(envs, lambda observation: observation * 2),
        lambda envs: wrappers.VectorizeTransformObservation(
            envs,
            gymnasium.wrappers.TransformObservation,
            func=lambda o: o + 1,
            observation_space=envs.single_observation_space,
        ),
        lambda envs: wrappers.VectorizeTransformReward(envs, gymnasium.wrappers.TransformReward, func=lambda r: r * 3),
    ],
)
def test_wrappers_over_arrays(wrap):
    envs = wrap(envpool.make_vec("Counter-v1", 3))
    play(envs, 15)


@pytest.mark.parametrize("mode", MODES)
def test_dict_info_to_list(mode):
    envs = wrappers.DictInfoToList(envpool.make_vec("Counter-v1", 3, autoreset_mode=mode))
    _, infos = envs.reset()
    assert [info["env_id"] for info in infos] == [0, 1, 2]
    assert [info["players"]["env_id"] for info in infos] == [0, 1, 2]
    *_, infos = envs.step(np.array([0, 1, 0]))
    assert len(infos) == 3
    assert [("final_obs" in info) for info in infos] == [False, mode is AutoresetMode.SAME_STEP, False]
    if mode is AutoresetMode.SAME_STEP:
        assert infos[1]["final_obs"].tolist() == [1, 1]
        assert infos[1]["final_info"]["luck"] > 0


def test_filter_observation_of_a_dict():
    envs = wrappers.FilterObservation(envpool.make_vec("Zoo-v0", 2), ["image", "cards"])
    observation, _ = envs.reset()
    assert set(observation) == {"image", "cards"}
    play(envs, 10)


@pytest.mark.parametrize("task_id", TASKS)
def test_final_observations_are_as_gymnasiums_own(task_id):
    envs = envpool.make_vec(task_id, 3, autoreset_mode="same_step")
    returns = play(envs, 60)
    ended = [result for result in returns if "final_obs" in result[-1]]
    assert ended
    for _, _, terminated, truncated, info in ended:
        done = terminated | truncated
        assert info["final_obs"].dtype == object
        assert info["_final_obs"].tolist() == info["_final_info"].tolist() == done.tolist()
        for i in range(3):
            if done[i]:
                assert envs.single_observation_space.contains(info["final_obs"][i])
            else:
                assert info["final_obs"][i] is None


@pytest.mark.parametrize("mode", MODES)
def test_partial_reset_returns_every_row(mode):
    envs = envpool.make_vec("Zoo-v0", 4, autoreset_mode=mode)
    with pytest.raises(RuntimeError, match="first reset"):
        envs.reset(options={"reset_mask": np.array([True, False, False, False])})
    before, _ = envs.reset(seed=1)
    mask = np.array([False, True, True, False])
    after, info = envs.reset(options={"reset_mask": mask})
    assert envs.observation_space.contains(after)
    assert info["env_id"].tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(before["image"][~mask], after["image"][~mask])
    assert (before["body"]["place"][mask] != after["body"]["place"][mask]).any()
    again, _ = envs.reset(seed=[1, 5, 6, 1], options={"reset_mask": mask})
    same, _ = envs.reset(seed=[5, 6], options={"reset_mask": mask})
    np.testing.assert_equal(again, same)
    np.testing.assert_array_equal(envs.reset(seed=1)[0]["image"], before["image"])


def test_disabled_keeps_rows_that_a_wrapper_wrote_into():
    envs = envpool.make_vec("Counter-v0", 2, autoreset_mode="disabled")
    envs.reset()
    observation = envs.step(np.array([1, 0]))[0]
    observation += 50
    observation, _ = envs.reset(options={"reset_mask": np.array([True, False])})
    assert observation[:, 0].tolist() == [0, 1]


def test_seeds_of_gymnasiums_door():
    envs = gymnasium.make_vec("envpool/Counter-v0", num_envs=3)
    first = envs.reset(seed=11)[1]["luck"].tolist()
    assert envs.reset()[1]["luck"].tolist() != first
    assert envs.reset(seed=11)[1]["luck"].tolist() == first


def test_render():
    envs = gymnasium.make_vec("envpool/Zoo-v0", num_envs=2, render_mode="rgb_array")
    envs.reset()
    frames = envs.render()
    assert isinstance(frames, tuple)
    assert [frame.shape for frame in frames] == [(8, 8, 3)] * 2


# Not the mode with "final_obs": an array of objects, which that wrapper converts for none of gymnasium's vectors.
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
@pytest.mark.parametrize("task_id", TASKS)
def test_numpy_to_torch(task_id, mode):
    torch = pytest.importorskip("torch")
    envs = wrappers.NumpyToTorch(envpool.make_vec(task_id, 3, autoreset_mode=mode))
    plain = envpool.make_vec(task_id, 3, autoreset_mode=mode)
    observation, _ = envs.reset(seed=5)
    plain.reset(seed=5)
    plain.action_space.seed(1)
    for _ in range(25):
        action = plain.action_space.sample()
        got = envs.step({k: torch.as_tensor(v) for k, v in action.items()} if isinstance(action, dict) else action)
        expected = plain.step(action)
        for mine, theirs in zip(got[1:4], expected[1:4], strict=True):
            assert isinstance(mine, torch.Tensor)
            np.testing.assert_array_equal(mine.numpy(), theirs)
        image = got[0]["image"] if task_id.startswith("Zoo") else got[0]
        np.testing.assert_array_equal(image, expected[0]["image"] if task_id.startswith("Zoo") else expected[0])
        done = expected[2] | expected[3]
        if mode is AutoresetMode.DISABLED and done.any():
            for env in (envs, plain):
                env.reset(options={"reset_mask": done})


def test_record_video(tmp_path):
    pytest.importorskip("moviepy")
    envs = gymnasium.make_vec("envpool/Zoo-v0", num_envs=2, render_mode="rgb_array")
    envs = wrappers.RecordVideo(envs, str(tmp_path), episode_trigger=lambda episode: episode == 0, disable_logger=True)
    envs.reset()
    for _ in range(30):
        envs.step(envs.action_space.sample())
    envs.close()
    assert list(tmp_path.glob("*.mp4"))
