#!/usr/bin/env python3
"""Tunes a bot by random search, as an example of an optimiser that drives arena.

    python3 random_search.py minimax --param Margin=100,10,300 --clock nodes=200

The arguments are those of `arena tune tell`. It asks what can be tuned and what was
played before, then plays random points against the best one so far. After an
interruption the same command goes on. TRIALS and PAIRS say for how long.
"""

import json
import os
import random
import subprocess
import sys

TRIALS = int(os.environ.get("TRIALS", "20"))
PAIRS = int(os.environ.get("PAIRS", "50"))

arguments = sys.argv[1:]
if "--event" not in arguments:
    arguments += ["--event", "random-search"]

asked = subprocess.run(["arena", "tune", "ask"] + arguments, stdout=subprocess.PIPE, check=True, text=True)
params = json.loads(asked.stdout.splitlines()[0])["params"]


def point(rng):
    """Returns a random value of each parameter."""
    draw = {"int": rng.randint, "float": rng.uniform}
    bounds = {"int": int, "float": float}
    return {p["name"]: draw[p["type"]](bounds[p["type"]](p["min"]), bounds[p["type"]](p["max"])) for p in params}


rng = random.Random(1)  # the same points each time: those played before are answered at once
best = {p["name"]: p["start"] for p in params}
tell = subprocess.Popen(["arena", "tune", "tell"] + arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
for trial in range(TRIALS):
    values = point(rng)
    tell.stdin.write(json.dumps({"values": values, "against": best, "pairs": PAIRS}) + "\n")
    tell.stdin.flush()
    line = tell.stdout.readline()
    if not line:
        break  # arena has said why
    result = json.loads(line)
    print(f"{trial + 1}: {values} scores {result['score']:.3f}", flush=True)
    if result["score"] > 0.5:
        best = values
tell.stdin.close()
if tell.wait() != 0:
    sys.exit(tell.returncode)
print("best:", json.dumps(best))
