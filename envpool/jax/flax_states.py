# SPDX-License-Identifier: Apache-2.0
"""Lets `flax.serialization` save and load states and parameters, alone and as parts of other trees."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

_registered: set[type[Any]] = set()


def register(kind: type[Any], restored: Callable[[Any, Any], Any]) -> None:
    """Registers a class of rows with flax, once flax has been imported. Before that, does nothing.

    Args:
        kind: the class.
        restored: makes an object from the array of rows and the format.
    """
    if kind in _registered:
        return
    flax = sys.modules.get("flax.serialization")
    if not hasattr(flax, "register_serialization_state"):  # not imported, or in the middle of its import
        return
    _registered.add(kind)

    def load(target: Any, saved: Any) -> Any:
        words = target.format.words
        raw: Any = saved.get("raw") if isinstance(saved, dict) else None
        if np.shape(raw)[-1:] != (words,) or raw.dtype != np.uint32:
            got = type(saved).__name__ if raw is None else f"{raw.dtype} of shape {np.shape(raw)}"
            raise ValueError(
                f"[{target.format.label}] from_state_dict: expected saved rows of {words} words (uint32), got {got}"
            )
        return restored(raw, target.format)

    flax.register_serialization_state(kind, lambda row: {"raw": row.raw}, load)  # type: ignore[union-attr]
