# SPDX-License-Identifier: Apache-2.0
"""The compiler's flags and the families, for envpool/BUILD.bazel and tests/BUILD.bazel."""

# As in cmake/toolchain.cmake: the order and the rounding of float operations are part of the interface.
FLAGS = [
    "-std=c++20",
    "-ffp-contract=off",
    "-fno-tree-slp-vectorize",
    "-Wall",
    "-Wextra",
    "-Wno-psabi",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
]

LIBRARIES = [
    "-pthread",
    "-ldl",
]

# The headers of other families and the external libraries that each family needs.
FAMILIES = {
    "atari": [],
    "box2d": ["//envpool:classic_control_headers"],
    "bsuite": ["//envpool:toy_text_headers"],
    "classic_control": [],
    "craftax": [],
    "jaxmarl": [],
    "jumanji": [],
    "minatar": [],
    "minigrid": [],
    "misc": [],
    "mujoco": ["//envpool:robots_headers", "@mujoco"],
    "pgx": [],
    "procgen": [],
    "python_env": [],
    "robots": [],
    "tag": [],
    "toy_text": [],
    "vizdoom": ["//envpool:atari_headers"],
}

# Those that are built only if they are asked for, because they need an external library.
MANUAL = {"mujoco": ["manual"]}
