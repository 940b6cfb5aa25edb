package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"botarena/arena"
)

// A Task is a command that runs to completion, such as a build command.
type Task struct {
	// Command and Dir are as in a Spec.
	Command []string
	Dir     string
	// Env is added to the Starter's environment. Outside of a strict sandbox it must
	// not come from a bot's entry.
	Env []string
	// Sandbox, Limits, CPUs, Show, Within, Tools and Tmp are as in a Spec.
	Sandbox             arena.Sandbox
	Limits              arena.Limits
	CPUs                []int
	Show, Within, Tools []string
	Tmp                 int64
	// Output, if it is not nil, gets all of the task's stdout, which is then not
	// returned. The task waits for each Write.
	Output io.Writer
	// Timeout limits the duration; 0 for no limit.
	Timeout time.Duration
	// Keep is the number of bytes at the end of the output that are returned (0:
	// DefaultKeep); earlier ones are dropped.
	Keep int
}

// succeeded is the exit status of a successful program.
const succeeded = "exit status 0"

// DefaultKeep is the number of bytes of a task's output that are kept.
const DefaultKeep = 64 << 10

// A TaskError reports how a task failed.
type TaskError struct {
	Status  string        // such as "exit status 2"
	Timeout time.Duration // the limit that it went over, 0 if it ended by itself
}

// Error describes how the task ended.
func (e *TaskError) Error() string {
	if e.Timeout > 0 {
		return fmt.Sprintf("it took longer than its limit of %v", e.Timeout)
	}
	return e.Status
}

// Run runs a task to its end and returns the end of its combined stdout and stderr. Its
// stdin is empty. Processes that it leaves behind are ended with it; when ctx is done
// the task is ended. The error is a *TaskError, ctx's own, or one of those of Start and
// of Process.End.
func (s *Starter) Run(ctx context.Context, t Task) (said []byte, err error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if t.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, t.Timeout)
	}
	defer cancel()
	keep := t.Keep
	if keep == 0 {
		keep = DefaultKeep
	}
	last := &lastBytes{most: keep}
	p, err := s.Start(limited, Spec{
		Command: t.Command, Dir: t.Dir, Env: t.Env, Limits: t.Limits, CPUs: t.CPUs,
		Sandbox: t.Sandbox, Show: t.Show, Within: t.Within, Tools: t.Tools, Tmp: t.Tmp,
		Stderr: last, StderrCap: math.MaxInt64, merged: t.Output == nil,
	})
	if err != nil {
		return nil, err
	}
	p.await(limited, t.Output)
	late := limited.Err() // before End, which may take a moment
	err = p.End(0)
	switch status := p.ExitStatus(); {
	case ctx.Err() != nil:
		err = errors.Join(ctx.Err(), err)
	case late != nil && status != succeeded:
		err = errors.Join(&TaskError{Timeout: t.Timeout, Status: status}, err)
	case err == nil && status != succeeded:
		err = &TaskError{Status: status}
	}
	return last.take(), err
}

// lastBytes is a writer that keeps the last bytes.
type lastBytes struct {
	mu   sync.Mutex
	most int
	kept []byte
}

func (l *lastBytes) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, b[max(0, len(b)-l.most):]...)
	if over := len(l.kept) - l.most; over > 0 {
		l.kept = append(l.kept[:0], l.kept[over:]...)
	}
	return len(b), nil
}

func (l *lastBytes) take() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept
}
