package fleet_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sys/unix"

	"botarena/arena/event"
)

// joinVariable has this program be the workers of a benchmark, in a process of their
// own: where they join, and how many slots they have in all.
const joinVariable = "ARENA_FLEET_JOIN"

func TestMain(m *testing.M) {
	if addr := os.Getenv(joinVariable); addr != "" {
		idleWorkers(addr)
		return
	}
	// Most tests wait rather than compute, so that more of them may run at once than
	// there are cores.
	if err := flag.Set("test.parallel", "8"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// idleWorkers are workers that answer without waiting, until the standard input ends.
func idleWorkers(addr string) {
	const workers = 20
	r := &rig{t: &testing.B{}, enter: func(string) []nats.Option { return nil }}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	r.ctx = ctx
	for i := range workers {
		r.worker(fmt.Sprintf("w%d", i), addr, benchNumber("ARENA_FLEET_SLOTS", 1000)/workers, 0)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	cancel()
	r.jobs.Wait()
}

func benchNumber(variable string, usual int) int {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		return usual
	}
	return n
}

// BenchmarkResults plays an event with 1,000 slots of workers in another process that
// answer without waiting: recorded games a second, and what the coordinator's process
// holds, its server included. ARENA_FLEET_PAIRS makes the event longer than 12,000
// pairs, ARENA_FLEET_SLOTS has other slots; ARENA_FLEET_DIR is a folder where the record
// is kept and gone on with.
func BenchmarkResults(b *testing.B) {
	pairs := benchNumber("ARENA_FLEET_PAIRS", 12_000)
	for b.Loop() {
		r := newRig(b)
		if dir := os.Getenv("ARENA_FLEET_DIR"); dir != "" {
			r.dir = dir
		}
		r.coord.Lease = 0
		r.apart(b)
		rounds := (pairs + 2) / 3 // of three bots, who make three pairs a round
		r.bench(b, rounds, 6*rounds)
	}
}

// apart starts workers in a process of their own.
func (r *rig) apart(b *testing.B) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(r.ctx, self)
	cmd.Env = append(os.Environ(), joinVariable+"="+r.server.Addr)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("the workers: %v", err)
		}
	})
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
// one costs this process in CPU time, the most that it held, and how long it took until
// the first game began.
func (r *rig) bench(b *testing.B, rounds, total int) float64 {
	b.Helper()
	var from, last, first time.Time
	before, played := 0, 0
	var used time.Duration
	began := time.Now()
	s := r.open(filepath.Join(r.dir, "fleet.db"))
	defer func() { _ = s.Close() }()
	r.play(s, r.event(b, rounds), r.coord.Workers, func(u event.Update) {
		switch u.Kind {
		case event.GameStarted:
			if first.IsZero() {
				first = time.Now()
			}
		case event.GameFinished:
			played, last = u.Played, time.Now()
			if from.IsZero() && played >= total/10 {
				from, before = last, played
				used, _ = usage(b)
			}
		default:
		}
	}, nil)
	if played != total {
		b.Errorf("%d of %d games were played", played, total)
	}
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
