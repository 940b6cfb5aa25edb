package tables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/edsrzf/mmap-go"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/tables/sealed"
)

// Breakthrough is the table of a board of Breakthrough.
type Breakthrough struct {
	*exact.Table
	file mmap.MMap
}

// BreakthroughFile returns the name of a board's file.
func (d Dir) BreakthroughFile(g *breakthrough.Game) string {
	return filepath.Join(string(d), fmt.Sprintf("breakthrough-%dx%d.table", g.Cols(), g.Rows()))
}

// Breakthrough opens the table of a board, nil if it is not there or of another
// version. The error names the file.
func (d Dir) Breakthrough(g *breakthrough.Game) (*Breakthrough, error) {
	path := d.BreakthroughFile(g)
	m, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, damaged(path, err)
	}
	t, err := exact.Read(m)
	if err == nil && !t.Fits(g) {
		err = &sealed.DamagedError{What: "it is another table"}
	}
	if err != nil {
		_ = m.Unmap() // nothing was written
		if errors.Is(err, sealed.ErrVersion) {
			return nil, nil
		}
		return nil, damaged(path, err)
	}
	return &Breakthrough{t, m}, nil
}

// Close ends the looking at the table.
func (b *Breakthrough) Close() { _ = b.file.Unmap() } // nothing was written

// Check reads all of the table of a board. The error names the file.
func (d Dir) Check(b *Breakthrough, g *breakthrough.Game) error {
	if err := b.Check(); err != nil {
		return damaged(d.BreakthroughFile(g), err)
	}
	return nil
}

// SolveBreakthrough computes the table of a board and writes it. Whenever due, which may
// be nil, reports that it is time for it, it keeps what is known so far beside the tables,
// and goes on from what was kept another time.
func (d Dir) SolveBreakthrough(ctx context.Context, g *breakthrough.Game, threads int, due func() bool, tell func(exact.Progress)) error {
	path := d.boardPart(g)
	options := exact.Options{Threads: threads, Tell: tell, Due: due, Keep: func(p *exact.Part) error { return d.write(path, p) }}
	var err error
	if options.From, err = kept(path, exact.ReadPart); err != nil {
		return err
	}
	t, err := exact.Solve(ctx, engine.Game(g), options)
	if errors.As(err, new(*sealed.DamagedError)) {
		return damaged(path, err)
	}
	if err != nil {
		return err
	}
	if err := d.write(d.BreakthroughFile(g), t); err != nil {
		return err
	}
	return forget(path)
}

// boardPart returns the name of the file that keeps what is known of a table that is
// being computed.
func (d Dir) boardPart(g *breakthrough.Game) string {
	return strings.TrimSuffix(d.BreakthroughFile(g), ".table") + ".part"
}

// BreakthroughBegun reports whether a part of a table is kept, to go on from.
func (d Dir) BreakthroughBegun(g *breakthrough.Game) bool { return there(d.boardPart(g)) }

// damaged returns an error of a table with its file and what to do.
func damaged(path string, err error) error {
	return fmt.Errorf("%s: %w; delete it, and it is computed again", path, err)
}
