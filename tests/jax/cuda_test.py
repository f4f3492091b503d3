# SPDX-License-Identifier: Apache-2.0
"""Tests the handlers for GPUs: on a mock of XLA with the stand-in's device memory, and in programs exported for CUDA.

The stand-in's memory cannot be read by the host, so a handler that touches an operand on the host crashes here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.cuda import nvrtc
from envpool.cuda.nvrtc import NvrtcError
from tests.cuda.nvrtc import SOURCE
from tests.jax.xla import COMMAND_BUFFER_COMPATIBLE, INITIALIZE, INSTANTIATE, DeviceBuffer, Xla, XlaError
from tests.standin.driver import STANDIN, Driver

jax = pytest.importorskip("jax")
jnp = jax.numpy

from envpool.jax import words  # noqa: E402

pytestmark = [
    pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are"),
    pytest.mark.filterwarnings("ignore:.*is a stand-in"),
]

KEY = jax.random.PRNGKey(11)
KEEP_KEY, NEW_KEY, NEW_KEY_AND_STREAM = range(3)


class OnGpu:
    """An environment whose handlers for GPUs are called through the mock."""

    def __init__(self, xla: Xla, task_id: str, **options: Any) -> None:
        self.xla = xla
        self.env, self.params = envpool.jax.make(task_id, **options)
        self._arrays = self.env._arrays
        self.attributes = {"model": int(self.env._calls._attributes["model"]), "observed": self._observed()}

    def _observed(self) -> int:
        info = self.env._calls._pure_model.is_info
        return sum(1 << f for f, is_info in enumerate(info) if not is_info)

    def upload(self, array: Any) -> DeviceBuffer:
        return DeviceBuffer.of(self.xla.driver, array)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> DeviceBuffer:
        return DeviceBuffer(self.xla.driver, shape, dtype)

    def reset(self, key: Any, streams: Any, extents: tuple[int, ...], **options: Any) -> list[DeviceBuffer]:
        """Returns the states and the observations. `options` are arrays with the extents of the batch, or 1."""
        results = [
            self.empty((*extents, self.env._state_format.words), np.uint32),
            *self._fields(extents),
            *self._fields(extents, self._arrays.infos),
        ]
        arguments = [self.upload(array) for array in (key, streams, *options.values())]
        self.xla.call("envpool_reset", arguments, results, options=self.numbers(options), **self.attributes)
        return results

    def numbers(self, names: Iterable[str]) -> list[int]:
        return [self.params.format.number(name) for name in names]

    def step_operands(self, key: Any, streams: Any, states: Any, *rest: Any) -> list[DeviceBuffer]:
        """Returns the operands; `rest` are actions and options."""
        return [self.upload(array) for array in (key, streams, states, *rest)]

    def step_results(self, extents: tuple[int, ...]) -> list[DeviceBuffer]:
        players = self.env.num_players
        each = (*extents, players) if players > 1 else extents
        columns = [(each, np.float32)] * 2 + [(extents, np.bool_)] * 2 + [(extents, np.int32)] * (1 + (players > 1))
        return [
            self.empty((*extents, self.env._state_format.words), np.uint32),
            *(self.empty(shape, dtype) for shape, dtype in columns),
            *self._fields(extents),
            *self._fields(extents),
            *self._fields(extents, self._arrays.infos),
            *self._fields(extents, self._arrays.infos),
        ]

    def step(
        self,
        operands: list[DeviceBuffer],
        results: list[DeviceBuffer],
        keyed: int = KEEP_KEY,
        options: Iterable[str] = (),
    ) -> None:
        numbers = self.numbers(options)
        self.xla.call(
            "envpool_step", operands, results, keyed=keyed, autoreset=1, num_next=-1, options=numbers, **self.attributes
        )

    def _fields(self, extents: tuple[int, ...], fields: Any = None) -> list[DeviceBuffer]:
        players = self.env.num_players
        made = []
        for field in self._arrays.observations if fields is None else fields:
            several = (players,) if field.per_player and players > 1 else ()
            made.append(self.empty((*extents, *several, *field.shape), field.dtype))
        return made


def has_nvrtc() -> bool:
    try:
        return bool(nvrtc.load())
    except NvrtcError:
        return False


@pytest.fixture
def xla(monkeypatch: pytest.MonkeyPatch) -> Iterator[Xla]:
    if not has_nvrtc():
        pytest.skip("needs NVRTC, which is not installed with the old releases of JAX")
    monkeypatch.setenv("ENVPOOL_LIBCUDA", str(STANDIN))
    monkeypatch.delenv("ENVPOOL_STANDIN_MODE", raising=False)
    envpool.jax.ffi._interface()  # this tells the handlers how to compile
    yield Xla(Driver())


def random_actions(env: Any, rows: int, seed: int) -> Any:
    shape = (rows, env.num_actors) if env.num_actors > 1 else (rows,)
    draws = jax.random.split(jax.random.key(seed), int(np.prod(shape)))
    return jax.vmap(env.action_space().sample)(draws).reshape(*shape, *env.action_space().shape)


@pytest.mark.parametrize("task_id", ["CartPole-v1", "FrozenLake-v1", "TagGridWorld-v0", "Acrobot-v1", "ConnectFour-v1"])
def test_steps_on_a_gpu_are_those_of_the_cpu(xla: Xla, task_id: str) -> None:
    rows, steps = 37, 60
    gpu = OnGpu(xla, task_id, max_episode_steps=17)
    env = gpu.env
    streams = np.arange(rows, dtype=np.uint32)
    states, obs = gpu.reset(KEY[None], streams, (rows,))[:2]
    expected_obs, expected = env.reset_batch(KEY, rows)
    np.testing.assert_array_equal(states.numpy(), expected.raw)
    np.testing.assert_array_equal(obs.numpy(), jax.tree.leaves(expected_obs)[0])
    raw, ends = states.numpy(), 0
    for step in range(steps):
        action = random_actions(env, rows, step)
        operands = gpu.step_operands(KEY[None], streams[:1], raw, action)
        results = gpu.step_results((rows,))
        gpu.step(operands, results)
        next_obs, expected, reward, done, info = env.step_batch(None, expected, action)
        raw = results[0].numpy()
        np.testing.assert_array_equal(raw, expected.raw)
        for ours, theirs in zip(
            results[1:6],
            (reward, info["discount"], info["terminated"], info["truncated"], info["elapsed_step"]),
            strict=True,
        ):
            np.testing.assert_array_equal(ours.numpy(), theirs)
        columns = 6 + (env.num_players > 1)
        np.testing.assert_array_equal(results[columns].numpy(), jax.tree.leaves(next_obs)[0])
        ended = np.asarray(done)
        last = results[columns + len(gpu._arrays.observations)].numpy()
        np.testing.assert_array_equal(last[ended], np.asarray(jax.tree.leaves(info["final_observation"])[0])[ended])
        ends += int(ended.sum())
    assert ends >= rows


def test_a_step_works_in_place_and_with_broadcast_operands(xla: Xla) -> None:
    gpu = OnGpu(xla, "CartPole-v1")
    _, state = gpu.env.reset_batch(KEY, 6)
    raw = np.asarray(state.raw).reshape(3, 2, -1)
    grid = np.linspace(5.0, 15, 3).astype(np.float32)
    params = gpu.params.replace(gravity=grid)
    keys = np.asarray(jax.random.split(jax.random.PRNGKey(1), 2))
    actions = np.array([[0, 1]], np.int32)
    expected = jax.vmap(jax.vmap(gpu.env.step, (0, 0, 0, None)), (None, 0, None, params.axes()))(
        keys, type(state)(jnp.asarray(raw), state.format), actions[0], params
    )
    operands = gpu.step_operands(keys[None], np.zeros((1, 1), np.uint32), raw, actions, grid[:, None])
    for results in (gpu.step_results((3, 2)), [operands[2], *gpu.step_results((3, 2))[1:]]):  # the second time in place
        gpu.step(operands, results, NEW_KEY, ["gravity"])
        np.testing.assert_array_equal(results[0].numpy(), expected[1].raw)
        np.testing.assert_array_equal(results[6].numpy(), expected[0])
    # One state, stepped with three values of an option.
    operands = gpu.step_operands(keys[:1], np.zeros(1, np.uint32), raw[:1, 0], np.ones(1, np.int32), grid)
    results = gpu.step_results((3,))
    gpu.step(operands, results, NEW_KEY, ["gravity"])
    one = jax.tree.map(lambda array: array[0, 0], type(state)(jnp.asarray(raw), state.format))
    expected = jax.vmap(gpu.env.step, (None, None, None, params.axes()))(keys[0], one, 1, params)
    np.testing.assert_array_equal(results[0].numpy(), expected[1].raw)


OPTIONS: dict[str, dict[str, Any]] = {  # of every dtype; the members are of others
    "CartPole-v1": {
        "max_episode_steps": [9, 3, 500, 4],
        "gravity": [9.8, 5, 12, -3],
        "kinematics_integrator": [0, 1, 1, 0],
        "sutton_barto_reward": [False, True, False, True],
        "length": [0.5, 0.4, 0.3, 0.2],
    },
    "TagGridWorld-v0": {
        "grid_length": [5, 9, 3, 7],
        "wall_hit_penalty": [0.1, 0.5, 1, 2],
        "episode_length": [5, 3, 9, 2],
    },
    "LunarLander-v3": {
        "gravity": [-10, -2, -11.5, -0.5],
        "enable_wind": [False, True, True, False],
        "wind_power": [15, 3, 20, 0],
        "turbulence_power": [1.5, 2, 0, 0.3],
    },
    "MiniGrid-Dynamic-Obstacles-8x8-v0": {
        "max_episode_steps": [500, 4, 7, 9],
        "n_obstacles": [4, 0, 2, 30],
        "random_start": [False, True, True, False],
        "max_steps": [5, 0, 3, 6],
        "see_through_walls": [True, False, True, False],
    },
    "HalfCheetah-v4": {
        "max_episode_steps": [1000, 4, 0, 9],
        "frame_skip": [5, 1, 3, 2],
        "forward_reward_weight": [1, 0.3, -2, 5],
        "ctrl_cost_weight": [0.1, 3, 0, 1e-3],
        "reset_noise_scale": [0.1, 0, 0.01, 1],
        "model.opt.gravity": [[0, 0, -9.81], [0, 0, -9.81], [1, 0, -5], [0, 0, 0]],
        "model.body_mass": [[0, 6, 1.5, 1.5, 1, 1.5, 1.2, 0.8], [0, *[2] * 7], [0, *[1] * 7], [0, *[0.1] * 7]],
        "model.actuator_gainprm": [[[gain, *[3] * 9]] * 6 for gain in (1, 0.5, -1, 2)],
    },
}


@pytest.mark.sampled(one_in=3, always=("CartPole", "TagGridWorld"))
@pytest.mark.parametrize("task_id", OPTIONS)
def test_options_that_differ_between_environments(xla: Xla, task_id: str) -> None:
    compare_with_cpu(xla, task_id)


@pytest.mark.skipif(not has_nvrtc(), reason="needs NVRTC")
@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("task_id", ["CartPole-v1", "TagGridWorld-v0"])
def test_options_that_differ_between_environments_cause_no_races(task_id: str) -> None:
    """Runs the comparison in another process, because a process uses one mode of the stand-in."""
    program = (
        "import envpool.jax; from tests.jax.cuda_test import Driver, Xla, compare_with_cpu; "
        f"envpool.jax.ffi._interface(); compare_with_cpu(Xla(Driver()), {task_id!r})"
    )
    settings = {"ENVPOOL_LIBCUDA": str(STANDIN), "ENVPOOL_STANDIN_MODE": "races", "ENVPOOL_STANDIN_XLA": ""}
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, env={**os.environ, **settings})


def compare_with_cpu(xla: Xla, task_id: str) -> None:
    """Steps four environments with different options on the stand-in and on the CPU, and compares them."""
    gpu = OnGpu(xla, task_id)
    params = gpu.params.replace(**OPTIONS[task_id])
    columns = {name: np.asarray(getattr(params, name)) for name in OPTIONS[task_id]}
    states = gpu.reset(KEY[None], np.arange(4, dtype=np.uint32), (4,), **columns)[0]
    _, expected = gpu.env.reset_batch(KEY, 4, params)
    np.testing.assert_array_equal(states.numpy(), expected.raw)
    raw = states.numpy()
    for step in range(20):
        action = random_actions(gpu.env, 4, step)
        sent = words.passed(action, gpu.env._arrays.actions[0].dtype)
        operands = gpu.step_operands(KEY[None], np.zeros(1, np.uint32), raw, sent, *columns.values())
        results = gpu.step_results((4,))
        gpu.step(operands, results, options=columns)
        _, expected, reward, *_ = gpu.env.step_batch(None, expected, action, params)
        raw = results[0].numpy()
        np.testing.assert_array_equal(raw, expected.raw)
        np.testing.assert_array_equal(results[1].numpy(), reward)


@pytest.mark.parametrize(
    "name,value,text",
    [
        ("length", 0, "length: expected a number from 1e-06 to 1000000"),
        ("length", np.nan, "length: expected a number from 1e-06 to 1000000"),
        ("max_episode_steps", -1, "max_episode_steps: expected a number from 0 to 2147483647"),
        ("kinematics_integrator", 2, "kinematics_integrator: expected an integer from 0 to 1"),
    ],
)
def test_bad_options_are_reported_by_the_next_call(xla: Xla, name: str, value: float, text: str) -> None:
    gpu = OnGpu(xla, "CartPole-v1")
    _, state = gpu.env.reset_batch(KEY, 4)
    column = np.repeat(getattr(gpu.params, name), 4)
    column[2] = value
    operands = gpu.step_operands(KEY[None], np.zeros(1, np.uint32), state.raw, np.zeros(4, np.int32), column)
    results = gpu.step_results((4,))
    gpu.step(operands, results, options=[name])
    expected = gpu.env.step_batch(None, state, np.zeros(4, np.int32))
    good = np.array([True, True, False, True])
    np.testing.assert_array_equal(results[0].numpy()[good], np.asarray(expected[1].raw)[good])
    np.testing.assert_array_equal(results[0].numpy()[2], np.asarray(state.raw)[2])  # the row was not stepped
    with pytest.raises(XlaError, match=rf"^\[CartPole-v1\] {text}, got another in row 2; an earlier call on the GPU"):
        gpu.step(operands[:4], results)


def test_batches_of_many_dimensions(xla: Xla) -> None:
    """Dimensions that cannot be merged take several launches."""
    gpu = OnGpu(xla, "CartPole-v1")
    extents = (2, 3, 2, 1, 3, 2, 2)
    rng = np.random.default_rng(0)
    shapes = [tuple(rng.choice([1, e]) for e in extents) for _ in range(3)]
    keys = rng.integers(0, 2**32, (*shapes[0], 2), np.uint32)
    streams = rng.integers(0, 99, shapes[1], np.uint32)
    limits = rng.integers(1, 9, shapes[2], np.int32)
    names = {"max_episode_steps": limits}
    states = gpu.reset(keys, streams, extents, **names)[0].numpy()
    assert gpu.env._state_format.words == states.shape[-1]
    for index in np.ndindex(*extents):
        at = [tuple(i if e > 1 else 0 for i, e in zip(index, shape, strict=True)) for shape in shapes]
        one = {"max_episode_steps": limits[at[2]]}
        episode = np.asarray(gpu.reset(keys[at[0]], streams[at[1]], (), **one)[0].numpy())
        np.testing.assert_array_equal(states[index], episode)


def test_operands_that_do_not_fit_the_batch_are_refused(xla: Xla) -> None:
    gpu = OnGpu(xla, "CartPole-v1")
    streams, values = np.zeros(3, np.uint32), np.ones(3, np.float32)
    for key, stream, gravity in (
        (KEY[None].repeat(2, 0), streams, values),
        (KEY[None], streams[:2], values),
        (KEY[None][:0], streams, values),
        (KEY[None], streams, values[:2]),
    ):
        with pytest.raises(XlaError, match="an operand does not fit into the batch"):
            gpu.reset(key, stream, (3,), gravity=gravity)


def test_a_captured_step_is_replayed(xla: Xla) -> None:
    driver = xla.driver
    gpu = OnGpu(xla, "CartPole-v1")
    assert xla.traits("envpool_step") == xla.traits("envpool_reset") == COMMAND_BUFFER_COMPATIBLE
    _, state = gpu.env.reset_batch(KEY, 8)
    action = np.arange(8, dtype=np.int32) % 2
    operands = gpu.step_operands(KEY[None], np.zeros(1, np.uint32), state.raw, action)
    results = [operands[2], *gpu.step_results((8,))[1:]]
    xla.call(
        "envpool_step",
        operands,
        results,
        stage=INSTANTIATE,
        keyed=0,
        autoreset=1,
        num_next=-1,
        options=[],
        **gpu.attributes,
    )
    xla.call(
        "envpool_step",
        operands,
        results,
        stage=INITIALIZE,
        keyed=0,
        autoreset=1,
        num_next=-1,
        options=[],
        **gpu.attributes,
    )
    driver.call("cuStreamBeginCapture_v2", xla.stream, 0)
    gpu.step(operands, results)
    graph = driver.get("cuStreamEndCapture", xla.stream, at=1)
    np.testing.assert_array_equal(operands[2].numpy(), state.raw)  # nothing has run
    executable = driver.get("cuGraphInstantiateWithFlags", graph, 0)
    for _ in range(40):
        driver.call("cuGraphLaunch", executable, xla.stream)
        _, state, *_ = gpu.env.step_batch(None, state, action)
        np.testing.assert_array_equal(results[0].numpy(), state.raw)


def test_rows_that_cannot_be_used_are_reported_by_the_next_call(xla: Xla) -> None:
    gpu = OnGpu(xla, "CartPole-v1")
    _, state = gpu.env.reset_batch(KEY, 5)
    raw, action = np.array(state.raw), np.zeros(5, np.int32)

    tag = int(np.flatnonzero(raw[2] == gpu.env._state_format.tag)[0])  # its place in a state

    def step(raw: Any = raw, action: Any = action) -> list[np.ndarray]:
        operands = gpu.step_operands(KEY[None], np.zeros(1, np.uint32), raw, action)
        results = gpu.step_results((5,))
        gpu.step(operands, results)
        return [result.numpy() for result in results]

    good = step()
    for name, change, expected, row in (
        ("action", lambda a: a.__setitem__(3, 7), r"action: expected an integer in 0..1, got another in row 3", 3),
        (
            "raw",
            lambda a: a.__setitem__((2, tag), 1),
            "state: expected rows of CartPole with the options of this environment, got another kind in row 2",
            2,
        ),
    ):
        changed = {"action": action, "raw": raw}[name].copy()
        change(changed)
        results = step(**{name: changed})
        rows = np.arange(5) != row
        for ours, theirs in zip(results[:7], good, strict=False):
            np.testing.assert_array_equal(ours[rows], theirs[rows])
        if name == "action":
            np.testing.assert_array_equal(results[0][row], raw[row])
            np.testing.assert_array_equal(results[1][row], 0)
        with pytest.raises(XlaError, match=rf"^\[CartPole-v1\] {expected}.*; an earlier call on the GPU reported this"):
            step()
        for ours, theirs in zip(step()[:7], good, strict=False):  # a fault is reported once
            np.testing.assert_array_equal(ours, theirs)


def test_models_are_freed(xla: Xla) -> None:
    def use() -> None:
        gpu = OnGpu(xla, "MountainCar-v0", max_episode_steps=41)
        gpu.reset(KEY[None], np.zeros(3, np.uint32), (3,))

    counts = {}
    for turn in range(3):
        use()
        xla.driver.synchronize()
        import gc

        gc.collect()
        counts[turn] = [xla.driver.count(what) for what in ("modules", "streams")]
    assert counts[1] == counts[2]


def test_errors_of_the_driver_and_the_compiler(xla: Xla, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = OnGpu(xla, "Pendulum-v1", max_episode_steps=43)
    arguments = [gpu.upload(array) for array in (KEY[None], np.zeros(3, np.uint32))]
    results = [gpu.empty((3, gpu.env._state_format.words), np.uint32), gpu.empty((3, 3), np.float32)]

    def reset() -> None:
        xla.call("envpool_reset", arguments, results, options=[], **gpu.attributes)

    xla.driver.fail(6, 2)  # the first calls enter the context
    with pytest.raises(XlaError, match="CUDA_ERROR_OUT_OF_MEMORY"):
        reset()
    xla.driver.fail(0)

    def no_compiler(*_: Any, **__: Any) -> bytes:
        raise RuntimeError("[envpool.cuda] there is no NVRTC, which compiles environments for a GPU")

    monkeypatch.setattr("envpool.cuda.cache.image", no_compiler)
    with pytest.raises(XlaError, match="there is no NVRTC, which compiles environments for a GPU"):
        reset()
    monkeypatch.undo()
    reset()
    np.testing.assert_array_equal(results[0].numpy(), gpu.env.reset_batch(KEY, 1)[1].raw.repeat(3, 0))


def test_export_for_cuda() -> None:
    export = pytest.importorskip("jax.export")
    env, params = envpool.jax.make("CartPole-v1")

    def rollout(key: Any, actions: Any) -> Any:
        obs, state = env.reset_batch(key, 16, params)

        def step(state: Any, action: Any) -> Any:
            obs, state, reward, done, _ = env.step_batch(None, state, action, params)
            return state, (obs, reward, done)

        return jax.lax.scan(step, state, actions)[1]

    checks = [export.DisabledSafetyCheck.custom_call(f"envpool_{name}") for name in ("reset", "step")]
    arguments = jax.eval_shape(lambda: (jax.random.PRNGKey(0), jnp.zeros((9, 16), jnp.int32)))
    exported = export.export(jax.jit(rollout), platforms=["cpu", "cuda"], disabled_checks=checks)(*arguments)
    assert exported.platforms == ("cpu", "cuda")
    text = exported.mlir_module()
    assert text.count("@envpool_step") == 1 and "output_operand_alias" in text
    actions = np.random.default_rng(0).integers(0, 2, (9, 16)).astype(np.int32)
    given = exported.call(jax.random.PRNGKey(4), actions)
    jax.tree.map(np.testing.assert_array_equal, given, jax.jit(rollout)(jax.random.PRNGKey(4), actions))


PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
import jax, jax.numpy as jnp, numpy as np, envpool
import envpool.jax

made = {task_id: envpool.jax.make(task_id, max_episode_steps=50) for task_id in sys.argv[2:]}

def train(key, task_id, rows, steps):
    env, params = made[task_id]
    shape = (rows, env.num_players) if env.num_players > 1 else (rows,)
    def step(carry, key):
        state, total = carry
        action = jax.random.randint(key, shape, 0, env.num_actions)
        obs, state, reward, done, info = env.step_batch(None, state, action, params)
        return (state, total + reward), (obs, reward, done, info["final_observation"])
    obs, state = env.reset_batch(key, rows, params)
    return jax.lax.scan(step, (state, jnp.zeros(shape)), jax.random.split(key, steps))

results = []
for task_id in sys.argv[2:]:
    results += jax.tree.leaves(jax.jit(train, static_argnums=(1, 2, 3))(jax.random.PRNGKey(3), task_id, 9, 120))
    results += jax.tree.leaves(jax.vmap(lambda k: train(k, task_id, 3, 20))(jax.random.split(jax.random.PRNGKey(5), 4)))
np.savez(sys.argv[1], *[np.asarray(result) for result in results])
"""


@pytest.mark.skipif(bool(os.environ.get("ENVPOOL_STANDIN_XLA")), reason="compares with the CPU's handlers")
@pytest.mark.skipif(not has_nvrtc(), reason="needs NVRTC")
def test_jitted_programs_give_the_bits_of_the_cpu(tmp_path: Any) -> None:
    """Makes XLA's CPU backend call the handlers for GPUs, in the stand-in's flat mode."""
    flat = {"ENVPOOL_LIBCUDA": str(STANDIN), "ENVPOOL_STANDIN_MODE": "flat", "ENVPOOL_STANDIN_XLA": "1"}
    for name, extra in (("cpu", {}), ("gpu", flat)):
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / f"{name}.npz"), "CartPole-v1", "TagGridWorld-v0"]
        subprocess.run(command, check=True, env={**os.environ, **extra})
    cpu, gpu = (np.load(tmp_path / f"{name}.npz") for name in ("cpu", "gpu"))
    assert len(cpu.files) == len(gpu.files) > 10
    for name in cpu.files:
        np.testing.assert_array_equal(cpu[name].view(np.uint8), gpu[name].view(np.uint8))


def test_the_switch_of_the_stand_in_needs_a_stand_in() -> None:
    program = "import envpool.jax; envpool.jax.make('CartPole-v1')[0].reset(__import__('jax').random.key(0))"
    environment = {**os.environ, "ENVPOOL_STANDIN_XLA": "1", "ENVPOOL_STANDIN_MODE": ""}
    made = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert made.returncode and "ENVPOOL_STANDIN_XLA: expected a stand-in driver" in made.stderr
