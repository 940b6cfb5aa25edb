package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"botarena/arena/text"
)

// object is what rating needs of a line of JSON Lines.
type object struct {
	name, color [2][]byte // first and second; white and black
	fingerprint [2][]byte
	event       []byte
	result      []byte // empty if there is none
	pair        []byte
}

func (s *sink) jsonl(in *bufio.Reader) error {
	known := map[string]int32{} // players by name and fingerprint
	var key []byte
	return lines(in, func(number int, _ int64, line []byte) error {
		if !utf8.Valid(line) {
			return s.fail(number, 1, "not UTF-8")
		}
		o, err := s.object(number, line)
		if err != nil {
			return err
		}
		var who [2]int32
		for side, words := range [2][2]string{{"first", "white"}, {"second", "black"}} {
			name, err := either(o.name[side], o.color[side], words[0], words[1])
			if err != nil {
				return s.fail(number, 1, "%w", err)
			}
			key = append(append(append(key[:0], name...), 0), o.fingerprint[side]...)
			var ok bool
			if who[side], ok = known[string(key)]; !ok {
				who[side] = s.reader.players.of(player{name: string(name), fingerprint: string(o.fingerprint[side])})
				known[string(key)] = who[side]
			}
		}
		if len(o.result) == 0 {
			return s.fail(number, 1, "no member %q", "result")
		}
		score, played, err := result(string(o.result), true)
		switch {
		case err != nil:
			return s.fail(number, 1, "%w", err)
		case !played:
			s.reader.Unfinished++
		case s.reader.Pairs && len(o.pair) > 0:
			s.addTo(fmt.Sprintf("%s\x00%s", o.event, o.pair), who[0], who[1], score)
		default:
			s.add(who[0], who[1], score)
		}
		return nil
	})
}

// object reads a line.
func (s *sink) object(number int, line []byte) (o object, err error) {
	ok := members(line, func(key, value []byte) {
		var lower [len("second_fingerprint")]byte
		if len(key) > len(lower) {
			return
		}
		for i, c := range key {
			if lower[i] = c; c >= 'A' && c <= 'Z' {
				lower[i] = c | 0x20
			}
		}
		var into *[]byte
		kind := "text"
		switch string(lower[:len(key)]) {
		case "result":
			into, kind = &o.result, "a result"
		case "pair":
			into, kind = &o.pair, "text or a number"
		case "first":
			into = &o.name[0]
		case "second":
			into = &o.name[1]
		case "white":
			into = &o.color[0]
		case "black":
			into = &o.color[1]
		case "event":
			into = &o.event
		case "first_fingerprint":
			into = &o.fingerprint[0]
		case "second_fingerprint":
			into = &o.fingerprint[1]
		default:
			return
		}
		switch {
		case value[0] == '"':
			said, good := unquote(value)
			if *into = said; !good && err == nil {
				err = s.fail(number, 1, "%s is %s: want %s", key, text.Line(string(value), 60), kind)
			}
		case string(value) == "null":
			*into = nil
		case kind != "text" && value[0] != '{' && value[0] != '[':
			*into = value
		case err == nil:
			err = s.fail(number, 1, "%s is %s: want %s", key, text.Line(string(value), 60), kind)
		}
	})
	if ok || err != nil {
		return o, err
	}
	column, why := 1, errors.New("it is none")
	var value any
	if err := json.Unmarshal(line, &value); err != nil {
		why = err
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			column = max(1, int(syntax.Offset))
		}
	}
	return o, s.fail(number, column, "not an object with first, second and result: %w", why)
}

// members calls each for the members of a JSON object, with the text of the value
// as it is written. It reports whether the line is one object as far as it looked:
// of arrays and objects within it, it sees only where they end. A record is
// mostly moves, and reading them all would take most of the time.
func members(line []byte, each func(key, value []byte)) bool {
	at := blanks(line, 0)
	if at == len(line) || line[at] != '{' {
		return false
	}
	at = blanks(line, at+1)
	if at < len(line) && line[at] == '}' {
		return blanks(line, at+1) == len(line)
	}
	for {
		end := pastString(line, at)
		if end < 0 {
			return false
		}
		key := line[at+1 : end-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			said, ok := unquote(line[at:end])
			if !ok {
				return false
			}
			key = said
		}
		if at = blanks(line, end); at == len(line) || line[at] != ':' {
			return false
		}
		at = blanks(line, at+1)
		if end = pastValue(line, at); end < 0 {
			return false
		}
		each(key, line[at:end])
		if at = blanks(line, end); at == len(line) {
			return false
		}
		switch line[at] {
		case ',':
			at = blanks(line, at+1)
		case '}':
			return blanks(line, at+1) == len(line)
		default:
			return false
		}
	}
}

// blanks returns where the blanks at a place end.
func blanks(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r' || line[at] == '\n') {
		at++
	}
	return at
}

// pastString returns where the string that begins at a place ends, -1 where none
// begins or it has no end.
func pastString(line []byte, at int) int {
	if at >= len(line) || line[at] != '"' {
		return -1
	}
	for at++; ; {
		quote := bytes.IndexByte(line[at:], '"')
		if quote < 0 {
			return -1
		}
		at += quote + 1
		escapes := 0
		for line[at-2-escapes] == '\\' { // ends at the opening quote at the latest
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
}

// pastValue returns where the value that begins at a place ends, -1 if it is none.
func pastValue(line []byte, at int) int {
	if at >= len(line) {
		return -1
	}
	switch line[at] {
	case '"':
		return pastString(line, at)
	case '{', '[':
		return pastNested(line, at)
	}
	end := at
	for end < len(line) && strings.IndexByte(",}] \t\r\n", line[end]) < 0 {
		end++
	}
	for _, c := range line[at:end] {
		if c < '0' || c > '9' { // not the usual
			if !json.Valid(line[at:end]) {
				return -1
			}
			break
		}
	}
	if end == at || line[at] == '0' && end > at+1 && !json.Valid(line[at:end]) {
		return -1
	}
	return end
}

// pastNested returns where the array or object that begins at a place ends, -1 where
// it does not.
func pastNested(line []byte, at int) int {
	depth := 0
	for at < len(line) {
		c := line[at]
		at++
		switch c {
		case '"':
			for at < len(line) && line[at] != '"' {
				if line[at] == '\\' {
					at++
				}
				at++
			}
			at++
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return -1
}

// unquote returns what a string of JSON says.
func unquote(value []byte) (said []byte, ok bool) {
	plain := value[1 : len(value)-1]
	for _, c := range plain {
		if c == '\\' || c < ' ' {
			var text string
			err := json.Unmarshal(value, &text)
			return []byte(text), err == nil
		}
	}
	return plain, true
}

func either(a, b []byte, nameA, nameB string) ([]byte, error) {
	switch {
	case len(a) > 0 && len(b) > 0 && !bytes.Equal(a, b):
		return nil, fmt.Errorf("%s is %q and %s is %q: want one of them", nameA, text.Clip(string(a), 60), nameB, text.Clip(string(b), 60))
	case len(a) > 0:
		return a, nil
	case len(b) > 0:
		return b, nil
	}
	return nil, fmt.Errorf("no member %q (or %q) with a name", nameA, nameB)
}
