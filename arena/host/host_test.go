package host

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/store"
	"botarena/arena/web"
)

func refusedAs(t *testing.T, err error, status int, part string) {
	t.Helper()
	var refused *web.RefusedError
	if !errors.As(err, &refused) || refused.Status != status || !strings.Contains(refused.Why, part) {
		t.Errorf("got %v, want %d with %q", err, status, part)
	}
}

// Versions enter a ladder that is played, replace their predecessors, are refused at the
// step that fails, and are benched; the games of all are on record.
func TestLeague(t *testing.T) {
	t.Parallel()
	f := setup(t, "host: {}\n")
	tokens := f.teams("owls", "foxes", "bats")
	h, stop := f.host()
	if team, err := h.SignIn(t.Context(), " "+tokens[1]+"\n"); err != nil || team != "foxes" {
		t.Errorf("%q, %v", team, err)
	}
	if _, err := h.SignIn(t.Context(), tokens[1]+"x"); !errors.Is(err, store.ErrToken) {
		t.Error(err)
	}
	f.until("the house plays", func() bool { return f.games("random") > 2 })

	if sub := f.submit(h, "owls", "bot greedy"); sub.Number != 1 || sub.State != string(store.Received) || len(sub.SHA256) != 64 {
		t.Errorf("%+v", sub)
	}
	sub := f.state("owls", 1, string(store.Entered))
	if strings.Contains(sub.Steps[4].Log, f.config.Dir) || !strings.HasPrefix(sub.Steps[4].Log, "game 1: ") {
		t.Errorf("a team is told more of its trial than its games:\n%s", sub.Steps[4].Log)
	}
	if len(sub.Steps) != 6 || !strings.Contains(sub.Steps[3].Log, "handshake") || !strings.Contains(sub.Steps[4].Log, "game 4:") || sub.Bot != "owls 1" || sub.Language != "words" {
		t.Errorf("%+v", sub)
	}
	f.until("owls 1 plays", func() bool { return f.games("owls 1") > 4 })

	f.submit(h, "foxes", "refuse")
	if sub := f.state("foxes", 1, store.Refused); sub.Refused != store.Unpacked || sub.Reason != "It says refuse; write bot." {
		t.Errorf("%+v", sub)
	}
	f.submit(h, "foxes", "bad crash")
	if sub := f.state("foxes", 2, store.Refused); sub.Refused != store.Checked || !strings.Contains(sub.Reason, "time keeping: ") || strings.Contains(sub.Steps[3].Log, f.config.Dir) {
		t.Errorf("%+v", sub)
	}
	f.submit(h, "owls", "refuse")
	f.state("owls", 2, store.Refused)
	if sub := f.state("owls", 1, string(store.Entered)); sub.State != string(store.Entered) {
		t.Errorf("the last good version: %+v", sub)
	}
	f.submit(h, "owls", "bot random")
	f.state("owls", 3, string(store.Entered))
	f.state("owls", 1, store.Replaced)
	f.until("owls 3 plays", func() bool { return f.games("owls 3") > 4 })
	before := f.games("owls 1")
	f.until("more are played", func() bool { return f.games("owls 3") > 14 })
	if after := f.games("owls 1"); after != before || before < 5 {
		t.Errorf("owls 1 has played %d games, then %d", before, after)
	}

	file, err := h.File(t.Context(), "foxes", 2)
	f.must(err)
	text, err := io.ReadAll(file)
	if f.must(errors.Join(err, file.Close())); string(text) != "bad crash" {
		t.Errorf("%q", text)
	}
	if _, err := h.File(t.Context(), "bats", 1); err == nil {
		t.Error("a file that is not there")
	}
	if _, err := New(f.config); !errors.Is(err, ErrRunning) {
		t.Errorf("a second host: %v", err)
	}

	stop()
	f.must(f.config.Runner.Withdraw(t.Context(), "cup", []string{"owls 3"}, false))
	f.host()
	if sub := f.state("owls", 3, store.Benched); !strings.Contains(sub.Reason, "organiser took it out") {
		t.Errorf("%+v", sub)
	}
}

// A bot that fails on the ladder alone is benched with a message, the others play on, and
// a new version brings the team back.
func TestBench(t *testing.T) {
	t.Parallel()
	f := setup(t, "host: {}\n")
	f.teams("owls")
	h, stop := f.host()
	signal := filepath.Join(t.TempDir(), "crash")
	f.submit(h, "owls", "until "+signal)
	f.until("it plays", func() bool { return f.games("owls 1") > 3 })
	f.must(os.WriteFile(signal, nil, 0o600))
	if sub := f.state("owls", 1, store.Benched); !regexp.MustCompile("It was at fault in [3-6] of its last 6 games").MatchString(sub.Reason) || !strings.Contains(sub.Reason, "crash. Mend it, and hand in a new version.") {
		t.Errorf("%+v", sub)
	}
	n := f.games("random")
	f.until("the others play on", func() bool { return f.games("random") > n+4 })
	f.until("it plays no more", func() bool {
		e, err := h.recorded(context.Background())
		f.must(err)
		i := slices.IndexFunc(e.Bots, func(b arena.Bot) bool { return b.Name == "owls 1" })
		return i >= 0 && e.Bots[i].Withdrawn
	})
	if _, err := h.Challenge(t.Context(), "owls", "greedy", 2); err == nil {
		t.Error("a benched bot challenges")
	}
	h.bench(t.Context(), "owls 1", "It was at fault in a game that was in progress.")
	stop()
	if told := strings.Count(strings.Join(f.log, "\n"), "is benched"); told != 1 {
		t.Errorf("the log says %d times that it is benched", told)
	}

	f.must(os.Remove(signal))
	f.must(f.config.Runner.Withdraw(t.Context(), "cup", []string{"owls 1"}, true))
	n = f.games("owls 1")
	h, _ = f.host()
	f.until("the organiser lets it play on", func() bool { return f.games("owls 1") > n })
	f.state("owls", 1, string(store.Entered))

	f.submit(h, "owls", "bot greedy")
	f.state("owls", 2, string(store.Entered))
	f.until("it is back", func() bool { return f.games("owls 2") > 2 })
	f.state("owls", 1, store.Replaced)
}

// A version whose predecessor was replaced before the ladder knew it enters all the same.
func TestReplacedBeforeItPlayed(t *testing.T) {
	t.Parallel()
	f := setup(t, "host: {}\n")
	f.teams("owls", "foxes")
	hand := func(teams ...string) {
		h, err := New(f.config)
		f.must(err)
		for _, team := range teams {
			f.submit(h, team, "bot random")
		}
		for did := true; did; {
			did, err = h.submissionStep(t.Context())
			f.must(err)
		}
		f.must(h.Close())
	}
	hand("foxes")
	_, stop := f.host()
	f.until("the first ones play", func() bool { return f.games("foxes 1") > 0 })
	stop()
	hand("owls", "foxes")
	hand("owls", "foxes")
	h, _ := f.host()
	f.until("the new ones play", func() bool { return f.games("owls 2") > 0 && f.games("foxes 3") > 0 })
	e, err := h.recorded(t.Context())
	f.must(err)
	var replaced []string
	for _, b := range e.Bots {
		replaced = append(replaced, b.Replaces...)
	}
	if !slices.Equal(replaced, []string{"foxes 1"}) {
		t.Errorf("%q are replaced", replaced)
	}
}

// A version stays itself where what starts it has changed, such as an interpreter.
func TestVersionStays(t *testing.T) {
	t.Parallel()
	f := setup(t, "host: {}\n")
	f.teams("owls")
	h, stop := f.host()
	f.submit(h, "owls", "bot random")
	f.until("it plays", func() bool { return f.games("owls 1") > 0 })
	stop()
	dirs, err := filepath.Glob(filepath.Join(f.config.Dir, "bots", "owls", "1*"))
	if f.must(err); len(dirs) != 1 {
		t.Fatalf("%q", dirs)
	}
	f.must(os.WriteFile(filepath.Join(dirs[0], "random"), nil, 0o600)) // the fingerprint takes the argument for a file
	n := f.games("owls 1")
	h, _ = f.host()
	f.until("it goes on", func() bool { return f.games("owls 1") > n })
	f.submit(h, "owls", "bot greedy")
	f.until("the next one plays", func() bool { return f.games("owls 2") > 0 })
}

// A host that ends at any step of a submission goes on at that step.
func TestResumesAtEachStep(t *testing.T) {
	t.Parallel()
	f := setup(t, "host: {}\n")
	f.teams("foxes", "bats")
	h, err := New(f.config)
	f.must(err)
	f.submit(h, "foxes", "refuse")
	f.submit(h, "bats", "bot random")
	f.submit(h, "bats", "bot greedy")
	// Each step is begun, cut off, begun again and done, by a new host.
	for range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if sub, err := h.take(t.Context()); err == nil && sub != nil {
			if err := h.advance(ctx, sub); err == nil {
				t.Error("a step was done by a host that had ended")
			}
		}
		f.must(h.Close())
		h, err = New(f.config)
		f.must(err)
		if _, err := h.submissionStep(t.Context()); err != nil {
			t.Error(err)
		}
	}
	f.must(h.Close())
	f.state("foxes", 1, store.Refused)
	f.state("bats", 1, store.Replaced)
	if sub := f.state("bats", 2, string(store.Entered)); len(sub.Steps) != 6 {
		t.Errorf("%+v", sub.Steps)
	}
}

// What is the machine's fault refuses nobody, and holds nobody else up.
func TestMachinesFault(t *testing.T) {
	t.Parallel()
	f := setup(t, "host: {}\n")
	f.teams("owls", "foxes")
	h, err := New(f.config)
	f.must(err)
	defer func() { f.must(h.Close()) }()
	f.submit(h, "owls", "machine")
	f.submit(h, "foxes", "bot random")
	step := func() error {
		did, err := h.submissionStep(t.Context())
		if !did {
			t.Error("nothing is done")
		}
		return err
	}
	f.must(step())
	if err := step(); err == nil || !strings.Contains(err.Error(), "submission 1 of owls: the machine is at fault") {
		t.Error(err)
	}
	h.mu.Lock()
	for id := range h.later {
		h.later[id] = time.Now().Add(time.Hour) // this may take longer than a host waits
	}
	h.mu.Unlock()
	f.must(step())
	f.must(step())
	f.state("foxes", 1, string(store.Built))
	f.state("owls", 1, string(store.Unpacked))
	clear(h.later)
	f.must(step())
	f.state("owls", 1, string(store.Built))
}

func TestQuotaAndSize(t *testing.T) {
	t.Parallel()
	f := setup(t, "host: {submissions: {per_day: 2, size: 10B}}\n")
	f.teams("owls")
	h, err := New(f.config)
	f.must(err)
	defer func() { f.must(h.Close()) }()
	_, err = h.Submit(t.Context(), "owls", "a", strings.NewReader("12345678901"))
	refusedAs(t, err, http.StatusRequestEntityTooLarge, "larger than 10 B")
	_, err = h.Submit(t.Context(), "owls", "a", strings.NewReader(""))
	refusedAs(t, err, http.StatusBadRequest, "empty")
	broken := errors.New("the line was cut")
	if _, err = h.Submit(t.Context(), "owls", "a", io.MultiReader(strings.NewReader("1234"), &failing{broken})); !errors.Is(err, broken) {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(f.config.Dir, "*", "*")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if before, left, err := h.Queue(t.Context(), "owls"); before != -1 || left != 2 || err != nil {
		t.Error(before, left, err)
	}
	if sub := f.submit(h, "owls", "refuse"); sub.File != "bot.txt" {
		t.Errorf("%+v", sub)
	}
	f.submit(h, "owls", "refuse")
	if before, left, err := h.Queue(t.Context(), "owls"); before != 0 || left != 0 || err != nil {
		t.Error(before, left, err)
	}
	_, err = h.Submit(t.Context(), "owls", "a", strings.NewReader("x"))
	refusedAs(t, err, http.StatusTooManyRequests, "2 files today")
	f.pass(24 * time.Hour)
	f.submit(h, "owls", "refuse")
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// The host's clock opens and closes the league, also where it is put back; teams challenge
// each other; the ladder plays on for the stated time, and the final is between the versions that entered.
func TestDeadline(t *testing.T) {
	t.Parallel()
	opens, closes := time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
	f := setup(t, "host: {opens: "+opens.Format(time.RFC3339)+", closes: "+closes.Format(time.RFC3339)+", challenges: 4, freeze: 30m, final: {format: round-robin, rounds: 1, seed: 5}}\n")
	f.teams("owls", "foxes")
	h, stop := f.host()
	_, err := h.Submit(t.Context(), "owls", "a", strings.NewReader("bot greedy"))
	refusedAs(t, err, http.StatusForbidden, "opens on")
	f.pass(61 * time.Minute)
	_, err = h.Challenge(t.Context(), "owls", "greedy", 2)
	refusedAs(t, err, http.StatusUnprocessableEntity, "no bot in the league yet")
	f.submit(h, "owls", "bot greedy")
	f.submit(h, "foxes", "bot random")
	f.state("owls", 1, string(store.Entered))
	f.state("foxes", 1, string(store.Entered))
	f.challenges(h)
	f.until("they play", func() bool { return f.games("foxes 1") > 2 && f.games("owls 1") > 2 })
	l := &f.config.League
	if _, err := FinalEvent(t.Context(), f.store, f.config.Runner.Catalog, l, f.config.Now()); err == nil || !strings.Contains(err.Error(), "takes submissions until") {
		t.Error(err)
	}
	f.pass(time.Hour)
	_, err = h.Submit(t.Context(), "owls", "a", strings.NewReader("bot greedy"))
	refusedAs(t, err, http.StatusForbidden, "closed on")
	f.pass(-time.Hour)
	stop()
	h, stop = f.host()
	_, err = h.Submit(t.Context(), "owls", "a", strings.NewReader("bot greedy"))
	refusedAs(t, err, http.StatusForbidden, "closed on")
	if shown, err := h.League(t.Context()); err != nil || !shown.Closed {
		t.Errorf("%+v, %v", shown, err)
	}
	f.pass(time.Hour)
	n := f.games("owls 1")
	f.until("the ladder plays on", func() bool { return f.games("owls 1") > n+4 })
	if h.over() {
		t.Error("the ladder is over")
	}
	f.pass(time.Hour)
	if !h.over() {
		t.Error("the ladder is not over")
	}
	stop()
	e, err := FinalEvent(t.Context(), f.store, f.config.Runner.Catalog, l, f.config.Now())
	f.must(err)
	if e.Name != "cup final" || len(e.Bots) != 2 || e.Bots[0].Name != "owls 1" || e.Bots[0].Seed != 1 || e.Seed != 5 || e.Format != "round-robin" {
		t.Errorf("%+v", e)
	}
	summary, err := f.config.Runner.Run(t.Context(), e, event.Options{})
	if err != nil || summary.Played != 2 {
		t.Errorf("%+v, %v", summary, err)
	}
	again, err := FinalEvent(t.Context(), f.store, f.config.Runner.Catalog, l, f.config.Now())
	if err != nil || len(again.Bots) != 2 {
		t.Errorf("%+v, %v", again, err)
	}

	out := filepath.Join(t.TempDir(), "out")
	x := Export{Store: f.store, Catalog: f.config.Runner.Catalog, League: "cup", Dir: f.config.Dir}
	names, err := x.Write(t.Context(), out)
	if err != nil || len(names) != 6 {
		t.Errorf("%v, %v", names, err)
	}
	grades, err := os.ReadFile(filepath.Join(out, "grades.csv"))
	if lines := strings.Split(string(grades), "\n"); err != nil || !strings.HasPrefix(lines[1], "foxes,2,foxes 1,entered,") || !strings.HasPrefix(lines[2], "owls,1,owls 1,entered,") {
		t.Errorf("%s, %v", grades, err)
	}
	if text, err := os.ReadFile(filepath.Join(out, "submissions", "owls", "1-bot.txt")); err != nil || string(text) != "bot greedy" {
		t.Errorf("%s, %v", text, err)
	}
}

// challenges plays a challenge of two teams in a league that has them: in an event that no
// rating counts.
func (f *fixture) challenges(h *Host) {
	f.Helper()
	t := f.T
	for _, games := range []int{0, 3, 6} {
		_, err := h.Challenge(t.Context(), "owls", "greedy", games)
		refusedAs(t, err, http.StatusBadRequest, "2 to 4 games")
	}
	_, err := h.Challenge(t.Context(), "owls", "gredy", 2)
	refusedAs(t, err, http.StatusUnprocessableEntity, `"greedy"`)
	_, err = h.Challenge(t.Context(), "owls", "owls 1", 2)
	refusedAs(t, err, http.StatusUnprocessableEntity, "itself")
	c, err := h.Challenge(t.Context(), "owls", "foxes", 4)
	f.must(err)
	if c.Opponent != "foxes 1" || c.State != store.ChallengeWaits {
		t.Errorf("%+v", c)
	}
	f.until("it is over", func() bool {
		list, err := f.store.Challenges(t.Context(), "cup", "owls")
		f.must(err)
		c = list[0]
		return !c.Ended.IsZero()
	})
	e, err := f.store.Event(t.Context(), c.Event)
	if err != nil || c.State != store.ChallengeEnded || e.Played != 4 || !e.Archived {
		t.Errorf("%+v, %+v, %v", c, e, err)
	}
}

// A file is refused before the disk is full.
func TestDiskIsKept(t *testing.T) {
	t.Parallel()
	f := setup(t, "host: {submissions: {size: 8PB}}\n")
	f.teams("owls")
	h, err := New(f.config)
	f.must(err)
	defer func() { f.must(h.Close()) }()
	_, err = h.Submit(t.Context(), "owls", "a", strings.NewReader("bot random"))
	refusedAs(t, err, http.StatusInsufficientStorage, "disk is nearly full")
	if f.mu.Lock(); len(f.log) != 1 || !strings.Contains(f.log[0], "submissions are refused until") {
		t.Errorf("the organiser is told %q", f.log)
	}
	f.mu.Unlock()
}

// Whatever a file was called, its name can be shown, and written to a folder.
func FuzzFileName(f *testing.F) {
	for _, name := range []string{"bot.py", "../x", `..\x`, "a\x00b", "\xff", "\u202egpj.exe", "   ", "a/"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := fileName(name)
		if got == "" || strings.ContainsAny(got, "/\\\x00\n") || got == "." || got == ".." || !utf8.ValidString(got) || len([]rune(got)) > 100 {
			t.Errorf("%q: %q", name, got)
		}
	})
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"bot.py": "bot.py", "../../etc/passwd": "passwd", `C:\x\bot.zip`: "bot.zip", "": "submission", "/": "submission", "..": "submission", "a\x00\x1b[31m\n.py": "a__[31m_.py",
		"\xff\xfe.c": "_.c", strings.Repeat("x", 300) + ".go": strings.Repeat("x", 97) + ".go",
	} {
		if got := fileName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestCheckTeam(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"owls", "Team Ö", "team1", "4"} {
		if err := CheckTeam(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", " a", "owls 1", "a/b", "..", ".", "a\nb", strings.Repeat("x", 41), `a\b`} {
		if err := CheckTeam(name); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}
