package config_test

import (
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
)

// A flag reads what a file reads of its setting, on one line, and gives it to another
// event: of a mapping the keys that it has.
func TestFlag(t *testing.T) {
	event, bot := config.Default(), config.DefaultBot()
	event.SPRT = new(arena.SPRT)
	for _, c := range []struct{ path, line, problem string }{
		{"concurrency", "auto", ""},
		{"concurrency", "0", "at least 1, or auto"},
		{"max_plies", "0", ""},
		{"max_plies", "many", "must be a whole number"},
		{"handshake", "0", ""},
		{"handshake", "5", "has no unit"},
		{"sprt.alpha", "x", "must be a number"},
		{"openings.order", "random", ""},
		{"log", "all", "one of none, protocol"},
		{"adjudicate.resign", "", ""},
		{"adjudicate.resign", "movecount=3 score=600", ""},
		{"adjudicate.draw", "level=3", "level: unknown key"},
		{"clock", "10+0.1", ""},
		{"clock", "soon", "cannot read"},
	} {
		err := config.NewFlag(&event, c.path).Set(c.line)
		if c.problem == "" && err != nil || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s %q: %v, want %q", c.path, c.line, err, c.problem)
		}
	}
	if event.Openings.Order != arena.OrderShuffled || event.Adjudicate.Resign.Score != 600 || event.Adjudicate.Resign.Moves != 3 || event.Clock.Base != 10*time.Second {
		t.Errorf("%+v", event)
	}
	limits, options := config.NewFlag(&bot, "limits"), config.NewFlag(&bot, "options")
	for f, line := range map[*config.Flag]string{limits: "memory=1GiB", options: "Hash=2"} {
		if err := f.Set(line); err != nil {
			t.Error(err)
		}
	}
	other := arena.Bot{Limits: arena.Limits{Memory: 1, Processes: 7}}
	limits.Apply(&other)
	options.Apply(&other)
	if other.Limits != (arena.Limits{Memory: 1 << 30, Processes: 7}) || len(other.Options) != 1 || other.Options[0] != (arena.Option{Name: "Hash", Value: "2"}) {
		t.Errorf("%+v", other)
	}
}
