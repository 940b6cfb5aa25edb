//go:build unix && !linux

package store

import (
	"errors"
	"syscall"
)

func living(p Process) bool {
	err := syscall.Kill(p.PID, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
