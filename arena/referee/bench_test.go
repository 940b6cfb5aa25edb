//go:build unix

package referee_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/referee"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/engine/breakthrough"
)

// aGame is a random game of Breakthrough, as the moves of both sides.
func aGame(b *testing.B) (engine.Game, [2][]string) {
	game, err := breakthrough.New(8, 8)
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	pos := game.Start()
	var moves [2][]string
	for !pos.Outcome().Over {
		legal := pos.Legal(nil)
		m := legal[random.IntN(len(legal))]
		moves[pos.Turn()] = append(moves[pos.Turn()], string(pos.AppendMove(nil, m)))
		pos.Play(m)
	}
	return game, moves
}

// replayLink answers at once, in memory: what is left is the referee's own time.
type replayLink struct {
	session.Process
	moves [][]byte
	n     int
	wait  bool // a line is due
	ready bool
}

func (l *replayLink) Write(lines []byte, _ time.Time) error {
	l.wait, l.ready = true, lines[0] == 'u' // uginewgame
	if l.ready {
		l.n = 0
	}
	return nil
}

func (l *replayLink) ReadLine(time.Time) ([]byte, error) {
	switch {
	case !l.wait:
		return nil, arena.ErrTimeout
	case l.ready:
		l.wait = false
		return []byte("readyok"), nil
	}
	l.wait = false
	l.n++
	return l.moves[l.n-1], nil
}

func (l *replayLink) Reset() {}

// BenchmarkOwnTime is the referee's time a ply without any pipe: parsing, rules,
// clocks and records.
func BenchmarkOwnTime(b *testing.B) {
	game, moves := aGame(b)
	var players [2]*session.Session
	for i := range players {
		l := &replayLink{}
		for _, m := range moves[i] {
			l.moves = append(l.moves, []byte("bestmove "+m))
		}
		players[i] = &session.Session{Name: strconv.Itoa(i), Process: l, Now: time.Now}
	}
	benchmarkGames(b, game, players)
}

func benchmarkGames(b *testing.B, game engine.Game, players [2]*session.Session) {
	r := &referee.Referee{Now: time.Now}
	clock := arena.TimeControl{Base: time.Hour, Increment: time.Second, Margin: 50 * time.Millisecond}
	spec := referee.Spec{Game: game, Clocks: [2]arena.TimeControl{clock, clock}}
	plies := 0
	b.ReportAllocs()
	before := ownCPU(b)
	for b.Loop() {
		record, err := r.Play(context.Background(), spec, players)
		if err != nil || record.Reason != arena.WinByRule {
			b.Fatalf("%+v, %v", record, err)
		}
		plies += record.Plies
	}
	report(b, plies, before)
}

func report(b *testing.B, plies int, before time.Duration) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(plies), "ns/ply")
	b.ReportMetric(float64((ownCPU(b)-before).Nanoseconds())/float64(plies), "cpu-ns/ply")
}

func ownCPU(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// startBots compiles the replaying bot and starts one for each side on the core
// that this goroutine is bound to.
func startBots(b *testing.B, moves [2][]string) [2]*process.Process {
	program := filepath.Join(b.TempDir(), "replay")
	if out, err := exec.Command("cc", "-O2", "-o", program, "testdata/replay.c").CombinedOutput(); err != nil {
		b.Fatalf("compiling the bot (is a C compiler installed?): %v\n%s", err, out)
	}
	starter, err := process.NewStarter(process.Config{RunID: "bench-" + strconv.Itoa(os.Getpid()), Environ: os.Environ(), Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = starter.Close() })
	cpus, err := process.CPUs()
	if err != nil {
		b.Fatal(err)
	}
	core := []int{cpus[len(cpus)-1].ID}
	unpin, err := process.PinThread(core)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(unpin)
	var bots [2]*process.Process
	for i := range bots {
		bots[i], err = starter.Start(context.Background(), process.Spec{
			Command: append([]string{program}, moves[i]...), Dir: b.TempDir(), CPUs: core,
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return bots
}

// BenchmarkProcesses plays games between two trivial processes in C, all on one
// core. Compare it with BenchmarkPingPong.
func BenchmarkProcesses(b *testing.B) {
	game, moves := aGame(b)
	var players [2]*session.Session
	for i, bot := range startBots(b, moves) {
		players[i] = &session.Session{Name: strconv.Itoa(i), Process: bot, Now: time.Now}
	}
	benchmarkGames(b, game, players)
}

// BenchmarkPingPong sends the same bots the same bytes and reads their answers,
// with nothing in between.
func BenchmarkPingPong(b *testing.B) {
	_, moves := aGame(b)
	bots := startBots(b, moves)
	line := []byte("position startpos moves")
	var lines [][]byte
	for i := range len(moves[0]) + len(moves[1]) {
		lines = append(lines, append(append([]byte(nil), line...), "\ngo p1time 3600000 p2time 3600000 p1inc 1000 p2inc 1000\n"...))
		line = append(append(line, ' '), moves[i%2][i/2]...)
	}
	deadline := time.Now().Add(time.Hour)
	plies := 0
	before := ownCPU(b)
	for b.Loop() {
		for i, l := range lines {
			bot := bots[i%2]
			bot.Reset()
			if err := bot.Write(l, deadline); err != nil {
				b.Fatal(err)
			}
			if _, err := bot.ReadLine(deadline); err != nil {
				b.Fatal(err)
			}
			plies++
		}
	}
	report(b, plies, before)
}
