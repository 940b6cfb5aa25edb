package openings

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine"
)

// A BookError lists all bad openings of a book.
type BookError struct {
	File string
	Bad  []BadLine
}

// A BadLine is a line of a book that is not an opening.
type BadLine struct {
	Line int // 1-based
	Err  error
}

// Error returns one line for each bad line: "file:line: why"; without a line number if
// the file cannot be read.
func (e *BookError) Error() string {
	const most = 20
	var b strings.Builder
	for i, bad := range e.Bad {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == most {
			fmt.Fprintf(&b, "%s: and %d more bad lines", e.File, len(e.Bad)-most)
			break
		}
		if bad.Line == 0 {
			fmt.Fprintf(&b, "%s: %v", e.File, bad.Err)
			continue
		}
		fmt.Fprintf(&b, "%s:%d: %v", e.File, bad.Line, bad.Err)
	}
	return b.String()
}

// Unwrap returns the error of each line.
func (e *BookError) Unwrap() []error {
	all := make([]error, len(e.Bad))
	for i, bad := range e.Bad {
		all[i] = bad.Err
	}
	return all
}

// maxBook is the maximum size of a book in bytes: a large Polyglot book has some
// hundred MiB.
const maxBook = 256 << 20

// ReadFile returns the contents of a book's file. A pipe or a device is refused:
// reading it may never end, and a book is read more than once. The error is a
// *BookError.
func ReadFile(file string) (data []byte, err error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file; give the path of a book", file)
	case info.Size() > maxBook:
		err = fmt.Errorf("it is larger than %d MiB; a book has some", maxBook>>20)
	default:
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, &BookError{file, []BadLine{{Err: fmt.Errorf("read openings: %w", err)}}}
	}
	return data, nil
}

// ReadBook reads the text of a book for a game and checks every opening by the
// rules; moves and positions come back in the game's canonical text. File is the
// book's path as errors should name it. The error is a *BookError.
func ReadBook(data []byte, file string, game engine.Game) ([]arena.Opening, error) {
	content := strings.TrimPrefix(string(data), "\ufeff")
	b := &book{game: game}
	if first := strings.TrimLeft(content, " \t\r\n"); strings.HasPrefix(first, "[") {
		b.pgn(content)
	} else {
		for i, line := range strings.Split(content, "\n") {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			o, err := b.line(line)
			b.add(i+1, o, err)
		}
	}
	if len(b.bad) == 0 && len(b.openings) == 0 {
		b.bad = []BadLine{{1, fmt.Errorf("the book has no openings: give at least one line")}}
	}
	if len(b.bad) > 0 {
		return nil, &BookError{file, b.bad}
	}
	return b.openings, nil
}

// A book collects openings and bad lines.
type book struct {
	game     engine.Game
	openings []arena.Opening
	bad      []BadLine
}

// add checks an opening and keeps it in canonical text.
func (b *book) add(line int, o arena.Opening, err error) {
	if err == nil {
		o, err = b.canonical(o)
	}
	if err != nil {
		b.bad = append(b.bad, BadLine{line, err})
		return
	}
	b.openings = append(b.openings, o)
}

func (b *book) canonical(o arena.Opening) (arena.Opening, error) {
	pos, err := begin(b.game, o)
	if err != nil {
		return o, err
	}
	if o.Position != "" {
		o.Position = pos.String()
	}
	moves := o.Moves
	o.Moves = nil
	engine.Expect(pos, moves, false)
	for i, move := range moves {
		if out := pos.Outcome(); out.Over {
			return o, fmt.Errorf("the game is over before move %d, %s: %s", i+1, text.Clip(move, 60), out.Reason)
		}
		m, err := pos.ParseMove(move)
		if err != nil {
			return o, fmt.Errorf("move %d: %w", i+1, err)
		}
		o.Moves = append(o.Moves, string(pos.AppendMove(nil, m)))
		pos.Play(m)
	}
	if out := pos.Outcome(); out.Over {
		return o, fmt.Errorf("the game is over: %s", out.Reason)
	}
	return o, nil
}

// line reads a line of a book that is not PGN.
func (b *book) line(line string) (arena.Opening, error) {
	body, name, _ := strings.Cut(line, ";")
	fields := strings.Fields(body)
	if len(fields) == 0 {
		return arena.Opening{}, fmt.Errorf("nothing before the semicolon: write a position or moves, then ; name")
	}
	var o arena.Opening
	switch {
	case fields[0] == "startpos":
		fields = fields[1:]
	case fields[0] == "fen":
		fields = fields[1:]
		fallthrough
	case strings.Contains(fields[0], "/"):
		if family, _, _ := strings.Cut(b.game.Name(), ":"); family == "chess" {
			return b.chess(strings.TrimSpace(strings.TrimPrefix(line, "fen")))
		}
		n := len(fields)
		for i, f := range fields {
			if f == "moves" {
				n = i
			}
		}
		if n == 0 {
			return o, fmt.Errorf("no position after fen")
		}
		o.Position, fields = strings.Join(fields[:n], " "), fields[n:]
	default:
		fields = append([]string{"moves"}, fields...)
	}
	if len(fields) > 0 {
		if fields[0] != "moves" {
			return o, fmt.Errorf("%q where the word moves was expected", text.Clip(fields[0], 60))
		}
		o.Moves = moves(fields[1:])
	}
	o.Name = strings.TrimSpace(name)
	return o, nil
}

// chess reads a line that begins with a FEN or EPD.
func (b *book) chess(line string) (arena.Opening, error) {
	rest := line
	next := func() string {
		rest = strings.TrimLeft(rest, " \t")
		i := strings.IndexAny(rest, " \t;")
		if i < 0 {
			i = len(rest)
		}
		f := rest[:i]
		rest = rest[i:]
		return f
	}
	var fen []string
	for range 4 {
		fen = append(fen, next())
	}
	counters := []string{"0", "1"}
	after := rest
	if half, full := next(), next(); number(half) && number(full) {
		counters = []string{half, full}
	} else {
		rest = after
	}
	var o arena.Opening
	rest = strings.TrimSpace(rest)
	if list, ok := strings.CutPrefix(rest, "moves "); ok {
		list, name, _ := strings.Cut(list, ";")
		o.Moves, o.Name, rest = moves(strings.Fields(list)), strings.TrimSpace(name), ""
	}
	if name, ok := strings.CutPrefix(rest, ";"); ok {
		o.Name, rest = strings.TrimSpace(name), ""
	}
	for _, op := range operations(rest) {
		code, value, _ := strings.Cut(op, " ")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case code == "id":
			o.Name = value
		case code == "hmvc" && number(value):
			counters[0] = value
		case code == "fmvn" && number(value):
			counters[1] = value
		}
	}
	o.Position = strings.Join(append(fen, counters...), " ")
	return o, nil
}

// operations cuts EPD operations at semicolons outside of quotes.
func operations(s string) []string {
	var ops []string
	quoted, from := false, 0
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ';' && !quoted:
			ops = append(ops, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	return append(ops, strings.TrimSpace(s[from:]))
}

func number(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0
}

// moves returns the fields without move numbers: "1.", "2...", "3.e4".
func moves(fields []string) []string {
	var list []string
	for _, f := range fields {
		if digits := strings.TrimLeft(f, "0123456789"); len(digits) < len(f) && strings.HasPrefix(digits, ".") {
			f = strings.TrimLeft(digits, ".")
		}
		if f != "" {
			list = append(list, f)
		}
	}
	return list
}

// Write writes openings as a book that [ReadBook] reads back, the header's lines
// as comments before them.
func Write(w io.Writer, list []arena.Opening, header ...string) error {
	out := bufio.NewWriter(w)
	for _, h := range header {
		fmt.Fprintf(out, "# %s\n", strings.ReplaceAll(h, "\n", " "))
	}
	for _, o := range list {
		var parts []string
		switch {
		case o.Position != "":
			parts = append(parts, o.Position)
			if len(o.Moves) > 0 {
				parts = append(parts, "moves")
			}
		case len(o.Moves) == 0:
			parts = append(parts, "startpos")
		}
		parts = append(parts, o.Moves...)
		if o.Name != "" {
			parts = append(parts, ";", strings.Join(strings.Fields(o.Name), " "))
		}
		fmt.Fprintln(out, strings.Join(parts, " "))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write openings: %w", err)
	}
	return nil
}
