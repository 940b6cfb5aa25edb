package rules

import (
	"fmt"
	"slices"

	"botarena/arena"
	"botarena/engine"
)

// An Asked is the family of one game whose program the user names. It replaces any program
// by which a game of that name was played, and is started when the game is opened.
type Asked struct {
	As    string // as events name it; "" for that of the first game whose rules are a program
	Start func(name string) (engine.Game, error)
	Game  engine.Game // once it is open

	err error
}

// Name returns the game's name.
func (r *Asked) Name() string { return r.As }

// Names returns the game's name.
func (r *Asked) Names() []string {
	if r.As == "" {
		return nil
	}
	return []string{r.As}
}

// Has reports whether name is the game's, with or without its fingerprint.
func (r *Asked) Has(name string) bool {
	plain := arena.PlainName(name)
	if r.As == "" && plain != name {
		r.As = plain
	}
	return plain == r.As
}

// Open starts the program, once.
func (r *Asked) Open(string) (engine.Game, error) {
	if r.Game == nil && r.err == nil {
		r.Game, r.err = r.Start(r.As)
	}
	return r.Game, r.err
}

// A Recorded is the family of the games of a database whose rules are programs.
type Recorded struct {
	*Catalog
	List []string       // the games as they are recorded
	Own  engine.Catalog // what arena knows itself
}

// Names lists the games.
func (r *Recorded) Names() []string { return r.List }

// Has reports whether name is such a game's, with its fingerprint or, if Own has no
// game of that name, without.
func (r *Recorded) Has(name string) bool { return r.recorded(name) != "" }

// Open returns the game, by the program that its event was played by.
func (r *Recorded) Open(name string) (engine.Game, error) {
	game, err := r.Catalog.Open(r.recorded(name))
	if err != nil {
		err = fmt.Errorf("%w; --rules names another program", err)
	}
	return game, err
}

func (r *Recorded) recorded(name string) string {
	if slices.Contains(r.List, name) {
		return name
	}
	if _, err := r.Own.Lookup(name); err == nil {
		return ""
	}
	i := slices.IndexFunc(r.List, func(recorded string) bool { return arena.PlainName(recorded) == name })
	if i < 0 {
		return ""
	}
	return r.List[i]
}

var (
	_ engine.Whole = (*Asked)(nil)
	_ engine.Whole = (*Recorded)(nil)
)
