// The rules of Connect Four, for arena: whoever has four in a row wins. A move is the
// letter of a column, a to g.
//
// Run from the project's folder:
//
//	go build -o connect4 ./bots/examples/own_game/connect4
//	arena check --rules ./connect4
package main

import (
	"fmt"
	"math/bits"
	"os"
	"time"

	"botarena/bots/kit"
	"botarena/engine"
)

const columns, rows = 7, 6

// A board has a bit a cell, seven a column: from below, and one that stays empty.
type board struct {
	stones [2]uint64
	plies  int
}

func rules() kit.Rules[board] {
	return kit.Rules[board]{
		Name: "connect4", Sides: [2]string{"red", "yellow"}, MaxPlies: columns * rows,
		Moves: moves, Play: play, Outcome: outcome, Why: why, Board: picture,
	}
}

func full(b board, column int) bool {
	return (b.stones[0]|b.stones[1])>>(7*column+rows-1)&1 == 1
}

func moves(b board, dst []string) []string {
	for c := range columns {
		if !full(b, c) {
			dst = append(dst, "abcdefg"[c:c+1])
		}
	}
	return dst
}

func play(b board, move string) board {
	column := 7 * int(move[0]-'a')
	height := bits.OnesCount64((b.stones[0] | b.stones[1]) >> column & (1<<rows - 1))
	b.stones[b.plies%2] |= 1 << (column + height)
	b.plies++
	return b
}

func outcome(b board) engine.Outcome {
	last := engine.Side(1 - b.plies%2) // only the last move can have made four
	for _, step := range []int{1, 6, 7, 8} {
		pairs := b.stones[last] & (b.stones[last] >> step)
		if pairs&(pairs>>(2*step)) != 0 {
			return engine.Outcome{Over: true, Winner: last, Reason: "four in a row"}
		}
	}
	if b.plies == columns*rows {
		return engine.Outcome{Over: true, Winner: engine.NoSide, Reason: "board full"}
	}
	return engine.Outcome{}
}

func why(_ board, move string) string {
	if len(move) == 1 && move[0] >= 'a' && move[0] <= 'g' {
		return "the column is full"
	}
	return "a move is a letter from a to g"
}

func picture(b board) (lines []string) {
	for r := rows - 1; r >= 0; r-- {
		line := ""
		for c := range columns {
			cell := 7*c + r
			line += " " + string(".Xo"[b.stones[0]>>cell&1+b.stones[1]>>cell&1*2])
		}
		lines = append(lines, line[1:])
	}
	return lines
}

// choose returns the first bot: it wins where it can, keeps the other from winning at the
// next move where it must, and else plays anything.
func choose(t *kit.Turn) engine.Move {
	pos, me := t.Position, t.Position.Turn()
	var safe []engine.Move
	list := pos.Legal(nil)
	for _, m := range list {
		pos.Play(m)
		out, loses := pos.Outcome(), false
		for _, reply := range pos.Legal(nil) {
			pos.Play(reply)
			loses = loses || pos.Outcome().Winner == me.Other()
			pos.Undo()
		}
		pos.Undo()
		if out.Winner == me {
			return m
		}
		if !loses {
			safe = append(safe, m)
		}
	}
	if len(safe) > 0 {
		list = safe
	}
	return list[t.Rand.IntN(len(list))]
}

func main() {
	game, err := kit.NewGame(rules())
	if err == nil {
		err = kit.Run(kit.Bot{Name: "Connect Four", Author: "botarena", Own: game, Choose: choose}, os.Stdin, os.Stdout, time.Now)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
