# SPDX-License-Identifier: Apache-2.0
"""`envpool doctor`: reports installed and missing packages, and the machine's CPUs, compiler, cache and GPUs."""

from __future__ import annotations

import math
import os
import platform
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from envpool.cli import gpu
from envpool.cli.common import Failure, console, print_json
from envpool.python.distribution import NAME, conflict, pip_install, version, version_of
from envpool.python.topology import allowed_cpus, assign_cpus, current_cpu, read_topology

# Distributions and their uses. The first three are required.
_PACKAGES = (
    ("numpy", "all arrays"),
    ("gymnasium", "spaces, make, make_vec"),
    ("dm-env", "make_dm"),
    ("gym", "make_gym in gym's own form"),
    ("ale-py", "Atari's ROMs"),
    ("mujoco", "MuJoCo's physics, in release 3.17.0 or 4.0.0"),
    ("dm_control", "models of the control suite, which needs mujoco 3.17.0"),
    ("jax", "envpool.jax, xla()"),
    ("nvidia-cuda-nvrtc-cu12", "tests that compile environments for a GPU"),
    ("typer", "this command line"),
    ("rich", "tables of this command line"),
    ("imageio", "envpool watch"),
    ("imageio-ffmpeg", "envpool watch, .mp4"),
    ("pillow", "envpool watch, .gif; charts of envpool bench"),
    ("pygame", "envpool play in a window"),
)
_REQUIRED = 3
_SAME_MODULE = {"pygame": "pygame-ce"}  # other distributions of the same module; both at once would be broken


def doctor(*, as_json: bool) -> None:
    """Prints the report. Raises Failure at the end if envpool cannot work on this machine."""
    facts = examine()
    if as_json:
        print_json(facts)
    else:
        _print(facts)
    broken = [name for name, _ in _PACKAGES[:_REQUIRED] if not facts["packages"][name]["version"]]
    wrong = facts["conflict"].removeprefix("[envpool] ") or facts["core"]["error"]
    if broken or wrong:
        raise Failure(wrong or f"missing: {', '.join(broken)}; {pip_install(*broken)}")


def examine() -> dict[str, Any]:
    """Returns the report as plain values."""
    core, conflicting = _core(), conflict()
    return {
        "envpool": version() or "not installed as a package",
        "conflict": conflicting,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver())}".strip(", "),
        "core": core,
        "families": [] if core["error"] or conflicting else _families(),
        "packages": {
            name: {"version": _version(name), "for": use, "command": pip_install(name)} for name, use in _PACKAGES
        },
        "cpus": cpus(),
        "native_code": native_code(),
        "cache": cache(),
        "compiler": compiler(),
        "gpu": gpu.examine(),
        "display": next((name for name in ("DISPLAY", "WAYLAND_DISPLAY") if os.environ.get(name)), ""),
    }


def _version(package: str) -> str:
    """Returns the version of a package, or of the one that is installed instead of it, with its name."""
    found, other = version_of(package), _SAME_MODULE.get(package, "")
    return found or (f"{version_of(other)} of {other}" if other and version_of(other) else "")


def _core() -> dict[str, str]:
    try:
        from envpool import _core

        return {"path": str(_core.__file__), "error": ""}
    except ImportError as error:
        return {"path": "", "error": f"the compiled core cannot be loaded: {error}; install {NAME} again"}


def _families() -> list[dict[str, str | int]]:
    from envpool.cli.catalog import families

    return families()


# ---- the machine ----


def cpus() -> dict[str, Any]:
    """Returns the CPUs of the machine and of this process, with advice on threads."""
    allowed = allowed_cpus()
    quota = _quota()
    usable = max(1, math.ceil(min(len(allowed), quota or math.inf)))  # as in core/system/resources.h
    known = [cpu for cpu in read_topology() if cpu.number in allowed]
    nodes = {cpu.node: [other.number for other in known if other.node == cpu.node] for cpu in known}
    facts: dict[str, Any] = {
        "machine": os.cpu_count() or 1,
        "affinity": len(allowed),
        "cgroup_quota": quota,
        "usable": usable,
        "cores": len({cpu.core for cpu in known}),
        "numa_nodes": [nodes[node] for node in sorted(nodes)],
        "layout": assign_cpus(known, allowed, usable, current_cpu()),
    }
    return {**facts, "advice": advice(facts)}


def _quota() -> float | None:
    words = _read("/sys/fs/cgroup/cpu.max").split()
    if not words:
        words = [_read(f"/sys/fs/cgroup/cpu/cpu.cfs_{name}_us") for name in ("quota", "period")]
    try:
        quota, period = (float(word) for word in words)
    except ValueError:
        return None
    return quota / period if quota > 0 and period > 0 else None


def advice(facts: dict[str, Any]) -> list[str]:
    """Returns sentences on the number and placement of threads."""
    usable, affinity = facts["usable"], facts["affinity"]
    sentences = [
        f"num_threads=0, the default, starts {usable} worker thread{'s' if usable > 1 else ''}, or batch_size if that is "
        "less."
    ]
    if facts["cgroup_quota"] and facts["cgroup_quota"] < affinity:
        sentences.append(
            f"The container may use the time of {facts['cgroup_quota']:.3g} CPUs of {affinity}: with more threads, the "
            "system would interrupt them in the middle of a step."
        )
    if affinity < facts["machine"]:
        sentences.append(
            f"The affinity mask allows {affinity} of {facts['machine']} CPUs; taskset shows and changes it."
        )
    if facts["cores"] < affinity:
        sentences.append(
            f"Each core runs several threads: also try num_threads={min(usable, facts['cores'])}, because fast "
            "environments gain little from a second thread per core."
        )
    if len(facts["numa_nodes"]) > 1:
        first = facts["numa_nodes"][0]
        sentences.append(
            f"Memory is in {len(facts['numa_nodes'])} NUMA nodes: one process per node is fastest, each started with "
            f"numactl --cpunodebind=N --membind=N and {len(first)} threads."
        )
    cpus = facts["layout"]
    shown = ", ".join(map(str, cpus[:16])) + (f" and {len(cpus) - 16} more" if len(cpus) > 16 else "")
    sentences.append(f"thread_affinity_offset='auto' would pin {len(cpus)} threads, started here, to CPUs {shown}.")
    return sentences


def _read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def native_code() -> dict[str, Any]:
    """Returns whether Atari's console can run games as machine code and, if it must interpret them, why."""
    if error := _core()["error"]:
        why = error
    elif platform.machine() not in ("x86_64", "AMD64", "aarch64", "arm64"):  # as Windows and macOS say
        why = f"there is no code generator for {platform.machine()}"
    elif os.environ.get("ENVPOOL_ATARI_NATIVE") == "0":
        why = "ENVPOOL_ATARI_NATIVE=0"
    elif error := _refusal_of_code():
        why = f"the system refuses executable memory ({error})"
    else:
        why = ""
    return {"usable": not why, "why": why}


def _refusal_of_code() -> str:
    from envpool import _core

    return _core.refusal_of_code()


def cache() -> dict[str, Any]:
    """Returns the folder of the cache, and whether it can be used."""
    from envpool.python.cache_files import cache_folder

    folder = cache_folder()
    why = "there is no home directory" if folder is None else _refusal_of_cache(folder)
    command = f"export ENVPOOL_CACHE_DIR={_folder_for_a_cache()}" if why else ""
    return {"path": str(folder or ""), "writable": not why, "why": why, "command": command}


def _refusal_of_cache(folder: Path) -> str:
    """Returns why a folder cannot be the cache; "" if it can."""
    from envpool.python.code_files import distrust

    # Other users must not be able to change the folders of compiled plugins and kernels either.
    for part in ("plugins", "cuda"):
        if why := distrust(folder / part / "file"):
            return why
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _folder_for_a_cache() -> str:
    """Returns a folder that can be the cache, as a word for the shell: never one that other users could create first."""
    for parent in (Path.home() if os.path.isabs(os.path.expanduser("~")) else Path.cwd(), Path.cwd(), Path(sys.prefix)):
        folder = parent / "envpool_cache"
        if not _refusal_of_cache(folder):
            return shlex.quote(os.fspath(folder))
    return '"$(mktemp -d)"'


def compiler() -> dict[str, str]:
    """Returns the compiler that envpool.compile would use."""
    from envpool.plugins.compiler import find_compiler

    try:
        command = find_compiler("envpool", None)
        output = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        return {"command": "", "version": "", "why": str(error).removeprefix("[envpool] ")}
    return {"command": " ".join(command), "version": output.partition("\n")[0], "why": ""}


# ---- printing ----


def _print(facts: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    out = console()
    marks = {"ok": "[green]ok[/]", "no": "[yellow]--[/]", "bad": "[red]!![/]", "": ""}

    def section(title: str, rows: list[tuple[str, str, str]]) -> None:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        for _ in range(3):
            table.add_column(overflow="fold")
        for mark, name, text in rows:
            table.add_row(f"  {marks[mark]}", escape(name), escape(text))
        out.print(f"[bold]{title}[/]", table, "", highlight=False)

    core, cpu, cache, compiler = facts["core"], facts["cpus"], facts["cache"], facts["compiler"]
    native = facts["native_code"]
    section(
        f"{NAME} {facts['envpool']}",
        [
            *([("bad", "conflict", facts["conflict"].removeprefix("[envpool] "))] if facts["conflict"] else []),
            ("ok", "python", f"{facts['python']} at {sys.executable}, {facts['system']}"),
            ("bad" if core["error"] else "ok", "core", core["error"] or core["path"]),
        ],
    )
    section(
        "families",
        [
            ("no", family["family"], family["missing"])
            if family["missing"]
            else ("ok", family["family"], f"{family['ids']} ids, such as {family['example']}")
            for family in facts["families"]
        ],
    )
    rows = []
    for number, (name, entry) in enumerate(facts["packages"].items()):
        mark = "ok" if entry["version"] else "bad" if number < _REQUIRED else "no"
        rows.append((mark, name, f"{entry['version'] or entry['command']}  ({entry['for']})"))
    section("packages", rows)
    quota = f", a quota of {cpu['cgroup_quota']:.3g}" if cpu["cgroup_quota"] else ", no quota"
    section(
        "machine",
        [
            (
                "ok",
                "CPUs",
                f"{cpu['usable']} usable: {cpu['machine']} in the machine, {cpu['affinity']} by affinity{quota}",
            ),
            *(("", "", sentence) for sentence in cpu["advice"]),
            ("ok", "native code", "Atari's console runs games as machine code")
            if native["usable"]
            else ("no", "native code", f"{native['why']}: Atari's console interprets games, with the same results"),
            ("ok", "compiler", f"{compiler['version']} ({compiler['command']})")
            if compiler["command"]
            else ("no", "compiler", f"envpool.compile cannot work: {compiler['why']}"),
            ("ok", "cache", cache["path"])
            if cache["writable"]
            else ("no", "cache", f"{cache['path']} cannot be used ({cache['why']}): {cache['command']}"),
            ("ok", "display", f"${facts['display']}")
            if facts["display"]
            else ("no", "display", "none: envpool play runs in the terminal"),
        ],
    )
    section("GPU", gpu.rows(facts["gpu"]))
