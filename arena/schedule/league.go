package schedule

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"botarena/arena"
	"botarena/arena/rating"
)

// A ladder of choose: league is for bots that come and go while it is played. It plans
// a pair whenever one is asked for, by all results so far: so it waits for no slow
// game, and its games depend on the order of results.
const (
	mostOpen   = 1000 // games without a result
	newGames   = 20   // a bot with fewer games is new
	enough     = 2000 // games after which a bot is asked for no more: its 95 % interval is 10 Elo or so
	staleAfter = 100  // versions, for each of which ratings may be a pair old: rating many takes long
	newShare   = 2    // every second pair is a new bot's, if there is one
	neighbours = 3    // on each side of a bot's rating, from whom its opponent is drawn
)

// league is the planner of such a ladder.
type league struct {
	event arena.Event
	names []string

	pairs    int
	unplayed int
	games    map[string]int // planned, by bot
	open     map[string]int // of which have no result
	last     map[string]int // the last pair, by bot
	lean     map[string]int // games with the first side minus games with the second
	met      map[[2]string]int
	results  counts
	waiting  map[int]*meeting // by pair
	table    *rating.Table    // nil before the first pair
	ratedAt  int              // how many pairs there were then
}

func newLeague(event arena.Event) *league {
	return &league{
		event: event, names: arena.Names(event.Playing()), games: map[string]int{}, open: map[string]int{}, last: map[string]int{},
		lean: map[string]int{}, met: map[[2]string]int{}, waiting: map[int]*meeting{},
	}
}

func (l *league) add(g *arena.Game, opens bool) {
	l.unplayed++
	l.lean[g.First]++
	l.lean[g.Second]--
	for _, name := range []string{g.First, g.Second} {
		l.games[name]++
		l.open[name]++
		l.last[name] = g.Pair
	}
	if opens {
		l.pairs = max(l.pairs, g.Pair)
		l.met[pairing{first: g.First, second: g.Second}.key()]++
		l.waiting[g.Pair] = &meeting{pair: g.Pair}
	}
	if m := l.waiting[g.Pair]; m != nil {
		m.add(g)
	}
}

func (l *league) finish(g *arena.Game) {
	l.unplayed--
	l.open[g.First]--
	l.open[g.Second]--
	m := l.waiting[g.Pair]
	if m == nil {
		return
	}
	m.finish(g)
	// While an event is read again, a game has its result before the next one is added.
	if m.open == 0 && len(m.games) == l.event.GamesPerPair() {
		l.results.add(m.games)
		delete(l.waiting, g.Pair)
	}
}

// next plans one pair.
func (l *league) next(p *Plan) State {
	switch limit := l.event.Ladder.Games; {
	case limit > 0 && p.Len()+l.event.GamesPerPair() > limit:
		return Complete
	case l.event.Ladder.Width > 0 && l.results.narrow(l.event):
		return Complete
	case l.games[l.newest(l.names)] >= enough:
		return Complete
	case l.unplayed >= mostOpen:
		return Waiting
	}
	a, b, err := l.choose()
	if err != nil { // the next two bots in turn lose no information
		a, b = l.names[l.pairs%len(l.names)], l.names[(l.pairs+1)%len(l.names)]
	}
	if l.lean[a] > l.lean[b] || l.lean[a] == l.lean[b] && l.pairs%2 == 1 {
		a, b = b, a
	}
	p.meet(pairing{first: a, second: b, round: l.pairs + 1})
	return Ready
}

// choose returns the two bots of the next pair: a new one and a neighbour, else one that
// was not asked for long and a neighbour, else those whose games tell most.
func (l *league) choose() (first, second string, err error) {
	if l.table == nil || l.pairs-l.ratedAt > len(l.table.Players)/staleAfter {
		if l.table, err = l.results.table(l.names); err != nil {
			return "", "", err
		}
		l.ratedAt = l.pairs
	}
	free := l.free()
	elos := l.ratings(l.table)
	rng := rand.New(rand.NewPCG(l.event.Seed, uint64(l.pairs))) //nolint:gosec // by the seed, and not negative
	newest := l.newest(free)
	if l.games[newest] < newGames && l.pairs%newShare == 0 {
		return newest, l.neighbour(newest, free, elos, rng), nil
	}
	waits := slices.MinFunc(free, func(a, b string) int { return cmp.Compare(l.last[a], l.last[b]) })
	if l.pairs-l.last[waits] > 2*len(l.names) {
		return waits, l.neighbour(waits, free, elos, rng), nil
	}
	c, err := rating.NewChooser(rating.Information, l.event.Seed+uint64(l.pairs)<<20) //nolint:gosec // not negative
	if err != nil {
		return "", "", err
	}
	var underWay [][2]string
	for _, m := range l.waiting {
		if m.open > 0 {
			underWay = append(underWay, m.bots())
		}
	}
	slices.SortFunc(underWay, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	c.Among = free
	if first, second, err = c.Next(l.table, underWay...); l.games[first] >= enough && l.games[second] >= enough {
		return newest, l.neighbour(newest, free, elos, rng), nil
	}
	return first, second, err
}

// newest returns the bot with the fewest games.
func (l *league) newest(names []string) string {
	return slices.MinFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(l.games[a], l.games[b]), cmp.Compare(l.open[a], l.open[b]), cmp.Compare(lot(l.event.Seed, a), lot(l.event.Seed, b)))
	})
}

// free returns the bots that are not in many more games than the others already: one whose
// games are long does not fill all slots. They are two at least.
func (l *league) free() []string {
	most := 2 * l.event.GamesPerPair() * (1 + l.unplayed/len(l.names))
	list := slices.DeleteFunc(slices.Clone(l.names), func(name string) bool { return l.open[name] >= most })
	if len(list) < 2 {
		return l.names
	}
	return list
}

// ratings returns the ratings of the bots; while one has no games, that of a version before.
func (l *league) ratings(table *rating.Table) map[string]float64 {
	rated := map[string]float64{}
	for i := range table.Players {
		if p := &table.Players[i]; p.Games > 0 && p.Elo != nil {
			rated[p.Name] = *p.Elo
		}
	}
	for _, b := range l.event.Bots {
		if _, ok := rated[b.Name]; ok {
			continue
		}
		for _, old := range b.Replaces {
			if elo, ok := rated[old]; ok {
				rated[b.Name] = elo
				break
			}
		}
	}
	return rated
}

// neighbour returns an opponent: one of the nearest on both sides of a bot's rating, those
// before the others that it has met least, and that are not new themselves.
func (l *league) neighbour(name string, free []string, elos map[string]float64, rng *rand.Rand) string {
	own := elos[name]
	var above, below []string
	for _, other := range free {
		switch {
		case other == name:
		case elos[other] > own:
			above = append(above, other)
		default:
			below = append(below, other)
		}
	}
	near := func(list []string) []string {
		slices.SortFunc(list, func(a, b string) int {
			return cmp.Or(cmp.Compare(math.Abs(elos[a]-own), math.Abs(elos[b]-own)), cmp.Compare(a, b))
		})
		return list[:min(neighbours, len(list))]
	}
	all := slices.Concat(near(above), near(below))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	rank := func(other string) int {
		n := l.met[pairing{first: name, second: other}.key()]
		if l.games[other] == 0 {
			n += mostOpen
		}
		return n
	}
	return slices.MinFunc(all, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
}
