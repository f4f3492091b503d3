# SPDX-License-Identifier: Apache-2.0
"""Translates gymnasium's keywords for rendering into EnvPool's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool.python.options import shown, wrong_value

NAMES = {"width": "render_width", "height": "render_height", "camera_id": "render_camera_id"}


def translate(caller_options: Mapping[str, Any]) -> dict[str, Any]:
    """Renames gymnasium's keywords, and writes the settings of a camera as text.

    Raises:
        TypeError: An option is given by both names.
        ValueError: A setting exceeds the range of a float.
    """
    for name, ours in NAMES.items():
        if name in caller_options and ours in caller_options:
            raise TypeError(f"{name} and {ours} are the same option: give only one of them")
    options = {NAMES.get(name, name): value for name, value in caller_options.items()}
    config = options.get("default_camera_config")
    if isinstance(config, Mapping):
        options["default_camera_config"] = " ".join(
            f"{key if isinstance(key, str) else shown(key)}={_text(value)}" for key, value in config.items()
        )
    return {name: value for name, value in options.items() if value is not None or name not in OPTIONAL}


# Options that gymnasium's users may give as None.
OPTIONAL = {"render_camera_id", "camera_name", "default_camera_config"}


def _text(value: Any) -> str:
    import numpy as np  # slow to import, and rarely needed

    try:
        return ",".join(repr(float(item)) for item in np.ravel(value))
    except OverflowError:
        raise wrong_value("default_camera_config", "numbers within the range of a float", value) from None
    except (TypeError, ValueError):
        return shown(value)
