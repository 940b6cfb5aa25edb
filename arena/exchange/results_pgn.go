package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// pgnGame is what is known of the game being read.
type pgnGame struct {
	line                int // of its first tag
	white, black, fen   string
	result              string
	resultLine, resultC int
	tags, moves         bool
	hasResult           bool
	hasWhite, hasBlack  bool
	marker              []byte // last word of the moves
}

// pgnReader is the state between lines.
type pgnReader struct {
	sink    *sink
	game    pgnGame
	comment bool // inside braces
	opened  [2]int
	pending map[pairing]int64
}

// pairing is an opening and who played which side in it.
type pairing struct{ white, black, fen string }

func (s *sink) pgn(in *bufio.Reader) error {
	r := pgnReader{sink: s, pending: map[pairing]int64{}}
	for number := 1; ; number++ {
		text, err := in.ReadSlice('\n')
		for first := true; errors.Is(err, bufio.ErrBufferFull); first = false {
			// A line longer than the buffer (all moves in one): the parts join.
			if first {
				text = bytes.Clone(text)
			}
			var more []byte
			more, err = in.ReadSlice('\n')
			text = append(text, more...)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if lineErr := r.line(number, text); lineErr != nil {
			return lineErr
		}
		if err != nil {
			break
		}
	}
	if r.comment {
		return s.fail(r.opened[0], r.opened[1], "comment without a closing }")
	}
	return r.flush()
}

// line reads one line of a file.
func (r *pgnReader) line(number int, text []byte) error {
	if !r.comment && len(text) > 0 && text[0] == '%' {
		return nil // an escape of the standard: not for readers
	}
	for at := 0; at < len(text); {
		if r.comment {
			end := bytes.IndexByte(text[at:], '}')
			if end < 0 {
				return nil
			}
			r.comment = false
			at += end + 1
			continue
		}
		switch c := text[at]; c {
		case ' ', '\t', '\r', '\n', '\v', '\f':
			at++
		case '{':
			r.comment, r.opened = true, [2]int{number, at + 1}
			at++
		case ';':
			return nil
		case '[':
			end, err := r.tag(number, at, text)
			if err != nil {
				return err
			}
			at = end
		default:
			if !r.game.tags {
				return r.sink.fail(number, at+1, "moves without tags: want [White \"NAME\"], [Black \"NAME\"] and [Result \"...\"] first")
			}
			r.game.moves = true
			end := bytes.IndexAny(text[at:], "{;")
			if end < 0 {
				end = len(text) - at
			}
			if !r.game.hasResult {
				words := bytes.TrimRight(text[at:at+end], " \t\r\n")
				if i := bytes.LastIndexAny(words, " \t)"); i >= 0 {
					words = words[i+1:]
				}
				r.game.marker = append(r.game.marker[:0], words...)
			}
			at += end
		}
	}
	return nil
}

// tag reads [Name "value"] at text[at] and returns where it ends.
func (r *pgnReader) tag(number, at int, text []byte) (end int, err error) {
	bad := func(column int) (int, error) {
		return 0, r.sink.fail(number, column+1, "not a tag: want [Name \"value\"]")
	}
	i := at + 1
	skip := func() {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
	}
	skip()
	start := i
	for i < len(text) && (text[i] == '_' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] >= '0' && text[i] <= '9') {
		i++
	}
	name := text[start:i]
	skip()
	if len(name) == 0 || i >= len(text) || text[i] != '"' {
		return bad(i)
	}
	i++
	valueAt := i
	escaped := false
	for ; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			escaped = true
			i++
		}
	}
	if i >= len(text) {
		return bad(at)
	}
	value := text[valueAt:i]
	i++
	skip()
	if i >= len(text) || text[i] != ']' {
		return bad(i)
	}
	return i + 1, r.take(number, valueAt+1, name, value, escaped)
}

// take keeps a tag, and ends the game before it where it belongs to the next.
func (r *pgnReader) take(number, column int, name, value []byte, escaped bool) error {
	g := &r.game
	again := (string(name) == "White" && g.hasWhite) || (string(name) == "Black" && g.hasBlack) || (string(name) == "Result" && g.hasResult)
	if g.moves || again || (string(name) == "Event" && g.hasWhite && g.hasBlack) {
		if err := r.flush(); err != nil {
			return err
		}
	}
	if !g.tags {
		g.tags, g.line = true, number
	}
	text := func() string {
		if escaped {
			return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(string(value))
		}
		return string(value)
	}
	switch string(name) {
	case "White":
		g.white, g.hasWhite = text(), true
	case "Black":
		g.black, g.hasBlack = text(), true
	case "Result":
		g.result, g.hasResult, g.resultLine, g.resultC = text(), true, number, column
	case "FEN":
		if r.sink.reader.Pairs {
			g.fen = text()
		}
	}
	return nil
}

// flush ends a game.
func (r *pgnReader) flush() error {
	g := r.game
	r.game = pgnGame{marker: g.marker[:0]}
	if !g.tags {
		return nil
	}
	for _, tag := range []struct{ name, value string }{{"White", g.white}, {"Black", g.black}} {
		if tag.value == "" {
			return r.sink.fail(g.line, 1, "the game that begins here has no tag [%s \"NAME\"]", tag.name)
		}
	}
	if !g.hasResult {
		if len(g.marker) == 0 {
			return r.sink.fail(g.line, 1, "the game that begins here has no result")
		}
		g.result, g.resultLine, g.resultC = string(g.marker), g.line, 1
	}
	score, ok, err := result(g.result, false)
	if err != nil {
		return r.sink.fail(g.resultLine, g.resultC, "%w", err)
	}
	if !ok {
		r.sink.reader.Unfinished++
		return nil
	}
	var pair int64
	if r.sink.reader.Pairs {
		other := pairing{g.black, g.white, g.fen}
		if n, ok := r.pending[other]; ok {
			pair = n
			delete(r.pending, other)
		} else {
			r.sink.reader.lastPair++
			pair = r.sink.reader.lastPair
			r.pending[pairing{g.white, g.black, g.fen}] = pair
		}
	}
	r.sink.add(g.white, g.black, score, pair)
	return nil
}
