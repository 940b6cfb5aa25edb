//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/games"
	"botarena/protocol"
)

const (
	overheadGames = 200
	overheadPlies = 330
)

// aChessGame is a random game that lasts as long as the benchmark's games do.
func aChessGame(b *testing.B) []string {
	b.Helper()
	chess, err := games.All().Lookup("chess")
	if err != nil {
		b.Fatal(err)
	}
	for seed := uint64(1); ; seed++ {
		random := rand.New(rand.NewPCG(seed, 0))
		pos := chess.Start()
		var moves []string
		var legal []engine.Move
		for len(moves) < overheadPlies && !pos.Outcome().Over {
			legal = pos.Legal(legal[:0])
			m := legal[random.IntN(len(legal))]
			moves = append(moves, string(pos.AppendMove(nil, m)))
			pos.Play(m)
		}
		if len(moves) == overheadPlies {
			return moves
		}
	}
}

// compiled compiles one of the benchmarks' programs into a folder.
func compiled(b *testing.B, dir, name string) {
	b.Helper()
	if out, err := exec.Command("gcc", "-O2", "-o", filepath.Join(dir, name), "testdata/overhead/"+name+".c").CombinedOutput(); err != nil {
		b.Fatalf("this benchmark needs gcc: %v\n%s", err, out)
	}
}

// replayEngine compiles the engine that plays these moves.
func replayEngine(b *testing.B, moves []string) (dir string) {
	b.Helper()
	dir = b.TempDir()
	compiled(b, dir, "replay")
	if err := os.WriteFile(filepath.Join(dir, "game.txt"), []byte(strings.Join(moves, " ")), 0o600); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkOverhead is a whole `arena run` of 200 games of chess, 66,000 plies,
// between two engines that do nothing, and the export of its PGN. cpu-us/ply is
// arena's own, cpu of the engines not counted. Compare BenchmarkPingPong.
func BenchmarkOverhead(b *testing.B) {
	dir := replayEngine(b, aChessGame(b))
	for _, concurrency := range []int{1, 2} {
		b.Run(fmt.Sprintf("concurrency=%d", concurrency), func(b *testing.B) {
			overhead(b, dir, "game: chess", concurrency)
		})
	}
}

// BenchmarkOverheadRules is BenchmarkOverhead with a program in C that knows the rules:
// the same engines, as many games, plies and, on the average, legal moves, of a game
// that is no more than that, so that the program's own work does not count. What it
// takes longer is a round trip a ply, and reading the answers.
func BenchmarkOverheadRules(b *testing.B) {
	const legal = 20 // as a random game of chess has
	var moves []string
	for ply := range overheadPlies {
		moves = append(moves, fmt.Sprintf("a%d", ply%legal))
	}
	dir := replayEngine(b, moves)
	compiled(b, dir, "rules")
	game := fmt.Sprintf("game: {name: plies, rules: [%s/rules, '%d', '%d']}", dir, overheadPlies, legal)
	for _, concurrency := range []int{1, 2} {
		b.Run(fmt.Sprintf("concurrency=%d", concurrency), func(b *testing.B) {
			overhead(b, dir, game, concurrency)
		})
	}
}

// overhead plays an event of a game between two engines in dir that do nothing.
func overhead(b *testing.B, dir, game string, concurrency int) {
	b.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent)) // as main does
	exe, err := exec.LookPath("arena")
	if err != nil {
		b.Fatal(err)
	}
	event := fmt.Sprintf(`
event: overhead
%s
format: match
rounds: %d
clock: {nodes: 1}
max_plies: %d
concurrency: %d
pin: on
bots:
  - {name: one, command: [./replay, game.txt], protocol: uci}
  - {name: two, command: [./replay, game.txt], protocol: uci}
`, game, overheadGames/2, overheadPlies, concurrency)
	if err := os.WriteFile(filepath.Join(dir, "overhead.yaml"), []byte(event), 0o600); err != nil {
		b.Fatal(err)
	}
	var export time.Duration
	fastest := time.Hour
	before := ownCPU(b)
	for b.Loop() {
		db := filepath.Join(b.TempDir(), "arena.db")
		overheadArena(b, exe, "run", filepath.Join(dir, "overhead.yaml"), "--quiet", "--db", db)
		start := time.Now()
		pgn := overheadArena(b, exe, "export", "--format", "pgn", "--db", db)
		export += time.Since(start)
		if n := strings.Count(pgn, "[Result \"1/2-1/2\"]"); n != overheadGames {
			b.Fatalf("%d drawn games in the PGN", n)
		}
		b.StopTimer()
		fastest = min(fastest, checkOverheadGames(b, db))
		b.StartTimer()
	}
	plies := float64(b.N) * overheadGames * overheadPlies
	b.ReportMetric(float64((ownCPU(b)-before).Microseconds())/plies, "cpu-us/ply")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/plies, "us/ply")
	b.ReportMetric(float64(export.Milliseconds())/float64(b.N), "export-ms/op")
	reportFastest(b, fastest)
}

// reportFastest reports the shortest game, which other programs on the machine disturb
// least: the one of BenchmarkOverhead over that of BenchmarkPingPong is what arena adds
// to the pipe, also on a busy machine.
func reportFastest(b *testing.B, game time.Duration) {
	b.Helper()
	b.ReportMetric(float64(game.Nanoseconds())/1000/overheadPlies, "fastest-us/ply")
}

// checkOverheadGames checks that the games were really played, and returns how long the
// shortest took.
func checkOverheadGames(b *testing.B, db string) (shortest time.Duration) {
	b.Helper()
	s, err := store.OpenRead(context.Background(), db, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	records, err := s.Games(context.Background(), store.Filter{})
	if err != nil {
		b.Fatal(err)
	}
	shortest = time.Hour
	for i := range records {
		r := &records[i]
		if r.Plies != overheadPlies {
			b.Fatalf("game %d: %s (%s) after %d plies", r.Number, r.Reason, r.Detail, r.Plies)
		}
		shortest = min(shortest, r.Wall)
	}
	return shortest
}

// overheadArena runs a command line of arena within this process, so that its
// CPU time can be told from that of the engines.
func overheadArena(b *testing.B, exe string, args ...string) string {
	b.Helper()
	var out, log bytes.Buffer
	code := run(context.Background(), args, &app{
		in: strings.NewReader(""), out: &out, err: &log,
		getenv: os.Getenv, environ: os.Environ(), now: time.Now, exe: exe,
		signals:  signals,
		terminal: func(io.Writer) (int, bool) { return 0, false },
	})
	if code != exitDone {
		b.Fatalf("arena %s: exit code %d\n%s", strings.Join(args, " "), code, log.String())
	}
	return out.String()
}

// ownCPU is what this process has used, its bots not counted.
func ownCPU(b *testing.B) time.Duration {
	b.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkPingPong sends the same engines the same bytes on one core and reads
// their answers, with nothing in between: no runner in Go can be faster.
func BenchmarkPingPong(b *testing.B) {
	moves := aChessGame(b)
	dir := replayEngine(b, moves)
	cpus, err := process.CPUs()
	if err != nil {
		b.Fatal(err)
	}
	unpin, err := process.PinThread([]int{cpus[len(cpus)-1].ID})
	if err != nil {
		b.Fatal(err)
	}
	defer unpin()
	var in, out [2]int
	for i := range in {
		cmd := exec.Command(filepath.Join(dir, "replay"), filepath.Join(dir, "game.txt"))
		in[i], out[i] = barePipes(b, cmd)
		defer func() {
			_ = unix.Close(in[i])
			if err := cmd.Wait(); err != nil {
				b.Error(err)
			}
			_ = unix.Close(out[i])
		}()
	}
	var line protocol.PositionLine
	line.Start("")
	var lines [][]byte
	for _, m := range moves {
		lines = append(lines, protocol.AppendGo(line.AppendTo(nil), protocol.UCI, protocol.GoParams{Nodes: 1}))
		line.Play(m)
	}
	buf := make([]byte, 4096)
	fastest := time.Hour
	before := ownCPU(b)
	for b.Loop() {
		for range overheadGames {
			start := time.Now()
			for i, l := range lines {
				if _, err := unix.Write(in[i%2], l); err != nil {
					b.Fatal(err)
				}
				if n, err := unix.Read(out[i%2], buf); err != nil || buf[n-1] != '\n' {
					b.Fatal(n, err)
				}
			}
			fastest = min(fastest, time.Since(start))
		}
	}
	plies := float64(b.N) * overheadGames * overheadPlies
	b.ReportMetric(float64((ownCPU(b)-before).Microseconds())/plies, "cpu-us/ply")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/plies, "us/ply")
	reportFastest(b, fastest)
}

// barePipes starts a program over pipes and returns blocking descriptors.
func barePipes(b *testing.B, cmd *exec.Cmd) (in, out int) {
	b.Helper()
	var stdin, stdout [2]int
	for _, fds := range []*[2]int{&stdin, &stdout} {
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
			b.Fatal(err)
		}
	}
	childIn, childOut := os.NewFile(uintptr(stdin[0]), "stdin"), os.NewFile(uintptr(stdout[1]), "stdout")
	cmd.Stdin, cmd.Stdout = childIn, childOut
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	_ = childIn.Close()
	_ = childOut.Close()
	return stdin[1], stdout[0]
}
