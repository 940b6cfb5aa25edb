package schedule

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"botarena/arena"
)

// FormatSwiss is the format of rounds that pair bots of equal points.
const FormatSwiss arena.Format = "swiss"

// swiss is the Swiss system: round after round, those with equal points meet.
type swiss struct{ common }

func (swiss) name() arena.Format                { return FormatSwiss }
func (swiss) planner(event arena.Event) planner { return newRounds(event) }
func (swiss) pairsByResults() bool              { return true }

func (swiss) order() []criterion {
	return []criterion{byPoints, byBuchholz, bySonnebornBerger, byDirect, byWins}
}

// gather counts the byes, each of which gives the points of a pair won.
func (swiss) gather(event arena.Event, games []arena.Game, s *Standings) {
	s.Round = lastRound(games)
	for i, n := range byesOf(event, games) {
		s.Rows[i].Byes, s.Rows[i].Points = n, float64(n*event.GamesPerPair())
	}
}

// usualRounds is enough for a bot that wins all of its games to be the only one.
func (swiss) usualRounds(bots int) int { return max(1, bits.Len(uint(max(0, bots-1)))) }

func (swiss) most(event arena.Event) (games int, exact bool) {
	return len(event.Playing()) / 2 * event.Rounds * event.GamesPerPair(), true
}

// expected counts the planned rounds as they are: there may have been fewer bots.
func (swiss) expected(event arena.Event, _, planned, round int) int {
	return planned + len(event.Bots)/2*max(0, event.Rounds-round)*event.GamesPerPair()
}

// rounds plans one round at a time, once all games of the rounds before it are played.
// Bots are ranked by points, then by lot, and paired from the top: with the nearest
// score, and within a score the upper half with the lower half. Two bots do not meet
// again while any pairing of the round avoids it. With an odd number the lowest of the
// bots with the fewest byes has a bye, which counts as a pair won. With single games no
// bot gets three more games with one side than with the other if that can be avoided.
//
// A bot that joins later is put at the end of the event's bots and has no points
// from the rounds before.
type rounds struct {
	*rests
	lots   []uint64
	points []float64
	lean   []int
	met    [][]int32
	most   int // meetings of any two bots
}

func newRounds(event arena.Event) *rounds {
	n := len(event.Bots)
	s := &rounds{
		rests: newRests(event), lots: make([]uint64, n),
		points: make([]float64, n), lean: make([]int, n), met: make([][]int32, n),
	}
	for i, b := range event.Bots {
		s.lots[i], s.met[i] = lot(event.Seed, b.Name), make([]int32, n)
	}
	return s
}

func (s *rounds) add(g *arena.Game, opens bool) {
	s.rests.add(g)
	i, j := s.index[g.First], s.index[g.Second]
	s.lean[i]++
	s.lean[j]--
	if !opens {
		return
	}
	s.met[i][j]++
	s.met[j][i]++
	s.most = max(s.most, int(s.met[i][j]))
}

func (s *rounds) finish(g *arena.Game) {
	score, _ := g.Result.Score()
	s.points[s.index[g.First]] += score
	s.points[s.index[g.Second]] += 1 - score
}

// next plans the next round, once everything planned is played.
func (s *rounds) next(p *Plan) State {
	switch {
	case p.round >= s.event.Rounds:
		return Complete
	case p.open > 0:
		return Waiting
	}
	round := p.round + 1
	for _, m := range s.pairs() {
		m.round = round
		p.meet(m)
	}
	if round == s.event.Rounds {
		return Complete
	}
	return Waiting
}

// entrant is a bot in the pairing of a round.
type entrant struct {
	name   string
	points float64
	byes   int
	lean   int // games with the first side minus games with the second
	lot    uint64
	seat   int  // in the event's list
	last   bool // last in the event's list, and without a game yet
}

// pairs returns the meetings of the next round.
func (s *rounds) pairs() []pairing {
	entrants := s.entrants()
	match := func(again int, sides bool) *matcher {
		return feasible(entrants, func(u, v int) bool {
			a, b := &entrants[u], &entrants[v]
			if sides && (a.lean >= 2 && b.lean >= 2 || a.lean <= -2 && b.lean <= -2) {
				return false
			}
			return int(s.met[a.seat][b.seat]) <= again
		})
	}
	// Rematches weigh more than sides: first as few as can be, then the sides.
	least := s.most
	for i, row := range s.met {
		for _, n := range row[:i] {
			least = min(least, int(n))
		}
	}
	again := least + sort.Search(s.most-least, func(more int) bool { return match(least+more, false) != nil })
	if !s.event.Swap {
		if m := match(again, true); m != nil {
			return s.pairUp(entrants, m)
		}
	}
	return s.pairUp(entrants, match(again, false))
}

// entrants returns the bots ranked by points, then by lot.
func (s *rounds) entrants() []entrant {
	s.close()
	var list []entrant
	for i, bot := range s.event.Bots {
		if bot.Withdrawn {
			continue
		}
		byes := s.byes[i]
		list = append(list, entrant{
			name: bot.Name, byes: byes, lean: s.lean[i], lot: s.lots[i], seat: i,
			points: s.points[i] + float64(byes*s.event.GamesPerPair()),
			last:   i == len(s.event.Bots)-1 && s.last[i] == 0,
		})
	}
	slices.SortFunc(list, func(a, b entrant) int {
		return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(a.lot, b.lot), cmp.Compare(a.name, b.name))
	})
	return list
}

// feasible returns a perfect matching of the entrants, one of whom has a bye if their
// number is odd; nil if there is none.
func feasible(entrants []entrant, edge func(u, v int) bool) *matcher {
	n := len(entrants)
	if n%2 == 0 {
		if m := newMatcher(n, edge); m.perfect() {
			return m
		}
		return nil
	}
	resting := make([]int, 0, n)
	for i := n - 1; i >= 0; i-- {
		// Whether the last of the list rests in its first round or was not there
		// yet could not be told apart afterwards: see byesOf.
		if !entrants[i].last {
			resting = append(resting, i)
		}
	}
	slices.SortStableFunc(resting, func(a, b int) int { return cmp.Compare(entrants[a].byes, entrants[b].byes) })
	for _, r := range resting {
		// Another bye rather than a rematch only where no one else can rest.
		if entrants[r].byes > entrants[resting[0]].byes {
			break
		}
		m := newMatcher(n, edge)
		m.gone[r] = true
		if m.perfect() {
			return m
		}
	}
	return nil
}

// pair takes the ranked entrants from the top and gives each the best opponent
// that leaves the others a perfect matching.
func (s *rounds) pairUp(entrants []entrant, m *matcher) []pairing {
	var all []pairing
	for u := range entrants {
		if m.gone[u] {
			continue
		}
		var rest []int // all below, in order of rank
		same := 1      // bots with u's points, u included
		for v := u + 1; v < len(entrants); v++ {
			if !m.gone[v] {
				rest = append(rest, v)
				if entrants[v].points == entrants[u].points {
					same++
				}
			}
		}
		half := same/2 - 1 // the place among rest of the lower half's first
		place := map[int]int{}
		for i, v := range rest {
			place[v] = i
			if i < same-1 {
				place[v] = abs(i - half)
			}
		}
		clash := func(v int) int {
			if !s.event.Swap && entrants[u].lean*entrants[v].lean > 0 {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(rest, func(a, b int) int {
			return cmp.Or(cmp.Compare(entrants[b].points, entrants[a].points),
				cmp.Compare(clash(a), clash(b)), cmp.Compare(place[a], place[b]))
		})
		for _, v := range rest {
			if m.pair(u, v) {
				all = append(all, s.sides(entrants[u], entrants[v]))
				break
			}
		}
	}
	return all
}

// sides gives the first side to the bot that had it less often, else to the one with
// the lower lot.
func (s *rounds) sides(a, b entrant) pairing {
	if cmp.Or(cmp.Compare(a.lean, b.lean), cmp.Compare(a.lot, b.lot)) > 0 {
		a, b = b, a
	}
	return pairing{first: a.name, second: b.name}
}

func abs(x int) int { return max(x, -x) }

// rests counts the byes of each bot of a Swiss event. A bot had a bye in a round in
// which it has no game although it had entered: the entrants of a round are the event's
// bots up to the last one in the list that has played by then, except withdrawn ones
// after their last game.
type rests struct {
	event   arena.Event
	index   map[string]int
	byes    []int // by place in the event's list
	gone    []int // the same of withdrawn bots, since their last game
	last    []int // the last round in which each bot played, 0 for none
	round   int   // of the games added last
	counted int   // rounds up to this one are in byes
	entered int
}

func newRests(event arena.Event) *rests {
	n := len(event.Bots)
	r := &rests{event: event, index: map[string]int{}, byes: make([]int, n), gone: make([]int, n), last: make([]int, n)}
	for i, b := range event.Bots {
		r.index[b.Name] = i
	}
	return r
}

// add takes a game, in the order of the schedule.
func (r *rests) add(g *arena.Game) {
	if g.Round != r.round {
		r.close()
		r.count(g.Round - 1) // rounds of which no game is left
		r.round = g.Round
	}
	for _, name := range []string{g.First, g.Second} {
		if i, ok := r.index[name]; ok {
			r.byes[i] += r.gone[i]
			r.gone[i], r.last[i], r.entered = 0, g.Round, max(r.entered, i+1)
		}
	}
}

// close counts the byes of the last round.
func (r *rests) close() { r.count(r.round) }

func (r *rests) count(round int) {
	for ; r.counted < round; r.counted++ {
		for i, b := range r.event.Bots[:r.entered] {
			switch {
			case r.last[i] > r.counted: // it played in round counted+1
			case b.Withdrawn:
				r.gone[i]++
			default:
				r.byes[i]++
			}
		}
	}
}

// byesOf returns the number of byes of each bot in a Swiss event.
func byesOf(event arena.Event, games []arena.Game) []int {
	r := newRests(event)
	for i := range games {
		r.add(&games[i])
	}
	r.close()
	return r.byes
}
