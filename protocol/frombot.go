package protocol

import (
	"bytes"
	"strconv"
)

// A BotKind is the kind of a line from a bot.
type BotKind uint8

// The kinds of lines from bots. A line of any other kind is Chatter.
const (
	Chatter BotKind = iota
	ID
	OptionLine
	OK // ugiok or uciok
	ReadyOK
	InfoLine
	BestMove // also a resignation
	Response // to a query
)

// A BotMessage is a line from a bot. Byte slices alias the line.
type BotMessage struct {
	Kind    BotKind
	Dialect Dialect // of OK

	Field string // of ID: "name" or "author"
	Text  []byte // of ID: the value, maybe not UTF-8; of Response: see ResponseText; of Chatter: the line

	Option *Option // of OptionLine

	Move   []byte // of BestMove; empty for a resignation
	Ponder []byte // of BestMove; empty without one
	Resign bool   // of BestMove: resign or (none)

	Info Info // of InfoLine
}

// InfoFields is the set of facts on an info line.
type InfoFields uint16

// The facts of an info line that are numbers or scores.
const (
	HasDepth InfoFields = 1 << iota
	HasSelDepth
	HasTime
	HasNodes
	HasNPS
	HasMultiPV
	HasHashFull
	HasCurrMoveNumber
	HasScore
)

// An Info holds the facts of an info line. Has marks which numbers were given.
type Info struct {
	Has            InfoFields
	Depth          int64 // plies
	SelDepth       int64
	Time           int64 // milliseconds
	Nodes          int64
	NPS            int64
	MultiPV        int64
	HashFull       int64 // thousandths
	CurrMoveNumber int64
	Score          Score
	CurrMove       []byte
	PV             []byte // moves, see Words
	String         []byte // text for people, maybe not UTF-8
}

// A Score is a bot's evaluation of a position.
type Score struct {
	Value int64 // centipawns, or moves to mate
	Mate  bool  // Value counts the mover's moves until it wins, negative until it loses
	Bound Bound
}

// A Bound tells whether a score is exact or a bound.
type Bound uint8

// The bounds.
const (
	Exact Bound = iota
	LowerBound
	UpperBound
)

// Classify returns the kind of a line from a bot by its first word, and checks its
// bytes, without parsing the rest: the error is a *ParseError for bytes that no line
// may contain.
func Classify(line []byte) (BotKind, error) {
	s := scanner{line: line}
	kind, _ := botKind(s.word())
	if err := checkBytes(line, kind.freeText()); err != nil {
		return kind, err
	}
	return kind, nil
}

// freeText reports whether old programs write such lines in other encodings.
func (k BotKind) freeText() bool { return k == InfoLine || k == ID }

func botKind(word []byte) (BotKind, Dialect) {
	switch string(word) {
	case "info":
		return InfoLine, UGI
	case "bestmove", ResignMove:
		return BestMove, UGI
	case "readyok":
		return ReadyOK, UGI
	case "response":
		return Response, UGI
	case "id":
		return ID, UGI
	case "option":
		return OptionLine, UGI
	case "ugiok":
		return OK, UGI
	case "uciok":
		return OK, UCI
	}
	return Chatter, UGI
}

// ParseFromBot reads a line from a bot, its newline taken off. The error is a
// *ParseError; the message has the right Kind even then, and the facts of an
// info line that could be read.
//
// It allocates for option lines and errors only.
func ParseFromBot(line []byte) (BotMessage, error) {
	var m BotMessage
	s := scanner{line: line}
	word := s.word()
	m.Kind, m.Dialect = botKind(word)
	if err := checkBytes(line, m.Kind.freeText()); err != nil {
		return m, err
	}
	switch m.Kind {
	case InfoLine:
		m.Info.parse(&s)
	case BestMove:
		m.parseBestMove(&s, string(word) == ResignMove)
	case ID:
		switch string(s.word()) {
		case "name":
			m.Field, m.Text = "name", s.rest()
		case "author":
			m.Field, m.Text = "author", s.rest()
		default:
			m.Kind, m.Text = Chatter, line
		}
	case OptionLine:
		m.Option = parseOption(&s)
	case Response:
		m.Text = ResponseText(line)
	case Chatter:
		m.Text = line
	}
	if s.err != nil {
		return m, s.err
	}
	return m, nil
}

func (m *BotMessage) parseBestMove(s *scanner, resigned bool) {
	if resigned {
		m.Resign = true
		return
	}
	move := s.word()
	switch string(move) {
	case "":
		s.fail(`no move after "bestmove"`)
		return
	case NoMove, ResignMove:
		m.Resign = true
		return
	}
	m.Move = move
	if string(s.word()) == "ponder" {
		if ponder := s.word(); len(ponder) > 0 {
			m.Ponder = ponder
		}
	}
}

// numbers lists the facts that are numbers and cannot be negative, in the order in which
// they are written.
func (i *Info) numbers() [8]number {
	return [...]number{
		{HasDepth, "depth", &i.Depth},
		{HasSelDepth, "seldepth", &i.SelDepth},
		{HasMultiPV, "multipv", &i.MultiPV},
		{HasTime, "time", &i.Time},
		{HasNodes, "nodes", &i.Nodes},
		{HasNPS, "nps", &i.NPS},
		{HasHashFull, "hashfull", &i.HashFull},
		{HasCurrMoveNumber, "currmovenumber", &i.CurrMoveNumber},
	}
}

type number struct {
	has   InfoFields
	word  string
	value *int64
}

func (i *Info) parse(s *scanner) {
	numbers := i.numbers()
	for w := s.word(); len(w) > 0; w = s.word() {
		switch string(w) {
		case "currmove":
			i.CurrMove = s.word()
		case "score":
			i.parseScore(s)
		case "pv":
			i.PV = s.until(infoWord)
		case "string":
			i.String = s.rest()
		default:
			for _, f := range numbers {
				if f.word != string(w) {
					continue
				}
				if n, ok := s.count(f.word); ok {
					*f.value = n
					i.Has |= f.has
				}
			}
		}
	}
}

func (i *Info) parseScore(s *scanner) {
	for w := s.word(); len(w) > 0; w = s.word() {
		switch string(w) {
		case "cp", "mate":
			what := "cp"
			if w[0] == 'm' {
				what = "mate"
			}
			if n, ok := s.number(what); ok {
				i.Score.Value, i.Score.Mate = n, what == "mate"
				i.Has |= HasScore
			}
		case "lowerbound":
			i.Score.Bound = LowerBound
		case "upperbound":
			i.Score.Bound = UpperBound
		default:
			s.back()
			if i.Has&HasScore == 0 {
				s.fail(`neither "cp" nor "mate" after "score"`)
			}
			return
		}
	}
	if i.Has&HasScore == 0 {
		s.fail(`neither "cp" nor "mate" after "score"`)
	}
}

// infoWord reports whether a word begins a fact, and so ends a pv.
func infoWord(w []byte) bool {
	switch string(w) {
	case "depth", "seldepth", "time", "nodes", "nps", "multipv", "hashfull", "currmovenumber",
		"currmove", "score", "pv", "string", "tbhits", "cpuload", "wdl", "refutation", "currline":
		return true
	}
	return false
}

// ResponseText returns the answer of a response line: what follows the word and
// one blank, without the blanks at the end. Those at its beginning stay, since a
// row of a board may begin with some.
func ResponseText(line []byte) []byte {
	text := bytes.TrimRight(bytes.TrimPrefix(bytes.TrimLeft(line, " \t"), []byte("response")), " \t\r\n")
	if len(text) > 0 {
		text = text[1:]
	}
	return text
}

// AppendResponse appends the answer to a query.
func AppendResponse[T string | []byte](dst []byte, answer T) []byte {
	dst = append(dst, "response"...)
	if len(answer) > 0 {
		dst = appendText(append(dst, ' '), answer)
	}
	return append(dst, '\n')
}

// AppendID appends an id line; field is "name" or "author".
func AppendID(dst []byte, field, text string) []byte {
	dst = append(dst, "id "...)
	dst = append(dst, field...)
	dst = append(dst, ' ')
	return append(appendText(dst, text), '\n')
}

// AppendOK appends the line that ends the bot's declarations.
func AppendOK(dst []byte, d Dialect) []byte { return append(append(dst, d.ok()...), '\n') }

// AppendReadyOK appends the answer to isready.
func AppendReadyOK(dst []byte) []byte { return append(dst, "readyok\n"...) }

// AppendBestMove appends the answer to go. Without a move it resigns with
// "(none)"; without a ponder move that part is left out.
func AppendBestMove(dst []byte, move, ponder string) []byte {
	dst = append(dst, "bestmove "...)
	if move == "" {
		return append(dst, NoMove+"\n"...)
	}
	dst = appendText(dst, move)
	if ponder != "" {
		dst = append(dst, " ponder "...)
		dst = appendText(dst, ponder)
	}
	return append(dst, '\n')
}

// AppendInfo appends an info line with the facts that Has names and the texts
// that are not empty.
func AppendInfo(dst []byte, i Info) []byte {
	dst = append(dst, "info"...)
	for _, n := range i.numbers() {
		if i.Has&n.has != 0 {
			dst = strconv.AppendInt(append(append(append(dst, ' '), n.word...), ' '), *n.value, 10)
		}
	}
	if i.Has&HasScore != 0 {
		if i.Score.Mate {
			dst = append(dst, " score mate "...)
		} else {
			dst = append(dst, " score cp "...)
		}
		dst = strconv.AppendInt(dst, i.Score.Value, 10)
		switch i.Score.Bound {
		case LowerBound:
			dst = append(dst, " lowerbound"...)
		case UpperBound:
			dst = append(dst, " upperbound"...)
		}
	}
	for _, t := range [...]struct {
		word string
		text []byte
	}{{" currmove ", i.CurrMove}, {" pv ", i.PV}, {" string ", i.String}} {
		if len(t.text) > 0 {
			dst = appendText(append(dst, t.word...), t.text)
		}
	}
	return append(dst, '\n')
}
