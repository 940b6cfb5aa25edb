package schedule

import (
	"errors"
	"fmt"
	"slices"

	"botarena/arena"
)

// ahead is how many pairs a ladder plans beyond those with results. The games
// depend on it, so it does not depend on how many are played at once; 32 games
// are as many as a ladder can have in progress.
const ahead = 16

// chooser returns the two bots of a ladder's next pair: two different names out of
// bots, and the same for the same arguments.
type chooser func(v *view, bots []string) (first, second string, err error)

// view holds what a ladder's chooser may look at.
type view struct {
	games    int         // planned
	results  counts      // of the pairs whose results may be looked at
	underWay [][2]string // the other pairs, by the bots of their first games
}

// ladder is the format without rounds: the ratings so far choose who plays next. They
// decide its places, too.
type ladder struct{ common }

func (ladder) planner(event arena.Event) (planner, error) {
	l := newClimb(event, rated(event), ahead)
	if event.Ladder.Width > 0 {
		l.enough = func(v *view) bool { return narrow(event, v) }
	}
	return l, nil
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

// climb plans pair after pair, at most ahead of them open: pair p waits
// for pair p-ahead and those before it, and sees no others' results. So which
// games are played does not depend on how many at once.
type climb struct {
	event  arena.Event
	names  []string
	choose chooser
	enough func(*view) bool // ends it, asked with what choose would see; nil: never
	ahead  int

	view    view
	pairs   int
	waiting []*meeting     // those with results not to be looked at, in order
	lean    map[string]int // games with the first side minus games with the second
}

// A meeting is the games of one pair.
type meeting struct {
	pair  int
	games []arena.Game
	open  int // without a result
}

func newClimb(event arena.Event, choose chooser, ahead int) *climb {
	return &climb{event: event, names: names(event), choose: choose, ahead: ahead, lean: map[string]int{}}
}

func (l *climb) add(g *arena.Game) {
	l.view.games++
	l.lean[g.First]++
	l.lean[g.Second]--
	n := len(l.waiting)
	if n == 0 || l.waiting[n-1].pair != g.Pair {
		l.pairs++
		l.waiting = append(l.waiting, &meeting{pair: g.Pair})
		l.view.underWay = append(l.view.underWay, [2]string{g.First, g.Second})
		n++
	}
	m := l.waiting[n-1]
	m.games = append(m.games, *g)
	m.open++
	// Of what was played long ago nothing is kept: while an event is read again,
	// all games of a pair are added before one of a pair ahead is.
	if len(l.waiting) > 2*l.ahead {
		l.show(l.pairs - 2*l.ahead)
	}
}

func (l *climb) finish(g *arena.Game) {
	for _, m := range l.waiting {
		if m.pair != g.Pair {
			continue
		}
		for i := range m.games {
			if m.games[i].Number == g.Number {
				m.games[i].Result = g.Result
				m.open--
			}
		}
	}
}

// show lets the results of the first so many pairs be looked at, and reports
// whether they are all there.
func (l *climb) show(pairs int) bool {
	for l.pairs-len(l.waiting) < pairs {
		if l.waiting[0].open > 0 {
			return false
		}
		l.view.results.add(l.waiting[0].games)
		l.waiting, l.view.underWay = l.waiting[1:], l.view.underWay[1:]
	}
	return true
}

// next plans pairs until one has to wait or a limit is reached. It panics where
// the chooser breaks its contract.
func (l *climb) next(b *book) State {
	for {
		if l.full(l.view.games) {
			return Complete
		}
		if !l.show(l.pairs - l.ahead + 1) {
			return Waiting
		}
		if l.enough != nil && l.enough(&l.view) {
			return Complete
		}
		p := l.pair()
		p.round = l.pairs + 1
		b.add(p)
	}
}

// full reports whether there is no room for another pair.
func (l *climb) full(games int) bool {
	limit := l.event.Ladder.Games
	return limit > 0 && games+l.event.GamesPerPair() > limit
}

// pair returns the next pair of bots. Where none can be chosen the schedule goes
// on: the next two bots in turn lose no information.
func (l *climb) pair() pairing {
	a, b, err := l.choose(&l.view, l.names)
	if err != nil {
		n := l.view.games
		a, b = l.names[n%len(l.names)], l.names[(n+1)%len(l.names)]
	}
	if a == b || !slices.Contains(l.names, a) || !slices.Contains(l.names, b) {
		panic(fmt.Sprintf("schedule: the chooser of a ladder returned %q and %q, which are not two of its bots", a, b))
	}
	if !l.event.Swap && l.lean[a] > l.lean[b] {
		a, b = b, a
	}
	return pairing{first: a, second: b}
}
