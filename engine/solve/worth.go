package solve

import (
	"errors"
	"slices"

	"botarena/engine"
)

// A Worth is the value of a position. The numbers of moves until Owlman catches somebody,
// or until Doc has forced his win, are 0 if that does not apply.
type Worth struct {
	Winner string `json:"winner"`
	Catch  int    `json:"catch"`
	Force  int    `json:"force"`
	Rests  Rest   `json:"rests_on,omitempty"`
	words  string
}

func newWorth(v Value, game engine.Game) Worth {
	sides := game.SideNames()
	return Worth{sides[v.Winner], v.Catch, v.Force, v.Rests, v.Words(sides)}
}

// Unknown stands for a winner that neither a proof nor a bounded search found.
const Unknown = "unknown"

// String returns the value in words.
func (k Worth) String() string { return k.words }

// Notes adds an explanation of the value's words, once.
func (k Worth) Notes(notes []string) []string {
	note := ""
	switch k.Rests {
	case OnDemand:
		note = "By the demand to vary alone: Owlman cannot catch anybody for good, nor can Doc force his win. An Owlman who may\n" +
			"not repeat himself runs out of moves in the end, which may take longer than games last."
	case OnEither:
		note = "By force or by the demand to vary: Owlman cannot catch anybody for good; whether Doc can force his win, or has to\n" +
			"wait until Owlman runs out of moves, no table here tells (`arena solve owlman --forced N` computes more)."
	}
	if note == "" || slices.Contains(notes, note) {
		return notes
	}
	return append(notes, note)
}

// Worth returns the value of a position in exact tables: unknown if the board's proof
// does not have it. The errors are those of Value.
func (o *Oracle) Worth(pos engine.Position) (Worth, error) {
	v, err := o.Value(pos)
	var missing *MissingError
	switch {
	case errors.As(err, &missing) && missing.Proved:
		return Worth{Winner: Unknown, words: "not known: the proof does not have it"}, nil
	case err != nil:
		return Worth{}, err
	}
	return newWorth(v, pos.Game()), nil
}
