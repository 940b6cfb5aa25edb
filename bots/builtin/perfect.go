package builtin

import (
	"errors"
	"fmt"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/solve"
	"botarena/protocol"
)

// OptionTables is the option that names the folder of exact tables. The program that
// runs the bot sets its default, since it knows the user's folders.
const OptionTables = "Tables"

func perfectBot(games engine.Catalog) kit.Bot {
	search := newMinimaxPlayer()
	player := &perfectPlayer{search: search.chooseAmong}
	return kit.Bot{
		Name: "perfect", Author: author,
		Games:   solvedOf(games),
		Options: []protocol.Option{{Name: OptionTables, Type: protocol.String}},
		NewGame: search.newGame,
		Choose: func(t *kit.Turn) engine.Move {
			return player.choose(t, solve.Dir(t.Option(OptionTables)))
		},
	}
}

// solvedOf returns the games that have exact tables.
func solvedOf(all engine.Catalog) (solved engine.Catalog) {
	for _, f := range all {
		switch f.Name() {
		case "owlman":
			solved = append(engine.Catalog{f}, solved...) // the bot's own choice
		case "breakthrough":
			solved = append(solved, smallBoards{f})
		}
	}
	return solved
}

// smallBoards is the family of the solved or proved boards of Breakthrough.
type smallBoards struct{ engine.Family }

// Names lists the boards up to 5x5, and one that can be proved.
func (f smallBoards) Names() (names []string) {
	for _, size := range []string{"5x5", "4x5", "3x5", "2x5", "5x4", "4x4", "3x4", "2x4", "6x5"} {
		names = append(names, f.Name()+":"+size)
	}
	return names
}

// Open refuses a board that is too large for a table.
func (f smallBoards) Open(variant string) (engine.Game, error) {
	game, err := f.Family.Open(variant)
	if err == nil {
		err = solve.Has(game)
	}
	return game, err
}

// A perfectPlayer plays by exact tables, which it keeps open between turns: it never gives a
// won position away, and where it can win it gets nearer to the win with each move.
//
// Of several moves that are as good it takes the one that a search prefers, so that
// an opponent who errs is punished. Where the tables do not reach, or a proof of a
// larger board does not have the position, it plays by that search alone and says so.
type perfectPlayer struct {
	// search picks one of several moves of the turn's position.
	search func(*kit.Turn, []engine.Move) engine.Move
	known  *solve.Oracle
}

// choose returns a move by the tables in a folder. It fails the turn where a table is
// damaged.
func (p *perfectPlayer) choose(t *kit.Turn, dir solve.Dir) engine.Move {
	moves, err := p.best(t, dir)
	if err != nil {
		t.Fail(err)
		return 0
	}
	if len(moves) == 1 {
		return moves[0]
	}
	return p.search(t, moves)
}

// best returns the moves among which the tables do not tell.
func (p *perfectPlayer) best(t *kit.Turn, dir solve.Dir) ([]engine.Move, error) {
	pos := t.Position
	if p.known == nil || p.known.Dir != dir {
		if p.known != nil {
			p.known.Close()
		}
		p.known = &solve.Oracle{Dir: dir}
	}
	legal := pos.Legal(nil)
	grade := grader(pos)
	var best []engine.Move
	var lacking error // of the last move that is not known
	top := 0
	for _, m := range legal {
		pos.Play(m)
		v, err := p.known.Value(pos)
		g := grade(v, pos.Outcome())
		pos.Undo()
		var missing *solve.MissingError
		switch {
		case errors.As(err, &missing):
			lacking, g = err, open
		case err != nil:
			return nil, err
		}
		if best == nil || g > top {
			best, top = best[:0], g
		}
		if g == top {
			best = append(best, m)
		}
	}
	if top == open {
		t.Info(protocol.Info{String: fmt.Appendf(nil, "playing by search: %v", lacking)})
	}
	return best, nil
}

// The grades of a move: the nearer the win, the higher, and 0 for a loss.
const (
	wins = 1000 // less the moves that it takes
	safe = 100  // a win of unknown length, or one that rests on the demand to vary
	open = 1    // no table or proof has the position after it
)

// grader returns what a move is worth for the side to move of pos, by the value of the
// position after it.
func grader(pos engine.Position) func(solve.Value, engine.Outcome) int {
	mover := pos.Turn()
	return func(v solve.Value, out engine.Outcome) int {
		switch {
		case v.Winner != mover:
			return 0
		case out.Over:
			return wins
		case v.Force > 0:
			return wins - v.Force
		case v.Catch > 0:
			return wins - v.Catch
		}
		return safe
	}
}
