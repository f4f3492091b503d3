# SPDX-License-Identifier: Apache-2.0
"""`make` and the environments that it returns.

Keys correspond to seeds as follows. The first two words of a key are the seed, most significant word first, so
`jax.random.key(7)` is `seed=7`. `reset(key)` is the first reset of environment 0 of a pool made with that seed, and
`reset_batch(key, n)` is the first reset of a pool of n environments. The state holds the seed, the stream and the
episode. A step whose key is `None` draws from these, as a pool does: if all keys are `None`, the trajectory equals bit
for bit the trajectory of a pool with autoreset_mode="same_step". A step with another key draws from that key, as in
gymnax, and stores it in the state.

With several players, observations, actions and rewards of players have an axis of players after the batch axis. Its
length is the maximum number of players. If the number of players varies, the rows of absent players are zero. If the
players take turns, there is one action, that of the player to move.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from envpool import _core
from envpool.jax import cuda, spaces, words
from envpool.jax.calls import Calls, shape_of
from envpool.jax.gymnax_names import cell_part, gymnax_state_names
from envpool.jax.params import EnvParams, ParamsFormat, as_operand, check_format, leaf_of, option_values
from envpool.jax.rows import EnvState, RowFormat, RowPart
from envpool.python import actions
from envpool.python.common_options import COMMON_OPTIONS
from envpool.python.construction import Construction, PureModel
from envpool.python.errors import labelled
from envpool.python.not_a_vec_env import NotAVecEnv
from envpool.python.options import LIMIT, as_number, shown
from envpool.python.registry import Registration, find, list_all_envs
from envpool.python.spaces import ArraySpecs, Field, action_tree, observation_tree, path_of, walk

_MAX_ROWS = 2**31 - 1


def make(task_id: str, *, step_values: int = 5, **options: Any) -> tuple[Environment, EnvParams]:
    """Makes a portable environment as pure functions.

    Args:
        task_id: one of `envpool.list_all_envs()`.
        step_values: the number of values that `step` returns: 5 for (obs, state, reward, done, info) as in gymnax
            0.0.9, 6 for (obs, state, reward, terminated, truncated, info) as in gymnax 1.
        **options: the environment's own options (`envpool.make_spec(task_id).options` describes them), and
            max_episode_steps.

    Returns:
        The environment, and its default parameters.

    Raises:
        ValueError: an unknown id, a value out of range, or an environment that is not portable.
        TypeError: an unknown option, or a value of the wrong type.
        MissingPackageError: a package that the environment needs is not installed.
        RuntimeError: the family is not built.
    """
    if step_values not in (5, 6):
        raise ValueError(f"[{task_id}] step_values: expected 5 or 6, got {shown(step_values)}")
    environment = make_as(Environment, task_id, options, step_values=step_values)
    return environment, environment.default_params


def portable_envs() -> list[str]:
    """Returns the ids that `make` accepts: portable environments whose shared object can be loaded."""
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
    """Makes an environment of the class `kind`, which is derived from Environment."""
    return _make_registered(kind, find(task_id), options, step_values)


def _make_registered(
    kind: type[AnyEnvironment], registration: Registration, options: Mapping[str, Any], step_values: int
) -> AnyEnvironment:
    construction = Construction(registration, dict(options))
    if construction.why and not construction.table.flags & _core.PORTABLE:
        raise ValueError(f"[{registration.task_id}] {construction.why}, which is not portable and runs only in pools")
    for name in options:
        if name in COMMON_OPTIONS and name not in construction.options and name != "max_episode_steps":
            raise TypeError(
                f"[{registration.task_id}] {name}: expected an option of the environment, got an option of pools: use "
                "vmap for batches and keys for seeds"
            )
    environment = kind(construction, step_values)
    environment._make_arguments = (registration, construction.caller_options, step_values)
    return environment


class Environment(NotAVecEnv):
    """Pure functions of a state, with gymnax's interface. They can be jitted, scanned and vmapped, in any order.

    Copying or unpickling an environment makes it again from the same id and options, so another process must have the
    same registration. Its model is freed when no Python object and no compiled program refers to it.

    Attributes:
        name: the id.
        num_players: the maximum number of players; the length of the axis of players if it is more than one.
        num_actors: the same for actions; 1 if the players take turns, so that the action is that of the player to move.
        default_params: the parameters that correspond to the options of `make`.
    """

    _make_arguments: tuple[Registration, dict[str, Any], int]
    _autoreset = True  # whether `step` and `step_batch` begin the next episode

    def __init__(self, construction: Construction, step_values: int) -> None:
        pure_model = construction.make_pure_model(*cuda.program_of(construction))
        arrays = construction.arrays
        self.name = construction.label
        self._construction = construction
        self._six = step_values == 6
        self._arrays = arrays
        self.num_players = arrays.max_players
        self.num_actors = arrays.actors
        self._state_format = RowFormat(
            construction.table.name,
            pure_model.tag,
            pure_model.state_bytes // 4,
            _state_parts(construction, pure_model),
            self.name,
        )
        options = {LIMIT.name: LIMIT, **{name: o for name, o in pure_model.options.items() if o.tunable}}
        fixed = tuple(name for name in pure_model.options if name not in options)
        self._params_format = ParamsFormat(construction.table.name, tuple(options), self.name, options, fixed)
        self._made = {LIMIT.name: pure_model.max_episode_steps, **pure_model.values}
        self._default_params: dict[bool, EnvParams] = {}  # by jax_enable_x64
        observation_bytes = sum(
            int(np.prod(shape_of(arrays, field))) * field.dtype.itemsize for field in arrays.observations
        )
        self._row_bytes = pure_model.state_bytes + observation_bytes
        self._calls = calls = Calls(arrays, self._state_format.words, pure_model)
        self._reset = jax.jit(calls.reset, static_argnames=("options",))
        self._step = jax.jit(calls.step, static_argnames=("options", "num_next", "keyed", "autoreset"))

    def __reduce__(self) -> Any:
        return _make_registered, (type(self), *self._make_arguments)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def _for_sb3(self) -> tuple[str, str, int, int]:
        return self.name, "pure functions for JAX", 1, self.num_players

    @property
    def default_params(self) -> EnvParams:
        """The parameters that correspond to the options of `make`."""
        wide = bool(jax.config.jax_enable_x64)
        if wide not in self._default_params:
            options = self._params_format.options
            leaves = [leaf_of(self.name, options[name], self._made[name], made=True) for name in options]
            self._default_params[wide] = EnvParams(self._params_format, leaves)
        return self._default_params[wide]

    @property
    def params_space(self) -> Any:
        """The space of the parameters of one environment, by name: the bounds of the options."""
        return spaces.of_options(self._params_format.options)

    @property
    def num_actions(self) -> int:
        """The number of actions (of one player) if the action space is discrete, otherwise the length of an action."""
        tree = action_tree(self._arrays)
        if isinstance(tree, dict):
            raise ValueError(
                f"[{self.name}] num_actions: expected an action of one field, got the fields {', '.join(tree)}"
            )
        field: Field = tree
        counted = field.discrete and field.shape == ()
        return field.discrete if counted else int(np.prod(field.shape))

    def action_space(self, params: EnvParams | None = None) -> Any:
        """Returns the action space of the environment, or of one player if there are several.

        Its bounds are those of `params`, or inside `jit` those of `default_params`.
        """
        return spaces.space(action_tree(self._arrays_of(params)))

    def observation_space(self, params: EnvParams | None = None) -> Any:
        """Returns the observation space of the environment, or of one player if there are several.

        Its bounds are those of `params`, or inside `jit` those of `default_params`. The space of a player includes the
        fields that all players share.
        """
        return spaces.space(observation_tree(self._arrays_of(params)))

    def _arrays_of(self, params: EnvParams | None) -> ArraySpecs:
        if params is None:
            return self._arrays
        _, values = self._params(params)
        if not values or any(isinstance(value, jax.core.Tracer) for value in values):
            return self._arrays
        return self._construction.arrays_with(option_values(params, self.default_params, self._made))

    def reset(self, key: Any, params: EnvParams | None = None) -> tuple[Any, EnvState]:
        """Starts the first episode of a key.

        Args:
            key: a key of `jax.random.key` or `jax.random.PRNGKey`.
            params: parameters of this environment; None: `default_params`.

        Returns:
            The observation, with the shape and dtype of the observation space, and the state. Without
            `jax_enable_x64`, 64-bit numbers are converted to 32 bits.

        Raises:
            TypeError: key is not a key, or params are not EnvParams.
            ValueError: key is an array of keys, or params belong to another environment.
        """
        return self._first(self._key(key), np.uint32(0), *self._params(params))

    def reset_batch(self, key: Any, num_envs: int, params: EnvParams | None = None) -> tuple[Any, EnvState]:
        """Starts `num_envs` episodes from one key. They equal the episodes of a pool with as many environments.

        Each environment draws from its own stream.

        Args:
            key: a key of `jax.random.key` or `jax.random.PRNGKey`.
            num_envs: the number of environments, from 1 to 2**31 - 1, which cannot be traced.
            params: the parameters of one environment, or a row for each; None: `default_params`.

        Returns:
            Observations of shape (num_envs, ...), and the states of all environments.

        Raises:
            TypeError: key is not a key, or params are not EnvParams.
            MemoryError: the states and observations need more memory than this process may use or, on a GPU, than
                JAX may use on its default GPU.
            ValueError: num_envs is not an int in that range, key is an array of keys, or params belong to another
                environment.
        """
        count = as_number(num_envs, "int")
        if count is None or not 1 <= count <= _MAX_ROWS:
            raise ValueError(f"[{self.name}] num_envs: expected an int from 1 to 2**31 - 1, got {shown(num_envs)}")
        num_envs = int(count)
        usable, where = cuda.usable_memory()
        if self._row_bytes * num_envs > usable:
            raise MemoryError(f"[{self.name}] num_envs: no memory for {num_envs} states and observations{where}")
        return self._first(self._key(key)[None], self._streams(num_envs), *self._params(params, num_envs))

    def step(
        self,
        key: Any,
        state: EnvState,
        action: Any,
        params: EnvParams | None = None,
        *,
        next_params: EnvParams | None = None,
    ) -> Any:
        """Steps the environment, and starts the next episode if the step ends one.

        Args:
            key: the key that the step draws from and stores in the state; None: the step draws from the generator in
                the state, as an environment of a pool does.
            state: a state of this environment.
            action: an action in `action_space()`.
            params: parameters of this environment; None: `default_params`.
            next_params: the parameters with which the next episode starts, if the step ends one; None: `params`. They
                are then those of the following steps: `params = next_params.where(done, params)`.

        Returns:
            (obs, state, reward, done, info) or, with step_values=6, (obs, state, reward, terminated, truncated, info).
            If the episode ended, obs and state begin the next one. reward is float32; done, terminated and truncated
            are bool. `info` contains the observation after the step and before any reset ("final_observation"),
            discount (float32), terminated, truncated, elapsed_step (int32), and the environment's entries. An
            environment's entry replaces one of the same name, as the `terminated` of Atari games does, which says that
            the game is over. With several players, reward and discount have one element per player,
            `info["players"]["present"]` tells which players exist, and done, terminated and truncated belong to the
            environment.

        Raises:
            TypeError: an argument is of the wrong type or dtype.
            ValueError: a wrong shape, a state or parameters of another environment, or an action out of range. If the
                action is traced, the program raises JAX's runtime error with the same text instead.
        """
        return self._advance(key, state, action, params, autoreset=self._autoreset, next_params=next_params)

    def step_env(self, key: Any, state: EnvState, action: Any, params: EnvParams | None = None) -> Any:
        """Steps as `step` does, but never resets.

        Steps after the end of an episode keep the state and return reward 0.
        """
        return self._advance(key, state, action, params, autoreset=False)

    def reset_env(self, key: Any, params: EnvParams | None = None) -> tuple[Any, EnvState]:
        """Does the same as `reset`; gymnax has both names."""
        return self.reset(key, params)

    def state_space(self, params: EnvParams | None = None) -> Any:
        """Returns a space of all named parts of a state, under gymnax's names where they differ from ours.

        The bounds are those of the dtypes; an environment need not reach them.
        """
        params = self.default_params if params is None else params
        self._params(params)  # raises an error unless they are the parameters of one environment
        limit = params.max_episode_steps
        row_format = self._state_format
        theirs = {ours: name for name, ours in gymnax_state_names(row_format.name, row_format.names).items()}
        parts = [(theirs.get(name, name), part) for name, part in row_format.parts]
        return spaces.of_parts(parts, None if isinstance(limit, jax.core.Tracer) else int(limit))

    def discount(self, state: EnvState, params: EnvParams | None = None) -> Any:
        """Returns 0 if the state is terminal according to `is_terminal`, else 1."""
        return jnp.where(self.is_terminal(state, params), jnp.float32(0), jnp.float32(1))

    def get_obs(self, state: EnvState, params: EnvParams | None = None, key: Any = None) -> Any:
        """Returns the observation of a state. The key is unused; gymnax's functions take one."""
        return self._seen(state, params)[0]

    def get_info(self, state: EnvState, params: EnvParams | None = None) -> dict[str, Any]:
        """Returns the environment's entries of `info` for a state, such as its action_mask.

        The `info` of a step that ends an episode belongs to the last state of that episode, and not to the first one of
        the next, which `step` returns.
        """
        info = self._seen(state, params)[-1]
        own = {path_of(field.name)[0] for field in self._arrays.infos}
        return {name: value for name, value in info.items() if name in own}

    def _seen(self, state: EnvState, params: EnvParams | None) -> Any:
        """Returns what a step of a state returns that changes nothing: a step after the end of an episode."""
        self._check_state(state)
        idle = walk(
            action_tree(self._arrays),
            lambda field: jnp.zeros(shape_of(self._arrays, field), jax.dtypes.canonicalize_dtype(field.dtype)),
            lambda _, content: content,
        )
        return self._advance(None, state.replace(over=True), idle, params, autoreset=False)

    def is_terminal(self, state: EnvState, params: EnvParams | None = None) -> Any:
        """Returns whether the episode has ended, including by the time limit.

        This is never true of a state that `step` returns, because `step` begins the next episode.
        """
        self._check_state(state)
        return state.over

    def step_batch(
        self,
        key: Any,
        state: EnvState,
        action: Any,
        params: EnvParams | None = None,
        *,
        next_params: EnvParams | None = None,
    ) -> Any:
        """Steps a batch of states, such as `reset_batch` returns. With a key, each row draws from its own stream.

        Args:
            key: one key for all rows, or None.
            state: states of num_envs rows.
            action: an array of shape (num_envs, ...).
            params: the parameters of one environment, or a row for each; None: `default_params`.
            next_params: the parameters with which the next episodes start, as `params`; None: `params`.

        Returns:
            The same as `step`, with num_envs rows.

        Raises:
            TypeError: as `step` does.
            ValueError: as `step` does; state is not a batch.
        """
        self._check_state(state)
        if state.raw.ndim != 2:
            raise ValueError(
                f"[{self.name}] state: expected a batch of shape (num_envs, {self._state_format.words}), "
                f"got {state.raw.shape}"
            )
        rows = state.raw.shape[0]
        return self._advance(key, state, action, params, rows=rows, autoreset=self._autoreset, next_params=next_params)

    # --- arguments ---

    def _key(self, key: Any) -> Any:
        dtype = getattr(key, "dtype", None)
        if dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
            key = jax.random.key_data(key)
            dtype = key.dtype
        if dtype != np.uint32:
            got = type(key).__name__ if dtype is None else str(dtype)
            raise TypeError(f"[{self.name}] key: expected a key of jax.random (uint32), got {got}")
        if key.shape == (4,):  # of the generator "rbg": a key of two words, twice, or four random words ("unsafe_rbg")
            key = key[:2]
        if key.shape != (2,):
            raise ValueError(
                f"[{self.name}] key: expected one key of two words (or four, of the generator 'rbg'), shape (2,), got "
                f"shape {key.shape}"
            )
        return jnp.asarray(key)

    def _params(
        self, params: EnvParams | None, rows: int | None = None, argument: str = "params"
    ) -> tuple[tuple[int, ...], list[Any]]:
        """Returns the numbers and the values of the options that may differ from those of `make`."""
        if params is None:
            return (), []
        row_format = self._params_format
        check_format(row_format, params, argument)
        numbers, values = [], []
        for (name, leaf), (_, default) in zip(params.items(), self.default_params.items(), strict=True):
            if leaf is default or (isinstance(leaf, np.generic) and leaf.dtype == default.dtype and leaf == default):
                continue
            option = row_format.options[name]
            value = as_operand(self.name, option, leaf)
            shape, one = np.shape(value), option.shape
            if shape != one and (rows is None or shape != (rows, *one)):
                expected = f"{one}" if rows is None else f"{one} or {(rows, *one)}"
                hint = "; use jax.vmap or step_batch for a batch" if rows is None else ""
                raise ValueError(f"[{self.name}] {name}: expected shape {expected}, got {shape}{hint}")
            numbers.append(row_format.number(name))
            values.append(value if rows is None or shape != one else jnp.reshape(value, (1, *one)))
        return tuple(numbers), values

    def _check_state(self, state: EnvState, argument: str = "state") -> None:
        row_format = self._state_format
        if not isinstance(state, EnvState):
            raise TypeError(
                f"[{self.name}] {argument}: expected an EnvState of {row_format.name}, got {type(state).__name__}"
            )
        if state.format != row_format:
            raise ValueError(
                f"[{self.name}] {argument}: expected a state of {row_format.name}, "
                f"got a state of {_other(row_format, state)}"
            )

    def _rows(self, name: str, raw: Any, row_format: RowFormat, rows: int | None) -> Any:
        if raw.dtype != np.uint32:
            raise TypeError(f"[{self.name}] {name}: expected rows of uint32, got {raw.dtype}")
        if raw.shape == (row_format.words,):
            return raw if rows is None else raw[None]
        if rows is None or raw.shape != (rows, row_format.words):
            expected = f"({row_format.words},)" if rows is None else f"({rows}, {row_format.words})"
            hint = "; use jax.vmap or step_batch for a batch" if rows is None else ""
            raise ValueError(f"[{self.name}] {name}: expected shape {expected}, got {raw.shape}{hint}")
        return raw

    def _action(self, field: Field, action: Any, rows: int | None) -> Any:
        array = action if isinstance(action, jax.core.Tracer) else actions.as_array(field, action)
        shape, row_owner = shape_of(self._arrays, field), ""
        if rows is not None:
            shape, row_owner = (rows, *shape), "environment"
        players = self.num_players if field.per_player else 1
        array = actions.check(field, array, shape, row_owner, players=players)
        if not isinstance(array, np.ndarray) and array.dtype.kind in "iu" and field.dtype.kind in "iu":
            limits, given = np.iinfo(field.dtype), np.iinfo(array.dtype)
            if given.max > limits.max:  # Narrowing must not wrap a number into the range.
                array = jnp.clip(array, max(limits.min, given.min), limits.max)
        return words.passed(jnp.asarray(array).astype(jax.dtypes.canonicalize_dtype(field.dtype)), field.dtype)

    def _actions(self, action: Any, rows: int | None) -> list[Any]:
        fields = self._arrays.actions
        with labelled(self.name):
            values = actions.split(fields, action)
            return [self._action(field, values[field.name], rows) for field in fields]

    def _streams(self, rows: int) -> Any:
        return jnp.arange(rows, dtype=jnp.uint32)

    # --- calls ---

    def _first(self, key: Any, stream: Any, options: tuple[int, ...], values: list[Any]) -> tuple[Any, EnvState]:
        obs, raw = self._reset(key, stream, values, options=options)
        return obs, EnvState(raw, self._state_format)

    def _advance(
        self,
        key: Any,
        state: EnvState,
        action: Any,
        params: EnvParams | None,
        *,
        autoreset: bool,
        rows: int | None = None,
        next_params: EnvParams | None = None,
    ) -> Any:
        self._check_state(state)
        raw = self._rows("state", state.raw, self._state_format, rows)
        if key is None:
            keyed, words = "keep_key", jnp.zeros(2, jnp.uint32)
        else:
            keyed, words = "new_key" if rows is None else "new_key_and_stream", self._key(key)
        stream = np.uint32(0) if rows is None else self._streams(1 if key is None else rows)
        words = words if rows is None else words[None]
        options, values = self._params(params, rows)
        num_next = -1
        if next_params is not None and next_params is not params:
            next_options, next_values = self._params(next_params, rows, "next_params")
            options, values, num_next = options + next_options, values + next_values, len(next_options)
        obs, raw, reward, terminated, truncated, info = self._step(
            words,
            stream,
            raw,
            self._actions(action, rows),
            values,
            options=options,
            num_next=num_next,
            keyed=_core.KEYED[keyed],
            autoreset=autoreset,
        )
        state = EnvState(raw, self._state_format)
        if self._six:
            return obs, state, reward, terminated, truncated, info
        return obs, state, reward, jnp.logical_or(terminated, truncated), info


def _other(row_format: RowFormat, row: EnvState) -> str:
    return row.format.name + (" with other options" if row.format.name == row_format.name else "")


def _state_parts(construction: Construction, pure_model: PureModel) -> tuple[tuple[str, RowPart], ...]:
    parts = {
        entry["name"]: RowPart(entry["offset"], entry["dtype"], (entry["count"],) if entry["count"] else ())
        for entry in json.loads(pure_model.view)
    }
    cell = cell_part(construction.table.name, construction.config)
    if cell is not None:
        name, (row, column), columns = cell
        assert parts[column].offset == parts[row].offset + 4
        parts[name] = replace(parts[row], columns=columns)
    return tuple(parts.items())
