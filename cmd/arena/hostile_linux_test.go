package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena/process"
	"botarena/arena/standings"
	"botarena/bots/misbehaving"
)

const (
	hostileMove   = time.Second // the clock of the events with a hostile bot
	hostileMargin = 200 * time.Millisecond
	hostileSlack  = 8 * time.Second          // for a busy machine, in one game
	hostilePeak   = memoryFactor * 200 << 10 // kB of memory that arena may take
)

// hostileEvent is three bots, of whom one commits a fault in its second move of
// the first game of each of its processes.
func hostileEvent(fault, more string) string {
	return fmt.Sprintf(`
event: e
game: breakthrough:8x6
seed: 3
rounds: 1
openings: {random: 2}
clock: {move: %v, margin: %v, depth: 1}
concurrency: 2
grace: 1s
handshake: 5s
log: protocol
bots:
  - {name: greedy, builtin: greedy}
  - {name: minimax, builtin: minimax}
  - name: hostile
    command: [arena, bot, misbehaving, --fault, %s, --at-move, "2", --delay, 3s, --life, 100s, --children, "15"]
    env: ["MARK"]
%s`, hostileMove, hostileMargin, fault, more)
}

// hostileWants are the reasons for which a fault may lose a game, and does so in
// some unless hostileTraces has it; for none the bot's games are to end by the rules.
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
		"info-flood":        {"protocol error", "time forfeit"}, // where arena takes a second to read 16 MiB
		"stderr-flood":      {"time forfeit"},                   // where 100 MB take a second
		"close-stdout":      {"crash"},
		"close-stdin":       {"crash"},
		"fork-child":        {"crash"},
		"fork-many":         {"time forfeit"}, // where starting its children takes a second
		"setsid-grandchild": nil,
		"memory":            {"crash", "time forfeit"}, // under a limit, where reaching it takes a second
		"write-files":       nil,
		"socket":            nil,
		"kill-parent":       nil,
		"stop-opponent":     nil,
		"stop-self":         {"time forfeit", "stall"}, // its other threads may still answer
		"never-quit":        nil,
	}
}

// hostileTraces are what a fault leaves in the logs, of those that need lose no game:
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

// A calmRun is an event with a bot that behaves.
type calmRun struct {
	took  time.Duration
	games []standings.GameLine
}

// runCalm plays it.
func runCalm(t *testing.T, event string) calmRun {
	t.Helper()
	calm := newPlace(t, event)
	c := calm.start("run", "event.yaml", "--quiet")
	if code := calm.wait(c); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, c.log.String())
	}
	return calmRun{c.took, calm.games()}
}

// shielded reports whether this kernel keeps bots from signalling others.
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

// One fault of each family that only a whole arena shows: what others do is judged by
// fake sessions in arena/session and arena/referee, by processes in bots/misbehaving,
// and here in TestExternalHostileBots.
func TestHostileBots(t *testing.T) {
	t.Parallel()
	hostileBots(t, hostileEvent, "crash", "setsid-grandchild", "memory", "kill-parent")
}

// hostileBots plays so many faults (none: all of them) beside honest bots, some games at once: the right
// reason and blame, nobody else's games touched, all games played, nothing left,
// little memory, and no time lost but that of the clocks and of the grace.
func hostileBots(t *testing.T, event func(fault, more string) string, only ...string) {
	m := runCalm(t, event("none", ""))
	shield := shielded(t)
	wants := hostileWants()
	// The slowest comes first: its handshakes take five seconds.
	faults := misbehaving.Faults()
	slices.SortStableFunc(faults, func(a, b misbehaving.Fault) int {
		return len(strings.TrimPrefix(a.Name, "no-handshake")) - len(a.Name) - len(strings.TrimPrefix(b.Name, "no-handshake")) + len(b.Name)
	})
	for _, f := range faults {
		if len(only) > 0 && !slices.Contains(only, f.Name) {
			continue
		}
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
			h := hostile{
				fault: f.Name, event: event(f.Name, more), reasons: want, trace: hostileTraces(shield)[f.Name],
				killsArena: f.Name == "kill-parent" && !shield, mayStop: f.Name == "stop-opponent" && !shield,
			}
			h.play(t, m)
		})
	}
}

// A hostile is an event with a fault, and what is to come of it.
type hostile struct {
	fault, event string
	reasons      []string // for which it loses games; none: it loses none so
	trace        string   // what a log says of it; "" for nothing
	killsArena   bool     // which is started again then
	mayStop      bool     // its opponent, where the kernel lets it
}

// play plays the event and judges it.
func (h *hostile) play(t *testing.T, m calmRun) {
	t.Helper()
	if h.killsArena {
		// Each run gets through some games before the bot's second one, and so on.
		h.event = strings.Replace(h.event, `--at-move, "2"`, `--in-game, "2"`, 1)
	}
	p := newPlace(t, h.event)
	c := p.start("run", "event.yaml")
	code := p.wait(c)
	for runs := 1; code == -1 && h.killsArena && runs < 30; runs++ {
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
	games := p.games()
	if len(games) != len(m.games) {
		t.Fatalf("%d games, want %d", len(games), len(m.games))
	}
	var honest, honestWant []standings.GameLine
	longest, blamed := 0.0, map[string]int{}
	for i := range games {
		g := &games[i]
		if g.First != "hostile" && g.Second != "hostile" {
			honest, honestWant = append(honest, *g), append(honestWant, m.games[i])
			continue
		}
		longest = max(longest, g.Seconds)
		lost := (g.Result == "1-0") == (g.Second == "hostile") && g.Result != "1/2-1/2"
		switch {
		case g.Blame == "" && (g.Reason == "win by rule" || g.Reason == "draw by rule"):
		case h.mayStop && strings.Contains(g.Detail, "stopped by a signal"):
		case g.Blame != "hostile" || !lost || !slices.Contains(h.reasons, g.Reason):
			t.Errorf("game %d, %s - %s: %s, %s, blame %q: %s", g.Number, g.First, g.Second, g.Result, g.Reason, g.Blame, g.Detail)
		}
		// A process that is found dead, or deaf, before a game has not lost that game;
		// each slot has one.
		deadBetween := (h.fault == "exit-after-move" || h.fault == "close-stdin") && g.Void <= 4
		if g.Void > 0 && !deadBetween {
			t.Errorf("game %d was void %d times", g.Number, g.Void)
		}
		if g.Blame != "" {
			blamed[g.Reason]++
		}
	}
	sameGames(t, honest, honestWant)
	// A bot has ten seconds to get ready, and then its clock.
	if limit := 10*time.Second + hostileMove + hostileMargin + hostileSlack; longest > limit.Seconds() {
		t.Errorf("a game took %.1f s", longest)
	}
	// Six games are the bot's, three handshakes are waited for, and there is one grace.
	if limit := 6*(hostileMove+hostileMargin) + 31*time.Second + hostileSlack; c.took-m.took > limit {
		t.Errorf("the event took %v longer", c.took-m.took)
	}
	if len(h.reasons) > 0 && len(blamed) == 0 && h.trace == "" {
		t.Error("it was never blamed")
	}
	if h.trace != "" && !p.logged(h.trace) {
		t.Errorf("no log says %q: was the fault committed?", h.trace)
	}
	if h.fault == "never-quit" && c.took < time.Second {
		t.Errorf("a bot that never quits was gone before the grace was over: %v", c.took)
	}
}

// logged reports whether a log of the place has a text.
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
