package check

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// ResidentSet returns the bytes of memory that a process and its descendants
// hold (VmRSS, summed). The error wraps errors.ErrUnsupported if there is no
// /proc.
func ResidentSet(pid int) (int64, error) {
	const most = 1000 // processes
	var sum int64
	queue := []int{pid}
	for i := 0; i < len(queue) && i < most; i++ {
		dir := "/proc/" + strconv.Itoa(queue[i])
		size, err := resident(queue[i])
		if err != nil {
			if i > 0 {
				continue // it has ended meanwhile
			}
			if errors.Is(err, os.ErrNotExist) {
				err = fmt.Errorf("no %s: %w", dir, errors.ErrUnsupported)
			}
			return 0, err
		}
		sum += size
		queue = append(queue, children(dir)...)
	}
	return sum, nil
}

func resident(pid int) (int64, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, err
	}
	status, err := p.NewStatus()
	return int64(status.VmRSS), err // a zombie has none
}

// children returns the child processes of all threads.
func children(dir string) []int {
	threads, err := os.ReadDir(dir + "/task")
	if err != nil {
		return nil
	}
	var list []int
	for _, t := range threads {
		text, err := os.ReadFile(dir + "/task/" + t.Name() + "/children")
		if err != nil {
			continue
		}
		for word := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				list = append(list, pid)
			}
		}
	}
	return list
}
