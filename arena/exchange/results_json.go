package exchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"botarena/arena/text"
)

func (s *sink) jsonl(in *bufio.Reader) error {
	var e entry
	return lines(in, func(number int, _ int64, line []byte) error {
		if !utf8.Valid(line) {
			return s.fail(number, 1, "not UTF-8")
		}
		e = entry{}
		column, err := e.parse(string(line))
		if err == nil {
			err = s.take(&e)
		}
		if err != nil {
			return s.fail(number, column, "%w", err)
		}
		return nil
	})
}

// parse reads a line of JSON. Along with an error it returns its column.
func (e *entry) parse(line string) (column int, err error) {
	ok := members(line, func(name, value string) {
		name = strings.ToLower(name)
		if to := e.field(name); to != nil && err == nil {
			err = e.set(name, value, to)
		}
	})
	switch {
	case err != nil:
		return 1, err
	case !ok:
		return notObject(line)
	}
	for side, name := range [2]string{`"first" (or "white")`, `"second" (or "black")`} {
		if e.who[side].name == "" {
			return 1, fmt.Errorf("no member %s with a name", name)
		}
	}
	if e.result == "" {
		return 1, errors.New(`no member "result"`)
	}
	return 1, nil
}

// set stores the value of a member.
func (e *entry) set(name, value string, to *string) error {
	said, want := value, "text or a number"
	isPlayer := to == &e.who[0].name || to == &e.who[1].name
	if isPlayer || to == &e.event {
		want = "text"
	}
	ok := false
	switch value[0] {
	case '"':
		said, ok = unquote(value)
	case '{', '[':
	default:
		if value == "null" {
			return nil
		}
		ok = want != "text"
	}
	if !ok {
		return fmt.Errorf("%s is %s: want %s", name, text.Line(value, 60), want)
	}
	if isPlayer && *to != "" && *to != said {
		return fmt.Errorf("%s is %q, and before it was %q: want one of them", name, text.Clip(said, 60), text.Clip(*to, 60))
	}
	*to = said
	return nil
}

// notObject returns the column and the error of a line that is not a JSON object.
func notObject(line string) (column int, err error) {
	var (
		value  any
		syntax *json.SyntaxError
	)
	why := json.Unmarshal([]byte(line), &value)
	if column = 1; errors.As(why, &syntax) {
		column = max(1, int(syntax.Offset))
	}
	if why == nil {
		why = errors.New("it is none")
	}
	return column, fmt.Errorf("not an object with first, second and result: %w", why)
}

// members calls each for the members of a JSON object, with the text of the value as
// written. It reports whether the line is one object, without validating the contents
// of nested arrays and objects. A record is mostly moves, and encoding/json takes
// twenty times as long to skip them.
func members(line string, each func(name, value string)) bool {
	s := jsonText{text: line}
	if !s.passes('{') {
		return false
	}
	if s.passes('}') {
		return s.ended()
	}
	for {
		name, ok := s.value()
		if !ok || name[0] != '"' || !s.passes(':') {
			return false
		}
		said, known := unquote(name)
		value, ok := s.value()
		if !ok || !known {
			return false
		}
		each(said, value)
		if !s.passes(',') {
			return s.passes('}') && s.ended()
		}
	}
}

// jsonText is a line of JSON up to a place.
type jsonText struct {
	text string
	at   int
}

// ended reports whether nothing but blanks follows.
func (s *jsonText) ended() bool {
	for s.at < len(s.text) && isBlank(s.text[s.at]) {
		s.at++
	}
	return s.at == len(s.text)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// passes skips blanks and c, and reports whether c was there.
func (s *jsonText) passes(c byte) bool {
	if s.ended() || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// value skips a value and returns it as written; ok is false if it is none.
func (s *jsonText) value() (value string, ok bool) {
	if s.ended() {
		return "", false
	}
	from := s.at
	switch s.text[from] {
	case '"':
		ok = s.passString()
	case '{', '[':
		ok = s.passNested()
	default:
		ok = s.passWord()
	}
	if !ok {
		return "", false
	}
	return s.text[from:s.at], true
}

// passWord skips the number or the word that begins here, and reports whether it is
// valid JSON.
func (s *jsonText) passWord() bool {
	from, digits := s.at, true
	for s.at < len(s.text) {
		c := s.text[s.at]
		if c == ',' || c == '}' || c == ']' || c == ':' || isBlank(c) {
			break
		}
		digits = digits && c >= '0' && c <= '9'
		s.at++
	}
	word := s.text[from:s.at]
	return digits && word != "" && word[0] != '0' || json.Valid([]byte(word))
}

// passNested skips the array or the object that begins here, and reports whether it has
// an end.
func (s *jsonText) passNested() bool {
	for depth := 0; s.at < len(s.text); {
		switch s.text[s.at] {
		case '"':
			if !s.passString() {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if s.at++; depth == 0 {
			return true
		}
	}
	return false
}

// passString skips the string that begins here, and reports whether it has an end.
func (s *jsonText) passString() bool {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return true
		}
	}
	return false
}

// unquote returns the text of a JSON string; ok is false if value is not one.
func unquote(value string) (said string, ok bool) {
	plain := value[1 : len(value)-1]
	for i := range len(plain) {
		if plain[i] == '\\' || plain[i] < ' ' {
			var decoded string
			err := json.Unmarshal([]byte(value), &decoded)
			return decoded, err == nil
		}
	}
	return plain, true
}
