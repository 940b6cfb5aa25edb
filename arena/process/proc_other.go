//go:build !linux

package process

import (
	"errors"
	"fmt"
	"os"
)

// Self identifies the calling process. On this platform its start and
// the boot of the machine are not known, so that a dead holder whose process
// number is in use again is taken for alive.
func Self() (Identity, error) {
	host, err := os.Hostname()
	if err != nil {
		return Identity{}, fmt.Errorf("name of this machine: %w", err)
	}
	return Identity{PID: os.Getpid(), Host: host}, nil
}

// FreeMemory returns the share of the machine's memory that is available without
// swapping; known is false if the platform does not tell.
func FreeMemory() (share float64, known bool) { return 0, false }

// Load returns how many threads ran or wanted to run over the last minute; known is
// false if the platform does not tell.
func Load() (threads float64, known bool) { return 0, false }

// ResidentSet returns an error that wraps errors.ErrUnsupported.
func ResidentSet(int) (int64, error) {
	return 0, fmt.Errorf("memory of a process: %w", errors.ErrUnsupported)
}
