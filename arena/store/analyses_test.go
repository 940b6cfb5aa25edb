package store

import (
	"reflect"
	"testing"

	"botarena/arena/analysis"
)

// Of a game there is the last analysis, which goes with the result that it is of.
func TestAnalysis(t *testing.T) {
	ctx, s := t.Context(), openTest(t)
	h := recorded(t, s, "e")
	games, err := s.Games(ctx, Filter{Event: "e"})
	must(t, err)
	want := &Analysis{Judge: "second", Plies: []analysis.Ply{{Ply: 1, Score: "+0.10"}, {Ply: 2, Mark: "??", Loss: 0.5, Best: "a1a2", Exact: true}}}
	for _, a := range []*Analysis{{Judge: "first"}, want} {
		for i := range games {
			must(t, s.SaveAnalysis(ctx, games[i].ID, a))
		}
	}
	must(t, s.SaveAnalysis(ctx, 99, want))
	read := func(game int64) *Analysis {
		t.Helper()
		a, err := s.Analysis(ctx, game)
		must(t, err)
		return a
	}
	got := read(games[0].ID)
	if got == nil || got.At.IsZero() {
		t.Fatalf("read %+v", got)
	}
	if got.At = want.At; !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v", got)
	}
	if got := read(99); got != nil {
		t.Errorf("a game that is not there has %+v", got)
	}
	must(t, h.VoidResults(ctx, []int{1}, func(string) bool { return false }, "a mistake"))
	if got := read(games[0].ID); got != nil {
		t.Errorf("a result that was taken back keeps %+v", got)
	}
	if got := read(games[1].ID); got == nil {
		t.Error("the other game lost its analysis")
	}
	must(t, h.Remove(ctx))
	if got := read(games[1].ID); got != nil {
		t.Errorf("a removed event keeps %+v", got)
	}
}
