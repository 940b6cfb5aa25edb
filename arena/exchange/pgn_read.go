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

// ReadPGN returns the game of that number in a file, from 1: its players and event, its
// start as Opening.Position, and the moves of its main line as they are written, checked
// by no rules. A game that names no variant is chess. It returns nil where the file has
// fewer games, and how many it has read. The error names the line and column of what is
// wrong with that game.
func ReadPGN(in io.Reader, number int) (g *Game, read int, err error) {
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
				return nil, read, fmt.Errorf("%d:%d: %w", t.Line, t.Column, t.Err)
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
