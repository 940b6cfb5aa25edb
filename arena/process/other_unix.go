//go:build unix && (!linux || portable)

package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts a bot into a process group of its own, out of reach of Ctrl-C.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	_ = p.Kill()
}

// killLeft kills what a bot that has just ended left in its group. (While one is
// left there, the number of the group is not given away again.)
func killLeft(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func exitText(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "killed by signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", state.ExitCode())
}
