# SPDX-License-Identifier: Apache-2.0
"""Checks that calls of `make` refuse invalid options with errors that name the environment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest


def assert_refused(
    make: Callable[..., Any],
    task_id: str,
    options: Mapping[str, Any],
    error: type[Exception] | tuple[type[Exception], ...],
    words: Iterable[str],
) -> None:
    """Asserts that a call raises an error whose message begins with the id and contains all words."""
    with pytest.raises(error) as caught:
        make(task_id, **options)
    message = str(caught.value)
    assert message.startswith(f"[{task_id}] "), message
    for word in words:
        assert word in message, message
