// Package replay prepares a game ply by ply for display: the board, the clocks, the
// bots' search facts, faults, and changes of evaluation.
//
//	r, err := replay.New(game, &record, clocks)
//	for _, f := range r.Frames { draw.SVG(w, f.Board, ...) }
//
// The game may be recorded or in progress.
package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"botarena/arena"
	"botarena/arena/openings"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/engine/draw"
)

// A Replay is one game.
type Replay struct {
	Record *arena.Game
	Rules  engine.Game // nil of a bare one
	Sides  [2]string   // their names
	Clocks [2]arena.TimeControl
	// Frames holds the position after the opening, and then after each ply: Frames[n]
	// is ply n.
	Frames []Frame
	// Marks holds the plies to jump to, in order.
	Marks []Mark
	// Bots holds the statistics of the first and the second side.
	Bots [2]Numbers

	pos      engine.Position // after the last frame; nil of a bare replay
	timers   *session.Timers
	opinions opinions
}

// A Frame shows the game after a ply.
type Frame struct {
	Ply      int
	Board    engine.Board
	Position string
	Turn     engine.Side       // who moves next
	Side     engine.Side       // who made the move, NoSide before the first
	Move     *arena.MoveRecord // nil before the first
	Left     [2]time.Duration  // on the clocks that count down
	Said     string            // the move in a sentence
}

// A Mark is a ply that deserves a look.
type Mark struct {
	Ply  int // of a fault the last one: what failed came after it
	Kind Kind
	Side engine.Side // who moved, or is at fault
	Text string
}

// A Kind classifies a Mark.
type Kind string

// The kinds: a bot's fault, a large change of a bot's evaluation, and mistakes found by
// an analysis.
const (
	Fault      Kind = "fault"
	Swing      Kind = "swing"
	Inaccuracy Kind = "inaccuracy"
	Mistake    Kind = "mistake"
	Blunder    Kind = "blunder"
)

// Add inserts marks in the order of plies.
func (r *Replay) Add(marks ...Mark) {
	r.Marks = append(r.Marks, marks...)
	slices.SortStableFunc(r.Marks, func(a, b Mark) int { return cmp.Compare(a.Ply, b.Ply) })
}

// Numbers holds statistics of one bot's moves.
type Numbers struct {
	Moves    int
	Time     time.Duration // of all moves
	Longest  time.Duration
	Depth    float64 // mean of the moves that told one, 0 for none
	Nodes    int64
	PerSec   float64 // nodes a second of the moves that told nodes, 0 for none
	HasScore bool
	Score    arena.MoveRecord // the last with a score
	Swings   int
}

// swing is the smallest change of a bot's expected score (a logistic with 400
// centipawns a decade) between its consecutive moves that gets a mark.
const swing = 0.25

// New replays a recorded game, or the moves so far of one in progress. The error names
// the ply that the rules refuse.
func New(rules engine.Game, g *arena.Game, clocks [2]arena.TimeControl) (*Replay, error) {
	r, err := Begin(rules, g, clocks)
	if err != nil {
		return nil, err
	}
	if err := r.Play(g.Moves...); err != nil {
		return nil, err
	}
	r.finish()
	return r, nil
}

// Begin returns a game at the end of its opening; Play adds the moves of a game in
// progress.
func Begin(rules engine.Game, g *arena.Game, clocks [2]arena.TimeControl) (_ *Replay, err error) {
	defer engine.Catch(&err)
	pos, err := openings.After(rules, g.Opening)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	timers := session.NewTimers(clocks)
	return &Replay{
		Record: g, Rules: rules, Sides: rules.SideNames(), Clocks: clocks, pos: pos, timers: timers,
		Frames: []Frame{{Board: pos.Board(), Position: pos.String(), Turn: pos.Turn(), Side: engine.NoSide, Left: left(timers), Said: "The beginning."}},
	}, nil
}

// Play adds moves. The error names the ply that the rules refuse; those before are
// added.
func (r *Replay) Play(moves ...arena.MoveRecord) (err error) {
	defer engine.Catch(&err)
	arena.Expect(r.pos, nil, moves, true)
	r.Frames = slices.Grow(r.Frames, len(moves))
	for i := range moves {
		m, ply := &moves[i], len(r.Frames)
		side, before := r.pos.Turn(), r.Last().Board
		move, err := r.pos.ParseMove(m.Move)
		if err != nil {
			return fmt.Errorf("ply %d: %w", ply, err)
		}
		r.pos.Play(move)
		r.timers[side].Spend(m.Time)
		r.Frames = append(r.Frames, Frame{
			Ply: ply, Board: r.pos.Board(), Position: r.pos.String(), Turn: r.pos.Turn(), Side: side, Move: m, Left: left(r.timers),
			Said: r.say(ply, side, m, before),
		})
		r.count(ply, side, m)
	}
	return nil
}

// Outcome returns the outcome by the rules.
func (r *Replay) Outcome() engine.Outcome { return r.pos.Outcome() }

// Left returns the time that a side has for its next move; timed is false if its clock
// has no time.
func (r *Replay) Left(side engine.Side) (left time.Duration, timed bool) {
	t := &r.timers[side]
	return t.Allowance(), t.Timed()
}

// Bare returns a replay without the game's rules: its moves and statistics, without
// boards. Sides are assumed to alternate.
func Bare(g *arena.Game, clocks [2]arena.TimeControl) *Replay {
	r := &Replay{Record: g, Sides: [2]string{"first", "second"}, Clocks: clocks}
	timers := session.NewTimers(clocks)
	board := engine.Board{Rows: 1, Text: []string{"no board without its rules"}}
	turn := engine.Side(len(g.Opening.Moves) % 2)
	r.Frames = append(r.Frames, Frame{Board: board, Turn: turn, Side: engine.NoSide, Left: left(timers), Said: "The beginning."})
	for i := range g.Moves {
		m := &g.Moves[i]
		timers[turn].Spend(m.Time)
		r.Frames = append(r.Frames, Frame{Ply: i + 1, Board: board, Turn: turn.Other(), Side: turn, Move: m, Left: left(timers), Said: r.say(i+1, turn, m, board)})
		r.count(i+1, turn, m)
		turn = turn.Other()
	}
	r.finish()
	return r
}

// left returns what the clocks that count down have.
func left(timers *session.Timers) (t [2]time.Duration) {
	for i := range timers {
		if timers[i].Base > 0 {
			t[i] = timers[i].Allowance()
		}
	}
	return t
}

// opinions holds both bots' last evaluations up to a ply.
type opinions struct {
	expected [2]float64
	depths   [2]int
	timed    [2]time.Duration
}

// count adds a move to its bot's numbers, and marks a swing.
func (r *Replay) count(ply int, side engine.Side, m *arena.MoveRecord) {
	n, o := &r.Bots[side], &r.opinions
	n.Moves++
	n.Time += m.Time
	n.Longest = max(n.Longest, m.Time)
	if m.Depth > 0 {
		n.Depth += float64(m.Depth)
		o.depths[side]++
	}
	if m.Nodes > 0 {
		n.Nodes += m.Nodes
		o.timed[side] += m.Time
	}
	if !m.HasScore {
		return
	}
	expected := Expected(m)
	if n.HasScore && math.Abs(expected-o.expected[side]) >= swing {
		n.Swings++
		r.Marks = append(r.Marks, Mark{
			Ply: ply, Kind: Swing, Side: side,
			Text: fmt.Sprintf("%s changes its mind: %s after %s", r.name(side), Score(m), Score(&n.Score)),
		})
	}
	n.HasScore, n.Score, o.expected[side] = true, *m, expected
}

// finish turns sums into means, and marks the fault that ended the game.
func (r *Replay) finish() {
	o := &r.opinions
	for side := range r.Bots {
		if o.depths[side] > 0 {
			r.Bots[side].Depth /= float64(o.depths[side])
		}
		if o.timed[side] > 0 {
			r.Bots[side].PerSec = float64(r.Bots[side].Nodes) / o.timed[side].Seconds()
		}
	}
	if g := r.Record; g.Reason.Forfeit() {
		side := engine.First
		if g.Blame == g.Second {
			side = engine.Second
		}
		r.Marks = append(r.Marks, Mark{Ply: len(g.Moves), Kind: Fault, Side: side, Text: strings.TrimSpace(fmt.Sprintf("%s of %s: %s", g.Reason, g.Blame, g.Detail))})
	}
}

// Failed returns the fault that ended the game, nil if none did: the side that failed
// made no move after the last ply.
func (r *Replay) Failed() *Mark {
	for i := range r.Marks {
		if r.Marks[i].Kind == Fault {
			return &r.Marks[i]
		}
	}
	return nil
}

// name returns the name of the bot that plays a side.
func (r *Replay) name(side engine.Side) string {
	if side == engine.Second {
		return r.Record.Second
	}
	return r.Record.First
}

// Last returns the frame of the last ply.
func (r *Replay) Last() *Frame { return &r.Frames[len(r.Frames)-1] }

// say describes a move in a sentence.
func (r *Replay) say(ply int, side engine.Side, m *arena.MoveRecord, before engine.Board) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Ply %d, %s: ", ply, r.Sides[side])
	from, to, rest := Squares(m.Move, before.Cols, before.Rows)
	switch {
	case from >= 0 && to >= 0 && r.Rules != nil:
		piece := ""
		if c := before.Cells[from]; c.Piece != 0 {
			piece = draw.PieceName(r.Rules.Name(), c.Piece) + " "
		}
		fmt.Fprintf(&s, "%s%s to %s", piece, SquareName(from, before), SquareName(to, before))
		if c := before.Cells[to]; c.Piece != 0 && c.Side == side.Other() {
			fmt.Fprintf(&s, ", takes %s", draw.PieceName(r.Rules.Name(), c.Piece))
		}
		if rest != "" {
			s.WriteString(", " + rest)
		}
	default:
		s.WriteString(m.Move)
	}
	if m.HasScore {
		s.WriteString(", score " + Score(m))
	}
	fmt.Fprintf(&s, ", %.1f seconds.", m.Time.Seconds())
	return s.String()
}

// Expected returns the expected score in [0, 1] implied by a bot's own evaluation of
// its move.
func Expected(m *arena.MoveRecord) float64 {
	switch {
	case m.Mate && m.Score >= 0:
		return 1
	case m.Mate:
		return 0
	}
	return 1 / (1 + math.Pow(10, -float64(m.Score)/400))
}

// Score formats a move's score: pawns, or moves to mate; "" if the bot reported none.
func Score(m *arena.MoveRecord) string {
	switch {
	case m == nil || !m.HasScore:
		return ""
	case m.Mate:
		return fmt.Sprintf("#%d", m.Score)
	}
	return fmt.Sprintf("%+.2f", float64(m.Score)/100)
}

// Squares reads the squares that a move's text begins with, as indexes into a board's
// cells: from where to where; if it names one square, only to is set; if none, both are
// -1. rest is the text after them.
func Squares(move string, cols, rows int) (from, to int, rest string) {
	a, after := squareOf(move, cols, rows)
	if a < 0 {
		return -1, -1, move
	}
	b, tail := squareOf(after, cols, rows)
	if b < 0 {
		return -1, a, after
	}
	return a, b, tail
}

// squareOf reads a square at the beginning of a text; -1 if there is none.
func squareOf(s string, cols, rows int) (cell int, rest string) {
	if s == "" || s[0] < 'a' || int(s[0]-'a') >= cols {
		return -1, s
	}
	n, i := 0, 1
	for i < len(s) && i < 3 && s[i] >= '0' && s[i] <= '9' {
		n = 10*n + int(s[i]-'0')
		i++
	}
	if n < 1 || n > rows {
		return -1, s
	}
	return (rows-n)*cols + int(s[0]-'a'), s[i:]
}

// SquareName returns the name of a cell: a1 is the lower left one.
func SquareName(cell int, b engine.Board) string {
	return fmt.Sprintf("%c%d", 'a'+cell%b.Cols, b.Rows-cell/b.Cols)
}

// Describe lists the pieces of a board by side, for those who cannot see it.
func Describe(rules engine.Game, b engine.Board) string {
	var s strings.Builder
	for side, name := range rules.SideNames() {
		if side > 0 {
			s.WriteString(" ")
		}
		first, size := utf8.DecodeRuneInString(name)
		s.WriteString(string(unicode.ToUpper(first)) + name[size:] + ":")
		n := 0
		for i, c := range b.Cells {
			if c.Piece != 0 && c.Side == engine.Side(side) {
				if n++; n > 1 {
					s.WriteString(",")
				}
				fmt.Fprintf(&s, " %s %s", draw.PieceName(rules.Name(), c.Piece), SquareName(i, b))
			}
		}
		if n == 0 {
			s.WriteString(" none")
		}
		s.WriteString(".")
	}
	return s.String()
}
