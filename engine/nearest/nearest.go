// Package nearest finds the name nearest to a misspelled one. It is here, although it
// knows no game, because engine is the lowest folder that needs it.
package nearest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Of returns the candidate with the smallest edit distance (Levenshtein's, in letters,
// of either case) to name, the first of several. It returns "" if even that one differs
// in more than a third of its letters, and in more than two.
func Of(name string, candidates []string) string {
	const longest = 120 // of broken text, the beginning is enough
	name = strings.ToLower(strings.ToValidUTF8(name[:min(len(name), longest)], ""))
	best, least := "", -1
	for _, c := range candidates {
		if d := levenshtein.ComputeDistance(name, strings.ToLower(c)); least < 0 || d < least {
			best, least = c, d
		}
	}
	if least > max(2, utf8.RuneCountInString(best)/3) {
		return ""
	}
	return best
}

// Hint returns a question whether the nearest candidate is meant, or otherwise if none
// is near.
func Hint(name string, candidates []string, otherwise string) string {
	if near := Of(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}
