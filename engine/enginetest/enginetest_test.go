package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
)

// record keeps what a check reports instead of failing.
type record struct{ reports []string }

func (r *record) Helper() {}

func (r *record) Errorf(format string, args ...any) {
	r.reports = append(r.reports, fmt.Sprintf(format, args...))
}

func (r *record) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

func start(t *testing.T) engine.Position {
	t.Helper()
	game, err := breakthrough.New(4, 5)
	if err != nil {
		t.Fatal(err)
	}
	return game.Start()
}

// Positions with one fault each.
type (
	twice     struct{ engine.Position } // lists a move twice
	endless   struct{ engine.Position } // is over, and goes on
	nameless  struct{ engine.Position } // writes all moves alike
	far       struct{ engine.Position } // counts reversible plies that were not played
	lenient   struct{ engine.Position } // reads any text as a move
	forgetful struct{ engine.Position } // prints what it does not read again
)

func (p twice) Legal(dst []engine.Move) []engine.Move {
	dst = p.Position.Legal(dst)
	return append(dst, dst[len(dst)-1])
}

func (p endless) Outcome() engine.Outcome                      { return engine.Outcome{Over: true, Reason: "so it is"} }
func (p nameless) AppendMove(dst []byte, _ engine.Move) []byte { return append(dst, "a1"...) }
func (p far) Reversible() int                                  { return 5 }
func (p lenient) ParseMove(string) (engine.Move, error)        { return 12345, nil }
func (p forgetful) String() string                             { return "nothing" }
func (p forgetful) AppendText(dst []byte) []byte               { return append(dst, "nothing"...) }

// The suite finds no fault with a sound position, and finds each fault.
func TestFindsFaults(t *testing.T) {
	pos := start(t)
	for _, c := range []struct {
		name, want string
		check      func(r reporter)
	}{
		{"sound", "", func(r reporter) { checkPosition(r, pos.Game(), pos) }},
		{"sound, a move", "", func(r reporter) { checkMove(r, pos, "a1a1") }},
		{"twice", "is twice in Legal", func(r reporter) { checkLegal(r, twice{pos}) }},
		{"endless", "Over is true with", func(r reporter) { checkOutcome(r, endless{pos}) }},
		{"nameless", "two legal moves are written", func(r reporter) { checkLegal(r, nameless{pos}) }},
		{"far", "Reversible = 5", func(r reporter) { checkPosition(r, pos.Game(), far{pos}) }},
		{"lenient", "which is not legal", func(r reporter) { checkMove(r, lenient{pos}, "b2b3") }},
		{"forgetful", "Parse refuses String", func(r reporter) { checkPosition(r, pos.Game(), forgetful{pos}) }},
	} {
		r := &record{}
		c.check(r)
		all := strings.Join(r.reports, "\n")
		if c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%s: reports %q, want %q", c.name, all, c.want)
		}
	}
}

// Two snapshots differ where the positions do.
func TestSnapshotsDiffer(t *testing.T) {
	pos := start(t)
	before := snap(pos)
	pos.Play(pos.Legal(nil)[0])
	r := &record{}
	before.same(r, snap(pos), "after a move")
	if len(r.reports) < 3 {
		t.Errorf("a position and the next: %q", r.reports)
	}
	pos.Undo()
	r = &record{}
	before.same(r, snap(pos), "after Undo")
	if len(r.reports) > 0 {
		t.Errorf("a position and itself: %q", r.reports)
	}
}
