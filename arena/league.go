package arena

import (
	"slices"
	"time"
)

// Playing returns the bots that are not withdrawn.
func (e *Event) Playing() []Bot {
	return slices.DeleteFunc(slices.Clone(e.Bots), func(b Bot) bool { return b.Withdrawn })
}

// TimeLimit returns the time of play after which no game begins; 0 if there is none.
func (e *Event) TimeLimit() time.Duration { return max(e.Ladder.Time, e.Tune.Time) }

// GamesPerPair returns the number of games in one meeting of two bots.
func (e *Event) GamesPerPair() int {
	if e.Swap {
		return 2
	}
	return 1
}

// GoOn returns e as it goes on from recorded, the same event as it was played so
// far (without bots if it was not): a bot that is replaced by another one, or
// was withdrawn, keeps its seat as it was recorded, withdrawn, whether e lists it
// or not. Who takes another's place stands where it was recorded, or last. A bot
// that leaves before it has entered is left out.
func (e *Event) GoOn(recorded *Event) Event {
	replaced := map[string]bool{}
	for _, b := range e.Bots {
		for _, name := range b.Replaces {
			replaced[name] = true
		}
	}
	next := *e
	next.Bots = nil
	seated := map[string]Bot{} // those that stand where they were recorded
	for _, b := range recorded.Bots {
		i := BotIndex(e.Bots, b.Name)
		switch {
		case b.Withdrawn || replaced[b.Name] || i >= 0 && e.Bots[i].Withdrawn:
			b.Withdrawn = true
			seated[b.Name] = b
		case i >= 0 && len(e.Bots[i].Replaces) > 0:
			seated[b.Name] = e.Bots[i]
		}
	}
	var last []Bot // new, in another's place
	for _, b := range e.Bots {
		_, known := seated[b.Name]
		switch {
		case known || BotIndex(recorded.Bots, b.Name) < 0 && (b.Withdrawn || replaced[b.Name]):
		case BotIndex(recorded.Bots, b.Name) < 0 && len(b.Replaces) > 0 && len(recorded.Bots) > 0:
			last = append(last, b)
		default:
			next.Bots = append(next.Bots, b)
		}
	}
	at := 0 // behind the recorded bot before
	for _, b := range recorded.Bots {
		if s, ok := seated[b.Name]; ok {
			next.Bots = slices.Insert(next.Bots, at, s)
			at++
		} else if i := BotIndex(next.Bots, b.Name); i >= 0 {
			at = i + 1
		}
	}
	next.Bots = append(next.Bots, last...)
	return next
}

// Names lists the names of bots.
func Names(bots []Bot) []string {
	var names []string
	for i := range bots {
		names = append(names, bots[i].Name)
	}
	return names
}

// BotIndex returns the index of the bot of that name, or -1 if there is none.
func BotIndex(bots []Bot, name string) int {
	return slices.IndexFunc(bots, func(b Bot) bool { return b.Name == name })
}
