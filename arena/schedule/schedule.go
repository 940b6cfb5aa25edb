// Package schedule decides who plays whom, in which order.
//
// A [Plan] follows from the event and from the games planned so far, with their
// results, and from nothing else: what it counts is only to be quick. So resuming
// an event is nothing but asking again with what the database holds, and extending
// one is asking with a larger event.
//
// A plan depends on results but never on the order in which they come in: a
// Swiss round, a knockout stage and a ladder's next pair wait for a fixed set of
// games. So an event has the same games whatever the concurrency.
//
// An opening belongs to a pair of games: games of pair p start from opening p-1
// of the event's source.
package schedule

import (
	"errors"
	"fmt"
	"hash/fnv"

	"botarena/arena"
)

// A format is one way to run an event: who plays whom, how many games that makes, and
// who stands where.
type format interface {
	// planner returns what pairs the bots of an event.
	planner(event arena.Event) planner
	// extends says what of a change of an event is against the format. What holds for
	// all formats was looked at.
	extends(old, now arena.Event) error
	// order lists what decides the places in its standings, first to last.
	order() []criterion
	// pairsByResults is PairsByResults.
	pairsByResults() bool
	// gather fills in what the format tells of its bots beyond their results. The rows are
	// in the order of the event's bots.
	gather(event arena.Event, games []arena.Game, s *Standings)
	// total is TotalAfter.
	total(event arena.Event, planned, round int) (games int, exact bool)
}

// common is what most formats do.
type common struct{}

func (common) extends(arena.Event, arena.Event) error       { return nil }
func (common) pairsByResults() bool                         { return false }
func (common) gather(arena.Event, []arena.Game, *Standings) {}
func (common) total(event arena.Event, _, _ int) (games int, exact bool) {
	return event.Total()
}

// TotalAfter returns how many games to expect of an event of which so many are planned,
// up to a round: the earlier rounds of a Swiss event may have had fewer bots, and few
// matches of a knockout need tie-breaks. exact is false where results decide; 0 games are
// no limit.
func TotalAfter(event arena.Event, planned, round int) (games int, exact bool) {
	f, ok := formatOf(event)
	if !ok {
		return planned, false
	}
	if games, exact = f.total(event, planned, round); games > 0 {
		games = max(games, planned)
	}
	return games, exact
}

// PairsByResults reports whether results decide later pairings of an event, round by
// round. The standings of such an event are made from its games one by one.
func PairsByResults(event arena.Event) bool {
	f, _ := formatOf(event)
	return f.pairsByResults()
}

func lastRound(games []arena.Game) int {
	last := 0
	for i := range games {
		if games[i].Result != arena.Unplayed {
			last = max(last, games[i].Round)
		}
	}
	return last
}

// formatOf returns the format of an event: that of a round robin, and false, if its name is
// unknown.
func formatOf(event arena.Event) (f format, ok bool) {
	f, ok = map[arena.Format]format{
		arena.FormatRoundRobin: roundRobin{}, arena.FormatMatch: match{}, arena.FormatGauntlet: gauntlet{},
		arena.FormatSwiss: swiss{}, arena.FormatKnockout: knockout{}, arena.FormatLadder: ladder{},
	}[event.Format]
	if !ok {
		f = roundRobin{}
	}
	return f, ok
}

// New returns the plan of an event that is valid, without a game yet.
func New(event arena.Event) (*Plan, error) {
	f, ok := formatOf(event)
	if !ok {
		return nil, fmt.Errorf("event %q: unknown format %q", event.Name, event.Format)
	}
	return newPlan(event, f.planner(event)), nil
}

// lot returns a bot's number in a draw by lot: it depends on the seed and the name
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
	if now.Rounds < old.Rounds || now.Meetings() < old.Meetings() {
		return errors.New("an event cannot lose rounds: leave rounds and cycles as they were or raise them")
	}
	f, _ := formatOf(old)
	return f.extends(old, now)
}
