package openings

import (
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
)

// pgn reads a PGN book: tags and main lines; comments, variations, annotations
// and results are passed over.
func (b *book) pgn(text string) {
	s := &scanner{text: text, line: 1}
	for {
		tags, line := map[string]string{}, 0
		for s.skip() && s.peek() == '[' {
			if line == 0 {
				line = s.line
			}
			name, value := s.tag()
			tags[name] = value
		}
		list, end := s.movetext()
		if line == 0 && len(list) == 0 && end {
			return
		}
		if line == 0 {
			line = s.line
		}
		o := arena.Opening{Position: tags["FEN"], Moves: list, Name: tags["Opening"]}
		switch {
		case o.Name == "":
			o.Name = tags["ECO"]
		case tags["Variation"] != "":
			o.Name += ", " + tags["Variation"]
		}
		var err error
		if s.err != nil {
			err, s.err = s.err, nil
		}
		b.add(line, o, err)
		if end {
			return
		}
	}
}

// A scanner walks through PGN text.
type scanner struct {
	text string
	pos  int
	line int
	err  error
}

func (s *scanner) peek() byte { return s.text[s.pos] }

func (s *scanner) step() byte {
	c := s.text[s.pos]
	s.pos++
	if c == '\n' {
		s.line++
	}
	return c
}

func (s *scanner) more() bool { return s.pos < len(s.text) }

// skip passes blanks, and lines that begin with %, which PGN reserves; false at
// the end of the text.
func (s *scanner) skip() bool {
	for s.more() {
		switch c := s.peek(); {
		case c == '%' && (s.pos == 0 || s.text[s.pos-1] == '\n'):
			s.until('\n')
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			s.step()
		default:
			return true
		}
	}
	return false
}

// until passes everything up to and including c.
func (s *scanner) until(c byte) (found bool) {
	for s.more() {
		if s.step() == c {
			return true
		}
	}
	return false
}

// tag reads [Name "value"].
func (s *scanner) tag() (name, value string) {
	from := s.pos + 1
	quoted := false
	for s.step(); s.more(); {
		switch c := s.step(); {
		case c == '\\' && quoted && s.more():
			s.step()
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			name, value, _ = strings.Cut(strings.TrimSpace(s.text[from:s.pos-1]), " ")
			value = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(value), `"`), `"`)
			return name, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value)
		case c == '\n' && !quoted:
			s.err = fmt.Errorf("a tag is not closed by ]")
			return "", ""
		}
	}
	s.err = fmt.Errorf("a tag is not closed by ]")
	return "", ""
}

// movetext reads moves up to a result, the next tag or the end of the text.
func (s *scanner) movetext() (list []string, end bool) {
	results := []string{"1-0", "0-1", "1/2-1/2", "*"}
	depth := 0 // of variations
	for s.skip() {
		switch c := s.peek(); c {
		case '[':
			if depth == 0 {
				return list, false
			}
			s.step()
		case '{':
			if !s.until('}') {
				s.err = fmt.Errorf("a comment is not closed by }")
			}
		case ';':
			s.until('\n')
		case '(':
			depth++
			s.step()
		case ')':
			depth = max(0, depth-1)
			s.step()
		default:
			from := s.pos
			for s.more() && !strings.ContainsRune(" \t\r\n{}();[", rune(s.peek())) {
				s.step()
			}
			if s.pos == from {
				s.step() // a stray closing brace
				continue
			}
			word := s.text[from:s.pos]
			switch {
			case depth > 0 || word[0] == '$':
			case slices.Contains(results, word):
				return list, !s.skip()
			default:
				for _, m := range moves([]string{word}) {
					if m = strings.TrimRight(m, "!?"); m != "" {
						list = append(list, m)
					}
				}
			}
		}
	}
	return list, true
}
