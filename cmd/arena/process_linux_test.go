package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"botarena/arena/standings"
)

// generous is longer than anything takes on a busy machine.
const generous = 2 * time.Minute

// markVariable marks a test's arena and all that it starts.
const markVariable = "ARENA_TEST_MARK"

// A place is a folder with an event and a database, where arena runs as a person
// would run it.
type place struct {
	t    *testing.T
	dir  string
	mark string
}

func newPlace(t *testing.T, event string) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir()}
	p.mark = fmt.Sprintf("%s=%d-%d", markVariable, os.Getpid(), time.Now().UnixNano())
	p.write("event.yaml", event)
	// A run hashes the programs of its bots, and this one is small.
	p.write("bot.sh", "exec \"$@\"\n")
	t.Cleanup(p.wantNothingLeft)
	return p
}

// gate is the path of the gate at which bots wait: no file, since files among its
// arguments make a bot.
func (p *place) gate() string { return filepath.Join(p.dir, "gate") }

// write writes a file, with MARK and GATE replaced by what they stand for here.
func (p *place) write(name, text string) {
	p.t.Helper()
	text = strings.NewReplacer("MARK", p.mark, "GATE", p.gate()).Replace(text)
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// A child is a running arena.
type child struct {
	*exec.Cmd
	out, log safeBuffer
	begin    time.Time
	took     time.Duration
	err      error
	done     chan struct{} // closed when it has ended; what follows is valid then
	peak     int           // most kB in memory
	sampled  chan struct{}
}

// A reading is what a process holds at a time.
type reading struct{ rss, files int }

// start starts arena with arguments.
func (p *place) start(args ...string) *child {
	p.t.Helper()
	return p.startTo(nil, args...)
}

// startTo starts arena with a stdout of the test's own.
func (p *place) startTo(stdout *os.File, args ...string) *child {
	p.t.Helper()
	return p.launch(stdout, exec.Command("arena", args...))
}

func (p *place) launch(stdout *os.File, command *exec.Cmd) *child {
	p.t.Helper()
	c := &child{Cmd: command, begin: time.Now(), done: make(chan struct{}), sampled: make(chan struct{})}
	c.Dir, c.Stdout, c.Stderr = p.dir, &c.out, &c.log
	if stdout != nil {
		c.Stdout = stdout
	}
	// With the race detector, programs sleep for a second before they end.
	c.Env = append(os.Environ(), p.mark, "GORACE=atexit_sleep_ms=0")
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	go c.sample()
	go func() {
		c.err = c.Wait()
		c.took = time.Since(c.begin)
		<-c.sampled
		close(c.done)
	}()
	p.t.Cleanup(func() {
		_ = c.Process.Kill()
		<-c.done
	})
	return c
}

// sample follows arena's memory until it ends.
func (c *child) sample() {
	defer close(c.sampled)
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
		peak := kilobytes(status, "VmHWM:")
		if err != nil || peak == 0 { // a zombie has none
			return
		}
		c.peak = max(c.peak, peak)
		time.Sleep(20 * time.Millisecond)
	}
}

func kilobytes(status []byte, key string) int {
	_, rest, _ := bytes.Cut(status, []byte("\n"+key))
	fields := strings.Fields(string(rest))
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(fields[0])
	return n
}

// read returns what arena holds now.
func (c *child) read() (r reading) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
	r.rss = kilobytes(status, "VmRSS:")
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.Process.Pid))
	r.files = len(files)
	return r
}

// wait waits for arena's end and returns its exit code, -1 where a signal ended it.
func (p *place) wait(c *child) int {
	p.t.Helper()
	select {
	case <-c.done:
	case <-time.After(generous):
		_ = c.Process.Signal(syscall.SIGQUIT) // tells where it is
		select {
		case <-c.done:
		case <-time.After(5 * time.Second):
			_ = c.Process.Kill()
			<-c.done
		}
		p.t.Fatalf("arena does not end:\n%s", c.log.String())
	}
	var exit *exec.ExitError
	if c.err != nil && !errors.As(c.err, &exit) {
		p.t.Fatal(c.err)
	}
	return c.ProcessState.ExitCode()
}

// run runs arena to its end, wants the exit code, and returns what it printed.
func (p *place) run(want int, args ...string) (stdout, stderr string) {
	p.t.Helper()
	c := p.start(args...)
	if code := p.wait(c); code != want {
		p.t.Fatalf("arena %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, c.out.String(), c.log.String())
	}
	return c.out.String(), c.log.String()
}

// games are the event's games as recorded.
func (p *place) games() []standings.GameLine {
	p.t.Helper()
	stdout, _ := p.run(exitDone, "games", "--json", "--event", "e")
	var games []standings.GameLine
	if err := json.Unmarshal([]byte(stdout), &games); err != nil {
		p.t.Fatal(err)
	}
	return games
}

// left are the living processes that bear the mark.
func (p *place) left() (list []string) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, d := range dirs {
		environ, err := os.ReadFile(d + "/environ")
		if err == nil && bytes.Contains(environ, []byte(p.mark)) {
			command, _ := os.ReadFile(d + "/cmdline")
			list = append(list, filepath.Base(d)+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return list
}

// wantNothingLeft wants all processes of the place to be gone, soon: a killed
// arena's watchdog takes a moment.
func (p *place) wantNothingLeft() {
	p.t.Helper()
	eventually(p.t, func() string {
		if left := p.left(); len(left) > 0 {
			return "left: " + strings.Join(left, "\n")
		}
		return ""
	})
}

// eventually waits until there is nothing to complain about.
func eventually(t *testing.T, complaint func() string) {
	t.Helper()
	for end := time.Now().Add(generous); ; time.Sleep(20 * time.Millisecond) {
		text := complaint()
		if text == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatal(text)
		}
	}
}

// sameGames wants two lists of games to be alike but for times.
func sameGames(t *testing.T, got, want []standings.GameLine) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d games, want %d", len(got), len(want))
		return
	}
	for i := range got {
		g, w := got[i], want[i]
		for _, l := range []*standings.GameLine{&g, &w} {
			l.ID, l.Seconds, l.FirstCPU, l.SecondCPU, l.FirstOffTurn, l.SecondOffTurn, l.Void = 0, 0, 0, 0, 0, 0, 0
		}
		if !reflect.DeepEqual(g, w) {
			t.Errorf("game %d differs:\n%+v\n%+v", w.Number, g, w)
		}
	}
}

// A safeBuffer may be read while it is written.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
