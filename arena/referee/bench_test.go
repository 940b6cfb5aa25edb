//go:build unix

package referee_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"syscall"
	"testing"
	"time"

	"botarena/arena"
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
