package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"botarena/arena/listing"
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/breakthrough/proof"
	"botarena/engine/tables"
)

// provedBoard is the proof of a board of Breakthrough, as `arena solve --json` prints
// it.
type provedBoard struct {
	Game    string `json:"game"`
	Winner  string `json:"winner"` // of the game from its start
	Answers int    `json:"answers"`
	Bytes   int64  `json:"bytes"`
	File    string `json:"file"`
}

func (a *app) proveBoard(ctx context.Context, dir tables.Dir, g *breakthrough.Game, x *solveFlags) error {
	ctx, cancel := a.untilInterrupted(ctx)
	defer cancel()
	p, err := dir.Proof(g)
	if err != nil {
		return err
	}
	if p == nil {
		if p, err = a.findProof(ctx, dir, g, x); err != nil {
			return err
		}
	}
	s := provedBoard{g.Name(), g.SideNames()[p.Winner], p.Answers(), fileSize(dir.ProofFile(g)), dir.ProofFile(g)}
	if err := x.output.print(a, s, func() listing.Table { return s.table(p, x.output.csv) }); err != nil || x.output.json || x.output.csv {
		return err
	}
	fmt.Fprintf(a.out, "\nWho wins? %s, the %s player.\n", s.Winner, nth(p.Winner))
	return nil
}

// nth returns the order in which a side moves.
func nth(side engine.Side) string { return [2]string{"first", "second"}[side] }

func (a *app) findProof(ctx context.Context, dir tables.Dir, g *breakthrough.Game, x *solveFlags) (*proof.Proof, error) {
	if dir.ProofBegun(g) {
		fmt.Fprintf(a.err, "%s: going on from what was kept\n", g.Name())
	}
	begun, due := a.now(), a.every(tellEvery)
	p, err := dir.Prove(ctx, g, int64(x.hash)<<20, a.every(x.keep), func(p exact.ProofProgress) {
		if !due() {
			return
		}
		fmt.Fprintf(a.err, "%s: %s nodes, %s", g.Name(), humanize.Comma(int64(p.Nodes)), a.now().Sub(begun).Round(time.Second))
		if p.Answers > 0 {
			fmt.Fprintf(a.err, "; solved, %s answers of the proof", humanize.Comma(int64(p.Answers)))
		}
		fmt.Fprintln(a.err)
	})
	switch {
	case err != nil && ctx.Err() != nil:
		a.tellInterrupted(dir.ProofBegun(g))
		return nil, &exitError{code: exitInterrupted}
	case err != nil:
		return nil, err
	}
	fmt.Fprintf(a.err, "%s: proved in %s\n", g.Name(), a.now().Sub(begun).Round(time.Millisecond))
	return p, nil
}

// table has plain numbers where a program reads it.
func (s provedBoard) table(p *proof.Proof, plain bool) listing.Table {
	answers, size := humanize.Comma(int64(s.Answers)), humanize.IBytes(uint64(s.Bytes))
	if plain {
		answers, size = strconv.Itoa(s.Answers), strconv.FormatInt(s.Bytes, 10)
	}
	return listing.Table{
		Title:   s.Game + " · proved",
		Columns: []listing.Column{{Name: "Winner", Left: true}, {Name: "Answers"}, {Name: "Size"}},
		Rows:    [][]any{{s.Winner, answers, size}},
		Notes: []string{
			fmt.Sprintf("Answers: the winner's moves against all of the other side's, one a position, up to reflection; a win within %d plies needs none.", p.Plies),
			"Proof: " + s.File + " (--verify replays it)",
		},
	}
}

// verifyProof replays a proof by the rules alone.
func (a *app) verifyProof(ctx context.Context, dir tables.Dir, g *breakthrough.Game) error {
	ctx, cancel := a.untilInterrupted(ctx)
	defer cancel()
	p, err := dir.Proof(g)
	if err != nil {
		return err
	}
	if p == nil {
		return usagef("there is no proof of %s in %s; `arena solve %[1]s --proof` finds one", g.Name(), dir)
	}
	due := a.every(tellEvery)
	done, err := p.Check(ctx, func(c proof.Checked) {
		if due() {
			fmt.Fprintf(a.err, "%s: %s of %s answers replayed\n", g.Name(), humanize.Comma(int64(c.Answers)), humanize.Comma(int64(p.Answers())))
		}
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return &exitError{code: exitInterrupted}
	case err != nil:
		return fmt.Errorf("%s: %w; delete it, and it is searched for again", dir.ProofFile(g), err)
	}
	fmt.Fprintf(a.out, "%s: %s, the %s player, wins: %s answers replayed against every move, %s positions searched %d plies deep\n", g.Name(),
		g.SideNames()[p.Winner], nth(p.Winner), humanize.Comma(int64(done.Answers)), humanize.Comma(int64(done.Leaves)), p.Plies)
	return nil
}

// solvable reports why nothing can be known of a game in the way that is asked for, nil
// for nothing.
func solvable(game engine.Game, x *solveFlags) error {
	_, board := game.(*breakthrough.Game)
	switch {
	case board && x.probe != "" && exact.Searchable(game) == nil:
		return nil
	case x.proof && !board:
		return usagef("--proof is breakthrough's: %s has none", game.Name())
	}
	err := tables.Has(game)
	if board && err != nil {
		err = fmt.Errorf("%w; --probe searches single positions of boards up to 40 squares", err)
	}
	return usageError(err)
}
