package arena

import (
	"slices"
	"strings"

	"botarena/engine"
)

// RulesName is the name under which games are recorded whose rules are the program
// of that fingerprint: NAME@PRINT, with the first 8 digits of it. Another program,
// or the same one changed, is another game: ratings never mix the two, and an event
// does not go on with other rules.
func RulesName(name, print string) string {
	const digits = 8
	if print == "" {
		return PlainName(name)
	}
	return PlainName(name) + "@" + print[:min(len(print), digits)]
}

// PlainName is the name of a game without what tells its rules apart: what its event
// and its bots call it.
func PlainName(name string) string {
	plain, _, _ := strings.Cut(name, "@")
	return plain
}

// Texts are the moves alone.
func Texts(moves []MoveRecord) []string {
	texts := make([]string, len(moves))
	for i := range moves {
		texts[i] = moves[i].Move
	}
	return texts
}

// Expect is engine.Expect of recorded moves, behind those of an opening that are not
// played yet.
func Expect(pos engine.Position, opening []string, moves []MoveRecord, shown bool) {
	if f, ok := pos.(engine.Foresight); ok {
		f.Expect(slices.Concat(opening, Texts(moves)), shown)
	}
}
