package exchange

import (
	"errors"
	"fmt"
	"io"
)

// ReadGame returns the game of that number, from 1, in a file of PGN or JSON Lines,
// which may be compressed by gzip; the format is recognised as by [ResultsReader.Read],
// and is PGN by default. Of PGN it is the game's players and event, its start as
// Opening.Position, and the moves of its main line as they are written. No game is
// checked by the rules. It returns nil if the file has fewer games, and how many it has
// read. The error is a *ParseError or one of the file's own.
func ReadGame(name string, from io.Reader, number int) (g *Game, read int, err error) {
	in, format, err := open(name, from, "")
	switch {
	case err != nil:
	case format == FormatJSONL:
		g, read, err = readLine(name, in, number)
	case formatOf(name) == FormatCSV:
		return nil, 0, &ParseError{File: name, Err: errors.New("it is CSV, which has no moves; take PGN or JSON Lines")}
	default:
		g, read, err = readPGN(name, in, number)
	}
	var parse *ParseError
	if err != nil && !errors.As(err, &parse) {
		err = fmt.Errorf("read %s: %w", name, err)
	}
	return g, read, err
}

// readLine returns a game of JSON Lines.
func readLine(name string, in io.Reader, number int) (g *Game, read int, err error) {
	err = lines(in, func(line int, _ int64, text []byte) error {
		if read++; read < number {
			return nil
		}
		var err error
		if g, err = ParseLine(text); err != nil {
			return &ParseError{File: name, Line: line, Err: fmt.Errorf("%w; `arena export --format jsonl` writes such files", err)}
		}
		return errStopped
	})
	if errors.Is(err, errStopped) {
		err = nil
	}
	return g, read, err
}
