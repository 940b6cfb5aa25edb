#!/usr/bin/env python3
"""The rules of Hex, for arena: red joins top and bottom, blue left and right.

    arena check --rules "python3 hex_rules.py 7"

The argument is the size of the board (11 without one). A move is a cell such as
c4: a letter from the left, a number from below. There are no draws.
"""

import random
import sys

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 11
SIGNS = "Xo"  # X is red, which moves first


def name(cell):
    return chr(ord("a") + cell[0]) + str(cell[1] + 1)


CELLS = {name((x, y)): (x, y) for y in range(SIZE) for x in range(SIZE)}


def neighbours(cell):
    x, y = cell
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)):
        if 0 <= x + dx < SIZE and 0 <= y + dy < SIZE:
            yield x + dx, y + dy


def turn(position):
    return len(position) % 2


def play(position, move):
    """The position after a move: a table of cells and the signs on them."""
    return {**position, CELLS[move]: SIGNS[turn(position)]}


def winner(position):
    """The sign of whoever has joined its edges, or None."""
    sign = SIGNS[1 - turn(position)]  # only the last move can have joined them
    axis = 1 if sign == "X" else 0
    seen = {cell for cell, s in position.items() if s == sign and cell[axis] == 0}
    todo = list(seen)
    while todo:
        cell = todo.pop()
        if cell[axis] == SIZE - 1:
            return sign
        for n in neighbours(cell):
            if n not in seen and position.get(n) == sign:
                seen.add(n)
                todo.append(n)
    return None


def moves(position):
    if winner(position):
        return []
    return [text for text, cell in CELLS.items() if cell not in position]


def board(position):
    """Rows from above, each half a cell further to the left than the one below."""
    return [" " * (SIZE - 1 - y) + " ".join(position.get((x, y), ".") for x in range(SIZE)) for y in reversed(range(SIZE))]


def answer(position, fact, argument):
    won = winner(position)
    if fact == "gameover":
        return "true" if won else "false"
    if fact == "p1turn":
        return "true" if turn(position) == 0 else "false"
    if fact == "result":
        return {None: "none", "X": "p1win", "o": "p2win"}[won]
    if fact == "moves":
        return " ".join(moves(position))
    if fact == "why":
        return "the cell is taken" if argument in CELLS else "no cell of this board"
    return {"sides": "red blue", "reason": "edges joined", "maxplies": str(SIZE * SIZE), "symmetric": "true"}.get(fact, "unknown")


def main():
    position = {}
    for line in sys.stdin:
        words = line.split() or [""]
        if words[0] == "ugi":
            print("id name Hex\nid author botarena\nugiok")
        elif words[0] == "isready":
            print("readyok")
        elif words[:2] == ["position", "startpos"]:
            position = {}
            for move in words[3:]:
                position = play(position, move)
        elif words[:2] == ["query", "board"]:
            print("\n".join("response " + row for row in board(position)))
        elif words[0] == "query":
            print("response", answer(position, words[1], words[2] if len(words) > 2 else ""))
        elif words[0] == "go":  # so it is a bot, too
            print("bestmove", random.choice(moves(position)))
        elif words[0] == "quit":
            break
        sys.stdout.flush()


if __name__ == "__main__":
    main()
