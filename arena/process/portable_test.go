//go:build !linux || portable

package process_test

import (
	"context"
	"errors"
	"testing"

	"botarena/arena"
	"botarena/arena/process"
)

func TestUnsupported(t *testing.T) {
	s := newStarter(t)
	var unsupported *process.UnsupportedError
	for name, spec := range map[string]process.Spec{
		"limits":  {Limits: arena.Limits{Memory: 1 << 30}},
		"sandbox": {Sandbox: arena.SandboxStrict},
		"pinning": {CPUs: []int{0}},
	} {
		spec.Command, spec.Dir = []string{"echo"}, t.TempDir()
		if _, err := s.Start(context.Background(), spec); !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.StartWatchdog("arena", nil); !errors.As(err, &unsupported) {
		t.Errorf("watchdog: %v", err)
	}
	if _, err := process.PinThread([]int{0}); !errors.As(err, &unsupported) {
		t.Errorf("pin a thread: %v", err)
	}
}
