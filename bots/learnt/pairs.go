package learnt

import (
	"math/bits"

	"botarena/engine"
)

const (
	owlmanName    = "owlman" // Daybreak is judged as Owlman is: what brings White home brings him home in time
	owlmanSquares = 32
	maxHelpers    = 12

	// kinds is the number of kinds of pieces times squares, and of numbers of helpers.
	kinds = 3*owlmanSquares + maxHelpers + 1
	// sidePairs is the number of weights of one side: those of the pieces, then those of pairs.
	sidePairs = kinds + kinds*(kinds-1)/2
	pairsSize = 2 * sidePairs
)

// Pairs judge positions of Owlman by their pieces and by all pairs of them: every kind of
// piece on every square has a weight, and so has every two of these together. The judgement
// is the sum of the weights of what stands on the board. Pairs know what covers, blocks,
// chases or flanks what, at any distance. They are immutable.
type Pairs struct {
	// weights are by side to move and piece and by the other piece; a piece beside itself is
	// the piece alone.
	weights [2][]int16
}

// pair returns where the weight of two pieces is, or that of one.
func pair(a, b int) int {
	if a == b {
		return a
	}
	a, b = max(a, b), min(a, b)
	return kinds + a*(a-1)/2 + b
}

func pairsIndexes(dst []int32, pos engine.Position) []int32 {
	base := int(pos.Turn()&1) * sidePairs
	pieces := lookOwlman(nil, pos)
	for i, a := range pieces {
		dst = append(dst, int32(base+int(a)))
		for _, b := range pieces[:i] {
			dst = append(dst, int32(base+pair(int(a), int(b))))
		}
	}
	return dst
}

// NewPairs lays out weights as Decode returns them.
func NewPairs(weights []int16) *Pairs {
	p := &Pairs{}
	for side := range p.weights {
		for a := range kinds {
			for b := range kinds {
				p.weights[side] = append(p.weights[side], weights[side*sidePairs+pair(a, b)])
			}
		}
	}
	return p
}

// Evaluator returns a function that judges positions in centipawns for the side to
// move. It is not for several goroutines at once.
func (p *Pairs) Evaluator() func(engine.Position) int {
	var pieces []uint16
	return func(pos engine.Position) int {
		pieces = lookOwlman(pieces[:0], pos)
		weights := p.weights[pos.Turn()&1]
		sum := int32(0)
		for i, a := range pieces {
			row := weights[int(a)*kinds:][:kinds]
			for _, b := range pieces[:i+1] {
				sum += int32(row[b])
			}
		}
		return int(sum) / Unit
	}
}

// owlman lists the method of an Owlman position that pairs use.
type owlman interface {
	engine.Position
	Pieces() (helpers uint32, doc, owl uint8)
}

func isOwlman(game engine.Game) bool {
	_, ok := game.Start().(owlman)
	return ok
}

// lookOwlman lists the pieces as numbers below kinds: Doc, Owlman, the helpers, and how many helpers there are.
func lookOwlman(dst []uint16, p engine.Position) []uint16 {
	helpers, doc, owl := p.(owlman).Pieces()
	if doc < owlmanSquares {
		dst = append(dst, uint16(doc))
	}
	dst = append(dst, owlmanSquares+uint16(owl))
	n := uint16(0)
	for ; helpers != 0; helpers &= helpers - 1 {
		dst = append(dst, 2*owlmanSquares+uint16(bits.TrailingZeros32(helpers)))
		n++
	}
	return append(dst, 3*owlmanSquares+n)
}
