#!/usr/bin/env python3
"""A complete first bot for arena. It needs no rules: arena sends the legal moves.

Copy this file, change choose(), and run:  arena check first_bot.py
"""

import random
import sys

NAME = "first-python"


def choose(game: str, legal: list[str], position: str, rng: random.Random) -> str:
    """Pick one of the legal moves. THIS IS THE FUNCTION TO CHANGE.

    game is its name with its size, such as "breakthrough:6x6"; position is what
    arena sent: "startpos moves a2a3 ..." or "fen ... moves ...".
    """
    return rng.choice(legal)


def main() -> None:
    rng = random.Random(1)
    game = ""
    legal: list[str] = []
    position = ""
    for line in sys.stdin:  # ends when arena closes our input
        word, _, rest = line.strip().partition(" ")
        if word == "ugi":
            say(f"id name {NAME}")
            say("id author me")
            say("option name UGI_Variant type string default breakthrough")
            say("option name UGI_LegalMoves type check default false")
            say("option name Seed type spin default 1 min 0 max 2147483647")
            say("ugiok")
        elif word == "setoption":  # setoption name Seed value 7
            name, _, value = rest.removeprefix("name ").partition(" value ")
            if name == "Seed":
                rng = random.Random(int(value))
            elif name == "UGI_Variant":
                game = value
        elif word == "isready":
            say("readyok")
        elif word == "position":
            position = rest
        elif word == "legal":
            legal = rest.split()
        elif word == "go":
            say(f"bestmove {choose(game, legal, position, rng)}")
        elif word == "quit":
            return


def say(line: str) -> None:
    """Send one line at once: a line kept in a buffer is a bot that hangs."""
    print(line, flush=True)


if __name__ == "__main__":
    main()
