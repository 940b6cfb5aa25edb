package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/solve"
)

// probeStdin is the position of --probe that stands for those on stdin.
const probeStdin = "-"

// answered is a looked-up position, as `arena solve --probe --json` prints it.
type answered struct {
	Position string `json:"position"`
	Turn     string `json:"turn"`
	Value    string `json:"value"` // win or loss, for the side to move, or unknown
	worth
}

func newAnswered(pos engine.Position, w worth) answered {
	a := answered{pos.String(), pos.Game().SideNames()[pos.Turn()], "loss", w}
	switch w.Winner {
	case unknown:
		a.Value = unknown
	case a.Turn:
		a.Value = "win"
	}
	return a
}

// probed is one position, with the values after each of its moves.
type probed struct {
	answered
	Moves []probedMove `json:"moves"`
}

type probedMove struct {
	Move string `json:"move"`
	worth
}

// A prober looks up positions in the tables, and searches those of Breakthrough that
// are in no table.
type prober struct {
	app      *app
	ctx      context.Context
	oracle   *solve.Oracle
	flags    *solveFlags
	searches *exact.Prover // nil until one is needed
	told     bool          // why
}

// look returns the value of a position. The error is a usage error if it cannot be
// known.
func (p *prober) look(pos engine.Position) (worth, error) {
	if !p.flags.proof {
		w, err := worthOf(p.oracle, pos)
		var lacking *exitError
		if err == nil && w.Winner != unknown || err != nil && (!errors.As(err, &lacking) || exact.Searchable(pos.Game()) != nil) {
			return w, err
		}
		if err != nil && !p.told {
			p.told = true
			fmt.Fprintf(p.app.err, "%v; searching positions, %s nodes each at most (--nodes)\n", err, humanize.Comma(int64(p.flags.nodes)))
		}
	}
	return p.search(pos.(*breakthrough.Position))
}

func (p *prober) search(pos *breakthrough.Position) (worth, error) {
	if p.searches == nil {
		var err error
		if p.searches, err = exact.NewProver(pos.Game().(*breakthrough.Game), int64(p.flags.hash)<<20); err != nil {
			return worth{}, err
		}
	}
	winner, err := p.searches.Winner(p.ctx, pos, p.flags.nodes)
	if err != nil || winner == engine.NoSide {
		return worth{Winner: unknown, words: "not known: more --nodes may tell"}, err
	}
	return newWorth(solve.Value{Winner: winner}, pos.Game()), nil
}

// probe prints who wins a position, and after each of its moves.
func (a *app) probe(ctx context.Context, dir solve.Dir, game engine.Game, x *solveFlags) error {
	o := &solve.Oracle{Dir: dir}
	defer o.Close()
	look := prober{app: a, ctx: ctx, oracle: o, flags: x}
	if x.probe == probeStdin {
		return a.probeLines(&look, game, x.output.json)
	}
	pos, err := positionOf(game, question{Position: x.probe})
	if err != nil {
		return usageError(err)
	}
	value, err := look.look(pos)
	if err != nil {
		return err
	}
	p := probed{Moves: []probedMove{}}
	for _, m := range pos.Legal(nil) {
		move := probedMove{Move: string(pos.AppendMove(nil, m))}
		pos.Play(m)
		move.worth, err = look.look(pos)
		pos.Undo()
		if err != nil {
			return err
		}
		p.Moves = append(p.Moves, move)
	}
	p.answered = newAnswered(pos, concluded(value, pos, p.Moves))
	if x.output.json {
		return a.printJSON(p)
	}
	fmt.Fprintf(a.out, "%s: %s\n", p.Position, p.worth)
	notes := p.notes(nil)
	for _, m := range p.Moves {
		fmt.Fprintf(a.out, "  %s  %s\n", m.Move, m.worth)
		notes = m.notes(notes)
	}
	for _, note := range notes {
		fmt.Fprintf(a.out, "\n%s\n", note)
	}
	return nil
}

// concluded returns a position's value derived from those after its moves, if that is
// more precise.
func concluded(w worth, pos engine.Position, moves []probedMove) worth {
	if w.Winner != unknown {
		return w
	}
	sides := pos.Game().SideNames()
	known := 0
	for _, m := range moves {
		switch m.Winner {
		case sides[pos.Turn()]:
			return newWorth(solve.Value{Winner: pos.Turn()}, pos.Game())
		case sides[pos.Turn().Other()]:
			known++
		}
	}
	if known == len(moves) {
		return newWorth(solve.Value{Winner: pos.Turn().Other()}, pos.Game())
	}
	return w
}

// probedLine is one of many positions, as `arena solve --probe - --json` prints it.
type probedLine struct {
	Line int `json:"line"`
	answered
}

type refusedLine struct {
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// probeLines answers each non-empty line of stdin with a line.
func (a *app) probeLines(look *prober, game engine.Game, asJSON bool) error {
	read, refused, first := 0, 0, ""
	err := a.eachLine(true, func(number int, line []byte, tooLong error) (any, error) {
		read++
		found, err := look.line(game, line, tooLong)
		said := fmt.Sprintf("line %d: %v", number, err)
		switch {
		case err == nil && asJSON:
			return probedLine{number, found}, nil
		case err == nil:
			return fmt.Sprintf("%s: %s", found.Position, found.worth), nil
		case !errors.As(err, new(*exitError)): // a damaged table
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if refused++; refused == 1 {
			first = said
		}
		if asJSON {
			return refusedLine{number, err.Error()}, nil
		}
		return said, nil
	})
	switch {
	case err != nil:
		return err
	case refused > 0:
		return usagef("%d of %s got no value; the first: %s", refused, text.Plural(read, "line"), first)
	case read == 0:
		return usagef("--probe - reads positions from stdin, one a line: there was none")
	}
	return nil
}

// line looks up the position of a line, which may have been too long to read.
func (p *prober) line(game engine.Game, line []byte, tooLong error) (answered, error) {
	if tooLong != nil {
		return answered{}, usageError(tooLong)
	}
	pos, err := game.Parse(string(bytes.TrimSuffix(line, []byte("\r"))))
	if err != nil {
		return answered{}, usageError(err)
	}
	w, err := p.look(pos)
	if err != nil {
		return answered{}, err
	}
	return newAnswered(pos, w), nil
}
