# SPDX-License-Identifier: Apache-2.0
"""Makes Markdown tables and charts of suite.py's JSON files."""

import json
from collections import defaultdict
from pathlib import Path

from cases import FLOORS, SIDES

SLOWER = "▼"  # marks every ratio in which a peer is faster than this package
COLORS = dict(
    zip(
        SIDES,
        (
            "#1f6f8b",
            "#e0a458",
            "#b5533c",
            "#9aa5b1",
            "#9aa5b1",
            "#6b7785",
            "#c3b299",
            "#7aa874",
            "#8d6a9f",
            "#222222",
            "#222222",
        ),
        strict=True,
    )
)


def label(side: str) -> str:
    return SIDES[side][0]


def amount(value: float) -> str:
    """Formats a number with three digits and a prefix for thousands or millions."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g}"


def ratio(value: dict | None, *, floor: bool = False) -> str:
    """Formats a ratio: the median, the range over the rounds, and a mark if we are slower than a peer."""
    if value is None:
        return "–"
    mark = f" {SLOWER}" if value["median"] < 1 and not floor else ""
    return f"{value['median']:.2f}×{mark} ({value['low']:.2f}–{value['high']:.2f})"


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def peers_of(results: list[dict], key: str) -> list[str]:
    """Returns all sides that occur in a result, in the order of SIDES."""
    return [side for side in SIDES if any(side in result.get(key, {}) for result in results)]


def by_task(record: dict) -> dict[str, list[dict]]:
    found = defaultdict(list)
    for result in record["results"]:
        found[result["case"]["task"]].append(result)
    return found


def size(case: dict) -> str:
    text = f"{case['num_envs']:,} envs" if case["num_envs"] > 1 else "1 env"
    text += f", batches of {case['batch_size']}" if "batch_size" in case else ""
    return text + (f", {case['num_threads']} threads" if case["num_threads"] > 1 else ", 1 thread")


def rate_tables(record: dict) -> str:
    """Makes a table per task: our rate, and its ratio to each peer's by wall-clock and by CPU time."""
    text = ""
    for task, results in by_task(record).items():
        peers = peers_of(results, "ours_over")
        header = [task, "steps/s", "CPU µs per step", *(f"over {label(side)}" for side in peers)]
        rows = []
        for result in results:
            row = [size(result["case"]), amount(result["steps_per_s"]["ours"]["median"])]
            row.append(f"{result['cpu_us_per_step']['ours']:.3g}")
            for side in peers:
                cell = ratio(result["ours_over"].get(side), floor=side in FLOORS)
                if by_cpu := result["ours_over_by_cpu"].get(side):
                    mark = f" {SLOWER}" if by_cpu["median"] < 1 and side not in FLOORS else ""
                    cell += f"; CPU {by_cpu['median']:.2f}×{mark}"
                row.append(cell)
            rows.append(row)
        text += table(header, rows) + "\n"
    return text


def efficiency_table(record: dict) -> str:
    """Makes a table of the efficiency: the rate with t threads, divided by t times the rate with one thread."""
    rows = []
    for task, results in by_task(record).items():
        single = next((r for r in results if r["case"]["num_threads"] == 1), None)
        for result in results:
            threads = result["case"]["num_threads"]
            if single is None or threads == 1:
                continue
            for side in peers_of([result], "steps_per_s"):
                share, cpu = efficiency(single, result, side)
                rows.append([f"{task}, {threads} threads", label(side), f"{share:.2f}", f"{cpu:.2f}"])
    return (
        table(
            ["", "side", "rate per thread / rate of one thread", "CPU time per step / the same with one thread"], rows
        )
        + "\n"
    )


def efficiency(single: dict, result: dict, side: str) -> tuple[float, float]:
    threads = result["case"]["num_threads"]
    share = result["steps_per_s"][side]["median"] / single["steps_per_s"][side]["median"] / threads
    return share, result["cpu_us_per_step"][side] / single["cpu_us_per_step"][side]


def floor_table(record: dict) -> str:
    """Makes a table of our rate divided by the rate of a loop without an engine, by wall-clock and by CPU time."""
    rows = []
    for result in record["results"]:
        for side in sorted(FLOORS & result["ours_over"].keys()):
            by_cpu = result["ours_over_by_cpu"][side]
            ratios = [ratio(value, floor=True) for value in (result["ours_over"][side], by_cpu)]
            rows.append([result["name"], label(side), *ratios])
    return table(["", "floor", "our rate / the floor's", "by CPU time of a step"], rows) + "\n"


def latency_table(record: dict) -> str:
    rows = []
    for result in record["results"]:
        for side, us in result["us"].items():
            cells = [f"{us[p]['median']:.1f}" for p in ("p50", "p90", "p99")]
            over = "" if side == "ours" else ratio(result["theirs_over"][side])
            rows.append([result["case"]["task"], label(side), *cells, over])
    return table(["one environment, µs per step", "side", "p50", "p90", "p99", "p50 over ours"], rows) + "\n"


def startup_table(record: dict) -> str:
    """Makes a table of start-up times. It compares their sum, because packages may defer imports."""
    rows = []
    for result in record["results"]:
        total = result["total_s"]
        for side in total:
            slower = f" {SLOWER}" if total[side]["median"] < total["ours"]["median"] else ""
            cells = [f"{result[what][side]['median']:.2f}" for what in ("import_s", "make_s")]
            spread = f"{total[side]['median']:.2f} ({total[side]['low']:.2f}–{total[side]['high']:.2f}){slower}"
            rows.append([result["name"], label(side), *cells, spread])
    return table(["", "side", "s to import", "to make, reset and step once", "both"], rows) + "\n"


def memory_table(record: dict) -> str:
    rows = []
    for result in record["results"]:
        for side, count in result["bytes"].items():
            slower = f" {SLOWER}" if side != "ours" and count < result["bytes"]["ours"] else ""
            rows.append([result["case"]["task"], label(side), f"{count / 1000:,.1f}{slower}"])
    return table(["", "side", "kB per environment"], rows) + "\n"


def jit_table(record: dict) -> str:
    rows = []
    for result in record["results"]:
        rate = result["steps_per_s"]
        if "gymnax" in rate:
            cells = [f"{rate[side]['median'] / 1e6:.2f}" for side in ("ours", "gymnax")]
            by_cpu = ratio(result["ours_over_by_cpu"]["gymnax"])
            rows.append([f"`{result['case']['task']}`", *cells, ratio(result["ours_over"]["gymnax"]), by_cpu])
    return table(["million steps/s in a jitted scan", "envpool.jax", "gymnax", "ratio", "by CPU time"], rows) + "\n"


def lines(record: dict, out: Path, across: str, axis: str) -> list[str]:
    """Draws the rates of all sides against the number that a case has under `across`, in one chart per task."""
    from matplotlib import pyplot

    names = []
    for task, results in by_task(record).items():
        figure, axes = pyplot.subplots(figsize=(7.5, 4.5), layout="constrained")
        for side in peers_of(results, "steps_per_s"):
            points = [(r["case"][across], r["steps_per_s"][side]) for r in results if side in r["steps_per_s"]]
            at, values = zip(*points, strict=True)
            bars = [[v["median"] - v["low"] for v in values], [v["high"] - v["median"] for v in values]]
            style = "--" if side in FLOORS else "-"
            marker = "o" if side == "ours" else {"envpool": "s", "ale": "^", "gymnasium_async": "x"}.get(side, ".")
            middle = [v["median"] for v in values]
            axes.errorbar(
                at,
                middle,
                bars,
                color=COLORS[side],
                linestyle=style,
                marker=marker,
                capsize=3,
                label=label(side),
                linewidth=2.5 if side == "ours" else 1.5,
            )
        axes.set_yscale("log")
        axes.set_xscale("log", base=2)
        ticks = sorted({r["case"][across] for r in results})
        axes.set_xticks(ticks, [f"{t:,}" for t in ticks])
        axes.minorticks_off()
        names.append(
            finish(figure, axes, f"{record['part']}_{task}", out, axis, "steps/s (median, least, most)", task, record)
        )
    return names


def bars(record: dict, out: Path, values, axis: str, log: bool = True) -> list[str]:
    """Draws a bar for each side of each result; `values` maps a result to {side: (value, least, most)}."""
    from matplotlib import pyplot

    rows = [(r["case"]["task"], side, value) for r in record["results"] for side, value in values(r).items()]
    figure, axes = pyplot.subplots(figsize=(7.5, 0.9 + 0.27 * len(rows)), layout="constrained")
    for at, (_, side, (middle, low, high)) in enumerate(rows):
        axes.barh(at, middle, 0.8, color=COLORS[side], xerr=[[middle - low], [high - middle]], capsize=2)
    axes.set_yticks(range(len(rows)), [f"{task}  {label(side)}" for task, side, _ in rows], fontsize=8)
    axes.invert_yaxis()
    if log:
        axes.set_xscale("log")
    return [finish(figure, axes, record["part"], out, axis, "", "", record)]


def finish(figure, axes, name: str, out: Path, x: str, y: str, title: str, record: dict) -> str:
    from matplotlib import pyplot

    machine = record["machine"]
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    when = f"{machine['cpu']}, {machine['usable_cores']} CPUs, {record['date']}" + (
        ", quick" if record["quick"] else ""
    )
    axes.set_title(f"{title}\n{when}" if title else when, fontsize=9)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[0]:
        figure.legend(frameon=False, fontsize=8, loc="outside right upper")
    path = out / f"{name}.png"
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
    return path.name


def percentiles(result: dict) -> dict:
    return {side: (us["p50"]["median"], us["p50"]["median"], us["p99"]["median"]) for side, us in result["us"].items()}


def seconds(result: dict) -> dict:
    return {side: (v["median"], v["low"], v["high"]) for side, v in result["total_s"].items()}


def kilobytes(result: dict) -> dict:
    return {side: (max(v, 1) / 1000,) * 3 for side, v in result["bytes"].items()}


def jit_ratios(result: dict) -> dict:
    return {side: (v["median"] / 1e6, v["low"] / 1e6, v["high"] / 1e6) for side, v in result["steps_per_s"].items()}


# The tables and charts of each part.
PARTS = {
    "throughput": (
        [rate_tables, lambda record: "### How close to the floor\n\n" + floor_table(record)],
        lambda record, out: lines(record, out, "num_envs", "environments"),
    ),
    "threads": (
        [rate_tables, lambda record: "### Efficiency of a thread\n\n" + efficiency_table(record)],
        lambda record, out: lines(record, out, "num_threads", "threads"),
    ),
    "batch": ([rate_tables], lambda record, out: lines(record, out, "batch_size", "batch size")),
    "latency": (
        [latency_table],
        lambda r, out: bars(r, out, percentiles, "µs per step of one environment: p50, line to p99"),
    ),
    "startup": ([startup_table], lambda r, out: bars(r, out, seconds, "s to import, make, reset and step once")),
    "memory": ([memory_table], lambda r, out: bars(r, out, kilobytes, "kB per environment")),
    "jit": ([jit_table], lambda r, out: bars(r, out, jit_ratios, "million steps/s in a jitted scan")),
}


def losses(record: dict) -> list[str]:
    """Lists every ratio in which a peer is faster or needs less memory."""
    found = []
    for result in record["results"]:
        for side, value in [*result.get("ours_over", {}).items(), *result.get("theirs_over", {}).items()]:
            if side not in FLOORS and value["median"] < 1:
                found.append(f"- {record['part']}, {result['name']}: {ratio(value)} {label(side)}")
        for what, unit in (("total_s", "s"), ("bytes", "bytes")):
            for side, value in result.get(what, {}).items():
                theirs, ours = (v["median"] if isinstance(v, dict) else v for v in (value, result[what]["ours"]))
                if theirs < ours:
                    found.append(f"- {record['part']}, {result['name']}: {ours:.3g} {unit}, {label(side)} {theirs:.3g}")
    return found


def heading(record: dict) -> str:
    """Describes the run: machine, date, versions and command."""
    machine = record["machine"]
    versions: dict[str, set] = defaultdict(set)
    for result in record["results"]:
        for found in result["versions"].values():
            for name, version in found.items():
                if version:
                    versions[name].add(version)
    listed = ", ".join(f"{name} {' and '.join(sorted(found))}" for name, found in sorted(versions.items()))
    quick = "**A quick run: it shows only that everything works.** " if record["quick"] else ""
    busy = [r["other_cores"] for r in record["results"] if r.get("other_cores") is not None]
    others = f" Other programs kept up to {max(busy):.1f} of them busy." if busy else ""
    return (
        f"{quick}{machine['cpu']}, {machine['usable_cores']} CPUs, {machine['system']}; {record['date']}; "
        f"{record['rounds']} rounds of {record['window_s']} s.{others} {listed}.\n\n    {' '.join(record['command'])}\n"
    )


def write(out: Path) -> str:
    """Writes the pages of all parts that were measured; returns a sentence about them."""
    import matplotlib

    matplotlib.use("agg")
    whole = (
        "# Benchmarks\n\nRatios are this package's value divided by the other's, unless a heading says otherwise; higher "
        "is better for us. Each ratio is the median over the rounds, with the range in parentheses. "
        f"{SLOWER} marks where the peer is ahead.\n"
    )
    behind = []
    for part, (tables, images) in PARTS.items():
        path = out / f"{part}.json"
        if not path.exists():
            continue
        record = json.loads(path.read_text())
        text = heading(record) + "\n" + "".join(make(record) for make in tables)
        text += "".join(f"![{name}]({name})\n" for name in images(record, out))
        failed = [f"{side} in {r['name']}" for r in record["results"] for side in r["failed"]]
        if failed:
            text += f"\nDid not run: {', '.join(failed)}.\n"
        (out / f"{part}.md").write_text(text)
        whole += f"\n## {part}\n\n{text}"
        behind += losses(record)
    whole += "\n## Where a peer is ahead\n\n" + ("\n".join(behind) or "No peer is ahead in these measurements.") + "\n"
    for path in sorted((out / "tables").glob("*.md")):
        whole += f"\n## {path.stem}, for README and docs\n\n{path.read_text()}"
    (out / "index.md").write_text(whole)
    return f"{out / 'index.md'} has the tables and charts. A peer is ahead in {len(behind)} ratios."
