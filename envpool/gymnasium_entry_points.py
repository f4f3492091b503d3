# SPDX-License-Identifier: Apache-2.0
"""The entry points of envpool's ids in gymnasium's registry (python/gymnasium_registry.py)."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from envpool import registration
from envpool.python.gymnasium_envpool import GymnasiumVectorEnv
from envpool.python.gymnasium_single import GymnasiumSingleEnv

_REGISTRATION_MODULE = "gymnasium.envs.registration"


def make_vec(task_id: str, **options: Any) -> GymnasiumVectorEnv:
    """Makes a pool for `gymnasium.make_vec`. Without a seed, it draws one, as gymnasium's environments do."""
    return registration.make_vec(task_id, **_with_seed(options))


def make_single(task_id: str, **options: Any) -> GymnasiumSingleEnv:
    """Makes one environment for `gymnasium.make`. Without a seed, it draws one, as gymnasium's environments do."""
    _raise_if_vectorized(task_id)
    return registration.make_single(task_id, **_with_seed(options))


# gymnasium reads this to find out whether it has to add a wrapper for a render mode that ends in "_list".
make_single.metadata = {"render_modes": ["rgb_array", "human"]}  # type: ignore[attr-defined]


def _with_seed(options: dict[str, Any]) -> dict[str, Any]:
    return options if options.get("env_seed") is not None else {"seed": None, **options}


def _raise_if_vectorized(task_id: str) -> None:
    """Raises ValueError if `gymnasium.make_vec` makes single environments, which it then steps one after the other.

    With `vectorization_mode`, gymnasium does not call our `make_vec`. Its arguments are found in the caller's frame.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "make_vec" and frame.f_globals.get("__name__") == _REGISTRATION_MODULE:
            mode = frame.f_locals.get("vectorization_mode")
            mode = getattr(mode, "value", mode)
            raise ValueError(
                f"[{task_id}] vectorization_mode: expected none, because a pool steps its environments in threads of this "
                f"process, got {mode!r}"
            )
        frame = frame.f_back
