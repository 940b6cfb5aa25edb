package rating

import (
	"math/rand/v2"
	"strconv"
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

// score is a game's score, the luck of the first side being uniform from 0 to 1.
func (w world) score(luck float64, first, second int) Score {
	p, _ := davidson((w.elo[first]-w.elo[second]+w.advantage)*perElo, w.v)
	switch {
	case luck < p[Loss]:
		return Loss
	case luck < p[Loss]+p[Draw]:
		return Draw
	}
	return Win
}

// predict returns the model's probabilities of loss, draw and win, by Score, for the first
// of two comparable bots.
func (t *Table) predict(first, second string) (prob [3]float64, ok bool) {
	elo, _, _, ok := t.Compare(first, second)
	if ok {
		f := t.fit(t.place[first])
		prob, _ = davidson(elo/f.scale+f.advantage, f.v)
	}
	return prob, ok
}

func botName(i int) string { return "bot" + strconv.Itoa(i) }

// randomGames draws games between random bots.
func (w world) randomGames(rng *rand.Rand, games int) *Results {
	r := &Results{}
	for range games {
		i := rng.IntN(len(w.elo))
		j := (i + 1 + rng.IntN(len(w.elo)-1)) % len(w.elo)
		r.mustAdd(i, j, w.score(rng.Float64(), i, j), 0)
	}
	return r
}

func (r *Results) mustAdd(first, second int, s Score, pair int64) {
	if err := r.Add(Game{botName(first), botName(second), s, pair}); err != nil {
		panic(err)
	}
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
