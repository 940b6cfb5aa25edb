package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"botarena/arena/listing"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/tables"
)

// solvedBoard is the table of a board of Breakthrough, as `arena solve --json` prints
// it.
type solvedBoard struct {
	Game   string `json:"game"`
	Winner string `json:"winner"` // of the game from its start
	States uint64 `json:"states"`
	Won    uint64 `json:"won_by_the_side_to_move"`
	Bytes  int64  `json:"bytes"`
	File   string `json:"file"`
}

func (a *app) solveBoard(ctx context.Context, dir tables.Dir, g *breakthrough.Game, x *solveFlags) error {
	ctx, cancel := a.untilInterrupted(ctx)
	defer cancel()
	b, err := dir.Breakthrough(g)
	if err != nil {
		return err
	}
	if b == nil {
		if dir.BreakthroughBegun(g) {
			fmt.Fprintf(a.err, "%s: going on from what was kept\n", g.Name())
		}
		begun, due := a.now(), a.every(tellEvery)
		err := dir.SolveBreakthrough(ctx, g, x.threads, a.every(x.keep), func(p exact.Progress) {
			if due() {
				fmt.Fprintf(a.err, "%s: level %d of %d, %s states, %s\n", g.Name(), p.Done, p.Of,
					humanize.Comma(int64(p.States)), a.now().Sub(begun).Round(time.Second))
			}
		})
		if err != nil && ctx.Err() != nil {
			a.tellInterrupted(dir.BreakthroughBegun(g))
			return &exitError{code: exitInterrupted}
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(a.err, "%s: solved in %s\n", g.Name(), a.now().Sub(begun).Round(time.Millisecond))
		if b, err = dir.Breakthrough(g); err != nil {
			return err
		}
		if b == nil {
			return fmt.Errorf("%s went away", dir.BreakthroughFile(g))
		}
	}
	defer b.Close()
	winner, err := b.Winner(g.Start().(*breakthrough.Position))
	if err != nil {
		return fmt.Errorf("%s: %w; delete it, and it is computed again", dir.BreakthroughFile(g), err)
	}
	s := solvedBoard{g.Name(), g.SideNames()[winner], b.States, b.Won, fileSize(dir.BreakthroughFile(g)), dir.BreakthroughFile(g)}
	if err := x.output.print(a, s, func() listing.Table { return s.table(x.output.csv) }); err != nil || x.output.json || x.output.csv {
		return err
	}
	fmt.Fprintf(a.out, "\nWho wins? %s, the %s player.\n", s.Winner, nth(winner))
	return nil
}

// table has plain numbers where a program reads it.
func (s solvedBoard) table(plain bool) listing.Table {
	count := func(n uint64) string { return humanize.Comma(int64(n)) }
	size := humanize.IBytes(uint64(s.Bytes))
	if plain {
		count = func(n uint64) string { return strconv.FormatUint(n, 10) }
		size = count(uint64(s.Bytes))
	}
	return listing.Table{
		Title:   s.Game + " · solved",
		Columns: []listing.Column{{Name: "Winner", Left: true}, {Name: "States"}, {Name: "Won"}, {Name: "Size"}},
		Rows:    [][]any{{s.Winner, count(s.States), count(s.Won), size}},
		Notes: []string{
			"States: any number of pieces, one side to move, up to reflection; without those that end within two plies.",
			"Won: by the side to move.",
			"Table: " + s.File,
		},
	}
}

func (a *app) verifyBoard(ctx context.Context, dir tables.Dir, g *breakthrough.Game, x *solveFlags) error {
	b, err := dir.Breakthrough(g)
	if err != nil {
		return err
	}
	if b == nil {
		return usageError(&tables.MissingError{Dir: dir, Game: g.Name(), Whole: true})
	}
	defer b.Close()
	if err := dir.Check(b, g); err != nil {
		return err
	}
	const batch = 1000
	for done := 0; done < x.verify; done += batch {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := b.Verify(g, min(batch, x.verify-done), rand.New(rand.NewPCG(1, uint64(done)))); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.out, "%s: checksums and %s positions agree with the rules\n", g.Name(), humanize.Comma(int64(x.verify)))
	return nil
}
