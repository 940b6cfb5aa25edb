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

// New returns the plan of an event, without a game yet. The error says what the
// format cannot work with; arena.Event's Validate checks the same by field.
func New(event arena.Event) (*Plan, error) {
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
		return newPlan(event, newFixed(event, roundRobin(event))), nil
	case arena.FormatMatch:
		if len(event.Bots) != 2 {
			return nil, fmt.Errorf("event %q: a match has two bots, not %d: use format round-robin", event.Name, len(event.Bots))
		}
		return newPlan(event, newFixed(event, roundRobin(event))), nil
	case arena.FormatGauntlet:
		if c := event.Gauntlet.Challengers; c < 1 || c >= len(event.Bots) {
			return nil, fmt.Errorf("event %q: %d challengers among %d bots: from 1 to one fewer than the bots", event.Name, c, len(event.Bots))
		}
		return newPlan(event, newFixed(event, gauntlet(event))), nil
	case arena.FormatSwiss:
		return newPlan(event, newSwiss(event)), nil
	case arena.FormatKnockout:
		return newPlan(event, &knockout{event: event, played: matches{}}), nil
	case arena.FormatLadder:
		l := newLadder(event, rated(event), ahead)
		if event.Ladder.Width > 0 {
			l.enough = func(v *view) bool { return narrow(event, v) }
		}
		return newPlan(event, l), nil
	}
	return nil, fmt.Errorf("unknown format %q; known formats: %v", event.Format, arena.Formats())
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
	if now.Rounds < old.Rounds || now.Meetings() < old.Meetings() {
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
	case arena.FormatLadder:
		// A limit may be set where there was none: that ends an endless ladder.
		l, m := old.Ladder, now.Ladder
		if l.Games > 0 && m.Games > 0 && m.Games < l.Games || l.Time > 0 && m.Time > 0 && m.Time < l.Time || l.Width > 0 && m.Width > l.Width {
			return errors.New("a ladder cannot shrink: leave its games, time and width as they were, or let it go on for longer")
		}
	case arena.FormatGauntlet:
		if now.Gauntlet != old.Gauntlet {
			return errors.New("the challengers of a gauntlet cannot change: start an event of another name")
		}
	}
	return nil
}
