# SPDX-License-Identifier: Apache-2.0
"""Plots the mean returns of several training runs against steps and minutes.

    python examples/curves.py runs/ppo_atari runs/ppo_atari_gymnasium --labels='this package,gymnasium' --out=curves.png

Each argument is the --out folder of sb3_ppo.py, ppo_atari.py, ppo_mujoco.py, pqn_atari.py or ppo_device.py. The last has
a return for each policy:

    python examples/curves.py runs/ppo_device --labels='' --columns=tagger_return,runner_return --ylabel='mean return'
"""

import argparse
from pathlib import Path

from common import curve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="folders that contain a log.csv")
    parser.add_argument("--labels", help="names of the runs, separated by commas (default: the folders' names)")
    parser.add_argument("--title", default="", help="title of the plot")
    parser.add_argument("--out", type=Path, default=Path("curves.png"), help="file of the plot (default: curves.png)")
    parser.add_argument(
        "--columns", default="", help="columns of log.csv to draw, separated by commas (default: the last)"
    )
    parser.add_argument("--time", default="", help="column of log.csv with the seconds to draw (default: the second)")
    parser.add_argument("--ylabel", default="mean return of the last 100", help="label of the vertical axis")
    o = parser.parse_args()
    labels = [run.name for run in o.runs] if o.labels is None else o.labels.split(",")
    if len(labels) != len(o.runs):
        parser.error(f"--labels: expected {len(o.runs)}, one for each run, got {len(labels)}")
    if missing := [str(run) for run in o.runs if not (run / "log.csv").exists()]:
        parser.error(f"runs: expected folders with a log.csv, got {', '.join(missing)}")
    columns = o.columns.split(",") if o.columns else []
    for run in o.runs:
        known = (run / "log.csv").read_text().partition("\n")[0].split(",")
        for option, wanted in (("columns", columns), ("time", [o.time] if o.time else [])):
            if unknown := [column for column in wanted if column not in known]:
                parser.error(f"--{option}: expected some of {', '.join(known)}, got {', '.join(unknown)}")
    named = {column.removesuffix("_return"): column for column in columns}
    curve(dict(zip(labels, o.runs, strict=True)), o.out, o.title, o.ylabel, named or None, o.time)


if __name__ == "__main__":
    main()
