# SPDX-License-Identifier: Apache-2.0
"""What envpool raises beyond TypeError, ValueError, RuntimeError and TimeoutError, and the id that begins its texts."""

from __future__ import annotations

from types import TracebackType
from typing import Any


class MissingPackageError(ImportError, RuntimeError):
    """An optional package is not installed, or is of a version that cannot be used. The text says how to install it.

    It is an ImportError, which gymnasium's users expect, and a RuntimeError as well, because whoever catches that where
    an environment is made means this too.

    Attributes:
        name: the package, such as "mujoco", as Python imports it.
    """


def missing_package(name: str, what: str, command: str, whose: str = "") -> MissingPackageError:
    """Makes the error for a package that is not installed.

    Args:
        name: the package as Python imports it, such as "ale_py".
        what: the package as people name it, perhaps with what it is for.
        command: the command that installs it.
        whose: who needs it, such as "[envpool] make_sb3"; empty if the text begins with an id that `labelled` adds.
    """
    return MissingPackageError(f"{whose} needs {what}, which is not installed: {command}".lstrip(), name=name)


class labelled:
    """Puts an id in brackets before the texts of errors that are raised inside: `with labelled("Pong-v5"): ...`.

    It changes TypeError, ValueError, RuntimeError and MissingPackageError, and none of their subclasses, whose texts
    are not ours.
    """

    __slots__ = ("_label",)

    def __init__(self, label: str) -> None:
        self._label = label

    def __enter__(self) -> None:
        """Does nothing."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Changes the error, whose class and traceback stay."""
        if kind in (TypeError, ValueError, RuntimeError) and error is not None:
            error.args = (f"[{self._label}] {error}",)
        elif isinstance(error, MissingPackageError):
            error.msg = f"[{self._label}] {error}"
            error.args = (error.msg,)


class EnvError(RuntimeError):
    """One or more environments threw while they were stepped or reset. The pool goes on.

    The environments that threw have been reset, the others have done their step, and nothing that came with them is
    lost: `result` is what the call would have returned, with reset observations in the rows of the failed ones.

    Attributes:
        env_id: the environments that threw.
        messages: what each of them said, in the same order.
        result: the return value of the call that raises this, in the form of its face.
    """

    def __init__(self, text: str, env_id: list[int], messages: list[str], result: Any) -> None:
        super().__init__(text)
        self.env_id = env_id
        self.messages = messages
        self.result = result


class CompileError(RuntimeError):
    """What `envpool.compile` was given does not become an environment.

    Attributes:
        command: the compiler's command; empty if it did not come to that.
        log: all that the compiler said.
    """

    def __init__(self, text: str, command: str = "", log: str = "") -> None:
        super().__init__(text)
        self.command = command
        self.log = log
