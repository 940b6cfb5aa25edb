// A search bot for Breakthrough in one function. The kit speaks the protocol and
// the engine knows the rules; what is left is to think.
//
// Run from the project's folder:
//
//	go build -o breakthrough_bot ./bots/examples/go/breakthrough_bot
//	arena check ./breakthrough_bot --game breakthrough
package main

import (
	"fmt"
	"math/bits"
	"os"
	"time"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/protocol"
)

const win = 100_000

func main() {
	bot := kit.Bot{
		Name:   "search-go",
		Author: "botarena",
		Games:  engine.Catalog{breakthrough.Family{}},
		Choose: choose,
	}
	if err := kit.Run(bot, os.Stdin, os.Stdout, time.Now); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// choose searches one ply deeper each time, until the turn's limits end it.
func choose(t *kit.Turn) engine.Move {
	s := &search{turn: t, pos: t.Position.(*breakthrough.Position)}
	depth := 64
	switch {
	case t.Depth > 0:
		depth = min(t.Depth, depth)
	case !t.Limited():
		depth = 4
	}
	moves := s.pos.Legal(nil)
	best := moves[0]
	for d := 1; d <= depth; d++ {
		move, score := s.root(moves, d)
		if s.stopped {
			break
		}
		best = move
		t.Info(protocol.Info{
			Has: protocol.HasDepth | protocol.HasNodes | protocol.HasScore, Depth: int64(d), Nodes: s.nodes,
			Score: protocol.Score{Value: int64(score)}, PV: t.Text(best),
		})
		if score > win-1000 || score < 1000-win {
			break // the end of the game is in sight
		}
	}
	return best
}

type search struct {
	turn    *kit.Turn
	pos     *breakthrough.Position
	nodes   int64
	stopped bool
	moves   [65][]engine.Move // a list for each ply, used again and again
}

func (s *search) root(moves []engine.Move, depth int) (best engine.Move, alpha int) {
	alpha = -win
	for _, m := range moves {
		s.pos.Play(m)
		score := -s.alphaBeta(depth-1, 1, -win, -alpha)
		s.pos.Undo()
		if best == 0 || score > alpha {
			best, alpha = m, score
		}
	}
	return best, alpha
}

func (s *search) alphaBeta(depth, ply, alpha, beta int) int {
	s.nodes++
	if s.turn.Nodes > 0 && s.nodes >= s.turn.Nodes || s.nodes%1024 == 0 && s.turn.Stop() {
		s.stopped = true
	}
	switch {
	case s.stopped:
		return 0
	case s.pos.Outcome().Over:
		return ply - win // only the side that just moved can have won
	case depth <= 0:
		return s.evaluate()
	}
	s.moves[ply] = s.pos.Legal(s.moves[ply][:0])
	moves := s.moves[ply]
	for pass := range 2 { // captures first, which makes the search faster
		for _, m := range moves {
			if s.pos.Captures(m) != (pass == 0) {
				continue
			}
			s.pos.Play(m)
			score := -s.alphaBeta(depth-1, ply+1, -beta, -alpha)
			s.pos.Undo()
			if score >= beta {
				return score
			}
			alpha = max(alpha, score)
		}
	}
	return alpha
}

// evaluate counts pieces and how far they came, for the side to move.
func (s *search) evaluate() int {
	score := 0
	for side, sign := range []int{1, -1} {
		for word, set := range s.pos.Bits(engine.Side(side)) {
			for ; set != 0; set &= set - 1 {
				row := (64*word + bits.TrailingZeros64(set)) / s.pos.Cols()
				if side == 1 {
					row = s.pos.Rows() - 1 - row
				}
				score += sign * (100 + 3*row*row)
			}
		}
	}
	if s.pos.Turn() == engine.Second {
		return -score
	}
	return score
}
