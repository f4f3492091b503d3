# SPDX-License-Identifier: Apache-2.0
"""Reads the textures of Craftax and Craftax-Classic from the package craftax, which is never imported."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

from envpool.python.distribution import pip_install
from envpool.python.errors import MissingPackageError, missing_package

_INSTALL = "pip install --no-deps craftax==1.6.1"
_SIDE = 16  # pixels
# In the order of enum Texture (classic_art.h). The second, for what is outside the world, is not used.
_CLASSIC = (
    *("debug_tile", "debug_tile", "grass", "water", "stone", "tree", "wood", "path", "coal", "iron", "diamond"),
    *("table", "furnace", "sand", "lava", "plant_on_grass", "ripe_plant_on_grass"),
    *("player-left", "player-right", "player-up", "player-down", "player-sleep"),
    *("zombie", "cow", "skeleton", "arrow-up"),
    *("health", "food", "drink", "energy", "sapling"),
    *("wood_pickaxe", "stone_pickaxe", "iron_pickaxe", "wood_sword", "stone_sword", "iron_sword"),
    *map(str, range(1, 10)),
)
_ARMOUR = ("helmet", "chestplate", "pants", "boots")
_MATERIALS = ("wood", "stone", "iron", "diamond")
# In the order of enum Texture (full/art.h).
_FULL = (
    *("debug_tile", "debug_tile", "grass", "water", "stone", "tree", "wood", "path", "coal", "iron", "diamond"),
    *("table", "furnace", "sand", "lava", "plant_on_grass", "ripe_plant_on_grass", "wall2", "debug_tile", "wall_moss"),
    *("stalagmite", "sapphire", "ruby", "chest", "fountain", "fire_grass", "ice_grass", "gravel", "fire_tree"),
    *("ice_shrub", "enchantment_table_fire", "enchantment_table_ice", "necromancer", "grave", "grave2", "grave3"),
    "necromancer_vulnerable",
    *("torch_in_inventory", "ladder_down", "ladder_up", "ladder_down_blocked"),
    *("player-left", "player-right", "player-up", "player-down", "player-sleep"),
    *("zombie", "gnome_warrior", "orc_soldier", "lizard", "knight", "troll", "pigman", "frost_troll"),
    *("cow", "bat", "snail"),
    *("skeleton", "gnome_archer", "orc_mage", "kobold", "knight_archer", "deep_thing"),
    *("fire_elemental", "ice_elemental"),
    *("arrow-up", "dagger", "fireball", "iceball", "slimeball"),
    *map(str, range(10)),
    *("health", "food", "drink", "energy", "mana", "sapling", "book"),
    *(f"{material}_{tool}" for tool in ("pickaxe", "sword") for material in _MATERIALS),
    *(f"{material}_{piece}" for material in ("iron", "diamond") for piece in _ARMOUR),
    *("bow", *(f"potion_{color}" for color in ("red", "green", "blue", "pink", "cyan", "yellow"))),
    *("xp", "dexterity", "strength", "intelligence"),
    *(f"{thing}_{kind}_enchantment" for kind in ("fire", "ice") for thing in (*_ARMOUR, "sword", "arrow")),
)
_GAMES = {"craftax": _FULL, "craftax_classic": _CLASSIC}


@functools.lru_cache(maxsize=2)
def read_textures(game: str) -> bytes:
    """Returns the textures of the installed package craftax, as RGBA pixels.

    Args:
        game: the folder of the game, "craftax" or "craftax_classic".

    Raises:
        MissingPackageError: craftax or Pillow is not installed, or craftax has other textures.
    """
    package = importlib.util.find_spec("craftax")
    if package is None or not package.submodule_search_locations:
        raise missing_package("craftax", "the textures of craftax", _INSTALL)
    folder = Path(next(iter(package.submodule_search_locations)), game, "assets")
    return b"".join(_read(folder / f"{name}.png") for name in _GAMES[game])


def _read(path: Path) -> bytes:
    try:
        from PIL import Image
    except ImportError:
        raise missing_package("PIL", "Pillow for the textures of craftax", pip_install("Pillow")) from None
    try:
        with Image.open(path) as image:
            if image.size != (_SIDE, _SIDE):
                raise ValueError(f"expected {_SIDE} x {_SIDE} pixels, got {image.width} x {image.height}")
            return bytes(image.convert("RGBA").tobytes())
    except (OSError, ValueError, SyntaxError) as error:  # Pillow raises each of them for a broken file
        reason = getattr(error, "strerror", None) or str(error)
        raise MissingPackageError(
            f"no texture: {path} cannot be read: {reason}; install it with: {_INSTALL}", name="craftax"
        ) from None
