package breakthrough_test

import (
	"math/rand/v2"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/enginetest"
)

// The known figures of random play: 64.1 plies, 50.9 % for White. With
// 40,000 games their standard errors are below 0.1 and 0.25 %.
func TestRandomPlay(t *testing.T) {
	const games = 40_000
	pos := open(t, "").Start().(*breakthrough.Position)
	rng := rand.New(rand.NewPCG(1, 1))
	plies, wins := 0, 0
	for range games {
		winner, n := pos.Playout(rng)
		plies += n
		if winner == engine.First {
			wins++
		}
	}
	if mean := float64(plies) / games; mean < 63.8 || mean > 64.4 {
		t.Errorf("%.2f plies a game", mean)
	}
	if share := float64(wins) / games; share < 0.499 || share > 0.519 {
		t.Errorf("White wins %.3f", share)
	}
	if n := testing.AllocsPerRun(10, func() { pos.Playout(rng) }); n != 0 {
		t.Errorf("a playout allocates %v times", n)
	}
}

// The direct playout is the same game as one through the interface, on boards of
// one word and of several: same mean length and winner within 4 standard errors.
func TestPlayoutAgreesWithInterface(t *testing.T) {
	for _, size := range []string{"4x4", "5x6", "9x9", "2x26"} {
		const games = 3000
		game := open(t, size)
		pos := game.Start().(*breakthrough.Position)
		before := pos.String()
		rng := rand.New(rand.NewPCG(1, 1))
		var direct, through [2]float64 // plies, White's wins
		var squares float64
		var buf []engine.Move
		for range games {
			winner, plies := pos.Playout(rng)
			direct[0] += float64(plies) / games
			squares += float64(plies*plies) / games
			if winner == engine.First {
				direct[1] += 1.0 / games
			}
			p := game.Start()
			plies, buf = enginetest.Playout(p, rng, game.MaxPlies(), buf)
			through[0] += float64(plies) / games
			if p.Outcome().Winner == engine.First {
				through[1] += 1.0 / games
			}
		}
		variance := (squares - direct[0]*direct[0]) * 2 / games
		if d := direct[0] - through[0]; d*d > 16*variance {
			t.Errorf("%s: %v plies, %v through the interface", size, direct[0], through[0])
		}
		if d := direct[1] - through[1]; d*d > 16*0.5/games {
			t.Errorf("%s: White wins %v, %v through the interface", size, direct[1], through[1])
		}
		if pos.String() != before {
			t.Errorf("%s: the playout changed the position", size)
		}
	}
}
