package schedule

import (
	"errors"

	"botarena/arena"
	"botarena/arena/rating"
)

// priorElo is the prior, in Elo, that keeps the ratings of a ladder finite while bots
// have few games.
const priorElo = 400

// ahead is the number of pairs that a ladder plans beyond those with results. The games
// depend on it, so it must not depend on the concurrency; a ladder can have at most 32
// games in progress.
const ahead = 16

// FormatLadder is the format without rounds and, if it has no limit, without end.
const FormatLadder arena.Format = "ladder"

// ladder is the format without rounds: the ratings so far choose who plays next. They
// decide its places, too.
type ladder struct{ common }

func (ladder) name() arena.Format { return FormatLadder }
func (ladder) settings() []string { return []string{"ladder"} }

func (ladder) check(event *arena.Event) (field, why string) {
	if event.Openings.Policy == arena.PolicyRound {
		return "openings.policy", "a ladder has no rounds whose pairings could share an opening; event or pairing"
	}
	if event.Swap && event.Ladder.Games == 1 {
		return "ladder.games", "1 is less than a pair of games; at least 2, or swap: false"
	}
	return "", ""
}

func (ladder) most(event arena.Event) (games int, exact bool) {
	l, perPair := event.Ladder, event.GamesPerPair()
	return l.Games / perPair * perPair, l.Games > 0 && l.Time == 0 && l.Width == 0
}

func (ladder) planner(event arena.Event) planner {
	if event.Ladder.Choose == arena.ChooseLeague {
		return newLeague(event)
	}
	return &climb{event: event, names: arena.Names(event.Playing()), lean: map[string]int{}}
}

func (ladder) order() []criterion { return []criterion{byElo, byScore} }

func (ladder) extends(old, now arena.Event) error {
	// A limit may be set if there was none: that ends an endless ladder.
	l, m := old.Ladder, now.Ladder
	if l.Games > 0 && m.Games > 0 && m.Games < l.Games || l.Time > 0 && m.Time > 0 && m.Time < l.Time || l.Width > 0 && m.Width > l.Width {
		return errors.New("a ladder cannot shrink: leave its games, time and width as they were, or let it go on for longer")
	}
	return nil
}

// climb plans pair after pair, at most ahead of them open: pair p waits for pair
// p-ahead and those before it, and sees only their results. So the games do not depend
// on the concurrency.
type climb struct {
	event arena.Event
	names []string

	games   int            // planned
	pairs   int            // planned
	results counts         // of the pairs whose results may be looked at
	waiting []*meeting     // the other pairs, in order
	lean    map[string]int // games with the first side minus games with the second
}

// A meeting is the games of one pair.
type meeting struct {
	pair  int
	games []arena.Game
	open  int // without a result
}

func (m *meeting) add(g *arena.Game) {
	m.games = append(m.games, *g)
	m.open++
}

func (m *meeting) finish(g *arena.Game) {
	for i := range m.games {
		if m.games[i].Number == g.Number {
			m.games[i].Result = g.Result
			m.open--
		}
	}
}

// bots returns the bots as in the first game.
func (m *meeting) bots() [2]string { return [2]string{m.games[0].First, m.games[0].Second} }

func (l *climb) add(g *arena.Game, opens bool) {
	l.games++
	l.lean[g.First]++
	l.lean[g.Second]--
	if opens {
		l.pairs++
		l.waiting = append(l.waiting, &meeting{pair: g.Pair})
	}
	l.waiting[len(l.waiting)-1].add(g)
	// Of what was played long ago nothing is kept: while an event is read again,
	// all games of a pair are added before one of a pair ahead is.
	if len(l.waiting) > 2*ahead {
		l.show(l.pairs - 2*ahead)
	}
}

func (l *climb) finish(g *arena.Game) {
	for _, m := range l.waiting {
		if m.pair == g.Pair {
			m.finish(g)
		}
	}
}

// show adds the results of the first pairs to the counts, and reports whether all of
// them have results.
func (l *climb) show(pairs int) bool {
	for l.pairs-len(l.waiting) < pairs {
		if l.waiting[0].open > 0 {
			return false
		}
		l.results.add(l.waiting[0].games)
		l.waiting = l.waiting[1:]
	}
	return true
}

// next plans pairs until one has to wait or a limit is reached.
func (l *climb) next(p *Plan) State {
	for {
		if limit := l.event.Ladder.Games; limit > 0 && l.games+l.event.GamesPerPair() > limit {
			return Complete
		}
		if !l.show(l.pairs - ahead + 1) {
			return Waiting
		}
		if l.event.Ladder.Width > 0 && l.results.narrow(l.event) {
			return Complete
		}
		a, b, err := l.choose()
		if err != nil { // the next two bots in turn lose no information
			a, b = l.names[l.games%len(l.names)], l.names[(l.games+1)%len(l.names)]
		}
		if !l.event.Swap && l.lean[a] > l.lean[b] {
			a, b = b, a
		}
		p.meet(pairing{first: a, second: b, round: l.pairs + 1})
	}
}

// choose returns the two bots of the next pair. It rates all results afresh for each
// pair, so that it keeps nothing that a restart would lose.
func (l *climb) choose() (first, second string, err error) {
	table, err := l.results.table(l.names)
	if err != nil {
		return "", "", err
	}
	// A chooser draws by lot: the number of games gives each pair its own.
	c, err := rating.NewChooser(rating.Strategy(l.event.Ladder.Choose), l.event.Seed+uint64(l.games)<<20) //nolint:gosec // not negative
	if err != nil {
		return "", "", err
	}
	c.Among = l.names
	var underWay [][2]string
	for _, m := range l.waiting {
		underWay = append(underWay, m.bots())
	}
	return c.Next(table, underWay...)
}

// narrow reports whether every 95 % interval of the leaderboard is narrower than the
// ladder's width. Errors by pairs are too small if few pairs happened to end alike, so
// the errors by single games must be small enough as well.
func (c *counts) narrow(event arena.Event) bool {
	results, err := c.rated()
	if err != nil || results.Len() == 0 || len(results.Names()) < len(event.Bots) {
		return false
	}
	for _, pairs := range []bool{true, false} {
		table, err := rating.Rate(results, rating.Options{Pairs: pairs})
		if err != nil || len(table.Components) > 1 {
			return false
		}
		for _, p := range table.Players {
			if p.Error == nil || 2**p.Error >= event.Ladder.Width {
				return false
			}
		}
	}
	return true
}

// counts holds pairs of games with results, equal ones counted together, so that the
// cost of rating them does not grow with the games.
type counts struct {
	groups []rating.Group
	index  map[rating.Group]int // by group without Times
}

// add counts the games of one pair, which have results.
func (c *counts) add(games []arena.Game) {
	both := pairing{first: games[0].First, second: games[0].Second}.key()
	group := rating.Group{A: both[0], B: both[1]}
	for i := range games {
		points, _ := games[i].Result.Score()
		score := rating.Score(2 * points)
		if games[i].First == group.A {
			group.AsFirst[score]++
		} else {
			group.AsSecond[score.Swap()]++
		}
	}
	i, ok := c.index[group]
	if !ok {
		if c.index == nil {
			c.index = map[rating.Group]int{}
		}
		i = len(c.groups)
		c.index[group] = i
		c.groups = append(c.groups, group)
	}
	c.groups[i].Times++
}

// rated converts the counts to results that can be rated.
func (c *counts) rated() (*rating.Results, error) {
	var r rating.Results
	for _, g := range c.groups {
		if err := r.AddGroup(g); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// table rates the counts, and these bots among whom some may have no games.
func (c *counts) table(names []string) (*rating.Table, error) {
	results, err := c.rated()
	if err != nil {
		return nil, err
	}
	for _, b := range names {
		results.Enter(b)
	}
	return rating.Rate(results, rating.Options{Prior: priorElo, Strangers: true})
}
