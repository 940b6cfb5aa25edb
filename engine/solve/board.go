package solve

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/edsrzf/mmap-go"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/solve/file"
)

// A board is the Solver of a board of Breakthrough by a table.
type board struct {
	dir   Dir
	game  *breakthrough.Game
	table *exact.Table // nil if it is not there
	file  mmap.MMap
}

// boardFile returns the name of a board's file with that ending.
func (d Dir) boardFile(g *breakthrough.Game, ending string) string {
	return filepath.Join(string(d), fmt.Sprintf("breakthrough-%dx%d%s", g.Cols(), g.Rows(), ending))
}

func (d Dir) board(g *breakthrough.Game) (*board, error) {
	b := &board{dir: d, game: g}
	return b, b.open()
}

func (b *board) path() string { return b.dir.boardFile(b.game, ".table") }

func (b *board) open() (err error) {
	b.file, _, err = opened(b.path(), func(data []byte) error {
		t, err := exact.Read(data)
		if err == nil && !t.Fits(b.game) {
			return file.Damaged("it is another table")
		}
		if err == nil {
			b.table = t
		}
		return err
	})
	return err
}

func (b *board) Close() {
	if b.table != nil {
		_ = b.file.Unmap() // nothing was written
	}
	b.table = nil
}

func (b *board) Solve(ctx context.Context, o Options) error {
	if b.table != nil {
		return nil
	}
	err := b.dir.compute(ctx, task{
		name: b.game.Name(), done: "solved", path: b.path(), kept: trimmed(b.path(), ".part"),
		run: func(ctx context.Context, fo file.Options) (io.WriterTo, error) { return exact.Solve(ctx, b.game, fo) },
	}, o)
	if err != nil {
		return err
	}
	if err := b.open(); err != nil {
		return err
	}
	return b.there()
}

// there returns an error if there is no table.
func (b *board) there() error {
	if b.table == nil {
		return missing("there is no table of %s in %s; `arena solve %[1]s` computes it", b.game.Name(), b.dir)
	}
	return nil
}

func (b *board) Verify(ctx context.Context, o Options, say func(string)) error {
	if err := b.there(); err != nil {
		return err
	}
	if err := b.table.Check(); err != nil {
		return damaged(b.path(), err)
	}
	err := verify(ctx, o.Draws, func(batch, draws int) error {
		return b.table.Verify(b.game, draws, rand.New(rand.NewPCG(1, uint64(batch))))
	})
	if err == nil {
		say(fmt.Sprintf("%s: checksums and %s positions agree with the rules", b.game.Name(), humanize.Comma(int64(o.Draws))))
	}
	return err
}

func (b *board) Value(pos engine.Position) (Value, error) {
	if err := b.there(); err != nil {
		return unknown(), err
	}
	winner, err := b.table.Winner(pos.(*breakthrough.Position))
	if err != nil {
		return unknown(), damaged(b.path(), err)
	}
	return Value{Winner: winner}, nil
}

// A BoardReport describes the table of a board, for JSON.
type BoardReport struct {
	Game   string `json:"game"`
	Winner string `json:"winner"` // of the game from its start
	States uint64 `json:"states"`
	Won    uint64 `json:"won_by_the_side_to_move"`
	Bytes  Bytes  `json:"bytes"`
	File   string `json:"file"`
}

func (b *board) Report() (Report, error) {
	v, err := b.Value(b.game.Start())
	if err != nil {
		return Report{}, err
	}
	r := BoardReport{b.game.Name(), b.game.SideNames()[v.Winner], b.table.States, b.table.Won, size(b.path()), b.path()}
	return Report{
		JSON: r, Title: r.Game + " · solved",
		Columns: []string{"Winner", "States", "Won", "Size"},
		Rows:    [][]any{{r.Winner, r.States, r.Won, r.Bytes}},
		Notes: []string{
			"States: any number of pieces, one side to move, up to reflection; without those that end within two plies.",
			"Won: by the side to move.",
			"Table: " + r.File,
		},
		Answer: whoWins(b.game, v.Winner),
	}, nil
}
