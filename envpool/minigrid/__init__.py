# SPDX-License-Identifier: Apache-2.0
"""MiniGrid and BabyAI: grids with rooms, doors, keys and objects, and missions in words."""

from __future__ import annotations

from typing import Any

from envpool.python.compat.import_paths import members

WORDS = [
    "red",
    "green",
    "blue",
    "purple",
    "yellow",
    "grey",
    "door",
    "key",
    "ball",
    "box",
    "goal",
    "lava",
    "object",
    "a",
    "the",
    "go",
    "to",
    "get",
    "pick",
    "up",
    "put",
    "next",
    "near",
    "open",
    "and",
    "then",
    ",",
    "after",
    "you",
    "in",
    "front",
    "of",
    "behind",
    "on",
    "your",
    "left",
    "right",
    "square",
    "reach",
    "use",
    "room",
    "rooms",
    "traverse",
    "from",
    "unlock",
    "avoid",
    "find",
    "opening",
    "fetch",
    "must",
    "matching",
    "at",
    "end",
    "hallway",
]
"""The words of missions. With mission="words", an observation has the numbers of a mission's words in this list,
counted from 1, and then zeros."""


def mission_text(missions: Any, form: str = "text") -> list[str]:
    """Returns missions as sentences.

    Args:
        missions: an array whose last axis is a mission, such as obs["mission"] of a batch.
        form: the option `mission` of the environments, "text" or "words".

    Returns:
        A sentence for each mission, in the order of the array.

    Raises:
        ValueError: form is neither of the two, or an array of words contains a number that stands for no word.
    """
    import numpy as np

    rows = np.asarray(missions, np.uint8)
    rows = rows.reshape(-1, rows.shape[-1])
    if form == "text":
        return [bytes(row).rstrip(b"\0").decode() for row in rows]
    if form != "words":
        raise ValueError(f"form: expected 'text' or 'words', got {form!r}")
    if rows.size and rows.max() > len(WORDS):
        raise ValueError(f"missions: expected numbers from 0 to {len(WORDS)}, got {rows.max()}")
    return [" ".join(WORDS[number - 1] for number in row if number).replace(" ,", ",") for row in rows]


def decode_mission(mission: Any) -> Any:
    """Returns the sentence of a mission, or an array of the sentences of several, as EnvPool's function does.

    Args:
        mission: an array of letters, such as obs["mission"], or one of its rows.
    """
    import numpy as np

    rows = np.asarray(mission, np.uint8)
    return mission_text(rows)[0] if rows.ndim == 1 else np.array(mission_text(rows), object)


__getattr__, __dir__ = members(__name__)
