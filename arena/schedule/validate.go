package schedule

import (
	"fmt"
	"slices"

	"botarena/arena"
)

// Validate returns an *arena.InvalidError with all problems of an event, those that its
// format finds among them, or nil: see [arena.Event.Validate].
func Validate(event *arena.Event, known arena.Known) error { return event.Validate(known, rules{}) }

// Formats lists the names of all formats.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, string(f.name()))
	}
	return names
}

// Only lists the formats that have a setting, nil if all have it.
func Only(key string) []string {
	var only []string
	for _, f := range formats() {
		if slices.Contains(f.settings(), key) {
			only = append(only, string(f.name()))
		}
	}
	return only
}

// Has reports whether events of a format have a setting. One that is unknown has all.
func Has(name arena.Format, key string) bool {
	f, ok := formatOf(name)
	return !ok || slices.Contains(f.settings(), key) || Only(key) == nil
}

// Settings lists the settings of events of a format that not all formats have.
func Settings(name arena.Format) []string {
	f, _ := formatOf(name)
	return f.settings()
}

// UsualRounds returns the default number of rounds for a number of bots.
func UsualRounds(name arena.Format, bots int) int {
	f, _ := formatOf(name)
	return f.usualRounds(bots)
}

// rules implements the checks of formats for arena's Validate.
type rules struct{}

func (rules) Only(key string) []string { return Only(key) }

func (rules) Problem(e *arena.Event, sound bool) (field, why string) {
	f, ok := formatOf(e.Format)
	if !ok {
		return "format", arena.NotOneOf(string(e.Format), Formats())
	}
	if field, why = f.check(e); why != "" || !sound || len(e.Bots) > arena.MaxBots || !Has(e.Format, "rounds") {
		return field, why
	}
	if games, _ := f.most(*e); games > arena.MaxGames {
		return "rounds", fmt.Sprintf("this event has %d games; at most %d", games, arena.MaxGames)
	}
	return "", ""
}
