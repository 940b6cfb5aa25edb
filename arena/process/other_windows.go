package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts a bot into a process group of its own, out of reach of Ctrl-C.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func killGroup(p *os.Process) { _ = p.Kill() }

// killLeft can do nothing: there are no groups of a process that has ended.
func killLeft(int) {}

func exitText(state *os.ProcessState) string { return fmt.Sprintf("exit status %d", state.ExitCode()) }

// openFiles is 0: Windows sets no limit that arena could meet.
func openFiles() int { return 0 }
