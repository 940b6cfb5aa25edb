package fleet_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"botarena/arena/tournament"
)

// BenchmarkResults plays an event with 1,000 slots of workers that answer without
// waiting, in one process with the coordinator and its server: recorded games a
// second, and what the process holds, workers included. ARENA_FLEET_PAIRS makes the
// event longer than 12,000 pairs.
func BenchmarkResults(b *testing.B) {
	pairs := 12_000
	if text := os.Getenv("ARENA_FLEET_PAIRS"); text != "" {
		var err error
		if pairs, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	workers, slots := 20, 50
	if text := os.Getenv("ARENA_FLEET_SLOTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		slots = n / workers
	}
	for b.Loop() {
		r := newRig(b)
		r.coord.Lease = 0
		for i := range workers {
			r.worker(fmt.Sprintf("w%d", i), r.server.Addr, slots, 0)
		}
		r.bench(b, pairs/3, 2*pairs)
	}
}

// BenchmarkSlots plays games that wait for a clock of 200 ms on 1 to 64 slots: the
// share of the ideal number of games a second.
func BenchmarkSlots(b *testing.B) {
	for _, slots := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprint(slots), func(b *testing.B) {
			const wait = 200 * time.Millisecond
			for b.Loop() {
				r := newRig(b)
				r.coord.Lease = 0
				each := min(slots, 16)
				for i := range slots / each {
					r.worker(fmt.Sprintf("w%d", i), r.server.Addr, each, wait)
				}
				rate := r.bench(b, 10*slots, 60*slots)
				b.ReportMetric(100*rate*wait.Seconds()/float64(slots), "%ideal")
			}
		})
	}
}

// bench plays an event and reports games a second from the tenth part of it on.
func (r *rig) bench(b *testing.B, rounds, total int) float64 {
	b.Helper()
	var from, last time.Time
	first, played, most := 0, 0, uint64(0)
	began := time.Now()
	var planned time.Duration
	r.run("fleet.db", r.event(b, rounds), r.coord.Workers, func(u tournament.Update) {
		if u.Kind == tournament.GameStarted && planned == 0 {
			planned = time.Since(began)
		}
		if u.Kind != tournament.GameFinished {
			return
		}
		played, last = u.Played, time.Now()
		if from.IsZero() && played >= total/10 {
			from, first = last, played
		}
		if played%10_000 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse+m.StackInuse)
		}
	})
	rate := float64(played-first) / last.Sub(from).Seconds()
	b.ReportMetric(rate, "games/s")
	b.ReportMetric(float64(most)/(1<<20), "MB")
	b.ReportMetric(planned.Seconds(), "s-to-first")
	return rate
}
