package process

import "github.com/prometheus/procfs"

// FreeMemory returns the share of the machine's memory that is available without
// swapping; known is false if the platform does not tell.
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
// and its bots' included; known is false if the platform does not tell.
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
