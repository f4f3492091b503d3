# SPDX-License-Identifier: Apache-2.0
"""What envpool raises beyond TypeError, ValueError, RuntimeError and TimeoutError."""

from __future__ import annotations

from typing import Any


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
