package main

import (
	"errors"
	"slices"

	"botarena/engine"
	"botarena/engine/tables"
)

// worth is the value of a position: the moves until Owlman catches somebody, or until
// Doc has forced his win, are 0 if that is not so.
type worth struct {
	Winner string      `json:"winner"`
	Catch  int         `json:"catch"`
	Force  int         `json:"force"`
	Rests  tables.Rest `json:"rests_on,omitempty"`
	words  string
}

func newWorth(v tables.Value, game engine.Game) worth {
	sides := game.SideNames()
	return worth{sides[v.Winner], v.Catch, v.Force, v.Rests, v.Words(sides)}
}

// unknown stands in the place of a winner that neither a proof nor a bounded search found.
const unknown = "unknown"

// String returns the value in words.
func (k worth) String() string { return k.words }

// notes adds what the words of the value mean in practice, once.
func (k worth) notes(notes []string) []string {
	note := ""
	switch k.Rests {
	case tables.OnDemand:
		note = "By the demand to vary alone: Owlman cannot catch anybody for good, nor can Doc force his win. An Owlman who may\n" +
			"not repeat himself runs out of moves in the end, which may take longer than games last."
	case tables.OnEither:
		note = "By force or by the demand to vary: Owlman cannot catch anybody for good; whether Doc can force his win, or has to\n" +
			"wait until Owlman runs out of moves, no table here tells (`arena solve owlman --forced N` computes more)."
	}
	if note == "" || slices.Contains(notes, note) {
		return notes
	}
	return append(notes, note)
}

// worthOf returns what exact tables say of a position: unknown where there is a proof
// of the board that does not have it. Where there is no table, that is the caller's to
// mend.
func worthOf(o *tables.Oracle, pos engine.Position) (worth, error) {
	v, err := o.Value(pos)
	var missing *tables.MissingError
	var unsolved *tables.UnsolvedError
	switch {
	case errors.As(err, &missing) && missing.Proved:
		return worth{Winner: unknown, words: "not known: the proof does not have it"}, nil
	case errors.As(err, &missing), errors.As(err, &unsolved):
		return worth{}, usageError(err)
	case err != nil:
		return worth{}, err
	}
	return newWorth(v, pos.Game()), nil
}

// oracle returns what the tables in a folder know; "" is the folder in the user's own.
func oracle(dir string) (*tables.Oracle, error) {
	folder, err := tablesDir(dir)
	return &tables.Oracle{Dir: folder}, err
}
