# SPDX-License-Identifier: Apache-2.0
"""The options of a reset, `reset(options={...})`, which gymnasium passes to the environment."""

from __future__ import annotations

import json
import math
from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from envpool._core import DevicePool, Pool
from envpool.python.construction import Construction
from envpool.python.family import StartRange
from envpool.python.options import as_number, check_seed, is_sequence, shown, wrong_type, wrong_value
from envpool.python.pool_options import changing_names, check_new_options


def ids_of_mask(env_id: Any, options: Mapping[str, Any], num_envs: int) -> npt.NDArray[np.int32]:
    """Returns the environments that `options["reset_mask"]` selects. Errors do not name the id.

    Raises:
        TypeError: the mask is not an array of bool.
        ValueError: the mask has the wrong shape or selects no environment, or env_id is given as well.
    """
    mask, name = options["reset_mask"], "options['reset_mask']"
    if env_id is not None:
        raise ValueError(f"env_id: expected None with {name}, got {shown(env_id)}")
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise wrong_type(name, "an array of bool", mask)
    if mask.shape != (num_envs,):
        raise ValueError(f"{name}: expected shape ({num_envs},), got {mask.shape}")
    if not mask.any():
        raise ValueError(f"{name}: expected at least one True, got none")
    return np.flatnonzero(mask).astype(np.int32)


def seeds_of_mask(seed: Any, env_ids: npt.NDArray[np.int32], num_envs: int, *, or_none: bool) -> Any:
    """Returns the seeds of the environments that a mask selects. Errors name the caller's positions, but not the id.

    Args:
        seed: the seed of the reset. A sequence has one for each environment of the pool, or for each that is reset.
        env_ids: the environments that the mask selects.
        num_envs: environments in the pool.
        or_none: whether the seed of an environment that is reset can be None.

    Raises:
        TypeError: a seed in a sequence is not an int.
        ValueError: a seed in a sequence is out of range, or the sequence has another length.
    """
    if not is_sequence(seed):
        return seed
    if len(seed) not in (num_envs, len(env_ids)):
        raise ValueError(
            f"seed: expected an int from 0 to 2**64 - 1, a sequence of {num_envs} of them, one for each environment, or of "
            f"{len(env_ids)}, one for each that is reset, got a sequence of {len(seed)}"
        )
    places = env_ids.tolist() if len(seed) == num_envs else range(len(env_ids))
    for place, each in enumerate(seed):
        if each is not None or (place in places and not or_none):
            check_seed(f"seed[{place}]", each)
    return [seed[place] for place in places]


class ResetOptions:
    """The checked options of one reset.

    Attributes:
        pickled: what is passed to the environments, which read the options themselves; else None.
        new: the options of `make` that change; None if there are none.
    """

    def __init__(
        self,
        construction: Construction,
        options: Any,
        env_ids: npt.NDArray[np.int32],
        other_keys: Sequence[str] = (),
    ) -> None:
        """Checks the options. Errors do not name the id.

        Args:
            construction: the checked options of the pool.
            options: the options of the reset, without those that the interface itself reads.
            env_ids: the environments that are reset.
            other_keys: the options that the interface itself reads, for error texts.

        Raises:
            TypeError: the options are not a mapping, or a value is of the wrong type.
            ValueError: an unknown key, a value that is no number or out of range, or options that this pool cannot apply.
        """
        if not isinstance(options, Mapping):
            raise wrong_type("options", "a mapping", options)
        self._moves: list[tuple[StartRange, float, float]] = []
        self.pickled, self.new = None, None
        ranges: tuple[StartRange, ...] = ()
        if not construction.is_mixed:
            origin = construction.registration.origin
            self.pickled = origin.pickled_reset_options(options)
            if self.pickled is not None:
                return
            ranges = origin.start_ranges(construction.registration.table)
        of_starts = [name for each in ranges for name in each.options]
        of_make = [name for name in changing_names(construction) if name not in of_starts]
        known = [*of_starts, *of_make]
        unknown = [key for key in options if key not in known]
        if unknown:
            elsewhere = "" if construction.is_mixed else origin.where_option_is(str(unknown[0]))
            names = ", ".join(map(repr, [*known, *other_keys]))
            names = f"only {names}" if names else "none, because its reset has no options"
            raise ValueError(
                f"options: expected {names}, got {', '.join(map(shown, unknown))}{elsewhere and '; '}{elsewhere}"
            )
        if changed := {name: value for name, value in options.items() if name in of_make}:
            self.new = check_new_options(construction, env_ids, changed)
        values = {name: _number(name, options[name]) for name in options if name in of_starts}
        if not values:
            return
        self._moves = [(each, *each.replaced(values)) for each in ranges]
        if construction.common.batch_size != construction.common.num_envs:
            raise wrong_value("options", "none in an asynchronous pool", options)
        self._parts = {part["name"]: part for part in json.loads(construction.table.parts())}

    def move_starts(self, pool: Pool | DevicePool, env_ids: npt.NDArray[np.int32]) -> bool:
        """Moves what a reset has drawn from its own ranges into those of the options. Returns whether anything moved.

        A number that lay at some fraction of the old range lies at the same fraction of the new one.
        """
        for drawn, low, high in self._moves:
            for name in drawn.parts:
                part = self._parts[name]
                dtype = np.dtype(part["dtype"])
                values = pool.read_states(env_ids, part["offset"], dtype.itemsize, "reset").view(dtype)
                moved = low + (values - drawn.low) * ((high - low) / (drawn.high - drawn.low))
                rounded = np.clip(moved, low, high).astype(drawn.dtype).astype(dtype)
                pool.write_states(env_ids, part["offset"], rounded.view(np.uint8))
        return bool(self._moves)


def _number(name: str, value: Any) -> float:
    is_scalar = isinstance(value, np.ndarray) and value.ndim == 0  # which gymnasium takes, too
    number = as_number(value.item() if is_scalar else value, "float")
    if number is None:
        raise wrong_value(f"options[{name!r}]", "a number", value)  # gymnasium raises ValueError, too
    if not math.isfinite(number):
        raise wrong_value(f"options[{name!r}]", "a finite number", value)
    return number


def without_mask(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns the options without the key by which gymnasium's vectors select environments."""
    return {key: value for key, value in (options or {}).items() if key != "reset_mask"}


def for_all(options: Sequence[Mapping[str, Any]], changing: Container[str]) -> dict[str, Any] | None:
    """Returns the options of one reset of all environments that does the same as a reset of each; None if there are none.

    Args:
        options: the options of each environment.
        changing: the names of the options of `make` that can change.
    """
    first = options[0]
    if all(each is first or (each == first if _are_plain([each, first]) else False) for each in options):
        return dict(first)
    if all(each.keys() == first.keys() for each in options) and all(name in changing for name in first):
        return {name: [each[name] for each in options] for name in first} if _are_plain(options) else None
    return None


def _are_plain(options: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether no value is an array."""
    return not any(isinstance(value, np.ndarray) for each in options for value in each.values())
