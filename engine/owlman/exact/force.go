package exact

import (
	"context"
	"math/bits"

	"botarena/engine/owlman/board"
	"botarena/engine/solve/file"
)

// A forcer works out a layer of what Doc can force: in how many of White's moves
// he wins, whatever Owlman does, without the demand to vary. Levels are finished
// in turn, so each is exact: a White state has level k if one of White's moves ends
// the game (1) or leads to a state all of whose moves of Owlman's lead to White
// states of level k-1 or less, in this layer or, by a capture, in the one below.
type forcer struct {
	*sweep
	below *Layer
	lower [][]uint8 // level of each White state of the layer below, 0 for none
	level [][]uint8 // and of this one
}

// force takes a byte and a quarter a state.
func force(ctx context.Context, below *Layer, o file.Options) (*Layer, error) {
	s := &forcer{sweep: newSweep(below, o), below: below}
	s.level, s.lower = make([][]uint8, len(s.blocks)), make([][]uint8, len(s.blocks))
	for i := range s.blocks {
		s.level[i] = make([]uint8, s.size(&s.blocks[i], s.n))
		s.lower[i] = make([]uint8, s.size(&s.blocks[i], s.n-1))
		for k := range below.levels {
			won, err := below.levels[k][i].get()
			if err != nil {
				return nil, err
			}
			for it := won.Iterator(); it.HasNext(); {
				s.lower[i][it.Next()] = uint8(k + 1)
			}
		}
	}
	return s.run(ctx, s, below.Levels())
}

func (s *forcer) found(level, i int, index uint32) { s.level[i][index] = uint8(level) }

// back finds the states with Owlman to move that Doc wins in one move less than the
// level: at the first those in which he has won, or Owlman cannot move.
func (s *forcer) back(level int, p piece) error {
	b := &s.blocks[p.block]
	if level == 1 {
		for index := p.from; index < p.to; index++ {
			if helpers := s.helpers(b, s.n, index); lair(b.doc, helpers) || s.targets(b.doc, b.owl, helpers) == 0 {
				s.mark(p.block, index)
			}
		}
		return nil
	}
	k := level - 1
	check := func(at int, helpers uint32) {
		b := &s.blocks[at]
		if index := s.index(b, s.n, helpers); !has(s.owl[at], index) && s.forced(b, helpers, k) {
			s.mark(at, index)
		}
	}
	before := func(owl uint8, helpers uint32) { s.meet(b.doc, owl, helpers, check) }
	if k <= len(s.levels) {
		within(s.levels[k-1][p.block].bitmap.Load(), p.from, p.to, func(index uint32) {
			s.stepsTo(b, s.helpers(b, s.n, index), before)
		})
	}
	if k <= s.below.Levels() {
		won, err := s.below.levels[k-1][p.block].get()
		if err != nil {
			return err
		}
		within(won, p.from, p.to, func(index uint32) { s.capturesTo(b, s.helpers(b, s.n-1, index), before) })
	}
	return nil
}

// settle notes the White states that lead to the fresh states.
func (s *forcer) settle(_ int, p piece) {
	i, b := p.block, &s.blocks[p.block]
	note := func(at int, helpers uint32) {
		if index := s.index(&s.blocks[at], s.n, helpers); s.level[at][index] == 0 {
			set(s.next[at], index)
		}
	}
	each(s.fresh[i], p.from, p.to, func(index uint32) {
		s.whiteTo(b, s.helpers(b, s.n, index), func(doc uint8, helpers uint32) {
			if doc == b.doc {
				note(i, helpers)
			} else {
				s.meet(doc, b.owl, helpers, note)
			}
		})
	})
}

// forced reports whether each of Owlman's moves leads to a White state of level k or
// less.
func (s *forcer) forced(b *block, helpers uint32, k int) bool {
	from := state{b.doc, b.owl, helpers}
	for to := s.targets(b.doc, b.owl, helpers); to != 0; to &= to - 1 {
		next, caught := s.after(from, uint8(bits.TrailingZeros32(to)))
		if next.doc == board.Nowhere || next.helpers == 0 {
			return false
		}
		at, set := s.locate(next.doc, next.owl, next.helpers)
		var level uint8
		if caught {
			level = s.lower[at][s.index(&s.blocks[at], s.n-1, set)]
		} else {
			level = s.level[at][s.index(&s.blocks[at], s.n, set)]
		}
		if level == 0 || int(level) > k {
			return false
		}
	}
	return true
}
