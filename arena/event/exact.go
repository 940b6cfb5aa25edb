package event

import (
	"errors"
	"fmt"

	"botarena/arena"
	"botarena/engine"
	"botarena/engine/solve"
)

// An Exact ends games whose winner is known from exact tables. It is safe for
// concurrent use.
type Exact struct {
	// Print identifies the tables: with others, games may end differently.
	Print  string
	oracle *solve.Oracle
}

// openExact opens the tables that end an event's games, nil if the event does not ask
// for them. print, if it is not "", is the required Print of the tables.
func (t *Runner) openExact(event *arena.Event, game engine.Game, print string) (*Exact, error) {
	if !event.Adjudicate.Tables {
		return nil, nil
	}
	if err := solve.Has(game); err != nil {
		return nil, fmt.Errorf("adjudicate: tables: %w", err)
	}
	x := &Exact{oracle: &solve.Oracle{Dir: t.Tables}}
	var err error
	switch x.Print, err = t.Tables.Print(game); {
	case err != nil:
		return nil, fmt.Errorf("adjudicate: tables: %w", err)
	case x.Print == "":
		return nil, fmt.Errorf("adjudicate: tables: there are no tables of %s in %s on this machine; `arena solve %s` computes them", game.Name(), t.Tables, solve.Solves(game))
	case print != "" && x.Print != print:
		return nil, fmt.Errorf("adjudicate: tables: those of %s in %s on this machine are %s, and the event is played with %s; "+
			"compute as many here as there, with `arena solve %s`, or copy the files", game.Name(), t.Tables, x.Print, print, solve.Solves(game))
	}
	return x, nil
}

// Close closes the tables.
func (x *Exact) Close() {
	if x != nil {
		x.oracle.Close()
	}
}

// Winner returns the certain winner of a position and a line for people that explains
// it; why is "" if the tables do not know. At the move limit a position that Owlman
// wins counts as his, although moves played before may prevent the win.
func (x *Exact) Winner(pos engine.Position, atLimit bool) (winner engine.Side, why string, err error) {
	v, err := x.oracle.Value(pos)
	var missing *solve.MissingError
	if errors.As(err, &missing) {
		return engine.NoSide, "", nil
	}
	sure := atLimit
	if err == nil && !sure {
		sure, err = x.oracle.Certain(pos, v)
	}
	if err != nil || !sure {
		return engine.NoSide, "", err
	}
	return v.Winner, v.Words(pos.Game().SideNames()), nil
}

// Judge returns Winner for a referee's spec, or nil without tables.
func (x *Exact) Judge() func(engine.Position, bool) (engine.Side, string, error) {
	if x == nil {
		return nil
	}
	return x.Winner
}
