package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"botarena/engine"
	"botarena/engine/breakthrough"
	bt "botarena/engine/breakthrough/exact"
	"botarena/engine/owlman/exact"
	"botarena/engine/tables/sealed"
)

// A Value is who wins a position, whatever the other side does.
type Value struct {
	Winner engine.Side
	// Catch and Force are what Owlman's tables say beyond that: see exact.Value. Both
	// are 0 in other games.
	Catch, Force int
}

// A MissingError says that no table has a position.
type MissingError struct {
	Dir      Dir
	Position string
	Game     string
	Helpers  int // Owlman: of how many helpers there are tables
}

// Error says what computes the table.
func (e *MissingError) Error() string {
	if strings.HasPrefix(e.Game, "owlman") {
		noun := "helpers"
		if e.Helpers == 1 {
			noun = "helper"
		}
		return fmt.Sprintf("the tables in %s do not have %s: there are those of up to %d %s; `arena solve owlman --pieces N` computes more",
			e.Dir, e.Position, e.Helpers, noun)
	}
	return fmt.Sprintf("there is no table of %s in %s; `arena solve %[1]s` computes it", e.Game, e.Dir)
}

// An UnsolvedError says that a game has no exact tables.
type UnsolvedError struct{ Game string }

// Error names the games that have.
func (e *UnsolvedError) Error() string {
	return e.Game + " is not solved; owlman and the small boards of breakthrough (up to 5x5, 4x6, 3x7, 7x4) are"
}

// Has says whether there can be exact tables of a game. The error is an
// *UnsolvedError.
func Has(game engine.Game) error {
	if OfOwlman(game) || bt.Solvable(game) == nil {
		return nil
	}
	return &UnsolvedError{game.Name()}
}

// OfOwlman reports whether a game is Owlman, in either variant.
func OfOwlman(game engine.Game) bool {
	return slices.Contains([]string{"owlman", daybreak}, game.Name())
}

const daybreak = "owlman:daybreak"

// An Oracle knows what the tables in a folder say. It opens them when they are first
// needed. Several goroutines may ask it at once.
type Oracle struct {
	Dir Dir

	mu     sync.Mutex
	owlman *Owlman
	boards map[string]*Breakthrough // by the game's name; nil values where there is no table
}

// Close ends the looking at the tables: the oracle may not be asked any more.
func (o *Oracle) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.owlman != nil {
		o.owlman.Close()
	}
	for _, b := range o.boards {
		if b != nil {
			b.Close()
		}
	}
	o.owlman, o.boards = nil, nil
}

// Owlman opens the tables of Owlman, as far as they are there.
func (o *Oracle) Owlman() (*Owlman, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var err error
	if o.owlman == nil {
		o.owlman, err = o.Dir.Owlman(exact.Most)
	}
	return o.owlman, err
}

// Breakthrough opens the table of a board, nil where it is not there.
func (o *Oracle) Breakthrough(g *breakthrough.Game) (*Breakthrough, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b, ok := o.boards[g.Name()]
	if ok {
		return b, nil
	}
	b, err := o.Dir.Breakthrough(g)
	if err != nil {
		return nil, err
	}
	if o.boards == nil {
		o.boards = map[string]*Breakthrough{}
	}
	o.boards[g.Name()] = b
	return b, nil
}

// Value returns who wins a position: of Owlman's of 2010 without its history (see
// [Oracle.Certain]), of daybreak's with the moves that White has made since where the
// position came from. The error is a *MissingError, an *UnsolvedError, or that of a
// damaged table, which names the file.
func (o *Oracle) Value(pos engine.Position) (Value, error) {
	game := pos.Game()
	if p, ok := pos.(*breakthrough.Position); ok {
		return o.breakthrough(p)
	}
	p, ok := pos.(exact.Position)
	if !ok {
		return Value{Winner: engine.NoSide}, &UnsolvedError{game.Name()}
	}
	if out := pos.Outcome(); out.Over {
		return Value{Winner: out.Winner}, nil
	}
	t, err := o.Owlman()
	if err != nil {
		return Value{Winner: engine.NoSide}, err
	}
	v, ok, err := t.Value(p)
	day := game.Name() == daybreak
	switch {
	case err != nil:
		var d *sealed.DamagedError
		if errors.As(err, &d) {
			err = fmt.Errorf("the tables of owlman in %s: %w; `arena solve owlman --verify` says which, delete it, and it is computed again", o.Dir, err)
		}
		return Value{Winner: engine.NoSide}, err
	case !ok, day && v.Winner == engine.First && !t.Forced(p):
		e := &MissingError{Dir: o.Dir, Position: pos.String(), Game: game.Name(), Helpers: t.Helpers()}
		if day {
			e.Helpers = t.Forces()
		}
		return Value{Winner: engine.NoSide}, e
	case day && v.Catch == 0 && (v.Force == 0 || v.Force > exact.NightsLeft(pos)):
		return Value{Winner: engine.Second}, nil
	}
	return Value(v), nil
}

func (o *Oracle) breakthrough(pos *breakthrough.Position) (Value, error) {
	g := pos.Game().(*breakthrough.Game)
	if out := pos.Outcome(); out.Over {
		return Value{Winner: out.Winner}, nil
	}
	unknown := Value{Winner: engine.NoSide}
	b, err := o.Breakthrough(g)
	switch {
	case err != nil:
		return unknown, err
	case b == nil && bt.Solvable(g) != nil:
		return unknown, &UnsolvedError{g.Name()}
	case b == nil:
		return unknown, &MissingError{Dir: o.Dir, Position: pos.String(), Game: g.Name()}
	}
	winner, err := b.Winner(pos)
	if err != nil {
		return unknown, damaged(o.Dir.BreakthroughFile(g), err)
	}
	return Value{Winner: winner}, nil
}

// Certain reports whether the winner of a position, as Value gives it, wins whatever
// was played before. Where history counts, in Owlman of 2010, White's demand that
// Owlman vary only takes moves from him: a position that White wins stays White's. One
// of Owlman's is certain where, in each position with him to move since the last
// capture (or since Doc left the tower), he has not yet made all of the moves that
// bring him nearer to the next.
func (o *Oracle) Certain(pos engine.Position, v Value) (bool, error) {
	if v.Winner != engine.Second || pos.Game().Name() != "owlman" || pos.Outcome().Over {
		return true, nil
	}
	back := pos.Clone()
	texts := []string{back.String()}
	spent := map[string]map[string]bool{} // by position, the positions that his moves led to
	for range pos.Reversible() {
		back.Undo()
		text := back.String()
		if back.Turn() == engine.Second {
			if spent[text] == nil {
				spent[text] = map[string]bool{}
			}
			spent[text][texts[len(texts)-1]] = true
		}
		texts = append(texts, text)
	}
	for text, led := range spent {
		at, err := pos.Game().Parse(text)
		if err != nil {
			return false, err
		}
		before, err := o.Value(at)
		if err != nil {
			return false, err
		}
		if before.Winner != engine.Second {
			continue // his win does not lead there
		}
		keeps, err := o.keeps(at, before, led)
		if !keeps || err != nil {
			return false, err
		}
	}
	return true, nil
}

// keeps reports whether Owlman, to move, has a move that brings him nearer to the next
// capture and led to none of some positions.
func (o *Oracle) keeps(at engine.Position, before Value, led map[string]bool) (bool, error) {
	for _, m := range at.Legal(nil) {
		captured := at.(interface{ Captures(engine.Move) bool }).Captures(m)
		at.Play(m)
		text, over := at.String(), at.Outcome().Over
		after, err := o.Value(at)
		at.Undo()
		if err != nil {
			return false, err
		}
		if after.Winner == engine.Second && (captured || over || after.Catch < before.Catch) && !led[text] {
			return true, nil
		}
	}
	return false, nil
}
