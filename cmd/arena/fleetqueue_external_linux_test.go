//go:build external && linux

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/store"
)

const queueLeague = `
event: cup
game: breakthrough:5x5
format: ladder
clock: {nodes: 20000}
openings: {random: 4}
concurrency: 1
bots:
  - {name: deep, builtin: minimax}
  - {name: middle, builtin: minimax, clock: {nodes: 5000}}
  - {name: shallow, builtin: minimax, clock: {nodes: 1000}}
host: {}
`

// fixedBot is a bot that moves in the same way in the same position, after a while, and plays
// the farthest move in so many of a hundred positions.
const fixedBot = `import sys, time, zlib
moves, where = [], ""
for line in sys.stdin:
    words = line.split()
    if not words: continue
    if words[0] == "ugi": print("id name fixed\noption name UGI_LegalMoves type check default false\nugiok", flush=True)
    elif words[0] == "isready": print("readyok", flush=True)
    elif words[0] == "position": where = line
    elif words[0] == "legal": moves = sorted(words[1:])
    elif words[0] == "go":
        time.sleep(%v)
        dice = zlib.crc32(("%s" + where).encode())
        far = max if moves and int(moves[0][3]) > int(moves[0][1]) else min
        print("bestmove", far(moves, key=lambda m: int(m[3])) if dice %% 100 < %d else moves[dice // 100 %% len(moves)], flush=True)
    elif words[0] == "quit": break
`

// Three workers and a host play a league and two tests at once, while they are killed, and a
// third test that overtakes these: all come to the verdict, the ratio and the games of the same
// tests on one machine, no game is lost or twice on record, and the ladder goes on.
func TestExternalFleetQueue(t *testing.T) {
	t.Parallel()
	s := newLeagueSoak(t, queueLeague, "--experiments", "owls")
	s.more = []string{anyNoise, "--lease", "2s"}
	must := func(name, text string) {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must("token", s.tokens[0])
	for name, skill := range map[string]int{"new": 60, "old": 40, "worse": 25} {
		must(name+".py", fmt.Sprintf(fixedBot, 0.05, name, skill))
	}
	tests := [][]string{
		{"new", "old", "--elo1", "40", "--max-pairs", "300", "--seed", "5", "--random", "3"},
		{"worse", "old", "--elo1", "40", "--max-pairs", "300", "--seed", "5", "--random", "3"},
		{"worse", "new", "--elo1", "100", "--max-pairs", "300", "--seed", "6", "--random", "3"},
	}
	sprt := func(i int, file string) []string {
		args := []string{"sprt"}
		for _, bot := range tests[i][:2] {
			args = append(args, bot+"="+fmt.Sprintf(file, bot))
		}
		return append(args, append([]string{"--clock", "nodes=1", "--game", "breakthrough:5x5", "--quiet"}, tests[i][2:]...)...)
	}
	s.startHost()
	for n := range 3 {
		s.startWorker(n + 1)
	}
	db, err := store.OpenRead(t.Context(), filepath.Join(s.dir, "arena.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	s.until("the ladder plays", time.Minute, func() bool { return s.played(db, "cup") > 0 })
	queue := func(i int, priority string) {
		cmd := s.command(append(sprt(i, "%s.py"), "--to", s.url, "--token-file", "token", "--priority", priority)...)
		if out, err := cmd.Output(); err != nil {
			t.Fatalf("%s, %v", out, err)
		}
	}
	queue(0, "0")
	queue(1, "0")

	rng := rand.New(rand.NewPCG(5, 6))
	host, workers := 0, 0
	var ended [3]time.Time
	name := func(i int) string { return fmt.Sprintf("cup experiment %d", i+1) }
	over := func(i int) bool {
		x, err := db.Experiment(t.Context(), "cup", int64(i+1))
		if err != nil || x.Over() && x.State != store.ExperimentEnded {
			t.Fatalf("%+v, %v", x, err)
		}
		ended[i] = x.Ended
		return x.Over()
	}
	before := s.played(db, "cup")
	end := time.Now().Add(20 * time.Minute)
	for urged := false; !urged || !over(0) || !over(1) || !over(2); {
		if time.Now().After(end) {
			t.Fatal("the tests do not end")
		}
		time.Sleep(time.Duration(2+rng.IntN(5)) * time.Second)
		if rng.IntN(3) == 0 {
			s.end("host", syscall.SIGKILL)
			s.startHost()
			host++
		} else {
			n := 1 + rng.IntN(3)
			s.end(fmt.Sprint("w", n), syscall.SIGKILL)
			s.startWorker(n)
			workers++
		}
		if !urged && s.played(db, name(0)) > 10 && s.played(db, name(1)) > 10 {
			queue(2, "9")
			urged = true
		}
	}
	s.until("the ladder goes on", time.Minute, func() bool { return s.played(db, "cup") > before+10 })
	s.end("host", syscall.SIGINT)
	t.Logf("the host was killed %d times, workers %d times", host, workers)
	if host == 0 || workers == 0 || !ended[2].Before(ended[0]) || !ended[2].Before(ended[1]) {
		t.Errorf("nothing was killed, or the more urgent test did not go first: %v", ended)
	}
	if n := s.atOnce(db, name(0), name(1)); n < 10 {
		t.Errorf("%d games of the first test were played beside some of the second", n)
	}
	for i := range tests {
		s.sameTest(sprt(i, "python3 %s.py"), name(i), fmt.Sprintf(" (%d)", i+1))
		s.whole(db, name(i), true)
	}
	s.whole(db, "cup", false)
}

// atOnce counts the games of an event during which a game of another one was in progress.
func (s *leagueSoak) atOnce(db *store.Store, event, other string) (n int) {
	s.Helper()
	var list [2][]store.Game
	for i, name := range []string{event, other} {
		var err error
		if list[i], err = db.Games(s.Context(), store.Filter{Event: name, Played: true}); err != nil {
			s.Fatal(err)
		}
	}
	for i := range list[0] {
		g := &list[0][i]
		if slices.ContainsFunc(list[1], func(o store.Game) bool {
			return o.Start.Before(g.Start.Add(g.Wall)) && g.Start.Before(o.Start.Add(o.Wall))
		}) {
			n++
		}
	}
	s.Logf("%s: %d of %d games beside some of %s", event, n, len(list[0]), other)
	return n
}

func (s *leagueSoak) played(db *store.Store, event string) int {
	e, err := db.Event(s.Context(), event)
	if err != nil {
		return 0
	}
	return e.Played
}

// sameTest plays a test here alone, and wants its outcome and its games to be those of the
// event, whose bots have such an ending to their names.
func (s *leagueSoak) sameTest(sprt []string, event, ending string) {
	s.Helper()
	file := filepath.Join(s.dir, event+".db")
	alone := exec.Command("arena", append(sprt, "--concurrency", "16", "--event", event, "--db", file)...)
	alone.Dir, alone.Stderr = s.dir, s.log
	_ = alone.Run() // its exit code is the verdict
	type outcome struct {
		LLR          float64 `json:"llr"`
		Verdict      string  `json:"verdict"`
		Observations int     `json:"observations"`
	}
	read := func(file string) (o outcome, games []string) {
		cmd := exec.Command("arena", "sprt", "--event", event, "--json", "--db", file)
		cmd.Dir, cmd.Stderr = s.dir, s.log
		out, _ := cmd.Output()
		if err := json.Unmarshal(out, &o); err != nil {
			s.Fatalf("%s: %s, %v", file, out, err)
		}
		db, err := store.OpenRead(s.Context(), file, time.Now)
		if err != nil {
			s.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		list, err := db.Games(s.Context(), store.Filter{Event: event, Moves: true})
		if err != nil {
			s.Fatal(err)
		}
		at := map[string]int{}
		for i := range list {
			g := &list[i]
			line := fmt.Sprint(g.Number, g.Pair, strings.TrimSuffix(g.First, ending), strings.TrimSuffix(g.Second, ending), g.Opening, g.Result, g.Reason)
			for _, m := range g.Moves {
				line += " " + m.Move
			}
			games = append(games, line)
			at[g.Worker]++
		}
		s.Logf("%s: %+v, played at %v", filepath.Base(file), o, at)
		// A short test may end before a worker that is killed time and again gets its turn.
		if file == filepath.Join(s.dir, "arena.db") && len(games) > 100 && len(at) < 2 {
			s.Errorf("%s was played at %v alone", event, at)
		}
		return o, games
	}
	got, games := read(filepath.Join(s.dir, "arena.db"))
	want, wanted := read(file)
	if got != want || got.Verdict == "continue" || !slices.Equal(games, wanted) {
		s.Errorf("%s: %+v, and %+v on one machine\n%s\n--- want\n%s", event, got, want, strings.Join(games, "\n"), strings.Join(wanted, "\n"))
	}
}

// whole wants each game of an event to be once on record, and all of those that were planned
// if it has ended.
func (s *leagueSoak) whole(db *store.Store, event string, ended bool) {
	s.Helper()
	e, err := db.Event(s.Context(), event)
	if err != nil {
		s.Fatal(err)
	}
	seen, pairs, unplayed := map[int]bool{}, map[int]int{}, 0
	err = db.Scan(s.Context(), store.Filter{Event: event}, func(g *store.Game) error {
		switch {
		case g.Result == arena.Unplayed:
			unplayed++
		case seen[g.Number]:
			s.Errorf("%s: game %d is there twice", event, g.Number)
		default:
			seen[g.Number] = true
			pairs[g.Pair]++
		}
		return nil
	})
	if err != nil || len(seen) != e.Played || ended && unplayed > 0 {
		s.Errorf("%s: %d games, %d on record, %d unplayed, %v", event, len(seen), e.Played, unplayed, err)
	}
	for pair, n := range pairs {
		if n > 2 {
			s.Errorf("%s: pair %d has %d games", event, pair, n)
		}
	}
}
