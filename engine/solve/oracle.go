package solve

import (
	"fmt"
	"sync"

	"botarena/engine"
)

// A Value holds who wins a position, whatever the other side does.
type Value struct {
	Winner engine.Side
	// Catch and Force are the distances in Owlman's tables: see exact.Value. Both are 0
	// in other games.
	Catch, Force int
	Rests        Rest
}

// A Rest is the reason of a win of Owlman's or Doc's that no forced capture explains:
// "" in other games, if Owlman catches somebody, and if the game is over.
type Rest string

// The reasons of a win.
const (
	OnForce    Rest = "force"          // Doc wins whatever Owlman does, in Force moves of his
	OnDemand   Rest = "demand to vary" // Doc cannot force it: Owlman runs out of moves that he may make, which may take longer than games last
	OnEither   Rest = "unknown"        // Doc's: one of the two, the tables of what he can force do not tell
	OnDaybreak Rest = "daybreak"       // Owlman's: Doc cannot force a win within the moves that he has left
)

// Words describes who wins and how, with the names of the sides.
func (v Value) Words(sides [2]string) string {
	plural := ""
	if max(v.Catch, v.Force) != 1 {
		plural = "s"
	}
	who := sides[v.Winner] + " wins"
	switch {
	case v.Catch > 0:
		return fmt.Sprintf("%s, and catches somebody in at most %d move%s", who, v.Catch, plural)
	case v.Force > 0:
		return fmt.Sprintf("%s, in at most %d move%s", who, v.Force, plural)
	case v.Rests == OnDemand:
		return who + ", by the demand to vary alone"
	case v.Rests == OnEither:
		return who + ", by force or by the demand to vary"
	case v.Rests == OnDaybreak:
		return who + ", as day breaks"
	}
	return who
}

// unknown returns the value of a position that is in no table.
func unknown() Value { return Value{Winner: engine.NoSide} }

// An Oracle looks up positions in the tables and proofs of a folder. It opens files
// when they are first needed. It is safe for concurrent use.
type Oracle struct {
	Dir Dir

	mu    sync.Mutex
	known map[string]Solver // by what Solves names
}

// Close closes the tables. The oracle must not be used any more.
func (o *Oracle) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.known {
		s.Close()
	}
	o.known = nil
}

// solver opens the tables or the proof of a game.
func (o *Oracle) solver(game engine.Game) (Solver, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := Solves(game)
	if s, ok := o.known[name]; ok {
		return s, nil
	}
	s, err := o.Dir.known(game)
	if err != nil {
		return nil, err
	}
	if o.known == nil {
		o.known = map[string]Solver{}
	}
	o.known[name] = s
	return s, nil
}

// Value returns who wins a position: in Owlman of 2010 without its history (see
// [Oracle.Certain]), in daybreak with the number of White's moves since the start. The
// error is a *MissingError, or that of a damaged table, which names
// the file.
func (o *Oracle) Value(pos engine.Position) (Value, error) {
	game := pos.Game()
	if err := Has(game); err != nil {
		return unknown(), err
	}
	if out := pos.Outcome(); out.Over {
		return Value{Winner: out.Winner}, nil
	}
	s, err := o.solver(game)
	if err != nil {
		return unknown(), err
	}
	return s.Value(pos)
}

// Certain reports whether the winner of a position, as Value gives it, wins whatever
// was played before. Where history counts, in Owlman of 2010, White's demand that
// Owlman vary only takes moves from him: a position that White wins stays White's. A
// win of Owlman's is certain if, in each position with him to move since the last
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
