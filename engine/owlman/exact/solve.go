package exact

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"botarena/engine/owlman/board"
)

// Progress says how far the solving of a layer is.
type Progress struct {
	Helpers int    // of the layer
	Level   int    // the level that is being worked out, from 1 on
	Done    int    // of Of equal parts of the level
	Of      int    // parts of a level
	Won     uint64 // states with White to move known to be won by Owlman
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
// error is ctx's, or a *DamagedError of the layer below.
func Solve(ctx context.Context, helpers int, below *Layer, threads int, tell func(Progress)) (*Layer, error) {
	s := &solver{space: below.space, n: helpers, below: below, threads: threads, tell: tell}
	words := func() [][]uint64 {
		all := make([][]uint64, len(s.blocks))
		for i := range s.blocks {
			all[i] = make([]uint64, (s.size(&s.blocks[i], helpers)+63)/64)
		}
		return all
	}
	s.white, s.next, s.owl = words(), words(), words()
	l := &Layer{space: s.space, Helpers: helpers}
	for level := 1; ; level++ {
		if err := s.level(ctx, level, l.White); err != nil {
			return nil, err
		}
		found := s.collect()
		if found == 0 {
			break
		}
		l.White += found
	}
	l.levels = s.levels
	for _, b := range s.owl {
		for _, w := range b {
			l.Owl += uint64(bits.OnesCount64(w))
		}
	}
	return l, nil
}

// level finds the states that Owlman wins with a level's number of moves until he
// catches somebody.
func (s *solver) level(ctx context.Context, level int, won uint64) error {
	work := make(chan int, groups)
	for g := range groups {
		work <- g
	}
	close(work)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range s.threads {
		wg.Go(func() {
			fresh := make([][]uint64, len(s.blocks)) // of the group at hand
			for g := range work {
				s.group(ctx, g, level, fresh)
				mu.Lock()
				done++
				if s.tell != nil && ctx.Err() == nil {
					s.tell(Progress{Helpers: s.n, Level: level, Done: done, Of: groups, Won: won})
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := s.failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// group does a level's work for the blocks with one square of Doc: what leads to
// the White states of the level before, and what that leads to in turn.
func (s *solver) group(ctx context.Context, g, level int, fresh [][]uint64) {
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

// each calls f with the number of each set bit.
func each(words []uint64, f func(uint32)) {
	for at, w := range words {
		for ; w != 0; w &= w - 1 {
			f(uint32(at*64 + bits.TrailingZeros64(w)))
		}
	}
}

// lair reports whether White has won a state: Doc and a helper are in the lair.
func lair(doc uint8, helpers uint32) bool {
	return doc == board.A8 && helpers&board.Bit(board.B7) != 0
}

// catchesDoc reports whether Owlman, to move, can catch Doc on the tower.
func (s *solver) catchesDoc(b *block) bool {
	return b.doc == board.H1 && (s.geo.Step[b.owl]|s.geo.Swoop[b.owl])&board.Bit(board.H1) != 0
}

// mark notes that Owlman wins a state in which he is to move.
func (s *solver) mark(doc, owl uint8, helpers uint32, fresh [][]uint64) {
	if lair(doc, helpers) {
		return
	}
	at, set := s.locate(doc, owl, helpers)
	s.markAt(at, set, fresh)
	if s.blocks[at].both { // what leads here is one state with its reflection
		s.markAt(at, s.reflected(set), fresh)
	}
}

func (s *solver) markAt(at int, set uint32, fresh [][]uint64) {
	index := s.index(&s.blocks[at], s.n, set)
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
	from := s.geo.Step[b.owl] &^ (board.Bit(b.doc) | board.Bit(board.H1))
	err := s.below.eachWhite(i, func(index uint32) {
		set := s.helpers(b, s.n-1, index)
		if b.doc != board.H1 && b.owl != board.H1 { // from the tower onto a helper
			s.mark(b.doc, board.H1, set|board.Bit(b.owl), fresh)
		}
		for rest := from &^ set; rest != 0; rest &= rest - 1 {
			came := uint8(bits.TrailingZeros32(rest))
			// Whoever stood first in his line of sight is gone.
			direction := s.geo.Direction[came][b.owl]
			seen := s.geo.Ray[direction][b.owl]
			if first := s.geo.FirstOn(set|board.Bit(b.doc), b.owl, direction); first != 0 {
				seen &^= s.geo.Ray[direction][bits.TrailingZeros32(first)] | first
			}
			for seen &^= board.Bit(board.H1); seen != 0; seen &= seen - 1 {
				s.mark(b.doc, came, set|seen&-seen, fresh)
			}
		}
	})
	if err != nil {
		s.failed.CompareAndSwap(nil, &err)
	}
}

// steps marks the states from which Owlman gets to one of won, which is in block i,
// without a capture.
func (s *solver) steps(i int, won *roaring.Bitmap, fresh [][]uint64) {
	b := &s.blocks[i]
	step := s.geo.Step[b.owl]
	from := (step | s.geo.Swoop[b.owl]) &^ (board.Bit(b.doc) | board.Bit(board.H1))
	for it := won.Iterator(); it.HasNext(); {
		set := s.helpers(b, s.n, it.Next())
		for rest := from &^ set; rest != 0; rest &= rest - 1 {
			came := uint8(bits.TrailingZeros32(rest))
			if rest&-rest&step != 0 {
				// A helper in his line of sight would be gone.
				if s.geo.FirstOn(set|board.Bit(b.doc), b.owl, s.geo.Direction[came][b.owl])&set != 0 {
					continue
				}
			}
			s.mark(b.doc, came, set, fresh)
		}
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
	free := ^(helpers | board.Bit(b.doc) | board.Bit(b.owl))
	for rest := helpers; rest != 0; rest &= rest - 1 {
		to := rest & -rest
		for from := s.geo.Step[bits.TrailingZeros32(to)] & free &^ board.Bit(board.H1); from != 0; from &= from - 1 {
			set := helpers&^to | from&-from
			if !lair(b.doc, set) {
				s.settle(i, s.index(b, s.n, set), set)
			}
		}
	}
	if b.doc == board.H1 { // where he never moves to
		return
	}
	for from := s.geo.Step[b.doc] & free; from != 0; from &= from - 1 {
		doc := uint8(bits.TrailingZeros32(from))
		if lair(doc, helpers) {
			continue
		}
		at, set := s.locate(doc, b.owl, helpers)
		s.settle(at, s.index(&s.blocks[at], s.n, set), set)
		if s.blocks[at].both {
			set = s.reflected(set)
			s.settle(at, s.index(&s.blocks[at], s.n, set), set)
		}
	}
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

// collect ends a level and returns how many White states it found.
func (s *solver) collect() uint64 {
	found := make([]chunk, len(s.blocks))
	var total atomic.Uint64
	work := make(chan int, len(s.blocks))
	for i := range s.blocks {
		work <- i
	}
	close(work)
	var wg sync.WaitGroup
	for range s.threads {
		wg.Go(func() {
			for i := range work {
				b := roaring.FromDense(s.next[i], true)
				b.RunOptimize()
				found[i].bitmap.Store(b)
				total.Add(b.GetCardinality())
				for at, w := range s.next[i] {
					if w != 0 {
						s.white[i][at] |= w
						s.next[i][at] = 0
					}
				}
			}
		})
	}
	wg.Wait()
	if total.Load() > 0 {
		s.levels = append(s.levels, found)
	}
	return total.Load()
}
