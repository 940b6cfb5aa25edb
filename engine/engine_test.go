package engine_test

import (
	"errors"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
)

func TestOther(t *testing.T) {
	for side, want := range map[engine.Side]engine.Side{
		engine.First: engine.Second, engine.Second: engine.First, engine.NoSide: engine.NoSide,
	} {
		if got := side.Other(); got != want {
			t.Errorf("the other of %d is %d, want %d", side, got, want)
		}
	}
}

// Errors name the place and stay short, whatever text they are about.
func TestErrors(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct {
		err  error
		want string
	}{
		{&engine.MoveError{Move: "a2b3", Why: "no piece of White on a2"}, "a2b3: no piece of White on a2"},
		{&engine.PositionError{Game: "chess", Text: "8/8", Column: 4, Why: "two ranks only"}, `chess position "8/8", column 4: two ranks only`},
		{&engine.PositionError{Game: "chess", Text: "8/8", Why: "no king"}, `chess position "8/8": no king`},
		{&engine.UnknownGameError{Name: "ches", Nearest: "chess"}, `unknown game "ches"; did you mean "chess"?`},
		{&engine.UnknownGameError{Name: "go", Known: []string{"chess", "outwit"}}, `unknown game "go"; known games: chess, outwit`},
		{&engine.MoveError{Move: long, Why: "too long"}, ""},
		{&engine.PositionError{Game: "chess", Text: long, Why: "too long"}, ""},
		{&engine.UnknownGameError{Name: long}, ""},
	} {
		got := c.err.Error()
		if c.want != "" && got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if len(got) > 300 {
			t.Errorf("an error of %d bytes", len(got))
		}
	}
}

func TestLookupIsTyped(t *testing.T) {
	catalog := engine.Catalog{breakthrough.Family{}}
	for _, name := range []string{"", ":", "breakthrough:", "breakthrough:0x0", "breaktrough", strings.Repeat("b", 100_000)} {
		_, err := catalog.Lookup(name)
		var unknown *engine.UnknownGameError
		if !errors.As(err, &unknown) || unknown.Name != name {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}
