# SPDX-License-Identifier: Apache-2.0
"""Compares the interpreter, which devices and other processors use, with native code.

All other tests use native code.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ale_py")

from tests.atari.ale_comparison import (  # noqa: E402
    PLANS,
    Machine,
    Plan,
    Trace,
    compare,
    compare_with_ale,
    random_actions,
)

# Every cartridge type: 2K, 4K, F8, F8SC, F6, F6SC, E0, FE, DPC. Then paddles, PAL, and unfinished frames.
GAMES = (
    "pong seaquest asteroids elevator_action crossbow klax montezuma_revenge robotank pitfall2 "
    "breakout air_raid tic_tac_toe_3d"
)


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("plan", [PLANS[0], PLANS[4]], ids=lambda plan: plan.name)
@pytest.mark.parametrize("game", GAMES.split(" "))
def test_interpreter_matches_native_code(monkeypatch: pytest.MonkeyPatch, game: str, plan: Plan) -> None:
    native = Machine(game)
    monkeypatch.setenv("ENVPOOL_ATARI_NATIVE", "0")
    interpreted = Machine(game)
    assert not interpreted.native
    if not native.native:
        pytest.skip("no native code for this processor")
    ours, theirs = Trace(250, native.height), Trace(250, native.height)
    rng = np.random.default_rng(plan.seed)
    interpreted.seed(plan.seed)
    native.seed(plan.seed)
    over = True
    for turn in range(8):
        if over:
            interpreted.reset(ours)
            native.reset(theirs)
            compare(ours, theirs, 1, 4, f"{game}, reset in turn {turn}")
        wanted = random_actions(rng, native.actions, 250)
        done, same = wanted.copy(), wanted.copy()
        played = interpreted.play(done, plan.sticky, plan.drawn, ours)
        assert native.play(same, plan.sticky, plan.drawn, theirs) == played
        assert np.array_equal(done, same)
        compare(ours, theirs, played, plan.drawn, f"{game}, turn {turn}")
        assert interpreted.save() == native.save(), f"{game}, turn {turn}: state that later frames may depend on"
        over = bool(ours.outcomes[played - 1, 2])
    interpreted.close()
    native.close()


@pytest.mark.parametrize("game", ["pong", "pitfall2", "montezuma_revenge"])
def test_interpreter_matches_ale(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    monkeypatch.setenv("ENVPOOL_ATARI_NATIVE", "0")
    assert compare_with_ale(game, 500, PLANS[3]) > 0
