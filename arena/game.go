package arena

import (
	"slices"
	"strings"

	"botarena/engine"
)

// RulesName returns the name under which games are recorded whose rules are the program
// with that fingerprint: NAME@PRINT, with its first 8 digits. A changed program is
// another game: ratings never mix the two, and an event does not resume with other
// rules.
func RulesName(name, print string) string {
	const digits = 8
	if print == "" {
		return PlainName(name)
	}
	return PlainName(name) + "@" + print[:min(len(print), digits)]
}

// PlainName returns the name of a game without the fingerprint of its rules, as its
// event and its bots call it.
func PlainName(name string) string {
	plain, _, _ := strings.Cut(name, "@")
	return plain
}

// Texts returns the moves without their search facts.
func Texts(moves []MoveRecord) []string {
	texts := make([]string, len(moves))
	for i := range moves {
		texts[i] = moves[i].Move
	}
	return texts
}

// Expect calls engine.Expect with recorded moves that follow the moves of an opening
// not played yet.
func Expect(pos engine.Position, opening []string, moves []MoveRecord, shown bool) {
	if f, ok := pos.(engine.Foresight); ok {
		f.Expect(slices.Concat(opening, Texts(moves)), shown)
	}
}
