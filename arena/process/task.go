package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"
)

// A Task is a command that runs to completion, such as a build command.
type Task struct {
	// Spec describes how to start it; Stderr and StderrCap are the task's own. Outside of a
	// strict sandbox, Env must not come from a bot's entry.
	Spec
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
	last := &lastBytes{most: cmp.Or(t.Keep, DefaultKeep)}
	t.Stderr, t.StderrCap, t.merged = last, math.MaxInt64, t.Output == nil
	p, err := s.Start(limited, t.Spec)
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
