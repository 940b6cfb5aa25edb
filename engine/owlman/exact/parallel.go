package exact

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/sync/errgroup"
)

// inParallel does n pieces of work on so many threads, until one fails or ctx ends, whose
// error it returns.
func inParallel(ctx context.Context, threads, n int, work func(int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(threads, 1))
	for i := range n {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return work(i)
		})
	}
	return group.Wait()
}

// A piece is some of the states of a block.
type piece struct {
	block    int
	from, to uint32
}

// pieceSize is the maximum number of states of a piece: few enough that an interrupted
// sweep ends at once, and that no thread waits long for the last.
const pieceSize = 1 << 17

// pieces returns the states with n helpers of the blocks with one square of Doc.
func (s *space) pieces(group, n int) (all []piece) {
	for i := range s.blocks {
		if s.blocks[i].group != group {
			continue
		}
		size := s.size(&s.blocks[i], n)
		for from := uint32(0); from < size; from += pieceSize {
			all = append(all, piece{i, from, min(from+pieceSize, size)})
		}
	}
	return all
}

// words has a bit for each state with n helpers, by block.
func (s *space) words(n int) [][]uint64 {
	all := make([][]uint64, len(s.blocks))
	for i := range s.blocks {
		all[i] = make([]uint64, (s.size(&s.blocks[i], n)+63)/64)
	}
	return all
}

// each calls f with the number of each set bit from one on, a multiple of 64, up to
// another.
func each(words []uint64, from, to uint32, f func(uint32)) {
	for at := from / 64; at < (to+63)/64; at++ {
		for w := words[at]; w != 0; w &= w - 1 {
			f(at*64 + uint32(bits.TrailingZeros64(w)))
		}
	}
}

// within calls f with the numbers from one on up to another that a bitmap has.
func within(b *roaring.Bitmap, from, to uint32, f func(uint32)) {
	it := b.Iterator()
	it.AdvanceIfNeeded(from)
	for it.HasNext() && it.PeekNext() < to {
		f(it.Next())
	}
}

func has(words []uint64, index uint32) bool {
	return atomic.LoadUint64(&words[index/64])>>(index%64)&1 != 0
}

// set sets a bit and reports whether it was not set before.
func set(words []uint64, index uint32) bool {
	bit := uint64(1) << (index % 64)
	word := &words[index/64]
	return atomic.LoadUint64(word)&bit == 0 && atomic.OrUint64(word, bit)&bit == 0
}

// count returns how many bits are set.
func count(all [][]uint64) (n uint64) {
	for _, words := range all {
		for _, w := range words {
			n += uint64(bits.OnesCount64(w))
		}
	}
	return n
}

// dense keeps the states that words has as bitmaps, and counts them.
func dense(ctx context.Context, all [][]uint64, threads int) ([]chunk, uint64, error) {
	found := make([]chunk, len(all))
	var total atomic.Uint64
	err := inParallel(ctx, threads, len(all), func(i int) error {
		b := roaring.FromDense(all[i], true)
		b.RunOptimize()
		found[i].bitmap.Store(b)
		total.Add(b.GetCardinality())
		return nil
	})
	return found, total.Load(), err
}

// collect ends a level: it keeps the states that words has, calls f for each, clears
// the words and returns how many there were.
func collect(ctx context.Context, all [][]uint64, threads int, f func(block int, index uint32)) ([]chunk, uint64, error) {
	found, total, err := dense(ctx, all, threads)
	if err != nil {
		return nil, 0, err
	}
	return found, total, inParallel(ctx, threads, len(all), func(i int) error {
		each(all[i], 0, uint32(len(all[i])*64), func(index uint32) { f(i, index) })
		for at, w := range all[i] {
			if w != 0 { // memory that nothing was written to takes no room
				all[i][at] = 0
			}
		}
		return nil
	})
}
