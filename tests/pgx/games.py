# SPDX-License-Identifier: Apache-2.0
"""The games of pgx 2.6.0, with the deals, tiles and dice that our games have drawn."""

from __future__ import annotations

import numpy as np
import pytest

import envpool

jax = pytest.importorskip("jax")
pgx = pytest.importorskip("pgx")
pgx_go = pytest.importorskip("pgx.go")
count_scores = pytest.importorskip("pgx._src.games.go")._count_scores
backgammon = pytest.importorskip("pgx.backgammon")
sparrow_mahjong = pytest.importorskip("pgx.sparrow_mahjong")
play2048 = pytest.importorskip("pgx.play2048")
chess = pytest.importorskip("pgx._src.games.chess")
gardner_chess = pytest.importorskip("pgx.gardner_chess")
jnp = jax.numpy

_GO = {"board": "_x.board", "ko": "_x.ko", "is_psk": "_x.is_psk", "consecutive_pass_count": "_x.consecutive_pass_count"}

# pgx's name of each game, and the infos that are parts of its states.
NAMES = {
    "TicTacToe-v1": ("tic_tac_toe", {"board": "_x.board"}),
    "ConnectFour-v1": ("connect_four", {"board": "_x.board"}),
    "Othello-v1": ("othello", {"board": "_x.board"}),
    "Hex-v1": ("hex", {"board": "_x.board"}),
    "Chess-v1": (
        "chess",
        {
            "board": "_x.board",
            "castling_rights": "_x.castling_rights",
            "en_passant": "_x.en_passant",
            "fullmove_count": "_x.fullmove_count",
            "halfmove_count": "_x.halfmove_count",
            "turn": "_x.color",
        },
    ),
    "GardnerChess-v1": (
        "gardner_chess",
        {
            "board": "_board",
            "fullmove_count": "_fullmove_count",
            "halfmove_count": "_halfmove_count",
            "turn": "_turn",
        },
    ),
    "AnimalShogi-v1": ("animal_shogi", {"board": "_board", "hand": "_hand", "turn": "_turn"}),
    "Shogi-v1": ("shogi", {"board": "_x.board", "hand": "_x.hand", "turn": "_x.color"}),
    "Backgammon-v1": (
        "backgammon",
        {
            "board": "_board",
            "dice": "_dice",
            "playable_dice": "_playable_dice",
            "played_dice_num": "_played_dice_num",
            "turn": "_turn",
        },
    ),
    "KuhnPoker-v1": ("kuhn_poker", {"cards": "_cards", "last_action": "_last_action", "pot": "_pot"}),
    "LeducHoldem-v1": (
        "leduc_holdem",
        {
            "cards": "_cards",
            "chips": "_chips",
            "first_player": "_first_player",
            "last_action": "_last_action",
            "raise_count": "_raise_count",
            "round": "_round",
        },
    ),
    "SparrowMahjong-v1": (
        "sparrow_mahjong",
        {
            "dora": "_dora",
            "draw_ix": "_draw_ix",
            "hands": "_hands",
            "is_red_in_river": "_is_red_in_river",
            "last_discard": "_last_discard",
            "n_red_in_hands": "_n_red_in_hands",
            "rivers": "_rivers",
            "scores": "_scores",
            "shuffled_players": "_shuffled_players",
            "turn": "_turn",
            "wall": "_wall",
        },
    ),
    "Play2048-v1": ("2048", {"board": "_board"}),
    "Go9x9-v1": ("go_9x9", _GO),
    "Go13x13-v1": ("go_13x13", _GO),
    "Go19x19-v1": ("go_19x19", _GO),
}


def with_first_hash(state):
    """Returns the first state of a game with the hash of its position.

    pgx's constants are the hashes that JAX's old generator of keys gave: with new releases of JAX, pgx would not
    recognize the first position when it occurs again.
    """
    if state.env_id == "chess":
        hashes = state._x.hash_history.at[0].set(chess._zobrist_hash(state._x))
        return state.replace(_x=state._x._replace(hash_history=hashes))
    if state.env_id == "gardner_chess":
        first = gardner_chess._zobrist_hash(state)
        return state.replace(_zobrist_hash=first, _hash_history=state._hash_history.at[0].set(first))
    return state


def divided(obs, halfmoves):
    """Returns observations of chess with correct quotients: XLA multiplies by 0.01 instead of dividing by 100."""
    quotients = (halfmoves.astype(np.float32) / np.float32(100)).reshape(-1, 1, 1, 1)
    np.testing.assert_array_max_ulp(obs[..., -1], np.broadcast_to(quotients, obs.shape[:-1]), maxulp=1)
    obs = obs.copy()
    obs[..., -1] = quotients
    return obs


def divided_scores(rewards, scores, players):
    """Returns rewards of sparrow mahjong with correct quotients; those after illegal moves are whole numbers."""
    quotients = np.take_along_axis((scores / np.float32(26)).astype(np.float32), np.argsort(players, axis=1), axis=1)
    quotients = np.where(np.isin(rewards, (-1, 2)).all(axis=1, keepdims=True), rewards, quotients)
    np.testing.assert_array_max_ulp(rewards, quotients, maxulp=1)
    return quotients


class Reference:
    """A batch of pgx's states, which follows a pool of ours; `options` are those of pgx's class for Go."""

    def __init__(self, task_id: str, num_envs: int, monkeypatch: pytest.MonkeyPatch, **options) -> None:
        name, self.parts = NAMES[task_id]
        self.go = name.startswith("go_")
        self.env = pgx_go.Go(size=int(name.split("x")[1]), **options) if self.go else pgx.make(name)
        self.players = self.env.num_players
        # The "key" of a step is the cell and the power of the new tile.
        monkeypatch.setattr(
            play2048,
            "_add_random_num",
            lambda board, tile: board.ravel().at[tile[0]].set(tile[1].astype(board.dtype)).reshape(4, 4),
        )
        # That of backgammon is the dice, if the other player moves next.
        monkeypatch.setattr(backgammon, "_roll_dice", lambda dice: dice)
        one = play2048.State() if name == "2048" else self.env.init(jax.random.key(0))
        one = with_first_hash(one)
        one = one.replace(observation=self.env.observe(one, one.current_player))
        self.first = jax.tree.map(lambda leaf: jnp.stack([jnp.asarray(leaf)] * num_envs), one)
        self.state = self.first
        self.advance = jax.jit(self._advance)

    def follow(self, action, info) -> dict[str, np.ndarray]:
        """Plays the actions, deals anew where an episode of ours has begun, and returns what pgx returns."""
        board = info.get("board", np.zeros(1))
        drawn = {
            key: info[key] for key in ("current_player", "cards", "dice", "wall", "shuffled_players") if key in info
        }
        self.state, seen = self.advance(self.state, action, info["elapsed_step"] == 0, {**drawn, "board": board})
        seen = {key: np.asarray(value) for key, value in seen.items()}
        if "halfmove_count" in seen:
            seen["obs"] = divided(seen["obs"], seen["halfmove_count"])
        if "scores" in seen:
            seen["reward"] = divided_scores(seen["reward"], seen["scores"], seen["shuffled_players"])
        return seen

    def check(self, action, obs, reward, terminated, info) -> dict[str, np.ndarray]:
        """Follows a step, checks that all its results equal pgx's, and returns these; the reward of a reset is None."""
        theirs = self.follow(action, info)
        num_envs = len(action)
        np.testing.assert_array_equal(obs.reshape(theirs["obs"].shape), theirs["obs"])
        np.testing.assert_array_equal(info["action_mask"], theirs["mask"])
        np.testing.assert_array_equal(terminated, theirs["terminated"])
        began = info["elapsed_step"] == 0
        if reward is not None:
            played = reward.reshape(num_envs, -1)[~began]
            assert played.tobytes() == theirs["reward"][~began].tobytes()
            assert not reward.reshape(num_envs, -1)[began].any()
        if self.players > 1:
            np.testing.assert_array_equal(info["current_player"], theirs["current_player"])
            np.testing.assert_array_equal(info["players"]["id"], np.tile(np.arange(self.players), num_envs))
        for name in {*self.parts, *({"black_area", "white_area"} if self.go else ())}:
            np.testing.assert_array_equal(info[name].reshape(theirs[name].shape), theirs[name], name)
        return theirs

    def _advance(self, state, action, began, drawn):
        tile = jnp.zeros((len(action), 2), jnp.uint32)
        if self.env.id == "2048":
            tile = self._new_tiles(state, action, drawn["board"])
        elif self.env.id == "backgammon":
            tile = drawn["dice"]
        stepped = jax.vmap(self.env.step)(state, action, tile)
        dealt = self._dealt(drawn)
        state = jax.tree.map(
            lambda new, old: jnp.where(began.reshape(-1, *[1] * (old.ndim - 1)), new.astype(old.dtype), old),
            dealt,
            stepped,
        )
        players = jnp.arange(self.players)
        seen = {
            "obs": jax.vmap(lambda one: jax.vmap(lambda player: self.env.observe(one, player))(players))(state),
            "reward": state.rewards,
            "terminated": state.terminated,
            "mask": state.legal_action_mask,
            "current_player": state.current_player,
        }
        for name, path in self.parts.items():
            part = state
            for key in path.split("."):
                part = getattr(part, key)
            if name == "board":
                part = self._shown(part)
            seen[name] = part
        if self.go:
            area = jax.vmap(lambda x: count_scores(x, self.env._game.size))(state._x)
            seen.update(black_area=area[:, 0], white_area=area[:, 1])
        return state, seen

    def _shown(self, boards):
        """Returns boards as our infos have them."""
        if self.go or self.env.id == "hex":
            return jnp.sign(boards)  # pgx numbers connected groups of stones
        if "chess" in self.env.id:
            side = round(boards.shape[-1] ** 0.5)
            return jnp.rot90(boards.reshape(-1, side, side), axes=(1, 2))  # pgx begins with the columns
        if "shogi" in self.env.id:  # with those at the right
            return jnp.rot90(boards.reshape(len(boards), -1, 4 if self.env.id == "animal_shogi" else 9), 3, axes=(1, 2))
        return boards

    def _dealt(self, drawn):
        if self.env.id == "2048":
            board = drawn["board"].astype(jnp.int32)
            mask = jax.vmap(play2048._legal_action_mask)(board)
            return self.first.replace(_board=board.reshape(len(board), 16), legal_action_mask=mask)
        if self.env.id == "sparrow_mahjong":
            return jax.vmap(self._dealt_tiles)(drawn["wall"], drawn["shuffled_players"])
        current = drawn["current_player"]
        changes = {"current_player": current}
        if self.go or self.env.id in ("hex", "chess", "shogi"):
            changes["_player_order"] = jnp.stack([current, 1 - current], axis=1)
        if self.env.id == "backgammon":
            changes |= self._rolled(drawn["dice"])
        if "cards" in drawn:
            changes["_cards"] = drawn["cards"]
        if self.env.id == "leduc_holdem":
            changes["_first_player"] = current
        return self.first.replace(**changes)

    def _dealt_tiles(self, wall, players):
        """Returns the first state of a game of sparrow mahjong, for which pgx has no function of the wall."""
        one = jax.tree.map(lambda leaf: leaf[0], self.first)
        tiles = jax.nn.one_hot(wall // 4, 11, dtype=jnp.int32)
        red = ((wall % 4 == 0) & (wall != 36)) | (wall >= 40)
        hands = tiles[:15].reshape(3, 5, 11).sum(axis=1)
        reds = (tiles * red[:, None])[:15].reshape(3, 5, 11).sum(axis=1)
        hands = hands.at[0].add(tiles[15])  # which is never red
        return one.replace(
            current_player=players[0],
            legal_action_mask=hands[0] > 0,
            _hands=hands,
            _n_red_in_hands=reds,
            _wall=wall,
            _dora=wall[-1] // 4,
            _shuffled_players=players,
        )

    def _rolled(self, dice):
        """Returns the parts of the first states of backgammon that depend on the dice."""
        playable = jax.vmap(backgammon._set_playable_dice)(dice)
        mask = jax.vmap(backgammon._legal_action_mask)(self.first._board, playable)
        turn = jax.vmap(backgammon._init_turn)(dice)
        return {"_dice": dice, "_playable_dice": playable, "_turn": turn, "legal_action_mask": mask}

    def _new_tiles(self, state, action, board):
        """Returns the cell and the power of the tile that ours has added: the cell that was empty after sliding."""

        def one(old, direction, new):
            turned = jnp.stack([jnp.rot90(old.reshape(4, 4), k) for k in range(4)])[direction]
            slid = jax.vmap(play2048._slide_and_merge)(turned)[0]
            slid = jnp.stack([jnp.rot90(slid, -k) for k in range(4)])[direction]
            cell = jnp.argmax(slid.ravel() != new.ravel())
            return jnp.stack([cell, new.ravel()[cell]]).astype(jnp.uint32)

        return jax.vmap(one)(state._board, action, board)


def play_beside_pgx(task_id, wanted, num_envs, monkeypatch, choose, **options):
    """Plays games with moves that `choose(mask, steps)` returns, and compares everything with pgx.

    Args:
        task_id: our id.
        wanted: the number of games to finish.
        num_envs: the number of games at a time.
        monkeypatch: pytest's.
        choose: a function of the masks and of the numbers of moves since the resets.
        options: options of both.

    Returns:
        The number of illegal moves, and the infos of the positions in which games ended.
    """
    reference = Reference(task_id, num_envs, monkeypatch, **options)
    env = envpool.make(task_id, num_envs=num_envs, seed=3, **options)
    assert env.action_space.n == reference.env.num_actions
    action = np.zeros(num_envs, np.int32)
    obs, info = env.reset()
    reward, terminated = None, np.zeros(num_envs, bool)
    illegal, ends = 0, []
    while True:
        theirs = reference.check(action, obs, reward, terminated, info)
        for i in np.flatnonzero(terminated):
            ends.append({name: value[i] for name, value in info.items() if name != "players"})
            ends[-1].update(env_id=i, reward=reward.reshape(num_envs, -1)[i])
        if len(ends) >= wanted:
            return illegal, ends
        action = choose(theirs["mask"], info["elapsed_step"])
        illegal += (~theirs["mask"][np.arange(num_envs), action]).sum()
        obs, reward, terminated, truncated, info = env.step(action)
        assert not truncated.any()
