package host

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/games"
)

// test returns a test of two built-in bots.
func test(first, second string, pairs int) arena.Event {
	e := config.Default()
	e.Name, e.Format, e.Game, e.Rounds, e.Seed, e.Openings.Random = "test", schedule.FormatMatch, "breakthrough:5x5", pairs, 7, 4
	e.Clock = arena.TimeControl{Depth: 2}
	p := arena.Defaults[arena.SPRT]()
	p.Elo1 = 100
	e.SPRT = &p
	for i, name := range []string{first, second} {
		b := config.DefaultBot()
		b.Name, b.Builtin = fmt.Sprint("ab"[i:i+1]), name
		e.Bots = append(e.Bots, b)
	}
	return e
}

func (f *fixture) queue(h *Host, e arena.Event, priority int, bots ...store.ExperimentBot) int64 {
	f.Helper()
	text, err := config.Encode(e)
	f.must(err)
	if bots == nil {
		bots = make([]store.ExperimentBot, len(e.Bots))
	}
	x, err := h.Experiment(f.Context(), "owls", store.Experiment{Priority: priority, Config: text, Bots: bots})
	f.must(err)
	return x.ID
}

func (f *fixture) send(h *Host, text string) store.ExperimentBot {
	f.Helper()
	b, err := h.KeepBot(f.Context(), "owls", "bot.txt", strings.NewReader(text))
	f.must(err)
	return b
}

// reaches waits until an experiment is in a state, or is over, and returns it.
func (f *fixture) reaches(id int64, state string, games int) (x store.Experiment) {
	f.Helper()
	f.until(fmt.Sprintf("experiment %d is %s", id, state), func() bool {
		var err error
		x, err = f.store.Experiment(context.Background(), "cup", id)
		f.must(err)
		if x.Over() && x.State != state {
			f.Fatalf("experiment %d is %s: %s", id, x.State, x.Reason)
		}
		return x.State == state && x.Games >= games
	})
	return x
}

// experiments is a league whose team "owls" may queue experiments.
func experiments(t *testing.T) *fixture {
	f := setup(t, "host: {}\n")
	f.teams("owls", "foxes")
	f.must(f.store.AllowExperiments(t.Context(), "owls"))
	return f
}

// Tests end with a verdict, beside the ladder, and count in no table of several events.
func TestExperiments(t *testing.T) {
	t.Parallel()
	f := experiments(t)
	h, _ := f.host()
	better, worse := f.queue(h, test("greedy", "random", 200), 0), f.queue(h, test("random", "greedy", 200), 0)
	even := f.queue(h, test("random", "random", 2), 0)
	for id, want := range map[int64]sprt.Verdict{better: sprt.AcceptH1, worse: sprt.AcceptH0, even: sprt.Continue} {
		if x := f.reaches(id, store.ExperimentEnded, 2); x.Verdict != string(want) || x.SlotTime <= 0 || x.Event != ExperimentName("cup", id) {
			t.Errorf("%+v, want %s", x, want)
		}
	}
	e, err := f.store.Event(t.Context(), ExperimentName("cup", better))
	if f.must(err); !e.Archived || e.Entries[0].Name != fmt.Sprintf("a (%d)", better) {
		t.Errorf("%+v", e)
	}
	before := f.games("random")
	f.until("the ladder plays on", func() bool { return f.games("random") > before })

	// Bots are built from files that are sent, from the house, and from what a team handed in.
	f.submit(h, "foxes", "bot greedy")
	f.state("foxes", 1, string(store.Entered))
	match := test("random", "random", 2)
	match.SPRT = nil
	for _, other := range []store.ExperimentBot{{House: "greedy"}, {House: "foxes 1"}, {House: "foxes"}} {
		x := f.reaches(f.queue(h, match, 0, f.send(h, "bot random"), other), store.ExperimentEnded, 4)
		o, err := standings.NewOutcome(t.Context(), f.store, games.All(), x.Event)
		if f.must(err); o.HeadToHead.Losses < 3 {
			t.Errorf("random against %s: %+v", other.House, o.HeadToHead)
		}
	}
	// Those that cannot be built, or fail in each game, fail with a reason.
	for text, part := range map[string]string{"refuse": "bot.txt: It says refuse; write bot.", "bot nonesuch": "without a verdict"} {
		long := test("random", "random", 100)
		long.MaxFaults, long.SPRT = 3, nil
		if x := f.reaches(f.queue(h, long, 0, f.send(h, text), store.ExperimentBot{}), store.ExperimentFails, 0); !strings.Contains(x.Reason, part) {
			t.Errorf("%s: %q", text, x.Reason)
		}
	}
}

// What a team asks for is refused with what to do.
func TestExperimentsRefused(t *testing.T) {
	t.Parallel()
	f := experiments(t)
	h, err := New(f.config)
	f.must(err)
	defer func() { f.must(h.Close()) }()
	ask := func(team string, change func(*arena.Event), x store.Experiment) error {
		e := test("greedy", "random", 4)
		if change != nil {
			change(&e)
		}
		if x.Config == nil {
			x.Config, err = config.Encode(e)
			f.must(err)
		}
		if x.Bots == nil {
			x.Bots = make([]store.ExperimentBot, 2)
		}
		_, err := h.Experiment(t.Context(), team, x)
		return err
	}
	refusedAs(t, ask("foxes", nil, store.Experiment{}), http.StatusForbidden, "may not queue")
	if _, err := h.KeepBot(t.Context(), "foxes", "bot.txt", strings.NewReader("bot random")); err == nil {
		t.Error("a file of a team that may not")
	}
	for part, x := range map[string]store.Experiment{
		"A priority is":          {Priority: 101},
		`did you mean "greedy"?`: {Bots: []store.ExperimentBot{{}, {House: "gredy"}}},
		"where they come from":   {Bots: []store.ExperimentBot{{}}},
		"unknown key":            {Config: []byte("evnt: x\n")},
	} {
		if err := ask("owls", nil, x); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v", part, err)
		}
	}
	for part, change := range map[string]func(*arena.Event){
		"its book did not": func(e *arena.Event) { e.Openings = arena.Openings{File: "/etc/passwd", Order: "sequential", Start: 1} },
		"balanced openings": func(e *arena.Event) {
			e.Openings = arena.Openings{Balanced: &arena.Balanced{Plies: 4, Bot: "minimax", Depth: 2, Window: 1, Count: 4}, Order: "sequential", Start: 1}
		},
		"ladder":        func(e *arena.Event) { e.Format, e.SPRT = schedule.FormatLadder, nil },
		"no file of it": func(e *arena.Event) { e.Bots[0].Builtin, e.Bots[0].Command = "", []string{"/bin/sh"} },
		"chss":          func(e *arena.Event) { e.Game = "chss" },
		"rules of your own": func(e *arena.Event) {
			b := config.DefaultRules()
			b.Command = []string{"/bin/sh"}
			e.Game, e.Rules = "mine", &b
		},
	} {
		refusedAs(t, ask("owls", change, store.Experiment{}), http.StatusUnprocessableEntity, part)
	}
	f.must(ask("owls", nil, store.Experiment{}))
	f.must(f.store.AllowExperiments(t.Context(), "foxes"))
	refusedAs(t, h.StopExperiment(t.Context(), "foxes", 1), http.StatusForbidden, "another team's")
	refusedAs(t, h.Prioritize(t.Context(), "owls", 1, -101), http.StatusBadRequest, "A priority is")
}

// Experiments of one priority play side by side. A more urgent one takes the place of others, which
// go on later; one that is stopped plays no more.
func TestExperimentsInTurn(t *testing.T) {
	t.Parallel()
	f := experiments(t)
	h, _ := f.host()
	long := test("random", "random", 400)
	long.SPRT = nil
	slow := []store.ExperimentBot{f.send(h, "slow random"), {}}
	first, second := f.queue(h, long, 0, slow...), f.queue(h, long, -1, slow...)
	f.reaches(first, store.ExperimentPlays, 4)
	f.must(h.Prioritize(t.Context(), "owls", second, 0))
	for range 2 { // in turns, or the first would be played to its end
		f.reaches(second, store.ExperimentPlays, f.reaches(second, store.ExperimentPlays, 0).Games+4)
		f.reaches(first, store.ExperimentPlays, f.reaches(first, store.ExperimentPlays, 0).Games+4)
	}
	f.must(h.Prioritize(t.Context(), "owls", second, 3))
	at := f.reaches(second, store.ExperimentPlays, 4)
	f.until("the first one pauses", func() bool {
		h.slots.mu.Lock()
		defer h.slots.mu.Unlock()
		return len(h.slots.experiments(h.slots.playing)) == 1
	})
	urgent := f.queue(h, test("greedy", "random", 200), 9)
	f.reaches(urgent, store.ExperimentEnded, 2)
	f.reaches(second, store.ExperimentPlays, at.Games+10)
	f.must(h.StopExperiment(t.Context(), "owls", second))
	f.reaches(first, store.ExperimentPlays, f.reaches(first, store.ExperimentPlays, 0).Games+4)
	if x := f.reaches(second, store.ExperimentStops, 4); x.Reason != "Stopped by owls." {
		t.Errorf("%+v", x)
	}
}

// The verdict does not depend on how often the host ends meanwhile: it is that of the same
// test without a host.
func TestExperimentGoesOn(t *testing.T) {
	t.Parallel()
	f := experiments(t)
	e := test("random", "random", 400)
	local := *f.config.Runner
	if _, err := local.Run(t.Context(), e, event.Options{}); err != nil {
		t.Fatal(err)
	}
	want, err := standings.NewOutcome(t.Context(), f.store, games.All(), e.Name)
	f.must(err)
	h, stop := f.host()
	id := f.queue(h, e, 0)
	for range 3 {
		f.until("it plays", func() bool {
			x, err := f.store.Experiment(context.Background(), "cup", id)
			f.must(err)
			h.slots.mu.Lock()
			defer h.slots.mu.Unlock()
			return x.Over() || x.Games > 0 && h.slots.tests.held > 0
		})
		stop()
		h, stop = f.host()
	}
	x := f.reaches(id, store.ExperimentEnded, 2)
	got, err := standings.NewOutcome(t.Context(), f.store, games.All(), x.Event)
	f.must(err)
	if want.Test.Verdict == sprt.Continue || x.Verdict != string(want.Test.Verdict) || !slices.Equal(got.Test.Path, want.Test.Path) {
		t.Errorf("%s after %v, want %s after %v", x.Verdict, got.Test.Path, want.Test.Verdict, want.Test.Path)
	}
}
