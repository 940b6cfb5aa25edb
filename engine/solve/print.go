package solve

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"botarena/engine"
	"botarena/engine/breakthrough"
)

// Print identifies the tables and proofs that an [Oracle] uses for a game, or all for
// nil: 16 hexadecimal digits, equal for equal ones, "" if there are none. It reads the
// beginning of each file, which holds the checksums of the rest.
func (d Dir) Print(game engine.Game) (string, error) {
	patterns := []string{"*.table", "*.proof"}
	switch g, board := game.(*breakthrough.Game); {
	case board:
		patterns = []string{filepath.Base(d.boardFile(g, ".table")), filepath.Base(d.boardFile(g, ".proof"))}
	case game != nil:
		patterns = []string{"owlman-*.table"}
	}
	var names []string
	for _, pattern := range patterns {
		found, err := fs.Glob(os.DirFS(string(d)), pattern) // in order
		if err != nil {
			return "", err
		}
		names = append(names, found...)
		if game != nil && len(names) > 0 {
			break // a proof is asked only if there is no table
		}
	}
	all := sha256.New()
	for _, name := range names {
		fmt.Fprintf(all, "%q\n", name)
		if err := beginning(all, filepath.Join(string(d), name)); err != nil {
			return "", err
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return hex.EncodeToString(all.Sum(nil)[:8]), nil
}

// beginning copies the header lines of a table's file.
func beginning(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r := bufio.NewReader(io.LimitReader(f, 1<<26)) // a header is some hundred kilobytes
	for range 3 {
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}
