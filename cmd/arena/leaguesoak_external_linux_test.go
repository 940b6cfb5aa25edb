//go:build external && linux

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/web"
)

const (
	soakGames  = 30  // of each bot's newest version, before it is compared
	soakFirst  = 180 // seconds to the first game of nine versions in ten, kills included
	soakLeague = `
event: cup
game: breakthrough:5x5
format: ladder
clock: {depth: 1}
openings: {random: 3}
concurrency: 1
max_faults: 3
handshake: 5s
bots:
  - {builtin: random}
  - {builtin: greedy}
host:
  submissions: {per_day: 100, build: {time: 5s}}
  final: {format: round-robin, rounds: 4, seed: 3}
`
)

// soakBot is a bot that plays the farthest move with a probability, else any; with crash it
// ends after so many games.
const soakBot = `import random, sys
skill, crash, games, moves = %v, %d, 0, []
for line in sys.stdin:
    words = line.split()
    if not words: continue
    if words[0] == "ugi": print("id name soak\noption name UGI_LegalMoves type check default false\nugiok", flush=True)
    elif words[0] == "isready": print("readyok", flush=True)
    elif words[0] == "uginewgame":
        games += 1
    elif words[0] == "legal": moves = words[1:]
    elif words[0] == "go":
        if crash and games > crash: sys.exit(7)
        far = max if moves and int(moves[0][3]) > int(moves[0][1]) else min
        print("bestmove", far(moves, key=lambda m: int(m[3])) if random.random() < skill else random.choice(moves), flush=True)
    elif words[0] == "quit": break
`

// A soakCase is a file that is handed in, and what is to become of it.
type soakCase struct {
	name string
	data []byte
	at   store.Step // where it is refused; "" if it enters
}

func goodBot(skill float64) soakCase {
	return soakCase{name: "bot.py", data: fmt.Appendf(nil, soakBot, skill, 0)}
}

func zipped(files map[string]string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func linkedOut() []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "bot.py", Linkname: "/etc/passwd", Mode: 0o777}); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// brokenBots are broken in as many ways.
func brokenBots() []soakCase {
	whole := zipped(map[string]string{"bot.py": fmt.Sprintf(soakBot, 1, 0)})
	return []soakCase{
		{"up.zip", zipped(map[string]string{"../bot.py": "x"}), store.Unpacked},
		{"absolute.zip", zipped(map[string]string{"/etc/bot.py": "x"}), store.Unpacked},
		{"case.zip", zipped(map[string]string{"bot.py": "x", "BOT.py": "y"}), store.Unpacked},
		{"link.tar", linkedOut(), store.Unpacked},
		{"cut.zip", whole[:len(whole)-30], store.Unpacked},
		{"what.xyz", []byte("hello"), store.Unpacked},
		{"fails.zip", zipped(map[string]string{"bot.yaml": "build: sh b.sh\ncommand: sh a.sh\n", "b.sh": "exit 7", "a.sh": ""}), store.Built},
		{"hangs.zip", zipped(map[string]string{"bot.yaml": "build: sh b.sh\ncommand: sh a.sh\n", "b.sh": "sleep 1000", "a.sh": ""}), store.Built},
		{"syntax.py", []byte("print(\n"), store.Checked},
		{"dumb.py", []byte("import time\ntime.sleep(1000)\n"), store.Checked},
		{"illegal.py", bytes.ReplaceAll(fmt.Appendf(nil, soakBot, 0.5, 0), []byte(`print("bestmove", `), []byte(`print("bestmove a1a1", `)), store.Checked},
	}
}

// leagueSoak is a host with workers, which are killed and started again.
type leagueSoak struct {
	*testing.T
	dir, url, fleet string
	mu              sync.Mutex
	running         map[string]*exec.Cmd
	tokens          []string
	more            []string // arguments of the host
	log             *os.File
}

// newLeagueSoak prepares a league with teams; its host is to be started.
func newLeagueSoak(t *testing.T, league string, teams ...string) *leagueSoak {
	t.Helper()
	s := &leagueSoak{T: t, dir: t.TempDir(), url: "http://" + freeAddress(t), fleet: freeAddress(t), running: map[string]*exec.Cmd{}}
	var err error
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.mu.Lock()
		names := slices.Collect(maps.Keys(s.running))
		s.mu.Unlock()
		for _, name := range names {
			s.end(name, syscall.SIGKILL)
		}
		if t.Failed() {
			text, _ := os.ReadFile(s.log.Name())
			t.Logf("%s", text[max(0, len(text)-20_000):])
		}
	})
	if err := os.WriteFile(filepath.Join(s.dir, "league.yaml"), []byte(league), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, err := s.command(append([]string{"host", "teams", "add"}, teams...)...).Output()
	if s.tokens = regexp.MustCompile(`arena_\w+`).FindAllString(string(printed), -1); err != nil || len(s.tokens) == 0 {
		t.Fatalf("%s, %v", printed, err)
	}
	return s
}

// startWorker starts a worker with a key of its own, in the place of one that was killed.
func (s *leagueSoak) startWorker(n int) {
	s.Helper()
	name := fmt.Sprint("w", n)
	if _, err := os.Stat(filepath.Join(s.dir, name+".key")); err != nil {
		if out, err := s.command("fleet", "invite", name).Output(); err != nil {
			s.Fatalf("%s, %v", out, err)
		}
	}
	s.start(name, "worker", "--slots", "1", "--join", "tls://"+s.fleet, "--key", name+".key", "--cache", filepath.Join(s.dir, "cache "+name))
}

func (s *leagueSoak) command(args ...string) *exec.Cmd {
	cmd := exec.Command("arena", append(args, "--db", filepath.Join(s.dir, "arena.db"))...)
	cmd.Dir, cmd.Stderr = s.dir, s.log
	return cmd
}

// start starts the host or a worker, in the place of one that was killed.
func (s *leagueSoak) start(name string, args ...string) {
	s.Helper()
	cmd := s.command(args...)
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.mu.Lock()
	s.running[name] = cmd
	s.mu.Unlock()
}

func (s *leagueSoak) startHost() {
	args := []string{"host", "league.yaml", "--listen", strings.TrimPrefix(s.url, "http://")}
	if s.fleet != "" {
		args = append(args, "--fleet="+s.fleet)
	}
	s.start("host", append(args, s.more...)...)
	s.until("the host answers", time.Minute, func() bool {
		r, err := http.Get(s.url + "/league")
		if err == nil {
			_ = r.Body.Close()
		}
		return err == nil && r.StatusCode == http.StatusOK
	})
}

func (s *leagueSoak) end(name string, signal syscall.Signal) {
	s.mu.Lock()
	cmd := s.running[name]
	delete(s.running, name)
	s.mu.Unlock()
	if cmd != nil {
		_ = cmd.Process.Signal(signal)
		_ = cmd.Wait()
	}
}

func (s *leagueSoak) until(what string, within time.Duration, ok func() bool) {
	s.Helper()
	for end := time.Now().Add(within); !ok(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("never: %s", what)
		}
	}
}

// report returns a team's page as data.
func (s *leagueSoak) report(team int) (report web.TeamReport, err error) {
	r, err := http.NewRequest(http.MethodGet, s.url+"/team.json", http.NoBody)
	if err != nil {
		return report, err
	}
	r.Header.Set("Authorization", "Bearer "+s.tokens[team])
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return report, err
	}
	defer func() { _ = answer.Body.Close() }()
	return report, json.NewDecoder(answer.Body).Decode(&report)
}

// handIn hands a file in, once, whatever is killed meanwhile.
func (s *leagueSoak) handIn(team int, c soakCase, number int) {
	s.Helper()
	s.until(fmt.Sprintf("team %d hands in %s", team, c.name), 5*time.Minute, func() bool {
		if report, err := s.report(team); err != nil || len(report.Submissions) >= number {
			return err == nil
		}
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("file", c.name)
		if err == nil {
			_, err = part.Write(c.data)
		}
		if err != nil || form.Close() != nil {
			s.Fatal(err)
		}
		r, err := http.NewRequest(http.MethodPost, s.url+"/team/submissions", &body)
		if err != nil {
			s.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.tokens[team])
		r.Header.Set("Content-Type", form.FormDataContentType())
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return false
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode != http.StatusCreated {
			text, _ := io.ReadAll(answer.Body)
			s.Logf("team %d, %s: %s %s", team, c.name, answer.Status, text)
		}
		return answer.StatusCode == http.StatusCreated
	})
}

// Thirty teams hand in a hundred bots, a third of which are broken, while the host and two
// workers are killed ten times: each ends in the right state, no game is lost or twice on
// record, versions play soon, and the ladder orders the bots as a round robin does.
// With -short it is half as many teams, bots and kills.
func TestExternalLeagueSoak(t *testing.T) {
	t.Parallel()
	size, files, kills := 30, 100, 10
	if testing.Short() {
		size, files, kills = 15, 50, 5
	}
	var teams []string
	for i := range size {
		teams = append(teams, fmt.Sprintf("team%02d", i))
	}
	s := newLeagueSoak(t, soakLeague, teams...)
	s.startHost()
	s.startWorker(1)
	s.startWorker(2)

	rng := rand.New(rand.NewPCG(1, 2))
	broken := brokenBots()
	cases := make([][]soakCase, size)
	for i := range files {
		team := i % size
		c := goodBot(float64(team) / float64(size))
		if (i+i/size)%3 == 1 { // each team has good ones, too
			c = broken[i/3%len(broken)]
		} else if i < 6 {
			c.data = fmt.Appendf(nil, soakBot, 0.5, 40) // it crashes later
		}
		cases[team] = append(cases[team], c)
	}
	var handing sync.WaitGroup
	for team := range size {
		handing.Go(func() {
			for i, c := range cases[team] {
				s.handIn(team, c, i+1)
			}
		})
	}
	for i := range kills {
		time.Sleep(time.Duration(5+rng.IntN(15)) * time.Second)
		switch i % 3 {
		case 0, 1:
			s.end("host", syscall.SIGKILL)
			s.startHost()
		default:
			n := 1 + i/3%2
			s.end(fmt.Sprint("w", n), syscall.SIGKILL)
			s.startWorker(n)
		}
	}
	handing.Wait()
	db, err := store.OpenRead(t.Context(), filepath.Join(s.dir, "arena.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var subs []store.Submission
	s.until("all are through", 10*time.Minute, func() bool {
		if subs, err = db.Submissions(t.Context(), "cup", ""); err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(subs, func(s store.Submission) bool { return s.Pending() })
	})
	s.until("all have played", 10*time.Minute, func() bool {
		return !slices.ContainsFunc(subs, func(sub store.Submission) bool {
			if sub.State != string(store.Entered) {
				return false
			}
			games, err := db.Games(t.Context(), store.Filter{Event: "cup", Bot: sub.Bot, Played: true})
			return err != nil || len(games) < soakGames
		})
	})
	s.end("host", syscall.SIGINT)
	s.states(db, subs, cases)
	s.record(db, subs)
	s.order()
}

// states looks whether each submission ended as it should.
func (s *leagueSoak) states(db *store.Store, subs []store.Submission, cases [][]soakCase) {
	if want := len(slices.Concat(cases...)); len(subs) != want {
		s.Errorf("%d submissions, not %d", len(subs), want)
	}
	newest := map[string]bool{} // teams of which a newer one entered
	for i := range subs {
		sub := &subs[i]
		var team int
		if _, err := fmt.Sscanf(sub.Team, "team%d", &team); err != nil {
			s.Fatal(err)
		}
		want := cases[team][sub.Number-1]
		switch ok := sub.State == string(store.Entered) || sub.State == store.Benched && bytes.Contains(want.data, []byte("crash, games, moves = 0.5, 40")); {
		case want.at != "" && (sub.State != store.Refused || sub.Refused != want.at):
			s.Errorf("%s %d (%s) is %s %s, want it refused when %s: %s", sub.Team, sub.Number, want.name, sub.State, sub.Refused, want.at, sub.Reason)
		case want.at != "":
		case newest[sub.Team] && sub.State != store.Replaced, !newest[sub.Team] && !ok:
			s.Errorf("%s %d is %s: %s", sub.Team, sub.Number, sub.State, sub.Reason)
		}
		if sub.Bot != "" {
			newest[sub.Team] = true
		}
	}
}

// record looks at the games: those that are on record are there once, and those of each
// version began soon.
func (s *leagueSoak) record(db *store.Store, subs []store.Submission) {
	e, err := db.Event(s.Context(), "cup")
	if err != nil {
		s.Fatal(err)
	}
	seen, first := map[int]bool{}, map[string]time.Time{}
	pairs := map[int]int{}
	err = db.Scan(s.Context(), store.Filter{Event: "cup", Played: true}, func(g *store.Game) error {
		if seen[g.Number] {
			s.Errorf("game %d is there twice", g.Number)
		}
		seen[g.Number] = true
		pairs[g.Pair]++
		for _, bot := range []string{g.First, g.Second} {
			if at := g.Start.Add(g.Wall); first[bot].IsZero() || at.Before(first[bot]) {
				first[bot] = at
			}
		}
		return nil
	})
	if err != nil || len(seen) != e.Played || e.Played < len(s.tokens)*soakGames/2 {
		s.Errorf("%d games, %d on record, %v", len(seen), e.Played, err)
	}
	for pair, n := range pairs {
		if n > 2 {
			s.Errorf("pair %d has %d games", pair, n)
		}
	}
	var waits []float64
	for i := range subs {
		full, err := db.Submission(s.Context(), "cup", subs[i].Team, subs[i].Number)
		if err != nil {
			s.Fatal(err)
		}
		if at, ok := first[full.Bot]; ok && full.Bot != "" {
			wait := at.Sub(full.Steps[len(full.Steps)-1].Ended).Seconds()
			waits = append(waits, wait)
		} else if full.State == string(store.Entered) {
			s.Errorf("%s never played", full.Bot)
		}
	}
	slices.Sort(waits)
	s.Logf("%d games, %d versions played; first game after %.0f s in the middle, %.0f s at most", len(seen), len(waits), waits[len(waits)/2], waits[len(waits)-1])
	// A machine that is busy with more than the test may let the last few wait for longer.
	if late := waits[len(waits)*9/10]; late > soakFirst {
		s.Errorf("a tenth of the versions waited for %.0f s or more for their first game", late)
	}
}

// order plays the final, a round robin of the same versions, and compares the orders.
func (s *leagueSoak) order() {
	if out, err := s.command("host", "final", "league.yaml", "--quiet").Output(); err != nil {
		s.Fatalf("%s, %v", out, err)
	}
	elo := func(event string) map[string]float64 {
		out, err := s.command("leaderboard", "--event", event, "--json").Output()
		var lb standings.Leaderboard
		if err == nil {
			err = json.Unmarshal(out, &lb)
		}
		if err != nil {
			s.Fatal(err)
		}
		all := map[string]float64{}
		for _, row := range lb.Bots {
			if row.Elo != nil {
				all[row.Bot] = *row.Elo
			}
		}
		return all
	}
	ladder, final := elo("cup"), elo("cup final")
	var bots []string
	for bot := range final {
		if _, ok := ladder[bot]; ok {
			bots = append(bots, bot)
		}
	}
	slices.Sort(bots)
	tau := func(bots []string) float64 {
		sum, n := 0.0, 0.0
		for i, a := range bots {
			for _, b := range bots[:i] {
				if d := (ladder[a] - ladder[b]) * (final[a] - final[b]); d > 0 {
					sum++
				} else if d < 0 {
					sum--
				}
				if a != b {
					n++
				}
			}
		}
		return sum / n
	}
	rng := rand.New(rand.NewPCG(7, 7))
	var drawn []float64
	for range 1000 {
		sample := make([]string, len(bots))
		for i := range sample {
			sample[i] = bots[rng.IntN(len(bots))]
		}
		drawn = append(drawn, tau(sample))
	}
	slices.Sort(drawn)
	s.Logf("Kendall's tau of %d bots: %.2f, 95 %% interval %.2f to %.2f", len(bots), tau(bots), drawn[25], drawn[974])
	least := 0.5
	if testing.Short() {
		least = 0.4 // the interval of half as many is wider
	}
	if len(bots) < len(s.tokens)-4 || drawn[25] < least {
		s.Errorf("the ladder orders the bots in another way")
	}
}
