package tables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

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

// BreakthroughFile is the name of a board's file.
func (d Dir) BreakthroughFile(g *breakthrough.Game) string {
	return filepath.Join(string(d), fmt.Sprintf("breakthrough-%dx%d.table", g.Cols(), g.Rows()))
}

// Breakthrough opens the table of a board, nil where it is not there or of another
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

// SolveBreakthrough computes the table of a board and writes it.
func (d Dir) SolveBreakthrough(ctx context.Context, g *breakthrough.Game, threads int, tell func(exact.Progress)) error {
	t, err := exact.Solve(ctx, engine.Game(g), threads, tell)
	if err != nil {
		return err
	}
	return d.write(d.BreakthroughFile(g), t)
}

// damaged is an error of a table with its file and what to do.
func damaged(path string, err error) error {
	return fmt.Errorf("%s: %w; delete it, and it is computed again", path, err)
}
