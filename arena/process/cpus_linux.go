//go:build linux && !portable

package process

import (
	"fmt"
	"os"
	"runtime"
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

// physicalCore names a core by the lowest of its hyperthreads; a kernel that
// does not tell leaves each CPU a core of its own.
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
	if err := setAffinity(cpus); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return func() {
		if unix.SchedSetaffinity(0, &before) == nil {
			runtime.UnlockOSThread() // else the thread dies with its goroutine
		}
	}, nil
}
