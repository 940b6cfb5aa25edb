package rating

import (
	"cmp"
	"fmt"
	"slices"

	"botarena/arena/rating/sprt"
)

// A Game is one rated game. The caller keeps versions of a bot apart by giving
// them different names, and leaves out void games.
type Game struct {
	First, Second string // who moved first, and the other
	Score         Score  // of First
	// Pair joins games that are not independent: games of the same two bots with
	// the same number other than 0 are one pair (same opening, sides swapped).
	Pair int64
}

// selfPlay returns the error of a game of a bot against itself, which says nothing about
// its strength.
func selfPlay(name string) error {
	return fmt.Errorf("%q plays against itself: leave the game out, or give its versions names of their own", name)
}

// A Group is games of two bots that depend on each other, such as a pair (same
// opening, sides swapped), and how often just such games came. A single game is
// a group of one. Games in the same numbers give the same ratings whether they
// come as games or as groups, so that a million of them can be rated from a few
// counts by pairing.
type Group struct {
	A, B     string
	AsFirst  sprt.Trinomial // games in which A moved first, from A's view
	AsSecond sprt.Trinomial // games in which B moved first, from A's view
	Times    int            // how many groups are like this one
}

// Results collects games to be rated, one by one or in groups. The zero value is
// ready to use. The order of the games makes no difference to [Rate].
type Results struct {
	names  []string
	index  map[string]int32
	games  []compact
	single []tally // of groups of one game
	groups []cluster
	len    int
}

// cluster is games of two bots that are not independent of each other, and how
// often such games came.
type cluster struct {
	games []compact
	times int
}

// compact is a game with numbers for names: 24 bytes, a million games fit easily.
type compact struct {
	first, second int32
	pair          int64
	score         Score
}

// Add appends a game, unless it is one of a bot against itself.
func (r *Results) Add(g Game) error {
	if g.First == g.Second {
		return selfPlay(g.First)
	}
	r.games = append(r.games, compact{r.number(g.First), r.number(g.Second), g.Pair, g.Score})
	r.len++
	return nil
}

// AddGroup appends games by their counts. The error is that of Add, or names an invalid
// count.
func (r *Results) AddGroup(g Group) error {
	if g.A == g.B {
		return selfPlay(g.A)
	}
	if g.Times < 0 {
		return fmt.Errorf("games of %q and %q: %d times: counts cannot be negative", g.A, g.B, g.Times)
	}
	a, b := r.number(g.A), r.number(g.B)
	games := make([]compact, 0, 2)
	for s := Loss; s <= Win; s++ {
		if g.AsFirst[s] < 0 || g.AsSecond[s] < 0 {
			return fmt.Errorf("games of %q and %q: counts cannot be negative", g.A, g.B)
		}
		for range g.AsFirst[s] {
			games = append(games, compact{first: a, second: b, score: s})
		}
		for range g.AsSecond[s] {
			games = append(games, compact{first: b, second: a, score: s.Swap()})
		}
	}
	if len(games) == 0 || g.Times == 0 {
		return nil
	}
	r.len += len(games) * g.Times
	if len(games) == 1 { // counted, since there may be a million
		r.single = count(r.single, games[0], g.Times)
		return nil
	}
	r.groups = append(r.groups, cluster{slices.Clone(games), g.Times})
	return nil
}

// Enter adds a bot that may not have played: with a prior it is rated all the same.
func (r *Results) Enter(name string) { r.number(name) }

// Len returns the number of games.
func (r *Results) Len() int { return r.len }

// Names lists the bots in order of their first game or entry.
func (r *Results) Names() []string { return slices.Clone(r.names) }

func (r *Results) number(name string) int32 {
	if i, ok := r.index[name]; ok {
		return i
	}
	if r.index == nil {
		r.index = map[string]int32{}
	}
	i := int32(len(r.names))
	r.index[name] = i
	r.names = append(r.names, name)
	return i
}

// tally counts the games of one ordered pairing, by the score of the first side:
// all that the likelihood needs to know of them.
type tally struct {
	first, second int32
	n             [3]float64 // indexed by Score
}

func (t *tally) games() float64 { return t.n[Loss] + t.n[Draw] + t.n[Win] }

// tallies returns the counts, sorted by first and second.
func (r *Results) tallies() []tally {
	list := slices.Clone(r.single)
	for _, g := range r.games {
		list = count(list, g, 1)
	}
	for _, c := range r.groups {
		for _, g := range c.games {
			list = count(list, g, c.times)
		}
	}
	list = ordered(list, len(r.names), func(t *tally) int32 { return t.second })
	list = ordered(list, len(r.names), func(t *tally) int32 { return t.first })
	sums := list[:0]
	for _, t := range list {
		if k := len(sums) - 1; k >= 0 && sums[k].first == t.first && sums[k].second == t.second {
			for s, n := range t.n {
				sums[k].n[s] += n
			}
			continue
		}
		sums = append(sums, t)
	}
	return sums
}

// ordered returns tallies in the order of a bot's number, those of equal ones as they were,
// by counting: sorting a million by comparisons takes most of a second.
func ordered(list []tally, bots int, of func(*tally) int32) []tally {
	next := make([]int, bots+1)
	for k := range list {
		next[of(&list[k])+1]++
	}
	for i := range bots {
		next[i+1] += next[i]
	}
	sorted := make([]tally, len(list))
	for k := range list {
		i := of(&list[k])
		sorted[next[i]] = list[k]
		next[i]++
	}
	return sorted
}

// count adds a game so many times to the last of the tallies, or to a new one
// where the last is of another pairing.
func count(tallies []tally, g compact, times int) []tally {
	k := len(tallies) - 1
	if k < 0 || tallies[k].first != g.first || tallies[k].second != g.second {
		tallies = append(tallies, tally{first: g.first, second: g.second})
		k++
	}
	tallies[k].n[g.score] += float64(times)
	return tallies
}

// clusters returns the games in groups that are not independent of each other;
// every group is of two bots only. The games are the caller's to change.
func (r *Results) clusters() []cluster {
	games := slices.Clone(r.games)
	slices.SortFunc(games, func(a, b compact) int {
		return cmp.Or(
			cmp.Compare(min(a.first, a.second), min(b.first, b.second)),
			cmp.Compare(max(a.first, a.second), max(b.first, b.second)),
			cmp.Compare(a.pair, b.pair))
	})
	var out []cluster
	start := 0
	for k := 1; k <= len(games); k++ {
		if k == len(games) || games[k].pair == 0 || !samePair(games[k], games[start]) {
			out = append(out, cluster{games[start:k], 1})
			start = k
		}
	}
	for k := range r.single {
		out = append(out, r.single[k].clusters()...)
	}
	for _, c := range r.groups {
		out = append(out, cluster{slices.Clone(c.games), c.times})
	}
	return out
}

// clusters returns the games as ones that are independent of each other.
func (t *tally) clusters() (list []cluster) {
	for s, times := range t.n {
		if times > 0 {
			list = append(list, cluster{[]compact{{first: t.first, second: t.second, score: Score(s)}}, int(times)})
		}
	}
	return list
}

func samePair(a, b compact) bool {
	return a.pair == b.pair && min(a.first, a.second) == min(b.first, b.second) && max(a.first, a.second) == max(b.first, b.second)
}
