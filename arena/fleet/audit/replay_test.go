package audit_test

import (
	"testing"

	"botarena/arena"
	"botarena/arena/fleet/audit"
)

// The choice is the share that was asked for, depends on the seed alone, and a larger
// share has what a smaller one has.
func TestChosen(t *testing.T) {
	const pairs = 100_000
	for _, share := range []float64{0, 0.02, 0.5, 1} {
		n, other := 0, 0
		for pair := 1; pair <= pairs; pair++ {
			chosen := audit.Chosen(7, pair, share)
			if chosen {
				n++
			}
			if chosen && audit.Chosen(8, pair, share) {
				other++
			}
			if chosen != audit.Chosen(7, pair, share) || chosen && !audit.Chosen(7, pair, share+0.1) {
				t.Fatalf("pair %d at %v", pair, share)
			}
		}
		if d := float64(n) - share*pairs; d < -500 || d > 500 {
			t.Errorf("%d of %d pairs at %v", n, pairs, share)
		}
		if d := float64(other) - share*share*pairs; d < -500 || d > 500 {
			t.Errorf("%d pairs at %v with both of two seeds", other, share)
		}
	}
}

func TestCompare(t *testing.T) {
	record := arena.Game{Result: "1-0", Reason: arena.WinByRule, Moves: []arena.MoveRecord{{Move: "a2a3"}, {Move: "b5b4"}}}
	for _, test := range []struct {
		change func(*arena.Game)
		ply    int
		detail string
	}{
		{func(*arena.Game) {}, 0, ""},
		{func(g *arena.Game) { g.Moves[1].Move = "b5a4" }, 2, "b5a4 instead of b5b4"},
		{func(g *arena.Game) { g.Moves = append(g.Moves, arena.MoveRecord{Move: "c2c3"}) }, 3, "goes on with c2c3 after the end"},
		{func(g *arena.Game) { g.Moves, g.Reason = g.Moves[:1], arena.Crash }, 2, "ends before b5b4: crash"},
		{func(g *arena.Game) { g.Result = "0-1" }, 0, "0-1 (win by rule) instead of 1-0 (win by rule)"},
		{func(g *arena.Game) { g.Moves[0].Nodes, g.Wall = 5, 7 }, 0, ""},
	} {
		again := record
		again.Moves = append([]arena.MoveRecord{}, record.Moves...)
		test.change(&again)
		ply, detail := audit.Compare(&record, &again)
		if ply != test.ply || detail != test.detail {
			t.Errorf("ply %d %q; want ply %d %q", ply, detail, test.ply, test.detail)
		}
		if same := audit.AllSame([]arena.Game{record}, []arena.Game{again}); same != (test.detail == "") {
			t.Errorf("same is %v for %q", same, detail)
		}
	}
}

func TestUnrepeatable(t *testing.T) {
	nodes := arena.TimeControl{Nodes: 5}
	for _, test := range []struct {
		event arena.Event
		bot   arena.Bot
		want  string
	}{
		{arena.Event{Clock: nodes}, arena.Bot{}, ""},
		{arena.Event{Clock: arena.TimeControl{Move: 1}}, arena.Bot{Clock: &arena.TimeControl{Depth: 3}}, ""},
		{arena.Event{Clock: arena.TimeControl{Move: 1}}, arena.Bot{}, "plays by time"},
		{arena.Event{Clock: arena.TimeControl{Move: 1, Nodes: 5}}, arena.Bot{}, "plays by time"},
		{arena.Event{Clock: nodes}, arena.Bot{Threads: 2}, "has 2 threads"},
		{arena.Event{Clock: nodes, Ponder: true}, arena.Bot{}, "ponders"},
	} {
		if got := audit.Unrepeatable(&test.event, &test.bot); got != test.want {
			t.Errorf("%q; want %q", got, test.want)
		}
	}
}
