# SPDX-License-Identifier: Apache-2.0
"""Finds model files in packages, without importing the packages."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any


def folder_of(package: str) -> Path | None:
    """Returns the folder of an installed package, or None."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def model_source(given: Any, folder: Path) -> str:
    """Returns the XML or the absolute path of a model. Paths are relative to `folder` unless they begin with . / or ~.

    Raises:
        ValueError: The file does not exist, or is a binary model. MuJoCo does not check the contents of binary models, so
            that a damaged file can end the process.
    """
    source = os.fsdecode(given)
    if source.lstrip().startswith("<"):
        return source.lstrip()
    if source.lower().endswith(".mjb"):
        raise ValueError(
            f"xml_file: expected a model in XML (MJCF or URDF), got the binary model {source!r}, which MuJoCo loads without "
            "checks: pass its XML, which mujoco.mj_saveLastXML(path, model) or MjSpec.to_xml() writes where the model is made"
        )
    path = Path(source).expanduser() if source.startswith((".", "/", "~")) else folder / source
    if not path.is_file():
        raise ValueError(f"xml_file: expected a model's file, got {source!r}: there is no file {path}")
    return str(path.resolve())
