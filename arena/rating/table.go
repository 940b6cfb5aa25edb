package rating

import (
	"fmt"
	"math"
)

// Options configures [Rate]. The zero value is the plain maximum likelihood.
type Options struct {
	// Pairs treats games of one pair as dependent and computes clustered errors.
	Pairs bool
	// NoAdvantage leaves out the side advantage: for games without sides.
	NoAdvantage bool
	// Anchor shifts the ratings so that this bot has this rating, and makes
	// errors those of the difference to it. Other components keep a mean of 0.
	Anchor *Anchor
	// Prior is the standard deviation in Elo of a Gaussian prior on each rating
	// (400 is usual); 0 is none. With it all bots that games link are one component.
	Prior float64
	// Strangers rates together bots that no chain of games links, as far as the prior
	// allows.
	Strangers bool
	// PriorIfApart is the prior that is used if, without one, the games leave several
	// components, whose ratings cannot be compared.
	PriorIfApart float64
	// Links are versions of bots that follow each other, whose differences have a
	// Gaussian prior with mean 0. Bots that are not among the results are left out.
	Links []Link
	// Spread is the standard deviation of that prior in Elo; 0 estimates it from the
	// results.
	Spread float64
}

// UsualPrior is a prior, in Elo, that is narrow enough to rate bots that won or
// lost everything and wide enough to leave the others nearly as they are.
const UsualPrior = 400

// An Anchor gives a bot a rating.
type Anchor struct {
	Name string
	Elo  float64
}

// A Table is the outcome of [Rate]. Ratings, errors and the advantage are in Elo
// on the score scale (the slope at equality is that of the logistic curve);
// errors are half-widths of 95 % intervals.
type Table struct {
	// Players by pool and component, from the top, and by rating within each.
	Players []Player `json:"players"`
	// Advantage, AdvantageError and DrawElo are those of the [Fit] with the most
	// games, the first of equals: of the only one in a pool that connects.
	Advantage      *float64 `json:"advantage"`
	AdvantageError *float64 `json:"advantage_error"`
	DrawElo        float64  `json:"draw_elo"`
	// LogLikelihood sums ln P over the games within components; those between
	// components have probability 1 in the limit and add nothing.
	LogLikelihood float64 `json:"log_likelihood"`
	// Fits of the components of two bots or more, in the order of Components; nil
	// if there is one at most, of which the fields above say all.
	Fits []*Fit `json:"fits,omitempty"`
	// Components of the pool: only within one can ratings be compared. No bot
	// took as much as a draw from a bot of an earlier component.
	Components [][]string `json:"components"`
	Pools      int        `json:"pools"` // see [Player]
	Games      int        `json:"games"`
	DrawRate   float64    `json:"draw_rate"`
	// Prior is the standard deviation of the prior that the ratings were given; 0
	// for none.
	Prior float64 `json:"prior,omitempty"`
	// Links describes the prior on differences between versions; nil for none.
	Links *VersionLinks `json:"version_links,omitempty"`
	// Pairs reports whether errors are from pairs, in one component at least.
	Pairs bool `json:"errors_from_pairs"`
	// Notes explains in words what the numbers leave out, one line each.
	Notes []string `json:"notes,omitempty"`
	// Detail holds further notes that few readers need.
	Detail []string `json:"detail,omitempty"`

	place map[string]int // in Players
	slot  []int          // of a player among the parameters of its fit, -1 for none
	fits  []*Fit         // by component, nil for one bot
	main  *Fit           // the one with the most games
}

// A Fit holds the parameters fitted to the games within one component.
type Fit struct {
	Bots  []string `json:"bots"`
	Games int      `json:"games"`
	// Advantage of moving first, and its error; nil if it was not fitted.
	Advantage      *float64 `json:"advantage"`
	AdvantageError *float64 `json:"advantage_error"`
	// DrawElo is 400 log10(1 + v): in BayesElo's model this number gives the same
	// draws between level bots. 0 if no game was drawn.
	DrawElo       float64 `json:"draw_elo"`
	LogLikelihood float64 `json:"log_likelihood"`

	size      int        // parameters
	cov       covariance // of the parameters, in Elo on the score scale
	scale     float64    // Elo on the score scale for one unit of x
	advantage float64    // in units of x
	v         float64
}

// A Player is one bot's line in a [Table].
type Player struct {
	Name string `json:"bot"`
	// Elo and Error are nil if the bot is a component of its own.
	Elo    *float64 `json:"elo"`
	Error  *float64 `json:"elo_error"`
	Games  int      `json:"games"`
	Wins   int      `json:"wins"`
	Draws  int      `json:"draws"`
	Losses int      `json:"losses"`
	Points float64  `json:"points"`
	Score  float64  `json:"score"` // points a game
	// LOSNext is the likelihood that the bot is stronger than the next one in the
	// table; nil if these cannot be compared.
	LOSNext   *float64 `json:"los"`
	Component int      `json:"component"` // index into Components
	// Pool numbers the groups of bots that chains of games link, from 1, the one with
	// the most games. Ratings cannot be compared across pools.
	Pool int `json:"pool"`
	// Bounds replaces Elo if it is nil.
	Bounds []Bound `json:"bounds,omitempty"`
}

// A Bound is the rating at which a bot's sweep of wins (or losses) against the
// members of a component had probability 1/2. It counts from where the ratings
// of that component do: its mean, or its only bot.
type Bound struct {
	Kind      string  `json:"kind"` // "lower" after wins, "upper" after losses
	Elo       float64 `json:"elo"`
	Games     int     `json:"games"`
	Component int     `json:"component"`
}

// An UnknownBotError names a bot that has no game among the results.
type UnknownBotError struct{ Name, Nearest string }

// Error names the bot and the nearest one that exists.
func (e *UnknownBotError) Error() string {
	if e.Nearest != "" {
		return fmt.Sprintf("no games of %q; did you mean %q?", e.Name, e.Nearest)
	}
	return fmt.Sprintf("no games of %q", e.Name)
}

// An UnratedBotError names a bot that has only a bound where a rating is needed.
type UnratedBotError struct{ Name string }

// Error names the bot and says what to do.
func (e *UnratedBotError) Error() string {
	return fmt.Sprintf("%q has no rating to anchor to, only a bound; anchor to another bot, or rate with a prior", e.Name)
}

// fit returns the fit of a rated player, by its place.
func (t *Table) fit(i int) *Fit { return t.fits[t.Players[i].Component] }

// comparable returns the places of two bots that were rated together.
func (t *Table) comparable(a, b string) (i, j int, ok bool) {
	i, okA := t.place[a]
	j, okB := t.place[b]
	return i, j, okA && okB && t.together(i, j)
}

// together reports whether two players are rated in one component.
func (t *Table) together(i, j int) bool {
	return i != j && t.slot[i] >= 0 && t.slot[j] >= 0 && t.Players[i].Component == t.Players[j].Component
}

// deviation returns the standard error of the difference of two players of a component.
func (t *Table) deviation(i, j int) float64 {
	a, b, cov := t.slot[i], t.slot[j], t.fit(i).cov
	return math.Sqrt(max(0, cov.At(a, a)+cov.At(b, b)-2*cov.At(a, b)))
}

// Compare returns how much higher a is rated than b, the half-width of the 95 %
// interval of that difference and the likelihood that a is stronger. ok is false
// where the two cannot be compared.
func (t *Table) Compare(a, b string) (elo, errorBar, los float64, ok bool) {
	i, j, ok := t.comparable(a, b)
	if !ok {
		return 0, 0, 0, false
	}
	elo = *t.Players[i].Elo - *t.Players[j].Elo
	sd := t.deviation(i, j)
	return elo, z95 * sd, superiority(elo, sd), true
}

// superiority returns the likelihood that a difference with that standard error is
// above 0: 1/2 where it is 0, but for rounding.
func superiority(diff, sd float64) float64 {
	if math.Abs(diff) < 1e-9 {
		return 0.5
	}
	return phi(diff / sd)
}

// z95 is the normal quantile that gives a two-sided 95 % interval.
const z95 = 1.96

// phi returns the normal distribution function.
func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
