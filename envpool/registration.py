# SPDX-License-Identifier: Apache-2.0
"""The functions that make environments, and the other names that EnvPool's scripts import from here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from envpool.python.compat.import_paths import EnvRegistry
from envpool.python.registry import find, find_all, list_all_envs, register, register_family

if TYPE_CHECKING:
    from envpool.python.dm_envpool import DMEnvPool
    from envpool.python.env_spec import EnvSpec
    from envpool.python.gym_envpool import GymEnvPool
    from envpool.python.gymnasium_envpool import GymnasiumEnvPool, GymnasiumVectorEnv
    from envpool.python.gymnasium_single import GymnasiumSingleEnv
    from envpool.python.pettingzoo_aec import PettingZooAECEnvPool
    from envpool.python.pettingzoo_envpool import PettingZooEnvPool
    from envpool.python.sb3_envpool import SB3EnvPool
else:  # `typing.get_type_hints` evaluates annotations, and importing every interface would be slow
    DMEnvPool = EnvSpec = GymEnvPool = GymnasiumEnvPool = GymnasiumSingleEnv = GymnasiumVectorEnv = Any
    PettingZooAECEnvPool = PettingZooEnvPool = SB3EnvPool = Any

__all__ = [
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_pettingzoo",
    "make_sb3",
    "make_spec",
    "make_vec",
    "register",
    "register_family",
    "registry",
]


@overload
def make(task_id: str | Sequence[str], env_type: Literal["gymnasium"] = ..., **options: Any) -> GymnasiumEnvPool: ...
@overload
def make(task_id: str | Sequence[str], env_type: Literal["gym"], **options: Any) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: str | Sequence[str], env_type: Literal["dm"], **options: Any) -> DMEnvPool: ...
def make(
    task_id: str | Sequence[str], env_type: str = "gymnasium", **options: Any
) -> GymnasiumEnvPool | GymEnvPool | DMEnvPool:
    """Makes a pool of environments.

    Args:
        task_id: one of `list_all_envs()`, with or without "envpool/" before it. Or a sequence of ids with equal spaces,
            for a mixed pool: it has environments of each id, and `info["task_id"]` says which (docs/concepts.md).
        env_type: the interface: "gymnasium", "gym" or "dm".
        **options: options of the environment (`make_spec(task_id).options` describes them) and these, which every
            environment has:

            - `num_envs`: environments in the pool, from 1 to 1,048,576 (default 1).
            - `batch_size`: environments that a `recv` returns; 0, the default, means num_envs. A smaller batch makes
              the pool asynchronous: a batch then holds the environments that finished first.
            - `num_threads`: worker threads, at most 1024; 0, the default, means the number of CPUs that this process
              may use by its affinity mask and cgroup quota, but at most batch_size.
            - `thread_affinity_offset`: worker i runs on the (offset + i)-th CPU that this process may use. -1, the
              default, leaves the choice to the system. "auto" uses all cores before their sibling threads, and a
              single NUMA node if its cores suffice.
            - `seed`: int from 0 to 2**64 - 1. The default is 42, as in EnvPool, so that two runs are equal unless you
              give a seed; `gymnasium.make` and `gymnasium.make_vec` draw a random seed instead. Environment i draws
              from stream i of the seed; different seeds share no stream. None: a random seed, which `config` holds. A
              sequence of num_envs ints: one seed per environment.
            - `env_seed`: the same as a sequence given as `seed`.
            - `max_episode_steps`: steps until an episode is truncated; 0 or None: no limit. The default depends on the id.
            - `autoreset_mode`: "next_step" (default; "same_step" for ids with "AutoReset"): the step after the end of an
              episode ignores its action and returns the first observation of the next episode. "same_step": the step
              that ends an episode returns the first observation of the next one, and the last observation in
              `info["final_obs"]`. "disabled": the caller resets. gymnasium's AutoresetMode and its values, such as
              "SameStep", are accepted as well.
            - `render_mode`: None (default), "rgb_array", or "human", with which `render()` shows images in a window.
            - `render_env_id`: the environment, or environments, that `render()` shows by default (default 0).
            - `render_width`, `render_height`: size of an image; 0, the default, means the environment's own size.
            - `render_camera_id`: a camera of the model, if there are several; -1 means the default camera.
            - `env_options`: a sequence of num_envs mappings; each overrides options of one environment that do not
              change the shape of an array.
            - `reward_threshold`: replaces the threshold of the id in `spec`.
            - `step_api`: "classic" (`obs = reset()`, 4-tuples) or "modern" (5-tuples), for env_type "gym" only. The
              default follows the installed version of gym.
            - `first_stream`: environment i draws from stream first_stream + i of the seed (default 0), so that the
              pools of several processes together return what one pool of all their environments would return.
            - `device`: "cpu" (default), "cuda" or "cuda:N": where the environments run. On a GPU (see docs/gpu.md)
              arrays stay in its memory, and `step` does not wait.
            - `in_place`: on a GPU, writes each batch into the same arrays, as CUDA graphs require (default False).
            - `episode_statistics`: adds the return of the episode so far, and its length, to info as "episode_return"
              and "episode_length" (default False). The return sums rewards before they are clipped or normalized.
            - `normalize_obs`: subtracts the running mean of all observations and divides by their standard deviation,
              as gymnasium's NormalizeObservation does (default False). True, or a mapping of "epsilon" (default 1e-8)
              and "clip", the largest absolute value (default inf).
            - `normalize_reward`: divides rewards by the standard deviation of discounted returns, as gymnasium's
              NormalizeReward does (default False). True, or a mapping of "gamma" (default 0.99), "epsilon" and "clip".
            - `max_num_players`, `base_path`, `gym_reset_return_info`: accepted for EnvPool's scripts, without effect.
            - `envs_per_task`, in a mixed pool: the number of environments of each id, as a sequence of ints. By default,
              num_envs, which is then a multiple of the number of ids, is divided evenly. The environments of each id
              have consecutive numbers, in the order of the ids.
            - `task_options`, in a mixed pool: a sequence with one mapping for each id: options that this id has for
              itself, such as max_episode_steps. Other options of environments apply to all ids.

    Returns:
        The pool. Its environments have not been reset: call `reset` or `async_reset` first.

    Raises:
        ValueError: an unknown id, a value out of range, or several ids whose spaces differ.
        TypeError: an unknown option, or a value of the wrong type.
        MissingPackageError: a package that the environment or the interface needs is not installed. This is an
            ImportError and a RuntimeError.
        RuntimeError: the family is not built.
    """
    if env_type == "gymnasium":
        return make_gymnasium(task_id, **options)
    if env_type == "gym":
        return make_gym(task_id, **options)
    if env_type == "dm":
        return make_dm(task_id, **options)
    raise ValueError(f"[{task_id}] env_type: expected 'gymnasium', 'gym' or 'dm', got {env_type!r}")


def make_gymnasium(task_id: str | Sequence[str], **options: Any) -> GymnasiumEnvPool:
    """Makes a pool with gymnasium's interface; `make` describes the options.

    The pool is a `gymnasium.vector.VectorEnv`, except that `observation_space` and `action_space` describe one
    environment, as EnvPool's scripts expect. In a pool of `make_vec` they describe the batch.

    Args:
        task_id: one of `list_all_envs()`, or a sequence of them.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does.
        TypeError: as `make` does.
        RuntimeError: as `make` does.
    """
    from envpool.python.gymnasium_envpool import GymnasiumEnvPool

    return GymnasiumEnvPool(find_all(task_id), options)


def make_vec(
    task_id: str | Sequence[str], num_envs: int | None = None, *, dtypes: str = "envpool", **options: Any
) -> GymnasiumVectorEnv:
    """Makes a pool that conforms to `gymnasium.vector.VectorEnv`; `make` describes the options.

    `gymnasium.make_vec("envpool/Pong-v5", num_envs=8)` makes the same pool, but without a `seed` it draws one, as
    gymnasium's environments do. Spaces are batched, every call returns the rows of all environments in order, and a
    partial reset returns the current observations of the other environments.

    Args:
        task_id: one of `list_all_envs()`, or a sequence of them.
        num_envs: environments in the pool; None means one of each id.
        dtypes: "envpool" (default), or "gymnasium" for the dtypes of gymnasium's own vector environments: float64 for
            rewards, int64 for discrete observations, int8 for masks of actions, and float32 for action spaces that are
            float64 by default.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does; batch_size is not num_envs; the environment has several players; dtypes is neither
            of the two.
    """
    from envpool.python.gymnasium_envpool import GymnasiumVectorEnv

    return GymnasiumVectorEnv(find_all(task_id), {**_counted(num_envs), "dtypes": dtypes, **options})


def make_single(task_id: str, **options: Any) -> GymnasiumSingleEnv:
    """Makes one environment, for `gymnasium.make("envpool/Pong-v5")`; `make` describes the options.

    Args:
        task_id: one of `list_all_envs()`.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does; num_envs is not 1; the environment has several players.
    """
    from envpool.python.gymnasium_single import GymnasiumSingleEnv

    return GymnasiumSingleEnv(find(task_id), options)


def make_gym(task_id: str | Sequence[str], **options: Any) -> GymEnvPool | GymnasiumEnvPool:
    """Makes a pool with gym's interface; `make` describes the options.

    The pool is a `gym.Env` of the installed version: before 0.26 it has `obs = reset()` and 4-tuples, since then
    `obs, info = reset()` and 5-tuples. If gym is not installed, it has gymnasium's interface. `step_api` overrides
    this.

    Args:
        task_id: one of `list_all_envs()`, or a sequence of them.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does.
        TypeError: as `make` does.
        RuntimeError: as `make` does.
    """
    from envpool.python.gym_envpool import make_gym_pool

    return make_gym_pool(find_all(task_id), options)


def make_dm(task_id: str | Sequence[str], **options: Any) -> DMEnvPool:
    """Makes a pool that is a `dm_env.Environment` of batched TimeSteps; `make` describes the options.

    Args:
        task_id: one of `list_all_envs()`, or a sequence of them.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does; autoreset_mode is "same_step", because a TimeStep holds a single observation; or two
            of the observations and infos have the same name.
        TypeError: as `make` does.
        RuntimeError: as `make` does.
    """
    from envpool.python.dm_envpool import DMEnvPool

    return DMEnvPool(find_all(task_id), options)


def make_sb3(task_id: str | Sequence[str], num_envs: int | None = None, **options: Any) -> SB3EnvPool:
    """Makes a pool that is a `stable_baselines3.common.vec_env.VecEnv`; `make` describes the options.

    A step that ends an episode starts the next one, as Stable-Baselines3 requires. Wrap the pool in `VecMonitor` to add
    episode returns to `infos`.

    Args:
        task_id: one of `list_all_envs()`, or a sequence of them.
        num_envs: environments in the pool; None means one of each id.
        **options: as in `make`.

    Raises:
        MissingPackageError: Stable-Baselines3 is not installed.
        ValueError: as `make` does; batch_size is not num_envs; autoreset_mode is not "same_step"; the environment has
            several players.
    """
    from envpool.python.sb3_envpool import SB3EnvPool

    return SB3EnvPool(find_all(task_id), {**_counted(num_envs), **options})


@overload
def make_pettingzoo(task_id: str, *, aec: Literal[False] = False, **options: Any) -> PettingZooEnvPool: ...
@overload
def make_pettingzoo(task_id: str, *, aec: Literal[True], **options: Any) -> PettingZooAECEnvPool: ...
@overload
def make_pettingzoo(task_id: str, *, aec: bool, **options: Any) -> PettingZooEnvPool | PettingZooAECEnvPool: ...
def make_pettingzoo(task_id: str, *, aec: bool = False, **options: Any) -> PettingZooEnvPool | PettingZooAECEnvPool:
    """Makes one environment of several players with PettingZoo's interface; `make` describes the options.

    Agents are named "player_0", "player_1" and so on, in the order of the pool's rows.

    Args:
        task_id: one of `list_all_envs()`.
        aec: whether to return an `AECEnv`, whose agents act one after the other, instead of a `ParallelEnv`. The players
            of the environment must take turns: it has the info `current_player`.
        **options: as in `make`.

    Raises:
        MissingPackageError: PettingZoo is not installed.
        TypeError: aec is not a bool.
        ValueError: as `make` does; num_envs is not 1; autoreset_mode is not "disabled"; aec is True and the players do
            not take turns.
    """
    from envpool.python.pettingzoo_envpool import PettingZooEnvPool

    if not isinstance(aec, bool):
        raise TypeError(f"[{task_id}] aec: expected a bool, got {aec!r}")
    if aec:
        from envpool.python.pettingzoo_aec import PettingZooAECEnvPool

        return PettingZooAECEnvPool(find(task_id), options)
    return PettingZooEnvPool(find(task_id), options)


def make_spec(task_id: str | Sequence[str], **options: Any) -> EnvSpec:
    """Describes an environment without making it: config, options, spaces and specs.

    Args:
        task_id: one of `list_all_envs()`, or a sequence of them.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does.
        TypeError: as `make` does.
        RuntimeError: as `make` does.
    """
    from envpool.python.env_spec import EnvSpec
    from envpool.python.mixed import construction_of

    return EnvSpec(construction_of(find_all(task_id), options))


def _counted(num_envs: int | None) -> dict[str, int]:
    return {} if num_envs is None else {"num_envs": num_envs}


registry = EnvRegistry(
    {
        "make": make,
        "make_dm": make_dm,
        "make_gym": make_gym,
        "make_gymnasium": make_gymnasium,
        "make_spec": make_spec,
        "register": register,
        "list_all_envs": list_all_envs,
    }
)
