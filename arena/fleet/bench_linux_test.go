package fleet_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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

// bench plays an event and reports games a second from the tenth part of it on, what
// one costs in CPU time, the most that this process held, workers and server included,
// and how long it took until the first game began.
func (r *rig) bench(b *testing.B, rounds, total int) float64 {
	b.Helper()
	var from, last, first time.Time
	before, played := 0, 0
	var used time.Duration
	began := time.Now()
	r.run("fleet.db", r.event(b, rounds), r.coord.Workers, func(u tournament.Update) {
		switch u.Kind {
		case tournament.GameStarted:
			if first.IsZero() {
				first = time.Now()
			}
		case tournament.GameFinished:
			played, last = u.Played, time.Now()
			if from.IsZero() && played >= total/10 {
				from, before = last, played
				used, _ = usage(b)
			}
		default:
		}
	})
	rate := float64(played-before) / last.Sub(from).Seconds()
	cpu, most := usage(b)
	b.ReportMetric(rate, "games/s")
	b.ReportMetric(float64((cpu-used).Microseconds())/float64(played-before), "cpu-µs/game")
	b.ReportMetric(float64(most)/(1<<20), "MB")
	b.ReportMetric(first.Sub(began).Seconds(), "s-to-first")
	return rate
}

// usage is the CPU time that this process has used, and the most bytes that it held.
func usage(b *testing.B) (cpu time.Duration, bytes int64) {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), u.Maxrss << 10
}
