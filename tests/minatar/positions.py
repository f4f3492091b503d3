# SPDX-License-Identifier: Apache-2.0
"""Makes the states from which steps are compared: states of episodes at all levels of difficulty, and random states."""

import numpy as np

from tests.minatar.states import Reference, copied


def random_state(game, theirs, rng):
    """Returns a random state in the form of the package's states, of which `theirs` is an example."""

    def one_in(n):
        return rng.integers(n) == 0

    def draw(low, high):
        return int(rng.integers(low, high + 1))

    state = {name: copied(part) for name, part in theirs.items()}
    state["terminal"] = False
    if game == "Asterix":
        state |= {"player_x": draw(0, 9), "player_y": draw(1, 8), "ramp_index": draw(0, 20)}
        state |= {"spawn_speed": draw(1, 10), "move_speed": draw(1, 5), "ramp_timer": draw(-1, 100)}
        state |= {"spawn_timer": draw(0, 3), "move_timer": draw(0, 2)}
        near = [draw(max(state["player_x"] - 1, 0), min(state["player_x"] + 1, 9)) for _ in range(8)]
        state["entities"] = [
            None if one_in(3) else [near[i] if one_in(2) else draw(0, 9), i + 1, bool(one_in(2)), bool(one_in(2))]
            for i in range(8)
        ]
    elif game == "Breakout":
        state |= {name: draw(0, 9) for name in ("ball_x", "pos", "last_x", "last_y")}
        state |= {"ball_y": draw(0, 8), "ball_dir": draw(0, 3), "strike": bool(one_in(3))}
        if one_in(3):
            state["ball_y"], state["ball_dir"], state["pos"] = (
                8,
                draw(2, 3),
                min(9, max(0, state["ball_x"] + draw(-2, 2))),
            )
        state["brick_map"] = np.zeros((10, 10))
        state["brick_map"][1:4] = rng.random((3, 10)) < rng.choice([0, 0.1, 0.5, 0.9, 1])
    elif game == "Freeway":
        state |= {"pos": draw(1, 9), "move_timer": draw(0, 3) if one_in(2) else 0}
        state["terminate_timer"] = draw(0, 2500) if one_in(2) else draw(0, 2)
        speeds = [draw(1, 5) * (1 if one_in(2) else -1) for _ in range(8)]
        state["cars"] = [
            [draw(2, 6) if one_in(2) else draw(0, 9), i + 1, draw(0, abs(v)), v] for i, v in enumerate(speeds)
        ]
    elif game == "Seaquest":
        y = draw(0, 8)
        state |= {"sub_y": y, "sub_x": draw(1, 8), "sub_or": bool(one_in(2)), "surface": y == 0 and bool(one_in(2))}
        state |= {"oxygen": draw(0, 3) if one_in(4) else draw(0, 200), "diver_count": draw(-2, 6)}
        index = draw(0, 25)
        state |= {"ramp_index": index, "move_speed": draw(2, 5), "e_spawn_speed": max(20 - index, 1)}
        state |= {"e_spawn_timer": draw(0, 20), "d_spawn_timer": draw(0, 30), "shot_timer": draw(0, 1)}
        rows = rng.integers(1, 9, 3)

        def entities(most, *timers):
            """Draws objects from only a few rows, columns and timers, so that some share a cell and some are equal."""
            cells = [
                [int(x), int(rows[r]), bool(right)]
                for x, r, right in zip(
                    np.clip(state["sub_x"] + rng.integers(-2, 3, most), 0, 9)
                    if one_in(2)
                    else rng.integers(0, 10, most),
                    rng.integers(0, len(rows), most),
                    rng.integers(0, 2, most),
                    strict=True,
                )
            ]
            return [[*cell, *(draw(0, high) for high in timers)] for cell in cells[: draw(0, most)]]

        if one_in(2):
            rows[0] = max(y, 1)
        state |= {"e_fish": entities(8, 2), "e_subs": entities(8, 2, 2), "e_bullets": entities(6)}
        state |= {"f_bullets": entities(3), "divers": entities(3, 1)}
    else:
        state |= {"pos": draw(0, 9), "alien_dir": 1 - 2 * draw(0, 1), "enemy_move_interval": draw(6, 12)}
        state |= {"alien_move_timer": draw(0, 2), "alien_shot_timer": draw(0, 2), "shot_timer": draw(0, 1)}
        maps = {f"{name}_map": np.zeros((10, 10)) for name in ("alien", "f_bullet", "e_bullet")}
        top, left = draw(0, 6), draw(0, 4)
        maps["alien_map"][top : top + 4, left : left + 6] = rng.random((4, 6)) < rng.choice([0.05, 0.2, 0.8, 1])
        if not maps["alien_map"].any():
            maps["alien_map"][top, left] = 1
        for y in range(9):
            if one_in(3):
                maps["f_bullet_map"][y, draw(0, 9)] = 1
        if one_in(2):
            y = draw(0, 9)
            maps["e_bullet_map"][y, state["pos"] if one_in(2) else draw(0, 9)] = 1
            # The bullet leaves the board before the next shot.
            state["alien_shot_timer"] = max(9 - y, state["alien_shot_timer"])
        state |= maps
    return state


def ramped(game, state, rng):
    """Returns the initial state with the speeds of a later state."""
    if game == "Asterix":
        index = int(rng.integers(0, 12))
        state |= {"ramp_index": index, "spawn_speed": max(10 - index, 1), "move_speed": max(5 - index // 2, 1)}
        state["ramp_timer"] = int(rng.integers(0, 101))
    elif game == "Seaquest":
        index = int(rng.integers(0, 22))
        state |= {"ramp_index": index, "e_spawn_speed": max(20 - index, 1), "move_speed": max(5 - index // 2, 2)}
    elif game == "SpaceInvaders":
        state["enemy_move_interval"] = int(rng.integers(6, 13))
    return state


def states_of_episodes(game, count, seed=0):
    """Yields states of episodes. The player is greedy, with a lookahead of one step."""
    rng, reference = np.random.default_rng(seed), Reference(game)
    reference.outer.seed(seed)
    generator = reference.inner.random
    taken = 0
    while taken < count:
        reference.inner.random = generator
        reference.outer.reset()
        if rng.random() < 0.7:
            reference.put(ramped(game, reference.get(), rng))
        ahead, terminal = rng.random() < 0.8, False
        for _ in range(400):
            state = reference.get()
            if rng.random() < 0.5 or reference.inner.random is not generator:
                yield state
                taken += 1
            best, action = -1.0, 0
            for candidate in rng.permutation(6) if ahead else [rng.integers(6)]:
                reference.put(state)
                reward, over = reference.outer.act(int(candidate))
                if (value := float(reward) + (not over)) > best:
                    best, action = value, int(candidate)
            reference.put(state)
            _, terminal = reference.outer.act(action)
            if game == "Seaquest" and reference.inner.oxygen < 20 and rng.random() < 0.5:
                reference.inner.oxygen = 200
            if terminal or taken >= count:
                break
