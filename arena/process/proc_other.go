//go:build !linux

package process

import (
	"errors"
	"fmt"
	"os"
)

// Self identifies the calling process. On this platform the process's start and the
// machine's boot are unknown, so a dead holder whose process number was reused counts
// as alive.
func Self() (Identity, error) {
	host, err := os.Hostname()
	if err != nil {
		return Identity{}, fmt.Errorf("name of this machine: %w", err)
	}
	return Identity{PID: os.Getpid(), Host: host}, nil
}

// FreeMemory returns the share of the machine's memory that is available without
// swapping; known is false if the platform does not report it.
func FreeMemory() (share float64, known bool) { return 0, false }

// Load returns how many threads ran or wanted to run over the last minute; known is
// false if the platform does not report it.
func Load() (threads float64, known bool) { return 0, false }

// ResidentSet returns an error that wraps errors.ErrUnsupported.
func ResidentSet(int) (int64, error) {
	return 0, fmt.Errorf("memory of a process: %w", errors.ErrUnsupported)
}
