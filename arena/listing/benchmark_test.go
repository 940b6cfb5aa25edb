package listing_test

import (
	"io"
	"testing"

	"botarena/arena/listing"
)

// BenchmarkText writes a table of as many rows as a bot's history may have.
func BenchmarkText(b *testing.B) {
	t := listing.Table{Columns: []listing.Column{{Name: "Event", Left: true}, {Name: "Game"}, {Name: "Elo", As: listing.Tenths}}}
	for i := range 66_000 {
		t.Rows = append(t.Rows, []any{"league", i, float64(i) / 7})
	}
	for b.Loop() {
		if err := t.Write(io.Discard, listing.Text); err != nil {
			b.Fatal(err)
		}
	}
}
