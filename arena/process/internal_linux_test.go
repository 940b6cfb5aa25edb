//go:build linux && !portable

package process

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
)

// The pid of a bot that was reaped may be that of the next bot before the first
// one is forgotten; the sweep would then take the second for a leftover.
func TestForgetByIdentity(t *testing.T) {
	first, second := &Process{pid: 4711, number: 1}, &Process{pid: 4711, number: 2}
	s := &Starter{live: map[*Process]bool{first: true, second: true}}
	s.forget(first)
	if !s.live[second] || s.live[first] {
		t.Errorf("first lives %v, second lives %v", s.live[first], s.live[second])
	}
}

func TestBusyErrors(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE} {
		for _, err := range []error{
			execError("/bin/x", fmt.Errorf("fork: %w", errno)),
			bwrapError([]byte("bwrap: Creating new namespace failed: " + upper(errno.Error()) + "\n")),
		} {
			var busy *BusyError
			if !errors.As(err, &busy) {
				t.Errorf("%v is %T, want a *BusyError", err, err)
			}
		}
	}
	for _, err := range []error{execError("/bin/x", syscall.ENOENT), bwrapError([]byte("bwrap: execvp x: No such file or directory\n")), bwrapError(nil)} {
		var busy *BusyError
		if errors.As(err, &busy) {
			t.Errorf("%v is a *BusyError", err)
		}
	}
}

func upper(s string) string { return string(s[0]-'a'+'A') + s[1:] }
