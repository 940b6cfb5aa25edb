package rating

import (
	"math"
	"slices"
	"strings"

	"botarena/engine/nearest"
)

// Rate returns the maximum-likelihood ratings under Davidson's model with a side
// advantage a: with x = (R1 - R2 + a) ln 10/400, the first side's win, a draw and
// its loss are as e^(x/2) : v : e^(-x/2). Each strongly connected component of two
// bots or more is rated by itself: its ratings, a and ln v are fitted together, to
// the games within it alone. The error is an *UnknownBotError or
// *UnratedBotError for the anchor, or ErrNoConvergence.
func Rate(r *Results, o Options) (*Table, error) {
	var leaps []Link
	p, apart, spread, err := linkedPool(r, o, usualSpread)
	for err == nil && p.links > 0 {
		leapt := p.leaps(r, spread)
		if len(leapt) == 0 {
			break
		}
		leaps = append(leaps, leapt...)
		o.Links = slices.DeleteFunc(slices.Clone(o.Links), func(l Link) bool { return slices.Contains(leapt, l) })
		p, apart, spread, err = linkedPool(r, o, spread)
	}
	if err != nil {
		return nil, err
	}
	if apart != "" {
		o.Prior = o.PriorIfApart
	}
	if o.Pairs {
		p.cluster(r)
	}
	t := &Table{
		Games: r.Len(), Prior: o.Prior, Pools: p.pools, place: map[string]int{},
		fits: make([]*Fit, len(p.list)),
		main: &Fit{scale: 1 / perElo}, // of single bots alone: the logistic curve
	}
	if p.links+len(leaps) > 0 {
		t.Links = &VersionLinks{Spread: spread, Estimated: o.Spread == 0, Count: p.links, Leaps: leaps}
	}
	for c, q := range p.pieces {
		if q == nil {
			continue
		}
		f, err := q.fit(spread)
		if err != nil {
			return nil, err
		}
		t.fits[c] = f
		t.Fits = append(t.Fits, f)
		t.LogLikelihood += f.LogLikelihood
		t.Pairs = t.Pairs || q.clusters != nil
		if f.Games > t.main.Games || len(t.Fits) == 1 {
			t.main = f
		}
	}
	t.Advantage, t.AdvantageError, t.DrawElo = t.main.Advantage, t.main.AdvantageError, t.main.DrawElo
	p.players(r, t)
	if err := p.anchor(r, t, o.Anchor); err != nil {
		return nil, err
	}
	p.sort(t)
	p.bounds(r, t)
	p.notes(t, o, apart)
	if len(t.Fits) < 2 {
		t.Fits = nil
	}
	return t, nil
}

// linkedPool returns the pool of the results, with what without a prior would be apart, if
// that is why it has one, and with its links fitted, from a spread nearby on.
func linkedPool(r *Results, o Options, near float64) (p *pool, apart string, spread float64, err error) {
	p = newPool(r, o)
	if o.Prior == 0 && o.PriorIfApart > 0 && len(p.list) > p.pools {
		apart = p.apart(r)
		o.Prior = o.PriorIfApart
		p = newPool(r, o)
	}
	if p.links > 0 {
		spread, err = p.fitLinks(o.Spread, near)
	}
	return p, apart, spread, err
}

// pool holds the results to be rated, in components.
type pool struct {
	tallies []tally // of all games, by the results' numbers
	list    [][]int32
	of      []int32
	slot    []int32  // number of a bot in its piece's problem, -1 for none
	pieces  []*piece // by component, nil for one bot
	pool    []int    // of each component
	pools   int
	links   int
}

// piece is a component of two bots or more, rated by itself.
type piece struct {
	problem  problem
	known    bool // the advantage can be told from strength
	games    int
	clusters []cluster // nil if games are taken as independent
	// few is the number of clusters if errors by clusters were requested but there are
	// too few, else 0.
	few      int
	solution *solution
	spread   float64 // of links, for which the solution is
}

func newPool(r *Results, o Options) *pool {
	n := len(r.names)
	p := &pool{tallies: r.tallies(), slot: make([]int32, n)}
	versions := r.forest(o.Links)
	p.links = len(versions)
	linked := linked(n, p.tallies, versions)
	if o.Prior > 0 && o.Strangers {
		linked = make([]int, n)
	}
	if o.Prior > 0 {
		p.list, p.of = byNumber(linked)
	} else {
		p.list, p.of = components(n, p.tallies, versions, linked)
	}
	for _, bots := range p.list {
		p.pool = append(p.pool, linked[bots[0]])
		p.pools = max(p.pools, linked[bots[0]]+1)
	}
	p.pieces = make([]*piece, len(p.list))
	for c, bots := range p.list {
		if len(bots) == 1 {
			p.slot[bots[0]] = -1
			continue
		}
		p.pieces[c] = &piece{problem: problem{bots: len(bots), prior: o.Prior * perElo}}
		for k, i := range bots {
			p.slot[i] = int32(k)
		}
	}
	for _, t := range p.tallies {
		if p.of[t.first] != p.of[t.second] {
			continue
		}
		q := p.pieces[p.of[t.first]]
		if q.problem.tallies == nil && len(p.list) == p.pools { // hardly any are of others
			q.problem.tallies = make([]tally, 0, len(p.tallies)/p.pools)
		}
		t.first, t.second = p.slot[t.first], p.slot[t.second]
		q.problem.tallies = append(q.problem.tallies, t)
		q.problem.draws = q.problem.draws || t.n[Draw] > 0
		q.games += int(t.games())
	}
	for _, l := range versions {
		q := p.pieces[p.of[l.older]]
		q.problem.links = append(q.problem.links, link{p.slot[l.older], p.slot[l.newer]})
	}
	for _, q := range p.pieces {
		if q != nil {
			q.known = advantageKnown(q.problem.bots, q.problem.tallies)
			q.problem.advantage = !o.NoAdvantage && q.known
		}
	}
	return p
}

// cluster gives each piece the clusters of the games within it.
func (p *pool) cluster(r *Results) {
	for _, q := range p.pieces {
		if q != nil {
			q.clusters = []cluster{}
		}
	}
	for _, c := range r.clusters() {
		if p.of[c.games[0].first] != p.of[c.games[0].second] {
			continue
		}
		q := p.pieces[p.of[c.games[0].first]]
		for k, g := range c.games {
			c.games[k].first, c.games[k].second = p.slot[g.first], p.slot[g.second]
		}
		q.clusters = append(q.clusters, c)
	}
}

// noSpread is an error in Elo below which all pairs must have been alike.
const noSpread = 1e-3

// solve finds the maximum for links of this spread, unless it is known.
func (q *piece) solve(spread float64) error {
	if q.solution != nil && q.spread == spread {
		return nil
	}
	theta := q.problem.start()
	if q.solution != nil {
		theta = q.solution.theta
	}
	theta, err := q.problem.settle(theta, spread)
	if err != nil {
		return err
	}
	q.spread = spread
	q.solution, err = q.problem.finish(theta)
	return err
}

// fit finds the maximum and the derived numbers, without the bots' names.
func (q *piece) fit(spread float64) (*Fit, error) {
	if err := q.solve(spread); err != nil {
		return nil, err
	}
	p, sol := &q.problem, q.solution
	// Scores sum to 0: so few clusters span less than all parameters.
	if n := observations(q.clusters); q.clusters != nil && (n <= p.size() || p.holdAdvantage || p.holdDraws) {
		q.clusters, q.few = nil, n
	}
	f := &Fit{size: p.size(), Games: q.games, LogLikelihood: sol.ll}
	var lnv float64
	f.advantage, lnv = p.shape(sol.theta)
	f.v = math.Exp(lnv)
	f.scale = 2 / (2 + f.v) / perElo
	f.DrawElo = 400 * math.Log10(1+f.v)
	f.cov = p.covariance(sol, q.clusters, f.scale)
	if p.advantage {
		a, e := f.advantage*f.scale, z95*math.Sqrt(max(0, f.cov.At(p.iA(), p.iA())))
		if q.clusters != nil && e < noSpread {
			// All pairs had the same score for both sides, which does not prove that
			// they are equal.
			e = z95 * math.Sqrt(p.covariance(sol, nil, f.scale).At(p.iA(), p.iA()))
		}
		f.Advantage, f.AdvantageError = &a, &e
	}
	return f, nil
}

// observations returns the number of clusters, with repetitions.
func observations(clusters []cluster) int {
	n := 0
	for _, c := range clusters {
		n += c.times
	}
	return n
}

// players fills the lines, still in the order of the results.
func (p *pool) players(r *Results, t *Table) {
	t.Players, t.slot = make([]Player, len(r.names)), make([]int, len(r.names))
	draws := 0
	for _, y := range p.tallies {
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
		q.Name, q.Component, q.Pool = r.names[i], int(p.of[i]), p.pool[p.of[i]]+1
		q.Games = q.Wins + q.Draws + q.Losses
		q.Points = float64(q.Wins) + float64(q.Draws)/2
		q.Score = q.Points / float64(max(1, q.Games))
		k := int(p.slot[i])
		if t.slot[i] = k; k >= 0 {
			f := t.fit(i)
			elo := p.pieces[q.Component].solution.theta[k] * f.scale
			e := z95 * math.Sqrt(max(0, f.cov.At(k, k)))
			q.Elo, q.Error = &elo, &e
		}
	}
}

func (p *pool) anchor(r *Results, t *Table, a *Anchor) error {
	if a == nil {
		return nil
	}
	at, ok := r.index[a.Name]
	if !ok {
		return &UnknownBotError{Name: a.Name, Nearest: nearest.Of(a.Name, r.names)}
	}
	if t.slot[at] < 0 {
		return &UnratedBotError{Name: a.Name}
	}
	own := *t.Players[at].Elo
	for i := range t.Players {
		if q := &t.Players[i]; p.of[i] == p.of[at] {
			*q.Elo = *q.Elo - own + a.Elo // the anchor's own is exactly what was given
			*q.Error = z95 * t.deviation(i, int(at))
		}
	}
	return nil
}

func (p *pool) sort(t *Table) {
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
	t.Components = make([][]string, len(p.list))
	for c, f := range t.fits {
		var slots []int
		for i := range players {
			if f != nil && players[i].Component == c {
				slots = append(slots, slot[i])
			}
		}
		if f != nil {
			ahead(f.cov, slots)
		}
	}
	for i := range players {
		q := &players[i]
		t.Components[q.Component] = append(t.Components[q.Component], q.Name)
		if i+1 < len(players) && players[i+1].Component == q.Component {
			los := superiority(*q.Elo-*players[i+1].Elo, t.deviation(i, i+1))
			q.LOSNext = &los
		}
	}
	for c, f := range t.fits {
		if f != nil {
			f.Bots = t.Components[c]
		}
	}
}
