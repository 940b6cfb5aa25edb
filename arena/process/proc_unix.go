//go:build unix && !linux

package process

import (
	"errors"
	"syscall"
)

func living(p Identity) bool {
	err := syscall.Kill(p.PID, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
