//go:build !portable

package process

import (
	"os"
	"testing"

	"github.com/prometheus/procfs"
)

// What a bot's state costs to read: the sweep and CPUTime do so several times a game.
func BenchmarkStat(b *testing.B) {
	pid := os.Getpid()
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := readStat(pid); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("procfs", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p, err := procfs.NewProc(pid)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := p.Stat(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
