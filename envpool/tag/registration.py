# SPDX-License-Identifier: Apache-2.0
"""The ids of tag: one for each of WarpDrive's two environments, and one for each run that WarpDrive publishes."""

from __future__ import annotations

from typing import Any

from envpool.python.family import Family
from envpool.registration import register_family


class Tag(Family):
    """The family of tag."""

    def reference(self, task_id: str) -> str:
        """Returns the version of WarpDrive and the file in it that the dynamics or the defaults of an id follow."""
        return f"warp_drive 2.7.1, {_SOURCES.get(task_id, 'example_envs')}"


_FAMILY = Tag("tag")

# For each id of a run, the file in which WarpDrive publishes the options.
_SOURCES = {
    "WarpDrive/TagContinuous-v0": "run_configs/tag_continuous.yaml",
    "WarpDrive/TagContinuous-1000-v0": "run_configs/tag_continuous.yaml, with 1,000 agents as in arXiv 2108.13976",
    "WarpDrive/TagContinuous-5v100-v0": "tutorials/assets/tag_continuous_training/run_config.yaml",
    "WarpDrive/TagContinuous-5v20-v0": "tutorials/simple-end-to-end-example.ipynb",
    "WarpDrive/TagGridWorld-v0": "run_configs/tag_gridworld.yaml",
    "WarpDrive/TagGridWorldWithResetPool-v0": "run_configs/tag_gridworld_with_reset_pool.yaml",
}

_CONTINUOUS: dict[str, Any] = {
    "grid_length": 20.0,
    "episode_length": 500,
    "max_acceleration": 0.1,
    "min_acceleration": -0.1,
    "use_full_observation": False,
    "num_other_agents_observed": 10,
    "tag_reward_for_tagger": 10.0,
    "tag_penalty_for_runner": -10.0,
    "tagging_distance": 0.02,
}
_LEVELS_20: dict[str, Any] = {
    "num_acceleration_levels": 20,
    "num_turn_levels": 20,
    "max_turn": 2.356,
    "min_turn": -2.356,
}
_GRID: dict[str, Any] = {"num_taggers": 4, "grid_length": 100, "tag_penalty_for_runner": 5.0}

register_family("TagContinuous-v0", _FAMILY, "TagContinuous", doc="Taggers chase runners in a square.")
register_family("TagGridWorld-v0", _FAMILY, "TagGridWorld", doc="Taggers chase one runner on a grid.")
register_family(
    "WarpDrive/TagContinuous-v0",
    _FAMILY,
    "TagContinuous",
    doc="10 taggers chase 100 runners, as in WarpDrive's run configuration.",
    num_taggers=10,
    num_runners=100,
    **_CONTINUOUS,
    **_LEVELS_20,
)
register_family(
    "WarpDrive/TagContinuous-1000-v0",
    _FAMILY,
    "TagContinuous",
    doc="91 taggers chase 909 runners: the 1,000 agents of WarpDrive's paper, with the options of its run configuration.",
    num_taggers=91,
    num_runners=909,
    **_CONTINUOUS,
    **_LEVELS_20,
)
register_family(
    "WarpDrive/TagContinuous-5v100-v0",
    _FAMILY,
    "TagContinuous",
    doc="5 taggers chase 100 runners, as in WarpDrive's tutorial on training.",
    num_taggers=5,
    num_runners=100,
    max_turn=2.35,
    min_turn=-2.35,
    **_CONTINUOUS,
)
register_family(
    "WarpDrive/TagContinuous-5v20-v0",
    _FAMILY,
    "TagContinuous",
    doc="5 taggers chase 20 runners, as in WarpDrive's end-to-end example.",
    num_taggers=5,
    num_runners=20,
    use_full_observation=False,
    num_other_agents_observed=10,
    tagging_distance=0.02,
)
register_family(
    "WarpDrive/TagGridWorld-v0",
    _FAMILY,
    "TagGridWorld",
    doc="4 taggers chase one runner over a grid of 101 by 101 cells, as in WarpDrive's run configuration.",
    **_GRID,
)
register_family(
    "WarpDrive/TagGridWorldWithResetPool-v0",
    _FAMILY,
    "TagGridWorld",
    doc="The same, and the taggers start in random cells.",
    random_start=True,
    **_GRID,
)
