package process

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// givenWay is the nice value of a process that gives way: a third of what others
// get where all want the same core.
const givenWay = 5

// GiveWay has the system prefer other programs, such as bots, to this process and
// to what it starts. It is for programs that watch. Where the platform has nothing of
// the kind, nothing happens.
func GiveWay() error {
	// The system counts by thread; new ones inherit it.
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		now, err := unix.Getpriority(unix.PRIO_PROCESS, id)
		if err != nil || 20-now >= givenWay { // the system call counts down from 20
			continue
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, id, givenWay); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

// GiveAllWay has the system run the calling thread only while nothing else wants a core,
// as good as. The caller has locked its goroutine to the thread, and lets both end
// together: there is no way back. Where the platform has nothing of the kind, nothing
// happens.
func GiveAllWay() error { return unix.Setpriority(unix.PRIO_PROCESS, 0, leastWay) }

// leastWay is the nice value of a thread that gives all way: a seventieth of what others
// get.
const leastWay = 19
