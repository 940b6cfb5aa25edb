package process

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a bot's own job object: the process and what it starts after it is added.
// Windows ends all of it if arena is killed.
type group struct {
	mu      sync.Mutex
	job     windows.Handle // 0 if the system gives none, and once it is closed
	process *os.Process
}

// newGroup keeps Ctrl-C from the program that cmd starts.
func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return &group{}
}

// add puts the process that was started into a job.
func (g *group) add(p *os.Process) {
	g.process = p
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return // then its children are not found
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = p.WithHandle(func(handle uintptr) { err = windows.AssignProcessToJobObject(job, windows.Handle(handle)) })
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	g.job = job
}

// kill kills the process and all in its job.
func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
	_ = g.process.Kill()
}

// end kills what a process that has just ended left in its job.
func (g *group) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// CheckSuspend returns an *UnsupportedError: Windows has no signal for it.
func CheckSuspend() error { return unsupported("suspend") }

func (g *group) suspend() {}

func (g *group) resume() {}

func exitText(state *os.ProcessState) string { return fmt.Sprintf("exit status %d", state.ExitCode()) }

// OpenFiles returns 0: Windows sets no limit that arena could reach.
func OpenFiles() int { return 0 }

// shortages returns the system's errors for a temporary lack of resources; a start that
// runs out half-way gives an internal error.
func shortages() []error {
	return []error{
		windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_OUTOFMEMORY, windows.ERROR_NO_SYSTEM_RESOURCES, windows.ERROR_COMMITMENT_LIMIT,
		windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_NO_PROC_SLOTS, windows.ERROR_INTERNAL_ERROR,
	}
}

func living(p Identity) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(p.PID))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(h) }()
	const stillActive = 259
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code == stillActive
}
