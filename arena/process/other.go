//go:build !linux || portable

package process

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"botarena/arena"
)

// A Starter starts the bots of one run and ends them. On this platform a bot's
// descendants that leave its process group (on Windows, its job) are not found.
type Starter struct {
	config Config
	roster
}

// NewStarter returns a Starter. Close it.
func NewStarter(config Config) (*Starter, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	return &Starter{config: config, roster: roster{live: map[*Process]bool{}}}, nil
}

// Close ends all bots that still run, if the caller is the last user of the Starter.
func (s *Starter) Close() error {
	_, err := s.endAll()
	return err
}

func unsupported(what string) error {
	return &UnsupportedError{What: what, Why: "not possible on " + runtime.GOOS, Hint: "leave it out, or run arena on Linux"}
}

// Start starts a bot; when ctx is done the bot is killed, and reads return ErrClosed.
// The caller ends it with End in any case. The error is a *NotFoundError,
// *NotExecutableError, *DirError, an *UnsupportedError for limits, sandboxes and CPUs,
// a *BusyError, or one of the system's.
func (s *Starter) Start(ctx context.Context, spec Spec) (*Process, error) {
	spec, err := spec.withDefaults()
	if err != nil {
		return nil, err
	}
	switch {
	case spec.Limits != (arena.Limits{}):
		return nil, unsupported("limits")
	case spec.Sandbox != arena.SandboxNone:
		return nil, unsupported("sandbox " + string(spec.Sandbox))
	case len(spec.CPUs) > 0:
		return nil, unsupported("pinning")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	program, err := FindProgram(spec.Command[0], spec.Dir, s.config.path())
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed()
	}
	s.started++
	cmd := exec.Command(program, spec.Command[1:]...)
	cmd.Args[0] = spec.Command[0]
	cmd.Dir = spec.Dir
	cmd.Env = append(append(append([]string{}, s.config.Environ...), spec.Env...), fmt.Sprintf("%s=%s.%d", MarkVariable, s.config.RunID, s.started))
	family := newGroup(cmd)
	p := &Process{
		starter: s, cmd: cmd, spec: spec, family: family,
		chunks: make(chan []byte), taken: make(chan struct{}), quit: make(chan struct{}), exited: make(chan struct{}),
		lines: lines{maxLine: spec.MaxLine, floodCap: spec.FloodCap, buf: make([]byte, 2*(spec.MaxLine+len("\r\n")))},
	}
	var files []*os.File
	pipe := func() (r, w *os.File) {
		if err == nil {
			if r, w, err = os.Pipe(); err == nil {
				files = append(files, r, w)
			}
		}
		return r, w
	}
	childIn, in := pipe()
	out, childOut := pipe()
	stderr, childErr := pipe()
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, childErr
		if spec.merged {
			cmd.Stdout = childErr
		}
		err = cmd.Start()
	}
	if err != nil {
		for _, file := range files {
			_ = file.Close()
		}
		return nil, execError(program, err)
	}
	family.add(cmd.Process)
	_ = childIn.Close()
	_ = childOut.Close()
	_ = childErr.Close()
	p.in, p.out, p.stderrFile = in, out, stderr
	p.stderr = startDrain(stderr, spec.Stderr, spec.StderrCap)
	p.readers.Go(p.read)
	p.readers.Go(p.wait)
	s.live[p] = true
	p.stopWatching = context.AfterFunc(ctx, p.kill)
	return p, nil
}

// Missing returns nothing: this platform has no strict sandbox.
func (s *Starter) Missing(context.Context, Spec, string) ([]string, error) { return nil, nil }

// A Process is a running bot. Write, ReadLine, Reset and End belong to one
// goroutine; the other methods may be called from any.
type Process struct {
	starter      *Starter
	cmd          *exec.Cmd
	family       *group // the process and what it started
	spec         Spec
	in, out      *os.File
	stderrFile   *os.File
	stderr       *drain
	stopWatching func() bool
	stop         sync.Once
	endErr       error

	readers sync.WaitGroup
	chunks  chan []byte   // what was read, until taken
	taken   chan struct{} // the chunk may be overwritten
	quit    chan struct{} // nobody takes any more
	exited  chan struct{} // closed after state is set
	state   *os.ProcessState

	lines
	broken bool // a write is still under way, or failed
}

// read passes the bot's output on in chunks: pipes do not have deadlines on every
// platform.
func (p *Process) read() {
	defer close(p.chunks)
	chunk := make([]byte, p.spec.MaxLine)
	for {
		n, err := p.out.Read(chunk)
		if n > 0 {
			select {
			case p.chunks <- chunk[:n]:
			case <-p.quit:
				return
			}
			select {
			case <-p.taken:
			case <-p.quit:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait collects the end of the process.
func (p *Process) wait() {
	_ = p.cmd.Wait()
	p.family.end()
	p.state = p.cmd.ProcessState
	close(p.exited)
}

// timer fires at the deadline, never for the zero one.
func (p *Process) timer(deadline time.Time) *time.Timer {
	if deadline.IsZero() {
		timer := time.NewTimer(0)
		timer.Stop()
		return timer
	}
	return time.NewTimer(deadline.Sub(p.starter.config.Now()))
}

// Write sends complete lines by the deadline; the zero deadline never comes. After an
// error the bot may have received a part, so that it can only be ended.
func (p *Process) Write(lines []byte, deadline time.Time) error {
	if p.broken || p.in == nil {
		return arena.ErrClosed
	}
	text := bytes.Clone(lines) // it may outlive this call
	done := make(chan error, 1)
	p.readers.Go(func() { _, err := p.in.Write(text); done <- err })
	timer := p.timer(deadline)
	defer timer.Stop()
	select {
	case err := <-done:
		if err != nil {
			p.broken = true
			return arena.ErrClosed
		}
		return nil
	case <-timer.C:
		p.broken = true
		return arena.ErrTimeout
	}
}

// ReadLine returns the next line without its newline and carriage return, valid until
// the next call. Lines that have been read by the deadline are still returned after it.
// The zero deadline never comes. An error other than ErrTimeout and ErrFlood is final.
func (p *Process) ReadLine(deadline time.Time) ([]byte, error) {
	for {
		if line, err := p.next(); line != nil || err != nil {
			return line, err
		}
		if err := p.more(deadline); err != nil {
			return nil, err
		}
	}
}

// onItsWay limits how long a process's last output may take through the reader.
const onItsWay = 50 * time.Millisecond

// more reads a chunk.
func (p *Process) more(deadline time.Time) error {
	timer := p.timer(deadline)
	defer timer.Stop()
	exited := p.exited
	for {
		select {
		case chunk, ok := <-p.chunks:
			if !ok {
				// The moment that the system needs to end it: see ExitStatus.
				select {
				case <-p.exited:
				case <-time.After(100 * time.Millisecond):
				}
				p.failed = arena.ErrClosed
				return p.failed
			}
			p.fill += copy(p.buf[p.fill:], chunk)
			p.count += int64(len(chunk))
			select {
			case p.taken <- struct{}{}:
			case <-p.quit:
			}
			return nil
		case <-exited:
			// What it wrote before is still on its way through the reader; a child
			// that keeps the output open must not make this wait for ever.
			exited = nil
			if !timer.Stop() {
				select {
				case <-timer.C:
				default:
				}
			}
			timer.Reset(onItsWay)
		case <-timer.C:
			if exited == nil {
				p.failed = arena.ErrClosed
				return p.failed
			}
			return arena.ErrTimeout
		}
	}
}

// PID returns the process id of the bot's first process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Alive reports whether the bot's process has not ended.
func (p *Process) Alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// ExitStatus returns how the bot ended: "exit status 3", "killed by signal:
// segmentation fault"; "still running" if it has not. The status is available when
// ReadLine returns ErrClosed, unless the system takes more than 100 ms.
func (p *Process) ExitStatus() string {
	if p.Alive() {
		return "still running"
	}
	return exitText(p.state)
}

// Shields returns false: bots can signal each other on this platform.
func (s *Starter) Shields() bool { return false }

// Stopped returns false: this platform does not report whether a process is stopped.
func (p *Process) Stopped() bool { return false }

// Suspend stops the bot with its process group until Continue, if CheckSuspend returns
// nil.
func (p *Process) Suspend() {
	if p.Alive() {
		p.family.suspend()
	}
}

// Continue resumes a suspended bot.
func (p *Process) Continue() {
	if p.Alive() {
		p.family.resume()
	}
}

// Place returns an *UnsupportedError: this platform does not pin.
func (p *Process) Place([]int) error { return unsupported("pinning") }

// CPUTime returns the user and system time of the bot and of the children that it
// waited for, once it has ended; 0 before, since this platform does not report it.
func (p *Process) CPUTime() time.Duration {
	if p.Alive() {
		return 0
	}
	return p.state.UserTime() + p.state.SystemTime()
}

// kill kills the bot, and its process group if there are groups.
func (p *Process) kill() {
	if p.Alive() {
		p.family.kill()
	}
}

// await waits until the process has ended or ctx is done, and copies its output to
// sink, nil for none.
func (p *Process) await(ctx context.Context, sink io.Writer) {
	_ = p.in.Close()
	chunks, exited := p.chunks, p.exited
	var late <-chan time.Time
	for chunks != nil || exited != nil {
		select {
		case chunk, ok := <-chunks:
			if !ok {
				chunks = nil // it closed its output
				continue
			}
			if sink != nil {
				if _, err := sink.Write(chunk); err != nil {
					sink = nil // its owner knows, and the rest is of no use to it
				}
			}
			p.taken <- struct{}{}
		case <-exited:
			// A child may keep the output open.
			exited, late = nil, time.After(onItsWay)
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (p *Process) end(grace time.Duration) error {
	_ = p.in.Close()
	close(p.quit)
	timer := time.NewTimer(max(0, grace))
	defer timer.Stop()
	drained := make(chan struct{})
	// The reader has stopped handing over; a bot that still talks must not block.
	go func() { defer close(drained); io.Copy(io.Discard, bufio.NewReader(p.out)) }() //nolint:errcheck // dropped
	select {
	case <-p.exited:
	case <-timer.C:
		p.kill()
	}
	// Until here the end of Start's context cuts the grace short.
	p.stopWatching()
	var err error
	select {
	case <-p.exited:
	case <-time.After(5 * time.Second):
		err = &LeftError{PIDs: []int{p.PID()}}
	}
	_ = p.out.Close()
	p.failed, p.broken = arena.ErrClosed, true
	if err != nil {
		_ = p.stderrFile.Close()
	} else {
		p.stderr.finish(p.stderrFile)
		<-drained
		p.readers.Wait()
	}
	p.starter.forget(p)
	return err
}

// StartWatchdog returns an *UnsupportedError here.
func (s *Starter) StartWatchdog(string, []string) error { return unsupported("watchdog") }

// RunWatchdog returns an *UnsupportedError on this platform, once arena has died.
func RunWatchdog(stdin io.Reader, _ string) error {
	if ended(stdin) {
		return nil
	}
	return unsupported("watchdog")
}

// CPUs lists the logical processors, as far as Go knows them.
func CPUs() ([]CPU, error) {
	cpus := make([]CPU, runtime.NumCPU())
	for i := range cpus {
		cpus[i] = CPU{ID: i, Core: i}
	}
	return cpus, nil
}

// A Claim reserves cores; on this platform, which does not pin, all of them.
type Claim struct{ Free, Taken []CPU }

// ClaimCPUs claims all CPUs.
func ClaimCPUs(_ string, cpus []CPU) (*Claim, error) { return &Claim{Free: cpus}, nil }

// Keep does nothing.
func (c *Claim) Keep([][]int) {}

// CanPin reports whether PinThread and Spec.CPUs work on this platform.
func CanPin() bool { return false }

// PinThread returns an *UnsupportedError here.
func PinThread([]int) (unpin func(), err error) { return nil, unsupported("pinning") }

// KeepTo returns an *UnsupportedError here.
func KeepTo([]int) error { return unsupported("pinning") }
