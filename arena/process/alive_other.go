//go:build !linux

package process

import (
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
