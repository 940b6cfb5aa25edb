package exact

import (
	"context"
	"fmt"
	"sync"

	"github.com/dustin/go-humanize"

	"botarena/engine/solve/file"
)

// Progress says how far the solving of a layer is.
type Progress struct {
	Kind    Kind
	Helpers int    // of the layer
	Level   int    // the level that is being worked out, from 1 on
	Done    int    // of Of pieces of the level
	Of      int    // pieces of a level
	Won     uint64 // states with White to move known to be won
}

// String returns the progress in words.
func (p Progress) String() string {
	return fmt.Sprintf("level %d, %d %%; %s states found before it", p.Level, 100*p.Done/p.Of, humanize.Comma(int64(p.Won)))
}

// A sweep works out a layer level by level, and each level for one of Doc's squares
// after another: what leads to the White states of the level before, with Owlman to
// move, and then which White states that settles. All threads share each of the two
// halves of a square's work.
type sweep struct {
	*space
	kind   Kind
	n      int
	levels [][]chunk  // the White states of the levels that are done, by block
	next   [][]uint64 // those of the level at hand
	owl    [][]uint64 // states with Owlman to move that are found
	fresh  [][]uint64 // of those, the ones that were found for the square at hand
	buffer []uint64   // fresh is in
	won    uint64
	file.Options
}

// rules holds the functions that compute a kind of layer. All are called by several
// goroutines at once.
type rules interface {
	// back finds the states with Owlman to move from which he gets to White states of
	// the level before, which are those in a piece.
	back(level int, p piece) error
	// settle finds the White states that the fresh states in a piece settle.
	settle(level int, p piece)
	// found is called with each White state found on a level, when the level is done.
	found(level, block int, index uint32)
}

func newSweep(below *Layer, o file.Options) *sweep {
	s := &sweep{space: below.space, kind: below.Kind, n: below.Helpers + 1, Options: o}
	s.next, s.owl = s.words(s.n), s.words(s.n)
	s.fresh = make([][]uint64, len(s.blocks))
	return s
}

// run works out the levels until one has no states and is behind the last that
// something below leads to.
func (s *sweep) run(ctx context.Context, r rules, last int) (*Layer, error) {
	group := 0
	err := s.Resume(func(data []byte) (err error) {
		group, err = s.resume(ctx, data, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	for {
		level := len(s.levels) + 1
		for ; group < groups; group++ {
			if s.IsDue() {
				if err := s.keep(ctx, group); err != nil {
					return nil, err
				}
			}
			if err := s.group(ctx, r, group, level); err != nil {
				return nil, err
			}
		}
		group = 0
		found, won, err := collect(ctx, s.next, s.Threads, func(i int, index uint32) { r.found(level, i, index) })
		if err != nil {
			return nil, err
		}
		if won == 0 && level > last {
			break
		}
		s.levels = append(s.levels, found)
		s.won += won
	}
	return &Layer{space: s.space, Kind: s.kind, Helpers: s.n, White: s.won, Owl: count(s.owl), levels: s.levels}, nil
}

// group does a level's work for one of Doc's squares.
func (s *sweep) group(ctx context.Context, r rules, group, level int) error {
	pieces := s.pieces(group, s.n)
	s.freshen(group)
	done := 0
	var mu sync.Mutex
	tell := func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		if s.Tell != nil {
			// Of each square's work the same part is taken to be done by each piece.
			s.Tell(Progress{s.kind, s.n, level, 2*len(pieces)*group + done, 2 * len(pieces) * groups, s.won})
		}
	}
	err := inParallel(ctx, s.Threads, len(pieces), func(i int) error {
		defer tell()
		return r.back(level, pieces[i])
	})
	if err != nil {
		return err
	}
	return inParallel(ctx, s.Threads, len(pieces), func(i int) error {
		defer tell()
		r.settle(level, pieces[i])
		return nil
	})
}

// freshen makes fresh empty, with room for the blocks with one square of Doc.
func (s *sweep) freshen(group int) {
	need := 0
	for i := range s.blocks {
		if s.blocks[i].group == group {
			need += len(s.owl[i])
		}
	}
	if len(s.buffer) < need {
		s.buffer = make([]uint64, need)
	}
	clear(s.buffer)
	rest := s.buffer
	for i := range s.blocks {
		s.fresh[i] = nil
		if s.blocks[i].group == group {
			s.fresh[i], rest = rest[:len(s.owl[i])], rest[len(s.owl[i]):]
		}
	}
}

// mark notes a state with Owlman to move.
func (s *sweep) mark(at int, index uint32) {
	if set(s.owl[at], index) {
		set(s.fresh[at], index)
	}
}

// keep hands on what is known before a square of Doc's of the level at hand.
func (s *sweep) keep(ctx context.Context, group int) error {
	next, won, err := dense(ctx, s.next, s.Threads)
	if err != nil {
		return err
	}
	owl, _, err := dense(ctx, s.owl, s.Threads)
	if err != nil {
		return err
	}
	levels := append(append([][]chunk(nil), s.levels...), next, owl)
	return s.Keep(&Layer{space: s.space, Kind: s.kind, Helpers: s.n, White: s.won + won, levels: levels, next: group + 1})
}

// resume takes up what was kept, and returns the square of Doc's that comes next.
func (s *sweep) resume(ctx context.Context, data []byte, r rules) (group int, err error) {
	p, group, err := read(data, partMagic)
	switch {
	case err != nil:
		return 0, err
	case len(p.levels) < 2 || group < 0 || group >= groups:
		return 0, file.Damaged("its header does not fit together")
	case p.Kind != s.kind || p.Helpers != s.n:
		return 0, file.Damaged("it is part of another table")
	}
	known := len(p.levels) - 2
	err = inParallel(ctx, s.Threads, len(s.blocks), func(i int) error {
		for k := range p.levels {
			b, err := p.levels[k][i].get()
			if err != nil {
				return err
			}
			for it := b.Iterator(); it.HasNext(); {
				switch index := it.Next(); k {
				case known:
					set(s.next[i], index)
				case known + 1:
					set(s.owl[i], index)
				default:
					r.found(k+1, i, index)
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	s.levels = p.levels[:known:known]
	for _, level := range s.levels {
		for i := range level {
			s.won += level[i].bitmap.Load().GetCardinality()
		}
	}
	return group, nil
}
