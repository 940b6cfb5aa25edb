package audit

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"botarena/arena"
)

// Chosen reports whether a pair of an event is among the share (0 to 1) of those that
// are played again. It depends on nothing but the event's seed and the pair's number,
// so that a larger share has all pairs of a smaller one.
func Chosen(seed uint64, pair int, share float64) bool {
	h := fnv.New64a()
	var b [8]byte
	for _, v := range []uint64{seed, uint64(pair)} { //nolint:gosec // not negative
		binary.LittleEndian.PutUint64(b[:], v)
		_, _ = h.Write(b[:])
	}
	x := h.Sum64()
	// FNV leaves the high bits of near inputs alike (finalizer of SplitMix64).
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x) < share*math.MaxUint64
}

// Unrepeatable says why a bot of an event may play other moves when a game is played
// again, "" where nothing is known that speaks against it: it has nodes or a depth
// and no time, one thread, and does not ponder.
func Unrepeatable(e *arena.Event, b *arena.Bot) string {
	clock := e.Clock
	if b.Clock != nil {
		clock = *b.Clock
	}
	switch {
	case clock.Timed():
		return "plays by time"
	case clock.Nodes == 0 && clock.Depth == 0:
		return "has no limit of nodes or depth"
	case b.Threads > 1:
		return fmt.Sprintf("has %d threads", b.Threads)
	case e.Ponder:
		return "ponders"
	}
	return ""
}

// Compare looks for the first move in which a game that was played again differs from
// that on record. ply is 1-based, 0 where only the ending differs; detail is "" where
// nothing does.
func Compare(record, again *arena.Game) (ply int, detail string) {
	for i := range max(len(record.Moves), len(again.Moves)) {
		switch {
		case i >= len(record.Moves):
			return i + 1, fmt.Sprintf("goes on with %s after the end", again.Moves[i].Move)
		case i >= len(again.Moves):
			return i + 1, fmt.Sprintf("ends before %s: %s", record.Moves[i].Move, again.Reason)
		case record.Moves[i].Move != again.Moves[i].Move:
			return i + 1, fmt.Sprintf("%s instead of %s", again.Moves[i].Move, record.Moves[i].Move)
		}
	}
	if record.Result != again.Result || record.Reason != again.Reason {
		return 0, fmt.Sprintf("%s (%s) instead of %s (%s)", again.Result, again.Reason, record.Result, record.Reason)
	}
	return 0, ""
}

// Same reports whether two plays of a game are alike.
func Same(a, b *arena.Game) bool {
	_, detail := Compare(a, b)
	return detail == ""
}

// AllSame reports whether two plays of several games, in one order, are alike.
func AllSame(a, b []arena.Game) bool {
	return slices.EqualFunc(a, b, func(x, y arena.Game) bool { return Same(&x, &y) })
}
