package exact

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"botarena/engine/owlman/board"
)

// Progress says how far the solving of a layer is.
type Progress struct {
	Kind    Kind
	Helpers int    // of the layer
	Level   int    // the level that is being worked out, from 1 on
	Done    int    // of Of equal parts of the level
	Of      int    // parts of a level
	Won     uint64 // states with White to move known to be won
}

// A solver works out one layer. Its bits are atomic words: workers set them in
// each other's groups. Each sets a bit of owl before it looks at others for a
// White state that needs both, so one of two workers sees both set.
type solver struct {
	*space
	n       int
	below   *Layer
	white   [][]uint64            // White to move, Owlman wins: found at a level before
	next    [][]uint64            // and found at this level
	owl     [][]uint64            // Owlman to move, and wins
	levels  [][]chunk             // what white was found at each level, by block
	failed  atomic.Pointer[error] // to read the layer below
	threads int
	tell    func(Progress)
}

// Solve works out the layer with that many helpers, at least one, from the one
// below, on so many threads. It takes 3 bits a state, 10.7 GB for twelve helpers.
// tell, which may be nil, is told how far it is, by one goroutine at a time. The
// error is ctx's, or a *sealed.DamagedError of the layer below.
func Solve(ctx context.Context, helpers int, below *Layer, threads int, tell func(Progress)) (*Layer, error) {
	s := &solver{space: below.space, n: helpers, below: below, threads: threads, tell: tell}
	s.white, s.next, s.owl = s.words(helpers), s.words(helpers), s.words(helpers)
	l := &Layer{space: s.space, Helpers: helpers}
	for level := 1; ; level++ {
		if err := s.level(ctx, level, l.White); err != nil {
			return nil, err
		}
		found, won := collect(s.next, threads, func(i int, index uint32) { s.white[i][index/64] |= 1 << (index % 64) })
		if won == 0 {
			break
		}
		s.levels = append(s.levels, found)
		l.White += won
	}
	l.levels = s.levels
	l.Owl = count(s.owl)
	return l, nil
}

// level finds the states that Owlman wins with a level's number of moves until he
// catches somebody.
func (s *solver) level(ctx context.Context, level int, won uint64) error {
	done := 0
	err := inParallel(ctx, s.threads, groups, func(g int) { s.group(ctx, g, level) }, func() {
		done++
		if s.tell != nil {
			s.tell(Progress{Helpers: s.n, Level: level, Done: done, Of: groups, Won: won})
		}
	})
	if failed := s.failed.Load(); failed != nil {
		return *failed
	}
	return err
}

// group does a level's work for the blocks with one square of Doc: what leads to
// the White states of the level before, and what that leads to in turn.
func (s *solver) group(ctx context.Context, g, level int) {
	fresh := make([][]uint64, len(s.blocks))
	for i := range s.blocks {
		if s.blocks[i].group == g {
			fresh[i] = make([]uint64, len(s.owl[i]))
		}
	}
	for i := range s.blocks {
		if s.blocks[i].group != g || ctx.Err() != nil {
			continue
		}
		if level == 1 {
			s.captures(i, fresh)
		} else {
			s.steps(i, s.levels[level-2][i].bitmap.Load(), fresh)
		}
	}
	for i := range s.blocks {
		if s.blocks[i].group != g {
			continue
		}
		switch b := &s.blocks[i]; {
		case ctx.Err() != nil:
		case level == 1 && s.catchesDoc(b):
			s.everyState(i)
		default:
			each(fresh[i], func(index uint32) { s.before(i, s.helpers(b, s.n, index)) })
		}
		fresh[i] = nil
	}
}

// catchesDoc reports whether Owlman, to move, can catch Doc on the tower.
func (s *solver) catchesDoc(b *block) bool {
	return b.doc == board.H1 && (s.geo.Step[b.owl]|s.geo.Swoop[b.owl])&board.Bit(board.H1) != 0
}

// mark notes that Owlman wins a state in which he is to move.
func (s *solver) mark(at int, helpers uint32, fresh [][]uint64) {
	index := s.index(&s.blocks[at], s.n, helpers)
	// Only this group's worker writes to its states with Owlman to move.
	if word := &s.owl[at][index/64]; *word>>(index%64)&1 == 0 {
		atomic.OrUint64(word, 1<<(index%64))
		fresh[at][index/64] |= 1 << (index % 64)
	}
}

// captures marks the states from which Owlman catches Doc, or a helper with a won
// state of the layer below to follow that is in block i.
func (s *solver) captures(i int, fresh [][]uint64) {
	b := &s.blocks[i]
	if s.catchesDoc(b) {
		for index := range s.size(b, s.n) {
			atomic.OrUint64(&s.owl[i][index/64], 1<<(index%64))
		}
	}
	mark := func(at int, helpers uint32) { s.mark(at, helpers, fresh) }
	err := s.below.each(i, func(index uint32) {
		s.capturesTo(b, s.helpers(b, s.n-1, index), func(owl uint8, helpers uint32) { s.meet(b.doc, owl, helpers, mark) })
	})
	if err != nil {
		s.failed.CompareAndSwap(nil, &err)
	}
}

// steps marks the states from which Owlman gets to one of won, which is in block i,
// without a capture.
func (s *solver) steps(i int, won *roaring.Bitmap, fresh [][]uint64) {
	b := &s.blocks[i]
	mark := func(at int, helpers uint32) { s.mark(at, helpers, fresh) }
	for it := won.Iterator(); it.HasNext(); {
		s.stepsTo(b, s.helpers(b, s.n, it.Next()), func(owl uint8, helpers uint32) { s.meet(b.doc, owl, helpers, mark) })
	}
}

// everyState looks at all White states of block i.
func (s *solver) everyState(i int) {
	b := &s.blocks[i]
	for index := range s.size(b, s.n) {
		s.settle(i, index, s.helpers(b, s.n, index))
	}
}

// before looks at the White states from which White can get to a state of block i,
// Owlman to move.
func (s *solver) before(i int, helpers uint32) {
	b := &s.blocks[i]
	settle := func(at int, helpers uint32) { s.settle(at, s.index(&s.blocks[at], s.n, helpers), helpers) }
	s.whiteTo(b, helpers, func(doc uint8, helpers uint32) {
		if doc == b.doc { // whose reflections are among block i's own
			settle(i, helpers)
		} else {
			s.meet(doc, b.owl, helpers, settle)
		}
	})
}

// settle notes that Owlman wins a White state of block i, if each of White's moves
// leads to a state that he wins.
func (s *solver) settle(i int, index uint32, helpers uint32) {
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
	index := s.index(&s.blocks[i], s.n, helpers)
	return atomic.LoadUint64(&s.owl[i][index/64])>>(index%64)&1 != 0
}
