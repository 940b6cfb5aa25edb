package schedule

import (
	"cmp"
	"slices"

	"botarena/arena"
)

// swiss plans one round at a time, once all games of the rounds before it are
// played. Bots are ranked by points, then by lot, and paired from the top: with
// the nearest score, and within a score the upper half with the lower half. Two
// bots do not meet again while any pairing of the round avoids it. With an odd
// number the lowest bot that rested least often rests; that counts like a pair
// won. With single games no bot gets three more games with one side than with
// the other while the rest allows it.
//
// A bot that joins later is put at the end of the event's bots and has no points
// from the rounds before.
type swiss struct{ event arena.Event }

// Next plans the next round.
func (s swiss) Next(planned []arena.Game) ([]arena.Game, State) {
	round := lastRound(planned)
	if round >= s.event.Rounds {
		return nil, Complete
	}
	if !allPlayed(planned) {
		return nil, Waiting
	}
	round++
	b := newBook(&s.event, planned)
	for _, p := range s.round(planned) {
		p.round = round
		b.add(p)
	}
	if round == s.event.Rounds {
		return b.games, Complete
	}
	return b.games, Waiting
}

// An entrant is a bot as the pairing of a round sees it.
type entrant struct {
	name   string
	points float64
	byes   int
	lean   int // games with the first side minus games with the second
	lot    uint64
	last   bool // last in the event's list, and without a game yet
}

func (s swiss) round(planned []arena.Game) []pairing {
	entrants := s.entrants(planned)
	index := map[string]int{}
	met := make([][]int, len(entrants))
	for i, e := range entrants {
		index[e.name] = i
		met[i] = make([]int, len(entrants))
	}
	most := 0
	for _, m := range meetings(planned) {
		i, known := index[m.First]
		j, knownToo := index[m.Second]
		if !known || !knownToo {
			continue // one of them is withdrawn
		}
		met[i][j]++
		met[j][i]++
		most = max(most, met[i][j])
	}
	// From the strictest rules to none: rematches weigh more than sides.
	for again := range most + 1 {
		for _, sides := range []bool{true, false} {
			edge := func(u, v int) bool {
				a, b := entrants[u].lean, entrants[v].lean
				if sides && !s.event.Swap && (a >= 2 && b >= 2 || a <= -2 && b <= -2) {
					return false
				}
				return met[u][v] <= again
			}
			if m := feasible(entrants, edge); m != nil {
				return s.pair(entrants, m)
			}
		}
	}
	return nil // not reached: with all rematches allowed every round can be paired
}

// entrants are ranked by points, then by lot.
func (s swiss) entrants(planned []arena.Game) []entrant {
	byes := byesOf(s.event, planned)
	points := map[string]float64{}
	lean := map[string]int{}
	played := map[string]bool{}
	for _, g := range planned {
		score, _ := g.Result.Score()
		points[g.First] += score
		points[g.Second] += 1 - score
		lean[g.First]++
		lean[g.Second]--
		played[g.First], played[g.Second] = true, true
	}
	var list []entrant
	for i, bot := range s.event.Bots {
		if bot.Withdrawn {
			continue
		}
		list = append(list, entrant{
			name: bot.Name, byes: byes[bot.Name], lean: lean[bot.Name], lot: lot(s.event.Seed, bot.Name),
			points: points[bot.Name] + float64(byes[bot.Name]*s.event.GamesPerPair()),
			last:   i == len(s.event.Bots)-1 && !played[bot.Name],
		})
	}
	slices.SortFunc(list, func(a, b entrant) int {
		return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(a.lot, b.lot), cmp.Compare(a.name, b.name))
	})
	return list
}

// feasible returns a perfect matching of the entrants, one of whom rests where
// their number is odd; nil where there is none.
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
func (s swiss) pair(entrants []entrant, m *matcher) []pairing {
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

// sides gives the first side to who had it less; else to who drew the lower lot.
func (s swiss) sides(a, b entrant) pairing {
	if cmp.Or(cmp.Compare(a.lean, b.lean), cmp.Compare(a.lot, b.lot)) > 0 {
		a, b = b, a
	}
	return pairing{first: a.name, second: b.name}
}

func abs(x int) int { return max(x, -x) }

// byesOf counts how often each bot rested in a Swiss event. A bot rested in a
// round where it has no game although it had entered: the entrants of a round
// are the event's bots up to the last one in the list that has played by then,
// but for those withdrawn, after their last game.
func byesOf(event arena.Event, games []arena.Game) map[string]int {
	byes := map[string]int{}
	if event.Format != arena.FormatSwiss {
		return byes
	}
	index := map[string]int{}
	for i, b := range event.Bots {
		index[b.Name] = i
	}
	playing := map[int]map[string]bool{}
	final := map[string]int{} // the last round with a game of the bot
	for _, g := range games {
		final[g.First], final[g.Second] = max(final[g.First], g.Round), max(final[g.Second], g.Round)
		if playing[g.Round] == nil {
			playing[g.Round] = map[string]bool{}
		}
		playing[g.Round][g.First], playing[g.Round][g.Second] = true, true
	}
	entered := 0
	for round := 1; round <= lastRound(games); round++ {
		for name := range playing[round] {
			if i, ok := index[name]; ok {
				entered = max(entered, i+1)
			}
		}
		for _, b := range event.Bots[:entered] {
			if !playing[round][b.Name] && (!b.Withdrawn || round < final[b.Name]) {
				byes[b.Name]++
			}
		}
	}
	return byes
}
