package engine

import (
	"slices"
	"strings"

	"botarena/engine/nearest"
)

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

// A Whole is a family whose games are found by their whole names, of any form, through
// Open.
type Whole interface {
	Family
	Has(name string) bool
}

// An Aliased is a family with additional names, which are not of the form
// "family:variant" and which Open accepts as variants.
type Aliased interface {
	Family
	Aliases() []string
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

// Lookup returns the game of that name, first from a [Whole]. The error is from a
// Whole, or an *UnknownGameError that suggests the nearest name; for a misspelled
// family it keeps the variant if the family has it.
func (c Catalog) Lookup(name string) (Game, error) {
	family, variant, colon := strings.Cut(name, ":")
	for _, f := range c {
		if whole, ok := f.(Whole); ok && whole.Has(name) {
			return f.Open(name)
		}
		if aliased, ok := f.(Aliased); ok && slices.Contains(aliased.Aliases(), name) {
			return f.Open(name)
		}
	}
	if strings.Contains(name, "@") {
		return nil, &UnknownGameError{Name: name}
	}
	for _, f := range c {
		if _, whole := f.(Whole); whole || f.Name() != family {
			continue
		}
		if colon && variant == "" {
			return nil, &UnknownGameError{Name: name, Why: "nothing after the colon", Nearest: family}
		}
		game, err := f.Open(variant)
		if err != nil {
			return nil, &UnknownGameError{Name: name, Why: err.Error(), Nearest: nearest.Of(name, f.Names())}
		}
		return game, nil
	}
	return nil, &UnknownGameError{Name: name, Nearest: c.nearest(family, variant, name), Known: c.Names()}
}

// nearest returns the name nearest to one of an unknown family.
func (c Catalog) nearest(family, variant, name string) string {
	families := make([]string, len(c))
	for i, f := range c {
		families[i] = f.Name()
	}
	meant := nearest.Of(family, families)
	for _, f := range c {
		if f.Name() != meant {
			continue
		}
		if _, whole := f.(Whole); whole {
			return meant
		}
		if game, err := f.Open(variant); err == nil {
			return game.Name()
		}
		if near := nearest.Of(meant+":"+variant, f.Names()); near != "" {
			return near
		}
		return meant
	}
	return nearest.Of(name, c.Names())
}
