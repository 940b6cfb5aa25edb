// Package schedule decides who plays whom, in which order.
//
// A [Plan] depends on the event and on the games planned so far, with their results,
// and on nothing else: its counts only make it quick. So resuming an event means
// planning again from the database, and extending one means planning with a larger
// event.
//
// A plan depends on results but never on the order in which they come in: a
// Swiss round, a knockout stage and a ladder's next pair wait for a fixed set of
// games. So an event has the same games whatever the concurrency.
//
// An opening belongs to a pair of games. [Openings] numbers them by the event's policy; by
// default games of pair p start from opening p-1 of the event's source.
package schedule

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"botarena/arena"
)

// A format is one way to run an event: who plays whom, how many games that makes, and
// who stands where. A new one is a type in a file of its own and a line of formats.
type format interface {
	name() arena.Format
	// settings lists the keys of an event that are settings of the format, of those that
	// not all formats have.
	settings() []string
	// usualRounds is the number of rounds of an event that names none.
	usualRounds(bots int) int
	// check returns a setting of an event and what is wrong with it; "" if nothing.
	check(event *arena.Event) (field, why string)
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
	// most is Total.
	most(event arena.Event) (games int, exact bool)
	// expected returns how many games TotalAfter expects where Total is most.
	expected(event arena.Event, most, planned, round int) int
	// challengers is Challengers.
	challengers(event arena.Event) []bool
	// compares is Compares.
	compares() bool
}

// formats returns all formats. The first one is the default.
func formats() []format {
	return []format{roundRobin{}, gauntlet{}, swiss{}, knockout{}, ladder{}, racing{}, match{}, tuning{}}
}

// common implements what most formats share.
type common struct{}

func (common) settings() []string                           { return []string{"rounds"} }
func (common) usualRounds(int) int                          { return 1 }
func (common) check(*arena.Event) (field, why string)       { return "", "" }
func (common) extends(arena.Event, arena.Event) error       { return nil }
func (common) pairsByResults() bool                         { return false }
func (common) gather(arena.Event, []arena.Game, *Standings) {}
func (common) challengers(arena.Event) []bool               { return nil }
func (common) compares() bool                               { return false }

func (common) expected(_ arena.Event, most, _, _ int) int { return most }

// Total returns the number of games between bots that are not withdrawn, as far as it
// is known in advance: exact is false if results decide it, and 0 means no limit.
// For a knockout it is the number when no match ends early and each takes all of its
// tie-breaks.
func Total(event arena.Event) (games int, exact bool) {
	f, _ := formatOf(event.Format)
	return f.most(event)
}

// TotalAfter returns the number of games to expect of an event of which planned games
// exist, up to a round: the earlier rounds of a Swiss event may have had fewer bots,
// and few matches of a knockout need tie-breaks. exact is false if results decide; 0
// games are no limit.
func TotalAfter(event arena.Event, planned, round int) (games int, exact bool) {
	f, ok := formatOf(event.Format)
	if !ok {
		return planned, false
	}
	games, exact = f.most(event)
	if games = f.expected(event, games, planned, round); games > 0 {
		games = max(games, planned)
	}
	return games, exact
}

// Challengers reports which bots of an event, by index, play against all others and not
// among themselves; nil if all may meet all.
func Challengers(event arena.Event) []bool {
	f, _ := formatOf(event.Format)
	return f.challengers(event)
}

// Compares reports whether events of a format compare two bots rather than rank many.
func Compares(name arena.Format) bool {
	f, _ := formatOf(name)
	return f.compares()
}

// PairsByResults reports whether results decide later pairings of an event, round by
// round. The standings of such an event need its games one by one.
func PairsByResults(event arena.Event) bool {
	f, _ := formatOf(event.Format)
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

// formatOf returns the format of that name: the first of all, and false, if it is unknown.
func formatOf(name arena.Format) (f format, ok bool) {
	all := formats()
	i := slices.IndexFunc(all, func(f format) bool { return f.name() == name })
	return all[max(0, i)], i >= 0
}

// New returns the plan of an event that is valid, without a game yet.
func New(event arena.Event) (*Plan, error) {
	f, ok := formatOf(event.Format)
	if !ok {
		return nil, fmt.Errorf("event %q: unknown format %q", event.Name, event.Format)
	}
	return newPlan(event, f.planner(event)), nil
}

var errFewerRounds = errors.New("an event cannot lose rounds: leave rounds and cycles as they were or raise them")

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

// Extends returns nil if the games planned for old stay the same in now, so that now is
// old with more rounds or more bots. The error says what is not possible. Other
// settings, such as clocks and openings, are not compared.
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
	f, _ := formatOf(old.Format)
	if now.Rounds < old.Rounds {
		return errFewerRounds
	}
	return f.extends(old, now)
}
