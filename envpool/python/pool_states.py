# SPDX-License-Identifier: Apache-2.0
"""The states of a pool's environments: reading, saving, restoring and copying them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, overload

import numpy as np
import numpy.typing as npt

from envpool._core import DeviceArray, DevicePool, Pool
from envpool.python.construction import Construction
from envpool.python.errors import labelled
from envpool.python.layout import ResultLayout
from envpool.python.options import as_number, check_env_ids, check_seed_or_seeds, shown

Ids = Sequence[int] | npt.NDArray[np.integer[Any]] | None


class PoolStates:
    """The methods of a pool that access the states of its environments."""

    num_envs: int
    closed: bool
    _construction: Construction
    _layout: ResultLayout
    _label: str
    _pool: Pool
    _begun: bool
    _replaced: int

    @property
    def all_env_ids(self) -> npt.NDArray[np.int32]:
        """The ids of all environments, 0 to num_envs - 1, int32."""
        return np.arange(self.num_envs, dtype=np.int32)

    def observe(self, env_ids: Any = None) -> Any:
        """Returns the current observation and info of environments without a step, as `reset` returns them.

        After `restore` and `clone`, these are the observations of the restored states. A pool on a GPU returns arrays on
        the GPU, but the host computes them.

        Args:
            env_ids: the environments; None means all.

        Raises:
            TypeError: an id is not an int.
            ValueError: an unknown or repeated id.
            RuntimeError: one of the environments is under way or has not been reset, or the pool is closed.
        """
        return self._layout.reset(self._pool.observe(self._ids_or_all("env_ids", env_ids)))

    @overload
    def snapshot(self, env_id: int) -> bytes: ...
    @overload
    def snapshot(self, env_id: Ids = None) -> list[bytes]: ...
    def snapshot(self, env_id: Any = None) -> bytes | list[bytes]:
        """Returns the whole state of environments, including their generators and step counts.

        The state of a Python environment is a pickle of it; docs/write_your_own.md says when it can be made.

        Args:
            env_id: an int for one environment, or a sequence of ints for several; None means all.

        Returns:
            Bytes for `restore`. If env_id is not an int, a list with the bytes of each environment.

        Raises:
            TypeError: an id is not an int.
            ValueError: an unknown env_id.
            RuntimeError: an environment is under way, or cannot save its state.
        """
        if as_number(env_id, "int") is not None:
            return self._pool.snapshot(self._ids("env_id", env_id))[0]
        return self._pool.snapshot(self._ids_or_all("env_id", env_id))

    @overload
    def restore(self, env_id: int, state: bytes) -> None: ...
    @overload
    def restore(self, env_id: Ids, state: Sequence[bytes]) -> None: ...
    def restore(self, env_id: Any, state: Any) -> None:
        """Restores states that `snapshot` returned. The environments continue from them, bit for bit.

        A state may come from another environment or pool of the same id and options. `observe` returns its
        observation; the next step continues from the state.

        Args:
            env_id: an int for one environment, or a sequence of distinct ints for several; None means all.
            state: the bytes that `snapshot` returned; if env_id is not an int, a sequence with one for each environment.

        Raises:
            TypeError: a state is not bytes, or an id is not an int. Nothing is restored.
            ValueError: an unknown or repeated id, another number of states, or a state of another id or with other
                options. Nothing is restored, unless the environment itself refuses a state whose bytes were changed.
            RuntimeError: an environment is under way, or cannot load a state.
        """
        if as_number(env_id, "int") is not None:
            self._pool.restore(self._ids("env_id", env_id), [self._state(state)])
        else:
            ids = self._ids_or_all("env_id", env_id)
            if isinstance(state, (bytes, bytearray, str, Mapping)) or not hasattr(state, "__iter__"):
                raise TypeError(
                    f"[{self._label}] state: expected a list with a state for each environment, got {shown(state)}"
                )
            states = [self._state(each) for each in state]
            if len(states) != len(ids):
                raise ValueError(f"[{self._label}] state: expected {len(ids)} states, got {len(states)}")
            self._pool.restore(ids, states)
        self._note_new_states()

    def _state(self, state: Any) -> bytes:
        if not isinstance(state, (bytes, bytearray)):
            raise TypeError(
                f"[{self._label}] state: expected the bytes that snapshot returned, got {type(state).__name__}"
            )
        return bytes(state)

    def clone(self, source_env_id: Any, env_ids: Any = None, seed: Any = None) -> None:
        """Copies the whole states of environments into others.

        Args:
            source_env_id: the environment that is copied; or a sequence with one for each of env_ids, which may name an
                environment several times, and also environments that receive another state.
            env_ids: the environments that receive the states, which may include the sources; None means all. They keep
                their options.
            seed: None: the copies draw the same random numbers as the source, so that equal actions have equal results,
                bit for bit. An int: environment i draws from stream i of that seed from now on, so that the copies
                sample different futures. Or a sequence with one int for each of env_ids. With a seed, the next reset
                of a copy is the same as after `reset(seed=...)`. A Python environment uses the seed from its next reset
                on.

        Raises:
            TypeError: an id or seed is not an int. Nothing is copied.
            ValueError: an unknown or repeated id, another number of sources, or seed is out of range. Nothing is copied.
            RuntimeError: one of the environments is under way, or cannot save its state.
        """
        sources = self._ids("source_env_id", source_env_id)
        ids = self._ids_or_all("env_ids", env_ids)
        if as_number(source_env_id, "int") is not None:
            sources *= len(ids)
        elif len(sources) != len(ids):
            raise ValueError(
                f"[{self._label}] source_env_id: expected an int, or a sequence with one for each of the {len(ids)} "
                f"environments, got {len(sources)}"
            )
        if seed is None:
            self._pool.clone(np.array(sources, np.int32), ids)
        else:
            seeds = self._construction.seeds_and_streams(self._checked_seed(seed, len(ids)), ids)
            self._pool.clone(np.array(sources, np.int32), ids, *seeds)
        self._note_new_states()

    def states(self) -> dict[str, DeviceArray]:
        """Returns the named parts of all environments' states on the GPU, for reading and writing.

        The environment names the parts, such as "position". Other parts are "elapsed_step", "episode" and "over";
        `envpool.jax` has the same parts. Libraries import arrays through DLPack without a copy, and may write to them:
        `torch.from_dlpack(pool.states()["position"])[:] = 0`. From the first call on, each step brings the states into
        the range that the environment accepts before it uses them, as `restore` does. Call this method again after
        each step, so that reads are ordered after that step.

        Returns:
            Arrays by name, of shape (num_envs,) or (num_envs, n), with gaps between the rows.

        Raises:
            RuntimeError: the pool is on the CPU, it is closed, or the process is a fork.
        """
        if not self._construction.on_device:
            raise RuntimeError(f"[{self._label}] states: expected a pool on a GPU, got one on 'cpu'; see snapshot")
        return cast("DevicePool", self._pool).states()

    def _note_new_states(self) -> None:
        self._begun = False  # a state may be one from before the first reset
        self._replaced += 1

    def _checked_seed(self, seed: Any, count: int) -> int | list[int]:
        with labelled(self._label):
            return check_seed_or_seeds("seed", seed, count)

    def _ids(self, name: str, env_id: Any) -> list[int]:
        with labelled(self._label):
            return check_env_ids(name, env_id, self.num_envs)

    def _ids_or_all(self, name: str, env_ids: Any) -> npt.NDArray[np.int32]:
        return self.all_env_ids if env_ids is None else np.array(self._ids(name, env_ids), np.int32)
