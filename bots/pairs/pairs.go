// Package pairs judges positions by their pieces and by all pairs of them: every
// kind of piece on every square has a weight, and so has every two of these
// together. The judgement is the sum of the weights of what stands on the board.
// Pairs know what covers, blocks, chases or flanks what, at any distance.
package pairs

import (
	"fmt"

	"botarena/bots/weights"
	"botarena/engine"
)

// A Game says how the positions of a game are seen.
type Game struct {
	// Name is the name of the game that the weights are for.
	Name string
	// Kinds is the number of kinds of pieces times squares.
	Kinds int
	// Look appends the pieces on the board as the side to move sees them, each a
	// number below Kinds.
	Look func(dst []uint16, pos engine.Position) []uint16
}

// Size returns the number of weights: each side has its own.
func (g *Game) Size() int { return 2 * g.view() }

// view returns the number of weights of one side: those of the pieces, then those of
// pairs.
func (g *Game) view() int { return g.Kinds + g.Kinds*(g.Kinds-1)/2 }

// Indexes appends where the weights of a position are.
func (g *Game) Indexes(dst []int32, pos engine.Position) []int32 {
	base := 0
	if pos.Turn() == engine.Second {
		base = g.view()
	}
	pieces := g.Look(nil, pos)
	for i, a := range pieces {
		dst = append(dst, int32(base+int(a)))
		for _, b := range pieces[:i] {
			dst = append(dst, int32(base+g.pair(int(a), int(b))))
		}
	}
	return dst
}

// pair returns where the weight of two different pieces is.
func (g *Game) pair(a, b int) int {
	if a < b {
		a, b = b, a
	}
	return g.Kinds + a*(a-1)/2 + b
}

// head begins the file of a game's weights.
func (g *Game) head() string { return fmt.Sprintf("arena pairs 1\n%c%s", len(g.Name), g.Name) }

// Encode returns weights as Decode reads them.
func (g *Game) Encode(list []int16) []byte { return weights.Encode(g.head(), list) }

// Decode reads the weights of a game. The error says what is wrong with the data.
func (g *Game) Decode(data []byte) ([]int16, error) { return weights.Decode(data, g.head(), g.Size()) }

// A Judge is weights laid out to be looked up quickly. It is immutable.
type Judge struct {
	game *Game
	// weights are by view and piece and by the other piece; a piece beside itself is
	// the piece alone.
	weights [2][]int16
}

// NewJudge lays out the weights of a game.
func (g *Game) NewJudge(list []int16) *Judge {
	j := &Judge{game: g}
	for view := range j.weights {
		own := list[view*g.view() : (view+1)*g.view()]
		j.weights[view] = make([]int16, g.Kinds*g.Kinds)
		for a := range g.Kinds {
			for b := range g.Kinds {
				w := own[a]
				if a != b {
					w = own[g.pair(a, b)]
				}
				j.weights[view][a*g.Kinds+b] = w
			}
		}
	}
	return j
}

// Evaluator returns a function that judges positions in centipawns for the side to
// move. It is not for several goroutines at once.
func (j *Judge) Evaluator() func(engine.Position) int {
	var pieces []uint16
	return func(pos engine.Position) int {
		pieces = j.game.Look(pieces[:0], pos)
		view := j.weights[0]
		if pos.Turn() == engine.Second {
			view = j.weights[1]
		}
		sum := int32(0)
		for i, a := range pieces {
			row := view[int(a)*j.game.Kinds:][:j.game.Kinds]
			for _, b := range pieces[:i+1] {
				sum += int32(row[b])
			}
		}
		return int(sum) / weights.Unit
	}
}
