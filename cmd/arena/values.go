package main

import (
	"errors"
	"fmt"

	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/tables"
)

// worth is the value of a position: the moves until Owlman catches somebody, or until
// Doc has forced his win, are 0 where that is not so.
type worth struct {
	Winner string `json:"winner"`
	Catch  int    `json:"catch"`
	Force  int    `json:"force"`
}

// String is the value in words.
func (k worth) String() string {
	switch {
	case k.Winner == unknown:
		return "not known: more --nodes may tell"
	case k.Catch > 0:
		return fmt.Sprintf("%s wins, and catches somebody in at most %s", k.Winner, text.Plural(k.Catch, "move"))
	case k.Force > 0:
		return fmt.Sprintf("%s wins, in at most %s", k.Winner, text.Plural(k.Force, "move"))
	}
	return k.Winner + " wins"
}

// worthOf is what exact tables say of a position; where none has it, that is the
// caller's to mend.
func worthOf(o *tables.Oracle, pos engine.Position) (worth, error) {
	v, err := o.Value(pos)
	var missing *tables.MissingError
	var unsolved *tables.UnsolvedError
	switch {
	case errors.As(err, &missing), errors.As(err, &unsolved):
		return worth{}, usageError(err)
	case err != nil:
		return worth{}, err
	}
	return worth{pos.Game().SideNames()[v.Winner], v.Catch, v.Force}, nil
}

// oracle is what the tables in a folder know; "" is the folder in the user's own.
func oracle(dir string) (*tables.Oracle, error) {
	folder, err := tablesDir(dir)
	return &tables.Oracle{Dir: folder}, err
}
