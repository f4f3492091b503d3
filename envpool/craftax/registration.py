# SPDX-License-Identifier: Apache-2.0
"""Registers Craftax and Craftax-Classic under the ids of craftax and EnvPool."""

from __future__ import annotations

from envpool.craftax.textures import read_textures
from envpool.python.family import Family, Value
from envpool.registration import register_family


class Craftax(Family):
    """Craftax and Craftax-Classic."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "craftax 1.6.1"

    def add_data(self, task_id: str, options: dict[str, Value]) -> dict[str, Value]:
        """Adds the textures of the package craftax to the options of an id that draws them.

        Raises:
            MissingPackageError: craftax is not installed.
        """
        if "textures" not in options:
            return options
        game = "craftax_classic" if "Classic" in task_id else "craftax"
        return {**options, "textures": options["textures"] or read_textures(game)}


_FAMILY = Craftax("craftax")

# An id of craftax that ends in "AutoReset-v1" starts the next episode in the step that ends one.
_MODES = (("", "next_step"), ("-AutoReset", "same_step"))
for _kind in ("Symbolic", "Pixels"):
    for _suffix, _mode in _MODES:
        for _prefix in ("Craftax-", "Craftax/"):
            register_family(
                f"{_prefix}Classic-{_kind}{_suffix}-v1",
                _FAMILY,
                f"CraftaxClassic{_kind}",
                max_episode_steps=10_000,
                autoreset_mode=_mode,
                doc="Gather, build, fight and survive in a world of blocks, and achieve 22 things.",
            )
            register_family(
                f"{_prefix}{_kind}{_suffix}-v1",
                _FAMILY,
                f"Craftax{_kind}",
                max_episode_steps=100_000,
                autoreset_mode=_mode,
                doc="Gather, build, fight and survive on nine floors of blocks, and achieve 67 things.",
            )
