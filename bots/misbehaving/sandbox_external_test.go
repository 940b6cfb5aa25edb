//go:build linux && !portable && external

package misbehaving_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/arena/process"
)

// In a strict sandbox neither the opponent nor the parent can be reached, and
// nothing is written.
func TestExternalStrictSandbox(t *testing.T) {
	s := starter(t, fmt.Sprintf("strict-%d", os.Getpid()))
	victim := start(t, s, "none")
	for fault, want := range map[string]string{
		"stop-opponent": "stopped 0 processes",
		"write-files":   "could not write",
		"kill-parent":   "the parent", // where it is the bot's own user's, the kernel ignores the signal
		"fork-many":     "could not start child",
	} {
		p := start(t, s, fault, func(s *process.Spec) {
			s.Sandbox, s.Limits = arena.SandboxStrict, arena.Limits{Processes: 40}
		})
		if _, err := ask(p, "ugi\n"+goes, "bestmove", generous); err != nil {
			t.Fatal(fault, err)
		}
		got, err := ask(p, goes, "info", generous)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v", fault, got, err)
		} else if _, err := ask(p, "isready\n", "readyok", generous); err != nil {
			t.Errorf("%s: %v", fault, err)
		}
		if err := p.End(0); err != nil {
			t.Error(err)
		}
	}
	if victim.Stopped() || !victim.Alive() {
		t.Error("a bot in a sandbox got at another")
	}
}
