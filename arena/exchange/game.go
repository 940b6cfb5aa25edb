package exchange

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"botarena/arena"
	"botarena/arena/pgn"
)

// ReadGame returns the game of that number, from 1, in a file of PGN or JSON Lines, which
// may be compressed by gzip; the format is told as [ResultsReader.Read] tells it, but what
// neither name nor beginning tell is PGN. Of PGN it is the game's players and event, its
// start as Opening.Position, and the moves of its main line as they are written. No game
// is checked by the rules. It returns nil if the file has fewer games, and how many it
// has read. The error is a *ParseError or one of the file's own.
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

// readPGN returns a game of PGN; one that names no variant is chess.
func readPGN(name string, in io.Reader, number int) (g *Game, read int, err error) {
	s := pgn.NewScanner(in)
	open, moved := false, false // a game has begun; it has moves, so a tag is of the next one
	for {
		t, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			return g, read, nil
		case err != nil:
			return nil, read, err
		}
		if !open || t.Kind == pgn.Tag && moved {
			if g != nil {
				return g, read, nil
			}
			open, moved = true, false
			if read++; read == number {
				g = &Game{Game: arena.Game{Event: "?", Game: "chess", Number: number, First: "?", Second: "?", Result: arena.Unplayed}}
			}
		}
		switch t.Kind {
		case pgn.Tag:
			if g != nil {
				g.tag(string(t.Name), pgn.Text(t.Value))
			}
		case pgn.Move:
			moved = true
			if move := strings.TrimRight(string(t.Value), "!?"); g != nil && move != "" {
				g.Moves = append(g.Moves, arena.MoveRecord{Move: move})
			}
		case pgn.Result:
			if g != nil {
				if r := arena.Result(t.Value); r != "*" {
					g.Result = r
				}
				return g, read, nil
			}
			open = false
		case pgn.Bad:
			if g != nil {
				return nil, read, &ParseError{File: name, Line: t.Line, Column: t.Column, Err: t.Err}
			}
		}
	}
}

// tag takes what a tag says.
func (g *Game) tag(name, value string) {
	switch name {
	case "Event":
		g.Event = value
	case "White":
		g.First = value
	case "Black":
		g.Second = value
	case "FEN":
		g.Opening.Position = value
	case "GameId": // as PGN writes it
		if event, number, ok := strings.Cut(value, "/"); ok && event == g.Event {
			if n, err := strconv.Atoi(number); err == nil {
				g.Number = n
			}
		}
	case "Variant":
		switch strings.ToLower(strings.ReplaceAll(value, " ", "")) {
		case "", "standard", "chess", "fromposition":
			g.Game.Game = "chess"
		case "chess960", "fischerandom", "fischerrandom":
			g.Game.Game = "chess:960"
		default:
			g.Game.Game = value
		}
	}
}
