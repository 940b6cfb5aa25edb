package protocol

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
)

// An XBoardKind is the kind of a line from an engine that speaks xboard.
type XBoardKind uint8

// The kinds of lines from such engines. A line of any other kind is XBoardChatter.
const (
	XBoardChatter  XBoardKind = iota
	XBoardFeature             // feature NAME=VALUE ...
	XBoardMove                // move M, or the forms of protocol 1
	XBoardPong                // pong N
	XBoardThinking            // PLY SCORE TIME NODES PV
	XBoardResign              // resign
	XBoardOffer               // offer draw
	XBoardClaim               // 1-0 {WHY} and the like
	XBoardRefusal             // Illegal move [(WHY)]: M and Error (WHY): COMMAND
)

// An XBoardMessage is a line from an engine that speaks xboard. Byte slices alias
// the line.
type XBoardMessage struct {
	Kind     XBoardKind
	Features []Feature // of XBoardFeature
	Move     []byte    // of XBoardMove
	Form     XBoardForm
	Number   int64  // of XBoardPong
	Result   string // of XBoardClaim: 1-0, 0-1 or 1/2-1/2
	Text     []byte // of XBoardClaim: the comment; of XBoardRefusal: what is refused
	Illegal  bool   // of XBoardRefusal: as a move
	Info     Info   // of XBoardThinking
}

// An XBoardForm is the notation of an engine's move.
type XBoardForm uint8

// The forms. A Numbered one is of version 1; engines of version 2 may say so that
// they have read the opponent's move. A Spoken one may follow another form.
const (
	Plain    XBoardForm = iota // move M
	Numbered                   // 12. ... M
	Spoken                     // My move is : M
)

// A Feature is one feature that an engine declares.
type Feature struct{ Name, Value string }

// ParseXBoard reads a line from an engine that speaks xboard, its newline taken
// off. The error is a *ParseError: bytes that no line may contain, or a move
// without a move. Text in old encodings is no error.
func ParseXBoard(line []byte) (XBoardMessage, error) {
	var m XBoardMessage
	if err := checkBytes(line, true); err != nil {
		return m, err
	}
	s := scanner{line: line}
	// A prompt without a newline stands before the first line of some engines.
	if i := bytes.LastIndex(line, []byte(" : feature ")); i >= 0 {
		s.next = i + len(" : ")
	}
	word := s.word()
	switch string(word) {
	case "feature":
		m.Kind, m.Features = XBoardFeature, parseFeatures(s.rest())
	case "move":
		m.Kind, m.Move = XBoardMove, s.word()
		if len(m.Move) == 0 {
			s.fail(`no move after "move"`)
		}
	case "pong":
		m.Kind = XBoardPong
		m.Number, _ = s.number("pong")
	case ResignMove:
		m.Kind = XBoardResign
	case "tellics": // for a chess server, which this is not, but for one word
		if string(s.rest()) == ResignMove {
			m.Kind = XBoardResign
		}
	case "offer":
		if string(s.word()) == "draw" {
			m.Kind = XBoardOffer
		}
	case "1-0", "0-1", "1/2-1/2":
		m.Kind, m.Result = XBoardClaim, string(word)
		m.Text = bytes.Trim(s.rest(), "{} ")
	case "Illegal", "Error", "Invalid":
		m.parseRefusal(line)
	case "My", "my":
		m.parseOldMove(&s)
	default:
		m.parseDigits(&s, word)
	}
	if s.err != nil {
		return m, s.err
	}
	return m, nil
}

// parseRefusal reads "Illegal move: M", "Illegal move (WHY): M", "Error (WHY): C".
func (m *XBoardMessage) parseRefusal(line []byte) {
	i := bytes.LastIndex(line, []byte(": "))
	if i < 0 {
		return
	}
	m.Kind, m.Text = XBoardRefusal, trim(line[i+2:])
	m.Illegal = !bytes.HasPrefix(trim(line), []byte("Error"))
}

// parseOldMove reads "My move is : M" and "My move is: M".
func (m *XBoardMessage) parseOldMove(s *scanner) {
	if string(s.word()) != "move" || !bytes.HasPrefix(s.word(), []byte("is")) {
		return
	}
	w := s.word()
	if string(w) == ":" {
		w = s.word()
	}
	if len(w) > 0 {
		m.Kind, m.Move, m.Form = XBoardMove, w, Spoken
	}
}

// parseDigits reads thinking output, and the move of protocol 1: "12. ... M".
func (m *XBoardMessage) parseDigits(s *scanner, word []byte) {
	if len(word) == 0 || word[0] < '0' || word[0] > '9' {
		return
	}
	if bytes.HasSuffix(word, []byte(".")) {
		if string(s.word()) == "..." {
			if w := s.word(); len(w) > 0 {
				m.Kind, m.Move, m.Form = XBoardMove, w, Numbered
			}
			return
		}
		s.back()
	}
	depth, ok := parseInt(bytes.TrimRight(word, ".&+-*?!"))
	if !ok {
		return
	}
	var numbers [3]int64 // score, time, nodes
	for i := range numbers {
		if numbers[i], ok = parseInt(s.word()); !ok {
			return
		}
	}
	m.Kind = XBoardThinking
	i := &m.Info
	i.Has = HasDepth | HasScore | HasTime | HasNodes
	i.Depth, i.Nodes = depth, max(numbers[2], 0)
	i.Time = min(max(numbers[1], 0), math.MaxInt64/10) * 10
	i.Score = xboardScore(numbers[0])
	if i.PV = s.rest(); bytes.IndexByte(i.PV, '\t') >= 0 { // more numbers, then a tab
		i.PV = trim(i.PV[bytes.LastIndexByte(i.PV, '\t')+1:])
	}
}

// xboardMate is the offset added to the number of moves to mate.
const xboardMate = 100_000

func xboardScore(n int64) Score {
	switch {
	case n > xboardMate:
		return Score{Value: n - xboardMate, Mate: true}
	case n < -xboardMate:
		return Score{Value: n + xboardMate, Mate: true}
	}
	return Score{Value: n}
}

// parseFeatures reads NAME=VALUE pairs; a value with blanks is in quotes.
func parseFeatures(text []byte) []Feature {
	var list []Feature
	rest := strings.ToValidUTF8(string(text), "?")
	for {
		rest = strings.TrimLeft(rest, " \t,")
		name, after, ok := strings.Cut(rest, "=")
		if !ok {
			return list
		}
		if i := strings.LastIndexAny(name, " \t"); i >= 0 {
			name = name[i+1:] // a word without a value
		}
		var value string
		if after != "" && (after[0] == '"' || after[0] == '\'') {
			value, rest, _ = strings.Cut(after[1:], after[:1])
		} else {
			value, rest, _ = strings.Cut(after, " ")
		}
		list = append(list, Feature{Name: name, Value: value})
	}
}

// ParseXBoardOption reads the value of feature option: NAME -TYPE [VALUES]. Types
// that only differ in how a window shows them are one: a file or a path is a
// String, a slider a Spin, save and reset are Buttons.
func ParseXBoardOption(text string) (Option, error) {
	fail := func(why string) (Option, error) {
		return Option{}, &ParseError{Line: clip([]byte(text)), Why: why}
	}
	i := strings.LastIndex(text, " -")
	for i >= 0 && !isXBoardType(text[i+2:]) { // a default may contain " -"
		i = strings.LastIndex(text[:i], " -")
	}
	if i < 0 {
		return fail("no type (-check, -spin, ...) in a feature option")
	}
	o := Option{Name: strings.TrimSpace(text[:i]), Min: math.MinInt64, Max: math.MaxInt64}
	if o.Name == "" || strings.Contains(o.Name, "=") {
		return fail("the option has no name, or one with =")
	}
	kind, values, _ := strings.Cut(text[i+2:], " ")
	values = strings.TrimSpace(values)
	switch kind {
	case "check":
		o.Type, o.Default = Check, "false"
		if values == "1" {
			o.Default = "true"
		}
	case "spin", "slider":
		o.Type = Spin
		words := strings.Fields(values)
		to := []*int64{nil, &o.Min, &o.Max}
		for k, w := range words[:min(len(words), len(to))] {
			n, ok := parseInt([]byte(w))
			switch {
			case !ok:
				return fail("not an integer: " + w)
			case k == 0:
				o.Default = strconv.FormatInt(n, 10)
			default:
				*to[k] = n
			}
		}
	case "combo":
		o.Type = Combo
		for v := range strings.SplitSeq(values, "///") {
			v = strings.TrimSpace(v)
			if name, ok := strings.CutPrefix(v, "*"); ok {
				v, o.Default = name, name
			}
			o.Vars = append(o.Vars, v)
		}
	case "button", "save", "reset":
		o.Type = Button
	default:
		o.Type, o.Default = String, values
	}
	return o, nil
}

func isXBoardType(text string) bool {
	kind, _, _ := strings.Cut(text, " ")
	switch kind {
	case "check", "spin", "slider", "combo", "button", "save", "reset", "string", "file", "path":
		return true
	}
	return false
}

// AppendXBoard appends a command and its arguments as one line.
func AppendXBoard(dst []byte, command string, arguments ...string) []byte {
	dst = append(dst, command...)
	for _, a := range arguments {
		dst = appendText(append(dst, ' '), a)
	}
	return append(dst, '\n')
}

// AppendXBoardOption appends the line that sets a feature option.
func AppendXBoardOption(dst []byte, t OptionType, name, value string) []byte {
	dst = appendText(append(dst, "option "...), name)
	if t != Button {
		switch {
		case t == Check && value == "true":
			value = "1"
		case t == Check:
			value = "0"
		}
		dst = appendText(append(dst, '='), value)
	}
	return append(dst, '\n')
}

// AppendXBoardLevel appends level: the number of moves (0: the whole game) in base, and
// the increment. Base is in whole seconds, rounded down, at least 1.
func AppendXBoardLevel(dst []byte, moves int64, base, increment time.Duration) []byte {
	dst = strconv.AppendInt(append(dst, "level "...), moves, 10)
	seconds := max(int64(base/time.Second), 1)
	dst = strconv.AppendInt(append(dst, ' '), seconds/60, 10)
	if s := seconds % 60; s > 0 {
		dst = append(dst, ':', byte('0'+s/10), byte('0'+s%10))
	}
	dst = append(dst, ' ')
	dst = strconv.AppendFloat(dst, float64(increment.Milliseconds())/1000, 'f', -1, 64)
	return append(dst, '\n')
}

// AppendXBoardTimes appends time and otim: the times left of the engine and its
// opponent, in hundredths of a second rounded down, at least 1.
func AppendXBoardTimes(dst []byte, own, other time.Duration) []byte {
	const unit = 10 * time.Millisecond
	dst = strconv.AppendInt(append(dst, "time "...), max(int64(own/unit), 1), 10)
	dst = strconv.AppendInt(append(dst, "\notim "...), max(int64(other/unit), 1), 10)
	return append(dst, '\n')
}
