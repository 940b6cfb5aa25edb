package exact

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
)

// inParallel does n pieces of work on so many threads; done is called after each,
// by one goroutine at a time, until ctx ends, whose error it returns.
func inParallel(ctx context.Context, threads, n int, work func(int), done func()) error {
	pieces := make(chan int, n)
	for i := range n {
		pieces <- i
	}
	close(pieces)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range max(threads, 1) {
		wg.Go(func() {
			for i := range pieces {
				work(i)
				mu.Lock()
				if ctx.Err() == nil {
					done()
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// words has a bit for each state with n helpers, by block.
func (s *space) words(n int) [][]uint64 {
	all := make([][]uint64, len(s.blocks))
	for i := range s.blocks {
		all[i] = make([]uint64, (s.size(&s.blocks[i], n)+63)/64)
	}
	return all
}

// each calls f with the number of each set bit.
func each(words []uint64, f func(uint32)) {
	for at, w := range words {
		for ; w != 0; w &= w - 1 {
			f(uint32(at*64 + bits.TrailingZeros64(w)))
		}
	}
}

// count is how many bits are set.
func count(all [][]uint64) (n uint64) {
	for _, words := range all {
		for _, w := range words {
			n += uint64(bits.OnesCount64(w))
		}
	}
	return n
}

// collect ends a level: it keeps the states that words has, calls f for each, clears
// the words and returns how many there were.
func collect(all [][]uint64, threads int, f func(block int, index uint32)) ([]chunk, uint64) {
	found := make([]chunk, len(all))
	var total atomic.Uint64
	_ = inParallel(context.Background(), threads, len(all), func(i int) {
		b := roaring.FromDense(all[i], true)
		b.RunOptimize()
		found[i].bitmap.Store(b)
		total.Add(b.GetCardinality())
		each(all[i], func(index uint32) { f(i, index) })
		for at, w := range all[i] {
			if w != 0 { // memory that nothing was written to takes no room
				all[i][at] = 0
			}
		}
	}, func() {})
	return found, total.Load()
}
