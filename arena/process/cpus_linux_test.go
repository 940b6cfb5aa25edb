//go:build linux && !portable

package process_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"botarena/arena"
	"botarena/arena/process"
)

func TestCPUTime(t *testing.T) {
	s := newStarter(t)
	const busy = `i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; `
	for name, script := range map[string]string{
		"itself":        busy + "echo; read -r x",
		"waited child":  "sh -c '" + busy + "'; echo; read -r x",
		"living child":  "(" + busy + "echo; read -r x; sleep 1000)",
		"after the end": busy,
	} {
		p := sh(t, s, script)
		if name == "after the end" {
			eventually(t, "ended", func() bool { return !p.Alive() })
		} else {
			wantLine(t, p, "")
		}
		if got := p.CPUTime(); got < 20*time.Millisecond || got > generous {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := sh(t, s, "sleep 1000").CPUTime(); got > 500*time.Millisecond {
		t.Errorf("a sleeper used %v", got)
	}
}

func TestStopped(t *testing.T) {
	p := sh(t, newStarter(t), `echo; kill -STOP $$; read -r x; echo back; sleep 1000`)
	wantLine(t, p, "")
	eventually(t, "stopped", p.Stopped)
	_, err := p.ReadLine(in(20 * time.Millisecond))
	wantError(t, err, arena.ErrTimeout)
	if !p.Alive() {
		t.Error("a stopped bot is taken for dead")
	}
	write(t, p, "go\n")
	p.Continue()
	wantLine(t, p, "back")
	if p.Stopped() {
		t.Error("still stopped")
	}
	if err := syscall.Kill(p.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "stopped again", p.Stopped)
	start := time.Now()
	if err := p.End(generous); err != nil {
		t.Fatal(err)
	}
	if time.Since(start) > generous/2 {
		t.Error("a stopped bot got its grace")
	}
}

func TestPinning(t *testing.T) {
	cpus, err := process.CPUs()
	if err != nil || len(cpus) == 0 {
		t.Fatal(cpus, err)
	}
	last := cpus[len(cpus)-1].ID
	s := newStarter(t)
	pinned := sh(t, s, `sh -c 'grep Cpus_allowed_list /proc/self/status'; sleep 1000`, func(s *process.Spec) { s.CPUs = []int{last} })
	wantLine(t, pinned, fmt.Sprintf("Cpus_allowed_list:\t%d", last))
	// The starter's thread is itself again.
	free := sh(t, s, `grep Cpus_allowed: /proc/self/status; sleep 1000`)
	line, err := free.ReadLine(in(generous))
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil || !bytes.Contains(status, line) {
		t.Errorf("an unpinned bot got %q", line)
	}
	if _, err := s.Start(context.Background(), process.Spec{Command: []string{"sh"}, Dir: "/", CPUs: []int{1000}}); err == nil || !strings.Contains(err.Error(), "1000") {
		t.Errorf("pinned to a CPU that is not there: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		unpin, err := process.PinThread([]int{last})
		if err != nil {
			done <- err
			return
		}
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(0, &set); err != nil || set.Count() != 1 || !set.IsSet(last) {
			done <- fmt.Errorf("pinned to %v, %w", set, err)
			return
		}
		unpin()
		if err := unix.SchedGetaffinity(0, &set); err != nil || set.Count() != len(cpus) {
			done <- fmt.Errorf("unpinned to %v, %w", set, err)
			return
		}
		_, err = process.PinThread([]int{1000})
		if err == nil {
			err = errors.New("pinned to CPU 1000")
		} else {
			err = nil
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// All threads of a program keep to the CPUs that it names, those that it starts later, too;
// a thread that is pinned elsewhere stays there.
func TestKeepTo(t *testing.T) {
	t.Parallel()
	if os.Getenv("KEEP_TO") == "" { // in a program of its own: the other tests share the threads
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestKeepTo$", "-test.v")
		cmd.Env = append(os.Environ(), "KEEP_TO=1")
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestKeepTo")) {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	cpus, err := process.CPUs()
	if err != nil {
		t.Fatal(err)
	}
	first, last := cpus[0].ID, cpus[len(cpus)-1].ID
	if err := process.KeepTo([]int{last}); err != nil {
		t.Fatal(err)
	}
	const threads = 8
	var started, end sync.WaitGroup
	started.Add(threads)
	end.Add(1)
	for i := range threads {
		go func() {
			if i > 0 {
				runtime.LockOSThread() // each has a thread of its own
			} else if _, err := process.PinThread([]int{first}); err != nil {
				t.Error(err)
			}
			started.Done()
			end.Wait()
		}()
	}
	started.Wait()
	defer end.Done()
	list, err := os.ReadDir("/proc/self/task")
	if err != nil || len(list) < threads {
		t.Fatalf("%d threads, %v", len(list), err)
	}
	on := map[int]int{}
	for _, thread := range list {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			t.Fatal(err)
		}
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(id, &set); err != nil || set.Count() != 1 {
			t.Errorf("thread %d: %d CPUs, %v", id, set.Count(), err)
		}
		for _, cpu := range []int{first, last} {
			if set.IsSet(cpu) {
				on[cpu]++
			}
		}
	}
	if first != last && (on[first] != 1 || on[last] != len(list)-1) {
		t.Errorf("threads by CPU: %v", on)
	}
}

func TestClaimCPUs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "arena")
	cmd := exec.Command("/proc/self/exe", "claim", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "claimed\n" {
		t.Fatalf("%q, %v", line, err)
	}
	cpus := []process.CPU{{ID: 0}, {ID: 1, Core: 1}, {ID: 2, Core: 2}, {ID: 3, Core: 3}}
	claim := func(free, taken int) *process.Claim {
		t.Helper()
		c, err := process.ClaimCPUs(dir, cpus)
		if err != nil || len(c.Free) != free || len(c.Taken) != taken {
			t.Fatalf("%+v, %v; want %d free, %d taken", c, err, free, taken)
		}
		return c
	}
	first := claim(2, 2)
	claim(0, 4)
	first.Keep([][]int{{3}})
	claim(1, 3).Keep(nil)
	first.Keep(nil)
	// A killed arena holds nothing.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	claim(4, 0).Keep(nil)
	if _, err := process.ClaimCPUs("/dev/null", cpus); err == nil {
		t.Error("claimed in a file")
	}
}

// A bot that is suspended uses no CPU, nor does what it started; it can be ended
// like that, and goes on where it is let.
func TestSuspend(t *testing.T) {
	p := sh(t, newStarter(t), "(while :; do :; done) & echo ready; read x; echo went on; sleep 1000")
	wantLine(t, p, "ready")
	p.Suspend()
	eventually(t, "stopped", p.Stopped)
	before := p.CPUTime()
	time.Sleep(100 * time.Millisecond)
	if used := p.CPUTime() - before; used > 30*time.Millisecond {
		t.Errorf("it used %v while it was stopped", used)
	}
	write(t, p, "x\n")
	p.Continue()
	wantLine(t, p, "went on")
	p.Suspend()
	if err := p.End(0); err != nil {
		t.Error(err)
	}
}

// A bot and its children can be moved to other cores while they run.
func TestPlace(t *testing.T) {
	cpus, err := process.CPUs()
	if err != nil || len(cpus) == 0 {
		t.Fatalf("%v, %v", cpus, err)
	}
	p := sh(t, newStarter(t), "sleep 1000 & echo $!; sleep 1000")
	child := readPIDs(t, p, 1)[0]
	last := cpus[len(cpus)-1].ID
	if err := p.Place([]int{last}); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{p.PID(), child} {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(pid, &set); err != nil || set.Count() != 1 || !set.IsSet(last) {
			t.Errorf("process %d may run on %d CPUs, want CPU %d alone: %v", pid, set.Count(), last, err)
		}
	}
	if err := p.End(0); err != nil {
		t.Error(err)
	}
}
