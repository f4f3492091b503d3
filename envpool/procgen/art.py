# SPDX-License-Identifier: Apache-2.0
"""Reads the images of the games from an installed package, which is never imported."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import struct
from pathlib import Path

from envpool.python.distribution import pip_install
from envpool.python.errors import MissingPackageError, missing_package

# The packages that have the images, and their folders there.
_PACKAGES = {"procgen": "data/assets", "envpool_assets": "procgen/assets"}


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{name}{i}" for i in range(1, count + 1))


# The backgrounds in the order of their numbers.
_TOPDOWN = (
    "topdown_backgrounds/floortiles",
    *_numbered("topdown_backgrounds/backgrounddetailed", 8),
)
_SPACE = tuple(
    f"space_backgrounds/{name}"
    for name in (
        *("deep_space_01", "spacegen_01", "milky_way_01", "ez_space_lite_01", "meyespace_v1_01", "eye_nebula_01"),
        *("deep_sky_01", "space_nebula_01", *_numbered("Background-", 4), "parallax-space-backgound"),
    )
)
_PLATFORM = (
    *(
        f"platform_backgrounds/{name}"
        for name in (
            *("alien_bg", "another_world_bg", "back_cave", "caverns", "cyberpunk_bg", "parallax_forest"),
            *("scifi_bg", "scifi2_bg", "living_tissue_bg", *_numbered("airadventurelevel", 4), "cave_background"),
            *(f"{color}_{land}" for color in ("blue", "colored") for land in ("desert", "grass", "land", "shroom")),
            *(*_numbered("landscape", 4), *_numbered("battleback", 10), "sunrise"),
        )
    ),
    *(name for kind in ("beach", "fantasy", "candy") for name in _numbered(f"platform_backgrounds_2/{kind}", 4)),
    *_SPACE,
)

_COINRUN_COLORS = ("Beige", "Blue", "Green", "Pink", "Yellow")
_COINRUN_ENEMIES = (
    *("slimeBlock", "slimePurple", "slimeBlue", "slimeGreen", "mouse", "snail", "ladybug", "wormGreen", "wormPink"),
)
_COINRUN_GROUNDS = ("Dirt", "Grass", "Planet", "Sand", "Snow", "Stone")
_COINRUN = (
    *(
        f"kenney/Players/128x256/{color}/alien{color}_{pose}"
        for pose in ("stand", "walk1", "walk2")
        for color in _COINRUN_COLORS
    ),
    *(f"kenney/Enemies/{name}{suffix}" for suffix in ("", "_move") for name in _COINRUN_ENEMIES),
    "kenney/Items/coinGold",
    *(f"kenney/Ground/{name}/{name.lower()}{part}" for part in ("Mid", "Center") for name in _COINRUN_GROUNDS),
    *("kenney/Tiles/lavaTop_low", "kenney/Tiles/lava", "kenney/Enemies/sawHalf", "kenney/Enemies/sawHalf_move"),
    *(f"kenney/Tiles/boxCrate{suffix}" for suffix in ("", "_double", "_single", "_warning")),
    "misc_assets/iconCircle_white",
)

_METEORS = (
    *(f"misc_assets/spaceMeteors_00{number}" for number in range(1, 5)),
    *_numbered("misc_assets/meteorGrey_big", 4),
)
_EXPLOSIONS = _numbered("misc_assets/explosion", 5)
_BOSSFIGHT = (
    *(f"misc_assets/playerShip{ship}" for ship in ("1_blue", "1_green", "2_orange", "3_red")),
    *(f"misc_assets/enemyShip{ship}" for ship in ("Black1", "Blue2", "Green3", "Red4")),
    *(f"misc_assets/laser{laser}" for laser in ("Green14", "Red11", "Blue09")),
    *("misc_assets/shield2", *_METEORS, *_EXPLOSIONS, *_SPACE),
)

_DODGEBALL = (
    *("misc_assets/character12", "misc_assets/ball_soccer1", *_numbered("misc_assets/character", 11)),
    *("misc_assets/blockRed", "misc_assets/ball_soccer2", "misc_assets/blockGreen", "misc_assets/tileStone_slope2"),
    *(*_numbered("misc_assets/spaceEffect", 9), *_TOPDOWN),
)

_STARPILOT = (
    *("misc_assets/playerShip2_blue", *(f"misc_assets/towerDefense_tile{number}" for number in (295, 296, 297))),
    *(*(f"misc_assets/spaceShips_00{number}" for number in range(1, 8)), *_METEORS),
    *(*_numbered("misc_assets/spaceEffect", 9), "misc_assets/spaceStation_018", "misc_assets/spaceStation_019"),
    *(*(f"misc_assets/spaceRockets_00{number}" for number in range(1, 5)), *_EXPLOSIONS, *_SPACE),
)

# The ground of games with platforms in its four colours: its uppermost cells, and those below.
_PLATFORMER_TOPS = tuple(f"platformer/tile{name}" for name in ("Blue_05", "Green_05", "Yellow_06", "Brown_06"))
_PLATFORMER_WALLS = tuple(f"platformer/tile{name}" for name in ("Blue_08", "Green_08", "Yellow_09", "Brown_09"))

_CAVEFLYER = (
    *("misc_assets/playerShip1_red", "misc_assets/ufoGreen2", "misc_assets/meteorBrown_big1", "misc_assets/ufoRed2"),
    *("misc_assets/laserBlue02", "misc_assets/enemyShipBlue4", "misc_assets/groundA"),
    *("misc_assets/towerDefense_tile295", *_EXPLOSIONS, *_SPACE),
)

# For each set of images, the files in the order of the C++ code, and the SHA-256 of the bytes that _read returns.
_FILES = {
    "bigfish": (
        (
            *(f"misc_assets/fishTile_0{number}" for number in (72, 74, 78, 80)),
            *_numbered("water_backgrounds/water", 4),
            *_numbered("water_backgrounds/underwater", 3),
        ),
        "566a1fb8736f33f00ab88b79ccb43347ea6691f3f8b69f9039a9e6e7257a5986",
    ),
    "bossfight": (_BOSSFIGHT, "80ccc2d8a9b1b16a16d8a28f7f7402d6f25191a5b9614de202c09a47e595aabc"),
    "caveflyer": (_CAVEFLYER, "1d7a3354555dbbc43e9ebdacba96bcdc76fcf659d3a6e0aeed0cd6525f1cde2a"),
    "chaser": (
        (
            "misc_assets/enemyFloating_1b",
            *_numbered("misc_assets/enemyFlying_", 3),
            *("misc_assets/yellowCrystal", "misc_assets/enemyWalking_1b", "misc_assets/enemySpikey_1b"),
            *("misc_assets/tileStone_slope", _TOPDOWN[0]),
        ),
        "5adca9d000eea9002b8d22c571175dafa5eabcc54279543f909c451aca2b4976",
    ),
    "dodgeball": (_DODGEBALL, "7b1ed4f9fafba75468b10a59bb99b93c050e33bd62d23e75d05caaf50ad65c3e"),
    "maze": (
        ("kenney/Ground/Sand/sandCenter", "misc_assets/cheese", "kenney/Enemies/mouse_move", *_TOPDOWN),
        "4b1db22b32bd6ecfda9146663334be5302c79e3f732aab6bb6c9e97e744a8498",
    ),
    "climber": (
        (
            *(
                f"platformer/player{color}_{pose}"
                for pose in ("stand", "walk4", "walk1", "walk2")
                for color in ("Blue", "Green", "Grey", "Red")
            ),
            *_PLATFORMER_TOPS,
            *_PLATFORMER_WALLS,
            *("platformer/enemySwimming_1", "platformer/enemySwimming_2", "platformer/yellowCrystal", *_PLATFORM),
        ),
        "773bb6f80eba47583f6fa785fe7208645e33e840178b4b65994f0e46b2307048",
    ),
    "jumper": (
        (
            *(f"misc_assets/{name}" for name in ("bunny2_ready", "bunny2_walk1", "bunny2_walk2", "spikeMan_stand")),
            *("misc_assets/carrot", "misc_assets/iconCircle_white", *_PLATFORMER_TOPS, *_PLATFORMER_WALLS, *_PLATFORM),
        ),
        "2786fd42073f383cf56c8f769f4658ec300047b9572e89832561585a6b9ce653",
    ),
    "miner": (
        (
            *("misc_assets/robot_greenDrive1", "misc_assets/elementStone007", "misc_assets/gemBlue"),
            *("misc_assets/window", "misc_assets/dirt", "misc_assets/tile_bricksGrey", *_PLATFORM),
        ),
        "97c4cc13464177fa30c9ba23d24a56ca2787731f72a784e74d85418e7adf31d2",
    ),
    "ninja": (
        (
            *(f"misc_assets/tile_bricks{color}" for color in ("Grey", "Grown", "Red")),
            *_numbered("platformer/shroom", 6),
            *(f"platformer/zombie_{pose}" for pose in ("idle", "walk1", "walk2")),
            *("misc_assets/bomb", "misc_assets/saw", *_numbered("misc_assets/explosion", 5), *_PLATFORM),
        ),
        "8f52c01fd8f84c71c2308755721e169630d5de86823cae0b0aa795af7ae833f5",
    ),
    "heist": (
        (
            *("kenney/Ground/Dirt/dirtCenter", "misc_assets/gemYellow", "misc_assets/spaceAstronauts_008"),
            *(f"misc_assets/key{color}" for color in ("Blue", "Green", "Red")),
            *(f"misc_assets/lock_{color}" for color in ("blue", "green", "red")),
            *_TOPDOWN,
        ),
        "04358d0af925b1c2499b49dace13fe10ad7071e88c3d8c2ed48820551f971fe3",
    ),
    "leaper": (
        (
            *("misc_assets/roadTile6b", "misc_assets/terrainTile6"),
            *(f"misc_assets/car_{name}" for name in ("yellow_5", "black_1", "blue_2", "green_3", "red_4")),
            *("misc_assets/elementWood044", *(f"misc_assets/frog{i}" for i in (1, 2, 4, 6, 7)), "misc_assets/finish2"),
            *_TOPDOWN,
        ),
        "8fdf7817cb894d37c375eebf9bc4fb3af8eb4d7b22727aa2b8ad4d193ad7b88d",
    ),
    "plunder": (
        (
            *_numbered("misc_assets/ship_", 6),
            *("misc_assets/cannonBall", "misc_assets/panel_wood", "misc_assets/target_red2"),
            *(*_numbered("misc_assets/explosion", 5), *_numbered("water_backgrounds/water", 4)),
        ),
        "24ca5938166178434426eb65558949c9029c2ccfe446c55ea6d79e658660b223",
    ),
    "fruitbot": (
        (
            *("misc_assets/robot_3Dblue", "misc_assets/tileStone_slope", "misc_assets/keyRed2"),
            *(*_numbered("misc_assets/food", 6), *_numbered("misc_assets/fruit", 6)),
            *("misc_assets/fenceYellow", "misc_assets/lockRed2", *_numbered("misc_assets/present", 3)),
            *_TOPDOWN,
        ),
        "ed338af6c8ba921e0bae679adbf48272ef3c6a261b3084facd3e98746c973e00",
    ),
    "coinrun": ((*_COINRUN, *_PLATFORM), "c0e7d67991e6334f16d46172eebf6f9caec95bef4e5782bfe8f0e215e1949e40"),
    "coinrun_easy": ((*_COINRUN, _PLATFORM[0]), "1cc9b6463d78431042ec7e75f18d2f950b28f05d8059f0d6c5c3d474439a422c"),
    "starpilot": (_STARPILOT, "daaaf5a4a1d61ebf421ebefa6254bcefbf28c46bced0769c2732fdbab847427b"),
}


@functools.lru_cache(maxsize=2)
def read_art(game: str) -> bytes:
    """Returns the images of a game: of each its width and height, 4 bytes each, and its RGBA pixels.

    Args:
        game: the set of images.

    Raises:
        MissingPackageError: no package with the images is installed, or Pillow is not, or an image cannot be read or is
            another one.
    """
    for package, folder in _PACKAGES.items():
        found = importlib.util.find_spec(package)
        for location in (found and found.submodule_search_locations) or ():
            root = Path(location, folder)
            if root.is_dir():
                return _read(game, root)
    raise missing_package("envpool_assets", "the images of Procgen", pip_install("envpool-assets"))


def _read(game: str, root: Path) -> bytes:
    try:
        from PIL import Image
    except ImportError:
        raise missing_package("PIL", "Pillow for the images of Procgen", pip_install("Pillow")) from None
    names, digest = _FILES[game]
    parts = []
    for name in names:
        path = root / f"{name}.png"
        try:
            with Image.open(path) as image:
                rgba = image.convert("RGBA")
        except (OSError, ValueError, SyntaxError) as error:  # Pillow raises each of them for a broken file
            raise MissingPackageError(
                f"no image: {path} cannot be read: {error}; install it with: {pip_install('envpool-assets')}",
                name="envpool_assets",
            ) from None
        parts += [struct.pack("<II", *rgba.size), rgba.tobytes()]
    art = b"".join(parts)
    if hashlib.sha256(art).hexdigest() != digest:
        raise MissingPackageError(
            f"wrong images: those of {game} in {root} are not Procgen's; "
            f"replace them with: {pip_install('--force-reinstall', 'envpool-assets')}",
            name="envpool_assets",
        )
    return art
