package rating

import (
	"cmp"
	"fmt"
	"slices"
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

// A SelfPlayError reports a game of a bot against itself, which says nothing
// about its strength.
type SelfPlayError struct{ Name string }

// Error names the bot and says what to do.
func (e *SelfPlayError) Error() string {
	return fmt.Sprintf("%q plays against itself: leave the game out, or give its versions names of their own", e.Name)
}

// Results collects games to be rated. The zero value is ready to use. The order
// of the games makes no difference to [Rate].
type Results struct {
	names []string
	index map[string]int32
	games []compact
}

// compact is a game with numbers for names: 24 bytes, a million games fit easily.
type compact struct {
	first, second int32
	pair          int64
	score         Score
}

// Add appends a game. The error is a *SelfPlayError.
func (r *Results) Add(g Game) error {
	if g.First == g.Second {
		return &SelfPlayError{Name: g.First}
	}
	r.games = append(r.games, compact{r.number(g.First), r.number(g.Second), g.Pair, g.Score})
	return nil
}

// Enter makes a bot known that may not have played: with a prior it is rated
// all the same.
func (r *Results) Enter(name string) { r.number(name) }

// Len is the number of games.
func (r *Results) Len() int { return len(r.games) }

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
	keys := make([]uint64, len(r.games))
	for k, g := range r.games {
		keys[k] = uint64(g.first)<<33 | uint64(g.second)<<2 | uint64(g.score)
	}
	slices.Sort(keys)
	var out []tally
	for _, key := range keys {
		first, second := int32(key>>33), int32(key>>2&(1<<31-1))
		if len(out) == 0 || out[len(out)-1].first != first || out[len(out)-1].second != second {
			out = append(out, tally{first: first, second: second})
		}
		out[len(out)-1].n[key&3]++
	}
	return out
}

// clusters returns the games in groups that are not independent of each other;
// every group is of two bots only.
func (r *Results) clusters() [][]compact {
	games := slices.Clone(r.games)
	slices.SortFunc(games, func(a, b compact) int {
		return cmp.Or(
			cmp.Compare(min(a.first, a.second), min(b.first, b.second)),
			cmp.Compare(max(a.first, a.second), max(b.first, b.second)),
			cmp.Compare(a.pair, b.pair))
	})
	var out [][]compact
	start := 0
	for k := 1; k <= len(games); k++ {
		if k == len(games) || games[k].pair == 0 || !samePair(games[k], games[start]) {
			out = append(out, games[start:k])
			start = k
		}
	}
	return out
}

func samePair(a, b compact) bool {
	return a.pair == b.pair && min(a.first, a.second) == min(b.first, b.second) && max(a.first, a.second) == max(b.first, b.second)
}
