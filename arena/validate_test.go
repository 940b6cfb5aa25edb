package arena_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
)

func TestTestValidate(t *testing.T) {
	for _, c := range []struct {
		test   arena.SPRT
		fields []string
	}{
		{arena.SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: "normalized"}, nil},
		{arena.SPRT{Elo0: 5, Elo1: 5, Alpha: 0.5, Beta: 0, Model: "x"}, []string{"model", "", "alpha", "beta"}},
		{arena.SPRT{Elo0: -1001, Elo1: 1001, Alpha: 0.05, Beta: 0.05, Model: "logistic"}, []string{"elo0", "elo1"}},
	} {
		var invalid *arena.InvalidError
		if !errors.As(c.test.Validate(), &invalid) {
			invalid = &arena.InvalidError{}
		}
		if len(invalid.Problems) != len(c.fields) {
			t.Errorf("%+v: %v", c.test, invalid)
			continue
		}
		for i, p := range invalid.Problems {
			if p.Field != c.fields[i] {
				t.Errorf("%+v: %+v, want field %q", c.test, p, c.fields[i])
			}
		}
	}
}

func TestTimeControlValidate(t *testing.T) {
	const days = 24 * time.Hour
	for _, c := range []struct {
		clock arena.TimeControl
		field string // "" if it is valid
	}{
		{arena.TimeControl{Base: 1000 * days, Margin: 1000 * days}, ""},
		{arena.TimeControl{Move: 1000 * days}, ""},
		{arena.TimeControl{Base: 1000 * days, Increment: 5 * time.Hour}, ""},
		{arena.TimeControl{Base: 5 * time.Hour, Moves: 1}, ""},
		{arena.TimeControl{Base: 1000 * days, Increment: 1000 * days}, "increment"},
		{arena.TimeControl{Base: 1000 * days, Moves: 1}, "base"},
		{arena.TimeControl{Base: 5 * time.Hour, Moves: 1, Increment: 1}, "base"},
		{arena.TimeControl{Increment: 1}, "increment"},
		{arena.TimeControl{Moves: 1, Nodes: 1}, "moves"},
		{arena.TimeControl{Move: 1, Base: 1}, "all"},
		{arena.TimeControl{}, "all"},
	} {
		got := ""
		var invalid *arena.InvalidError
		if errors.As(c.clock.Validate(), &invalid) {
			if got = invalid.Problems[0].Field; got == "" || len(invalid.Problems) > 1 {
				got = "all"
			}
		}
		if got != c.field {
			t.Errorf("%+v: %v, want a problem of %q", c.clock, invalid, c.field)
		}
	}
}

// No clock that is valid can overflow, however long the game.
func TestTimeControlNeverOverflows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		long := func(name string) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(1100*24*time.Hour)).Draw(t, name))
		}
		c := arena.TimeControl{Base: long("base"), Increment: long("increment") / time.Duration(rapid.IntRange(1, 1000).Draw(t, "part")), Moves: rapid.IntRange(0, 10_000).Draw(t, "moves"), Margin: long("margin")}
		if c.Validate() != nil {
			t.Skip()
		}
		const moves = 500_000 // of one side in the longest game
		sum := float64(c.Base) + float64(c.Margin) + moves*float64(c.Increment)
		if c.Moves > 0 {
			sum += moves / float64(c.Moves) * float64(c.Base)
		}
		if sum > math.MaxInt64 {
			t.Fatalf("%+v comes to %g ns", c, sum)
		}
	})
}

func TestNameOf(t *testing.T) {
	for _, c := range []struct {
		command []string
		want    string
	}{
		{nil, ""},
		{[]string{"stockfish"}, "stockfish"},
		{[]string{"./bin/mybot.exe", "x.bin"}, "mybot"},
		{[]string{"python3", "-u", "bots/deep.v2.py", "other.py"}, "deep.v2"},
		{[]string{"java", "-jar", "Bot.jar"}, "Bot"},
		{[]string{"/opt/a\nb"}, "a_b"},
	} {
		if got := arena.NameOf(c.command); got != c.want {
			t.Errorf("%q is named %q, want %q", c.command, got, c.want)
		}
	}
}
