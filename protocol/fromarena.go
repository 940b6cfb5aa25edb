package protocol

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// AppendHello appends the line that opens the conversation: ugi or uci.
func AppendHello(dst []byte, d Dialect) []byte { return append(append(dst, d.String()...), '\n') }

// AppendIsReady appends isready.
func AppendIsReady(dst []byte) []byte { return append(dst, "isready\n"...) }

// AppendNewGame appends uginewgame or ucinewgame.
func AppendNewGame(dst []byte, d Dialect) []byte { return append(append(dst, d.newGame()...), '\n') }

// AppendStop appends stop.
func AppendStop(dst []byte) []byte { return append(dst, "stop\n"...) }

// AppendPonderHit appends ponderhit.
func AppendPonderHit(dst []byte) []byte { return append(dst, "ponderhit\n"...) }

// AppendQuit appends quit.
func AppendQuit(dst []byte) []byte { return append(dst, "quit\n"...) }

// AppendSetOption appends a setoption line for an option of that type.
func AppendSetOption(dst []byte, t OptionType, name, value string) []byte {
	dst = append(dst, "setoption name "...)
	dst = appendText(dst, name)
	if t != Button {
		dst = append(dst, " value "...)
		dst = appendValue(dst, value)
	}
	return append(dst, '\n')
}

// A PositionLine is the position line of a game, which grows by a move at a
// time. Start it before use.
type PositionLine struct {
	text  []byte // without newline
	moves int
}

// Start resets the line to fen, or to the game's own start if that is "".
func (p *PositionLine) Start(fen string) {
	p.moves = 0
	if fen == "" {
		p.text = append(p.text[:0], "position startpos"...)
		return
	}
	p.text = append(append(p.text[:0], "position fen "...), fen...)
}

// Play adds a move.
func (p *PositionLine) Play(move string) {
	if p.moves == 0 {
		p.text = append(p.text, " moves"...)
	}
	p.moves++
	p.text = append(append(p.text, ' '), move...)
}

// Undo removes the last move. There must be one.
func (p *PositionLine) Undo() {
	p.moves--
	p.text = p.text[:bytes.LastIndexByte(p.text, ' ')]
	if p.moves == 0 {
		p.text = bytes.TrimSuffix(p.text, []byte(" moves"))
	}
}

// Copy returns an independent copy.
func (p *PositionLine) Copy() PositionLine { return PositionLine{bytes.Clone(p.text), p.moves} }

// Len returns the length of the line without its newline; it must not exceed MaxLine.
func (p *PositionLine) Len() int { return len(p.text) }

// AppendWith appends the line with one more move, which it does not keep.
func (p *PositionLine) AppendWith(dst []byte, move string) []byte {
	dst = append(dst, p.text...)
	if p.moves == 0 {
		dst = append(dst, " moves"...)
	}
	return append(append(append(dst, ' '), move...), '\n')
}

// AppendTo appends the line.
func (p *PositionLine) AppendTo(dst []byte) []byte { return append(append(dst, p.text...), '\n') }

// AppendQuery appends a query for a fact of the position; argument is "" except for
// [QueryWhy] and [QueryStart].
func AppendQuery(dst []byte, fact, argument string) []byte {
	dst = append(append(dst, "query "...), fact...)
	if argument != "" {
		dst = appendText(append(dst, ' '), argument)
	}
	return append(dst, '\n')
}

// AppendLegal appends a legal line of n moves; move appends the text of the i-th.
func AppendLegal(dst []byte, n int, move func(dst []byte, i int) []byte) []byte {
	dst = append(dst, "legal"...)
	for i := range n {
		dst = move(append(dst, ' '), i)
	}
	return append(dst, '\n')
}

// GoParams holds the limits of a go line. A zero field means no limit.
type GoParams struct {
	Clocks    [2]SideClock // of player 1 and 2
	MovesToGo int64
	MoveTime  time.Duration
	Depth     int64
	Nodes     int64
	Infinite  bool
	Ponder    bool // no limit holds before ponderhit
}

// A SideClock holds one player's remaining time and increment.
type SideClock struct {
	Known bool // a player without a game clock has none on the line
	Time  time.Duration
	Inc   time.Duration
}

// AppendGo appends a go line. Times are floored to milliseconds; a time left or
// a move time is at least 1.
func AppendGo(dst []byte, d Dialect, p GoParams) []byte {
	dst = append(dst, "go"...)
	if p.Ponder {
		dst = append(dst, " ponder"...)
	}
	times, incs := d.clockWords()
	for i, c := range p.Clocks {
		if c.Known {
			dst = strconv.AppendInt(append(dst, times[i]...), max(c.Time.Milliseconds(), 1), 10)
		}
	}
	for i, c := range p.Clocks {
		if c.Known {
			dst = strconv.AppendInt(append(dst, incs[i]...), max(c.Inc.Milliseconds(), 0), 10)
		}
	}
	if p.MovesToGo > 0 {
		dst = strconv.AppendInt(append(dst, " movestogo "...), p.MovesToGo, 10)
	}
	if p.MoveTime > 0 {
		dst = strconv.AppendInt(append(dst, " movetime "...), max(p.MoveTime.Milliseconds(), 1), 10)
	}
	if p.Depth > 0 {
		dst = strconv.AppendInt(append(dst, " depth "...), p.Depth, 10)
	}
	if p.Nodes > 0 {
		dst = strconv.AppendInt(append(dst, " nodes "...), p.Nodes, 10)
	}
	if p.Infinite {
		dst = append(dst, " infinite"...)
	}
	return append(dst, '\n')
}

// An ArenaKind is the kind of a line from arena.
type ArenaKind uint8

// The kinds of lines from arena. A line of any other kind is Other: a bot
// ignores it.
const (
	Other ArenaKind = iota
	Hello
	SetOption
	IsReady
	NewGame
	Position
	Legal
	Query
	Go
	Stop
	PonderHit
	Quit
)

// An ArenaMessage is a line from arena. Byte slices alias the line.
type ArenaMessage struct {
	Kind    ArenaKind
	Dialect Dialect // of Hello, NewGame and a Go with clocks

	Name  []byte // of SetOption
	Value []byte // of SetOption; empty for a button and for "<empty>"

	FEN   []byte // of Position: the text of the position; empty for startpos
	Moves []byte // of Position and Legal: see Words

	Fact     []byte // of Query: what is asked for
	Argument []byte // of Query: what follows

	Go GoParams
}

// ParseFromArena reads a line from arena, its newline taken off. The error is a
// *ParseError; the message has the right Kind even then. It allocates for
// errors only.
func ParseFromArena(line []byte) (ArenaMessage, error) {
	var m ArenaMessage
	if err := checkBytes(line, false); err != nil {
		return m, err
	}
	s := scanner{line: line}
	switch string(s.word()) {
	case "ugi":
		m.Kind = Hello
	case "uci":
		m.Kind, m.Dialect = Hello, UCI
	case "setoption":
		m.Kind = SetOption
		m.parseSetOption(&s)
	case "isready":
		m.Kind = IsReady
	case "uginewgame":
		m.Kind = NewGame
	case "ucinewgame":
		m.Kind, m.Dialect = NewGame, UCI
	case "position":
		m.Kind = Position
		m.parsePosition(&s)
	case "legal":
		m.Kind, m.Moves = Legal, s.rest()
		if len(m.Moves) == 0 {
			s.fail(`no moves after "legal"`)
		}
	case "query":
		m.Kind, m.Fact = Query, s.word()
		if len(m.Fact) == 0 {
			s.fail(`nothing after "query"`)
		}
		if rest := s.rest(); len(rest) > 0 {
			m.Argument = rest
		}
	case "go":
		m.Kind = Go
		m.parseGo(&s)
	case "stop":
		m.Kind = Stop
	case "ponderhit":
		m.Kind = PonderHit
	case "quit":
		m.Kind = Quit
	}
	if s.err != nil {
		return m, s.err
	}
	return m, nil
}

func (m *ArenaMessage) parseSetOption(s *scanner) {
	if string(s.word()) != "name" {
		s.fail(`"name" must follow "setoption"`)
		return
	}
	m.Name = s.until(func(w []byte) bool { return string(w) == "value" })
	if len(m.Name) == 0 {
		s.fail("the option has no name")
		return
	}
	s.word() // value, or nothing
	if v := s.rest(); len(v) > 0 && string(v) != empty {
		m.Value = v
	}
}

func (m *ArenaMessage) parsePosition(s *scanner) {
	moves := func(w []byte) bool { return string(w) == "moves" }
	switch string(s.word()) {
	case "startpos":
	case "fen":
		if m.FEN = s.until(moves); len(m.FEN) == 0 {
			s.fail(`no position after "fen"`)
			return
		}
	default:
		s.fail(`neither "startpos" nor "fen" after "position"`)
		return
	}
	switch string(s.word()) {
	case "":
	case "moves":
		m.Moves = s.rest()
	default:
		s.fail(`only "moves" may follow "startpos"`)
	}
}

func (m *ArenaMessage) parseGo(s *scanner) {
	g := &m.Go
	for w := s.word(); len(w) > 0; w = s.word() {
		switch string(w) {
		case "p1time", "wtime":
			m.clock(s, w, 0, &g.Clocks[0].Time)
		case "p2time", "btime":
			m.clock(s, w, 1, &g.Clocks[1].Time)
		case "p1inc", "winc":
			m.clock(s, w, 0, &g.Clocks[0].Inc)
		case "p2inc", "binc":
			m.clock(s, w, 1, &g.Clocks[1].Inc)
		case "movetime":
			if n, ok := s.count("movetime"); ok {
				g.MoveTime = milliseconds(n)
			}
		case "movestogo":
			g.MovesToGo, _ = s.count("movestogo")
		case "depth":
			g.Depth, _ = s.count("depth")
		case "nodes":
			g.Nodes, _ = s.count("nodes")
		case "infinite":
			g.Infinite = true
		case "ponder":
			g.Ponder = true
		}
	}
}

// clock reads a time. Other programs send negative ones for a clock that has
// run out, so that is no error.
func (m *ArenaMessage) clock(s *scanner, word []byte, side int, to *time.Duration) {
	if word[0] != 'p' {
		m.Dialect = UCI
	}
	if n, ok := s.number("a clock"); ok {
		*to = milliseconds(n)
		m.Go.Clocks[side].Known = true
	}
}

// milliseconds saturates at the ends of time.Duration.
func milliseconds(n int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(max(n, -most), most)) * time.Millisecond
}
