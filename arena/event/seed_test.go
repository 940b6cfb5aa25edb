package event

import (
	"fmt"
	"testing"

	"botarena/arena"
	"botarena/engine"
	"botarena/protocol"
)

func TestSeeds(t *testing.T) {
	spin := protocol.Option{Name: "seed", Type: protocol.Spin, Min: 0, Max: 1000}
	at := func(event uint64, number int, side engine.Side, own string) int64 {
		var entry []arena.Option
		if own != "" {
			entry = []arena.Option{{Name: "SEED", Value: own}}
		}
		return seedFor(spin, entry, event, number, side)
	}
	seen := map[int64]bool{}
	for _, s := range []int64{at(1, 1, 0, ""), at(2, 1, 0, ""), at(1, 2, 0, ""), at(1, 1, 1, ""), at(1, 1, 0, "5"), at(1, 1, 0, "6")} {
		if seen[s] || spin.Check(fmt.Sprint(s)) != nil {
			t.Errorf("%d", s)
		}
		seen[s] = true
	}
	if again := at(1, 1, 0, ""); !seen[again] {
		t.Errorf("the same game has another seed: %d", again)
	}
	for _, o := range []protocol.Option{
		{Name: "Seed", Type: protocol.Spin, Min: 0, Max: 1},
		{Name: "Seed", Type: protocol.Spin, Min: -5, Max: -3},
		{Name: "Seed", Type: protocol.Spin, Min: -1 << 63, Max: 1<<63 - 1},
		{Name: "Seed", Type: protocol.Spin, Min: 7, Max: 7},
	} {
		for n := range 50 {
			v := seedFor(o, nil, 1, n, 0)
			if o.Check(fmt.Sprint(v)) != nil || o.Max == 1<<63-1 && (v < 1 || v >= 1<<31) {
				t.Errorf("%+v: %d", o, v)
			}
		}
	}
}
