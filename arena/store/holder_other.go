//go:build !linux

package store

import (
	"fmt"
	"os"
)

// ThisProcess identifies the calling process. On this platform its start and
// the boot of the machine are not known, so that a dead holder whose process
// number is in use again is taken for alive.
func ThisProcess() (Process, error) {
	host, err := os.Hostname()
	if err != nil {
		return Process{}, fmt.Errorf("name of this machine: %w", err)
	}
	return Process{PID: os.Getpid(), Host: host}, nil
}
