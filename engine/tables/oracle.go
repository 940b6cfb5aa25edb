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
	"botarena/engine/breakthrough/proof"
	"botarena/engine/owlman/exact"
	"botarena/engine/tables/sealed"
)

// A Value is who wins a position, whatever the other side does.
type Value struct {
	Winner engine.Side
	// Catch and Force are what Owlman's tables say beyond that: see exact.Value. Both
	// are 0 in other games.
	Catch, Force int
	Rests        Rest
}

// A Rest is what a win of Owlman's rests on where no move leads up to it, or of
// Doc's: "" in other games, where Owlman catches somebody, and where the game is over.
type Rest string

// What a win rests on.
const (
	OnForce    Rest = "force"          // Doc wins whatever Owlman does, in Force moves of his
	OnDemand   Rest = "demand to vary" // Doc cannot force it: Owlman runs out of moves that he may make, which may take longer than games last
	OnEither   Rest = "unknown"        // Doc's: one of the two, the tables of what he can force do not tell
	OnDaybreak Rest = "daybreak"       // Owlman's: Doc cannot force a win within the moves that he has left
)

// Words reports who wins and how, with the names of the sides.
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

// A MissingError reports that no table has a position.
type MissingError struct {
	Dir      Dir
	Position string
	Game     string
	Helpers  int  // Owlman: of how many helpers there are tables
	Whole    bool // Breakthrough: the board can be solved whole
	Proved   bool // Breakthrough: there is a proof, which does not have the position
	Outside  bool // Owlman: a helper stands on the tower, where none gets to
}

// Error reports what computes the table.
func (e *MissingError) Error() string {
	switch {
	case e.Outside:
		return fmt.Sprintf("no table has %s: a helper stands on h1, where none gets to", e.Position)
	case e.Proved:
		return fmt.Sprintf("the proof of %s in %s does not have %s: it has what comes up while its winner plays by it", e.Game, e.Dir, e.Position)
	case !e.Whole && strings.HasPrefix(e.Game, "breakthrough"):
		return fmt.Sprintf("there is no proof of %s in %s; `arena solve %[1]s` finds one", e.Game, e.Dir)
	}
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

// An UnsolvedError reports that a game has no exact tables.
type UnsolvedError struct{ Game string }

// Error names the games that have.
func (e *UnsolvedError) Error() string {
	return e.Game + " is not solved; owlman and the small boards of breakthrough (up to 5x5, 4x6, 3x7, 7x4) are, " +
		"and boards of up to 35 squares (6x5, 7x5) can be proved from their start"
}

// Has reports whether there can be exact tables of a game, or a proof. The error is an
// *UnsolvedError.
func Has(game engine.Game) error {
	if OfOwlman(game) || bt.Solvable(game) == nil || bt.Provable(game) == nil {
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
	boards map[string]known // by the game's name
}

// known is what there is of a board: nil for what there is not.
type known struct {
	table *Breakthrough
	proof *proof.Proof // if there is no table
}

// Close ends the looking at the tables: the oracle may not be asked any more.
func (o *Oracle) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.owlman != nil {
		o.owlman.Close()
	}
	for _, b := range o.boards {
		if b.table != nil {
			b.table.Close()
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

// board opens what there is of a board.
func (o *Oracle) board(g *breakthrough.Game) (k known, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k, ok := o.boards[g.Name()]
	if ok {
		return k, nil
	}
	if k.table, err = o.Dir.Breakthrough(g); err == nil && k.table == nil {
		k.proof, err = o.Dir.Proof(g)
	}
	if err != nil {
		return known{}, err
	}
	if o.boards == nil {
		o.boards = map[string]known{}
	}
	o.boards[g.Name()] = k
	return k, nil
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
	found, ok, err := t.Value(p)
	v := Value{Winner: found.Winner, Catch: found.Catch, Force: found.Force}
	day := game.Name() == daybreak
	switch {
	case err != nil:
		var d *sealed.DamagedError
		if errors.As(err, &d) {
			err = fmt.Errorf("the tables of owlman in %s: %w; `arena solve owlman --verify` says which, delete it, and it is computed again", o.Dir, err)
		}
		return Value{Winner: engine.NoSide}, err
	case !ok, day && v.Winner == engine.First && !t.Forced(p):
		e := &MissingError{Dir: o.Dir, Position: pos.String(), Game: game.Name(), Helpers: t.Helpers(), Outside: p.PieceAt(7, 0) == 'H'}
		if day {
			e.Helpers = t.Forces()
		}
		return Value{Winner: engine.NoSide}, e
	case day && v.Catch == 0 && (v.Force == 0 || v.Force > exact.NightsLeft(pos)):
		return Value{Winner: engine.Second, Rests: OnDaybreak}, nil
	case v.Winner == engine.Second:
	case v.Force > 0:
		v.Rests = OnForce
	case t.Forced(p):
		v.Rests = OnDemand
	default:
		v.Rests = OnEither
	}
	return v, nil
}

func (o *Oracle) breakthrough(pos *breakthrough.Position) (Value, error) {
	g := pos.Game().(*breakthrough.Game)
	if out := pos.Outcome(); out.Over {
		return Value{Winner: out.Winner}, nil
	}
	unknown := Value{Winner: engine.NoSide}
	if Has(g) != nil {
		return unknown, &UnsolvedError{g.Name()}
	}
	b, err := o.board(g)
	if err != nil {
		return unknown, err
	}
	if b.table != nil {
		winner, err := b.table.Winner(pos)
		if err != nil {
			return unknown, damaged(o.Dir.BreakthroughFile(g), err)
		}
		return Value{Winner: winner}, nil
	}
	if b.proof != nil {
		if winner := b.proof.Side(pos); winner != engine.NoSide {
			return Value{Winner: winner}, nil
		}
	}
	return unknown, &MissingError{Dir: o.Dir, Position: pos.String(), Game: g.Name(), Whole: bt.Solvable(g) == nil, Proved: b.proof != nil}
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
