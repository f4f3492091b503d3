# SPDX-License-Identifier: Apache-2.0
"""Tries hostile states and parameters of every id.

They may cause errors or useless numbers, but must not affect anything else.

python -m tests.support.mutate_states                    a sample of ids and of states, in seconds
python -m tests.support.mutate_states --whole            every id; every byte of states up to a kilobyte
python -m tests.support.mutate_states --ids Catch-v0     these ids alone

A state is a snapshot of a pool, with a corrected checksum, or a row of bytes for JAX. Its named parts, words and bytes
are set to extreme values, one at a time or several together, and the whole state to random ones. The state is then
stepped, observed and, where possible, rendered along with valid environments, whose results must not change. A reset
with a seed must give what it gives in a new pool. Rows of parameters are changed in
the same way, also with a corrected checksum. An accepted row must equal, byte for byte, the row that `replace` makes
from its values. `make test-states` runs this under AddressSanitizer and UndefinedBehaviorSanitizer, which also detect
errors that do not crash.

Ids are tried in separate processes. If one dies or hangs, the state that it was trying is reported.
"""

from __future__ import annotations

import argparse
import datetime
import faulthandler
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any

import gymnasium
import numpy as np

import envpool
from envpool.python.construction import Construction
from envpool.python.registry import find
from tests.support.mutations import (
    TAG,
    Signed,
    changed_together,
    extremes,
    mutations,
    sampled_cases,
    some_of,
    state_of,
)

STEPS, HANGS = 3, 60  # steps from most states; seconds after which a group of 16 states counts as hanging
LONG = 80  # steps from states with several changes, because an effect may appear late
HELD = (8, LONG)  # how many of these steps take the same actions, so that an agent may walk far
# Hostile states once made these ids write outside of arrays, hang, or divide by zero.
ALWAYS = (
    "WarpDrive/TagContinuous-1000-v0",
    "Seaquest-MinAtar",
    "Asterix-MinAtar",
    "Breakout-MinAtar",
    "SpaceInvaders-MinAtar",
    "Freeway-MinAtar",
    "TagGridWorld-v0",
    "TagContinuous-v0",
)
# Mujoco-v0 cannot be made without a model. The history of this model's delayed actuator is part of a state.
MODEL = (
    '<mujoco><worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>'
    '<actuator><motor joint="j" delay=".01" nsample="5"/></actuator></mujoco>'
)
NEEDED: dict[str, dict[str, Any]] = {"Mujoco-v0": {"xml_file": MODEL}}


def draw(space: Any, rows: int, rng: np.random.Generator) -> Any:
    """Returns random actions, one row per environment or player."""
    if hasattr(space, "items"):
        return {name: draw(part, rows, rng) for name, part in space.items()}
    shape = (rows, *(space.shape or ()))
    if isinstance(space, gymnasium.spaces.MultiBinary):
        return rng.integers(0, 2, shape).astype(np.int32)
    if hasattr(space, "nvec"):
        return (rng.random(shape) * np.asarray(space.nvec)).astype(np.int32)
    if hasattr(space, "n"):
        return rng.integers(0, space.n, shape).astype(np.int32)
    low, high = (np.clip(np.asarray(bound, np.float64), -1, 1) for bound in (space.low, space.high))
    return (low + (high - low) * rng.random(shape)).astype(space.dtype)


def leaves(tree: Any) -> list[np.ndarray]:
    """Returns the arrays of a tree."""
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    if isinstance(tree, (tuple, list)):
        return [leaf for part in tree for leaf in leaves(part)]
    return [np.asarray(tree)]


class Progress:
    """A file that says what is being tried, for the report if the process dies."""

    def __init__(self, path: str | None) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT) if path else None
        self.tried = 0

    def __call__(self, what: str) -> None:
        self.tried += 1
        if self.file is not None:
            os.pwrite(self.file, what.ljust(300)[:300].encode(), 0)
        if self.tried % 16 == 0:
            faulthandler.dump_traceback_later(HANGS, exit=True)


def try_pool(task_id: str, rng: random.Random, whole: bool, progress: Progress) -> dict[str, int]:
    """Tries snapshots in the second of three environments; the others' results must stay the same."""
    options = NEEDED.get(task_id, {})
    fast = find(task_id).family in ("classic_control", "minatar")
    rendered = fast and Construction(find(task_id), options).can_render
    options = options | ({"render_mode": "rgb_array"} if rendered else {})
    env = envpool.make_gymnasium(task_id, num_envs=3, num_threads=1, seed=7, max_episode_steps=1000, **options)
    numbers = np.random.default_rng(3)
    space = env.action_space

    def step(given: np.random.Generator) -> Any:
        return env.step(draw(space, int(env.players().sum()) if each_acts else 3, given))

    def begin_with_a_seed() -> list[bytes]:
        seen, given = leaves(env.reset(seed=9)[0]), np.random.default_rng(4)
        return [array.tobytes() for array in seen + leaves(step(given)[:4])]

    env.reset()
    several = int(env.players().max()) > 1
    each_acts = env.spec.arrays.actors > 1  # otherwise, the action of a world with several players is its own
    as_new = begin_with_a_seed()
    env.reset(seed=7)

    for _ in range(40 if whole else 12):
        step(numbers)
        made = env.snapshot(1)
        env.restore(1, made)
        assert env.snapshot(1) == made, f"{task_id}: a state that a step made changed when it was restored"
    sound = [env.snapshot(i) for i in range(3)]
    signed = Signed(sound[1], state_of(env, 1))
    packed = Signed(sound[1])
    accepted = refused = 0
    expected: dict[tuple[int, int], list[bytes]] = {}  # by the numbers of steps

    def tried(what: str, state: bytes, steps: int = STEPS, held: int = 1) -> None:
        nonlocal accepted, refused
        progress(f"{task_id} pool: {what}")
        try:
            env.restore(1, state)
        except ValueError:
            refused += 1
            env.restore(1, sound[1])
            return
        accepted += 1
        env.restore(0, sound[0])
        env.restore(2, sound[2])
        seen, given = [], np.random.default_rng(5)
        for number in range(steps):
            if number % held == 0 or several:
                action = draw(space, int(env.players().sum()) if each_acts else 3, given)
            try:
                arrays = leaves(env.step(action)[:4])
            except RuntimeError:  # A host-only environment reported an error.
                env.restore(1, sound[1])
                return
            except ValueError:  # The restored episode is over, so the number of rows differs.
                return
            rows = 1 if not several else len(arrays[0]) // 3
            seen += [array[:rows].tobytes() + (array[-rows:].tobytes() if not several else b"") for array in arrays]
        if rendered and accepted % (4 if whole else 1) == 0:
            env.render([1])
        if seen != expected.setdefault((steps, held), seen) and not several:
            raise AssertionError(f"{task_id}: results of other environments changed after {what}")
        if (not whole or accepted % 4 == 0) and begin_with_a_seed() != as_new:
            raise AssertionError(f"{task_id}: a reset with a seed depends on {what}, which was restored before")

    tried("unchanged", sound[1])
    for held in HELD:
        tried("unchanged", sound[1], LONG, held)
    for players, over in itertools.product((-1, 0, 1, 5, 64, 100_000, 2**31 - 1), (-1, 0, 1, 2, 2**31 - 1)):
        tried(f"players {players}, over {over}", signed.with_head(players, over))
    for what, body in mutations(signed.body, [], rng, whole):
        tried(what, signed.with_body(body))
    for number, (what, body) in enumerate(changed_together(signed.body, rng, 64 if whole else 16)):
        tried(what, signed.with_body(body), LONG, HELD[number % 2])
    if packed.body != signed.body:
        for what, body in sampled_cases(packed.body, [], rng, 1500 if whole else 100):
            tried(f"packed, {what}", packed.with_body(body))
    for length in (0, 1, 31, 32, len(sound[1]) - 1, len(sound[1]) + 1):
        refused_or_raise(env, (sound[1] + b"\0")[:length], f"{task_id}: {length} bytes")
        refused += 1
    env.reset()
    env.close()
    refused += try_other_options(task_id, sound[1])
    return {"accepted": accepted, "refused": refused}


def refused_or_raise(env: Any, state: bytes, what: str) -> None:
    """Raises AssertionError if a state is accepted."""
    try:
        env.restore(0, state)
    except ValueError:
        return
    raise AssertionError(f"{what} was accepted")


def try_other_options(task_id: str, snapshot: bytes) -> int:
    """Tries a state in pools whose options give an array another shape. They must refuse the state."""
    needed = NEEDED.get(task_id, {})
    plain = envpool.make_spec(task_id, **needed)
    refused = 0
    for option in describe(task_id):
        if not option["changes_shapes"] or option["kind"] == "str" and not option["choices"]:
            continue
        now = getattr(plain.config, option["name"], option["default"])
        others = {
            "bool": [not now],
            "int": [int(now) + 2, int(now) + 1, int(now) - 1] if not isinstance(now, (str, tuple)) else [],
            "str": [choice for choice in option["choices"] if choice != now],
            "float": [],
        }[option["kind"]]
        for other in others:
            try:
                with envpool.make_gymnasium(
                    task_id, num_envs=1, num_threads=1, **needed, **{option["name"]: other}
                ) as env:
                    if env.spec.observation_space == plain.observation_space:
                        continue
                    refused_or_raise(env, snapshot, f"{task_id} with {option['name']}={other}: a state of {now}")
                    refused += 1
                    break
            except (ValueError, TypeError, RuntimeError, AttributeError):
                continue
    return refused


def describe(task_id: str) -> list[dict[str, Any]]:
    """Returns the options that the environment declares."""
    described: list[dict[str, Any]] = json.loads(find(task_id).load().describe())
    return described


def try_jax(task_id: str, rng: random.Random, whole: bool, progress: Progress, rows: int = 64) -> dict[str, int]:
    """Tries hostile rows of a batch in which every second row stays valid."""
    import jax
    import jax.numpy as jnp

    env, params = envpool.jax.make(task_id)
    obs, state = env.reset_batch(jax.random.PRNGKey(7), rows, params)
    numbers = np.random.default_rng(3)
    space = envpool.make_spec(task_id).action_space
    each = env.num_actors

    def some() -> Any:
        def shaped(array: Any) -> Any:
            return jnp.asarray(array.reshape((rows, each, *array.shape[1:]) if each > 1 else array.shape))

        return jax.tree.map(shaped, draw(space, rows * each, numbers))

    for _ in range(4):
        state = env.step_batch(None, state, some(), params)[1]
    actions = [some() for _ in range(STEPS)]

    @jax.jit
    def play(raw: Any, actions: Any) -> Any:
        now, results = type(state)(raw, state.format), []
        results.append(jax.vmap(lambda one: env.get_obs(one, params))(now))
        for action in actions:
            obs, now, reward, done, _ = env.step_batch(None, now, action, params)
            results.append((obs, reward, done))
        return results

    sound = np.array(state.raw)
    plain = [np.asarray(array)[::2].tobytes() for array in jax.tree.leaves(play(sound, actions))]
    body = sound[1].tobytes()
    parts = list(state.format.parts)
    waiting = list(mutations(body, parts, rng, whole, TAG))
    waiting += changed_together(body, rng, 256 if whole else 32, TAG)
    for first in range(0, len(waiting), rows // 2):
        some_of_them = waiting[first : first + rows // 2]
        hostile = sound.copy()
        for k, (what, row) in enumerate(some_of_them):
            progress(f"{task_id} jax: {what}, or one of the {len(some_of_them)} before")
            hostile[2 * k + 1] = np.frombuffer(row, np.uint32)
        seen = [np.asarray(array)[::2].tobytes() for array in jax.tree.leaves(play(hostile, actions))]
        if seen != plain:
            raise AssertionError(f"{task_id}: other rows of the batch changed with {some_of_them}")
    # Users call `replace` on every row, with values of the part's own dtype.
    replaced = 0
    for name, part in parts:
        for value in extremes(part.dtype):
            if part.dtype == "bool" and value > 1:
                continue
            progress(f"{task_id} jax: replace({name}={value})")
            given = np.full(part.shape, value, part.dtype)
            jax.block_until_ready(play(state.replace(**{name: given}).raw, actions))
            replaced += 1
            if not whole and replaced > 40:
                break
    wrong = sound.copy()
    wrong[3, TAG.start // 4] ^= 1
    try:
        jax.block_until_ready(play(wrong, actions))
    except Exception as error:  # The type that JAX raises differs between versions.
        assert "row 3" in str(error), error
    else:
        raise AssertionError(f"{task_id}: the state of another environment was accepted")
    return {"accepted": len(waiting) + replaced, "refused": 1}


# Values for leaves of parameters of any dtype.
HOSTILE = (
    math.nan,
    math.inf,
    -math.inf,
    1e38,
    -1e38,
    1e-45,
    0.0,
    -0.0,
    1.0,
    3,
    -1,
    255,
    2**31 - 1,
    -(2**31),
    0.99999994,
)


def try_params(task_id: str, rng: random.Random, whole: bool, progress: Progress) -> dict[str, int]:
    """Tries values of parameters, in the third of four rows. Each is either refused or safe to step."""
    import jax
    import jax.numpy as jnp

    env, params = envpool.jax.make(task_id, **NEEDED.get(task_id, {}))
    space = envpool.make_spec(task_id, **NEEDED.get(task_id, {})).action_space
    shape = (4, env.num_actors) if env.num_actors > 1 else (4,)
    drawn = draw(space, int(np.prod(shape)), np.random.default_rng(3))
    actions = jax.tree.map(lambda array: jnp.asarray(array.reshape(*shape, *array.shape[1:])), drawn)

    @jax.jit
    def play(given: Any) -> Any:
        obs, state = env.reset_batch(jax.random.PRNGKey(7), 4, given)
        results = [obs]
        for _ in range(STEPS):
            obs, state, reward, done, _ = env.step_batch(None, state, actions, given)
            results.append((obs, reward, done))
        return results

    accepted = refused = 0
    names = params.format.names
    each = [(name,) for name in names for _ in range(len(HOSTILE) if whole else 2)]
    several = [tuple(rng.sample(names, rng.randint(1, len(names)))) for _ in range(40 if whole else 10)]
    for number, changed in enumerate([*each, *several, ()]):  # at last, the values of make(), which are accepted
        leaves = {name: np.stack([leaf] * 4) for name, leaf in params.items()}
        for name in changed:
            value = HOSTILE[number % len(HOSTILE)] if whole and len(changed) == 1 else rng.choice(HOSTILE)
            with np.errstate(all="ignore"):
                leaf = np.float64(value).astype(leaves[name].dtype)
            chosen = np.array([rng.random() < 0.5 for _ in range(leaves[name][2].size)]).reshape(leaves[name][2].shape)
            leaves[name][2] = np.where(chosen | ~chosen.any(), leaf, leaves[name][2])
        progress(f"{task_id} params: { {name: leaves[name][2] for name in changed} }")
        try:
            jax.block_until_ready(play(type(params)(params.format, leaves.values())))
            accepted += 1
        except Exception as error:  # JAX's own type differs between versions
            assert "expected" in str(error) and "row 2" in str(error), error
            refused += 1
    return {"accepted": accepted, "refused": refused}


def portable(task_id: str) -> bool:
    """Returns whether JAX can step an id. MuJoCo's ids count as False, because loading them needs its package."""
    registration = find(task_id)
    return registration.family != "mujoco" and registration.load().flags & 1 != 0


# The ways to give an environment hostile data: snapshots for a pool, states for JAX, and parameters for JAX.
ENTRY_POINTS = {"pool": try_pool, "jax": try_jax, "params": try_params}


def child(arguments: argparse.Namespace) -> None:
    """Tries ids; prints a line of JSON for each."""
    warnings.simplefilter("ignore")
    progress = Progress(arguments.progress)
    for what in arguments.ids:
        entry_point, task_id = what.split(":", 1)
        rng = random.Random(f"{arguments.seed} {what}")
        progress(f"{task_id} {entry_point}: make")
        faulthandler.dump_traceback_later(2 * HANGS, exit=True)
        start = time.monotonic()
        found = ENTRY_POINTS[entry_point](task_id, rng, arguments.whole, progress)
        seconds = round(time.monotonic() - start, 2)
        print(json.dumps({"id": task_id, "entry_point": entry_point, **found, "seconds": seconds}), flush=True)
    faulthandler.cancel_dump_traceback_later()


def chosen(arguments: argparse.Namespace) -> list[str]:
    """Returns the runs to do, as "entry_point:id", where the entry_point is a key of ENTRY_POINTS."""
    families = set(arguments.families) - {"vizdoom"}  # its environments cannot save their states
    ids = arguments.ids or [i for i in envpool.list_all_envs() if find(i).family in families]
    rng = random.Random(arguments.seed)
    work = []
    for entry_point in arguments.entry_points:
        able = [i for i in ids if entry_point == "pool" or portable(i)]
        if not arguments.whole and not arguments.ids:
            always = [i for i in ALWAYS if i in able]
            able = [*always, *some_of([i for i in able if i not in always], 8 if entry_point == "pool" else 2, rng)]
        work += [f"{entry_point}:{i}" for i in able]
    return work


def _gist(text: str) -> str:
    """Returns a sanitizer's report from the output of a process, or its last lines."""
    lines = text.splitlines()
    report_line = next(
        (k for k, line in enumerate(lines) if "runtime error" in line or "ERROR: Addr" in line), len(lines) - 25
    )
    return "\n".join(line[:200] for line in lines[max(report_line, 0) :][:25])


def run(arguments: argparse.Namespace) -> int:
    """Distributes the ids to processes; prints and writes a summary of their results."""
    work, results, failed = chosen(arguments), [], []
    start = time.monotonic()
    while work:
        with tempfile.NamedTemporaryFile() as file:
            flags = ["--seed", arguments.seed, "--progress", file.name] + ["--whole"] * arguments.whole
            part = work[: arguments.each]
            command = [sys.executable, "-m", "tests.support.mutate_states", "--child", *flags, "--ids", *part]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            results += lines
            for line in lines:
                print(line, flush=True)
            work = work[len(lines) :]
            if done.returncode != 0:
                state = file.read().decode().strip()
                failed.append(state)
                print(f"FAILED ({done.returncode}) at {state}\n{_gist(done.stderr)}", flush=True)
                work = work[1:] if len(lines) < len(part) else work
    total = {
        "ids": len({line["id"] for line in results}),
        "runs": len(results),
        "accepted": sum(line["accepted"] for line in results),
        "refused": sum(line["refused"] for line in results),
        "failed": failed,
        "seconds": round(time.monotonic() - start),
        "seed": arguments.seed,
    }
    print(json.dumps(total, indent=1))
    if arguments.json:
        with open(arguments.json, "w") as out:
            json.dump({"total": total, "runs": results}, out, indent=1)
    return 1 if failed else 0


def main() -> None:
    """Parses the command line and tries the ids that it selects."""
    families = sorted({find(i).family for i in envpool.list_all_envs()})
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ids", nargs="+", default=[], help="try only these ids")
    parser.add_argument("--families", nargs="+", default=families, choices=families)
    parser.add_argument("--entry-points", nargs="+", default=[*ENTRY_POINTS], choices=[*ENTRY_POINTS])
    parser.add_argument("--whole", action="store_true", help="try every id, and every byte of states up to a kilobyte")
    parser.add_argument("--seed", default=str(datetime.datetime.now(datetime.timezone.utc).date()))
    parser.add_argument("--each", type=int, default=40, help="ids per process")
    parser.add_argument("--json", help="file to write the results to")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--progress", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments)
    else:
        sys.exit(run(arguments))


if __name__ == "__main__":
    main()
