#!/bin/sh
# The commands that made the tables in bots/learnt/tables, each going on from where the
# one above it ended for the same game. Beside each: games won and lost against the table
# kept last, one pair a generation that was kept. Run from the project's folder.
#
# Versions 10 to 13 of minimax played the games, and the fifth command began with a table
# (START) learnt from 30,000 games of a trial version: the shipped table of 8x8 cannot be
# made again to the byte.
set -eu
START=${START:?a table to begin the fifth command with}

# Breakthrough 8x8: 85-35, 79-41, 125-75, 73-47. The fifth command took 45 minutes on two cores.
go run ./bots/train --games 7600,6000 --nodes-from 400 --nodes-to 1600 --generations 3 \
  --epochs 6 --rate 0.04 --pairs 100 --match-nodes 2000 breakthrough
go run ./bots/train --start built-in --seed 2 --games 24000 --nodes-from 1000 --nodes-to 4000 --generations 1 \
  --epochs 6 --rate 0.04 --pairs 100 --match-nodes 5000 breakthrough
go run ./bots/train --start built-in --seed 2 --games 24000 --nodes-from 1500 --nodes-to 6000 --generations 2 \
  --epochs 6 --rate 0.04 --pairs 100 --match-nodes 5000 breakthrough
go run ./bots/train --start built-in --seed 2 --games 24000 --nodes-from 2000 --nodes-to 10000 --generations 3 \
  --epochs 6 --rate 0.04 --pairs 100 --match-nodes 10000 --threads 2 breakthrough
go run ./bots/train --start "$START" --seed 5 --games 30000,15000 --nodes-from 1000 --nodes-to 6000 --generations 5 \
  --epochs 4 --rate 0.04 --lambda 0.98 --prior 30 --pairs 50 --match-nodes 10000 --threads 2 breakthrough

# Breakthrough 6x6: 72-28, 69-31, 55-45.
go run ./bots/train --games 1500,3000 --nodes-from 200 --nodes-to 1000 --generations 3 \
  --result 0.35 --pairs 50 --match-nodes 1000 breakthrough:6x6

# Owlman: 53-47, 66-34, 84-16.
go run ./bots/train --games 1000,2000 --nodes-from 150 --nodes-to 600 --generations 3 \
  --result 0.35 --pairs 50 --match-nodes 1000 owlman
go run ./bots/train --games 1000,2000,2000,2500 --nodes-from 300 --nodes-to 1200 --generations 4 \
  --result 0.35 --pairs 50 --match-nodes 1000 owlman

# Outwit: 63-31, 72-12, 73-15; with jumps 62-18, 58-22, 50-30; with pushes 60-15, 63-14.
go run ./bots/train --games 1000,3000,2000 --nodes-from 100 --nodes-to 500 --generations 3 \
  --result 0.5 --prior 0 --pairs 50 --match-nodes 1000 outwit
go run ./bots/train --games 1000,1600,2000 --nodes-from 100 --nodes-to 500 --generations 3 \
  --result 0.5 --prior 0 --pairs 40 --match-nodes 1000 outwit:jump
go run ./bots/train --start results/train/outwit/generation-02/table --games 1200,1500 --nodes-from 100 --nodes-to 500 \
  --generations 2 --result 0.5 --prior 0 --pairs 40 --match-nodes 1000 outwit:push
