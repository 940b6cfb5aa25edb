//go:build linux && !portable

package process

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweepTime limits the search for leftovers: ending a program that forks as fast as it
// can takes many passes.
const sweepTime = 5 * time.Second

// sweep kills and reaps what ended bots left. An orphan becomes arena's child as soon
// as its parent dies, so it is enough to check arena's children repeatedly until no
// stranger is among them.
func (s *Starter) sweep() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	end, looks := s.config.Now().Add(sweepTime), mostLooks
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		strays, err := s.strays(&looks)
		if err != nil {
			return err
		}
		if len(strays) == 0 {
			return nil
		}
		waiting := false
		for _, stray := range strays {
			if stray.state != 'Z' {
				if stray.group != 0 {
					_ = syscall.Kill(-stray.group, syscall.SIGKILL)
				}
				_ = syscall.Kill(stray.pid, syscall.SIGKILL)
			}
			if reaped, err := syscall.Wait4(stray.pid, nil, unix.WNOHANG, nil); err == nil && reaped == 0 {
				waiting = true
			}
		}
		if s.config.Now().After(end) {
			left := &LeftError{}
			for _, stray := range strays {
				left.PIDs = append(left.PIDs, stray.pid)
			}
			return left
		}
		if waiting {
			time.Sleep(pause)
		}
	}
}

// strays lists arena's children that are leftovers of ended bots. A child that arena's
// own code started is in arena's session, which no bot can join.
func (s *Starter) strays(looks *int) ([]stat, error) {
	children, err := childrenOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	live := make(map[int]bool, len(s.live))
	for p := range s.live {
		live[p.pid] = true
	}
	var strays []stat
	for _, pid := range children {
		if live[pid] || s.ours[pid] {
			continue
		}
		child, err := readStat(pid)
		if err != nil || child.session == s.session || child.parent != os.Getpid() {
			continue
		}
		if child.state == 'Z' { // harms nobody, but must be reaped
			strays = append(strays, child)
			continue
		}
		if live[child.session] || s.belongsToOther(child, looks) {
			continue
		}
		strays = append(strays, child)
	}
	return strays, nil
}

// belongsToOther reports whether a child has the mark of a living bot or of another
// run, or is in the session of one.
func (s *Starter) belongsToOther(child stat, looks *int) bool {
	for _, pid := range []int{child.pid, child.session} {
		run, number, ok := markOf(pid, looks)
		if !ok {
			continue
		}
		if run != s.config.RunID {
			return true
		}
		for p := range s.live {
			if p.number == number {
				return true
			}
		}
		return false
	}
	return false
}

// mostLooks limits how often a sweep waits, a millisecond each time, for processes that
// show no arguments: hundreds of leftovers can hide theirs.
const mostLooks = 100

// markOf is readMark of a process that may be in the midst of exec: its environment reads as
// empty then, and so do its arguments, of which a program has one at least. It waits for
// these while looks are left.
func markOf(pid int, looks *int) (run string, number int, ok bool) {
	const enough = 3 // times that it shows arguments, and no mark
	for found := 0; found < enough; {
		if run, number, ok = readMark(pid); ok {
			return run, number, true
		}
		about, err := readStat(pid)
		if err != nil || about.state == 'Z' {
			break
		}
		if arguments, err := readProc(fmt.Sprintf("/proc/%d/cmdline", pid)); err != nil || len(arguments) > 0 {
			found++
			continue
		}
		if *looks--; *looks < 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return "", 0, false
}

// treeCPU sums up the CPU time of a process, of the children that it waited for, and of
// up to budget living descendants.
func treeCPU(pid int, budget *int) time.Duration {
	if *budget--; *budget < 0 {
		return 0
	}
	var clock unix.Timespec
	var total time.Duration
	// The kernel's CPU clock of a process, in nanoseconds; stat counts in ticks.
	const schedClock = 2
	if err := unix.ClockGettime(int32(^pid<<3|schedClock), &clock); err == nil {
		total = time.Duration(clock.Nano())
	}
	if stat, err := readStat(pid); err == nil {
		total += stat.waited
	}
	children, err := childrenOf(pid)
	if err != nil {
		return total
	}
	for _, child := range children {
		total += treeCPU(child, budget)
	}
	return total
}
