package main

import (
	"errors"
	"os"
	"slices"

	"botarena/engine"
	"botarena/engine/solve"
)

// worth is the value of a position. The numbers of moves until Owlman catches somebody,
// or until Doc has forced his win, are 0 if that does not apply.
type worth struct {
	Winner string     `json:"winner"`
	Catch  int        `json:"catch"`
	Force  int        `json:"force"`
	Rests  solve.Rest `json:"rests_on,omitempty"`
	words  string
}

func newWorth(v solve.Value, game engine.Game) worth {
	sides := game.SideNames()
	return worth{sides[v.Winner], v.Catch, v.Force, v.Rests, v.Words(sides)}
}

// unknown stands for a winner that neither a proof nor a bounded search found.
const unknown = "unknown"

// String returns the value in words.
func (k worth) String() string { return k.words }

// notes adds an explanation of the value's words, once.
func (k worth) notes(notes []string) []string {
	note := ""
	switch k.Rests {
	case solve.OnDemand:
		note = "By the demand to vary alone: Owlman cannot catch anybody for good, nor can Doc force his win. An Owlman who may\n" +
			"not repeat himself runs out of moves in the end, which may take longer than games last."
	case solve.OnEither:
		note = "By force or by the demand to vary: Owlman cannot catch anybody for good; whether Doc can force his win, or has to\n" +
			"wait until Owlman runs out of moves, no table here tells (`arena solve owlman --forced N` computes more)."
	}
	if note == "" || slices.Contains(notes, note) {
		return notes
	}
	return append(notes, note)
}

// worthOf returns the value of a position in exact tables: unknown if the board's proof
// does not have it. A missing table is a usage error.
func worthOf(o *solve.Oracle, pos engine.Position) (worth, error) {
	v, err := o.Value(pos)
	var missing *solve.MissingError
	switch {
	case errors.As(err, &missing) && missing.Proved:
		return worth{Winner: unknown, words: "not known: the proof does not have it"}, nil
	case err != nil:
		return worth{}, lacking(err)
	}
	return newWorth(v, pos.Game()), nil
}

// lacking makes a usage error of an error about missing tables.
func lacking(err error) error {
	if errors.As(err, new(*solve.MissingError)) {
		return usageError(err)
	}
	return err
}

// oracle opens the tables in a folder; "" is the user's default folder.
func oracle(dir string) (*solve.Oracle, error) {
	folder, err := tablesDir(dir)
	return &solve.Oracle{Dir: folder}, err
}

// tablesDir returns the folder of the tables.
func tablesDir(dir string) (solve.Dir, error) {
	if dir != "" {
		return solve.Dir(dir), nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usagef("where are the tables to be kept? %v: give --tables DIR", err)
	}
	return solve.Default(cache), nil
}
