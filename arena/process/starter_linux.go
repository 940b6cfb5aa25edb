//go:build linux && !portable

package process

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Starter starts the bots of one run and ends what is left of them. A program has
// one: it makes the program a child subreaper, and treats any child in a foreign
// session without another run's mark as a bot's leftover.
type Starter struct {
	config  Config
	session int  // arena's own, in which no bot is
	shields bool // bots cannot signal each other: see scope_linux.go

	roster
	ours     map[int]bool // other children in sessions of their own: watchdogs
	watchdog *watchdog    // nil for none
	// sandboxed counts strict sandboxes, each of which gets a user id.
	sandboxed int
	shims     sync.Map // what version managers said
}

// NewStarter makes the program a child subreaper, marks its open files to be
// closed on exec, and returns a Starter. Close it.
func NewStarter(config Config) (*Starter, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become a child subreaper: %w", err)
	}
	// Files that arena's parent left open must not reach bots. (Before Linux 5.11 this
	// call fails, and they stay open.)
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	session, err := unix.Getsid(0)
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	return &Starter{config: config, session: session, shields: canScope(), roster: roster{live: map[*Process]bool{}}, ours: map[int]bool{}}, nil
}

// Close ends all bots that still run, sweeps up what they left and ends the watchdog,
// if the caller is the last user of the Starter. The error is a *LeftError if something
// could not be ended.
func (s *Starter) Close() error {
	last, err := s.endAll()
	if !last {
		return nil
	}
	return errors.Join(err, s.sweep(), s.dismiss())
}

// Start starts a bot; when ctx is done the bot is killed, and reads return ErrClosed.
// The caller ends it with End in any case. The error is a *NotFoundError,
// *NotExecutableError, *DirError, *SandboxError, *UnsupportedError, *BusyError or one
// of the system's.
func (s *Starter) Start(ctx context.Context, spec Spec) (*Process, error) {
	spec, err := spec.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	program, err := FindProgram(spec.Command[0], spec.Dir, s.config.path())
	if err != nil {
		return nil, err
	}
	l := launch{spec: spec, program: program, argv: append([]string{program}, spec.Command[1:]...), dir: spec.Dir}
	// argv[0] stays as the user wrote it, as a shell leaves it.
	l.argv[0] = spec.Command[0]
	l.env = join(s.config.Environ, spec.Env)
	if err := s.confine(ctx, &l); err != nil {
		return nil, err
	}
	p, err := s.launch(&l)
	if err != nil {
		return nil, err
	}
	p.stopWatching = context.AfterFunc(ctx, p.kill)
	return p, nil
}

// launch holds the state of starting one Spec.
type launch struct {
	spec    Spec
	program string // the file to exec
	argv    []string
	dir     string
	env     []string
	strict  bool     // argv is bwrap's, which writes its child's pid to descriptor 3
	shows   []string // bwrap's arguments for what of the user's files a strict sandbox shows
	path    []string // folders that a strict sandbox puts before those of PATH
}

// launch makes the pipes and forks.
func (s *Starter) launch(l *launch) (p *Process, err error) {
	var files fileSet
	defer func() {
		if err != nil {
			files.closeAll()
		}
	}()
	stdin, err := files.pipe()
	if err != nil {
		return nil, err
	}
	stdout, err := files.pipe()
	if err != nil {
		return nil, err
	}
	stderr, err := files.pipe()
	if err != nil {
		return nil, err
	}
	child := []uintptr{uintptr(stdin[0]), uintptr(stdout[1]), uintptr(stderr[1])}
	if l.spec.merged {
		child[1] = uintptr(stderr[1])
	}
	info := [2]int{-1, -1}
	if l.strict {
		if info, err = files.pipe(); err != nil {
			return nil, err
		}
		child = append(child, uintptr(info[1]))
	}
	for _, fd := range []int{stdin[1], stdout[0], stderr[0]} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
	}
	p = newProcess(s, l.spec, stdin[1], stdout[0])
	if err := s.forkOn(l, p, child); err != nil {
		return nil, err
	}
	files.close(stdin[0], stdout[1], stderr[1], info[1])
	if l.strict {
		if err := p.awaitSandbox(info[0], stderr[0]); err != nil {
			_ = p.discard()
			return nil, err
		}
		files.close(info[0])
	}
	p.stderrFile = os.NewFile(uintptr(stderr[0]), "stderr of "+l.program)
	p.stderr = startDrain(p.stderrFile, l.spec.Stderr, l.spec.StderrCap)
	return p, nil
}

// forkOn forks on a thread that outlives the bot: PR_SET_PDEATHSIG fires when the
// thread that forked dies. Outside of a strict sandbox the thread is in a domain of its
// own, which isolates the bot from others.
func (s *Starter) forkOn(l *launch, p *Process, files []uintptr) error {
	done := make(chan error, 1)
	onOwnThread(func() {
		var err error
		if s.shields && !l.strict {
			err = enterScope()
		}
		if err == nil {
			err = s.fork(l, p, files)
		}
		done <- err
		if err == nil {
			<-p.gone
		}
	})
	return <-done
}

// fork starts the program and registers it; the calling thread must outlive it.
func (s *Starter) fork(l *launch, p *Process, files []uintptr) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed()
	}
	// The mask is set before exec, on this thread, and inherited: set afterwards
	// it would miss the threads that a bot starts at once.
	if len(l.spec.CPUs) > 0 {
		var before unix.CPUSet
		if err := unix.SchedGetaffinity(0, &before); err != nil {
			return fmt.Errorf("read the CPU affinity: %w", err)
		}
		if err := setAffinity(0, l.spec.CPUs); err != nil {
			return err
		}
		defer func() { _ = unix.SchedSetaffinity(0, &before) }()
	}
	s.started++
	p.number = s.started
	env := slices.Concat(l.env, []string{MarkVariable + "=" + s.config.RunID + "." + strconv.Itoa(p.number)})
	pidfd := -1
	pid, err := syscall.ForkExec(l.program, l.argv, &syscall.ProcAttr{
		Dir: l.dir, Env: env, Files: files,
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL, PidFD: &pidfd},
	})
	if err != nil {
		return execError(l.program, err)
	}
	if pidfd < 0 { // before Linux 5.4
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		_, _ = syscall.Wait4(pid, nil, 0, nil)
		return &UnsupportedError{What: "starting bots", Why: "the kernel has no pidfd", Hint: "use Linux 5.4 or newer"}
	}
	p.pid, p.pidfd = pid, pidfd
	p.fds[1].Fd = int32(pidfd)
	s.live[p] = true
	// If memory runs out, the kernel should kill the bot and not arena.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("500"), 0)
	return nil
}

// setAffinity binds a thread, 0 for the calling one.
func setAffinity(thread int, cpus []int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(thread, &set); err != nil {
		return fmt.Errorf("pin to CPUs %v: %w; name CPUs that arena may use", cpus, err)
	}
	return nil
}

// fileSet closes the files that a failed start has opened.
type fileSet []int

func (f *fileSet) pipe() (fds [2]int, err error) {
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return fds, busy("make a pipe", err)
	}
	*f = append(*f, fds[0], fds[1])
	return fds, nil
}

func (f *fileSet) close(fds ...int) {
	for _, fd := range fds {
		for i, open := range *f {
			if open == fd {
				_ = unix.Close(fd)
				*f = append((*f)[:i], (*f)[i+1:]...)
				break
			}
		}
	}
}

func (f *fileSet) closeAll() {
	for _, fd := range *f {
		_ = unix.Close(fd)
	}
	*f = nil
}

// until returns the time from now to the deadline; ok is false for the zero
// deadline, which never comes.
func (s *Starter) until(deadline time.Time) (d time.Duration, ok bool) {
	if deadline.IsZero() {
		return 0, false
	}
	return deadline.Sub(s.config.Now()), true
}
