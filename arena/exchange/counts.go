package exchange

import (
	"slices"

	"botarena/arena/rating"
)

// counts counts games that are alike: of the same players with the same result. It sorts
// games as they come instead of looking each up, since a million of them may be of as many
// pairings.
type counts struct {
	list  []counted // sorted, each key once
	fresh []uint64  // keys to be counted
}

// counted says how often a game came.
type counted struct {
	key   uint64 // the players and the score: see add
	times int
}

const (
	playerBits = 31
	scoreBits  = 2
	leastFresh = 1 << 20
)

// add counts a game.
func (c *counts) add(first, second int32, score rating.Score) {
	key := uint64(first)<<(playerBits+scoreBits) | uint64(second)<<scoreBits | uint64(score) //nolint:gosec // none is negative
	if c.fresh = append(c.fresh, key); len(c.fresh) >= max(leastFresh, len(c.list)) {
		c.sorted()
	}
}

// game returns the players and the score.
func (c *counted) game() (first, second int32, score rating.Score) {
	return int32(c.key >> (playerBits + scoreBits)), int32(c.key >> scoreBits & (1<<playerBits - 1)), rating.Score(c.key & (1<<scoreBits - 1)) //nolint:gosec // as they were put there
}

// sorted returns how often each game came.
func (c *counts) sorted() []counted {
	slices.Sort(c.fresh)
	merged := make([]counted, 0, len(c.list)+len(c.fresh))
	old := c.list
	for _, key := range c.fresh {
		for len(old) > 0 && old[0].key <= key {
			merged, old = append(merged, old[0]), old[1:]
		}
		if last := len(merged) - 1; last >= 0 && merged[last].key == key {
			merged[last].times++
			continue
		}
		merged = append(merged, counted{key, 1})
	}
	merged = append(merged, old...)
	c.list, c.fresh = merged, c.fresh[:0]
	return c.list
}
