# SPDX-License-Identifier: Apache-2.0
"""What there is to be had: C++ loops without an engine, as sides that wait for their turn.

Each is compiled when it is first asked for, into build/benchmark. It reads turns from its input, as envpool/cli/side.py
does, and answers "steps wall_s cpu_s".
"""

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


def compiled(source: str, *arguments: str) -> Path:
    """The program of a source file of this folder."""
    program = Path("build/benchmark", Path(source).stem).resolve()
    newest = max(path.stat().st_mtime for path in [HERE / source, *HERE.parent.glob("envpool/core/**/*.h")])
    if not program.exists() or program.stat().st_mtime < newest:
        program.parent.mkdir(parents=True, exist_ok=True)
        flags = ["-std=c++20", "-O3", "-ffp-contract=off", f"-I{HERE.parent}"]
        command = [compiler(), *flags, str(HERE / source), *arguments, "-pthread", "-o", str(program)]
        subprocess.run(command, check=True)
    return program


def compiler() -> str:
    return os.environ.get("CXX", "c++")


def compiler_version() -> str:
    command = [compiler(), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]


class Loop:
    """A program that takes turns."""

    def __init__(self, program: Path, *arguments: object):
        self.process = subprocess.Popen(
            [str(program), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for who asks; a loop ends with its input
        )
        self.start = {"versions": {"compiler": compiler_version()}}

    def turn(self, amount: float, unit: str = "seconds") -> dict:
        print(unit, amount, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline().split()
        if len(line) != 3:
            raise RuntimeError(f"{self.process.args[0]} ended with status {self.process.wait()}")
        steps, wall, cpu = map(float, line)
        return {"steps": steps, "wall_s": wall, "cpu_s": cpu, "other_cores": None}

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(30)


def cartpole_loop(num_envs: int) -> Loop:
    """The same CartPole as one C++ loop that writes the same arrays."""
    return Loop(compiled("plain_loop.cc"), num_envs, "turns")


def mujoco_loop(python: str, case: dict, model: str, frame_skip: int, forces: bool, noise: float) -> Loop:
    """mj_step in as many threads, with the library and the models that `python` has, and as long episodes."""
    episode = case.get("options", {}).get("max_episode_steps", 1000)
    root = packages(python, "mujoco")
    libraries = [*map(str, root.glob("libmujoco.so.*")), f"-Wl,-rpath,{root}"]
    program = compiled("mj_loop.cc", f"-I{root / 'include'}", *libraries)
    xml = packages(python, "gymnasium") / "envs" / "mujoco" / "assets" / model
    loop = Loop(program, xml, frame_skip, case["num_envs"], case["num_threads"], int(forces), episode, noise)
    loop.start["versions"]["mujoco"] = loop.process.stdout.readline().split()[1]
    return loop


def packages(python: str, name: str) -> Path:
    """The folder of a package of an interpreter."""
    code = f"import importlib.util as u; print(u.find_spec({name!r}).submodule_search_locations[0])"
    command = [python, "-I", "-c", code]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
