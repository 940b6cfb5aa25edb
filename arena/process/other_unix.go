//go:build unix && (!linux || portable)

package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// A group is a process group of a bot's own, out of reach of Ctrl-C.
type group struct{ process *os.Process }

// newGroup puts what is going to be started into a group of its own.
func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return &group{}
}

// add tells the group of the process that was started.
func (g *group) add(p *os.Process) { g.process = p }

// kill ends the process and all in its group.
func (g *group) kill() {
	_ = syscall.Kill(-g.process.Pid, syscall.SIGKILL)
	_ = g.process.Kill()
}

// end kills what a process that has just ended left in its group. (While one is
// left there, the number of the group is not given away again.)
func (g *group) end() { _ = syscall.Kill(-g.process.Pid, syscall.SIGKILL) }

// CheckSuspend returns an *UnsupportedError where Suspend does nothing.
func CheckSuspend() error { return nil }

func (g *group) suspend() { _ = syscall.Kill(-g.process.Pid, syscall.SIGSTOP) }

func (g *group) resume() { _ = syscall.Kill(-g.process.Pid, syscall.SIGCONT) }

func exitText(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "killed by signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", state.ExitCode())
}
