package schedule

import "botarena/arena"

// Openings numbers the openings of an event's pairs of games, by its policy: see
// [arena.Openings]. It keeps nothing that a restart would lose: the games planned so far
// give the numbers of those that follow. The policies of rounds and of pairings count
// the pairs of each two bots.
type Openings struct {
	policy string
	pair   int // the last one
	number int // of its opening
	needed int
	round  int // the last one
	base   int // its first opening
	met    map[[2]string]int
	uses   []int // pairs from each opening; nil by event, where it is one
}

// NewOpenings returns the numbers of an event without a game yet.
func NewOpenings(event *arena.Event) *Openings {
	return &Openings{policy: event.Openings.Policy, met: map[[2]string]int{}}
}

// Number returns the number of a game's opening, from 0 on. It takes all games of an
// event, in the order of the schedule.
func (o *Openings) Number(g *arena.Game) int {
	if g.Pair == o.pair {
		return o.number
	}
	o.pair = g.Pair
	switch o.policy {
	case arena.PolicyRound:
		if g.Round > o.round {
			// What a knockout's match took beyond one pair is not taken again.
			o.round, o.base = g.Round, max(g.Round-1, o.needed)
			clear(o.met)
		}
		o.number = o.base + o.meet(g)
	case arena.PolicyPairing:
		o.number = o.meet(g)
	default:
		o.number = g.Pair - 1
	}
	o.needed = max(o.needed, o.number+1)
	return o.number
}

// meet returns how often the two bots met before, and counts the pair.
func (o *Openings) meet(g *arena.Game) int {
	key := pairing{first: g.First, second: g.Second}.key()
	n := o.met[key]
	o.met[key]++
	for len(o.uses) <= o.base+n {
		o.uses = append(o.uses, 0)
	}
	o.uses[o.base+n]++
	return n
}

// Needed returns how many openings the games so far need.
func (o *Openings) Needed() int { return o.needed }

// Uses returns from how many pairs of games, at least and at most, each opening is
// played that is needed.
func (o *Openings) Uses() (least, most int) {
	for _, n := range o.uses {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
		most = max(most, n)
	}
	return max(1, least), max(1, most)
}
