package minimax

import (
	"sync/atomic"

	"botarena/engine"
)

// A table is the transposition table that all threads share. An entry is two
// words; the first is the key combined with the second, so that one torn by two
// writers at once matches no key (Hyatt and Mann 2002) and no lock is needed.
type table struct {
	buckets []bucket
	mask    uint64
	age     uint64        // of the search under way, modulo ages
	written []atomic.Bool // whether a chunk of buckets may hold entries
}

// chunk is how many buckets fill a page of memory. A game of short searches writes to few
// of them, and to clear all would take longer than such a game.
const chunk = 64

// A bucket fills a cache line of the processor.
type bucket [4]slot

type slot struct{ check, data atomic.Uint64 }

type bound uint8

const (
	none bound = iota
	upper
	lower
	exact
)

// An entry is the second word, from the lowest bit: 32 bits of the move, 16 of the
// score, 8 of the depth, 2 of the bound, 6 of the age.
type entry struct {
	move  engine.Move
	score int
	depth int
	bound bound
}

const ages = 64

func newTable(megabytes int) *table {
	size := uint64(1)
	for size*2*64 <= uint64(max(megabytes, 1))<<20 {
		size *= 2
	}
	return &table{buckets: make([]bucket, size), mask: size - 1, written: make([]atomic.Bool, size/chunk)}
}

func (t *table) clear() {
	for i := range t.written {
		if t.written[i].Load() {
			t.written[i].Store(false)
			clear(t.buckets[i*chunk : (i+1)*chunk])
		}
	}
	t.age = 0
}

// begin makes the entries of earlier searches older.
func (t *table) begin() { t.age = (t.age + 1) % ages }

func (t *table) find(key uint64) (entry, bool) {
	b := &t.buckets[key&t.mask]
	for i := range b {
		data := b[i].data.Load()
		if data != 0 && b[i].check.Load()^data == key {
			return entry{
				move:  engine.Move(data),
				score: int(int16(data >> 32)),
				depth: int(data >> 48 & 255),
				bound: bound(data >> 56 & 3),
			}, true
		}
	}
	return entry{}, false
}

// store replaces the entry of the same position, or else the least valuable one:
// shallow and old.
func (t *table) store(key uint64, e entry) {
	b := &t.buckets[key&t.mask]
	worst, least := 0, 1<<30
	for i := range b {
		data := b[i].data.Load()
		if data == 0 {
			worst = i
			break
		}
		if b[i].check.Load()^data == key {
			if e.move == 0 {
				e.move = engine.Move(data)
			}
			if old := int(data >> 48 & 255); e.bound != exact && data>>58 == t.age && e.depth+3 < old {
				return
			}
			worst = i
			break
		}
		age := (t.age + ages - data>>58) % ages
		if worth := int(data>>48&255) - 8*int(age); worth < least {
			worst, least = i, worth
		}
	}
	data := uint64(e.move) | uint64(uint16(e.score))<<32 | uint64(e.depth)<<48 | uint64(e.bound)<<56 | t.age<<58
	if written := &t.written[key&t.mask/chunk]; !written.Load() {
		written.Store(true)
	}
	b[worst].check.Store(key ^ data)
	b[worst].data.Store(data)
}

// full returns the share of the table, in thousandths, that this search has filled.
func (t *table) full() int {
	n := 0
	sample := min(250, len(t.buckets))
	for i := range sample {
		for j := range t.buckets[i] {
			if data := t.buckets[i][j].data.Load(); data != 0 && data>>58 == t.age {
				n++
			}
		}
	}
	return n * 1000 / (4 * sample)
}

// Scores of won games count plies from the root, but a table entry is reached at
// several plies: in the table they count from the entry's own position.
func toTable(score, ply int) int {
	switch {
	case score > winning:
		return score + ply
	case score < -winning:
		return score - ply
	}
	return score
}

func fromTable(score, ply int) int {
	switch {
	case score > winning:
		return score - ply
	case score < -winning:
		return score + ply
	}
	return score
}
