package main

import (
	"testing"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/enginetest"
)

func game(t *testing.T) engine.Game {
	t.Helper()
	g, err := kit.NewGame(rules())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestPerft(t *testing.T) {
	for depth, want := range []uint64{1, 7, 49, 343, 2401, 16807, 117649, 823536} {
		if n := engine.Perft(game(t).Start(), depth); n != want {
			t.Errorf("depth %d: %d, want %d", depth, n, want)
		}
	}
}

func TestEnds(t *testing.T) {
	for moves, want := range map[string]engine.Outcome{
		"a b a b a b a":         {Over: true, Winner: engine.First, Reason: "four in a row"},
		"a a b b c c d":         {Over: true, Winner: engine.First, Reason: "four in a row"},
		"g a b a c a d a":       {Over: true, Winner: engine.Second, Reason: "four in a row"},
		"a b b c c d c d d g d": {Over: true, Winner: engine.First, Reason: "four in a row"},
		"g f f e e d e d d a d": {Over: true, Winner: engine.First, Reason: "four in a row"},
		"e e e f f f g g g":     {Winner: engine.NoSide},
		// Four bits in a row that belong to two columns are none.
		"a b a b a c b c b d b d": {Winner: engine.NoSide},
		"a b a b a b b a b a b a c d c d c d d c d c d c e f e f e f f e f e f e g g g g g g": {
			Over: true, Winner: engine.NoSide, Reason: "board full",
		},
	} {
		pos := game(t).Start()
		enginetest.Play(t, pos, moves)
		if got := pos.Outcome(); got != want {
			t.Errorf("%s: %+v, want %+v", moves, got, want)
		}
	}
}

// The first bot wins at once, and keeps the other from it.
func TestChoose(t *testing.T) {
	for moves, want := range map[string]string{"a b a b a b": "a", "a b a b a": "a"} {
		for seed := range uint64(5) {
			pos := game(t).Start()
			enginetest.Play(t, pos, moves)
			turn := kit.NewTurn(pos, seed, nil)
			if got := string(turn.Text(choose(turn))); got != want {
				t.Errorf("after %s it plays %s, want %s", moves, got, want)
			}
		}
	}
}
