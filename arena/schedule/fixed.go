package schedule

import (
	"errors"
	"fmt"

	"botarena/arena"
)

// The formats whose meetings are known in advance.
const (
	FormatRoundRobin arena.Format = "round-robin"
	FormatMatch      arena.Format = "match"
	FormatGauntlet   arena.Format = "gauntlet"
)

// roundRobin is the format in which all bots meet all others.
type roundRobin struct{ common }

func (roundRobin) name() arena.Format { return FormatRoundRobin }
func (roundRobin) settings() []string { return []string{"rounds", "cycles"} }

// meetings returns how often each two bots meet.
func (roundRobin) meetings(event arena.Event) int { return event.Rounds * max(1, event.Cycles) }

func (f roundRobin) planner(event arena.Event) planner {
	return newFixed(event, circle(event, f.meetings(event)))
}

func (f roundRobin) most(event arena.Event) (games int, exact bool) {
	return eachOther(event, f.meetings(event)), true
}

func (f roundRobin) extends(old, now arena.Event) error {
	if f.meetings(now) < f.meetings(old) {
		return errFewerRounds
	}
	return nil
}

// eachOther returns the number of games if each bot meets each other so often.
func eachOther(event arena.Event, meetings int) int {
	n := len(event.Playing())
	return n * (n - 1) / 2 * meetings * event.GamesPerPair()
}

func (roundRobin) order() []criterion {
	return []criterion{byPoints, byDirect, bySonnebornBerger, byWins}
}

// match is the format that compares two bots.
type match struct{ common }

func (match) name() arena.Format { return FormatMatch }
func (match) settings() []string { return []string{"rounds", "sprt"} }
func (match) compares() bool     { return true }
func (match) order() []criterion { return []criterion{byPoints} }

func (match) planner(event arena.Event) planner {
	return newFixed(event, circle(event, event.Rounds))
}

func (match) most(event arena.Event) (games int, exact bool) {
	return eachOther(event, event.Rounds), true
}

func (match) check(event *arena.Event) (field, why string) {
	if n := len(event.Bots); n > 2 {
		return "bots", fmt.Sprintf("a match has two bots, not %d; more play a round-robin", n)
	}
	return "", ""
}

// gauntlet is the format in which some bots meet all others. Since they do not all have
// the same opponents, ratings decide the places.
type gauntlet struct{ common }

func (gauntlet) name() arena.Format { return FormatGauntlet }
func (gauntlet) settings() []string { return []string{"rounds", "gauntlet"} }

// check accepts a single bot, which the checks of any event report.
func (gauntlet) check(event *arena.Event) (field, why string) {
	if n, c := len(event.Bots), event.Gauntlet.Challengers; n >= 2 && c >= n {
		return "gauntlet.challengers", fmt.Sprintf("%d of %d bots leave nobody to challenge; at most %d", c, n, n-1)
	}
	return "", ""
}

// challengers reports which bots are challengers: the first ones, and those that
// replaced one.
func (gauntlet) challengers(event arena.Event) []bool {
	is := make([]bool, len(event.Bots))
	for i, b := range event.Bots {
		is[i] = i < event.Gauntlet.Challengers
		for _, name := range b.Replaces {
			if j := arena.BotIndex(event.Bots, name); j >= 0 && j < i {
				is[i] = is[i] || is[j]
			}
		}
	}
	return is
}

func (f gauntlet) most(event arena.Event) (games int, exact bool) {
	c := 0
	for i, is := range f.challengers(event) {
		if is && !event.Bots[i].Withdrawn {
			c++
		}
	}
	return c * (len(event.Playing()) - c) * event.Rounds * event.GamesPerPair(), true
}

func (gauntlet) planner(event arena.Event) planner { return newFixed(event, challenges(event)) }

func (gauntlet) order() []criterion { return []criterion{byElo, byScore} }

func (gauntlet) extends(old, now arena.Event) error {
	if now.Gauntlet != old.Gauntlet {
		return errors.New("the challengers of a gauntlet cannot change: start an event of another name")
	}
	return nil
}

// fixed is the planner of formats whose pairings are known in advance. It plans the
// meetings of the whole list that are not planned yet, counted by pairing: so more
// rounds or more bots add the missing meetings only.
type fixed struct {
	list
	single bool              // games, not pairs
	at     int               // in the list
	begun  bool              // what is added from now on comes from the list
	from   int               // the round of the list that the last one planned stands for
	met    map[[2]string]int // meetings planned before that the list has not come to
	firsts map[[2]string]int // (a, b): how often a moved first against b
}

// A list is all meetings of an event, in order. Some of its places are empty.
type list struct {
	len int
	get func(i int) (p pairing, ok bool)
}

func newFixed(event arena.Event, l list) *fixed {
	return &fixed{list: l, single: !event.Swap, met: map[[2]string]int{}, firsts: map[[2]string]int{}}
}

func (f *fixed) add(g *arena.Game, opens bool) {
	if f.begun || !opens {
		return
	}
	f.met[pairing{first: g.First, second: g.Second}.key()]++
	f.firsts[[2]string{g.First, g.Second}]++
}

func (f *fixed) finish(*arena.Game) {}

func (f *fixed) next(plan *Plan) State {
	f.begun = true
	for ; f.at < f.len; f.at++ {
		if plan.full() {
			return More
		}
		p, ok := f.get(f.at)
		if !ok {
			continue
		}
		if f.met[p.key()] > 0 {
			f.met[p.key()]--
			continue
		}
		// A round of the list that has anything left becomes the next new round.
		round := plan.round
		if p.round != f.from {
			f.from = p.round
			round++
		}
		p.round = round
		if f.single {
			if f.firsts[[2]string{p.first, p.second}] > f.firsts[[2]string{p.second, p.first}] {
				p.first, p.second = p.second, p.first
			}
			f.firsts[[2]string{p.first, p.second}]++
		}
		plan.meet(p)
	}
	return Complete
}

// circle lists all meetings by the circle method: one place is fixed (an empty one if
// the number of bots is odd: whoever meets it has a bye), the others rotate. A bot
// plays at most once a round. With single games each bot has the first move in half of
// its games, or one more or less, and sides swap from one repetition to the next.
func circle(event arena.Event, meetings int) list {
	names := arena.Names(event.Playing())
	n := len(names) + len(names)%2
	walkers, tables := n-1, n/2
	return list{meetings * walkers * tables, func(i int) (pairing, bool) {
		round, k := i/tables, i%tables
		repeat, turn := round/walkers, round%walkers
		first, second, flip := (turn+k)%walkers, (turn+walkers-k)%walkers, repeat%2 == 1
		if k == 0 {
			first, second, flip = turn, walkers, flip != (turn%2 == 1)
		}
		if first >= len(names) || second >= len(names) {
			return pairing{}, false
		}
		if flip {
			first, second = second, first
		}
		return pairing{first: names[first], second: names[second], round: round + 1}, true
	}}
}

// challenges lists the meetings of each challenger with each of the others; a bot
// plays at most once a round.
func challenges(event arena.Event) list {
	var challengers, others []string
	for i, is := range Challengers(event) {
		switch b := event.Bots[i]; {
		case b.Withdrawn:
		case is:
			challengers = append(challengers, b.Name)
		default:
			others = append(others, b.Name)
		}
	}
	turns := max(len(challengers), len(others))
	return list{event.Rounds * turns * len(challengers), func(i int) (pairing, bool) {
		round, c := i/len(challengers), i%len(challengers)
		j := (c + round%turns) % turns
		if j >= len(others) {
			return pairing{}, false
		}
		p := pairing{first: challengers[c], second: others[j], round: round + 1}
		if (round/turns+round%turns)%2 == 1 {
			p.first, p.second = p.second, p.first
		}
		return p, true
	}}
}
