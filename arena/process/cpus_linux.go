//go:build linux && !portable

package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// CPUs lists the logical processors that the program may use. Call it before
// any thread is pinned.
func CPUs() ([]CPU, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(os.Getpid(), &set); err != nil {
		return nil, fmt.Errorf("read the CPU affinity: %w", err)
	}
	var cpus []CPU
	for id := range len(set) * strconv.IntSize {
		if set.IsSet(id) {
			cpus = append(cpus, CPU{ID: id, Core: physicalCore(id)})
		}
	}
	return cpus, nil
}

// physicalCore returns the lowest hyperthread of a CPU's core; if the kernel does not
// tell, each CPU is its own core.
func physicalCore(id int) int {
	text, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", id))
	if err != nil {
		return id
	}
	first := strings.FieldsFunc(string(text), func(r rune) bool { return r < '0' || r > '9' })
	if len(first) == 0 {
		return id
	}
	core, err := strconv.Atoi(first[0])
	if err != nil {
		return id
	}
	return core
}

// CanPin reports whether PinThread and Spec.CPUs work on this platform.
func CanPin() bool { return true }

// PinThread locks the calling goroutine to its thread and the thread to the
// CPUs. The function that it returns undoes both; a goroutine calls it itself.
func PinThread(cpus []int) (unpin func(), err error) {
	runtime.LockOSThread()
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("read the CPU affinity: %w", err)
	}
	if err := setAffinity(0, cpus); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return func() {
		if unix.SchedSetaffinity(0, &before) == nil {
			runtime.UnlockOSThread() // else the thread dies with its goroutine
		}
	}, nil
}

// KeepTo moves all threads of this program to some CPUs. Threads and programs that it starts
// later stay there, unless PinThread or Spec.CPUs gives them others: call it before these.
func KeepTo(cpus []int) error {
	for moved, done := -1, map[string]bool{}; moved != 0; { // a thread may begin another one meanwhile
		var err error
		if moved, err = bindThreads("self", cpus, done); err != nil {
			return err
		}
	}
	return nil
}

// bindThreads binds the threads of a process, but those that are done, and returns how many.
func bindThreads(pid string, cpus []int, done map[string]bool) (moved int, err error) {
	threads, err := os.ReadDir("/proc/" + pid + "/task")
	if err != nil {
		return 0, fmt.Errorf("bind process %s to CPUs %v: %w", pid, cpus, err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil || done[thread.Name()] {
			continue
		}
		if err := setAffinity(id, cpus); err != nil && !errors.Is(err, unix.ESRCH) {
			return moved, err
		}
		moved, done[thread.Name()] = moved+1, true
	}
	return moved, nil
}

// A Claim reserves cores of the machine for this program.
type Claim struct {
	// Free lists the CPUs that were free, all of them held now; Taken those of others.
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

// Keep releases all CPUs but those of the slots; nil releases all. A claim that was not
// made by ClaimCPUs holds none.
func (c *Claim) Keep(slots [][]int) {
	if c.locks == nil {
		return
	}
	kept := slices.Concat(slots...)
	var free []CPU
	var locks []*os.File
	for i, cpu := range c.Free {
		if slices.Contains(kept, cpu.ID) {
			free, locks = append(free, cpu), append(locks, c.locks[i])
		} else {
			_ = c.locks[i].Close()
		}
	}
	c.Free, c.locks = free, locks
}
