# SPDX-License-Identifier: Apache-2.0
"""Calls the XLA handlers that reset and step environments as pure functions."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envpool.jax import ffi, words
from envpool.python.construction import PureModel
from envpool.python.spaces import ArraySpecs, Field, nest, path_of


class Calls:
    """The functions that JAX traces for an environment.

    They refer to the model but not to the Environment, whose jitted functions would otherwise form a reference cycle.
    """

    def __init__(self, arrays: ArraySpecs, words: int, pure_model: PureModel) -> None:
        self._arrays = arrays
        self._words = words
        self._pure_model = pure_model  # kept alive for programs that are traced but not yet compiled
        self._attributes = {
            "model": np.int64(pure_model.model_ref.number),
            "observed": np.int64(sum(1 << f for f, info in enumerate(pure_model.is_info) if not info)),
        }

    def _results(self, fields: tuple[Field, ...], extents: tuple[int, ...]) -> list[jax.ShapeDtypeStruct]:
        return [words.passed_as((*extents, *shape_of(self._arrays, field)), field.dtype) for field in fields]

    @staticmethod
    def _values(passed: list[Any], fields: tuple[Field, ...]) -> list[Any]:
        """Returns the values that a handler passed for these fields."""
        return [words.received(value, field.dtype) for value, field in zip(passed, fields, strict=True)]

    def _observation(self, values: list[Any]) -> Any:
        if self._arrays.single_observation:
            return values[0]
        return nest(
            (path_of(field.name), value) for field, value in zip(self._arrays.observations, values, strict=True)
        )

    def reset(self, key: Any, stream: Any, values: list[Any], *, options: tuple[int, ...]) -> tuple[Any, Any]:
        """Returns observations, and rows of states. `values` are those of the options with the given numbers."""
        attributes = {**self._attributes, "options": np.array(options, np.int32)}
        extents = jnp.shape(stream)
        results = [jax.ShapeDtypeStruct((*extents, self._words), jnp.uint32)]
        results += self._results(self._arrays.observations + self._arrays.infos, extents)
        raw, *passed = ffi.call("envpool_reset", results, key, stream, *values, **attributes)
        observations = self._arrays.observations
        return self._observation(self._values(passed[: len(observations)], observations)), raw

    def step(
        self,
        key: Any,
        stream: Any,
        raw: Any,
        actions: list[Any],
        values: list[Any],
        *,
        options: tuple[int, ...],
        num_next: int,
        keyed: int,
        autoreset: bool,
    ) -> Any:
        """Returns observations, rows of states, reward, terminated, truncated and info.

        The last `num_next` options are those of the episodes that start after the step; -1: they have the same options.
        """
        extents = raw.shape[:-1]
        arrays = self._arrays
        several = arrays.max_players > 1
        each = (*extents, arrays.max_players) if several else extents
        results = [
            jax.ShapeDtypeStruct((*extents, self._words), jnp.uint32),
            *(jax.ShapeDtypeStruct(each, jnp.float32) for _ in ("reward", "discount")),
            *(jax.ShapeDtypeStruct(extents, jnp.bool_) for _ in ("terminated", "truncated")),
            *(jax.ShapeDtypeStruct(extents, jnp.int32) for _ in ("elapsed", "players")[: 1 + several]),
            *self._results(arrays.observations * (2 if autoreset else 1), extents),
            *self._results(arrays.infos * (2 if autoreset else 1), extents),
        ]
        attributes = {
            **self._attributes,
            "keyed": np.int64(keyed),
            "autoreset": np.int64(autoreset),
            "options": np.array(options, np.int32),
            "num_next": np.int64(num_next),
        }
        raw = ffi.with_extents_of(raw, key, stream, *values, *actions)
        raw, reward, discount, terminated, truncated, elapsed, *rest = ffi.call_aliased(
            "envpool_step", results, {2: 0}, key, stream, raw, *actions, *values, **attributes
        )
        players = rest.pop(0) if several else None
        fields = arrays.observations * (2 if autoreset else 1) + arrays.infos * (2 if autoreset else 1)
        rest = self._values(rest, fields)
        count = len(arrays.observations)
        obs = self._observation(rest[:count])
        last = obs
        if autoreset:  # The handler writes only the rows that ended. XLA removes this code if the result is unused.
            ended = jnp.logical_or(terminated, truncated)
            finals = zip(rest[count : 2 * count], rest[:count], strict=True)
            last = self._observation([_where(ended, final, value) for final, value in finals])
        own = rest[count * (2 if autoreset else 1) :][: len(arrays.infos)]
        info = {
            "discount": discount,
            "terminated": terminated,
            "truncated": truncated,
            "elapsed_step": elapsed,
            "final_observation": last,
            # An environment's entry replaces one of the same name, as in pools: `terminated` of Atari games says that
            # the game is over, even if an episode is one life.
            **nest((path_of(field.name), value) for field, value in zip(arrays.infos, own, strict=True)),
        }
        if players is not None:
            present = jnp.arange(arrays.max_players) < players[..., None]
            info["players"] = {**info.get("players", {}), "present": present}
        return obs, raw, reward, terminated, truncated, info


def shape_of(arrays: ArraySpecs, field: Field) -> tuple[int, ...]:
    """Returns the shape of a field in one row, with an axis of players if it has a value for each of several players."""
    several = field.per_player and arrays.max_players > 1
    return (arrays.max_players, *field.shape) if several else field.shape


def _where(rows: Any, yes: Any, no: Any) -> Any:
    return jnp.where(rows.reshape(rows.shape + (1,) * (yes.ndim - rows.ndim)), yes, no)
