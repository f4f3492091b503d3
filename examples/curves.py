# SPDX-License-Identifier: Apache-2.0
"""Plots the mean returns of several training runs against steps and minutes.

    python examples/curves.py runs/ppo_atari runs/ppo_atari_gymnasium --labels='this package,gymnasium' --out=curves.png

Each argument is the --out folder of ppo_atari.py, ppo_mujoco.py or pqn_atari.py.
"""

import argparse
from pathlib import Path

from common import curve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="folders that contain a log.csv")
    parser.add_argument(
        "--labels", default="", help="names of the runs, separated by commas (default: the folders' names)"
    )
    parser.add_argument("--title", default="", help="title of the plot")
    parser.add_argument("--out", type=Path, default=Path("curves.png"), help="file of the plot (default: curves.png)")
    o = parser.parse_args()
    labels = o.labels.split(",") if o.labels else [run.name for run in o.runs]
    if len(labels) != len(o.runs):
        parser.error(f"--labels: expected {len(o.runs)}, one for each run, got {len(labels)}")
    if missing := [str(run) for run in o.runs if not (run / "log.csv").exists()]:
        parser.error(f"runs: expected folders with a log.csv, got {', '.join(missing)}")
    curve(dict(zip(labels, o.runs, strict=True)), o.out, o.title, "mean return of the last 100")


if __name__ == "__main__":
    main()
