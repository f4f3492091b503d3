# SPDX-License-Identifier: Apache-2.0
"""A plain implementation of Go, which searches for chains, liberties and areas again in every position."""

from __future__ import annotations

BLACK, WHITE = 1, -1


class PlainGo:
    """A game with Chinese rules: no stone may repeat a position.

    Attributes:
        board: the points in rows: 1 black, -1 white, 0 empty.
        positions: the boards after each move.
        ko: the point that the ko rule forbids, or -1.
        passes: the last moves that were passes.
    """

    def __init__(self, side: int) -> None:
        self.cells = side * side
        self.near = [
            [row * side + column for row, column in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))
             if 0 <= row < side and 0 <= column < side]
            for r in range(side) for c in range(side)
        ]  # fmt: skip
        self.board = (0,) * self.cells
        self.positions: list[tuple[int, ...]] = []
        self.ko = -1
        self.passes = 0

    @property
    def mover(self) -> int:
        return WHITE if len(self.positions) % 2 else BLACK

    def region(self, board, cell):
        """Returns the connected points of one color, or empty ones, and the points next to them."""
        inside, beside, waiting = {cell}, set(), [cell]
        while waiting:
            for near in self.near[waiting.pop()]:
                if board[near] != board[cell]:
                    beside.add(near)
                elif near not in inside:
                    inside.add(near)
                    waiting.append(near)
        return inside, beside

    def without_liberties(self, board, cell):
        inside, beside = self.region(board, cell)
        return set() if any(board[near] == 0 for near in beside) else inside

    def after(self, cell):
        """Returns the board with a stone of the player to move at an empty point, and the stones that it captures."""
        board = list(self.board)
        board[cell] = self.mover
        captured = set()
        for near in self.near[cell]:
            if board[near] == -self.mover:
                captured |= self.without_liberties(board, near)
        for other in captured:
            board[other] = 0
        return board, captured

    def is_legal(self, cell):
        if cell == self.cells:
            return True
        if self.board[cell] != 0 or cell == self.ko:
            return False
        board, _ = self.after(cell)
        return not self.without_liberties(board, cell) and tuple(board) not in self.positions

    def play(self, cell):
        """Makes a legal move."""
        if cell == self.cells:
            self.ko = -1
            self.passes += 1
        else:
            surrounded = all(self.board[near] == -self.mover for near in self.near[cell])
            board, captured = self.after(cell)
            self.board = tuple(board)
            self.ko = next(iter(captured)) if surrounded and len(captured) == 1 else -1
            self.passes = 0
        self.positions.append(self.board)

    def areas(self):
        """Returns the areas of Black and White: stones, and empty regions that touch no stone of the other color."""
        area = {color: self.board.count(color) for color in (BLACK, WHITE)}
        left = {cell for cell in range(self.cells) if self.board[cell] == 0}
        while left:
            inside, beside = self.region(self.board, next(iter(left)))
            left -= inside
            colors = {self.board[cell] for cell in beside}
            if len(colors) == 1:
                area[colors.pop()] += len(inside)
        return area[BLACK], area[WHITE]
