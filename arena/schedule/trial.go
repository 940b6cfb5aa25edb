package schedule

import (
	"fmt"

	"botarena/arena"
	"botarena/arena/rating"
	"botarena/arena/rating/sprt"
)

// A Trial counts the pairs of a match in the order of the schedule, and follows the
// match's sequential test if it has one. It looks after each pair and stops for good at
// the first decision, so that games which were in progress then do not change it.
type Trial struct {
	Test   sprt.Test
	Tested bool // false: the match has no test, and is never decided

	bot     string // the first bot
	games   int
	open    map[int]rating.Score // first games of pairs whose second is to come
	counts  sprt.Pentanomial
	llr     float64
	verdict sprt.Verdict
}

// NewTrial returns the trial of a match before its first game, nil of another event and of
// one without pairs.
func NewTrial(event arena.Event) (*Trial, error) {
	if !Compares(event.Format) || !event.Swap {
		return nil, nil
	}
	t := &Trial{bot: event.Bots[0].Name, open: map[int]rating.Score{}, verdict: sprt.Continue}
	if event.SPRT == nil {
		return t, nil
	}
	t.Test, t.Tested = sprt.Of(event.SPRT), true
	if err := t.Test.Validate(); err != nil {
		return nil, fmt.Errorf("event %q: sprt: %w", event.Name, err)
	}
	return t, nil
}

// Add adds the next game in the order of the schedule, and reports whether the test
// counts it: it ignores a game without a result, and any game after the decision.
func (t *Trial) Add(g *arena.Game) bool {
	points, played := g.Result.Score()
	if !played || t.Decided() {
		return false
	}
	t.games++
	score := rating.Score(2 * points)
	if g.First != t.bot {
		score = score.Swap()
	}
	other, second := t.open[g.Pair]
	if !second {
		t.open[g.Pair] = score
		return true
	}
	delete(t.open, g.Pair)
	t.counts[other+score]++
	if t.Tested {
		t.llr = t.Test.LLR(t.counts)
		t.verdict = t.Test.Verdict(t.llr)
	}
	return true
}

// Decided reports whether the test is decided.
func (t *Trial) Decided() bool { return t.verdict != sprt.Continue }

// Games returns the number of games that the test has counted.
func (t *Trial) Games() int { return t.games }

// Counts returns the pairs that the test has counted.
func (t *Trial) Counts() sprt.Pentanomial { return t.counts }

// LLR returns the log-likelihood ratio after them.
func (t *Trial) LLR() float64 { return t.llr }
