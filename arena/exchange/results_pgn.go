package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"botarena/arena/pgn"
	"botarena/arena/rating"
)

// pgnGame is what is known of the game being read.
type pgnGame struct {
	line               int // of its first token, 0 if it has none yet
	white, black       int32
	hasWhite, hasBlack bool
	tags, moves        bool
	result, marker     pgnResult // of the tag, and what ends the moves
	event, fen         string    // only where games are joined to pairs
	bad                *ParseError
}

// pgnResult is a result and where it stands, line 0 if there is none.
type pgnResult struct {
	text         string
	line, column int
}

// pgnHalf is a game that waits for the other one of its pair.
type pgnHalf struct {
	white, black int32
	event, fen   string
}

// pgnReader is the state between tokens.
type pgnReader struct {
	*sink
	game  pgnGame
	known map[string]int32 // players by the value of a tag as it is written
	half  map[pgnHalf]rating.Score
	whole int         // games that could be read
	bad   *ParseError // of the first game that could not
}

func (s *sink) pgn(in *bufio.Reader) error {
	r := pgnReader{sink: s, known: map[string]int32{}, half: map[pgnHalf]rating.Score{}}
	scan := pgn.NewScanner(in)
	scan.SkipMoves = true
	for {
		t, err := scan.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.token(t)
		}
		if err != nil {
			return err
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	for h, score := range r.half {
		s.add(h.white, h.black, score)
	}
	if r.bad != nil && r.whole == 0 { // it may be no PGN at all
		return r.bad
	}
	return nil
}

// token takes a token, and ends the game before it where it belongs to the next.
func (r *pgnReader) token(t *pgn.Token) error {
	if r.begins(t) {
		if err := r.flush(); err != nil {
			return err
		}
	}
	g := &r.game
	if g.line == 0 {
		g.line = t.Line
	}
	switch t.Kind {
	case pgn.Tag:
		g.tags = true
		r.tag(t)
	case pgn.Move:
		g.moves = true
	case pgn.Result:
		if g.marker.line == 0 {
			g.marker = pgnResult{string(t.Value), t.Line, t.Column}
		}
	case pgn.Bad:
		// A game that forgot to close a variation says enough with its tags.
		if r.reader.Strict || g.result.line == 0 || !errors.Is(t.Err, pgn.ErrVariation) {
			r.wrong(t.Line, t.Column, "%w", t.Err)
		}
	}
	return nil
}

// begins reports whether a token belongs to the game after the one being read.
func (r *pgnReader) begins(t *pgn.Token) bool {
	g := &r.game
	ended := g.marker.line > 0
	switch t.Kind {
	case pgn.Tag:
		switch string(t.Name) {
		case "White":
			ended = ended || g.hasWhite
		case "Black":
			ended = ended || g.hasBlack
		case "Result":
			ended = ended || g.result.line > 0
		case "Event":
			ended = ended || g.hasWhite && g.hasBlack
		}
		return ended || g.moves
	case pgn.Result: // some write it twice
		return ended && string(t.Value) != g.marker.text
	case pgn.Bad:
		if !errors.Is(t.Err, pgn.ErrTag) {
			return false
		}
		return ended || g.moves || t.Gap && g.hasWhite && g.hasBlack && g.result.line > 0
	}
	return ended
}

// wrong notes what is wrong with the game, if nothing was before.
func (r *pgnReader) wrong(line, column int, format string, args ...any) {
	if r.game.bad == nil {
		r.game.bad = &ParseError{File: r.name, Line: line, Column: column, Err: fmt.Errorf(format, args...)}
	}
}

func (r *pgnReader) tag(t *pgn.Token) {
	g := &r.game
	switch string(t.Name) {
	case "White":
		g.white, g.hasWhite = r.player(t.Value), true
	case "Black":
		g.black, g.hasBlack = r.player(t.Value), true
	case "Result":
		g.result = pgnResult{pgn.Text(t.Value), t.Line, t.ValueColumn}
	case "Event":
		if r.reader.Pairs {
			g.event = pgn.Text(t.Value)
		}
	case "FEN":
		if r.reader.Pairs {
			g.fen = pgn.Text(t.Value)
		}
	}
}

// player returns the number of a player, by the value of a tag; -1 without a name.
func (r *pgnReader) player(value []byte) int32 {
	if i, ok := r.known[string(value)]; ok {
		return i
	}
	i := int32(-1)
	if name := pgn.Text(value); name != "" {
		i = r.reader.players.of(player{name: name})
	}
	r.known[string(value)] = i
	return i
}

// flush ends a game. The error is of one that cannot be read, if that matters.
func (r *pgnReader) flush() error {
	g := r.game
	r.game = pgnGame{}
	if g.line == 0 {
		return nil
	}
	score, played, bad := r.finish(&g)
	switch {
	case bad != nil && r.reader.Strict:
		return bad
	case bad != nil:
		if r.bad == nil {
			r.bad = bad
		}
		r.reader.Skipped++
		if r.reader.Skip != nil {
			r.reader.Skip(bad)
		}
		return nil
	}
	r.whole++
	switch {
	case !played:
		r.reader.Unfinished++
	case r.reader.Pairs:
		r.join(&g, score)
	default:
		r.add(g.white, g.black, score)
	}
	return nil
}

// finish returns the result of a game, or what is wrong with it.
func (r *pgnReader) finish(g *pgnGame) (score rating.Score, played bool, bad *ParseError) {
	fail := func(line, column int, format string, args ...any) (rating.Score, bool, *ParseError) {
		return 0, false, &ParseError{File: r.name, Line: line, Column: column, Err: fmt.Errorf(format, args...)}
	}
	said := g.result
	if said.line == 0 {
		said = g.marker
	}
	switch {
	case g.bad != nil:
		return 0, false, g.bad
	case !g.tags:
		return fail(g.line, 1, "moves without tags: want [White \"NAME\"], [Black \"NAME\"] and [Result \"...\"] first")
	case !g.hasWhite || g.white < 0:
		return fail(g.line, 1, "the game that begins here has no tag [White \"NAME\"]")
	case !g.hasBlack || g.black < 0:
		return fail(g.line, 1, "the game that begins here has no tag [Black \"NAME\"]")
	case said.line == 0:
		return fail(g.line, 1, "the game that begins here has no result")
	}
	score, played, err := result(said.text, false)
	if err != nil {
		return fail(said.line, said.column, "%w", err)
	}
	return score, played, nil
}

// join makes a pair of the game and the one before it that has sides swapped and
// begins alike, or lets it wait for one.
func (r *pgnReader) join(g *pgnGame, score rating.Score) {
	r.reader.enter(g.white)
	r.reader.enter(g.black)
	mine, other := pgnHalf{g.white, g.black, g.event, g.fen}, pgnHalf{g.black, g.white, g.event, g.fen}
	if before, ok := r.half[other]; ok {
		delete(r.half, other)
		pair := group{a: min(g.white, g.black), b: max(g.white, g.black)}
		pair.add(g.black, before)
		pair.add(g.white, score)
		r.reader.count(pair)
		return
	}
	if before, ok := r.half[mine]; ok {
		r.add(g.white, g.black, before)
	}
	r.half[mine] = score
}
