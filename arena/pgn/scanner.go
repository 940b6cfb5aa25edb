// Package pgn splits PGN of any game into tokens: a [Scanner] returns the tags, the
// words of the main line and the results of a file in order, and malformed parts. The
// caller interprets the words.
//
// Comments, variations, annotations ($1), escaped lines (% in the first column) and
// move numbers are skipped. Reading is lenient:
//
//   - A value that is not UTF-8 is Latin-1, the character set of the standard.
//   - A comment that is never closed ends where a blank line and a tag Event follow,
//     so that it takes one game and not the next ones with it.
//   - A variation that is never closed ends at a line that begins with a tag.
package pgn

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"botarena/arena/text"
)

// A Kind tells tokens apart.
type Kind int

// The kinds of tokens.
const (
	Tag    Kind = iota // a tag: Name and Value
	Move               // a word of the main line
	Result             // what ends the moves of a game: 1-0, 0-1, 1/2-1/2 or *
	Bad                // something that is no PGN: Err says what; the scanner goes on behind it
)

// A Token is a piece of PGN. It is valid until the next one is read.
type Token struct {
	Kind         Kind
	Line, Column int  // from 1, the column in bytes
	Gap          bool // a blank line stands before it
	Name         []byte
	Value        []byte // of a tag as it is written, see Text; a move or a result
	ValueColumn  int    // of a tag
	Err          error  // of what is Bad: one of the errors below
}

// What can be wrong with PGN.
var (
	ErrTag       = errors.New(`not a tag: want [Name "value"]`)
	ErrComment   = errors.New("a comment without a closing }")
	ErrVariation = errors.New("a variation without a closing )")
)

// A Scanner reads tokens. It holds one line of the file at a time.
type Scanner struct {
	// SkipMoves makes Next return one Move for consecutive words of a game's main line,
	// for callers that need not know the moves.
	SkipMoves bool

	lines   *text.Lines
	text    []byte // the line
	at      int
	line    int
	end     bool
	gap     bool
	depth   int // of variations
	comment bool
	opened  [2]int // line and column of the comment or of the outermost variation
	moved   bool   // a Move was returned, and nothing else since
	blank   bool   // the line before was blank
	token   Token
	stop    [256]bool // see stops
}

// NewScanner returns a scanner of a file.
func NewScanner(r io.Reader) *Scanner {
	in, ok := r.(*bufio.Reader)
	if !ok {
		in = bufio.NewReaderSize(r, 1<<16)
	}
	s := &Scanner{lines: text.NewLines(in, text.MaxLine)}
	for _, c := range []byte(stops) {
		s.stop[c] = true
	}
	return s
}

// Next returns the next token. The error is io.EOF at the end of the file, or that of
// reading.
func (s *Scanner) Next() (*Token, error) {
	for {
		if s.at >= len(s.text) {
			if s.end {
				return s.finish()
			}
			if err := s.read(); err != nil {
				return nil, err
			}
			continue
		}
		if s.comment {
			if tok := s.inComment(); tok != nil {
				return tok, nil
			}
			continue
		}
		c := s.text[s.at]
		if s.at == 0 {
			switch {
			case c == '%':
				s.at = len(s.text)
				continue
			case c == '[' && s.depth > 0:
				return s.unclosed(ErrVariation), nil
			}
		}
		if c <= ' ' { // a blank, or a control character that is none the better
			s.at++
			continue
		}
		switch c {
		case ')', '}', ']':
			if c == ')' && s.depth > 0 {
				s.depth--
			}
			s.at++
		case '{':
			s.comment, s.opened = true, [2]int{s.line, s.at + 1}
			s.at++
		case ';':
			s.at = len(s.text)
		case '(':
			if s.depth == 0 {
				s.opened = [2]int{s.line, s.at + 1}
			}
			s.depth++
			s.at++
		case '[':
			if tok := s.tag(); tok != nil {
				return tok, nil
			}
		default:
			if s.moved && s.SkipMoves && s.depth == 0 {
				s.pass()
				if s.at == len(s.text) || isEnd(s.text[s.at]) {
					continue
				}
			}
			if tok := s.word(); tok != nil {
				return tok, nil
			}
		}
	}
}

// read takes the next line.
func (s *Scanner) read() error {
	blank := len(s.text) <= 2 && len(bytes.TrimSpace(s.text)) == 0
	s.gap = s.gap || blank && s.line > 0
	s.blank = blank
	text, err := s.lines.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	s.text, s.at, s.end, s.line = text, 0, err != nil, s.lines.Number
	return nil
}

// begin returns a new token that begins here.
func (s *Scanner) begin(k Kind, at int) *Token {
	s.token = Token{Kind: k, Line: s.line, Column: at + 1, Gap: s.gap}
	s.gap, s.moved = false, k == Move
	return &s.token
}

// unclosed returns the token of a comment or a variation that has no end.
func (s *Scanner) unclosed(err error) *Token {
	t := s.begin(Bad, 0)
	t.Line, t.Column = s.opened[0], s.opened[1]
	t.Err = err
	s.gap = true // whoever reads on begins anew
	s.comment, s.depth = false, 0
	return t
}

func (s *Scanner) finish() (*Token, error) {
	switch {
	case s.comment:
		return s.unclosed(ErrComment), nil
	case s.depth > 0:
		return s.unclosed(ErrVariation), nil
	}
	return nil, io.EOF
}

// inComment skips the rest of a comment, or of the line.
func (s *Scanner) inComment() *Token {
	if s.at == 0 && s.blank && bytes.HasPrefix(s.text, []byte(`[Event "`)) {
		return s.unclosed(ErrComment)
	}
	end := bytes.IndexByte(s.text[s.at:], '}')
	if end < 0 {
		s.at = len(s.text)
		return nil
	}
	s.comment = false
	s.at += end + 1
	return nil
}

// tag reads [Name "value"]. Anything else is Bad, and the rest of the line is skipped,
// except within the moves, where other programs write brackets.
func (s *Scanner) tag() *Token {
	text, from := s.text, s.at
	name, value, end, at := splitTag(text, from)
	if end == 0 {
		if len(bytes.TrimSpace(text[:from])) > 0 && text[from-1] != ']' && s.moved {
			s.at++
			return nil
		}
		s.at = len(text)
		t := s.begin(Bad, from)
		t.Column = at + 1
		t.Err = ErrTag
		return t
	}
	if s.depth > 0 { // in the middle of a line of a variation
		s.at = end
		return nil
	}
	s.at = end
	t := s.begin(Tag, from)
	t.Name, t.Value, t.ValueColumn = name, value, at+1
	return t
}

// splitTag splits a tag at text[from]. end is the index after it and at that of its
// value; if it is not a tag, end is 0 and at the index of the failure.
func splitTag(text []byte, from int) (name, value []byte, end, at int) {
	i := from + 1
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	start := i
	for i < len(text) && (text[i] == '_' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] >= '0' && text[i] <= '9') {
		i++
	}
	name = text[start:i]
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if len(name) == 0 || i >= len(text) || text[i] != '"' {
		return nil, nil, 0, i
	}
	i++
	start = i
	for i < len(text) && text[i] != '"' {
		if text[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(text) {
		return nil, nil, 0, from
	}
	at, value = start, text[start:i]
	i++
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i >= len(text) || text[i] != ']' {
		return nil, nil, 0, i
	}
	return name, value, i + 1, at
}

// word reads a word of the moves.
func (s *Scanner) word() *Token {
	text, from := s.text, s.at
	to := from + 1
	for to < len(text) && !isEnd(text[to]) {
		to++
	}
	s.at = to
	word := text[from:to]
	switch {
	case s.depth > 0 || word[0] == '$':
		return nil
	case isResult(word):
		t := s.begin(Result, from)
		t.Value = word
		return t
	case s.SkipMoves && s.moved:
		return nil
	}
	if word = cutNumber(word); len(word) == 0 {
		return nil
	}
	t := s.begin(Move, from)
	t.Value = word
	return t
}

// stops holds the characters at which pass stops: those that may begin something else
// than a move, and those that occur in results.
const stops = "{}();[]-*/\xc2" // the last one begins ½

// pass skips words and blanks up to the next of stops: most of a file is moves.
func (s *Scanner) pass() {
	text := s.text
	for at := s.at; ; at++ {
		for at < len(text) && !s.stop[text[at]] {
			at++
		}
		if at == len(text) {
			s.at = at
			return
		}
		from := at
		if !isEnd(text[at]) {
			for from > s.at && !isEnd(text[from-1]) {
				from--
			}
			to := at
			for to < len(text) && !isEnd(text[to]) {
				to++
			}
			if !isResult(text[from:to]) {
				at = to - 1
				continue
			}
		}
		s.at = from
		return
	}
}

// isEnd reports whether a character ends a word of the moves: a blank, a bracket or a
// semicolon. It tests for letters and digits first, the most frequent.
func isEnd(c byte) bool {
	switch {
	case c > ']':
		return c == '{' || c == '}'
	case c > ')' && c < ';':
		return false
	}
	return c <= ' ' || c == '(' || c == ')' || c == ';' || c == '[' || c == ']'
}

// isResult reports whether a word ends the moves of a game.
func isResult(word []byte) bool {
	switch len(word) {
	case 1:
		return word[0] == '*'
	case 3:
		return string(word) == "1-0" || string(word) == "0-1" || string(word) == "1/2"
	case 5:
		return string(word) == "½-½"
	case 7:
		return string(word) == "1/2-1/2"
	}
	return false
}

// cutNumber cuts the number of a move off: "1.", "2...", "3.e4".
func cutNumber(word []byte) []byte {
	digits := 0
	for digits < len(word) && word[digits] >= '0' && word[digits] <= '9' {
		digits++
	}
	rest := word[digits:]
	if digits == 0 || len(rest) == 0 || rest[0] != '.' {
		return word
	}
	return bytes.TrimLeft(rest, ".")
}

// Text returns the unescaped value of a tag.
func Text(value []byte) string {
	said := string(value)
	if bytes.IndexByte(value, '\\') >= 0 {
		said = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(said)
	}
	return text.UTF8(said)
}
