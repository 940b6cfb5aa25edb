package chess

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"botarena/engine"
)

// EPD reads a line of an EPD book, "board side castling en-passant opcodes...":
// it answers the position as FEN and the operand of the id opcode, "" without one.
// A line of plain FEN is read too.
func EPD(line string) (fen, id string, err error) {
	f := fields(line)
	if len(f) < 4 {
		return "", "", &engine.PositionError{Game: name, Text: line, Why: "an EPD line begins with the four fields of a FEN up to the en-passant square"}
	}
	end := f[3].column - 1 + len(f[3].text)
	rest := line[end:]
	if len(f) == 6 && strings.Trim(f[4].text+f[5].text, "0123456789") == "" {
		end, rest = len(line), ""
	}
	pos, err := newGame().Parse(line[:end])
	if err != nil {
		return "", "", err
	}
	for _, op := range strings.Split(rest, ";") {
		if operand, ok := strings.CutPrefix(strings.TrimSpace(op), "id "); ok {
			id = strings.Trim(strings.TrimSpace(operand), `"`)
		}
	}
	return pos.String(), id, nil
}

// A Record is a game read from PGN.
type Record struct {
	Tags  map[string]string
	FEN   string   // where the game starts, "" for the game's own start
	Moves []string // the main line, as UCI writes moves
	Line  int      // 1-based line of the input where the game begins
}

// ReadPGN calls yield for each game of a PGN file, in order, and stops at an
// error of either. Comments, variations and annotation glyphs are skipped. The
// error of a game that cannot be read names the line where it begins.
func ReadPGN(r io.Reader, yield func(Record) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	game := newGame()
	rec := Record{}
	var text strings.Builder
	flush := func() error {
		if rec.Line == 0 {
			return nil
		}
		pos := game.Start()
		if rec.FEN = rec.Tags["FEN"]; rec.FEN != "" {
			var err error
			if pos, err = game.Parse(rec.FEN); err != nil {
				return fmt.Errorf("PGN game at line %d: %w", rec.Line, err)
			}
		}
		moves, err := MoveText(pos, text.String())
		if err != nil {
			return fmt.Errorf("PGN game at line %d: %w", rec.Line, err)
		}
		for _, m := range moves {
			rec.Moves = append(rec.Moves, string(pos.AppendMove(nil, m)))
		}
		done := rec
		rec = Record{}
		text.Reset()
		return yield(done)
	}
	inMoves, inComment := false, false
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimPrefix(lines.Text(), "\ufeff")
		if strings.HasPrefix(line, "%") || strings.TrimSpace(line) == "" {
			continue
		}
		if key, value, ok := tag(line); ok && !inComment {
			if inMoves {
				if err := flush(); err != nil {
					return err
				}
				inMoves = false
			}
			if rec.Line == 0 {
				rec = Record{Line: n, Tags: map[string]string{}}
			}
			rec.Tags[key] = value
			continue
		}
		if rec.Line == 0 {
			rec = Record{Line: n, Tags: map[string]string{}}
		}
		inMoves = true
		inComment = commentOpen(line, inComment)
		text.WriteString(line)
		text.WriteByte('\n')
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading PGN: %w", err)
	}
	return flush()
}

// tag reads a line like [Event "Spring"].
func tag(line string) (key, value string, ok bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "[") || !strings.HasSuffix(line, `"]`) {
		return "", "", false
	}
	key, value, ok = strings.Cut(line[1:len(line)-2], ` "`)
	value = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value)
	return strings.TrimSpace(key), value, ok
}

// commentOpen tells whether a brace comment is open after the line.
func commentOpen(line string, open bool) bool {
	for i := range len(line) {
		switch {
		case open:
			open = line[i] != '}'
		case line[i] == '{':
			open = true
		case line[i] == ';':
			return false
		}
	}
	return open
}

// MoveText reads the main line of PGN's move text, played from pos, which stays as
// it is. Move numbers, comments, variations, annotation glyphs and the result are
// skipped. The error is the *engine.MoveError of the first move that cannot be
// played, wrapped with its number.
func MoveText(pos engine.Position, text string) ([]engine.Move, error) {
	pos = pos.Clone()
	var moves []engine.Move
	depth := 0
	for text != "" {
		var token string
		switch c := text[0]; {
		case c == '{':
			_, text, _ = strings.Cut(text, "}")
		case c == ';':
			_, text, _ = strings.Cut(text, "\n")
		case c == '(':
			depth++
			text = text[1:]
		case c == ')':
			depth = max(depth-1, 0)
			text = text[1:]
		case c <= ' ':
			text = text[1:]
		default:
			end := strings.IndexAny(text, " \t\r\n{;()")
			if end < 0 {
				end = len(text)
			}
			token, text = text[:end], text[end:]
		}
		if token = moveToken(token); token == "" || depth > 0 {
			continue
		}
		m, err := pos.ParseMove(token)
		if err != nil {
			return nil, fmt.Errorf("ply %d: %w", len(moves)+1, err)
		}
		pos.Play(m)
		moves = append(moves, m)
	}
	return moves, nil
}

// moveToken is the move in a word of move text, without its number: "1.e4" is
// "e4". It is "" for numbers, glyphs and results.
func moveToken(token string) string {
	switch token {
	case "1-0", "0-1", "1/2-1/2", "*", "e.p.":
		return ""
	}
	if number := strings.TrimLeft(token, "0123456789"); number != token && (number == "" || number[0] == '.') {
		token = number
	}
	token = strings.TrimLeft(token, ".")
	if strings.HasPrefix(token, "$") || strings.Trim(token, "!?") == "" {
		return ""
	}
	return token
}
