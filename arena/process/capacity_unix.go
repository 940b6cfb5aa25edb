//go:build unix

package process

import (
	"math"

	"golang.org/x/sys/unix"
)

// OpenFiles returns how many files the program may have open, 0 for no limit.
func OpenFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}

// shortages returns the system's errors for a temporary lack of resources.
func shortages() []error {
	return []error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.ETXTBSY}
}
