# SPDX-License-Identifier: Apache-2.0
"""The sections of tools/gpu_proof.py. Each yields steps: a name, and a function that returns results for JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Result = dict[str, Any]
Step = tuple[str, Callable[[], Result]]
