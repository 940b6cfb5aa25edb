//go:build external && linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"botarena/arena/process"
	"botarena/arena/store"
)

const (
	spectators   = 2000
	crowdTeams   = 50 // each hands a bot in, all at once
	crowdPairs   = 4
	crowdPeriod  = 40 * time.Second
	crowdSlowest = 0.9  // of the speed without a crowd
	quiet        = 0.05 // share of the machine that others may use where the speed is judged
	crowdLeague  = `
event: cup
game: breakthrough:6x6
format: ladder
clock: {depth: 1}
openings: {random: 2}
bots:
  - {name: one, command: [python3, bot.py]}
  - {name: two, command: [python3, bot.py]}
host:
  submissions: {per_day: 100}
`
	// crowdBot does as much work for each move, whatever the position.
	crowdBot = `import hashlib, random, sys
moves = []
for line in sys.stdin:
    words = line.split()
    if not words: continue
    if words[0] == "ugi": print("id name worker\noption name UGI_LegalMoves type check default false\nugiok", flush=True)
    elif words[0] == "isready": print("readyok", flush=True)
    elif words[0] == "legal": moves = words[1:]
    elif words[0] == "go":
        hashlib.pbkdf2_hmac("sha256", b"work", b"salt", 20000)
        print("bestmove", random.choice(moves), flush=True)
    elif words[0] == "quit": break
`
)

// A crowd is a league of which periods with spectators and uploads are compared to others
// without. All its bots, those that are handed in, too, do the same work for each move, so
// plies a second say how fast it plays.
type crowd struct {
	*leagueSoak
	uploads int
}

// A crowdSpan is a period, and the CPU time that the host's own process used in it.
type crowdSpan struct {
	from, to time.Time
	cpu      time.Duration
}

// span plays for a period.
func (c *crowd) span() crowdSpan {
	s := crowdSpan{from: time.Now(), cpu: -c.hostCPU()}
	time.Sleep(crowdPeriod)
	s.to = time.Now()
	s.cpu += c.hostCPU()
	return s
}

// hostCPU returns the CPU time of the host's process, without those of bots and builds.
func (c *crowd) hostCPU() time.Duration {
	c.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.running["host"].Process.Pid))
	if err != nil {
		c.Fatal(err)
	}
	var user, system int64
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		c.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100 wherever Go runs
}

// busyShare returns the share of the machine that is in use, over some seconds.
func busyShare(t *testing.T) float64 {
	t.Helper()
	read := func() (busy, all float64) {
		data, err := os.ReadFile("/proc/stat")
		if err != nil {
			t.Fatal(err)
		}
		for i, word := range strings.Fields(strings.SplitN(string(data), "\n", 2)[0])[1:9] {
			var n float64
			if _, err := fmt.Sscan(word, &n); err != nil {
				t.Fatal(err)
			}
			if all += n; i != 3 && i != 4 { // idle, and waiting for a disk
				busy += n
			}
		}
		return busy, all
	}
	busy, all := read()
	time.Sleep(5 * time.Second)
	busy2, all2 := read()
	return (busy2 - busy) / (all2 - all)
}

// handInAll hands a bot of each team in at once.
func (c *crowd) handInAll() {
	c.uploads++
	var all sync.WaitGroup
	for team := range crowdTeams {
		all.Go(func() {
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			part, err := form.CreateFormFile("file", "bot.py")
			if err == nil {
				_, err = fmt.Fprintf(part, "# team %d, version %d\n%s", team, c.uploads, crowdBot)
			}
			if err != nil || form.Close() != nil {
				c.Error(err)
				return
			}
			r, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.url+"/team/submissions", &body)
			if err != nil {
				c.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+c.tokens[team])
			r.Header.Set("Content-Type", form.FormDataContentType())
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				c.Error(err)
				return
			}
			defer func() { _ = answer.Body.Close() }()
			if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusCreated {
				c.Errorf("team %d: %s %s", team, answer.Status, text)
			}
		})
	}
	all.Wait()
}

// watch has the spectators follow the league's page, until stop. They are elsewhere: their
// process keeps to the cores on which no game is played, and gives way to others.
func (c *crowd) watch() (stop func()) {
	cpus, err := process.CPUs()
	if err != nil {
		c.Fatal(err)
	}
	var spare []string
	for _, id := range process.IDs(process.Spare(cpus, len(cpus)-1)) {
		spare = append(spare, strconv.Itoa(id))
	}
	s := &served{tb: c.T, url: c.url}
	viewers := s.beside(exec.Command("taskset", "-c", strings.Join(spare, ","), "nice", "-n", "5", "viewers", c.url+"/live?event=cup", fmt.Sprint(spectators), c.url+"/league"))
	return func() {
		said := viewers()
		c.Logf("spectators: %s", said)
		if !strings.HasSuffix(said, " 0 failed") {
			c.Errorf("spectators met with errors: %s", said)
		}
	}
}

// through waits until nothing that was handed in is worked at.
func (c *crowd) through(db *store.Store) {
	c.until("all are through", 15*time.Minute, func() bool {
		pending, err := db.PendingSubmissions(c.Context(), "cup")
		return err == nil && len(pending) == 0
	})
}

// While 2,000 spectators follow a league's page and 50 bots are handed in at once, it plays
// at least nine tenths as fast as without them, and nobody meets with an error. Whether
// the speed is judged is decided by what others use of the machine before and after.
func TestExternalCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for ten minutes and more: leave -short out")
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Max < 3*spectators {
		t.Skipf("%d files may be open, and the spectators need %d: ulimit -n (%v)", files.Max, 3*spectators, err)
	}
	var teams []string
	for i := range crowdTeams {
		teams = append(teams, fmt.Sprintf("team%02d", i))
	}
	c := &crowd{leagueSoak: newLeagueSoak(t, crowdLeague, teams...)}
	c.fleet = "" // this machine plays alone
	if err := os.WriteFile(filepath.Join(c.dir, "bot.py"), []byte(crowdBot), 0o600); err != nil {
		t.Fatal(err)
	}
	others := busyShare(t)
	c.startHost()
	db, err := store.OpenRead(t.Context(), filepath.Join(c.dir, "arena.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	c.handInAll() // so that all teams play in all periods
	c.through(db)

	var alone, crowded []crowdSpan
	for i := range crowdPairs {
		for j := range 2 {
			if (i+j)%2 == 0 { // the one comes first as often as the other
				alone = append(alone, c.span())
				continue
			}
			stop := c.watch()
			c.handInAll()
			crowded = append(crowded, c.span())
			stop()
			c.through(db)
		}
	}
	c.end("host", syscall.SIGINT)
	others = max(others, busyShare(t))
	c.judge(db, alone, crowded, others)
	c.entered(db)
}

// judge compares the speeds.
func (c *crowd) judge(db *store.Store, alone, crowded []crowdSpan, others float64) {
	var games []store.Game
	err := db.Scan(c.Context(), store.Filter{Event: "cup", Played: true}, func(g *store.Game) error {
		if g.Blame != "" {
			c.Errorf("game %d: %s is to blame: %s %s", g.Number, g.Blame, g.Reason, g.Detail)
		}
		games = append(games, *g)
		return nil
	})
	if err != nil {
		c.Fatal(err)
	}
	// plies returns the plies a second of a period, and a second of games in it.
	plies := func(s crowdSpan) (all, played float64) {
		var busy float64
		for i := range games {
			g := &games[i]
			from, to := max(g.Start.Sub(s.from), 0), min(g.Start.Add(g.Wall).Sub(s.from), s.to.Sub(s.from))
			if to > from && g.Wall > 0 {
				all += float64(g.Plies) * float64(to-from) / float64(g.Wall)
				busy += (to - from).Seconds()
			}
		}
		return all / s.to.Sub(s.from).Seconds(), all / busy
	}
	var logs []float64
	for i := range alone {
		a, ownA := plies(alone[i])
		b, ownB := plies(crowded[i])
		logs = append(logs, math.Log(b/a))
		cores := func(s crowdSpan) float64 { return s.cpu.Seconds() / s.to.Sub(s.from).Seconds() }
		c.Logf("pair %d: %.1f plies/s alone, %.1f with the crowd, ratio %.3f; within games %.3f; the host's process uses %.2f and %.2f cores",
			i+1, a, b, b/a, ownB/ownA, cores(alone[i]), cores(crowded[i]))
	}
	mean, deviation := stat.MeanStdDev(logs, nil)
	n := float64(len(logs))
	half := deviation / math.Sqrt(n) * distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)
	c.Logf("with %d spectators and %d uploads at once the league plays at %.3f of its speed, 95 %% interval %.3f to %.3f; others used %.0f %% of the machine",
		spectators, crowdTeams, math.Exp(mean), math.Exp(mean-half), math.Exp(mean+half), 100*others)
	switch {
	case others > quiet:
		c.Logf("that is not judged, since others used more than %.0f %%", 100*quiet)
	case math.Exp(mean) < crowdSlowest:
		c.Errorf("that is less than %.2f", crowdSlowest)
	}
}

// entered looks whether all that was handed in entered.
func (c *crowd) entered(db *store.Store) {
	subs, err := db.Submissions(c.Context(), "cup", "")
	if err != nil || len(subs) != c.uploads*crowdTeams {
		c.Errorf("%d submissions, %v", len(subs), err)
	}
	for i := range subs {
		if s := &subs[i]; s.State != string(store.Entered) && s.State != store.Replaced {
			c.Errorf("%s %d is %s: %s", s.Team, s.Number, s.State, s.Reason)
		}
	}
}
