package bench_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/bench"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine/games"
)

// run counts with a bot that speaks UCI and answers the word bench; without an answer it
// searches no positions, which fails.
func run(t *testing.T, answer func(b *sessiontest.Bot, stderr *session.Tail)) (bench.Result, error) {
	t.Helper()
	clock := sessiontest.NewClock()
	return bench.Run(t.Context(), bench.Config{
		Bot: arena.Bot{Name: "engine", Protocol: arena.ProtocolUCI}, Now: clock.Now, Catalog: games.All(), Nodes: 10, Limit: time.Minute,
		Start: func(_ context.Context, stderr *session.Tail) (session.Process, error) {
			return &sessiontest.Bot{Clock: clock, Answer: func(b *sessiontest.Bot, line string) {
				switch {
				case line == "uci":
					b.Say(0, "id name engine")
					b.Say(0, "uciok")
				case line == "isready":
					b.Say(0, "readyok")
				case line == "bench":
					answer(b, stderr)
				case strings.HasPrefix(line, "go"):
					b.Say(0, "bestmove a1a1")
				}
			}}, nil
		},
	})
}

// A bench of a bot's own is read as engines write it: on stdout or stderr, the last total
// of several, with marks in the numbers or without. Info lines are no totals.
func TestOwnBench(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		out, err     []string
		nodes, speed int64
	}{
		"stockfish": {
			out:   []string{"info depth 13 nodes 20 score cp 3", "bestmove e2e4 ponder e7e5"},
			err:   []string{"Position: 50/50 (8/8)", "", "===========================", "Total time (ms) : 1305", "Nodes searched  : 1484730", "Nodes/second    : 1137724"},
			nodes: 1484730, speed: 1137724,
		},
		"ethereal":      {out: []string{"[# 50] a1b1 12 cp", "4127634 nodes 1500000 nps"}, nodes: 4127634, speed: 1500000},
		"marks":         {out: []string{"Bench: 1,234,567 nodes, 1'000'000 nps"}, nodes: 1234567, speed: 1000000},
		"several":       {out: []string{"nodes 5", "nodes 7", "Nodes: 12"}, nodes: 12, speed: 12},
		"info alone":    {out: []string{"info nodes 1000 nps 5", "bestmove e2e4"}},
		"unknown words": {out: []string{"Unknown command: bench"}},
	} {
		result, err := run(t, func(b *sessiontest.Bot, stderr *session.Tail) {
			for _, line := range c.out {
				b.Say(0, "%s", line)
			}
			b.Clock.Time = b.Clock.Time.Add(time.Second)
			_, _ = stderr.Write([]byte(strings.Join(c.err, "\n")))
		})
		if c.nodes == 0 {
			if err == nil || !strings.Contains(err.Error(), "position 1: illegal move") {
				t.Errorf("%s: %+v, %v: no positions were searched", name, result, err)
			}
			continue
		}
		if err != nil || result.Task != bench.Own || result.Game != "chess" || result.Nodes != c.nodes || result.Speed != c.speed {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
}

// A bench that never ends is a fault; one after which the bot ends is none.
func TestOwnBenchEnds(t *testing.T) {
	t.Parallel()
	_, err := run(t, func(b *sessiontest.Bot, _ *session.Tail) { b.Answer = func(*sessiontest.Bot, string) {} })
	if err == nil || !strings.Contains(err.Error(), "no end of its own bench") {
		t.Errorf("one without end: %v", err)
	}
	result, err := run(t, func(b *sessiontest.Bot, _ *session.Tail) {
		b.Say(0, "77 nodes 7 nps")
		b.Fail(0, arena.ErrClosed)
		b.Exit = "exit status 0"
	})
	if err != nil || result.Nodes != 77 {
		t.Errorf("one that ends: %+v, %v", result, err)
	}
}
