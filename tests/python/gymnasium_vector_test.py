# SPDX-License-Identifier: Apache-2.0
"""Tests pools with gymnasium's make_vec, checks and vector wrappers."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers import vector as wrappers

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
TASKS = ["Counter-v1", "AllTypes-v0"]
MODES = list(AutoresetMode)


def play(envs, steps, seed=3):
    """Checks every return value of a run against gymnasium's specification of VectorEnv."""
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


def test_envpool_make_vec_is_the_same():
    a, b = envpool.make_vec("AllTypes-v0", 2, seed=4), gymnasium.make_vec("envpool/AllTypes-v0", num_envs=2, seed=4)
    for x, y in zip(play(a, 20), play(b, 20), strict=True):
        np.testing.assert_equal(x, y)


@pytest.mark.parametrize("order", ["import envpool, gymnasium", "import gymnasium, envpool", "import gymnasium"])
def test_ids_are_registered_in_any_order_of_imports(order):
    # For an id of the form "module:id", gymnasium imports the module first.
    code = (
        f"{order}; from gymnasium.envs.registration import _find_spec; print(_find_spec('envpool:envpool/Pong-v5').id)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.strip() == "envpool/Pong-v5", out.stderr


def test_a_process_that_imports_gymnasium_alone():
    """gymnasium has no plugins, so the id names the module to import."""
    code = (
        "import gymnasium, sys; assert 'envpool' not in sys.modules\n"
        "envs = gymnasium.make_vec('envpool:envpool/CartPole-v1', num_envs=3)\n"
        "print(envs.reset(seed=1)[0].shape, envs.step([0, 1, 0])[1].tolist(), envs.spec.id)\n"
        "print(gymnasium.make_vec('envpool/CartPole-v1', num_envs=2).num_envs)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.split("\n")[:2] == ["(3, 4) [1.0, 1.0, 1.0] envpool/CartPole-v1", "2"], out.stderr


@pytest.mark.filterwarnings("error")
def test_gymnasium_issues_no_warning():
    envs = gymnasium.make_vec("envpool/AllTypes-v0", num_envs=2)
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
    envs = wrappers.FilterObservation(envpool.make_vec("AllTypes-v0", 2), ["image", "cards"])
    observation, _ = envs.reset()
    assert set(observation) == {"image", "cards"}
    play(envs, 10)


@pytest.mark.parametrize("task_id", TASKS)
def test_final_observations_have_gymnasiums_form(task_id):
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
    envs = envpool.make_vec("AllTypes-v0", 4, autoreset_mode=mode)
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


def test_partial_resets_ignore_writes_of_wrappers():
    envs = envpool.make_vec("Counter-v0", 2, autoreset_mode="disabled")
    envs.reset()
    observation = envs.step(np.array([1, 0]))[0]
    observation += 50
    observation, _ = envs.reset(options={"reset_mask": np.array([True, False])})
    assert observation[:, 0].tolist() == [0, 1]


def test_seeds_of_gymnasium_make_vec():
    envs = gymnasium.make_vec("envpool/Counter-v0", num_envs=3)
    first = envs.reset(seed=11)[1]["luck"].tolist()
    assert envs.reset()[1]["luck"].tolist() != first
    assert envs.reset(seed=11)[1]["luck"].tolist() == first


def test_render():
    envs = gymnasium.make_vec("envpool/AllTypes-v0", num_envs=2, render_mode="rgb_array")
    envs.reset()
    frames = envs.render()
    assert isinstance(frames, tuple)
    assert [frame.shape for frame in frames] == [(8, 8, 3)] * 2


# Same-step autoreset is left out, because this wrapper cannot convert "final_obs", an array of objects.
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
        image = got[0]["image"] if task_id.startswith("AllTypes") else got[0]
        np.testing.assert_array_equal(image, expected[0]["image"] if task_id.startswith("AllTypes") else expected[0])
        done = expected[2] | expected[3]
        if mode is AutoresetMode.DISABLED and done.any():
            for env in (envs, plain):
                env.reset(options={"reset_mask": done})


def test_record_video(tmp_path):
    pytest.importorskip("moviepy")
    envs = gymnasium.make_vec("envpool/AllTypes-v0", num_envs=2, render_mode="rgb_array")
    envs = wrappers.RecordVideo(envs, str(tmp_path), episode_trigger=lambda episode: episode == 0, disable_logger=True)
    envs.reset()
    for _ in range(30):
        envs.step(envs.action_space.sample())
    envs.close()
    assert list(tmp_path.glob("*.mp4"))


def gymnasiums_ids():
    """Returns the ids that gymnasium also has and can make with the packages that the tests install."""
    gymnasium.register_envs(pytest.importorskip("ale_py"))
    both = [task_id for task_id in envpool.list_all_envs() if task_id in gymnasium.registry]
    # These packages register their ids when a test imports them. The tests of the two families compare these ids.
    both = [i for i in both if envpool.python.registry.find(i).family not in ("minigrid", "vizdoom")]
    # gymnasium's entries for versions 2 and 3 of MuJoCo's environments only raise an error.
    return [task_id for task_id in both if "raise_mujoco_" not in str(gymnasium.registry[task_id].entry_point)]


def test_specs_have_gymnasiums_thresholds_and_limits():
    ids = gymnasiums_ids()
    assert len(ids) > 100
    wrong = {}
    for task_id in ids:
        theirs, ours = gymnasium.registry[task_id], gymnasium.registry["envpool/" + task_id.replace("/", "-")]
        for name in ("reward_threshold", "max_episode_steps"):
            if getattr(theirs, name) != getattr(ours, name):
                wrong[task_id, name] = (getattr(theirs, name), getattr(ours, name))
    assert wrong == {}
    assert gymnasium.registry["envpool/CartPole-v1"].reward_threshold == 475.0


@pytest.mark.parametrize("make_function", [gymnasium.make_vec, envpool.make_vec])
def test_the_spec_of_a_pool(make_function):
    with make_function("envpool/CartPole-v1", num_envs=2) as envs:
        assert (envs.spec.reward_threshold, envs.spec.max_episode_steps) == (475.0, 500)
    with make_function("envpool/CartPole-v1", num_envs=2, max_episode_steps=7, reward_threshold=6) as envs:
        assert (envs.spec.reward_threshold, envs.spec.max_episode_steps) == (6.0, 7)
    for no_limit in (0, None):
        with make_function("envpool/CartPole-v1", num_envs=2, max_episode_steps=no_limit) as envs:
            assert envs.spec.max_episode_steps is None
    assert gymnasium.registry["envpool/CartPole-v1"].max_episode_steps == 500


def masks_of(info, rows, path=()):
    """Checks that every key of info has a mask, and returns the masks by path."""
    found = {}
    for key, value in info.items():
        if key.startswith("_"):
            assert key[1:] in info
            continue
        mask = info["_" + key]
        assert mask.dtype == np.bool_
        assert mask.shape == (rows,)
        found[(*path, key)] = mask.tolist()
        if isinstance(value, dict):
            found |= masks_of(value, rows, (*path, key))
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", TASKS)
def test_info_has_gymnasiums_masks(task_id, mode):
    envs = envpool.make_vec(task_id, 3, autoreset_mode=mode)
    infos = [envs.reset()[1], *(result[-1] for result in play(envs, 40))]
    ended = 0
    for info in infos:
        for path, mask in masks_of(info, 3).items():
            if path[0].startswith("final_"):
                assert mask == info["_final_obs"].tolist()
                assert any(mask)
                ended += 1
            else:
                assert mask == [True] * 3
    assert (ended > 0) == (mode is AutoresetMode.SAME_STEP)
    assert ("players", "env_id") in masks_of(infos[0], 3)
    infos[0]["_env_id"][:] = False
    assert envs.step(envs.action_space.sample())[-1]["_env_id"].all()
    # make_gymnasium has EnvPool's info, without masks.
    plain = envpool.make_gymnasium(task_id, num_envs=3, autoreset_mode="next_step").reset()[1]
    assert not [key for key in plain if key.startswith("_")]


def described(value, with_shape):
    if isinstance(value, tuple):
        return "tuple of " + ", ".join(str(part.dtype) for part in value)
    return f"{value.dtype} {value.shape}" if with_shape else str(value.dtype)


def shape_of(value):
    return () if isinstance(value, tuple) else value.shape


def first_row(tree):
    if isinstance(tree, dict):
        return {key: first_row(value) for key, value in tree.items()}
    return tuple(map(first_row, tree)) if isinstance(tree, tuple) else tree[0]


def facts(envs):
    """Returns the values that a vector environment returns, by name."""
    observation, _ = envs.reset(seed=1)
    envs.action_space.seed(1)
    _, reward, terminated, truncated, info = envs.step(envs.action_space.sample())
    rows = {"observation": observation, "reward": reward, "terminated": terminated, "truncated": truncated}
    rows |= {f"info {key}": value for key, value in info.items() if isinstance(value, np.ndarray) and key[0] != "_"}
    envs.close()
    return {"action": envs.single_action_space, **{name: first_row(value) for name, value in rows.items()}}


@pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")
@pytest.mark.filterwarnings("ignore")
def test_dtypes_match_the_table_of_the_documentation():
    pytest.importorskip("jax")  # gymnasium's tabular environments need JAX
    text = Path(SOURCE, "docs", "migration.md").read_text()
    lines = re.search(r"\| array \| ids \|.*\n\|[-|]+\n((?:\|.*\n)+)", text)[1].replace("info `", "info ").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    table = {(what.strip("`"), *kinds): re.findall("`(.*?)`", of) for what, of, *kinds in rows}
    found = {}
    for task_id in gymnasiums_ids():
        mujoco = envpool.python.registry.find(task_id).family == "mujoco"
        # One Atari game and one version of MuJoCo's environments are enough, because the others have the same dtypes.
        if (mujoco and not task_id.endswith("-v5")) or task_id.startswith("ALE/") > (task_id == "ALE/Pong-v5"):
            continue
        theirs = facts(gymnasium.make_vec(task_id, num_envs=2, vectorization_mode="sync"))
        ours = facts(envpool.make_vec(task_id, 2))
        option = facts(envpool.make_vec(task_id, 2, dtypes="gymnasium"))
        for what in theirs.keys() & ours.keys():
            three = [kind[what] for kind in (theirs, ours, option)]
            shapes = {shape_of(value) for value in three}
            with_shape = len(shapes) > 1 or any(isinstance(value, tuple) for value in three)
            kinds = [described(value, with_shape) for value in three]
            if kinds[0] != kinds[1] or kinds[0] != kinds[2]:
                found.setdefault((what, *kinds), []).append(task_id)
    assert set(found) == set(table)
    for row, examples in table.items():
        assert set(examples) <= set(found[row])


@pytest.mark.parametrize("mode", MODES)
def test_the_option_dtypes_changes_no_values(mode):
    """The option changes only the dtypes of the returned arrays."""
    ours = envpool.make_vec("FrozenLake-v1", 3, autoreset_mode=mode, seed=3)
    theirs = gymnasium.make_vec("envpool/FrozenLake-v1", num_envs=3, autoreset_mode=mode, seed=3, dtypes="gymnasium")
    copy = pickle.loads(pickle.dumps(theirs))
    played = [play(envs, 60) for envs in (ours, theirs, copy)]
    assert played[1][0][0].dtype == np.int64
    assert played[1][0][1].dtype == np.float64
    for plain, wide, again in zip(*played, strict=True):
        for x, y in zip(plain[:4], wide[:4], strict=True):
            np.testing.assert_array_equal(x, y)
        np.testing.assert_equal(wide, again)
        if "final_obs" in wide[-1]:
            last = [value for value in wide[-1]["final_obs"] if value is not None]
            assert {value.dtype for value in last} == {np.dtype(np.int64)}
    mask = np.array([True, False, True])
    assert theirs.reset(options={"reset_mask": mask})[0].dtype == np.int64
    assert theirs.reset(seed=1)[0].dtype == np.int64


def test_gymnasiums_actions_of_mujoco():
    pytest.importorskip("mujoco")
    ours, theirs = (envpool.make_vec("Humanoid-v5", 2, dtypes=dtypes) for dtypes in ("envpool", "gymnasium"))
    assert theirs.single_action_space == gymnasium.spaces.Box(-0.4, 0.4, (17,), np.float32)
    assert theirs.action_space == batch_space(theirs.single_action_space, 2)
    for envs in (ours, theirs):
        envs.reset(seed=2)
    for action in (theirs.action_space.high, theirs.action_space.sample()):
        for x, y in zip(ours.step(action.astype(np.float64))[:2], theirs.step(action)[:2], strict=True):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("dtypes", ["float64", None, 3, np.array(["gymnasium"])])
def test_bad_values_of_dtypes(dtypes):
    with pytest.raises(ValueError, match=r"\[CartPole-v1\] dtypes: expected 'envpool' or 'gymnasium', got "):
        envpool.make_vec("CartPole-v1", 2, dtypes=dtypes)
    with pytest.raises(TypeError, match="unknown option 'dtypes'"):
        envpool.make_gymnasium("CartPole-v1", num_envs=2, dtypes="gymnasium")
