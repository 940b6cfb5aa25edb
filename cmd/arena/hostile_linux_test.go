package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botarena/arena/process"
	"botarena/bots/misbehaving"
)

const (
	hostileMove   = time.Second // the clock of the events with a hostile bot
	hostileMargin = 200 * time.Millisecond
	hostileSlack  = 8 * time.Second // for a busy machine, in one game
	hostilePeak   = 200 << 10       // kB of memory that arena may take
)

// hostileEvent is four bots, of whom one commits a fault in its second move of
// the first game of each of its processes.
func hostileEvent(fault, more string) string {
	return fmt.Sprintf(`
event: e
game: breakthrough:8x6
seed: 3
rounds: 1
openings: {random: 2}
clock: {move: %v, margin: %v, depth: 1}
concurrency: 4
grace: 1s
log: protocol
bots:
  - {name: greedy, builtin: greedy}
  - {name: minimax, builtin: minimax}
  - {name: random, builtin: random}
  - name: hostile
    command: [arena, bot, misbehaving, --fault, %s, --at-move, "2", --delay, 3s, --life, 100s, --children, "15"]
    env: ["MARK"]
%s`, hostileMove, hostileMargin, fault, more)
}

// hostileWants are the reasons for which a fault may lose a game; for none the
// bot's games are to end by the rules.
func hostileWants() map[string][]string {
	return map[string][]string{
		"none":            nil,
		"no-handshake":    {"stall"},
		"slow":            {"time forfeit"},
		"hang":            {"time forfeit"},
		"crash":           {"crash"},
		"exit-after-move": {"crash"},
		"illegal-move":    {"illegal move"},
		"null-bytes":      {"protocol error"},
		"invalid-utf8":    {"protocol error"},
		"two-bestmoves":   {"protocol error"},
		// An answer that comes after the next question is taken for that one's.
		"early-bestmove":    {"protocol error", "illegal move"},
		"endless-line":      {"protocol error"},
		"info-flood":        {"protocol error"},
		"stderr-flood":      nil,
		"close-stdout":      {"crash"},
		"close-stdin":       {"crash"},
		"fork-child":        {"crash"},
		"fork-many":         nil,
		"setsid-grandchild": nil,
		"memory":            {"crash"}, // under a limit
		"write-files":       nil,
		"socket":            nil,
		"kill-parent":       nil,
		"stop-opponent":     nil,
		"stop-self":         {"time forfeit"},
		"never-quit":        nil,
	}
}

// hostileTraces are what a fault leaves in the logs, of those that lose no game:
// the test would show nothing where they were not committed.
func hostileTraces(shield bool) map[string]string {
	traces := map[string]string{
		"stderr-flood": "the same complaint again",
		"fork-many":    "started 15 children",
		"write-files":  "wrote misbehaving-was-here",
		"socket":       "listens on 127.0.0.1",
	}
	if shield {
		traces["kill-parent"] = "could not kill the parent: operation not permitted"
		traces["stop-opponent"] = "stopped 0 processes"
	}
	return traces
}

// A matrixRow is what a fault did.
type matrixRow struct {
	fault, record string
	longest       float64 // seconds of the longest game with the bot
	event         float64 // seconds of the event
	peak          int     // kB
}

// matrix collects rows from tests that run in parallel.
type matrix struct {
	mu   sync.Mutex
	rows []matrixRow
}

func (m *matrix) add(r matrixRow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows = append(m.rows, r)
}

// String is the matrix in Markdown, in the order of the faults.
func (m *matrix) String() string {
	var b strings.Builder
	b.WriteString("\n| fault | the record says | longest game | event | arena's peak |\n|---|---|---|---|---|\n")
	for _, f := range misbehaving.Faults() {
		for _, r := range m.rows {
			if r.fault == f.Name {
				fmt.Fprintf(&b, "| %s | %s | %.1f s | %.1f s | %d MB |\n", r.fault, r.record, r.longest, r.event, r.peak>>10)
			}
		}
	}
	return b.String()
}

// shielded tells whether this kernel keeps bots from signalling others.
func shielded(t *testing.T) bool {
	t.Helper()
	s, err := process.NewStarter(process.Config{RunID: "probe", Environ: os.Environ(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	return s.Shields()
}

// Every fault beside honest bots, four games at once: the right reason and
// blame, nobody else's games touched, all games played, nothing left, little
// memory, and no time lost but that of the clocks and of the grace.
func TestHostileBots(t *testing.T) {
	m := &matrix{}
	t.Cleanup(func() { t.Log(m) })
	shield := shielded(t)
	calm := newPlace(t, hostileEvent("none", ""))
	calm.run(exitDone, "run", "event.yaml", "--quiet")
	undisturbed := calm.games()
	wants := hostileWants()
	// The slowest comes first: its handshakes take ten seconds.
	faults := misbehaving.Faults()
	slices.SortStableFunc(faults, func(a, b misbehaving.Fault) int {
		return len(strings.TrimPrefix(a.Name, "no-handshake")) - len(a.Name) - len(strings.TrimPrefix(b.Name, "no-handshake")) + len(b.Name)
	})
	for _, f := range faults {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			want, known := wants[f.Name]
			if !known {
				t.Fatal("what is to come of this fault?")
			}
			more := ""
			if f.Name == "memory" {
				more = "    limits: {memory: 256MB}\n"
			}
			hostileRow(t, m, f.Name, hostileEvent(f.Name, more), want, undisturbed, shield)
		})
	}
}

// hostileRow plays an event with a fault and judges it.
func hostileRow(t *testing.T, m *matrix, fault, event string, want []string, undisturbed []gameLine, shield bool) {
	t.Helper()
	if fault == "kill-parent" && !shield {
		// Each run gets through some games before the bot's second one, and so on.
		event = strings.Replace(event, `--at-move, "2"`, `--in-game, "2"`, 1)
	}
	p := newPlace(t, event)
	c := p.start("run", "event.yaml")
	code := p.wait(c)
	for runs := 1; code == -1 && fault == "kill-parent" && !shield && runs < 30; runs++ {
		p.wantNothingLeft()
		c = p.start("run", "event.yaml")
		code = p.wait(c)
	}
	if left := p.left(); len(left) > 0 {
		t.Errorf("left behind: %s", strings.Join(left, "\n"))
	}
	if code != exitDone {
		t.Fatalf("exit code %d\n%s%s", code, c.out.String(), c.log.String())
	}
	if c.peak > hostilePeak {
		t.Errorf("arena took %d kB", c.peak)
	}
	row := matrixRow{fault: fault, event: c.took.Seconds(), peak: c.peak}
	games := p.games()
	if len(games) != len(undisturbed) {
		t.Fatalf("%d games, want %d", len(games), len(undisturbed))
	}
	var honest, honestWant []gameLine
	blamed, details := map[string]int{}, map[string]string{}
	for i := range games {
		g := &games[i]
		if g.First != "hostile" && g.Second != "hostile" {
			honest, honestWant = append(honest, *g), append(honestWant, undisturbed[i])
			continue
		}
		row.longest = max(row.longest, g.Seconds)
		lost := (g.Result == "1-0") == (g.Second == "hostile") && g.Result != "1/2-1/2"
		switch {
		case g.Blame == "" && (g.Reason == "win by rule" || g.Reason == "draw by rule"):
		case g.Blame != "hostile" || !lost || !slices.Contains(want, g.Reason):
			t.Errorf("game %d, %s - %s: %s, %s, blame %q: %s", g.Number, g.First, g.Second, g.Result, g.Reason, g.Blame, g.Detail)
		}
		// A process that is found dead, or deaf, before a game has not lost that game.
		deadBetween := (fault == "exit-after-move" || fault == "close-stdin") && g.Void == 1
		if g.Void > 0 && !deadBetween && (shield || fault != "stop-opponent") {
			t.Errorf("game %d was void %d times", g.Number, g.Void)
		}
		if g.Blame != "" {
			blamed[g.Reason]++
			details[g.Reason] = g.Detail
		}
	}
	sameGames(t, honest, honestWant)
	if limit := hostileMove + hostileMargin + hostileSlack; row.longest > limit.Seconds() && fault != "no-handshake" {
		t.Errorf("a game took %.1f s", row.longest)
	}
	if len(want) > 0 && len(blamed) == 0 {
		t.Error("it was never blamed")
	}
	row.record = "games end by the rules"
	for _, reason := range want {
		if n := blamed[reason]; n > 0 {
			row.record = fmt.Sprintf("%s: %s", reason, details[reason])
		}
	}
	if trace := hostileTraces(shield)[fault]; trace != "" && !p.logged(trace) {
		t.Errorf("no log says %q: was the fault committed?", trace)
	}
	if fault == "never-quit" && c.took < time.Second {
		t.Errorf("a bot that never quits was gone before the grace was over: %v", c.took)
	}
	m.add(row)
}

// logged tells whether a log of the place has a text.
func (p *place) logged(text string) bool {
	found := false
	err := filepath.WalkDir(filepath.Join(p.dir, "results", "logs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found = found || bytes.Contains(b, []byte(text))
		return err
	})
	if err != nil {
		p.t.Error(err)
	}
	return found
}
