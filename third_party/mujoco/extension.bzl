# SPDX-License-Identifier: Apache-2.0
"""The repository @mujoco for MODULE.bazel. Bazel 5 and older have no module extensions."""

load(":repository.bzl", "mujoco_repository")

def _mujoco_extension(_context):
    mujoco_repository(name = "mujoco")

mujoco_extension = module_extension(implementation = _mujoco_extension)
