//go:build linux && !portable

package process_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"botarena/arena"
	"botarena/arena/process"
)

// TestMain lets the test program play other parts: a watchdog, and an arena that
// is going to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 {
		var err error
		switch os.Args[1] {
		case "watchdog":
			err = process.RunWatchdog(os.Stdin, os.Args[2])
		case "doomed-arena":
			err = doomedArena(os.Args[2])
		case "claim":
			err = claimForEver(os.Args[2])
		default:
			os.Exit(m.Run())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// gone reports whether a process has ended (a zombie has).
func gone(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || bytes.Contains(text, []byte(") Z "))
}

// readPIDs reads so many lines that hold a pid.
func readPIDs(t testing.TB, p *process.Process, n int) []int {
	t.Helper()
	pids := make([]int, n)
	for i := range pids {
		line, err := p.ReadLine(in(generous))
		if err != nil {
			t.Fatal(err)
		}
		if pids[i], err = strconv.Atoi(string(line)); err != nil {
			t.Fatal(err)
		}
	}
	return pids
}

// escapes are ways to leave a bot's process group. Each prints one pid.
func escapes() map[string]string {
	return map[string]string{
		"child in the group":          `sleep 1000 & echo $!`,
		"session of its own":          `setsid sh -c 'echo $$; exec sleep 1000' &`,
		"orphan in its own session":   `(setsid sh -c 'echo $$; exec sleep 1000' &)`,
		"no environment":              `setsid env -i sh -c 'echo $$; exec sleep 1000' &`,
		"orphan without environment":  `(setsid env -i sh -c 'echo $$; exec sleep 1000' &)`,
		"chain":                       `setsid setsid sh -c 'setsid sh -c "echo \$\$; exec sleep 1000"; sleep 1000' &`,
		"ignores signals, holds pipe": `setsid sh -c 'trap "" TERM HUP INT; echo $$; while :; do sleep 1; done' &`,
	}
}

func TestNothingIsLeft(t *testing.T) {
	s := newStarter(t)
	for name, escape := range escapes() {
		t.Run(name, func(t *testing.T) {
			bystander := sh(t, s, escape+"\n read -r x; echo fine; sleep 1000")
			other := readPIDs(t, bystander, 1)[0]
			for _, ending := range []string{"sleep 1000", "read -r x; exit 0"} {
				p := sh(t, s, escape+"\n"+ending)
				pid := readPIDs(t, p, 1)[0]
				write(t, p, "end\n")
				if ending != "sleep 1000" {
					eventually(t, "ended", func() bool { return !p.Alive() })
				}
				if err := p.End(0); err != nil {
					t.Fatal(err)
				}
				if !gone(pid) || !gone(p.PID()) {
					t.Errorf("%s: process %d is left", ending, pid)
				}
			}
			// What another living bot has started is its own affair.
			if strings.Contains(name, "without environment") {
				return // nothing tells whose it is: see TestUnmarkedOrphan
			}
			if gone(other) {
				t.Error("another bot's process was ended")
			}
			write(t, bystander, "go\n")
			wantLine(t, bystander, "fine")
		})
	}
}

// In the midst of exec a process shows no environment. It is nobody's for that.
func TestExecIsNoEscape(t *testing.T) {
	s := newStarter(t)
	again := filepath.Join(t.TempDir(), "again.sh")
	if err := os.WriteFile(again, []byte(`exec sh "$0"`), 0o600); err != nil {
		t.Fatal(err)
	}
	owner := sh(t, s, `(setsid sh -c 'echo $$; exec sh "$0"' `+again+` &)`+"\n sleep 1000")
	pid := readPIDs(t, owner, 1)[0]
	for range 100 {
		if err := sh(t, s, "sleep 1000").End(0); err != nil {
			t.Fatal(err)
		}
		if gone(pid) {
			t.Fatal("another bot's process was ended")
		}
	}
}

// An orphan that has thrown away session and mark cannot be told from a dead
// bot's, so it goes with the next sweep.
func TestUnmarkedOrphan(t *testing.T) {
	s := newStarter(t)
	owner := sh(t, s, escapes()["orphan without environment"]+"\n sleep 1000")
	pid := readPIDs(t, owner, 1)[0]
	eventually(t, "orphaned", func() bool {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return bytes.Contains(text, fmt.Appendf(nil, ") S %d ", os.Getpid()))
	})
	p := sh(t, s, "sleep 1000")
	if err := p.End(0); err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		t.Error("an unmarked orphan outlived a sweep")
	}
	if !owner.Alive() {
		t.Error("the living bot was ended")
	}
}

// A child that the program's other code has started is none of a Starter's.
func TestForeignChildrenLive(t *testing.T) {
	s := newStarter(t)
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := sh(t, s, "exit 0")
	if err := p.End(generous); err != nil {
		t.Fatal(err)
	}
	if gone(cmd.Process.Pid) {
		t.Error("it was killed")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("its end was taken from its owner: %v", err)
	}
	// Another run's bots are not this run's leftovers either.
	other := newStarter(t)
	theirs := sh(t, other, "(setsid sh -c 'echo $$; exec sleep 1000' &) ; sleep 1000")
	pid := readPIDs(t, theirs, 1)[0]
	if err := sh(t, s, "exit 0").End(generous); err != nil {
		t.Fatal(err)
	}
	if gone(pid) || !theirs.Alive() {
		t.Error("another run's process was ended")
	}
}

// A program that forks without end is ended, at most 64 processes at a time.
func TestForkingIsEnded(t *testing.T) {
	s := newStarter(t)
	p := sh(t, s, `
		export BODY='i=0; while [ $i -lt 200 ]; do i=$((i+1)); setsid sleep 0.05 & wait $!; done'
		for i in 1 2 3 4 5 6 7 8; do setsid sh -c "$BODY" & done
		echo ready; wait`)
	wantLine(t, p, "ready")
	if err := p.End(0); err != nil {
		t.Fatal(err)
	}
	if marked := markedProcesses(t); len(marked) > 0 {
		t.Errorf("left: %v", marked)
	}
}

// markedProcesses lists living processes that descend from the test's bots.
func markedProcesses(t *testing.T) []string {
	t.Helper()
	names, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range names {
		environ, err := os.ReadFile("/proc/" + name.Name() + "/environ")
		if err == nil && bytes.Contains(environ, []byte(process.MarkVariable+"="+strings.Split(runID(t), "-")[0]+"-"+strconv.Itoa(os.Getpid()))) {
			found = append(found, name.Name())
		}
	}
	return found
}

func TestMarkIsOfTheRun(t *testing.T) {
	s := newStarter(t)
	for n := 1; n <= 2; n++ {
		p := sh(t, s, "echo $"+process.MarkVariable)
		line, err := p.ReadLine(in(generous))
		if err != nil || !strings.HasSuffix(string(line), fmt.Sprintf(".%d", n)) || !strings.HasPrefix(string(line), "TestMark") {
			t.Errorf("%q, %v", line, err)
		}
	}
}

// doomedArena starts a watchdog and a bot with every kind of escape, prints the
// pids and waits to be killed.
func doomedArena(run string) error {
	s, err := process.NewStarter(process.Config{RunID: run, Environ: os.Environ(), Now: time.Now})
	if err != nil {
		return err
	}
	if err := s.StartWatchdog("/proc/self/exe", []string{"watchdog", run}); err != nil {
		return err
	}
	for name, escape := range escapes() {
		if strings.Contains(name, "no environment") || strings.Contains(name, "without environment") {
			continue // outside a sandbox these escape the watchdog: see the README
		}
		p, err := s.Start(context.Background(), process.Spec{Command: []string{"sh", "-c", escape + "\n sleep 1000"}, Dir: "/"})
		if err != nil {
			return err
		}
		line, err := p.ReadLine(time.Now().Add(generous))
		if err != nil {
			return err
		}
		fmt.Println(p.PID())
		fmt.Println(string(line))
	}
	fmt.Println("ready")
	select {}
}

func TestKilledArenaLeavesNothing(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "doomed-arena", runID(t))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", cmd.Process.Pid, cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, child := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil { // the watchdog among them
			pids = append(pids, pid)
		}
	}
	if len(pids) < 10 {
		t.Fatalf("only %d processes were started", len(pids))
	}
	for _, pid := range pids {
		if gone(pid) {
			t.Errorf("process %d had ended before", pid)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, pid := range pids {
		eventually(t, fmt.Sprintf("process %d has ended", pid), func() bool { return gone(pid) })
	}
}

func TestWatchdogEndsWithArena(t *testing.T) {
	s := newStarter(t)
	run := runID(t)
	before := children(t) // what earlier tests left may end at any moment
	if err := s.StartWatchdog("/proc/self/exe", []string{"watchdog", run}); err != nil {
		t.Fatal(err)
	}
	started := func() (pids []string) {
		for _, pid := range children(t) {
			if !slices.Contains(before, pid) {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	// A sweep takes it for no leftover.
	if err := sh(t, s, "exit 0").End(generous); err != nil {
		t.Fatal(err)
	}
	if got := started(); len(got) != 1 {
		t.Errorf("children %v were started and live, want the watchdog", got)
	}
	if err := s.StartWatchdog("/nowhere", nil); err == nil {
		t.Error("a watchdog that does not exist started")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := started(); len(got) != 0 {
		t.Errorf("children %v live after Close", got)
	}
}

// A watchdog that is told goodbye kills nothing.
func TestWatchdogGoodbye(t *testing.T) {
	run := runID(t)
	cmd := exec.Command("sleep", "1000")
	cmd.Env = append(os.Environ(), process.MarkVariable+"="+run+".1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := process.RunWatchdog(strings.NewReader("q"), run); err != nil || gone(cmd.Process.Pid) {
		t.Errorf("after goodbye: %v, gone %v", err, gone(cmd.Process.Pid))
	}
	if err := process.RunWatchdog(strings.NewReader(""), run+"x"); err != nil || gone(cmd.Process.Pid) {
		t.Errorf("another run's: %v, gone %v", err, gone(cmd.Process.Pid))
	}
	if err := process.RunWatchdog(strings.NewReader(""), run); err != nil || !gone(cmd.Process.Pid) {
		t.Errorf("without goodbye: %v, gone %v", err, gone(cmd.Process.Pid))
	}
	_ = cmd.Wait()
}

func children(t *testing.T) []string {
	t.Helper()
	var all []string
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}

func TestLimits(t *testing.T) {
	s := newStarter(t)
	limits := func(l arena.Limits) func(*process.Spec) {
		return func(s *process.Spec) { s.Limits, s.Sandbox = l, arena.SandboxLimits }
	}
	t.Run("memory", func(t *testing.T) {
		// dd takes a buffer of one block
		const script = `dd if=/dev/zero of=/dev/null bs=200M count=1 2>/dev/null && echo got it || echo refused`
		wantLine(t, sh(t, s, script, limits(arena.Limits{Memory: 100 << 20})), "refused")
		wantLine(t, sh(t, s, script, limits(arena.Limits{Memory: 400 << 20})), "got it")
	})
	t.Run("file size", func(t *testing.T) {
		p := sh(t, s, `head -c 100000 /dev/zero > big; wc -c < big; exit 0`, limits(arena.Limits{FileSize: 5000}))
		wantLine(t, p, "5000")
	})
	t.Run("CPU time", func(t *testing.T) {
		// At the first limit comes a signal that a bot can ignore, at the second its end: see
		// TestExternalCPULimit.
		p := sh(t, s, `ulimit -S -t; ulimit -H -t; sleep 1000`, limits(arena.Limits{CPUTime: 100 * time.Millisecond}))
		wantLine(t, p, "1")
		wantLine(t, p, "2")
	})
	t.Run("processes", func(t *testing.T) {
		_, err := s.Start(context.Background(), process.Spec{Command: []string{"sh"}, Dir: "/", Limits: arena.Limits{Processes: 10}})
		var unsupported *process.UnsupportedError
		if os.Geteuid() == 0 && (!errors.As(err, &unsupported) || !strings.Contains(err.Error(), "root")) {
			t.Errorf("root's processes are limited: %v", err)
		}
		if os.Geteuid() != 0 && err != nil {
			t.Error(err)
		}
	})
	t.Run("without prlimit", func(t *testing.T) {
		if _, err := os.Stat("/usr/bin/prlimit"); err != nil {
			t.Fatal("this machine has no /usr/bin/prlimit: install util-linux")
		}
	})
}

func TestKernelOutOfMemoryChoosesBots(t *testing.T) {
	p := sh(t, newStarter(t), `echo; sleep 1000`)
	wantLine(t, p, "")
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", p.PID()))
	if err != nil || strings.TrimSpace(string(text)) != "500" {
		t.Errorf("%q, %v", text, err)
	}
}

// The memory of arena does not grow with what bots say.
func TestMemoryIsFlat(t *testing.T) {
	s := newStarter(t)
	before := residentPeak(t)
	endless := sh(t, s, `yes | tr -d '\n'`)
	_, err := endless.ReadLine(in(generous))
	wantError(t, err, arena.ErrLineTooLong)
	talker := sh(t, s, `yes info | head -c 40000000; yes >&2`, func(s *process.Spec) { s.Stderr = io.Discard })
	for err = nil; err == nil; {
		_, err = talker.ReadLine(in(generous))
	}
	wantError(t, err, arena.ErrFlood)
	if after := residentPeak(t); after-before > 16<<20 {
		t.Errorf("peak grew by %d MiB", (after-before)>>20)
	}
}

// residentPeak is the highest resident memory so far, in bytes.
func residentPeak(t *testing.T) int64 {
	t.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return usage.Maxrss << 10
}

// Bots outside a sandbox cannot signal each other or arena where the kernel can
// keep them from it; their own processes they can.
func TestSignalsAmongBots(t *testing.T) {
	s := newStarter(t)
	victim := sh(t, s, `while read -r x; do echo "$x"; done`)
	hostile := sh(t, s, `while read -r pid name; do
	if kill -STOP "$pid" 2>/dev/null; then echo "reached $name"; else echo "no $name"; fi
done`)
	want := "reached"
	if s.Shields() {
		want = "no"
	}
	write(t, hostile, fmt.Sprintf("%d victim\n", victim.PID()))
	wantLine(t, hostile, want+" victim")
	if got := victim.Stopped(); got != !s.Shields() {
		t.Errorf("stopped: %v, shielded: %v", got, s.Shields())
	}
	victim.Continue()
	write(t, victim, "hello\n")
	wantLine(t, victim, "hello")
	own := sh(t, s, `sleep 1000 & kill -STOP $! && echo "reached own"; read -r x`)
	wantLine(t, own, "reached own")
	if s.Shields() { // else this test would stop itself
		write(t, hostile, fmt.Sprintf("%d arena\n", os.Getpid()))
		wantLine(t, hostile, "no arena")
	}
}

// The threads that bots are forked on go with them.
func TestThreadsEnd(t *testing.T) {
	threads := func() int {
		list, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	s := newStarter(t)
	round := func() {
		var all []*process.Process
		for range 10 {
			all = append(all, sh(t, s, "read -r x"))
		}
		for _, p := range all {
			if err := p.End(0); err != nil {
				t.Fatal(err)
			}
		}
	}
	round()
	before := threads()
	for range 3 {
		round()
	}
	eventually(t, "as many threads as before", func() bool { return threads() <= before+5 })
}

// claimForEver claims all CPUs but the first and waits to be killed.
func claimForEver(dir string) error {
	c, err := process.ClaimCPUs(dir, []process.CPU{{ID: 0}, {ID: 1, Core: 1}, {ID: 2, Core: 2}})
	if err != nil {
		return err
	}
	c.Keep([][]int{{1}, {2}})
	fmt.Println("claimed")
	select {}
}
