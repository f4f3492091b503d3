# SPDX-License-Identifier: Apache-2.0
"""Makes the repository @mujoco from Python's package mujoco, as mujoco.cmake does."""

_FIND = "import importlib.util as i; s = i.find_spec('mujoco'); print(s.submodule_search_locations[0] if s else '')"

_BUILD = """
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "mujoco",
    srcs = glob(["libmujoco.so.*"]),
    hdrs = glob(["include/**/*.h"]),
    includes = ["include"],
    visibility = ["//visibility:public"],
)
"""

def _mujoco_repository(context):
    python = context.os.environ.get("ENVPOOL_PYTHON", "python3")
    found = context.execute([python, "-c", _FIND])
    folder = found.stdout.strip()
    if found.return_code or not folder:
        # Makes an empty repository, so that only targets that need MuJoCo fail.
        context.file("BUILD.bazel", "")
        return
    for path in context.path(folder).readdir():
        if path.basename == "include" or path.basename.startswith("libmujoco.so."):
            context.symlink(path, path.basename)
    context.file("BUILD.bazel", _BUILD)

mujoco_repository = repository_rule(
    implementation = _mujoco_repository,
    doc = "The package of the Python named by ENVPOOL_PYTHON, by default python3.",
    environ = ["ENVPOOL_PYTHON"],
    local = True,
)
