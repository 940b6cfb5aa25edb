#!/usr/bin/env python3
"""The rules of Connect Four, for arena: whoever has four in a row wins.

    arena check --rules connect4_rules.py

A move is the letter of a column, a to g. What is asked for, and what has to be
answered, is in the page of the protocol (protocol/doc.go, "Queries").
"""

import random
import sys
from functools import lru_cache

COLUMNS, ROWS, SIGNS = 7, 6, "Xo"
LINES = [
    [(c + dc * i, r + dr * i) for i in range(4)]
    for c in range(COLUMNS) for r in range(ROWS)
    for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
    if c + 3 * dc < COLUMNS and 0 <= r + 3 * dr < ROWS
]


def turn(position):
    """0 or 1. A position is a tuple of columns, each a text of its pieces from below."""
    return len("".join(position)) % 2


def play(position, move):
    column = ord(move) - ord("a")
    return position[:column] + (position[column] + SIGNS[turn(position)],) + position[column + 1:]


@lru_cache(maxsize=8)
def winner(position):
    """The sign of whoever has four in a row, or None."""
    sign = SIGNS[1 - turn(position)]  # only the last move can have made four
    for line in LINES:
        if all(r < len(position[c]) and position[c][r] == sign for c, r in line):
            return sign
    return None


def moves(position):
    """The legal moves: none once the game is over."""
    return [] if winner(position) else [chr(97 + c) for c in range(COLUMNS) if len(position[c]) < ROWS]


@lru_cache(maxsize=1000)
def read(played):
    """The position after these moves, None where one of them is not legal.

    A position line has all moves of the game each time. The positions on the way are
    remembered, so that only the moves are played that are new."""
    if not played:
        return ("",) * COLUMNS
    position, move = read(played[:-1]), played[-1]
    if position is None or move not in "abcdefg" or len(position[ord(move) - 97]) == ROWS:
        return None
    return play(position, move)


def answers(position, fact, argument):
    """The answers to a query: one, but for the rows of the board."""
    if position is None:
        return ["invalid a move is not legal"]
    won, legal = winner(position), moves(position)
    if fact == "board":
        return [" ".join((p + "." * ROWS)[r] for p in position) for r in reversed(range(ROWS))]
    return [{
        "gameover": "false" if legal else "true",
        "p1turn": "true" if turn(position) == 0 else "false",
        "result": "none" if legal else {None: "draw", "X": "p1win", "o": "p2win"}[won],
        "moves": " ".join(legal),
        "reason": "four in a row" if won else "board full",
        "why": "the column is full" if argument in list("abcdefg") else "a move is a letter from a to g",
        "sides": "red yellow",
        "maxplies": "42",
    }.get(fact, "unknown")]


def main():
    position = read(())
    for line in sys.stdin:
        words = line.split() or [""]
        if words[0] == "ugi":
            print("id name Connect Four\nid author botarena\nugiok")
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
