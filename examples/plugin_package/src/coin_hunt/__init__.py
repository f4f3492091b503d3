# SPDX-License-Identifier: Apache-2.0
"""CoinHunt-v0, an environment for envpool."""

from pathlib import Path

import envpool


def register() -> None:
    """Registers the ids. envpool calls this through the entry point to resolve an unknown id."""
    envpool.register(
        "CoinHunt-v0",
        plugin=Path(__file__).with_name("coin_hunt.so"),
        table="CoinHunt",
        include=Path(__file__).parent,  # the folder of coin_hunt.h, which is compiled for GPUs and by `envpool check`
        max_episode_steps=100,
        doc="Walk to the coins on a small field.",
    )
