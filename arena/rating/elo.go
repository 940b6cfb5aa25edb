package rating

import (
	"math"

	"botarena/arena/rating/sprt"
)

// perElo is c = ln 10 / 400: one Elo in the unit of the logistic function.
const perElo = math.Ln10 / 400

// A Score is the first side's score in one game, in half points.
type Score int8

// The scores of a game, from the first side's view.
const (
	Loss Score = 0
	Draw Score = 1
	Win  Score = 2
)

// Points returns the score in points: 0, 1/2 or 1.
func (s Score) Points() float64 { return float64(s) / 2 }

// Swap returns the score seen from the other side.
func (s Score) Swap() Score { return Win - s }

// Elo holds the constants of the incremental rating, which is updated after each game
// in the order of the schedule. It depends on that order: it is a history of a bot's
// results, while [Fit] estimates its strength. The fields are those of arena.Elo, which
// converts to it.
type Elo struct {
	Start float64 // rating of a bot that has not played
	K0    float64 // step of a bot's first game
	KMin  float64 // smallest step
	N0    float64 // games after which the step is half of K0; 0: the step stays K0
}

// K returns the step of a bot that has played games games before:
// max(KMin, K0/(1 + games/N0)).
func (e Elo) K(games int) float64 {
	if e.N0 <= 0 {
		return max(e.KMin, e.K0)
	}
	return max(e.KMin, e.K0/(1+float64(games)/e.N0))
}

// A Standing is a bot's incremental rating after so many games.
type Standing struct {
	Rating float64
	Games  int
}

// New returns the standing of a bot that has not played.
func (e Elo) New() Standing { return Standing{Rating: e.Start} }

// Update returns both standings after a game in which the first bot scored s. Each bot
// moves by its own K: if both have played equally often, one gains what the other
// loses.
func (e Elo) Update(first, second Standing, s Score) (newFirst, newSecond Standing) {
	surprise := s.Points() - sprt.Expected(first.Rating-second.Rating)
	return Standing{first.Rating + e.K(first.Games)*surprise, first.Games + 1},
		Standing{second.Rating - e.K(second.Games)*surprise, second.Games + 1}
}
