# SPDX-License-Identifier: Apache-2.0
"""Loads the entry points `envpool.plugins`, by which third-party packages register their environments."""

from __future__ import annotations

import threading
import warnings

_GROUP = "envpool.plugins"
_lock = threading.RLock()
_loaded = False


def load_entry_points() -> None:
    """Loads the entry points of all installed plugins, once per process.

    An entry point names a module whose import registers ids, or a function that registers them. If one fails, a warning
    names it, and the others are still loaded.
    """
    global _loaded
    with _lock:
        if _loaded:
            return
        _loaded = True  # before the loop, because a plugin may call functions of the registry
        from importlib.metadata import entry_points

        for entry in entry_points(group=_GROUP):
            try:
                loaded = entry.load()
                if callable(loaded):
                    loaded()
            except (Exception, SystemExit) as error:
                package = entry.dist.name if entry.dist else "an unknown package"
                warnings.warn(
                    f"[envpool] the plugin {entry.name!r} of {package} ({entry.value}) cannot be loaded: "
                    f"{type(error).__name__}: {error}",
                    RuntimeWarning,
                    stacklevel=3,
                )
