package main

import (
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/store"
)

// An event whose process was killed is interrupted, and held by nobody; one that
// somebody plays says who.
func TestEventsTellWhoPlaysThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arena.db")
	s, err := store.Open(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	me, err := process.Self()
	if err != nil {
		t.Fatal(err)
	}
	dead := me
	dead.PID = 1 << 30
	for name, by := range map[string]process.Identity{"killed": dead, "lives": me} {
		e := config.Default()
		e.Name, e.Game, e.Format = name, "outwit", arena.FormatMatch
		for _, bot := range []string{"a", "b"} {
			b := config.DefaultBot()
			b.Name, b.Builtin, b.Fingerprint = bot, "random", bot
			e.Bots = append(e.Bots, b)
		}
		text, err := config.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		h, err := s.Create(t.Context(), e, text, by)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Append(t.Context(), []arena.Game{
			{Number: 1, Round: 1, Pair: 1, Game: e.Game, First: "a", Second: "b"},
			{Number: 2, Round: 1, Pair: 1, Game: e.Game, First: "b", Second: "a"},
		}); err != nil {
			t.Fatal(err)
		}
		if err := h.Finish(t.Context(), &arena.Game{Number: 1, Result: arena.FirstWins, Reason: arena.Resign, Start: time.Unix(1e9, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, code := command("events", "--db", path)
	for _, want := range []string{`(?m)^ killed .* 1/2 +interrupted +\d{4}-`, `(?m)^ lives .* 1/2 +running, held by process \d+ on `} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s%s (exit code %d)", want, out, errs, code)
		}
	}
}
