package exchange

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"

	"botarena/arena"
	"botarena/arena/pgn"
)

// A pgnGame is a game of a PGN file: an entry whose pair is the FEN.
type pgnGame struct {
	entry
	line            int     // of its first token, 0 if it has none
	named           [2]bool // whether there are tags White and Black
	tags, moves     bool
	resultAt, endAt place  // of the tag Result, and of what ends the moves
	end             string // what ends the moves
	bad             *ParseError
	whole           *Game // where all of the game is wanted
}

// A place in a file; line 0 is none.
type place struct{ line, column int }

// pgnReader splits a PGN file into games.
type pgnReader struct {
	name   string // of the file
	scan   *pgn.Scanner
	token  *pgn.Token        // not taken yet
	texts  map[string]string // what values of tags say, by what is written
	strict bool              // whether a variation without an end spoils a game
}

func newPGNReader(name string, in io.Reader) *pgnReader {
	return &pgnReader{name: name, scan: pgn.NewScanner(in), texts: map[string]string{}}
}

// next reads the next game into g, even a malformed one. The error is io.EOF after the
// last one, or that of reading.
func (r *pgnReader) next(g *pgnGame) error {
	for {
		if r.token == nil {
			t, err := r.scan.Next()
			switch {
			case errors.Is(err, io.EOF) && g.line > 0:
				return nil
			case err != nil:
				return err
			}
			r.token = t
		}
		if g.line > 0 && g.precedes(r.token) {
			return nil
		}
		r.take(g, r.token)
		r.token = nil
	}
}

// precedes reports whether a token belongs to the game after g.
func (g *pgnGame) precedes(t *pgn.Token) bool {
	ended := g.endAt.line > 0
	switch t.Kind {
	case pgn.Tag:
		switch string(t.Name) {
		case "White":
			ended = ended || g.named[0]
		case "Black":
			ended = ended || g.named[1]
		case "Result":
			ended = ended || g.resultAt.line > 0
		case "Event":
			ended = ended || g.named[0] && g.named[1]
		}
		return ended || g.moves
	case pgn.Result: // some write it twice
		return ended && string(t.Value) != g.end
	case pgn.Bad:
		if !errors.Is(t.Err, pgn.ErrTag) {
			return false
		}
		return ended || g.moves || t.Gap && g.named[0] && g.named[1] && g.resultAt.line > 0
	}
	return ended
}

// take adds a token to the game.
func (r *pgnReader) take(g *pgnGame, t *pgn.Token) {
	if g.line == 0 {
		g.line = t.Line
	}
	switch t.Kind {
	case pgn.Tag:
		g.tags = true
		r.tag(g, t)
	case pgn.Move:
		g.moves = true
		if g.whole == nil {
			return
		}
		if move := strings.TrimRight(string(t.Value), "!?"); move != "" {
			g.whole.Moves = append(g.whole.Moves, arena.MoveRecord{Move: move})
		}
	case pgn.Result:
		if g.endAt.line == 0 {
			g.end, g.endAt = r.text(t.Value), place{t.Line, t.Column}
		}
	case pgn.Bad:
		// A game that forgot to close a variation says enough with its tags.
		if g.bad == nil && (r.strict || g.resultAt.line == 0 || !errors.Is(t.Err, pgn.ErrVariation)) {
			g.bad = &ParseError{File: r.name, Line: t.Line, Column: t.Column, Err: t.Err}
		}
	}
}

func (r *pgnReader) tag(g *pgnGame, t *pgn.Token) {
	if g.whole != nil {
		g.whole.tag(string(t.Name), pgn.Text(t.Value))
	}
	switch string(t.Name) {
	case "White":
		g.who[0].name, g.named[0] = r.text(t.Value), true
	case "Black":
		g.who[1].name, g.named[1] = r.text(t.Value), true
	case "Result":
		g.result, g.resultAt = r.text(t.Value), place{t.Line, t.ValueColumn}
	case "Event":
		g.event = r.text(t.Value)
	case "FEN":
		g.pair = pgn.Text(t.Value)
	}
}

// text returns a tag's value, shared among games that have the same.
func (r *pgnReader) text(value []byte) string {
	said, ok := r.texts[string(value)]
	if !ok {
		said = pgn.Text(value)
		if len(value) < maxEntry {
			r.texts[string(value)] = said
		}
	}
	return said
}

func (s *sink) pgn(in *bufio.Reader) error {
	r := newPGNReader(s.name, in)
	r.scan.SkipMoves, r.strict = true, s.reader.Strict
	var first *ParseError // of the games that cannot be read
	whole := 0            // games that can
	var g pgnGame
	for {
		g = pgnGame{}
		if err := r.next(&g); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		bad := g.problem(s.name)
		if bad == nil {
			at := g.resultAt
			if at.line == 0 {
				g.result, at = g.end, g.endAt
			}
			if err := s.take(&g.entry); err != nil {
				bad = &ParseError{File: s.name, Line: at.line, Column: at.column, Err: err}
			}
		}
		switch {
		case bad == nil:
			whole++
			continue
		case s.reader.Strict:
			return bad
		case first == nil:
			first = bad
		}
		s.reader.Skipped++
		if s.reader.Skip != nil {
			s.reader.Skip(bad)
		}
	}
	if first != nil && whole == 0 { // it may be no PGN at all
		return first
	}
	return nil
}

// problem returns what is wrong with the game, nil if it can be rated.
func (g *pgnGame) problem(file string) *ParseError {
	var why string
	switch {
	case g.bad != nil:
		return g.bad
	case !g.tags:
		why = "moves without tags: want [White \"NAME\"], [Black \"NAME\"] and [Result \"...\"] first"
	case g.who[0].name == "":
		why = "the game that begins here has no tag [White \"NAME\"]"
	case g.who[1].name == "":
		why = "the game that begins here has no tag [Black \"NAME\"]"
	case g.resultAt.line == 0 && g.endAt.line == 0:
		why = "the game that begins here has no result"
	default:
		return nil
	}
	return &ParseError{File: file, Line: g.line, Column: 1, Err: errors.New(why)}
}

// readPGN returns a game of PGN; one that names no variant is chess.
func readPGN(name string, in io.Reader, number int) (g *Game, read int, err error) {
	r := newPGNReader(name, in)
	r.strict = true
	for {
		var at pgnGame
		if read+1 == number {
			at.whole = &Game{Game: arena.Game{Event: "?", Game: "chess", Number: number, First: "?", Second: "?", Result: arena.Unplayed}}
		}
		if err := r.next(&at); errors.Is(err, io.EOF) {
			return nil, read, nil
		} else if err != nil {
			return nil, read, err
		}
		if read++; read < number {
			continue
		}
		if at.bad != nil {
			return nil, read, at.bad
		}
		if r := arena.Result(at.end); r != "*" {
			at.whole.Result = r
		}
		return at.whole, read, nil
	}
}

// tag stores the value of a tag.
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
