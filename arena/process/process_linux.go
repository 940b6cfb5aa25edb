//go:build linux && !portable

package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"botarena/arena"
)

// A Process is a running bot. Write, ReadLine, Reset and End belong to one
// goroutine; the other methods may be called from any.
type Process struct {
	starter *Starter
	number  int // within the run
	pid     int
	pidfd   int
	spec    Spec
	stop    sync.Once
	gone    chan struct{} // closed once it is reaped

	reader

	mu           sync.Mutex // guards what follows
	innerFD      int        // pidfd of the sandbox's first process, -1 without one
	inner        int        // its pid
	reaped       bool
	status       syscall.WaitStatus
	cpu          time.Duration
	stderrFile   *os.File
	stderr       *drain
	stopWatching func() bool
	endErr       error
}

func newProcess(s *Starter, spec Spec, in, out int) *Process {
	p := &Process{starter: s, spec: spec, innerFD: -1, gone: make(chan struct{})}
	p.reader = reader{
		until: s.until, in: in, out: out,
		lines: lines{maxLine: spec.MaxLine, floodCap: spec.FloodCap, buf: make([]byte, spec.MaxLine+len("\r\n"))},
	}
	p.fds[0] = unix.PollFd{Fd: int32(out), Events: unix.POLLIN}
	p.fds[1] = unix.PollFd{Fd: -1, Events: unix.POLLIN}
	return p
}

// PID returns the process id of the bot's first process (of the sandbox's, in a strict
// one).
func (p *Process) PID() int { return p.pid }

// Alive reports whether the bot's process has not ended.
func (p *Process) Alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.reapIfDead()
}

// ExitStatus returns how the bot ended: "exit status 3", "killed by signal:
// segmentation fault"; "still running" if it has not. The status is available when
// ReadLine returns ErrClosed, unless the system takes more than 100 ms.
func (p *Process) ExitStatus() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reapIfDead() {
		return "still running"
	}
	signal := p.status.Signal()
	if p.innerFD >= 0 && p.status.Exited() && p.status.ExitStatus() > 128 {
		signal = syscall.Signal(p.status.ExitStatus() - 128) // as bwrap reports it
	} else if !p.status.Signaled() {
		return fmt.Sprintf("exit status %d", p.status.ExitStatus())
	}
	return "killed by signal: " + signal.String()
}

// Stopped reports whether the bot is stopped by a signal (SIGSTOP): it then uses up its
// time. The kernel does not tell who sent the signal; if the Starter shields bots from
// each other, it was the bot itself. Continue resumes it.
func (p *Process) Stopped() bool {
	for _, pid := range p.heads() {
		if stat, err := readStat(pid); err == nil && (stat.state == 'T' || stat.state == 't') {
			return true
		}
	}
	return false
}

// Suspend stops the bot with its process group (SIGSTOP) until Continue. What has
// left the group runs on.
func (p *Process) Suspend() { p.signal(syscall.SIGSTOP) }

// Continue sends SIGCONT to the bot and its process group.
func (p *Process) Continue() { p.signal(syscall.SIGCONT) }

func (p *Process) signal(sig syscall.Signal) {
	for _, pid := range p.heads() {
		p.mu.Lock()
		if !p.reaped { // the bot's own pid stays taken until it is reaped
			_ = syscall.Kill(pid, sig)
			if group, err := syscall.Getpgid(pid); err == nil && group == pid {
				_ = syscall.Kill(-group, sig)
			}
		}
		p.mu.Unlock()
	}
}

// CheckSuspend returns an *UnsupportedError if Suspend does nothing.
func CheckSuspend() error { return nil }

// Place binds the bot and its descendants to these CPUs.
func (p *Process) Place(cpus []int) error {
	var failed error
	var place func(pid, depth int)
	place = func(pid, depth int) {
		_, err := bindThreads(strconv.Itoa(pid), cpus, map[string]bool{})
		if errors.Is(err, fs.ErrNotExist) {
			return // it has ended
		}
		failed = cmp.Or(failed, err)
		const deepest = 16
		if children, err := childrenOf(pid); err == nil && depth < deepest {
			for _, child := range children {
				place(child, depth+1)
			}
		}
	}
	place(p.PID(), 0)
	return failed
}

// heads returns the pids of the bot's first process and, in a sandbox, of those between
// arena and it.
func (p *Process) heads() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return nil
	}
	if p.innerFD < 0 {
		return []int{p.pid}
	}
	children, _ := childrenOf(p.inner)
	return append([]int{p.pid, p.inner}, children...)
}

// CPUTime returns the user and system time of the bot so far, with its living
// descendants and those that it waited for (not orphaned ones). Once it has ended, it
// is the kernel's count.
func (p *Process) CPUTime() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reapIfDead() {
		return p.cpu
	}
	budget := 1000
	return treeCPU(p.pid, &budget)
}

// exited reports whether the process has ended, reaped or not.
func (p *Process) exited() bool {
	fds := []unix.PollFd{{Fd: int32(p.pidfd), Events: unix.POLLIN}}
	n, err := unix.Ppoll(fds, &unix.Timespec{}, nil)
	return err == nil && n > 0
}

// reapIfDead collects the status of a process that has ended, after killing
// what is left of its group: once reaped, the group's number may be another's.
func (p *Process) reapIfDead() bool {
	if p.reaped {
		return true
	}
	if !p.exited() {
		return false
	}
	_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	var usage syscall.Rusage
	for {
		_, err := syscall.Wait4(p.pid, &p.status, 0, &usage)
		if err != syscall.EINTR {
			break
		}
	}
	p.reaped = true
	p.cpu = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	return true
}

// kill kills the bot and its process group; it may be called at any time.
func (p *Process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return
	}
	if p.innerFD >= 0 {
		// The sandbox's first process takes all the others with it; bwrap then ends
		// by itself. Killing bwrap alone could leave them.
		_ = unix.PidfdSendSignal(p.innerFD, unix.SIGKILL, nil, 0)
		return
	}
	_ = syscall.Kill(-p.pid, syscall.SIGKILL)
}

// await waits until the process has ended or ctx is done, and copies its output to
// sink, nil for none.
func (p *Process) await(ctx context.Context, sink io.Writer) {
	_ = unix.Close(p.in)
	p.in = -1
	p.sink = sink
	for ctx.Err() == nil && p.Alive() {
		p.dropUntilExit(p.starter.config.Now().Add(100 * time.Millisecond))
	}
	for ctx.Err() == nil { // what it said last lies in the pipe
		if n, err := p.drop(); n <= 0 && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func (p *Process) end(grace time.Duration) error {
	if p.in >= 0 {
		_ = unix.Close(p.in)
		p.in = -1
	}
	if grace > 0 && !p.Stopped() {
		p.dropUntilExit(p.starter.config.Now().Add(grace))
	}
	// Until here the end of Start's context cuts the grace short.
	if p.stopWatching != nil {
		p.stopWatching()
	}
	err := p.discard()
	_ = unix.Close(p.out)
	p.out, p.fds[0].Fd, p.failed = -1, -1, arena.ErrClosed
	p.stderr.finish(p.stderrFile)
	return err
}

// discard kills the process, sweeps up what it left and closes what refers to it.
func (p *Process) discard() error {
	p.kill()
	if !p.reap() {
		return &LeftError{PIDs: []int{p.pid}}
	}
	close(p.gone)
	p.starter.forget(p)
	err := p.starter.sweep()
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = unix.Close(p.pidfd)
	p.fds[1].Fd = -1
	if p.innerFD >= 0 {
		_ = unix.Close(p.innerFD)
	}
	return err
}

// reap waits for the end of a process that was killed, and returns false if the kernel
// does not end it.
func (p *Process) reap() bool {
	// bwrap notices by itself that its child is gone; if it does not, its turn
	// comes after a second.
	for wait := 0; wait < 5; wait++ {
		fds := []unix.PollFd{{Fd: int32(p.pidfd), Events: unix.POLLIN}}
		_ = pollRestart(fds, time.Second)
		p.mu.Lock()
		gone := p.reapIfDead()
		if !gone {
			_ = syscall.Kill(-p.pid, syscall.SIGKILL)
		}
		p.mu.Unlock()
		if gone {
			return true
		}
	}
	return false
}
