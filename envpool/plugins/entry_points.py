# SPDX-License-Identifier: Apache-2.0
"""Packages of others that bring environments: they name what registers them in the entry points `envpool.plugins`."""

from __future__ import annotations

import threading
import warnings

_GROUP = "envpool.plugins"
_lock = threading.RLock()
_loaded = False


def load_entry_points() -> None:
    """Lets every installed plugin register its ids, once in a process.

    An entry point names a module, whose import registers, or a function that does. One that fails is warned of by its
    name, and nothing else suffers.
    """
    global _loaded
    with _lock:
        if _loaded:
            return
        _loaded = True  # before the loop: a plugin may ask for what is there
        from importlib.metadata import entry_points

        for entry in entry_points(group=_GROUP):
            try:
                loaded = entry.load()
                if callable(loaded):
                    loaded()
            except (Exception, SystemExit) as error:
                package = entry.dist.name if entry.dist else "an unknown package"
                warnings.warn(
                    f"[envpool] the plugin {entry.name!r} of {package} ({entry.value}) is left out: "
                    f"{type(error).__name__}: {error}",
                    RuntimeWarning,
                    stacklevel=3,
                )
