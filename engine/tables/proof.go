package tables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/breakthrough/proof"
	"botarena/engine/tables/sealed"
)

// ProofFile returns the name of the file that proves who wins a board from its start.
func (d Dir) ProofFile(g *breakthrough.Game) string {
	return filepath.Join(string(d), fmt.Sprintf("breakthrough-%dx%d.proof", g.Cols(), g.Rows()))
}

// Proof reads the proof of a board, nil if it is not there or of another version.
// Nothing but its checksum was checked: see proof.Proof.Check. The error names the file.
func (d Dir) Proof(g *breakthrough.Game) (*proof.Proof, error) {
	path := d.ProofFile(g)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := proof.Read(data)
	switch {
	case errors.Is(err, sealed.ErrVersion):
		return nil, nil
	case err != nil:
		return nil, damaged(path, err)
	case p.Cols != g.Cols() || p.Rows != g.Rows():
		return nil, damaged(path, &sealed.DamagedError{What: "it is another board's"})
	}
	return p, nil
}

// provedPlies is how near to its end a game is left to the checker: its searches are
// still cheap, and two plies more would spare half of the file.
const provedPlies = 3

// Prove finds who wins a board from its start, with a search table of about so many
// bytes, and writes the proof. Whenever due, which may be nil, reports that it is time for
// it, it keeps what the search knows beside the proofs, and goes on from what was kept
// another time.
func (d Dir) Prove(ctx context.Context, g *breakthrough.Game, bytes int64, due func() bool, tell func(exact.ProofProgress)) (*proof.Proof, error) {
	s, err := exact.NewProver(g, bytes)
	if err != nil {
		return nil, err
	}
	if _, err := kept(d.search(g), func(data []byte) (*exact.Prover, error) { return s, s.Load(data) }); err != nil {
		return nil, err
	}
	p, err := s.Prove(ctx, g, provedPlies, func(p exact.ProofProgress) error {
		if tell != nil {
			tell(p)
		}
		if due != nil && due() {
			return d.write(d.search(g), s)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.write(d.ProofFile(g), p); err != nil {
		return nil, err
	}
	return p, forget(d.search(g))
}

// search returns the name of the file that keeps what a search knows that goes on.
func (d Dir) search(g *breakthrough.Game) string {
	return strings.TrimSuffix(d.ProofFile(g), ".proof") + ".search"
}

// ProofBegun reports whether what a search of a board knows is kept, to go on from.
func (d Dir) ProofBegun(g *breakthrough.Game) bool { return there(d.search(g)) }
