# SPDX-License-Identifier: Apache-2.0
"""The doors that make environments, and the names that EnvPool's scripts import from here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from envpool.python.import_paths import EnvRegistry
from envpool.python.registry import find, list_all_envs, register, register_family

if TYPE_CHECKING:
    from envpool.python.dm_envpool import DMEnvPool
    from envpool.python.env_spec import EnvSpec
    from envpool.python.gym_envpool import GymEnvPool
    from envpool.python.gymnasium_envpool import GymnasiumEnvPool, GymnasiumVectorEnv
    from envpool.python.pettingzoo_envpool import PettingZooEnvPool
    from envpool.python.sb3_envpool import SB3EnvPool

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
def make(task_id: str, env_type: Literal["gymnasium"] = ..., **options: Any) -> GymnasiumEnvPool: ...
@overload
def make(task_id: str, env_type: Literal["gym"], **options: Any) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: str, env_type: Literal["dm"], **options: Any) -> DMEnvPool: ...
def make(task_id: str, env_type: str = "gymnasium", **options: Any) -> GymnasiumEnvPool | GymEnvPool | DMEnvPool:
    """Makes a pool of environments.

    Args:
        task_id: one of `list_all_envs()`.
        env_type: the face: "gymnasium", "gym" or "dm".
        **options: options of the environment (`make_spec(task_id).options` describes them) and these, which every
            environment has:

            - `num_envs`: environments in the pool, 1 to 1,048,576 (default 1).
            - `batch_size`: environments a `recv` returns; 0, the default, is num_envs. Fewer makes the pool
              asynchronous: a batch holds those that were ready first.
            - `num_threads`: worker threads, at most 1024; 0, the default, is the CPUs this process may use by its
              affinity mask and cgroup quota, and no more than batch_size.
            - `thread_affinity_offset`: worker i runs on the (offset + i)-th CPU this process may use; -1, the default,
              leaves it to the system; "auto" takes cores before their second threads, and one NUMA node where its
              cores suffice.
            - `seed`: int from 0 to 2**64 - 1 (default 42): environment i draws from stream i of that seed, and
              different seeds share no stream. None: a fresh seed, found in `config`. A sequence of num_envs ints: one
              each.
            - `env_seed`: the same as a sequence given as `seed`.
            - `max_episode_steps`: steps until an episode is truncated; 0 or None: no limit. The default is the id's.
            - `autoreset_mode`: "next_step" (default: the step after an episode's end discards its action and returns
              the first observation of the next), "same_step" (that observation comes with the end, the last one in
              `info["final_obs"]`) or "disabled" (you reset); also as gymnasium's AutoresetMode.
            - `render_mode`: None (default), "rgb_array", or "human", with which `render()` shows pictures in a window.
            - `render_env_id`: the environment, or environments, that `render()` shows by default (default 0).
            - `render_width`, `render_height`: size of a picture; 0, the default, is as the environment draws it.
            - `render_camera_id`: a camera of the model, where there are several; -1 is the default.
            - `env_options`: a sequence of num_envs mappings, each overriding options of one environment, as far as
              they do not change the shape of an array.
            - `reward_threshold`: replaces the id's own in `spec`.
            - `step_api`: "classic" (`obs = reset()`, 4-tuples) or "modern" (5-tuples), for env_type "gym" only, where
              the default follows the installed gym.
            - `first_stream`: environment i draws from stream first_stream + i of the seed (default 0), so that pools of
              several processes are together what one pool of all their environments would be.
            - `device`: "cpu" (default), "cuda" or "cuda:1" and so on: where the environments live. On a GPU, for which see
              docs/gpu.md, arrays come back in its memory, and `step` does not wait.
            - `in_place`: on a GPU, each batch is written into the same arrays, as CUDA graphs need it (default False).
            - `max_num_players`, `base_path`, `gym_reset_return_info`: accepted as EnvPool's scripts give them; they
              cannot change anything.

    Returns:
        The pool. Nothing is under way yet, so `reset` or `async_reset` comes first.

    Raises:
        ValueError: an unknown id, or a value out of range.
        TypeError: an unknown option, or a value of the wrong type.
        MissingPackageError: a package that the environment or the face needs is not installed. It is an ImportError,
            and a RuntimeError too.
        RuntimeError: the family is not built.
    """
    if env_type == "gymnasium":
        return make_gymnasium(task_id, **options)
    if env_type == "gym":
        return make_gym(task_id, **options)
    if env_type == "dm":
        return make_dm(task_id, **options)
    raise ValueError(f"[{task_id}] env_type must be 'gymnasium', 'gym' or 'dm', got {env_type!r}")


def make_gymnasium(task_id: str, **options: Any) -> GymnasiumEnvPool:
    """Makes a pool with gymnasium's face; `make` describes the options.

    It is a `gymnasium.vector.VectorEnv`, but for `observation_space` and `action_space`, which are one environment's
    as EnvPool's scripts expect; `make_vec` has the batch's.

    Args:
        task_id: one of `list_all_envs()`.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does.
        TypeError: as `make` does.
        RuntimeError: as `make` does.
    """
    from envpool.python.gymnasium_envpool import GymnasiumEnvPool

    return GymnasiumEnvPool(find(task_id), options)


def make_vec(task_id: str, num_envs: int = 1, *, dtypes: str = "envpool", **options: Any) -> GymnasiumVectorEnv:
    """Makes a pool that is a `gymnasium.vector.VectorEnv` to the letter; `make` describes the options.

    `gymnasium.make_vec("envpool/Pong-v5", num_envs=8)` is the same. Spaces are batched, rows are always those of all
    environments in their order, and a reset of some returns the others' last observations with theirs.

    Args:
        task_id: one of `list_all_envs()`, with or without "envpool/" before it.
        num_envs: environments in the pool.
        dtypes: "envpool" (default), or "gymnasium" for those of gymnasium's own vectors: rewards float64, observations
            that are one of so many int64, and float32 where the action space is float64 by default.
        **options: as in `make`.

    Raises:
        ValueError: beyond what `make` raises: batch_size is not num_envs, the environment has several players, or
            dtypes is neither of the two.
    """
    from envpool.python.gymnasium_envpool import GymnasiumVectorEnv

    return GymnasiumVectorEnv(
        find(task_id.removeprefix("envpool/")), {"num_envs": num_envs, "dtypes": dtypes, **options}
    )


def make_gym(task_id: str, **options: Any) -> GymEnvPool | GymnasiumEnvPool:
    """Makes a pool with gym's face; `make` describes the options.

    It follows the installed gym: before 0.26 `obs = reset()` and 4-tuples, from then on `obs, info = reset()` and
    5-tuples, either way a `gym.Env`. Without gym it is gymnasium's form. `step_api` overrides.

    Args:
        task_id: one of `list_all_envs()`.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does.
        TypeError: as `make` does.
        RuntimeError: as `make` does.
    """
    from envpool.python.gym_envpool import make_gym_face

    return make_gym_face(find(task_id), options)


def make_dm(task_id: str, **options: Any) -> DMEnvPool:
    """Makes a pool with dm_env's face, a `dm_env.Environment` of batched TimeSteps; `make` describes the options.

    Args:
        task_id: one of `list_all_envs()`.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does; autoreset_mode is "same_step", for which a TimeStep has no room.
        TypeError: as `make` does.
        RuntimeError: as `make` does.
    """
    from envpool.python.dm_envpool import DMEnvPool

    return DMEnvPool(find(task_id), options)


def make_sb3(task_id: str, num_envs: int = 1, **options: Any) -> SB3EnvPool:
    """Makes a pool that is a `stable_baselines3.common.vec_env.VecEnv`; `make` describes the options.

    An environment that ends starts its next episode within the same step, as Stable-Baselines3 wants it. `VecMonitor`
    around it adds the returns of episodes to `infos`.

    Raises:
        MissingPackageError: Stable-Baselines3 is not installed.
        ValueError: beyond what `make` raises: batch_size is not num_envs, autoreset_mode is not "same_step", or the
            environment has several players.
    """
    from envpool.python.sb3_envpool import SB3EnvPool

    return SB3EnvPool(find(task_id), {"num_envs": num_envs, **options})


def make_pettingzoo(task_id: str, **options: Any) -> PettingZooEnvPool:
    """Makes one world of several players as a `pettingzoo.ParallelEnv`; `make` describes the options.

    Agents are "player_0" and so on, in the order of the pool's rows.

    Raises:
        MissingPackageError: PettingZoo is not installed.
        ValueError: beyond what `make` raises: num_envs is not 1, or autoreset_mode is not "disabled".
    """
    from envpool.python.pettingzoo_envpool import PettingZooEnvPool

    return PettingZooEnvPool(find(task_id), options)


def make_spec(task_id: str, **options: Any) -> EnvSpec:
    """Describes what `make` would make, without making an environment: config, options, spaces, specs.

    Args:
        task_id: one of `list_all_envs()`.
        **options: as in `make`.

    Raises:
        ValueError: as `make` does.
        TypeError: as `make` does.
        RuntimeError: as `make` does.
    """
    from envpool.python.construction import Construction
    from envpool.python.env_spec import EnvSpec

    return EnvSpec(Construction(find(task_id), options))


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
