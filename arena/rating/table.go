package rating

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"botarena/engine"

	"gonum.org/v1/gonum/mat"
)

// Options say how [Rate] rates. The zero value is the plain maximum likelihood.
type Options struct {
	// Pairs takes games of one pair as dependent and gives clustered errors.
	Pairs bool
	// NoAdvantage leaves out the side advantage: for games without sides.
	NoAdvantage bool
	// Anchor shifts the ratings so that this bot has this rating, and makes
	// errors those of the difference to it. Other components keep a mean of 0.
	Anchor *Anchor
	// Prior is the standard deviation in Elo of a Gaussian prior on each rating
	// (400 is usual); 0 is none. With it the pool is one component always.
	Prior float64
}

// An Anchor gives a bot a rating.
type Anchor struct {
	Name string
	Elo  float64
}

// A Table is the outcome of [Rate]. Ratings, errors and the advantage are in Elo
// on the score scale (the slope at equality is that of the logistic curve);
// errors are half-widths of 95 % intervals.
type Table struct {
	// Players by component, from the top, and by rating within each.
	Players []Player `json:"players"`
	// Advantage of moving first, and its error; nil where it was not fitted.
	Advantage      *float64 `json:"advantage"`
	AdvantageError *float64 `json:"advantage_error"`
	// DrawElo is 400 log10(1 + v): in BayesElo's model this number gives the same
	// draws between level bots. 0 where no game was drawn.
	DrawElo float64 `json:"draw_elo"`
	// LogLikelihood sums ln P over the games; those between components have
	// probability 1 in the limit and add nothing.
	LogLikelihood float64 `json:"log_likelihood"`
	// Components of the pool: only within one can ratings be compared. No bot
	// took as much as a draw from a bot of an earlier component.
	Components [][]string `json:"components"`
	Games      int        `json:"games"`
	DrawRate   float64    `json:"draw_rate"`
	// Notes say in words what the numbers leave out, one line each.
	Notes []string `json:"notes,omitempty"`

	place     map[string]int // in Players
	slot      []int          // of a player among the parameters, -1 for none
	cov       *mat.SymDense  // of the parameters, in Elo on the score scale
	scale     float64        // Elo on the score scale for one unit of x
	advantage float64        // in units of x
	v         float64
}

// A Player is one bot's line in a [Table].
type Player struct {
	Name string `json:"name"`
	// Elo and Error are nil where the bot is a component of its own.
	Elo    *float64 `json:"elo"`
	Error  *float64 `json:"error"`
	Games  int      `json:"games"`
	Wins   int      `json:"wins"`
	Draws  int      `json:"draws"`
	Losses int      `json:"losses"`
	Points float64  `json:"points"`
	Score  float64  `json:"score"` // points a game
	// LOSNext is the likelihood that the bot is stronger than the next one in the
	// table; nil where these cannot be compared.
	LOSNext   *float64 `json:"los_next"`
	Component int      `json:"component"` // index into Components
	// Bounds stand in for Elo, where it is nil.
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

// Rate answers the maximum-likelihood ratings under Davidson's model with a side
// advantage a: with x = (R1 - R2 + a) ln 10/400, the first side's win, a draw and
// its loss are as e^(x/2) : v : e^(-x/2). The ratings, a and ln v are fitted
// together. The advantage and v are shared by all components and fitted to the
// games within components: where the likelihood of the whole pool takes its
// supremum, games between components have probability 1. The error is an
// *UnknownBotError or *UnratedBotError for the anchor, or ErrNoConvergence.
func Rate(r *Results, o Options) (*Table, error) {
	f := newFit(r, o)
	sol, err := f.problem.solve()
	if err != nil {
		return nil, err
	}
	var clusters [][]compact
	if o.Pairs {
		clusters = f.clusters(r)
		p := &f.problem
		// Scores sum to 0: so few clusters span less than all parameters.
		if len(clusters) <= p.size() || p.holdAdvantage || p.holdDraws {
			clusters, f.fewPairs = nil, true
		}
	}
	return f.table(r, o, sol, clusters)
}

// fit is a problem and how its numbers belong to those of the results.
type fit struct {
	problem problem
	tallies []tally // of all games, by the results' numbers
	list    [][]int32
	of      []int32
	slot    []int32 // the problem's number of a bot, -1 for none
	known   bool    // the advantage can be told from strength
	// Clustered errors were asked for and cannot be had.
	fewPairs bool
}

func newFit(r *Results, o Options) *fit {
	f := &fit{tallies: r.tallies(), slot: make([]int32, len(r.names))}
	if o.Prior > 0 {
		f.of = make([]int32, len(r.names))
		if len(r.names) > 0 {
			f.list = make([][]int32, 1)
		}
		for i := range r.names {
			f.list[0] = append(f.list[0], int32(i))
		}
	} else {
		f.list, f.of = components(len(r.names), f.tallies)
	}
	p := &f.problem
	p.prior, p.groups = o.Prior*perElo, len(f.list)
	for i := range r.names {
		f.slot[i] = -1
		if len(f.list[f.of[i]]) > 1 {
			f.slot[i] = int32(p.bots)
			p.group = append(p.group, f.of[i])
			p.bots++
		}
	}
	for _, t := range f.tallies {
		if f.of[t.first] != f.of[t.second] {
			continue
		}
		t.first, t.second = f.slot[t.first], f.slot[t.second]
		p.tallies = append(p.tallies, t)
		p.draws = p.draws || t.n[Draw] > 0
	}
	f.known = advantageKnown(p.bots, p.tallies)
	p.advantage = !o.NoAdvantage && f.known
	return f
}

// clusters answers the clusters of games within components.
func (f *fit) clusters(r *Results) [][]compact {
	out := [][]compact{}
	for _, c := range r.clusters() {
		if f.of[c[0].first] != f.of[c[0].second] {
			continue
		}
		for k := range c {
			c[k].first, c[k].second = f.slot[c[k].first], f.slot[c[k].second]
		}
		out = append(out, c)
	}
	return out
}

func (f *fit) table(r *Results, o Options, sol *solution, clusters [][]compact) (*Table, error) {
	p := &f.problem
	t := &Table{LogLikelihood: sol.ll, Games: len(r.games), place: map[string]int{}}
	var lnv float64
	t.advantage, lnv = p.shape(sol.theta)
	t.v = math.Exp(lnv)
	t.scale = 2 / (2 + t.v) / perElo
	t.DrawElo = 400 * math.Log10(1+t.v)
	if t.cov = p.covariance(sol, clusters); t.cov != nil {
		t.cov.ScaleSym(t.scale*t.scale, t.cov)
	}
	if p.advantage {
		a, e := t.advantage*t.scale, z95*math.Sqrt(max(0, t.cov.At(p.iA(), p.iA())))
		t.Advantage, t.AdvantageError = &a, &e
	}
	f.players(r, t, sol)
	if err := f.anchor(r, t, o.Anchor); err != nil {
		return nil, err
	}
	f.sort(t)
	f.bounds(r, t)
	f.notes(t, o)
	return t, nil
}

// players fills the lines, still in the order of the results.
func (f *fit) players(r *Results, t *Table, sol *solution) {
	t.Players, t.slot = make([]Player, len(r.names)), make([]int, len(r.names))
	draws := 0
	for _, y := range f.tallies {
		a, b := &t.Players[y.first], &t.Players[y.second]
		w, d, l := int(y.n[Win]), int(y.n[Draw]), int(y.n[Loss])
		a.Wins, a.Draws, a.Losses = a.Wins+w, a.Draws+d, a.Losses+l
		b.Wins, b.Draws, b.Losses = b.Wins+l, b.Draws+d, b.Losses+w
		draws += d
	}
	if t.Games > 0 {
		t.DrawRate = float64(draws) / float64(t.Games)
	}
	for i := range t.Players {
		q := &t.Players[i]
		q.Name, q.Component = r.names[i], int(f.of[i])
		q.Games = q.Wins + q.Draws + q.Losses
		q.Points = float64(q.Wins) + float64(q.Draws)/2
		q.Score = q.Points / float64(max(1, q.Games))
		if t.slot[i] = int(f.slot[i]); t.slot[i] >= 0 {
			elo := sol.theta[t.slot[i]] * t.scale
			e := z95 * math.Sqrt(max(0, t.cov.At(t.slot[i], t.slot[i])))
			q.Elo, q.Error = &elo, &e
		}
	}
}

func (f *fit) anchor(r *Results, t *Table, a *Anchor) error {
	if a == nil {
		return nil
	}
	at, ok := r.index[a.Name]
	if !ok {
		return &UnknownBotError{Name: a.Name, Nearest: engine.Nearest(a.Name, r.names)}
	}
	if t.slot[at] < 0 {
		return &UnratedBotError{Name: a.Name}
	}
	shift := a.Elo - *t.Players[at].Elo
	for i := range t.Players {
		if q := &t.Players[i]; f.of[i] == f.of[at] {
			*q.Elo += shift
			*q.Error = z95 * t.deviation(i, int(at))
		}
	}
	return nil
}

func (f *fit) sort(t *Table) {
	order := make([]int, len(t.Players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := t.Players[i], t.Players[j]
		switch {
		case a.Component != b.Component:
			return a.Component - b.Component
		case a.Elo == nil || *a.Elo == *b.Elo:
			return strings.Compare(a.Name, b.Name)
		case *a.Elo > *b.Elo:
			return -1
		}
		return 1
	})
	players, slot := make([]Player, len(order)), make([]int, len(order))
	for to, from := range order {
		players[to], slot[to] = t.Players[from], t.slot[from]
		t.place[players[to].Name] = to
	}
	t.Players, t.slot = players, slot
	t.Components = make([][]string, len(f.list))
	for i := range players {
		q := &players[i]
		t.Components[q.Component] = append(t.Components[q.Component], q.Name)
		if i+1 < len(players) && players[i+1].Component == q.Component {
			los := superiority(*q.Elo-*players[i+1].Elo, t.deviation(i, i+1))
			q.LOSNext = &los
		}
	}
}

// deviation is the standard error of the difference of two rated players.
func (t *Table) deviation(i, j int) float64 {
	a, b := t.slot[i], t.slot[j]
	return math.Sqrt(max(0, t.cov.At(a, a)+t.cov.At(b, b)-2*t.cov.At(a, b)))
}

// Compare answers how much higher a is rated than b, the half-width of the 95 %
// interval of that difference and the likelihood that a is stronger. ok is false
// where the two cannot be compared.
func (t *Table) Compare(a, b string) (elo, errorBar, los float64, ok bool) {
	i, okA := t.place[a]
	j, okB := t.place[b]
	if !okA || !okB || i == j || t.slot[i] < 0 || t.slot[j] < 0 || t.Players[i].Component != t.Players[j].Component {
		return 0, 0, 0, false
	}
	elo = *t.Players[i].Elo - *t.Players[j].Elo
	sd := t.deviation(i, j)
	return elo, z95 * sd, superiority(elo, sd), true
}

// Predict answers the model's probabilities of loss, draw and win, by Score, for
// the first of two comparable bots.
func (t *Table) Predict(first, second string) (prob [3]float64, ok bool) {
	elo, _, _, ok := t.Compare(first, second)
	if !ok {
		return prob, false
	}
	prob, _ = davidson(elo/t.scale+t.advantage, t.v)
	return prob, true
}

// superiority is the likelihood that a difference with that standard error is
// above 0: 1/2 where both are 0.
func superiority(diff, sd float64) float64 {
	if diff == 0 {
		return 0.5
	}
	return phi(diff / sd)
}

// z95 is the normal quantile that the formulas page gives for 95 %.
const z95 = 1.96

// phi is the normal distribution function.
func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
