# SPDX-License-Identifier: Apache-2.0
"""Prints the public attributes of the installed envpool and its environments as JSON.

The released EnvPool is described by running this script in a Python where it is installed.

python describe.py ids
python describe.py describe Pong-v5 CartPole-v1
python describe.py package
"""

import importlib
import inspect
import json
import sys
import warnings

import numpy as np

import envpool

ENV_TYPES = ("gymnasium", "dm")
FUNCTIONS = ("make", "make_dm", "make_gym", "make_gymnasium", "make_spec", "list_all_envs", "register")
METHODS = ("step", "send", "recv", "reset", "async_reset", "render", "close", "seed", "xla")
# These modules exist in both packages and contain classes of environments.
MODULES = ("atari", "classic_control", "toy_text", "mujoco.gym", "mujoco.dmc")
# Many ids have one of these options. Making such an environment takes a second, and all of them run the same code.
# Therefore, only the id that is given for the option is stepped.
HEAVY = {"stack_num": "Pong-v5"}
CLASSES = envpool.registration.registry.envpools


def bound(value):
    """Describes a bound: its value or values, and whether the bound is an array."""
    array = np.asarray(value)
    if array.dtype == object:
        return str(value)
    numbers = [f"{number:.6g}" for number in np.unique(array.astype(np.float64))]
    if array.ndim == 0:
        return numbers[0]
    return "array of " + (numbers[0] if len(numbers) == 1 else str([f"{number:.6g}" for number in array.ravel()[:400]]))


def space(it):
    """Describes a space."""
    kind = type(it).__name__
    if kind == "Dict":
        return {key: space(value) for key, value in it.spaces.items()}
    if kind == "Discrete":
        return {"kind": kind, "n": int(it.n), "start": int(it.start), "dtype": str(it.dtype)}
    if kind == "MultiDiscrete":
        return {"kind": kind, "n": np.asarray(it.nvec).tolist(), "dtype": str(it.dtype)}
    if kind == "MultiBinary":
        return {"kind": kind, "shape": list(it.shape), "dtype": str(it.dtype)}
    return {
        "kind": kind,
        "shape": list(it.shape),
        "dtype": str(it.dtype),
        "low": bound(it.low),
        "high": bound(it.high),
    }


def dm_spec(it):
    """Describes a dm_env spec, or a tree of them."""
    if hasattr(it, "_asdict"):
        return {"type": type(it).__name__, **{key: dm_spec(value) for key, value in it._asdict().items()}}
    described = {"kind": type(it).__name__, "shape": list(it.shape), "dtype": str(it.dtype), "name": it.name}
    if hasattr(it, "minimum"):
        described |= {"minimum": bound(it.minimum), "maximum": bound(it.maximum)}
    return described | ({"num_values": int(it.num_values)} if hasattr(it, "num_values") else {})


def array_specs(specs):
    """Describes the specs of raw arrays."""
    return {
        name: {
            "shape": list(spec.shape),
            "dtype": np.dtype(spec.dtype).name,
            "minimum": bound(spec.minimum),
            "maximum": bound(spec.maximum),
        }
        for name, spec in specs.items()
    }


def leaves(tree):
    """Returns the dtypes and shapes of a tree of arrays."""
    if isinstance(tree, dict):
        return {key: leaves(value) for key, value in tree.items()}
    if hasattr(tree, "_asdict"):
        return {"type": type(tree).__name__, **leaves(tree._asdict())}
    return f"{tree.dtype} {list(tree.shape)}"


def names(iterable):
    """Returns a dict with these names as its keys, because comparisons of dicts ignore the order."""
    return dict.fromkeys(iterable, True)


def attributes(thing):
    return names(name for name in dir(thing) if not name.startswith("_"))


def parameters(function):
    """Returns the names of a function's parameters."""
    return names(
        name
        for name, it in inspect.signature(function).parameters.items()
        if it.kind not in (it.VAR_KEYWORD, it.VAR_POSITIONAL)
    )


def plain(config):
    """Returns the options with their values. The folder of the package is replaced by "a folder"."""
    return {**config, "base_path": "a folder" if config["base_path"] else ""}


def describe_spec(spec):
    return {
        "config": plain(spec.config._asdict()),
        "gen_config": names(spec.gen_config._fields),
        "attributes": attributes(spec),
        "reward_threshold": spec.reward_threshold,
        "observation_space": space(spec.observation_space),
        "action_space": space(spec.action_space),
        "gymnasium_observation_space": space(spec.gymnasium_observation_space),
        "gymnasium_action_space": space(spec.gymnasium_action_space),
        "state_array_spec": array_specs(spec.state_array_spec),
        "action_array_spec": array_specs(spec.action_array_spec),
        "observation_spec": dm_spec(spec.observation_spec()),
        "action_spec": dm_spec(spec.action_spec()),
    }


def describe_pool(pool, env_type):
    """Describes the attributes of a pool of three environments, and the results of calls to it."""
    first = pool.reset()
    described = {
        "attributes": attributes(pool),
        "config": plain(pool.config),
        "length": len(pool),
        "is_async": bool(pool.is_async),
        "all_env_ids": leaves(pool.all_env_ids),
        "render_mode": getattr(pool, "render_mode", None),
        "methods": {name: parameters(getattr(pool, name)) for name in METHODS if hasattr(pool, name)},
    }
    if env_type == "dm":
        for name in ("observation_spec", "action_spec", "reward_spec", "discount_spec"):
            described[name] = dm_spec(getattr(pool, name)())
    else:
        for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
            described[name] = space(getattr(pool, name))
        described["metadata"] = {key: str(value) for key, value in pool.metadata.items()}
    action = np.zeros((3, *pool.spec.action_space.shape), pool.spec.action_space.dtype)
    action = action.astype(np.int32) if action.dtype == np.int64 else action
    parts = {"reset": first, "step": pool.step(action)}
    if (
        pool.config.get("max_num_players", 1) == 1
    ):  # EnvPool 1.2.5 waits forever for some environments of several players
        parts["reset of some"] = pool.reset(np.array([0, 2], np.int32))
    if action.dtype.kind == "i":
        parts["step with floats"] = pool.step(action.astype(np.float64))
    for call, result in parts.items():
        result = result._asdict() if env_type == "dm" else dict(enumerate(result))
        described[call] = {str(key): leaves(part) for key, part in result.items() if part is not None}
    return described


def describe(task_id):
    spec = envpool.make_spec(task_id)
    described = {"spec": describe_spec(spec), "classes": CLASSES[task_id]}
    if "frame_stack" in spec.gen_config._fields:
        described["pixels"] = describe_spec(envpool.make_spec(task_id, from_pixels=True))
    if any(name in spec.gen_config._fields and task_id != id_ for name, id_ in HEAVY.items()):
        return described
    for env_type in ENV_TYPES:
        described[env_type] = describe_pool(envpool.make(task_id, env_type=env_type, num_envs=3), env_type)
    return described


def describe_package():
    """Describes the names that can be imported."""
    registry = envpool.registration.registry
    described = {
        "functions": {name: parameters(getattr(envpool, name)) for name in FUNCTIONS},
        "registry": attributes(registry),
        "order of names": {"envpool": list(envpool.__all__)},
        "lists": {"atari_game_list": names(envpool.atari.registration.atari_game_list)},
    }
    for name in MODULES:
        module = importlib.import_module(f"envpool.{name}")
        described["order of names"][f"envpool.{name}"] = list(module.__all__)
        for member in module.__all__:
            getattr(module, member)
    for part in ("gym", "dmc"):
        name = f"{part}_mujoco_envs"
        entries = getattr(importlib.import_module(f"envpool.mujoco.{part}.registration"), name)
        described["lists"][name] = names(str(entry) for entry in entries)
    return described


def main():
    warnings.simplefilter("ignore")
    what, *task_ids = sys.argv[1:]
    if what == "ids":
        described = envpool.list_all_envs()
    elif what == "package":
        described = describe_package()
    else:
        described = {task_id: describe(task_id) for task_id in task_ids}
    json.dump(described, sys.stdout, default=str)


if __name__ == "__main__":
    main()
