package solve

import (
	"context"
	"errors"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
)

// An Answer is a looked-up position, as `arena solve --probe --json` prints it.
type Answer struct {
	Position string `json:"position"`
	Turn     string `json:"turn"`
	Value    string `json:"value"` // win or loss, for the side to move, or unknown
	Worth
}

func newAnswer(pos engine.Position, w Worth) Answer {
	a := Answer{pos.String(), pos.Game().SideNames()[pos.Turn()], "loss", w}
	switch w.Winner {
	case Unknown:
		a.Value = Unknown
	case a.Turn:
		a.Value = "win"
	}
	return a
}

// A Probe is one position, with the values after each of its moves.
type Probe struct {
	Answer
	Moves []ProbedMove `json:"moves"`
}

// A ProbedMove is a move with the value after it.
type ProbedMove struct {
	Move string `json:"move"`
	Worth
}

// A Prober looks up positions in tables, and searches those of Breakthrough that are in no
// table.
type Prober struct {
	Oracle *Oracle
	Search bool                // even where there is a table
	Nodes  uint64              // that a position is searched at most
	Bytes  int64               // of the search's table
	Tell   func(missing error) // is told once why positions are searched

	searches *exact.Prover // nil until one is needed
	told     bool
}

// Lacking reports whether an error says that tables are missing.
func Lacking(err error) bool {
	return errors.As(err, new(*MissingError))
}

// Look returns the value of a position. The error says whether tables are Lacking for it.
func (p *Prober) Look(ctx context.Context, pos engine.Position) (Worth, error) {
	if !p.Search {
		w, err := p.Oracle.Worth(pos)
		if err == nil && w.Winner != Unknown || err != nil && (!Lacking(err) || exact.Searchable(pos.Game()) != nil) {
			return w, err
		}
		if err != nil && !p.told {
			p.told = true
			p.Tell(err)
		}
	}
	board := pos.(*breakthrough.Position)
	if p.searches == nil {
		var err error
		if p.searches, err = exact.NewProver(board.Game().(*breakthrough.Game), p.Bytes); err != nil {
			return Worth{}, err
		}
	}
	winner, err := p.searches.Winner(ctx, board, p.Nodes)
	if err != nil || winner == engine.NoSide {
		return Worth{Winner: Unknown, words: "not known: more --nodes may tell"}, err
	}
	return newWorth(Value{Winner: winner}, pos.Game()), nil
}

// Answer looks up a position.
func (p *Prober) Answer(ctx context.Context, pos engine.Position) (Answer, error) {
	w, err := p.Look(ctx, pos)
	if err != nil {
		return Answer{}, err
	}
	return newAnswer(pos, w), nil
}

// Probe looks up a position and those after its moves.
func (p *Prober) Probe(ctx context.Context, pos engine.Position) (*Probe, error) {
	value, err := p.Look(ctx, pos)
	if err != nil {
		return nil, err
	}
	found := &Probe{Moves: []ProbedMove{}}
	for _, m := range pos.Legal(nil) {
		move := ProbedMove{Move: string(pos.AppendMove(nil, m))}
		pos.Play(m)
		move.Worth, err = p.Look(ctx, pos)
		pos.Undo()
		if err != nil {
			return nil, err
		}
		found.Moves = append(found.Moves, move)
	}
	found.Answer = newAnswer(pos, concluded(value, pos, found.Moves))
	return found, nil
}

// concluded returns a position's value derived from those after its moves, if that is
// more precise.
func concluded(w Worth, pos engine.Position, moves []ProbedMove) Worth {
	if w.Winner != Unknown {
		return w
	}
	sides := pos.Game().SideNames()
	known := 0
	for _, m := range moves {
		switch m.Winner {
		case sides[pos.Turn()]:
			return newWorth(Value{Winner: pos.Turn()}, pos.Game())
		case sides[pos.Turn().Other()]:
			known++
		}
	}
	if known == len(moves) {
		return newWorth(Value{Winner: pos.Turn().Other()}, pos.Game())
	}
	return w
}
