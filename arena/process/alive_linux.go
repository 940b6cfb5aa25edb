package process

import (
	"fmt"
	"os"
	"strings"

	"github.com/prometheus/procfs"
)

// Self identifies the calling process.
func Self() (Identity, error) {
	host, err := os.Hostname()
	if err != nil {
		return Identity{}, fmt.Errorf("name of this machine: %w", err)
	}
	p := Identity{PID: os.Getpid(), Host: host}
	if p.Started, _, err = startOf(p.PID); err != nil {
		return Identity{}, fmt.Errorf("start of this process: %w", err)
	}
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
	started, zombie, err := startOf(p.PID)
	return err == nil && !zombie && started == p.Started
}

// startOf reads when a process started, in ticks since boot, and whether it is
// dead but not yet waited for.
func startOf(pid int) (ticks int64, zombie bool, err error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, false, err
	}
	stat, err := p.Stat()
	if err != nil {
		return 0, false, err
	}
	return int64(stat.Starttime), stat.State == "Z" || stat.State == "X", nil
}
