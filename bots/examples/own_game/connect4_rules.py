#!/usr/bin/env python3
"""The rules of Connect Four, for arena: whoever has four in a row wins.

    arena check --rules connect4_rules.py

A move is the letter of a column, a to g. What is asked for, and what has to be
answered, is in the page of the protocol (protocol/doc.go, "Queries").
"""

import random
import sys

COLUMNS, ROWS, SIGNS = 7, 6, "Xo"
LINES = [
    [(c + dc * i, r + dr * i) for i in range(4)]
    for c in range(COLUMNS) for r in range(ROWS)
    for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
    if c + 3 * dc < COLUMNS and 0 <= r + 3 * dr < ROWS
]


def start():
    """A position is a list of columns, each a text of the pieces from below."""
    return [""] * COLUMNS


def turn(position):
    return len("".join(position)) % 2


def play(position, move):
    """The position after a move."""
    column = ord(move) - ord("a")
    return position[:column] + [position[column] + SIGNS[turn(position)]] + position[column + 1:]


def winner(position):
    """The sign of whoever has four in a row, or None."""
    sign = SIGNS[1 - turn(position)]  # only the last move can have made four
    for line in LINES:
        if all(r < len(position[c]) and position[c][r] == sign for c, r in line):
            return sign
    return None


def moves(position):
    """The legal moves: none once the game is over."""
    if winner(position):
        return []
    return [chr(ord("a") + c) for c in range(COLUMNS) if len(position[c]) < ROWS]


def board(position):
    return [" ".join((position[c] + "." * ROWS)[r] for c in range(COLUMNS)) for r in reversed(range(ROWS))]


def answer(position, fact, argument):
    """The answer to a query."""
    won = winner(position)
    over = not moves(position)
    if fact == "gameover":
        return "true" if over else "false"
    if fact == "p1turn":
        return "true" if turn(position) == 0 else "false"
    if fact == "result":
        return "none" if not over else {None: "draw", "X": "p1win", "o": "p2win"}[won]
    if fact == "moves":
        return " ".join(moves(position))
    if fact == "reason":
        return "four in a row" if won else "board full"
    if fact == "why":
        return "the column is full" if argument in list("abcdefg") else "a move is a letter from a to g"
    return {"sides": "red yellow", "maxplies": "42"}.get(fact, "unknown")


def main():
    position = start()
    for line in sys.stdin:
        words = line.split()
        if line.startswith("ugi") and not line.startswith("uginewgame"):
            print("id name Connect Four\nid author botarena\nugiok")
        elif line.startswith("isready"):
            print("readyok")
        elif line.startswith("position startpos"):
            position = start()
            for move in words[3:]:
                position = play(position, move)
        elif words[:2] == ["query", "board"]:
            print("\n".join("response " + row for row in board(position)))
        elif line.startswith("query"):
            print("response", answer(position, words[1], words[2] if len(words) > 2 else ""))
        elif line.startswith("go"):  # so it is a bot, too
            print("bestmove", random.choice(moves(position)))
        elif line.startswith("quit"):
            break
        sys.stdout.flush()


if __name__ == "__main__":
    main()
