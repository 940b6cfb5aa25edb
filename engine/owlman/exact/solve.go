package exact

import (
	"context"
	"math/bits"
	"sync/atomic"

	"botarena/engine/owlman/board"
	"botarena/engine/solve/file"
)

// A solver works out what Owlman wins. Its bits are atomic words: workers set them in
// each other's blocks. Each sets a bit of owl before it looks at others for a White
// state that needs both, so one of two workers sees both set.
type solver struct {
	*sweep
	below *Layer
	white [][]uint64 // White to move, Owlman wins: found at a level before
}

// Solve works out the layer of one helper more than the one below has, and of its kind.
// It takes 3 bits a state, 10.7 GB for twelve helpers, and for Doc's forced wins a byte
// and a quarter. The error is ctx's, that of Options.Keep, or a *file.DamagedError of the
// layer below or of Options.From.
func Solve(ctx context.Context, below *Layer, o file.Options) (*Layer, error) {
	if below.Kind == DocForces {
		return force(ctx, below, o)
	}
	s := &solver{sweep: newSweep(below, o), below: below}
	s.white = s.words(s.n)
	return s.run(ctx, s, 0)
}

func (s *solver) found(_, i int, index uint32) { set(s.white[i], index) }

// catchesDoc reports whether Owlman, to move, can catch Doc on the tower.
func (s *solver) catchesDoc(b *block) bool {
	return b.doc == board.H1 && (s.geo.Step[b.owl]|s.geo.Swoop[b.owl])&board.Bit(board.H1) != 0
}

// back marks the states from which Owlman gets to a state of the level before; at the
// first level those from which he catches Doc, or a helper with a won state of the
// layer below to follow.
func (s *solver) back(level int, p piece) error {
	b := &s.blocks[p.block]
	mark := func(at int, helpers uint32) { s.mark(at, s.index(&s.blocks[at], s.n, helpers)) }
	meet := func(owl uint8, helpers uint32) { s.meet(b.doc, owl, helpers, mark) }
	if level > 1 {
		within(s.levels[level-2][p.block].bitmap.Load(), p.from, p.to, func(index uint32) {
			s.stepsTo(b, s.helpers(b, s.n, index), meet)
		})
		return nil
	}
	if s.catchesDoc(b) {
		for index := p.from; index < p.to; index += 64 {
			all := ^uint64(0)
			if p.to-index < 64 {
				all = 1<<(p.to-index) - 1
			}
			atomic.OrUint64(&s.owl[p.block][index/64], all)
		}
	}
	for k := range s.below.levels {
		won, err := s.below.levels[k][p.block].get()
		if err != nil {
			return err
		}
		within(won, p.from, p.to, func(index uint32) { s.capturesTo(b, s.helpers(b, s.n-1, index), meet) })
	}
	return nil
}

// settle looks at the White states from which White can get to the fresh states. Where
// Owlman catches Doc whatever else, these are the White states with the same squares.
func (s *solver) settle(level int, p piece) {
	i, b := p.block, &s.blocks[p.block]
	if level == 1 && s.catchesDoc(b) {
		for index := p.from; index < p.to; index++ {
			s.weigh(i, index, s.helpers(b, s.n, index))
		}
		return
	}
	look := func(at int, helpers uint32) { s.weigh(at, s.index(&s.blocks[at], s.n, helpers), helpers) }
	each(s.fresh[i], p.from, p.to, func(index uint32) {
		s.whiteTo(b, s.helpers(b, s.n, index), func(doc uint8, helpers uint32) {
			if doc == b.doc { // whose reflections are among block i's own
				look(i, helpers)
			} else {
				s.meet(doc, b.owl, helpers, look)
			}
		})
	})
}

// weigh notes that Owlman wins a White state of block i, if each of White's moves
// leads to a state that he wins.
func (s *solver) weigh(i int, index uint32, helpers uint32) {
	word, bit := index/64, uint64(1)<<(index%64)
	if s.white[i][word]&bit != 0 || atomic.LoadUint64(&s.next[i][word])&bit != 0 {
		return
	}
	b := &s.blocks[i]
	free := ^(helpers | board.Bit(b.doc) | board.Bit(b.owl) | board.Bit(board.H1))
	for to := s.geo.Step[b.doc] & free; to != 0; to &= to - 1 {
		at, set := s.locate(uint8(bits.TrailingZeros32(to)), b.owl, helpers)
		if !s.owlWins(at, set) {
			return
		}
	}
	for rest := helpers; rest != 0; rest &= rest - 1 {
		from := rest & -rest
		for to := s.geo.Step[bits.TrailingZeros32(from)] & free; to != 0; to &= to - 1 {
			if !s.owlWins(i, helpers&^from|to&-to) {
				return
			}
		}
	}
	atomic.OrUint64(&s.next[i][word], bit)
}

func (s *solver) owlWins(i int, helpers uint32) bool {
	return has(s.owl[i], s.index(&s.blocks[i], s.n, helpers))
}
