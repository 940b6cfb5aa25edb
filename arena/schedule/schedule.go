// Package schedule decides who plays whom, in which order.
//
// Every format is a [Planner]: a pure function of the event and of the games
// planned so far, with their results. It keeps no state of its own, so that
// resuming an event is nothing but asking again with what the database holds,
// and extending one is asking with a larger event.
//
// A plan depends on results but never on the order in which they come in: a
// Swiss round, a knockout stage and a ladder's next pair wait for a fixed set of
// games. So an event has the same games whatever the concurrency.
//
// An opening belongs to a pair of games: games of pair p start from opening p-1
// of the event's source.
package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"botarena/arena"
)

// A Planner returns the games of an event, as far as the results allow.
type Planner interface {
	// Next returns the games to append to planned, which are all games planned
	// so far, in schedule order (Number 1, 2, ...) with their results; it holds
	// what earlier calls answered, whole. Of the new games Event, Game, Number,
	// Round, Pair, Stage, First and Second are set; Opening is the caller's.
	// Planned games are only read.
	Next(planned []arena.Game) (more []arena.Game, state State)
}

// A State says whether an event may get more games than those planned.
type State int

// The states.
const (
	// Waiting: more games may follow when games that are planned have results.
	// Call Next again after each result, or at least when nothing is left to play.
	Waiting State = iota
	// Complete: all games of the event are planned. It is over when they are played.
	Complete
)

// String names the state.
func (s State) String() string {
	if s == Complete {
		return "complete"
	}
	return "waiting"
}

// New returns the planner of the event's format. The error says what the format
// cannot work with. Package arena/config checks the same with line numbers.
func New(event arena.Event) (Planner, error) {
	if len(event.Bots) < 2 {
		return nil, fmt.Errorf("event %q has %d bots: at least two must play", event.Name, len(event.Bots))
	}
	seen := map[string]bool{}
	for _, b := range event.Bots {
		if seen[b.Name] {
			return nil, fmt.Errorf("event %q: two bots are named %q: give each a name of its own", event.Name, b.Name)
		}
		seen[b.Name] = true
	}
	if event.Rounds < 1 && event.Format != arena.FormatLadder {
		return nil, fmt.Errorf("event %q: rounds is %d: at least 1", event.Name, event.Rounds)
	}
	switch event.Format {
	case arena.FormatRoundRobin:
		return fixed{event, roundRobin(event)}, nil
	case arena.FormatMatch:
		if len(event.Bots) != 2 {
			return nil, fmt.Errorf("event %q: a match has two bots, not %d: use format round-robin", event.Name, len(event.Bots))
		}
		return fixed{event, roundRobin(event)}, nil
	case arena.FormatGauntlet:
		if c := event.Gauntlet.Challengers; c < 1 || c >= len(event.Bots) {
			return nil, fmt.Errorf("event %q: %d challengers among %d bots: from 1 to one fewer than the bots", event.Name, c, len(event.Bots))
		}
		return fixed{event, gauntlet(event)}, nil
	case arena.FormatSwiss:
		return swiss{event}, nil
	case arena.FormatKnockout:
		return knockout{event}, nil
	case arena.FormatLadder:
		l := ladder{event: event, choose: rated(event), ahead: ahead}
		if event.Ladder.Width > 0 {
			l.enough = func(games []arena.Game) bool { return narrow(event, games) }
		}
		return l, nil
	}
	return nil, fmt.Errorf("unknown format %q; known formats: %v", event.Format, arena.Formats())
}

// A pairing is one meeting: a pair of games, or a single game with swap off.
type pairing struct {
	first, second string // first moves first in the meeting's first game
	round         int
	stage         string
}

// key is the pairing without its direction.
func (p pairing) key() [2]string {
	return [2]string{min(p.first, p.second), max(p.first, p.second)}
}

// A book numbers new games after those planned so far.
type book struct {
	event        *arena.Event
	number, pair int
	games        []arena.Game
}

func newBook(event *arena.Event, planned []arena.Game) *book {
	b := &book{event: event}
	for i := range planned {
		b.number = max(b.number, planned[i].Number)
		b.pair = max(b.pair, planned[i].Pair)
	}
	return b
}

// add appends the games of one meeting.
func (b *book) add(p pairing) {
	b.pair++
	b.game(p, p.first, p.second)
	if b.event.Swap {
		b.game(p, p.second, p.first)
	}
}

func (b *book) game(p pairing, first, second string) {
	b.number++
	b.games = append(b.games, arena.Game{
		Event: b.event.Name, Game: b.event.Game,
		Number: b.number, Round: p.round, Pair: b.pair, Stage: p.stage,
		First: first, Second: second,
	})
}

// allPlayed reports whether every game has a result.
func allPlayed(games []arena.Game) bool {
	return !slices.ContainsFunc(games, func(g arena.Game) bool { return g.Result == arena.Unplayed })
}

// lastRound is the highest round of the games, 0 for none.
func lastRound(games []arena.Game) int {
	last := 0
	for i := range games {
		last = max(last, games[i].Round)
	}
	return last
}

// meetings returns the pairs of games, each as its first game, in order of pair.
func meetings(games []arena.Game) []arena.Game {
	seen := map[int]bool{}
	var firsts []arena.Game
	for _, g := range games {
		if !seen[g.Pair] {
			seen[g.Pair] = true
			firsts = append(firsts, g)
		}
	}
	slices.SortStableFunc(firsts, func(a, b arena.Game) int { return cmp.Compare(a.Pair, b.Pair) })
	return firsts
}

// lot is a bot's number in a draw by lot: it depends on the seed and the name
// alone, so that a bot that joins later moves nobody.
func lot(seed uint64, name string) uint64 {
	h := fnv.New64a()
	var s [8]byte
	for i := range s {
		s[i] = byte(seed >> (8 * i))
	}
	_, _ = h.Write(s[:])
	_, _ = h.Write([]byte(name))
	// FNV alone leaves the high bits of similar names alike (finalizer of
	// SplitMix64).
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Extends reports whether the games planned for the event old stay what they are
// in the event now, so that now is old with more rounds or more bots. The error
// says what cannot be done. Clocks, openings and the rest are not looked at.
func Extends(old, now arena.Event) error {
	if old.Format != now.Format {
		return fmt.Errorf("format %s cannot become %s: start an event of another name", old.Format, now.Format)
	}
	if old.Swap != now.Swap {
		return errors.New("swap cannot change within an event: start an event of another name")
	}
	if len(now.Bots) < len(old.Bots) {
		return fmt.Errorf("an event cannot lose bots (it had %d): keep all of them", len(old.Bots))
	}
	for i, b := range old.Bots {
		if now.Bots[i].Name != b.Name {
			return fmt.Errorf("bot %d was %q and is %q now: keep the bots in their order and put new ones at the end", i+1, b.Name, now.Bots[i].Name)
		}
	}
	if now.Rounds < old.Rounds || (old.Format == arena.FormatRoundRobin && now.Rounds*now.Cycles < old.Rounds*old.Cycles) {
		return errors.New("an event cannot lose rounds: leave rounds and cycles as they were or raise them")
	}
	switch old.Format {
	case arena.FormatKnockout:
		if len(now.Bots) != len(old.Bots) || now.Rounds != old.Rounds {
			return errors.New("a knockout has a fixed bracket: no bots or rounds can be added")
		}
		if len(now.Playing()) != len(old.Playing()) {
			return errors.New("a knockout has a fixed bracket: no bot can be withdrawn")
		}
	case arena.FormatGauntlet:
		if now.Gauntlet != old.Gauntlet {
			return errors.New("the challengers of a gauntlet cannot change: start an event of another name")
		}
	}
	return nil
}
