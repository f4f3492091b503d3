# SPDX-License-Identifier: Apache-2.0
"""Compiles and starts C++ loops that step without an engine, to measure a lower bound on the cost of a step.

Each loop is compiled into build/benchmark when it is first needed. All use the protocol of turns.h.
"""

import os
import subprocess
from pathlib import Path
from typing import Any

from harness import HERE, MeasuredSide


class CompiledSide(MeasuredSide):
    """A compiled loop that takes turns."""

    def __init__(self, program: Path, *arguments: object) -> None:
        super().__init__([str(program), *map(str, arguments)], os.environ)
        self.start["versions"]["compiler"] = compiler_version()


def compiled(source: str, *arguments: str) -> Path:
    """Compiles a source file of this folder if it or a header has changed since the last time; returns the program."""
    program = Path("build/benchmark", Path(source).stem).resolve()
    headers = [*HERE.glob("*.h"), *HERE.parent.glob("envpool/core/**/*.h"), *HERE.parent.glob("envpool/tag/*.h")]
    newest = max(path.stat().st_mtime for path in [HERE / source, *headers])
    if not program.exists() or program.stat().st_mtime < newest:
        program.parent.mkdir(parents=True, exist_ok=True)
        flags = ["-std=c++20", "-O3", "-ffp-contract=off", "-fno-tree-slp-vectorize", f"-I{HERE.parent}"]
        command = [compiler(), *flags, str(HERE / source), *arguments, "-pthread", "-o", str(program)]
        subprocess.run(command, check=True)
    return program


def compiler() -> str:
    return os.environ.get("CXX", "c++")


def compiler_version() -> str:
    command = [compiler(), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]


def cartpole_loop(num_envs: int) -> CompiledSide:
    """Starts a loop with CartPole's arithmetic that writes the arrays that a pool writes, on one thread."""
    return CompiledSide(compiled("plain_loop.cc"), num_envs)


def tag_loop(worlds: int, taggers: int, runners: int, observed: int) -> CompiledSide:
    """Starts a loop around TagContinuous's own functions, on one thread."""
    return CompiledSide(compiled("tag_loop.cc"), worlds, taggers, runners, observed)


def mujoco_loop(
    python: str, case: dict[str, Any], model: str, frame_skip: int, forces: bool, noise: float
) -> CompiledSide:
    """Starts a loop of mj_step with the case's number of threads and length of episodes.

    MuJoCo and the models come from the packages that are installed for the interpreter `python`.
    """
    episode = case.get("options", {}).get("max_episode_steps", 1000)
    root = package_folder(python, "mujoco")
    libraries = [*map(str, root.glob("libmujoco.so.*")), f"-Wl,-rpath,{root}"]
    program = compiled("mj_loop.cc", f"-I{root / 'include'}", *libraries)
    xml = package_folder(python, "gymnasium") / "envs" / "mujoco" / "assets" / model
    return CompiledSide(program, xml, frame_skip, case["num_envs"], case["num_threads"], int(forces), episode, noise)


def package_folder(python: str, name: str) -> Path:
    """Returns the folder of a package that is installed for an interpreter."""
    code = f"import importlib.util as u; print(u.find_spec({name!r}).submodule_search_locations[0])"
    command = [python, "-I", "-c", code]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
