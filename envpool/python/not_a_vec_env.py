# SPDX-License-Identifier: Apache-2.0
"""An error for pools that are passed to Stable-Baselines3, which only accepts its own class of vector environments."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType

    from typing_extensions import Self

_MODULES = "stable_baselines3.common.vec_env"
_DUMMY_VEC_ENV, _PATCH_GYM = f"{_MODULES}.dummy_vec_env", f"{_MODULES}.patch_gym"


def is_read_by_dummy_vec_env() -> bool:
    """Returns whether the constructor of Stable-Baselines3's DummyVecEnv is on the call stack of the caller's caller.

    DummyVecEnv takes single environments. Its constructor reads `unwrapped`, directly or through a few wrappers.
    Without this check, it would accept a pool that is a `gymnasium.Env`, and the first reset would fail with an error
    about broadcasting.
    """
    if _DUMMY_VEC_ENV not in sys.modules:
        return False
    frame: FrameType | None = sys._getframe(2)
    for _ in range(16):
        if frame is None:
            return False
        if frame.f_globals.get("__name__") == _DUMMY_VEC_ENV:
            return True
        frame = frame.f_back
    return False


def raise_not_a_vec_env(label: str, interface: str, num_envs: int, max_players: int) -> NoReturn:
    """Raises a TypeError that names `envpool.make_sb3`.

    Args:
        label: the id.
        interface: what was passed to Stable-Baselines3, such as "a pool with dm_env's interface".
        num_envs: the number of environments in the pool.
        max_players: the largest number of players of an environment.
    """
    arguments = f"{label!r}, num_envs={num_envs}" if num_envs > 1 else repr(label)
    raise TypeError(
        f"[{label}] env: expected a VecEnv for Stable-Baselines3, got {interface}; "
        + (
            f"envpool.make_sb3({arguments}) makes a VecEnv"
            if max_players == 1
            else "envpool.make_sb3 makes a VecEnv, but only of environments with one player"
        )
    )


class NotAVecEnv:
    """A base class of what `make` functions return that is neither a VecEnv nor a `gymnasium.Env`.

    Stable-Baselines3 asks with `isinstance` whether such an object is a `gymnasium.Env`, and would then raise an error
    about a package that is not installed. `isinstance` reads `__class__`, which raises our error in that module only.
    """

    @property  # type: ignore[misc]
    def __class__(self) -> type[Self]:
        if _PATCH_GYM in sys.modules and sys._getframe(1).f_globals.get("__name__") == _PATCH_GYM:
            raise_not_a_vec_env(*self._for_sb3())
        return type(self)

    def _for_sb3(self) -> tuple[str, str, int, int]:
        """Returns the arguments of `raise_not_a_vec_env`."""
        raise NotImplementedError
