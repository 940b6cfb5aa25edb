package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/solve"
)

// probeStdin is the position of --probe that stands for those on stdin.
const probeStdin = "-"

// probe prints who wins a position, and after each of its moves.
func (a *app) probe(ctx context.Context, dir solve.Dir, game engine.Game, x *solveFlags) error {
	o := &solve.Oracle{Dir: dir}
	defer o.Close()
	look := &solve.Prober{Oracle: o, Search: x.proof, Nodes: x.nodes, Bytes: int64(x.hash) << 20, Tell: func(missing error) {
		fmt.Fprintf(a.err, "%v; searching positions, %s nodes each at most (--nodes)\n", missing, humanize.Comma(int64(x.nodes)))
	}}
	if x.probe == probeStdin {
		return a.probeLines(ctx, look, game, x.output.json)
	}
	pos, err := positionOf(game, question{Position: x.probe})
	if err != nil {
		return usageError(err)
	}
	p, err := look.Probe(ctx, pos)
	if err != nil {
		return lacking(err)
	}
	if x.output.json {
		return a.printJSON(p)
	}
	fmt.Fprintf(a.out, "%s: %s\n", p.Position, p.Worth)
	notes := p.Notes(nil)
	for _, m := range p.Moves {
		fmt.Fprintf(a.out, "  %s  %s\n", m.Move, m.Worth)
		notes = m.Notes(notes)
	}
	for _, note := range notes {
		fmt.Fprintf(a.out, "\n%s\n", note)
	}
	return nil
}

// probedLine is one of many positions, as `arena solve --probe - --json` prints it.
type probedLine struct {
	Line int `json:"line"`
	solve.Answer
}

type refusedLine struct {
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// probeLines answers each non-empty line of stdin with a line.
func (a *app) probeLines(ctx context.Context, look *solve.Prober, game engine.Game, asJSON bool) error {
	read, refused, first := 0, 0, ""
	err := a.eachLine(true, func(number int, line []byte, tooLong error) (any, error) {
		read++
		found, err := probeLine(ctx, look, game, line, tooLong)
		said := fmt.Sprintf("line %d: %v", number, err)
		switch {
		case err == nil && asJSON:
			return probedLine{number, found}, nil
		case err == nil:
			return fmt.Sprintf("%s: %s", found.Position, found.Worth), nil
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

// probeLine looks up the position of a line, which may have been too long to read.
func probeLine(ctx context.Context, look *solve.Prober, game engine.Game, line []byte, tooLong error) (found solve.Answer, err error) {
	if tooLong != nil {
		return found, usageError(tooLong)
	}
	pos, err := game.Parse(string(bytes.TrimSuffix(line, []byte("\r"))))
	if err != nil {
		return found, usageError(err)
	}
	found, err = look.Answer(ctx, pos)
	return found, lacking(err)
}
