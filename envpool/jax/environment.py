# SPDX-License-Identifier: Apache-2.0
"""`make` and the environment it returns.

How keys and seeds meet: a key's two words are the seed, most significant first, so `jax.random.key(7)` is `seed=7`.
`reset(key)` is the first reset of environment 0 of a pool made with that seed, `reset_batch(key, n)` that of a pool of
n. The state carries seed, stream and episode, and draws from them as the pool does, as long as steps are given
`None` for a key: then a trajectory is that of the pool with autoreset_mode="same_step", bit for bit. A step that is
given a key draws from it, as gymnax's do, and the state goes on with that key.

Of several players, what each of them sees, does and gets has an axis of them after the batch's, as long as the most
there can be. Those who are not there, where their number changes from episode to episode, have zeros.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from envpool import _core
from envpool.jax import ffi, spaces
from envpool.jax.rows import EnvParams, EnvState, Form, Model, Part, model_of, option_values
from envpool.python import actions
from envpool.python.construction import Construction, Functional
from envpool.python.errors import labelled
from envpool.python.options import COMMON, NO_LIMIT, Option
from envpool.python.registry import Registration, find, list_all_envs
from envpool.python.spaces import ArraySpecs, Field, action_tree, nest, observation_tree, path_of, walk

_MOST_ROWS = 2**31 - 1


def make(task_id: str, *, step_values: int = 5, **options: Any) -> tuple[Environment, EnvParams]:
    """Makes a portable environment as pure functions.

    Args:
        task_id: one of `envpool.list_all_envs()`.
        step_values: what `step` returns: 5 is (obs, state, reward, done, info) as in gymnax 0.0.9, 6 is (obs, state,
            reward, terminated, truncated, info) as in gymnax 1.
        **options: the environment's own (`envpool.make_spec(task_id).options` describes them), and max_episode_steps.

    Returns:
        The environment, and its default parameters.

    Raises:
        ValueError: an unknown id, a value out of range, or an environment that cannot be a pure function.
        TypeError: an unknown option, or a value of the wrong type.
        MissingPackageError: a package that the environment needs is not installed.
        RuntimeError: the family is not built.
    """
    if step_values not in (5, 6):
        raise ValueError(f"[{task_id}] step_values must be 5 or 6, got {step_values!r}")
    environment = make_as(Environment, task_id, options, step_values=step_values)
    return environment, environment.default_params


def portable_envs() -> list[str]:
    """The ids that `make` takes: those of portable environments whose family is built and can be loaded."""
    return [task_id for task_id in list_all_envs() if _is_portable(find(task_id))]


def _is_portable(registration: Registration) -> bool:
    try:
        return bool(registration.load().flags & _core.PORTABLE)
    except RuntimeError:
        return False


AnyEnvironment = TypeVar("AnyEnvironment", bound="Environment")


def make_as(
    kind: type[AnyEnvironment], task_id: str, options: Mapping[str, Any], *, step_values: int
) -> AnyEnvironment:
    """Makes an environment of a class that is derived from Environment."""
    return _made(kind, find(task_id), options, step_values)


def _made(
    kind: type[AnyEnvironment], registration: Registration, options: Mapping[str, Any], step_values: int
) -> AnyEnvironment:
    construction = Construction(registration, dict(options))
    for name in options:
        if name in COMMON and name not in construction.options and name != "max_episode_steps":
            raise TypeError(
                f"[{registration.task_id}] {name} is an option of pools: batches are made by vmap, and seeds are keys"
            )
    environment = kind(construction, step_values)
    environment._again = (registration, dict(options), step_values)
    return environment


class Environment:
    """Pure functions of a state, with gymnax's interface. They can be jitted, scanned and vmapped, in any order.

    An environment can be copied and pickled: it is made again of the same id and options, so another process needs
    what those name. What it keeps in memory is given back when no Python object and no compiled program refers to it.

    Attributes:
        name: the id.
        num_players: the most players there can be; the length of their axis where that is more than one.
        default_params: the parameters that the options of `make` gave.
    """

    _again: tuple[Registration, dict[str, Any], int]

    def __init__(self, construction: Construction, step_values: int) -> None:
        functional = construction.make_functional()
        arrays = construction.arrays
        self.name = construction.label
        self._construction = construction
        self._six = step_values == 6
        self._arrays = arrays
        self.num_players = arrays.max_players
        self._default_raw = np.frombuffer(functional.params, np.uint32)
        kind = (construction.table.name, int(self._default_raw[0]))
        options = {"max_episode_steps": _LIMIT, **functional.options}
        self._state_form = Form(*kind, functional.state_bytes // 4, _state_parts(functional), self.name)
        self._params_form = Form(*kind, functional.params_bytes // 4, _params_parts(functional), self.name, options)
        self._model = model_of(functional, self._params_form)
        shown = sum(int(np.prod(_shape(arrays, field))) * field.dtype.itemsize for field in arrays.observations)
        self._row_bytes = functional.state_bytes + shown
        calls = _Calls(arrays, self._state_form.words, self._model, functional.is_info)
        self._reset = jax.jit(calls.reset)
        self._step = jax.jit(calls.step, static_argnames=("keyed", "autoreset"))

    def __reduce__(self) -> Any:
        return _made, (type(self), *self._again)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def default_params(self) -> EnvParams:
        """The parameters that the options of `make` gave."""
        return EnvParams(jnp.asarray(self._default_raw), self._params_form, self._model)

    @property
    def num_actions(self) -> int:
        """How many actions (of one player) there are, where they are counted; else the length of an action."""
        tree = action_tree(self._arrays)
        if isinstance(tree, dict):
            raise ValueError(f"[{self.name}] num_actions: an action has the parts {', '.join(tree)}")
        field: Field = tree
        counted = field.discrete and field.shape == ()
        return field.discrete if counted else int(np.prod(field.shape))

    def action_space(self, params: EnvParams | None = None) -> Any:
        """The space of actions, with the bounds that `params` give it; inside of `jit`, those of `default_params`.

        Of several players, one's.
        """
        return spaces.space(action_tree(self._arrays_of(params)))

    def observation_space(self, params: EnvParams | None = None) -> Any:
        """The space of observations, with the bounds that `params` give it; inside of `jit`, `default_params`'s.

        Of several players, one's, with what their world shows to all.
        """
        return spaces.space(observation_tree(self._arrays_of(params)))

    def _arrays_of(self, params: EnvParams | None) -> ArraySpecs:
        if params is None:
            return self._arrays
        raw = self._params(params)
        if isinstance(raw, jax.core.Tracer) or np.array_equal(raw, self._default_raw):
            return self._arrays
        return self._construction.arrays_with(option_values(params))

    def reset(self, key: Any, params: EnvParams | None = None) -> tuple[Any, EnvState]:
        """Begins the first episode of a key.

        Args:
            key: of `jax.random.key` or `jax.random.PRNGKey`.
            params: parameters of this environment; None: `default_params`.

        Returns:
            The observation, of the space's shape and dtype, and the state. Without `jax_enable_x64`, 64-bit numbers
            are shown in 32 bits.

        Raises:
            TypeError: key is none, or params are not EnvParams.
            ValueError: key is not a single one, or params are another environment's.
        """
        return self._first(self._key(key), np.uint32(0), self._params(params))

    def reset_batch(self, key: Any, num_envs: int, params: EnvParams | None = None) -> tuple[Any, EnvState]:
        """Begins `num_envs` episodes from one key: those of a pool of as many environments.

        Each draws from a stream of its own.

        Args:
            key: of `jax.random.key` or `jax.random.PRNGKey`.
            num_envs: how many, from 1 to 2**31 - 1; it is known while tracing.
            params: one environment's, or a row for each; None: `default_params`.

        Returns:
            Observations of shape (num_envs, ...), and the state of all.

        Raises:
            TypeError: key is none, or params are not EnvParams.
            MemoryError: this process may not use as much more memory as these states and observations need.
            ValueError: num_envs is no int in that range, key is not a single one, or params are another environment's.
        """
        if not isinstance(num_envs, int) or isinstance(num_envs, bool) or not 1 <= num_envs <= _MOST_ROWS:
            raise ValueError(f"[{self.name}] num_envs must be an int from 1 to 2**31 - 1, got {num_envs!r}")
        if self._row_bytes * num_envs > _core.usable_memory():
            raise MemoryError(f"[{self.name}] num_envs: no memory for {num_envs} states and observations")
        return self._first(self._key(key)[None], self._streams(num_envs), self._params(params, num_envs))

    def step(self, key: Any, state: EnvState, action: Any, params: EnvParams | None = None) -> Any:
        """Does a step, and where it ends the episode begins the next one.

        Args:
            key: what the step draws from, and the state goes on with; None: what the state holds, as a pool's
                environment does.
            state: of this environment.
            action: in `action_space()`.
            params: parameters of this environment; None: `default_params`.

        Returns:
            (obs, state, reward, done, info), or with 6 values (obs, state, reward, terminated, truncated, info).
            Where the episode ended, obs and state are the next one's first. reward is float32, done (or terminated
            and truncated) bool. `info` holds the step's own last observation ("final_observation"), discount
            (float32), terminated, truncated, elapsed_step (int32), and what the environment itself has to say of the
            step. Of several players, reward and discount are each one's, and `info["players"]["present"]` says who
            was there; done, terminated and truncated are the world's.

        Raises:
            TypeError: an argument is of the wrong type or dtype.
            ValueError: a wrong shape; a state or parameters of another environment; an action out of range, if it is
                known while tracing. Else that is JAX's runtime error, with the same text.
        """
        return self._advance(key, state, action, params, None, True)

    def step_env(self, key: Any, state: EnvState, action: Any, params: EnvParams | None = None) -> Any:
        """The same without a restart: an episode that has ended stays where it is, with reward 0."""
        return self._advance(key, state, action, params, None, False)

    def reset_env(self, key: Any, params: EnvParams | None = None) -> tuple[Any, EnvState]:
        """The same as `reset`."""
        return self.reset(key, params)

    def state_space(self, params: EnvParams | None = None) -> Any:
        """A space of all named parts of a state, by name; the number of steps is `time`, as in gymnax.

        Bounds are those of a part's dtype: what an environment can reach is less.
        """
        limit = self.default_params.max_episode_steps if params is None else params.max_episode_steps
        return spaces.of_parts(self._state_form.parts, None if isinstance(limit, jax.core.Tracer) else int(limit))

    def discount(self, state: EnvState, params: EnvParams | None = None) -> Any:
        """1, and 0 in a terminal state, by `is_terminal`."""
        return jnp.where(self.is_terminal(state, params), jnp.float32(0), jnp.float32(1))

    def get_obs(self, state: EnvState, params: EnvParams | None = None, key: Any = None) -> Any:
        """What is observed in a state. The key is not used; gymnax's functions take one."""
        self._check_state(state)
        # A step of an episode that has ended does nothing but observe.
        idle = walk(
            action_tree(self._arrays),
            lambda field: jnp.zeros(_shape(self._arrays, field), jax.dtypes.canonicalize_dtype(field.dtype)),
            lambda _, content: content,
        )
        return self._advance(None, state.replace(over=True), idle, params, None, False)[0]

    def is_terminal(self, state: EnvState, params: EnvParams | None = None) -> Any:
        """Whether `step_env` has ended the episode, by the time limit too; `step` has begun the next one by then."""
        self._check_state(state)
        return state.over

    def step_batch(self, key: Any, state: EnvState, action: Any, params: EnvParams | None = None) -> Any:
        """`step` of a batch, as `reset_batch` begins it, with one key or None: each row has a stream of its own.

        Args:
            key: one key for all rows, or None.
            state: of num_envs rows, as `reset_batch` returns it.
            action: of shape (num_envs, ...).
            params: one environment's, or a row for each; None: `default_params`.

        Returns:
            What `step` returns, with num_envs rows.

        Raises:
            TypeError: as `step` does.
            ValueError: as `step` does, or state is no batch.
        """
        self._check_state(state)
        if state.raw.ndim != 2:
            raise ValueError(
                f"[{self.name}] state: expected a batch of shape (num_envs, {self._state_form.words}), "
                f"got {state.raw.shape}"
            )
        return self._advance(key, state, action, params, state.raw.shape[0], True)

    # --- arguments ---

    def _key(self, key: Any) -> Any:
        dtype = getattr(key, "dtype", None)
        if dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
            key = jax.random.key_data(key)
            dtype = key.dtype
        if dtype != np.uint32:
            got = type(key).__name__ if dtype is None else str(dtype)
            raise TypeError(f"[{self.name}] key: expected a key of jax.random (uint32), got {got}")
        if key.shape != (2,):
            raise ValueError(f"[{self.name}] key: expected one key of two words, shape (2,), got shape {key.shape}")
        return jnp.asarray(key)

    def _params(self, params: EnvParams | None, rows: int | None = None) -> Any:
        form = self._params_form
        if params is None:
            raw = jnp.asarray(self._default_raw)
            return raw if rows is None else raw[None]
        if not isinstance(params, EnvParams):
            raise TypeError(f"[{self.name}] params: expected EnvParams of {form.name}, got {type(params).__name__}")
        if params.form != form:
            raise ValueError(
                f"[{self.name}] params: expected those of {form.name}, got those of {_other(form, params)}"
            )
        return self._rows("params", params.raw, form, rows)

    def _check_state(self, state: EnvState) -> None:
        form = self._state_form
        if not isinstance(state, EnvState):
            raise TypeError(f"[{self.name}] state: expected an EnvState of {form.name}, got {type(state).__name__}")
        if state.form != form:
            raise ValueError(f"[{self.name}] state: expected one of {form.name}, got one of {_other(form, state)}")

    def _rows(self, name: str, raw: Any, form: Form, rows: int | None) -> Any:
        if raw.dtype != np.uint32:
            raise TypeError(f"[{self.name}] {name}: expected its bytes as uint32, got {raw.dtype}")
        if raw.shape == (form.words,):
            return raw if rows is None else raw[None]
        if rows is None or raw.shape != (rows, form.words):
            expected = f"({form.words},)" if rows is None else f"({rows}, {form.words})"
            hint = "; jax.vmap or step_batch take a batch" if rows is None else ""
            raise ValueError(f"[{self.name}] {name}: expected shape {expected}, got {raw.shape}{hint}")
        return raw

    def _action(self, field: Field, action: Any, rows: int | None) -> Any:
        given = action if isinstance(action, jax.core.Tracer) else actions.as_array(field, action)
        own, each = _shape(self._arrays, field), ""
        if rows is not None:
            own, each = (rows, *own), "environment"
        players = self.num_players if field.per_player else 1
        given = actions.check(field, given, own, each, players=players)
        if not isinstance(given, np.ndarray) and given.dtype.kind in "iu" and given.dtype != field.dtype:
            limits = np.iinfo(field.dtype)
            if np.iinfo(given.dtype).max > limits.max:
                given = jnp.clip(given, limits.min, limits.max)  # so that it stays out of range
        return jnp.asarray(given).astype(jax.dtypes.canonicalize_dtype(field.dtype))

    def _actions(self, action: Any, rows: int | None) -> list[Any]:
        fields = self._arrays.actions
        with labelled(self.name):
            values = actions.split(fields, action)
            return [self._action(field, values[field.name], rows) for field in fields]

    def _streams(self, rows: int) -> Any:
        return jnp.arange(rows, dtype=jnp.uint32)

    # --- calls ---

    def _first(self, key: Any, stream: Any, params: Any) -> tuple[Any, EnvState]:
        obs, raw = self._reset(key, stream, params)
        return obs, EnvState(raw, self._state_form)

    def _advance(
        self, key: Any, state: EnvState, action: Any, params: EnvParams | None, rows: int | None, autoreset: bool
    ) -> Any:
        self._check_state(state)
        raw = self._rows("state", state.raw, self._state_form, rows)
        if key is None:
            keyed, words = "keep_key", jnp.zeros(2, jnp.uint32)
        else:
            keyed, words = "new_key" if rows is None else "new_key_and_stream", self._key(key)
        stream = np.uint32(0) if rows is None else self._streams(1 if key is None else rows)
        words = words if rows is None else words[None]
        obs, raw, reward, terminated, truncated, info = self._step(
            words,
            stream,
            self._params(params, rows),
            raw,
            self._actions(action, rows),
            keyed=_core.KEYED[keyed],
            autoreset=autoreset,
        )
        state = EnvState(raw, self._state_form)
        if self._six:
            return obs, state, reward, terminated, truncated, info
        return obs, state, reward, jnp.logical_or(terminated, truncated), info


class _Calls:
    """The calls of the handlers, traced. It refers to the model, and not to an environment's jitted functions."""

    def __init__(self, arrays: ArraySpecs, words: int, model: Model, is_info: list[bool]) -> None:
        self._arrays = arrays
        self._words = words
        self._model = model
        self._attributes = {
            "model": model.number,
            "observed": np.int64(sum(1 << f for f, info in enumerate(is_info) if not info)),
        }

    def _results(self, fields: tuple[Field, ...], extents: tuple[int, ...]) -> list[jax.ShapeDtypeStruct]:
        return [
            jax.ShapeDtypeStruct((*extents, *_shape(self._arrays, field)), jax.dtypes.canonicalize_dtype(field.dtype))
            for field in fields
        ]

    def _observation(self, values: list[Any]) -> Any:
        if self._arrays.single_observation:
            return values[0]
        return nest(
            (path_of(field.name), value) for field, value in zip(self._arrays.observations, values, strict=True)
        )

    def reset(self, key: Any, stream: Any, params: Any) -> tuple[Any, Any]:
        """Observations, and rows of states."""
        extents = jnp.shape(stream)
        results = [jax.ShapeDtypeStruct((*extents, self._words), jnp.uint32)]
        results += self._results(self._arrays.observations, extents)
        raw, *values = ffi.call("envpool_reset", results, key, stream, params, **self._attributes)
        return self._observation(values), raw

    def step(
        self, key: Any, stream: Any, params: Any, raw: Any, actions: list[Any], *, keyed: int, autoreset: bool
    ) -> Any:
        """Observations, rows of states, reward, terminated, truncated and info."""
        extents = raw.shape[:-1]
        arrays = self._arrays
        most = arrays.max_players
        several = most > 1
        each = (*extents, most) if several else extents
        results = [
            jax.ShapeDtypeStruct((*extents, self._words), jnp.uint32),
            *(jax.ShapeDtypeStruct(each, jnp.float32) for _ in ("reward", "discount")),
            *(jax.ShapeDtypeStruct(extents, jnp.bool_) for _ in ("terminated", "truncated")),
            *(jax.ShapeDtypeStruct(extents, jnp.int32) for _ in ("elapsed", "players")[: 1 + several]),
            *self._results(arrays.observations * (2 if autoreset else 1), extents),
            *self._results(arrays.infos, extents),
        ]
        attributes = {**self._attributes, "keyed": np.int64(keyed), "autoreset": np.int64(autoreset)}
        raw = ffi.with_extents_of(raw, key, stream, params, *actions)
        raw, reward, discount, terminated, truncated, elapsed, *rest = ffi.call_over(
            "envpool_step", results, {3: 0}, key, stream, params, raw, *actions, **attributes
        )
        players = rest.pop(0) if several else None
        count = len(arrays.observations)
        obs = self._observation(rest[:count])
        last = obs
        if autoreset:  # the handler writes the rows that ended; XLA leaves this out if nobody looks at it
            ended = jnp.logical_or(terminated, truncated)
            finals = zip(rest[count : 2 * count], rest[:count], strict=True)
            last = self._observation([_where(ended, final, value) for final, value in finals])
        own = rest[-len(arrays.infos) :] if arrays.infos else []
        info = nest((path_of(field.name), value) for field, value in zip(arrays.infos, own, strict=True))
        info |= {
            "discount": discount,
            "terminated": terminated,
            "truncated": truncated,
            "elapsed_step": elapsed,
            "final_observation": last,
        }
        if players is not None:
            present = jnp.arange(most) < players[..., None]
            info["players"] = {**info.get("players", {}), "present": present}
        return obs, raw, reward, terminated, truncated, info


def _shape(arrays: ArraySpecs, field: Field) -> tuple[int, ...]:
    several = field.per_player and arrays.max_players > 1
    return (arrays.max_players, *field.shape) if several else field.shape


def _other(form: Form, row: EnvState | EnvParams) -> str:
    return row.form.name + (" with other options" if row.form.name == form.name else "")


_LIMIT = Option("max_episode_steps", "int", 0, 0, NO_LIMIT)


def _where(rows: Any, yes: Any, no: Any) -> Any:
    return jnp.where(rows.reshape(rows.shape + (1,) * (yes.ndim - rows.ndim)), yes, no)


def _state_parts(functional: Functional) -> tuple[tuple[str, Part], ...]:
    return tuple(
        (entry["name"], Part(entry["offset"], entry["dtype"], (entry["count"],) if entry["count"] else ()))
        for entry in json.loads(functional.view)
    )


def _params_parts(functional: Functional) -> tuple[tuple[str, Part], ...]:
    shown = {"bool": "bool", "int": "int32", "float": "float64", "str": "int32"}
    parts = [("max_episode_steps", Part(4, "int32"))]
    for index, (name, option) in enumerate(functional.options.items()):
        if option.kind != "str" or option.choices:
            parts.append((name, Part(functional.params_values + 8 * index, "float64", (), shown[option.kind])))
    return tuple(parts)
