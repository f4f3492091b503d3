# SPDX-License-Identifier: Apache-2.0
"""All games beside ale-py: every plan for long, every mode under every difficulty for a while (`make exact`).

Goes on after a difference, and ends with a table of all of them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import ale_py
from tqdm import tqdm

from envpool.atari.testing.beside_ale import GAMES, PLANS, Plan, Reference, play_beside_ale

# Adventure's modes but 0 are entered after random waits, drawn from generators that have nothing in common.
BY_CHANCE = {("adventure", 1), ("adventure", 2)}


@dataclass(frozen=True)
class Part:
    """What one process plays at a time."""

    game: str
    plan: Plan
    frames: int
    mode: int = -1
    difficulty: int = -1


@dataclass
class Outcome:
    """Of a part."""

    part: Part
    games_begun: int
    difference: str  # empty: none


def play(part: Part) -> Outcome:
    try:
        begun = play_beside_ale(part.game, part.frames, part.plan, part.mode, part.difficulty)
    except AssertionError as difference:
        return Outcome(part, 0, str(difference))
    return Outcome(part, begun, "")


def parts_of(game: str, frames: int, mode_frames: int) -> list[Part]:
    share = -(-frames // len(PLANS))
    parts = [Part(game, plan, share) for plan in PLANS]
    if mode_frames > 0:
        ale = Reference(game).ale
        modes = [mode for mode in ale.getAvailableModes() if (game, mode) not in BY_CHANCE]
        variants = [(mode, level) for mode in modes for level in ale.getAvailableDifficulties()]
        parts += [
            Part(game, PLANS[index % len(PLANS)], mode_frames, mode, level)
            for index, (mode, level) in enumerate(variants)
        ]
    return parts


def table(outcomes: list[Outcome]) -> str:
    lines = [f"{'game':20} {'plans':>9} {'variants':>9} {'games begun':>12}  differences"]
    for game in sorted({outcome.part.game for outcome in outcomes}):
        mine = [outcome for outcome in outcomes if outcome.part.game == game]
        plans = sum(outcome.part.frames for outcome in mine if outcome.part.mode < 0)
        variants = sum(outcome.part.frames for outcome in mine if outcome.part.mode >= 0)
        wrong = sum(bool(outcome.difference) for outcome in mine)
        begun = sum(outcome.games_begun for outcome in mine)
        lines.append(f"{game:20} {plans:9,} {variants:9,} {begun:12,}  {wrong or 'none'}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--frames", type=int, default=50_000, help="of every game, over all plans")
    parser.add_argument("--mode_frames", type=int, default=2_000, help="of every mode under every difficulty")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", type=Path, default=None)
    args = parser.parse_args()

    started = time.perf_counter()
    with ProcessPoolExecutor(args.processes, multiprocessing.get_context("spawn")) as pool:
        plans = pool.map(parts_of, args.games, *[[n] * len(args.games) for n in (args.frames, args.mode_frames)])
        parts = [part for parts in plans for part in parts]
        parts.sort(key=lambda part: -part.frames)
        outcomes = []
        with tqdm(total=sum(part.frames for part in parts), unit=" frames", unit_scale=True, mininterval=1) as bar:
            for future in as_completed([pool.submit(play, part) for part in parts]):
                outcomes.append(future.result())
                bar.update(outcomes[-1].part.frames)
                if outcomes[-1].difference:
                    bar.write(outcomes[-1].difference)

    print(table(outcomes))
    differences = sorted(outcome.difference for outcome in outcomes if outcome.difference)
    frames = sum(outcome.part.frames for outcome in outcomes)
    print(
        f"\n{frames:,} frames of {len(args.games)} games in {time.perf_counter() - started:.0f} s; "
        f"{len(differences)} of {len(outcomes)} parts differ from ale-py {ale_py.__version__}"
    )
    for difference in differences:
        print(difference)
    print(
        "not compared, because chance decides how they begin:",
        *(f"{game} mode {mode}" for game, mode in sorted(BY_CHANCE)),
    )
    if args.json:
        result = {
            "ale_py": ale_py.__version__,
            "machine": platform.machine(),
            "native": os.environ.get("ENVPOOL_ATARI_NATIVE", "1"),
            "frames": frames,
            "differences": differences,
            "parts": [asdict(outcome) for outcome in outcomes],
        }
        args.json.write_text(json.dumps(result, indent=1))
    return bool(differences)


if __name__ == "__main__":
    raise SystemExit(main())
