package exact

import (
	"context"
	"math/bits"
	"sync/atomic"

	"botarena/engine/owlman/board"
)

// A forcer works out a layer of what Doc can force: in how many of White's moves
// he wins, whatever Owlman does, without the demand to vary. Levels are finished
// in turn, so each is exact: a White state has level k if one of White's moves ends
// the game (1) or leads to a state all of whose moves of Owlman's lead to White
// states of level k-1 or less, in this layer or, by a capture, in the one below.
type forcer struct {
	*space
	n       int
	below   *Layer
	lower   [][]uint8  // level of each White state of the layer below, 0 for none
	level   [][]uint8  // and of this one
	next    [][]uint64 // White states of the level at hand
	owl     [][]uint64 // states with Owlman to move that Doc wins
	found   [][]chunk
	threads int
	failed  atomic.Pointer[error]
}

// Force works out the layer with that many helpers of Doc's forced wins, from the
// one below, on so many threads. It takes a byte a state. tell, which may be nil,
// is told how far it is, by one goroutine at a time. The error is ctx's, or a
// *sealed.DamagedError of the layer below.
func Force(ctx context.Context, helpers int, below *Layer, threads int, tell func(Progress)) (*Layer, error) {
	s := &forcer{space: below.space, n: helpers, below: below, threads: threads}
	s.level, s.lower = make([][]uint8, len(s.blocks)), make([][]uint8, len(s.blocks))
	for i := range s.blocks {
		s.level[i] = make([]uint8, s.size(&s.blocks[i], helpers))
		s.lower[i] = make([]uint8, s.size(&s.blocks[i], helpers-1))
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
	s.next, s.owl = s.words(helpers), s.words(helpers)
	l := &Layer{space: s.space, Kind: DocForces, Helpers: helpers}
	for k := 0; ; k++ {
		done := 0
		err := inParallel(ctx, threads, groups, func(g int) { s.group(ctx, g, k) }, func() {
			done++
			if tell != nil {
				tell(Progress{Kind: DocForces, Helpers: helpers, Level: k + 1, Done: done, Of: groups, Won: l.White})
			}
		})
		if failed := s.failed.Load(); failed != nil {
			err = *failed
		}
		if err != nil {
			return nil, err
		}
		found, won := collect(s.next, threads, func(i int, index uint32) { s.level[i][index] = uint8(k + 1) })
		if won == 0 && k >= below.Levels() {
			break
		}
		s.found = append(s.found, found)
		l.White += won
	}
	l.levels = s.found
	l.Owl = count(s.owl)
	return l, nil
}

// group finds, for one of Doc's squares, the states with Owlman to move that Doc
// wins in k moves more, and the White states that lead to them.
func (s *forcer) group(ctx context.Context, g, k int) {
	fresh := make([][]uint64, len(s.blocks))
	for i := range s.blocks {
		if s.blocks[i].group == g {
			fresh[i] = make([]uint64, len(s.owl[i]))
		}
	}
	check := func(at int, helpers uint32) {
		b := &s.blocks[at]
		index := s.index(b, s.n, helpers)
		// Only this group's worker looks at and writes to its states.
		if word, bit := index/64, uint64(1)<<(index%64); s.owl[at][word]&bit == 0 && s.forced(b, helpers, k) {
			s.owl[at][word] |= bit
			fresh[at][word] |= bit
		}
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.group != g || ctx.Err() != nil {
			continue
		}
		before := func(owl uint8, helpers uint32) { s.meet(b.doc, owl, helpers, check) }
		if k == 0 {
			for index := range s.size(b, s.n) {
				if helpers := s.helpers(b, s.n, index); lair(b.doc, helpers) || s.targets(b.doc, b.owl, helpers) == 0 {
					s.owl[i][index/64] |= 1 << (index % 64)
					fresh[i][index/64] |= 1 << (index % 64)
				}
			}
			continue
		}
		if k <= len(s.found) {
			for it := s.found[k-1][i].bitmap.Load().Iterator(); it.HasNext(); {
				s.stepsTo(b, s.helpers(b, s.n, it.Next()), before)
			}
		}
		if k <= s.below.Levels() {
			won, err := s.below.levels[k-1][i].get()
			if err != nil {
				s.failed.CompareAndSwap(nil, &err)
				return
			}
			for it := won.Iterator(); it.HasNext(); {
				s.capturesTo(b, s.helpers(b, s.n-1, it.Next()), before)
			}
		}
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.group != g || ctx.Err() != nil {
			continue
		}
		note := func(at int, helpers uint32) {
			index := s.index(&s.blocks[at], s.n, helpers)
			if s.level[at][index] == 0 {
				atomic.OrUint64(&s.next[at][index/64], 1<<(index%64))
			}
		}
		each(fresh[i], func(index uint32) {
			s.whiteTo(b, s.helpers(b, s.n, index), func(doc uint8, helpers uint32) {
				if doc == b.doc {
					note(i, helpers)
				} else {
					s.meet(doc, b.owl, helpers, note)
				}
			})
		})
	}
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
