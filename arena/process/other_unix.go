//go:build unix && (!linux || portable)

package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// A group is a bot's own process group, which Ctrl-C does not reach.
type group struct{ process *os.Process }

// newGroup makes cmd start in a group of its own.
func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return &group{}
}

// add sets the process that was started.
func (g *group) add(p *os.Process) { g.process = p }

// kill kills the process and all in its group.
func (g *group) kill() {
	_ = syscall.Kill(-g.process.Pid, syscall.SIGKILL)
	_ = g.process.Kill()
}

// end kills what a process that has just ended left in its group. (While one is left,
// the number of the group is not reused.)
func (g *group) end() { _ = syscall.Kill(-g.process.Pid, syscall.SIGKILL) }

// CheckSuspend returns an *UnsupportedError if Suspend does nothing.
func CheckSuspend() error { return nil }

func (g *group) suspend() { _ = syscall.Kill(-g.process.Pid, syscall.SIGSTOP) }

func (g *group) resume() { _ = syscall.Kill(-g.process.Pid, syscall.SIGCONT) }

func exitText(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "killed by signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", state.ExitCode())
}
