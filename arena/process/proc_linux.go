package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// This file reads /proc.

// readProc returns what a file of /proc holds, by four system calls: os.ReadFile takes
// ten, since it asks whether the file can be polled, and a bot's are read in each game.
func readProc(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	text := make([]byte, 0, 512)
	for {
		n, err := unix.Read(fd, text[len(text):cap(text)])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		case n == 0:
			return text, nil
		}
		text = text[:len(text)+n]
		if len(text) == cap(text) {
			text = slices.Grow(text, len(text))
		}
	}
}

// tasksOf lists the threads of a process.
func tasksOf(pid int) ([]string, error) {
	path := fmt.Sprintf("/proc/%d/task", pid)
	const one = 3 // links of a folder with one folder in it
	var about unix.Stat_t
	if err := unix.Stat(path, &about); err == nil && about.Nlink == one {
		return []string{strconv.Itoa(pid)}, nil
	}
	list, err := os.ReadDir(path)
	tasks := make([]string, len(list))
	for i := range list {
		tasks[i] = list[i].Name()
	}
	return tasks, err
}

// Self identifies the calling process.
func Self() (Identity, error) {
	host, err := os.Hostname()
	if err != nil {
		return Identity{}, fmt.Errorf("name of this machine: %w", err)
	}
	self, err := readStat(os.Getpid())
	if err != nil {
		return Identity{}, fmt.Errorf("start of this process: %w", err)
	}
	p := Identity{PID: self.pid, Started: self.started, Host: host}
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		p.Boot = strings.TrimSpace(string(boot))
	}
	if ns, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		p.Namespace = ns
	}
	return p, nil
}

// living reports whether p runs on this machine, in this namespace.
func living(p Identity) bool {
	stat, err := readStat(p.PID)
	return err == nil && stat.state != 'Z' && stat.state != 'X' && stat.started == p.Started
}

// ResidentSet returns the bytes of memory that a process and its descendants hold. The
// error wraps errors.ErrUnsupported if the platform does not report it.
func ResidentSet(pid int) (int64, error) {
	const most = 1000 // processes
	var sum int64
	queue := []int{pid}
	for i := 0; i < len(queue) && i < most; i++ {
		text, err := readProc(fmt.Sprintf("/proc/%d/statm", queue[i]))
		if err != nil && i > 0 {
			continue // it has ended meanwhile
		}
		var size, resident int64
		if err == nil {
			_, err = fmt.Sscan(string(text), &size, &resident)
		}
		if err != nil {
			return 0, err
		}
		sum += resident * int64(os.Getpagesize())
		children, _ := childrenOf(queue[i])
		queue = append(queue, children...)
	}
	return sum, nil
}

// FreeMemory returns the share of the machine's memory that is available without
// swapping; known is false if the platform does not report it.
func FreeMemory() (share float64, known bool) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, false
	}
	m, err := fs.Meminfo()
	if err != nil || m.MemTotalBytes == nil || m.MemAvailableBytes == nil || *m.MemTotalBytes == 0 {
		return 0, false
	}
	return float64(*m.MemAvailableBytes) / float64(*m.MemTotalBytes), true
}

// Load returns how many threads ran or wanted to run over the last minute, arena's own
// and its bots' included; known is false if the platform does not report it.
func Load() (threads float64, known bool) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, false
	}
	load, err := fs.LoadAvg()
	if err != nil {
		return 0, false
	}
	return load.Load1, true
}

// stat holds the fields of /proc/PID/stat.
type stat struct {
	pid     int
	state   byte
	parent  int
	group   int
	session int
	waited  time.Duration // CPU time of the children that it waited for
	started int64         // in ticks since boot
}

// clockTick is USER_HZ, which Linux fixes at 100 on the platforms of Go.
const clockTick = time.Second / 100

func readStat(pid int) (stat, error) {
	text, err := readProc(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// The name in brackets may itself hold brackets and blanks.
	_, rest, ok := strings.Cut(string(text[max(0, bytes.LastIndexByte(text, ')')):]), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return stat{}, fmt.Errorf("/proc/%d/stat: %q is not understood", pid, text)
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	return stat{
		pid: pid, state: fields[0][0], parent: number(1), group: number(2), session: number(3),
		waited: time.Duration(number(13)+number(14)) * clockTick, started: int64(number(19)),
	}, nil
}

// readMark returns the run and the number in a process's mark.
func readMark(pid int) (run string, number int, ok bool) {
	environ, err := readProc(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "", 0, false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, found := bytes.CutPrefix(entry, []byte(MarkVariable+"=")); found {
			run, text, _ := strings.Cut(string(value), ".")
			number, err := strconv.Atoi(text)
			return run, number, err == nil
		}
	}
	return "", 0, false
}

// childrenOf lists the children of a process, zombies included.
func childrenOf(pid int) ([]int, error) {
	tasks, err := tasksOf(pid)
	if err != nil {
		return nil, fmt.Errorf("list threads: %w; is /proc mounted?", err)
	}
	var children []int
	for _, task := range tasks {
		text, err := readProc(fmt.Sprintf("/proc/%d/task/%s/children", pid, task))
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children"); err != nil {
				return scanChildren(pid) // a kernel without CONFIG_PROC_CHILDREN
			}
			continue // the thread has ended
		}
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				children = append(children, child)
			}
		}
	}
	return children, nil
}

// scanChildren finds children by reading every process.
func scanChildren(pid int) ([]int, error) {
	pids, err := allProcesses()
	if err != nil {
		return nil, err
	}
	var children []int
	for _, other := range pids {
		if stat, err := readStat(other); err == nil && stat.parent == pid {
			children = append(children, other)
		}
	}
	return children, nil
}

// allProcesses lists every process that /proc shows.
func allProcesses() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
