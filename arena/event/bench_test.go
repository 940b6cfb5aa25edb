package event

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"botarena/arena/process"
)

// BenchmarkGames plays short games of trivial bots, recorded on disk: a game an op.
func BenchmarkGames(b *testing.B) {
	f := setup(b)
	f.LogDir = ""
	cpus, err := process.CPUs()
	if err != nil {
		b.Fatal(err)
	}
	f.CPUs = cpus
	e := f.event(fmt.Sprintf(`
event: e
game: breakthrough:5x5
format: match
rounds: %d
openings: {random: 2}
clock: {depth: 1}
bots:
  - {name: a, command: [SELF, bad, none]}
  - {name: b, command: [SELF, bad, none]}
`, (b.N+1)/2))
	var early, late [2]float64 // open files, KB of heap: after a tenth, and near the end
	f.Observe = func(u Update) {
		if u.Kind != GameFinished {
			return
		}
		var to *[2]float64
		switch u.Played {
		case 1 + u.Planned/10:
			to = &early
		case u.Planned - 1:
			to = &late
		default:
			return
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			b.Error(err)
		}
		*to = [2]float64{float64(len(fds)), float64(m.HeapInuse >> 10)}
	}
	b.ResetTimer()
	summary := f.mustRun(e, Options{})
	b.ReportMetric(float64(summary.Now)/b.Elapsed().Seconds(), "games/s")
	b.ReportMetric(late[0]-early[0], "files-grown")
	b.ReportMetric(late[1]-early[1], "heapKB-grown")
	b.ReportMetric(late[1], "heapKB")
}
