# SPDX-License-Identifier: Apache-2.0
"""Writes the results of tools/gpu_proof.py as Markdown, a section for each GPU.

    python -m tests.proof.page results.jsonl docs/gpu.md       (make gpu-page)

updates the page's sections. Results from the stand-in for NVIDIA's driver are refused there: elsewhere their title says
that they are a rehearsal, and every table of speeds says that no GPU was used.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.proof import Result
from tests.proof.results import STAND_IN, cards, is_bad, latest, read

NO_GPU = "**No GPU was used.** The kernels ran on a CPU, so these speeds say nothing about a GPU."
_PATH = re.compile(r"^<(?:an? )?|(?:, [^,>]*)?>$")  # the path of a library in its repr, and the brackets
_PLACE = "<!-- made by make gpu-page -->\n"
_SECTION = re.compile(r"<!-- (?P<card>[^\n]*?): made by make gpu-page -->\n.*?<!-- end of [^\n]* -->\n\n?", re.DOTALL)


def page(lines: Sequence[Result]) -> str:
    """Returns the sections of all GPUs."""
    return "\n".join(section(lines, card) for card in cards(lines))


def section(lines: Sequence[Result], card: str) -> str:
    """Returns the section of one GPU."""
    by_section, stand_in = latest(lines, card), card == STAND_IN
    parts = ["## Rehearsal on the stand-in, without a GPU" if stand_in else f"## Measured on an {card}"]
    parts += [*([NO_GPU] if stand_in else []), _machine(by_section)]
    parts += [
        *_comparisons(by_section),
        _speeds(by_section, stand_in),
        _lanes(by_section, stand_in),
        _gymnax(by_section, stand_in),
        _warp_drive(by_section, stand_in),
    ]
    parts += [_failures(by_section), _states(lines, card)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _machine(by_section: dict[str, list[Result]]) -> str:
    every = [line for section in by_section.values() for line in section]
    dates = sorted({line["run"][:10] for line in every})
    versions = dict.fromkeys(line["version"] for line in every)
    parts = [f"Measured on {' and '.join(dates)} with envpool {', '.join(versions)}"]
    for line in by_section.get("machine", []):
        if "devices" in line:
            packages = ", ".join(f"{name} {version}" for name, version in line["packages"].items())
            parts += [*(_PATH.sub("", line[key]) for key in ("driver", "nvrtc")), *line["about"]]
            parts += [f"{line['cpus']} CPUs", f"Python {line['python']}", packages]
            if line["missing"]:
                parts.append(f"not installed, so not checked: {', '.join(line['missing'])}")
        elif "bytes_per_second" in line:
            parts.append(f"a copy in the device's memory moves {line['bytes_per_second'] / 1e12:.2f} TB/s")
    for line in by_section.get("compile", []):
        if "kernels" in line:
            parts.append(
                f"{line['kernels']} kernels, of which {line['compiled']} were compiled in {line['seconds']:.0f} s"
            )
    return "; ".join(parts) + "."


_KINDS = {
    "bits": "pools of environments, compared with the CPU",
    "math": "runs of the functions of `math.h`, compared with the CPU",
    "jax": "programs of JAX, compared with the CPU",
    "plumbing": "checks of arrays in other libraries, of states that move between devices, and of compute-sanitizer",
}


def _comparisons(by_section: dict[str, list[Result]]) -> Iterable[str]:
    lines = []
    for name, what in _KINDS.items():
        every = by_section.get(name, [])
        if reasons := {line["skipped"] for line in every if "skipped" in line}:
            lines.append(f"- {what}: not run, because {'; '.join(sorted(reasons))}")
        if ended := [line for line in every if "skipped" not in line and "out_of_time" not in line]:
            words, episodes, arguments = (sum(line.get(key, 0) for line in ended) for key in _TOTALS)
            totals = [f"{words:,} words of 32 bits"] * bool(words) + [f"{episodes:,} episodes"] * bool(episodes)
            totals += [f"{arguments:,} arguments of each type"] * bool(arguments)
            bad = sum(map(is_bad, ended))
            lines.append(f"- {len(ended):,} {what}: {', '.join([*totals, f'**{bad} fail**' if bad else 'none fails'])}")
    return ["\n".join(lines)]


_TOTALS = ("words", "episodes", "arguments")


def readable(number: float) -> str:
    """Returns a number in three digits, such as 20.9 G."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size * 0.9995:
            return f"{number / size:.3g} {unit}" if number < 999.5 * size else f"{number / size:,.0f} {unit}"
    return f"{number:.3g}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], stand_in: bool) -> str:
    """Returns a table; an empty string if it has no rows. On the stand-in, each row says so."""
    if not rows:
        return ""
    heads, rows = [*heads, *["device"] * stand_in], [[*row, *["no GPU"] * stand_in] for row in rows]
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"|{'|'.join(f' {cell} ' if cell != '---' else cell for cell in line)}|" for line in lines)


def _speeds(by_section: dict[str, list[Result]], stand_in: bool) -> str:
    rows = []
    measured = [line for name in ("speed", "sizes", "rows", "graph") for line in by_section.get(name, [])]
    for line in sorted(measured, key=lambda line: line["name"]):
        if "steps_per_second" in line and not is_bad(line):
            name = line["name"].removeprefix(f"{line['task_id']} x {line['num_envs']}").removeprefix(", ")
            ceiling = f"{readable(line['ceiling'])}, {line['bound']}" if "ceiling" in line else ""
            share = f"{line['share']:.1%}" if "share" in line else ""
            rows.append(
                [
                    f"`{line['task_id']}`",
                    f"{line['num_envs']:,}",
                    name or "actions in host memory",
                    readable(line["steps_per_second"]),
                    f"{line['microseconds_per_call']:,.1f}",
                    f"{line['spread']:.0%}",
                    ceiling,
                    share,
                ]
            )
        elif "too_large" in line:
            rows.append([line["name"], f"{line['num_envs']:,}", "does not fit into the memory", *[""] * 5])
    heads = ["environment", "environments", "how", "steps/s", "µs a step of all", "spread", "ceiling", "share of it"]
    return _table(heads, rows, stand_in)


def _lanes(by_section: dict[str, list[Result]], stand_in: bool) -> str:
    """Returns a table of milliseconds a step: a row for each pool, and a column for each number of lanes."""
    pools: dict[str, dict[int, float]] = {}
    for line in by_section.get("lanes", []):
        if "steps_per_second" in line:
            pool, _, lanes = line["name"].partition(", ")
            pools.setdefault(pool, {})[int(lanes.split()[0])] = line["microseconds_per_call"] / 1000
    numbers = sorted({number for times in pools.values() for number in times})
    rows = [
        [pool, *(f"{times[number]:.3g}" if number in times else "" for number in numbers)]
        for pool, times in pools.items()
    ]
    heads = ["ms a step of all, with this number of lanes of a warp", *map(str, numbers)]
    return _table(heads, rows, stand_in)


def _gymnax(by_section: dict[str, list[Result]], stand_in: bool) -> str:
    rows = [
        [
            line["name"],
            readable(line["steps_per_second"]),
            readable(line["gymnax"]) if "gymnax" in line else f"not measured: {line.get('without_gymnax', '')}",
            f"{line['over_gymnax']:.2f}" if "over_gymnax" in line else "",
        ]
        for line in by_section.get("jaxspeed", [])
        if "steps_per_second" in line
    ]
    return _table(["in a jitted scan", "envpool, steps/s", "gymnax, steps/s", "ratio"], rows, stand_in)


def _warp_drive(by_section: dict[str, list[Result]], stand_in: bool) -> str:
    rows = [
        [
            line["name"],
            readable(line["steps_per_second"]),
            readable(line["warp_drive"]),
            f"{line['over_warp_drive']:.2f}",
            f"{line['spread']:.0%}",
        ]
        for line in by_section.get("peers", [])
        if "warp_drive" in line
    ]
    heads = ["worlds", "envpool, steps/s", "WarpDrive's kernel, without resets, steps/s", "ratio", "spread"]
    return _table(heads, rows, stand_in)


def _failures(by_section: dict[str, list[Result]]) -> str:
    lines = []
    for name, every in by_section.items():
        for line in every:
            if is_bad(line) or "out_of_time" in line:
                late = f"stopped after {line['out_of_time']} s" if "out_of_time" in line else ""
                why = late or line.get("error") or line.get("different") or line.get("said") or "not equal"
                text = str(why)[:300].replace("\n", " ").replace("<", "&lt;")
                lines.append(f"- {name}, {line['name']}: {text}")
    return "Failures:\n\n" + "\n".join(lines) if lines else ""


def _states(lines: Sequence[Result], card: str) -> str:
    by_section = latest(lines, card)
    states = {line["section"]: line["state"] for line in lines if "state" in line and line["card"] == card}
    rows = [
        [
            name,
            states.get(name, "interrupted"),
            str(sum("out_of_time" not in line for line in every)),
            str(sum(map(is_bad, every))),
            f"{sum(line.get('seconds', 0) for line in every):.0f}",
        ]
        for name, every in by_section.items()
    ]
    return _table(["section", "state", "steps", "failures", "seconds"], rows, card == STAND_IN)


def updated(text: str, lines: Sequence[Result]) -> str:
    """Returns a page in which the sections of these results' GPUs are added or replaced.

    Raises:
        ValueError: the results are not from a GPU, or the page has no place for them.
    """
    names = cards(lines)
    if not names or not all("machine" in latest(lines, card) for card in names) or STAND_IN in names:
        raise ValueError(f"results: expected results of GPUs, got {' and '.join(names) or 'none'}")
    if _PLACE not in text:
        raise ValueError(f"page: expected a line {_PLACE.strip()!r}")
    before, after = text.split(_PLACE)
    known = {match["card"]: match[0] for match in _SECTION.finditer(after)}
    rest = _SECTION.sub("", after).lstrip("\n")
    for card in names:
        known[card] = f"<!-- {card}: made by make gpu-page -->\n{section(lines, card)}\n<!-- end of {card} -->\n\n"
    return f"{before}{_PLACE}\n{''.join(known.values())}{rest}"


def main() -> None:
    """Updates the page."""
    file, target = Path(sys.argv[1]), Path(sys.argv[2])
    try:
        target.write_text(updated(target.read_text(), read(file)))
    except ValueError as error:
        sys.exit(f"[envpool] {error} ({file})")


if __name__ == "__main__":
    main()
