//go:build linux && !portable

package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// A Claim reserves cores of the machine for this program.
type Claim struct {
	// Free are the CPUs that were free, all of them held now; Taken are others'.
	Free, Taken []CPU
	locks       []*os.File
}

// ClaimCPUs claims all CPUs that nobody has claimed in dir, a folder of this user's
// that is created if missing. Keep releases those that are not needed.
func ClaimCPUs(dir string, cpus []CPU) (*Claim, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("claim cores: %w", err)
	}
	var info unix.Stat_t
	if err := unix.Lstat(dir, &info); err != nil {
		return nil, fmt.Errorf("claim cores: %w", err)
	} else if info.Mode&unix.S_IFMT != unix.S_IFDIR || int(info.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("claim cores: %s is not a folder of this user's; remove it, or set XDG_RUNTIME_DIR to one that is", dir)
	}
	c := &Claim{}
	for _, cpu := range cpus {
		f, err := os.OpenFile(filepath.Join(dir, "core-"+strconv.Itoa(cpu.ID)), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err == nil {
			err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		}
		switch {
		case err == nil:
			c.Free, c.locks = append(c.Free, cpu), append(c.locks, f)
		case errors.Is(err, unix.EWOULDBLOCK):
			c.Taken = append(c.Taken, cpu)
			_ = f.Close()
		default:
			if f != nil {
				_ = f.Close()
			}
			c.Keep(nil)
			return nil, fmt.Errorf("claim cores: %w", err)
		}
	}
	return c, nil
}

// Keep releases all CPUs but those of the slots; nil releases all.
func (c *Claim) Keep(slots [][]int) {
	if c.locks == nil {
		return
	}
	used := map[int]bool{}
	for _, slot := range slots {
		for _, id := range slot {
			used[id] = true
		}
	}
	var free []CPU
	var locks []*os.File
	for i, cpu := range c.Free {
		if used[cpu.ID] {
			free, locks = append(free, cpu), append(locks, c.locks[i])
		} else {
			_ = c.locks[i].Close()
		}
	}
	c.Free, c.locks = free, locks
}
