package schedule

import "botarena/arena"

// fixed is the planner of the formats whose pairings are known beforehand. It
// plans what the whole list has more of than the games already planned, counted
// by pairing: so more rounds or more bots add the missing meetings only.
type fixed struct {
	event arena.Event
	all   []pairing
}

// Next plans everything at once.
func (f fixed) Next(planned []arena.Game) ([]arena.Game, State) {
	met := map[[2]string]int{}
	firsts := map[[2]string]int{} // (a, b): how often a moved first against b
	for _, m := range meetings(planned) {
		met[pairing{first: m.First, second: m.Second}.key()]++
		firsts[[2]string{m.First, m.Second}]++
	}
	b := newBook(&f.event, planned)
	round, from := lastRound(planned), 0
	for _, p := range f.all {
		if met[p.key()] > 0 {
			met[p.key()]--
			continue
		}
		// A round of the list that has anything left becomes the next new round.
		if p.round != from {
			from = p.round
			round++
		}
		p.round = round
		if !f.event.Swap && firsts[[2]string{p.first, p.second}] > firsts[[2]string{p.second, p.first}] {
			p.first, p.second = p.second, p.first
		}
		firsts[[2]string{p.first, p.second}]++
		b.add(p)
	}
	return b.games, Complete
}

// roundRobin lists all meetings by the circle method: one bot stands still (or
// nobody, where the number is odd: who meets nobody rests), the others walk
// around. A bot plays at most once a round, and with single games each bot has
// the first move in as many games as the second, or one more or less; who had
// it in one repetition does not in the next.
func roundRobin(event arena.Event) []pairing {
	names := names(event)
	n := len(names)
	if n%2 == 1 {
		n++
	}
	walkers := n - 1
	var all []pairing
	for repeat := range event.Rounds * max(1, event.Cycles) {
		for turn := range walkers {
			round := repeat*walkers + turn + 1
			add := func(first, second int, flip bool) {
				if first >= len(names) || second >= len(names) {
					return
				}
				if flip {
					first, second = second, first
				}
				all = append(all, pairing{first: names[first], second: names[second], round: round})
			}
			again := repeat%2 == 1
			add(turn, walkers, again != (turn%2 == 1))
			for k := 1; k < n/2; k++ {
				add((turn+k)%walkers, (turn+walkers-k)%walkers, again)
			}
		}
	}
	return all
}

// gauntlet lists the meetings of each challenger with each of the others; a bot
// plays at most once a round.
func gauntlet(event arena.Event) []pairing {
	var challengers, others []string
	for i, is := range event.Challengers() {
		switch b := event.Bots[i]; {
		case b.Withdrawn:
		case is:
			challengers = append(challengers, b.Name)
		default:
			others = append(others, b.Name)
		}
	}
	turns := max(len(challengers), len(others))
	var all []pairing
	for repeat := range event.Rounds {
		for turn := range turns {
			for i, c := range challengers {
				j := (i + turn) % turns
				if j >= len(others) {
					continue
				}
				p := pairing{first: c, second: others[j], round: repeat*turns + turn + 1}
				if (repeat+turn)%2 == 1 {
					p.first, p.second = p.second, p.first
				}
				all = append(all, p)
			}
		}
	}
	return all
}

// names lists the bots that play on.
func names(event arena.Event) []string {
	var names []string
	for _, b := range event.Playing() {
		names = append(names, b.Name)
	}
	return names
}
