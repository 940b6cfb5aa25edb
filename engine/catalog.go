package engine

import "strings"

// A Family is a game with all its sizes and variants: "breakthrough" opens
// "breakthrough", "breakthrough:6x5", and so on. Each game package exports one.
type Family interface {
	// Name is the part before the colon.
	Name() string
	// Names lists the names to show and to suggest, such as "outwit",
	// "outwit:jump" and "outwit:push"; the first is the default.
	Names() []string
	// Open returns the game for the text after the colon ("" without one). The
	// error is a plain reason: "board 1x5 is too narrow; 2 to 26 columns".
	Open(variant string) (Game, error)
}

// A Catalog is the list of game families that a program knows.
type Catalog []Family

// Names lists the names of all families and their named variants.
func (c Catalog) Names() []string {
	var names []string
	for _, f := range c {
		names = append(names, f.Names()...)
	}
	return names
}

// Lookup returns the game of that name. The error is an *UnknownGameError that
// suggests the nearest name.
func (c Catalog) Lookup(name string) (Game, error) {
	family, variant, colon := strings.Cut(name, ":")
	for _, f := range c {
		if f.Name() != family {
			continue
		}
		if colon && variant == "" {
			return nil, &UnknownGameError{Name: name, Why: "nothing after the colon", Nearest: family}
		}
		game, err := f.Open(variant)
		if err != nil {
			return nil, &UnknownGameError{Name: name, Why: err.Error(), Nearest: Nearest(name, f.Names())}
		}
		return game, nil
	}
	return nil, &UnknownGameError{Name: name, Nearest: Nearest(name, c.Names()), Known: c.Names()}
}

// Nearest returns the candidate with the smallest edit distance to name, or ""
// where even that one differs in more than a third of its letters (at least 2).
func Nearest(name string, candidates []string) string {
	const longest = 120 // of broken text, the beginning is enough
	name = name[:min(len(name), longest)]
	best, bestDistance := "", -1
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); bestDistance < 0 || d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if bestDistance < 0 || bestDistance > max(2, len(best)/3) {
		return ""
	}
	return best
}

// distance is Levenshtein's, a swap of neighbours counting 1.
func distance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
