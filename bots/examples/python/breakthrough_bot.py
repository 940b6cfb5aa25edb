#!/usr/bin/env python3
"""A search bot for Breakthrough on any board that knows the rules by itself.

Iterative deepening alpha-beta. Arena's lines are read by a thread, so that
`stop` and `isready` are answered while the bot thinks. Run:

    arena check breakthrough_bot.py --game breakthrough
"""

import queue
import sys
import threading
import time
from dataclasses import dataclass, field

NAME = "search-python"
BOARDS = ["breakthrough"] + [f"breakthrough:{n}x{n}" for n in (5, 6, 7, 9, 10)]
WIN = 100_000

Move = tuple[int, int]  # from-square, to-square


class Stop(Exception):
    """The search has to end now."""


@dataclass
class Board:
    """Squares in one list, a1 first; 1 is White's piece, -1 Black's, 0 empty."""

    cols: int
    rows: int
    cells: list[int] = field(default_factory=list)
    side: int = 1

    @staticmethod
    def start(cols: int, rows: int) -> "Board":
        return Board(cols, rows, [1] * (2 * cols) + [0] * ((rows - 4) * cols) + [-1] * (2 * cols))

    @staticmethod
    def parse(text: str) -> "Board":
        """Read "pppp/.../PPPP w": top rank first, numbers for empty squares."""
        placement, side = text.split()[:2]
        rows: list[list[int]] = []
        for rank in placement.split("/"):
            row: list[int] = []
            number = ""
            for c in rank + " ":
                if c.isdigit():
                    number += c
                    continue
                row += [0] * int(number or 0)
                number = ""
                if c != " ":
                    row.append(1 if c == "P" else -1)
            rows.insert(0, row)
        cells = [cell for row in rows for cell in row]
        return Board(len(rows[0]), len(rows), cells, 1 if side == "w" else -1)

    def moves(self) -> list[Move]:
        """The legal moves: captures first, which makes the search faster."""
        captures: list[Move] = []
        quiet: list[Move] = []
        step = self.cols * self.side
        for at, piece in enumerate(self.cells):
            if piece != self.side:
                continue
            col = at % self.cols
            for dc in (-1, 0, 1):
                to = at + step + dc
                if not (0 <= col + dc < self.cols and 0 <= to < len(self.cells)):
                    continue
                if self.cells[to] == 0:
                    quiet.append((at, to))
                elif self.cells[to] == -self.side and dc != 0:
                    captures.append((at, to))
        return captures + quiet

    def play(self, move: Move) -> int:
        """Make a move; the answer is what undo() needs."""
        at, to = move
        taken = self.cells[to]
        self.cells[at], self.cells[to] = 0, self.side
        self.side = -self.side
        return taken

    def undo(self, move: Move, taken: int) -> None:
        at, to = move
        self.side = -self.side
        self.cells[at], self.cells[to] = self.side, taken

    def lost(self) -> bool:
        """Has the side that just moved won? The side to move never has, by then."""
        home = self.cells[-self.cols :] if self.side == -1 else self.cells[: self.cols]
        return -self.side in home or self.side not in self.cells

    def evaluate(self) -> int:
        """How good it is for the side to move: pieces, and how far they came."""
        score = 0
        for at, piece in enumerate(self.cells):
            if piece == 1:
                score += 100 + 3 * (at // self.cols) ** 2
            elif piece == -1:
                score -= 100 + 3 * (self.rows - 1 - at // self.cols) ** 2
        return score * self.side

    def square(self, at: int) -> str:
        return chr(ord("a") + at % self.cols) + str(at // self.cols + 1)

    def text(self, move: Move) -> str:
        return self.square(move[0]) + self.square(move[1])

    def read(self, text: str) -> Move:
        """Read a move such as a9a10."""
        cut = next(i for i, c in enumerate(text) if i > 0 and c.isalpha())

        def index(square: str) -> int:
            return (int(square[1:]) - 1) * self.cols + ord(square[0]) - ord("a")

        return index(text[:cut]), index(text[cut:])


@dataclass
class Limits:
    """What `go` allows."""

    depth: int = 64
    nodes: int = 0
    seconds: float = 0.0


class Bot:
    def __init__(self) -> None:
        self.lines: queue.Queue[str] = queue.Queue()
        self.game = "breakthrough"
        self.board = Board.start(8, 8)
        self.limits = Limits()
        self.started = 0.0
        self.count = 0
        self.quit = False

    def run(self) -> None:
        threading.Thread(target=self.read_input, daemon=True).start()
        while not self.quit:
            self.answer(self.lines.get())

    def read_input(self) -> None:
        for line in sys.stdin:
            self.lines.put(line.strip())
        self.lines.put("quit")  # arena closed our input

    def answer(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "ugi":
            say(f"id name {NAME}")
            say("id author botarena")
            say("option name UGI_Variant type combo default breakthrough" + "".join(f" var {b}" for b in BOARDS))
            say("ugiok")
        elif word == "setoption":
            name, _, value = rest.removeprefix("name ").partition(" value ")
            if name == "UGI_Variant":
                self.game = value
        elif word == "isready":
            say("readyok")
        elif word == "position":
            self.set_position(rest)
        elif word == "go":
            self.set_limits(rest.split())
            say(f"bestmove {self.board.text(self.search())}")
        elif word == "quit":
            self.quit = True

    def set_position(self, rest: str) -> None:
        start, _, moves = rest.partition("moves")
        if start.startswith("fen "):
            self.board = Board.parse(start.removeprefix("fen "))
        else:
            size = self.game.partition(":")[2] or "8x8"
            cols, rows = size.split("x")
            self.board = Board.start(int(cols), int(rows))
        for text in moves.split():
            self.board.play(self.board.read(text))

    def set_limits(self, words: list[str]) -> None:
        given = {w: int(n) for w, n in zip(words, words[1:]) if n.isdigit()}
        self.limits = Limits(given.get("depth", 64), given.get("nodes", 0))
        me = "p1" if self.board.side == 1 else "p2"
        if "movetime" in given:
            self.limits.seconds = max(given["movetime"] - 20, 1) / 1000
        elif me + "time" in given:
            left, more = given[me + "time"], given.get(me + "inc", 0)
            share = left / min(given.get("movestogo", 30), 30) + 0.7 * more
            self.limits.seconds = max(min(share, left / 2) - 10, 1) / 1000
        elif "depth" not in given and "nodes" not in given and "infinite" not in words:
            self.limits.depth = 3

    def search(self) -> Move:
        """Search one ply deeper each time, until the limits end it."""
        self.started, self.count = time.monotonic(), 0
        moves = self.board.moves()
        best = moves[0]
        for depth in range(1, self.limits.depth + 1):
            try:
                best, score = self.root(moves, depth)
            except Stop:
                break
            moves.remove(best)
            moves.insert(0, best)
            spent = int(1000 * (time.monotonic() - self.started))
            say(f"info depth {depth} score cp {score} nodes {self.count} time {spent} pv {self.board.text(best)}")
            if abs(score) > WIN - 1000:
                break
        return best

    def root(self, moves: list[Move], depth: int) -> tuple[Move, int]:
        best, alpha = moves[0], -WIN
        for move in moves:
            taken = self.board.play(move)
            try:
                score = -self.alpha_beta(depth - 1, 1, -WIN, -alpha)
            finally:
                self.board.undo(move, taken)
            if score > alpha:
                best, alpha = move, score
        return best, alpha

    def alpha_beta(self, depth: int, ply: int, alpha: int, beta: int) -> int:
        self.count += 1
        self.check_limits()
        if self.board.lost():
            return ply - WIN
        if depth <= 0:
            return self.board.evaluate()
        for move in self.board.moves():
            taken = self.board.play(move)
            try:
                score = -self.alpha_beta(depth - 1, ply + 1, -beta, -alpha)
            finally:
                self.board.undo(move, taken)
            if score >= beta:
                return score
            alpha = max(alpha, score)
        return alpha

    def check_limits(self) -> None:
        if self.limits.nodes and self.count >= self.limits.nodes:
            raise Stop
        if self.count % 64:
            return
        if self.limits.seconds and time.monotonic() - self.started > self.limits.seconds:
            raise Stop
        while not self.lines.empty():
            line = self.lines.get()
            if line == "isready":
                say("readyok")
            elif line in ("stop", "quit"):
                self.quit = line == "quit"
                raise Stop


def say(line: str) -> None:
    """Send one line at once: a line kept in a buffer is a bot that hangs."""
    print(line, flush=True)


if __name__ == "__main__":
    Bot().run()
