# SPDX-License-Identifier: Apache-2.0
"""The exception classes of envpool, and `labelled`, which puts the id before an error text."""

from __future__ import annotations

from types import TracebackType
from typing import Any


class MissingPackageError(ImportError, RuntimeError):
    """An optional package is not installed, or its version is not supported. The text says how to install it.

    This is an ImportError, as gymnasium's users expect, and a RuntimeError, so that code which catches RuntimeError
    around `make` catches it as well.

    Attributes:
        name: the package, such as "mujoco", as Python imports it.
    """


def missing_package(name: str, what: str, command: str, needed_by: str = "") -> MissingPackageError:
    """Returns the error for a package that is not installed.

    Args:
        name: the name that Python imports, such as "ale_py".
        what: the usual name of the package, perhaps with its purpose.
        command: the command that installs it.
        needed_by: the function that needs the package, such as "[envpool] make_sb3"; empty if `labelled` adds the id.
    """
    return MissingPackageError(f"{needed_by} needs {what}, which is not installed: {command}".lstrip(), name=name)


class labelled:
    """Puts an id in brackets before the texts of errors raised in its block: `with labelled("Pong-v5"): ...`.

    It changes TypeError, ValueError, RuntimeError and MissingPackageError, but not their subclasses, whose texts come
    from other code.
    """

    __slots__ = ("_label",)

    def __init__(self, label: str) -> None:
        self._label = label

    def __enter__(self) -> None:
        """Does nothing."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Changes the text of the error, but not its class and traceback."""
        if kind in (TypeError, ValueError, RuntimeError) and error is not None:
            error.args = (f"[{self._label}] {error}",)
        elif isinstance(error, MissingPackageError):
            error.msg = f"[{self._label}] {error}"
            error.args = (error.msg,)


class EnvError(RuntimeError):
    """One or more environments threw an exception in a step or reset. The pool stays usable.

    The environments that threw have been reset; the others have completed their step. `result` holds the whole batch,
    with reset observations in the rows of the failed environments.

    Attributes:
        env_id: the environments that threw.
        messages: the texts of their exceptions, in the same order.
        result: the value that the call would have returned.
    """

    def __init__(self, text: str, env_id: list[int], messages: list[str], result: Any) -> None:
        super().__init__(text)
        self.env_id = env_id
        self.messages = messages
        self.result = result


class CompileError(RuntimeError):
    """`envpool.compile` could not turn the source into an environment.

    Attributes:
        command: the compiler's command; empty if the compiler did not run.
        log: the compiler's whole output.
    """

    def __init__(self, text: str, command: str = "", log: str = "") -> None:
        super().__init__(text)
        self.command = command
        self.log = log


class CheckError(CompileError):
    """`envpool.compile(..., check=True)` has found a mistake in an environment that compiles.

    Attributes:
        file: the file with the mistake, as it was given.
        line: the line in it; 0 if unknown.
        log: the output of the program that ran the environment, with the sanitizers' reports.
    """

    def __init__(self, text: str, file: str, line: int, log: str) -> None:
        super().__init__(text, log=log)
        self.file = file
        self.line = line
