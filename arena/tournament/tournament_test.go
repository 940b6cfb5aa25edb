package tournament

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/session"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/protocol"
)

const smallEvent = `
event: small
game: breakthrough:5x5
rounds: 2
seed: 3
openings: {random: 2}
clock: {depth: 1}
concurrency: %d
bots:
  - {name: random, builtin: random}
  - {name: twin, builtin: random, options: {Seed: 9}}
  - {name: greedy, builtin: greedy}
  - {name: tree, builtin: mcts, clock: {nodes: 30}}
`

// The same seed gives the same games and ratings, however many are played at once.
func TestConcurrencyChangesNothing(t *testing.T) {
	one, four := setup(t), setup(t)
	a := one.mustRun(one.event(fmt.Sprintf(smallEvent, 1)), Options{})
	b := four.mustRun(four.event(fmt.Sprintf(smallEvent, 4)), Options{})
	if a.Played != 24 || a.Now != 24 || a.Planned != 24 || a.Voids != 0 || b.Played != 24 || b.Concurrency != 4 {
		t.Errorf("summaries %+v, %+v", a, b)
	}
	list := one.games("small")
	if !reflect.DeepEqual(list, four.games("small")) {
		t.Error("games differ")
	}
	results := map[arena.Result]bool{}
	for i, g := range list {
		results[g.Result] = true
		if g.Result == arena.Unplayed || len(g.Moves) != g.Plies || g.Plies == 0 || g.Number != i+1 || len(g.Opening.Moves) != 2 || g.Blame != "" {
			t.Errorf("game %+v", g)
		}
		if i%2 == 1 && (g.First != list[i-1].Second || !reflect.DeepEqual(g.Opening, list[i-1].Opening)) {
			t.Errorf("games %d and %d are no pair", i, i+1)
		}
	}
	if len(results) < 2 {
		t.Error("all games ended alike")
	}
	if reflect.DeepEqual(list[0].Moves, list[12].Moves) {
		t.Error("the same pairing from another opening repeated its game: is the seed the same each time?")
	}
	for _, f := range []*fixture{one, four} {
		ev, err := f.Store.Event(t.Context(), "small")
		if err != nil || ev.State != store.Finished || ev.Holder != nil {
			t.Fatalf("%+v, %v", ev, err)
		}
		for _, e := range ev.Entries {
			if want := wantElo(list)[e.Name]; e.Rating != want {
				t.Errorf("%s stands at %v, want %v", e.Name, e.Rating, want)
			}
		}
	}
	var kinds [Building + 1]int
	for _, u := range four.updates {
		kinds[u.Kind]++
	}
	if kinds != [...]int{1, 24, 24, 0, 0, 0} {
		t.Errorf("updates %v", kinds)
	}
	if _, err := one.Run(t.Context(), one.event(fmt.Sprintf(smallEvent, 2)), Options{}); !errors.Is(err, ErrFinished) {
		t.Errorf("run again: %v", err)
	}
}

// after is a channel that closes when so many games are finished.
func (f *fixture) after(n int) <-chan struct{} {
	soft := make(chan struct{})
	finished := 0
	f.Observe = func(u Update) {
		f.updates = append(f.updates, u)
		if u.Kind == GameFinished {
			if finished++; finished == n {
				close(soft)
			}
		}
	}
	return soft
}

func TestInterruptAndResume(t *testing.T) {
	whole, parts := setup(t), setup(t)
	e := whole.event(fmt.Sprintf(smallEvent, 2))
	whole.mustRun(e, Options{})
	runs, now := 0, 0
	for {
		soft := parts.after(5)
		summary, err := parts.Run(t.Context(), e, Options{Soft: soft})
		now += summary.Now
		if err == nil {
			break
		}
		if !errors.Is(err, ErrInterrupted) {
			t.Fatal(err)
		}
		if summary.Now < 5 || summary.Now > 5+8 { // two being played, and those played but not yet recorded
			t.Errorf("%d games after an end at 5", summary.Now)
		}
		if ev, err := parts.Store.Event(t.Context(), "small"); err != nil || ev.Holder != nil || ev.State != store.Running {
			t.Errorf("%+v, %v", ev, err)
		}
		runs++
	}
	if runs < 2 || now != 24 {
		t.Errorf("%d runs, %d games", runs, now)
	}
	if !reflect.DeepEqual(whole.games("small"), parts.games("small")) {
		t.Error("an interrupted event differs from an undisturbed one")
	}
}

// A second interrupt ends at once: the games in the air are void.
func TestHardStop(t *testing.T) {
	f := setup(t)
	e := f.event(`
event: slow
game: breakthrough:5x5
clock: {move: 60s}
grace: 50s
concurrency: 2
bots:
  - {name: a, command: [SELF, bad, slow], restart: never}
  - {name: b, command: [SELF, bad, hang]}
`)
	ctx, cancel := context.WithCancel(t.Context())
	f.Observe = func(u Update) {
		if u.Kind == GameStarted {
			time.AfterFunc(500*time.Millisecond, cancel)
		}
	}
	begin := time.Now()
	summary, err := f.Run(ctx, e, Options{})
	if !errors.Is(err, ErrInterrupted) || summary.Played != 0 || summary.Voids == 0 {
		t.Errorf("%+v, %v", summary, err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("the end took %v", took)
	}
	voids, err := f.Store.Voids(t.Context(), "slow", 0)
	if err != nil || len(voids) != summary.Voids || voids[0].Detail != "interrupted" {
		t.Errorf("%+v, %v", voids, err)
	}
}

// After the first interrupt games in the air have the event's grace.
func TestGraceEnds(t *testing.T) {
	f := setup(t)
	e := f.event(`
event: slow
game: breakthrough:5x5
clock: {move: 60s}
grace: 300ms
bots:
  - {name: a, command: [SELF, bad, hang]}
  - {name: b, builtin: random}
`)
	soft := make(chan struct{})
	f.Observe = func(u Update) {
		if u.Kind == GameStarted && u.Game.Number == 1 {
			time.AfterFunc(500*time.Millisecond, func() { close(soft) })
		}
	}
	summary, err := f.Run(t.Context(), e, Options{Soft: soft})
	if !errors.Is(err, ErrInterrupted) || summary.Voids == 0 || summary.Played != 0 {
		t.Errorf("%+v, %v", summary, err)
	}
}

func TestSecondHolderIsRefused(t *testing.T) {
	f := setup(t)
	e := f.event(fmt.Sprintf(smallEvent, 1))
	var second error
	f.Observe = func(u Update) {
		if u.Kind == GameFinished && u.Game.Number == 3 {
			other := *f.Tournament
			other.Observe = nil
			_, second = other.Run(t.Context(), e, Options{})
		}
	}
	f.mustRun(e, Options{})
	var held *store.HeldError
	if !errors.As(second, &held) || held.By.PID != os.Getpid() {
		t.Errorf("got %v", second)
	}
}

func TestChangedAndExtended(t *testing.T) {
	f := setup(t)
	const text = `
event: e
game: breakthrough:5x5
rounds: %d
seed: %d
clock: {depth: 1}
openings: {random: 2}
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: greedy}%s
`
	f.mustRun(f.event(fmt.Sprintf(text, 1, 1, "")), Options{})
	before := f.games("e")
	for name, c := range map[string]struct {
		text   string
		extend bool
		want   string
	}{
		"rounds":         {fmt.Sprintf(text, 2, 1, ""), false, "rounds: 1 -> 2"},
		"seed":           {fmt.Sprintf(text, 1, 2, ""), false, "seed: 1 -> 2"},
		"bots":           {fmt.Sprintf(text, 1, 1, "\n  - {name: c, builtin: random}"), false, "c was added"},
		"seed, extended": {fmt.Sprintf(text, 2, 2, ""), true, "seed: 1 -> 2"},
		"options":        {strings.Replace(fmt.Sprintf(text, 1, 1, ""), "builtin: random", "builtin: random, options: {Seed: 4}", 1), false, "a"},
	} {
		_, err := f.Run(t.Context(), f.event(c.text), Options{Extend: c.extend})
		var changed *ChangedError
		if !errors.As(err, &changed) || !strings.Contains(err.Error(), c.want) || (changed.Why != nil) != c.extend {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.BuiltinVersion = func(name string) string { return map[string]string{"random": "2", "greedy": "1"}[name] }
	var changed *ChangedError
	if _, err := f.Run(t.Context(), f.event(fmt.Sprintf(text, 1, 1, "")), Options{}); !errors.As(err, &changed) || !strings.Contains(err.Error(), "bots: a:") {
		t.Errorf("another version: %v", err)
	}
	f.BuiltinVersion = func(string) string { return "1" }
	summary := f.mustRun(f.event(fmt.Sprintf(text, 2, 1, "\n  - {name: c, builtin: random}")), Options{Extend: true})
	after := f.games("e")
	if summary.Now != 10 || len(after) != 12 || !reflect.DeepEqual(after[:2], before) {
		t.Errorf("extended: %+v, %d games", summary, len(after))
	}
	if _, err := f.Run(t.Context(), f.event(fmt.Sprintf(text, 2, 1, "\n  - {name: c, builtin: random}")), Options{Extend: true}); !errors.Is(err, ErrFinished) {
		t.Errorf("extended by nothing: %v", err)
	}
}

// Everything that keeps bots out is reported at once, and nothing is recorded.
func TestPreflight(t *testing.T) {
	f := setup(t)
	script := filepath.Join(f.folder, "script")
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	e := f.event(`
event: e
game: breakthrough:5x5
bots:
  - {name: good, builtin: random}
  - {name: missing, command: [./nowhere]}
  - {name: plain, command: [./arena.db]}
  - {name: script, command: [./script]}
`)
	_, err := f.Run(t.Context(), e, Options{})
	var bots *BotsError
	if !errors.As(err, &bots) || len(bots.Problems) != 3 {
		t.Fatalf("%T: %v", err, err)
	}
	for _, want := range []string{`bot "missing"`, `bot "plain"`, `bot "script"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
	e = f.event(`
event: e
game: breakthrough:5x5
bots:
  - {name: good, builtin: random}
  - {name: odd, builtin: random, options: {Sed: 1}}
  - {name: wild, builtin: random, options: {Seed: many}}
  - {name: chess, builtin: random, options: {UGI_Variant: chess960}}
`)
	_, err = f.Run(t.Context(), e, Options{})
	if !errors.As(err, &bots) || len(bots.Problems) != 2 && len(bots.Problems) != 3 || !strings.Contains(err.Error(), "Sed") || !strings.Contains(err.Error(), "many") {
		t.Errorf("%T: %v", err, err)
	}
	if list, err := f.Store.Events(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("recorded %+v, %v", list, err)
	}
}

// A bot's fault costs it the game and nothing else.
func TestFaults(t *testing.T) {
	faults := map[string]arena.Reason{
		"crash": arena.Crash, "illegal-move": arena.IllegalMove, "slow": arena.TimeForfeit,
		"null-bytes": arena.ProtocolError, "close-stdout": arena.Crash,
	}
	f := setup(t)
	// Nobody but the slow bot, which sleeps for two seconds, can run out of time,
	// however busy the machine is.
	text := `
event: e
game: breakthrough:5x5
clock: {move: 1m}
grace: 300ms
concurrency: 2
seed: 5
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: random}
`
	honest := setup(t)
	behaved := text
	for _, fault := range slices.Sorted(maps.Keys(faults)) {
		// A process commits its fault in its first game only: whom that is against
		// would be chance.
		more := ", restart: every-game"
		if fault == "slow" {
			more += ", clock: {move: 300ms}"
		}
		text += fmt.Sprintf("  - {name: %s, command: [SELF, bad, %s]%s}\n", fault, fault, more)
		behaved += fmt.Sprintf("  - {name: %s, command: [SELF, bad, none]}\n", fault)
	}
	honest.mustRun(honest.event(behaved), Options{})
	f.mustRun(f.event(text), Options{})
	undisturbed := honest.games("e")
	for i, g := range f.games("e") {
		_, badFirst := faults[g.First]
		_, badSecond := faults[g.Second]
		switch {
		case !badFirst && !badSecond:
			if !reflect.DeepEqual(g, undisturbed[i]) {
				t.Errorf("game of honest bots changed: %+v\n%+v", g, undisturbed[i])
			}
		case !badFirst && g.Blame != g.Second, !badSecond && g.Blame != g.First:
			t.Errorf("an honest bot against a bad one: %+v", g)
		case g.Reason != faults[g.Blame]:
			t.Errorf("%s - %s: %s %s, blame %q (%s)", g.First, g.Second, g.Result, g.Reason, g.Blame, g.Detail)
		case g.Blame == g.First && g.Result != arena.SecondWins, g.Blame == g.Second && g.Result != arena.FirstWins:
			t.Errorf("%s - %s: %s, blame %q", g.First, g.Second, g.Result, g.Blame)
		}
	}
}

// A bot that never gets ready loses without a move, and is not waited for again
// and again.
func TestNoHandshake(t *testing.T) {
	f := setup(t)
	f.Patience.Hello = 2 * time.Second
	f.mustRun(f.event(`
event: e
game: breakthrough:5x5
clock: {move: 1m}
grace: 300ms
concurrency: 1
rounds: 3
bots:
  - {name: a, builtin: random}
  - {name: mute, command: [SELF, bad, no-handshake]}
`), Options{})
	games := f.games("e")
	for _, g := range games {
		if g.Blame != "mute" || g.Reason != arena.Stall || g.Plies != 0 {
			t.Errorf("%+v", g)
		}
	}
	if len(games) != 6 || !strings.Contains(games[5].Detail, "not started again after 3 failures in a row") {
		t.Errorf("%d games: %+v", len(games), games)
	}
	if !slices.ContainsFunc(f.updates, func(u Update) bool { return u.Kind == Warning && strings.Contains(u.Text, "mute") }) {
		t.Error("no warning about the bot that does not shake hands")
	}
}

// Each format goes to its end, interrupted or not, in the same games.
func TestFormats(t *testing.T) {
	for format, games := range map[string]int{"swiss": 3 * 4, "knockout": 0, "ladder": 12, "gauntlet": 6} {
		t.Run(format, func(t *testing.T) {
			text := `
event: e
game: breakthrough:5x5
format: ` + format + `
seed: 4
openings: {random: 2}
clock: {depth: 1}
concurrency: 2
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: random}
  - {name: c, builtin: greedy}
  - {name: d, builtin: random}
`
			switch format {
			case "ladder":
				text += "ladder: {games: 12}\n"
			case "swiss":
				text += "rounds: 3\n"
			}
			whole, parts := setup(t), setup(t)
			e := whole.event(text)
			summary := whole.mustRun(e, Options{})
			if games > 0 && summary.Played != games || summary.Played < 6 {
				t.Errorf("%+v", summary)
			}
			runs := 0
			for err := errors.New("not yet"); err != nil; runs++ {
				_, err = parts.Run(t.Context(), e, Options{Soft: parts.after(2)})
				if err != nil && !errors.Is(err, ErrInterrupted) {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(whole.games("e"), parts.games("e")) {
				t.Error("games differ after interruptions")
			}
			if runs < 2 {
				t.Errorf("%d runs", runs)
			}
		})
	}
}

// A test ends its event: what nobody has begun is removed, pairs are played whole.
func TestTrialEnds(t *testing.T) {
	f := setup(t)
	e := f.event(`
event: e
game: breakthrough:5x5
format: match
rounds: 500
sprt: {elo0: 0, elo1: 200}
clock: {depth: 1}
openings: {random: 2}
concurrency: 2
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: greedy}
`)
	decided := 0
	f.Observe = func(u Update) {
		if u.Trial == nil {
			t.Fatal("an update without the trial")
		}
		if u.Trial.Decided() {
			decided = u.Trial.Games()
		}
	}
	summary := f.mustRun(e, Options{})
	if summary.Played != summary.Planned || summary.Played < decided || decided < 4 || summary.Played > 900 || summary.Played%2 != 0 {
		t.Errorf("%+v, decided after %d games", summary, decided)
	}
	if ev, err := f.Store.Event(t.Context(), "e"); err != nil || ev.State != store.Finished || ev.Games != summary.Played {
		t.Errorf("%+v, %v", ev, err)
	}
}

func TestLadderEndsByTime(t *testing.T) {
	f := setup(t)
	e := f.event(`
event: e
game: breakthrough:5x5
format: ladder
clock: {depth: 1}
openings: {random: 2}
ladder: {time: 700ms}
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: random}
  - {name: c, builtin: greedy}
`)
	summary := f.mustRun(e, Options{})
	ev, err := f.Store.Event(t.Context(), "e")
	if err != nil || ev.State != store.Finished || summary.Played%2 != 0 || ev.PlayTime < 700*time.Millisecond {
		t.Errorf("%+v, %+v, %v", summary, ev, err)
	}
}

// Restart policies, seen from how often a bot says that it has started.
func TestRestart(t *testing.T) {
	for policy, want := range map[string][]string{
		"never": {"start"}, "on-fault": {"start"}, "every-game": {"start", "2", "3", "4"},
	} {
		t.Run(policy, func(t *testing.T) {
			f := setup(t)
			f.mustRun(f.event(`
event: e
game: breakthrough:5x5
rounds: 2
concurrency: 1
clock: {depth: 1}
bots:
  - {name: quiet, builtin: random}
  - {name: chatty, builtin: chatty, restart: `+policy+`}
`), Options{})
			files, err := filepath.Glob(filepath.Join(f.LogDir, "e", "*.stderr"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, file := range files {
				name := filepath.Base(file)
				if n := gameOf(name); n > 0 {
					name = fmt.Sprint(n)
				} else {
					name, _, _ = strings.Cut(name, ".")
				}
				got = append(got, name)
				if text, err := os.ReadFile(file); err != nil || string(text) != "started\n" {
					t.Errorf("%s: %q, %v", file, text, err)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("started in %v, want %v", got, want)
			}
		})
	}
}

func TestNeverRestarted(t *testing.T) {
	f := setup(t)
	f.mustRun(f.event(`
event: e
game: breakthrough:5x5
rounds: 2
concurrency: 1
clock: {depth: 1}
bots:
  - {name: good, builtin: random}
  - {name: bad, command: [SELF, bad, crash], restart: never}
`), Options{})
	for i, g := range f.games("e") {
		if g.Blame != "bad" || g.Reason != arena.Crash || (i > 0) != strings.Contains(g.Detail, "never restarted") {
			t.Errorf("%+v", g)
		}
	}
}

func TestProtocolLog(t *testing.T) {
	f := setup(t)
	f.mustRun(f.event(`
event: a/b
game: breakthrough:5x5
clock: {depth: 1}
log: protocol
bots:
  - {name: x, builtin: random}
  - {name: y, builtin: random}
`), Options{})
	paths := LogFiles(f.LogDir, "a/b", 2)
	text, err := os.ReadFile(paths.Protocol)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" > y: setoption name Seed value ", " > y: uginewgame\n", " > x: go depth 1\n", " < x: bestmove ", " < y: readyok\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := os.Stat(paths.Stderr[0]); !errors.Is(err, os.ErrNotExist) {
		t.Error("an empty log was made")
	}
}

func TestLogsAreCapped(t *testing.T) {
	var n notes
	dir := t.TempDir()
	l, err := openLogs(dir, "e", n.add)
	if err != nil {
		t.Fatal(err)
	}
	l.most = 10_000
	for number := 1; number <= 30; number++ {
		w := l.game(number)[0]
		for range 2 {
			if _, err := w.Write(make([]byte, 500)); err != nil {
				t.Fatal(err)
			}
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "e"))
	if err != nil || len(entries) > 10 || len(entries) < 8 || entries[len(entries)-1].Name() != "000030.first.stderr" {
		t.Errorf("%d files, %v", len(entries), err)
	}
	again, err := openLogs(dir, "e", n.add)
	if err != nil || again.total != l.total || again.total != int64(1000*len(entries)) {
		t.Errorf("%d bytes counted, %d before, %v", again.total, l.total, err)
	}
	if notes := n.take(); notes != nil {
		t.Error(notes)
	}
	var d dialogue
	log := d.of(0)
	for i := range 200 {
		log(session.Line{Text: fmt.Appendf(nil, "%d %s", i, strings.Repeat("x", 60_000))})
	}
	d.save(l, &arena.Game{Number: 31})
	text, err := os.ReadFile(LogFiles(dir, "e", 31).Protocol)
	if err != nil || len(text) > 2*mostDialogue || !strings.Contains(string(text), ": 0 xx") || !strings.Contains(string(text), ": 199 xx") || strings.Contains(string(text), ": 60 xx") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// A clock that jumps makes faults of time void; a game that is void again and
// again is given up, and said so.
func TestVoidIsGivenUp(t *testing.T) {
	f := setup(t)
	begin := time.Now()
	f.pauses = func() time.Time { return begin.Add(1000 * time.Since(begin)) }
	e := f.event(`
event: e
game: breakthrough:5x5
clock: {move: 20ms, margin: 5ms}
concurrency: 1
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: sleepy}
`)
	_, err := f.Run(t.Context(), e, Options{})
	var void *VoidError
	if !errors.As(err, &void) || len(void.Games) != 2 || !strings.Contains(err.Error(), "game 1: ") || !strings.Contains(err.Error(), "suspended") {
		t.Fatalf("got %v", err)
	}
	ev, err := f.Store.Event(t.Context(), "e")
	if err != nil || ev.Played != 0 || ev.Voids != 2*mostVoids || ev.State == store.Finished {
		t.Errorf("%+v, %v", ev, err)
	}
	f.pauses = nil
	if summary := f.mustRun(e, Options{}); summary.Played != 2 {
		t.Errorf("%+v", summary)
	}
}

func TestWatch(t *testing.T) {
	base := time.Now()
	var offset time.Duration
	w := &watch{now: func() time.Time { return base.Add(offset) }}
	w.last = w.now()
	step := func(gap time.Duration) {
		offset += gap
		w.look()
	}
	since := base
	step(200 * time.Millisecond)
	step(900 * time.Millisecond)
	if w.suspended(since) {
		t.Error("a late beat counts as a pause")
	}
	offset += 2 * time.Second // whoever asks first finds it
	if !w.suspended(since) {
		t.Error("a pause was not noticed")
	}
	if since = w.now(); w.suspended(since) {
		t.Error("a pause before counts")
	}
}

func TestSeeds(t *testing.T) {
	spin := protocol.Option{Name: "seed", Type: protocol.Spin, Min: 0, Max: 1000}
	at := func(event uint64, number int, side engine.Side, own string) int64 {
		var entry []arena.Option
		if own != "" {
			entry = []arena.Option{{Name: "SEED", Value: own}}
		}
		return seedFor(spin, entry, event, number, side)
	}
	seen := map[int64]bool{}
	for _, s := range []int64{at(1, 1, 0, ""), at(2, 1, 0, ""), at(1, 2, 0, ""), at(1, 1, 1, ""), at(1, 1, 0, "5"), at(1, 1, 0, "6")} {
		if seen[s] || spin.Check(fmt.Sprint(s)) != nil {
			t.Errorf("%d", s)
		}
		seen[s] = true
	}
	if again := at(1, 1, 0, ""); !seen[again] {
		t.Errorf("the same game has another seed: %d", again)
	}
	for _, o := range []protocol.Option{
		{Name: "Seed", Type: protocol.Spin, Min: 0, Max: 1},
		{Name: "Seed", Type: protocol.Spin, Min: -5, Max: -3},
		{Name: "Seed", Type: protocol.Spin, Min: -1 << 63, Max: 1<<63 - 1},
		{Name: "Seed", Type: protocol.Spin, Min: 7, Max: 7},
	} {
		for n := range 50 {
			v := seedFor(o, nil, 1, n, 0)
			if o.Check(fmt.Sprint(v)) != nil || o.Max == 1<<63-1 && (v < 1 || v >= 1<<31) {
				t.Errorf("%+v: %d", o, v)
			}
		}
	}
}

// Games are pinned by default where the platform can do it, and played without
// where it cannot.
func TestPinningByDefault(t *testing.T) {
	f := setup(t)
	cpus, err := process.CPUs()
	if err != nil {
		t.Fatal(err)
	}
	f.CPUs = cpus
	const text = `
event: %s
pin: %s
game: breakthrough:5x5
concurrency: 1
clock: {depth: 1}
bots: [{name: a, builtin: random}, {name: b, builtin: random}]
`
	f.mustRun(f.event(fmt.Sprintf(text, "auto", "auto")), Options{})
	_, err = f.Run(t.Context(), f.event(fmt.Sprintf(text, "on", "on")), Options{})
	if process.CanPin() {
		if err != nil {
			t.Error(err)
		}
	} else if err == nil || !strings.Contains(err.Error(), "pin: on: this platform cannot pin") {
		t.Errorf("pinned where that is not possible: %v", err)
	}
}

// BenchmarkGames plays short games of trivial bots, recorded on disk: a game an op.
func BenchmarkGames(b *testing.B) {
	f := setup(b)
	f.LogDir = ""
	cpus, err := process.CPUs()
	if err != nil {
		b.Fatal(err)
	}
	f.CPUs = cpus
	e := f.event(fmt.Sprintf(`
event: e
game: breakthrough:5x5
format: match
rounds: %d
openings: {random: 2}
clock: {depth: 1}
bots:
  - {name: a, command: [SELF, bad, none]}
  - {name: b, command: [SELF, bad, none]}
`, (b.N+1)/2))
	var early, late [2]float64 // open files, KB of heap: after a tenth, and near the end
	f.Observe = func(u Update) {
		if u.Kind != GameFinished {
			return
		}
		var to *[2]float64
		switch u.Played {
		case 1 + u.Planned/10:
			to = &early
		case u.Planned - 1:
			to = &late
		default:
			return
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			b.Error(err)
		}
		*to = [2]float64{float64(len(fds)), float64(m.HeapInuse >> 10)}
	}
	b.ResetTimer()
	summary := f.mustRun(e, Options{})
	b.ReportMetric(float64(summary.Now)/b.Elapsed().Seconds(), "games/s")
	b.ReportMetric(late[0]-early[0], "files-grown")
	b.ReportMetric(late[1]-early[1], "heapKB-grown")
	b.ReportMetric(late[1], "heapKB")
}
