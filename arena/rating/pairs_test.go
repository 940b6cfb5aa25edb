package rating

import (
	"testing"

	"botarena/arena/rating/sprt"
)

func TestHeadToHead(t *testing.T) {
	r := &Results{}
	for _, g := range []Game{
		{"a", "b", Win, 1},
		{"b", "a", Loss, 1}, // a wins both
		{"a", "b", Draw, 2},
		{"c", "a", Win, 2},
		{"b", "a", Draw, 2}, // two draws
		{"a", "b", Loss, 3},
		{"b", "a", Loss, 3}, // one each
		{"a", "b", Win, 0},
		{"b", "a", Win, 4},
	} {
		if err := r.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	want := HeadToHead{
		Games: sprt.Trinomial{2, 2, 4}, AsFirst: sprt.Trinomial{1, 1, 2}, AsSecond: sprt.Trinomial{1, 1, 2},
		Pairs: sprt.Pentanomial{0, 0, 2, 0, 1}, Unpaired: 2, DrawnWon: 1, DrawnDraw: 1,
	}
	if got := r.HeadToHead("a", "b"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := r.HeadToHead("b", "a"); got.Games != (sprt.Trinomial{4, 2, 2}) || got.Pairs != (sprt.Pentanomial{1, 0, 2, 0, 0}) {
		t.Errorf("from the other side: %+v", got)
	}
}

// Pairs that were all won by one side of the pairing are alike in what they say of
// the first move, but a few of them do not prove that it is worth nothing.
func TestAdvantageOfSweptPairs(t *testing.T) {
	var r Results
	for _, g := range []Group{{A: "a", B: "b"}, {A: "a", B: "c"}, {A: "b", B: "c"}} {
		g.AsFirst, g.AsSecond, g.Times = sprt.Trinomial{0, 0, 1}, sprt.Trinomial{0, 0, 1}, 3
		if err := r.AddGroup(g); err != nil {
			t.Fatal(err)
		}
	}
	table, err := Rate(&r, Options{Pairs: true, Prior: 400})
	if err != nil {
		t.Fatal(err)
	}
	if !table.Pairs || table.AdvantageError == nil || *table.AdvantageError < 50 {
		t.Errorf("advantage %v ± %v, from pairs: %v", *table.Advantage, *table.AdvantageError, table.Pairs)
	}
}
