package event

import (
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/schedule"
)

// renewed replaces bots whose program, options or files differ from the recorded ones
// with new versions, each under a new name; the old version keeps its games. If the
// format allows no replacement, the event stays as it is.
func (t *Runner) renewed(old, event arena.Event) arena.Event {
	next := event
	next.Bots = slices.Clone(event.Bots)
	var told []string
	for i, b := range event.Bots {
		at := arena.BotIndex(old.Bots, b.Name)
		if at < 0 || b.Withdrawn || old.Bots[at].Fingerprint == "" || b.Fingerprint == "" || old.Bots[at].Fingerprint == b.Fingerprint {
			continue
		}
		n := &next.Bots[i]
		n.Name = NextName(slices.Concat(old.Bots, next.Bots), b.Name)
		n.Replaces = append(slices.Clone(old.Bots[at].Replaces), b.Name)
		told = append(told, fmt.Sprintf("bot %q is another program now: it plays on as %q, and the games of the old one stay", b.Name, n.Name))
	}
	next = next.GoOn(&old)
	if len(told) > 0 && (schedule.Validate(&next, arena.Known{}) != nil || schedule.Extends(old, next) != nil) {
		return event
	}
	for _, text := range told {
		t.observe(Update{Kind: Notice, Text: text})
	}
	return next
}

// current returns the bots of an event's file, with those that renewed has replaced as
// their newest version.
func current(bots, recorded []arena.Bot) []arena.Bot {
	bots = slices.Clone(bots)
	for i := range bots {
		b := &bots[i]
		at := arena.BotIndex(recorded, b.Name)
		if at < 0 || !recorded[at].Withdrawn || b.Withdrawn {
			continue
		}
		for _, r := range recorded {
			if !r.Withdrawn && slices.Contains(r.Replaces, b.Name) && !has(bots, r.Name) && !slices.ContainsFunc(bots, func(o arena.Bot) bool { return slices.Contains(o.Replaces, b.Name) }) {
				b.Name, b.Replaces = r.Name, r.Replaces
				break
			}
		}
	}
	return bots
}

// NextName returns a name for the next version of a bot: "emil 2" after "emil", "sf16 3"
// after "sf16 2".
func NextName(bots []arena.Bot, name string) string {
	base := strings.TrimRight(name, "0123456789")
	if base == name || !strings.HasSuffix(base, " ") {
		base = name + " "
	}
	for n := 2; ; n++ {
		if next := fmt.Sprint(base, n); !has(bots, next) {
			return next
		}
	}
}

// tellCopies warns of bots that are the same program, with the same options and clock,
// under two names.
func (t *Runner) tellCopies(bots []arena.Bot) {
	for i, b := range bots {
		for _, c := range bots[:i] {
			sameClock := b.Clock == nil && c.Clock == nil || b.Clock != nil && c.Clock != nil && *b.Clock == *c.Clock
			if b.Fingerprint != "" && b.Fingerprint == c.Fingerprint && sameClock && !b.Withdrawn && !c.Withdrawn {
				t.observe(Update{Kind: Notice, Text: fmt.Sprintf("bots %q and %q are the same program with the same settings", c.Name, b.Name)})
				break
			}
		}
	}
}
