package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"botarena/arena/store"
)

// largeSizes are how many games the large databases have, about; side by side
// they show what grows.
var largeSizes = []int{10_000, 100_000, 1_000_000}

// large makes the databases of each size once, for all benchmarks of a run: in
// the folder that ARENA_BENCH_DIR names, and for good, where it names one.
var large = sync.OnceValues(func() (map[int]string, error) {
	dir := os.Getenv("ARENA_BENCH_DIR")
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "arena-large-"); err != nil {
			return nil, err
		}
	}
	paths := map[int]string{}
	for _, size := range largeSizes {
		paths[size] = filepath.Join(dir, fmt.Sprintf("%d.db", size))
		if _, err := os.Stat(paths[size]); err == nil {
			continue
		}
		if err := makeLarge(paths[size], size); err != nil {
			return nil, err
		}
	}
	return paths, nil
})

func makeLarge(path string, size int) error {
	ctx, start := context.Background(), time.Now()
	s, err := store.Open(ctx, path+".part", time.Now)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	for _, e := range []struct {
		name string
		bots int
	}{{"duel", 2}, {"league", 30}} {
		games, err := largeEvent(ctx, s, e.name, e.bots, size)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %d games of %d bots after %v\n", filepath.Base(path), games, e.bots, time.Since(start).Round(time.Second))
	}
	if err := s.Close(); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// BenchmarkReads measures the reading commands from Enter to prompt, the processor time and
// the most memory that they take, at ten thousand games, a hundred thousand and a million:
//
//	go test -run xxx -bench Reads -benchtime 3x ./cmd/arena
func BenchmarkReads(b *testing.B) {
	paths, err := large()
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range []string{
		"leaderboard --event league",
		"leaderboard --game breakthrough",
		"crosstable --event league",
		"events",
		"history --event league",
		"games --event league --last 20",
		"history b07",
	} {
		for _, size := range largeSizes {
			b.Run(fmt.Sprintf("%s/games=%d", strings.ReplaceAll(line, " ", "_"), size), func(b *testing.B) {
				var used usage
				for b.Loop() {
					used.command(b, append(strings.Fields(line), "--db", paths[size])...)
				}
				used.report(b)
			})
		}
	}
}

// usage is what the commands of a benchmark have used.
type usage struct {
	memory int64 // KiB, at most
	cpu    time.Duration
}

// command runs a command.
func (u *usage) command(b *testing.B, args ...string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "arena", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		b.Fatalf("arena %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	u.memory = max(u.memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	u.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// report reports the usage of each iteration.
func (u *usage) report(b *testing.B) {
	b.ReportMetric(float64(u.memory)/1024, "MiB")
	b.ReportMetric(u.cpu.Seconds()/float64(b.N), "cpu-s/op")
}

// BenchmarkResume measures `arena run` of an event of which one game is left to play.
func BenchmarkResume(b *testing.B) {
	paths, err := large()
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range largeSizes {
		s, err := store.OpenRead(b.Context(), paths[size], time.Now)
		if err != nil {
			b.Fatal(err)
		}
		e, err := s.Event(b.Context(), "league")
		file := filepath.Join(b.TempDir(), "league.yaml")
		if err = errors.Join(err, s.Close()); err == nil {
			err = os.WriteFile(file, e.Config, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("games=%d", size), func(b *testing.B) {
			var used usage
			for b.Loop() {
				b.StopTimer()
				new(usage).command(b, "games", "void", fmt.Sprintf("league/%d", e.Games), "--reason", "played again", "--db", paths[size])
				b.StartTimer()
				used.command(b, "run", file, "--quiet", "--db", paths[size])
			}
			used.report(b)
		})
	}
}

// BenchmarkReport measures what is printed at the end of a run, at the same sizes.
func BenchmarkReport(b *testing.B) {
	paths, err := large()
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"league", "duel"} {
		for _, size := range largeSizes {
			b.Run(fmt.Sprintf("%s/games=%d", name, size), func(b *testing.B) {
				b.ReportAllocs()
				ctx := b.Context()
				for b.Loop() {
					s, err := store.OpenRead(ctx, paths[size], time.Now)
					if err != nil {
						b.Fatal(err)
					}
					var out bytes.Buffer
					a := &app{out: &out}
					_, err = a.printOutcome(ctx, s, name, play{})
					if err != nil || out.Len() == 0 {
						b.Fatal(err)
					}
					if err := s.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
