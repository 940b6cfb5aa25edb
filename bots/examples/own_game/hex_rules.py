#!/usr/bin/env python3
"""The rules of Hex, for arena: red joins top and bottom, blue left and right.

    arena check --rules "python3 hex_rules.py 7"

The argument is the size of the board (11 without one). A move is a cell such as
c4: a letter from the left, a number from below. There are no draws.
"""

import random
import sys
from functools import lru_cache

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 11
SIGNS = "Xo"  # X is red, which moves first
CELLS = {chr(97 + x) + str(y + 1): (x, y) for y in range(SIZE) for x in range(SIZE)}


def turn(position):
    """0 or 1. A position is a table of cells and the signs on them."""
    return len(position) % 2


def winner(position):
    """The sign of whoever has joined its edges, or None."""
    sign = SIGNS[1 - turn(position)]  # only the last move can have joined them
    axis = 1 if sign == "X" else 0
    seen = {cell for cell, s in position.items() if s == sign and cell[axis] == 0}
    todo = list(seen)
    while todo:
        x, y = cell = todo.pop()
        if cell[axis] == SIZE - 1:
            return sign
        for n in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y + 1), (x - 1, y - 1)):
            if n not in seen and position.get(n) == sign:
                seen.add(n)
                todo.append(n)
    return None


def moves(position):
    """The legal moves: none once the game is over."""
    return [] if winner(position) else [text for text, cell in CELLS.items() if cell not in position]


@lru_cache(maxsize=1000)
def read(played):
    """The position after these moves, None where one of them is not legal.

    A position line has all moves of the game each time. The positions on the way are
    remembered, so that only the moves are played that are new."""
    if not played:
        return {}
    position, move = read(played[:-1]), played[-1]
    if position is None or move not in CELLS or CELLS[move] in position:
        return None
    return {**position, CELLS[move]: SIGNS[turn(position)]}


def answers(position, fact, argument):
    """The answers to a query: one, but for the rows of the board."""
    if position is None:
        return ["invalid a move is not legal"]
    won = winner(position)
    if fact == "board":  # each row stands half a cell further left than the one below
        return [" " * (SIZE - 1 - y) + " ".join(position.get((x, y), ".") for x in range(SIZE)) for y in reversed(range(SIZE))]
    return [{
        "gameover": "true" if won else "false",
        "p1turn": "true" if turn(position) == 0 else "false",
        "result": {None: "none", "X": "p1win", "o": "p2win"}[won],
        "moves": " ".join(moves(position)),
        "reason": "edges joined",
        "why": "the cell is taken" if argument in CELLS else "no cell of this board",
        "sides": "red blue",
        "maxplies": str(SIZE * SIZE),
    }.get(fact, "unknown")]


def main():
    position = {}
    for line in sys.stdin:
        words = line.split() or [""]
        if words[0] == "ugi":
            print("id name Hex\nid author botarena\nugiok")
        elif words[0] == "isready":
            print("readyok")
        elif words[0] == "position":
            position = read(tuple(words[3:]))
        elif words[0] == "query":
            print("\n".join("response " + a for a in answers(position, words[1], " ".join(words[2:]))))
        elif words[0] == "go":  # so it is a bot, too
            print("bestmove", random.choice(moves(position)))
        elif words[0] == "quit":
            break
        sys.stdout.flush()


if __name__ == "__main__":
    main()
