package main

import (
	"math/rand/v2"
	"testing"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/enginetest"
)

func game(t *testing.T, size int) engine.Game {
	t.Helper()
	g, err := kit.NewGame(newHex(size).rules())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Hex knows no draw: a full board has exactly one winner.
func TestNoDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	wins := map[engine.Side]int{}
	for i := range 300 {
		size := i%7 + 1
		pos := game(t, size).Start()
		plies, _ := enginetest.Playout(pos, rng, size*size, nil)
		out := pos.Outcome()
		if !out.Over || out.Winner == engine.NoSide || plies < 2*size-1 {
			t.Fatalf("size %d, after %d plies: %+v", size, plies, out)
		}
		wins[out.Winner]++
	}
	if wins[engine.First] < 100 || wins[engine.Second] < 100 {
		t.Errorf("wins: %v", wins)
	}
}

func TestEnds(t *testing.T) {
	for moves, want := range map[string]engine.Side{
		"b1 a1 b2 a2 b3":    engine.First,
		"a1 a2 b1 b2 c3 c2": engine.Second,
		// a3 and b2 are no neighbours, and a1 and b2 are.
		"a1 c1 b2 c2 a3":       engine.NoSide,
		"a1 c1 b2 c2 b3":       engine.First,
		"c3 a1 c1 b2 a3 b1 b3": engine.NoSide,
		"c3 a1 b1 b2 a3 c2":    engine.Second,
	} {
		pos := game(t, 3).Start()
		enginetest.Play(t, pos, moves)
		if got := pos.Outcome().Winner; got != want {
			t.Errorf("%s: %d wins, want %d\n%v", moves, got, want, pos.Board().Text)
		}
	}
}

// The first bot beats one that plays anything.
func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for seed := range uint64(4) {
		pos, bot := game(t, 5).Start(), engine.Side(seed%2)
		for !pos.Outcome().Over {
			legal := pos.Legal(nil)
			m := legal[rng.IntN(len(legal))]
			if pos.Turn() == bot {
				m = choose(kit.NewTurn(pos, seed, nil))
			}
			pos.Play(m)
		}
		if pos.Outcome().Winner != bot {
			t.Errorf("seed %d: it loses", seed)
		}
	}
}
