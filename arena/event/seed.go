package event

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"strings"

	"botarena/arena"
	"botarena/engine"
	"botarena/protocol"
)

// seedFor returns the seed of a bot in a game, within the bounds of the option
// that it declares for it. It depends on the event's seed, the game's number, the
// side and the Seed of the bot's entry, and so neither on the worker nor on what
// was played before.
func seedFor(o protocol.Option, entry []arena.Option, event uint64, number int, side engine.Side) int64 {
	h := fnv.New64a()
	var b [8]byte
	for _, v := range []uint64{event, uint64(number), uint64(side)} { //nolint:gosec // neither is negative
		binary.LittleEndian.PutUint64(b[:], v)
		_, _ = h.Write(b[:])
	}
	for _, e := range entry {
		if strings.EqualFold(e.Name, o.Name) {
			_, _ = h.Write([]byte(e.Value))
		}
	}
	x := h.Sum64()
	// FNV leaves the high bits of near inputs alike (finalizer of SplitMix64).
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	// 0 and below often mean "from the clock".
	low, high := max(o.Min, min(1, o.Max)), o.Max
	if high == math.MaxInt64 {
		high = max(low, math.MaxInt32) // no bound was declared, and many bots read 32 bits
	}
	value := low
	if span := uint64(high) - uint64(low); span > 0 { //nolint:gosec // the difference of two int64 fits
		value = low + int64(x%span) + int64(x>>63&1) //nolint:gosec // within the span
	}
	return value
}
