package rules_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena/rules"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
	"botarena/engine/games"
)

// aGame is a random one of some length, with its end.
func aGame(t *testing.T, game engine.Game) (moves []string) {
	t.Helper()
	for seed := uint64(1); ; seed++ {
		rng, pos := rand.New(rand.NewPCG(seed, 0)), game.Start()
		moves = nil
		for legal := pos.Legal(nil); len(legal) > 0; legal = pos.Legal(nil) {
			m := legal[rng.IntN(len(legal))]
			moves = append(moves, string(pos.AppendMove(nil, m)))
			pos.Play(m)
		}
		if len(moves) >= 15 {
			return moves
		}
	}
}

// shown plays moves, and says how everything looks.
func shown(t *testing.T, pos engine.Position, moves []string) string {
	t.Helper()
	var all strings.Builder
	for i := 0; ; i++ {
		fmt.Fprintln(&all, pos, pos.Turn(), pos.Legal(nil), pos.Board(), pos.Outcome(), pos.Hash())
		if i == len(moves) {
			return all.String()
		}
		m, err := pos.ParseMove(moves[i])
		if err != nil {
			t.Fatal(err)
		}
		pos.Play(m)
	}
}

// TestExpect asks for a whole game in a few round trips, and hears what it would have
// heard ply by ply.
func TestExpect(t *testing.T) {
	game, b, err := (&fake{}).open(t)
	if err != nil {
		t.Fatal(err)
	}
	moves := aGame(t, game)
	want := shown(t, game.Start(), moves)
	for _, pictures := range []bool{true, false} {
		pos := game.Start()
		before := len(b.Writes)
		engine.Expect(pos, moves, pictures)
		if got := len(b.Writes) - before; got > 6 {
			t.Errorf("%d writes for %d plies", got, len(moves))
		}
		if got := shown(t, pos, moves); got != want {
			t.Errorf("pictures %v: it looks like\n%s\nand not like\n%s", pictures, got, want)
		}
		// The start's text and board, and the end, which is asked for twice.
		if got := len(b.Writes) - before; pictures && got > 10 {
			t.Errorf("%d writes with the end", got)
		}
	}
}

// What was expected and does not come costs nothing but the asking: another move, one
// taken back, or one that is not legal, after which no answer counts.
func TestExpectOtherwise(t *testing.T) {
	f := &fake{}
	game, _, err := f.open(t)
	if err != nil {
		t.Fatal(err)
	}
	moves := aGame(t, game)
	for _, expected := range [][]string{
		moves[2:],
		{"a2a3", "z9z9", "a3a4"},
		{"a2a3", "two words"},
		{"a2a3", "a\nquit"},
		{""},
		{strings.Repeat("x", 1<<20)},
		nil,
		append(slices.Clone(moves), "a2a3"),
	} {
		pos := game.Start()
		engine.Expect(pos, expected, true)
		if got := shown(t, pos, moves); got != shown(t, game.Start(), moves) {
			t.Errorf("after expecting %.80q: %s", expected, got)
		}
	}
	pos := game.Start()
	engine.Expect(pos, moves, false)
	for range 3 {
		for _, m := range moves[:4] {
			n, err := pos.ParseMove(m)
			if err != nil {
				t.Fatal(err)
			}
			pos.Play(n)
		}
		copied := pos.Clone()
		for range 4 {
			pos.Undo()
		}
		if got, want := shown(t, copied, moves[4:]), shown(t, game.Start(), moves); !strings.HasSuffix(want, got) {
			t.Errorf("a copy looks like %s", got)
		}
	}
}

// TestSpread asks about all that follows on a position at once.
func TestSpread(t *testing.T) {
	game, b, err := (&fake{}).open(t)
	if err != nil {
		t.Fatal(err)
	}
	pos, other := game.Start(), game.Start()
	legal := pos.Legal(nil)
	before := len(b.Writes)
	engine.Spread(pos)
	var turns, wants []string
	for _, m := range legal {
		pos.Play(m)
		turns = append(turns, fmt.Sprint(pos.Turn(), pos.Legal(nil), pos.Outcome()))
		pos.Undo()
	}
	engine.Spread(pos) // known
	if got := len(b.Writes) - before; got > 2 {
		t.Errorf("%d writes for %d moves", got, len(legal))
	}
	for _, m := range legal {
		other.Play(m)
		wants = append(wants, fmt.Sprint(other.Turn(), other.Legal(nil), other.Outcome()))
		other.Undo()
	}
	if !slices.Equal(turns, wants) {
		t.Errorf("%q, want %q", turns, wants)
	}
}

// A fault among many questions is shown with the position that it is about alone.
func TestFaultAhead(t *testing.T) {
	var third string
	f := &fake{spoil: func(f *fake, b *sessiontest.Bot, line string) bool {
		if third != "" && line == "query p1turn" && f.pos.Ply() == 3 {
			b.Say(0, "response perhaps")
			return true
		}
		return false
	}}
	game, _, err := f.open(t)
	if err != nil {
		t.Fatal(err)
	}
	moves := aGame(t, game)
	third = strings.Join(moves[:3], " ")
	err = func() (err error) {
		defer engine.Catch(&err)
		engine.Expect(game.Start(), moves, false)
		return nil
	}()
	var fault *rules.Fault
	if !errors.As(err, &fault) || fault.What != `"query p1turn" must be answered with true or false, not "perhaps"` {
		t.Fatalf("%v", err)
	}
	if len(fault.Dialogue) != 9 || fault.Dialogue[0] != "> position startpos moves "+third || fault.Dialogue[6] != "< response perhaps" {
		t.Errorf("%q", fault.Dialogue)
	}
}

// So is a wrong number of answers.
func TestCountAhead(t *testing.T) {
	for _, c := range []struct {
		name  string
		extra int // answers to "query result" after three moves
		what  string
	}{
		{"one too many", 2, "it was asked 4 queries and gave 5 answers"},
		{"one too few", 0, "it was asked 4 queries and gave 3 answers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			on := false
			large, err := games.All().Lookup("breakthrough")
			if err != nil {
				t.Fatal(err)
			}
			f := &fake{game: large, spoil: func(f *fake, b *sessiontest.Bot, line string) bool {
				if !on || line != "query result" || f.pos.Ply() != 3 {
					return false
				}
				for range c.extra {
					b.Say(0, "response none")
				}
				return true
			}}
			game, _, err := f.open(t)
			if err != nil {
				t.Fatal(err)
			}
			moves := aGame(t, game)
			on = true
			err = func() (err error) {
				defer engine.Catch(&err)
				engine.Expect(game.Start(), moves, false)
				return nil
			}()
			var fault *rules.Fault
			if !errors.As(err, &fault) || fault.What != c.what {
				t.Fatalf("%v, want %q", err, c.what)
			}
			if fault.Dialogue[0] != "> position startpos moves "+strings.Join(moves[:3], " ") {
				t.Errorf("%q", fault.Dialogue)
			}
		})
	}
}

// A program that takes its time for each of many positions does not hang.
func TestSlowAhead(t *testing.T) {
	game, b, err := (&fake{}).open(t)
	if err != nil {
		t.Fatal(err)
	}
	moves := aGame(t, game)
	b.Cost = 1500 * time.Millisecond // a line, and so 7.5 s of the 10 s for a position
	if err := func() (err error) {
		defer engine.Catch(&err)
		engine.Expect(game.Start(), moves, false)
		return nil
	}(); err != nil {
		t.Error(err)
	}
}
