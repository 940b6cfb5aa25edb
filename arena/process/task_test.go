//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena/process"
)

// task runs a shell script to its end.
func task(ctx context.Context, t *testing.T, s *process.Starter, script string, change ...func(*process.Task)) (string, error) {
	t.Helper()
	task := process.Task{Spec: process.Spec{Command: []string{"sh", "-c", script}, Dir: t.TempDir()}}
	for _, c := range change {
		c(&task)
	}
	said, err := s.Run(ctx, task)
	return string(said), err
}

func TestRun(t *testing.T) {
	s := newStarter(t)
	said, err := task(context.Background(), t, s, `echo one; echo two >&2; echo "$THREE"; read -r x || echo "no input"; pwd`,
		func(t *process.Task) { t.Env, t.Dir = []string{"THREE=three"}, "/" })
	if err != nil || said != "one\ntwo\nthree\nno input\n/\n" {
		t.Errorf("%q, %v", said, err)
	}
	said, err = task(context.Background(), t, s, `echo wrong; exit 3`)
	var failed *process.TaskError
	if !errors.As(err, &failed) || failed.Status != "exit status 3" || failed.Timeout != 0 || said != "wrong\n" {
		t.Errorf("%q, %v", said, err)
	}
	_, err = s.Run(context.Background(), process.Task{Spec: process.Spec{Command: []string{"no-such-compiler"}, Dir: t.TempDir()}})
	var missing *process.NotFoundError
	if !errors.As(err, &missing) {
		t.Errorf("%v, want a *NotFoundError", err)
	}
}

func TestRunKeepsTheEnd(t *testing.T) {
	said, err := task(context.Background(), t, newStarter(t), `i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "line $i"; done; exit 1`,
		func(t *process.Task) { t.Keep = 100 })
	if err == nil || len(said) != 100 || !strings.HasSuffix(said, "line 4999\nline 5000\n") {
		t.Errorf("%d bytes: %q, %v", len(said), said, err)
	}
}

// A task that does not end, and its children, end with the limit of time or with
// the context; what it has begun to say is there.
func TestRunIsEnded(t *testing.T) {
	s := newStarter(t)
	const endless = `echo begun; (while :; do date > beat; sleep 0.02; done) & while :; do sleep 1; done`
	for _, limit := range []bool{true, false} {
		t.Run(fmt.Sprintf("limit %v", limit), func(t *testing.T) {
			dir := t.TempDir()
			beat := filepath.Join(dir, "beat")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if !limit {
				go func() {
					for ctx.Err() == nil {
						if _, err := os.Stat(beat); err == nil {
							cancel()
						}
						time.Sleep(time.Millisecond)
					}
				}()
			}
			said, err := task(ctx, t, s, endless, func(t *process.Task) {
				t.Dir = dir
				if limit {
					t.Timeout = 500 * time.Millisecond
				}
			})
			var late *process.TaskError
			switch {
			case limit && (!errors.As(err, &late) || late.Timeout != 500*time.Millisecond || !strings.Contains(err.Error(), "500ms")):
				t.Errorf("%v, want a *TaskError with the limit", err)
			case !limit && !errors.Is(err, context.Canceled):
				t.Errorf("%v, want that it was cancelled", err)
			}
			if said != "begun\n" {
				t.Errorf("it said %q", said)
			}
			// Nothing is written any more: the child has ended too.
			if err := os.Remove(beat); err != nil {
				t.Fatal(err)
			}
			time.Sleep(200 * time.Millisecond)
			if text, err := os.ReadFile(beat); err == nil {
				t.Errorf("a child is left and wrote %q", bytes.TrimSpace(text))
			}
		})
	}
}

// What a task that ended well left running is ended too.
func TestRunLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	said, err := task(context.Background(), t, newStarter(t), `(while :; do date > beat; sleep 0.02; done) & echo built`, func(t *process.Task) { t.Dir = dir })
	if err != nil || said != "built\n" {
		t.Fatalf("%q, %v", said, err)
	}
	_ = os.Remove(filepath.Join(dir, "beat"))
	time.Sleep(200 * time.Millisecond)
	if _, err := os.Stat(filepath.Join(dir, "beat")); err == nil {
		t.Error("a child is left")
	}
}

func TestFits(t *testing.T) {
	s := newStarter(t)
	if err := s.Fits(64, 8); err != nil {
		t.Error(err)
	}
	var full *process.CapacityError
	if err := s.Fits(1_000_000, 8); s.Shields() && (!errors.As(err, &full) || full.Most < 64) {
		t.Errorf("a million bots: %v", err)
	}
}

// What a task writes to stdout goes where it is wanted, to the last byte, however slowly
// that takes it; what it says on stderr is returned. A taker that fails stops nothing.
func TestRunOutput(t *testing.T) {
	s := newStarter(t)
	const script = `echo said >&2; head -c 1000000 /dev/zero | tr '\0' x; echo end`
	var got slowly
	said, err := task(context.Background(), t, s, script, func(t *process.Task) { t.Output = &got })
	if err != nil || said != "said\n" {
		t.Errorf("%q, %v", said, err)
	}
	if want := strings.Repeat("x", 1_000_000) + "end\n"; got.String() != want {
		t.Errorf("%d bytes came, want %d", got.Len(), len(want))
	}
	if said, err := task(context.Background(), t, s, script, func(t *process.Task) { t.Output = full{} }); err != nil || said != "said\n" {
		t.Errorf("nobody takes it: %q, %v", said, err)
	}
}

// slowly takes longer for what it gets than a process does to end.
type slowly struct{ bytes.Buffer }

func (s *slowly) Write(b []byte) (int, error) {
	time.Sleep(20 * time.Millisecond)
	return s.Buffer.Write(b)
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
