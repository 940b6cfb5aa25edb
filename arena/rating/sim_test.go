package rating

import (
	"fmt"
	"math/rand/v2"
)

// world is a truth to draw games from: ratings and advantage in Elo (not on the
// score scale), and v.
type world struct {
	elo          []float64
	advantage, v float64
}

func newWorld(rng *rand.Rand, bots int, spread, advantage, v float64) world {
	w := world{elo: make([]float64, bots), advantage: advantage, v: v}
	mean := 0.0
	for i := range w.elo {
		w.elo[i] = spread * rng.NormFloat64()
		mean += w.elo[i] / float64(bots)
	}
	for i := range w.elo {
		w.elo[i] -= mean
	}
	return w
}

// play draws a game; shift is added to the rating of first, for what the games
// of one opening have in common.
func (w world) play(rng *rand.Rand, first, second int, shift float64) Score {
	p, _ := davidson((w.elo[first]-w.elo[second]+w.advantage+shift)*perElo, w.v)
	switch u := rng.Float64(); {
	case u < p[Loss]:
		return Loss
	case u < p[Loss]+p[Draw]:
		return Draw
	}
	return Win
}

func botName(i int) string { return fmt.Sprintf("bot%d", i) }

// randomGames draws games between random bots.
func (w world) randomGames(rng *rand.Rand, games int) *Results {
	r := &Results{}
	for range games {
		i := rng.IntN(len(w.elo))
		j := (i + 1 + rng.IntN(len(w.elo)-1)) % len(w.elo)
		r.mustAdd(i, j, w.play(rng, i, j, 0), 0)
	}
	return r
}

func (r *Results) mustAdd(first, second int, s Score, pair int64) {
	if err := r.Add(Game{botName(first), botName(second), s, pair}); err != nil {
		panic(err)
	}
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
