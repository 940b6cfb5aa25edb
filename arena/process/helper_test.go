package process_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"botarena/arena/process"
)

// generous is longer than anything takes on a busy machine.
const generous = 30 * time.Second

func newStarter(t testing.TB) *process.Starter {
	t.Helper()
	s, err := process.NewStarter(process.Config{
		RunID: runID(t), Environ: []string{"PATH=" + os.Getenv("PATH"), "LANG=C"}, Home: os.Getenv("HOME"), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// runID is unlike any other on the machine.
func runID(t testing.TB) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/_#=.", r) {
			return '-'
		}
		return r
	}, t.Name())
	return fmt.Sprintf("%s-%d-%d", name, os.Getpid(), time.Now().UnixNano())
}

func write(t testing.TB, p *process.Process, text string) {
	t.Helper()
	if err := p.Write([]byte(text), in(generous)); err != nil {
		t.Fatalf("write %q: %v", text, err)
	}
}

func wantLine(t testing.TB, p *process.Process, want string) {
	t.Helper()
	line, err := p.ReadLine(in(generous))
	if err != nil || string(line) != want {
		t.Fatalf("read %q, %v; want %q", line, err, want)
	}
}

func wantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(generous); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", generous, what)
		}
	}
}

func in(d time.Duration) time.Time { return time.Now().Add(d) }

// A buffer that another goroutine writes.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
