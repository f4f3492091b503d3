# SPDX-License-Identifier: Apache-2.0
"""Compares every frame of a sample of the games with ale-py 0.12.1, across resets; `make exact` plays all games longer.

The sample contains all games that use rare features, and some of the others, which change from day to day.
ENVPOOL_ATARI_FRAMES sets the number of frames per game (default 3,000), and ENVPOOL_ATARI_GAMES the games.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor

import numpy as np
import pytest

ale_py = pytest.importorskip("ale_py")

from tests.atari.ale_comparison import (  # noqa: E402
    GAMES,
    PLANS,
    Machine,
    Plan,
    Reference,
    Trace,
    compare,
    compare_with_ale,
    random_actions,
)
from tests.support.samples import DAY  # noqa: E402

FRAMES = int(os.environ.get("ENVPOOL_ATARI_FRAMES", "3000"))
ROTATION = 6  # days until every game has been in a sample

# Games that use rare features: unusual cartridges, PAL, paddles, unfinished and short frames, undriven bus bits.
HARD_NAMES = (
    "adventure air_raid alien amidar asteroids backgammon battle_zone berzerk blackjack breakout carnival casino "
    "darkchambers double_dunk elevator_action gopher jamesbond journey_escape kaboom keystone_kapers king_kong klax "
    "koolaid laser_gates montezuma_revenge mr_do ms_pacman pacman pitfall2 pong pooyan qbert robotank sir_lancelot "
    "space_war surround tetris tic_tac_toe_3d trondead tutankham up_n_down video_checkers video_cube wizard_of_wor"
)
HARD = HARD_NAMES.split()


def sample(day: int) -> list[str]:
    others = [game for game in GAMES if game not in HARD]
    return sorted(HARD + others[day % ROTATION :: ROTATION])


SAMPLE = os.environ.get("ENVPOOL_ATARI_GAMES", "").split() or sample(DAY)


def play_all_plans(game: str, frames: int) -> int:
    """Plays a game with all plans; returns the number of games that were started."""
    return sum(compare_with_ale(game, -(-frames // len(PLANS)), plan) for plan in PLANS)


@pytest.fixture(scope="session")
def players(request: pytest.FixtureRequest) -> Iterator[dict[str, Future[int]]]:
    """Plays the games of this session in worker processes."""
    items = [
        item for item in request.session.items if getattr(item, "originalname", "") == "test_every_frame_equals_ale"
    ]
    chosen = [item.callspec.params["game"] for item in items]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), multiprocessing.get_context("spawn")) as pool:
        yield {game: pool.submit(play_all_plans, game, FRAMES) for game in chosen}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("game", SAMPLE)
def test_every_frame_equals_ale(players: dict[str, Future[int]], game: str) -> None:
    assert players[game].result() >= len(PLANS)


def test_samples_cover_every_game() -> None:
    assert set().union(*(sample(DAY + day) for day in range(ROTATION))) == set(GAMES)
    assert set(HARD) <= set(sample(DAY))


# Games whose modes are chosen in an unusual way. All modes of a game are chosen by the same code, so a few are enough.
MODES = {
    "adventure": [0],
    "air_raid": [2, 8],
    "alien": [3],
    "asteroids": [31, 128],
    "backgammon": [0],
    "berzerk": [9, 18],
    "breakout": [44],
    "centipede": [86],
    "crossbow": [6],
    "demon_attack": [3, 5],
    "double_dunk": [1, 6, 15],
    "et": [2],
    "frogger": [2],
    "gopher": [2],
    "gravitar": [4],
    "human_cannonball": [7],
    "jamesbond": [1],
    "kangaroo": [1],
    "king_kong": [3],
    "klax": [2],
    "lost_luggage": [1],
    "ms_pacman": [1, 3],
    "othello": [2],
    "pacman": [7],
    "pong": [1],
    "pooyan": [70],
    "space_war": [17],
    "star_gunner": [3],
    "surround": [2],
    "video_checkers": [9, 19],
    "video_cube": [100, 1002, 5001],
    "word_zapper": [23],
    "yars_revenge": [96],
}


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(("game", "mode"), [(game, mode) for game, modes in MODES.items() for mode in modes])
def test_modes(game: str, mode: int) -> None:
    difficulties = Reference(game).ale.getAvailableDifficulties()
    compare_with_ale(game, 400, PLANS[mode % len(PLANS)], mode, int(max(difficulties)))


# These games have DPC, superchip, E0, FE, paddles, and occasional unfinished frames; the last two are ordinary games.
@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize(
    "game", ["pitfall2", "klax", "montezuma_revenge", "robotank", "breakout", "tic_tac_toe_3d", "pong", "ms_pacman"]
)
@pytest.mark.parametrize("drawn", [4, 2])
def test_a_saved_game_continues_in_another_machine(game: str, drawn: int) -> None:
    """The original, its copy in another machine with its own cartridge, and ale-py stay equal."""
    original, copy, reference = Machine(game), Machine(game), Reference(game)
    traces = [Trace(250, original.height) for _ in range(3)]
    plan = Plan("saved", seed=7, sticky=0.25, drawn=drawn)
    rng = np.random.default_rng(plan.seed)
    original.seed(plan.seed)
    copy.seed(99)
    copy.reset(traces[1])
    original.reset(traces[0])
    reference.reset(traces[2])
    for turn in range(12):
        state = original.save()
        wanted = random_actions(rng, original.actions, int(rng.integers(3, 250)))
        done = [wanted.copy(), wanted.copy()]
        played = original.play(done[0], plan.sticky, plan.drawn, traces[0])
        after = original.save()
        copy.restore(state)
        assert copy.play(done[1], plan.sticky, plan.drawn, traces[1]) == played
        assert np.array_equal(*done)
        assert copy.save() == after, f"{game}: the copy's state differs after turn {turn}"
        reference.play(done[0][:played], traces[2])
        for trace, name in ((traces[0], "original"), (traces[1], "copy")):
            compare(trace, traces[2], played, plan.drawn, f"{game}, turn {turn}, the {name}")
        if traces[0].outcomes[played - 1, 2]:
            original.reset(traces[0])
            reference.reset(traces[2])
        original, copy = copy, original  # the next turn continues in the restored machine
        if traces[1].outcomes[played - 1, 2]:
            original.restore(copy.save())
    original.close()
    copy.close()
