# SPDX-License-Identifier: Apache-2.0
"""What scripts can read of environments, as JSON: run with the released EnvPool's Python it describes theirs.

python describe.py ids
python describe.py describe Pong-v5 CartPole-v1
"""

import json
import sys
import warnings

import numpy as np

import envpool

FACES = ("gymnasium", "dm")


def space(it):
    """A space in words."""
    kind = type(it).__name__
    if kind == "Dict":
        return {key: space(value) for key, value in it.spaces.items()}
    if kind == "Discrete":
        return f"Discrete {it.n} from {it.start}"
    if kind == "MultiDiscrete":
        return f"MultiDiscrete {np.asarray(it.nvec).tolist()} {it.dtype}"
    low, high = (np.unique(np.asarray(bound, np.float64).round(5)).tolist() for bound in (it.low, it.high))
    return f"Box {list(it.shape)} {it.dtype} {low} {high}"


def leaves(tree):
    """Dtypes and shapes of a tree of arrays."""
    if isinstance(tree, dict):
        return {key: leaves(value) for key, value in tree.items()}
    if hasattr(tree, "_asdict"):
        return leaves(tree._asdict())
    return f"{tree.dtype} {list(tree.shape)}"


def names(iterable):
    """A dict, of which only keys are compared."""
    return dict.fromkeys(iterable, True)


def attributes(pool):
    return names(name for name in dir(pool) if not name.startswith("_"))


def describe(task_id):
    spec = envpool.make_spec(task_id)
    told = {
        "config": spec.config._asdict(),
        "gen_config": names(spec.gen_config._fields),
        "reward_threshold": spec.reward_threshold,
        "observation_space": space(spec.observation_space),
        "action_space": space(spec.action_space),
        "gymnasium_observation_space": space(spec.gymnasium_observation_space),
        "state_array_spec": names(spec.state_array_spec),
        "action_array_spec": names(spec.action_array_spec),
        "observation_spec": leaves(spec.observation_spec()),
        "action_spec": leaves(spec.action_spec()),
    }
    # One game tells of all, and takes them a second to make.
    if hasattr(spec.config, "stack_num") and task_id != "Pong-v5":
        return told
    for face in FACES:
        pool = envpool.make(task_id, env_type=face, num_envs=3)
        first = pool.reset()
        told[face] = {"attributes": attributes(pool), "config": pool.config, "spec": attributes(pool.spec)}
        told[face]["metadata"] = names(getattr(pool, "metadata", {}))
        action = np.zeros((3, *pool.spec.action_space.shape), pool.spec.action_space.dtype)
        action = action.astype(np.int32) if action.dtype == np.int64 else action
        parts = {"reset": first, "step": pool.step(action)}
        for call, result in parts.items():
            result = result._asdict() if face == "dm" else dict(enumerate(result))
            told[face][call] = {str(key): leaves(part) for key, part in result.items() if part is not None}
    return told


def main():
    warnings.simplefilter("ignore")
    what, *task_ids = sys.argv[1:]
    told = envpool.list_all_envs() if what == "ids" else {task_id: describe(task_id) for task_id in task_ids}
    json.dump(told, sys.stdout, default=str)


if __name__ == "__main__":
    main()
