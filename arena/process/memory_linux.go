package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
)

// FreeMemory is the share of the machine's memory that programs could have without
// swapping; known is false where the platform does not tell.
func FreeMemory() (share float64, known bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	var total, available float64
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var kB float64
		if n, _ := fmt.Sscanf(lines.Text(), "MemTotal: %f", &kB); n == 1 {
			total = kB
		}
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %f", &kB); n == 1 {
			available = kB
		}
	}
	return available / max(1, total), total > 0 && available > 0
}
